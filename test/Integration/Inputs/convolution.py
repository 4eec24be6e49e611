"""What numpy says about convolutions, for the EXPECT lines of im2col tests."""

import numpy as np


def matrix(image, kernel, stride=(1, 1), dilation=(1, 1), pad=(0, 0)):
    """The windows of an N x H x W x C image as rows."""
    padded = np.pad(image, ((0, 0), (pad[0],) * 2, (pad[1],) * 2, (0, 0)))
    out = [0, 0]
    for i in (0, 1):
        reach = dilation[i] * (kernel[i] - 1) + 1
        out[i] = max((padded.shape[1 + i] - reach) // stride[i] + 1, 0)
    rows = np.zeros((image.shape[0], *out, *kernel, image.shape[3]), image.dtype)
    for n, h, w in np.ndindex(rows.shape[:3]):
        top, left = h * stride[0], w * stride[1]
        rows[n, h, w] = padded[n, top:, left:][::dilation[0], ::dilation[1]][
            :kernel[0], :kernel[1]]
    return rows.reshape(image.shape[0] * out[0] * out[1],
                        kernel[0] * kernel[1] * image.shape[3])


def tile(image, first, shape, *window, **more):
    """The part of the matrix that begins at row and column `first`; zeros where
    there is none."""
    whole = matrix(image, *window, **more)
    result = np.zeros(shape, image.dtype)
    for at in np.ndindex(*shape):
        row, column = first[0] + at[0], first[1] + at[1]
        if 0 <= row < whole.shape[0] and 0 <= column < whole.shape[1]:
            result[at] = whole[row, column]
    return result


def convolve(image, weights, stride=(1, 1), dilation=(1, 1), pad=(0, 0)):
    """Output pixels as rows; `weights` is KH x KW x C x F. Without the matrix:
    the sum over the elements of the filter."""
    padded = np.pad(image, ((0, 0), (pad[0],) * 2, (pad[1],) * 2, (0, 0)))
    padded = padded.astype(np.float64)
    kernel = weights.shape[:2]
    out = [(padded.shape[1 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
           for i in (0, 1)]
    result = 0
    for h, w in np.ndindex(*kernel):
        shifted = padded[:, h * dilation[0]:, w * dilation[1]:]
        strided = shifted[:, ::stride[0], ::stride[1]][:, :out[0], :out[1]]
        result = result + strided @ weights[h, w].astype(np.float64)
    return result.reshape(-1, weights.shape[3])

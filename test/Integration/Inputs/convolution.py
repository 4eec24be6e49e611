"""What numpy says about convolutions, for the EXPECT lines of im2col tests.

Images have one to three dimensions of pixels between the number of the image and
the channel. `kernel`, `stride`, `dilation`, `pad` and `upper` have a number for
each of them; `upper` are the pads behind the image, by default those in front."""

import numpy as np


class Window:
    """How a filter moves over an image; `starts[d]` are its first pixels."""

    def __init__(self, image, kernel, stride=None, dilation=None, pad=None,
                 upper=None):
        dims = len(kernel)
        self.kernel = kernel
        self.stride = stride or (1,) * dims
        self.dilation = dilation or (1,) * dims
        pad = pad or (0,) * dims
        pads = list(zip(pad, upper if upper is not None else pad))
        self.padded = np.pad(image, [(0, 0), *pads, (0, 0)])
        self.out = tuple(
            max((self.padded.shape[1 + d] - self.dilation[d] * (kernel[d] - 1) - 1)
                // self.stride[d] + 1, 0) for d in range(dims))

    def pixels(self, tap):
        """What the element `tap` of the filter meets at every position."""
        slices = [slice(at * step, at * step + stride * (out - 1) + 1, stride)
                  if out else slice(0, 0)
                  for at, step, stride, out in zip(tap, self.dilation, self.stride,
                                                   self.out)]
        return self.padded[(slice(None), *slices)]


def matrix(image, *window, **more):
    """The windows of an image as rows."""
    window = Window(image, *window, **more)
    taps = [window.pixels(tap) for tap in np.ndindex(*window.kernel)]
    rows = np.stack(taps, axis=-2)
    return rows.reshape(image.shape[0] * int(np.prod(window.out)),
                        len(taps) * image.shape[-1])


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


def convolve(image, weights, *window, **more):
    """Output pixels as rows; `weights` is the kernel, C and F. Without the matrix:
    the sum over the elements of the filter."""
    kernel = weights.shape[:-2]
    window = Window(image.astype(np.float64), kernel, *window, **more)
    result = np.zeros((image.shape[0], *window.out, weights.shape[-1]))
    for tap in np.ndindex(*kernel):
        result = result + window.pixels(tap) @ weights[tap].astype(np.float64)
    return result.reshape(-1, weights.shape[-1])

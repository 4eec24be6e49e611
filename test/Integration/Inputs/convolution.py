"""What numpy says about convolutions, for the EXPECT lines of im2col tests, and
what the generators of convolutions share.

Images have one to three dimensions of pixels between the number of the image and
the channel. `kernel`, `stride`, `dilation`, `pad` and `upper` have a number for
each of them; `upper` are the pads after the image, by default those before it."""

import numpy as np

# A kernel up to its body and after it: the host function has the extents of the
# result, M x N, the block computes m x n elements from row %i and column %j.
# `count` computes %K, the columns of the matrix, from %C and %taps.
HEAD = """\
#smem = #gpu.address_space<workgroup>
func.func @conv(%X: {image}, %W: memref<?x?x{type}>, %M: index, %N: index, %Y: memref<?x?x{sum}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant {last} : index
  %cm = arith.constant {m} : index
  %cn = arith.constant {n} : index
  %ck = arith.constant {k} : index
  %taps = arith.constant {taps} : index
  %threads = arith.constant {threads} : index
  %zero = arith.constant {zero} : {sum}
  %C = memref.dim %X, %last : {image}
{count}
  %gx = arith.ceildivui %M, %cm : index
  %gy = arith.ceildivui %N, %cn : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {{
{config}    %i = arith.muli %bx, %cm : index
    %j = arith.muli %by, %cn : index
"""

TAIL = """\
    gpu.terminator
  }
  return
}
"""

# Of `count`: the columns of a filter element are its channels, or are rounded up
# to whole steps of {step}.
COUNT = {False: "  %K = arith.muli %taps, %C : index",
         True: """\
  %parts = arith.ceildivui %C, {step} : index
  %R = arith.muli %parts, {step} : index
  %K = arith.muli %taps, %R : index"""}

WITHOUT_ROLES = "    tile.kernel_config {specialize = #tile.specialize<off>}\n"


def numbers(text):
    return tuple(int(n) for n in text.split("x"))


def head(fields, has_roles, is_rounded, step):
    """HEAD; `fields` are the others that it names."""
    return HEAD.format(
        config="" if has_roles else WITHOUT_ROLES,
        count=COUNT[is_rounded].format(step=step),
        zero="0" if fields["sum"].startswith("i") else "0.0", **fields)


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

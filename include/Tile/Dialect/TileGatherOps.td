//===- TileGatherOps.td - Tiles gathered from images ----------------------===//
#ifndef TILE_GATHER_OPS_TD
#define TILE_GATHER_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_Im2colOp : Tile_Op<"im2col", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "window of the matrix that a convolution multiplies";
  let description = [{
    A convolution of N images with one to three dimensions of pixels, X[0] x ...
    x X[D-1], and C channels is a product of matrices: the left factor has a row
    for every pixel `(n, o[0], ..., o[D-1])` of the output and a column for every
    element `(k[0], ..., k[D-1], c)` of the filter. The op names a window of that
    factor, which exists nowhere; `tile.copy` reads it. With d from 0 to D - 1:

    ```text
    O[d] = floor((pad[d] + X[d] + pad_upper[d] - dilation[d] (kernel[d] - 1) - 1)
                 / stride[d]) + 1
    row + i    = (..(n O[0] + o[0]) O[1] + ..) O[D-1] + o[D-1]
    column + j = (..(k[0] kernel[1] + k[1]) kernel[2] + ..) channels + c
    x[d] = o[d] stride[d] - pad[d] + k[d] dilation[d]
    window[i, j] = image[n, x[0], ..., x[D-1], c]
    ```

    and 0 where an `x[d]` or `c` is outside the image, and in rows and columns
    that the factor has not: below 0, from `N O[0] .. O[D-1]` and from
    `kernel[0] .. kernel[D-1] channels`. O[d] is 0 when the filter exceeds the
    padded image. `stride` and `dilation` are 1, `pad` is 0, `pad_upper` is `pad`
    and `channels` is C when they are left out. `channels` is how many columns an
    element of the filter has: rounded up from C to the width of the tiles, no
    tile lies in two elements, and what it reads after C is 0.

    The right factor is a tensor of weights, the product one of a row per pixel of
    the output and a column per filter: both are windows of `tile.region`.

    Where a tile, or groups of its columns, lie in one element of the filter and
    the image is aligned, TMA and cp.async move it; remarks say when they do not.

    Rows and columns are counted in 32 bits: both must be fewer than 2^31, and so
    must each extent of the padded image.

    `align` is a fact: the address of `image` and every stride but the last are
    multiples of that many bytes. `run` is a fact: the columns of the window, cut
    in groups of so many, are each of one element of the filter.
    `tile-make-variants` writes both where the host guarantees them,
    `tile-instruction-annotation` what follows from the operands.

    Constraints:
    (C1) `image` is a memref of rank 3 to 5 in global memory: images, dimensions
         of pixels, channels;
    (C2) the window has 2 sizes, each at least 1, and at most 2^31 - 1 elements;
    (C3) every user is a `tile.copy` that reads it;
    (C4) `kernel`, `stride`, `dilation`, `pad` and `pad_upper` hold a number per
         dimension of pixels, up to 32767, from 0 in the pads and from 1 in the
         others;
    (C5) static extents of `image` are at most 2^30, and the rows and columns
         that they lead to at most 2^31 - 1;
    (C6) `align` is a power of two, and `run` divides the columns of the window.

    | image \ dst of the copy | shared | fragment | private |
    |---|---|---|---|
    | global, rank 3 to 5, any element type | TMA, cp.async, plain | plain, through a shared tile | plain |

    Example: 64 output pixels and 32 elements of 3 x 3 filters; of filters of 4
    samples that see no later ones; of 3 x 3 x 3 filters.
    ```mlir
    %a = tile.im2col %image[%row, %column] [64, 32] kernel [3, 3] stride [1, 1] pad [1, 1] : memref<?x?x?x64xbf16>
    %b = tile.im2col %sound[%row, %column] [64, 32] kernel [4] pad [3] pad_upper [0] : memref<?x?x64xbf16>
    %c = tile.im2col %video[%row, %column] [64, 32] kernel [3, 3, 3] stride [1, 2, 2] : memref<?x?x?x?x64xbf16>
    ```
    The results are `!tile.region<64x32xbf16>`.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "images, dimensions of pixels, channels">:$image,
    Arg<Index, "first row of the matrix that is read">:$row,
    Arg<Index, "first column of the matrix that is read">:$column,
    Arg<Optional<Index>, "columns of an element of the filter">:$channels,
    Arg<DenseI64ArrayAttr, "rows and columns of the window">:$static_sizes,
    Arg<DenseI64ArrayAttr, "extents of the filter, in pixels">:$kernel,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from window to window">:$stride,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from filter element to filter element">:$dilation,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels of zeros before the image">:$pad,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels of zeros after the image">:$pad_upper,
    Arg<OptionalAttr<I64Attr>, "known alignment in bytes">:$align,
    Arg<OptionalAttr<I64Attr>, "columns that are of one filter element">:$run);
  let results = (outs Res<Tile_RegionType, "the window">:$region);
  let assemblyFormat = [{
    $image `[` $row `,` $column `]` $static_sizes `kernel` $kernel
    (`stride` $stride^)? (`dilation` $dilation^)? (`pad` $pad^)?
    (`pad_upper` $pad_upper^)? (`channels` $channels^)? attr-dict `:` type($image)
  }];
  let hasVerifier = 1;
  let cInfer = 1;
}

#endif // TILE_GATHER_OPS_TD

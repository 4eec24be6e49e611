//===- TileGatherOps.td - Tiles gathered from images ----------------------===//
#ifndef TILE_GATHER_OPS_TD
#define TILE_GATHER_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_Im2colOp : Tile_Op<"im2col", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "window of the matrix that a convolution multiplies";
  let description = [{
    A convolution of an image with N x H x W x C elements is a product of
    matrices: the left factor has a row for every pixel `(n, oh, ow)` of the
    output and a column for every element `(kh, kw, c)` of the filter. The op
    names a window of that factor, which exists nowhere; `tile.copy` reads it:

    ```text
    OH = floor((H + 2 pad[0] - dilation[0] (kernel[0] - 1) - 1) / stride[0]) + 1
    OW = floor((W + 2 pad[1] - dilation[1] (kernel[1] - 1) - 1) / stride[1]) + 1
    row + i    = (n OH + oh) OW + ow
    column + j = (kh kernel[1] + kw) channels + c
    h = oh stride[0] - pad[0] + kh dilation[0]
    w = ow stride[1] - pad[1] + kw dilation[1]
    window[i, j] = image[n, h, w, c]
    ```

    and 0 where `h`, `w` or `c` is outside the image, and in rows and columns that
    the factor has not: below 0, from `N OH OW` and from
    `kernel[0] kernel[1] channels`. OH and OW are 0 when the filter exceeds the
    padded image. `stride` and `dilation` are 1, `pad` is 0 and `channels` is C
    when they are left out. `channels` is how many columns an element of the
    filter has: rounded up from C to the width of the tiles, no tile lies in two
    elements, and what it reads behind C is 0.

    The right factor is a tensor of weights, the product one of `N OH OW` rows and
    a column per filter: both are windows of `tile.region`.

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
    (C1) `image` is a memref of rank 4 in global memory;
    (C2) the window has 2 sizes, each at least 1, and at most 2^31 - 1 elements;
    (C3) every user is a `tile.copy` that reads it;
    (C4) `kernel`, `stride`, `dilation` and `pad` hold 2 numbers up to 32767, from
         0 in `pad` and from 1 in the others;
    (C5) static extents of `image` are at most 2^30, and the rows and columns
         that they lead to at most 2^31 - 1;
    (C6) `align` is a power of two, and `run` divides the columns of the window.

    | image \ dst of the copy | shared | fragment | private |
    |---|---|---|---|
    | global | TMA, cp.async, plain | plain, through a shared tile | plain |

    Example: 64 output pixels and 32 elements of 3 x 3 filters.
    ```mlir
    %a = tile.im2col %image[%row, %column] [64, 32] kernel [3, 3] stride [1, 1] pad [1, 1] : memref<?x?x?x64xbf16>
    ```
    The result is `!tile.region<64x32xbf16>`.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "N x H x W x C elements">:$image,
    Arg<Index, "first row of the matrix that is read">:$row,
    Arg<Index, "first column of the matrix that is read">:$column,
    Arg<Optional<Index>, "columns of an element of the filter">:$channels,
    Arg<DenseI64ArrayAttr, "rows and columns of the window">:$static_sizes,
    Arg<DenseI64ArrayAttr, "height and width of the filter">:$kernel,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from window to window">:$stride,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from filter element to filter element">:$dilation,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "zeros around the image, on both sides">:$pad,
    Arg<OptionalAttr<I64Attr>, "known alignment in bytes">:$align,
    Arg<OptionalAttr<I64Attr>, "columns that are of one filter element">:$run);
  let results = (outs Res<Tile_RegionType, "the window">:$region);
  let assemblyFormat = [{
    $image `[` $row `,` $column `]` $static_sizes `kernel` $kernel
    (`stride` $stride^)? (`dilation` $dilation^)? (`pad` $pad^)?
    (`channels` $channels^)? attr-dict `:` type($image)
  }];
  let hasVerifier = 1;
  let cInfer = 1;
}

#endif // TILE_GATHER_OPS_TD

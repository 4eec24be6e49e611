//===- TileGatherOps.td - Tiles gathered from images ----------------------===//
#ifndef TILE_GATHER_OPS_TD
#define TILE_GATHER_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_Im2colOp : Tile_Op<"im2col", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "gathers the windows of an image as rows of a matrix";
  let description = [{
    A convolution of an image with N x H x W x C elements is a product of
    matrices: the left factor has a row for every pixel `(n, oh, ow)` of the
    output and a column for every element `(kh, kw, c)` of the filter. The op
    reads a tile of that factor, which exists nowhere:

    ```text
    OH = floor((H + 2 pad[0] - dilation[0] (kernel[0] - 1) - 1) / stride[0]) + 1
    OW = floor((W + 2 pad[1] - dilation[1] (kernel[1] - 1) - 1) / stride[1]) + 1
    row + i    = (n OH + oh) OW + ow
    column + j = (kh kernel[1] + kw) C + c
    h = oh stride[0] - pad[0] + kh dilation[0]
    w = ow stride[1] - pad[1] + kw dilation[1]
    dst[i, j] = convert(image[n, h, w, c])
    ```

    and 0 where `h` or `w` is outside the image, and in rows and columns that the
    factor has not: below 0, from `N OH OW` and from `kernel[0] kernel[1] C`. OH
    and OW are 0 when the filter exceeds the padded image. Elements are converted
    as `tile.copy` converts. `stride` and `dilation` are 1 and `pad` is 0 when
    they are left out.

    The right factor is a tensor of `kernel[0] kernel[1] C` x F weights, the
    product one of `N OH OW` x F: both are `tile.copy` of plain windows.

    The threads of the block read one element at a time. Convolutions with stride
    1 can do without the op: the pixels that one element of the filter meets are
    a plain window of the image, which `tile.copy` moves by TMA.

    Rows and columns are counted in 32 bits: both must be fewer than 2^31, and so
    must each extent of the padded image.

    Constraints:
    (C1) `image` is a memref of rank 4 in global memory;
    (C2) `dst` is static, of rank 2, in shared memory or a whole fragment;
    (C3) the element types are equal, or both float, or both integer;
    (C4) `kernel`, `stride`, `dilation` and `pad` hold 2 numbers up to 32767, from
         0 in `pad` and from 1 in the others;
    (C5) static extents of `image` are at most 2^30, and the rows and columns
         that they lead to at most 2^31 - 1.

    | image \ dst | shared | fragment |
    |---|---|---|
    | global | yes | yes |

    Example: 64 output pixels and 32 elements of 3 x 3 filters.
    ```mlir
    tile.im2col %image[%row, %column] to %As kernel [3, 3] stride [1, 1] pad [1, 1] : memref<?x?x?x64xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "N x H x W x C elements">:$image,
    Arg<Index, "first row of the matrix that is read">:$row,
    Arg<Index, "first column of the matrix that is read">:$column,
    Arg<Tile_Tile, "what is written">:$dst,
    Arg<DenseI64ArrayAttr, "height and width of the filter">:$kernel,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from window to window">:$stride,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from filter element to filter element">:$dilation,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "zeros around the image, on both sides">:$pad);
  let assemblyFormat = [{
    $image `[` $row `,` $column `]` `to` $dst `kernel` $kernel
    (`stride` $stride^)? (`dilation` $dilation^)? (`pad` $pad^)?
    attr-dict `:` type($image) `,` type($dst)
  }];
  let hasVerifier = 1;
  let cEffects = 1;
}

#endif // TILE_GATHER_OPS_TD

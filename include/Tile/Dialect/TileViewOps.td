//===- TileViewOps.td - Other shapes of the same storage ------------------===//
#ifndef TILE_VIEW_OPS_TD
#define TILE_VIEW_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_ViewOp : Tile_Op<"view", [Pure], /*isView=*/1> {
  let summary = "the same storage with another shape or element type";
  let description = [{
    Both tiles are one storage. With the elements of each in row-major order,
    byte `b` of the view is byte `b` of the source: for elements of one width,
    `view[i] = source[j]` where `linear(i) = linear(j)`, with

    `linear(i) = (i0 * N1 + i1) * N2 + …` for extents `N0, N1, …`.

    What is written through one is read through the other. The order is that of
    the tiles, not of memory: a view moves nothing, whatever layout the storage
    gets, and layout inference gives it one that has this form. Elements of a
    fragment are spread over the threads by what its shape and those of its
    views have in common; where that is little, a remark says what it costs.

    Constraints:
    (C1) both are in shared memory, or both are fragments, or both are private;
    (C2) both shapes are static, of rank 1 to 5, and `result` has the identity
         layout;
    (C3) both have the same number of bytes;
    (C4) fragments have elements of the same width: bytes of a register do not
         move between registers;
    (C5) the element type of `result` is one that `tile.alloc` allows.

    | space | shape | element type |
    |---|---|---|
    | shared | any of the same bytes | any |
    | fragment | any of as many elements | of the same width |
    | private | any of the same bytes | any |

    Example:
    ```mlir
    %rows = tile.view %s : memref<64x32xbf16, #gpu.address_space<workgroup>> to memref<16x4x32xi16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "a tile, or a view of one">:$source);
  let results = (outs Res<AnyMemRef, "the same storage">:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // TILE_VIEW_OPS_TD

//===- TileAsyncOps.td - Asynchronous products ----------------------------===//
#ifndef TILE_ASYNC_OPS_TD
#define TILE_ASYNC_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_AwaitOp : Tile_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all but the last asynchronous products";
  let description = [{
    Waits until at most `pending` of the products with `async` that were issued
    last are under way. Products complete in order. Only then may the
    accumulator of a product be used, or a factor in shared memory be written.

    Constraints:
    (C1) `pending` is at least 0.

    Example:
    ```mlir
    tile.await pending 1
    ```
  }];
  let arguments = (ins Arg<I64Attr, "products that may be under way">:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_ASYNC_OPS_TD

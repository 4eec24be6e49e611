//===- TileAsyncOps.td - Asynchronous products ----------------------------===//
#ifndef TILE_ASYNC_OPS_TD
#define TILE_ASYNC_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_AwaitOp : Tile_Op<"await", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all but the last asynchronous products";
  let description = [{
    Waits until at most `pending` of the products with `async` that were issued
    last are under way (`wgmma.wait_group`). Products complete in order. Only
    then may the accumulator of a product be used, but for a further product, or
    a factor be written or its slot released.

    The accumulators after `for` are those that may be used from here on.

    The fragments after `after` are computed before the wait begins. It changes
    no result: an assembler that moves a wait up to the product would have the
    work in between begin when the product has ended.

    Constraints:
    (C1) `pending` is from 0 to 7;
    (C2) the accumulators are results of `tile.alloc` in fragments;
    (C3) their elements are f32, f16 or i32, as those of `tile.gemm`;
    (C4) the target has wgmma;
    (C5) `after` only with accumulators; what it names are results of `tile.alloc`
         in fragments, with elements of 32 bits.

    Example:
    ```mlir
    tile.await pending 0 for %acc : memref<128x128xf32, #tile.fragment>
    ```
  }];
  let arguments = (ins
    Arg<I64Attr, "products that may be under way">:$pending,
    Arg<Variadic<AnyMemRef>, "accumulators that are complete">:$accumulators,
    Arg<Variadic<AnyMemRef>, "what is computed meanwhile">:$after);
  let assemblyFormat = [{
    `pending` $pending (`for` $accumulators^ `:` type($accumulators))?
    (`after` $after^ `:` type($after))? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // TILE_ASYNC_OPS_TD

//===- TileMapOps.td - Tensor maps that kernels make ----------------------===//
#ifndef TILE_MAP_OPS_TD
#define TILE_MAP_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_MapPlaceOp : Tile_Op<"map_place", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the tensor map at a place in global memory";
  let description = [{
    Rows `2 · place` and `2 · place + 1` of `maps`, 128 bytes each, hold tensor maps
    of `tensor` in turn, for copies that the map describes. The TMA unit reads it
    from there. `changes` says that the map has to be made: it is true when the
    thread executes the op for the first time, and when address, extents or
    strides of `tensor` are others than the last time. Then `map` is the row that
    was not in use, and `tile.map_make` has to write it before a copy takes it.
    All threads of a role, or of the block, find the same.

    Each block, and in it each role, has places of its own. The compiler makes
    these ops for windows of tensors that begin, end or have strides where only
    the kernel knows.

    Constraints:
    (C1) `maps` is of i64 in global memory, of rank 2 and 16 elements in a row;
    (C2) `tensor` is in global memory, of rank 1 to 5, with last stride 1;
    (C3) inside a kernel, outside the body of a `tile.parallel`.

    Example:
    ```mlir
    %map, %changes = tile.map_place %maps[%c0] of %A : memref<?x16xi64>, memref<?x64xbf16, strided<[?, 1]>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "memory of the maps">:$maps,
                       Arg<Index, "row of the map">:$place,
                       Arg<AnyMemRef, "what the map describes">:$tensor);
  let results = (outs Res<Tile_TensorMapType, "the map">:$map,
                      Res<I1, "whether it has to be made">:$changes);
  let assemblyFormat = [{
    $maps `[` $place `]` `of` $tensor attr-dict `:` type($maps) `,` type($tensor)
  }];
  let hasVerifier = 1;
}

def Tile_MapMakeOp : Tile_Op<"map_make", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "makes a tensor map in global memory";
  let description = [{
    Writes a tensor map at the place that `map` names: a copy of `like`, a map
    of the host that has rank, element type, box and swizzle, with address,
    extents and strides of the tensor of `map` (`tensormap.replace`). Where the
    tensor has no elements the map has extents of 1, and copies that take it
    begin outside.

    One thread makes the map, the one that issues the copies of its role, in
    `stage` in shared memory, and copies it to its place. It then executes
    `fence.proxy.tensormap::generic.release`, which makes the writes visible to
    the proxy by which TMA reads maps, and `…acquire` of the 128 bytes, before
    which no later copy of the thread reads them. Before it writes it waits for
    the copies out of shared memory that it has issued. Loads that took the map of
    this row must have ended: their role acquires the slots that they fill, or has
    filled all of them with another map since.

    Constraints:
    (C1) `map` is the result of a `tile.map_place`;
    (C2) `like` is a tensor map of the host: an argument of the kernel or the
         result of a `tile.tensor_map`, of a tensor of the same rank and elements;
    (C3) `stage` is of i64 in shared memory, of rank 1 and 16 elements;
    (C4) outside the body of a `tile.parallel`.

    | chip | PTX |
    |---|---|
    | sm_90a | `tensormap.replace.tile`, `fence.proxy.tensormap::generic`, of one thread |
    | others | – |

    Example:
    ```mlir
    tile.map_make %map from %like by %stage : memref<16xi64, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Tile_TensorMapType, "where the map is made">:$map,
    Arg<Tile_TensorMapType, "what it is like">:$like,
    Arg<AnyMemRef, "where it is put together">:$stage);
  let assemblyFormat = [{
    $map `from` $like `by` $stage attr-dict `:` type($stage)
  }];
  let hasVerifier = 1;
  let cEffects = 1;
}

#endif // TILE_MAP_OPS_TD

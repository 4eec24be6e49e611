//===- TileMoveOps.td - Copies and fills ----------------------------------===//
#ifndef TILE_MOVE_OPS_TD
#define TILE_MOVE_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_CopyOp : Tile_Op<"copy", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a tile";
  let description = [{
    `dst[i] = convert(src[i])` for every index `i` of the tile, between global,
    shared, fragment and private memory in both directions. Conversions between
    float types round to nearest even; to 8-bit floats they saturate: what is too
    large, infinity included, becomes the largest finite number. Integers are
    extended with their sign (i1 with zeros) or cut to the low bits. A copy of a
    tile to itself does nothing.

    The copy is synchronous: what follows sees its result. With `signal %bar` it
    is asynchronous: it completes on slot `slot` of the barrier, which must
    expect the bytes; the compiler makes this form. With `signal %channel` it is
    one of the copies that fill slot `slot` of a channel, between
    `tile.acquire` and `tile.commit`, whatever its instruction; who waits for
    the slot sees its result.

    With `async` a `cp_async` copy is not waited for. It belongs to the group
    that `tile.cp_async_commit` ends next and has landed after a
    `tile.cp_async_wait` that waits for that group, or when a
    `tile.barrier_arrive` of `cp_async` after it has arrived. A `tma` copy out of
    shared memory with `async` is a group of its own: it has read its source, or
    arrived, after a `tile.tma_wait`.

    With `multicast %mask` the copy writes the same tile in each block of the
    cluster whose rank is a bit of the mask, and completes on the same slot of the
    same barrier there: every one of these blocks expects the bytes, and has
    initialised the barrier and met the others (`tile.cluster_sync`) before. So
    blocks that read one window load a part of it each, for all. Who reads the
    tile tells the blocks that write it, by `tile.barrier_arrive … at`.

    `instr` is the instruction to use: given by the user it is required, and an
    error explains why it cannot be used; `tile-instruction-annotation` chooses
    otherwise. `prefer` is tried first. `map` is the tensor map of a `tma` copy.
    `vector_width` bounds the elements per access. `eviction` says which lines L2
    gives up first: every load, store or TMA copy of global memory has the policy
    that `createpolicy.fractional` makes for it; `normal` is that of copies
    without `eviction`. It changes no value. cp.async goes without, and a remark
    says so: assemblers for PTX before 9.4 make illegal instructions of it.

    Constraints:
    (C1) `src` and `dst` have the same shape;
    (C2) at least one of them is not in global memory;
    (C3) the element types are equal, or both float, or both integer;
    (C4) `instr` and `prefer` are `simt`, `cp_async` or `tma`;
    (C5) `vector_width` is a power of two from 1 to 16;
    (C6) `signal` of a barrier and `map` only with `instr = #tile.instr<tma>`;
    (C7) `slot` is given when `signal` is, and within the barrier or the channel
         when it is constant;
    (C8) the tile is static and of rank 1 to 5;
    (C9) `instr` and `prefer` are in the table for the two memory spaces;
    (C10) a copy that signals a channel fills a slot of one of its rings;
    (C11) `async` only with `instr = #tile.instr<cp_async>`, and with
          `#tile.instr<tma>` out of shared memory;
    (C12) windows of one tile at constant offsets share all elements or none: the
         order in which elements move is open;
    (C13) `eviction` only where one of the two is in global memory: others do not
         pass L2;
    (C14) `multicast` only with `instr = #tile.instr<tma>` into shared memory, with
         `signal` of a barrier; a constant mask names blocks from 0 to 15.

    | src \ dst | global | shared | fragment | private |
    |---|---|---|---|---|
    | global | – | tma, cp_async, simt | simt | simt |
    | shared | tma, simt | simt | simt | simt |
    | fragment | simt | simt | simt | simt |
    | private | simt | simt | simt | simt |

    Example:
    ```mlir
    tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "what is read">:$src,
    Arg<Tile_Tile, "what is written">:$dst,
    Arg<Optional<Tile_TensorMapType>, "tensor map of the global side">:$map,
    Arg<Optional<Tile_Signal>, "barrier or channel that the copy completes on">:$signal,
    Arg<Optional<Index>, "its slot">:$slot,
    Arg<Optional<I32>, "ranks of the blocks that are written, as bits">:$multicast,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to use">:$instr,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to try first">:$prefer,
    Arg<OptionalAttr<Tile_EvictionAttr>, "L2 policy">:$eviction,
    Arg<OptionalAttr<I64Attr>, "elements per access, at most">:$vector_width,
    Arg<OptionalAttr<UnitAttr>, "whether nobody waits for it here">:$async);
  let assemblyFormat = [{
    $src `to` $dst (`map` $map^)? (`signal` $signal^ `[` $slot `]` `of` type($signal))?
    (`multicast` $multicast^)? attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

def Tile_ArrangeOp : Tile_Op<"arrange", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a tile that has another shape or order";
  let description = [{
    `dst[i] = convert(src[j])` for every index `i` of `dst`, converted as
    `tile.copy` converts, where `j` follows from `i`:

    - dimensions in `broadcast` are left out of `j`, or 0 where `src` has extent 1
      there: `src` is repeated along them;
    - in the dimensions in `reverse` of `dst`, of extent `n`, `i` counts as
      `n - 1 - i`: the order is reversed;
    - with `reshape` `j` is the index with the same place as `i` when both tiles
      are numbered row by row: `linear(j) = linear(i)`, as in `tile.view`.

    A slice is a window: `tile.region` of either side. Reads outside a tensor give
    the pad of the window, writes outside are dropped. A reshape of a whole tile
    in shared memory or registers is a `tile.view` and a `tile.copy`, with all
    instructions of a copy; others are element loops. Where neither side has a
    fitting order it passes a shared tile, which a remark says.

    Constraints:
    (C1) `src` and `dst` are static and of rank 1 to 5;
    (C2) the dimensions in `broadcast` and in `reverse` are dimensions of `dst`,
         ascending, and none is in both;
    (C3) `src` has the shape of `dst` without the dimensions in `broadcast`, or
         with extent 1 there; with `reshape` as many elements, and neither
         `broadcast` nor `reverse`;
    (C4) the element types are equal, or both float, or both integer;
    (C5) at least one of them is not in global memory, and none is private;
    (C6) a fragment is a whole tile, no window;
    (C7) `src` and `dst` are different buffers.

    | src \ dst | global | shared | fragment |
    |---|---|---|---|
    | global | – | yes | yes |
    | shared | yes | yes | yes |
    | fragment | yes | yes | yes |

    Example: a row for every line of a tile, the same from right to left, and a
    tile as a list.
    ```mlir
    tile.arrange %bias to %all broadcast [0] : !tile.region<64xf32>, memref<128x64xf32, #tile.fragment>
    tile.arrange %bias to %flipped broadcast [0] reverse [1] : !tile.region<64xf32>, memref<128x64xf32, #tile.fragment>
    tile.arrange %list to %tile reshape : !tile.region<8192xf32>, memref<128x64xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "what is read">:$src,
    Arg<Tile_Tile, "what is written">:$dst,
    Arg<DefaultValuedAttr<DenseI64ArrayAttr, "{}">,
        "dimensions of dst along which src is repeated">:$broadcast,
    Arg<DefaultValuedAttr<DenseI64ArrayAttr, "{}">,
        "dimensions of dst whose order is reversed">:$reverse,
    Arg<UnitAttr, "the same elements in rows of other lengths">:$reshape);
  let assemblyFormat = [{
    $src `to` $dst (`broadcast` $broadcast^)? (`reverse` $reverse^)?
    (`reshape` $reshape^)? attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_CpAsyncCommitOp : Tile_Op<"cp_async_commit", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "closes a group of asynchronous copies";
  let description = [{
    `cp.async.commit_group`: the copies with `async` that were issued since the
    last group are one group, also when there are none.

    Example:
    ```mlir
    tile.cp_async_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_CpAsyncWaitOp : Tile_Op<"cp_async_wait", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until few groups of asynchronous copies are under way";
  let description = [{
    `cp.async.wait_group`: at most the last `pending` groups that
    `tile.cp_async_commit` closed are still under way. Each thread waits for its
    own part of the copies.

    Constraints:
    (C1) `pending` is from 0 to 2^31 - 1.

    Example:
    ```mlir
    tile.cp_async_wait pending 2
    ```
  }];
  let arguments = (ins Arg<I64Attr, "groups that may be under way">:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
  let hasVerifier = 1;
}

def Tile_TmaWaitOp : Tile_Op<"tma_wait", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until few TMA stores are under way";
  let description = [{
    `cp.async.bulk.wait_group`: the thread that issues the TMA stores of the block,
    or of the `tile.role` around the op, waits until at most the last `pending`
    `async` stores are under way; with `read` only until they have read shared
    memory. A barrier must follow before other threads write there.
    `tile-insert-sync` makes both where a tile is written again, and the wait at
    the end.

    Constraints:
    (C1) `pending` is from 0 to 2^31 - 1.

    Example:
    ```mlir
    tile.tma_wait pending 0 {read}
    ```
  }];
  let arguments = (ins Arg<I64Attr, "stores that may be under way">:$pending,
                       Arg<OptionalAttr<UnitAttr>, "whether reading is enough">:$read);
  let assemblyFormat = "`pending` $pending attr-dict";
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes one value to every element";
  let description = [{
    `dst[i] = value`.

    Constraints:
    (C1) `value` has the element type of `dst`;
    (C2) the tile is static and of rank 0 to 5.

    Example:
    ```mlir
    tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "what is written">:$dst,
                       Arg<AnyType, "one element">:$value);
  let assemblyFormat = "$dst `,` $value attr-dict `:` type($dst) `,` type($value)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

#endif // TILE_MOVE_OPS_TD

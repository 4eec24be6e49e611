//===- TileOps.td - The ops of the tile dialect ---------------------------===//
//
// Order: buffers, data movement, products, kernel and host side, barriers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "allocates a shared tile, a fragment or a private array";
  let description = [{
    The memory space of the result type says what is allocated:
    `#gpu.address_space<workgroup>` one tile per block, `#tile.fragment` one
    tile spread over the registers of the computing threads,
    `#gpu.address_space<private>` one array per thread. Contents are undefined.

    `layout` is given by the user or written by layout inference; the type never
    changes. `alignment` is in bytes. `offset` is the place in the dynamic
    shared memory of the block, in bytes; `tile-pack-shared-memory` writes it.

    Constraints:
    (C1) the memory space is one of the three;
    (C2) the shape is static, of rank 0 to 5 (rank 0 only for private memory),
         without extent 0, and of at most 2^31 - 1 elements;
    (C3) the memref has the identity layout;
    (C4) `alignment` is a power of two and only on shared tiles;
    (C5) `layout` only on shared tiles and fragments, and it can be parsed for
         the shape and element type;
    (C6) a shared layout maps elements to offsets and is injective, a fragment
         layout maps registers to elements and covers the tile;
    (C7) `offset` only on shared tiles, at least 0, a multiple of the alignment
         (without one: of the element size);
    (C8) the element type is f64, f32, f16, bf16, an 8-bit float or a signless
         integer of 1, 8, 16, 32 or 64 bits. i1 is stored in one byte.

    | memory space | lifetime | `layout` | `alignment`, `offset` |
    |---|---|---|---|
    | `#gpu.address_space<workgroup>` | the block | elements to offsets | yes |
    | `#tile.fragment` | the block | registers to elements | no |
    | `#gpu.address_space<private>` | the thread | no | no |

    Example:
    ```mlir
    %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<OptionalAttr<Tile_LayoutAttr>, "placement of the elements">:$layout,
    Arg<OptionalAttr<I64Attr>, "alignment of the first byte">:$alignment,
    Arg<OptionalAttr<I64Attr>, "first byte in dynamic shared memory">:$offset);
  let results = (outs Res<AnyMemRef, "the tile", [MemAlloc]>:$memref);
  let assemblyFormat = "attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

def Tile_RegionOp : Tile_Op<"region", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "window of a buffer";
  let description = [{
    `region[i, j, …] = source[offset0 + i, offset1 + j, …]` for
    `0 <= i < size0`, …. Reads outside the buffer give `pad` (default 0), writes
    outside are dropped. Offsets are any index values, negative ones included.
    Dimensions listed in `dropped` have size 1 and do not appear in the result.

    `align` is a fact: the address of `source` and every stride but the last are
    multiples of that many bytes. `tile-make-variants` writes it where a
    `tile.require` on the host guarantees it.

    Constraints:
    (C1) one offset and one size per dimension of `source`;
    (C2) sizes are at least 1, and the window has at most 2^31 - 1 elements;
    (C3) dropped dimensions are in range, ascending and of size 1, and at least
         one dimension stays;
    (C4) a shared tile, fragment or private array is not left: static offsets
         are at least 0 and offset + size at most the extent;
    (C5) `pad` has the element type of `source`, which is in global memory;
    (C6) `align` is a power of two;
    (C7) every user is a tile op;
    (C8) `source` is in global, shared or private memory or a fragment.

    Example:
    ```mlir
    %a = tile.region %A[%b, %m, 0] [1, 128, 64] drop [0] : memref<?x?x?xbf16>
    ```
    The result is `!tile.region<128x64xbf16>`.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the buffer">:$source,
    Arg<Variadic<Index>, "the offsets that are not constant">:$offsets,
    Arg<Optional<AnyType>, "what reads outside the buffer give">:$pad,
    Arg<DenseI64ArrayAttr, "one per dimension; a marker: in `offsets`">:$static_offsets,
    Arg<DenseI64ArrayAttr, "extents of the window">:$static_sizes,
    Arg<DefaultValuedAttr<DenseI64ArrayAttr, "{}">,
        "dimensions of size 1 that the result lacks">:$dropped,
    Arg<OptionalAttr<I64Attr>, "known alignment in bytes">:$align);
  let results = (outs Res<Tile_RegionType, "the window">:$region);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets)
    $static_sizes (`drop` $dropped^)? (`pad` $pad^ `:` type($pad) `in`)?
    attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cInfer = 1;
}

def Tile_StorageOp : Tile_Op<"storage", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "the linear storage behind a tile";
  let description = [{
    `storage[o]` is the element at offset `o` of the layout of a shared tile
    (the same for the whole block), or register `o` of the executing thread of a
    fragment (in private memory). Lowering uses it; it needs a known layout.

    Constraints:
    (C1) `tile` is the result of a `tile.alloc` with a layout.

    Example:
    ```mlir
    %s = tile.storage %As : memref<128x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "a tile with a layout">:$tile);
  let results = (outs Res<AnyMemRef, "its storage, of rank 1">:$storage);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
  let cInfer = 1;
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

def Tile_CopyOp : Tile_Op<"copy", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a tile";
  let description = [{
    `dst[i] = convert(src[i])` for every index `i` of the tile, between global,
    shared, fragment and private memory in both directions. Conversions between
    float types round to nearest even; integers are extended with their sign (i1
    with zeros) or cut to the low bits. A copy of a tile to itself does nothing.

    The copy is synchronous: what follows sees its result. With `signal %bar` it
    is asynchronous: it completes on slot `slot` of the barrier, which must
    expect the bytes; the compiler makes this form.

    `instr` is the instruction to use: given by the user it is required, and an
    error explains why it cannot be used; `tile-instruction-annotation` chooses
    otherwise. `prefer` is tried first. `map` is the tensor map of a `tma` copy.
    `vector_width` bounds the elements per access, `eviction` is the L2 policy.

    Constraints:
    (C1) `src` and `dst` have the same shape;
    (C2) at least one of them is not in global memory;
    (C3) the element types are equal, or both float, or both integer;
    (C4) `instr` and `prefer` are `simt`, `cp_async` or `tma`;
    (C5) `vector_width` is a power of two from 1 to 16;
    (C6) `signal` and `map` only with `instr = #tile.instr<tma>`;
    (C7) `slot` is given when `signal` is, and within the barrier when it is
         constant;
    (C8) the tile is static and of rank 1 to 5;
    (C9) `instr` and `prefer` are in the table for the two memory spaces.

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
    Arg<Optional<Tile_BarrierType>, "barrier that the copy completes on">:$signal,
    Arg<Optional<Index>, "slot of that barrier">:$slot,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to use">:$instr,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to try first">:$prefer,
    Arg<OptionalAttr<Tile_EvictionAttr>, "L2 policy">:$eviction,
    Arg<OptionalAttr<I64Attr>, "elements per access, at most">:$vector_width);
  let assemblyFormat = [{
    $src `to` $dst (`map` $map^)? (`signal` $signal^ `[` $slot `]` `of` type($signal))?
    attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Tile_GemmOp : Tile_Op<"gemm", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix product with accumulation";
  let description = [{
    `C = (clear ? 0 : C) + op(A) · op(B)` with op(A) of shape M x K, op(B) of
    shape K x N and C of shape M x N. `transpose_a` says that A is stored K x M,
    `transpose_b` that B is stored N x K.

    `policy` says how the warps share C: `square` balances rows and columns,
    `full_row` gives every warp all columns, `full_col` all rows.

    Constraints:
    (C1) A, B and C are static and have rank 2;
    (C2) the K extents of op(A) and op(B) agree;
    (C3) C has the rows of op(A) and the columns of op(B);
    (C4) A is shared or a fragment, B is shared or a fragment, C is a fragment;
    (C5) the element types are a row of the table;
    (C6) `instr` is `mma` or `wgmma`;
    (C7) f32 operands need `precision = "tf32"`, which needs f32 operands.

    | A | B | C |
    |---|---|---|
    | f16 | f16 | f32, f16 |
    | bf16 | bf16 | f32 |
    | f32 as tf32 | f32 as tf32 | f32 |
    | f8E4M3FN, f8E5M2 | f8E4M3FN, f8E5M2 | f32, f16 |
    | i8 | i8 | i32 |

    Example:
    ```mlir
    tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "left factor">:$a,
    Arg<Tile_Tile, "right factor">:$b,
    Arg<Tile_Tile, "accumulator">:$c,
    Arg<Optional<I1>, "whether C is overwritten">:$clear,
    Arg<UnitAttr, "A is stored K x M">:$transpose_a,
    Arg<UnitAttr, "B is stored N x K">:$transpose_b,
    Arg<OptionalAttr<StrAttr>, "\"tf32\": f32 factors lose 13 bits">:$precision,
    Arg<DefaultValuedAttr<Tile_WarpPolicyAttr, "::tile::WarpPolicy::Square">,
        "how the warps share C">:$policy,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to use">:$instr);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`clear` $clear^)? attr-dict
    `:` `(` type($a) `,` type($b) `,` type($c) `)`
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

//===----------------------------------------------------------------------===//
// Kernel and host side
//===----------------------------------------------------------------------===//

def Tile_BlockSwizzleOp : Tile_Op<"block_swizzle", [Pure]> {
  let summary = "rasterised block ids";
  let description = [{
    Renumbers the blocks of a `grid_x` x `grid_y` grid so that blocks that run
    at the same time share operands. With linear id `l = y · grid_x + x` the
    grid is cut in panels of `panel` rows (`raster = row`) or columns
    (`raster = column`); blocks are numbered along the short side of a panel
    first. With `serpentine` every second panel runs backwards. A last panel
    may be smaller. The map is a bijection of the grid.

    Constraints:
    (C1) `panel` is at least 1.

    Example:
    ```mlir
    %i, %j = tile.block_swizzle %bx, %by of %gx, %gy {panel = 8 : i64}
    ```
  }];
  let arguments = (ins
    Arg<Index, "block id, column">:$x, Arg<Index, "block id, row">:$y,
    Arg<Index, "columns of the grid">:$grid_x,
    Arg<Index, "rows of the grid">:$grid_y,
    Arg<DefaultValuedAttr<I64Attr, "8">, "short side of a panel">:$panel,
    Arg<DefaultValuedAttr<Tile_RasterAttr, "::tile::Raster::Row">,
        "whether panels are rows or columns">:$raster,
    Arg<UnitAttr, "every second panel runs backwards">:$serpentine);
  let results = (outs Res<Index, "new column">:$new_x,
                      Res<Index, "new row">:$new_y);
  let assemblyFormat = "$x `,` $y `of` $grid_x `,` $grid_y attr-dict";
  let hasVerifier = 1;
}

def Tile_KernelConfigOp : Tile_Op<"kernel_config"> {
  let summary = "options of the kernel whose body holds it";
  let description = [{
    `min_blocks`: blocks that must fit on one multiprocessor. `registers`: upper
    bound per thread. `specialize`, `persist`: whether the kernel may be split
    into roles, whether its blocks may loop over tiles. Outlining drops the
    attributes of a launch, so they sit on this op.

    Constraints:
    (C1) directly inside a `gpu.launch`, `gpu.func` or `func.func`, at most once;
    (C2) `min_blocks` is from 1 to 32;
    (C3) `registers` is from 24 to 255.

    Example:
    ```mlir
    tile.kernel_config {min_blocks = 2 : i64}
    ```
  }];
  let arguments = (ins
    Arg<OptionalAttr<I64Attr>, "blocks per multiprocessor">:$min_blocks,
    Arg<OptionalAttr<I64Attr>, "bound on registers per thread">:$registers,
    Arg<OptionalAttr<Tile_SpecializeAttr>, "split into roles">:$specialize,
    Arg<OptionalAttr<BoolAttr>, "blocks loop over tiles">:$persist);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_TensorMapOp : Tile_Op<"tensor_map", [Pure]> {
  let summary = "a TMA tensor map of a tensor";
  let description = [{
    Describes `tensor` to the TMA unit: boxes of `box` elements (memref order,
    one extent per dimension), placed in shared memory with a swizzle of
    `swizzle` bytes. It is made on the host and captured by the launch.

    Constraints:
    (C1) `tensor` is in global memory, of rank 1 to 5, with last stride 1;
    (C2) one box extent per dimension, each from 1 to 256;
    (C3) `swizzle` is 0, 32, 64 or 128;
    (C4) the innermost box row is a multiple of 16 bytes, and at most `swizzle`
         bytes unless that is 0;
    (C5) constant strides but the last are multiples of 16 bytes;
    (C6) not inside a kernel.

    Example:
    ```mlir
    %t = tile.tensor_map %A box [128, 64] swizzle 128 : memref<?x?xbf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the tensor">:$tensor,
    Arg<DenseI64ArrayAttr, "extents of a box, in elements">:$box,
    Arg<DefaultValuedAttr<I64Attr, "0">, "swizzle span in bytes">:$swizzle);
  let results = (outs Res<Tile_TensorMapType, "the tensor map">:$map);
  let assemblyFormat = [{
    $tensor `box` $box (`swizzle` $swizzle^)? attr-dict `:` type($tensor)
  }];
  let hasVerifier = 1;
}

def Tile_RequireOp : Tile_Op<"require"> {
  let summary = "a condition that a launch needs";
  let description = [{
    On the host, outside a launch. Directly in the function: the call fails with
    `text` when the condition is false. Inside a region of `tile.variants`: the
    variant is passed over.

    Constraints:
    (C1) not inside a kernel;
    (C2) `text` is not empty.

    Example:
    ```mlir
    tile.require %aligned, "rows of A start at multiples of 16 bytes"
    ```
  }];
  let arguments = (ins Arg<I1, "what must hold">:$condition,
                       Arg<StrAttr, "the message when it does not">:$text);
  let assemblyFormat = "$condition `,` $text attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_VariantsOp : Tile_Op<"variants", [NoTerminator, NoRegionArguments]> {
  let summary = "variants of a launch, tried in order";
  let description = [{
    Each region holds host code, `tile.require` ops and one launch. The first
    region whose requirements hold runs; the others have no effect.

    Constraints:
    (C1) at least one region, each of one block;
    (C2) each region holds exactly one `gpu.launch` or `gpu.launch_func`, not
         nested in another op;
    (C3) not inside a kernel.

    Example:
    ```mlir
    tile.variants {
      tile.require %aligned, "rows of A start at multiples of 16 bytes"
      gpu.launch …
    }, {
      gpu.launch …
    }
    ```
  }];
  let regions = (region VariadicRegion<SizedRegion<1>>:$variants);
  let assemblyFormat = "attr-dict-with-keyword $variants";
  let hasRegionVerifier = 1;
}

def Tile_AddressOp : Tile_Op<"address", [Pure]> {
  let summary = "address of the first element of a tensor, on the host";
  let description = [{
    In bytes, the offset of the memref included. Variants compare it with the
    alignment that their instructions need.

    Constraints:
    (C1) `tensor` is in global memory;
    (C2) not inside a kernel.

    Example:
    ```mlir
    %p = tile.address %A : memref<?x?xbf16>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "the tensor">:$tensor);
  let results = (outs Res<Index, "its address in bytes">:$address);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Tile_NumSmsOp : Tile_Op<"num_sms", [Pure]> {
  let summary = "number of multiprocessors of the device, on the host";
  let description = [{
    Sizes the grid of a kernel whose blocks loop over tiles. The launcher
    evaluates it for the device that the kernel runs on.

    Constraints:
    (C1) not inside a kernel.

    Example:
    ```mlir
    %sms = tile.num_sms
    ```
  }];
  let results = (outs Res<Index, "multiprocessors, at least 1">:$count);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def Tile_BarrierAllocOp : Tile_Op<"barrier_alloc"> {
  let summary = "allocates a row of mbarriers in shared memory";
  let description = [{
    Eight bytes per slot. `offset` is the place in dynamic shared memory.

    Constraints:
    (C1) the type has at least one slot;
    (C2) `offset` is a multiple of 8, at least 0.

    Example:
    ```mlir
    %full = tile.barrier_alloc : !tile.barrier<3>
    ```
  }];
  let arguments = (ins
    Arg<OptionalAttr<I64Attr>, "first byte in dynamic shared memory">:$offset);
  let results = (outs Res<Tile_BarrierType, "the barrier", [MemAlloc]>:$barrier);
  let assemblyFormat = "attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

def Tile_BarrierInitOp : Tile_Op<"barrier_init", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "initialises every slot of a barrier";
  let description = [{
    One thread of the block initialises all slots to expect `arrivals` arrivals
    per phase and makes that visible to the asynchronous proxy. A
    `tile.barrier_sync` must follow before another thread uses the barrier.

    Constraints:
    (C1) `arrivals` is from 1 to 2^20 - 1.

    Example:
    ```mlir
    tile.barrier_init %full arrivals 1 : !tile.barrier<3>
    ```
  }];
  let arguments = (ins Arg<Tile_BarrierType, "the barrier">:$barrier,
                       Arg<I64Attr, "arrivals per phase">:$arrivals);
  let assemblyFormat = "$barrier `arrivals` $arrivals attr-dict `:` qualified(type($barrier))";
  let hasVerifier = 1;
}

class Tile_BarrierSlotOp<string mnemonic>
    : Tile_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}

def Tile_BarrierArriveOp : Tile_BarrierSlotOp<"barrier_arrive"> {
  let summary = "one arrival per executing thread";
  let description = [{
    `mbarrier.arrive` on a slot. The phase of the slot completes when as many
    arrivals as `tile.barrier_init` said, and all expected bytes, have come.

    Constraints:
    (C1) a constant slot is within the barrier.

    Example:
    ```mlir
    tile.barrier_arrive %empty[%slot] : !tile.barrier<3>
    ```
  }];
  let arguments = (ins Arg<Tile_BarrierType, "the barrier">:$barrier,
                       Arg<Index, "its slot">:$slot);
  let assemblyFormat = "$barrier `[` $slot `]` attr-dict `:` qualified(type($barrier))";
}

def Tile_BarrierExpectOp : Tile_BarrierSlotOp<"barrier_expect"> {
  let summary = "one thread arrives and adds expected bytes";
  let description = [{
    One elected thread performs `mbarrier.arrive.expect_tx`: one arrival, and the
    phase also waits for `bytes` bytes of asynchronous copies.

    Constraints:
    (C1) a constant slot is within the barrier;
    (C2) `bytes` is from 1 to 2^20 - 1.

    Example:
    ```mlir
    tile.barrier_expect %full[%slot] bytes 16384 : !tile.barrier<3>
    ```
  }];
  let arguments = (ins Arg<Tile_BarrierType, "the barrier">:$barrier,
                       Arg<Index, "its slot">:$slot,
                       Arg<I64Attr, "bytes of the phase">:$bytes);
  let assemblyFormat = "$barrier `[` $slot `]` `bytes` $bytes attr-dict `:` qualified(type($barrier))";
}

def Tile_BarrierWaitOp : Tile_BarrierSlotOp<"barrier_wait"> {
  let summary = "waits until the phase of a parity has completed";
  let description = [{
    Every executing thread waits until the phase of parity `parity` (0 for the
    first phase) of the slot is complete.

    Constraints:
    (C1) a constant slot is within the barrier;
    (C2) a constant parity is 0 or 1.

    Example:
    ```mlir
    tile.barrier_wait %full[%slot] parity %p : !tile.barrier<3>
    ```
  }];
  let arguments = (ins Arg<Tile_BarrierType, "the barrier">:$barrier,
                       Arg<Index, "its slot">:$slot,
                       Arg<I32, "parity of the phase">:$parity);
  let assemblyFormat = "$barrier `[` $slot `]` `parity` $parity attr-dict `:` qualified(type($barrier))";
}

def Tile_BarrierSyncOp : Tile_Op<"barrier_sync", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier of all threads, or of some";
  let description = [{
    `bar.sync`: without attributes, of all threads of the block. With `id` and
    `threads`, of the first `threads` threads that arrive at barrier `id`.
    Barrier 0 is also the one of all threads.

    Constraints:
    (C1) `id` is from 0 to 15;
    (C2) `threads` is a positive multiple of 32, at most 1024;
    (C3) `id` and `threads` are given together.

    Example:
    ```mlir
    tile.barrier_sync {id = 1 : i64, threads = 128 : i64}
    ```
  }];
  let arguments = (ins
    Arg<OptionalAttr<I64Attr>, "number of the barrier">:$id,
    Arg<OptionalAttr<I64Attr>, "threads that take part">:$threads);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_FenceProxyOp : Tile_Op<"fence_proxy", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders generic accesses before asynchronous ones";
  let description = [{
    `fence.proxy.async`: shared memory that the executing threads wrote becomes
    visible to TMA and wgmma once they have also synchronised.

    Example:
    ```mlir
    tile.fence_proxy
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TILE_OPS_TD

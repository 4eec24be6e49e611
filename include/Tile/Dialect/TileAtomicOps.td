//===- TileAtomicOps.td - What blocks tell each other: atomics, fences ----===//
#ifndef TILE_ATOMIC_OPS_TD
#define TILE_ATOMIC_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic update does", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"And", 3, "and">,
    I32EnumAttrCase<"Or", 4, "or">, I32EnumAttrCase<"Xor", 5, "xor">,
    I32EnumAttrCase<"Exchange", 6, "exchange">,
    I32EnumAttrCase<"Inc", 7, "inc">]>;
def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic_kind">;

def Tile_Order : Tile_Enum<"Order", "what an access orders", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">,
    I32EnumAttrCase<"SeqCst", 4, "seq_cst">]>;
def Tile_OrderAttr : EnumAttr<Tile_Dialect, Tile_Order, "order"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Scope : Tile_Enum<"Scope", "who sees an order", [
    I32EnumAttrCase<"Gpu", 0, "gpu">, I32EnumAttrCase<"System", 1, "system">]>;
def Tile_ScopeAttr : EnumAttr<Tile_Dialect, Tile_Scope, "scope"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_AtomicOp : Tile_Op<"atomic", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines a tile with memory, atomically";
  let description = [{
    `dst[i] = f(dst[i], convert(src[i]))` for every index `i`, each element in
    one atomic step; a `src` that is no tile is the same value for all elements.
    It happens once per element and block, however many threads hold a copy.
    What lies outside the tensor is dropped. With `old` the elements before the
    update are kept: `old[i]` is the `dst[i]` that `f` took, or 0 where `i` lies
    outside the tensor. No other update of the element comes between, so the
    values that all blocks get for one counter are a run without gaps. `f` is

    | kind | f | element of dst |
    |---|---|---|
    | `add` | x + y | f16, bf16, f32, f64, i8, i16, i32, i64 |
    | `max`, `min` | the greater, the smaller | f16, bf16, f32, f64, i8, i16, i32, i64 |
    | `and`, `or`, `xor` | bitwise | i1, i8, i16, i32, i64 |
    | `inc` | 0 where x ≥ y, unsigned, else x + 1 | i32 |
    | `exchange` | y | f16, bf16, f32, f64, i1, i8, i16, i32, i64 |
    | `exchange` with `if` | y where x = `compare`, else x | the same |

    The conversion is that of `tile.copy`. Integers are signed but for `inc`,
    sums wrap; a NaN gives NaN, +0 is greater than -0. `exchange` without `old` and `if` is an
    atomic store; with `if` it is a compare-and-swap, which compares bits.

    `order` says what the update orders of the other accesses of the block, or of
    the role, in the order in which the ops stand:

    | order | accesses before it | accesses after it |
    |---|---|---|
    | `relaxed`, or nothing | | |
    | `release` | happen before the update | |
    | `acquire` | | happen after the update |
    | `acq_rel` | happen before it | happen after it |
    | `seq_cst` | as `acq_rel`, and all such ops happen in one order that every thread sees | |

    A block that acquires and gets a value which a release wrote, or an update
    after it, sees all that happened before the release. `scope` says to whom
    that holds: `gpu` to the blocks of this launch, `system` to other launches
    and devices and the host as well. So with `gpu` reads of tensors that the
    kernel nowhere writes are not ordered, and a pipeline goes on loading them.
    Threads meet before a release and after an acquire; TMA stores are waited
    for, and what threads wrote that TMA reads is fenced.

    Without an order other blocks see each update whole (PTX `.relaxed.gpu`).
    The order in which the updates of one element happen is free, so float sums
    may differ in the last bits from run to run. Two updates of the same memory
    need no barrier between them; any other access does, inside the block.

    The hardware updates words of 32 bits. Elements of 8 and 16 bits that fill
    one are updated together, others alone by a compare-and-swap, or for bits a
    `red`, of the aligned word that holds them. Its other bytes keep their values
    and may be read and written by anybody at the same time; they may lie after
    the last element, so allocations have to start and end at multiples of 4
    bytes, as those of the driver do.

    With `tma` one thread hands the whole tile to the tensor memory accelerator:
    `add` of f16, bf16, f32 and integers, the other kinds of integers. It waits
    until the tensor is updated. `tile-instruction-annotation` chooses it where it
    is legal; `map` is the tensor map, made with the layout of `src`.

    Constraints:
    (C1) `dst` is static and of rank 1 to 5, in global or shared memory;
    (C2) `src` is a scalar of the element type of `dst`, or a whole fragment or
         a shared tile of the shape of `dst`;
    (C3) the element type of `dst` is in the row of the kind;
    (C4) the element types are two floats of at least 16 bits or two integers;
    (C5) `instr` is `simt` or `tma`; `tma` takes shared to global;
    (C6) `map` only with `instr = #tile.instr<tma>`;
    (C7) `old` has the shape and the element type of `dst`, is a whole fragment
         or a shared tile, and other memory than `dst`;
    (C8) `old`, `if`, `exchange`, `inc` and an `order` only without
         `instr = #tile.instr<tma>`, which has none of them;
    (C9) `if` only with `exchange`, of a value of the element type of `dst`;
    (C10) `scope` only with an `order` other than `relaxed`.

    `old` may be `src`. A fragment gets the layout of `src`, or passes a scratch
    tile where that has copies of elements in several threads.

    Example: a sum, a ticket, a lock that is tried once, and given back.
    ```mlir
    tile.atomic add %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    tile.atomic add %one to %counter old %ticket : i32, memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>>
    tile.atomic exchange %one to %lock old %was if %zero {order = #tile.order<acquire>} : i32, memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>> if i32
    tile.atomic exchange %zero to %lock {order = #tile.order<release>} : i32, memref<1xi32>
    ```
  }];
  let arguments = (ins
    Arg<Tile_AtomicKindAttr, "the update">:$kind,
    Arg<AnyType, "a tile or a scalar">:$src,
    Arg<Tile_Tile, "what is updated">:$dst,
    Arg<Optional<Tile_Tile>, "the elements before the update">:$old,
    Arg<Optional<AnyType>, "the element that is exchanged">:$compare,
    Arg<Optional<Tile_TensorMapType>, "tensor map of dst">:$map,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to use">:$instr,
    Arg<OptionalAttr<Tile_OrderAttr>, "what it orders">:$order,
    Arg<OptionalAttr<Tile_ScopeAttr>, "who sees the order">:$scope);
  let assemblyFormat = [{
    `` $kind $src `to` $dst (`old` $old^)? (`if` $compare^)? (`map` $map^)?
    attr-dict `:` type($src) `,` type($dst) (`,` type($old)^)?
    (`if` type($compare)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

def Tile_NextTileOp : Tile_Op<"next_tile", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "takes the next of the tiles that the blocks of a launch share";
  let description = [{
    With c the `counter`, n the number of `tiles` and b that of the blocks of the
    launch, in one atomic step for the block:

    `tile = c; more = c < n; c = c < n + b - 1 ? c + 1 : 0`

    So each number below n is the `tile` of one block, and blocks that are slow
    take fewer. A block goes on until `more` does not hold, and takes no tile
    after that. All blocks together then take n + b numbers, and the last one
    sets the counter back: zeros are a good beginning, and the same counter
    serves any number of launches, one after the other. A launch that does not
    end as it should leaves a counter that is not 0.

    The numbers order nothing else that blocks do (`tile.atomic` has orders).
    Where a loop over a tile has roles, the producer takes the number and a ring
    hands it on, as it does for what `tile.atomic … old` finds; the proof follows
    it ([Tickets](../Rationale/Tickets.md)).

    Constraints:
    (C1) `counter` is one element of i32, static and of rank 1 to 5, in global
         memory;
    (C2) all ops of a kernel with the same counter have the same `tiles`, one
         value for all blocks, with n + b at most 2^31;
    (C3) the op is outside the body of a `tile.parallel`.

    | counter | PTX |
    |---|---|
    | i32 | `atom.relaxed.gpu.inc`, of one thread |

    Example: a persistent loop over tiles that take differently long.
    ```mlir
    scf.while : () -> index {
      %t, %more = tile.next_tile %counter of %tiles : memref<1xi32>
      scf.condition(%more) %t : index
    } do {
    ^bb0(%tile: index):
      scf.yield
    }
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "numbers that were taken">:$counter,
    Arg<Index, "how many tiles there are">:$tiles);
  let results = (outs
    Res<Index, "the number of the tile">:$tile,
    Res<I1, "whether there is such a tile">:$more);
  let assemblyFormat = "$counter `of` $tiles attr-dict `:` type($counter)";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_AtomicLoadOp : Tile_Op<"atomic_load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads what others update";
  let description = [{
    `dst[i] = src[i]`, each element in one atomic step, or 0 where `i` lies
    outside the tensor. The value is read anew each time, so a loop that waits
    for another block ends. One thread reads an element for the block.

    `order` and `scope` are those of `tile.atomic`: `acquire`, or `seq_cst`.

    Constraints:
    (C1) `src` is static and of rank 1 to 5, in global or shared memory;
    (C2) `dst` is a shared tile of the shape and element type of `src`, and other
         memory;
    (C3) the elements are i1, i8, i16, i32, i64, f16, bf16, f32 or f64;
    (C4) `order` is `relaxed`, `acquire` or `seq_cst`;
    (C5) `scope` only with an `order` other than `relaxed`.

    | src | dst |
    |---|---|
    | global, shared | shared, the same element type |

    Example: what another block wrote before it set the flag is there when the
    loop ends.
    ```mlir
    scf.while : () -> () {
      tile.atomic_load %flag to %seen {order = #tile.order<acquire>} : memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>>
      %v = memref.load %seen[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %wait = arith.cmpi eq, %v, %zero : i32
      scf.condition(%wait)
    } do {
      scf.yield
    }
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "what is read">:$src,
    Arg<Tile_Tile, "where it goes">:$dst,
    Arg<OptionalAttr<Tile_OrderAttr>, "what it orders">:$order,
    Arg<OptionalAttr<Tile_ScopeAttr>, "who sees the order">:$scope);
  let assemblyFormat = [{
    $src `to` $dst attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_FenceOp : Tile_Op<"fence", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "orders the accesses of a block, as others see them";
  let description = [{
    Accesses of the block, or of the role, that stand before the fence happen
    before those after it, for whoever is in `scope`: `gpu` when it is left out.
    With relaxed updates around it, the fence makes of those before it acquires
    and of those after it releases, as far as `order` says so:

    | order | accesses before it | accesses after it |
    |---|---|---|
    | `acquire` | updates and atomic loads | all |
    | `release` | all | updates |
    | `acq_rel` | all | all |
    | `seq_cst` | all; such fences happen in one order that every thread sees | all |

    Threads meet before a release and after an acquire, as for `tile.atomic`.

    Constraints:
    (C1) `order` is not `relaxed`.

    | order | PTX |
    |---|---|
    | `acquire`, `release`, `acq_rel` | `fence.acq_rel` |
    | `seq_cst` | `fence.sc` |

    Example:
    ```mlir
    tile.fence {order = #tile.order<release>}
    ```
  }];
  let arguments = (ins
    Arg<Tile_OrderAttr, "what it orders">:$order,
    Arg<OptionalAttr<Tile_ScopeAttr>, "who sees the order">:$scope);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

#endif // TILE_ATOMIC_OPS_TD

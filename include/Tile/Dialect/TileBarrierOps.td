//===- TileBarrierOps.td - Hand-written barriers --------------------------===//
#ifndef TILE_BARRIER_OPS_TD
#define TILE_BARRIER_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

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
    per phase and makes that visible to the asynchronous proxy. The others use
    the barrier after a `tile.barrier_sync`, which `tile-insert-sync` puts before
    the first use.

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

def Tile_Arrival : Tile_Enum<"Arrival", "who arrives on an mbarrier", [
    I32EnumAttrCase<"Threads", 0, "threads">, I32EnumAttrCase<"Warps", 1, "warps">,
    I32EnumAttrCase<"Leader", 2, "leader">, I32EnumAttrCase<"CpAsync", 3, "cp_async">]>;
def Tile_ArrivalAttr : EnumAttr<Tile_Dialect, Tile_Arrival, "arrival"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_BarrierArriveOp : Tile_BarrierSlotOp<"barrier_arrive"> {
  let summary = "arrivals of the executing threads";
  let description = [{
    `mbarrier.arrive` on a slot. The phase of the slot completes when as many
    arrivals as `tile.barrier_init` said, and all expected bytes, have come.

    Who arrives is said by `by`; the threads are those of the block, or of the
    `tile.role` around the op:

    | `by` | arrivals |
    |---|---|
    | `threads`, or nothing | one of each thread |
    | `warps` | one of each warp, after its threads have met |
    | `leader` | one of one thread, the one that `tile.barrier_expect` and TMA copies use |
    | `cp_async` | one of each thread, made when all `cp.async` that it issued before have landed (`cp.async.mbarrier.arrive.noinc`) |

    With `at %rank` they are arrivals at the same barrier of another block of the
    cluster. They order what the threads have done before for who waits there.

    Constraints:
    (C1) a constant slot is within the barrier;
    (C2) `rank` is not given with `by` cp_async.

    Example:
    ```mlir
    tile.barrier_arrive %empty[%slot] : !tile.barrier<3>
    ```
  }];
  let arguments = (ins Arg<Tile_BarrierType, "the barrier">:$barrier,
                       Arg<Index, "its slot">:$slot,
                       Arg<Optional<Index>, "of the block in its cluster; none: this one">:$rank,
                       Arg<OptionalAttr<Tile_ArrivalAttr>, "who arrives">:$by);
  let assemblyFormat = "$barrier `[` $slot `]` (`at` $rank^)? (`by` $by^)? attr-dict `:` qualified(type($barrier))";
}

def Tile_BarrierExpectOp : Tile_BarrierSlotOp<"barrier_expect"> {
  let summary = "one thread arrives and adds expected bytes";
  let description = [{
    One elected thread performs `mbarrier.arrive.expect_tx`: one arrival, and the
    phase also waits for `bytes` bytes of asynchronous copies. With `no_arrival`
    it only adds the bytes (`mbarrier.expect_tx`).

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
                       Arg<I64Attr, "bytes of the phase">:$bytes,
                       Arg<OptionalAttr<UnitAttr>, "whether the arrival is left out">:$no_arrival);
  let assemblyFormat = "$barrier `[` $slot `]` `bytes` $bytes attr-dict `:` qualified(type($barrier))";
}

def Tile_BarrierWaitOp : Tile_BarrierSlotOp<"barrier_wait"> {
  let summary = "waits until the phase of a parity has completed";
  let description = [{
    Every executing thread waits until the phase of parity `parity` (0 for the
    first phase) of the slot is complete; with `leader` the thread that arrives
    `by leader` does, and nobody else.

    A parity tells a phase from the next one only. So a thread may wait when the
    barrier cannot complete two phases without it: because it arrives there
    itself, or on the barrier that the others wait for.

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
                       Arg<I32, "parity of the phase">:$parity,
                       Arg<UnitAttr, "whether one thread waits">:$leader);
  let assemblyFormat = "$barrier `[` $slot `]` `parity` $parity attr-dict `:` qualified(type($barrier))";
}

def Tile_BarrierSyncOp : Tile_Op<"barrier_sync", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "barrier of all threads, or of some";
  let description = [{
    `bar.sync`: without attributes, of all threads of the block, or of the
    `tile.role` around it: `tile-lower-roles` gives each role an `id` that the
    kernel does not use. With `id` and `threads`, of the first `threads` threads that arrive at barrier `id`.
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
    `fence.proxy.async.shared::cta`: shared memory that the executing threads
    wrote becomes visible to TMA and wgmma once they have also synchronised.
    With `global`, `fence.proxy.async`: so do tensors that they wrote. That one
    waits for every store of the thread to reach the L2 cache.

    Example:
    ```mlir
    tile.fence_proxy
    ```
  }];
  let arguments = (ins
    Arg<UnitAttr, "whether tensors are ordered, too">:$global);
  let assemblyFormat = "attr-dict";
}

#endif // TILE_BARRIER_OPS_TD

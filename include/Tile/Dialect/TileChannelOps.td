//===- TileChannelOps.td - Rings that one role fills and another reads ----===//
#ifndef TILE_CHANNEL_OPS_TD
#define TILE_CHANNEL_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_ChannelOp : Tile_Op<"channel"> {
  let summary = "couples rings with a full and an empty barrier per slot";
  let description = [{
    A ring is a shared tile with a leading stage dimension; slot `s` of it is
    `tile.region %ring[%s, 0, 0] [1, …, …] drop [0]`. A channel couples the
    slots `s` of its rings: one role fills them together, another role reads
    them. The filling role executes, for every fill,

        tile.acquire   waits until the slot is empty
        tile.copy …    with `signal` of the channel, or any other write
        tile.commit    the arrivals of all agents that fill the slot

    and each reading role

        tile.wait      waits until the slot is full
        …              reads the slot
        tile.release   the slot may be filled again

    Both take a *position*: slot and parity, which start at (0, 0) on both
    sides and move on with `tile.advance`. Round `r` of both sides has the same
    position: slot `r mod depth`, parity `(r / depth) mod 2`. Nothing else
    couples the sides: skipping a round on both is no round at all.

    The agents are those that arrive on a slot, per round:

    | attribute | arrives on | with |
    |---|---|---|
    | `tma` | full | one arrival of one thread; the bytes of each copy are expected beside it |
    | `cp_async_threads` | full | one `cp.async.mbarrier.arrive.noinc` of so many threads |
    | `simt_threads` | full | one arrival of so many threads, after a proxy fence where matrix ops or TMA read the slot |
    | `consumer_warps` | empty | one arrival of one thread of so many warps |

    A slot is full when all agents have arrived and all expected bytes have
    come; it is empty at first and after `consumer_warps` arrivals.

    Constraints:
    (C1) `depth` is from 1 to 64;
    (C2) at least one ring; each is in shared memory, of rank 2 to 5, its first
         extent is `depth`, and no two are the same;
    (C3) `cp_async_threads` and `simt_threads` are multiples of 32 from 0 to
         1024; 0 says that there are none, as leaving them out does;
    (C4) `consumer_warps` is from 0 to 32.

    Example:
    ```mlir
    %ch = tile.channel(%As, %Bs) depth 4 {tma, consumer_warps = 8 : i64} : memref<4x128x64xbf16, #gpu.address_space<workgroup>>, memref<4x64x128xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Variadic<AnyMemRef>, "shared tiles, the stage first">:$rings,
    Arg<I64Attr, "slots of each ring">:$depth,
    Arg<OptionalAttr<UnitAttr>, "whether TMA fills a part">:$tma,
    Arg<OptionalAttr<I64Attr>, "threads that fill a part by cp.async">:$cp_async_threads,
    Arg<OptionalAttr<I64Attr>, "threads that fill a part by stores">:$simt_threads,
    Arg<OptionalAttr<I64Attr>, "warps that release a slot">:$consumer_warps);
  let results = (outs Res<Tile_ChannelType, "the channel", [MemAlloc]>:$channel);
  let assemblyFormat = "`(` $rings `)` `depth` $depth attr-dict `:` type($rings)";
  let hasVerifier = 1;
}

class Tile_PositionOp<string mnemonic>
    : Tile_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Arg<Tile_ChannelType, "the channel">:$channel,
                       Arg<I32, "slot of the position">:$slot,
                       Arg<I32, "parity of the position">:$parity);
  let assemblyFormat = "$channel `[` $slot `,` $parity `]` attr-dict";
  let hasVerifier = 1;
}

def Tile_AcquireOp : Tile_PositionOp<"acquire"> {
  let summary = "the filling role waits until a slot is empty";
  let description = [{
    In round `r` waits until the readers have released the slot of round
    `r - depth`; the first `depth` rounds pass at once. The position is that of
    round `r`: waiting for the opposite parity of the empty barrier is left to
    the lowering.

    Constraints:
    (C1) inside a `tile.role`;
    (C2) a constant slot is a slot of the channel, a constant parity is 0 or 1.

    Example:
    ```mlir
    tile.acquire %ch[%slot, %parity]
    ```
  }];
}

def Tile_CommitOp : Tile_PositionOp<"commit"> {
  let summary = "the filling role has issued all that fills a slot";
  let description = [{
    Makes the arrivals of all agents of the channel, whatever path led here:
    copies that were skipped by a guard leave nothing to wait for. Asynchronous
    copies may still be under way; the slot is full when they have landed.

    Constraints:
    (C1) inside a `tile.role`;
    (C2) a constant slot is a slot of the channel, a constant parity is 0 or 1.

    Example:
    ```mlir
    tile.commit %ch[%slot, %parity]
    ```
  }];
}

def Tile_WaitOp : Tile_PositionOp<"wait"> {
  let summary = "a reading role waits until a slot is full";
  let description = [{
    Waits for the fill of the round of the position. Waiting for a slot again
    that is held already does nothing.

    Constraints:
    (C1) inside a `tile.role`;
    (C2) a constant slot is a slot of the channel, a constant parity is 0 or 1.

    Example:
    ```mlir
    tile.wait %ch[%slot, %parity]
    ```
  }];
}

def Tile_ReleaseOp : Tile_PositionOp<"release"> {
  let summary = "a reading role gives a slot back";
  let description = [{
    One thread of each warp of the role arrives on the empty barrier. Each wait
    for a round is followed by one release of it, also where nobody reads the
    slot. The position may be older than that of the last wait: a product may
    still read the slots in between.

    Constraints:
    (C1) inside a `tile.role`;
    (C2) a constant slot is a slot of the channel, a constant parity is 0 or 1.

    Example:
    ```mlir
    tile.release %ch[%slot, %parity]
    ```
  }];
}

def Tile_AdvanceOp : Tile_Op<"advance", [Pure]> {
  let summary = "the position of the next round";
  let description = [{
    `(slot + 1 == depth) ? (0, parity xor 1) : (slot + 1, parity)`.

    Constraints:
    (C1) `depth` is from 1 to 64;
    (C2) a constant slot is from 0 to `depth` - 1, a constant parity is 0 or 1.

    Example:
    ```mlir
    %s1, %p1 = tile.advance %slot, %parity depth 4
    ```
  }];
  let arguments = (ins Arg<I32, "slot of a position">:$slot,
                       Arg<I32, "parity of it">:$parity,
                       Arg<I64Attr, "slots of the ring">:$depth);
  let results = (outs Res<I32, "slot of the next one">:$next_slot,
                      Res<I32, "parity of the next one">:$next_parity);
  let assemblyFormat = "$slot `,` $parity `depth` $depth attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_ChannelBarriersOp : Tile_Op<"channel_barriers", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "says which barriers hand over the slots of rings";
  let description = [{
    What `tile-lower-channels` leaves of a `tile.channel`, or a program that
    writes its barriers itself says of them: slot `s` of the rings is filled
    between a phase of slot `s` of `empty` and the next one of `full`, and read
    between that one and the next one of `empty`. It does nothing when the kernel
    runs. Accesses of roles to such rings get no thread barriers.

    Constraints:
    (C1) `full` and `empty` have as many slots as the rings, of which there is at
         least one, have stages; each ring is in shared memory, of rank 2 to 5.

    Example:
    ```mlir
    tile.channel_barriers(%As) full %full empty %empty : !tile.barrier<4>, !tile.barrier<4>, memref<4x128x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Variadic<AnyMemRef>, "shared tiles, the stage first">:$rings,
    Arg<Tile_BarrierType, "who waits for it may read">:$full,
    Arg<Tile_BarrierType, "who waits for it may fill">:$empty);
  let assemblyFormat = [{
    `(` $rings `)` `full` $full `empty` $empty attr-dict
    `:` qualified(type($full)) `,` qualified(type($empty)) `,` type($rings)
  }];
  let hasVerifier = 1;
}

#endif // TILE_CHANNEL_OPS_TD

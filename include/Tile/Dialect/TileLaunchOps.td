//===- TileLaunchOps.td - Blocks that meet, launches that overlap ---------===//
#ifndef TILE_LAUNCH_OPS_TD
#define TILE_LAUNCH_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_GridSyncOp : Tile_Op<"grid_sync", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "barrier of all blocks of a launch";
  let description = [{
    No block goes on before every block of the launch, or its role, has come
    here; what any of them did to memory before has happened for all of them
    after: the op has the order `acq_rel` of `tile.atomic`, for the scope `gpu`.

    With n blocks, and `counter` an i32 whose low 31 bits are 0 while no block
    waits, each block adds once: 1, and the one with all ids 0 `2^31 - (n - 1)`.
    So bit 31 changes when all have added, and the others are 0 again: zeros are
    a good beginning, and the same counter serves any number of barriers and
    launches, one after the other.

    All blocks run at the same time: the launch is cooperative, as its metadata
    say, and refused where the blocks do not fit on the device. So a kernel
    sizes its grid by `tile.num_sms` and loops over its tiles itself.

    Constraints:
    (C1) `counter` is one element of i32, static and of rank 1 to 5, in global
         memory;
    (C2) the op is outside the body of a `tile.parallel`.

    | counter | PTX |
    |---|---|
    | i32 | `atom.acq_rel.gpu.add`, `ld.acquire.gpu`, of one thread |

    Example:
    ```mlir
    tile.grid_sync %counter : memref<1xi32>
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "who has come">:$counter);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_LaunchWaitOp : Tile_Op<"launch_wait", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "waits for the launch before this one";
  let description = [{
    A kernel with this op may begin while the launch before it in the stream
    still runs (programmatic dependent launch): what stands before the op
    overlaps with its end. After the op that launch is complete, and all that it
    did to memory has happened. Without the op a launch begins when the one
    before it is complete.

    Nothing that the launch before writes may be touched before the op. Every
    block executes it, so that whoever waits for this launch has also waited for
    those before it. A kernel that is split into roles waits in each of them.

    Chips before sm_90 have no such launches: there the op does nothing, and
    launches run one after the other.

    Constraints:
    (C1) the op is outside the body of a `tile.parallel`.

    | chip | PTX |
    |---|---|
    | sm_90 and later | `griddepcontrol.wait` |
    | others | nothing |

    Example:
    ```mlir
    tile.launch_wait
    ```
  }];
  let arguments = (ins);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_LaunchNextOp : Tile_Op<"launch_next", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "lets the launch after this one begin";
  let description = [{
    When every block of the launch has come here, or ended, the launch after it
    in the stream may begin, if its kernel has a `tile.launch_wait`: its blocks
    take the place of those that end. Where no block comes here that is when the
    launch ends. It orders nothing: what the blocks do afterwards has happened
    for the next launch when its `tile.launch_wait` is over.

    Constraints:
    (C1) the op is outside the body of a `tile.parallel`.

    | chip | PTX |
    |---|---|
    | sm_90 and later | `griddepcontrol.launch_dependents` |
    | others | nothing |

    Example:
    ```mlir
    tile.launch_next
    ```
  }];
  let arguments = (ins);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

#endif // TILE_LAUNCH_OPS_TD

//===- TileClusterOps.td - Blocks of a cluster ----------------------------===//
#ifndef TILE_CLUSTER_OPS_TD
#define TILE_CLUSTER_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_ClusterSyncOp : Tile_Op<"cluster_sync", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "barrier of all blocks of a cluster";
  let description = [{
    No thread goes on before every thread of the cluster has come here or ended;
    what any of them did to memory before, to shared tiles of any block too, has
    happened for all of them after.

    A cluster is what `gpu.launch clusters(…) in (…)` says; without it, a block.
    Its sizes are constants that divide the grid, together at most 8, or 16 where
    the GPU finds place for that many. Chips before sm_90 have only clusters of
    one block.

    All blocks of a cluster execute the op equally often. In a `tile.role` the
    threads of the other roles have ended by then, or come to such an op, too.
    Before the first access to a `tile.remote` and after the last one
    `tile-insert-sync` adds the op where the kernel has none, with `lifetime`:
    blocks have begun, or have not ended, and nobody relies on tensors or proxies.

    Constraints:
    (C1) the op is outside the body of a `tile.parallel`.

    | cluster | PTX |
    |---|---|
    | of blocks | `barrier.cluster.arrive`, `barrier.cluster.wait` |
    | of one block, before sm_90 | `bar.sync` |

    Example:
    ```mlir
    tile.cluster_sync
    ```
  }];
  let arguments = (ins
    Arg<UnitAttr, "only that blocks run matters">:$lifetime);
  let assemblyFormat = "(`lifetime` $lifetime^)? attr-dict";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_RemoteOp : Tile_Op<"remote", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "the shared tile of another block of the cluster";
  let description = [{
    `remote[i]` is `tile[i]` of the block with rank `rank` in the cluster, which
    may be the executing one. With extents `nx, ny` of the cluster the block with
    the ids `x, y, z` in it (`gpu.cluster_block_id`) has the rank

    `x + nx * (y + ny * z)`.

    The result is in the memory space `#tile.cluster`. Copies, fills, atomic
    updates and element loops take it, and windows of it; what moves by TMA or
    is a factor of a product is copied to a shared tile first.

    What other blocks do to the tile is ordered by `tile.cluster_sync`: between a
    write by one and a read by another block there is one, and between a read
    and the next write. Atomic updates need none between them.

    Constraints:
    (C1) `tile` is in shared memory: the result of a `tile.alloc`, or a view;
    (C2) a constant `rank` is at least 0 and below the size of the cluster, at
         most 15;
    (C3) the op is outside the body of a `tile.parallel`.

    | access | PTX |
    |---|---|
    | address | `mapa.shared::cluster` |
    | copy, fill, element loop | `ld.shared::cluster`, `st.shared::cluster` |
    | atomic update | `red` and `atom`, `.cluster.shared::cluster` |

    Example:
    ```mlir
    %theirs = tile.remote %sums at %rank : memref<64xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "a shared tile">:$tile,
                       Arg<Index, "of the block in its cluster">:$rank);
  let results = (outs Res<AnyMemRef, "that tile of the block">:$remote);
  let assemblyFormat = "$tile `at` $rank attr-dict `:` type($tile)";
  let hasVerifier = 1;
  let cInfer = 1;
}

#endif // TILE_CLUSTER_OPS_TD

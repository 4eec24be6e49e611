//===- TmaAtomics.c - Atomic updates by the tensor memory accelerator -----===//
//
// One elected thread issues the boxes of the shared tile and waits until all of
// them have reached the tensor (PTX ISA, cp.reduce.async.bulk.tensor, bulk
// groups): what follows in this thread sees the tile free and the tensor
// updated. Others meet it at the barrier that orders them with the update.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"

#include "Layout/LayoutAccess.h"
#include "Support/Constants.h"
#include "Tile/Ops/nvvm.h"

static NVVMTMAReduxKind redux_kind(TileAtomicKind kind) {
  static const NVVMTMAReduxKind kinds[] = {
      [TILE_ATOMIC_KIND_Add] = NVVM_TMA_REDUX_KIND_ADD,
      [TILE_ATOMIC_KIND_Max] = NVVM_TMA_REDUX_KIND_MAX,
      [TILE_ATOMIC_KIND_Min] = NVVM_TMA_REDUX_KIND_MIN,
      [TILE_ATOMIC_KIND_And] = NVVM_TMA_REDUX_KIND_AND,
      [TILE_ATOMIC_KIND_Or] = NVVM_TMA_REDUX_KIND_OR,
      [TILE_ATOMIC_KIND_Xor] = NVVM_TMA_REDUX_KIND_XOR,
  };
  return kinds[kind];
}

typedef struct {
  const View *src, *dst;
  TileInt base; // i32, elements of the storage before the tile
  MlirValue map;
  TileAtomicKind kind;
} Issue;

// Coordinates have the contiguous dimension first (PTX ISA, tensor
// coordinates).
static void issue_box(Lowering *l, const Issue *issue, const TileLayoutTma *tma,
                      int64_t box) {
  int64_t box_at[TILE_LAYOUT_MAX_AXES], offset;
  TileInt at[TILE_MAX_RANK], tensor_at[TILE_MAX_RANK];
  MlirValue coordinates[TILE_MAX_RANK];
  int rank = issue->dst->memory->rank;
  tile_layout_eval(&tma->coords, &box, box_at);
  tile_layout_eval(&tma->offsets, &box, &offset);
  for (int t = 0; t < issue->dst->shape.rank; t++)
    at[t] = tile_int_constant(box_at[t]);
  memory_coordinates(l, issue->dst, at, tensor_at);
  for (int d = 0; d < rank; d++)
    coordinates[d] = tile_int_get(&l->i32, tensor_at[rank - 1 - d]);
  const Memory *shared = issue->src->memory;
  nvvm_cp_async_bulk_tensor_reduce(
      &l->b, .tmaDescriptor = issue->map,
      .srcMem = element_pointer(
          l, shared->pointer, shared->element,
          tile_int_add(&l->i32, issue->base, tile_int_constant(offset))),
      .redKind = redux_kind(issue->kind), .coordinates = {coordinates, rank});
}

void update_by_tma(Lowering *l, TileAtomicOp atomic, const View *src,
                   const View *dst) {
  PlacedWindow placed;
  TileLayoutTma tma;
  TileReason error;
  if (!tile_atomic_map(atomic).ptr) {
    lower_fail(l, atomic.op,
               "uses tma without a tensor map; run tile-layout-inference "
               "first");
    return;
  }
  Memory *map = memory_find(l, tile_atomic_map(atomic));
  if (!map || !shared_window_place(l, src, &placed, &error) ||
      !tile_layout_derive_tma(&placed.layout,
                              tile_elem_bits(src->memory->element),
                              src->shape.rank - 1, &tma, &error)) {
    lower_fail(l, atomic.op, "the layout of the tile does not suit TMA");
    return;
  }
  Issue issue = {src, dst, placed.base, map->pointer, tile_atomic_kind(atomic)};
  IfBlocks blocks = if_begin(l, atomic.op, is_elected(l));
  for (int64_t box = 0; box < tma.count; box++)
    issue_box(l, &issue, &tma, box);
  nvvm_cp_async_bulk_commit_group(&l->b, 0);
  nvvm_cp_async_bulk_wait_group(&l->b, .group = 0);
  if_end(l, atomic.op, blocks);
}

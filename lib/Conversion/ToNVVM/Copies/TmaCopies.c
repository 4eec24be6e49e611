//===- TmaCopies.c - Copies by the tensor memory accelerator --------------===//
//
// One elected thread issues the boxes that fill the shared tile; their bytes
// complete on the barrier slot that the copy signals. Box, swizzle and sequence
// follow from the layout of the tile, as the tensor map does. Boxes that drain
// a tile are a bulk group, for which the same thread waits.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Copies.h"

#include "Layout/LayoutAccess.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/nvvm.h"

// Where a window that ends where the kernel says lies in a dimension that its
// map has twice (tile.tensor_map): `x` of its first element, and `y`.
static void ended_place(Lowering *l, const View *view, int d, int64_t extent,
                        TileInt *out_x, TileInt *out_y) {
  TileInt first = view->offset[d];
  MlirValue zero = tile_const_int(&l->b, 0, 32);
  MlirValue most = tile_const_int(&l->b, extent, 32);
  MlirValue end = tile_int_get(&l->i32, view->end[d]);
  MlirValue rest = arith_subi(&l->b, end, tile_int_get(&l->i32, first));
  rest = arith_minsi(&l->b, arith_maxsi(&l->b, rest, zero), most);
  *out_x = tile_int_value(arith_subi(&l->b, most, rest));
  *out_y = tile_int_add(&l->i32, first, tile_int_value(rest));
}

// No place of the tensor: as far outside as the end of any.
enum { FAR_OUTSIDE = 1 << 30 };

// A map that the kernel makes has extents of 1 where the tensor has none
// (tile.map_make).
static TileInt outside_where_empty(Lowering *l, TileInt at, TileInt extent) {
  if (tile_int_is_constant(extent))
    return at;
  MlirValue is_empty =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_slt,
                 .lhs = extent.value, .rhs = tile_const_int(&l->b, 1, 32));
  MlirValue outside = tile_const_int(&l->b, FAR_OUTSIDE, 32);
  return tile_int_value(
      arith_select(&l->b, is_empty, outside, tile_int_get(&l->i32, at)));
}

// Coordinates of a box, contiguous dimension first (PTX ISA, tensor
// coordinates).
static intptr_t box_coordinates(Lowering *l, const View *src,
                                const int64_t *box_at, bool is_of_kernel,
                                MlirValue out[TILE_MAX_RANK]) {
  TileInt at[TILE_MAX_RANK];
  int rank = src->memory->rank;
  for (int d = 0; d < rank; d++)
    at[d] = src->offset[d];
  for (int t = 0; t < src->shape.rank; t++)
    at[src->dim[t]] = tile_int_add(&l->i32, src->offset[src->dim[t]],
                                   tile_int_constant(box_at[t]));
  intptr_t count = 0;
  for (int d = rank - 1; d >= 0; d--) {
    TileInt again;
    if (src->window_extent[d]) {
      TileInt in_window = tile_int_constant(0);
      for (int t = 0; t < src->shape.rank; t++)
        if (src->dim[t] == d)
          in_window = tile_int_constant(box_at[t]);
      ended_place(l, src, d, src->window_extent[d], &at[d], &again);
      at[d] = tile_int_add(&l->i32, at[d], in_window);
    }
    if (is_of_kernel)
      at[d] = outside_where_empty(l, at[d], src->memory->extent[d]);
    out[count++] = tile_int_get(&l->i32, at[d]);
    if (src->window_extent[d])
      out[count++] = tile_int_get(&l->i32, again);
  }
  return count;
}

typedef struct {
  const View *global, *shared;
  TileInt base; // i32, elements of the storage before the window
  MlirValue map;
  bool is_of_kernel;   // which makes the map
  MlirValue barrier;   // null: a store
  MlirValue predicate; // of a store: the thread that issues it, or null
  MlirValue multicast; // i16, the blocks that a load writes; null: this one
} Issue;

static void issue_box(Lowering *l, const Issue *issue, const TileLayoutTma *tma,
                      int64_t box) {
  int64_t box_at[TILE_LAYOUT_MAX_AXES], offset;
  tile_layout_eval(&tma->coords, &box, box_at);
  tile_layout_eval(&tma->offsets, &box, &offset);
  Im2colBox at;
  intptr_t num_offsets = 0;
  if (issue->global->im2col) {
    im2col_box_at(l, issue->global, box_at, &at);
    num_offsets = at.rank - 2;
  } else {
    at.rank = box_coordinates(l, issue->global, box_at, issue->is_of_kernel,
                              at.coordinates);
  }
  const Memory *memory = issue->shared->memory;
  MlirValue shared = element_pointer(
      l, memory->pointer, memory->element,
      tile_int_add(&l->i32, issue->base, tile_int_constant(offset)));
  if (!issue->barrier.ptr) {
    nvvm_cp_async_bulk_tensor_global_shared_cta(
        &l->b, .tmaDescriptor = issue->map, .srcMem = shared,
        .coordinates = {at.coordinates, at.rank}, .l2CacheHint = l->policy,
        .predicate = issue->predicate);
    return;
  }
  MlirValue cluster =
      llvm_addrspacecast(&l->b, .type = type_pointer(l, 7), .arg = shared);
  nvvm_cp_async_bulk_tensor_shared_cluster_global(
      &l->b, .dstMem = cluster, .tmaDescriptor = issue->map,
      .coordinates = {at.coordinates, at.rank}, .mbar = issue->barrier,
      .multicastMask = issue->multicast,
      .im2colOffsets = {at.offsets, num_offsets},
      .mode = {num_offsets > 0, NVVM_TMA_LOAD_MODE_IM2COL},
      .l2CacheHint = l->policy);
}

// The tile may be overwritten, and the tensor read, when the group is complete.
// Groups belong to the thread that issued them (PTX ISA,
// cp.async.bulk.commit_group).
static void close_stores(Lowering *l, TileCopyOp copy) {
  nvvm_cp_async_bulk_commit_group(&l->b, 0);
  if (!tile_copy_async(copy))
    nvvm_cp_async_bulk_wait_group(&l->b, .group = 0);
}

static bool is_map_of_kernel(MlirValue map) {
  return mlirValueIsAOpResult(map) &&
         tile_map_place_is(mlirOpResultGetOwner(map));
}

void lower_tma_copy(Lowering *l, MlirOperation op, const View *src,
                    const View *dst) {
  TileCopyOp copy = tile_copy_cast(op);
  bool is_store = dst->memory->space == TILE_SPACE_GLOBAL;
  const View *shared = is_store ? src : dst;
  bool has_signal = is_store || tile_copy_signal(copy).ptr;
  PlacedWindow placed;
  TileLayoutTma tma;
  TileReason error;
  if (!tile_copy_map(copy).ptr || !has_signal) {
    lower_fail(l, op, "uses tma without %s; run %s first",
               tile_copy_map(copy).ptr ? "a barrier" : "a tensor map",
               tile_copy_map(copy).ptr ? "tile-lower-channels"
                                       : "tile-layout-inference");
    return;
  }
  Memory *map = memory_find(l, tile_copy_map(copy));
  if (!map || !shared_window_place(l, shared, &placed, &error) ||
      !tile_layout_derive_tma(&placed.layout,
                              tile_elem_bits(shared->memory->element),
                              shared->shape.rank - 1, &tma, &error)) {
    lower_fail(l, op, "the layout of the tile does not suit TMA");
    return;
  }
  Issue issue = {.global = is_store ? dst : src,
                 .shared = shared,
                 .base = placed.base,
                 .map = map->pointer,
                 .is_of_kernel = is_map_of_kernel(tile_copy_map(copy))};
  // Without a branch: LLVM sinks what is computed for a later store into
  // the blocks of branches, and keeps two operands alive for one result. The
  // groups of other threads are empty. NVVM has no such form with a policy.
  if (is_store && tile_copy_async(copy) && !l->policy.ptr) {
    issue.predicate = is_elected(l);
    for (int64_t box = 0; box < tma.count; box++)
      issue_box(l, &issue, &tma, box);
    close_stores(l, copy);
    return;
  }
  if (!mlirValueIsNull(tile_copy_multicast(copy)))
    issue.multicast = arith_trunci(
        &l->b, .type = mlirIntegerTypeGet(tile_builder_context(&l->b), 16),
        .in = tile_copy_multicast(copy));
  IfBlocks blocks = if_begin(l, op, is_elected(l));
  if (!is_store)
    issue.barrier =
        barrier_slot_pointer(l, tile_copy_signal(copy), tile_copy_slot(copy));
  for (int64_t box = 0; box < tma.count; box++)
    issue_box(l, &issue, &tma, box);
  if (is_store)
    close_stores(l, copy);
  if_end(l, op, blocks);
}

void lower_tile_tma_wait(Lowering *l, MlirOperation op) {
  TileTmaWaitOp wait = tile_tma_wait_cast(op);
  if (!l->target->has_tma) {
    lower_fail(l, op, "waits for TMA, which %s does not have", l->target->chip);
    return;
  }
  nvvm_cp_async_bulk_wait_group_op(&l->b, .group = tile_tma_wait_pending(wait),
                                   .read = tile_tma_wait_read(wait));
}

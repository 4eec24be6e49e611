//===- TileAccess.c - Buffers; what ops read, write and order -------------===//
//----------===//

#include "ElementLoops.h"
#include "Im2col.h"
#include "Tile/Ops/memref.h"
#include "TileCombine.h"

//===-- Buffers -----------------------------------------------------------===//

TileRegionOp tile_region_of(MlirValue tile) {
  return mlirValueIsAOpResult(tile)
             ? tile_region_dyn(mlirOpResultGetOwner(tile))
             : (TileRegionOp){{NULL}};
}

bool tile_window_is_gathered(MlirValue tile) {
  TileRegionOp region = tile_region_of(tile);
  return region.op.ptr && tile_region_ids(region).ptr;
}

bool tile_copy_is_open(TileCopyOp copy) {
  MlirAttribute stage = mlirOperationGetDiscardableAttributeByName(
      copy.op, TILE_STR("tile.stage"));
  return !tile_copy_async(copy) && mlirValueIsNull(tile_copy_signal(copy)) &&
         mlirAttributeIsNull(stage) &&
         mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
         mlirAttributeIsNull(tile_copy_prefer_attr(copy)) &&
         !tile_window_is_gathered(tile_copy_src(copy));
}

bool tile_accesses_by_number(MlirOperation op, MlirValue ids) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    TileRegionOp region = tile_region_of(mlirOperationGetOperand(op, i));
    if (region.op.ptr && mlirValueEqual(tile_region_ids(region), ids))
      return true;
  }
  return false;
}

// All of a tile by another name.
static bool is_other_name(MlirOperation op) {
  return tile_view_is(op) || tile_remote_is(op);
}

bool tile_is_name_op(MlirOperation op) {
  return tile_region_is(op) || is_other_name(op);
}

TileBuffer tile_buffer_of(MlirValue tile) {
  TileBuffer buffer = {tile, {NULL}, tile};
  if (!mlirValueIsAOpResult(tile))
    return buffer;
  TileRegionOp region = tile_region_of(tile);
  TileIm2colOp im2col = tile_im2col_of(tile);
  if (im2col.op.ptr) // no rectangle: all of the image
    buffer.base = tile_im2col_image(im2col);
  if (region.op.ptr) {
    buffer.region = tile;
    buffer.base = tile_region_source(region);
  }
  buffer.root = buffer.base;
  while (mlirValueIsAOpResult(buffer.root) &&
         is_other_name(mlirOpResultGetOwner(buffer.root)))
    buffer.root = mlirOperationGetOperand(mlirOpResultGetOwner(buffer.root), 0);
  return buffer;
}

bool tile_is_multicast(MlirOperation op) {
  return tile_copy_is(op) &&
         !mlirValueIsNull(tile_copy_multicast(tile_copy_cast(op)));
}

bool tile_signals_cluster(MlirOperation op) {
  return tile_is_multicast(op) || (tile_barrier_arrive_is(op) &&
                                   !mlirValueIsNull(tile_barrier_arrive_rank(
                                       tile_barrier_arrive_cast(op))));
}

static bool is_named_remotely(MlirValue tile) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    bool is_name = tile_view_is(op) || tile_region_is(op);
    if (tile_remote_is(op) || tile_is_multicast(op) ||
        (is_name && is_named_remotely(mlirOperationGetResult(op, 0))))
      return true;
  }
  return false;
}

bool tile_is_reached_remotely(MlirValue tile) {
  return is_named_remotely(tile_buffer_of(tile).root);
}

bool tile_tensor_part_is(MlirOperation op) {
  return memref_subview_is(op) || memref_reinterpret_cast_is(op) ||
         memref_cast_is(op) || memref_assume_alignment_is(op);
}

MlirValue tile_tensor_behind(MlirValue tensor) {
  while (mlirValueIsAOpResult(tensor) &&
         tile_tensor_part_is(mlirOpResultGetOwner(tensor)))
    tensor = mlirOperationGetOperand(mlirOpResultGetOwner(tensor), 0);
  return tensor;
}

bool tile_is_whole(MlirValue tile) {
  TileShape shape, whole;
  return tile_shape_of(tile, &shape) &&
         tile_shape_of(tile_buffer_of(tile).base, &whole) &&
         tile_shape_equal_extents(&shape, &whole);
}

TileAllocOp tile_buffer_alloc(TileBuffer buffer) {
  if (!mlirValueIsAOpResult(buffer.root))
    return (TileAllocOp){{NULL}};
  return tile_alloc_dyn(mlirOpResultGetOwner(buffer.root));
}

//===-- Accesses ----------------------------------------------------------===//

// Reductions, scans, predicates and atomics.
static int reduction_accesses(MlirOperation op,
                              TileAccess out[TILE_MAX_ACCESSES]) {
  if (tile_reduce_is(op)) {
    TileReduceOp reduce = tile_reduce_cast(op);
    bool folds = !tile_reduce_clear(reduce);
    out[0] = (TileAccess){tile_reduce_src(reduce), 0, true, false};
    out[1] = (TileAccess){tile_reduce_dst(reduce), 1, folds, true};
    return 2;
  }
  if (tile_scan_is(op)) {
    TileScanOp scan = tile_scan_cast(op);
    out[0] = (TileAccess){tile_scan_src(scan), 0, true, false};
    out[1] = (TileAccess){tile_scan_dst(scan), 1, false, true};
    return 2;
  }
  if (tile_any_of_is(op) || tile_all_of_is(op)) {
    out[0] = (TileAccess){mlirOperationGetOperand(op, 0), 0, true, false};
    return 1;
  }
  if (tile_atomic_load_is(op)) {
    TileAtomicLoadOp load = tile_atomic_load_cast(op);
    out[0] = (TileAccess){tile_atomic_load_src(load), 0, true, false, true};
    out[1] = (TileAccess){tile_atomic_load_dst(load), 1, false, true};
    return 2;
  }
  if (tile_grid_sync_is(op)) {
    MlirValue counter = tile_grid_sync_counter(tile_grid_sync_cast(op));
    out[0] = (TileAccess){counter, 0, true, true, true};
    return 1;
  }
  if (tile_next_tile_is(op)) {
    MlirValue counter = tile_next_tile_counter(tile_next_tile_cast(op));
    out[0] = (TileAccess){counter, 0, true, true, true};
    return 1;
  }
  if (!tile_atomic_is(op))
    return 0;
  TileAtomicOp atomic = tile_atomic_cast(op);
  MlirValue src = tile_atomic_src(atomic);
  TileShape shape; // a scalar has none
  int n = 0;
  if (tile_shape_of(src, &shape))
    out[n++] = (TileAccess){src, 0, true, false};
  out[n++] = (TileAccess){tile_atomic_dst(atomic), 1, true, true, true};
  if (tile_atomic_old(atomic).ptr)
    out[n++] = (TileAccess){tile_atomic_old(atomic), 2, false, true};
  return n;
}

static int operand_accesses(MlirOperation op,
                            TileAccess out[TILE_MAX_ACCESSES]) {
  if (tile_copy_is(op)) {
    TileCopyOp copy = tile_copy_cast(op);
    out[0] = (TileAccess){tile_copy_src(copy), 0, true, false};
    out[1] = (TileAccess){tile_copy_dst(copy), 1, false, true};
    return 2;
  }
  if (tile_fill_is(op)) {
    TileFillOp fill = tile_fill_cast(op);
    out[0] = (TileAccess){tile_fill_dst(fill), 0, false, true};
    return 1;
  }
  if (tile_gemm_is(op)) {
    TileGemmOp gemm = tile_gemm_cast(op);
    out[0] = (TileAccess){tile_gemm_a(gemm), 0, true, false};
    out[1] = (TileAccess){tile_gemm_b(gemm), 1, true, false};
    out[2] = (TileAccess){tile_gemm_c(gemm), 2, true, true};
    return 3;
  }
  if (tile_gemm_sp_is(op)) {
    TileGemmSpOp gemm = tile_gemm_sp_cast(op);
    out[0] = (TileAccess){tile_gemm_sp_a(gemm), 0, true, false};
    out[1] = (TileAccess){tile_gemm_sp_e(gemm), 1, true, false};
    out[2] = (TileAccess){tile_gemm_sp_b(gemm), 2, true, false};
    out[3] = (TileAccess){tile_gemm_sp_c(gemm), 3, true, true};
    return 4;
  }
  if (tile_map_make_is(op)) {
    TileMapMakeOp make = tile_map_make_cast(op);
    out[0] = (TileAccess){tile_map_make_stage(make), 2, true, true};
    return 1;
  }
  int n = reduction_accesses(op, out);
  n = n ? n : tile_combine_accesses(op, out);
  return n ? n : tile_element_accesses(op, out);
}

// The numbers that name places of gathered windows are read with them.
int tile_accesses_get(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]) {
  int count = operand_accesses(op, out), n = count;
  for (int i = 0; i < count && n < TILE_MAX_ACCESSES; i++) {
    TileRegionOp region = tile_region_of(out[i].tile);
    if (region.op.ptr && tile_region_ids(region).ptr)
      out[n++] = (TileAccess){
          .tile = tile_region_ids(region), .operand = -1, .reads = true};
  }
  return n;
}

//===-- Orders ------------------------------------------------------------===//

static bool ordering_make(MlirAttribute order, MlirAttribute scope,
                          TileOrdering *out) {
  TileOrder kind = mlirAttributeIsNull(order) ? TILE_ORDER_Relaxed
                                              : TileOrder_from_attr(order);
  bool is_total = kind == TILE_ORDER_SeqCst;
  bool is_both = is_total || kind == TILE_ORDER_AcqRel;
  *out = (TileOrdering){.releases = is_both || kind == TILE_ORDER_Release,
                        .acquires = is_both || kind == TILE_ORDER_Acquire,
                        .is_total = is_total,
                        .is_system =
                            !mlirAttributeIsNull(scope) &&
                            TileScope_from_attr(scope) == TILE_SCOPE_System};
  return kind != TILE_ORDER_Relaxed;
}

bool tile_ordering_of(MlirOperation op, TileOrdering *out) {
  if (tile_grid_sync_is(op) || tile_cluster_sync_is(op)) {
    *out = (TileOrdering){.releases = true, .acquires = true};
    return true;
  }
  if (tile_launch_wait_is(op)) { // each thread waits for itself
    *out = (TileOrdering){.is_system = true};
    return true;
  }
  if (tile_atomic_is(op)) {
    TileAtomicOp atomic = tile_atomic_cast(op);
    return ordering_make(tile_atomic_order_attr(atomic),
                         tile_atomic_scope_attr(atomic), out);
  }
  if (tile_atomic_load_is(op)) {
    TileAtomicLoadOp load = tile_atomic_load_cast(op);
    return ordering_make(tile_atomic_load_order_attr(load),
                         tile_atomic_load_scope_attr(load), out);
  }
  if (!tile_fence_is(op))
    return false;
  TileFenceOp fence = tile_fence_cast(op);
  return ordering_make(tile_fence_order_attr(fence),
                       tile_fence_scope_attr(fence), out);
}

//===-- Effects -----------------------------------------------------------===//

static void add_effects(MlirOperation op, TileEffects effects) {
  TileAccess access[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, access);
  for (int i = 0; i < n; i++) {
    if (access[i].operand < 0) // what a window is gathered by
      continue;
    if (access[i].reads)
      tile_effects_add(effects, TILE_EFFECT_READ, op, access[i].operand);
    if (access[i].writes)
      tile_effects_add(effects, TILE_EFFECT_WRITE, op, access[i].operand);
  }
}

void tile_copy_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
  TileCopyOp copy = tile_copy_cast(op);
  // An asynchronous copy also advances a barrier, which no operand value is
  // the memory of: an effect on unknown memory keeps others in order.
  if (tile_copy_signal(copy).ptr)
    tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

void tile_fill_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_gemm_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_gemm_sp_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_reduce_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_scan_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_any_of_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_all_of_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

// An order concerns memory that no operand names.
static void add_ordered_effects(MlirOperation op, TileEffects effects) {
  TileOrdering ordering;
  add_effects(op, effects);
  if (tile_ordering_of(op, &ordering))
    tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

void tile_atomic_effects(MlirOperation op, TileEffects effects) {
  add_ordered_effects(op, effects);
}

void tile_next_tile_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_atomic_load_effects(MlirOperation op, TileEffects effects) {
  add_ordered_effects(op, effects);
}

void tile_fence_effects(MlirOperation op, TileEffects effects) {
  add_ordered_effects(op, effects);
}

void tile_grid_sync_effects(MlirOperation op, TileEffects effects) {
  add_ordered_effects(op, effects);
}

void tile_cluster_sync_effects(MlirOperation op, TileEffects effects) {
  add_ordered_effects(op, effects);
}

void tile_launch_wait_effects(MlirOperation op, TileEffects effects) {
  add_ordered_effects(op, effects);
}

// It keeps its place.
void tile_launch_next_effects(MlirOperation op, TileEffects effects) {
  tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

// The map itself lies in memory that no operand is.
void tile_map_make_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
  tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

void tile_reduce_by_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_scan_by_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

void tile_reduce_all_effects(MlirOperation op, TileEffects effects) {
  add_effects(op, effects);
}

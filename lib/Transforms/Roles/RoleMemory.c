//===- RoleMemory.c - What the statements of a kernel do to memory --------===//
//
// Tile ops say it by their access regions, scalar loads and stores by their
// operands, any other op by its effects. An op that may write anything makes
// every tensor a written one.
//
//===----------------------------------------------------------------------===//

#include "RolePlan.h"

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"

//===-- Boxes -------------------------------------------------------------===//

static void box_dimension(TileRoleBox *box, int dim, int64_t offset,
                          int64_t size, int64_t extent) {
  if (offset < 0 || offset + size > extent) {
    box->is_exact = false; // a marker: the offset is not constant
    box->lo[dim] = 0;
    box->hi[dim] = extent;
    return;
  }
  box->lo[dim] = offset;
  box->hi[dim] = offset + size;
}

TileRoleBox tile_role_box_of(MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  TileRoleBox box = {.is_exact = true};
  TileShape shape = {0};
  if (!tile_shape_of(buffer.root, &shape))
    return box; // no tile, nobody asks
  for (int d = 0; d < shape.rank; d++)
    box.hi[d] = shape.extent[d];
  if (!buffer.region.ptr)
    return box;
  if (!mlirValueEqual(buffer.base, buffer.root)) {
    box.is_exact = false; // a window of a view may be anywhere in the tile
    return box;
  }
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  for (int d = 0; d < shape.rank; d++)
    box_dimension(&box, d, tile_region_static_offsets(region, d),
                  tile_region_static_sizes(region, d), shape.extent[d]);
  return box;
}

static TileRoleBox box_of_element(MlirValue memref, TileRange indices) {
  TileRoleBox box = {.is_exact = true};
  TileShape shape = {0};
  MlirValue root = tile_buffer_of(memref).root;
  if (!mlirValueEqual(memref, root)) {
    box = tile_role_box_of(root);
    box.is_exact = false;
    return box;
  }
  if (!tile_shape_of(memref, &shape))
    return box;
  for (int d = 0; d < shape.rank; d++) {
    int64_t index = -1;
    bool is_constant =
        d < indices.n && mlirxConstantInt(tile_range_at(indices, d), &index);
    box_dimension(&box, d, is_constant ? index : -1, 1, shape.extent[d]);
  }
  return box;
}

//===-- Accesses ----------------------------------------------------------===//

typedef struct {
  TileRolePlan *plan;
  TileRoleNode *node;
  MlirOperation op; // the one looked at: the statement or an op inside
} Scan;

static void add_write(Scan *scan, MlirValue memref) {
  TileRolePlan *plan = scan->plan;
  TILE_ARENA_RESERVE(plan->arena, plan->writes, plan->num_writes,
                     plan->writes_capacity);
  plan->writes[plan->num_writes++] =
      (TileRoleWrite){tile_tensor_root(memref), scan->op, scan->node};
}

static void add_access(Scan *scan, MlirValue memref, TileRoleBox box,
                       bool reads, bool writes) {
  TileRoleBuffer *buffer = tile_pointer_map_get(
      &scan->plan->buffer_of, tile_buffer_of(memref).root.ptr);
  if (!buffer) {
    if (writes)
      add_write(scan, memref);
    return;
  }
  TileRoleAccess *access = TILE_ARENA_NEW(scan->plan->arena, TileRoleAccess, 1);
  *access = (TileRoleAccess){NULL, buffer, box, reads, writes};
  TileRoleAccess **tail = &scan->node->accesses;
  while (*tail)
    tail = &(*tail)->next;
  *tail = access;
}

static void add_effect(TileEffectKind kind, MlirValue value,
                       MlirStringRef resource, void *user_data) {
  Scan *scan = user_data;
  TileShape shape;
  (void)resource;
  if (kind != TILE_EFFECT_READ && kind != TILE_EFFECT_WRITE)
    return;
  if (!value.ptr || !tile_shape_of(value, &shape)) {
    if (kind == TILE_EFFECT_WRITE && !scan->plan->unknown_write.ptr)
      scan->plan->unknown_write = scan->op;
    return;
  }
  add_access(scan, value, tile_role_box_of(value), kind == TILE_EFFECT_READ,
             kind == TILE_EFFECT_WRITE);
}

static void scan_effects(Scan *scan) {
  MlirOperation op = scan->op;
  // Text and traps leave memory alone.
  if (gpu_printf_is(op) || cf_assert_is(op) ||
      mlirOperationGetNumRegions(op) > 0 || mlirxIsMemoryEffectFree(op))
    return;
  if (mlirxEffects(op, false, add_effect, scan))
    return;
  if (!scan->plan->unknown_write.ptr)
    scan->plan->unknown_write = op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    TileShape shape;
    if (tile_shape_of(value, &shape))
      add_access(scan, value, tile_role_box_of(value), true, true);
  }
}

static MlirWalkResult scan_op(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileElementAccess element;
  scan->op = op;
  if (tile_op_is(op)) {
    TileAccess access[TILE_MAX_ACCESSES];
    // What a loop over elements does is what the ops in it do.
    int n = mlirOperationGetNumRegions(op) ? 0 : tile_accesses_get(op, access);
    for (int i = 0; i < n; i++)
      add_access(scan, access[i].tile, tile_role_box_of(access[i].tile),
                 access[i].reads, access[i].writes);
  } else if (tile_element_access_get(op, &element)) {
    add_access(scan, element.memref,
               box_of_element(element.memref, element.indices),
               !element.is_store || element.is_atomic, element.is_store);
  } else {
    scan_effects(scan);
  }
  return MlirWalkResultAdvance;
}

void tile_role_accesses_build(TileRolePlan *plan, TileRoleNode *node) {
  Scan scan = {plan, node, node->op};
  mlirOperationWalk(node->op, scan_op, &scan, MlirWalkPreOrder);
}

//===-- Read-only tensors -------------------------------------------------===//

static bool may_overlap(MlirValue a, MlirValue b) {
  return mlirValueEqual(a, b) || !tile_tensor_is_distinct(a) ||
         !tile_tensor_is_distinct(b);
}

bool tile_role_is_read_only(const TileRolePlan *plan, MlirValue memref) {
  MlirValue root = tile_tensor_root(memref);
  TileShape shape;
  if (plan->unknown_write.ptr)
    return false;
  for (int i = 0; i < plan->num_writes; i++) {
    MlirValue written = plan->writes[i].root;
    if (tile_shape_of(written, &shape) && shape.space != TILE_SPACE_GLOBAL &&
        shape.space != TILE_SPACE_OTHER)
      continue;
    if (may_overlap(root, written))
      return false;
  }
  return true;
}

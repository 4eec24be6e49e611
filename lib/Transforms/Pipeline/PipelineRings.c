//===- PipelineRings.c - Slots of rings in the steps of a pipeline --------===//
//
// A tile with versions is a ring, and a view of it is a view of the ring that
// gives every slot the shape of the view. What uses either gets a window of one
// slot, that of the iteration which its stage runs.
//
//===----------------------------------------------------------------------===//

#include "SoftwarePipeline.h"

#include "Dialect/ElementLoops.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"

//===-- Rings
//--------------------------------------------------------------===//

MlirType emit_ring_type(MlirType tile, int32_t num_slots) {
  int64_t extent[TILE_MAX_RANK] = {num_slots};
  intptr_t rank = mlirShapedTypeGetRank(tile);
  for (intptr_t d = 0; d < rank; d++)
    extent[d + 1] = mlirShapedTypeGetDimSize(tile, d);
  return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(tile),
                                     rank + 1, extent,
                                     mlirMemRefTypeGetMemorySpace(tile));
}

MlirValue emit_ring(Emitter *e, MlirValue tile) {
  TileBuffer named = tile_buffer_of(tile);
  const TileLoopBody *body = &e->p->loop->body;
  if (named.region.ptr)
    return TILE_NULL_VALUE;
  for (int i = 0; i < body->num_buffers; i++) {
    const Ring *ring = &e->p->rings[i];
    if (!ring->is_new || !mlirValueEqual(body->buffers[i].root, named.root))
      continue;
    if (mlirValueEqual(tile, named.root))
      return ring->ring;
    MlirType type = emit_ring_type(mlirValueGetType(tile), ring->num_slots);
    return tile_view(&e->b, .type = type, .source = ring->ring);
  }
  return TILE_NULL_VALUE;
}

bool emit_is_ring_window(const Emitter *e, MlirValue value) {
  TileBuffer named = tile_buffer_of(value);
  const TileLoopBody *body = &e->p->loop->body;
  for (int i = 0; i < body->num_buffers && named.region.ptr; i++)
    if (e->p->rings[i].is_new &&
        mlirValueEqual(body->buffers[i].root, named.root))
      return true;
  return false;
}

// The ring that `value` is, or a view of; NULL for windows and other values.
static const Ring *find_ring(const Emitter *e, MlirValue value) {
  TileBuffer named = tile_buffer_of(value);
  for (int i = 0; i < e->p->loop->body.num_buffers && !named.region.ptr; i++)
    if (e->p->rings[i].is_new &&
        mlirValueEqual(e->p->rings[i].ring, named.root))
      return &e->p->rings[i];
  return NULL;
}

enum { MAX_DIMS = TILE_MAX_RANK + 1 };

// A window of `source`, a ring or a view of it: that of `region`, or with a
// null handle the whole slot.
static MlirValue build_window(Emitter *e, MlirValue source, int32_t stage,
                              TileRegionOp region) {
  MlirValue offsets[MAX_DIMS];
  int64_t constants[MAX_DIMS] = {mlirShapedTypeGetDynamicStrideOrOffset()};
  int64_t sizes[MAX_DIMS] = {1}, dropped[MAX_DIMS] = {0};
  MlirType type = mlirValueGetType(source);
  intptr_t rank = mlirShapedTypeGetRank(type), num_offsets = 1, num_dropped = 1;
  offsets[0] = emit_slot(e, stage, find_ring(e, source)->num_slots);
  for (intptr_t d = 1; d < rank; d++) {
    constants[d] = 0;
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  }
  for (intptr_t d = 1; d < rank && region.op.ptr; d++) {
    constants[d] = tile_region_static_offsets(region, d - 1);
    sizes[d] = tile_region_static_sizes(region, d - 1);
  }
  if (region.op.ptr) {
    TileRange given = tile_region_offsets(region);
    for (intptr_t i = 0; i < given.n; i++)
      offsets[num_offsets++] = tile_range_at(given, i);
    for (intptr_t i = 0; i < tile_region_dropped_size(region); i++)
      dropped[num_dropped++] = tile_region_dropped(region, i) + 1;
  }
  return tile_region(&e->b, .source = source, .offsets = {offsets, num_offsets},
                     .static_offsets = {constants, rank},
                     .static_sizes = {sizes, rank},
                     .dropped = {dropped, num_dropped});
}

typedef struct {
  Emitter *e;
  MlirOperation *users; // of rings
  int num_users, capacity;
} UserList;

static MlirWalkResult collect_users(MlirOperation op, void *user_data) {
  UserList *list = user_data;
  bool uses = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    uses |= find_ring(list->e, mlirOperationGetOperand(op, i)) != NULL;
  if (!uses)
    return MlirWalkResultAdvance;
  TILE_ARENA_RESERVE(list->e->p->arena, list->users, list->num_users,
                     list->capacity);
  list->users[list->num_users++] = op;
  return MlirWalkResultAdvance;
}

// An element of a ring: the slot comes first.
static void fix_indices(Emitter *e, const TileElementAccess *access,
                        int32_t stage) {
  intptr_t memref = access->is_store ? 1 : 0;
  MlirOperation op = access->op;
  const Ring *ring = find_ring(e, access->memref);
  if (!ring)
    return;
  MlirValue slot = emit_slot(e, stage, ring->num_slots);
  mlirxSetOperandGroup(op, memref + 1, 0, 1, &slot);
}

// (P3) for one op; returns what stands for it.
static MlirOperation fix_user(Emitter *e, MlirOperation op, int32_t stage) {
  TileRegionOp region = tile_region_dyn(op);
  TileElementAccess access;
  if (tile_element_access_get(op, &access)) {
    fix_indices(e, &access, stage);
    return op;
  }
  if (region.op.ptr) {
    MlirValue window =
        build_window(e, tile_region_source(region), stage, region);
    mlirRewriterBaseReplaceOpWithValues(e->b.rw, op, 1, &window);
    return mlirOpResultGetOwner(window);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (find_ring(e, operand))
      mlirOperationSetOperand(
          op, i, build_window(e, operand, stage, (TileRegionOp){{NULL}}));
  }
  return op;
}

MlirOperation emit_ring_slots(Emitter *e, MlirOperation clone, int32_t stage) {
  UserList list = {.e = e};
  MlirOperation result = clone;
  mlirOperationWalk(clone, collect_users, &list, MlirWalkPreOrder);
  for (int i = 0; i < list.num_users; i++) {
    bool is_top = mlirOperationEqual(list.users[i], clone);
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw, list.users[i]);
    MlirOperation fixed = fix_user(e, list.users[i], stage);
    if (is_top)
      result = fixed;
  }
  return result;
}

//===- RoleSlots.c - Slots of rings, and reads past them ------------------===//

#include "Roles.h"

#include "Analysis/Index/Index.h"
#include "Dialect/ElementLoops.h"
#include "Support/Constants.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Windows -----------------------------------------------------------===//

MlirValue role_slot_index(RoleEmitter *e, int channel) {
  RolePosition *position = &e->positions[channel];
  if (!position->index.ptr)
    position->index = arith_index_cast(
        &e->b, .type = mlirIndexTypeGet(tile_builder_context(&e->b)),
        .in = position->slot);
  return position->index;
}

// A window while it is put together.
typedef struct {
  MlirValue offsets[TILE_MAX_RANK];
  int64_t static_offsets[TILE_MAX_RANK], sizes[TILE_MAX_RANK],
      dropped[TILE_MAX_RANK];
  int rank, num_offsets, num_dropped;
} Window;

static void window_add(Window *w, TileInt offset, int64_t size, bool drops) {
  if (tile_int_is_constant(offset)) {
    w->static_offsets[w->rank] = offset.constant;
  } else {
    w->static_offsets[w->rank] = mlirShapedTypeGetDynamicStrideOrOffset();
    w->offsets[w->num_offsets++] = offset.value;
  }
  if (drops)
    w->dropped[w->num_dropped++] = w->rank;
  w->sizes[w->rank++] = size;
}

static MlirValue window_build(RoleEmitter *e, const Window *w, MlirValue source,
                              MlirValue pad) {
  return tile_region(&e->b, .source = source,
                     .offsets = {w->offsets, w->num_offsets}, .pad = pad,
                     .static_offsets = {w->static_offsets, w->rank},
                     .static_sizes = {w->sizes, w->rank},
                     .dropped = {w->dropped, w->num_dropped});
}

static TileInt offset_of(const RoleEmitter *e, TileRegionOp region, int dim) {
  TileInt offset = tile_region_offset(region, dim);
  if (!tile_int_is_constant(offset))
    offset.value = role_value(e, offset.value);
  return offset;
}

static TileRoleBuffer *ringed(const RoleEmitter *e, MlirValue memref) {
  TileRoleBuffer *buffer =
      tile_pointer_map_get(&e->plan->buffer_of, memref.ptr);
  return buffer && buffer->channel >= 0 ? buffer : NULL;
}

static MlirValue ring_of(const RoleEmitter *e, const TileRoleBuffer *buffer) {
  return *(MlirValue *)tile_pointer_map_get(&e->shared->ring_of, buffer);
}

// The ring of `buffer`, or a view of it that gives every slot the shape that
// `base` gives the tile.
static MlirValue ring_seen_as(RoleEmitter *e, const TileRoleBuffer *buffer,
                              MlirValue base) {
  MlirValue ring = ring_of(e, buffer);
  if (mlirValueEqual(base, buffer->value))
    return ring;
  TileShape shape;
  int64_t extent[TILE_MAX_RANK] = {e->plan->channels[buffer->channel].depth};
  tile_shape_of(base, &shape);
  for (int d = 0; d < shape.rank; d++)
    extent[d + 1] = shape.extent[d];
  MlirType type = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank + 1, extent,
      mlirMemRefTypeGetMemorySpace(mlirValueGetType(base)));
  return tile_view(&e->b, .type = type, .source = ring);
}

// The slot of `buffer` that the role holds, cut as `tile` cuts the buffer.
static MlirValue slot_of(RoleEmitter *e, const TileRoleBuffer *buffer,
                         MlirValue tile) {
  TileBuffer named = tile_buffer_of(tile);
  MlirValue cut = named.region;
  TileShape shape;
  Window window = {.rank = 0};
  window_add(&window, tile_int_value(role_slot_index(e, buffer->channel)), 1,
             true);
  tile_shape_of(named.base, &shape);
  for (int d = 0; d < shape.rank; d++) {
    if (!cut.ptr) {
      window_add(&window, tile_int_constant(0), shape.extent[d], false);
      continue;
    }
    TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(cut));
    window_add(&window, offset_of(e, region, d),
               tile_region_static_sizes(region, d),
               tile_region_result_dim(region, d) < 0);
  }
  return window_build(e, &window, ring_seen_as(e, buffer, named.base),
                      TILE_NULL_VALUE);
}

MlirValue role_slot(RoleEmitter *e, const TileRoleBuffer *buffer) {
  return slot_of(e, buffer, buffer->value);
}

//===-- Uses --------------------------------------------------------------===//

typedef struct {
  const RoleEmitter *e;
  MlirOperation *ops; // that use tiles which became rings
  int num_ops, capacity;
} Uses;

static TileRoleBuffer *operand_buffer(const RoleEmitter *e, MlirOperation op,
                                      intptr_t i) {
  return ringed(e, tile_buffer_of(mlirOperationGetOperand(op, i)).root);
}

static MlirWalkResult find_use(MlirOperation op, void *user_data) {
  Uses *uses = user_data;
  bool found = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    found |= operand_buffer(uses->e, op, i) != NULL;
  // Windows and views are made again at their uses.
  if (!found || tile_is_name_op(op))
    return MlirWalkResultAdvance;
  TILE_ARENA_RESERVE(uses->e->plan->arena, uses->ops, uses->num_ops,
                     uses->capacity);
  uses->ops[uses->num_ops++] = op;
  return MlirWalkResultAdvance;
}

static void load_from_slot(RoleEmitter *e, MlirOperation op,
                           const TileRoleBuffer *buffer) {
  TileRange given = memref_load_indices(memref_load_cast(op));
  MlirValue operands[TILE_MAX_RANK + 1];
  intptr_t n = 0;
  operands[n++] =
      ring_seen_as(e, buffer, memref_load_memref(memref_load_cast(op)));
  operands[n++] = role_slot_index(e, buffer->channel);
  for (intptr_t i = 0; i < given.n; i++)
    operands[n++] = tile_range_at(given, i);
  mlirOperationSetOperands(op, n, operands);
}

static void store_to_slot(RoleEmitter *e, MlirOperation op,
                          const TileRoleBuffer *buffer) {
  MemRefStoreOp store = memref_store_cast(op);
  TileRange given = memref_store_indices(store);
  MlirValue operands[TILE_MAX_RANK + 2];
  intptr_t n = 0;
  operands[n++] = memref_store_value(store);
  operands[n++] = ring_seen_as(e, buffer, memref_store_memref(store));
  operands[n++] = role_slot_index(e, buffer->channel);
  for (intptr_t i = 0; i < given.n; i++)
    operands[n++] = tile_range_at(given, i);
  mlirOperationSetOperands(op, n, operands);
}

static void use_slots(RoleEmitter *e, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    TileRoleBuffer *buffer = operand_buffer(e, op, i);
    if (!buffer)
      continue;
    // The body of an element loop holds no views.
    TileParallelOp elements = tile_parallel_around(op);
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw,
                                            elements.op.ptr ? elements.op : op);
    if (memref_load_is(op)) {
      load_from_slot(e, op, buffer);
      return;
    }
    if (memref_store_is(op)) {
      store_to_slot(e, op, buffer);
      return;
    }
    mlirOperationSetOperand(op, i,
                            slot_of(e, buffer, mlirOperationGetOperand(op, i)));
  }
}

void role_use_slots(RoleEmitter *e, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  Uses uses = {e, NULL, 0, 0};
  mlirOperationWalk(op, find_use, &uses, MlirWalkPreOrder);
  // A loop over elements uses slots, the numbers of which it does not change.
  mlirRewriterBaseSetInsertionPointBefore(e->b.rw, op);
  for (int u = 0; u < uses.num_ops; u++)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(uses.ops[u]); i++) {
      TileRoleBuffer *buffer = operand_buffer(e, uses.ops[u], i);
      if (buffer)
        role_slot_index(e, buffer->channel);
    }
  for (int u = 0; u < uses.num_ops; u++)
    use_slots(e, uses.ops[u]);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
}

//===-- Reads of the tensor behind a tile ---------------------------------===//
//
// The fill copies window `from` of a tensor to box `fill->box` of the tile; the
// read is at `box` of the tile.

typedef struct {
  TileRegionOp from;
  const TileRoleFill *fill;
  MlirValue target;
  int tile_dim[TILE_MAX_RANK]; // per dimension of the tensor; -1: dropped
} Behind;

// The dimension of the tile that result dimension `dim` of the copied window
// lands in.
static int landing_dim(MlirValue target, int dim) {
  MlirValue cut = tile_buffer_of(target).region;
  if (!cut.ptr)
    return dim;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(cut));
  for (int d = 0; d < (int)tile_region_static_sizes_size(region); d++)
    if (tile_region_result_dim(region, d) == dim)
      return d;
  return -1;
}

static Behind behind(const TileRoleFill *fill) {
  TileCopyOp copy = tile_copy_cast(fill->node->op);
  Behind result = {tile_region_cast(mlirOpResultGetOwner(tile_copy_src(copy))),
                   fill,
                   tile_copy_dst(copy),
                   {0}};
  for (int d = 0; d < (int)tile_region_static_sizes_size(result.from); d++) {
    int dim = tile_region_result_dim(result.from, d);
    result.tile_dim[d] = dim < 0 ? -1 : landing_dim(result.target, dim);
  }
  return result;
}

static MlirValue int_value(RoleEmitter *e, TileInt value) {
  return tile_int_is_constant(value) ? tile_const_index(&e->b, value.constant)
                                     : value.value;
}

static TileInt add(RoleEmitter *e, TileInt a, TileInt b) {
  if (tile_int_is_constant(a) && tile_int_is_constant(b))
    return tile_int_constant(a.constant + b.constant);
  if (tile_int_is_constant(a) && a.constant == 0)
    return b;
  if (tile_int_is_constant(b) && b.constant == 0)
    return a;
  MlirValue left = int_value(e, a);
  return tile_int_value(arith_addi(&e->b, left, int_value(e, b)));
}

// Where coordinate `at` of the tile comes from, in dimension `dim` of the
// tensor.
static TileInt coordinate_behind(RoleEmitter *e, const Behind *behind, int dim,
                                 const TileInt *at) {
  TileInt offset = offset_of(e, behind->from, dim);
  int tile_dim = behind->tile_dim[dim];
  if (tile_dim < 0)
    return offset;
  TileInt base =
      tile_int_constant(-behind->fill->box.offset[tile_dim].constant);
  return add(e, add(e, offset, at[tile_dim]), base);
}

// Before `before`; null: at the end of the block.
static void insert_at(RoleEmitter *e, MlirBlock block, MlirOperation before) {
  if (before.ptr)
    mlirRewriterBaseSetInsertionPointBefore(e->b.rw, before);
  else
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
}

// Windows reach beyond the tensor: such elements are the pad.
static MlirValue load_or_pad(RoleEmitter *e, MlirType type, MlirValue tensor,
                             MlirValue pad, const MlirValue *indices, int rank,
                             MlirValue is_inside, MlirOperation before) {
  MlirBlock into = mlirRewriterBaseGetBlock(e->b.rw);
  MlirRegion branches[2];
  MlirBlock block[2];
  for (int i = 0; i < 2; i++) {
    branches[i] = mlirRegionCreate();
    block[i] = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(branches[i], block[i]);
  }
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block[0]);
  MlirValue loaded =
      memref_load(&e->b, .memref = tensor, .indices = {indices, rank});
  scf_yield(&e->b, .results = TILE_VALUES(loaded));
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block[1]);
  MlirValue outside = pad.ptr ? pad : tile_const_zero(&e->b, type);
  scf_yield(&e->b, .results = TILE_VALUES(outside));
  insert_at(e, into, before);
  // The results are those of the first branch.
  MlirOperation op =
      scf_if(&e->b, .condition = is_inside, .thenRegion = branches[0],
             .elseRegion = branches[1])
          .op;
  return mlirOperationGetResult(op, 0);
}

// `before`: before which the load stands, or null.
static MlirValue load_behind(RoleEmitter *e, MlirOperation op,
                             const Behind *behind, MlirOperation before) {
  TileRange given = memref_load_indices(memref_load_cast(op));
  MlirValue tensor = role_value(e, tile_region_source(behind->from));
  MlirValue pad = tile_region_pad(behind->from);
  TileInt at[TILE_MAX_RANK];
  for (intptr_t i = 0; i < given.n; i++)
    at[i] = tile_int_value(role_value(e, tile_range_at(given, i)));
  MlirValue indices[TILE_MAX_RANK], is_inside = {NULL};
  int rank = (int)tile_region_static_sizes_size(behind->from);
  for (int d = 0; d < rank; d++) {
    indices[d] = int_value(e, coordinate_behind(e, behind, d, at));
    MlirValue extent = memref_dim(&e->b, tensor, tile_const_index(&e->b, d));
    MlirValue fits = arith_cmpi(&e->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                .lhs = indices[d], .rhs = extent);
    is_inside = d ? arith_andi(&e->b, is_inside, fits) : fits;
  }
  return load_or_pad(e, mlirValueGetType(mlirOperationGetResult(op, 0)), tensor,
                     pad.ptr ? role_value(e, pad) : pad, indices, rank,
                     is_inside, before);
}

// The same elements as window `tile` of the tile.
static MlirValue window_behind(RoleEmitter *e, MlirValue tile,
                               const Behind *behind) {
  MlirValue cut = tile_buffer_of(tile).region;
  TileRegionOp region = {{NULL}};
  TileInt at[TILE_MAX_RANK];
  int64_t sizes[TILE_MAX_RANK];
  int rank = behind->fill->buffer->shape.rank;
  if (cut.ptr)
    region = tile_region_cast(mlirOpResultGetOwner(cut));
  for (int d = 0; d < rank; d++) {
    at[d] = cut.ptr ? offset_of(e, region, d) : tile_int_constant(0);
    sizes[d] = cut.ptr ? tile_region_static_sizes(region, d)
                       : behind->fill->buffer->shape.extent[d];
  }
  Window window = {.rank = 0};
  for (int d = 0; d < (int)tile_region_static_sizes_size(behind->from); d++) {
    int dim = behind->tile_dim[d];
    bool drops =
        dim < 0 || (cut.ptr && tile_region_result_dim(region, dim) < 0);
    window_add(&window, coordinate_behind(e, behind, d, at),
               dim < 0 ? 1 : sizes[dim], drops);
  }
  MlirValue pad = tile_region_pad(behind->from);
  return window_build(e, &window,
                      role_value(e, tile_region_source(behind->from)),
                      pad.ptr ? role_value(e, pad) : pad);
}

void role_emit_forwarded(RoleEmitter *e, const TileRoleNode *node) {
  Behind from = behind(node->forward);
  if (memref_load_is(node->op)) {
    mlirxMappingSet(e->map, mlirOperationGetResult(node->op, 0),
                    load_behind(e, node->op, &from, TILE_NULL_OP));
    return;
  }
  // A predicate of one tile.
  MlirValue tile = mlirOperationGetOperand(node->op, 0);
  MlirValue window = window_behind(e, tile, &from);
  MlirOperation clone = mlirxClone(e->b.rw, node->op, e->map);
  mlirOperationSetOperand(clone, 0, window);
}

static MlirWalkResult forward_load(MlirOperation op, void *user_data) {
  RoleEmitter *e = user_data;
  const TileRoleFill *fill = tile_pointer_map_get(&e->plan->forwards, op.ptr);
  if (!fill)
    return MlirWalkResultAdvance;
  MlirValue value = mlirOperationGetResult(op, 0);
  MlirOperation clone = mlirOpResultGetOwner(role_value(e, value));
  Behind from = behind(fill);
  mlirRewriterBaseSetInsertionPointBefore(e->b.rw, clone);
  MlirValue loaded = load_behind(e, op, &from, clone);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(clone, 0), loaded);
  mlirRewriterBaseEraseOp(e->b.rw, clone);
  mlirxMappingSet(e->map, value, loaded);
  return MlirWalkResultAdvance;
}

void role_forward_loads(RoleEmitter *e, MlirOperation loop) {
  MlirBlock block = mlirRewriterBaseGetBlock(e->b.rw);
  mlirOperationWalk(loop, forward_load, e, MlirWalkPreOrder);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
}

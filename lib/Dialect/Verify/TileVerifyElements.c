//===- TileVerifyElements.c - Constraints of element loops ----------------===//
//
// Labels such as (C2) are those of TileElementOps.td. What an access does wrong
// is reported at the access.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ElementLoops.h"
#include "Dialect/TileLayouts.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/scf.h"
#include "TileVerify.h"

//===-- tile.parallel: space and body -------------------------------------===//

static MlirLogicalResult verify_space(TileParallelOp loop) {
  intptr_t rank = tile_parallel_extents_size(loop);
  intptr_t num_indices = mlirBlockGetNumArguments(tile_parallel_block(loop));
  if (rank < 1 || rank > TILE_MAX_RANK)
    return tile_emit_error(loop.op, "expects 1 to %d extents, got %td",
                           TILE_MAX_RANK, rank);
  if (num_indices != rank)
    return tile_emit_error(loop.op,
                           "expects one index per extent: %td, got %td", rank,
                           num_indices);
  int64_t num_elems = 1;
  for (intptr_t d = 0; d < rank; d++) {
    MlirType type =
        mlirValueGetType(mlirBlockGetArgument(tile_parallel_block(loop), d));
    if (!mlirTypeIsAIndex(type))
      return tile_emit_error(loop.op,
                             "expects parallel indices of type index, "
                             "got %s",
                             tile_verify_type_text(type).chars);
    int64_t extent = tile_parallel_extents(loop, d);
    if (extent < 1)
      return tile_emit_error(
          loop.op, "expects extents of at least 1, got %" PRId64, extent);
    if (extent > TILE_MAX_TILE_ELEMS / num_elems)
      return tile_emit_error(loop.op, "expects at most %d elements",
                             TILE_MAX_TILE_ELEMS);
    num_elems *= extent;
  }
  return tile_success();
}

static bool is_private(MlirType type) {
  TileShape shape;
  return tile_shape_get(type, &shape) && shape.space == TILE_SPACE_PRIVATE;
}

// What one element can do by itself.
static bool is_element_op(MlirOperation op) {
  TileElementAccess access;
  if (tile_alloc_is(op))
    return is_private(mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (tile_op_is(op))
    return tile_unpack_is(op) || tile_pack_is(op) || tile_unpack_fp4_is(op) ||
           tile_print_is(op) || tile_assert_is(op);
  if (tile_element_access_get(op, &access) || scf_if_is(op) || scf_for_is(op) ||
      scf_while_is(op) || func_call_is(op) || mlirxIsTerminator(op))
    return true;
  return mlirOperationGetNumRegions(op) == 0 && mlirxIsMemoryEffectFree(op);
}

//===-- tile.parallel: accesses -------------------------------------------===//

typedef struct {
  MlirValue memref;
  TileElementAccess first; // access of it
  MlirOperation store;     // the first one, or null
} Buffer;

typedef struct {
  TileParallelOp loop;
  Buffer buffers[TILE_MAX_ACCESSES];
  int num_buffers;
  MlirLogicalResult result;
} LoopCheck;

static MlirLogicalResult verify_fragment_index(const LoopCheck *check,
                                               const TileElementAccess *access,
                                               int dim, int64_t extent,
                                               unsigned *inout_used) {
  MlirValue value = tile_range_at(access->indices, dim);
  int index = tile_parallel_index(check->loop, value);
  int64_t constant;
  if (index < 0 && mlirxConstantInt(value, &constant)) {
    if (constant >= 0 && constant < extent)
      return tile_success();
    return tile_emit_error(
        access->op, "expects index %d from 0 to %" PRId64 ", got %" PRId64, dim,
        extent - 1, constant);
  }
  if (index < 0)
    return tile_emit_error(
        access->op,
        "expects index %d of a fragment to be a parallel index or a constant: "
        "registers cannot be chosen at run time; tile.copy the fragment to "
        "shared memory and index that",
        dim);
  if (*inout_used & 1u << index)
    return tile_emit_error(access->op,
                           "names parallel index %d twice in a fragment; "
                           "tile.copy the fragment to shared memory and index "
                           "that",
                           index);
  *inout_used |= 1u << index;
  int64_t range = tile_parallel_extents(check->loop, index);
  if (range != extent)
    return tile_emit_error(access->op,
                           "expects parallel index %d to have the extent "
                           "%" PRId64 " of dimension %d of the fragment, got "
                           "%" PRId64,
                           index, extent, dim, range);
  return tile_success();
}

static MlirLogicalResult verify_fragment(const LoopCheck *check,
                                         const TileElementAccess *access,
                                         const TileShape *shape) {
  unsigned used = 0;
  for (int d = 0; d < shape->rank; d++)
    if (tile_failed(
            verify_fragment_index(check, access, d, shape->extent[d], &used)))
      return tile_failure();
  return tile_success();
}

static bool is_guarded(MlirOperation op, MlirOperation loop) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  for (; !mlirOperationEqual(parent, loop);
       parent = mlirOperationGetParentOperation(parent))
    if (scf_if_is(parent))
      return true;
  return false;
}

// (C4)
static MlirLogicalResult verify_store(const LoopCheck *check,
                                      const TileElementAccess *access,
                                      TileSpace space) {
  unsigned named = 0;
  if (space != TILE_SPACE_FRAGMENT && is_guarded(access->op, check->loop.op))
    return tile_success();
  for (intptr_t d = 0; d < access->indices.n; d++)
    named |= tile_parallel_dependence(check->loop,
                                      tile_range_at(access->indices, d));
  for (intptr_t k = 0; k < tile_parallel_extents_size(check->loop); k++)
    if (!(named & 1u << k) && tile_parallel_extents(check->loop, k) > 1)
      return tile_emit_error(
          access->op,
          "stores to one place for all %" PRId64 " values of parallel index "
          "%td; reduce first, or guard the store with scf.if%s",
          tile_parallel_extents(check->loop, k), k,
          space == TILE_SPACE_FRAGMENT ? " in shared memory" : "");
  return tile_success();
}

static bool same_indices(const TileElementAccess *a,
                         const TileElementAccess *b) {
  for (intptr_t d = 0; d < a->indices.n; d++) {
    MlirValue x = tile_range_at(a->indices, d),
              y = tile_range_at(b->indices, d);
    int64_t m, n;
    if (!mlirValueEqual(x, y) &&
        !(mlirxConstantInt(x, &m) && mlirxConstantInt(y, &n) && m == n))
      return false;
  }
  return true;
}

static Buffer *find_buffer(LoopCheck *check, const TileElementAccess *access) {
  for (int i = 0; i < check->num_buffers; i++)
    if (mlirValueEqual(check->buffers[i].memref, access->memref))
      return &check->buffers[i];
  if (check->num_buffers == TILE_MAX_ACCESSES)
    return NULL;
  Buffer *buffer = &check->buffers[check->num_buffers++];
  *buffer = (Buffer){access->memref, *access, {NULL}};
  return buffer;
}

static MlirLogicalResult verify_buffer(LoopCheck *check,
                                       const TileElementAccess *access,
                                       TileSpace space) {
  if (space == TILE_SPACE_PRIVATE) { // (C6)
    if (access->is_store &&
        !tile_value_is_inside(access->memref, check->loop.op))
      return tile_emit_error(access->op,
                             "stores to a private array from outside the loop: "
                             "its threads would hold different values; "
                             "allocate it in the body");
    return tile_success();
  }
  Buffer *buffer = find_buffer(check, access);
  if (!buffer) // (C7)
    return tile_emit_error(check->loop.op, "accesses more than %d buffers",
                           TILE_MAX_ACCESSES);
  if (access->is_store && mlirOperationIsNull(buffer->store))
    buffer->store = access->op;
  if (space == TILE_SPACE_FRAGMENT && !mlirOperationIsNull(buffer->store) &&
      !same_indices(access, &buffer->first)) // (C5)
    return tile_emit_error_with_note(
        access->op, mlirOperationGetLocation(buffer->first.op),
        "the other access is here",
        "accesses a fragment that the loop stores by other indices; tile.copy "
        "it to another fragment first");
  return tile_success();
}

// (C9)
static MlirLogicalResult verify_update(const TileElementAccess *access,
                                       const TileShape *shape) {
  TileElementUpdate update;
  MemRefAtomicRMWOp op = memref_atomic_rmw_cast(access->op);
  if (shape->space != TILE_SPACE_GLOBAL && shape->space != TILE_SPACE_SHARED &&
      shape->space != TILE_SPACE_CLUSTER)
    return tile_emit_error(
        access->op, "updates memory that no other thread sees, got it in %s",
        tile_space_name(shape->space));
  if (!tile_element_update_get(op, &update))
    return tile_emit_error(access->op,
                           "expects addf, addi, maximumf, maxs, maxu, "
                           "minimumf, mins, minu, andi, ori or xori");
  if (!tile_atomic_takes(update.kind, shape->element))
    return tile_emit_error(
        access->op, "cannot update %s; the table of tile.atomic lists what can",
        tile_verify_type_text(shape->element).chars);
  return tile_success();
}

static bool check_access(const TileElementAccess *access, void *user_data) {
  LoopCheck *check = user_data;
  TileShape shape;
  if (!tile_shape_of(access->memref, &shape) ||
      shape.space == TILE_SPACE_OTHER) {
    check->result = tile_emit_error(
        access->op,
        "expects a memref of rank 0 to %d in global, shared or "
        "private memory or a fragment, got %s",
        TILE_MAX_RANK,
        tile_verify_type_text(mlirValueGetType(access->memref)).chars);
    return false;
  }
  if (!tile_verify_is_element(shape.element)) { // (C10)
    check->result = tile_emit_error(
        access->op, "expects elements of %s, got %s", TILE_ELEMENT_TYPES,
        tile_verify_type_text(shape.element).chars);
    return false;
  }
  check->result = tile_success();
  if (shape.space == TILE_SPACE_FRAGMENT) // (C3)
    check->result = verify_fragment(check, access, &shape);
  if (access->is_atomic)
    check->result = verify_update(access, &shape);
  else if (!tile_failed(check->result) && access->is_store &&
           shape.space != TILE_SPACE_PRIVATE)
    check->result = verify_store(check, access, shape.space);
  if (!tile_failed(check->result))
    check->result = verify_buffer(check, access, shape.space);
  return !tile_failed(check->result);
}

//===-- tile.parallel -----------------------------------------------------===//

// (C8)
static MlirLogicalResult verify_layout(TileParallelOp loop) {
  TileLayout layout;
  TileReason error = {""};
  if (mlirAttributeIsNull(tile_parallel_layout_attr(loop)))
    return tile_success();
  bool is_read = tile_layout_of_loop(loop, &layout, &error) &&
                 tile_layout_check_axes(&layout, &error);
  if (is_read && tile_layout_find_axis(&layout.in, "reg") < 0)
    return tile_emit_error(loop.op,
                           "expects a layout of a fragment, got one of shared "
                           "memory");
  if (is_read && tile_layout_check_fragment(&layout, &error))
    return tile_success();
  return tile_emit_error(loop.op, "layout does not fit the loop: %s",
                         error.text);
}

static MlirWalkResult check_op(MlirOperation op, void *user_data) {
  LoopCheck *check = user_data;
  if (mlirOperationEqual(op, check->loop.op) || is_element_op(op))
    return MlirWalkResultAdvance;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  check->result = tile_emit_error(
      op,
      "cannot stand in the body of tile.parallel, which is scalar code of "
      "one element: '%.*s' is none",
      (int)name.length, name.data);
  return MlirWalkResultInterrupt;
}

MlirLogicalResult tile_parallel_verify_regions(MlirOperation op) {
  LoopCheck check = {.loop = tile_parallel_cast(op), .result = tile_success()};
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(verify_space(check.loop))) // (C1)
    return tile_failure();
  mlirOperationWalk(op, check_op, &check, MlirWalkPreOrder); // (C2)
  if (!tile_failed(check.result))
    tile_parallel_visit(check.loop, check_access, &check);
  return tile_failed(check.result) ? tile_failure() : verify_layout(check.loop);
}

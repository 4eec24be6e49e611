//===- ExpandArranged.c - Copies in another order as loops or views -------===//
//
// Consumes: `tile.arrange`; copies and updates between fragments and gathered
//           windows.
// Produces: `tile.parallel`; for a reshape `tile.view` and `tile.copy`; where
//           neither side fits, and for gathered windows, a shared tile, which a
//           remark says.
// Keeps:    everything else.
// Fails:    never.
// Method:   early, so that what may be assumed of tensors is asked for the
//           copies. Idempotent: what it consumes is gone.
//
//===----------------------------------------------------------------------===//

#include "ElementSides.h"

#include "Analysis/Loops/Loops.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "TilePasses.h"

//===-- Element loops -----------------------------------------------------===//

static bool has_dim(MlirAttribute dims, int dim) {
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(dims); i++)
    if (mlirDenseI64ArrayGetElement(dims, i) == dim)
      return true;
  return false;
}

static MlirValue reversed(TileBuilder *b, MlirValue index, int64_t extent) {
  return arith_subi(b, tile_const_index(b, extent - 1), index);
}

// Elements run in the order of the destination. A fragment is named by the
// indices of the loop themselves, so the other side counts backwards.
static void expand_in_order(TileBuilder *b, TileArrangeOp arrange,
                            MlirValue from_tile) {
  MlirAttribute broadcast = tile_arrange_broadcast_attr(arrange);
  MlirAttribute reverse = tile_arrange_reverse_attr(arrange);
  TileShape src, dst;
  tile_shape_of(from_tile, &src);
  tile_shape_of(tile_arrange_dst(arrange), &dst);
  bool src_is_named = src.space == TILE_SPACE_FRAGMENT;
  MlirRegion body = element_region_begin(b, dst.rank);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue read[TILE_MAX_RANK], written[TILE_MAX_RANK];
  int rank = 0; // of what is read
  for (int d = 0; d < dst.rank; d++) {
    MlirValue at = mlirBlockGetArgument(block, d);
    MlirValue back = has_dim(reverse, d) ? reversed(b, at, dst.extent[d]) : at;
    written[d] = src_is_named ? back : at;
    if (!has_dim(broadcast, d))
      read[rank++] = src_is_named ? at : back;
    else if (src.rank == dst.rank)
      read[rank++] = tile_const_index(b, 0);
  }
  ElementSide from, to;
  element_side_build(b, from_tile, read, &from);
  element_side_build(b, tile_arrange_dst(arrange), written, &to);
  element_side_write(
      b, &to, element_convert(b, element_side_read(b, &from), to.element));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, arrange.op);
  tile_parallel_op(b, .extents = {dst.extent, dst.rank}, .body = body);
}

// A shared tile with the shape and the elements of `src`, and its contents.
static MlirValue copy_to_scratch(TileBuilder *b, TileArrangeOp arrange) {
  TileShape src;
  tile_shape_of(tile_arrange_src(arrange), &src);
  MlirType type = mlirMemRefTypeContiguousGet(
      src.element, src.rank, src.extent,
      tile_space_attr(tile_builder_context(b), TILE_SPACE_SHARED));
  MlirValue scratch = tile_alloc(b, .type = type);
  tile_copy(b, .src = tile_arrange_src(arrange), .dst = scratch);
  tile_emit_remark(arrange.op, "tile-arrange/scratch",
                   "passes %lld bytes of shared memory",
                   (long long)(tile_shape_num_elems(&src) *
                               tile_elem_bits(src.element) / 8));
  return scratch;
}

// A tile itself, no window, in such memory.
static bool is_tile_in(MlirValue tile, TileSpace space) {
  TileShape shape;
  return mlirTypeIsAMemRef(mlirValueGetType(tile)) &&
         tile_shape_of(tile, &shape) && shape.space == space;
}

// `tile` with the shape of `other`.
static MlirValue view_as(TileBuilder *b, MlirValue tile, MlirValue other) {
  TileShape from, to;
  tile_shape_of(tile, &from);
  tile_shape_of(other, &to);
  MlirType type = mlirMemRefTypeContiguousGet(
      from.element, to.rank, to.extent,
      tile_space_attr(tile_builder_context(b), from.space));
  return tile_view(b, .type = type, .source = tile);
}

static void expand_reshape(TileBuilder *b, TileArrangeOp arrange) {
  static const TileSpace spaces[] = {TILE_SPACE_SHARED, TILE_SPACE_FRAGMENT};
  MlirValue src = tile_arrange_src(arrange), dst = tile_arrange_dst(arrange);
  for (int i = 0; i < 2; i++) {
    if (is_tile_in(dst, spaces[i])) {
      tile_copy(b, .src = src, .dst = view_as(b, dst, src));
      return;
    }
    if (is_tile_in(src, spaces[i])) {
      tile_copy(b, .src = view_as(b, src, dst), .dst = dst);
      return;
    }
  }
  MlirValue scratch = copy_to_scratch(b, arrange);
  tile_copy(b, .src = view_as(b, scratch, dst), .dst = dst);
}

static void expand_arrange(TileBuilder *b, TileArrangeOp arrange) {
  MlirValue src = tile_arrange_src(arrange), dst = tile_arrange_dst(arrange);
  bool reverses =
      mlirDenseArrayGetNumElements(tile_arrange_reverse_attr(arrange)) > 0;
  if (tile_arrange_reshape(arrange))
    expand_reshape(b, arrange);
  else if (reverses && is_tile_in(src, TILE_SPACE_FRAGMENT) &&
           is_tile_in(dst, TILE_SPACE_FRAGMENT))
    expand_in_order(b, arrange, copy_to_scratch(b, arrange));
  else
    expand_in_order(b, arrange, src);
  mlirRewriterBaseEraseOp(b->rw, arrange.op);
}

//===-- Fragments and gathered windows ------------------------------------===//

static bool is_fragment(MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape) && shape.space == TILE_SPACE_FRAGMENT;
}

// Between a fragment and places of a tensor that numbers name.
static bool scatters_fragment(MlirOperation op) {
  if (tile_copy_is(op)) {
    MlirValue src = tile_copy_src(tile_copy_cast(op));
    MlirValue dst = tile_copy_dst(tile_copy_cast(op));
    return (tile_window_is_gathered(src) && is_fragment(dst)) ||
           (tile_window_is_gathered(dst) && is_fragment(src));
  }
  if (!tile_atomic_is(op))
    return false;
  TileAtomicOp atomic = tile_atomic_cast(op);
  return tile_window_is_gathered(tile_atomic_dst(atomic)) &&
         is_fragment(tile_atomic_src(atomic));
}

// A shared tile of the elements of the tensor, or of what an update adds.
static MlirValue scratch_alike(TileBuilder *b, MlirValue tile) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  MlirType type = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      tile_space_attr(tile_builder_context(b), TILE_SPACE_SHARED));
  return tile_alloc(b, .type = type);
}

static void remark_scratch(MlirOperation op, MlirValue scratch) {
  TileShape shape;
  tile_shape_of(scratch, &shape);
  tile_emit_remark(op, "tile-gather/scratch",
                   "passes %lld bytes of shared memory between the fragment "
                   "and the rows that numbers name",
                   (long long)(tile_shape_num_elems(&shape) *
                               tile_elem_bits(shape.element) / 8));
}

// Rows in shared memory move 16 bytes at a time, whoever holds their elements.
static void expand_scatter(TileBuilder *b, MlirOperation op) {
  bool is_load = tile_copy_is(op) &&
                 tile_window_is_gathered(tile_copy_src(tile_copy_cast(op)));
  intptr_t fragment = is_load; // number of the operand
  MlirValue scratch = scratch_alike(
      b, tile_copy_is(op) ? mlirOperationGetOperand(op, !fragment)
                          : mlirOperationGetOperand(op, fragment));
  if (!is_load)
    tile_copy(b, .src = mlirOperationGetOperand(op, fragment), .dst = scratch);
  mlirRewriterBaseSetInsertionPointAfter(b->rw, op);
  if (is_load)
    tile_copy(b, .src = scratch, .dst = mlirOperationGetOperand(op, fragment));
  mlirOperationSetOperand(op, fragment, scratch);
  remark_scratch(op, scratch);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  if (tile_arrange_is(op) || scatters_fragment(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileOpList ops = {.arena = user_data};
  mlirOperationWalk(kernel, plan_visit, &ops, MlirWalkPreOrder);
  TileBuilder b = element_rewrite_begin(kernel);
  for (size_t i = 0; i < ops.count; i++) {
    element_rewrite_at(&b, ops.items[i]);
    if (tile_arrange_is(ops.items[i]))
      expand_arrange(&b, tile_arrange_cast(ops.items[i]));
    else
      expand_scatter(&b, ops.items[i]);
  }
  mlirIRRewriterDestroy(b.rw);
  return tile_success();
}

MlirLogicalResult
tile_expand_arranged_run(MlirOperation op,
                         const TileExpandArrangedOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}

//===- GraphStage.c - Tiles, windows, and copies of windows to tiles ------===//
//
// Tiles have the extents of their memrefs that are not 1. A window is copied to
// a tile once, where several ops of a block read it and nothing writes it, and
// before a loop where no round changes it.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Graphs/Graphs.h"

#include "Tile/Ops/scf.h"

//===-- Numbers -----------------------------------------------------------===//

// A value of the plan in the launch.
static MlirValue in_launch(const TileGraphEmit *emit, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), emit->from))
    return value;
  return emit->ids[mlirBlockArgumentGetArgNumber(value)];
}

MlirValue tile_graph_int_value(TileGraphEmit *emit, TileInt value) {
  return tile_int_is_constant(value)
             ? tile_const_index(&emit->b, value.constant)
             : in_launch(emit, value.value);
}

static bool is_number(const TileGraphOffset *offset) {
  return offset->num_terms == 0;
}

MlirValue tile_graph_offset_value(TileGraphEmit *emit,
                                  const TileGraphOffset *offset,
                                  MlirValue more) {
  MlirValue sum = more;
  for (int i = 0; i < offset->num_terms; i++) {
    MlirValue term = in_launch(emit, offset->terms[i]);
    sum = sum.ptr ? arith_addi(&emit->b, sum, term) : term;
  }
  if (offset->factor) {
    MlirValue term = arith_muli(&emit->b, in_launch(emit, offset->scaled),
                                tile_const_index(&emit->b, offset->factor));
    sum = sum.ptr ? arith_addi(&emit->b, sum, term) : term;
  }
  if (sum.ptr && !offset->constant)
    return sum;
  MlirValue constant = tile_const_index(&emit->b, offset->constant);
  return sum.ptr ? arith_addi(&emit->b, sum, constant) : constant;
}

//===-- Tiles -------------------------------------------------------------===//

TileGraphView tile_graph_view_of_bounds(int rank, const int64_t *bound) {
  TileGraphView view = {.rank = 0};
  for (int d = 0; d < rank; d++) {
    view.dim[d] = -1;
    if (bound[d] == 1)
      continue;
    view.dim[d] = view.rank;
    view.extent[view.rank++] = bound[d];
  }
  if (view.rank == 0)
    view.extent[view.rank++] = 1;
  return view;
}

MlirValue tile_graph_alloc(TileGraphEmit *emit, const TileGraphView *view,
                           MlirType element, TileSpace space) {
  MlirType type = mlirMemRefTypeContiguousGet(
      element, view->rank, view->extent,
      tile_space_attr(tile_builder_context(&emit->b), space));
  TileBuilder at = emit->b;
  at.rw = mlirIRRewriterCreate(tile_builder_context(&emit->b));
  mlirRewriterBaseSetInsertionPointBefore(at.rw, emit->mark);
  MlirValue tile = tile_alloc(&at, .type = type);
  mlirIRRewriterDestroy(at.rw);
  return tile;
}

MlirValue tile_graph_window(TileGraphEmit *emit,
                            const TileGraphOperand *operand,
                            const TileGraphView *view) {
  int64_t marker = mlirShapedTypeGetDynamicStrideOrOffset();
  int64_t offsets[TILE_MAX_RANK], sizes[TILE_MAX_RANK], dropped[TILE_MAX_RANK];
  MlirValue values[TILE_MAX_RANK];
  bool is_kept[TILE_MAX_RANK] = {false};
  int num_values = 0, num_dropped = 0, num_kept = 0, rank = operand->root_rank;
  for (int r = 0; r < rank; r++) {
    sizes[r] = 1;
    offsets[r] = operand->offset[r].constant;
    if (is_number(&operand->offset[r]))
      continue;
    offsets[r] = marker;
    values[num_values++] =
        tile_graph_offset_value(emit, &operand->offset[r], TILE_NULL_VALUE);
  }
  for (int d = 0; d < operand->rank; d++) {
    if (operand->root_dim[d] < 0 || view->dim[d] < 0)
      continue;
    sizes[operand->root_dim[d]] = view->extent[view->dim[d]];
    is_kept[operand->root_dim[d]] = true;
    num_kept++;
  }
  if (!num_kept)
    is_kept[rank - 1] = true;
  for (int r = 0; r < rank; r++)
    if (!is_kept[r])
      dropped[num_dropped++] = r;
  return tile_region(
      &emit->b, .source = operand->root, .offsets = {values, num_values},
      .static_offsets = {offsets, rank}, .static_sizes = {sizes, rank},
      .dropped = {dropped, num_dropped});
}

// A copy of a window that was made before.
typedef struct TileGraphStaged {
  struct TileGraphStaged *next;
  MlirValue value; // the window
  MlirBlock block; // of the copy
  TileSpace space;
  TileGraphView view;
} TileGraphStaged;

static bool is_written(const TileGraphPlan *plan, MlirValue root) {
  for (const TileGraphOp *op = plan->ops; op; op = op->next)
    for (int i = op->num_operands - op->num_outs; i < op->num_operands; i++)
      if (!op->operands[i].tile && mlirValueEqual(op->operands[i].root, root))
        return true;
  return false;
}

static bool is_same_view(const TileGraphView *a, const TileGraphView *b) {
  return a->rank == b->rank &&
         !memcmp(a->extent, b->extent, sizeof *a->extent * (size_t)a->rank);
}

static TileGraphStaged *find_staged(const TileGraphEmit *emit,
                                    const TileGraphOperand *operand,
                                    const TileGraphView *view,
                                    TileSpace space) {
  MlirBlock block = mlirRewriterBaseGetInsertionBlock(emit->b.rw);
  TileGraphStaged *staged = emit->staged;
  while (staged &&
         !(mlirValueEqual(staged->value, operand->value) &&
           mlirBlockEqual(staged->block, block) && staged->space == space &&
           is_same_view(&staged->view, view)))
    staged = staged->next;
  return staged;
}

static void keep_staged(TileGraphEmit *emit, const TileGraphOperand *operand,
                        const TileGraphView *view, TileSpace space) {
  if (is_written(emit->plan, operand->root))
    return;
  TileGraphStaged *staged =
      TILE_ARENA_NEW(emit->plan->arena, TileGraphStaged, 1);
  *staged = (TileGraphStaged){emit->staged, operand->value,
                              mlirRewriterBaseGetInsertionBlock(emit->b.rw),
                              space, *view};
  emit->staged = staged;
}

static TileGraphView stage_at(TileGraphEmit *emit,
                              const TileGraphOperand *operand,
                              TileGraphView view, TileSpace space) {
  TileGraphStaged *staged = find_staged(emit, operand, &view, space);
  if (staged)
    return staged->view;
  view.memref = tile_graph_alloc(emit, &view, operand->element, space);
  tile_copy(&emit->b, .src = tile_graph_window(emit, operand, &view),
            .dst = view.memref);
  keep_staged(emit, operand, &view, space);
  return view;
}

// Whether where the window begins is known before the loop.
static bool begins_before(const TileGraphOperand *operand, MlirOperation loop) {
  for (int r = 0; r < operand->root_rank; r++)
    for (int i = 0; i < operand->offset[r].num_terms; i++)
      if (tile_value_is_inside(operand->offset[r].terms[i], loop))
        return false;
  return !tile_value_is_inside(operand->root, loop);
}

// What no round of a loop changes is copied before it.
static TileGraphView stage_before(TileGraphEmit *emit,
                                  const TileGraphOperand *operand,
                                  TileGraphView view, TileSpace space) {
  MlirRewriterBase rw = emit->b.rw;
  MlirOperation loop = mlirBlockGetParentOperation(
      mlirRewriterBaseGetInsertionBlock(emit->b.rw));
  emit->b.rw = mlirIRRewriterCreate(tile_builder_context(&emit->b));
  mlirRewriterBaseSetInsertionPointBefore(emit->b.rw, loop);
  view = stage_at(emit, operand, view, space);
  mlirIRRewriterDestroy(emit->b.rw);
  emit->b.rw = rw;
  return view;
}

TileGraphView tile_graph_stage(TileGraphEmit *emit,
                               const TileGraphOperand *operand,
                               const int64_t *bound, TileSpace space) {
  TileGraphView view = tile_graph_view_of_bounds(operand->rank, bound);
  if (operand->tile) {
    view.memref = operand->tile->tile;
    return view;
  }
  MlirOperation loop = mlirBlockGetParentOperation(
      mlirRewriterBaseGetInsertionBlock(emit->b.rw));
  bool is_before = space == TILE_SPACE_FRAGMENT &&
                   !tile_graph_has_rows(operand) && scf_for_is(loop) &&
                   !is_written(emit->plan, operand->root) &&
                   begins_before(operand, loop);
  return is_before ? stage_before(emit, operand, view, space)
                   : stage_at(emit, operand, view, space);
}

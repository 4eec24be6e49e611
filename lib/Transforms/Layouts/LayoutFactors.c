//===- LayoutFactors.c - Fragments that products read in another layout ---===//
//
// Part of layout inference: a conversion that it chose is a copy in the IR, so
// that the lowering of a product finds its factor as the instruction reads it.
//
//===----------------------------------------------------------------------===//

#include "LayoutFactors.h"

#include "Dialect/Products.h"
#include "Support/Build.h"

enum { LAYOUT_TEXT_CAPACITY = 2048, NUM_FACTORS = 2 };

static bool needs_conversion(const TileInferModel *model,
                             const TileInferResult *result, int op, int operand,
                             TileLayout *out_layout) {
  int buffer = model->problem->op[op].operand[operand].buffer;
  return model->problem->buffer[buffer].space == TILE_INFER_FRAGMENT &&
         tile_infer_operand_layout(model, result, op, operand, out_layout) &&
         !tile_layout_equal(out_layout,
                            model->domain[buffer].core[result->choice[buffer]]);
}

static const char *layout_text(TileArena *arena, const TileInferModel *model,
                               int op, int operand, const TileLayout *layout) {
  int buffer = model->problem->op[op].operand[operand].buffer;
  char text[LAYOUT_TEXT_CAPACITY];
  int length = tile_layout_print(
      layout, model->problem->buffer[buffer].elem_bits, text, sizeof text);
  return tile_arena_strdup(arena, text, (size_t)length);
}

int tile_layout_factors_find(TileArena *arena, const TileLayoutProblem *problem,
                             const TileInferModel *model,
                             const TileInferResult *result,
                             TileLayoutFactor **out_factors) {
  TileLayout layout;
  int count = 0, num_ops = problem->problem.num_ops;
  *out_factors = TILE_ARENA_NEW(arena, TileLayoutFactor, NUM_FACTORS * num_ops);
  for (int i = 0; i < num_ops; i++)
    for (int o = 0; o < NUM_FACTORS; o++)
      if (problem->problem.op[i].kind == TILE_INFER_GEMM &&
          needs_conversion(model, result, i, o, &layout))
        (*out_factors)[count++] = (TileLayoutFactor){
            problem->ops[i], o, layout_text(arena, model, i, o, &layout)};
  return count;
}

void tile_layout_factor_apply(const TileLayoutFactor *factor) {
  MlirOperation op = factor->product;
  int operand = tile_product_operand(op, factor->factor);
  MlirContext context = mlirOperationGetContext(op);
  MlirValue source = mlirOperationGetOperand(op, operand);
  TileBuilder b = {mlirIRRewriterCreate(context), mlirOperationGetLocation(op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, op);
  MlirValue converted =
      tile_alloc(&b, .type = mlirValueGetType(tile_buffer_of(source).base),
                 .layout = tile_layout_attr(context, tile_str(factor->layout)));
  tile_copy(&b, .src = source, .dst = converted,
            .instr = TILE_SOME(TILE_INSTR_Simt));
  mlirOperationSetOperand(op, operand, converted);
  mlirIRRewriterDestroy(b.rw);
}

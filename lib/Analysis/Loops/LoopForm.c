//===- LoopForm.c - scf.for and scf.while as one --------------------------===//
//
//   scf.for     block (iv, carried) yields the next carried values
//   scf.while   block (carried) decides and forwards values that it computes;
//               block (forwarded) yields the next carried values
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

bool tile_loop_form_get(MlirOperation op, TileLoopForm *out_form) {
  *out_form = (TileLoopForm){.op = op};
  if (scf_for_is(op)) {
    out_form->body = mlirRegionGetFirstBlock(scf_for_region(scf_for_cast(op)));
    out_form->num_carried = mlirOperationGetNumResults(op);
    return true;
  }
  if (!scf_while_is(op))
    return false;
  ScfWhileOp loop = scf_while_cast(op);
  out_form->condition = mlirRegionGetFirstBlock(scf_while_before(loop));
  out_form->body = mlirRegionGetFirstBlock(scf_while_after(loop));
  out_form->num_carried = mlirBlockGetNumArguments(out_form->condition);
  return true;
}

MlirValue tile_loop_form_update(const TileLoopForm *form, intptr_t c) {
  return mlirOperationGetOperand(mlirBlockGetTerminator(form->body), c - 1);
}

MlirValue tile_loop_form_argument(const TileLoopForm *form, intptr_t c) {
  return form->condition.ptr ? mlirBlockGetArgument(form->condition, c - 1)
                             : mlirBlockGetArgument(form->body, c);
}

intptr_t tile_loop_form_find(const TileLoopForm *form, MlirValue value) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (form->condition.ptr)
    return mlirBlockEqual(block, form->condition) ? number + 1 : -1;
  return mlirBlockEqual(block, form->body) ? number : -1;
}

ScfConditionOp tile_loop_form_condition(const TileLoopForm *form) {
  return scf_condition_cast(mlirBlockGetTerminator(form->condition));
}

MlirValue tile_loop_form_forwarded(const TileLoopForm *form, MlirValue value) {
  if (!form->condition.ptr || !mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), form->body))
    return TILE_NULL_VALUE;
  return tile_range_at(scf_condition_args(tile_loop_form_condition(form)),
                       mlirBlockArgumentGetArgNumber(value));
}

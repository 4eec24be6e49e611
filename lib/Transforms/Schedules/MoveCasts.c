//===- MoveCasts.c - Casts where a tensor has the fewest bytes ------------===//
//
// A kernel that widens a tensor before others read parts of it writes twice the
// bytes, and is one more kernel: the others widen what they read. Likewise the
// parts of a joined tensor are narrowed before they are joined.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Support/Iterate.h"

static MlirOperation owner_of(MlirValue value) {
  return mlirValueIsABlockArgument(value) ? TILE_NULL_OP
                                          : mlirOpResultGetOwner(value);
}

static bool is_view(MlirOperation op) {
  return tile_op_name_begins(op, "tensor.expand_shape") ||
         tile_op_name_begins(op, "tensor.collapse_shape");
}

static bool is_insert(MlirOperation op) {
  return tile_op_name_begins(op, "tensor.insert_slice");
}

// Loops that only convert each element by the op that `is_cast` knows.
static bool is_cast_of_all(MlirOperation op, bool (*is_cast)(MlirOperation)) {
  TileNest nest;
  if (!op.ptr || !tile_nest_of(op, &nest) ||
      !tile_op_name_begins(op, "linalg.generic") || nest.num_operands != 2 ||
      nest.num_outs != 1 || !mlirAffineMapIsIdentity(nest.maps[0]) ||
      !mlirAffineMapIsIdentity(nest.maps[1]) ||
      !mlirTypeIsARankedTensor(
          mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation first = mlirBlockGetFirstOperation(body);
  MlirOperation yield = mlirBlockGetTerminator(body);
  return is_cast(first) &&
         mlirValueEqual(mlirOperationGetOperand(first, 0),
                        mlirBlockGetArgument(body, 0)) &&
         mlirOperationEqual(mlirOperationGetNextInBlock(first), yield) &&
         mlirValueEqual(mlirOperationGetOperand(yield, 0), result_of(first));
}

// The same op on other operands, with elements of another type.
static MlirValue rebuilt(TileBuilder *b, MlirOperation op, MlirValue first,
                         MlirValue second) {
  MlirOperation copy = mlirOperationClone(op);
  mlirOperationSetOperand(copy, 0, first);
  if (second.ptr)
    mlirOperationSetOperand(copy, 1, second);
  mlirValueSetType(result_of(copy), tensor_type(mlirValueGetType(result_of(op)),
                                                element_of(first)));
  mlirRewriterBaseInsert(b->rw, copy);
  return result_of(copy);
}

static MlirWalkResult widen_later(MlirOperation op, void *user_data) {
  TileBuilder *b = user_data;
  if (!is_view(op) && !tile_op_name_begins(op, "tensor.extract_slice"))
    return MlirWalkResultAdvance;
  MlirOperation cast = owner_of(mlirOperationGetOperand(op, 0));
  if (!is_cast_of_all(cast, arith_extf_is))
    return MlirWalkResultAdvance;
  b->loc = mlirOperationGetLocation(cast);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  MlirValue narrow =
      rebuilt(b, op, mlirOperationGetOperand(cast, 0), TILE_NULL_VALUE);
  mlirValueReplaceAllUsesOfWith(
      result_of(op), converted(b, narrow, element_of(result_of(op))));
  mlirRewriterBaseEraseOp(b->rw, op);
  return MlirWalkResultSkip;
}

// Whether the value is parts that are joined in an empty tensor, and used once.
static bool is_joined(MlirValue value, int *num_parts) {
  MlirOperation op = owner_of(value);
  if (!op.ptr || tile_op_name_begins(op, "tensor.empty"))
    return op.ptr && *num_parts > 0;
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
      (!is_view(op) && !is_insert(op)))
    return false;
  *num_parts += is_insert(op);
  return is_joined(mlirOperationGetOperand(op, is_insert(op)), num_parts);
}

static MlirValue joined_as(TileBuilder *b, MlirValue value, MlirType element) {
  MlirOperation op = owner_of(value);
  if (tile_op_name_begins(op, "tensor.empty"))
    return empty_like(b, value, element);
  if (is_view(op))
    return rebuilt(b, op, joined_as(b, mlirOperationGetOperand(op, 0), element),
                   TILE_NULL_VALUE);
  MlirValue rest = joined_as(b, mlirOperationGetOperand(op, 1), element);
  MlirValue part = converted(b, mlirOperationGetOperand(op, 0), element);
  return rebuilt(b, op, part, rest);
}

static MlirWalkResult narrow_before(MlirOperation op, void *user_data) {
  TileBuilder *b = user_data;
  int num_parts = 0;
  if (!is_cast_of_all(op, arith_truncf_is) ||
      !is_joined(mlirOperationGetOperand(op, 0), &num_parts))
    return MlirWalkResultAdvance;
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  MlirValue made =
      joined_as(b, mlirOperationGetOperand(op, 0), element_of(result_of(op)));
  mlirValueReplaceAllUsesOfWith(result_of(op), made);
  mlirRewriterBaseEraseOp(b->rw, op);
  return MlirWalkResultSkip;
}

void tile_casts_move(TileBuilder *b, MlirOperation function) {
  mlirOperationWalk(function, widen_later, b, MlirWalkPostOrder);
  mlirOperationWalk(function, narrow_before, b, MlirWalkPostOrder);
}

//===- PadWindows.c - Windows over images that are padded -----------------===//
//
// A window that meets a pad reads nothing there: the loops of a pooling, or of
// a convolution that is no product, read the image from before it was padded,
// and the value of the pad beyond it. So no kernel copies the image.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Convolution.h"
#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Iterate.h"
#include "mlir-c/AffineExpr.h"

typedef struct {
  MlirOperation op;
  MlirValue image, value; // before the pad; what the pad is
  int64_t before[TILE_MAX_IMAGE_DIMS], after[TILE_MAX_IMAGE_DIMS];
  int rank;
} Pad;

// Pads of one value by numbers of elements that are known.
static bool read_pad(MlirValue tensor, Pad *out) {
  MlirOperation op = owner_of(tensor);
  if (!op.ptr || !tile_op_name_begins(op, "tensor.pad") ||
      mlirOperationGetNumOperands(op) != 1)
    return false;
  *out = (Pad){
      .op = op,
      .image = mlirOperationGetOperand(op, 0),
      .value = mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0),
      .rank = (int)mlirShapedTypeGetRank(mlirValueGetType(tensor))};
  MlirAttribute low =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("static_low"));
  MlirAttribute high =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("static_high"));
  if (tile_value_is_inside(out->value, op) || out->rank > TILE_MAX_IMAGE_DIMS)
    return false;
  for (int d = 0; d < out->rank; d++) {
    out->before[d] = mlirDenseI64ArrayGetElement(low, d);
    out->after[d] = mlirDenseI64ArrayGetElement(high, d);
    if (out->before[d] < 0 || out->after[d] < 0)
      return false;
  }
  return true;
}

//===-- The element that a window meets -----------------------------------===//

typedef struct {
  TileBuilder outside, inside; // of the body
} Builders;

static bool is_understood(MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr) || mlirAffineExprIsAConstant(expr))
    return true;
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return false;
  return is_understood(mlirAffineBinaryOpExprGetLHS(expr)) &&
         is_understood(mlirAffineBinaryOpExprGetRHS(expr));
}

static MlirValue value_of(Builders *b, MlirAffineExpr expr) {
  if (mlirAffineExprIsADim(expr))
    return index_at(&b->inside, mlirAffineDimExprGetPosition(expr));
  if (mlirAffineExprIsAConstant(expr))
    return tile_const_index(&b->outside, mlirAffineConstantExprGetValue(expr));
  MlirValue left = value_of(b, mlirAffineBinaryOpExprGetLHS(expr));
  MlirValue right = value_of(b, mlirAffineBinaryOpExprGetRHS(expr));
  return mlirAffineExprIsAAdd(expr) ? arith_addi(&b->inside, left, right)
                                    : arith_muli(&b->inside, left, right);
}

static MlirValue element_at(Builders *b, const Pad *pad, MlirAffineMap map) {
  MlirValue operands[1 + TILE_MAX_IMAGE_DIMS] = {pad->image};
  MlirValue is_inside = TILE_NULL_VALUE;
  for (int d = 0; d < pad->rank; d++) {
    MlirValue at = value_of(b, mlirAffineMapGetResult(map, d));
    MlirType type = mlirValueGetType(pad->image);
    MlirValue extent =
        mlirShapedTypeIsDynamicDim(type, d)
            ? extent_of(&b->outside, pad->image, d)
            : tile_const_index(&b->outside, mlirShapedTypeGetDimSize(type, d));
    if (pad->before[d])
      at = arith_subi(&b->inside, at,
                      tile_const_index(&b->outside, pad->before[d]));
    if (pad->before[d] || pad->after[d]) {
      MlirValue fits =
          arith_cmpi(&b->inside, .predicate = ARITH_CMP_I_PREDICATE_ult,
                     .lhs = at, .rhs = extent);
      is_inside =
          is_inside.ptr ? arith_andi(&b->inside, is_inside, fits) : fits;
    }
    MlirValue one = tile_const_index(&b->outside, 1);
    MlirValue last = arith_subi(&b->outside, extent, one);
    operands[1 + d] = arith_minui(&b->inside, at, last); // of pads: any
  }
  MlirValue value = result_of(make(&b->inside, "tensor.extract",
                                   (TileValues){operands, 1 + pad->rank},
                                   element_of(pad->image), NULL));
  return is_inside.ptr ? arith_select(&b->inside, is_inside, value, pad->value)
                       : value;
}

//===-- Entry -------------------------------------------------------------===//

void tile_window_unpad(TileBuilder *b, MlirOperation op) {
  TileNest nest;
  Pad pad;
  MlirValue operands[TILE_NEST_MAX_OPERANDS], args[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  MlirContext context = tile_builder_context(b);
  if (!tile_nest_of(op, &nest) || nest.num_outs != 1 || nest.num_operands < 3 ||
      !read_pad(mlirOperationGetOperand(op, 0), &pad))
    return;
  for (int d = 0; d < pad.rank; d++)
    if (!is_understood(mlirAffineMapGetResult(nest.maps[0], d)))
      return;
  int count = nest.num_operands - 1; // all but the image
  for (int i = 0; i < count; i++) {
    operands[i] = mlirOperationGetOperand(op, 1 + i);
    maps[i] = mlirAffineMapAttrGet(nest.maps[1 + i]);
  }
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  Builders builders = {*b, {mlirIRRewriterCreate(context), b->loc}};
  MlirRegion body =
      body_begin(&builders.inside, (TileValues){operands, count}, args);
  MlirxMapping map = mlirxMappingCreate();
  MlirBlock old = body_of(op);
  mlirxMappingSet(map, mlirBlockGetArgument(old, 0),
                  element_at(&builders, &pad, nest.maps[0]));
  for (int i = 0; i < count; i++)
    mlirxMappingSet(map, mlirBlockGetArgument(old, 1 + i), args[i]);
  TILE_FOR_EACH_OP (inner, old)
    mlirxClone(builders.inside.rw, inner, map);
  mlirxMappingDestroy(map);
  mlirIRRewriterDestroy(builders.inside.rw);
  MlirValue made = generic(b, (TileValues){operands, count},
                           mlirArrayAttrGet(context, count, maps),
                           iterator_types(context, &nest), body);
  mlirValueReplaceAllUsesOfWith(result_of(op), made);
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===- AttentionScale.c - What logits are scaled by -----------------------===//
//
// e^(c s - max c s) is a power of two of one multiplication and addition,
// 2^(k s - k max s) with k = c log2 e, where c is positive and every logit is c
// times a score or -inf. Where a mask hides by a finite number the difference
// comes first: of a row of hidden logits alone all weights are alike. Constants
// that scale queries or keys scale the logits instead, so that the product
// reads the factors where a kernel before left them.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Attention.h"

#include "Tile/Ops/arith.h"
#include <math.h>

/// An op of linalg on elements.
typedef struct {
  TileNest nest;
  MlirBlock body;
  MlirOperation inner; // what the body yields
} Step;

static bool step_of(MlirValue tensor, Step *out) {
  if (mlirValueIsABlockArgument(tensor) ||
      !tile_nest_of(mlirOpResultGetOwner(tensor), &out->nest) ||
      out->nest.kind != TILE_NEST_ELEMENTS || out->nest.num_outs != 1)
    return false;
  out->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(out->nest.op, 0));
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(out->body), 0);
  if (mlirValueIsABlockArgument(yielded))
    return false;
  out->inner = mlirOpResultGetOwner(yielded);
  return mlirBlockEqual(mlirOperationGetBlock(out->inner), out->body) &&
         mlirAffineMapIsIdentity(out->nest.maps[out->nest.num_operands - 1]);
}

// The constant that every element of a tensor is.
static bool number_of_tensor(MlirValue tensor, double *out) {
  MlirAttribute attr;
  if (mlirValueIsABlockArgument(tensor))
    return false;
  MlirOperation op = mlirOpResultGetOwner(tensor);
  if (tile_op_name_begins(op, "linalg.fill"))
    tensor = mlirOperationGetOperand(op, 0);
  if (!mlirxConstantAttr(tensor, &attr))
    return false;
  if (mlirAttributeIsADenseElements(attr) && mlirDenseElementsAttrIsSplat(attr))
    attr = mlirDenseElementsAttrGetSplatValue(attr);
  if (!mlirAttributeIsAFloat(attr))
    return false;
  *out = mlirFloatAttrGetValueDouble(attr);
  return true;
}

// The constant that operand `i` of the op in the body is for every element.
static bool constant_operand(const Step *step, int i, double *out) {
  MlirValue value = mlirOperationGetOperand(step->inner, i);
  MlirAttribute attr;
  bool is_element =
      mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), step->body);
  if (is_element) {
    value = mlirOperationGetOperand(step->nest.op,
                                    mlirBlockArgumentGetArgNumber(value));
    if (mlirTypeIsATensor(mlirValueGetType(value)))
      return number_of_tensor(value, out);
  }
  if (!mlirxConstantAttr(value, &attr) || !mlirAttributeIsAFloat(attr))
    return false;
  *out = mlirFloatAttrGetValueDouble(attr);
  return true;
}

// The tensor whose element operand `i` is at its own place; null: something
// else.
static MlirValue tensor_operand(const Step *step, int i) {
  MlirValue value = mlirOperationGetOperand(step->inner, i);
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value), step->body))
    return TILE_NULL_VALUE;
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  return mlirAffineMapIsIdentity(step->nest.maps[number])
             ? mlirOperationGetOperand(step->nest.op, number)
             : TILE_NULL_VALUE;
}

static bool is_used_once(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

// What a mask keeps, which decides nothing itself; `*hidden` is the number in
// place of others.
static MlirValue kept_by_mask(const Step *step, double *hidden) {
  for (int i = 1; i <= 2 && arith_select_is(step->inner); i++)
    if (constant_operand(step, i, hidden) &&
        is_used_once(mlirOperationGetOperand(step->inner, 3 - i)))
      return tensor_operand(step, 3 - i);
  return TILE_NULL_VALUE;
}

// What a constant multiplies, or divides.
static MlirValue scaled(const Step *step, double *out_scale) {
  double number;
  if (arith_divf_is(step->inner) && constant_operand(step, 1, &number)) {
    *out_scale = 1 / number;
    return tensor_operand(step, 0);
  }
  for (int i = 0; i < 2 && arith_mulf_is(step->inner); i++)
    if (constant_operand(step, i, out_scale))
      return tensor_operand(step, 1 - i);
  return TILE_NULL_VALUE;
}

// A weight of such a logit is 0 beside any other, scaled or not.
static const double LOW = -1e20, MIN_SCALE = 1e-6, MAX_SCALE = 1024;

void tile_attention_scale(TileAttention *m) {
  MlirValue tensor = m->logits;
  MlirValue scores = mlirOperationGetResult(m->scores.op, 0);
  bool is_infinite = true; // what masks hide
  m->scale = 1;
  m->scale_op = TILE_NULL_OP;
  m->is_bounded = false;
  for (int n = 0; n < TILE_ATTENTION_MAX_CHAIN && tensor.ptr; n++) {
    Step step;
    double number;
    if (mlirValueEqual(tensor, scores)) {
      m->is_bounded = is_infinite;
      return;
    }
    if (!step_of(tensor, &step) ||
        (!mlirValueEqual(tensor, m->logits) && !is_used_once(tensor)))
      return;
    if (arith_extf_is(step.inner) || arith_truncf_is(step.inner)) {
      tensor = tensor_operand(&step, 0); // rounds nothing
      continue;
    }
    tensor = kept_by_mask(&step, &number);
    if (tensor.ptr) {
      is_infinite &= isinf(number) && number < 0;
      if (number > LOW)
        return;
      continue;
    }
    tensor = scaled(&step, &number);
    if (!tensor.ptr || !mlirValueEqual(tensor, scores) || number < MIN_SCALE ||
        number > MAX_SCALE)
      return;
    m->scale = number;
    m->scale_op = step.nest.op;
    m->is_bounded = is_infinite;
  }
}

//===-- Scales of factors -------------------------------------------------===//

enum { MAX_STEPS = 12 };

static bool is_view(MlirOperation op) {
  return tile_op_name_begins(op, "tensor.expand_shape") ||
         tile_op_name_begins(op, "tensor.collapse_shape");
}

static bool is_maximum(const TileNest *nest) {
  if (nest->kind != TILE_NEST_REDUCE && nest->kind != TILE_NEST_LOOPS)
    return false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0));
  TILE_FOR_EACH_OP (op, body)
    if (arith_maximumf_is(op) || arith_maxnumf_is(op))
      return true;
  return false;
}

// Whether the greatest of what elements make of the tensor is looked for, as
// the softmax of an attention does.
static bool is_of_softmax(MlirValue tensor, int depth) {
  MlirOpOperand use = mlirValueGetFirstUse(tensor);
  for (; depth < MAX_STEPS && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    TileNest nest;
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_nest = tile_nest_of(user, &nest);
    if (is_nest && is_maximum(&nest))
      return true;
    if ((is_view(user) || (is_nest && nest.kind == TILE_NEST_ELEMENTS)) &&
        is_of_softmax(mlirOperationGetResult(user, 0), depth + 1))
      return true;
  }
  return false;
}

// The factor before a constant scaled it, with the views in between, or null.
static MlirValue unscaled(TileBuilder *b, MlirValue factor, double *out_scale) {
  Step step;
  if (mlirValueIsABlockArgument(factor))
    return TILE_NULL_VALUE;
  MlirOperation op = mlirOpResultGetOwner(factor);
  if (!is_view(op))
    return step_of(factor, &step) ? scaled(&step, out_scale) : TILE_NULL_VALUE;
  MlirValue source = unscaled(b, mlirOperationGetOperand(op, 0), out_scale);
  if (!source.ptr)
    return source;
  MlirOperation view = mlirOperationClone(op);
  mlirOperationSetOperand(view, 0, source);
  mlirRewriterBaseInsert(b->rw, view);
  return result_of(view);
}

// A loop that multiplies each element.
static MlirValue times(TileBuilder *b, MlirValue tensor, double scale) {
  MlirContext context = tile_builder_context(b);
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(tensor));
  MlirType element = element_of(tensor);
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank));
  MlirAttribute maps[] = {map, map};
  TileNest loops = {.num_loops = rank};
  TileValues operands = TILE_VALUES(tensor, empty_like(b, tensor, element));
  MlirValue number = arith_constant(
      b, .value = mlirFloatAttrDoubleGet(context, element, scale));
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue args[2];
  MlirRegion body = body_begin(&inner, operands, args);
  make(&inner, "linalg.yield", TILE_VALUES(arith_mulf(&inner, args[0], number)),
       (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(inner.rw);
  return generic(b, operands, mlirArrayAttrGet(context, 2, maps),
                 iterator_types(context, &loops), body);
}

void tile_scales_move(TileBuilder *b, MlirOperation op) {
  TileNest nest;
  double scale = 1;
  if (!tile_nest_of(op, &nest) || nest.kind != TILE_NEST_PRODUCT ||
      !mlirTypeIsAFloat(element_of(result_of(op))) ||
      !is_of_softmax(result_of(op), 0))
    return;
  b->loc = mlirOperationGetLocation(op);
  for (int i = 0; i < 2; i++) {
    double number;
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    MlirValue factor = unscaled(b, mlirOperationGetOperand(op, i), &number);
    if (!factor.ptr)
      continue;
    mlirOperationSetOperand(op, i, factor);
    scale *= number;
  }
  if (scale == 1)
    return;
  mlirRewriterBaseSetInsertionPointAfter(b->rw, op);
  MlirValue made = times(b, result_of(op), scale);
  MlirOperation last = mlirOpResultGetOwner(made);
  mlirValueReplaceAllUsesOfWith(result_of(op), made);
  mlirOperationSetOperand(last, 0, result_of(op));
}

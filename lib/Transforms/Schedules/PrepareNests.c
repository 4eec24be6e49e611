//===- PrepareNests.c - Loops of a graph as kernels want them -------------===//
//
// Before a graph is cut into kernels: values of one element everywhere are
// fills, numbers in tensors without dimensions are operands, ops on memrefs are
// ops on tensors, somebody does what has no loops, and loops of the host write
// what they carry where it was.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/scf.h"
#include "Tile/Ops/tile.h"
#include "mlir-c/AffineExpr.h"
#include <stdio.h>

//===-- Constants ---------------------------------------------------------===//

// Such an op is a fill, and an element that is taken out of it the value.
static MlirOperation as_fill(TileBuilder *b, MlirOperation op,
                             MlirValue value) {
  MlirValue tensor =
      mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1);
  MlirValue filled = fill(b, value, tensor);
  mlirValueReplaceAllUsesOfWith(result_of(op), filled);
  mlirRewriterBaseEraseOp(b->rw, op);
  MlirOpOperand use = mlirValueGetFirstUse(filled);
  while (!mlirOpOperandIsNull(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    use = mlirOpOperandGetNextUse(use);
    if (!tile_op_name_begins(user, "tensor.extract") ||
        mlirOperationGetNumOperands(user) !=
            1 + mlirShapedTypeGetRank(mlirValueGetType(filled)) ||
        !mlirTypeEqual(mlirValueGetType(result_of(user)),
                       mlirValueGetType(value)))
      continue;
    mlirValueReplaceAllUsesOfWith(result_of(user), value);
    mlirRewriterBaseEraseOp(b->rw, user);
  }
  return mlirOpResultGetOwner(filled);
}

//===-- Numbers of the host -----------------------------------------------===//

// The number that every element of an operand is, or null.
static MlirValue number_of(TileBuilder *b, MlirValue operand) {
  MlirOperation op = mlirValueIsABlockArgument(operand)
                         ? TILE_NULL_OP
                         : mlirOpResultGetOwner(operand);
  if (!mlirTypeIsATensor(mlirValueGetType(operand)))
    return operand;
  if (!op.ptr)
    return TILE_NULL_VALUE;
  if (tile_op_name_begins(op, "linalg.fill"))
    return mlirOperationGetOperand(op, 0);
  if (!arith_constant_is(op))
    return TILE_NULL_VALUE;
  MlirAttribute value = arith_constant_value_attr(arith_constant_cast(op));
  if (!mlirAttributeIsADenseElements(value) ||
      !mlirDenseElementsAttrIsSplat(value))
    return TILE_NULL_VALUE;
  return arith_constant(b, .value = mlirDenseElementsAttrGetSplatValue(value));
}

// What every element gets when it is one value from outside, or null.
static MlirValue same_everywhere(TileBuilder *b, MlirOperation op) {
  if (mlirOperationGetNumResults(op) != 1 ||
      tile_op_name_begins(op, "linalg.fill"))
    return TILE_NULL_VALUE;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue value = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  if (mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), body)) {
    MlirValue operand =
        mlirOperationGetOperand(op, mlirBlockArgumentGetArgNumber(value));
    MlirType type = mlirValueGetType(operand);
    return mlirTypeIsAShaped(type) && mlirShapedTypeGetRank(type)
               ? TILE_NULL_VALUE
               : number_of(b, operand);
  }
  return tile_value_is_inside(value, op) ? TILE_NULL_VALUE : value;
}

// What an op without loops computes of numbers that the host has: the host
// computes it, or the compiler. Null where a kernel has to.
static MlirValue number_of_body(TileBuilder *b, const TileNest *nest) {
  MlirValue numbers[TILE_NEST_MAX_OPERANDS];
  int num_ins = nest->num_operands - nest->num_outs;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0));
  if (nest->num_loops || nest->num_outs != 1 ||
      tile_op_name_begins(nest->op, "linalg.fill") ||
      tile_value_is_used(mlirBlockGetArgument(body, num_ins)))
    return TILE_NULL_VALUE;
  for (int i = 0; i < num_ins; i++) {
    numbers[i] = number_of(b, mlirOperationGetOperand(nest->op, i));
    if (!numbers[i].ptr)
      return TILE_NULL_VALUE;
  }
  MlirxMapping map = mlirxMappingCreate();
  for (int i = 0; i < num_ins; i++)
    mlirxMappingSet(map, mlirBlockGetArgument(body, i), numbers[i]);
  TILE_FOR_EACH_OP (inner, body)
    if (!mlirxIsTerminator(inner))
      mlirxClone(b->rw, inner, map);
  MlirValue value = mlirxMappingGet(
      map, mlirOperationGetOperand(mlirBlockGetTerminator(body), 0));
  mlirxMappingDestroy(map);
  return value;
}

// Reads numbers instead of tensors that hold one of the host.
static void use_numbers(TileBuilder *b, MlirOperation op) {
  if (!tile_op_name_begins(op, "linalg.generic"))
    return;
  for (intptr_t i = 0;
       i < mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op);
       i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    if (!mlirTypeIsARankedTensor(type) || mlirShapedTypeGetRank(type))
      continue;
    MlirValue number = number_of(b, operand);
    if (number.ptr)
      mlirOperationSetOperand(op, i, number);
  }
}

//===-- A loop for blocks -------------------------------------------------===//

// The map with one more loop before the others; the last operand follows it.
static MlirAttribute map_after_loop(MlirAffineMap map, bool is_last) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS + 1];
  intptr_t dims = mlirAffineMapGetNumDims(map), count = 0;
  if (is_last)
    exprs[count++] = mlirAffineDimExprGet(context, 0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    exprs[count++] = mlirAffineExprShiftDims(mlirAffineMapGetResult(map, i),
                                             (uint32_t)dims, 1, 0);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(context, dims + 1, 0, count, exprs));
}

static MlirWalkResult shift_index(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!tile_op_name_begins(op, "linalg.index"))
    return MlirWalkResultAdvance;
  MlirAttribute dim =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("dim"));
  mlirOperationSetInherentAttributeByName(
      op, TILE_STR("dim"),
      mlirIntegerAttrGet(mlirAttributeGetType(dim),
                         mlirIntegerAttrGetValueInt(dim) + 1));
  return MlirWalkResultAdvance;
}

static MlirValue reshape(TileBuilder *b, const char *name, MlirValue value,
                         intptr_t rank) {
  static const int64_t one = 1;
  MlirContext context = tile_builder_context(b);
  TileState s;
  tile_ods_begin(&s, b, name);
  tile_ods_operand(&s, value);
  tile_ods_type(&s, mlirRankedTensorTypeGet(rank, &one, element_of(value),
                                            (MlirAttribute){NULL}));
  tile_ods_put(&s, "reassociation", mlirArrayAttrGet(context, 0, NULL));
  if (rank)
    tile_ods_put(&s, "static_output_shape",
                 mlirDenseI64ArrayGet(context, 1, &one));
  return result_of(tile_ods_end(&s, b));
}

// An op without parallel loops, on a tensor without dimensions, gets a loop of
// one round: somebody has to do it.
static MlirOperation add_loop(TileBuilder *b, const TileNest *nest) {
  MlirContext context = tile_builder_context(b);
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  int last = nest->num_operands - 1;
  MlirValue init = mlirOperationGetOperand(nest->op, last);
  TileNest longer = {.num_loops = nest->num_loops + 1};
  for (int l = 0; l < nest->num_loops; l++)
    longer.is_reduced[l + 1] = nest->is_reduced[l];
  for (int i = 0; i <= last; i++) {
    operands[i] = mlirOperationGetOperand(nest->op, i);
    maps[i] = map_after_loop(nest->maps[i], i == last);
  }
  operands[last] = reshape(b, "tensor.expand_shape", init, 1);
  mlirOperationWalk(nest->op, shift_index, NULL, MlirWalkPreOrder);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(nest->op, 0));
  MlirValue made = generic(b, (TileValues){operands, last + 1},
                           mlirArrayAttrGet(context, last + 1, maps),
                           iterator_types(context, &longer), body);
  mlirValueReplaceAllUsesOfWith(result_of(nest->op),
                                reshape(b, "tensor.collapse_shape", made, 0));
  mlirRewriterBaseEraseOp(b->rw, nest->op);
  return mlirOpResultGetOwner(made);
}

static bool has_no_dims(const TileNest *nest) {
  return nest->num_outs == 1 && nest->num_loops < TILE_NEST_MAX_LOOPS &&
         mlirShapedTypeGetRank(mlirValueGetType(result_of(nest->op))) == 0;
}

//===-- Results that nobody uses ------------------------------------------===//

// Whether everything that the op reads is in the new body, or from outside.
static bool is_mapped(MlirOperation inner, MlirOperation nest,
                      MlirxMapping map) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); i++) {
    MlirValue value = mlirOperationGetOperand(inner, i);
    if (tile_value_is_inside(value, nest) &&
        mlirValueEqual(mlirxMappingGet(map, value), value))
      return false;
  }
  return true;
}

// Copies what does not need the results that go; false where one that stays
// does.
static bool copy_kept(TileBuilder *inner, MlirOperation op, const int *kept,
                      int num_kept, MlirxMapping map) {
  MlirValue yielded[TILE_NEST_MAX_OPERANDS];
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  TILE_FOR_EACH_OP (each, body)
    if (!mlirxIsTerminator(each) && is_mapped(each, op, map))
      mlirxClone(inner->rw, each, map);
  for (int o = 0; o < num_kept; o++) {
    MlirValue value = mlirOperationGetOperand(yield, kept[o]);
    yielded[o] = mlirxMappingGet(map, value);
    if (tile_value_is_inside(value, op) && mlirValueEqual(yielded[o], value))
      return false;
  }
  MlirOperation end =
      make(inner, "linalg.yield", (TileValues){yielded, num_kept},
           (MlirType){NULL}, NULL);
  MlirBlock made = mlirOperationGetBlock(end);
  bool has_dead = true;
  while (has_dead) {
    has_dead = false;
    TILE_FOR_EACH_OP (each, made)
      if (mlirxIsTriviallyDead(each)) {
        mlirRewriterBaseEraseOp(inner->rw, each);
        has_dead = true;
      }
  }
  return true;
}

// The greatest element without its place, where nobody asks for the place.
static MlirOperation drop_unused(TileBuilder *b, const TileNest *nest) {
  MlirContext context = tile_builder_context(b);
  MlirValue operands[TILE_NEST_MAX_OPERANDS], args[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  int kept[TILE_NEST_MAX_OPERANDS], num_kept = 0, count = 0;
  int num_ins = nest->num_operands - nest->num_outs;
  for (int o = 0; o < nest->num_outs; o++)
    if (tile_value_is_used(mlirOperationGetResult(nest->op, o)))
      kept[num_kept++] = o;
  if (num_kept != 1 || nest->num_outs == 1 ||
      !tile_op_name_begins(nest->op, "linalg.generic"))
    return nest->op;
  for (int i = 0; i < nest->num_operands; i++)
    if (i < num_ins || i == num_ins + kept[0]) {
      operands[count] = mlirOperationGetOperand(nest->op, i);
      maps[count++] = mlirAffineMapAttrGet(nest->maps[i]);
    }
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirRegion body = body_begin(&inner, (TileValues){operands, count}, args);
  MlirxMapping map = mlirxMappingCreate();
  MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0));
  for (int i = 0; i < count; i++)
    mlirxMappingSet(
        map, mlirBlockGetArgument(old, i < num_ins ? i : num_ins + kept[0]),
        args[i]);
  bool is_made = copy_kept(&inner, nest->op, kept, num_kept, map);
  mlirxMappingDestroy(map);
  mlirIRRewriterDestroy(inner.rw);
  if (!is_made) {
    mlirRegionDestroy(body);
    return nest->op;
  }
  MlirValue made = generic(b, (TileValues){operands, count},
                           mlirArrayAttrGet(context, count, maps),
                           iterator_types(context, nest), body);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(nest->op, kept[0]),
                                made);
  mlirRewriterBaseEraseOp(b->rw, nest->op);
  return mlirOpResultGetOwner(made);
}

//===-- linalg on memrefs -------------------------------------------------===//

MlirOperation tile_nest_raise(TileBuilder *b, MlirOperation op) {
  static const char *const read_attrs[] = {"restrict", NULL};
  static const char *const both_attrs[] = {"restrict", "writable"};
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t count = mlirOperationGetNumOperands(op);
  intptr_t num_outs = mlirOperationGetNumOperands(mlirBlockGetTerminator(body));
  TileState s;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  s.st = mlirOperationStateGet(name, b->loc);
  s.num_properties = 0;
  for (intptr_t i = 0; i < count; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    bool is_out = i >= count - num_outs;
    operands[i] = operand;
    if (!mlirTypeIsAMemRef(type))
      continue;
    operands[i] =
        result_of(make(b, "bufferization.to_tensor", TILE_VALUES(operand),
                       tensor_type(type, mlirShapedTypeGetElementType(type)),
                       is_out ? both_attrs : read_attrs));
    if (is_out)
      tile_ods_type(&s, mlirValueGetType(operands[i]));
  }
  tile_ods_operands(&s, (TileValues){operands, count});
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&s.st, 1, &attr);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(op, 0));
  tile_ods_region(&s, region);
  MlirOperation raised = tile_ods_end(&s, b);
  for (intptr_t o = 0; o < num_outs; o++)
    make(b, "bufferization.materialize_in_destination",
         TILE_VALUES(mlirOperationGetResult(raised, o),
                     mlirOperationGetOperand(op, count - num_outs + o)),
         (MlirType){NULL}, both_attrs);
  mlirRewriterBaseEraseOp(b->rw, op);
  return raised;
}

//===-- Numbers in tensors without dimensions -----------------------------===//

// The tensor that a value of the body was taken out of, before the op; null for
// other values.
static MlirValue scalar_source(MlirValue value, MlirOperation op) {
  if (mlirValueIsABlockArgument(value) || tile_value_is_inside(value, op))
    return TILE_NULL_VALUE;
  MlirOperation extract = mlirOpResultGetOwner(value);
  return tile_op_name_begins(extract, "tensor.extract") &&
                 mlirOperationGetNumOperands(extract) == 1 &&
                 mlirShapedTypeGetRank(
                     mlirValueGetType(mlirOperationGetOperand(extract, 0))) == 0
             ? mlirOperationGetOperand(extract, 0)
             : TILE_NULL_VALUE;
}

typedef struct {
  MlirOperation op;
  MlirValue value; // the first such
} ScalarSearch;

static MlirWalkResult find_scalar(MlirOperation inner, void *user_data) {
  ScalarSearch *search = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); i++)
    if (scalar_source(mlirOperationGetOperand(inner, i), search->op).ptr) {
      search->value = mlirOperationGetOperand(inner, i);
      return MlirWalkResultInterrupt;
    }
  return MlirWalkResultAdvance;
}

typedef struct {
  MlirValue from, to;
} Replacement;

static MlirWalkResult replace_operand(MlirOperation inner, void *user_data) {
  const Replacement *replacement = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); i++)
    if (mlirValueEqual(mlirOperationGetOperand(inner, i), replacement->from))
      mlirOperationSetOperand(inner, i, replacement->to);
  return MlirWalkResultAdvance;
}

// A number that a kernel computes is no number of the host: the kernel reads
// the tensor that it lies in. The op with one such value less.
static MlirOperation take_scalar(TileBuilder *b, const TileNest *nest,
                                 MlirValue value) {
  MlirContext context = tile_builder_context(b);
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  int last = nest->num_operands - 1;
  for (int i = 0; i <= nest->num_operands; i++) {
    int old = i <= last ? i : last;
    operands[i] = mlirOperationGetOperand(nest->op, old);
    maps[i] = mlirAffineMapAttrGet(nest->maps[old]);
  }
  operands[last] = scalar_source(value, nest->op);
  maps[last] = mlirAffineMapAttrGet(
      mlirAffineMapGet(context, nest->num_loops, 0, 0, NULL));
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(nest->op, 0));
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue argument =
      mlirBlockInsertArgument(block, last, mlirValueGetType(value), b->loc);
  Replacement replacement = {value, argument};
  TILE_FOR_EACH_OP (inner, block)
    mlirOperationWalk(inner, replace_operand, &replacement, MlirWalkPreOrder);
  MlirValue made =
      generic(b, (TileValues){operands, nest->num_operands + 1},
              mlirArrayAttrGet(context, nest->num_operands + 1, maps),
              iterator_types(context, nest), body);
  mlirValueReplaceAllUsesOfWith(result_of(nest->op), made);
  mlirRewriterBaseEraseOp(b->rw, nest->op);
  return mlirOpResultGetOwner(made);
}

static MlirOperation take_scalars(TileBuilder *b, MlirOperation op) {
  TileNest nest;
  while (tile_op_name_begins(op, "linalg.generic") && tile_nest_of(op, &nest) &&
         nest.num_outs == 1 && nest.num_operands < TILE_NEST_MAX_OPERANDS) {
    ScalarSearch search = {.op = op};
    mlirOperationWalk(op, find_scalar, &search, MlirWalkPreOrder);
    if (!search.value.ptr)
      break;
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    op = take_scalar(b, &nest, search.value);
  }
  return op;
}

//===-- Loops of the host -------------------------------------------------===//

// Whether a value lies where the loop carries it already.
static bool is_carried(MlirValue value, MlirValue argument) {
  while (!mlirValueEqual(value, argument)) {
    if (mlirValueIsABlockArgument(value) ||
        !tile_op_name_begins(mlirOpResultGetOwner(value),
                             "tensor.insert_slice"))
      return false;
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 1);
  }
  return true;
}

MlirValue tile_tensor_copied(TileBuilder *b, MlirValue from, MlirValue to) {
  MlirContext context = tile_builder_context(b);
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(from));
  TileNest nest = {.num_loops = rank};
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank));
  MlirAttribute maps[] = {map, map};
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue args[2];
  MlirRegion body = body_begin(&inner, TILE_VALUES(from, to), args);
  make(&inner, "linalg.yield", TILE_VALUES(args[0]), (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(inner.rw);
  MlirValue made =
      generic(b, TILE_VALUES(from, to), mlirArrayAttrGet(context, 2, maps),
              iterator_types(context, &nest), body);
  return made;
}

static MlirWalkResult carry_in_place(MlirOperation op, void *user_data) {
  TileBuilder *b = user_data;
  if (scf_forall_is(op) || tile_kernel_is(op))
    return MlirWalkResultSkip;
  if (!scf_for_is(op))
    return MlirWalkResultAdvance;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, yield);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++) {
    MlirValue value = mlirOperationGetOperand(yield, i);
    MlirValue argument = mlirBlockGetArgument(body, 1 + i);
    if (mlirTypeIsATensor(mlirValueGetType(value)) &&
        !is_carried(value, argument)) {
      MlirValue copied = tile_tensor_copied(b, value, argument);
      mlirOperationSetDiscardableAttributeByName(
          mlirOpResultGetOwner(copied), TILE_STR(TILE_CARRIED_ATTR),
          mlirUnitAttrGet(mlirOperationGetContext(op)));
      mlirOperationSetOperand(yield, i, copied);
    }
  }
  return MlirWalkResultAdvance;
}

static bool has_tensor_results(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

static MlirWalkResult find_while(MlirOperation op, void *user_data) {
  if (scf_forall_is(op) || tile_kernel_is(op))
    return MlirWalkResultSkip;
  if (!tile_op_name_begins(op, "scf.while") || !has_tensor_results(op))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

MlirLogicalResult tile_loops_prepare(TileBuilder *b, MlirOperation function) {
  MlirOperation loop = TILE_NULL_OP;
  mlirOperationWalk(function, find_while, &loop, MlirWalkPreOrder);
  if (loop.ptr)
    return tile_emit_error(loop,
                           "carries tensors while a condition holds, which "
                           "the host cannot compute; expects scf.for");
  mlirOperationWalk(function, carry_in_place, b, MlirWalkPreOrder);
  return tile_success();
}

//===-- Extents that agree ------------------------------------------------===//

// The first dimension that follows a loop, to compare others with.
typedef struct {
  int operand, dim;
  MlirValue extent; // null: none yet
} Followed;

static void require_same(TileBuilder *b, const TileNest *nest,
                         const Followed *first, const Followed *other) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(nest->op));
  char text[160];
  if (mlirValueEqual(first->extent, other->extent))
    return;
  snprintf(text, sizeof text,
           "dimension %d of operand %d of %.*s has the extent of dimension %d "
           "of operand %d",
           other->dim, other->operand, (int)name.length, name.data, first->dim,
           first->operand);
  MlirValue is_same = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                                 .lhs = first->extent, .rhs = other->extent);
  tile_require_op(b, .condition = is_same, .text = text,
                  .actual = other->extent);
}

// linalg leaves open what happens where extents differ; kernels count on it.
static void require_extents(TileBuilder *b, const TileNest *nest) {
  Followed first[TILE_NEST_MAX_LOOPS] = {{0, 0, {NULL}}};
  for (int i = 0; i < nest->num_operands; i++) {
    MlirValue operand = mlirOperationGetOperand(nest->op, i);
    for (int d = 0; d < mlirAffineMapGetNumResults(nest->maps[i]); d++) {
      int loop = tile_nest_loop(nest, i, d);
      if (loop < 0 || !mlirShapedTypeIsDynamicDim(mlirValueGetType(operand), d))
        continue;
      Followed here = {i, d, extent_of(b, operand, d)};
      if (first[loop].extent.ptr)
        require_same(b, nest, &first[loop], &here);
      else
        first[loop] = here;
    }
  }
}

//===-- Preparing ---------------------------------------------------------===//

static bool is_on_memrefs(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

MlirLogicalResult tile_nests_prepare(TileBuilder *b, TileOpList *ops) {
  for (size_t i = 0; i < ops->count; i++) {
    MlirOperation op = ops->items[i];
    TileNest nest;
    if (tile_op_name_begins(op, "linalg.winograd_"))
      return tile_emit_error(
          op, "is part of a convolution that loops of the host would make tile "
              "by tile; expects the convolution, linalg.conv_2d_nhwc_fhwc");
    if (!is_structured(op))
      return tile_emit_error(
          op, "is no loops with a body: decompose it to linalg ops that are, "
              "as transform.structured.decompose_interface does");
    b->loc = mlirOperationGetLocation(op);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    if (is_on_memrefs(op))
      op = ops->items[i] = tile_nest_raise(b, op);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    use_numbers(b, op);
    MlirValue value = same_everywhere(b, op);
    if (value.ptr) {
      mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
      op = ops->items[i] = as_fill(b, op, value);
    }
    op = ops->items[i] = take_scalars(b, op);
    if (!tile_nest_of(op, &nest))
      continue;
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    op = ops->items[i] = drop_unused(b, &nest);
    tile_nest_of(op, &nest);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    require_extents(b, &nest);
    MlirValue number = number_of_body(b, &nest);
    if (number.ptr)
      op = ops->items[i] = as_fill(b, op, number);
    else if (has_no_dims(&nest) && !tile_op_name_begins(op, "linalg.fill"))
      ops->items[i] = add_loop(b, &nest);
  }
  for (size_t i = 0; i < ops->count; i++) { // whose users are known now
    TileNest nest;
    if (!tile_op_name_begins(ops->items[i], "linalg.fill") ||
        tile_group_is_free(ops->items[i]) ||
        !tile_nest_of(ops->items[i], &nest) || !has_no_dims(&nest))
      continue;
    b->loc = mlirOperationGetLocation(nest.op);
    mlirRewriterBaseSetInsertionPointBefore(b->rw, nest.op);
    ops->items[i] = add_loop(b, &nest);
  }
  return tile_success();
}

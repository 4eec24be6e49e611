//===- WidenElements.c - Arithmetic of 16-bit floats in f32 ---------------===//
//
// Front ends round after every op. An element loop computes a chain of such ops
// in f32 and rounds what leaves the loop: that is nearer to the exact result,
// and the GPU converts two results at a time. Casts that the program has stay.
// Functions of bf16 may be one instruction of f32, whose error is a fraction of
// the rounding.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Elements/Elements.h"

#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/math.h"

typedef struct {
  TileBuilder b;
  TileOpList ops; // of 16-bit floats, in program order
  MlirOperation loop;
  MlirxMapping wide; // of their results, and of what they read
} Widening;

static bool is_narrow(MlirType type) {
  return mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

static bool is_narrow_value(MlirValue value) {
  return is_narrow(mlirValueGetType(value));
}

// Arithmetic whose narrow operands may as well be f32.
static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool is_math = name.length > 5 && !memcmp(name.data, "math.", 5);
  return is_math || arith_addf_is(op) || arith_subf_is(op) ||
         arith_mulf_is(op) || arith_divf_is(op) || arith_negf_is(op) ||
         arith_maximumf_is(op) || arith_minimumf_is(op) ||
         arith_maxnumf_is(op) || arith_minnumf_is(op) || arith_cmpf_is(op) ||
         arith_select_is(op);
}

// What rounds nothing: where it reads nothing that is f32 already, it stays.
static bool is_exact(MlirOperation op) {
  return arith_select_is(op) || arith_cmpf_is(op) || arith_negf_is(op) ||
         arith_maximumf_is(op) || arith_minimumf_is(op) ||
         arith_maxnumf_is(op) || arith_minnumf_is(op) || math_absf_is(op);
}

// math.isnormal asks for the exponents of the type.
static MlirWalkResult collect(MlirOperation op, void *user_data) {
  Widening *w = user_data;
  bool has_narrow = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    has_narrow |= is_narrow_value(mlirOperationGetOperand(op, i));
  if (has_narrow && is_arithmetic(op) && !math_isnormal_is(op))
    tile_op_list_add(&w->ops, op);
  return MlirWalkResultAdvance;
}

static void insert_after_value(Widening *w, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) && tile_value_is_inside(value, w->loop))
    mlirRewriterBaseSetInsertionPointAfter(w->b.rw,
                                           mlirOpResultGetOwner(value));
  else if (mlirValueIsABlockArgument(value) &&
           tile_value_is_inside(value, w->loop))
    mlirRewriterBaseSetInsertionPointToStart(w->b.rw,
                                             mlirBlockArgumentGetOwner(value));
  else
    mlirRewriterBaseSetInsertionPointToStart(
        w->b.rw, mlirRegionGetFirstBlock(mlirOperationGetRegion(w->loop, 0)));
}

// What was rounded to the value, where arithmetic did so; null: nothing.
static MlirValue known_wide(const Widening *w, MlirValue value) {
  MlirValue known = mlirxMappingGet(w->wide, value);
  if (!mlirValueEqual(known, value))
    return known;
  if (mlirValueIsABlockArgument(value) ||
      !arith_truncf_is(mlirOpResultGetOwner(value)))
    return TILE_NULL_VALUE;
  MlirValue source = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return mlirTypeIsAF32(mlirValueGetType(source)) ? source : TILE_NULL_VALUE;
}

static MlirValue widened(Widening *w, MlirValue value) {
  MlirValue wide = known_wide(w, value);
  if (wide.ptr)
    return wide;
  insert_after_value(w, value);
  wide = arith_extf(&w->b, .type = mlirF32TypeGet(tile_builder_context(&w->b)),
                    .in = value);
  mlirxMappingSet(w->wide, value, wide);
  return wide;
}

static bool reads_wide(const Widening *w, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (is_narrow_value(operand) && known_wide(w, operand).ptr)
      return true;
  }
  return false;
}

// Those whose approximation is good for every argument.
static bool has_approximation(MlirOperation op) {
  return math_exp_is(op) || math_exp2_is(op) || math_tanh_is(op);
}

static void widen(Widening *w, MlirOperation op) {
  MlirContext context = tile_builder_context(&w->b);
  MlirOperation wide = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (is_narrow_value(operand))
      mlirOperationSetOperand(wide, i, widened(w, operand));
  }
  if (has_approximation(op) &&
      mlirTypeIsABF16(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    mlirOperationSetInherentAttributeByName(
        wide, TILE_STR("fastmath"),
        ArithFastMathFlags_attr(context, ARITH_FAST_MATH_FLAGS_afn));
  mlirRewriterBaseSetInsertionPointBefore(w->b.rw, op);
  mlirRewriterBaseInsert(w->b.rw, wide);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue from = mlirOperationGetResult(op, i);
    MlirValue to = mlirOperationGetResult(wide, i);
    if (is_narrow_value(from)) {
      mlirValueSetType(to, mlirF32TypeGet(context));
      mlirxMappingSet(w->wide, from, to);
    } else {
      mlirValueReplaceAllUsesOfWith(from, to);
    }
  }
}

// What others than arithmetic use is rounded.
static void round_and_erase(Widening *w, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (!tile_value_is_used(result))
      continue;
    mlirRewriterBaseSetInsertionPointBefore(w->b.rw, op);
    MlirValue wide = mlirxMappingGet(w->wide, result);
    mlirValueReplaceAllUsesOfWith(
        result,
        arith_truncf(&w->b, .type = mlirValueGetType(result), .in = wide));
  }
  mlirRewriterBaseEraseOp(w->b.rw, op);
}

static void widen_loop(const TileElements *elements, MlirOperation loop) {
  Widening w = {.b = elements->b,
                .ops = {.arena = elements->arena},
                .loop = loop,
                .wide = mlirxMappingCreate()};
  mlirOperationWalk(loop, collect, &w, MlirWalkPreOrder);
  size_t count = 0;
  for (size_t i = 0; i < w.ops.count; i++) {
    MlirOperation op = w.ops.items[i];
    if (is_exact(op) && !reads_wide(&w, op))
      continue;
    w.b.loc = mlirOperationGetLocation(op);
    widen(&w, op);
    w.ops.items[count++] = op;
  }
  while (count-- > 0) {
    w.b.loc = mlirOperationGetLocation(w.ops.items[count]);
    round_and_erase(&w, w.ops.items[count]);
  }
  mlirxMappingDestroy(w.wide);
}

static MlirWalkResult add_loop(MlirOperation op, void *user_data) {
  if (!tile_parallel_is(op))
    return MlirWalkResultAdvance;
  tile_op_list_add(user_data, op);
  return MlirWalkResultSkip;
}

void tile_elements_widen(const TileElements *elements) {
  TileOpList loops = {.arena = elements->arena};
  mlirOperationWalk(elements->launch, add_loop, &loops, MlirWalkPreOrder);
  for (size_t i = 0; i < loops.count; i++)
    widen_loop(elements, loops.items[i]);
}

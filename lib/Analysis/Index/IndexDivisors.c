//===- IndexDivisors.c - What divides every value of an index -------------===//
//
// An access of 16 bytes needs an address that is a multiple of 16, which
// follows from how the offset of a window is computed.
//
// Numbers wrap at a power of two, whose powers of two survive that: what has
// been read as unsigned keeps no other factor, unless it is known not to be
// negative.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

#include "Support/Arithmetic.h"
#include "Tile/Ops/affine.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

// Index arithmetic is shallow; deeper chains count as unknown.
enum { MAX_DEPTH = 12, MAX_SHIFT = 30 };

static int64_t divisor(MlirValue value, int depth);
static bool is_natural(MlirValue value, int depth);

//===-- Numbers -----------------------------------------------------------===//

static int64_t magnitude(int64_t value) {
  return value == INT64_MIN ? 1 : value < 0 ? -value : value;
}

// The product, or the larger factor where it would be too large: both divide.
static int64_t product(int64_t a, int64_t b) {
  const int64_t limit = (int64_t)1 << 31;
  if (a == 0 || b == 0)
    return 0;
  if (a < limit && b < limit)
    return a * b;
  return a > b ? a : b;
}

// Of x / `by`, where x is a multiple of `of`: rounding to either side changes
// nothing where `by` divides.
static int64_t quotient(int64_t of, int64_t by) {
  by = magnitude(by);
  return by == 0 || of % by ? 1 : of / by;
}

static int64_t power_of_two_in(int64_t x) { return x & -x; }

//===-- Numbers that are not negative -------------------------------------===//

static bool all_natural(MlirOperation op, intptr_t first, int depth) {
  for (intptr_t i = first; i < mlirOperationGetNumOperands(op); i++)
    if (!is_natural(mlirOperationGetOperand(op, i), depth))
      return false;
  return true;
}

static bool keeps_natural(MlirOperation op) {
  return arith_addi_is(op) || arith_muli_is(op) || arith_divui_is(op) ||
         arith_divsi_is(op) || arith_floordivsi_is(op) ||
         arith_ceildivsi_is(op) || arith_ceildivui_is(op) ||
         arith_remui_is(op) || arith_remsi_is(op) || arith_minsi_is(op) ||
         arith_minui_is(op) || arith_maxui_is(op) || arith_index_cast_is(op) ||
         arith_extsi_is(op);
}

// Steps of loops are positive, sums and products do not overflow.
static bool is_natural(MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return constant >= 0;
  if (depth == 0)
    return false;
  TileIndexBounds bounds = tile_index_bounds(tile_int_value(value));
  if (bounds.is_known)
    return bounds.min >= 0;
  if (mlirValueIsABlockArgument(value)) {
    ScfForOp loop = scf_for_dyn(
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
    return loop.op.ptr && mlirBlockArgumentGetArgNumber(value) == 0 &&
           is_natural(scf_for_lowerBound(loop), depth - 1);
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (memref_dim_is(op) || arith_extui_is(op) || arith_index_castui_is(op))
    return true;
  if (arith_select_is(op))
    return all_natural(op, 1, depth - 1);
  return keeps_natural(op) && all_natural(op, 0, depth - 1);
}

static int64_t read_unsigned(MlirValue value, int64_t of, int depth) {
  return is_natural(value, depth) ? of : power_of_two_in(of);
}

//===-- Ops ---------------------------------------------------------------===//

static int64_t operand_divisor(MlirOperation op, intptr_t i, int depth) {
  return divisor(mlirOperationGetOperand(op, i), depth);
}

static int64_t common_divisor(MlirOperation op, int depth) {
  return tile_gcd(operand_divisor(op, 0, depth), operand_divisor(op, 1, depth));
}

static int64_t loop_divisor(MlirValue argument, int depth) {
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  ScfForOp loop = scf_for_dyn(parent);
  if (!loop.op.ptr || mlirBlockArgumentGetArgNumber(argument) != 0)
    return 1;
  return tile_gcd(divisor(scf_for_lowerBound(loop), depth),
                  divisor(scf_for_step(loop), depth));
}

static bool is_shift(MlirOperation op) {
  return arith_shli_is(op) || arith_shrui_is(op) || arith_shrsi_is(op);
}

// x << n is x times 2^n, and x >> n a division by it.
static int64_t shift_divisor(MlirOperation op, int depth) {
  int64_t amount, x = operand_divisor(op, 0, depth);
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &amount) ||
      amount < 0 || amount > MAX_SHIFT)
    return 1;
  if (arith_shli_is(op))
    return product(x, (int64_t)1 << amount);
  if (arith_shrui_is(op))
    x = read_unsigned(mlirOperationGetOperand(op, 0), x, depth);
  return quotient(x, (int64_t)1 << amount);
}

static bool is_unsigned_division(MlirOperation op) {
  return arith_divui_is(op) || arith_ceildivui_is(op);
}

static bool is_division(MlirOperation op) {
  return is_unsigned_division(op) || arith_divsi_is(op) ||
         arith_floordivsi_is(op) || arith_ceildivsi_is(op);
}

static int64_t division_divisor(MlirOperation op, int depth) {
  int64_t by, x = operand_divisor(op, 0, depth);
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &by))
    return 1;
  if (is_unsigned_division(op))
    x = read_unsigned(mlirOperationGetOperand(op, 0), x, depth);
  return quotient(x, by);
}

// Of the bits of both; those that one lacks at the end, `and` lacks.
static int64_t bit_divisor(MlirOperation op, int depth) {
  int64_t a = operand_divisor(op, 0, depth), b = operand_divisor(op, 1, depth);
  if (!arith_andi_is(op))
    return a && b ? power_of_two_in(tile_gcd(a, b)) : a | b;
  if (a == 0 || b == 0)
    return 0;
  a = power_of_two_in(a);
  b = power_of_two_in(b);
  return a > b ? a : b;
}

static int64_t unsigned_rest_divisor(MlirOperation op, int depth) {
  int64_t common = common_divisor(op, depth);
  return all_natural(op, 0, depth) ? common : power_of_two_in(common);
}

static bool keeps_common_divisor(MlirOperation op) {
  return arith_addi_is(op) || arith_subi_is(op) || arith_minsi_is(op) ||
         arith_maxsi_is(op) || arith_minui_is(op) || arith_maxui_is(op) ||
         arith_remsi_is(op);
}

// Casts cut numbers, or read them as unsigned, or neither.
static int64_t cast_divisor(MlirOperation op, int depth) {
  if (arith_index_cast_is(op) || arith_extsi_is(op))
    return operand_divisor(op, 0, depth);
  if (arith_index_castui_is(op) || arith_extui_is(op))
    return read_unsigned(mlirOperationGetOperand(op, 0),
                         operand_divisor(op, 0, depth), depth);
  return arith_trunci_is(op) ? power_of_two_in(operand_divisor(op, 0, depth))
                             : 1;
}

//===-- Affine maps -------------------------------------------------------===//

static int64_t affine_divisor(MlirOperation op, intptr_t num_dims,
                              MlirAffineExpr expr, int depth) {
  if (mlirAffineExprIsAConstant(expr))
    return magnitude(mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return operand_divisor(op, mlirAffineDimExprGetPosition(expr), depth);
  if (mlirAffineExprIsASymbol(expr))
    return operand_divisor(op, num_dims + mlirAffineSymbolExprGetPosition(expr),
                           depth);
  if (depth == 0)
    return 1;
  MlirAffineExpr rhs = mlirAffineBinaryOpExprGetRHS(expr);
  int64_t a = affine_divisor(op, num_dims, mlirAffineBinaryOpExprGetLHS(expr),
                             depth - 1);
  int64_t b = affine_divisor(op, num_dims, rhs, depth - 1);
  if (mlirAffineExprIsAMul(expr))
    return product(a, b);
  if (mlirAffineExprIsAFloorDiv(expr) || mlirAffineExprIsACeilDiv(expr))
    return mlirAffineExprIsAConstant(rhs) ? quotient(a, b) : 1;
  return tile_gcd(a, b); // a sum, or a rest
}

// Of all results: affine.min and affine.max give one of them.
static int64_t map_divisor(MlirOperation op, int depth) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(
      mlirOperationGetInherentAttributeByName(op, TILE_STR("map")));
  int64_t common = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    common =
        tile_gcd(common, affine_divisor(op, mlirAffineMapGetNumDims(map),
                                        mlirAffineMapGetResult(map, i), depth));
  return common;
}

//===-- Entry -------------------------------------------------------------===//

static int64_t op_divisor(MlirOperation op, int depth) {
  if (keeps_common_divisor(op))
    return common_divisor(op, depth);
  if (arith_remui_is(op))
    return unsigned_rest_divisor(op, depth);
  if (arith_muli_is(op))
    return product(operand_divisor(op, 0, depth),
                   operand_divisor(op, 1, depth));
  if (is_shift(op))
    return shift_divisor(op, depth);
  if (is_division(op))
    return division_divisor(op, depth);
  if (arith_andi_is(op) || arith_ori_is(op) || arith_xori_is(op))
    return bit_divisor(op, depth);
  if (arith_select_is(op))
    return tile_gcd(operand_divisor(op, 1, depth),
                    operand_divisor(op, 2, depth));
  if (affine_apply_is(op) || affine_min_is(op) || affine_max_is(op))
    return map_divisor(op, depth);
  return cast_divisor(op, depth);
}

static int64_t divisor(MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return magnitude(constant);
  if (depth == 0)
    return 1;
  return mlirValueIsABlockArgument(value)
             ? loop_divisor(value, depth - 1)
             : op_divisor(mlirOpResultGetOwner(value), depth - 1);
}

int64_t tile_index_divisor(TileInt index) {
  return tile_int_is_constant(index) ? magnitude(index.constant)
                                     : divisor(index.value, MAX_DEPTH);
}

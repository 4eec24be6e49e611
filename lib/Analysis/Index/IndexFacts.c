//===- IndexFacts.c - What bounds and divides every value of an index -----===//
//
// A window that never leaves its tensor needs no checks, and an access of 16
// bytes an address that is a multiple of 16: both follow from how the offset of
// a window is computed.
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
#include "Tile/Ops/cf.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

// Index arithmetic is shallow; deeper chains count as unknown.
enum { MAX_DEPTH = 12, MAX_SHIFT = 30 };

//===-- Bounds ------------------------------------------------------------===//

static const TileIndexBounds unknown = {false, 0, 0};

// Indices have 32 bits in the end: what leaves them is not known.
static TileIndexBounds bounds_make(int64_t min, int64_t max) {
  const int64_t limit = INT32_MAX;
  if (min < -limit || max > limit || min > max)
    return unknown;
  return (TileIndexBounds){true, min, max};
}

static TileIndexBounds bounds(MlirValue value, int depth);

// No grid is larger (CUDA C++ Programming Guide, "Technical Specifications").
static TileIndexBounds any_block(intptr_t dimension) {
  const int64_t extent[] = {INT32_MAX, 65535, 65535};
  return bounds_make(0, extent[dimension] - 1);
}

// The number of blocks along a dimension; 0: unknown.
static int64_t grid_extent(MlirOperation op, GpuDimension dimension) {
  for (; op.ptr; op = mlirOperationGetParentOperation(op)) {
    if (!gpu_func_is(op))
      continue;
    MlirAttribute grid = gpu_func_known_grid_size_attr(gpu_func_cast(op));
    return mlirAttributeIsNull(grid)
               ? 0
               : mlirDenseI32ArrayGetElement(grid, (intptr_t)dimension);
  }
  return 0;
}

// The body of a gpu.launch begins with the block ids.
static TileIndexBounds launch_bounds(GPULaunchOp launch, intptr_t number) {
  MlirValue size[3] = {gpu_launch_gridSizeX(launch),
                       gpu_launch_gridSizeY(launch),
                       gpu_launch_gridSizeZ(launch)};
  int64_t extent;
  if (number >= 3)
    return unknown;
  if (!mlirxConstantInt(size[number], &extent))
    return any_block(number);
  return bounds_make(0, extent - 1);
}

// A block id of the function that a kernel has become.
static TileIndexBounds block_bounds(GPUBlockIdOp id) {
  int64_t extent = grid_extent(id.op, gpu_block_id_dimension(id));
  return extent > 0 ? bounds_make(0, extent - 1)
                    : any_block((intptr_t)gpu_block_id_dimension(id));
}

// The values from `lower` on, below `upper`, in steps of `step`.
static TileIndexBounds counter_bounds(TileIndexBounds lower,
                                      TileIndexBounds upper, MlirValue step) {
  int64_t distance;
  if (!lower.is_known || !upper.is_known)
    return unknown;
  int64_t last = upper.max - 1;
  // From a known start the steps say where the last iteration is.
  if (lower.min == lower.max && mlirxConstantInt(step, &distance) &&
      distance > 0 && last >= lower.min)
    last = lower.min + (last - lower.min) / distance * distance;
  return bounds_make(lower.min, last < lower.min ? lower.min : last);
}

// The condition under which a block goes on to its first successor, when it is
// that `argument` is below something.
static ArithCmpIOp limit_of(MlirValue argument) {
  MlirOperation end =
      mlirBlockGetTerminator(mlirBlockArgumentGetOwner(argument));
  if (!cf_cond_br_is(end))
    return (ArithCmpIOp){TILE_NULL_OP};
  MlirValue condition = cf_cond_br_condition(cf_cond_br_cast(end));
  ArithCmpIOp compare = {TILE_NULL_OP};
  if (mlirValueIsAOpResult(condition))
    compare = arith_cmpi_dyn(mlirOpResultGetOwner(condition));
  bool is_limit =
      compare.op.ptr &&
      (arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_slt ||
       arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_ult) &&
      mlirValueEqual(arith_cmpi_lhs(compare), argument);
  return is_limit ? compare : (ArithCmpIOp){TILE_NULL_OP};
}

// Whether nothing but the comparison uses the value before the body is entered.
static bool is_used_in_body(MlirValue argument, ArithCmpIOp compare) {
  MlirBlock header = mlirBlockArgumentGetOwner(argument);
  MlirOperation body = mlirBlockGetFirstOperation(
      mlirOperationGetSuccessor(mlirBlockGetTerminator(header), 0));
  MlirxDominance dominance =
      mlirxDominanceCreate(mlirBlockGetParentOperation(header));
  bool all = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(argument);
       all && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    all = mlirOperationEqual(user, compare.op) ||
          mlirOperationEqual(user, body) ||
          mlirxDominates(dominance, body, user);
  }
  mlirxDominanceDestroy(dominance);
  return all;
}

// The counter of a loop of blocks, as convert-scf-to-cf writes one: it comes
// from before the loop, or is itself plus the step.
static TileIndexBounds block_loop_bounds(MlirValue argument, int depth) {
  MlirBlock header = mlirBlockArgumentGetOwner(argument);
  ArithCmpIOp compare = limit_of(argument);
  TileIndexBounds lower = unknown;
  MlirValue step = TILE_NULL_VALUE;
  if (!compare.op.ptr || mlirBlockGetNumPredecessors(header) != 2 ||
      !is_used_in_body(argument, compare))
    return unknown;
  for (intptr_t i = 0; i < 2; i++) {
    MlirOperation from =
        mlirBlockGetTerminator(mlirBlockGetPredecessor(header, i));
    if (!cf_br_is(from))
      return unknown;
    MlirValue value =
        mlirOperationGetOperand(from, mlirBlockArgumentGetArgNumber(argument));
    ArithAddIOp next = {TILE_NULL_OP};
    if (mlirValueIsAOpResult(value))
      next = arith_addi_dyn(mlirOpResultGetOwner(value));
    if (next.op.ptr && mlirValueEqual(arith_addi_lhs(next), argument))
      step = arith_addi_rhs(next);
    else
      lower = bounds(value, depth);
  }
  // A negative step, or one beyond the range of an index, is not followed.
  if (!step.ptr || !bounds(step, depth).is_known || bounds(step, depth).min < 0)
    return unknown;
  return counter_bounds(lower, bounds(arith_cmpi_rhs(compare), depth), step);
}

static TileIndexBounds argument_bounds(MlirValue argument, int depth) {
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  if (gpu_launch_is(parent))
    return launch_bounds(gpu_launch_cast(parent), number);
  ScfForOp loop = scf_for_dyn(parent);
  if (!loop.op.ptr)
    return block_loop_bounds(argument, depth);
  if (number != 0)
    return unknown;
  return counter_bounds(bounds(scf_for_lowerBound(loop), depth),
                        bounds(scf_for_upperBound(loop), depth),
                        scf_for_step(loop));
}

// Asks about no operand that does not matter: each answer may take two more.
static TileIndexBounds binary_bounds(MlirOperation op, int depth) {
  bool is_remainder = arith_remui_is(op);
  if (!is_remainder && !arith_addi_is(op) && !arith_subi_is(op) &&
      !arith_muli_is(op) && !arith_divui_is(op))
    return unknown;
  TileIndexBounds b = bounds(mlirOperationGetOperand(op, 1), depth);
  if (!b.is_known)
    return unknown;
  TileIndexBounds a = bounds(mlirOperationGetOperand(op, 0), depth);
  if (is_remainder && b.min > 0)
    return bounds_make(
        0, a.is_known && a.min >= 0 && a.max < b.max - 1 ? a.max : b.max - 1);
  if (!a.is_known)
    return unknown;
  if (arith_addi_is(op))
    return bounds_make(a.min + b.min, a.max + b.max);
  if (arith_subi_is(op))
    return bounds_make(a.min - b.max, a.max - b.min);
  if (a.min < 0 || b.min < 0)
    return unknown;
  if (arith_muli_is(op))
    return bounds_make(a.min * b.min, a.max * b.max);
  if (arith_divui_is(op) && b.min > 0)
    return bounds_make(a.min / b.max, a.max / b.min);
  return unknown;
}

// Ids of the grid stay ids of the grid; what others become is not known.
static TileIndexBounds swizzle_bounds(MlirValue value, int depth) {
  TileBlockSwizzleOp swizzle =
      tile_block_swizzle_cast(mlirOpResultGetOwner(value));
  TileIndexBounds x = bounds(tile_block_swizzle_x(swizzle), depth),
                  y = bounds(tile_block_swizzle_y(swizzle), depth),
                  columns = bounds(tile_block_swizzle_grid_x(swizzle), depth),
                  rows = bounds(tile_block_swizzle_grid_y(swizzle), depth);
  if (!x.is_known || !y.is_known || !columns.is_known || !rows.is_known ||
      x.min < 0 || y.min < 0 ||
      y.max * columns.min + x.max >= columns.min * rows.min)
    return unknown;
  bool is_x = mlirOpResultGetResultNumber(value) == 0;
  return bounds_make(0, (is_x ? columns.max : rows.max) - 1);
}

static TileIndexBounds extent_bounds(MemRefDimOp dim) {
  MlirType type = mlirValueGetType(memref_dim_source(dim));
  int64_t number;
  if (!mlirTypeIsAMemRef(type) ||
      !mlirxConstantInt(memref_dim_index(dim), &number) || number < 0 ||
      number >= mlirShapedTypeGetRank(type) ||
      mlirShapedTypeIsDynamicDim(type, number))
    return unknown;
  int64_t extent = mlirShapedTypeGetDimSize(type, number);
  return bounds_make(extent, extent);
}

static TileIndexBounds bounds(MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return bounds_make(constant, constant);
  if (depth == 0)
    return unknown;
  if (mlirValueIsABlockArgument(value))
    return argument_bounds(value, depth - 1);
  MlirOperation op = mlirOpResultGetOwner(value);
  if (gpu_block_id_is(op))
    return block_bounds(gpu_block_id_cast(op));
  if (gpu_grid_dim_is(op))
    return bounds_make(1, INT32_MAX);
  if (tile_block_swizzle_is(op))
    return swizzle_bounds(value, depth - 1);
  if (memref_dim_is(op))
    return extent_bounds(memref_dim_cast(op));
  return mlirOperationGetNumOperands(op) == 2 ? binary_bounds(op, depth - 1)
                                              : unknown;
}

TileIndexBounds tile_index_bounds(TileInt index) {
  return tile_int_is_constant(index)
             ? bounds_make(index.constant, index.constant)
             : bounds(index.value, MAX_DEPTH);
}

TileIndexBounds tile_index_sum_bounds(const TileIndex *sum) {
  TileIndexBounds all = bounds_make(sum->constant, sum->constant);
  if (sum->modulus)
    return (TileIndexBounds){0};
  for (int i = 0; i < sum->num_terms; i++) {
    int64_t factor = sum->terms[i].factor;
    TileIndexBounds each = bounds(sum->terms[i].symbol->value, MAX_DEPTH);
    all.is_known &= each.is_known;
    if (!all.is_known)
      break;
    all = bounds_make(all.min + factor * (factor < 0 ? each.max : each.min),
                      all.max + factor * (factor < 0 ? each.min : each.max));
  }
  return all;
}

//===-- Numbers that are not negative -------------------------------------===//

static bool is_natural(MlirValue value, int depth);

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
  if (arith_maxsi_is(op))
    return is_natural(mlirOperationGetOperand(op, 0), depth - 1) ||
           is_natural(mlirOperationGetOperand(op, 1), depth - 1);
  return keeps_natural(op) && all_natural(op, 0, depth - 1);
}

bool tile_index_is_natural(TileInt index) {
  return tile_int_is_constant(index) ? index.constant >= 0
                                     : is_natural(index.value, MAX_DEPTH);
}

//===-- Divisors ----------------------------------------------------------===//

static int64_t divisor(MlirValue value, int depth);

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

static int64_t read_unsigned(MlirValue value, int64_t of, int depth) {
  return is_natural(value, depth) ? of : power_of_two_in(of);
}

//===-- Divisors of ops
//---------------------------------------------------------------===//

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

//===-- Divisors
//-------------------------------------------------------------===//

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

//===- IndexDivisor.c - What divides an index; offsets of windows ---------===//
//
// An access of 16 bytes needs an address that is a multiple of 16: whether a
// window starts there follows from how its offset is computed.
//
//===----------------------------------------------------------------------===//

#include "Nvgpu.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"

// Index arithmetic is shallow; deeper chains count as unknown.
enum { MAX_DEPTH = 12 };

//===-- Divisors ----------------------------------------------------------===//

// 0 is divisible by everything: gcd(0, x) = x.
static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

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

static int64_t divisor(MlirValue value, int depth);

static int64_t loop_divisor(MlirValue argument, int depth) {
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  ScfForOp loop = scf_for_dyn(parent);
  if (!loop.op.ptr || mlirBlockArgumentGetArgNumber(argument) != 0)
    return 1;
  return gcd(divisor(scf_for_lowerBound(loop), depth),
             divisor(scf_for_step(loop), depth));
}

// The value x << n has the divisor of x times 2^n.
static int64_t shift_divisor(MlirOperation op, int depth) {
  int64_t amount;
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &amount) ||
      amount < 0 || amount > 30)
    return 1;
  return product(divisor(mlirOperationGetOperand(op, 0), depth),
                 (int64_t)1 << amount);
}

static bool keeps_common_divisor(MlirOperation op) {
  return arith_addi_is(op) || arith_subi_is(op) || arith_minsi_is(op) ||
         arith_maxsi_is(op) || arith_minui_is(op) || arith_maxui_is(op) ||
         arith_remsi_is(op) || arith_remui_is(op);
}

static int64_t divisor(MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return magnitude(constant);
  if (depth == 0)
    return 1;
  if (mlirValueIsABlockArgument(value))
    return loop_divisor(value, depth - 1);
  MlirOperation op = mlirOpResultGetOwner(value);
  depth--;
  if (keeps_common_divisor(op))
    return gcd(divisor(mlirOperationGetOperand(op, 0), depth),
               divisor(mlirOperationGetOperand(op, 1), depth));
  if (arith_muli_is(op))
    return product(divisor(mlirOperationGetOperand(op, 0), depth),
                   divisor(mlirOperationGetOperand(op, 1), depth));
  if (arith_shli_is(op))
    return shift_divisor(op, depth);
  if (arith_select_is(op))
    return gcd(divisor(mlirOperationGetOperand(op, 1), depth),
               divisor(mlirOperationGetOperand(op, 2), depth));
  if (arith_index_cast_is(op) || arith_index_castui_is(op) ||
      arith_extsi_is(op) || arith_extui_is(op))
    return divisor(mlirOperationGetOperand(op, 0), depth);
  return 1;
}

int64_t tile_index_divisor(MlirValue index) {
  return divisor(index, MAX_DEPTH);
}

//===-- Windows -----------------------------------------------------------===//

TileInt tile_region_offset(TileRegionOp region, int dim) {
  intptr_t dynamic = 0;
  for (int d = 0; d < dim; d++)
    dynamic += mlirShapedTypeIsDynamicStrideOrOffset(
        tile_region_static_offsets(region, d));
  int64_t offset = tile_region_static_offsets(region, dim);
  if (!mlirShapedTypeIsDynamicStrideOrOffset(offset))
    return tile_int_constant(offset);
  MlirValue value = tile_range_at(tile_region_offsets(region), dynamic);
  int64_t constant;
  return mlirxConstantInt(value, &constant) ? tile_int_constant(constant)
                                            : tile_int_value(value);
}

int tile_region_result_dim(TileRegionOp region, int dim) {
  int result = dim;
  for (intptr_t i = 0; i < tile_region_dropped_size(region); i++) {
    if (tile_region_dropped(region, i) == dim)
      return -1;
    result -= tile_region_dropped(region, i) < dim;
  }
  return result;
}

//===- IntegerPowers.c - math.ipowi ---------------------------------------===//
//
// Products of squares, a bit of the power each; modulo 2^width, as products
// are. A negative power is 1, -1 or, of other numbers, 0.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Tile/Support/MlirExtra.h"

static MlirValue is_equal(Lowering *l, MlirValue x, MlirValue y) {
  return arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = x,
                    .rhs = y);
}

/// An integer of 32 or 64 bits, signed.
static MlirValue widened(Lowering *l, MlirValue x) {
  MlirType type = mlirValueGetType(x);
  if (mlirTypeIsAIndex(type))
    return arith_index_cast(&l->b, .type = type_i32(l), .in = x);
  return mlirIntegerTypeGetWidth(type) < 32
             ? arith_extsi(&l->b, .type = type_i32(l), .in = x)
             : x;
}

static MlirValue narrowed(Lowering *l, MlirValue x, MlirType type) {
  if (mlirTypeIsAIndex(type))
    return arith_index_cast(&l->b, .type = type, .in = x);
  return mlirIntegerTypeGetWidth(type) < 32
             ? arith_trunci(&l->b, .type = type, .in = x)
             : x;
}

// Bits of a power that is not negative, at most.
static int count_bits(MlirType type, MlirValue n) {
  int64_t constant;
  if (mlirxConstantInt(n, &constant)) {
    int count = 0;
    for (uint64_t left = constant < 0 ? 0 : (uint64_t)constant; left; left /= 2)
      count++;
    return count;
  }
  return (mlirTypeIsAIndex(type) ? 32 : (int)mlirIntegerTypeGetWidth(type)) - 1;
}

MlirValue integer_power(Lowering *l, MlirValue x, MlirValue n) {
  MlirType type = mlirValueGetType(x);
  int num_bits = count_bits(type, n);
  MlirValue square = widened(l, x), power = widened(l, n);
  int width = (int)mlirIntegerTypeGetWidth(mlirValueGetType(square));
  MlirValue zero = tile_const_int(&l->b, 0, width),
            one = tile_const_int(&l->b, 1, width),
            minus_one = tile_const_int(&l->b, -1, width);
  MlirValue odd = is_equal(l, arith_andi(&l->b, power, one), one);
  MlirValue negative =
      arith_select(&l->b, is_equal(l, square, minus_one),
                   arith_select(&l->b, odd, minus_one, one),
                   arith_select(&l->b, is_equal(l, square, one), one, zero));
  MlirValue result = one;
  for (int i = 0; i < num_bits; i++) {
    MlirValue bit =
        arith_andi(&l->b, power, tile_const_int(&l->b, (int64_t)1 << i, width));
    result = arith_select(&l->b, is_equal(l, bit, zero), result,
                          arith_muli(&l->b, result, square));
    square = arith_muli(&l->b, square, square);
  }
  MlirValue is_negative = arith_cmpi(
      &l->b, .predicate = ARITH_CMP_I_PREDICATE_slt, .lhs = power, .rhs = zero);
  result = arith_select(&l->b, is_negative, negative, result);
  return narrowed(l, result, type);
}

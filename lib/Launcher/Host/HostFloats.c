//===- HostFloats.c - Floating-point values of host functions -------------===//
//
// Computed in double precision and rounded once to the type, which for sums,
// products, quotients and square roots of types of up to 32 bits is what the
// type itself would give. Functions are as exact as the C library.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostFunction.h"

#include <assert.h>
#include <math.h>

static double round_to(TileDtype format, double number) {
  TileNumber real = {.dtype = TILE_DTYPE_F64, .real = number};
  unsigned char bytes[8];
  tile_dtype_store(format, real, bytes);
  return tile_dtype_load(format, bytes).real;
}

static double unary(ValueOp op, double a) {
  switch (op) {
  case VALUE_NEGF:
    return -a;
  case VALUE_ABSF:
    return fabs(a);
  case VALUE_SQRT:
    return sqrt(a);
  case VALUE_RSQRT:
    return 1 / sqrt(a);
  case VALUE_EXP:
    return exp(a);
  case VALUE_EXP2:
    return exp2(a);
  case VALUE_EXPM1:
    return expm1(a);
  case VALUE_LOG:
    return log(a);
  case VALUE_LOG2:
    return log2(a);
  case VALUE_LOG10:
    return log10(a);
  case VALUE_LOG1P:
    return log1p(a);
  case VALUE_SIN:
    return sin(a);
  case VALUE_COS:
    return cos(a);
  case VALUE_TAN:
    return tan(a);
  case VALUE_TANH:
    return tanh(a);
  case VALUE_ERF:
    return erf(a);
  case VALUE_CEIL:
    return ceil(a);
  case VALUE_FLOOR:
    return floor(a);
  case VALUE_ROUND:
    return round(a);
  case VALUE_ROUNDEVEN:
    return isfinite(a) ? copysign(a - remainder(a, 1), a) : a;
  default:
    assert(op == VALUE_TRUNC);
    return trunc(a);
  }
}

/// The larger one, or the smaller one; 0 is larger than -0. A NaN wins where
/// `keeps_nan`, and loses otherwise.
static double choose(double a, double b, bool is_max, bool keeps_nan) {
  if (isnan(a) || isnan(b))
    return keeps_nan == isnan(a) ? a : b;
  if (a == b)
    return (signbit(a) != 0) == is_max ? b : a;
  return (a > b) == is_max ? a : b;
}

static double binary(ValueOp op, double a, double b) {
  switch (op) {
  case VALUE_ADDF:
    return a + b;
  case VALUE_SUBF:
    return a - b;
  case VALUE_MULF:
    return a * b;
  case VALUE_DIVF:
    return a / b;
  case VALUE_REMF:
    return fmod(a, b);
  case VALUE_MAXIMUMF:
    return choose(a, b, true, true);
  case VALUE_MINIMUMF:
    return choose(a, b, false, true);
  case VALUE_MAXNUMF:
    return choose(a, b, true, false);
  case VALUE_MINNUMF:
    return choose(a, b, false, false);
  case VALUE_POWF:
    return pow(a, b);
  case VALUE_ATAN2:
    return atan2(a, b);
  default:
    assert(op == VALUE_COPYSIGN);
    return copysign(a, b);
  }
}

/// Predicates are numbered by what they accept: from 0 to 7 sums of 1 equal, 2
/// greater, 4 less; from 8 to 13 those from 1 to 6, or unordered; 14 unordered;
/// 15 all.
static bool compare(int predicate, double a, double b) {
  enum { FIRST_UNORDERED = 8, UNORDERED = 14 };
  int relation = a == b ? 1 : a > b ? 2 : 4;
  if (isnan(a) || isnan(b))
    return predicate >= FIRST_UNORDERED;
  if (predicate < FIRST_UNORDERED)
    return predicate & relation;
  return predicate > UNORDERED ||
         (predicate < UNORDERED &&
          ((predicate - FIRST_UNORDERED + 1) & relation));
}

/// The integer part; false when an integer of so many bits does not hold it.
static bool to_integer(double number, bool is_signed, int num_bits,
                       uint64_t *out_bits) {
  double whole = trunc(number);
  double end = ldexp(1, is_signed ? num_bits - 1 : num_bits);
  double first = is_signed ? -end : 0;
  if (!(whole >= first && whole < end)) // a NaN is neither
    return false;
  *out_bits = is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole;
  return true;
}

bool tile_value_compute_float(const Value *value, const Value *operand,
                              const ValueResult *const operands[3],
                              ValueResult *out_result) {
  double a = operands[0]->real;
  double result = 0;
  switch (tile_value_ops[value->op].kind) {
  case TILE_HOST_CMPF:
    out_result->bits = compare(value->predicate, a, operands[1]->real);
    return true;
  case TILE_HOST_TO_INT:
    return to_integer(a, value->op == VALUE_FPTOSI, value->type.num_bits,
                      &out_result->bits);
  case TILE_HOST_TO_FLOAT:
    result = value->op == VALUE_SITOFP
                 ? (double)tile_value_result_bits_signed(operand, operands[0])
                 : (double)operands[0]->bits;
    break;
  case TILE_HOST_FLOAT_CAST:
    result = a;
    break;
  case TILE_HOST_FLOAT_UNARY:
    result = unary(value->op, a);
    break;
  case TILE_HOST_FLOAT_FMA:
    result = fma(a, operands[1]->real, operands[2]->real);
    break;
  default:
    result = binary(value->op, a, operands[1]->real);
    break;
  }
  out_result->real = round_to(value->type.format, result);
  return true;
}

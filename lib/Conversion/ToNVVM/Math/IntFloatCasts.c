//===- IntFloatCasts.c - Between integers and floats ----------------------===//
//
// What the back end does otherwise than arith says: i1 is an integer like
// others, true is -1 where it has a sign; and a number is rounded once on its
// way to bf16. Numbers of a few bits, as weights have that are unpacked, become
// f16 by an `or` and a difference: conversions run at an eighth of the rate of
// these.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"

#include "Support/Constants.h"

static MlirType in_type(MlirOperation op) {
  return mlirValueGetType(mlirOperationGetOperand(op, 0));
}

static MlirType out_type(MlirOperation op) {
  return mlirValueGetType(mlirOperationGetResult(op, 0));
}

static bool is_int_of(MlirType type, unsigned from, unsigned to) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) >= from &&
         mlirIntegerTypeGetWidth(type) <= to;
}

//===-- Numbers of a few bits ---------------------------------------------===//

// f16 has 1024 to 2047 as 0x6400 and ten bits.
enum { FEW_BITS = 10, BITS_OF_1024 = 0x6400 };

// Bits that may be set in a number that has no sign; 64: not known.
static int num_low_bits(MlirValue x) {
  enum { UNKNOWN = 64 };
  int64_t constant;
  MlirOperation op =
      mlirValueIsAOpResult(x) ? mlirOpResultGetOwner(x) : TILE_NULL_OP;
  if (!op.ptr)
    return UNKNOWN;
  if (arith_extui_is(op))
    return (int)mlirIntegerTypeGetWidth(in_type(op));
  if (arith_index_cast_is(op) || arith_trunci_is(op))
    return num_low_bits(mlirOperationGetOperand(op, 0));
  if (!arith_andi_is(op))
    return UNKNOWN;
  for (int i = 0; i < 2; i++)
    if (mlirxConstantInt(mlirOperationGetOperand(op, i), &constant) &&
        constant >= 0)
      return constant ? 64 - __builtin_clzll((unsigned long long)constant) : 0;
  return UNKNOWN;
}

static bool has_few_bits(MlirOperation op) {
  return mlirTypeIsAF16(out_type(op)) && is_int_of(in_type(op), 8, 32) &&
         num_low_bits(mlirOperationGetOperand(op, 0)) <=
             (is_int_of(in_type(op), 8, 8) && arith_sitofp_is(op) ? 7
                                                                  : FEW_BITS);
}

bool int_float_cast_is(MlirOperation op) {
  if (arith_fptosi_is(op) || arith_fptoui_is(op))
    return is_int_of(out_type(op), 1, 1);
  if ((arith_sitofp_is(op) || arith_uitofp_is(op)) && has_few_bits(op))
    return true;
  if (arith_sitofp_is(op) && is_int_of(in_type(op), 1, 1))
    return true;
  return (arith_sitofp_is(op) || arith_uitofp_is(op)) &&
         mlirTypeIsABF16(out_type(op)) && is_int_of(in_type(op), 32, 64);
}

static MlirValue to_float(Lowering *l, MlirValue x, MlirType type,
                          bool is_signed) {
  return is_signed ? arith_sitofp(&l->b, .type = type, .in = x)
                   : arith_uitofp(&l->b, .type = type, .in = x);
}

// A number that bf16 rounds alike: from 2^24 on the low 12 bits only say
// whether something is there. f32 holds it exactly where it has 32 bits, else
// f64.
static MlirValue cut(Lowering *l, MlirValue x, bool is_signed) {
  int width = (int)mlirIntegerTypeGetWidth(mlirValueGetType(x));
  MlirValue limit = tile_const_int(&l->b, INT64_C(1) << 24, width);
  MlirValue shifted = is_signed ? arith_addi(&l->b, x, limit) : x;
  MlirValue most =
      is_signed ? tile_const_int(&l->b, INT64_C(1) << 25, width) : limit;
  MlirValue is_large = arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ugt,
                                  .lhs = shifted, .rhs = most);
  MlirValue zero = tile_const_int(&l->b, 0, width);
  MlirValue low = arith_andi(&l->b, x, tile_const_int(&l->b, 0xfff, width));
  MlirValue is_inexact = arith_cmpi(
      &l->b, .predicate = ARITH_CMP_I_PREDICATE_ne, .lhs = low, .rhs = zero);
  MlirValue half = arith_select(&l->b, is_inexact,
                                tile_const_int(&l->b, 0x800, width), zero);
  MlirValue high = arith_andi(&l->b, x, tile_const_int(&l->b, -0x1000, width));
  return arith_select(&l->b, is_large, arith_ori(&l->b, high, half), x);
}

// The back end goes by way of f32, and rounds there as well.
static MlirValue to_bf16(Lowering *l, MlirValue x, MlirType type,
                         bool is_signed) {
  if (l->target->has_bf16_of_int)
    return to_float(l, x, type, is_signed);
  x = cut(l, x, is_signed);
  if (!is_int_of(mlirValueGetType(x), 64, 64))
    return to_float(l, x, type, is_signed);
  MlirType f64 = mlirF64TypeGet(tile_builder_context(&l->b));
  return arith_truncf(&l->b, .type = type,
                      .in = to_float(l, x, f64, is_signed));
}

static MlirValue number(Lowering *l, MlirType type, double value) {
  return arith_constant(
      &l->b, mlirFloatAttrDoubleGet(tile_builder_context(&l->b), type, value));
}

// 1024 + x, less 1024: both are exact.
static MlirValue of_few_bits(Lowering *l, MlirValue x, MlirType type) {
  MlirType i16 = mlirIntegerTypeGet(tile_builder_context(&l->b), 16);
  if (is_int_of(mlirValueGetType(x), 8, 8))
    x = arith_extui(&l->b, .type = i16, .in = x);
  else if (!is_int_of(mlirValueGetType(x), 16, 16))
    x = arith_trunci(&l->b, .type = i16, .in = x);
  MlirValue bits = arith_ori(&l->b, x, tile_const_int(&l->b, BITS_OF_1024, 16));
  MlirValue sum = arith_bitcast(&l->b, .type = type, .in = bits);
  return arith_subf(&l->b, sum, number(l, type, 1024));
}

void lower_int_float_cast(Lowering *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0), value;
  MlirType type = out_type(op);
  if (arith_fptosi_is(op))
    value =
        arith_trunci(&l->b, .type = type,
                     .in = arith_fptosi(&l->b, .type = type_i32(l), .in = x));
  else if (arith_fptoui_is(op))
    value =
        arith_trunci(&l->b, .type = type,
                     .in = arith_fptoui(&l->b, .type = type_i32(l), .in = x));
  else if (has_few_bits(op))
    value = of_few_bits(l, x, type);
  else if (is_int_of(in_type(op), 1, 1)) {
    MlirValue minus_one = number(l, type, -1);
    value = arith_select(&l->b, x, minus_one, number(l, type, 0));
  } else
    value = to_bf16(l, x, type, arith_sitofp_is(op));
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     value);
}

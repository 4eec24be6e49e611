//===- IntFloatCasts.c - Between integers and floats ----------------------===//
//
// What the back end does otherwise than arith says: i1 is an integer like
// others, true is -1 where it has a sign; and a number is rounded once on its
// way to bf16.
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

bool int_float_cast_is(MlirOperation op) {
  if (arith_fptosi_is(op) || arith_fptoui_is(op))
    return is_int_of(out_type(op), 1, 1);
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
  else if (is_int_of(in_type(op), 1, 1)) {
    MlirValue minus_one = number(l, type, -1);
    value = arith_select(&l->b, x, minus_one, number(l, type, 0));
  } else
    value = to_bf16(l, x, type, arith_sitofp_is(op));
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     value);
}

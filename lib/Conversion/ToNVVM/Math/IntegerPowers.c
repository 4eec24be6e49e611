//===- IntegerPowers.c - math.ipowi ---------------------------------------===//
//
// Products of squares, a bit of the power each; modulo 2^width, as products
// are. A loop over the bits, as most powers have few; constants are unrolled.
// A negative power is 1, -1 or, of other numbers, 0.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Support/MlirExtra.h"
#include "Tile/Ops/cf.h"

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

/// An integer type; numbers of it.
typedef struct {
  Lowering *l;
  MlirType type;
  MlirValue zero, one;
} Integers;

// x^n of a constant n.
static MlirValue unrolled(const Integers *m, MlirValue x, int64_t n) {
  MlirValue result = m->one;
  for (int64_t left = n; left > 0; left /= 2) {
    if (left % 2)
      result = arith_muli(&m->l->b, result, x);
    x = arith_muli(&m->l->b, x, x);
  }
  return result;
}

// x^n of an n that is not negative, else 1. The loop has the product so far,
// the square and the bits that are left.
static MlirValue looped(const Integers *m, MlirValue x, MlirValue n) {
  TileBuilder *b = &m->l->b;
  MlirType types[3] = {m->type, m->type, m->type};
  MlirLocation locations[3] = {b->loc, b->loc, b->loc};
  MlirOperation anchor = anchor_begin(m->l);
  MlirBlock before = mlirOperationGetBlock(anchor);
  MlirBlock after = mlirxSplitBlock(b->rw, anchor);
  MlirValue result = mlirBlockAddArgument(after, m->type, b->loc);
  MlirBlock body =
      mlirRewriterBaseCreateBlockBefore(b->rw, after, 3, types, locations);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, before);
  MlirValue is_positive = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_sgt,
                                     .lhs = n, .rhs = m->zero);
  cf_cond_br(b, .condition = is_positive,
             .trueDestOperands = TILE_VALUES(m->one, x, n), .trueDest = body,
             .falseDestOperands = TILE_VALUES(m->one), .falseDest = after);

  mlirRewriterBaseSetInsertionPointToEnd(b->rw, body);
  MlirValue product = mlirBlockGetArgument(body, 0),
            square = mlirBlockGetArgument(body, 1),
            left = mlirBlockGetArgument(body, 2);
  MlirValue is_odd = is_equal(m->l, arith_andi(b, left, m->one), m->one);
  product = arith_select(b, is_odd, arith_muli(b, product, square), product);
  square = arith_muli(b, square, square);
  left = arith_shrui(b, left, m->one);
  cf_cond_br(b, .condition = is_equal(m->l, left, m->zero),
             .trueDestOperands = TILE_VALUES(product), .trueDest = after,
             .falseDestOperands = TILE_VALUES(product, square, left),
             .falseDest = body);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, anchor);
  anchor_end(m->l, anchor);
  return result;
}

// x^n of a negative n.
static MlirValue reciprocal(const Integers *m, MlirValue x, MlirValue n) {
  TileBuilder *b = &m->l->b;
  MlirValue minus_one = arith_subi(b, m->zero, m->one);
  MlirValue is_odd = is_equal(m->l, arith_andi(b, n, m->one), m->one);
  MlirValue is_minus_one = is_equal(m->l, x, minus_one);
  MlirValue sign = arith_select(b, is_odd, minus_one, m->one);
  return arith_select(
      b, is_minus_one, sign,
      arith_select(b, is_equal(m->l, x, m->one), m->one, m->zero));
}

MlirValue integer_power(Lowering *l, MlirValue x, MlirValue n) {
  MlirType type = mlirValueGetType(x);
  int64_t constant;
  bool is_constant = mlirxConstantInt(n, &constant);
  x = widened(l, x);
  n = widened(l, n);
  Integers m = {l, mlirValueGetType(x)};
  int width = (int)mlirIntegerTypeGetWidth(m.type);
  m.zero = tile_const_int(&l->b, 0, width);
  m.one = tile_const_int(&l->b, 1, width);
  if (is_constant && constant >= 0)
    return narrowed(l, unrolled(&m, x, constant), type);
  MlirValue power = looped(&m, x, n);
  MlirValue is_negative = arith_cmpi(
      &l->b, .predicate = ARITH_CMP_I_PREDICATE_slt, .lhs = n, .rhs = m.zero);
  power = arith_select(&l->b, is_negative, reciprocal(&m, x, n), power);
  return narrowed(l, power, type);
}

//===- FloatReduction.c - Angles modulo a quarter of a turn ---------------===//
//
// Of common angles j pi/2 is subtracted, pi/2 as the sum of three numbers: the
// first difference is exact, so the error is that of the last one. Large angles
// take a branch, as nobody else should wait for them. After Payne and Hanek,
// Radian Reduction for Trigonometric Functions, 1983: |x| = mantissa * 2^e, so
// |x| 2/pi modulo 4 takes only the bits of 2/pi from bit e - 1 on; three words
// of them leave more bits after the point than any x cancels. The words are
// chosen from all of 2/pi by comparisons.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"

#include "Support/MlirExtra.h"
#include "Tile/Ops/cf.h"

enum { NUM_TAKEN = 3, MAX_WORDS = 20 };

static const double half_pi = 1.57079632679489662;

// The bits of 2/pi after the point.
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab};

// Word i of the bits, before which one word is 0.
static uint64_t word_of_bits(const FloatMath *m, int i) {
  if (i == 0)
    return 0;
  if (m->is_double)
    return two_over_pi[i - 1];
  uint64_t two = two_over_pi[(i - 1) / 2];
  return (i - 1) % 2 ? two & 0xffffffff : two >> 32;
}

static MlirValue shifted_right(const FloatMath *m, MlirValue x, int bits) {
  return arith_shrui(m->b, x, word(m, (uint64_t)bits));
}

static MlirValue shifted_left(const FloatMath *m, MlirValue x, int bits) {
  return arith_shli(m->b, x, word(m, (uint64_t)bits));
}

static MlirValue masked(const FloatMath *m, MlirValue x, uint64_t mask) {
  return arith_andi(m->b, x, word(m, mask));
}

//===-- Large angles ------------------------------------------------------===//

/// An x from 1 on in its parts.
typedef struct {
  MlirValue mantissa; // a word: |x| = mantissa * 2^e
  MlirValue position; // e - 2 and a word: the first bit to take
} Angle;

static Angle split(const FloatMath *m, MlirValue x) {
  MlirValue bits = as_word(m, magnitude(m, x));
  uint64_t one = (uint64_t)1 << m->num_mantissa_bits;
  MlirValue stored = masked(m, bits, one - 1);
  MlirValue mantissa = arith_ori(m->b, stored, word(m, one));
  // e = exponent - bias - num_mantissa_bits
  int least = m->bias + m->num_mantissa_bits + 2 - m->num_bits;
  MlirValue exponent = shifted_right(m, bits, m->num_mantissa_bits);
  MlirValue position = arith_subi(m->b, exponent, word(m, (uint64_t)least));
  return (Angle){mantissa, position};
}

// The words from word `index` on, of the first `count`: each bit of the index,
// the highest first, halves what is left.
static void choose_words(const FloatMath *m, MlirValue index, int count,
                         MlirValue words[MAX_WORDS]) {
  for (int i = 0; i < count; i++)
    words[i] = word(m, word_of_bits(m, i));
  for (int step = m->is_double ? 16 : 4; step > 0; step /= 2) {
    MlirValue chosen = masked(m, index, (uint64_t)step);
    MlirValue is_set = arith_cmpi(m->b, .predicate = ARITH_CMP_I_PREDICATE_ne,
                                  .lhs = chosen, .rhs = word(m, 0));
    for (int i = 0; i < NUM_TAKEN + step && i + step < count; i++)
      words[i] = choose(m, is_set, words[i + step], words[i]);
  }
}

// Three words of 2/pi from bit `position` on.
static void take_bits(const FloatMath *m, MlirValue position,
                      MlirValue taken[NUM_TAKEN]) {
  MlirValue words[MAX_WORDS];
  int num_words = m->is_double ? MAX_WORDS : 8;
  int shift = m->is_double ? 6 : 5;
  choose_words(m, shifted_right(m, position, shift), num_words, words);
  MlirValue left = masked(m, position, (uint64_t)m->num_bits - 1);
  MlirValue right = arith_subi(m->b, word(m, (uint64_t)m->num_bits - 1), left);
  for (int i = 0; i < NUM_TAKEN; i++) {
    MlirValue low = arith_shrui(m->b, shifted_right(m, words[i + 1], 1), right);
    taken[i] = arith_ori(m->b, arith_shli(m->b, words[i], left), low);
  }
}

/// |x| 2/pi modulo 4: two words, of which the first two bits are whole.
typedef struct {
  MlirValue high, low;
} Turns;

static Turns multiply(const FloatMath *m, MlirValue mantissa,
                      const MlirValue taken[NUM_TAKEN]) {
  MlirOperation last =
      arith_mului_extended_op(m->b, .lhs = taken[2], .rhs = mantissa).op;
  MlirOperation middle =
      arith_mului_extended_op(m->b, .lhs = taken[1], .rhs = mantissa).op;
  MlirValue carried = mlirOperationGetResult(last, 1);
  MlirValue low = arith_addi(m->b, mlirOperationGetResult(middle, 0), carried);
  MlirValue overflows = arith_cmpi(m->b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                   .lhs = low, .rhs = carried);
  MlirValue high = arith_addi(m->b, arith_muli(m->b, taken[0], mantissa),
                              mlirOperationGetResult(middle, 1));
  MlirValue carry = arith_extui(m->b, .type = m->word, .in = overflows);
  return (Turns){arith_addi(m->b, high, carry), low};
}

static Reduced reduce_large(const FloatMath *m, MlirValue x) {
  MlirValue taken[NUM_TAKEN];
  Angle angle = split(m, x);
  take_bits(m, angle.position, taken);
  Turns turns = multiply(m, angle.mantissa, taken);
  int whole = m->num_bits - 2;
  // After the point, from -1/2 to 1/2; what is negative is of the next one.
  MlirValue upper = shifted_left(m, turns.high, 2);
  MlirValue high = arith_ori(m->b, upper, shifted_right(m, turns.low, whole));
  MlirValue low = shifted_left(m, turns.low, 2);
  MlirValue below = shifted_right(m, turns.high, whole);
  MlirValue quadrant =
      arith_addi(m->b, below, shifted_right(m, high, m->num_bits - 1));
  double unit = m->is_double ? 0x1p-64 : 0x1p-32;
  MlirValue low_part = arith_uitofp(m->b, .type = m->type, .in = low);
  MlirValue scale = number(m, unit);
  MlirValue fraction = fma3(m, low_part, scale, float_of(m, high));
  return (Reduced){mul(m, fraction, number(m, half_pi * unit)), quadrant};
}

//===-- Other angles ------------------------------------------------------===//

// The product with 2/pi is off by less than 2^-7 below `common_end`.
static double common_end(const FloatMath *m) {
  return m->is_double ? 0x1p31 : 0x1p17;
}

static Reduced reduce_common(const FloatMath *m, MlirValue x) {
  MlirValue j = math_roundeven(m->b, mul(m, x, number(m, 1 / half_pi)));
  MlirValue minus_j = minus(m, j);
  MlirValue r = fma3(m, minus_j, number_of(m, 0x1.921fb6p0, half_pi), x);
  r = fma3(m, minus_j, number_of(m, -0x1.777a5cp-25, 0x1.1a62633145c07p-54), r);
  r = fma3(m, minus_j, number_of(m, -0x1.ee59dap-50, -0x1.f1976b7ed8fbcp-110),
           r);
  return (Reduced){r, arith_fptosi(m->b, .type = m->word, .in = j)};
}

Reduced float_reduce_angle(const FloatMath *m, MlirValue x) {
  MlirValue a = magnitude(m, x);
  Reduced common = reduce_common(m, a);
  MlirValue is_large = greater(m, a, common_end(m));
  MlirOperation anchor = anchor_begin(m->l);
  MlirBlock before = mlirOperationGetBlock(anchor);
  MlirBlock after = mlirxSplitBlock(m->b->rw, anchor);
  m->l->after_angle = after;
  Reduced result = {mlirBlockAddArgument(after, m->type, m->b->loc),
                    mlirBlockAddArgument(after, m->word, m->b->loc)};
  MlirBlock large =
      mlirRewriterBaseCreateBlockBefore(m->b->rw, after, 0, NULL, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(m->b->rw, before);
  cf_cond_br(m->b, .condition = is_large, .trueDest = large,
             .falseDestOperands = TILE_VALUES(common.angle, common.quadrant),
             .falseDest = after);
  mlirRewriterBaseSetInsertionPointToEnd(m->b->rw, large);
  Reduced reduced = reduce_large(m, a);
  cf_br(m->b, .destOperands = TILE_VALUES(reduced.angle, reduced.quadrant),
        .dest = after);
  mlirRewriterBaseSetInsertionPointBefore(m->b->rw, anchor);
  anchor_end(m->l, anchor);
  return result;
}

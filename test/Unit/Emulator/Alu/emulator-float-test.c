//===- emulator-float-test.c - Floating-point instructions ----------------===//
//
// Results are compared bit by bit; NaN of any kind counts as one value.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <fenv.h>
#include <math.h>

//===-- Helpers -----------------------------------------------------------===//

static uint32_t same_nan(float number) {
  return isnan(number) ? 0x7fffffff : harness_bits(number);
}

static void double_operands(uint32_t seed, HarnessOperands out[HARNESS_LANES]) {
  harness_float_operands(seed, out);
  for (uint32_t l = 0; l < HARNESS_LANES; l++) {
    out[l].a = harness_bits64((double)harness_f32(out[l].a) * 1.0000001);
    out[l].b = harness_bits64((double)harness_f32(out[l].b) / 3);
    out[l].c = harness_bits64((double)harness_f32(out[l].c));
  }
}

/// Three packed halves in the low 32 bits of each operand.
static void half_operands(uint32_t seed, HarnessOperands out[HARNESS_LANES]) {
  uint32_t state = seed * 31337;
  for (uint32_t l = 0; l < HARNESS_LANES; l++)
    out[l] = (HarnessOperands){harness_random(&state), harness_random(&state),
                               harness_random(&state), 0};
}

#define A harness_f32(x.a)
#define B harness_f32(x.b)
#define C harness_f32(x.c)
#define DA harness_f64(x.a)
#define DB harness_f64(x.b)
#define DC harness_f64(x.c)

/// Like HARNESS_CASE for an f32 result.
#define CASE(name, text, expr)                                                 \
  static void name(void **state) {                                             \
    (void)state;                                                               \
    HarnessOperands in[HARNESS_LANES];                                         \
    HarnessResults out[HARNESS_LANES];                                         \
    for (uint32_t seed = 1; seed <= 4; seed++) {                               \
      harness_float_operands(seed, in);                                        \
      harness_lanes(text, in, out);                                            \
      for (uint32_t l = 0; l < HARNESS_LANES; l++) {                           \
        HarnessOperands x = in[l];                                             \
        uint32_t got = same_nan(harness_f32(out[l].fd));                       \
        uint32_t expected = same_nan(expr);                                    \
        if (got != expected)                                                   \
          print_error("%s: %a %a %a\n", text, (double)A, (double)B,            \
                      (double)C);                                              \
        assert_int_equal(got, expected);                                       \
      }                                                                        \
    }                                                                          \
  }

//===-- Single precision --------------------------------------------------===//

static float smaller(float x, float y) {
  if (isnan(x))
    return y;
  if (isnan(y))
    return x;
  if (x == y)
    return signbit(x) ? x : y;
  return x < y ? x : y;
}

static float larger(float x, float y) { return -smaller(-x, -y); }

CASE(add_f32, "add.f32 fd, fa, fb;", A + B)
CASE(sub_f32, "sub.rn.f32 fd, fa, fb;", A - B)
CASE(mul_f32, "mul.f32 fd, fa, fb;", A *B)
CASE(fma_f32, "fma.rn.f32 fd, fa, fb, fc;",
     (float)fmal((long double)A, (long double)B, (long double)C))
CASE(div_f32, "div.rn.f32 fd, fa, fb;", A / B)
CASE(min_f32, "min.f32 fd, fa, fb;", smaller(A, B))
CASE(max_f32, "max.f32 fd, fa, fb;", larger(A, B))
CASE(max_nan_f32, "max.NaN.f32 fd, fa, fb;",
     isnan(A) || isnan(B) ? NAN : larger(A, B))
CASE(abs_f32, "abs.f32 fd, fa;", fabsf(A))
CASE(neg_f32, "neg.f32 fd, fa;", -A)
CASE(sqrt_f32, "sqrt.rn.f32 fd, fa;", sqrtf(A))
CASE(rcp_f32, "rcp.approx.f32 fd, fa;", 1.0f / A)
CASE(rsqrt_f32, "rsqrt.approx.f32 fd, fa;", (float)(1.0 / sqrt((double)A)))
CASE(ex2_f32, "ex2.approx.ftz.f32 fd, fa;", exp2f(A))
CASE(lg2_f32, "lg2.approx.f32 fd, fa;", log2f(A))
CASE(tanh_f32, "tanh.approx.f32 fd, fa;", tanhf(A))
CASE(add_sat_f32, "add.sat.f32 fd, fa, fb;",
     A + B > 0 ? (A + B < 1 ? A + B : 1.0f) : 0.0f)
CASE(immediate_bits, "add.f32 fd, fa, 0f3FC00000;", A + 1.5f)
CASE(immediate_decimal, "mul.f32 fd, fa, 0.25;", A * 0.25f)

static float rounded(int mode, float x, float y) {
  volatile float a = x, b = y;
  fesetround(mode);
  volatile float result = a * b;
  fesetround(FE_TONEAREST);
  return result;
}
CASE(mul_rz, "mul.rz.f32 fd, fa, fb;", rounded(FE_TOWARDZERO, A, B))
CASE(mul_rm, "mul.rm.f32 fd, fa, fb;", rounded(FE_DOWNWARD, A, B))
CASE(mul_rp, "mul.rp.f32 fd, fa, fb;", rounded(FE_UPWARD, A, B))

//===-- Double precision --------------------------------------------------===//

#define DOUBLE_CASE(name, text, expr)                                          \
  HARNESS_CASE(name, double_operands, text, dd,                                \
               isnan(expr) ? out[l].dd : harness_bits64(expr))
DOUBLE_CASE(add_f64, "add.f64 dd, da, db;", DA + DB)
DOUBLE_CASE(mul_f64, "mul.rn.f64 dd, da, db;", DA *DB)
DOUBLE_CASE(fma_f64, "fma.rn.f64 dd, da, db, dc;", fma(DA, DB, DC))
DOUBLE_CASE(div_f64, "div.rn.f64 dd, da, db;", DA / DB)
DOUBLE_CASE(sqrt_f64, "sqrt.rn.f64 dd, da;", sqrt(DA))
DOUBLE_CASE(neg_f64, "neg.f64 dd, da;", -DA)

//===-- Half precision ----------------------------------------------------===//
//
// The exact result in double, rounded to the format by search: the nearest of
// all numbers of the format, the even one of two.

static uint32_t nearest(double number, int exponent_bits, int mantissa_bits) {
  uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  uint32_t sign = signbit(number) ? 1u << (exponent_bits + mantissa_bits) : 0;
  double magnitude = fabs(number);
  if (isnan(number))
    return 0x7fff;
  uint32_t low = 0, high = infinity; // the numbers grow with their bits
  while (low + 1 < high) {
    uint32_t middle = (low + high) / 2;
    if (harness_small_float(middle, exponent_bits, mantissa_bits) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  double below = harness_small_float(low, exponent_bits, mantissa_bits);
  double above = 2 * harness_small_float(low, exponent_bits, mantissa_bits) -
                 harness_small_float(low - 1, exponent_bits, mantissa_bits);
  if (high != infinity || low == 0)
    above = harness_small_float(high, exponent_bits, mantissa_bits);
  double to_below = magnitude - below, to_above = above - magnitude;
  bool up = to_above < to_below || (to_above == to_below && low % 2);
  return sign | (isinf(magnitude) ? infinity : up ? high : low);
}

static uint32_t pack_f16(double low, double high) {
  return nearest(low, 5, 10) | nearest(high, 5, 10) << 16;
}
static uint32_t pack_bf16(double low, double high) {
  return nearest(low, 8, 7) | nearest(high, 8, 7) << 16;
}
/// Half number `i` of an operand.
static double f16(uint64_t bits, int i) {
  return (double)harness_f16((uint32_t)(bits >> (16 * i)) & 0xffff);
}
static double bf16(uint64_t bits, int i) {
  return (double)harness_bf16((uint32_t)(bits >> (16 * i)) & 0xffff);
}

#define HALF_CASE(name, text, field, expr)                                     \
  HARNESS_CASE(name, half_operands, text, field, expr)
#define F16_OF(i, op) (f16(x.a, i) op f16(x.b, i))
#define BF16_OF(i, op) (bf16(x.a, i) op bf16(x.b, i))
HALF_CASE(add_f16, "add.f16 d16, a16, b16;", d16, nearest(F16_OF(0, +), 5, 10))
HALF_CASE(mul_f16x2, "mul.f16x2 d32, a32, b32;", d32,
          pack_f16(F16_OF(0, *), F16_OF(1, *)))
HALF_CASE(sub_bf16x2, "sub.bf16x2 d32, a32, b32;", d32,
          pack_bf16(BF16_OF(0, -), BF16_OF(1, -)))
HALF_CASE(mul_bf16, "mul.bf16 d16, a16, b16;", d16,
          nearest(BF16_OF(0, *), 8, 7))
HALF_CASE(fma_f16x2, "fma.rn.f16x2 d32, a32, b32, c32;", d32,
          pack_f16(F16_OF(0, *) + f16(x.c, 0), F16_OF(1, *) + f16(x.c, 1)))
HALF_CASE(fma_bf16x2, "fma.rn.bf16x2 d32, a32, b32, c32;", d32,
          pack_bf16(BF16_OF(0, *) + bf16(x.c, 0), BF16_OF(1, *) + bf16(x.c, 1)))
HALF_CASE(setp_f16, "setp.lt.f16 p, a16, b16;", p, f16(x.a, 0) < f16(x.b, 0))
HALF_CASE(setp_f16x2, "setp.geu.f16x2 p|q, a32, b32;", q,
          !(f16(x.a, 1) < f16(x.b, 1)))

//===-- Comparisons -------------------------------------------------------===//

#define FLOAT_CASE(name, text, field, expr)                                    \
  HARNESS_CASE(name, harness_float_operands, text, field, expr)
FLOAT_CASE(setp_eq, "setp.eq.f32 p, fa, fa;", p, A == A)
FLOAT_CASE(setp_lt, "setp.lt.f32 p, fa, fb;", p, A < B)
FLOAT_CASE(setp_neu, "setp.neu.f32 p, fa, fb;", p, !(A == B))
FLOAT_CASE(setp_ne, "setp.ne.f32 p, fa, fb;", p, A<B || A> B)
FLOAT_CASE(setp_leu, "setp.leu.f32 p, fa, fb;", p, !(A > B))
FLOAT_CASE(setp_nan, "setp.nan.f32 p, fa, fb;", p, isnan(A) || isnan(B))
FLOAT_CASE(setp_num, "setp.num.f32 p, fa, fb;", p, !isnan(A) && !isnan(B))
FLOAT_CASE(testp_finite, "testp.finite.f32 p, fa;", p, isfinite(A) != 0)
FLOAT_CASE(testp_subnormal, "testp.subnormal.f32 p, fa;", p,
           fpclassify(A) == FP_SUBNORMAL)
// NaN keeps its bits.
FLOAT_CASE(copysign_f32, "copysign.f32 fd, fa, fb; mov.b32 d32, fd;", d32,
           (uint32_t)((x.a & 0x80000000) | (x.b & 0x7fffffff)))
FLOAT_CASE(slct_f32, "slct.b32.f32 d32, a32, b32, fc;", d32,
           (uint32_t)(C >= 0 ? x.a : x.b))

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(add_f32),        cmocka_unit_test(sub_f32),
    cmocka_unit_test(mul_f32),        cmocka_unit_test(fma_f32),
    cmocka_unit_test(div_f32),        cmocka_unit_test(min_f32),
    cmocka_unit_test(max_f32),        cmocka_unit_test(max_nan_f32),
    cmocka_unit_test(abs_f32),        cmocka_unit_test(neg_f32),
    cmocka_unit_test(copysign_f32),   cmocka_unit_test(sqrt_f32),
    cmocka_unit_test(rcp_f32),        cmocka_unit_test(rsqrt_f32),
    cmocka_unit_test(ex2_f32),        cmocka_unit_test(lg2_f32),
    cmocka_unit_test(tanh_f32),       cmocka_unit_test(add_sat_f32),
    cmocka_unit_test(immediate_bits), cmocka_unit_test(immediate_decimal),
    cmocka_unit_test(mul_rz),         cmocka_unit_test(mul_rm),
    cmocka_unit_test(mul_rp),         cmocka_unit_test(add_f64),
    cmocka_unit_test(mul_f64),        cmocka_unit_test(fma_f64),
    cmocka_unit_test(div_f64),        cmocka_unit_test(sqrt_f64),
    cmocka_unit_test(neg_f64),        cmocka_unit_test(add_f16),
    cmocka_unit_test(mul_f16x2),      cmocka_unit_test(sub_bf16x2),
    cmocka_unit_test(mul_bf16),       cmocka_unit_test(fma_f16x2),
    cmocka_unit_test(fma_bf16x2),     cmocka_unit_test(setp_f16),
    cmocka_unit_test(setp_f16x2),     cmocka_unit_test(setp_eq),
    cmocka_unit_test(setp_lt),        cmocka_unit_test(setp_neu),
    cmocka_unit_test(setp_ne),        cmocka_unit_test(setp_leu),
    cmocka_unit_test(setp_nan),       cmocka_unit_test(setp_num),
    cmocka_unit_test(testp_finite),   cmocka_unit_test(testp_subnormal),
    cmocka_unit_test(slct_f32),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

//===- AluFloat.c - Single and double precision arithmetic ----------------===//
//
// PTX ISA, "Floating Point Instructions". Round to nearest even. Approximate
// instructions give the correctly rounded or library result: real hardware may
// differ in the last bits.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "NarrowFloat.h"

#include <math.h>

/// Results of f32 that are not numbers have one bit pattern. PTX ISA, "NaN
/// payloads".
static inline float canonical(float x) {
  return isnan(x) ? tile_f32_of_bits(0x7fffffffu) : x;
}

#define UNARY(name, f32_expr, f64_expr)                                        \
  static TileLanes name##_f32(TileWarp *warp, const TileInsn *insn,            \
                              TileLanes lanes) {                               \
    float *d = tile_f32(warp, insn->dst);                                      \
    const float *a = tile_f32(warp, insn->a);                                  \
    TILE_VECTOR(lanes, float x = a[l]; d[l] = canonical(f32_expr));            \
    return 0;                                                                  \
  }                                                                            \
  static TileLanes name##_f64(TileWarp *warp, const TileInsn *insn,            \
                              TileLanes lanes) {                               \
    double *d = tile_f64(warp, insn->dst);                                     \
    const double *a = tile_f64(warp, insn->a);                                 \
    TILE_VECTOR(lanes, double x = a[l]; d[l] = (f64_expr));                    \
    return 0;                                                                  \
  }

#define BINARY_OF(name, T, register_of, expr)                                  \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    T *d = register_of(warp, insn->dst);                                       \
    const T *a = register_of(warp, insn->a), *b = register_of(warp, insn->b);  \
    TILE_VECTOR(lanes, T x = a[l]; T y = b[l]; d[l] = (expr));                 \
    return 0;                                                                  \
  }
#define BINARY(name, f32_expr, f64_expr)                                       \
  BINARY_OF(name##_f32, float, tile_f32, canonical(f32_expr))                  \
  BINARY_OF(name##_f64, double, tile_f64, f64_expr)

#define TABLE(name) {[TILE_PTX_F32] = name##_f32, [TILE_PTX_F64] = name##_f64}

BINARY(add, x + y, x + y)
BINARY(sub, x - y, x - y)
BINARY(mul, x *y, x *y)
BINARY(div, x / y, x / y)
// A NaN operand gives the other one, with .NaN it gives NaN; -0 is less than
// +0.
#define MINIMUM(T, suffix)                                                     \
  static inline bool less_##suffix(T x, T y) {                                 \
    return x < y || (x == y && signbit(x));                                    \
  }                                                                            \
  static inline T min_of_##suffix(T x, T y) {                                  \
    if (isnan(x) || isnan(y))                                                  \
      return isnan(x) ? y : x;                                                 \
    return less_##suffix(x, y) ? x : y;                                        \
  }                                                                            \
  static inline T max_of_##suffix(T x, T y) {                                  \
    if (isnan(x) || isnan(y))                                                  \
      return isnan(x) ? y : x;                                                 \
    return less_##suffix(x, y) ? y : x;                                        \
  }
MINIMUM(float, f32)
MINIMUM(double, f64)
#define OR_NAN(x, y, number) (isnan(x) || isnan(y) ? NAN : (number))
BINARY(min, min_of_f32(x, y), min_of_f64(x, y))
BINARY(max, max_of_f32(x, y), max_of_f64(x, y))
BINARY(min_nan, OR_NAN(x, y, min_of_f32(x, y)), OR_NAN(x, y, min_of_f64(x, y)))
BINARY(max_nan, OR_NAN(x, y, max_of_f32(x, y)), OR_NAN(x, y, max_of_f64(x, y)))
// Sign of a, magnitude of b, which may be NaN: no arithmetic.
BINARY_OF(copysign_f32, float, tile_f32, copysignf(y, x))
BINARY_OF(copysign_f64, double, tile_f64, copysign(y, x))

/// div.approx multiplies by the reciprocal, which is 0 for |y| above 2^126.
static inline float div_approx_of(float x, float y) {
  return fabsf(y) > 0x1p126f ? x * copysignf(0.0f, y) : x / y;
}
BINARY_OF(div_approx_f32, float, tile_f32, canonical(div_approx_of(x, y)))

UNARY(abs, fabsf(x), fabs(x))
UNARY(neg, -x, -x)
UNARY(sqrt, x >= 0.0f ? sqrtf(x) : NAN, sqrt(x))
UNARY(rsqrt, (float)(1.0 / sqrt((double)x)), 1.0 / sqrt(x))
UNARY(rcp, 1.0f / x, 1.0 / x)
UNARY(ex2, exp2f(x), exp2(x))
UNARY(lg2, log2f(x), log2(x))
UNARY(sin, sinf(x), sin(x))
UNARY(cos, cosf(x), cos(x))
UNARY(tanh, tanhf(x), tanh(x))

static TileLanes fma_f32(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  float *d = tile_f32(warp, insn->dst);
  const float *a = tile_f32(warp, insn->a), *b = tile_f32(warp, insn->b);
  const float *c = tile_f32(warp, insn->c);
  TILE_VECTOR(lanes, d[l] = canonical(fmaf(a[l], b[l], c[l])));
  return 0;
}

static TileLanes fma_f64(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  double *d = tile_f64(warp, insn->dst);
  const double *a = tile_f64(warp, insn->a), *b = tile_f64(warp, insn->b);
  const double *c = tile_f64(warp, insn->c);
  TILE_VECTOR(lanes, d[l] = fma(a[l], b[l], c[l]));
  return 0;
}

/// Two f32 in a 64-bit register.
#define PACKED(name, expr)                                                     \
  static TileLanes name##_f32x2(TileWarp *warp, const TileInsn *insn,          \
                                TileLanes lanes) {                             \
    float *d = tile_f32(warp, insn->dst);                                      \
    const float *a = tile_f32(warp, insn->a), *b = tile_f32(warp, insn->b);    \
    const float *c = tile_f32(warp, insn->c);                                  \
    (void)c;                                                                   \
    TILE_FOR_LANES (lane, lanes)                                               \
      for (uint32_t l = 2 * lane; l < 2 * lane + 2; l++)                       \
        d[l] = (expr);                                                         \
    return 0;                                                                  \
  }

PACKED(add, a[l] + b[l])
PACKED(sub, a[l] - b[l])
PACKED(mul, a[l] * b[l])
PACKED(fma, fmaf(a[l], b[l], c[l]))

static const TileExec table[TILE_ALU_NUM_OPS][TILE_PTX_NUM_TYPES] = {
    [TILE_ALU_ADD] = {[TILE_PTX_F32] = add_f32,
                      [TILE_PTX_F64] = add_f64,
                      [TILE_PTX_F32X2] = add_f32x2},
    [TILE_ALU_SUB] = {[TILE_PTX_F32] = sub_f32,
                      [TILE_PTX_F64] = sub_f64,
                      [TILE_PTX_F32X2] = sub_f32x2},
    [TILE_ALU_MUL] = {[TILE_PTX_F32] = mul_f32,
                      [TILE_PTX_F64] = mul_f64,
                      [TILE_PTX_F32X2] = mul_f32x2},
    [TILE_ALU_FMA] = {[TILE_PTX_F32] = fma_f32,
                      [TILE_PTX_F64] = fma_f64,
                      [TILE_PTX_F32X2] = fma_f32x2},
    [TILE_ALU_MAD] = TABLE(fma),
    [TILE_ALU_DIV] = TABLE(div),
    [TILE_ALU_DIV_APPROX] = {[TILE_PTX_F32] = div_approx_f32},
    [TILE_ALU_MIN] = TABLE(min),
    [TILE_ALU_MAX] = TABLE(max),
    [TILE_ALU_MIN_NAN] = TABLE(min_nan),
    [TILE_ALU_MAX_NAN] = TABLE(max_nan),
    [TILE_ALU_COPYSIGN] = TABLE(copysign),
    [TILE_ALU_ABS] = TABLE(abs),
    [TILE_ALU_NEG] = TABLE(neg),
    [TILE_ALU_SQRT] = TABLE(sqrt),
    [TILE_ALU_RSQRT] = TABLE(rsqrt),
    [TILE_ALU_RCP] = TABLE(rcp),
    [TILE_ALU_EX2] = TABLE(ex2),
    [TILE_ALU_LG2] = TABLE(lg2),
    [TILE_ALU_SIN] = TABLE(sin),
    [TILE_ALU_COS] = TABLE(cos),
    [TILE_ALU_TANH] = TABLE(tanh),
};

TileExec tile_emu_float_exec(TileAluOp op, TilePtxType type) {
  return table[op][type];
}

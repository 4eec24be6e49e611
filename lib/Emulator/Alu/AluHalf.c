//===- AluHalf.c - Half precision arithmetic ------------------------------===//
//
// PTX ISA, "Half Precision Floating Point Instructions": f16, bf16 and their
// packed pairs. Sums, products and quotients of two halves are exact enough
// in f32 that rounding twice gives the correctly rounded result; fma needs
// f64 and rounding to odd in between.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "NarrowFloat.h"

#include <math.h>

/// Scalar and packed form of one function of three halves for one format.
#define FORMAT(name, format, function)                                         \
  static inline uint32_t name##_##format##_bits(uint32_t a, uint32_t b,        \
                                                uint32_t c) {                  \
    (void)b, (void)c;                                                          \
    return tile_##format##_of_f32(function(tile_f32_of_##format(a & 0xffff),   \
                                           tile_f32_of_##format(b & 0xffff),   \
                                           tile_f32_of_##format(c & 0xffff))); \
  }                                                                            \
  static TileLanes name##_##format(TileWarp *warp, const TileInsn *insn,       \
                                   TileLanes lanes) {                          \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const uint32_t *a = tile_u32(warp, insn->a);                               \
    const uint32_t *b = tile_u32(warp, insn->b);                               \
    const uint32_t *c = tile_u32(warp, insn->c);                               \
    TILE_VECTOR(lanes, d[l] = name##_##format##_bits(a[l], b[l], c[l]));       \
    return 0;                                                                  \
  }                                                                            \
  static TileLanes name##_##format##x2(TileWarp *warp, const TileInsn *insn,   \
                                       TileLanes lanes) {                      \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const uint32_t *a = tile_u32(warp, insn->a);                               \
    const uint32_t *b = tile_u32(warp, insn->b);                               \
    const uint32_t *c = tile_u32(warp, insn->c);                               \
    TILE_VECTOR(                                                               \
        lanes, uint32_t low = name##_##format##_bits(a[l], b[l], c[l]);        \
        uint32_t high =                                                        \
            name##_##format##_bits(a[l] >> 16, b[l] >> 16, c[l] >> 16);        \
        d[l] = low | high << 16);                                              \
    return 0;                                                                  \
  }

#define FUNCTION(name, expr)                                                   \
  static inline float name##_f32(float x, float y, float z) {                  \
    (void)y, (void)z;                                                          \
    return (expr);                                                             \
  }                                                                            \
  FORMAT(name, f16, name##_f32)                                                \
  FORMAT(name, bf16, name##_f32)

#define TABLE(name)                                                            \
  {[TILE_PTX_F16] = name##_f16,                                                \
   [TILE_PTX_BF16] = name##_bf16,                                              \
   [TILE_PTX_F16X2] = name##_f16x2,                                            \
   [TILE_PTX_BF16X2] = name##_bf16x2}

#define LESS(x, y) ((x) < (y) || ((x) == (y) && signbit(x)))

FUNCTION(add, x + y)
FUNCTION(sub, x - y)
FUNCTION(mul, x *y)
FUNCTION(div, x / y)
FUNCTION(min, isnan(x) ? y : isnan(y) ? x : LESS(x, y) ? x : y)
FUNCTION(max, isnan(x) ? y : isnan(y) ? x : LESS(x, y) ? y : x)
FUNCTION(min_nan, isnan(x) || isnan(y) ? NAN : LESS(x, y) ? x : y)
FUNCTION(max_nan, isnan(x) || isnan(y) ? NAN : LESS(x, y) ? y : x)
FUNCTION(copysign, copysignf(y, x))
FUNCTION(abs, fabsf(x))
FUNCTION(neg, -x)
FUNCTION(sqrt, sqrtf(x))
FUNCTION(rsqrt, 1.0f / sqrtf(x))
FUNCTION(rcp, 1.0f / x)
FUNCTION(ex2, exp2f(x))
FUNCTION(lg2, log2f(x))
FUNCTION(sin, sinf(x))
FUNCTION(cos, cosf(x))
FUNCTION(tanh, tanhf(x))
FUNCTION(fma, tile_f32_round_odd((double)x *(double)y + (double)z))

static const TileExec table[TILE_ALU_NUM_OPS][TILE_PTX_NUM_TYPES] = {
    [TILE_ALU_ADD] = TABLE(add),         [TILE_ALU_SUB] = TABLE(sub),
    [TILE_ALU_MUL] = TABLE(mul),         [TILE_ALU_DIV] = TABLE(div),
    [TILE_ALU_FMA] = TABLE(fma),         [TILE_ALU_MIN] = TABLE(min),
    [TILE_ALU_MAX] = TABLE(max),         [TILE_ALU_MIN_NAN] = TABLE(min_nan),
    [TILE_ALU_MAX_NAN] = TABLE(max_nan), [TILE_ALU_COPYSIGN] = TABLE(copysign),
    [TILE_ALU_ABS] = TABLE(abs),         [TILE_ALU_NEG] = TABLE(neg),
    [TILE_ALU_SQRT] = TABLE(sqrt),       [TILE_ALU_RSQRT] = TABLE(rsqrt),
    [TILE_ALU_RCP] = TABLE(rcp),         [TILE_ALU_EX2] = TABLE(ex2),
    [TILE_ALU_LG2] = TABLE(lg2),         [TILE_ALU_SIN] = TABLE(sin),
    [TILE_ALU_COS] = TABLE(cos),         [TILE_ALU_TANH] = TABLE(tanh),
};

TileExec tile_emu_half_exec(TileAluOp op, TilePtxType type) {
  return table[op][type];
}

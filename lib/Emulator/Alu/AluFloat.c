//===- AluFloat.c - Floating-point arithmetic -----------------------------===//
//
// PTX ISA, "Floating Point Instructions". Round to nearest even. Approximate
// instructions give the correctly rounded or library result: real hardware may
// differ in the last bits.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "NarrowFloat.h"

#include <fenv.h>
#include <math.h>

//===-- Modifiers ---------------------------------------------------------===//

// A modified operation is the operation itself between two steps: operands are
// copied and prepared, the result is finished and copied back. Operations
// without modifiers never come here.

enum { SCRATCH_A = 2, SCRATCH_B, SCRATCH_C, SCRATCH_D }; // numbers of slots

//===-- Formats -----------------------------------------------------------===//

/// Bit patterns of a format. Two elements of 16 bits fit in a register.
typedef struct {
  uint32_t sign, exponent, one, nan;
  uint32_t bits; // of an element
} Format;

static const Format f32_format = {0x80000000u, 0x7f800000u, 0x3f800000u,
                                  0x7fffffffu, 32};
static const Format f16_format = {0x8000u, 0x7c00u, 0x3c00u, 0x7fffu, 16};
static const Format bf16_format = {0x8000u, 0x7f80u, 0x3f80u, 0x7fffu, 16};

static const Format *format_of(TilePtxType type) {
  switch (type) {
  case TILE_PTX_F16:
  case TILE_PTX_F16X2:
    return &f16_format;
  case TILE_PTX_BF16:
  case TILE_PTX_BF16X2:
    return &bf16_format;
  default:
    return &f32_format;
  }
}

static inline bool is_nan(const Format *format, uint32_t x) {
  return (x & ~format->sign) > format->exponent;
}

static inline uint32_t flush(const Format *format, uint32_t x) {
  return x & format->exponent ? x : x & format->sign;
}

//===-- Elements ----------------------------------------------------------===//

static uint32_t prepare_elem(const Format *format, uint8_t flags, uint32_t x) {
  if (flags & TILE_FLOAT_FLUSH)
    x = flush(format, x);
  if (flags & TILE_FLOAT_XORSIGN)
    x &= ~format->sign;
  return x;
}

/// `a` and `b` are the operands as they were.
static uint32_t finish_elem(const Format *format, uint8_t flags, uint32_t x,
                            uint32_t a, uint32_t b) {
  enum { OUT_OF_BOUNDS = 0x7ff7 }; // and its negative; measured on an H200
  if (flags & TILE_FLOAT_OUT_OF_BOUNDS &&
      ((a & 0x7fffu) == OUT_OF_BOUNDS || (b & 0x7fffu) == OUT_OF_BOUNDS))
    x = 0;
  if (flags & TILE_FLOAT_FLUSH)
    x = flush(format, x);
  if (flags & TILE_FLOAT_XORSIGN && !is_nan(format, x))
    x |= (a ^ b) & format->sign;
  if (flags & TILE_FLOAT_SATURATE) {
    if (is_nan(format, x) || x & format->sign)
      x = 0;
    x = x > format->one ? format->one : x;
  }
  if (flags & TILE_FLOAT_RELU && is_nan(format, x))
    x = format->nan;
  else if (flags & TILE_FLOAT_RELU && x & format->sign)
    x = 0;
  return x;
}

static uint32_t prepare(const Format *format, uint8_t flags, uint32_t x) {
  if (format->bits == 32)
    return prepare_elem(format, flags, x);
  return prepare_elem(format, flags, x & 0xffffu) |
         prepare_elem(format, flags, x >> 16) << 16;
}

static uint32_t finish(const Format *format, uint8_t flags, uint32_t x,
                       uint32_t a, uint32_t b) {
  if (format->bits == 32)
    return finish_elem(format, flags, x, a, b);
  return finish_elem(format, flags, x & 0xffffu, a & 0xffffu, b & 0xffffu) |
         finish_elem(format, flags, x >> 16, a >> 16, b >> 16) << 16;
}

//===-- Execution ---------------------------------------------------------===//

static TileLanes exec_in_mode(TileWarp *warp, const TileInsn *plain,
                              TileLanes lanes, uint8_t rounding) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  if (rounding)
    fesetround(modes[rounding]);
  plain->exec(warp, plain, lanes);
  if (rounding)
    fesetround(FE_TONEAREST);
  return 0;
}

/// Only the rounding mode differs.
static TileLanes exec_rounded(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  return exec_in_mode(warp, insn->as.modified.plain, lanes,
                      insn->as.modified.rounding);
}

/// Results are flushed that are subnormal before they are rounded, so one that
/// was rounded up to the smallest normal number is found by rounding it again,
/// towards zero.
static void flush_rounded_up(TileWarp *warp, const TileInsn *plain,
                             TileLanes lanes) {
  enum { SMALLEST = 0x00800000u, TOWARDS_ZERO = 1 };
  uint32_t *x = tile_u32(warp, plain->dst);
  TileLanes suspects = 0;
  TILE_FOR_LANES (l, lanes) {
    suspects |= (uint32_t)((x[l] & 0x7fffffffu) == SMALLEST) << l;
  }
  if (suspects)
    exec_in_mode(warp, plain, suspects, TOWARDS_ZERO);
}

/// Of the most frequent case, f32 with .ftz alone: whether any lane has a
/// subnormal number.
static bool any_subnormal(TileWarp *warp, const uint32_t *slots,
                          uint32_t num_slots) {
  uint32_t any = 0;
  for (uint32_t i = 0; i < num_slots; i++) {
    const uint32_t *x = tile_u32(warp, slots[i]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
      any |= (uint32_t)(x[l] != tile_f32_flush(x[l]));
  }
  return any;
}

/// A register of f32x2 is two words.
static TileLanes exec_modified(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  const TileInsn *plain = insn->as.modified.plain;
  const Format *format = format_of((TilePtxType)insn->type);
  uint8_t flags = insn->as.modified.flags;
  bool is_pair = insn->type == TILE_PTX_F32X2;
  uint32_t num_words = is_pair ? 2 : 1;
  const uint32_t from[] = {insn->a, insn->b, insn->c};
  const uint32_t to[] = {plain->a, plain->b, plain->c};
  for (uint32_t i = 0; i < insn->as.modified.num_sources; i++) {
    const uint32_t *x = tile_u32(warp, from[i]);
    uint32_t *y = tile_u32(warp, to[i]);
    for (uint32_t l = 0; l < num_words * TILE_WARP_SIZE; l++)
      y[l] = prepare(format, flags, x[l]);
  }
  exec_in_mode(warp, plain, lanes, insn->as.modified.rounding);
  if (insn->type == TILE_PTX_F32 && flags & TILE_FLOAT_FLUSH)
    flush_rounded_up(warp, plain, lanes);
  const uint32_t *x = tile_u32(warp, plain->dst), *a = tile_u32(warp, insn->a);
  const uint32_t *b =
      insn->as.modified.num_sources > 1 ? tile_u32(warp, insn->b) : a;
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_FOR_LANES (l, lanes) {
    for (uint32_t w = num_words * l; w < num_words * (l + 1); w++)
      d[w] = finish(format, flags, x[w], a[w], b[w]);
  }
  return 0;
}

/// f32 with .ftz and nothing else.
static TileLanes exec_flushed(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  const TileInsn *plain = insn->as.modified.plain;
  const uint32_t slots[] = {insn->a, insn->b, insn->c};
  if (any_subnormal(warp, slots, insn->as.modified.num_sources))
    return exec_modified(warp, insn, lanes);
  TileInsn direct = *plain;
  direct.a = insn->a;
  direct.b = insn->b;
  direct.c = insn->c;
  plain->exec(warp, &direct, lanes);
  flush_rounded_up(warp, &direct, lanes);
  const uint32_t *x = tile_u32(warp, plain->dst);
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = tile_f32_flush(x[l]));
  return 0;
}

static inline uint64_t flush_f64(uint64_t bits) {
  return bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the low half of operand and
/// result is zero.
static TileLanes exec_flushed_f64(TileWarp *warp, const TileInsn *insn,
                                  TileLanes lanes) {
  const TileInsn *plain = insn->as.modified.plain;
  const uint64_t *a = tile_u64(warp, insn->a);
  uint64_t *x = tile_u64(warp, plain->a), *d = tile_u64(warp, insn->dst);
  TILE_VECTOR(lanes, x[l] = flush_f64(a[l] & 0xffffffff00000000u));
  plain->exec(warp, plain, lanes);
  const uint64_t *y = tile_u64(warp, plain->dst);
  TILE_VECTOR(lanes, d[l] = flush_f64(y[l]) & 0xffffffff00000000u);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static uint32_t scratch(TileDecoder *decoder, uint32_t number) {
  return tile_emu_constant_slot(decoder->parser, TILE_CONSTANT_SCRATCH, 16,
                                number);
}

static void float_modify(TileDecoder *decoder, uint32_t num_sources,
                         int rounding, uint8_t flags) {
  TileInsn *insn = decoder->insn;
  TileInsn *plain =
      TILE_ARENA_NEW(&decoder->parser->module->arena, TileInsn, 1);
  *plain = *insn;
  insn->as.modified.plain = plain;
  insn->as.modified.rounding = (uint8_t)rounding;
  insn->as.modified.flags = flags;
  insn->as.modified.num_sources = (uint8_t)num_sources;
  if (!flags) {
    insn->exec = exec_rounded;
    return;
  }
  bool is_plain_flush = flags == TILE_FLOAT_FLUSH && !rounding;
  plain->a = scratch(decoder, SCRATCH_A);
  plain->b = num_sources > 1 ? scratch(decoder, SCRATCH_B) : plain->a;
  plain->c = num_sources > 2 ? scratch(decoder, SCRATCH_C) : plain->a;
  plain->dst = scratch(decoder, SCRATCH_D);
  insn->exec = insn->type == TILE_PTX_F64                     ? exec_flushed_f64
               : insn->type == TILE_PTX_F32 && is_plain_flush ? exec_flushed
                                                              : exec_modified;
}

//===-- f16 and bf16 ------------------------------------------------------===//

// PTX ISA, "Half Precision Floating Point Instructions": f16, bf16 and their
// packed pairs. Sums, products and quotients of two halves are exact enough
// in f32 that rounding twice gives the correctly rounded result; fma needs
// f64 and rounding to odd in between.

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
  static inline float name##_of(float x, float y, float z) {                   \
    (void)y, (void)z;                                                          \
    return (expr);                                                             \
  }                                                                            \
  FORMAT(name, f16, name##_of)                                                 \
  FORMAT(name, bf16, name##_of)

#define HALF_TABLE(name)                                                       \
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

static const TileExec half_table[TILE_ALU_NUM_OPS][TILE_PTX_NUM_TYPES] = {
    [TILE_ALU_ADD] = HALF_TABLE(add),
    [TILE_ALU_SUB] = HALF_TABLE(sub),
    [TILE_ALU_MUL] = HALF_TABLE(mul),
    [TILE_ALU_DIV] = HALF_TABLE(div),
    [TILE_ALU_FMA] = HALF_TABLE(fma),
    [TILE_ALU_MIN] = HALF_TABLE(min),
    [TILE_ALU_MAX] = HALF_TABLE(max),
    [TILE_ALU_MIN_NAN] = HALF_TABLE(min_nan),
    [TILE_ALU_MAX_NAN] = HALF_TABLE(max_nan),
    [TILE_ALU_COPYSIGN] = HALF_TABLE(copysign),
    [TILE_ALU_ABS] = HALF_TABLE(abs),
    [TILE_ALU_NEG] = HALF_TABLE(neg),
    [TILE_ALU_SQRT] = HALF_TABLE(sqrt),
    [TILE_ALU_RSQRT] = HALF_TABLE(rsqrt),
    [TILE_ALU_RCP] = HALF_TABLE(rcp),
    [TILE_ALU_EX2] = HALF_TABLE(ex2),
    [TILE_ALU_LG2] = HALF_TABLE(lg2),
    [TILE_ALU_SIN] = HALF_TABLE(sin),
    [TILE_ALU_COS] = HALF_TABLE(cos),
    [TILE_ALU_TANH] = HALF_TABLE(tanh),
};

//===-- f32 and f64 -------------------------------------------------------===//

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
  return table[op][type] ? table[op][type] : half_table[op][type];
}

//===-- Words of the opcode -----------------------------------------------===//

void tile_emu_decode_float_modifiers(TileDecoder *decoder,
                                     uint32_t num_sources) {
  static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
  static const struct {
    const char *word;
    TileFloatModifier flag;
  } modifiers[] = {
      {"ftz", TILE_FLOAT_FLUSH},         {"sat", TILE_FLOAT_SATURATE},
      {"relu", TILE_FLOAT_RELU},         {"xorsign", TILE_FLOAT_XORSIGN},
      {"oob", TILE_FLOAT_OUT_OF_BOUNDS},
  };
  TilePtxType type = (TilePtxType)decoder->insn->type;
  int rounding = tile_decode_choice(decoder, roundings, 4);
  uint8_t flags = 0;
  for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++)
    if (tile_decode_has(decoder, modifiers[i].word))
      flags |= (uint8_t)modifiers[i].flag;
  bool is_half = half_table[TILE_ALU_ADD][type];
  bool is_wrong = (rounding > 0 && is_half) ||
                  (type == TILE_PTX_F64 && flags & (uint8_t)~TILE_FLOAT_FLUSH);
  if (is_wrong)
    tile_decode_unsupported(decoder, "this combination of modifiers");
  else if (rounding > 0 || flags)
    float_modify(decoder, num_sources, rounding > 0 ? rounding : 0, flags);
}

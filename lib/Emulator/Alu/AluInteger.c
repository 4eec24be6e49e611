//===- AluInteger.c - Integer arithmetic ----------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions". Registers hold 32 or 64 bits;
// 16-bit values are in the low half, results of 16-bit instructions are zero
// extended. Arithmetic wraps.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

//===-- Other operations --------------------------------------------------===//

// PTX ISA, "Integer Arithmetic Instructions": add, min and max of u16x2 and
// s16x2, .relu, mul24, mad24.

//===-- Packed ------------------------------------------------------------===//

/// Halves `x` and `y` of type `T`, low and high alike.
#define PACKED(name, T, expr)                                                  \
  static inline uint32_t name##_half(uint32_t a, uint32_t b) {                 \
    T x = (T)a, y = (T)b;                                                      \
    return (uint16_t)(expr);                                                   \
  }                                                                            \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b); \
    TILE_VECTOR(lanes, d[l] = name##_half(a[l], b[l]) |                        \
                              name##_half(a[l] >> 16, b[l] >> 16) << 16);      \
    return 0;                                                                  \
  }

static inline int relu(int x) { return x < 0 ? 0 : x; }

PACKED(add_16x2, uint16_t, x + y)
PACKED(min_u16x2, uint16_t, x < y ? x : y)
PACKED(max_u16x2, uint16_t, x > y ? x : y)
PACKED(min_s16x2, int16_t, x < y ? x : y)
PACKED(max_s16x2, int16_t, x > y ? x : y)
PACKED(min_relu_s16x2, int16_t, relu(x < y ? x : y))
PACKED(max_relu_s16x2, int16_t, relu(x > y ? x : y))

//===-- One number --------------------------------------------------------===//

#define TERNARY_32(name, T, expr)                                              \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b); \
    const uint32_t *c = tile_u32(warp, insn->c);                               \
    TILE_FOR_LANES (l, lanes) {                                                \
      T x = (T)a[l], y = (T)b[l], z = (T)c[l];                                 \
      (void)z;                                                                 \
      d[l] = (uint32_t)(expr);                                                 \
    }                                                                          \
    return 0;                                                                  \
  }

TERNARY_32(min_relu_s32, int32_t, relu(x < y ? x : y))
TERNARY_32(max_relu_s32, int32_t, relu(x > y ? x : y))

/// The low 24 bits, extended.
static inline int64_t signed_24(int32_t x) {
  return (int32_t)((uint32_t)x << 8) >> 8;
}
static inline uint64_t unsigned_24(uint32_t x) { return x & 0xffffffu; }

static inline int64_t product_s24(int32_t x, int32_t y) {
  return signed_24(x) * signed_24(y);
}
static inline uint64_t product_u24(uint32_t x, uint32_t y) {
  return unsigned_24(x) * unsigned_24(y);
}
static inline int32_t saturated(int64_t x) {
  return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

// .lo is the low half of the 48-bit product, .hi its upper 32 bits.
TERNARY_32(mul24_lo_u32, uint32_t, product_u24(x, y))
TERNARY_32(mul24_lo_s32, int32_t, product_s24(x, y))
TERNARY_32(mul24_hi_u32, uint32_t, product_u24(x, y) >> 16)
TERNARY_32(mul24_hi_s32, int32_t, product_s24(x, y) >> 16)
TERNARY_32(mad24_lo_u32, uint32_t, product_u24(x, y) + z)
TERNARY_32(mad24_lo_s32, int32_t, product_s24(x, y) + z)
TERNARY_32(mad24_hi_u32, uint32_t, (product_u24(x, y) >> 16) + z)
TERNARY_32(mad24_hi_s32, int32_t, (product_s24(x, y) >> 16) + z)
TERNARY_32(mad24_hi_sat_s32, int32_t, saturated((product_s24(x, y) >> 16) + z))

//===-- Table -------------------------------------------------------------===//

static const TileExec more_table[TILE_ALU_NUM_OPS][TILE_PTX_NUM_TYPES] = {
    [TILE_ALU_ADD] = {[TILE_PTX_U16X2] = add_16x2, [TILE_PTX_S16X2] = add_16x2},
    [TILE_ALU_MIN] = {[TILE_PTX_U16X2] = min_u16x2,
                      [TILE_PTX_S16X2] = min_s16x2},
    [TILE_ALU_MAX] = {[TILE_PTX_U16X2] = max_u16x2,
                      [TILE_PTX_S16X2] = max_s16x2},
    [TILE_ALU_MIN_RELU] = {[TILE_PTX_S32] = min_relu_s32,
                           [TILE_PTX_S16X2] = min_relu_s16x2},
    [TILE_ALU_MAX_RELU] = {[TILE_PTX_S32] = max_relu_s32,
                           [TILE_PTX_S16X2] = max_relu_s16x2},
    [TILE_ALU_MUL24_LO] = {[TILE_PTX_U32] = mul24_lo_u32,
                           [TILE_PTX_S32] = mul24_lo_s32},
    [TILE_ALU_MUL24_HI] = {[TILE_PTX_U32] = mul24_hi_u32,
                           [TILE_PTX_S32] = mul24_hi_s32},
    [TILE_ALU_MAD24_LO] = {[TILE_PTX_U32] = mad24_lo_u32,
                           [TILE_PTX_S32] = mad24_lo_s32},
    [TILE_ALU_MAD24_HI] = {[TILE_PTX_U32] = mad24_hi_u32,
                           [TILE_PTX_S32] = mad24_hi_s32},
    [TILE_ALU_MAD24_HI_SAT] = {[TILE_PTX_S32] = mad24_hi_sat_s32},
};

//===-- Common operations -------------------------------------------------===//

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

/// d = expr(x, y) for operands of type `T`, in registers of type `R`.
#define BINARY(name, R, T, expr)                                               \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    const R *b = (const R *)(warp->regs + insn->b);                            \
    TILE_VECTOR(lanes, T x = (T)a[l]; T y = (T)b[l]; d[l] = (R)(expr));        \
    return 0;                                                                  \
  }

/// The same for all integer types; `U` is the unsigned type of the result.
#define BINARY_ALL(name, expr)                                                 \
  BINARY(name##_u16, uint32_t, uint16_t, (uint16_t)(expr))                     \
  BINARY(name##_s16, uint32_t, int16_t, (uint16_t)(expr))                      \
  BINARY(name##_u32, uint32_t, uint32_t, (uint32_t)(expr))                     \
  BINARY(name##_s32, uint32_t, int32_t, (uint32_t)(expr))                      \
  BINARY(name##_u64, uint64_t, uint64_t, expr)                                 \
  BINARY(name##_s64, uint64_t, int64_t, expr)

#define TABLE_ALL(name)                                                        \
  {[TILE_PTX_U16] = name##_u16, [TILE_PTX_S16] = name##_s16,                   \
   [TILE_PTX_U32] = name##_u32, [TILE_PTX_S32] = name##_s32,                   \
   [TILE_PTX_U64] = name##_u64, [TILE_PTX_S64] = name##_s64}

//===-- add, sub, mul.lo, min, max ----------------------------------------===//

BINARY_ALL(add, (uint64_t)x + (uint64_t)y)
BINARY_ALL(sub, (uint64_t)x - (uint64_t)y)
BINARY_ALL(mul, (uint64_t)x *(uint64_t)y)
BINARY_ALL(min, x < y ? x : y)
BINARY_ALL(max, x > y ? x : y)

static inline uint32_t saturated_s32(int64_t number) {
  if (number > INT32_MAX)
    return INT32_MAX;
  return (uint32_t)(number < INT32_MIN ? INT32_MIN : number);
}
BINARY(add_sat_s32, uint32_t, int32_t, saturated_s32((int64_t)x + y))
BINARY(sub_sat_s32, uint32_t, int32_t, saturated_s32((int64_t)x - y))

//===-- div, rem ----------------------------------------------------------===//

// Quotient and remainder by zero are unspecified; here all ones, as on an
// H200. The one overflow, minimum / -1, wraps.
#define DIVIDE(name, R, T, U, is_overflow)                                     \
  static U name##_of(T x, T y) {                                               \
    if (y == 0)                                                                \
      return (U) ~(U)0;                                                        \
    return (is_overflow) ? (U)(0 - (U)x) : (U)(x / y);                         \
  }                                                                            \
  BINARY(name, R, T, name##_of(x, y))
#define REMAINDER(name, R, T, U, is_overflow)                                  \
  static U name##_of(T x, T y) {                                               \
    if (y == 0)                                                                \
      return (U) ~(U)0;                                                        \
    return (is_overflow) ? (U)0 : (U)(x % y);                                  \
  }                                                                            \
  BINARY(name, R, T, name##_of(x, y))

DIVIDE(div_u16, uint32_t, uint16_t, uint16_t, false)
DIVIDE(div_s16, uint32_t, int16_t, uint16_t, y == -1)
DIVIDE(div_u32, uint32_t, uint32_t, uint32_t, false)
DIVIDE(div_s32, uint32_t, int32_t, uint32_t, y == -1)
DIVIDE(div_u64, uint64_t, uint64_t, uint64_t, false)
DIVIDE(div_s64, uint64_t, int64_t, uint64_t, y == -1)
REMAINDER(rem_u16, uint32_t, uint16_t, uint16_t, false)
REMAINDER(rem_s16, uint32_t, int16_t, uint16_t, y == -1)
REMAINDER(rem_u32, uint32_t, uint32_t, uint32_t, false)
REMAINDER(rem_s32, uint32_t, int32_t, uint32_t, y == -1)
REMAINDER(rem_u64, uint64_t, uint64_t, uint64_t, false)
REMAINDER(rem_s64, uint64_t, int64_t, uint64_t, y == -1)

//===-- mul.hi, mul.wide --------------------------------------------------===//

BINARY(mul_hi_u16, uint32_t, uint32_t,
       (uint16_t)((x & 0xffff) * (y & 0xffff) >> 16))
BINARY(mul_hi_s16, uint32_t, int32_t, (uint16_t)((int16_t)x * (int16_t)y >> 16))
BINARY(mul_hi_u32, uint32_t, uint32_t, (uint64_t)x *y >> 32)
BINARY(mul_hi_s32, uint32_t, int32_t, (int64_t)x *y >> 32)
BINARY(mul_hi_u64, uint64_t, uint64_t, (Wide)x *y >> 64)
BINARY(mul_hi_s64, uint64_t, int64_t, (SignedWide)x *y >> 64)

/// d = expr(x, y) (+ c): operands in registers of 32 bits, result in `R`.
#define WIDE(name, R, T, expr)                                                 \
  static TileLanes mul_##name(TileWarp *warp, const TileInsn *insn,            \
                              TileLanes lanes) {                               \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const uint32_t *a = tile_u32(warp, insn->a);                               \
    const uint32_t *b = tile_u32(warp, insn->b);                               \
    TILE_VECTOR(lanes, T x = (T)a[l]; T y = (T)b[l]; d[l] = (R)(expr));        \
    return 0;                                                                  \
  }                                                                            \
  static TileLanes mad_##name(TileWarp *warp, const TileInsn *insn,            \
                              TileLanes lanes) {                               \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const uint32_t *a = tile_u32(warp, insn->a);                               \
    const uint32_t *b = tile_u32(warp, insn->b);                               \
    const R *c = (const R *)(warp->regs + insn->c);                            \
    TILE_VECTOR(lanes, T x = (T)a[l]; T y = (T)b[l];                           \
                d[l] = (R)((R)(expr) + c[l]));                                 \
    return 0;                                                                  \
  }

WIDE(wide_u16, uint32_t, uint16_t, (uint32_t)x *y)
WIDE(wide_s16, uint32_t, int16_t, x *y)
WIDE(wide_u32, uint64_t, uint32_t, (uint64_t)x *y)
WIDE(wide_s32, uint64_t, int32_t, (int64_t)x *y)

//===-- mad, sad ----------------------------------------------------------===//

/// d = expr(x, y, z) for three operands of type `T` in registers of type `R`.
#define TERNARY(name, R, T, expr)                                              \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    const R *b = (const R *)(warp->regs + insn->b);                            \
    const R *c = (const R *)(warp->regs + insn->c);                            \
    TILE_VECTOR(lanes, T x = (T)a[l]; T y = (T)b[l]; T z = (T)c[l];            \
                d[l] = (R)(expr));                                             \
    return 0;                                                                  \
  }

TERNARY(mad_lo_16, uint32_t, uint32_t, (uint16_t)(x * y + z))
TERNARY(mad_lo_32, uint32_t, uint32_t, x *y + z)
TERNARY(mad_lo_64, uint64_t, uint64_t, x *y + z)
TERNARY(mad_hi_u16, uint32_t, uint32_t,
        (uint16_t)(((x & 0xffff) * (y & 0xffff) >> 16) + z))
TERNARY(mad_hi_s16, uint32_t, int16_t, (uint16_t)((x * y >> 16) + z))
TERNARY(mad_hi_sat_s32, uint32_t, int32_t,
        saturated_s32(((int64_t)x * y >> 32) + z))
TERNARY(mad_hi_u32, uint32_t, uint32_t, ((uint64_t)x * y >> 32) + z)
TERNARY(mad_hi_s32, uint32_t, int32_t,
        (uint32_t)((int64_t)x * y >> 32) + (uint32_t)z)
TERNARY(mad_hi_u64, uint64_t, uint64_t, (uint64_t)((Wide)x * y >> 64) + z)
TERNARY(mad_hi_s64, uint64_t, int64_t,
        (uint64_t)((SignedWide)x * y >> 64) + (uint64_t)z)
TERNARY(sad_u16, uint32_t, uint16_t, (uint16_t)(z + (x < y ? y - x : x - y)))
TERNARY(sad_s16, uint32_t, int16_t, (uint16_t)(z + (x < y ? y - x : x - y)))
TERNARY(sad_u64, uint64_t, uint64_t, z + (x < y ? y - x : x - y))
TERNARY(sad_s64, uint64_t, int64_t,
        (uint64_t)z +
            (x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y))
TERNARY(sad_u32, uint32_t, uint32_t, z + (x < y ? y - x : x - y))
TERNARY(sad_s32, uint32_t, int32_t,
        (uint32_t)z +
            (x < y ? (uint32_t)y - (uint32_t)x : (uint32_t)x - (uint32_t)y))

//===-- abs, neg ----------------------------------------------------------===//

#define UNARY(name, R, T, expr)                                                \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    TILE_VECTOR(lanes, T x = (T)a[l]; d[l] = (R)(expr));                       \
    return 0;                                                                  \
  }

UNARY(abs_s16, uint32_t, int16_t, (uint16_t)(x < 0 ? -x : x))
UNARY(abs_s32, uint32_t, int32_t, x < 0 ? 0 - (uint32_t)x : (uint32_t)x)
UNARY(abs_s64, uint64_t, int64_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
UNARY(neg_s16, uint32_t, uint32_t, (uint16_t)(0 - x))
UNARY(neg_s32, uint32_t, uint32_t, 0 - x)
UNARY(neg_s64, uint64_t, uint64_t, 0 - x)

//===-- Table -------------------------------------------------------------===//

static const TileExec table[TILE_ALU_NUM_OPS][TILE_PTX_NUM_TYPES] = {
    [TILE_ALU_ADD] = TABLE_ALL(add),
    [TILE_ALU_SUB] = TABLE_ALL(sub),
    [TILE_ALU_MUL] = TABLE_ALL(mul),
    [TILE_ALU_DIV] = TABLE_ALL(div),
    [TILE_ALU_REM] = TABLE_ALL(rem),
    [TILE_ALU_MIN] = TABLE_ALL(min),
    [TILE_ALU_MAX] = TABLE_ALL(max),
    [TILE_ALU_MUL_HI] = TABLE_ALL(mul_hi),
    [TILE_ALU_ADD_SAT] = {[TILE_PTX_S32] = add_sat_s32},
    [TILE_ALU_SUB_SAT] = {[TILE_PTX_S32] = sub_sat_s32},
    [TILE_ALU_MUL_WIDE] = {[TILE_PTX_U16] = mul_wide_u16,
                           [TILE_PTX_S16] = mul_wide_s16,
                           [TILE_PTX_U32] = mul_wide_u32,
                           [TILE_PTX_S32] = mul_wide_s32},
    [TILE_ALU_MAD] = {[TILE_PTX_U16] = mad_lo_16,
                      [TILE_PTX_S16] = mad_lo_16,
                      [TILE_PTX_U32] = mad_lo_32,
                      [TILE_PTX_S32] = mad_lo_32,
                      [TILE_PTX_U64] = mad_lo_64,
                      [TILE_PTX_S64] = mad_lo_64},
    [TILE_ALU_MAD_HI_SAT] = {[TILE_PTX_S32] = mad_hi_sat_s32},
    [TILE_ALU_MAD_HI] = {[TILE_PTX_U16] = mad_hi_u16,
                         [TILE_PTX_S16] = mad_hi_s16,
                         [TILE_PTX_U32] = mad_hi_u32,
                         [TILE_PTX_S32] = mad_hi_s32,
                         [TILE_PTX_U64] = mad_hi_u64,
                         [TILE_PTX_S64] = mad_hi_s64},
    [TILE_ALU_MAD_WIDE] = {[TILE_PTX_U16] = mad_wide_u16,
                           [TILE_PTX_S16] = mad_wide_s16,
                           [TILE_PTX_U32] = mad_wide_u32,
                           [TILE_PTX_S32] = mad_wide_s32},
    [TILE_ALU_SAD] = TABLE_ALL(sad),
    [TILE_ALU_ABS] = {[TILE_PTX_S16] = abs_s16,
                      [TILE_PTX_S32] = abs_s32,
                      [TILE_PTX_S64] = abs_s64},
    [TILE_ALU_NEG] = {[TILE_PTX_S16] = neg_s16,
                      [TILE_PTX_S32] = neg_s32,
                      [TILE_PTX_S64] = neg_s64},
};

TileExec tile_emu_integer_exec(TileAluOp op, TilePtxType type) {
  return table[op][type] ? table[op][type] : more_table[op][type];
}

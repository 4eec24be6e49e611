//===- AluIntegerMore.c - Packed 16-bit, 24-bit and clamped integers ------===//
//
// PTX ISA, "Integer Arithmetic Instructions": add, min and max of u16x2 and
// s16x2, .relu, mul24, mad24.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

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

#define TERNARY(name, T, expr)                                                 \
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

TERNARY(min_relu_s32, int32_t, relu(x < y ? x : y))
TERNARY(max_relu_s32, int32_t, relu(x > y ? x : y))

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
TERNARY(mul24_lo_u32, uint32_t, product_u24(x, y))
TERNARY(mul24_lo_s32, int32_t, product_s24(x, y))
TERNARY(mul24_hi_u32, uint32_t, product_u24(x, y) >> 16)
TERNARY(mul24_hi_s32, int32_t, product_s24(x, y) >> 16)
TERNARY(mad24_lo_u32, uint32_t, product_u24(x, y) + z)
TERNARY(mad24_lo_s32, int32_t, product_s24(x, y) + z)
TERNARY(mad24_hi_u32, uint32_t, (product_u24(x, y) >> 16) + z)
TERNARY(mad24_hi_s32, int32_t, (product_s24(x, y) >> 16) + z)
TERNARY(mad24_hi_sat_s32, int32_t, saturated((product_s24(x, y) >> 16) + z))

//===-- Table -------------------------------------------------------------===//

static const TileExec table[TILE_ALU_NUM_OPS][TILE_PTX_NUM_TYPES] = {
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

TileExec tile_emu_integer_more_exec(TileAluOp op, TilePtxType type) {
  return table[op][type];
}

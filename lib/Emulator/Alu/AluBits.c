//===- AluBits.c - Logic, shifts, bit fields, permutations ----------------===//
//
// PTX ISA: popc, clz, brev, bfind, bfe, bfi, shf, lop3, prmt, dp4a, dp2a,
// szext, bmsk, fns.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

// PTX ISA, "Logic and Shift Instructions". Shift amounts are unsigned and
// clamp at the register size.

//===-- and, or, xor, not -------------------------------------------------===//

#define LOGIC(name, R, expr)                                                   \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    const R *b = (const R *)(warp->regs + insn->b);                            \
    (void)b;                                                                   \
    TILE_VECTOR(lanes, R x = a[l]; R y = b[l]; (void)y; d[l] = (R)(expr));     \
    return 0;                                                                  \
  }
#define LOGIC_PREDICATE(name, expr)                                            \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    TileLanes x = *tile_pred(warp, insn->a), y = *tile_pred(warp, insn->b);    \
    (void)y;                                                                   \
    if (insn->as.alu.a_signed)                                                 \
      x = ~x;                                                                  \
    if (insn->as.alu.b_signed)                                                 \
      y = ~y;                                                                  \
    tile_pred_write(warp, insn->dst, lanes, expr);                             \
    return 0;                                                                  \
  }

LOGIC(and_16, uint32_t, x & y & 0xffffu)
LOGIC(and_32, uint32_t, x &y)
LOGIC(and_64, uint64_t, x &y)
LOGIC(or_16, uint32_t, (x | y) & 0xffffu)
LOGIC(or_32, uint32_t, x | y)
LOGIC(or_64, uint64_t, x | y)
LOGIC(xor_16, uint32_t, (x ^ y) & 0xffffu)
LOGIC(xor_32, uint32_t, x ^ y)
LOGIC(xor_64, uint64_t, x ^ y)
LOGIC(not_16, uint32_t, ~x & 0xffffu)
LOGIC(not_32, uint32_t, ~x)
LOGIC(not_64, uint64_t, ~x)
LOGIC(cnot_16, uint32_t, (x & 0xffffu) == 0)
LOGIC(cnot_32, uint32_t, x == 0)
LOGIC(cnot_64, uint64_t, x == 0)
LOGIC_PREDICATE(and_pred, x &y)
LOGIC_PREDICATE(or_pred, x | y)
LOGIC_PREDICATE(xor_pred, x ^ y)
LOGIC_PREDICATE(not_pred, ~x)

typedef struct {
  const char *name;
  uint8_t num_sources;
  TileExec exec_16, exec_32, exec_64, exec_pred;
} LogicOp;

static const LogicOp logic_ops[] = {
    {"and", 2, and_16, and_32, and_64, and_pred},
    {"or", 2, or_16, or_32, or_64, or_pred},
    {"xor", 2, xor_16, xor_32, xor_64, xor_pred},
    {"not", 1, not_16, not_32, not_64, not_pred},
    {"cnot", 1, cnot_16, cnot_32, cnot_64, NULL},
};

static void decode_logic_predicate(TileDecoder *decoder, const LogicOp *op) {
  TileInsn *insn = decoder->insn;
  insn->exec = op->exec_pred;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  bool negated;
  insn->a = tile_decode_pred_src(decoder, 1, &negated);
  insn->as.alu.a_signed = negated; // here: complemented
  if (op->num_sources > 1) {
    insn->b = tile_decode_pred_src(decoder, 2, &negated);
    insn->as.alu.b_signed = negated;
  }
  if (!insn->exec)
    tile_decode_unsupported(decoder, "type");
}

void tile_emu_decode_logic(TileDecoder *decoder) {
  const LogicOp *op = logic_ops;
  while (strcmp(op->name, decoder->words[0]))
    op++;
  TilePtxType type = tile_decode_type(decoder, 0);
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "");
  if (!tile_decode_count(decoder, 1u + op->num_sources, 1u + op->num_sources))
    return;
  if (type == TILE_PTX_PRED) {
    decode_logic_predicate(decoder, op);
    return;
  }
  switch (type) {
  case TILE_PTX_B16:
    insn->exec = op->exec_16;
    break;
  case TILE_PTX_B32:
    insn->exec = op->exec_32;
    break;
  case TILE_PTX_B64:
    insn->exec = op->exec_64;
    break;
  default:
    tile_decode_unsupported(decoder, "type");
    return;
  }
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  if (op->num_sources > 1)
    insn->b = tile_decode_src(decoder, 2, type);
}

//===-- shl, shr ----------------------------------------------------------===//

#define SHIFT(name, R, T, expr)                                                \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    R *d = (R *)(warp->regs + insn->dst);                                      \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    const uint32_t *b = tile_u32(warp, insn->b);                               \
    TILE_VECTOR(lanes, T x = (T)a[l]; uint32_t n = b[l]; d[l] = (R)(expr));    \
    return 0;                                                                  \
  }

SHIFT(shl_16, uint32_t, uint32_t, n > 15 ? 0 : (x << n) & 0xffffu)
SHIFT(shl_32, uint32_t, uint32_t, n > 31 ? 0 : x << n)
SHIFT(shl_64, uint64_t, uint64_t, n > 63 ? 0 : x << n)
SHIFT(shr_u16, uint32_t, uint32_t, n > 15 ? 0 : (x & 0xffffu) >> n)
SHIFT(shr_u32, uint32_t, uint32_t, n > 31 ? 0 : x >> n)
SHIFT(shr_u64, uint64_t, uint64_t, n > 63 ? 0 : x >> n)
SHIFT(shr_s16, uint32_t, int16_t, (uint16_t)(x >> (n > 15 ? 15 : n)))
SHIFT(shr_s32, uint32_t, int32_t, x >> (n > 31 ? 31 : n))
SHIFT(shr_s64, uint64_t, int64_t, x >> (n > 63 ? 63 : n))

static const TileExec shl_table[TILE_PTX_NUM_TYPES] = {
    [TILE_PTX_B16] = shl_16, [TILE_PTX_B32] = shl_32, [TILE_PTX_B64] = shl_64};
static const TileExec shr_table[TILE_PTX_NUM_TYPES] = {
    [TILE_PTX_B16] = shr_u16, [TILE_PTX_B32] = shr_u32,
    [TILE_PTX_B64] = shr_u64, [TILE_PTX_U16] = shr_u16,
    [TILE_PTX_U32] = shr_u32, [TILE_PTX_U64] = shr_u64,
    [TILE_PTX_S16] = shr_s16, [TILE_PTX_S32] = shr_s32,
    [TILE_PTX_S64] = shr_s64};

void tile_emu_decode_shift(TileDecoder *decoder) {
  TilePtxType type = tile_decode_type(decoder, 0);
  bool is_left = !strcmp(decoder->words[0], "shl");
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "");
  insn->exec = (is_left ? shl_table : shr_table)[type];
  if (!insn->exec) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_U32);
}

#define UNARY(name, R, expr)                                                   \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    TILE_VECTOR(lanes, R x = a[l]; d[l] = (uint32_t)(expr));                   \
    return 0;                                                                  \
  }

//===-- popc, clz, brev, bfind --------------------------------------------===//

static inline uint32_t reverse_bits(uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}

UNARY(popc_32, uint32_t, __builtin_popcount(x))
UNARY(popc_64, uint64_t, __builtin_popcountll(x))
UNARY(clz_32, uint32_t, x ? __builtin_clz(x) : 32)
UNARY(clz_64, uint64_t, x ? __builtin_clzll(x) : 64)
UNARY(brev_32, uint32_t, reverse_bits(x))

static TileLanes brev_64(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  TILE_VECTOR(lanes, uint64_t x = a[l];
              d[l] = (uint64_t)reverse_bits((uint32_t)x) << 32 |
                     reverse_bits((uint32_t)(x >> 32)));
  return 0;
}

/// Most significant bit that differs from the sign; .shiftamt counts from the
/// top.
static inline uint32_t top_bit(uint64_t x, uint32_t width, bool from_top) {
  if (x == 0)
    return UINT32_MAX;
  uint32_t top = 63 - (uint32_t)__builtin_clzll(x);
  return from_top ? width - 1 - top : top;
}
#define BFIND(name, R, width, expr)                                            \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    bool from_top = insn->as.alu.wrap;                                         \
    TILE_VECTOR(lanes, R x = a[l]; d[l] = top_bit(expr, width, from_top));     \
    return 0;                                                                  \
  }
BFIND(bfind_u32, uint32_t, 32, x)
BFIND(bfind_s32, uint32_t, 32, x >> 31 ? ~x : x)
BFIND(bfind_u64, uint64_t, 64, x)
BFIND(bfind_s64, uint64_t, 64, x >> 63 ? ~x : x)

//===-- bfe, bfi ----------------------------------------------------------===//

static uint64_t field_mask(uint32_t length) {
  return length >= 64 ? UINT64_MAX : (1ull << length) - 1;
}

/// Bits [position, position + length) of the `width` low bits of x; missing
/// bits are the sign for signed types.
static uint64_t extract(uint64_t x, uint32_t width, uint32_t position,
                        uint32_t length, bool is_signed) {
  position &= 0xff;
  length &= 0xff;
  if (length == 0)
    return 0;
  uint64_t sign = is_signed && (x >> (width - 1) & 1) ? UINT64_MAX : 0;
  if (is_signed && position + length <= width) // the field has its own sign
    sign = x >> (position + length - 1) & 1 ? UINT64_MAX : 0;
  uint64_t present =
      position < width ? width - position : 0; // bits of the field that exist
  if (present > length)
    present = length;
  uint64_t mask = field_mask((uint32_t)present);
  uint64_t field = position < width ? x >> position & mask : 0;
  return field | (sign & ~mask);
}

static TileLanes bfe_32(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  bool is_signed = insn->as.alu.a_signed;
  TILE_VECTOR(lanes, d[l] = (uint32_t)extract(a[l], 32, b[l], c[l], is_signed));
  return 0;
}

static TileLanes bfe_64(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a);
  const uint32_t *b = tile_u32(warp, insn->b), *c = tile_u32(warp, insn->c);
  bool is_signed = insn->as.alu.a_signed;
  TILE_VECTOR(lanes, d[l] = extract(a[l], 64, b[l], c[l], is_signed));
  return 0;
}

static uint64_t insert(uint64_t x, uint64_t into, uint32_t position,
                       uint32_t length) {
  position &= 0xff;
  length &= 0xff;
  if (position > 63)
    return into;
  uint64_t mask = field_mask(length) << position;
  return (into & ~mask) | (x << position & mask);
}

static TileLanes bfi_32(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c), *e = tile_u32(warp, insn->e);
  TILE_VECTOR(lanes, d[l] = (uint32_t)insert(a[l], b[l], c[l], e[l]));
  return 0;
}

static TileLanes bfi_64(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a), *b = tile_u64(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c), *e = tile_u32(warp, insn->e);
  TILE_VECTOR(lanes, d[l] = insert(a[l], b[l], c[l], e[l]));
  return 0;
}

//===-- fns ---------------------------------------------------------------===//

/// Position of the |offset|-th set bit of the mask from `base` on, upwards or
/// downwards; offset 0 asks for the bit `base` itself.
static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31)
    return UINT32_MAX;
  if (offset == 0)
    return mask >> base & 1 ? base : UINT32_MAX;
  int64_t left = offset < 0 ? -(int64_t)offset : offset;
  int step = offset < 0 ? -1 : 1;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && --left == 0)
      return (uint32_t)at;
  return UINT32_MAX;
}

static TileLanes fns(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  TILE_FOR_LANES (l, lanes) {
    d[l] = find_nth(a[l], b[l], (int32_t)c[l]);
  }
  return 0;
}

//===-- shf, lop3, prmt ---------------------------------------------------===//

enum { LOP3_AND, LOP3_OR, LOP3_XOR };

/// Shifts the 64-bit {b, a} and keeps the upper (left) or lower (right) half.
static TileLanes shf(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  TILE_FOR_LANES (l, lanes) {
    uint64_t both = (uint64_t)b[l] << 32 | a[l];
    uint32_t clamped = c[l] > 32 ? 32 : c[l];
    uint32_t n = insn->as.alu.wrap ? c[l] & 31 : clamped;
    d[l] = (uint32_t)(insn->as.alu.mode ? both >> n : both << n >> 32);
  }
  return 0;
}

/// Bit i of the result is bit (4a + 2b + c) of the table.
static TileLanes lop3(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  uint32_t all[8];
  for (uint32_t i = 0; i < 8; i++)
    all[i] = insn->imm >> i & 1 ? UINT32_MAX : 0;
  TILE_VECTOR(lanes, uint32_t x = a[l]; uint32_t y = b[l]; uint32_t z = c[l];
              d[l] = (~x & ~y & ~z & all[0]) | (~x & ~y & z & all[1]) |
                     (~x & y & ~z & all[2]) | (~x & y & z & all[3]) |
                     (x & ~y & ~z & all[4]) | (x & ~y & z & all[5]) |
                     (x & y & ~z & all[6]) | (x & y & z & all[7]));
  return 0;
}

/// lop3.BoolOp: p = (d != 0) op q.
static TileLanes lop3_predicate(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  TileLanes q = *tile_pred(warp, insn->e), p = 0;
  if (insn->as.alu.b_signed) // here: complemented
    q = ~q;
  lop3(warp, insn, lanes);
  const uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, p |= (uint32_t)(d[l] != 0) << l);
  switch (insn->as.alu.mode) {
  case LOP3_AND:
    p &= q;
    break;
  case LOP3_OR:
    p |= q;
    break;
  default:
    p ^= q;
    break;
  }
  tile_pred_write(warp, insn->dst2, lanes, p);
  return 0;
}

/// Every nibble of c picks one of the eight bytes of {b, a}; its top bit
/// replicates the sign of that byte.
static TileLanes prmt(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  TILE_FOR_LANES (l, lanes) {
    uint64_t bytes = (uint64_t)b[l] << 32 | a[l];
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
      uint32_t pick = c[l] >> (4 * i) & 15;
      uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
      if (pick & 8)
        byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    d[l] = result;
  }
  return 0;
}

/// prmt with a mode: c & 3 and the mode pick the bytes.
static TileLanes prmt_mode(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  // Nibbles for c & 3 = 0, 1, 2, 3. PTX ISA, "prmt".
  static const uint16_t picks[][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e: forward
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e: backward
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8: one byte
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl: clamped to the left
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr: clamped to the right
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16: one half
  };
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  TILE_FOR_LANES (l, lanes) {
    uint64_t bytes = (uint64_t)b[l] << 32 | a[l];
    uint32_t pick = picks[insn->as.alu.mode][c[l] & 3], result = 0;
    for (uint32_t i = 0; i < 4; i++)
      result |= (uint32_t)(bytes >> (8 * (pick >> (4 * i) & 7)) & 255)
                << (8 * i);
    d[l] = result;
  }
  return 0;
}

//===-- szext, bmsk -------------------------------------------------------===//

/// Lengths beyond 32 are 32 (.clamp) or taken modulo 32 (.wrap).
static inline uint32_t field_size(const TileInsn *insn, uint32_t n) {
  if (insn->as.alu.wrap)
    return n & 31;
  return n < 32 ? n : 32;
}

/// The low b bits of a, extended by their sign or by zeros.
static TileLanes szext(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  TILE_FOR_LANES (l, lanes) {
    uint32_t size = field_size(insn, b[l]);
    d[l] = (uint32_t)extract(a[l], 32, 0, size, insn->as.alu.a_signed);
  }
  return 0;
}

/// b ones from bit a on.
static TileLanes bmsk(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  TILE_FOR_LANES (l, lanes) {
    uint32_t first = field_size(insn, a[l]), size = field_size(insn, b[l]);
    d[l] = (uint32_t)(field_mask(size) << first);
  }
  return 0;
}

void tile_emu_decode_mask(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_szext = !strcmp(decoder->words[0], "szext");
  TilePtxType type = tile_decode_type(decoder, 0);
  tile_decode_allow(decoder, "clamp wrap");
  if (tile_emu_type_bytes(type) != 4) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  if (!tile_decode_count(decoder, 3, 3))
    return;
  insn->as.alu.wrap = tile_decode_has(decoder, "wrap");
  insn->as.alu.a_signed = tile_emu_type_is_signed(type);
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B32);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_B32);
  insn->exec = is_szext ? szext : bmsk;
}

//===-- dp4a, dp2a --------------------------------------------------------===//

static uint32_t part(uint32_t word, uint32_t shift, uint32_t bits,
                     bool is_signed) {
  uint32_t value = word >> shift << (32 - bits);
  return is_signed ? (uint32_t)((int32_t)value >> (32 - bits))
                   : value >> (32 - bits);
}

static TileLanes dp4a(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  bool a_signed = insn->as.alu.a_signed, b_signed = insn->as.alu.b_signed;
  TILE_VECTOR(lanes, uint32_t sum = c[l];
              for (uint32_t i = 0; i < 4; i++) sum +=
              part(a[l], 8 * i, 8, a_signed) * part(b[l], 8 * i, 8, b_signed);
              d[l] = sum);
  return 0;
}

/// .lo uses the two low bytes of b, .hi the two high ones.
static TileLanes dp2a(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  bool a_signed = insn->as.alu.a_signed, b_signed = insn->as.alu.b_signed;
  uint32_t first = insn->as.alu.mode ? 16 : 0;
  TILE_VECTOR(lanes, uint32_t sum = c[l];
              for (uint32_t i = 0; i < 2; i++) sum +=
              part(a[l], 16 * i, 16, a_signed) *
              part(b[l], first + 8 * i, 8, b_signed);
              d[l] = sum);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

typedef struct {
  const char *name;
  uint8_t num_sources;
  uint8_t small_sources; // the last ones have type u32
  bool small_result;
  TileExec exec_32, exec_64; // chosen by the size of the type
} BitOp;

static const BitOp bit_ops[] = {
    {"popc", 1, 0, true, popc_32, popc_64},
    {"clz", 1, 0, true, clz_32, clz_64},
    {"brev", 1, 0, false, brev_32, brev_64},
    {"bfind", 1, 0, true, bfind_u32, bfind_u64},
    {"bfe", 3, 2, false, bfe_32, bfe_64},
    {"bfi", 4, 2, false, bfi_32, bfi_64},
    {"shf", 3, 1, false, shf, NULL},
    {"lop3", 3, 0, false, lop3, NULL},
    {"fns", 3, 0, false, fns, NULL},
    {"prmt", 3, 0, false, prmt, NULL},
    {"dp4a", 3, 0, false, dp4a, NULL},
    {"dp2a", 3, 0, false, dp2a, NULL},
};

static void decode_modifiers(TileDecoder *decoder, TilePtxType type) {
  TileInsn *insn = decoder->insn;
  insn->as.alu.a_signed = tile_emu_type_is_signed(type);
  insn->as.alu.b_signed = tile_emu_type_is_signed(tile_decode_type(decoder, 1));
  if (insn->exec == bfind_u32 && insn->as.alu.a_signed)
    insn->exec = bfind_s32;
  if (insn->exec == bfind_u64 && insn->as.alu.a_signed)
    insn->exec = bfind_s64;
  insn->as.alu.wrap =
      tile_decode_has(decoder, "wrap") || tile_decode_has(decoder, "shiftamt");
  insn->as.alu.mode =
      tile_decode_has(decoder, "r") || tile_decode_has(decoder, "hi");
  static const char *const prmt_modes[] = {"f4e", "b4e", "rc8",
                                           "ecl", "ecr", "rc16"};
  int prmt_choice = tile_decode_choice(decoder, prmt_modes, 6);
  if (insn->exec == prmt && prmt_choice >= 0) {
    insn->exec = prmt_mode;
    insn->as.alu.mode = (uint8_t)prmt_choice;
  }
  if (insn->exec == lop3)
    insn->imm = tile_decode_immediate(decoder, 4);
}

/// Opcode with a BoolOp: `d|p` and after the table `q`.
static void decode_lop3_predicate(TileDecoder *decoder, int combine) {
  TileInsn *insn = decoder->insn;
  bool negated;
  insn->dst2 = tile_decode_pair_pred(decoder, 0);
  if (insn->dst2 == TILE_NO_SLOT)
    tile_decode_fail(decoder, "expected d|p as destination");
  insn->e = tile_decode_pred_src(decoder, 5, &negated);
  insn->as.alu.b_signed = negated;
  insn->as.alu.mode = (uint8_t)combine;
  insn->exec = lop3_predicate;
}

void tile_emu_decode_bits(TileDecoder *decoder) {
  static const char *const combinations[] = {"and", "or", "xor"};
  const BitOp *op = bit_ops;
  while (strcmp(op->name, decoder->words[0]))
    op++;
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  bool is_64 = tile_emu_type_bytes(type) == 8;
  tile_decode_allow(decoder,
                    "wrap clamp shiftamt l r lo hi f4e b4e rc8 ecl ecr rc16 "
                    "and or xor");
  insn->exec = is_64 ? op->exec_64 : op->exec_32;
  if (!insn->exec || tile_emu_type_bytes(type) < 4) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  int combine = tile_decode_choice(decoder, combinations, 3);
  bool has_table = insn->exec == lop3;
  if (combine >= 0 && !has_table)
    tile_decode_unsupported(decoder, combinations[combine]);
  uint32_t wanted = 1u + op->num_sources + has_table + (combine >= 0);
  if (!tile_decode_count(decoder, wanted, wanted))
    return;
  insn->dst =
      tile_decode_dst(decoder, 0, op->small_result ? TILE_PTX_U32 : type);
  uint32_t *slots[4] = {&insn->a, &insn->b, &insn->c, &insn->e};
  for (uint32_t i = 0; i < op->num_sources; i++) {
    bool is_small = i + op->small_sources >= op->num_sources;
    *slots[i] = tile_decode_src(decoder, 1 + i, is_small ? TILE_PTX_U32 : type);
  }
  decode_modifiers(decoder, type);
  if (combine >= 0)
    decode_lop3_predicate(decoder, combine);
}

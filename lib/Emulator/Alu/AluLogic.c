//===- AluLogic.c - Logic and shift instructions --------------------------===//
//
// PTX ISA, "Logic and Shift Instructions". Shift amounts are unsigned and
// clamp at the register size.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

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

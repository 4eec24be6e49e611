//===- AluArithmetic.c - Decodes add, mul, fma, sqrt and the like ---------===//
//
// One mnemonic serves integers, floats and halves; the type picks the unit.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

typedef struct {
  const char *name;
  TileAluOp op;
  uint8_t num_sources;
} Mnemonic;

static const Mnemonic mnemonics[] = {
    {"add", TILE_ALU_ADD, 2},           {"sub", TILE_ALU_SUB, 2},
    {"mul", TILE_ALU_MUL, 2},           {"mad", TILE_ALU_MAD, 3},
    {"fma", TILE_ALU_FMA, 3},           {"sad", TILE_ALU_SAD, 3},
    {"div", TILE_ALU_DIV, 2},           {"rem", TILE_ALU_REM, 2},
    {"min", TILE_ALU_MIN, 2},           {"max", TILE_ALU_MAX, 2},
    {"abs", TILE_ALU_ABS, 1},           {"neg", TILE_ALU_NEG, 1},
    {"copysign", TILE_ALU_COPYSIGN, 2}, {"sqrt", TILE_ALU_SQRT, 1},
    {"rsqrt", TILE_ALU_RSQRT, 1},       {"rcp", TILE_ALU_RCP, 1},
    {"ex2", TILE_ALU_EX2, 1},           {"lg2", TILE_ALU_LG2, 1},
    {"sin", TILE_ALU_SIN, 1},           {"cos", TILE_ALU_COS, 1},
    {"tanh", TILE_ALU_TANH, 1},         {"mul24", TILE_ALU_MUL24_LO, 2},
    {"mad24", TILE_ALU_MAD24_LO, 3},
};

static const Mnemonic *mnemonic_find(const char *name) {
  for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
    if (!strcmp(mnemonics[i].name, name))
      return &mnemonics[i];
  return NULL;
}

//===-- Entry -------------------------------------------------------------===//

/// .hi, .wide, .NaN and integer .sat choose another operation.
static TileAluOp refine(const TileDecoder *decoder, TileAluOp op,
                        bool is_integer) {
  bool is_high = tile_decode_has(decoder, "hi");
  bool saturates = is_integer && tile_decode_has(decoder, "sat");
  if (op == TILE_ALU_MUL24_LO && is_high)
    return TILE_ALU_MUL24_HI;
  if (op == TILE_ALU_MAD24_LO && is_high)
    return saturates ? TILE_ALU_MAD24_HI_SAT : TILE_ALU_MAD24_HI;
  if (is_high && saturates)
    return TILE_ALU_MAD_HI_SAT;
  if (is_high)
    return op == TILE_ALU_MUL ? TILE_ALU_MUL_HI : TILE_ALU_MAD_HI;
  if (is_integer && tile_decode_has(decoder, "relu"))
    return op == TILE_ALU_MIN ? TILE_ALU_MIN_RELU : TILE_ALU_MAX_RELU;
  if (tile_decode_has(decoder, "wide"))
    return op == TILE_ALU_MUL ? TILE_ALU_MUL_WIDE : TILE_ALU_MAD_WIDE;
  if (tile_decode_has(decoder, "NaN"))
    return op == TILE_ALU_MIN ? TILE_ALU_MIN_NAN : TILE_ALU_MAX_NAN;
  if (op == TILE_ALU_DIV && tile_decode_has(decoder, "approx"))
    return TILE_ALU_DIV_APPROX;
  if (saturates)
    return op == TILE_ALU_ADD ? TILE_ALU_ADD_SAT : TILE_ALU_SUB_SAT;
  return op;
}

static TilePtxType doubled(TilePtxType type) {
  return tile_emu_type_bytes(type) == 2 ? TILE_PTX_B32 : TILE_PTX_B64;
}

void tile_emu_decode_arithmetic(TileDecoder *decoder) {
  if (tile_decode_has(decoder, "cc")) {
    tile_emu_decode_carry(decoder);
    return;
  }
  const Mnemonic *mnemonic = mnemonic_find(decoder->words[0]);
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  bool is_integer = tile_emu_integer_exec(TILE_ALU_ADD, type);
  tile_decode_allow(decoder, "lo hi wide rn rz rm rp ftz sat approx full "
                             "NaN relu xorsign abs oob");
  if (decoder->num_types != 1) {
    tile_decode_unsupported(decoder, "operands of different types");
    return;
  }
  TileAluOp op = refine(decoder, mnemonic->op, is_integer);
  insn->type = (uint8_t)type;
  insn->exec = tile_emu_integer_exec(op, type);
  if (!insn->exec)
    insn->exec = tile_emu_float_exec(op, type);
  if (!insn->exec) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  if (!tile_decode_count(decoder, 1u + mnemonic->num_sources,
                         1u + mnemonic->num_sources))
    return;
  bool is_wide = op == TILE_ALU_MUL_WIDE || op == TILE_ALU_MAD_WIDE;
  TilePtxType result = is_wide ? doubled(type) : type;
  insn->dst = tile_decode_dst(decoder, 0, result);
  insn->a = tile_decode_src(decoder, 1, type);
  if (mnemonic->num_sources > 1)
    insn->b = tile_decode_src(decoder, 2, type);
  if (mnemonic->num_sources > 2)
    insn->c = tile_decode_src(decoder, 3, result);
  if (!is_integer)
    tile_emu_decode_float_modifiers(decoder, mnemonic->num_sources);
}

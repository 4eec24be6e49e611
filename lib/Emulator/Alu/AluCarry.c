//===- AluCarry.c - Extended-precision integer arithmetic -----------------===//
//
// PTX ISA, "Extended-Precision Integer Arithmetic Instructions": add.cc, addc,
// sub.cc, subc, mad.cc and madc. A lane has one carry bit; only these
// instructions read or write it. After a subtraction it is the borrow.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

typedef enum { ADD, SUB, MAD_LO, MAD_HI } CarryOp;

/// The upper `bits` of the product.
static uint64_t high_product(uint64_t x, uint64_t y, uint32_t bits,
                             bool is_signed) {
  if (bits == 64)
    return is_signed ? (uint64_t)((SignedWide)(int64_t)x * (int64_t)y >> 64)
                     : (uint64_t)((Wide)x * y >> 64);
  int64_t product = is_signed ? (int64_t)(int32_t)x * (int32_t)y
                              : (int64_t)((x & UINT32_MAX) * (y & UINT32_MAX));
  return (uint64_t)product >> 32;
}

/// One lane; `carry` goes in and comes out.
static uint64_t compute(const TileInsn *insn, uint64_t x, uint64_t y,
                        uint64_t z, bool *carry) {
  uint32_t bits = 8 * tile_emu_type_bytes((TilePtxType)insn->type);
  uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
  CarryOp op = (CarryOp)insn->as.alu.mode;
  if (op == MAD_LO || op == MAD_HI) { // the sum of a product and z
    x = op == MAD_LO ? x * y : high_product(x, y, bits, insn->as.alu.a_signed);
    y = z;
  }
  Wide left = x & mask, right = y & mask;
  Wide result = op == SUB ? left - right - *carry : left + right + *carry;
  *carry = result >> bits & 1;
  return (uint64_t)result & mask;
}

static uint64_t read(TileWarp *warp, uint32_t slot, uint32_t lane,
                     bool is_wide) {
  return is_wide ? tile_u64(warp, slot)[lane] : tile_u32(warp, slot)[lane];
}

static TileLanes exec_carry(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  bool is_wide = tile_emu_type_bytes((TilePtxType)insn->type) == 8;
  TILE_FOR_LANES (l, lanes) {
    bool carry = insn->as.alu.wrap && tile_lane_in(warp->carry, l);
    uint64_t x = read(warp, insn->a, l, is_wide);
    uint64_t y = read(warp, insn->b, l, is_wide);
    uint64_t z = insn->c != TILE_NO_SLOT ? read(warp, insn->c, l, is_wide) : 0;
    uint64_t result = compute(insn, x, y, z, &carry);
    if (is_wide)
      tile_u64(warp, insn->dst)[l] = result;
    else
      tile_u32(warp, insn->dst)[l] = (uint32_t)result;
    TileLanes lane = tile_lane_bit(l);
    if (insn->as.alu.b_signed) // .cc: writes the carry bit
      warp->carry = carry ? warp->carry | lane : warp->carry & ~lane;
  }
  return 0;
}

void tile_emu_decode_carry(TileDecoder *decoder) {
  static const struct {
    const char *name;
    CarryOp op;
    bool reads_carry;
  } mnemonics[] = {
      {"add", ADD, false}, {"addc", ADD, true},    {"sub", SUB, false},
      {"subc", SUB, true}, {"mad", MAD_LO, false}, {"madc", MAD_LO, true},
  };
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  tile_decode_allow(decoder, "cc lo hi");
  if (tile_emu_type_bytes(type) < 4 || tile_emu_type_is_float(type)) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++)
    if (!strcmp(decoder->words[0], mnemonics[i].name)) {
      insn->as.alu.mode = (uint8_t)mnemonics[i].op;
      insn->as.alu.wrap = mnemonics[i].reads_carry;
    }
  bool is_mad = insn->as.alu.mode == MAD_LO;
  if (is_mad && tile_decode_has(decoder, "hi"))
    insn->as.alu.mode = MAD_HI;
  insn->as.alu.a_signed = tile_emu_type_is_signed(type);
  insn->as.alu.b_signed = tile_decode_has(decoder, "cc");
  insn->type = (uint8_t)type;
  if (!tile_decode_count(decoder, is_mad ? 4 : 3, is_mad ? 4 : 3))
    return;
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, type);
  insn->c = is_mad ? tile_decode_src(decoder, 3, type) : TILE_NO_SLOT;
  insn->exec = exec_carry;
}

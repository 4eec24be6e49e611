//===- AluPack.c - cvt.pack -----------------------------------------------===//
//
// PTX ISA, "cvt.pack": two s32 are clamped to a narrow integer type and packed
// below what another register already has.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

static uint32_t clamped(int32_t x, uint32_t bits, bool is_signed) {
  int32_t high = (int32_t)((1u << (bits - is_signed)) - 1);
  int32_t low = is_signed ? -high - 1 : 0;
  int32_t result = x < low ? low : x > high ? high : x;
  return (uint32_t)result & ((1u << bits) - 1);
}

/// d = {low bits of c, a, b}; there is no c when a and b fill the register.
static TileLanes cvt_pack(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  uint32_t bits = insn->as.pack.elem_bits;
  bool is_signed = insn->as.pack.is_signed;
  TILE_FOR_LANES (l, lanes) {
    uint32_t rest = bits < 16 ? c[l] << (2 * bits) : 0;
    d[l] = rest | clamped((int32_t)a[l], bits, is_signed) << bits |
           clamped((int32_t)b[l], bits, is_signed);
  }
  return 0;
}

void tile_emu_decode_cvt_pack(TileDecoder *decoder) {
  static const char *const types[] = {"u2", "s2", "u4",  "s4",
                                      "u8", "s8", "u16", "s16"};
  TileInsn *insn = decoder->insn;
  int type = tile_decode_choice(decoder, types, 8);
  tile_decode_allow(decoder, "pack sat u2 s2 u4 s4");
  if (type < 0 || !tile_decode_has(decoder, "s32")) {
    tile_decode_unsupported(decoder, "types");
    return;
  }
  uint32_t bits = 2u << (type / 2);
  uint32_t num_ops = bits < 16 ? 4 : 3;
  if (!tile_decode_count(decoder, num_ops, num_ops))
    return;
  insn->as.pack.elem_bits = (uint8_t)bits;
  insn->as.pack.is_signed = type % 2;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_S32);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_S32);
  if (num_ops == 4)
    insn->c = tile_decode_src(decoder, 3, TILE_PTX_B32);
  insn->exec = cvt_pack;
}

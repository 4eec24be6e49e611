//===- WgmmaDecode.c - Decodes wgmma --------------------------------------===//

#include "Emulator/Ptx/Decode.h"
#include "Wgmma.h"

static bool is_byte(TilePtxType type) {
  return type == TILE_PTX_S8 || type == TILE_PTX_U8;
}

/// D, A, B.
static bool has_legal_types(const TileDecoder *decoder) {
  TilePtxType d = tile_decode_type(decoder, 0);
  TilePtxType a = tile_decode_type(decoder, 1);
  TilePtxType b = tile_decode_type(decoder, 2);
  bool is_half_d = d == TILE_PTX_F16, is_float_d = d == TILE_PTX_F32;
  switch (a) {
  case TILE_PTX_F16:
    return b == a && (is_half_d || is_float_d);
  case TILE_PTX_BF16:
  case TILE_PTX_TF32:
    return b == a && is_float_d;
  case TILE_PTX_E4M3:
  case TILE_PTX_E5M2:
    return (b == TILE_PTX_E4M3 || b == TILE_PTX_E5M2) &&
           (is_half_d || is_float_d);
  default:
    return is_byte(a) && is_byte(b) && d == TILE_PTX_S32;
  }
}

static bool check_shape(TileDecoder *decoder, TilePtxType type, uint32_t n,
                        uint32_t k) {
  uint32_t bits = tile_emu_matrix_elem_bits(type);
  bool has_n = !is_byte(type) || n % 16 == 0 || n == 8 || n == 24;
  if (!has_legal_types(decoder) || !has_n) {
    tile_decode_unsupported(decoder, "no such combination of shape and types");
    return false;
  }
  uint32_t k_bits = decoder->insn->as.wgmma.is_sparse ? 512 : 256;
  if (n >= 8 && n <= TILE_WGMMA_MAX_N && n % 8 == 0 && k * bits == k_bits)
    return true;
  tile_decode_fail(decoder, "no such shape");
  return false;
}

/// scale-d, then imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b, of which
/// integers have none and tf32 and fp8 only the first two.
static void decode_scales(TileDecoder *decoder, uint32_t at) {
  TileInsn *insn = decoder->insn;
  bool negated;
  if (decoder->ops[at]->kind == TILE_OPERAND_PREDICATE) {
    insn->c = tile_decode_pred_src(decoder, at, &negated);
    if (negated)
      tile_decode_unsupported(decoder, "negated scale-d");
  } else {
    insn->c = TILE_NO_SLOT;
    insn->imm = tile_decode_immediate(decoder, at);
  }
  at++;
  if (decoder->num_ops >= at + 2) {
    bool negate_a = tile_decode_immediate(decoder, at++) < 0;
    bool negate_b = tile_decode_immediate(decoder, at++) < 0;
    insn->as.wgmma.negate_product = negate_a != negate_b;
  }
  bool has_transpose =
      insn->type == TILE_PTX_F16 || insn->type == TILE_PTX_BF16;
  if (has_transpose && !insn->as.wgmma.num_a && decoder->num_ops > at)
    insn->as.wgmma.transpose_a = tile_decode_immediate(decoder, at++) != 0;
  if (has_transpose && decoder->num_ops > at)
    insn->as.wgmma.transpose_b = tile_decode_immediate(decoder, at++) != 0;
  if (decoder->num_ops != at)
    tile_decode_fail(decoder, "%u operands where %u are expected",
                     decoder->num_ops, at);
}

static void decode_mma_async(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  uint32_t shape[3] = {0};
  bool has_shape =
      tile_decode_shape(decoder, shape) && shape[0] == TILE_WGMMA_ROWS;
  uint32_t n = shape[1], k = shape[2];
  TilePtxType d_type = tile_decode_type(decoder, 0);
  TilePtxType a_type = tile_decode_type(decoder, 1);
  bool is_sparse = tile_decode_has(decoder, "sp");
  uint32_t scales_at = is_sparse ? 5 : 3;
  insn->as.wgmma.is_sparse = is_sparse;
  if (!has_shape || decoder->num_types != 3) {
    tile_decode_unsupported(decoder, "form of wgmma");
    return;
  }
  if (!tile_decode_count(decoder, scales_at + 1, scales_at + 5) ||
      !check_shape(decoder, a_type, n, k))
    return;
  insn->type = (uint8_t)a_type;
  insn->type2 = (uint8_t)tile_decode_type(decoder, 2);
  insn->as.wgmma.n = (uint16_t)n;
  insn->as.wgmma.k = (uint8_t)k;
  insn->as.wgmma.d_type = (uint8_t)d_type;
  insn->as.wgmma.satfinite = tile_decode_has(decoder, "satfinite");
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[0], TILE_PTX_B32, true);
  uint32_t num_d = list.count;
  if (num_d != (d_type == TILE_PTX_F16 ? n / 4 : n / 2))
    tile_decode_fail(decoder, "%u accumulator registers for n = %u", num_d, n);
  if (decoder->ops[1]->kind == TILE_OPERAND_VECTOR) {
    tile_decode_list_add(decoder, &list, decoder->ops[1], TILE_PTX_B32, false);
    if (list.count - num_d != 4)
      tile_decode_fail(decoder, "A has four registers");
  }
  if (is_sparse)
    tile_emu_wgmma_sparse_decode(decoder);
  // Fragments and metadata stay in use; descriptors and scale-d are read when
  // it is issued: compilers of others write them in the next round.
  uint32_t num_kept_registers = decoder->num_registers;
  if (decoder->ops[1]->kind != TILE_OPERAND_VECTOR)
    insn->a = tile_decode_src(decoder, 1, TILE_PTX_B64);
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT)
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
  insn->as.wgmma.num_d = (uint8_t)num_d;
  insn->as.wgmma.num_a = (uint8_t)(list.count - num_d);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_B64);
  tile_decode_list_finish(decoder, &list);
  decode_scales(decoder, scales_at);
  decoder->num_issue_registers = decoder->num_registers;
  decoder->num_registers = num_kept_registers;
  insn->exec = tile_emu_wgmma_issue;
}

void tile_emu_decode_wgmma(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  const char *form = decoder->num_words > 1 ? decoder->words[1] : "";
  decoder->parser->kernel->has_wgmma = true;
  insn->flags |= TILE_INSN_WGMMA;
  if (!strcmp(form, "fence"))
    insn->exec = tile_emu_wgmma_fence;
  else if (!strcmp(form, "commit_group"))
    insn->exec = tile_emu_wgmma_commit;
  else if (!strcmp(form, "wait_group")) {
    insn->imm = tile_decode_immediate(decoder, 0);
    insn->exec = tile_emu_wgmma_wait;
  } else if (!strcmp(form, "mma_async"))
    decode_mma_async(decoder);
  else
    tile_decode_unsupported(decoder, "form of wgmma");
}

//===- TmaDecode.c - Decodes bulk and tensor copies -----------------------===//

#include "Dsmem.h"
#include "Emulator/Memory/Address.h"
#include "TmaExec.h"
#include "TmaRows.h"

#include <string.h>

static const char modifiers[] =
    "async bulk tensor reduce 1d 2d 3d 4d 5d shared::cluster shared::cta "
    "global tile im2col im2col_no_offs tile::gather4 tile::scatter4 "
    "mbarrier::complete_tx::bytes multicast::cluster bulk_group "
    "L2::cache_hint cta_group::1 add min max and or xor inc dec noftz relaxed "
    "gpu";

/// `[map, {x, y}]` or `[global]`, into b, offset2 and vec.
static void decode_global(TileDecoder *decoder, uint32_t index) {
  TileInsn *insn = decoder->insn;
  const TileOperand *operand = decoder->ops[index];
  TileDecodedAddress address =
      tile_decode_address(decoder, operand, TILE_SPACE_GLOBAL);
  if (!address.is_wide)
    tile_decode_fail(decoder, "a global address has 64 bits");
  insn->b = address.slot;
  insn->offset2 = address.offset;
  if (!insn->as.tma.is_tensor)
    return;
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
  uint32_t rank = 1u + (uint32_t)tile_decode_choice(decoder, ranks, 5);
  bool is_im2col = tile_decode_has(decoder, "im2col") ||
                   tile_decode_has(decoder, "im2col_no_offs");
  bool is_gather = tile_decode_has(decoder, "tile::gather4") ||
                   tile_decode_has(decoder, "tile::scatter4");
  uint32_t wanted = is_gather ? 1 + TILE_GATHER_ROWS : rank;
  insn->as.tma.rank = (uint8_t)rank;
  insn->as.tma.mode = is_im2col   ? TILE_TENSOR_IM2COL
                      : is_gather ? TILE_TENSOR_GATHER
                                  : TILE_TENSOR_TILED;
  if (operand->num_subs != 2 || operand->subs[1].kind != TILE_OPERAND_VECTOR ||
      operand->subs[1].num_subs != wanted || (is_gather && rank != 2) ||
      (is_im2col && rank < 3)) {
    tile_decode_fail(decoder, "expected %u coordinates in braces", wanted);
    return;
  }
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, &operand->subs[1], TILE_PTX_S32, false);
  if (tile_decode_has(decoder, "im2col")) // behind the mbarrier
    tile_emu_decode_im2col_offsets(decoder, 3, &list);
  tile_decode_list_finish(decoder, &list);
}

/// [shared], [global …], (size,) [mbarrier] (, mask) (, policy)
static void decode_load(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_tensor = insn->as.tma.is_tensor;
  uint32_t at = is_tensor ? 2 : 3;
  uint32_t num_infos = tile_decode_has(decoder, "im2col"); // its offsets
  bool has_mask = tile_decode_has(decoder, "multicast::cluster");
  uint32_t count = at + 1 + num_infos + has_mask;
  if (!tile_decode_count_hinted(decoder, count, count))
    return;
  TileDecodedAddress shared =
      tile_decode_address_a(decoder, 0, TILE_SPACE_SHARED);
  insn->as.tma.wide_address = shared.is_wide;
  decode_global(decoder, 1);
  if (!is_tensor)
    insn->c = tile_decode_src(decoder, 2, TILE_PTX_U32);
  TileDecodedAddress mbarrier =
      tile_decode_address(decoder, decoder->ops[at], TILE_SPACE_SHARED);
  insn->e = mbarrier.slot;
  insn->imm = mbarrier.offset;
  insn->as.tma.wide_mbarrier = mbarrier.is_wide;
  insn->as.tma.is_multicast = has_mask;
  if (insn->as.tma.is_multicast)
    insn->dst2 = tile_decode_src(decoder, at + 1 + num_infos, TILE_PTX_U16);
  insn->exec = tile_emu_tma_load;
}

/// [global …], [shared] (, size) (, policy)
static void decode_store(TileDecoder *decoder) {
  static const char *const reductions[] = {"add", "min",  "max", "and", "or",
                                           "xor", "exch", "cas", "inc", "dec"};
  TileInsn *insn = decoder->insn;
  bool is_tensor = insn->as.tma.is_tensor;
  uint32_t count = is_tensor ? 2 : 3;
  if (!tile_decode_count_hinted(decoder, count, count))
    return;
  decode_global(decoder, 0);
  TileDecodedAddress shared =
      tile_decode_address_a(decoder, 1, TILE_SPACE_SHARED);
  insn->as.tma.wide_address = shared.is_wide;
  if (!is_tensor)
    insn->c = tile_decode_src(decoder, 2, TILE_PTX_U32);
  if (tile_decode_has(decoder, "reduce")) {
    insn->as.tma.reduction =
        (uint8_t)(1 + tile_decode_choice(decoder, reductions, 10));
    insn->type = (uint8_t)tile_decode_type(decoder, 0);
    bool has_type = is_tensor || tile_emu_type_bytes((TilePtxType)insn->type);
    if (!insn->as.tma.reduction || !has_type)
      tile_decode_unsupported(decoder, "reduction");
    // The elements of a tensor are known when it runs.
    decoder->parser->kernel->has_ordered_updates |=
        tile_decode_has(decoder, "add") &&
        (is_tensor || tile_emu_type_is_float((TilePtxType)insn->type));
  }
  decoder->parser->kernel->has_bulk_store = true;
  insn->exec = tile_emu_tma_store;
}

void tile_emu_decode_cp_async_bulk(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  const char *opcode = decoder->opcode;
  if (!strncmp(opcode, "cp.async.bulk.prefetch", 22)) {
    decoder->is_hint = true;
    return;
  }
  if (!strcmp(opcode, "cp.async.bulk.commit_group")) {
    insn->exec = tile_emu_bulk_commit;
    return;
  }
  if (!strncmp(opcode, "cp.async.bulk.wait_group", 24)) {
    insn->imm = tile_decode_immediate(decoder, 0);
    insn->as.wait.is_read = tile_decode_has(decoder, "read");
    insn->exec = tile_emu_bulk_wait;
    return;
  }
  if (tile_decode_has(decoder, "im2col::w") ||
      tile_decode_has(decoder, "im2col::w::128"))
    tile_decode_unsupported(decoder, "im2col::w is of sm_100 and later");
  tile_decode_allow(decoder, modifiers);
  if (decoder->unsupported_reason)
    return;
  insn->as.tma.is_tensor = tile_decode_has(decoder, "tensor");
  if (tile_decode_has(decoder, "bulk_group"))
    decode_store(decoder);
  else if (tile_decode_has(decoder, "global"))
    decode_load(decoder);
  else
    tile_emu_decode_bulk_remote(decoder);
}

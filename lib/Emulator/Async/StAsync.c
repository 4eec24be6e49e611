//===- StAsync.c - st.async and red.async ---------------------------------===//
//
// PTX ISA, "st.async", "red.async": a store or reduction to shared memory of
// the cluster that an mbarrier of the same CTA learns of.
//
// Instruction: a = destination, e + imm = mbarrier, vec = values.
//
//===----------------------------------------------------------------------===//

#include "Dsmem.h"
#include "Emulator/Memory/Address.h"

static void store_one(TileWarp *warp, const TileInsn *insn, uint32_t lane) {
  uint32_t elem_bytes = insn->as.st_async.elem_bytes;
  uint32_t size_bytes = elem_bytes * insn->num_vec;
  uint32_t address = (uint32_t)tile_address_of(
      warp, insn, insn->as.st_async.wide_address, lane);
  uint64_t barrier = insn->as.st_async.wide_mbarrier
                         ? tile_u64(warp, insn->e)[lane]
                         : tile_u32(warp, insn->e)[lane];
  if (address % size_bytes) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "%u-byte access at address 0x%x is not aligned", size_bytes,
                  address);
    return;
  }
  uint8_t reduction = insn->as.st_async.reduction;
  TileRemoteWrite write = {.address = address,
                           .size_bytes = size_bytes,
                           .mbarrier =
                               (uint32_t)(barrier + (uint64_t)insn->imm),
                           .reduction = reduction,
                           .type = (TilePtxType)insn->type,
                           .what = reduction ? "red.async " : "st.async "};
  TileAsyncOp *op = tile_emu_remote_create(warp, insn, lane, &write);
  if (!op)
    return;
  for (uint32_t i = 0; i < insn->num_vec; i++)
    memcpy(op->as.remote.value + i * elem_bytes,
           warp->regs + insn->vec[i] + lane * elem_bytes, elem_bytes);
  tile_emu_async_issue(op);
}

static TileLanes store(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    store_one(warp, insn, l);
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

/// [destination], value, [mbarrier]
static void decode_operands(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  uint32_t elem_bytes = tile_emu_type_bytes(type);
  if (!tile_decode_count(decoder, 3, 3))
    return;
  if (elem_bytes != 4 && elem_bytes != 8) {
    tile_decode_fail(decoder, "the type must have 32 or 64 bits");
    return;
  }
  TileDecodedAddress to =
      tile_decode_address_a(decoder, 0, TILE_SPACE_SHARED_CLUSTER);
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[1], type, false);
  tile_decode_list_finish(decoder, &list);
  TileDecodedAddress mbarrier =
      tile_decode_address(decoder, decoder->ops[2], TILE_SPACE_SHARED_CLUSTER);
  insn->type = (uint8_t)type;
  insn->e = mbarrier.slot;
  insn->imm = mbarrier.offset;
  insn->as.st_async.elem_bytes = (uint8_t)elem_bytes;
  insn->as.st_async.wide_address = to.is_wide;
  insn->as.st_async.wide_mbarrier = mbarrier.is_wide;
  insn->exec = store;
}

void tile_emu_decode_st_async(TileDecoder *decoder) {
  static const char *const lengths[] = {"v2", "v4"};
  if (tile_decode_has(decoder, "global"))
    tile_decode_unsupported(decoder, "sm_100 and later");
  tile_decode_allow(decoder, "async weak shared::cluster v2 v4 "
                             "mbarrier::complete_tx::bytes");
  if (decoder->unsupported_reason)
    return;
  decode_operands(decoder);
  int choice = tile_decode_choice(decoder, lengths, 2);
  uint32_t count = choice < 0 ? 1 : 2u << choice;
  uint32_t size_bytes = count * decoder->insn->as.st_async.elem_bytes;
  if (decoder->insn->num_vec != count || size_bytes > 16)
    tile_decode_fail(decoder, "%u values where %u are expected",
                     decoder->insn->num_vec, count);
}

void tile_emu_decode_red_async(TileDecoder *decoder) {
  if (tile_decode_has(decoder, "global"))
    tile_decode_unsupported(decoder, "sm_100 and later");
  tile_decode_allow(decoder, "async relaxed cluster shared::cluster inc dec "
                             "min max add and or xor "
                             "mbarrier::complete_tx::bytes");
  if (decoder->unsupported_reason)
    return;
  decode_operands(decoder);
  decoder->insn->as.st_async.reduction =
      tile_decode_shared_reduction(decoder, tile_decode_type(decoder, 0));
  if (decoder->insn->num_vec != 1)
    tile_decode_fail(decoder, "%u values where 1 is expected",
                     decoder->insn->num_vec);
}

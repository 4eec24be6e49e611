//===- Dsmem.c - Shared memory of other CTAs of the cluster ---------------===//
//
// PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk" with destination
// .shared::cluster. The shared memory of a CTA exists until it exits, so a CTA
// has to stay until all others are done with it. CUDA C++ Programming Guide,
// "Distributed Shared Memory".
//
// Bulk copy: a = destination, b = source, c = size, e + imm = mbarrier.
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Sync/Sync.h"

//===-- CTAs that exit ----------------------------------------------------===//

/// The CTA has to know that the phase is complete, too.
static void note_op(TileCta *cta, const TileAsyncOp *op,
                    const TileMbarrier *mbarrier) {
  if (!cta->remote)
    return;
  TileRemoteOp note = {mbarrier->agent, mbarrier->phase + 1,
                       tile_warp_thread(op->warp, op->lane),
                       (uint32_t)(op->insn - op->warp->kernel->code)};
  for (uint32_t i = 0; i < cta->num_remote_ops; i++)
    if (cta->remote_ops[i].agent == note.agent) {
      cta->remote_ops[i] = note;
      return;
    }
  cta->remote_ops = tile_emu_realloc(
      cta->remote_ops, (cta->num_remote_ops + 1) * sizeof *cta->remote_ops);
  cta->remote_ops[cta->num_remote_ops++] = note;
}

//===-- Operations --------------------------------------------------------===//

/// The mbarrier has to be in the CTA that is written.
static TileMbarrier *find_mbarrier(TileWarp *warp, const TileInsn *insn,
                                   uint32_t lane, const TileCta *cta,
                                   uint32_t address) {
  if (address >> TILE_SHARED_RANK_SHIFT == cta->rank)
    return tile_emu_mbarrier_get(warp, insn, lane, address);
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_MBARRIER_OPERAND,
                "mbarrier 0x%x is not in the CTA of the destination, rank %u",
                address, cta->rank);
  return NULL;
}

TileAsyncOp *tile_emu_remote_create(TileWarp *warp, const TileInsn *insn,
                                    uint32_t lane,
                                    const TileRemoteWrite *write) {
  TileCta *cta;
  if (!tile_emu_shared_pointer(warp, insn, lane, write->address,
                               write->size_bytes, &cta))
    return NULL;
  TileMbarrier *mbarrier =
      find_mbarrier(warp, insn, lane, cta, write->mbarrier);
  if (!mbarrier)
    return NULL;
  TileAsyncOp *op = tile_emu_async_create(warp, insn, TILE_ASYNC_REMOTE, 0);
  op->lane = lane;
  op->lanes = tile_lane_bit(lane);
  op->cta = cta;
  op->size_bytes = write->size_bytes;
  op->as.remote.offset = write->address & TILE_SHARED_OFFSET_MASK;
  op->as.remote.mbarrier = mbarrier->offset;
  op->as.remote.phase = mbarrier->phase;
  op->as.remote.reduction = write->reduction;
  op->as.remote.type = (uint8_t)write->type;
  mbarrier->num_in_flight[mbarrier->phase & 1]++;
  mbarrier->bytes_in_flight[mbarrier->phase & 1] += op->size_bytes;
  note_op(cta, op, mbarrier);
  if (!warp->cluster->detect_races)
    return op;
  tile_emu_phase_begin(warp, lane, mbarrier);
  TileShadowAccess access = tile_emu_access_async(
      warp, insn, lane, tile_epoch(mbarrier->agent, mbarrier->phase + 1),
      write->is_async_proxy, write->what);
  if (write->reduction)
    tile_emu_shadow_reduce(cta, op->as.remote.offset, op->size_bytes, &access);
  else
    tile_emu_shadow_write(cta, op->as.remote.offset, op->size_bytes, &access);
  return op;
}

//===-- Bulk copies -------------------------------------------------------===//

static void copy_one(TileWarp *warp, const TileInsn *insn, uint32_t lane) {
  uint32_t to =
      (uint32_t)tile_address_of(warp, insn, insn->as.tma.wide_address, lane);
  uint64_t base = insn->as.tma.wide_source ? tile_u64(warp, insn->b)[lane]
                                           : tile_u32(warp, insn->b)[lane];
  uint32_t from = (uint32_t)(base + (uint64_t)insn->offset2);
  uint64_t barrier = insn->as.tma.wide_mbarrier ? tile_u64(warp, insn->e)[lane]
                                                : tile_u32(warp, insn->e)[lane];
  uint32_t size_bytes = tile_u32(warp, insn->c)[lane];
  if ((to | from | size_bytes) % 16) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "bulk copy of %u bytes to 0x%x from 0x%x: all must be "
                  "multiples of 16",
                  size_bytes, to, from);
    return;
  }
  TileCta *source;
  if (!tile_emu_shared_pointer(warp, insn, lane, from, size_bytes, &source))
    return;
  if (source != warp->cta) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_CLUSTER,
                  "source 0x%x is not in the CTA's own shared memory", from);
    return;
  }
  TileRemoteWrite write = {.address = to,
                           .size_bytes = size_bytes,
                           .mbarrier =
                               (uint32_t)(barrier + (uint64_t)insn->imm),
                           .reduction = insn->as.tma.reduction,
                           .type = (TilePtxType)insn->type,
                           .is_async_proxy = true,
                           .what = "bulk copy "};
  TileAsyncOp *op = tile_emu_remote_create(warp, insn, lane, &write);
  if (!op)
    return;
  op->as.remote.source = source;
  op->as.remote.source_offset = from & TILE_SHARED_OFFSET_MASK;
  if (warp->cluster->detect_races) {
    uint16_t index = op->cta->shadow.mbarrier[op->as.remote.mbarrier / 8];
    const TileMbarrier *mbarrier = &op->cta->mbarriers[index - 1];
    note_op(source, op, mbarrier);
    TileShadowAccess access = tile_emu_access_async(
        warp, insn, lane, tile_epoch(mbarrier->agent, mbarrier->phase + 1),
        true, "bulk copy ");
    tile_emu_shadow_read(source, op->as.remote.source_offset, size_bytes,
                         &access);
  }
  tile_emu_async_issue(op);
}

static TileLanes bulk_copy(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    copy_one(warp, insn, l);
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static uint8_t decode_shared_reduction(TileDecoder *decoder, TilePtxType type) {
  static const char *const names[] = {"add", "min",  "max", "and", "or",
                                      "xor", "exch", "cas", "inc", "dec"};
  int op = tile_decode_choice(decoder, names, 10);
  bool is_32 = type == TILE_PTX_U32 || type == TILE_PTX_S32;
  bool is_legal = false;
  switch (op) {
  case TILE_ATOMIC_ADD:
    is_legal = is_32 || type == TILE_PTX_U64;
    break;
  case TILE_ATOMIC_MIN:
  case TILE_ATOMIC_MAX:
    is_legal = is_32;
    break;
  case TILE_ATOMIC_AND:
  case TILE_ATOMIC_OR:
  case TILE_ATOMIC_XOR:
    is_legal = type == TILE_PTX_B32;
    break;
  case TILE_ATOMIC_INC:
  case TILE_ATOMIC_DEC:
    is_legal = type == TILE_PTX_U32;
    break;
  default:
    break;
  }
  if (!is_legal)
    tile_decode_fail(decoder, "no such reduction in shared memory");
  return (uint8_t)(op + 1);
}

void tile_emu_decode_bulk_remote(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (insn->as.tma.is_tensor) {
    tile_decode_unsupported(decoder, "tensor copy between CTAs");
    return;
  }
  if (!tile_decode_count(decoder, 4, 5))
    return;
  TileDecodedAddress to = tile_decode_address_a(decoder, 0, TILE_SPACE_SHARED);
  TileDecodedAddress from =
      tile_decode_address(decoder, decoder->ops[1], TILE_SPACE_SHARED);
  TileDecodedAddress mbarrier =
      tile_decode_address(decoder, decoder->ops[3], TILE_SPACE_SHARED);
  insn->as.tma.wide_address = to.is_wide;
  insn->as.tma.wide_source = from.is_wide;
  insn->as.tma.wide_mbarrier = mbarrier.is_wide;
  insn->b = from.slot;
  insn->offset2 = from.offset;
  insn->c = tile_decode_src(decoder, 2, TILE_PTX_U32);
  insn->e = mbarrier.slot;
  insn->imm = mbarrier.offset;
  insn->type = (uint8_t)tile_decode_type(decoder, 0);
  if (tile_decode_has(decoder, "reduce"))
    insn->as.tma.reduction =
        decode_shared_reduction(decoder, (TilePtxType)insn->type);
  insn->exec = bulk_copy;
}

//===-- st.async, red.async -----------------------------------------------===//

// PTX ISA, "st.async", "red.async": a store or reduction to shared memory of
// the cluster that an mbarrier of the same CTA learns of.
//
// Instruction: a = destination, e + imm = mbarrier, vec = values.

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
static void decode_store_operands(TileDecoder *decoder) {
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
  decode_store_operands(decoder);
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
  decode_store_operands(decoder);
  decoder->insn->as.st_async.reduction =
      decode_shared_reduction(decoder, tile_decode_type(decoder, 0));
  if (decoder->insn->num_vec != 1)
    tile_decode_fail(decoder, "%u values where 1 is expected",
                     decoder->insn->num_vec);
}

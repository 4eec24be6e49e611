//===- CpAsync.c - cp.async and its groups --------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy",
// non-bulk form. One operation a warp instruction. The cp.async agent of a
// thread has one tick a batch; a batch ends at commit_group, wait_all or
// mbarrier.arrive.
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Sync/Sync.h"

//===-- cp.async ----------------------------------------------------------===//

/// Bytes of lane `l` that are copied; the others are zero.
static uint32_t source_bytes(TileWarp *warp, const TileInsn *insn, uint32_t l) {
  uint32_t size_bytes = insn->as.cp_async.size_bytes, source = size_bytes;
  if (insn->c != TILE_NO_SLOT)
    source = tile_u32(warp, insn->c)[l];
  if (insn->e != TILE_NO_SLOT && tile_lane_in(*tile_pred(warp, insn->e), l))
    source = 0;
  return source < size_bytes ? source : size_bytes;
}

static TileLanes cp_async(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  uint32_t size_bytes = insn->as.cp_async.size_bytes;
  TileAsyncOp *op =
      tile_emu_async_create(warp, insn, TILE_ASYNC_CP_ASYNC, TILE_WARP_SIZE);
  op->lanes = lanes;
  TILE_FOR_LANES (l, lanes) {
    uint32_t shared = (uint32_t)tile_address_of(
        warp, insn, insn->as.cp_async.wide_address, l);
    uint64_t global = tile_u64(warp, insn->b)[l] + (uint64_t)insn->offset2;
    uint32_t source = source_bytes(warp, insn, l);
    if (shared % size_bytes || (source && global % size_bytes)) {
      char name[300];
      tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_ALIGNMENT,
                    "copy of %u bytes to shared 0x%x from %s is not aligned",
                    size_bytes, shared,
                    tile_emu_address_name(warp, l, global, name));
      continue;
    }
    TileCta *cta;
    uint8_t *to =
        tile_emu_shared_pointer(warp, insn, l, shared, size_bytes, &cta);
    uint8_t *from =
        source ? tile_emu_global_pointer(warp, insn, l, global, source) : NULL;
    if (!to || (source && !from))
      continue;
    if (cta != warp->cta) {
      tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_BOUNDS_CLUSTER,
                    "destination 0x%x is not in the CTA's own shared memory",
                    shared);
      continue;
    }
    uint32_t offset = shared & TILE_SHARED_OFFSET_MASK;
    op->rows[l] = (TileAsyncRow){from, offset, size_bytes, 0, source};
    op->as.cp_async.groups[l] = warp->cp_async.num_groups[l];
    if (!cluster->detect_races)
      continue;
    uint32_t agent = cluster->clocks.first_cp_async + tile_warp_thread(warp, l);
    TileShadowAccess access = tile_emu_access_async(
        warp, insn, l, tile_epoch(agent, warp->cp_async.batch[l] + 1), false,
        "cp.async ");
    tile_emu_shadow_write(cta, offset, size_bytes, &access);
    if (source)
      tile_emu_global_check(warp, insn, l, from, source, access.epoch,
                            TILE_GLOBAL_READ);
  }
  tile_emu_async_issue(op);
  return 0;
}

//===-- Groups ------------------------------------------------------------===//

static TileLanes commit_group(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  (void)insn;
  TileCpAsyncState *state = &warp->cp_async;
  TILE_FOR_LANES (l, lanes) {
    uint32_t group = state->num_groups[l]++;
    state->group_batches[l][group % TILE_MAX_GROUPS] = state->batch[l]++;
  }
  return 0;
}

/// wait_group N: all but the last N groups. wait_all: everything.
static TileLanes wait_group(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  TileCpAsyncState *state = &warp->cp_async;
  TileLanes blocked = 0;
  TILE_FOR_LANES (l, lanes) {
    int64_t before = (int64_t)state->num_groups[l] - insn->imm;
    if (insn->as.wait.is_all)
      before = INT64_MAX;
    if (tile_emu_async_is_pending(warp, l, TILE_ASYNC_CP_ASYNC, before,
                                  false)) {
      tile_warp_wait(warp, l, TILE_WAIT_CP_ASYNC, 0, 0);
      blocked |= tile_lane_bit(l);
      continue;
    }
    warp->wait[l].kind = TILE_WAIT_NONE;
    uint32_t thread = tile_warp_thread(warp, l);
    uint32_t tick = 0;
    if (insn->as.wait.is_all)
      tick = ++state->batch[l];
    else if (before > 0)
      tick = 1 + state->group_batches[l][(before - 1) % TILE_MAX_GROUPS];
    if (tick && cluster->detect_races)
      tile_emu_clock_advance(&cluster->clocks, thread,
                             cluster->clocks.first_cp_async + thread, tick);
  }
  return blocked;
}

/// cp.async.mbarrier.arrive: arrives when the lane's earlier copies are done.
/// Without .noinc the phase expects one arrival more.
static TileLanes mbarrier_arrive(TileWarp *warp, const TileInsn *insn,
                                 TileLanes lanes) {
  TileAsyncOp *op =
      tile_emu_async_create(warp, insn, TILE_ASYNC_CP_ASYNC_ARRIVE, 0);
  op->lanes = 0;
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = (uint32_t)tile_address_of(
        warp, insn, insn->as.cp_async.wide_address, l);
    TileMbarrier *mbarrier = tile_emu_mbarrier_get(warp, insn, l, address);
    if (!mbarrier)
      continue;
    op->lanes |= tile_lane_bit(l);
    op->as.arrive.mbarriers[l] = address;
    op->as.arrive.batches[l] = warp->cp_async.batch[l]++;
    tile_emu_phase_begin(warp, l, mbarrier);
    if (!insn->as.cp_async.is_noinc)
      mbarrier->num_pending++;
  }
  tile_emu_async_issue(op);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_copy(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder,
                    "async ca cg shared shared::cta global L2::cache_hint "
                    "L2::64B L2::128B L2::256B");
  bool has_policy = tile_decode_has(decoder, "L2::cache_hint");
  if (!tile_decode_count_hinted(decoder, 3, 4))
    return;
  TileDecodedAddress to = tile_decode_address_a(decoder, 0, TILE_SPACE_SHARED);
  TileDecodedAddress from =
      tile_decode_address(decoder, decoder->ops[1], TILE_SPACE_GLOBAL);
  int64_t size_bytes = tile_decode_immediate(decoder, 2);
  if (size_bytes != 4 && size_bytes != 8 && size_bytes != 16)
    tile_decode_fail(decoder, "size is %lld, not 4, 8 or 16",
                     (long long)size_bytes);
  if (!from.is_wide)
    tile_decode_fail(decoder, "a global address has 64 bits");
  insn->as.cp_async.size_bytes = (uint8_t)size_bytes;
  insn->as.cp_async.wide_address = to.is_wide;
  insn->b = from.slot;
  insn->offset2 = from.offset;
  insn->c = insn->e = TILE_NO_SLOT;
  insn->exec = cp_async;
  if (decoder->num_ops < 4u + has_policy)
    return;
  bool negated;
  if (decoder->ops[3]->kind == TILE_OPERAND_PREDICATE) // ignore-src
    insn->e = tile_decode_pred_src(decoder, 3, &negated);
  else
    insn->c = tile_decode_src(decoder, 3, TILE_PTX_U32);
}

static void decode_mbarrier_arrive(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "async mbarrier arrive noinc shared shared::cta");
  if (!tile_decode_count(decoder, 1, 1))
    return;
  TileDecodedAddress address =
      tile_decode_address_a(decoder, 0, TILE_SPACE_SHARED);
  insn->as.cp_async.wide_address = address.is_wide;
  insn->as.cp_async.is_noinc = tile_decode_has(decoder, "noinc");
  insn->exec = mbarrier_arrive;
}

void tile_emu_decode_cp_async(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  const char *opcode = decoder->opcode;
  decoder->parser->kernel->has_cp_async = true;
  if (!strcmp(opcode, "cp.async.commit_group"))
    insn->exec = commit_group;
  else if (!strcmp(opcode, "cp.async.wait_group")) {
    insn->imm = tile_decode_immediate(decoder, 0);
    insn->exec = wait_group;
  } else if (!strcmp(opcode, "cp.async.wait_all")) {
    insn->as.wait.is_all = true;
    insn->exec = wait_group;
  } else if (!strncmp(opcode, "cp.async.mbarrier.arrive", 24))
    decode_mbarrier_arrive(decoder);
  else if (!strncmp(opcode, "cp.async.c", 10))
    decode_copy(decoder);
  else
    tile_decode_unsupported(decoder, "form of cp");
}

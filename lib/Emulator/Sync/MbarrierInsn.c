//===- MbarrierInsn.c - mbarrier instructions -----------------------------===//
//
// PTX ISA, "mbarrier.init" and following.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Async/Dsmem.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"
#include "Sync.h"

enum { MAX_COUNT = (1 << 20) - 1 };
/// Of a state token; the low half is the phase.
#define TOKEN_MAGIC 0x6d620000u

static uint32_t address_of(TileWarp *warp, const TileInsn *insn,
                           uint32_t lane) {
  return (uint32_t)tile_address_of(warp, insn, insn->as.mbarrier.wide_address,
                                   lane);
}

//===-- init, inval -------------------------------------------------------===//

/// The mbarrier record for this place, new or old; NULL without a report when
/// a CTA has too many.
static TileMbarrier *record_at(TileCta *cta, uint32_t offset) {
  uint16_t *index = &cta->shadow.mbarrier[offset / 8];
  if (!*index) {
    if (cta->num_mbarriers == TILE_MAX_MBARRIERS)
      return NULL;
    *index = (uint16_t)++cta->num_mbarriers;
    cta->mbarriers[*index - 1] = (TileMbarrier){.offset = offset};
    cta->shadow.chunks[offset / 16].has_mbarrier = true;
  }
  return &cta->mbarriers[*index - 1];
}

static void init_record(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                        TileCta *cta, TileMbarrier *mbarrier, uint32_t count) {
  TileCluster *cluster = warp->cluster;
  uint32_t thread = tile_warp_thread(warp, lane);
  if (!mbarrier->agent) {
    mbarrier->agent =
        cluster->clocks.first_mbarrier + cluster->num_mbarrier_agents;
    if (mbarrier->agent + 1 < cluster->clocks.num_agents)
      cluster->num_mbarrier_agents++; // the last one is shared by the rest
  }
  // An even phase number: parities begin at 0 and epochs stay different.
  if (mbarrier->was_used)
    mbarrier->phase = (mbarrier->phase + 2) & ~1u;
  mbarrier->is_live = false; // this write is not a write to a live mbarrier
  mbarrier->was_used = false;
  mbarrier->num_expected = mbarrier->num_pending = (int32_t)count;
  mbarrier->tx_bytes = 0;
  mbarrier->init_epoch =
      cluster->detect_races
          ? tile_epoch(thread, cluster->clocks.threads[thread].tick)
          : 0;
  if (cluster->detect_races) {
    TileAccess access = tile_emu_access_thread(warp, insn, lane);
    tile_emu_shadow_write(cta, mbarrier->offset, 8, &access);
  }
  mbarrier->is_live = true;
  tile_emu_phase_reset(mbarrier);
  mbarrier->init_insn = insn;
  tile_emu_mbarrier_note(mbarrier, TILE_EVENT_INIT, insn, thread, count);
  memset(cta->smem + mbarrier->offset, 0xB7, 8); // opaque
  tile_cluster_wake(cluster);
}

static TileLanes init(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = address_of(warp, insn, l);
    uint32_t count = tile_u32(warp, insn->b)[l];
    TileLanes lane = tile_lane_bit(l);
    TileCta *cta;
    if (address % 8)
      tile_emu_find(warp, insn, lane, TILE_FINDING_ALIGNMENT,
                    "mbarrier address 0x%x is not 8-byte aligned", address);
    if (address % 8 ||
        !tile_emu_shared_pointer(warp, insn, l, address, 8, &cta))
      continue;
    if (count == 0 || count > MAX_COUNT)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                    "mbarrier.init with count %u, not in [1, 2^20 - 1]", count);
    TileMbarrier *mbarrier = record_at(cta, address & TILE_SHARED_OFFSET_MASK);
    if (!mbarrier) {
      tile_emu_find(warp, insn, lane, TILE_FINDING_UNSUPPORTED,
                    "more than %d mbarriers in a CTA", TILE_MAX_MBARRIERS);
      continue;
    }
    if (mbarrier->is_live && mbarrier->was_used)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_REINIT,
                    "mbarrier at shared 0x%x is initialised again while it is "
                    "in use",
                    mbarrier->offset);
    init_record(warp, insn, l, cta, mbarrier, count & MAX_COUNT);
  }
  return 0;
}

static TileLanes inval(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    TileMbarrier *mbarrier =
        tile_emu_mbarrier_get(warp, insn, l, address_of(warp, insn, l));
    if (mbarrier)
      mbarrier->is_live = false;
  }
  return 0;
}

//===-- arrive, expect_tx, complete_tx ------------------------------------===//

typedef enum {
  ARRIVE,
  ARRIVE_EXPECT_TX,
  ARRIVE_DROP,
  ARRIVE_DROP_EXPECT_TX,
  EXPECT_TX,
  COMPLETE_TX
} ArriveOp;

static void arrive_one(const TileMbarrierUser *user, TileMbarrier *mbarrier,
                       uint32_t value) {
  const TileInsn *insn = user->insn;
  // A fence before a relaxed arrive makes it a release.
  bool releases = !insn->as.mbarrier.is_relaxed ||
                  tile_lane_in(user->warp->fenced, user->lane);
  ArriveOp op = (ArriveOp)insn->as.mbarrier.op;
  if (!releases || op == EXPECT_TX || op == COMPLETE_TX)
    tile_emu_phase_begin(user->warp, user->lane, mbarrier);
  switch (op) {
  case ARRIVE:
    tile_emu_mbarrier_arrive(user, mbarrier, value, releases, false);
    break;
  case ARRIVE_DROP:
    tile_emu_mbarrier_arrive(user, mbarrier, value, releases, true);
    break;
  case ARRIVE_EXPECT_TX:
    tile_emu_mbarrier_expect_tx(user, mbarrier, value);
    tile_emu_mbarrier_arrive(user, mbarrier, 1, releases, false);
    break;
  case ARRIVE_DROP_EXPECT_TX:
    tile_emu_mbarrier_expect_tx(user, mbarrier, value);
    tile_emu_mbarrier_arrive(user, mbarrier, 1, releases, true);
    break;
  case EXPECT_TX:
    tile_emu_mbarrier_expect_tx(user, mbarrier, value);
    break;
  case COMPLETE_TX:
    tile_emu_mbarrier_complete_tx(user, mbarrier, value);
    break;
  }
}

/// The CTA of the mbarrier can only know of arrivals that release.
static void note_remote(const TileMbarrierUser *user, uint32_t address) {
  TileWarp *warp = user->warp;
  uint32_t rank = address >> TILE_SHARED_RANK_SHIFT;
  if (rank != warp->cta->rank && !user->insn->as.mbarrier.is_relaxed)
    tile_emu_dsmem_note(warp, user->insn, user->lane,
                        &warp->cluster->ctas[rank]);
}

static TileLanes arrive(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    TileMbarrier *mbarrier =
        tile_emu_mbarrier_get(warp, insn, l, address_of(warp, insn, l));
    if (!mbarrier)
      continue;
    if (insn->dst != TILE_NO_SLOT)
      tile_u64(warp, insn->dst)[l] =
          (uint64_t)TOKEN_MAGIC << 32 | mbarrier->phase;
    uint32_t value =
        insn->as.mbarrier.has_count ? tile_u32(warp, insn->b)[l] : 1;
    TileMbarrierUser user = {warp, insn, l};
    note_remote(&user, address_of(warp, insn, l));
    arrive_one(&user, mbarrier, value);
  }
  return 0;
}

//===-- test_wait, try_wait -----------------------------------------------===//

/// Has the phase that lane `l` waits for completed?
static bool is_complete(TileWarp *warp, const TileInsn *insn, uint32_t l,
                        const TileMbarrier *mbarrier) {
  TileLanes lane = tile_lane_bit(l);
  if (!insn->as.mbarrier.is_parity) {
    uint64_t token = tile_u64(warp, insn->b)[l];
    if (token >> 32 != TOKEN_MAGIC)
      tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                    "the state operand does not come from an arrive");
    return (uint32_t)token != mbarrier->phase;
  }
  uint32_t parity = tile_u32(warp, insn->b)[l];
  if (parity > 1)
    tile_emu_find(warp, insn, lane, TILE_FINDING_MBARRIER_OPERAND,
                  "phase parity is %u, not 0 or 1", parity);
  return (mbarrier->phase & 1) != (parity & 1);
}

/// May return false although the phase is complete soon; so real hardware
/// does, and code must be ready for it.
static bool gives_up(TileWarp *warp, uint32_t l) {
  TileLanes lane = tile_lane_bit(l);
  if (warp->timed_out & lane) {
    warp->timed_out &= ~lane;
    return true;
  }
  bool is_first_try = warp->wait[l].kind != TILE_WAIT_MBARRIER;
  if (is_first_try && warp->num_false_polls[l] < 3 &&
      tile_cluster_random(warp->cluster) % 4 == 0) {
    warp->num_false_polls[l]++;
    return true;
  }
  return false;
}

static TileLanes wait(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  TileLanes blocked = 0, result = 0;
  TILE_FOR_LANES (l, lanes) {
    uint32_t address = address_of(warp, insn, l);
    TileMbarrier *mbarrier = tile_emu_mbarrier_get(warp, insn, l, address);
    if (!mbarrier) {
      result |= tile_lane_bit(l);
      continue;
    }
    if (is_complete(warp, insn, l, mbarrier)) {
      warp->wait[l].kind = TILE_WAIT_NONE;
      result |= tile_lane_bit(l);
      tile_emu_phase_wait(warp, insn, l, mbarrier, true);
      if (cluster->detect_races)
        tile_emu_sync_acquire(&cluster->clocks, tile_warp_thread(warp, l),
                              &mbarrier->sync);
      continue;
    }
    if (gives_up(warp, l)) {
      warp->wait[l].kind = TILE_WAIT_NONE;
      continue;
    }
    tile_emu_phase_wait(warp, insn, l, mbarrier, false);
    uint32_t parity =
        insn->as.mbarrier.is_parity ? tile_u32(warp, insn->b)[l] & 1 : 2;
    warp->num_false_polls[l] = 0;
    tile_warp_wait(warp, l, TILE_WAIT_MBARRIER, address, parity);
    blocked |= tile_lane_bit(l);
  }
  tile_pred_write(warp, insn->dst, lanes & ~blocked, result);
  return blocked;
}

/// Arrivals pending in the phase of a state token: only known for the current
/// phase of one mbarrier, so 0.
static TileLanes pending_count(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = 0);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_address(TileDecoder *decoder, uint32_t index) {
  TileDecodedAddress address =
      tile_decode_address_a(decoder, index, TILE_SPACE_SHARED);
  decoder->insn->as.mbarrier.wide_address = address.is_wide;
}

static ArriveOp arrive_op(const TileDecoder *decoder) {
  bool has_tx = tile_decode_has(decoder, "expect_tx");
  const char *word = decoder->words[1];
  if (!strcmp(word, "arrive"))
    return has_tx ? ARRIVE_EXPECT_TX : ARRIVE;
  if (!strcmp(word, "arrive_drop"))
    return has_tx ? ARRIVE_DROP_EXPECT_TX : ARRIVE_DROP;
  return !strcmp(word, "expect_tx") ? EXPECT_TX : COMPLETE_TX;
}

/// (state,) [address] (, count or bytes)
static void decode_arrive(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (!tile_decode_count(decoder, 1, 3))
    return;
  uint32_t at = decoder->ops[0]->kind == TILE_OPERAND_ADDRESS ? 0 : 1;
  insn->dst = TILE_NO_SLOT;
  if (at && decoder->ops[0]->kind != TILE_OPERAND_SINK)
    insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  decode_address(decoder, at);
  insn->as.mbarrier.op = (uint8_t)arrive_op(decoder);
  insn->as.mbarrier.is_relaxed = tile_decode_has(decoder, "relaxed");
  insn->as.mbarrier.has_count = decoder->num_ops > at + 1;
  if (insn->as.mbarrier.has_count)
    insn->b = tile_decode_src(decoder, at + 1, TILE_PTX_U32);
  else if (insn->as.mbarrier.op != ARRIVE &&
           insn->as.mbarrier.op != ARRIVE_DROP)
    tile_decode_fail(decoder, "the number of bytes is missing");
  insn->exec = arrive;
}

/// predicate, [address], parity or state (, time limit)
static void decode_wait(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  if (!tile_decode_count(decoder, 3, 4))
    return;
  insn->as.mbarrier.is_parity = tile_decode_has(decoder, "parity");
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  decode_address(decoder, 1);
  insn->b = tile_decode_src(
      decoder, 2, insn->as.mbarrier.is_parity ? TILE_PTX_U32 : TILE_PTX_B64);
  insn->exec = wait;
}

static void decode_init(TileDecoder *decoder) {
  if (!tile_decode_count(decoder, 2, 2))
    return;
  decode_address(decoder, 0);
  decoder->insn->b = tile_decode_src(decoder, 1, TILE_PTX_U32);
  decoder->insn->exec = init;
}

static void decode_inval(TileDecoder *decoder) {
  decode_address(decoder, 0);
  decoder->insn->exec = inval;
}

static void decode_pending_count(TileDecoder *decoder) {
  if (!tile_decode_count(decoder, 2, 2))
    return;
  decoder->insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_U32);
  decoder->insn->exec = pending_count;
}

void tile_emu_decode_mbarrier(TileDecoder *decoder) {
  static const struct {
    const char *word;
    TileDecode decode;
  } forms[] = {
      {"init", decode_init},
      {"inval", decode_inval},
      {"arrive", decode_arrive},
      {"arrive_drop", decode_arrive},
      {"expect_tx", decode_arrive},
      {"complete_tx", decode_arrive},
      {"test_wait", decode_wait},
      {"try_wait", decode_wait},
      {"pending_count", decode_pending_count},
  };
  tile_decode_allow(
      decoder, "init inval arrive arrive_drop expect_tx complete_tx test_wait "
               "try_wait pending_count parity noComplete relaxed release "
               "acquire cta cluster shared shared::cta shared::cluster");
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (decoder->num_words > 1 && !strcmp(decoder->words[1], forms[i].word)) {
      forms[i].decode(decoder);
      return;
    }
  tile_decode_unsupported(decoder, "form of mbarrier");
}

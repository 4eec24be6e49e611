//===- ClusterCancel.c - clusterlaunchcontrol -----------------------------===//
//
// PTX ISA, "clusterlaunchcontrol.try_cancel", "…query_cancel": a cluster takes
// the work of one that has not been launched. Clusters are launched in the
// order of the grid, and a request takes the next one. Now and then it fails
// although there is one, as when the device is wanted for something else; that
// one is launched later.
//
// A kernel with such requests runs in one host thread, so that the seed alone
// decides who takes what. A request is decided when it is issued; when the
// response arrives is up to AsyncEngine.c.
//
// try_cancel: a = response, e + imm = mbarrier. query_cancel: a = response,
// dst or vec = results, imm = what is asked.
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Schedule/Schedule.h"

/// The 16 bytes of a response. y and z of a CTA have 16 bits.
typedef struct {
  uint32_t x, yz, status, check;
} Response;

enum { RESPONSE_BYTES = 16 };
#define STATUS_CANCELED 0x636c6301u
#define STATUS_FAILED 0x636c6300u

/// Differs in all words from memory that nobody wrote.
static uint32_t response_check(const Response *response) {
  return (response->x ^ response->yz * 0x9E3779B9u ^ response->status) +
         0x51ed270bu;
}

//===-- try_cancel --------------------------------------------------------===//

/// Takes the next cluster from the grid, or none.
static Response take_cluster(TileCluster *cluster) {
  enum { FAILURE_PERIOD = 8 };
  TileRun *run = cluster->run;
  bool may_fail = run->emu->options.schedule != TILE_EMU_SCHEDULE_EAGER;
  bool fails = may_fail && tile_cluster_random(cluster) % FAILURE_PERIOD == 0;
  Response response = {.status = STATUS_FAILED};
  if (!fails && run->next_cluster < run->total_clusters) {
    uint32_t id = run->next_cluster++;
    const uint32_t *count = run->num_clusters;
    uint32_t y = id / count[0] % count[1] * run->cluster[1];
    uint32_t z = id / count[0] / count[1] * run->cluster[2];
    response.x = id % count[0] * run->cluster[0];
    response.yz = y | z << 16;
    response.status = STATUS_CANCELED;
    tile_emu_results_skip(run->results, id);
  }
  response.check = response_check(&response);
  return response;
}

/// A 32-bit shared address of the executing CTA; false after a report.
static bool own_address(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                        uint64_t address, const char *what) {
  bool is_generic = insn->space == TILE_SPACE_GENERIC && address >> 32;
  uint32_t shared = (uint32_t)address;
  bool is_shared = !is_generic || tile_address_is_shared(address);
  if (is_shared && shared >> TILE_SHARED_RANK_SHIFT == warp->cta->rank)
    return true;
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_BOUNDS_CLUSTER,
                "%s 0x%llx is not in the CTA's own shared memory", what,
                (unsigned long long)address);
  return false;
}

static void try_cancel_one(TileWarp *warp, const TileInsn *insn,
                           uint32_t lane) {
  TileCluster *cluster = warp->cluster;
  uint64_t address =
      tile_address_of(warp, insn, insn->as.tma.wide_address, lane);
  uint64_t barrier =
      (insn->as.tma.wide_mbarrier ? tile_u64(warp, insn->e)[lane]
                                  : tile_u32(warp, insn->e)[lane]) +
      (uint64_t)insn->imm;
  if (warp->cta->has_seen_failed_cancel)
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_CLUSTER_CANCEL,
                  "this CTA has already seen that a request failed");
  if (address % RESPONSE_BYTES) {
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_ALIGNMENT,
                  "response address 0x%llx is not 16-byte aligned",
                  (unsigned long long)address);
    return;
  }
  if (!own_address(warp, insn, lane, address, "response") ||
      !own_address(warp, insn, lane, barrier, "mbarrier"))
    return;
  uint32_t first = warp->cta->rank, end = first + 1;
  if (insn->as.tma.is_multicast) {
    first = 0;
    end = cluster->num_ctas;
  }
  Response response = take_cluster(cluster);
  for (uint32_t rank = first; rank < end; rank++) {
    uint32_t place = rank << TILE_SHARED_RANK_SHIFT;
    TileRemoteWrite write = {
        .address = place | ((uint32_t)address & TILE_SHARED_OFFSET_MASK),
        .size_bytes = RESPONSE_BYTES,
        .mbarrier = place | ((uint32_t)barrier & TILE_SHARED_OFFSET_MASK),
        .is_async_proxy = true,
        .what = "try_cancel "};
    TileAsyncOp *op = tile_emu_remote_create(warp, insn, lane, &write);
    if (!op)
      continue;
    memcpy(op->as.remote.value, &response, sizeof response);
    tile_emu_async_issue(op);
  }
}

static TileLanes try_cancel(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    try_cancel_one(warp, insn, l);
  }
  return 0;
}

//===-- query_cancel ------------------------------------------------------===//

/// The response that `lane` holds; a failed one after a report.
static Response read_response(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane) {
  Response response;
  uint64_t words[2];
  tile_u128_copy(words, 0, tile_u64(warp, insn->a), lane);
  memcpy(&response, words, sizeof response);
  bool is_known =
      response.status == STATUS_CANCELED || response.status == STATUS_FAILED;
  if (is_known && response.check == response_check(&response))
    return response;
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_CLUSTER_CANCEL,
                "0x%016llx%016llx is not a response of try_cancel",
                (unsigned long long)words[1], (unsigned long long)words[0]);
  return (Response){0};
}

static TileLanes is_canceled(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  TileLanes result = 0;
  TILE_FOR_LANES (l, lanes) {
    Response response = read_response(warp, insn, l);
    if (response.status == STATUS_CANCELED)
      result |= tile_lane_bit(l);
    else if (response.status == STATUS_FAILED)
      warp->cta->has_seen_failed_cancel = true;
  }
  tile_pred_write(warp, insn->dst, lanes, result);
  return 0;
}

static TileLanes get_first_ctaid(TileWarp *warp, const TileInsn *insn,
                                 TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    Response response = read_response(warp, insn, l);
    if (response.status == STATUS_FAILED)
      tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_CLUSTER_CANCEL,
                    "the request failed, so that there is no CTA");
    // The fourth element has no meaning.
    uint32_t ctaid[4] = {response.x, response.yz & 0xffff, response.yz >> 16,
                         UINT32_MAX};
    for (uint32_t i = 0; i < insn->num_vec; i++)
      if (insn->vec[i] != TILE_NO_SLOT)
        tile_u32(warp, insn->vec[i])[l] = ctaid[insn->imm + i];
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_try_cancel(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "try_cancel async shared::cta "
                             "mbarrier::complete_tx::bytes "
                             "multicast::cluster::all");
  if (decoder->unsupported_reason || !tile_decode_count(decoder, 2, 2))
    return;
  if (!tile_decode_has(decoder, "async") ||
      !tile_decode_has(decoder, "mbarrier::complete_tx::bytes") ||
      tile_decode_type(decoder, 0) != TILE_PTX_B128) {
    tile_decode_fail(decoder, "try_cancel needs .async, "
                              ".mbarrier::complete_tx::bytes and .b128");
    return;
  }
  TilePtxSpace space = tile_decode_has(decoder, "shared::cta")
                           ? TILE_SPACE_SHARED
                           : TILE_SPACE_GENERIC;
  TileDecodedAddress to = tile_decode_address_a(decoder, 0, space);
  TileDecodedAddress mbarrier =
      tile_decode_address(decoder, decoder->ops[1], space);
  insn->space = (uint8_t)space;
  insn->e = mbarrier.slot;
  insn->imm = mbarrier.offset;
  insn->as.tma.wide_address = to.is_wide;
  insn->as.tma.wide_mbarrier = mbarrier.is_wide;
  insn->as.tma.is_multicast =
      tile_decode_has(decoder, "multicast::cluster::all");
  insn->exec = try_cancel;
  decoder->parser->kernel->has_try_cancel = true;
}

static bool types_are(const TileDecoder *decoder, TilePtxType result) {
  return decoder->num_types == 2 && decoder->types[0] == result &&
         decoder->types[1] == TILE_PTX_B128;
}

static void decode_get_first_ctaid(TileDecoder *decoder, int axis) {
  TileInsn *insn = decoder->insn;
  uint32_t count = axis < 0 ? 4 : 1;
  TileSlotList list = {0};
  tile_decode_list_add(decoder, &list, decoder->ops[0], TILE_PTX_B32, true);
  tile_decode_list_finish(decoder, &list);
  if (!types_are(decoder, TILE_PTX_B32) || insn->num_vec != count ||
      tile_decode_has(decoder, "v4") != (axis < 0))
    tile_decode_fail(decoder, "get_first_ctaid is .v4.b32.b128 with four "
                              "results, or ::x, ::y or ::z .b32.b128 with one");
  insn->imm = axis < 0 ? 0 : axis;
  insn->exec = get_first_ctaid;
}

static void decode_query_cancel(TileDecoder *decoder) {
  static const char *const axes[] = {"get_first_ctaid::x", "get_first_ctaid::y",
                                     "get_first_ctaid::z"};
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "query_cancel is_canceled get_first_ctaid "
                             "get_first_ctaid::x get_first_ctaid::y "
                             "get_first_ctaid::z v4");
  if (decoder->unsupported_reason || !tile_decode_count(decoder, 2, 2))
    return;
  int axis = tile_decode_choice(decoder, axes, 3);
  if (axis >= 0 || tile_decode_has(decoder, "get_first_ctaid"))
    decode_get_first_ctaid(decoder, axis);
  else if (tile_decode_has(decoder, "is_canceled") &&
           types_are(decoder, TILE_PTX_PRED)) {
    insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
    insn->exec = is_canceled;
  } else
    tile_decode_fail(decoder, "query_cancel asks for .is_canceled.pred.b128 or "
                              ".get_first_ctaid");
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_B128);
}

void tile_emu_decode_cluster_launch_control(TileDecoder *decoder) {
  enum { FIRST_TARGET = 100 };
  if (decoder->parser->target < FIRST_TARGET)
    tile_decode_unsupported(decoder, "needs sm_100 or later as .target");
  else if (tile_decode_has(decoder, "query_cancel"))
    decode_query_cancel(decoder);
  else
    decode_try_cancel(decoder);
}

//===- Barrier.c - barrier, barrier.cluster and bar.warp.sync -------------===//
//
// PTX ISA, "barrier{.cta}", "bar.warp.sync". The 16 named barriers of a CTA.
// An aligned barrier counts whole warps, others count threads. Without a
// thread count a barrier waits for all threads that have not exited.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Ptx/Decode.h"
#include "Sync.h"

//===-- barrier and bar.warp.sync -----------------------------------------===//

typedef enum { SYNC, ARRIVE, RED_POPC, RED_AND, RED_OR } BarrierOp;

//===-- Completion --------------------------------------------------------===//

/// Threads that a barrier without a count waits for, less those that exited.
static uint32_t threads_left(const TileCta *cta, bool is_aligned) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < cta->num_warps; i++)
    if (cta->warps[i].live)
      count +=
          is_aligned ? TILE_WARP_SIZE : tile_lane_count(cta->warps[i].live);
  return count;
}

static void barrier_complete(TileCta *cta, TileBarrier *barrier) {
  TileCluster *cluster = cta->cluster;
  barrier->phase++;
  barrier->num_arrived = 0;
  barrier->published_value = barrier->value;
  if (cluster->detect_races)
    tile_emu_sync_publish(&cluster->clocks, &barrier->sync);
  tile_cluster_wake(cluster);
}

void tile_emu_barrier_recheck(TileCta *cta) {
  for (uint32_t i = 0; i < TILE_NUM_BARRIERS; i++) {
    TileBarrier *barrier = &cta->barriers[i];
    if (!barrier->num_arrived || barrier->num_expected ||
        barrier->num_arrived < threads_left(cta, barrier->is_aligned))
      continue;
    barrier_complete(cta, barrier);
    tile_emu_find(&cta->warps[0], NULL, 0, TILE_FINDING_EXIT_PEDANTIC,
                  "barrier %u was completed by warps that exited without "
                  "arriving",
                  i);
  }
}

//===-- bar.sync, bar.arrive, bar.red -------------------------------------===//

static void reduce(TileBarrier *barrier, BarrierOp op, TileLanes arriving,
                   TileLanes predicate) {
  TileLanes set = predicate & arriving;
  if (op == RED_POPC)
    barrier->value += tile_lane_count(set);
  else if (op == RED_AND)
    barrier->value &= set == arriving;
  else
    barrier->value |= set != 0;
}

/// Arrival of lanes that give the same number and count; true when it completes
/// the phase.
static bool barrier_arrive(TileWarp *warp, const TileInsn *insn,
                           TileLanes arriving, uint32_t id, uint32_t count) {
  TileCluster *cluster = warp->cluster;
  TileBarrier *barrier = &warp->cta->barriers[id];
  BarrierOp op = (BarrierOp)insn->as.barrier.op;
  bool is_aligned = insn->as.barrier.is_aligned;
  if (count % TILE_WARP_SIZE)
    tile_emu_find(warp, insn, arriving, TILE_FINDING_BARRIER,
                  "thread count %u of barrier %u is not a multiple of the warp "
                  "size",
                  count, id);
  if (barrier->num_arrived && barrier->num_expected != count)
    tile_emu_find(warp, insn, arriving, TILE_FINDING_BARRIER,
                  "barrier %u has the thread count %u here, but %u for warp %u "
                  "at ptx:%u, which waits for it (0: all threads)",
                  id, count, barrier->num_expected, barrier->first_warp,
                  barrier->first_insn->line);
  if (!barrier->num_arrived) {
    barrier->value = op == RED_AND;
    barrier->first_insn = insn;
    barrier->first_warp = warp->index;
  }
  barrier->num_expected = count;
  barrier->is_aligned = is_aligned;
  if (op >= RED_POPC) {
    TileLanes predicate = *tile_pred(warp, insn->c);
    reduce(barrier, op, arriving,
           insn->as.barrier.negated ? ~predicate : predicate);
  }
  if (cluster->detect_races) {
    tile_clocks_end_loads(&cluster->clocks, warp->first_thread, arriving);
    TILE_FOR_LANES (l, arriving) {
      tile_emu_sync_release(&cluster->clocks, tile_warp_thread(warp, l),
                            &barrier->sync);
    }
  }
  barrier->num_arrived +=
      is_aligned ? TILE_WARP_SIZE : tile_lane_count(arriving);
  tile_cluster_wake(cluster);
  uint32_t needed = count ? count : threads_left(warp->cta, is_aligned);
  if (barrier->num_arrived < needed)
    return false;
  if (barrier->num_arrived > needed)
    tile_emu_find(warp, insn, arriving, TILE_FINDING_BARRIER,
                  "%u threads arrived at barrier %u, which counts %u",
                  barrier->num_arrived, id, needed);
  barrier_complete(warp->cta, barrier);
  return true;
}

static void barrier_pass(TileWarp *warp, TileLanes lanes,
                         const TileBarrier *barrier) {
  TileCluster *cluster = warp->cluster;
  TILE_FOR_LANES (l, lanes) {
    warp->wait[l].kind = TILE_WAIT_NONE;
    if (cluster->detect_races)
      tile_emu_sync_acquire(&cluster->clocks, tile_warp_thread(warp, l),
                            &barrier->sync);
  }
}

static void write_result(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                         uint32_t value) {
  if (insn->as.barrier.op == RED_POPC) {
    uint32_t *d = tile_u32(warp, insn->dst);
    TILE_VECTOR(lanes, d[l] = value);
  } else
    tile_pred_write(warp, insn->dst, lanes, value ? TILE_ALL_LANES : 0);
}

/// Lanes that give the barrier the same thread count arrive together. Returns
/// those that find its phase complete.
static TileLanes arrive_by_count(TileWarp *warp, const TileInsn *insn,
                                 TileLanes arriving, uint32_t id) {
  const TileBarrier *barrier = &warp->cta->barriers[id];
  bool has_count = insn->as.barrier.has_count;
  TileLanes passing = 0, same;
  for (TileLanes left = arriving; left; left &= ~same) {
    same = has_count && !insn->as.barrier.is_aligned
               ? tile_lanes_alike(warp, insn->b, left)
               : left;
    uint32_t count =
        has_count ? tile_u32(warp, insn->b)[tile_lane_first(same)] : 0;
    uint32_t phase = barrier->phase;
    bool is_complete = barrier_arrive(warp, insn, same, id, count);
    if (insn->as.barrier.op == ARRIVE)
      tile_warp_go(warp, same);
    else
      TILE_FOR_LANES (l, same) {
        tile_warp_wait(warp, l, TILE_WAIT_BARRIER, id, phase);
      }
    if (is_complete)
      passing |= same;
  }
  return passing;
}

/// `lanes` give the number `id`; returns those to block.
static TileLanes bar_one(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                         uint32_t id) {
  if (id >= TILE_NUM_BARRIERS) {
    tile_emu_find(warp, insn, lanes, TILE_FINDING_BARRIER,
                  "barrier number %u, not in [0, 15]", id);
    return 0;
  }
  const TileBarrier *barrier = &warp->cta->barriers[id];
  TileLanes arriving = 0, passing = 0;
  TILE_FOR_LANES (l, lanes) {
    if (warp->wait[l].kind != TILE_WAIT_BARRIER)
      arriving |= tile_lane_bit(l);
    else if (warp->wait[l].phase != barrier->phase)
      passing |= tile_lane_bit(l);
  }
  if (arriving) {
    TileLanes complete = arrive_by_count(warp, insn, arriving, id);
    if (insn->as.barrier.op == ARRIVE)
      return 0;
    passing |= complete;
  }
  barrier_pass(warp, passing, barrier);
  if (insn->as.barrier.op >= RED_POPC)
    write_result(warp, insn, passing, barrier->published_value);
  return lanes & ~passing;
}

/// Aligned barriers count warps: all lanes give the same operands.
static void check_aligned(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TileLanes same = tile_lanes_alike(warp, insn->a, lanes);
  if (insn->as.barrier.has_count)
    same &= tile_lanes_alike(warp, insn->b, lanes);
  if (same != lanes)
    tile_emu_find(warp, insn, lanes & ~same, TILE_FINDING_BARRIER,
                  "lanes of a warp give an aligned barrier different operands; "
                  "barrier.sync without .aligned allows that");
}

static TileLanes bar(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  const uint32_t *ids = tile_u32(warp, insn->a);
  if (insn->as.barrier.is_aligned) {
    TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
    if (blocked)
      return blocked;
    check_aligned(warp, insn, lanes);
    return bar_one(warp, insn, lanes, ids[tile_lane_first(lanes)]);
  }
  TileLanes blocked = 0, same;
  for (TileLanes left = lanes; left; left &= ~same) {
    same = tile_lanes_alike(warp, insn->a, left);
    blocked |= bar_one(warp, insn, same, ids[tile_lane_first(same)]);
  }
  return blocked;
}

/// barrier.red: result, id (, count), predicate. Others: id (, count).
void tile_emu_decode_bar(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_red = tile_decode_has(decoder, "red");
  uint32_t at = is_red ? 1 : 0;
  tile_decode_allow(decoder, "cta sync arrive red popc and or aligned");
  uint32_t extra = is_red ? 2 : 0; // result and predicate
  if (!tile_decode_count(decoder, 1 + extra, 2 + extra))
    return;
  bool is_bar = !strcmp(decoder->words[0], "bar");
  insn->as.barrier.is_aligned = is_bar || tile_decode_has(decoder, "aligned");
  insn->as.barrier.op = tile_decode_has(decoder, "arrive") ? ARRIVE : SYNC;
  if (is_red) {
    insn->as.barrier.op = tile_decode_has(decoder, "popc")  ? RED_POPC
                          : tile_decode_has(decoder, "and") ? RED_AND
                                                            : RED_OR;
    insn->dst = tile_decode_dst(
        decoder, 0,
        insn->as.barrier.op == RED_POPC ? TILE_PTX_U32 : TILE_PTX_PRED);
    insn->c = tile_decode_pred_src(decoder, decoder->num_ops - 1,
                                   &insn->as.barrier.negated);
  }
  insn->a = tile_decode_src(decoder, at, TILE_PTX_U32);
  insn->as.barrier.has_count = decoder->num_ops > 1 + extra;
  if (insn->as.barrier.has_count)
    insn->b = tile_decode_src(decoder, at + 1, TILE_PTX_U32);
  insn->exec = bar;
}

//===-- bar.warp.sync -----------------------------------------------------===//

static TileLanes bar_warp(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  TileLanes blocked = 0, same;
  for (TileLanes left = lanes; left; left &= ~same) {
    same = tile_lanes_alike(warp, insn->a, left);
    TileLanes members = tile_u32(warp, insn->a)[tile_lane_first(same)];
    TileLanes waits = tile_warp_converge(warp, same, members & warp->live);
    blocked |= waits;
    if (waits)
      continue;
    tile_warp_go(warp, same);
    if (warp->cluster->detect_races)
      tile_emu_clock_join_lanes(&warp->cluster->clocks, warp->first_thread,
                                same & members);
  }
  return blocked;
}

void tile_emu_decode_bar_warp(TileDecoder *decoder) {
  if (!tile_decode_count(decoder, 1, 1))
    return;
  decoder->insn->a = tile_decode_src(decoder, 0, TILE_PTX_U32);
  decoder->insn->exec = bar_warp;
}

//===-- barrier.cluster ---------------------------------------------------===//

// PTX ISA, "barrier.cluster". One barrier for all threads of the cluster that
// have not exited; arrive and wait are separate instructions.

static void complete_if_all_arrived(TileCluster *cluster) {
  TileClusterBarrier *barrier = &cluster->barrier;
  if (!barrier->num_arrived || barrier->num_arrived < cluster->num_live_threads)
    return;
  // Threads that arrived and then exited count until here.
  cluster->num_live_threads -= barrier->num_left;
  barrier->num_left = 0;
  barrier->num_arrived = 0;
  barrier->phase++;
  if (cluster->detect_races)
    tile_emu_sync_publish(&cluster->clocks, &barrier->sync);
  tile_cluster_wake(cluster);
}

void tile_emu_cluster_barrier_leave(TileCluster *cluster, uint32_t num_threads,
                                    uint32_t num_arrived) {
  cluster->barrier.num_left += num_arrived;
  cluster->num_live_threads -= num_threads - num_arrived;
  complete_if_all_arrived(cluster);
}

static TileLanes cluster_arrive(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  if (insn->as.barrier.is_aligned) {
    TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
    if (blocked)
      return blocked;
  }
  TILE_FOR_LANES (l, lanes) {
    bool releases =
        !insn->as.barrier.is_relaxed || tile_lane_in(warp->fenced, l);
    warp->wait[l].kind = TILE_WAIT_NONE;
    warp->cluster_phase[l] = cluster->barrier.phase;
    cluster->barrier.num_arrived++;
    if (cluster->detect_races && releases) {
      tile_clocks_end_loads(&cluster->clocks, warp->first_thread,
                            tile_lane_bit(l));
      tile_emu_sync_release(&cluster->clocks, tile_warp_thread(warp, l),
                            &cluster->barrier.sync);
    }
  }
  tile_cluster_wake(cluster);
  complete_if_all_arrived(cluster);
  return 0;
}

static TileLanes cluster_wait(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  if (insn->as.barrier.is_aligned) {
    TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
    if (blocked)
      return blocked;
  }
  TileLanes blocked = 0;
  TILE_FOR_LANES (l, lanes) {
    if (cluster->barrier.phase == warp->cluster_phase[l]) {
      tile_warp_wait(warp, l, TILE_WAIT_CLUSTER, 0, cluster->barrier.phase);
      blocked |= tile_lane_bit(l);
      continue;
    }
    warp->wait[l].kind = TILE_WAIT_NONE;
    if (cluster->detect_races)
      tile_emu_sync_acquire(&cluster->clocks, tile_warp_thread(warp, l),
                            &cluster->barrier.sync);
  }
  return blocked;
}

void tile_emu_decode_barrier_cluster(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder,
                    "cluster arrive wait relaxed release acquire aligned");
  if (!tile_decode_count(decoder, 0, 0))
    return;
  insn->as.barrier.is_aligned = tile_decode_has(decoder, "aligned");
  insn->as.barrier.is_relaxed = tile_decode_has(decoder, "relaxed");
  insn->exec =
      tile_decode_has(decoder, "arrive") ? cluster_arrive : cluster_wait;
}

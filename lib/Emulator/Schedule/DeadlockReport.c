//===- DeadlockReport.c - Where everybody is when nothing moves -----------===//

#include "Emulator/Sync/Sync.h"
#include "Simulation.h"

#include <stdlib.h>

typedef struct {
  TileCluster *cluster;
  TileBuffer *buffer;
  /// mbarriers already printed, by CTA.
  bool printed[TILE_MAX_CLUSTER_CTAS][TILE_MAX_MBARRIERS];
  bool any_mbarrier, any_barrier;
} Report;

static TileMbarrier *mbarrier_at(TileCluster *cluster, uint32_t address,
                                 TileCta **out_cta) {
  uint32_t rank = address >> TILE_SHARED_RANK_SHIFT;
  uint32_t offset = address & TILE_SHARED_OFFSET_MASK;
  if (rank >= cluster->num_ctas)
    return NULL;
  *out_cta = &cluster->ctas[rank];
  uint16_t index = (*out_cta)->shadow.mbarrier[offset / 8];
  return index ? &(*out_cta)->mbarriers[index - 1] : NULL;
}

static void print_mbarrier_wait(Report *report, const TileWait *wait,
                                const char *where) {
  TileBuffer *buffer = report->buffer;
  if (wait->phase < 2)
    tile_emu_buffer_print(buffer,
                          "waits for parity %u of mbarrier 0x%x at %s\n",
                          wait->phase, wait->object, where);
  else
    tile_emu_buffer_print(buffer,
                          "waits with a state token for mbarrier 0x%x at %s\n",
                          wait->object, where);
  TileCta *cta;
  TileMbarrier *mbarrier = mbarrier_at(report->cluster, wait->object, &cta);
  if (!mbarrier)
    return;
  bool *printed = &report->printed[cta->rank][mbarrier - cta->mbarriers];
  if (!*printed) {
    tile_emu_mbarrier_print(cta, mbarrier, buffer);
    tile_emu_deadlock_arrived(report->cluster, mbarrier, buffer);
  }
  *printed = report->any_mbarrier = true;
}

static void print_wait(Report *report, const TileWarp *warp,
                       const TileWait *wait, const char *where) {
  TileBuffer *buffer = report->buffer;
  switch (wait->kind) {
  case TILE_WAIT_MBARRIER:
    print_mbarrier_wait(report, wait, where);
    return;
  case TILE_WAIT_BARRIER: {
    const TileBarrier *barrier = &warp->cta->barriers[wait->object];
    report->any_barrier = true;
    tile_emu_buffer_print(buffer, "waits at barrier %u (%u threads arrived, ",
                          wait->object, barrier->num_arrived);
    if (barrier->num_expected)
      tile_emu_buffer_print(buffer, "%u", barrier->num_expected);
    else
      tile_emu_buffer_print(buffer, "all");
    if (barrier->phase)
      tile_emu_buffer_print(buffer, " expected, complete %u times before",
                            barrier->phase);
    else
      tile_emu_buffer_print(buffer, " expected");
    tile_emu_buffer_print(buffer, ") at %s\n", where);
    return;
  }
  case TILE_WAIT_CLUSTER:
    report->any_barrier = true;
    tile_emu_buffer_print(buffer,
                          "waits at the cluster barrier (%u of %u threads "
                          "arrived) at %s\n",
                          report->cluster->barrier.num_arrived,
                          report->cluster->num_live_threads, where);
    return;
  case TILE_WAIT_CONVERGE:
    tile_emu_buffer_print(buffer,
                          "waits for the other lanes of 0x%08x (live 0x%08x) "
                          "at %s\n",
                          wait->object, warp->live, where);
    return;
  case TILE_WAIT_REGISTERS:
    tile_emu_buffer_print(buffer,
                          "waits for %u registers a thread, %u of the CTA are "
                          "free, at %s\n",
                          wait->object, warp->cta->num_free_registers, where);
    return;
  case TILE_WAIT_CP_ASYNC:
  case TILE_WAIT_WGMMA:
  case TILE_WAIT_BULK:
    tile_emu_buffer_print(buffer, "waits for asynchronous work at %s\n", where);
    return;
  default:
    tile_emu_buffer_print(buffer, "runs at %s\n", where);
    return;
  }
}

static bool is_same_place(const TileWarp *warp, uint32_t x, uint32_t y) {
  return warp->pc[x] == warp->pc[y] &&
         warp->wait[x].kind == warp->wait[y].kind &&
         warp->wait[x].object == warp->wait[y].object &&
         (warp->wait[x].kind != TILE_WAIT_MBARRIER ||
          warp->wait[x].phase == warp->wait[y].phase);
}

static void print_warp(Report *report, TileWarp *warp) {
  const TileRun *run = report->cluster->run;
  TileLanes left = warp->live;
  while (left) {
    uint32_t first = tile_lane_first(left);
    TileLanes group = 0;
    TILE_FOR_LANES (l, left) {
      if (is_same_place(warp, first, l))
        group |= tile_lane_bit(l);
    }
    left &= ~group;
    char where[256];
    tile_emu_insn_where(run->module, &run->kernel->code[warp->pc[first]],
                        where);
    if (report->cluster->num_ctas > 1)
      tile_emu_buffer_print(report->buffer, "  CTA rank %u", warp->cta->rank);
    else
      tile_emu_buffer_print(report->buffer, " ");
    tile_emu_buffer_print(report->buffer,
                          " warp %u lanes 0x%08x: ", warp->index, group);
    TileWait none = {TILE_WAIT_NONE, 0, 0};
    bool is_waiting = tile_lane_in(warp->waiting, first);
    print_wait(report, warp, is_waiting ? &warp->wait[first] : &none, where);
  }
}

/// Warps that are not diverged keep one program counter; here each lane has it.
static void settle_counters(TileCluster *cluster) {
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++) {
      TileWarp *warp = &cluster->ctas[r].warps[i];
      if (warp->is_uniform)
        TILE_FOR_LANES (l, warp->live) {
          warp->pc[l] = warp->uniform_pc;
        }
    }
}

static bool waits_for_registers(const TileCta *cta) {
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const TileWarp *warp = &cta->warps[i];
    TILE_FOR_LANES (l, warp->live & warp->waiting) {
      if (warp->wait[l].kind == TILE_WAIT_REGISTERS)
        return true;
    }
  }
  return false;
}

void tile_emu_deadlock_print(TileCluster *cluster, const char *what,
                             TileBuffer *buffer) {
  Report *report = tile_emu_calloc(1, sizeof *report);
  report->cluster = cluster;
  report->buffer = buffer;
  if (what)
    tile_emu_buffer_print(buffer, "%s; ", what);
  tile_emu_buffer_print(buffer,
                        what ? "%s (%u,%u,%u) is here\n"
                             : "no thread of %s (%u,%u,%u) makes progress\n",
                        cluster->num_ctas > 1 ? "the cluster at CTA" : "CTA",
                        cluster->first_ctaid[0], cluster->first_ctaid[1],
                        cluster->first_ctaid[2]);
  settle_counters(cluster);
  for (uint32_t r = 0; r < cluster->num_ctas; r++) {
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++)
      print_warp(report, &cluster->ctas[r].warps[i]);
    if (waits_for_registers(&cluster->ctas[r]))
      tile_emu_registers_print(&cluster->ctas[r], buffer);
    tile_emu_deadlock_exits(&cluster->ctas[r], buffer);
  }
  if (report->any_mbarrier || report->any_barrier)
    tile_emu_deadlock_arrivals(cluster, report->any_mbarrier,
                               report->any_barrier, buffer);
  free(report);
}

void tile_emu_deadlock_report(TileCluster *cluster, TileFindingKind kind,
                              const char *what) {
  TileBuffer buffer = {0};
  tile_emu_deadlock_print(cluster, what, &buffer);
  buffer.text[buffer.length - 1] = 0; // the last newline
  tile_emu_find_in_cluster(cluster, kind, buffer.text);
  cluster->is_stopped = true;
  tile_emu_buffer_deinit(&buffer);
}

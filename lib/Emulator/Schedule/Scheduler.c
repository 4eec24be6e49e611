//===- Scheduler.c - Interleaves the warps of a cluster -------------------===//
//
// Adverse on purpose: half of the runs pick a random runnable warp each time,
// the others follow random priorities that change rarely, so that one warp can
// fall far behind. Asynchronous work completes as AsyncEngine.c decides.
//
// When no warp can run, asynchronous work is forced. When there is none, all
// waits for mbarriers time out once, as try_wait may; if four rounds of this
// change nothing, the cluster is deadlocked.
//
//===----------------------------------------------------------------------===//

#include "PrioritySchedule.h"
#include "Progress.h"
#include "Repeat.h"
#include "Simulation.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  MAX_QUANTUM = 64, // instructions of a turn
  STALL_ROUNDS = 4,
  COUNT_INTERVAL = 256 // turns between checks of the limit
};

struct TileSchedule {
  TileCluster *cluster;
  TileWarp *warps[TILE_MAX_CLUSTER_CTAS * TILE_MAX_CTA_WARPS];
  uint32_t num_warps;
  TileWarp *runnable[TILE_MAX_CLUSTER_CTAS * TILE_MAX_CTA_WARPS];
  uint32_t num_runnable;
  bool by_priority;
  bool has_change_points; // as `priorities` says
  TilePrioritySchedule priorities;
  uint64_t stall_progress; // cluster->progress at the first stalled round
  uint32_t stall_rounds;
  uint64_t last_progress, last_progress_insns;
  TileRepeat *repeat; // when nothing has changed for long; else NULL
};

static bool is_runnable(const TileWarp *warp) {
  return warp->live && ((warp->live & ~warp->waiting) ||
                        warp->seen_version != warp->cluster->version);
}

static void collect_runnable(TileSchedule *schedule) {
  schedule->num_runnable = 0;
  for (uint32_t i = 0; i < schedule->num_warps; i++)
    if (is_runnable(schedule->warps[i]))
      schedule->runnable[schedule->num_runnable++] = schedule->warps[i];
}

static TileWarp *choose_warp(TileSchedule *schedule) {
  TileCluster *cluster = schedule->cluster;
  if (schedule->has_change_points)
    return tile_emu_priority_choose(&schedule->priorities, schedule->runnable,
                                    schedule->num_runnable);
  if (!schedule->by_priority)
    return schedule
        ->runnable[tile_cluster_random(cluster) % schedule->num_runnable];
  TileWarp *best = schedule->runnable[0];
  for (uint32_t i = 1; i < schedule->num_runnable; i++)
    if (schedule->runnable[i]->priority > best->priority)
      best = schedule->runnable[i];
  if (tile_cluster_random(cluster) % 32 == 0)
    best->priority = (uint32_t)tile_cluster_random(cluster);
  return best;
}

/// No warp can run. False when the cluster is deadlocked.
static bool resolve_stall(TileSchedule *schedule) {
  TileCluster *cluster = schedule->cluster;
  if (tile_emu_async_force(cluster))
    return true;
  if (cluster->progress != schedule->stall_progress) {
    schedule->stall_progress = cluster->progress;
    schedule->stall_rounds = 0;
  }
  if (schedule->stall_rounds++ == STALL_ROUNDS)
    return false;
  bool any = false;
  for (uint32_t i = 0; i < schedule->num_warps; i++) {
    TileWarp *warp = schedule->warps[i];
    TILE_FOR_LANES (l, warp->live & warp->waiting) {
      if (warp->wait[l].kind != TILE_WAIT_MBARRIER)
        continue;
      warp->timed_out |= tile_lane_bit(l);
      any = true;
    }
  }
  cluster->version++;
  return any;
}

static bool stop(TileSchedule *schedule, TileFindingKind kind,
                 const char *what) {
  tile_emu_deadlock_report(schedule->cluster, kind, what);
  return false;
}

/// Nothing has changed for long: false when it is proved that nothing ever
/// will, or when that was tried for long enough.
static bool check_spinning(TileSchedule *schedule, const TileWarp *warp,
                           uint64_t idle_insns) {
  TileCluster *cluster = schedule->cluster;
  bool is_alone = cluster->run->total_clusters > 1;
  if (!schedule->repeat)
    schedule->repeat = tile_emu_repeat_begin(cluster);
  else if (tile_emu_repeat_step(schedule->repeat, cluster, warp))
    return stop(schedule,
                is_alone ? TILE_FINDING_LIVELOCK_ALONE : TILE_FINDING_LIVELOCK,
                NULL);
  if (idle_insns > TILE_LIVELOCK_INSNS + TILE_REPEAT_INSNS)
    return stop(schedule,
                is_alone ? TILE_FINDING_NO_PROGRESS_ALONE
                         : TILE_FINDING_NO_PROGRESS,
                NULL);
  return true;
}

/// `warp` has run. False when the kernel only spins, or has used up its
/// instructions.
static bool check_progress(TileSchedule *schedule, const TileWarp *warp) {
  TileCluster *cluster = schedule->cluster;
  uint64_t num_insns = cluster->num_warp_insns;
  uint64_t limit = cluster->emu->options.max_instructions;
  if (cluster->tick % COUNT_INTERVAL == 0)
    tile_emu_progress_step(cluster);
  if (cluster->tick % COUNT_INTERVAL == 0 && num_insns > limit) {
    char what[120];
    snprintf(what, sizeof what,
             "%llu warp instructions of a cluster, more than the limit of %llu",
             (unsigned long long)num_insns, (unsigned long long)limit);
    return stop(schedule, TILE_FINDING_INSTRUCTION_LIMIT, what);
  }
  if (cluster->progress != schedule->last_progress) {
    schedule->last_progress = cluster->progress;
    schedule->last_progress_insns = num_insns;
    tile_emu_repeat_end(schedule->repeat);
    schedule->repeat = NULL;
    return true;
  }
  uint64_t idle_insns = num_insns - schedule->last_progress_insns;
  if (idle_insns > TILE_LIVELOCK_INSNS && !cluster->run->residence)
    return check_spinning(schedule, warp, idle_insns);
  if (idle_insns > TILE_IMPATIENCE_INSNS &&
      tile_cluster_random(cluster) % 64 == 0)
    tile_emu_async_force(cluster);
  return true;
}

TileSchedule *tile_emu_schedule_create(void) {
  return tile_emu_calloc(1, sizeof(TileSchedule));
}

void tile_emu_schedule_destroy(TileSchedule *schedule) {
  if (schedule)
    tile_emu_repeat_end(schedule->repeat);
  free(schedule);
}

void tile_emu_schedule_begin(TileSchedule *schedule, TileCluster *cluster) {
  TileEmuSchedule kind = cluster->emu->options.schedule;
  tile_emu_repeat_end(schedule->repeat);
  *schedule = (TileSchedule){.cluster = cluster, .stall_progress = UINT64_MAX};
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++) {
      TileWarp *warp = &cluster->ctas[r].warps[i];
      warp->priority = (uint32_t)tile_cluster_random(cluster);
      schedule->warps[schedule->num_warps++] = warp;
    }
  schedule->has_change_points = kind == TILE_EMU_SCHEDULE_PRIORITY;
  if (schedule->has_change_points) {
    tile_emu_priority_init(&schedule->priorities, cluster, schedule->warps,
                           schedule->num_warps);
    return;
  }
  schedule->by_priority =
      kind != TILE_EMU_SCHEDULE_RANDOM && tile_cluster_random(cluster) % 2;
}

bool tile_emu_schedule_turn(TileSchedule *schedule) {
  TileCluster *cluster = schedule->cluster;
  if (!cluster->num_live_warps || cluster->is_stopped)
    return false;
  cluster->tick++;
  tile_emu_async_run_due(cluster);
  collect_runnable(schedule);
  if (!schedule->num_runnable) {
    if (resolve_stall(schedule))
      return true;
    tile_emu_deadlock_report(cluster, TILE_FINDING_DEADLOCK, NULL);
    return false;
  }
  TileWarp *warp = choose_warp(schedule);
  uint64_t quantum = 1 + tile_cluster_random(cluster) % MAX_QUANTUM;
  tile_emu_warp_run(warp, (uint32_t)quantum);
  return check_progress(schedule, warp);
}

void tile_emu_cluster_run(TileCluster *cluster, TileSchedule *schedule) {
  tile_emu_schedule_begin(schedule, cluster);
  while (tile_emu_schedule_turn(schedule)) {
  }
  while (tile_emu_async_force(cluster)) {
  }
}

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

#include "Emulator/Machine.h"
#include "Schedule.h"

#include <stdio.h>
#include <stdlib.h>

// Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010. Warps have random
// priorities; the one with the highest that can run does. At a few change
// points the running warp gets the lowest. A mistake that needs d orderings to
// go wrong is met with d - 1 change points, at a probability that falls with
// the length of the run and not with the number of interleavings.
//
// The length is not known before. Change points are drawn so that every power
// of two of turns has the same chance to hold one.

typedef struct {
  TileCluster *cluster;
  uint64_t change_points[TILE_EMU_MAX_PRIORITY_CHANGES]; // turns
  uint32_t num_changes;
  uint32_t lowest;               // every warp has a higher priority
  uint64_t turn;                 //
  uint64_t progress, idle_turns; // of the cluster; turns since it changed
} TilePrioritySchedule;

typedef struct TileRepeat TileRepeat;

//===-- Priorities --------------------------------------------------------===//

enum {
  MAX_CHANGE_BITS = 14, // change points are below 2^14 turns
  PATIENCE = 256        // turns that a warp may spin
};

static void priority_init(TilePrioritySchedule *schedule, TileCluster *cluster,
                          TileWarp **warps, uint32_t num_warps) {
  *schedule = (TilePrioritySchedule){.cluster = cluster, .lowest = 1u << 31};
  for (uint32_t i = 0; i < num_warps; i++)
    warps[i]->priority = schedule->lowest + 1 + i;
  for (uint32_t i = num_warps; i > 1; i--) { // a random permutation
    uint64_t other = tile_cluster_random(cluster) % i;
    uint32_t priority = warps[i - 1]->priority;
    warps[i - 1]->priority = warps[other]->priority;
    warps[other]->priority = priority;
  }
  schedule->num_changes = (uint32_t)cluster->emu->options.num_priority_changes;
  for (uint32_t i = 0; i < schedule->num_changes; i++) {
    uint64_t first = 1ull << tile_cluster_random(cluster) % MAX_CHANGE_BITS;
    schedule->change_points[i] = first + tile_cluster_random(cluster) % first;
  }
}

static bool is_change_point(const TilePrioritySchedule *schedule) {
  for (uint32_t i = 0; i < schedule->num_changes; i++)
    if (schedule->change_points[i] == schedule->turn)
      return true;
  return false;
}

static TileWarp *highest(TileWarp **runnable, uint32_t count) {
  TileWarp *best = runnable[0];
  for (uint32_t i = 1; i < count; i++)
    if (runnable[i]->priority > best->priority)
      best = runnable[i];
  return best;
}

/// A warp that polls memory never blocks; it may not keep the others from
/// writing that memory.
static bool is_spinning(TilePrioritySchedule *schedule) {
  uint64_t progress = schedule->cluster->progress;
  schedule->idle_turns =
      progress == schedule->progress ? schedule->idle_turns + 1 : 0;
  schedule->progress = progress;
  return schedule->idle_turns && schedule->idle_turns % PATIENCE == 0;
}

/// The runnable warp whose turn it is; `count` is not 0.
static TileWarp *priority_choose(TilePrioritySchedule *schedule,
                                 TileWarp **runnable, uint32_t count) {
  schedule->turn++;
  TileWarp *best = highest(runnable, count);
  if (!is_spinning(schedule) && !is_change_point(schedule))
    return best;
  best->priority = schedule->lowest--;
  return highest(runnable, count);
}

//===-- Going round in circles --------------------------------------------===//

// A warp whose registers, local memory and program counters are what they were,
// while nobody changed any other memory, does the same again for ever. When
// that holds for every warp that is not waiting, the kernel never ends. A loop
// that counts its rounds, or reads the clock, does not come back: then nothing
// is proved.

typedef struct {
  const TileWarp *warp;
  uint8_t *regs, *local;
  TileLanes live, waiting;
  bool is_uniform, repeats;
  uint32_t uniform_pc, pc[TILE_WARP_SIZE];
} Snapshot;

struct TileRepeat {
  uint64_t progress; // of the cluster, at the snapshots
  Snapshot *snapshots;
  uint32_t num_snapshots;
};

static size_t local_bytes(const TileWarp *warp) {
  return warp->local ? (size_t)warp->kernel->local_stride_bytes * TILE_WARP_SIZE
                     : 0;
}

static void snapshot_take(Snapshot *snapshot, const TileWarp *warp) {
  *snapshot = (Snapshot){.warp = warp,
                         .live = warp->live,
                         .waiting = warp->waiting,
                         .is_uniform = warp->is_uniform,
                         .uniform_pc = warp->uniform_pc};
  memcpy(snapshot->pc, warp->pc, sizeof snapshot->pc);
  snapshot->regs = tile_emu_malloc(warp->kernel->register_file_bytes);
  memcpy(snapshot->regs, warp->regs, warp->kernel->register_file_bytes);
  snapshot->local = tile_emu_malloc(local_bytes(warp) + 1);
  if (warp->local)
    memcpy(snapshot->local, warp->local, local_bytes(warp));
}

/// Remembers the state of every warp. Owner: the caller, repeat_end.
static TileRepeat *repeat_begin(const TileCluster *cluster) {
  TileRepeat *repeat = tile_emu_calloc(1, sizeof *repeat);
  uint32_t num_warps = cluster->num_ctas * cluster->ctas[0].num_warps;
  repeat->progress = cluster->progress;
  repeat->snapshots = tile_emu_calloc(num_warps, sizeof *repeat->snapshots);
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++)
      if (cluster->ctas[r].warps[i].live)
        snapshot_take(&repeat->snapshots[repeat->num_snapshots++],
                      &cluster->ctas[r].warps[i]);
  return repeat;
}

static void repeat_end(TileRepeat *repeat) {
  for (uint32_t i = 0; repeat && i < repeat->num_snapshots; i++) {
    free(repeat->snapshots[i].regs);
    free(repeat->snapshots[i].local);
  }
  if (repeat)
    free(repeat->snapshots);
  free(repeat);
}

static bool is_same(const Snapshot *snapshot, const TileWarp *warp) {
  bool is_place =
      snapshot->live == warp->live && snapshot->waiting == warp->waiting &&
      snapshot->is_uniform == warp->is_uniform &&
      (warp->is_uniform ? snapshot->uniform_pc == warp->uniform_pc
                        : !memcmp(snapshot->pc, warp->pc, sizeof warp->pc));
  return is_place &&
         !memcmp(snapshot->regs, warp->regs,
                 warp->kernel->register_file_bytes) &&
         (!warp->local ||
          !memcmp(snapshot->local, warp->local, local_bytes(warp)));
}

/// Does the warp wait with all its lanes, for what only others can do?
static bool is_asleep(const TileWarp *warp) {
  return warp->live && !(warp->live & ~warp->waiting);
}

/// `warp` has run. True when every warp has come back to its remembered state,
/// or waits, and nothing else has changed since.
static bool repeat_step(TileRepeat *repeat, const TileCluster *cluster,
                        const TileWarp *warp) {
  if (cluster->progress != repeat->progress || cluster->num_async)
    return false;
  bool all = true;
  for (uint32_t i = 0; i < repeat->num_snapshots; i++) {
    Snapshot *snapshot = &repeat->snapshots[i];
    if (snapshot->warp == warp && !snapshot->repeats)
      snapshot->repeats = is_same(snapshot, warp);
    all &= snapshot->repeats || is_asleep(snapshot->warp);
  }
  return all;
}

//===-- Turns -------------------------------------------------------------===//

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
    return priority_choose(&schedule->priorities, schedule->runnable,
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

// Reports `what` happened, NULL: that no thread makes progress, and where each
// one is, and ends the cluster. DeadlockReport.c
static void deadlock_report(TileCluster *cluster, TileFindingKind kind,
                            const char *what) {
  TileString buffer = {0};
  tile_emu_deadlock_print(cluster, what, &buffer);
  buffer.data[buffer.size_bytes - 1] = 0; // the last newline
  tile_emu_find_in_cluster(cluster, kind, buffer.data);
  cluster->is_stopped = true;
  tile_string_deinit(&buffer);
}

static bool stop(TileSchedule *schedule, TileFindingKind kind,
                 const char *what) {
  deadlock_report(schedule->cluster, kind, what);
  return false;
}

/// Nothing has changed for long: false when it is proved that nothing ever
/// will, or when that was tried for long enough.
static bool check_spinning(TileSchedule *schedule, const TileWarp *warp,
                           uint64_t idle_insns) {
  TileCluster *cluster = schedule->cluster;
  bool is_alone = cluster->run->total_clusters > 1;
  if (!schedule->repeat)
    schedule->repeat = repeat_begin(cluster);
  else if (repeat_step(schedule->repeat, cluster, warp))
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
    repeat_end(schedule->repeat);
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
    repeat_end(schedule->repeat);
  free(schedule);
}

void tile_emu_schedule_begin(TileSchedule *schedule, TileCluster *cluster) {
  TileEmuSchedule kind = cluster->emu->options.schedule;
  repeat_end(schedule->repeat);
  *schedule = (TileSchedule){.cluster = cluster, .stall_progress = UINT64_MAX};
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++) {
      TileWarp *warp = &cluster->ctas[r].warps[i];
      warp->priority = (uint32_t)tile_cluster_random(cluster);
      schedule->warps[schedule->num_warps++] = warp;
    }
  schedule->has_change_points = kind == TILE_EMU_SCHEDULE_PRIORITY;
  if (schedule->has_change_points) {
    priority_init(&schedule->priorities, cluster, schedule->warps,
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
    deadlock_report(cluster, TILE_FINDING_DEADLOCK, NULL);
    return false;
  }
  TileWarp *warp = choose_warp(schedule);
  uint64_t quantum = 1 + tile_cluster_random(cluster) % MAX_QUANTUM;
  tile_emu_warp_run(warp, (uint32_t)quantum);
  return check_progress(schedule, warp);
}

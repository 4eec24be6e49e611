//===- Schedule.h - Running a cluster -------------------------------------===//
#ifndef TILE_EMULATOR_SCHEDULE_H
#define TILE_EMULATOR_SCHEDULE_H

#include "Emulator/Async/Async.h"
#include "Emulator/Machine.h"

/// Executes up to `quantum` instructions of some lanes. Interpreter.c
void tile_emu_warp_run(TileWarp *warp, uint32_t quantum);

//===-- Scheduler.c -------------------------------------------------------===//

enum {
  /// Instructions without progress after which a kernel is thought to spin.
  TILE_LIVELOCK_INSNS = 20000000,
  /// And in which that is to be proved.
  TILE_REPEAT_INSNS = 5000000,
  /// And after which asynchronous work is pushed.
  TILE_IMPATIENCE_INSNS = 200000
};

/// Who runs next in a cluster.
typedef struct TileSchedule TileSchedule;
TileSchedule *tile_emu_schedule_create(void);
void tile_emu_schedule_destroy(TileSchedule *schedule);
void tile_emu_schedule_begin(TileSchedule *schedule, TileCluster *cluster);
/// Runs one warp for a while. False when the cluster has ended or cannot go on.
bool tile_emu_schedule_turn(TileSchedule *schedule);

//===-- CoResident.c ------------------------------------------------------===//

/// Runs all clusters of a launch, as many at a time as the device has room for.
void tile_emu_co_resident_run(TileRun *run);

//===-- Others ------------------------------------------------------------===//

/// Appends where each thread of the cluster is.
void tile_emu_deadlock_print(TileCluster *cluster, const char *what,
                             TileString *buffer);

/// ClusterSetup.c: memory for clusters of a run, used for one after another.
TileCluster *tile_emu_cluster_create(TileRun *run);
void tile_emu_cluster_destroy(TileCluster *cluster);
/// Everything as at the start of cluster number `id` of the grid.
void tile_emu_cluster_reset(TileCluster *cluster, uint32_t id);
/// Frees what the simulation allocated since the reset.
void tile_emu_cluster_finish(TileCluster *cluster);

/// The constants that all warps share, in run->register_template.
void tile_emu_template_build(TileRun *run);
/// Registers a thread begins with, 0 when unknown. RegisterPool.c
uint32_t tile_emu_registers_per_thread(const TileRun *run);
/// The CTA exits: its warpgroups must have kept together.
void tile_emu_registers_check_exit(TileCta *cta);
/// Agents of race detection that a cluster needs.
uint32_t tile_emu_run_num_agents(const TileRun *run);

//===-- Results -----------------------------------------------------------===//

// Host threads finish clusters in any order. Their findings, counts and output
// are put together in the order of the grid, and the run ends at the first
// cluster that cannot finish or fills the list of findings: what later ones
// found by then is dropped. So results do not depend on host threads, unless
// clusters write the same memory.

TileClusterResults *tile_emu_results_create(TileRun *run);
void tile_emu_results_destroy(TileClusterResults *results);
/// Takes what cluster number `id` found, printed and counted. Thread safe.
void tile_emu_results_add(TileClusterResults *results, TileCluster *cluster,
                          uint32_t id);
/// Cluster number `id` was cancelled before its launch. Thread safe.
void tile_emu_results_skip(TileClusterResults *results, uint32_t id);
/// Further clusters would change nothing. Thread safe.
bool tile_emu_results_are_final(TileClusterResults *results);

//===-- Progress ----------------------------------------------------------===//

/// Now and then: the cluster has executed more instructions.
void tile_emu_progress_step(TileCluster *cluster);

#endif // TILE_EMULATOR_SCHEDULE_H

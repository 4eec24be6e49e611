//===- Simulation.h - Running a cluster -----------------------------------===//
#ifndef TILE_EMULATOR_SIMULATION_H
#define TILE_EMULATOR_SIMULATION_H

#include "Async.h"
#include "Machine.h"

/// Executes up to `quantum` instructions of some lanes. Interpreter.c
void tile_emu_warp_run(TileWarp *warp, uint32_t quantum);

/// Runs all warps of a cluster to their end. Scheduler.c
void tile_emu_cluster_run(TileCluster *cluster);

/// Reports that no thread can go on, and where each one is. DeadlockReport.c
void tile_emu_deadlock_report(TileCluster *cluster, TileFindingKind kind);

/// DeadlockArrivals.c, for that report: warps that exited; who arrived lately,
/// and where they are now; who can still get to an instruction that arrives.
void tile_emu_deadlock_exits(const TileCta *cta, TileBuffer *buffer);
void tile_emu_deadlock_arrived(const TileCluster *cluster,
                               const TileMbarrier *mbarrier,
                               TileBuffer *buffer);
void tile_emu_deadlock_arrivals(const TileCluster *cluster, TileBuffer *buffer);

/// ClusterSetup.c: memory for clusters of a run, used for one after another.
TileCluster *tile_emu_cluster_create(TileRun *run);
void tile_emu_cluster_destroy(TileCluster *cluster);
/// Everything as at the start of cluster number `id` of the grid.
void tile_emu_cluster_reset(TileCluster *cluster, uint32_t id);
/// Frees what the simulation allocated since the reset.
void tile_emu_cluster_finish(TileCluster *cluster);

/// The constants that all warps share, in run->register_template.
void tile_emu_template_build(TileRun *run);
/// Agents of race detection that a cluster needs.
uint32_t tile_emu_run_num_agents(const TileRun *run);

#endif // TILE_EMULATOR_SIMULATION_H

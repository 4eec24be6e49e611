//===- ClusterResults.h - What clusters leave behind, in grid order -------===//
//
// Host threads finish clusters in any order. Their findings, counts and output
// are put together in the order of the grid, and the run ends at the first
// cluster that cannot finish or fills the list of findings: what later ones
// found by then is dropped. So results do not depend on host threads, unless
// clusters write the same memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_CLUSTER_RESULTS_H
#define TILE_EMULATOR_CLUSTER_RESULTS_H

#include "Emulator/Machine.h"

TileClusterResults *tile_emu_results_create(TileRun *run);
void tile_emu_results_destroy(TileClusterResults *results);
/// Takes what cluster number `id` found, printed and counted. Thread safe.
void tile_emu_results_add(TileClusterResults *results, TileCluster *cluster,
                          uint32_t id);
/// Cluster number `id` was cancelled before its launch. Thread safe.
void tile_emu_results_skip(TileClusterResults *results, uint32_t id);
/// Further clusters would change nothing. Thread safe.
bool tile_emu_results_are_final(TileClusterResults *results);

#endif // TILE_EMULATOR_CLUSTER_RESULTS_H

//===- CoResident.h - Clusters that run at the same time ------------------===//
//
// With TileEmuOptions.co_resident one host thread runs as many clusters as the
// device has room for, in turns, so that they can wait for each other.
//
// Ordering between clusters goes through words of global memory that they
// access with atomics or strong loads and stores. It is kept for clusters as
// a whole, which orders more than the threads of a kernel may rely on: a
// conflict that is reported is one, others may be missed.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_CO_RESIDENT_H
#define TILE_EMULATOR_CO_RESIDENT_H

#include "Emulator/Machine.h"

/// CoResidentOrder.c
typedef struct TileClusterOrder TileClusterOrder;

typedef struct TileResidence {
  uint32_t num_slots; // clusters that fit
  uint32_t ctas_per_sm;
  uint32_t *slots; // by cluster id: the slot it runs in
  TileClusterOrder *order;
} TileResidence;

TileClusterOrder *tile_emu_order_create(uint32_t num_slots);
void tile_emu_order_destroy(TileClusterOrder *order);
/// Another cluster begins in the slot.
void tile_emu_order_begin(TileClusterOrder *order, uint32_t slot);

/// The threads of `warp` load, store or update a word that may order clusters.
void tile_emu_order_meet(TileWarp *warp, const uint8_t *memory, bool is_load,
                         bool is_store);
/// The time in the cluster of `warp`, to be kept with what it writes.
uint32_t tile_emu_order_epoch(const TileWarp *warp);
/// Has the cluster of `warp` seen what another cluster did up to `epoch`?
bool tile_emu_order_has_seen(const TileWarp *warp, uint32_t cluster_id,
                             uint32_t epoch);

/// The same for clusters that run one after another. GlobalOrder.c
typedef struct TileGlobalOrder TileGlobalOrder;
TileGlobalOrder *tile_emu_global_order_create(uint32_t num_clusters);
void tile_emu_global_order_destroy(TileGlobalOrder *order);
void tile_emu_global_order_meet(TileCluster *cluster, const uint8_t *memory,
                                bool is_load, bool is_store);
bool tile_emu_global_order_has_seen(const TileCluster *cluster, uint32_t id);

/// Number of the CTA in the grid, and the cluster a CTA belongs to.
uint32_t tile_emu_cta_number(const TileCta *cta);
uint32_t tile_emu_cta_cluster(const TileRun *run, uint32_t cta_number);
/// The multiprocessor that the CTA runs on.
uint32_t tile_emu_cta_sm(const TileCta *cta);

#endif // TILE_EMULATOR_CO_RESIDENT_H

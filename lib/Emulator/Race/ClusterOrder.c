//===- ClusterOrder.c - What clusters know about each other ---------------===//

#include "Race.h"

#include <stdlib.h>

//===-- One after another -------------------------------------------------===//

// Clusters tell each other through words of global memory that they write and
// read by atomics and by strong accesses: counters of split-K and stream-K
// kernels, flags of scans. Whoever reads such a word has seen those that wrote
// it before, and what they had seen. That is kept for whole clusters and only
// in launches that use such words.

uint32_t tile_emu_cta_number(const TileCta *cta) {
  const TileRun *run = cta->cluster->run;
  return (cta->ctaid[2] * run->grid[1] + cta->ctaid[1]) * run->grid[0] +
         cta->ctaid[0];
}

uint32_t tile_emu_cta_cluster(const TileRun *run, uint32_t cta_number) {
  uint32_t x = cta_number % run->grid[0] / run->cluster[0];
  uint32_t y = cta_number / run->grid[0] % run->grid[1] / run->cluster[1];
  uint32_t z = cta_number / run->grid[0] / run->grid[1] / run->cluster[2];
  return (z * run->num_clusters[1] + y) * run->num_clusters[0] + x;
}

uint32_t tile_emu_cta_sm(const TileCta *cta) {
  const TileRun *run = cta->cluster->run;
  uint32_t place = run->residence
                       ? cta->cluster->slot * run->ctas_per_cluster + cta->rank
                       : tile_emu_cta_number(cta);
  return place % (uint32_t)run->emu->options.num_sms;
}

enum { NUM_WORDS = 1024, BITS = 64 }; // words that share an entry order more

struct TileGlobalOrder {
  pthread_mutex_t lock;
  size_t size; // of a set, in units of 64 clusters
  uint64_t *words[NUM_WORDS];
};

TileGlobalOrder *tile_emu_global_order_create(uint32_t num_clusters) {
  TileGlobalOrder *order = tile_emu_calloc(1, sizeof *order);
  order->size = num_clusters / BITS + 1;
  pthread_mutex_init(&order->lock, NULL);
  return order;
}

void tile_emu_global_order_destroy(TileGlobalOrder *order) {
  for (uint32_t i = 0; i < NUM_WORDS; i++)
    free(order->words[i]);
  pthread_mutex_destroy(&order->lock);
  free(order);
}

static uint64_t *set_get(const TileGlobalOrder *order, uint64_t **set) {
  if (!*set)
    *set = tile_emu_calloc(order->size, sizeof **set);
  return *set;
}

static void set_join(uint64_t *into, const uint64_t *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    into[i] |= from[i];
}

static void global_order_meet(TileCluster *cluster, const uint8_t *memory,
                              bool is_load, bool is_store) {
  TileGlobalOrder *order = cluster->run->global_order;
  uint64_t **word = &order->words[((uintptr_t)memory >> 2) % NUM_WORDS];
  pthread_mutex_lock(&order->lock);
  if (is_load && *word)
    set_join(set_get(order, &cluster->seen), *word, order->size);
  if (is_store) {
    uint32_t id = tile_emu_cta_cluster(cluster->run,
                                       tile_emu_cta_number(&cluster->ctas[0]));
    uint64_t *seen = set_get(order, &cluster->seen);
    seen[id / BITS] |= 1ull << id % BITS;
    set_join(set_get(order, word), seen, order->size);
  }
  pthread_mutex_unlock(&order->lock);
}

static bool global_order_has_seen(const TileCluster *cluster, uint32_t id) {
  return cluster->seen && cluster->seen[id / BITS] >> id % BITS & 1;
}

//===-- At the same time --------------------------------------------------===//

/// Slots are used by one cluster after another; their time only grows.
struct TileClusterOrder {
  uint32_t num_slots;
  uint32_t *epochs;           // time, by slot
  uint32_t *seen;             // by slot, and slot that it knows about
  uint32_t *words[NUM_WORDS]; // what was seen by those who wrote the word
};

TileClusterOrder *tile_emu_order_create(uint32_t num_slots) {
  TileClusterOrder *order = tile_emu_calloc(1, sizeof *order);
  order->num_slots = num_slots;
  order->epochs = tile_emu_calloc(num_slots, sizeof *order->epochs);
  order->seen =
      tile_emu_calloc((size_t)num_slots * num_slots, sizeof *order->seen);
  return order;
}

void tile_emu_order_destroy(TileClusterOrder *order) {
  for (uint32_t i = 0; i < NUM_WORDS; i++)
    free(order->words[i]);
  free(order->epochs);
  free(order->seen);
  free(order);
}

void tile_emu_order_begin(TileClusterOrder *order, uint32_t slot) {
  order->epochs[slot]++;
  memset(order->seen + (size_t)slot * order->num_slots, 0,
         order->num_slots * sizeof *order->seen);
}

static void join(uint32_t *into, const uint32_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    into[i] = into[i] > from[i] ? into[i] : from[i];
}

void tile_emu_order_meet(TileWarp *warp, const uint8_t *memory, bool is_load,
                         bool is_store) {
  const TileResidence *residence = warp->cluster->run->residence;
  if (!residence) {
    if (warp->cluster->detect_races)
      global_order_meet(warp->cluster, memory, is_load, is_store);
    return;
  }
  TileClusterOrder *order = residence->order;
  uint32_t count = order->num_slots, slot = warp->cluster->slot;
  uint32_t **word = &order->words[((uintptr_t)memory >> 2) % NUM_WORDS];
  uint32_t *seen = order->seen + (size_t)slot * count;
  if (is_load && *word)
    join(seen, *word, count);
  if (!is_store)
    return;
  if (!*word)
    *word = tile_emu_calloc(count, sizeof **word);
  join(*word, seen, count);
  (*word)[slot] = order->epochs[slot]++;
}

uint32_t tile_emu_order_epoch(const TileWarp *warp) {
  const TileResidence *residence = warp->cluster->run->residence;
  return residence ? residence->order->epochs[warp->cluster->slot] : 0;
}

bool tile_emu_order_has_seen(const TileWarp *warp, uint32_t cluster_id,
                             uint32_t epoch) {
  const TileResidence *residence = warp->cluster->run->residence;
  if (!residence)
    return global_order_has_seen(warp->cluster, cluster_id);
  const TileClusterOrder *order = residence->order;
  size_t slot = warp->cluster->slot;
  return order->seen[slot * order->num_slots + residence->slots[cluster_id]] >=
         epoch;
}

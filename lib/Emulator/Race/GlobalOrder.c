//===- GlobalOrder.c - What clusters know that run one after another ------===//
//
// Clusters tell each other through words of global memory that they write and
// read by atomics and by strong accesses: counters of split-K and stream-K
// kernels, flags of scans. Whoever reads such a word has seen those that wrote
// it before, and what they had seen. That is kept for whole clusters and only
// in launches that use such words.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Schedule/CoResident.h"

#include <stdlib.h>

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

void tile_emu_global_order_meet(TileCluster *cluster, const uint8_t *memory,
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

bool tile_emu_global_order_has_seen(const TileCluster *cluster, uint32_t id) {
  return cluster->seen && cluster->seen[id / BITS] >> id % BITS & 1;
}

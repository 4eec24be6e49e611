//===- CoResidentOrder.c - What clusters know about each other ------------===//

#include "Emulator/Schedule/CoResident.h"

#include <stdlib.h>

enum { NUM_WORDS = 1024 }; // words that share an entry order too much

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
      tile_emu_global_order_meet(warp->cluster, memory, is_load, is_store);
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
    return tile_emu_global_order_has_seen(warp->cluster, cluster_id);
  const TileClusterOrder *order = residence->order;
  size_t slot = warp->cluster->slot;
  return order->seen[slot * order->num_slots + residence->slots[cluster_id]] >=
         epoch;
}

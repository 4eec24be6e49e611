//===- BarrierAlike.c - Decisions that roles take alike -------------------===//
//
// A queue is one byte: a 1 in front of the outcomes, the oldest of them last.
//
//===----------------------------------------------------------------------===//

#include "BarrierAlike.h"

enum { QUEUE_BITS = 8, QUEUES_PER_WORD = 4, FULL = 0x80 };

void barrier_alike_build(const BarrierListing *listing, int num_agents,
                         TileArena *arena, BarrierAlike *out) {
  *out = (BarrierAlike){.listing = listing, .num_agents = num_agents};
  out->first = TILE_ARENA_NEW(arena, int, listing->num_decisions + 1);
  for (int i = 0; i < listing->num_decisions; i++) {
    unsigned roles = listing->deciders[i];
    bool is_shared = (roles & (roles - 1)) != 0;
    out->first[i] = is_shared ? out->num_queues : -1;
    out->num_queues += is_shared ? num_agents : 0;
  }
}

int barrier_alike_num_words(const BarrierAlike *a) {
  return (a->num_queues + QUEUES_PER_WORD - 1) / QUEUES_PER_WORD;
}

static int shift_of(int queue) { return queue % QUEUES_PER_WORD * QUEUE_BITS; }

static unsigned queue_at(const int32_t *words, int queue) {
  return (uint32_t)words[queue / QUEUES_PER_WORD] >> shift_of(queue) & 0xFF;
}

static void set_queue(int32_t *words, int queue, unsigned value) {
  uint32_t word = (uint32_t)words[queue / QUEUES_PER_WORD];
  word &= ~(UINT32_C(0xFF) << shift_of(queue));
  word |= (uint32_t)value << shift_of(queue);
  words[queue / QUEUES_PER_WORD] = (int32_t)word;
}

static bool decides(const BarrierAlike *a, int agent, int decision) {
  return a->listing->deciders[decision] >> agent / 2 & 1;
}

int barrier_alike_outcome(const BarrierAlike *a, const int32_t *words,
                          int agent, int decision) {
  if (a->first[decision] < 0)
    return -1;
  unsigned queue = queue_at(words, a->first[decision] + agent);
  return queue > 1 ? (int)(queue & 1) : -1;
}

bool barrier_alike_may_decide(const BarrierAlike *a, const int32_t *words,
                              int agent, int decision) {
  if (a->first[decision] < 0 ||
      barrier_alike_outcome(a, words, agent, decision) >= 0)
    return true;
  for (int other = 0; other < a->num_agents; other++)
    if (queue_at(words, a->first[decision] + other) & FULL)
      return false;
  return true;
}

void barrier_alike_decide(const BarrierAlike *a, int32_t *words, int agent,
                          int decision, bool outcome) {
  int first = a->first[decision];
  if (first < 0)
    return;
  unsigned mine = queue_at(words, first + agent);
  if (mine > 1) {
    set_queue(words, first + agent, mine >> 1 == 1 ? 0 : mine >> 1);
    return;
  }
  for (int other = 0; other < a->num_agents; other++) {
    unsigned queue = queue_at(words, first + other), end = 1;
    if (other == agent || !decides(a, other, decision))
      continue;
    queue = queue ? queue : 1;
    while (end << 1 <= queue)
      end <<= 1;
    set_queue(words, first + other,
              (queue & ~end) | end << 1 | (outcome ? end : 0));
  }
}

//===- BarrierAlike.h - Decisions that roles take alike -------------------===//
//
// The n-th decision of one role of a class is the n-th one of the others: who
// comes first decides, and the others find the outcome in a queue of theirs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_ALIKE_H
#define TILE_ANALYSIS_BARRIER_ALIKE_H

#include "BarrierCode.h"

typedef struct {
  const BarrierListing *listing;
  int num_agents;
  int *first; // per class: queue of the first agent, or -1: of one role alone
  int num_queues;
} BarrierAlike;

/// Owner: `arena`.
void barrier_alike_build(const BarrierListing *listing, int num_agents,
                         TileArena *arena, BarrierAlike *out);
/// Of a state: no queue holds anything where they are 0.
int barrier_alike_num_words(const BarrierAlike *alike);
/// How others have decided: 1, 0, or -1 where none has come first.
int barrier_alike_outcome(const BarrierAlike *alike, const int32_t *words,
                          int agent, int decision);
/// Whether the agent need not wait for others to come after it.
bool barrier_alike_may_decide(const BarrierAlike *alike, const int32_t *words,
                              int agent, int decision);
void barrier_alike_decide(const BarrierAlike *alike, int32_t *words, int agent,
                          int decision, bool outcome);

#endif // TILE_ANALYSIS_BARRIER_ALIKE_H

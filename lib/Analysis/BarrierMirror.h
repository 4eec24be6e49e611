//===- BarrierMirror.h - Parities that only change together ---------------===//
//
// A kernel that counts the phases of an mbarrier by one bit, which it flips at
// each wait, does the same whether that bit and the parity of the mbarrier are
// both 0 or both 1. States that differ in no more than that are one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_BARRIER_MIRROR_H
#define TILE_ANALYSIS_BARRIER_MIRROR_H

#include "BarrierCode.h"
#include "BarrierMachine.h"
#include "ProtocolInternal.h"

typedef struct {
  int set_words;
  /// Per role and place in its code: slots whose parity matters by itself to
  /// what may come from there on.
  uint32_t *fixed[TILE_PROTOCOL_MAX_ROLES];
  /// Per role and slot: places of variables that change with its parity.
  uint64_t *places[TILE_PROTOCOL_MAX_ROLES];
} BarrierMirror;

/// Owner: `arena`.
void barrier_mirror_build(const BarrierMachine *machine,
                          const BarrierListing *listing,
                          const ProtocolBinding *bindings, TileArena *arena,
                          BarrierMirror *out);
/// Whether that of `slot` may change, with the agents at `positions`.
bool barrier_mirror_may_flip(const BarrierMirror *mirror, int num_agents,
                             const int32_t *positions, int slot);

#endif // TILE_ANALYSIS_BARRIER_MIRROR_H

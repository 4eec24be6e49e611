//===- BarrierCheck.h - Barriers whose phases can never end ---------------===//
#ifndef TILE_ANALYSIS_PROGRAM_BARRIER_CHECK_H
#define TILE_ANALYSIS_PROGRAM_BARRIER_CHECK_H

#include "Dialect/Ops.h"

/// An mbarrier whose phases can never end.
typedef struct {
  MlirOperation op, alloc; // that is wrong, and of the barrier
  const char *code;        // "not-initialised", "initialised-again", …
  char text[240];
} TileBarrierFault;

/// Whether an mbarrier of the kernel, of a channel or not, is not initialised,
/// or counts arrivals that its ops can never add up to.
bool tile_barriers_check(MlirOperation kernel, TileBarrierFault *out_fault);

#endif // TILE_ANALYSIS_PROGRAM_BARRIER_CHECK_H

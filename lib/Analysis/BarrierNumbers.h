//===- BarrierNumbers.h - Numbers that matter later on --------------------===//
#ifndef TILE_ANALYSIS_BARRIER_NUMBERS_H
#define TILE_ANALYSIS_BARRIER_NUMBERS_H

#include "BarrierCode.h"
#include "ProtocolInternal.h"

/// Per item of the code, one bit for each place whose number may be asked for
/// there or behind it. Owner: `arena`.
const uint64_t *barrier_numbers_build(const TileProtocol *protocol,
                                      const BarrierCodes *codes,
                                      const ProtocolBinding *binding,
                                      TileArena *arena);
/// Forgets the others, in front of item `at`.
void barrier_numbers_forget(const uint64_t *live,
                            const ProtocolBinding *binding, int at,
                            int32_t *bound);

#endif // TILE_ANALYSIS_BARRIER_NUMBERS_H

//===- KernelProtocol.h - The protocols of a kernel -----------------------===//
#ifndef TILE_ANALYSIS_KERNEL_PROTOCOL_H
#define TILE_ANALYSIS_KERNEL_PROTOCOL_H

#include "Analysis/Sync/Sync.h"
#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Tile/Protocol.h"

/// The roles of a kernel and their channels as a protocol; nodes know the op
/// they come from (`origin`). False when the kernel has no roles with channels.
/// `out_failed` is null, or an op that cannot be followed: then `out_failure`
/// says why, as the end of a sentence about the op, and the protocol is not
/// complete.
/// Owner: `arena`.
bool tile_protocol_extract(TileArena *arena, MlirOperation kernel,
                           TileProtocol *out_protocol,
                           MlirOperation *out_failed, const char **out_failure);

/// An mbarrier whose phases can never end.
typedef struct {
  MlirOperation op, alloc; // that is wrong, and of the barrier
  const char *code;        // "not-initialised", "initialised-again", …
  char text[240];
} TileBarrierFault;

/// Whether an mbarrier of the kernel, of a channel or not, is not initialised,
/// or counts arrivals that its ops can never add up to (BarrierCheck.c).
bool tile_barriers_check(MlirOperation kernel, TileBarrierFault *out_fault);

/// Judges the mbarriers that no channel has, of the roles of a kernel or of its
/// block outside of them (BarrierExtract.c). False when there are none. The
/// protocol has a channel per row of mbarriers, and is there for messages;
/// `out_failed` as for tile_protocol_extract: then there is no verdict. The
/// points of `plan` count as if they stood there. Owner: `arena`.
bool tile_barriers_verify(TileArena *arena, MlirOperation kernel,
                          bool is_of_roles, const TileSyncPlan *plan,
                          const TileProtocolLimits *limits,
                          TileProtocol *out_protocol,
                          TileProtocolVerdict *out_verdict,
                          MlirOperation *out_failed, const char **out_failure);

#endif // TILE_ANALYSIS_KERNEL_PROTOCOL_H

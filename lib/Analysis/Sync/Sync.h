//===- Sync.h - Barriers and fences that a kernel lacks -------------------===//
#ifndef TILE_ANALYSIS_SYNC_H
#define TILE_ANALYSIS_SYNC_H

#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Target/Target.h"

/// What the thread that issued TMA stores waits for.
typedef enum {
  TILE_STORE_WAIT_NONE,
  TILE_STORE_WAIT_READ,    // they have read shared memory
  TILE_STORE_WAIT_COMPLETE // they have written the tensors
} TileStoreWait;

/// A set of memories of which a proxy fence orders the accesses.
enum { TILE_FENCE_SHARED = 1, TILE_FENCE_GLOBAL = 2 };

/// A place where threads must meet, or writers must fence.
typedef struct {
  MlirOperation before;
  bool barrier;
  uint8_t fence;            // TILE_FENCE_…; it stands before the barrier
  TileStoreWait store_wait; // before both
  int pending;              // stores that it does not wait for, the last ones
} TileSyncPoint;

/// A copy or fill whose threads let a barrier go: its lowering has to take this
/// chunk (ChunkWidth.c).
typedef struct {
  MlirOperation op;
  int64_t chunk_elems;
} TileSyncChunk;

/// Who issues TMA stores waits at his end until they have read shared memory.
typedef struct {
  MlirOperation last;   // of the ops of the kernel or role
  MlirOperation before; // its terminator, or null
} TileSyncEnd;

typedef struct {
  TileSyncPoint *points; // in order of discovery
  size_t num_points, capacity;
  TileSyncChunk *chunks;
  size_t num_chunks;
  // What uses an mbarrier before all threads have met after its init; null:
  // nothing does.
  MlirOperation unmet;
  TileSyncEnd *ends;
  size_t num_ends, ends_capacity;
  // (S13) Before the op, and at the end, blocks of the cluster have to meet;
  // null: they need not.
  MlirOperation meet_before;
  TileSyncEnd meet_at_end;
} TileSyncPlan;

/// Barriers and fences that the kernel lacks. Uses packed offsets where
/// `tile-pack-shared-memory` wrote them; without them buffers that do not live
/// at the same time count as sharing bytes. The kernel has passed
/// tile_kernel_verify. Without `target` (NULL) it may be any chip. Owner:
/// `arena`.
void tile_sync_plan_build(TileArena *arena, MlirOperation kernel,
                          const TileTarget *target, TileSyncPlan *out_plan);

/// What a kernel lacks after tile-insert-sync. `op` is the one before
/// which it is missing, or the last one of the role or kernel.
typedef struct {
  MlirOperation op;
  const char *code, *text;
} TileSyncFault;

/// False, with the first fault, when the plan of the kernel has something to
/// add. Kernels that say what each thread does have none.
bool tile_sync_check(MlirOperation kernel, const TileSyncPlan *plan,
                     TileSyncFault *out_fault);

#endif // TILE_ANALYSIS_SYNC_H

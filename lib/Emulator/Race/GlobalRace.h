//===- GlobalRace.h - Checks accesses to global memory --------------------===//
//
// Global memory is too large for the exact record that shared memory has
// (Race.h): of each 2 bytes the last writer of this launch is kept, of each 4
// bytes two readers since then, and of 64 bytes two that read all of them.
// Accesses of a cluster are ordered by its clocks, those of others by words
// that order clusters (CoResident.h). What is reported is a race; readers that
// were forgotten, and those of other clusters that run at the same time, are
// missed.
//
//   access \ before   write    atomic   read
//   read              ordered  ordered  -
//   write             ordered  ordered  ordered
//   atomic            ordered  -        ordered
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_GLOBAL_RACE_H
#define TILE_EMULATOR_GLOBAL_RACE_H

#include "Emulator/Machine.h"

/// Who accessed some bytes: from bit 0 the epoch, from bit 32 1 + the number of
/// the CTA, from bit 56 the bytes of the entry, then flags. 0: nobody.
typedef uint64_t TileActor;

#define TILE_ACTOR_UNCHANGED (1ull << 60) // stored what was there already
#define TILE_ACTOR_ATOMIC (1ull << 61)
#define TILE_ACTOR_CROWD (1ull << 62) // readers of 2 clusters, one forgotten
#define TILE_ACTOR_TEST (1ull << 63)  // atomic: TILE_GLOBAL_TEST

static inline TileEpoch tile_actor_epoch(TileActor actor) {
  return (TileEpoch)actor;
}
static inline uint32_t tile_actor_cta(TileActor actor) {
  return (uint32_t)(actor >> 32 & 0xffffff) - 1;
}

typedef struct TileReaders {
  TileActor first, last;
  uint32_t first_insn, last_insn; // index in the kernel
} TileReaders;

typedef enum {
  TILE_GLOBAL_READ,
  TILE_GLOBAL_WRITE,
  TILE_GLOBAL_STORE_UNCHANGED, // a write of what is there already
  TILE_GLOBAL_ATOMIC,
  TILE_GLOBAL_TEST // atomic; unordered plain reads are pedantic
} TileGlobalUse;

/// Checks and records `size_bytes` at `memory`, which `lane` accesses or has
/// accessed asynchronously; complete at `epoch`. Ignores other memory.
void tile_emu_global_check(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                           const uint8_t *memory, uint64_t size_bytes,
                           TileEpoch epoch, TileGlobalUse use);
/// The same by the thread of `lane` itself, now.
void tile_emu_global_check_now(TileWarp *warp, const TileInsn *insn,
                               uint32_t lane, const uint8_t *memory,
                               uint64_t size_bytes, TileGlobalUse use);
/// The same for all rows of a copy.
void tile_emu_global_check_rows(const TileAsyncOp *op, TileEpoch epoch,
                                TileGlobalUse use);

/// Who wrote each 2 bytes of global memory in this launch, 0: nobody; NULL when
/// it is not known.
const TileActor *tile_emu_global_writers(TileCluster *cluster, uint64_t address,
                                         uint64_t size_bytes);

/// Forgets the last launch.
void tile_emu_global_clear(TileEmu *emu, bool is_co_resident);

#endif // TILE_EMULATOR_GLOBAL_RACE_H

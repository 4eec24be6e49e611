//===- Race.h - Checks accesses to shared memory against earlier ones -----===//
//
// What has to hold between an access and the last accesses to the same bytes
// ("causal" and "fenced" as in Clocks.h):
//
//   access \ before   generic write  cp.async write  async write  read
//   generic read      causal         causal          causal       -
//   generic write     causal         causal          causal       causal
//   async read        fenced         fenced (1)      causal (2)   -
//   async write       fenced (1)     fenced (1)      causal (3)   causal (4)
//
//   (1) When causal but not fenced it is reported only if pedantic.
//   (2) Completion of a bulk copy fences by itself.
//   (3) Two writes with the same epoch complete together and are unordered.
//   (4) Proxy fences between a read and a later write: PTX states no rule.
//
// "Generic" includes cp.async as reader and writer; "async" is the async
// proxy: TMA, bulk copies and wgmma. docs/Emulator.md has the reasons.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_RACE_H
#define TILE_EMULATOR_RACE_H

#include "Emulator/Machine.h"

/// One access, possibly to many bytes, by a thread or by asynchronous work.
typedef struct {
  TileWarp *warp; // that issued it
  const TileInsn *insn;
  uint32_t lane;
  const char *what; // "TMA ", "wgmma A ", … or ""
  const uint32_t *causal, *fenced;
  uint32_t thread, fenced_tick;
  TileEpoch epoch;
  bool is_async; // through the async proxy
  bool is_bulk;  // asynchronous work of any kind
  uint8_t layout;
  bool is_idle;            // a store of what is there already
  bool is_atomic, is_test; // no race with other atomics; `is_test`: pedantic
  // Undefined.h: uninitialised bytes are not reported but noted; undefined
  // values leave shared memory here.
  bool defers_uninitialised, has_undefined, reports_undefined;
  // The last epochs found in order: neighbours mostly have the same.
  // Rows of a tile were read by a few operations, by the low bits.
  TileEpoch ordered_write, ordered_reads[4];
  uint32_t merged_from, merged_insn, merged_to;
  bool met_thread; // found something that a thread wrote, or a mistake
} TileAccess;

/// By the thread of `lane` itself, now.
TileAccess tile_emu_access_thread(TileWarp *warp, const TileInsn *insn,
                                  uint32_t lane);
/// By asynchronous work that the thread issues; complete at `epoch`.
TileAccess tile_emu_access_async(TileWarp *warp, const TileInsn *insn,
                                 uint32_t lane, TileEpoch epoch, bool is_async,
                                 const char *what);

/// Checks and records `size_bytes` at `offset` of the CTA, within bounds.
void tile_emu_shadow_read(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                          TileAccess *access);
void tile_emu_shadow_write(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                           TileAccess *access);

/// tile_emu_shadow_read of `count` units of 16 bytes at aligned `offsets`.
void tile_emu_shadow_read_units(TileCta *cta, const uint32_t *offsets,
                                uint32_t count, TileAccess *access);

/// An atomic update: unordered with others, but the bytes have a value then.
/// `is_test`: races with plain reads are pedantic.
void tile_emu_shadow_atomic(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                            TileAccess *access, bool is_test);

/// An asynchronous reduction: not ordered with other asynchronous writes, but
/// with those of threads.
void tile_emu_shadow_reduce(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                            TileAccess *access);

void tile_emu_shadow_init(TileShadow *shadow, uint32_t smem_bytes);
void tile_emu_shadow_clear(TileShadow *shadow, uint32_t smem_bytes);
void tile_emu_shadow_deinit(TileShadow *shadow);
void tile_emu_read_sets_clear(TileCluster *cluster);
void tile_emu_read_sets_destroy(TileCluster *cluster);

/// "tile+16" or "dynamic smem+4096"; returns `out_name`.
const char *tile_emu_shared_name(const TileCta *cta, uint32_t offset,
                                 char out_name[200]);

/// RaceReport.c: "thread 5", "TMA copy (mbarrier #2, phase 0)", …
const char *tile_emu_agent_name(const TileCluster *cluster, TileEpoch epoch,
                                char out_name[100]);
/// The access that another one is not ordered after.
typedef struct {
  TileEpoch epoch;
  uint32_t insn; // index in the kernel
  bool is_write;
} TileEarlier;

/// RaceReport.c: `earlier` is not ordered before `access` at `offset`. False
/// when that matters only if somebody uses the value that was read.
bool tile_emu_race_report(TileCta *cta, uint32_t offset,
                          const TileAccess *access, bool is_write,
                          const TileEarlier *earlier, TileFindingKind kind);

#endif // TILE_EMULATOR_RACE_H

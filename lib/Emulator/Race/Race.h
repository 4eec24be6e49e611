//===- Race.h - Checks accesses to shared memory against earlier ones -----===//
//
// What has to hold between an access and the last accesses to the same bytes
// ("causal" and "fenced" as in Clocks.h):
//
//   access \ before   generic write  cp.async write  async write  read
//   generic read      causal         causal          causal       -
//   generic write     causal         causal          causal       causal
//   async read        fenced         fenced (1)      causal (2)   -
//   async write       fenced (1)     fenced (1)      fenced (1)      causal (3)
//   ended (4)
//
//   (1) When causal but not fenced it is reported only if pedantic.
//   (2) Completion of a bulk copy fences by itself.
//   (3) Two writes with the same epoch complete together and are unordered.
//   (4) Causal, and a load of another warp was over when its thread arrived:
//       an mbarrier alone does not say so to the async proxy.
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
} TileShadowAccess;

/// By the thread of `lane` itself, now.
TileShadowAccess tile_emu_access_thread(TileWarp *warp, const TileInsn *insn,
                                        uint32_t lane);
/// By asynchronous work that the thread issues; complete at `epoch`.
TileShadowAccess tile_emu_access_async(TileWarp *warp, const TileInsn *insn,
                                       uint32_t lane, TileEpoch epoch,
                                       bool is_async, const char *what);

/// Checks and records `size_bytes` at `offset` of the CTA, within bounds.
void tile_emu_shadow_read(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                          TileShadowAccess *access);
void tile_emu_shadow_write(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                           TileShadowAccess *access);

/// tile_emu_shadow_read of `count` units of 16 bytes at aligned `offsets`.
void tile_emu_shadow_read_units(TileCta *cta, const uint32_t *offsets,
                                uint32_t count, TileShadowAccess *access);

/// An atomic update: unordered with others, but the bytes have a value then.
/// `is_test`: races with plain reads are pedantic.
void tile_emu_shadow_atomic(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                            TileShadowAccess *access, bool is_test);

/// An asynchronous reduction: not ordered with other asynchronous writes, but
/// with those of threads.
void tile_emu_shadow_reduce(TileCta *cta, uint32_t offset, uint32_t size_bytes,
                            TileShadowAccess *access);

void tile_emu_read_sets_clear(TileCluster *cluster);
void tile_emu_read_sets_destroy(TileCluster *cluster);

/// The lanes execute an instruction that mostly takes values that they have
/// loaded: these loads are over, but for the pedantic.
static inline void tile_loads_end_by_use(TileWarp *warp, TileLanes lanes) {
  TileCluster *cluster = warp->cluster;
  if (cluster->detect_races && !cluster->emu->options.pedantic)
    tile_clocks_end_loads(&cluster->clocks, warp->first_thread, lanes);
}

/// The access that another one is not ordered after.
typedef struct {
  TileEpoch epoch;
  uint32_t insn; // index in the kernel
  bool is_write;
} TileEarlier;

//===-- Reads that nobody uses --------------------------------------------===//

/// Numbers the instructions that load registers from shared or global memory,
/// and flags those that read or write such registers.
void tile_emu_loads_number(TileKernel *kernel);

/// Where the lanes of a warp loaded from when they last executed a load.
typedef struct {
  uint32_t tick[TILE_WARP_SIZE]; // of the thread
  const uint8_t *memory[TILE_WARP_SIZE];
} TileLoadRecord;

/// `lanes` execute a load; returns its record, to be filled in.
TileLoadRecord *tile_emu_load_begin(TileWarp *warp, const TileInsn *insn,
                                    TileLanes lanes);
static inline void tile_load_note(TileLoadRecord *record, const TileWarp *warp,
                                  uint32_t lane, const uint8_t *memory) {
  uint32_t thread = tile_warp_thread(warp, lane);
  record->tick[lane] = warp->cluster->clocks.threads[thread].tick;
  record->memory[lane] = memory;
}

/// `lanes` execute an instruction that is flagged.
void tile_emu_loads_touch(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes);

/// A race that is found, to be reported at once or when the value is used.
typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  TileLanes lanes;
  TileFindingKind kind;
  TileFindingMemory memory;
  const TileInsn *earlier;
  const char *text;
} TileRace;

void tile_emu_race_find(const TileRace *race);
/// UndefinedMarks.c: the origin of values that depend on the race.
uint16_t tile_emu_origin_of_race(const TileRace *race);
/// A load races with an earlier write: while cluster->race_origin is not NULL,
/// it is told the origin of the value, and nothing is reported yet.
bool tile_emu_race_defer_read(const TileRace *race);
/// A write races with what `earlier`, a load of the thread of `epoch`, has read
/// at `memory`: nothing is reported yet when nobody has used that value.
bool tile_emu_race_defer_write(const TileRace *race, TileEpoch epoch,
                               const uint8_t *memory);

void tile_emu_loads_reset(TileWarp *warp);
void tile_emu_loads_destroy(TileWarp *warp);

//===-- Global memory -----------------------------------------------------===//

// Global memory is too large for the exact record that shared memory has
// (Race.h): of each 2 bytes the last writer of this launch is kept, of each 4
// bytes two readers since then, and of 64 bytes two that read all of them.
// Accesses of a cluster are ordered by its clocks, those of others by words
// that order clusters (GlobalRace.c). What is reported is a race; readers
// that were forgotten, and those of other clusters that run at the same time,
// are missed.
//
//   access \ before   write    atomic   read
//   read              ordered  ordered  -
//   write             ordered  ordered  ordered
//   atomic            ordered  -        ordered

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

/// Who wrote each 2 bytes of global memory in this launch, 0: nobody; NULL when
/// it is not known.
const TileActor *tile_emu_global_writers(TileCluster *cluster, uint64_t address,
                                         uint64_t size_bytes);

/// Forgets the last launch.
void tile_emu_global_clear(TileEmu *emu, bool is_co_resident);

//===-- Words -------------------------------------------------------------===//

// PTX ISA, "Release and Acquire Patterns": a strong store or an atomic update
// that releases, or follows a fence, orders what its thread did before those
// that read the word by strong loads and updates. Locks and flags are made so.
// A thread that reads without a fence counts as one that acquires: a race may
// be missed, none is invented. Between clusters: GlobalRace.c.

/// `lane` reads, writes or updates the word at `memory`, of shared or global
/// memory. `releases`: the instruction says so.
void tile_emu_word_meet(TileWarp *warp, uint32_t lane, const uint8_t *memory,
                        bool is_load, bool is_store, bool releases);
/// Frees the words, and the clocks where races are detected.
void tile_emu_clocks_deinit(TileCluster *cluster);

//===-- Clusters ----------------------------------------------------------===//

// With TileEmuOptions.co_resident one host thread runs as many clusters as the
// device has room for, in turns, so that they can wait for each other.
//
// Ordering between clusters goes through words of global memory that they
// access with atomics or strong loads and stores. It is kept for clusters as
// a whole, which orders more than the threads of a kernel may rely on: a
// conflict that is reported is one, others may be missed.

typedef struct TileClusterOrder TileClusterOrder;

typedef struct TileResidence {
  uint32_t num_slots; // clusters that fit
  uint32_t ctas_per_sm;
  uint32_t *slots; // by cluster id: the slot it runs in
  TileClusterOrder *order;
} TileResidence;

TileClusterOrder *tile_emu_order_create(uint32_t num_slots);
void tile_emu_order_destroy(TileClusterOrder *order);
/// Another cluster begins in the slot.
void tile_emu_order_begin(TileClusterOrder *order, uint32_t slot);

/// The threads of `warp` load, store or update a word that may order clusters.
void tile_emu_order_meet(TileWarp *warp, const uint8_t *memory, bool is_load,
                         bool is_store);

/// The same for clusters that run one after another.
typedef struct TileGlobalOrder TileGlobalOrder;
TileGlobalOrder *tile_emu_global_order_create(uint32_t num_clusters);
void tile_emu_global_order_destroy(TileGlobalOrder *order);

/// Number of the CTA in the grid, and the cluster a CTA belongs to.
uint32_t tile_emu_cta_number(const TileCta *cta);
uint32_t tile_emu_cta_cluster(const TileRun *run, uint32_t cta_number);

#endif // TILE_EMULATOR_RACE_H

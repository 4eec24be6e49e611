//===- Machine.h - Warps, CTAs, clusters and the device -------------------===//
//
// A cluster is the unit of simulation: one host thread runs all its warps, so
// nothing below needs locks. Clusters share the device (global memory,
// findings) and the run (kernel, parameters, grid).
//
// Addresses, as kernels see them:
//   shared   rank of the CTA in the cluster << 24 | offset; offsets begin at
//            1024 as on sm_90, so that address 0 is never valid
//   generic  a host address; shared memory has a window of tagged addresses
//   global   a host address inside an allocation
//   local    a host address inside the thread's local memory
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_MACHINE_H
#define TILE_EMULATOR_MACHINE_H

#include "Emulator/Ptx/Ptx.h"
#include "Emulator/Race/Clocks.h"
#include "Emulator/Report/Findings.h"

#include <pthread.h>
#include <string.h>

typedef struct TileCta TileCta;
typedef struct TileAsyncOp TileAsyncOp;

enum {
  TILE_SHARED_FIRST = 1024,           // bytes the system keeps for itself
  TILE_SHARED_MAX_BYTES = 227 * 1024, // of a CTA; CUDA programming guide
  TILE_SHARED_RANK_SHIFT = 24,
  TILE_SHARED_OFFSET_MASK = (1 << TILE_SHARED_RANK_SHIFT) - 1,
  TILE_MAX_CLUSTER_CTAS = 16,
  TILE_MAX_CTA_WARPS = 32,
  TILE_NUM_BARRIERS = 16, // named barriers of a CTA
  TILE_BULK_WRITERS = 8,  // threads of a CTA whose bulk stores are told apart
  TILE_MAX_MBARRIERS = 512,
  TILE_MBARRIER_HISTORY = 16,
  TILE_MAX_GROUPS = 32 // outstanding async groups that are told apart
};
#define TILE_SHARED_WINDOW 0x7e0000000000ull
#define TILE_SHARED_WINDOW_BYTES 0x100000000ull

//===-- Warp --------------------------------------------------------------===//

typedef enum {
  TILE_WAIT_NONE,
  TILE_WAIT_CONVERGE, // other lanes at a warp-wide instruction
  TILE_WAIT_BARRIER,
  TILE_WAIT_MBARRIER,
  TILE_WAIT_CLUSTER,
  TILE_WAIT_CP_ASYNC,
  TILE_WAIT_WGMMA,
  TILE_WAIT_BULK,
  TILE_WAIT_REGISTERS // setmaxnreg.inc; `object` is how many
} TileWaitKind;

typedef struct {
  TileWaitKind kind;
  uint32_t object; // barrier number, mbarrier address or lanes needed
  uint32_t phase;  // that has to end; mbarrier: parity, 2 for a state token
} TileWait;

/// wgmma operations of a warp, numbered from 0 in program order.
typedef struct {
  uint32_t num_issued, num_done, num_groups;
  uint32_t num_retired;  // waited for
  const TileInsn **kept; // those issued and not retired, by number
  uint32_t group_ends[TILE_MAX_GROUPS]; // operations before the end of group
  TileAsyncOp *first, *last;            // issued and not done, in order
  uint8_t *in_flight;                   // by register id: TILE_IN_FLIGHT_…
  uint32_t *written_at; // by register id: number of the fence before it
  uint32_t fence_number;
  bool has_fenced;
} TileWgmmaState;

enum { TILE_MAX_KEPT = 256 }; // older operations are forgotten
enum { TILE_IN_FLIGHT_WRITE = 1, TILE_IN_FLIGHT_READ = 2 };

/// cp.async of a warp, by lane. A batch is what is awaited together; it is the
/// tick of the lane's cp.async agent.
typedef struct {
  uint32_t batch[TILE_WARP_SIZE], num_groups[TILE_WARP_SIZE];
  uint32_t group_batches[TILE_WARP_SIZE][TILE_MAX_GROUPS];
} TileCpAsyncState;

struct TileWarp {
  uint8_t *regs;
  TileCta *cta;
  TileCluster *cluster;
  const TileKernel *kernel;
  uint32_t index, num_lanes;
  uint32_t first_thread; // of lane 0, in the cluster
  TileLanes live, waiting;
  bool is_uniform; // all live lanes are at uniform_pc and none waits
  uint32_t uniform_pc, pc[TILE_WARP_SIZE];
  TileWait wait[TILE_WARP_SIZE];
  uint8_t num_false_polls[TILE_WARP_SIZE];
  TileLanes timed_out;   // their next mbarrier wait gives up
  uint64_t seen_version; // of the cluster, when the waiting lanes last tried
  uint32_t priority;
  TileWgmmaState wgmma;
  TileCpAsyncState cp_async;
  uint32_t bulk_group[TILE_WARP_SIZE];    // open bulk group of each lane
  uint8_t *local;                         // kernel->local_bytes a lane
  TileLanes fenced;                       // executed a fence
  uint32_t fence_tick[TILE_WARP_SIZE];    // the last before the last fence
  uint32_t map_released[TILE_WARP_SIZE];  // ticks: tensor map fences
  struct TileUndefined *undefined;        // NULL: never needed; Undefined.c
  uint32_t num_undefined;                 // registers with a mark
  struct TileLoads *loads;                // NULL: none yet; DeadRead.c
  TileLanes carry;                        // CC.CF, see AluCarry.c
  uint32_t num_registers;                 // of a thread; 0: not counted
  struct TileCallStack *calls;            // by lane; NULL: no functions
  uint32_t cluster_phase[TILE_WARP_SIZE]; // phase arrived at
};

static inline uint32_t *tile_u32(TileWarp *warp, uint32_t slot) {
  return (uint32_t *)(warp->regs + slot);
}
static inline uint64_t *tile_u64(TileWarp *warp, uint32_t slot) {
  return (uint64_t *)(warp->regs + slot);
}
static inline float *tile_f32(TileWarp *warp, uint32_t slot) {
  return (float *)(warp->regs + slot);
}
static inline double *tile_f64(TileWarp *warp, uint32_t slot) {
  return (double *)(warp->regs + slot);
}
static inline TileLanes *tile_pred(TileWarp *warp, uint32_t slot) {
  return (TileLanes *)(warp->regs + slot);
}
/// Copies 128-bit element `from_index` of `from`; elements are two words.
static inline void tile_u128_copy(uint64_t *to, size_t to_index,
                                  const uint64_t *from, size_t from_index) {
  to[2 * to_index] = from[2 * from_index];
  to[2 * to_index + 1] = from[2 * from_index + 1];
}
/// Sets the bits of `lanes` in a predicate register to those of `value`.
static inline void tile_pred_write(TileWarp *warp, uint32_t slot,
                                   TileLanes lanes, TileLanes value) {
  TileLanes *pred = tile_pred(warp, slot);
  *pred = (*pred & ~lanes) | (value & lanes);
}
static inline uint32_t tile_warp_thread(const TileWarp *warp, uint32_t lane) {
  return warp->first_thread + lane;
}

//===-- Shared memory and what lives in it --------------------------------===//

/// Who touched 16 bytes of shared memory last. Mostly all bytes agree; when
/// they do not, `split` has an entry for each byte.
typedef struct {
  TileEpoch write;  // of all bytes, unless split; 0: never written
  uint32_t readers; // since then, unless split: an epoch or a read set
  bool is_split, has_mbarrier;
  bool has_atomic; // split, with atomic updates among the readers
  uint8_t layout;  // 1 + swizzle mode TMA wrote it with, 0: not by TMA
  uint32_t write_insn, read_insn; // of one epoch: index in the kernel
} TileShadowChunk;

typedef struct {
  TileEpoch write;
  uint32_t readers;
  uint32_t write_insn, read_insn; // of one epoch: index in the kernel
} TileShadowByte;

enum { TILE_SHADOW_CHUNK_BYTES = 16 };

typedef struct {
  TileShadowChunk *chunks; // by TILE_SHADOW_CHUNK_BYTES
  TileShadowByte *bytes;   // by byte; only those of split chunks are used
  uint16_t *mbarrier;      // by 8 bytes: 1 + index of the mbarrier
  uint64_t num_changes;    // what is not a read
} TileShadow;

typedef enum {
  TILE_EVENT_INIT,
  TILE_EVENT_ARRIVE,
  TILE_EVENT_EXPECT_TX,
  TILE_EVENT_COMPLETE_TX
} TileMbarrierEventKind;

#define TILE_ACTOR_TMA 0xfffffffdu
#define TILE_ACTOR_CP_ASYNC 0xfffffffeu

/// Events of one kind and instruction in a phase; Mbarrier.c.
typedef struct {
  TileMbarrierEventKind kind;
  uint32_t line, first_actor, last_actor; // thread or TILE_ACTOR_…
  uint32_t phase, count;
  int64_t value; // of all together
} TileMbarrierEvent;

/// The last wait of a thread at an mbarrier that ended.
typedef struct {
  uint32_t tick;         // of the thread; 0: none
  uint32_t phase;        // that was under way then, after the awaited one
  uint32_t insn;         // index in the kernel
  uint32_t num_products; // of wgmma that the warp had issued
} TilePhaseWait;

/// What has to happen before a phase completes, and who must not miss it;
/// Mbarrier.c.
typedef struct {
  TileCta *cta;         // whose threads wait
  TilePhaseWait *waits; // by thread of it; NULL: nobody has waited
  uint32_t num_waits;   // during the phase under way
  uint32_t first;       // phase after mbarrier.init
  uint8_t has_copies;   // bit i: bytes were counted in the i-th phase back
} TilePhaseOrder;

/// PTX ISA, "Parallel Synchronization: mbarrier": phase, pending and expected
/// arrivals, tx-count. The object in memory is opaque; this is its content.
typedef struct {
  uint32_t offset; // in shared memory
  bool is_live, was_used;
  uint32_t phase;
  int32_t num_expected, num_pending;
  int64_t tx_bytes;
  int32_t num_in_flight[2];   // copies that will complete_tx, by phase parity
  int64_t bytes_in_flight[2]; //
  uint32_t agent;
  TileEpoch init_epoch;
  const TileInsn *init_insn;
  TileSyncClock sync;
  TilePhaseOrder order;
  TileMbarrierEvent history[TILE_MBARRIER_HISTORY]; // a ring
  uint32_t num_events;
} TileMbarrier;

/// A named barrier of a CTA.
typedef struct {
  uint32_t num_arrived, num_expected; // 0 expected: all threads
  uint32_t phase;
  bool is_aligned;                 // counts warps
  const TileInsn *first_insn;      // that arrived in this phase
  uint32_t first_warp;             // of it
  uint32_t value, published_value; // barrier.red
  TileSyncClock sync;
} TileBarrier;

/// The last access of a thread to shared memory of another CTA.
typedef struct {
  uint32_t tick; // of the thread; 0: none
  uint32_t insn; // index in the kernel
} TileRemoteAccess;

/// The last of the asynchronous operations between CTAs that an mbarrier counts
/// and that read or write the shared memory of a CTA.
typedef struct {
  uint32_t agent, tick; // of the mbarrier: the phase that completes them
  uint32_t thread;      // of the cluster, that issued it
  uint32_t insn;        // index in the kernel
} TileRemoteOp;

/// The last B of a wgmma that was found to be in order, for warp `warp`.
typedef struct {
  const TileInsn *insn;
  uint64_t descriptor;
  TileEpoch epoch;
  uint64_t num_changes; // of the shadow
  const TileWarp *warp; // NULL: none
} TileWgmmaChecked;

struct TileCta {
  TileCluster *cluster;
  uint32_t rank, ctaid[3];
  TileWarp *warps;
  uint32_t num_warps, num_exited_warps;
  uint32_t num_free_registers;   // given back by setmaxnreg.dec
  uint8_t *smem;                 // indexed by offset
  uint32_t smem_first, smem_end; // valid offsets
  uint32_t smem_version;         // changes with every write
  uint16_t *undefined; // by byte: origin of an undefined value; NULL: none
  TileShadow shadow;
  TileBarrier barriers[TILE_NUM_BARRIERS];
  TileMbarrier *mbarriers;
  uint32_t num_mbarriers;
  TileRemoteAccess *remote; // by thread of the cluster; NULL: not needed
  TileRemoteOp *remote_ops; // one for each mbarrier
  uint32_t num_remote_ops;
  TileWgmmaChecked wgmma_checked;
  uint32_t bulk_writers[TILE_BULK_WRITERS]; // 1 + thread; 0: none yet
  bool has_seen_failed_cancel;              // of a cluster; ClusterCancel.c
};

//===-- Cluster -----------------------------------------------------------===//

typedef struct TileRun TileRun;
typedef struct TileRecorder TileRecorder;
typedef struct TileInsnTraits TileInsnTraits;
typedef struct TileKernelStatistics TileKernelStatistics;
typedef struct TileClusterResults TileClusterResults;
typedef struct TileReadSets TileReadSets;
typedef struct TileWgmmaCache TileWgmmaCache;

/// barrier.cluster
typedef struct {
  uint32_t num_arrived, phase;
  uint32_t num_left; // exited after they arrived at this phase
  TileSyncClock sync;
} TileClusterBarrier;

struct TileCluster {
  TileRun *run;
  TileEmu *emu;
  uint32_t slot; // of run->residence
  TileCta *ctas;
  uint32_t num_ctas, num_threads, threads_per_cta;
  uint32_t num_live_threads, num_live_warps;
  uint32_t first_ctaid[3];
  bool detect_races;
  bool is_stopped;
  uint64_t random_state;
  uint64_t tick;     // steps of the scheduler
  uint64_t version;  // changes when a waiting lane may go on
  uint64_t progress; // changes when anything happened but spinning
  uint64_t num_warp_insns, num_lane_insns, num_async_ops;
  TileAsyncOp **async_ops; // issued and not complete
  uint32_t num_async, async_capacity;
  TileClusterBarrier barrier;
  TileClocks clocks;
  uint32_t num_mbarrier_agents;
  TileReadSets *read_sets;
  TileWgmmaCache *wgmma_cache;
  size_t last_allocation;     // index of the last one hit
  uint64_t *seen;             // clusters that it knows of; GlobalRace.c
  struct TileWords *words;    // Clocks.c; NULL: none yet
  struct TileOrigin *origins; // UndefinedMarks.c
  uint32_t num_origins;
  uint16_t *race_origin; // of what a load reads in a race; NULL: report it
  TileFindings findings;
  TileFindingMemory finding_memory; // of the next one
  const TileInsn *finding_earlier;  // access, of the next one; NULL: none
  TileFindingSet *reported;         // by instruction
  TileString output;                // of vprintf
  uint64_t num_noted_insns;         // for ClusterResults.c
  TileRecorder *recorder;           // NULL: nothing is counted or traced
};

//===-- Device ------------------------------------------------------------===//

typedef struct {
  uint8_t *memory;
  uint64_t size_bytes;
  const char *name;
  uint8_t *block; // what to free; NULL when borrowed
  size_t block_bytes;
  // Of this launch; GlobalRace.h. NULL: not known.
  uint64_t *writers;       // by 2 bytes
  uint32_t *writer_insns;  // by 2 bytes: index in the kernel
  uint32_t *writer_epochs; // co-resident: of the writer's cluster
  struct TileReaders *readers, *line_readers; // by 4 and by 64 bytes
  bool is_written, is_updated;                // by stores, by atomics; atomic
} TileAllocation;

struct TileEmu {
  TileEmuOptions options;
  TileAllocation *allocations;
  size_t num_allocations;
  TileFindings findings;
  TileEmuStats stats;
  TileString report, output, json;
  TileString statistics_text, trace_text;
  TileString trace_events; // of all launches, in the order of the grid
  uint64_t num_dropped_spans;
  uint64_t num_traced_ctas;                // of earlier launches
  TileKernelStatistics *kernel_statistics; // by kernel that was launched
  uint32_t num_kernel_statistics;
  TileEmuFinding *finding_views; // what tile_emu_finding returns
  uint32_t num_finding_views;
  pthread_mutex_t atomics; // read-modify-write of global memory
  TileArena names;
};

enum { TILE_WORKSPACE_WORDS = 16 };

/// One launch.
struct TileRun {
  TileEmu *emu;
  const TileEmuModule *module;
  const TileKernel *kernel;
  uint32_t grid[3], block[3], cluster[3], num_clusters[3];
  uint32_t total_clusters;
  uint32_t next_cluster; // neither launched nor cancelled; atomic
  uint32_t ctas_per_cluster, threads_per_cta, warps_per_cta;
  uint32_t dynamic_smem_bytes, dynamic_smem_base; // offset after the first
  uint8_t *params;                                // of the kernel
  uint8_t *register_template; // register file of a fresh warp
  TileClusterResults *results;
  struct TileGlobalOrder *global_order;
  struct TileResidence *residence; // NULL: clusters run one after another
  bool is_co_resident;
  /// Memory for barriers of the whole grid, which the driver gives to
  /// cooperative kernels: its size, a counter.
  uint32_t workspace[TILE_WORKSPACE_WORDS];
  struct TileMapProxy *map_proxy;
  TileInsnTraits *traits; // by instruction; NULL unless recorded
  uint64_t num_ctas_done, num_noted_insns; // atomic; for ClusterResults.c
  pthread_mutex_t progress_lock;
};

enum { TILE_GUARD_ZONE_BYTES = 1 << 20 };

//===-- Waiting -----------------------------------------------------------===//

static inline void tile_warp_wait(TileWarp *warp, uint32_t lane,
                                  TileWaitKind kind, uint32_t object,
                                  uint32_t phase) {
  warp->wait[lane] = (TileWait){kind, object, phase};
}

static inline void tile_warp_go(TileWarp *warp, TileLanes lanes) {
  TILE_FOR_LANES (lane, lanes)
    warp->wait[lane].kind = TILE_WAIT_NONE;
}

/// Warp-wide instructions begin with this: until all `needed` lanes are here,
/// those that are wait. Returns the lanes to block.
static inline TileLanes tile_warp_converge(TileWarp *warp, TileLanes lanes,
                                           TileLanes needed) {
  if (TILE_LIKELY((lanes & needed) == needed))
    return 0;
  TILE_FOR_LANES (lane, lanes) {
    warp->wait[lane] = (TileWait){TILE_WAIT_CONVERGE, needed, 0};
  }
  return lanes;
}

/// Those of `lanes`, which are not empty, that hold in the 32-bit register
/// `slot` what the first of them does.
static inline TileLanes tile_lanes_alike(TileWarp *warp, uint32_t slot,
                                         TileLanes lanes) {
  const uint32_t *values = tile_u32(warp, slot);
  uint32_t value = values[tile_lane_first(lanes)];
  TileLanes alike = 0;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    alike |= (uint32_t)(values[l] == value) << l;
  return alike & lanes;
}

/// Something happened that may let waiting lanes go on.
static inline void tile_cluster_wake(TileCluster *cluster) {
  cluster->version++;
  cluster->progress++;
}

/// Deterministic for a seed; at least 48 good bits.
static inline uint64_t tile_cluster_random(TileCluster *cluster) {
  uint64_t x = cluster->random_state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  cluster->random_state = x;
  return (x * 0x2545F4914F6CDD1Dull) >> 16;
}

#endif // TILE_EMULATOR_MACHINE_H

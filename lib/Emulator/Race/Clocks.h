//===- Clocks.h - Happens-before with vector clocks -----------------------===//
//
// Every thread and every source of asynchronous work is an agent with a
// counter. An access carries the epoch (agent, tick) at which it happened; it
// is ordered before a thread when the thread's clock has reached that tick of
// that agent.
//
// A thread has two clocks. `causal` is what happened before it. `fenced` is
// the part of it that is also visible to the async proxy, because some thread
// on the way executed fence.proxy.async. Clocks are immutable and shared.
// The thread's own component is kept outside, so that most steps of a thread
// do not need a new clock.
//
// A third clock, `order`, is what happened before it and need not be visible to
// it: a wait for a copy comes after what the thread that issued the copy did,
// but says nothing of what that thread wrote. NULL while it would add nothing.
//
// An arrival at an mbarrier does not wait for the loads before it: only what
// comes after it through the generic proxy is after them, too. So a thread has
// the ticks at which all its loads were over, of late.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_CLOCKS_H
#define TILE_EMULATOR_CLOCKS_H

#include "Emulator/Alu/Lanes.h"

typedef struct TileCluster TileCluster;
struct TileWarp;

enum {
  TILE_AGENT_BITS = 13,
  TILE_TICK_BITS = 19,
  TILE_AGENT_SET = (1 << TILE_AGENT_BITS) - 1, // the epoch names a read set
  TILE_MAX_TICK = (1 << TILE_TICK_BITS) - 1,
  TILE_JOIN_MEMOS = 64,
  TILE_LOAD_ENDS = 16 // that are remembered
};

typedef uint32_t TileEpoch; // 0: never

static inline TileEpoch tile_epoch(uint32_t agent, uint32_t tick) {
  if (tick > TILE_MAX_TICK) // misses races from here on, never invents one
    tick = TILE_MAX_TICK;
  return agent << TILE_TICK_BITS | tick;
}
static inline uint32_t tile_epoch_agent(TileEpoch epoch) {
  return epoch >> TILE_TICK_BITS;
}
static inline uint32_t tile_epoch_tick(TileEpoch epoch) {
  return epoch & TILE_MAX_TICK;
}

/// Immutable. Owner: whoever holds a reference.
typedef struct TileClock TileClock;
struct TileClock {
  uint32_t num_refs;
  TileClock *next_free;
  uint32_t ticks[]; // by agent
};

typedef struct {
  TileClock *causal, *fenced, *order;
  uint32_t tick, fenced_tick; // own component
  // Ticks at which its loads were over, the last one at `last_load_end`; 0:
  // none.
  uint32_t load_ends[TILE_LOAD_ENDS];
  uint8_t last_load_end;
} TileThreadClock;

/// What the threads that arrived at a barrier have seen; it becomes visible
/// to those that wait when the phase completes.
typedef struct {
  uint32_t *causal, *fenced; // being collected, by agent; NULL until used
  TileClock *seen_causal, *seen_fenced;           // last clock collected
  TileClock *published_causal, *published_fenced; // of the completed phase
  TileClock *previous_causal;                     // of the one before
  uint32_t *order; // as the others; NULL until there is anything
  TileClock *seen_order, *published_order;
} TileSyncClock;

typedef struct {
  uint32_t num_agents; // a multiple of 16
  uint32_t first_cp_async, first_wgmma, first_mbarrier;
  // Bulk stores that have read shared memory, of each thread, and those that
  // have written global memory, of some threads.
  uint32_t first_bulk, first_bulk_write;
  uint32_t first_warpgroup, end_warpgroup; // after the warps of wgmma
  // Epochs of atomic updates by each thread, then of those that test; these
  // are no part of clocks. 0: the cluster is too large for them.
  uint32_t first_atomic, num_threads;
  uint32_t num_warpgroups, threads_per_cta; // of a CTA
  uint32_t *waited; // operations of wgmma, by agent after first_wgmma
  TileThreadClock *threads;
  TileClock *free_clocks;
  TileClock *join_left[TILE_JOIN_MEMOS], *join_right[TILE_JOIN_MEMOS];
  TileClock *join_result[TILE_JOIN_MEMOS];
  TileClock *advance_from, *advance_to; // last tile_emu_clock_advance
  uint32_t advance_agent, advance_tick;
} TileClocks;

//===-- Agents of wgmma ---------------------------------------------------===//
//
// PTX ISA, "wgmma.wait_group": a warp waits for what its own threads have
// committed. So each warp is an agent; its tick is the operations that it has
// waited for. All threads of a warp wait together, so they have that outside of
// their clocks. A warpgroup only gives a name to what its four warps read.

enum { TILE_WARPGROUP_WARPS = 4 };

static inline uint32_t tile_num_warpgroups(uint32_t num_warps) {
  return (num_warps + TILE_WARPGROUP_WARPS - 1) / TILE_WARPGROUP_WARPS;
}
/// Every warpgroup has agents for four warps, also when there are fewer.
static inline uint32_t tile_agent_of_warp(const TileClocks *clocks,
                                          uint32_t cta_rank, uint32_t warp) {
  return clocks->first_wgmma +
         cta_rank * clocks->num_warpgroups * TILE_WARPGROUP_WARPS + warp;
}
static inline uint32_t tile_agent_of_warpgroup(const TileClocks *clocks,
                                               uint32_t agent_of_warp) {
  return clocks->first_warpgroup +
         (agent_of_warp - clocks->first_wgmma) / TILE_WARPGROUP_WARPS;
}
/// Of the first warp, by the agent of the warpgroup or of any of its warps.
static inline uint32_t tile_agent_of_first_warp(const TileClocks *clocks,
                                                uint32_t agent) {
  uint32_t group = agent >= clocks->first_warpgroup
                       ? agent - clocks->first_warpgroup
                       : (agent - clocks->first_wgmma) / TILE_WARPGROUP_WARPS;
  return clocks->first_wgmma + group * TILE_WARPGROUP_WARPS;
}

//===-- Atomic updates ----------------------------------------------------===//

static inline bool tile_epoch_is_atomic(const TileClocks *clocks,
                                        TileEpoch epoch) {
  uint32_t agent = tile_epoch_agent(epoch);
  return agent >= clocks->num_agents && agent != TILE_AGENT_SET;
}
static inline TileEpoch tile_epoch_of_atomic(const TileClocks *clocks,
                                             TileEpoch epoch, bool is_test) {
  uint32_t first = clocks->first_atomic + (is_test ? clocks->num_threads : 0);
  return tile_epoch(first + tile_epoch_agent(epoch), tile_epoch_tick(epoch));
}
/// The same without that it was atomic.
static inline TileEpoch tile_epoch_of_thread(const TileClocks *clocks,
                                             TileEpoch epoch,
                                             bool *out_is_test) {
  uint32_t index = tile_epoch_agent(epoch) - clocks->first_atomic;
  *out_is_test = index >= clocks->num_threads;
  return tile_epoch(index - (*out_is_test ? clocks->num_threads : 0),
                    tile_epoch_tick(epoch));
}

void tile_emu_clocks_init(TileClocks *clocks, uint32_t num_threads);

/// Thread `thread` arrives: what it has seen becomes part of `point`, and what
/// it does from now on is not covered.
void tile_emu_sync_release(TileClocks *clocks, uint32_t thread,
                           TileSyncClock *point);
/// The phase does not complete before thread `thread` came here; what it has
/// written does not become visible.
void tile_emu_sync_order(TileClocks *clocks, uint32_t thread,
                         TileSyncClock *point);
/// Is what `agent` did up to `tick` before the end of the phase?
static inline bool tile_sync_needs(const TileSyncClock *point, uint32_t agent,
                                   uint32_t tick) {
  return (point->causal && point->causal[agent] >= tick) ||
         (point->order && point->order[agent] >= tick);
}
/// Is it before what the thread does now, visible or not?
static inline bool tile_clock_is_after(const TileThreadClock *thread,
                                       uint32_t agent, uint32_t tick) {
  return thread->causal->ticks[agent] >= tick ||
         (thread->order && thread->order->ticks[agent] >= tick);
}
/// The phase is complete.
void tile_emu_sync_publish(TileClocks *clocks, TileSyncClock *point);
/// Thread `thread` has waited for the published phase.
void tile_emu_sync_acquire(TileClocks *clocks, uint32_t thread,
                           const TileSyncClock *point);
/// Asynchronous work of `agent` up to `tick` is covered by the phase.
void tile_emu_sync_add(TileClocks *clocks, TileSyncClock *point, uint32_t agent,
                       uint32_t tick);
void tile_emu_sync_deinit(TileClocks *clocks, TileSyncClock *point);

/// Thread `thread` knows that `agent` has reached `tick`.
void tile_emu_clock_advance(TileClocks *clocks, uint32_t thread, uint32_t agent,
                            uint32_t tick);
/// All lanes of `lanes` synchronise; `first_thread` is the thread of lane 0.
void tile_emu_clock_join_lanes(TileClocks *clocks, uint32_t first_thread,
                               TileLanes lanes);
/// All loads of the thread are over: it waited for them, or used the values.
static inline void tile_clock_end_loads(TileThreadClock *thread) {
  if (thread->load_ends[thread->last_load_end] == thread->tick)
    return;
  thread->last_load_end =
      (uint8_t)((thread->last_load_end + 1) % TILE_LOAD_ENDS);
  thread->load_ends[thread->last_load_end] = thread->tick;
}
/// The same for these lanes.
static inline void tile_clocks_end_loads(TileClocks *clocks,
                                         uint32_t first_thread,
                                         TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    tile_clock_end_loads(&clocks->threads[first_thread + l]);
  }
}
/// fence.proxy.async: all that the thread has seen is fenced.
void tile_emu_clock_proxy_fence(TileClocks *clocks, uint32_t thread);

/// "thread 5", "TMA copy (mbarrier #2, phase 0)", …
const char *tile_emu_agent_name(const TileCluster *cluster, TileEpoch epoch,
                                char out_name[100]);

#endif // TILE_EMULATOR_CLOCKS_H

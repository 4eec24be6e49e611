//===- Fence.c - fence and membar, and what tensor maps need of them ------===//
//
// PTX ISA, "membar / fence". fence.proxy.async makes what the thread has seen
// visible to the async proxy, in the memory that it names; only shared memory
// is looked at (Race.c). Any other fence turns a following relaxed arrival into
// a release (for example after fence.mbarrier_init).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Async/Async.h"
#include "Emulator/Machine.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/Decode.h"
#include "Emulator/Race/Race.h"

#include <stdlib.h>

//===-- Threads -----------------------------------------------------------===//

static TileLanes fence_proxy(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  (void)insn;
  TileCluster *cluster = warp->cluster;
  if (cluster->detect_races)
    TILE_FOR_LANES (l, lanes) {
      tile_emu_clock_proxy_fence(&cluster->clocks, tile_warp_thread(warp, l));
    }
  return 0;
}

static TileLanes fence_proxy_global(TileWarp *warp, const TileInsn *insn,
                                    TileLanes lanes) {
  (void)warp;
  (void)insn;
  (void)lanes;
  return 0;
}

static TileLanes fence(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  (void)insn;
  warp->fenced |= lanes;
  if (warp->cluster->detect_races)
    TILE_FOR_LANES (l, lanes) {
      TileThreadClock *clock =
          &warp->cluster->clocks.threads[tile_warp_thread(warp, l)];
      uint32_t *tick = &clock->tick;
      tile_clock_end_loads(clock);
      warp->fence_tick[l] = *tick;
      *tick += *tick < TILE_MAX_TICK; // what comes later is told apart
    }
  return 0;
}

//===-- Tensor maps -------------------------------------------------------===//

// PTX ISA, "membar / fence", fence.proxy.tensormap::generic. TMA reads tensor
// maps through a proxy of its own. When a kernel has changed a map in global
// memory, the writer executes a release fence, and then a thread of every CTA
// that uses the map an acquire fence, before the use.
//
// Who wrote global memory in this launch is known from the check of conflicting
// writes, so these rules are checked together with races. Between clusters
// only the acquire is.

enum { NUM_WRITERS = TILE_TENSOR_MAP_SIZE_BYTES / 2 };

/// What was in the map when a thread acquired it.
typedef struct {
  uint64_t address;
  uint64_t writers[NUM_WRITERS];
  uint32_t cta, thread, tick; // number of the CTA; thread in the cluster
  bool is_released;           // by all writers of the same cluster
} Acquire;

struct TileMapProxy {
  Acquire *acquires;
  uint32_t count, capacity;
  pthread_mutex_t lock;
};

TileMapProxy *tile_emu_map_proxy_create(void) {
  TileMapProxy *proxy = tile_emu_calloc(1, sizeof *proxy);
  pthread_mutex_init(&proxy->lock, NULL);
  return proxy;
}

void tile_emu_map_proxy_destroy(TileMapProxy *proxy) {
  pthread_mutex_destroy(&proxy->lock);
  free(proxy->acquires);
  free(proxy);
}

/// Copies who wrote the map; false when this launch did not.
static bool writers_get(TileWarp *warp, uint64_t address,
                        uint64_t out_writers[NUM_WRITERS]) {
  const uint64_t *writers = tile_emu_global_writers(warp->cluster, address,
                                                    TILE_TENSOR_MAP_SIZE_BYTES);
  bool any = false;
  for (uint32_t i = 0; writers && i < NUM_WRITERS; i++) {
    out_writers[i] = __atomic_load_n(&writers[i], __ATOMIC_RELAXED);
    any |= out_writers[i] != 0;
  }
  return any;
}

//===-- Release -----------------------------------------------------------===//

void tile_emu_map_proxy_release(TileWarp *warp, uint32_t lane) {
  if (!warp->cluster->detect_races)
    return;
  uint32_t thread = tile_warp_thread(warp, lane);
  TileThreadClock *clock = &warp->cluster->clocks.threads[thread];
  tile_clock_end_loads(clock);
  warp->map_released[lane] = warp->fence_tick[lane] = clock->tick;
  if (clock->tick < TILE_MAX_TICK) // later writes are other writes
    clock->tick++;
}

static TileLanes fence_release(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  (void)insn;
  warp->fenced |= lanes;
  TILE_FOR_LANES (l, lanes) {
    tile_emu_map_proxy_release(warp, l);
  }
  return 0;
}

/// Has the writer released what it wrote, and the lane seen that?
static bool is_released(TileWarp *warp, uint32_t lane, uint64_t writer) {
  const TileCluster *cluster = warp->cluster;
  uint32_t cta = tile_actor_cta(writer);
  uint32_t own = tile_emu_cta_number(warp->cta);
  if (tile_emu_cta_cluster(cluster->run, cta) !=
      tile_emu_cta_cluster(cluster->run, own))
    return true; // not known
  uint32_t agent = tile_epoch_agent(tile_actor_epoch(writer));
  uint32_t tick = tile_epoch_tick(tile_actor_epoch(writer));
  if (agent >= cluster->num_threads)
    return true; // an asynchronous copy
  const TileCta *home = &cluster->ctas[agent / cluster->threads_per_cta];
  uint32_t in_cta = agent % cluster->threads_per_cta;
  const TileWarp *other = &home->warps[in_cta / TILE_WARP_SIZE];
  uint32_t thread = tile_warp_thread(warp, lane);
  bool is_ordered =
      agent == thread ||
      cluster->clocks.threads[thread].causal->ticks[agent] >= tick;
  return is_ordered && other->map_released[in_cta % TILE_WARP_SIZE] >= tick;
}

//===-- Acquire -----------------------------------------------------------===//

static void acquire_add(TileWarp *warp, uint32_t lane, uint64_t address) {
  TileMapProxy *proxy = warp->cluster->run->map_proxy;
  Acquire acquire = {.address = address, .is_released = true};
  if (!warp->cluster->detect_races ||
      !writers_get(warp, address, acquire.writers))
    return;
  for (uint32_t i = 0; i < NUM_WRITERS; i++)
    if (acquire.writers[i] && !is_released(warp, lane, acquire.writers[i]))
      acquire.is_released = false;
  acquire.cta = tile_emu_cta_number(warp->cta);
  acquire.thread = tile_warp_thread(warp, lane);
  acquire.tick = warp->cluster->clocks.threads[acquire.thread].tick;
  pthread_mutex_lock(&proxy->lock);
  uint32_t at = 0; // a thread needs only its last acquire of a map
  for (; at < proxy->count; at++)
    if (proxy->acquires[at].address == address &&
        proxy->acquires[at].cta == acquire.cta &&
        proxy->acquires[at].thread == acquire.thread)
      break;
  if (at == proxy->capacity) {
    proxy->capacity = proxy->capacity ? 2 * proxy->capacity : 16;
    proxy->acquires = tile_emu_realloc(
        proxy->acquires, proxy->capacity * sizeof *proxy->acquires);
  }
  proxy->count += at == proxy->count;
  proxy->acquires[at] = acquire;
  pthread_mutex_unlock(&proxy->lock);
}

static TileLanes fence_acquire(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    uint64_t address = tile_u64(warp, insn->a)[l] + (uint64_t)insn->offset;
    // A fence accesses nothing; libraries fence maps that they do not have.
    if (address && tile_emu_global_pointer(warp, insn, l, address,
                                           TILE_TENSOR_MAP_SIZE_BYTES))
      acquire_add(warp, l, address);
  }
  return 0;
}

//===-- Use ---------------------------------------------------------------===//

typedef enum { NOT_ACQUIRED, NOT_ORDERED, NOT_RELEASED, READY } MapState;

static MapState acquire_state(const Acquire *acquire, const TileWarp *warp,
                              uint32_t lane, uint64_t address,
                              const uint64_t writers[NUM_WRITERS]) {
  if (acquire->address != address ||
      acquire->cta != tile_emu_cta_number(warp->cta) ||
      memcmp(acquire->writers, writers, sizeof acquire->writers) != 0)
    return NOT_ACQUIRED;
  uint32_t thread = tile_warp_thread(warp, lane);
  if (acquire->thread != thread &&
      warp->cluster->clocks.threads[thread].causal->ticks[acquire->thread] <
          acquire->tick)
    return NOT_ORDERED;
  return acquire->is_released ? READY : NOT_RELEASED;
}

void tile_emu_map_proxy_check(TileWarp *warp, const TileInsn *insn,
                              uint32_t lane, uint64_t address) {
  static const char *const reasons[] = {
      [NOT_ACQUIRED] = "no thread of the CTA executed fence.proxy.tensormap::"
                       "generic.acquire after that",
      [NOT_ORDERED] = "fence.proxy.tensormap::generic.acquire by another "
                      "thread is not ordered before this use",
      [NOT_RELEASED] = "the thread that changed it did not execute "
                       "fence.proxy.tensormap::generic.release before the "
                       "acquire",
  };
  uint64_t writers[NUM_WRITERS];
  if (!warp->cluster->detect_races || !writers_get(warp, address, writers))
    return;
  TileMapProxy *proxy = warp->cluster->run->map_proxy;
  MapState best = NOT_ACQUIRED;
  pthread_mutex_lock(&proxy->lock);
  for (uint32_t i = 0; i < proxy->count && best != READY; i++) {
    MapState state =
        acquire_state(&proxy->acquires[i], warp, lane, address, writers);
    best = state > best ? state : best;
  }
  pthread_mutex_unlock(&proxy->lock);
  char name[300];
  if (best != READY)
    tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_MAP_PROXY,
                  "the tensor map at %s was changed in this launch, and %s",
                  tile_emu_address_name(warp, lane, address, name),
                  reasons[best]);
}

void tile_emu_map_use_end(const TileAsyncOp *op) {
  if (op->map && memcmp(op->map, op->map_bytes, sizeof op->map_bytes) != 0)
    tile_emu_find(op->warp, op->insn, tile_lane_bit(op->lane),
                  TILE_FINDING_MAP_PROXY,
                  "the tensor map was overwritten while the copy, which may "
                  "still read it, was under way");
}

//===-- Decode ------------------------------------------------------------===//

static void decode_fence_tensormap(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  tile_decode_allow(decoder, "proxy tensormap::generic release acquire cta "
                             "cluster gpu sys");
  bool is_acquire = tile_decode_has(decoder, "acquire");
  if (decoder->unsupported_reason ||
      !tile_decode_count(decoder, is_acquire ? 2 : 0, is_acquire ? 2 : 0))
    return;
  insn->exec = is_acquire ? fence_acquire : fence_release;
  if (!is_acquire)
    return;
  TileDecodedAddress address =
      tile_decode_address_a(decoder, 0, TILE_SPACE_GENERIC);
  if (!address.is_wide)
    tile_decode_fail(decoder, "a generic address has 64 bits");
  if (tile_decode_immediate(decoder, 1) != TILE_TENSOR_MAP_SIZE_BYTES)
    tile_decode_fail(decoder, "the size must be %d",
                     TILE_TENSOR_MAP_SIZE_BYTES);
}

void tile_emu_decode_fence(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_proxy = !strcmp(decoder->words[0], "fence") &&
                  decoder->num_words > 2 && !strcmp(decoder->words[1], "proxy");
  bool is_async = is_proxy && !strncmp(decoder->words[2], "async", 5);
  if (is_proxy && !strncmp(decoder->words[2], "tensormap", 9)) {
    decode_fence_tensormap(decoder);
    return;
  }
  bool is_global = is_async && decoder->num_words > 3 &&
                   !strcmp(decoder->words[3], "global");
  insn->exec = is_global ? fence_proxy_global : is_async ? fence_proxy : fence;
}

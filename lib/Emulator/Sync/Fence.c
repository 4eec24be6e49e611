//===- Fence.c - fence and membar -----------------------------------------===//
//
// PTX ISA, "membar / fence". fence.proxy.async makes what the thread has seen
// visible to the async proxy, in the memory that it names; only shared memory
// is looked at (Race.c). Any other fence turns a following relaxed arrival into
// a release (for example after fence.mbarrier_init).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Async/Async.h"
#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

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
      uint32_t *tick =
          &warp->cluster->clocks.threads[tile_warp_thread(warp, l)].tick;
      warp->fence_tick[l] = *tick;
      *tick += *tick < TILE_MAX_TICK; // what comes later is told apart
    }
  return 0;
}

void tile_emu_decode_fence(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_proxy = !strcmp(decoder->words[0], "fence") &&
                  decoder->num_words > 2 && !strcmp(decoder->words[1], "proxy");
  bool is_async = is_proxy && !strncmp(decoder->words[2], "async", 5);
  if (is_proxy && !strncmp(decoder->words[2], "tensormap", 9)) {
    tile_emu_decode_fence_tensormap(decoder);
    return;
  }
  bool is_global = is_async && decoder->num_words > 3 &&
                   !strcmp(decoder->words[3], "global");
  insn->exec = is_global ? fence_proxy_global : is_async ? fence_proxy : fence;
}

//===- AsyncEngine.c - Decides when asynchronous work happens, and does it ===//
//
// An operation becomes due at a random step, and sometimes only when nothing
// else can run. A load lands in pieces, a store reads shared memory some time
// before it writes global memory. wgmma of a warp run in order, and only once
// all four warps of the warpgroup have issued the same one.
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Report/Statistics.h"
#include "Emulator/Sync/Sync.h"

#include <stdlib.h>

//===-- Bytes -------------------------------------------------------------===//

enum { UNIT_BYTES = 16 }; // of swizzling; remote writes land in whole ones
#define TF32_NAN 0x7fffe000u

//===-- Global to shared --------------------------------------------------===//

static void copy_bytes(const TileAsyncOp *op, const TileAsyncRow *row,
                       uint8_t *to, uint32_t first, uint32_t count) {
  uint8_t pattern[4];
  memcpy(pattern, &op->fill_pattern, sizeof pattern);
  for (uint32_t i = first; i < first + count; i++)
    to[i - first] = i >= row->first && i < row->end
                        ? row->global[i - row->first]
                        : pattern[i % 4];
}

/// Rounds what a row brought, to nearest even, as loads of TF32 maps do.
static void round_tf32(const TileAsyncOp *op, const TileAsyncRow *row,
                       TileCta *cta) {
  for (uint32_t at = row->first; at < row->end; at += 4) {
    uint8_t *to = cta->smem + tile_swizzle(row->shared + at, op->swizzle);
    uint32_t bits;
    memcpy(&bits, to, sizeof bits);
    bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    bits = is_nan ? TF32_NAN : (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    memcpy(to, &bits, sizeof bits);
  }
}

static void move_in(const TileAsyncOp *op, const TileAsyncRow *row,
                    TileCta *cta) {
  uint8_t *smem = cta->smem;
  cta->smem_version++;
  bool is_whole = row->first == 0 && row->end == row->size_bytes;
  if (!op->swizzle) {
    if (is_whole)
      memcpy(smem + row->shared, row->global, row->size_bytes);
    else
      copy_bytes(op, row, smem + row->shared, 0, row->size_bytes);
    return;
  }
  for (uint32_t at = 0; at < row->size_bytes; at += UNIT_BYTES) {
    uint8_t *to = smem + tile_swizzle(row->shared + at, op->swizzle);
    if (at >= row->first && at + UNIT_BYTES <= row->end)
      memcpy(to, row->global + (at - row->first), UNIT_BYTES);
    else
      copy_bytes(op, row, to, at, UNIT_BYTES);
  }
}

static void copy_in(const TileAsyncOp *op, const TileAsyncRow *row,
                    TileCta *cta) {
  move_in(op, row, cta);
  if (TILE_UNLIKELY(op->is_tf32))
    round_tf32(op, row, cta);
}

//===-- Shared to global --------------------------------------------------===//

static void store_read(TileAsyncOp *op) {
  const uint8_t *smem = op->cta->smem;
  uint8_t *to = op->as.store.staged = tile_emu_malloc(op->size_bytes);
  for (uint32_t r = 0; r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    if (!op->swizzle)
      memcpy(to, smem + row->shared, row->size_bytes);
    else
      for (uint32_t at = 0; at < row->size_bytes; at += UNIT_BYTES)
        memcpy(to + at, smem + tile_swizzle(row->shared + at, op->swizzle),
               UNIT_BYTES);
    to += row->size_bytes;
  }
}

static uint64_t flush(const TileAsyncOp *op, uint64_t bits) {
  bool is_denormal = (bits & 0x7f800000) == 0;
  return op->as.store.flushes_denormals && is_denormal ? 0 : bits;
}

static void reduce_row(const TileAsyncOp *op, const TileAsyncRow *row,
                       const uint8_t *from) {
  TilePtxType type = (TilePtxType)op->as.store.type;
  TileAtomicOp reduction = (TileAtomicOp)(op->as.store.reduction - 1);
  uint32_t elem_bytes = tile_emu_type_bytes(type);
  for (uint32_t at = row->first; at + elem_bytes <= row->end;
       at += elem_bytes) {
    uint8_t *to = row->global + (at - row->first);
    uint64_t old = 0, operand = 0;
    memcpy(&old, to, elem_bytes);
    memcpy(&operand, from + at, elem_bytes);
    uint64_t result = tile_emu_atomic_apply(reduction, type, flush(op, old),
                                            flush(op, operand), 0);
    result = flush(op, result);
    memcpy(to, &result, elem_bytes);
  }
}

static void write_row(const TileAsyncRow *row, const uint8_t *from) {
  memcpy(row->global, from + row->first, row->end - row->first);
}

/// Second half: global memory has been written.
static void store_write(TileAsyncOp *op) {
  pthread_mutex_t *lock = &op->warp->cluster->emu->atomics;
  bool is_reduction = op->as.store.reduction != 0;
  const uint8_t *from = op->as.store.staged;
  if (is_reduction)
    pthread_mutex_lock(lock);
  for (uint32_t r = 0; r < op->num_rows; r++) {
    const TileAsyncRow *row = &op->rows[r];
    if (row->end > row->first) {
      if (is_reduction)
        reduce_row(op, row, from);
      else
        write_row(row, from);
    }
    from += row->size_bytes;
  }
  if (is_reduction)
    pthread_mutex_unlock(lock);
}

static void reduce(uint8_t *to, const uint8_t *from, uint32_t size_bytes,
                   TileAtomicOp reduction, TilePtxType type) {
  uint32_t elem_bytes = tile_emu_type_bytes(type);
  for (uint32_t at = 0; at < size_bytes; at += elem_bytes) {
    uint64_t old = 0, operand = 0;
    memcpy(&old, to + at, elem_bytes);
    memcpy(&operand, from + at, elem_bytes);
    uint64_t result = tile_emu_atomic_apply(reduction, type, old, operand, 0);
    memcpy(to + at, &result, elem_bytes);
  }
}

/// Part of what the operation does. True when it is complete.
static bool remote_step(TileAsyncOp *op) {
  TileCluster *cluster = op->warp->cluster;
  TileCta *cta = op->cta, *source = op->as.remote.source;
  uint32_t done = op->as.remote.done_bytes, left = op->size_bytes - done;
  uint32_t size_bytes = left;
  if (left > UNIT_BYTES && tile_cluster_random(cluster) % 3)
    size_bytes =
        UNIT_BYTES *
        (1 + (uint32_t)(tile_cluster_random(cluster) % (left / UNIT_BYTES)));
  uint8_t *to = cta->smem + op->as.remote.offset + done;
  const uint8_t *from =
      source ? source->smem + op->as.remote.source_offset : op->as.remote.value;
  if (op->as.remote.reduction)
    reduce(to, from + done, size_bytes,
           (TileAtomicOp)(op->as.remote.reduction - 1),
           (TilePtxType)op->as.remote.type);
  else
    memcpy(to, from + done, size_bytes);
  cta->smem_version++;
  op->as.remote.done_bytes += size_bytes;
  bool is_done = size_bytes == left;
  uint16_t index = cta->shadow.mbarrier[op->as.remote.mbarrier / 8];
  if (!index)
    return is_done;
  TileMbarrier *mbarrier = &cta->mbarriers[index - 1];
  uint32_t parity = op->as.remote.phase & 1;
  mbarrier->bytes_in_flight[parity] -= size_bytes;
  mbarrier->num_in_flight[parity] -= is_done;
  TileMbarrierUser user = {op->warp, op->insn, TILE_WARP_SIZE};
  tile_emu_mbarrier_complete_tx(&user, mbarrier, size_bytes);
  return is_done;
}

//===-- When --------------------------------------------------------------===//

#define NEVER_DUE UINT64_MAX

TileAsyncOp *tile_emu_async_create(TileWarp *warp, const TileInsn *insn,
                                   TileAsyncKind kind, uint32_t num_rows) {
  TileAsyncOp *op = tile_emu_calloc(1, sizeof *op);
  op->kind = kind;
  op->warp = warp;
  op->insn = insn;
  op->cta = warp->cta;
  op->num_rows = num_rows;
  if (num_rows)
    op->rows = tile_emu_calloc(num_rows, sizeof *op->rows);
  return op;
}

void tile_emu_async_destroy(TileAsyncOp *op) {
  if (op->kind == TILE_ASYNC_STORE)
    free(op->as.store.staged);
  if (op->kind == TILE_ASYNC_WGMMA)
    free(op->as.wgmma.a_fragment);
  free(op->rows);
  free(op);
}

/// The step at which an operation (or its next part) is due.
static uint64_t choose_due(TileCluster *cluster) {
  switch (cluster->emu->options.schedule) {
  case TILE_EMU_SCHEDULE_EAGER:
    return cluster->tick;
  case TILE_EMU_SCHEDULE_LAZY:
    return NEVER_DUE;
  default:
    break;
  }
  uint64_t percent = tile_cluster_random(cluster) % 100;
  if (percent < 25)
    return cluster->tick;
  if (percent < 60)
    return cluster->tick + tile_cluster_random(cluster) % 32;
  if (percent < 85)
    return cluster->tick + tile_cluster_random(cluster) % 512;
  return NEVER_DUE;
}

void tile_emu_async_issue(TileAsyncOp *op) {
  TileCluster *cluster = op->warp->cluster;
  TileWgmmaState *wgmma = &op->warp->wgmma;
  op->due = choose_due(cluster);
  op->number = cluster->num_async_ops++;
  if (cluster->num_async == cluster->async_capacity) {
    cluster->async_capacity =
        cluster->async_capacity ? 2 * cluster->async_capacity : 64;
    cluster->async_ops =
        tile_emu_realloc(cluster->async_ops,
                         cluster->async_capacity * sizeof *cluster->async_ops);
  }
  cluster->async_ops[cluster->num_async++] = op;
  cluster->progress++;
  if (cluster->recorder)
    tile_emu_record_issue(cluster->recorder, op);
  if (op->kind != TILE_ASYNC_WGMMA)
    return;
  if (wgmma->last)
    wgmma->last->as.wgmma.next = op;
  else
    wgmma->first = op;
  wgmma->last = op;
}

//===-- When an operation can run -----------------------------------------===//

static bool wgmma_is_ready(const TileAsyncOp *op) {
  const TileWarp *warp = op->warp;
  if (warp->wgmma.first != op)
    return false;
  uint32_t first = warp->index & ~3u;
  for (uint32_t i = first; i < first + 4 && i < warp->cta->num_warps; i++)
    if (warp->cta->warps[i].wgmma.num_issued <= op->as.wgmma.number)
      return false;
  return true;
}

/// The lanes' earlier cp.async must have completed.
static bool arrive_is_ready(const TileAsyncOp *op) {
  const TileCluster *cluster = op->warp->cluster;
  for (uint32_t i = 0; i < cluster->num_async; i++) {
    const TileAsyncOp *other = cluster->async_ops[i];
    if (other->kind == TILE_ASYNC_CP_ASYNC && other->warp == op->warp &&
        (other->lanes & op->lanes) && other->number < op->number)
      return false;
  }
  return true;
}

static bool is_ready(const TileAsyncOp *op) {
  switch (op->kind) {
  case TILE_ASYNC_WGMMA:
    return wgmma_is_ready(op);
  case TILE_ASYNC_CP_ASYNC_ARRIVE:
    return arrive_is_ready(op);
  default:
    return true;
  }
}

//===-- What it does; true when it is complete ----------------------------===//

static bool step_cp_async(TileAsyncOp *op) {
  TILE_FOR_LANES (l, op->lanes) {
    if (op->rows[l].size_bytes)
      copy_in(op, &op->rows[l], op->cta);
  }
  return true;
}

static bool step_arrive(TileAsyncOp *op) {
  TileClocks *clocks = &op->warp->cluster->clocks;
  TILE_FOR_LANES (l, op->lanes) {
    TileMbarrier *mbarrier = tile_emu_mbarrier_get(op->warp, op->insn, l,
                                                   op->as.arrive.mbarriers[l]);
    if (!mbarrier)
      continue;
    if (op->warp->cluster->detect_races)
      tile_emu_sync_add(clocks, &mbarrier->sync,
                        clocks->first_cp_async + tile_warp_thread(op->warp, l),
                        op->as.arrive.batches[l] + 1);
    TileMbarrierUser user = {op->warp, op->insn, l};
    tile_emu_mbarrier_arrive(&user, mbarrier, 1, false, false);
  }
  return true;
}

/// Some of the remaining rows land in all destination CTAs.
static bool step_load(TileAsyncOp *op) {
  TileCluster *cluster = op->warp->cluster;
  uint32_t count = op->num_rows - op->next_row;
  if (count > 1 && tile_cluster_random(cluster) % 3)
    count = 1 + (uint32_t)(tile_cluster_random(cluster) % count);
  uint32_t size_bytes = 0;
  for (uint32_t r = op->next_row; r < op->next_row + count; r++) {
    TILE_FOR_LANES (rank, op->as.load.cta_mask) {
      copy_in(op, &op->rows[r], &cluster->ctas[rank]);
    }
    size_bytes += op->rows[r].size_bytes;
  }
  op->next_row += count;
  bool is_done = op->next_row == op->num_rows;
  if (is_done)
    tile_emu_map_use_end(op);
  TileMbarrierUser user = {op->warp, op->insn, TILE_WARP_SIZE};
  TILE_FOR_LANES (k, op->as.load.cta_mask) {
    TileCta *cta = &cluster->ctas[k];
    uint16_t index = cta->shadow.mbarrier[op->as.load.mbarrier / 8];
    if (!index)
      continue;
    TileMbarrier *mbarrier = &cta->mbarriers[index - 1];
    uint32_t parity = op->as.load.phases[k] & 1;
    mbarrier->bytes_in_flight[parity] -= size_bytes;
    mbarrier->num_in_flight[parity] -= is_done;
    tile_emu_mbarrier_complete_tx(&user, mbarrier, size_bytes);
  }
  return is_done;
}

static bool step_store(TileAsyncOp *op) {
  if (!op->as.store.staged) {
    store_read(op);
    tile_emu_map_use_end(op);
    return false;
  }
  store_write(op);
  return true;
}

static void async_remove(TileCluster *cluster, const TileAsyncOp *op) {
  for (uint32_t i = 0; i < cluster->num_async; i++)
    if (cluster->async_ops[i] == op) {
      cluster->async_ops[i] = cluster->async_ops[--cluster->num_async];
      return;
    }
}

static void async_step(TileCluster *cluster, TileAsyncOp *op) {
  tile_cluster_wake(cluster);
  bool is_done = true;
  switch (op->kind) {
  case TILE_ASYNC_WGMMA:
    tile_emu_wgmma_run(op);
    break;
  case TILE_ASYNC_CP_ASYNC:
    is_done = step_cp_async(op);
    break;
  case TILE_ASYNC_CP_ASYNC_ARRIVE:
    is_done = step_arrive(op);
    break;
  case TILE_ASYNC_LOAD:
    is_done = step_load(op);
    break;
  case TILE_ASYNC_STORE:
    is_done = step_store(op);
    break;
  case TILE_ASYNC_REMOTE:
    is_done = remote_step(op);
    break;
  }
  if (!is_done) {
    op->due = choose_due(cluster);
    return;
  }
  if (cluster->recorder)
    tile_emu_record_complete(cluster->recorder, op);
  async_remove(cluster, op);
  tile_emu_async_destroy(op);
}

//===-- Scheduling --------------------------------------------------------===//

bool tile_emu_async_run_due(TileCluster *cluster) {
  bool any = false;
  for (uint32_t i = 0; i < cluster->num_async;) {
    TileAsyncOp *op = cluster->async_ops[i];
    if (op->due > cluster->tick || !is_ready(op)) {
      i++;
      continue;
    }
    async_step(cluster, op);
    any = true;
    i = 0; // others may have become ready
  }
  return any;
}

bool tile_emu_async_force(TileCluster *cluster) {
  if (!cluster->num_async)
    return false;
  uint64_t first = tile_cluster_random(cluster) % cluster->num_async;
  for (uint32_t i = 0; i < cluster->num_async; i++) {
    TileAsyncOp *op = cluster->async_ops[(first + i) % cluster->num_async];
    if (is_ready(op)) {
      async_step(cluster, op);
      return true;
    }
  }
  return false;
}

void tile_emu_async_drain_wgmma(TileWarp *warp) {
  TileAsyncOp *next;
  for (TileAsyncOp *op = warp->wgmma.first; op; op = next) {
    next = op->as.wgmma.next;
    async_step(warp->cluster, op);
  }
}

bool tile_emu_async_is_pending(const TileWarp *warp, uint32_t lane,
                               TileAsyncKind kind, int64_t groups_before,
                               bool only_reads) {
  const TileCluster *cluster = warp->cluster;
  for (uint32_t i = 0; i < cluster->num_async; i++) {
    const TileAsyncOp *op = cluster->async_ops[i];
    if (op->kind != kind || op->warp != warp || !tile_lane_in(op->lanes, lane))
      continue;
    bool is_store = kind == TILE_ASYNC_STORE;
    int64_t group =
        is_store ? op->as.store.group : op->as.cp_async.groups[lane];
    bool is_read_done = is_store && op->as.store.staged;
    if (group < groups_before && !(only_reads && is_read_done))
      return true;
  }
  return false;
}

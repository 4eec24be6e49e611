//===- Statistics.c - Counts what a cluster does --------------------------===//

#include "Statistics.h"
#include "Trace.h"

#include <stdlib.h>

//===-- Counts ------------------------------------------------------------===//

void tile_emu_statistics_init(TileStatistics *statistics, uint32_t num_insns) {
  *statistics = (TileStatistics){.num_insns = num_insns};
  statistics->insns = tile_emu_calloc(num_insns, sizeof *statistics->insns);
}

void tile_emu_statistics_deinit(TileStatistics *statistics) {
  free(statistics->insns);
  free(statistics->waits);
  *statistics = (TileStatistics){0};
}

TileWaitCounts *tile_emu_statistics_wait(TileStatistics *statistics,
                                         TileWaitKind kind, uint32_t object) {
  for (uint32_t i = 0; i < statistics->num_waits; i++)
    if (statistics->waits[i].kind == kind &&
        statistics->waits[i].object == object)
      return &statistics->waits[i];
  statistics->waits =
      tile_emu_realloc(statistics->waits,
                       (statistics->num_waits + 1) * sizeof *statistics->waits);
  TileWaitCounts *wait = &statistics->waits[statistics->num_waits++];
  *wait = (TileWaitCounts){.kind = kind, .object = object};
  return wait;
}

void tile_emu_statistics_add(TileStatistics *sum, const TileStatistics *other) {
  for (uint32_t i = 0; i < sum->num_insns; i++) {
    TileInsnCounts *to = &sum->insns[i];
    const TileInsnCounts *from = &other->insns[i];
    to->num_warps += from->num_warps;
    to->num_lanes += from->num_lanes;
    to->num_accesses += from->num_accesses;
    to->num_wavefronts += from->num_wavefronts;
    to->num_ideal += from->num_ideal;
  }
  for (int i = 0; i < TILE_NUM_BYTE_COUNTS; i++)
    sum->bytes[i] += other->bytes[i];
  for (int i = 0; i < TILE_NUM_ASYNC_KINDS; i++)
    sum->num_async[i] += other->num_async[i];
  for (uint32_t i = 0; i < other->num_waits; i++) {
    const TileWaitCounts *from = &other->waits[i];
    TileWaitCounts *to =
        tile_emu_statistics_wait(sum, from->kind, from->object);
    to->num_waits += from->num_waits;
    to->num_incomplete += from->num_incomplete;
    to->num_ticks += from->num_ticks;
  }
}

//===-- Recorder ----------------------------------------------------------===//

TileRecorder *tile_emu_recorder_create(TileCluster *cluster) {
  const TileEmuOptions *options = &cluster->emu->options;
  if (!options->collect_statistics && !options->trace)
    return NULL;
  TileRecorder *recorder = tile_emu_calloc(1, sizeof *recorder);
  uint32_t num_warps = cluster->num_ctas * cluster->ctas[0].num_warps;
  recorder->cluster = cluster;
  recorder->traits = cluster->run->traits;
  recorder->open_waits =
      tile_emu_calloc(num_warps, sizeof *recorder->open_waits);
  tile_emu_statistics_init(&recorder->statistics,
                           cluster->run->kernel->num_insns);
  if (options->trace)
    recorder->own_trace = tile_emu_trace_create(cluster);
  return recorder;
}

void tile_emu_recorder_destroy(TileRecorder *recorder) {
  if (!recorder)
    return;
  tile_emu_statistics_deinit(&recorder->statistics);
  tile_emu_trace_destroy(recorder->own_trace);
  free(recorder->open_waits);
  free(recorder);
}

void tile_emu_recorder_reset(TileRecorder *recorder, uint32_t id) {
  if (!recorder)
    return;
  const TileCluster *cluster = recorder->cluster;
  uint32_t num_warps = cluster->num_ctas * cluster->ctas[0].num_warps;
  tile_emu_statistics_deinit(&recorder->statistics);
  tile_emu_statistics_init(&recorder->statistics,
                           cluster->run->kernel->num_insns);
  memset(recorder->open_waits, 0, num_warps * sizeof *recorder->open_waits);
  recorder->now = 0;
  recorder->trace = id < TILE_MAX_TRACED_CLUSTERS ? recorder->own_trace : NULL;
  if (recorder->trace)
    tile_emu_trace_reset(recorder->trace, cluster);
}

//===-- Waits -------------------------------------------------------------===//

static uint32_t warp_number(const TileWarp *warp) {
  return warp->cta->rank * warp->cta->num_warps + warp->index;
}

/// What the instruction waits for.
static TileOpenWait wait_of(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TileOpenWait wait = {.insn = insn, .object = insn->line};
  uint32_t lane = tile_lane_first(lanes);
  const char *opcode = insn->opcode;
  if (!strncmp(opcode, "mbarrier.", 9)) {
    uint64_t base = insn->as.mbarrier.wide_address
                        ? tile_u64(warp, insn->a)[lane]
                        : tile_u32(warp, insn->a)[lane];
    wait.kind = TILE_WAIT_MBARRIER;
    wait.object =
        (uint32_t)(base + (uint64_t)insn->offset) & TILE_SHARED_OFFSET_MASK;
  } else if (!strncmp(opcode, "barrier.cluster", 15)) {
    wait.kind = TILE_WAIT_CLUSTER;
    wait.object = 0;
  } else if (!strncmp(opcode, "bar", 3)) {
    wait.kind = TILE_WAIT_BARRIER;
    wait.object = tile_u32(warp, insn->a)[lane];
  } else if (!strncmp(opcode, "wgmma", 5))
    wait.kind = TILE_WAIT_WGMMA;
  else
    wait.kind = strncmp(opcode, "cp.async.bulk", 13) ? TILE_WAIT_CP_ASYNC
                                                     : TILE_WAIT_BULK;
  return wait;
}

/// Some lanes have to wait: they are blocked, or the answer was no.
static bool is_incomplete(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                          TileLanes blocked, TileWaitKind kind) {
  if (blocked)
    return true;
  return kind == TILE_WAIT_MBARRIER && (lanes & ~*tile_pred(warp, insn->dst));
}

static void record_wait(TileRecorder *recorder, TileWarp *warp,
                        const TileInsn *insn, TileLanes lanes,
                        TileLanes blocked) {
  if (blocked &&
      warp->wait[tile_lane_first(blocked)].kind == TILE_WAIT_CONVERGE)
    return;
  TileOpenWait *open = recorder->open_waits[warp_number(warp)], *found = NULL;
  TileOpenWait wait = wait_of(warp, insn, lanes);
  for (int i = 0; i < TILE_MAX_OPEN_WAITS && !found; i++)
    if (open[i].insn == insn && open[i].object == wait.object)
      found = &open[i];
  TileWaitCounts *counts =
      tile_emu_statistics_wait(&recorder->statistics, wait.kind, wait.object);
  bool must_wait = is_incomplete(warp, insn, lanes, blocked, wait.kind);
  if (!found)
    counts->num_waits++;
  if (!found && must_wait) {
    counts->num_incomplete++;
    for (int i = 0; i < TILE_MAX_OPEN_WAITS && !found; i++)
      if (!open[i].insn)
        found = &open[i];
    found = found ? found : &open[0]; // diverged in too many ways
    *found = wait;
    found->start = recorder->now;
  } else if (found && !must_wait) {
    counts->num_ticks += recorder->now - found->start;
    if (recorder->trace)
      tile_emu_trace_wait(recorder, warp, found);
    found->insn = NULL;
  }
}

//===-- Instructions and operations ---------------------------------------===//

void tile_emu_record_insn(TileRecorder *recorder, TileWarp *warp,
                          const TileInsn *insn, TileLanes lanes,
                          TileLanes blocked) {
  size_t index = (size_t)(insn - warp->kernel->code);
  TileInsnUnit unit = (TileInsnUnit)recorder->traits[index].unit;
  recorder->now++;
  if (unit == TILE_UNIT_WAIT && lanes)
    record_wait(recorder, warp, insn, lanes, blocked);
  if (blocked && blocked == lanes)
    return; // it will be executed again
  TileInsnCounts *counts = &recorder->statistics.insns[index];
  counts->num_warps++;
  counts->num_lanes += tile_lane_count(lanes & ~blocked);
  recorder->statistics.bytes[TILE_BYTES_WGMMA_READ] +=
      lanes ? recorder->traits[index].read_bytes : 0;
  if (recorder->trace && lanes)
    tile_emu_trace_insn(recorder, warp, insn);
}

static uint64_t inside_bytes(const TileAsyncOp *op) {
  uint64_t size_bytes = 0;
  for (uint32_t r = 0; r < op->num_rows; r++)
    size_bytes += op->rows[r].end - op->rows[r].first;
  return size_bytes;
}

static uint64_t shared_bytes(const TileAsyncOp *op) {
  uint64_t size_bytes = 0;
  for (uint32_t r = 0; r < op->num_rows; r++)
    size_bytes += op->rows[r].size_bytes;
  return size_bytes;
}

void tile_emu_record_issue(TileRecorder *recorder, TileAsyncOp *op) {
  uint64_t *bytes = recorder->statistics.bytes;
  if ((int)op->kind < TILE_NUM_ASYNC_KINDS)
    recorder->statistics.num_async[op->kind]++;
  switch (op->kind) {
  case TILE_ASYNC_LOAD:
    bytes[TILE_BYTES_GLOBAL_READ] += inside_bytes(op);
    bytes[TILE_BYTES_BULK_LOADED] +=
        shared_bytes(op) * tile_lane_count(op->as.load.cta_mask);
    break;
  case TILE_ASYNC_STORE:
    bytes[TILE_BYTES_GLOBAL_WRITTEN] += inside_bytes(op);
    bytes[TILE_BYTES_BULK_STORED] += shared_bytes(op);
    break;
  case TILE_ASYNC_CP_ASYNC:
    bytes[TILE_BYTES_GLOBAL_READ] += inside_bytes(op);
    bytes[TILE_BYTES_CP_ASYNC] += shared_bytes(op);
    break;
  default:
    break;
  }
  if (recorder->trace)
    tile_emu_trace_issue(recorder, op);
}

void tile_emu_record_complete(TileRecorder *recorder, const TileAsyncOp *op) {
  if (recorder->trace)
    tile_emu_trace_complete(recorder, op);
}

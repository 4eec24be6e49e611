//===- Statistics.c - Counts what a cluster does, and traces it -----------===//

#include "Statistics.h"
#include "Emulator/Memory/Address.h"
#include "Emulator/Race/Race.h"

#include <stdio.h>
#include <stdlib.h>

//===-- Trace -------------------------------------------------------------===//

//===-- Life --------------------------------------------------------------===//

static TileTrace *trace_create(const TileCluster *cluster) {
  TileTrace *trace = tile_emu_calloc(1, sizeof *trace);
  trace->num_warps = cluster->num_ctas * cluster->ctas[0].num_warps;
  trace->warps = tile_emu_calloc(trace->num_warps, sizeof *trace->warps);
  trace->was_executed = tile_emu_calloc(
      (size_t)trace->num_warps * cluster->run->kernel->num_insns, 1);
  trace->rows = tile_emu_calloc(cluster->num_ctas, sizeof *trace->rows);
  return trace;
}

static void trace_destroy(TileTrace *trace) {
  if (!trace)
    return;
  free(trace->spans);
  free(trace->warps);
  free(trace->was_executed);
  free(trace->rows);
  free(trace);
}

static void trace_reset(TileTrace *trace, const TileCluster *cluster) {
  trace->num_spans = 0;
  trace->num_dropped = 0;
  memset(trace->warps, 0, trace->num_warps * sizeof *trace->warps);
  for (uint32_t i = 0; i < trace->num_warps; i++)
    trace->warps[i].span.kind = TILE_SPAN_NONE;
  memset(trace->was_executed, 0,
         (size_t)trace->num_warps * cluster->run->kernel->num_insns);
  memset(trace->rows, 0, cluster->num_ctas * sizeof *trace->rows);
}

static void span_add(TileTrace *trace, const TileSpan *span) {
  if (trace->num_spans == TILE_TRACE_MAX_SPANS) {
    trace->num_dropped++;
    return;
  }
  if (trace->num_spans == trace->capacity) {
    trace->capacity = trace->capacity ? 2 * trace->capacity : 256;
    trace->spans =
        tile_emu_realloc(trace->spans, trace->capacity * sizeof *trace->spans);
  }
  trace->spans[trace->num_spans++] = *span;
}

//===-- Warps -------------------------------------------------------------===//

static TileSpanKind span_kind(TileInsnUnit unit) {
  switch (unit) {
  case TILE_UNIT_PRODUCT:
    return TILE_SPAN_PRODUCT;
  case TILE_UNIT_CP_ASYNC:
  case TILE_UNIT_BULK:
    return TILE_SPAN_ISSUE;
  case TILE_UNIT_NONE:
  case TILE_UNIT_WAIT:
    return TILE_SPAN_NONE;
  default:
    return TILE_SPAN_COPY;
  }
}

static void span_end(TileTrace *trace, TileWarpTrace *warp) {
  if (warp->span.kind != TILE_SPAN_NONE)
    span_add(trace, &warp->span);
  warp->span.kind = TILE_SPAN_NONE;
}

static uint32_t warp_number(const TileWarp *warp) {
  return warp->cta->rank * warp->cta->num_warps + warp->index;
}

static void trace_insn(TileRecorder *recorder, const TileWarp *warp,
                       const TileInsn *insn) {
  TileTrace *trace = recorder->trace;
  uint32_t number = warp_number(warp);
  uint32_t index = (uint32_t)(insn - warp->kernel->code);
  TileInsnUnit unit = (TileInsnUnit)recorder->traits[index].unit;
  TileSpanKind kind = span_kind(unit);
  TileWarpTrace *state = &trace->warps[number];
  if (unit == TILE_UNIT_NONE)
    return;
  uint8_t *was_executed =
      &trace->was_executed[(size_t)number * warp->kernel->num_insns + index];
  // One warp of several that do the same issues their bulk copies. The order
  // of execution does not matter.
  bool is_of_role = strstr(insn->opcode, "bulk") == NULL;
  if (!*was_executed && is_of_role)
    state->code += (index + 1) * 0x9E3779B97F4A7C15ull ^ (index + 1ull) << 32;
  *was_executed = 1;
  state->units |= 1u << unit;
  if (kind == TILE_SPAN_NONE)
    return;
  if (state->span.kind != kind) {
    span_end(trace, state);
    state->span = (TileSpan){.kind = (uint8_t)kind,
                             .cta_rank = (uint8_t)warp->cta->rank,
                             .row = (uint16_t)warp->index,
                             .insn = index,
                             .start = recorder->now - 1};
  }
  state->span.end = recorder->now;
}

static void trace_wait(TileRecorder *recorder, const TileWarp *warp,
                       const TileOpenWait *wait) {
  TileTrace *trace = recorder->trace;
  TileWarpTrace *state = &trace->warps[warp_number(warp)];
  if (state->span.kind != TILE_SPAN_NONE && state->span.end > wait->start)
    state->span.end = wait->start; // only some lanes waited
  span_end(trace, state);
  TileSpan span = {.kind = TILE_SPAN_WAIT,
                   .wait_kind = (uint8_t)wait->kind,
                   .cta_rank = (uint8_t)warp->cta->rank,
                   .row = (uint16_t)warp->index,
                   .insn = (uint32_t)(wait->insn - warp->kernel->code),
                   .object = wait->object,
                   .start = wait->start,
                   .end = recorder->now};
  span_add(trace, &span);
}

//===-- Asynchronous units ------------------------------------------------===//

static void trace_issue(TileRecorder *recorder, TileAsyncOp *op) {
  op->issued_at = recorder->now;
  if ((int)op->kind >= TILE_NUM_ASYNC_KINDS)
    return;
  uint64_t *rows = recorder->trace->rows[op->cta->rank][op->kind];
  for (uint32_t i = 0; i < TILE_TRACE_MAX_ROWS; i++)
    if (!rows[i]) {
      rows[i] = op->number + 1;
      return;
    }
}

static void trace_complete(TileRecorder *recorder, const TileAsyncOp *op) {
  if ((int)op->kind >= TILE_NUM_ASYNC_KINDS)
    return;
  TileTrace *trace = recorder->trace;
  uint64_t *rows = trace->rows[op->cta->rank][op->kind];
  for (uint32_t i = 0; i < TILE_TRACE_MAX_ROWS; i++) {
    if (rows[i] != op->number + 1)
      continue;
    rows[i] = 0;
    TileSpan span = {.kind = TILE_SPAN_ASYNC,
                     .async_kind = (uint8_t)op->kind,
                     .cta_rank = (uint8_t)op->cta->rank,
                     .row = (uint16_t)i,
                     .insn = (uint32_t)(op->insn - op->warp->kernel->code),
                     .object = op->size_bytes,
                     .start = op->issued_at,
                     .end = recorder->now};
    span_add(trace, &span);
    return;
  }
  trace->num_dropped++; // more in flight than rows
}

void tile_emu_trace_finish(TileRecorder *recorder) {
  const TileCluster *cluster = recorder->cluster;
  for (uint32_t r = 0; r < cluster->num_ctas; r++)
    for (uint32_t i = 0; i < cluster->ctas[r].num_warps; i++) {
      const TileWarp *warp = &cluster->ctas[r].warps[i];
      uint32_t number = warp_number(warp);
      span_end(recorder->trace, &recorder->trace->warps[number]);
      for (int k = 0; k < TILE_MAX_OPEN_WAITS; k++)
        if (recorder->open_waits[number][k].insn)
          trace_wait(recorder, warp, &recorder->open_waits[number][k]);
    }
}

//===-- Bytes and bank conflicts ------------------------------------------===//

enum { NUM_BANKS = 32, BANK_BYTES = 4, WAVEFRONT_BYTES = 128 };

/// The shared addresses of the lanes of one instruction.
typedef struct {
  TileLanes lanes; // that access shared memory
  uint32_t addresses[TILE_WARP_SIZE];
  uint32_t size_bytes; // of a lane
} SharedAccess;

/// Words of the lanes [first, first + count) that go together.
typedef struct {
  uint32_t words[TILE_WARP_SIZE * 4];
  uint32_t count;
} WordSet;

static void words_add(WordSet *set, uint32_t word) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->words[i] == word)
      return;
  if (set->count < sizeof set->words / sizeof set->words[0])
    set->words[set->count++] = word;
}

/// Wavefronts of one group of lanes: the most words that one bank has to give.
static uint32_t wavefronts(const WordSet *set) {
  uint32_t in_bank[NUM_BANKS] = {0}, most = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    uint32_t bank = set->words[i] % NUM_BANKS;
    in_bank[bank]++;
    most = in_bank[bank] > most ? in_bank[bank] : most;
  }
  return most;
}

static void count_conflicts(TileInsnCounts *counts,
                            const SharedAccess *access) {
  uint32_t lane_bytes =
      access->size_bytes < BANK_BYTES ? BANK_BYTES : access->size_bytes;
  uint32_t group = WAVEFRONT_BYTES / lane_bytes; // lanes that go together
  group = group ? group : 1;
  counts->num_accesses++;
  for (uint32_t first = 0; first < TILE_WARP_SIZE; first += group) {
    WordSet set = {.count = 0};
    for (uint32_t l = first; l < first + group; l++) {
      if (!tile_lane_in(access->lanes, l))
        continue;
      uint32_t begin = access->addresses[l] / BANK_BYTES;
      uint32_t end =
          (access->addresses[l] + access->size_bytes - 1) / BANK_BYTES;
      for (uint32_t word = begin; word <= end; word++)
        words_add(&set, word);
    }
    counts->num_wavefronts += wavefronts(&set);
    counts->num_ideal += (set.count + NUM_BANKS - 1) / NUM_BANKS;
  }
}

//===-- Units -------------------------------------------------------------===//

static TileByteCount byte_count(TileInsnUnit unit, bool is_shared) {
  if (unit == TILE_UNIT_ATOMIC)
    return TILE_BYTES_ATOMIC;
  if (unit == TILE_UNIT_LOAD)
    return is_shared ? TILE_BYTES_SHARED_READ : TILE_BYTES_GLOBAL_READ;
  return is_shared ? TILE_BYTES_SHARED_WRITTEN : TILE_BYTES_GLOBAL_WRITTEN;
}

static bool is_shared_space(const TileInsn *insn) {
  return insn->space == TILE_SPACE_SHARED ||
         insn->space == TILE_SPACE_SHARED_CLUSTER;
}

/// ld, st, atom, red.
static void record_data(TileRecorder *recorder, TileWarp *warp,
                        const TileInsn *insn, TileLanes lanes,
                        TileInsnUnit unit) {
  uint64_t *bytes = recorder->statistics.bytes;
  uint32_t count =
      unit == TILE_UNIT_ATOMIC || !insn->num_vec ? 1 : insn->num_vec;
  SharedAccess access = {.size_bytes = insn->as.memory.elem_bytes * count};
  if (insn->space == TILE_SPACE_PARAM || insn->space == TILE_SPACE_CONST)
    return;
  if (insn->space == TILE_SPACE_LOCAL) {
    bytes[TILE_BYTES_LOCAL] +=
        (uint64_t)access.size_bytes * tile_lane_count(lanes);
    return;
  }
  bool is_shared = is_shared_space(insn);
  TILE_FOR_LANES (l, lanes) {
    uint64_t address =
        tile_address_of(warp, insn, insn->as.memory.wide_address, l);
    bool is_here = is_shared || (insn->space == TILE_SPACE_GENERIC &&
                                 tile_address_is_shared(address));
    bytes[byte_count(unit, is_here)] += access.size_bytes;
    access.addresses[l] = (uint32_t)address;
    if (is_here)
      access.lanes |= tile_lane_bit(l);
  }
  if (access.lanes && access.size_bytes && unit != TILE_UNIT_ATOMIC)
    count_conflicts(&recorder->statistics.insns[insn - warp->kernel->code],
                    &access);
}

/// ldmatrix, stmatrix: lane r gives the address of row r.
static void record_rows(TileRecorder *recorder, TileWarp *warp,
                        const TileInsn *insn, TileLanes lanes,
                        TileInsnUnit unit) {
  enum { ROW_BYTES = 16, ROWS = 8 };
  if ((lanes & warp->live) != warp->live)
    return; // waits for the other lanes
  uint32_t num_rows = ROWS * insn->num_vec;
  SharedAccess access = {.size_bytes = ROW_BYTES};
  access.lanes =
      num_rows >= TILE_WARP_SIZE ? lanes : lanes & ((1u << num_rows) - 1);
  TILE_FOR_LANES (l, access.lanes) {
    access.addresses[l] =
        (uint32_t)tile_address_of(warp, insn, insn->as.memory.wide_address, l);
  }
  TileByteCount count = unit == TILE_UNIT_LDMATRIX ? TILE_BYTES_SHARED_READ
                                                   : TILE_BYTES_SHARED_WRITTEN;
  recorder->statistics.bytes[count] +=
      (uint64_t)ROW_BYTES * tile_lane_count(access.lanes);
  count_conflicts(&recorder->statistics.insns[insn - warp->kernel->code],
                  &access);
}

/// The write to shared memory; bytes are counted when it is issued.
static void record_cp_async(TileRecorder *recorder, TileWarp *warp,
                            const TileInsn *insn, TileLanes lanes) {
  SharedAccess access = {.lanes = lanes,
                         .size_bytes = insn->as.cp_async.size_bytes};
  TILE_FOR_LANES (l, lanes) {
    access.addresses[l] = (uint32_t)tile_address_of(
        warp, insn, insn->as.cp_async.wide_address, l);
  }
  count_conflicts(&recorder->statistics.insns[insn - warp->kernel->code],
                  &access);
}

void tile_emu_record_memory(TileRecorder *recorder, TileWarp *warp,
                            const TileInsn *insn, TileLanes lanes) {
  size_t index = (size_t)(insn - warp->kernel->code);
  TileInsnUnit unit = (TileInsnUnit)recorder->traits[index].unit;
  switch (unit) {
  case TILE_UNIT_LOAD:
  case TILE_UNIT_STORE:
  case TILE_UNIT_ATOMIC:
    record_data(recorder, warp, insn, lanes, unit);
    break;
  case TILE_UNIT_LDMATRIX:
  case TILE_UNIT_STMATRIX:
    record_rows(recorder, warp, insn, lanes, unit);
    break;
  case TILE_UNIT_CP_ASYNC:
    record_cp_async(recorder, warp, insn, lanes);
    break;
  default:
    break;
  }
}

//===-- All launches of a kernel ------------------------------------------===//

const char *tile_emu_wait_name(const TileRun *run, TileWaitKind kind,
                               uint32_t object, char out_name[200]) {
  TileCta cta = {0}; // names depend on the run only
  TileCluster cluster = {.run = (TileRun *)run};
  cta.cluster = &cluster;
  char name[200];
  switch (kind) {
  case TILE_WAIT_MBARRIER:
    if (object < TILE_SHARED_FIRST)
      snprintf(out_name, 200, "mbarrier 0x%x", object);
    else
      snprintf(out_name, 200, "mbarrier %.180s",
               tile_emu_shared_name(&cta, object, name));
    break;
  case TILE_WAIT_BARRIER:
    snprintf(out_name, 200, "barrier %u", object);
    break;
  case TILE_WAIT_CLUSTER:
    snprintf(out_name, 200, "cluster barrier");
    break;
  case TILE_WAIT_CP_ASYNC:
    snprintf(out_name, 200, "cp.async group at ptx:%u", object);
    break;
  case TILE_WAIT_WGMMA:
    snprintf(out_name, 200, "wgmma group at ptx:%u", object);
    break;
  default:
    snprintf(out_name, 200, "bulk group at ptx:%u", object);
    break;
  }
  return out_name;
}

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

static TileWaitCounts *statistics_wait(TileStatistics *statistics,
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
    TileWaitCounts *to = statistics_wait(sum, from->kind, from->object);
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
    recorder->own_trace = trace_create(cluster);
  return recorder;
}

void tile_emu_recorder_destroy(TileRecorder *recorder) {
  if (!recorder)
    return;
  tile_emu_statistics_deinit(&recorder->statistics);
  trace_destroy(recorder->own_trace);
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
    trace_reset(recorder->trace, cluster);
}

//===-- Waits -------------------------------------------------------------===//

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
      statistics_wait(&recorder->statistics, wait.kind, wait.object);
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
      trace_wait(recorder, warp, found);
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
    trace_insn(recorder, warp, insn);
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
    trace_issue(recorder, op);
}

void tile_emu_record_complete(TileRecorder *recorder, const TileAsyncOp *op) {
  if (recorder->trace)
    trace_complete(recorder, op);
}

//===- Trace.c - Records when warps and asynchronous units did what -------===//

#include "Trace.h"

#include <stdlib.h>

//===-- Life --------------------------------------------------------------===//

TileTrace *tile_emu_trace_create(const TileCluster *cluster) {
  TileTrace *trace = tile_emu_calloc(1, sizeof *trace);
  trace->num_warps = cluster->num_ctas * cluster->ctas[0].num_warps;
  trace->warps = tile_emu_calloc(trace->num_warps, sizeof *trace->warps);
  trace->was_executed = tile_emu_calloc(
      (size_t)trace->num_warps * cluster->run->kernel->num_insns, 1);
  trace->rows = tile_emu_calloc(cluster->num_ctas, sizeof *trace->rows);
  return trace;
}

void tile_emu_trace_destroy(TileTrace *trace) {
  if (!trace)
    return;
  free(trace->spans);
  free(trace->warps);
  free(trace->was_executed);
  free(trace->rows);
  free(trace);
}

void tile_emu_trace_reset(TileTrace *trace, const TileCluster *cluster) {
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

void tile_emu_trace_insn(TileRecorder *recorder, const TileWarp *warp,
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

void tile_emu_trace_wait(TileRecorder *recorder, const TileWarp *warp,
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

void tile_emu_trace_issue(TileRecorder *recorder, TileAsyncOp *op) {
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

void tile_emu_trace_complete(TileRecorder *recorder, const TileAsyncOp *op) {
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
          tile_emu_trace_wait(recorder, warp, &recorder->open_waits[number][k]);
    }
}

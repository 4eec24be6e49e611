//===- Trace.h - When warps and asynchronous units did what ---------------===//
//
// Time is the number of warp instructions that the cluster has executed: the
// emulator knows no other. It shows who waits for whom, not how long a GPU
// takes. Spans of a warp never overlap; asynchronous operations are put into as
// many rows as are in flight at once.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_TRACE_H
#define TILE_EMULATOR_TRACE_H

#include "Statistics.h"

typedef enum {
  TILE_SPAN_WAIT,
  TILE_SPAN_PRODUCT,
  TILE_SPAN_COPY,  // by the threads: ld, st, ldmatrix, stmatrix, atomics
  TILE_SPAN_ISSUE, // of asynchronous copies
  TILE_SPAN_ASYNC, // an asynchronous operation in flight
  TILE_SPAN_NONE
} TileSpanKind;

typedef struct {
  uint8_t kind;       // TileSpanKind
  uint8_t async_kind; // of TILE_SPAN_ASYNC: TileAsyncKind
  uint8_t wait_kind;  // of TILE_SPAN_WAIT: TileWaitKind
  uint8_t cta_rank;
  uint16_t row;    // warp, or row of an asynchronous unit
  uint32_t insn;   // index in the kernel
  uint32_t object; // of a wait; bytes of an asynchronous operation
  uint64_t start, end;
} TileSpan;

/// What a warp is doing: consecutive instructions of one kind are one span.
typedef struct {
  TileSpan span;
  uint64_t code;  // hash of the instructions it executed, see role
  uint32_t units; // bit per TileInsnUnit it executed
} TileWarpTrace;

enum {
  TILE_TRACE_MAX_SPANS = 100000, // of a cluster
  TILE_TRACE_MAX_ROWS = 64       // of an asynchronous unit
};

struct TileTrace {
  TileSpan *spans;
  uint32_t num_spans, capacity;
  uint64_t num_dropped;
  TileWarpTrace *warps; // by warp of the cluster
  uint32_t num_warps;
  uint8_t *was_executed; // by warp, by instruction
  /// Operations in flight, by CTA and kind: 1 + the number in each row.
  uint64_t (*rows)[TILE_NUM_ASYNC_KINDS][TILE_TRACE_MAX_ROWS];
};

TileTrace *tile_emu_trace_create(const TileCluster *cluster);
void tile_emu_trace_destroy(TileTrace *trace);
void tile_emu_trace_reset(TileTrace *trace, const TileCluster *cluster);

void tile_emu_trace_insn(TileRecorder *recorder, const TileWarp *warp,
                         const TileInsn *insn);
void tile_emu_trace_wait(TileRecorder *recorder, const TileWarp *warp,
                         const TileOpenWait *wait);
void tile_emu_trace_issue(TileRecorder *recorder, TileAsyncOp *op);
void tile_emu_trace_complete(TileRecorder *recorder, const TileAsyncOp *op);
/// Ends what is still going on.
void tile_emu_trace_finish(TileRecorder *recorder);

/// TraceJson.c: the events of a finished cluster as lines of JSON, each
/// followed by a comma.
void tile_emu_trace_print(const TileCluster *cluster, const TileTrace *trace,
                          TileBuffer *buffer);

#endif // TILE_EMULATOR_TRACE_H

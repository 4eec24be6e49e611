//===- Statistics.h - What a kernel does, counted -------------------------===//
//
// A cluster has a recorder when statistics or a trace are wanted. The
// interpreter tells it about every instruction, the asynchronous engine about
// every operation. Counts are sums, so they do not depend on host threads.
//
// Shared memory: 32 banks of 4 bytes; a wavefront serves one word of every
// bank. Accesses of 8 bytes go in two halves of the warp, of 16 bytes (and rows
// of ldmatrix, stmatrix) in four quarters. Source: CUDA C++ Programming Guide,
// "Shared Memory" of compute capability 5.x and later.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_STATISTICS_H
#define TILE_EMULATOR_STATISTICS_H

#include "Emulator/Async/Async.h"
#include "Support/JsonWriter.h"

/// Instructions that do similar work.
typedef enum {
  TILE_CLASS_MATRIX_PRODUCT,
  TILE_CLASS_MATRIX_MOVE,
  TILE_CLASS_ASYNC_COPY,
  TILE_CLASS_SHARED,
  TILE_CLASS_GLOBAL,
  TILE_CLASS_LOCAL,
  TILE_CLASS_GENERIC,
  TILE_CLASS_PARAM,
  TILE_CLASS_ATOMIC,
  TILE_CLASS_SYNC,
  TILE_CLASS_WARP,
  TILE_CLASS_FLOAT,
  TILE_CLASS_INTEGER,
  TILE_CLASS_MOVE,
  TILE_CLASS_CONTROL,
  TILE_NUM_CLASSES
} TileInsnClass;

/// What the recorder looks at more closely.
typedef enum {
  TILE_UNIT_NONE,
  TILE_UNIT_LOAD,     // ld
  TILE_UNIT_STORE,    // st
  TILE_UNIT_ATOMIC,   // atom, red
  TILE_UNIT_LDMATRIX, // and stmatrix: rows of 16 bytes
  TILE_UNIT_STMATRIX,
  TILE_UNIT_CP_ASYNC, // cp.async of 4, 8 or 16 bytes
  TILE_UNIT_BULK,     // TMA and bulk copies
  TILE_UNIT_PRODUCT,
  TILE_UNIT_WAIT
} TileInsnUnit;

struct TileInsnTraits {
  uint8_t class, unit; // TileInsnClass, TileInsnUnit
  uint64_t macs;       // of a warp
  uint64_t read_bytes; // of shared memory, by a warp's part of a wgmma
  char type[40];       // of a product: "f32.bf16.bf16"
};

/// From the text of the opcode.
TileInsnTraits tile_emu_insn_traits(const char *opcode);
const char *tile_emu_class_name(TileInsnClass class);

typedef enum {
  TILE_BYTES_GLOBAL_READ,
  TILE_BYTES_GLOBAL_WRITTEN,
  TILE_BYTES_SHARED_READ,
  TILE_BYTES_WGMMA_READ, // A and B, each once for a warpgroup
  TILE_BYTES_SHARED_WRITTEN,
  TILE_BYTES_LOCAL,
  TILE_BYTES_ATOMIC,
  TILE_BYTES_BULK_LOADED, // into shared memory, every copy of a multicast
  TILE_BYTES_BULK_STORED, // from shared memory
  TILE_BYTES_CP_ASYNC,    // into shared memory
  TILE_NUM_BYTE_COUNTS
} TileByteCount;

enum { TILE_NUM_ASYNC_KINDS = TILE_ASYNC_REMOTE + 1 };

/// Of an instruction.
typedef struct {
  uint64_t num_warps, num_lanes; // executed for
  // Shared memory only. `ideal` wavefronts: without any conflict.
  uint64_t num_accesses, num_wavefronts, num_ideal;
} TileInsnCounts;

/// Waits for one object, by all CTAs.
typedef struct {
  TileWaitKind kind;
  uint32_t object; // mbarrier offset, barrier number, or PTX line
  uint64_t num_waits, num_incomplete;
  uint64_t num_ticks; // waited: warp instructions of the cluster
} TileWaitCounts;

typedef struct {
  TileInsnCounts *insns; // by instruction
  uint32_t num_insns;
  uint64_t bytes[TILE_NUM_BYTE_COUNTS];
  uint64_t num_async[TILE_NUM_ASYNC_KINDS];
  TileWaitCounts *waits;
  uint32_t num_waits;
} TileStatistics;

void tile_emu_statistics_init(TileStatistics *statistics, uint32_t num_insns);
void tile_emu_statistics_deinit(TileStatistics *statistics);
void tile_emu_statistics_add(TileStatistics *sum, const TileStatistics *other);

//===-- Recorder ----------------------------------------------------------===//

typedef struct TileTrace TileTrace;

enum { TILE_MAX_OPEN_WAITS = 4, TILE_MAX_TRACED_CLUSTERS = 64 };

/// A wait that was not satisfied at once.
typedef struct {
  const TileInsn *insn; // NULL: none
  uint64_t start;
  uint32_t object;
  TileWaitKind kind;
} TileOpenWait;

struct TileRecorder {
  TileCluster *cluster;
  const TileInsnTraits *traits; // by instruction; of the run
  TileStatistics statistics;
  TileTrace *own_trace; // NULL: not wanted
  TileTrace *trace;     // the same, NULL when this cluster is not traced
  uint64_t now;         // warp instructions executed by the cluster
  TileOpenWait (*open_waits)[TILE_MAX_OPEN_WAITS]; // by warp of the cluster
};

/// NULL when the options want neither statistics nor a trace.
TileRecorder *tile_emu_recorder_create(TileCluster *cluster);
void tile_emu_recorder_destroy(TileRecorder *recorder);
/// For cluster number `id`; the recorder may be NULL.
void tile_emu_recorder_reset(TileRecorder *recorder, uint32_t id);

/// Before an instruction is executed: registers still have the addresses.
void tile_emu_record_memory(TileRecorder *recorder, TileWarp *warp,
                            const TileInsn *insn, TileLanes lanes);
/// It was executed for `lanes`, of which `blocked` have to try again.
void tile_emu_record_insn(TileRecorder *recorder, TileWarp *warp,
                          const TileInsn *insn, TileLanes lanes,
                          TileLanes blocked);
void tile_emu_record_issue(TileRecorder *recorder, TileAsyncOp *op);
void tile_emu_record_complete(TileRecorder *recorder, const TileAsyncOp *op);

/// The traits of all instructions of a run; free().
TileInsnTraits *tile_emu_traits_create(const TileKernel *kernel);

//===-- Results -----------------------------------------------------------===//

/// Of all launches of a kernel. Texts belong to the device.
struct TileKernelStatistics {
  const char *name;
  uint64_t num_launches;
  TileStatistics statistics;
  TileInsnTraits *traits;
  uint32_t *lines;
  const char **opcodes;
  const char **wait_names; // by entry of statistics.waits
};

const char *tile_emu_wait_name(const TileRun *run, TileWaitKind kind,
                               uint32_t object, char out_name[200]);

//===-- Rows --------------------------------------------------------------===//

/// Matrix products of one type.
typedef struct {
  char type[40]; // "f32.bf16.bf16"
  uint64_t num_warps, macs;
} TileProductTotal;

const char *tile_emu_async_kind_name(TileAsyncKind kind);

//===-- Trace -------------------------------------------------------------===//

// Time is the number of warp instructions that the cluster has executed: the
// emulator knows no other. It shows who waits for whom, not how long a GPU
// takes. Spans of a warp never overlap; asynchronous operations are put into as
// many rows as are in flight at once.

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

/// Ends what is still going on.
void tile_emu_trace_finish(TileRecorder *recorder);

/// TraceJson.c: the events of a finished cluster as lines of JSON, each
/// followed by a comma.
void tile_emu_trace_print(const TileCluster *cluster, const TileTrace *trace,
                          TileString *buffer);

#endif // TILE_EMULATOR_STATISTICS_H

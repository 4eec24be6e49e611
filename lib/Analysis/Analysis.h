//===- Analysis.h - Questions about kernels; reads IR, never writes -------===//
#ifndef TILE_ANALYSIS_H
#define TILE_ANALYSIS_H

#include "Dialect/ElementLoops.h"
#include "Dialect/Im2col.h"
#include "Dialect/Products.h"
#include "Layout/LayoutInfer.h"
#include "Support/Arena.h"
#include "Support/Int.h"
#include "Target/Target.h"
#include "Tile/Protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Shared memory (SharedMemory.c) ------------------------------------===//

/// A shared tile or a row of mbarriers.
typedef struct {
  MlirOperation op; // tile.alloc or tile.barrier_alloc
  int64_t size_bytes, align_bytes;
  int64_t first, last;  // lifetime in program order; -1: never used
  int64_t offset_bytes; // set by tile_shared_memory_place
  bool is_barrier;
  bool is_ring;    // of a channel, whose barriers order accesses to it
  bool is_drained; // ring: buffers that follow it may use its bytes
  MlirValue full;  // ring: the barrier that says that a slot is filled
  MlirOperation reader, filler; // ring: the roles that do, or null
  bool has_other_uses;          // ring: other roles, or one that does both
  int64_t last_read;  // ring: behind it the reader neither reads nor waits; -1
  bool is_throughout; // several roles use it: it lives all the time
  MlirOperation role; // one that uses it, or null
  MlirOperation in_flight; // while collecting: a copy to it, not waited for
  MlirOperation under_way; // while collecting: products that read, not awaited
  // While collecting: the loop whose body writes all of it before any other
  // use, and where that loop begins and ends once no use behind it is known.
  MlirOperation fresh_in;
  int64_t loop_first, loop_last;
} TileSharedBuffer;

typedef struct {
  TileSharedBuffer *buffers; // program order
  size_t num_buffers;
  int64_t total_bytes; // set by tile_shared_memory_place
} TileSharedMemory;

/// Sizes, alignments and lifetimes of the shared buffers of a kernel. A buffer
/// that a loop uses lives as long as the loop; with `is_tight`, where each
/// iteration writes all of it first, from there to its last use in the body.
/// Owner: `arena`.
void tile_shared_memory_build(TileArena *arena, MlirOperation kernel,
                              bool is_tight, TileSharedMemory *out_memory);
/// Gives every buffer an offset. Buffers that do not live at the same time may
/// share bytes; the result is deterministic.
void tile_shared_memory_place(TileArena *arena, TileSharedMemory *memory);
/// Reads the offsets that packing wrote, -1 where it has not run, and which
/// rings are used again; without offsets all that packing may use again are.
void tile_shared_memory_read_offsets(TileSharedMemory *memory);
/// Whether two buffers may have bytes in common: the one place to ask. Packed:
/// by their bytes; else packing may lay them together where they do not live at
/// the same time.
bool tile_shared_bytes_overlap(const TileSharedBuffer *a,
                               const TileSharedBuffer *b);
/// The same of what two tiles are windows of. Of tiles that are not packed only
/// those of one buffer are known to have bytes in common; tiles that are not in
/// shared memory never do.
bool tile_share_bytes(MlirValue a, MlirValue b);
/// Buffers that do not live at the same time may share bytes.
bool tile_shared_lifetimes_overlap(const TileSharedBuffer *a,
                                   const TileSharedBuffer *b);
/// Whether one role uses `buffer`, and only after it has waited for the fills
/// of the ring and read them. Every fill is over then, provided that each is
/// waited for, which the proof of channels shows (Protocol.h).
bool tile_shared_follows_ring(const TileSharedBuffer *buffer,
                              const TileSharedBuffer *ring);
/// The buffer behind a tile operand, or NULL.
TileSharedBuffer *tile_shared_memory_find(TileSharedMemory *memory,
                                          MlirValue tile);

//===-- Windows of shared tiles (SharedWindows.c) -------------------------===//

/// A shared tile, or a window of one, with the layout that places its elements.
typedef struct {
  MlirValue tile;  // what the window is cut from: a tile.alloc, or a view
  TileLayout full; // of the whole tile
  int full_rank;
  TileShape shape;               // of the window
  int dim[TILE_MAX_RANK];        // dimension of the tile, per window dimension
  TileInt offset[TILE_MAX_RANK]; // per dimension of the tile
  bool on_grid;                  // known to be multiples of the sizes
  // Where the window starts and ends between digits of the layout, it has one
  // of its own: element x is at (layout(x) ^ toggle) + add, and what the SSA
  // offsets add.
  bool is_aligned;
  TileLayout layout;
  int64_t toggle, add;
} TileSharedWindow;

/// False when `tile` is not in shared memory, or has no layout that can be
/// emitted as code: then `out_error` says why.
bool tile_shared_window_get(MlirValue tile, TileSharedWindow *out_window,
                            TileLayoutError *out_error);
/// The same of a window whose `tile`, `shape`, `dim` and `offset` are filled
/// in, with offsets of any integer type.
bool tile_shared_window_complete(TileSharedWindow *window,
                                 TileLayoutError *out_error);
//===-- Registers (FragmentRegisters.c) -----------------------------------===//

/// Registers that every kernel needs beside its fragments: addresses, counters,
/// the number of the thread. One of 247 registers of 255 compiles without
/// spilling where nothing but copies is done to it.
enum { TILE_OTHER_REGISTERS = 8 };

/// Registers that ptxas gives a thread: what `tile.kernel_config` says, else an
/// equal share of those of a multiprocessor.
int64_t tile_kernel_thread_registers(MlirOperation kernel,
                                     const TileTarget *target,
                                     int64_t num_threads);
/// The same of the threads that hold the fragment: a role has what it was
/// given.
int64_t tile_fragment_thread_registers(TileAllocOp fragment,
                                       MlirOperation kernel,
                                       const TileTarget *target,
                                       int64_t num_threads);
/// Where most registers hold fragments.
typedef struct {
  MlirOperation op; // behind it; null: nowhere
  int64_t num_registers;
  int num_fragments;
} TileFragmentPeak;
/// Of the threads that hold `fragment`; what has no layout yet is not counted.
TileFragmentPeak tile_fragment_peak(TileArena *arena, MlirOperation kernel,
                                    TileAllocOp fragment);

//===-- Tensors (TensorAlias.c) -------------------------------------------===//

/// The memref that `tile` is a part of.
MlirValue tile_tensor_root(MlirValue tile);
/// Whether the memref shares no memory with any other one of which this holds:
/// arguments of a function that does not opt out with `tile.may_alias`.
bool tile_tensor_is_distinct(MlirValue root);

//===-- Synchronisation (SyncPlan.c) --------------------------------------===//

/// What the thread that issued TMA stores waits for.
typedef enum {
  TILE_STORE_WAIT_NONE,
  TILE_STORE_WAIT_READ,    // they have read shared memory
  TILE_STORE_WAIT_COMPLETE // they have written the tensors
} TileStoreWait;

/// A set of memories of which a proxy fence orders the accesses.
enum { TILE_FENCE_SHARED = 1, TILE_FENCE_GLOBAL = 2 };

/// A place where threads must meet, or writers must fence.
typedef struct {
  MlirOperation before;
  bool barrier;
  uint8_t fence;            // TILE_FENCE_…; it stands before the barrier
  TileStoreWait store_wait; // in front of both
  int pending;              // stores that it does not wait for, the last ones
} TileSyncPoint;

/// A copy or fill whose threads let a barrier go: its lowering has to take this
/// chunk (ChunkWidth.c).
typedef struct {
  MlirOperation op;
  int64_t chunk_elems;
} TileSyncChunk;

/// Who issues TMA stores waits at his end until they have read shared memory.
typedef struct {
  MlirOperation last;   // of the ops of the kernel or role
  MlirOperation before; // its terminator, or null
} TileSyncEnd;

typedef struct {
  TileSyncPoint *points; // in order of discovery
  size_t num_points, capacity;
  TileSyncChunk *chunks;
  size_t num_chunks;
  // What uses an mbarrier before all threads have met behind its init; null:
  // nothing does.
  MlirOperation unmet;
  TileSyncEnd *ends;
  size_t num_ends, ends_capacity;
} TileSyncPlan;

/// Barriers and fences that the kernel lacks. Uses packed offsets where
/// `tile-pack-shared-memory` wrote them; without them buffers that do not live
/// at the same time count as sharing bytes. The kernel has passed
/// tile_kernel_verify. Without `target` (NULL) it may be any chip. Owner:
/// `arena`.
void tile_sync_plan_build(TileArena *arena, MlirOperation kernel,
                          const TileTarget *target, TileSyncPlan *out_plan);

/// What a kernel lacks behind tile-insert-sync. `op` is the one in front of
/// which it is missing, or the last one of the role or kernel.
typedef struct {
  MlirOperation op;
  const char *code, *text;
} TileSyncFault;

/// False, with the first fault, when the plan of the kernel has something to
/// add. Kernels that say what each thread does have none.
bool tile_sync_check(MlirOperation kernel, const TileSyncPlan *plan,
                     TileSyncFault *out_fault);

//===-- Protocols of roles (ProtocolExtract.c) ----------------------------===//

/// The roles of a kernel and their channels as a protocol; nodes know the op
/// they come from (`origin`). False when the kernel has no roles with channels.
/// `out_failed` is null, or an op that cannot be followed: then `out_failure`
/// says why, as the end of a sentence about the op, and the protocol is not
/// complete.
/// Owner: `arena`.
bool tile_protocol_extract(TileArena *arena, MlirOperation kernel,
                           TileProtocol *out_protocol,
                           MlirOperation *out_failed, const char **out_failure);

/// An mbarrier whose phases can never end.
typedef struct {
  MlirOperation op, alloc; // that is wrong, and of the barrier
  const char *code;        // "not-initialised", "initialised-again", …
  char text[240];
} TileBarrierFault;

/// Whether an mbarrier of the kernel, of a channel or not, is not initialised,
/// or counts arrivals that its ops can never add up to (BarrierCheck.c).
bool tile_barriers_check(MlirOperation kernel, TileBarrierFault *out_fault);

/// Judges the mbarriers that no channel has, of the roles of a kernel or of its
/// block outside of them (BarrierExtract.c). False when there are none. The
/// protocol has a channel per row of mbarriers, and is there for messages;
/// `out_failed` as for tile_protocol_extract: then there is no verdict. The
/// points of `plan` count as if they stood there. Owner: `arena`.
bool tile_barriers_verify(TileArena *arena, MlirOperation kernel,
                          bool is_of_roles, const TileSyncPlan *plan,
                          const TileProtocolLimits *limits,
                          TileProtocol *out_protocol,
                          TileProtocolVerdict *out_verdict,
                          MlirOperation *out_failed, const char **out_failure);

//===-- Rings (Rings.c) ---------------------------------------------------===//

/// Stage dimensions of a shared tile: its first ones that all windows through
/// which tile ops see it drop, 0 when there is none, or an op sees it as a
/// whole. Rings in a pipelined loop have two. A layout that the user gave must
/// place all slots alike.
int tile_num_stage_dims(TileAllocOp alloc);
/// The layout that the user gave to the tile behind `tile`, of a slot where it
/// is a ring, as a view has it. False without one.
bool tile_given_layout(MlirValue tile, TileLayout *out_layout);
/// Bytes from a slot of the ring behind `tile` to the next one where its given
/// layout has that at no multiple of `align_bytes`, else 0.
int64_t tile_slot_offset_bytes(MlirValue tile, int64_t align_bytes);
/// Whether `tile` is a whole `tile.alloc`, a whole view, or a whole slot of a
/// ring.
bool tile_is_whole_or_slot(MlirValue tile);

//===-- Layout inference (LayoutProblem.c) --------------------------------===//

/// A kernel as plain data. `values[i]` is the IR value of buffer i: the result
/// of a `tile.alloc`, or a global window; `ops[i]` is the IR op of op i.
typedef struct {
  TileInferProblem problem;
  MlirValue *values;
  MlirOperation *ops;
} TileLayoutProblem;

/// A window of a tile as the algebra names it; `shape` is that of the window.
/// False when it starts at no multiple of its size.
bool tile_region_cut(TileRegionOp region, const TileShape *shape,
                     TileLayoutCut *out);

/// Owner: `arena`. Errors: an op without instruction, a window that a product
/// cannot take.
MLIR_CAPI_EXPORTED MlirLogicalResult
tile_layout_problem_build(TileArena *arena, MlirOperation kernel,
                          int64_t num_threads, TileLayoutProblem *out_problem);

//===-- Element loops (LoopOperands.c) ------------------------------------===//

/// An index as  sum(factor[k] * parallel index k) + rest, where the rest is the
/// same for all elements.
typedef struct {
  bool is_linear; // else nothing below means anything
  int64_t factor[TILE_MAX_RANK];
  bool is_rest_known; // the rest is the constant `rest`
  int64_t rest;
  int64_t rest_divisor; // divides the rest; 0: the rest is 0
} TileLinearIndex;

/// The body of `loop` holds `index`, or it comes from outside.
TileLinearIndex tile_linear_index(TileParallelOp loop, MlirValue index);
/// The same of an index that may be a quotient by a power of two, rounded down,
/// as that of a byte that holds several elements is: linear is what is divided
/// by `out_divisor`.
TileLinearIndex tile_quotient_index(TileParallelOp loop, MlirValue index,
                                    int64_t *out_divisor);

/// Which parallel index moves which dimension of a buffer.
typedef struct {
  MlirValue memref;
  TileSpace space;
  bool reads, writes, is_write_guarded;
  int map[TILE_MAX_RANK]; // parallel index of every dimension, -1: none
  unsigned exact_dims; // mask: dimensions that are their parallel index, from 0
                       // to the extent, or index 0 of extent 1
} TileLoopOperand;

enum { TILE_MAX_LOOP_OPERANDS = 32 };

/// Buffers that threads share or that lie in registers, one entry per buffer
/// and map. Left out: accesses that no map describes, and what exceeds the
/// capacity; they constrain no layout.
int tile_loop_operands(TileParallelOp loop,
                       TileLoopOperand out[TILE_MAX_LOOP_OPERANDS]);

/// The tile that the loop fills: every element, once on every path, at its own
/// indices, and with nothing stored elsewhere. Null when there is none.
MlirValue tile_loop_filled_tile(TileParallelOp loop);

/// Whether `access`, of the body of `loop`, is one of those behind `operand`.
bool tile_loop_operand_has(TileParallelOp loop, const TileLoopOperand *operand,
                           const TileElementAccess *access);

/// Bytes that the address and every stride but the last of the tensor are known
/// to be multiples of at an access: what `tile.align` says, else 1.
int64_t tile_element_align_bytes(MlirOperation access);
/// Bytes of the neighbours that the access of a tensor would move together, 4,
/// 8 or 16, if the address of the tensor and its strides were multiples of
/// them; 0: it moves no neighbours, or says how it is aligned.
int64_t tile_element_wanted_bytes(MlirOperation access);
/// Bytes, at most 16, that all static strides of the tensor but the last are
/// multiples of; 0 for a type that has no strides.
int64_t tile_tensor_align_limit(MlirValue tensor);

//===-- Loops of copies (CopyLoops.c) -------------------------------------===//

/// Whether `op` is an `scf.for` that does nothing but copy from tensors to
/// parts of shared tiles, fill parts, under conditions, and compute what that
/// takes.
bool tile_copy_loop_is(MlirOperation op);
/// And all of its copies are to be done by cp.async, none is under way, and all
/// may be at once: no two of its writes go to one place, but on paths that
/// exclude each other.
bool tile_copy_loop_is_cp_async(MlirOperation op);
/// Whether threads load and store some of its copies themselves.
bool tile_copy_loop_is_plain(MlirOperation op);
/// Makes all copies in it asynchronous: a group behind the loop takes them in.
void tile_copy_loop_set_async(MlirOperation op);

/// What a loop of copies fills of one tile: a box, in elements, of which each
/// iteration fills a part that no other does.
typedef struct {
  int64_t begin[TILE_MAX_RANK], end[TILE_MAX_RANK];
  bool is_sure; // on every path
  bool is_once; // at most once on every path
} TileCopyLoopFill;
/// False when `op` is no loop of copies, its bounds are not constant, or what
/// it writes of the tile `root` has another form. `is_ring`: of one slot of a
/// ring, which dimension 0 names; the box has no numbers for that.
bool tile_copy_loop_fill(MlirOperation op, MlirValue root, bool is_ring,
                         TileCopyLoopFill *out_fill);

//===-- Chunks of copies and fills (ChunkWidth.c) -------------------------===//

/// Elements of the last dimension that one thread of a copy or fill of memory
/// moves at once. Chunks are numbered row by row; of T threads thread t takes
/// t, t + T, …
typedef struct {
  int64_t known; // what is known allows so many
  int64_t hoped; // >= known: a kernel that writes a tensor looks whether it may
} TileChunk;
/// Of a `tile.fill`, or of a `tile.copy` without fragments that is no TMA copy.
TileChunk tile_chunk_of(MlirOperation op);

/// Written by tile-insert-sync where barriers rest on it: the chunk, in
/// elements, which then is that of the lowering.
#define TILE_CHUNK_ATTR "tile.chunk"
/// Its value, or 0.
int64_t tile_given_chunk(MlirOperation op);

typedef struct {
  int64_t align_bytes; // rows of the window are known to start at multiples
  int64_t row_bytes;   // of the tile
  int64_t run_bytes;   // of the tile that are stored one after another
  int64_t bytes;       // of a chunk
} TileCpAsyncChunk;
/// The chunk of a copy of a window of a tensor by cp.async; false when there is
/// none that it can copy.
bool tile_cp_async_chunk(TileCopyOp copy, TileCpAsyncChunk *out);

//===-- Lines of shared tiles (LineDeal.c) --------------------------------===//

/// The threads of a block or role take the lines of a tile along a dimension in
/// turn, row by row over the others, each line by a run of lanes.
typedef struct {
  int64_t extent;    // of a line
  int64_t num_lines; // product of the other extents
  int64_t group;     // lanes per line: a power of two, at most `extent`
  int64_t per_round; // lines that the threads take at once
  int64_t num_rounds;
} TileLineDeal;

/// How the lowering of reductions and scans deals the lines of a tile, whose
/// shape is static.
TileLineDeal tile_line_deal(const TileShape *shape, int dim,
                            int64_t num_threads);

//===-- Indices (IndexDivisors.c, IndexFacts.c) ---------------------------===//
//
// Both look through arithmetic and the induction variables of `scf.for`.

/// A number >= 1 that divides every value of `index`; 0 when it is always 0.
int64_t tile_index_divisor(TileInt index);

typedef struct {
  bool is_known;
  int64_t min, max; // inclusive
} TileIndexBounds;

/// The least and the largest value of `index`, where block ids count as below a
/// constant grid.
TileIndexBounds tile_index_bounds(TileInt index);

/// Offset of a window in dimension `dim` of its source.
TileInt tile_region_offset(TileRegionOp region, int dim);
/// Dimension of the result, or -1 when `dim` is dropped.
int tile_region_result_dim(TileRegionOp region, int dim);

//===-- Pads (WindowPads.c) -----------------------------------------------===//

/// Whether the window never leaves its tensor in dimension `dim` of the tensor.
bool tile_window_is_inside(TileRegionOp region, int dim);
/// What loads of the window give where it may leave its tensor, if not zeros;
/// else null. TMA has no such pads; of a copy by cp.async the threads that
/// issue it store them at once: who waits for the copy waits for these threads,
/// too.
MlirValue tile_window_pad(MlirValue tile);

//===-- Instructions (InstructionSelect.c) --------------------------------===//

/// Why an instruction cannot be used: a stable code and a sentence. A code
/// without "/" says that the instruction does not apply to the op at all: no
/// remark is made of it.
typedef struct {
  const char *code; // "tile-instr/alignment"
  char text[200];
} TileInstrReason;

/// What the surroundings of an op add to its own types.
typedef struct {
  const TileTarget *target;
  int64_t num_threads; // that compute; -1: unknown
  bool in_launch;      // tensor maps can be made: the op is in a gpu.launch
  bool splits_pads;    // tile-split-pads is still to run
} TileInstrContext;

/// Whether `instr` can carry out the copy; if not, why.
bool tile_copy_instr_is_legal(TileCopyOp copy, TileInstr instr,
                              const TileInstrContext *context,
                              TileInstrReason *out_reason);
/// The same if the host had found the address and the row pitches of the tensor
/// to be multiples of `align_bytes`, and images to have whole groups of
/// channels where that is 16.
bool tile_copy_instr_is_legal_if_aligned(TileCopyOp copy, TileInstr instr,
                                         const TileInstrContext *context,
                                         int64_t align_bytes,
                                         TileInstrReason *out_reason);
/// Bytes that one cp.async of the copy moves then: 4, 8 or 16, 0 where it is
/// not legal or gathers an image. Layouts that are open allow 16.
int64_t tile_copy_async_bytes(TileCopyOp copy, const TileInstrContext *context,
                              int64_t align_bytes);
/// The same of a copy from a `tile.im2col`; `host_can_tell`: what a host check
/// can establish is believed (InstructionIm2col.c).
bool tile_im2col_instr_is_legal(TileCopyOp copy, TileInstr instr,
                                const TileInstrContext *context,
                                bool host_can_tell,
                                TileInstrReason *out_reason);
/// Columns, a divisor of those of the window: cut in groups of so many, they
/// are each of one element of the filter. `channels_fit`: where only the image
/// says how many channels it has, they are believed to be a multiple.
int64_t tile_im2col_known_run(TileIm2colOp im2col, bool channels_fit);
/// Elements of a row, at most 16 bytes, that are one access of the image
/// wherever they begin at a multiple; 1: also says why, where `out_reason` is
/// not null. `align_bytes`: of pixels, known; `run`: of tile_im2col_known_run.
/// `may_end_inside`: the last ones may be behind the last channel.
int64_t tile_im2col_group(TileIm2colOp im2col, int64_t align_bytes, int64_t run,
                          bool may_end_inside, TileInstrReason *out_reason);
/// Whether groups of so many columns may go on behind the last channel.
bool tile_im2col_group_overruns(TileIm2colOp im2col, int64_t group);
/// Whether only the image says how many columns an element of the filter has.
bool tile_im2col_run_is_open(TileIm2colOp im2col);
/// Whether TMA could store what the copy stores, were it in a shared tile of
/// the element type of the tensor; if not, why. `is_aligned` as above.
bool tile_staged_store_is_legal(TileCopyOp copy,
                                const TileInstrContext *context,
                                bool is_aligned, TileInstrReason *out_reason);
/// Whether `instr` (for a sparse product, its form with .sp) can carry out the
/// product; if not, why.
bool tile_product_instr_is_legal(const TileProduct *product, TileInstr instr,
                                 const TileInstrContext *context,
                                 TileInstrReason *out_reason);
/// Whether TMA can carry out the update; if not, why. `rows_are_aligned`: facts
/// that a host check can establish are believed.
bool tile_atomic_tma_is_legal(TileAtomicOp atomic,
                              const TileInstrContext *context,
                              bool rows_are_aligned,
                              TileInstrReason *out_reason);
/// Reports a copy, product or update whose `instr` is not legal. Facts that a
/// host check can establish are believed when `is_aligned`. Other ops pass.
MlirLogicalResult tile_instr_verify(MlirOperation op,
                                    const TileInstrContext *context,
                                    bool is_aligned);
const char *tile_instr_name(TileInstr instr);

/// Bytes that the address of every row of the tile's source is known to be a
/// multiple of; at least the element size.
int64_t tile_row_align_bytes(MlirValue tile);
/// The same of the first element of every row of the window.
int64_t tile_window_align_bytes(MlirValue tile);

#ifdef __cplusplus
}
#endif

#endif // TILE_ANALYSIS_H

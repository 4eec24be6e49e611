//===- Memory.h - What tiles take: bytes, registers, chunks ---------------===//
//
// Shared tiles with their bytes and lifetimes, rings, windows of shared tiles,
// registers of fragments, and how threads deal a tile among them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_MEMORY_H
#define TILE_ANALYSIS_MEMORY_H

#include "Dialect/Boxes.h"
#include "Dialect/Ops.h"
#include "Layout/Layout.h"
#include "Support/Arena.h"
#include "Support/Int.h"
#include "Target/Target.h"

//===-- Shared memory (SharedMemory.c, SharedPlacement.c) -----------------===//

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
  int64_t last_read;  // ring: after it the reader neither reads nor waits; -1
  bool is_throughout; // several roles use it: it lives all the time
  MlirOperation role; // one that uses it, or null
  MlirOperation in_flight; // while collecting: a copy to it, not waited for
  MlirOperation under_way; // while collecting: products that read, not awaited
  // While collecting: the loop whose body, or a block of it under conditions,
  // writes all of it before any other use there, and uses it nowhere else;
  // where that loop begins and ends once no use after it is known.
  MlirOperation fresh_in;
  MlirBlock fresh_block;
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
/// Bytes that a tile of this layout is aligned to: where TMA may write it.
int64_t tile_shared_align_bytes(const TileLayout *layout);
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

/// What a window is to a layout of its base; false when it starts at no
/// multiple of its size.
bool tile_window_cut(MlirValue tile, TileLayoutCut *out);

/// A shared tile, or a window of one, with the layout that places its elements.
typedef struct {
  TileBox box;     // the base is a tile.alloc, or a view
  TileLayout full; // of the base
  TileShape shape; // of the window
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
                            TileReason *out_error);
/// The same of a window whose `box` and `shape` are filled in, with offsets of
/// any integer type.
bool tile_shared_window_complete(TileSharedWindow *window,
                                 TileReason *out_error);

//===-- Rings (Rings.c) ---------------------------------------------------===//

/// Stage dimensions of a shared tile: its first ones that all windows through
/// which tile ops see it drop, 0 when there is none, or an op sees it as a
/// whole. Rings in a pipelined loop have two. A layout that the user gave must
/// place all slots alike.
int tile_num_stage_dims(TileAllocOp alloc);
/// The layout that the user gave to the tile behind `tile`, of a slot where it
/// is a ring, as a view has it. False without one.
bool tile_given_layout(MlirValue tile, TileLayout *out_layout);
/// The layout that the user gave to a tile, for a ring of so many slots, each
/// of which begins where the tile may. Null without one.
MlirAttribute tile_ring_layout(TileAllocOp alloc, int64_t num_slots);
/// Bytes from a slot of the ring behind `tile` to the next one where its given
/// layout has that at no multiple of `align_bytes`, else 0.
int64_t tile_slot_offset_bytes(MlirValue tile, int64_t align_bytes);
/// Whether `tile` is a whole `tile.alloc`, a whole view, or a whole slot of a
/// ring.
bool tile_is_whole_or_slot(MlirValue tile);

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
/// Whether `op` copies elements that are narrower than a register one by one
/// from a tensor: ptxas keeps only those together that came in one word.
bool tile_copy_comes_in_pieces(MlirOperation op);
/// Where most registers hold fragments.
typedef struct {
  MlirOperation op; // after it; null: nowhere
  int64_t num_registers;
  int num_fragments;
} TileFragmentPeak;
/// Of the threads that hold `fragment`; what has no layout yet is not counted.
TileFragmentPeak tile_fragment_peak(TileArena *arena, MlirOperation kernel,
                                    TileAllocOp fragment);

//===-- Occupancy (Occupancy.c) -------------------------------------------===//
//
// An estimate before pipelines and layouts exist: registers are known to ptxas
// only, and packing lets tiles share memory. It decides what pays, never what
// is right.

/// What one block of a launch takes.
typedef struct {
  const TileTarget *target;
  int64_t num_threads;       // that compute; -1: unknown
  int64_t smem_bytes;        // tiles, once per stage of the loop that copies
  int64_t num_fragment_bits; // of all threads
  int64_t min_blocks;        // as the kernel asks; 0: it does not
} TileOccupancy;

/// Owner: `arena`.
void tile_occupancy_estimate(TileArena *arena, MlirOperation launch,
                             const TileTarget *target,
                             TileOccupancy *out_occupancy);

/// Blocks that run on a multiprocessor at once; at least 1.
int64_t tile_occupancy_blocks(const TileOccupancy *occupancy);

/// Slots of the pipelined loop of the kernel around `op`; 0: there is none.
int64_t tile_num_stages_around(MlirOperation op);

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

#endif // TILE_ANALYSIS_MEMORY_H

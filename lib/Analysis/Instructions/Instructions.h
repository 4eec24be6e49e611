//===- Instructions.h - Which instruction can carry out an op -------------===//
//
// What the target, the types, the layouts and the alignment of an op allow,
// with the reason where they do not.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_INSTRUCTIONS_H
#define TILE_ANALYSIS_INSTRUCTIONS_H

#include "Dialect/Im2col.h"
#include "Dialect/Products.h"
#include "Support/Diagnostic/Reason.h"
#include "Support/KeyTable.h"
#include "Target/Target.h"

/// What the surroundings of an op add to its own types.
typedef struct {
  const TileTarget *target;
  int64_t num_threads; // that compute; -1: unknown
  bool in_launch;      // tensor maps can be made: the op is in a gpu.launch
  bool splits_pads;    // tile-split-pads is still to run
  // The host has found address and row pitches of the tensor to be multiples of
  // this, and images to have whole groups of channels where it is 16; 0: it has
  // found nothing.
  int64_t checked_bytes;
} TileInstrContext;

/// The context if the host had found that.
static inline TileInstrContext
tile_instr_context_checked(const TileInstrContext *context, int64_t bytes) {
  TileInstrContext checked = *context;
  checked.checked_bytes = bytes;
  return checked;
}

/// Whether `instr` can carry out the copy; if not, why.
bool tile_copy_instr_is_legal(TileCopyOp copy, TileInstr instr,
                              const TileInstrContext *context,
                              TileReason *out_reason);
/// Bytes that one cp.async of the copy moves if the host had found
/// `align_bytes`: 4, 8 or 16, 0 where it is not legal or gathers an image.
/// Layouts that are open allow 16.
int64_t tile_copy_async_bytes(TileCopyOp copy, const TileInstrContext *context,
                              int64_t align_bytes);
/// The same of a copy from a `tile.im2col`; `host_can_tell`: what a host check
/// can establish is believed (InstructionIm2col.c).
bool tile_im2col_instr_is_legal(TileCopyOp copy, TileInstr instr,
                                const TileInstrContext *context,
                                bool host_can_tell, TileReason *out_reason);
/// Columns, a divisor of those of the window: cut in groups of so many, they
/// are each of one element of the filter. `channels_fit`: where only the image
/// says how many channels it has, they are believed to be a multiple.
int64_t tile_im2col_known_run(TileIm2colOp im2col, bool channels_fit);
/// Elements of a row, at most 16 bytes, that are one access of the image
/// wherever they begin at a multiple; 1: also says why, where `out_reason` is
/// not null. `align_bytes`: of pixels, known; `run`: of tile_im2col_known_run.
/// `may_end_inside`: the last ones may be after the last channel.
int64_t tile_im2col_group(TileIm2colOp im2col, int64_t align_bytes, int64_t run,
                          bool may_end_inside, TileReason *out_reason);
/// Whether groups of so many columns may go on after the last channel.
bool tile_im2col_group_overruns(TileIm2colOp im2col, int64_t group);
/// Whether only the image says how many columns an element of the filter has.
bool tile_im2col_run_is_open(TileIm2colOp im2col);
/// Whether TMA could store what the copy stores, were it in a shared tile of
/// the element type of the tensor; if not, why. `is_aligned` as above.
bool tile_staged_store_is_legal(TileCopyOp copy,
                                const TileInstrContext *context,
                                bool is_aligned, TileReason *out_reason);
/// Whether `instr` (for a sparse product, its form with .sp) can carry out the
/// product; if not, why.
bool tile_product_instr_is_legal(const TileProduct *product, TileInstr instr,
                                 const TileInstrContext *context,
                                 TileReason *out_reason);

//===-- Warpgroups that take tiles in turn (ProductTurns.c) ---------------===//

enum { TILE_WARPGROUP_THREADS = 128 };

/// Whether one warpgroup can compute the product alone, while another does
/// something else.
bool tile_product_may_take_turns(const TileProduct *product,
                                 const TileInstrContext *context);
/// Whether all products of the kernel are pipelined ones of shared tiles by
/// wgmma, and it may have roles.
bool tile_kernel_multiplies_rings(MlirOperation kernel,
                                  const TileInstrContext *context);
/// Whether each of two warpgroups may compute whole tiles of a persistent
/// kernel, the first one and the other in turn: all products are pipelined
/// ones of shared tiles, their sums fit the registers of a warpgroup, and the
/// kernel does not say otherwise. Whether it is so, roles decide. `left_out`:
/// allocations of fragments that are not counted; NULL: none.
bool tile_kernel_may_take_turns(MlirOperation kernel,
                                const TileInstrContext *context,
                                const TilePointerMap *left_out);
/// Registers of a thread that the fragments take then, all at once.
int64_t tile_turns_registers(MlirOperation kernel);

//===-- Updates -----------------------------------------------------------===//

/// Whether TMA can carry out the update; if not, why. `rows_are_aligned`: facts
/// that a host check can establish are believed.
bool tile_atomic_tma_is_legal(TileAtomicOp atomic,
                              const TileInstrContext *context,
                              bool rows_are_aligned, TileReason *out_reason);
/// Reports a copy, product or update whose `instr` is not legal. Facts that a
/// host check can establish are believed when `is_aligned`. Other ops pass.
MlirLogicalResult tile_instr_verify(MlirOperation op,
                                    const TileInstrContext *context,
                                    bool is_aligned);
const char *tile_instr_name(TileInstr instr);

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

typedef struct {
  int64_t align_bytes; // rows of the window are known to start at multiples
  int64_t row_bytes;   // of the tile
  int64_t run_bytes;   // of the tile that are stored one after another
  int64_t bytes;       // of a chunk
} TileCpAsyncChunk;
/// The chunk of a copy of a window of a tensor by cp.async; false when there is
/// none that it can copy.
bool tile_cp_async_chunk(TileCopyOp copy, TileCpAsyncChunk *out);

#endif // TILE_ANALYSIS_INSTRUCTIONS_H

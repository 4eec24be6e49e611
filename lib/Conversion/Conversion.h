//===- Conversion.h - What the lowerings share ----------------------------===//
#ifndef TILE_CONVERSION_H
#define TILE_CONVERSION_H

#include "Analysis/Memory/Memory.h"
#include "Dialect/Ops.h"
#include "Dialect/TileLayouts.h"
#include "Layout/Layout.h"
#include "Support/Int.h"

//===-- Integer arithmetic that folds (IntMath.c) -------------------------===//
//
// Emits `arith` ops of one type and folds what is known: the lowering of a tile
// op computes many addresses that are constants in part. Constants wrap like
// the code that is emitted: at 64 bits for i64, else at 32.

/// Where and in which type (i32, i64 or index) arithmetic is emitted.
typedef struct {
  TileBuilder *b;
  MlirType type;
} TileIntMath;

/// `x` as an SSA value.
MlirValue tile_int_get(TileIntMath *math, TileInt x);

TileInt tile_int_add(TileIntMath *math, TileInt x, TileInt y);
TileInt tile_int_sub(TileIntMath *math, TileInt x, TileInt y);
TileInt tile_int_mul(TileIntMath *math, TileInt x, int64_t factor);
TileInt tile_int_mul_value(TileIntMath *math, TileInt x, TileInt y);
TileInt tile_int_xor(TileIntMath *math, TileInt x, TileInt y);
/// Unsigned division and remainder by a positive constant.
TileInt tile_int_div(TileIntMath *math, TileInt x, int64_t divisor);
TileInt tile_int_rem(TileIntMath *math, TileInt x, int64_t divisor);

//===-- Layouts as code ---------------------------------------------------===//

/// A layout whose code is emitted: the thread-dependent part once, constants
/// (registers) per use.
typedef struct {
  TileLayout layout;
  TileLayoutTerms terms;
  unsigned constant_axes;
  // Per out axis, without constants: value = (xors ^ toggle) + sums + add.
  TileInt xors[TILE_LAYOUT_MAX_AXES], sums[TILE_LAYOUT_MAX_AXES];
} TileLayoutCode;

/// Emits the part of `layout` that depends on `in` (one per input axis; those
/// in `constant_axes` are not read). Errors: see tile_layout_terms.
bool tile_layout_code_begin(TileIntMath *math, const TileLayout *layout,
                            unsigned constant_axes, const TileInt *in,
                            TileLayoutCode *out_code, TileReason *out_error);
/// Value of `out_axis` where the constant axes have the values `in`.
TileInt tile_layout_code_at(TileIntMath *math, const TileLayoutCode *code,
                            int out_axis, const int64_t *in);

//===-- Loops and branches around code that is emitted (ScfRegions.c) -----===//
//
// What is emitted between `begin` and tile_scf_end is the body.

/// Starts a loop `for i in 0 .. count`. Returns i.
MlirValue tile_scf_for_begin(TileBuilder *b, int64_t count);
void tile_scf_if_begin(TileBuilder *b, MlirValue condition);
/// What is emitted until tile_scf_else runs where `condition` holds, what comes
/// then where it does not.
void tile_scf_if_else_begin(TileBuilder *b, MlirValue condition);
void tile_scf_else(TileBuilder *b);
/// Ends the innermost loop or branch: `b` stands after it.
void tile_scf_end(TileBuilder *b);

//===-- What lowering wrote twice, or for nobody (TidyCode.c)
//--------------===//

/// Leaves one `arith.constant` of each value, before all other ops of the
/// kernel, and no arithmetic that nobody reads: later conversions visit every
/// op, and half of those of unrolled loops are such.
void tile_code_tidy(TileArena *arena, MlirOperation kernel);

//===-- Number of a thread in its block (BlockThread.c) -------------------===//

/// Number of the executing thread in its block, of the type of `math`. Numbers
/// count up in x first; dimensions that a block of `kernel` does not have are
/// not asked for.
TileInt tile_block_thread_build(TileIntMath *math, MlirOperation kernel);

/// Marks a store to memory that threads share as one that each thread does for
/// itself; without the mark it is one store of the block.
void tile_store_mark_by_thread(MlirOperation store);

//===-- Which registers of a fragment hold elements (FragmentMasks.c) -----===//
//
// A fragment may have more values than its tile has elements (Layout.h,
// Overhang). What reads or writes memory, or has any other effect, asks here.

enum { TILE_ALL_DIMS = -1 };

/// Conjoins to `inout_predicate` (i1; null: true) that the coordinates of
/// register `reg` of the layout of `code`, in the dimensions of the mask
/// `dims`, are those of an element. Where they are in every thread, nothing is
/// emitted. False: in no thread; the predicate is left alone.
bool tile_fragment_mask_build(TileIntMath *math, const TileLayoutCode *code,
                              int dims, int64_t reg,
                              MlirValue *inout_predicate);

/// Whether a register before `reg` holds the same element, in every thread.
bool tile_fragment_repeats(const TileLayout *layout, int64_t reg);

/// Neighbours in dimension `dim` that exist together: the largest power of two,
/// at most `run`, that divides its extent where the fragment overhangs it.
int64_t tile_fragment_run(const TileLayout *layout, int dim, int64_t run);

/// The registers of the vector of `count` neighbours that holds register `reg`,
/// in the order of memory: the same in every thread. `access` is memory of
/// `layout`; registers that `is_outside` marks (NULL: none) take no part, nor
/// does what is past the end of the tile: its offsets are those of others.
void tile_fragment_vector(const TileLayout *layout, const TileLayout *access,
                          const uint8_t *is_outside, int64_t reg, int64_t count,
                          int64_t *out_regs);

//===-- Addresses in windows of shared tiles (SharedWindow.c) -------------===//

/// What the SSA offsets of an aligned window add to the offset of an element.
TileInt tile_shared_window_base(TileIntMath *math,
                                const TileSharedWindow *window);

/// Accesses of a window whose coordinates are a layout of threads and
/// constants: the part that threads decide is computed once.
typedef struct {
  const TileSharedWindow *window;
  unsigned constant_axes; // input axes that are constants at every access
  TileLayout coordinates; // input axes to coordinates of the window
  bool is_composed;
  TileLayout offsets; // composed: input axes to element offsets
} TileSharedAccess;

/// Plans accesses; `coordinates` is a layout onto the window.
void tile_shared_access_plan(const TileSharedWindow *window,
                             const TileLayout *coordinates,
                             unsigned constant_axes,
                             TileSharedAccess *out_access);

/// The code of such accesses.
typedef struct {
  const TileSharedAccess *access;
  TileLayoutCode code;
  TileInt base;
} TileSharedCode;

/// Emits what the axes that are not constant decide, from their values `in`.
void tile_shared_code_begin(TileIntMath *math, const TileSharedAccess *access,
                            const TileInt *in, TileSharedCode *out_code);
/// Element offset in the storage where the constant axes have the values `in`.
TileInt tile_shared_code_at(TileIntMath *math, const TileSharedCode *code,
                            const int64_t *in);
/// Element offset of the element at `coordinates` of the window.
TileInt tile_shared_window_at(TileIntMath *math, const TileSharedWindow *window,
                              const TileInt *coordinates);

//===-- Which metadata a thread gives to mma.sp (SparseWord.c) ------------===//

/// The first two elements of each group, or the first one of two: the least
/// half of a word that has positions. A half that is 0 means this one.
enum { TILE_FIRST_POSITIONS = 0x4444 };

/// Places in the metadata tile of the low and the high half of a word.
typedef struct {
  TileInt row[2], column[2];
} TileSparseWord;

/// The word of lane `lane` for 16 rows of A from `first_row` and instruction
/// `step` along K.
///
/// Source: PTX ISA, "Sparse matrix storage", sparsity selector 0.
TileSparseWord tile_sparse_word(TileIntMath *math, TileInt lane, int elem_bits,
                                TileInt first_row, int64_t step);

/// Steps of an instruction along K whose metadata a packed word holds: two
/// where it takes a word of two lanes of four, selectors 0 and 1.
static inline int64_t tile_sparse_packed_steps(int elem_bits) {
  return elem_bits == 8 ? 1 : 2;
}

/// Place in a packed metadata tile of the word that `tile_sparse_word` makes.
void tile_sparse_packed_word(TileIntMath *math, TileInt lane, int elem_bits,
                             TileInt first_row, int64_t step,
                             TileInt out_at[3]);

//===-- Memory spaces (MemorySpaces.c) ------------------------------------===//

/// Gives memrefs in a gpu.module numbers in place of #gpu.address_space<…>.
void tile_number_memory_spaces(MlirOperation gpu_module);

#endif // TILE_CONVERSION_H

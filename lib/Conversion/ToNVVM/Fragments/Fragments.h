//===- Fragments.h - Tiles in registers -----------------------------------===//
#ifndef TILE_CONVERSION_FRAGMENTS_H
#define TILE_CONVERSION_FRAGMENTS_H

#include "Conversion/ToNVVM/Memory/Memories.h"

//===-- Registers, and where they lie (Fragments.c) -----------------------===//

typedef struct {
  const View *view;
  TileLayout layout;
  TileLayoutCode code; // coordinates, registers constant
} Fragment;

/// False after an error at `op`.
bool fragment_begin(Lowering *l, MlirOperation op, const View *view,
                    Fragment *out);
/// Tile coordinates of register `reg`.
void fragment_coordinates(Lowering *l, const Fragment *fragment, int64_t reg,
                          TileInt at[TILE_MAX_RANK]);
/// Register `reg`, as stored.
MlirValue fragment_read(Lowering *l, const Fragment *fragment, int64_t reg);
/// Holds in the threads that have the first copy of what several hold; null: no
/// element is held twice.
MlirValue fragment_owner(Lowering *l, const TileLayout *layout);
/// Remarks on a copy to a fragment in more pieces of less than 32 bits than
/// threads have registers: ptxas keeps together only what came in one access.
/// `is_piece`: per register, whether such an access begins with it.
void fragment_remark_pieces(const Lowering *l, MlirOperation op,
                            const bool *is_piece, int64_t num_regs);

//===-- To and from memory (FragmentCopies.c) -----------------------------===//

void lower_fragment_copy(Lowering *l, MlirOperation op, const View *src,
                         const View *dst);

//===-- Between layouts (FragmentConversions.c) ---------------------------===//

/// Copies a whole fragment to another one, whatever layouts they have, as long
/// as no element changes its warp.
void convert_fragment(Lowering *l, MlirOperation op, const View *src,
                      const View *dst);

//===-- Windows of fragments (FragmentWindows.c) --------------------------===//

typedef struct {
  TileLayout layout; // of the window
  /// Per register of the whole fragment; register r inside is at `layout(r)`.
  const uint8_t *is_outside;
  MlirValue has_warp; // the warp has elements of the window; null: each has
} FragmentCut;
void fill_fragment_window(Lowering *l, MlirOperation op, const View *dst,
                          MlirValue value);
void copy_fragment_window(Lowering *l, MlirOperation op, const View *fragment,
                          const View *other, bool to_memory);

//===-- Stores by stmatrix (MatrixStores.c) -------------------------------===//

typedef struct {
  const View *fragment, *other;
  int64_t num_regs;
  const uint8_t *is_outside; // per register: not to be stored; NULL: none is
  const TileLayout *access;  // from (reg, lane, warp) to shared memory
  TileInt base;              // to be added, in elements
} MatrixStore;
/// Stores a fragment, every element once, to a shared tile by stmatrix. False,
/// with nothing emitted, where that does not fit.
bool store_matrices(Lowering *l, const MatrixStore *store);

//===-- Guarded stores (RaggedRows.c) -------------------------------------===//

typedef struct {
  MlirValue value; // as stored
  int64_t delta;   // columns after `column`
} RaggedElem;
/// Elements of one row of a tensor, each stored where its column is inside.
typedef struct {
  int count;
  RaggedElem *elems;
  MlirValue pointer; // ptr<1>, to the element at `column`
  TileInt column;    // i32, of the tensor
  TileInt extent;    // i32, columns of the tensor
  MlirValue inside;  // i1, the row is; null: it is known to be
} RaggedRow;
void store_ragged_row(Lowering *l, const RaggedRow *row);

#endif // TILE_CONVERSION_FRAGMENTS_H

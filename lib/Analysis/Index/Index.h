//===- Index.h - What is known of indices, tensors and windows ------------===//
//
// Asked of IR before and after every pass: what an index is the sum of, how far
// two are apart, what divides and bounds one, which tensor a window is cut from
// and whether it can leave it. docs/Rationale/Indices.md says who asks what.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_INDEX_H
#define TILE_ANALYSIS_INDEX_H

#include "Dialect/Boxes.h"
#include "Dialect/ElementLoops.h"
#include "Support/Int.h"
#include "Support/KeyTable.h"

//===-- Indices as sums (Index.c) -----------------------------------------===//
//
// A TileIndices interns the indices of a kernel while nothing changes it: equal
// sums are one pointer. Each value is looked at once.

enum { TILE_INDEX_MAX_TERMS = 8 };

/// A value that sums are made of: nothing is said of it here.
typedef struct {
  MlirValue value;
  int number;         // in order of first use
  MlirOperation home; // of whose rounds each has one of its own, or null
} TileIndexSymbol;

typedef struct {
  const TileIndexSymbol *symbol;
  int64_t factor; // not 0
} TileIndexTerm;

/// The constant and the terms, up to a multiple of `modulus`; 0: exactly; 1:
/// not known. Owner: the arena of the table.
typedef struct TileIndex {
  const TileIndexTerm *terms; // by number of their symbols
  int num_terms;
  int64_t constant, modulus;
  // Of the table:
  const struct TileIndex *congruent;
} TileIndex;

/// The interned indices of a kernel.
typedef struct {
  TileArena *arena;
  TilePointerMap symbols, of_value;
  TileKeyTable keys;
  TileIndex **indices; // by number of the key
  int capacity, num_symbols;
} TileIndices;

/// Memory comes from `arena`.
void tile_indices_init(TileIndices *indices, TileArena *arena);
/// The index as an exact sum; a value that is none is a symbol.
const TileIndex *tile_index_of(TileIndices *indices, TileInt index);
/// The sum without one of its terms.
const TileIndex *tile_index_without(TileIndices *indices, const TileIndex *sum,
                                    int term);
/// A number that divides every value of the term; 0: it is always 0.
int64_t tile_index_term_divisor(const TileIndexTerm *term);
/// Whether the index is `*out_factor` times `value`, plus its constant.
static inline bool tile_index_is_affine(const TileIndex *index, MlirValue value,
                                        int64_t *out_factor) {
  *out_factor = 0;
  if (index->modulus || index->num_terms > 1)
    return false;
  if (index->num_terms == 0)
    return true;
  *out_factor = index->terms[0].factor;
  return mlirValueEqual(index->terms[0].symbol->value, value);
}

//===-- Rounds of loops (Index.c) -----------------------------------------===//

/// Whether `op` is `outer` or inside of it.
bool tile_op_is_inside(MlirOperation op, MlirOperation outer);

/// Rounds of a loop that lie between what happened then and now: none, one, at
/// least two; or another run of the loop.
///
///   same round      equal values are equal numbers;
///   previous round  what the loop will have passed on is put in for the values
///                   of now: the counter is a step further, an argument is what
///                   was yielded;
///   earlier rounds  the counter is at least two steps further;
///   other runs      only what no loop changes is equal.
typedef enum {
  TILE_AGE_SAME,
  TILE_AGE_PREVIOUS,
  TILE_AGE_EARLIER,
  TILE_AGE_OLDER,
  TILE_NUM_AGES
} TileAge;

//===-- Facts about indices (IndexFacts.c) --------------------------------===//
//
// They look through arithmetic and the induction variables of `scf.for`.

/// A number >= 1 that divides every value of `index`; 0 when it is always 0.
int64_t tile_index_divisor(TileInt index);

typedef struct {
  bool is_known;
  int64_t min, max; // inclusive
} TileIndexBounds;

/// The least and the largest value of `index`, where block ids count as below a
/// constant grid.
TileIndexBounds tile_index_bounds(TileInt index);

/// The same of what an exact sum gives.
TileIndexBounds tile_index_sum_bounds(const TileIndex *sum);

/// Whether the index is known not to be negative.
bool tile_index_is_natural(TileInt index);

//===-- Boxes (Index.c) ---------------------------------------------------===//

/// A box with interned offsets.
typedef struct {
  MlirValue base;
  int rank;                               // 0: it may be anything
  const TileIndex *offset[TILE_MAX_RANK]; // congruent
  TileIndexBounds bounds[TILE_MAX_RANK];  // of the offset, in every round
  int64_t size[TILE_MAX_RANK];            // -1: not known
  bool on_grid, is_partial;               // as of TileBox
} TileIndexBox;

TileIndexBox tile_index_box(TileIndices *indices, const TileBox *box);
/// Sets a dimension; `offset` is an exact sum.
void tile_index_box_set(TileIndices *indices, TileIndexBox *box, int dim,
                        const TileIndex *offset, int64_t size);

/// What is known of two boxes.
typedef struct {
  TileOverlap overlap;
  bool match; // they have the same elements, or none in common
  bool is_distance_known;
  int64_t distance[TILE_MAX_RANK]; // elements: `now` begins so far after
} TileBoxRelation;

/// Of `now` and `then`, which was named in the round of `loop` that `age` says.
/// Of boxes of different bases nothing is known.
TileBoxRelation tile_index_boxes_compare(TileIndices *indices,
                                         const TileIndexBox *now,
                                         const TileIndexBox *then, TileAge age,
                                         MlirOperation loop);
/// The overlap of boxes that are compared once.
TileOverlap tile_boxes_overlap(TileIndices *indices, const TileBox *now,
                               const TileBox *then, TileAge age,
                               MlirOperation loop);

//===-- Tensors (TensorWindows.c) -----------------------------------------===//

/// The memref that `tile` is a part of.
MlirValue tile_tensor_root(MlirValue tile);
/// Multiple of which the address and all strides but the last of a tensor are,
/// in bytes, where those of what it is a part of (tile_tensor_behind) are
/// multiples of `root_align_bytes`, 0: of an element.
int64_t tile_view_align_bytes(MlirValue tensor, int64_t root_align_bytes);
/// Multiple of which the address of the tensor alone is, in bytes: of an
/// element, or more where its views and `memref.assume_alignment` say so.
int64_t tile_tensor_address_bytes(MlirValue tensor);
/// Whether the memref shares no memory with any other one of which this holds:
/// arguments of a function that does not opt out with `tile.may_alias`,
/// workspaces of the host, constant globals.
bool tile_tensor_is_distinct(MlirValue root);

/// Whether some op of the kernel may write to the tensor `root`
/// (TensorWrites.c).
bool tile_kernel_may_write(MlirOperation kernel, MlirValue root);

//===-- Windows (TensorWindows.c) -----------------------------------------===//

/// Whether the window never leaves its tensor in dimension `dim` of the tensor.
bool tile_window_is_inside(TileRegionOp region, int dim);
/// What loads of the window give where it may leave its tensor, if not zeros;
/// else null. TMA has no such pads; of a copy by cp.async the threads that
/// issue it store them at once: who waits for the copy waits for these threads,
/// too.
MlirValue tile_window_pad(MlirValue tile);
/// Whether the window is known not to begin before place 0 in the dimensions in
/// which it has an end of its own.
bool tile_window_starts_inside(TileRegionOp region);

//===-- Rows of tensors (TensorWindows.c) ---------------------------------===//

/// Bytes that the address of every row of the tile's source is known to be a
/// multiple of; at least the element size.
int64_t tile_row_align_bytes(MlirValue tile);
/// The column at which a window starts is a multiple of so many bytes; 0: of
/// any, as the first one is.
int64_t tile_column_align_bytes(MlirValue tile);
/// On a `tile.region`: see `tile_row_multiple_bytes`.
#define TILE_ROW_MULTIPLE_ATTR "tile.row_multiple"

/// The last extent of the tensor behind a window, in bytes, is known to be a
/// multiple of so many, a power of two; at least the element size.
int64_t tile_row_multiple_bytes(MlirValue tile);
/// Vectors of so many bytes are known to lie in the tensor behind a window as a
/// whole or not at all, each at a multiple of its size.
int64_t tile_window_vector_bytes(MlirValue window);

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

enum { TILE_MAX_LOOP_OPERANDS = 128 };

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

//===-- Alignment of elements (ElementAlignment.c) ------------------------===//

/// Bytes that the address and every stride but the last of the tensor are known
/// to be multiples of at an access: what `tile.align` says, else 1.
int64_t tile_element_align_bytes(MlirOperation access);
/// Bytes of the neighbours that the access of a tensor would move together, 4,
/// 8 or 16, if the address of the tensor and its strides were multiples of
/// them; 0: it moves no neighbours, or says how it is aligned.
int64_t tile_element_wanted_bytes(MlirOperation access);
/// Bytes of the vectors, 4, 8 or 16, that a copy between the window and a
/// fragment would move without looking at the tensor, if address, strides and
/// last extent of this were multiples of them; 0: nothing is gained.
int64_t tile_window_wanted_bytes(MlirValue window);
/// Bytes, at most 16, that all static strides of the tensor but the last are
/// multiples of; 0 for a type that has no strides.
int64_t tile_tensor_align_limit(MlirValue tensor);

/// Bytes, at most 16, that the place of a `vector.load` or `vector.store` is a
/// multiple of: what the op or its memref says, or what follows from the
/// indices; at least those of an element.
int64_t tile_vector_align_bytes(MlirOperation access);

#endif // TILE_ANALYSIS_INDEX_H

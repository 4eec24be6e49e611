//===- Index.h - What is known of indices, tensors and windows ------------===//
//
// Asked of IR before and after every pass: how an index moves, what divides and
// bounds it, which tensor a window is cut from, and whether it can leave it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_INDEX_H
#define TILE_ANALYSIS_INDEX_H

#include "Dialect/ElementLoops.h"
#include "Support/Int.h"

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

//===-- Tensors (TensorAlias.c) -------------------------------------------===//

/// The memref that `tile` is a part of.
MlirValue tile_tensor_root(MlirValue tile);
/// Whether the memref shares no memory with any other one of which this holds:
/// arguments of a function that does not opt out with `tile.may_alias`.
bool tile_tensor_is_distinct(MlirValue root);

//===-- Pads (WindowPads.c) -----------------------------------------------===//

/// Whether the window never leaves its tensor in dimension `dim` of the tensor.
bool tile_window_is_inside(TileRegionOp region, int dim);
/// What loads of the window give where it may leave its tensor, if not zeros;
/// else null. TMA has no such pads; of a copy by cp.async the threads that
/// issue it store them at once: who waits for the copy waits for these threads,
/// too.
MlirValue tile_window_pad(MlirValue tile);

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

//===-- Alignment of elements (ElementAlignment.c) ------------------------===//

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

#endif // TILE_ANALYSIS_INDEX_H

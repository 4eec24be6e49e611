//===- Graphs.h - From linalg ops on windows to tile ops ------------------===//
//
// What convert-linalg-to-tile knows of a block of a bufferised scf.forall:
// memrefs are tiles, which the block allocates, or windows of tensors, and a
// linalg op is loops over dimensions with a body. All of it is decided before
// anything changes (GraphPlan.c, GraphOperands.c) and then only carried out
// (GraphEmit.c).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_GRAPHS_H
#define TILE_TRANSFORMS_GRAPHS_H

#include "Analysis/Index/Index.h"
#include "Dialect/Ops.h"
#include "Support/Constants.h"
#include "Support/KeyTable.h"

enum {
  TILE_GRAPH_MAX_RANK = 10, // of memrefs, and loops of an op
  TILE_GRAPH_MAX_TERMS = 6, // of an offset: one per subview
  TILE_GRAPH_MAX_OPERANDS = 14,
  TILE_GRAPH_MAX_EQUAL = 32 // numbers that the host compares
};

//===-- Operands ----------------------------------------------------------===//

/// A memref that the block allocates: it becomes a tile.
typedef struct {
  MlirOperation alloc;
  MlirType element;
  int rank;
  // Elements to make room for: what the memref may have, or more, where a
  // product needs multiples.
  int64_t bound[TILE_GRAPH_MAX_RANK];
  TileSpace space;
  MlirValue tile; // once it is there
} TileGraphTile;

/// Where a window begins: the sum.
typedef struct {
  MlirValue terms[TILE_GRAPH_MAX_TERMS];
  int num_terms;
  int64_t constant;
  MlirValue scaled; // times `factor`, which is 0 where there is none
  int64_t factor;
} TileGraphOffset;

/// A memref, or a scalar, that an op names. A memref is all of a tile, or a
/// window of a tensor.
typedef struct {
  MlirValue value;
  bool is_scalar;
  MlirType element;
  int rank;
  TileInt size[TILE_GRAPH_MAX_RANK];  // elements that there are
  int64_t bound[TILE_GRAPH_MAX_RANK]; // at most so many; -1: not known
  TileGraphTile *tile;                // NULL: a window
  MlirValue root;                     // the tensor
  int root_rank;
  TileGraphOffset offset[TILE_GRAPH_MAX_RANK]; // per dimension of the tensor
  int root_dim[TILE_GRAPH_MAX_RANK];           // per dimension of the window
  // The window ends where the tensor ends, or after `bound` elements: more
  // elements than `size` are pads when read and dropped when written.
  bool is_cut_by_tensor[TILE_GRAPH_MAX_RANK];
} TileGraphOperand;

/// Whether it has two dimensions or more, of more than one element.
static inline bool tile_graph_has_rows(const TileGraphOperand *operand) {
  int num_dims = 0;
  for (int d = 0; d < operand->rank; d++)
    num_dims += operand->bound[d] != 1;
  return num_dims >= 2;
}

//===-- Ops ---------------------------------------------------------------===//

typedef enum {
  TILE_GRAPH_NOTHING,  // what it writes is written again
  TILE_GRAPH_COPY,     // memref.copy
  TILE_GRAPH_FILL,     // of a tile
  TILE_GRAPH_IM2COL,   // pixels that a filter meets, by tile.im2col
  TILE_GRAPH_ELEMENTS, // each element for itself
  TILE_GRAPH_REDUCE,   // by tile.reduce
  TILE_GRAPH_PRODUCT,  // by tile.gemm
  TILE_GRAPH_LOOPS     // elements, with loops over what is reduced
} TileGraphForm;

/// A reduction's or a product's body.
typedef struct {
  TileReduceKind kind;
  MlirOperation combine; // the op on what was there before
  MlirValue term;        // what it is combined with, in terms of the body
  bool ignores_nan;      // maxnumf, minnumf
} TileGraphCombine;

typedef struct {
  int m, n, k; // loops, or -1
  int a, b;    // operands
  bool transpose_a, transpose_b;
  bool is_tf32;
  bool is_cleared[2]; // who makes the factor writes 0 beyond the depth
} TileGraphProduct;

/// Pixels that are gathered to a tile.
typedef struct {
  MlirValue image;
  TileGraphOffset start[2]; // row and column of the tile
  MlirAttribute filter;     // kernel, stride, dilation, pad, pad_upper
} TileGraphIm2col;

typedef struct TileGraphOp {
  struct TileGraphOp *next; // program order
  MlirOperation op;
  TileGraphForm form;
  MlirBlock body;                        // null: memref.copy
  int num_loops, num_operands, num_outs; // outs are the last operands
  TileGraphOperand operands[TILE_GRAPH_MAX_OPERANDS];
  MlirAffineMap maps[TILE_GRAPH_MAX_OPERANDS];
  bool is_reduced[TILE_GRAPH_MAX_RANK]; // loops
  int64_t bound[TILE_GRAPH_MAX_RANK];   // of loops; -1: not known
  TileInt size[TILE_GRAPH_MAX_RANK];
  TileGraphCombine combine;
  TileGraphProduct product;
  TileGraphIm2col im2col;
  // It makes elements of a factor of a product: what it reads is staged in
  // shared memory, where copies may run ahead, and it writes 0 beyond the
  // extent of these loops.
  bool is_maker;
  unsigned cleared_loops;
} TileGraphOp;

//===-- Plan --------------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  MlirOperation forall;
  TileIndices indices;
  TilePointerMap tiles; // of results of memref.alloc
  TileGraphTile **tile_list;
  int num_tiles, tile_capacity;
  TileGraphOp *ops, **tail;
  MlirValue equal[TILE_GRAPH_MAX_EQUAL][2];
  int num_equal; // -1: not looked for yet
  bool is_tf32;  // products of f32 may lose 13 bits of the factors
} TileGraphPlan;

/// Decides everything about the block of `plan->forall`.
/// Errors: at the op that is not understood, with the nearest form that is.
MlirLogicalResult tile_graph_plan(TileGraphPlan *plan);

/// What `value` is. Errors: at `user`.
MlirLogicalResult tile_graph_operand_of(TileGraphPlan *plan, MlirOperation user,
                                        MlirValue value, TileGraphOperand *out);
/// Says whether each window ends with its tensor, once bounds are final.
void tile_graph_operand_finish(TileGraphPlan *plan, TileGraphOperand *operand);
/// Whether fewer elements than the bound may be there.
bool tile_graph_is_ragged(TileInt size, int64_t bound);

/// The loop that dimension `dim` of an operand follows; -1: a constant 0, or
/// something else if `*out_is_plain` is false.
static inline int tile_graph_loop_of(const TileGraphOp *op, int operand,
                                     int dim, bool *out_is_plain) {
  MlirAffineExpr expr = mlirAffineMapGetResult(op->maps[operand], dim);
  *out_is_plain = true;
  if (mlirAffineExprIsADim(expr))
    return (int)mlirAffineDimExprGetPosition(expr);
  *out_is_plain = mlirAffineExprIsAConstant(expr) &&
                  mlirAffineConstantExprGetValue(expr) == 0;
  return -1;
}
/// Whether every dimension of the operand is a loop of its own, or 0.
bool tile_graph_is_plain(const TileGraphOp *op, int operand);

//===-- Emission ----------------------------------------------------------===//

typedef struct {
  TileBuilder b;
  TileGraphPlan *plan;
  MlirBlock body;     // of the launch
  MlirOperation mark; // tiles are allocated before it
  MlirBlock from;     // of the loop; its arguments are `ids` in the launch
  const MlirValue *ids;
  struct TileGraphStaged *staged; // copies of windows that nothing changes
} TileGraphEmit;

void tile_graph_op_emit(TileGraphEmit *emit, TileGraphOp *op);

/// A tile with the extents of the operand that are not 1.
typedef struct {
  MlirValue memref;
  int rank;
  int64_t extent[TILE_MAX_RANK];
  int dim[TILE_GRAPH_MAX_RANK]; // of the tile, per dimension of the operand;
                                // -1: extent 1
} TileGraphView;

TileGraphView tile_graph_view_of_bounds(int rank, const int64_t *bound);
/// A new tile of that shape.
MlirValue tile_graph_alloc(TileGraphEmit *emit, const TileGraphView *view,
                           MlirType element, TileSpace space);

/// A number of the plan in the launch.
MlirValue tile_graph_int_value(TileGraphEmit *emit, TileInt value);
/// Where a window begins, `more` elements later; null: 0 later.
MlirValue tile_graph_offset_value(TileGraphEmit *emit,
                                  const TileGraphOffset *offset,
                                  MlirValue more);
/// The window of a tensor that `view` is a tile of.
MlirValue tile_graph_window(TileGraphEmit *emit,
                            const TileGraphOperand *operand,
                            const TileGraphView *view);
/// The tile that the operand is, or one with a copy of its window.
TileGraphView tile_graph_stage(TileGraphEmit *emit,
                               const TileGraphOperand *operand,
                               const int64_t *bound, TileSpace space);

#endif // TILE_TRANSFORMS_GRAPHS_H

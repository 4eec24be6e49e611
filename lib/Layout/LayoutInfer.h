//===- LayoutInfer.h - Layout inference over a plain description ----------===//
//
// Problem -> candidates per buffer -> one cost table per op -> exact search.
// No IR. Everything is deterministic: arrays in program order, ties to the
// lower index. Arrays of any length: the caller owns those of the problem, an
// arena those of the model and of the result.
//
// Costs are integers in quarter cycles of one SM, see LayoutAccess.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_INFER_H
#define TILE_LAYOUT_INFER_H

#include "LayoutAccess.h"
#include "LayoutHardware.h"
#include "Support/Arena.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /// Candidates per buffer and modes per op. Later ones are not considered; the
  /// model counts them in `dropped`.
  TILE_INFER_MAX_CANDIDATES = 32,
  TILE_INFER_MAX_MODES = 48,
  /// Search nodes per problem when the problem names no budget.
  TILE_INFER_NODE_BUDGET = 400000,
};

/// Cost of an impossible choice.
#define TILE_INFER_NEVER ((int64_t)1 << 50)

//===-- The problem -------------------------------------------------------===//

typedef enum {
  TILE_INFER_GLOBAL,
  TILE_INFER_SHARED,
  TILE_INFER_FRAGMENT
} TileInferSpace;

typedef struct {
  const char *name;
  TileInferSpace space;
  int lead; // leading stage dimensions of |shape|; ops see the rest
  int rank; // stage dimensions included
  int64_t shape[TILE_LAYOUT_MAX_AXES];
  int elem_bits;
  int role;         // fragments: the role whose registers hold it
  const char *user; // text of a user-given layout, or NULL
  bool is_view;     // the storage of another buffer: see TILE_INFER_VIEW
  bool takes_rows;  // cp.async fills windows of it, along the last dimension
  int vector_bits;  // fragments: of the elements of a tensor that it is copied
                    // from or to in whole vectors of 16 bytes, if less than
                    // its own; or 0
} TileInferBuffer;

typedef struct {
  const char *name;
  int warps;
} TileInferRole;

typedef enum {
  TILE_INFER_COPY,      // 0 -> 1
  TILE_INFER_GEMM,      // 0 = A, 1 = B, 2 = C
  TILE_INFER_REDUCE,    // 0 -> 1 along |dim|
  TILE_INFER_PARALLEL,  // element loop over |loop_shape|
  TILE_INFER_TRANSPOSE, // 0 -> 1, rank 2
  TILE_INFER_FILL,      // writes 0
  TILE_INFER_VIEW,      // 1 is the storage of 0, with other extents or elements
} TileInferKind;

typedef enum {
  TILE_INFER_ANY,
  TILE_INFER_TMA,
  TILE_INFER_CP_ASYNC
} TileInferVia;

typedef enum { TILE_INFER_WGMMA, TILE_INFER_MMA } TileInferMatrix;

typedef struct {
  int buffer;
  bool write;
  int map[TILE_LAYOUT_MAX_AXES]; // parallel: loop dimension of every dimension,
                                 // -1 unit
} TileInferAccess;

typedef struct {
  TileInferKind kind;
  const char *name;
  int role;
  int num_operands;
  TileInferAccess *operand; // num_operands of them
  int weight;               // times executed, relative; 0 means 1
  int dim;                  // reduce
  TileInferVia via;         // copy: required instruction
  int64_t run;              // copy by TMA: rows of boxes divide it; 0 for any
  TileInferMatrix matrix;   // gemm
  bool ta, tb;              // gemm: A is [k][m], B is [n][k]
  bool is_sparse;           // gemm: A stores half of K
  int warps_m; // gemm: warpgroups (wgmma) or warps (mma) along M; 0 any
  const TileLayoutCut *cut; // view: 1 is a window of 0, or NULL
  bool whole_atoms;         // of a window: it starts at whole swizzle atoms
  int loop_rank;            // parallel
  int64_t loop_shape[TILE_LAYOUT_MAX_AXES];
  const char *user_loop; // parallel: text of a user-given layout, or NULL
} TileInferOp;

typedef struct {
  const char *name;
  int num_buffers, num_ops, num_roles;
  TileInferBuffer *buffer;
  TileInferOp *op; // program order
  TileInferRole *role;
  int64_t node_budget; // 0: TILE_INFER_NODE_BUDGET
  /// Whether an accumulator that becomes a factor of another product may pass
  /// through shared memory. Set it where there is no solution without.
  bool may_stage_chains;
} TileInferProblem;

//===-- The model: candidates and cost tables -----------------------------===//

typedef struct {
  int n;
  const TileLayout *full[TILE_INFER_MAX_CANDIDATES]; // with stage dimensions
  const TileLayout *core[TILE_INFER_MAX_CANDIDATES]; // without: what ops see
  int id[TILE_INFER_MAX_CANDIDATES];                 // of |core| in the pool
} TileInferDomain;

/// A way to execute an op.
typedef enum {
  TILE_INFER_MODE_FILL,
  TILE_INFER_MODE_VIEW, // the source has candidate |index|
  TILE_INFER_MODE_TMA,
  TILE_INFER_MODE_LOOP,   // a loop over elements in |layout|
  TILE_INFER_MODE_MATRIX, // accumulator in |layout|, |warps_m| units along M
  TILE_INFER_MODE_REDUCE, // the source is read in |layout|
} TileInferModeKind;

typedef struct {
  TileInferModeKind kind;
  int64_t base; // cost
  int index;    // of the loop or of the source candidate
  int warps_m;
  const TileLayout *layout; // NULL for FILL, VIEW and TMA
} TileInferMode;

/// cost(op) = min over modes m of  mode[m].base + sum over operands of
/// operand[o][m][candidate]. TILE_INFER_NEVER marks the impossible. Buffers in
/// global memory have one candidate, 0.
typedef struct {
  int num_modes;
  TileInferMode mode[TILE_INFER_MAX_MODES];
  int64_t (*operand)[TILE_INFER_MAX_MODES][TILE_INFER_MAX_CANDIDATES];
} TileInferTable;

typedef struct TileInferPool TileInferPool;

typedef struct {
  const TileInferProblem *problem; // borrowed
  TileArena *arena;                // borrowed; owns everything below
  TileInferPool *pool;             // layouts and costs that recur
  TileInferDomain *domain;         // per buffer
  TileInferTable *table;           // per op
  int64_t (*unary)[TILE_INFER_MAX_CANDIDATES]; // registers, bytes
  int dropped;
} TileInferModel;

typedef struct {
  int *choice; // candidate per buffer; -1 in global memory
  int *mode;   // per op
  int64_t cost;
  int64_t nodes; // search effort
  bool proved;   // false: the node budget ended the search
} TileInferResult;

/// Fills domains and tables.
///
/// Owner:  |arena|, which must outlive the model and its results.
/// Errors: a bad user layout, a buffer that no layout fits, an op that no
///         instruction fits.
bool tile_infer_build(const TileInferProblem *p, TileArena *arena,
                      TileInferModel *m, TileReason *e);

/// Branch and bound; exact unless the node budget ends it.
///
/// Errors: names the two ops, or the annotation and the op, that cannot agree.
bool tile_infer_solve(const TileInferModel *m, TileInferResult *out,
                      TileReason *e);

/// Cost of a choice; a negative choice means "not chosen yet" and counts with
/// its minimum, so the result is then a lower bound.
int64_t tile_infer_cost_of(const TileInferModel *m, const int *choice);
int64_t tile_infer_op_cost(const TileInferModel *m, int op, const int *choice,
                           int *out_mode);

/// The fragment through which the chosen mode of |op| reads or writes an
/// operand: what a fragment must be converted to or from, and what memory is
/// loaded into or stored from (tile_layout_compose with the memory layout is
/// the access). False for TMA, fill, and operands a wgmma reads from shared
/// memory by descriptor.
bool tile_infer_operand_layout(const TileInferModel *m,
                               const TileInferResult *r, int op, int operand,
                               TileLayout *out);
/// Elements of a fragment that at least lie together in one thread, because its
/// views cut them in ways that no division among threads serves. 1: none do.
int64_t tile_infer_view_run(const TileInferModel *m, int buffer);

#ifdef __cplusplus
} // extern "C"
#endif

#endif

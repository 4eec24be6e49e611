//===- LayoutInfer.h - Layout inference over a plain description of a kernel
//===//
//
// Problem -> candidates per buffer -> one cost table per op -> exact search.
// No IR. Everything is deterministic: arrays in program order, ties to the
// lower index.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LAYOUT_INFER_H
#define TILE_LAYOUT_INFER_H

#include "Tile/LayoutAccess.h"
#include "Tile/LayoutHardware.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TILE_INFER_MAX_BUFFERS = 24,
  TILE_INFER_MAX_OPS = 24,
  TILE_INFER_MAX_OPERANDS = 6,
  TILE_INFER_MAX_CANDIDATES = 14,
  TILE_INFER_MAX_MODES = 20,
};
#define TILE_INFER_NEVER ((int64_t)1 << 50) // cost of an impossible choice

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
  TileInferAccess operand[TILE_INFER_MAX_OPERANDS];
  int weight;             // times executed, relative; 0 means 1
  int dim;                // reduce
  TileInferVia via;       // copy: required instruction
  TileInferMatrix matrix; // gemm
  bool ta, tb;            // gemm: A is [k][m], B is [n][k]
  int warps_m;   // gemm: warpgroups (wgmma) or warps (mma) along M; 0 any
  int loop_rank; // parallel
  int64_t loop_shape[TILE_LAYOUT_MAX_AXES];
} TileInferOp;

typedef struct {
  const char *name;
  int num_buffers, num_ops, num_roles;
  TileInferBuffer buffer[TILE_INFER_MAX_BUFFERS];
  TileInferOp op[TILE_INFER_MAX_OPS];
  TileInferRole role[4];
} TileInferProblem;

//===-- The model: candidates and cost tables -----------------------------===//

typedef struct {
  int n;
  TileLayout full[TILE_INFER_MAX_CANDIDATES]; // with stage dimensions
  TileLayout core[TILE_INFER_MAX_CANDIDATES]; // without: what ops see
} TileInferDomain;

/// cost(op) = min over modes m of  base[m] + sum over operands of
/// operand[o][m][candidate]. A mode is a loop layout, an instruction, a warp
/// partition. TILE_INFER_NEVER marks the impossible.
typedef struct {
  int num_modes;
  int64_t base[TILE_INFER_MAX_MODES];
  char mode_name[TILE_INFER_MAX_MODES][80];
  int64_t operand[TILE_INFER_MAX_OPERANDS][TILE_INFER_MAX_MODES]
                 [TILE_INFER_MAX_CANDIDATES];
} TileInferTable;

typedef struct {
  const TileInferProblem *problem;
  TileInferDomain domain[TILE_INFER_MAX_BUFFERS];
  TileInferTable table[TILE_INFER_MAX_OPS];
  int64_t unary[TILE_INFER_MAX_BUFFERS]
               [TILE_INFER_MAX_CANDIDATES]; // registers, bytes
  int dropped; // candidates and modes over the array limits
} TileInferModel;

typedef struct {
  int choice[TILE_INFER_MAX_BUFFERS];
  int mode[TILE_INFER_MAX_OPS];
  int64_t cost;
  int64_t nodes; // search effort
  bool proved;   // false: the node budget ended the search
} TileInferResult;

/// Fills domains and tables. Fails on a bad user layout.
bool tile_infer_build(const TileInferProblem *p, TileInferModel *m,
                      TileLayoutError *e);
void tile_infer_domains_free_candidates(
    TileInferModel *m); // internal order, see .c
/// Names the two ops (or the annotation and the op) that cannot agree.
bool tile_infer_check_conflicts(const TileInferModel *m, TileLayoutError *e);
/// Exact branch and bound. Fails with the conflict report.
bool tile_infer_solve(const TileInferModel *m, TileInferResult *out,
                      TileLayoutError *e);
/// The same minimum by exhaustion; -1 when there are more than |limit| points.
int64_t tile_infer_brute_force(const TileInferModel *m, int64_t limit);
int64_t tile_infer_cost_of(const TileInferModel *m, const int *choice);
int64_t tile_infer_op_cost(const TileInferModel *m, int op, const int *choice,
                           int *out_mode);
/// Prints layouts, modes and inserted conversions.
void tile_infer_report(const TileInferModel *m, const TileInferResult *r,
                       void *file);
/// One conversion that an operand needs under the solution, if any.
bool tile_infer_operand_conversion(const TileInferModel *m,
                                   const TileInferResult *r, int op,
                                   int operand, TileLayoutConversion *out);

/// Domain helpers shared by infer_*.c
bool tile_infer_build_domains(TileInferModel *m, TileLayoutError *e);
bool tile_infer_build_tables(TileInferModel *m, TileLayoutError *e);
const int64_t *tile_infer_core_shape(const TileInferBuffer *b, int *rank);
/// Vectorised layout: |vec| elements per register run, lanes, warps, the rest
/// in registers; odd factors stay in registers.
bool tile_infer_free_layout(const int64_t *shape, int rank, int warps, int vec,
                            TileLayout *out);
/// The gemm's accumulator / A / B fragment for |warps_m| x |warps_n|.
bool tile_infer_gemm_fragment(const TileInferModel *m, const TileInferOp *op,
                              int operand, int warps_m, TileLayout *out,
                              TileLayoutError *e);
/// Number of partitions to try and the i-th one; 0 when impossible.
int tile_infer_gemm_partition(const TileInferModel *m, const TileInferOp *op,
                              int i);
/// Loop layout -> layout of an operand.
bool tile_infer_project(const TileLayout *loop, const TileInferAccess *a,
                        int rank, TileLayout *out);
/// Loop layout of a full-rank operand, the inverse of the projection.
bool tile_infer_lift(const TileInferOp *op, const TileInferAccess *a,
                     const TileLayout *l, int rank, TileLayout *out);
bool tile_infer_fold(const TileLayout *src, const TileInferOp *op, int dst_rank,
                     TileLayout *out);

#ifdef __cplusplus
} // extern "C"
#endif

#endif

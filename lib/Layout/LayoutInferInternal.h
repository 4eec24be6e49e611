//===- LayoutInferInternal.h - Parts of layout inference ------------------===//
#ifndef TILE_ANALYSIS_LAYOUTINFERINTERNAL_H
#define TILE_ANALYSIS_LAYOUTINFERINTERNAL_H

#include "LayoutInfer.h"

enum { TILE_INFER_SLOT_BYTES = 128 }; // slots of a ring begin at multiples

//===-- Pool: layouts and costs that recur --------------------------------===//
//
// A layout gets a number; two layouts have the same number when their digits
// are the same. Costs depend on numbers and element widths only, so each is
// computed once. -1 stands for "does not exist".

TileInferPool *tile_infer_pool_create(TileArena *arena);
int tile_infer_pool_add(TileInferPool *pool, const TileLayout *l);
const TileLayout *tile_infer_pool_get(const TileInferPool *pool, int id);

/// Remembers that |id| was offered to |buffer|; false if it was before.
bool tile_infer_pool_first_offer(TileInferPool *pool, int buffer, int id);
/// Tile dimension i of the result is perm[i] of |id|.
int tile_infer_pool_transpose(TileInferPool *pool, int id, const int *perm);
/// See tile_layout_project.
int tile_infer_pool_project(TileInferPool *pool, int id, const int *map,
                            int rank);

/// Cost of tile_layout_plan_conversion.
int64_t tile_infer_pool_convert(TileInferPool *pool, int src, int dst,
                                int elem_bits);
/// The same without shared memory; TILE_INFER_NEVER where it cannot do without.
typedef struct {
  int64_t cost;
  int vec_elems;
} TileInferAccessCost;
/// Cost of tile_layout_shared_access.
TileInferAccessCost tile_infer_pool_shared(TileInferPool *pool, int f, int s,
                                           int elem_bits, bool allow_matrix);
/// Cost of tile_layout_global_access with rows aligned to 16 bytes.
int64_t tile_infer_pool_global(TileInferPool *pool, int f, int elem_bits);
/// Boxes of tile_layout_derive_tma, -1 when TMA cannot fill the layout, or when
/// their rows do not divide `run`, unless that is 0.
int64_t tile_infer_pool_tma(TileInferPool *pool, int s, int elem_bits,
                            int contiguous, int64_t run);
/// Descriptor mode of tile_hw_wgmma_desc, plus 1 when M or N is contiguous; -1
/// when there is none.
int tile_infer_pool_wgmma(TileInferPool *pool, int s, int elem_bits,
                          int mn_dim);

//===-- Model -------------------------------------------------------------===//

bool tile_infer_build_domains(TileInferModel *m, TileReason *e);

static inline const TileInferBuffer *
tile_infer_buffer(const TileInferModel *m, const TileInferOp *op, int operand) {
  return &m->problem->buffer[op->operand[operand].buffer];
}
/// Rank of the tile that ops see.
static inline int tile_infer_core_rank(const TileInferBuffer *b) {
  return b->rank - b->lead;
}
static inline const int64_t *tile_infer_core_shape(const TileInferBuffer *b) {
  return b->shape + b->lead;
}

/// The layout that the user gave for an element loop, in the pool; -1 when it
/// does not fit: |e|, where given, says why.
int tile_infer_user_loop(const TileInferModel *m, const TileInferOp *op,
                         TileReason *e);

enum { TILE_INFER_MAX_FREE = 7 };
/// Layouts with vectors of |vec| elements of |elem_bits| bits: vectors, lanes,
/// warps along the last dimension first, the rest in registers; the best first
/// where all else is equal. They may overhang. Returns their number, 0 if |vec|
/// divides no row.
int tile_infer_free_layouts(const int64_t *shape, int rank, int warps, int vec,
                            int elem_bits, TileLayout out[TILE_INFER_MAX_FREE]);
/// A tile by its dimensions, or by parts of them.
typedef struct {
  int rank;
  int64_t extent[TILE_LAYOUT_MAX_AXES];
  unsigned exact; // mask of dimensions that do not overhang
  unsigned whole; // of those that each thread holds whole, in one run
} TileInferExtents;
/// tile_infer_free_layouts of such a tile.
int tile_infer_free_layouts_of(const TileInferExtents *x, int warps, int vec,
                               int elem_bits,
                               TileLayout out[TILE_INFER_MAX_FREE]);
/// Says in |e| why the layout of its storage does not serve a view; false.
bool tile_infer_fail_view(const TileInferModel *m, const TileInferOp *op,
                          TileReason *e);
/// The parts, in row-major order, of which the dimensions of a fragment and of
/// all views of its storage are made. False where |buffer| has no view, or
/// where there are more parts than a layout has dimensions.
bool tile_infer_view_parts(const TileInferModel *m, int buffer,
                           TileInferExtents *out);
/// Whether every view of the storage of |buffer| has a layout where |buffer|
/// has |l|.
bool tile_infer_view_takes(const TileInferModel *m, int buffer,
                           const TileLayout *l);
/// The gemm's accumulator / A / B fragment for |warps_m| x |warps_n|.
bool tile_infer_gemm_fragment(const TileInferModel *m, const TileInferOp *op,
                              int operand, int warps_m, TileLayout *out,
                              TileReason *e);
/// Units along M of the i-th partition to try; 0 after the last one.
int tile_infer_gemm_partition(const TileInferModel *m, const TileInferOp *op,
                              int i);
/// Whether the op carries the accumulator of one product to a factor of another
/// (or is that other product): its conversions take no shared memory.
bool tile_infer_stays_in_warp(const TileInferModel *m, const TileInferOp *op);
/// Loop layout of a full-rank operand, the inverse of the projection; -1 when
/// the operand has not the rank of the loop.
int tile_infer_lift(const TileInferModel *m, const TileInferOp *op,
                    const TileInferAccess *a, int id, int rank);
/// |src| summed along the dimension of the reduction.
int tile_infer_fold(const TileInferModel *m, const TileInferOp *op, int src,
                    int dst_rank);
/// The layout of the other operand of a view when |operand| has |full|, stage
/// dimensions included. False when it has none.
bool tile_infer_view(const TileInferModel *m, const TileInferOp *op,
                     int operand, const TileLayout *full, TileLayout *out);
/// The op as an element loop: copies and transposes get loop shape and maps.
/// |operand| has room for the operands of |op|.
void tile_infer_as_loop(const TileInferModel *m, const TileInferOp *op,
                        TileInferAccess *operand, TileInferOp *out);

//===-- Bound -------------------------------------------------------------===//

typedef struct TileInferBound TileInferBound;
/// For the buffers order[0..n), chosen in this order.
TileInferBound *tile_infer_bound_create(const TileInferModel *m,
                                        const int *order, int n);
/// What the buffers from order[depth] on add at least: their unary costs, and
/// the ops that use any of them.
int64_t tile_infer_bound_rest(const TileInferBound *b, int depth,
                              const int *choice);

#endif

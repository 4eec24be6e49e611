//===- LayoutInferOperands.c - The layout in which an op reads an operand -===//
#include "LayoutInferInternal.h"

// An element loop projects its layout onto the operand.
static int loop_operand(const TileInferModel *m, const TileInferOp *op,
                        const TileInferMode *mode, int operand) {
  TileInferOp loop;
  tile_infer_as_loop(
      m, op, TILE_ARENA_NEW(m->arena, TileInferAccess, op->num_operands),
      &loop);
  return tile_infer_pool_project(
      m->pool, tile_infer_pool_add(m->pool, mode->layout),
      loop.operand[operand].map,
      tile_infer_core_rank(tile_infer_buffer(m, op, operand)));
}

static int reduce_operand(const TileInferModel *m, const TileInferOp *op,
                          const TileInferMode *mode, int operand) {
  int src = tile_infer_pool_add(m->pool, mode->layout);
  return operand == 0 ? src
                      : tile_infer_fold(
                            m, op, src,
                            tile_infer_core_rank(tile_infer_buffer(m, op, 1)));
}

bool tile_infer_operand_layout(const TileInferModel *m,
                               const TileInferResult *r, int op, int operand,
                               TileLayout *out) {
  const TileInferOp *x = &m->problem->op[op];
  const TileInferMode *mode = &m->table[op].mode[r->mode[op]];
  bool by_descriptor =
      x->kind == TILE_INFER_GEMM && x->matrix == TILE_INFER_WGMMA &&
      tile_infer_buffer(m, x, operand)->space == TILE_INFER_SHARED;
  int id = -1;
  switch (mode->kind) {
  case TILE_INFER_MODE_MATRIX:
    return !by_descriptor &&
           tile_infer_gemm_fragment(m, x, operand, mode->warps_m, out, NULL);
  case TILE_INFER_MODE_LOOP:
    id = loop_operand(m, x, mode, operand);
    break;
  case TILE_INFER_MODE_REDUCE:
    id = reduce_operand(m, x, mode, operand);
    break;
  case TILE_INFER_MODE_FILL:
  case TILE_INFER_MODE_VIEW:
  case TILE_INFER_MODE_TMA:
    break;
  }
  if (id >= 0)
    *out = *tile_infer_pool_get(m->pool, id);
  return id >= 0;
}

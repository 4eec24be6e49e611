//===- LayoutInferReport.c - Say what was chosen and what it costs --------===//
#include "LayoutInferInternal.h"

#include <stdio.h>

//===-- What an operand needs ---------------------------------------------===//

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

bool tile_infer_operand_conversion(const TileInferModel *m,
                                   const TileInferResult *r, int op,
                                   int operand, TileLayoutConversion *out) {
  const TileInferOp *x = &m->problem->op[op];
  int buffer = x->operand[operand].buffer;
  TileLayout want;
  if (m->problem->buffer[buffer].space != TILE_INFER_FRAGMENT ||
      !tile_infer_operand_layout(m, r, op, operand, &want))
    return false;
  const TileLayout *have = m->domain[buffer].core[r->choice[buffer]];
  bool write = x->operand[operand].write;
  const TileLayout *src = write ? &want : have, *dst = write ? have : &want;
  int bits = m->problem->buffer[buffer].elem_bits;
  if (!tile_infer_stays_in_warp(m, x))
    return tile_layout_plan_conversion(src, dst, bits, out, NULL);
  TileLayoutReach reach = tile_layout_plan_route(src, dst, bits, out, NULL);
  return reach == TILE_LAYOUT_REACH_THREAD || reach == TILE_LAYOUT_REACH_WARP;
}

//===-- Text --------------------------------------------------------------===//

void tile_infer_mode_print(const TileInferModel *m, int op, int mode, char *out,
                           int cap) {
  const TileInferMode *x = &m->table[op].mode[mode];
  char text[400];
  switch (x->kind) {
  case TILE_INFER_MODE_FILL:
    snprintf(out, (size_t)cap, "fill");
    return;
  case TILE_INFER_MODE_VIEW:
    snprintf(out, (size_t)cap, "view of layout %d", x->index);
    return;
  case TILE_INFER_MODE_TMA:
    snprintf(out, (size_t)cap, "tma");
    return;
  case TILE_INFER_MODE_MATRIX:
    snprintf(out, (size_t)cap, "%s, %d along M",
             m->problem->op[op].matrix == TILE_INFER_WGMMA ? "wgmma" : "mma",
             x->warps_m);
    return;
  case TILE_INFER_MODE_REDUCE:
    snprintf(out, (size_t)cap, "reduce in layout %d", x->index);
    return;
  case TILE_INFER_MODE_LOOP:
    tile_layout_print(x->layout, 0, text, sizeof text);
    snprintf(out, (size_t)cap, "loop %d: %.36s", x->index,
             text + 6); // past "bases<"
    return;
  }
}

static void print_buffer(const TileInferModel *m, const TileInferResult *r,
                         int b, FILE *f) {
  const TileInferBuffer *x = &m->problem->buffer[b];
  if (x->space == TILE_INFER_GLOBAL)
    return;
  char text[600];
  const TileLayout *l = m->domain[b].full[r->choice[b]];
  tile_layout_print(l, x->elem_bits, text, sizeof text);
  fprintf(f, "  %-8s ", x->name);
  for (int d = 0; d < x->rank; d++)
    fprintf(f, "%s%lld", d ? "x" : "", (long long)x->shape[d]);
  fprintf(f, "x%db: %s", x->elem_bits, text);
  if (x->space == TILE_INFER_FRAGMENT)
    fprintf(f, "   [%lld regs, %lldx]",
            (long long)l->in.extent[TILE_LAYOUT_REG],
            (long long)tile_layout_replication(l));
  fprintf(f, "%s\n", x->user ? "   (user)" : "");
}

static void print_op(const TileInferModel *m, const TileInferResult *r, int i,
                     FILE *f) {
  const TileInferOp *x = &m->problem->op[i];
  const TileInferTable *t = &m->table[i];
  int k = r->mode[i];
  char mode[80];
  tile_infer_mode_print(m, i, k, mode, sizeof mode);
  fprintf(f, "  %-10s %6lld  %s", x->name,
          (long long)tile_infer_op_cost(m, i, r->choice, NULL), mode);
  for (int o = 0; o < x->num_operands; o++) {
    const TileInferBuffer *b = &m->problem->buffer[x->operand[o].buffer];
    int c = b->space == TILE_INFER_GLOBAL ? 0 : r->choice[x->operand[o].buffer];
    TileLayoutConversion conv;
    if (x->kind == TILE_INFER_GEMM && o < 2 &&
        tile_infer_operand_conversion(m, r, i, o, &conv))
      fprintf(f, "; %s by %s (%lld)", b->name, tile_layout_conv_name(conv.kind),
              (long long)conv.cost);
    else if (t->operand[o][k][c])
      fprintf(f, "; %s %lld", b->name, (long long)t->operand[o][k][c]);
  }
  fprintf(f, "\n");
}

void tile_infer_report(const TileInferModel *m, const TileInferResult *r,
                       void *file) {
  FILE *f = file;
  fprintf(f, "%s: cost %lld, %lld nodes%s", m->problem->name,
          (long long)r->cost, (long long)r->nodes,
          r->proved ? "" : ", search budget spent");
  if (m->dropped)
    fprintf(f, ", %d candidates over the limits", m->dropped);
  fprintf(f, "\n");
  for (int b = 0; b < m->problem->num_buffers; b++)
    print_buffer(m, r, b, f);
  for (int i = 0; i < m->problem->num_ops; i++)
    print_op(m, r, i, f);
}

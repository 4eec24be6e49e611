//===- LayoutInferReport.c - Say what was chosen and what it costs -------===//
#include "Tile/LayoutInfer.h"

#include <stdio.h>

bool tile_infer_operand_conversion(const TileInferModel *m,
                                   const TileInferResult *r, int op,
                                   int operand, TileLayoutConversion *out) {
  const TileInferOp *x = &m->problem->op[op];
  const TileInferAccess *a = &x->operand[operand];
  const TileInferBuffer *b = &m->problem->buffer[a->buffer];
  if (b->space != TILE_INFER_FRAGMENT || x->kind != TILE_INFER_GEMM ||
      operand == 2)
    return false;
  int wm = tile_infer_gemm_partition(m, x, r->mode[op]);
  TileLayout want;
  return tile_infer_gemm_fragment(m, x, operand, wm, &want, NULL) &&
         tile_layout_plan_conversion(
             &m->domain[a->buffer].core[r->choice[a->buffer]], &want,
             b->elem_bits, out, NULL);
}

static void print_buffer(const TileInferModel *m, const TileInferResult *r,
                         int b, FILE *f) {
  const TileInferBuffer *x = &m->problem->buffer[b];
  if (x->space == TILE_INFER_GLOBAL)
    return;
  char text[600];
  const TileLayout *l = &m->domain[b].full[r->choice[b]];
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
  fprintf(f, "  %-10s %6lld  %s", x->name,
          (long long)tile_infer_op_cost(m, i, r->choice, NULL),
          t->mode_name[k]);
  for (int o = 0; o < x->num_operands; o++) {
    const TileInferBuffer *b = &m->problem->buffer[x->operand[o].buffer];
    int c = b->space == TILE_INFER_GLOBAL ? 0 : r->choice[x->operand[o].buffer];
    TileLayoutConversion conv;
    if (tile_infer_operand_conversion(m, r, i, o, &conv))
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

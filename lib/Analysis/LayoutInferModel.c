//===- LayoutInferModel.c - Cost tables of the ops -----------------------===//
//
// Copies, transposes and parallel loops are one shape: a loop layout (the mode)
// and an operand cost per candidate: a conversion for fragments, an access for
// memory. Matrix ops have warp partitions as modes, reductions the layout of
// their source. O(modes * candidates) plans per operand.
//
//===----------------------------------------------------------------------===//
#include "Tile/LayoutInfer.h"

#include <stdio.h>
#include <string.h>

static const TileInferBuffer *buffer_of(const TileInferModel *m,
                                        const TileInferOp *op, int o) {
  return &m->problem->buffer[op->operand[o].buffer];
}

static int core_rank(const TileInferBuffer *b) { return b->rank - b->lead; }

static int new_mode(TileInferTable *t, const char *name, int64_t base) {
  if (t->num_modes == TILE_INFER_MAX_MODES)
    return -1;
  snprintf(t->mode_name[t->num_modes], sizeof t->mode_name[0], "%s", name);
  t->base[t->num_modes] = base;
  memset(t->operand[0][t->num_modes], 0, sizeof t->operand[0][0]);
  for (int o = 0; o < TILE_INFER_MAX_OPERANDS; o++)
    memset(t->operand[o][t->num_modes], 0, sizeof t->operand[0][0]);
  return t->num_modes++;
}

static int64_t convert_cost(const TileLayout *src, const TileLayout *dst,
                            int bits) {
  TileLayoutConversion c;
  return tile_layout_plan_conversion(src, dst, bits, &c, NULL)
             ? c.cost
             : TILE_INFER_NEVER;
}

//===-- Element loops -----------------------------------------------------===//

typedef struct {
  TileInferOp op; // as a parallel loop
  bool matrix_ok; // ldmatrix / stmatrix may move it
  int n, dropped;
  TileLayout loop[TILE_INFER_MAX_MODES];
} Loops;

static void as_parallel(const TileInferModel *m, const TileInferOp *op,
                        Loops *l) {
  l->op = *op;
  l->n = l->dropped = 0;
  l->matrix_ok = true;
  for (int o = 0; o < op->num_operands; o++)
    if (buffer_of(m, op, o)->space == TILE_INFER_GLOBAL)
      l->matrix_ok = false;
  if (op->kind == TILE_INFER_PARALLEL)
    return;
  int rank;
  const int64_t *shape = tile_infer_core_shape(buffer_of(m, op, 0), &rank);
  l->op.loop_rank = rank;
  memcpy(l->op.loop_shape, shape, sizeof(int64_t) * (size_t)rank);
  for (int d = 0; d < rank; d++) {
    l->op.operand[0].map[d] = d;
    l->op.operand[1].map[d] =
        op->kind == TILE_INFER_TRANSPOSE ? rank - 1 - d : d;
  }
  l->op.operand[1].write = true;
}

static void add_loop(Loops *l, const TileLayout *x) {
  for (int i = 0; i < l->n; i++)
    if (tile_layout_equal(&l->loop[i], x))
      return;
  if (l->n < TILE_INFER_MAX_MODES - 1)
    l->loop[l->n++] = *x;
  else
    l->dropped++;
}

static void collect_loops(const TileInferModel *m, Loops *l) {
  TileLayout x;
  int bits = 32, warps = m->problem->role[l->op.role].warps;
  for (int o = 0; o < l->op.num_operands; o++) {
    const TileInferBuffer *b = buffer_of(m, &l->op, o);
    const TileInferDomain *d = &m->domain[l->op.operand[o].buffer];
    if (b->elem_bits < bits)
      bits = b->elem_bits;
    if (b->space != TILE_INFER_FRAGMENT || b->role != l->op.role)
      continue;
    for (int c = 0; c < d->n; c++)
      if (tile_infer_lift(&l->op, &l->op.operand[o], &d->core[c], core_rank(b),
                          &x))
        add_loop(l, &x);
  }
  for (int vec = 128 / bits; vec >= 1; vec /= 2)
    if (tile_infer_free_layout(l->op.loop_shape, l->op.loop_rank, warps, vec,
                               &x))
      add_loop(l, &x);
}

static int64_t element_cost(const TileInferModel *m, const Loops *l, int mode,
                            int o, int c) {
  const TileInferAccess *a = &l->op.operand[o];
  const TileInferBuffer *b = &m->problem->buffer[a->buffer];
  const TileLayout *have = &m->domain[a->buffer].core[c];
  TileLayout want;
  TileLayoutAccess acc;
  if (!tile_infer_project(&l->loop[mode], a, core_rank(b), &want))
    return TILE_INFER_NEVER;
  if (b->space == TILE_INFER_FRAGMENT)
    return a->write ? convert_cost(&want, have, b->elem_bits)
                    : convert_cost(have, &want, b->elem_bits);
  if (b->space == TILE_INFER_GLOBAL)
    return tile_layout_global_access(&want, b->elem_bits, 16, &acc, NULL)
               ? acc.cost
               : TILE_INFER_NEVER;
  if (!tile_layout_shared_access(&want, have, b->elem_bits, l->matrix_ok, &acc,
                                 NULL))
    return TILE_INFER_NEVER;
  // cp.async moves 4, 8 or 16 contiguous bytes; narrower goes by registers.
  bool narrow = acc.vec_elems * b->elem_bits < 32;
  return l->op.via == TILE_INFER_CP_ASYNC && narrow ? TILE_INFER_NEVER
                                                    : acc.cost;
}

static void tma_mode(const TileInferModel *m, const TileInferOp *op,
                     TileInferTable *t) {
  int shared = buffer_of(m, op, 0)->space == TILE_INFER_SHARED ? 0 : 1;
  if (buffer_of(m, op, shared)->space != TILE_INFER_SHARED ||
      buffer_of(m, op, 1 - shared)->space != TILE_INFER_GLOBAL ||
      op->via == TILE_INFER_CP_ASYNC)
    return;
  const TileInferBuffer *b = buffer_of(m, op, shared);
  const TileInferDomain *d = &m->domain[op->operand[shared].buffer];
  int k = new_mode(t, "tma", 0);
  for (int c = 0; c < d->n; c++) {
    TileLayoutTma tma;
    bool ok = tile_layout_derive_tma(&d->core[c], b->elem_bits,
                                     core_rank(b) - 1, &tma, NULL);
    // One elected thread issues each box; narrow rows halve the write rate.
    t->operand[shared][k][c] = ok ? 16 * tma.count : TILE_INFER_NEVER;
  }
}

static void element_table(TileInferModel *m, const TileInferOp *op,
                          TileInferTable *t) {
  Loops l;
  as_parallel(m, op, &l);
  if (op->kind == TILE_INFER_COPY)
    tma_mode(m, op, t);
  if (op->via == TILE_INFER_TMA)
    return;
  collect_loops(m, &l);
  m->dropped += l.dropped;
  int warps = m->problem->role[op->role].warps;
  for (int i = 0; i < l.n; i++) {
    int64_t alu = op->kind == TILE_INFER_PARALLEL
                      ? l.loop[i].in.extent[TILE_LAYOUT_REG]
                      : 0;
    char name[80], text[400];
    tile_layout_print(&l.loop[i], 0, text, sizeof text);
    snprintf(name, sizeof name, "loop %d: %.36s", i, text + 6);
    int k = new_mode(t, name, alu * warps * TILE_LAYOUT_COST_ALU);
    if (k < 0)
      return;
    for (int o = 0; o < op->num_operands; o++) {
      const TileInferBuffer *b = buffer_of(m, op, o);
      int n = b->space == TILE_INFER_GLOBAL
                  ? 1
                  : m->domain[op->operand[o].buffer].n;
      for (int c = 0; c < n; c++)
        t->operand[o][k][c] = element_cost(m, &l, i, o, c);
    }
  }
}

//===-- Matrix ops --------------------------------------------------------===//

static int64_t matrix_shared_cost(const TileInferModel *m,
                                  const TileInferOp *op, int o,
                                  const TileLayout *s, int warps_m) {
  const TileInferBuffer *b = buffer_of(m, op, o);
  TileLayout f;
  TileLayoutAccess acc;
  TileHwDesc d;
  if (op->matrix == TILE_INFER_MMA)
    return tile_infer_gemm_fragment(m, op, o, warps_m, &f, NULL) &&
                   tile_layout_shared_access(&f, s, b->elem_bits, true, &acc,
                                             NULL)
               ? acc.cost
               : TILE_INFER_NEVER;
  bool mn_last = o == 0 ? op->ta : !op->tb;
  int mn = mn_last ? 1 : 0;
  if (!tile_hw_wgmma_desc(s, b->elem_bits, mn, 1 - mn, s->in.extent[mn], &d,
                          NULL))
    return TILE_INFER_NEVER;
  // Wider swizzles read and fill with fewer, longer rows.
  int64_t lines = tile_layout_size(&s->in) * b->elem_bits / 8 / 128;
  int rank = d.mode == 128 ? 0 : d.mode == 64 ? 1 : d.mode == 32 ? 2 : 3;
  return lines * rank / 2;
}

static void gemm_table(const TileInferModel *m, const TileInferOp *op,
                       TileInferTable *t) {
  for (int i = 0, wm; (wm = tile_infer_gemm_partition(m, op, i)); i++) {
    TileLayout f[3];
    if (!tile_infer_gemm_fragment(m, op, 2, wm, &f[2], NULL))
      continue;
    char name[48];
    snprintf(name, sizeof name, "%s, %d along M",
             op->matrix == TILE_INFER_WGMMA ? "wgmma" : "mma", wm);
    int k = new_mode(t, name, 0);
    for (int o = 0; k >= 0 && o < 3; o++) {
      const TileInferBuffer *b = buffer_of(m, op, o);
      const TileInferDomain *d = &m->domain[op->operand[o].buffer];
      bool fragment = b->space == TILE_INFER_FRAGMENT;
      bool fits = o == 2 || !fragment ||
                  tile_infer_gemm_fragment(m, op, o, wm, &f[o], NULL);
      for (int c = 0; c < d->n; c++) {
        int64_t cost = TILE_INFER_NEVER;
        if (!fits)
          cost = TILE_INFER_NEVER;
        else if (o == 2)
          cost = tile_layout_equal(&d->core[c], &f[2]) ? 0 : TILE_INFER_NEVER;
        else if (fragment)
          cost = convert_cost(&d->core[c], &f[o], b->elem_bits);
        else
          cost = matrix_shared_cost(m, op, o, &d->core[c], wm);
        t->operand[o][k][c] = cost;
      }
    }
  }
}

//===-- Reductions --------------------------------------------------------===//

// Local sums, butterflies over lanes, shared memory over warps.
static int64_t reduce_cost(const TileLayout *src, const TileLayout *folded,
                           int dim, bool *out_staged) {
  int64_t warps = src->in.extent[TILE_LAYOUT_WARP], lanes = 0, cross = 0;
  for (int i = 0; i < src->in.num_digits; i++)
    for (int j = 0; j < src->out.num_digits; j++)
      if ((src->image[i] >> j & 1) && src->out.digit[j].axis == dim) {
        lanes += src->in.digit[i].axis == TILE_LAYOUT_LANE;
        cross += src->in.digit[i].axis == TILE_LAYOUT_WARP;
      }
  *out_staged = cross > 0;
  int64_t regs = src->in.extent[TILE_LAYOUT_REG],
          out = folded->in.extent[TILE_LAYOUT_REG];
  int64_t cost = regs * TILE_LAYOUT_COST_ALU;
  cost += out * lanes * (TILE_LAYOUT_COST_SHFL + TILE_LAYOUT_COST_ALU);
  cost += cross ? out * 4 * TILE_LAYOUT_COST_WAVE : 0;
  return cost * warps + (cross ? 2 * TILE_LAYOUT_COST_BAR : 0);
}

static void reduce_table(const TileInferModel *m, const TileInferOp *op,
                         TileInferTable *t) {
  const TileInferBuffer *sb = buffer_of(m, op, 0), *db = buffer_of(m, op, 1);
  const TileInferDomain *sd = &m->domain[op->operand[0].buffer];
  const TileInferDomain *dd = &m->domain[op->operand[1].buffer];
  for (int i = 0; i < sd->n; i++) {
    TileLayout folded;
    char name[48];
    if (!tile_infer_fold(&sd->core[i], op, core_rank(db), &folded))
      continue;
    snprintf(name, sizeof name, "reduce in layout %d", i);
    bool staged; // the sum passes shared memory: it is read in any layout
    int64_t base = reduce_cost(&sd->core[i], &folded, op->dim, &staged);
    int k = new_mode(t, name, base);
    if (k < 0)
      return;
    for (int c = 0; c < sd->n; c++)
      t->operand[0][k][c] =
          c == i ? 0 : convert_cost(&sd->core[c], &sd->core[i], sb->elem_bits);
    for (int c = 0; c < dd->n; c++)
      t->operand[1][k][c] =
          staged ? 0 : convert_cost(&folded, &dd->core[c], db->elem_bits);
  }
}

//===-- All ---------------------------------------------------------------===//

// Per slot: stage dimensions scale all candidates alike and must not change a
// choice (the law expand o infer = infer o expand).
static void unary_costs(TileInferModel *m, int buffer) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  for (int c = 0; c < m->domain[buffer].n; c++) {
    const TileLayout *l = &m->domain[buffer].core[c];
    int64_t cost = 0;
    if (b->space ==
        TILE_INFER_FRAGMENT) // a register per thread costs like a move
      cost = (l->in.extent[TILE_LAYOUT_REG] * b->elem_bits + 31) / 32 *
             l->in.extent[TILE_LAYOUT_WARP] * TILE_LAYOUT_COST_ALU;
    else if (b->space == TILE_INFER_SHARED) // padding wastes: 1 per 256 bytes
      cost = (l->out.extent[0] - tile_layout_size(&l->in)) * b->elem_bits / 8 /
             256;
    m->unary[buffer][c] = cost;
  }
}

// Ops of a loop body count as often as they run.
static void weigh(TileInferTable *t, int weight) {
  for (int k = 0; k < t->num_modes && weight > 1; k++) {
    t->base[k] *= weight;
    for (int o = 0; o < TILE_INFER_MAX_OPERANDS; o++)
      for (int c = 0; c < TILE_INFER_MAX_CANDIDATES; c++)
        if (t->operand[o][k][c] < TILE_INFER_NEVER)
          t->operand[o][k][c] *= weight;
  }
}

bool tile_infer_build_tables(TileInferModel *m, TileLayoutError *e) {
  const TileInferProblem *p = m->problem;
  for (int b = 0; b < p->num_buffers; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL)
      unary_costs(m, b);
  for (int i = 0; i < p->num_ops; i++) {
    TileInferTable *t = &m->table[i];
    const TileInferOp *op = &p->op[i];
    t->num_modes = 0;
    if (op->kind == TILE_INFER_GEMM)
      gemm_table(m, op, t);
    else if (op->kind == TILE_INFER_REDUCE)
      reduce_table(m, op, t);
    else if (op->kind == TILE_INFER_FILL)
      new_mode(t, "fill", 0);
    else
      element_table(m, op, t);
    weigh(t, op->weight);
    if (!t->num_modes)
      return tile_layout_fail(e, "op %s: no instruction fits its shapes",
                              op->name);
  }
  return true;
}

bool tile_infer_build(const TileInferProblem *p, TileInferModel *m,
                      TileLayoutError *e) {
  memset(m, 0, sizeof *m);
  m->problem = p;
  return tile_infer_build_domains(m, e) && tile_infer_build_tables(m, e);
}

//===- LayoutInferModel.c - Cost tables of the ops ------------------------===//
//
// Copies, transposes and parallel loops are one shape: a loop layout (the mode)
// and an operand cost per candidate: a conversion for fragments, an access for
// memory. Matrix ops have warp partitions as modes, reductions the layout of
// their source. O(modes * candidates) answers of the pool per operand.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"

#include <string.h>

static TileInferMode *new_mode(TileInferModel *m, TileInferTable *t,
                               TileInferModeKind kind, int64_t base) {
  if (t->num_modes == TILE_INFER_MAX_MODES) {
    m->dropped++;
    return NULL;
  }
  TileInferMode *mode = &t->mode[t->num_modes++];
  *mode = (TileInferMode){.kind = kind, .base = base};
  return mode;
}

static int64_t convert_cost(const TileInferModel *m, bool in_warp, int src,
                            int dst, int elem_bits) {
  return in_warp ? tile_infer_pool_convert_in_warp(m->pool, src, dst, elem_bits)
                 : tile_infer_pool_convert(m->pool, src, dst, elem_bits);
}

//===-- Element loops -----------------------------------------------------===//

void tile_infer_as_loop(const TileInferModel *m, const TileInferOp *op,
                        TileInferAccess *operand, TileInferOp *out) {
  *out = *op;
  memcpy(operand, op->operand, sizeof *operand * (size_t)op->num_operands);
  out->operand = operand;
  if (op->kind == TILE_INFER_PARALLEL)
    return;
  const TileInferBuffer *b = tile_infer_buffer(m, op, 0);
  int rank = tile_infer_core_rank(b);
  out->loop_rank = rank;
  memcpy(out->loop_shape, tile_infer_core_shape(b),
         sizeof(int64_t) * (size_t)rank);
  for (int d = 0; d < rank; d++) {
    operand[0].map[d] = d;
    operand[1].map[d] = op->kind == TILE_INFER_TRANSPOSE ? rank - 1 - d : d;
  }
  operand[1].write = true;
}

typedef struct {
  TileInferOp op;    // as a parallel loop
  bool allow_matrix; // ldmatrix / stmatrix may move it
  bool in_warp;      // conversions take no shared memory
  int n;
  int loop[TILE_INFER_MAX_MODES]; // in the pool
} Loops;

static void add_loop(TileInferModel *m, Loops *l, int id) {
  const TileLayout *x = tile_infer_pool_get(m->pool, id);
  for (int i = 0; i < l->n; i++)
    if (l->loop[i] == id ||
        tile_layout_equal(tile_infer_pool_get(m->pool, l->loop[i]), x))
      return;
  if (l->n < TILE_INFER_MAX_MODES - 1)
    l->loop[l->n++] = id;
  else
    m->dropped++;
}

static void collect_loops(TileInferModel *m, Loops *l) {
  int bits = 32, warps = m->problem->role[l->op.role].warps;
  l->n = 0;
  if (l->op.user_loop) { // checked when domains were built
    add_loop(m, l, tile_infer_user_loop(m, &l->op, NULL));
    return;
  }
  for (int o = 0; o < l->op.num_operands; o++) {
    const TileInferBuffer *b = tile_infer_buffer(m, &l->op, o);
    const TileInferDomain *d = &m->domain[l->op.operand[o].buffer];
    if (b->elem_bits < bits)
      bits = b->elem_bits;
    if (b->space != TILE_INFER_FRAGMENT || b->role != l->op.role)
      continue;
    for (int c = 0; c < d->n; c++) {
      int id = tile_infer_lift(m, &l->op, &l->op.operand[o], d->id[c],
                               tile_infer_core_rank(b));
      if (id >= 0)
        add_loop(m, l, id);
    }
  }
  for (int vec = 128 / bits; vec >= 1; vec /= 2) {
    TileLayout x[TILE_INFER_MAX_FREE];
    int n = tile_infer_free_layouts(l->op.loop_shape, l->op.loop_rank, warps,
                                    vec, bits, x);
    for (int i = 0; i < n; i++)
      add_loop(m, l, tile_infer_pool_add(m->pool, &x[i]));
  }
}

// cp.async moves 4, 8 or 16 bytes of a row; narrower goes by registers.
static bool has_narrow_rows(const TileInferModel *m, const TileInferBuffer *b,
                            int layout) {
  int64_t run = tile_layout_contiguous_run(tile_infer_pool_get(m->pool, layout),
                                           tile_infer_core_rank(b) - 1);
  return run * b->elem_bits < 32;
}

static int64_t element_cost(const TileInferModel *m, const Loops *l, int loop,
                            int o, int c) {
  const TileInferAccess *a = &l->op.operand[o];
  const TileInferBuffer *b = &m->problem->buffer[a->buffer];
  int want =
      tile_infer_pool_project(m->pool, loop, a->map, tile_infer_core_rank(b));
  if (want < 0)
    return TILE_INFER_NEVER;
  if (b->space == TILE_INFER_GLOBAL)
    return tile_infer_pool_global(m->pool, want, b->elem_bits);
  int have = m->domain[a->buffer].id[c];
  if (b->space == TILE_INFER_FRAGMENT)
    return convert_cost(m, l->in_warp, a->write ? want : have,
                        a->write ? have : want, b->elem_bits);
  TileInferAccessCost acc = tile_infer_pool_shared(
      m->pool, want, have, b->elem_bits, l->allow_matrix);
  bool narrow =
      acc.vec_elems * b->elem_bits < 32 || has_narrow_rows(m, b, have);
  return l->op.via == TILE_INFER_CP_ASYNC && narrow ? TILE_INFER_NEVER
                                                    : acc.cost;
}

static void tma_mode(TileInferModel *m, const TileInferOp *op,
                     TileInferTable *t) {
  int shared = tile_infer_buffer(m, op, 0)->space == TILE_INFER_SHARED ? 0 : 1;
  const TileInferBuffer *b = tile_infer_buffer(m, op, shared);
  if (b->space != TILE_INFER_SHARED ||
      tile_infer_buffer(m, op, 1 - shared)->space != TILE_INFER_GLOBAL ||
      op->via == TILE_INFER_CP_ASYNC)
    return;
  const TileInferDomain *d = &m->domain[op->operand[shared].buffer];
  new_mode(m, t, TILE_INFER_MODE_TMA, 0);
  for (int c = 0; c < d->n; c++) {
    int64_t boxes = tile_infer_pool_tma(m->pool, d->id[c], b->elem_bits,
                                        tile_infer_core_rank(b) - 1, op->run);
    // One elected thread issues each box; narrow rows halve the write rate.
    t->operand[shared][0][c] = boxes < 0 ? TILE_INFER_NEVER : 16 * boxes;
  }
}

static void element_table(TileInferModel *m, const TileInferOp *op,
                          TileInferTable *t) {
  Loops l = {.allow_matrix = true, .in_warp = tile_infer_stays_in_warp(m, op)};
  if (op->kind == TILE_INFER_COPY)
    tma_mode(m, op, t);
  if (op->via == TILE_INFER_TMA)
    return;
  tile_infer_as_loop(
      m, op, TILE_ARENA_NEW(m->arena, TileInferAccess, op->num_operands),
      &l.op);
  for (int o = 0; o < op->num_operands; o++)
    if (tile_infer_buffer(m, op, o)->space == TILE_INFER_GLOBAL)
      l.allow_matrix = false;
  collect_loops(m, &l);
  int warps = m->problem->role[op->role].warps;
  for (int i = 0; i < l.n; i++) {
    const TileLayout *loop = tile_infer_pool_get(m->pool, l.loop[i]);
    int64_t alu =
        op->kind == TILE_INFER_PARALLEL ? loop->in.extent[TILE_LAYOUT_REG] : 0;
    TileInferMode *mode = new_mode(m, t, TILE_INFER_MODE_LOOP,
                                   alu * warps * TILE_LAYOUT_COST_ALU);
    if (!mode)
      return;
    mode->index = i, mode->layout = loop;
    for (int o = 0; o < op->num_operands; o++) {
      const TileInferBuffer *b = tile_infer_buffer(m, op, o);
      int n = b->space == TILE_INFER_GLOBAL
                  ? 1
                  : m->domain[op->operand[o].buffer].n;
      for (int c = 0; c < n; c++)
        t->operand[o][t->num_modes - 1][c] =
            element_cost(m, &l, l.loop[i], o, c);
    }
  }
}

//===-- Matrix ops --------------------------------------------------------===//

// Whether the blocks of several warpgroups may start inside a swizzle atom: the
// instruction adds the start of a block to addresses, so along a contiguous M
// or N blocks are whole atoms.
static bool splits_atoms(const TileInferModel *m, const TileInferOp *op, int o,
                         int s, int warps_m, int mode) {
  const TileInferBuffer *b = tile_infer_buffer(m, op, o);
  bool mn_major = mode & 1, mn_last = o == 0 ? op->ta : !op->tb;
  int groups = m->problem->role[op->role].warps / 4;
  int64_t extent = tile_infer_pool_get(m->pool, s)->in.extent[mn_last];
  int64_t blocks = o == 0 ? warps_m : groups / warps_m;
  int64_t atom = (int64_t)(mode & ~1) * 8 / b->elem_bits;
  return mn_major && blocks > 1 && extent / blocks % atom != 0;
}

// Copies of windows are no ops of the problem, as addresses serve any layout.
// Where cp.async makes them, one that has it store rows costs a store of each
// element: more than any way to read the tile.
static int64_t window_cost(const TileInferModel *m, const TileInferBuffer *b,
                           int layout) {
  enum { STORES_OF_LINE = 64 };
  if (!b->takes_rows || !has_narrow_rows(m, b, layout))
    return 0;
  const TileLayout *l = tile_infer_pool_get(m->pool, layout);
  return tile_layout_size(&l->in) * b->elem_bits / 8 / 128 * STORES_OF_LINE;
}

static int64_t matrix_shared_cost(const TileInferModel *m,
                                  const TileInferOp *op, int o, int s,
                                  int fragment, int warps_m) {
  const TileInferBuffer *b = tile_infer_buffer(m, op, o);
  if (op->matrix == TILE_INFER_MMA) {
    if (fragment < 0)
      return TILE_INFER_NEVER;
    int64_t cost =
        tile_infer_pool_shared(m->pool, fragment, s, b->elem_bits, true).cost;
    return cost >= TILE_INFER_NEVER ? cost : cost + window_cost(m, b, s);
  }
  bool mn_last = o == 0 ? op->ta : !op->tb;
  int mode = tile_infer_pool_wgmma(m->pool, s, b->elem_bits, mn_last);
  if (mode < 0 || splits_atoms(m, op, o, s, warps_m, mode) ||
      (op->is_sparse && o == 1 && !tile_hw_wgmma_sp_reads(mode & ~1, mode & 1)))
    return TILE_INFER_NEVER;
  mode &= ~1;
  // Wider swizzles read and fill with fewer, longer rows.
  const TileLayout *l = tile_infer_pool_get(m->pool, s);
  int64_t lines = tile_layout_size(&l->in) * b->elem_bits / 8 / 128;
  int rank = mode == 128 ? 0 : mode == 64 ? 1 : mode == 32 ? 2 : 3;
  return lines * rank / 2 + window_cost(m, b, s);
}

static int fragment_id(const TileInferModel *m, const TileInferOp *op, int o,
                       int warps_m) {
  TileLayout f;
  return tile_infer_gemm_fragment(m, op, o, warps_m, &f, NULL)
             ? tile_infer_pool_add(m->pool, &f)
             : -1;
}

static int64_t gemm_cost(const TileInferModel *m, const TileInferOp *op, int o,
                         int c, int fragment, int warps_m, bool in_warp) {
  const TileInferBuffer *b = tile_infer_buffer(m, op, o);
  const TileInferDomain *d = &m->domain[op->operand[o].buffer];
  if (o < 2 && b->space != TILE_INFER_FRAGMENT)
    return matrix_shared_cost(m, op, o, d->id[c], fragment, warps_m);
  if (fragment < 0)
    return TILE_INFER_NEVER;
  if (o < 2)
    return convert_cost(m, in_warp, d->id[c], fragment, b->elem_bits);
  return tile_layout_equal(d->core[c], tile_infer_pool_get(m->pool, fragment))
             ? 0
             : TILE_INFER_NEVER;
}

static void gemm_table(TileInferModel *m, const TileInferOp *op,
                       TileInferTable *t) {
  bool in_warp = tile_infer_stays_in_warp(m, op);
  for (int i = 0, wm; (wm = tile_infer_gemm_partition(m, op, i)); i++) {
    int fragment[3];
    for (int o = 0; o < 3; o++)
      fragment[o] = fragment_id(m, op, o, wm);
    if (fragment[2] < 0)
      continue;
    TileInferMode *mode = new_mode(m, t, TILE_INFER_MODE_MATRIX, 0);
    if (!mode)
      return;
    mode->index = i, mode->warps_m = wm;
    mode->layout = tile_infer_pool_get(m->pool, fragment[2]);
    for (int o = 0; o < 3; o++)
      for (int c = 0; c < m->domain[op->operand[o].buffer].n; c++)
        t->operand[o][t->num_modes - 1][c] =
            gemm_cost(m, op, o, c, fragment[o], wm, in_warp);
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
  if (tile_layout_overhangs(src, dim)) // the surplus gets the neutral element
    cost += regs * TILE_LAYOUT_COST_ALU;
  cost += out * lanes * (TILE_LAYOUT_COST_SHFL + TILE_LAYOUT_COST_ALU);
  cost += cross ? out * 4 * TILE_LAYOUT_COST_WAVE : 0;
  return cost * warps + (cross ? 2 * TILE_LAYOUT_COST_BAR : 0);
}

// Results that other threads or registers need go through shared memory.
static int64_t result_cost(const TileInferModel *m, int folded, int dst,
                           int elem_bits) {
  int64_t cost = tile_infer_pool_convert(m->pool, folded, dst, elem_bits);
  return cost > 0 && cost < TILE_INFER_NEVER ? cost + 2 * TILE_LAYOUT_COST_BAR
                                             : cost;
}

static void reduce_table(TileInferModel *m, const TileInferOp *op,
                         TileInferTable *t) {
  const TileInferBuffer *db = tile_infer_buffer(m, op, 1);
  const TileInferDomain *sd = &m->domain[op->operand[0].buffer];
  const TileInferDomain *dd = &m->domain[op->operand[1].buffer];
  for (int i = 0; i < sd->n; i++) {
    int folded = tile_infer_fold(m, op, sd->id[i], tile_infer_core_rank(db));
    if (folded < 0)
      continue;
    bool staged; // the sum passes shared memory: it is read in any layout
    int64_t base = reduce_cost(
        sd->core[i], tile_infer_pool_get(m->pool, folded), op->dim, &staged);
    TileInferMode *mode = new_mode(m, t, TILE_INFER_MODE_REDUCE, base);
    if (!mode)
      return;
    mode->index = i, mode->layout = sd->core[i];
    int k = t->num_modes - 1;
    for (int c = 0; c < sd->n; c++) // read where it is
      t->operand[0][k][c] = c == i ? 0 : TILE_INFER_NEVER;
    bool is_free = staged || db->space != TILE_INFER_FRAGMENT;
    for (int c = 0; c < dd->n; c++)
      t->operand[1][k][c] =
          is_free ? 0 : result_cost(m, folded, dd->id[c], db->elem_bits);
  }
}

//===-- Views -------------------------------------------------------------===//

// One mode per layout of the source, which admits one layout of the view.
static void view_table(TileInferModel *m, const TileInferOp *op,
                       TileInferTable *t) {
  const TileInferDomain *sd = &m->domain[op->operand[0].buffer];
  const TileInferDomain *vd = &m->domain[op->operand[1].buffer];
  for (int i = 0; i < sd->n; i++) {
    TileLayout seen;
    bool is_seen = tile_infer_view(m, op, 0, sd->full[i], &seen);
    if (!is_seen && (!op->cut || op->whole_atoms))
      continue; // else addresses serve any layout
    TileInferMode *mode = new_mode(m, t, TILE_INFER_MODE_VIEW, 0);
    if (!mode)
      return;
    mode->index = i;
    int k = t->num_modes - 1;
    for (int c = 0; c < sd->n; c++)
      t->operand[0][k][c] = c == i ? 0 : TILE_INFER_NEVER;
    for (int c = 0; c < vd->n; c++)
      t->operand[1][k][c] = !is_seen || tile_layout_equal(vd->full[c], &seen)
                                ? 0
                                : TILE_INFER_NEVER;
  }
}

//===-- All ---------------------------------------------------------------===//

// Per slot: stage dimensions scale all candidates alike and must not change a
// choice (the law expand o infer = infer o expand).
static void unary_costs(TileInferModel *m, int buffer) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  if (b->is_view) // its storage is counted once
    return;
  for (int c = 0; c < m->domain[buffer].n; c++) {
    const TileLayout *l = m->domain[buffer].core[c];
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
static void weigh(TileInferTable *t, int num_operands, int weight) {
  for (int k = 0; k < t->num_modes && weight > 1; k++) {
    t->mode[k].base *= weight;
    for (int o = 0; o < num_operands; o++)
      for (int c = 0; c < TILE_INFER_MAX_CANDIDATES; c++)
        if (t->operand[o][k][c] < TILE_INFER_NEVER)
          t->operand[o][k][c] *= weight;
  }
}

static void op_table(TileInferModel *m, const TileInferOp *op,
                     TileInferTable *t) {
  t->operand =
      tile_arena_alloc(m->arena, sizeof *t->operand * (size_t)op->num_operands);
  switch (op->kind) {
  case TILE_INFER_GEMM:
    gemm_table(m, op, t);
    break;
  case TILE_INFER_REDUCE:
    reduce_table(m, op, t);
    break;
  case TILE_INFER_FILL:
    new_mode(m, t, TILE_INFER_MODE_FILL, 0);
    break;
  case TILE_INFER_VIEW:
    view_table(m, op, t);
    break;
  case TILE_INFER_COPY:
  case TILE_INFER_PARALLEL:
  case TILE_INFER_TRANSPOSE:
    element_table(m, op, t);
    break;
  }
  weigh(t, op->num_operands, op->weight);
}

// Products and reductions take no operand in global memory.
static bool check_operands(const TileInferModel *m, const TileInferOp *op,
                           TileLayoutError *e) {
  if (op->kind != TILE_INFER_GEMM && op->kind != TILE_INFER_REDUCE)
    return true;
  for (int o = 0; o < op->num_operands; o++)
    if (tile_infer_buffer(m, op, o)->space == TILE_INFER_GLOBAL)
      return tile_layout_fail(
          e, "op %s: operand %s is in global memory, copy it first", op->name,
          tile_infer_buffer(m, op, o)->name);
  return true;
}

static bool build_tables(TileInferModel *m, TileLayoutError *e) {
  const TileInferProblem *p = m->problem;
  for (int b = 0; b < p->num_buffers; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL)
      unary_costs(m, b);
  for (int i = 0; i < p->num_ops; i++) {
    if (!check_operands(m, &p->op[i], e))
      return false;
    op_table(m, &p->op[i], &m->table[i]);
    if (!m->table[i].num_modes)
      return tile_layout_fail(e, "op %s: no instruction fits its shapes",
                              p->op[i].name);
  }
  return true;
}

bool tile_infer_build(const TileInferProblem *p, TileArena *arena,
                      TileInferModel *m, TileLayoutError *e) {
  size_t buffers = (size_t)p->num_buffers;
  *m = (TileInferModel){.problem = p, .arena = arena};
  m->pool = tile_infer_pool_create(arena);
  m->domain = TILE_ARENA_NEW(arena, TileInferDomain, buffers);
  m->table = TILE_ARENA_NEW(arena, TileInferTable, p->num_ops);
  m->unary = tile_arena_alloc(arena, sizeof *m->unary * buffers);
  return tile_infer_build_domains(m, e) && build_tables(m, e);
}

//===- LayoutInferDomain.c - Candidate layouts of every buffer ------------===//
//
// Instruction-fixed candidates first, then propagation to a fixed point
// (reduce, parallel, copy, transpose), then free vectorised ones. A buffer with
// a user layout has exactly that candidate.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"

#include <string.h>

//===-- Single candidates -------------------------------------------------===//

// Adds |full| unless equal to one present.
static bool add(TileInferModel *m, int buffer, const TileLayout *full) {
  TileInferDomain *d = &m->domain[buffer];
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  for (int i = 0; i < d->n; i++)
    if (tile_layout_equal(d->full[i], full))
      return false;
  if (d->n == TILE_INFER_MAX_CANDIDATES) {
    m->dropped++;
    return false;
  }
  TileLayout core = *full;
  for (int k = 0; k < b->lead; k++)
    if (!tile_layout_drop_leading(&core, &core, NULL))
      return false;
  tile_layout_canonicalize(&core);
  d->full[d->n] =
      tile_infer_pool_get(m->pool, tile_infer_pool_add(m->pool, full));
  d->id[d->n] = tile_infer_pool_add(m->pool, &core);
  d->core[d->n] = tile_infer_pool_get(m->pool, d->id[d->n]);
  d->n++;
  return true;
}

// A core layout over the stage dimensions of the buffer; slots in memory begin
// at multiples of `align` elements.
static bool over_stages(const TileInferBuffer *b, const TileLayout *core,
                        int64_t align, TileLayout *out) {
  *out = *core;
  for (int k = b->lead - 1; k >= 0; k--)
    if (!tile_layout_expand(out, b->shape[k], 0, align, out, NULL))
      return false;
  return true;
}

static bool add_core(TileInferModel *m, int buffer, int id) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  if (id < 0 || b->space != TILE_INFER_FRAGMENT || b->user ||
      !tile_infer_pool_first_offer(m->pool, buffer, id))
    return false;
  const TileLayout *core = tile_infer_pool_get(m->pool, id);
  if (core->in.extent[TILE_LAYOUT_WARP] != m->problem->role[b->role].warps ||
      !tile_layout_covers(core))
    return false;
  TileLayout full;
  return over_stages(b, core, 1, &full) && add(m, buffer, &full);
}

static bool add_core_layout(TileInferModel *m, int buffer,
                            const TileLayout *core) {
  return add_core(m, buffer, tile_infer_pool_add(m->pool, core));
}

static bool replicated(const int64_t *shape, int rank, int warps,
                       TileLayout *out) {
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, rank);
  for (int d = rank - 1; d >= 0; d--)
    tile_layout_push(&b, TILE_LAYOUT_REG, d, 1, shape[d]);
  tile_layout_push_rep(&b, TILE_LAYOUT_LANE, 32);
  tile_layout_push_rep(&b, TILE_LAYOUT_WARP, warps);
  return tile_layout_finish(&b, out, NULL);
}

//===-- Instruction-fixed -------------------------------------------------===//

int tile_infer_gemm_partition(const TileInferModel *m, const TileInferOp *op,
                              int i) {
  int warps = m->problem->role[op->role].warps;
  int units = op->matrix == TILE_INFER_WGMMA ? warps / 4 : warps;
  if (op->warps_m)
    return i == 0 ? op->warps_m : 0;
  for (int wm = units; wm >= 1; wm--)
    if (units % wm == 0 && i-- == 0)
      return wm;
  return 0;
}

// K is that of the operand: a sparse A stores half of it.
static void gemm_sizes(const TileInferModel *m, const TileInferOp *op,
                       int operand, int64_t *mm, int64_t *nn, int64_t *kk) {
  const int64_t *a = tile_infer_core_shape(tile_infer_buffer(m, op, 0));
  const int64_t *b = tile_infer_core_shape(tile_infer_buffer(m, op, 1));
  *mm = a[op->ta], *kk = operand == 1 ? b[op->tb] : a[!op->ta];
  *nn = b[!op->tb];
}

bool tile_infer_gemm_fragment(const TileInferModel *m, const TileInferOp *op,
                              int operand, int warps_m, TileLayout *out,
                              TileReason *e) {
  int64_t mm, nn, kk;
  gemm_sizes(m, op, operand, &mm, &nn, &kk);
  int warps = m->problem->role[op->role].warps;
  int bits = tile_infer_buffer(m, op, 0)->elem_bits;
  TileLayout l;
  bool ok;
  if (op->matrix == TILE_INFER_WGMMA) {
    if (warps % 4)
      return tile_refuse(e, "",
                         "wgmma: role %s has %d warps, needs a multiple of 4",
                         m->problem->role[op->role].name, warps);
    int wn = warps / 4 / warps_m;
    ok = operand == 2 ? tile_hw_wgmma_acc(mm, nn, warps_m, wn, &l, e)
         : operand == 0
             ? tile_hw_wgmma_a(mm, kk, bits, warps_m, wn, &l, e)
             : tile_refuse(e, "", "wgmma: B must be in shared memory");
  } else {
    TileHwMma g = {mm, nn, kk, warps_m, warps / warps_m, bits, 256 / bits};
    ok = operand == 2   ? tile_hw_mma_c(&g, &l, e)
         : operand == 0 ? tile_hw_mma_a(&g, &l, e)
                        : tile_hw_mma_b(&g, op->tb, &l, e);
  }
  if (!ok)
    return false;
  if (operand == 0 && op->ta) {
    int perm[2] = {1, 0};
    return tile_layout_transpose(&l, perm, out, e);
  }
  *out = l;
  return true;
}

static void seed_gemm(TileInferModel *m, const TileInferOp *op) {
  for (int i = 0, wm; (wm = tile_infer_gemm_partition(m, op, i)); i++)
    for (int o = 2; o >= 0; o--) {
      TileLayout l;
      if (tile_infer_gemm_fragment(m, op, o, wm, &l, NULL))
        add_core_layout(m, op->operand[o].buffer, &l);
    }
}

//===-- Propagation -------------------------------------------------------===//

int tile_infer_lift(const TileInferModel *m, const TileInferOp *op,
                    const TileInferAccess *a, int id, int rank) {
  int perm[TILE_LAYOUT_MAX_AXES], n = 0;
  if (rank != op->loop_rank)
    return -1;
  for (int d = 0; d < rank; d++)
    for (int k = 0; k < rank; k++)
      if (a->map[k] == d)
        perm[d] = k, n++;
  return n == rank ? tile_infer_pool_transpose(m->pool, id, perm) : -1;
}

int tile_infer_fold(const TileInferModel *m, const TileInferOp *op, int src,
                    int dst_rank) {
  int map[TILE_LAYOUT_MAX_AXES], rank = 0;
  int src_rank = tile_infer_pool_get(m->pool, src)->out.num_axes;
  for (int d = 0; d < src_rank; d++) {
    if (d != op->dim)
      map[rank++] = d;
    else if (dst_rank == src_rank)
      map[rank++] = -1; // the summed dimension stays, with extent 1
  }
  return tile_infer_pool_project(m->pool, src, map, rank);
}

// Projects |loop| onto every fragment operand but |skip|.
static bool spread(TileInferModel *m, const TileInferOp *op, int loop,
                   int skip) {
  bool changed = false;
  for (int t = 0; t < op->num_operands; t++) {
    const TileInferBuffer *tb = tile_infer_buffer(m, op, t);
    if (t != skip && tb->space == TILE_INFER_FRAGMENT)
      changed |=
          add_core(m, op->operand[t].buffer,
                   tile_infer_pool_project(m->pool, loop, op->operand[t].map,
                                           tile_infer_core_rank(tb)));
  }
  return changed;
}

int tile_infer_user_loop(const TileInferModel *m, const TileInferOp *op,
                         TileReason *e) {
  enum { ANY_ELEM_BITS = 32 };
  int warps = m->problem->role[op->role].warps;
  TileLayout loop;
  TileReason why = {""};
  if (!tile_layout_parse(op->user_loop, op->loop_shape, op->loop_rank,
                         ANY_ELEM_BITS, &loop, &why) ||
      !tile_layout_check_fragment(&loop, &why)) {
    tile_refuse(e, "", "layout given for %s: %.200s", op->name, why.text);
    return -1;
  }
  if (loop.in.extent[TILE_LAYOUT_WARP] != warps) {
    tile_refuse(e, "", "layout given for %s has %lld warps, role %s has %d",
                op->name, (long long)loop.in.extent[TILE_LAYOUT_WARP],
                m->problem->role[op->role].name, warps);
    return -1;
  }
  return tile_infer_pool_add(m->pool, &loop);
}

// The layouts that vectorise a loop, also when only memory has its full rank.
static void seed_free_loop(TileInferModel *m, const TileInferOp *op) {
  int bits = 32, warps = m->problem->role[op->role].warps;
  for (int o = 0; o < op->num_operands; o++)
    if (tile_infer_buffer(m, op, o)->elem_bits < bits)
      bits = tile_infer_buffer(m, op, o)->elem_bits;
  // Buffers of the full rank offer single elements, too.
  int least =
      op->loop_rank > 0 && op->loop_shape[op->loop_rank - 1] % 2 ? 1 : 2;
  for (int vec = 128 / bits; vec >= least; vec /= 2) {
    TileLayout loop[TILE_INFER_MAX_FREE];
    int n = tile_infer_free_layouts(op->loop_shape, op->loop_rank, warps, vec,
                                    bits, loop);
    for (int i = 0; i < n; i++)
      spread(m, op, tile_infer_pool_add(m->pool, &loop[i]), -1);
  }
}

static bool from_parallel(TileInferModel *m, const TileInferOp *op) {
  bool changed = false;
  for (int s = 0; s < op->num_operands; s++) {
    const TileInferAccess *src = &op->operand[s];
    const TileInferBuffer *sb = tile_infer_buffer(m, op, s);
    if (sb->space != TILE_INFER_FRAGMENT)
      continue;
    TileInferDomain *sd = &m->domain[src->buffer];
    for (int c = 0; c < sd->n; c++) {
      int loop =
          tile_infer_lift(m, op, src, sd->id[c], tile_infer_core_rank(sb));
      if (loop < 0)
        break;
      changed |= spread(m, op, loop, s);
    }
  }
  return changed;
}

// The layout on the other side of a copy, transpose or reduction.
static int across(TileInferModel *m, const TileInferOp *op, int id,
                  int dst_rank) {
  static const int perm[2] = {1, 0};
  if (op->kind == TILE_INFER_REDUCE)
    return tile_infer_fold(m, op, id, dst_rank);
  return op->kind == TILE_INFER_TRANSPOSE
             ? tile_infer_pool_transpose(m->pool, id, perm)
             : id;
}

static bool from_pair(TileInferModel *m, const TileInferOp *op) {
  bool changed = false;
  int s = op->operand[0].buffer, t = op->operand[1].buffer;
  const TileInferBuffer *sb = tile_infer_buffer(m, op, 0);
  const TileInferBuffer *tb = tile_infer_buffer(m, op, 1);
  if (sb->space != TILE_INFER_FRAGMENT || tb->space != TILE_INFER_FRAGMENT)
    return false;
  for (int c = 0; c < m->domain[s].n; c++)
    changed |= add_core(
        m, t, across(m, op, m->domain[s].id[c], tile_infer_core_rank(tb)));
  for (int c = 0; c < m->domain[t].n && op->kind != TILE_INFER_REDUCE; c++)
    changed |= add_core(
        m, s, across(m, op, m->domain[t].id[c], tile_infer_core_rank(sb)));
  return changed;
}

bool tile_infer_view(const TileInferModel *m, const TileInferOp *op,
                     int operand, const TileLayout *full, TileLayout *out) {
  if (op->cut) { // the tile decides
    TileLayoutWindow window;
    if (operand != 0 || !tile_layout_cut(full, op->cut, &window, NULL) ||
        (op->whole_atoms && window.toggle))
      return false;
    *out = window.layout;
    return true;
  }
  const TileInferBuffer *from = tile_infer_buffer(m, op, operand);
  const TileInferBuffer *to = tile_infer_buffer(m, op, 1 - operand);
  return tile_layout_reinterpret(full, from->elem_bits, to->shape, to->rank,
                                 to->elem_bits, out, NULL);
}

// Both sides of a view are offered what the other side has.
static bool from_view(TileInferModel *m, const TileInferOp *op) {
  bool changed = false;
  for (int o = 0; o < 2; o++) {
    const TileInferDomain *d = &m->domain[op->operand[o].buffer];
    for (int c = 0; c < d->n; c++) {
      TileLayout seen;
      if (!tile_infer_buffer(m, op, 1 - o)->user &&
          tile_infer_view(m, op, o, d->full[c], &seen))
        changed |= add(m, op->operand[1 - o].buffer, &seen);
    }
  }
  return changed;
}

static void propagate(TileInferModel *m) {
  bool again = true;
  for (int round = 0; again && round < 8; round++) {
    again = false;
    for (int i = 0; i < m->problem->num_ops; i++) {
      const TileInferOp *op = &m->problem->op[i];
      if (op->kind == TILE_INFER_PARALLEL)
        again |= from_parallel(m, op);
      else if (op->kind == TILE_INFER_VIEW)
        again |= from_view(m, op);
      else if (op->kind == TILE_INFER_REDUCE || op->kind == TILE_INFER_COPY ||
               op->kind == TILE_INFER_TRANSPOSE)
        again |= from_pair(m, op);
    }
  }
}

//===-- Free candidates, user layouts -------------------------------------===//

// Those of the storage: its views get theirs by propagation.
static void seed_viewed_fragment(TileInferModel *m, int buffer) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  int warps = m->problem->role[b->role].warps;
  TileInferExtents parts;
  if (b->is_view || !tile_infer_view_parts(m, buffer, &parts))
    return;
  for (int vec = 128 / b->elem_bits; vec >= 1; vec /= 2) {
    TileLayout l[TILE_INFER_MAX_FREE], seen;
    int n = tile_infer_free_layouts_of(&parts, warps, vec, b->elem_bits, l);
    for (int i = 0; i < n; i++)
      if (tile_layout_view(&l[i], b->shape, b->rank, &seen, NULL))
        add_core_layout(m, buffer, &seen);
  }
}

static void seed_free_fragment(TileInferModel *m, int buffer) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  int rank = tile_infer_core_rank(b), warps = m->problem->role[b->role].warps;
  const int64_t *shape = tile_infer_core_shape(b);
  TileLayout l[TILE_INFER_MAX_FREE];
  int bits = b->vector_bits ? b->vector_bits : b->elem_bits;
  for (int vec = 128 / bits; vec >= 1; vec /= 2) {
    int n = tile_infer_free_layouts(shape, rank, warps, vec, b->elem_bits, l);
    for (int i = 0; i < n; i++)
      if (tile_infer_view_takes(m, buffer, &l[i]))
        add_core_layout(m, buffer, &l[i]);
  }
  seed_viewed_fragment(m, buffer);
  int64_t size = 1;
  for (int d = 0; d < rank; d++)
    size *= shape[d];
  if (size <= 256 && replicated(shape, rank, warps, l))
    add_core_layout(m, buffer, l);
}

// Slots of a ring begin where any copy engine may write: TMA at 128 bytes (PTX
// ISA, tensor copies).
static void add_slot(TileInferModel *m, int buffer, const TileLayout *core) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  TileLayout full;
  if (over_stages(b, core, TILE_INFER_SLOT_BYTES * 8 / b->elem_bits, &full))
    add(m, buffer, &full);
}

static void seed_shared(TileInferModel *m, int buffer) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  const int64_t *shape = tile_infer_core_shape(b);
  int rank = tile_infer_core_rank(b);
  static const int spans[] = {128, 64, 32, 16};
  TileLayout l;
  for (int i = 0; i < 4; i++)
    if (rank == 2 &&
        tile_hw_swizzle(shape, rank, b->elem_bits, spans[i], &l, NULL))
      add_slot(m, buffer, &l);
  if (tile_hw_linear(shape, rank, &l, NULL))
    add_slot(m, buffer, &l);
  int64_t cols = shape[rank - 1];
  if (rank == 2 &&
      tile_hw_padded(shape, rank, cols + 128 / b->elem_bits, &l, NULL))
    add_slot(m, buffer, &l);
  // Stored transposed, widest swizzle: what 8-bit and tf32 operands need when
  // the contiguous dimension of the tile is not K.
  for (int i = 0; i < 3; i++)
    if (rank == 2 &&
        tile_hw_swizzle_t(shape, rank, b->elem_bits, spans[i], &l, NULL)) {
      add_slot(m, buffer, &l);
      break;
    }
}

static bool seed_user(TileInferModel *m, int buffer, TileReason *e) {
  const TileInferBuffer *b = &m->problem->buffer[buffer];
  TileLayout l;
  TileReason why = {""};
  bool ok =
      tile_layout_parse(b->user, b->shape, b->rank, b->elem_bits, &l, &why) &&
      (b->space == TILE_INFER_SHARED ? tile_layout_check_memory(&l, &why)
                                     : tile_layout_check_fragment(&l, &why));
  if (ok && b->space == TILE_INFER_FRAGMENT &&
      l.in.extent[TILE_LAYOUT_WARP] != m->problem->role[b->role].warps)
    ok = tile_refuse(&why, "", "layout has %lld warps, role %s has %d",
                     (long long)l.in.extent[TILE_LAYOUT_WARP],
                     m->problem->role[b->role].name,
                     m->problem->role[b->role].warps);
  if (!ok)
    return tile_refuse(e, "", "layout given for %s: %.200s", b->name, why.text);
  add(m, buffer, &l);
  return true;
}

bool tile_infer_fail_view(const TileInferModel *m, const TileInferOp *op,
                          TileReason *e) {
  const TileInferBuffer *from = tile_infer_buffer(m, op, 0),
                        *to = tile_infer_buffer(m, op, 1);
  const TileInferDomain *d = &m->domain[op->operand[0].buffer];
  TileReason why;
  TileLayout seen;
  if (!d->n || op->cut ||
      tile_layout_reinterpret(d->full[0], from->elem_bits, to->shape, to->rank,
                              to->elem_bits, &seen, &why))
    return tile_refuse(e, "", "op %s: no layout fits both its shapes",
                       op->name);
  return tile_refuse(e, "", "layout%s for %s cannot serve op %s: %s",
                     from->user ? " given" : "", from->name, op->name,
                     why.text);
}

// A view has no layout where that of its storage was given and is none of it.
static bool report_empty(const TileInferModel *m, int buffer, TileReason *e) {
  const TileInferProblem *p = m->problem;
  for (int i = 0; i < p->num_ops; i++)
    if (p->op[i].kind == TILE_INFER_VIEW &&
        p->op[i].operand[1].buffer == buffer &&
        tile_infer_buffer(m, &p->op[i], 0)->user)
      return tile_infer_fail_view(m, &p->op[i], e);
  return tile_refuse(e, "", "no layout fits buffer %s", p->buffer[buffer].name);
}

bool tile_infer_build_domains(TileInferModel *m, TileReason *e) {
  const TileInferProblem *p = m->problem;
  for (int i = 0; i < p->num_buffers; i++) {
    if (p->buffer[i].user && !seed_user(m, i, e))
      return false;
    if (!p->buffer[i].user && p->buffer[i].space == TILE_INFER_SHARED)
      seed_shared(m, i);
  }
  for (int i = 0; i < p->num_ops; i++) {
    if (p->op[i].kind == TILE_INFER_GEMM)
      seed_gemm(m, &p->op[i]);
    if (!p->op[i].user_loop)
      continue;
    int loop = tile_infer_user_loop(m, &p->op[i], e);
    if (loop < 0)
      return false;
    spread(m, &p->op[i], loop, -1);
  }
  propagate(m);
  for (int i = 0; i < p->num_ops; i++)
    if (p->op[i].kind == TILE_INFER_PARALLEL)
      seed_free_loop(m, &p->op[i]);
  for (int i = 0; i < p->num_buffers; i++)
    if (p->buffer[i].space == TILE_INFER_FRAGMENT && !p->buffer[i].user)
      seed_free_fragment(m, i);
  propagate(m);
  for (int i = 0; i < p->num_buffers; i++)
    if (p->buffer[i].space != TILE_INFER_GLOBAL && !m->domain[i].n)
      return report_empty(m, i, e);
  return true;
}

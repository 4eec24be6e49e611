//===- LayoutInferModel.c - Cost tables of the ops ------------------------===//
//
// Copies, transposes and parallel loops are one shape: a loop layout (the mode)
// and an operand cost per candidate: a conversion for fragments, an access for
// memory. Matrix ops have warp partitions as modes, reductions the layout of
// their source. O(modes * candidates) answers of the pool per operand.
//
//===----------------------------------------------------------------------===//

#include "LayoutInferInternal.h"
#include "LayoutInternal.h"

#include <string.h>

//===-- Layouts and costs that recur --------------------------------------===//

// Every op asks for the same few conversions and accesses again and again, so
// layouts are numbered and every answer is kept under the numbers it depends
// on. Two open-addressing tables in the arena; nothing is ever removed.

typedef struct {
  uint64_t a, b; // a == 0: empty
  int64_t value;
  int extra;
} Slot;

typedef struct {
  size_t used, cap; // cap is a power of two
  Slot *slot;
} Memo;

struct TileInferPool {
  TileArena *arena;
  int count, cap;
  const TileLayout **layout;
  uint64_t *hash;
  int *bucket; // of layouts: index + 1, by hash; twice |cap| of them
  Memo memo;
};

typedef enum {
  KEY_OFFER = 1,
  KEY_TRANSPOSE,
  KEY_PROJECT,
  KEY_CONVERT,
  KEY_ROUTE,
  KEY_STAGING,
  KEY_SHARED,
  KEY_GLOBAL,
  KEY_TMA,
  KEY_WGMMA,
} Key;

//===-- Layouts -----------------------------------------------------------===//

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9E3779B97F4A7C15ull;
  return h ^ h >> 29;
}

static uint64_t hash_space(uint64_t h, const TileLayoutSpace *s) {
  h = mix(h, (uint64_t)s->num_axes << 32 | (uint32_t)s->num_digits);
  for (int a = 0; a < s->num_axes; a++)
    h = mix(h, (uint64_t)s->extent[a]);
  for (int i = 0; i < s->num_digits; i++) {
    const TileLayoutDigit *d = &s->digit[i];
    h = mix(h, (uint64_t)d->stride << 16 | (uint64_t)d->axis << 12 |
                   (uint64_t)d->radix);
  }
  return h;
}

static uint64_t hash_layout(const TileLayout *l) {
  uint64_t h = hash_space(hash_space(1, &l->in), &l->out);
  for (int i = 0; i < l->in.num_digits; i++)
    h = mix(h, l->image[i]);
  return h;
}

static bool same_space(const TileLayoutSpace *x, const TileLayoutSpace *y) {
  return x->num_axes == y->num_axes && x->num_digits == y->num_digits &&
         !memcmp(x->name, y->name, sizeof x->name[0] * (size_t)x->num_axes) &&
         !memcmp(x->extent, y->extent,
                 sizeof x->extent[0] * (size_t)x->num_axes) &&
         !memcmp(x->digit, y->digit,
                 sizeof x->digit[0] * (size_t)x->num_digits);
}

static bool same_layout(const TileLayout *x, const TileLayout *y) {
  return same_space(&x->in, &y->in) && same_space(&x->out, &y->out) &&
         !memcmp(x->image, y->image,
                 sizeof x->image[0] * (size_t)x->in.num_digits);
}

static void index_layout(TileInferPool *p, int id) {
  size_t mask = 2 * (size_t)p->cap - 1, i = p->hash[id] & mask;
  while (p->bucket[i])
    i = (i + 1) & mask;
  p->bucket[i] = id + 1;
}

static void grow_layouts(TileInferPool *p) {
  int cap = p->cap ? 2 * p->cap : 64;
  const TileLayout **layout = TILE_ARENA_NEW(p->arena, const TileLayout *, cap);
  uint64_t *hash = TILE_ARENA_NEW(p->arena, uint64_t, cap);
  for (int i = 0; i < p->count; i++)
    layout[i] = p->layout[i], hash[i] = p->hash[i];
  p->layout = layout, p->hash = hash, p->cap = cap;
  p->bucket = TILE_ARENA_NEW(p->arena, int, 2 * cap);
  for (int i = 0; i < p->count; i++)
    index_layout(p, i);
}

TileInferPool *tile_infer_pool_create(TileArena *arena) {
  TileInferPool *p = TILE_ARENA_NEW(arena, TileInferPool, 1);
  p->arena = arena;
  grow_layouts(p);
  return p;
}

int tile_infer_pool_add(TileInferPool *p, const TileLayout *l) {
  uint64_t h = hash_layout(l);
  size_t mask = 2 * (size_t)p->cap - 1;
  for (size_t i = h & mask; p->bucket[i]; i = (i + 1) & mask) {
    int id = p->bucket[i] - 1;
    if (p->hash[id] == h && same_layout(p->layout[id], l))
      return id;
  }
  if (p->count == p->cap)
    grow_layouts(p);
  TileLayout *copy = TILE_ARENA_NEW(p->arena, TileLayout, 1);
  *copy = *l;
  p->layout[p->count] = copy, p->hash[p->count] = h;
  index_layout(p, p->count);
  return p->count++;
}

const TileLayout *tile_infer_pool_get(const TileInferPool *p, int id) {
  return p->layout[id];
}

//===-- Answers -----------------------------------------------------------===//

static Slot *find_slot(const Memo *m, uint64_t a, uint64_t b) {
  size_t i = mix(mix(7, a), b) & (m->cap - 1);
  while (m->slot[i].a && (m->slot[i].a != a || m->slot[i].b != b))
    i = (i + 1) & (m->cap - 1);
  return &m->slot[i];
}

static void grow_memo(TileInferPool *p) {
  Memo old = p->memo;
  p->memo.cap = old.cap ? 2 * old.cap : 512;
  p->memo.slot = TILE_ARENA_NEW(p->arena, Slot, p->memo.cap);
  for (size_t i = 0; i < old.cap; i++)
    if (old.slot[i].a)
      *find_slot(&p->memo, old.slot[i].a, old.slot[i].b) = old.slot[i];
}

// True and the answer when it is known.
static bool recall(TileInferPool *p, uint64_t a, uint64_t b, Slot *out) {
  if (!p->memo.cap)
    return false;
  Slot *s = find_slot(&p->memo, a, b);
  if (!s->a)
    return false;
  *out = *s;
  return true;
}

static int64_t keep(TileInferPool *p, uint64_t a, uint64_t b, int64_t value,
                    int extra) {
  if (2 * (p->memo.used + 1) > p->memo.cap)
    grow_memo(p);
  p->memo.used++;
  *find_slot(&p->memo, a, b) = (Slot){a, b, value, extra};
  return value;
}

static uint64_t key(Key kind, int elem_bits, uint32_t more) {
  return (uint64_t)kind << 56 | (uint64_t)elem_bits << 40 | more;
}

static uint64_t pair(int x, int y) {
  return (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
}

bool tile_infer_pool_first_offer(TileInferPool *p, int buffer, int id) {
  Slot s;
  uint64_t a = key(KEY_OFFER, 0, 0), b = pair(buffer, id);
  if (recall(p, a, b, &s))
    return false;
  keep(p, a, b, 1, 0);
  return true;
}

// Four bits per dimension; 15 stands for -1.
static uint32_t pack(const int *map, int rank) {
  uint32_t r = 0;
  for (int d = 0; d < rank; d++)
    r |= (uint32_t)(map[d] & 15) << 4 * d;
  return r;
}

int tile_infer_pool_transpose(TileInferPool *p, int id, const int *perm) {
  Slot s;
  const TileLayout *l = p->layout[id];
  uint64_t a = key(KEY_TRANSPOSE, 0, pack(perm, l->out.num_axes));
  if (recall(p, a, (uint64_t)id, &s))
    return (int)s.value;
  TileLayout t;
  int r = tile_layout_transpose(l, perm, &t, NULL) ? tile_infer_pool_add(p, &t)
                                                   : -1;
  return (int)keep(p, a, (uint64_t)id, r, 0);
}

int tile_infer_pool_project(TileInferPool *p, int id, const int *map,
                            int rank) {
  Slot s;
  uint64_t a = key(KEY_PROJECT, rank, pack(map, rank));
  if (recall(p, a, (uint64_t)id, &s))
    return (int)s.value;
  TileLayout t;
  int r = tile_layout_project(p->layout[id], map, rank, &t, NULL)
              ? tile_infer_pool_add(p, &t)
              : -1;
  return (int)keep(p, a, (uint64_t)id, r, 0);
}

//===-- Costs -------------------------------------------------------------===//

TileInferAccessCost tile_infer_pool_shared(TileInferPool *p, int f, int s,
                                           int elem_bits, bool allow_matrix) {
  Slot known;
  uint64_t a = key(KEY_SHARED, elem_bits, allow_matrix), b = pair(f, s);
  if (recall(p, a, b, &known))
    return (TileInferAccessCost){known.value, known.extra};
  TileLayoutAccess acc;
  TileInferAccessCost r = {TILE_INFER_NEVER, 0};
  if (tile_layout_shared_access(p->layout[f], p->layout[s], elem_bits,
                                allow_matrix, &acc, NULL))
    r = (TileInferAccessCost){acc.cost, acc.vec_elems};
  keep(p, a, b, r.cost, r.vec_elems);
  return r;
}

int64_t tile_infer_pool_global(TileInferPool *p, int f, int elem_bits) {
  Slot s;
  uint64_t a = key(KEY_GLOBAL, elem_bits, 0);
  if (recall(p, a, (uint64_t)f, &s))
    return s.value;
  TileLayoutAccess acc;
  bool ok = tile_layout_global_access(p->layout[f], elem_bits, 16, &acc, NULL);
  return keep(p, a, (uint64_t)f, ok ? acc.cost : TILE_INFER_NEVER, 0);
}

int64_t tile_infer_pool_tma(TileInferPool *p, int s, int elem_bits,
                            int contiguous, int64_t run) {
  Slot known;
  uint64_t a = key(KEY_TMA, elem_bits,
                   (uint32_t)run * TILE_LAYOUT_MAX_AXES + (uint32_t)contiguous);
  if (recall(p, a, (uint64_t)s, &known))
    return known.value;
  TileLayoutTma tma;
  bool ok =
      tile_layout_derive_tma(p->layout[s], elem_bits, contiguous, &tma, NULL) &&
      run % tma.box[contiguous] == 0;
  return keep(p, a, (uint64_t)s, ok ? tma.count : -1, 0);
}

int tile_infer_pool_wgmma(TileInferPool *p, int s, int elem_bits, int mn_dim) {
  Slot known;
  uint64_t a = key(KEY_WGMMA, elem_bits, (uint32_t)mn_dim);
  if (recall(p, a, (uint64_t)s, &known))
    return (int)known.value;
  const TileLayout *l = p->layout[s];
  TileHwDesc d;
  bool ok = tile_hw_wgmma_desc(l, elem_bits, mn_dim, 1 - mn_dim,
                               l->in.extent[mn_dim], &d, NULL);
  return (int)keep(p, a, (uint64_t)s, ok ? d.mode + d.mn_major : -1, 0);
}

// The i-th staging layout of the tile of |f|.
static int staging(TileInferPool *p, int f, int elem_bits, int i) {
  Slot known;
  uint64_t a = key(KEY_STAGING, elem_bits, (uint32_t)i);
  if (recall(p, a, (uint64_t)f, &known))
    return (int)known.value;
  const TileLayout *l = p->layout[f];
  TileLayout s;
  bool ok =
      tile_layout_staging(l->out.extent, l->out.num_axes, elem_bits, i, &s);
  return (int)keep(p, a, (uint64_t)f, ok ? tile_infer_pool_add(p, &s) : -1, 0);
}

static int64_t staged_cost(TileInferPool *p, int src, int dst, int elem_bits) {
  int64_t best = TILE_INFER_NEVER;
  for (int i = 0; i < TILE_LAYOUT_NUM_STAGINGS; i++) {
    int s = staging(p, src, elem_bits, i);
    if (s < 0)
      continue;
    int64_t cost = tile_infer_pool_shared(p, src, s, elem_bits, true).cost +
                   tile_infer_pool_shared(p, dst, s, elem_bits, true).cost +
                   (int64_t)2 * TILE_LAYOUT_COST_BAR;
    if (cost < best)
      best = cost;
  }
  return best;
}

// What the conversion costs without shared memory, and how far it reaches.
static Slot route(TileInferPool *p, int src, int dst, int elem_bits) {
  Slot known;
  uint64_t a = key(KEY_ROUTE, elem_bits, 0), b = pair(src, dst);
  if (recall(p, a, b, &known))
    return known;
  TileLayoutConversion c;
  TileLayoutReach reach = tile_layout_plan_route(p->layout[src], p->layout[dst],
                                                 elem_bits, &c, NULL);
  bool in_warp =
      reach == TILE_LAYOUT_REACH_THREAD || reach == TILE_LAYOUT_REACH_WARP;
  keep(p, a, b, in_warp ? c.cost : TILE_INFER_NEVER, (int)reach);
  recall(p, a, b, &known);
  return known;
}

int64_t tile_infer_pool_convert(TileInferPool *p, int src, int dst,
                                int elem_bits) {
  Slot known, in_warp = route(p, src, dst, elem_bits);
  if (in_warp.extra == TILE_LAYOUT_REACH_NEVER ||
      in_warp.extra == TILE_LAYOUT_REACH_THREAD)
    return in_warp.value;
  uint64_t a = key(KEY_CONVERT, elem_bits, 0), b = pair(src, dst);
  if (recall(p, a, b, &known))
    return known.value;
  int64_t cost = staged_cost(p, src, dst, elem_bits);
  return keep(p, a, b, in_warp.value < cost ? in_warp.value : cost, 0);
}

// The same without shared memory; TILE_INFER_NEVER where it cannot do without.
static int64_t pool_convert_in_warp(TileInferPool *p, int src, int dst,
                                    int elem_bits) {
  return route(p, src, dst, elem_bits).value;
}

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
  return in_warp ? pool_convert_in_warp(m->pool, src, dst, elem_bits)
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

// What wgmma reads of shared memory, in lines: every 64 rows of a warpgroup's
// part of C read its columns of B again, and A where it is not in registers.
static int64_t wgmma_reads_cost(const TileInferModel *m, const TileInferOp *op,
                                int warps_m) {
  enum { ROWS = 64, MAX_COLUMNS = 256, LINE_BYTES = 128 };
  if (op->matrix != TILE_INFER_WGMMA)
    return 0;
  const TileInferBuffer *a = tile_infer_buffer(m, op, 0);
  const int64_t *a_shape = tile_infer_core_shape(a);
  const int64_t *c_shape = tile_infer_core_shape(tile_infer_buffer(m, op, 2));
  int groups_n = m->problem->role[op->role].warps / 4 / warps_m;
  int64_t columns = c_shape[1] / groups_n;
  int64_t times = (columns + MAX_COLUMNS - 1) / MAX_COLUMNS;
  int64_t rows_of_a = a->space == TILE_INFER_FRAGMENT ? 0 : times * ROWS;
  int64_t row_bytes = a_shape[!op->ta] * a->elem_bits / 8;
  int64_t num_blocks = c_shape[0] / ROWS * groups_n;
  return num_blocks * (columns + rows_of_a) * row_bytes / LINE_BYTES *
         TILE_LAYOUT_COST_WAVE;
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
    TileInferMode *mode =
        new_mode(m, t, TILE_INFER_MODE_MATRIX, wgmma_reads_cost(m, op, wm));
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

// Padding wastes memory: 1 per 256 bytes of a slot, as long as in a ring.
static int64_t padding_cost(const TileLayout *l, int elem_bits) {
  int64_t slot = TILE_INFER_SLOT_BYTES * 8 / elem_bits;
  int64_t extent = (l->out.extent[0] + slot - 1) / slot * slot;
  int64_t used = (tile_layout_size(&l->in) + slot - 1) / slot * slot;
  return (extent - used) * elem_bits / 8 / 256;
}

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
    else if (b->space == TILE_INFER_SHARED)
      cost = padding_cost(l, b->elem_bits);
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
                           TileReason *e) {
  if (op->kind != TILE_INFER_GEMM && op->kind != TILE_INFER_REDUCE)
    return true;
  for (int o = 0; o < op->num_operands; o++)
    if (tile_infer_buffer(m, op, o)->space == TILE_INFER_GLOBAL)
      return tile_refuse(e, "",
                         "op %s: operand %s is in global memory, copy it first",
                         op->name, tile_infer_buffer(m, op, o)->name);
  return true;
}

static bool build_tables(TileInferModel *m, TileReason *e) {
  const TileInferProblem *p = m->problem;
  for (int b = 0; b < p->num_buffers; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL)
      unary_costs(m, b);
  for (int i = 0; i < p->num_ops; i++) {
    if (!check_operands(m, &p->op[i], e))
      return false;
    op_table(m, &p->op[i], &m->table[i]);
    if (!m->table[i].num_modes && p->op[i].kind == TILE_INFER_VIEW)
      return tile_infer_fail_view(m, &p->op[i], e);
    if (!m->table[i].num_modes)
      return tile_refuse(e, "", "op %s: no instruction fits its shapes",
                         p->op[i].name);
  }
  return true;
}

bool tile_infer_build(const TileInferProblem *p, TileArena *arena,
                      TileInferModel *m, TileReason *e) {
  size_t buffers = (size_t)p->num_buffers;
  *m = (TileInferModel){.problem = p, .arena = arena};
  m->pool = tile_infer_pool_create(arena);
  m->domain = TILE_ARENA_NEW(arena, TileInferDomain, buffers);
  m->table = TILE_ARENA_NEW(arena, TileInferTable, p->num_ops);
  m->unary = tile_arena_alloc(arena, sizeof *m->unary * buffers);
  return tile_infer_build_domains(m, e) && build_tables(m, e);
}

//===- LayoutInferPool.c - Layouts and costs that recur -------------------===//
//
// Every op asks for the same few conversions and accesses again and again, so
// layouts are numbered and every answer is kept under the numbers it depends
// on. Two open-addressing tables in the arena; nothing is ever removed.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"
#include "LayoutInternal.h"

#include <string.h>

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

int64_t tile_infer_pool_convert_in_warp(TileInferPool *p, int src, int dst,
                                        int elem_bits) {
  return route(p, src, dst, elem_bits).value;
}

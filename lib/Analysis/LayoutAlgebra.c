//===- LayoutAlgebra.c - Compose, invert, multiply, reshape --------------===//
//
// Complexity: O(n^2) word operations with n digits; matching two digit orders
// is O(n^3) in the worst case, O(n) when they already agree.
//
//===----------------------------------------------------------------------===//
#include "LayoutInternal.h"
#include "Tile/Layout.h"

#include <stdio.h>
#include <string.h>

//===-- Digit orders ------------------------------------------------------===//

// Moves a digit whose radix is |p| down to input position |k| of its axis.
static bool bring_in(TileLayout *l, int k, int p) {
  int axis = l->in.digit[k].axis, at = k;
  while (at < l->in.num_digits && l->in.digit[at].axis == axis &&
         l->in.digit[at].radix != p)
    at++;
  if (at == l->in.num_digits || l->in.digit[at].axis != axis)
    return false;
  for (; at > k; at--)
    if (!tile_layout_swap_in(l, at - 1))
      return false;
  return true;
}

static bool bring_out(TileLayout *l, int k, int p) {
  int axis = l->out.digit[k].axis, at = k;
  while (at < l->out.num_digits && l->out.digit[at].axis == axis &&
         l->out.digit[at].radix != p)
    at++;
  if (at == l->out.num_digits || l->out.digit[at].axis != axis)
    return false;
  for (; at > k; at--)
    if (!tile_layout_swap_out(l, at - 1))
      return false;
  return true;
}

// Makes the output digit orders of |a| and |b| equal.
bool tile_layout_align_out(TileLayout *a, TileLayout *b) {
  if (a->out.num_digits != b->out.num_digits)
    return false;
  for (int k = 0; k < a->out.num_digits; k++) {
    int p = a->out.digit[k].radix, q = b->out.digit[k].radix;
    if (p == q)
      continue;
    TileLayout save = *b;
    if (bring_out(b, k, p))
      continue;
    *b = save;
    if (!bring_out(a, k, q))
      return false;
  }
  for (int k = 0; k < a->out.num_digits; k++)
    if (a->out.digit[k].stride != b->out.digit[k].stride)
      return false;
  return true;
}

// Makes the output digits of |a| and the input digits of |b| equal.
static bool match(TileLayout *a, TileLayout *b, TileLayoutError *e) {
  if (a->out.num_axes != b->in.num_axes)
    return tile_layout_fail(e, "compose: %d axes meet %d axes", a->out.num_axes,
                            b->in.num_axes);
  for (int x = 0; x < a->out.num_axes; x++)
    if (a->out.extent[x] != b->in.extent[x])
      return tile_layout_fail(e, "compose: axis %s has extent %lld and %lld",
                              b->in.name[x], (long long)a->out.extent[x],
                              (long long)b->in.extent[x]);
  if (a->out.num_digits != b->in.num_digits)
    return tile_layout_fail(e, "compose: not digit aligned");
  for (int k = 0; k < a->out.num_digits; k++) {
    int p = a->out.digit[k].radix, q = b->in.digit[k].radix;
    if (p != q) {
      TileLayout save = *b;
      if (!bring_in(b, k, p)) {
        *b = save;
        if (!bring_out(a, k, q))
          return tile_layout_fail(
              e, "compose: axis %s is not digit aligned (%d vs %d)",
              b->in.name[b->in.digit[k].axis], p, q);
      }
    }
    if (a->out.digit[k].axis != b->in.digit[k].axis ||
        a->out.digit[k].stride != b->in.digit[k].stride)
      return tile_layout_fail(e, "compose: axis %s is not digit aligned",
                              b->in.name[b->in.digit[k].axis]);
  }
  return true;
}

bool tile_layout_compose(const TileLayout *a, const TileLayout *b,
                         TileLayout *out, TileLayoutError *e) {
  TileLayout x = *a, y = *b;
  if (!match(&x, &y, e))
    return false;
  TileLayout r = {.in = x.in, .out = y.out};
  for (int i = 0; i < x.in.num_digits; i++)
    for (uint64_t m = x.image[i]; m; m &= m - 1)
      r.image[i] ^= y.image[__builtin_ctzll(m)];
  *out = r;
  return true;
}

//===-- Inverse -----------------------------------------------------------===//

// Reduced echelon basis of the images of the input bits. combo[k] is the set of
// input bits that produces vec[k]; every vec has a pivot no other vec has.
typedef struct {
  int n;
  uint64_t vec[TILE_LAYOUT_MAX_DIGITS], pivot[TILE_LAYOUT_MAX_DIGITS],
      combo[TILE_LAYOUT_MAX_DIGITS];
} Basis;

static void basis_add(Basis *s, uint64_t v, uint64_t combo) {
  for (int k = 0; k < s->n; k++)
    if (v & s->pivot[k])
      v ^= s->vec[k], combo ^= s->combo[k];
  if (!v)
    return; // dependent: a later input never replaces an earlier one
  uint64_t pivot = v & -v;
  for (int k = 0; k < s->n; k++)
    if (s->vec[k] & pivot)
      s->vec[k] ^= v, s->combo[k] ^= combo;
  s->vec[s->n] = v, s->pivot[s->n] = pivot, s->combo[s->n++] = combo;
}

bool tile_layout_inverse(const TileLayout *l, TileLayout *out,
                         TileLayoutError *e) {
  if (!tile_layout_injective(l) && !tile_layout_covers(l))
    return tile_layout_fail(e, "inverse: neither injective nor covering");
  TileLayout r = {.in = l->out, .out = l->in};
  Basis s = {0};
  for (int i = 0; i < l->in.num_digits; i++) {
    if (l->in.digit[i].radix == 2)
      basis_add(&s, l->image[i], 1ull << i);
    else if (l->image[i])
      r.image[__builtin_ctzll(l->image[i])] = 1ull << i;
  }
  for (int k = 0; k < s.n; k++)
    r.image[__builtin_ctzll(s.pivot[k])] = s.combo[k];
  *out = r;
  return true;
}

//===-- Product, stages ---------------------------------------------------===//

bool tile_layout_product(const TileLayout *lo, const TileLayout *hi,
                         TileLayout *out, TileLayoutError *e) {
  TileLayoutBuilder a, b;
  tile_layout_to_builder(lo, &a), tile_layout_to_builder(hi, &b);
  if (lo->in.num_axes != hi->in.num_axes ||
      lo->out.num_axes != hi->out.num_axes)
    return tile_layout_fail(e, "product: different axes");
  for (int i = 0; i < b.num_entries; i++) {
    TileLayoutEntry t = b.entry[i];
    t.stride *= lo->in.extent[t.axis];
    for (int k = 0; k < t.num_terms; k++)
      t.term[k].stride *= lo->out.extent[t.term[k].axis];
    *tile_layout_new_entry(&a, 0, 2, 0) = t;
  }
  for (int x = 0; x < a.in.num_axes; x++)
    a.in.extent[x] *= b.in.extent[x];
  for (int x = 0; x < a.out.num_axes; x++)
    a.out.extent[x] *= b.out.extent[x];
  return tile_layout_finish(&a, out, e);
}

static void prepend_axis(TileLayoutSpace *s, int64_t extent) {
  TileLayoutSpace r = {0};
  for (int a = -1; a < s->num_axes; a++) {
    char name[8];
    snprintf(name, sizeof name, "d%d", (a + 1) % 10);
    tile_layout_add_axis(&r, name, a < 0 ? extent : s->extent[a]);
  }
  *s = r;
}

static bool is_memory(const TileLayout *l) { return l->out.name[0][0] == 'o'; }

bool tile_layout_expand(const TileLayout *l, int64_t stages, int64_t slot,
                        int64_t align, TileLayout *out, TileLayoutError *e) {
  TileLayoutBuilder b;
  tile_layout_to_builder(l, &b);
  bool memory = is_memory(l);
  if ((memory ? l->in.num_axes : l->out.num_axes) == TILE_LAYOUT_MAX_AXES)
    return tile_layout_fail(e, "expand: more than %d dimensions",
                            TILE_LAYOUT_MAX_AXES);
  if (!memory) {
    prepend_axis(&b.out, stages);
    for (int i = 0; i < b.num_entries; i++)
      for (int t = 0; t < b.entry[i].num_terms; t++)
        b.entry[i].term[t].axis++;
    b.in.extent[TILE_LAYOUT_REG] *= stages;
    tile_layout_push(&b, TILE_LAYOUT_REG, 0, 1, stages);
    return tile_layout_finish(&b, out, e);
  }
  if (align < 1)
    align = 1;
  if (!slot)
    slot = (l->out.extent[0] + align - 1) / align * align;
  if (slot < tile_layout_span(&l->out, 0))
    return tile_layout_fail(
        e, "expand: slot of %lld elements is smaller than %lld",
        (long long)slot, (long long)tile_layout_span(&l->out, 0));
  prepend_axis(&b.in, stages);
  for (int i = 0; i < b.num_entries; i++)
    b.entry[i].axis++;
  tile_layout_push(&b, 0, 0, slot, stages);
  b.out.extent[0] = slot * stages;
  return tile_layout_finish(&b, out, e);
}

bool tile_layout_drop_leading(const TileLayout *l, TileLayout *out,
                              TileLayoutError *e) {
  bool memory = is_memory(l);
  TileLayout c = *l;
  TileLayoutBuilder b, r;
  tile_layout_to_builder(&c, &b);
  const TileLayoutSpace *s = memory ? &b.in : &b.out;
  if (s->num_axes < 2)
    return tile_layout_fail(e, "drop: no leading dimension");
  if (memory)
    tile_layout_begin_memory(&r, s->extent + 1, s->num_axes - 1);
  else
    tile_layout_begin_fragment(&r, s->extent + 1, s->num_axes - 1);
  int64_t lead = 0; // smallest stride of the dropped digits: the slot
  for (int i = 0; i < b.num_entries; i++) {
    TileLayoutEntry t = b.entry[i];
    if (memory ? t.axis == 0 : (t.num_terms && t.term[0].axis == 0)) {
      if (memory && t.num_terms && (!lead || t.term[0].stride < lead))
        lead = t.term[0].stride;
      continue;
    }
    t.axis -= memory;
    if (!memory)
      t.stride = 0;
    for (int k = 0; k < t.num_terms; k++)
      t.term[k].axis -= !memory;
    *tile_layout_new_entry(&r, 0, 2, 0) = t;
  }
  if (memory)
    r.out.extent[0] = lead ? lead : l->out.extent[0];
  return tile_layout_finish(&r, out, e);
}

//===-- Transpose, view, recast -------------------------------------------===//

bool tile_layout_transpose(const TileLayout *l, const int *perm,
                           TileLayout *out, TileLayoutError *e) {
  TileLayoutBuilder b;
  tile_layout_to_builder(l, &b);
  bool memory = is_memory(l);
  TileLayoutSpace *s = memory ? &b.in : &b.out;
  int at[TILE_LAYOUT_MAX_AXES];
  int64_t extent[TILE_LAYOUT_MAX_AXES];
  for (int i = 0; i < s->num_axes; i++) {
    at[perm[i]] = i;
    extent[i] = s->extent[perm[i]];
  }
  memcpy(s->extent, extent, sizeof(int64_t) * (size_t)s->num_axes);
  for (int i = 0; i < b.num_entries; i++) {
    if (memory)
      b.entry[i].axis = at[b.entry[i].axis];
    else
      for (int t = 0; t < b.entry[i].num_terms; t++)
        b.entry[i].term[t].axis = at[b.entry[i].term[t].axis];
  }
  return tile_layout_finish(&b, out, e);
}

// Exchanges the sides, so that one routine serves tiles on either side.
static void mirror(const TileLayout *l, TileLayout *out) {
  TileLayout r = {.in = l->out, .out = l->in};
  for (int i = 0; i < l->in.num_digits; i++)
    for (int j = 0; j < l->out.num_digits; j++)
      if (l->image[i] >> j & 1)
        r.image[j] |= 1ull << i;
  *out = r;
}

// Renumbers the tile digits of a memory-sided layout as one row-major axis.
static void flatten_in(TileLayout *l) {
  TileLayout r = *l;
  int64_t weight[TILE_LAYOUT_MAX_AXES], n = 1;
  for (int a = l->in.num_axes - 1; a >= 0; a--)
    weight[a] = n, n *= l->in.extent[a];
  int k = 0;
  for (int a = l->in.num_axes - 1; a >= 0; a--)
    for (int i = 0; i < l->in.num_digits; i++) {
      TileLayoutDigit d = l->in.digit[i];
      if (d.axis != a)
        continue;
      r.in.digit[k] = (TileLayoutDigit){0, d.radix, d.stride * weight[a]};
      r.image[k++] = l->image[i];
    }
  r.in.num_axes = 1;
  r.in.extent[0] = n;
  *l = r;
}

// Orders the digits from |k| so that a prefix has product |size|. Returns the
// position after it, or -1.
static int cut_prefix(TileLayout *l, int k, int64_t size) {
  int axis = k < l->in.num_digits ? l->in.digit[k].axis : 0;
  while (size > 1) {
    if (k >= l->in.num_digits || l->in.digit[k].axis != axis)
      return -1;
    if (size % l->in.digit[k].radix) {
      int64_t rest = size;
      bool done = false;
      while (rest > 1 && !done) {
        int p = tile_layout_smallest_prime(rest);
        TileLayout save = *l;
        done = bring_in(l, k, p);
        if (!done)
          *l = save;
        while (rest % p == 0)
          rest /= p;
      }
      if (!done)
        return -1;
    }
    size /= l->in.digit[k++].radix;
  }
  return k;
}

static bool view_in(TileLayout *l, const int64_t *shape, int rank,
                    TileLayoutError *e) {
  int64_t n = 1;
  for (int d = 0; d < rank; d++)
    n *= shape[d];
  if (n != tile_layout_size(&l->in))
    return tile_layout_fail(e, "view: %lld elements become %lld",
                            (long long)tile_layout_size(&l->in), (long long)n);
  flatten_in(l);
  TileLayout r = *l;
  int start[TILE_LAYOUT_MAX_AXES + 1], k = 0;
  for (int d = rank - 1; d >= 0; d--) {
    start[d] = k;
    k = cut_prefix(l, k, shape[d]);
    if (k < 0)
      return tile_layout_fail(e,
                              "view: dimension %d of extent %lld cuts a digit",
                              d, (long long)shape[d]);
  }
  r.out = l->out;
  r.in = (TileLayoutSpace){0};
  for (int d = 0; d < rank; d++) {
    char name[8];
    snprintf(name, sizeof name, "d%d", d % 10);
    tile_layout_add_axis(&r.in, name, shape[d]);
    int end = d ? start[d - 1] : l->in.num_digits;
    int64_t stride = 1;
    for (int i = start[d]; i < end; i++) {
      r.image[r.in.num_digits] = l->image[i];
      r.in.digit[r.in.num_digits++] =
          (TileLayoutDigit){d, l->in.digit[i].radix, stride};
      stride *= l->in.digit[i].radix;
    }
  }
  *l = r;
  return true;
}

bool tile_layout_view(const TileLayout *l, const int64_t *shape, int rank,
                      TileLayout *out, TileLayoutError *e) {
  TileLayout m = *l;
  if (is_memory(l)) {
    if (!view_in(&m, shape, rank, e))
      return false;
    *out = m;
    return true;
  }
  mirror(l, &m);
  if (!view_in(&m, shape, rank, e))
    return false;
  mirror(&m, out);
  return true;
}

// Narrow to wide: the low digits of the last dimension must be the low offset
// digits and nothing else may touch them.
static bool recast_wide(TileLayoutBuilder *b, int ratio, TileLayoutError *e) {
  int last = b->in.num_axes - 1, kept = 0;
  for (int i = 0; i < b->num_entries; i++) {
    TileLayoutEntry t = b->entry[i];
    if (t.axis == last && t.stride < ratio) {
      if (t.num_terms != 1 || t.term[0].stride != t.stride)
        return tile_layout_fail(e, "recast: %d neighbours are not contiguous",
                                ratio);
      continue;
    }
    if (t.axis == last)
      t.stride /= ratio;
    for (int k = 0; k < t.num_terms; k++) {
      if (t.term[k].stride % ratio)
        return tile_layout_fail(e, "recast: stride %lld is no multiple of %d",
                                (long long)t.term[k].stride, ratio);
      t.term[k].stride /= ratio;
    }
    b->entry[kept++] = t;
  }
  b->num_entries = kept;
  if (b->in.extent[last] % ratio)
    return tile_layout_fail(e, "recast: %lld columns are no multiple of %d",
                            (long long)b->in.extent[last], ratio);
  b->in.extent[last] /= ratio;
  b->out.extent[0] = (b->out.extent[0] + ratio - 1) / ratio;
  return true;
}

bool tile_layout_recast(const TileLayout *l, int from, int to, TileLayout *out,
                        TileLayoutError *e) {
  int big = from > to ? from : to, small = from > to ? to : from;
  int ratio = big / small;
  if (small < 1 || big % small || (ratio & (ratio - 1)))
    return tile_layout_fail(e, "recast: %d to %d bits is no power of two", from,
                            to);
  TileLayoutBuilder b;
  tile_layout_to_builder(l, &b);
  int last = b.in.num_axes - 1;
  if (to >= from)
    return recast_wide(&b, ratio, e) && tile_layout_finish(&b, out, e);
  for (int i = 0; i < b.num_entries; i++) {
    if (b.entry[i].axis == last)
      b.entry[i].stride *= ratio;
    for (int k = 0; k < b.entry[i].num_terms; k++)
      b.entry[i].term[k].stride *= ratio;
  }
  for (int s = 1; s < ratio; s *= 2) {
    TileLayoutEntry *t = tile_layout_new_entry(&b, last, 2, s);
    t->num_terms = 1;
    t->term[0] = (TileLayoutTerm){0, s};
  }
  b.in.extent[last] *= ratio;
  b.out.extent[0] *= ratio;
  return tile_layout_finish(&b, out, e);
}

//===-- Windows -----------------------------------------------------------===//

// Splits the constant part of a window: bits that the window also moves are
// toggled, the others are added.
static bool split_base(const TileLayout *m, const int64_t *offset,
                       uint64_t moving, TileLayoutWindow *out,
                       TileLayoutError *e) {
  int64_t base;
  out->toggle = 0;
  tile_layout_eval(m, offset, &base);
  for (int j = 0; j < m->out.num_digits; j++) {
    const TileLayoutDigit *d = &m->out.digit[j];
    uint64_t parity = 0;
    for (int i = 0; i < m->in.num_digits; i++) {
      const TileLayoutDigit *x = &m->in.digit[i];
      if (x->radix == 2)
        parity ^=
            (m->image[i] >> j & 1) & (uint64_t)(offset[x->axis] / x->stride);
    }
    if (d->radix != 2 || !(moving >> j & 1) || !(parity & 1))
      continue;
    bool power = !(d->stride & (d->stride - 1));
    for (int k = j + 1; k < m->out.num_digits; k++)
      power &= m->out.digit[k].stride % (2 * d->stride) == 0;
    if (!power)
      return tile_layout_fail(
          e,
          "slice: the window starts inside a swizzle of stride "
          "%lld",
          (long long)d->stride);
    out->toggle += d->stride;
  }
  out->add = base - out->toggle;
  return true;
}

bool tile_layout_slice(const TileLayout *l, const int64_t *offset,
                       const int64_t *size, TileLayoutWindow *out,
                       TileLayoutError *e) {
  TileLayout m = *l;
  uint64_t moving = 0;
  for (int a = 0; a < l->in.num_axes; a++) {
    if (size[a] < 1 || offset[a] % size[a] ||
        offset[a] + size[a] > l->in.extent[a])
      return tile_layout_fail(e, "slice: offset %lld, size %lld of extent %lld",
                              (long long)offset[a], (long long)size[a],
                              (long long)l->in.extent[a]);
    int first = 0;
    while (first < m.in.num_digits && m.in.digit[first].axis != a)
      first++;
    if (cut_prefix(&m, first, size[a]) < 0)
      return tile_layout_fail(e,
                              "slice: size %lld cuts a digit of dimension %d",
                              (long long)size[a], a);
  }
  TileLayoutBuilder b;
  tile_layout_to_builder(&m, &b);
  int kept = 0;
  for (int i = 0; i < b.num_entries; i++) {
    if (b.entry[i].stride >= size[b.entry[i].axis])
      continue;
    moving |= m.image[i];
    b.entry[kept++] = b.entry[i];
  }
  b.num_entries = kept;
  memcpy(b.in.extent, size, sizeof(int64_t) * (size_t)b.in.num_axes);
  b.out.extent[0] = 0;
  return split_base(&m, offset, moving, out, e) &&
         tile_layout_finish(&b, &out->layout, e);
}

//===-- Projections of fragments ------------------------------------------===//

bool tile_layout_project(const TileLayout *loop, const int *map, int rank,
                         TileLayout *out, TileLayoutError *e) {
  int64_t shape[TILE_LAYOUT_MAX_AXES];
  for (int d = 0; d < rank; d++)
    shape[d] = map[d] < 0 ? 1 : loop->out.extent[map[d]];
  TileLayoutBuilder b, r;
  tile_layout_to_builder(loop, &b);
  tile_layout_begin_fragment(&r, shape, rank);
  for (int i = 0; i < b.num_entries; i++) {
    TileLayoutEntry t = b.entry[i];
    int n = 0;
    for (int k = 0; k < t.num_terms; k++)
      for (int d = 0; d < rank; d++)
        if (map[d] == t.term[k].axis)
          t.term[n++] = (TileLayoutTerm){d, t.term[k].stride};
    t.num_terms = n;
    *tile_layout_new_entry(&r, 0, 2, 0) = t;
  }
  TileLayout full;
  return tile_layout_finish(&r, &full, e) &&
         tile_layout_compact_regs(&full, out, e);
}

bool tile_layout_fold(const TileLayout *l, int dim, bool keep_unit_dim,
                      TileLayout *out, TileLayoutError *e) {
  int map[TILE_LAYOUT_MAX_AXES], rank = 0;
  for (int d = 0; d < l->out.num_axes; d++) {
    if (d != dim)
      map[rank++] = d;
    else if (keep_unit_dim)
      map[rank++] = -1;
  }
  return tile_layout_project(l, map, rank, out, e);
}

bool tile_layout_compact_regs(const TileLayout *l, TileLayout *out,
                              TileLayoutError *e) {
  uint64_t kept_images[TILE_LAYOUT_MAX_DIGITS];
  int n = 0, kept = 0;
  TileLayoutBuilder b;
  tile_layout_to_builder(l, &b);
  for (int i = 0; i < b.num_entries; i++) {
    TileLayoutEntry t = b.entry[i];
    if (t.axis == TILE_LAYOUT_REG) {
      if (!l->image[i])
        continue;
      kept_images[n] = l->image[i];
      if (t.radix == 2 && tile_layout_rank(kept_images, n + 1) == n)
        continue;
      n += t.radix == 2;
      t.stride = 0;
    }
    b.entry[kept++] = t;
  }
  b.num_entries = kept;
  b.in.extent[TILE_LAYOUT_REG] = 0;
  return tile_layout_finish(&b, out, e);
}

//===- LayoutAlgebra.c - Equality, composition, stages --------------------===//
//
// Complexity: O(n^2) word operations with n digits; matching two digit orders
// is O(n^3) in the worst case, O(n) when they already agree. Only
// tile_layout_equal may enumerate, O(size * n), and only when canonical forms
// differ.
//
//===----------------------------------------------------------------------===//
#include "Layout.h"
#include "LayoutInternal.h"

#include <stdio.h>
#include <string.h>

//===-- Canonical form and equality ---------------------------------------===//

static bool exclusive(const TileLayout *l, int i, uint64_t mask) {
  for (int k = 0; k < l->in.num_digits; k++)
    if (k != i && k != i + 1 && (l->image[k] & mask))
      return false;
  return true;
}

static void swap_radix(TileLayoutDigit *d) {
  int r = d[0].radix;
  d[0].radix = d[1].radix, d[1].radix = r;
  d[1].stride = d[0].stride * d[0].radix;
}

static bool contiguous(const TileLayoutDigit *d) {
  return d[0].axis == d[1].axis && d[1].stride == d[0].stride * d[0].radix;
}

// Exchanges the radices of input digits i and i+1 when both, and their images,
// are contiguous: the pair is then one composite digit that may be cut anew.
static bool swap_in(TileLayout *l, int i) {
  if (i + 1 >= l->in.num_digits || !contiguous(&l->in.digit[i]))
    return false;
  uint64_t a = l->image[i], b = l->image[i + 1];
  if (l->in.digit[i].radix == l->in.digit[i + 1].radix)
    return true;
  if (!a && !b) {
    swap_radix(&l->in.digit[i]);
    return true;
  }
  if (!a || (a & (a - 1)) || b != a << 1)
    return false;
  int j = __builtin_ctzll(a);
  if (!contiguous(&l->out.digit[j]) || !exclusive(l, i, a | b))
    return false;
  swap_radix(&l->in.digit[i]);
  swap_radix(&l->out.digit[j]);
  return true;
}

// The same for output digits j and j+1.
static bool swap_out(TileLayout *l, int j) {
  if (j + 1 >= l->out.num_digits || !contiguous(&l->out.digit[j]))
    return false;
  uint64_t pair = 3ull << j, hit = 0;
  for (int i = 0; i < l->in.num_digits; i++)
    hit |= l->image[i];
  if (!(hit & pair)) {
    swap_radix(&l->out.digit[j]);
    return true;
  }
  for (int i = 0; i < l->in.num_digits; i++)
    if (l->image[i] == 1ull << j)
      return swap_in(l, i) && l->image[i + 1] == 2ull << j;
  return false;
}

void tile_layout_canonicalize(TileLayout *l) {
  bool again = true;
  while (again) {
    again = false;
    for (int i = 0; i + 1 < l->in.num_digits; i++)
      if (l->in.digit[i].axis == l->in.digit[i + 1].axis &&
          l->in.digit[i].radix > l->in.digit[i + 1].radix && swap_in(l, i))
        again = true;
    for (int j = 0; j + 1 < l->out.num_digits; j++)
      if (l->out.digit[j].axis == l->out.digit[j + 1].axis &&
          l->out.digit[j].radix > l->out.digit[j + 1].radix && swap_out(l, j))
        again = true;
  }
}

static bool same_shape(const TileLayoutSpace *a, const TileLayoutSpace *b) {
  if (a->num_axes != b->num_axes)
    return false;
  for (int i = 0; i < a->num_axes; i++)
    if (a->extent[i] != b->extent[i] || strcmp(a->name[i], b->name[i]))
      return false;
  return true;
}

static bool same_digits(const TileLayoutSpace *a, const TileLayoutSpace *b) {
  if (a->num_digits != b->num_digits)
    return false;
  for (int i = 0; i < a->num_digits; i++)
    if (a->digit[i].axis != b->digit[i].axis ||
        a->digit[i].radix != b->digit[i].radix ||
        a->digit[i].stride != b->digit[i].stride)
      return false;
  return true;
}

// Compares values at |count| input points, spread evenly.
static bool agree(const TileLayout *a, const TileLayout *b, int64_t count) {
  int64_t n = tile_layout_size(&a->in);
  int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES],
      z[TILE_LAYOUT_MAX_AXES];
  if (count > n)
    count = n;
  for (int64_t k = 0; k < count; k++) {
    tile_layout_point(&a->in, count == n ? k : (k * 2654435761ll) % n, x);
    if (!tile_layout_eval(a, x, y) || !tile_layout_eval(b, x, z) ||
        memcmp(y, z, (size_t)a->out.num_axes * sizeof *y))
      return false;
  }
  return true;
}

bool tile_layout_equal(const TileLayout *a, const TileLayout *b) {
  if (!same_shape(&a->in, &b->in) || a->out.num_axes != b->out.num_axes ||
      tile_layout_size(&a->in) != tile_layout_size(&b->in) || !agree(a, b, 16))
    return false;
  TileLayout x = *a, y = *b;
  tile_layout_canonicalize(&x), tile_layout_canonicalize(&y);
  if (same_digits(&x.in, &y.in) && same_digits(&x.out, &y.out))
    return !memcmp(x.image, y.image, (size_t)x.in.num_digits * 8);
  return agree(a, b, tile_layout_size(&a->in));
}

//===-- Digit orders ------------------------------------------------------===//

bool tile_layout_bring_in(TileLayout *l, int k, int p) {
  int axis = l->in.digit[k].axis, at = k;
  while (at < l->in.num_digits && l->in.digit[at].axis == axis &&
         l->in.digit[at].radix != p)
    at++;
  if (at == l->in.num_digits || l->in.digit[at].axis != axis)
    return false;
  for (; at > k; at--)
    if (!swap_in(l, at - 1))
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
    if (!swap_out(l, at - 1))
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
static bool match(TileLayout *a, TileLayout *b, TileReason *e) {
  if (a->out.num_axes != b->in.num_axes)
    return tile_refuse(e, "", "compose: %d axes meet %d axes", a->out.num_axes,
                       b->in.num_axes);
  for (int x = 0; x < a->out.num_axes; x++)
    if (a->out.extent[x] != b->in.extent[x])
      return tile_refuse(e, "", "compose: axis %s has extent %lld and %lld",
                         b->in.name[x], (long long)a->out.extent[x],
                         (long long)b->in.extent[x]);
  for (int x = 0; x < a->out.num_axes; x++)
    if (tile_layout_axis_size(&a->out, x) > tile_layout_axis_size(&b->in, x) &&
        tile_layout_is_memory(b) && !tile_layout_widen(b, x, &a->out, e))
      return false;
  if (a->out.num_digits != b->in.num_digits)
    return tile_refuse(e, "", "compose: not digit aligned");
  for (int k = 0; k < a->out.num_digits; k++) {
    int p = a->out.digit[k].radix, q = b->in.digit[k].radix;
    if (p != q) {
      TileLayout save = *b;
      if (!tile_layout_bring_in(b, k, p)) {
        *b = save;
        if (!bring_out(a, k, q))
          return tile_refuse(e, "",
                             "compose: axis %s is not digit aligned (%d vs %d)",
                             b->in.name[b->in.digit[k].axis], p, q);
      }
    }
    if (a->out.digit[k].axis != b->in.digit[k].axis ||
        a->out.digit[k].stride != b->in.digit[k].stride)
      return tile_refuse(e, "", "compose: axis %s is not digit aligned",
                         b->in.name[b->in.digit[k].axis]);
  }
  return true;
}

bool tile_layout_compose(const TileLayout *a, const TileLayout *b,
                         TileLayout *out, TileReason *e) {
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

//===-- Stages ------------------------------------------------------------===//

static void prepend_axis(TileLayoutSpace *s, int64_t extent) {
  TileLayoutSpace r = {0};
  for (int a = -1; a < s->num_axes; a++) {
    char name[8];
    snprintf(name, sizeof name, "d%d", (a + 1) % 10);
    tile_layout_add_axis(&r, name, a < 0 ? extent : s->extent[a]);
  }
  *s = r;
}

bool tile_layout_expand(const TileLayout *l, int64_t stages, int64_t slot,
                        int64_t align, TileLayout *out, TileReason *e) {
  TileLayoutBuilder b;
  tile_layout_to_builder(l, &b);
  bool memory = tile_layout_is_memory(l);
  if ((memory ? l->in.num_axes : l->out.num_axes) == TILE_LAYOUT_MAX_AXES)
    return tile_refuse(e, "", "expand: more than %d dimensions",
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
    return tile_refuse(
        e, "", "expand: slot of %lld elements is smaller than %lld",
        (long long)slot, (long long)tile_layout_span(&l->out, 0));
  prepend_axis(&b.in, stages);
  for (int i = 0; i < b.num_entries; i++)
    b.entry[i].axis++;
  tile_layout_push(&b, 0, 0, slot, stages);
  b.out.extent[0] = slot * stages;
  return tile_layout_finish(&b, out, e);
}

bool tile_layout_drop_leading(const TileLayout *l, TileLayout *out,
                              TileReason *e) {
  bool memory = tile_layout_is_memory(l);
  TileLayout c = *l;
  TileLayoutBuilder b, r;
  tile_layout_to_builder(&c, &b);
  const TileLayoutSpace *s = memory ? &b.in : &b.out;
  if (s->num_axes < 2)
    return tile_refuse(e, "", "drop: no leading dimension");
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

//===- Layout.c - Build, evaluate, judge, normalise ----------------------===//
//
// Complexity: with n digits (<= 64) every function is O(n^2) word operations;
// only tile_layout_equal may enumerate, O(size * n), and only when canonical
// forms differ.
//
//===----------------------------------------------------------------------===//
#include "Tile/Layout.h"
#include "LayoutInternal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tile_layout_fail(TileLayoutError *e, const char *fmt, ...) {
  if (e) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
  }
  return false;
}

//===-- Spaces ------------------------------------------------------------===//

void tile_layout_add_axis(TileLayoutSpace *s, const char *name,
                          int64_t extent) {
  snprintf(s->name[s->num_axes], sizeof s->name[0], "%s", name);
  s->extent[s->num_axes++] = extent;
}

static void add_tile_axes(TileLayoutSpace *s, const int64_t *shape, int rank) {
  for (int d = 0; d < rank; d++) {
    char name[8];
    snprintf(name, sizeof name, "d%d", d % 10);
    tile_layout_add_axis(s, name, shape[d]);
  }
}

int64_t tile_layout_size(const TileLayoutSpace *s) {
  int64_t n = 1;
  for (int i = 0; i < s->num_digits; i++)
    n *= s->digit[i].radix;
  return n;
}

int64_t tile_layout_axis_size(const TileLayoutSpace *s, int axis) {
  int64_t n = 1;
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == axis)
      n *= s->digit[i].radix;
  return n;
}

int64_t tile_layout_span(const TileLayoutSpace *s, int axis) {
  int64_t top = 0;
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == axis)
      top += (s->digit[i].radix - 1) * s->digit[i].stride;
  return top + 1;
}

int tile_layout_find_axis(const TileLayoutSpace *s, const char *name) {
  for (int a = 0; a < s->num_axes; a++)
    if (!strcmp(s->name[a], name))
      return a;
  return -1;
}

int tile_layout_smallest_prime(int64_t n) {
  for (int p = 2; (int64_t)p * p <= n; p++)
    if (n % p == 0)
      return p;
  return (int)n;
}

//===-- Builder -----------------------------------------------------------===//

void tile_layout_begin_fragment(TileLayoutBuilder *b, const int64_t *shape,
                                int rank) {
  memset(b, 0, sizeof *b);
  tile_layout_add_axis(&b->in, "reg", 0);
  tile_layout_add_axis(&b->in, "lane", 0);
  tile_layout_add_axis(&b->in, "warp", 0);
  add_tile_axes(&b->out, shape, rank);
}

void tile_layout_begin_memory(TileLayoutBuilder *b, const int64_t *shape,
                              int rank) {
  memset(b, 0, sizeof *b);
  add_tile_axes(&b->in, shape, rank);
  tile_layout_add_axis(&b->out, "o", 0);
}

TileLayoutEntry *tile_layout_new_entry(TileLayoutBuilder *b, int axis,
                                       int radix, int64_t stride) {
  if (b->num_entries == 2 * TILE_LAYOUT_MAX_DIGITS) {
    b->overflow = true;
    b->num_entries--;
  }
  TileLayoutEntry *e = &b->entry[b->num_entries++];
  *e = (TileLayoutEntry){.axis = axis, .radix = radix, .stride = stride};
  return e;
}

void tile_layout_push(TileLayoutBuilder *b, int axis, int dim, int64_t stride,
                      int64_t count) {
  while (count > 1) {
    int p = tile_layout_smallest_prime(count);
    TileLayoutEntry *e = tile_layout_new_entry(b, axis, p, 0);
    e->num_terms = 1;
    e->term[0] = (TileLayoutTerm){dim, stride};
    stride *= p;
    count /= p;
  }
}

void tile_layout_push_rep(TileLayoutBuilder *b, int axis, int64_t count) {
  while (count > 1) {
    int p = tile_layout_smallest_prime(count);
    tile_layout_new_entry(b, axis, p, 0);
    count /= p;
  }
}

void tile_layout_push_xor(TileLayoutBuilder *b, int axis,
                          const TileLayoutTerm *terms, int n) {
  TileLayoutEntry *e = tile_layout_new_entry(b, axis, 2, 0);
  e->num_terms = n;
  memcpy(e->term, terms, (size_t)n * sizeof *terms);
}

// Sorts digits by axis, then stride; |order| (may be NULL) follows.
static void sort_digits(TileLayoutDigit *d, int n, int *order) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0; j--) {
      bool less = d[j].axis != d[j - 1].axis ? d[j].axis < d[j - 1].axis
                                             : d[j].stride < d[j - 1].stride;
      if (!less)
        break;
      TileLayoutDigit t = d[j];
      d[j] = d[j - 1], d[j - 1] = t;
      if (order) {
        int o = order[j];
        order[j] = order[j - 1], order[j - 1] = o;
      }
    }
}

static bool add_digit(TileLayoutSpace *s, int axis, int radix, int64_t stride,
                      TileLayoutError *err) {
  for (int i = 0; i < s->num_digits; i++) {
    const TileLayoutDigit *d = &s->digit[i];
    if (d->axis != axis || d->stride != stride)
      continue;
    if (d->radix == radix)
      return true;
    return tile_layout_fail(err,
                            "axis %s: stride %lld is used with radix %d and %d",
                            s->name[axis], (long long)stride, d->radix, radix);
  }
  if (s->num_digits == TILE_LAYOUT_MAX_DIGITS)
    return tile_layout_fail(err, "more than %d digits", TILE_LAYOUT_MAX_DIGITS);
  s->digit[s->num_digits++] = (TileLayoutDigit){axis, radix, stride};
  return true;
}

// Completes a dense axis with the digits that nothing hits.
static bool fill_axis(TileLayoutSpace *s, int axis, TileLayoutError *err) {
  TileLayoutDigit have[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == axis)
      have[n++] = s->digit[i];
  int64_t at = 1;
  for (int i = 0; i <= n; i++) {
    int64_t next = i < n ? have[i].stride : s->extent[axis];
    if (next < at || next % at)
      return tile_layout_fail(
          err, "axis %s: stride %lld does not follow %lld values",
          s->name[axis], (long long)next, (long long)at);
    while (at < next) {
      int p = tile_layout_smallest_prime(next / at);
      if (!add_digit(s, axis, p, at, err))
        return false;
      at *= p;
    }
    if (i < n)
      at *= have[i].radix;
  }
  return true;
}

static bool is_offset_axis(const TileLayoutSpace *s, int axis) {
  return s->name[axis][0] == 'o';
}

static bool finish_out(const TileLayoutBuilder *b, TileLayoutSpace *s,
                       TileLayoutError *err) {
  for (int i = 0; i < b->num_entries; i++)
    for (int t = 0; t < b->entry[i].num_terms; t++)
      if (!add_digit(s, b->entry[i].term[t].axis, b->entry[i].radix,
                     b->entry[i].term[t].stride, err))
        return false;
  sort_digits(s->digit, s->num_digits, NULL);
  for (int a = 0; a < s->num_axes; a++) {
    bool open = s->extent[a] == 0;
    if (open)
      s->extent[a] = tile_layout_span(s, a);
    if (!is_offset_axis(s, a) && !fill_axis(s, a, err))
      return false;
  }
  sort_digits(s->digit, s->num_digits, NULL);
  return true;
}

static bool finish_in(const TileLayoutBuilder *b, TileLayoutSpace *s,
                      int *order, TileLayoutError *err) {
  int64_t at[TILE_LAYOUT_MAX_AXES];
  for (int a = 0; a < s->num_axes; a++)
    at[a] = 1;
  for (int i = 0; i < b->num_entries; i++) {
    const TileLayoutEntry *e = &b->entry[i];
    int64_t stride = e->stride ? e->stride : at[e->axis];
    if (s->num_digits == TILE_LAYOUT_MAX_DIGITS)
      return tile_layout_fail(err, "more than %d digits",
                              TILE_LAYOUT_MAX_DIGITS);
    order[s->num_digits] = i;
    s->digit[s->num_digits++] = (TileLayoutDigit){e->axis, e->radix, stride};
    if (stride * e->radix > at[e->axis])
      at[e->axis] = stride * e->radix;
  }
  sort_digits(s->digit, s->num_digits, order);
  for (int a = 0; a < s->num_axes; a++) {
    int64_t span = tile_layout_span(s, a);
    if (s->extent[a] == 0)
      s->extent[a] = span;
    if (!is_offset_axis(s, a) && tile_layout_axis_size(s, a) != s->extent[a])
      return tile_layout_fail(
          err, "axis %s: %lld values given, %lld expected", s->name[a],
          (long long)tile_layout_axis_size(s, a), (long long)s->extent[a]);
  }
  return true;
}

bool tile_layout_finish(const TileLayoutBuilder *b, TileLayout *l,
                        TileLayoutError *err) {
  if (b->overflow)
    return tile_layout_fail(err, "more than %d digits",
                            2 * TILE_LAYOUT_MAX_DIGITS);
  TileLayout r = {.in = b->in, .out = b->out};
  int order[TILE_LAYOUT_MAX_DIGITS];
  if (!finish_out(b, &r.out, err) || !finish_in(b, &r.in, order, err))
    return false;
  uint64_t odd_seen = 0;
  for (int i = 0; i < r.in.num_digits; i++) {
    const TileLayoutEntry *e = &b->entry[order[i]];
    if (e->radix != 2 && e->num_terms > 1)
      return tile_layout_fail(err, "XOR needs radix 2, got %d", e->radix);
    for (int t = 0; t < e->num_terms; t++)
      for (int j = 0; j < r.out.num_digits; j++)
        if (r.out.digit[j].axis == e->term[t].axis &&
            r.out.digit[j].stride == e->term[t].stride)
          r.image[i] ^= 1ull << j;
    if (e->radix != 2 && (r.image[i] & odd_seen))
      return tile_layout_fail(err, "two digits of radix %d have the same image",
                              e->radix);
    if (e->radix != 2)
      odd_seen |= r.image[i];
  }
  *l = r;
  return true;
}

void tile_layout_to_builder(const TileLayout *l, TileLayoutBuilder *b) {
  memset(b, 0, sizeof *b);
  b->in = l->in, b->out = l->out;
  b->in.num_digits = b->out.num_digits = 0;
  for (int i = 0; i < l->in.num_digits; i++) {
    const TileLayoutDigit *d = &l->in.digit[i];
    TileLayoutEntry *e = tile_layout_new_entry(b, d->axis, d->radix, d->stride);
    for (int j = 0;
         j < l->out.num_digits && e->num_terms < TILE_LAYOUT_MAX_TERMS; j++)
      if (l->image[i] >> j & 1)
        e->term[e->num_terms++] =
            (TileLayoutTerm){l->out.digit[j].axis, l->out.digit[j].stride};
  }
}

//===-- Evaluation --------------------------------------------------------===//

void tile_layout_point(const TileLayoutSpace *s, int64_t index, int64_t *out) {
  for (int a = 0; a < s->num_axes; a++)
    out[a] = 0;
  for (int i = 0; i < s->num_digits; i++) {
    out[s->digit[i].axis] += index % s->digit[i].radix * s->digit[i].stride;
    index /= s->digit[i].radix;
  }
}

bool tile_layout_eval(const TileLayout *l, const int64_t *in, int64_t *out) {
  int64_t rest[TILE_LAYOUT_MAX_AXES];
  int value[TILE_LAYOUT_MAX_DIGITS] = {0};
  memcpy(rest, in, (size_t)l->in.num_axes * sizeof *in);
  for (int i = l->in.num_digits - 1; i >= 0; i--) {
    const TileLayoutDigit *d = &l->in.digit[i];
    int64_t v = rest[d->axis] / d->stride;
    if (v >= d->radix)
      v = d->radix - 1;
    rest[d->axis] -= v * d->stride;
    if (!v)
      continue;
    for (uint64_t m = l->image[i]; m; m &= m - 1) {
      int j = __builtin_ctzll(m);
      value[j] = d->radix == 2 ? value[j] ^ 1 : (int)v;
    }
  }
  for (int a = 0; a < l->in.num_axes; a++)
    if (rest[a])
      return false;
  for (int a = 0; a < l->out.num_axes; a++)
    out[a] = 0;
  for (int j = 0; j < l->out.num_digits; j++)
    out[l->out.digit[j].axis] += value[j] * l->out.digit[j].stride;
  return true;
}

//===-- Properties --------------------------------------------------------===//

int tile_layout_rank(const uint64_t *v, int n) {
  uint64_t basis[TILE_LAYOUT_MAX_DIGITS];
  int rank = 0;
  for (int i = 0; i < n; i++) {
    uint64_t x = v[i];
    for (int k = 0; k < rank; k++)
      if (x & (basis[k] & -basis[k]))
        x ^= basis[k];
    if (x)
      basis[rank++] = x;
  }
  return rank;
}

// Number of input bits, and rank of their images.
static int bit_rank(const TileLayout *l, int *out_bits) {
  uint64_t v[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  for (int i = 0; i < l->in.num_digits; i++)
    if (l->in.digit[i].radix == 2)
      v[n++] = l->image[i];
  *out_bits = n;
  return tile_layout_rank(v, n);
}

bool tile_layout_nested(const TileLayoutSpace *s) {
  for (int a = 0; a < s->num_axes; a++) {
    int64_t span = 1;
    for (int i = 0; i < s->num_digits; i++) {
      if (s->digit[i].axis != a)
        continue;
      if (s->digit[i].stride < span)
        return false;
      span += (s->digit[i].radix - 1) * s->digit[i].stride;
    }
  }
  return true;
}

int64_t tile_layout_replication(const TileLayout *l) {
  int bits;
  int rank = bit_rank(l, &bits);
  int64_t r = (int64_t)1 << (bits - rank);
  for (int i = 0; i < l->in.num_digits; i++)
    if (l->in.digit[i].radix != 2 && !l->image[i])
      r *= l->in.digit[i].radix;
  return r;
}

bool tile_layout_injective(const TileLayout *l) {
  return tile_layout_replication(l) == 1 && tile_layout_nested(&l->out);
}

bool tile_layout_covers(const TileLayout *l) {
  uint64_t hit = 0;
  int bits, out_bits = 0;
  for (int i = 0; i < l->in.num_digits; i++)
    hit |= l->image[i];
  for (int j = 0; j < l->out.num_digits; j++) {
    if (l->out.digit[j].radix == 2)
      out_bits++;
    else if (!(hit >> j & 1))
      return false;
  }
  return bit_rank(l, &bits) == out_bits;
}

bool tile_layout_has_gaps(const TileLayout *l) {
  int64_t n = 1;
  for (int a = 0; a < l->out.num_axes; a++)
    n *= tile_layout_span(&l->out, a);
  return n != tile_layout_size(&l->out);
}

int64_t tile_layout_distinct_regs(const TileLayout *l) {
  uint64_t v[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  int64_t r = 1;
  for (int i = 0; i < l->in.num_digits; i++) {
    if (l->in.digit[i].axis != TILE_LAYOUT_REG)
      continue;
    if (l->in.digit[i].radix == 2)
      v[n++] = l->image[i];
    else if (l->image[i])
      r *= l->in.digit[i].radix;
  }
  return r << tile_layout_rank(v, n);
}

bool tile_layout_check_memory(const TileLayout *l, TileLayoutError *e) {
  int64_t rep = tile_layout_replication(l);
  if (rep > 1)
    return tile_layout_fail(
        e, "layout is not injective: %lld elements share each offset",
        (long long)rep);
  if (!tile_layout_nested(&l->out))
    return tile_layout_fail(
        e,
        "layout is not injective: strides overlap within %lld "
        "elements",
        (long long)tile_layout_span(&l->out, 0));
  return true;
}

bool tile_layout_check_fragment(const TileLayout *l, TileLayoutError *e) {
  if (tile_layout_covers(l))
    return true;
  int64_t total = 1;
  for (int a = 0; a < l->out.num_axes; a++)
    total *= l->out.extent[a];
  return tile_layout_fail(
      e, "layout does not cover the tile: %lld of %lld elements",
      (long long)(tile_layout_size(&l->in) / tile_layout_replication(l)),
      (long long)total);
}

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
bool tile_layout_swap_in(TileLayout *l, int i) {
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

bool tile_layout_swap_out(TileLayout *l, int j) {
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
      return tile_layout_swap_in(l, i) && l->image[i + 1] == 2ull << j;
  return false;
}

void tile_layout_canonicalize(TileLayout *l) {
  bool again = true;
  while (again) {
    again = false;
    for (int i = 0; i + 1 < l->in.num_digits; i++)
      if (l->in.digit[i].axis == l->in.digit[i + 1].axis &&
          l->in.digit[i].radix > l->in.digit[i + 1].radix &&
          tile_layout_swap_in(l, i))
        again = true;
    for (int j = 0; j + 1 < l->out.num_digits; j++)
      if (l->out.digit[j].axis == l->out.digit[j + 1].axis &&
          l->out.digit[j].radix > l->out.digit[j + 1].radix &&
          tile_layout_swap_out(l, j))
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

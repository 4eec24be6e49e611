//===- Layout.c - Build and evaluate layouts ------------------------------===//
//
// With n digits (at most 64) every function is O(n^2) word operations.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "LayoutInternal.h"

#include <stdio.h>
#include <string.h>

//===-- Spaces ------------------------------------------------------------===//

void tile_layout_add_axis(TileLayoutSpace *s, const char *name,
                          int64_t extent) {
  size_t size = sizeof s->name[0], length = strlen(name);
  memset(s->name[s->num_axes], 0, size); // names are compared whole
  memcpy(s->name[s->num_axes], name, length < size ? length : size - 1);
  s->extent[s->num_axes++] = extent;
}

void tile_layout_copy_axes(TileLayoutSpace *to, const TileLayoutSpace *from) {
  to->num_digits = 0;
  to->num_axes = from->num_axes;
  memcpy(to->name, from->name, sizeof to->name);
  memcpy(to->extent, from->extent, sizeof to->extent);
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

// Only the counters: a builder is large, and entries are written whole.
void tile_layout_clear_builder(TileLayoutBuilder *b) {
  b->in.num_axes = b->in.num_digits = 0;
  b->out.num_axes = b->out.num_digits = 0;
  b->num_entries = 0;
  b->overflow = b->may_overhang = false;
}

void tile_layout_begin_fragment(TileLayoutBuilder *b, const int64_t *shape,
                                int rank) {
  tile_layout_clear_builder(b);
  tile_layout_add_axis(&b->in, "reg", 0);
  tile_layout_add_axis(&b->in, "lane", 0);
  tile_layout_add_axis(&b->in, "warp", 0);
  add_tile_axes(&b->out, shape, rank);
}

void tile_layout_begin_memory(TileLayoutBuilder *b, const int64_t *shape,
                              int rank) {
  tile_layout_clear_builder(b);
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
    e->term[0] = (TileLayoutStep){dim, stride};
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
                          const TileLayoutStep *terms, int n) {
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
                      TileReason *err) {
  for (int i = 0; i < s->num_digits; i++) {
    const TileLayoutDigit *d = &s->digit[i];
    if (d->axis != axis || d->stride != stride)
      continue;
    if (d->radix == radix)
      return true;
    return tile_refuse(err, "",
                       "axis %s: stride %lld is used with radix %d and %d",
                       s->name[axis], (long long)stride, d->radix, radix);
  }
  if (s->num_digits == TILE_LAYOUT_MAX_DIGITS)
    return tile_refuse(err, "", "more than %d digits", TILE_LAYOUT_MAX_DIGITS);
  s->digit[s->num_digits++] = (TileLayoutDigit){axis, radix, stride};
  return true;
}

bool tile_layout_overhangs_little(const TileLayoutSpace *s, int axis) {
  int64_t size = tile_layout_axis_size(s, axis), top = 1;
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == axis)
      top = s->digit[i].radix;
  return size > s->extent[axis] && size / top < s->extent[axis];
}

// Completes a dense axis with the digits that nothing hits.
static bool fill_axis(TileLayoutSpace *s, int axis, TileReason *err) {
  TileLayoutDigit have[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == axis)
      have[n++] = s->digit[i];
  int64_t at = 1;
  for (int i = 0; i <= n; i++) {
    int64_t next = i < n ? have[i].stride : s->extent[axis];
    if (i == n && tile_layout_overhangs_little(s, axis))
      return true;
    if (next < at || next % at)
      return tile_refuse(err, "",
                         "axis %s: stride %lld does not follow %lld values",
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
                       TileReason *err) {
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
                      int *order, TileReason *err) {
  int64_t at[TILE_LAYOUT_MAX_AXES];
  for (int a = 0; a < s->num_axes; a++)
    at[a] = 1;
  for (int i = 0; i < b->num_entries; i++) {
    const TileLayoutEntry *e = &b->entry[i];
    int64_t stride = e->stride ? e->stride : at[e->axis];
    if (s->num_digits == TILE_LAYOUT_MAX_DIGITS)
      return tile_refuse(err, "", "more than %d digits",
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
    if (is_offset_axis(s, a) ||
        (b->may_overhang && tile_layout_overhangs_little(s, a)))
      continue;
    if (tile_layout_axis_size(s, a) != s->extent[a])
      return tile_refuse(err, "", "axis %s: %lld values given, %lld expected",
                         s->name[a], (long long)tile_layout_axis_size(s, a),
                         (long long)s->extent[a]);
  }
  return tile_layout_nested(s) ||
         tile_refuse(err, "", "the strides of an input axis overlap");
}

bool tile_layout_finish(const TileLayoutBuilder *b, TileLayout *l,
                        TileReason *err) {
  if (b->overflow)
    return tile_refuse(err, "", "more than %d digits, or %d XORed terms",
                       2 * TILE_LAYOUT_MAX_DIGITS, TILE_LAYOUT_MAX_TERMS);
  TileLayout r = {.in = b->in, .out = b->out};
  int order[TILE_LAYOUT_MAX_DIGITS] = {0};
  if (!finish_out(b, &r.out, err) || !finish_in(b, &r.in, order, err))
    return false;
  uint64_t odd_seen = 0;
  for (int i = 0; i < r.in.num_digits; i++) {
    const TileLayoutEntry *e = &b->entry[order[i]];
    if (e->radix != 2 && e->num_terms > 1)
      return tile_refuse(err, "", "XOR needs radix 2, got %d", e->radix);
    for (int t = 0; t < e->num_terms; t++)
      for (int j = 0; j < r.out.num_digits; j++)
        if (r.out.digit[j].axis == e->term[t].axis &&
            r.out.digit[j].stride == e->term[t].stride)
          r.image[i] ^= 1ull << j;
    if (e->radix != 2 && (r.image[i] & odd_seen))
      return tile_refuse(err, "", "two digits of radix %d have the same image",
                         e->radix);
    if (e->radix != 2)
      odd_seen |= r.image[i];
  }
  *l = r;
  return true;
}

void tile_layout_to_builder(const TileLayout *l, TileLayoutBuilder *b) {
  tile_layout_clear_builder(b);
  tile_layout_copy_axes(&b->in, &l->in);
  tile_layout_copy_axes(&b->out, &l->out);
  for (int i = 0; i < l->in.num_digits; i++) {
    const TileLayoutDigit *d = &l->in.digit[i];
    TileLayoutEntry *e = tile_layout_new_entry(b, d->axis, d->radix, d->stride);
    for (uint64_t m = l->image[i]; m; m &= m - 1) {
      const TileLayoutDigit *o = &l->out.digit[__builtin_ctzll(m)];
      if (e->num_terms < TILE_LAYOUT_MAX_TERMS)
        e->term[e->num_terms++] = (TileLayoutStep){o->axis, o->stride};
      else
        b->overflow = true; // reported by tile_layout_finish
    }
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
  uint64_t bits = 0; // values of the output bits
  memcpy(rest, in, (size_t)l->in.num_axes * sizeof *in);
  memset(out, 0, (size_t)l->out.num_axes * sizeof *out);
  for (int i = l->in.num_digits - 1; i >= 0; i--) {
    const TileLayoutDigit *d = &l->in.digit[i];
    if (rest[d->axis] < d->stride)
      continue;
    if (d->radix == 2) {
      rest[d->axis] -= d->stride;
      bits ^= l->image[i];
      continue;
    }
    int64_t v = rest[d->axis] / d->stride;
    if (v >= d->radix)
      v = d->radix - 1;
    rest[d->axis] -= v * d->stride;
    if (l->image[i]) { // an odd digit has one image, and shares it with nobody
      const TileLayoutDigit *o = &l->out.digit[__builtin_ctzll(l->image[i])];
      out[o->axis] += v * o->stride;
    }
  }
  for (int a = 0; a < l->in.num_axes; a++)
    if (rest[a])
      return false;
  for (; bits; bits &= bits - 1) {
    const TileLayoutDigit *o = &l->out.digit[__builtin_ctzll(bits)];
    out[o->axis] += o->stride;
  }
  return true;
}

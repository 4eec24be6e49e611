//===- LayoutOverhang.c - Fragments larger than their tile ----------------===//
//
// A tile of 100 columns suits no thread layout: 100 = 4 * 25. A fragment may
// therefore be one of 128 columns whose last 28 do not exist. Its output axis
// then keeps the extent 100, and its digits make 128 values; the surplus is
// masked by comparing the coordinate with the extent. No digit may be wholly
// in the surplus, so an axis has less than twice its extent for bits.
//
// Memory has no surplus. To compose, its input axis is cut anew for the digits
// of the fragment where it is one contiguous run: the surplus then aliases
// other elements, which masks keep from ever being touched.
//
//===----------------------------------------------------------------------===//
#include "LayoutInternal.h"

#include <string.h>

bool tile_layout_overhangs(const TileLayout *f, int dim) {
  return tile_layout_axis_size(&f->out, dim) > f->out.extent[dim];
}

bool tile_layout_has_overhang(const TileLayout *f) {
  for (int d = 0; d < f->out.num_axes; d++)
    if (f->out.name[d][0] == 'd' && tile_layout_overhangs(f, d))
      return true;
  return false;
}

bool tile_layout_in_tile(const TileLayout *f, const int64_t *coordinate) {
  for (int d = 0; d < f->out.num_axes; d++)
    if (coordinate[d] >= f->out.extent[d])
      return false;
  return true;
}

// Digits of lanes and warps that move |dim|; others need no enumeration.
static int thread_digits(const TileLayout *f, int dim, int *out_digit) {
  int n = 0;
  for (int i = 0; i < f->in.num_digits; i++) {
    bool moves = false;
    for (uint64_t m = f->image[i]; m; m &= m - 1)
      moves |= f->out.digit[__builtin_ctzll(m)].axis == dim;
    if (moves && f->in.digit[i].axis != TILE_LAYOUT_REG)
      out_digit[n++] = i;
  }
  return n;
}

TileLayoutPresence tile_layout_presence(const TileLayout *f, int dim,
                                        int64_t reg) {
  int digit[TILE_LAYOUT_MAX_DIGITS], n = thread_digits(f, dim, digit);
  bool some = false, all = true;
  int64_t threads = 1;
  if (!tile_layout_overhangs(f, dim))
    return TILE_LAYOUT_PRESENT;
  for (int i = 0; i < n; i++)
    threads *= f->in.digit[digit[i]].radix;
  for (int64_t t = 0; t < threads && (all || !some); t++) {
    int64_t in[3] = {reg, 0, 0}, x[TILE_LAYOUT_MAX_AXES], rest = t;
    for (int i = 0; i < n; i++) {
      const TileLayoutDigit *d = &f->in.digit[digit[i]];
      in[d->axis] += rest % d->radix * d->stride;
      rest /= d->radix;
    }
    bool present = tile_layout_eval(f, in, x) && x[dim] < f->out.extent[dim];
    some |= present;
    all &= present;
  }
  return all    ? TILE_LAYOUT_PRESENT
         : some ? TILE_LAYOUT_MASKED
                : TILE_LAYOUT_ABSENT;
}

//===-- Widening ----------------------------------------------------------===//

static int first_digit(const TileLayoutSpace *s, int axis) {
  int i = 0;
  while (i < s->num_digits && s->digit[i].axis < axis)
    i++;
  return i;
}

static bool on_axis(const TileLayoutSpace *s, int i, int axis) {
  return i < s->num_digits && s->digit[i].axis == axis;
}

// The output digit that only input digit |i| hits, and that alone; -1 if none.
static int only_image(const TileLayout *l, int i) {
  uint64_t m = l->image[i];
  if (!m || (m & (m - 1)))
    return -1;
  for (int k = 0; k < l->in.num_digits; k++)
    if (k != i && (l->image[k] & m))
      return -1;
  return __builtin_ctzll(m);
}

// Whether the digits of |axis| from |i| on are one run of offsets: a step of
// the lowest is |out_step| elements, and the others continue it.
static bool is_run(const TileLayout *s, int i, int axis, int64_t *out_step) {
  int64_t next = 0;
  *out_step = 0;
  for (; on_axis(&s->in, i, axis); i++) {
    int j = only_image(s, i);
    if (j < 0 || (next && s->out.digit[j].stride != next))
      return false;
    if (!next)
      *out_step = s->out.digit[j].stride;
    next = s->out.digit[j].stride * s->in.digit[i].radix;
  }
  return next > 0;
}

bool tile_layout_widen(TileLayout *s, int axis, const TileLayoutSpace *want,
                       TileReason *e) {
  int first = first_digit(&s->in, axis), from = first_digit(want, axis);
  int i = first, k = from;
  while (on_axis(&s->in, i, axis) && on_axis(want, k, axis) &&
         s->in.digit[i].radix == want->digit[k].radix)
    i++, k++;
  int64_t step;
  if (!is_run(s, i, axis, &step))
    return tile_refuse(
        e, "", "compose: axis %s overhangs, but is no contiguous run of memory",
        s->in.name[axis]);
  int64_t stride = s->in.digit[i].stride;
  TileLayoutBuilder b;
  tile_layout_to_builder(s, &b);
  b.may_overhang = true;
  int kept = 0;
  for (int n = 0; n < b.num_entries; n++)
    if (b.entry[n].axis != axis || b.entry[n].stride < stride)
      b.entry[kept++] = b.entry[n];
  b.num_entries = kept;
  for (; on_axis(want, k, axis); k++) {
    TileLayoutEntry *x =
        tile_layout_new_entry(&b, axis, want->digit[k].radix, stride);
    x->num_terms = 1;
    x->term[0] = (TileLayoutStep){0, step};
    stride *= want->digit[k].radix, step *= want->digit[k].radix;
  }
  return tile_layout_finish(&b, s, e);
}

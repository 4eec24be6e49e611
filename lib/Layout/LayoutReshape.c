//===- LayoutReshape.c - Transpose, view, recast, slice, project ----------===//
//
// O(n^2) word operations with n digits.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "LayoutInternal.h"

#include <stdio.h>
#include <string.h>

//===-- Transpose, view, recast -------------------------------------------===//

bool tile_layout_transpose(const TileLayout *l, const int *perm,
                           TileLayout *out, TileReason *e) {
  TileLayoutBuilder b;
  tile_layout_to_builder(l, &b);
  bool memory = tile_layout_is_memory(l);
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

// Which dimensions of two shapes belong together: a group is the fewest
// dimensions of both, from the last on, that have the same product. Groups are
// numbered from the last one. Returns their number.
static int match_dims(const int64_t *from, int from_rank, const int64_t *to,
                      int to_rank, int *out_from_group, int *out_to_group) {
  int i = from_rank, j = to_rank, group = 0;
  for (; i > 0 || j > 0; group++) {
    int64_t p = 1, q = 1;
    if (i > 0)
      out_from_group[--i] = group, p = from[i];
    if (j > 0)
      out_to_group[--j] = group, q = to[j];
    while (p != q)
      if (p < q)
        out_from_group[--i] = group, p *= from[i];
      else
        out_to_group[--j] = group, q *= to[j];
  }
  return group;
}

static bool leads_group(const int *group, int dim) {
  return dim == 0 || group[dim - 1] != group[dim];
}

// Renumbers the tile digits of a memory-sided layout as one row-major axis per
// group of dimensions. What is past the end of a tile stays there in the
// first dimension of a group only.
static bool flatten_in(TileLayout *l, const int *group, TileReason *e) {
  TileLayout r = {.out = l->out};
  int64_t weight = 1;
  for (int a = l->in.num_axes - 1; a >= 0; a--) {
    if (!leads_group(group, a) &&
        tile_layout_axis_size(&l->in, a) > l->in.extent[a])
      return tile_refuse(e, "",
                         "view: dimension %d of extent %lld overhangs, "
                         "and no dimension of the view begins with it",
                         a, (long long)l->in.extent[a]);
    for (int i = 0; i < l->in.num_digits; i++) {
      TileLayoutDigit d = l->in.digit[i];
      if (d.axis != a)
        continue;
      r.image[r.in.num_digits] = l->image[i];
      r.in.digit[r.in.num_digits++] =
          (TileLayoutDigit){group[a], d.radix, d.stride * weight};
    }
    weight *= l->in.extent[a];
    if (!leads_group(group, a))
      continue;
    tile_layout_add_axis(&r.in, "", weight);
    weight = 1;
  }
  *l = r;
  return true;
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
        done = tile_layout_bring_in(l, k, p);
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

// The digits of dimension `dim` of the view, from `first` to `end`.
static bool take_dim(const TileLayout *l, int first, int end, int dim,
                     int64_t extent, TileLayout *out, TileReason *e) {
  TileLayoutSpace *in = &out->in;
  int64_t stride = 1;
  in->extent[dim] = extent;
  for (int i = first; i < end; i++) {
    out->image[in->num_digits] = l->image[i];
    in->digit[in->num_digits++] =
        (TileLayoutDigit){dim, l->in.digit[i].radix, stride};
    stride *= l->in.digit[i].radix;
  }
  return stride == extent || tile_layout_overhangs_little(in, dim) ||
         tile_refuse(e, "",
                     "view: dimension %d of extent %lld would have %lld "
                     "values",
                     dim, (long long)extent, (long long)stride);
}

static bool view_in(TileLayout *l, const int64_t *shape, int rank,
                    TileReason *e) {
  int64_t n = 1, have = 1;
  if (rank < 1 || rank > TILE_LAYOUT_MAX_AXES)
    return tile_refuse(e, "", "view: rank %d, at most %d", rank,
                       TILE_LAYOUT_MAX_AXES);
  for (int d = 0; d < rank; d++)
    n *= shape[d];
  for (int d = 0; d < l->in.num_axes; d++)
    have *= l->in.extent[d];
  if (n != have)
    return tile_refuse(e, "", "view: %lld elements become %lld",
                       (long long)have, (long long)n);
  int from[TILE_LAYOUT_MAX_AXES], to[TILE_LAYOUT_MAX_AXES];
  match_dims(l->in.extent, l->in.num_axes, shape, rank, from, to);
  if (!flatten_in(l, from, e))
    return false;
  int first[TILE_LAYOUT_MAX_AXES], end[TILE_LAYOUT_MAX_AXES], k = 0;
  for (int d = rank - 1; d >= 0; d--) {
    first[d] = k;
    if (leads_group(to, d))
      while (k < l->in.num_digits && l->in.digit[k].axis == to[d])
        k++;
    else
      k = cut_prefix(l, k, shape[d]);
    if (k < 0)
      return tile_refuse(e, "",
                         "view: dimension %d of extent %lld cuts a digit", d,
                         (long long)shape[d]);
    end[d] = k;
  }
  TileLayout r = {.out = l->out};
  for (int d = 0; d < rank; d++) {
    char name[8];
    snprintf(name, sizeof name, "d%d", d % 10);
    tile_layout_add_axis(&r.in, name, shape[d]);
    if (!take_dim(l, first[d], end[d], d, shape[d], &r, e))
      return false;
  }
  *l = r;
  return true;
}

bool tile_layout_view(const TileLayout *l, const int64_t *shape, int rank,
                      TileLayout *out, TileReason *e) {
  TileLayout m = *l;
  if (tile_layout_is_memory(l)) {
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
static bool recast_wide(TileLayoutBuilder *b, int ratio, TileReason *e) {
  int last = b->in.num_axes - 1, kept = 0;
  for (int i = 0; i < b->num_entries; i++) {
    TileLayoutEntry t = b->entry[i];
    if (t.axis == last && t.stride < ratio) {
      if (t.num_terms != 1 || t.term[0].stride != t.stride)
        return tile_refuse(e, "", "recast: %d neighbours are not contiguous",
                           ratio);
      continue;
    }
    if (t.axis == last)
      t.stride /= ratio;
    for (int k = 0; k < t.num_terms; k++) {
      if (t.term[k].stride % ratio)
        return tile_refuse(e, "", "recast: stride %lld is no multiple of %d",
                           (long long)t.term[k].stride, ratio);
      t.term[k].stride /= ratio;
    }
    b->entry[kept++] = t;
  }
  b->num_entries = kept;
  if (b->in.extent[last] % ratio)
    return tile_refuse(e, "", "recast: %lld columns are no multiple of %d",
                       (long long)b->in.extent[last], ratio);
  b->in.extent[last] /= ratio;
  b->out.extent[0] = (b->out.extent[0] + ratio - 1) / ratio;
  return true;
}

bool tile_layout_recast(const TileLayout *l, int from, int to, TileLayout *out,
                        TileReason *e) {
  int big = from > to ? from : to, small = from > to ? to : from;
  int ratio = big / small;
  if (small < 1 || big % small || (ratio & (ratio - 1)))
    return tile_refuse(e, "", "recast: %d to %d bits is no power of two", from,
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
    t->term[0] = (TileLayoutStep){0, s};
  }
  b.in.extent[last] *= ratio;
  b.out.extent[0] *= ratio;
  return tile_layout_finish(&b, out, e);
}

//===-- Windows -----------------------------------------------------------===//

// Splits the constant part of a window: bits that the window also moves are
// toggled, the others are added.
static bool split_base(const TileLayout *m, const int64_t *offset,
                       uint64_t moving, TileLayoutWindow *out, TileReason *e) {
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
      return tile_refuse(e, "",
                         "slice: the window starts inside a swizzle of stride "
                         "%lld",
                         (long long)d->stride);
    out->toggle += d->stride;
  }
  out->add = base - out->toggle;
  return true;
}

// Where a dimension becomes a plain run: whole multiples of `from` elements lie
// `step` times as far from the start, and nothing else moves there. `from` is
// the extent where no digit does so.
typedef struct {
  int64_t from, step;
} PlainRun;

static PlainRun plain_run(const TileLayout *l, int axis) {
  PlainRun run = {l->in.extent[axis], 0};
  for (int i = l->in.num_digits - 1; i >= 0; i--) {
    const TileLayoutDigit *digit = &l->in.digit[i];
    if (digit->axis != axis)
      continue;
    uint64_t others = 0;
    for (int k = 0; k < l->in.num_digits; k++)
      others |= k == i ? 0 : l->image[k];
    int to = 0;
    while (to < l->out.num_digits && l->image[i] != (uint64_t)1 << to)
      to++;
    if (to == l->out.num_digits || (others & l->image[i]) ||
        l->out.digit[to].radix != digit->radix ||
        l->out.digit[to].stride % digit->stride)
      break;
    int64_t step = l->out.digit[to].stride / digit->stride;
    if (run.step && run.step != step)
      break;
    run = (PlainRun){digit->stride, step};
  }
  return run;
}

// Digits of |size| elements in place of those of a plain run: a prime each.
static void add_run(TileLayoutBuilder *b, int axis, PlainRun run,
                    int64_t size) {
  for (int64_t left = size / run.from, p = 2, at = run.from; left > 1;) {
    if (left % p) {
      p++;
      continue;
    }
    TileLayoutEntry *entry = tile_layout_new_entry(b, axis, (int)p, at);
    entry->num_terms = 1;
    entry->term[0] = (TileLayoutStep){0, at * run.step};
    left /= p, at *= p;
  }
}

// Makes a window of |size| end between two digits of dimension |axis|, or finds
// that it ends in a plain run.
static bool align_window(TileLayout *m, int axis, int64_t offset, int64_t size,
                         PlainRun *out_run, TileReason *e) {
  *out_run = (PlainRun){size, 0};
  if (size < 1 || offset + size > m->in.extent[axis])
    return tile_refuse(e, "", "slice: offset %lld, size %lld of extent %lld",
                       (long long)offset, (long long)size,
                       (long long)m->in.extent[axis]);
  TileLayout cut = *m;
  int first = 0;
  while (first < cut.in.num_digits && cut.in.digit[first].axis != axis)
    first++;
  if (offset % size == 0 && cut_prefix(&cut, first, size) >= 0) {
    *m = cut;
    return true;
  }
  PlainRun run = plain_run(m, axis);
  if (size % run.from || offset % run.from)
    return tile_refuse(e, "",
                       "slice: offset %lld, size %lld of dimension %d "
                       "cut a digit",
                       (long long)offset, (long long)size, axis);
  *out_run = run;
  return true;
}

bool tile_layout_slice(const TileLayout *l, const int64_t *offset,
                       const int64_t *size, TileLayoutWindow *out,
                       TileReason *e) {
  TileLayout m = *l;
  PlainRun run[TILE_LAYOUT_MAX_AXES];
  uint64_t moving = 0;
  for (int a = 0; a < l->in.num_axes; a++)
    if (!align_window(&m, a, offset[a], size[a], &run[a], e))
      return false;
  TileLayoutBuilder b;
  tile_layout_to_builder(&m, &b);
  int kept = 0;
  for (int i = 0; i < b.num_entries; i++) {
    if (b.entry[i].stride >= run[b.entry[i].axis].from)
      continue;
    moving |= m.image[i];
    b.entry[kept++] = b.entry[i];
  }
  b.num_entries = kept;
  for (int a = 0; a < l->in.num_axes; a++)
    add_run(&b, a, run[a], size[a]);
  memcpy(b.in.extent, size, sizeof(int64_t) * (size_t)b.in.num_axes);
  b.out.extent[0] = 0;
  return split_base(&m, offset, moving, out, e) &&
         tile_layout_finish(&b, &out->layout, e);
}

//===-- Projections of fragments ------------------------------------------===//

bool tile_layout_project(const TileLayout *loop, const int *map, int rank,
                         TileLayout *out, TileReason *e) {
  int64_t shape[TILE_LAYOUT_MAX_AXES];
  for (int d = 0; d < rank; d++)
    shape[d] = map[d] < 0 ? 1 : loop->out.extent[map[d]];
  TileLayoutBuilder b, r;
  tile_layout_to_builder(loop, &b);
  tile_layout_begin_fragment(&r, shape, rank);
  for (int i = 0; i < b.num_entries; i++) {
    TileLayoutEntry t = b.entry[i];
    int n = 0;
    for (int k = 0; k < t.num_terms; k++) {
      const TileLayoutStep term = b.entry[i].term[k];
      for (int d = 0; d < rank; d++)
        if (map[d] == term.axis)
          t.term[n++] = (TileLayoutStep){d, term.stride};
    }
    t.num_terms = n;
    *tile_layout_new_entry(&r, 0, 2, 0) = t;
  }
  TileLayout full;
  return tile_layout_finish(&r, &full, e) &&
         tile_layout_compact_regs(&full, out, e);
}

bool tile_layout_fold(const TileLayout *l, int dim, bool keep_unit_dim,
                      TileLayout *out, TileReason *e) {
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
                              TileReason *e) {
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

//===-- The layout of a storage seen as another tile ----------------------===//

// Views and windows. A view keeps bytes in row-major order of the tiles.
// Elements of one width are reshaped. Others are laid out in one row first:
// there an element is a run of smaller ones, whatever the extents of the tiles
// are.

bool tile_layout_reinterpret(const TileLayout *l, int from_bits,
                             const int64_t *shape, int rank, int to_bits,
                             TileLayout *out, TileReason *e) {
  if (from_bits == to_bits)
    return tile_layout_view(l, shape, rank, out, e);
  if (!tile_layout_is_memory(l))
    return tile_refuse(e, "",
                       "view: registers hold elements of %d bits, not "
                       "of %d",
                       from_bits, to_bits);
  int64_t num_elems = 1;
  TileLayout row, cast;
  for (int d = 0; d < l->in.num_axes; d++)
    num_elems *= l->in.extent[d];
  return tile_layout_view(l, &num_elems, 1, &row, e) &&
         tile_layout_recast(&row, from_bits, to_bits, &cast, e) &&
         tile_layout_view(&cast, shape, rank, out, e);
}

//===-- Windows -----------------------------------------------------------===//

// The digits of dimension |dim| above a window of |size|; false when the window
// ends inside a digit.
static bool digits_above(const TileLayout *l, int dim, int64_t size,
                         uint64_t *inout_images, uint64_t *inout_others) {
  bool ends = size == l->in.extent[dim];
  for (int i = 0; i < l->in.num_digits; i++) {
    const TileLayoutDigit *digit = &l->in.digit[i];
    if (digit->axis != dim)
      continue;
    ends |= digit->stride == size;
    *(digit->stride >= size ? inout_images : inout_others) |= l->image[i];
  }
  return ends;
}

static bool offsets_only_add(const TileLayout *l, const TileLayoutCut *cut) {
  uint64_t moved = 0, others = 0;
  for (int d = 0; d < l->in.num_axes; d++) {
    for (int i = 0; i < l->in.num_digits && !cut->is_dynamic[d]; i++)
      if (l->in.digit[i].axis == d)
        others |= l->image[i];
    if (cut->is_dynamic[d] &&
        !digits_above(l, d, cut->size[d], &moved, &others))
      return false;
  }
  return !(moved & others);
}

bool tile_layout_cut(const TileLayout *l, const TileLayoutCut *cut,
                     TileLayoutWindow *out, TileReason *e) {
  int64_t offset[TILE_LAYOUT_MAX_AXES];
  TileLayoutWindow slice;
  for (int d = 0; d < l->in.num_axes; d++)
    offset[d] = cut->is_dynamic[d] ? 0 : cut->offset[d];
  if (!offsets_only_add(l, cut))
    return tile_refuse(e, "", "window: offsets move what others move");
  if (!tile_layout_slice(l, offset, cut->size, &slice, e) ||
      !tile_layout_view(&slice.layout, cut->shape, cut->rank, &out->layout, e))
    return false;
  out->toggle = slice.toggle;
  out->add = slice.add;
  return true;
}

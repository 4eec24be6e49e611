//===- LayoutTma.c - Derive a TMA box sequence from a shared layout -------===//
//
// 1. Undo one swizzle mode: toggle address bit p-3 where bit p (7..9) is set.
// 2. What is left must be a plain order of digits. Walk offsets upwards: digits
//    of the contiguous dimension, then of the others, grow one dense box of at
//    most 256 per dimension.
// 3. The first digit that does not fit starts the box sequence: the remaining
//    digits number the boxes and give their coordinates and offsets.
// O(n^2) per mode.
//
//===----------------------------------------------------------------------===//
#include "LayoutAccess.h"
#include "LayoutInternal.h"

#include <string.h>

static int find_bit(const TileLayoutSpace *o, int64_t byte, int elem_bits) {
  for (int j = 0; j < o->num_digits; j++)
    if (o->digit[j].radix == 2 && o->digit[j].stride * elem_bits == byte * 8)
      return j;
  return -1;
}

// Undoes the swizzle of |span| bytes on the images. False when the address bits
// that drive it are not bits of this layout.
static bool undo_swizzle(TileLayout *l, int elem_bits, int span) {
  for (int64_t byte = 128; byte < (int64_t)8 * span; byte *= 2) {
    int hi = find_bit(&l->out, byte, elem_bits);
    int lo = find_bit(&l->out, byte / 8, elem_bits);
    if (hi < 0)
      continue;
    if (lo < 0)
      return false;
    for (int i = 0; i < l->in.num_digits; i++)
      if (l->image[i] >> hi & 1)
        l->image[i] ^= 1ull << lo;
  }
  // A stride that is neither a power of two nor a multiple of the atom would
  // carry into the driving bits.
  for (int j = 0; j < l->out.num_digits; j++) {
    int64_t byte = l->out.digit[j].stride * elem_bits / 8;
    bool power = !(byte & (byte - 1)) && l->out.digit[j].radix == 2;
    if (span && !power && byte % ((int64_t)8 * span))
      return false;
  }
  return true;
}

static int hit_by(const TileLayout *l, int j) {
  int found = -1;
  for (int i = 0; i < l->in.num_digits; i++)
    if (l->image[i] >> j & 1) {
      if (found >= 0 || l->image[i] != 1ull << j)
        return -1;
      found = i;
    }
  return found;
}

// Grows the box over the low offset digits; returns how many were used.
static int grow_box(const TileLayout *l, int elem_bits, int contiguous,
                    int span, int64_t *box) {
  int64_t dense = 1;
  int current = contiguous, rank = l->in.num_axes, j = 0;
  bool opened[TILE_LAYOUT_MAX_AXES] = {false};
  int64_t inner_max = span ? (int64_t)span * 8 / elem_bits : 256;
  opened[contiguous] = true;
  for (int d = 0; d < rank; d++)
    box[d] = 1;
  for (; j < l->out.num_digits; j++) {
    const TileLayoutDigit *o = &l->out.digit[j];
    int i = hit_by(l, j);
    if (i < 0 || o->stride != dense)
      break;
    const TileLayoutDigit *t = &l->in.digit[i];
    int64_t limit = t->axis == contiguous ? inner_max : 256;
    bool goes_on = t->axis == current && t->stride == box[current];
    bool opens = !opened[t->axis] && t->stride == 1;
    if ((!goes_on && !opens) || box[t->axis] * t->radix > limit)
      break;
    current = t->axis;
    opened[current] = true;
    box[current] *= o->radix;
    dense *= o->radix;
  }
  return j;
}

static bool check_rest(const TileLayout *l, int elem_bits, int from, int span,
                       TileReason *e) {
  int64_t align = span ? 8 * span : 128;
  for (int j = from; j < l->out.num_digits; j++) {
    int64_t bytes = l->out.digit[j].stride * elem_bits / 8;
    if (hit_by(l, j) < 0)
      return tile_refuse(e, "",
                         "offset digit of stride %lld is XORed: not a TMA "
                         "swizzle mode",
                         (long long)l->out.digit[j].stride);
    if (bytes % align)
      return tile_refuse(e, "",
                         "boxes would start %lld bytes apart, TMA needs a "
                         "multiple of %lld",
                         (long long)bytes, (long long)align);
  }
  return true;
}

static bool build_sequence(const TileLayout *l, int from, TileLayoutTma *out,
                           TileReason *e) {
  TileLayoutBuilder c, o;
  tile_layout_clear_builder(&c), tile_layout_clear_builder(&o);
  tile_layout_add_axis(&c.in, "i", 0), tile_layout_add_axis(&o.in, "i", 0);
  tile_layout_copy_axes(&c.out, &l->in);
  tile_layout_copy_axes(&o.out, &l->out);
  out->count = 1;
  for (int j = from; j < l->out.num_digits; j++) {
    int i = hit_by(l, j);
    if (i < 0) // check_rest refuses these
      return tile_refuse(e, "", "an XORed box digit");
    const TileLayoutDigit *t = &l->in.digit[i];
    TileLayoutEntry *x = tile_layout_new_entry(&c, 0, t->radix, 0);
    x->num_terms = 1, x->term[0] = (TileLayoutStep){t->axis, t->stride};
    TileLayoutEntry *y = tile_layout_new_entry(&o, 0, t->radix, 0);
    y->num_terms = 1, y->term[0] = (TileLayoutStep){0, l->out.digit[j].stride};
    out->count *= t->radix;
  }
  return tile_layout_finish(&c, &out->coords, e) &&
         tile_layout_finish(&o, &out->offsets, e);
}

static bool try_mode(const TileLayout *s, int elem_bits, int contiguous,
                     int span, TileLayoutTma *out, TileReason *e) {
  TileLayout l = *s;
  if (!undo_swizzle(&l, elem_bits, span))
    return tile_refuse(e, "", "a %d-byte swizzle does not fit these strides",
                       span);
  memset(out, 0, sizeof *out);
  int used = grow_box(&l, elem_bits, contiguous, span, out->box);
  int64_t bytes = out->box[contiguous] * elem_bits / 8;
  if (bytes % 16 || bytes == 0)
    return tile_refuse(
        e, "",
        "only %lld contiguous bytes of dimension %d, TMA needs a "
        "multiple of 16",
        (long long)bytes, contiguous);
  if (span && bytes != span)
    return tile_refuse(e, "",
                       "inner box of %lld bytes, the %d-byte swizzle needs %d",
                       (long long)bytes, span, span);
  int dims = 0;
  for (int d = 0; d < l.in.num_axes; d++)
    dims += l.in.extent[d] > 1;
  if (dims > TILE_LAYOUT_MAX_BOX_RANK)
    return tile_refuse(e, "", "%d dimensions, TMA has %d", dims,
                       TILE_LAYOUT_MAX_BOX_RANK);
  out->swizzle = span;
  out->rank = l.in.num_axes;
  return check_rest(&l, elem_bits, used, span, e) &&
         build_sequence(&l, used, out, e);
}

bool tile_layout_derive_tma(const TileLayout *s, int elem_bits, int contiguous,
                            TileLayoutTma *out, TileReason *e) {
  static const int spans[] = {0, 128, 64, 32};
  TileLayoutTma best, t;
  bool found = false;
  bool swizzled = false;
  for (int i = 0; i < s->in.num_digits; i++)
    swizzled |= (s->image[i] & (s->image[i] - 1)) != 0;
  TileReason first = {""}, err;
  for (int m = 0; m < 4; m++) {
    if (!try_mode(s, elem_bits, contiguous, spans[m], &t, &err)) {
      // The telling reason: of mode none if plain, of 128 bytes if swizzled.
      if (m == (swizzled ? 1 : 0))
        first = err;
      continue;
    }
    if (!found || t.count < best.count)
      best = t;
    found = true;
  }
  if (found)
    *out = best;
  else if (e)
    *e = first;
  return found;
}

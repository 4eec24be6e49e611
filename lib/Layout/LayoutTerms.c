//===- LayoutTerms.c - A layout as shifts, masks, adds and XORs -----------===//
//
// An edge joins an input digit and an output digit of its image. Output digits
// that several inputs hit are XORed, the others added. Edges whose digits
// follow each other on both sides form one term; every edge has at most one
// successor, so following chains gives the fewest terms.
//
// An output digit that only one varying input hits may be XORed as well; it is
// when that joins it to a chain that must be. Digits of constant axes never
// are: a constant in |add| costs nothing, one in |toggle| an instruction.
//
// O(edges) = O(n^2).
//
//===----------------------------------------------------------------------===//
#include "LayoutInternal.h"

#include <string.h>

//===-- Who hits an output digit ------------------------------------------===//

typedef struct {
  const TileLayout *l;
  unsigned constant_axes;
  uint64_t by_varying; // output digits that a varying input hits
  uint64_t is_xor;     // output digits in XOR terms, or in |toggle|
} Plan;

static bool is_constant(const Plan *p, int axis) {
  return p->constant_axes >> axis & 1;
}

// Output digits that several inputs hit, one of them varying.
static void find_shared(Plan *p) {
  uint64_t once = 0, twice = 0;
  for (int i = 0; i < p->l->in.num_digits; i++) {
    twice |= once & p->l->image[i];
    once |= p->l->image[i];
    if (!is_constant(p, p->l->in.digit[i].axis))
      p->by_varying |= p->l->image[i];
  }
  p->is_xor = twice & p->by_varying;
}

// XOR is exact while the strides of the digits that take part share no bits:
// then the sum of any of them is also their XOR.
static uint64_t strides_on_axis(const Plan *p, int axis) {
  uint64_t bits = 0;
  for (uint64_t m = p->is_xor; m; m &= m - 1) {
    const TileLayoutDigit *d = &p->l->out.digit[__builtin_ctzll(m)];
    if (d->axis == axis)
      bits |= (uint64_t)d->stride;
  }
  return bits;
}

static bool check_disjoint(const Plan *p, TileReason *e) {
  for (int a = 0; a < p->l->out.num_axes; a++) {
    uint64_t seen = 0;
    for (uint64_t m = p->is_xor; m; m &= m - 1) {
      const TileLayoutDigit *d = &p->l->out.digit[__builtin_ctzll(m)];
      if (d->axis != a)
        continue;
      if (seen & (uint64_t)d->stride)
        return tile_refuse(
            e, "", "terms: XORed digits of axis %s share bits at stride %lld",
            p->l->out.name[a], (long long)d->stride);
      seen |= (uint64_t)d->stride;
    }
  }
  return true;
}

// A value of an axis with gaps splits by division only if every stride divides
// the next one.
static bool check_input(const TileLayoutSpace *s, TileReason *e) {
  for (int i = 0; i + 1 < s->num_digits; i++) {
    const TileLayoutDigit *d = &s->digit[i], *next = d + 1;
    if (d->axis == next->axis && next->stride % d->stride)
      return tile_refuse(
          e, "", "terms: input axis %s has digits of stride %lld and %lld",
          s->name[d->axis], (long long)d->stride, (long long)next->stride);
  }
  return tile_layout_nested(s) ||
         tile_refuse(e, "", "terms: strides of an input axis overlap");
}

//===-- Chains ------------------------------------------------------------===//

// The output digit that continues |j| after a digit of |radix|, or -1.
static int follower(const TileLayout *l, int j, int radix) {
  const TileLayoutDigit *d = &l->out.digit[j];
  for (int k = j + 1; k < l->out.num_digits; k++)
    if (l->out.digit[k].axis == d->axis &&
        l->out.digit[k].stride == d->stride * radix)
      return k;
  return -1;
}

// Whether edge (i + 1, k) continues edge (i, j).
static int next_edge(const TileLayout *l, int i, int j) {
  const TileLayoutDigit *d = &l->in.digit[i];
  if (i + 1 >= l->in.num_digits || d[1].axis != d->axis ||
      d[1].stride != d->stride * d->radix)
    return -1;
  int k = follower(l, j, d->radix);
  return k >= 0 && (l->image[i + 1] >> k & 1) ? k : -1;
}

static bool may_promote(const Plan *p, int i, int j) {
  const TileLayoutDigit *o = &p->l->out.digit[j];
  return p->l->in.digit[i].radix == 2 && !(p->is_xor >> j & 1) &&
         !is_constant(p, p->l->in.digit[i].axis) &&
         !(strides_on_axis(p, o->axis) & (uint64_t)o->stride);
}

// Adds digits to the XOR chains they follow or precede. Walks up for the
// former, then down, once per digit: a chain grows as far as it can.
static void promote(Plan *p) {
  const TileLayout *l = p->l;
  int n = l->in.num_digits;
  for (int i = 0; i + 1 < n; i++)
    for (uint64_t m = l->image[i] & p->is_xor; m; m &= m - 1) {
      int k = next_edge(l, i, __builtin_ctzll(m));
      if (k >= 0 && may_promote(p, i + 1, k))
        p->is_xor |= 1ull << k;
    }
  for (int i = TILE_LAYOUT_MAX_DIGITS - 2; i >= 0; i--)
    for (uint64_t m = i + 1 < n ? l->image[i] & ~p->is_xor : 0; m; m &= m - 1) {
      int j = __builtin_ctzll(m), k = next_edge(l, i, j);
      if (k >= 0 && (p->is_xor >> k & 1) && may_promote(p, i, j))
        p->is_xor |= 1ull << j;
    }
}

// The stride of the digit above |i| on its axis, 0 if it is the top one.
static int64_t stride_above(const TileLayoutSpace *s, int i) {
  return i + 1 < s->num_digits && s->digit[i + 1].axis == s->digit[i].axis
             ? s->digit[i + 1].stride
             : 0;
}

// The term that begins at edge (i, j); clears its edges in |left|.
static TileLayoutTerm follow(const Plan *p, int i, int j, uint64_t *left) {
  const TileLayout *l = p->l;
  TileLayoutTerm t = {.out_axis = l->out.digit[j].axis,
                      .in_axis = l->in.digit[i].axis,
                      .div = l->in.digit[i].stride,
                      .mul = l->out.digit[j].stride,
                      .is_xor = p->is_xor >> j & 1};
  left[i] &= ~(1ull << j);
  for (int k; (k = next_edge(l, i, j)) >= 0; i++, j = k) {
    if ((p->is_xor >> k & 1) != t.is_xor)
      break;
    left[i + 1] &= ~(1ull << k);
  }
  int64_t above = stride_above(&l->in, i);
  t.mod = above ? above / t.div : 0;
  return t;
}

//===-- Folding -----------------------------------------------------------===//

// Whether X + A keeps the toggled bits as X has them: the added digits stay
// clear of them, whatever they carry.
static bool is_foldable(const Plan *p, int axis) {
  const TileLayout *l = p->l;
  uint64_t toggled = 0;
  for (int i = 0; i < l->in.num_digits; i++)
    if (is_constant(p, l->in.digit[i].axis))
      toggled |= l->image[i];
  toggled &= p->is_xor;
  uint64_t carried = 0; // bits that a carry may reach
  uint64_t plain = 0, toggle_bits = 0;
  for (int j = 0; j < l->out.num_digits; j++) {
    const TileLayoutDigit *d = &l->out.digit[j];
    uint64_t stride = (uint64_t)d->stride;
    if (d->axis != axis)
      continue;
    if (toggled >> j & 1)
      toggle_bits |= stride;
    if (!(p->by_varying >> j & 1))
      continue;
    // A digit is plain while its bits are nobody else's; the rest may carry.
    bool is_bit = d->radix == 2 && !(stride & (stride - 1));
    if ((is_bit || (p->is_xor >> j & 1)) && !(plain & stride))
      plain |= stride;
    else
      carried |= ~((stride & -stride) - 1);
  }
  return !(carried & toggle_bits);
}

//===-- Entry -------------------------------------------------------------===//

// XOR terms before the others, per out axis; stable.
static bool precedes(const TileLayoutTerm *x, const TileLayoutTerm *y) {
  return x->out_axis != y->out_axis ? x->out_axis < y->out_axis
                                    : x->is_xor && !y->is_xor;
}

static void sort_terms(TileLayoutTerms *t) {
  for (int i = 1; i < t->num_terms; i++)
    for (int k = i; k > 0 && precedes(&t->term[k], &t->term[k - 1]); k--) {
      TileLayoutTerm x = t->term[k];
      t->term[k] = t->term[k - 1], t->term[k - 1] = x;
    }
}

static Plan make_plan(const TileLayout *l, unsigned constant_axes) {
  Plan p = {.l = l, .constant_axes = constant_axes};
  find_shared(&p);
  promote(&p);
  return p;
}

bool tile_layout_terms(const TileLayout *l, unsigned constant_axes,
                       TileLayoutTerms *out, TileReason *e) {
  Plan p = make_plan(l, constant_axes);
  uint64_t left[TILE_LAYOUT_MAX_DIGITS];
  if (!check_input(&l->in, e) || !check_disjoint(&p, e))
    return false;
  memcpy(left, l->image, sizeof left);
  out->num_terms = 0;
  for (int i = 0; i < l->in.num_digits; i++) {
    if (is_constant(&p, l->in.digit[i].axis))
      continue;
    while (left[i]) {
      if (out->num_terms == TILE_LAYOUT_MAX_CODE_TERMS)
        return tile_refuse(e, "", "terms: more than %d",
                           TILE_LAYOUT_MAX_CODE_TERMS);
      out->term[out->num_terms++] =
          follow(&p, i, __builtin_ctzll(left[i]), left);
    }
  }
  sort_terms(out);
  for (int a = 0; a < l->out.num_axes; a++)
    out->is_foldable[a] = is_foldable(&p, a);
  return true;
}

TileLayoutConstant tile_layout_constant(const TileLayout *l,
                                        unsigned constant_axes, int out_axis,
                                        const int64_t *in) {
  Plan p = make_plan(l, constant_axes);
  int64_t point[TILE_LAYOUT_MAX_AXES] = {0}, value[TILE_LAYOUT_MAX_AXES];
  for (int a = 0; a < l->in.num_axes; a++)
    if (is_constant(&p, a))
      point[a] = in[a];
  TileLayoutConstant r = {0, 0};
  tile_layout_eval(l, point, value);
  // The toggled digits of the same point: bits hit an odd number of times.
  uint64_t bits = 0;
  for (int i = l->in.num_digits - 1; i >= 0; i--) {
    const TileLayoutDigit *d = &l->in.digit[i];
    int64_t above = stride_above(&l->in, i), v = point[d->axis] / d->stride;
    if (d->radix == 2 && (above ? v % (above / d->stride) : v))
      bits ^= l->image[i];
  }
  for (uint64_t m = bits & p.is_xor; m; m &= m - 1) {
    const TileLayoutDigit *d = &l->out.digit[__builtin_ctzll(m)];
    if (d->axis == out_axis)
      r.toggle += d->stride;
  }
  r.add = value[out_axis] - r.toggle;
  return r;
}

//===- LayoutConvert.c - Plan a conversion between two fragment layouts ---===//
//
// Level 0 keeps every element in its thread, level 1 in its warp. At a level,
// some input digits of the source are free (registers; registers and lanes),
// the others are anchored: the destination digit of the same weight must reach
// the same element up to the span of the free ones. This is an exact criterion:
//   dst free digit g:      image(g)               in span(free images of src)
//   dst anchored digit g:  image(g) ^ image'(g)   in span(free images of src)
// where image' is the source image of that digit. Cost: O(n^3) at most.
//
//===----------------------------------------------------------------------===//
#include "LayoutAccess.h"
#include "LayoutHardware.h"
#include "LayoutInternal.h"

#include <string.h>

// Echelon basis of the free source bits; combo records which source digits.
typedef struct {
  int n;
  uint64_t vec[TILE_LAYOUT_MAX_DIGITS], combo[TILE_LAYOUT_MAX_DIGITS];
} Span;

static bool span_reduce(const Span *s, uint64_t *v, uint64_t *combo) {
  for (int k = 0; k < s->n; k++)
    if (*v & (s->vec[k] & -s->vec[k]))
      *v ^= s->vec[k], *combo ^= s->combo[k];
  return !*v;
}

static void span_add(Span *s, uint64_t v, uint64_t combo) {
  if (!span_reduce(s, &v, &combo))
    s->vec[s->n] = v, s->combo[s->n++] = combo;
}

// Where every destination digit finds its element, as a set of source digits
// that are added to the source point of equal thread.
typedef struct {
  uint64_t from[TILE_LAYOUT_MAX_DIGITS];
} Route;

static int same_digit(const TileLayoutSpace *s, const TileLayoutDigit *d) {
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == d->axis && s->digit[i].stride == d->stride &&
        s->digit[i].radix == d->radix)
      return i;
  return -1;
}

static int who_hits(const TileLayout *l, uint64_t image) {
  for (int i = 0; i < l->in.num_digits; i++)
    if (l->in.digit[i].radix != 2 && l->image[i] == image)
      return i;
  return -1;
}

static bool route_odd(const TileLayout *src, const TileLayout *dst, int g,
                      int top, uint64_t *from) {
  const TileLayoutDigit *d = &dst->in.digit[g];
  if (!dst->image[g]) { // a replica: an anchored source digit must agree
    int f = d->axis > top ? same_digit(&src->in, d) : -1;
    return f < 0 || !src->image[f];
  }
  int f = who_hits(src, dst->image[g]);
  if (f < 0)
    return false;
  if (src->in.digit[f].axis <= top) {
    *from = 1ull << f;
    return true;
  }
  return src->in.digit[f].axis == d->axis &&
         src->in.digit[f].stride == d->stride;
}

// Tries the level whose free axes are 0..top.
static bool find_route(const TileLayout *src, const TileLayout *dst, int top,
                       Route *r) {
  Span free = {0};
  memset(r, 0, sizeof *r);
  for (int i = 0; i < src->in.num_digits; i++)
    if (src->in.digit[i].radix == 2 && src->in.digit[i].axis <= top)
      span_add(&free, src->image[i], 1ull << i);
  for (int g = 0; g < dst->in.num_digits; g++) {
    const TileLayoutDigit *d = &dst->in.digit[g];
    if (d->radix != 2) {
      if (!route_odd(src, dst, g, top, &r->from[g]))
        return false;
      continue;
    }
    uint64_t v = dst->image[g];
    if (d->axis > top) {
      int f = same_digit(&src->in, d);
      if (f < 0)
        return false;
      v ^= src->image[f];
    }
    if (!span_reduce(&free, &v, &r->from[g]))
      return false;
  }
  return true;
}

// The route as a layout: own thread, plus the recorded digits.
static void route_layout(const TileLayout *src, const TileLayout *dst, int top,
                         const Route *r, TileLayout *out) {
  *out = (TileLayout){.in = dst->in, .out = src->in};
  for (int g = 0; g < dst->in.num_digits; g++) {
    out->image[g] = r->from[g];
    if (dst->in.digit[g].axis > top) {
      int f = same_digit(&src->in, &dst->in.digit[g]);
      if (f >= 0)
        out->image[g] ^= 1ull << f;
    }
  }
}

static uint64_t axis_mask(const TileLayoutSpace *s, int axis) {
  uint64_t m = 0;
  for (int i = 0; i < s->num_digits; i++)
    if (s->digit[i].axis == axis)
      m |= 1ull << i;
  return m;
}

// How many source registers different threads read for one destination
// register: 2^rank of the dependence, times odd radices.
static int64_t register_fan(const TileLayout *src, const TileLayout *dst,
                            const Route *r) {
  uint64_t regs = axis_mask(&src->in, TILE_LAYOUT_REG),
           v[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  int64_t fan = 1;
  for (int g = 0; g < dst->in.num_digits; g++) {
    if (dst->in.digit[g].axis == TILE_LAYOUT_REG)
      continue;
    if (dst->in.digit[g].radix == 2)
      v[n++] = r->from[g] & regs;
    else if (r->from[g] & regs)
      fan *= dst->in.digit[g].radix;
  }
  return fan << tile_layout_rank(v, n);
}

// Elements that stay together, in order, inside a 32-bit register: 1, 2 or 4.
static int64_t piece_elems(const TileLayout *src, const TileLayout *dst,
                           const Route *r, int elem_bits) {
  int64_t s = 1;
  for (; s < 32 / elem_bits; s *= 2) {
    TileLayoutDigit d = {TILE_LAYOUT_REG, 2, s};
    int f = same_digit(&src->in, &d), g = same_digit(&dst->in, &d);
    if (f < 0 || g < 0 || r->from[g] != 1ull << f)
      return s;
    for (int i = 0; i < dst->in.num_digits; i++)
      if (i != g && (r->from[i] >> f & 1))
        return s;
  }
  return s;
}

static int64_t reg_words(const TileLayout *l, int elem_bits) {
  return (l->in.extent[TILE_LAYOUT_REG] * elem_bits + 31) / 32;
}

static bool is_renaming_free(const TileLayout *src, const TileLayout *dst,
                             const Route *r) {
  for (int g = 0; g < dst->in.num_digits; g++) {
    int f = same_digit(&src->in, &dst->in.digit[g]);
    if (dst->in.digit[g].axis == TILE_LAYOUT_REG &&
        (f < 0 || r->from[g] != 1ull << f))
      return false;
  }
  return true;
}

static void plan_registers(const TileLayout *src, const TileLayout *dst,
                           const Route *r, int elem_bits,
                           TileLayoutConversion *out) {
  int64_t words = reg_words(dst, elem_bits), fan = register_fan(src, dst, r);
  out->piece_elems = (int)piece_elems(src, dst, r, elem_bits);
  bool whole = out->piece_elems * elem_bits >= 32;
  out->kind = fan > 1                         ? TILE_LAYOUT_CONV_SELECT
              : is_renaming_free(src, dst, r) ? TILE_LAYOUT_CONV_NONE
                                              : TILE_LAYOUT_CONV_REGISTER;
  if (!whole)
    out->alu += words * (32 / elem_bits) / 2; // byte permutes
  out->alu += words * (fan - 1) * (whole ? 1 : 2);
  out->cost =
      out->alu * TILE_LAYOUT_COST_ALU * dst->in.extent[TILE_LAYOUT_WARP];
}

// One shuffle brings one 32-bit word from one lane. When lanes want different
// registers of a source lane (fan > 1), the source packs the alternatives into
// one word if they fit; the receiver extracts its piece.
static void plan_shuffles(const TileLayout *src, const TileLayout *dst,
                          const Route *r, int elem_bits,
                          TileLayoutConversion *out) {
  int64_t fan = register_fan(src, dst, r);
  int64_t piece = piece_elems(src, dst, r, elem_bits);
  out->piece_elems = (int)piece;
  int64_t pieces = dst->in.extent[TILE_LAYOUT_REG] / piece;
  int64_t bits = piece * elem_bits < 32 ? piece * elem_bits : 32;
  out->kind = TILE_LAYOUT_CONV_SHUFFLE;
  out->shuffles = pieces * ((fan * bits + 31) / 32);
  out->alu = pieces * (fan - 1);      // pack, or select what arrived
  out->alu += bits < 32 ? pieces : 0; // extract
  out->cost = (out->shuffles * TILE_LAYOUT_COST_SHFL +
               out->alu * TILE_LAYOUT_COST_ALU) *
              dst->in.extent[TILE_LAYOUT_WARP];
}

bool tile_layout_staging(const int64_t *shape, int rank, int elem_bits, int i,
                         TileLayout *out) {
  static const int spans[] = {128, 64, 32};
  if (rank < 1)
    return false;
  if (i < 3)
    return tile_hw_swizzle(shape, rank, elem_bits, spans[i], out, NULL);
  int64_t last = shape[rank - 1];
  return i == 3
             ? tile_hw_linear(shape, rank, out, NULL)
             : tile_hw_padded(shape, rank, last + 128 / elem_bits, out, NULL);
}

static bool plan_shared(const TileLayout *src, const TileLayout *dst,
                        int elem_bits, TileLayoutConversion *out,
                        TileReason *e) {
  int64_t best = INT64_MAX;
  for (int c = 0; c < TILE_LAYOUT_NUM_STAGINGS; c++) {
    TileLayout s;
    TileLayoutAccess st, ld;
    if (!tile_layout_staging(src->out.extent, src->out.num_axes, elem_bits, c,
                             &s) ||
        !tile_layout_shared_access(src, &s, elem_bits, true, &st, e) ||
        !tile_layout_shared_access(dst, &s, elem_bits, true, &ld, e))
      continue;
    int64_t cost = st.cost + ld.cost + (int64_t)2 * TILE_LAYOUT_COST_BAR;
    if (cost >= best)
      continue;
    best = cost;
    out->kind = TILE_LAYOUT_CONV_SHARED;
    out->alu = out->shuffles = 0;
    out->staging = s;
    out->store = st, out->load = ld;
    out->cost = cost;
    out->shared_bytes = s.out.extent[0] * elem_bits / 8;
  }
  return best < INT64_MAX ||
         tile_refuse(e, "", "conversion: no staging layout fits");
}

TileLayoutReach tile_layout_plan_route(const TileLayout *src,
                                       const TileLayout *dst, int elem_bits,
                                       TileLayoutConversion *out,
                                       TileReason *e) {
  TileLayout a = *src, b = *dst;
  out->kind = TILE_LAYOUT_CONV_NONE;
  out->alu = out->shuffles = out->shared_bytes = out->cost = 0;
  bool same_tile = a.out.num_axes == b.out.num_axes;
  for (int d = 0; same_tile && d < a.out.num_axes; d++)
    same_tile = a.out.extent[d] == b.out.extent[d];
  if (!same_tile) {
    tile_refuse(e, "", "conversion: tiles differ in shape");
    return TILE_LAYOUT_REACH_NEVER;
  }
  bool aligned = tile_layout_align_out(&a, &b);
  if (a.in.extent[TILE_LAYOUT_WARP] != b.in.extent[TILE_LAYOUT_WARP]) {
    tile_refuse(e, "", "conversion: %lld warps hold the source, %lld want it",
                (long long)a.in.extent[TILE_LAYOUT_WARP],
                (long long)b.in.extent[TILE_LAYOUT_WARP]);
    return TILE_LAYOUT_REACH_NEVER;
  }
  Route r;
  if (aligned && find_route(&a, &b, TILE_LAYOUT_REG, &r)) {
    plan_registers(&a, &b, &r, elem_bits, out);
    route_layout(&a, &b, TILE_LAYOUT_REG, &r, &out->route);
    return TILE_LAYOUT_REACH_THREAD;
  }
  if (aligned && find_route(&a, &b, TILE_LAYOUT_LANE, &r)) {
    plan_shuffles(&a, &b, &r, elem_bits, out);
    route_layout(&a, &b, TILE_LAYOUT_LANE, &r, &out->route);
    return TILE_LAYOUT_REACH_WARP;
  }
  return TILE_LAYOUT_REACH_CTA;
}

bool tile_layout_plan_conversion(const TileLayout *src, const TileLayout *dst,
                                 int elem_bits, TileLayoutConversion *out,
                                 TileReason *e) {
  memset(out, 0, sizeof *out);
  TileLayoutReach reach = tile_layout_plan_route(src, dst, elem_bits, out, e);
  if (reach == TILE_LAYOUT_REACH_NEVER || reach == TILE_LAYOUT_REACH_THREAD)
    return reach == TILE_LAYOUT_REACH_THREAD;
  TileLayoutConversion shared = {0};
  bool via_shared = plan_shared(src, dst, elem_bits, &shared, e);
  bool by_shuffle = reach == TILE_LAYOUT_REACH_WARP &&
                    (!via_shared || out->cost <= shared.cost);
  if (!by_shuffle && via_shared)
    *out = shared;
  return by_shuffle || via_shared;
}

const char *tile_layout_conv_name(TileLayoutConvKind kind) {
  static const char *names[] = {"none", "register renaming",
                                "register selection", "warp shuffle",
                                "shared memory"};
  return names[kind];
}

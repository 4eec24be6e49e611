//===- LayoutText.c - The textual form ------------------------------------===//
//
//   linear | padded<136> | swizzle<128> | coreMatrix
//   swizzle<128,t> (stored transposed)  mma<128x128,warps=2x2>
//   wgmma<128x128,wg=2x1>  wgmmaA<128x64,16,wg=2x1>
//   bases<reg=(d1:1*2, d0:8*2), lane=(d1:2*4, d0:1*8), warp=() -> d0:16, d1:8>
//   bases<d0=(o:64^o:8, o:128), d1=(o:1*64) -> o:256>
//
// An entry  axis:stride*count  steps the output axis by |stride|, |count|
// times; terms joined by ^ are XORed (count 2); 0*count replicates; @s before
// an entry gives a weight of the input digit that is not the natural one. The
// shape and element type of the buffer are context, as in the IR.
//
//===----------------------------------------------------------------------===//
#include "LayoutHardware.h"
#include "LayoutInternal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Print -------------------------------------------------------------===//

typedef struct {
  char *text;
  int cap, len;
} Out;

static void put(Out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void put(Out *o, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int room = o->cap > o->len ? o->cap - o->len : 0;
  o->len += vsnprintf(room ? o->text + o->len : NULL, (size_t)room, fmt, args);
  va_end(args);
}

static bool single(uint64_t m) { return m && !(m & (m - 1)); }

// Number of input digits from |i| that print as one entry.
static int run_length(const TileLayout *l, int i) {
  int n = 1;
  for (; i + n < l->in.num_digits; n++) {
    const TileLayoutDigit *a = &l->in.digit[i + n - 1],
                          *b = &l->in.digit[i + n];
    uint64_t x = l->image[i + n - 1], y = l->image[i + n];
    if (a->axis != b->axis || b->stride != a->stride * a->radix ||
        a->radix > b->radix) // composite counts split in ascending primes
      break;
    if (!x && !y)
      continue;
    if (!single(x) || y != x << 1)
      break;
    const TileLayoutDigit *p = &l->out.digit[__builtin_ctzll(x)];
    if (p[0].axis != p[1].axis || p[1].stride != p[0].stride * p[0].radix)
      break;
  }
  return n;
}

static void put_entry(Out *o, const TileLayout *l, int i, int n) {
  int64_t count = 1;
  for (int k = 0; k < n; k++)
    count *= l->in.digit[i + k].radix;
  if (!l->image[i])
    put(o, "0");
  // Highest term first: the plain position, then what it is XORed into.
  for (uint64_t m = l->image[i]; m; m &= ~(1ull << (63 - __builtin_clzll(m)))) {
    const TileLayoutDigit *d = &l->out.digit[63 - __builtin_clzll(m)];
    put(o, "%s%s:%lld", m == l->image[i] ? "" : "^", l->out.name[d->axis],
        (long long)d->stride);
  }
  if (count != 2)
    put(o, "*%lld", (long long)count);
}

static void put_bases(Out *o, const TileLayout *l) {
  put(o, "bases<");
  for (int a = 0; a < l->in.num_axes; a++) {
    put(o, "%s%s=(", a ? ", " : "", l->in.name[a]);
    int64_t natural = 1;
    const char *sep = "";
    for (int i = 0, n; i < l->in.num_digits; i += n) {
      n = run_length(l, i);
      const TileLayoutDigit *d = &l->in.digit[i];
      if (d->axis != a)
        continue;
      put(o, "%s", sep), sep = ", ";
      if (d->stride != natural)
        put(o, "@%lld ", (long long)d->stride);
      put_entry(o, l, i, n);
      natural = l->in.digit[i + n - 1].stride * l->in.digit[i + n - 1].radix;
    }
    put(o, ")");
  }
  put(o, " ->");
  for (int a = 0; a < l->out.num_axes; a++)
    put(o, "%s %s:%lld", a ? "," : "", l->out.name[a],
        (long long)l->out.extent[a]);
  put(o, ">");
}

static bool put_memory_name(Out *o, const TileLayout *l, int bits) {
  TileLayout c;
  int rank = l->in.num_axes;
  if (tile_hw_linear(l->in.extent, rank, &c, NULL) &&
      tile_layout_equal(l, &c) && l->out.extent[0] == c.out.extent[0])
    return put(o, "linear"), true;
  static const int spans[] = {128, 64, 32, 16};
  for (int i = 0; i < 4; i++)
    if (tile_hw_swizzle(l->in.extent, rank, bits, spans[i], &c, NULL) &&
        tile_layout_equal(l, &c) && l->out.extent[0] == c.out.extent[0]) {
      if (spans[i] == 16)
        put(o, "coreMatrix");
      else
        put(o, "swizzle<%d>", spans[i]);
      return true;
    }
  for (int i = 0; i < 3; i++)
    if (tile_hw_swizzle_t(l->in.extent, rank, bits, spans[i], &c, NULL) &&
        tile_layout_equal(l, &c) && l->out.extent[0] == c.out.extent[0])
      return put(o, "swizzle<%d,t>", spans[i]), true;
  int64_t rows = tile_layout_size(&l->in) / l->in.extent[rank - 1];
  int64_t pitch = l->out.extent[0] / rows;
  if (l->out.extent[0] % rows == 0 &&
      tile_hw_padded(l->in.extent, rank, pitch, &c, NULL) &&
      tile_layout_equal(l, &c))
    return put(o, "padded<%lld>", (long long)pitch), true;
  return false;
}

static bool put_fragment_name(Out *o, const TileLayout *l, int bits) {
  TileLayout c;
  if (l->out.num_axes != 2)
    return false;
  long long m = l->out.extent[0], n = l->out.extent[1];
  int wgs = (int)(l->in.extent[TILE_LAYOUT_WARP] / 4);
  for (int wm = wgs; wm >= 1; wm--) {
    if (wgs % wm)
      continue;
    if (tile_hw_wgmma_acc(m, n, wm, wgs / wm, &c, NULL) &&
        tile_layout_equal(l, &c))
      return put(o, "wgmma<%lldx%lld,wg=%dx%d>", m, n, wm, wgs / wm), true;
    if ((bits == 8 || bits == 16 || bits == 32) &&
        tile_hw_wgmma_a(m, n, bits, wm, wgs / wm, &c, NULL) &&
        tile_layout_equal(l, &c))
      return put(o, "wgmmaA<%lldx%lld,%d,wg=%dx%d>", m, n, bits, wm, wgs / wm),
             true;
  }
  int warps = (int)l->in.extent[TILE_LAYOUT_WARP];
  for (int wm = warps; wm >= 1; wm--) {
    TileHwMma g = {m, n, 16, wm, warps / wm, 16, 16};
    if (warps % wm == 0 && tile_hw_mma_c(&g, &c, NULL) &&
        tile_layout_equal(l, &c))
      return put(o, "mma<%lldx%lld,warps=%dx%d>", m, n, wm, warps / wm), true;
  }
  return false;
}

int tile_layout_print(const TileLayout *l, int elem_bits, char *text, int cap) {
  Out o = {text, cap, 0};
  bool memory = l->out.name[0][0] == 'o' && l->in.name[0][0] == 'd';
  bool fragment = l->in.name[0][0] == 'r' && l->out.name[0][0] == 'd';
  if (elem_bits && memory && put_memory_name(&o, l, elem_bits))
    return o.len;
  if (elem_bits && fragment && put_fragment_name(&o, l, elem_bits))
    return o.len;
  put_bases(&o, l);
  return o.len;
}

//===-- Parse -------------------------------------------------------------===//

typedef struct {
  const char *p, *begin;
  TileReason *err;
} In;

static bool bad(In *in, const char *what) {
  return tile_refuse(in->err, "", "column %d: expected %s",
                     (int)(in->p - in->begin) + 1, what);
}

static bool eat(In *in, const char *token) {
  while (isspace((unsigned char)*in->p))
    in->p++;
  size_t n = strlen(token);
  if (strncmp(in->p, token, n))
    return false;
  in->p += n;
  return true;
}

// Products of a stride and a count, and sums of 64 of them, stay below 2^63.
#define MAX_NUMBER ((int64_t)1 << 32)
#define MAX_COUNT ((int64_t)1 << 20)

static bool number(In *in, int64_t *out) {
  *out = 0;
  eat(in, "");
  if (!isdigit((unsigned char)*in->p))
    return bad(in, "a number");
  char *end;
  *out = strtoll(in->p, &end, 10);
  in->p = end;
  if (*out < 0 || *out > MAX_NUMBER)
    return bad(in, "a number up to 2^32");
  return true;
}

static bool name(In *in, char out[8]) {
  eat(in, "");
  int n = 0;
  while (isalnum((unsigned char)*in->p) && n < 7)
    out[n++] = *in->p++;
  out[n] = 0;
  return n ? true : bad(in, "an axis name");
}

// Output axis by name; added when new.
static int out_axis(TileLayoutBuilder *b, const char *axis) {
  int a = tile_layout_find_axis(&b->out, axis);
  if (a < 0 && b->out.num_axes < TILE_LAYOUT_MAX_AXES) {
    a = b->out.num_axes;
    tile_layout_add_axis(&b->out, axis, 0);
  }
  return a;
}

static bool parse_entry(In *in, TileLayoutBuilder *b, int axis) {
  TileLayoutEntry t = {.axis = axis};
  int64_t count = 2, s = 0;
  if (eat(in, "@") && !number(in, &t.stride))
    return false;
  if (!eat(in, "0"))
    do {
      char out[8];
      if (!name(in, out) || !eat(in, ":"))
        return bad(in, "axis:stride");
      if (!number(in, &s))
        return false;
      int a = out_axis(b, out);
      if (a < 0 || s < 1 || t.num_terms == TILE_LAYOUT_MAX_TERMS)
        return bad(in, "a positive stride of a known axis");
      t.term[t.num_terms++] = (TileLayoutStep){a, s};
    } while (eat(in, "^"));
  if (eat(in, "*") && !number(in, &count))
    return false;
  if (count < 2 || count > MAX_COUNT || (t.num_terms > 1 && count != 2))
    return bad(in, "a count from 2 to 2^20 (2 with ^)");
  while (count > 1) {
    t.radix = tile_layout_smallest_prime(count);
    *tile_layout_new_entry(b, 0, 2, 0) = t;
    if (b->overflow)
      return bad(in, "fewer digits");
    count /= t.radix;
    t.stride *= t.radix; // 0 stays 0: natural
    if (t.num_terms)
      t.term[0].stride *= t.radix;
  }
  return true;
}

// "axis=(entries), ..": the input side.
static bool parse_inputs(In *in, TileLayoutBuilder *b) {
  do {
    char axis[8];
    if (!name(in, axis) || !eat(in, "=") || !eat(in, "("))
      return bad(in, "axis=(");
    if (b->in.num_axes == TILE_LAYOUT_MAX_AXES ||
        tile_layout_find_axis(&b->in, axis) >= 0)
      return bad(in, "another axis");
    tile_layout_add_axis(&b->in, axis, 0);
    if (eat(in, ")"))
      continue;
    do {
      if (!parse_entry(in, b, b->in.num_axes - 1))
        return false;
    } while (eat(in, ","));
    if (!eat(in, ")"))
      return bad(in, ")");
  } while (eat(in, ","));
  return true;
}

// "axis:extent, ..>": the output side.
static bool parse_extents(In *in, TileLayoutSpace *declared) {
  do {
    char axis[8];
    int64_t extent = 0;
    if (!name(in, axis) || !eat(in, ":") || !number(in, &extent))
      return bad(in, "axis:extent");
    if (declared->num_axes == TILE_LAYOUT_MAX_AXES || extent < 1)
      return bad(in, "a positive extent");
    tile_layout_add_axis(declared, axis, extent);
  } while (eat(in, ","));
  return eat(in, ">") ? true : bad(in, ">");
}

static bool parse_bases(In *in, TileLayout *out) {
  TileLayoutBuilder b;
  TileLayoutSpace declared = {0};
  tile_layout_clear_builder(&b);
  if (!parse_inputs(in, &b))
    return false;
  if (!eat(in, "->"))
    return bad(in, "->");
  if (!parse_extents(in, &declared))
    return false;
  for (int i = 0; i < b.num_entries; i++)
    for (int t = 0; t < b.entry[i].num_terms; t++) {
      const char *axis = b.out.name[b.entry[i].term[t].axis];
      int a = tile_layout_find_axis(&declared, axis);
      if (a < 0)
        return tile_refuse(in->err, "", "axis %s has no extent", axis);
      b.entry[i].term[t].axis = a;
    }
  b.out = declared;
  return tile_layout_finish(&b, out, in->err);
}

static bool check_shape(const TileLayout *l, const int64_t *shape, int rank,
                        TileReason *e) {
  const TileLayoutSpace *s = l->in.name[0][0] == 'd' ? &l->in : &l->out;
  if (s->num_axes != rank)
    return tile_refuse(e, "",
                       "layout is of a tile of rank %d, the buffer has rank %d",
                       s->num_axes, rank);
  for (int d = 0; d < rank; d++)
    if (s->extent[d] != shape[d])
      return tile_refuse(e, "",
                         "layout has %lld elements in d%d, the buffer has %lld",
                         (long long)s->extent[d], d, (long long)shape[d]);
  return true;
}

// "MxN[,bits],wg=AxB>"
static bool parse_wgmma(In *in, bool is_a, TileLayout *out) {
  int64_t m = 0, n = 0, bits = 0, wm = 1, wn = 1;
  if (!number(in, &m) || !eat(in, "x") || !number(in, &n))
    return bad(in, "MxN");
  if (is_a && (!eat(in, ",") || !number(in, &bits)))
    return bad(in, ",bits");
  if (is_a && bits != 8 && bits != 16 && bits != 32)
    return bad(in, "8, 16 or 32 bits");
  if (eat(in, ",") && (!eat(in, "wg=") || !number(in, &wm) || !eat(in, "x") ||
                       !number(in, &wn)))
    return bad(in, "wg=AxB");
  if (!eat(in, ">") || wm > MAX_COUNT || wn > MAX_COUNT)
    return bad(in, ">");
  return is_a ? tile_hw_wgmma_a(m, n, (int)bits, (int)wm, (int)wn, out, in->err)
              : tile_hw_wgmma_acc(m, n, (int)wm, (int)wn, out, in->err);
}

// "MxN,warps=AxB>"
static bool parse_mma(In *in, TileLayout *out) {
  int64_t m = 0, n = 0, wm = 1, wn = 1;
  if (!number(in, &m) || !eat(in, "x") || !number(in, &n))
    return bad(in, "MxN");
  if (eat(in, ",") && (!eat(in, "warps=") || !number(in, &wm) ||
                       !eat(in, "x") || !number(in, &wn)))
    return bad(in, "warps=AxB");
  if (!eat(in, ">") || wm < 1 || wn < 1 || wm > MAX_COUNT || wn > MAX_COUNT)
    return bad(in, ">");
  TileHwMma g = {m, n, 16, (int)wm, (int)wn, 16, 16};
  return tile_hw_mma_c(&g, out, in->err);
}

static bool parse_swizzle(In *in, const int64_t *shape, int rank, int bits,
                          TileLayout *out) {
  int64_t n = 0;
  if (!number(in, &n))
    return false;
  if (n != 128 && n != 64 && n != 32)
    return bad(in, "128, 64 or 32");
  bool t = eat(in, ",") && eat(in, "t");
  if (!eat(in, ">"))
    return bad(in, ">");
  return t ? tile_hw_swizzle_t(shape, rank, bits, (int)n, out, in->err)
           : tile_hw_swizzle(shape, rank, bits, (int)n, out, in->err);
}

bool tile_layout_parse(const char *text, const int64_t *shape, int rank,
                       int elem_bits, TileLayout *out, TileReason *e) {
  In in = {text, text, e};
  int64_t n = 0;
  bool ok;
  if (eat(&in, "linear"))
    ok = tile_hw_linear(shape, rank, out, e);
  else if (eat(&in, "coreMatrix"))
    ok = tile_hw_swizzle(shape, rank, elem_bits, 16, out, e);
  else if (eat(&in, "padded<"))
    ok = number(&in, &n) && (eat(&in, ">") || bad(&in, ">")) &&
         tile_hw_padded(shape, rank, n, out, e);
  else if (eat(&in, "swizzle<"))
    ok = parse_swizzle(&in, shape, rank, elem_bits, out);
  else if (eat(&in, "mma<"))
    ok = parse_mma(&in, out);
  else if (eat(&in, "wgmmaA<"))
    ok = parse_wgmma(&in, true, out);
  else if (eat(&in, "wgmma<"))
    ok = parse_wgmma(&in, false, out);
  else if (eat(&in, "bases<"))
    ok = parse_bases(&in, out);
  else
    return bad(
        &in,
        "linear, padded, swizzle, coreMatrix, wgmma, wgmmaA, mma or bases");
  eat(&in, "");
  if (ok && *in.p)
    return bad(&in, "the end of the layout");
  return ok && check_shape(out, shape, rank, e);
}

//===- LayoutProperties.c - Judge and normalise layouts -------------------===//
//
// Complexity: with n digits every function is O(n^2) word operations; only
// tile_layout_equal may enumerate, O(size * n), and only when canonical forms
// differ.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "LayoutInternal.h"

#include <string.h>

bool tile_layout_is_memory(const TileLayout *l) {
  return l->out.name[0][0] == 'o';
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

// Bit k of the dimension must be offset bit k and nothing else may move it.
int64_t tile_layout_contiguous_run(const TileLayout *layout, int dim) {
  int64_t run = 1;
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *digit = &layout->in.digit[i];
    if (digit->axis != dim || digit->radix != 2 || digit->stride != run)
      continue;
    uint64_t image = layout->image[i];
    if (!image || image & (image - 1))
      break;
    int out = __builtin_ctzll(image);
    if (layout->out.digit[out].stride != run)
      break;
    for (int j = 0; j < layout->in.num_digits; j++)
      if (j != i && layout->image[j] & image)
        return run;
    run *= 2;
  }
  // Every other offset must be a multiple of the run: padding may break it.
  for (int j = 0; j < layout->out.num_digits && run > 1; j++) {
    int64_t stride = layout->out.digit[j].stride;
    while (stride >= run ? stride % run : false)
      run /= 2;
  }
  return run;
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

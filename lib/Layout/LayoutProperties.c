//===- LayoutProperties.c - Judge layouts ---------------------------------===//
//
// Complexity: with n digits every function is O(n^2) word operations.
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

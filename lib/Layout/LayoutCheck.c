//===- LayoutCheck.c - Whether a layout serves, and where it does not -----===//
//
// Shared tiles give every element an offset of its own, fragments give every
// element to some thread, and code can compute both with shifts, masks and
// XORs. What fails is shown by elements.
//
//===----------------------------------------------------------------------===//
#include "LayoutInternal.h"

#include <stdio.h>
#include <string.h>

enum { POINT_CAPACITY = 64 };

// "(0, 16)": values of the axes of a tile.
static void print_point(const TileLayoutSpace *s, const int64_t *at,
                        char out[POINT_CAPACITY]) {
  int length = snprintf(out, POINT_CAPACITY, "(");
  for (int a = 0; a < s->num_axes && length < POINT_CAPACITY; a++)
    length += snprintf(out + length, (size_t)(POINT_CAPACITY - length),
                       "%s%lld", a ? ", " : "", (long long)at[a]);
  if (length < POINT_CAPACITY)
    snprintf(out + length, (size_t)(POINT_CAPACITY - length), ")");
}

static bool is_formula(const TileLayout *l, unsigned constant_axes,
                       TileReason *e) {
  TileLayoutTerms terms;
  TileReason why = {""};
  return tile_layout_terms(l, constant_axes, &terms, &why) ||
         tile_refuse(e, "",
                     "layout is no formula of shifts, masks and XORs: "
                     "%.180s",
                     why.text);
}

//===-- Axes --------------------------------------------------------------===//

static bool has_dims(const TileLayoutSpace *s) {
  for (int d = 0; d < s->num_axes; d++)
    if (s->name[d][0] != 'd' || s->name[d][1] != '0' + d || s->name[d][2])
      return false;
  return true;
}

static bool is_fragment_input(const TileLayoutSpace *s) {
  static const char *const names[] = {"reg", "lane", "warp"};
  for (int i = 0; i < 3; i++)
    if (s->num_axes != 3 || strcmp(s->name[i], names[i]) != 0)
      return false;
  return true;
}

bool tile_layout_check_axes(const TileLayout *l, TileReason *e) {
  enum { WARP_LANES = 32 };
  bool is_fragment = is_fragment_input(&l->in) && has_dims(&l->out);
  bool is_memory = has_dims(&l->in) && l->out.num_axes == 1 &&
                   strcmp(l->out.name[0], "o") == 0;
  if (!is_fragment && !is_memory)
    return tile_refuse(e, "",
                       "layout maps neither dimensions d0, d1, ... to "
                       "offsets o nor reg, lane and warp to dimensions");
  int64_t lanes = is_fragment ? tile_layout_axis_size(&l->in, TILE_LAYOUT_LANE)
                              : WARP_LANES;
  return lanes == WARP_LANES ||
         tile_refuse(e, "", "layout has %lld lanes, a warp has %d",
                     (long long)lanes, WARP_LANES);
}

//===-- Shared tiles ------------------------------------------------------===//

// Digits whose images are XORed to nothing, one of each.
static uint64_t find_kernel(const TileLayout *l) {
  uint64_t image[TILE_LAYOUT_MAX_DIGITS], digits[TILE_LAYOUT_MAX_DIGITS];
  int n = 0;
  for (int i = 0; i < l->in.num_digits; i++) {
    uint64_t rest = l->image[i], used = 1ull << i;
    for (int k = 0; k < n && l->in.digit[i].radix == 2; k++)
      if (rest & image[k] & -image[k])
        rest ^= image[k], used ^= digits[k];
    if (!rest)
      return used;
    if (l->in.digit[i].radix == 2)
      image[n] = rest, digits[n++] = used;
  }
  return 0;
}

// An element that has the offset of element 0.
static void find_replica(const TileLayout *l, int64_t *out_at) {
  uint64_t kernel = find_kernel(l);
  for (int a = 0; a < l->in.num_axes; a++)
    out_at[a] = 0;
  for (; kernel; kernel &= kernel - 1) {
    const TileLayoutDigit *d = &l->in.digit[__builtin_ctzll(kernel)];
    out_at[d->axis] += d->stride;
  }
}

// Two of the first elements that have one offset; false if there are none.
static bool find_collision(const TileLayout *l, int64_t *out_x, int64_t *out_y,
                           int64_t *out_offset) {
  enum { MOST = 1024 };
  int64_t offset[MOST], size = tile_layout_size(&l->in);
  for (int64_t y = 0; y < size && y < MOST; y++) {
    tile_layout_point(&l->in, y, out_y);
    tile_layout_eval(l, out_y, &offset[y]);
    for (int64_t x = 0; x < y; x++)
      if (offset[x] == offset[y]) {
        tile_layout_point(&l->in, x, out_x);
        *out_offset = offset[y];
        return true;
      }
  }
  return false;
}

bool tile_layout_check_memory(const TileLayout *l, TileReason *e) {
  int64_t rep = tile_layout_replication(l), offset;
  int64_t x[TILE_LAYOUT_MAX_AXES] = {0}, y[TILE_LAYOUT_MAX_AXES];
  char first[POINT_CAPACITY], second[POINT_CAPACITY];
  if (rep > 1) {
    find_replica(l, y);
    print_point(&l->in, x, first), print_point(&l->in, y, second);
    return tile_refuse(
        e, "",
        "layout is not injective: %lld elements share each offset, as %s and "
        "%s do",
        (long long)rep, first, second);
  }
  if (tile_layout_span(&l->out, 0) > l->out.extent[0])
    return tile_refuse(
        e, "", "layout has offsets up to %lld, and says that there are %lld",
        (long long)tile_layout_span(&l->out, 0) - 1,
        (long long)l->out.extent[0]);
  if (tile_layout_nested(&l->out))
    return is_formula(l, 0, e);
  if (!find_collision(l, x, y, &offset))
    return tile_refuse(e, "",
                       "layout is not injective: strides overlap "
                       "within %lld elements",
                       (long long)tile_layout_span(&l->out, 0));
  print_point(&l->in, x, first), print_point(&l->in, y, second);
  return tile_refuse(e, "",
                     "layout is not injective: strides overlap, and %s "
                     "and %s share offset %lld",
                     first, second, (long long)offset);
}

//===-- Fragments ---------------------------------------------------------===//

// A digit whose value 1 alone no input has. Its element exists: no digit is
// wholly past the end of a tile.
static const TileLayoutDigit *find_uncovered(const TileLayout *l) {
  uint64_t hit = 0, bits[TILE_LAYOUT_MAX_DIGITS + 1];
  int n = 0;
  for (int i = 0; i < l->in.num_digits; i++) {
    hit |= l->image[i];
    if (l->in.digit[i].radix == 2)
      bits[n++] = l->image[i];
  }
  int rank = tile_layout_rank(bits, n);
  for (int j = 0; j < l->out.num_digits; j++) {
    bits[n] = 1ull << j;
    bool is_hit = l->out.digit[j].radix == 2
                      ? tile_layout_rank(bits, n + 1) == rank
                      : hit >> j & 1;
    if (!is_hit)
      return &l->out.digit[j];
  }
  return NULL;
}

bool tile_layout_check_fragment(const TileLayout *l, TileReason *e) {
  const TileLayoutDigit *digit = find_uncovered(l);
  int64_t at[TILE_LAYOUT_MAX_AXES] = {0};
  char element[POINT_CAPACITY];
  if (!digit)
    return is_formula(l, 1u << TILE_LAYOUT_REG, e);
  at[digit->axis] = digit->stride;
  print_point(&l->out, at, element);
  return tile_refuse(
      e, "",
      "layout does not cover the tile: %lld of %lld elements, no thread holds "
      "%s",
      (long long)(tile_layout_size(&l->in) / tile_layout_replication(l)),
      (long long)tile_layout_size(&l->out), element);
}

//===- LayoutInferFree.c - Fragments that no instruction fixes ------------===//
//
// Along a dimension come vectors, then lanes, then warps, and registers take
// what is left. Sizes seldom divide: a dimension is rounded up to what its
// lanes and warps take, and the fragment overhangs its tile by less than one
// round.
//
//   67 columns, 16 lanes, vectors of 1       101 rows, 2 lanes, 4 warps
//   lane 0 1 2 … 15 | 0 1 2 … 15 | …         13 registers: 104 rows
//   5 registers: 80 columns
//
// How lanes and warps spread is searched: few registers first. The dimensions
// share five bits of lanes and the divisors of the warps: 420 ways for three
// dimensions and 12 warps.
//
// Tiles that are viewed in other shapes are spread by the parts that all shapes
// have (LayoutInferViews.c), some of which must not overhang.
//
//===----------------------------------------------------------------------===//
#include "LayoutInferInternal.h"

#include <string.h>

enum {
  WARP_LANES = 32,
  SECTOR_BITS = 256, // what global memory moves at least
};

typedef struct {
  int64_t chunks[TILE_LAYOUT_MAX_AXES]; // elements; vectors of the last one
  int64_t lanes[TILE_LAYOUT_MAX_AXES];
  int64_t warps[TILE_LAYOUT_MAX_AXES];
  int rank;
  unsigned exact, whole; // masks of dimensions, see TileInferExtents
} Spread;

static int64_t ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }

// Vectors per thread of one dimension, and of all.
static int64_t rounds(const Spread *s, int dim) {
  return ceil_div(s->chunks[dim], s->lanes[dim] * s->warps[dim]);
}

static int64_t all_rounds(const Spread *s) {
  int64_t n = 1;
  for (int d = 0; d < s->rank; d++)
    n *= rounds(s, d);
  return n;
}

//===-- Search ------------------------------------------------------------===//

// What a search may choose along the last dimension.
typedef struct {
  int64_t most_lanes, least_lanes, most_warps;
} Limits;

static int64_t largest_prime(int64_t n) {
  int64_t prime = 1;
  for (int64_t p = 2; n > 1; p++)
    for (; n % p == 0; n /= p)
      prime = p;
  return prime;
}

// Whether no digit of the lanes and warps along `dim` is wholly past the end,
// and nothing is where it must not be.
static bool is_useful(const Spread *s, int dim) {
  int64_t chunks = s->chunks[dim], lanes = s->lanes[dim], warps = s->warps[dim];
  if (s->whole >> dim & 1)
    return lanes * warps == 1;
  if (s->exact >> dim & 1)
    return chunks % (lanes * warps) == 0;
  return (lanes == 1 || lanes / 2 < chunks) &&
         (warps == 1 || warps / largest_prime(warps) < ceil_div(chunks, lanes));
}

// Few registers, then many lanes and warps along a row.
static bool is_better(const Spread *x, const Spread *than) {
  int last = x->rank - 1;
  int64_t mine = all_rounds(x), known = all_rounds(than);
  if (than->rank == 0 || mine != known)
    return than->rank == 0 || mine < known;
  if (x->lanes[last] != than->lanes[last])
    return x->lanes[last] > than->lanes[last];
  return x->warps[last] > than->warps[last];
}

// Deals what is left to the dimensions up to `dim`; keeps the best in `best`.
static void search(Spread *s, int dim, int64_t left_lanes, int64_t left_warps,
                   const Limits *limits, Spread *best) {
  bool is_last = dim == s->rank - 1;
  if (dim < 0) {
    if (is_better(s, best))
      *best = *s;
    return;
  }
  int64_t lanes = is_last ? limits->least_lanes : 1;
  int64_t most_lanes = is_last ? limits->most_lanes : left_lanes;
  for (; lanes <= most_lanes; lanes *= 2)
    for (int64_t warps = 1; warps <= left_warps; warps++) {
      s->lanes[dim] = lanes, s->warps[dim] = warps;
      if (left_warps % warps || !is_useful(s, dim) ||
          (is_last && warps > limits->most_warps))
        continue;
      search(s, dim - 1, left_lanes / lanes, left_warps / warps, limits, best);
    }
}

//===-- Layouts -----------------------------------------------------------===//

static int64_t product(const int64_t *n, int rank) {
  int64_t p = 1;
  for (int d = 0; d < rank; d++)
    p *= n[d];
  return p;
}

static bool layout_of(const Spread *s, const int64_t *shape, int warps, int vec,
                      TileLayout *out) {
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, s->rank);
  tile_layout_push(&b, TILE_LAYOUT_REG, s->rank - 1, 1, vec);
  for (int d = s->rank - 1; d >= 0; d--) {
    int64_t stride = d == s->rank - 1 ? vec : 1;
    tile_layout_push(&b, TILE_LAYOUT_LANE, d, stride, s->lanes[d]);
    stride *= s->lanes[d];
    tile_layout_push(&b, TILE_LAYOUT_WARP, d, stride, s->warps[d]);
    stride *= s->warps[d];
    tile_layout_push(&b, TILE_LAYOUT_REG, d, stride, rounds(s, d));
  }
  tile_layout_push_rep(&b, TILE_LAYOUT_LANE,
                       WARP_LANES / product(s->lanes, s->rank));
  tile_layout_push_rep(&b, TILE_LAYOUT_WARP,
                       warps / product(s->warps, s->rank));
  b.in.extent[TILE_LAYOUT_LANE] = WARP_LANES;
  b.in.extent[TILE_LAYOUT_WARP] = warps;
  return tile_layout_finish(&b, out, NULL);
}

// Nothing overhangs: what does not divide stays in registers, and threads that
// find nothing to do replicate.
static Spread exact_spread(const TileInferExtents *x, int warps, int vec) {
  Spread s = {.rank = x->rank};
  int64_t left_lanes = WARP_LANES, left_warps = warps;
  for (int d = x->rank - 1; d >= 0; d--) {
    int64_t count = x->extent[d] / (d == x->rank - 1 ? vec : 1);
    s.chunks[d] = count;
    s.lanes[d] = s.warps[d] = 1;
    if (x->whole >> d & 1)
      continue;
    for (; count % 2 == 0 && left_lanes > 1; count /= 2, left_lanes /= 2)
      s.lanes[d] *= 2;
    for (; count % 2 == 0 && left_warps % 2 == 0; count /= 2, left_warps /= 2)
      s.warps[d] *= 2;
    while (count % 2 == 0)
      count /= 2;
    if (left_warps % count)
      continue;
    s.warps[d] *= count;
    left_warps /= count;
  }
  return s;
}

// Whether nothing can be gained: every thread has a share of its own, and lanes
// read two sectors or more together.
static bool is_ideal(const Spread *s, int warps, int vec, int elem_bits) {
  int last = s->rank - 1;
  return product(s->lanes, s->rank) == WARP_LANES &&
         product(s->warps, s->rank) == warps &&
         s->lanes[last] * vec * elem_bits >= 2 * SECTOR_BITS;
}

// The lanes along a row that make `elems` elements, if it is that long and may
// be cut so.
static int64_t lanes_for(int64_t elems, int vec, const Spread *s) {
  int last = s->rank - 1;
  bool is_exact = s->exact >> last & 1;
  int64_t lanes = 1, chunks = s->whole >> last & 1 ? 1 : s->chunks[last];
  while (lanes < WARP_LANES && lanes < chunks && lanes * vec < elems &&
         (!is_exact || chunks % (2 * lanes) == 0))
    lanes *= 2;
  return lanes;
}

// Those that may overhang, with whole rows in a warp or without: the most lanes
// along a row; or fewer registers with lanes for whole sectors of memory; or
// the fewest. Of at most `most_rounds` vectors per thread, twice as many for
// the sake of rows.
static int wide_layouts(const TileInferExtents *x, int warps, int vec,
                        int elem_bits, int64_t most_rounds, TileLayout *out) {
  int n = 0, last = x->rank - 1;
  Spread s = {.rank = x->rank, .exact = x->exact, .whole = x->whole};
  memcpy(s.chunks, x->extent, sizeof *s.chunks * (size_t)x->rank);
  s.chunks[last] /= vec;
  int64_t most = lanes_for(INT64_MAX, 1, &s);
  int64_t least[] = {most, lanes_for(SECTOR_BITS / elem_bits, vec, &s), 1};
  for (int in_warps = 0; in_warps < 2; in_warps++) {
    int64_t known = in_warps ? 2 * most_rounds : most_rounds;
    for (int i = 0; i < 3; i++) {
      Spread best = {.rank = 0};
      Limits limits = {most, least[i], in_warps ? 1 : warps};
      search(&s, last, WARP_LANES, warps, &limits, &best);
      if (all_rounds(&best) > known)
        continue;
      n += layout_of(&best, x->extent, warps, vec, &out[n]);
      known = all_rounds(&best) - 1;
    }
  }
  return n;
}

int tile_infer_free_layouts_of(const TileInferExtents *x, int warps, int vec,
                               int elem_bits,
                               TileLayout out[TILE_INFER_MAX_FREE]) {
  // Of a vector, all exists or nothing.
  if (x->rank < 1 || x->extent[x->rank - 1] % vec)
    return 0;
  Spread exact = exact_spread(x, warps, vec);
  bool is_enough = is_ideal(&exact, warps, vec, elem_bits);
  int n = 0;
  if (is_enough)
    n += layout_of(&exact, x->extent, warps, vec, &out[n]);
  n += wide_layouts(x, warps, vec, elem_bits,
                    is_enough ? all_rounds(&exact) : INT64_MAX / 2, &out[n]);
  if (!is_enough) // views that cut everything elsewhere take no other one
    n += layout_of(&exact, x->extent, warps, vec, &out[n]);
  return n;
}

int tile_infer_free_layouts(const int64_t *shape, int rank, int warps, int vec,
                            int elem_bits,
                            TileLayout out[TILE_INFER_MAX_FREE]) {
  TileInferExtents x = {.rank = rank};
  memcpy(x.extent, shape, sizeof *shape * (size_t)rank);
  return tile_infer_free_layouts_of(&x, warps, vec, elem_bits, out);
}

//===- layout-random.h - Random layouts for the property tests ------------===//
#ifndef TILE_TEST_UNIT_LAYOUT_RANDOM_H
#define TILE_TEST_UNIT_LAYOUT_RANDOM_H
#include "Layout/Layout.h"
#include "layout-check.h"
#include <string.h>

typedef struct {
  int dim;
  int64_t stride;
  int radix;
} Piece;

// Cuts random extents into prime digits; returns the number of pieces.
static inline int random_shape(int64_t *shape, int rank, int max_digits,
                               bool odd, Piece *piece) {
  int n = 0;
  for (int d = 0; d < rank; d++) {
    shape[d] = 1;
    for (int k = (int)rnd((unsigned)(max_digits / rank + 1)); k > 0; k--) {
      int p = odd && rnd(5) == 0 ? (rnd(2) ? 3 : 5) : 2;
      piece[n++] = (Piece){d, shape[d], p};
      shape[d] *= p;
    }
  }
  return n;
}
static inline void shuffle(Piece *p, int n) {
  for (int i = n - 1; i > 0; i--) {
    int j = (int)rnd((unsigned)i + 1);
    Piece t = p[i];
    p[i] = p[j], p[j] = t;
  }
}

// tile -> o: random digit order, XORs, sometimes padding, sometimes aliases.
static inline bool random_memory(TileLayout *l, int64_t *shape, int rank,
                                 bool odd, bool wild) {
  Piece piece[32];
  TileLayoutBuilder b;
  int n = random_shape(shape, rank, 9, odd, piece);
  tile_layout_begin_memory(&b, shape, rank);
  shuffle(piece, n);
  int64_t at[32], stride = 1;
  for (int i = 0; i < n; i++) {
    at[i] = stride;
    stride *= piece[i].radix;
    if (wild && rnd(8) == 0)
      stride += 1 + rnd(8);
  }
  for (int i = 0; i < n; i++) {
    TileLayoutEntry e = {.axis = piece[i].dim,
                         .radix = piece[i].radix,
                         .stride = piece[i].stride,
                         .num_terms = 1};
    e.term[0] = (TileLayoutStep){0, at[i]};
    for (int j = 0; j < n && e.radix == 2; j++)
      if (piece[j].radix == 2 && (wild ? j != i : j < i) && rnd(6) == 0)
        e.term[e.num_terms++] = (TileLayoutStep){0, at[j]};
    if (wild && rnd(30) == 0)
      e.num_terms = 0;
    b.entry[b.num_entries++] = e;
  }
  return tile_layout_finish(&b, l, NULL);
}

/// Cuts every dimension into digits, then takes away from its extent less than
/// the top digit is worth. `shape` is that of the tile, `padded` of the digits.
static inline int overhanging_shape(int64_t *shape, int64_t *padded, int rank,
                                    Piece *piece) {
  int n = random_shape(padded, rank, 8, rnd(2), piece);
  for (int d = 0; d < rank; d++) {
    int64_t top = 1;
    for (int i = 0; i < n; i++)
      if (piece[i].dim == d && piece[i].stride * piece[i].radix == padded[d])
        top = piece[i].stride * (piece[i].radix - 1);
    // From top + 1 up; even ones often, so that vectors may stay whole.
    shape[d] = padded[d];
    if (padded[d] > 1)
      shape[d] -= (int64_t)rnd((unsigned)(padded[d] - top));
    if (shape[d] % 2 && shape[d] - 1 > top && rnd(2))
      shape[d]--;
  }
  return n;
}

// (reg, lane, warp) -> tile of |shape|; replicas and, when wild, holes.
static inline bool random_fragment(TileLayout *l, const int64_t *shape,
                                   int rank, const Piece *given, int n,
                                   int lane_bits, int warp_bits, bool wild) {
  Piece piece[40];
  TileLayoutBuilder b;
  memcpy(piece, given, (size_t)n * sizeof *piece);
  shuffle(piece, n);
  tile_layout_begin_fragment(&b, shape, rank);
  int lanes = 0, warps = 0;
  for (int i = 0; i < n; i++) {
    int axis = (int)rnd(3);
    if (piece[i].radix != 2 || (axis == 1 && lanes == lane_bits) ||
        (axis == 2 && warps == warp_bits))
      axis = 0;
    lanes += axis == 1, warps += axis == 2;
    TileLayoutStep t[4] = {{piece[i].dim, piece[i].stride}};
    int k = 1;
    for (int j = 0; j < n && piece[i].radix == 2 && k < 4; j++)
      if (piece[j].radix == 2 && (wild ? j != i : j < i) && rnd(8) == 0)
        t[k++] = (TileLayoutStep){piece[j].dim, piece[j].stride};
    if (piece[i].radix != 2)
      tile_layout_push(&b, axis, piece[i].dim, piece[i].stride, piece[i].radix);
    else if (wild && rnd(20) == 0)
      tile_layout_push_rep(&b, axis, 2);
    else
      tile_layout_push_xor(&b, axis, t, k);
  }
  for (; lanes < lane_bits; lanes++) {
    Piece p = n ? piece[rnd((unsigned)n)] : (Piece){0, 1, 3};
    TileLayoutStep t = {p.dim, p.stride};
    if (wild && p.radix == 2 && rnd(3) == 0)
      tile_layout_push_xor(&b, TILE_LAYOUT_LANE, &t,
                           1); // a replica through a dependent image
    else
      tile_layout_push_rep(&b, TILE_LAYOUT_LANE, 2);
  }
  for (; warps < warp_bits; warps++)
    tile_layout_push_rep(&b, TILE_LAYOUT_WARP, 2);
  return tile_layout_finish(&b, l, NULL);
}

/// Memory of the tile that `piece` cuts: digits in random order, one after the
/// other, or with padding between some of them. `piece` is shuffled.
static inline void dense_memory(TileLayout *l, const int64_t *shape, int rank,
                                Piece *piece, int n, bool padded) {
  TileLayoutBuilder b;
  int64_t at = 1;
  tile_layout_begin_memory(&b, shape, rank);
  shuffle(piece, n);
  for (int i = 0; i < n; i++) {
    b.entry[b.num_entries++] = (TileLayoutEntry){
        piece[i].dim, piece[i].radix, piece[i].stride, 1, {{0, at}}};
    at = at * piece[i].radix + (padded && rnd(4) == 0 ? rnd(9) : 0);
  }
  CHECK(tile_layout_finish(&b, l, NULL), "memory of the tile");
}

#endif

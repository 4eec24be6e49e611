//===- LayoutRegisters.c - Fragments that a thread reads from another -----===//

#include "Layout.h"

#include <string.h>

static bool same_point(const int64_t *a, const int64_t *b, int rank) {
  return !memcmp(a, b, (size_t)rank * sizeof *a);
}

static bool has_odd_digits(const TileLayout *l) {
  for (int i = 0; i < l->in.num_digits; i++)
    if (l->in.digit[i].radix != 2)
      return true;
  return false;
}

// Whether register |a| of |x| and |b| of |y| hold the same in every thread.
static bool agree(const TileLayout *x, int64_t a, const TileLayout *y,
                  int64_t b) {
  int64_t p[TILE_LAYOUT_MAX_AXES], q[TILE_LAYOUT_MAX_AXES];
  for (int64_t warp = 0; warp < x->in.extent[TILE_LAYOUT_WARP]; warp++)
    for (int64_t lane = 0; lane < x->in.extent[TILE_LAYOUT_LANE]; lane++) {
      int64_t in_x[3] = {a, lane, warp}, in_y[3] = {b, lane, warp};
      if (!tile_layout_eval(x, in_x, p) || !tile_layout_eval(y, in_y, q) ||
          !same_point(p, q, x->out.num_axes))
        return false;
    }
  return true;
}

bool tile_layout_find_registers(const TileLayout *have, const TileLayout *want,
                                int64_t *out_reg) {
  int64_t num_have = tile_layout_axis_size(&have->in, TILE_LAYOUT_REG);
  int64_t num_want = tile_layout_axis_size(&want->in, TILE_LAYOUT_REG);
  bool is_exact = has_odd_digits(have) || has_odd_digits(want);
  if (have->out.num_axes != want->out.num_axes ||
      have->in.extent[TILE_LAYOUT_WARP] != want->in.extent[TILE_LAYOUT_WARP])
    return false;
  for (int64_t r = 0; r < num_want; r++) {
    int64_t p[TILE_LAYOUT_MAX_AXES], q[TILE_LAYOUT_MAX_AXES], s = 0;
    int64_t first[3] = {r, 0, 0};
    if (!tile_layout_eval(want, first, p))
      return false;
    for (; s < num_have; s++) {
      int64_t in[3] = {s, 0, 0};
      if (tile_layout_eval(have, in, q) && same_point(p, q, have->out.num_axes))
        break;
    }
    // With bits only, all registers agree in all threads when one does: the
    // thread moves an element by an XOR that is the same for every register.
    if (s == num_have || ((r == 0 || is_exact) && !agree(want, r, have, s)))
      return false;
    out_reg[r] = s;
  }
  return true;
}

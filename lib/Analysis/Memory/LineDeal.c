//===- LineDeal.c - Which lanes take the lines of a shared tile -----------===//

#include "Memory.h"

enum { WARP_THREADS = 32 };

static int64_t power_of_two_below(int64_t limit) {
  int64_t power = 1;
  while (2 * power <= limit)
    power *= 2;
  return power;
}

TileLineDeal tile_line_deal(const TileShape *shape, int dim,
                            int64_t num_threads) {
  TileLineDeal out = {.extent = shape->extent[dim]};
  out.num_lines = tile_shape_num_elems(shape) / out.extent;
  int64_t idle = num_threads / out.num_lines;
  int64_t group =
      dim == shape->rank - 1 || idle > WARP_THREADS ? WARP_THREADS : idle;
  if (group > out.extent)
    group = out.extent;
  out.group = power_of_two_below(group > 1 ? group : 1);
  out.per_round = num_threads / out.group;
  out.num_rounds = (out.num_lines + out.per_round - 1) / out.per_round;
  return out;
}

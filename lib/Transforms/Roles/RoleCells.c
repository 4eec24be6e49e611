//===- RoleCells.c - Sets of cells of tiles -------------------------------===//
//
// Whether a read finds all it reads filled is a question about sets of
// elements. The boxes that occur cut a tile into few cells; sets of those are
// exact.
//
//===----------------------------------------------------------------------===//

#include "RolePlan.h"

#include "Analysis/Loops/Loops.h"
#include <string.h>

static void add_cut(TileRolePlan *plan, TileRoleBuffer *buffer, int dim,
                    int64_t at) {
  int count = buffer->num_cuts[dim], place = 0;
  int64_t *cuts = buffer->cuts[dim];
  while (place < count && cuts[place] < at)
    place++;
  if (place < count && cuts[place] == at)
    return;
  // Grown one by one: a tile has a handful.
  int64_t *larger = TILE_ARENA_NEW(plan->arena, int64_t, count + 1);
  for (int i = 0; i < count; i++)
    larger[i + (i >= place)] = cuts[i];
  larger[place] = at;
  buffer->cuts[dim] = larger;
  buffer->num_cuts[dim] = count + 1;
}

static void add_cuts(TileRolePlan *plan, TileRoleBuffer *buffer,
                     const TileRoleBox *box) {
  for (int d = 0; d < buffer->shape.rank; d++) {
    add_cut(plan, buffer, d, box->lo[d]);
    add_cut(plan, buffer, d, box->hi[d]);
  }
}

// Boxes that loops of copies fill part by part.
static void add_sweeps(TileRolePlan *plan, const TileRoleNode *node) {
  TileCopyLoopFill fill;
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    if (!tile_copy_loop_fill(node->op, b->value, false, &fill))
      continue;
    TileRoleBox box = {.is_exact = true};
    memcpy(box.lo, fill.begin, sizeof fill.begin);
    memcpy(box.hi, fill.end, sizeof fill.end);
    add_cuts(plan, b, &box);
  }
}

void tile_role_cells_build(TileRolePlan *plan) {
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next)
    for (int d = 0; d < b->shape.rank; d++) {
      add_cut(plan, b, d, 0);
      add_cut(plan, b, d, b->shape.extent[d]);
    }
  for (int i = 0; i < plan->num_nodes; i++)
    for (TileRoleAccess *a = plan->nodes[i]->accesses; a; a = a->next)
      add_cuts(plan, a->buffer, &a->box);
  for (int i = 0; i < plan->num_nodes; i++)
    if (plan->nodes[i]->kind == TILE_NODE_FOR)
      add_sweeps(plan, plan->nodes[i]);
  for (TileRoleBuffer *b = plan->buffers; b; b = b->next) {
    b->num_cells = 1;
    for (int d = 0; d < b->shape.rank; d++)
      b->num_cells *= b->num_cuts[d] - 1;
  }
}

void tile_role_cells_add(const TileRoleBuffer *buffer, const TileRoleBox *box,
                         uint8_t *set) {
  for (int64_t cell = 0; cell < buffer->num_cells; cell++) {
    int64_t rest = cell;
    bool is_inside = true;
    for (int d = buffer->shape.rank - 1; d >= 0; d--) {
      int64_t cells = buffer->num_cuts[d] - 1;
      int64_t at = buffer->cuts[d][rest % cells];
      rest /= cells;
      is_inside &= at >= box->lo[d] && at < box->hi[d];
    }
    if (is_inside)
      set[buffer->first_cell + cell] = 1;
  }
}

//===- KernelSizes.c - Schedules and their sizes --------------------------===//

#include "Transforms/Schedules/Schedules.h"

// Elements that the threads of a block work on at a time.
enum { ROW_ELEMS = 4096, POINT_ELEMS = 2048, LOOP_ELEMS = 512 };
enum { MAX_ROWS = 16 };

static int64_t power_below(int64_t value) {
  int64_t power = 1;
  while (2 * power <= value)
    power *= 2;
  return power;
}

// Of a loop of so many rounds, at most `budget` at a time.
static int64_t part_of(int64_t extent, int64_t budget) {
  if (extent >= 0 && extent <= budget)
    return extent > 0 ? extent : 1;
  return power_below(budget > 0 ? budget : 1);
}

static int64_t blocks_of(int64_t extent, int64_t size) {
  return extent < 0 ? INT64_MAX / 4 : (extent + size - 1) / size;
}

//===-- Products ----------------------------------------------------------===//

// 128 x 128 where there are enough such tiles for the multiprocessors of a
// large GPU, smaller ones where there are not.
static void size_product(TileGroup *group) {
  enum { LARGE = 128, SMALL = 64, EXACT = 32, BLOCKS = 132, DEPTH_BYTES = 128 };
  const TileGroupOp *op = &group->ops[group->product];
  const TileNest *nest = &op->nest;
  MlirType a = mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetOperand(nest->op, 0)));
  int bits = tile_elem_bits(a);
  bool is_exact = bits > 16; // element loops, no tensor cores
  int64_t m = is_exact ? EXACT : LARGE, n = m;
  int64_t rows = nest->extent[nest->m], columns = nest->extent[nest->n];
  int64_t others = 1;
  for (int l = 0; l < nest->num_loops; l++)
    if (!nest->is_reduced[l] && l != nest->m && l != nest->n &&
        others < BLOCKS && nest->extent[l] != 0)
      others *= nest->extent[l] < 0 ? BLOCKS : nest->extent[l];
  if (columns >= 0 && columns <= SMALL && n == LARGE)
    n = SMALL;
  if (rows >= 0 && rows <= SMALL && m == LARGE)
    m = SMALL;
  if (rows >= 0 && columns >= 0 && n == LARGE &&
      blocks_of(rows, m) * blocks_of(columns, n) * others < BLOCKS)
    n = SMALL;
  if (rows >= 0 && columns >= 0 && m == LARGE &&
      blocks_of(rows, m) * blocks_of(columns, n) * others < BLOCKS)
    m = SMALL;
  int num_depths = 0;
  for (int l = 0; l < nest->num_loops; l++) {
    num_depths += nest->is_reduced[l] && nest->extent[l] != 1;
    if (op->root_loop[l] >= 0)
      group->block[op->root_loop[l]] = l == nest->m ? m : l == nest->n ? n : 1;
    group->loop[l] = !nest->is_reduced[l] || nest->extent[l] == 1 ? 0
                     : l == nest->k && bits ? DEPTH_BYTES * 8 / bits
                                            : 1;
  }
  group->schedule = num_depths == 1 ? "product" : "product2";
  group->threads = m * n > LARGE * SMALL ? 256 : 128;
}

//===-- Rows, elements, windows -------------------------------------------===//

static int64_t max_held(const TileGroup *group) {
  int64_t most = 1;
  for (int i = 0; i < group->num_ops; i++) {
    int64_t held = tile_group_held(group, &group->ops[i]);
    if (held < 0)
      return -1;
    most = held > most ? held : most;
  }
  return most;
}

// Rows together where they are short.
static void size_rows(TileGroup *group, int64_t held) {
  const TileNest *root = &group->ops[0].nest;
  int64_t budget = ROW_ELEMS / held;
  if (budget > MAX_ROWS)
    budget = MAX_ROWS;
  for (int l = root->num_loops - 1; l >= 0; l--) {
    if (root->is_reduced[l] || group->is_whole[l])
      continue;
    group->block[l] = part_of(root->extent[l], budget);
    budget /= group->block[l];
  }
  group->schedule = "rows";
  group->threads = held > ROW_ELEMS / 2 ? 256 : 128;
}

// A reduction of more than a block can hold: in steps.
static void size_reduction(TileGroup *group) {
  const TileNest *root = &group->ops[0].nest;
  int64_t budget = ROW_ELEMS;
  bool is_stepped = false;
  for (int l = root->num_loops - 1; l >= 0; l--) {
    int64_t most = root->is_reduced[l] || l == root->num_loops - 1
                       ? budget
                       : (budget < 4 ? budget : 4);
    int64_t size = part_of(root->extent[l], most);
    budget /= size;
    if (root->is_reduced[l] && (is_stepped || root->extent[l] == size))
      group->loop[l] = 0; // all of it
    else if (root->is_reduced[l])
      group->loop[l] = size, is_stepped = true;
    else
      group->block[l] = size;
  }
  group->schedule = "reduction";
  group->threads = 128;
}

static void size_points(TileGroup *group, const char *schedule,
                        int64_t budget) {
  const TileNest *root = &group->ops[0].nest;
  for (int l = root->num_loops - 1; l >= 0; l--) {
    if (root->is_reduced[l])
      continue;
    group->block[l] = part_of(root->extent[l], budget);
    budget /= group->block[l];
  }
  group->schedule = schedule;
  group->threads = 128;
}

void tile_group_size(TileGroup *group) {
  bool has_reduction = false;
  for (int i = 0; i < group->num_ops; i++)
    has_reduction |= group->ops[i].nest.kind == TILE_NEST_REDUCE;
  if (group->product >= 0) {
    size_product(group);
    return;
  }
  if (group->ops[0].nest.kind == TILE_NEST_LOOPS) {
    size_points(group, "loops", LOOP_ELEMS);
    return;
  }
  if (!has_reduction) {
    size_points(group, "elements", POINT_ELEMS);
    return;
  }
  int64_t held = max_held(group);
  if (held < 0 || held > 2 * ROW_ELEMS)
    size_reduction(group);
  else
    size_rows(group, held);
}

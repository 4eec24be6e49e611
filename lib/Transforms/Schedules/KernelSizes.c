//===- KernelSizes.c - Schedules and their sizes --------------------------===//
//
// Sizes come from the shape of a kernel, and those of products from a model of
// what a block costs on the chip.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Schedules.h"

#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"

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

/// A block of a product, and what it costs: a step of the depth takes as long
/// as its elements, by `percent` of the best rate; what comes before and after
/// the loop takes as long as so many steps, with elements after it or without.
typedef struct {
  int64_t m, n, threads, stages;
  int64_t percent, ends, ends_with_elements;
} Shape;

// Fitted to the times that bench/history/2026-11-27-h200.json has of the same
// kernels: 4096² and 8192² with K from 512 to 8192, plain and with GELU.
static const Shape wgmma_shapes[] = {
    {128, 256, 256, 4, 100, 280, 960}, {128, 192, 256, 4, 100, 100, 540},
    {128, 128, 128, 6, 95, 70, 160},   {128, 128, 256, 5, 95, 90, 180},
    {128, 64, 128, 6, 75, 70, 160},    {64, 128, 128, 8, 75, 70, 160},
    {64, 64, 128, 8, 60, 70, 160}};

// mma.sync: not timed; the largest that fits three stages twice.
static const Shape mma_shapes[] = {{128, 128, 256, 3, 100, 100, 200},
                                   {128, 64, 128, 3, 80, 100, 200},
                                   {64, 128, 128, 3, 80, 100, 200},
                                   {64, 64, 128, 3, 60, 100, 200}};

enum { UNKNOWN_EXTENT = 4096 }; // of what only the host knows

static int64_t extent_of(const TileNest *nest, int loop) {
  return nest->extent[loop] < 0 ? UNKNOWN_EXTENT : nest->extent[loop];
}

/// What the choice of a shape looks at.
typedef struct {
  int64_t rows, columns, depth;
  int64_t others; // products of rows and columns
  bool has_elements;
  // Of each element, of tensors that elements read a block of.
  int64_t shared_bits, register_bits;
  int64_t num_sms;
} Problem;

// Bits of the tensors from outside that have an element for each of the root's:
// those of 16 bits lie in shared memory, others in registers.
static void find_windows(const TileGroup *group, Problem *problem) {
  for (int i = 0; i < group->num_ops; i++) {
    const TileGroupOp *op = &group->ops[i];
    for (int k = 0; k < op->nest.num_operands - op->nest.num_outs; k++) {
      MlirValue operand = mlirOperationGetOperand(op->nest.op, k);
      bool is_made = false;
      for (int j = 0; j < group->num_ops && !mlirValueIsABlockArgument(operand);
           j++)
        is_made |= mlirOperationEqual(group->ops[j].nest.op,
                                      mlirOpResultGetOwner(operand));
      if (i == group->product || op->is_factor || is_made ||
          mlirAffineMapGetNumResults(op->nest.maps[k]) != op->nest.num_loops)
        continue;
      int bits = tile_elem_bits(
          mlirShapedTypeGetElementType(mlirValueGetType(operand)));
      *(bits <= 16 ? &problem->shared_bits : &problem->register_bits) += bits;
    }
  }
}

// Whether something is computed of the sum: rounding it is the store's work.
static bool has_elements(const TileGroup *group) {
  for (int i = 0; i < group->num_ops; i++) {
    const TileNest *nest = &group->ops[i].nest;
    if (i == group->product || group->ops[i].is_factor)
      continue;
    MlirOperation first = mlirBlockGetFirstOperation(
        mlirRegionGetFirstBlock(mlirOperationGetRegion(nest->op, 0)));
    bool only_rounds = nest->num_operands == 2 && arith_truncf_is(first) &&
                       mlirxIsTerminator(mlirOperationGetNextInBlock(first));
    if (nest->kind != TILE_NEST_ELEMENTS || !only_rounds)
      return true;
  }
  return false;
}

static Problem problem_of(const TileGroup *group, const TileTarget *target) {
  const TileNest *nest = &group->ops[group->product].nest;
  Problem problem = {.rows = extent_of(nest, nest->m),
                     .columns = extent_of(nest, nest->n),
                     .depth = 1,
                     .others = 1,
                     .has_elements = has_elements(group),
                     .num_sms = target->num_sms};
  enum { MANY = 1 << 20 };
  find_windows(group, &problem);
  for (int l = 0; l < nest->num_loops; l++) {
    int64_t *count = nest->is_reduced[l] ? &problem.depth : &problem.others;
    if (l != nest->m && l != nest->n && *count < MANY)
      *count *= extent_of(nest, l);
  }
  return problem;
}

// Blocks run in waves, one on each multiprocessor.
static int64_t cost_of(const Shape *shape, const Problem *problem) {
  int64_t blocks = blocks_of(problem->rows, shape->m) *
                   blocks_of(problem->columns, shape->n) * problem->others;
  int64_t ends =
      problem->has_elements ? shape->ends_with_elements : shape->ends;
  return blocks_of(blocks, problem->num_sms) * shape->m * shape->n *
         (problem->depth * 100 / shape->percent + ends);
}

enum { DEPTH_BYTES = 128 }; // of a step of the depth

// Stages that are left beside windows in shared memory.
static int64_t stages_of(const Shape *shape, const Problem *problem) {
  int64_t stage_bytes = (shape->m + shape->n) * DEPTH_BYTES;
  int64_t window_bytes = shape->m * shape->n * problem->shared_bits / 8;
  return shape->stages - (window_bytes + stage_bytes - 1) / stage_bytes;
}

// The sum, in whose place a result goes, and windows beside both; a thread has
// 255 registers, of which addresses take some.
static bool has_room(const Shape *shape, const Problem *problem) {
  enum { MAX_REGISTERS = 192, SUM_BITS = 32, RESULT_BITS = 16, MIN_STAGES = 3 };
  int64_t bits = SUM_BITS + problem->register_bits +
                 (problem->register_bits > 0 ? RESULT_BITS : 0);
  return shape->m * shape->n / shape->threads * bits / 32 <= MAX_REGISTERS &&
         (problem->shared_bits == 0 ||
          stages_of(shape, problem) >= MIN_STAGES);
}

static Shape best_shape(const Shape *shapes, size_t count,
                        const Problem *problem) {
  size_t best = count - 1; // the least room
  for (size_t i = 0; i < count; i++)
    if (has_room(&shapes[i], problem) &&
        (!has_room(&shapes[best], problem) ||
         cost_of(&shapes[i], problem) < cost_of(&shapes[best], problem)))
      best = i;
  Shape shape = shapes[best];
  int64_t stages = stages_of(&shape, problem);
  shape.stages = stages > 2 ? stages : 2;
  return shape;
}

// Whether threads make elements of a factor in the loop.
static bool makes_factors(const TileGroup *group) {
  for (int i = 0; i < group->num_ops; i++)
    if (group->ops[i].is_factor &&
        mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            group->ops[i].nest.op, TILE_STR(TILE_IM2COL_ATTR))))
      return true;
  return false;
}

static Shape shape_of_product(const TileGroup *group,
                              const TileTarget *target) {
  enum { EXACT = 32 };
  const TileNest *nest = &group->ops[group->product].nest;
  Problem problem = problem_of(group, target);
  int bits = tile_elem_bits(mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetOperand(nest->op, 0))));
  if (bits > 16) // element loops, no tensor cores
    return (Shape){.m = EXACT, .n = EXACT, .threads = 128, .stages = 3};
  return target->has_wgmma && !makes_factors(group)
             ? best_shape(wgmma_shapes,
                          sizeof wgmma_shapes / sizeof *wgmma_shapes, &problem)
             : best_shape(mma_shapes, sizeof mma_shapes / sizeof *mma_shapes,
                          &problem);
}

static void size_product(TileGroup *group, const TileTarget *target) {
  const TileGroupOp *op = &group->ops[group->product];
  const TileNest *nest = &op->nest;
  Shape shape = shape_of_product(group, target);
  int bits = tile_elem_bits(mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetOperand(nest->op, 0))));
  int num_depths = 0;
  for (int l = 0; l < nest->num_loops; l++) {
    num_depths += nest->is_reduced[l] && nest->extent[l] != 1;
    if (op->root_loop[l] >= 0)
      group->block[op->root_loop[l]] = l == nest->m   ? shape.m
                                       : l == nest->n ? shape.n
                                                      : 1;
    group->loop[l] = !nest->is_reduced[l] || nest->extent[l] == 1 ? 0
                     : l == nest->k && bits ? DEPTH_BYTES * 8 / bits
                                            : 1;
  }
  group->schedule = num_depths == 1 ? "product" : "product2";
  group->threads = shape.threads;
  group->stages = shape.stages;
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

void tile_group_size(TileGroup *group, const TileTarget *target) {
  bool has_reduction = false;
  for (int i = 0; i < group->num_ops; i++)
    has_reduction |= group->ops[i].nest.kind == TILE_NEST_REDUCE;
  if (group->product >= 0) {
    size_product(group, target);
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

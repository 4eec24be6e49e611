//===- KernelSizes.c - Schedules and their sizes --------------------------===//
//
// Sizes come from the shape of a kernel, and those of products from a model of
// what a block costs on the chip.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Schedules.h"

#include "Analysis/Cost/Cost.h"
#include "Support/Diagnostics.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"

// Elements that the threads of a block work on at a time.
enum { ROW_ELEMS = 4096, POINT_ELEMS = 2048, LOOP_ELEMS = 512 };
enum { MAX_ROWS = 16, TURN_EXTENT = 64 };

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

//===-- Products ----------------------------------------------------------===//

enum { UNKNOWN_EXTENT = 4096 }; // of what only the host knows

static int64_t extent_of(const TileNest *nest, int loop) {
  return nest->extent[loop] < 0 ? UNKNOWN_EXTENT : nest->extent[loop];
}

// Bits of the tensors from outside that have an element for each of the root's:
// those of 16 bits lie in shared memory, others in registers.
static void find_windows(const TileGroup *group, TileCostProblem *problem) {
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

// Whether columns of the result are neighbours in a factor.
static bool lies_along_columns(const TileNest *nest) {
  for (int i = 0; i < 2; i++) {
    int last = (int)mlirAffineMapGetNumResults(nest->maps[i]) - 1;
    if (last >= 0 && tile_nest_loop(nest, i, last) == nest->n)
      return true;
  }
  return false;
}

static TileCostProblem problem_of(const TileGroup *group) {
  const TileNest *nest = &group->ops[group->product].nest;
  TileCostProblem problem = {.rows = extent_of(nest, nest->m),
                             .columns = extent_of(nest, nest->n),
                             .depth = 1,
                             .others = 1,
                             .has_elements = has_elements(group),
                             .lies_along_columns = lies_along_columns(nest)};
  enum { MANY = 1 << 20 };
  find_windows(group, &problem);
  for (int l = 0; l < nest->num_loops; l++) {
    int64_t *count = nest->is_reduced[l] ? &problem.depth : &problem.others;
    if (l != nest->m && l != nest->n && *count < MANY)
      *count *= extent_of(nest, l);
  }
  return problem;
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

// wgmma reads 8-bit factors that are contiguous along the depth.
static bool is_read_by_wgmma(const TileNest *nest, int bits) {
  for (int i = 0; i < 2 && bits == 8; i++) {
    int last = (int)mlirAffineMapGetNumResults(nest->maps[i]) - 1;
    if (tile_nest_loop(nest, i, last) != nest->k)
      return false;
  }
  return true;
}

// Says what was chosen, by what figures, and what came next.
static void tell_choice(const TileGroup *group, const TileTarget *target,
                        const TileCostCut *cut) {
  double us = cut->multiply_adds /
              (double)(target->sm_multiply_adds * target->clock_mhz);
  if (cut->next.m == 0)
    return;
  tile_emit_remark(
      group->ops[group->product].nest.op, "tile-cost/product",
      "is computed in blocks of %lldx%lld by %lld threads with %lld slots: "
      "%lld waves on %lld multiprocessors, about %.1f us by the model of cost; "
      "blocks of %lldx%lld would take %.2f times as long; tile-tune measures",
      (long long)cut->shape.m, (long long)cut->shape.n,
      (long long)cut->shape.num_threads, (long long)cut->shape.stages,
      (long long)cut->num_waves, (long long)target->num_sms, us,
      (long long)cut->next.m, (long long)cut->next.n, cut->next_part);
}

static TileCostShape shape_of_product(const TileGroup *group,
                                      const TileTarget *target) {
  enum { EXACT = 32 };
  const TileNest *nest = &group->ops[group->product].nest;
  TileCostProblem problem = problem_of(group);
  int bits = tile_elem_bits(mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetOperand(nest->op, 0))));
  if (bits > 16) // element loops, no tensor cores
    return (TileCostShape){
        .m = EXACT, .n = EXACT, .num_threads = 128, .stages = 3};
  bool has_wgmma = target->has_wgmma && !makes_factors(group) &&
                   is_read_by_wgmma(nest, bits);
  if (!has_wgmma)
    problem.shared_bits = 0; // there is room beside those rings
  TileCostCut cut = tile_cost_cut(target, has_wgmma, &problem);
  tell_choice(group, target, &cut);
  return cut.shape;
}

static void size_product(TileGroup *group, const TileTarget *target) {
  const TileGroupOp *op = &group->ops[group->product];
  const TileNest *nest = &op->nest;
  TileCostShape shape = shape_of_product(group, target);
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
                     : l == nest->k && bits ? TILE_COST_DEPTH_BYTES * 8 / bits
                                            : 1;
  }
  group->schedule = num_depths == 1 ? "product" : "product2";
  group->threads = shape.num_threads;
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

// The loop of the last dimension of a tensor that elements read, where it is
// not the result's: both get as many rounds, so that rows of both are long; -1.
static int turned_loop(const TileGroup *group) {
  const TileNest *root = &group->ops[0].nest;
  int last = root->num_loops - 1;
  for (int i = 0; i < group->num_ops; i++) {
    const TileGroupOp *op = &group->ops[i];
    for (int k = 0; k < op->nest.num_operands - op->nest.num_outs; k++) {
      int rank = (int)mlirAffineMapGetNumResults(op->nest.maps[k]);
      int loop =
          rank < root->num_loops ? -1 : tile_nest_loop(&op->nest, k, rank - 1);
      int followed = loop < 0 ? -1 : op->root_loop[loop];
      if (followed >= 0 && followed != last)
        return followed;
    }
  }
  return -1;
}

static void size_points(TileGroup *group, const char *schedule,
                        int64_t budget) {
  const TileNest *root = &group->ops[0].nest;
  int turned = root->kind == TILE_NEST_ELEMENTS ? turned_loop(group) : -1;
  if (turned >= 0) {
    group->block[root->num_loops - 1] =
        part_of(root->extent[root->num_loops - 1], TURN_EXTENT);
    group->block[turned] = part_of(root->extent[turned], TURN_EXTENT);
    budget /= group->block[turned] * group->block[root->num_loops - 1];
  }
  for (int l = root->num_loops - 1; l >= 0; l--) {
    if (root->is_reduced[l])
      continue;
    if (turned >= 0 && (l == turned || l == root->num_loops - 1))
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

//===- SharedReductions.c - Reductions of shared tiles into shared tiles --===//
//
// A run of lanes takes a line: each lane combines every group-th element, then
// the lanes combine what they have, and the first one stores.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Reductions.h"

#include "Support/Constants.h"

enum { MAX_UNROLLED_STEPS = 8 };

typedef struct {
  const View *src, *dst;
  Combine combine;
  bool clear;
} Reduction;

typedef struct {
  Lowering *l;
  MlirOperation op;
  const Lines *lines;
  const Line *line;
  const Reduction *reduction;
} Step;

// The element that the lane takes in step `number`, as an operand.
static MlirValue step_take(const Step *step, TileInt position) {
  TileInt at[TILE_MAX_RANK];
  const View *src = step->reduction->src;
  memcpy(at, step->line->at, sizeof at);
  at[step->lines->dim] = position;
  MlirValue stored =
      element_load(step->l, step->op, src, at, (MlirValue){NULL});
  return combine_take(step->l, &step->reduction->combine, stored,
                      src->memory->element);
}

static TileInt step_position(const Step *step, TileInt number) {
  TileIntMath *math = &step->l->i32;
  return tile_int_add(math, step->line->lane,
                      tile_int_mul(math, number, step->lines->group));
}

static MlirValue combine_step(const Step *step, MlirValue sum, TileInt number) {
  MlirValue value = step_take(step, step_position(step, number));
  return combine(step->l, &step->reduction->combine, sum, value);
}

// Steps 1 to `full` - 1, in which every lane has an element.
static MlirValue combine_full_steps(Step *step, MlirValue sum, int64_t full) {
  Lowering *l = step->l;
  if (full - 1 <= MAX_UNROLLED_STEPS) {
    for (int64_t i = 1; i < full; i++)
      sum = combine_step(step, sum, tile_int_constant(i));
    return sum;
  }
  MlirType type = step->reduction->combine.type;
  MlirValue variable = local_variable(l, type);
  local_set(l, variable, sum);
  LoopBlocks loop = loop_begin(l, step->op, full - 1);
  TileInt number =
      tile_int_add(&l->i32, tile_int_value(loop.counter), tile_int_constant(1));
  local_set(l, variable,
            combine_step(step, local_get(l, variable, type), number));
  loop_end(l, step->op, loop);
  return local_get(l, variable, type);
}

// The last step, which some lanes have no element for.
static MlirValue combine_rest(const Step *step, MlirValue sum, int64_t full) {
  Lowering *l = step->l;
  MlirValue position =
      tile_int_get(&l->i32, step_position(step, tile_int_constant(full)));
  MlirValue exists =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = position,
                 .rhs = tile_const_int(&l->b, step->lines->extent, 32));
  MlirValue safe =
      arith_select(&l->b, exists, position, tile_const_int(&l->b, 0, 32));
  MlirValue value = step_take(step, tile_int_value(safe));
  MlirValue more = combine(l, &step->reduction->combine, sum, value);
  return arith_select(&l->b, exists, more, sum);
}

static void store_result(const Step *step, MlirValue sum) {
  Lowering *l = step->l;
  const Reduction *reduction = step->reduction;
  const View *dst = reduction->dst;
  int dim = step->lines->dim, d = 0;
  TileInt at[TILE_MAX_RANK];
  for (int s = 0; s < step->lines->shape.rank; s++)
    if (s != dim)
      at[d++] = step->line->at[s];
    else if (dst->shape.rank == step->lines->shape.rank)
      at[d++] = tile_int_constant(0);
  MlirValue predicate = step->line->active;
  if (step->lines->group > 1) {
    MlirValue lane = tile_int_get(&l->i32, step->line->lane);
    MlirValue is_first =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = lane,
                   .rhs = tile_const_int(&l->b, 0, 32));
    predicate = and_maybe(l, predicate, is_first);
  }
  MlirType element = dst->memory->element;
  if (!reduction->clear) {
    MlirValue old = element_load(l, step->op, dst, at, predicate);
    old = combine_take_result(l, &reduction->combine, old, element);
    sum = combine(l, &reduction->combine, old, sum);
  }
  element_write(l, step->op, dst, at,
                combine_stored(l, &reduction->combine, sum, element),
                predicate);
}

static void reduce_line(Lowering *l, MlirOperation op, const Lines *lines,
                        const Line *line, void *user_data) {
  Step step = {l, op, lines, line, user_data};
  int64_t full = lines->extent / lines->group;
  MlirValue sum = step_take(&step, line->lane);
  sum = combine_full_steps(&step, sum, full);
  if (lines->extent % lines->group)
    sum = combine_rest(&step, sum, full);
  sum = combine_lanes(l, &step.reduction->combine, sum,
                      (unsigned)lines->group - 1);
  store_result(&step, sum);
}

//===-- Entry -------------------------------------------------------------===//

void lower_tile_reduce(Lowering *l, MlirOperation op) {
  TileReduceOp reduce = tile_reduce_cast(op);
  View src, dst;
  if (!view_of(l, op, tile_reduce_src(reduce), &src) ||
      !view_of(l, op, tile_reduce_dst(reduce), &dst))
    return;
  if (src.memory->space == TILE_SPACE_FRAGMENT) {
    reduce_from_fragment(l, reduce, &src, &dst);
    return;
  }
  if (dst.memory->space == TILE_SPACE_FRAGMENT) {
    reduce_into_fragment(l, reduce, &src, &dst);
    return;
  }
  Reduction reduction = {&src, &dst,
                         combine_of_reduce(tile_reduce_kind(reduce),
                                           src.memory->element,
                                           dst.memory->element),
                         tile_reduce_clear(reduce)};
  Lines lines;
  lines_plan(l, &src.shape, (int)tile_reduce_dim(reduce), &lines);
  lines_emit(l, op, &lines, reduce_line, &reduction);
}

//===- Scans.c - Running sums, maxima and minima along a dimension --------===//
//
// A run of lanes takes a line, `group` elements at a time: it scans them by
// distances 1, 2, 4, …, puts the result of the elements before in front, and
// hands the last lane's result to the next step.
//
//   step 0      step 1      step 2
//   a b c d     e f g h     i j . .      lanes 0 to 3 of the run
//         └─────────►  └────────►
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Reductions.h"

#include "Support/Constants.h"

enum { MAX_UNROLLED_STEPS = 8 };

typedef struct {
  const View *src, *dst;
  Combine combine;
  bool reverse;
} Scan;

typedef struct {
  Lowering *l;
  MlirOperation op;
  const Lines *lines;
  const Line *line;
  const Scan *scan;
} Step;

// Number along the line of the element that the lane takes in step `number`.
static TileInt step_position(const Step *step, TileInt number) {
  TileIntMath *math = &step->l->i32;
  return tile_int_add(math, step->line->lane,
                      tile_int_mul(math, number, step->lines->group));
}

static void step_coordinates(const Step *step, TileInt position,
                             TileInt at[TILE_MAX_RANK]) {
  memcpy(at, step->line->at, sizeof step->line->at);
  if (step->scan->reverse)
    position = tile_int_sub(
        &step->l->i32, tile_int_constant(step->lines->extent - 1), position);
  at[step->lines->dim] = position;
}

// Inclusive scan over the lanes of the run.
static MlirValue scan_lanes(const Step *step, MlirValue value) {
  Lowering *l = step->l;
  for (int64_t offset = 1; offset < step->lines->group; offset *= 2) {
    MlirValue before = lane_exchange_up(l, value, offset, step->lines->group);
    MlirValue lane = tile_int_get(&l->i32, step->line->lane);
    MlirValue exists =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_uge, .lhs = lane,
                   .rhs = tile_const_int(&l->b, offset, 32));
    value = arith_select(
        &l->b, exists, combine(l, &step->scan->combine, before, value), value);
  }
  return value;
}

// One step; `carry` (null in the first one) is the result of the elements
// before. Lanes past the end of the line scan anything: results only go to
// later lanes, and nothing comes after them. Returns the next carry.
static MlirValue scan_step(const Step *step, TileInt number, MlirValue carry,
                           bool is_ragged) {
  Lowering *l = step->l;
  const Scan *scan = step->scan;
  TileInt position = step_position(step, number), at[TILE_MAX_RANK];
  MlirValue active = step->line->active;
  if (is_ragged) {
    MlirValue place = tile_int_get(&l->i32, position);
    MlirValue exists =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ult, .lhs = place,
                   .rhs = tile_const_int(&l->b, step->lines->extent, 32));
    active = and_maybe(l, active, exists);
  }
  step_coordinates(step, position, at);
  MlirType from = scan->src->memory->element, to = scan->dst->memory->element;
  MlirValue value = element_load(l, step->op, scan->src, at, active);
  value = scan_lanes(step, combine_take(l, &scan->combine, value, from));
  if (carry.ptr)
    value = combine(l, &scan->combine, carry, value);
  element_write(l, step->op, scan->dst, at,
                combine_stored(l, &scan->combine, value, to), active);
  return step->lines->group == 1
             ? value
             : lane_broadcast(l, value, step->lines->group - 1,
                              step->lines->group);
}

// Steps 1 to `full` - 1, in which every lane has an element.
static MlirValue scan_full_steps(const Step *step, MlirValue carry,
                                 int64_t full) {
  Lowering *l = step->l;
  if (full - 1 <= MAX_UNROLLED_STEPS) {
    for (int64_t i = 1; i < full; i++)
      carry = scan_step(step, tile_int_constant(i), carry, false);
    return carry;
  }
  MlirType type = step->scan->combine.type;
  MlirValue variable = local_variable(l, type);
  local_set(l, variable, carry);
  LoopBlocks loop = loop_begin(l, step->op, full - 1);
  TileInt number =
      tile_int_add(&l->i32, tile_int_value(loop.counter), tile_int_constant(1));
  carry = scan_step(step, number, local_get(l, variable, type), false);
  local_set(l, variable, carry);
  loop_end(l, step->op, loop);
  return local_get(l, variable, type);
}

static void scan_line(Lowering *l, MlirOperation op, const Lines *lines,
                      const Line *line, void *user_data) {
  Step step = {l, op, lines, line, user_data};
  int64_t full = lines->extent / lines->group;
  MlirValue carry =
      scan_step(&step, tile_int_constant(0), (MlirValue){NULL}, false);
  carry = scan_full_steps(&step, carry, full);
  if (lines->extent % lines->group)
    scan_step(&step, tile_int_constant(full), carry, true);
}

//===-- Entry -------------------------------------------------------------===//

void lower_tile_scan(Lowering *l, MlirOperation op) {
  TileScanOp scan = tile_scan_cast(op);
  View src, dst;
  if (!view_of(l, op, tile_scan_src(scan), &src) ||
      !view_of(l, op, tile_scan_dst(scan), &dst))
    return;
  if (src.memory->space == TILE_SPACE_FRAGMENT &&
      dst.memory->space == TILE_SPACE_FRAGMENT) {
    scan_fragment(l, scan, &src, &dst);
    return;
  }
  if (src.memory->space != TILE_SPACE_SHARED ||
      dst.memory->space != TILE_SPACE_SHARED) {
    lower_fail(l, op, "scans a fragment; run tile-layout-inference first");
    return;
  }
  Scan plan = {&src, &dst,
               combine_of_scan(tile_scan_kind(scan), src.memory->element,
                               dst.memory->element),
               tile_scan_reverse(scan)};
  Lines lines;
  lines_plan(l, &src.shape, (int)tile_scan_dim(scan), &lines);
  lines_emit(l, op, &lines, scan_line, &plan);
}

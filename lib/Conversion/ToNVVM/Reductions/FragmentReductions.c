//===- FragmentReductions.c - Reductions from and into fragments ----------===//
//
// From a fragment: every thread combines its registers, then lanes combine by
// butterflies; all of them have the results then. A register whose element is
// past the end of the line gives what changes nothing. Groups of warps that
// hold different parts leave partial results in a scratch tile, which layout
// inference made. Into a fragment: every thread reads what its registers need.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/Fragments/Fragments.h"
#include "Reductions.h"

#include "Layout/LayoutReduce.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

//===-- Reductions --------------------------------------------------------===//

typedef struct {
  TileReduceOp op;
  const View *src, *dst;
  Combine combine;
  int dim;
  bool clear;
} Reduction;

static Reduction reduction_of(TileReduceOp reduce, const View *src,
                              const View *dst) {
  return (Reduction){reduce,
                     src,
                     dst,
                     combine_of_reduce(tile_reduce_kind(reduce),
                                       src->memory->element,
                                       dst->memory->element),
                     (int)tile_reduce_dim(reduce),
                     tile_reduce_clear(reduce)};
}

static bool keeps_dim(const Reduction *reduction) {
  return reduction->dst->shape.rank == reduction->src->shape.rank;
}

// Folds into register `reg` of the result.
static void write_register(Lowering *l, const Reduction *reduction,
                           const Fragment *dst, int64_t reg, MlirValue value) {
  MlirType element = dst->view->memory->element;
  if (!reduction->clear) {
    MlirValue old = combine_take_result(l, &reduction->combine,
                                        fragment_read(l, dst, reg), element);
    value = combine(l, &reduction->combine, old, value);
  }
  MlirValue stored = combine_stored(l, &reduction->combine, value, element);
  llvm_store(&l->b, .value = stored,
             .addr = register_pointer(l, dst->view->memory, reg));
}

//===-- From a fragment ---------------------------------------------------===//

// Register `reg` as an operand; null: in no thread it belongs to the line.
static MlirValue take_register(Lowering *l, const Reduction *reduction,
                               const Fragment *src, int64_t reg) {
  MlirValue exists = {NULL};
  if (!tile_fragment_mask_build(&l->i32, &src->code, 1 << reduction->dim, reg,
                                &exists))
    return exists;
  MlirValue value =
      combine_take(l, &reduction->combine, fragment_read(l, src, reg),
                   src->view->memory->element);
  return exists.ptr ? arith_select(&l->b, exists, value,
                                   combine_neutral(l, &reduction->combine))
                    : value;
}

// What the threads have after the butterflies, one value per result.
static MlirValue *combine_threads(Lowering *l, const Reduction *reduction,
                                  const Fragment *src,
                                  const TileLayoutReduction *plan) {
  MlirValue *value = TILE_ARENA_NEW(l->arena, MlirValue, plan->num_results);
  for (int64_t r = 0; r < plan->num_regs; r++) {
    if (plan->result[r] < 0)
      continue;
    MlirValue *sum = &value[plan->result[r]];
    MlirValue one = take_register(l, reduction, src, r);
    if (!one.ptr)
      continue;
    *sum = sum->ptr ? combine(l, &reduction->combine, *sum, one) : one;
  }
  for (int64_t i = 0; i < plan->num_results; i++)
    value[i] = combine_lanes(l, &reduction->combine, value[i], plan->lane_mask);
  return value;
}

// Number of the partial result that the warp has.
static TileInt partial_number(Lowering *l, const TileLayoutReduction *plan) {
  TileInt number = tile_int_constant(0), warp = tile_int_value(warp_id(l));
  for (int i = 0; i < plan->num_warp_digits; i++) {
    const TileLayoutWarpDigit *digit = &plan->warp_digit[i];
    TileInt value = tile_int_rem(
        &l->i32, tile_int_div(&l->i32, warp, digit->stride), digit->radix);
    number = tile_int_add(&l->i32, number,
                          tile_int_mul(&l->i32, value, digit->weight));
  }
  return number;
}

// One thread of those that have the same results.
static MlirValue results_owner(Lowering *l, const Fragment *src,
                               const TileLayoutReduction *plan) {
  MlirValue owner = fragment_owner(l, &src->layout);
  if (!plan->lane_mask)
    return owner;
  MlirValue lane = lane_id(l);
  MlirValue bits =
      arith_andi(&l->b, lane, tile_const_int(&l->b, plan->lane_mask, 32));
  MlirValue is_first =
      arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_eq, .lhs = bits,
                 .rhs = tile_const_int(&l->b, 0, 32));
  return and_maybe(l, owner, is_first);
}

static void results_to_shared(Lowering *l, const Reduction *reduction,
                              const Fragment *src,
                              const TileLayoutReduction *plan,
                              const MlirValue *value) {
  const View *dst = reduction->dst;
  MlirType element = dst->memory->element;
  MlirValue owner = results_owner(l, src, plan);
  TileInt number = partial_number(l, plan);
  int other_dims = ~(1 << reduction->dim);
  for (int64_t i = 0; i < plan->num_results; i++) {
    TileInt from[TILE_MAX_RANK], at[TILE_MAX_RANK];
    MlirValue writer = owner;
    if (!tile_fragment_mask_build(&l->i32, &src->code, other_dims,
                                  plan->first[i], &writer))
      continue;
    fragment_coordinates(l, src, plan->first[i], from);
    for (int s = 0, d = 0; s < reduction->src->shape.rank; s++)
      if (s != reduction->dim)
        at[d++] = from[s];
      else if (keeps_dim(reduction))
        at[d++] = number;
    MlirValue result = value[i];
    if (!reduction->clear) {
      MlirValue old = combine_take_result(
          l, &reduction->combine,
          element_load(l, reduction->op.op, dst, at, writer), element);
      result = combine(l, &reduction->combine, old, result);
    }
    element_write(l, reduction->op.op, dst, at,
                  combine_stored(l, &reduction->combine, result, element),
                  writer);
  }
}

// Result that holds the element of register `reg` of the destination: the same
// in all threads, so thread 0 tells.
static int64_t result_of(const Reduction *reduction, const Fragment *src,
                         const TileLayoutReduction *plan, const Fragment *dst,
                         int64_t reg) {
  int64_t in[TILE_LAYOUT_MAX_AXES] = {reg}, wanted[TILE_LAYOUT_MAX_AXES];
  tile_layout_eval(&dst->layout, in, wanted);
  for (int64_t i = 0; i < plan->num_results; i++) {
    int64_t at[TILE_LAYOUT_MAX_AXES];
    bool is_same = true;
    in[0] = plan->first[i];
    tile_layout_eval(&src->layout, in, at);
    for (int s = 0, d = 0; s < reduction->src->shape.rank; s++) {
      if (s == reduction->dim && !keeps_dim(reduction))
        continue;
      is_same &= s == reduction->dim || at[s] == wanted[d];
      d++;
    }
    if (is_same)
      return i;
  }
  return -1;
}

static void results_to_registers(Lowering *l, const Reduction *reduction,
                                 const Fragment *src,
                                 const TileLayoutReduction *plan,
                                 const MlirValue *value) {
  Fragment dst;
  if (!fragment_begin(l, reduction->op.op, reduction->dst, &dst))
    return;
  int64_t count = tile_layout_axis_size(&dst.layout.in, TILE_LAYOUT_REG);
  for (int64_t r = 0; r < count; r++) {
    int64_t result = result_of(reduction, src, plan, &dst, r);
    if (result < 0) {
      lower_fail_internal(l, reduction->op.op, "register %lld has no result",
                          (long long)r);
      return;
    }
    write_register(l, reduction, &dst, r, value[result]);
  }
}

void reduce_from_fragment(Lowering *l, TileReduceOp reduce, const View *src,
                          const View *dst) {
  Reduction reduction = reduction_of(reduce, src, dst);
  TileLayoutReduction plan;
  TileReason error;
  Fragment from;
  if (!fragment_begin(l, reduce.op, src, &from))
    return;
  bool is_direct = tile_layout_plan_reduction(l->arena, &from.layout,
                                              reduction.dim, &plan, &error);
  bool into_registers = dst->memory->space == TILE_SPACE_FRAGMENT;
  if (is_direct && into_registers) {
    Fragment to;
    is_direct = fragment_begin(l, reduce.op, dst, &to) &&
                plan.num_partials == 1 &&
                tile_layout_reduction_stays(&from.layout, reduction.dim,
                                            &to.layout, 32);
  } else if (is_direct) {
    int64_t extent =
        keeps_dim(&reduction) ? dst->shape.extent[reduction.dim] : 1;
    is_direct = extent == plan.num_partials;
  }
  if (!is_direct) {
    lower_fail(l, reduce.op,
               "needs shared memory between threads; run "
               "tile-layout-inference first");
    return;
  }
  MlirValue *value = combine_threads(l, &reduction, &from, &plan);
  if (into_registers)
    results_to_registers(l, &reduction, &from, &plan, value);
  else
    results_to_shared(l, &reduction, &from, &plan, value);
}

//===-- Into a fragment ---------------------------------------------------===//

// Every thread reads the line of each of its registers: for short lines, such
// as partial results.
void reduce_into_fragment(Lowering *l, TileReduceOp reduce, const View *src,
                          const View *dst) {
  Reduction reduction = reduction_of(reduce, src, dst);
  Fragment to;
  if (!fragment_begin(l, reduce.op, dst, &to))
    return;
  int64_t count = tile_layout_axis_size(&to.layout.in, TILE_LAYOUT_REG);
  int64_t extent = src->shape.extent[reduction.dim];
  for (int64_t r = 0; r < count && !mlirLogicalResultIsFailure(l->result);
       r++) {
    TileInt of[TILE_MAX_RANK], at[TILE_MAX_RANK];
    MlirValue sum = {NULL}, reader = {NULL};
    if (!tile_fragment_mask_build(&l->i32, &to.code, TILE_ALL_DIMS, r, &reader))
      continue;
    fragment_coordinates(l, &to, r, of);
    for (int s = 0, d = 0; s < src->shape.rank; s++)
      if (s != reduction.dim || keeps_dim(&reduction))
        at[s] = of[d++];
    for (int64_t i = 0; i < extent; i++) {
      at[reduction.dim] = tile_int_constant(i);
      MlirValue one = combine_take(l, &reduction.combine,
                                   element_load(l, reduce.op, src, at, reader),
                                   src->memory->element);
      sum = sum.ptr ? combine(l, &reduction.combine, sum, one) : one;
    }
    write_register(l, &reduction, &to, r, sum);
  }
}

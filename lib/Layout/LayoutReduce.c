//===- LayoutReduce.c - Who combines what along a dimension of a fragment -===//
//
// Registers of one thread go into one result when they agree in all other
// dimensions. Lane and warp digits that move the dimension alone say which
// threads hold other parts of the same result. That every element is met once
// is checked by enumeration: the extent of the dimension is small. Scans need
// more: every digit of the dimension belongs to one digit of the thread.
//
//===----------------------------------------------------------------------===//

#include "LayoutReduce.h"

#include "LayoutAccess.h"
#include <string.h>

//===-- Registers ---------------------------------------------------------===//

static bool at_register(const TileLayout *src, int64_t reg,
                        int64_t coordinate[TILE_LAYOUT_MAX_AXES]) {
  int64_t in[TILE_LAYOUT_MAX_AXES] = {reg};
  return tile_layout_eval(src, in, coordinate);
}

static bool same_but_dim(const int64_t *a, const int64_t *b, int rank,
                         int dim) {
  for (int d = 0; d < rank; d++)
    if (d != dim && a[d] != b[d])
      return false;
  return true;
}

// Result of register `reg`, -1 when an earlier one holds the same element.
static int64_t result_of(const TileLayout *src, int dim, int64_t reg,
                         const TileLayoutReduction *out) {
  int rank = src->out.num_axes;
  int64_t mine[TILE_LAYOUT_MAX_AXES], other[TILE_LAYOUT_MAX_AXES];
  int64_t result = out->num_results;
  at_register(src, reg, mine);
  for (int64_t r = 0; r < reg; r++) {
    at_register(src, r, other);
    if (out->result[r] < 0 || !same_but_dim(mine, other, rank, dim))
      continue;
    if (mine[dim] == other[dim])
      return -1;
    result = out->result[r];
  }
  return result;
}

static bool plan_registers(TileArena *arena, const TileLayout *src, int dim,
                           TileLayoutReduction *out, TileReason *e) {
  int64_t coordinate[TILE_LAYOUT_MAX_AXES];
  out->num_regs = tile_layout_axis_size(&src->in, TILE_LAYOUT_REG);
  out->result = TILE_ARENA_NEW(arena, int64_t, out->num_regs);
  out->first = TILE_ARENA_NEW(arena, int64_t, out->num_regs);
  for (int64_t r = 0; r < out->num_regs; r++) {
    if (!at_register(src, r, coordinate))
      return tile_refuse(e, "", "register %lld is in a gap", (long long)r);
    out->result[r] = result_of(src, dim, r, out);
    if (out->result[r] == out->num_results)
      out->first[out->num_results++] = r;
  }
  return true;
}

//===-- Threads -----------------------------------------------------------===//

typedef enum { MOVES_OTHERS, MOVES_DIM, MOVES_BOTH } Movement;

static Movement movement_of(const TileLayout *src, int digit, int dim) {
  bool moves_dim = false, moves_others = false;
  for (int j = 0; j < src->out.num_digits; j++) {
    if (!(src->image[digit] >> j & 1))
      continue;
    moves_dim |= src->out.digit[j].axis == dim;
    moves_others |= src->out.digit[j].axis != dim;
  }
  if (!moves_dim)
    return MOVES_OTHERS;
  return moves_others ? MOVES_BOTH : MOVES_DIM;
}

static bool plan_threads(const TileLayout *src, int dim,
                         TileLayoutReduction *out, TileReason *e) {
  out->num_partials = 1;
  for (int i = 0; i < src->in.num_digits; i++) {
    const TileLayoutDigit *in = &src->in.digit[i];
    if (in->axis == TILE_LAYOUT_REG)
      continue;
    Movement movement = movement_of(src, i, dim);
    if (movement == MOVES_OTHERS)
      continue;
    if (movement == MOVES_BOTH)
      return tile_refuse(e, "",
                         "threads move dimension %d together with "
                         "others",
                         dim);
    if (in->axis == TILE_LAYOUT_LANE) {
      out->lane_mask |= 1u << __builtin_ctzll((unsigned long long)in->stride);
      continue;
    }
    out->warp_digit[out->num_warp_digits++] =
        (TileLayoutWarpDigit){in->stride, in->radix, out->num_partials};
    out->num_partials *= in->radix;
  }
  return true;
}

//===-- Check -------------------------------------------------------------===//

// Warp number of partial result `partial`, other digits 0.
static int64_t warp_of_partial(const TileLayoutReduction *plan,
                               int64_t partial) {
  int64_t warp = 0;
  for (int i = 0; i < plan->num_warp_digits; i++) {
    const TileLayoutWarpDigit *digit = &plan->warp_digit[i];
    warp += partial / digit->weight % digit->radix * digit->stride;
  }
  return warp;
}

// Marks the elements that one lane of one group of warps holds of result 0.
static bool mark(const TileLayout *src, int dim,
                 const TileLayoutReduction *plan, int64_t lane, int64_t warp,
                 bool *seen) {
  for (int64_t r = 0; r < plan->num_regs; r++) {
    int64_t in[TILE_LAYOUT_MAX_AXES] = {r, lane, warp};
    int64_t at[TILE_LAYOUT_MAX_AXES];
    if (plan->result[r] != 0)
      continue;
    if (!tile_layout_eval(src, in, at) || seen[at[dim]])
      return false;
    seen[at[dim]] = true;
  }
  return true;
}

static bool meets_each_once(TileArena *arena, const TileLayout *src, int dim,
                            const TileLayoutReduction *plan) {
  int64_t extent = tile_layout_axis_size(&src->out, dim); // surplus included
  bool *seen = TILE_ARENA_NEW(arena, bool, extent);
  for (int64_t lane = 0; lane < 32; lane++)
    for (int64_t p = 0; p < plan->num_partials; p++)
      if (((unsigned)lane & ~plan->lane_mask) == 0 &&
          !mark(src, dim, plan, lane, warp_of_partial(plan, p), seen))
        return false;
  for (int64_t i = 0; i < extent; i++)
    if (!seen[i])
      return false;
  return true;
}

bool tile_layout_plan_reduction(TileArena *arena, const TileLayout *src,
                                int dim, TileLayoutReduction *out,
                                TileReason *e) {
  memset(out, 0, sizeof *out);
  if (!plan_registers(arena, src, dim, out, e) ||
      !plan_threads(src, dim, out, e))
    return false;
  return meets_each_once(arena, src, dim, out) ||
         tile_refuse(e, "",
                     "threads of one result hold the same elements of "
                     "dimension %d",
                     dim);
}

bool tile_layout_reduction_stays(const TileLayout *src, int dim,
                                 const TileLayout *dst, int elem_bits) {
  TileLayout folded;
  TileLayoutConversion conversion;
  TileReason error;
  bool keeps_dim = dst->out.num_axes == src->out.num_axes;
  return tile_layout_fold(src, dim, keeps_dim, &folded, &error) &&
         tile_layout_plan_conversion(&folded, dst, elem_bits, &conversion,
                                     &error) &&
         (conversion.kind == TILE_LAYOUT_CONV_NONE ||
          conversion.kind == TILE_LAYOUT_CONV_REGISTER);
}

//===-- Scans -------------------------------------------------------------===//

// The only input digit that moves output digit |j|, and nothing else; -1 if
// there is none.
static int only_mover(const TileLayout *l, int j) {
  int mover = -1;
  for (int i = 0; i < l->in.num_digits; i++) {
    if (!(l->image[i] >> j & 1))
      continue;
    if (mover >= 0 || l->image[i] & (l->image[i] - 1))
      return -1;
    mover = i;
  }
  return mover;
}

bool tile_layout_plan_scan(const TileLayout *src, int dim, TileLayoutScan *out,
                           TileReason *e) {
  out->num_digits = 0;
  for (int j = 0; j < src->out.num_digits; j++) { // ascending strides
    if (src->out.digit[j].axis != dim)
      continue;
    int i = only_mover(src, j);
    if (i < 0)
      return tile_refuse(e, "",
                         "no single digit moves dimension %d by steps of %lld",
                         dim, (long long)src->out.digit[j].stride);
    const TileLayoutDigit *in = &src->in.digit[i];
    if (in->axis == TILE_LAYOUT_WARP)
      return tile_refuse(e, "", "warps hold parts of a line");
    out->digit[out->num_digits++] =
        (TileLayoutScanDigit){in->axis, in->radix, in->stride};
  }
  return true;
}

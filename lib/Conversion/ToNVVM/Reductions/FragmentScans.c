//===- FragmentScans.c - Scans of fragments, in registers and lanes -------===//
//
// Where a warp holds whole lines, the digits of the scanned dimension are those
// of registers and lanes, and the line is scanned digit by digit, the smallest
// steps first. After some of them every register has the result within its
// block, and every thread the total of the block. The next digit joins blocks:
// each element takes the totals of the blocks before its own.
//
//   block of a lane         a  ab        c  cd
//   its total                  ab           cd
//   joined with the next    a  ab        abc  abcd
//
// Elements past the end of a line are what changes nothing.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/Fragments/Fragments.h"
#include "Reductions.h"

#include "Layout/LayoutReduce.h"
#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"

typedef struct {
  Lowering *l;
  Combine combine;
  bool reverse;
  TileLayoutScan plan;
  int num_joined;    // digits of the plan so far
  int64_t num_regs;  // of the fragment
  MlirValue *value;  // per register: the result within its block
  MlirValue *total;  // per register that stands for its block
  MlirValue *before; // per such register: what is in front; null: nothing
} Scan;

// The register that stands for the block of register `r`: its digits that are
// joined are 0.
static int64_t block_of(const Scan *scan, int64_t r) {
  for (int i = 0; i < scan->num_joined; i++) {
    const TileLayoutScanDigit *digit = &scan->plan.digit[i];
    if (digit->axis == TILE_LAYOUT_REG)
      r -= r / digit->stride % digit->radix * digit->stride;
  }
  return r;
}

static MlirValue join(Scan *scan, MlirValue x, MlirValue y) {
  return x.ptr ? combine(scan->l, &scan->combine, x, y) : y;
}

//===-- Digits ------------------------------------------------------------===//

// Blocks of one thread, in the order of the scan.
static void join_registers(Scan *scan, const TileLayoutScanDigit *digit) {
  for (int64_t first = 0; first < scan->num_regs; first++) {
    if (block_of(scan, first) != first || first / digit->stride % digit->radix)
      continue;
    MlirValue sum = {NULL};
    for (int i = 0; i < digit->radix; i++) {
      int64_t at = scan->reverse ? digit->radix - 1 - i : i;
      int64_t block = first + at * digit->stride;
      scan->before[block] = sum;
      sum = join(scan, sum, scan->total[block]);
    }
    scan->total[first] = sum;
  }
  for (int64_t r = 0; r < scan->num_regs; r++)
    scan->value[r] =
        join(scan, scan->before[block_of(scan, r)], scan->value[r]);
}

// Blocks of two lanes: one of them comes after the other.
static void join_lanes(Scan *scan, const TileLayoutScanDigit *digit) {
  Lowering *l = scan->l;
  MlirValue lane = lane_id(l);
  MlirValue bit =
      arith_andi(&l->b, lane, tile_const_int(&l->b, digit->stride, 32));
  MlirValue is_behind =
      arith_cmpi(&l->b,
                 .predicate = scan->reverse ? ARITH_CMP_I_PREDICATE_eq
                                            : ARITH_CMP_I_PREDICATE_ne,
                 .lhs = bit, .rhs = tile_const_int(&l->b, 0, 32));
  for (int64_t r = 0; r < scan->num_regs; r++) {
    if (block_of(scan, r) != r)
      continue;
    scan->before[r] = lane_exchange_xor(l, scan->total[r], digit->stride);
    scan->total[r] =
        combine(l, &scan->combine, scan->total[r], scan->before[r]);
  }
  for (int64_t r = 0; r < scan->num_regs; r++) {
    MlirValue joined =
        join(scan, scan->before[block_of(scan, r)], scan->value[r]);
    scan->value[r] = arith_select(&l->b, is_behind, joined, scan->value[r]);
  }
}

//===-- Entry -------------------------------------------------------------===//

// What register `r` brings in.
static MlirValue take(Scan *scan, const Fragment *src, int dim, int64_t r) {
  Lowering *l = scan->l;
  MlirValue exists = {NULL}, neutral = combine_neutral(l, &scan->combine);
  if (!tile_fragment_mask_build(&l->i32, &src->code, 1 << dim, r, &exists))
    return neutral;
  MlirValue value = combine_take(l, &scan->combine, fragment_read(l, src, r),
                                 src->view->memory->element);
  return exists.ptr ? arith_select(&l->b, exists, value, neutral) : value;
}

static bool plan_build(Lowering *l, TileScanOp op, const View *src,
                       const View *dst, Fragment *out_from, Scan *out) {
  Fragment to;
  TileReason error;
  if (!fragment_begin(l, op.op, src, out_from) ||
      !fragment_begin(l, op.op, dst, &to))
    return false;
  if (is_whole_tile(src) && is_whole_tile(dst) &&
      tile_layout_equal(&out_from->layout, &to.layout) &&
      tile_layout_plan_scan(&out_from->layout, (int)tile_scan_dim(op),
                            &out->plan, &error))
    return true;
  lower_fail(l, op.op,
             "needs shared memory between threads; run "
             "tile-layout-inference first");
  return false;
}

void scan_fragment(Lowering *l, TileScanOp op, const View *src,
                   const View *dst) {
  MlirType element = dst->memory->element;
  Fragment from;
  Scan scan = {.l = l,
               .combine = combine_of_scan(tile_scan_kind(op),
                                          src->memory->element, element),
               .reverse = tile_scan_reverse(op)};
  if (!plan_build(l, op, src, dst, &from, &scan))
    return;
  scan.num_regs = tile_layout_axis_size(&from.layout.in, TILE_LAYOUT_REG);
  scan.value = TILE_ARENA_NEW(l->arena, MlirValue, scan.num_regs);
  scan.total = TILE_ARENA_NEW(l->arena, MlirValue, scan.num_regs);
  scan.before = TILE_ARENA_NEW(l->arena, MlirValue, scan.num_regs);
  for (int64_t r = 0; r < scan.num_regs; r++)
    scan.value[r] = scan.total[r] =
        take(&scan, &from, (int)tile_scan_dim(op), r);
  for (int i = 0; i < scan.plan.num_digits; i++) {
    const TileLayoutScanDigit *digit = &scan.plan.digit[i];
    if (digit->axis == TILE_LAYOUT_REG)
      join_registers(&scan, digit);
    else
      join_lanes(&scan, digit);
    scan.num_joined++;
  }
  for (int64_t r = 0; r < scan.num_regs; r++) {
    MlirValue stored = combine_stored(l, &scan.combine, scan.value[r], element);
    llvm_store(&l->b, .value = stored,
               .addr = register_pointer(l, dst->memory, r));
  }
}

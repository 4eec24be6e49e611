//===- layout-reduce-test.c - Who combines what along a dimension ---------===//
//
// Every plan is carried out: what a thread has in the end is each element of
// its line, once; of a scan, those up to its own.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutHardware.h"
#include "Layout/LayoutReduce.h"
#include "layout-random.h"

enum { ROUNDS = 2000, MAX_EXTENT = 4096 };

typedef struct {
  int planned, refused, with_lanes, with_warps, with_replicas;
} Counts;

//===-- Carrying a plan out -----------------------------------------------===//

// Warp `warp` with the digits of partial result `partial`.
static int64_t other_warp(const TileLayoutReduction *plan, int64_t warp,
                          int64_t partial) {
  for (int i = 0; i < plan->num_warp_digits; i++) {
    const TileLayoutWarpDigit *digit = &plan->warp_digit[i];
    int64_t mine = warp / digit->stride % digit->radix;
    int64_t theirs = partial / digit->weight % digit->radix;
    warp += (theirs - mine) * digit->stride;
  }
  return warp;
}

static void count_line(const TileLayout *src, int dim,
                       const TileLayoutReduction *plan, int64_t lane,
                       int64_t warp, int64_t result) {
  int64_t in[TILE_LAYOUT_MAX_AXES] = {plan->first[result], lane, warp};
  int64_t mine[TILE_LAYOUT_MAX_AXES], at[TILE_LAYOUT_MAX_AXES];
  int seen[MAX_EXTENT] = {0};
  CHECK(tile_layout_eval(src, in, mine), "gap");
  for (int64_t x = 0; x < 32; x++)
    for (int64_t p = 0; p < plan->num_partials; p++)
      for (int64_t r = 0; r < plan->num_regs; r++) {
        if (((unsigned)x & ~plan->lane_mask) || plan->result[r] != result)
          continue;
        in[0] = r, in[1] = lane ^ x, in[2] = other_warp(plan, warp, p);
        CHECK(tile_layout_eval(src, in, at), "gap");
        for (int d = 0; d < src->out.num_axes; d++)
          CHECK(d == dim || at[d] == mine[d], "another line");
        seen[at[dim]]++;
      }
  for (int64_t i = 0; i < tile_layout_axis_size(&src->out, dim); i++)
    CHECK(seen[i] == 1, "element %lld is met %d times", (long long)i, seen[i]);
}

static bool carry_out(const TileLayout *src, int dim, Counts *counts) {
  TileArena arena;
  TileLayoutReduction plan;
  TileReason error;
  tile_arena_init(&arena);
  bool ok = tile_layout_plan_reduction(&arena, src, dim, &plan, &error);
  int64_t lanes = tile_layout_axis_size(&src->in, TILE_LAYOUT_LANE);
  int64_t warps = tile_layout_axis_size(&src->in, TILE_LAYOUT_WARP);
  for (int64_t lane = 0; ok && lane < lanes; lane++)
    for (int64_t warp = 0; warp < warps; warp++)
      for (int64_t i = 0; i < plan.num_results; i++)
        count_line(src, dim, &plan, lane, warp, i);
  counts->planned += ok;
  counts->refused += !ok;
  counts->with_lanes += ok && plan.lane_mask;
  counts->with_warps += ok && plan.num_partials > 1;
  counts->with_replicas += ok && tile_layout_replication(src) > 1;
  tile_arena_deinit(&arena);
  return ok;
}

//===-- Tests -------------------------------------------------------------===//

static void test_random_fragments(void **state) {
  (void)state;
  Counts counts = {0};
  for (int i = 0; i < ROUNDS; i++) {
    int64_t shape[3], padded[3];
    Piece piece[32];
    TileLayout l;
    int rank = 1 + (int)rnd(3);
    int n = rnd(2) ? random_shape(shape, rank, 8, true, piece)
                   : overhanging_shape(shape, padded, rank, piece);
    if (!random_fragment(&l, shape, rank, piece, n, (int)rnd(4), (int)rnd(3),
                         rnd(3) == 0) ||
        !tile_layout_covers(&l))
      continue;
    int dim = (int)rnd((unsigned)rank);
    if (tile_layout_axis_size(&l.out, dim) <= MAX_EXTENT)
      carry_out(&l, dim, &counts);
  }
  CHECK(counts.planned > 500 && counts.refused > 20 &&
            counts.with_lanes > 100 && counts.with_warps > 100 &&
            counts.with_replicas > 100,
        "%d planned, %d refused, %d with lanes, %d with warps, %d replicated",
        counts.planned, counts.refused, counts.with_lanes, counts.with_warps,
        counts.with_replicas);
}

//===-- Scans -------------------------------------------------------------===//

enum { MAX_REGS = 1 << 12, LANES = 32 };

typedef struct {
  int64_t value, total; // counts of elements
} Element;

// The register that stands for the block of `r` after `joined` digits.
static int64_t block_of(const TileLayoutScan *plan, int joined, int64_t r) {
  for (int i = 0; i < joined; i++)
    if (plan->digit[i].axis == TILE_LAYOUT_REG)
      r -= r / plan->digit[i].stride % plan->digit[i].radix *
           plan->digit[i].stride;
  return r;
}

// Joins the blocks that digit number `i` tells apart, of one warp.
static void join_blocks(const TileLayoutScan *plan, int i, int64_t regs,
                        Element (*at)[LANES], int lanes) {
  static Element old[MAX_REGS][LANES];
  const TileLayoutScanDigit *digit = &plan->digit[i];
  bool by_lane = digit->axis == TILE_LAYOUT_LANE;
  memcpy(old, at, sizeof **old * LANES * (size_t)regs);
  for (int64_t r = 0; r < regs; r++)
    for (int lane = 0; lane < lanes; lane++) {
      int64_t block = block_of(plan, i, r), sum = 0;
      int64_t mine = (by_lane ? lane : r) / digit->stride % digit->radix;
      for (int64_t k = 0; k < digit->radix; k++) {
        int64_t step = (k - mine) * digit->stride;
        int64_t total = by_lane ? old[block][lane + step].total
                                : old[block + step][lane].total;
        if (k < mine)
          at[r][lane].value += total;
        sum += total;
      }
      at[r][lane].total = sum;
    }
}

// Scans ones: an element's result is its coordinate and 1.
static bool scan_ones(const TileLayout *src, int dim) {
  static Element at[MAX_REGS][LANES];
  TileLayoutScan plan;
  TileReason error = {""};
  int64_t regs = tile_layout_axis_size(&src->in, TILE_LAYOUT_REG);
  int lanes = (int)tile_layout_axis_size(&src->in, TILE_LAYOUT_LANE);
  if (!tile_layout_plan_scan(src, dim, &plan, &error)) {
    CHECK(strstr(error.text, "warps hold parts of a line") ||
              strstr(error.text, "no single digit moves"),
          "%s", error.text);
    return false;
  }
  int64_t warps = tile_layout_axis_size(&src->in, TILE_LAYOUT_WARP);
  for (int64_t warp = 0; warp < warps && regs <= MAX_REGS; warp++) {
    int64_t x[TILE_LAYOUT_MAX_AXES];
    for (int64_t r = 0; r < regs; r++)
      for (int lane = 0; lane < lanes; lane++) {
        tile_layout_eval(src, (int64_t[]){r, lane, warp}, x);
        int64_t one = x[dim] < src->out.extent[dim];
        at[r][lane] = (Element){one, one};
      }
    for (int i = 0; i < plan.num_digits; i++)
      join_blocks(&plan, i, regs, at, lanes);
    for (int64_t r = 0; r < regs; r++)
      for (int lane = 0; lane < lanes; lane++) {
        tile_layout_eval(src, (int64_t[]){r, lane, warp}, x);
        CHECK(x[dim] >= src->out.extent[dim] || at[r][lane].value == x[dim] + 1,
              "element %lld: %lld", (long long)x[dim],
              (long long)at[r][lane].value);
      }
  }
  return true;
}

static void test_random_scans(void **state) {
  (void)state;
  int planned = 0, refused = 0;
  for (int i = 0; i < ROUNDS; i++) {
    int64_t shape[3], padded[3];
    Piece piece[32];
    TileLayout l;
    int rank = 1 + (int)rnd(3);
    int n = overhanging_shape(shape, padded, rank, piece);
    if (!random_fragment(&l, shape, rank, piece, n, (int)rnd(6), (int)rnd(2),
                         false))
      continue;
    bool ok = scan_ones(&l, (int)rnd((unsigned)rank));
    planned += ok, refused += !ok;
  }
  CHECK(planned > 300 && refused > 100, "%d planned, %d refused", planned,
        refused);
}

//===-- Known fragments ---------------------------------------------------===//

// Accumulators are combined where they are, in both dimensions.
static void test_accumulators(void **state) {
  (void)state;
  Counts counts = {0};
  TileLayout l;
  TileHwMma mma = {64, 96, 16, 2, 2, 16, 16};
  CHECK(tile_hw_mma_c(&mma, &l, NULL), "mma");
  CHECK(carry_out(&l, 0, &counts) && carry_out(&l, 1, &counts), "mma");
  CHECK(tile_hw_wgmma_acc(128, 80, 2, 1, &l, NULL), "wgmma");
  CHECK(carry_out(&l, 0, &counts) && carry_out(&l, 1, &counts), "wgmma");
}

// A row of a wgmma accumulator is in four lanes; the results stay there.
static void test_row_of_accumulator(void **state) {
  (void)state;
  TileArena arena;
  TileLayoutReduction plan;
  TileReason error;
  TileLayout l, folded, other;
  int64_t shape[1] = {64};
  tile_arena_init(&arena);
  CHECK(tile_hw_wgmma_acc(64, 128, 1, 1, &l, NULL), "wgmma");
  CHECK(tile_layout_plan_reduction(&arena, &l, 1, &plan, &error), "%s",
        error.text);
  CHECK(plan.num_results == 2 && plan.lane_mask == 3 && plan.num_partials == 1,
        "%lld results, lanes %u, %lld partial results",
        (long long)plan.num_results, plan.lane_mask,
        (long long)plan.num_partials);
  CHECK(tile_layout_fold(&l, 1, false, &folded, &error), "%s", error.text);
  CHECK(tile_layout_reduction_stays(&l, 1, &folded, 32), "folded");
  TileLayoutBuilder b;
  tile_layout_begin_fragment(&b, shape, 1);
  tile_layout_push(&b, TILE_LAYOUT_LANE, 0, 1, 32);
  tile_layout_push(&b, TILE_LAYOUT_WARP, 0, 32, 2);
  tile_layout_push_rep(&b, TILE_LAYOUT_WARP, 2);
  CHECK(tile_layout_finish(&b, &other, &error), "%s", error.text);
  CHECK(!tile_layout_reduction_stays(&l, 1, &other, 32), "other lanes");
  tile_arena_deinit(&arena);
}

// A lane that moves both dimensions cannot combine one of them.
static void test_mixed_lanes_are_refused(void **state) {
  (void)state;
  TileArena arena;
  TileLayoutReduction plan;
  TileReason error;
  TileLayout l;
  TileLayoutBuilder b;
  int64_t shape[2] = {2, 2};
  TileLayoutStep both[2] = {{0, 1}, {1, 1}}, one[1] = {{1, 1}};
  tile_arena_init(&arena);
  tile_layout_begin_fragment(&b, shape, 2);
  tile_layout_push_xor(&b, TILE_LAYOUT_LANE, both, 2);
  tile_layout_push_xor(&b, TILE_LAYOUT_REG, one, 1);
  CHECK(tile_layout_finish(&b, &l, &error), "%s", error.text);
  CHECK(!tile_layout_plan_reduction(&arena, &l, 1, &plan, &error), "mixed");
  CHECK(strstr(error.text, "together with others"), "%s", error.text);
  tile_arena_deinit(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_fragments),
      cmocka_unit_test(test_random_scans),
      cmocka_unit_test(test_accumulators),
      cmocka_unit_test(test_row_of_accumulator),
      cmocka_unit_test(test_mixed_lanes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

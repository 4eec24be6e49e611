//===- layout-free-test.c - Fragments that no instruction fixes -----------===//
//
// Random tiles and numbers of warps against enumeration: every element has a
// place, vectors exist whole, the threads share the elements about evenly, and
// one choice keeps rows in warps. Fragments with views: every layout of what
// their shapes have in common is one of each.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutInferInternal.h"
#include "layout-random.h"

enum { ROUNDS = 300, MAX_ELEMS = 1 << 14 };

static int64_t index_of(const int64_t *at, const int64_t *shape, int rank) {
  int64_t index = 0;
  for (int d = 0; d < rank; d++)
    index = index * shape[d] + at[d];
  return index;
}

// Enumerates what threads hold. Returns the most elements of one thread.
static int64_t check_cover(const TileLayout *l, const int64_t *shape, int rank,
                           int vec) {
  static bool held[MAX_ELEMS];
  int64_t size = 1, most = 0;
  for (int d = 0; d < rank; d++)
    size *= shape[d];
  memset(held, 0, sizeof held);
  for (int64_t t = 0; t < 32 * l->in.extent[TILE_LAYOUT_WARP]; t++) {
    int64_t mine = 0;
    bool first_exists = false;
    for (int64_t r = 0; r < l->in.extent[TILE_LAYOUT_REG]; r++) {
      int64_t at[TILE_LAYOUT_MAX_AXES];
      CHECK(tile_layout_eval(l, (int64_t[]){r, t % 32, t / 32}, at), "gap");
      bool exists = tile_layout_in_tile(l, at);
      if (r % vec == 0)
        first_exists = exists;
      CHECK(exists == first_exists, "a vector of %d is cut", vec);
      mine += exists;
      if (exists)
        held[index_of(at, shape, rank)] = true;
    }
    most = mine > most ? mine : most;
  }
  for (int64_t i = 0; i < size; i++)
    CHECK(held[i], "element %lld is nowhere", (long long)i);
  return most;
}

// Whether no two warps hold elements of one row.
static bool keeps_rows(const TileLayout *l, int rank) {
  for (int i = 0; i < l->in.num_digits; i++)
    for (uint64_t m = l->image[i]; m; m &= m - 1)
      if (l->in.digit[i].axis == TILE_LAYOUT_WARP &&
          l->out.digit[__builtin_ctzll(m)].axis == rank - 1)
        return false;
  return true;
}

static void test_random_tiles(void **state) {
  (void)state;
  int balanced = 0, in_warps = 0, overhanging = 0;
  for (int round = 0; round < ROUNDS; round++) {
    static const int warp_counts[] = {1, 2, 3, 4, 6, 8, 12};
    int64_t shape[3], size = 1, fewest = INT64_MAX;
    int rank = 1 + (int)rnd(3), warps = warp_counts[rnd(7)], vec = 1 << rnd(3);
    for (int d = 0; d < rank; d++)
      size *= shape[d] = 1 + (int64_t)rnd(rank == 1   ? 9000
                                          : rank == 2 ? 120
                                                      : 25);
    TileLayout l[TILE_INFER_MAX_FREE];
    int n = tile_infer_free_layouts(shape, rank, warps, vec, 32, l);
    CHECK(n <= TILE_INFER_MAX_FREE && (n > 0) == (shape[rank - 1] % vec == 0),
          "%d layouts", n);
    bool rows = n == 0;
    for (int i = 0; i < n; i++) {
      TileReason e = {""};
      CHECK(tile_layout_check_fragment(&l[i], &e), "%s", e.text);
      check_cover(&l[i], shape, rank, vec);
      rows |= keeps_rows(&l[i], rank);
      overhanging += tile_layout_has_overhang(&l[i]);
      if (l[i].in.extent[TILE_LAYOUT_REG] < fewest)
        fewest = l[i].in.extent[TILE_LAYOUT_REG];
    }
    CHECK(rows || rank == 1 || shape[0] < 2 * warps, "rows in warps");
    in_warps += n > 0;
    // Rounding up costs at most half of the registers where many elements are.
    int64_t threads = 32 * warps;
    if (!n || size < 16 * vec * threads)
      continue;
    CHECK(fewest * threads < 2 * size,
          "%lld registers of %lld threads for %lld elements", (long long)fewest,
          (long long)threads, (long long)size);
    balanced++;
  }
  CHECK(balanced > 20 && in_warps > 100 && overhanging > 100,
        "balanced %d, rows in warps %d, overhanging %d", balanced, in_warps,
        overhanging);
}

// Sizes of the examples: registers per thread, found by hand.
static void test_known_tiles(void **state) {
  (void)state;
  static const struct {
    int64_t rows, cols;
    int warps;
    int64_t fewest;
  } cases[] = {
      {1, 1, 4, 1},      {13, 40, 1, 20}, // 8 columns, 4 rows at a time: 5 * 4
      {101, 67, 4, 63},                   // 8 columns, 16 rows: 9 * 7
      {100, 100, 4, 91},                  // 8 columns, 16 rows: 13 * 7
      {7, 777, 12, 17},                   // 48 columns, 8 rows: 17 * 1
      {1, 1000, 3, 11},                   // 1000 / 96
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    TileLayout l[TILE_INFER_MAX_FREE];
    int64_t shape[2] = {cases[i].rows, cases[i].cols}, fewest = INT64_MAX;
    int n = tile_infer_free_layouts(shape, 2, cases[i].warps, 1, 32, l);
    for (int k = 0; k < n; k++)
      if (l[k].in.extent[TILE_LAYOUT_REG] < fewest)
        fewest = l[k].in.extent[TILE_LAYOUT_REG];
    CHECK(fewest == cases[i].fewest, "%lldx%lld: %lld registers",
          (long long)shape[0], (long long)shape[1], (long long)fewest);
  }
}

//===-- Fragments with views ----------------------------------------------===//

// The primes of a number of elements, dealt to dimensions at random.
static int random_dims(int64_t num_elems, int64_t *shape) {
  int rank = 1 + (int)rnd(4);
  for (int d = 0; d < rank; d++)
    shape[d] = 1;
  for (int64_t p = 2; num_elems > 1; p++)
    for (; num_elems % p == 0; num_elems /= p)
      shape[rnd((unsigned)rank)] *= p;
  return rank;
}

static void viewed(TileInferProblem *p, TileInferOp *ops,
                   TileInferAccess (*operands)[2], int64_t num_elems) {
  p->num_buffers = 2 + (int)rnd(2), p->num_ops = p->num_buffers - 1;
  p->op = ops;
  for (int i = 0; i < p->num_buffers; i++) {
    p->buffer[i] = (TileInferBuffer){.name = "F",
                                     .space = TILE_INFER_FRAGMENT,
                                     .elem_bits = 32,
                                     .is_view = i > 0};
    p->buffer[i].rank = random_dims(num_elems, p->buffer[i].shape);
    if (i == 0)
      continue; // a view of the storage, or of the view before
    operands[i - 1][0].buffer = rnd(2) ? i - 1 : 0;
    operands[i - 1][1].buffer = i;
    ops[i - 1] = (TileInferOp){
        .kind = TILE_INFER_VIEW, .num_operands = 2, .operand = operands[i - 1]};
  }
}

// Every layout of the parts is one of the storage and of each view; what the
// parts keep together is in one thread; common ends are spread as if there
// were no views.
static void test_views(void **state) {
  (void)state;
  int with_parts = 0, overhanging = 0, runs = 0;
  for (int round = 0; round < ROUNDS / 4; round++) {
    static const int64_t sizes[] = {6868, 6767, 6000, 3348, 105, 6400, 1024, 7};
    static const int warp_counts[] = {1, 3, 4, 8};
    TileInferRole role = {"all", warp_counts[rnd(4)]};
    TileInferBuffer buffers[3];
    TileInferOp ops[2];
    TileInferAccess operands[2][2];
    TileInferProblem p = {.buffer = buffers, .num_roles = 1, .role = &role};
    TileInferModel m = {.problem = &p};
    TileInferExtents parts;
    TileLayout l[TILE_INFER_MAX_FREE], seen;
    int64_t num_elems = sizes[rnd(8)], product = 1;
    viewed(&p, ops, operands, num_elems);
    CHECK(tile_infer_view_parts(&m, 0, &parts), "at most 8 parts");
    for (int d = 0; d < parts.rank; d++)
      product *= parts.extent[d];
    CHECK(product == num_elems, "parts of %lld", (long long)product);
    with_parts += parts.rank > 1;
    int64_t run = tile_infer_view_run(&m, 0);
    runs += run > 1;
    int n = tile_infer_free_layouts_of(&parts, role.warps, 1, 32, l);
    CHECK(n > 0, "layouts");
    for (int i = 0; i < n; i++) {
      TileReason e = {""};
      check_cover(&l[i], parts.extent, parts.rank, 1);
      CHECK(l[i].in.extent[TILE_LAYOUT_REG] >= run, "a run of %lld",
            (long long)run);
      overhanging += tile_layout_has_overhang(&l[i]);
      for (int b = 0; b < p.num_buffers; b++)
        CHECK(tile_layout_view(&l[i], buffers[b].shape, buffers[b].rank, &seen,
                               &e) &&
                  tile_infer_view_takes(&m, b, &seen),
              "%s", e.text);
    }
  }
  CHECK(with_parts > 30 && overhanging > 30 && runs > 10,
        "parts %d, overhanging %d, runs %d", with_parts, overhanging, runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_random_tiles),
      cmocka_unit_test(test_known_tiles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

//===- layout-registers-test.c - Registers of one fragment in another -----===//
//
// Random fragments: projections by permuted maps against evaluation, and the
// registers that hold the same elements against a search in every thread.
//
//===----------------------------------------------------------------------===//

#include "layout-random.h"

enum { ROUNDS = 3000, MAX_RANK = 3, LANES = 4, MAX_REGISTERS = 512 };

static bool same(const int64_t *x, const int64_t *y, int n) {
  return !memcmp(x, y, sizeof *x * (size_t)n);
}

static int64_t registers(const TileLayout *l) {
  return tile_layout_axis_size(&l->in, TILE_LAYOUT_REG);
}

// A thread has exactly the elements of its loop, projected.
static void check_projection(const TileLayout *loop, const TileLayout *p,
                             const int *map, int rank) {
  for (int64_t lane = 0; lane < loop->in.extent[TILE_LAYOUT_LANE]; lane++)
    for (int64_t r = 0; r < registers(loop); r++) {
      int64_t in[3] = {r, lane, 0}, at[TILE_LAYOUT_MAX_AXES];
      int64_t want[TILE_LAYOUT_MAX_AXES] = {0}, got[TILE_LAYOUT_MAX_AXES];
      bool found = false;
      tile_layout_eval(loop, in, at);
      for (int d = 0; d < rank; d++)
        want[d] = map[d] < 0 ? 0 : at[map[d]];
      for (int64_t s = 0; s < registers(p) && !found; s++) {
        int64_t q[3] = {s, lane, 0};
        tile_layout_eval(p, q, got);
        found = same(want, got, rank);
      }
      CHECK(found, "element of register %lld is lost", (long long)r);
    }
}

// The naive answer: one register of `have` for each of `want`, in all threads.
static bool naive(const TileLayout *have, const TileLayout *want, int64_t r) {
  for (int64_t s = 0; s < registers(have); s++) {
    bool agrees = true;
    for (int64_t lane = 0; lane < want->in.extent[TILE_LAYOUT_LANE]; lane++)
      for (int64_t warp = 0; warp < want->in.extent[TILE_LAYOUT_WARP]; warp++) {
        int64_t a[3] = {s, lane, warp}, b[3] = {r, lane, warp};
        int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES];
        tile_layout_eval(have, a, x);
        tile_layout_eval(want, b, y);
        agrees &= same(x, y, have->out.num_axes);
      }
    if (agrees)
      return true;
  }
  return false;
}

static bool check_registers(const TileLayout *have, const TileLayout *want) {
  int64_t reg[MAX_REGISTERS];
  bool expected = true;
  for (int64_t r = 0; r < registers(want); r++)
    expected &= naive(have, want, r);
  bool found = tile_layout_find_registers(have, want, reg);
  CHECK(found == expected, "found %d, expected %d", found, expected);
  for (int64_t r = 0; found && r < registers(want); r++) {
    int64_t a[3] = {reg[r], 1, 0}, b[3] = {r, 1, 0};
    int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES];
    tile_layout_eval(have, a, x);
    tile_layout_eval(want, b, y);
    CHECK(same(x, y, have->out.num_axes), "register %lld", (long long)r);
  }
  return found;
}

static void round_of(int *found, int *refused) {
  int64_t shape[MAX_RANK];
  int rank = 1 + (int)rnd(MAX_RANK), map[MAX_RANK];
  Piece piece[32];
  TileLayout loop, other, projected;
  int n = random_shape(shape, rank, 7, rnd(3) == 0, piece);
  if (!random_fragment(&loop, shape, rank, piece, n, 2, 1, false) ||
      !random_fragment(&other, shape, rank, piece, n, 2, 1, false) ||
      registers(&loop) > MAX_REGISTERS || registers(&other) > MAX_REGISTERS)
    return;
  int first = (int)rnd((unsigned)rank);
  for (int d = 0; d < rank; d++) // a rotation, one dimension absent at times
    map[d] = rnd(5) == 0 ? -1 : (first + d) % rank;
  if (tile_layout_project(&loop, map, rank, &projected, NULL))
    check_projection(&loop, &projected, map, rank);
  // A permutation of the registers serves; another fragment seldom does.
  bool ok = check_registers(&loop, &loop);
  CHECK(ok, "a fragment does not hold itself");
  if (check_registers(&loop, &other))
    ++*found;
  else
    ++*refused;
}

static void test_random_fragments(void **state) {
  int found = 0, refused = 0;
  (void)state;
  for (int i = 0; i < ROUNDS; i++)
    round_of(&found, &refused);
  CHECK(found > 10 && refused > 10, "found %d, refused %d", found, refused);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_fragments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

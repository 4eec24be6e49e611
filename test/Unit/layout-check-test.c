//===- layout-check-test.c - Layouts that do not serve, and where ---------===//
//
// Random layouts, many of them wrong: what the checks say is what enumeration
// finds, and the elements they name show it.
//
//===----------------------------------------------------------------------===//

#include "layout-random.h"

enum { ROUNDS = 6000, MAX_ELEMS = 4096 };

// The next point "(1, 2)" of a message; NULL without one.
static const char *read_point(const char *text, int rank, int64_t *out) {
  const char *at = text ? strchr(text, '(') : NULL;
  for (int d = 0; at && d < rank; d++) {
    char *end;
    out[d] = strtoll(at + 1, &end, 10);
    at = end > at + 1 ? end : NULL;
  }
  return at;
}

static bool is_injective(const TileLayout *l) {
  static int64_t offset[MAX_ELEMS];
  int64_t size = tile_layout_size(&l->in), at[TILE_LAYOUT_MAX_AXES];
  for (int64_t i = 0; i < size; i++) {
    tile_layout_point(&l->in, i, at);
    tile_layout_eval(l, at, &offset[i]);
    for (int64_t k = 0; k < i; k++)
      if (offset[k] == offset[i])
        return false;
  }
  return true;
}

// Moves the top digit down, mostly to where the others reach.
static void lower_top(TileLayout *l) {
  TileLayoutDigit *top = &l->out.digit[l->out.num_digits - 1];
  if (l->out.num_digits > 1 && top[0].stride > top[-1].stride + 1)
    top->stride -=
        1 + (int64_t)rnd((unsigned)(top[0].stride - top[-1].stride - 1));
}

static void test_memory(void **state) {
  (void)state;
  int replicated = 0, overlapping = 0, cautious = 0, no_formula = 0, good = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    int64_t shape[3], x[3], y[3], a, b;
    TileLayout l;
    TileReason e = {""};
    if (!random_memory(&l, shape, rank, rnd(2), rnd(3) > 0) ||
        tile_layout_size(&l.in) > MAX_ELEMS)
      continue;
    if (rnd(3) == 0)
      lower_top(&l);
    if (tile_layout_check_memory(&l, &e)) {
      CHECK(is_injective(&l), "taken");
      good++;
    } else if (strstr(e.text, "share") && !strstr(e.text, "formula")) {
      CHECK(read_point(read_point(e.text, rank, x), rank, y) &&
                memcmp(x, y, sizeof *x * (size_t)rank) != 0 &&
                tile_layout_eval(&l, x, &a) && tile_layout_eval(&l, y, &b) &&
                a == b,
            "%s", e.text);
      *(strstr(e.text, "overlap") ? &overlapping : &replicated) += 1;
    } else {
      no_formula += strstr(e.text, "formula") != NULL;
      cautious += strstr(e.text, "overlap within") != NULL;
    }
  }
  CHECK(good > 500 && replicated > 300 && overlapping > 50 && cautious > 20 &&
            no_formula > 20,
        "good %d, replicated %d, overlapping %d, cautious %d, no formula %d",
        good, replicated, overlapping, cautious, no_formula);
}

static void test_fragments(void **state) {
  (void)state;
  int good = 0, uncovered = 0, no_formula = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    int64_t shape[3], padded[3], x[3], y[TILE_LAYOUT_MAX_AXES];
    Piece piece[32];
    TileLayout f;
    TileReason e = {""};
    int digits = overhanging_shape(shape, padded, rank, piece);
    if (!random_fragment(&f, shape, rank, piece, digits, 3, 1, rnd(2)))
      continue;
    bool is_good = tile_layout_check_fragment(&f, &e);
    bool is_cover = strstr(e.text, "cover") == NULL;
    CHECK(is_cover == tile_layout_covers(&f), "%s", e.text);
    good += is_good, no_formula += is_cover && !is_good;
    if (is_cover)
      continue;
    CHECK(read_point(e.text, rank, x), "%s", e.text);
    for (int d = 0; d < rank; d++)
      CHECK(x[d] < shape[d], "the element exists: %s", e.text);
    for (int64_t k = 0; k < tile_layout_size(&f.in); k++) {
      int64_t in[3];
      tile_layout_point(&f.in, k, in);
      tile_layout_eval(&f, in, y);
      CHECK(memcmp(x, y, sizeof *x * (size_t)rank) != 0, "held: %s", e.text);
    }
    uncovered++;
  }
  CHECK(good > 1000 && uncovered > 300 && no_formula > 20,
        "good %d, uncovered %d, no formula %d", good, uncovered, no_formula);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_fragments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

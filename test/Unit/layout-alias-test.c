//===- layout-alias-test.c - One storage seen as several tiles ------------===//
//
// tile_layout_reinterpret against its definition: byte b of the one tile, in
// row-major order, is byte b of the other. What is after the end of a fragment
// is after the end of its view.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutHardware.h"
#include "layout-random.h"

enum { ROUNDS = 2000, RANK = 3 };

static int64_t byte_of(const TileLayout *l, const int64_t *shape, int rank,
                       int bits, int64_t linear_byte) {
  int64_t in[TILE_LAYOUT_MAX_AXES], offset = -1;
  int64_t elem_bytes = bits / 8, linear = linear_byte / elem_bytes;
  for (int d = rank - 1; d >= 0; d--)
    in[d] = linear % shape[d], linear /= shape[d];
  CHECK(tile_layout_eval(l, in, &offset), "byte %lld", (long long)linear_byte);
  return offset * elem_bytes + linear_byte % elem_bytes;
}

static void same_bytes(const TileLayout *l, const int64_t *shape, int rank,
                       int bits, const TileLayout *v, const int64_t *seen,
                       int to_bits) {
  int64_t num_bytes = tile_layout_size(&l->in) * bits / 8;
  for (int64_t b = 0; b < num_bytes; b++)
    CHECK(byte_of(l, shape, rank, bits, b) ==
              byte_of(v, seen, RANK, to_bits, b),
          "byte %lld", (long long)b);
}

// Extents with |n| elements, cut at random.
static void random_cut(int64_t n, int64_t *shape) {
  shape[0] = shape[1] = 1, shape[2] = n;
  for (int d = 0; d < 2; d++)
    for (int p = 2; p <= 5; p++)
      while (shape[2] % p == 0 && rnd(3) == 0)
        shape[2] /= p, shape[d] *= p;
}

static void test_random(void **state) {
  (void)state;
  static const int widths[] = {8, 16, 32, 64};
  long narrowed = 0, widened = 0, kept = 0, one_way = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3), bits = widths[rnd(4)], to = widths[rnd(4)];
    int64_t shape[3], seen[3];
    TileLayout l, v, back;
    if (!random_memory(&l, shape, rank, rnd(2), false))
      continue;
    int64_t num_bytes = tile_layout_size(&l.in) * bits / 8;
    if (num_bytes % (to / 8))
      continue;
    random_cut(num_bytes / (to / 8), seen);
    if (!tile_layout_reinterpret(&l, bits, seen, RANK, to, &v, NULL))
      continue;
    *(to < bits ? &narrowed : to > bits ? &widened : &kept) += 1;
    same_bytes(&l, shape, rank, bits, &v, seen, to);
    if (tile_layout_reinterpret(&v, to, shape, rank, bits, &back, NULL))
      CHECK(tile_layout_equal(&back, &l), "there and back");
    else
      one_way++;
  }
  // Odd digits may be cut such that they cannot be put together again.
  CHECK(narrowed > 200 && widened > 50 && kept > 200 && one_way < 100,
        "narrowed %ld, widened %ld, kept %ld, one way %ld", narrowed, widened,
        kept, one_way);
}

//===-- Fragments that overhang -------------------------------------------===//

// Every point of `f` is the same element of `v`, or none of either.
static void same_elements(const TileLayout *f, const TileLayout *v) {
  for (int64_t k = 0; k < tile_layout_size(&f->in); k++) {
    int64_t x[3], y[TILE_LAYOUT_MAX_AXES], z[TILE_LAYOUT_MAX_AXES];
    tile_layout_point(&f->in, k, x);
    CHECK(tile_layout_eval(f, x, y) && tile_layout_eval(v, x, z), "gap");
    CHECK(tile_layout_in_tile(f, y) == tile_layout_in_tile(v, z),
          "point %lld exists in one of two", (long long)k);
    int64_t from = 0, to = 0;
    for (int d = 0; d < f->out.num_axes; d++)
      from = from * f->out.extent[d] + y[d];
    for (int d = 0; d < v->out.num_axes; d++)
      to = to * v->out.extent[d] + z[d];
    CHECK(!tile_layout_in_tile(f, y) || from == to, "point %lld", (long long)k);
  }
}

// Each dimension alone, cut in two or with a dimension of one before it, or
// with the one after it: returns the rank. `out_begins` says of every dimension
// of the tile whether one of the view begins with it.
static int regroup(const int64_t *shape, int rank, int64_t *seen,
                   bool *out_begins) {
  int n = 0;
  for (int d = 0; d < rank; d++) {
    int64_t divisor = 1 + (int64_t)rnd(6);
    out_begins[d] = true;
    if (rnd(6) == 0)
      seen[n++] = 1;
    if (rnd(2) && shape[d] % divisor == 0) {
      seen[n++] = shape[d] / divisor, seen[n++] = divisor;
      continue;
    }
    seen[n++] = shape[d];
    for (; d + 1 < rank && rnd(3) == 0; d++) {
      out_begins[d + 1] = seen[n - 1] == 1;
      seen[n - 1] *= shape[d + 1];
    }
  }
  return n;
}

static void test_overhang(void **state) {
  (void)state;
  long taken = 0, overhanging = 0, unlike = 0, cut = 0;
  for (int round = 0; round < 2 * ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    int64_t shape[3], padded[3], seen[TILE_LAYOUT_MAX_AXES + 4];
    bool begins[4];
    Piece piece[32];
    TileLayout f, v, back;
    TileReason e = {""};
    int digits = overhanging_shape(shape, padded, rank, piece);
    if (!random_fragment(&f, shape, rank, piece, digits, 3, 1, false))
      continue;
    int n = regroup(shape, rank, seen, begins);
    bool must_fail = false;
    for (int d = 0; d < rank; d++)
      must_fail |= tile_layout_overhangs(&f, d) && !begins[d];
    if (!tile_layout_reinterpret(&f, 32, seen, n, 32, &v, &e)) {
      bool is_unlike = strstr(e.text, "no dimension of the view begins") != 0;
      CHECK(is_unlike == must_fail, "%s", e.text);
      unlike += is_unlike;
      cut += strstr(e.text, "cuts a digit") != NULL;
      continue;
    }
    CHECK(!must_fail, "an overhang in the middle of a run");
    same_elements(&f, &v);
    CHECK(tile_layout_covers(&v) == tile_layout_covers(&f), "cover");
    if (tile_layout_reinterpret(&v, 32, shape, rank, 32, &back, &e))
      CHECK(tile_layout_equal(&back, &f), "there and back");
    taken++;
    overhanging += tile_layout_has_overhang(&f);
  }
  CHECK(taken > 1000 && overhanging > 500 && unlike > 100 && cut > 100,
        "taken %ld, overhanging %ld, unlike %ld, cut %ld", taken, overhanging,
        unlike, cut);
}

// 101 rows of 68: 32 lanes by 4 of them, 17 times 4 columns each. Heads, rows
// and the whole tile are one storage; 68 x 101 cuts rows elsewhere.
static void test_known_overhang(void **state) {
  (void)state;
  static const struct {
    int64_t shape[4];
    int rank;
    const char *why; // NULL: a view
  } cases[] = {{{101, 68}, 2, NULL},
               {{1, 101, 1, 68}, 4, NULL},
               {{101, 17, 4}, 3, NULL},
               {{6868}, 1, NULL},
               {{404, 17}, 2, NULL},
               {{68, 101}, 2, "dimension 1 of extent 101 cuts a digit"},
               {{101, 67}, 2, "6868 elements become 6767"}};
  TileLayout f, v;
  TileReason e = {""};
  CHECK(tile_layout_parse("bases<reg=(d1:1*68), lane=(d0:1*32), "
                          "warp=(d0:32*4) -> d0:101, d1:68>",
                          (int64_t[]){101, 68}, 2, 32, &f, &e),
        "%s", e.text);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    e.text[0] = '\0';
    bool is_view = tile_layout_view(&f, cases[i].shape, cases[i].rank, &v, &e);
    CHECK(is_view == !cases[i].why, "case %zu: %s", i, e.text);
    if (is_view)
      same_elements(&f, &v);
    else
      CHECK(strstr(e.text, cases[i].why), "case %zu: %s", i, e.text);
  }
  // 20 values for 10 rows, 5 at the top. Rows of 5 put the 5 below.
  CHECK(tile_layout_parse("bases<reg=(d0:1*20), lane=(0*32), warp=() -> d0:10>",
                          (int64_t[]){10}, 1, 32, &f, &e),
        "%s", e.text);
  CHECK(!tile_layout_view(&f, (int64_t[]){2, 5}, 2, &v, &e) &&
            strstr(e.text, "dimension 0 of extent 2 would have 4 values"),
        "%s", e.text);
}

//===-- Known layouts -----------------------------------------------------===//

// Swizzles move 16 bytes: words of a swizzled tile of bytes are a swizzle, too.
static void test_swizzle(void **state) {
  (void)state;
  int64_t bytes[2] = {16, 128}, words[2] = {16, 32};
  TileLayout l, v, expected;
  CHECK(tile_hw_swizzle(bytes, 2, 8, 128, &l, NULL) &&
            tile_hw_swizzle(words, 2, 32, 128, &expected, NULL) &&
            tile_layout_reinterpret(&l, 8, words, 2, 32, &v, NULL) &&
            tile_layout_equal(&v, &expected),
        "swizzle");
}

static void test_refusals(void **state) {
  (void)state;
  int64_t shape[2] = {32, 8}, seen[1] = {128};
  TileLayout fragment, columns, out;
  TileReason e = {""};
  CHECK(tile_layout_parse("bases<reg=(d1:1*8), lane=(d0:1*32) -> d0:32, d1:8>",
                          shape, 2, 16, &fragment, &e),
        "%s", e.text);
  CHECK(!tile_layout_reinterpret(&fragment, 16, seen, 1, 32, &out, &e) &&
            strstr(e.text, "registers hold elements of 16 bits, not of 32"),
        "%s", e.text);
  // Neighbours of a row are 32 elements apart: no wider element holds them.
  CHECK(tile_layout_parse("bases<d0=(o:1*32), d1=(o:32*8) -> o:256>", shape, 2,
                          16, &columns, &e),
        "%s", e.text);
  CHECK(!tile_layout_reinterpret(&columns, 16, seen, 1, 32, &out, &e),
        "columns");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),         cmocka_unit_test(test_overhang),
      cmocka_unit_test(test_known_overhang), cmocka_unit_test(test_swizzle),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

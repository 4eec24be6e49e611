//===- layout-alias-test.c - One storage seen as several tiles ------------===//
//
// tile_layout_reinterpret against its definition: byte b of the one tile, in
// row-major order, is byte b of the other.
//
//===----------------------------------------------------------------------===//

#include "Tile/LayoutHardware.h"
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
  TileLayoutError e = {""};
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
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_swizzle),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

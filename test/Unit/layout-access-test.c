//===- layout-access-test.c - What accesses, conversions and TMA cost -----===//
//
// Vector widths, wavefronts, conversions and TMA boxes of random layouts are
// compared with naive searches; 3,000 rounds, seed in layout-check.h.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutAccess.h"
#include "Layout/LayoutHardware.h"
#include "layout-random.h"

enum { ROUNDS = 3000 };
static long boxed, kinds[5], counted[2];

static void vector_width(const TileLayout *f, const TileLayout *s, int bits) {
  TileLayout a;
  if (!tile_layout_compose(f, s, &a, NULL))
    return;
  int64_t regs = a.in.extent[0], threads = a.in.extent[1] * a.in.extent[2];
  if (regs > 256 || threads > 64)
    return;
  int best = 1;
  for (int v = 2; v <= 128 / bits; v *= 2) {
    bool ok = true;
    int64_t home[256];
    for (int64_t t = 0; t < threads && ok; t++) {
      int64_t o[256];
      for (int64_t r = 0; r < regs; r++)
        tile_layout_eval(
            &a, (int64_t[]){r, t % a.in.extent[1], t / a.in.extent[1]}, &o[r]);
      for (int64_t r = 0; r < regs && ok; r++) {
        if (t == 0)
          home[r] = o[r] % v;
        ok = home[r] == o[r] % v; // static position in the vector
        for (int i = 0; i < v && ok; i++) {
          bool found = false;
          for (int64_t q = 0; q < regs && !found; q++)
            found = o[q] == o[r] / v * v + i;
          ok = found;
        }
      }
    }
    if (ok)
      best = v;
  }
  int got = tile_layout_vector_width(&a, bits);
  CHECK(got <= best, "vector width %d is not possible, %d is", got, best);
  bool pure = true;
  for (int j = 0; j < a.out.num_digits; j++)
    pure &= a.out.digit[j].stride == (int64_t)1 << j;
  if (pure)
    CHECK(got == best, "vector width %d, naive %d", got, best);
}

// Wavefronts counted anew, with a bitmap per bank, over all instructions.
static void wavefronts(const TileLayout *f, const TileLayout *s, int bits) {
  enum { MAX_OFFSET = 16384 };
  TileLayout a;
  TileLayoutAccess x;
  if (!tile_layout_compose(f, s, &a, NULL) ||
      a.out.extent[0] * bits / 8 > MAX_OFFSET ||
      !tile_layout_shared_access(f, s, bits, false, &x, NULL))
    return;
  bool bits_only = true;
  for (int i = 0; i < a.in.num_digits; i++)
    bits_only &= a.in.digit[i].radix == 2;
  for (int j = 0; j < a.out.num_digits; j++)
    bits_only &= a.out.digit[j].stride == (int64_t)1 << j;
  if (!bits_only && x.instructions > 4)
    return; // more than four instructions are extrapolated
  int v = x.vec_elems, bytes = v * bits / 8,
      group = bytes <= 4 ? 32 : 128 / bytes;
  static bool done[MAX_OFFSET];
  memset(done, 0, sizeof done);
  int64_t waves = 0, n = 0, o;
  for (int64_t r = 0; r < a.in.extent[0]; r++) {
    tile_layout_eval(&a, (int64_t[]){r, 0, 0}, &o);
    if (done[o / v])
      continue; // an element of a vector that was counted
    done[o / v] = true, n++;
    for (int g = 0; g < 32; g += group) {
      static bool word[MAX_OFFSET];
      memset(word, 0, sizeof word);
      int most = 0;
      for (int l = g; l < g + group; l++) {
        tile_layout_eval(&a, (int64_t[]){r, l % a.in.extent[1], 0}, &o);
        for (int64_t b = o / v * bytes; b < (o / v + 1) * bytes; b++)
          word[b / 4] = true;
      }
      for (int bank = 0; bank < 32; bank++) {
        int load = 0;
        for (int w = bank; w < MAX_OFFSET; w += 32)
          load += word[w];
        most = load > most ? load : most;
      }
      waves += most;
    }
  }
  CHECK(x.instructions == n, "instructions %lld, naive %lld",
        (long long)x.instructions, (long long)n);
  CHECK(x.wavefronts == waves, "wavefronts %lld, naive %lld",
        (long long)x.wavefronts, (long long)waves);
  counted[bits_only]++;
}

// 0: nothing to do, 1: static renaming, 2: same thread, 3: same warp, 4: other.
static int naive_conversion(const TileLayout *s, const TileLayout *d) {
  int level = 0;
  int64_t y[4], z[4];
  int rank = s->out.num_axes;
  for (int64_t k = 0; k < tile_layout_size(&d->in); k++) {
    int64_t x[3];
    tile_layout_point(&d->in, k, x);
    tile_layout_eval(d, x, y);
    int need = 4;
    for (int64_t l = 0; l < s->in.extent[1]; l++)
      for (int64_t r = 0; r < s->in.extent[0]; r++) {
        int64_t q[3] = {r, l, x[2]};
        tile_layout_eval(s, q, z);
        if (memcmp(y, z, sizeof(int64_t) * (size_t)rank))
          continue;
        int n = l != x[1] ? 3 : r == x[0] ? 0 : 2;
        need = n < need ? n : need;
      }
    level = need > level ? need : level;
  }
  return level;
}

static void conversion(const TileLayout *s, const TileLayout *d) {
  TileLayoutConversion c;
  TileReason e = {""};
  if (s->in.extent[0] > 64 || d->in.extent[0] > 64)
    return;
  if (!tile_layout_plan_conversion(s, d, 32, &c, &e))
    return;
  kinds[c.kind]++;
  int naive = naive_conversion(s, d);
  CHECK((c.kind == TILE_LAYOUT_CONV_NONE) == (naive == 0),
        "none: kind %d naive %d", c.kind, naive);
  CHECK((c.kind <= TILE_LAYOUT_CONV_SELECT) == (naive <= 2),
        "register: kind %d naive %d", c.kind, naive);
  if (c.kind == TILE_LAYOUT_CONV_SHUFFLE)
    CHECK(naive == 3, "shuffle: naive %d", naive);
  for (int64_t k = 0;
       k < tile_layout_size(&d->in) && c.kind != TILE_LAYOUT_CONV_SHARED; k++) {
    int64_t x[3], from[3], have[4], want[4]; // the route delivers every element
    tile_layout_point(&d->in, k, x);
    CHECK(tile_layout_eval(&c.route, x, from), "gap");
    tile_layout_eval(s, from, have), tile_layout_eval(d, x, want);
    CHECK(!memcmp(have, want, sizeof(int64_t) * (size_t)s->out.num_axes),
          "route, kind %d", c.kind);
    CHECK(from[2] == x[2] &&
              (c.kind == TILE_LAYOUT_CONV_SHUFFLE || from[1] == x[1]),
          "route crosses, kind %d", c.kind);
    CHECK(c.kind != TILE_LAYOUT_CONV_NONE || from[0] == x[0], "none");
  }
}

static void tma(const TileLayout *s, int bits, int rank) {
  TileLayoutTma t;
  TileReason e = {""};
  if (!tile_layout_derive_tma(s, bits, rank - 1, &t, &e)) {
    CHECK(e.text[0], "a reason");
    return;
  }
  boxed++;
  for (int d = 0; d < rank; d++)
    CHECK(t.box[d] >= 1 && t.box[d] <= 256, "box extent %lld",
          (long long)t.box[d]);
  CHECK(!t.swizzle || t.box[rank - 1] * bits == 8 * t.swizzle, "swizzled row");
  CHECK(t.box[rank - 1] * bits % 128 == 0, "16-byte rows");
  int64_t seen = 0, at[4], o, expect;
  for (int64_t i = 0; i < t.count; i++) {
    tile_layout_eval(&t.coords, &i, at), tile_layout_eval(&t.offsets, &i, &o);
    int64_t n = 1, c[4] = {0};
    for (int d = 0; d < rank; d++)
      n *= t.box[d];
    // The box is dense: contiguous dimension first, then in the order of |s|.
    for (int64_t k = 0; k < n; k++, seen++) {
      int64_t rest = k, x[4];
      for (int d = rank - 1; d >= 0; d--)
        c[d] = rest % t.box[d], rest /= t.box[d], x[d] = at[d] + c[d];
      int64_t in_box = 0, weight = 1; // rank 2 tests: last dim, then first
      for (int d = rank - 1; d >= 0; d--)
        in_box += c[d] * weight, weight *= t.box[d];
      int64_t bit = (o + in_box) * bits, byte = bit / 8;
      if (t.swizzle)
        byte ^= byte >> 3 & (t.swizzle - 16) & 0x70;
      tile_layout_eval(s, x, &expect);
      if (rank <= 2)
        CHECK(byte * 8 + bit % 8 == expect * bits, "tma box %lld element %lld",
              (long long)i, (long long)k);
    }
  }
  CHECK(seen == tile_layout_size(&s->in), "boxes cover the tile");
}

//===-- Tests -------------------------------------------------------------===//

static void test_random_layouts(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    bool odd = rnd(2), wild = rnd(2);
    int64_t shape[3];
    TileLayout s, f, g;
    Piece piece[32];
    if (random_memory(&s, shape, rank, odd, wild))
      tma(&s, 8 << rnd(3), rank);
    // Fragments and memory layouts of one tile.
    int n = random_shape(shape, rank, 8, rnd(2), piece);
    wild = rnd(2);
    if (!random_fragment(&f, shape, rank, piece, n, 3, 1, wild) ||
        !random_fragment(&g, shape, rank, piece, n, 3, 1, wild))
      continue;
    if (tile_layout_covers(&f))
      conversion(&f, &g);
    dense_memory(&s, shape, rank, piece, n, false);
    tma(&s, 8 << rnd(3), rank);
    vector_width(&f, &s, 16);
    wavefronts(&f, &s, 8 << rnd(3));
    dense_memory(&s, shape, rank, piece, n, true);
    wavefronts(&f, &s, 8 << rnd(3));
  }
  // Every branch was taken often enough to mean something.
  CHECK(boxed > 50, "box sequences %ld", boxed);
  CHECK(counted[0] > 200 && counted[1] > 500,
        "conflicts: %ld padded, %ld plain", counted[0], counted[1]);
  for (int k = 0; k < 5; k++)
    CHECK(kinds[k] > 10, "conversions of kind %d: %ld", k, kinds[k]);
}

static void test_named_tma(void **state) {
  (void)state;
  TileLayout s;
  static const int64_t shapes[][2] = {{64, 64}, {128, 192}, {176, 128},
                                      {8, 320}, {80, 96},   {512, 64}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int bits = 4; bits <= 32; bits *= 2)
      for (int span = 16; span <= 128; span *= 2)
        if (tile_hw_swizzle(shapes[i], 2, bits, span, &s, NULL))
          tma(&s, bits, 2);
  tile_hw_linear((int64_t[]){8, 512}, 2, &s, NULL), tma(&s, 16, 2);
  tile_hw_linear((int64_t[]){1024, 64}, 2, &s, NULL), tma(&s, 16, 2);
  TileReason e = {""};
  TileLayoutTma t;
  tile_hw_padded((int64_t[]){64, 128}, 2, 136, &s, NULL);
  CHECK(!tile_layout_derive_tma(&s, 16, 1, &t, &e), "padded must be refused");
  tile_hw_swizzle_t((int64_t[]){64, 64}, 2, 16, 128, &s, NULL);
  CHECK(!tile_layout_derive_tma(&s, 16, 1, &t, &e),
        "transposed must be refused");
}

static void test_known_conflicts(void **state) {
  (void)state;
  // ldmatrix of A from swizzle<128>: no conflict; from linear: eight-fold.
  TileHwMma g = {64, 64, 64, 1, 1, 16, 16};
  TileLayout a, s, l, p;
  TileLayoutAccess x;
  int64_t shape[2] = {64, 64};
  tile_hw_mma_a(&g, &a, NULL);
  tile_hw_swizzle(shape, 2, 16, 128, &s, NULL),
      tile_hw_linear(shape, 2, &l, NULL),
      tile_hw_padded(shape, 2, 72, &p, NULL);
  CHECK(tile_layout_shared_access(&a, &s, 16, true, &x, NULL) &&
            x.move == TILE_LAYOUT_LDMATRIX && x.wavefronts == x.ideal,
        "swizzle");
  CHECK(tile_layout_shared_access(&a, &l, 16, true, &x, NULL) &&
            x.wavefronts == 8 * x.ideal,
        "linear %lld of %lld", (long long)x.wavefronts, (long long)x.ideal);
  CHECK(tile_layout_shared_access(&a, &p, 16, true, &x, NULL) &&
            x.wavefronts == x.ideal,
        "padded");
  CHECK(tile_layout_shared_access(&a, &s, 16, false, &x, NULL) &&
            x.vec_elems == 2,
        "simt");
  tile_hw_mma_b(&g, false, &a, NULL);
  CHECK(tile_layout_shared_access(&a, &s, 16, true, &x, NULL) &&
            x.move == TILE_LAYOUT_LDMATRIX_TRANS && x.wavefronts == x.ideal,
        "trans");
}

// Factors of f64 in tiles with either dimension contiguous: the swizzle of 64
// bytes has no conflict.
static void test_doubles(void **state) {
  (void)state;
  TileHwMma g = {64, 64, 16, 2, 2, 64, 4};
  TileLayout f, s;
  TileLayoutAccess x;
  for (int is_nk = 0; is_nk < 2; is_nk++) {
    int64_t shape[2] = {is_nk ? 64 : 16, is_nk ? 16 : 64};
    CHECK(tile_hw_mma_b(&g, is_nk, &f, NULL) &&
              tile_hw_swizzle(shape, 2, 64, 64, &s, NULL) &&
              tile_layout_shared_access(&f, &s, 64, false, &x, NULL) &&
              x.wavefronts == x.ideal,
          "B %d: %lld of %lld", is_nk, (long long)x.wavefronts,
          (long long)x.ideal);
  }
  int64_t shape[2] = {64, 16};
  CHECK(tile_hw_mma_a(&g, &f, NULL) &&
            tile_hw_swizzle(shape, 2, 64, 64, &s, NULL) &&
            tile_layout_shared_access(&f, &s, 64, false, &x, NULL) &&
            x.wavefronts == x.ideal,
        "A: %lld of %lld", (long long)x.wavefronts, (long long)x.ideal);
}

// Lanes toggle bits of bytes 2, 4 and 128 only, but the second register adds
// 515: its bytes cross words, and two of its words meet in bank 1.
static void test_conflicts_after_a_carry(void **state) {
  (void)state;
  TileLayout f, s;
  TileLayoutAccess x;
  TileReason e = {""};
  int64_t shape[1] = {8};
  CHECK(tile_layout_parse("bases<reg=(d0:4), lane=(d0:1, d0:2, 0*8), warp=() "
                          "-> d0:8>",
                          shape, 1, 8, &f, &e) &&
            tile_layout_parse("bases<d0=(o:2, o:128^o:4, o:515) -> o:650>",
                              shape, 1, 8, &s, &e) &&
            tile_layout_shared_access(&f, &s, 8, false, &x, &e),
        "%s", e.text);
  CHECK(x.instructions == 2 && x.wavefronts == 3, "%lld wavefronts",
        (long long)x.wavefronts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_layouts),
      cmocka_unit_test(test_named_tma),
      cmocka_unit_test(test_known_conflicts),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_conflicts_after_a_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

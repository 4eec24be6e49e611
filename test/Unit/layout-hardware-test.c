//===- layout-hardware-test.c - Layouts that the hardware fixes -----------===//
//
// Enumerates every hardware layout against the PTX ISA formulas, which are
// written here as the ISA writes them (conditions on i, groupID, threadID).
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutAccess.h"
#include "Layout/LayoutHardware.h"
#include "layout-check.h"

static void at(const TileLayout *l, int reg, int lane, int warp, int64_t *rc) {
  int64_t in[3] = {reg, lane, warp};
  CHECK(tile_layout_eval(l, in, rc), "gap");
}

static void wgmma_acc(int wg_m, int wg_n, int n) {
  TileLayout l;
  TileReason e = {""};
  int64_t rc[2];
  int m = 64 * wg_m;
  CHECK(tile_hw_wgmma_acc(m, n * wg_n, wg_m, wg_n, &l, &e), "%s", e.text);
  CHECK(tile_layout_replication(&l) == 1 && tile_layout_covers(&l), "n%d", n);
  for (int w = 0; w < 4 * wg_m * wg_n; w++)
    for (int t = 0; t < 32; t++)
      for (int i = 0; i < n / 2; i++) {
        at(&l, i, t, w, rc);
        int row = 16 * (w % 4) + t / 4 + 8 * (i / 2 % 2);
        int col = 8 * (i / 4) + t % 4 * 2 + i % 2;
        CHECK(rc[0] == row + 64 * (w / 4 % wg_m) &&
                  rc[1] == col + n * (w / 4 / wg_m),
              "m64n%d i%d t%d w%d", n, i, t, w);
      }
}

static void wgmma_a(int bits, int k) {
  TileLayout l;
  TileReason e = {""};
  int64_t rc[2];
  CHECK(tile_hw_wgmma_a(64, k, bits, 1, 1, &l, &e), "%s", e.text);
  int p = 32 / bits;
  for (int w = 0; w < 4; w++)
    for (int t = 0; t < 32; t++)
      for (int i = 0; i < 4 * p; i++) {
        at(&l, i, t, w, rc);
        CHECK(rc[0] == 16 * w + t / 4 + 8 * (i / p % 2) &&
                  rc[1] == t % 4 * p + i % p + 4 * p * (i / (2 * p)),
              "A%d", bits);
      }
}

// A, B, C of mma.sync by shape, literally from the ISA's per-shape text.
static int isa_a_row(int bits, int k, int i, int g) {
  if (bits == 16)
    return k == 8 ? (i < 2 ? g : g + 8)
                  : ((i >= 0 && i < 2) || (i >= 4 && i < 6) ? g : g + 8);
  if (bits == 8)
    return k == 16 ? (i < 4 ? g : g + 8)
                   : ((i >= 0 && i < 4) || (i >= 8 && i < 12) ? g : g + 8);
  if (bits == 4)
    return k == 32 ? (i < 8 ? g : g + 8)
                   : (i < 8 || (i >= 16 && i < 24) ? g : g + 8);
  return k == 4 ? (i == 0 ? g : g + 8) : (i == 0 || i == 2 ? g : g + 8);
}
static int isa_a_col(int bits, int k, int i, int t) {
  if (bits == 16)
    return k == 8 ? t * 2 + (i & 1)
                  : (i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8);
  if (bits == 8)
    return k == 16 ? t * 4 + (i & 3)
                   : (i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16);
  if (bits == 4)
    return k == 32 ? t * 8 + (i & 7)
                   : (i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32);
  return k == 4 ? t : (i < 2 ? t : t + 4);
}
static int isa_b_row(int bits, int k, int i, int t) {
  if (bits == 16)
    return k == 8 ? t * 2 + i : (i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8);
  if (bits == 8)
    return k == 16 ? t * 4 + i
                   : (i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16);
  if (bits == 4)
    return k == 32 ? t * 8 + i
                   : (i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32);
  return k == 4 ? t : (i == 0 ? t : t + 4);
}

static void mma(int bits, int k) {
  TileHwMma g = {16, 8, k, 1, 1, bits, k};
  TileLayout a, b, bt, c;
  TileReason e = {""};
  int64_t rc[2];
  CHECK(tile_hw_mma_a(&g, &a, &e) && tile_hw_mma_b(&g, false, &b, &e) &&
            tile_hw_mma_b(&g, true, &bt, &e) && tile_hw_mma_c(&g, &c, &e),
        "%s", e.text);
  for (int l = 0; l < 32; l++) {
    int grp = l >> 2, t = l % 4;
    for (int i = 0; i < 16 * k / 32; i++) {
      at(&a, i, l, 0, rc);
      CHECK(rc[0] == isa_a_row(bits, k, i, grp) &&
                rc[1] == isa_a_col(bits, k, i, t),
            "A b%d k%d i%d", bits, k, i);
    }
    for (int i = 0; i < 8 * k / 32; i++) {
      at(&b, i, l, 0, rc);
      CHECK(rc[0] == isa_b_row(bits, k, i, t) && rc[1] == grp, "B b%d k%d",
            bits, k);
      at(&bt, i, l, 0, rc);
      CHECK(rc[1] == isa_b_row(bits, k, i, t) && rc[0] == grp, "Bt b%d k%d",
            bits, k);
    }
    for (int i = 0; i < 4; i++) {
      at(&c, i, l, 0, rc);
      CHECK(rc[0] == (i < 2 ? grp : grp + 8) && rc[1] == t * 2 + (i & 1),
            "C %d", i);
    }
  }
}

// The address the hardware computes from a descriptor (canonical layouts of the
// PTX ISA), against the layout, for every element of the operand.
static void descriptor(const TileLayout *l, const TileHwDesc *d, int bits,
                       int mn_dim) {
  int64_t in[2], o, wrong = 0;
  int64_t chunk = d->mode * 8 / bits, t = 128 / bits;
  for (int64_t i = 0; i < l->in.extent[mn_dim]; i++)
    for (int64_t k = 0; k < l->in.extent[1 - mn_dim]; k++) {
      int64_t a, mask = d->mode > 16 ? (d->mode - 16) & 0x70 : 0;
      if (!d->mn_major && d->mode > 16)
        a = i / 8 * d->sbo + i % 8 * d->mode + k / chunk * d->k_chunk +
            k % chunk * bits / 8;
      else if (!d->mn_major)
        a = i / 8 * d->sbo + i % 8 * 16 + k / t * d->lbo + k % t * bits / 8;
      else if (d->mode > 16)
        a = i / chunk * d->lbo + k / 8 * d->sbo + k % 8 * d->mode +
            i % chunk * bits / 8;
      else
        a = i / t * d->sbo + k / 8 * d->lbo + k % 8 * 16 + i % t * bits / 8;
      in[mn_dim] = i, in[1 - mn_dim] = k;
      tile_layout_eval(l, in, &o);
      wrong += o * bits / 8 != (a ^ (a >> 3 & mask));
    }
  CHECK(!wrong, "descriptor mode %d mn %d: %lld addresses differ", d->mode,
        d->mn_major, (long long)wrong);
}

// Swizzles against the byte-address formula, and descriptors.
static void swizzle(int bits, int span, int rows, int cols, int stages) {
  TileLayout l;
  TileReason e = {""};
  int64_t shape[3] = {stages, rows, cols}, in[3], o, d = 0;
  CHECK(tile_hw_swizzle(shape, 3, bits, span, &l, &e), "%s", e.text);
  CHECK(tile_layout_check_memory(&l, &e) &&
            tile_layout_span(&l.out, 0) == (int64_t)stages * rows * cols,
        "%s", e.text);
  int chunk = span * 8 / bits;
  for (in[0] = 0; in[0] < stages; in[0]++)
    for (in[1] = 0; in[1] < rows; in[1]++)
      for (in[2] = 0; in[2] < cols; in[2]++) {
        tile_layout_eval(&l, in, &o);
        int64_t lin = in[0] * rows * cols + in[2] / chunk * rows * chunk +
                      in[1] * chunk + in[2] % chunk;
        int64_t bit = lin * bits, byte = bit / 8;
        int64_t mask = span == 128  ? 0x70
                       : span == 64 ? 0x30
                       : span == 32 ? 0x10
                                    : 0;
        bit = (byte ^ (byte >> 3 & mask)) * 8 + bit % 8;
        d |= o * bits - bit;
      }
  CHECK(d == 0, "swizzle<%d> bits %d %dx%d", span, bits, rows, cols);
  TileLayout slot;
  TileHwDesc desc;
  CHECK(tile_layout_drop_leading(&l, &slot, &e), "%s", e.text);
  if (bits >= 8 && rows % 64 == 0 && cols * bits % 256 == 0) {
    CHECK(tile_hw_wgmma_desc(&slot, bits, 0, 1, 64, &desc, &e), "%s", e.text);
    CHECK(desc.mode == span && !desc.mn_major, "mode %d", desc.mode);
    descriptor(&slot, &desc, bits, 0);
    CHECK(desc.sbo == (span == 16 ? 128 : span * 8), "sbo %lld",
          (long long)desc.sbo);
    bool mn = tile_hw_wgmma_desc(&slot, bits, 1, 0, cols, &desc, NULL);
    CHECK(mn == (bits == 16), "mn-major needs 16-bit elements");
    if (mn)
      descriptor(&slot, &desc, bits, 1);
    if (mn)
      CHECK(desc.mn_major && (span == 16 ? desc.lbo : desc.sbo) == span * 8,
            "mn sbo %lld", (long long)desc.sbo);
  }
  TileLayoutTma tma;
  CHECK(tile_layout_derive_tma(&slot, bits, 1, &tma, &e), "%s", e.text);
  CHECK(tma.swizzle == (span == 16 ? 0 : span) && tma.box[1] == chunk,
        "tma swizzle %d box %lld", tma.swizzle, (long long)tma.box[1]);
}

//===-- Tests -------------------------------------------------------------===//

static void test_wgmma(void **state) {
  (void)state;
  for (int n = 8; n <= 256; n += 8)
    for (int wg = 1; wg <= 3; wg++)
      wgmma_acc(wg, 1, n), wgmma_acc(1, wg, n);
  wgmma_a(16, 16), wgmma_a(8, 32), wgmma_a(32, 8);
}

static void test_mma(void **state) {
  (void)state;
  mma(16, 8), mma(16, 16), mma(8, 16), mma(8, 32), mma(32, 4), mma(32, 8);
  mma(4, 32), mma(4, 64);
}

static void test_swizzles_and_descriptors(void **state) {
  (void)state;
  static const int spans[] = {128, 64, 32, 16};
  for (int s = 0; s < 4; s++)
    for (int bits = 4; bits <= 32; bits *= 2) {
      int chunk = spans[s] * 8 / bits;
      swizzle(bits, spans[s], 64, chunk * 3, 3);
      swizzle(bits, spans[s], 192, chunk, 2);
      swizzle(bits, spans[s], 64, chunk * 4, 2);
      swizzle(bits, spans[s], 80, chunk * 2, 5);
    }
}

// PTX ISA, matrix descriptor: address, both offsets and the swizzle, of units
// of 16 bytes where they are bytes.
static void test_descriptor_fields(void **state) {
  (void)state;
  static const struct {
    int mode;
    uint64_t code;
  } modes[] = {{16, 0}, {128, 1}, {64, 2}, {32, 3}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    TileHwDesc desc = {.mode = modes[i].mode, .lbo = 0x120, .sbo = 0x450};
    uint64_t bits = tile_hw_desc_encode(&desc, 0x8f670);
    assert_int_equal(bits & 0xffff, 0x8f670 >> 4 & 0x3fff);
    assert_int_equal(bits >> 16 & 0xffff, 0x12);
    assert_int_equal(bits >> 32 & 0xffff, 0x45);
    assert_int_equal(bits >> 48, modes[i].code << 14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wgmma),
      cmocka_unit_test(test_mma),
      cmocka_unit_test(test_swizzles_and_descriptors),
      cmocka_unit_test(test_descriptor_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

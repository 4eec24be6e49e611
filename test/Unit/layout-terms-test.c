//===- layout-terms-test.c - Layouts as shifts, masks, adds and XORs ------===//
//
// The terms of random layouts evaluate to the layout, for every point and every
// choice of constant axes; the terms of known layouts are the expected ones.
//
//===----------------------------------------------------------------------===//

#include "Layout/LayoutHardware.h"
#include "layout-eval.h"
#include "layout-random.h"

enum { ROUNDS = 3000 };

typedef struct {
  int split, refused, foldable, not_foldable, toggled;
} Counts;

//===-- Random layouts ----------------------------------------------------===//

static void all_points(const TileLayout *l, unsigned constant_axes,
                       TileLayoutTerms *t, Counts *n) {
  TileLayoutTerms plain = *t;
  memset(plain.is_foldable, 0, sizeof plain.is_foldable);
  for (int64_t k = 0; k < tile_layout_size(&l->in); k++) {
    int64_t x[TILE_LAYOUT_MAX_AXES], y[TILE_LAYOUT_MAX_AXES];
    tile_layout_point(&l->in, k, x);
    CHECK(tile_layout_eval(l, x, y), "gap");
    for (int a = 0; a < l->out.num_axes; a++) {
      TileLayoutConstant c = tile_layout_constant(l, constant_axes, a, x);
      n->toggled += c.toggle != 0;
      CHECK(terms_eval(t, a, x, c) == y[a],
            "axis %d point %lld: %lld, not %lld", a, (long long)k,
            (long long)terms_eval(t, a, x, c), (long long)y[a]);
      CHECK(terms_eval(&plain, a, x, c) == y[a],
            "axis %d point %lld, not folded", a, (long long)k);
      CHECK(constant_axes || (!c.toggle && !c.add), "no constant axes");
    }
  }
}

static void check_terms(const TileLayout *l, Counts *n) {
  unsigned constant_axes = rnd(1u << l->in.num_axes);
  TileLayoutTerms t;
  TileReason e = {""};
  if (!tile_layout_terms(l, constant_axes, &t, &e)) {
    CHECK(strstr(e.text, "terms: "), "a reason");
    n->refused++;
    return;
  }
  n->split++;
  for (int a = 0; a < l->out.num_axes; a++)
    *(t.is_foldable[a] ? &n->foldable : &n->not_foldable) += 1;
  for (int i = 0; i < t.num_terms; i++) {
    CHECK(!(constant_axes >> t.term[i].in_axis & 1), "a constant has no term");
    CHECK(i == 0 || t.term[i - 1].out_axis < t.term[i].out_axis ||
              (t.term[i - 1].out_axis == t.term[i].out_axis &&
               t.term[i - 1].is_xor >= t.term[i].is_xor),
          "order of the terms");
  }
  all_points(l, constant_axes, &t, n);
}

static void test_random_layouts(void **state) {
  (void)state;
  Counts n = {0};
  for (int round = 0; round < ROUNDS; round++) {
    int rank = 1 + (int)rnd(3);
    bool odd = rnd(2), wild = rnd(2);
    int64_t shape[3];
    TileLayout s, f, access;
    Piece piece[32];
    if (random_memory(&s, shape, rank, odd, wild)) {
      check_terms(&s, &n);
    }
    int digits = random_shape(shape, rank, 8, rnd(2), piece);
    if (!random_fragment(&f, shape, rank, piece, digits, 3, 1, rnd(2)))
      continue;
    check_terms(&f, &n);
    dense_memory(&s, shape, rank, piece, digits, false);
    if (tile_layout_compose(&f, &s, &access, NULL))
      check_terms(&access, &n);
  }
  CHECK(n.split > 8000 && n.refused > 100 && n.foldable > 5000 &&
            n.not_foldable > 100 && n.toggled > 10000,
        "split %d, refused %d, foldable %d, not %d, toggled %d", n.split,
        n.refused, n.foldable, n.not_foldable, n.toggled);
}

//===-- Known layouts -----------------------------------------------------===//

static void has_term(const TileLayoutTerms *t, TileLayoutTerm want) {
  for (int i = 0; i < t->num_terms; i++) {
    const TileLayoutTerm *x = &t->term[i];
    if (x->out_axis == want.out_axis && x->in_axis == want.in_axis &&
        x->div == want.div && x->mod == want.mod && x->mul == want.mul &&
        x->is_xor == want.is_xor)
      return;
  }
  CHECK(false, "no term (in%d / %lld %% %lld) * %lld", want.in_axis,
        (long long)want.div, (long long)want.mod, (long long)want.mul);
}

// row * 64 + (column ^ (row % 8) * 8): what one writes by hand.
static void test_swizzle_has_three_terms(void **state) {
  (void)state;
  TileLayout s;
  TileLayoutTerms t;
  TileReason e = {""};
  CHECK(tile_hw_swizzle((int64_t[]){80, 64}, 2, 16, 128, &s, &e) &&
            tile_layout_terms(&s, 0, &t, &e),
        "%s", e.text);
  CHECK(t.num_terms == 3, "%d terms", t.num_terms);
  has_term(&t, (TileLayoutTerm){0, 0, 1, 8, 8, true});
  has_term(&t, (TileLayoutTerm){0, 1, 1, 0, 1, true});
  has_term(&t, (TileLayoutTerm){0, 0, 1, 0, 64, false});
}

// row * 136 + column, and the product of odd extents.
static void test_padded_has_one_term_per_axis(void **state) {
  (void)state;
  TileLayout s;
  TileLayoutTerms t;
  TileReason e = {""};
  CHECK(tile_hw_padded((int64_t[]){3, 96, 128}, 3, 136, &s, &e) &&
            tile_layout_terms(&s, 0, &t, &e),
        "%s", e.text);
  CHECK(t.num_terms == 3, "%d terms", t.num_terms);
  has_term(&t, (TileLayoutTerm){0, 0, 1, 0, 96 * 136, false});
  has_term(&t, (TileLayoutTerm){0, 1, 1, 0, 136, false});
  has_term(&t, (TileLayoutTerm){0, 2, 1, 0, 1, false});
}

// ldmatrix of A: the registers of a thread are constants, most of them in the
// immediate offset, and the rest is computed once.
static void test_registers_fold(void **state) {
  (void)state;
  enum { REGISTERS = 1u << TILE_LAYOUT_REG };
  TileHwMma g = {128, 128, 64, 2, 2, 16, 16};
  TileLayout a, s, access;
  TileLayoutTerms t;
  TileReason e = {""};
  CHECK(tile_hw_mma_a(&g, &a, &e) &&
            tile_hw_swizzle((int64_t[]){128, 64}, 2, 16, 128, &s, &e) &&
            tile_layout_compose(&a, &s, &access, &e) &&
            tile_layout_terms(&access, REGISTERS, &t, &e),
        "%s", e.text);
  CHECK(t.is_foldable[0], "the thread part is computed once");
  int64_t toggles = 0; // the union: 16-byte columns of the atom only
  for (int64_t r = 0; r < access.in.extent[TILE_LAYOUT_REG]; r++)
    toggles |= tile_layout_constant(&access, REGISTERS, 0, (int64_t[]){r, 0, 0})
                   .toggle;
  CHECK(toggles == (8 | 16 | 32), "toggles %llx", (long long)toggles);
}

// Product fragments in every memory layout that has a name: the thread part is
// computed once.
static void test_named_layouts_fold(void **state) {
  (void)state;
  enum { REGISTERS = 1u << TILE_LAYOUT_REG, NUM_FRAGMENTS = 5 };
  static const int spans[] = {128, 64, 32, 16};
  TileHwMma g = {128, 128, 64, 2, 2, 16, 16};
  TileLayout f[NUM_FRAGMENTS], s[6], access;
  TileLayoutTerms t;
  TileReason e = {""};
  CHECK(tile_hw_mma_a(&g, &f[0], &e) && tile_hw_mma_b(&g, false, &f[1], &e) &&
            tile_hw_mma_b(&g, true, &f[2], &e) &&
            tile_hw_mma_c(&g, &f[3], &e) &&
            tile_hw_wgmma_acc(128, 192, 2, 1, &f[4], &e),
        "%s", e.text);
  for (int i = 0; i < NUM_FRAGMENTS; i++) {
    const int64_t *shape = f[i].out.extent;
    for (int k = 0; k < 4; k++)
      CHECK(tile_hw_swizzle(shape, 2, 16, spans[k], &s[k], &e), "%s", e.text);
    CHECK(tile_hw_linear(shape, 2, &s[4], &e) &&
              tile_hw_padded(shape, 2, shape[1] + 8, &s[5], &e),
          "%s", e.text);
    for (int k = 0; k < 6; k++)
      CHECK(tile_layout_compose(&f[i], &s[k], &access, &e) &&
                tile_layout_terms(&access, REGISTERS, &t, &e) &&
                t.is_foldable[0],
            "fragment %d, memory %d: %s", i, k, e.text);
  }
}

// A row per lane: the columns of a register that are XORed with the row toggle,
// its other columns stay in the immediate offset.
static void test_constants_prefer_add(void **state) {
  (void)state;
  enum { REGISTERS = 1u << TILE_LAYOUT_REG };
  TileLayout f, s, access;
  TileLayoutTerms t;
  TileReason e = {""};
  int64_t shape[2] = {32, 64};
  CHECK(tile_layout_parse("bases<reg=(d1:1*64), lane=(d0:1*32), warp=() -> "
                          "d0:32, d1:64>",
                          shape, 2, 16, &f, &e) &&
            tile_hw_swizzle(shape, 2, 16, 128, &s, &e) &&
            tile_layout_compose(&f, &s, &access, &e) &&
            tile_layout_terms(&access, REGISTERS, &t, &e),
        "%s", e.text);
  CHECK(t.num_terms == 2 && t.is_foldable[0], "%d terms", t.num_terms);
  for (int64_t r = 0; r < 64; r++) {
    TileLayoutConstant c =
        tile_layout_constant(&access, REGISTERS, 0, (int64_t[]){r, 0, 0});
    CHECK(c.toggle == (r & ~7) && c.add == (r & 7), "register %lld",
          (long long)r);
  }
}

// The digit above an XORed one is added where their strides share bits.
static void test_promotion_needs_disjoint_strides(void **state) {
  (void)state;
  TileLayout l;
  TileLayoutTerms t;
  TileReason e = {""};
  int64_t shape[2] = {4, 2};
  CHECK(tile_layout_parse("bases<d0=(o:24, o:48), d1=(o:24^o:200) -> o:273>",
                          shape, 2, 16, &l, &e) &&
            tile_layout_terms(&l, 0, &t, &e),
        "%s", e.text);
  CHECK(t.num_terms == 4, "%d terms", t.num_terms);
  has_term(&t, (TileLayoutTerm){0, 0, 1, 2, 24, true});
  has_term(&t, (TileLayoutTerm){0, 0, 2, 0, 48, false});
  Counts n = {0};
  all_points(&l, 0, &t, &n);
}

// A constant axis may have gaps.
static void test_gapped_constant_axis(void **state) {
  (void)state;
  TileLayout l;
  TileLayoutTerms t;
  TileReason e = {""};
  Counts n = {0};
  int64_t shape[1] = {4};
  CHECK(tile_layout_parse("bases<o=(d0:1, @3 d0:2), x=(d0:1) -> d0:4>", shape,
                          1, 16, &l, &e) &&
            tile_layout_terms(&l, 1, &t, &e),
        "%s", e.text);
  all_points(&l, 1, &t, &n);
  CHECK(n.toggled == 4, "toggled %d", n.toggled);
}

// Swizzled bits whose strides share bits cannot be XORed as integers.
static void test_refusals(void **state) {
  (void)state;
  TileLayout l;
  TileLayoutTerms t;
  TileReason e = {""};
  int64_t shape[1] = {8};
  CHECK(tile_layout_parse("bases<d0=(o:24^o:40, o:24, o:40) -> o:65>", shape, 1,
                          16, &l, &e),
        "%s", e.text);
  CHECK(!tile_layout_terms(&l, 0, &t, &e) &&
            strstr(e.text, "XORed digits of axis o share bits at stride 40"),
        "%s", e.text);
  TileLayout padded;
  CHECK(tile_hw_padded((int64_t[]){4, 8}, 2, 9, &padded, &e), "%s", e.text);
  TileLayout back = {.in = padded.out, .out = padded.in}; // offsets to elements
  for (int i = 0; i < padded.in.num_digits; i++)
    back.image[__builtin_ctzll(padded.image[i])] = UINT64_C(1) << i;
  CHECK(!tile_layout_terms(&back, 0, &t, &e) &&
            strstr(e.text, "input axis o has digits of stride 4 and 9"),
        "%s", e.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_layouts),
      cmocka_unit_test(test_swizzle_has_three_terms),
      cmocka_unit_test(test_padded_has_one_term_per_axis),
      cmocka_unit_test(test_registers_fold),
      cmocka_unit_test(test_named_layouts_fold),
      cmocka_unit_test(test_constants_prefer_add),
      cmocka_unit_test(test_promotion_needs_disjoint_strides),
      cmocka_unit_test(test_gapped_constant_axis),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

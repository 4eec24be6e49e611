//===- emulator-sparse-test.c - mma.sp ------------------------------------===//
//
// Fragments are placed by the tables of PTX ISA, "Matrix fragments for
// multiply-accumulate operation with sparse matrix A", written out here shape
// by shape.
//
//===----------------------------------------------------------------------===//

#include "emulator-product.h"

static Product product;
static ProductSparse sparse;

//===-- Tables of the PTX ISA ---------------------------------------------===//

typedef struct {
  int row, first; // the first column of the chunks it is from
} Place;

#define PLACE(name, row_of_i, first_of_i)                                      \
  static Place name(int l, int i) {                                            \
    int g = l >> 2, t = l % 4;                                                 \
    (void)g;                                                                   \
    (void)i;                                                                   \
    return (Place){(row_of_i), (first_of_i)};                                  \
  }

PLACE(a_16_f16, i < 2 ? g : g + 8, t * 4)
PLACE(a_32_f16, i < 2 || (4 <= i && i < 6) ? g : g + 8,
      i < 4 ? t * 4 : t * 4 + 16)
PLACE(a_8_tf32, i == 0 ? g : g + 8, t * 2)
PLACE(a_16_tf32, i == 0 || i == 2 ? g : g + 8, i < 2 ? t * 2 : t * 2 + 8)
PLACE(a_32_s8, i < 4 ? g : g + 8, t * 8)
PLACE(a_64_s8, i < 4 || (8 <= i && i < 12) ? g : g + 8,
      i < 8 ? t * 8 : t * 8 + 32)
PLACE(a_64_s4, i < 8 ? g : g + 8, t * 16)
PLACE(a_128_s4, i < 8 || (16 <= i && i < 24) ? g : g + 8,
      i < 16 ? t * 16 : t * 16 + 64)

PLACE(b_16_f16, i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)
PLACE(b_32_f16,
      i < 2   ? t * 2 + (i & 1)
      : i < 4 ? t * 2 + (i & 1) + 8
      : i < 6 ? t * 2 + (i & 1) + 16
              : t * 2 + (i & 1) + 24,
      g)
PLACE(b_8_tf32, i == 0 ? t : t + 4, g)
PLACE(b_16_tf32, t + i * 4, g)
PLACE(b_32_s8, i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)
PLACE(b_64_s8, t * 4 + (i & 3) + i / 4 * 16, g)
PLACE(b_64_s4, i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g)
PLACE(b_128_s4, t * 8 + (i & 7) + i / 8 * 32, g)

PLACE(c_16, i < 2 ? g : g + 8, t * 2 + (i & 1))

typedef Place (*PlaceOf)(int l, int i);

static const struct {
  int k;
  uint32_t bits, num_selectors;
  PlaceOf a, b;
} layouts[] = {
    {16, 16, 4, a_16_f16, b_16_f16}, {32, 16, 2, a_32_f16, b_32_f16},
    {8, 32, 4, a_8_tf32, b_8_tf32},  {16, 32, 2, a_16_tf32, b_16_tf32},
    {32, 8, 2, a_32_s8, b_32_s8},    {64, 8, 1, a_64_s8, b_64_s8},
    {64, 4, 2, a_64_s4, b_64_s4},    {128, 4, 1, a_128_s4, b_128_s4}};

/// Stored element i of a lane.
static int stored_at(PlaceOf place, int l, int i, uint32_t bits) {
  int per_register = 32 / (int)bits;
  Place at = place(l, i);
  return sparse.stored[at.row][at.first / 2 + i % per_register];
}

//===-- mma.sp ------------------------------------------------------------===//

typedef struct {
  int k;
  ProductType a, b, c;
  bool is_ordered;
  const char *modifier;
} Case;

typedef struct {
  uint32_t a[4], b[4], c[4], d[4], metadata, unused[3];
} Lane;

static Lane lanes[32];

static HarnessRun sparse_run(char ptx[4000], const Case *test,
                             uint32_t selector, const char *form) {
  char d[100], a[100], b[100];
  uint32_t bits = product_type_bits(test->a);
  int num_a = 16 * test->k * (int)bits / 2048, num_c = test->c == F16 ? 2 : 4;
  int num_b = 8 * test->k * (int)bits / 1024;
  snprintf(ptx, 4000,
           HARNESS_HEADER
           ".visible .entry k(.param .u64 lanes) { .reg .b64 at; "
           ".reg .b32 w<16>, m, tid;\n"
           "mov.u32 tid, %%tid.x; ld.param.u64 at, [lanes]; "
           "mad.wide.u32 at, tid, %d, at;\n"
           "ld.global.v4.b32 {w0, w1, w2, w3}, [at]; "
           "ld.global.v4.b32 {w4, w5, w6, w7}, [at+16];\n"
           "ld.global.v4.b32 {w8, w9, w10, w11}, [at+32]; "
           "ld.global.b32 m, [at+64];\n"
           "mma.%s.sync.aligned.m16n8k%d.row.col%s.%s.%s.%s.%s %s, %s, %s, %s, "
           "m, %u;\nst.global.v4.b32 [at+48], {w8, w9, w10, w11};\nret; }\n",
           (int)sizeof(Lane), form, test->k, test->modifier,
           product_type_name(test->c), product_type_name(test->a),
           product_type_name(test->b), product_type_name(test->c),
           product_registers(d, "w", 8, num_c),
           product_registers(a, "w", 0, num_a),
           product_registers(b, "w", 4, num_b),
           product_registers(d, "w", 8, num_c), selector);
  HarnessRun run = {.ptx = ptx, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){lanes, sizeof lanes, "lanes"};
  return run;
}

static void pack(const Case *test, PlaceOf a, PlaceOf b) {
  uint32_t bits = product_type_bits(test->a);
  memset(lanes, 0, sizeof lanes);
  for (int l = 0; l < 32; l++) {
    lanes[l].metadata = sparse.metadata[0][l];
    for (int i = 0; i < 16 * test->k / 64; i++)
      product_put(lanes[l].a, (uint32_t)i, test->a, stored_at(a, l, i, bits));
    for (int i = 0; i < 8 * test->k / 32; i++)
      product_put(lanes[l].b, (uint32_t)i, test->b,
                  product.b[b(l, i).row][b(l, i).first]);
    for (int i = 0; i < 4; i++)
      product_put(lanes[l].c, (uint32_t)i, test->c,
                  product.c[c_16(l, i).row][c_16(l, i).first]);
  }
}

static void check_d(const Case *test) {
  for (int l = 0; l < 32; l++)
    for (int i = 0; i < 4; i++) {
      int expected = product.d[c_16(l, i).row][c_16(l, i).first];
      int got = product_get(lanes[l].d, (uint32_t)i, test->c);
      if (got != expected)
        print_error("m16n8k%d %s: lane %d, element %d\n", test->k,
                    product_type_name(test->a), l, i);
      assert_int_equal(got, expected);
    }
}

static size_t layout_of(const Case *test) {
  size_t layout = 0;
  while (layouts[layout].k != test->k ||
         layouts[layout].bits != product_type_bits(test->a))
    layout++;
  return layout;
}

/// Random A and B with random positions.
static void make_case(const Case *test, uint32_t selector, uint32_t seed) {
  product_fill(&product, test->a, test->b, 16, 8, test->k, seed);
  product_make_sparse(&product, test->a, test->is_ordered, 0, &sparse);
  product_make_metadata(&product, test->a, selector, &sparse);
  product_multiply(&product);
}

static void check(const Case *test) {
  char ptx[4000];
  size_t layout = layout_of(test);
  for (uint32_t s = 0; s < layouts[layout].num_selectors; s++) {
    make_case(test, s, s + 1);
    pack(test, layouts[layout].a, layouts[layout].b);
    HarnessRun run = sparse_run(
        ptx, test, s, test->is_ordered ? "sp::ordered_metadata" : "sp");
    product_run(&run);
    check_d(test);
  }
}

static void sparse_floats(void **state) {
  (void)state;
  static const Case cases[] = {
      {16, F16, F16, F16, true, ""},    {16, F16, F16, F32, true, ""},
      {32, F16, F16, F16, false, ""},   {32, F16, F16, F32, true, ""},
      {16, BF16, BF16, F32, false, ""}, {32, BF16, BF16, F32, true, ""},
      {8, TF32, TF32, F32, true, ""},   {16, TF32, TF32, F32, false, ""},
      {64, E4M3, E4M3, F32, true, ""},  {64, E4M3, E5M2, F32, false, ""},
      {64, E5M2, E4M3, F32, true, ""},  {64, E5M2, E5M2, F32, true, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check(&cases[i]);
}

static void sparse_integers(void **state) {
  (void)state;
  static const int shapes[][2] = {{32, 8}, {64, 8}, {64, 4}, {128, 4}};
  for (int i = 0; i < 4; i++)
    for (int signs = 0; signs < 4; signs++) {
      bool is_byte = shapes[i][1] == 8;
      Case test = {shapes[i][0],
                   signs & 1 ? (is_byte ? U8 : U4) : (is_byte ? S8 : S4),
                   signs & 2 ? (is_byte ? U8 : U4) : (is_byte ? S8 : S4),
                   S32,
                   signs < 2,
                   signs == 3 ? ".satfinite" : ""};
      check(&test);
    }
}

/// Elements of B that meet zeros are not multiplied: they may be infinite.
static void zeros_are_skipped(void **state) {
  (void)state;
  char ptx[4000];
  Case test = {32, F16, F16, F32, true, ""};
  product_fill(&product, F16, F16, 16, 8, 32, 3);
  // The middle of each four.
  product_make_sparse(&product, F16, true, 0x9, &sparse);
  product_make_metadata(&product, F16, 0, &sparse);
  product_multiply(&product);
  pack(&test, a_32_f16, b_32_f16);
  static const uint16_t infinity = 0x7c00;
  for (int l = 0; l < 32; l++)
    for (int i = 0; i < 8; i++) {
      int k = b_32_f16(l, i).row;
      if (k % 4 == 0 || k % 4 == 3)
        memcpy((uint16_t *)lanes[l].b + i, &infinity, 2);
    }
  HarnessRun run = sparse_run(ptx, &test, 0, "sp::ordered_metadata");
  product_run(&run);
  check_d(&test);
}

static void sparse_mistakes(void **state) {
  (void)state;
  char ptx[4000];
  static const struct {
    Case test;
    uint32_t selector, metadata;
    const char *form, *text;
  } mistakes[] = {
      {{16, F16, F16, F32, true, ""},
       0,
       0x44444144,
       "sp::ordered_metadata",
       "0x1 for chunk 2 of row 0, which names positions that do not ascend"},
      {{32, F16, F16, F32, true, ""},
       1,
       0x4a444444,
       "sp",
       "0xa for chunk 2 of row 8, which names a position twice"},
      {{64, S8, S8, S32, true, ""},
       0,
       0x44f44444,
       "sp",
       "0xf for chunk 5 of row 0, which names a position twice"},
      {{8, TF32, TF32, F32, true, ""},
       3,
       0x444444c4,
       "sp",
       "0xc for chunk 1 of row 0, which is neither 0x4 nor 0xe"},
      {{32, BF16, BF16, F32, true, ""},
       2,
       0x44444444,
       "sp",
       "sparsity selector 2 where there are 2"}};
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    memset(lanes, 0, sizeof lanes);
    for (int l = 0; l < 32; l++)
      lanes[l].metadata = mistakes[i].metadata;
    HarnessRun run = sparse_run(ptx, &mistakes[i].test, mistakes[i].selector,
                                mistakes[i].form);
    harness_run_finds(&run, "sparse-metadata", mistakes[i].text);
  }
  product_instruction_finds(
      "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, "
      "{a0}, {b0}, {c0, c1, c2, c3}, e0, 0;",
      "unsupported", "no such combination of shape and types");
  product_instruction_finds(
      "mma.sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {d0, d1}, "
      "{a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1}, e0, 0;",
      "unsupported", "no such combination of shape and types");
  product_instruction_fails(
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}, e0, 0;",
      "2 registers of B where 4 are expected");
  product_instruction_fails(
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1, b2, b3}, {c0, c1, c2, c3};",
      "4 operands where 6 are expected");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sparse_floats),
    cmocka_unit_test(sparse_integers),
    cmocka_unit_test(zeros_are_skipped),
    cmocka_unit_test(sparse_mistakes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

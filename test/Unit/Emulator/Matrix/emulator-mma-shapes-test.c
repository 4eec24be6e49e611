//===- emulator-mma-shapes-test.c - mma of every shape and type -----------===//
//
// Fragments are packed and unpacked by the tables of PTX ISA, "Matrix
// Fragments for mma.…", written out here shape by shape.
//
//===----------------------------------------------------------------------===//

#include "emulator-product.h"

#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

//===-- Tables of the PTX ISA ---------------------------------------------===//

typedef struct {
  int row, column;
} Place;

// In these l is %laneid, i the element; g is groupID and t threadID_in_group.
#define PLACE(name, row_of_i, column_of_i)                                     \
  static Place name(int l, int i) {                                            \
    int g = l >> 2, t = l % 4;                                                 \
    (void)i;                                                                   \
    (void)g;                                                                   \
    (void)t;                                                                   \
    return (Place){(row_of_i), (column_of_i)};                                 \
  }

PLACE(a_8x4_64, g, t)
PLACE(a_8x16_8, g, t * 4 + i)
PLACE(a_8x32_4, g, t * 8 + i)
PLACE(a_8x128_1, g, t * 32 + i)
PLACE(a_16x4, i == 0 ? g : g + 8, t)
PLACE(a_16x8_16, i < 2 ? g : g + 8, t * 2 + (i & 1))
PLACE(a_16x8, i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4)
PLACE(a_16x16_16, i < 2 || (4 <= i && i < 6) ? g : g + 8,
      i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8)
PLACE(a_16x16_64, i % 2 == 0 ? g : g + 8,
      i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t)
PLACE(a_16x16_8, i < 4 ? g : g + 8, t * 4 + (i & 3))
PLACE(a_16x32_8, i < 4 || (8 <= i && i < 12) ? g : g + 8,
      i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16)
PLACE(a_16x32_4, i < 8 ? g : g + 8, t * 8 + (i & 7))
PLACE(a_16x64_4, i < 8 || (16 <= i && i < 24) ? g : g + 8,
      i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32)
PLACE(a_16x128_1, i < 32 ? g : g + 8, t * 32 + (i & 0x1f))
PLACE(a_16x256_1, i < 32 || (64 <= i && i < 96) ? g : g + 8,
      i < 64 ? t * 32 + (i & 0x1f) : t * 32 + (i & 0x1f) + 128)

PLACE(b_4, t, g)
PLACE(b_8_16, t * 2 + i, g)
PLACE(b_8, i == 0 ? t : t + 4, g)
PLACE(b_16_16, i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)
PLACE(b_16_64, t + i * 4, g)
PLACE(b_16_8, t * 4 + i, g)
PLACE(b_32_8, i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)
PLACE(b_32_4, t * 8 + i, g)
PLACE(b_64_4, i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g)
PLACE(b_128_1, t * 32 + i, g)
PLACE(b_256_1, i < 32 ? t * 32 + (i & 0x1f) : t * 32 + (i & 0x1f) + 128, g)

PLACE(c_8, g, t * 2 + (i & 1))
PLACE(c_16, i < 2 ? g : g + 8, t * 2 + (i & 1))

typedef Place (*PlaceOf)(int l, int i);

static const struct {
  int m, k;
  uint32_t bits;
  PlaceOf a, b;
} layouts[] = {
    {8, 4, 64, a_8x4_64, b_4},         {8, 16, 8, a_8x16_8, b_16_8},
    {8, 32, 4, a_8x32_4, b_32_4},      {8, 128, 1, a_8x128_1, b_128_1},
    {16, 4, 32, a_16x4, b_4},          {16, 4, 64, a_16x4, b_4},
    {16, 8, 16, a_16x8_16, b_8_16},    {16, 8, 32, a_16x8, b_8},
    {16, 8, 64, a_16x8, b_8},          {16, 16, 16, a_16x16_16, b_16_16},
    {16, 16, 64, a_16x16_64, b_16_64}, {16, 16, 8, a_16x16_8, b_16_8},
    {16, 32, 8, a_16x32_8, b_32_8},    {16, 32, 4, a_16x32_4, b_32_4},
    {16, 64, 4, a_16x64_4, b_64_4},    {16, 128, 1, a_16x128_1, b_128_1},
    {16, 256, 1, a_16x256_1, b_256_1}};

//===-- One instruction ---------------------------------------------------===//

typedef struct {
  int m, k;
  ProductType a, b, c, d;
  const char *modifier; // before the types, such as ".satfinite"
} Case;

/// Registers of a lane: 16 words for A and as many for B, C and D.
typedef struct {
  uint32_t a[16], b[16], c[16], d[16];
} Lane;

static Product product;
static Lane lanes[32];

static int count_registers(int elems, ProductType type) {
  uint32_t bits = product_type_bits(type);
  return elems * (int)bits / (bits == 64 ? 64 : 32) / 32;
}

/// A kernel that loads A, B and C, executes `opcode` and stores D.
static void run(const char *opcode, const int counts[4], bool is_f64) {
  char ptx[6000], d[200], a[200], b[200], c[200], *at = ptx;
  const char *type = is_f64 ? "f64" : "b32";
  int bytes = is_f64 ? 8 : 4;
  at += sprintf(at,
                HARNESS_HEADER
                ".visible .entry k(.param .u64 lanes) { .reg .b64 at; "
                ".reg .%s a<16>, b<16>, c<16>, d<16>; .reg .b32 tid;\n"
                "mov.u32 tid, %%tid.x; ld.param.u64 at, [lanes]; "
                "mad.wide.u32 at, tid, %d, at;\n",
                type, (int)sizeof(Lane));
  for (int v = 1; v < 4; v++)
    for (int i = 0; i < counts[v]; i++)
      at += sprintf(at, "ld.global.%s %c%d, [at+%d];\n", type, "dabc"[v], i,
                    64 * (v - 1) + bytes * i);
  at += sprintf(at, "%s %s, %s, %s, %s;\n", opcode,
                product_registers(d, "d", 0, counts[0]),
                product_registers(a, "a", 0, counts[1]),
                product_registers(b, "b", 0, counts[2]),
                product_registers(c, "c", 0, counts[3]));
  for (int i = 0; i < counts[0]; i++)
    at += sprintf(at, "st.global.%s [at+%d], d%d;\n", type, 192 + bytes * i, i);
  sprintf(at, "ret; }\n");
  HarnessRun harness = {.ptx = ptx, .num_args = 1};
  harness.args[0].buffer = (HarnessBuffer){lanes, sizeof lanes, "lanes"};
  product_run(&harness);
}

static void run_case(const Case *test) {
  char opcode[200];
  int counts[4] = {count_registers(test->m * 8, test->d),
                   count_registers(test->m * test->k, test->a),
                   count_registers(8 * test->k, test->b),
                   count_registers(test->m * 8, test->c)};
  bool is_bit = test->a == B1;
  snprintf(opcode, sizeof opcode,
           "mma.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s%s", test->m,
           test->k, is_bit ? "" : test->modifier, product_type_name(test->d),
           product_type_name(test->a), product_type_name(test->b),
           product_type_name(test->c), is_bit ? test->modifier : "");
  run(opcode, counts, test->a == F64);
}

static void pack(const Case *test, PlaceOf a, PlaceOf b) {
  PlaceOf c = test->m == 8 ? c_8 : c_16;
  memset(lanes, 0xff, sizeof lanes);
  for (int l = 0; l < 32; l++) {
    for (int i = 0; i < test->m * test->k / 32; i++)
      product_put(lanes[l].a, (uint32_t)i, test->a,
                  product.a[a(l, i).row][a(l, i).column]);
    for (int i = 0; i < 8 * test->k / 32; i++)
      product_put(lanes[l].b, (uint32_t)i, test->b,
                  product.b[b(l, i).row][b(l, i).column]);
    for (int i = 0; i < test->m * 8 / 32; i++)
      product_put(lanes[l].c, (uint32_t)i, test->c,
                  product.c[c(l, i).row][c(l, i).column]);
  }
}

static void check_d(const Case *test) {
  PlaceOf c = test->m == 8 ? c_8 : c_16;
  for (int l = 0; l < 32; l++)
    for (int i = 0; i < test->m * 8 / 32; i++) {
      int got = product_get(lanes[l].d, (uint32_t)i, test->d);
      int expected = product.d[c(l, i).row][c(l, i).column];
      if (got != expected)
        print_error("m%dk%d %s %s: lane %d, element %d\n", test->m, test->k,
                    product_type_name(test->a), product_type_name(test->b), l,
                    i);
      assert_int_equal(got, expected);
    }
}

/// Products of bits are xor or and.
static void multiply_bits(bool is_xor) {
  for (int i = 0; i < product.m; i++)
    for (int j = 0; j < product.n; j++) {
      product.d[i][j] = product.c[i][j];
      for (int k = 0; k < product.k; k++)
        product.d[i][j] += is_xor ? product.a[i][k] != product.b[k][j]
                                  : product.a[i][k] && product.b[k][j];
    }
}

static void multiply_saturating(void) {
  for (int i = 0; i < product.m; i++)
    for (int j = 0; j < product.n; j++) {
      int64_t sum = product.c[i][j];
      for (int k = 0; k < product.k; k++)
        sum += (int64_t)product.a[i][k] * product.b[k][j];
      product.d[i][j] = (int)(sum > INT_MAX   ? INT_MAX
                              : sum < INT_MIN ? INT_MIN
                                              : sum);
    }
}

static void check(const Case *test) {
  size_t layout = 0;
  while (layouts[layout].m != test->m || layouts[layout].k != test->k ||
         layouts[layout].bits != product_type_bits(test->a))
    layout++;
  for (uint32_t seed = 1; seed <= 2; seed++) {
    product_fill(&product, test->a, test->b, test->m, 8, test->k, seed);
    bool is_saturating = !strcmp(test->modifier, ".satfinite");
    if (is_saturating) // near both ends
      for (int i = 0; i < test->m * 8; i++)
        product.c[i / 8][i % 8] = i % 2 ? INT_MAX - i : INT_MIN + i;
    pack(test, layouts[layout].a, layouts[layout].b);
    if (test->a == B1)
      multiply_bits(!strcmp(test->modifier, ".xor.popc"));
    else if (is_saturating)
      multiply_saturating();
    else
      product_multiply(&product);
    run_case(test);
    check_d(test);
  }
}

//===-- Families ----------------------------------------------------------===//

static void floats(void **state) {
  (void)state;
  static const Case cases[] = {
      {16, 8, F16, F16, F16, F16, ""},   {16, 8, F16, F16, F32, F32, ""},
      {16, 16, F16, F16, F16, F16, ""},  {16, 16, F16, F16, F32, F32, ""},
      {16, 8, BF16, BF16, F32, F32, ""}, {16, 16, BF16, BF16, F32, F32, ""},
      {16, 4, TF32, TF32, F32, F32, ""}, {16, 8, TF32, TF32, F32, F32, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check(&cases[i]);
}

static void floats_of_8_bits(void **state) {
  (void)state;
  static const ProductType types[] = {E4M3, E5M2};
  for (int i = 0; i < 4; i++)
    for (int k = 16; k <= 32; k += 16) {
      Case test = {16, k, types[i % 2], types[i / 2], F32, F32, ""};
      check(&test);
      test.c = test.d = F16;
      check(&test);
    }
}

static void doubles(void **state) {
  (void)state;
  static const Case cases[] = {{8, 4, F64, F64, F64, F64, ""},
                               {16, 4, F64, F64, F64, F64, ""},
                               {16, 8, F64, F64, F64, F64, ""},
                               {16, 16, F64, F64, F64, F64, ".rn"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check(&cases[i]);
}

static void integers(void **state) {
  (void)state;
  static const struct {
    int m, k;
    ProductType is_signed, is_unsigned;
  } shapes[] = {{8, 16, S8, U8}, {16, 16, S8, U8}, {16, 32, S8, U8},
                {8, 32, S4, U4}, {16, 32, S4, U4}, {16, 64, S4, U4}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (int signs = 0; signs < 4; signs++) {
      ProductType a = signs & 1 ? shapes[i].is_unsigned : shapes[i].is_signed;
      ProductType b = signs & 2 ? shapes[i].is_unsigned : shapes[i].is_signed;
      Case test = {shapes[i].m, shapes[i].k, a, b, S32, S32, ""};
      check(&test);
      test.modifier = ".satfinite";
      check(&test);
    }
}

static void bits(void **state) {
  (void)state;
  static const int shapes[][2] = {{8, 128}, {16, 128}, {16, 256}};
  for (int i = 0; i < 3; i++) {
    Case test = {shapes[i][0], shapes[i][1], B1, B1, S32, S32, ".xor.popc"};
    check(&test);
    test.modifier = ".and.popc";
    check(&test);
  }
}

/// Without .satfinite sums wrap; C is near the end of the range.
static void integers_wrap(void **state) {
  (void)state;
  Case test = {16, 32, U8, U8, S32, S32, ""};
  product_fill(&product, U8, U8, 16, 8, 32, 5);
  for (int i = 0; i < 16 * 8; i++)
    product.c[i / 8][i % 8] = INT_MAX - i;
  pack(&test, a_16x32_8, b_32_8);
  for (int i = 0; i < 16 * 8; i++) {
    uint32_t sum = (uint32_t)product.c[i / 8][i % 8];
    for (int k = 0; k < 32; k++)
      sum += (uint32_t)(product.a[i / 8][k] * product.b[k][i % 8]);
    product.d[i / 8][i % 8] = (int)sum;
  }
  run_case(&test);
  check_d(&test);
}

//===-- m8n8k4 of f16: four products --------------------------------------===//

static Place quad_a(int l, int i, bool is_column_major) {
  if (is_column_major)
    return (Place){l < 16 ? i % 4 : i % 4 + 4, l % 4};
  return (Place){l < 16 ? l % 4 : l % 4 + 4, i};
}

static Place quad_b(int l, int i, bool is_column_major) {
  if (is_column_major)
    return (Place){i, l < 16 ? l % 4 : l % 4 + 4};
  return (Place){l % 4, l < 16 ? i : i + 4};
}

static Place quad_c(int l, int i, ProductType type) {
  if (type == F16)
    return (Place){l < 16 ? l % 4 : l % 4 + 4, i};
  int x = (l & 1) + (i & 2);
  return (Place){l < 16 ? x : x + 4, (i & 4) + (l & 2) + (i & 1)};
}

static Product quads[4];

static void check_quads(int layout, ProductType c, ProductType d) {
  bool a_col = layout & 1, b_col = layout & 2;
  char opcode[100];
  int counts[4] = {d == F16 ? 4 : 8, 2, 2, c == F16 ? 4 : 8};
  snprintf(opcode, sizeof opcode, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s",
           a_col ? "col" : "row", b_col ? "col" : "row", product_type_name(d),
           product_type_name(c));
  memset(lanes, 0, sizeof lanes);
  for (uint32_t q = 0; q < 4; q++) {
    product_fill(&quads[q], F16, F16, 8, 8, 4, q + 7);
    product_multiply(&quads[q]);
  }
  for (int l = 0; l < 32; l++) {
    const Product *quad = &quads[l % 16 / 4];
    for (int i = 0; i < 4; i++) {
      Place a = quad_a(l, i, a_col), b = quad_b(l, i, b_col);
      product_put(lanes[l].a, (uint32_t)i, F16, quad->a[a.row][a.column]);
      product_put(lanes[l].b, (uint32_t)i, F16, quad->b[b.row][b.column]);
    }
    for (int i = 0; i < 8; i++) {
      Place at = quad_c(l, i, c);
      product_put(lanes[l].c, (uint32_t)i, c, quad->c[at.row][at.column]);
    }
  }
  run(opcode, counts, false);
  for (int l = 0; l < 32; l++)
    for (int i = 0; i < 8; i++) {
      Place at = quad_c(l, i, d);
      assert_int_equal(product_get(lanes[l].d, (uint32_t)i, d),
                       quads[l % 16 / 4].d[at.row][at.column]);
    }
}

static void four_products(void **state) {
  (void)state;
  for (int layout = 0; layout < 4; layout++) {
    check_quads(layout, F16, F16);
    check_quads(layout, F16, F32);
    check_quads(layout, F32, F32);
  }
}

//===-- Order and rounding ------------------------------------------------===//

static double random_double(uint32_t *random) {
  return ((double)harness_random(random) - 2147483648.0) / 65536.0 / 65536.0;
}

/// f64: fma in the order of k, in each rounding mode.
static void doubles_round(void **state) {
  (void)state;
  static const char *const names[] = {".rn", ".rz", ".rm", ".rp"};
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  static double a[16][16], b[16][8], c[16][8];
  uint32_t random = 99;
  for (int mode = 0; mode < 4; mode++) {
    for (int i = 0; i < 16 * 16; i++)
      a[i / 16][i % 16] = random_double(&random);
    for (int i = 0; i < 16 * 8; i++) {
      b[i / 8][i % 8] = random_double(&random);
      c[i / 8][i % 8] = random_double(&random);
    }
    for (int l = 0; l < 32; l++)
      for (int i = 0; i < 8; i++) {
        Place at = a_16x16_64(l, i), from = b_16_64(l, i), to = c_16(l, i);
        memcpy(&lanes[l].a[2 * i], &a[at.row][at.column], 8);
        if (i < 4)
          memcpy(&lanes[l].b[2 * i], &b[from.row][from.column], 8);
        if (i < 4)
          memcpy(&lanes[l].c[2 * i], &c[to.row][to.column], 8);
      }
    Case test = {16, 16, F64, F64, F64, F64, names[mode]};
    run_case(&test);
    for (int l = 0; l < 32; l++)
      for (int i = 0; i < 4; i++) {
        Place at = c_16(l, i);
        volatile double sum = c[at.row][at.column];
        fesetround(modes[mode]);
        for (int k = 0; k < 16; k++)
          sum = fma(a[at.row][k], b[k][at.column], sum);
        fesetround(FE_TONEAREST);
        double got, expected = sum;
        memcpy(&got, &lanes[l].d[2 * i], 8);
        assert_memory_equal(&got, &expected, 8);
      }
  }
}

/// f32 sums are made in the order of k; f16 results are rounded once.
static void sums_in_order(void **state) {
  (void)state;
  static uint16_t a[16][16], b[16][8];
  uint32_t random = 4711;
  for (int half = 0; half < 2; half++) {
    memset(lanes, 0, sizeof lanes);
    for (int i = 0; i < 16 * 16; i++) // magnitudes around 1
      a[i / 16][i % 16] = (uint16_t)(harness_random(&random) % 0x1000 + 0x3400);
    for (int i = 0; i < 16 * 8; i++)
      b[i / 8][i % 8] = (uint16_t)((harness_random(&random) & 0x87ff) + 0x3800);
    for (int l = 0; l < 32; l++) {
      for (int i = 0; i < 8; i++) {
        Place at = a_16x16_16(l, i);
        memcpy((uint16_t *)lanes[l].a + i, &a[at.row][at.column], 2);
      }
      for (int i = 0; i < 4; i++) {
        Place at = b_16_16(l, i);
        memcpy((uint16_t *)lanes[l].b + i, &b[at.row][at.column], 2);
      }
    }
    Case test = {16, 16, F16, F16, half ? F16 : F32, half ? F16 : F32, ""};
    run_case(&test);
    for (int l = 0; l < 32; l++)
      for (int i = 0; i < 4; i++) {
        Place at = c_16(l, i);
        float sum = 0;
        for (int k = 0; k < 16; k++) {
          float x = harness_f16(a[at.row][k]);
          sum += x * harness_f16(b[k][at.column]);
        }
        if (!half) {
          assert_int_equal(lanes[l].d[i], harness_bits(sum));
          continue;
        }
        uint16_t bits;
        memcpy(&bits, (uint16_t *)lanes[l].d + i, 2);
        double ulp = ldexp(1, ilogb((double)sum) - 10);
        assert_true(fabs((double)harness_f16(bits) - (double)sum) <= ulp / 2);
      }
  }
}

//===-- Mistakes ----------------------------------------------------------===//

static void unsupported(void **state) {
  (void)state;
  static const char *const instructions[] = {
      // Types that do not go together.
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1};",
      "mma.sync.aligned.m16n8k32.row.col.f32.s8.s8.f32 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
      "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {d0, d1, d2, d3}, "
      "{a0, a1}, {b0, b1}, {c0, c1, c2, c3, c4, c5, c6, c7};",
      "mma.sync.aligned.m16n8k16.row.col.bf16.bf16.bf16.bf16 {d0, d1}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1};",
      // No such shape.
      "mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
      "mma.sync.aligned.m8n8k4.row.col.f32.tf32.tf32.f32 {d0, d1}, {a0}, {b0}, "
      "{c0, c1};"};
  for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
    product_instruction_finds(instructions[i], "unsupported",
                              "no such combination of shape and types");
  static const char *const modified[] = {
      "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {d0, d1, d2, d3}, "
      "{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
      "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 "
      "{d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
      "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {d0, d1}, {a0}, {b0}, "
      "{c0, c1};",
      "mma.sync.aligned.m8n8k16.row.col.rz.s32.s8.s8.s32 {d0, d1}, {a0}, {b0}, "
      "{c0, c1};"};
  for (size_t i = 0; i < sizeof modified / sizeof modified[0]; i++)
    product_instruction_finds(modified[i], "unsupported",
                              "layouts or modifiers this shape does not have");
  product_instruction_finds(
      "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 "
      "{d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};",
      "unsupported", "kind::f8f6f4");
}

static void malformed(void **state) {
  (void)state;
  product_instruction_fails(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, "
      "{a0, a1}, {b0, b1}, {c0, c1, c2, c3};",
      "2 registers of A where 4 are expected");
  product_instruction_fails(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {x0, x1}, {y0}, {z0}, "
      "{a0, a1};",
      "a0 has 32 bits, not 64");
  product_instruction_fails(
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {d0, _}, {a0}, {b0}, "
      "{c0, c1};",
      "`_` is not a register of a fragment");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(floats),        cmocka_unit_test(floats_of_8_bits),
    cmocka_unit_test(doubles),       cmocka_unit_test(integers),
    cmocka_unit_test(bits),          cmocka_unit_test(integers_wrap),
    cmocka_unit_test(four_products), cmocka_unit_test(doubles_round),
    cmocka_unit_test(sums_in_order), cmocka_unit_test(unsupported),
    cmocka_unit_test(malformed),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

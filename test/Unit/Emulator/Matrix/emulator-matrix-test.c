//===- emulator-matrix-test.c - mma.sync and wgmma against naive products -===//
//
// Matrices hold small integers, so every product and sum is exact in every
// type and the order of summation does not matter.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <math.h>
#include <stdlib.h>

typedef enum { F16, BF16, TF32, E4M3, E5M2, S8, U8 } Type;

static const struct {
  const char *name;
  uint32_t bits;
} type_info[] = {[F16] = {"f16", 16},   [BF16] = {"bf16", 16},
                 [TF32] = {"tf32", 32}, [E4M3] = {"e4m3", 8},
                 [E5M2] = {"e5m2", 8},  [S8] = {"s8", 8},
                 [U8] = {"u8", 8}};

/// Bits of a small integer in a type.
static uint32_t encode(Type type, int number) {
  float value = (float)number;
  uint32_t bits = harness_bits(value);
  switch (type) {
  case BF16:
    return bits >> 16;
  case TF32:
    return bits;
  case S8:
  case U8:
    return (uint32_t)number & 0xff;
  default:
    break;
  }
  int exponent_bits = type == E4M3 ? 4 : 5;
  int mantissa_bits = type == E4M3 ? 3 : type == E5M2 ? 2 : 10;
  if (number == 0)
    return 0;
  int exponent = ilogb((double)value), bias = (1 << (exponent_bits - 1)) - 1;
  double mantissa = ldexp(fabs((double)value), mantissa_bits - exponent);
  uint32_t sign = number < 0 ? 1u << (exponent_bits + mantissa_bits) : 0;
  return sign | (uint32_t)(exponent + bias) << mantissa_bits |
         ((uint32_t)mantissa - (1u << mantissa_bits));
}

/// A number that the type holds exactly: fp8 has two mantissa bits at least.
static int small_number(Type type, uint32_t *random) {
  int number = (int)(harness_random(random) % 4);
  bool is_negative = type != U8 && harness_random(random) % 2;
  return is_negative ? -number : number;
}

enum { MAX_M = 64, MAX_N = 256, MAX_K = 64 };

typedef struct {
  int a[MAX_M][MAX_K], b[MAX_K][MAX_N], c[MAX_M][MAX_N];
  int d[MAX_M][MAX_N]; // a * b + c
} Problem;

static Problem problem;

static void problem_make(Type a, Type b, int m, int n, int k, uint32_t seed) {
  uint32_t random = seed * 2654435761u + 1;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j++)
      problem.a[i][j] = small_number(a, &random);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++)
      problem.b[i][j] = small_number(b, &random);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      problem.c[i][j] = (int)(harness_random(&random) % 64) - 32;
      problem.d[i][j] = problem.c[i][j];
      for (int l = 0; l < k; l++)
        problem.d[i][j] += problem.a[i][l] * problem.b[l][j];
    }
}

static void put(uint8_t *memory, uint32_t index, uint32_t bits,
                uint32_t value) {
  memcpy(memory + index * bits / 8, &value, bits / 8);
}

//===-- mma.sync ----------------------------------------------------------===//
//
// The tables of PTX ISA, "Matrix Fragments for mma.m16n8k16" and its
// neighbours: group = lane / 4, thread = lane % 4.

typedef struct {
  int row, column;
} Place;

/// Element `i` of lane `l` of A; a register holds `per` elements.
static Place place_a(int l, int i, int per) {
  int reg = i / per, group = l / 4, thread = l % 4;
  return (Place){group + (reg % 2 ? 8 : 0),
                 thread * per + i % per + (reg >= 2 ? 4 * per : 0)};
}
static Place place_b(int l, int i, int per) {
  int reg = i / per, group = l / 4, thread = l % 4;
  return (Place){thread * per + i % per + (reg ? 4 * per : 0), group};
}
static Place place_c(int l, int i) {
  return (Place){l / 4 + (i >= 2 ? 8 : 0), l % 4 * 2 + i % 2};
}

typedef struct {
  Type a, b;
  int k;
  const char *accumulator; // of C and D
} MmaShape;

/// Registers r0, r1, … as a vector.
static const char *list(char *out, const char *prefix, int first, int count) {
  char *at = out;
  for (int i = 0; i < count; i++)
    at += sprintf(at, "%s%s%d", i ? ", " : "", prefix, first + i);
  return out;
}

static uint8_t fragments[32 * 64], results[32 * 16];

/// Fragments of a lane: 16 bytes of A, 16 of B, 16 of C.
static void pack_fragments(const MmaShape *shape, int num_a, int num_b) {
  uint32_t bits = type_info[shape->a].bits;
  int per = 32 / (int)bits;
  bool half = !strcmp(shape->accumulator, "f16");
  bool integer = !strcmp(shape->accumulator, "s32");
  memset(fragments, 0, sizeof fragments);
  for (int l = 0; l < 32; l++) {
    uint8_t *lane = fragments + 48 * l;
    for (int i = 0; i < num_a * per; i++) {
      Place at = place_a(l, i, per);
      put(lane, (uint32_t)i, bits,
          encode(shape->a, problem.a[at.row][at.column]));
    }
    for (int i = 0; i < num_b * per; i++) {
      Place at = place_b(l, i, per);
      put(lane + 16, (uint32_t)i, bits,
          encode(shape->b, problem.b[at.row][at.column]));
    }
    for (int i = 0; i < 4; i++) {
      Place at = place_c(l, i);
      int value = problem.c[at.row][at.column];
      if (half)
        put(lane + 32, (uint32_t)i, 16, encode(F16, value));
      else
        put(lane + 32, (uint32_t)i, 32,
            integer ? (uint32_t)value : harness_bits((float)value));
    }
  }
}

static void check_results(const MmaShape *shape) {
  bool half = !strcmp(shape->accumulator, "f16");
  bool integer = !strcmp(shape->accumulator, "s32");
  for (int l = 0; l < 32; l++)
    for (int i = 0; i < 4; i++) {
      Place at = place_c(l, i);
      uint32_t bits = 0;
      memcpy(&bits, results + 16 * l + (half ? 2 : 4) * i, half ? 2 : 4);
      int got = half      ? (int)harness_f16(bits)
                : integer ? (int)bits
                          : (int)harness_f32(bits);
      assert_int_equal(got, problem.d[at.row][at.column]);
    }
}

static void check_mma(const MmaShape *shape, uint32_t seed) {
  uint32_t bits = type_info[shape->a].bits;
  int num_a = 16 * shape->k * (int)bits / 1024;
  int num_b = 8 * shape->k * (int)bits / 1024;
  bool half = !strcmp(shape->accumulator, "f16");
  char a[64], b[64], c[64], ptx[2000];
  problem_make(shape->a, shape->b, 16, 8, shape->k, seed);
  pack_fragments(shape, num_a, num_b);
  snprintf(ptx, sizeof ptx,
           HARNESS_HEADER
           ".entry k(.param .u64 in, .param .u64 out) { .reg .b64 from, to, r; "
           ".reg .b32 w<12>, tid; mov.u32 tid, %%tid.x;\n"
           "ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"
           "mul.wide.u32 r, tid, 48; add.u64 from, from, r;\n"
           "mul.wide.u32 r, tid, 16; add.u64 to, to, r;\n"
           "ld.global.v4.b32 {w0, w1, w2, w3}, [from];\n"
           "ld.global.v4.b32 {w4, w5, w6, w7}, [from+16];\n"
           "ld.global.v4.b32 {w8, w9, w10, w11}, [from+32];\n"
           "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s {%s}, {%s}, {%s}, "
           "{%s};\nst.global.v4.b32 [to], {w8, w9, w10, w11}; }",
           shape->k, shape->accumulator, type_info[shape->a].name,
           type_info[shape->b].name, shape->accumulator,
           list(c, "w", 8, half ? 2 : 4), list(a, "w", 0, num_a),
           list(b, "w", 4, num_b), list(c, "w", 8, half ? 2 : 4));
  HarnessRun run = {.ptx = ptx, .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){fragments, sizeof fragments, "in"};
  run.args[1].buffer = (HarnessBuffer){results, sizeof results, "out"};
  harness_run_clean(&run);
  check_results(shape);
}

static void mma_shapes(void **state) {
  (void)state;
  static const MmaShape shapes[] = {
      {F16, F16, 8, "f16"},    {F16, F16, 8, "f32"},   {F16, F16, 16, "f16"},
      {F16, F16, 16, "f32"},   {BF16, BF16, 8, "f32"}, {BF16, BF16, 16, "f32"},
      {TF32, TF32, 4, "f32"},  {TF32, TF32, 8, "f32"}, {S8, S8, 16, "s32"},
      {S8, U8, 32, "s32"},     {U8, U8, 32, "s32"},    {E4M3, E4M3, 32, "f32"},
      {E5M2, E4M3, 16, "f32"}, {E4M3, E5M2, 32, "f16"}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (uint32_t seed = 1; seed < 3; seed++)
      check_mma(&shapes[i], seed);
}

//===-- wgmma -------------------------------------------------------------===//

typedef struct {
  Type type;
  uint32_t n;
  bool a_in_registers, transpose_a, transpose_b;
  int swizzle_bytes;       // of both operands
  const char *accumulator; // f32, f16, s32
  int scale_d, scale_a;
} Wgmma;

enum { A_AT = 0, B_AT = 16384, SMEM_BYTES = 65536 };

static uint8_t image[SMEM_BYTES];

/// Where an operand puts element (mn, k), from the canonical layouts: rows of
/// the swizzle's width in the contiguous dimension, eight of them to a
/// pattern; patterns follow each other first along k, then along mn.
static uint32_t offset_of(const Wgmma *w, bool is_mn_major, uint32_t mn,
                          uint32_t k, uint32_t num_mn) {
  uint32_t bytes = type_info[w->type].bits / 8;
  uint32_t row_bytes = w->swizzle_bytes ? (uint32_t)w->swizzle_bytes : 16;
  uint32_t fast = (is_mn_major ? mn : k) * bytes, slow = is_mn_major ? k : mn;
  uint32_t pattern = fast / row_bytes,
           num_slow = is_mn_major ? 32 / bytes : num_mn;
  uint32_t offset = slow * row_bytes + fast % row_bytes;
  offset += pattern * num_slow * row_bytes;
  uint32_t mask = w->swizzle_bytes ? (uint32_t)w->swizzle_bytes / 16 - 1 : 0;
  return offset ^ (offset / 128 & mask) << 4;
}

/// The descriptor for that placement.
static uint64_t descriptor(const Wgmma *w, bool is_mn_major, uint32_t start,
                           uint32_t num_mn) {
  uint32_t bytes = type_info[w->type].bits / 8;
  uint32_t row_bytes = w->swizzle_bytes ? (uint32_t)w->swizzle_bytes : 16;
  uint32_t num_slow = is_mn_major ? 32 / bytes : num_mn;
  uint32_t next_fast = num_slow * row_bytes, next_slow = 8 * row_bytes;
  uint32_t leading = next_fast, stride = next_slow;
  if (is_mn_major && !w->swizzle_bytes) {
    leading = next_slow;
    stride = next_fast;
  }
  uint64_t mode = w->swizzle_bytes == 128  ? 1
                  : w->swizzle_bytes == 64 ? 2
                  : w->swizzle_bytes == 32 ? 3
                                           : 0;
  // Dynamic shared memory begins at 1024.
  return (uint64_t)((1024 + start) >> 4) | (uint64_t)(leading >> 4) << 16 |
         (uint64_t)(stride >> 4) << 32 | mode << 62;
}

static void make_image(const Wgmma *w, uint32_t k) {
  uint32_t bits = type_info[w->type].bits;
  memset(image, 0, sizeof image);
  for (uint32_t i = 0; i < k; i++) {
    for (uint32_t m = 0; m < 64; m++)
      put(image + A_AT + offset_of(w, w->transpose_a, m, i, 64), 0, bits,
          encode(w->type, problem.a[m][i]));
    for (uint32_t n = 0; n < w->n; n++)
      put(image + B_AT + offset_of(w, w->transpose_b, n, i, w->n), 0, bits,
          encode(w->type, problem.b[i][n]));
  }
}

/// Registers of thread t: 4 of A when they are in registers, then C.
static uint32_t registers[128][4 + 128], result[128][128];

static void make_registers(const Wgmma *w) {
  uint32_t bits = type_info[w->type].bits;
  int per = 32 / (int)bits;
  bool half = !strcmp(w->accumulator, "f16");
  bool integer = !strcmp(w->accumulator, "s32");
  memset(registers, 0, sizeof registers);
  for (int t = 0; t < 128; t++) {
    int first_row = t / 32 * 16;
    for (int i = 0; i < 4 * per; i++) {
      Place at = place_a(t % 32, i, per);
      put((uint8_t *)registers[t], (uint32_t)i, bits,
          encode(w->type, problem.a[first_row + at.row][at.column]));
    }
    for (uint32_t i = 0; i < w->n / 2; i++) {
      Place at = place_c(t % 32, (int)i % 4);
      int value = problem.c[first_row + at.row][at.column + (int)i / 4 * 8];
      if (half)
        put((uint8_t *)&registers[t][4], i, 16, encode(F16, value));
      else
        registers[t][4 + i] =
            integer ? (uint32_t)value : harness_bits((float)value);
    }
  }
}

static char *wgmma_kernel(const Wgmma *w, uint32_t k) {
  bool half = !strcmp(w->accumulator, "f16");
  uint32_t num_d = half ? w->n / 4 : w->n / 2;
  bool has_scales = w->type != S8 && w->type != U8;
  bool has_transpose = w->type == F16 || w->type == BF16;
  char *ptx = malloc(60000), *at = ptx;
  assert_non_null(ptx);
  at += sprintf(
      at,
      HARNESS_HEADER
      ".extern .shared .align 1024 .b8 smem[];\n"
      ".entry k(.param .u64 image, .param .u64 regs, .param .u64 out) {\n"
      ".reg .b64 from, to, r, da, db; .reg .b32 tid, i, s, v<4>, a<4>, "
      "d<%u>; .reg .pred p; mov.u32 tid, %%tid.x; mov.u32 s, smem;\n"
      "ld.param.u64 from, [image]; shl.b32 i, tid, 4;\n"
      "FILL: cvt.u64.u32 r, i; add.u64 r, from, r; "
      "ld.global.v4.b32 {v0, v1, v2, v3}, [r]; add.u32 tid, s, i; "
      "st.shared.v4.b32 [tid], {v0, v1, v2, v3}; add.u32 i, i, 2048; "
      "setp.lt.u32 p, i, %d; @p bra FILL;\n"
      "mov.u32 tid, %%tid.x; fence.proxy.async.shared::cta; bar.sync 0;\n"
      "ld.param.u64 from, [regs]; mul.wide.u32 r, tid, %d; "
      "add.u64 from, from, r; ld.param.u64 to, [out]; "
      "mul.wide.u32 r, tid, 512; add.u64 to, to, r;\n",
      num_d, SMEM_BYTES, 4 * (4 + 128));
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "ld.global.b32 a%d, [from+%d];\n", i, 4 * i);
  for (uint32_t i = 0; i < num_d; i++)
    at += sprintf(at, "ld.global.b32 d%u, [from+%u];\n", i, 16 + 4 * i);
  at += sprintf(at, "mov.b64 da, %llu; mov.b64 db, %llu;\n",
                (unsigned long long)descriptor(w, w->transpose_a, A_AT, 64),
                (unsigned long long)descriptor(w, w->transpose_b, B_AT, w->n));
  at += sprintf(at,
                "wgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s {",
                w->n, k, w->accumulator, type_info[w->type].name,
                type_info[w->type].name);
  list(at, "d", 0, (int)num_d);
  at += strlen(at);
  at += sprintf(at, "}, %s, db, %d",
                w->a_in_registers ? "{a0, a1, a2, a3}" : "da", w->scale_d);
  if (has_scales)
    at += sprintf(at, ", %d, 1", w->scale_a);
  if (has_transpose && !w->a_in_registers)
    at += sprintf(at, ", %d", w->transpose_a);
  if (has_transpose)
    at += sprintf(at, ", %d", w->transpose_b);
  at += sprintf(at, ";\nwgmma.commit_group.sync.aligned;\n"
                    "wgmma.wait_group.sync.aligned 0;\n");
  for (uint32_t i = 0; i < num_d; i++)
    at += sprintf(at, "st.global.b32 [to+%u], d%u;\n", 4 * i, i);
  sprintf(at, "ret; }");
  return ptx;
}

static void check_wgmma_results(const Wgmma *w) {
  bool half = !strcmp(w->accumulator, "f16");
  bool integer = !strcmp(w->accumulator, "s32");
  for (int t = 0; t < 128; t++)
    for (uint32_t i = 0; i < w->n / 2; i++) {
      Place at = place_c(t % 32, (int)i % 4);
      int row = t / 32 * 16 + at.row, column = at.column + (int)i / 4 * 8;
      int product = problem.d[row][column] - problem.c[row][column];
      int expected =
          product * w->scale_a + (w->scale_d ? problem.c[row][column] : 0);
      uint32_t bits =
          half ? result[t][i / 2] >> (16 * (i % 2)) & 0xffff : result[t][i];
      int got = half      ? (int)harness_f16(bits)
                : integer ? (int)bits
                          : (int)harness_f32(bits);
      assert_int_equal(got, expected);
    }
}

static HarnessRun wgmma_run(char *ptx) {
  HarnessRun run = {
      .ptx = ptx, .block = 128, .smem_bytes = SMEM_BYTES, .num_args = 3};
  run.args[0].buffer = (HarnessBuffer){image, sizeof image, "image"};
  run.args[1].buffer = (HarnessBuffer){registers, sizeof registers, "regs"};
  run.args[2].buffer = (HarnessBuffer){result, sizeof result, "out"};
  return run;
}

static void check_wgmma(const Wgmma *w) {
  uint32_t k = 256 / type_info[w->type].bits;
  problem_make(w->type, w->type, 64, (int)w->n, (int)k, w->n);
  make_image(w, k);
  make_registers(w);
  char *ptx = wgmma_kernel(w, k);
  HarnessRun run = wgmma_run(ptx);
  harness_run_clean(&run);
  free(ptx);
  check_wgmma_results(w);
}

static void wgmma_layouts(void **state) {
  (void)state;
  static const int swizzles[] = {0, 32, 64, 128};
  for (int s = 0; s < 4; s++)
    for (int transposes = 0; transposes < 4; transposes++) {
      Wgmma w = {.type = BF16,
                 .n = 64,
                 .transpose_a = transposes & 1,
                 .transpose_b = transposes >> 1,
                 .swizzle_bytes = swizzles[s],
                 .accumulator = "f32",
                 .scale_d = 1,
                 .scale_a = 1};
      check_wgmma(&w);
    }
}

static void wgmma_types(void **state) {
  (void)state;
  static const Wgmma cases[] = {
      {F16, 128, false, false, false, 128, "f32", 1, 1},
      {F16, 64, false, false, true, 128, "f16", 1, 1},
      {TF32, 32, false, false, false, 32, "f32", 1, 1},
      {E4M3, 64, false, false, false, 32, "f32", 1, 1},
      {E5M2, 64, false, false, false, 0, "f16", 1, 1},
      {S8, 64, false, false, false, 32, "s32", 1, 1},
      {U8, 32, false, false, false, 32, "s32", 1, 1},
      {S8, 32, false, false, false, 32, "s32", 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_wgmma(&cases[i]);
}

static void wgmma_from_registers(void **state) {
  (void)state;
  static const Wgmma cases[] = {
      {BF16, 64, true, false, false, 128, "f32", 1, 1},
      {F16, 64, true, false, true, 64, "f32", 1, 1},
      {TF32, 64, true, false, false, 32, "f32", 1, 1},
      {E4M3, 64, true, false, false, 32, "f32", 1, 1},
      {S8, 64, true, false, false, 32, "s32", 1, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_wgmma(&cases[i]);
}

static void wgmma_widths_and_scales(void **state) {
  (void)state;
  static const uint32_t widths[] = {8, 24, 72, 200, 256};
  for (int i = 0; i < 5; i++) {
    Wgmma w = {BF16, widths[i], false, false,         false,
               32,   "f32",     i % 2, i % 3 ? 1 : -1};
    check_wgmma(&w);
  }
}

//===-- Mistakes ----------------------------------------------------------===//

/// The kernel with `from` replaced by `to`, once.
static void finds_after_edit(const char *from, const char *to, const char *kind,
                             const char *text) {
  Wgmma w = {BF16, 64, false, false, false, 128, "f32", 1, 1};
  problem_make(BF16, BF16, 64, 64, 16, 1);
  make_image(&w, 16);
  make_registers(&w);
  char *ptx = wgmma_kernel(&w, 16);
  char *edited = malloc(strlen(ptx) + strlen(to) + 1);
  assert_non_null(edited);
  char *at = strstr(ptx, from);
  assert_non_null(at);
  sprintf(edited, "%.*s%s%s", (int)(at - ptx), ptx, to, at + strlen(from));
  HarnessRun run = wgmma_run(edited);
  harness_run_finds(&run, kind, text);
  free(edited);
  free(ptx);
}

static void wgmma_mistakes(void **state) {
  (void)state;
  finds_after_edit("wgmma.fence.sync.aligned;", "", "wgmma-fence",
                   "without a wgmma.fence");
  finds_after_edit("wgmma.fence.sync.aligned;",
                   "wgmma.fence.sync.aligned; add.f32 d3, d3, d3;",
                   "wgmma-fence", "register d3 of wgmma was written");
  finds_after_edit("wgmma.wait_group.sync.aligned 0;", "", "wgmma-register",
                   "is read while a wgmma.mma_async");
  finds_after_edit("wgmma.wait_group.sync.aligned 0;",
                   "mov.b32 d5, 0; wgmma.wait_group.sync.aligned 0;",
                   "wgmma-register", "register d5 is written while");
  finds_after_edit("fence.proxy.async.shared::cta;", "", "proxy-fence",
                   "wgmma A read");
  finds_after_edit("bar.sync 0;", "", "data-race", "wgmma ");
  finds_after_edit("wgmma.fence.sync.aligned;",
                   "mov.b64 db, 0x4000004000018000; wgmma.fence.sync.aligned;",
                   "out-of-bounds", "wgmma B reads shared");
  finds_after_edit("wgmma.fence.sync.aligned;",
                   "cvt.u64.u32 r, tid; add.u64 db, db, r; "
                   "wgmma.fence.sync.aligned;",
                   "descriptor", "differs from that of lane 0");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mma_shapes),
    cmocka_unit_test(wgmma_layouts),
    cmocka_unit_test(wgmma_types),
    cmocka_unit_test(wgmma_from_registers),
    cmocka_unit_test(wgmma_widths_and_scales),
    cmocka_unit_test(wgmma_mistakes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

//===- emulator-wgmma-sparse-test.c - wgmma.mma_async.sp ------------------===//
//
// A is stored without its zeros, in shared memory or in registers, where it
// looks like the A of a dense wgmma of half the k.
//
//===----------------------------------------------------------------------===//

#include "emulator-product.h"

#include <stdlib.h>

typedef struct {
  ProductType a, b, d;
  int n;
  bool a_in_registers, transpose_a, transpose_b;
  uint32_t swizzle_bytes; // of both operands
  uint32_t selector;
  int scale_d, scale_a;
} Wgmma;

enum { A_AT = 0, B_AT = 8192, SMEM_BYTES = 49152 };

static Product product;
static ProductSparse sparse;
static uint8_t image[SMEM_BYTES];

/// Of a thread: metadata, four registers of A, then D.
typedef struct {
  uint32_t metadata, a[4], d[128], unused[3];
} Thread;

static Thread threads[128], results[128];

//===-- Shared memory -----------------------------------------------------===//

static uint32_t elem_bytes(const Wgmma *w) {
  return product_type_bits(w->a) / 8;
}
static uint32_t size_k(const Wgmma *w) { return 64 / elem_bytes(w); }
static uint32_t row_bytes(const Wgmma *w) {
  return w->swizzle_bytes ? w->swizzle_bytes : 16;
}

/// Where element (mn, k) of an operand is, by the canonical layouts: rows of
/// the swizzle's width in the contiguous dimension, eight of them to a
/// pattern; patterns follow each other across, then along that dimension.
static uint32_t offset_of(const Wgmma *w, bool is_mn_major, uint32_t mn,
                          uint32_t k, uint32_t num_mn, uint32_t num_k) {
  uint32_t fast = (is_mn_major ? mn : k) * elem_bytes(w);
  uint32_t slow = is_mn_major ? k : mn, num_slow = is_mn_major ? num_k : num_mn;
  uint32_t offset = slow * row_bytes(w) + fast % row_bytes(w) +
                    fast / row_bytes(w) * num_slow * row_bytes(w);
  uint32_t mask = w->swizzle_bytes ? w->swizzle_bytes / 16 - 1 : 0;
  return offset ^ (offset / 128 & mask) << 4;
}

/// The part of the descriptor for that placement that is not the address.
static uint64_t descriptor(const Wgmma *w, bool is_mn_major, uint32_t num_mn,
                           uint32_t num_k) {
  uint32_t num_slow = is_mn_major ? num_k : num_mn;
  uint64_t leading = num_slow * row_bytes(w), stride = 8 * row_bytes(w);
  if (is_mn_major && !w->swizzle_bytes) {
    uint64_t swap = leading;
    leading = stride;
    stride = swap;
  }
  uint64_t mode = w->swizzle_bytes == 128  ? 1
                  : w->swizzle_bytes == 64 ? 2
                  : w->swizzle_bytes == 32 ? 3
                                           : 0;
  return leading >> 4 << 16 | stride >> 4 << 32 | mode << 62;
}

static void make_image(const Wgmma *w) {
  uint32_t k = size_k(w), n = (uint32_t)w->n;
  memset(image, 0, sizeof image);
  for (uint32_t i = 0; i < k / 2; i++)
    for (uint32_t m = 0; m < 64; m++)
      product_put(image + A_AT + offset_of(w, w->transpose_a, m, i, 64, k / 2),
                  0, w->a, sparse.stored[m][i]);
  for (uint32_t i = 0; i < k; i++)
    for (uint32_t j = 0; j < n; j++)
      product_put(image + B_AT + offset_of(w, w->transpose_b, j, i, n, k), 0,
                  w->b, product.b[i][j]);
}

//===-- Registers ---------------------------------------------------------===//
//
// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16" and following.

static void make_registers(const Wgmma *w) {
  uint32_t per = 4 / elem_bytes(w);
  memset(threads, 0, sizeof threads);
  for (uint32_t t = 0; t < 128; t++) {
    uint32_t row = t / 32 * 16 + t % 32 / 4;
    threads[t].metadata = sparse.metadata[t / 32][t % 32];
    for (uint32_t i = 0; i < 4 * per; i++) {
      uint32_t reg = i / per;
      uint32_t column = t % 4 * per + i % per + reg / 2 * 4 * per;
      product_put(threads[t].a, i, w->a,
                  sparse.stored[row + reg % 2 * 8][column]);
    }
    for (uint32_t i = 0; i < (uint32_t)w->n / 2; i++)
      product_put(
          threads[t].d, i, w->d,
          product.c[row + i % 4 / 2 * 8][i / 4 * 8 + t % 4 * 2 + i % 2]);
  }
}

static void check_results(const Wgmma *w) {
  for (uint32_t t = 0; t < 128; t++)
    for (uint32_t i = 0; i < (uint32_t)w->n / 2; i++) {
      uint32_t row = t / 32 * 16 + t % 32 / 4 + i % 4 / 2 * 8;
      uint32_t column = i / 4 * 8 + t % 4 * 2 + i % 2;
      int c = product.c[row][column], sum = product.d[row][column] - c;
      int expected = sum * w->scale_a + (w->scale_d ? c : 0);
      int got = product_get(results[t].d, i, w->d);
      if (got != expected)
        print_error("%s n %d swizzle %u transposed %d %d: row %u, column %u\n",
                    product_type_name(w->a), w->n, w->swizzle_bytes,
                    w->transpose_a, w->transpose_b, row, column);
      assert_int_equal(got, expected);
    }
}

//===-- Kernel ------------------------------------------------------------===//

static char *kernel(const Wgmma *w) {
  uint32_t k = size_k(w), n = (uint32_t)w->n;
  int num_d = w->n * (w->d == F16 ? 1 : 2) / 4;
  bool has_scales = w->a != S8 && w->a != U8;
  bool has_transpose = w->a == F16 || w->a == BF16;
  char list[2000], *ptx = malloc(60000), *at = ptx;
  assert_non_null(ptx);
  at += sprintf(
      at,
      HARNESS_HEADER
      ".extern .shared .align 1024 .b8 smem[];\n"
      ".visible .entry k(.param .u64 image, .param .u64 regs, .param .u64 out) "
      "{\n.reg .b64 from, to, r, da, db; .reg .b32 tid, i, s, v<4>, a<4>, m, "
      "d<%d>; .reg .pred p; mov.u32 tid, %%tid.x; mov.u32 s, smem;\n"
      "ld.param.u64 from, [image]; shl.b32 i, tid, 4;\n"
      "FILL: cvt.u64.u32 r, i; add.u64 r, from, r; "
      "ld.global.v4.b32 {v0, v1, v2, v3}, [r]; add.u32 tid, s, i; "
      "st.shared.v4.b32 [tid], {v0, v1, v2, v3}; add.u32 i, i, 2048; "
      "setp.lt.u32 p, i, %d; @p bra FILL;\n"
      "mov.u32 tid, %%tid.x; fence.proxy.async.shared::cta; bar.sync 0;\n"
      "ld.param.u64 from, [regs]; mad.wide.u32 from, tid, %d, from; "
      "ld.param.u64 to, [out]; mad.wide.u32 to, tid, %d, to;\n"
      "ld.global.b32 m, [from];\n",
      num_d, SMEM_BYTES, (int)sizeof(Thread), (int)sizeof(Thread));
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "ld.global.b32 a%d, [from+%d];\n", i, 4 + 4 * i);
  for (int i = 0; i < num_d; i++)
    at += sprintf(at, "ld.global.b32 d%d, [from+%d];\n", i, 20 + 4 * i);
  at += sprintf(
      at,
      "shr.u32 s, s, 4; cvt.u64.u32 r, s; add.u64 da, r, %llu; "
      "add.u64 db, r, %llu;\n",
      (unsigned long long)(descriptor(w, w->transpose_a, 64, k / 2) +
                           A_AT / 16),
      (unsigned long long)(descriptor(w, w->transpose_b, n, k) + B_AT / 16));
  at += sprintf(at,
                "wgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sp.sync.aligned.m64n%uk%u.%s.%s.%s %s, %s, "
                "db, m, %u, %d",
                n, k, product_type_name(w->d), product_type_name(w->a),
                product_type_name(w->b), product_registers(list, "d", 0, num_d),
                w->a_in_registers ? "{a0, a1, a2, a3}" : "da", w->selector,
                w->scale_d);
  if (has_scales)
    at += sprintf(at, ", %d, 1", w->scale_a);
  if (has_transpose && !w->a_in_registers)
    at += sprintf(at, ", %d", w->transpose_a);
  if (has_transpose)
    at += sprintf(at, ", %d", w->transpose_b);
  at += sprintf(at, ";\nwgmma.commit_group.sync.aligned;\n"
                    "wgmma.wait_group.sync.aligned 0;\n");
  for (int i = 0; i < num_d; i++)
    at += sprintf(at, "st.global.b32 [to+%d], d%d;\n", 20 + 4 * i, i);
  sprintf(at, "ret; }\n");
  return ptx;
}

static HarnessRun run_of(char *ptx) {
  HarnessRun run = {
      .ptx = ptx, .block = 128, .smem_bytes = SMEM_BYTES, .num_args = 3};
  run.args[0].buffer = (HarnessBuffer){image, sizeof image, "image"};
  run.args[1].buffer = (HarnessBuffer){threads, sizeof threads, "regs"};
  run.args[2].buffer = (HarnessBuffer){results, sizeof results, "out"};
  return run;
}

static void make(const Wgmma *w) {
  product_fill(&product, w->a, w->b, 64, w->n, (int)size_k(w),
               (uint32_t)w->n + w->swizzle_bytes);
  product_make_sparse(&product, w->a, true, 0, &sparse);
  product_make_metadata(&product, w->a, w->selector, &sparse);
  product_multiply(&product);
  make_image(w);
  make_registers(w);
}

static void check(const Wgmma *w) {
  make(w);
  char *ptx = kernel(w);
  HarnessRun run = run_of(ptx);
  product_run(&run);
  free(ptx);
  check_results(w);
}

//===-- Results -----------------------------------------------------------===//

static void layouts(void **state) {
  (void)state;
  for (uint32_t swizzle = 16; swizzle <= 128; swizzle *= 2)
    for (int transposes = 0; transposes < 4; transposes++) {
      Wgmma w = {.a = BF16,
                 .b = BF16,
                 .d = F32,
                 .n = 128,
                 .transpose_a = transposes & 1,
                 .transpose_b = transposes >> 1,
                 .swizzle_bytes = swizzle == 16 ? 0 : swizzle,
                 .selector = swizzle / 32 % 2,
                 .scale_d = 1,
                 .scale_a = 1};
      check(&w);
    }
}

static void types(void **state) {
  (void)state;
  static const Wgmma cases[] = {
      {F16, F16, F32, 64, false, false, false, 128, 0, 1, 1},
      {F16, F16, F16, 32, false, true, false, 64, 1, 1, 1},
      {TF32, TF32, F32, 32, false, false, false, 128, 1, 1, 1},
      {TF32, TF32, F32, 8, false, false, false, 32, 0, 1, -1},
      {E4M3, E4M3, F32, 40, false, false, false, 64, 0, 1, 1},
      {E5M2, E4M3, F16, 64, false, false, false, 0, 0, 1, 1},
      {E4M3, E5M2, F16, 16, false, false, false, 32, 0, 1, -1},
      {S8, S8, S32, 64, false, false, false, 32, 0, 1, 1},
      {U8, S8, S32, 32, false, false, false, 128, 0, 1, 1},
      {S8, U8, S32, 24, false, false, false, 64, 0, 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check(&cases[i]);
}

static void from_registers(void **state) {
  (void)state;
  static const Wgmma cases[] = {
      {BF16, BF16, F32, 64, true, false, false, 128, 1, 1, 1},
      {F16, F16, F16, 256, true, false, true, 64, 0, 1, 1},
      {TF32, TF32, F32, 64, true, false, false, 32, 0, 1, 1},
      {E4M3, E5M2, F32, 72, true, false, false, 32, 0, 0, 1},
      {U8, U8, S32, 64, true, false, false, 32, 0, 1, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check(&cases[i]);
}

/// A dense wgmma with the same descriptor reads half as much of B.
static void after_dense(void **state) {
  (void)state;
  Wgmma w = {BF16, BF16, F32, 8, true, false, false, 128, 0, 1, 1};
  make(&w);
  char *ptx = kernel(&w), *at = strstr(ptx, "wgmma.fence");
  assert_non_null(at);
  char *edited = malloc(strlen(ptx) + 300);
  assert_non_null(edited);
  sprintf(edited,
          "%.*s.reg .f32 f<4>; wgmma.fence.sync.aligned;\n"
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
          "{f0, f1, f2, f3}, {a0, a1, a2, a3}, db, 0, 1, 1, 0;\n%s",
          (int)(at - ptx), ptx, at);
  HarnessRun run = run_of(edited);
  product_run(&run);
  check_results(&w);
  free(edited);
  free(ptx);
}

//===-- Mistakes ----------------------------------------------------------===//

/// The kernel with `from` replaced by `to`, once.
static void finds_after_edit(const char *from, const char *to, const char *kind,
                             const char *text) {
  Wgmma w = {BF16, BF16, F32, 64, true, false, false, 128, 0, 1, 1};
  make(&w);
  char *ptx = kernel(&w), *at = strstr(ptx, from);
  assert_non_null(at);
  char *edited = malloc(strlen(ptx) + strlen(to) + 1);
  assert_non_null(edited);
  sprintf(edited, "%.*s%s%s", (int)(at - ptx), ptx, to, at + strlen(from));
  HarnessRun run = run_of(edited);
  harness_run_finds(&run, kind, text);
  free(edited);
  free(ptx);
}

static void mistakes(void **state) {
  (void)state;
  finds_after_edit("wgmma.fence.sync.aligned;", "", "wgmma-fence",
                   "without a wgmma.fence");
  finds_after_edit("wgmma.fence.sync.aligned;",
                   "wgmma.fence.sync.aligned; mov.b32 a2, 0; add.u32 a2, a2, "
                   "1;",
                   "wgmma-fence", "register a2 of wgmma was written");
  finds_after_edit("wgmma.wait_group.sync.aligned 0;", "", "wgmma-register",
                   "register d0 is read while a wgmma.mma_async");
  finds_after_edit("wgmma.wait_group.sync.aligned 0;",
                   "add.u32 a1, a1, 1; wgmma.wait_group.sync.aligned 0;",
                   "wgmma-register",
                   "register a1 is written while a wgmma.mma_async that reads "
                   "A from it is in flight, ptx:");
  // An H200 reads metadata as late as A.
  finds_after_edit("wgmma.wait_group.sync.aligned 0;",
                   "add.u32 m, m, 1; "
                   "wgmma.wait_group.sync.aligned 0;",
                   "wgmma-register",
                   "register m is written while a "
                   "wgmma.mma_async that reads its metadata from it");
  finds_after_edit("fence.proxy.async.shared::cta;", "", "proxy-fence",
                   "wgmma B read");
  finds_after_edit("bar.sync 0;", "", "data-race", "wgmma B ");
  finds_after_edit("wgmma.fence.sync.aligned;",
                   "or.b32 m, m, 0xf00; wgmma.fence.sync.aligned;",
                   "sparse-metadata", "has 0xf for chunk 2 of row 0");
  finds_after_edit("db, m, 0,", "db, m, 3,", "sparse-metadata",
                   "sparsity selector 3 where there are 2");
}

/// B has twice the rows of A's columns, and all of them have to be inside of
/// shared memory.
static void operands(void **state) {
  (void)state;
  Wgmma w = {BF16, BF16, F32, 64, true, false, false, 0, 0, 1, 1};
  make(&w);
  char *ptx = kernel(&w);
  HarnessRun run = run_of(ptx);
  run.smem_bytes = B_AT + 64 * 16 * 4 - 16; // the last unit is missing
  memset(image, 0, sizeof image);
  char *loop = strstr(ptx, "i, 49152;");
  assert_non_null(loop);
  memcpy(loop, "i,  8192;", 9);
  harness_run_finds(&run, "out-of-bounds", "wgmma B reads shared");
  free(ptx);
}

static void unsupported(void **state) {
  (void)state;
  product_instruction_finds(
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.bf16.bf16 {d0, d1}, "
      "{a0, a1, a2, a3}, x0, e0, 0, 1, 1, 1, 0;",
      "unsupported", "no such combination of shape and types");
  product_instruction_finds(
      "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {d0, d1}, "
      "{a0, a1, a2, a3}, x0, 1;",
      "unsupported", "no such combination of shape and types");
  product_instruction_fails(
      "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.bf16.bf16 "
      "{d0, d1, d2, d3}, {a0, a1, a2, a3}, x0, e0, 0, 1, 1, 1, 0;",
      "no such shape");
  product_instruction_fails(
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 "
      "{d0, d1, d2, d3}, {a0, a1, a2, a3}, x0, e0, 0;",
      "5 operands where 6 or more are expected");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(layouts),        cmocka_unit_test(types),
    cmocka_unit_test(from_registers), cmocka_unit_test(after_dense),
    cmocka_unit_test(mistakes),       cmocka_unit_test(operands),
    cmocka_unit_test(unsupported),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

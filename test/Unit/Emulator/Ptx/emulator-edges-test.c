//===- emulator-edges-test.c - Rare forms, exact limits, exact words ------===//

#include "emulator-harness.h"

#include <stdlib.h>

#define CASE(name, text, field, expr)                                          \
  HARNESS_CASE(name, harness_operands, text, field, expr)

//===-- Rare forms of moves and conversions -------------------------------===//

CASE(move_128,
     ".reg .b128 o, t; mov.b128 o, {a64, b64}; mov.b128 t, o; "
     "mov.b128 {r1, d64}, t;",
     d64, x.b)
CASE(move_128_low,
     ".reg .b128 o, t; mov.b128 o, {a64, b64}; mov.b128 t, o; "
     "mov.b128 {d64, _}, t;",
     d64, x.a)
CASE(pack_four, "mov.b64 d64, {a16, b16, c16, e16};", d64,
     (x.a & 0xffff) | (x.b & 0xffff) << 16 | (x.c & 0xffff) << 32 | x.e << 48)
CASE(convert_into_wide, "cvt.s8.s32 d64, a32;", d64, (int64_t)(int8_t)x.a)
CASE(convert_from_wide, "cvt.u32.u8 d32, a64;", d32, x.a & 0xff)
CASE(shared_address_in_64_bits,
     ".shared .align 4 .b8 s[128]; mov.u64 r1, s; mov.u32 w1, %laneid; "
     "shl.b32 w1, w1, 2; cvt.u64.u32 r2, w1; add.u64 r1, r1, r2; "
     "st.shared.u32 [r1], a32; ld.shared.u32 d32, [r1];",
     d32, (uint32_t)x.a)

HARNESS_CASE(setp_gt_f32, harness_float_operands,
             "setp.gt.f32 p|q, fa, fb; setp.gt.f32 q, fa, fa;", p,
             harness_f32(x.a) > harness_f32(x.b))
HARNESS_CASE(setp_gt_itself, harness_float_operands, "setp.gt.f32 q, fa, fa;",
             q, 0)
HARNESS_CASE(setp_ge_itself, harness_float_operands, "setp.ge.f32 q, fa, fa;",
             q, harness_f32(x.a) == harness_f32(x.a))

static void vector_atomics(void **state) {
  (void)state;
  float sums[4] = {1, 2, 3, 4}, before[4] = {0};
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 sums, .param .u64 before) { .reg .b64 s, b; "
      ".reg .f32 f<8>; ld.param.u64 s, [sums]; ld.param.u64 b, [before];\n"
      "mov.f32 f0, 0f3F800000; mov.f32 f1, 0f40000000;\n"
      "atom.global.v2.f32.add {f2, f3}, [s], {f0, f1};\n"
      "red.global.v2.f32.add [s+8], {f1, f0};\n"
      "st.global.v2.f32 [b], {f2, f3}; }",
      .block = 1,
      .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){sums, sizeof sums, "sums"};
  run.args[1].buffer = (HarnessBuffer){before, sizeof before, "before"};
  harness_run_clean(&run);
  static const float expected[4] = {2, 4, 5, 5};
  for (int i = 0; i < 4; i++)
    assert_float_equal(sums[i], expected[i], 0);
  assert_float_equal(before[0], 1, 0);
  assert_float_equal(before[1], 2, 0);
  harness_parse_fails(HARNESS_HEADER
                      ".entry k() { .reg .b64 s; .reg .f32 f<4>;\n"
                      "atom.global.v2.f32.add f0, [s], {f1, f2}; }",
                      "differ in length");
  harness_parse_fails(HARNESS_HEADER
                      ".entry k() { .reg .b64 s; .reg .f32 f;\n"
                      "red.global.v8.f32.add [s], {f, f, f, f, f, f, f, f}; }",
                      "8 elements of 4 bytes");
}

//===-- Exact limits ------------------------------------------------------===//

/// wgmma that reads B to the very end of shared memory, or one unit further.
static void wgmma_at_the_end(void **state) {
  (void)state;
  static const char ptx[] = HARNESS_HEADER
      ".extern .shared .align 1024 .b8 smem[];\n"
      ".entry k(.param .u32 start) { .reg .b64 a, b; .reg .b32 s, t, i, z; "
      ".reg .f32 d<4>; .reg .pred p; mov.u32 s, smem; mov.u32 t, %tid.x;\n"
      "shl.b32 i, t, 4; mov.b32 z, 0;\n"
      "L: add.u32 t, s, i; st.shared.v4.b32 [t], {z, z, z, z}; "
      "add.u32 i, i, 2048; mov.u32 t, %dynamic_smem_size; "
      "setp.lt.u32 p, i, t; @p bra L;\n"
      "fence.proxy.async; bar.sync 0; ld.param.u32 t, [start];\n"
      "add.u32 t, t, s; shr.u32 t, t, 4; cvt.u64.u32 b, t;\n"
      // K-major without swizzle: 8 rows of 16 bytes, two units 128 apart.
      "or.b64 b, b, 0x80000; shr.u32 t, s, 4; cvt.u64.u32 a, t;\n"
      "or.b64 a, a, 0x800400000; wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {d0, d1, d2, d3}, "
      "a, b, 0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0; }";
  HarnessRun run = {
      .ptx = ptx, .block = 128, .smem_bytes = 4096, .num_args = 1};
  run.args[0].value = 4096 - 256;
  harness_run_clean(&run);
  run.args[0].value = 4096 - 256 + 16;
  harness_run_finds(&run, "out-of-bounds",
                    "wgmma B reads shared [0x1310, 0x1410)");
}

static void copies_to_the_end(void **state) {
  (void)state;
  static const char ptx[] = HARNESS_HEADER
      ".extern .shared .align 16 .b8 smem[];\n"
      ".entry k(.param .u64 data, .param .u32 size) { .reg .b64 in; "
      ".reg .b32 s, n; .shared .align 8 .b64 bar; .reg .pred p;\n"
      "ld.param.u64 in, [data];\n"
      "ld.param.u32 n, [size]; mov.u32 s, smem;\n"
      "mbarrier.init.shared.b64 [bar], 1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], n;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[s], [in], n, [bar];\n"
      "W: mbarrier.try_wait.parity.shared.b64 p, [bar], 0; @!p bra W; }";
  static uint8_t data[512];
  HarnessRun run = {.ptx = ptx, .block = 1, .smem_bytes = 512, .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){data, sizeof data, "in"};
  run.args[1].value = 512;
  harness_run_clean(&run);
  run.args[1].value = 528;
  run.smem_bytes = 528;
  harness_run_finds(&run, "out-of-bounds", "in+0 is out of bounds");
  run.smem_bytes = 512;
  run.args[1].value = 0xfffffff0;
  harness_run_finds(&run, "out-of-bounds", "4294967280 bytes");
}

//===-- Exact words -------------------------------------------------------===//

static void conflicts_name_the_cta(void **state) {
  (void)state;
  uint32_t word = 0;
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 out) { .reg .b64 to; .reg .b32 x, y, z; "
      ".reg .pred p; ld.param.u64 to, [out]; mov.u32 x, %ctaid.x; "
      "mov.u32 y, %ctaid.y; mov.u32 z, %ctaid.z; mad.lo.u32 x, y, 10, x; "
      "mad.lo.u32 x, z, 100, x; setp.lt.u32 p, x, 112; @p ret; "
      "st.global.u32 [to], x; }",
      .grid = {3, 2, 2},
      .block = 1,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){&word, sizeof word, "word"};
  harness_run_clean(&run); // one CTA, (2,1,1)
  run.grid[0] = 4;
  harness_run_finds(&run, "global-write-conflict",
                    "word+0 was already written by CTA (2,1,1)");
}

#define SHARED_KERNEL(body)                                                    \
  HARNESS_HEADER                                                               \
  ".entry k() { .shared .align 16 .b8 s[64]; .reg .b32 t, w<4>; "              \
  ".reg .pred p, q; mov.u32 t, %tid.x; setp.ne.u32 p, t, 0;\n" body " }"

/// A write after a read is told from a read after a write.
static void races_name_both_accesses(void **state) {
  (void)state;
  HarnessRun after_read = {
      .ptx = SHARED_KERNEL(
          "@!p st.shared.u32 [s], t; bar.sync 0;\n"
          "ld.shared.u32 w0, [s]; add.u32 w0, w0, 1; bar.warp.sync -1;\n"
          "setp.eq.u32 q, t, 40; @q st.shared.u32 [s], t;"),
      .block = 64};
  harness_run_finds(&after_read, "data-race",
                    "write of s+0 (shared 0x400) is not ordered after the "
                    "read by thread ");
  HarnessRun after_write = {.ptx = SHARED_KERNEL("st.shared.u32 [s+8], t;"),
                            .block = 1};
  harness_run_clean(&after_write);
  after_write.block = 2;
  harness_run_finds(&after_write, "data-race",
                    "write of s+8 (shared 0x408) is not ordered after the "
                    "write by thread 0 at ptx:5 `st.shared.u32`");
}

static void repeated_findings_are_counted(void **state) {
  (void)state;
  HarnessRun run = {
      .ptx = SHARED_KERNEL("mov.u32 w0, 0;\n"
                           "L: ld.shared.u32 w1, [s+4]; add.u32 w0, w0, 1; "
                           "red.shared.add.u32 [s+8], w1; "
                           "setp.lt.u32 q, w0, 5; @q bra L;"),
      .grid = {3, 1, 1},
      .block = 2};
  // 3 CTAs x 5 uses, each by both threads.
  harness_run_finds(&run, "uninitialised-read", "and 14 more times");
}

/// The last sixteen entries.
static void long_histories(void **state) {
  (void)state;
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k() { .shared .align 8 .b64 bar; .reg .b32 i; .reg .pred p;\n"
      "mbarrier.init.shared.b64 [bar], 1; mov.u32 i, 0;\n"
      "L: mbarrier.arrive.shared.b64 _, [bar]; add.u32 i, i, 1; "
      "setp.lt.u32 p, i, 25; @p bra L;\n"
      "W: mbarrier.try_wait.parity.shared.b64 p, [bar], 1; @!p bra W; }",
      .block = 1};
  HarnessResult result = harness_run(&run);
  assert_non_null(strstr(result.report, "phase 25 (parity 1)"));
  assert_non_null(strstr(result.report, "phase 24: arrive 1 by thread 0"));
  assert_non_null(strstr(result.report, "10 earlier entries"));
  assert_non_null(strstr(result.report, "phase 9: arrive"));
  assert_null(strstr(result.report, "phase 8: arrive"));
  harness_result_deinit(&result);
}

//===-- Who fences what ---------------------------------------------------===//

/// Lanes write, `sync` happens, lane 0 stores the bytes with TMA.
#define FENCE_KERNEL(sync)                                                     \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 out) { .shared .align 16 .b8 s[128]; .reg .b64 to; "   \
  ".reg .b32 t, w; .reg .pred p; mov.u32 t, %tid.x; ld.param.u64 to, [out];\n" \
  "mov.u32 w, s; mad.lo.u32 w, t, 4, w; st.shared.u32 [w], t;\n"               \
  "setp.ne.u32 p, t, 0;\n" sync "\n@p ret;\n"                                  \
  "cp.async.bulk.global.shared::cta.bulk_group [to], [s], 128;\n"              \
  "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; }"

static void fences_cover_what_was_seen(void **state) {
  (void)state;
  static const struct {
    const char *ptx;
    const char *kind; // NULL: right
  } cases[] = {
      {FENCE_KERNEL("fence.proxy.async; bar.warp.sync -1;"), NULL},
      {FENCE_KERNEL("bar.warp.sync -1; @!p fence.proxy.async;"), NULL},
      {FENCE_KERNEL("fence.proxy.async.shared::cta; bar.sync 0;"), NULL},
      {FENCE_KERNEL("@!p fence.proxy.async; bar.warp.sync -1;"), "proxy-fence"},
      {FENCE_KERNEL("fence.acq_rel.cta; bar.warp.sync -1;"), "proxy-fence"},
      {FENCE_KERNEL("fence.proxy.async.global; bar.warp.sync -1;"),
       "proxy-fence"},
      {FENCE_KERNEL("fence.proxy.async;"), "data-race"},
      {FENCE_KERNEL("bar.warp.sync -1;"), "proxy-fence"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t words[32] = {0};
    HarnessRun run = {.ptx = cases[i].ptx, .num_args = 1};
    run.args[0].buffer = (HarnessBuffer){words, sizeof words, "words"};
    if (cases[i].kind)
      harness_run_finds(&run, cases[i].kind, "TMA store read of s+");
    else
      harness_run_clean(&run);
    assert_int_equal(words[31], 31);
  }
}

/// A warp that issues one store in all lanes issues it once, and different
/// stores each on their own.
static void stores_of_several_lanes(void **state) {
  (void)state;
  for (int differ = 0; differ < 2; differ++) {
    float words[32 * 4] = {0};
    char ptx[2000];
    snprintf(ptx, sizeof ptx,
             HARNESS_HEADER
             ".entry k(.param .u64 out) { .shared .align 16 .b8 s[512]; "
             ".reg .b64 to, r; .reg .b32 t, w; .reg .f32 f;\n"
             "mov.u32 t, %%tid.x; ld.param.u64 to, [out]; mov.u32 w, s;\n"
             "mad.lo.u32 w, t, 16, w; cvt.rn.f32.u32 f, t;\n"
             "st.shared.v4.f32 [w], {f, f, f, f}; fence.proxy.async; "
             "bar.warp.sync -1;\n"
             "mul.lo.u32 t, t, %d; cvt.u64.u32 r, t; add.u64 to, to, r;\n"
             "mov.u32 w, s; add.u32 w, w, t;\n"
             "cp.async.bulk.global.shared::cta.bulk_group [to], [w], 16;\n"
             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; }",
             differ ? 16 : 0);
    HarnessRun run = {.ptx = ptx, .num_args = 1};
    run.args[0].buffer = (HarnessBuffer){words, sizeof words, "words"};
    HarnessResult result = harness_run(&run);
    assert_string_equal(result.report, "");
    assert_int_equal(result.stats.num_async_ops, differ ? 32 : 1);
    for (int i = 0; i < 32; i++) {
      float expected = differ ? (float)i : 0.0f;
      assert_float_equal(words[4 * i], expected, 0);
    }
    harness_result_deinit(&result);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(move_128),
    cmocka_unit_test(move_128_low),
    cmocka_unit_test(pack_four),
    cmocka_unit_test(convert_into_wide),
    cmocka_unit_test(convert_from_wide),
    cmocka_unit_test(shared_address_in_64_bits),
    cmocka_unit_test(setp_gt_f32),
    cmocka_unit_test(setp_gt_itself),
    cmocka_unit_test(setp_ge_itself),
    cmocka_unit_test(vector_atomics),
    cmocka_unit_test(wgmma_at_the_end),
    cmocka_unit_test(copies_to_the_end),
    cmocka_unit_test(conflicts_name_the_cta),
    cmocka_unit_test(races_name_both_accesses),
    cmocka_unit_test(repeated_findings_are_counted),
    cmocka_unit_test(long_histories),
    cmocka_unit_test(fences_cover_what_was_seen),
    cmocka_unit_test(stores_of_several_lanes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

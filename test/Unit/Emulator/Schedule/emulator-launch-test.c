//===- emulator-launch-test.c - Launches, options, reports ----------------===//

#include "emulator-harness.h"

#include <stdlib.h>

//===-- What the driver would refuse --------------------------------------===//

static const char limited[] = HARNESS_HEADER
    ".entry k(.param .u32 a) .maxntid 64, 1, 1 .reqnctapercluster 2, 1, 1 "
    "{ .shared .align 4 .b8 s[1000]; st.shared.u32 [s], 0; ret; }\n"
    ".entry exact() .reqntid 32, 2, 1 { ret; }\n"
    ".entry large() { .shared .align 4 .b8 s[240000]; st.shared.u32 [s], 0; }";

typedef struct {
  const char *kernel;
  TileEmuLaunch launch;
  const char *message;
} Refusal;

static void refused_launches(void **state) {
  (void)state;
  uint32_t value = 0;
  void *args[1] = {&value}, *null_args[1] = {NULL};
  const Refusal cases[] = {
      {"other", {{1, 1, 1}, {1, 1, 1}, {0}, 0, NULL, 0}, "no kernel other"},
      {"k", {{2, 1, 1}, {1, 1, 1}, {0}, 0, NULL, 0}, "takes 1 arguments, 0"},
      {"k", {{2, 1, 1}, {1, 1, 1}, {0}, 0, null_args, 1}, "argument 0 is null"},
      {"k", {{2, 1, 1}, {0, 1, 1}, {0}, 0, args, 1}, "block of 0x1x1"},
      {"k", {{2, 1, 1}, {65, 1, 1}, {0}, 0, args, 1}, ".maxntid allows 64"},
      {"k", {{2, 1, 1}, {2000, 1, 1}, {0}, 0, args, 1}, "block of 2000x1x1"},
      {"k", {{0, 1, 1}, {1, 1, 1}, {0}, 0, args, 1}, "grid of 0x1x1"},
      {"k", {{1, 70000, 1}, {1, 1, 1}, {0}, 0, args, 1}, "grid of 1x70000x1"},
      {"k", {{3, 1, 1}, {1, 1, 1}, {0}, 0, args, 1}, "not a multiple"},
      {"k",
       {{4, 1, 1}, {1, 1, 1}, {4, 1, 1}, 0, args, 1},
       ".reqnctapercluster is 2"},
      {"k", {{2, 1, 1}, {1, 1, 1}, {0}, 232000, args, 1}, "bytes of shared"},
      {"k",
       {{2, 1, 1}, {1, 1, 1}, {0}, 1ull << 40, args, 1},
       "bytes of dynamic shared memory"},
      {"exact", {{1, 1, 1}, {64, 1, 1}, {0}, 0, NULL, 0}, ".reqntid is 32x2x1"},
      {"exact",
       {{32, 1, 1}, {32, 2, 1}, {32, 1, 1}, 0, NULL, 0},
       "cluster of 32 blocks"},
      {"large", {{1, 1, 1}, {1, 1, 1}, {0}, 0, NULL, 0}, "a block has 232448"},
  };
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(limited, strlen(limited), "limited", &module);
  assert_string_equal(status.message, "");
  TileEmu *emu = NULL;
  status = tile_emu_create(NULL, &emu);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    status = tile_emu_launch(emu, module, cases[i].kernel, &cases[i].launch);
    assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
    if (!strstr(status.message, cases[i].message))
      fail_msg("expected \"%s\" in \"%s\"", cases[i].message, status.message);
  }
  assert_int_equal(tile_emu_num_findings(emu), 0);
  tile_emu_destroy(emu);
  tile_emu_module_destroy(module);
}

static void large_cluster_without_races(void **state) {
  (void)state;
  HarnessRun run = {.ptx = HARNESS_HEADER ".entry k() { ret; }",
                    .grid = {16, 1, 1},
                    .block = 1024,
                    .cluster = 16};
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(
      strstr(result.status.message, "too large for race detection"));
  harness_result_deinit(&result);
  tile_emu_options_init(&run.options);
  run.options.detect_races = false;
  harness_run_clean(&run);
}

/// 400 KB of local memory in each thread: 39 MiB in a block of 96.
static void memory_is_limited(void **state) {
  (void)state;
  HarnessRun run = {.ptx = HARNESS_HEADER
                    ".entry k() { .local .align 8 .b8 x[400000]; "
                    ".reg .b64 a; mov.u64 a, x; "
                    "st.local.u64 [a], a; ret; }",
                    .grid = {4, 1, 1},
                    .block = 96};
  tile_emu_options_init(&run.options);
  run.options.max_memory_bytes = 40 << 20;
  harness_run_clean(&run);
  run.options.num_threads = 2; // two at a time
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(result.status.message,
                         "k: 2 blocks at a time need 73 MiB for registers, "
                         "local and shared memory; the limit is 40 MiB"));
  harness_result_deinit(&result);
  run.options.num_threads = 1;
  run.options.co_resident = true; // all four
  result = harness_run(&run);
  assert_non_null(strstr(result.status.message, "k: 4 blocks at a time"));
  harness_result_deinit(&result);
}

static void refused_options(void **state) {
  (void)state;
  TileEmuOptions options;
  TileEmu *emu = NULL;
  tile_emu_options_init(&options);
  options.schedule = (TileEmuSchedule)9;
  TileStatus status = tile_emu_create(&options, &emu);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_null(emu);
  tile_emu_options_init(&options);
  options.num_threads = -1;
  status = tile_emu_create(&options, &emu);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
}

static void memory_runs_out(void **state) {
  (void)state;
  TileEmu *emu = NULL;
  TileStatus status = tile_emu_create(NULL, &emu);
  void *memory = &status;
  status = tile_emu_alloc(emu, SIZE_MAX / 2, "huge", &memory);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(status.message, "of huge"));
  assert_null(memory);
  status = tile_emu_alloc(emu, SIZE_MAX, "huge", &memory);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  tile_emu_destroy(emu);
}

//===-- Reports -----------------------------------------------------------===//

static const char wrong[] =
    HARNESS_HEADER ".file 3 \"dir/wrong.cu\"\n"
                   ".entry k(.param .u64 out) { .reg .b64 to; .reg .b32 t; "
                   ".shared .align 4 .b8 tile[128];\n"
                   "ld.param.u64 to, [out]; mov.u32 t, %tid.x;\n"
                   ".loc 3 77 1\n"
                   "ld.shared.u32 t, [tile+4];\n"
                   "st.global.u32 [to+1], t;\n"
                   "st.global.u32 [to+64], t; ret; }";

static uint32_t word[4];

static HarnessRun wrong_run(void) {
  HarnessRun run = {.ptx = wrong, .block = 64, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){word, sizeof word, "words"};
  tile_emu_options_init(&run.options);
  return run;
}

static void report_paragraphs(void **state) {
  (void)state;
  HarnessRun run = wrong_run();
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.status.code, TILE_STATUS_KERNEL_FAILED);
  assert_int_equal(result.num_findings, 3);
  static const char first[] =
      "[uninitialised-read] read of tile+4 (shared 0x404), which nobody has "
      "written; the value is used at ptx:9 `st.global.u32`\n    at ptx:8 "
      "(wrong.cu:77) `ld.shared.u32`, CTA (0,0,0) warp ";
  assert_memory_equal(result.report, first, sizeof first - 1);
  assert_memory_equal(result.status.message, first, sizeof first - 1);
  // Paragraphs are separated by an empty line and say what is likely wrong.
  const char *second = strstr(result.report, "\n\n[misaligned] ");
  assert_non_null(second);
  assert_non_null(strstr(second, "\n\n[out-of-bounds] "));
  assert_non_null(strstr(result.report, " lanes 0xffffffff\n"));
  assert_non_null(strstr(result.report, "    and 63 more times\n"));
  assert_non_null(strstr(result.report, "    likely cause: "));
  harness_result_deinit(&result);
}

static void findings_are_limited(void **state) {
  (void)state;
  HarnessRun run = wrong_run();
  run.options.max_findings = 1;
  HarnessResult result = harness_run(&run);
  assert_null(strstr(result.report, "\n\n"));
  assert_true(result.num_findings > 1);
  harness_result_deinit(&result);
}

/// Findings of one launch do not hide those of the next.
static void findings_accumulate(void **state) {
  (void)state;
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(wrong, strlen(wrong), "wrong", &module);
  TileEmu *emu = NULL;
  status = tile_emu_create(NULL, &emu);
  void *memory = NULL;
  status = tile_emu_alloc(emu, 16, NULL, &memory);
  assert_int_equal((uintptr_t)memory % 256, 0);
  assert_string_equal(tile_emu_report(emu), "");
  void *args[1] = {&memory};
  TileEmuLaunch launch = {{1, 1, 1}, {1, 1, 1}, {0}, 0, args, 1};
  for (size_t i = 1; i <= 3; i++) {
    status = tile_emu_launch(emu, module, "k", &launch);
    assert_int_equal(status.code, TILE_STATUS_KERNEL_FAILED);
    assert_int_equal(tile_emu_num_findings(emu), 3 * i);
    assert_non_null(tile_emu_finding(emu, 3 * i - 1));
    assert_null(tile_emu_finding(emu, 3 * i));
  }
  const TileEmuFinding *finding = tile_emu_finding(emu, 1);
  assert_string_equal(finding->kind, "misaligned");
  assert_int_equal(finding->ptx_line, 9);
  assert_int_equal(finding->count, 1);
  assert_non_null(strstr(tile_emu_report(emu), finding->text));
  tile_emu_destroy(emu);
  tile_emu_module_destroy(module);
}

//===-- Determinism -------------------------------------------------------===//

/// Races on purpose: the result depends on the order of warps.
static const char racy[] = HARNESS_HEADER
    ".entry k(.param .u64 out) { .reg .b64 to, r; .reg .b32 t, v, i; "
    ".reg .pred p; .shared .b32 s;\n"
    "ld.param.u64 to, [out]; mov.u32 t, %tid.x; mov.u32 i, 0;\n"
    "st.shared.u32 [s], t;\n"
    "L: ld.shared.u32 v, [s]; mad.lo.u32 v, v, 31, t; st.shared.u32 [s], v;\n"
    "add.u32 i, i, 1; setp.lt.u32 p, i, 50; @p bra L;\n"
    "mov.u32 i, %ctaid.x; mad.lo.u32 i, i, 128, t; mul.wide.u32 r, i, 4;\n"
    "add.u64 to, to, r; st.global.u32 [to], v; }";

static void run_racy(uint64_t seed, int num_threads, uint32_t out[8 * 128],
                     uint64_t *out_num_insns) {
  HarnessRun run = {
      .ptx = racy, .grid = {8, 1, 1}, .block = 128, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){out, 8 * 128 * 4, "out"};
  tile_emu_options_init(&run.options);
  run.options.seed = seed;
  run.options.num_threads = num_threads;
  HarnessResult result = harness_run(&run);
  assert_non_null(strstr(result.kinds, "data-race"));
  *out_num_insns = result.stats.num_warp_instructions;
  assert_true(result.stats.num_lane_instructions >
              result.stats.num_warp_instructions);
  harness_result_deinit(&result);
}

static void same_seed_same_run(void **state) {
  (void)state;
  static uint32_t first[8 * 128], again[8 * 128], threads[8 * 128],
      other[8 * 128];
  uint64_t num_insns[4];
  run_racy(7, 1, first, &num_insns[0]);
  run_racy(7, 1, again, &num_insns[1]);
  run_racy(7, 4, threads, &num_insns[2]);
  run_racy(8, 1, other, &num_insns[3]);
  assert_memory_equal(first, again, sizeof first);
  assert_memory_equal(first, threads, sizeof first);
  assert_int_equal(num_insns[0], num_insns[1]);
  assert_int_equal(num_insns[0], num_insns[2]);
  assert_memory_not_equal(first, other, sizeof first);
}

static void detector_can_be_off(void **state) {
  (void)state;
  static uint32_t out[8 * 128];
  HarnessRun run = {
      .ptx = racy, .grid = {8, 1, 1}, .block = 128, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
  tile_emu_options_init(&run.options);
  run.options.detect_races = false;
  harness_run_clean(&run);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(refused_launches),
    cmocka_unit_test(large_cluster_without_races),
    cmocka_unit_test(refused_options),
    cmocka_unit_test(memory_is_limited),
    cmocka_unit_test(memory_runs_out),
    cmocka_unit_test(report_paragraphs),
    cmocka_unit_test(findings_are_limited),
    cmocka_unit_test(findings_accumulate),
    cmocka_unit_test(same_seed_same_run),
    cmocka_unit_test(detector_can_be_off),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

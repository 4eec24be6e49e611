//===- emulator-schedule-test.c - Schedules, seeds, host threads ----------===//

#include "emulator-harness.h"

#include <stdlib.h>

//===-- The order of warps ------------------------------------------------===//

enum { NUM_WARPS = 4, NUM_ROUNDS = 100, LOG_SIZE = NUM_WARPS * NUM_ROUNDS };

// Every warp appends its number to a log, again and again.
static const char logger[] = HARNESS_HEADER
    ".entry k(.param .u64 out) { .reg .b32 t, w, i, n; .reg .b64 to, at;\n"
    ".reg .pred p;\n"
    "ld.param.u64 to, [out]; mov.u32 t, %tid.x; shr.u32 w, t, 5;\n"
    "and.b32 t, t, 31; setp.ne.u32 p, t, 0; @p ret;\n"
    "mov.u32 n, 0;\n"
    "LOOP:\n"
    "atom.global.add.u32 i, [to], 1;\n"
    "mad.wide.u32 at, i, 4, to;\n"
    "st.global.u32 [at+4], w;\n"
    "add.u32 n, n, 1; setp.lt.u32 p, n, 100; @p bra LOOP;\n"
    "ret; }";

typedef struct {
  uint32_t count, warps[LOG_SIZE];
} Log;

static Log log_run(TileEmuSchedule schedule, uint64_t seed, int num_changes) {
  Log log = {0};
  HarnessRun run = {.ptx = logger, .block = 32 * NUM_WARPS, .num_args = 1};
  tile_emu_options_init(&run.options);
  run.options.schedule = schedule;
  run.options.seed = seed;
  run.options.num_priority_changes = num_changes;
  run.args[0].buffer = (HarnessBuffer){&log, sizeof log, "log"};
  harness_run_clean(&run);
  assert_int_equal(log.count, LOG_SIZE);
  return log;
}

static uint32_t num_segments(const Log *log) {
  uint32_t count = 1;
  for (uint32_t i = 1; i < LOG_SIZE; i++)
    count += log->warps[i] != log->warps[i - 1];
  return count;
}

/// Without change points warps run one after the other, in a random order;
/// every change point delays one of them once.
static void priorities_change_at_few_points(void **state) {
  (void)state;
  uint32_t firsts = 0, most = 0;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    Log plain = log_run(TILE_EMU_SCHEDULE_PRIORITY, seed, 0);
    assert_int_equal(num_segments(&plain), NUM_WARPS);
    firsts |= 1u << plain.warps[0];
    Log changed = log_run(TILE_EMU_SCHEDULE_PRIORITY, seed, 3);
    uint32_t segments = num_segments(&changed);
    assert_true(segments <= NUM_WARPS + 3);
    most = segments > most ? segments : most;
    Log random = log_run(TILE_EMU_SCHEDULE_RANDOM, seed, 3);
    assert_true(num_segments(&random) > NUM_WARPS + 3);
  }
  assert_int_equal(firsts, 0xf);
  assert_true(most > NUM_WARPS);
}

// Warp 0 polls until warp 1 has written, whatever their priorities.
static const char spinner[] = HARNESS_HEADER
    ".entry k(.param .u64 out) { .reg .b32 t, v; .reg .b64 to; .reg .pred p;\n"
    "ld.param.u64 to, [out]; mov.u32 t, %tid.x;\n"
    "setp.ge.u32 p, t, 32; @p bra WRITE;\n"
    "SPIN: ld.volatile.global.u32 v, [to]; setp.eq.u32 p, v, 0;\n"
    "@p bra SPIN; ret;\n"
    "WRITE: st.volatile.global.u32 [to], 1; ret; }";

static void spinning_warps_let_others_run(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    uint32_t out = 0;
    HarnessRun run = {.ptx = spinner, .block = 33, .num_args = 1};
    tile_emu_options_init(&run.options);
    run.options.schedule = TILE_EMU_SCHEDULE_PRIORITY;
    run.options.seed = seed;
    run.options.num_priority_changes = 0;
    run.options.max_instructions = 1000000;
    run.args[0].buffer = (HarnessBuffer){&out, sizeof out, "out"};
    harness_run_clean(&run);
  }
}

static void schedules_differ_and_repeat(void **state) {
  (void)state;
  for (int i = 0; tile_emu_schedule_name((TileEmuSchedule)i); i++) {
    Log first = log_run((TileEmuSchedule)i, 7, 3);
    Log again = log_run((TileEmuSchedule)i, 7, 3);
    assert_memory_equal(&first, &again, sizeof first);
    Log other = log_run((TileEmuSchedule)i, 8, 3);
    assert_memory_not_equal(&first, &other, sizeof first);
  }
}

static void refused_options(void **state) {
  (void)state;
  TileEmuOptions options;
  tile_emu_options_init(&options);
  options.num_priority_changes = TILE_EMU_MAX_PRIORITY_CHANGES + 1;
  TileEmu *emu = NULL;
  TileStatus status = tile_emu_create(&options, &emu);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(status.message, "65 priority changes"));
  assert_null(tile_emu_schedule_name((TileEmuSchedule)5));
}

//===-- Host threads ------------------------------------------------------===//

// Each CTA has races, reads outside (those of a number above 5) and prints.
static const char faulty[] = HARNESS_HEADER
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 text[8] = {67, 84, 65, 32, 37, 117, 10, 0};\n"
    ".entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 t, c, v, i; .reg .b64 from, to, at, g; .reg .pred p;\n"
    ".shared .align 4 .b8 tile[512]; .local .align 8 .b8 args[8];\n"
    "ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"
    "mov.u32 t, %tid.x; mov.u32 c, %ctaid.x;\n"
    "mad.lo.u32 i, c, 128, t; mad.wide.u32 at, i, 4, to;\n"
    "mov.u32 v, tile; shl.b32 t, t, 2; add.u32 v, v, t;\n"
    "st.shared.u32 [v], i; xor.b32 t, t, 256; mov.u32 v, tile;\n"
    "add.u32 v, v, t; ld.shared.u32 v, [v]; st.global.u32 [at], v;\n"
    "setp.gt.u32 p, c, 5; @p ld.global.u32 v, [from+64];\n"
    "setp.ne.u32 p, t, 0; @p ret;\n"
    "{ .param .b64 f, a; .param .b32 r;\n"
    "st.local.u32 [args], c; mov.u64 g, args; cvta.local.u64 g, g;\n"
    "st.param.b64 [a], g; cvta.global.u64 g, text; st.param.b64 [f], g;\n"
    "call.uni (r), vprintf, (f, a); }\n"
    "ret; }";

enum { NUM_CTAS = 24 };

typedef struct {
  char *json, *trace;
  uint32_t out[NUM_CTAS * 128];
} Faulty;

static void inspect_json(TileEmu *emu, void *user_data) {
  Faulty *faulty_run = user_data;
  faulty_run->json = strdup(tile_emu_report_json(emu, NULL));
  faulty_run->trace = strdup(tile_emu_trace_json(emu));
}

static void faulty_launch(Faulty *result, TileEmuSchedule schedule,
                          uint64_t seed, int num_threads, int max_findings) {
  uint32_t in[16] = {0};
  memset(result->out, 0, sizeof result->out);
  HarnessRun run = {.ptx = faulty,
                    .grid = {NUM_CTAS, 1, 1},
                    .block = 128,
                    .num_args = 2,
                    .inspect = inspect_json,
                    .user_data = result};
  tile_emu_options_init(&run.options);
  run.options.schedule = schedule;
  run.options.seed = seed;
  run.options.num_threads = num_threads;
  run.options.max_findings = max_findings;
  run.options.collect_statistics = run.options.trace = true;
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){result->out, sizeof result->out, "out"};
  HarnessResult harness = harness_run(&run);
  assert_int_equal(harness.status.code, TILE_STATUS_KERNEL_FAILED);
  if (max_findings > 1)
    assert_non_null(strstr(harness.output, "CTA 0\nCTA 1\nCTA 2\n"));
  harness_result_deinit(&harness);
}

/// Findings, their order and counts, statistics and printed text.
static void threads_change_nothing(void **state) {
  (void)state;
  for (int i = 0; tile_emu_schedule_name((TileEmuSchedule)i); i++)
    for (uint64_t seed = 1; seed <= 4; seed++)
      for (int max_findings = 1; max_findings <= 100; max_findings += 99) {
        Faulty one, more;
        faulty_launch(&one, (TileEmuSchedule)i, seed, 1, max_findings);
        for (int num_threads = 2; num_threads <= 4; num_threads += 2) {
          faulty_launch(&more, (TileEmuSchedule)i, seed, num_threads,
                        max_findings);
          assert_string_equal(one.json, more.json);
          if (max_findings > 1)
            assert_memory_equal(one.out, more.out, sizeof one.out);
          assert_string_equal(one.trace, more.trace);
          free(more.json);
          free(more.trace);
        }
        if (max_findings > 1)
          assert_non_null(strstr(one.json, "data-race"));
        assert_non_null(strstr(one.json, "shared memory"));
        assert_non_null(strstr(one.trace, "st.shared.u32"));
        free(one.json);
        free(one.trace);
      }
}

// Sums of f32 round, and each CTA learns what was there before.
static const char sums[] = HARNESS_HEADER
    ".entry k(.param .u64 out) { .reg .b32 c, n; .reg .f32 f, old;\n"
    ".reg .b64 to, at; .reg .pred p;\n"
    "ld.param.u64 to, [out]; mov.u32 c, %ctaid.x; mov.u32 n, 0;\n"
    "cvt.rn.f32.u32 f, c; mul.f32 f, f, 0f3f8ccccd; add.f32 f, f, 0f3dcccccd;\n"
    "LOOP: atom.global.add.f32 old, [to], f;\n"
    "add.u32 n, n, 1; setp.lt.u32 p, n, 50; @p bra LOOP;\n"
    "mad.wide.u32 at, c, 4, to; st.global.f32 [at+4], old; ret; }";

/// Who comes first in global memory is a matter of the seed as well.
static void updates_keep_their_order(void **state) {
  (void)state;
  enum { NUM_SUMS = 64 };
  float first[1 + NUM_SUMS];
  for (int num_threads = 1; num_threads <= 4; num_threads++) {
    float out[1 + NUM_SUMS] = {0};
    HarnessRun run = {
        .ptx = sums, .grid = {NUM_SUMS, 1, 1}, .block = 1, .num_args = 1};
    tile_emu_options_init(&run.options);
    run.options.num_threads = num_threads;
    run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
    harness_run_clean(&run);
    if (num_threads > 1)
      assert_memory_equal(first, out, sizeof out);
    else
      memcpy(first, out, sizeof out);
  }
}

// CTAs from number 3 on never end.
static const char endless[] = HARNESS_HEADER
    ".entry k(.param .u64 out) { .reg .b32 c; .reg .pred p; .reg .b64 to;\n"
    "ld.param.u64 to, [out]; mov.u32 c, %ctaid.x; setp.lt.u32 p, c, 3;\n"
    "@p ret; mad.wide.u32 to, c, 4, to;\n"
    "LOOP: st.global.u32 [to], c; bra LOOP; }";

static void inspect_limit(TileEmu *emu, void *user_data) {
  char **out_json = user_data;
  *out_json = strdup(tile_emu_report_json(emu, NULL));
}

/// The run ends at the first cluster that cannot finish.
static void the_limit_names_the_first_cluster(void **state) {
  (void)state;
  char *first = NULL;
  for (int num_threads = 1; num_threads <= 4; num_threads *= 2) {
    char *json = NULL;
    uint32_t out[8] = {0};
    HarnessRun run = {.ptx = endless,
                      .grid = {8, 1, 1},
                      .num_args = 1,
                      .inspect = inspect_limit,
                      .user_data = &json};
    tile_emu_options_init(&run.options);
    run.options.max_instructions = 100000;
    run.options.num_threads = num_threads;
    run.options.detect_races = false;
    run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
    harness_run_finds(&run, "instruction-limit", "CTA (3,0,0) is here");
    if (first)
      assert_string_equal(first, json);
    else
      first = strdup(json);
    free(json);
  }
  free(first);
}

/// Clusters that keep to the limit one by one can exceed it together.
static void the_limit_is_for_the_launch(void **state) {
  (void)state;
  uint32_t in[16] = {0};
  Faulty result;
  HarnessRun run = {
      .ptx = faulty, .grid = {NUM_CTAS, 1, 1}, .block = 128, .num_args = 2};
  tile_emu_options_init(&run.options);
  run.options.detect_races = false;
  run.options.max_instructions = 300;
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){result.out, sizeof result.out, "out"};
  harness_run_finds(&run, "instruction-limit",
                    "more than 300 warp instructions");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(priorities_change_at_few_points),
      cmocka_unit_test(updates_keep_their_order),
      cmocka_unit_test(spinning_warps_let_others_run),
      cmocka_unit_test(schedules_differ_and_repeat),
      cmocka_unit_test(refused_options),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(the_limit_names_the_first_cluster),
      cmocka_unit_test(the_limit_is_for_the_launch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

//===- emulator-co-resident-test.c - CTAs that wait for each other --------===//

#include "emulator-harness.h"

enum { MAX_CTAS = 64, THREADS = 64 };

static uint32_t counter[64], values[MAX_CTAS], out[MAX_CTAS * 4];

/// Declarations and a number `cta` for the CTA; `from` is the array of
/// counters, `data` the array of values, `to` of results.
#define BEGIN(attributes)                                                      \
  HARNESS_HEADER                                                               \
  ".visible .entry k(.param .u64 counter, .param .u64 values, "                \
  ".param .u64 out)" attributes " {\n"                                         \
  ".reg .b64 from, data, to, r; .reg .b32 tid, cta, n, x, y, z, i, old; "      \
  ".reg .pred p, q;\n"                                                         \
  "ld.param.u64 from, [counter]; ld.param.u64 data, [values]; "                \
  "ld.param.u64 to, [out]; mov.u32 tid, %tid.x; mov.u32 cta, %ctaid.x; "       \
  "mov.u32 n, %nctaid.x;\n"

static HarnessRun make_run(const char *ptx, uint32_t num_ctas, int num_sms) {
  HarnessRun run = {
      .ptx = ptx, .grid = {num_ctas, 1, 1}, .block = THREADS, .num_args = 3};
  memset(counter, 0, sizeof counter);
  memset(values, 0, sizeof values);
  memset(out, 0, sizeof out);
  run.args[0].buffer = (HarnessBuffer){counter, sizeof counter, "counter"};
  run.args[1].buffer = (HarnessBuffer){values, sizeof values, "values"};
  run.args[2].buffer = (HarnessBuffer){out, sizeof out, "out"};
  tile_emu_options_init(&run.options);
  run.options.co_resident = num_sms > 0;
  run.options.num_sms = num_sms;
  return run;
}

//===-- A grid barrier ----------------------------------------------------===//

/// Thread 0 arrives and waits until all CTAs have.
#define GRID_BARRIER(label)                                                    \
  "bar.sync 0; setp.ne.u32 p, tid, 0; @p bra " label "_END;\n"                 \
  "fence.acq_rel.gpu; atom.add.relaxed.gpu.global.u32 old, [from], 1;\n" label \
  ": ld.acquire.gpu.global.u32 x, [from]; setp.lt.u32 q, x, n; @q bra " label  \
  ";\n" label "_END: bar.sync 0;\n"

/// Every CTA publishes a value; after the barrier each adds up all of them.
/// Then they change places: CTA c overwrites the value of its neighbour.
static const char barrier_kernel[] = BEGIN(
    "") "mad.lo.u32 y, cta, 7, 3; mul.wide.u32 r, cta, 4; add.u64 r, data, r;\n"
        "setp.eq.u32 p, tid, 0; @p st.global.u32 [r], y;\n" GRID_BARRIER(
            "MEET") "setp.ne.u32 p, tid, 0; @p ret;\n"
                    "mov.u32 i, 0; mov.u32 y, 0;\n"
                    "SUM: mul.wide.u32 r, i, 4; add.u64 r, data, r; "
                    "ld.global.u32 x, [r];\n"
                    "add.u32 y, y, x; add.u32 i, i, 1; setp.lt.u32 p, i, n; @p "
                    "bra SUM;\n"
                    "mul.wide.u32 r, cta, 4; add.u64 r, to, r; st.global.u32 "
                    "[r], y;\n"
                    "ret; }\n";

static void grid_barrier(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    HarnessRun run = make_run(barrier_kernel, 24, 24);
    run.options.seed = seed;
    run.options.schedule = (TileEmuSchedule)(seed - 1); // each of them
    harness_run_clean(&run);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 24; i++)
      sum += 7 * i + 3;
    for (uint32_t i = 0; i < 24; i++)
      assert_int_equal(out[i], sum);
  }
}

/// The same run for any number of host threads, and for the same seed only.
static void is_deterministic(void **state) {
  (void)state;
  uint64_t insns[2] = {0};
  for (uint64_t seed = 1; seed <= 2; seed++)
    for (int threads = 1; threads <= 4; threads++) {
      HarnessRun run = make_run(barrier_kernel, 16, 16);
      run.options.seed = seed;
      run.options.num_threads = threads;
      HarnessResult result = harness_run(&run);
      assert_int_equal(result.status.code, TILE_STATUS_OK);
      uint64_t count = result.stats.num_warp_instructions;
      if (threads == 1)
        insns[seed - 1] = count;
      assert_int_equal(count, insns[seed - 1]);
      harness_result_deinit(&result);
    }
  assert_int_not_equal(insns[0], insns[1]);
}

/// One after another they cannot meet; the report says what to do about it.
static void needs_the_option(void **state) {
  (void)state;
  HarnessRun run = make_run(barrier_kernel, 3, 0);
  harness_run_finds(&run, "LIVELOCK", "needs --co-resident");
}

static void grid_is_too_large(void **state) {
  (void)state;
  // Two CTAs of 100 KiB fit on a multiprocessor, 6 in all.
  HarnessRun run = make_run(barrier_kernel, 8, 3);
  run.smem_bytes = 100 << 10;
  harness_run_finds(&run, "DEADLOCK",
                    "2 of 8 have not started: 3 multiprocessors have room for "
                    "2 CTAs each, 6 in all");
  run = make_run(barrier_kernel, 6, 3);
  run.smem_bytes = 100 << 10;
  harness_run_clean(&run);
  // 33 CTAs of 2 warps: 32 are the most a multiprocessor takes.
  run = make_run(barrier_kernel, 33, 1);
  harness_run_finds(&run, "DEADLOCK", "1 of 33 have not started");
}

static void never_released(void **state) {
  (void)state;
  HarnessRun run = make_run(
      BEGIN("") "add.u32 n, n, 1;\n" GRID_BARRIER("MEET") "ret; }\n", 4, 4);
  harness_run_finds(&run, "no-progress", "the 4 CTAs that have not ended wait");
}

/// A CTA that hangs by itself is what the report is about, not those that wait
/// for it.
static void one_deadlock(void **state) {
  (void)state;
  HarnessRun run = make_run(
      BEGIN("") "setp.ne.u32 p, cta, 2; @p bra FINE;\n"
                "bar.sync 1, 128;\nFINE:\n" GRID_BARRIER("MEET") "ret; }\n",
      4, 4);
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.status.code, TILE_STATUS_KERNEL_FAILED);
  assert_string_equal(result.kinds, "DEADLOCK ");
  assert_non_null(strstr(result.report, "no thread of CTA (2,0,0)"));
  harness_result_deinit(&result);
}

//===-- More CTAs than places ---------------------------------------------===//

/// CTAs take tickets as they begin and note where they run.
static void queue_in_order(void **state) {
  (void)state;
  HarnessRun run = make_run(
      BEGIN("") "setp.ne.u32 p, tid, 0; @p ret;\n"
                "atom.add.global.u32 old, [from], 1;\n"
                "mul.wide.u32 r, old, 4; add.u64 r, data, r; "
                "st.global.u32 [r], cta; mov.u32 x, %smid; mov.u32 y, %nsmid;\n"
                "mul.wide.u32 r, cta, 8; add.u64 r, to, r; "
                "st.global.v2.u32 [r], {x, y}; ret; }\n",
      40, 2);
  run.smem_bytes = 200 << 10; // one on each multiprocessor
  harness_run_clean(&run);
  assert_int_equal(counter[0], 40);
  bool has_begun[40] = {false};
  for (uint32_t i = 0; i < 40; i++) {
    uint32_t cta = values[i], num_skipped = 0;
    has_begun[cta] = true;
    for (uint32_t k = 0; k < cta; k++)
      num_skipped += !has_begun[k];
    assert_true(num_skipped <= 1); // the one in the other place
    assert_true(out[2 * cta] < 2);
    assert_int_equal(out[2 * cta + 1], 2);
  }
}

/// A lock of compare-and-swap, which polls with an atomic.
static void spin_lock(void **state) {
  (void)state;
  HarnessRun run = make_run(
      BEGIN("") "setp.ne.u32 p, tid, 0; @p ret; mov.u32 i, 0;\n"
                "AGAIN: atom.cas.acquire.gpu.global.b32 old, [from], 0, 1; "
                "setp.ne.u32 p, old, 0; @p bra AGAIN;\n"
                "ld.global.u32 x, [data]; add.u32 x, x, 1; "
                "st.global.u32 [data], x;\n"
                "atom.exch.release.gpu.global.b32 old, [from], 0;\n"
                "add.u32 i, i, 1; setp.lt.u32 p, i, 5; @p bra AGAIN; ret; }\n",
      20, 20);
  harness_run_clean(&run);
  assert_int_equal(values[0], 100);
}

//===-- Stream-K ----------------------------------------------------------===//

/// Odd CTAs leave a partial sum, even ones wait for their neighbour's and add
/// it to their own; both then write the same word, one after the other.
#define STREAM_K(publish, wait)                                                \
  BEGIN("")                                                                    \
  "setp.ne.u32 p, tid, 0; @p ret; mad.lo.u32 y, cta, 10, 1;\n"                 \
  "or.b32 z, cta, 1; mul.wide.u32 r, z, 4; add.u64 from, from, r; "            \
  "add.u64 data, data, r; add.u64 to, to, r;\n"                                \
  "and.b32 x, cta, 1; setp.eq.u32 p, x, 0; @p bra OWNER;\n"                    \
  "st.global.u32 [data], y; mov.u32 x, 1;\n" publish " ret;\n"                 \
  "OWNER:\n" wait "ld.global.u32 x, [data]; add.u32 x, x, y; "                 \
  "st.global.u32 [data], x; st.global.u32 [to], x; ret; }\n"
#define PUBLISH "st.release.gpu.global.u32 [from], x;"
#define WAIT                                                                   \
  "SPIN: ld.acquire.gpu.global.u32 x, [from]; setp.eq.u32 p, x, 0; "           \
  "@p bra SPIN;\n"

static void stream_k(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    HarnessRun run = make_run(STREAM_K(PUBLISH, WAIT), 16, 8);
    run.smem_bytes = 100 << 10;
    run.options.seed = seed;
    run.options.schedule = (TileEmuSchedule)(seed % 5);
    harness_run_clean(&run);
    for (uint32_t i = 0; i < 16; i += 2)
      assert_int_equal(out[i + 1], 10 * i + 1 + 10 * (i + 1) + 1);
  }
  HarnessRun racy = make_run(STREAM_K(PUBLISH, ""), 2, 2);
  harness_run_finds(&racy, "global-write-conflict", "was already written by");
}

/// The CTAs of a cluster are there together, and clusters wait for clusters.
static void clusters_meet(void **state) {
  (void)state;
  HarnessRun run = make_run(
      BEGIN("") "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
                "\n" GRID_BARRIER("MEET") "barrier.cluster.arrive.aligned; "
                                          "barrier.cluster.wait.aligned;\n"
                                          "mul.wide.u32 r, cta, 4; add.u64 r, "
                                          "to, r; ld.global.u32 x, [from];\n"
                                          "setp.eq.u32 p, tid, 0; @p "
                                          "st.global.u32 [r], x; ret; }\n",
      8, 8);
  run.cluster = 2;
  run.smem_bytes = 200 << 10;
  harness_run_clean(&run);
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(out[i], 8);
  run.options.num_sms = 7; // room for three clusters
  memset(counter, 0, sizeof counter);
  harness_run_finds(&run, "DEADLOCK", "2 of 8 have not started");
}

/// One thread of each cluster writes what the other CTA of the cluster wrote
/// before a barrier of the cluster: no conflict in either mode.
static void writes_in_a_cluster(void **state) {
  (void)state;
  for (int num_sms = 0; num_sms <= 4; num_sms += 4) {
    HarnessRun run = make_run(
        BEGIN("") "mov.u32 x, %cluster_ctarank; or.b32 y, x, tid; "
                  "setp.eq.u32 p, y, 0; @p st.global.u32 [data], cta;\n"
                  "barrier.cluster.arrive.aligned; "
                  "barrier.cluster.wait.aligned;\n"
                  "setp.eq.u32 p, x, 1; setp.eq.and.u32 p, tid, 0, p; "
                  "@p st.global.u32 [data], cta; ret; }\n",
        2, num_sms);
    run.cluster = 2;
    harness_run_clean(&run);
    assert_int_equal(values[0], 1);
  }
}

static void option_limits(void **state) {
  (void)state;
  TileEmuOptions options;
  tile_emu_options_init(&options);
  options.num_sms = 70000;
  TileEmu *emu = NULL;
  TileStatus status = tile_emu_create(&options, &emu);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(status.message, "70000 multiprocessors"));
  assert_null(emu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(grid_barrier),
    cmocka_unit_test(is_deterministic),
    cmocka_unit_test(needs_the_option),
    cmocka_unit_test(grid_is_too_large),
    cmocka_unit_test(never_released),
    cmocka_unit_test(one_deadlock),
    cmocka_unit_test(queue_in_order),
    cmocka_unit_test(spin_lock),
    cmocka_unit_test(stream_k),
    cmocka_unit_test(clusters_meet),
    cmocka_unit_test(writes_in_a_cluster),
    cmocka_unit_test(option_limits),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

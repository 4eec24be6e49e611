//===- emulator-cluster-cancel-test.c - clusterlaunchcontrol --------------===//

#include "emulator-harness.h"

enum { MAX_TILES = 256, THREADS = 64 };
/// How often each tile was computed, and how many clusters were launched.
static uint32_t tiles[MAX_TILES], launched;

#define HEADER ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define TRY                                                                    \
  "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"  \
  "bytes"
#define MULTICAST TRY ".multicast::cluster::all.b128 [answer], [bar];\n"
#define QUERY "clusterlaunchcontrol.query_cancel."

/// Persistent: rank 0 of the cluster asks for the next cluster, all its CTAs
/// get the response and compute their tile of it.
#define PERSISTENT(expect, request, wait, decode, after)                       \
  HEADER                                                                       \
  ".visible .entry k(.param .u64 tiles, .param .u64 launched) {\n"             \
  ".shared .align 16 .b8 answer[32]; .shared .align 8 .b64 bar;\n"             \
  ".reg .b64 to, count, at, g<2>; .reg .b32 tid, rank, x, y, z, w, t, n, "     \
  "phase, own<3>; .reg .b128 h; .reg .pred p, first, asks, done;\n"            \
  "ld.param.u64 to, [tiles]; ld.param.u64 count, [launched]; "                 \
  "mov.u32 tid, %tid.x; mov.u32 rank, %cluster_ctarank; mov.u32 phase, 0;\n"   \
  "mov.u32 own0, %cluster_ctaid.x; mov.u32 own1, %cluster_ctaid.y; "           \
  "mov.u32 own2, %cluster_ctaid.z;\n"                                          \
  "setp.eq.u32 first, tid, 0; setp.eq.and.u32 asks, rank, 0, first;\n"         \
  "mov.u32 x, %ctaid.x; mov.u32 y, %ctaid.y; mov.u32 z, %ctaid.z;\n"           \
  "@asks red.global.add.u32 [count], 1;\n"                                     \
  "@!first bra TILE;\n"                                                        \
  "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"  \
  "TILE:\n"                                                                    \
  "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"            \
  "@!first bra WORK;\n"                                                        \
  "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, "              \
  "[bar], " expect ";\n"                                                       \
  "@!asks bra WORK;\n" request                                                 \
  "WORK: mov.u32 t, %nctaid.y; mad.lo.u32 t, z, t, y; mov.u32 n, %nctaid.x; "  \
  "mad.lo.u32 t, t, n, x; mad.wide.u32 at, t, 4, to;\n"                        \
  "@first red.global.add.u32 [at], 1;\n" wait                                  \
  "ld.shared.b128 h, [answer];\n" QUERY                                        \
  "is_canceled.pred.b128 p, h;\n@!p bra END;\n" decode                         \
  "add.u32 x, x, own0; add.u32 y, y, own1; add.u32 z, z, own2;\n"              \
  "xor.b32 phase, phase, 1; fence.proxy.async.shared::cta; bra TILE;\n"        \
  "END:\n" after "barrier.cluster.arrive.aligned; "                            \
  "barrier.cluster.wait.aligned; ret; }\n"
#define WAIT                                                                   \
  "POLL: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, "      \
  "[bar], phase;\n@!done bra POLL;\n"
#define VECTOR QUERY "get_first_ctaid.v4.b32.b128 {x, y, z, _}, h;\n"
#define SINGLE                                                                 \
  QUERY "get_first_ctaid::x.b32.b128 x, h;\n" QUERY                            \
        "get_first_ctaid::y.b32.b128 y, h;\n" QUERY                            \
        "get_first_ctaid::z.b32.b128 z, h;\n"
/// Without a state space the addresses are generic ones.
#define GENERIC                                                                \
  "mov.u64 g0, answer; cvta.shared.u64 g0, g0; mov.u64 g1, bar; "              \
  "cvta.shared.u64 g1, g1;\n"                                                  \
  "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 "   \
  "[g0], [g1];\n"
#define GOOD PERSISTENT("16", MULTICAST, WAIT, VECTOR, "")

static HarnessRun make_run(const char *ptx, uint32_t grid_x, uint32_t cluster) {
  HarnessRun run = {.ptx = ptx,
                    .grid = {grid_x, 1, 1},
                    .block = THREADS,
                    .cluster = cluster,
                    .num_args = 2};
  memset(tiles, 0, sizeof tiles);
  launched = 0;
  run.args[0].buffer = (HarnessBuffer){tiles, sizeof tiles, "tiles"};
  run.args[1].buffer = (HarnessBuffer){&launched, sizeof launched, "launched"};
  tile_emu_options_init(&run.options);
  return run;
}

static void check_tiles(uint32_t count) {
  for (uint32_t i = 0; i < MAX_TILES; i++)
    assert_int_equal(tiles[i], i < count ? 1 : 0);
}

//===-- Kernels that are right --------------------------------------------===//

/// Each tile exactly once; who computes it depends on the seed alone.
static void every_tile_once(void **state) {
  (void)state;
  static const uint32_t grids[] = {1, 2, 7, 30, 64};
  for (uint32_t g = 0; g < 5; g++)
    for (uint32_t cluster = 1; cluster <= 2; cluster++)
      for (uint64_t seed = 1; seed <= 5; seed++) {
        uint32_t grid = grids[g] * cluster, launched_alone = 0;
        uint64_t insns_alone = 0;
        for (int threads = 1; threads <= 4; threads += 3) {
          HarnessRun run = make_run(GOOD, grid, cluster);
          run.options.seed = seed;
          run.options.schedule = (TileEmuSchedule)(seed % 4);
          run.options.num_threads = threads;
          HarnessResult result = harness_run(&run);
          assert_int_equal(result.num_findings, 0);
          assert_true(tile_status_is_ok(&result.status));
          check_tiles(grid);
          if (threads == 1) {
            launched_alone = launched;
            insns_alone = result.stats.num_warp_instructions;
          }
          assert_int_equal(launched, launched_alone);
          assert_int_equal(result.stats.num_warp_instructions, insns_alone);
          harness_result_deinit(&result);
        }
      }
}

/// A schedule without failures: one cluster does everything. With failures
/// some, but not all, are launched.
static void clusters_are_not_launched(void **state) {
  (void)state;
  HarnessRun run = make_run(GOOD, 40, 2);
  run.options.schedule = TILE_EMU_SCHEDULE_EAGER;
  harness_run_clean(&run);
  assert_int_equal(launched, 1);
  uint32_t total = 0;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    run = make_run(GOOD, 40, 2);
    run.options.seed = seed;
    harness_run_clean(&run);
    assert_in_range(launched, 1, 19);
    total += launched;
  }
  assert_true(total > 5);
}

static void other_forms(void **state) {
  (void)state;
  static const char *const kernels[] = {
      PERSISTENT("16", GENERIC, WAIT, SINGLE, ""),
      PERSISTENT("16", TRY ".b128 [answer+16], [bar];\n",
                 WAIT "ld.shared.b128 h, [answer+16]; "
                      "st.shared.b128 [answer], h;\nbar.warp.sync -1;\n",
                 VECTOR, ""),
      PERSISTENT("16", TRY ".b128 [answer], [bar];\n", WAIT, SINGLE, "")};
  for (uint32_t i = 0; i < 3; i++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      HarnessRun run = make_run(kernels[i], 5, 1);
      run.block = i == 1 ? 1 : THREADS;
      run.grid[1] = 3;
      run.grid[2] = 2;
      run.options.seed = seed;
      run.options.collect_statistics = seed == 1;
      harness_run_clean(&run);
      check_tiles(30);
    }
}

static void co_resident(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    HarnessRun run = make_run(GOOD, 120, 2);
    run.options.seed = seed;
    run.options.co_resident = true;
    run.options.num_sms = 1; // 16 clusters
    run.options.schedule = TILE_EMU_SCHEDULE_EAGER;
    harness_run_clean(&run);
    check_tiles(120);
    assert_in_range(launched, 16, 59);
  }
}

//===-- Mistakes ----------------------------------------------------------===//

static void finds(const char *ptx, const char *kind, const char *text) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    HarnessRun run = make_run(ptx, 8, 2);
    run.options.seed = seed;
    harness_run_finds(&run, kind, text);
  }
}

/// After one round: a kernel with a mistake may have no end.
#define STOP "bra END;\n"

static void missing_wait(void **state) {
  (void)state;
  finds(PERSISTENT("16", MULTICAST, "", VECTOR STOP, ""), "data-race",
        "try_cancel");
  finds(PERSISTENT("32", MULTICAST, WAIT, VECTOR STOP, ""), "DEADLOCK",
        "copies in flight 0");
  finds(PERSISTENT("8", MULTICAST, WAIT, VECTOR STOP, ""), "mbarrier-tx",
        "8 bytes more than expected");
}

static void wrong_responses(void **state) {
  (void)state;
  // Nobody wrote it.
  finds(PERSISTENT("16", MULTICAST,
                   WAIT "ld.shared.b128 h, [answer+16];\n" QUERY
                        "is_canceled.pred.b128 p, h;\n",
                   VECTOR STOP, ""),
        "uninitialised-read", "query_cancel.is_canceled");
  finds(PERSISTENT("16", MULTICAST,
                   WAIT "st.shared.v2.u64 [answer+16], {7, 8};\n"
                        "ld.shared.b128 h, [answer+16];\n" QUERY
                        "is_canceled.pred.b128 p, h;\n",
                   VECTOR STOP, ""),
        "cluster-cancel",
        "0x00000000000000080000000000000007 is not a response");
  // A request that failed.
  finds(PERSISTENT("16", MULTICAST, WAIT, VECTOR,
                   QUERY "get_first_ctaid::x.b32.b128 x, h;\n"),
        "cluster-cancel", "the request failed, so that there is no CTA");
  finds(
      PERSISTENT("16", MULTICAST, WAIT, VECTOR,
                 "barrier.cluster.arrive.aligned; "
                 "barrier.cluster.wait.aligned;\n@!first bra LAST;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
                 "@asks " MULTICAST
                 "xor.b32 phase, phase, 1;\nAGAIN: mbarrier.try_wait.parity."
                 "shared.b64 done, [bar], phase;\n@!done bra AGAIN;\nLAST:\n"),
      "cluster-cancel", "has already seen that a request failed");
}

static void wrong_operands(void **state) {
  (void)state;
  finds(
      PERSISTENT("16", TRY ".b128 [answer+8], [bar];\n", WAIT, VECTOR STOP, ""),
      "misaligned", "is not 16-byte aligned");
  finds(PERSISTENT("16",
                   "mov.u32 t, answer; mov.u32 n, 1; "
                   "mapa.shared::cluster.u32 t, t, n;\n" TRY
                   ".b128 [t], [bar];\n",
                   WAIT, VECTOR STOP, ""),
        "out-of-bounds", "response 0x1000");
  finds(PERSISTENT("16",
                   "mov.u32 t, bar; mov.u32 n, 1; "
                   "mapa.shared::cluster.u32 t, t, n;\n" TRY
                   ".b128 [answer], [t];\n",
                   WAIT, VECTOR STOP, ""),
        "out-of-bounds", "mbarrier 0x1000");
  finds(PERSISTENT("16",
                   "clusterlaunchcontrol.try_cancel.async."
                   "mbarrier::complete_tx::bytes.b128 [to], [to];\n",
                   WAIT, VECTOR STOP, ""),
        "out-of-bounds", "is not in the CTA's own shared memory");
  // A CTA of the cluster that does not wait for its response.
  finds(PERSISTENT("16", MULTICAST, "setp.eq.u32 p, rank, 1; @p ret;\n" WAIT,
                   VECTOR STOP, ""),
        "cluster-exit", "CTA rank 1");
}

static void wrong_syntax(void **state) {
  (void)state;
#define LINE(text)                                                             \
  HEADER ".entry k() { .shared .align 16 .b8 s[32]; .reg .b32 x, y; "          \
         ".reg .b128 h; .reg .pred p; " text " ret; }"
  harness_parse_fails(LINE(QUERY "get_first_ctaid.v4.b32.b128 x, h;"),
                      "get_first_ctaid is .v4.b32.b128");
  harness_parse_fails(LINE(QUERY "get_first_ctaid::x.b32.b128 {x, y}, h;"),
                      "get_first_ctaid is .v4.b32.b128");
  harness_parse_fails(LINE(QUERY "is_canceled.b128 p, h;"),
                      "query_cancel asks for .is_canceled.pred.b128");
  harness_parse_fails(LINE("clusterlaunchcontrol.try_cancel.b128 [s], [s+16];"),
                      "try_cancel needs .async");
  HarnessRun run =
      make_run(HARNESS_HEADER ".entry k(.param .u64 a, .param .u64 b) { "
                              ".shared .align 16 .b8 s[32];\n" TRY
                              ".b128 [s], [s+16]; ret; }",
               1, 1);
  harness_run_finds(&run, "unsupported", "needs sm_100 or later as .target");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_tile_once),
    cmocka_unit_test(clusters_are_not_launched),
    cmocka_unit_test(other_forms),
    cmocka_unit_test(co_resident),
    cmocka_unit_test(missing_wait),
    cmocka_unit_test(wrong_responses),
    cmocka_unit_test(wrong_operands),
    cmocka_unit_test(wrong_syntax),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

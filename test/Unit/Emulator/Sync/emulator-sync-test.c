//===- emulator-sync-test.c - Collectives, barriers, mbarriers, clusters --===//

#include "emulator-harness.h"

#define CASE(name, text, field, expr)                                          \
  HARNESS_CASE(name, harness_operands, text, field, expr)
#define IN32(lane) ((uint32_t)in[lane].a)

//===-- shfl --------------------------------------------------------------===//

CASE(shfl_idx, "shfl.sync.idx.b32 d32, a32, 5, 31, -1;", d32, IN32(5))
CASE(shfl_up, "shfl.sync.up.b32 d32|p, a32, 3, 0, -1;", d32,
     l < 3 ? IN32(l) : IN32(l - 3))
CASE(shfl_up_in_range, "shfl.sync.up.b32 d32|p, a32, 3, 0, -1;", p, l >= 3)
CASE(shfl_down, "shfl.sync.down.b32 d32, a32, 4, 31, -1;", d32,
     l + 4 > 31 ? IN32(l) : IN32(l + 4))
CASE(shfl_bfly, "shfl.sync.bfly.b32 d32, a32, 16, 31, -1;", d32, IN32(l ^ 16))
/// Segments of eight lanes: c = (32 - 8) << 8 | 7.
CASE(shfl_segment, "shfl.sync.down.b32 d32|p, a32, 2, 0x1807, -1;", d32,
     l % 8 + 2 > 7 ? IN32(l) : IN32(l + 2))
CASE(shfl_index_of_lane, "shfl.sync.idx.b32 d32, a32, b32, 31, -1;", d32,
     IN32(x.b & 31))

//===-- vote, match, redux, elect -----------------------------------------===//

static uint32_t ballot(const HarnessOperands *in) {
  uint32_t lanes = 0;
  for (uint32_t l = 0; l < HARNESS_LANES; l++)
    lanes |= (uint32_t)(in[l].a & 1) << l;
  return lanes;
}

static uint32_t matches(const HarnessOperands *in, uint32_t lane) {
  uint32_t lanes = 0;
  for (uint32_t l = 0; l < HARNESS_LANES; l++)
    lanes |= (uint32_t)((in[l].a & 3) == (in[lane].a & 3)) << l;
  return lanes;
}

static uint32_t sum(const HarnessOperands *in) {
  uint32_t total = 0;
  for (uint32_t l = 0; l < HARNESS_LANES; l++)
    total += (uint32_t)in[l].a;
  return total;
}

static int32_t smallest(const HarnessOperands *in) {
  int32_t result = INT32_MAX;
  for (uint32_t l = 0; l < HARNESS_LANES; l++)
    result = (int32_t)in[l].a < result ? (int32_t)in[l].a : result;
  return result;
}

CASE(vote_ballot, "vote.sync.ballot.b32 d32, pa, -1;", d32, ballot(in))
CASE(vote_ballot_not, "vote.sync.ballot.b32 d32, !pa, -1;", d32, ~ballot(in))
CASE(vote_any, "vote.sync.any.pred p, pa, -1;", p, ballot(in) != 0)
CASE(vote_all, "vote.sync.all.pred p, pa, -1;", p, ballot(in) == UINT32_MAX)
CASE(match_any, "and.b32 w0, a32, 3; match.any.sync.b32 d32, w0, -1;", d32,
     matches(in, l))
CASE(match_all, "match.all.sync.b32 d32|p, 7, -1;", p, 1)
CASE(redux_add, "redux.sync.add.u32 d32, a32, -1;", d32, sum(in))
CASE(redux_min, "redux.sync.min.s32 d32, a32, -1;", d32, (uint32_t)smallest(in))
CASE(activemask, "activemask.b32 d32;", d32, UINT32_MAX)
CASE(elect, "elect.sync d32|p, -1;", p, l == 0)
/// Only the lanes of the mask take part; the others go around.
CASE(shfl_of_half,
     "mov.u32 w1, %laneid; setp.gt.u32 p, w1, 15; @p bra OUT;\n"
     "shfl.sync.bfly.b32 d32, a32, 8, 31, 0xffff;\nOUT:",
     d32, l > 15 ? 0 : IN32(l ^ 8))

//===-- Member masks that differ between lanes ----------------------------===//

/// w9: the lanes whose number has the same remainder by 4.
#define MASKS                                                                  \
  "mov.u32 w1, %laneid; and.b32 w1, w1, 3; mov.u32 w9, 0x11111111; "           \
  "shl.b32 w9, w9, w1;\n"
#define GROUP(lane) (0x11111111u << (lane) % 4)

static uint32_t group_sum(const HarnessOperands *in, uint32_t lane) {
  uint32_t total = 0;
  for (uint32_t l = lane % 4; l < HARNESS_LANES; l += 4)
    total += (uint32_t)in[l].a;
  return total;
}

CASE(masks_ballot, MASKS "vote.sync.ballot.b32 d32, pa, w9;", d32,
     ballot(in) & GROUP(l))
CASE(masks_any,
     MASKS "mov.u32 w2, %laneid; setp.eq.u32 q, w2, 5; "
           "vote.sync.any.pred p, q, w9;",
     p, l % 4 == 1)
CASE(masks_all,
     MASKS "mov.u32 w2, %laneid; setp.ne.u32 q, w2, 6; "
           "vote.sync.all.pred p, q, w9;",
     p, l % 4 != 2)
CASE(masks_uni,
     MASKS "mov.u32 w2, %laneid; setp.lt.u32 q, w2, 2; "
           "vote.sync.uni.pred p, q, w9;",
     p, l % 4 >= 2)
CASE(masks_match, MASKS "and.b32 w0, a32, 3; match.any.sync.b32 d32, w0, w9;",
     d32, matches(in, l) & GROUP(l))
CASE(masks_match_all, MASKS "match.all.sync.b32 d32|p, w1, w9;", d32, GROUP(l))
CASE(masks_redux, MASKS "redux.sync.add.u32 d32, a32, w9;", d32,
     group_sum(in, l))
CASE(masks_elect, MASKS "elect.sync d32|p, w9;", p, l < 4)
CASE(masks_shfl_idx, MASKS "shfl.sync.idx.b32 d32, a32, w1, 31, w9;", d32,
     IN32(l % 4))
CASE(masks_shfl_bfly, MASKS "shfl.sync.bfly.b32 d32, a32, 4, 31, w9;", d32,
     IN32(l ^ 4))
/// A group whose lanes come later, or in parts, waits for itself only.
CASE(masks_diverged,
     MASKS "mov.u32 w2, %laneid; setp.gt.u32 q, w2, 15; mov.u32 w3, 0;\n"
           "@q bra LATE;\nMEET: redux.sync.add.u32 d32, a32, w9; bra.uni OUT;\n"
           "LATE: add.u32 w3, w3, 1; setp.lt.u32 q, w3, w2; @q bra LATE;\n"
           "bra MEET;\nOUT: setp.ne.u32 p, 0, 0;",
     d32, group_sum(in, l))

//===-- Control flow ------------------------------------------------------===//

/// Lanes leave the loop after different numbers of rounds.
CASE(loop_diverges,
     "and.b32 w1, a32, 7;\nLOOP: add.u32 d32, d32, w1;\n"
     "setp.eq.u32 p, w1, 0; @p bra DONE;\nsub.u32 w1, w1, 1;\nbra LOOP;\n"
     "DONE: setp.ne.u32 p, 0, 0;",
     d32, (x.a & 7) * ((x.a & 7) + 1) / 2)
CASE(branch_table,
     "and.b32 w1, a32, 3;\nTABLE: .branchtargets L0, L1, L2, L3;\n"
     "brx.idx w1, TABLE;\nL0: mov.u32 d32, 10;\nbra END;\n"
     "L1: mov.u32 d32, 11;\nbra END;\nL2: mov.u32 d32, 12;\nbra END;\n"
     "L3: mov.u32 d32, 13;\nEND:",
     d32, 10 + (x.a & 3))

//===-- Barriers of a CTA -------------------------------------------------===//

#define KERNEL(body)                                                           \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 128 .b8 smem[];\n"                                   \
  ".entry k(.param .u64 out) { .reg .b64 to, r<8>; "                           \
  ".reg .b32 tid, w<32>; .reg .pred p, q; ld.param.u64 to, [out]; "            \
  "mov.u32 tid, %tid.x; mul.wide.u32 r0, tid, 4; add.u64 to, to, r0;\n" body   \
  "\nret; }"

enum { MAX_THREADS = 256 };
static uint32_t words[MAX_THREADS];

static HarnessRun one_buffer(const char *ptx, uint32_t threads) {
  HarnessRun run = {
      .ptx = ptx, .block = threads, .smem_bytes = 2048, .num_args = 1};
  memset(words, 0, sizeof words);
  run.args[0].buffer = (HarnessBuffer){words, sizeof words, "words"};
  return run;
}

/// Each thread reads what its mirror image wrote before the barrier.
#define EXCHANGE(barrier)                                                      \
  "mov.u32 w0, smem; mad.lo.u32 w1, tid, 4, w0; st.shared.u32 [w1], "          \
  "tid;\n" barrier                                                             \
  "\nmov.u32 w2, %ntid.x; sub.u32 w2, w2, tid; sub.u32 w2, w2, 1; "            \
  "mad.lo.u32 w1, w2, 4, w0; ld.shared.u32 w3, [w1]; "                         \
  "st.global.u32 [to], w3;"

static void barriers_order_shared_memory(void **state) {
  (void)state;
  static const char *const kernels[] = {
      KERNEL(EXCHANGE("bar.sync 0;")),
      KERNEL(EXCHANGE("barrier.sync 3;")),
      KERNEL(EXCHANGE("barrier.cta.sync.aligned 15, 256;")),
      KERNEL(EXCHANGE("barrier.cluster.arrive.release.aligned; "
                      "barrier.cluster.wait.acquire.aligned;")),
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    HarnessRun run = one_buffer(kernels[i], MAX_THREADS);
    harness_run_clean(&run);
    for (uint32_t t = 0; t < MAX_THREADS; t++)
      assert_int_equal(words[t], MAX_THREADS - 1 - t);
  }
}

/// Odd lanes meet at barrier 1, even ones at 2.
#define OWN_BARRIER                                                            \
  "and.b32 w8, tid, 1; add.u32 w8, w8, 1; mov.u32 w9, %ntid.x; "               \
  "shr.u32 w9, w9, 1;\n"

/// Each thread reads what its neighbour in the next warp wrote.
#define PASS(barrier)                                                          \
  "mov.u32 w0, smem; mad.lo.u32 w1, tid, 4, w0; st.shared.u32 [w1], "          \
  "tid;\n" barrier                                                             \
  "\nmov.u32 w2, %ntid.x; sub.u32 w2, w2, 1; add.u32 w3, tid, 32; "            \
  "and.b32 w2, w3, w2; mad.lo.u32 w1, w2, 4, w0; ld.shared.u32 w3, [w1]; "     \
  "st.global.u32 [to], w3;"

static void lanes_name_their_own_barriers(void **state) {
  (void)state;
  static const char *const kernels[] = {
      KERNEL(PASS(OWN_BARRIER "barrier.sync w8, w9;")),
      KERNEL(PASS(OWN_BARRIER "barrier.sync w8, w9; barrier.sync w8, w9;")),
      KERNEL(PASS(OWN_BARRIER "barrier.red.popc.u32 w5, w8, w9, 1;\n"
                              "setp.ne.u32 p, w5, w9; @p trap;")),
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    HarnessRun run = one_buffer(kernels[i], 128);
    harness_run_clean(&run);
    for (uint32_t t = 0; t < 128; t++)
      assert_int_equal(words[t], (t + 32) % 128);
  }
}

/// Odd lanes arrive at 3 and even ones at 4, each with a count of its own.
static void lanes_arrive_at_their_own_barriers(void **state) {
  (void)state;
  HarnessRun run = one_buffer(
      KERNEL("and.b32 w8, tid, 1; setp.eq.u32 p, w8, 1; selp.u32 w9, 32, 64, "
             "p; selp.u32 w7, 3, 4, p;\n"
             "barrier.arrive w7, w9; mov.u32 w0, smem; mad.lo.u32 w1, tid, 4, "
             "w0; st.shared.u32 [w1], tid;\n"
             "@p barrier.arrive 5, 64; @p bra OUT; barrier.sync 5, 64;\n"
             "ld.shared.u32 w3, [w1+4]; st.global.u32 [to], w3;\nOUT:"),
      64);
  harness_run_clean(&run);
  for (uint32_t t = 0; t < 64; t += 2)
    assert_int_equal(words[t], t + 1);
}

static void warp_barriers_join_their_own_lanes(void **state) {
  (void)state;
#define NEIGHBOUR(distance)                                                    \
  "mov.u32 w0, smem; mad.lo.u32 w1, tid, 4, w0; st.shared.u32 [w1], tid;\n"    \
  "and.b32 w5, tid, 3; mov.u32 w9, 0x11111111; shl.b32 w9, w9, w5;\n"          \
  "bar.warp.sync w9; xor.b32 w3, tid, " distance "; mad.lo.u32 w1, w3, 4, "    \
  "w0; ld.shared.u32 w3, [w1]; st.global.u32 [to], w3;"
  HarnessRun own = one_buffer(KERNEL(NEIGHBOUR("4")), 32);
  harness_run_clean(&own);
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(words[t], t ^ 4);
  HarnessRun other = one_buffer(KERNEL(NEIGHBOUR("1")), 32);
  harness_run_finds(&other, "data-race", "is not ordered after the write");
}

static void aligned_barriers_want_one_number(void **state) {
  (void)state;
  HarnessRun run = one_buffer(
      KERNEL("and.b32 w8, tid, 1; bar.sync w8, 32; st.global.u32 [to], tid;"),
      32);
  harness_run_finds(&run, "barrier", "lanes of a warp give an aligned barrier");
}

static void no_barrier_is_a_race(void **state) {
  (void)state;
  HarnessRun run = one_buffer(KERNEL(EXCHANGE("")), 64);
  harness_run_finds(&run, "", "likely cause");
  // Within a warp too: shfl orders nothing, bar.warp.sync does.
  HarnessRun shuffle =
      one_buffer(KERNEL(EXCHANGE("shfl.sync.idx.b32 w9, tid, 0, 31, -1;")), 32);
  harness_run_finds(&shuffle, "data-race", "is not ordered after the write");
  HarnessRun warp = one_buffer(KERNEL(EXCHANGE("bar.warp.sync -1;")), 32);
  harness_run_clean(&warp);
}

static void relaxed_cluster_arrival_releases_nothing(void **state) {
  (void)state;
  HarnessRun run =
      one_buffer(KERNEL(EXCHANGE("barrier.cluster.arrive.relaxed.aligned; "
                                 "barrier.cluster.wait.acquire.aligned;")),
                 64);
  harness_run_finds(&run, "data-race", "is not ordered");
  HarnessRun fenced =
      one_buffer(KERNEL(EXCHANGE("fence.acq_rel.cluster; "
                                 "barrier.cluster.arrive.relaxed.aligned; "
                                 "barrier.cluster.wait.acquire.aligned;")),
                 64);
  harness_run_clean(&fenced);
}

static void barrier_reductions(void **state) {
  (void)state;
  HarnessRun run = one_buffer(
      KERNEL("setp.lt.u32 p, tid, 40; bar.red.popc.u32 w0, 0, p; "
             "bar.red.and.pred q, 1, p; selp.u32 w1, 1, 0, q; "
             "bar.red.or.pred q, 1, !p; selp.u32 w2, 1, 0, q; "
             "mad.lo.u32 w0, w0, 100, w1; mad.lo.u32 w0, w0, 100, w2; "
             "st.global.u32 [to], w0;"),
      64);
  harness_run_clean(&run);
  for (int t = 0; t < 64; t++)
    assert_int_equal(words[t], 40 * 100 * 100 + 1);
}

/// bar.arrive lets producers go on without waiting.
static void arrive_and_sync(void **state) {
  (void)state;
  HarnessRun run = one_buffer(
      KERNEL("mov.u32 w0, smem; setp.gt.u32 p, tid, 31; @p bra READ;\n"
             "mad.lo.u32 w1, tid, 4, w0; st.shared.u32 [w1], tid; "
             "bar.arrive 1, 64; ret;\nREAD: bar.sync 1, 64; sub.u32 w2, tid, "
             "32; mad.lo.u32 w1, w2, 4, w0; ld.shared.u32 w3, [w1]; "
             "st.global.u32 [to], w3;"),
      64);
  harness_run_clean(&run);
  assert_int_equal(words[32 + 17], 17);
}

static void barrier_mistakes(void **state) {
  (void)state;
  HarnessRun counts = one_buffer(
      KERNEL("setp.gt.u32 p, tid, 31; @p bra B;\nbar.sync 1, 64; ret;\n"
             "B: bar.sync 1, 96;"),
      64);
  harness_run_finds(&counts, "barrier", "barrier 1 has the thread count ");
  harness_run_finds(&counts, "barrier", ", which waits for it (0: all threads");
  HarnessRun size = one_buffer(KERNEL("bar.sync 0, 33;"), 64);
  harness_run_finds(&size, "barrier", "not a multiple of the warp size");
  HarnessRun number =
      one_buffer(KERNEL("add.u32 w0, tid, 16; bar.sync w0;"), 1);
  harness_run_finds(&number, "barrier", "barrier number 16");
  HarnessRun half = one_buffer(
      KERNEL("setp.gt.u32 p, tid, 31; @p bra B;\nbar.sync 1, 64;\nB:"), 64);
  harness_run_finds(&half, "DEADLOCK",
                    "waits at barrier 1 (32 threads "
                    "arrived, 64 expected)");
  harness_run_finds(&half, "DEADLOCK",
                    "warp 0 waiting here, nobody else can get there");
  // The third warp begins another phase, which nobody completes.
  HarnessRun more = one_buffer(KERNEL("bar.sync 1, 64;"), 96);
  harness_run_finds(&more, "DEADLOCK",
                    "(32 threads arrived, 64 expected, complete 1 times");
  // Two warps at one barrier, the third at another one.
  HarnessRun other = one_buffer(
      KERNEL("setp.gt.u32 p, tid, 63; @p bra B;\nbar.sync 1, 96; ret;\n"
             "B: bar.sync 2, 96; bar.arrive 1, 96;"),
      96);
  harness_run_finds(&other, "DEADLOCK",
                    "warps 0-1 waiting here, nobody else can get there");
  harness_run_finds(&other, "DEADLOCK",
                    "`bar.arrive`: warp 2 can still get "
                    "there");
  HarnessRun diverged = one_buffer(
      KERNEL("and.b32 w0, tid, 1; setp.eq.u32 p, w0, 0; @p bra B;\n"
             "bar.warp.sync -1; bra C;\nB: bar.sync 0; bar.warp.sync -1;\nC:"),
      32);
  harness_run_finds(&diverged, "DEADLOCK", "waits for the other lanes");
}

//===-- mbarrier ----------------------------------------------------------===//

#define INIT(count)                                                            \
  "mov.u32 w10, smem; add.u32 w11, w10, 1024; setp.ne.u32 p, tid, 0; "         \
  "@p bra READY;\nmbarrier.init.shared::cta.b64 [w11], " count ";\n"           \
  "READY: bar.sync 0;\n"
#define WAIT(parity)                                                           \
  "{ .reg .pred done;\nTRY: mbarrier.try_wait.parity.shared::cta.b64 done, "   \
  "[w11], " parity ";\n@done bra GO;\nbra TRY;\nGO: }\n"

static void mbarrier_orders_and_counts(void **state) {
  (void)state;
  HarnessRun run =
      one_buffer(KERNEL(INIT("64") EXCHANGE(
                     "mbarrier.arrive.shared::cta.b64 _, [w11];\n" WAIT("0"))),
                 64);
  harness_run_clean(&run);
  for (uint32_t t = 0; t < 64; t++)
    assert_int_equal(words[t], 63 - t);
  HarnessRun token = one_buffer(
      KERNEL(INIT("64") EXCHANGE(
          "mbarrier.arrive.release.cta.shared::cta.b64 r1, [w11];\n"
          "W: mbarrier.test_wait.acquire.cta.shared::cta.b64 q, [w11], r1;\n"
          "@!q bra W;\n")),
      64);
  harness_run_clean(&token);
}

static void mbarrier_phases(void **state) {
  (void)state;
  // Thread 0 arrives three times; each wait names the parity before.
  HarnessRun run = one_buffer(
      KERNEL(INIT("1") "@p bra OUT;\n" WAIT(
          "1") "mbarrier.arrive.shared::cta.b64 "
               "_, [w11];\n" WAIT(
                   "0") "mbarrier.arrive.shared:"
                        ":cta.b64 _, "
                        "[w11];\n" WAIT(
                            "1") "mb"
                                 "ar"
                                 "ri"
                                 "er"
                                 ".a"
                                 "rr"
                                 "iv"
                                 "e."
                                 "sh"
                                 "ar"
                                 "ed"
                                 "::"
                                 "ct"
                                 "a."
                                 "b6"
                                 "4 "
                                 "_,"
                                 " ["
                                 "w1"
                                 "1]"
                                 ";"
                                 "\n" WAIT("0") "st.global.u32 [to], 9;\nOUT:"),
      32);
  harness_run_clean(&run);
  assert_int_equal(words[0], 9);
}

static void mbarrier_drop(void **state) {
  (void)state;
  // The second phase expects only one arrival.
  HarnessRun run = one_buffer(
      KERNEL(INIT("2") "@p bra OUT;\n"
                       "mbarrier.arrive_drop.shared::cta.b64 _, [w11];\n"
                       "mbarrier.arrive.shared::cta.b64 _, [w11];\n" WAIT(
                           "0") "mbarrier.arrive.shared::cta.b64 _, "
                                "[w11];\n" WAIT("1") "OUT:"),
      32);
  harness_run_clean(&run);
}

static void mbarrier_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *kind, *text;
  } cases[] = {
      {KERNEL(INIT("1") "@p ret;\n" WAIT("0")), "DEADLOCK",
       "waits for parity 0 of mbarrier 0x800"},
      {KERNEL(INIT("1") "@p ret;\n" WAIT("2")), "mbarrier",
       "phase parity is 2"},
      {KERNEL(INIT("1") "mbarrier.arrive.shared::cta.b64 _, [w11], 2;"),
       "mbarrier", "but only 1 are pending"},
      {KERNEL("mov.u32 w11, smem; mbarrier.arrive.shared::cta.b64 _, [w11];"),
       "mbarrier", "holds no initialised mbarrier"},
      {KERNEL("mov.u32 w11, smem;\n" WAIT("0")), "mbarrier",
       "holds no initialised mbarrier"},
      {KERNEL(INIT("0")), "mbarrier", "count 0"},
      {KERNEL(INIT("1") "@p ret; mbarrier.arrive.shared.b64 _, [w11]; "
                        "mbarrier.init.shared.b64 [w11], 1;"),
       "mbarrier", "is initialised again"},
      {KERNEL(INIT("1") "@p ret; st.shared.u32 [w11+4], tid;"), "mbarrier",
       "write of the live mbarrier"},
      {KERNEL("mov.u32 w11, smem; setp.ne.u32 p, tid, 0; @p bra USE;\n"
              "mbarrier.init.shared.b64 [w11], 32; bra OUT;\n"
              "USE: nanosleep.u32 50; mbarrier.arrive.shared.b64 _, [w11];\n"
              "OUT:"),
       "", "mbarrier"},
      {KERNEL(INIT("1") "@p ret; mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                        "[w11], 64;"),
       "mbarrier-tx", "waits for 64 more bytes"},
      {KERNEL(INIT("1") "@p ret; mbarrier.complete_tx.shared::cta.relaxed."
                        "cluster.b64 [w11], 16; "
                        "mbarrier.arrive.shared::cta.b64 _, [w11];"),
       "mbarrier-tx", "16 bytes more than expected"},
      {KERNEL("mov.u32 w11, smem; add.u32 w11, w11, 4; "
              "mbarrier.init.shared.b64 [w11], 1;"),
       "misaligned", "not 8-byte aligned"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    HarnessRun run = one_buffer(cases[i].ptx, 32);
    harness_run_finds(&run, cases[i].kind, cases[i].text);
  }
}

/// One lane of a warp waits: the other 31 are not ordered by it.
static void one_lane_waits_for_all(void **state) {
  (void)state;
  HarnessRun run = one_buffer(
      KERNEL(INIT("1") "setp.gt.u32 q, tid, 31; @q bra PRODUCE;\n"
                       "@p bra READ;\n" WAIT(
                           "0") "READ: ld.shared.u32 w3, [w10]; st.global.u32 "
                                "[to], w3; ret;\n"
                                "PRODUCE: setp.ne.u32 q, tid, 32; @q ret; "
                                "st.shared.u32 [w10], 5; "
                                "mbarrier.arrive.shared.b64 _, [w11];"),
      64);
  harness_run_finds(&run, "", "of dynamic smem+0");
}

//===-- Clusters ----------------------------------------------------------===//

static void cluster_shares_memory(void **state) {
  (void)state;
  // Every CTA reads the word that the next one wrote.
  HarnessRun run = one_buffer(
      KERNEL(
          "mov.u32 w0, smem; mov.u32 w1, %cluster_ctarank; "
          "add.u32 w2, w1, 100; setp.ne.u32 p, tid, 0; @p bra B;\n"
          "st.shared.u32 [w0], w2;\n"
          "B: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
          "@p bra C;\nmov.u32 w3, %cluster_nctarank; add.u32 w4, w1, 1; "
          "rem.u32 w4, w4, w3; mapa.shared::cluster.u32 w5, w0, w4; "
          "getctarank.shared::cluster.u32 w6, w5; "
          "ld.shared::cluster.u32 w7, [w5]; mad.lo.u32 w7, w6, 1000, w7; "
          "mul.wide.u32 r1, w1, 4; add.u64 to, to, r1; "
          "st.global.u32 [to], w7;\n"
          "C: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"),
      32);
  run.grid[0] = 4;
  run.cluster = 4;
  harness_run_clean(&run);
  for (uint32_t r = 0; r < 4; r++)
    assert_int_equal(words[r], (r + 1) % 4 * 1000 + 100 + (r + 1) % 4);
}

static void remote_arrival(void **state) {
  (void)state;
  HarnessRun run = one_buffer(
      KERNEL(INIT(
          "2") "barrier.cluster.arrive.aligned; "
               "barrier.cluster.wait.aligned;\n"
               "setp.ne.u32 p, tid, 0; @p bra OUT;\n"
               "mapa.shared::cluster.u32 w1, w11, 0; "
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [w1];\n"
               "mov.u32 w2, %cluster_ctarank; setp.ne.u32 q, w2, 0; @q bra "
               "OUT;\n" WAIT("0") "st.global.u32 [to], 7;\n"
                                  "OUT: barrier.cluster.arrive.aligned; "
                                  "barrier.cluster.wait.aligned;"),
      32);
  run.grid[0] = 2;
  run.cluster = 2;
  harness_run_clean(&run);
  assert_int_equal(words[0], 7);
}

static void cluster_rank_is_checked(void **state) {
  (void)state;
  HarnessRun run =
      one_buffer(KERNEL("mov.u32 w0, smem; mapa.shared::cluster.u32 w1, w0, 3; "
                        "ld.shared::cluster.u32 w2, [w1];"),
                 32);
  run.grid[0] = 2;
  run.cluster = 2;
  harness_run_finds(&run, "out-of-bounds", "shared address 0x3000400");
}

/// A livelock is what comes back to where it was. What counts its rounds does
/// not, and what has used up its instructions says nothing about itself.
static void spinning(void **state) {
  (void)state;
  static const char loop[] =
      KERNEL("L: ld.global.u32 w0, [to]; setp.eq.u32 p, w0, 0; @p bra L;");
  HarnessRun repeats = one_buffer(loop, 1);
  harness_run_finds(&repeats, "LIVELOCK", "runs at ptx:");
  HarnessRun counts =
      one_buffer(KERNEL("L: ld.global.u32 w0, [to]; add.u32 w1, w1, 1; "
                        "setp.eq.u32 p, w0, 0; @p bra L;"),
                 1);
  harness_run_finds(&counts, "no-progress", "runs at ptx:");
  HarnessRun limit = one_buffer(loop, 1);
  tile_emu_options_init(&limit.options);
  limit.options.max_instructions = 100000;
  harness_run_finds(&limit, "instruction-limit",
                    "more than the limit of 100000; CTA (0,0,0) is here");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shfl_idx),
    cmocka_unit_test(shfl_up),
    cmocka_unit_test(shfl_up_in_range),
    cmocka_unit_test(shfl_down),
    cmocka_unit_test(shfl_bfly),
    cmocka_unit_test(shfl_segment),
    cmocka_unit_test(shfl_index_of_lane),
    cmocka_unit_test(vote_ballot),
    cmocka_unit_test(vote_ballot_not),
    cmocka_unit_test(vote_any),
    cmocka_unit_test(vote_all),
    cmocka_unit_test(match_any),
    cmocka_unit_test(match_all),
    cmocka_unit_test(redux_add),
    cmocka_unit_test(redux_min),
    cmocka_unit_test(activemask),
    cmocka_unit_test(elect),
    cmocka_unit_test(shfl_of_half),
    cmocka_unit_test(loop_diverges),
    cmocka_unit_test(branch_table),
    cmocka_unit_test(barriers_order_shared_memory),
    cmocka_unit_test(masks_ballot),
    cmocka_unit_test(masks_any),
    cmocka_unit_test(masks_all),
    cmocka_unit_test(masks_uni),
    cmocka_unit_test(masks_match),
    cmocka_unit_test(masks_match_all),
    cmocka_unit_test(masks_redux),
    cmocka_unit_test(masks_elect),
    cmocka_unit_test(masks_shfl_idx),
    cmocka_unit_test(masks_shfl_bfly),
    cmocka_unit_test(masks_diverged),
    cmocka_unit_test(lanes_name_their_own_barriers),
    cmocka_unit_test(lanes_arrive_at_their_own_barriers),
    cmocka_unit_test(warp_barriers_join_their_own_lanes),
    cmocka_unit_test(aligned_barriers_want_one_number),
    cmocka_unit_test(no_barrier_is_a_race),
    cmocka_unit_test(relaxed_cluster_arrival_releases_nothing),
    cmocka_unit_test(barrier_reductions),
    cmocka_unit_test(arrive_and_sync),
    cmocka_unit_test(barrier_mistakes),
    cmocka_unit_test(mbarrier_orders_and_counts),
    cmocka_unit_test(mbarrier_phases),
    cmocka_unit_test(mbarrier_drop),
    cmocka_unit_test(mbarrier_mistakes),
    cmocka_unit_test(one_lane_waits_for_all),
    cmocka_unit_test(cluster_shares_memory),
    cmocka_unit_test(remote_arrival),
    cmocka_unit_test(cluster_rank_is_checked),
    cmocka_unit_test(spinning),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

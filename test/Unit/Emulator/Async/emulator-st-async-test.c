//===- emulator-st-async-test.c - st.async and red.async ------------------===//

#include "emulator-harness.h"

enum { CTAS = 2, THREADS = 32, BYTES = 16 * THREADS };
static uint8_t in[CTAS * BYTES], out[CTAS * BYTES];

/// Two CTAs. Each thread has the 16 bytes at `from` in w0 to w3 and in l0, l1.
/// `d` is its part of `smem` of the other CTA and `b` the mbarrier there. The
/// result are the 16 bytes of each thread in `smem`.
#define PAIR(bytes, body, wait)                                                \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 in, .param .u64 out) {\n"                              \
  ".shared .align 128 .b8 smem[512]; .shared .align 8 .b64 bar;\n"             \
  ".reg .b64 from, to, r, l<2>; .reg .b32 tid, rank, other, s, d, b, x, "      \
  "w<4>; .reg .f32 f; .reg .f64 e; .reg .pred p, q;\n"                         \
  "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 tid, %tid.x; "     \
  "mov.u32 rank, %cluster_ctarank; xor.b32 other, rank, 1; "                   \
  "mad.lo.u32 x, rank, 32, tid; mul.wide.u32 r, x, 16; "                       \
  "add.u64 from, from, r; add.u64 to, to, r;\n"                                \
  "mov.u32 s, smem; mad.lo.u32 s, tid, 16, s; "                                \
  "mapa.shared::cluster.u32 d, s, other; mov.u32 b, bar; "                     \
  "mapa.shared::cluster.u32 b, b, other;\n"                                    \
  "ld.global.v4.b32 {w0, w1, w2, w3}, [from]; "                                \
  "ld.global.v2.b64 {l0, l1}, [from];\n"                                       \
  "st.shared.v4.b32 [s], {w0, w1, w2, w3};\n"                                  \
  "setp.ne.u32 p, tid, 0; @p bra READY;\n"                                     \
  "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"  \
  "mbarrier.arrive.expect_tx.shared.b64 _, [bar], " bytes ";\nREADY:\n"        \
  "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" body wait  \
  "ld.shared.v4.b32 {w0, w1, w2, w3}, [s]; "                                   \
  "st.global.v4.b32 [to], {w0, w1, w2, w3};\n"                                 \
  "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret; }\n"
#define WAIT                                                                   \
  "TRY: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra TRY;\n"
#define ST "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes."
#define RED                                                                    \
  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."

static HarnessRun make_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx,
                    .grid = {CTAS, 1, 1},
                    .block = THREADS,
                    .cluster = CTAS,
                    .num_args = 2};
  uint32_t seed = 5;
  for (uint32_t i = 0; i < sizeof in; i++)
    in[i] = (uint8_t)harness_random(&seed);
  memset(out, 0, sizeof out);
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  tile_emu_options_init(&run.options);
  return run;
}

static void run_seeds(const char *ptx) {
  for (uint64_t seed = 1; seed <= 5; seed++) {
    HarnessRun run = make_run(ptx);
    run.options.seed = seed;
    run.options.schedule = (TileEmuSchedule)(seed - 1);
    harness_run_clean(&run);
  }
}

static void finds(const char *ptx, const char *kind, const char *text) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    HarnessRun run = make_run(ptx);
    run.options.seed = seed;
    harness_run_finds(&run, kind, text);
  }
}

//===-- st.async ----------------------------------------------------------===//

/// All 16 bytes of every thread go to the other CTA, in several widths.
static void store_widths(void **state) {
  (void)state;
  static const char *const kernels[] = {
      PAIR("512", ST "v4.b32 [d], {w0, w1, w2, w3}, [b];\n", WAIT),
      PAIR("512", ST "v2.b64 [d], {l0, l1}, [b];\n", WAIT),
      PAIR("512",
           ST "v2.u32 [d], {w0, w1}, [b];\n" ST
              "v2.s32 [d+8], {w2, w3}, [b];\n",
           WAIT),
      PAIR("512", ST "b64 [d], l0, [b];\n" ST "u64 [d+8], l1, [b];\n", WAIT),
      PAIR("512",
           "mov.b32 f, w1; mov.b64 e, l1;\n" ST "b32 [d], w0, [b];\n" ST
           "f32 [d+4], f, [b];\n" ST "f64 [d+8], e, [b];\n",
           WAIT),
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    run_seeds(kernels[i]);
    assert_memory_equal(out, in + BYTES, BYTES);
    assert_memory_equal(out + BYTES, in, BYTES);
  }
}

static void store_mistakes(void **state) {
  (void)state;
#define STORE ST "v4.b32 [d], {w0, w1, w2, w3}, [b];\n"
  finds(PAIR("512", STORE, ""), "data-race", "by TMA/bulk copy (mbarrier #");
  finds(PAIR("500", STORE, WAIT), "mbarrier-tx", "12 bytes more than expected");
  finds(PAIR("528", STORE, WAIT), "DEADLOCK", "copies in flight 0");
  finds(PAIR("512", "mov.u32 b, bar;\n" STORE, WAIT), "mbarrier",
        "is not in the CTA of the destination");
  finds(PAIR("512", "add.u32 d, d, 8;\n" STORE, WAIT), "misaligned",
        "16-byte access");
  // Two threads write the same bytes in the same phase.
  finds(PAIR("512",
             "and.b32 x, tid, 1; shl.b32 x, x, 4; sub.u32 d, d, x;\n" STORE,
             WAIT),
        "data-race", "st.async write of smem+");
  harness_parse_fails(PAIR("512", ST "v4.b64 [d], {l0, l1, l0, l1}, [b];", ""),
                      "4 values where 4 are expected");
  finds(PAIR("512", "st.async.release.global.b32 [to], w0;\n", ""),
        "unsupported", "(sm_100 and later)");
}

/// The other CTA may not be gone when the store arrives.
static void store_to_a_cta_that_left(void **state) {
  (void)state;
  HarnessRun run =
      make_run(PAIR("512", STORE "setp.eq.u32 q, rank, 1; @q ret;\n", WAIT));
  run.options.schedule = TILE_EMU_SCHEDULE_LAZY;
  harness_run_finds(&run, "cluster-exit", "still writes its shared memory");
}

//===-- red.async ---------------------------------------------------------===//

typedef struct {
  const char *ptx;
  uint64_t (*apply)(uint64_t x, uint64_t y);
  uint32_t elem_bytes;
} Reduction;

static uint64_t add32(uint64_t x, uint64_t y) { return (uint32_t)(x + y); }
static uint64_t add64(uint64_t x, uint64_t y) { return x + y; }
static uint64_t min_u32(uint64_t x, uint64_t y) { return x < y ? x : y; }
static uint64_t max_u32(uint64_t x, uint64_t y) { return x > y ? x : y; }
static uint64_t min_s32(uint64_t x, uint64_t y) {
  return (int32_t)x < (int32_t)y ? x : y;
}
static uint64_t max_s32(uint64_t x, uint64_t y) {
  return (int32_t)x > (int32_t)y ? x : y;
}
static uint64_t and32(uint64_t x, uint64_t y) { return x & y; }
static uint64_t or32(uint64_t x, uint64_t y) { return x | y; }
static uint64_t xor32(uint64_t x, uint64_t y) { return x ^ y; }

/// The first element of every thread is reduced into that of thread 0 of the
/// other CTA.
#define REDUCE32(operation)                                                    \
  PAIR(                                                                        \
      "128",                                                                   \
      "mov.u32 d, smem; mapa.shared::cluster.u32 d, d, other;\n" RED operation \
      " [d], w0, [b];\n",                                                      \
      WAIT)
#define REDUCE64(operation)                                                    \
  PAIR(                                                                        \
      "256",                                                                   \
      "mov.u32 d, smem; mapa.shared::cluster.u32 d, d, other;\n" RED operation \
      " [d], l0, [b];\n",                                                      \
      WAIT)

static uint64_t first_element(uint32_t rank, uint32_t thread,
                              uint32_t elem_bytes) {
  uint64_t value = 0;
  memcpy(&value, in + rank * BYTES + thread * 16, elem_bytes);
  return value;
}

static void reductions(void **state) {
  (void)state;
  static const Reduction cases[] = {
      {REDUCE32("add.u32"), add32, 4},   {REDUCE32("add.s32"), add32, 4},
      {REDUCE64("add.u64"), add64, 8},   {REDUCE32("min.u32"), min_u32, 4},
      {REDUCE32("max.u32"), max_u32, 4}, {REDUCE32("min.s32"), min_s32, 4},
      {REDUCE32("max.s32"), max_s32, 4}, {REDUCE32("and.b32"), and32, 4},
      {REDUCE32("or.b32"), or32, 4},     {REDUCE32("xor.b32"), xor32, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const Reduction *reduction = &cases[i];
    run_seeds(reduction->ptx);
    for (uint32_t rank = 0; rank < CTAS; rank++) {
      uint64_t value = first_element(rank, 0, reduction->elem_bytes);
      for (uint32_t t = 0; t < THREADS; t++)
        value = reduction->apply(
            value, first_element(1 - rank, t, reduction->elem_bytes));
      assert_memory_equal(out + rank * BYTES, &value, reduction->elem_bytes);
    }
  }
}

/// Each thread counts its own word up or down, round the limit in w1.
static void counters(void **state) {
  (void)state;
  run_seeds(PAIR("128", RED "inc.u32 [d], w1, [b];\n", WAIT));
  for (uint32_t i = 0; i < CTAS * THREADS; i++) {
    uint32_t other = (i ^ THREADS) * 16, old, limit, result;
    memcpy(&old, in + i * 16, 4);
    memcpy(&limit, in + other + 4, 4);
    memcpy(&result, out + i * 16, 4);
    assert_int_equal(result, old >= limit ? 0 : old + 1);
  }
  run_seeds(PAIR("128", RED "dec.u32 [d], w1, [b];\n", WAIT));
  for (uint32_t i = 0; i < CTAS * THREADS; i++) {
    uint32_t other = (i ^ THREADS) * 16, old, limit, result;
    memcpy(&old, in + i * 16, 4);
    memcpy(&limit, in + other + 4, 4);
    memcpy(&result, out + i * 16, 4);
    assert_int_equal(result, old == 0 || old > limit ? limit : old - 1);
  }
}

static void reduction_mistakes(void **state) {
  (void)state;
  finds(PAIR("128", RED "add.u32 [d], w0, [b];\n", ""), "data-race",
        "read of smem+");
  finds(PAIR("120", RED "add.u32 [d], w0, [b];\n", WAIT), "mbarrier-tx",
        "8 bytes");
  // A thread of the other CTA still reads what is reduced.
  finds(
      PAIR("128", "ld.shared.u32 x, [s];\n" RED "add.u32 [d], x, [b];\n", WAIT),
      "data-race", "red.async write of smem+");
  harness_parse_fails(PAIR("128", RED "add.f32 [d], f, [b];\n", WAIT),
                      "no such reduction in shared memory");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(store_widths),
    cmocka_unit_test(store_mistakes),
    cmocka_unit_test(store_to_a_cta_that_left),
    cmocka_unit_test(reductions),
    cmocka_unit_test(counters),
    cmocka_unit_test(reduction_mistakes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

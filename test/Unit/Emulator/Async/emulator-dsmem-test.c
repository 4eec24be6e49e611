//===- emulator-dsmem-test.c - Shared memory of other CTAs ----------------===//

#include "emulator-harness.h"

enum { CTAS = 4, THREADS = 64, WORDS = 64 };
static uint32_t in[CTAS * WORDS], out[CTAS * WORDS];

/// A cluster of four CTAs. Word `tid` of `mine` is in[64 rank + tid]; the
/// result of `body` is word `tid` of `smem`, or `y` with STORE_Y.
#define CLUSTER(body, end)                                                     \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 in, .param .u64 out) {\n"                              \
  ".shared .align 128 .b8 mine[256]; .shared .align 128 .b8 smem[256];\n"      \
  ".shared .align 8 .b64 bar;\n"                                               \
  ".reg .b64 from, to, r, g; .reg .b32 tid, rank, next, x, y, z, s, m, d, b, " \
  "w<4>; .reg .pred p, q;\n"                                                   \
  "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 tid, %tid.x; "     \
  "mov.u32 rank, %cluster_ctarank; mad.lo.u32 x, rank, 64, tid; "              \
  "mul.wide.u32 r, x, 4; add.u64 from, from, r; add.u64 to, to, r;\n"          \
  "mov.u32 s, smem; mad.lo.u32 s, tid, 4, s; "                                 \
  "mov.u32 m, mine; mad.lo.u32 m, tid, 4, m; "                                 \
  "add.u32 next, rank, 1; and.b32 next, next, 3;\n"                            \
  "ld.global.u32 x, [from]; st.shared.u32 [m], x; st.shared.u32 [s], x;\n"     \
  "setp.ne.u32 p, tid, 0;\n" body end "ret; }\n"
#define BARRIER                                                                \
  "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
#define STORE_Y "st.global.u32 [to], y;\n"
#define STORE_S "ld.shared.u32 y, [s]; st.global.u32 [to], y;\n"

static HarnessRun make_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx,
                    .grid = {CTAS, 1, 1},
                    .block = THREADS,
                    .cluster = CTAS,
                    .num_args = 2};
  uint32_t seed = 11;
  for (uint32_t i = 0; i < CTAS * WORDS; i++)
    in[i] = harness_random(&seed);
  memset(out, 0, sizeof out);
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  tile_emu_options_init(&run.options);
  return run;
}

static uint32_t input(uint32_t rank, uint32_t tid) {
  return in[rank % CTAS * WORDS + tid];
}

static void run_seeds(const char *ptx) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    HarnessRun run = make_run(ptx);
    run.options.seed = seed;
    run.options.schedule = (TileEmuSchedule)(seed % 5);
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

//===-- Threads -----------------------------------------------------------===//

static void loads_and_stores(void **state) {
  (void)state;
  // Reads its neighbour's word through both kinds of addresses and writes the
  // difference, which is 0, plus the word into the neighbour's other array.
  run_seeds(CLUSTER(
      "mov.u32 y, mine; mapa.shared::cluster.u32 y, m, next;\n" BARRIER
      "ld.shared::cluster.u32 z, [y]; cvt.u64.u32 g, m; cvta.shared.u64 g, g; "
      "mapa.u64 g, g, next; ld.u32 x, [g]; sub.u32 x, x, z; add.u32 z, z, x;\n"
      "mapa.shared::cluster.u32 y, s, next; st.shared::cluster.u32 [y], z;\n",
      BARRIER STORE_S));
  for (uint32_t rank = 0; rank < CTAS; rank++)
    for (uint32_t tid = 0; tid < WORDS; tid++)
      assert_int_equal(out[rank * WORDS + tid], input(rank, tid));
}

static void atomics(void **state) {
  (void)state;
  run_seeds(CLUSTER("mapa.shared::cluster.u32 y, s, 0;\n" BARRIER
                    "setp.eq.u32 q, rank, 0; @q bra DONE;\n"
                    "atom.shared::cluster.add.u32 z, [y], x;\n"
                    "DONE:\n",
                    BARRIER STORE_S));
  for (uint32_t tid = 0; tid < WORDS; tid++)
    assert_int_equal(out[tid], input(0, tid) + input(1, tid) + input(2, tid) +
                                   input(3, tid));
}

static void own_memory_only(void **state) {
  (void)state;
  finds(CLUSTER("mapa.shared::cluster.u32 y, m, next;\n" BARRIER
                "ld.shared.u32 y, [y];\n",
                BARRIER STORE_Y),
        "out-of-bounds", "which .shared::cta cannot reach");
}

//===-- CTAs that leave ---------------------------------------------------===//

#define WRITE_NEXT                                                             \
  "mapa.shared::cluster.u32 y, s, next;\n" BARRIER                             \
  "st.shared::cluster.u32 [y], x;\n"

/// Without the last barrier the neighbour may be gone, whoever is faster.
static void leaving_early(void **state) {
  (void)state;
  run_seeds(CLUSTER(WRITE_NEXT, BARRIER));
  finds(CLUSTER(WRITE_NEXT, ""), "cluster-exit", "`st.shared::cluster.u32`");
  finds(CLUSTER("mapa.shared::cluster.u32 y, m, next;\n" BARRIER
                "ld.shared::cluster.u32 y, [y];\n",
                STORE_Y),
        "cluster-exit", "`ld.shared::cluster.u32`");
}

/// It is a mistake even when the neighbour stays longer than the access takes.
static void leaving_later(void **state) {
  (void)state;
#define LINGER(access)                                                         \
  CLUSTER("mapa.shared::cluster.u32 y, s, next;\n" BARRIER                     \
          "setp.ne.u32 q, rank, 0; @q bra LINGER; " access " ret;\n"           \
          "LINGER: mov.u32 z, 0;\nMORE: add.u32 z, z, 1; "                     \
          "setp.lt.u32 q, z, 3000; @q bra MORE;\n",                            \
          "")
  finds(LINGER("st.shared::cluster.u32 [y], x;"), "cluster-exit",
        "CTA rank 1 does not wait for this access");
  finds(LINGER("ld.shared::cluster.u32 x, [y];"), "cluster-exit",
        "CTA rank 1 does not wait for this access");
}

/// A variable is an address of the CTA's own memory in both windows.
static void variables(void **state) {
  (void)state;
  run_seeds(CLUSTER("setp.ne.u32 q, tid, 5; @q bra NOT; "
                    "st.shared::cluster.u32 [smem+20], rank;\nNOT:\n",
                    BARRIER STORE_S));
  for (uint32_t i = 0; i < CTAS * WORDS; i++)
    assert_int_equal(out[i],
                     i % WORDS == 5 ? i / WORDS : input(i / WORDS, i % WORDS));
}

#define INIT(count, bytes)                                                     \
  "@p bra READY; mbarrier.init.shared.b64 [bar], " count ";\n"                 \
  "fence.mbarrier_init.release.cluster;\n" bytes "READY:\n" BARRIER
#define EXPECT(bytes)                                                          \
  "mbarrier.arrive.expect_tx.shared.b64 _, [bar], " bytes ";\n"
#define WAIT                                                                   \
  "TRY: mbarrier.try_wait.parity.shared.b64 q, [bar], 0;\n@!q bra TRY;\n"

/// A CTA that waits for the arrival of its neighbour may go; one that does not
/// wait may not.
static void remote_arrivals(void **state) {
  (void)state;
#define ARRIVE                                                                 \
  INIT("64", "")                                                               \
  "mov.u32 b, bar; mapa.shared::cluster.u32 b, b, next;\n"                     \
  "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b];\n"
  run_seeds(CLUSTER(ARRIVE WAIT, ""));
  finds(CLUSTER(ARRIVE, ""), "cluster-exit", "`mbarrier.arrive.release.");
}

//===-- Bulk copies -------------------------------------------------------===//

/// `mine` of this CTA to `smem` of the next, which waits for it.
#define COPY(opcode, fence, size)                                              \
  fence INIT("1", EXPECT("256")) "@p bra COPIED; mov.u32 d, smem; "            \
                                 "mapa.shared::cluster.u32 d, d, next;\n"      \
                                 "mov.u32 b, bar; mapa.shared::cluster.u32 "   \
                                 "b, b, next; mov.u32 m, mine; "               \
                                 "mov.u32 z, " size ";\n" opcode               \
                                 " [d], [m], z, [b];\nCOPIED:\n"
#define BULK                                                                   \
  "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define FENCE "fence.proxy.async.shared::cta;\n"

static void bulk_copies(void **state) {
  (void)state;
  run_seeds(CLUSTER(COPY(BULK, FENCE, "256") WAIT STORE_S, BARRIER));
  for (uint32_t rank = 0; rank < CTAS; rank++)
    for (uint32_t tid = 0; tid < WORDS; tid++)
      assert_int_equal(out[rank * WORDS + tid], input(rank + 3, tid));
}

static void bulk_mistakes(void **state) {
  (void)state;
  finds(CLUSTER(COPY(BULK, "", "256") WAIT STORE_S, BARRIER), "proxy-fence",
        "bulk copy read of mine+0");
  finds(CLUSTER(COPY(BULK, FENCE, "128") WAIT STORE_S, BARRIER), "DEADLOCK",
        "tx-count 128, copies in flight 0");
  finds(CLUSTER(COPY(BULK, FENCE, "256") STORE_S, BARRIER), "data-race",
        "read of smem+");
  finds(CLUSTER(COPY(BULK, FENCE, "250") WAIT STORE_S, BARRIER), "misaligned",
        "bulk copy of 250 bytes");
  // The source is written again before anybody knows that it was read.
  finds(CLUSTER(COPY(BULK, FENCE, "256") "st.shared.u32 [m], x;\n" WAIT STORE_S,
                BARRIER),
        "data-race", "write of mine+0");
  finds(CLUSTER(COPY("mov.u32 b, bar; " BULK, FENCE, "256") WAIT STORE_S,
                BARRIER),
        "mbarrier", "is not in the CTA of the destination");
  finds(CLUSTER(COPY("mapa.shared::cluster.u32 m, m, next; " BULK, FENCE, "256")
                    WAIT STORE_S,
                BARRIER),
        "out-of-bounds", "is not in the CTA's own shared memory");
}

/// The source must live until the copy has read it.
static void source_leaves(void **state) {
  (void)state;
  HarnessRun run = make_run(CLUSTER(
      COPY(BULK, FENCE, "256") "setp.ne.u32 q, rank, 1; @q bra STAY; ret;\n"
                               "STAY:\n" WAIT STORE_S,
      BARRIER));
  run.options.schedule = TILE_EMU_SCHEDULE_LAZY;
  harness_run_finds(&run, "cluster-exit", "still reads its shared memory");
}

//===-- Bulk reductions ---------------------------------------------------===//

typedef struct {
  const char *ptx;
  uint64_t (*apply)(uint64_t x, uint64_t y);
  uint32_t elem_bytes;
} Reduction;

/// All CTAs reduce `mine` into `smem` of rank 0.
#define REDUCE(operation)                                                      \
  CLUSTER(                                                                     \
      FENCE INIT(                                                              \
          "1",                                                                 \
          "setp.ne.u32 q, rank, 0; @q bra READY;\n" EXPECT(                    \
              "1024")) "@p bra DONE; mov.u32 d, smem; "                        \
                       "mapa.shared::cluster.u32 d, d, 0; "                    \
                       "mov.u32 b, bar; mapa.shared::cluster.u32 b, b, 0; "    \
                       "mov.u32 m, mine; mov.u32 z, 256;\n"                    \
                       "cp.reduce.async.bulk.shared::cluster.shared::cta."     \
                       "mbarrier::complete_tx::bytes." operation               \
                       " [d], [m], z, [b];\n"                                  \
                       "DONE: setp.ne.u32 q, rank, 0; @q bra "                 \
                       "END;\n" WAIT STORE_S "END:\n",                         \
      BARRIER)

static uint64_t add32(uint64_t x, uint64_t y) { return (uint32_t)(x + y); }
static uint64_t add64(uint64_t x, uint64_t y) { return x + y; }
static uint64_t min_u32(uint64_t x, uint64_t y) { return x < y ? x : y; }
static uint64_t max_s32(uint64_t x, uint64_t y) {
  return (int32_t)x > (int32_t)y ? x : y;
}
static uint64_t and32(uint64_t x, uint64_t y) { return x & y; }
static uint64_t or32(uint64_t x, uint64_t y) { return x | y; }
static uint64_t xor32(uint64_t x, uint64_t y) { return x ^ y; }
static uint64_t inc(uint64_t x, uint64_t y) { return x >= y ? 0 : x + 1; }
static uint64_t dec(uint64_t x, uint64_t y) {
  return x == 0 || x > y ? y : x - 1;
}

static uint64_t element(uint32_t rank, uint32_t index, uint32_t elem_bytes) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)&in[rank * WORDS] + index * elem_bytes,
         elem_bytes);
  return value;
}

static void bulk_reductions(void **state) {
  (void)state;
  static const Reduction reductions[] = {
      {REDUCE("add.u32"), add32, 4},   {REDUCE("add.s32"), add32, 4},
      {REDUCE("add.u64"), add64, 8},   {REDUCE("min.u32"), min_u32, 4},
      {REDUCE("max.s32"), max_s32, 4}, {REDUCE("and.b32"), and32, 4},
      {REDUCE("or.b32"), or32, 4},     {REDUCE("xor.b32"), xor32, 4},
  };
  for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
    const Reduction *reduction = &reductions[i];
    run_seeds(reduction->ptx);
    for (uint32_t k = 0; k < 256 / reduction->elem_bytes; k++) {
      uint64_t value = element(0, k, reduction->elem_bytes); // of `smem`
      for (uint32_t rank = 0; rank < CTAS; rank++)
        value =
            reduction->apply(value, element(rank, k, reduction->elem_bytes));
      assert_memory_equal((uint8_t *)out + k * reduction->elem_bytes, &value,
                          reduction->elem_bytes);
    }
  }
}

/// The result of inc and dec depends on the order, so one CTA reduces.
static void bulk_increments(void **state) {
  (void)state;
#define COUNT(operation)                                                       \
  CLUSTER("rem.u32 z, tid, 3; add.u32 z, x, z; st.shared.u32 [m], z;\n" COPY(  \
              "cp.reduce.async.bulk.shared::cluster.shared::cta."              \
              "mbarrier::complete_tx::bytes." operation,                       \
              FENCE, "256") WAIT STORE_S,                                      \
          BARRIER)
  static const Reduction counts[] = {{COUNT("inc.u32"), inc, 4},
                                     {COUNT("dec.u32"), dec, 4}};
  for (int i = 0; i < 2; i++) {
    run_seeds(counts[i].ptx);
    for (uint32_t rank = 0; rank < CTAS; rank++)
      for (uint32_t tid = 0; tid < WORDS; tid++)
        assert_int_equal(
            out[rank * WORDS + tid],
            counts[i].apply(input(rank, tid), input(rank + 3, tid) + tid % 3));
  }
  harness_parse_fails(REDUCE("add.f32"), "no such reduction in shared memory");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(loads_and_stores), cmocka_unit_test(atomics),
    cmocka_unit_test(own_memory_only),  cmocka_unit_test(leaving_early),
    cmocka_unit_test(leaving_later),    cmocka_unit_test(variables),
    cmocka_unit_test(remote_arrivals),  cmocka_unit_test(bulk_copies),
    cmocka_unit_test(bulk_mistakes),    cmocka_unit_test(source_leaves),
    cmocka_unit_test(bulk_reductions),  cmocka_unit_test(bulk_increments),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

//===- emulator-phase-test.c - Waits that the next phase may overtake -----===//
//
// PTX ISA, "mbarrier.test_wait": a wait for a phase stands between the ends of
// its two neighbours. Each kernel is right, or wrong at every seed and
// schedule.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

#include <stdbool.h>

#define KERNEL(body)                                                           \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 128 .b8 smem[];\n"                                   \
  ".entry k(.param .u64 in) { .reg .b64 from, state; .reg .b32 tid, bar, at, " \
  "round, parity, last; .reg .pred p, q, r; ld.param.u64 from, [in]; "         \
  "mov.u32 tid, %tid.x; mov.u32 at, smem; add.u32 bar, at, 1024; "             \
  "mov.u32 round, 0; and.b32 last, tid, 31; setp.ne.u32 p, tid, 0;\n" body     \
  "\nret; }"
#define INIT(count)                                                            \
  "@p bra READY;\nmbarrier.init.shared.b64 [bar], " count ";\n"                \
  "mbarrier.init.shared.b64 [bar+8], " count ";\nREADY: bar.sync 0;\n"
/// `rounds` times, with `parity` 0 and 1 in turn.
#define LOOP(rounds, body)                                                     \
  "AGAIN: and.b32 parity, round, 1;\n" body                                    \
  "add.u32 round, round, 1; setp.lt.u32 q, round, " rounds ";\n@q bra "        \
  "AGAIN;\n"
#define TRY(bar, parity)                                                       \
  "{ TRY: mbarrier.try_wait.parity.shared.b64 r, [" bar "], " parity ";\n"     \
  "@!r bra TRY; }\n"
#define TEST(bar, parity)                                                      \
  "{ TEST: nanosleep.u32 20; mbarrier.test_wait.parity.shared.b64 r, [" bar    \
  "], " parity ";\n@!r bra TEST; }\n"
#define ARRIVE(bar) "mbarrier.arrive.shared.b64 _, [" bar "];\n"
/// Thread 0 fetches 64 bytes for the phase under way.
#define FETCH                                                                  \
  "{ @p bra FETCHED;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"    \
  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], "   \
  "[from], 64, [bar];\nFETCHED: }\n"
#define MEET "bar.sync 0;\n"
#define ONLY_FIRST_LANES(body)                                                 \
  "{ setp.ne.u32 r, last, 0;\n@r bra OVER;\n" body "OVER: }\n"

static HarnessRun make_run(const char *ptx, uint32_t threads, uint64_t seed) {
  static uint32_t words[64];
  HarnessRun run = {
      .ptx = ptx, .block = threads, .smem_bytes = 2048, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){words, sizeof words, "words"};
  tile_emu_options_init(&run.options);
  run.options.seed = seed;
  run.options.schedule = (TileEmuSchedule)(seed % 5);
  run.options.max_instructions = 1000000;
  return run;
}

typedef struct {
  const char *ptx;
  uint32_t threads;
  bool is_pedantic;
} Case;

static const Case right_cases[] = {
    // Everybody waits, everybody meets, then the next copy.
    {KERNEL(INIT("1") LOOP("6", FETCH TRY("bar", "parity") MEET)), 96},
    {KERNEL(INIT("1") LOOP("6", FETCH TEST("bar", "parity") MEET)), 96},
    // Two mbarriers in turn: the barrier of the round between lies between.
    {KERNEL(INIT("1") LOOP(
         "6", "shr.u32 last, round, 1; and.b32 last, last, 1;\n" FETCH TRY(
                  "bar", "last") MEET "xor.b32 bar, bar, 8;\n")),
     64},
    // One thread waits; the others meet it.
    {KERNEL(INIT("1") LOOP("6", FETCH
                           "{ @p bra W;\n" TRY("bar", "parity") "W: }\n" MEET)),
     96},
    // A thread of another warp in each round, after a meeting.
    {KERNEL(INIT("1") LOOP(
         "6",
         FETCH "{ shl.b32 last, parity, 5; setp.ne.u32 r, "
               "tid, last;\n@r bra W;\n" TRY("bar", "parity") "W: }\n" MEET)),
     64},
    // All arrive, so nobody is overtaken.
    {KERNEL(INIT("64") LOOP("6", ARRIVE("bar") TRY("bar", "parity"))), 64},
    {KERNEL(INIT("64") LOOP(
         "6", "mbarrier.arrive.shared.b64 state, [bar];\n"
              "{ TEST: mbarrier.test_wait.shared.b64 r, [bar], state;\n"
              "@!r bra TEST; }\n")),
     64},
    {KERNEL(INIT("64")
                LOOP("6", "mbarrier.arrive.relaxed.cluster.shared::cluster."
                          "b64 _, [bar];\n" TRY("bar", "parity"))),
     64},
    {KERNEL(INIT("32") LOOP("6", "cp.async.mbarrier.arrive.noinc.shared.b64 "
                                 "[bar];\n" TRY("bar", "parity"))),
     32},
    // Slots that cp.async fills: its arrival tells of no other work of the
    // thread, but comes after it.
    {KERNEL(INIT("32") LOOP(
         "6", "xor.b32 last, parity, 1; setp.gt.u32 r, tid, 31;\n@r bra "
              "CONSUME;\n" TRY(
                  "bar+8",
                  "last") "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
                          "bra NEXT;\nCONSUME:\n" TRY("bar", "parity")
                              ARRIVE("bar+8") "NEXT:\n")),
     64},
    // One thread completes phases and knows that it did.
    {KERNEL(INIT("1") "@p ret;\n" ARRIVE("bar") ARRIVE("bar") TRY("bar", "1")
                ARRIVE("bar") TRY("bar", "0")),
     32},
    // Every second phase only; a barrier tells of the arrivals of the others.
    {KERNEL(INIT("64") ARRIVE("bar") MEET ARRIVE("bar") TRY("bar", "1")
                ARRIVE("bar") MEET ARRIVE("bar") TRY("bar", "1")),
     64},
    // The first lane of each warp gives a slot back: pedantic, see below.
    {KERNEL(INIT("2") LOOP("6", ONLY_FIRST_LANES(ARRIVE("bar"))
                                    TRY("bar", "parity"))),
     64},
    // A new object begins with no phase before it.
    {KERNEL(INIT("1") FETCH TRY("bar", "0") MEET
            "{ @p bra NEW;\nmbarrier.inval.shared.b64 [bar];\n"
            "mbarrier.init.shared.b64 [bar], 64;\nNEW: }\n" MEET TRY("bar", "1")
                ARRIVE("bar") TRY("bar", "0")),
     64},
};

static void waits_in_order(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof right_cases / sizeof right_cases[0]; i++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      HarnessRun run =
          make_run(right_cases[i].ptx, right_cases[i].threads, seed);
      harness_run_clean(&run);
    }
}

static const Case wrong_cases[] = {
    // The leader goes on when it has waited itself.
    {KERNEL(INIT("1") LOOP("6", FETCH TRY("bar", "parity"))), 64, false},
    {KERNEL(INIT("1") LOOP("6", FETCH TEST("bar", "parity"))), 64, false},
    // Its warp meets without the others.
    {KERNEL(INIT("1")
                LOOP("6", FETCH TRY("bar", "parity") "bar.warp.sync -1;\n")),
     64, false},
    // The next copy comes before the meeting.
    {KERNEL(INIT("1") LOOP("3", FETCH TRY("bar", "0") FETCH MEET TRY("bar", "1")
                                    MEET)),
     64, false},
    // One warp arrives for two.
    {KERNEL(INIT("32")
                LOOP("6", "{ setp.gt.u32 r, tid, 31;\n@r bra "
                          "W;\n" ARRIVE("bar") "W: }\n" TRY("bar", "parity"))),
     64, false},
    // A state that is two phases old.
    {KERNEL(INIT("1") "@p ret;\nmbarrier.arrive.shared.b64 state, "
                      "[bar];\n" ARRIVE(
                          "bar") "mbarrier.test_wait.shared.b64 r, [bar], "
                                 "state;\n"),
     32, false},
    // Every second phase only, and nobody tells of the one between.
    {KERNEL(INIT("1") "{ setp.eq.u32 r, tid, 32;\n@r bra OTHER;\n@p "
                      "ret;\n" ARRIVE("bar")
                          ARRIVE("bar") "ret;\nOTHER:\n" TRY("bar", "1") "}\n"),
     64, false},
    // The first lane of each warp speaks for the others.
    {KERNEL(INIT("2") LOOP("6", ONLY_FIRST_LANES(ARRIVE("bar"))
                                    TRY("bar", "parity"))),
     64, true},
};

static void overtaken_waits(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong_cases / sizeof wrong_cases[0]; i++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      const Case *wrong = &wrong_cases[i];
      HarnessRun run = make_run(wrong->ptx, wrong->threads, seed);
      run.options.pedantic = wrong->is_pedantic;
      harness_run_finds(&run,
                        wrong->is_pedantic ? "mbarrier-phase(pedantic)"
                                           : "mbarrier-phase",
                        "phase");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(waits_in_order),
    cmocka_unit_test(overtaken_waits),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

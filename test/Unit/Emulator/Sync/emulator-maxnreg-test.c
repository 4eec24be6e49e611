//===- emulator-maxnreg-test.c - Pools of registers -----------------------===//

#include "emulator-harness.h"

static uint32_t out[4];

/// Three warpgroups; their first threads store to `out`, warpgroup 0 last.
#define KERNEL(directives, first, second, third)                               \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 out) " directives " { .reg .b64 to, r; .reg .b32 t, "  \
  "w, x, i; .reg .pred p, q;\n"                                                \
  "ld.param.u64 to, [out]; mov.u32 t, %tid.x; shr.u32 w, t, 7; "               \
  "mul.wide.u32 r, w, 4; add.u64 r, to, r; and.b32 x, t, 127; "                \
  "setp.ne.u32 q, x, 0; mov.u32 x, 1;\n"                                       \
  "setp.eq.u32 p, w, 1; @p bra ONE; setp.eq.u32 p, w, 2; @p bra TWO;\n" first  \
  "bra END;\nONE:\n" second "bra END;\nTWO:\n" third                           \
  "END: @q ret; st.global.u32 [r], x; ret; }"
#define INC(count) "setmaxnreg.inc.sync.aligned.u32 " #count ";\n"
#define DEC(count) "setmaxnreg.dec.sync.aligned.u32 " #count ";\n"
/// So that 128 registers a thread are left at launch.
#define OF_512 ".maxntid 512 .minnctapersm 1"

static HarnessRun make_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .block = 384, .num_args = 1};
  memset(out, 0, sizeof out);
  run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
  tile_emu_options_init(&run.options);
  return run;
}

static void runs(const char *ptx) {
  for (uint64_t seed = 1; seed <= 5; seed++) {
    HarnessRun run = make_run(ptx);
    run.options.seed = seed;
    harness_run_clean(&run);
    for (int i = 0; i < 3; i++)
      assert_int_equal(out[i], 1);
  }
}

static void hangs(const char *ptx, const char *text) {
  HarnessRun run = make_run(ptx);
  harness_run_finds(&run, "DEADLOCK", text);
}

//===-- What there is at launch -------------------------------------------===//

/// The numbers that ptxas 13.0 prints for such kernels, by what is left when
/// one warpgroup gives back and the others take all of it.
static void registers_at_launch(void **state) {
  (void)state;
  // 168 for each of 384 threads: the usual 24 and 240.
#define OF_384 ".maxntid 384, 1, 1 .minnctapersm 1"
  runs(KERNEL(OF_384, DEC(24), INC(240), INC(240)));
  hangs(KERNEL(OF_384, DEC(32), INC(240), INC(240)),
        "64512 (168 for each of 384 threads at launch)");
  // 80 when two CTAs have to fit.
#define OF_384_TWICE ".maxntid 384, 1, 1 .minnctapersm 2"
  runs(KERNEL(OF_384_TWICE, DEC(24), INC(104), INC(112)));
  hangs(KERNEL(OF_384_TWICE, DEC(24), INC(112), INC(112)),
        "30720 (80 for each of 384 threads at launch)");
  // .maxnreg; with both the smaller number counts.
  runs(KERNEL(".maxnreg 128", DEC(24), INC(176), INC(184)));
  hangs(KERNEL(".maxnreg 128 .maxntid 384 .minnctapersm 1", DEC(24), INC(184),
               INC(184)),
        "49152 (128 for each of 384 threads at launch)");
  // As many as are allocated, and no more than setmaxnreg.inc asks for.
  hangs(KERNEL(".maxnreg 100", DEC(24), INC(144), INC(152)),
        "39936 (104 for each of 384 threads at launch)");
  runs(KERNEL(".maxnreg 100", DEC(24), INC(144), INC(144)));
  HarnessRun run = make_run(KERNEL(".maxnreg 160", DEC(160), INC(152), ""));
  harness_run_finds(&run, "setmaxnreg",
                    "dec to 160 registers, the warp has 152");
}

static void given_by_the_user(void **state) {
  (void)state;
  HarnessRun run = make_run(KERNEL("", DEC(24), INC(240), INC(240)));
  run.options.registers_per_thread = 167; // allocated as 168
  harness_run_clean(&run);
  run.options.registers_per_thread = 160;
  harness_run_finds(&run, "DEADLOCK",
                    "61440 (160 for each of 384 threads at launch)");
  TileEmu *emu = NULL;
  run.options.registers_per_thread = 256;
  TileStatus status = tile_emu_create(&run.options, &emu);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(status.message, "256 registers a thread"));
}

/// ptxas ignores the instruction when it does not know the number.
static void ignored(void **state) {
  (void)state;
  static const char kernel[] =
      KERNEL(".maxntid 384, 1, 1", DEC(232), INC(24), INC(256));
  runs(kernel);
  HarnessRun run = make_run(kernel);
  run.options.pedantic = true;
  harness_run_finds(&run, "setmaxnreg(pedantic)", "ptxas ignores setmaxnreg");
}

//===-- Waiting -----------------------------------------------------------===//

#define SPIN(count)                                                            \
  "mov.u32 i, 0;\nSPIN" count ": add.u32 i, i, 1; setp.lt.u32 p, i, " count    \
  "; @p bra SPIN" count ";\n"

/// As on an H200: a warpgroup that wants more waits until another one gives
/// back, although the multiprocessor has registers left.
static void waits_for_others(void **state) {
  (void)state;
  runs(KERNEL(OF_512, SPIN("500") DEC(24), INC(168), INC(168)));
  runs(KERNEL(OF_512, SPIN("500") DEC(120), INC(136), ""));
  hangs(KERNEL(OF_512, SPIN("500"), INC(136), ""),
        "waits for 136 registers a thread, 0 of the CTA are free");
}

/// Warps that exit keep theirs.
static void exit_gives_nothing_back(void **state) {
  (void)state;
  hangs(KERNEL(OF_512, "", INC(168), ""), "0 are free");
  runs(KERNEL(OF_512, "", INC(168), SPIN("500") DEC(24)));
}

static void report_says_who_has_them(void **state) {
  (void)state;
  hangs(KERNEL(OF_512, DEC(56), INC(152), INC(208)),
        "warps 0 to 3 have 56 a thread; warps 4 to 7 have ");
}

//===-- Mistakes ----------------------------------------------------------===//

static void wrong_directions(void **state) {
  (void)state;
  HarnessRun run = make_run(KERNEL(OF_512, DEC(136), "", ""));
  harness_run_finds(&run, "setmaxnreg",
                    "dec to 136 registers, the warp has 128");
  run = make_run(KERNEL(OF_512, INC(128) INC(120), "", ""));
  harness_run_finds(&run, "setmaxnreg",
                    "inc to 120 registers, the warp has 128");
}

static void only_some_threads(void **state) {
  (void)state;
  // One lane is missing.
  hangs(KERNEL(OF_512,
               "setp.eq.u32 p, t, 77; @p bra SKIP;\n" DEC(
                   24) "SKIP:\n"
                       "bar.warp.sync -1;\n",
               "", ""),
        "waits for the other lanes");
  // A whole warp is missing.
  HarnessRun run = make_run(
      KERNEL(OF_512, "setp.ge.u32 p, t, 96; @p bra SKIP;\n" DEC(24) "SKIP:\n",
             "", ""));
  harness_run_finds(&run, "setmaxnreg",
                    "warps 0 and 3 of a warpgroup end with 24 and 128");
}

static void malformed(void **state) {
  (void)state;
  harness_parse_fails(KERNEL("", DEC(16), "", ""), "16 registers");
  harness_parse_fails(KERNEL("", INC(260), "", ""), "260 registers");
  harness_parse_fails(KERNEL("", INC(100), "", ""), "not a multiple of 8");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(registers_at_launch),
    cmocka_unit_test(given_by_the_user),
    cmocka_unit_test(ignored),
    cmocka_unit_test(waits_for_others),
    cmocka_unit_test(exit_gives_nothing_back),
    cmocka_unit_test(report_says_who_has_them),
    cmocka_unit_test(wrong_directions),
    cmocka_unit_test(only_some_threads),
    cmocka_unit_test(malformed),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

//===- emulator-findings-test.c - Findings as data, JSON, deadlocks -------===//

#include "emulator-harness.h"

#include "Emulator/Report/Findings.h"

#include <stdlib.h>

static void contains(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("expected \"%s\" in\n%s", part, text);
}

//===-- Every kind --------------------------------------------------------===//

/// A kind without a cause would leave the reader alone.
static void every_kind_has_a_cause(void **state) {
  (void)state;
  for (int kind = 0; kind < TILE_FINDING_NUM_KINDS; kind++) {
    const char *name = tile_emu_finding_name((TileFindingKind)kind);
    const char *cause = tile_emu_finding_cause((TileFindingKind)kind);
    if (!name || !cause)
      fail_msg("kind %d has no name or no cause", kind);
    assert_true(strlen(cause) > 20);
    assert_true(cause[strlen(cause) - 1] != '.'); // as other messages
    assert_null(strchr(cause, '\n'));
    bool says_pedantic = strstr(name, "(pedantic)") != NULL;
    assert_int_equal(says_pedantic,
                     tile_emu_finding_is_pedantic((TileFindingKind)kind));
  }
}

//===-- Fields ------------------------------------------------------------===//

static const char wrong[] =
    HARNESS_HEADER ".file 3 \"dir/wrong.cu\"\n"
                   ".entry k(.param .u64 out) { .reg .b64 to; .reg .b32 t; "
                   ".reg .pred p;\n"
                   ".shared .align 4 .b8 tile[128];\n"
                   "ld.param.u64 to, [out]; mov.u32 t, %tid.x;\n"
                   "setp.ge.u32 p, t, 34;\n"
                   ".loc 3 77 1\n"
                   "@p ld.shared.u32 t, [tile+4];\n"
                   "st.global.u32 [to+64], t;\n"
                   "ret; }";

static void inspect_fields(TileEmu *emu, void *user_data) {
  (void)user_data;
  assert_int_equal(tile_emu_num_findings(emu), 2);
  const TileEmuFinding *read = NULL, *write = NULL, *finding;
  for (size_t i = 0; (finding = tile_emu_finding(emu, i)); i++) {
    if (!strcmp(finding->kind, "uninitialised-read"))
      read = finding;
    else if (!strcmp(finding->kind, "out-of-bounds"))
      write = finding;
  }
  assert_non_null(read);
  assert_non_null(write);
  assert_int_equal(read->ptx_line, 10);
  assert_string_equal(read->source_file, "dir/wrong.cu");
  assert_int_equal(read->source_line, 77);
  assert_string_equal(read->opcode, "ld.shared.u32");
  assert_string_equal(read->kernel, "k");
  assert_true(read->has_cta && read->has_warp && !read->is_pedantic);
  assert_int_equal(read->ctaid[0], 0);
  assert_int_equal(read->warp, 1);
  assert_int_equal(read->lanes, 0xfffffffc);
  assert_string_equal(read->memory_space, "shared");
  assert_string_equal(read->memory_name, "tile+4");
  assert_int_equal(read->memory_offset, 1028);
  assert_string_equal(read->history, "");
  contains(read->message, "read of tile+4");
  assert_null(strchr(read->message, '\n'));
  contains(read->cause, "nobody wrote");
  assert_string_equal(write->memory_space, "global");
  assert_string_equal(write->memory_name, "the \"out\"\n\xff+64");
  const char *json = tile_emu_report_json(emu, "two\tthings");
  contains(json, "\"failure\": \"two\\u0009things\"");
  contains(json, "\"name\": \"the \\\"out\\\"\\n\\ufffd+64\"");
  contains(json, "\"passed\": false");
  contains(json, "\"lanes\": \"0xfffffffc\"");
  contains(json, "\"cta\": [0,0,0]");
}

static void fields_of_a_finding(void **state) {
  (void)state;
  uint32_t out[16] = {0};
  HarnessRun run = {
      .ptx = wrong, .block = 64, .num_args = 1, .inspect = inspect_fields};
  run.args[0].buffer = (HarnessBuffer){out, sizeof out, "the \"out\"\n\xff"};
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.status.code, TILE_STATUS_KERNEL_FAILED);
  harness_result_deinit(&result);
}

static void inspect_clean(TileEmu *emu, void *user_data) {
  (void)user_data;
  const char *json = tile_emu_report_json(emu, NULL);
  contains(json, "\"passed\": true");
  contains(json, "\"failure\": null");
  contains(json, "\"findings\": []");
  assert_int_equal(json[strlen(json) - 1], '\n');
  // A failure that the emulator did not find is one all the same.
  contains(tile_emu_report_json(emu, "wrong numbers"), "\"passed\": false");
}

//===-- Groups ------------------------------------------------------------===//

/// Threads store to each other's words: `lines` says which source lines.
#define UNROLLED(first, second)                                                \
  HARNESS_HEADER                                                               \
  ".file 3 \"dir/wrong.cu\"\n"                                                 \
  ".entry k() { .reg .b32 t, s; .shared .align 4 .b8 "                         \
  "tile[128];\n"                                                               \
  "mov.u32 t, %tid.x; mov.u32 s, tile;\n" first "st.shared.u32 [s], t;\n"      \
  "st.shared.u32 [s+4], t;\n"                                                  \
  "st.shared.u32 [s+8], t;\n" second "st.shared.u32 [s+12], t;\n"              \
  "ret; }"

static void inspect_groups(TileEmu *emu, void *user_data) {
  const size_t *expected = user_data;
  assert_int_equal(tile_emu_num_findings(emu), expected[0]);
  const TileEmuFinding *finding = tile_emu_finding(emu, 0);
  assert_string_equal(finding->kind, "data-race");
  assert_int_equal(finding->num_other_lines, expected[1]);
  for (size_t i = 0; i < expected[1]; i++)
    assert_int_equal(finding->other_lines[i], finding->ptx_line + 1 + i);
  assert_int_equal(finding->earlier.ptx_line, finding->ptx_line);
  assert_string_equal(finding->earlier.opcode, "st.shared.u32");
  const char *json = tile_emu_report_json(emu, NULL);
  assert_non_null(strstr(json, "\"earlier\": {"));
  bool has_others = strstr(json, "\"other_ptx_lines\": [");
  assert_int_equal(has_others, expected[1] > 0);
  assert_int_equal(strstr(finding->text, "    the same at ptx:") != NULL,
                   expected[1] > 0);
}

/// Instructions of one source line are one finding; without lines those that
/// look alike.
static void findings_are_grouped_by_line(void **state) {
  (void)state;
  static const struct {
    const char *ptx;
    size_t expected[2];
  } cases[] = {
      {UNROLLED(".loc 3 77 1\n", ""), {1, 3}},
      {UNROLLED(".loc 3 77 1\n", ".loc 3 78 1\n"), {2, 2}},
      {UNROLLED("", ""), {1, 3}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t expected[2] = {cases[i].expected[0], cases[i].expected[1]};
    HarnessRun run = {.ptx = cases[i].ptx,
                      .block = 32,
                      .inspect = inspect_groups,
                      .user_data = expected};
    harness_run_finds(&run, "data-race", "by thread");
  }
}

/// Whoever read or wrote before has a line: also one of several readers, and
/// one whose neighbours accessed the same word.
static void earlier_accesses_have_lines(void **state) {
  (void)state;
#define EARLIER(reads)                                                         \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 out) { .reg .b32 t, s, w, v; .reg .b64 to; "           \
  ".reg .pred p, q; .shared .align 16 .b8 tile[128];\n"                        \
  "ld.param.u64 to, [out]; mov.u32 t, %tid.x; mov.u32 s, tile; setp.eq.u32 "   \
  "p, t, 0; setp.eq.u32 q, t, 1; @p st.shared.v2.u32 [s], {t, t}; "            \
  "bar.sync 0;\n" reads                                                        \
  "\n@p st.shared.u32 [s], 7; st.global.u32 [to], w; ret; }"
  static const char *const kernels[] = {
      EARLIER("ld.shared.u32 w, [s];\n"),
      EARLIER("\n@!p ld.shared.u32 w, [s]; @p mov.u32 w, 0;"),
      EARLIER("ld.shared.u32 v, [s+4];\n@!p ld.shared.u8 w, [s+1]; @p mov.u32 "
              "w, v;"),
  };
  static const char *const lines[] = {"at ptx:6 ", "at ptx:7 ", "at ptx:7 "};
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
    uint32_t word = 0;
    HarnessRun run = {.ptx = kernels[i], .block = 64, .num_args = 1};
    run.args[0].buffer = (HarnessBuffer){&word, sizeof word, "out"};
    harness_run_finds(&run, "data-race", lines[i]);
  }
}

static void json_of_a_clean_run(void **state) {
  (void)state;
  HarnessRun run = {.ptx = HARNESS_HEADER ".entry k() { ret; }",
                    .inspect = inspect_clean};
  harness_run_clean(&run);
}

//===-- Deadlocks ---------------------------------------------------------===//

// Warp 1 exits instead of arriving; warp 2 waits at a named barrier; warp 0
// arrived and waits.
static const char stuck[] = HARNESS_HEADER
    ".entry k() { .reg .b32 t, w; .reg .b64 s; .reg .pred p, q, r;\n"
    ".shared .align 8 .b64 full[2];\n"
    "mov.u32 t, %tid.x; shr.u32 w, t, 5;\n"
    "setp.eq.u32 p, t, 0;\n"
    "@p mbarrier.init.shared.b64 [full+8], 3;\n"
    "bar.sync 0;\n"
    "setp.eq.u32 q, w, 1;\n"
    "@q ret;\n"
    "setp.eq.u32 q, w, 2;\n"
    "@q bar.sync 3, 64;\n"
    "@p mbarrier.arrive.shared.b64 s, [full+8];\n" // line 14
    "WAIT:\n"
    "mbarrier.try_wait.parity.shared.b64 r, [full+8], 0;\n"
    "@!r bra WAIT;\n"
    "ret; }";

static void deadlock_names_everybody(void **state) {
  (void)state;
  HarnessRun run = {.ptx = stuck, .block = 96};
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.num_findings, 1);
  contains(result.report, "[DEADLOCK] no thread of CTA (0,0,0) makes progress");
  contains(result.report,
           "warp 0 lanes 0xffffffff: waits for parity 0 of mbarrier 0x408");
  contains(result.report, "(full+8): phase 0 (parity 0), pending arrivals 2 of "
                          "3, tx-count 0");
  contains(result.report, "phase 0: init 3 by thread 0 (ptx:8)");
  contains(result.report, "thread 0 last arrived in phase 0, the current one; "
                          "it waits for mbarrier 0x408 at ptx:16");
  contains(result.report, "warp 2 lanes 0xffffffff: waits at barrier 3 (32 "
                          "threads arrived, 64 expected)");
  contains(result.report, "warp 1: exited");
  contains(result.report, "ptx:14 `mbarrier.arrive.shared.b64`: warp 2 can "
                          "still get there");
  contains(result.report, "likely cause: compare what each waiter expects");
  harness_result_deinit(&result);
}

// Nobody ever arrives, and the loop has been left by nobody.
static const char lonely[] =
    HARNESS_HEADER ".entry k() { .reg .b32 t; .reg .pred p, r;\n"
                   ".shared .align 8 .b64 full;\n"
                   "mov.u32 t, %tid.x; setp.eq.u32 p, t, 0;\n"
                   "@p mbarrier.init.shared.b64 [full], 1;\n"
                   "bar.sync 0;\n"
                   "WAIT:\n"
                   "mbarrier.try_wait.parity.shared.b64 r, [full], 0;\n"
                   "@!r bra WAIT;\n"
                   "ret; }";

static void deadlock_without_arrivals(void **state) {
  (void)state;
  HarnessRun run = {.ptx = lonely};
  harness_run_finds(&run, "DEADLOCK", "no thread has arrived since its init");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_has_a_cause),
      cmocka_unit_test(fields_of_a_finding),
      cmocka_unit_test(findings_are_grouped_by_line),
      cmocka_unit_test(earlier_accesses_have_lines),
      cmocka_unit_test(json_of_a_clean_run),
      cmocka_unit_test(deadlock_names_everybody),
      cmocka_unit_test(deadlock_without_arrivals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

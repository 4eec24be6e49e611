//===- emulator-limits-test.c - Large modules, and too large ones ---------===//

#include "emulator-harness.h"

#include <stdlib.h>

/// `count` copies of `format`, each # its number, between two texts. free().
static char *repeat(const char *before, const char *format, uint32_t count,
                    const char *after) {
  size_t capacity = strlen(before) + strlen(after) + 64ull * count + 1;
  char *text = malloc(capacity);
  assert_non_null(text);
  size_t length = (size_t)snprintf(text, capacity, "%s", before);
  for (uint32_t i = 0; i < count; i++)
    for (const char *at = format; *at; at++) {
      if (*at != '#')
        text[length++] = *at;
      else
        length += (size_t)snprintf(text + length, capacity - length, "%u", i);
    }
  snprintf(text + length, capacity - length, "%s", after);
  return text;
}

static void limits_are_named(void **state) {
  (void)state;
  static const char body[] = HARNESS_HEADER ".entry k() {\n";
  static const char kernel[] = ".entry k() { ret; }";
  char *text = repeat(body, ".reg .b32 r#;\n", 10001, "ret; }");
  harness_parse_fails(text, "more than 10000 register declarations");
  free(text);
  text = repeat(HARNESS_HEADER, ".global .b32 g#;\n", 10001, kernel);
  harness_parse_fails(text, "more than 10000 variables");
  free(text);
  text = repeat(HARNESS_HEADER, ".shared .b8 g#[268435456];\n", 5, kernel);
  harness_parse_fails(text, "the variables have more than 1073741824 bytes");
  free(text);
}

/// Found in constant time: with a search among all of them this takes minutes.
static void many_labels(void **state) {
  (void)state;
  static const char body[] = HARNESS_HEADER ".entry k() {\n";
  char *text = repeat(body, "bra M#; L#: M#:\n", 100000, "ret; }");
  HarnessRun run = {.ptx = text};
  harness_run_clean(&run);
  free(text);
  text = repeat(body, "L#: bra L#;\n", 100, "L7: ret; }");
  harness_parse_fails(text, "label L7 is defined twice");
  free(text);
}

// Two brx.idx through one table; labels of the enclosing block.
static const char tables[] = HARNESS_HEADER
    ".entry k(.param .u64 out) { .reg .b32 t, v; .reg .b64 to;\n"
    "ld.param.u64 to, [out]; mov.u32 t, %tid.x; mad.wide.u32 to, t, 4, to;\n"
    "and.b32 t, t, 1; mov.u32 v, 0;\n"
    "{ ways: .branchtargets EVEN, ODD;\n"
    "brx.idx t, ways;\n"
    "EVEN: add.u32 v, v, 10; mov.u32 t, 1; brx.idx t, ways;\n"
    "ODD: add.u32 v, v, 1; }\n"
    "st.global.u32 [to], v; ret; }";

static void tables_are_shared(void **state) {
  (void)state;
  uint32_t out[32] = {0};
  HarnessRun run = {.ptx = tables, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
  harness_run_clean(&run);
  for (uint32_t l = 0; l < 32; l++)
    assert_int_equal(out[l], l % 2 ? 1 : 11);
}

// A width that would print ten million characters, and text without end.
static const char printer[] = HARNESS_HEADER
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 wide[12] = {37, 57, 57, 57, 57, 57, 57, 57, 100};\n"
    ".global .align 1 .b8 long[8] = {37, 57, 57, 57, 100, 10};\n"
    ".entry k() { .reg .b64 g; .reg .b32 n; .reg .pred p;\n"
    ".local .align 8 .b8 args[8]; mov.u32 n, 0; st.local.u64 [args], 7;\n"
    "{ .param .b64 f, a; .param .b32 r; mov.u64 g, args;\n"
    "cvta.local.u64 g, g; st.param.b64 [a], g; cvta.global.u64 g, wide;\n"
    "st.param.b64 [f], g; call.uni (r), vprintf, (f, a);\n"
    "cvta.global.u64 g, long; st.param.b64 [f], g;\n"
    "LOOP: call.uni (r), vprintf, (f, a);\n"
    "add.u32 n, n, 1; setp.lt.u32 p, n, 2000; @p bra LOOP; }\n"
    "ret; }";

static void printed_text_is_limited(void **state) {
  (void)state;
  HarnessRun run = {.ptx = printer};
  HarnessResult result = harness_run(&run);
  assert_int_equal(result.status.code, TILE_STATUS_OK);
  assert_true(strlen(result.output) >= 1 << 20);
  assert_true(strlen(result.output) < (1 << 20) + 32 * 1100);
  assert_int_equal(result.output[0], 'd'); // the conversion is not done
  harness_result_deinit(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_are_named),
      cmocka_unit_test(many_labels),
      cmocka_unit_test(tables_are_shared),
      cmocka_unit_test(printed_text_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

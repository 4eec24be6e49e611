//===- launcher-ptx-test.c - Kernels found in PTX text --------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/LauncherInternal.h"

#include <string.h>

static void test_entries(void **state) {
  (void)state;
  static const char ptx[] =
      "// .entry in_a_comment(.param .u64 a)\n"
      "/* .entry in_another( */\n"
      ".version 8.0 .target sm_90a .address_size 64\n"
      ".func (.param .b32 r) helper(.param .b64 x) { ret; }\n"
      ".visible .entry first(\n"
      "  .param .u64 .ptr .global .align 16 first_param_0, // a pointer\n"
      "  .param .align 64 .b8 first_param_1[128],\n"
      "  .param .f32 first_param_2,\n"
      "  .param .u8 first_param_3,\n"
      "  .param .b16 p4, .param .bf16 p5, .param .s64 p6\n"
      ")\n"
      ".maxntid 128, 1, 1\n"
      "{ .reg .pred %p<2>; ret; }\n"
      ".entry $second.x() { ret; }\n"
      ".weak .entry third { ret; }\n";
  static const size_t sizes_bytes[] = {8, 128, 4, 1, 2, 2, 8};
  static const char *const types[] = {".u64", "",      ".f32", ".u8",
                                      ".b16", ".bf16", ".s64"};
  TilePtxEntry *entries = NULL;
  size_t count = 0;
  TileStatus status = tile_ptx_entries_find(ptx, &entries, &count);
  assert_string_equal(status.message, "");
  assert_int_equal(count, 3);
  assert_string_equal(entries[0].name, "first");
  assert_int_equal(entries[0].num_params, 7);
  for (size_t i = 0; i < 7; i++)
    assert_int_equal(entries[0].param_sizes_bytes[i], sizes_bytes[i]);
  for (size_t i = 0; i < 7; i++)
    assert_string_equal(entries[0].param_types[i], types[i]);
  assert_string_equal(entries[1].name, "$second.x");
  assert_int_equal(entries[1].num_params, 0);
  assert_string_equal(entries[2].name, "third");
  tile_ptx_entries_destroy(entries, count);
}

static void test_cut_text(void **state) {
  (void)state;
  static const char ptx[] = ".entry k(.param .u64 a, .param .align 64 .b8 "
                            "b[128]) { ret; } /* end";
  size_t complete = (size_t)(strchr(ptx, ')') - ptx) + 1;
  for (size_t length = 0; length < sizeof ptx; length++) {
    char text[sizeof ptx] = {0};
    memcpy(text, ptx, length);
    TilePtxEntry *entries = NULL;
    size_t count = 0;
    TileStatus status = tile_ptx_entries_find(text, &entries, &count);
    bool is_cut = length > strlen(".entry k") && length < complete;
    assert_string_equal(status.message,
                        is_cut ? "the parameter list of kernel 'k' is cut off"
                               : "");
    assert_int_equal(count == 1, !is_cut && length >= strlen(".entry"));
    tile_ptx_entries_destroy(entries, count);
  }
}

static void test_too_many_parameters(void **state) {
  (void)state;
  char ptx[8192] = ".entry k(";
  for (int i = 0; i <= TILE_PTX_MAX_PARAMS; i++)
    strcat(ptx, i > 0 ? ", .param .u64 p" : ".param .u64 p");
  strcat(ptx, ") { ret; }");
  TilePtxEntry *entries = NULL;
  size_t count = 0;
  TileStatus status = tile_ptx_entries_find(ptx, &entries, &count);
  assert_string_equal(status.message,
                      "kernel 'k': expected at most 256 parameters");
  assert_null(entries);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_entries),
      cmocka_unit_test(test_cut_text),
      cmocka_unit_test(test_too_many_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

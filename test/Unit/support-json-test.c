//===- support-json-test.c - Text that grows, and JSON --------------------===//
//
// The string builder and the JSON writer: layouts, nesting, strings of any
// bytes.
//
//===----------------------------------------------------------------------===//

#include "Support/JsonWriter.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(TileString *out, const char *expected) {
  assert_string_equal(tile_string_text(out), expected);
  tile_string_deinit(out);
}

static void strings(void **state) {
  (void)state;
  TileString string = {0};
  assert_string_equal(tile_string_text(&string), "");
  tile_string_append(&string, NULL, 0);
  tile_string_print(&string, "%s", "");
  for (int i = 0; i < 1000; i++)
    tile_string_print(&string, "%03d,", i);
  assert_int_equal((long)string.size_bytes, 4000);
  assert_string_equal(string.data + 3996, "999,");
  tile_string_deinit(&string);
  assert_null(string.data);
  char *empty = tile_string_take(&string);
  assert_string_equal(empty, "");
  free(empty);
}

static void quotes(void **state) {
  (void)state;
  TileString out = {0};
  static const char text[] = "a\"\\\n\t\x7f\xc3\xa4\xff\xe0\x80\x80z";
  tile_json_quote(&out, text, sizeof text - 1);
  expect_text(&out, "\"a\\\"\\\\\\n\\u0009\\u007f\xc3\xa4\\ufffd\\ufffd\\ufffd"
                    "\\ufffdz\"");
}

// An object of all kinds of values with an array inside.
static void print_values(TileJson *json) {
  tile_json_open(json, NULL, '{');
  tile_json_print_number(json, "n", UINT64_MAX);
  tile_json_print_int(json, "i", INT64_MIN);
  tile_json_print_string(json, "s", NULL);
  tile_json_open_as(json, "a", '[', TILE_JSON_DENSE);
  tile_json_print_bool(json, NULL, true);
  tile_json_print_text(json, NULL, "{}");
  tile_json_close(json, ']');
  tile_json_open(json, "e", '[');
  tile_json_close(json, ']');
  tile_json_close(json, '}');
}

static void layouts(void **state) {
  (void)state;
  TileString out = {0};
  print_values(&(TileJson){.out = &out});
  expect_text(&out, "{\n  \"n\": 18446744073709551615,\n"
                    "  \"i\": -9223372036854775808,\n  \"s\": null,\n"
                    "  \"a\": [true,{}],\n  \"e\": []\n}\n");
  print_values(&(TileJson){.out = &out, .layout = TILE_JSON_ROW});
  expect_text(&out, "{\"n\": 18446744073709551615, \"i\": "
                    "-9223372036854775808, \"s\": null, \"a\": [true,{}], "
                    "\"e\": []}");
  print_values(&(TileJson){.out = &out, .layout = TILE_JSON_DENSE});
  expect_text(&out, "{\"n\":18446744073709551615,\"i\":-9223372036854775808,"
                    "\"s\":null,\"a\":[true,{}],\"e\":[]}");
}

// Lines of a row are counted from the line that the row begins on.
static void breaks(void **state) {
  (void)state;
  TileString out = {0};
  TileJson json = {.out = &out};
  tile_json_open(&json, NULL, '{');
  tile_json_open_as(&json, "rows", '[', TILE_JSON_ROW);
  for (int i = 0; i < 2; i++) {
    tile_json_break(&json);
    tile_json_open(&json, NULL, '{');
    tile_json_print_int(&json, "x", i);
    tile_json_open(&json, "y", '[');
    tile_json_break(&json);
    tile_json_print_int(&json, NULL, 7);
    tile_json_close(&json, ']');
    tile_json_close(&json, '}');
  }
  tile_json_close(&json, ']');
  tile_json_close(&json, '}');
  expect_text(&out, "{\n  \"rows\": [\n    {\"x\": 0, \"y\": [\n      7]},\n"
                    "    {\"x\": 1, \"y\": [\n      7]}]\n}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strings),
      cmocka_unit_test(quotes),
      cmocka_unit_test(layouts),
      cmocka_unit_test(breaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

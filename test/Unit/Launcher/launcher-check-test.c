//===- launcher-check-test.c - Arguments against a host function ----------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/Launcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===-- Arguments against a host function ---------------------------------===//

static const char function_text[] =
    "{\"format\": \"tile-host-1\", \"function\": \"f\", \"ptx\": \"f.ptx\","
    " \"args\": [{\"name\": \"A\", \"kind\": \"memref\", \"dtype\": \"f32\","
    " \"shape\": [-1, 8], \"strides\": [-1, 1], \"offset\": 0, \"mutable\":"
    " false}, {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"i32\"},"
    " {\"name\": \"C\", \"kind\": \"memref\", \"dtype\": \"f32\", \"shape\":"
    " [-1], \"strides\": [-1], \"offset\": -1, \"mutable\": true}],"
    " \"may_alias\": %s, \"values\": [], \"launches\": []}";

static TileHostFunction *make_function(bool may_alias) {
  char text[1024];
  snprintf(text, sizeof text, function_text, may_alias ? "true" : "false");
  TileHostFunction *function = NULL;
  TileStatus status =
      tile_host_function_parse(text, strlen(text), "f.json", &function);
  if (!tile_status_is_ok(&status))
    fail_msg("%s", status.message);
  return function;
}

static void set_good_args(TileArg *args) {
  args[0] = (TileArg){.dtype = TILE_DTYPE_F32,
                      .rank = 2,
                      .shape = {4, 8},
                      .strides = {10, 1},
                      .address = 0x1000}; // 38 elements: ends at 0x1098
  args[1] = (TileArg){.is_scalar = true, .scalar = {TILE_DTYPE_I32, 5, 0}};
  args[2] = (TileArg){.dtype = TILE_DTYPE_F32,
                      .rank = 1,
                      .shape = {3},
                      .strides = {2},
                      .offset = 1,
                      .address = 0x1098};
}

static void expect_message(TileHostFunction *function, const TileArg *args,
                           size_t num_args, const char *message) {
  TileStatus status = tile_host_function_check_args(function, args, num_args);
  assert_string_equal(status.message, message);
  assert_int_equal(status.code,
                   *message ? TILE_STATUS_USER_ERROR : TILE_STATUS_OK);
}

static void test_bad_args(void **state) {
  (void)state;
  TileHostFunction *function = make_function(false);
  TileArg args[3];
  set_good_args(args);
  expect_message(function, args, 3, "");
  expect_message(function, args, 2, "f: expected 3 arguments, got 2");
  assert_string_equal(tile_host_function_param(function, 2)->name, "C");
  assert_null(tile_host_function_param(function, 3));

  args[0].is_scalar = true;
  expect_message(function, args, 3,
                 "f: argument 0 ('A'): expected a tensor, got a scalar");
  set_good_args(args);
  args[1].scalar.dtype = TILE_DTYPE_I64;
  expect_message(function, args, 3,
                 "f: argument 1 ('n'): expected type i32, got i64");
  set_good_args(args);
  args[0].dtype = TILE_DTYPE_F16;
  expect_message(function, args, 3,
                 "f: argument 0 ('A'): expected element type f32, got f16");
  set_good_args(args);
  args[2].rank = 2;
  expect_message(function, args, 3,
                 "f: argument 2 ('C'): expected rank 1, got 2");
  set_good_args(args);
  args[0].shape[1] = 7;
  expect_message(function, args, 3,
                 "f: argument 0 ('A'): expected extent 1 to be 8, got 7");
  set_good_args(args);
  args[0].strides[1] = 2;
  expect_message(function, args, 3,
                 "f: argument 0 ('A'): expected stride 1 to be 1, got 2");
  set_good_args(args);
  args[0].offset = 4;
  expect_message(function, args, 3,
                 "f: argument 0 ('A'): expected offset 0, got 4");
  set_good_args(args);
  args[2].address += 2;
  expect_message(function, args, 3,
                 "f: argument 2 ('C'): expected an address that is a multiple "
                 "of 4 bytes, got 0x109a");
  set_good_args(args);
  args[2].shape[0] = TILE_LAUNCH_MAX_EXTENT;
  expect_message(function, args, 3, "");
  args[2].shape[0]++;
  expect_message(function, args, 3,
                 "f: argument 2 ('C'): expected extent 0 to be at most "
                 "2147418112, got 2147418113");
  tile_host_function_destroy(function);
}

static void test_overlap(void **state) {
  (void)state;
  static const char message[] =
      "f: argument 2 ('C'): expected memory of its own because it is written, "
      "got memory that overlaps argument 0 ('A')";
  TileHostFunction *strict = make_function(false);
  TileHostFunction *lenient = make_function(true);
  TileArg args[3];
  set_good_args(args);
  args[2].address -= 4; // the last element of A
  expect_message(strict, args, 3, message);
  expect_message(lenient, args, 3, "");
  args[2].address = 0x1000 - 5 * 4; // elements 0, 2, 4 end where A starts
  expect_message(strict, args, 3, "");
  args[2].address += 4;
  expect_message(strict, args, 3, message);
  args[2].shape[0] = 0; // nothing overlaps nothing
  expect_message(strict, args, 3, "");
  tile_host_function_destroy(strict);
  tile_host_function_destroy(lenient);
}

// A stride that no address depends on may be any, as in NumPy.
static void test_unused_strides(void **state) {
  (void)state;
  TileHostFunction *function = make_function(false);
  TileArg args[3];
  set_good_args(args);
  args[0].shape[0] = 0;
  args[0].strides[1] = 99;
  expect_message(function, args, 3, "");
  tile_host_function_destroy(function);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_args),
      cmocka_unit_test(test_overlap),
      cmocka_unit_test(test_unused_strides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

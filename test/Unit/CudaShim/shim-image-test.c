//===- shim-image-test.c - The LZ4 decoder on hostile input ---------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "CudaShim/Shim.h"

#include <string.h>

static bool decode(const char *source, size_t source_bytes, char *target,
                   size_t target_bytes) {
  return tile_shim_lz4_decode((const uint8_t *)source, source_bytes,
                              (uint8_t *)target, target_bytes);
}

static void literals_and_matches(void **state) {
  (void)state;
  char out[64];
  // "ab", then 6 bytes from 2 back, then "c".
  assert_true(decode("\x22"
                     "ab\x02\x00\x10"
                     "c",
                     7, out, 9));
  assert_memory_equal(out, "ababababc", 9);
  // A long run of literals: 15 + 5.
  assert_true(decode("\xf0\x05"
                     "01234567890123456789",
                     22, out, 20));
  assert_memory_equal(out, "01234567890123456789", 20);
}

static void damaged(void **state) {
  (void)state;
  char out[64];
  assert_false(decode("\x22"
                      "ab\x03\x00\x10"
                      "c",
                      7, out, 9)); // before the start
  assert_false(decode("\x22"
                      "ab\x00\x00\x10"
                      "c",
                      7, out, 9)); // offset 0
  assert_false(decode("\x22"
                      "ab\x02\x00\x10"
                      "c",
                      7, out, 8)); // too long
  assert_false(decode("\x22"
                      "ab\x02\x00\x10"
                      "c",
                      7, out, 10)); // too short
  assert_false(decode("\x50"
                      "ab",
                      3, out, 5));                  // literals end early
  assert_false(decode("\xf0\xff\xff", 3, out, 64)); // a length ends early
  assert_false(decode("\x20"
                      "ab\x01",
                      4, out, 9)); // an offset ends early
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(literals_and_matches),
      cmocka_unit_test(damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

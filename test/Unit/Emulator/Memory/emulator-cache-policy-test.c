//===- emulator-cache-policy-test.c - Accesses with an L2 policy ----------===//
//
// A policy changes no value, but the forms that ptxas refuses are refused.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

/// `g` is the buffer, `s` shared memory, `c` a policy.
#define POLICY_BODY(text)                                                      \
  ".entry k(.param .u64 p) { .reg .b64 g, c, d<4>; .reg .b32 w<8>, s, n; "     \
  ".reg .b16 h; .reg .f32 f; .shared .align 16 .b8 buffer[64];\n"              \
  "ld.param.u64 g, [p]; mov.u32 s, buffer; mov.u32 n, 4;\n"                    \
  "createpolicy.fractional.L2::evict_first.b64 c, 1.0;\n" text "}"
#define POLICY_KERNEL(text) HARNESS_HEADER POLICY_BODY(text)

static void policies_change_nothing(void **state) {
  (void)state;
  uint32_t words[16] = {11, 22, 33, 44, 55, 66, 77, 88};
  HarnessRun run = {
      .ptx = POLICY_KERNEL(
          "ld.global.L2::cache_hint.v4.b32 {w0, w1, w2, w3}, [g], c;\n"
          "ld.global.nc.L1::evict_last.L2::cache_hint.L2::128B.b32 w4, [g+16], "
          "c;\n"
          "ld.relaxed.gpu.global.L2::cache_hint.b32 w5, [g+20], c;\n"
          "cp.async.ca.shared.global.L2::cache_hint [s], [g+24], 8, c;\n"
          "cp.async.cg.shared.global.L2::cache_hint [s+16], [g+16], 16, n, c;\n"
          "cp.async.wait_all;\n"
          "ld.shared.b32 w6, [s+4]; ld.shared.b32 w7, [s+20];\n"
          "st.global.L2::cache_hint.b32 [g+32], w3, c;\n"
          "st.L1::no_allocate.L2::cache_hint.v2.b32 [g+40], {w4, w5}, c;\n"
          "st.global.L2::cache_hint.v2.b32 [g+48], {w6, w7}, "
          "0x12F0000000000000;\n"
          "red.global.L2::cache_hint.add.u32 [g], 1, c;\n"
          "atom.global.L2::cache_hint.cas.b32 w0, [g+4], 22, 5, c;\n"
          "st.global.b32 [g+36], w0;"),
      .block = 1,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){words, sizeof words, "words"};
  harness_run_clean(&run);
  static const uint32_t expected[16] = {12, 5,  33, 44, 55, 66, 77,
                                        88, 44, 22, 55, 66, 88, 0};
  assert_memory_equal(words, expected, sizeof words);
}

static void malformed_policies(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *message;
  } rows[] = {
      {POLICY_KERNEL("ld.global.L2::cache_hint.b32 w0, [g];"),
       ".L2::cache_hint without a cache policy"},
      {POLICY_KERNEL("ld.global.b32 w0, [g], c;"),
       "a cache policy without .L2::cache_hint"},
      {POLICY_KERNEL("st.global.b32 [g], w0, c;"),
       "a cache policy without .L2::cache_hint"},
      {POLICY_KERNEL("st.shared.L2::cache_hint.b32 [s], w0, c;"),
       ".L2::cache_hint is for global memory"},
      {POLICY_KERNEL("ld.volatile.global.L2::cache_hint.b32 w0, [g], c;"),
       ".L2::cache_hint excludes .volatile"},
      {POLICY_KERNEL("ld.global.L2::cache_hint.b32 w0, [g], n;"),
       ".L2::cache_hint takes a cache policy of 64 bits as last operand"},
      {POLICY_KERNEL("cp.async.cg.shared.global [s], [g], 16, n, c;"),
       "a cache policy without .L2::cache_hint"},
      {POLICY_KERNEL("cp.async.cg.shared.global.L2::cache_hint [s], [g], 16;"),
       ".L2::cache_hint without a cache policy"},
      {POLICY_KERNEL("red.global.add.u32 [g], w0, c;"),
       "a cache policy without .L2::cache_hint"},
      {POLICY_KERNEL("atom.global.L2::cache_hint.add.u32 w0, [g], w1;"),
       ".L2::cache_hint without a cache policy"},
      {POLICY_KERNEL("cp.async.bulk.global.shared::cta.bulk_group [g], [s], "
                     "16, c;"),
       "a cache policy without .L2::cache_hint"},
      {POLICY_KERNEL("ld.global.L2::evict_last.b32 w0, [g];"),
       ".L2::evict_* takes 32 bytes"},
      {".version 7.4\n.target sm_75\n.address_size 64\n.entry k() { .reg .b64 "
       "c;"
       "createpolicy.fractional.L2::evict_last.b64 c; }",
       "createpolicy.fractional.L2::evict_last.b64: needs sm_80 or later"},
      {".version 7.4\n.target sm_75\n.address_size 64\n.entry k(.param .u64 p) "
       "{ .reg .b64 g; "
       ".reg .b32 w; ld.param.u64 g, [p]; "
       "ld.global.L2::cache_hint.b32 w, [g], g; }",
       ".L2::cache_hint needs sm_80 or later as .target"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    harness_parse_fails(rows[i].ptx, rows[i].message);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(policies_change_nothing),
    cmocka_unit_test(malformed_policies),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

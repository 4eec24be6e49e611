//===- emulator-atomic-bytes-test.c - Updates of a part of a word ---------===//
//
// Bytes are updated by compare-and-swap of the word that holds them, or by red
// with an operand that is neutral in its other bytes. The others are nobody's
// business; the bytes that change are checked as ever.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

enum { WORD_BYTES = 4 };

/// `text` runs in every thread: `t` is the thread, `g` the buffer, `s` shared
/// memory of 8 bytes that nobody wrote.
#define BYTES_KERNEL(text)                                                     \
  HARNESS_HEADER ".entry k(.param .u64 c) { .reg .b64 g; .reg .pred p, q; "    \
                 ".reg .b32 t, s, old, new, got; .reg .b16 h<4>; "             \
                 ".shared .align 4 .b8 bytes[8];\n"                            \
                 "ld.param.u64 g, [c]; mov.u32 t, %tid.x; mov.u32 s, bytes;\n" \
                 "setp.eq.u32 p, t, 0; " text "}"

/// The loop that compilers make of an update of a byte.
#define SWAP_LOOP(space, pointer)                                              \
  "mov.u32 old, 0;\n"                                                          \
  "AGAIN: add.u32 new, old, 256; and.b32 new, new, 0xff00; "                   \
  "and.b32 got, old, 0xffff00ff; or.b32 new, new, got;\n"                      \
  "atom." space ".cas.b32 got, [" pointer "], old, new;\n"                     \
  "setp.ne.u32 q, got, old; mov.u32 old, got; @q bra AGAIN;\n"

static HarnessRun run_of(const char *ptx, uint8_t *bytes, size_t size_bytes) {
  HarnessRun run = {.ptx = ptx, .block = 64, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){bytes, size_bytes, "bytes"};
  return run;
}

static void bytes_beside_others(void **state) {
  (void)state;
  // A word whose byte 0 thread 0 stores to, of a buffer of 2 bytes.
  static const char stored[] =
      BYTES_KERNEL("mov.u16 h0, 7; @p st.global.u8 [g], h0;\n" //
                   SWAP_LOOP("global", "g"));
  uint8_t bytes[2] = {1, 200};
  HarnessRun run = run_of(stored, bytes, sizeof bytes);
  harness_run_clean(&run);
  assert_int_equal(bytes[0], 7);
  assert_int_equal(bytes[1], (200 + 64) % 256);
}

static void shared_bytes_beside_others(void **state) {
  (void)state;
  // Byte 0 is stored to without a barrier; bytes 2 and 3 were never written.
  static const char stored[] = BYTES_KERNEL(
      "mov.u16 h0, 7; @p st.shared.u8 [s+1], h0; bar.sync 0;\n"
      "@p st.shared.u8 [s], h0;\n" SWAP_LOOP(
          "shared", "s") "bar.sync 0;\n"
                         "ld.shared.u8 h1, [s+1]; @p st.global.u8 [g], h1;");
  uint8_t bytes[1] = {0};
  HarnessRun run = run_of(stored, bytes, sizeof bytes);
  harness_run_clean(&run);
  assert_int_equal(bytes[0], 7 + 64);
}

static void bits_beside_others(void **state) {
  (void)state;
  static const char combined[] =
      BYTES_KERNEL("mov.u16 h0, 7; @p st.global.u8 [g], h0;\n"
                   "red.global.or.b32 [g], 0x1000; "
                   "red.global.and.b32 [g], 0xffffdfff; "
                   "red.global.xor.b32 [g], 0; red.global.or.b32 [g], 0;");
  uint8_t bytes[2] = {1, 0x2f};
  HarnessRun run = run_of(combined, bytes, sizeof bytes);
  harness_run_clean(&run);
  assert_int_equal(bytes[0], 7);
  assert_int_equal(bytes[1], 0x1f);
}

static void changed_bytes_race(void **state) {
  (void)state;
  uint8_t bytes[WORD_BYTES] = {0};
  HarnessRun run =
      run_of(BYTES_KERNEL("mov.u16 h0, 7; @p st.global.u8 [g+1], h0;\n" //
                          SWAP_LOOP("global", "g")),
             bytes, sizeof bytes);
  harness_run_finds(&run, "data-race", "bytes+1");
  run.ptx = BYTES_KERNEL("mov.u16 h0, 7; @p st.shared.u8 [s+1], h0;\n" //
                         SWAP_LOOP("shared", "s"));
  harness_run_finds(&run, "data-race", "bytes+1");
  run.ptx = BYTES_KERNEL("mov.u16 h0, 7; @p st.global.u8 [g+2], h0;\n"
                         "red.global.or.b32 [g], 0x10000;");
  harness_run_finds(&run, "data-race", "bytes+2");
}

/// CUDA's loops around cas begin with a plain load, and say no semantics; those
/// of compilers do.
static void loops_that_say_relaxed(void **state) {
  (void)state;
  uint8_t bytes[WORD_BYTES] = {0};
  HarnessRun run =
      run_of(BYTES_KERNEL(SWAP_LOOP("shared", "s") "ld.shared.u8 h1, [s+1]; "
                                                   "@p st.global.u8 [g], h1;"),
             bytes, sizeof bytes);
  harness_run_clean(&run);
  run.ptx = BYTES_KERNEL(SWAP_LOOP("relaxed.cta.shared", "s") //
                         "ld.shared.u8 h1, [s+1]; @p st.global.u8 [g], h1;");
  harness_run_finds(&run, "data-race", "bytes+1");
  run.ptx = BYTES_KERNEL(SWAP_LOOP("relaxed.gpu.global", "g") //
                         "ld.global.u8 h1, [g+1]; @p st.global.u8 [g], h1;");
  harness_run_finds(&run, "data-race", "bytes+1");
}

static void changed_bytes_exist(void **state) {
  (void)state;
  uint8_t bytes[1] = {0};
  HarnessRun run = run_of(BYTES_KERNEL(SWAP_LOOP("global", "g") "ret;"), bytes,
                          sizeof bytes);
  harness_run_finds(&run, "out-of-bounds", "bytes+1");
  run.ptx = BYTES_KERNEL("red.global.xor.b32 [g], 0xff00;");
  harness_run_finds(&run, "out-of-bounds", "bytes+1");
  run.ptx = BYTES_KERNEL("red.global.or.b32 [g+4], 0;");
  harness_run_finds(&run, "out-of-bounds", "bytes+4");
}

/// What gives back all of the word and changes none of it reads all of it.
static void loads_read_all_bytes(void **state) {
  (void)state;
  uint8_t bytes[WORD_BYTES] = {0};
  HarnessRun run =
      run_of(BYTES_KERNEL("mov.u16 h0, 7; @p st.global.u8 [g+3], h0;\n"
                          "atom.global.cas.b32 got, [g], 5, 5;"),
             bytes, sizeof bytes);
  harness_run_finds(&run, "data-race", "bytes+3");
  run.ptx = BYTES_KERNEL("mov.u16 h0, 7; @p st.global.u8 [g+3], h0;\n"
                         "atom.global.or.b32 got, [g], 1;");
  harness_run_finds(&run, "data-race", "bytes+3");
  run.args[0].buffer.size_bytes = 3;
  harness_run_finds(&run, "out-of-bounds", "bytes");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_beside_others),
    cmocka_unit_test(shared_bytes_beside_others),
    cmocka_unit_test(bits_beside_others),
    cmocka_unit_test(changed_bytes_race),
    cmocka_unit_test(loops_that_say_relaxed),
    cmocka_unit_test(changed_bytes_exist),
    cmocka_unit_test(loads_read_all_bytes),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

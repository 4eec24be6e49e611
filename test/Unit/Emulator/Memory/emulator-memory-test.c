//===- emulator-memory-test.c - Loads, stores, atomics, their checks ------===//

#include "emulator-harness.h"

enum { N = 32 };

static void fill_random(void *data, size_t size_bytes, uint32_t seed) {
  uint8_t *bytes = data;
  for (size_t i = 0; i < size_bytes; i++)
    bytes[i] = (uint8_t)harness_random(&seed);
}

/// A kernel with pointers `in` and `out`, tid and tid * 16 at hand.
#define KERNEL(decls, body)                                                    \
  HARNESS_HEADER decls ".entry k(.param .u64 in, .param .u64 out) {\n"         \
                       ".reg .b64 from, to, r<16>; .reg .b32 tid, off, "       \
                       "w<16>; .reg .b16 h<8>;\n"                              \
                       ".reg .f32 f<8>; .reg .pred p, q;\n"                    \
                       "ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"    \
                       "mov.u32 tid, %tid.x; shl.b32 off, tid, 4;\n"           \
                       "cvt.u64.u32 r0, off; add.u64 from, from, r0; add.u64 " \
                       "to, to, r0;\n" body "\nret; }\n"

static uint8_t in[16 * N], out[16 * N];

static HarnessRun two_buffers(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .num_args = 2};
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  return run;
}

static void run_clean(const char *ptx) {
  fill_random(in, sizeof in, 42);
  memset(out, 0, sizeof out);
  HarnessRun run = two_buffers(ptx);
  harness_run_clean(&run);
}

static void run_finds(const char *ptx, const char *kind, const char *text) {
  HarnessRun run = two_buffers(ptx);
  harness_run_finds(&run, kind, text);
}

//===-- ld, st ------------------------------------------------------------===//

static void copies_of_all_sizes(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "ld.global.v4.b32 {w0, w1, w2, w3}, [from]; "
      "st.global.v4.b32 [to], {w0, w1, w2, w3};",
      "ld.global.v2.u64 {r1, r2}, [from]; st.global.v2.u64 [to], {r1, r2};",
      "ld.global.nc.u64 r1, [from]; ld.global.u64 r2, [from+8]; "
      "st.global.u64 [to], r1; st.global.u64 [to+8], r2;",
      "ld.global.v4.u16 {h0, h1, h2, h3}, [from]; "
      "st.global.v4.u16 [to], {h0, h1, h2, h3}; "
      "ld.volatile.global.v2.b32 {w0, w1}, [from+8]; "
      "st.global.v2.b32 [to+8], {w0, w1};",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    char ptx[2000];
    snprintf(ptx, sizeof ptx, "%s%s%s",
             HARNESS_HEADER
             ".entry k(.param .u64 in, .param .u64 out) {\n"
             ".reg .b64 from, to, r<16>; .reg .b32 w<16>; .reg .b16 h<8>;\n"
             "ld.param.u64 from, [in]; ld.param.u64 to, [out];\n"
             "mov.u32 w0, %tid.x; mul.wide.u32 r0, w0, 16;\n"
             "add.u64 from, from, r0; add.u64 to, to, r0;\n",
             bodies[i], "ret; }\n");
    run_clean(ptx);
    assert_memory_equal(in, out, sizeof in);
  }
}

static void loads_extend_and_stores_cut(void **state) {
  (void)state;
  run_clean(KERNEL("", "ld.global.s8 w1, [from]; st.global.u32 [to], w1; "
                       "ld.global.u8 h1, [from]; st.global.u16 [to+4], h1; "
                       "ld.global.s16 r1, [from]; st.global.u8 [to+6], r1; "
                       "st.global.u64 [to+8], r1;"));
  for (int i = 0; i < N; i++) {
    int32_t word;
    int16_t half;
    int64_t wide;
    memcpy(&word, out + 16 * i, 4);
    memcpy(&half, out + 16 * i + 4, 2);
    memcpy(&wide, out + 16 * i + 8, 8);
    int16_t from;
    memcpy(&from, in + 16 * i, 2);
    assert_int_equal(word, (int8_t)in[16 * i]);
    assert_int_equal(half, in[16 * i]);
    assert_int_equal(wide, from);
    assert_int_equal(out[16 * i + 6], in[16 * i]);
    assert_int_equal(out[16 * i + 7], 0);
  }
}

/// Through shared memory with 32-bit addresses, then with generic ones.
static void shared_and_generic(void **state) {
  (void)state;
  run_clean(KERNEL(
      "", ".shared .align 16 .b8 buffer[512]; "
          "ld.global.v4.b32 {w0, w1, w2, w3}, [from]; "
          "mov.u32 w4, buffer; add.u32 w4, w4, off; "
          "st.shared.v4.b32 [w4], {w0, w1, w2, w3}; bar.sync 0; "
          "mov.u64 r1, buffer; cvta.shared.u64 r1, r1; cvt.u64.u32 r2, off; "
          "add.u64 r1, r1, r2; isspacep.shared p, r1; isspacep.global q, r1; "
          "@q trap; @!p trap; ld.v4.b32 {w5, w6, w7, w8}, [r1]; "
          "st.v4.b32 [to], {w5, w6, w7, w8};"));
  assert_memory_equal(in, out, sizeof in);
}

static void local_arrays(void **state) {
  (void)state;
  run_clean(KERNEL("", ".local .align 8 .b8 array[32]; .reg .b64 base; "
                       "mov.u64 base, array; add.u64 r1, base, 8; "
                       "ld.global.u64 r2, [from]; st.local.u64 [r1], r2; "
                       "cvta.local.u64 r3, r1; ld.u64 r4, [r3]; "
                       "st.global.u64 [to], r4; ld.global.u64 r5, [from+8]; "
                       "st.local.u64 [array+24], r5; "
                       "ld.local.u64 r6, [base+24]; "
                       "st.global.u64 [to+8], r6;"));
  assert_memory_equal(in, out, sizeof in);
}

static void variables_with_values(void **state) {
  (void)state;
  run_clean(KERNEL(".global .align 4 .u32 table[4] = {10, 0x20, 30, 40};\n"
                   ".const .align 4 .f32 half = 0f3F000000;\n"
                   ".global .u64 pointer = generic(table)+8;\n",
                   "ld.global.u32 w0, [table+4]; st.global.u32 [to], w0; "
                   "ld.const.f32 f0, [half]; st.global.f32 [to+4], f0; "
                   "ld.global.u64 r1, [pointer]; ld.global.u32 w1, [r1]; "
                   "st.global.u32 [to+8], w1;"));
  uint32_t words[3];
  memcpy(words, out, sizeof words);
  assert_int_equal(words[0], 0x20);
  assert_int_equal(words[1], harness_bits(0.5f));
  assert_int_equal(words[2], 30);
}

//===-- Atomics -----------------------------------------------------------===//

static void atomics_of_all_lanes(void **state) {
  (void)state;
  uint32_t counters[8] = {0, 1000, 0, 0, 0xffffffff, 0, 7, 0};
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 c) { .reg .b64 at; .reg .b32 tid, w<9>; "
      ".reg .f32 f; ld.param.u64 at, [c]; mov.u32 tid, %tid.x; "
      "atom.global.add.u32 w0, [at], 2; "
      "atom.min.u32 w1, [at+4], tid; red.global.max.s32 [at+8], tid; "
      "shl.b32 w2, 1, tid; red.or.b32 [at+12], w2; "
      "not.b32 w2, w2; red.and.b32 [at+16], w2; "
      "red.add.f32 [at+20], 0f3E800000; "
      "atom.inc.u32 w3, [at+24], 9; red.xor.b32 [at+28], w2; }",
      .block = 32,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){counters, sizeof counters, "counters"};
  harness_run_clean(&run);
  assert_int_equal(counters[0], 64);
  assert_int_equal(counters[1], 0);
  assert_int_equal(counters[2], 31);
  assert_int_equal(counters[3], 0xffffffff);
  assert_int_equal(counters[4], 0);
  assert_int_equal(counters[5], harness_bits(8.0f));
  assert_int_equal(counters[6], (7 + 32) % 10);
  assert_int_equal(counters[7], 0xffffffff);
}

static void compare_and_swap_loop(void **state) {
  (void)state;
  uint32_t value = 5;
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 c) { .reg .b64 at; .reg .b32 old, new, got; "
      ".reg .pred p; ld.param.u64 at, [c]; ld.global.u32 old, [at];\n"
      "AGAIN: add.u32 new, old, 3; atom.cas.b32 got, [at], old, new;\n"
      "setp.eq.u32 p, got, old; @p ret; mov.u32 old, got; bra AGAIN; }",
      .block = 128,
      .num_args = 1};
  run.grid[0] = 2;
  run.args[0].buffer = (HarnessBuffer){&value, sizeof value, "value"};
  harness_run_clean(&run);
  assert_int_equal(value, 5 + 3 * 256);
  // By the letter the first load races with the updates.
  tile_emu_options_init(&run.options);
  run.options.pedantic = true;
  harness_run_finds(&run, "data-race(pedantic)", "atomic update");
}

static void shared_atomics_initialise(void **state) {
  (void)state;
  uint32_t result = 0;
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 c) { .shared .u32 s; .reg .b64 at; "
      ".reg .b32 w<4>; .reg .pred p; mov.u32 w0, %tid.x; "
      "setp.ne.u32 p, w0, 0; @p bra SKIP; st.shared.u32 [s], 1;\n"
      "SKIP: bar.sync 0; atom.shared.add.u32 w1, [s], w0; bar.sync 0; "
      "@p ret; ld.shared.u32 w2, [s]; ld.param.u64 at, [c]; "
      "st.global.u32 [at], w2; }",
      .block = 64,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){&result, sizeof result, "result"};
  harness_run_clean(&run);
  assert_int_equal(result, 1 + 63 * 64 / 2);
}

//===-- ldmatrix, stmatrix ------------------------------------------------===//

/// Element (row, column) of matrix m in a buffer of 16-byte rows.
static uint16_t elem(const uint8_t *memory, int m, int row, int column) {
  uint16_t value;
  memcpy(&value, memory + 128 * m + 16 * row + 2 * column, 2);
  return value;
}

static void ldmatrix_layout(void **state) {
  (void)state;
  for (int transposed = 0; transposed < 2; transposed++) {
    char ptx[2000];
    snprintf(ptx, sizeof ptx, "%s%s%s",
             HARNESS_HEADER
             ".entry k(.param .u64 in, .param .u64 out) {\n"
             ".shared .align 16 .b8 s[512]; .reg .b64 from, to, r0;\n"
             ".reg .b32 off, w<8>; ld.param.u64 from, [in];\n"
             "ld.param.u64 to, [out]; mov.u32 off, %tid.x;\n"
             "shl.b32 off, off, 4; cvt.u64.u32 r0, off;\n"
             "add.u64 from, from, r0; add.u64 to, to, r0;\n"
             "ld.global.v4.b32 {w0, w1, w2, w3}, [from];\n"
             "mov.u32 w4, s; add.u32 w4, w4, off;\n"
             "st.shared.v4.b32 [w4], {w0, w1, w2, w3}; bar.sync 0;\n",
             transposed ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                        : "ldmatrix.sync.aligned.m8n8.x4.shared.b16 ",
             "{w0, w1, w2, w3}, [w4];\n"
             "st.global.v4.b32 [to], {w0, w1, w2, w3}; }");
    run_clean(ptx);
    for (int l = 0; l < N; l++)
      for (int m = 0; m < 4; m++)
        for (int half = 0; half < 2; half++) {
          uint16_t got;
          memcpy(&got, out + 16 * l + 4 * m + 2 * half, 2);
          int row = l / 4, column = l % 4 * 2 + half;
          assert_int_equal(got, transposed ? elem(in, m, column, row)
                                           : elem(in, m, row, column));
        }
  }
}

/// Storing what was loaded gives the same memory; transposing twice too.
static void stmatrix_inverts_ldmatrix(void **state) {
  (void)state;
  run_clean(KERNEL(
      "", ".shared .align 16 .b8 s[512]; .shared .align 16 .b8 t[512]; "
          "ld.global.v4.b32 {w0, w1, w2, w3}, [from]; "
          "mov.u32 w4, s; add.u32 w4, w4, off; mov.u32 w5, t; "
          "add.u32 w5, w5, off; st.shared.v4.b32 [w4], {w0, w1, w2, w3}; "
          "bar.sync 0; ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
          "{w0, w1, w2, w3}, [w4]; "
          "movmatrix.sync.aligned.m8n8.trans.b16 w0, w0; "
          "movmatrix.sync.aligned.m8n8.trans.b16 w0, w0; "
          "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [w5], "
          "{w0, w1, w2, w3}; bar.sync 0; "
          "ld.shared.v4.b32 {w0, w1, w2, w3}, [w5]; "
          "st.global.v4.b32 [to], {w0, w1, w2, w3};"));
  assert_memory_equal(in, out, sizeof in);
}

//===-- Checks ------------------------------------------------------------===//

static void global_bounds(void **state) {
  (void)state;
  run_finds(KERNEL("", "ld.global.u32 w0, [from+512];"), "out-of-bounds",
            "at in+512 is out of bounds: it has 512 bytes");
  run_finds(KERNEL("", "st.global.u32 [to+-16], off;"), "out-of-bounds",
            "16 bytes before out");
  run_finds(KERNEL("", "mov.u64 r1, 64; ld.global.u32 w0, [r1];"),
            "out-of-bounds", "at address 0x40 is out of bounds: no allocation");
}

static void shared_bounds(void **state) {
  (void)state;
  run_finds(KERNEL("", ".shared .align 16 .b8 s[64]; mov.u32 w0, s; "
                       "st.shared.u32 [w0+64], off;"),
            "out-of-bounds", "outside of the shared memory");
  run_finds(KERNEL("", "mov.u32 w0, 0; st.shared.u32 [w0], off;"),
            "out-of-bounds", "shared address 0x0");
}

static void local_bounds(void **state) {
  (void)state;
  run_finds(KERNEL("", ".local .b32 x[4]; mov.u64 r1, x; "
                       "st.local.u32 [r1+16], off;"),
            "out-of-bounds", "16 bytes of local memory");
}

static void alignment(void **state) {
  (void)state;
  run_finds(KERNEL("", "ld.global.u32 w0, [from+2];"), "misaligned",
            "4-byte access");
  run_finds(KERNEL("", "ld.global.v4.b32 {w0, w1, w2, w3}, [from+8];"),
            "misaligned", "16-byte access");
}

#define SHARED_READ(use)                                                       \
  KERNEL("", ".shared .align 16 .b32 s[32]; ld.shared.u32 w0, [s+4]; "         \
             "mov.u32 w9, 1; setp.eq.u32 q, w9, 1; " use)

static void uninitialised_shared(void **state) {
  static const char *const uses[] = {
      SHARED_READ("st.global.u32 [to], w0;"),
      SHARED_READ("add.u32 w1, w0, 3; cvt.u64.u32 r1, w1; st.u64 [to], r1;"),
      SHARED_READ("mov.u32 w1, 4; setp.ne.u32 p, w0, 3; @p mov.u32 w1, 3; "
                  "st.global.u32 [to], w1;"),
      SHARED_READ("setp.ne.u32 p, w0, 3; @p st.global.u32 [to], w0;"),
      SHARED_READ("and.b32 w0, w0, 15; mov.u64 r1, s; cvt.u32.u64 w1, r1; "
                  "add.u32 w1, w1, w0; st.shared.u8 [w1], 1;"),
      SHARED_READ("selp.b32 w1, w0, 3, q; st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.u32 p, w0, 3; selp.b32 w1, 2, 3, p; "
                  "st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.u32 p, w0, 3; and.pred p, p, q; "
                  "selp.b32 w1, 2, 3, p; st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.and.u32 p, w0, 3, q; selp.b32 w1, 2, 3, p; "
                  "st.global.u32 [to], w1;"),
      SHARED_READ("shfl.sync.bfly.b32 w1, w0, 1, 31, -1; "
                  "st.global.u32 [to], w1;"),
      SHARED_READ("st.shared.u32 [s+64], w0; bar.warp.sync -1; "
                  "ld.shared.u32 w1, [s+64]; st.global.u32 [to], w1;"),
      SHARED_READ("ld.shared.v4.u32 {w1, w2, w3, w4}, [s+16]; "
                  "st.global.u32 [to], w3;"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
    run_finds(uses[i], "uninitialised-read",
              "which nobody has written; the "
              "value is used at ptx:");
  run_finds(uses[0], "uninitialised-read", "read of s+4 (shared 0x404)");
}

/// Merges look at the element after the last one; what they find there does
/// not matter.
static void uninitialised_and_not_used(void **state) {
  static const char *const others[] = {
      SHARED_READ(""),
      SHARED_READ("add.u32 w1, w0, 3; mov.u32 w1, 4; st.global.u32 [to], w1;"),
      SHARED_READ("selp.b32 w1, 3, w0, q; st.global.u32 [to], w1;"),
      SHARED_READ("selp.b32 w1, w0, 3, !q; st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.u32 p, w0, 3; @p bra L; L:"),
      SHARED_READ("setp.eq.u32 p, w0, 3; or.pred p, p, q; "
                  "selp.b32 w1, 2, 3, p; st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.u32 p, w0, 3; not.pred q, q; and.pred p, p, q; "
                  "selp.b32 w1, 2, 3, p; st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.or.u32 p, w0, 3, q; selp.b32 w1, 2, 3, p; "
                  "st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.u32 p, tid, 0; @p st.shared.u32 [s+64], w0;"),
      SHARED_READ("setp.eq.u32 p, tid, 0; @p st.shared.u32 [s+64], w0; "
                  "@p st.shared.u32 [s+64], 3; bar.sync 0; "
                  "ld.shared.u32 w1, [s+64]; st.global.u32 [to], w1;"),
      SHARED_READ("setp.eq.and.u32 p, w0, 3, !q; selp.b32 w1, 2, 3, p; "
                  "st.global.u32 [to], w1;"),
      SHARED_READ("bar.sync 0; setp.eq.u32 p, tid, 0; "
                  "@p st.shared.u32 [s+4], 5; bar.sync 0; "
                  "ld.shared.u32 w0, [s+4]; st.global.u32 [to], w0;"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    run_clean(others[i]);
  HarnessRun pedantic =
      two_buffers(SHARED_READ("setp.eq.u32 p, w0, 3; @p bra L; L:"));
  tile_emu_options_init(&pedantic.options);
  pedantic.options.pedantic = true;
  harness_run_finds(&pedantic, "uninitialised-read(pedantic)",
                    "the value is used at ptx:");
}

// m16n8k16: rows of A in w0 to w3, columns of B in w4 and w5. Only one lane's
// registers are undefined; D is stored by one lane.
#define PRODUCT(undefined, lane, storer)                                       \
  KERNEL("", ".shared .align 16 .b32 s[32]; mov.u32 w0, 0; mov.u32 w1, 0; "    \
             "mov.u32 w2, 0; mov.u32 w3, 0; mov.u32 w4, 0; mov.u32 w5, 0; "    \
             "setp.eq.u32 p, tid, " lane "; @p ld.shared.u32 " undefined       \
             ", [s]; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "       \
             "{f0, f1, f2, f3}, {w0, w1, w2, w3}, {w4, w5}, "                  \
             "{0f00000000, 0f00000000, 0f00000000, 0f00000000}; "              \
             "setp.eq.u32 p, tid, " storer "; @p st.global.f32 [to], f0;")

/// Tiles reach beyond the edges of matrices, where nothing was copied.
static void undefined_rows_and_columns(void **state) {
  (void)state;
  const char *kind = "uninitialised-read", *text = "is used at";
  run_finds(PRODUCT("w2", "9", "10"), kind, text); // both hold row 2
  run_clean(PRODUCT("w1", "9", "10"));             // row 10
  run_clean(PRODUCT("w2", "9", "12"));             // row 3
  run_finds(PRODUCT("w4", "9", "13"), kind, text); // column 2
  run_clean(PRODUCT("w4", "13", "13"));            // column 3
  run_clean(PRODUCT("w4", "9", "12"));             // column 0
}

// Rows 0 to 3 of an 8x8 matrix are written. Lane `storer` stores what it got.
#define ROWS(load, storer)                                                     \
  KERNEL("", ".shared .align 16 .b32 s[32]; mov.u32 w0, s; and.b32 w1, tid, "  \
             "7; shl.b32 w1, w1, 4; add.u32 w1, w1, w0; "                      \
             "setp.lt.u32 p, tid, 4; @p st.shared.v4.u32 [w1], {1, 2, 3, 4}; " \
             "bar.sync 0; " load "; setp.eq.u32 p, tid, " storer               \
             "; @p st.global.u32 [to], w2;")
#define LDMATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {w2}, [w1]"
#define LDMATRIX_TRANS                                                         \
  "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {w2}, [w1]"

#define THROUGH(trans, offset)                                                 \
  LDMATRIX "; bar.sync 0; stmatrix.sync.aligned.m8n8.x1" trans                 \
           ".shared.b16 [w1], {w2}; bar.sync 0; ld.shared.u32 w2, [s+" offset  \
           "]"

/// Each lane holds its part of a row, or of two rows when transposed.
static void undefined_rows_of_matrices(void **state) {
  (void)state;
  const char *kind = "uninitialised-read", *text = "is used at";
  run_clean(ROWS(LDMATRIX, "15"));                  // row 3
  run_finds(ROWS(LDMATRIX, "16"), kind, text);      // row 4
  run_clean(ROWS(LDMATRIX_TRANS, "29"));            // rows 2 and 3 of column 7
  run_finds(ROWS(LDMATRIX_TRANS, "2"), kind, text); // rows 4 and 5
  // Through shared memory: register w2 of lanes 16 to 31 is undefined.
  run_clean(ROWS(THROUGH("", "60"), "0"));
  run_finds(ROWS(THROUGH("", "64"), "0"), kind, text);
  // Row 2 of the transposed matrix: elements 0 to 3 are of rows 0 to 3.
  run_clean(ROWS(THROUGH(".trans", "36"), "0"));
  run_finds(ROWS(THROUGH(".trans", "40"), "0"), kind, text);
}

// Lane 9 has an undefined register.
#define SHUFFLE(shuffle, storer)                                               \
  KERNEL("", ".shared .align 16 .b32 s[32]; mov.u32 w0, 1; "                   \
             "setp.eq.u32 p, tid, 9; @p ld.shared.u32 w0, [s]; " shuffle       \
             "; setp.eq.u32 p, tid, " storer "; @p st.global.u32 [to], w1;")

static void undefined_lanes_of_shuffles(void **state) {
  (void)state;
  const char *kind = "uninitialised-read", *text = "is used at";
  run_finds(SHUFFLE("shfl.sync.bfly.b32 w1, w0, 1, 31, -1", "8"), kind, text);
  run_clean(SHUFFLE("shfl.sync.bfly.b32 w1, w0, 1, 31, -1", "9"));
  run_clean(SHUFFLE("shfl.sync.bfly.b32 w1, w0, 1, 31, -1", "4"));
  run_finds(SHUFFLE("shfl.sync.idx.b32 w1, w0, 9, 31, -1", "4"), kind, text);
  run_clean(SHUFFLE("shfl.sync.idx.b32 w1, w0, 8, 31, -1", "9"));
  run_clean(
      SHUFFLE("shfl.sync.bfly.b32 w0, w0, 1, 31, -1; mov.u32 w1, w0", "9"));
  // The lane to read from is undefined.
  run_finds(
      SHUFFLE("and.b32 w0, w0, 15; shfl.sync.idx.b32 w1, tid, w0, 31, -1", "9"),
      kind, text);
  run_clean(SHUFFLE("and.b32 w0, w0, 15; shfl.sync.idx.b32 w1, tid, w0, 31, -1",
                    "8"));
}

//===-- Races with values that nobody uses --------------------------------===//

// All threads write and read a word; then thread 0 writes it again.
#define PREFETCH(read, after)                                                  \
  KERNEL("", ".shared .align 16 .b32 s[128]; mov.u32 w0, s; mad.lo.u32 w0, "   \
             "tid, 4, w0; st.shared.u32 [w0], tid; bar.sync 0; " read          \
             "\nsetp.eq.u32 p, tid, 0; @p st.shared.u32 [s+4], 9; " after)

/// Whoever comes first: a race with a read is reported when the value is used.
static void races_with_dead_reads(void **state) {
  (void)state;
  static const char *const dead[] = {
      PREFETCH("ld.shared.u32 w1, [s+4];", ""),
      PREFETCH("ld.shared.u32 w1, [s+4]; mov.u32 w1, 5;",
               "st.global.u32 [to], w1;"),
      PREFETCH("ld.shared.u32 w1, [s+4];", "mov.u32 w1, 5; st.global.u32 "
                                           "[to], w1;"),
      PREFETCH("mov.u32 w2, 2; L: ld.shared.u32 w1, [s+4]; sub.u32 w2, w2, 1; "
               "setp.ne.u32 p, w2, 0; @p bra L;",
               ""),
      PREFETCH("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {w1}, [s];", ""),
      // The write comes first.
      PREFETCH("", "setp.eq.u32 q, tid, 5; @q ld.shared.u32 "
                   "w1, [s+4];"),
      PREFETCH("", "setp.eq.u32 q, tid, 5; @q ld.shared.u32 "
                   "w1, [s+4]; @!q mov.u32 w1, 0; selp.b32 w1, w1, 3, !q; "
                   "mov.u32 w2, 3; "
                   "selp.b32 w1, w2, w1, q; st.global.u32 [to], w1;"),
      KERNEL("", "setp.lt.u32 q, tid, 16; @q ld.global.u32 w1, [to+64]; "
                 "st.global.u32 [to], tid;"),
  };
  static const char *const used[] = {
      PREFETCH("ld.shared.u32 w1, [s+4]; add.u32 w2, w1, 1;", ""),
      PREFETCH("ld.shared.u32 w1, [s+4];", "st.global.u32 [to], w1;"),
      PREFETCH("ld.shared.u32 w1, [s+4];",
               "add.u32 w2, w1, 1; st.global.u32 [to], w2;"),
      PREFETCH("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {w1}, [s];",
               "st.global.u32 [to], w1;"),
      PREFETCH("mov.u32 w2, 2; L: ld.shared.u32 w1, [s+4]; add.u32 w3, w1, 1; "
               "sub.u32 w2, w2, 1; setp.ne.u32 p, w2, 0; @p bra L;",
               ""),
      PREFETCH("", "setp.eq.u32 q, tid, 5; @q ld.shared.u32 "
                   "w1, [s+4]; @q st.global.u32 [to], w1;"),
      PREFETCH("", "ld.shared.u32 w1, [s+4]; setp.eq.u32 q, "
                   "w1, 3; @q bra L; L:"),
      KERNEL("", "setp.lt.u32 q, tid, 16; @q ld.global.u32 w1, [to+64]; "
                 "@q add.u32 w2, w1, 1; "
                 "st.global.u32 [to], tid;"),
  };
  for (size_t i = 0; i < sizeof dead / sizeof dead[0]; i++) {
    HarnessRun run = two_buffers(dead[i]);
    harness_run_clean(&run);
    memset(out, 0, sizeof out); // what is there already races with nobody
    HarnessRun pedantic = two_buffers(dead[i]);
    tile_emu_options_init(&pedantic.options);
    pedantic.options.pedantic = true;
    harness_run_finds(&pedantic, "data-race(pedantic)",
                      "is not ordered after the ");
  }
  for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
    memset(out, 0, sizeof out);
    HarnessRun run = two_buffers(used[i]);
    harness_run_finds(&run, "data-race", "is not ordered after the ");
  }
}

/// Memory that nobody wrote, and nobody uses: for the pedantic, too.
static void dead_reads_of_nothing(void **state) {
  (void)state;
  HarnessRun run = two_buffers(SHARED_READ(""));
  harness_run_clean(&run);
  tile_emu_options_init(&run.options);
  run.options.pedantic = true;
  harness_run_finds(&run, "uninitialised-read(pedantic)",
                    "read of s+4 (shared 0x404), which nobody has written");
}

static void undefined_before_unsupported(void **state) {
  (void)state;
  run_finds(SHARED_READ("mma.sync.aligned.m16n8k16.row.neither_row_nor_column_"
                        "nor_any_type_that_there_is w1, w0;"),
            "unsupported",
            "mma.sync.aligned.m16n8k16.row.neither_row_nor_column_nor_any_type_"
            "that_there_is");
}

static void write_conflicts(void **state) {
  (void)state;
  HarnessRun run = two_buffers(
      KERNEL("", "ld.param.u64 to, [out]; st.global.u32 [to+8], off;"));
  harness_run_finds(&run, "global-write-conflict", "out+8");
  // Lane 0 of each CTA writes the same place.
  HarnessRun ctas =
      two_buffers(KERNEL("", "setp.ne.u32 p, tid, 0; mov.u32 w0, %ctaid.x; "
                             "add.u32 w0, w0, 7; @!p st.global.u32 [to], w0;"));
  ctas.grid[0] = 2;
  harness_run_finds(&ctas, "global-write-conflict", "by CTA (0,0,0)");
}

/// A flag that all threads set.
static void same_value_conflicts_with_nobody(void **state) {
  (void)state;
  HarnessRun run =
      two_buffers(KERNEL("", "sub.u64 to, to, r0; st.global.u32 [to], 5;"));
  run.grid[0] = 2;
  harness_run_clean(&run);
}

/// All threads store the sum they have: one value, many writers.
static void same_value_to_shared_memory(void **state) {
  (void)state;
  run_clean(KERNEL("", ".shared .b32 s[32]; mov.u32 w0, 5; "
                       "st.shared.u32 [s], w0; bar.sync 0; "
                       "ld.shared.u32 w1, [s]; st.global.u32 [to], w1;"));
  run_finds(KERNEL("", ".shared .b32 s[32]; st.shared.u32 [s], tid;"),
            "data-race", "is not ordered after the write");
  // Who reads must still be ordered with those that write.
  run_finds(KERNEL("", ".shared .b32 s[32]; mov.u32 w0, 5; "
                       "st.shared.u32 [s], w0; ld.shared.u32 w1, [s]; "
                       "st.shared.u32 [s], w0; st.global.u32 [to], w1;"),
            "data-race", "is not ordered after the");
}

// CTA 1 writes what CTA 0 wrote before, after it has read a counter.
#define SECOND_WRITE(release)                                                  \
  KERNEL("", "mov.u32 w0, %ctaid.x; setp.ne.u32 p, tid, 0; @p ret; "           \
             "setp.eq.u32 p, w0, 0; @p bra write; "                            \
             "ld.acquire.gpu.global.u32 w1, [to+64]; write: "                  \
             "add.u32 w1, w0, 7; st.global.u32 [to], w1; @!p ret; " release)

static void ordered_by_a_counter(void **state) {
  (void)state;
  HarnessRun run =
      two_buffers(SECOND_WRITE("red.release.gpu.global.add.u32 [to+64], 1;"));
  run.grid[0] = 2;
  harness_run_clean(&run);
  run.ptx = SECOND_WRITE("st.release.gpu.global.u32 [to+64], 1;");
  harness_run_clean(&run);
  run.ptx = SECOND_WRITE(""); // CTA 0 says nothing
  harness_run_finds(&run, "global-write-conflict", "by CTA (0,0,0)");
  run.ptx = SECOND_WRITE("st.release.gpu.global.u32 [to+128], 1;");
  harness_run_finds(&run, "global-write-conflict", "by CTA (0,0,0)");
}

/// Grouped products fence the map of a tensor that they do not have.
static void fence_of_no_map(void **state) {
  (void)state;
  run_clean(KERNEL("", "mov.u64 r1, 0; fence.proxy.tensormap::generic."
                       "acquire.gpu [r1], 128;"));
}

//===-- System ------------------------------------------------------------===//

static void printf_text(void **state) {
  (void)state;
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".global .align 1 .b8 text[21] = {108, 61, 37, 100, 32, 102, 61, 37, "
      "46, 50, 102, 32, 37, 108, 120, 37, 37, 37, 115, 10, 0};\n"
      ".global .align 1 .b8 word[3] = {111, 107, 0};\n"
      ".entry k() { .local .align 8 .b8 args[32]; .reg .b64 r<8>; "
      ".reg .b32 w<4>; .reg .pred p; mov.u32 w0, %tid.x; "
      "setp.ne.u32 p, w0, 3; @p ret; neg.s32 w0, w0; "
      "mov.u64 r0, args; st.local.u32 [r0], w0; "
      "st.local.f64 [r0+8], 0d3FF8000000000000; "
      "st.local.u64 [r0+16], 1311768467463790320; "
      "mov.u64 r3, word; cvta.global.u64 r3, r3; st.local.u64 [r0+24], r3; "
      "cvta.local.u64 r1, r0; mov.u64 r2, text; cvta.global.u64 r2, r2;\n"
      "{ .param .b64 a; st.param.b64 [a+0], r2; .param .b64 b; "
      "st.param.b64 [b+0], r1; .param .b32 v; "
      "call.uni (v), vprintf, (a, b); ld.param.b32 w1, [v+0]; } }"};
  HarnessResult result = harness_run(&run);
  assert_string_equal(result.output, "l=-3 f=1.50 123456789abcdef0%ok\n");
  harness_result_deinit(&result);
}

static void trap_stops(void **state) {
  (void)state;
  run_finds(KERNEL("", "setp.eq.u32 p, tid, 5; @p trap;"), "trap", "lane 5");
}

static void unsupported_only_when_executed(void **state) {
  (void)state;
  run_finds(KERNEL("", "tcgen05.commit.cta_group::1.b64 [from];"),
            "unsupported", "tcgen05.commit");
  run_clean(KERNEL("", "setp.gt.u32 p, tid, 99; @p tcgen05.fence;"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_of_all_sizes),
    cmocka_unit_test(loads_extend_and_stores_cut),
    cmocka_unit_test(shared_and_generic),
    cmocka_unit_test(local_arrays),
    cmocka_unit_test(variables_with_values),
    cmocka_unit_test(atomics_of_all_lanes),
    cmocka_unit_test(compare_and_swap_loop),
    cmocka_unit_test(shared_atomics_initialise),
    cmocka_unit_test(ldmatrix_layout),
    cmocka_unit_test(stmatrix_inverts_ldmatrix),
    cmocka_unit_test(global_bounds),
    cmocka_unit_test(shared_bounds),
    cmocka_unit_test(local_bounds),
    cmocka_unit_test(alignment),
    cmocka_unit_test(uninitialised_shared),
    cmocka_unit_test(uninitialised_and_not_used),
    cmocka_unit_test(undefined_rows_and_columns),
    cmocka_unit_test(undefined_rows_of_matrices),
    cmocka_unit_test(undefined_lanes_of_shuffles),
    cmocka_unit_test(races_with_dead_reads),
    cmocka_unit_test(dead_reads_of_nothing),
    cmocka_unit_test(undefined_before_unsupported),
    cmocka_unit_test(write_conflicts),
    cmocka_unit_test(same_value_conflicts_with_nobody),
    cmocka_unit_test(same_value_to_shared_memory),
    cmocka_unit_test(ordered_by_a_counter),
    cmocka_unit_test(fence_of_no_map),
    cmocka_unit_test(printf_text),
    cmocka_unit_test(trap_stops),
    cmocka_unit_test(unsupported_only_when_executed),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

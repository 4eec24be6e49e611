//===- emulator-parse-test.c - Reading PTX, and refusing what is not ------===//

#include "emulator-harness.h"

#include <stdlib.h>

#define BODY(text) HARNESS_HEADER ".entry k() {\n" text "\n}"

//===-- What is read ------------------------------------------------------===//

static void kernel_infos(void **state) {
  (void)state;
  static const char ptx[] = HARNESS_HEADER
      "// comment\n/* another\n one */\n"
      ".extern .shared .align 1024 .b8 dynamic[];\n"
      ".shared .align 8 .b64 unused[100];\n"
      ".visible .entry first(\n .param .u32 first_0,\n"
      " .param .align 64 .b8 first_1[128],\n"
      " .param .u64 .ptr .global .align 16 first_2)\n"
      ".reqntid 128, 2\n.reqnctapercluster 2, 1, 1\n.minnctapersm 1\n"
      "{ .shared .align 16 .b8 s[40]; .shared .b32 t; .reg .b32 r;\n"
      "st.shared.u32 [s], r; st.shared.u32 [t], r; ret; }\n"
      ".func helper() { .reg .b32 r; ret; }\n"
      ".entry second() .maxntid 256, 1, 1 { exit; }\n";
  TileEmuModule *module = NULL;
  TileStatus status = tile_emu_module_parse(ptx, sizeof ptx, "two", &module);
  assert_string_equal(status.message, "");
  assert_int_equal(tile_emu_module_num_kernels(module), 2);
  const TileEmuKernelInfo *first = tile_emu_module_kernel(module, 0);
  assert_string_equal(first->name, "first");
  assert_int_equal(first->num_params, 3);
  assert_string_equal(first->params[1].name, "first_1");
  assert_int_equal(first->params[1].offset_bytes, 64);
  assert_int_equal(first->params[1].size_bytes, 128);
  assert_int_equal(first->params[2].offset_bytes, 192);
  assert_int_equal(first->params[2].align_bytes, 8);
  assert_int_equal(first->static_smem_bytes, 44);
  assert_int_equal(first->reqntid[0], 128);
  assert_int_equal(first->reqntid[1], 2);
  assert_int_equal(first->reqntid[2], 1);
  assert_int_equal(first->cluster[0], 2);
  const TileEmuKernelInfo *second = tile_emu_module_kernel(module, 1);
  assert_int_equal(second->maxntid[0], 256);
  assert_int_equal(second->num_params, 0);
  tile_emu_module_destroy(module);
}

/// Inner blocks have registers and labels of their own.
static void scopes(void **state) {
  (void)state;
  uint32_t result = 0;
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 out) { .reg .b64 to; .reg .b32 x; .reg .pred p;\n"
      "ld.param.u64 to, [out]; mov.u32 x, 1;\n"
      "{ .reg .b32 x; mov.u32 x, 50; L: sub.u32 x, x, 1; setp.ne.u32 p, x, 0;\n"
      "@p bra L; }\n"
      "{ L: add.u32 x, x, 1; setp.lt.u32 p, x, 7; @p bra L; bra OUT; }\n"
      "mov.u32 x, 99;\nOUT: st.global.u32 [to], x; }",
      .block = 1,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){&result, sizeof result, "result"};
  harness_run_clean(&run);
  assert_int_equal(result, 7);
}

/// Vectors of registers, whole and by element, in every operand that takes one.
static void vector_registers(void **state) {
  (void)state;
  float data[24] = {1, 2, 3, 4};
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 out) { .reg .b64 to; .reg .v4 .f32 v, w<3>;\n"
      ".reg .v2 .f32 u; .reg .v2 .b16 h; .reg .v2 .u64 l; .reg .f32 a, b, c, "
      "d; .reg .b32 x;\n"
      "ld.param.u64 to, [out]; ld.global.v4.f32 v, [to];\n"
      "mov.v4.f32 w1, v; mov.v4.f32 {a, b, c, d}, w1;\n"
      "mov.v4.f32 w2, {d, c, b, a}; mov.v4.f32 w2, {w2.y, w2.x, w2.w, w2.z};\n"
      "st.global.v4.f32 [to+16], w2;\n"
      "ld.global.v2.f32 u, [to+8]; add.f32 u.x, u.x, u.y;\n"
      "add.f32 u.g, u.r, w2.a; st.global.v2.f32 [to+32], u;\n"
      "ld.global.v2.b16 h, [to]; mov.b32 x, {h.y, h.x};\n"
      "mov.v2.b16 h, {h.y, h.x}; st.global.v2.b16 [to+40], h; "
      "st.global.b32 [to+44], x;\n"
      "ld.global.v2.u64 l, [to]; mov.v2.u64 {l.y, l.x}, l; "
      "st.global.v2.u64 [to+48], l;\n"
      "{ .reg .v2 .f32 v; mov.v2.f32 v, {c, c}; st.global.v2.f32 [to+64], v; "
      "}\n}",
      .block = 1,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){data, sizeof data, "data"};
  harness_run_clean(&run);
  static const float expected[] = {1, 2, 3, 4, 3, 4, 1, 2, 7, 9};
  for (int i = 0; i < 10; i++)
    assert_float_equal(data[i], expected[i], 0);
  uint32_t words[2], one;
  memcpy(words, data + 10, sizeof words);
  memcpy(&one, data, sizeof one);
  assert_int_equal(words[0], one >> 16 | one << 16);
  assert_int_equal(words[1], one >> 16 | one << 16);
  static const float swapped[] = {3, 4, 1, 2, 3, 3};
  for (int i = 0; i < 6; i++)
    assert_float_equal(data[12 + i], swapped[i], 0);
}

static void special_registers(void **state) {
  (void)state;
  static uint32_t words[12][16];
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".entry k(.param .u64 out) { .reg .b64 to, r; .reg .b32 a, b, w; "
      ".reg .pred q;\n"
      "ld.param.u64 to, [out]; mov.u32 a, %ctaid.x; mov.u32 b, %ctaid.y;\n"
      "mad.lo.u32 a, b, 4, a; mul.wide.u32 r, a, 64; add.u64 to, to, r;\n"
      "mov.u32 w, %tid.x; setp.ne.u32 q, w, 33; @q ret;\n"
      "st.global.u32 [to], w; mov.u32 w, %ntid.x; st.global.u32 [to+4], w;\n"
      "mov.u32 w, %nctaid.x; st.global.u32 [to+8], w;\n"
      "mov.u32 w, %nctaid.y; st.global.u32 [to+12], w;\n"
      "mov.u32 w, %laneid; st.global.u32 [to+16], w;\n"
      "mov.u32 w, %warpid; st.global.u32 [to+20], w;\n"
      "mov.u32 w, %cluster_ctarank; st.global.u32 [to+24], w;\n"
      "mov.u32 w, %clusterid.x; st.global.u32 [to+28], w;\n"
      "mov.u32 w, %cluster_nctaid.x; st.global.u32 [to+32], w;\n"
      "mov.u32 w, %lanemask_lt; st.global.u32 [to+36], w;\n"
      "mov.u32 w, %dynamic_smem_size; st.global.u32 [to+40], w;\n"
      "mov.u32 w, WARP_SZ; st.global.u32 [to+44], w; }",
      .grid = {4, 3, 1},
      .block = 40,
      .cluster = 2,
      .smem_bytes = 100,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){words, sizeof words, "words"};
  harness_run_clean(&run);
  for (uint32_t y = 0; y < 3; y++)
    for (uint32_t x = 0; x < 4; x++) {
      const uint32_t expected[12] = {33,    40,    4, 3, 1,   1,
                                     x % 2, x / 2, 2, 1, 100, 32};
      assert_memory_equal(words[4 * y + x], expected, sizeof expected);
    }
}

static void source_lines(void **state) {
  (void)state;
  HarnessRun run = {.ptx =
                        HARNESS_HEADER ".file 1 \"/some/where/kernel.cu\"\n"
                                       ".entry k() {\n.loc 1 42 7\ntrap;\n}"};
  harness_run_finds(&run, "trap", "at ptx:7 (kernel.cu:42) `trap`");
}

//===-- What is refused ---------------------------------------------------===//

static void syntax_errors(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *message;
  } cases[] = {
      {"hello", "test.ptx:1: expected a directive before 'hello'"},
      {HARNESS_HEADER ".wrong", "test.ptx:4: unknown directive .wrong"},
      {HARNESS_HEADER ".entry", "expected a name"},
      {HARNESS_HEADER ".entry k() { ret;", "expected '}' before the end"},
      {HARNESS_HEADER ".entry k() { ret", "expected a name"},
      {HARNESS_HEADER ".entry k(.param .u32) { ret; }", "expected a name"},
      {HARNESS_HEADER ".entry k(.param u) { ret; }", "malformed parameter"},
      {HARNESS_HEADER ".entry k(.param .align 3 .b8 u[3]) { ret; }",
       "malformed parameter"},
      {HARNESS_HEADER ".func f() {", "expected '}'"},
      {HARNESS_HEADER ".func f(", "body of a function"},
      {HARNESS_HEADER ".global .u32 x = {1, 2};", "too long"},
      {HARNESS_HEADER ".global .u32 x = ;", "expected a number"},
      {HARNESS_HEADER ".global .align 3 .u32 x;", "not a power of two"},
      {HARNESS_HEADER ".global x;", "without a type"},
      {HARNESS_HEADER ".global .u32 x[100000][100000];", "larger than"},
      {HARNESS_HEADER ".file 1 name", "expected '\"'"},
      {BODY("@q add.u32 r, r, r;"), "test.ptx:5: guard q is not a predicate"},
      {BODY("bra NOWHERE;"), "test.ptx:5: label NOWHERE is not defined"},
      {BODY("L: ret;\n\nL: ret;"), "test.ptx:7: label L is defined twice"},
      {BODY("bra 5;"), "branch without a label"},
      {BODY(".reg .b32 r<99999999>;"), "number of registers is 99999999"},
      {BODY(".reg .b128 r<16000000>;"), "too many registers"},
      {BODY(".reg .b31 r;"), "unknown register type"},
      {BODY("mov.u32 %x, 1;"), "unknown register %x"},
      {BODY(".what 1;"), "unknown directive .what"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    harness_parse_fails(cases[i].ptx, cases[i].message);
}

/// Operands that would read or write outside of the register file, and
/// shapes that do not exist.
static void operand_errors(void **state) {
  (void)state;
#define REGS                                                                   \
  ".reg .b16 h; .reg .b32 w, x; .reg .b64 d; .reg .b128 o; .reg .pred p;\n"
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"add.u64 w, w, w;", "add.u64: w has 32 bits, not 64"},
      {"add.u32 d, w, w;", "d has 64 bits, not 32"},
      {"add.u32 5, w, w;", "expected a register as destination"},
      {"mov.u32 %tid.x, w;", "expected a register as destination"},
      {"add.u32 w, p, w;", "expected a register or constant"},
      {"add.u32 w, [w], w;", "expected a register or constant"},
      {"add.u32 w, w;", "2 operands where 3 are expected"},
      {"setp.eq.u32 w, w, w;", "expected a predicate as destination"},
      {"selp.u32 w, w, w, x;", "operand 4 is not a predicate"},
      {"mov.u32 w, nothing;", "unknown name nothing"},
      {"mov.b64 d, {w, w, w};", "3 elements do not fill 64 bits"},
      {"mov.b64 {w}, d;", "w has 32 bits"},
      {"ld.global.u32 w, d;", "expected an address"},
      {"ld.global.v2.u32 {w, w, w}, [d];", "3 registers where 2"},
      {"ld.global.v4.u64 {d, d, d, d}, [o];", "128-bit register"},
      {"ld.shared.b128 w, [w];", "w has 32 bits"},
      {"st.global.v2.u32 [d], w;", "1 registers where 2"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {w, w, w, w}, "
       "{w, w}, {w, w}, {w, w, w, w};",
       "2 registers of A where 4 are expected"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {w, w}, d, d, 1, 1, "
       "1, 0, 0;",
       "2 accumulator registers for n = 8"},
      {"wgmma.mma_async.sync.aligned.m64n9k16.f32.f16.f16 {w, w, w, w}, d, d, "
       "1, 1, 1, 0, 0;",
       "no such shape"},
      {"lop3.b32 w, w, w, w, x;", "not an integer constant"},
      {"cp.async.cg.shared.global [w], [d], 12;", "size is 12"},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_"
       "tx::bytes [w], [d, {w, w}], [w];",
       "expected 3 coordinates"},
      {"setmaxnreg.inc.sync.aligned.u32 13;", "13 registers"},
      {"elect.sync w, -1;", "predicate is required"},
      {"mbarrier.expect_tx.shared.b64 [w];", "number of bytes is missing"},
      {"brx.idx d, L;\nL: ret;", "32-bit register"},
      {".reg .v2 .b32 v; add.u32 w, v, w;", "expected a register"},
      {".reg .v2 .b32 v; mov.b32 w, v.z;", "unknown name v.z"},
      {".reg .v2 .pred v;", "predicates are scalar"},
      {".reg .v2 .b32 v; mov.v4.b32 {w, w, w, w}, v;", "4 elements"},
      {"add.u32 w, !w, w;", "only predicates can be negated"},
      {"mov.u32 w, {{{{{{w}}}}}};", "nested too deeply"},
      {"add.u32 w,w,w,w,w,w,w,w,w,w,w,w,w,w,w,w,w;", "more than 16 operands"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char ptx[1000];
    snprintf(ptx, sizeof ptx, BODY(REGS "%s"), cases[i].text);
    harness_parse_fails(ptx, cases[i].message);
  }
}

static void nesting_is_limited(void **state) {
  (void)state;
  char ptx[1000] = HARNESS_HEADER ".entry k() ";
  for (int i = 0; i < 200; i++)
    strcat(ptx, "{");
  harness_parse_fails(ptx, "nested deeper than 32");
}

static void zero_bytes_are_refused(void **state) {
  (void)state;
  static const char ptx[] = HARNESS_HEADER "\0 .entry k() { ret; }";
  TileEmuModule *module = NULL;
  TileStatus status = tile_emu_module_parse(ptx, sizeof ptx, "z", &module);
  assert_int_equal(status.code, TILE_STATUS_USER_ERROR);
  assert_non_null(strstr(status.message, "zero byte"));
}

static void param_bounds(void **state) {
  (void)state;
  harness_parse_fails(HARNESS_HEADER ".entry k(.param .u32 a) { .reg .b64 d; "
                                     "ld.param.u64 d, [a]; }",
                      "outside of the parameters");
  harness_parse_fails(HARNESS_HEADER ".entry k(.param .u32 a) { .reg .b32 d; "
                                     "ld.param.u32 d, [a+-4]; }",
                      "outside of the parameters");
}

//===-- Damaged text ------------------------------------------------------===//

static const char sample[] = HARNESS_HEADER
    ".extern .shared .align 128 .b8 smem[];\n"
    ".global .align 4 .b8 table[8] = {1, 2, 3, 4};\n"
    ".visible .entry k(.param .u64 k_0, .param .u32 k_1) .maxntid 128, 1, 1 {\n"
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %rd1, [k_0]; mov.u32 %r1, %tid.x; mov.u32 %r2, smem;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3;\n"
    "LOOP: st.shared.u32 [%r4], %r1; bar.sync 0;\n"
    "ld.shared.v2.b32 {%r5, %r6}, [%r4+-0]; setp.lt.s32 %p1, %r5, 5;\n"
    "@!%p1 bra $NEXT; bfe.u32 %r7, %r6, 3, 7; shfl.sync.bfly.b32 %r8|%p2, "
    "%r7, 1, 31, -1;\n$NEXT: cvt.rn.f32.u32 %f1, %r6; fma.rn.f32 %f2, %f1, "
    "0f3F800000, %f1; st.global.f32 [%rd3], %f2;\n"
    "mbarrier.init.shared.b64 [%r2+512], 1; cp.async.ca.shared.global "
    "[%r4+256], [%rd3], 4; cp.async.commit_group; cp.async.wait_group 0;\n"
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r9, %r10}, [%r2];\n"
    "atom.global.add.u32 %r11, [%rd1], 1; ret;\n}\n";

/// Random edits never crash the parser; what still parses may be executed.
static void damaged_text(void **state) {
  (void)state;
  uint32_t random = 77;
  static uint32_t memory[64];
  for (int round = 0; round < 3000; round++) {
    char ptx[sizeof sample];
    memcpy(ptx, sample, sizeof ptx);
    size_t length = sizeof sample - 1;
    for (uint32_t edits = 1 + harness_random(&random) % 3; edits; edits--) {
      size_t at = harness_random(&random) % length;
      size_t from = harness_random(&random) % length;
      size_t count = 1 + harness_random(&random) % 12;
      if (at + count > length || from + count > length)
        continue;
      if (harness_random(&random) % 2)
        memmove(ptx + at, ptx + from, count);
      else
        ptx[at] = (char)(' ' + harness_random(&random) % 95);
    }
    TileEmuModule *module = NULL;
    TileStatus status = tile_emu_module_parse(ptx, length, "damaged", &module);
    if (!tile_status_is_ok(&status))
      continue;
    TileEmuOptions options;
    tile_emu_options_init(&options);
    options.max_instructions = 2000;
    options.max_findings = 5;
    TileEmu *emu = NULL;
    status = tile_emu_create(&options, &emu);
    void *buffer = NULL;
    status = tile_emu_alloc(emu, sizeof memory, "memory", &buffer);
    uint32_t number = 1;
    void *args[2] = {&buffer, &number};
    TileEmuLaunch launch = {{1, 1, 1}, {64, 1, 1}, {0, 0, 0}, 1024, args, 2};
    if (tile_emu_module_num_kernels(module))
      status = tile_emu_launch(
          emu, module, tile_emu_module_kernel(module, 0)->name, &launch);
    tile_emu_destroy(emu);
    tile_emu_module_destroy(module);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernel_infos),
    cmocka_unit_test(scopes),
    cmocka_unit_test(vector_registers),
    cmocka_unit_test(special_registers),
    cmocka_unit_test(source_lines),
    cmocka_unit_test(syntax_errors),
    cmocka_unit_test(operand_errors),
    cmocka_unit_test(nesting_is_limited),
    cmocka_unit_test(zero_bytes_are_refused),
    cmocka_unit_test(param_bounds),
    cmocka_unit_test(damaged_text),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

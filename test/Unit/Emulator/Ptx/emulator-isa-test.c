//===- emulator-isa-test.c - Every instruction is known -------------------===//
//
// That isa/sm_90a.ptx decodes without a gap, and the values of instructions
// that emulator-h200-test.c does not compute. Those here follow the ISA where
// an H200 does otherwise.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Ptx/Ptx.h"

#include "emulator-harness.h"

#include <stdlib.h>

#define CASE(name, text, field, expr)                                          \
  HARNESS_CASE(name, harness_operands, text, field, expr)

//===-- Decoding ----------------------------------------------------------===//

static void every_instruction_is_known(void **state) {
  (void)state;
  enum { MAX_BYTES = 1 << 20 };
  char *text = calloc(1, MAX_BYTES);
  FILE *file = fopen(TILE_EMULATOR_TEST_DIR "/isa/sm_90a.ptx", "rb");
  assert_true(text && file);
  assert_true(fread(text, 1, MAX_BYTES - 1, file) > 0);
  fclose(file);
  TileEmuModule *module = NULL;
  TileStatus status =
      tile_emu_module_parse(text, strlen(text), "sm_90a.ptx", &module);
  assert_string_equal(status.message, "");
  const TileKernel *kernel = module->kernels[0];
  assert_true(kernel->num_insns > 550);
  for (uint32_t i = 0; i < kernel->num_insns; i++)
    if (kernel->code[i].flags & TILE_INSN_UNSUPPORTED)
      fail_msg("line %u: %s: %s", kernel->code[i].line, kernel->code[i].opcode,
               kernel->code[i].as.text);
  tile_emu_module_destroy(module);
  free(text);
}

/// Any of them with too few operands is refused or not supported, and never
/// reads operands that are not there.
static void operands_missing(void **state) {
  (void)state;
  enum { MAX_BYTES = 1 << 20 };
  char *text = calloc(1, MAX_BYTES), head[1000], ptx[2000];
  FILE *file = fopen(TILE_EMULATOR_TEST_DIR "/isa/sm_90a.ptx", "rb");
  assert_true(text && file);
  assert_true(fread(text, 1, MAX_BYTES - 1, file) > 0);
  fclose(file);
  const char *body = strstr(text, "add.u16");
  snprintf(head, sizeof head, "%.*s", (int)(body - text), text);
  uint32_t num_refused = 0;
  for (char *line = strtok(text + (body - text), "\n"); line;
       line = strtok(NULL, "\n")) {
    int depth = 0;
    for (char *c = line; *c; c++) {
      depth += *c == '{' || *c == '[';
      depth -= *c == '}' || *c == ']';
      if (*c != ',' || depth)
        continue;
      snprintf(ptx, sizeof ptx, "%s%.*s;\nret; }", head, (int)(c - line), line);
      TileEmuModule *module = NULL;
      TileStatus status =
          tile_emu_module_parse(ptx, strlen(ptx), "test.ptx", &module);
      num_refused += status.code != TILE_STATUS_OK;
      tile_emu_module_destroy(module);
    }
  }
  assert_true(num_refused > 800);
  free(text);
}

static void check_unsupported(const char *statement, const char *message) {
  char ptx[600];
  snprintf(ptx, sizeof ptx,
           HARNESS_HEADER ".entry k(.param .u64 p) { .reg .b64 a; .reg .f32 f; "
                          ".reg .b32 r, s; ld.param.u64 a, [p];\n%s ret; }",
           statement);
  uint64_t data = 0;
  HarnessRun run = {.ptx = ptx, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){&data, sizeof data, "data"};
  harness_run_finds(&run, "unsupported", message);
}

static void refused_with_a_reason(void **state) {
  (void)state;
  check_unsupported("multimem.ld_reduce.global.add.f32 f, [a];",
                    "multimem: addresses several GPUs at once");
  check_unsupported("multimem.st.global.f32 [a], f;", "at ptx:5 `multimem.st");
  check_unsupported("vadd.u32.u32.u32.sat r, s, s;", ".sat of shifts");
  check_unsupported("vmad.u32.u32.u32 r, s, s, -s;",
                    "unsigned product minus c");
  check_unsupported("alloca.u64 a, a, 128;", "an alignment above 64");
  check_unsupported("tcgen05.fence::before_thread_sync;",
                    "needs sm_100, the emulator is an sm_90a");
  check_unsupported("clusterlaunchcontrol.try_cancel.async.shared::cta."
                    "mbarrier::complete_tx::bytes.b128 [r], [s];",
                    "needs sm_100");
  check_unsupported("bogus.b32 r, s;", "unknown instruction");
}

static void malformed_operands(void **state) {
  (void)state;
#define IN_KERNEL(text)                                                        \
  HARNESS_HEADER ".entry k() { .reg .b32 %r<4>; .reg .b64 %a; .reg .pred "     \
                 "%p; " text " }"
  harness_parse_fails(IN_KERNEL("mov.b32 %r0, %r1.b0;"),
                      "%r1.b0: a whole register is expected");
  harness_parse_fails(IN_KERNEL("vadd.s32.s32.s32 %r0, %r1.b4, %r2;"),
                      "selector .b4");
  harness_parse_fails(IN_KERNEL("vmad.s32.s32.s32.po %r0, -%r1, %r2, %r3;"),
                      ".po and negated operands");
  harness_parse_fails(IN_KERNEL("add.u32 %r0, -%r1, %r2;"),
                      "%r1 cannot be negated here");
  harness_parse_fails(IN_KERNEL("mov.v4.u32 {%r0, %r1}, %tid;"),
                      "two vectors of 4 elements");
  harness_parse_fails(IN_KERNEL("vadd2.s32.s32.s32 %r0.b1, %r1, %r2, %r3;"),
                      "selector .b1");
  harness_parse_fails(IN_KERNEL("vadd.s32.s32.s32 %r0, %r1, %r2, %r3;"),
                      "4 operands where 3 are expected");
  harness_parse_fails(IN_KERNEL("lop3.or.b32 %r0, %r1, %r2, %r3, 3, %p;"),
                      "expected d|p as destination");
  harness_parse_fails(HARNESS_HEADER
                      ".func f() { ret; }\n.entry k() { .reg .b32 %r<4>; "
                      "mov.b32 %r0, f; }",
                      "the address of a function has 64 bits");
  harness_parse_fails(IN_KERNEL("alloca.u64 %a, %a, 24;"),
                      "an alignment is a power of two, not 24");
}

//===-- Values ------------------------------------------------------------===//

/// A signalling NaN stays what it is.
CASE(float_bits, "mov.b32 d32, 0f7f800001;", d32, 0x7f800001u)

static uint32_t saturated_mad(HarnessOperands x) {
  int64_t sum = ((int64_t)(int32_t)x.a * (int32_t)x.b >> 32) + (int32_t)x.c;
  return (uint32_t)(sum > INT32_MAX   ? INT32_MAX
                    : sum < INT32_MIN ? INT32_MIN
                                      : sum);
}
CASE(mad_hi_sat, "mad.hi.sat.s32 d32, a32, b32, c32;", d32, saturated_mad(x))

static uint32_t nth_bit(uint32_t mask, uint32_t base, int32_t offset) {
  for (int at = (int)base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if (mask >> at & 1 && (offset += offset < 0 ? 1 : -1) == 0)
      return (uint32_t)at;
  return UINT32_MAX;
}
CASE(fns_up, "and.b32 w1, b32, 31; fns.b32 d32, a32, w1, 3;", d32,
     nth_bit((uint32_t)x.a, x.b & 31, 3))
CASE(fns_down, "and.b32 w1, b32, 31; fns.b32 d32, a32, w1, -2;", d32,
     nth_bit((uint32_t)x.a, x.b & 31, -2))
CASE(fns_here, "and.b32 w1, b32, 31; fns.b32 d32, a32, w1, 0;", d32,
     (uint32_t)x.a >> (x.b & 31) & 1 ? x.b & 31 : UINT32_MAX)
CASE(fns_outside, "fns.b32 d32, a32, 32, 1;", d32, UINT32_MAX)

/// Halves compare to 1.0, where an H200 writes the integer 1.
CASE(set_f16, "set.lt.f16.f16 d16, a16, b16;", d16,
     harness_f16(x.a & 0xffff) < harness_f16(x.b & 0xffff) ? 0x3c00 : 0)
CASE(set_bf16, "set.ge.bf16.bf16 d16, a16, b16;", d16,
     harness_bf16(x.a & 0xffff) >= harness_bf16(x.b & 0xffff) ? 0x3f80 : 0)

CASE(special_registers,
     "mov.u32 w1, %reserved_smem_offset_begin; "
     "mov.u32 w2, %reserved_smem_offset_end; mov.u32 w3, %envreg31; "
     "mov.u64 r1, %pm0_64; mov.u64 r2, %current_graph_exec; "
     "mov.pred q, %is_explicit_cluster; selp.u32 w4, 1, 0, q; "
     "mov.u32 w5, %pm7; or.b32 w1, w1, w3; or.b32 w1, w1, w4; "
     "or.b32 w1, w1, w5; cvt.u32.u64 w6, r1; or.b32 w1, w1, w6; "
     "cvt.u32.u64 w6, r2; or.b32 w1, w1, w6; add.u32 d32, w1, w2;",
     d32, 1024)

/// Zero after flushing, and the sign stays.
CASE(slct_flushes, "slct.ftz.u32.f32 d32, a32, b32, 0f80000001;", d32,
     (uint32_t)x.a)
CASE(slct_keeps, "slct.u32.f32 d32, a32, b32, 0f80000001;", d32, (uint32_t)x.b)

//===-- atom of 16 bytes --------------------------------------------------===//

static void swaps_of_16_bytes(void **state) {
  (void)state;
  static const char ptx[] = HARNESS_HEADER
      ".entry k(.param .u64 p) { .reg .b64 a, x, y; .reg .b128 old, new, "
      "want;\n"
      ".reg .b32 t; .reg .pred first; mov.u32 t, %tid.x;\n"
      "setp.ne.u32 first, t, 0; @first bra END; ld.param.u64 a, [p];\n"
      "mov.b128 new, {7, 8}; atom.global.exch.b128 old, [a], new;\n"
      "st.global.b128 [a+16], old;\n" // {1, 2}
      "mov.b128 want, {7, 9}; mov.b128 new, {5, 6};\n"
      "atom.global.cas.b128 old, [a], want, new;\n" // differs
      "st.global.b128 [a+32], old;\n"
      "mov.b128 want, {7, 8}; atom.relaxed.gpu.global.cas.b128 old, [a], want, "
      "new;\nst.global.b128 [a+48], old;\n"
      "END: ret; }";
  uint64_t data[8] = {1, 2};
  HarnessRun run = {.ptx = ptx, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){data, sizeof data, "data"};
  harness_run_clean(&run);
  static const uint64_t expected[8] = {5, 6, 1, 2, 7, 8, 7, 8};
  assert_memory_equal(data, expected, sizeof data);
}

//===-- alloca ------------------------------------------------------------===//

/// Each lane fills its own array of tid + 1 words, twice; what a function
/// allocated is free again when it returns, so 400 calls fit.
static void stack_of_a_thread(void **state) {
  (void)state;
  static const char ptx[] = HARNESS_HEADER
      ".func (.reg .u32 sum) f(.reg .u32 n) {\n"
      ".reg .b64 a, at, size; .reg .b32 i, v; .reg .pred p;\n"
      "mul.wide.u32 size, n, 4; alloca.u64 a, size; mov.u64 at, a;\n"
      "mov.u32 i, 0;\n"
      "FILL: st.local.u32 [at], i; add.u64 at, at, 4; add.u32 i, i, 1;\n"
      "setp.lt.u32 p, i, n; @p bra FILL; mov.u32 sum, 0; mov.u64 at, a;\n"
      "ADD: ld.local.u32 v, [at]; add.u32 sum, sum, v; add.u64 at, at, 4;\n"
      "sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra ADD; ret; }\n"
      ".entry k(.param .u64 p) { .reg .b32 t, n, s, i; .reg .b64 o, w, b, c;\n"
      ".reg .pred q; mov.u32 t, %tid.x; add.u32 n, t, 1; mov.u32 i, 0;\n"
      "stacksave.u64 b; alloca.u64 w, 1000, 16; st.local.u32 [w+996], t;\n"
      "NEXT: call (s), f, (n); add.u32 i, i, 1; setp.lt.u32 q, i, 400;\n"
      "@q bra NEXT; stackrestore.u64 b; alloca.u64 c, 1000, 16;\n"
      "sub.u64 w, w, c; cvt.u32.u64 i, w; add.u32 s, s, i;\n"
      "ld.param.u64 o, [p]; mul.wide.u32 w, t, 4; add.u64 o, o, w;\n"
      "st.global.u32 [o], s; ret; }";
  uint32_t data[32];
  HarnessRun run = {.ptx = ptx, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){data, sizeof data, "data"};
  harness_run_clean(&run);
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(data[t], t * (t + 1) / 2);
}

static void stack_misuse(void **state) {
  (void)state;
#define STACK_KERNEL(text)                                                     \
  HARNESS_HEADER ".entry k() { .reg .b64 a, b; .reg .b32 r;\n" text " ret; }"
  HarnessRun run = {.ptx = STACK_KERNEL("alloca.u64 a, 8192;\n"
                                        "alloca.u64 b, 8193;")};
  harness_run_finds(&run, "stack-overflow",
                    "alloca of 8193 bytes with 8192 bytes in use; the emulator "
                    "has 16384 for a thread\n    at ptx:6");
  run.ptx = STACK_KERNEL("stacksave.u64 a; add.u64 a, a, 8;\n"
                         "stackrestore.u64 a;");
  harness_run_finds(&run, "stack-overflow", "which is not below the top");
  // What was freed may not be used; it holds no numbers either.
  run.ptx = STACK_KERNEL("alloca.u64 a, 16376; add.u64 a, a, 16376;\n"
                         "ld.local.u64 b, [a+8];");
  harness_run_finds(&run, "out-of-bounds", "ld.local.u64");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_instruction_is_known),
    cmocka_unit_test(operands_missing),
    cmocka_unit_test(refused_with_a_reason),
    cmocka_unit_test(malformed_operands),
    cmocka_unit_test(float_bits),
    cmocka_unit_test(mad_hi_sat),
    cmocka_unit_test(fns_up),
    cmocka_unit_test(fns_down),
    cmocka_unit_test(fns_here),
    cmocka_unit_test(fns_outside),
    cmocka_unit_test(set_f16),
    cmocka_unit_test(set_bf16),
    cmocka_unit_test(special_registers),
    cmocka_unit_test(slct_flushes),
    cmocka_unit_test(slct_keeps),
    cmocka_unit_test(swaps_of_16_bytes),
    cmocka_unit_test(stack_of_a_thread),
    cmocka_unit_test(stack_misuse),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

//===- emulator-calls-test.c - Functions that kernels call ----------------===//

#include "emulator-harness.h"

enum { LANES = 64 };
static uint32_t in[LANES], out[LANES];

/// A kernel that computes `out[tid]` from `x` = in[tid] as `body` says, which
/// leaves the result in `y`.
#define KERNEL(body)                                                           \
  ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                     \
  ".reg .b64 from, to, r; .reg .b32 tid, x, y, z; .reg .pred p, q;\n"          \
  "ld.param.u64 from, [in]; ld.param.u64 to, [out]; mov.u32 tid, %tid.x;\n"    \
  "mul.wide.u32 r, tid, 4; add.u64 from, from, r; add.u64 to, to, r;\n"        \
  "ld.global.u32 x, [from];\n" body "\nst.global.u32 [to], y;\nret; }\n"

static HarnessRun calls_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .block = LANES, .num_args = 2};
  for (uint32_t i = 0; i < LANES; i++)
    in[i] = i * 2654435761u;
  memset(out, 0, sizeof out);
  run.args[0].buffer = (HarnessBuffer){in, sizeof in, "in"};
  run.args[1].buffer = (HarnessBuffer){out, sizeof out, "out"};
  return run;
}

static void check(const char *ptx, uint32_t (*expected)(uint32_t)) {
  for (uint64_t seed = 1; seed <= 5; seed++) {
    HarnessRun run = calls_run(ptx);
    tile_emu_options_init(&run.options);
    run.options.seed = seed;
    harness_run_clean(&run);
    for (uint32_t i = 0; i < LANES; i++)
      assert_int_equal(out[i], expected(in[i]));
  }
}

//===-- Arguments and results ---------------------------------------------===//

#define CALL_U32(result, function, argument)                                   \
  "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], " argument ";\n"       \
  "call.uni (r0), " function ", (a0);\nld.param.b32 " result ", [r0]; }\n"

static uint32_t square_plus_one(uint32_t x) { return x * x + 1; }

/// Defined after the kernel that calls it; its parameter and label are named
/// as something of the kernel.
static void scalar_parameters(void **state) {
  (void)state;
  check(HARNESS_HEADER
        ".func (.param .b32 rv) square(.param .b32 in);\n" KERNEL(CALL_U32(
            "y", "square",
            "x")) ".func (.param .b32 rv) square(.param .b32 in) {\n"
                  ".reg .b32 x; .reg .pred p; ld.param.b32 x, [in];\n"
                  "mad.lo.u32 x, x, x, 1; setp.eq.u32 p, x, 7; @p bra END;\n"
                  "END: st.param.b32 [rv], x; ret; }\n",
        square_plus_one);
}

static uint32_t mixed(uint32_t x) {
  return (x & 0xffff) + 3 * (x >> 16) + 1000 + (x & 1);
}

/// A structure of 16 bytes comes and goes; a second result is impossible, so
/// the fields are added up by another function. One function calls another.
static void structures(void **state) {
  (void)state;
  check(HARNESS_HEADER
        ".func (.param .align 16 .b8 rv[16]) make(.param .b32 v, .param .b16 "
        "w) {\n"
        ".reg .b32 x, l, h; .reg .b16 s; ld.param.b32 x, [v]; "
        "ld.param.b16 s, [w];\nand.b32 l, x, 65535; shr.u32 h, x, 16;\n"
        "st.param.b32 [rv], l; st.param.b32 [rv+4], h; st.param.b16 [rv+8], "
        "s; mov.b32 x, 1000; st.param.b32 [rv+12], x; ret; }\n"
        ".func (.param .b32 rv) sum(.param .align 16 .b8 p[16]) {\n"
        ".reg .b32 a, b, c; .reg .b16 s; ld.param.v2.b32 {a, b}, [p];\n"
        "mad.lo.u32 a, b, 3, a; ld.param.b16 s, [p+8]; cvt.u32.u16 c, s;\n"
        "add.u32 a, a, c; ld.param.b32 c, [p+12]; add.u32 a, a, c;\n"
        "st.param.b32 [rv], a; }\n" // returns at the end
        ".func (.param .b32 rv) both(.param .b32 v) {\n"
        ".reg .b64 lo, hi; .reg .b32 x; .reg .b16 s;\n"
        ".param .b32 a; .param .b16 b; .param .align 16 .b8 c[16]; "
        ".param .align 16 .b8 d[16]; .param .b32 e;\n"
        "ld.param.b32 x, [v]; cvt.u16.u32 s, x; and.b16 s, s, 1;\n"
        "st.param.b32 [a], x; st.param.b16 [b], s; call (c), make, (a, b);\n"
        "ld.param.v2.b64 {lo, hi}, [c]; st.param.v2.b64 [d], {lo, hi};\n"
        "call (e), sum, (d); ld.param.b32 x, [e]; st.param.b32 [rv], x; "
        "ret; }\n" KERNEL(CALL_U32("y", "both", "x")),
        mixed);
}

static uint32_t register_style(uint32_t x) {
  return x % 3 == 0 ? x + 5 : x - 5;
}

/// Parameters in registers, a constant and a predicate among them.
static void registers(void **state) {
  (void)state;
  check(HARNESS_HEADER
        ".func (.reg .b32 rv, .reg .pred done) step(.reg .b32 a, .reg .b32 b, "
        ".reg .pred up) {\n@up add.u32 rv, a, b; @!up sub.u32 rv, a, b; "
        "setp.eq.u32 done, b, 5; ret; }\n" KERNEL(
            "rem.u32 z, x, 3; setp.eq.u32 p, z, 0;\n"
            "call (y, q), step, (x, 5, p);\n@!q trap;\n"),
        register_style);
}

//===-- Divergence --------------------------------------------------------===//

static uint32_t diverging(uint32_t x) {
  if (x & 1)
    return x * x + 1 + 7;
  if (x & 2)
    return ~(x * x + 1);
  return x + 7;
}

/// Lanes call at different places, some not at all, and meet again at a
/// shuffle of the whole warp, through which values go back and forth.
static void divergent_calls(void **state) {
  (void)state;
  check(HARNESS_HEADER
        ".func (.param .b32 rv) square(.param .b32 v) {\n"
        ".reg .b32 x; ld.param.b32 x, [v]; mad.lo.u32 x, x, x, 1;\n"
        "st.param.b32 [rv], x; ret; }\n"
        ".func (.param .b32 rv) inverse(.param .b32 v) {\n"
        ".reg .b32 x; ld.param.b32 x, [v];\n" CALL_U32(
            "x", "square",
            "x") "not.b32 x, x; st.param.b32 [rv], x; ret; "
                 "}\n" KERNEL("and.b32 z, x, 1; setp.ne.u32 p, z, 0; "
                              "@p bra ODD;\n"
                              "and.b32 z, x, 2; setp.ne.u32 p, z, 0; "
                              "@p bra TWO;\n"
                              "add.u32 y, x, 7; bra "
                              "MEET;\nODD:\n" CALL_U32(
                                  "y", "square", "x") "add.u32 y, y, 7; bra "
                                                      "MEET;\nTWO:\n" CALL_U32(
                                                          "y", "inverse",
                                                          "x") "MEET: "
                                                               "shfl.sync."
                                                               "bfly.b32 "
                                                               "y, "
                                                               "y, 1, 31, "
                                                               "-1;\n"
                                                               "shfl.sync."
                                                               "bfly.b32 "
                                                               "y, y, 1, "
                                                               "31, -1;\n"),
        diverging);
}

static uint32_t guarded(uint32_t x) { return x & 1 ? x + 100 : x; }

/// A predicate before the call; the function has a barrier of the warp and
/// leaves early in some lanes.
static void guarded_call(void **state) {
  (void)state;
  check(HARNESS_HEADER
        ".func (.reg .b32 rv) f(.reg .b32 a) {\n.reg .pred p;\n"
        "add.u32 rv, a, 100; setp.lt.u32 p, a, 1000; @p ret;\n"
        "add.u32 rv, a, 50; add.u32 rv, rv, 50; ret; }\n" KERNEL(
            "and.b32 z, x, 1; setp.ne.u32 p, z, 0; mov.b32 y, x;\n"
            "@p call (y), f, (x);\nbar.warp.sync -1;\n"),
        guarded);
}

//===-- Recursion ---------------------------------------------------------===//

static uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
static uint32_t fibonacci_of(uint32_t x) { return fibonacci(x % 13); }

static void recursion(void **state) {
  (void)state;
  check(
      HARNESS_HEADER
      ".func (.param .b32 rv) fib(.param .b32 v) {\n"
      ".reg .b32 n, a, b; .reg .pred p; ld.param.b32 n, [v];\n"
      "setp.lt.u32 p, n, 2; mov.b32 b, n; @p bra END;\n"
      "sub.u32 a, n, 1;\n" CALL_U32(
          "a", "fib",
          "a") "sub.u32 b, n, 2;\n" CALL_U32("b", "fib",
                                             "b") "add.u32 b, a, b;\nEND: "
                                                  "st.param.b32 [rv], b; ret; "
                                                  "}\n" KERNEL(
                                                      "rem.u32 z, x, "
                                                      "13;\n" CALL_U32(
                                                          "y", "fib", "z")),
      fibonacci_of);
}

static uint32_t is_even(uint32_t x) { return x % 40 % 2 == 0; }

static void mutual_recursion(void **state) {
  (void)state;
  check(
      HARNESS_HEADER
      ".func (.param .b32 rv) odd(.param .b32 v);\n"
      ".func (.param .b32 rv) even(.param .b32 v) {\n"
      ".reg .b32 n, r; .reg .pred p; ld.param.b32 n, [v]; mov.b32 r, 1;\n"
      "setp.eq.u32 p, n, 0; @p bra END; sub.u32 n, n, 1;\n" CALL_U32(
          "r", "odd",
          "n") "END: st.param.b32 [rv], r; ret; }\n"
               ".func (.param .b32 rv) odd(.param .b32 v) {\n"
               ".reg .b32 n, r; .reg .pred p; ld.param.b32 n, [v]; mov.b32 r, "
               "0;\n"
               "setp.eq.u32 p, n, 0; @p bra END; sub.u32 n, n, 1;\n" CALL_U32(
                   "r", "even",
                   "n") "END: st.param.b32 [rv], r; ret; "
                        "}\n" KERNEL("rem.u32 z, x, "
                                     "40;\n" CALL_U32("y", "even", "z")),
      is_even);
}

static uint32_t list_sum(uint32_t x) {
  uint32_t sum = 0;
  for (uint32_t n = x % 20; n > 0; n--)
    sum += n * n;
  return sum;
}

/// Every call has a node in local memory that points to that of its caller;
/// the last one walks the list. Addresses of variables must stay valid.
static void recursion_with_pointers(void **state) {
  (void)state;
  check(HARNESS_HEADER
        ".func (.param .b32 rv) walk(.param .b64 list, .param .b32 v) {\n"
        ".local .align 8 .b8 node[16]; .reg .b64 at, here, zero; "
        ".reg .b32 n, sum, w; .reg .pred p;\n"
        "ld.param.b64 at, [list]; ld.param.b32 n, [v]; mov.u64 here, node;\n"
        "st.local.b64 [here], at; mul.lo.u32 w, n, n; "
        "st.local.b32 [here+8], w; setp.eq.u32 p, n, 0; @p bra SUM;\n"
        "sub.u32 w, n, 1;\n"
        "{ .param .b64 a0; .param .b32 a1; .param .b32 r0;\n"
        "st.param.b64 [a0], here; st.param.b32 [a1], w;\n"
        "call.uni (r0), walk, (a0, a1); ld.param.b32 sum, [r0]; }\n"
        "ld.local.b32 w, [here+8]; mad.lo.u32 n, n, n, 0; "
        "setp.ne.u32 p, w, n; @p trap; bra END;\n"
        "SUM: mov.b32 sum, 0; mov.b64 zero, 0;\n"
        "NEXT: ld.local.b32 w, [here+8]; add.u32 sum, sum, w; "
        "ld.local.b64 here, [here]; setp.ne.u64 p, here, zero; @p bra NEXT;\n"
        "END: st.param.b32 [rv], sum; ret; }\n" KERNEL(
            "rem.u32 z, x, 20; mov.b64 r, 0;\n"
            "{ .param .b64 a0; .param .b32 a1; .param .b32 r0;\n"
            "st.param.b64 [a0], r; st.param.b32 [a1], z;\n"
            "call.uni (r0), walk, (a0, a1); ld.param.b32 y, [r0]; }\n"),
        list_sum);
}

//===-- Calls through addresses -------------------------------------------===//

#define OPERATIONS                                                             \
  ".func (.param .b32 rv) inc(.param .b32 v) { .reg .b32 x;\n"                 \
  "ld.param.b32 x, [v]; add.u32 x, x, 1; st.param.b32 [rv], x; ret; }\n"       \
  ".func (.param .b32 rv) dbl(.param .b32 v) { .reg .b32 x;\n"                 \
  "ld.param.b32 x, [v]; add.u32 x, x, x; st.param.b32 [rv], x; ret; }\n"       \
  ".func (.param .b32 rv) neg(.param .b32 v) { .reg .b32 x;\n"                 \
  "ld.param.b32 x, [v]; neg.s32 x, x; st.param.b32 [rv], x; ret; }\n"
#define CALL_POINTER(result, address, argument, names)                         \
  "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], " argument ";\n"       \
  "call (r0), " address ", (a0), " names ";\nld.param.b32 " result             \
  ", [r0]; }\n"

static uint32_t one_of_three(uint32_t x) {
  return x % 3 == 0 ? x + 1 : x % 3 == 1 ? 2 * x : 0u - x;
}

static void function_pointers(void **state) {
  (void)state;
  check(HARNESS_HEADER OPERATIONS
        ".global .align 8 .u64 table[3] = {inc, dbl, neg};\n" KERNEL(
            "TARGETS: .calltargets inc, dbl, neg;\n"
            "rem.u32 z, x, 3; mov.u64 from, table; mul.wide.u32 r, z, 8; "
            "add.u64 from, from, r; ld.global.u64 from, [from];\n" CALL_POINTER(
                "y", "from", "x", "TARGETS")),
        one_of_three);
  check(HARNESS_HEADER OPERATIONS KERNEL(
            "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
            "rem.u32 z, x, 3; mov.u64 from, inc; setp.eq.u32 p, z, 1;\n"
            "@p mov.u64 from, dbl; setp.eq.u32 p, z, 2; "
            "@p mov.u64 from, neg;\n" CALL_POINTER("y", "from", "x", "PROTO")),
        one_of_three);
}

//===-- Mistakes ----------------------------------------------------------===//

static void mistakes(void **state) {
  (void)state;
  HarnessRun deep = calls_run(
      HARNESS_HEADER
      ".func (.param .b32 rv) down(.param .b32 v) { .reg .b32 n;\n"
      "ld.param.b32 n, [v]; add.u32 n, n, 1;\n" CALL_U32(
          "n", "down",
          "n") "st.param.b32 [rv], n; ret; }\n" KERNEL(CALL_U32("y", "down",
                                                                "x")));
  harness_run_finds(&deep, "stack-overflow", "call of down: ");
  HarnessRun pointer = calls_run(HARNESS_HEADER OPERATIONS KERNEL(
      "PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "mov.u64 from, 12345;\n" CALL_POINTER("y", "from", "x", "PROTO")));
  harness_run_finds(&pointer, "bad-call", "call of 0x3039");
  HarnessRun type = calls_run(HARNESS_HEADER OPERATIONS KERNEL(
      "PROTO: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
      "mov.u64 from, inc;\n"
      "{ .param .b64 a0; .param .b32 r0; st.param.b64 [a0], r;\n"
      "call (r0), from, (a0), PROTO; ld.param.b32 y, [r0]; }\n"));
  harness_run_finds(&type, "bad-call", "call of inc with other parameters");
  HarnessRun back = calls_run(
      HARNESS_HEADER ".func fatal() .noreturn { .reg .b32 n; ret; }\n" KERNEL(
          "mov.b32 y, 0; call fatal;\n"));
  harness_run_finds(&back, "bad-call", "fatal returns");
  HarnessRun external =
      calls_run(HARNESS_HEADER ".extern .func malloc_like;\n" KERNEL(
          "mov.b32 y, 0; call malloc_like;\n"));
  harness_run_finds(&external, "unsupported", "outside of the module");
}

static void malformed(void **state) {
  (void)state;
  harness_parse_fails(HARNESS_HEADER OPERATIONS KERNEL("call inc, (x);"),
                      "0 results of other number or size");
  harness_parse_fails(
      HARNESS_HEADER OPERATIONS KERNEL(".param .b64 wide; .param .b32 r0;\n"
                                       "call (r0), inc, (wide);"),
      "1 arguments of other number or size");
  harness_parse_fails(HARNESS_HEADER
                      ".func f() { add.u32 a, b; }\n" KERNEL("call f;"),
                      "test.ptx:4: ");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(scalar_parameters),
    cmocka_unit_test(structures),
    cmocka_unit_test(registers),
    cmocka_unit_test(divergent_calls),
    cmocka_unit_test(guarded_call),
    cmocka_unit_test(recursion),
    cmocka_unit_test(mutual_recursion),
    cmocka_unit_test(recursion_with_pointers),
    cmocka_unit_test(function_pointers),
    cmocka_unit_test(mistakes),
    cmocka_unit_test(malformed),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

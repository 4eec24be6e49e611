//===- emulator-undefined-test.c - Values that nobody wrote ---------------===//
//
// Registers that a path reads before it writes them, parts of registers, local
// memory: what is reported is the first use that matters, at the instruction
// that read the undefined value first. Shared memory: emulator-memory-test.
//
//===----------------------------------------------------------------------===//

#include "emulator-harness.h"

/// One warp; `u`, `uh`, `ud`, `up` are never written, `q` is false.
#define KERNEL(body)                                                           \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 out) {\n"                                              \
  ".reg .b64 to, r0, r1, ud; .reg .b32 tid, u, v, w<16>; .reg .b16 h<4>, uh; " \
  ".reg .f32 f<4>; .reg .pred p, q, up; .shared .align 16 .b32 s[64];\n"       \
  "ld.param.u64 to, [out]; mov.u32 tid, %tid.x; mul.wide.u32 r0, tid, 4; "     \
  "add.u64 to, to, r0; setp.lt.u32 q, tid, 0; mov.u32 w0, 0;\n" body           \
  "\nret; }"
#define STORE(reg) "st.global.b32 [to], " reg ";"

static uint32_t out[64];

static HarnessRun run_of(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .block = 32, .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
  return run;
}

static void is_clean(const char *ptx) {
  HarnessRun run = run_of(ptx);
  harness_run_clean(&run);
}

static void finds(const char *ptx, const char *text) {
  HarnessRun run = run_of(ptx);
  harness_run_finds(&run, "undefined-register", text);
}

//===-- Uses --------------------------------------------------------------===//

static void uses_that_matter(void **state) {
  (void)state;
  static const char *const kernels[] = {
      KERNEL(STORE("u")),
      KERNEL("add.u32 w1, u, 3; mul.lo.u32 w1, w1, 5; " STORE("w1")),
      KERNEL("mov.u32 w1, u; cvt.rn.f32.u32 f0, w1; st.global.f32 [to], f0;"),
      KERNEL("setp.eq.u32 p, u, 3; @p bra L; " STORE("w0") " L:"),
      KERNEL("setp.eq.u32 p, u, 3; selp.b32 w1, 2, 3, p; " STORE("w1")),
      KERNEL("@up " STORE("w0")),
      KERNEL("and.b32 w1, u, 0x7c; cvt.u64.u32 r1, w1; add.u64 to, to, "
             "r1; " STORE("w0")),
      KERNEL("mov.u32 w2, s; add.u32 w2, w2, u; ld.shared.u32 w1, [w2];"),
      KERNEL("mov.u32 w2, s; add.u32 w2, w2, u; st.shared.u32 [w2], 1;"),
      KERNEL("shfl.sync.bfly.b32 w1, u, 1, 31, -1; " STORE("w1")),
      KERNEL(
          "setp.eq.u32 p, u, 3; vote.sync.ballot.b32 w1, p, -1; " STORE("w1")),
      KERNEL("redux.sync.add.u32 w1, u, -1; " STORE("w1")),
      KERNEL("match.any.sync.b32 w1, u, -1; " STORE("w1")),
      KERNEL("st.shared.u32 [s], u; bar.warp.sync -1; ld.shared.u32 w1, "
             "[s]; " STORE("w1")),
      KERNEL("red.global.add.u32 [to], u;"),
      KERNEL("and.b32 w1, u, 1; T: .branchtargets L0, L1; brx.idx w1, T; L0: "
             "L1:"),
      KERNEL("{ .local .b32 l; st.local.u32 [l], u; ld.local.u32 w1, "
             "[l]; " STORE("w1") " }"),
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
    finds(kernels[i], "is read, but nothing on this path has written it; the "
                      "value is used at ptx:");
  finds(kernels[0], "register u is read");
  finds(kernels[5], "register up is read");
}

/// The report is about the instruction that read the register, and names the
/// one that uses the value.
static void names_the_origin(void **state) {
  (void)state;
  finds(KERNEL("add.u32 w1, u, 3;\nmov.u32 w2, w1;\n" STORE("w2")),
        "at ptx:9 `st.global.b32`\n    at ptx:7 `add.u32`");
  finds(KERNEL("add.u32 w1, u, 3; st.shared.u32 [s], w1; bar.warp.sync -1;\n"
               "ld.shared.u32 w2, [s];\n" STORE("w2")),
        "at ptx:9 `st.global.b32`\n    at ptx:7 `add.u32`");
}

static void uses_that_do_not_matter(void **state) {
  (void)state;
  static const char *const kernels[] = {
      KERNEL("add.u32 w1, u, 3; mov.u32 w1, 4; " STORE("w1")),
      KERNEL("selp.b32 w1, u, w0, q; " STORE("w1")),
      KERNEL("@q add.u32 w0, u, 1; " STORE("w0")),
      KERNEL("and.b32 w1, u, w0; " STORE("w1")),
      KERNEL("or.b32 w1, u, -1; " STORE("w1")),
      KERNEL("xor.b32 w1, u, u; " STORE("w1")),
      KERNEL("lop3.b32 w1, u, v, w0, 0x80; " STORE("w1")),
      KERNEL("shl.b32 w1, u, 32; " STORE("w1")),
      KERNEL("setp.eq.u32 p, u, 3; and.pred p, p, q; selp.b32 w1, 2, 3, "
             "p; " STORE("w1")),
      KERNEL("setp.eq.u32 p, u, 3; or.pred p, p, !q; selp.b32 w1, 2, 3, "
             "p; " STORE("w1")),
      KERNEL("setp.eq.u32 p, tid, 3; @p mov.u32 u, 5; @p " STORE("u")),
      KERNEL("setp.eq.u32 p, tid, 3; @!p bra L; mov.u32 u, 5; L: "
             "selp.b32 w1, u, w0, p; " STORE("w1")),
      KERNEL("setp.gt.u32 p, tid, 9; vote.sync.any.pred p, p, -1; "
             "selp.b32 w1, 1, 2, p; " STORE("w1")),
      KERNEL("setp.gt.u32 p, tid, 9; setp.lt.u32 q, tid, 5; @q setp.eq.u32 p, "
             "u, 1; vote.sync.any.pred p, p, -1; selp.b32 w1, 1, 2, "
             "p; " STORE("w1")),
      KERNEL("mov.u32 w9, 3; L: mov.u32 u, w9; sub.u32 w9, w9, 1; "
             "setp.ne.u32 p, w9, 0; @p bra L; " STORE("u")),
      KERNEL("setp.eq.u32 p, tid, 0; @p st.shared.u32 [s], u; @p st.shared.u32 "
             "[s], "
             "w0; bar.warp.sync -1; "
             "ld.shared.u32 w1, [s]; " STORE("w1")),
      KERNEL("{ .local .b32 l[2]; st.local.u32 [l], u; st.local.u32 [l+4], 1; "
             "ld.local.u32 w1, [l+4]; st.local.u32 [l], 2; ld.local.u32 w2, "
             "[l]; add.u32 w1, w1, w2; " STORE("w1") " }"),
  };
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
    is_clean(kernels[i]);
}

//===-- Parts of registers ------------------------------------------------===//

static void parts_of_registers(void **state) {
  (void)state;
  static const char *const fine[] = {
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; and.b32 w1, w1, "
             "0xffff; " STORE("w1")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; mov.b32 {h1, h2}, w1; "
             "st.global.b16 [to], h1;"),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {uh, h0}; shr.u32 w1, w1, "
             "16; " STORE("w1")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {uh, h0}; prmt.b32 w1, w1, w1, "
             "0x3232; " STORE("w1")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {uh, h0}; bfe.u32 w1, w1, 16, "
             "16; " STORE("w1")),
      KERNEL("bfi.b32 w1, w0, u, 0, 32; " STORE("w1")),
      KERNEL("mov.b32 f0, u; mov.b32 f1, w0; copysign.f32 f2, f0, f1; "
             "mov.b32 w1, f2; and.b32 w1, w1, 0x7fffffff; " STORE("w1")),
      // Bytes that are put together one by one.
      KERNEL("prmt.b32 w1, w0, u, 0x3340; prmt.b32 w1, w1, v, 0x5410; "
             "bfi.b32 w1, w0, w1, 8, 8; bfi.b32 w1, w0, w1, 16, 8; "
             "bfi.b32 w1, w0, w1, 24, 8; " STORE("w1")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; cvt.u16.u32 h1, w1; "
             "cvt.u32.u16 w2, h1; " STORE("w2")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; "
             "fma.rn.f16x2 w1, w1, w1, w1; mov.b32 {h1, h2}, w1; "
             "st.global.b16 [to], h1;"),
      KERNEL("mov.f32 f0, 0f3f800000; mov.b32 f1, u; "
             "cvt.rn.f16x2.f32 w1, f1, f0; st.global.b8 [to], w1;"),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; st.shared.b32 [s], w1; "
             "bar.warp.sync -1; ld.shared.b16 h1, [s]; "
             "st.global.b16 [to], h1;"),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; st.global.b16 [to], w1;"),
      KERNEL("mov.b64 r1, {w0, u}; st.global.b32 [to], r1;"),
      KERNEL("st.shared.b8 [s], 1; bar.warp.sync -1; ld.shared.b32 w1, [s]; "
             "and.b32 w1, w1, 255; " STORE("w1")),
  };
  static const char *const wrong[] = {
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; and.b32 w1, w1, "
             "0x1ffff; " STORE("w1")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; mov.b32 {h1, h2}, w1; "
             "st.global.b16 [to], h2;"),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {uh, h0}; prmt.b32 w1, w1, w1, "
             "0x3231; " STORE("w1")),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; "
             "fma.rn.f16x2 w1, w1, w1, w1; mov.b32 {h1, h2}, w1; "
             "st.global.b16 [to], h2;"),
      KERNEL("mov.f32 f0, 0f3f800000; mov.b32 f1, u; "
             "cvt.rn.f16x2.f32 w1, f0, f1; st.global.b8 [to], w1;"),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; st.shared.b32 [s], w1; "
             "bar.warp.sync -1; ld.shared.b16 h1, [s+2]; "
             "st.global.b16 [to], h1;"),
      KERNEL("mov.b16 h0, 7; mov.b32 w1, {h0, uh}; add.u32 w1, w1, 1; "
             "st.global.b32 [to], w1;"),
      KERNEL("shl.b32 w1, 1, u; " STORE("w1")),
  };
  for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
    is_clean(fine[i]);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    finds(wrong[i], "the value is used at ptx:");
}

//===-- Products ----------------------------------------------------------===//

#define MMA(c)                                                                 \
  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0, f1, f2, f3}, "       \
  "{w0, w0, w0, w0}, {w0, w0}, " c "; "

static void products_pass_it_on(void **state) {
  (void)state;
  static const char loop[] = KERNEL("mov.u32 w1, 3; L: " MMA(
      "{f0, f1, f2, f3}") "sub.u32 w1, w1, 1; setp.ne.u32 p, w1, 0; @p bra L; "
                          "st.global.f32 [to], f0;");
  finds(loop, "register f0 is read");
  is_clean(KERNEL(MMA("{0f00000000, 0f00000000, 0f00000000, 0f00000000}")
                      MMA("{f0, f1, f2, f3}") "st.global.f32 [to], f0;"));
}

#define WGMMA(scale)                                                           \
  "wgmma.fence.sync.aligned; "                                                 \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d, "    \
  "d, " scale ", 1, 1, 0, 0; wgmma.commit_group.sync.aligned; "                \
  "wgmma.wait_group.sync.aligned 0; "

/// scale-d says whether the accumulators are read.
#define WGMMA_KERNEL(products)                                                 \
  HARNESS_HEADER                                                               \
  ".extern .shared .align 1024 .b8 smem[];\n"                                  \
  ".entry k(.param .u64 out) { .reg .b64 to, d, r; .reg .b32 tid, a, w; "      \
  ".reg .f32 f<4>; .reg .pred p, yes, no;\n"                                   \
  "ld.param.u64 to, [out]; mov.u32 tid, %tid.x; mov.u32 a, smem; mov.u32 w, "  \
  "tid; setp.eq.u32 yes, a, a; setp.ne.u32 no, a, a;\n"                        \
  "ZERO: shl.b32 w, w, 2; add.u32 w, w, a; st.shared.u32 [w], 0; "             \
  "sub.u32 w, w, a; shr.u32 w, w, 2; add.u32 w, w, 128; "                      \
  "setp.lt.u32 p, w, 1024; @p bra ZERO;\n"                                     \
  "fence.proxy.async; bar.sync 0; shr.u32 w, a, 4; cvt.u64.u32 d, w; "         \
  "or.b64 d, d, 0x0000000800080000;\n" products                                \
  "\nmul.wide.u32 r, tid, 4; add.u64 to, to, r; st.global.f32 [to], f1; ret; " \
  "}"

static void wgmma_passes_it_on(void **state) {
  (void)state;
  static const struct {
    const char *ptx;
    bool is_fine;
  } cases[] = {
      {WGMMA_KERNEL(WGMMA("0") WGMMA("1")), true},
      {WGMMA_KERNEL(WGMMA("no") WGMMA("yes")), true},
      {WGMMA_KERNEL(WGMMA("1")), false},
      {WGMMA_KERNEL(WGMMA("yes") WGMMA("1")), false},
  };
  static uint32_t result[128];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    HarnessRun run = {
        .ptx = cases[i].ptx, .block = 128, .smem_bytes = 8192, .num_args = 1};
    run.args[0].buffer = (HarnessBuffer){result, sizeof result, "result"};
    if (cases[i].is_fine)
      harness_run_clean(&run);
    else
      harness_run_finds(&run, "undefined-register", "register f1 is read");
  }
}

/// Descriptors and scale-d are read when a product is issued: addresses, and a
/// branch.
static void wgmma_uses_its_operands(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *text;
  } cases[] = {
      {WGMMA_KERNEL("{ .reg .pred u; " WGMMA("u") " }"), "register u is read"},
      {WGMMA_KERNEL("{ .reg .b64 d, e; add.u64 d, e, 1; " WGMMA("0") " }"),
       "register e is read"},
  };
  static uint32_t result[128];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    HarnessRun run = {
        .ptx = cases[i].ptx, .block = 128, .smem_bytes = 8192, .num_args = 1};
    run.args[0].buffer = (HarnessBuffer){result, sizeof result, "result"};
    harness_run_finds(&run, "undefined-register", cases[i].text);
  }
}

//===-- Local memory, bulk stores, paths ----------------------------------===//

static void local_memory(void **state) {
  (void)state;
  HarnessRun run =
      run_of(KERNEL("{ .local .b32 l[4]; st.local.u32 [l], 1; ld.local.u32 w1, "
                    "[l+4]; " STORE("w1") " }"));
  harness_run_finds(&run, "uninitialised-read",
                    "read of local memory+4, which the thread has not written");
  is_clean(KERNEL("{ .local .b32 l[4]; st.local.u32 [l], 1; "
                  "ld.local.v2.u32 {w1, w2}, [l]; " STORE("w1") " }"));
  is_clean(KERNEL(
      "{ .local .align 8 .b8 l[8]; st.local.u8 [l+1], 1; "
      "ld.local.u32 w1, [l]; and.b32 w1, w1, 0xff00; " STORE("w1") " }"));
}

/// Shared memory that holds an undefined value goes to global memory.
static void bulk_stores_use_it(void **state) {
  (void)state;
#define BULK(value)                                                            \
  HARNESS_HEADER                                                               \
  ".entry k(.param .u64 out) { .reg .b64 to; .reg .b32 tid, u, w<4>; "         \
  ".reg .pred p; .shared .align 128 .b32 s[32];\n"                             \
  "ld.param.u64 to, [out]; mov.u32 tid, %tid.x; mov.u32 w0, s; "               \
  "mad.lo.u32 w1, tid, 4, w0; setp.eq.u32 p, tid, 5;\n"                        \
  "st.shared.u32 [w1], " value "; fence.proxy.async; bar.sync 0; "             \
  "setp.ne.u32 p, tid, 0; @p ret;\n"                                           \
  "cp.async.bulk.global.shared::cta.bulk_group [to], [w0], 128;\n"             \
  "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }"
  finds(BULK("u"), "register u is read");
  is_clean(BULK("tid"));
}

/// Thrust searches in shared memory, where some elements have no value: a
/// branch on such a one is for the pedantic. On a register that never left it
/// is not.
static void branches_on_values_from_memory(void **state) {
  (void)state;
  HarnessRun run = run_of(
      KERNEL("mov.u32 w2, s; mad.lo.u32 w2, tid, 4, w2; st.shared.u32 [w2], u; "
             "ld.shared.u32 w1, [w2]; setp.eq.u32 p, w1, 3; @p bra L; L:"));
  harness_run_clean(&run);
  tile_emu_options_init(&run.options);
  run.options.pedantic = true;
  harness_run_finds(&run, "undefined-register(pedantic)", "register u is read");
  finds(KERNEL("mov.u32 w2, s; mad.lo.u32 w2, tid, 4, w2; st.shared.u32 [w2], "
               "u; ld.shared.u32 w1, [w2]; " STORE("w1")),
        "register u is read");
}

/// Only the lanes that come by the path without the write have no value.
static void paths_differ(void **state) {
  (void)state;
#define PATHS(storer)                                                          \
  KERNEL("setp.lt.u32 p, tid, 16; @p bra L; mov.u32 u, 1; L: add.u32 w1, u, "  \
         "1; setp.eq.u32 p, tid, " storer "; @p " STORE("w1"))
  finds(PATHS("15"), "register u is read");
  is_clean(PATHS("16"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(uses_that_matter),
    cmocka_unit_test(names_the_origin),
    cmocka_unit_test(uses_that_do_not_matter),
    cmocka_unit_test(parts_of_registers),
    cmocka_unit_test(products_pass_it_on),
    cmocka_unit_test(wgmma_passes_it_on),
    cmocka_unit_test(wgmma_uses_its_operands),
    cmocka_unit_test(local_memory),
    cmocka_unit_test(bulk_stores_use_it),
    cmocka_unit_test(branches_on_values_from_memory),
    cmocka_unit_test(paths_differ),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

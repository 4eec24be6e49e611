//===- emulator-integer-more-test.c - Carries, masks, register pools ------===//

#include "emulator-harness.h"

#define CASE(name, text, field, expr)                                          \
  HARNESS_CASE(name, harness_operands, text, field, expr)

__extension__ typedef unsigned __int128 Wide;

//===-- Carries -----------------------------------------------------------===//

/// {a, b} + {c, e} as 128-bit numbers with the low half first.
static Wide sum(HarnessOperands x) {
  return ((Wide)x.b << 64 | x.a) + ((Wide)x.e << 64 | x.c);
}
static Wide difference(HarnessOperands x) {
  return ((Wide)x.b << 64 | x.a) - ((Wide)x.e << 64 | x.c);
}

CASE(add_low, "add.cc.u64 d64, a64, c64;", d64, sum(x))
CASE(add_high, "add.cc.u64 r1, a64, c64; addc.u64 d64, b64, e64;", d64,
     sum(x) >> 64)
CASE(add_carry_out,
     "add.cc.u64 r1, a64, c64; addc.cc.u64 r1, b64, e64; addc.u32 d32, 0, 0;",
     d32, ((Wide)x.b + x.e + (((Wide)x.a + x.c) >> 64)) >> 64)
CASE(sub_high, "sub.cc.s64 r1, a64, c64; subc.s64 d64, b64, e64;", d64,
     difference(x) >> 64)
/// 64-bit sums from 32-bit words; other instructions keep the carry.
CASE(add_words,
     "mov.b64 {w1, w2}, a64; mov.b64 {w3, w4}, b64; add.cc.u32 w5, w1, w3; "
     "add.u32 w7, w1, w1; addc.cc.u32 w6, w2, w4; mov.b64 d64, {w5, w6}; "
     "addc.u32 d32, 0, 0;",
     d64, x.a + x.b)
CASE(sub_words,
     "mov.b64 {w1, w2}, a64; mov.b64 {w3, w4}, b64; sub.cc.u32 w5, w1, w3; "
     "subc.cc.u32 w6, w2, w4; mov.b64 d64, {w5, w6};",
     d64, x.a - x.b)
/// The upper half of a 64-bit product, from products of 32-bit words.
CASE(mul_words,
     "mov.b64 {w1, w2}, a64; mov.b64 {w3, w4}, b64; mov.u32 w9, 0; "
     "mul.lo.u32 w5, w1, w3; mul.hi.u32 w6, w1, w3; "
     "mad.lo.cc.u32 w6, w1, w4, w6; madc.hi.u32 w7, w1, w4, 0; "
     "mad.lo.cc.u32 w6, w2, w3, w6; madc.hi.cc.u32 w7, w2, w3, w7; "
     "addc.u32 w8, 0, 0; mad.lo.cc.u32 w7, w2, w4, w7; "
     "madc.hi.u32 w8, w2, w4, w8; mov.b64 d64, {w7, w8};",
     d64, (Wide)x.a *x.b >> 64)
CASE(mad_hi_signed, "mad.hi.cc.s32 d32, a32, b32, c32;", d32,
     (uint32_t)((int64_t)(int32_t)x.a * (int32_t)x.b >> 32) + (uint32_t)x.c)
/// A lane that does not execute the addition keeps its carry.
CASE(carry_of_a_lane,
     "add.cc.u32 w1, -1, 1; @pa add.cc.u32 w1, 0, 0; addc.u32 d32, 0, 0;", d32,
     ~x.a & 1)

//===-- Masks and permutations --------------------------------------------===//

static uint32_t low_bits(uint32_t a, uint32_t size, bool is_signed) {
  if (size == 0)
    return 0;
  if (size >= 32)
    return a;
  uint32_t mask = (1u << size) - 1;
  bool negative = is_signed && (a >> (size - 1) & 1);
  return negative ? a | ~mask : a & mask;
}

static uint32_t ones(uint32_t first, uint32_t size) {
  uint32_t mask = 0;
  for (uint32_t i = first; i < 32 && i < (uint64_t)first + size; i++)
    mask |= 1u << i;
  return mask;
}

/// Byte `i` of {b, a}.
static uint32_t byte(HarnessOperands x, uint32_t i) {
  uint64_t both = x.b << 32 | (uint32_t)x.a;
  return both >> (8 * (i & 7)) & 255;
}

static uint32_t forward(HarnessOperands x) {
  uint32_t first = x.c & 3;
  return byte(x, first) | byte(x, first + 1) << 8 | byte(x, first + 2) << 16 |
         byte(x, first + 3) << 24;
}

static uint32_t backward(HarnessOperands x) {
  uint32_t first = x.c & 3;
  return byte(x, first) | byte(x, first - 1) << 8 | byte(x, first - 2) << 16 |
         byte(x, first - 3) << 24;
}

CASE(szext_clamp, "szext.clamp.s32 d32, a32, b32;", d32,
     low_bits((uint32_t)x.a, (uint32_t)x.b, true))
CASE(szext_wrap, "szext.wrap.u32 d32, a32, b32;", d32,
     low_bits((uint32_t)x.a, x.b & 31, false))
CASE(bmsk_clamp, "bmsk.clamp.b32 d32, a32, b32;", d32,
     ones((uint32_t)x.a, (uint32_t)x.b))
CASE(bmsk_wrap, "bmsk.wrap.b32 d32, a32, b32;", d32, ones(x.a & 31, x.b & 31))
CASE(prmt_f4e, "prmt.b32.f4e d32, a32, b32, c32;", d32, forward(x))
CASE(prmt_b4e, "prmt.b32.b4e d32, a32, b32, c32;", d32, backward(x))
CASE(prmt_rc8, "prmt.b32.rc8 d32, a32, b32, c32;", d32,
     byte(x, x.c & 3) * 0x01010101u)
CASE(prmt_rc16, "prmt.b32.rc16 d32, a32, b32, c32;", d32,
     (x.c & 1 ? (uint32_t)x.a >> 16 : x.a & 0xffff) * 0x00010001u)
CASE(prmt_ecl, "prmt.b32.ecl d32, a32, b32, 2;", d32,
     byte(x, 2) * 0x00010101u | byte(x, 3) << 24)
CASE(prmt_ecr, "prmt.b32.ecr d32, a32, b32, 1;", d32,
     byte(x, 0) | byte(x, 1) * 0x01010100u)

//===-- Register pools ----------------------------------------------------===//

/// Two warpgroups of a CTA of 256 threads; registers at first: 128 each.
#define POOL_KERNEL(first, second)                                             \
  HARNESS_HEADER                                                               \
  ".entry k() .maxntid 256, 1, 1 .maxnreg 128 { .reg .b32 t; .reg .pred p; "   \
  "mov.u32 t, %tid.x; setp.gt.u32 p, t, 127; @p bra SECOND;\n" first " ret;\n" \
  "SECOND: " second " ret; }"
#define SET(direction, count)                                                  \
  "setmaxnreg." direction ".sync.aligned.u32 " count ";\n"

static HarnessRun pool_run(const char *ptx) {
  HarnessRun run = {.ptx = ptx, .block = 256};
  return run;
}

static void pools_of_registers(void **state) {
  (void)state;
  HarnessRun fits = pool_run(POOL_KERNEL(SET("dec", "40"), SET("inc", "216")));
  harness_run_clean(&fits);
  HarnessRun exceeds =
      pool_run(POOL_KERNEL(SET("dec", "40"), SET("inc", "224")));
  harness_run_finds(&exceeds, "DEADLOCK", "waits for 224 registers a thread");
  HarnessRun waits = pool_run(POOL_KERNEL("nanosleep.u32 1; nanosleep.u32 1; "
                                          "nanosleep.u32 1;" SET("dec", "24"),
                                          SET("inc", "232") SET("dec", "64")));
  harness_run_clean(&waits);
}

static void registers_in_the_wrong_direction(void **state) {
  (void)state;
  HarnessRun dec = pool_run(POOL_KERNEL(SET("dec", "136"), ""));
  harness_run_finds(&dec, "setmaxnreg",
                    "dec to 136 registers, the warp has 128");
  HarnessRun inc =
      pool_run(POOL_KERNEL(SET("inc", "128") SET("inc", "120"), ""));
  harness_run_finds(&inc, "setmaxnreg",
                    "inc to 120 registers, the warp has 128");
}

/// Without .maxntid nobody knows how many registers there are.
static void unknown_pools_are_not_counted(void **state) {
  (void)state;
  HarnessRun run = {.ptx = HARNESS_HEADER ".entry k() {" SET("inc", "256")
                        SET("dec", "24") " ret; }",
                    .block = 1024};
  harness_run_clean(&run);
}

//===-- vmad --------------------------------------------------------------===//

__extension__ typedef __int128 Exact;

/// Scales and clamps a * b + c, or wraps.
static uint32_t vmad(Exact sum, int scale, int saturates, Exact low,
                     Exact high) {
  Exact divisor = (Exact)1 << scale; // rounds down
  sum = (sum - (sum < 0 ? divisor - 1 : 0)) / divisor;
  if (saturates)
    sum = sum < low ? low : sum > high ? high : sum;
  return (uint32_t)sum;
}
static uint32_t vmad_signed(Exact sum, int scale, int saturates) {
  return vmad(sum, scale, saturates, INT32_MIN, INT32_MAX);
}

#define U(value) ((Exact)(uint32_t)(value))
#define S(value) ((Exact)(int32_t)(value))

HARNESS_CASE(vmad_unsigned, harness_operands,
             "vmad.u32.u32.u32 d32, a32, b32, c32;", d32,
             vmad(U(x.a) * U(x.b) + U(x.c), 0, 0, 0, 0))
HARNESS_CASE(vmad_plus_one, harness_operands,
             "vmad.u32.u32.u32.po.sat.shr7 d32, a32.h1, b32.b2, c32;", d32,
             vmad(U(x.a >> 16 & 0xffff) * U(x.b >> 16 & 0xff) + U(x.c) + 1, 7,
                  1, 0, UINT32_MAX))
HARNESS_CASE(vmad_unsigned_clamped, harness_operands,
             "vmad.u32.u32.u32.sat.shr15 d32, a32, b32, c32;", d32,
             vmad(U(x.a) * U(x.b) + U(x.c), 15, 1, 0, UINT32_MAX))
HARNESS_CASE(vmad_signed_words, harness_operands,
             "vmad.s32.s32.s32.sat d32, a32, b32, -c32;", d32,
             vmad_signed(S(x.a) * S(x.b) - S(x.c), 0, 1))
HARNESS_CASE(vmad_mixed, harness_operands,
             "vmad.s32.u32.s32.shr7 d32, a32, -b32.h0, c32;", d32,
             vmad_signed(S(x.c) - U(x.a) * (Exact)(int16_t)x.b, 7, 0))
HARNESS_CASE(vmad_negated, harness_operands,
             "vmad.s32.u32.u32.sat.shr15 d32, -a32, b32, c32;", d32,
             vmad_signed(S(x.c) - U(x.a) * U(x.b), 15, 1))
HARNESS_CASE(vmad_negated_twice, harness_operands,
             "vmad.s32.s32.u32.shr15 d32, -a32, -b32, c32;", d32,
             vmad_signed(S(x.a) * U(x.b) + S(x.c), 15, 0))

//===-- Vectors of special registers --------------------------------------===//

static void special_vectors(void **state) {
  (void)state;
  static uint32_t out[12 * 24]; // of 12 words by 24 threads, the last CTA
  HarnessRun run = {
      .ptx = HARNESS_HEADER
      ".visible .entry k(.param .u64 out) {"
      " .reg .pred %q; .reg .b64 %p<4>; .reg .b32 %r<20>; .reg .b16 %h<4>;"
      " mov.v4.u32 {%r0, %r1, %r2, %r3}, %tid;"
      " mov.v4.u32 {%r4, %r5, %r6, _}, %ntid;"
      " mov.v4.b32 {%r7, _, %r8, %r9}, %ctaid;"
      " mov.v4.u16 {%h0, %h1, %h2, %h3}, %nctaid;"
      " mov.u32 %r10, %tid.w; cvt.u32.u16 %r11, %h1;"
      " mad.lo.u32 %r12, %r1, %r4, %r0; ld.param.u64 %p0, [out];"
      " mul.wide.u32 %p1, %r12, 48; add.u64 %p0, %p0, %p1;"
      " setp.ne.u32 %q, %r8, 1; @%q ret;"
      " st.global.v4.u32 [%p0], {%r0, %r1, %r2, %r3};"
      " st.global.v4.u32 [%p0+16], {%r4, %r5, %r6, %r7};"
      " st.global.v4.u32 [%p0+32], {%r8, %r9, %r10, %r11}; ret; }",
      .grid = {1, 1, 2},
      .block = 24,
      .num_args = 1};
  run.args[0].buffer = (HarnessBuffer){out, sizeof out, "out"};
  harness_run_clean(&run);
  for (uint32_t t = 0; t < 24; t++) {
    const uint32_t expected[12] = {t, 0, 0, 0, 24, 1, 1, 0, 1, 0, 0, 1};
    assert_memory_equal(out + 12 * (size_t)t, expected, sizeof expected);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(add_low),
    cmocka_unit_test(add_high),
    cmocka_unit_test(add_carry_out),
    cmocka_unit_test(sub_high),
    cmocka_unit_test(add_words),
    cmocka_unit_test(sub_words),
    cmocka_unit_test(mul_words),
    cmocka_unit_test(mad_hi_signed),
    cmocka_unit_test(carry_of_a_lane),
    cmocka_unit_test(szext_clamp),
    cmocka_unit_test(szext_wrap),
    cmocka_unit_test(bmsk_clamp),
    cmocka_unit_test(bmsk_wrap),
    cmocka_unit_test(prmt_f4e),
    cmocka_unit_test(prmt_b4e),
    cmocka_unit_test(prmt_rc8),
    cmocka_unit_test(prmt_rc16),
    cmocka_unit_test(prmt_ecl),
    cmocka_unit_test(prmt_ecr),
    cmocka_unit_test(vmad_unsigned),
    cmocka_unit_test(vmad_plus_one),
    cmocka_unit_test(vmad_unsigned_clamped),
    cmocka_unit_test(vmad_signed_words),
    cmocka_unit_test(vmad_mixed),
    cmocka_unit_test(vmad_negated),
    cmocka_unit_test(vmad_negated_twice),
    cmocka_unit_test(special_vectors),
    cmocka_unit_test(pools_of_registers),
    cmocka_unit_test(registers_in_the_wrong_direction),
    cmocka_unit_test(unknown_pools_are_not_counted),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

//===- emulator-integer-test.c - Integer instructions of the emulator -----===//

#include "emulator-harness.h"

#define CASE(name, text, field, expr)                                          \
  HARNESS_CASE(name, harness_operands, text, field, expr)

#define A32 ((uint32_t)x.a)
#define B32 ((uint32_t)x.b)
#define C32 ((uint32_t)x.c)
#define E32 ((uint32_t)x.e)
#define SA32 ((int32_t)x.a)
#define SB32 ((int32_t)x.b)
#define A16 ((uint16_t)x.a)
#define B16 ((uint16_t)x.b)
#define SA16 ((int16_t)x.a)
#define SB16 ((int16_t)x.b)
__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

//===-- Arithmetic --------------------------------------------------------===//

CASE(add_u32, "add.u32 d32, a32, b32;", d32, A32 + B32)
CASE(add_s64, "add.s64 d64, a64, b64;", d64, x.a + x.b)
CASE(add_u16, "add.u16 d16, a16, b16;", d16, (uint16_t)(A16 + B16))
CASE(add_immediate, "add.s32 d32, a32, -7;", d32, A32 - 7)
CASE(sub_s32, "sub.s32 d32, a32, b32;", d32, A32 - B32)
CASE(mul_lo_u32, "mul.lo.u32 d32, a32, b32;", d32, A32 *B32)
CASE(mul_lo_s64, "mul.lo.s64 d64, a64, b64;", d64, x.a *x.b)
CASE(mul_hi_u32, "mul.hi.u32 d32, a32, b32;", d32, (uint64_t)A32 *B32 >> 32)
CASE(mul_hi_s32, "mul.hi.s32 d32, a32, b32;", d32,
     (uint32_t)((int64_t)SA32 * SB32 >> 32))
CASE(mul_hi_u64, "mul.hi.u64 d64, a64, b64;", d64, (Wide)x.a *x.b >> 64)
CASE(mul_hi_s64, "mul.hi.s64 d64, a64, b64;", d64,
     (SignedWide)(int64_t)x.a *(int64_t)x.b >> 64)
CASE(mul_hi_u16, "mul.hi.u16 d16, a16, b16;", d16, (uint32_t)A16 *B16 >> 16)
CASE(mul_wide_u32, "mul.wide.u32 d64, a32, b32;", d64, (uint64_t)A32 *B32)
CASE(mul_wide_s32, "mul.wide.s32 d64, a32, b32;", d64, (int64_t)SA32 *SB32)
CASE(mul_wide_s16, "mul.wide.s16 d32, a16, b16;", d32, (uint32_t)(SA16 * SB16))
CASE(mad_lo, "mad.lo.s32 d32, a32, b32, c32;", d32, A32 *B32 + C32)
CASE(mad_hi, "mad.hi.u32 d32, a32, b32, c32;", d32,
     (uint32_t)((uint64_t)A32 * B32 >> 32) + C32)
CASE(mad_wide_s32, "mad.wide.s32 d64, a32, b32, c64;", d64,
     (uint64_t)((int64_t)SA32 * SB32) + x.c)
CASE(mad_wide_u16, "mad.wide.u16 d32, a16, b16, c32;", d32,
     (uint32_t)A16 *B16 + C32)
CASE(add_sat, "add.sat.s32 d32, a32, b32;", d32,
     (uint32_t)((int64_t)SA32 + SB32 > INT32_MAX   ? INT32_MAX
                : (int64_t)SA32 + SB32 < INT32_MIN ? INT32_MIN
                                                   : SA32 + (int64_t)SB32))
CASE(div_u32, "div.u32 d32, a32, b32;", d32, B32 ? A32 / B32 : UINT32_MAX)
CASE(div_s32, "div.s32 d32, a32, b32;", d32,
     SB32 == 0    ? UINT32_MAX
     : SB32 == -1 ? 0 - A32
                  : (uint32_t)(SA32 / SB32))
CASE(div_s16, "div.s16 d16, a16, b16;", d16,
     SB16 == 0 ? 0xffff : (uint16_t)(SA16 / SB16))
CASE(div_u64, "div.u64 d64, a64, b64;", d64, x.b ? x.a / x.b : UINT64_MAX)
CASE(rem_u32, "rem.u32 d32, a32, b32;", d32, B32 ? A32 % B32 : UINT32_MAX)
CASE(rem_s64, "rem.s64 d64, a64, b64;", d64,
     x.b == 0            ? UINT64_MAX
     : x.b == UINT64_MAX ? 0
                         : (uint64_t)((int64_t)x.a % (int64_t)x.b))
CASE(min_s32, "min.s32 d32, a32, b32;", d32, SA32 < SB32 ? A32 : B32)
CASE(max_u64, "max.u64 d64, a64, b64;", d64, x.a > x.b ? x.a : x.b)
CASE(max_s16, "max.s16 d16, a16, b16;", d16, SA16 > SB16 ? A16 : B16)
CASE(abs_s32, "abs.s32 d32, a32;", d32, SA32 < 0 ? 0 - A32 : A32)
CASE(neg_s64, "neg.s64 d64, a64;", d64, 0 - x.a)
CASE(sad_s32, "sad.s32 d32, a32, b32, c32;", d32,
     C32 + (SA32 < SB32 ? B32 - A32 : A32 - B32))

//===-- Logic -------------------------------------------------------------===//

CASE(and_b32, "and.b32 d32, a32, b32;", d32, A32 &B32)
CASE(or_b64, "or.b64 d64, a64, b64;", d64, x.a | x.b)
CASE(xor_b16, "xor.b16 d16, a16, b16;", d16, A16 ^ B16)
CASE(not_b32, "not.b32 d32, a32;", d32, ~A32)
CASE(cnot_b32, "cnot.b32 d32, a32;", d32, A32 == 0)
CASE(and_pred, "and.pred p, pa, pb;", p, x.a & x.b & 1)
CASE(or_negated_pred, "or.pred p, pa, !pb;", p, (x.a | ~x.b) & 1)
CASE(not_pred, "not.pred p, pa;", p, ~x.a & 1)
CASE(xor_pred, "xor.pred p, pa, pb;", p, (x.a ^ x.b) & 1)
CASE(shl_b32, "shl.b32 d32, a32, b32;", d32, B32 > 31 ? 0 : A32 << B32)
CASE(shl_b64, "shl.b64 d64, a64, b32;", d64, B32 > 63 ? 0 : x.a << B32)
CASE(shr_u32, "shr.u32 d32, a32, b32;", d32, B32 > 31 ? 0 : A32 >> B32)
CASE(shr_s32, "shr.s32 d32, a32, b32;", d32,
     (uint32_t)(SA32 >> (B32 > 31 ? 31 : B32)))
CASE(shr_s64, "shr.s64 d64, a64, b32;", d64,
     (int64_t)x.a >> (B32 > 63 ? 63 : B32))
CASE(shr_s16, "shr.s16 d16, a16, b32;", d16,
     (uint16_t)(SA16 >> (B32 > 15 ? 15 : B32)))

//===-- Bits --------------------------------------------------------------===//

static uint32_t count_bits(uint64_t value) {
  uint32_t count = 0;
  for (; value; value >>= 1)
    count += value & 1;
  return count;
}

/// Position of the most significant set bit, or -1.
static int top_bit(uint64_t value) {
  int top = -1;
  for (int i = 0; i < 64; i++)
    top = value >> i & 1 ? i : top;
  return top;
}

static uint64_t reverse(uint64_t value, int width) {
  uint64_t result = 0;
  for (int i = 0; i < width; i++)
    result |= (value >> i & 1) << (width - 1 - i);
  return result;
}

/// The pseudocode of PTX ISA, "bfe".
static uint64_t bfe(uint64_t a, uint32_t b, uint32_t c, int msb,
                    bool is_signed) {
  int position = b & 0xff, length = c & 0xff;
  int sign_at = position + length - 1 < msb ? position + length - 1 : msb;
  uint64_t sign = is_signed && length ? a >> sign_at & 1 : 0, result = 0;
  for (int i = 0; i <= msb; i++) {
    bool exists = i < length && position + i <= msb;
    result |= (exists ? a >> (position + i) & 1 : sign) << i;
  }
  return result;
}

/// The pseudocode of PTX ISA, "bfi".
static uint64_t bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, int msb) {
  int position = c & 0xff, length = d & 0xff;
  for (int i = 0; i < length && position + i <= msb; i++) {
    b &= ~(1ull << (position + i));
    b |= (a >> i & 1) << (position + i);
  }
  return b;
}

static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i++) {
    uint32_t at = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> at & 1) << i;
  }
  return result;
}

static uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
  uint8_t bytes[8];
  memcpy(bytes, &a, 4);
  memcpy(bytes + 4, &b, 4);
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t pick = c >> (4 * i) & 15;
    uint32_t byte = bytes[pick & 7];
    result |= (pick & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
  }
  return result;
}

static uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
  int32_t sum = (int32_t)c;
  for (int i = 0; i < 4; i++)
    sum = (int32_t)((uint32_t)sum + (uint32_t)((int8_t)(a >> (8 * i)) *
                                               (int)(uint8_t)(b >> (8 * i))));
  return (uint32_t)sum;
}

CASE(popc_b32, "popc.b32 d32, a32;", d32, count_bits(A32))
CASE(popc_b64, "popc.b64 d32, a64;", d32, count_bits(x.a))
CASE(clz_b32, "clz.b32 d32, a32;", d32, (uint32_t)(31 - top_bit(A32)))
CASE(clz_b64, "clz.b64 d32, a64;", d32, (uint32_t)(63 - top_bit(x.a)))
CASE(brev_b32, "brev.b32 d32, a32;", d32, reverse(A32, 32))
CASE(brev_b64, "brev.b64 d64, a64;", d64, reverse(x.a, 64))
CASE(bfind_u32, "bfind.u32 d32, a32;", d32, (uint32_t)top_bit(A32))
CASE(bfind_s32, "bfind.s32 d32, a32;", d32,
     (uint32_t)top_bit(SA32 < 0 ? ~A32 : A32))
CASE(bfind_shiftamt, "bfind.shiftamt.u32 d32, a32;", d32,
     A32 ? (uint32_t)(31 - top_bit(A32)) : UINT32_MAX)
CASE(bfind_u64, "bfind.u64 d32, a64;", d32, (uint32_t)top_bit(x.a))
CASE(bfe_u32, "bfe.u32 d32, a32, b32, c32;", d32, bfe(A32, B32, C32, 31, false))
CASE(bfe_s32, "bfe.s32 d32, a32, b32, c32;", d32, bfe(A32, B32, C32, 31, true))
CASE(bfe_s64, "bfe.s64 d64, a64, b32, c32;", d64, bfe(x.a, B32, C32, 63, true))
CASE(bfi_b32, "bfi.b32 d32, a32, b32, c32, e32;", d32,
     (uint32_t)bfi(A32, B32, C32, E32, 31))
CASE(bfi_b64, "bfi.b64 d64, a64, b64, c32, e32;", d64,
     bfi(x.a, x.b, C32, E32, 63))
CASE(shf_l_wrap, "shf.l.wrap.b32 d32, a32, b32, c32;", d32,
     (uint32_t)(((uint64_t)B32 << 32 | A32) << (C32 & 31) >> 32))
CASE(shf_r_clamp, "shf.r.clamp.b32 d32, a32, b32, c32;", d32,
     (uint32_t)(((uint64_t)B32 << 32 | A32) >> (C32 > 32 ? 32 : C32)))
CASE(lop3_b32, "lop3.b32 d32, a32, b32, c32, 0xca;", d32,
     lop3(A32, B32, C32, 0xca))
CASE(prmt_b32, "prmt.b32 d32, a32, b32, c32;", d32, prmt(A32, B32, C32))
CASE(dp4a_s32_u32, "dp4a.s32.u32 d32, a32, b32, c32;", d32, dp4a(A32, B32, C32))

//===-- Comparison and selection ------------------------------------------===//

CASE(setp_lt_s32, "setp.lt.s32 p|q, a32, b32;", p, SA32 < SB32)
CASE(setp_second, "setp.lt.s32 p|q, a32, b32;", q, SA32 >= SB32)
CASE(setp_hs_u32, "setp.hs.u32 p, a32, b32;", p, A32 >= B32)
CASE(setp_ne_b64, "setp.ne.b64 p, a64, b64;", p, x.a != x.b)
CASE(setp_le_u16, "setp.le.u16 p, a16, b16;", p, A16 <= B16)
CASE(setp_and, "setp.gt.and.u32 p, a32, b32, pb;", p, (A32 > B32) & (x.b & 1))
CASE(setp_or_not, "setp.eq.or.u32 p, a32, b32, !pb;", p,
     (A32 == B32) | (~x.b & 1))
CASE(set_u32, "set.lt.u32.s32 d32, a32, b32;", d32,
     SA32 < SB32 ? UINT32_MAX : 0)
CASE(set_f32, "set.lt.f32.s32 fd, a32, b32;", fd, SA32 < SB32 ? 0x3f800000 : 0)
CASE(selp_b32, "selp.b32 d32, a32, b32, pb;", d32, x.b & 1 ? A32 : B32)
CASE(selp_b64, "selp.b64 d64, a64, b64, pa;", d64, x.a & 1 ? x.a : x.b)
CASE(slct_s32, "slct.u32.s32 d32, a32, b32, c32;", d32,
     (int32_t)x.c >= 0 ? A32 : B32)

//===-- Moves and integer conversions -------------------------------------===//

CASE(mov_pack, "mov.b64 d64, {a32, b32};", d64, (uint64_t)B32 << 32 | A32)
CASE(mov_pack16, "mov.b32 d32, {a16, b16};", d32, (uint32_t)B16 << 16 | A16)
CASE(mov_unpack, "mov.b64 {d32, w1}, a64;", d32, A32)
CASE(mov_unpack_sink, "mov.b64 {_, d32}, a64;", d32, x.a >> 32)
CASE(mov_pred, "mov.pred p, !pa;", p, ~x.a & 1)
CASE(guard, "@pa mov.b32 d32, a32;", d32, x.a & 1 ? A32 : 0)
CASE(guard_negated, "@!pa mov.b32 d32, a32;", d32, x.a & 1 ? 0 : A32)
CASE(cvt_s64_s32, "cvt.s64.s32 d64, a32;", d64, (int64_t)SA32)
CASE(cvt_u32_s8, "cvt.u32.s8 d32, a32;", d32, (uint32_t)(int8_t)x.a)
CASE(cvt_s16_u64, "cvt.s16.u64 d16, a64;", d16, A16)
CASE(cvt_sat_s8, "cvt.sat.s8.s32 d32, a32;", d32,
     (uint32_t)(SA32 > 127    ? 127
                : SA32 < -128 ? -128
                              : SA32))
CASE(cvt_sat_u16, "cvt.sat.u16.s32 d16, a32;", d16,
     SA32 > 0xffff ? 0xffff
     : SA32 < 0    ? 0
                   : SA32)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(add_u32),         cmocka_unit_test(add_s64),
    cmocka_unit_test(add_u16),         cmocka_unit_test(add_immediate),
    cmocka_unit_test(sub_s32),         cmocka_unit_test(mul_lo_u32),
    cmocka_unit_test(mul_lo_s64),      cmocka_unit_test(mul_hi_u32),
    cmocka_unit_test(mul_hi_s32),      cmocka_unit_test(mul_hi_u64),
    cmocka_unit_test(mul_hi_s64),      cmocka_unit_test(mul_hi_u16),
    cmocka_unit_test(mul_wide_u32),    cmocka_unit_test(mul_wide_s32),
    cmocka_unit_test(mul_wide_s16),    cmocka_unit_test(mad_lo),
    cmocka_unit_test(mad_hi),          cmocka_unit_test(mad_wide_s32),
    cmocka_unit_test(mad_wide_u16),    cmocka_unit_test(add_sat),
    cmocka_unit_test(div_u32),         cmocka_unit_test(div_s32),
    cmocka_unit_test(div_s16),         cmocka_unit_test(div_u64),
    cmocka_unit_test(rem_u32),         cmocka_unit_test(rem_s64),
    cmocka_unit_test(min_s32),         cmocka_unit_test(max_u64),
    cmocka_unit_test(max_s16),         cmocka_unit_test(abs_s32),
    cmocka_unit_test(neg_s64),         cmocka_unit_test(sad_s32),
    cmocka_unit_test(and_b32),         cmocka_unit_test(or_b64),
    cmocka_unit_test(xor_b16),         cmocka_unit_test(not_b32),
    cmocka_unit_test(cnot_b32),        cmocka_unit_test(and_pred),
    cmocka_unit_test(or_negated_pred), cmocka_unit_test(not_pred),
    cmocka_unit_test(xor_pred),        cmocka_unit_test(shl_b32),
    cmocka_unit_test(shl_b64),         cmocka_unit_test(shr_u32),
    cmocka_unit_test(shr_s32),         cmocka_unit_test(shr_s64),
    cmocka_unit_test(shr_s16),         cmocka_unit_test(popc_b32),
    cmocka_unit_test(popc_b64),        cmocka_unit_test(clz_b32),
    cmocka_unit_test(clz_b64),         cmocka_unit_test(brev_b32),
    cmocka_unit_test(brev_b64),        cmocka_unit_test(bfind_u32),
    cmocka_unit_test(bfind_s32),       cmocka_unit_test(bfind_shiftamt),
    cmocka_unit_test(bfind_u64),       cmocka_unit_test(bfe_u32),
    cmocka_unit_test(bfe_s32),         cmocka_unit_test(bfe_s64),
    cmocka_unit_test(bfi_b32),         cmocka_unit_test(bfi_b64),
    cmocka_unit_test(shf_l_wrap),      cmocka_unit_test(shf_r_clamp),
    cmocka_unit_test(lop3_b32),        cmocka_unit_test(prmt_b32),
    cmocka_unit_test(dp4a_s32_u32),    cmocka_unit_test(setp_lt_s32),
    cmocka_unit_test(setp_second),     cmocka_unit_test(setp_hs_u32),
    cmocka_unit_test(setp_ne_b64),     cmocka_unit_test(setp_le_u16),
    cmocka_unit_test(setp_and),        cmocka_unit_test(setp_or_not),
    cmocka_unit_test(set_u32),         cmocka_unit_test(set_f32),
    cmocka_unit_test(selp_b32),        cmocka_unit_test(selp_b64),
    cmocka_unit_test(slct_s32),        cmocka_unit_test(mov_pack),
    cmocka_unit_test(mov_pack16),      cmocka_unit_test(mov_unpack),
    cmocka_unit_test(mov_unpack_sink), cmocka_unit_test(mov_pred),
    cmocka_unit_test(guard),           cmocka_unit_test(guard_negated),
    cmocka_unit_test(cvt_s64_s32),     cmocka_unit_test(cvt_u32_s8),
    cmocka_unit_test(cvt_s16_u64),     cmocka_unit_test(cvt_sat_s8),
    cmocka_unit_test(cvt_sat_u16),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }

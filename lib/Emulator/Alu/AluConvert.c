//===- AluConvert.c - cvt -------------------------------------------------===//
//
// PTX ISA, "cvt". A general conversion goes through a double or a 64-bit
// integer; frequent pairs of types have a loop of their own. Destination
// registers may be wider than the type; integers are extended to 32 bits.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"
#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"
#include "NarrowFloat.h"

#include <math.h>

//===-- Narrow formats ----------------------------------------------------===//

static uint16_t f16_truncate(float number) {
  uint32_t bits = tile_bits_of_f32(number), magnitude = bits & 0x7fffffffu;
  uint32_t sign = (bits >> 16) & 0x8000u;
  if (magnitude > 0x7f800000u)
    return 0x7fff;
  if (magnitude == 0x7f800000u)
    return (uint16_t)(sign | 0x7c00u);
  if (magnitude >= 0x47800000u)
    return (uint16_t)(sign | 0x7bffu);
  if (magnitude >= 0x38800000u)
    return (uint16_t)(sign | (magnitude - 0x38000000u) >> 13);
  if (magnitude < 0x33800000u) // below the smallest subnormal, 2^-24
    return (uint16_t)sign;
  uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  return (uint16_t)(sign | mantissa >> (126 - (magnitude >> 23)));
}

/// Round toward zero; larger than the largest finite number gives that.
static uint16_t bf16_truncate(float number) {
  uint32_t bits = tile_bits_of_f32(number);
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : bits >> 16);
}

/// .rna: to nearest, ties away from zero; the low 13 bits are zero.
static float tf32_of_f32(float number) {
  uint32_t bits = tile_bits_of_f32(number);
  if ((bits & 0x7f800000u) != 0x7f800000u)
    bits += 0x1000u;
  return tile_f32_of_bits(bits & ~0x1fffu);
}

/// A format of 8 bits with saturation: rounds to `mantissa_bits`.
static uint8_t round_to_fp8(float number, float largest, int mantissa_bits,
                            int min_exponent, uint32_t largest_bits) {
  uint32_t sign = tile_bits_of_f32(number) >> 31 << 7;
  if (isnan(number))
    return 0x7f;
  float magnitude = fminf(fabsf(number), largest);
  int exponent;
  frexpf(magnitude, &exponent);
  exponent--;
  if (exponent < min_exponent)
    exponent = min_exponent;
  uint32_t one = 1u << mantissa_bits;
  uint32_t mantissa =
      (uint32_t)nearbyintf(ldexpf(magnitude, mantissa_bits - exponent));
  if (mantissa >= 2 * one) {
    mantissa /= 2;
    exponent++;
  }
  if (mantissa < one) // subnormal
    return (uint8_t)(sign | mantissa);
  uint32_t biased = (uint32_t)(exponent - min_exponent + 1);
  uint32_t result = biased << mantissa_bits | (mantissa - one);
  return (uint8_t)(sign | (result > largest_bits ? largest_bits : result));
}

/// .rn.satfinite
static uint8_t e4m3_of_f32(float number) {
  return round_to_fp8(number, 448.0f, 3, -6, 0x7e);
}

/// .rn.satfinite
static uint8_t e5m2_of_f32(float number) {
  return round_to_fp8(number, 57344.0f, 2, -14, 0x7b);
}

//===-- cvt.pack ----------------------------------------------------------===//

// PTX ISA, "cvt.pack": two s32 are clamped to a narrow integer type and packed
// below what another register already has.

static uint32_t clamped(int32_t x, uint32_t bits, bool is_signed) {
  int32_t high = (int32_t)((1u << (bits - is_signed)) - 1);
  int32_t low = is_signed ? -high - 1 : 0;
  int32_t result = x < low ? low : x > high ? high : x;
  return (uint32_t)result & ((1u << bits) - 1);
}

/// d = {low bits of c, a, b}; there is no c when a and b fill the register.
static TileLanes cvt_pack(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  const uint32_t *c = tile_u32(warp, insn->c);
  uint32_t bits = insn->as.pack.elem_bits;
  bool is_signed = insn->as.pack.is_signed;
  TILE_FOR_LANES (l, lanes) {
    uint32_t rest = bits < 16 ? c[l] << (2 * bits) : 0;
    d[l] = rest | clamped((int32_t)a[l], bits, is_signed) << bits |
           clamped((int32_t)b[l], bits, is_signed);
  }
  return 0;
}

void tile_emu_decode_cvt_pack(TileDecoder *decoder) {
  static const char *const types[] = {"u2", "s2", "u4",  "s4",
                                      "u8", "s8", "u16", "s16"};
  TileInsn *insn = decoder->insn;
  int type = tile_decode_choice(decoder, types, 8);
  tile_decode_allow(decoder, "pack sat u2 s2 u4 s4");
  if (type < 0 || !tile_decode_has(decoder, "s32")) {
    tile_decode_unsupported(decoder, "types");
    return;
  }
  uint32_t bits = 2u << (type / 2);
  uint32_t num_ops = bits < 16 ? 4 : 3;
  if (!tile_decode_count(decoder, num_ops, num_ops))
    return;
  insn->as.pack.elem_bits = (uint8_t)bits;
  insn->as.pack.is_signed = type % 2;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B32);
  insn->a = tile_decode_src(decoder, 1, TILE_PTX_S32);
  insn->b = tile_decode_src(decoder, 2, TILE_PTX_S32);
  if (num_ops == 4)
    insn->c = tile_decode_src(decoder, 3, TILE_PTX_B32);
  insn->exec = cvt_pack;
}

//===-- cvt ---------------------------------------------------------------===//

typedef enum { RN, RZ, RM, RP, RNI, RZI, RMI, RPI, RNA } Rounding;

/// NaN of f32 has one bit pattern.
static inline float canonical(float x) {
  return isnan(x) ? tile_f32_of_bits(0x7fffffffu) : x;
}

//===-- Frequent pairs ----------------------------------------------------===//

#define CONVERT(name, D, S, expr)                                              \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    D *d = (D *)(warp->regs + insn->dst);                                      \
    const S *a = (const S *)(warp->regs + insn->a);                            \
    TILE_VECTOR(lanes, S x = a[l]; d[l] = (D)(expr));                          \
    return 0;                                                                  \
  }
CONVERT(bf16_of_f32, uint32_t, float, tile_bf16_of_f32(x))
CONVERT(f16_of_f32, uint32_t, float, tile_f16_of_f32(x))
CONVERT(f32_of_bf16, float, uint32_t, tile_f32_of_bf16(x))
CONVERT(f32_of_f16, float, uint32_t, canonical(tile_f32_of_f16(x & 0xffff)))
CONVERT(u64_of_u32, uint64_t, uint32_t, x)
CONVERT(s64_of_s32, uint64_t, int32_t, (int64_t)x)
CONVERT(u32_of_u64, uint32_t, uint64_t, x)
CONVERT(f32_of_s32, float, int32_t, x)
CONVERT(f32_of_u32, float, uint32_t, x)

typedef struct {
  TilePtxType to, from;
  TileExec exec;
} FastPair;

static const FastPair fast_pairs[] = {
    {TILE_PTX_BF16, TILE_PTX_F32, bf16_of_f32},
    {TILE_PTX_F16, TILE_PTX_F32, f16_of_f32},
    {TILE_PTX_F32, TILE_PTX_BF16, f32_of_bf16},
    {TILE_PTX_F32, TILE_PTX_F16, f32_of_f16},
    {TILE_PTX_U64, TILE_PTX_U32, u64_of_u32},
    {TILE_PTX_S64, TILE_PTX_U32, u64_of_u32},
    {TILE_PTX_S64, TILE_PTX_S32, s64_of_s32},
    {TILE_PTX_U64, TILE_PTX_S32, s64_of_s32},
    {TILE_PTX_U32, TILE_PTX_U64, u32_of_u64},
    {TILE_PTX_U32, TILE_PTX_S64, u32_of_u64},
    {TILE_PTX_S32, TILE_PTX_U64, u32_of_u64},
    {TILE_PTX_S32, TILE_PTX_S64, u32_of_u64},
    {TILE_PTX_F32, TILE_PTX_S32, f32_of_s32},
    {TILE_PTX_F32, TILE_PTX_U32, f32_of_u32},
};

//===-- Packed results ----------------------------------------------------===//

/// .relu: negative numbers become 0, NaN stays.
static inline float relu(float x, bool is_relu) {
  return is_relu && x <= 0.0f ? 0.0f : x;
}

enum { F16_LARGEST = 0x7bff, BF16_LARGEST = 0x7f7f };

/// .satfinite: infinite results become the largest number; `bits` is a half.
static inline uint32_t finite_half(uint32_t bits, uint32_t largest,
                                   bool is_finite) {
  return is_finite && (bits & 0x7fffu) == largest + 1
             ? (bits & 0x8000u) | largest
             : bits;
}

/// cvt.d.f32 d, a, b: a goes to the upper half.
#define PACK(name, bits, largest, narrow)                                      \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const float *a = tile_f32(warp, insn->a), *b = tile_f32(warp, insn->b);    \
    bool is_relu = insn->as.convert.relu;                                      \
    bool is_finite = (largest) && insn->as.convert.saturate_finite;            \
    TILE_VECTOR(lanes, uint32_t high = narrow(relu(a[l], is_relu));            \
                uint32_t low = narrow(relu(b[l], is_relu));                    \
                d[l] = finite_half(high, largest, is_finite) << (bits) |       \
                       finite_half(low, largest, is_finite));                  \
    return 0;                                                                  \
  }
PACK(bf16x2_of_f32, 16, BF16_LARGEST, tile_bf16_of_f32)
PACK(f16x2_of_f32, 16, F16_LARGEST, tile_f16_of_f32)
PACK(bf16x2_of_f32_rz, 16, BF16_LARGEST, bf16_truncate)
PACK(f16x2_of_f32_rz, 16, F16_LARGEST, f16_truncate)
PACK(e4m3x2_of_f32, 8, 0, e4m3_of_f32)
PACK(e5m2x2_of_f32, 8, 0, e5m2_of_f32)

/// Two fp8 to two f16, and back.
#define REPACK(name, to, from, to_bits, from_bits)                             \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    uint32_t *d = tile_u32(warp, insn->dst);                                   \
    const uint32_t *a = tile_u32(warp, insn->a);                               \
    uint32_t mask = (1u << (from_bits)) - 1;                                   \
    bool is_relu = insn->as.convert.relu;                                      \
    TILE_VECTOR(lanes, uint32_t x = a[l];                                      \
                uint32_t low = to(relu(from(x & mask), is_relu));              \
                uint32_t high =                                                \
                    to(relu(from(x >> (from_bits) & mask), is_relu));          \
                d[l] = low | high << (to_bits));                               \
    return 0;                                                                  \
  }
REPACK(f16x2_of_e4m3x2, tile_f16_of_f32, tile_f32_of_e4m3, 16, 8)
REPACK(f16x2_of_e5m2x2, tile_f16_of_f32, tile_f32_of_e5m2, 16, 8)
REPACK(e4m3x2_of_f16x2, e4m3_of_f32, tile_f32_of_f16, 8, 16)
REPACK(e5m2x2_of_f16x2, e5m2_of_f32, tile_f32_of_f16, 8, 16)

typedef struct {
  TilePtxType to, from;
  bool is_rz;
  TileExec exec;
} PackedPair;

static const PackedPair packed_pairs[] = {
    {TILE_PTX_BF16X2, TILE_PTX_F32, false, bf16x2_of_f32},
    {TILE_PTX_BF16X2, TILE_PTX_F32, true, bf16x2_of_f32_rz},
    {TILE_PTX_F16X2, TILE_PTX_F32, false, f16x2_of_f32},
    {TILE_PTX_F16X2, TILE_PTX_F32, true, f16x2_of_f32_rz},
    {TILE_PTX_E4M3X2, TILE_PTX_F32, false, e4m3x2_of_f32},
    {TILE_PTX_E5M2X2, TILE_PTX_F32, false, e5m2x2_of_f32},
    {TILE_PTX_F16X2, TILE_PTX_E4M3X2, false, f16x2_of_e4m3x2},
    {TILE_PTX_F16X2, TILE_PTX_E5M2X2, false, f16x2_of_e5m2x2},
    {TILE_PTX_E4M3X2, TILE_PTX_F16X2, false, e4m3x2_of_f16x2},
    {TILE_PTX_E5M2X2, TILE_PTX_F16X2, false, e5m2x2_of_f16x2},
};

static TileExec packed_exec(TilePtxType to, TilePtxType from, bool is_rz) {
  for (size_t i = 0; i < sizeof packed_pairs / sizeof packed_pairs[0]; i++)
    if (packed_pairs[i].to == to && packed_pairs[i].from == from &&
        packed_pairs[i].is_rz == is_rz)
      return packed_pairs[i].exec;
  return NULL;
}

//===-- General conversion ------------------------------------------------===//

typedef struct {
  double number;
  int64_t integer;
  bool is_float, is_u64;
} Value;

static Value load(TilePtxType type, uint64_t raw, bool is_flushed) {
  if (is_flushed && type == TILE_PTX_F32)
    raw = tile_f32_flush((uint32_t)raw);
  Value value = {.is_float = tile_emu_type_is_float(type)};
  uint32_t bits = 8 * tile_emu_type_bytes(type);
  switch (type) {
  case TILE_PTX_F16:
    value.number = (double)tile_f32_of_f16((uint32_t)raw & 0xffff);
    return value;
  case TILE_PTX_BF16:
    value.number = (double)tile_f32_of_bf16((uint32_t)raw);
    return value;
  case TILE_PTX_F32:
  case TILE_PTX_TF32:
    value.number = (double)tile_f32_of_bits((uint32_t)raw);
    return value;
  case TILE_PTX_F64:
    memcpy(&value.number, &raw, sizeof raw);
    return value;
  default:
    break;
  }
  raw <<= 64 - bits;
  value.is_u64 = type == TILE_PTX_U64;
  value.integer = tile_emu_type_is_signed(type) ? (int64_t)raw >> (64 - bits)
                                                : (int64_t)(raw >> (64 - bits));
  return value;
}

static double round_to_integer(Rounding rounding, double number) {
  switch (rounding) {
  case RZI:
  case RZ:
    return trunc(number);
  case RMI:
  case RM:
    return floor(number);
  case RPI:
  case RP:
    return ceil(number);
  default:
    return nearbyint(number);
  }
}

/// The f32 next to `number` on the side the rounding mode asks for.
static float round_to_f32(Rounding rounding, double number) {
  float nearest = (float)number;
  bool too_large = (double)nearest > number,
       too_small = (double)nearest < number;
  if (rounding == RZ)
    rounding = number < 0 ? RP : RM;
  if (rounding == RM && too_large)
    return nextafterf(nearest, -INFINITY);
  if (rounding == RP && too_small)
    return nextafterf(nearest, INFINITY);
  return nearest;
}

/// tf32 has 10 bits of mantissa; .rna, .rn or .rz.
static uint32_t tf32_of(Rounding rounding, float number, bool is_finite) {
  uint32_t bits = tile_bits_of_f32(number);
  bool is_number = (bits & 0x7fffffffu) <= 0x7f800000u;
  if (!is_number && rounding != RNA)
    bits = 0x7fffe000u;
  else if (rounding == RNA || !is_number)
    bits = tile_bits_of_f32(tf32_of_f32(number));
  else if (rounding == RN)
    bits = (bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu;
  else
    bits &= ~0x1fffu;
  if (is_finite && (bits & 0x7fffffffu) == 0x7f800000u)
    bits -= 0x2000u;
  return bits;
}

/// The next half above or below.
static uint32_t half_step(uint32_t bits, bool is_up) {
  bool is_negative = bits & 0x8000u;
  if (!(bits & 0x7fffu))
    return is_up ? 0x0001u : 0x8001u;
  return is_negative != is_up ? bits + 1 : bits - 1;
}

/// f16 or bf16 in any rounding mode.
static uint32_t half_of(const TileInsn *insn, Rounding rounding,
                        double number) {
  bool is_f16 = insn->type == TILE_PTX_F16;
  float odd = tile_f32_round_odd(number);
  uint32_t bits = is_f16 ? tile_f16_of_f32(odd) : tile_bf16_of_f32(odd);
  double nearest =
      (double)(is_f16 ? tile_f32_of_f16(bits) : tile_f32_of_bf16(bits));
  if (rounding == RZ)
    rounding = number < 0 ? RP : RM;
  if ((rounding == RM && nearest > number) ||
      (rounding == RP && nearest < number))
    bits = half_step(bits, rounding == RP);
  return finite_half(bits, is_f16 ? F16_LARGEST : BF16_LARGEST,
                     insn->as.convert.saturate_finite);
}

/// A double from which any smaller format is rounded as from the integer
/// itself: bits beyond the 53rd set the last one.
static double odd_of_integer(uint64_t magnitude) {
  if (magnitude >> 53 == 0)
    return (double)magnitude;
  uint32_t shift = 11 - (uint32_t)__builtin_clzll(magnitude);
  bool is_inexact = magnitude << (64 - shift);
  return ldexp((double)(magnitude >> shift | is_inexact), (int)shift);
}

static double f64_of_integer(Rounding rounding, uint64_t magnitude,
                             bool is_negative) {
  if (magnitude >> 53 == 0 || rounding == RN)
    return (double)magnitude;
  uint32_t shift = 11 - (uint32_t)__builtin_clzll(magnitude);
  bool is_inexact = magnitude << (64 - shift);
  bool is_away = rounding == (is_negative ? RM : RP);
  return ldexp((double)((magnitude >> shift) + (is_inexact && is_away)),
               (int)shift);
}

static uint64_t store_float(const TileInsn *insn, double number) {
  Rounding rounding = (Rounding)insn->as.convert.rounding;
  if (insn->as.convert.saturate)
    number = number > 0 ? (number < 1 ? number : 1) : 0;
  if (insn->as.convert.relu && number <= 0)
    number = 0;
  uint64_t bits = 0;
  switch (insn->type) {
  case TILE_PTX_F16:
  case TILE_PTX_BF16:
    return half_of(insn, rounding, number);
  case TILE_PTX_TF32:
    return tf32_of(rounding, (float)number, insn->as.convert.saturate_finite);
  case TILE_PTX_F32:
    bits = tile_bits_of_f32(canonical(round_to_f32(rounding, number)));
    return insn->as.convert.flush ? tile_f32_flush((uint32_t)bits) : bits;
  default:
    memcpy(&bits, &number, sizeof bits);
    return bits;
  }
}

/// Out of range gives the nearest integer of the type. NaN is unspecified; as
/// on an H200 it gives 0, and between 64-bit types only the top bit.
static uint64_t integer_of_double(TilePtxType type, TilePtxType from,
                                  double number) {
  int bits = 8 * (int)tile_emu_type_bytes(type);
  bool is_signed = tile_emu_type_is_signed(type);
  double low = is_signed ? -ldexp(1, bits - 1) : 0;
  double high = ldexp(1, is_signed ? bits - 1 : bits); // exclusive
  bool is_wide = from == TILE_PTX_F64 || bits == 64;
  if (isnan(number) && is_wide)
    return (is_signed ? UINT64_MAX : 1ull) << (bits - 1);
  if (isnan(number))
    return 0;
  if (number <= low)
    return is_signed ? UINT64_MAX << (bits - 1) : 0;
  if (number >= high)
    return UINT64_MAX >> (64 - bits + is_signed);
  return is_signed ? (uint64_t)(int64_t)number : (uint64_t)number;
}

static uint64_t integer_of_integer(const TileInsn *insn, const Value *value) {
  TilePtxType type = (TilePtxType)insn->type;
  uint32_t bits = 8 * tile_emu_type_bytes(type);
  bool is_signed = tile_emu_type_is_signed(type);
  uint64_t result = (uint64_t)value->integer;
  if (insn->as.convert.saturate) {
    uint64_t high = UINT64_MAX >> (64 - bits + is_signed);
    bool is_negative = !value->is_u64 && value->integer < 0;
    int64_t low = is_signed ? -(int64_t)high - 1 : 0;
    if (is_negative && value->integer < low)
      result = (uint64_t)low;
    else if (!is_negative && result > high)
      result = high;
  }
  result <<= 64 - bits;
  return is_signed ? (uint64_t)((int64_t)result >> (64 - bits))
                   : result >> (64 - bits);
}

static double float_of_integer(TilePtxType to, Rounding rounding,
                               const Value *value) {
  bool is_negative = !value->is_u64 && value->integer < 0;
  uint64_t magnitude =
      is_negative ? 0 - (uint64_t)value->integer : (uint64_t)value->integer;
  double number = to == TILE_PTX_F64
                      ? f64_of_integer(rounding, magnitude, is_negative)
                      : odd_of_integer(magnitude);
  return is_negative ? -number : number;
}

static uint64_t convert(const TileInsn *insn, uint64_t raw) {
  TilePtxType to = (TilePtxType)insn->type;
  Rounding rounding = (Rounding)insn->as.convert.rounding;
  bool is_flushed = insn->as.convert.flush && to != TILE_PTX_F16;
  Value value = load((TilePtxType)insn->type2, raw, is_flushed);
  if (tile_emu_type_is_float(to)) {
    if (!value.is_float)
      value.number = float_of_integer(to, rounding, &value);
    else if (rounding >= RNI && rounding <= RPI)
      value.number = round_to_integer(rounding, value.number);
    return store_float(insn, value.number);
  }
  if (value.is_float)
    return integer_of_double(to, (TilePtxType)insn->type2,
                             round_to_integer(rounding, value.number));
  return integer_of_integer(insn, &value);
}

static TileLanes cvt(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  bool is_wide_src = insn->as.convert.wide_src;
  TILE_FOR_LANES (l, lanes) {
    uint64_t raw =
        is_wide_src ? tile_u64(warp, insn->a)[l] : tile_u32(warp, insn->a)[l];
    uint64_t result = convert(insn, raw);
    if (insn->as.convert.wide_dst)
      tile_u64(warp, insn->dst)[l] = result;
    else
      tile_u32(warp, insn->dst)[l] = (uint32_t)result;
  }
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static bool is_pair(TilePtxType type) {
  return type == TILE_PTX_BF16X2 || type == TILE_PTX_F16X2 ||
         type == TILE_PTX_E4M3X2 || type == TILE_PTX_E5M2X2;
}

static void decode_pair(TileDecoder *decoder, TilePtxType to,
                        TilePtxType from) {
  TileInsn *insn = decoder->insn;
  bool is_rz = insn->as.convert.rounding == RZ;
  uint32_t num_ops = from == TILE_PTX_F32 ? 3 : 2;
  insn->exec = packed_exec(to, from, is_rz);
  if (!insn->exec) {
    tile_decode_unsupported(decoder, "types");
    return;
  }
  if (!tile_decode_count(decoder, num_ops, num_ops))
    return;
  insn->dst = tile_decode_dst(decoder, 0, to);
  insn->a = tile_decode_src(decoder, 1, from);
  if (num_ops == 3)
    insn->b = tile_decode_src(decoder, 2, from);
}

/// A source or destination register may be wider than an integer type.
static TilePtxType register_type(const TileOperand *operand, TilePtxType type) {
  bool is_wide = operand->kind == TILE_OPERAND_REGISTER &&
                 !tile_emu_type_is_float(type) &&
                 tile_emu_type_register_bytes(operand->type) == 8;
  return is_wide ? TILE_PTX_B64 : type;
}

static TileExec fast_exec(const TileInsn *insn) {
  if (insn->as.convert.saturate || insn->as.convert.saturate_finite ||
      insn->as.convert.relu || insn->as.convert.flush ||
      insn->as.convert.rounding != RN)
    return NULL;
  for (size_t i = 0; i < sizeof fast_pairs / sizeof fast_pairs[0]; i++)
    if (fast_pairs[i].to == insn->type && fast_pairs[i].from == insn->type2)
      return fast_pairs[i].exec;
  return NULL;
}

void tile_emu_decode_cvt(TileDecoder *decoder) {
  static const char *const roundings[] = {"rn",  "rz",  "rm",  "rp", "rni",
                                          "rzi", "rmi", "rpi", "rna"};
  TileInsn *insn = decoder->insn;
  TilePtxType to = tile_decode_type(decoder, 0);
  TilePtxType from = tile_decode_type(decoder, 1);
  tile_decode_allow(decoder, "rn rz rm rp rni rzi rmi rpi rna ftz sat "
                             "satfinite relu");
  if (decoder->num_types != 2) {
    tile_decode_unsupported(decoder, "types");
    return;
  }
  int rounding = tile_decode_choice(decoder, roundings, 9);
  insn->type = (uint8_t)to;
  insn->type2 = (uint8_t)from;
  insn->as.convert.rounding = (uint8_t)(rounding < 0 ? RN : rounding);
  insn->as.convert.saturate = tile_decode_has(decoder, "sat");
  insn->as.convert.saturate_finite = tile_decode_has(decoder, "satfinite");
  insn->as.convert.flush = tile_decode_has(decoder, "ftz");
  insn->as.convert.relu = tile_decode_has(decoder, "relu");
  if (is_pair(to)) {
    decode_pair(decoder, to, from);
    return;
  }
  if (tile_emu_type_bytes(to) == 0 || tile_emu_type_bytes(from) == 0 ||
      tile_emu_type_bytes(to) > 8 || tile_emu_type_bytes(from) > 8 ||
      is_pair(from)) {
    tile_decode_unsupported(decoder, "types");
    return;
  }
  if (!tile_decode_count(decoder, 2, 2))
    return;
  TilePtxType dst_type = register_type(decoder->ops[0], to);
  TilePtxType src_type = register_type(decoder->ops[1], from);
  insn->as.convert.wide_dst = tile_emu_type_register_bytes(dst_type) == 8;
  insn->as.convert.wide_src = tile_emu_type_register_bytes(src_type) == 8;
  insn->dst = tile_decode_dst(decoder, 0, dst_type);
  insn->a = tile_decode_src(decoder, 1, src_type);
  bool are_narrow = tile_emu_type_register_bytes(dst_type) ==
                        tile_emu_type_register_bytes(to) &&
                    tile_emu_type_register_bytes(src_type) ==
                        tile_emu_type_register_bytes(from);
  insn->exec = are_narrow ? fast_exec(insn) : NULL;
  if (!insn->exec)
    insn->exec = cvt;
}

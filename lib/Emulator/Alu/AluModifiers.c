//===- AluModifiers.c - .rz, .ftz, .sat, .relu, .xorsign.abs, .oob --------===//
//
// A modified operation is the operation itself between two steps: operands are
// copied and prepared, the result is finished and copied back. Operations
// without modifiers never come here.
//
//===----------------------------------------------------------------------===//

#include "Alu.h"

#include <fenv.h>

enum { SCRATCH_A = 2, SCRATCH_B, SCRATCH_C, SCRATCH_D }; // numbers of slots

//===-- Formats -----------------------------------------------------------===//

/// Bit patterns of a format. Two elements of 16 bits fit in a register.
typedef struct {
  uint32_t sign, exponent, one, nan;
  uint32_t bits; // of an element
} Format;

static const Format f32_format = {0x80000000u, 0x7f800000u, 0x3f800000u,
                                  0x7fffffffu, 32};
static const Format f16_format = {0x8000u, 0x7c00u, 0x3c00u, 0x7fffu, 16};
static const Format bf16_format = {0x8000u, 0x7f80u, 0x3f80u, 0x7fffu, 16};

static const Format *format_of(TilePtxType type) {
  switch (type) {
  case TILE_PTX_F16:
  case TILE_PTX_F16X2:
    return &f16_format;
  case TILE_PTX_BF16:
  case TILE_PTX_BF16X2:
    return &bf16_format;
  default:
    return &f32_format;
  }
}

static inline bool is_nan(const Format *format, uint32_t x) {
  return (x & ~format->sign) > format->exponent;
}

static inline uint32_t flush(const Format *format, uint32_t x) {
  return x & format->exponent ? x : x & format->sign;
}

//===-- Elements ----------------------------------------------------------===//

static uint32_t prepare_elem(const Format *format, uint8_t flags, uint32_t x) {
  if (flags & TILE_FLOAT_FLUSH)
    x = flush(format, x);
  if (flags & TILE_FLOAT_XORSIGN)
    x &= ~format->sign;
  return x;
}

/// `a` and `b` are the operands as they were.
static uint32_t finish_elem(const Format *format, uint8_t flags, uint32_t x,
                            uint32_t a, uint32_t b) {
  enum { OUT_OF_BOUNDS = 0x7ff7 }; // and its negative; measured on an H200
  if (flags & TILE_FLOAT_OUT_OF_BOUNDS &&
      ((a & 0x7fffu) == OUT_OF_BOUNDS || (b & 0x7fffu) == OUT_OF_BOUNDS))
    x = 0;
  if (flags & TILE_FLOAT_FLUSH)
    x = flush(format, x);
  if (flags & TILE_FLOAT_XORSIGN && !is_nan(format, x))
    x |= (a ^ b) & format->sign;
  if (flags & TILE_FLOAT_SATURATE) {
    if (is_nan(format, x) || x & format->sign)
      x = 0;
    x = x > format->one ? format->one : x;
  }
  if (flags & TILE_FLOAT_RELU && is_nan(format, x))
    x = format->nan;
  else if (flags & TILE_FLOAT_RELU && x & format->sign)
    x = 0;
  return x;
}

static uint32_t prepare(const Format *format, uint8_t flags, uint32_t x) {
  if (format->bits == 32)
    return prepare_elem(format, flags, x);
  return prepare_elem(format, flags, x & 0xffffu) |
         prepare_elem(format, flags, x >> 16) << 16;
}

static uint32_t finish(const Format *format, uint8_t flags, uint32_t x,
                       uint32_t a, uint32_t b) {
  if (format->bits == 32)
    return finish_elem(format, flags, x, a, b);
  return finish_elem(format, flags, x & 0xffffu, a & 0xffffu, b & 0xffffu) |
         finish_elem(format, flags, x >> 16, a >> 16, b >> 16) << 16;
}

//===-- Execution ---------------------------------------------------------===//

static TileLanes exec_in_mode(TileWarp *warp, const TileInsn *plain,
                              TileLanes lanes, uint8_t rounding) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  if (rounding)
    fesetround(modes[rounding]);
  plain->exec(warp, plain, lanes);
  if (rounding)
    fesetround(FE_TONEAREST);
  return 0;
}

/// Only the rounding mode differs.
static TileLanes exec_rounded(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  return exec_in_mode(warp, insn->as.modified.plain, lanes,
                      insn->as.modified.rounding);
}

/// Results are flushed that are subnormal before they are rounded, so one that
/// was rounded up to the smallest normal number is found by rounding it again,
/// towards zero.
static void flush_rounded_up(TileWarp *warp, const TileInsn *plain,
                             TileLanes lanes) {
  enum { SMALLEST = 0x00800000u, TOWARDS_ZERO = 1 };
  uint32_t *x = tile_u32(warp, plain->dst);
  TileLanes suspects = 0;
  TILE_FOR_LANES (l, lanes) {
    suspects |= (uint32_t)((x[l] & 0x7fffffffu) == SMALLEST) << l;
  }
  if (suspects)
    exec_in_mode(warp, plain, suspects, TOWARDS_ZERO);
}

/// Of the most frequent case, f32 with .ftz alone: whether any lane has a
/// subnormal number.
static bool any_subnormal(TileWarp *warp, const uint32_t *slots,
                          uint32_t num_slots) {
  uint32_t any = 0;
  for (uint32_t i = 0; i < num_slots; i++) {
    const uint32_t *x = tile_u32(warp, slots[i]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
      any |= (uint32_t)(x[l] != tile_f32_flush(x[l]));
  }
  return any;
}

/// A register of f32x2 is two words.
static TileLanes exec_modified(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  const TileInsn *plain = insn->as.modified.plain;
  const Format *format = format_of((TilePtxType)insn->type);
  uint8_t flags = insn->as.modified.flags;
  bool is_pair = insn->type == TILE_PTX_F32X2;
  uint32_t num_words = is_pair ? 2 : 1;
  const uint32_t from[] = {insn->a, insn->b, insn->c};
  const uint32_t to[] = {plain->a, plain->b, plain->c};
  for (uint32_t i = 0; i < insn->as.modified.num_sources; i++) {
    const uint32_t *x = tile_u32(warp, from[i]);
    uint32_t *y = tile_u32(warp, to[i]);
    for (uint32_t l = 0; l < num_words * TILE_WARP_SIZE; l++)
      y[l] = prepare(format, flags, x[l]);
  }
  exec_in_mode(warp, plain, lanes, insn->as.modified.rounding);
  if (insn->type == TILE_PTX_F32 && flags & TILE_FLOAT_FLUSH)
    flush_rounded_up(warp, plain, lanes);
  const uint32_t *x = tile_u32(warp, plain->dst), *a = tile_u32(warp, insn->a);
  const uint32_t *b =
      insn->as.modified.num_sources > 1 ? tile_u32(warp, insn->b) : a;
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_FOR_LANES (l, lanes) {
    for (uint32_t w = num_words * l; w < num_words * (l + 1); w++)
      d[w] = finish(format, flags, x[w], a[w], b[w]);
  }
  return 0;
}

/// f32 with .ftz and nothing else.
static TileLanes exec_flushed(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  const TileInsn *plain = insn->as.modified.plain;
  const uint32_t slots[] = {insn->a, insn->b, insn->c};
  if (any_subnormal(warp, slots, insn->as.modified.num_sources))
    return exec_modified(warp, insn, lanes);
  TileInsn direct = *plain;
  direct.a = insn->a;
  direct.b = insn->b;
  direct.c = insn->c;
  plain->exec(warp, &direct, lanes);
  flush_rounded_up(warp, &direct, lanes);
  const uint32_t *x = tile_u32(warp, plain->dst);
  uint32_t *d = tile_u32(warp, insn->dst);
  TILE_VECTOR(lanes, d[l] = tile_f32_flush(x[l]));
  return 0;
}

static inline uint64_t flush_f64(uint64_t bits) {
  return bits & 0x7ff0000000000000u ? bits : bits & 0x8000000000000000u;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the low half of operand and
/// result is zero.
static TileLanes exec_flushed_f64(TileWarp *warp, const TileInsn *insn,
                                  TileLanes lanes) {
  const TileInsn *plain = insn->as.modified.plain;
  const uint64_t *a = tile_u64(warp, insn->a);
  uint64_t *x = tile_u64(warp, plain->a), *d = tile_u64(warp, insn->dst);
  TILE_VECTOR(lanes, x[l] = flush_f64(a[l] & 0xffffffff00000000u));
  plain->exec(warp, plain, lanes);
  const uint64_t *y = tile_u64(warp, plain->dst);
  TILE_VECTOR(lanes, d[l] = flush_f64(y[l]) & 0xffffffff00000000u);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static uint32_t scratch(TileDecoder *decoder, uint32_t number) {
  return tile_emu_constant_slot(decoder->parser, TILE_CONSTANT_SCRATCH, 16,
                                number);
}

void tile_emu_float_modify(TileDecoder *decoder, uint32_t num_sources,
                           int rounding, uint8_t flags) {
  TileInsn *insn = decoder->insn;
  TileInsn *plain =
      TILE_ARENA_NEW(&decoder->parser->module->arena, TileInsn, 1);
  *plain = *insn;
  insn->as.modified.plain = plain;
  insn->as.modified.rounding = (uint8_t)rounding;
  insn->as.modified.flags = flags;
  insn->as.modified.num_sources = (uint8_t)num_sources;
  if (!flags) {
    insn->exec = exec_rounded;
    return;
  }
  bool is_plain_flush = flags == TILE_FLOAT_FLUSH && !rounding;
  plain->a = scratch(decoder, SCRATCH_A);
  plain->b = num_sources > 1 ? scratch(decoder, SCRATCH_B) : plain->a;
  plain->c = num_sources > 2 ? scratch(decoder, SCRATCH_C) : plain->a;
  plain->dst = scratch(decoder, SCRATCH_D);
  insn->exec = insn->type == TILE_PTX_F64                     ? exec_flushed_f64
               : insn->type == TILE_PTX_F32 && is_plain_flush ? exec_flushed
                                                              : exec_modified;
}

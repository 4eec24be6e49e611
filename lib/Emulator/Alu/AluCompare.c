//===- AluCompare.c - Comparison and selection ----------------------------===//
//
// PTX ISA, "Comparison and Selection Instructions": setp, set, selp, slct, and
// testp.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"
#include "NarrowFloat.h"

#include <math.h>

typedef enum {
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  EQU,
  NEU,
  LTU,
  LEU,
  GTU,
  GEU,
  NUM,
  NOT_NUM,
  NUM_RELATIONS
} Relation;

enum { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

//===-- setp --------------------------------------------------------------===//

/// result (op c)
static TileLanes combined(TileWarp *warp, const TileInsn *insn,
                          TileLanes result) {
  if (insn->as.compare.combine == COMBINE_NONE)
    return result;
  TileLanes c = *tile_pred(warp, insn->c);
  if (insn->as.compare.combine_negated)
    c = ~c;
  switch (insn->as.compare.combine) {
  case COMBINE_AND:
    return result & c;
  case COMBINE_OR:
    return result | c;
  default:
    return result ^ c;
  }
}

/// Writes p = result (op c) and q = !result (op c).
static void setp_write(TileWarp *warp, const TileInsn *insn, TileLanes lanes,
                       TileLanes result) {
  TileLanes p = combined(warp, insn, result);
  TileLanes q = combined(warp, insn, ~result);
  tile_pred_write(warp, insn->dst, lanes, p);
  if (insn->dst2 != TILE_NO_SLOT)
    tile_pred_write(warp, insn->dst2, lanes, q);
}

#define SETP(name, R, T, op)                                                   \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    const R *b = (const R *)(warp->regs + insn->b);                            \
    TileLanes result = 0;                                                      \
    TILE_VECTOR(lanes, result |= (uint32_t)((T)a[l] op(T) b[l]) << l);         \
    setp_write(warp, insn, lanes, result);                                     \
    return 0;                                                                  \
  }
#define SETP_RELATIONS(type, R, T)                                             \
  SETP(eq_##type, R, T, ==)                                                    \
  SETP(ne_##type, R, T, !=)                                                    \
  SETP(lt_##type, R, T, <)                                                     \
  SETP(le_##type, R, T, <=)                                                    \
  SETP(gt_##type, R, T, >)                                                     \
  SETP(ge_##type, R, T, >=)
#define RELATIONS_OF(type)                                                     \
  {eq_##type, ne_##type, lt_##type, le_##type, gt_##type, ge_##type}

SETP_RELATIONS(u16, uint32_t, uint16_t)
SETP_RELATIONS(s16, uint32_t, int16_t)
SETP_RELATIONS(u32, uint32_t, uint32_t)
SETP_RELATIONS(s32, uint32_t, int32_t)
SETP_RELATIONS(u64, uint64_t, uint64_t)
SETP_RELATIONS(s64, uint64_t, int64_t)

enum { NUM_INTEGER_RELATIONS = 6 };

static const TileExec integer_table[TILE_PTX_NUM_TYPES][NUM_INTEGER_RELATIONS] =
    {[TILE_PTX_B16] = RELATIONS_OF(u16), [TILE_PTX_U16] = RELATIONS_OF(u16),
     [TILE_PTX_S16] = RELATIONS_OF(s16), [TILE_PTX_B32] = RELATIONS_OF(u32),
     [TILE_PTX_U32] = RELATIONS_OF(u32), [TILE_PTX_S32] = RELATIONS_OF(s32),
     [TILE_PTX_B64] = RELATIONS_OF(u64), [TILE_PTX_U64] = RELATIONS_OF(u64),
     [TILE_PTX_S64] = RELATIONS_OF(s64)};

/// The relations ending in `u` are also true when an operand is NaN.
static bool compare_floats(Relation relation, double x, double y) {
  bool is_unordered = isnan(x) || isnan(y);
  switch (relation) {
  case EQ:
    return x == y;
  case NE:
    return !is_unordered && x != y;
  case LT:
    return x < y;
  case LE:
    return x <= y;
  case GT:
    return x > y;
  case GE:
    return x >= y;
  case EQU:
    return is_unordered || x == y;
  case NEU:
    return is_unordered || x != y;
  case LTU:
    return is_unordered || x < y;
  case LEU:
    return is_unordered || x <= y;
  case GTU:
    return is_unordered || x > y;
  case GEU:
    return is_unordered || x >= y;
  case NUM:
    return !is_unordered;
  default:
    return is_unordered;
  }
}

/// .ftz: a subnormal f32 compares as zero.
static inline double flushed(const TileInsn *insn, float x) {
  bool is_zero = insn->as.compare.flush && fabsf(x) < 0x1p-126f;
  return is_zero ? 0.0 : (double)x;
}

static inline double half_value(const TileInsn *insn, uint32_t bits) {
  float x = tile_f32_of_f16(bits & 0xffff);
  bool is_zero = insn->as.compare.flush && fabsf(x) < 0x1p-14f;
  return is_zero ? 0.0 : (double)x;
}

#define SETP_FLOAT(name, R, value_of)                                          \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    const R *a = (const R *)(warp->regs + insn->a);                            \
    const R *b = (const R *)(warp->regs + insn->b);                            \
    Relation relation = (Relation)insn->as.compare.relation;                   \
    TileLanes result = 0;                                                      \
    TILE_FOR_LANES (l, lanes) {                                                \
      bool holds = compare_floats(relation, value_of(a[l]), value_of(b[l]));   \
      result |= (uint32_t)holds << l;                                          \
    }                                                                          \
    setp_write(warp, insn, lanes, result);                                     \
    return 0;                                                                  \
  }

#define F32_VALUE(x) flushed(insn, x)
#define F16_VALUE(x) half_value(insn, x)
SETP_FLOAT(setp_f32, float, F32_VALUE)
SETP_FLOAT(setp_f64, double, )
SETP_FLOAT(setp_f16, uint32_t, F16_VALUE)
SETP_FLOAT(setp_bf16, uint32_t, tile_f32_of_bf16)

/// Packed halves: p compares the low halves, q the high ones.
#define SETP_PACKED(name, value_of)                                            \
  static TileLanes name(TileWarp *warp, const TileInsn *insn,                  \
                        TileLanes lanes) {                                     \
    const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b); \
    Relation relation = (Relation)insn->as.compare.relation;                   \
    TileLanes low = 0, high = 0;                                               \
    TILE_FOR_LANES (l, lanes) {                                                \
      bool low_holds = compare_floats(relation, value_of(a[l] & 0xffff),       \
                                      value_of(b[l] & 0xffff));                \
      bool high_holds = compare_floats(relation, value_of(a[l] >> 16),         \
                                       value_of(b[l] >> 16));                  \
      low |= (uint32_t)low_holds << l;                                         \
      high |= (uint32_t)high_holds << l;                                       \
    }                                                                          \
    low = combined(warp, insn, low);                                           \
    high = combined(warp, insn, high);                                         \
    tile_pred_write(warp, insn->dst, lanes, low);                              \
    if (insn->dst2 != TILE_NO_SLOT)                                            \
      tile_pred_write(warp, insn->dst2, lanes, high);                          \
    return 0;                                                                  \
  }

SETP_PACKED(setp_f16x2, F16_VALUE)
SETP_PACKED(setp_bf16x2, tile_f32_of_bf16)

static const TileExec float_table[TILE_PTX_NUM_TYPES] = {
    [TILE_PTX_F32] = setp_f32,     [TILE_PTX_F64] = setp_f64,
    [TILE_PTX_F16] = setp_f16,     [TILE_PTX_BF16] = setp_bf16,
    [TILE_PTX_F16X2] = setp_f16x2, [TILE_PTX_BF16X2] = setp_bf16x2};

/// Relation and combination, which setp and set share; returns the comparison.
static TileExec decode_relation(TileDecoder *decoder, TilePtxType type) {
  static const char *const relations[] = {
      "eq",  "ne",  "lt",  "le",  "gt",  "ge", "equ", "neu", "ltu",
      "leu", "gtu", "geu", "num", "nan", "lo", "ls",  "hi",  "hs"};
  static const uint8_t unsigned_relations[] = {LT, LE, GT, GE}; // lo, ls, …
  static const char *const combinations[] = {"and", "or", "xor"};
  TileInsn *insn = decoder->insn;
  int relation = tile_decode_choice(decoder, relations, 18);
  insn->as.compare.flush = tile_decode_has(decoder, "ftz");
  insn->as.compare.combine =
      (uint8_t)(1 + tile_decode_choice(decoder, combinations, 3));
  tile_decode_allow(decoder,
                    "eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls "
                    "hi hs and or xor ftz");
  if (relation >= NUM_RELATIONS)
    relation = unsigned_relations[relation - NUM_RELATIONS];
  TileExec exec = float_table[type];
  if (!exec && relation < NUM_INTEGER_RELATIONS && relation >= 0)
    exec = integer_table[type][relation];
  if (relation < 0 || !exec) {
    tile_decode_unsupported(decoder, relation < 0 ? "relation" : "type");
    return NULL;
  }
  insn->as.compare.relation = (uint8_t)relation;
  bool is_combined = insn->as.compare.combine != COMBINE_NONE;
  if (!tile_decode_count(decoder, is_combined ? 4 : 3, is_combined ? 4 : 3))
    return NULL;
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, type);
  if (is_combined)
    insn->c =
        tile_decode_pred_src(decoder, 3, &insn->as.compare.combine_negated);
  return exec;
}

void tile_emu_decode_setp(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  insn->exec = decode_relation(decoder, type);
  if (decoder->num_ops == 0)
    return;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  insn->dst2 = tile_decode_pair_pred(decoder, 0);
}

//===-- set ---------------------------------------------------------------===//

static bool is_packed(TilePtxType type) {
  return type == TILE_PTX_F16X2 || type == TILE_PTX_BF16X2;
}

/// Compares into scratch predicates (e, and e + 4 for high halves), then writes
/// `imm` where the relation holds: 1.0 or all ones.
static TileLanes set(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  bool has_halves = is_packed((TilePtxType)insn->type2);
  TileInsn compare = *insn;
  compare.dst = insn->e;
  compare.dst2 = has_halves ? insn->e + 4 : TILE_NO_SLOT;
  insn->as.compare.test(warp, &compare, lanes);
  TileLanes low = *tile_pred(warp, insn->e);
  uint32_t *d = tile_u32(warp, insn->dst);
  uint32_t truth = (uint32_t)insn->imm;
  if (!has_halves) {
    TILE_VECTOR(lanes, d[l] = low >> l & 1 ? truth : 0);
    return 0;
  }
  TileLanes high = *tile_pred(warp, insn->e + 4);
  TILE_VECTOR(lanes, d[l] = (low >> l & 1 ? truth : 0) |
                            (high >> l & 1 ? truth << 16 : 0));
  return 0;
}

/// What stands for true, or 0 when there is no such result. Packed operands
/// give two halves.
static uint32_t truth_of(TilePtxType result, bool has_halves) {
  switch (result) {
  case TILE_PTX_F32:
    return has_halves ? 0 : 0x3f800000u;
  case TILE_PTX_U32:
  case TILE_PTX_S32:
    return has_halves ? 0xffffu : UINT32_MAX;
  case TILE_PTX_U16:
  case TILE_PTX_S16:
    return has_halves ? 0 : 0xffffu;
  case TILE_PTX_F16:
    return has_halves ? 0 : 0x3c00u;
  case TILE_PTX_BF16:
    return has_halves ? 0 : 0x3f80u;
  case TILE_PTX_F16X2:
    return has_halves ? 0x3c00u : 0;
  case TILE_PTX_BF16X2:
    return has_halves ? 0x3f80u : 0;
  default:
    return 0;
  }
}

void tile_emu_decode_set(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType result = tile_decode_type(decoder, 0);
  TilePtxType type = tile_decode_type(decoder, 1);
  insn->exec = set;
  insn->type2 = (uint8_t)type;
  insn->imm = truth_of(result, is_packed(type));
  insn->as.compare.test = decode_relation(decoder, type);
  if (!insn->imm)
    tile_decode_unsupported(decoder, "result type");
  insn->dst = tile_decode_dst(decoder, 0, result);
  insn->e =
      tile_emu_constant_slot(decoder->parser, TILE_CONSTANT_SCRATCH, 4, 1);
}

//===-- selp, slct --------------------------------------------------------===//

static TileLanes selp_32(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint32_t *d = tile_u32(warp, insn->dst);
  const uint32_t *a = tile_u32(warp, insn->a), *b = tile_u32(warp, insn->b);
  TileLanes c = *tile_pred(warp, insn->c);
  TILE_VECTOR(lanes, d[l] = c >> l & 1 ? a[l] : b[l]);
  return 0;
}

static TileLanes selp_64(TileWarp *warp, const TileInsn *insn,
                         TileLanes lanes) {
  uint64_t *d = tile_u64(warp, insn->dst);
  const uint64_t *a = tile_u64(warp, insn->a), *b = tile_u64(warp, insn->b);
  TileLanes c = *tile_pred(warp, insn->c);
  TILE_VECTOR(lanes, d[l] = c >> l & 1 ? a[l] : b[l]);
  return 0;
}

void tile_emu_decode_selp(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  tile_decode_allow(decoder, "");
  if (!tile_decode_count(decoder, 4, 4))
    return;
  bool negated;
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, type);
  insn->c = tile_decode_pred_src(decoder, 3, &negated);
  if (negated) { // the same as selecting the other way round
    uint32_t a = insn->a;
    insn->a = insn->b;
    insn->b = a;
  }
  insn->exec = tile_emu_type_bytes(type) == 8 ? selp_64 : selp_32;
}

/// d = c >= 0 ? a : b; c is s32 or f32 and NaN selects b.
static TileLanes slct(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  const int32_t *c = (const int32_t *)(warp->regs + insn->c);
  const float *c_float = tile_f32(warp, insn->c);
  bool is_float = insn->type2 == TILE_PTX_F32;
  TILE_FOR_LANES (l, lanes) {
    bool takes_a = is_float ? flushed(insn, c_float[l]) >= 0 : c[l] >= 0;
    uint32_t source = takes_a ? insn->a : insn->b;
    if (tile_emu_type_bytes((TilePtxType)insn->type) == 8)
      tile_u64(warp, insn->dst)[l] = tile_u64(warp, source)[l];
    else
      tile_u32(warp, insn->dst)[l] = tile_u32(warp, source)[l];
  }
  return 0;
}

void tile_emu_decode_slct(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  insn->type = (uint8_t)type;
  insn->type2 = (uint8_t)tile_decode_type(decoder, 1);
  insn->as.compare.flush = tile_decode_has(decoder, "ftz");
  tile_decode_allow(decoder, "ftz");
  if (!tile_decode_count(decoder, 4, 4))
    return;
  insn->dst = tile_decode_dst(decoder, 0, type);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->b = tile_decode_src(decoder, 2, type);
  insn->c = tile_decode_src(decoder, 3, TILE_PTX_B32);
  insn->exec = slct;
}

//===-- testp -------------------------------------------------------------===//

enum { FINITE, INFINITE, NUMBER, NOT_A_NUMBER, NORMAL, SUBNORMAL };

static bool has_property(int property, double x, bool is_double) {
  int class = is_double ? fpclassify(x) : fpclassify((float)x);
  switch (property) {
  case FINITE:
    return class != FP_INFINITE && class != FP_NAN;
  case INFINITE:
    return class == FP_INFINITE;
  case NUMBER:
    return class != FP_NAN;
  case NOT_A_NUMBER:
    return class == FP_NAN;
  case NORMAL:
    return class == FP_NORMAL;
  default:
    return class == FP_SUBNORMAL;
  }
}

static TileLanes testp(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  bool is_double = insn->type == TILE_PTX_F64;
  TileLanes result = 0;
  TILE_FOR_LANES (l, lanes) {
    double x = is_double ? tile_f64(warp, insn->a)[l]
                         : (double)tile_f32(warp, insn->a)[l];
    bool holds = has_property(insn->as.alu.mode, x, is_double);
    result |= (uint32_t)holds << l;
  }
  tile_pred_write(warp, insn->dst, lanes, result);
  return 0;
}

void tile_emu_decode_testp(TileDecoder *decoder) {
  static const char *const properties[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  TileInsn *insn = decoder->insn;
  TilePtxType type = tile_decode_type(decoder, 0);
  int property = tile_decode_choice(decoder, properties, 6);
  if (property < 0 || (type != TILE_PTX_F32 && type != TILE_PTX_F64)) {
    tile_decode_unsupported(decoder, "type or property");
    return;
  }
  if (!tile_decode_count(decoder, 2, 2))
    return;
  insn->type = (uint8_t)type;
  insn->as.alu.mode = (uint8_t)property;
  insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_PRED);
  insn->a = tile_decode_src(decoder, 1, type);
  insn->exec = testp;
}

//===- Combines.c - How two elements become one, and how lanes do ---------===//
//
// Sums of 16-bit floats are computed in f32 and those of narrow integers in
// i32: `tile_accumulator_type`. Butterflies leave the same bits in all lanes,
// because both partners combine the same two values.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/math.h"
#include "Tile/Ops/nvvm.h"
#include <math.h>

//===-- Kinds -------------------------------------------------------------===//

Combine combine_of_reduce(TileReduceKind kind, MlirType src, MlirType dst) {
  static const CombineKind kinds[] = {
      [TILE_REDUCE_KIND_Sum] = COMBINE_ADD,
      [TILE_REDUCE_KIND_Max] = COMBINE_MAX,
      [TILE_REDUCE_KIND_Min] = COMBINE_MIN,
      [TILE_REDUCE_KIND_AbsSum] = COMBINE_ADD,
      [TILE_REDUCE_KIND_AbsMax] = COMBINE_MAX,
      [TILE_REDUCE_KIND_And] = COMBINE_AND,
      [TILE_REDUCE_KIND_Or] = COMBINE_OR,
      [TILE_REDUCE_KIND_Xor] = COMBINE_XOR,
  };
  bool takes_abs =
      kind == TILE_REDUCE_KIND_AbsSum || kind == TILE_REDUCE_KIND_AbsMax;
  return (Combine){kinds[kind], takes_abs, tile_accumulator_type(src, dst)};
}

Combine combine_of_scan(TileScanKind kind, MlirType src, MlirType dst) {
  static const CombineKind kinds[] = {
      [TILE_SCAN_KIND_Sum] = COMBINE_ADD,
      [TILE_SCAN_KIND_Max] = COMBINE_MAX,
      [TILE_SCAN_KIND_Min] = COMBINE_MIN,
  };
  return (Combine){kinds[kind], false, tile_accumulator_type(src, dst)};
}

//===-- Values ------------------------------------------------------------===//

MlirValue combine_take_result(Lowering *l, const Combine *combine,
                              MlirValue stored, MlirType element) {
  return convert_element(l, stored, element, combine->type);
}

MlirValue combine_take(Lowering *l, const Combine *combine, MlirValue stored,
                       MlirType element) {
  MlirValue value = combine_take_result(l, combine, stored, element);
  if (!combine->takes_abs)
    return value;
  return tile_elem_is_float(combine->type) ? math_absf(&l->b, .operand = value)
                                           : math_absi(&l->b, .operand = value);
}

// -0 is neutral for sums: +0 + -0 = +0.
static MlirValue neutral_float(Lowering *l, const Combine *combine) {
  double value = combine->kind == COMBINE_ADD   ? -0.0
                 : combine->kind == COMBINE_MAX ? -INFINITY
                                                : INFINITY;
  return arith_constant(&l->b,
                        mlirFloatAttrDoubleGet(tile_builder_context(&l->b),
                                               combine->type, value));
}

MlirValue combine_neutral(Lowering *l, const Combine *combine) {
  if (tile_elem_is_float(combine->type))
    return neutral_float(l, combine);
  int bits = tile_elem_bits(combine->type);
  int64_t value = 0; // of sums, or and xor
  if (combine->kind == COMBINE_AND)
    value = -1;
  if (combine->kind == COMBINE_MAX)
    value = bits == 64 ? INT64_MIN : INT32_MIN;
  if (combine->kind == COMBINE_MIN)
    value = bits == 64 ? INT64_MAX : INT32_MAX;
  return tile_const_int(&l->b, value, bits);
}

MlirValue combine_stored(Lowering *l, const Combine *combine, MlirValue value,
                         MlirType element) {
  return convert_element(l, value, combine->type, element);
}

// NaN wins, +0 is greater than -0.
static MlirValue combine_floats(Lowering *l, CombineKind kind, MlirValue x,
                                MlirValue y) {
  if (kind == COMBINE_MAX)
    return arith_maximumf(&l->b, .lhs = x, .rhs = y);
  if (kind == COMBINE_MIN)
    return arith_minimumf(&l->b, .lhs = x, .rhs = y);
  return arith_addf(&l->b, .lhs = x, .rhs = y);
}

MlirValue combine(Lowering *l, const Combine *combine, MlirValue x,
                  MlirValue y) {
  if (tile_elem_is_float(combine->type))
    return combine_floats(l, combine->kind, x, y);
  switch (combine->kind) {
  case COMBINE_ADD:
    return arith_addi(&l->b, x, y);
  case COMBINE_MAX:
    return arith_maxsi(&l->b, x, y);
  case COMBINE_MIN:
    return arith_minsi(&l->b, x, y);
  case COMBINE_AND:
    return arith_andi(&l->b, x, y);
  case COMBINE_OR:
    return arith_ori(&l->b, x, y);
  case COMBINE_XOR:
    break;
  }
  return arith_xori(&l->b, x, y);
}

//===-- Lanes -------------------------------------------------------------===//

typedef struct {
  NVVMShflKind kind;
  int64_t offset, clamp;
} Shuffle;

static MlirValue shuffle_word(Lowering *l, MlirValue word,
                              const Shuffle *shuffle) {
  MlirValue everyone = tile_const_int(&l->b, -1, 32);
  MlirValue offset = tile_const_int(&l->b, shuffle->offset, 32);
  return nvvm_shfl_sync(&l->b, .type = mlirValueGetType(word),
                        .thread_mask = everyone, .val = word, .offset = offset,
                        .mask_and_clamp =
                            tile_const_int(&l->b, shuffle->clamp, 32),
                        .kind = shuffle->kind);
}

// 64-bit values go as two words.
static MlirValue shuffle_value(Lowering *l, MlirValue value, Shuffle shuffle) {
  MlirType type = mlirValueGetType(value);
  if (tile_elem_bits(type) == 32)
    return shuffle_word(l, value, &shuffle);
  MlirValue bits = llvm_bitcast(&l->b, type_i64(l), value);
  MlirValue shift = tile_const_int(&l->b, 32, 64);
  MlirValue low = arith_trunci(&l->b, .type = type_i32(l), .in = bits);
  MlirValue high =
      arith_trunci(&l->b, .type = type_i32(l),
                   .in = arith_shrui(&l->b, .lhs = bits, .rhs = shift));
  low = arith_extui(&l->b, .type = type_i64(l),
                    .in = shuffle_word(l, low, &shuffle));
  high = arith_extui(&l->b, .type = type_i64(l),
                     .in = shuffle_word(l, high, &shuffle));
  high = arith_shli(&l->b, .lhs = high, .rhs = shift);
  return llvm_bitcast(&l->b, type, arith_ori(&l->b, low, high));
}

// PTX ISA, shfl.sync: bits 8 to 12 of c are set where lanes must agree, the low
// five bound the source lane: 31, or the first lane of the run for `up`.
static int64_t clamp_of(int64_t group, int64_t bound) {
  return (32 - group) << 8 | bound;
}

MlirValue lane_exchange_xor(Lowering *l, MlirValue value, int64_t offset) {
  return shuffle_value(
      l, value, (Shuffle){NVVM_SHFL_KIND_bfly, offset, clamp_of(32, 31)});
}

MlirValue lane_exchange_up(Lowering *l, MlirValue value, int64_t offset,
                           int64_t group) {
  return shuffle_value(
      l, value, (Shuffle){NVVM_SHFL_KIND_up, offset, clamp_of(group, 0)});
}

MlirValue lane_broadcast(Lowering *l, MlirValue value, int64_t lane,
                         int64_t group) {
  return shuffle_value(
      l, value, (Shuffle){NVVM_SHFL_KIND_idx, lane, clamp_of(group, 31)});
}

// One instruction for a whole warp (PTX ISA, redux.sync: 32-bit integers).
static MlirValue reduce_warp(Lowering *l, const Combine *combine,
                             MlirValue value) {
  static const NVVMReduxKind kinds[] = {
      [COMBINE_ADD] = NVVM_REDUX_KIND_ADD, [COMBINE_MAX] = NVVM_REDUX_KIND_MAX,
      [COMBINE_MIN] = NVVM_REDUX_KIND_MIN, [COMBINE_AND] = NVVM_REDUX_KIND_AND,
      [COMBINE_OR] = NVVM_REDUX_KIND_OR,   [COMBINE_XOR] = NVVM_REDUX_KIND_XOR,
  };
  return nvvm_redux_sync(&l->b, .type = combine->type, .val = value,
                         .kind = kinds[combine->kind],
                         .mask_and_clamp = tile_const_int(&l->b, -1, 32));
}

MlirValue combine_lanes(Lowering *l, const Combine *how, MlirValue value,
                        unsigned mask) {
  if (mask == 31 && mlirTypeEqual(how->type, type_i32(l)) &&
      l->target->has_redux)
    return reduce_warp(l, how, value);
  for (int64_t offset = 1; offset < 32; offset *= 2)
    if (mask & (unsigned)offset)
      value = combine(l, how, value, lane_exchange_xor(l, value, offset));
  return value;
}

//===- SmallFloats.h - Floats of 8 and 4 bits as bits ---------------------===//
#ifndef TILE_CONVERSION_SMALL_FLOATS_H
#define TILE_CONVERSION_SMALL_FLOATS_H

#include "Conversion/ToNVVM/Lowering.h"

bool float8_is(MlirType type);
MlirValue float8_widen(Lowering *l, MlirValue byte, MlirType from); // to f32
/// From any wider float; rounds once, saturates.
MlirValue float8_narrow(Lowering *l, MlirValue value, MlirType to);
/// Exactly: four numbers of a word to two words of two f16 each.
void float8_widen_word(Lowering *l, MlirValue four, MlirType from,
                       MlirValue out[2]);
/// Number `index` (i32; its last bit counts) of the two of e2m1 in the low byte
/// of `pair` (i32), as f32.
MlirValue float4_widen(Lowering *l, MlirValue pair, MlirValue index);

#endif // TILE_CONVERSION_SMALL_FLOATS_H

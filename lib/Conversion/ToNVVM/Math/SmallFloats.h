//===- SmallFloats.h - Floats of 8, 6 and 4 bits as bits ------------------===//
#ifndef TILE_CONVERSION_SMALL_FLOATS_H
#define TILE_CONVERSION_SMALL_FLOATS_H

#include "Conversion/ToNVVM/Lowering.h"

/// Of 8 bits or less. As values of memory they are bytes, the code in the low
/// bits.
bool small_float_is(MlirType type);
MlirValue small_float_widen(Lowering *l, MlirValue byte,
                            MlirType from); // to f32
/// From any wider float; rounds once, saturates.
MlirValue small_float_narrow(Lowering *l, MlirValue value, MlirType to);
/// Exactly: four numbers of a word to two words of two f16 each.
void float8_widen_word(Lowering *l, MlirValue four, MlirType from,
                       MlirValue out[2]);
/// Number `index` (i32; its last bit counts) of the two of e2m1 in the low byte
/// of `pair` (i32), as f32.
MlirValue float4_widen(Lowering *l, MlirValue pair, MlirValue index);

#endif // TILE_CONVERSION_SMALL_FLOATS_H

//===- SmallFloat.h - Floating-point formats that C has no type for -------===//
#ifndef TILE_SUPPORT_SMALL_FLOAT_H
#define TILE_SUPPORT_SMALL_FLOAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Formats by their MLIR names. TF32 is stored as the 32 bits of an f32 whose
/// low 13 bits are zero; the others occupy the low 16 or 8 bits.
typedef enum {
  TILE_SMALL_FLOAT_F16,
  TILE_SMALL_FLOAT_BF16,
  TILE_SMALL_FLOAT_TF32,
  TILE_SMALL_FLOAT_F8E4M3FN, // no infinities; one NaN per sign
  TILE_SMALL_FLOAT_F8E5M2
} TileSmallFloat;

/// Returns the value of `bits`, exactly. Bits above the format are ignored; of
/// TF32 all 32 bits count, so that any f32 can be read.
double tile_small_float_to_double(TileSmallFloat format, uint32_t bits);

/// Rounds `value` to nearest, ties to even, in one step. Beyond the largest
/// finite number the result is infinity, in F8E4M3FN NaN. NaN gives the quiet
/// NaN with the sign of `value` and no payload.
uint32_t tile_small_float_from_double(TileSmallFloat format, double value);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_SMALL_FLOAT_H

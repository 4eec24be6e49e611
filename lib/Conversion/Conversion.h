//===- Conversion.h - What the lowerings share ----------------------------===//
#ifndef TILE_CONVERSION_H
#define TILE_CONVERSION_H

#include "Dialect/Ops.h"
#include "Layout/Layout.h"
#include "Support/Int.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Integer arithmetic that folds (IntMath.c) -------------------------===//
//
// Emits `arith` ops of one type and folds what is known: the lowering of a tile
// op computes many addresses that are constants in part. Constants wrap like
// the code that is emitted: at 64 bits for i64, else at 32.

/// Where and in which type (i32, i64 or index) arithmetic is emitted.
typedef struct {
  TileBuilder *b;
  MlirType type;
} TileIntMath;

/// `x` as an SSA value.
MlirValue tile_int_get(TileIntMath *math, TileInt x);

TileInt tile_int_add(TileIntMath *math, TileInt x, TileInt y);
TileInt tile_int_sub(TileIntMath *math, TileInt x, TileInt y);
TileInt tile_int_mul(TileIntMath *math, TileInt x, int64_t factor);
TileInt tile_int_mul_value(TileIntMath *math, TileInt x, TileInt y);
TileInt tile_int_xor(TileIntMath *math, TileInt x, TileInt y);
/// Unsigned division and remainder by a positive constant.
TileInt tile_int_div(TileIntMath *math, TileInt x, int64_t divisor);
TileInt tile_int_rem(TileIntMath *math, TileInt x, int64_t divisor);

//===-- Layouts as code ---------------------------------------------------===//

/// A layout whose code is emitted: the thread-dependent part once, constants
/// (registers) per use.
typedef struct {
  TileLayout layout;
  TileLayoutTerms terms;
  unsigned constant_axes;
  // Per out axis, without constants: value = (xors ^ toggle) + sums + add.
  TileInt xors[TILE_LAYOUT_MAX_AXES], sums[TILE_LAYOUT_MAX_AXES];
} TileLayoutCode;

/// Emits the part of `layout` that depends on `in` (one per input axis; those
/// in `constant_axes` are not read). Errors: see tile_layout_terms.
bool tile_layout_code_begin(TileIntMath *math, const TileLayout *layout,
                            unsigned constant_axes, const TileInt *in,
                            TileLayoutCode *out_code,
                            TileLayoutError *out_error);
/// Value of `out_axis` where the constant axes have the values `in`.
TileInt tile_layout_code_at(TileIntMath *math, const TileLayoutCode *code,
                            int out_axis, const int64_t *in);

#ifdef __cplusplus
}
#endif

#endif // TILE_CONVERSION_H

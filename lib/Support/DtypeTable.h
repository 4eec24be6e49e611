//===- DtypeTable.h - What every layer needs to know of an element type ---===//
//
// One row per element type: adding one is a row here, its name in
// Tile/Support/Dtype.h, how MLIR tells it (lib/Dialect/TileTypes.c), and the
// lowerings that are new. test/Unit/support-dtype-test.c walks the table.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_DTYPE_TABLE_H
#define TILE_SUPPORT_DTYPE_TABLE_H

#include "Tile/Support/Dtype.h"
#include "Tile/Support/TensorMap.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TILE_NUMBER_FLOAT,
  TILE_NUMBER_SIGNED,
  TILE_NUMBER_UNSIGNED,
  TILE_NUMBER_COMPLEX // no number of scalars, tiles and tensor maps
} TileNumberKind;

/// Bits of a float from the top: sign, exponent, mantissa, unused ones.
typedef struct {
  int exponent_bits, mantissa_bits;
  bool has_infinity; // false: the top exponent holds numbers, all ones is NaN
  int unused_bits;   // below the mantissa in memory, zero
} TileFloatFormat;

typedef struct {
  TileDtype dtype;
  const char *name; // in MLIR, launch metadata and arguments of tile-run
  TileNumberKind kind;
  int bits;               // that count: 1 of i1
  int size_bytes;         // in memory
  TileFloatFormat format; // of floats
  bool is_of_tiles;       // tiles hold such elements
  bool is_of_hosts;       // a float that host functions compute with
  /// The type of PTX that one has in a register or in memory.
  const char *ptx;
  /// The type of PTX as a factor of matrix products; null: no such factors, and
  /// products that have `sums` are computed by element loops.
  const char *factor;
  /// Bit d: products of such factors may be added up in dtype d, where A is
  /// dense and where it is sparse.
  uint32_t sums, sparse_sums;
  TileTensorMapType tensor_map;
  /// Of a .npy file; "V" types are raw bits of formats that NumPy lacks, as the
  /// package ml_dtypes saves them. Null: there is none.
  const char *npy;
} TileDtypeInfo;

const TileDtypeInfo *tile_dtype_info(TileDtype dtype);
/// The row named `name`, or null.
const TileDtypeInfo *tile_dtype_named(const char *name);

static inline bool tile_dtype_info_is_float(const TileDtypeInfo *info) {
  return info->kind == TILE_NUMBER_FLOAT;
}

static inline bool tile_dtype_info_is_complex(const TileDtypeInfo *info) {
  return info->kind == TILE_NUMBER_COMPLEX;
}

static inline int tile_float_bias(const TileFloatFormat *format) {
  return (1 << (format->exponent_bits - 1)) - 1;
}

//===-- Numbers of floats that C has no type for --------------------------===//

// `dtype` is a float of at most 16 bits, or TF32, which is stored as the 32
// bits of an f32 whose low 13 bits are zero.

/// Returns the value of `bits`, exactly. Bits above the format are ignored; of
/// TF32 all 32 bits count, so that any f32 can be read.
double tile_small_float_to_double(TileDtype dtype, uint32_t bits);

/// Rounds `value` to nearest, ties to even, in one step. Beyond the largest
/// finite number the result is infinity, in F8E4M3FN NaN. NaN gives the quiet
/// NaN with the sign of `value` and no payload.
uint32_t tile_small_float_from_double(TileDtype dtype, double value);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_DTYPE_TABLE_H

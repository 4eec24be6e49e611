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
  bool is_finite;    // the top exponent holds numbers alone, there is no NaN
  bool is_unsigned;  // no sign and no zero: powers of two, all ones is NaN
} TileFloatFormat;

typedef struct {
  TileDtype dtype;
  const char *name; // in MLIR, launch metadata and arguments of tile-run
  TileNumberKind kind;
  int bits;               // that count: 1 of i1
  int size_bytes;         // in memory, of one alone
  TileFloatFormat format; // of floats
  bool is_of_tiles;       // tiles hold such elements
  bool is_of_hosts;       // a float that host functions compute with
  /// The type of PTX that one has in a register or in memory.
  const char *ptx;
  /// The type of PTX as a factor of matrix products; null: no such factors.
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

/// Elements of 4 and 6 bits lie beside each other, the first in the low bits:
/// two in a byte, four in three bytes (OCP Microscaling Formats leave it open;
/// PTX ISA, tensors of .b4 and .b6 in global memory).
static inline bool tile_dtype_info_is_packed(const TileDtypeInfo *info) {
  return info->bits == 4 || info->bits == 6;
}

/// The least number of packed elements that fill whole bytes, and those bytes;
/// 1 and 1 of others: so many elements are so many places in memory.
static inline int tile_dtype_info_pack(const TileDtypeInfo *info) {
  return !tile_dtype_info_is_packed(info) ? 1 : info->bits == 4 ? 2 : 4;
}

static inline int tile_dtype_info_pack_bytes(const TileDtypeInfo *info) {
  return info->bits == 6 ? 3 : 1;
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
/// finite number the result is infinity, in F8E4M3FN NaN, in formats of 4 and 6
/// bits that number. NaN gives the quiet NaN with the sign of `value` and no
/// payload; of 4 and 6 bits the largest number. Of F8E8M0FNU, which has no sign
/// and no zero: the nearest power of two, of two the greater one; NaN of what
/// has a sign.
uint32_t tile_small_float_from_double(TileDtype dtype, double value);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_DTYPE_TABLE_H

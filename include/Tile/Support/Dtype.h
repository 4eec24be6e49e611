//===- Dtype.h - The element types ----------------------------------------===//
//
// Of tensors, tiles and scalars. What each one is, is a row of the table in
// lib/Support/DtypeTable.c.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_DTYPE_H
#define TILE_SUPPORT_DTYPE_H

typedef enum {
  TILE_DTYPE_F16,
  TILE_DTYPE_BF16,
  TILE_DTYPE_F32,
  TILE_DTYPE_F64,
  TILE_DTYPE_TF32, // an f32 in memory; numbers are rounded to 10 bits mantissa
  TILE_DTYPE_F8E4M3FN,
  TILE_DTYPE_F8E5M2,
  TILE_DTYPE_F8E8M0FNU, // 2^(code - 127); scales of blocks
  TILE_DTYPE_F6E3M2FN,  // 6 bits
  TILE_DTYPE_F6E2M3FN,
  TILE_DTYPE_F4E2M1FN, // 4 bits
  TILE_DTYPE_I1,       // one byte, 0 or 1
  TILE_DTYPE_I4,
  TILE_DTYPE_I8,
  TILE_DTYPE_I16,
  TILE_DTYPE_I32,
  TILE_DTYPE_I64,
  TILE_DTYPE_U8,
  TILE_DTYPE_U16,
  TILE_DTYPE_U32,
  TILE_DTYPE_U64,
  TILE_DTYPE_INDEX,       // 64 bits
  TILE_DTYPE_COMPLEX_F32, // two floats, the real part first
  TILE_DTYPE_COMPLEX_F64,
  TILE_NUM_DTYPES
} TileDtype;

#endif // TILE_SUPPORT_DTYPE_H

//===- TensorMap.h - Description of a TMA tensor map ----------------------===//
//
// Shared by the emulator and the launcher; what cuTensorMapEncodeTiled takes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_TENSOR_MAP_H
#define TILE_SUPPORT_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_TENSOR_MAP_MAX_RANK = 5, TILE_TENSOR_MAP_SIZE_BYTES = 128 };

/// Element types of a tensor map, numbered as CUtensorMapDataType.
typedef enum {
  TILE_TENSOR_MAP_U8 = 0,
  TILE_TENSOR_MAP_U16 = 1,
  TILE_TENSOR_MAP_U32 = 2,
  TILE_TENSOR_MAP_I32 = 3,
  TILE_TENSOR_MAP_U64 = 4,
  TILE_TENSOR_MAP_I64 = 5,
  TILE_TENSOR_MAP_F16 = 6,
  TILE_TENSOR_MAP_F32 = 7,
  TILE_TENSOR_MAP_F64 = 8,
  TILE_TENSOR_MAP_BF16 = 9,
  TILE_TENSOR_MAP_F32_FTZ = 10,
  TILE_TENSOR_MAP_TF32 = 11,
  TILE_TENSOR_MAP_TF32_FTZ = 12
} TileTensorMapType;

/// A tiled tensor map. Dimension 0 is the contiguous one (stride = element
/// size), as in the driver API: the reverse of memref order.
typedef struct {
  TileTensorMapType type;
  int rank;                                         // 1 to 5
  uint64_t address;                                 // 16-byte aligned
  uint64_t dims[TILE_TENSOR_MAP_MAX_RANK];          // elements
  uint64_t strides_bytes[TILE_TENSOR_MAP_MAX_RANK]; // [0] is not used
  uint32_t box[TILE_TENSOR_MAP_MAX_RANK];           // elements, at most 256
  uint32_t elem_strides[TILE_TENSOR_MAP_MAX_RANK];  // traversal strides
  int swizzle_bytes;                                // 0, 32, 64 or 128
  bool oob_nan; // out of bounds reads give NaN; false: zero
} TileTensorMap;

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_TENSOR_MAP_H

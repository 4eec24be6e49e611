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

/// A tensor map. Dimension 0 is the contiguous one (stride = element size), as
/// in the driver API: the reverse of memref order.
///
/// Tiled maps (cuTensorMapEncodeTiled) copy boxes. Maps of the im2col form
/// (cuTensorMapEncodeIm2col) have the dimensions channels, width (, height
/// (, depth)), images and copy some channels of some pixels.
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
  // Only of the im2col form, which does not use `box`. Corners are relative to
  // the first and to the last pixel of an image.
  bool is_im2col;
  int32_t lower_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
  int32_t upper_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
  uint32_t channels_per_pixel; // at most 256
  uint32_t pixels_per_column;  // at most 1024
} TileTensorMap;

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_TENSOR_MAP_H

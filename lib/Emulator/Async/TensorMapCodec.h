//===- TensorMapCodec.h - Tensor maps as kernels of the emulator see them -===//
#ifndef TILE_EMULATOR_TENSOR_MAP_CODEC_H
#define TILE_EMULATOR_TENSOR_MAP_CODEC_H

#include "Emulator/Ptx/Ptx.h"
#include "Tile/Support/TensorMap.h"

#define TILE_TENSOR_MAP_MAGIC 0x544d4150u

/// Our own encoding of the 128 opaque bytes. `reserved` covers bits that some
/// kernel libraries clear to work around a driver defect.
typedef struct {
  uint32_t magic;
  uint8_t type; // TilePtxType
  uint8_t rank;
  uint8_t swizzle; // 0 none, 1: 32, 2: 64, 3: 128 bytes
  uint8_t fills_nan;
  uint64_t reserved;
  uint64_t address;
  uint64_t strides_bytes[TILE_TENSOR_MAP_MAX_RANK - 1]; // of dimensions 1, …
  uint32_t last[TILE_TENSOR_MAP_MAX_RANK];              // dimension - 1
  uint16_t box[TILE_TENSOR_MAP_MAX_RANK];               // im2col: [0] channels
  uint8_t elem_strides[TILE_TENSOR_MAP_MAX_RANK];
  bool is_im2col, flushes_denormals;
  uint8_t interleave; // 0; others are not modelled
  uint16_t num_pixels;
  int16_t lower_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
  int16_t upper_corner[TILE_TENSOR_MAP_MAX_RANK - 2];
} TileEncodedMap;

/// Every field is in range; memory of a kernel may hold anything.
bool tile_emu_encoded_map_is_valid(const TileEncodedMap *map);

/// Elements of dimension `dim` that one box takes.
static inline uint32_t tile_encoded_map_count(const TileEncodedMap *map,
                                              uint32_t dim) {
  uint32_t step = dim ? map->elem_strides[dim] : 1;
  return (map->box[dim] + step - 1) / step;
}

#endif // TILE_EMULATOR_TENSOR_MAP_CODEC_H

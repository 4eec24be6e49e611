//===- TensorMapCodec.c - Encodes and checks tensor maps ------------------===//
//
// Rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, CUDA driver API,
// "Tensor Map Object Management", for interleave "none".
//
//===----------------------------------------------------------------------===//

#include "Async.h"
#include <string.h>

//===-- Im2col ------------------------------------------------------------===//

#define REFUSE(...)                                                            \
  return tile_status_error(TILE_STATUS_USER_ERROR, __VA_ARGS__)

/// What cuTensorMapEncodeIm2col refuses, beyond what it has in common with
/// tiled maps.
static TileStatus im2col_check(const TileTensorMap *map) {
  static const int32_t limits[] = {1 << 15, 1 << 7, 1 << 4};
  if (map->rank < 3)
    REFUSE("im2col map: rank is %d, not in [3, 5]", map->rank);
  int32_t limit = limits[map->rank - 3];
  for (int i = 0; i + 2 < map->rank; i++) {
    int32_t lower = map->lower_corner[i], upper = map->upper_corner[i];
    if (lower < -limit || lower >= limit || upper < -limit || upper >= limit)
      REFUSE("im2col map: corners %d and %d of dimension %d, not in [%d, %d]",
             lower, upper, i + 1, -limit, limit - 1);
    int64_t last = (int64_t)map->dims[i + 1] - 1 + upper;
    if (last < lower)
      REFUSE("im2col map: the box is empty in dimension %d, from %d to %lld",
             i + 1, lower, (long long)last);
  }
  if (map->channels_per_pixel == 0 || map->channels_per_pixel > 256)
    REFUSE("im2col map: %u channels of a pixel, not in [1, 256]",
           map->channels_per_pixel);
  if (map->pixels_per_column == 0 || map->pixels_per_column > 1024)
    REFUSE("im2col map: %u pixels of a column, not in [1, 1024]",
           map->pixels_per_column);
  return tile_status_ok();
}

static void im2col_encode(const TileTensorMap *map, TileEncodedMap *encoded) {
  encoded->is_im2col = true;
  encoded->num_pixels = (uint16_t)map->pixels_per_column;
  for (int i = 0; i + 2 < map->rank; i++) {
    encoded->lower_corner[i] = (int16_t)map->lower_corner[i];
    encoded->upper_corner[i] = (int16_t)map->upper_corner[i];
  }
}

_Static_assert(sizeof(TileEncodedMap) <= TILE_TENSOR_MAP_SIZE_BYTES,
               "a tensor map has 128 bytes");

static const uint8_t types[] = {
    [TILE_TENSOR_MAP_U8] = TILE_PTX_U8,
    [TILE_TENSOR_MAP_U16] = TILE_PTX_U16,
    [TILE_TENSOR_MAP_U32] = TILE_PTX_U32,
    [TILE_TENSOR_MAP_I32] = TILE_PTX_S32,
    [TILE_TENSOR_MAP_U64] = TILE_PTX_U64,
    [TILE_TENSOR_MAP_I64] = TILE_PTX_S64,
    [TILE_TENSOR_MAP_F16] = TILE_PTX_F16,
    [TILE_TENSOR_MAP_F32] = TILE_PTX_F32,
    [TILE_TENSOR_MAP_F64] = TILE_PTX_F64,
    [TILE_TENSOR_MAP_BF16] = TILE_PTX_BF16,
    [TILE_TENSOR_MAP_F32_FTZ] = TILE_PTX_F32,
    [TILE_TENSOR_MAP_TF32] = TILE_PTX_TF32,
    [TILE_TENSOR_MAP_TF32_FTZ] = TILE_PTX_TF32,
};

enum { NUM_TYPES = sizeof types / sizeof types[0] };
static const uint32_t swizzle_bytes[] = {0, 32, 64, 128};

static TilePtxType elem_type(const TileTensorMap *map) {
  unsigned type = (unsigned)map->type;
  return type < NUM_TYPES ? (TilePtxType)types[type] : TILE_PTX_NONE;
}

static int swizzle_mode(int size_bytes) {
  for (int mode = 0; mode < 4; mode++)
    if ((int)swizzle_bytes[mode] == size_bytes)
      return mode;
  return -1;
}

#define REFUSE(...)                                                            \
  return tile_status_error(TILE_STATUS_USER_ERROR, __VA_ARGS__)

static TileStatus check_dimension(const TileTensorMap *map, int dim) {
  uint64_t stride = map->strides_bytes[dim];
  if (map->dims[dim] == 0 || map->dims[dim] > 1ull << 32)
    REFUSE("tensor map: dimension %d is %llu, not in [1, 2^32]", dim,
           (unsigned long long)map->dims[dim]);
  if (dim > 0 && (stride % 16 || stride >= 1ull << 40))
    REFUSE("tensor map: stride %d is %llu bytes, not a multiple of 16 below "
           "2^40",
           dim, (unsigned long long)stride);
  if (!map->is_im2col && (map->box[dim] == 0 || map->box[dim] > 256))
    REFUSE("tensor map: box %d is %u, not in [1, 256]", dim, map->box[dim]);
  if (map->elem_strides[dim] > 8)
    REFUSE("tensor map: element stride %d is %u, not in [1, 8]", dim,
           map->elem_strides[dim]);
  return tile_status_ok();
}

static uint32_t inner_elems(const TileTensorMap *map) {
  return map->is_im2col ? map->channels_per_pixel : map->box[0];
}

static TileStatus check(const TileTensorMap *map) {
  TilePtxType type = elem_type(map);
  if (type == TILE_PTX_NONE)
    REFUSE("tensor map: unknown element type %d", (int)map->type);
  if (map->rank < 1 || map->rank > TILE_TENSOR_MAP_MAX_RANK)
    REFUSE("tensor map: rank is %d, not in [1, 5]", map->rank);
  if (map->address % 16)
    REFUSE("tensor map: address 0x%llx is not 16-byte aligned",
           (unsigned long long)map->address);
  for (int dim = 0; dim < map->rank; dim++) {
    TileStatus status = check_dimension(map, dim);
    if (!tile_status_is_ok(&status))
      return status;
  }
  if (map->is_im2col) {
    TileStatus status = im2col_check(map);
    if (!tile_status_is_ok(&status))
      return status;
  }
  uint32_t inner_bytes = inner_elems(map) * tile_emu_type_bytes(type);
  if (inner_bytes % 16)
    REFUSE("tensor map: the inner box has %u bytes, not a multiple of 16",
           inner_bytes);
  if (swizzle_mode(map->swizzle_bytes) < 0)
    REFUSE("tensor map: swizzle of %d bytes, not 0, 32, 64 or 128",
           map->swizzle_bytes);
  if (map->swizzle_bytes && inner_bytes > (uint32_t)map->swizzle_bytes)
    REFUSE("tensor map: the inner box has %u bytes, more than the swizzle of "
           "%d",
           inner_bytes, map->swizzle_bytes);
  if (map->oob_nan && !tile_emu_type_is_float(type))
    REFUSE("tensor map: NaN fill needs a floating-point type");
  return tile_status_ok();
}

TileStatus tile_emu_tensor_map_encode(const TileTensorMap *map, void *out_map) {
  TileStatus status = check(map);
  if (!tile_status_is_ok(&status))
    return status;
  TileEncodedMap encoded = {.magic = TILE_TENSOR_MAP_MAGIC};
  encoded.type = (uint8_t)elem_type(map);
  encoded.rank = (uint8_t)map->rank;
  encoded.swizzle = (uint8_t)swizzle_mode(map->swizzle_bytes);
  encoded.fills_nan = map->oob_nan;
  encoded.address = map->address;
  for (int dim = map->rank; dim < TILE_TENSOR_MAP_MAX_RANK; dim++)
    encoded.box[dim] = encoded.elem_strides[dim] = 1; // may be used later
  for (int dim = 0; dim < map->rank; dim++) {
    uint32_t step = map->elem_strides[dim] ? map->elem_strides[dim] : 1;
    encoded.last[dim] = (uint32_t)(map->dims[dim] - 1);
    encoded.box[dim] = map->is_im2col ? 1 : (uint16_t)map->box[dim];
    encoded.elem_strides[dim] = (uint8_t)step;
    if (dim > 0)
      encoded.strides_bytes[dim - 1] = map->strides_bytes[dim];
  }
  encoded.box[0] = (uint16_t)inner_elems(map);
  encoded.flushes_denormals = map->type == TILE_TENSOR_MAP_F32_FTZ ||
                              map->type == TILE_TENSOR_MAP_TF32_FTZ;
  if (map->is_im2col)
    im2col_encode(map, &encoded);
  memset(out_map, 0, TILE_TENSOR_MAP_SIZE_BYTES);
  memcpy(out_map, &encoded, sizeof encoded);
  return status;
}

TileStatus tile_emu_tensor_map_replace_address(void *map, uint64_t address) {
  TileEncodedMap encoded;
  memcpy(&encoded, map, sizeof encoded);
  if (!tile_emu_encoded_map_is_valid(&encoded))
    REFUSE("tensor map: these bytes are not a tensor map");
  if (address % 16)
    REFUSE("tensor map: address 0x%llx is not 16-byte aligned",
           (unsigned long long)address);
  encoded.address = address;
  memcpy(map, &encoded, sizeof encoded);
  return tile_status_ok();
}

bool tile_emu_encoded_map_is_valid(const TileEncodedMap *map) {
  if (map->magic != TILE_TENSOR_MAP_MAGIC || map->rank < 1 ||
      map->rank > TILE_TENSOR_MAP_MAX_RANK || map->swizzle > 3 ||
      map->type >= TILE_PTX_NUM_TYPES)
    return false;
  uint32_t elem_bytes = tile_emu_type_bytes((TilePtxType)map->type);
  if (elem_bytes == 0 || map->box[0] * elem_bytes % 16 || map->interleave)
    return false;
  if (map->is_im2col && (map->rank < 3 || map->num_pixels == 0))
    return false;
  for (uint32_t dim = 0; dim < map->rank; dim++)
    if (map->box[dim] == 0 || map->box[dim] > 256 ||
        map->elem_strides[dim] == 0)
      return false;
  return true;
}

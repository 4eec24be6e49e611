//===- DriverTensorMaps.c - Tensor maps -----------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

enum { MAP_ALIGN_BYTES = 64, OOB_NAN = 1 };

/// The arguments that both forms have.
typedef struct {
  int type;
  unsigned rank;
  void *address;
  const uint64_t *dims, *strides_bytes;
  const uint32_t *elem_strides;
  int interleave, swizzle, oob_fill;
} Common;

static CuResult common_fill(const Common *common, const void *out_map,
                            TileTensorMap *map) {
  static const int swizzles[] = {0, 32, 64, 128};
  if (!out_map || (uintptr_t)out_map % MAP_ALIGN_BYTES || !common->dims ||
      !common->elem_strides || common->rank < 1 ||
      common->rank > TILE_TENSOR_MAP_MAX_RANK ||
      (common->rank > 1 && !common->strides_bytes))
    return CU_INVALID_VALUE;
  if (common->interleave)
    return tile_shim_not_supported("an interleaved tensor map");
  if (common->swizzle < 0 || common->swizzle > 3)
    return tile_shim_not_supported("a tensor map swizzled by larger atoms");
  if (common->type > TILE_TENSOR_MAP_TF32_FTZ)
    return tile_shim_not_supported("a tensor map of 4 or 6-bit elements");
  map->type = (TileTensorMapType)common->type;
  map->rank = (int)common->rank;
  map->address = (uintptr_t)common->address;
  map->swizzle_bytes = swizzles[common->swizzle];
  map->oob_nan = common->oob_fill == OOB_NAN;
  for (unsigned i = 0; i < common->rank; i++) {
    map->dims[i] = common->dims[i];
    map->elem_strides[i] = common->elem_strides[i];
    if (i > 0) // the driver leaves out dimension 0
      map->strides_bytes[i] = common->strides_bytes[i - 1];
  }
  return CU_SUCCESS;
}

// The driver wants a current context for this, too (seen: 580.159, error 201).
static CuResult encode_now(const TileTensorMap *map, void *out_map) {
  TileStatus status = tile_emu_tensor_map_encode(map, out_map);
  if (tile_status_is_ok(&status))
    return CU_SUCCESS;
  tile_shim_say("%s", status.message);
  return CU_INVALID_VALUE;
}

static CuResult encode(const TileTensorMap *map, void *out_map) {
  TILE_SHIM_CALL_IF(tile_shim_ready, encode_now(map, out_map));
}

CuResult cuTensorMapEncodeTiled(void *out_map, int type, unsigned rank,
                                void *address, const uint64_t *dims,
                                const uint64_t *strides_bytes,
                                const uint32_t *box,
                                const uint32_t *elem_strides, int interleave,
                                int swizzle, int l2_promotion, int oob_fill) {
  (void)l2_promotion;
  Common common = {type,         rank,       address, dims,    strides_bytes,
                   elem_strides, interleave, swizzle, oob_fill};
  TileTensorMap map = {0};
  CuResult result =
      box ? common_fill(&common, out_map, &map) : CU_INVALID_VALUE;
  if (result != CU_SUCCESS)
    return result;
  for (unsigned i = 0; i < rank; i++)
    map.box[i] = box[i];
  return encode(&map, out_map);
}

CuResult
cuTensorMapEncodeIm2col(void *out_map, int type, unsigned rank, void *address,
                        const uint64_t *dims, const uint64_t *strides_bytes,
                        const int *lower_corner, const int *upper_corner,
                        unsigned channels_per_pixel, unsigned pixels_per_column,
                        const uint32_t *elem_strides, int interleave,
                        int swizzle, int l2_promotion, int oob_fill) {
  (void)l2_promotion;
  Common common = {type,         rank,       address, dims,    strides_bytes,
                   elem_strides, interleave, swizzle, oob_fill};
  TileTensorMap map = {.is_im2col = true,
                       .channels_per_pixel = channels_per_pixel,
                       .pixels_per_column = pixels_per_column};
  if (!lower_corner || !upper_corner || rank < 3)
    return CU_INVALID_VALUE;
  CuResult result = common_fill(&common, out_map, &map);
  if (result != CU_SUCCESS)
    return result;
  for (unsigned i = 0; i + 2 < rank; i++) {
    map.lower_corner[i] = lower_corner[i];
    map.upper_corner[i] = upper_corner[i];
  }
  return encode(&map, out_map);
}

CuResult cuTensorMapReplaceAddress(void *map, void *address) {
  if (!map || (uintptr_t)map % MAP_ALIGN_BYTES)
    return CU_INVALID_VALUE;
  TileStatus status =
      tile_emu_tensor_map_replace_address(map, (uintptr_t)address);
  if (tile_status_is_ok(&status))
    return CU_SUCCESS;
  tile_shim_say("%s", status.message);
  return CU_INVALID_VALUE;
}

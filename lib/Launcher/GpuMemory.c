//===- GpuMemory.c - Copies, fills and workspaces on the GPU --------------===//
//
// All of it is queued on the stream of the call. A workspace comes from a pool
// of the device that keeps what is given back, so that the next call takes it
// without asking the system; where the driver has no pools it is ordinary
// memory, and giving it back waits for the stream.
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include <string.h>

//===-- Copies ------------------------------------------------------------===//

TileStatus tile_cuda_copy_rows(TileDevice *device, const DeviceRows *rows) {
  CudaGpu *gpu = (CudaGpu *)device;
  CudaCopy2D copy = {.from_type = CUDA_MEMORY_TYPE_DEVICE,
                     .from = rows->from,
                     .from_pitch_bytes = rows->from_pitch_bytes,
                     .to_type = CUDA_MEMORY_TYPE_DEVICE,
                     .to = rows->to,
                     .to_pitch_bytes = rows->to_pitch_bytes,
                     .row_bytes = rows->row_bytes,
                     .num_rows = rows->num_rows};
  return tile_cuda_status(&gpu->api,
                          gpu->api.memcpy_2d_async(&copy, rows->stream),
                          "cannot copy on the GPU");
}

//===-- Fills -------------------------------------------------------------===//

static CudaResult fill_words(const CudaApi *api, const DevicePattern *pattern,
                             unsigned word) {
  return api->memset_d2d32_async(pattern->to, pattern->pitch_bytes, word,
                                 pattern->row_elems, pattern->num_rows,
                                 pattern->stream);
}

/// Elements of 8 bytes are two words, unless both are the same: then a row is
/// twice as many. Otherwise each word is a column of its own.
static CudaResult fill_pairs(const CudaApi *api, const DevicePattern *pattern) {
  uint32_t words[2];
  memcpy(words, pattern->pattern, sizeof words);
  DevicePattern half = *pattern;
  if (words[0] == words[1]) {
    half.row_elems *= 2;
    return fill_words(api, &half, words[0]);
  }
  CudaResult result = 0;
  for (size_t row = 0; row < pattern->num_rows && result == 0; row++)
    for (size_t i = 0; i < 2 && result == 0; i++)
      result = api->memset_d2d32_async(
          pattern->to + row * pattern->pitch_bytes + 4 * i, 8, words[i], 1,
          pattern->row_elems, pattern->stream);
  return result;
}

TileStatus tile_cuda_fill_rows(TileDevice *device,
                               const DevicePattern *pattern) {
  CudaGpu *gpu = (CudaGpu *)device;
  const CudaApi *api = &gpu->api;
  CudaResult result = 0;
  uint16_t half = 0;
  uint32_t word = 0;
  memcpy(&half, pattern->pattern, sizeof half);
  memcpy(&word, pattern->pattern, sizeof word);
  switch (pattern->elem_bytes) {
  case 1:
    result = api->memset_d2d8_async(pattern->to, pattern->pitch_bytes,
                                    pattern->pattern[0], pattern->row_elems,
                                    pattern->num_rows, pattern->stream);
    break;
  case 2:
    result = api->memset_d2d16_async(pattern->to, pattern->pitch_bytes, half,
                                     pattern->row_elems, pattern->num_rows,
                                     pattern->stream);
    break;
  case 4:
    result = fill_words(api, pattern, word);
    break;
  default:
    result = fill_pairs(api, pattern);
    break;
  }
  return tile_cuda_status(api, result, "cannot fill memory of the GPU");
}

//===-- Workspaces --------------------------------------------------------===//

/// Makes the pool. Without one, `gpu->pool` stays NULL.
static CudaResult make_pool(CudaGpu *gpu) {
  int has_pools = 0;
  uint64_t all_bytes = UINT64_MAX; // keep what is given back
  CudaPoolProperties properties = {.allocation_type =
                                       CUDA_ALLOCATION_TYPE_PINNED,
                                   .location_type = CUDA_LOCATION_TYPE_DEVICE,
                                   .location = gpu->device};
  CudaResult result = gpu->api.device_get_attribute(
      &has_pools, CUDA_ATTRIBUTE_MEMORY_POOLS, gpu->device);
  if (result != 0 || !has_pools)
    return result;
  result = gpu->api.pool_create(&gpu->pool, &properties);
  if (result == 0)
    result = gpu->api.pool_set_attribute(gpu->pool, CUDA_POOL_RELEASE_THRESHOLD,
                                         &all_bytes);
  return result;
}

TileStatus tile_cuda_take_workspace(TileDevice *device, size_t size_bytes,
                                    void *stream, uint64_t *out_address) {
  CudaGpu *gpu = (CudaGpu *)device;
  char what[80];
  snprintf(what, sizeof what, "cannot allocate %zu bytes of workspaces",
           size_bytes);
  CudaResult result = gpu->pool ? 0 : make_pool(gpu);
  *out_address = 0;
  if (result == 0)
    result = gpu->pool ? gpu->api.mem_alloc_from_pool(out_address, size_bytes,
                                                      gpu->pool, stream)
                       : gpu->api.mem_alloc(out_address, size_bytes);
  return tile_cuda_status(&gpu->api, result, what);
}

TileStatus tile_cuda_give_workspace(TileDevice *device, uint64_t address,
                                    void *stream) {
  CudaGpu *gpu = (CudaGpu *)device;
  CudaResult result = 0;
  if (gpu->pool) {
    result = gpu->api.mem_free_async(address, stream);
  } else {
    result = gpu->api.stream_synchronize(stream);
    CudaResult freed = gpu->api.mem_free(address);
    result = result ? result : freed;
  }
  return tile_cuda_status(&gpu->api, result, "cannot free workspaces");
}

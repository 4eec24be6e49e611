//===- Launch.c - Tensor maps and kernel launches on the GPU --------------===//

#include "CudaApi.h"

#include <stdlib.h>
#include <string.h>

//===-- Tensor maps -------------------------------------------------------===//

static int swizzle_of(int swizzle_bytes) {
  switch (swizzle_bytes) {
  case 32:
    return CUDA_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return CUDA_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return CUDA_TENSOR_MAP_SWIZZLE_128B;
  default:
    return CUDA_TENSOR_MAP_SWIZZLE_NONE;
  }
}

static TileStatus encode_im2col(const CudaApi *api, const TileTensorMap *map,
                                void *out_map) {
  CudaResult result = api->tensor_map_encode_im2col(
      out_map, (int)map->type, (uint32_t)map->rank,
      (void *)(uintptr_t)map->address, map->dims, map->strides_bytes + 1,
      map->lower_corner, map->upper_corner, map->channels_per_pixel,
      map->pixels_per_column, map->elem_strides,
      CUDA_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(map->swizzle_bytes),
      CUDA_TENSOR_MAP_L2_PROMOTION_128B,
      map->oob_nan ? CUDA_TENSOR_MAP_OOB_NAN : CUDA_TENSOR_MAP_OOB_ZERO);
  return tile_cuda_status(api, result, "cuTensorMapEncodeIm2col");
}

TileStatus tile_cuda_encode_tensor_map(TileDevice *device,
                                       const TileTensorMap *map,
                                       void *out_map) {
  CudaGpu *gpu = (CudaGpu *)device;
  // TileTensorMapType is numbered as the driver's type. The driver's strides
  // leave out dimension 0.
  if (map->is_im2col)
    return encode_im2col(&gpu->api, map, out_map);
  CudaResult result = gpu->api.tensor_map_encode_tiled(
      out_map, (int)map->type, (uint32_t)map->rank,
      (void *)(uintptr_t)map->address, map->dims, map->strides_bytes + 1,
      map->box, map->elem_strides, CUDA_TENSOR_MAP_INTERLEAVE_NONE,
      swizzle_of(map->swizzle_bytes), CUDA_TENSOR_MAP_L2_PROMOTION_128B,
      map->oob_nan ? CUDA_TENSOR_MAP_OOB_NAN : CUDA_TENSOR_MAP_OOB_ZERO);
  return tile_cuda_status(&gpu->api, result, "cuTensorMapEncodeTiled");
}

//===-- Launches ----------------------------------------------------------===//

/// Allows what is refused by default: more than 48 KiB of dynamic shared
/// memory, clusters of more than 8 blocks.
static CudaResult set_attributes(const CudaApi *api, CudaKernel *kernel,
                                 const TileKernelLaunch *launch,
                                 unsigned cluster_size) {
  enum { MAX_PORTABLE_CLUSTER = 8 };
  CudaResult result = 0;
  if (launch->dynamic_smem_bytes > kernel->dynamic_smem_bytes)
    result = api->func_set_attribute(kernel->function,
                                     CUDA_FUNCTION_MAX_DYNAMIC_SMEM_BYTES,
                                     (int)launch->dynamic_smem_bytes);
  if (result == 0 && launch->dynamic_smem_bytes > kernel->dynamic_smem_bytes)
    kernel->dynamic_smem_bytes = launch->dynamic_smem_bytes;
  if (result == 0 && cluster_size > MAX_PORTABLE_CLUSTER &&
      !kernel->has_large_clusters)
    result = api->func_set_attribute(kernel->function,
                                     CUDA_FUNCTION_NON_PORTABLE_CLUSTER, 1);
  kernel->has_large_clusters |=
      result == 0 && cluster_size > MAX_PORTABLE_CLUSTER;
  return result;
}

/// Finds a kernel; the driver is asked once. NULL: out of memory, or what the
/// driver says in `out_result`.
static CudaKernel *find_kernel(CudaGpu *gpu, void *module, const char *name,
                               CudaResult *out_result) {
  enum { OUT_OF_MEMORY = 2 }; // CUDA_ERROR_OUT_OF_MEMORY
  for (size_t i = 0; i < gpu->num_kernels; i++)
    if (gpu->kernels[i].module == module &&
        strcmp(gpu->kernels[i].name, name) == 0)
      return &gpu->kernels[i];
  CudaKernel kernel = {.module = module};
  *out_result = gpu->api.module_get_function(&kernel.function, module, name);
  if (*out_result != 0)
    return NULL;
  CudaKernel *grown =
      realloc(gpu->kernels, (gpu->num_kernels + 1) * sizeof *grown);
  *out_result = OUT_OF_MEMORY;
  gpu->kernels = grown ? grown : gpu->kernels;
  kernel.name = grown ? strdup(name) : NULL;
  if (!kernel.name)
    return NULL;
  *out_result = 0;
  gpu->kernels[gpu->num_kernels] = kernel;
  return &gpu->kernels[gpu->num_kernels++];
}

void tile_cuda_forget_kernels(CudaGpu *gpu, const void *module) {
  size_t count = 0;
  for (size_t i = 0; i < gpu->num_kernels; i++) {
    if (gpu->kernels[i].module == module)
      free(gpu->kernels[i].name);
    else
      gpu->kernels[count++] = gpu->kernels[i];
  }
  gpu->num_kernels = count;
  if (count > 0)
    return;
  free(gpu->kernels);
  gpu->kernels = NULL;
}

enum { MAX_LAUNCH_ATTRIBUTES = 3 };

static unsigned launch_attributes(const TileKernelLaunch *launch,
                                  CudaLaunchAttribute *out) {
  const uint32_t *cluster = launch->cluster;
  unsigned n = 0;
  // GPUs before Hopper refuse the attribute, even for clusters of one.
  if (cluster[0] * cluster[1] * cluster[2] > 1) {
    out[n] = (CudaLaunchAttribute){.id = CUDA_LAUNCH_CLUSTER_DIMENSION};
    out[n].value.cluster.x = cluster[0];
    out[n].value.cluster.y = cluster[1];
    out[n++].value.cluster.z = cluster[2];
  }
  if (launch->is_cooperative)
    out[n++] =
        (CudaLaunchAttribute){.id = CUDA_LAUNCH_COOPERATIVE, .value.flag = 1};
  if (launch->is_dependent)
    out[n++] = (CudaLaunchAttribute){
        .id = CUDA_LAUNCH_PROGRAMMATIC_SERIALIZATION, .value.flag = 1};
  return n;
}

TileStatus tile_cuda_launch(TileDevice *device, void *handle,
                            const TileKernelLaunch *launch) {
  CudaGpu *gpu = (CudaGpu *)device;
  const CudaApi *api = &gpu->api;
  unsigned cluster_size =
      launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
  CudaLaunchAttribute attributes[MAX_LAUNCH_ATTRIBUTES];
  CudaLaunchConfig config = {
      .grid_x = launch->grid[0],
      .grid_y = launch->grid[1],
      .grid_z = launch->grid[2],
      .block_x = launch->block[0],
      .block_y = launch->block[1],
      .block_z = launch->block[2],
      .dynamic_smem_bytes = launch->dynamic_smem_bytes,
      .stream = launch->stream,
      .attributes = attributes,
      .num_attributes = launch_attributes(launch, attributes),
  };
  CudaResult result = 0;
  CudaKernel *kernel = find_kernel(gpu, handle, launch->kernel, &result);
  if (result == 0)
    result = set_attributes(api, kernel, launch, cluster_size);
  if (result == 0)
    result =
        api->launch_kernel_ex(&config, kernel->function, launch->params, NULL);
  if (result == 0 && !launch->is_queued)
    result = api->ctx_synchronize();
  if (result == 0)
    return tile_status_ok();
  char what[200];
  snprintf(what, sizeof what, "kernel '%.100s'", launch->kernel);
  return tile_cuda_status(api, result, what);
}

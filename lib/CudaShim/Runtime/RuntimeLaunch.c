//===- RuntimeLaunch.c - Launches, functions, occupancy -------------------===//

#include "Runtime.h"
#include "RuntimeApi.h"

#include <string.h>

//===-- Launches ----------------------------------------------------------===//

/// The runtime API has its own numbers for these.
static RtError launch_error(CuResult result, const RtDim *block) {
  uint64_t threads = (uint64_t)block->x * block->y * block->z;
  if (result == CU_INVALID_VALUE && (threads == 0 || threads > 1024))
    return RT_INVALID_CONFIGURATION;
  return (RtError)result;
}

static RtError launch(CuFunction function, RtDim grid, RtDim block, void **args,
                      size_t smem_bytes, CuStream stream) {
  CuResult result =
      cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                     block.z, (unsigned)smem_bytes, stream, args, NULL);
  return launch_error(result, &block);
}

static RtError launch_host(const void *host, RtDim grid, RtDim block,
                           void **args, size_t smem_bytes, CuStream stream) {
  CuFunction function;
  RtError error = tile_rt_function(host, &function);
  return error ? error
               : launch(function, grid, block, args, smem_bytes, stream);
}

RtError cudaLaunchKernel(const void *host, RtDim grid, RtDim block, void **args,
                         size_t smem_bytes, CuStream stream) {
  RT_CALL(launch_host(host, grid, block, args, smem_bytes, stream));
}

RtError __cudaLaunchKernel(CuFunction kernel, RtDim grid, RtDim block,
                           void **args, size_t smem_bytes, CuStream stream) {
  RT_CALL(launch_host(kernel, grid, block, args, smem_bytes, stream));
}

static RtError launch_together(const void *host, RtDim grid, RtDim block,
                               void **args, size_t smem_bytes,
                               CuStream stream) {
  CuFunction function;
  RtError error = tile_rt_function(host, &function);
  if (error)
    return error;
  CuResult result = cuLaunchCooperativeKernel(
      function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
      (unsigned)smem_bytes, stream, args);
  return launch_error(result, &block);
}

RtError cudaLaunchCooperativeKernel(const void *host, RtDim grid, RtDim block,
                                    void **args, size_t smem_bytes,
                                    CuStream stream) {
  RT_CALL(launch_together(host, grid, block, args, smem_bytes, stream));
}

static CuLaunchConfig driver_config(const RtLaunchConfig *config) {
  return (CuLaunchConfig){
      .grid = {config->grid.x, config->grid.y, config->grid.z},
      .block = {config->block.x, config->block.y, config->block.z},
      .dynamic_smem_bytes = (unsigned)config->smem_bytes,
      .stream = config->stream,
      .attributes = config->attributes,
      .num_attributes = config->num_attributes};
}

static RtError launch_config(const RtLaunchConfig *config, const void *host,
                             void **args) {
  CuFunction function;
  if (!config)
    return RT_INVALID_VALUE;
  RtError error = tile_rt_function(host, &function);
  if (error)
    return error;
  CuLaunchConfig converted = driver_config(config);
  return launch_error(cuLaunchKernelEx(&converted, function, args, NULL),
                      &config->block);
}

RtError cudaLaunchKernelExC(const RtLaunchConfig *config, const void *host,
                            void **args) {
  RT_CALL(launch_config(config, host, args));
}

RtError __cudaGetKernel(CuFunction *out_kernel, const void *host) {
  RT_CALL(tile_rt_function(host, out_kernel));
}

RtError cudaGetKernel(CuFunction *out_kernel, const void *host) {
  RT_CALL(tile_rt_function(host, out_kernel));
}

RtError cudaGetFuncBySymbol(CuFunction *out_function, const void *host) {
  RT_CALL(tile_rt_function(host, out_function));
}

RtError cudaLaunchHostFunc(CuStream stream, CuHostFunction function,
                           void *user_data) {
  RT_CALL(cuLaunchHostFunc(stream, function, user_data));
}

//===-- Functions ---------------------------------------------------------===//

static RtError function_attributes(RtFunctionAttributes *out,
                                   const void *host) {
  CuFunction function;
  if (!out)
    return RT_INVALID_VALUE;
  RtError error = tile_rt_function(host, &function);
  if (error)
    return error;
  int values[CU_FUNC_NUM_ATTRIBUTES];
  for (int i = 0; i < CU_FUNC_NUM_ATTRIBUTES; i++)
    cuFuncGetAttribute(&values[i], i, function);
  memset(out, 0, sizeof *out);
  out->shared_bytes = (size_t)values[CU_FUNC_SHARED_BYTES];
  out->max_threads = values[CU_FUNC_MAX_THREADS];
  out->num_registers = values[CU_FUNC_NUM_REGS];
  out->ptx_version = values[CU_FUNC_PTX_VERSION];
  out->binary_version = values[CU_FUNC_BINARY_VERSION];
  out->max_dynamic_shared_bytes = values[CU_FUNC_MAX_DYNAMIC_SHARED_BYTES];
  out->carveout = values[CU_FUNC_CARVEOUT];
  out->cluster_must_be_set = values[CU_FUNC_CLUSTER_MUST_BE_SET];
  for (int i = 0; i < 3; i++)
    out->cluster[i] = values[CU_FUNC_CLUSTER_X + i];
  out->cluster_policy = values[CU_FUNC_CLUSTER_POLICY];
  out->non_portable_cluster = values[CU_FUNC_NON_PORTABLE_CLUSTER];
  return RT_SUCCESS;
}

RtError cudaFuncGetAttributes(RtFunctionAttributes *out_attributes,
                              const void *host) {
  RT_CALL(function_attributes(out_attributes, host));
}

/// Calls `driver_call` on the CUfunction `function` of `host`.
#define WITH_FUNCTION(driver_call)                                             \
  do {                                                                         \
    CuFunction function;                                                       \
    RtError found = tile_rt_start();                                           \
    if (found == RT_SUCCESS)                                                   \
      found = tile_rt_function(host, &function);                               \
    if (found == RT_SUCCESS)                                                   \
      found = (RtError)(driver_call);                                          \
    return tile_rt_finish(found);                                              \
  } while (0)

RtError cudaFuncSetAttribute(const void *host, int attribute, int value) {
  WITH_FUNCTION(cuFuncSetAttribute(function, attribute, value));
}

RtError cudaFuncSetCacheConfig(const void *host, int config) {
  WITH_FUNCTION(cuFuncSetCacheConfig(function, config));
}

RtError cudaFuncSetSharedMemConfig(const void *host, int config) {
  WITH_FUNCTION(cuFuncSetSharedMemConfig(function, config));
}

RtError cudaFuncGetName(const char **out_name, const void *host) {
  WITH_FUNCTION(cuFuncGetName(out_name, function));
}

RtError cudaFuncGetParamInfo(const void *host, size_t index, size_t *out_offset,
                             size_t *out_size_bytes) {
  WITH_FUNCTION(
      cuFuncGetParamInfo(function, index, out_offset, out_size_bytes));
}

//===-- Occupancy ---------------------------------------------------------===//

RtError cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out_count,
                                                      const void *host,
                                                      int block_size,
                                                      size_t smem_bytes) {
  WITH_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      out_count, function, block_size, smem_bytes));
}

RtError cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out_count, const void *host, int block_size, size_t smem_bytes,
    unsigned flags) {
  (void)flags;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(out_count, host,
                                                       block_size, smem_bytes);
}

RtError cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out_bytes,
                                                  const void *host,
                                                  int num_blocks,
                                                  int block_size) {
  WITH_FUNCTION(cuOccupancyAvailableDynamicSMemPerBlock(
      out_bytes, function, num_blocks, block_size));
}

static RtError clusters(int *out_count, CuFunction function,
                        const RtLaunchConfig *config, bool is_size) {
  if (!config)
    return RT_INVALID_VALUE;
  CuLaunchConfig converted = driver_config(config);
  return (RtError)(is_size ? cuOccupancyMaxPotentialClusterSize(
                                 out_count, function, &converted)
                           : cuOccupancyMaxActiveClusters(out_count, function,
                                                          &converted));
}

RtError cudaOccupancyMaxActiveClusters(int *out_count, const void *host,
                                       const RtLaunchConfig *config) {
  WITH_FUNCTION(clusters(out_count, function, config, false));
}

RtError cudaOccupancyMaxPotentialClusterSize(int *out_size, const void *host,
                                             const RtLaunchConfig *config) {
  WITH_FUNCTION(clusters(out_size, function, config, true));
}

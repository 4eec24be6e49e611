//===- DriverFunctions.c - Attributes of functions, occupancy -------------===//
//
// PTX does not say how many registers a kernel takes, so none are counted:
// the number is that of .maxnreg, or as many as .maxntid leaves.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <string.h>

enum { MAX_THREADS = 1024, MAX_REGISTERS = 255, SM_REGISTERS = 64 << 10 };

//===-- Attributes --------------------------------------------------------===//

static unsigned product(const uint32_t sizes[3]) {
  return sizes[0] * sizes[1] * sizes[2];
}

static int max_threads(const TileEmuKernelInfo *info) {
  unsigned exact = product(info->reqntid), limit = product(info->maxntid);
  unsigned threads = exact ? exact : limit ? limit : MAX_THREADS;
  return threads < MAX_THREADS ? (int)threads : MAX_THREADS;
}

static int num_registers(const TileEmuKernelInfo *info) {
  enum { TYPICAL = 32 };
  if (!info->reqntid[0] && !info->maxntid[0])
    return TYPICAL;
  int fitting = SM_REGISTERS / max_threads(info);
  return fitting < MAX_REGISTERS ? fitting : MAX_REGISTERS;
}

static int static_smem(const TileShimFunction *function) {
  return (int)function->info->static_smem_bytes;
}

static int max_dynamic_smem(const TileShimFunction *function) {
  return function->max_dynamic_smem_bytes
             ? function->max_dynamic_smem_bytes
             : TILE_SHIM_STATIC_SMEM_BYTES - static_smem(function);
}

static CuResult attribute_get(const TileShim *shim, int *out_value,
                              int attribute, const TileShimFunction *function) {
  if (!tile_shim_is_function(shim, function))
    return CU_INVALID_HANDLE;
  if (!out_value || attribute < 0 || attribute >= CU_FUNC_NUM_ATTRIBUTES)
    return CU_INVALID_VALUE;
  const TileEmuKernelInfo *info = function->info;
  *out_value = 0;
  switch (attribute) {
  case CU_FUNC_MAX_THREADS:
    *out_value = max_threads(info);
    break;
  case CU_FUNC_SHARED_BYTES:
    *out_value = static_smem(function);
    break;
  case CU_FUNC_NUM_REGS:
    *out_value = num_registers(info);
    break;
  case CU_FUNC_PTX_VERSION:
    *out_value = function->module->target;
    break;
  case CU_FUNC_BINARY_VERSION:
    *out_value = tile_shim_capability(shim);
    break;
  case CU_FUNC_MAX_DYNAMIC_SHARED_BYTES:
    *out_value = max_dynamic_smem(function);
    break;
  case CU_FUNC_CARVEOUT:
    *out_value = function->carveout;
    break;
  case CU_FUNC_CLUSTER_MUST_BE_SET:
    *out_value = info->cluster[0] != 0;
    break;
  case CU_FUNC_NON_PORTABLE_CLUSTER:
    *out_value = function->non_portable_cluster;
    break;
  case CU_FUNC_CLUSTER_POLICY:
    *out_value = function->cluster_policy;
    break;
  default:
    if (attribute >= CU_FUNC_CLUSTER_X && attribute <= CU_FUNC_CLUSTER_Z)
      *out_value = (int)info->cluster[attribute - CU_FUNC_CLUSTER_X];
    break;
  }
  return CU_SUCCESS;
}

CuResult cuFuncGetAttribute(int *out_value, int attribute,
                            CuFunction function) {
  TILE_SHIM_CALL(attribute_get(shim, out_value, attribute, function));
}

CuResult cuKernelGetAttribute(int *out_value, int attribute, CuFunction kernel,
                              CuDevice device) {
  (void)device;
  TILE_SHIM_QUERY(attribute_get(shim, out_value, attribute, kernel));
}

static CuResult attribute_set(const TileShim *shim, TileShimFunction *function,
                              int attribute, int value) {
  enum { SMEM_OPTIN = 97 };
  int limit = 0;
  if (!tile_shim_is_function(shim, function))
    return CU_INVALID_HANDLE;
  switch (attribute) {
  case CU_FUNC_MAX_DYNAMIC_SHARED_BYTES:
    tile_shim_attribute(shim, SMEM_OPTIN, &limit);
    if (value < 0 || value > limit - static_smem(function))
      return CU_INVALID_VALUE;
    function->max_dynamic_smem_bytes = value;
    return CU_SUCCESS;
  case CU_FUNC_CARVEOUT:
    if (value < -1 || value > 100)
      return CU_INVALID_VALUE;
    function->carveout = value;
    return CU_SUCCESS;
  case CU_FUNC_NON_PORTABLE_CLUSTER:
    function->non_portable_cluster = value;
    return CU_SUCCESS;
  case CU_FUNC_CLUSTER_POLICY:
    function->cluster_policy = value;
    return CU_SUCCESS;
  default:
    return CU_INVALID_VALUE;
  }
}

CuResult cuFuncSetAttribute(CuFunction function, int attribute, int value) {
  TILE_SHIM_CALL(attribute_set(shim, function, attribute, value));
}

CuResult cuKernelSetAttribute(int attribute, int value, CuFunction kernel,
                              CuDevice device) {
  (void)device;
  TILE_SHIM_QUERY(attribute_set(shim, kernel, attribute, value));
}

static CuResult function_check(const TileShim *shim, CuFunction function,
                               const void *out) {
  if (!tile_shim_is_function(shim, function))
    return CU_INVALID_HANDLE;
  return out ? CU_SUCCESS : CU_INVALID_VALUE;
}

CuResult cuFuncSetCacheConfig(CuFunction function, int config) {
  (void)config;
  TILE_SHIM_CALL(function_check(shim, function, shim));
}

CuResult cuKernelSetCacheConfig(CuFunction kernel, int config,
                                CuDevice device) {
  (void)config;
  (void)device;
  TILE_SHIM_QUERY(function_check(shim, kernel, shim));
}

CuResult cuFuncSetSharedMemConfig(CuFunction function, int config) {
  return cuFuncSetCacheConfig(function, config);
}

static CuResult function_module(const TileShim *shim, CuModule *out_module,
                                CuFunction function) {
  CuResult result = function_check(shim, function, out_module);
  if (result == CU_SUCCESS)
    *out_module = function->module;
  return result;
}

CuResult cuFuncGetModule(CuModule *out_module, CuFunction function) {
  TILE_SHIM_CALL(function_module(shim, out_module, function));
}

CuResult cuKernelGetLibrary(CuModule *out_library, CuFunction kernel) {
  TILE_SHIM_QUERY(function_module(shim, out_library, kernel));
}

static CuResult function_name(const TileShim *shim, const char **out_name,
                              CuFunction function) {
  CuResult result = function_check(shim, function, out_name);
  if (result == CU_SUCCESS)
    *out_name = function->info->name;
  return result;
}

CuResult cuFuncGetName(const char **out_name, CuFunction function) {
  TILE_SHIM_CALL(function_name(shim, out_name, function));
}

CuResult cuKernelGetName(const char **out_name, CuFunction kernel) {
  TILE_SHIM_QUERY(function_name(shim, out_name, kernel));
}

static CuResult function_self(const TileShim *shim, CuFunction *out_function,
                              CuFunction kernel) {
  CuResult result = function_check(shim, kernel, out_function);
  if (result == CU_SUCCESS)
    *out_function = kernel;
  return result;
}

CuResult cuKernelGetFunction(CuFunction *out_function, CuFunction kernel) {
  TILE_SHIM_QUERY(function_self(shim, out_function, kernel));
}

static CuResult param_info(const TileShim *shim, CuFunction function,
                           size_t index, size_t *out_offset,
                           size_t *out_size_bytes) {
  CuResult result = function_check(shim, function, out_offset);
  if (result != CU_SUCCESS || index >= function->info->num_params)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  *out_offset = function->info->params[index].offset_bytes;
  if (out_size_bytes)
    *out_size_bytes = function->info->params[index].size_bytes;
  return CU_SUCCESS;
}

CuResult cuFuncGetParamInfo(CuFunction function, size_t index,
                            size_t *out_offset, size_t *out_size_bytes) {
  TILE_SHIM_CALL(param_info(shim, function, index, out_offset, out_size_bytes));
}

CuResult cuKernelGetParamInfo(CuFunction kernel, size_t index,
                              size_t *out_offset, size_t *out_size_bytes) {
  TILE_SHIM_QUERY(param_info(shim, kernel, index, out_offset, out_size_bytes));
}

static CuResult is_loaded(const TileShim *shim, int *out_state,
                          CuFunction function) {
  enum { LOADED = 1 };
  CuResult result = function_check(shim, function, out_state);
  if (result == CU_SUCCESS)
    *out_state = LOADED;
  return result;
}

CuResult cuFuncIsLoaded(int *out_state, CuFunction function) {
  TILE_SHIM_CALL(is_loaded(shim, out_state, function));
}

CuResult cuFuncLoad(CuFunction function) {
  TILE_SHIM_CALL(function_check(shim, function, shim));
}

//===-- Occupancy ---------------------------------------------------------===//

static int ctas_per_sm(const TileShimFunction *function, int block_size,
                       size_t dynamic_smem_bytes) {
  if (block_size > max_threads(function->info))
    return 0;
  return tile_emu_ctas_per_sm((uint32_t)block_size,
                              function->info->static_smem_bytes +
                                  dynamic_smem_bytes);
}

static CuResult active_blocks(const TileShim *shim, int *out_count,
                              CuFunction function, int block_size,
                              size_t smem_bytes) {
  CuResult result = function_check(shim, function, out_count);
  if (result != CU_SUCCESS || block_size <= 0)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  *out_count = ctas_per_sm(function, block_size, smem_bytes);
  return CU_SUCCESS;
}

CuResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out_count,
                                                     CuFunction function,
                                                     int block_size,
                                                     size_t smem_bytes) {
  TILE_SHIM_CALL(
      active_blocks(shim, out_count, function, block_size, smem_bytes));
}

CuResult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out_count, CuFunction function, int block_size, size_t smem_bytes,
    unsigned flags) {
  (void)flags;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(out_count, function,
                                                     block_size, smem_bytes);
}

static int num_sms(const TileShim *shim) {
  enum { ATTRIBUTE_NUM_SMS = 16 };
  int count = 0;
  tile_shim_attribute(shim, ATTRIBUTE_NUM_SMS, &count);
  return count;
}

static CuResult potential_block(const TileShim *shim, int *out_grid,
                                int *out_block, CuFunction function,
                                CuBlockToSmem block_to_smem, size_t smem_bytes,
                                int limit) {
  enum { STEP = 32 };
  CuResult result = function_check(shim, function, out_block);
  if (result != CU_SUCCESS || !out_grid)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  int largest = max_threads(function->info), best = 0;
  if (limit > 0 && limit < largest)
    largest = limit;
  *out_grid = *out_block = 0;
  for (int size = largest; size > 0;
       size = size % STEP ? size - size % STEP : size - STEP) {
    size_t bytes = block_to_smem ? block_to_smem(size) : smem_bytes;
    int count = ctas_per_sm(function, size, bytes);
    if (count * size <= best)
      continue;
    best = count * size;
    *out_block = size;
    *out_grid = count * num_sms(shim);
  }
  return CU_SUCCESS;
}

CuResult cuOccupancyMaxPotentialBlockSize(int *out_grid, int *out_block,
                                          CuFunction function,
                                          CuBlockToSmem block_to_smem,
                                          size_t smem_bytes, int limit) {
  TILE_SHIM_CALL(potential_block(shim, out_grid, out_block, function,
                                 block_to_smem, smem_bytes, limit));
}

CuResult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *out_grid, int *out_block, CuFunction function,
    CuBlockToSmem block_to_smem, size_t smem_bytes, int limit, unsigned flags) {
  (void)flags;
  return cuOccupancyMaxPotentialBlockSize(out_grid, out_block, function,
                                          block_to_smem, smem_bytes, limit);
}

static CuResult available_smem(const TileShim *shim, size_t *out_bytes,
                               CuFunction function, int num_blocks,
                               int block_size) {
  enum { SMEM_PER_SM = 81, RESERVED = 1 << 10 };
  int per_sm = 0;
  CuResult result = function_check(shim, function, out_bytes);
  if (result != CU_SUCCESS || num_blocks <= 0 || block_size <= 0)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  tile_shim_attribute(shim, SMEM_PER_SM, &per_sm);
  int bytes = per_sm / num_blocks - RESERVED - static_smem(function);
  *out_bytes = bytes > 0 ? (size_t)bytes : 0;
  return CU_SUCCESS;
}

CuResult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out_bytes,
                                                 CuFunction function,
                                                 int num_blocks,
                                                 int block_size) {
  TILE_SHIM_CALL(
      available_smem(shim, out_bytes, function, num_blocks, block_size));
}

static unsigned cluster_size(const CuLaunchConfig *config,
                             const TileEmuKernelInfo *info) {
  for (unsigned i = 0; i < config->num_attributes; i++)
    if (config->attributes[i].id == CU_LAUNCH_CLUSTER)
      return config->attributes[i].value.dim.x *
             config->attributes[i].value.dim.y *
             config->attributes[i].value.dim.z;
  return info->cluster[0] ? product(info->cluster) : 1;
}

static CuResult active_clusters(const TileShim *shim, int *out_count,
                                CuFunction function,
                                const CuLaunchConfig *config) {
  CuResult result = function_check(shim, function, out_count);
  if (result != CU_SUCCESS || !config)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  unsigned size = cluster_size(config, function->info);
  if (size == 0 || size > 16)
    return CU_INVALID_CLUSTER_SIZE;
  int per_sm = ctas_per_sm(function, (int)product(config->block),
                           config->dynamic_smem_bytes);
  *out_count = per_sm * num_sms(shim) / (int)size;
  return CU_SUCCESS;
}

CuResult cuOccupancyMaxActiveClusters(int *out_count, CuFunction function,
                                      const CuLaunchConfig *config) {
  TILE_SHIM_CALL(active_clusters(shim, out_count, function, config));
}

static CuResult potential_cluster(const TileShim *shim, int *out_size,
                                  CuFunction function) {
  CuResult result = function_check(shim, function, out_size);
  if (result == CU_SUCCESS)
    *out_size = function->non_portable_cluster ? 16 : 8;
  return result;
}

CuResult cuOccupancyMaxPotentialClusterSize(int *out_size, CuFunction function,
                                            const CuLaunchConfig *config) {
  (void)config;
  TILE_SHIM_CALL(potential_cluster(shim, out_size, function));
}

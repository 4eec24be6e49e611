//===- DriverLaunch.c - Launches ------------------------------------------===//
//
// A launch returns when the kernel has ended. What it found is printed at
// once. Findings that would stop a GPU record a fault, which all later
// calls return; after the others the program goes on.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <stdlib.h>
#include <string.h>

//===-- Findings and faults -----------------------------------------------===//

typedef struct {
  const char *kind;
  CuResult fault;
} Fault;

static const Fault faults[] = {
    {"out-of-bounds", CU_ILLEGAL_ADDRESS},
    {"misaligned", CU_MISALIGNED_ADDRESS},
    {"DEADLOCK", CU_LAUNCH_TIMEOUT},
    {"LIVELOCK", CU_LAUNCH_TIMEOUT},
    {"no-progress", CU_LAUNCH_TIMEOUT},
    {"instruction-limit", CU_LAUNCH_TIMEOUT},
    {"unsupported", CU_LAUNCH_FAILED},
    {"trap", CU_LAUNCH_FAILED},
};

static CuResult fault_since(const TileShim *shim, size_t first) {
  const TileEmuFinding *finding;
  for (size_t i = first; (finding = tile_emu_finding(shim->emu, i)); i++)
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
      if (strcmp(finding->kind, faults[k].kind) == 0)
        return faults[k].fault;
  return CU_SUCCESS;
}

//===-- Arguments ---------------------------------------------------------===//

/// One pointer per parameter, into the buffer of `extra`.
static CuResult args_from_buffer(const TileEmuKernelInfo *info, void **extra,
                                 void **out_args) {
  uint8_t *buffer = NULL;
  size_t size_bytes = 0;
  for (size_t i = 0; extra[i] != (void *)CU_LAUNCH_END; i += 2) {
    if (extra[i] == (void *)CU_LAUNCH_BUFFER)
      buffer = extra[i + 1];
    else if (extra[i] == (void *)CU_LAUNCH_BUFFER_SIZE)
      memcpy(&size_bytes, extra[i + 1], sizeof size_bytes);
    else
      return CU_INVALID_VALUE;
  }
  for (size_t i = 0; i < info->num_params; i++) {
    const TileEmuParam *param = &info->params[i];
    if (!buffer || param->offset_bytes + param->size_bytes > size_bytes)
      return CU_INVALID_VALUE;
    out_args[i] = buffer + param->offset_bytes;
  }
  return CU_SUCCESS;
}

//===-- Launch ------------------------------------------------------------===//

static CuResult read_attributes(TileShim *shim, const CuLaunchConfig *config,
                                TileEmuLaunch *launch) {
  for (unsigned i = 0; i < config->num_attributes; i++) {
    const CuLaunchAttribute *attribute = &config->attributes[i];
    switch (attribute->id) {
    case CU_LAUNCH_CLUSTER:
      launch->cluster[0] = attribute->value.dim.x;
      launch->cluster[1] = attribute->value.dim.y;
      launch->cluster[2] = attribute->value.dim.z;
      break;
    case CU_LAUNCH_COOPERATIVE:
      launch->co_resident = attribute->value.number != 0;
      break;
    case CU_LAUNCH_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_COMPLETION_EVENT:
      if (tile_shim_is(shim, attribute->value.event.event, TILE_SHIM_EVENT))
        attribute->value.event.event->is_recorded = true;
      break;
    case CU_LAUNCH_DEVICE_UPDATABLE:
      return attribute->value.number
                 ? tile_shim_not_supported("a launch that a kernel can change")
                 : CU_SUCCESS;
    default: // hints: priorities, policies, programmatic order
      break;
    }
  }
  return CU_SUCCESS;
}

/// What the driver refuses and the emulator does not see.
static CuResult check_limits(const TileShim *shim,
                             const TileShimFunction *function,
                             const CuLaunchConfig *config,
                             const TileEmuLaunch *launch) {
  enum { PORTABLE_CLUSTER = 8 };
  const TileEmuKernelInfo *info = function->info;
  size_t limit = function->max_dynamic_smem_bytes
                     ? (size_t)function->max_dynamic_smem_bytes
                     : TILE_SHIM_STATIC_SMEM_BYTES - info->static_smem_bytes;
  if (config->dynamic_smem_bytes > limit) {
    tile_shim_say("%s: %u bytes of dynamic shared memory, the function allows "
                  "%zu; see cuFuncSetAttribute",
                  info->name, config->dynamic_smem_bytes, limit);
    return CU_INVALID_VALUE;
  }
  unsigned size = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
  if (size > 1 && tile_shim_capability(shim) < 90)
    return CU_INVALID_CLUSTER_SIZE;
  if (size > PORTABLE_CLUSTER && !function->non_portable_cluster) {
    tile_shim_say("%s: a cluster of %u blocks, more than %d need "
                  "NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
                  info->name, size, PORTABLE_CLUSTER);
    return CU_INVALID_CLUSTER_SIZE;
  }
  if (!launch->co_resident)
    return CU_SUCCESS;
  int num_sms = 0;
  tile_shim_attribute(shim, 16, &num_sms);
  int per_sm = tile_emu_ctas_per_sm(
      launch->block[0] * launch->block[1] * launch->block[2],
      info->static_smem_bytes + launch->dynamic_smem_bytes);
  uint64_t num_ctas =
      (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  return num_ctas > (uint64_t)num_sms * (uint64_t)per_sm
             ? CU_COOPERATIVE_LAUNCH_TOO_LARGE
             : CU_SUCCESS;
}

static CuResult run(TileShim *shim, const TileShimFunction *function,
                    const TileEmuLaunch *launch) {
  const TileEmuKernelInfo *info = function->info;
  if (shim->options.verbose)
    tile_shim_say("launch %llu: %s, grid %u,%u,%u block %u,%u,%u cluster "
                  "%u,%u,%u, %zu bytes of dynamic shared memory",
                  (unsigned long long)++shim->num_launches, info->name,
                  launch->grid[0], launch->grid[1], launch->grid[2],
                  launch->block[0], launch->block[1], launch->block[2],
                  launch->cluster[0], launch->cluster[1], launch->cluster[2],
                  launch->dynamic_smem_bytes);
  size_t first = tile_emu_num_findings(shim->emu);
  TileStatus status =
      tile_emu_launch(shim->emu, function->module->module, info->name, launch);
  tile_shim_flush(shim);
  if (status.code == TILE_STATUS_USER_ERROR) {
    tile_shim_say("%s", status.message);
    return CU_INVALID_VALUE;
  }
  shim->fault = fault_since(shim, first);
  return CU_SUCCESS; // the fault comes with the next call, as on a GPU
}

static CuResult launch_function(TileShim *shim, const CuLaunchConfig *config,
                                CuFunction function, void **params,
                                void **extra, bool is_cooperative) {
  if (!config || !tile_shim_is_function(shim, function) ||
      !tile_shim_is_stream(shim, config->stream))
    return config ? CU_INVALID_HANDLE : CU_INVALID_VALUE;
  const TileEmuKernelInfo *info = function->info;
  TileEmuLaunch launch = {.dynamic_smem_bytes = config->dynamic_smem_bytes,
                          .co_resident = is_cooperative,
                          .num_args = info->num_params};
  for (int i = 0; i < 3; i++) {
    launch.grid[i] = config->grid[i];
    launch.block[i] = config->block[i];
  }
  CuResult result = read_attributes(shim, config, &launch);
  if (result == CU_SUCCESS)
    result = check_limits(shim, function, config, &launch);
  if (result != CU_SUCCESS)
    return result;
  void **args = calloc(info->num_params + 1, sizeof *args);
  if (!args)
    return CU_OUT_OF_MEMORY;
  if (params)
    memcpy(args, params, info->num_params * sizeof *args);
  else if (extra)
    result = args_from_buffer(info, extra, args);
  else if (info->num_params)
    result = CU_INVALID_VALUE;
  launch.args = args;
  if (result == CU_SUCCESS)
    result = run(shim, function, &launch);
  free(args);
  return result;
}

CuResult cuLaunchKernelEx(const CuLaunchConfig *config, CuFunction function,
                          void **params, void **extra) {
  TILE_SHIM_CALL(launch_function(shim, config, function, params, extra, false));
}

CuResult cuLaunchKernel(CuFunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned smem_bytes, CuStream stream,
                        void **params, void **extra) {
  CuLaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .dynamic_smem_bytes = smem_bytes,
                           .stream = stream};
  TILE_SHIM_CALL(
      launch_function(shim, &config, function, params, extra, false));
}

CuResult cuLaunchCooperativeKernel(CuFunction function, unsigned grid_x,
                                   unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned smem_bytes,
                                   CuStream stream, void **params) {
  CuLaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .dynamic_smem_bytes = smem_bytes,
                           .stream = stream};
  TILE_SHIM_CALL(launch_function(shim, &config, function, params, NULL, true));
}

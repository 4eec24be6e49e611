//===- RunModule.c - Modules and launches of Tile/Run.h -------------------===//

#include "Host/HostFunction.h"
#include "RunDevice.h"
#include "Support/Diagnostic/DiagnosticFormat.h"

#include <stdlib.h>
#include <string.h>

struct TileModule {
  TileDevice *device;
  TileHostFunction *function;
  TileDeviceModule *image; // NULL: nothing is launched
};

//===-- Loading -----------------------------------------------------------===//

/// Whether the image has the kernels that the metadata launches.
static TileStatus check_kernels(const TileModule *module, const char *name) {
  const TileHostFunction *function = module->function;
  if (!module->image || module->image->num_entries == 0)
    return tile_status_ok(); // a cubin: the driver looks
  for (int i = 0; i < function->num_launches; i++) {
    for (int v = 0; v < function->launches[i].num_variants; v++) {
      const char *kernel = function->launches[i].variants[v].kernel, *found;
      size_t k = 0;
      while ((found = tile_device_module_kernel(module->image, k)) &&
             strcmp(found, kernel) != 0)
        k++;
      if (!found)
        return tile_status_error(TILE_STATUS_USER_ERROR,
                                 "%s: expected the kernel '%s' in the PTX; are "
                                 "metadata and PTX of one compilation?",
                                 name, kernel);
    }
  }
  return tile_status_ok();
}

static TileStatus load(TileModule *module, const char *name,
                       const void *metadata, size_t metadata_bytes,
                       const void *image, size_t image_bytes) {
  TileStatus status = tile_host_function_parse(metadata, metadata_bytes, name,
                                               &module->function);
  if (tile_status_is_ok(&status) && module->function->num_launches > 0)
    status = tile_device_load_image(module->device, name, image, image_bytes,
                                    &module->image);
  if (tile_status_is_ok(&status))
    status = check_kernels(module, name);
  return status;
}

TileModule *tile_module_create(TileDevice *device, const char *name,
                               const void *metadata, size_t metadata_bytes,
                               const void *image, size_t image_bytes) {
  TileModule *module = calloc(1, sizeof *module);
  TileStatus status = tile_status_ok();
  name = name ? name : "module";
  if (!module)
    status = tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  else if (!metadata || !image)
    status = tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s: expected metadata and PTX or a cubin, got "
                               "no %s",
                               name, metadata ? "image" : "metadata");
  if (module)
    module->device = device;
  if (tile_status_is_ok(&status))
    status = load(module, name, metadata, metadata_bytes, image, image_bytes);
  if (tile_device_tell(device, &status, "load"))
    return module;
  tile_module_destroy(module);
  return NULL;
}

void tile_module_destroy(TileModule *module) {
  if (!module)
    return;
  if (module->image)
    tile_device_unload_module(module->device, module->image);
  tile_host_function_destroy(module->function);
  free(module);
}

//===-- Queries -----------------------------------------------------------===//

const char *tile_module_name(const TileModule *module) {
  return module->function->name;
}

size_t tile_module_num_params(const TileModule *module) {
  return (size_t)module->function->num_params;
}

bool tile_module_param(const TileModule *module, size_t index,
                       TileParamInfo *out_info) {
  const TileHostParam *param =
      tile_host_function_param(module->function, index);
  if (!param)
    return false;
  *out_info = (TileParamInfo){.name = param->name,
                              .is_scalar = param->is_scalar,
                              .is_mutable = param->is_mutable,
                              .element_type = tile_dtype_name(param->dtype),
                              .rank = param->rank,
                              .shape = param->shape,
                              .strides = param->strides};
  return true;
}

size_t tile_module_num_results(const TileModule *module) {
  return (size_t)module->function->num_results;
}

bool tile_module_result(const TileModule *module, size_t index,
                        TileParamInfo *out_info) {
  static const int64_t any[TILE_LAUNCH_MAX_RANK] = {-1, -1, -1, -1,
                                                    -1, -1, -1, -1};
  if (index >= tile_module_num_results(module))
    return false;
  const HostResult *result = &module->function->results[index];
  *out_info = (TileParamInfo){.name = "",
                              .is_scalar = result->is_scalar,
                              .is_mutable = true,
                              .element_type = tile_dtype_name(result->dtype),
                              .rank = result->rank,
                              .shape = any,
                              .strides = any};
  return true;
}

size_t tile_module_num_launches(const TileModule *module) {
  return (size_t)module->function->num_launches;
}

size_t tile_module_num_variants(const TileModule *module, size_t launch) {
  return launch < tile_module_num_launches(module)
             ? (size_t)module->function->launches[launch].num_variants
             : 0;
}

static const Variant *variant_at(const TileModule *module, size_t launch,
                                 size_t variant) {
  return variant < tile_module_num_variants(module, launch)
             ? &module->function->launches[launch].variants[variant]
             : NULL;
}

bool tile_module_variant(const TileModule *module, size_t launch,
                         size_t variant, TileVariantInfo *out_info) {
  const Variant *found = variant_at(module, launch, variant);
  if (!found)
    return false;
  *out_info =
      (TileVariantInfo){.kernel = found->kernel,
                        .num_requirements = (size_t)found->requirements.count,
                        .dynamic_smem_bytes = found->dynamic_smem_bytes};
  memcpy(out_info->cluster, found->cluster, sizeof out_info->cluster);
  return true;
}

const char *tile_module_requirement(const TileModule *module, size_t launch,
                                    size_t variant, size_t index) {
  const Variant *found = variant_at(module, launch, variant);
  return found && index < (size_t)found->requirements.count
             ? found->requirements.items[index].text
             : NULL;
}

//===-- Launches ----------------------------------------------------------===//

static TileStatus read_args(const TileModule *module,
                            const TileLaunchArg *given, TileArg *args) {
  const TileHostFunction *function = module->function;
  for (int i = 0; i < function->num_params; i++) {
    const TileHostParam *param = &function->params[i];
    TileStatus status =
        tile_launch_arg_read(module->device, param, &given[i], &args[i]);
    if (!tile_status_is_ok(&status))
      return tile_status_error(status.code, "%s: argument %d ('%s'): %.800s",
                               function->name, i, param->name, status.message);
  }
  return tile_status_ok();
}

/// Makes tensors in memory of the program known to the emulator.
static TileStatus map_tensors(const TileModule *module, const TileArg *args,
                              bool *is_mapped) {
  TileDevice *device = module->device;
  for (int i = 0; i < module->function->num_params; i++) {
    uint64_t size_bytes =
        args[i].is_scalar ? 0 : tile_launch_arg_size_bytes(&args[i]);
    if (size_bytes == 0 || tile_device_owns(device, args[i].address))
      continue;
    TileStatus status =
        tile_emu_map_host(device->emu, (void *)(uintptr_t)args[i].address,
                          size_bytes, module->function->params[i].name);
    if (!tile_status_is_ok(&status))
      return status;
    is_mapped[i] = true;
  }
  return tile_status_ok();
}

static void tell_remark(const char *line, void *user_data) {
  const TileDevice *device = user_data;
  tile_diagnostic_send(device->on_diagnostic, device->user_data,
                       TILE_SEVERITY_REMARK, "variant", line);
}

static TileStatus run(const TileModule *module, void *stream,
                      const TileArg *args, bool *is_mapped,
                      TileHostValue *results) {
  TileDevice *device = module->device;
  size_t num_args = tile_module_num_params(module);
  TileRunOptions options = {.module = module->image,
                            .stream = stream,
                            .is_queued = true,
                            .results = results,
                            .remark = tell_remark,
                            .user_data = device};
  TileStatus status =
      tile_host_function_check_args(module->function, args, num_args);
  if (tile_status_is_ok(&status) && device->emu)
    status = map_tensors(module, args, is_mapped);
  if (tile_status_is_ok(&status))
    status = tile_host_function_run(module->function, device, args, num_args,
                                    &options);
  for (size_t i = 0; i < num_args; i++)
    if (is_mapped[i])
      tile_emu_free(device->emu, (void *)(uintptr_t)args[i].address);
  return status;
}

static TileStatus launch(const TileModule *module, void *stream,
                         const TileLaunchArg *given, size_t num_args,
                         TileHostValue *results) {
  size_t count = tile_module_num_params(module);
  if (num_args != count)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected %zu arguments, got %zu",
                             module->function->name, count, num_args);
  TileArg *args = calloc(count + 1, sizeof *args);
  bool *is_mapped = calloc(count + 1, sizeof *is_mapped);
  TileStatus status =
      args && is_mapped
          ? read_args(module, given, args)
          : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  if (tile_status_is_ok(&status))
    status = run(module, stream, args, is_mapped, results);
  free(args);
  free(is_mapped);
  return status;
}

bool tile_module_launch(TileModule *module, void *stream,
                        const TileLaunchArg *args, size_t num_args) {
  int num_results = module->function->num_results;
  TileStatus status =
      num_results == 0
          ? launch(module, stream, args, num_args, NULL)
          : tile_status_error(TILE_STATUS_USER_ERROR,
                              "%s: returns %d results, which tile_module_call "
                              "gives",
                              module->function->name, num_results);
  return tile_device_tell(module->device, &status, "launch");
}

static TileStatus take_results(const TileModule *module,
                               const TileHostValue *values, size_t count,
                               TileLaunchResult *out_results) {
  TileStatus status = tile_status_ok();
  for (size_t i = 0; i < count; i++) {
    tile_launch_result_make(module->device, &values[i], &out_results[i]);
    if (!values[i].memory)
      continue;
    TileStatus adopted = tile_device_adopt(module->device, values[i].memory,
                                           values[i].memory_bytes);
    if (!tile_status_is_ok(&adopted))
      status = adopted;
  }
  return status;
}

static TileStatus call(const TileModule *module, void *stream,
                       const TileLaunchArg *args, size_t num_args,
                       TileLaunchResult *out_results, size_t num_results) {
  size_t count = tile_module_num_results(module);
  if (num_results != count)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected room for %zu results, got %zu",
                             module->function->name, count, num_results);
  TileHostValue *values = calloc(count + 1, sizeof *values);
  if (!values)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  TileStatus status = launch(module, stream, args, num_args, values);
  if (tile_status_is_ok(&status))
    status = take_results(module, values, count, out_results);
  free(values);
  return status;
}

bool tile_module_call(TileModule *module, void *stream,
                      const TileLaunchArg *args, size_t num_args,
                      TileLaunchResult *out_results, size_t num_results) {
  TileStatus status =
      call(module, stream, args, num_args, out_results, num_results);
  return tile_device_tell(module->device, &status, "launch");
}

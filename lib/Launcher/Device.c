//===- Device.c - What the GPU and the emulator have in common ------------===//

#include "LauncherInternal.h"

#include <stdlib.h>
#include <string.h>

//===-- Opening -----------------------------------------------------------===//

void tile_device_options_init(TileDeviceOptions *out_options) {
  *out_options = (TileDeviceOptions){0};
  tile_emu_options_init(&out_options->emulator);
}

TileStatus tile_device_open(const TileDeviceOptions *options,
                            TileDevice **out_device) {
  *out_device = NULL;
  if (options->emulate)
    return tile_emulator_backend_open(options, out_device);
  TileStatus status = tile_driver_backend_open(options, out_device);
  if (tile_status_is_ok(&status) || options->require_gpu)
    return status;
  TileStatus fallback = tile_emulator_backend_open(options, out_device);
  if (tile_status_is_ok(&fallback))
    snprintf((*out_device)->note, sizeof(*out_device)->note, "%.399s",
             status.message);
  return fallback;
}

TileStatus tile_device_enter(TileDevice *device) {
  return device->ops->enter ? device->ops->enter(device) : tile_status_ok();
}

void tile_device_leave(TileDevice *device) {
  if (device->ops->leave)
    device->ops->leave(device);
}

static void destroy_module(TileDeviceModule *module) {
  if (!module)
    return;
  tile_ptx_entries_destroy(module->entries, module->num_entries);
  free(module->globals);
  free(module->path);
  free(module);
}

void tile_device_destroy(TileDevice *device) {
  if (!device)
    return;
  while (device->modules)
    tile_device_unload_module(device, device->modules);
  free(device->blocks);
  device->ops->close(device);
}

const char *tile_device_name(const TileDevice *device) { return device->name; }

const char *tile_device_chip(const TileDevice *device) { return device->chip; }

const char *tile_device_note(const TileDevice *device) { return device->note; }

int tile_device_num_sms(const TileDevice *device) { return device->num_sms; }

bool tile_device_is_emulator(const TileDevice *device) {
  return device->emu != NULL;
}

const char *tile_device_report(const TileDevice *device) {
  return device->emu ? tile_emu_report(device->emu) : "";
}

TileEmu *tile_device_emulator(const TileDevice *device) { return device->emu; }

TileEmuStats tile_device_stats(const TileDevice *device) {
  return device->emu ? tile_emu_stats(device->emu) : (TileEmuStats){0};
}

//===-- Memory ------------------------------------------------------------===//

TileStatus tile_device_alloc(TileDevice *device, size_t size_bytes,
                             const char *name, uint64_t *out_address) {
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  // Empty tensors need an address of their own too.
  status = device->ops->alloc(device, size_bytes > 0 ? size_bytes : 1, name,
                              out_address);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_free(TileDevice *device, uint64_t address) {
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->free(device, address);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_upload(TileDevice *device, uint64_t address,
                              const void *data, size_t size_bytes) {
  TileStatus status =
      size_bytes > 0 ? tile_device_enter(device) : tile_status_ok();
  if (size_bytes == 0 || !tile_status_is_ok(&status))
    return status;
  status = device->ops->upload(device, address, data, size_bytes);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_download(TileDevice *device, uint64_t address,
                                void *data, size_t size_bytes) {
  TileStatus status =
      size_bytes > 0 ? tile_device_enter(device) : tile_status_ok();
  if (size_bytes == 0 || !tile_status_is_ok(&status))
    return status;
  status = device->ops->download(device, address, data, size_bytes);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_synchronize(TileDevice *device, void *stream) {
  if (!device->ops->synchronize)
    return tile_status_ok();
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->synchronize(device, stream);
  tile_device_leave(device);
  return status;
}

static TileStatus encode(TileDevice *device, const TileTensorMap *map,
                         void *out_map) {
  TileStatus status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->encode_tensor_map(device, map, out_map);
  tile_device_leave(device);
  return status;
}

TileStatus tile_device_encode_tensor_map(TileDevice *device,
                                         const TileTensorMap *map,
                                         void *out_map) {
  bool is_empty = false;
  for (int i = 0; i < map->rank; i++)
    is_empty |= map->dims[i] == 0;
  if (!is_empty)
    return encode(device, map, out_map);

  // The driver refuses extents of 0. A map of one zeroed element behaves the
  // same: everything else is out of bounds, which reads as zero too.
  TileTensorMap one = *map;
  TileStatus status = tile_status_ok();
  if (!device->empty_address)
    status = tile_device_alloc(device, 16, "empty tensor map",
                               &device->empty_address);
  one.address = device->empty_address;
  for (int i = 0; i < map->rank; i++) {
    one.dims[i] = 1;
    one.strides_bytes[i] = 16;
  }
  if (!tile_status_is_ok(&status))
    return status;
  return encode(device, &one, out_map);
}

//===-- Modules -----------------------------------------------------------===//

static TileStatus find_entries(const char *name, const char *ptx,
                               TileDeviceModule *module) {
  TileStatus status =
      tile_ptx_entries_find(ptx, &module->entries, &module->num_entries);
  if (tile_status_is_ok(&status) && module->num_entries == 0)
    status = tile_status_error(TILE_STATUS_USER_ERROR,
                               "expected PTX text, found no kernel (.entry)");
  if (tile_status_is_ok(&status))
    return status;
  TileStatus located =
      tile_status_error(status.code, "%s: %.900s", name, status.message);
  return located;
}

/// Loads an image that ends with a zero byte. `entries_of`: the PTX that a
/// cubin was made of; NULL: the image itself, or unknown.
static TileStatus load(TileDevice *device, const char *name, const char *image,
                       size_t size_bytes, const char *entries_of,
                       TileDeviceModule *module) {
  module->is_cubin = tile_image_is_cubin(image, size_bytes);
  const char *ptx = entries_of ? entries_of : module->is_cubin ? NULL : image;
  TileStatus status =
      ptx ? find_entries(module->path, ptx, module) : tile_status_ok();
  if (tile_status_is_ok(&status))
    status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->load(device, name, image, size_bytes, &module->handle);
  tile_device_leave(device);
  return status;
}

static TileStatus make_module(const char *name, TileDeviceModule **out_module) {
  *out_module = calloc(1, sizeof **out_module);
  if (*out_module)
    (*out_module)->path = strdup(name);
  if (*out_module && (*out_module)->path)
    return tile_status_ok();
  destroy_module(*out_module);
  return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
}

/// Keeps a module that is loaded; the device owns it.
static TileStatus keep(TileDevice *device, TileDeviceModule *module,
                       TileStatus status, TileDeviceModule **out_module) {
  *out_module = NULL;
  if (!tile_status_is_ok(&status)) {
    destroy_module(module);
    return status;
  }
  module->next = device->modules;
  device->modules = module;
  *out_module = module;
  return status;
}

TileStatus tile_device_load_image(TileDevice *device, const char *name,
                                  const void *image, size_t size_bytes,
                                  TileDeviceModule **out_module) {
  TileDeviceModule *module = NULL;
  *out_module = NULL;
  TileStatus status = make_module(name, &module);
  if (!tile_status_is_ok(&status))
    return status;
  char *copy = malloc(size_bytes + 1);
  if (copy) {
    memcpy(copy, image, size_bytes);
    copy[size_bytes] = 0;
    status = load(device, name, copy, size_bytes, NULL, module);
  } else {
    status = tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  }
  free(copy);
  return keep(device, module, status, out_module);
}

TileStatus tile_device_load_module(TileDevice *device, const char *ptx_path,
                                   TileDeviceModule **out_module) {
  enum { PATH_BYTES = 4096 };
  for (*out_module = device->modules; *out_module;
       *out_module = (*out_module)->next) {
    if (strcmp((*out_module)->path, ptx_path) == 0)
      return tile_status_ok();
  }
  char *ptx = NULL, cubin_path[PATH_BYTES];
  size_t ptx_bytes = 0, cubin_bytes = 0;
  TileDeviceModule *module = NULL;
  TileStatus status = tile_file_read(ptx_path, &ptx, &ptx_bytes);
  if (tile_status_is_ok(&status))
    status = make_module(ptx_path, &module);
  if (!tile_status_is_ok(&status)) {
    free(ptx);
    return status;
  }
  char *cubin =
      tile_cubin_read_beside(ptx_path, ptx, device->capability, cubin_path,
                             sizeof cubin_path, &cubin_bytes);
  status = cubin ? load(device, cubin_path, cubin, cubin_bytes, ptx, module)
                 : load(device, ptx_path, ptx, ptx_bytes, NULL, module);
  free(cubin);
  free(ptx);
  return keep(device, module, status, out_module);
}

void tile_device_unload_module(TileDevice *device, TileDeviceModule *module) {
  TileDeviceModule **link = &device->modules;
  while (*link && *link != module)
    link = &(*link)->next;
  if (!*link)
    return;
  *link = module->next;
  for (int i = 0; i < module->num_globals; i++)
    tile_device_free(device, module->globals[i]);
  TileStatus status = tile_device_enter(device);
  if (tile_status_is_ok(&status)) {
    device->ops->unload(device, module->handle);
    tile_device_leave(device);
  }
  destroy_module(module);
}

const char *tile_device_module_kernel(const TileDeviceModule *module,
                                      size_t index) {
  return index < module->num_entries ? module->entries[index].name : NULL;
}

//===-- Launches ----------------------------------------------------------===//

static const TilePtxEntry *find_entry(const TileDeviceModule *module,
                                      const char *kernel) {
  for (size_t i = 0; i < module->num_entries; i++) {
    if (strcmp(module->entries[i].name, kernel) == 0)
      return &module->entries[i];
  }
  return NULL;
}

static TileStatus missing_kernel(const TileDeviceModule *module,
                                 const char *kernel) {
  char names[400] = "";
  for (size_t i = 0; i < module->num_entries; i++) {
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s'%s'", i > 0 ? ", " : "",
             module->entries[i].name);
  }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: expected a kernel named '%s', got %s",
                           module->path, kernel, names);
}

/// Does a parameter declared as `type` take `given`, which has its size? `.b32`
/// takes all numbers of its width, `.u32` and `.s32` integers, `.f32` a float;
/// pointers are integers of 64 bits.
static bool is_type_taken(const char *type, const TileParamType *given) {
  bool is_float = given->is_number && tile_dtype_is_float(given->dtype);
  if (tile_ptx_float_bytes(type) > 0)
    return is_float &&
           strcmp(type + 1, tile_dtype_info(given->dtype)->ptx) == 0;
  return type[0] == 0 || type[1] == 'b' || !is_float;
}

static TileStatus check_type(const TilePtxEntry *entry, size_t index,
                             const TileParamType *given) {
  const char *type = entry->param_types[index];
  if (is_type_taken(type, given))
    return tile_status_ok();
  bool takes_float = tile_ptx_float_bytes(type) > 0;
  return tile_status_error(
      TILE_STATUS_USER_ERROR,
      "kernel '%s': expected parameter %zu, a %s, as %s%s%s, got %s%s",
      entry->name, index, type,
      takes_float ? "a float, " : "an integer or a pointer",
      takes_float ? type + 1 : "", takes_float ? ":NUMBER" : "",
      given->is_number ? "a number of type " : "a pointer",
      given->is_number ? tile_dtype_name(given->dtype) : "");
}

static TileStatus check_params(const TilePtxEntry *entry,
                               const TileKernelLaunch *launch) {
  if (entry->num_params != launch->num_params)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "kernel '%s': expected %zu parameters, got %zu",
        entry->name, entry->num_params, launch->num_params);
  for (size_t i = 0; i < entry->num_params; i++) {
    if (entry->param_sizes_bytes[i] != launch->param_sizes_bytes[i])
      return tile_status_error(
          TILE_STATUS_USER_ERROR,
          "kernel '%s': expected parameter %zu of %zu bytes, got %zu",
          entry->name, i, entry->param_sizes_bytes[i],
          launch->param_sizes_bytes[i]);
    if (!launch->param_types)
      continue;
    TileStatus status = check_type(entry, i, &launch->param_types[i]);
    if (!tile_status_is_ok(&status))
      return status;
  }
  return tile_status_ok();
}

/// The limits that every GPU has had since sm_30; others are the device's.
/// Source: CUDA C++ Programming Guide 12, Compute Capabilities.
static TileStatus check_config(const TileKernelLaunch *launch) {
  static const uint32_t max_grid[3] = {INT32_MAX, 65535, 65535};
  static const uint32_t max_block[3] = {1024, 1024, 64};
  enum { MAX_THREADS = 1024 };
  uint64_t num_threads = 1;
  for (int i = 0; i < 3; i++) {
    if (launch->grid[i] == 0 || launch->grid[i] > max_grid[i])
      return tile_status_error(
          TILE_STATUS_USER_ERROR,
          "kernel '%s': expected grid %c from 1 to %u, got %u", launch->kernel,
          'x' + i, max_grid[i], launch->grid[i]);
    if (launch->block[i] == 0 || launch->block[i] > max_block[i])
      return tile_status_error(
          TILE_STATUS_USER_ERROR,
          "kernel '%s': expected block %c from 1 to %u, got %u", launch->kernel,
          'x' + i, max_block[i], launch->block[i]);
    if (launch->cluster[i] == 0 || launch->grid[i] % launch->cluster[i] != 0)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "kernel '%s': expected cluster %c to divide the "
                               "grid of %u, got %u",
                               launch->kernel, 'x' + i, launch->grid[i],
                               launch->cluster[i]);
    num_threads *= launch->block[i];
  }
  if (num_threads > MAX_THREADS)
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "kernel '%s': expected at most %d threads in a block, got %llu",
        launch->kernel, MAX_THREADS, (unsigned long long)num_threads);
  return tile_status_ok();
}

TileStatus tile_device_launch(TileDevice *device, TileDeviceModule *module,
                              const TileKernelLaunch *launch) {
  const TilePtxEntry *entry = find_entry(module, launch->kernel);
  bool is_known = module->num_entries > 0; // else the driver looks
  if (!entry && is_known)
    return missing_kernel(module, launch->kernel);
  TileStatus status = entry ? check_params(entry, launch) : tile_status_ok();
  if (tile_status_is_ok(&status))
    status = check_config(launch);
  if (tile_status_is_ok(&status))
    status = tile_device_enter(device);
  if (!tile_status_is_ok(&status))
    return status;
  status = device->ops->launch(device, module->handle, launch);
  tile_device_leave(device);
  return status;
}

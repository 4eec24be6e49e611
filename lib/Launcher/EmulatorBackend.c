//===- EmulatorBackend.c - The PTX emulator as a device -------------------===//

#include "LauncherInternal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_NUM_SMS = 132 }; // of an H100 SXM5

static void close_emulator(TileDevice *device) {
  tile_emu_destroy(device->emu);
  free(device);
}

static TileStatus alloc(TileDevice *device, size_t size_bytes, const char *name,
                        uint64_t *out_address) {
  void *memory = NULL;
  TileStatus status = tile_emu_alloc(device->emu, size_bytes, name, &memory);
  *out_address = (uint64_t)(uintptr_t)memory;
  return status;
}

static TileStatus free_memory(TileDevice *device, uint64_t address) {
  return tile_emu_free(device->emu, (void *)(uintptr_t)address);
}

static TileStatus upload(TileDevice *device, uint64_t address, const void *data,
                         size_t size_bytes) {
  (void)device; // Device addresses of the emulator are host addresses.
  memcpy((void *)(uintptr_t)address, data, size_bytes);
  return tile_status_ok();
}

static TileStatus download(TileDevice *device, uint64_t address, void *data,
                           size_t size_bytes) {
  (void)device;
  memcpy(data, (const void *)(uintptr_t)address, size_bytes);
  return tile_status_ok();
}

static TileStatus load(TileDevice *device, const char *name, const char *image,
                       size_t size_bytes, void **out_handle) {
  (void)device;
  TileEmuModule *module = NULL;
  if (tile_image_is_cubin(image, size_bytes))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected PTX, which the emulator runs; got a "
                             "cubin",
                             name);
  TileStatus status = tile_emu_module_parse(image, size_bytes, name, &module);
  *out_handle = module;
  return status;
}

static void unload(TileDevice *device, void *handle) {
  (void)device;
  tile_emu_module_destroy(handle);
}

static TileStatus copy_rows(TileDevice *device, const DeviceRows *rows) {
  (void)device;
  for (size_t i = 0; i < rows->num_rows; i++)
    memmove((char *)(uintptr_t)rows->to + i * rows->to_pitch_bytes,
            (const char *)(uintptr_t)rows->from + i * rows->from_pitch_bytes,
            rows->row_bytes);
  return tile_status_ok();
}

static TileStatus fill_rows(TileDevice *device, const DevicePattern *pattern) {
  (void)device;
  for (size_t i = 0; i < pattern->num_rows; i++) {
    char *row = (char *)(uintptr_t)pattern->to + i * pattern->pitch_bytes;
    for (size_t k = 0; k < pattern->row_elems; k++)
      memcpy(row + k * pattern->elem_bytes, pattern->pattern,
             pattern->elem_bytes);
  }
  return tile_status_ok();
}

static TileStatus encode_tensor_map(TileDevice *device,
                                    const TileTensorMap *map, void *out_map) {
  (void)device;
  return tile_emu_tensor_map_encode(map, out_map);
}

static TileStatus launch_kernel(TileDevice *device, void *handle,
                                const TileKernelLaunch *launch) {
  TileEmuLaunch emu_launch = {.dynamic_smem_bytes = launch->dynamic_smem_bytes,
                              .args = launch->params,
                              .num_args = launch->num_params,
                              .co_resident = launch->is_cooperative};
  memcpy(emu_launch.grid, launch->grid, sizeof emu_launch.grid);
  memcpy(emu_launch.block, launch->block, sizeof emu_launch.block);
  memcpy(emu_launch.cluster, launch->cluster, sizeof emu_launch.cluster);
  size_t length = strlen(tile_emu_output(device->emu)); // of earlier launches
  TileStatus status =
      tile_emu_launch(device->emu, handle, launch->kernel, &emu_launch);
  const char *output = tile_emu_output(device->emu) + length;
  TileDiagnostic diagnostic = {.severity = TILE_SEVERITY_OUTPUT,
                               .code = "",
                               .file = "",
                               .text = output,
                               .source_line = ""};
  if (device->prints_output) // as the driver does it
    fputs(output, stdout);
  if (*output && device->on_diagnostic)
    device->on_diagnostic(&diagnostic, device->user_data);
  return status;
}

static const TileDeviceOps emulator_ops = {
    .close = close_emulator,
    .alloc = alloc,
    .free = free_memory,
    .upload = upload,
    .download = download,
    .load = load,
    .unload = unload,
    .encode_tensor_map = encode_tensor_map,
    .launch = launch_kernel,
    .copy_rows = copy_rows,
    .fill_rows = fill_rows,
};

TileStatus tile_emulator_backend_open(const TileDeviceOptions *options,
                                      TileDevice **out_device) {
  *out_device = NULL;
  TileDevice *device = calloc(1, sizeof *device);
  if (!device)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  device->ops = &emulator_ops;
  // Host code and the emulator see the same device.
  TileEmuOptions emulator = options->emulator;
  int num_sms = options->num_sms > 0   ? options->num_sms
                : emulator.num_sms > 0 ? emulator.num_sms
                                       : DEFAULT_NUM_SMS;
  if (emulator.num_sms == 0)
    emulator.num_sms = num_sms;
  device->num_sms = num_sms;
  device->prints_output = options->prints_output;
  snprintf(device->name, sizeof device->name, "emulator");
  snprintf(device->chip, sizeof device->chip, "sm_90a");
  TileStatus status = tile_emu_create(&emulator, &device->emu);
  if (!tile_status_is_ok(&status)) {
    free(device);
    return status;
  }
  *out_device = device;
  return status;
}

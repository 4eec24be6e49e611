//===- RunDevice.c - Devices and memory of Tile/Run.h ---------------------===//
//
// Thin over Device.c: what is a status there is told to the program here.
//
//===----------------------------------------------------------------------===//

#include "RunDevice.h"

#include "Support/Diagnostic/DiagnosticFormat.h"
#include <stdlib.h>

bool tile_device_tell(const TileDevice *device, const TileStatus *status,
                      const char *code) {
  if (tile_status_is_ok(status))
    return true;
  bool is_kernel = status->code == TILE_STATUS_KERNEL_FAILED;
  tile_diagnostic_send(device->on_diagnostic, device->user_data,
                       TILE_SEVERITY_ERROR, is_kernel ? "kernel" : code,
                       status->message);
  return false;
}

//===-- Opening -----------------------------------------------------------===//

static TileDevice *open_device(const TileDeviceOptions *options,
                               TileDiagnosticFn on_diagnostic,
                               void *user_data) {
  TileDevice *device = NULL;
  TileStatus status = tile_device_open(options, &device);
  if (!device) {
    tile_diagnostic_send(on_diagnostic, user_data, TILE_SEVERITY_ERROR,
                         "device", status.message);
    return NULL;
  }
  device->on_diagnostic = on_diagnostic;
  device->user_data = user_data;
  return device;
}

TileDevice *tile_device_create(TileDiagnosticFn on_diagnostic,
                               void *user_data) {
  TileDeviceOptions options;
  tile_device_options_init(&options);
  return open_device(&options, on_diagnostic, user_data);
}

TileDevice *tile_device_create_cuda(void *context,
                                    TileDiagnosticFn on_diagnostic,
                                    void *user_data) {
  TileDeviceOptions options;
  tile_device_options_init(&options);
  options.require_gpu = options.has_context = true;
  options.context = context;
  return open_device(&options, on_diagnostic, user_data);
}

TileDevice *tile_device_create_emulator(const TileEmuOptions *emulator,
                                        TileDiagnosticFn on_diagnostic,
                                        void *user_data) {
  TileDeviceOptions options;
  tile_device_options_init(&options);
  options.emulate = true;
  if (emulator)
    options.emulator = *emulator;
  return open_device(&options, on_diagnostic, user_data);
}

//===-- Memory ------------------------------------------------------------===//

static size_t find_block(const TileDevice *device, uint64_t address) {
  for (size_t i = 0; i < device->num_blocks; i++) {
    const TileDeviceBlock *block = &device->blocks[i];
    if (address >= block->address &&
        address - block->address <= block->size_bytes)
      return i;
  }
  return device->num_blocks;
}

bool tile_device_owns(const TileDevice *device, uint64_t address) {
  return find_block(device, address) < device->num_blocks;
}

TileStatus tile_device_adopt(TileDevice *device, uint64_t address,
                             uint64_t size_bytes) {
  TileDeviceBlock *blocks =
      realloc(device->blocks, (device->num_blocks + 1) * sizeof *blocks);
  if (!blocks) {
    tile_device_free(device, address);
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  }
  device->blocks = blocks;
  blocks[device->num_blocks++] = (TileDeviceBlock){address, size_bytes};
  return tile_status_ok();
}

static TileStatus allocate(TileDevice *device, size_t size_bytes,
                           uint64_t *out_address) {
  TileStatus status =
      tile_device_alloc(device, size_bytes, "memory", out_address);
  return tile_status_is_ok(&status)
             ? tile_device_adopt(device, *out_address, size_bytes)
             : status;
}

void *tile_memory_alloc(TileDevice *device, size_t size_bytes) {
  uint64_t address = 0;
  TileStatus status = allocate(device, size_bytes, &address);
  if (!tile_device_tell(device, &status, "memory"))
    return NULL;
  return (void *)(uintptr_t)address;
}

bool tile_memory_free(TileDevice *device, void *memory) {
  uint64_t address = (uint64_t)(uintptr_t)memory;
  if (!memory)
    return true;
  TileStatus status = tile_device_free(device, address);
  if (!tile_device_tell(device, &status, "memory"))
    return false;
  for (size_t i = 0; i < device->num_blocks; i++)
    if (device->blocks[i].address == address)
      device->blocks[i] = device->blocks[--device->num_blocks];
  return true;
}

/// Whether `size_bytes` at `memory` belong to the device, as far as it knows:
/// other memory of a GPU may come from the program.
static TileStatus check_range(const TileDevice *device, const void *memory,
                              size_t size_bytes) {
  uint64_t address = (uint64_t)(uintptr_t)memory;
  size_t i = find_block(device, address);
  if (i == device->num_blocks && (!device->emu || size_bytes == 0))
    return tile_status_ok();
  uint64_t room = i == device->num_blocks
                      ? 0
                      : device->blocks[i].size_bytes -
                            (address - device->blocks[i].address);
  if (size_bytes <= room)
    return tile_status_ok();
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "expected %zu bytes of the device at 0x%llx, got "
                           "%llu",
                           size_bytes, (unsigned long long)address,
                           (unsigned long long)room);
}

bool tile_memory_write(TileDevice *device, void *memory, const void *data,
                       size_t size_bytes) {
  TileStatus status = check_range(device, memory, size_bytes);
  if (tile_status_is_ok(&status))
    status = tile_device_upload(device, (uint64_t)(uintptr_t)memory, data,
                                size_bytes);
  return tile_device_tell(device, &status, "memory");
}

bool tile_memory_read(TileDevice *device, const void *memory, void *data,
                      size_t size_bytes) {
  TileStatus status = check_range(device, memory, size_bytes);
  if (tile_status_is_ok(&status))
    status = tile_device_download(device, (uint64_t)(uintptr_t)memory, data,
                                  size_bytes);
  return tile_device_tell(device, &status, "memory");
}

bool tile_device_wait(TileDevice *device, void *stream) {
  TileStatus status = tile_device_synchronize(device, stream);
  return tile_device_tell(device, &status, "wait");
}

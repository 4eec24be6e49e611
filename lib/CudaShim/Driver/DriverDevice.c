//===- DriverDevice.c - cuInit, devices -----------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <stdio.h>
#include <string.h>

#define PCI_BUS_ID "0000:01:00.0"

CuResult cuInit(unsigned flags) {
  if (flags)
    return CU_INVALID_VALUE;
  TileShim *shim = tile_shim_enter();
  return tile_shim_leave(shim, tile_shim_start(shim));
}

CuResult cuDriverGetVersion(int *out_version) {
  if (!out_version)
    return CU_INVALID_VALUE;
  *out_version = TILE_SHIM_DRIVER_VERSION;
  return CU_SUCCESS;
}

static CuResult device_check(CuDevice device, const void *out) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  return out ? CU_SUCCESS : CU_INVALID_VALUE;
}

static CuResult device_get(CuDevice *out_device, int ordinal) {
  CuResult result = device_check(ordinal, out_device);
  if (result == CU_SUCCESS)
    *out_device = 0;
  return result;
}

CuResult cuDeviceGet(CuDevice *out_device, int ordinal) {
  TILE_SHIM_QUERY(device_get(out_device, ordinal));
}

static CuResult device_count(int *out_count) {
  if (!out_count)
    return CU_INVALID_VALUE;
  *out_count = 1;
  return CU_SUCCESS;
}

CuResult cuDeviceGetCount(int *out_count) {
  TILE_SHIM_QUERY(device_count(out_count));
}

static CuResult text_copy(char *target, int size_bytes, const char *text,
                          CuDevice device) {
  CuResult result = device_check(device, target);
  if (result == CU_SUCCESS && size_bytes <= 0)
    result = CU_INVALID_VALUE;
  if (result == CU_SUCCESS)
    snprintf(target, (size_t)size_bytes, "%s", text);
  return result;
}

CuResult cuDeviceGetName(char *name, int size_bytes, CuDevice device) {
  TILE_SHIM_QUERY(
      text_copy(name, size_bytes, tile_shim_device_name(shim), device));
}

CuResult cuDeviceGetPCIBusId(char *id, int size_bytes, CuDevice device) {
  TILE_SHIM_QUERY(text_copy(id, size_bytes, PCI_BUS_ID, device));
}

static CuResult by_pci_bus_id(CuDevice *out_device, const char *id) {
  if (!out_device || !id)
    return CU_INVALID_VALUE;
  *out_device = 0;
  return strcmp(id, PCI_BUS_ID) == 0 ? CU_SUCCESS : CU_INVALID_DEVICE;
}

CuResult cuDeviceGetByPCIBusId(CuDevice *out_device, const char *id) {
  TILE_SHIM_QUERY(by_pci_bus_id(out_device, id));
}

static CuResult uuid_copy(char out_uuid[16], CuDevice device) {
  CuResult result = device_check(device, out_uuid);
  if (result == CU_SUCCESS)
    memcpy(out_uuid, "tile-emu device", 16);
  return result;
}

CuResult cuDeviceGetUuid(char out_uuid[16], CuDevice device) {
  TILE_SHIM_QUERY(uuid_copy(out_uuid, device));
}

CuResult cuDeviceGetUuid_v2(char out_uuid[16], CuDevice device) {
  TILE_SHIM_QUERY(uuid_copy(out_uuid, device));
}

static CuResult luid_copy(char *out_luid, unsigned *out_mask, CuDevice device) {
  CuResult result = device_check(device, out_luid);
  if (result != CU_SUCCESS || !out_mask)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  memset(out_luid, 0, 8);
  *out_mask = 1;
  return CU_SUCCESS;
}

CuResult cuDeviceGetLuid(char *out_luid, unsigned *out_mask, CuDevice device) {
  TILE_SHIM_QUERY(luid_copy(out_luid, out_mask, device));
}

static CuResult total_memory(size_t *out_bytes, CuDevice device) {
  CuResult result = device_check(device, out_bytes);
  if (result == CU_SUCCESS)
    *out_bytes = TILE_SHIM_MEMORY_BYTES;
  return result;
}

CuResult cuDeviceTotalMem_v2(size_t *out_bytes, CuDevice device) {
  TILE_SHIM_QUERY(total_memory(out_bytes, device));
}

static CuResult attribute_get(const TileShim *shim, int *out_value,
                              int attribute, CuDevice device) {
  CuResult result = device_check(device, out_value);
  if (result == CU_SUCCESS && !tile_shim_attribute(shim, attribute, out_value))
    result = CU_INVALID_VALUE;
  return result;
}

CuResult cuDeviceGetAttribute(int *out_value, int attribute, CuDevice device) {
  TILE_SHIM_QUERY(attribute_get(shim, out_value, attribute, device));
}

static CuResult capability_get(const TileShim *shim, int *out_major,
                               int *out_minor, CuDevice device) {
  CuResult result = device_check(device, out_major);
  if (result != CU_SUCCESS || !out_minor)
    return result == CU_SUCCESS ? CU_INVALID_VALUE : result;
  *out_major = tile_shim_capability(shim) / 10;
  *out_minor = tile_shim_capability(shim) % 10;
  return CU_SUCCESS;
}

CuResult cuDeviceComputeCapability(int *out_major, int *out_minor,
                                   CuDevice device) {
  TILE_SHIM_QUERY(capability_get(shim, out_major, out_minor, device));
}

static CuResult no_peer(int *out_can) {
  if (!out_can)
    return CU_INVALID_VALUE;
  *out_can = 0;
  return CU_SUCCESS;
}

CuResult cuDeviceCanAccessPeer(int *out_can, CuDevice device, CuDevice peer) {
  TILE_SHIM_QUERY(device == 0 && peer == 0 ? no_peer(out_can)
                                           : CU_INVALID_DEVICE);
}

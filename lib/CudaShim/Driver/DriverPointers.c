//===- DriverPointers.c - What an address is; memory pools ----------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <string.h>

//===-- Pointers ----------------------------------------------------------===//

static CuResult address_range(TileShim *shim, CuAddress *out_base,
                              size_t *out_size_bytes, CuAddress address) {
  const TileShimMemory *memory = tile_shim_memory_find(shim, address);
  if (!memory)
    return CU_NOT_FOUND;
  if (out_base)
    *out_base = memory->address;
  if (out_size_bytes)
    *out_size_bytes = memory->size_bytes;
  return CU_SUCCESS;
}

CuResult cuMemGetAddressRange_v2(CuAddress *out_base, size_t *out_size_bytes,
                                 CuAddress address) {
  TILE_SHIM_CALL(address_range(shim, out_base, out_size_bytes, address));
}

enum {
  ATTRIBUTE_CONTEXT = 1,
  ATTRIBUTE_MEMORY_TYPE = 2,
  ATTRIBUTE_DEVICE_POINTER = 3,
  ATTRIBUTE_HOST_POINTER = 4,
  ATTRIBUTE_SYNC_MEMOPS = 6,
  ATTRIBUTE_BUFFER_ID = 7,
  ATTRIBUTE_IS_MANAGED = 8,
  ATTRIBUTE_DEVICE_ORDINAL = 9,
  ATTRIBUTE_RANGE_START = 11,
  ATTRIBUTE_RANGE_SIZE = 12,
  ATTRIBUTE_IS_MAPPED = 13,
  ATTRIBUTE_ACCESS_FLAGS = 16,
  ACCESS_READ_WRITE = 3
};

static CuResult store(void *out_value, const void *value, size_t size_bytes) {
  memcpy(out_value, value, size_bytes);
  return CU_SUCCESS;
}

static CuResult store_int(void *out_value, int value) {
  return store(out_value, &value, sizeof value);
}

static CuResult pointer_attribute(const TileShim *shim,
                                  const TileShimMemory *memory, int attribute,
                                  void *out_value, CuAddress address) {
  bool is_host = memory->kind == TILE_SHIM_MEMORY_HOST ||
                 memory->kind == TILE_SHIM_MEMORY_REGISTERED;
  bool is_managed = memory->kind == TILE_SHIM_MEMORY_MANAGED;
  switch (attribute) {
  case ATTRIBUTE_CONTEXT:
    return store(out_value, &shim->primary, sizeof shim->primary);
  case ATTRIBUTE_MEMORY_TYPE:
    return store_int(out_value, is_host ? CU_MEMORY_HOST : CU_MEMORY_DEVICE);
  case ATTRIBUTE_HOST_POINTER:
    if (!is_host && !is_managed)
      return CU_INVALID_VALUE;
    return store(out_value, &address, sizeof address);
  case ATTRIBUTE_DEVICE_POINTER:
    return store(out_value, &address, sizeof address);
  case ATTRIBUTE_SYNC_MEMOPS:
    return store_int(out_value, 1);
  case ATTRIBUTE_BUFFER_ID:
    return store(out_value, &memory->id, sizeof memory->id);
  case ATTRIBUTE_IS_MANAGED:
    return store_int(out_value, is_managed);
  case ATTRIBUTE_DEVICE_ORDINAL:
    return store_int(out_value, 0);
  case ATTRIBUTE_RANGE_START:
    return store(out_value, &memory->address, sizeof memory->address);
  case ATTRIBUTE_RANGE_SIZE:
    return store(out_value, &memory->size_bytes, sizeof memory->size_bytes);
  case ATTRIBUTE_IS_MAPPED:
    return store_int(out_value, 1);
  case ATTRIBUTE_ACCESS_FLAGS:
    return store_int(out_value, ACCESS_READ_WRITE);
  default:
    return CU_INVALID_VALUE;
  }
}

static CuResult attribute_get(TileShim *shim, void *out_value, int attribute,
                              CuAddress address) {
  const TileShimMemory *memory = tile_shim_memory_find(shim, address);
  if (!out_value || !memory)
    return CU_INVALID_VALUE;
  return pointer_attribute(shim, memory, attribute, out_value, address);
}

CuResult cuPointerGetAttribute(void *out_value, int attribute,
                               CuAddress address) {
  TILE_SHIM_CALL(attribute_get(shim, out_value, attribute, address));
}

/// Attributes of memory that is not ours are 0, and the device is -2.
static CuResult attributes_get(TileShim *shim, unsigned count,
                               const int *attributes, void **out_values,
                               CuAddress address) {
  enum { INVALID_DEVICE = -2 };
  const TileShimMemory *memory = tile_shim_memory_find(shim, address);
  if (!attributes || !out_values)
    return CU_INVALID_VALUE;
  for (unsigned i = 0; i < count; i++) {
    if (memory && pointer_attribute(shim, memory, attributes[i], out_values[i],
                                    address) == CU_SUCCESS)
      continue;
    bool is_number = attributes[i] == ATTRIBUTE_MEMORY_TYPE ||
                     attributes[i] == ATTRIBUTE_SYNC_MEMOPS ||
                     attributes[i] == ATTRIBUTE_IS_MANAGED ||
                     attributes[i] == ATTRIBUTE_IS_MAPPED;
    if (attributes[i] == ATTRIBUTE_DEVICE_ORDINAL)
      store_int(out_values[i], INVALID_DEVICE);
    else
      memset(out_values[i], 0, is_number ? sizeof(int) : sizeof(uint64_t));
  }
  return CU_SUCCESS;
}

CuResult cuPointerGetAttributes(unsigned count, int *attributes,
                                void **out_values, CuAddress address) {
  TILE_SHIM_CALL(attributes_get(shim, count, attributes, out_values, address));
}

CuResult cuPointerSetAttribute(const void *value, int attribute,
                               CuAddress address) {
  (void)value;
  TILE_SHIM_CALL(attribute == ATTRIBUTE_SYNC_MEMOPS &&
                         tile_shim_memory_find(shim, address)
                     ? CU_SUCCESS
                     : CU_INVALID_VALUE);
}

//===-- Pools -------------------------------------------------------------===//
//
// All pools are the device's memory; they only keep what they are told.

enum { NUM_POOL_ATTRIBUTES = 9, POOL_RELEASE_THRESHOLD = 4, POOL_USED = 7 };

struct CuPoolObject {
  TileShimObject object;
  uint64_t attributes[NUM_POOL_ATTRIBUTES];
};

static CuResult pool_create(TileShim *shim, CuPool *out_pool) {
  if (!out_pool)
    return CU_INVALID_VALUE;
  *out_pool = tile_shim_object_create(shim, TILE_SHIM_POOL, sizeof **out_pool);
  return *out_pool ? CU_SUCCESS : CU_OUT_OF_MEMORY;
}

CuResult cuMemPoolCreate(CuPool *out_pool, const void *properties) {
  TILE_SHIM_CALL(properties ? pool_create(shim, out_pool) : CU_INVALID_VALUE);
}

/// The first pool that was made, which is never destroyed by programs that
/// did not make it.
static CuResult pool_default(TileShim *shim, CuPool *out_pool,
                             CuDevice device) {
  if (device != 0)
    return CU_INVALID_DEVICE;
  if (!out_pool)
    return CU_INVALID_VALUE;
  if (!shim->default_pool)
    return pool_create(shim, &shim->default_pool) == CU_SUCCESS
               ? pool_default(shim, out_pool, device)
               : CU_OUT_OF_MEMORY;
  *out_pool = shim->default_pool;
  return CU_SUCCESS;
}

CuResult cuDeviceGetDefaultMemPool(CuPool *out_pool, CuDevice device) {
  TILE_SHIM_QUERY(pool_default(shim, out_pool, device));
}

CuResult cuDeviceGetMemPool(CuPool *out_pool, CuDevice device) {
  TILE_SHIM_QUERY(pool_default(shim, out_pool, device));
}

static CuResult pool_check(const TileShim *shim, CuPool pool,
                           const void *other) {
  if (!tile_shim_is(shim, pool, TILE_SHIM_POOL) || !other)
    return CU_INVALID_VALUE;
  return CU_SUCCESS;
}

CuResult cuDeviceSetMemPool(CuDevice device, CuPool pool) {
  TILE_SHIM_QUERY(device == 0 ? pool_check(shim, pool, pool)
                              : CU_INVALID_DEVICE);
}

static CuResult pool_destroy(TileShim *shim, CuPool pool) {
  CuResult result = pool_check(shim, pool, pool);
  if (result == CU_SUCCESS && pool != shim->default_pool)
    tile_shim_object_destroy(shim, pool);
  return result;
}

CuResult cuMemPoolDestroy(CuPool pool) {
  TILE_SHIM_CALL(pool_destroy(shim, pool));
}

CuResult cuMemPoolTrimTo(CuPool pool, size_t keep_bytes) {
  (void)keep_bytes;
  TILE_SHIM_CALL(pool_check(shim, pool, pool));
}

static CuResult pool_attribute(const TileShim *shim, CuPool pool, int attribute,
                               void *value, bool is_set) {
  CuResult result = pool_check(shim, pool, value);
  if (result != CU_SUCCESS || attribute < 1 || attribute >= NUM_POOL_ATTRIBUTES)
    return CU_INVALID_VALUE;
  bool is_wide = attribute >= POOL_RELEASE_THRESHOLD;
  size_t size_bytes = is_wide ? sizeof(uint64_t) : sizeof(int);
  uint64_t *stored = &pool->attributes[attribute];
  if (is_set) {
    memcpy(stored, value, size_bytes);
    return CU_SUCCESS;
  }
  if (attribute == POOL_USED)
    *stored = shim->used_bytes;
  memcpy(value, stored, size_bytes);
  return CU_SUCCESS;
}

CuResult cuMemPoolSetAttribute(CuPool pool, int attribute, void *value) {
  TILE_SHIM_CALL(pool_attribute(shim, pool, attribute, value, true));
}

CuResult cuMemPoolGetAttribute(CuPool pool, int attribute, void *out_value) {
  TILE_SHIM_CALL(pool_attribute(shim, pool, attribute, out_value, false));
}

CuResult cuMemPoolSetAccess(CuPool pool, const void *access, size_t count) {
  (void)count;
  TILE_SHIM_CALL(pool_check(shim, pool, access));
}

static CuResult pool_access(const TileShim *shim, int *out_flags, CuPool pool) {
  CuResult result = pool_check(shim, pool, out_flags);
  if (result == CU_SUCCESS)
    *out_flags = ACCESS_READ_WRITE;
  return result;
}

CuResult cuMemPoolGetAccess(int *out_flags, CuPool pool, void *location) {
  (void)location;
  TILE_SHIM_CALL(pool_access(shim, out_flags, pool));
}

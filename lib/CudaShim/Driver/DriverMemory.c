//===- DriverMemory.c - Device, managed and host memory -------------------===//
//
// All memory is memory of the host that kernels may use; addresses of the
// device are host addresses. The kinds differ in what is said about them.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Records -----------------------------------------------------------===//

TileShimMemory *tile_shim_memory_find(TileShim *shim, CuAddress address) {
  for (size_t i = shim->num_memories; i-- > 0;) {
    TileShimMemory *memory = &shim->memories[i];
    if (address >= memory->address &&
        address - memory->address < memory->size_bytes)
      return memory;
  }
  return NULL;
}

bool tile_shim_memory_check(TileShim *shim, CuAddress address,
                            size_t size_bytes, bool may_be_host) {
  const TileShimMemory *memory = tile_shim_memory_find(shim, address);
  if (size_bytes == 0)
    return true;
  if (!memory)
    return may_be_host && address != 0;
  return size_bytes <= memory->size_bytes - (address - memory->address);
}

bool tile_shim_memory_add(TileShim *shim, TileShimMemory memory) {
  TileShimMemory *memories =
      realloc(shim->memories, (shim->num_memories + 1) * sizeof *memories);
  if (!memories)
    return false;
  memory.id = ++shim->next_id;
  shim->memories = memories;
  memories[shim->num_memories++] = memory;
  return true;
}

void tile_shim_memory_remove(TileShim *shim, TileShimMemory *memory) {
  size_t index = (size_t)(memory - shim->memories);
  shim->num_memories--;
  memmove(memory, memory + 1, (shim->num_memories - index) * sizeof *memory);
}

//===-- Allocation --------------------------------------------------------===//

static const char *kind_name(TileShimMemoryKind kind) {
  return kind == TILE_SHIM_MEMORY_MANAGED ? "managed memory"
         : kind == TILE_SHIM_MEMORY_HOST  ? "pinned memory"
                                          : "buffer";
}

static CuResult allocate(TileShim *shim, void *out_memory, size_t size_bytes,
                         TileShimMemoryKind kind, unsigned flags) {
  if (!out_memory || size_bytes == 0)
    return CU_INVALID_VALUE;
  bool is_device = kind != TILE_SHIM_MEMORY_HOST;
  if (is_device && size_bytes > TILE_SHIM_MEMORY_BYTES - shim->used_bytes)
    return CU_OUT_OF_MEMORY;
  char name[60];
  snprintf(name, sizeof name, "%s %llu (%zu bytes)", kind_name(kind),
           (unsigned long long)shim->next_id + 1, size_bytes);
  void *memory = NULL;
  TileStatus status = tile_emu_alloc(shim->emu, size_bytes, name, &memory);
  TileShimMemory record = {.address = (uintptr_t)memory,
                           .size_bytes = size_bytes,
                           .kind = kind,
                           .flags = flags};
  if (!tile_status_is_ok(&status) || !tile_shim_memory_add(shim, record))
    return CU_OUT_OF_MEMORY;
  if (is_device)
    shim->used_bytes += size_bytes;
  memcpy(out_memory, &memory, sizeof memory);
  return CU_SUCCESS;
}

CuResult cuMemAlloc_v2(CuAddress *out_address, size_t size_bytes) {
  TILE_SHIM_CALL(
      allocate(shim, out_address, size_bytes, TILE_SHIM_MEMORY_DEVICE, 0));
}

CuResult cuMemAllocAsync(CuAddress *out_address, size_t size_bytes,
                         CuStream stream) {
  TILE_SHIM_CALL(!tile_shim_is_stream(shim, stream)
                     ? CU_INVALID_HANDLE
                     : allocate(shim, out_address, size_bytes ? size_bytes : 1,
                                TILE_SHIM_MEMORY_DEVICE, 0));
}

CuResult cuMemAllocFromPoolAsync(CuAddress *out_address, size_t size_bytes,
                                 CuPool pool, CuStream stream) {
  (void)pool;
  return cuMemAllocAsync(out_address, size_bytes, stream);
}

static CuResult allocate_pitch(TileShim *shim, CuAddress *out_address,
                               size_t *out_pitch_bytes, size_t width_bytes,
                               size_t height) {
  enum { PITCH_ALIGN = 512 };
  if (!out_pitch_bytes || width_bytes == 0 || height == 0 ||
      width_bytes > TILE_SHIM_MEMORY_BYTES)
    return CU_INVALID_VALUE;
  size_t pitch_bytes = (width_bytes + PITCH_ALIGN - 1) & -(size_t)PITCH_ALIGN;
  if (height > TILE_SHIM_MEMORY_BYTES / pitch_bytes)
    return CU_OUT_OF_MEMORY;
  CuResult result = allocate(shim, out_address, pitch_bytes * height,
                             TILE_SHIM_MEMORY_DEVICE, 0);
  if (result == CU_SUCCESS)
    *out_pitch_bytes = pitch_bytes;
  return result;
}

CuResult cuMemAllocPitch_v2(CuAddress *out_address, size_t *out_pitch_bytes,
                            size_t width_bytes, size_t height,
                            unsigned elem_bytes) {
  (void)elem_bytes;
  TILE_SHIM_CALL(
      allocate_pitch(shim, out_address, out_pitch_bytes, width_bytes, height));
}

CuResult cuMemAllocManaged(CuAddress *out_address, size_t size_bytes,
                           unsigned flags) {
  TILE_SHIM_CALL(
      allocate(shim, out_address, size_bytes, TILE_SHIM_MEMORY_MANAGED, flags));
}

CuResult cuMemAllocHost_v2(void **out_memory, size_t size_bytes) {
  TILE_SHIM_CALL(
      allocate(shim, out_memory, size_bytes, TILE_SHIM_MEMORY_HOST, 0));
}

CuResult cuMemHostAlloc(void **out_memory, size_t size_bytes, unsigned flags) {
  TILE_SHIM_CALL(
      allocate(shim, out_memory, size_bytes, TILE_SHIM_MEMORY_HOST, flags));
}

static CuResult release(TileShim *shim, CuAddress address, bool is_host) {
  if (address == 0)
    return CU_SUCCESS;
  TileShimMemory *memory = tile_shim_memory_find(shim, address);
  bool is_right_kind =
      memory && (is_host ? memory->kind == TILE_SHIM_MEMORY_HOST
                         : memory->kind == TILE_SHIM_MEMORY_DEVICE ||
                               memory->kind == TILE_SHIM_MEMORY_MANAGED);
  if (!is_right_kind || memory->address != address)
    return CU_INVALID_VALUE;
  if (!is_host)
    shim->used_bytes -= memory->size_bytes;
  tile_shim_memory_remove(shim, memory);
  TileStatus status = tile_emu_free(shim->emu, (void *)(uintptr_t)address);
  return tile_status_is_ok(&status) ? CU_SUCCESS : CU_INVALID_VALUE;
}

CuResult cuMemFree_v2(CuAddress address) {
  TILE_SHIM_CALL(release(shim, address, false));
}

CuResult cuMemFreeAsync(CuAddress address, CuStream stream) {
  TILE_SHIM_CALL(tile_shim_is_stream(shim, stream)
                     ? release(shim, address, false)
                     : CU_INVALID_HANDLE);
}

CuResult cuMemFreeHost(void *memory) {
  TILE_SHIM_CALL(release(shim, (uintptr_t)memory, true));
}

static CuResult memory_info(const TileShim *shim, size_t *out_free_bytes,
                            size_t *out_total_bytes) {
  if (!out_free_bytes || !out_total_bytes)
    return CU_INVALID_VALUE;
  *out_free_bytes = TILE_SHIM_MEMORY_BYTES - shim->used_bytes;
  *out_total_bytes = TILE_SHIM_MEMORY_BYTES;
  return CU_SUCCESS;
}

CuResult cuMemGetInfo_v2(size_t *out_free_bytes, size_t *out_total_bytes) {
  TILE_SHIM_CALL(memory_info(shim, out_free_bytes, out_total_bytes));
}

//===-- Host memory -------------------------------------------------------===//

static CuResult host_register(TileShim *shim, void *memory, size_t size_bytes,
                              unsigned flags) {
  if (!memory || size_bytes == 0)
    return CU_INVALID_VALUE;
  if (tile_shim_memory_find(shim, (uintptr_t)memory))
    return CU_HOST_MEMORY_ALREADY_REGISTERED;
  TileStatus status =
      tile_emu_map_host(shim->emu, memory, size_bytes, "registered memory");
  TileShimMemory record = {.address = (uintptr_t)memory,
                           .size_bytes = size_bytes,
                           .kind = TILE_SHIM_MEMORY_REGISTERED,
                           .flags = flags};
  if (!tile_status_is_ok(&status) || !tile_shim_memory_add(shim, record))
    return CU_OUT_OF_MEMORY;
  return CU_SUCCESS;
}

CuResult cuMemHostRegister_v2(void *memory, size_t size_bytes, unsigned flags) {
  TILE_SHIM_CALL(host_register(shim, memory, size_bytes, flags));
}

static CuResult host_unregister(TileShim *shim, void *address) {
  TileShimMemory *memory = tile_shim_memory_find(shim, (uintptr_t)address);
  if (!memory || memory->kind != TILE_SHIM_MEMORY_REGISTERED ||
      memory->address != (uintptr_t)address)
    return CU_HOST_MEMORY_NOT_REGISTERED;
  tile_shim_memory_remove(shim, memory);
  TileStatus status = tile_emu_free(shim->emu, address);
  return tile_status_is_ok(&status) ? CU_SUCCESS : CU_INVALID_VALUE;
}

CuResult cuMemHostUnregister(void *memory) {
  TILE_SHIM_CALL(host_unregister(shim, memory));
}

static CuResult host_pointer(TileShim *shim, CuAddress *out_address,
                             void *memory) {
  if (!out_address || !tile_shim_memory_find(shim, (uintptr_t)memory))
    return CU_INVALID_VALUE;
  *out_address = (uintptr_t)memory;
  return CU_SUCCESS;
}

CuResult cuMemHostGetDevicePointer_v2(CuAddress *out_address, void *memory,
                                      unsigned flags) {
  (void)flags;
  TILE_SHIM_CALL(host_pointer(shim, out_address, memory));
}

static CuResult host_flags(TileShim *shim, unsigned *out_flags, void *address) {
  const TileShimMemory *memory =
      tile_shim_memory_find(shim, (uintptr_t)address);
  if (!out_flags || !memory)
    return CU_INVALID_VALUE;
  *out_flags = memory->flags;
  return CU_SUCCESS;
}

CuResult cuMemHostGetFlags(unsigned *out_flags, void *memory) {
  TILE_SHIM_CALL(host_flags(shim, out_flags, memory));
}

//===-- Advice, which changes nothing -------------------------------------===//

CuResult cuMemAdvise_v2(CuAddress address, size_t size_bytes, int advice,
                        uint64_t location) {
  (void)advice;
  (void)location;
  TILE_SHIM_CALL(tile_shim_memory_check(shim, address, size_bytes, false)
                     ? CU_SUCCESS
                     : CU_INVALID_VALUE);
}

CuResult cuMemPrefetchAsync_v2(CuAddress address, size_t size_bytes,
                               uint64_t location, unsigned flags,
                               CuStream stream) {
  (void)flags;
  (void)stream;
  return cuMemAdvise_v2(address, size_bytes, 0, location);
}

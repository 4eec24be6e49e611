//===- RuntimeMemory.c - Memory of the runtime API ------------------------===//

#include "Runtime.h"
#include "RuntimeApi.h"

#include <string.h>

//===-- Allocation --------------------------------------------------------===//

static RtError allocate(void **out_memory, size_t size_bytes) {
  CuAddress address = 0;
  if (!out_memory)
    return RT_INVALID_VALUE;
  CuResult result = CU_SUCCESS;
  if (size_bytes) // nothing gives a null pointer
    result = cuMemAlloc_v2(&address, size_bytes);
  *out_memory = (void *)(uintptr_t)address;
  return (RtError)result;
}

RtError cudaMalloc(void **out_memory, size_t size_bytes) {
  RT_CALL(allocate(out_memory, size_bytes));
}

RtError cudaMallocAsync(void **out_memory, size_t size_bytes, CuStream stream) {
  (void)stream;
  RT_CALL(allocate(out_memory, size_bytes));
}

RtError cudaMallocFromPoolAsync(void **out_memory, size_t size_bytes,
                                CuPool pool, CuStream stream) {
  (void)pool;
  return cudaMallocAsync(out_memory, size_bytes, stream);
}

static RtError allocate_managed(void **out_memory, size_t size_bytes,
                                unsigned flags) {
  CuAddress address = 0;
  if (!out_memory)
    return RT_INVALID_VALUE;
  CuResult result = cuMemAllocManaged(&address, size_bytes, flags);
  *out_memory = (void *)(uintptr_t)address;
  return (RtError)result;
}

RtError cudaMallocManaged(void **out_memory, size_t size_bytes,
                          unsigned flags) {
  RT_CALL(allocate_managed(out_memory, size_bytes, flags));
}

static RtError allocate_pitch(void **out_memory, size_t *out_pitch_bytes,
                              size_t width_bytes, size_t height) {
  CuAddress address = 0;
  if (!out_memory)
    return RT_INVALID_VALUE;
  CuResult result =
      cuMemAllocPitch_v2(&address, out_pitch_bytes, width_bytes, height, 4);
  *out_memory = (void *)(uintptr_t)address;
  return (RtError)result;
}

RtError cudaMallocPitch(void **out_memory, size_t *out_pitch_bytes,
                        size_t width_bytes, size_t height) {
  RT_CALL(allocate_pitch(out_memory, out_pitch_bytes, width_bytes, height));
}

static RtError allocate_3d(RtPitched *out_memory, RtExtent extent) {
  if (!out_memory)
    return RT_INVALID_VALUE;
  out_memory->width_bytes = extent.width;
  out_memory->height = extent.height;
  return allocate_pitch(&out_memory->memory, &out_memory->pitch_bytes,
                        extent.width, extent.height * extent.depth);
}

RtError cudaMalloc3D(RtPitched *out_memory, RtExtent extent) {
  RT_CALL(allocate_3d(out_memory, extent));
}

RtError cudaFree(void *memory) { RT_CALL(cuMemFree_v2((uintptr_t)memory)); }

RtError cudaFreeAsync(void *memory, CuStream stream) {
  RT_CALL(cuMemFreeAsync((uintptr_t)memory, stream));
}

RtError cudaMallocHost(void **out_memory, size_t size_bytes) {
  RT_CALL(cuMemHostAlloc(out_memory, size_bytes, 0));
}

RtError cudaHostAlloc(void **out_memory, size_t size_bytes, unsigned flags) {
  RT_CALL(cuMemHostAlloc(out_memory, size_bytes, flags));
}

RtError cudaFreeHost(void *memory) { RT_CALL(cuMemFreeHost(memory)); }

RtError cudaHostRegister(void *memory, size_t size_bytes, unsigned flags) {
  RT_CALL(cuMemHostRegister_v2(memory, size_bytes, flags));
}

RtError cudaHostUnregister(void *memory) {
  RT_CALL(cuMemHostUnregister(memory));
}

static RtError host_pointer(void **out_memory, void *memory, unsigned flags) {
  CuAddress address = 0;
  if (!out_memory)
    return RT_INVALID_VALUE;
  CuResult result = cuMemHostGetDevicePointer_v2(&address, memory, flags);
  *out_memory = (void *)(uintptr_t)address;
  return (RtError)result;
}

RtError cudaHostGetDevicePointer(void **out_memory, void *memory,
                                 unsigned flags) {
  RT_CALL(host_pointer(out_memory, memory, flags));
}

RtError cudaHostGetFlags(unsigned *out_flags, void *memory) {
  RT_CALL(cuMemHostGetFlags(out_flags, memory));
}

RtError cudaMemGetInfo(size_t *out_free_bytes, size_t *out_total_bytes) {
  RT_CALL(cuMemGetInfo_v2(out_free_bytes, out_total_bytes));
}

static RtError pointer_attributes(RtPointerAttributes *out,
                                  const void *memory) {
  enum { HOST = 1, DEVICE = 2, MANAGED = 3, MEMORY_TYPE = 2, IS_MANAGED = 8 };
  CuAddress address = (uintptr_t)memory;
  int type = 0, is_managed = 0;
  if (!out)
    return RT_INVALID_VALUE;
  memset(out, 0, sizeof *out);
  out->device = -2; // not memory of CUDA
  out->host = (void *)address;
  if (cuPointerGetAttribute(&type, MEMORY_TYPE, address) != CU_SUCCESS)
    return RT_SUCCESS;
  cuPointerGetAttribute(&is_managed, IS_MANAGED, address);
  out->type = is_managed ? MANAGED : type == CU_MEMORY_HOST ? HOST : DEVICE;
  out->device = 0;
  out->memory = (void *)address;
  if (out->type == DEVICE)
    out->host = NULL;
  return RT_SUCCESS;
}

RtError cudaPointerGetAttributes(RtPointerAttributes *out_attributes,
                                 const void *memory) {
  RT_CALL(pointer_attributes(out_attributes, memory));
}

RtError cudaMemAdvise(const void *memory, size_t size_bytes, int advice,
                      uint64_t location) {
  RT_CALL(cuMemAdvise_v2((uintptr_t)memory, size_bytes, advice, location));
}

RtError cudaMemPrefetchAsync(const void *memory, size_t size_bytes,
                             uint64_t location) {
  RT_CALL(cuMemAdvise_v2((uintptr_t)memory, size_bytes, 0, location));
}

//===-- Copies ------------------------------------------------------------===//

static RtError copy(void *target, const void *source, size_t size_bytes,
                    int kind) {
  CuAddress to = (uintptr_t)target, from = (uintptr_t)source;
  switch (kind) {
  case RT_HOST_TO_HOST:
    if (size_bytes)
      memmove(target, source, size_bytes);
    return RT_SUCCESS;
  case RT_HOST_TO_DEVICE:
    return (RtError)cuMemcpyHtoD_v2(to, source, size_bytes);
  case RT_DEVICE_TO_HOST:
    return (RtError)cuMemcpyDtoH_v2(target, from, size_bytes);
  case RT_DEVICE_TO_DEVICE:
    return (RtError)cuMemcpyDtoD_v2(to, from, size_bytes);
  case RT_COPY_DEFAULT:
    return (RtError)cuMemcpy(to, from, size_bytes);
  default:
    return RT_INVALID_COPY_DIRECTION;
  }
}

RtError cudaMemcpy(void *target, const void *source, size_t size_bytes,
                   int kind) {
  RT_CALL(copy(target, source, size_bytes, kind));
}

RtError cudaMemcpyAsync(void *target, const void *source, size_t size_bytes,
                        int kind, CuStream stream) {
  (void)stream;
  RT_CALL(copy(target, source, size_bytes, kind));
}

RtError cudaMemcpyPeer(void *target, int target_device, const void *source,
                       int source_device, size_t size_bytes) {
  RT_CALL(target_device || source_device
              ? RT_INVALID_DEVICE
              : copy(target, source, size_bytes, RT_DEVICE_TO_DEVICE));
}

RtError cudaMemcpyPeerAsync(void *target, int target_device, const void *source,
                            int source_device, size_t size_bytes,
                            CuStream stream) {
  (void)stream;
  return cudaMemcpyPeer(target, target_device, source, source_device,
                        size_bytes);
}

static RtError copy_rows(uint8_t *target, size_t target_pitch,
                         const uint8_t *source, size_t source_pitch,
                         size_t width_bytes, size_t height, int kind) {
  RtError error = RT_SUCCESS;
  if (height > 1 && (width_bytes > target_pitch || width_bytes > source_pitch))
    return 12; // cudaErrorInvalidPitchValue
  for (size_t y = 0; y < height && !error; y++)
    error = copy(target + y * target_pitch, source + y * source_pitch,
                 width_bytes, kind);
  return error;
}

RtError cudaMemcpy2D(void *target, size_t target_pitch, const void *source,
                     size_t source_pitch, size_t width_bytes, size_t height,
                     int kind) {
  RT_CALL(copy_rows(target, target_pitch, source, source_pitch, width_bytes,
                    height, kind));
}

RtError cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
                          size_t source_pitch, size_t width_bytes,
                          size_t height, int kind, CuStream stream) {
  (void)stream;
  return cudaMemcpy2D(target, target_pitch, source, source_pitch, width_bytes,
                      height, kind);
}

static RtError copy_3d(const RtCopy3D *parameters) {
  if (!parameters)
    return RT_INVALID_VALUE;
  if (parameters->source_array || parameters->target_array)
    return tile_rt_missing("a copy of a CUDA array");
  const RtPitched *source = &parameters->source, *target = &parameters->target;
  const RtExtent *from = &parameters->source_at, *to = &parameters->target_at;
  RtError error = RT_SUCCESS;
  for (size_t z = 0; z < parameters->extent.depth && !error; z++)
    error = copy_rows((uint8_t *)target->memory + to->width +
                          ((to->depth + z) * target->height + to->height) *
                              target->pitch_bytes,
                      target->pitch_bytes,
                      (const uint8_t *)source->memory + from->width +
                          ((from->depth + z) * source->height + from->height) *
                              source->pitch_bytes,
                      source->pitch_bytes, parameters->extent.width,
                      parameters->extent.height, parameters->kind);
  return error;
}

RtError cudaMemcpy3D(const RtCopy3D *parameters) {
  RT_CALL(copy_3d(parameters));
}

RtError cudaMemcpy3DAsync(const RtCopy3D *parameters, CuStream stream) {
  (void)stream;
  return cudaMemcpy3D(parameters);
}

//===-- Symbols -----------------------------------------------------------===//

static RtError symbol_part(const void *symbol, size_t size_bytes, size_t offset,
                           void **out_memory) {
  CuAddress address = 0;
  size_t symbol_bytes = 0;
  RtError error = tile_rt_symbol(symbol, &address, &symbol_bytes);
  if (!error && (offset > symbol_bytes || size_bytes > symbol_bytes - offset))
    error = RT_INVALID_VALUE;
  *out_memory = (void *)(uintptr_t)(address + offset);
  return error;
}

static RtError copy_to_symbol(const void *symbol, const void *source,
                              size_t size_bytes, size_t offset, int kind) {
  void *target;
  RtError error = symbol_part(symbol, size_bytes, offset, &target);
  return error ? error : copy(target, source, size_bytes, kind);
}

RtError cudaMemcpyToSymbol(const void *symbol, const void *source,
                           size_t size_bytes, size_t offset, int kind) {
  RT_CALL(copy_to_symbol(symbol, source, size_bytes, offset, kind));
}

RtError cudaMemcpyToSymbolAsync(const void *symbol, const void *source,
                                size_t size_bytes, size_t offset, int kind,
                                CuStream stream) {
  (void)stream;
  return cudaMemcpyToSymbol(symbol, source, size_bytes, offset, kind);
}

static RtError copy_from_symbol(void *target, const void *symbol,
                                size_t size_bytes, size_t offset, int kind) {
  void *source;
  RtError error = symbol_part(symbol, size_bytes, offset, &source);
  return error ? error : copy(target, source, size_bytes, kind);
}

RtError cudaMemcpyFromSymbol(void *target, const void *symbol,
                             size_t size_bytes, size_t offset, int kind) {
  RT_CALL(copy_from_symbol(target, symbol, size_bytes, offset, kind));
}

RtError cudaMemcpyFromSymbolAsync(void *target, const void *symbol,
                                  size_t size_bytes, size_t offset, int kind,
                                  CuStream stream) {
  (void)stream;
  return cudaMemcpyFromSymbol(target, symbol, size_bytes, offset, kind);
}

RtError cudaGetSymbolAddress(void **out_memory, const void *symbol) {
  RT_CALL(out_memory ? symbol_part(symbol, 0, 0, out_memory)
                     : RT_INVALID_VALUE);
}

static RtError symbol_size(size_t *out_size_bytes, const void *symbol) {
  CuAddress address;
  return out_size_bytes ? tile_rt_symbol(symbol, &address, out_size_bytes)
                        : RT_INVALID_VALUE;
}

RtError cudaGetSymbolSize(size_t *out_size_bytes, const void *symbol) {
  RT_CALL(symbol_size(out_size_bytes, symbol));
}

//===-- Fills -------------------------------------------------------------===//

RtError cudaMemset(void *memory, int value, size_t size_bytes) {
  RT_CALL(cuMemsetD8_v2((uintptr_t)memory, (unsigned char)value, size_bytes));
}

RtError cudaMemsetAsync(void *memory, int value, size_t size_bytes,
                        CuStream stream) {
  (void)stream;
  return cudaMemset(memory, value, size_bytes);
}

RtError cudaMemset2D(void *memory, size_t pitch_bytes, int value,
                     size_t width_bytes, size_t height) {
  RT_CALL(cuMemsetD2D8_v2((uintptr_t)memory, pitch_bytes, (unsigned char)value,
                          width_bytes, height));
}

RtError cudaMemset2DAsync(void *memory, size_t pitch_bytes, int value,
                          size_t width_bytes, size_t height, CuStream stream) {
  (void)stream;
  return cudaMemset2D(memory, pitch_bytes, value, width_bytes, height);
}

static RtError fill_3d(RtPitched memory, int value, RtExtent extent) {
  RtError error = RT_SUCCESS;
  for (size_t z = 0; z < extent.depth && !error; z++)
    error = (RtError)cuMemsetD2D8_v2(
        (uintptr_t)memory.memory + z * memory.height * memory.pitch_bytes,
        memory.pitch_bytes, (unsigned char)value, extent.width, extent.height);
  return error;
}

RtError cudaMemset3D(RtPitched memory, int value, RtExtent extent) {
  RT_CALL(fill_3d(memory, value, extent));
}

RtError cudaMemset3DAsync(RtPitched memory, int value, RtExtent extent,
                          CuStream stream) {
  (void)stream;
  return cudaMemset3D(memory, value, extent);
}

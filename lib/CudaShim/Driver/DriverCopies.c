//===- DriverCopies.c - Copies and fills ----------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <string.h>

//===-- One dimension -----------------------------------------------------===//

/// What the two addresses of a copy are known to be.
typedef struct {
  bool is_source_host, is_target_host;
} Sides;

static CuResult copy(TileShim *shim, const char *call, CuAddress target,
                     CuAddress source, size_t size_bytes, Sides sides) {
  if (size_bytes == 0)
    return CU_SUCCESS;
  if (!tile_shim_memory_check(shim, source, size_bytes, sides.is_source_host)) {
    tile_shim_say("%s: %zu bytes at source 0x%llx are not in memory of the "
                  "device",
                  call, size_bytes, (unsigned long long)source);
    return CU_INVALID_VALUE;
  }
  if (!tile_shim_memory_check(shim, target, size_bytes, sides.is_target_host)) {
    tile_shim_say("%s: %zu bytes at target 0x%llx are not in memory of the "
                  "device",
                  call, size_bytes, (unsigned long long)target);
    return CU_INVALID_VALUE;
  }
  memmove((void *)(uintptr_t)target, (const void *)(uintptr_t)source,
          size_bytes);
  return CU_SUCCESS;
}

static CuResult copy_in(const TileShim *shim, CuStream stream,
                        CuResult result) {
  return tile_shim_is_stream(shim, stream) ? result : CU_INVALID_HANDLE;
}

CuResult cuMemcpy(CuAddress target, CuAddress source, size_t size_bytes) {
  TILE_SHIM_CALL(
      copy(shim, "cuMemcpy", target, source, size_bytes, (Sides){true, true}));
}

CuResult cuMemcpyAsync(CuAddress target, CuAddress source, size_t size_bytes,
                       CuStream stream) {
  TILE_SHIM_CALL(copy_in(shim, stream,
                         copy(shim, "cuMemcpyAsync", target, source, size_bytes,
                              (Sides){true, true})));
}

CuResult cuMemcpyHtoD_v2(CuAddress target, const void *source,
                         size_t size_bytes) {
  TILE_SHIM_CALL(copy(shim, "cuMemcpyHtoD", target, (uintptr_t)source,
                      size_bytes, (Sides){true, false}));
}

CuResult cuMemcpyHtoDAsync_v2(CuAddress target, const void *source,
                              size_t size_bytes, CuStream stream) {
  TILE_SHIM_CALL(
      copy_in(shim, stream,
              copy(shim, "cuMemcpyHtoDAsync", target, (uintptr_t)source,
                   size_bytes, (Sides){true, false})));
}

CuResult cuMemcpyDtoH_v2(void *target, CuAddress source, size_t size_bytes) {
  TILE_SHIM_CALL(copy(shim, "cuMemcpyDtoH", (uintptr_t)target, source,
                      size_bytes, (Sides){false, true}));
}

CuResult cuMemcpyDtoHAsync_v2(void *target, CuAddress source, size_t size_bytes,
                              CuStream stream) {
  TILE_SHIM_CALL(copy_in(shim, stream,
                         copy(shim, "cuMemcpyDtoHAsync", (uintptr_t)target,
                              source, size_bytes, (Sides){false, true})));
}

CuResult cuMemcpyDtoD_v2(CuAddress target, CuAddress source,
                         size_t size_bytes) {
  TILE_SHIM_CALL(copy(shim, "cuMemcpyDtoD", target, source, size_bytes,
                      (Sides){false, false}));
}

CuResult cuMemcpyDtoDAsync_v2(CuAddress target, CuAddress source,
                              size_t size_bytes, CuStream stream) {
  TILE_SHIM_CALL(copy_in(shim, stream,
                         copy(shim, "cuMemcpyDtoDAsync", target, source,
                              size_bytes, (Sides){false, false})));
}

CuResult cuMemcpyPeer(CuAddress target, CuContext target_context,
                      CuAddress source, CuContext source_context,
                      size_t size_bytes) {
  (void)target_context;
  (void)source_context;
  return cuMemcpyDtoD_v2(target, source, size_bytes);
}

CuResult cuMemcpyPeerAsync(CuAddress target, CuContext target_context,
                           CuAddress source, CuContext source_context,
                           size_t size_bytes, CuStream stream) {
  (void)target_context;
  (void)source_context;
  return cuMemcpyDtoDAsync_v2(target, source, size_bytes, stream);
}

//===-- Two and three dimensions ------------------------------------------===//

/// One side of a box: the address of its first byte and the steps.
typedef struct {
  CuAddress first;
  size_t row_bytes, plane_bytes;
  bool is_host;
} Box;

static bool box_make(const CuCopySide3D *side, Box *out_box) {
  enum { UNIFIED = 4 };
  bool is_host = side->memory_type == CU_MEMORY_HOST;
  if (!is_host && side->memory_type != CU_MEMORY_DEVICE &&
      side->memory_type != UNIFIED)
    return false;
  CuAddress base = is_host ? (uintptr_t)side->host : side->device;
  size_t plane_bytes = side->pitch_bytes * side->height;
  *out_box = (Box){.first = base + side->x_bytes + side->y * side->pitch_bytes +
                            side->z * plane_bytes,
                   .row_bytes = side->pitch_bytes,
                   .plane_bytes = plane_bytes,
                   .is_host = side->memory_type != CU_MEMORY_DEVICE};
  return true;
}

static CuResult copy_box(TileShim *shim, const char *call,
                         const CuCopy3D *parameters) {
  Box source, target;
  if (!parameters)
    return CU_INVALID_VALUE;
  if (!box_make(&parameters->source, &source) ||
      !box_make(&parameters->target, &target)) {
    tile_shim_say("%s: CUDA arrays are not supported by the emulator", call);
    return CU_NOT_SUPPORTED;
  }
  Sides sides = {source.is_host, target.is_host};
  for (size_t z = 0; z < parameters->depth; z++) {
    for (size_t y = 0; y < parameters->height; y++) {
      CuAddress to =
          target.first + z * target.plane_bytes + y * target.row_bytes;
      CuAddress from =
          source.first + z * source.plane_bytes + y * source.row_bytes;
      CuResult result =
          copy(shim, call, to, from, parameters->width_bytes, sides);
      if (result != CU_SUCCESS)
        return result;
    }
  }
  return CU_SUCCESS;
}

static CuCopySide3D side_widen(const CuCopySide2D *side) {
  return (CuCopySide3D){.x_bytes = side->x_bytes,
                        .y = side->y,
                        .memory_type = side->memory_type,
                        .host = side->host,
                        .device = side->device,
                        .pitch_bytes = side->pitch_bytes};
}

static CuResult copy_2d(TileShim *shim, const char *call,
                        const CuCopy2D *parameters) {
  if (!parameters)
    return CU_INVALID_VALUE;
  CuCopy3D box = {.source = side_widen(&parameters->source),
                  .target = side_widen(&parameters->target),
                  .width_bytes = parameters->width_bytes,
                  .height = parameters->height,
                  .depth = 1};
  return copy_box(shim, call, &box);
}

CuResult cuMemcpy2D_v2(const CuCopy2D *parameters) {
  TILE_SHIM_CALL(copy_2d(shim, "cuMemcpy2D", parameters));
}

CuResult cuMemcpy2DUnaligned_v2(const CuCopy2D *parameters) {
  TILE_SHIM_CALL(copy_2d(shim, "cuMemcpy2DUnaligned", parameters));
}

CuResult cuMemcpy2DAsync_v2(const CuCopy2D *parameters, CuStream stream) {
  TILE_SHIM_CALL(
      copy_in(shim, stream, copy_2d(shim, "cuMemcpy2DAsync", parameters)));
}

CuResult cuMemcpy3D_v2(const CuCopy3D *parameters) {
  TILE_SHIM_CALL(copy_box(shim, "cuMemcpy3D", parameters));
}

CuResult cuMemcpy3DAsync_v2(const CuCopy3D *parameters, CuStream stream) {
  TILE_SHIM_CALL(
      copy_in(shim, stream, copy_box(shim, "cuMemcpy3DAsync", parameters)));
}

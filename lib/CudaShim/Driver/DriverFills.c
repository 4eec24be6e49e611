//===- DriverFills.c - cuMemset -------------------------------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <string.h>

/// `height` rows of `width` elements of 1, 2 or 4 bytes.
typedef struct {
  CuAddress address;
  size_t pitch_bytes, elem_bytes, width, height;
  unsigned value;
} Fill;

static CuResult fill(TileShim *shim, Fill area) {
  size_t row_bytes = area.width * area.elem_bytes;
  if (area.address % area.elem_bytes || area.width > SIZE_MAX / area.elem_bytes)
    return CU_INVALID_VALUE;
  for (size_t y = 0; y < area.height; y++) {
    CuAddress row = area.address + y * area.pitch_bytes;
    if (!tile_shim_memory_check(shim, row, row_bytes, false)) {
      tile_shim_say("cuMemset: %zu bytes at 0x%llx are not in memory of the "
                    "device",
                    row_bytes, (unsigned long long)row);
      return CU_INVALID_VALUE;
    }
    uint8_t *bytes = (uint8_t *)(uintptr_t)row;
    for (size_t i = 0; i < row_bytes && area.elem_bytes > 1;
         i += area.elem_bytes)
      memcpy(bytes + i, &area.value, area.elem_bytes);
    if (area.elem_bytes == 1 && row_bytes)
      memset(bytes, (int)area.value, row_bytes);
  }
  return CU_SUCCESS;
}

#define FILL_ROW(bytes) fill(shim, (Fill){address, 0, bytes, count, 1, value})
#define FILL_AREA(bytes)                                                       \
  fill(shim, (Fill){address, pitch_bytes, bytes, width, height, value})
#define IN_STREAM(work)                                                        \
  (tile_shim_is_stream(shim, stream) ? (work) : CU_INVALID_HANDLE)

CuResult cuMemsetD8_v2(CuAddress address, unsigned char value, size_t count) {
  TILE_SHIM_CALL(FILL_ROW(1));
}

CuResult cuMemsetD16_v2(CuAddress address, unsigned short value, size_t count) {
  TILE_SHIM_CALL(FILL_ROW(2));
}

CuResult cuMemsetD32_v2(CuAddress address, unsigned value, size_t count) {
  TILE_SHIM_CALL(FILL_ROW(4));
}

CuResult cuMemsetD8Async(CuAddress address, unsigned char value, size_t count,
                         CuStream stream) {
  TILE_SHIM_CALL(IN_STREAM(FILL_ROW(1)));
}

CuResult cuMemsetD16Async(CuAddress address, unsigned short value, size_t count,
                          CuStream stream) {
  TILE_SHIM_CALL(IN_STREAM(FILL_ROW(2)));
}

CuResult cuMemsetD32Async(CuAddress address, unsigned value, size_t count,
                          CuStream stream) {
  TILE_SHIM_CALL(IN_STREAM(FILL_ROW(4)));
}

CuResult cuMemsetD2D8_v2(CuAddress address, size_t pitch_bytes,
                         unsigned char value, size_t width, size_t height) {
  TILE_SHIM_CALL(FILL_AREA(1));
}

CuResult cuMemsetD2D16_v2(CuAddress address, size_t pitch_bytes,
                          unsigned short value, size_t width, size_t height) {
  TILE_SHIM_CALL(FILL_AREA(2));
}

CuResult cuMemsetD2D32_v2(CuAddress address, size_t pitch_bytes, unsigned value,
                          size_t width, size_t height) {
  TILE_SHIM_CALL(FILL_AREA(4));
}

CuResult cuMemsetD2D8Async(CuAddress address, size_t pitch_bytes,
                           unsigned char value, size_t width, size_t height,
                           CuStream stream) {
  TILE_SHIM_CALL(IN_STREAM(FILL_AREA(1)));
}

CuResult cuMemsetD2D16Async(CuAddress address, size_t pitch_bytes,
                            unsigned short value, size_t width, size_t height,
                            CuStream stream) {
  TILE_SHIM_CALL(IN_STREAM(FILL_AREA(2)));
}

CuResult cuMemsetD2D32Async(CuAddress address, size_t pitch_bytes,
                            unsigned value, size_t width, size_t height,
                            CuStream stream) {
  TILE_SHIM_CALL(IN_STREAM(FILL_AREA(4)));
}

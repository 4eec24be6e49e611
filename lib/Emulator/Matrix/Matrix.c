//===- Matrix.c - Elements of matrix fragments ----------------------------===//

#include "Matrix.h"
#include "Emulator/Alu/NarrowFloat.h"

uint32_t tile_emu_matrix_elem_bits(TilePtxType type) {
  switch (type) {
  case TILE_PTX_F16:
  case TILE_PTX_BF16:
    return 16;
  case TILE_PTX_TF32:
  case TILE_PTX_F32:
    return 32;
  case TILE_PTX_E4M3:
  case TILE_PTX_E5M2:
  case TILE_PTX_S8:
  case TILE_PTX_U8:
    return 8;
  default:
    return 0;
  }
}

#define UNPACK_BY(T, expr, step)                                               \
  for (size_t i = 0; i < count; i++) {                                         \
    T x;                                                                       \
    memcpy(&x, memory + i * sizeof x, sizeof x);                               \
    out_values[i * (step)] = (expr);                                           \
  }
// The frequent stride is a loop of its own, which becomes vector code.
#define UNPACK(T, expr)                                                        \
  if (stride == 1) {                                                           \
    UNPACK_BY(T, expr, 1)                                                      \
  } else {                                                                     \
    UNPACK_BY(T, expr, stride)                                                 \
  }                                                                            \
  break

void tile_emu_matrix_unpack(TilePtxType type, const uint8_t *memory,
                            uint32_t count, float *out_values,
                            uint32_t stride) {
  switch (type) {
  case TILE_PTX_BF16:
    UNPACK(uint16_t, tile_f32_of_bf16(x));
  case TILE_PTX_F16:
    UNPACK(uint16_t, tile_f32_of_f16(x));
  case TILE_PTX_E4M3:
    UNPACK(uint8_t, tile_f32_of_e4m3(x));
  case TILE_PTX_E5M2:
    UNPACK(uint8_t, tile_f32_of_e5m2(x));
  case TILE_PTX_S8:
    UNPACK(int8_t, (float)x);
  case TILE_PTX_U8:
    UNPACK(uint8_t, (float)x);
  default: // tf32: the low 13 bits are ignored
    UNPACK(uint32_t, tile_f32_of_bits(x & ~0x1fffu));
  }
}

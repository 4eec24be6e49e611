//===- PtxTypes.c - Fundamental types of PTX: names and sizes -------------===//
//
// PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data Formats".
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"

#include <string.h>

typedef struct {
  const char *name;
  uint8_t size_bytes;
  bool is_signed, is_float;
} TypeInfo;

static const TypeInfo types[TILE_PTX_NUM_TYPES] = {
    [TILE_PTX_NONE] = {"", 0, false, false},
    [TILE_PTX_B8] = {"b8", 1, false, false},
    [TILE_PTX_B16] = {"b16", 2, false, false},
    [TILE_PTX_B32] = {"b32", 4, false, false},
    [TILE_PTX_B64] = {"b64", 8, false, false},
    [TILE_PTX_B128] = {"b128", 16, false, false},
    [TILE_PTX_U8] = {"u8", 1, false, false},
    [TILE_PTX_U16] = {"u16", 2, false, false},
    [TILE_PTX_U32] = {"u32", 4, false, false},
    [TILE_PTX_U64] = {"u64", 8, false, false},
    [TILE_PTX_S8] = {"s8", 1, true, false},
    [TILE_PTX_S16] = {"s16", 2, true, false},
    [TILE_PTX_S32] = {"s32", 4, true, false},
    [TILE_PTX_S64] = {"s64", 8, true, false},
    [TILE_PTX_F16] = {"f16", 2, false, true},
    [TILE_PTX_F16X2] = {"f16x2", 4, false, false},
    [TILE_PTX_BF16] = {"bf16", 2, false, true},
    [TILE_PTX_BF16X2] = {"bf16x2", 4, false, false},
    [TILE_PTX_F32] = {"f32", 4, false, true},
    [TILE_PTX_F32X2] = {"f32x2", 8, false, false},
    [TILE_PTX_F64] = {"f64", 8, false, true},
    [TILE_PTX_TF32] = {"tf32", 4, false, true},
    [TILE_PTX_E4M3] = {"e4m3", 1, false, false},
    [TILE_PTX_E5M2] = {"e5m2", 1, false, false},
    [TILE_PTX_E4M3X2] = {"e4m3x2", 2, false, false},
    [TILE_PTX_E5M2X2] = {"e5m2x2", 2, false, false},
    [TILE_PTX_U16X2] = {"u16x2", 4, false, false},
    [TILE_PTX_S16X2] = {"s16x2", 4, true, false},
    [TILE_PTX_PRED] = {"pred", 0, false, false},
};

TilePtxType tile_emu_type_parse(const char *word) {
  for (unsigned type = TILE_PTX_NONE + 1; type < TILE_PTX_NUM_TYPES; type++)
    if (!strcmp(word, types[type].name))
      return (TilePtxType)type;
  return TILE_PTX_NONE;
}

uint32_t tile_emu_type_bytes(TilePtxType type) {
  return types[type].size_bytes;
}

uint32_t tile_emu_type_register_bytes(TilePtxType type) {
  uint32_t size_bytes = types[type].size_bytes;
  return size_bytes <= 4 ? 4 : size_bytes;
}

bool tile_emu_type_is_signed(TilePtxType type) { return types[type].is_signed; }

bool tile_emu_type_is_float(TilePtxType type) { return types[type].is_float; }

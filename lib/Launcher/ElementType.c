//===- ElementType.c - Names, sizes and numbers of element types ----------===//

#include "Support/SmallFloat.h"
#include "Tile/Launcher.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef enum { CLASS_FLOAT, CLASS_SIGNED, CLASS_UNSIGNED } NumberClass;

typedef struct {
  const char *name;
  size_t size_bytes;
  NumberClass number_class;
} ElementType;

static const ElementType element_types[] = {
    [TILE_DTYPE_F16] = {"f16", 2, CLASS_FLOAT},
    [TILE_DTYPE_BF16] = {"bf16", 2, CLASS_FLOAT},
    [TILE_DTYPE_F32] = {"f32", 4, CLASS_FLOAT},
    [TILE_DTYPE_F64] = {"f64", 8, CLASS_FLOAT},
    [TILE_DTYPE_TF32] = {"tf32", 4, CLASS_FLOAT},
    [TILE_DTYPE_F8E4M3FN] = {"f8E4M3FN", 1, CLASS_FLOAT},
    [TILE_DTYPE_F8E5M2] = {"f8E5M2", 1, CLASS_FLOAT},
    [TILE_DTYPE_I1] = {"i1", 1, CLASS_UNSIGNED},
    [TILE_DTYPE_I8] = {"i8", 1, CLASS_SIGNED},
    [TILE_DTYPE_I16] = {"i16", 2, CLASS_SIGNED},
    [TILE_DTYPE_I32] = {"i32", 4, CLASS_SIGNED},
    [TILE_DTYPE_I64] = {"i64", 8, CLASS_SIGNED},
    [TILE_DTYPE_U8] = {"u8", 1, CLASS_UNSIGNED},
    [TILE_DTYPE_U16] = {"u16", 2, CLASS_UNSIGNED},
    [TILE_DTYPE_U32] = {"u32", 4, CLASS_UNSIGNED},
    [TILE_DTYPE_U64] = {"u64", 8, CLASS_UNSIGNED},
    [TILE_DTYPE_INDEX] = {"index", 8, CLASS_SIGNED},
};

enum { NUM_ELEMENT_TYPES = sizeof element_types / sizeof element_types[0] };

const char *tile_dtype_name(TileDtype dtype) {
  return element_types[dtype].name;
}

bool tile_dtype_from_name(const char *name, TileDtype *out_dtype) {
  for (int i = 0; i < NUM_ELEMENT_TYPES; i++) {
    if (strcmp(name, element_types[i].name) == 0) {
      *out_dtype = (TileDtype)i;
      return true;
    }
  }
  return false;
}

size_t tile_dtype_size_bytes(TileDtype dtype) {
  return element_types[dtype].size_bytes;
}

bool tile_dtype_is_float(TileDtype dtype) {
  return element_types[dtype].number_class == CLASS_FLOAT;
}

void tile_dtype_int_range(TileDtype dtype, int64_t *out_min, int64_t *out_max) {
  assert(!tile_dtype_is_float(dtype));
  int num_bits = (int)(8 * tile_dtype_size_bytes(dtype));
  bool is_signed = element_types[dtype].number_class == CLASS_SIGNED;
  if (dtype == TILE_DTYPE_I1)
    num_bits = 1;
  if (num_bits == 64) {
    *out_max = INT64_MAX;
  } else {
    *out_max = (INT64_C(1) << (is_signed ? num_bits - 1 : num_bits)) - 1;
  }
  *out_min = is_signed ? -*out_max - 1 : 0;
}

TileTensorMapType tile_dtype_tensor_map_type(TileDtype dtype) {
  switch (dtype) {
  case TILE_DTYPE_F16:
    return TILE_TENSOR_MAP_F16;
  case TILE_DTYPE_BF16:
    return TILE_TENSOR_MAP_BF16;
  case TILE_DTYPE_F32:
    return TILE_TENSOR_MAP_F32;
  case TILE_DTYPE_F64:
    return TILE_TENSOR_MAP_F64;
  case TILE_DTYPE_TF32:
    return TILE_TENSOR_MAP_TF32;
  case TILE_DTYPE_I16:
  case TILE_DTYPE_U16:
    return TILE_TENSOR_MAP_U16;
  case TILE_DTYPE_I32:
    return TILE_TENSOR_MAP_I32;
  case TILE_DTYPE_U32:
    return TILE_TENSOR_MAP_U32;
  case TILE_DTYPE_I64:
  case TILE_DTYPE_INDEX:
    return TILE_TENSOR_MAP_I64;
  case TILE_DTYPE_U64:
    return TILE_TENSOR_MAP_U64;
  default:
    return TILE_TENSOR_MAP_U8; // the types of one byte
  }
}

/// The format of SmallFloat.h behind a type, or false for C's own types.
static bool small_float_of(TileDtype dtype, TileSmallFloat *out_format) {
  switch (dtype) {
  case TILE_DTYPE_F16:
    *out_format = TILE_SMALL_FLOAT_F16;
    return true;
  case TILE_DTYPE_BF16:
    *out_format = TILE_SMALL_FLOAT_BF16;
    return true;
  case TILE_DTYPE_TF32:
    *out_format = TILE_SMALL_FLOAT_TF32;
    return true;
  case TILE_DTYPE_F8E4M3FN:
    *out_format = TILE_SMALL_FLOAT_F8E4M3FN;
    return true;
  case TILE_DTYPE_F8E5M2:
    *out_format = TILE_SMALL_FLOAT_F8E5M2;
    return true;
  default:
    return false;
  }
}

static double load_real(TileDtype dtype, uint64_t bits) {
  TileSmallFloat format = TILE_SMALL_FLOAT_F16;
  if (small_float_of(dtype, &format))
    return tile_small_float_to_double(format, (uint32_t)bits);
  if (dtype == TILE_DTYPE_F32) {
    uint32_t low = (uint32_t)bits;
    float value = 0;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  double value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

TileNumber tile_dtype_load(TileDtype dtype, const void *memory) {
  size_t size_bytes = tile_dtype_size_bytes(dtype);
  uint64_t bits = 0;
  memcpy(&bits, memory, size_bytes); // hosts are little endian
  TileNumber number = {.dtype = dtype};
  if (tile_dtype_is_float(dtype)) {
    number.real = load_real(dtype, bits);
    return number;
  }
  if (element_types[dtype].number_class == CLASS_SIGNED && size_bytes < 8) {
    uint64_t sign_bit = UINT64_C(1) << (8 * size_bytes - 1);
    bits = (bits ^ sign_bit) - sign_bit;
  }
  number.integer = (int64_t)bits;
  return number;
}

static uint64_t real_to_bits(TileDtype dtype, double value) {
  TileSmallFloat format = TILE_SMALL_FLOAT_F16;
  if (small_float_of(dtype, &format))
    return tile_small_float_from_double(format, value);
  uint64_t bits = 0;
  if (dtype == TILE_DTYPE_F32) {
    float narrow = (float)value;
    memcpy(&bits, &narrow, sizeof narrow);
  } else {
    memcpy(&bits, &value, sizeof value);
  }
  return bits;
}

/// Cuts towards zero; what no 64-bit integer holds becomes the nearest one.
static int64_t real_to_integer(double value) {
  if (isnan(value))
    return 0;
  if (value >= 9223372036854775808.0)
    return INT64_MAX;
  if (value < -9223372036854775808.0)
    return INT64_MIN;
  return (int64_t)value;
}

void tile_dtype_store(TileDtype dtype, TileNumber number, void *memory) {
  bool is_real = tile_dtype_is_float(number.dtype);
  uint64_t bits = 0;
  if (tile_dtype_is_float(dtype)) {
    double value = number.dtype == TILE_DTYPE_U64
                       ? (double)(uint64_t)number.integer
                       : (double)number.integer;
    bits = real_to_bits(dtype, is_real ? number.real : value);
  } else {
    bits = (uint64_t)(is_real ? real_to_integer(number.real) : number.integer);
    if (dtype == TILE_DTYPE_I1)
      bits &= 1;
  }
  memcpy(memory, &bits, tile_dtype_size_bytes(dtype));
}

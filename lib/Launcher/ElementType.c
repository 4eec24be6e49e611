//===- ElementType.c - Numbers of element types ---------------------------===//

#include "Launcher.h"
#include "Support/DtypeTable.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *tile_dtype_name(TileDtype dtype) {
  return tile_dtype_info(dtype)->name;
}

bool tile_dtype_from_name(const char *name, TileDtype *out_dtype) {
  const TileDtypeInfo *info = tile_dtype_named(name);
  if (info)
    *out_dtype = info->dtype;
  return info != NULL;
}

size_t tile_dtype_size_bytes(TileDtype dtype) {
  return (size_t)tile_dtype_info(dtype)->size_bytes;
}

int tile_dtype_pack(TileDtype dtype) {
  return tile_dtype_info_pack(tile_dtype_info(dtype));
}

uint64_t tile_dtype_run_bytes(TileDtype dtype, uint64_t num_elems) {
  const TileDtypeInfo *info = tile_dtype_info(dtype);
  return tile_dtype_info_is_packed(info)
             ? (num_elems * (uint64_t)info->bits + 7) / 8
             : num_elems * (uint64_t)info->size_bytes;
}

bool tile_dtype_is_float(TileDtype dtype) {
  return tile_dtype_info_is_float(tile_dtype_info(dtype));
}

bool tile_dtype_is_complex(TileDtype dtype) {
  return tile_dtype_info_is_complex(tile_dtype_info(dtype));
}

bool tile_dtype_is_integer(TileDtype dtype) {
  return !tile_dtype_is_float(dtype) && !tile_dtype_is_complex(dtype);
}

size_t tile_dtype_align_bytes(TileDtype dtype) {
  size_t size_bytes = tile_dtype_size_bytes(dtype);
  return tile_dtype_is_complex(dtype) ? size_bytes / 2 : size_bytes;
}

static TileDtype part_of(TileDtype dtype) {
  return dtype == TILE_DTYPE_COMPLEX_F32 ? TILE_DTYPE_F32 : TILE_DTYPE_F64;
}

static bool is_signed_integer(TileDtype dtype) {
  return tile_dtype_info(dtype)->kind == TILE_NUMBER_SIGNED;
}

void tile_dtype_int_range(TileDtype dtype, int64_t *out_min, int64_t *out_max) {
  assert(tile_dtype_is_integer(dtype));
  int num_bits = tile_dtype_info(dtype)->bits;
  bool is_signed = is_signed_integer(dtype);
  if (num_bits == 64) {
    *out_max = INT64_MAX;
  } else {
    *out_max = (INT64_C(1) << (is_signed ? num_bits - 1 : num_bits)) - 1;
  }
  *out_min = is_signed ? -*out_max - 1 : 0;
}

TileTensorMapType tile_dtype_tensor_map_type(TileDtype dtype) {
  return tile_dtype_info(dtype)->tensor_map;
}

/// Whether C has no type for these floats.
static bool is_small_float(TileDtype dtype) {
  const TileDtypeInfo *info = tile_dtype_info(dtype);
  return info->bits < 32 || info->format.unused_bits;
}

static double load_real(TileDtype dtype, uint64_t bits) {
  if (is_small_float(dtype))
    return tile_small_float_to_double(dtype, (uint32_t)bits);
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

static TileNumber load_complex(TileDtype dtype, const void *memory) {
  TileDtype part = part_of(dtype);
  const unsigned char *bytes = memory;
  TileNumber real = tile_dtype_load(part, bytes);
  TileNumber imaginary =
      tile_dtype_load(part, bytes + tile_dtype_size_bytes(part));
  return (TileNumber){
      .dtype = dtype, .real = real.real, .imaginary = imaginary.real};
}

TileNumber tile_dtype_load(TileDtype dtype, const void *memory) {
  if (tile_dtype_is_complex(dtype))
    return load_complex(dtype, memory);
  size_t size_bytes = tile_dtype_size_bytes(dtype);
  uint64_t bits = 0;
  memcpy(&bits, memory, size_bytes); // hosts are little endian
  TileNumber number = {.dtype = dtype};
  if (tile_dtype_is_float(dtype)) {
    number.real = load_real(dtype, bits);
    return number;
  }
  if (is_signed_integer(dtype) && size_bytes < 8) {
    uint64_t sign_bit = UINT64_C(1) << (tile_dtype_info(dtype)->bits - 1);
    bits &= 2 * sign_bit - 1;
    bits = (bits ^ sign_bit) - sign_bit;
  }
  number.integer = (int64_t)bits;
  return number;
}

static uint64_t real_to_bits(TileDtype dtype, double value) {
  if (is_small_float(dtype))
    return tile_small_float_from_double(dtype, value);
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

static void store_complex(TileDtype dtype, TileNumber number, void *memory) {
  TileDtype part = part_of(dtype);
  unsigned char *bytes = memory;
  TileNumber imaginary = {.dtype = TILE_DTYPE_F64, .real = number.imaginary};
  tile_dtype_store(part, number, bytes);
  tile_dtype_store(part, imaginary, bytes + tile_dtype_size_bytes(part));
}

void tile_dtype_store(TileDtype dtype, TileNumber number, void *memory) {
  if (tile_dtype_is_complex(dtype)) {
    store_complex(dtype, number, memory);
    return;
  }
  bool is_real = !tile_dtype_is_integer(number.dtype);
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
    if (dtype == TILE_DTYPE_I4)
      bits &= 15;
  }
  memcpy(memory, &bits, tile_dtype_size_bytes(dtype));
}

//===- HostTensor.c - Strided tensors in host memory ----------------------===//

#include "Launcher.h"
#include "Support/DtypeTable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===-- Layout and memory -------------------------------------------------===//

/// The byte between and beside elements: NaN in every floating-point type but
/// f8E5M2 with payload bits, where it is NaN too.
enum { PADDING_BYTE = 0xFF };

void tile_tensor_set_contiguous(TileTensor *tensor) {
  int64_t stride = 1;
  tensor->offset = 0;
  for (int i = tensor->rank; i-- > 0;) {
    tensor->strides[i] = stride;
    if (__builtin_mul_overflow(stride, tensor->shape[i], &stride))
      stride = INT64_MAX; // refused by tile_tensor_alloc
  }
}

size_t tile_tensor_num_elems(const TileTensor *tensor) {
  size_t num_elems = 1;
  for (int i = 0; i < tensor->rank; i++)
    num_elems *= (size_t)tensor->shape[i];
  return num_elems;
}

/// Counts the elements from the start of the memory to the end of the last one.
static TileStatus count_extent(const TileTensor *tensor, int64_t *out_count) {
  int64_t last = tensor->offset, num_elems = 1;
  bool overflow = false;
  for (int i = 0; i < tensor->rank; i++) {
    int64_t extent = tensor->shape[i], span = 0;
    if (extent < 0)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "extent %d is %lld, expected at least 0", i,
                               (long long)extent);
    if (tensor->strides[i] < 0)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "stride %d is %lld, expected at least 0", i,
                               (long long)tensor->strides[i]);
    overflow |= __builtin_mul_overflow(num_elems, extent, &num_elems);
    overflow |= __builtin_mul_overflow(extent > 0 ? extent - 1 : 0,
                                       tensor->strides[i], &span);
    overflow |= __builtin_add_overflow(last, span, &last);
  }
  if (tensor->offset < 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "offset is %lld, expected at least 0",
                             (long long)tensor->offset);
  if (overflow || last > INT64_MAX / 16)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "tensor is too large for this machine");
  *out_count = num_elems > 0 ? last + 1 : tensor->offset;
  return tile_status_ok();
}

TileStatus tile_tensor_alloc(TileTensor *tensor) {
  tensor->data = NULL;
  tensor->size_bytes = 0;
  int64_t count = 0;
  TileStatus status = count_extent(tensor, &count);
  if (!tile_status_is_ok(&status))
    return status;
  size_t size_bytes =
      (size_t)tile_dtype_run_bytes(tensor->dtype, (uint64_t)count);
  tensor->data = malloc(size_bytes > 0 ? size_bytes : 1);
  if (!tensor->data)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "not enough memory for a tensor of %zu bytes",
                             size_bytes);
  memset(tensor->data, PADDING_BYTE, size_bytes);
  tensor->size_bytes = size_bytes;
  return tile_status_ok();
}

void tile_tensor_deinit(TileTensor *tensor) {
  free(tensor->data);
  *tensor = (TileTensor){0};
}

static int64_t elem_position(const TileTensor *tensor, size_t index) {
  int64_t position = tensor->offset;
  for (int i = tensor->rank; i-- > 0;) {
    size_t extent = (size_t)tensor->shape[i];
    position += (int64_t)(index % extent) * tensor->strides[i];
    index /= extent;
  }
  return position;
}

unsigned char *tile_tensor_elem(const TileTensor *tensor, size_t index) {
  return tensor->data + (size_t)elem_position(tensor, index) *
                            tile_dtype_size_bytes(tensor->dtype);
}

//===-- Elements that share bytes -----------------------------------------===//

// Little endian: the first element is in the low bits.
static unsigned read_bits(const TileTensor *tensor, int64_t position) {
  unsigned bits = (unsigned)tile_dtype_info(tensor->dtype)->bits;
  size_t first = (size_t)position * bits, byte = first / 8;
  unsigned word = tensor->data[byte];
  if (byte + 1 < tensor->size_bytes)
    word |= (unsigned)tensor->data[byte + 1] << 8;
  return (word >> first % 8) & ((1U << bits) - 1);
}

static void write_bits(TileTensor *tensor, int64_t position, unsigned code) {
  unsigned bits = (unsigned)tile_dtype_info(tensor->dtype)->bits;
  for (unsigned i = 0; i < bits; i++) {
    size_t at = (size_t)position * bits + i;
    unsigned mask = 1U << at % 8;
    unsigned char *byte = &tensor->data[at / 8];
    *byte = (unsigned char)(code >> i & 1 ? *byte | mask : *byte & ~mask);
  }
}

TileNumber tile_tensor_load(const TileTensor *tensor, size_t index) {
  if (tile_dtype_pack(tensor->dtype) == 1)
    return tile_dtype_load(tensor->dtype, tile_tensor_elem(tensor, index));
  unsigned char code =
      (unsigned char)read_bits(tensor, elem_position(tensor, index));
  return tile_dtype_load(tensor->dtype, &code);
}

static void store_elem(TileTensor *tensor, size_t index, TileNumber number) {
  if (tile_dtype_pack(tensor->dtype) == 1) {
    tile_dtype_store(tensor->dtype, number, tile_tensor_elem(tensor, index));
    return;
  }
  unsigned char code = 0;
  tile_dtype_store(tensor->dtype, number, &code);
  write_bits(tensor, elem_position(tensor, index), code);
}

//===-- Numbers -----------------------------------------------------------===//

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) as a function of the position
/// in the stream, so that an element does not depend on the ones before it.
static uint64_t random_bits(uint64_t seed, uint64_t position) {
  uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) +
               (position + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/// Sum of 12 uniform numbers less 6: deviation 1 exactly, and the same bits on
/// every machine, which logarithm and cosine do not promise.
static double random_normal(uint64_t seed, uint64_t index) {
  enum { NUM_DRAWS = 6 }; // of 64 bits, two uniform numbers each
  uint64_t sum = 0;
  for (uint64_t i = 0; i < NUM_DRAWS; i++) {
    uint64_t bits = random_bits(seed, index * NUM_DRAWS + i);
    sum += (bits >> 32) + (bits & UINT32_MAX);
  }
  return ldexp((double)sum, -32) - (double)NUM_DRAWS;
}

static int64_t random_int(TileDtype dtype, uint64_t seed, uint64_t index) {
  uint64_t bits = random_bits(seed, index) >> 32;
  if (dtype == TILE_DTYPE_I1)
    return (int64_t)(bits % 2);
  int64_t low = -2, high = 2;
  if (tile_dtype_is_integer(dtype)) {
    tile_dtype_int_range(dtype, &low, &high);
    low = low < 0 ? -2 : 0;
  }
  return low + (int64_t)(bits % (uint64_t)(3 - low));
}

static TileNumber fill_number(TileDtype dtype, TileFill fill, uint64_t seed,
                              uint64_t index) {
  if (fill == TILE_FILL_NORMAL)
    return (TileNumber){.dtype = TILE_DTYPE_F64,
                        .real = random_normal(seed, index)};
  TileNumber number = {.dtype = TILE_DTYPE_I64,
                       .integer = fill == TILE_FILL_ONES};
  if (fill == TILE_FILL_INTS)
    number.integer = random_int(dtype, seed, index);
  return number;
}

static double imaginary_part(TileFill fill, uint64_t seed, uint64_t index) {
  TileNumber number = fill_number(TILE_DTYPE_F64, fill, seed, index);
  return fill == TILE_FILL_NORMAL ? number.real : (double)number.integer;
}

TileStatus tile_tensor_fill(TileTensor *tensor, TileFill fill, uint64_t seed) {
  if (fill == TILE_FILL_NORMAL && tile_dtype_is_integer(tensor->dtype))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "'normal' needs a floating-point type, got %s",
                             tile_dtype_name(tensor->dtype));
  size_t num_elems = tile_tensor_num_elems(tensor);
  for (size_t i = 0; i < num_elems; i++) {
    TileNumber number = fill_number(tensor->dtype, fill, seed, i);
    if (tile_dtype_is_complex(tensor->dtype) && fill != TILE_FILL_ONES)
      number.imaginary = imaginary_part(fill, seed, num_elems + i);
    store_elem(tensor, i, number);
  }
  return tile_status_ok();
}

static TileStatus check_fits(TileNumber number, TileDtype target,
                             size_t index) {
  int64_t min = 0, max = 0;
  bool is_cut = tile_dtype_is_integer(target)
                    ? !tile_dtype_is_integer(number.dtype)
                    : tile_dtype_is_complex(number.dtype) &&
                          !tile_dtype_is_complex(target);
  if (is_cut)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "cannot convert %s to %s without loss",
        tile_dtype_name(number.dtype), tile_dtype_name(target));
  if (!tile_dtype_is_integer(target))
    return tile_status_ok();
  tile_dtype_int_range(target, &min, &max);
  bool is_huge = number.dtype == TILE_DTYPE_U64 && number.integer < 0;
  bool fits = number.integer >= min && number.integer <= max && !is_huge;
  if (!fits && number.dtype != target)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "element %zu is %lld, expected %lld to %lld",
        index, (long long)number.integer, (long long)min, (long long)max);
  return tile_status_ok();
}

TileStatus tile_tensor_convert(const TileTensor *source, TileTensor *target) {
  bool is_same_shape = source->rank == target->rank;
  for (int i = 0; is_same_shape && i < source->rank; i++)
    is_same_shape = source->shape[i] == target->shape[i];
  if (!is_same_shape)
    return tile_status_error(TILE_STATUS_USER_ERROR, "the shapes differ");

  size_t num_elems = tile_tensor_num_elems(source);
  for (size_t i = 0; i < num_elems; i++) {
    TileNumber number = tile_tensor_load(source, i);
    TileStatus status = check_fits(number, target->dtype, i);
    if (!tile_status_is_ok(&status))
      return status;
    store_elem(target, i, number);
  }
  return tile_status_ok();
}

//===-- Damage ------------------------------------------------------------===//

int64_t tile_tensor_find_damage(const TileTensor *before,
                                const TileTensor *after, bool is_read_only) {
  bool is_packed = tile_dtype_pack(before->dtype) > 1;
  size_t elem_bytes = tile_dtype_size_bytes(before->dtype);
  size_t num_slots = is_packed
                         ? before->size_bytes * 8 /
                               (size_t)tile_dtype_info(before->dtype)->bits
                         : before->size_bytes / elem_bytes;
  bool *may_change = calloc(num_slots > 0 ? num_slots : 1, sizeof *may_change);
  if (!may_change) // Safe: the check is merely skipped.
    return -1;
  size_t num_elems = is_read_only ? 0 : tile_tensor_num_elems(before);
  for (size_t i = 0; i < num_elems; i++)
    may_change[elem_position(before, i)] = true;

  int64_t damage = -1;
  for (size_t i = 0; i < num_slots && damage < 0; i++) {
    if (may_change[i])
      continue;
    bool is_same =
        is_packed
            ? read_bits(before, (int64_t)i) == read_bits(after, (int64_t)i)
            : memcmp(before->data + i * elem_bytes,
                     after->data + i * elem_bytes, elem_bytes) == 0;
    if (!is_same)
      damage = (int64_t)i;
  }
  free(may_change);
  return damage;
}

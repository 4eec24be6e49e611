//===- ArgMake.c - Tensors and numbers from argument texts ----------------===//

#include "Launcher.h"

#include <math.h>
#include <string.h>

//===-- Tensors -----------------------------------------------------------===//

/// Applies the @-suffix to a tensor whose shape is known.
static TileStatus apply_layout(const TileArgText *arg, TileTensor *tensor) {
  tile_tensor_set_contiguous(tensor);
  tensor->offset = arg->offset;
  int rank = tensor->rank;
  if (arg->num_strides == 0)
    return tile_status_ok();
  if (arg->num_strides == rank) {
    memcpy(tensor->strides, arg->strides, sizeof tensor->strides);
    return tile_status_ok();
  }
  if (arg->num_strides != 1 || rank < 2)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected 1 or %d strides after '@', got %d", rank,
                             arg->num_strides);
  int64_t stride = arg->strides[0]; // of the last but one dimension: the pitch
  for (int i = rank - 1; i-- > 0;) {
    tensor->strides[i] = stride;
    if (__builtin_mul_overflow(stride, tensor->shape[i], &stride))
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "tensor is too large for this machine");
  }
  return tile_status_ok();
}

static TileStatus make_fill(const TileArgText *arg, const TileDtype *dtype,
                            uint64_t default_seed, TileTensor *out_tensor) {
  if (dtype && arg->dtype != *dtype)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "expected element type %s, got %s",
        tile_dtype_name(*dtype), tile_dtype_name(arg->dtype));
  out_tensor->dtype = arg->dtype;
  out_tensor->rank = arg->rank;
  memcpy(out_tensor->shape, arg->shape, sizeof out_tensor->shape);
  TileStatus status = apply_layout(arg, out_tensor);
  if (tile_status_is_ok(&status))
    status = tile_tensor_alloc(out_tensor);
  if (tile_status_is_ok(&status))
    status = tile_tensor_fill(out_tensor, arg->fill,
                              arg->has_seed ? arg->seed : default_seed);
  return status;
}

static TileStatus make_npy(const TileArgText *arg, const TileDtype *dtype,
                           TileTensor *out_tensor) {
  if (dtype && arg->has_dtype && arg->dtype != *dtype)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "expected element type %s, got %s",
        tile_dtype_name(*dtype), tile_dtype_name(arg->dtype));
  TileTensor stored = {0};
  TileStatus status = tile_npy_read(arg->path, &stored);
  if (!tile_status_is_ok(&status))
    return status;
  *out_tensor = stored; // the shape; layout, type and memory follow
  out_tensor->data = NULL;
  out_tensor->dtype = arg->has_dtype ? arg->dtype
                      : dtype        ? *dtype
                                     : stored.dtype;
  status = apply_layout(arg, out_tensor);
  if (tile_status_is_ok(&status))
    status = tile_tensor_alloc(out_tensor);
  if (tile_status_is_ok(&status))
    status = tile_tensor_convert(&stored, out_tensor);
  tile_tensor_deinit(&stored);
  return status;
}

TileStatus tile_arg_text_make_tensor(const TileArgText *arg,
                                     const TileDtype *dtype,
                                     uint64_t default_seed,
                                     TileTensor *out_tensor) {
  *out_tensor = (TileTensor){0};
  TileStatus status = arg->kind == TILE_ARG_TEXT_NPY
                          ? make_npy(arg, dtype, out_tensor)
                          : make_fill(arg, dtype, default_seed, out_tensor);
  if (!tile_status_is_ok(&status))
    tile_tensor_deinit(out_tensor);
  return status;
}

//===-- Numbers -----------------------------------------------------------===//

/// An integer may be given as a signed or an unsigned number of its width.
static TileStatus check_integer(int64_t integer, TileDtype dtype) {
  int64_t min = 0, max = 0;
  tile_dtype_int_range(dtype, &min, &max);
  if (tile_dtype_size_bytes(dtype) == 8)
    return tile_status_ok();
  if (min < 0)
    max = 2 * max + 1;
  if (integer < min || integer > max)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected an %s from %lld to %lld, got %lld",
                             tile_dtype_name(dtype), (long long)min,
                             (long long)max, (long long)integer);
  return tile_status_ok();
}

TileStatus tile_arg_text_make_number(const TileArgText *arg,
                                     const TileDtype *dtype,
                                     TileNumber *out_number) {
  if (dtype && arg->has_dtype && arg->dtype != *dtype)
    return tile_status_error(TILE_STATUS_USER_ERROR, "expected type %s, got %s",
                             tile_dtype_name(*dtype),
                             tile_dtype_name(arg->dtype));
  if (!dtype && !arg->has_dtype)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a type before the number, such as "
                             "i32:42 or f32:1.5, got none");
  TileDtype type = dtype ? *dtype : arg->dtype;
  if (tile_dtype_is_complex(type))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a number of integers or floats, got %s",
                             tile_dtype_name(type));
  TileNumber number = {.dtype = TILE_DTYPE_I64, .integer = arg->integer};
  if (tile_dtype_is_float(type)) {
    number = (TileNumber){.dtype = TILE_DTYPE_F64, .real = arg->real};
  } else {
    if (!arg->is_integer)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "expected an integer of type %s, got %g",
                               tile_dtype_name(type), arg->real);
    TileStatus status = check_integer(arg->integer, type);
    if (!tile_status_is_ok(&status))
      return status;
  }
  unsigned char bytes[8] = {0}; // rounds or wraps to the type
  tile_dtype_store(type, number, bytes);
  *out_number = tile_dtype_load(type, bytes);
  return tile_status_ok();
}

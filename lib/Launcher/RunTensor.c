//===- RunTensor.c - DLPack tensors and numbers as arguments --------------===//
//
// Source of the numbers: dlpack.h, version 1.1.
//
//===----------------------------------------------------------------------===//

#include "RunDevice.h"

#include <string.h>

enum {
  DL_CPU = 1,
  DL_CUDA = 2,
  DL_CUDA_HOST = 3,
  DL_CUDA_MANAGED = 13,

  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
  DL_BFLOAT = 4,
  DL_BOOL = 6,
  DL_F8E4M3FN = 10,
  DL_F8E5M2 = 12
};

//===-- Element types -----------------------------------------------------===//

/// The code of a type in DLPack.
static int code_of(TileDtype dtype) {
  switch (dtype) {
  case TILE_DTYPE_BF16:
    return DL_BFLOAT;
  case TILE_DTYPE_F8E4M3FN:
    return DL_F8E4M3FN;
  case TILE_DTYPE_F8E5M2:
    return DL_F8E5M2;
  case TILE_DTYPE_I1:
    return DL_BOOL;
  default:
    return tile_dtype_is_float(dtype) ? DL_FLOAT : DL_INT;
  }
}

/// Integers have no sign in MLIR, and bytes may be whatever has one byte:
/// versions of DLPack before 1.1 have no floats of 8 bits.
static bool is_type(const TileDLTensor *tensor, TileDtype dtype) {
  int code = tensor->dtype.code;
  if (tensor->dtype.lanes != 1 ||
      tensor->dtype.bits != 8 * tile_dtype_size_bytes(dtype))
    return false;
  if (code == code_of(dtype) || (code == DL_UINT && code_of(dtype) == DL_INT))
    return true;
  return code == DL_UINT && tensor->dtype.bits == 8;
}

//===-- Tensors -----------------------------------------------------------===//

static TileStatus check_device(const TileDevice *device,
                               const TileDLTensor *tensor, uint64_t address) {
  int type = tensor->device.type;
  bool is_of_program = type == DL_CPU || type == DL_CUDA_HOST;
  bool is_of_gpu =
      type == DL_CUDA || type == DL_CUDA_HOST || type == DL_CUDA_MANAGED;
  if (tile_device_owns(device, address) ||
      (device->emu ? is_of_program : is_of_gpu))
    return tile_status_ok();
  return tile_status_error(
      TILE_STATUS_USER_ERROR,
      "expected a tensor in memory of the %s (DLPack device %s), got device "
      "%d; tile_memory_alloc gives such memory",
      device->emu ? "program" : "GPU", device->emu ? "1" : "2", type);
}

/// Shape and strides; strides that are not given are those of rows without
/// gaps.
static TileStatus read_layout(const TileDLTensor *tensor, TileArg *arg) {
  static const double max_elems = 1e14; // more than any memory
  double last = 0;
  int64_t next = 1;
  for (int i = arg->rank - 1; i >= 0; i--) {
    int64_t extent = tensor->shape[i];
    int64_t stride = tensor->strides ? tensor->strides[i] : next;
    if (extent < 0 || extent > TILE_LAUNCH_MAX_EXTENT)
      return tile_status_error(
          TILE_STATUS_USER_ERROR, "expected extent %d from 0 to %lld, got %lld",
          i, (long long)TILE_LAUNCH_MAX_EXTENT, (long long)extent);
    if (stride < 0)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "expected stride %d from 0 up, got %lld", i,
                               (long long)stride);
    last += (double)extent * (double)stride;
    if (last > max_elems)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "is larger than any memory");
    arg->shape[i] = extent;
    arg->strides[i] = stride;
    next = stride * (extent > 0 ? extent : 1);
  }
  return tile_status_ok();
}

static TileStatus read_tensor(const TileDevice *device,
                              const TileHostParam *param,
                              const TileDLTensor *tensor, TileArg *arg) {
  if (!tensor || tensor->ndim != param->rank ||
      (param->rank > 0 && !tensor->shape))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a tensor of rank %d, got %s%d",
                             param->rank, tensor ? "rank " : "none, rank ",
                             tensor ? tensor->ndim : 0);
  if (!is_type(tensor, param->dtype))
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "expected element type %s (DLPack code %d, %zu bits), got code %d, %d "
        "bits, %d lanes",
        tile_dtype_name(param->dtype), code_of(param->dtype),
        8 * tile_dtype_size_bytes(param->dtype), tensor->dtype.code,
        tensor->dtype.bits, tensor->dtype.lanes);
  arg->dtype = param->dtype;
  arg->rank = param->rank;
  arg->address = (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
  // What lies before the first element is part of a tensor only where its type
  // says so.
  if (param->offset > 0)
    arg->offset =
        (int64_t)(tensor->byte_offset / tile_dtype_size_bytes(param->dtype));
  TileStatus status = read_layout(tensor, arg);
  uint64_t size_bytes =
      tile_status_is_ok(&status) ? tile_launch_arg_size_bytes(arg) : 0;
  if (!tile_status_is_ok(&status) || size_bytes == 0)
    return status;
  if (!tensor->data)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected memory for %llu bytes, got NULL",
                             (unsigned long long)size_bytes);
  return check_device(device, tensor, arg->address);
}

uint64_t tile_launch_arg_size_bytes(const TileArg *arg) {
  uint64_t last = 0;
  for (int i = 0; i < arg->rank; i++) {
    if (arg->shape[i] == 0)
      return 0;
    last += (uint64_t)(arg->shape[i] - 1) * (uint64_t)arg->strides[i];
  }
  return (last + 1) * tile_dtype_size_bytes(arg->dtype);
}

//===-- Results -----------------------------------------------------------===//

void tile_launch_result_make(const TileDevice *device,
                             const TileHostValue *value,
                             TileLaunchResult *out_result) {
  const TileArg *arg = &value->value;
  *out_result = (TileLaunchResult){.integer = arg->scalar.integer,
                                   .real = arg->scalar.real,
                                   .memory = (void *)(uintptr_t)value->memory};
  if (arg->is_scalar) {
    bool is_float = tile_dtype_is_float(arg->scalar.dtype);
    out_result->kind = is_float ? TILE_ARG_FLOAT : TILE_ARG_INT;
    if (!is_float)
      out_result->real = (double)arg->scalar.integer;
    return;
  }
  out_result->kind = TILE_ARG_TENSOR;
  memcpy(out_result->shape, arg->shape, sizeof out_result->shape);
  memcpy(out_result->strides, arg->strides, sizeof out_result->strides);
  TileDLTensor *tensor = &out_result->tensor;
  tensor->data = (void *)(uintptr_t)arg->address;
  tensor->device.type = device->emu ? DL_CPU : DL_CUDA;
  tensor->device.id = device->ordinal;
  tensor->ndim = arg->rank;
  tensor->dtype.code = (uint8_t)code_of(arg->dtype);
  tensor->dtype.bits = (uint8_t)(8 * tile_dtype_size_bytes(arg->dtype));
  tensor->dtype.lanes = 1;
  tensor->shape = out_result->shape;
  tensor->strides = out_result->strides;
}

//===-- Numbers -----------------------------------------------------------===//

static TileStatus read_number(const TileHostParam *param,
                              const TileLaunchArg *given, TileArg *arg) {
  bool is_float = tile_dtype_is_float(param->dtype);
  int64_t min = 0, max = 0;
  arg->is_scalar = true;
  arg->scalar = (TileNumber){
      .dtype = param->dtype, .integer = given->integer, .real = given->real};
  if (is_float)
    return tile_status_ok();
  if (given->kind == TILE_ARG_FLOAT)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected an integer of type %s, got the float %g",
                             tile_dtype_name(param->dtype), given->real);
  tile_dtype_int_range(param->dtype, &min, &max);
  if (given->integer >= min && given->integer <= max)
    return tile_status_ok();
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "expected a %s from %lld to %lld, got %lld",
                           tile_dtype_name(param->dtype), (long long)min,
                           (long long)max, (long long)given->integer);
}

TileStatus tile_launch_arg_read(const TileDevice *device,
                                const TileHostParam *param,
                                const TileLaunchArg *given, TileArg *out_arg) {
  *out_arg = (TileArg){.is_scalar = false};
  if (param->is_scalar != (given->kind != TILE_ARG_TENSOR))
    return tile_status_error(TILE_STATUS_USER_ERROR, "expected a %s, got a %s",
                             param->is_scalar ? "number" : "tensor",
                             param->is_scalar ? "tensor" : "number");
  return param->is_scalar ? read_number(param, given, out_arg)
                          : read_tensor(device, param, given->tensor, out_arg);
}

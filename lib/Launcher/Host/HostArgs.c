//===- HostArgs.c - Checks arguments against a host function --------------===//

#include "Launcher/Host/HostFunction.h"
#include "Support/DtypeTable.h"

#include <stdarg.h>
#include <string.h>

/// Builds "NAME: argument I ('A'): …".
static TileStatus arg_error(const TileHostFunction *function, size_t index,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static TileStatus arg_error(const TileHostFunction *function, size_t index,
                            const char *format, ...) {
  char what[400];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: argument %zu ('%s'): %s", function->name, index,
                           function->params[index].name, what);
}

//===-- One tensor --------------------------------------------------------===//

static bool is_empty(const TileArg *arg) {
  for (int i = 0; i < arg->rank; i++) {
    if (arg->shape[i] == 0)
      return true;
  }
  return false;
}

static TileStatus check_extents(const TileHostFunction *function, size_t index,
                                const TileArg *arg) {
  const TileHostParam *param = &function->params[index];
  for (int i = 0; i < param->rank; i++) {
    if (param->shape[i] >= 0 && arg->shape[i] != param->shape[i])
      return arg_error(function, index,
                       "expected extent %d to be %lld, got %lld", i,
                       (long long)param->shape[i], (long long)arg->shape[i]);
    if (arg->shape[i] < 0 || arg->shape[i] > TILE_LAUNCH_MAX_EXTENT)
      return arg_error(
          function, index, "expected extent %d to be at most %lld, got %lld", i,
          (long long)TILE_LAUNCH_MAX_EXTENT, (long long)arg->shape[i]);
    // A stride that no address depends on may be any.
    bool is_used = arg->shape[i] != 1 && !is_empty(arg);
    if (is_used && param->strides[i] >= 0 &&
        arg->strides[i] != param->strides[i])
      return arg_error(
          function, index, "expected stride %d to be %lld, got %lld", i,
          (long long)param->strides[i], (long long)arg->strides[i]);
  }
  if (param->offset >= 0 && arg->offset != param->offset)
    return arg_error(function, index, "expected offset %lld, got %lld",
                     (long long)param->offset, (long long)arg->offset);
  return tile_status_ok();
}

// Rows of elements that share bytes begin and end with whole ones.
static TileStatus check_packed(const TileHostFunction *function, size_t index,
                               const TileArg *arg) {
  int pack = tile_dtype_pack(arg->dtype);
  for (int i = 0; i < arg->rank && pack > 1; i++) {
    bool is_last = i + 1 == arg->rank, is_used = arg->shape[i] > 1;
    if (is_last && arg->shape[i] % pack != 0)
      return arg_error(function, index,
                       "expected extent %d to be a multiple of %d, of which "
                       "elements of type %s fill whole bytes, got %lld",
                       i, pack, tile_dtype_name(arg->dtype),
                       (long long)arg->shape[i]);
    if (is_used && (is_last ? arg->strides[i] != 1 : arg->strides[i] % pack))
      return arg_error(function, index,
                       "expected stride %d to be %s%d of elements of type %s, "
                       "got %lld",
                       i, is_last ? "" : "a multiple of ", is_last ? 1 : pack,
                       tile_dtype_name(arg->dtype), (long long)arg->strides[i]);
  }
  return tile_status_ok();
}

static TileStatus check_arg(const TileHostFunction *function, size_t index,
                            const TileArg *arg) {
  const TileHostParam *param = &function->params[index];
  if (arg->is_scalar != param->is_scalar)
    return arg_error(function, index, "expected a %s, got a %s",
                     param->is_scalar ? "scalar" : "tensor",
                     arg->is_scalar ? "scalar" : "tensor");
  TileDtype dtype = arg->is_scalar ? arg->scalar.dtype : arg->dtype;
  if (dtype != param->dtype)
    return arg_error(function, index, "expected %s %s, got %s",
                     arg->is_scalar ? "type" : "element type",
                     tile_dtype_name(param->dtype), tile_dtype_name(dtype));
  if (arg->is_scalar)
    return tile_status_ok();
  if (arg->rank != param->rank)
    return arg_error(function, index, "expected rank %d, got %d", param->rank,
                     arg->rank);
  size_t align_bytes = tile_dtype_align_bytes(dtype);
  if (arg->address % align_bytes != 0)
    return arg_error(function, index,
                     "expected an address that is a multiple of %zu bytes, got "
                     "0x%llx",
                     align_bytes, (unsigned long long)arg->address);
  TileStatus status = check_packed(function, index, arg);
  return tile_status_is_ok(&status) ? check_extents(function, index, arg)
                                    : status;
}

//===-- Overlap -----------------------------------------------------------===//

/// The bytes from the first to the end of the last element; empty: end = start.
static void byte_range(const TileArg *arg, uint64_t *out_start,
                       uint64_t *out_end) {
  uint64_t last_elem = 0;
  *out_start = *out_end = arg->address;
  if (is_empty(arg))
    return;
  for (int i = 0; i < arg->rank; i++)
    last_elem += (uint64_t)(arg->shape[i] - 1) * (uint64_t)arg->strides[i];
  *out_end += tile_dtype_run_bytes(arg->dtype, last_elem + 1);
}

static TileStatus check_overlap(const TileHostFunction *function,
                                const TileArg *args, size_t a, size_t b) {
  const TileHostParam *params = function->params;
  if (params[a].is_scalar || params[b].is_scalar)
    return tile_status_ok();
  if (!params[a].is_mutable && !params[b].is_mutable)
    return tile_status_ok();
  uint64_t start_a = 0, end_a = 0, start_b = 0, end_b = 0;
  byte_range(&args[a], &start_a, &end_a);
  byte_range(&args[b], &start_b, &end_b);
  bool has_no_bytes = start_a == end_a || start_b == end_b;
  if (has_no_bytes || end_a <= start_b || end_b <= start_a)
    return tile_status_ok();
  size_t written = params[b].is_mutable ? b : a;
  size_t other = written == a ? b : a;
  return arg_error(function, written,
                   "expected memory of its own because it is written, got "
                   "memory that overlaps argument %zu ('%s')",
                   other, params[other].name);
}

//===-- As kernels know them ----------------------------------------------===//

void tile_host_function_code_args(const TileHostFunction *function,
                                  TileArg *args) {
  for (int i = 0; i < function->num_params; i++) {
    const TileDtypeInfo *info = tile_dtype_info(function->params[i].dtype);
    int pack = tile_dtype_info_pack(info);
    int bytes = tile_dtype_info_pack_bytes(info);
    if (args[i].is_scalar || pack == 1)
      continue;
    for (int d = 0; d < args[i].rank; d++)
      if (d + 1 == args[i].rank)
        args[i].shape[d] = args[i].shape[d] / pack * bytes;
      else
        args[i].strides[d] = args[i].strides[d] / pack * bytes;
    args[i].offset = args[i].offset / pack * bytes;
  }
}

//===-- Entry -------------------------------------------------------------===//

TileStatus tile_host_function_check_args(const TileHostFunction *function,
                                         const TileArg *args, size_t num_args) {
  if (num_args != (size_t)function->num_params)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected %d arguments, got %zu",
                             function->name, function->num_params, num_args);
  for (size_t i = 0; i < num_args; i++) {
    TileStatus status = check_arg(function, i, &args[i]);
    if (!tile_status_is_ok(&status))
      return status;
  }
  for (size_t b = 0; b < num_args && !function->may_alias; b++) {
    for (size_t a = 0; a < b; a++) {
      TileStatus status = check_overlap(function, args, a, b);
      if (!tile_status_is_ok(&status))
        return status;
    }
  }
  return tile_status_ok();
}

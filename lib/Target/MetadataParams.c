//===- MetadataParams.c - Parameters of a launch --------------------------===//
//
// The expansion of operands is that of Tile/KernelParams.h; this file says
// where each parameter comes from.
//
//===----------------------------------------------------------------------===//

#include "Dialect/KernelParams.h"
#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Target/MetadataInternal.h"

MlirLogicalResult tile_host_print_rows(TileString *out, const char *key,
                                       const int *rows, int count) {
  tile_string_print(out, "\"%s\": [", key);
  for (int i = 0; i < count; i++) {
    if (rows[i] < 0)
      return tile_failure();
    tile_string_print(out, "%s%d", i ? ", " : "", rows[i]);
  }
  tile_string_print(out, "]");
  return tile_success();
}

// The dimensions of pixels in reverse, as in the driver API.
static void print_corner(const char *key, MlirAttribute corner,
                         TileString *out) {
  intptr_t count = mlirDenseArrayGetNumElements(corner);
  for (intptr_t i = 0; i < count; i++)
    tile_string_print(
        out, "%s%lld", i ? ", " : key,
        (long long)mlirDenseI64ArrayGetElement(corner, count - 1 - i));
}

static void print_boxes(TileTensorMapOp map, int rank, TileString *out) {
  bool is_im2col = !mlirAttributeIsNull(tile_tensor_map_step_attr(map));
  if (is_im2col) {
    print_corner(", \"pixel_box_lower\": [", tile_tensor_map_lower_attr(map),
                 out);
    print_corner("], \"pixel_box_upper\": [", tile_tensor_map_upper_attr(map),
                 out);
    tile_string_print(
        out, "], \"channels_per_pixel\": %lld, \"pixels_per_column\": %lld",
        (long long)tile_tensor_map_box(map, 1),
        (long long)tile_tensor_map_box(map, 0));
  }
  for (int i = 0; !is_im2col && i < rank; i++)
    tile_string_print(out, "%s%lld", i ? ", " : ", \"box\": [",
                      (long long)tile_tensor_map_box(map, rank - 1 - i));
  tile_string_print(out, "%s, \"elem_strides\": [", is_im2col ? "" : "]");
  for (int i = 0; i < rank; i++) {
    bool is_pixel = is_im2col && i > 0 && i < rank - 1;
    tile_string_print(
        out, "%s%lld", i ? ", " : "",
        (long long)(is_pixel ? tile_tensor_map_step(map, rank - 2 - i) : 1));
  }
}

// Dimensions of a tensor map are counted from the contiguous one, those of a
// memref towards it.
static MlirLogicalResult print_tensor_map(TileHost *host, MlirValue operand,
                                          TileString *out) {
  TileSlice *slice = &host->slice;
  TileTensorMapOp map = {{NULL}};
  if (mlirValueIsAOpResult(operand))
    map = tile_tensor_map_dyn(mlirOpResultGetOwner(operand));
  int arg =
      map.op.ptr ? tile_slice_arg(slice, tile_tensor_map_tensor(map)) : -1;
  if (arg < 0)
    return tile_emit_error(map.op.ptr ? map.op : slice->user,
                           "needs a tensor map of an argument of the host "
                           "function");
  MlirType type = mlirValueGetType(tile_tensor_map_tensor(map));
  MlirType element = mlirShapedTypeGetElementType(type);
  char dtype[TILE_DTYPE_NAME_BYTES];
  if (!tile_host_dtype_name(element, dtype))
    return tile_emit_internal_error(map.op, "its elements have no dtype");

  int rank = (int)mlirShapedTypeGetRank(type);
  int dims[TILE_MAX_RANK], strides[TILE_MAX_RANK];
  int elem_bytes = tile_slice_constant(slice, tile_elem_bits(element) / 8);
  for (int i = 0; i < rank; i++) {
    int d = rank - 1 - i;
    dims[i] = tile_slice_extent(slice, arg, d);
    strides[i] = i == 0 ? elem_bytes
                        : tile_slice_binary(slice, "arith.muli",
                                            tile_slice_stride(slice, arg, d),
                                            elem_bytes);
  }
  tile_string_print(
      out, "{\"kind\": \"tensor_map\", \"arg\": %d, \"dtype\": \"%s\", ", arg,
      dtype);
  if (tile_failed(tile_host_print_rows(out, "dims", dims, rank)))
    return tile_failure();
  tile_string_print(out, ", ");
  if (tile_failed(
          tile_host_print_rows(out, "strides_bytes", strides + 1, rank - 1)))
    return tile_failure();
  print_boxes(map, rank, out);
  tile_string_print(out, "], \"swizzle_bytes\": %lld, \"oob\": \"zero\"}",
                    (long long)tile_tensor_map_swizzle(map));
  return tile_success();
}

static MlirLogicalResult print_scalar_param(TileHost *host, int row,
                                            MlirType type, TileString *out) {
  char dtype[TILE_DTYPE_NAME_BYTES];
  if (row < 0)
    return tile_failure();
  if (!tile_host_dtype_name(type, dtype))
    return tile_emit_error(host->slice.user,
                           "passes a scalar of a type that has no dtype");
  tile_string_print(out,
                    "{\"kind\": \"scalar\", \"type\": \"%s\", \"value\": %d}",
                    dtype, row);
  return tile_success();
}

static MlirLogicalResult print_param(TileHost *host, MlirValue operand,
                                     const TileKernelParam *param,
                                     TileString *out) {
  TileSlice *slice = &host->slice;
  if (param->kind == TILE_KERNEL_PARAM_TENSOR_MAP)
    return print_tensor_map(host, operand, out);
  if (param->kind == TILE_KERNEL_PARAM_SCALAR)
    return print_scalar_param(host, tile_slice_value(slice, operand),
                              param->type, out);
  int arg = tile_slice_arg(slice, operand);
  if (param->kind == TILE_KERNEL_PARAM_POINTER)
    tile_string_print(out, "{\"kind\": \"pointer\", \"arg\": %d}", arg);
  else if (param->kind == TILE_KERNEL_PARAM_EXTENT)
    return print_scalar_param(host, tile_slice_extent(slice, arg, param->dim),
                              param->type, out);
  else
    return print_scalar_param(host, tile_slice_stride(slice, arg, param->dim),
                              param->type, out);
  return tile_success();
}

MlirLogicalResult tile_host_print_operand(TileHost *host, MlirValue operand,
                                          bool *is_first, TileString *out) {
  MlirType type = mlirValueGetType(operand);
  TileKernelParam params[TILE_KERNEL_MAX_PARAMS];
  int count = tile_kernel_params_of_type(type, params);
  if (count < 0 ||
      (mlirTypeIsAMemRef(type) && tile_slice_arg(&host->slice, operand) < 0))
    return tile_emit_error(host->slice.user,
                           "passes a kernel operand that is neither an "
                           "argument of the host function, a tensor map nor a "
                           "scalar");
  for (int i = 0; i < count; i++) {
    tile_string_print(out, "%s\n        ", *is_first ? "" : ",");
    *is_first = false;
    if (tile_failed(print_param(host, operand, &params[i], out)))
      return tile_failure();
  }
  return tile_success();
}

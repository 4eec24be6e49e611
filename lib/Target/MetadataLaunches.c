//===- MetadataLaunches.c - Launches of a host function -------------------===//
//
// The expansion of operands is that of Dialect/KernelParams.h; this file says
// where each parameter comes from, and which arguments a kernel may write.
//
//===----------------------------------------------------------------------===//

#include "Dialect/KernelParams.h"
#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Target/Metadata.h"
#include "Target/Symbols.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include <stdlib.h>
#include <string.h>

//===-- Values ------------------------------------------------------------===//

// Fails without a message when a row is negative: the slice has reported it.
static MlirLogicalResult print_rows(TileJson *json, const char *key,
                                    const int *rows, int count) {
  tile_json_open(json, key, '[');
  for (int i = 0; i < count; i++) {
    if (rows[i] < 0)
      return tile_failure();
    tile_json_print_int(json, NULL, rows[i]);
  }
  tile_json_close(json, ']');
  return tile_success();
}

//===-- Parameters --------------------------------------------------------===//

// The dimensions of pixels in reverse, as in the driver API.
static void print_corner(TileJson *json, const char *key,
                         MlirAttribute corner) {
  intptr_t count = mlirDenseArrayGetNumElements(corner);
  tile_json_open(json, key, '[');
  for (intptr_t i = 0; i < count; i++)
    tile_json_print_int(json, NULL,
                        mlirDenseI64ArrayGetElement(corner, count - 1 - i));
  tile_json_close(json, ']');
}

static void print_boxes(TileJson *json, TileTensorMapOp map, int rank) {
  bool is_im2col = !mlirAttributeIsNull(tile_tensor_map_step_attr(map));
  if (is_im2col) {
    print_corner(json, "pixel_box_lower", tile_tensor_map_lower_attr(map));
    print_corner(json, "pixel_box_upper", tile_tensor_map_upper_attr(map));
    tile_json_print_int(json, "channels_per_pixel",
                        tile_tensor_map_box(map, 1));
    tile_json_print_int(json, "pixels_per_column", tile_tensor_map_box(map, 0));
  } else {
    tile_json_open(json, "box", '[');
    for (int i = 0; i < rank; i++)
      tile_json_print_int(json, NULL, tile_tensor_map_box(map, rank - 1 - i));
    tile_json_close(json, ']');
  }
  tile_json_open(json, "elem_strides", '[');
  for (int i = 0; i < rank; i++) {
    bool is_pixel = is_im2col && i > 0 && i < rank - 1;
    tile_json_print_int(json, NULL,
                        is_pixel ? tile_tensor_map_step(map, rank - 2 - i) : 1);
  }
  tile_json_close(json, ']');
}

// Dimensions of a tensor map are counted from the contiguous one, those of a
// memref towards it.
static MlirLogicalResult print_tensor_map(TileHost *host, MlirValue operand,
                                          TileJson *json) {
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
  const TileDtypeInfo *dtype = tile_elem_info(element);
  if (!dtype)
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
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "kind", "tensor_map");
  tile_json_print_int(json, "arg", arg);
  tile_json_print_string(json, "dtype", dtype->name);
  if (tile_failed(print_rows(json, "dims", dims, rank)) ||
      tile_failed(print_rows(json, "strides_bytes", strides + 1, rank - 1)))
    return tile_failure();
  print_boxes(json, map, rank);
  tile_json_print_int(json, "swizzle_bytes", tile_tensor_map_swizzle(map));
  tile_json_print_string(json, "oob", "zero");
  tile_json_close(json, '}');
  return tile_success();
}

static MlirLogicalResult print_scalar(TileHost *host, int row, MlirType type,
                                      TileJson *json) {
  const TileDtypeInfo *dtype = tile_elem_info(type);
  if (row < 0)
    return tile_failure();
  if (!dtype)
    return tile_emit_error(host->slice.user,
                           "passes a scalar of a type that has no dtype");
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "kind", "scalar");
  tile_json_print_string(json, "type", dtype->name);
  tile_json_print_int(json, "value", row);
  tile_json_close(json, '}');
  return tile_success();
}

static void print_pointer(int arg, TileJson *json) {
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "kind", "pointer");
  tile_json_print_int(json, "arg", arg);
  tile_json_close(json, '}');
}

static MlirLogicalResult print_param(TileHost *host, MlirValue operand,
                                     const TileKernelParam *param,
                                     TileJson *json) {
  TileSlice *slice = &host->slice;
  if (param->kind == TILE_KERNEL_PARAM_TENSOR_MAP)
    return print_tensor_map(host, operand, json);
  if (param->kind == TILE_KERNEL_PARAM_SCALAR)
    return print_scalar(host, tile_slice_value(slice, operand), param->type,
                        json);
  int arg = tile_slice_arg(slice, operand);
  if (param->kind == TILE_KERNEL_PARAM_POINTER)
    print_pointer(arg, json);
  else if (param->kind == TILE_KERNEL_PARAM_EXTENT)
    return print_scalar(host, tile_slice_extent(slice, arg, param->dim),
                        param->type, json);
  else
    return print_scalar(host, tile_slice_stride(slice, arg, param->dim),
                        param->type, json);
  return tile_success();
}

static MlirLogicalResult print_operand(TileHost *host, MlirValue operand,
                                       TileJson *json) {
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
    tile_json_break(json);
    if (tile_failed(print_param(host, operand, &params[i], json)))
      return tile_failure();
  }
  return tile_success();
}

//===-- What a kernel may write -------------------------------------------===//
//
// Follows an argument forward through views to its uses. A use that is not
// understood counts as a write: the launcher then merely checks more.

enum { MAX_VIEW_DEPTH = 100 }; // views of views; deeper counts as written

typedef struct {
  MlirValue value;
  bool writes;
} EffectSearch;

static void on_write_effect(TileEffectKind kind, MlirValue value,
                            MlirStringRef resource, void *user_data) {
  EffectSearch *search = user_data;
  (void)resource;
  if (kind == TILE_EFFECT_WRITE && mlirValueEqual(value, search->value))
    search->writes = true;
}

// Ops whose results are the same memory as their first operand.
static bool is_view(MlirOperation op) {
  return tile_region_is(op) || tile_im2col_is(op) || memref_subview_is(op) ||
         memref_cast_is(op) || memref_reinterpret_cast_is(op) ||
         memref_collapse_shape_is(op) || memref_expand_shape_is(op);
}

// What is written through them is not followed.
static bool is_map_or_address(MlirOperation op) {
  return tile_tensor_map_is(op) || tile_address_is(op);
}

// Ops that read the descriptor, not the memory. An extracted address escapes.
static bool reads_descriptor_only(MlirOperation op) {
  return memref_dim_is(op);
}

static bool value_may_be_written(MlirValue value, int depth);

static bool use_may_write(MlirOperation op, MlirValue value, int depth) {
  if (is_view(op))
    return value_may_be_written(mlirOperationGetResult(op, 0), depth + 1);
  if (reads_descriptor_only(op))
    return false;
  if (is_map_or_address(op) ||
      (mlirOperationGetNumResults(op) > 0 && mlirxIsMemoryEffectFree(op)))
    return true; // a view or an address that is not followed
  EffectSearch search = {value, false};
  bool is_known = mlirxEffects(op, false, on_write_effect, &search);
  return !is_known || search.writes;
}

static bool value_may_be_written(MlirValue value, int depth) {
  if (depth > MAX_VIEW_DEPTH)
    return true;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (use_may_write(mlirOpOperandGetOwner(use), value, depth))
      return true;
  return false;
}

// False only when no op of `kernel` writes through its argument number
// `operand`, a memref. Kernels that are no gpu.func any more, and arguments
// whose address escapes, count as written.
static bool kernel_may_write(MlirOperation kernel, int operand) {
  if (!gpu_func_is(kernel))
    return true;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  if (mlirBlockIsNull(entry) || operand >= mlirBlockGetNumArguments(entry))
    return true;
  return value_may_be_written(mlirBlockGetArgument(entry, operand), 0);
}

static MlirOperation find_symbol(MlirOperation table, MlirStringRef name) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(table, 0));
  TILE_FOR_EACH_OP (op, body) {
    if (mlirStringRefEqual(tile_symbol_name(op), name))
      return op;
  }
  return (MlirOperation){NULL};
}

// The verifier of gpu.launch_func has checked that the kernel exists.
static MlirOperation find_kernel(const TileHost *host, MlirAttribute symbol) {
  MlirOperation module = mlirOperationGetParentOperation(host->function);
  MlirOperation gpu_module =
      find_symbol(module, mlirSymbolRefAttrGetRootReference(symbol));
  return find_symbol(gpu_module, mlirSymbolRefAttrGetLeafReference(symbol));
}

static void note_writes(TileHost *host, GPULaunchFuncOp launch) {
  MlirOperation kernel = find_kernel(host, gpu_launch_func_kernel_attr(launch));
  TileRange operands = gpu_launch_func_kernelOperands(launch);
  for (int i = 0; i < operands.n; i++) {
    MlirValue operand = tile_range_at(operands, i);
    int arg = tile_slice_arg(&host->slice, operand);
    if (arg >= 0 && mlirTypeIsAMemRef(mlirValueGetType(operand)) &&
        kernel_may_write(kernel, i))
      host->is_written[arg] = true;
  }
}

//===-- Launches ----------------------------------------------------------===//

static MlirLogicalResult constant_of(GPULaunchFuncOp launch, MlirValue value,
                                     const char *what, int64_t initial,
                                     int64_t *out_constant) {
  *out_constant = initial;
  if (mlirValueIsNull(value) || mlirxConstantInt(value, out_constant))
    return tile_success();
  return tile_emit_error(launch.op, "needs a constant %s", what);
}

static MlirLogicalResult print_cluster(GPULaunchFuncOp launch, TileJson *json) {
  MlirValue sizes[3] = {gpu_launch_func_clusterSizeX(launch),
                        gpu_launch_func_clusterSizeY(launch),
                        gpu_launch_func_clusterSizeZ(launch)};
  tile_json_open(json, "cluster", '[');
  for (int i = 0; i < 3; i++) {
    int64_t size;
    if (tile_failed(constant_of(launch, sizes[i], "cluster size", 1, &size)))
      return tile_failure();
    tile_json_print_int(json, NULL, size);
  }
  tile_json_close(json, ']');
  return tile_success();
}

static MlirLogicalResult print_extents(TileHost *host, GPULaunchFuncOp launch,
                                       TileJson *json) {
  TileSlice *slice = &host->slice;
  int grid[3] = {tile_slice_value(slice, gpu_launch_func_gridSizeX(launch)),
                 tile_slice_value(slice, gpu_launch_func_gridSizeY(launch)),
                 tile_slice_value(slice, gpu_launch_func_gridSizeZ(launch))};
  int block[3] = {tile_slice_value(slice, gpu_launch_func_blockSizeX(launch)),
                  tile_slice_value(slice, gpu_launch_func_blockSizeY(launch)),
                  tile_slice_value(slice, gpu_launch_func_blockSizeZ(launch))};
  tile_json_break(json);
  if (tile_failed(print_rows(json, "grid", grid, 3)) ||
      tile_failed(print_rows(json, "block", block, 3)) ||
      tile_failed(print_cluster(launch, json)))
    return tile_failure();
  int64_t smem_bytes;
  if (tile_failed(constant_of(launch,
                              gpu_launch_func_dynamicSharedMemorySize(launch),
                              "dynamic shared memory size", 0, &smem_bytes)))
    return tile_failure();
  tile_json_break(json);
  tile_json_print_int(json, "dynamic_smem_bytes", smem_bytes);
  return tile_success();
}

MlirLogicalResult tile_host_print_launch(TileHost *host, MlirOperation op,
                                         TileJson *json) {
  GPULaunchFuncOp launch = gpu_launch_func_cast(op);
  host->slice.user = op;
  if (gpu_launch_func_asyncDependencies(launch).n ||
      !mlirValueIsNull(gpu_launch_func_asyncToken(launch)))
    return tile_emit_error(op, "is asynchronous; launches of a host "
                               "function run in order");
  if (tile_failed(print_extents(host, launch, json)))
    return tile_failure();
  TileRange operands = gpu_launch_func_kernelOperands(launch);
  tile_json_break(json);
  tile_json_open(json, "params", '[');
  for (intptr_t i = 0; i < operands.n; i++)
    if (tile_failed(print_operand(host, tile_range_at(operands, i), json)))
      return tile_failure();
  tile_json_close(json, ']');
  note_writes(host, launch);
  return tile_success();
}

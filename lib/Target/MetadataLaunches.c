//===- MetadataLaunches.c - Launches of a host function -------------------===//
//
// The expansion of operands is that of Dialect/KernelParams.h; this file says
// where each parameter comes from, and which arguments a kernel may write.
//
//===----------------------------------------------------------------------===//

#include "Dialect/KernelParams.h"
#include "Dialect/MemrefWrites.h"
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

// How many places windows have in a dimension that the kernel ends; 0: in one
// that it does not.
static int64_t ended_extent(TileTensorMapOp map, int dim) {
  MlirAttribute ends = tile_tensor_map_ends_attr(map);
  return mlirAttributeIsNull(ends) ? 0 : mlirDenseI64ArrayGetElement(ends, dim);
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
    for (int i = 0; i < rank; i++) {
      tile_json_print_int(json, NULL, tile_tensor_map_box(map, rank - 1 - i));
      if (ended_extent(map, rank - 1 - i))
        tile_json_print_int(json, NULL, 1);
    }
    tile_json_close(json, ']');
  }
  tile_json_open(json, "elem_strides", '[');
  for (int i = 0; i < rank; i++) {
    if (ended_extent(map, rank - 1 - i))
      tile_json_print_int(json, NULL, 1);
    bool is_pixel = is_im2col && i > 0 && i < rank - 1;
    tile_json_print_int(json, NULL,
                        is_pixel ? tile_tensor_map_step(map, rank - 2 - i) : 1);
  }
  tile_json_close(json, ']');
}

// An argument by its number, other memory by its address.
static MlirLogicalResult print_memory(TileHost *host, MlirValue memref,
                                      TileJson *json) {
  int arg = tile_slice_arg(&host->slice, memref);
  if (arg >= 0) {
    tile_json_print_int(json, "arg", arg);
    return tile_success();
  }
  int address = tile_slice_pointer(&host->slice, memref);
  if (address < 0)
    return tile_failure();
  host->slice.is_version_2 = true;
  tile_json_print_int(json, "address", address);
  return tile_success();
}

// Extents and strides, contiguous dimension first, as in the driver API. One
// that the kernel ends comes twice (tile.tensor_map).
typedef struct {
  int dims[TILE_MAX_RANK], strides[TILE_MAX_RANK];
  int count;
  int before; // bytes from the address of the map to the tensor; -1: none
} MapRows;

static int rows_sum(TileSlice *slice, int a, int b) {
  return a < 0 ? b : tile_slice_binary(slice, "arith.addi", a, b);
}

// Dimensions of a tensor map are counted from the contiguous one, those of a
// memref towards it.
static MapRows map_rows(TileSlice *slice, TileTensorMapOp map,
                        MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor);
  int elem_bytes = tile_slice_constant(
      slice, tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8);
  MapRows out = {.before = -1};
  int rank = (int)mlirShapedTypeGetRank(type);
  for (int d = rank - 1; d >= 0; d--) {
    int extent = tile_slice_extent(slice, tensor, d), stride = elem_bytes;
    if (d < rank - 1)
      stride = tile_slice_binary(
          slice, "arith.muli", tile_slice_stride(slice, tensor, d), elem_bytes);
    int64_t window = ended_extent(map, d);
    out.strides[out.count] = stride;
    out.dims[out.count++] =
        window ? tile_slice_constant(slice, window) : extent;
    if (!window)
      continue;
    out.strides[out.count] = stride;
    out.dims[out.count++] = tile_slice_binary(slice, "arith.addi", extent,
                                              tile_slice_constant(slice, 1));
    out.before =
        rows_sum(slice, out.before,
                 tile_slice_binary(slice, "arith.muli", stride,
                                   tile_slice_constant(slice, window)));
  }
  return out;
}

static MlirLogicalResult print_map_memory(TileHost *host, MlirValue tensor,
                                          int before, TileJson *json) {
  TileSlice *slice = &host->slice;
  if (before < 0)
    return print_memory(host, tensor, json);
  int pointer = tile_slice_pointer(slice, tensor);
  int address = pointer < 0
                    ? -1
                    : tile_slice_binary(slice, "arith.subi", pointer, before);
  if (address < 0)
    return tile_failure();
  slice->is_version_2 = true;
  tile_json_print_int(json, "address", address);
  return tile_success();
}

static MlirLogicalResult print_tensor_map(TileHost *host, MlirValue operand,
                                          TileJson *json) {
  TileSlice *slice = &host->slice;
  TileTensorMapOp map = {{NULL}};
  if (mlirValueIsAOpResult(operand))
    map = tile_tensor_map_dyn(mlirOpResultGetOwner(operand));
  if (!map.op.ptr)
    return tile_emit_error(slice->user,
                           "needs a tensor map that tile.tensor_map makes");
  MlirValue tensor = tile_tensor_map_tensor(map);
  MlirType type = mlirValueGetType(tensor);
  const TileDtypeInfo *dtype =
      tile_elem_info(mlirShapedTypeGetElementType(type));
  if (!dtype)
    return tile_emit_internal_error(map.op, "its elements have no dtype");
  MapRows rows = map_rows(slice, map, tensor);
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "kind", "tensor_map");
  if (tile_failed(print_map_memory(host, tensor, rows.before, json)))
    return tile_failure();
  tile_json_print_string(json, "dtype", dtype->name);
  if (tile_failed(print_rows(json, "dims", rows.dims, rows.count)) ||
      tile_failed(
          print_rows(json, "strides_bytes", rows.strides + 1, rows.count - 1)))
    return tile_failure();
  print_boxes(json, map, (int)mlirShapedTypeGetRank(type));
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

static MlirLogicalResult print_pointer(TileHost *host, MlirValue operand,
                                       TileJson *json) {
  tile_json_open(json, NULL, '{');
  tile_json_print_string(json, "kind", "pointer");
  if (tile_failed(print_memory(host, operand, json)))
    return tile_failure();
  tile_json_close(json, '}');
  return tile_success();
}

static MlirLogicalResult print_param(TileHost *host, MlirValue operand,
                                     const TileKernelParam *param,
                                     TileJson *json) {
  TileSlice *slice = &host->slice;
  switch (param->kind) {
  case TILE_KERNEL_PARAM_TENSOR_MAP:
    return print_tensor_map(host, operand, json);
  case TILE_KERNEL_PARAM_SCALAR:
    return print_scalar(host, tile_slice_value(slice, operand), param->type,
                        json);
  case TILE_KERNEL_PARAM_POINTER:
    return print_pointer(host, operand, json);
  case TILE_KERNEL_PARAM_EXTENT:
    return print_scalar(host, tile_slice_extent(slice, operand, param->dim),
                        param->type, json);
  default:
    return print_scalar(host, tile_slice_stride(slice, operand, param->dim),
                        param->type, json);
  }
}

static MlirLogicalResult print_operand(TileHost *host, MlirValue operand,
                                       TileJson *json) {
  MlirType type = mlirValueGetType(operand);
  TileKernelParam params[TILE_KERNEL_MAX_PARAMS];
  int count = tile_kernel_params_of_type(type, params);
  if (count < 0)
    return tile_emit_error(host->slice.user,
                           "passes a kernel operand that is neither a memref "
                           "in global memory, a tensor map nor a scalar");
  for (int i = 0; i < count; i++) {
    tile_json_break(json);
    if (tile_failed(print_param(host, operand, &params[i], json)))
      return tile_failure();
  }
  return tile_success();
}

//===-- What a kernel may write -------------------------------------------===//

// False only when no op of `kernel` writes through its argument number
// `operand`, a memref. Kernels that are no gpu.func any more, and arguments
// whose address escapes, count as written.
static bool kernel_may_write(MlirOperation kernel, int operand) {
  if (!gpu_func_is(kernel))
    return true;
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel, 0));
  if (mlirBlockIsNull(entry) || operand >= mlirBlockGetNumArguments(entry))
    return true;
  return tile_memref_may_be_written(mlirBlockGetArgument(entry, operand));
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
    if (!mlirTypeIsAMemRef(mlirValueGetType(operand)))
      tile_host_note_addresses(host, operand);
    else if (kernel_may_write(kernel, i))
      tile_host_note_write(host, operand);
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

typedef struct {
  bool has_grid_sync, has_launch_wait;
} LaunchOps;

static MlirWalkResult find_launch_op(MlirOperation op, void *user_data) {
  LaunchOps *found = user_data;
  found->has_grid_sync |= tile_grid_sync_is(op);
  found->has_launch_wait |= tile_launch_wait_is(op);
  return MlirWalkResultAdvance;
}

// How the kernel wants to be launched, where that is not as all others.
static void print_manner(const TileHost *host, GPULaunchFuncOp launch,
                         TileJson *json) {
  LaunchOps found = {0};
  const TileTarget *target = tile_target_find(host->options->chip);
  MlirOperation kernel = find_kernel(host, gpu_launch_func_kernel_attr(launch));
  if (!mlirOperationIsNull(kernel))
    mlirOperationWalk(kernel, find_launch_op, &found, MlirWalkPreOrder);
  if (found.has_grid_sync)
    tile_json_print_bool(json, "cooperative", true);
  if (found.has_launch_wait && target && target->has_dependent_launch)
    tile_json_print_bool(json, "dependent", true);
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
  print_manner(host, launch, json);
  return tile_success();
}

MlirLogicalResult tile_host_print_launch(TileHost *host, MlirOperation op,
                                         TileJson *json) {
  GPULaunchFuncOp launch = gpu_launch_func_cast(op);
  host->slice.user = op;
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

//===- BlockThread.c - Number of a thread in its block --------------------===//

#include "Conversion.h"

#include "Support/MlirExtra.h"
#include "Tile/Ops/gpu.h"

// Threads per block in x and y.
static void block_extents(MlirOperation kernel, int64_t out[2]) {
  out[0] = tile_kernel_num_threads(kernel);
  out[1] = 1;
  if (gpu_launch_is(kernel)) {
    GPULaunchOp launch = gpu_launch_cast(kernel);
    mlirxConstantInt(gpu_launch_blockSizeX(launch), &out[0]);
    mlirxConstantInt(gpu_launch_blockSizeY(launch), &out[1]);
  } else if (gpu_func_is(kernel)) {
    MlirAttribute block = gpu_func_known_block_size_attr(gpu_func_cast(kernel));
    if (mlirAttributeIsNull(block))
      return;
    out[0] = mlirDenseI32ArrayGetElement(block, 0);
    out[1] = mlirDenseI32ArrayGetElement(block, 1);
  }
}

static TileInt thread_id(TileIntMath *math, GpuDimension dimension) {
  return tile_int_value(gpu_thread_id(math->b, .dimension = dimension));
}

TileInt tile_block_thread_build(TileIntMath *math, MlirOperation kernel) {
  int64_t extent[2], num_threads = tile_kernel_num_threads(kernel);
  block_extents(kernel, extent);
  TileInt thread = thread_id(math, GPU_DIMENSION_x);
  if (extent[0] >= num_threads)
    return thread;
  TileInt plane = thread_id(math, GPU_DIMENSION_y);
  if (extent[0] * extent[1] < num_threads)
    plane = tile_int_add(
        math, plane,
        tile_int_mul(math, thread_id(math, GPU_DIMENSION_z), extent[1]));
  return tile_int_add(math, thread, tile_int_mul(math, plane, extent[0]));
}

void tile_store_mark_by_thread(MlirOperation store) {
  mlirOperationSetDiscardableAttributeByName(
      store, TILE_STR("tile.by_thread"),
      mlirUnitAttrGet(mlirOperationGetContext(store)));
}

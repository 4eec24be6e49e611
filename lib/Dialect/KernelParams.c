//===- KernelParams.c - How a launch operand becomes kernel parameters ----===//

#include "KernelParams.h"

#include "Ops.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinTypes.h"

static int add(TileKernelParam *params, int count, TileKernelParamKind kind,
               int dim, MlirType type) {
  params[count] = (TileKernelParam){kind, dim, type};
  return count + 1;
}

static int params_of_memref(MlirType type, TileKernelParam *params) {
  int64_t rank = mlirShapedTypeGetRank(type);
  if (rank > TILE_KERNEL_PARAM_MAX_RANK ||
      tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type)) !=
          TILE_SPACE_GLOBAL)
    return -1;
  int64_t strides[TILE_KERNEL_PARAM_MAX_RANK] = {0};
  int64_t offset = 0;
  if (mlirLogicalResultIsFailure(
          mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return -1;

  MlirContext context = mlirTypeGetContext(type);
  MlirType i32 = mlirIntegerTypeGet(context, 32);
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  int count = add(params, 0, TILE_KERNEL_PARAM_POINTER, 0, (MlirType){NULL});
  for (int dim = 0; dim < rank; dim++)
    if (mlirShapedTypeIsDynamicDim(type, dim))
      count = add(params, count, TILE_KERNEL_PARAM_EXTENT, dim, i32);
  if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return count;
  for (int dim = 0; dim < rank; dim++)
    if (mlirShapedTypeIsDynamicStrideOrOffset(strides[dim]))
      count = add(params, count, TILE_KERNEL_PARAM_STRIDE, dim, i64);
  return count;
}

int tile_kernel_params_of_type(
    MlirType type, TileKernelParam out_params[TILE_KERNEL_MAX_PARAMS]) {
  if (mlirTypeIsAMemRef(type))
    return params_of_memref(type, out_params);
  if (tile_tensor_map_type_is(type))
    return add(out_params, 0, TILE_KERNEL_PARAM_TENSOR_MAP, 0,
               (MlirType){NULL});
  if (mlirTypeIsAIndex(type))
    type = mlirIntegerTypeGet(mlirTypeGetContext(type), 32);
  if (mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type))
    return add(out_params, 0, TILE_KERNEL_PARAM_SCALAR, 0, type);
  return -1;
}

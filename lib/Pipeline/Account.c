//===- Account.c - What a compilation chose -------------------------------===//

#include "Pipeline/Account.h"

#include "Dialect/Ops.h"
#include "Support/Diagnostic/DiagnosticList.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "Tile/Ops/gpu.h"

static MlirWalkResult account_op(MlirOperation op, void *user_data) {
  TileString *out = user_data;
  MlirAttribute instr = {NULL};
  if (tile_copy_is(op) || tile_gemm_is(op) || tile_gemm_sp_is(op))
    instr = mlirOperationGetInherentAttributeByName(op, TILE_STR("instr"));
  if (mlirAttributeIsNull(instr))
    return MlirWalkResultAdvance;
  if (tile_location_print(mlirOperationGetLocation(op), out))
    tile_string_print(out, ": ");
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  tile_string_print(out, "%.*s ", (int)name.length, name.data);
  mlirAttributePrint(instr, tile_string_callback, out);
  tile_string_print(out, "\n");
  return MlirWalkResultAdvance;
}

static MlirWalkResult account_launch(MlirOperation op, void *user_data) {
  TileString *out = user_data;
  GPULaunchFuncOp launch = gpu_launch_func_dyn(op);
  if (!launch.op.ptr)
    return MlirWalkResultAdvance;
  MlirStringRef kernel =
      mlirSymbolRefAttrGetLeafReference(gpu_launch_func_kernel_attr(launch));
  MlirValue size = gpu_launch_func_dynamicSharedMemorySize(launch);
  int64_t smem_bytes = 0;
  if (!mlirValueIsNull(size))
    mlirxConstantInt(size, &smem_bytes);
  tile_string_print(out, "%.*s: %lld bytes of dynamic shared memory\n",
                    (int)kernel.length, kernel.data, (long long)smem_bytes);
  return MlirWalkResultAdvance;
}

void tile_account_add(MlirOperation module, bool is_outlined, TileString *out) {
  mlirOperationWalk(module, is_outlined ? account_launch : account_op, out,
                    MlirWalkPreOrder);
}

//===- SinkConstants.c - Constants that kernels are given are theirs ------===//
//
// Consumes: gpu.launch_func, and the kernels of gpu.modules that hold tile ops.
// Produces: kernels without the parameters for which every launch gives the
// same
//           constant; they hold it. Upstream sinks constants into a launch
//           before it is outlined, and passes between the two move them out
//           again, but what a kernel knows decides about its instructions.
// Keeps:    kernels that nobody launches, and those without tile ops, whose
//           parameters are their author's.
// Fails:    never. A second run finds nothing.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

static MlirWalkResult add_launch(MlirOperation op, void *user_data) {
  if (gpu_launch_func_is(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static MlirStringRef name_of(MlirOperation symbol) {
  return mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(symbol, TILE_STR("sym_name")));
}

static bool launches(MlirOperation op, MlirOperation kernel) {
  MlirAttribute symbol = gpu_launch_func_kernel_attr(gpu_launch_func_cast(op));
  MlirOperation module = mlirOperationGetParentOperation(kernel);
  return mlirStringRefEqual(mlirSymbolRefAttrGetRootReference(symbol),
                            name_of(module)) &&
         mlirStringRefEqual(mlirSymbolRefAttrGetLeafReference(symbol),
                            name_of(kernel));
}

// The constant that each launch gives as operand `index`; null: there is none.
static MlirAttribute constant_of(const TileOpList *all, MlirOperation kernel,
                                 intptr_t index) {
  MlirAttribute common = {NULL}, none = {NULL};
  for (size_t i = 0; i < all->count; i++) {
    if (!launches(all->items[i], kernel))
      continue;
    TileRange operands =
        gpu_launch_func_kernelOperands(gpu_launch_func_cast(all->items[i]));
    MlirAttribute value;
    if (index >= operands.n ||
        !mlirxConstantAttr(tile_range_at(operands, index), &value) ||
        (!mlirAttributeIsNull(common) && !mlirAttributeEqual(common, value)))
      return none;
    common = value;
  }
  return common;
}

//===-- Apply -------------------------------------------------------------===//

static void drop_operand(TileArena *arena, MlirOperation op, intptr_t index) {
  GPULaunchFuncOp launch = gpu_launch_func_cast(op);
  TileRange operands = gpu_launch_func_kernelOperands(launch);
  MlirValue *kept = TILE_ARENA_NEW(arena, MlirValue, (size_t)operands.n + 1);
  intptr_t count = 0;
  for (intptr_t i = 0; i < operands.n; i++)
    if (i != index)
      kept[count++] = tile_range_at(operands, i);
  gpu_launch_func_set_kernelOperands(launch, (TileValues){kept, count});
}

static void drop_parameter(TileArena *arena, MlirOperation kernel,
                           intptr_t index) {
  GPUGPUFuncOp func = gpu_func_cast(kernel);
  MlirType type = gpu_func_function_type(func);
  MlirContext context = mlirOperationGetContext(kernel);
  intptr_t num_inputs = mlirFunctionTypeGetNumInputs(type), count = 0;
  MlirType *inputs = TILE_ARENA_NEW(arena, MlirType, (size_t)num_inputs);
  MlirAttribute old =
      mlirOperationGetAttributeByName(kernel, TILE_STR("arg_attrs"));
  MlirAttribute *attrs =
      TILE_ARENA_NEW(arena, MlirAttribute, (size_t)num_inputs);
  for (intptr_t i = 0; i < num_inputs; i++) {
    if (i == index)
      continue;
    if (!mlirAttributeIsNull(old))
      attrs[count] = mlirArrayAttrGetElement(old, i);
    inputs[count++] = mlirFunctionTypeGetInput(type, i);
  }
  if (!mlirAttributeIsNull(old))
    mlirOperationSetAttributeByName(kernel, TILE_STR("arg_attrs"),
                                    mlirArrayAttrGet(context, count, attrs));
  mlirOperationSetAttributeByName(
      kernel, TILE_STR("function_type"),
      mlirTypeAttrGet(mlirFunctionTypeGet(context, count, inputs, 0, NULL)));
  mlirxEraseArguments(tile_kernel_body(kernel), index, 1);
}

static void sink(TileOpList *all, MlirOperation kernel, intptr_t index,
                 MlirAttribute value) {
  MlirBlock body = tile_kernel_body(kernel);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  mlirRewriterBaseSetInsertionPointToStart(b.rw, body);
  mlirRewriterBaseReplaceAllUsesWith(b.rw, mlirBlockGetArgument(body, index),
                                     arith_constant(&b, value));
  mlirIRRewriterDestroy(b.rw);
  drop_parameter(all->arena, kernel, index);
  for (size_t i = 0; i < all->count; i++)
    if (launches(all->items[i], kernel))
      drop_operand(all->arena, all->items[i], index);
}

static bool is_number(MlirType type) {
  return mlirTypeIsAIndex(type) || mlirTypeIsAInteger(type) ||
         mlirTypeIsAFloat(type);
}

static void sink_constants(TileOpList *all, MlirOperation kernel) {
  MlirType type = gpu_func_function_type(gpu_func_cast(kernel));
  for (intptr_t i = mlirFunctionTypeGetNumInputs(type) - 1; i >= 0; i--) {
    if (!is_number(mlirFunctionTypeGetInput(type, i)))
      continue;
    MlirAttribute value = constant_of(all, kernel, i);
    if (!mlirAttributeIsNull(value))
      sink(all, kernel, i, value);
  }
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  if (tile_gpu_module_is_foreign(op))
    return MlirWalkResultSkip;
  if (!gpu_func_is(op))
    return MlirWalkResultAdvance;
  if (!mlirBlockIsNull(tile_kernel_body(op)) &&
      !mlirAttributeIsNull(
          mlirOperationGetAttributeByName(op, TILE_STR("gpu.kernel"))) &&
      tile_kernel_has_tile_ops(op))
    sink_constants(user_data, op);
  return MlirWalkResultSkip;
}

MlirLogicalResult
tile_sink_constants_run(MlirOperation op,
                        const TileSinkConstantsOptions *options) {
  (void)options;
  TileArena arena;
  tile_arena_init(&arena);
  TileOpList launches_of_all = {.arena = &arena};
  mlirOperationWalk(op, add_launch, &launches_of_all, MlirWalkPreOrder);
  if (launches_of_all.count)
    mlirOperationWalk(op, visit, &launches_of_all, MlirWalkPreOrder);
  tile_arena_deinit(&arena);
  return tile_success();
}

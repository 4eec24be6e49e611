//===- MarkAliases.c - Arguments of functions that share memory -----------===//
//
// Consumes: calls of functions with memrefs that may share memory: the same
//           one twice, views of one, what a loop or a branch may have chosen.
// Produces: `tile.may_alias` on those arguments of the function that is called,
//           when it may write one of them.
// Fails:    never.
// Idempotent: what is marked stays marked.
//
// Arguments of a function that a program calls are checked by the launcher, so
// kernels may take them to be apart. Here nobody looks at run time.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Dialect/MemrefWrites.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"
#include "mlir-c/Dialect/Func.h"

#define MAY_ALIAS TILE_STR("tile.may_alias")

typedef struct {
  MlirOperation module;
  bool has_changed;
} Run;

static MlirOperation find_function(const Run *run, MlirStringRef name) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(run->module, 0));
  TILE_FOR_EACH_OP (op, body) {
    if (!func_func_is(op))
      continue;
    MlirAttribute own =
        mlirOperationGetInherentAttributeByName(op, TILE_STR("sym_name"));
    if (mlirStringRefEqual(tile_ods_str_value(own), name))
      return op;
  }
  return TILE_NULL_OP;
}

static bool is_memref(MlirValue value) {
  return mlirTypeIsAMemRef(mlirValueGetType(value));
}

static bool is_argument(MlirValue root) {
  return mlirValueIsABlockArgument(root) &&
         func_func_is(
             mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(root)));
}

// What the function takes itself is none of its arguments, marked or not.
static bool is_fresh(MlirValue root) {
  return mlirValueIsAOpResult(root) && tile_tensor_is_distinct(root);
}

static bool may_share(MlirValue a, MlirValue b) {
  if (!is_memref(a) || !is_memref(b))
    return false;
  MlirValue x = tile_tensor_root(a), y = tile_tensor_root(b);
  if ((is_fresh(x) && is_argument(y)) || (is_argument(x) && is_fresh(y)))
    return false;
  return mlirValueEqual(x, y) || !tile_tensor_is_distinct(x) ||
         !tile_tensor_is_distinct(y);
}

static bool is_marked(MlirOperation function, intptr_t arg) {
  MlirAttribute all =
      mlirOperationGetInherentAttributeByName(function, TILE_STR("arg_attrs"));
  return !mlirAttributeIsNull(all) &&
         !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
             mlirArrayAttrGetElement(all, arg), MAY_ALIAS));
}

static void mark(Run *run, MlirOperation function, intptr_t arg) {
  if (is_marked(function, arg))
    return;
  mlirFuncSetArgAttr(function, arg, MAY_ALIAS,
                     mlirUnitAttrGet(mlirOperationGetContext(function)));
  run->has_changed = true;
}

static MlirWalkResult visit_call(MlirOperation op, void *user_data) {
  Run *run = user_data;
  FuncCallOp call = func_call_dyn(op);
  MlirOperation callee = {NULL};
  if (tile_kernel_is(op) || gpu_module_is(op))
    return MlirWalkResultSkip; // what kernels call is no host function
  if (call.op.ptr)
    callee = find_function(run, func_call_callee(call));
  MlirBlock entry = {NULL};
  if (callee.ptr)
    entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(callee, 0));
  if (mlirBlockIsNull(entry))
    return MlirWalkResultAdvance;
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count; i++)
    for (intptr_t j = 0; j < i; j++)
      if (may_share(mlirOperationGetOperand(op, i),
                    mlirOperationGetOperand(op, j)) &&
          (tile_memref_may_be_written(mlirBlockGetArgument(entry, i)) ||
           tile_memref_may_be_written(mlirBlockGetArgument(entry, j)))) {
        mark(run, callee, i);
        mark(run, callee, j);
      }
  return MlirWalkResultAdvance;
}

// What is marked may make arguments of further functions share memory.
MlirLogicalResult tile_mark_aliases_run(MlirOperation op,
                                        const TileMarkAliasesOptions *options) {
  Run run = {op, true};
  (void)options;
  if (!tile_ods_op_is(op, "builtin.module", 14))
    return tile_success();
  while (run.has_changed) {
    run.has_changed = false;
    mlirOperationWalk(op, visit_call, &run, MlirWalkPreOrder);
  }
  return tile_success();
}

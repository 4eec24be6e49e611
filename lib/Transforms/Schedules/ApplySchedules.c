//===- ApplySchedules.c - Scripts that tile and fuse kernels --------------===//
//
// Consumes: functions with the name of a schedule (tile-form-kernels), and the
//           named sequences of that name: one of the module, or of those that
//           are shipped (share/tile/schedules).
// Produces: what the script makes of the function; a block mapping for loops
//           that have none, and threads.
// Fails:    there is no such schedule, or it cannot be applied.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Schedules.h"

#include "Dialect/ForeignOps.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"
#include "TileSchedules.h"
#include "mlir-c/Dialect/Transform/Interpreter.h"

typedef struct {
  MlirOperation module;
  MlirModule shipped; // owned; null: not parsed yet
} Run;

//===-- Finding a script --------------------------------------------------===//

static MlirStringRef symbol_name(MlirOperation op) {
  MlirAttribute name =
      mlirOperationGetAttributeByName(op, TILE_STR("sym_name"));
  return mlirAttributeIsNull(name) ? (MlirStringRef){NULL, 0}
                                   : mlirStringAttrGetValue(name);
}

static MlirOperation find_in(MlirBlock block, MlirStringRef name) {
  TILE_FOR_EACH_OP (op, block) {
    MlirStringRef kind = mlirIdentifierStr(mlirOperationGetName(op));
    if (mlirStringRefEqual(kind, TILE_STR("transform.named_sequence")) &&
        mlirStringRefEqual(symbol_name(op), name))
      return op;
  }
  return TILE_NULL_OP;
}

// A sequence of the module, or of a module in it, goes before those shipped.
static MlirOperation find_own(const Run *run, MlirStringRef name) {
  MlirBlock body =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(run->module, 0));
  MlirOperation found = find_in(body, name);
  TILE_FOR_EACH_OP (op, body)
    if (!found.ptr &&
        mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                           TILE_STR("builtin.module")))
      found =
          find_in(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), name);
  return found;
}

static MlirOperation find(Run *run, MlirStringRef name) {
  MlirOperation found = find_own(run, name);
  if (found.ptr)
    return found;
  if (mlirModuleIsNull(run->shipped))
    run->shipped =
        mlirxModuleParse(mlirOperationGetContext(run->module),
                         tile_str(tile_schedules_text), TILE_STR("schedules"));
  return mlirModuleIsNull(run->shipped)
             ? TILE_NULL_OP
             : find_in(mlirModuleGetBody(run->shipped), name);
}

//===-- Its sizes ---------------------------------------------------------===//

static MlirAttribute block_mapping(MlirContext context, int rank) {
  static const char *const axes[] = {"x", "y", "z"};
  MlirAttribute mapping[TILE_NEST_MAX_LOOPS];
  for (int d = 0; d < rank; d++) {
    char text[48];
    int axis = rank - 1 - d; // the last dimension is the fastest
    if (rank <= 3)
      snprintf(text, sizeof text, "#gpu.block<%s>", axes[axis]);
    else
      snprintf(text, sizeof text, "#gpu.block<linear_dim_%d>", axis);
    mapping[d] = mlirAttributeParseGet(context, tile_str(text));
  }
  return mlirArrayAttrGet(context, rank, mapping);
}

// A dimension of blocks per loop that is tiled.
static MlirAttribute mapping_of(MlirOperation function) {
  MlirAttribute sizes = mlirOperationGetDiscardableAttributeByName(
      function, TILE_STR(TILE_BLOCK_ATTR));
  int rank = 0;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(sizes); i++)
    rank += mlirDenseI64ArrayGetElement(sizes, i) != 0;
  return block_mapping(mlirOperationGetContext(function), rank);
}

static MlirWalkResult bind_sizes(MlirOperation op, void *user_data) {
  MlirOperation function = *(MlirOperation *)user_data;
  MlirAttribute bound =
      mlirOperationGetDiscardableAttributeByName(op, TILE_STR(TILE_SIZES_ATTR));
  if (mlirAttributeIsNull(bound))
    return MlirWalkResultAdvance;
  MlirStringRef which = mlirStringAttrGetValue(bound);
  if (mlirStringRefEqual(which, TILE_STR("mapping"))) {
    mlirOperationSetInherentAttributeByName(op, TILE_STR("value"),
                                            mapping_of(function));
    return MlirWalkResultAdvance;
  }
  if (mlirStringRefEqual(which, TILE_STR("stages"))) {
    MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
        function, TILE_STR(TILE_STAGES_ATTR));
    if (!mlirAttributeIsNull(stages))
      mlirOperationSetInherentAttributeByName(op, TILE_STR("value"), stages);
    return MlirWalkResultAdvance;
  }
  MlirAttribute sizes = mlirOperationGetDiscardableAttributeByName(
      function, mlirStringRefEqual(which, TILE_STR("block"))
                    ? TILE_STR(TILE_BLOCK_ATTR)
                    : TILE_STR(TILE_LOOP_ATTR));
  // structured.fuse calls them so, structured.tile_using_for otherwise.
  MlirStringRef name = TILE_STR("static_tile_sizes");
  if (!mlirOperationHasInherentAttributeByName(op, name))
    name = TILE_STR("static_sizes");
  mlirOperationSetInherentAttributeByName(op, name, sizes);
  return MlirWalkResultAdvance;
}

//===-- What is left to say -----------------------------------------------===//

static MlirWalkResult finish_loop(MlirOperation op, void *user_data) {
  MlirOperation function = *(MlirOperation *)user_data;
  ScfForallOp forall = scf_forall_dyn(op);
  if (!forall.op.ptr)
    return MlirWalkResultAdvance;
  if (mlirAttributeIsNull(scf_forall_mapping_attr(forall)))
    scf_forall_set_mapping_attr(
        forall, block_mapping(mlirOperationGetContext(op),
                              (int)scf_forall_staticStep_size(forall)));
  if (mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          op, TILE_STR("tile.num_threads"))))
    mlirOperationSetDiscardableAttributeByName(
        op, TILE_STR("tile.num_threads"),
        mlirOperationGetDiscardableAttributeByName(
            function, TILE_STR(TILE_THREADS_ATTR)));
  return MlirWalkResultSkip;
}

// Whether ops of linalg in `outer` use the result, whole, and nothing else
// does.
static bool is_used_whole_inside(MlirOperation op, MlirOperation outer) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  bool is_used = !mlirOpOperandIsNull(use);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    bool is_all =
        tile_op_name_begins(user, "tensor.extract_slice") &&
        mlirShapedTypeHasStaticShape(type) &&
        mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(user, 0)), type);
    bool is_whole = tile_op_name_begins(user, "linalg.") || is_all;
    do
      user = mlirOperationGetParentOperation(user);
    while (user.ptr && !mlirOperationEqual(user, outer));
    is_used &= is_whole && user.ptr;
  }
  return is_used;
}

// An op of which a block needs everything is not tiled, so it was left before
// the loop.
static void take_along(MlirOperation function) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation forall = TILE_NULL_OP, ops[TILE_GROUP_MAX_OPS * 4];
  int count = 0;
  TILE_FOR_EACH_OP (op, body) {
    if (!forall.ptr && scf_forall_is(op))
      forall = op;
    if (!forall.ptr && count < TILE_GROUP_MAX_OPS * 4 &&
        (tile_op_name_begins(op, "linalg.") ||
         tile_op_name_begins(op, "tensor.empty")))
      ops[count++] = op;
  }
  while (forall.ptr && count-- > 0)
    if (is_used_whole_inside(ops[count], forall))
      mlirOperationMoveBefore(
          ops[count], mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(
                          mlirOperationGetRegion(forall, 0))));
}

// The first op of the block that uses the results, in their order; null where
// something inside of another op does.
static MlirOperation first_user(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation first = TILE_NULL_OP;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    for (MlirOpOperand use =
             mlirValueGetFirstUse(mlirOperationGetResult(op, i));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (!mlirBlockEqual(mlirOperationGetBlock(user), block))
        return TILE_NULL_OP;
      if (!first.ptr || mlirOperationIsBeforeInBlock(user, first))
        first = user;
    }
  return first;
}

// What the loop over the depth does not read comes after it: elements would
// wait in registers while it multiplies, and the windows that they read come
// while it runs.
static void sink_elements(MlirOperation function) {
  enum { MAX_OPS = 64 };
  MlirOperation forall = TILE_NULL_OP, loop = TILE_NULL_OP, ops[MAX_OPS];
  int count = 0;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  TILE_FOR_EACH_OP (op, body)
    if (!forall.ptr && scf_forall_is(op))
      forall = op;
  if (!forall.ptr)
    return;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  TILE_FOR_EACH_OP (op, block) {
    if (!loop.ptr && scf_for_is(op))
      loop = op;
    if (!loop.ptr && count < MAX_OPS &&
        (tile_op_name_begins(op, "linalg.generic") ||
         tile_op_name_begins(op, "tensor.extract_slice")))
      ops[count++] = op;
  }
  while (loop.ptr && count-- > 0) {
    MlirOperation user = first_user(ops[count]);
    if (user.ptr && mlirOperationIsBeforeInBlock(loop, user))
      mlirOperationMoveBefore(ops[count], user);
  }
}

static MlirWalkResult drop_marks(MlirOperation op, void *user_data) {
  static const char *const marks[] = {
      TILE_ROOT_ATTR,    TILE_PRODUCT_ATTR, TILE_ACCUMULATOR_ATTR,
      TILE_FACTOR_ATTR,  TILE_BLOCK_ATTR,   TILE_LOOP_ATTR,
      TILE_THREADS_ATTR, TILE_STAGES_ATTR,  TILE_SCHEDULE_ATTR};
  (void)user_data;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    mlirOperationRemoveDiscardableAttributeByName(op, tile_str(marks[i]));
  return MlirWalkResultAdvance;
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult apply(Run *run, MlirOperation function,
                               MlirStringRef name) {
  MlirOperation script = find(run, name);
  if (!script.ptr)
    return tile_emit_error(function, "has no schedule '%.*s'", (int)name.length,
                           name.data);
  MlirOperation library =
      mlirOperationClone(mlirOperationGetParentOperation(script));
  MlirOperation copy = find_in(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(library, 0)), name);
  mlirOperationWalk(copy, bind_sizes, &function, MlirWalkPreOrder);
  MlirTransformOptions options = mlirTransformOptionsCreate();
  MlirLogicalResult result =
      mlirTransformApplyNamedSequence(function, copy, library, options);
  mlirTransformOptionsDestroy(options);
  mlirOperationDestroy(library);
  if (tile_failed(result))
    return tile_emit_error(function, "cannot be scheduled by '%.*s'",
                           (int)name.length, name.data);
  if (!mlirStringRefEqual(name, TILE_STR("prepare"))) {
    take_along(function);
    sink_elements(function);
    mlirOperationWalk(function, finish_loop, &function, MlirWalkPreOrder);
    mlirOperationWalk(function, drop_marks, NULL, MlirWalkPreOrder);
  }
  return tile_success();
}

static MlirWalkResult find_graph_op(MlirOperation op, void *user_data) {
  if (!tile_op_name_begins(op, "linalg.") &&
      !tile_op_name_begins(op, "tensor."))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult visit_function(Run *run, MlirOperation function,
                                        bool is_preparing) {
  bool has_graph = false;
  MlirAttribute name = mlirOperationGetDiscardableAttributeByName(
      function, TILE_STR(TILE_SCHEDULE_ATTR));
  if (!mlirAttributeIsNull(name))
    return is_preparing ? tile_success()
                        : apply(run, function, mlirStringAttrGetValue(name));
  if (is_preparing && func_func_is(function))
    mlirOperationWalk(function, find_graph_op, &has_graph, MlirWalkPreOrder);
  if (!has_graph)
    return tile_success();
  tile_tensors_raise(function);
  return apply(run, function, TILE_STR("prepare"));
}

// Scripts of the module have been used.
static void erase_scripts(MlirBlock body) {
  TILE_FOR_EACH_OP (op, body) {
    MlirStringRef kind = mlirIdentifierStr(mlirOperationGetName(op));
    if (mlirStringRefEqual(kind, TILE_STR("transform.named_sequence")) ||
        !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            op, TILE_STR("transform.with_named_sequence"))))
      mlirOperationDestroy(op);
  }
}

MlirLogicalResult
tile_apply_schedules_run(MlirOperation op,
                         const TileApplySchedulesOptions *options) {
  Run run = {.module = op};
  MlirLogicalResult result = tile_success();
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  TILE_FOR_EACH_OP (function, body)
    if (!tile_failed(result))
      result = visit_function(&run, function, options->prepare);
  if (!mlirModuleIsNull(run.shipped))
    mlirModuleDestroy(run.shipped);
  if (!options->prepare)
    erase_scripts(body);
  return result;
}

//===- InlineHostCalls.c - Host functions that call one another -----------===//
//
// Consumes: func.func that launch kernels, or call functions that do, after
//           kernels have been outlined.
// Produces: the bodies of the functions that they call, in place of the calls.
//           Private functions that nothing calls any more are erased.
// Fails:    a function that calls itself, has no body or branches by blocks;
//           more than MAX_OPS ops.
// Idempotent: no call is left.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/KeyTable.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "TilePasses.h"

enum { MAX_OPS = 20000, MAX_CHAIN = 64 };

typedef struct {
  TileArena *arena;
  MlirOperation module;
  TilePointerMap visited;  // functions of which it is known
  TilePointerMap launches; // whether they launch
  TilePointerMap called;   // functions that were inlined somewhere
  int num_ops;             // that were inlined into the function at hand
} Run;

//===-- Functions ---------------------------------------------------------===//

static MlirBlock body_of(MlirOperation op) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
}

static MlirStringRef name_of(MlirOperation op) {
  MlirAttribute name =
      mlirOperationGetInherentAttributeByName(op, TILE_STR("sym_name"));
  return tile_ods_str_value(name);
}

static MlirOperation find_function(const Run *run, MlirStringRef name) {
  TILE_FOR_EACH_OP (op, body_of(run->module)) {
    if (func_func_is(op) && mlirStringRefEqual(name_of(op), name))
      return op;
  }
  return TILE_NULL_OP;
}

static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  if (!gpu_launch_func_is(op) && !gpu_launch_is(op))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

//===-- Which functions launch --------------------------------------------===//

typedef struct {
  Run *run;
  bool launches;
} CalleeSearch;

static bool function_launches(Run *run, MlirOperation function);

static MlirWalkResult visit_callee(MlirOperation op, void *user_data) {
  CalleeSearch *search = user_data;
  FuncCallOp call = func_call_dyn(op);
  if (!call.op.ptr)
    return MlirWalkResultAdvance;
  MlirOperation callee = find_function(search->run, func_call_callee(call));
  search->launches = callee.ptr && function_launches(search->run, callee);
  return search->launches ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Itself, or by way of what it calls. A function in progress counts as one that
// does not: what called it finds out.
static bool function_launches(Run *run, MlirOperation function) {
  if (tile_pointer_map_get(&run->visited, function.ptr))
    return tile_pointer_map_get(&run->launches, function.ptr);
  tile_pointer_map_set(&run->visited, function.ptr, run);
  CalleeSearch search = {run, false};
  mlirOperationWalk(function, find_launch, &search.launches, MlirWalkPreOrder);
  if (!search.launches)
    mlirOperationWalk(function, visit_callee, &search, MlirWalkPreOrder);
  if (search.launches)
    tile_pointer_map_set(&run->launches, function.ptr, run);
  return search.launches;
}

//===-- One call ----------------------------------------------------------===//

// Calls around the one at hand, for functions that call themselves.
typedef struct Chain Chain;
struct Chain {
  const Chain *outer;
  MlirOperation function;
  int length;
};

static MlirLogicalResult check_callee(FuncCallOp call, MlirOperation callee,
                                      const Chain *chain) {
  MlirStringRef name = func_call_callee(call);
  MlirBlock body = callee.ptr ? body_of(callee) : (MlirBlock){NULL};
  if (mlirBlockIsNull(body))
    return tile_emit_error(call.op,
                           "calls '%.*s', which has no body; the host side of "
                           "a launch runs what the file holds",
                           (int)name.length, name.data);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(body)))
    return tile_emit_error(call.op,
                           "calls '%.*s', which has branches; a host function "
                           "branches by scf.if, scf.for and scf.while",
                           (int)name.length, name.data);
  for (const Chain *at = chain; at; at = at->outer)
    if (mlirOperationEqual(at->function, callee))
      return tile_emit_error_with_note(
          call.op, mlirOperationGetLocation(callee), "this function",
          "calls '%.*s', which calls itself so", (int)name.length, name.data);
  if (chain->length < MAX_CHAIN)
    return tile_success();
  return tile_emit_error(
      call.op, "is the call of a call, and so on, deeper than %d", MAX_CHAIN);
}

static MlirWalkResult count_op(MlirOperation op, void *user_data) {
  (void)op;
  ++*(int *)user_data;
  return MlirWalkResultAdvance;
}

static MlirLogicalResult count_ops(Run *run, FuncCallOp call,
                                   MlirOperation callee) {
  mlirOperationWalk(callee, count_op, &run->num_ops, MlirWalkPreOrder);
  if (run->num_ops <= MAX_OPS)
    return tile_success();
  return tile_emit_error(call.op,
                         "makes the host function larger than %d ops by the "
                         "functions that it calls",
                         MAX_OPS);
}

//===-- One function ------------------------------------------------------===//

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  if (!func_call_is(op))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

// Checks all calls below `function`, and theirs, before any is replaced.
typedef struct {
  Run *run;
  const Chain *chain;
  MlirLogicalResult result;
} CallCheck;

static MlirWalkResult check_call(MlirOperation op, void *user_data) {
  CallCheck *check = user_data;
  FuncCallOp call = func_call_dyn(op);
  if (!call.op.ptr)
    return MlirWalkResultAdvance;
  MlirOperation callee = find_function(check->run, func_call_callee(call));
  check->result = check_callee(call, callee, check->chain);
  if (!tile_failed(check->result))
    check->result = count_ops(check->run, call, callee);
  if (tile_failed(check->result))
    return MlirWalkResultInterrupt;
  Chain chain = {check->chain, callee, check->chain->length + 1};
  CallCheck inner = {check->run, &chain, tile_success()};
  mlirOperationWalk(callee, check_call, &inner, MlirWalkPreOrder);
  check->result = inner.result;
  return tile_failed(check->result) ? MlirWalkResultInterrupt
                                    : MlirWalkResultAdvance;
}

static MlirLogicalResult check_function(Run *run, MlirOperation function) {
  Chain chain = {NULL, function, 0};
  CallCheck check = {run, &chain, tile_success()};
  run->num_ops = 0;
  mlirOperationWalk(function, check_call, &check, MlirWalkPreOrder);
  return check.result;
}

static void inline_calls(Run *run, MlirOperation function) {
  for (;;) {
    MlirOperation call = {NULL};
    mlirOperationWalk(function, find_call, &call, MlirWalkPreOrder);
    if (!call.ptr)
      return;
    FuncCallOp cast = func_call_cast(call);
    MlirOperation callee = find_function(run, func_call_callee(cast));
    tile_pointer_map_set(&run->called, callee.ptr, run);
    mlirxInlineCall(call, callee);
    mlirOperationDestroy(call);
  }
}

//===-- Functions that nothing calls any more -----------------------------===//

// Helpers that launch nothing may be those of kernels, and stay; so do
// functions that are not called.
static void erase_unused(Run *run) {
  TILE_FOR_EACH_OP (op, body_of(run->module)) {
    if (func_func_is(op) && tile_function_is_private(op) &&
        function_launches(run, op) &&
        tile_pointer_map_get(&run->called, op.ptr))
      mlirOperationDestroy(op);
  }
}

static bool has_calls(MlirOperation function) {
  MlirOperation call = {NULL};
  mlirOperationWalk(function, find_call, &call, MlirWalkPreOrder);
  return call.ptr != NULL;
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult run_on(Run *run) {
  bool is_inlined = false;
  TILE_FOR_EACH_OP (op, body_of(run->module)) {
    if (func_func_is(op) && function_launches(run, op) && has_calls(op) &&
        tile_failed(check_function(run, op)))
      return tile_failure();
  }
  TILE_FOR_EACH_OP (op, body_of(run->module)) {
    if (!func_func_is(op) || !function_launches(run, op) || !has_calls(op))
      continue;
    is_inlined = true;
    inline_calls(run, op);
  }
  if (is_inlined)
    erase_unused(run);
  return tile_success();
}

MlirLogicalResult
tile_inline_host_calls_run(MlirOperation op,
                           const TileInlineHostCallsOptions *options) {
  TileArena arena;
  (void)options;
  if (!tile_ods_op_is(op, "builtin.module", 14))
    return tile_success();
  tile_arena_init(&arena);
  Run run = {.arena = &arena,
             .module = op,
             .visited.arena = &arena,
             .launches.arena = &arena,
             .called.arena = &arena};
  MlirLogicalResult result = run_on(&run);
  tile_arena_deinit(&arena);
  return result;
}

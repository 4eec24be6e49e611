//===- InlineCalls.c - What kernels call becomes part of them -------------===//
//
// Consumes: func.call in kernels.
// Produces: the body of the function in its place: what a kernel does with its
//           tiles is decided in one piece.
// Keeps:    calls with `no_inline`, and those of functions that have it, that
//           call themselves, that have no body, or whose body has several
//           blocks where one is expected; they become calls on the GPU. Host
//           functions. At most 4096 calls of a kernel are inlined.
// Fails:    never.
// Method:   upstream's inlineCall. Upstream's pass does not look into
//           gpu.launch: the gpu dialect does not say that it may.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/func.h"
#include "TilePasses.h"

enum { MAX_INLINED_CALLS = 4096 };

//===-- Callees -----------------------------------------------------------===//

// In the innermost symbol table around the call that has the name, or null.
static MlirOperation find_callee(MlirOperation call) {
  MlirStringRef name = func_call_callee(func_call_cast(call));
  MlirOperation found = {NULL};
  for (MlirOperation parent = mlirOperationGetParentOperation(call);
       parent.ptr && !found.ptr;
       parent = mlirOperationGetParentOperation(parent)) {
    MlirSymbolTable table = mlirSymbolTableCreate(parent);
    if (mlirSymbolTableIsNull(table))
      continue;
    found = mlirSymbolTableLookup(table, name);
    mlirSymbolTableDestroy(table);
  }
  return found.ptr && func_func_is(found) ? found : (MlirOperation){NULL};
}

static MlirWalkResult add_call(MlirOperation op, void *user_data) {
  if (func_call_is(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

// Whether the function is called by what it calls.
static bool calls_itself(MlirOperation function) {
  TileArena arena;
  tile_arena_init(&arena);
  TileOpList reached = {.arena = &arena};
  tile_op_list_add(&reached, function);
  bool is_recursive = false;
  for (size_t i = 0; i < reached.count && !is_recursive; i++) {
    TileOpList calls = {.arena = &arena};
    mlirOperationWalk(reached.items[i], add_call, &calls, MlirWalkPreOrder);
    for (size_t c = 0; c < calls.count; c++) {
      MlirOperation callee = find_callee(calls.items[c]);
      is_recursive |= mlirOperationEqual(callee, function);
      if (callee.ptr && !tile_op_list_has(&reached, callee))
        tile_op_list_add(&reached, callee);
    }
  }
  tile_arena_deinit(&arena);
  return is_recursive;
}

static bool has_several_blocks(MlirOperation op) {
  MlirBlock first = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  return !mlirBlockIsNull(mlirBlockGetNextInRegion(first));
}

static bool is_inlined(MlirOperation kernel, MlirOperation call,
                       MlirOperation callee) {
  if (!callee.ptr || mlirBlockIsNull(tile_kernel_body(callee)) ||
      func_call_no_inline(func_call_cast(call)) ||
      !mlirAttributeIsNull(
          mlirOperationGetAttributeByName(callee, TILE_STR("no_inline"))))
    return false;
  bool is_in_body =
      mlirBlockEqual(mlirOperationGetBlock(call), tile_kernel_body(kernel));
  return (is_in_body || !has_several_blocks(callee)) && !calls_itself(callee);
}

//===-- Kernels -----------------------------------------------------------===//

// Inlines the calls that are there; returns how many.
static size_t inline_once(MlirOperation kernel, size_t limit) {
  TileArena arena;
  tile_arena_init(&arena);
  TileOpList calls = {.arena = &arena};
  size_t num_inlined = 0;
  mlirOperationWalk(kernel, add_call, &calls, MlirWalkPreOrder);
  for (size_t i = 0; i < calls.count && num_inlined < limit; i++) {
    MlirOperation callee = find_callee(calls.items[i]);
    if (!is_inlined(kernel, calls.items[i], callee) ||
        !mlirxInlineCall(calls.items[i], callee))
      continue;
    mlirOperationDestroy(calls.items[i]);
    num_inlined++;
  }
  tile_arena_deinit(&arena);
  return num_inlined;
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  (void)user_data;
  size_t left = MAX_INLINED_CALLS, num_inlined;
  do {
    num_inlined = inline_once(kernel, left);
    left -= num_inlined;
  } while (num_inlined && left);
  return tile_success();
}

MlirLogicalResult tile_inline_calls_run(MlirOperation op,
                                        const TileInlineCallsOptions *options) {
  (void)options;
  return tile_kernels_visit(op, visit_kernel, NULL);
}

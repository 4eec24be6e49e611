//===- TileUniform.c - What may not differ between threads ----------------===//
//
// Thread ids and clocks are allowed beside tile ops. What follows from them
// differs between the threads that execute a tile op together: no such value is
// an operand of a tile op, and none decides whether one is executed, but for
// reports, which each thread makes for itself, and barriers of some threads.
// The search goes forward from ids and clocks; a value that is stored and
// loaded again is not followed.
//
//===----------------------------------------------------------------------===//

#include "Dialect/ForeignOps.h"
#include "Dialect/Verify/TileVerify.h"
#include "Support/Arena.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/scf.h"

//===-- Values that differ ------------------------------------------------===//

typedef struct {
  TileArena *arena;
  MlirValue *values; // each once; those before `next` are followed up
  size_t count, capacity, next;
  MlirOperation *scopes; // that such values control
  size_t num_scopes, scope_capacity;
  bool refuses;        // a tile op that takes such a value is an error
  bool follows_time;   // clocks, after what follows from ids is known
  int64_t num_threads; // of the kernel
  MlirLogicalResult result;
} Search;

static void add_value(Search *search, MlirValue value) {
  for (size_t i = 0; i < search->count; i++)
    if (mlirValueEqual(search->values[i], value))
      return;
  TILE_ARENA_RESERVE(search->arena, search->values, search->count,
                     search->capacity);
  search->values[search->count++] = value;
}

// What `op` makes of a value that differs: its results, and what its regions
// begin with.
static void add_results(Search *search, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    add_value(search, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0;
         !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++)
      add_value(search, mlirBlockGetArgument(block, i));
  }
}

static void add_argument(Search *search, MlirOperation op, intptr_t region,
                         intptr_t i) {
  add_value(
      search,
      mlirBlockGetArgument(
          mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region)), i));
}

enum { NUM_BOUNDS = 3 }; // operands of scf.for before those that it carries

// What a loop or branch makes of its value number `i`: the same in the next
// round, and a result.
static void add_carried(Search *search, MlirOperation scope, intptr_t i) {
  if (scf_while_is(scope)) {
    add_argument(search, scope, 0, i);
    return;
  }
  if (scf_for_is(scope))
    add_argument(search, scope, 0, i + 1);
  add_value(search, mlirOperationGetResult(scope, i));
}

// Where operand `i` of `op` is but passed on. False: it is used.
static bool pass_on(Search *search, MlirOperation op, intptr_t i) {
  if (scf_for_is(op) && i >= NUM_BOUNDS) {
    add_carried(search, op, i - NUM_BOUNDS);
  } else if (scf_while_is(op)) {
    add_carried(search, op, i);
  } else if (scf_yield_is(op)) {
    add_carried(search, mlirOperationGetParentOperation(op), i);
  } else if (scf_condition_is(op) && i > 0) {
    MlirOperation loop = mlirOperationGetParentOperation(op);
    add_argument(search, loop, 1, i - 1);
    add_value(search, mlirOperationGetResult(loop, i - 1));
  } else {
    return false;
  }
  return true;
}

//===-- Uses --------------------------------------------------------------===//

// What a thread says for itself. A print of one thread takes what is the same
// for all, or the time of that thread.
static bool is_report(const Search *search, MlirOperation op) {
  TileAccess access[TILE_MAX_ACCESSES];
  if (tile_print_is(op))
    return tile_accesses_get(op, access) == 0 &&
           (search->follows_time ||
            tile_print_every_thread(tile_print_cast(op)));
  return tile_assert_is(op) || tile_clock_is(op);
}

// A barrier of fewer threads than the block has: whoever reaches it is counted.
static bool is_partial_barrier(const Search *search, MlirOperation op) {
  TileBarrierSyncOp sync = tile_barrier_sync_dyn(op);
  return sync.op.ptr &&
         !mlirAttributeIsNull(tile_barrier_sync_threads_attr(sync)) &&
         (int64_t)tile_barrier_sync_threads(sync) < search->num_threads;
}

typedef struct {
  const Search *search;
  MlirOperation found; // or null
} TileOpWalk;

static MlirWalkResult find_tile_op(MlirOperation op, void *user_data) {
  TileOpWalk *walk = user_data;
  if (!tile_op_is(op) || is_report(walk->search, op) ||
      is_partial_barrier(walk->search, op))
    return MlirWalkResultAdvance;
  walk->found = op;
  return MlirWalkResultInterrupt;
}

static void refuse(Search *search, MlirOperation op, MlirLocation location,
                   const char *what) {
  if (!search->refuses)
    return;
  search->result = tile_emit_error_with_note(
      op, location, "the value comes from here or is made of it",
      "%s a value that differs between the threads that execute it together",
      what);
}

// The loop or branch that operand `index` of `op` controls, or null.
static MlirOperation controlled_by(MlirOperation op, intptr_t index) {
  bool is_branch = scf_if_is(op) || scf_index_switch_is(op);
  if ((is_branch && index == 0) || (scf_for_is(op) && index < NUM_BOUNDS))
    return op;
  if (scf_condition_is(op) && index == 0)
    return mlirOperationGetParentOperation(op);
  return (MlirOperation){NULL};
}

static void add_scope(Search *search, MlirOperation scope) {
  TILE_ARENA_RESERVE(search->arena, search->scopes, search->num_scopes,
                     search->scope_capacity);
  search->scopes[search->num_scopes++] = scope;
  add_results(search, scope);
}

static void follow_use(Search *search, MlirOpOperand use,
                       MlirLocation location) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  if (is_report(search, op))
    return;
  if (tile_op_is(op)) {
    refuse(search, op, location, "takes");
    return;
  }
  if (pass_on(search, op, mlirOpOperandGetOperandNumber(use)))
    return;
  MlirOperation scope = controlled_by(op, mlirOpOperandGetOperandNumber(use));
  TileOpWalk inner = {search, {NULL}};
  if (!mlirOperationIsNull(scope)) {
    mlirOperationWalk(scope, find_tile_op, &inner, MlirWalkPreOrder);
    add_scope(search, scope);
  }
  if (!mlirOperationIsNull(inner.found)) {
    refuse(search, inner.found, location, "is executed depending on");
    return;
  }
  add_results(search, op);
  if (mlirxIsTerminator(op))
    add_results(search, mlirOperationGetParentOperation(op));
}

static void follow(Search *search, MlirLocation location) {
  for (; search->next < search->count; search->next++)
    for (MlirOpOperand use = mlirValueGetFirstUse(search->values[search->next]);
         !mlirOpOperandIsNull(use) && !tile_failed(search->result);
         use = mlirOpOperandGetNextUse(use))
      follow_use(search, use, location);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  Search *search = user_data;
  if (search->follows_time ? !tile_clock_is(op)
                           : !tile_foreign_op_is_thread_id(op))
    return MlirWalkResultAdvance;
  add_value(search, mlirOperationGetResult(op, 0));
  follow(search, mlirOperationGetLocation(op));
  return tile_failed(search->result) ? MlirWalkResultInterrupt
                                     : MlirWalkResultAdvance;
}

static void search_kernel(Search *search, MlirOperation kernel) {
  enum { FIRST_THREAD_ID = 3, END_THREAD_ID = 6 }; // arguments of a launch
  search->num_threads = tile_kernel_num_threads(kernel);
  for (intptr_t i = FIRST_THREAD_ID; gpu_launch_is(kernel) && i < END_THREAD_ID;
       i++)
    add_value(search, mlirBlockGetArgument(tile_kernel_body(kernel), i));
  follow(search, mlirOperationGetLocation(kernel));
  if (!tile_failed(search->result))
    mlirOperationWalk(kernel, visit, search, MlirWalkPreOrder);
}

MlirLogicalResult tile_verify_uniform(MlirOperation kernel) {
  TileArena arena;
  Search search = {.arena = &arena, .refuses = true, .result = tile_success()};
  tile_arena_init(&arena);
  search_kernel(&search, kernel);
  search.follows_time = true;
  if (!tile_failed(search.result))
    mlirOperationWalk(kernel, visit, &search, MlirWalkPreOrder);
  tile_arena_deinit(&arena);
  return search.result;
}

//===-- What differs ------------------------------------------------------===//

void tile_divergence_find(TileArena *arena, MlirOperation kernel,
                          TileDivergence *out) {
  Search search = {.arena = arena, .result = tile_success()};
  search_kernel(&search, kernel);
  *out = (TileDivergence){search.values, search.count, search.scopes,
                          search.num_scopes};
}

// The outermost of the scopes that `op` is inside of, or null.
static MlirOperation scope_around(const TileDivergence *divergence,
                                  MlirOperation op) {
  MlirOperation outermost = {NULL};
  for (MlirOperation parent = mlirOperationGetParentOperation(op); parent.ptr;
       parent = mlirOperationGetParentOperation(parent))
    for (size_t i = 0; i < divergence->num_scopes; i++)
      if (mlirOperationEqual(divergence->scopes[i], parent))
        outermost = parent;
  return outermost;
}

bool tile_divergence_reaches(const TileDivergence *divergence,
                             MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    for (size_t v = 0; v < divergence->num_values; v++)
      if (mlirValueEqual(divergence->values[v], mlirOperationGetOperand(op, i)))
        return true;
  return tile_divergence_controls(divergence, op);
}

bool tile_divergence_controls(const TileDivergence *divergence,
                              MlirOperation op) {
  return scope_around(divergence, op).ptr != NULL;
}

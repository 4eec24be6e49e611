//===- SinkLoads.c - Loads of fragments where they are used ---------------===//
//
// Consumes: copies from tensors to fragments in the body of a launch.
// Produces: the same copies, each before the first op that uses its fragment,
//           where it stood before a reduction or a scan that does not.
// Keeps:    copies that signal, are asynchronous, require or prefer an
//           instruction or have a stage: who gives these decides the place.
//           Copies in loops, whose time pipelines plan; copies before a loop,
//           which hides how long they take.
// Fails:    never.
// Method:   a kernel of rows holds its row, and what is loaded before its time
//           takes registers from other blocks. Reductions wait for all threads:
//           with more blocks on a multiprocessor others fill that time. Between
//           the two places ops write to fragments and shared memory only.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct Item {
  struct Item *next; // program order
  TileCopyOp copy;
  MlirOperation place; // the copy goes before it
} Item;

typedef struct {
  TileArena *arena;
  MlirBlock body;
  Item *items, **tail;
} Plan;

static bool is_in_space(MlirValue tile, TileSpace space) {
  TileShape shape;
  return !mlirValueIsNull(tile) && tile_shape_of(tile, &shape) &&
         shape.space == space;
}

// A whole fragment that a copy from a tensor fills; null for other copies.
static MlirValue loaded_fragment(TileCopyOp copy) {
  MlirValue dst = tile_copy_dst(copy);
  bool is_load = is_in_space(tile_copy_src(copy), TILE_SPACE_GLOBAL) &&
                 is_in_space(dst, TILE_SPACE_FRAGMENT);
  bool is_whole = is_load && mlirValueEqual(tile_buffer_of(dst).root, dst) &&
                  mlirValueIsAOpResult(dst) &&
                  tile_alloc_is(mlirOpResultGetOwner(dst));
  return is_whole ? dst : TILE_NULL_VALUE;
}

// The op of the block `body` in which `op` stands, or null.
static MlirOperation ancestor_in(MlirBlock body, MlirOperation op) {
  while (op.ptr && !mlirBlockEqual(mlirOperationGetBlock(op), body))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// The first op after the copy that uses the fragment; null when there is none,
// or when an op before the copy may be another name of it.
static MlirOperation first_use(const Plan *plan, TileCopyOp copy,
                               MlirValue fragment) {
  MlirOperation first = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(fragment);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = ancestor_in(plan->body, mlirOpOperandGetOwner(use));
    if (!user.ptr)
      return user;
    if (mlirOperationEqual(user, copy.op))
      continue;
    if (mlirOperationIsBeforeInBlock(user, copy.op))
      return (MlirOperation){NULL};
    if (!first.ptr || mlirOperationIsBeforeInBlock(user, first))
      first = user;
  }
  return first;
}

static void visit_effect(TileEffectKind kind, MlirValue value,
                         MlirStringRef resource, void *user_data) {
  (void)resource;
  bool *writes_tiles_only = user_data;
  MlirValue root = mlirValueIsNull(value) ? value : tile_buffer_of(value).root;
  if (kind != TILE_EFFECT_READ && !is_in_space(root, TILE_SPACE_FRAGMENT) &&
      !is_in_space(root, TILE_SPACE_SHARED) &&
      !is_in_space(root, TILE_SPACE_PRIVATE))
    *writes_tiles_only = false;
}

// Whether a load may be done after `op` instead of before it, and nothing is
// lost by that: a loop would hide how long it takes.
static bool may_pass(MlirOperation op) {
  bool writes_tiles_only = true;
  if (mlirxIsMemoryEffectFree(op))
    return true;
  if (mlirOperationGetNumRegions(op) > 0 && !tile_parallel_is(op))
    return false;
  return mlirxEffects(op, true, visit_effect, &writes_tiles_only) &&
         writes_tiles_only;
}

static void plan_copy(Plan *plan, TileCopyOp copy) {
  MlirValue fragment = loaded_fragment(copy);
  if (!tile_copy_is_open(copy) || mlirValueIsNull(fragment))
    return;
  MlirOperation place = first_use(plan, copy, fragment);
  bool passes_reduction = false;
  for (MlirOperation op = mlirOperationGetNextInBlock(copy.op);
       place.ptr && !mlirOperationEqual(op, place);
       op = mlirOperationGetNextInBlock(op)) {
    if (!may_pass(op))
      return;
    passes_reduction |= tile_reduce_is(op) || tile_scan_is(op);
  }
  if (!place.ptr || !passes_reduction)
    return;
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  *item = (Item){.copy = copy, .place = place};
  *plan->tail = item;
  plan->tail = &item->next;
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.arena = user_data, .body = tile_kernel_body(kernel)};
  plan.tail = &plan.items;
  TILE_FOR_EACH_OP (op, plan.body) {
    if (tile_copy_is(op))
      plan_copy(&plan, tile_copy_cast(op));
  }
  for (const Item *item = plan.items; item; item = item->next) {
    mlirOperationMoveBefore(item->copy.op, item->place);
    tile_emit_remark(item->copy.op, "tile-sink/late",
                     "is loaded where it is used, after the reductions before: "
                     "its registers are free until then; `instr` keeps it in "
                     "its place");
  }
  return tile_success();
}

MlirLogicalResult tile_sink_loads_run(MlirOperation op,
                                      const TileSinkLoadsOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}

//===- RoleSlice.c - What the producer has to compute ---------------------===//
//
// The backward slice of the fills that move to the producer: offsets of windows
// of copies, what element loops read, bounds and conditions of everything
// around them, and what those are computed from. Both roles compute it, so it
// may only depend on what both see:
//
//   (N1) ops without effects;
//   (N2) reads of tensors that the kernel does not write;
//   (N3) private memory, when all that is stored in it is such a value: each
//        thread has its own, and both roles store;
//   (N4) a read of a shared tile whose only fill that can reach it stands
//        before it in a block around it and copies a tensor as in (N2): both
//        roles read the tensor instead.
//
//===----------------------------------------------------------------------===//

#include "RolePlan.h"

#include "Tile/Dialect/ElementLoops.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

typedef enum { WHY_ADDRESS, WHY_GUARD, WHY_BOUND, WHY_WHILE, WHY_ELEMENT } Why;

struct TileRoleNeedItem {
  MlirValue value;
  Why why;
};

// Rows as in Why.
static const char *const consumer_data[] = {
    "tile-ws/address-consumer-data", "tile-ws/guard-consumer-data",
    "tile-ws/bound-consumer-data", "tile-ws/while-consumer-data",
    "tile-ws/element-consumer-data"};
static const char *const written_global[] = {
    "tile-ws/address-written-global", "tile-ws/guard-written-global",
    "tile-ws/bound-written-global", "tile-ws/while-written-global",
    "tile-ws/element-written-global"};
static const char *const side_effect[] = {
    "tile-ws/address-side-effect", "tile-ws/guard-side-effect",
    "tile-ws/bound-side-effect", "tile-ws/while-side-effect",
    "tile-ws/element-side-effect"};

void tile_role_need_init(TileRolePlan *plan, TileRoleNeed *out_need) {
  size_t count = (size_t)plan->num_nodes;
  *out_need = (TileRoleNeed){.plan = plan,
                             .values = {.arena = plan->arena},
                             .forwards = {.arena = plan->arena}};
  out_need->nodes = TILE_ARENA_NEW(plan->arena, uint8_t, count);
  out_need->controls = TILE_ARENA_NEW(plan->arena, uint8_t, count);
  out_need->forward = TILE_ARENA_NEW(plan->arena, TileRoleFill *, count);
}

static void fail(TileRoleNeed *need, const char *code, MlirOperation culprit) {
  if (!need->reason.code)
    need->reason = (TileRoleReason){.code = code, .culprit = culprit};
}

//===-- Worklist ----------------------------------------------------------===//

static void need_value(TileRoleNeed *need, MlirValue value, Why why) {
  if (!value.ptr || tile_pointer_map_get(&need->values, value.ptr))
    return;
  tile_pointer_map_set(&need->values, value.ptr, need->plan); // a set
  TILE_ARENA_RESERVE(need->plan->arena, need->items, need->num_items,
                     need->items_capacity);
  need->items[need->num_items++] = (struct TileRoleNeedItem){value, why};
}

static MlirValue terminator_operand(const TileRoleBlock *block, intptr_t i) {
  return mlirOperationGetOperand(mlirBlockGetTerminator(block->block), i);
}

// What decides how often the blocks of `node` run.
static void need_own_control(TileRoleNeed *need, TileRoleNode *node) {
  if (need->controls[node->id])
    return;
  need->controls[node->id] = 1;
  if (node->kind == TILE_NODE_FOR) {
    ScfForOp loop = scf_for_cast(node->op);
    need_value(need, scf_for_lowerBound(loop), WHY_BOUND);
    need_value(need, scf_for_upperBound(loop), WHY_BOUND);
    need_value(need, scf_for_step(loop), WHY_BOUND);
  } else if (node->kind == TILE_NODE_IF) {
    need_value(need, scf_if_condition(scf_if_cast(node->op)), WHY_GUARD);
  } else if (node->kind == TILE_NODE_WHILE) {
    need_value(need, terminator_operand(&node->blocks[0], 0), WHY_WHILE);
  }
}

static void need_control(TileRoleNeed *need, const TileRoleNode *node) {
  for (TileRoleNode *at = tile_role_parent(node); at; at = tile_role_parent(at))
    need_own_control(need, at);
}

//===-- Values that control flow carries ----------------------------------===//

static void need_for_value(TileRoleNeed *need, TileRoleNode *node, intptr_t i,
                           Why why) {
  ScfForOp loop = scf_for_cast(node->op);
  need_value(need, tile_range_at(scf_for_initArgs(loop), i), why);
  need_value(need, terminator_operand(&node->blocks[0], i), why);
  need_value(need, mlirBlockGetArgument(node->blocks[0].block, i + 1), why);
  need_value(need, mlirOperationGetResult(node->op, i), why);
}

// What the condition block of a while passes on: results and body arguments.
static void need_while_passed(TileRoleNeed *need, TileRoleNode *node,
                              intptr_t i, Why why) {
  need_value(need, terminator_operand(&node->blocks[0], i + 1), why);
  need_value(need, mlirBlockGetArgument(node->blocks[1].block, i), why);
  need_value(need, mlirOperationGetResult(node->op, i), why);
}

static void need_while_carried(TileRoleNeed *need, TileRoleNode *node,
                               intptr_t i, Why why) {
  need_value(need, tile_range_at(scf_while_inits(scf_while_cast(node->op)), i),
             why);
  need_value(need, terminator_operand(&node->blocks[1], i), why);
}

static void need_result(TileRoleNeed *need, TileRoleNode *node, intptr_t i,
                        Why why) {
  if (node->kind == TILE_NODE_FOR)
    need_for_value(need, node, i, why);
  else if (node->kind == TILE_NODE_WHILE)
    need_while_passed(need, node, i, why);
  for (int b = 0; node->kind == TILE_NODE_IF && b < 2; b++)
    need_value(need, terminator_operand(&node->blocks[b], i), why);
  need_own_control(need, node);
  need_control(need, node);
}

static void need_argument(TileRoleNeed *need, MlirValue value, Why why) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  intptr_t i = mlirBlockArgumentGetArgNumber(value);
  TileRoleNode *node = tile_pointer_map_get(
      &need->plan->node_of_op, mlirBlockGetParentOperation(block).ptr);
  if (!node)
    return; // of the kernel, or from outside
  if (node->kind == TILE_NODE_LEAF) {
    fail(need, consumer_data[why], node->op);
    return;
  }
  if (node->kind == TILE_NODE_FOR && i > 0)
    need_for_value(need, node, i - 1, why);
  if (node->kind == TILE_NODE_WHILE) {
    if (mlirBlockEqual(block, node->blocks[0].block))
      need_while_carried(need, node, i, why);
    else
      need_while_passed(need, node, i, why);
  }
  need_own_control(need, node);
  need_control(need, node);
}

//===-- Ops ---------------------------------------------------------------===//

typedef struct {
  TileRoleNeed *need;
  MlirOperation outer;
  Why why;
} Operands;

static MlirWalkResult visit_operands(MlirOperation op, void *user_data) {
  Operands *operands = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!tile_value_is_inside(value, operands->outer))
      need_value(operands->need, value, operands->why);
  }
  return MlirWalkResultAdvance;
}

// Operands of `op` and of the ops in it.
static void need_operands(TileRoleNeed *need, MlirOperation op, Why why) {
  Operands operands = {need, op, why};
  mlirOperationWalk(op, visit_operands, &operands, MlirWalkPreOrder);
}

static bool is_executed_by_all(const TileRoleWrite *write,
                               const TileRolePlan *plan) {
  if (memref_store_is(write->op) || tile_fill_is(write->op))
    return mlirOperationEqual(write->op, write->node->op);
  TileShape src;
  return tile_copy_is(write->op) &&
         mlirOperationEqual(write->op, write->node->op) &&
         tile_shape_of(tile_copy_src(tile_copy_cast(write->op)), &src) &&
         src.space == TILE_SPACE_GLOBAL &&
         tile_role_is_read_only(plan, tile_copy_src(tile_copy_cast(write->op)));
}

// (N3)
static void need_private(TileRoleNeed *need, MlirValue root, Why why) {
  const TileRolePlan *plan = need->plan;
  for (int i = 0; i < plan->num_writes; i++) {
    const TileRoleWrite *write = &plan->writes[i];
    if (!mlirValueEqual(write->root, root) || need->nodes[write->node->id])
      continue;
    if (!is_executed_by_all(write, plan)) {
      fail(need, consumer_data[why], write->op);
      return;
    }
    need->nodes[write->node->id] = 1;
    need_operands(need, write->op, why);
    need_control(need, write->node);
  }
}

static bool box_contains(const TileRoleBox *outer, const TileRoleBox *inner,
                         int rank) {
  bool contains = outer->is_exact;
  for (int d = 0; d < rank; d++)
    contains &= outer->lo[d] <= inner->lo[d] && inner->hi[d] <= outer->hi[d];
  return contains;
}

static bool boxes_meet(const TileRoleBox *a, const TileRoleBox *b, int rank) {
  for (int d = 0; d < rank; d++)
    if (a->hi[d] <= b->lo[d] || b->hi[d] <= a->lo[d])
      return false;
  return true;
}

// Whether `fill` stands before `node` in a block around it.
static bool comes_before(const TileRoleFill *fill, const TileRoleNode *node) {
  while (node && node->home != fill->node->home)
    node = tile_role_parent(node);
  return node && fill->node->index < node->index;
}

static bool keeps_element_type(const TileRoleFill *fill) {
  TileShape src;
  return tile_shape_of(tile_copy_src(tile_copy_cast(fill->node->op)), &src) &&
         mlirTypeEqual(src.element, fill->buffer->shape.element);
}

// Coordinates of a view are not those of the tile.
static bool is_viewed(MlirValue tile) {
  TileBuffer buffer = tile_buffer_of(tile);
  return !mlirValueEqual(buffer.base, buffer.root);
}

// (N4) The only fill behind what `node` reads of `box` of a tile, named `read`.
static TileRoleFill *only_fill(const TileRolePlan *plan,
                               const TileRoleNode *node,
                               const TileRoleBuffer *buffer,
                               const TileRoleBox *box, MlirValue read) {
  TileRoleFill *found = NULL;
  int rank = buffer->shape.rank;
  if (!buffer->is_plain)
    return NULL;
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (fill->buffer != buffer || !boxes_meet(&fill->box, box, rank))
      continue;
    if (found)
      return NULL;
    found = fill;
  }
  if (!found || tile_role_is_element_fill(found) || is_viewed(read) ||
      is_viewed(tile_copy_dst(tile_copy_cast(found->node->op))) ||
      !box_contains(&found->box, box, rank) || !comes_before(found, node) ||
      !keeps_element_type(found) ||
      !tile_region_is(
          mlirOpResultGetOwner(tile_copy_src(tile_copy_cast(found->node->op)))))
    return NULL;
  return found;
}

static MlirValue tile_read_by(MlirOperation op) {
  return memref_load_is(op) ? memref_load_memref(memref_load_cast(op))
                            : mlirOperationGetOperand(op, 0);
}

// `op`, the statement or a load in its element loop, reads a tile.
static void need_tile_read(TileRoleNeed *need, TileRoleNode *node,
                           MlirOperation op, Why why) {
  const TileRoleAccess *access = node->accesses;
  bool is_inside = !mlirOperationEqual(op, node->op);
  TileRoleFill *fill = NULL;
  if (is_inside) { // anywhere in the tile
    MlirValue root = tile_buffer_of(tile_read_by(op)).root;
    TileRoleBox box = tile_role_box_of(root);
    TileRoleBuffer *buffer =
        tile_pointer_map_get(&need->plan->buffer_of, root.ptr);
    if (buffer)
      fill = only_fill(need->plan, node, buffer, &box, tile_read_by(op));
  } else if (!access->next && (memref_load_is(op) || tile_op_is(op))) {
    fill = only_fill(need->plan, node, access->buffer, &access->box,
                     tile_read_by(op));
  }
  if (!fill) {
    fail(need, consumer_data[why], op);
    return;
  }
  need->forward[node->id] = fill;
  if (is_inside)
    tile_pointer_map_set(&need->forwards, op.ptr, fill);
  MlirValue source = tile_copy_src(tile_copy_cast(fill->node->op));
  need_operands(need, mlirOpResultGetOwner(source), why);
}

// A read of memory with a scalar result, by the statement or in its element
// loop.
static void need_read(TileRoleNeed *need, TileRoleNode *node, MlirOperation op,
                      Why why) {
  TileAccess access[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, access);
  if (memref_load_is(op)) {
    access[0].tile = memref_load_memref(memref_load_cast(op));
    access[0].writes = false;
    n = 1;
  }
  for (int i = 0; i < n; i++) {
    TileShape shape = {.space = TILE_SPACE_OTHER};
    MlirValue root = tile_tensor_root(access[i].tile);
    tile_shape_of(root, &shape);
    if (access[i].writes)
      fail(need, side_effect[why], op);
    else if (shape.space == TILE_SPACE_PRIVATE)
      need_private(need, root, why);
    else if (shape.space == TILE_SPACE_SHARED && node->accesses)
      need_tile_read(need, node, op, why);
    else if (shape.space == TILE_SPACE_FRAGMENT ||
             shape.space == TILE_SPACE_SHARED)
      fail(need, consumer_data[why], op);
    else if (!tile_role_is_read_only(need->plan, root))
      fail(need, written_global[why], op);
  }
  if (n == 0)
    fail(need, side_effect[why], op);
}

static bool is_alloc(MlirOperation op) {
  return tile_alloc_is(op) || memref_alloca_is(op);
}

static void need_op(TileRoleNeed *need, MlirValue value, Why why) {
  MlirOperation op = mlirOpResultGetOwner(value);
  TileRoleNode *node = tile_role_node_of(need->plan, op);
  if (!node)
    return; // outside the kernel
  if (!mlirOperationEqual(node->op, op)) {
    fail(need, consumer_data[why], node->op);
    return;
  }
  if (node->kind != TILE_NODE_LEAF) {
    need_result(need, node, mlirOpResultGetResultNumber(value), why);
    return;
  }
  if (!is_alloc(op) && !mlirxIsMemoryEffectFree(op))
    need_read(need, node, op, why);
  need_operands(need, op, why);
  need_control(need, node);
}

//===-- Element loops -----------------------------------------------------===//

typedef struct {
  TileRoleNeed *need;
  TileRoleNode *node;
} Body;

static MlirWalkResult need_body_op(MlirOperation op, void *user_data) {
  Body *body = user_data;
  if (mlirOperationGetNumRegions(op) == 0 && !memref_store_is(op) &&
      !mlirxIsMemoryEffectFree(op))
    need_read(body->need, body->node, op, WHY_ELEMENT);
  return MlirWalkResultAdvance;
}

static void need_elements(TileRoleNeed *need, TileRoleNode *node) {
  Body body = {need, node};
  need_operands(need, node->op, WHY_ELEMENT);
  mlirOperationWalk(node->op, need_body_op, &body, MlirWalkPreOrder);
}

//===-- Entry -------------------------------------------------------------===//

static void need_copy(TileRoleNeed *need, TileCopyOp copy) {
  need_value(need, tile_copy_src(copy), WHY_ADDRESS);
  // The window inside the tile may be at an offset that is computed.
  MlirValue dst = tile_copy_dst(copy);
  if (tile_buffer_of(dst).region.ptr)
    need_operands(need, mlirOpResultGetOwner(dst), WHY_ADDRESS);
}

void tile_role_need_add(TileRoleNeed *need, const TileRoleFill *fill) {
  need_control(need, fill->node);
  if (tile_role_is_element_fill(fill))
    need_elements(need, fill->node);
  else
    need_copy(need, tile_copy_cast(fill->node->op));
  while (need->num_items > 0 && !need->reason.code) {
    struct TileRoleNeedItem item = need->items[--need->num_items];
    if (mlirValueIsABlockArgument(item.value))
      need_argument(need, item.value, item.why);
    else
      need_op(need, item.value, item.why);
  }
}

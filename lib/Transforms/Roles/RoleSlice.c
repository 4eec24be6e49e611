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
//        roles read the tensor instead;
//   (N5) fragments and other shared tiles, when all that writes them computes
//        such values in a way that gives every number of threads the same: the
//        producer has tiles of its own, and repeats it. Of a fragment that is a
//        copy of a window it asks the tensor;
//   (N6) waits for the launch before this one, which no value shows;
//   (N7) a tile that only tickets fill: the producer takes them, reads a tile
//        of its own, and passes them on.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/RepeatedOps.h"
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

static void need_init(TileRolePlan *plan, TileRoleNeed *out_need) {
  size_t count = (size_t)plan->num_nodes;
  *out_need = (TileRoleNeed){.plan = plan,
                             .values = {.arena = plan->arena},
                             .forwards = {.arena = plan->arena},
                             .is_own = {.arena = plan->arena}};
  out_need->nodes = TILE_ARENA_NEW(plan->arena, uint8_t, count);
  out_need->controls = TILE_ARENA_NEW(plan->arena, uint8_t, count);
  out_need->forward = TILE_ARENA_NEW(plan->arena, TileRoleFill *, count);
  out_need->windows = TILE_ARENA_NEW(plan->arena, MlirValue, count);
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

//===-- Tiles of its own --------------------------------------------------===//

static TileSpace space_of(MlirValue memref) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(memref, &shape);
  return shape.space;
}

// Whether `first` stands before `node` in a block around it.
static bool comes_before(const TileRoleNode *first, const TileRoleNode *node) {
  while (node && node->home != first->home)
    node = tile_role_parent(node);
  return node && first->index < node->index;
}

// The window of a tensor that a predicate of a fragment asks about: the one
// write to the fragment copies all of it. Null when it is not so.
static MlirValue window_of(const TileRolePlan *plan, const TileRoleNode *node) {
  const TileRoleWrite *only = NULL;
  TileShape src, dst;
  if (node->accesses ||
      (!tile_any_of_is(node->op) && !tile_all_of_is(node->op)))
    return TILE_NULL_VALUE;
  MlirValue tile = mlirOperationGetOperand(node->op, 0);
  for (int i = 0; i < plan->num_writes; i++) {
    if (!mlirValueEqual(plan->writes[i].root, tile))
      continue;
    if (only)
      return TILE_NULL_VALUE;
    only = &plan->writes[i];
  }
  if (!only || !tile_copy_is(only->op) || !comes_before(only->node, node))
    return TILE_NULL_VALUE;
  TileCopyOp copy = tile_copy_cast(only->op);
  MlirValue window = tile_copy_src(copy);
  bool is_whole = mlirValueEqual(tile_copy_dst(copy), tile) &&
                  tile_shape_of(window, &src) && tile_shape_of(tile, &dst) &&
                  src.space == TILE_SPACE_GLOBAL &&
                  tile_shape_equal_extents(&src, &dst) &&
                  mlirTypeEqual(src.element, dst.element);
  return is_whole && mlirValueIsAOpResult(window) &&
                 tile_region_is(mlirOpResultGetOwner(window)) &&
                 tile_role_is_read_only(plan, window)
             ? window
             : TILE_NULL_VALUE;
}

static void need_tile(TileRoleNeed *need, MlirValue root, Why why);

// The memory that `op` reads, and what it writes to.
static void need_memory(TileRoleNeed *need, MlirOperation op, Why why) {
  TileAccess access[TILE_MAX_ACCESSES];
  int n = tile_repeated_accesses(op, access);
  for (int i = 0; i < n; i++) {
    MlirValue root = tile_tensor_root(access[i].tile);
    TileSpace space = space_of(root);
    if (space == TILE_SPACE_PRIVATE || space == TILE_SPACE_FRAGMENT ||
        space == TILE_SPACE_SHARED)
      need_tile(need, root, why);
    else if (access[i].writes)
      fail(need, consumer_data[why], op);
    else if (!tile_role_is_read_only(need->plan, root))
      fail(need, written_global[why], op);
  }
}

static void need_repeated(TileRoleNeed *need, TileRoleNode *node, Why why) {
  if (need->nodes[node->id])
    return;
  need->nodes[node->id] = 1;
  if (node->kind != TILE_NODE_LEAF || !tile_op_is_repeatable(node->op)) {
    fail(need, consumer_data[why], node->op);
    return;
  }
  need_operands(need, node->op, why);
  need_control(need, node);
  need_memory(need, node->op, why);
}

static void add_own(TileRoleNeed *need, MlirValue root) {
  TILE_ARENA_RESERVE(need->plan->arena, need->own, need->num_own,
                     need->own_capacity);
  need->own[need->num_own++] = root;
}

static MlirWalkResult find_product(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_gemm_is(op) || tile_gemm_sp_is(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// A factor of products is better off in a ring.
static bool is_factor(const TileRolePlan *plan, MlirValue root) {
  bool found = false;
  for (int i = 0; i < plan->num_nodes && !found; i++)
    for (TileRoleAccess *a = plan->nodes[i]->accesses; a; a = a->next)
      if (a->reads && mlirValueEqual(a->buffer->value, root))
        mlirOperationWalk(plan->nodes[i]->op, find_product, &found,
                          MlirWalkPreOrder);
  return found;
}

// (N3), (N5)
static void need_tile(TileRoleNeed *need, MlirValue root, Why why) {
  TileRolePlan *plan = need->plan;
  if (tile_pointer_map_get(&need->is_own, root.ptr))
    return;
  tile_pointer_map_set(&need->is_own, root.ptr, plan); // a set
  if (space_of(root) == TILE_SPACE_SHARED && is_factor(plan, root)) {
    fail(need, consumer_data[why], mlirOpResultGetOwner(root));
    return;
  }
  if (space_of(root) != TILE_SPACE_PRIVATE)
    add_own(need, root);
  for (int i = 0; i < plan->num_writes; i++)
    if (mlirValueEqual(plan->writes[i].root, root))
      need_repeated(need, plan->writes[i].node, why);
  for (int i = 0; i < plan->num_nodes; i++)
    for (TileRoleAccess *a = plan->nodes[i]->accesses; a; a = a->next)
      if (a->writes && mlirValueEqual(a->buffer->value, root))
        need_repeated(need, plan->nodes[i], why);
}

static int64_t own_registers(const TileRoleNeed *need) {
  int64_t elems = 0;
  for (int i = 0; i < need->num_own; i++) {
    TileShape shape;
    if (!tile_shape_of(need->own[i], &shape) ||
        shape.space != TILE_SPACE_FRAGMENT)
      continue;
    int64_t words = (tile_elem_bits(shape.element) + 31) / 32;
    elems += tile_shape_num_elems(&shape) * words;
  }
  return elems;
}

static int64_t own_bytes(const TileRoleNeed *need) {
  int64_t total_bytes = 0;
  for (int i = 0; i < need->num_own; i++) {
    TileShape shape;
    if (tile_shape_of(need->own[i], &shape) && shape.space == TILE_SPACE_SHARED)
      total_bytes +=
          tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
  }
  return total_bytes;
}

// One warp with as many elements a thread repeats what is small; four do more.
enum { MOST_OWN_REGISTERS = 64 * 128, MOST_OWN_BYTES = 16384 };

static void check_size(TileRoleNeed *need) {
  int64_t registers = need->own_registers = own_registers(need);
  int64_t size_bytes = need->own_bytes = own_bytes(need);
  if (need->reason.code)
    return;
  if (registers > MOST_OWN_REGISTERS)
    need->reason = (TileRoleReason){"tile-ws/slice-registers", TILE_NULL_OP,
                                    registers, MOST_OWN_REGISTERS};
  else if (size_bytes > MOST_OWN_BYTES)
    need->reason = (TileRoleReason){"tile-ws/slice-bytes", TILE_NULL_OP,
                                    size_bytes, MOST_OWN_BYTES};
}

//===-- Reads past a tile -------------------------------------------------===//

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

// (N4) The only fill after what `node` reads of `box` of a tile, named `read`.
static TileRoleFill *only_fill(const TileRolePlan *plan,
                               const TileRoleNode *node,
                               const TileRoleBuffer *buffer, const TileBox *box,
                               MlirValue read) {
  TileRoleFill *found = NULL;
  if (!buffer->is_plain)
    return NULL;
  for (TileRoleFill *fill = plan->fills; fill; fill = fill->next) {
    if (fill->buffer != buffer ||
        tile_boxes_overlap_as_named(&fill->box, box) == TILE_OVERLAP_NONE)
      continue;
    if (found)
      return NULL;
    found = fill;
  }
  if (!found || !tile_copy_is(found->node->op) || is_viewed(read) ||
      is_viewed(tile_copy_dst(tile_copy_cast(found->node->op))) ||
      !tile_box_contains(&found->box, box) ||
      !comes_before(found->node, node) || !keeps_element_type(found) ||
      !tile_region_is(
          mlirOpResultGetOwner(tile_copy_src(tile_copy_cast(found->node->op)))))
    return NULL;
  return found;
}

static MlirValue tile_read_by(MlirOperation op) {
  return memref_load_is(op) ? memref_load_memref(memref_load_cast(op))
                            : mlirOperationGetOperand(op, 0);
}

// (N7)
static bool is_passed_on(const TileRoleBuffer *buffer) {
  return buffer->is_ticket && buffer->is_plain && !buffer->reason.code;
}

static void need_ticket(TileRoleNeed *need, TileRoleBuffer *buffer, Why why) {
  if (tile_pointer_map_get(&need->is_own, buffer->value.ptr))
    return;
  tile_pointer_map_set(&need->is_own, buffer->value.ptr, need->plan); // a set
  add_own(need, buffer->value);
  for (TileRoleFill *fill = need->plan->fills; fill; fill = fill->next)
    if (fill->buffer == buffer) {
      need_operands(need, fill->node->op, why);
      need_control(need, fill->node);
    }
}

// `op`, the statement or a load in its element loop, reads a tile.
static void need_tile_read(TileRoleNeed *need, TileRoleNode *node,
                           MlirOperation op, Why why) {
  const TileRoleAccess *access = node->accesses;
  bool is_inside = !mlirOperationEqual(op, node->op);
  TileRoleFill *fill = NULL;
  if (is_inside) { // anywhere in the tile
    MlirValue root = tile_buffer_of(tile_read_by(op)).root;
    TileBox box = {.rank = 0};
    tile_box_around(root, &box);
    TileRoleBuffer *buffer =
        tile_pointer_map_get(&need->plan->buffer_of, root.ptr);
    if (buffer)
      fill = only_fill(need->plan, node, buffer, &box, tile_read_by(op));
  } else if (!access->next && is_passed_on(access->buffer)) {
    need_ticket(need, access->buffer, why);
    return;
  } else if (!access->next && (memref_load_is(op) || tile_op_is(op))) {
    fill = only_fill(need->plan, node, access->buffer, &access->box,
                     tile_read_by(op));
  }
  if (!fill && why == WHY_ELEMENT) { // a ring is worth more
    fail(need, consumer_data[why], op);
    return;
  }
  if (!fill) {
    need_memory(need, op, why);
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
  int n = tile_repeated_accesses(op, access);
  bool writes = n == 0, is_shared = false;
  for (int i = 0; i < n; i++) {
    writes |= access[i].writes;
    is_shared |=
        space_of(tile_tensor_root(access[i].tile)) == TILE_SPACE_SHARED;
  }
  if (writes)
    fail(need, side_effect[why], op);
  else if (is_shared && node->accesses)
    need_tile_read(need, node, op, why);
  else if (need->windows[node->id].ptr)
    need_value(need, need->windows[node->id], why);
  else
    need_memory(need, op, why);
}

static bool is_alloc(MlirOperation op) {
  return tile_alloc_is(op) || memref_alloca_is(op);
}

// What names the places of a gathered window: (N2), (N5).
static void need_numbers(TileRoleNeed *need, MlirOperation op, Why why) {
  TileRegionOp region = tile_region_dyn(op);
  if (!region.op.ptr || !tile_region_ids(region).ptr)
    return;
  MlirValue root = tile_tensor_root(tile_region_ids(region));
  if (space_of(root) == TILE_SPACE_SHARED)
    need_tile(need, root, why);
  else if (!tile_role_is_read_only(need->plan, root))
    fail(need, written_global[why], op);
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
  need_numbers(need, op, why);
  need->windows[node->id] = window_of(need->plan, node);
  if (!is_alloc(op) && !mlirxIsMemoryEffectFree(op))
    need_read(need, node, op, why);
  if (!need->windows[node->id].ptr)
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

// A copy, or a fill of a part.
static void need_copy(TileRoleNeed *need, MlirOperation op) {
  MlirValue dst = tile_copy_is(op) ? tile_copy_dst(tile_copy_cast(op))
                                   : tile_fill_dst(tile_fill_cast(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!mlirValueEqual(mlirOperationGetOperand(op, i), dst))
      need_value(need, mlirOperationGetOperand(op, i), WHY_ADDRESS);
  // The window inside the tile may be at an offset that is computed.
  if (tile_buffer_of(dst).region.ptr)
    need_operands(need, mlirOpResultGetOwner(dst), WHY_ADDRESS);
}

static void need_fill(TileRoleNeed *need, const TileRoleFill *fill) {
  need_control(need, fill->node);
  if (tile_role_is_element_fill(fill))
    need_elements(need, fill->node);
  else if (tile_role_is_ticket(fill))
    need_ticket(need, fill->buffer, WHY_ADDRESS);
  else
    need_copy(need, fill->node->op);
  while (need->num_items > 0 && !need->reason.code) {
    struct TileRoleNeedItem item = need->items[--need->num_items];
    if (mlirValueIsABlockArgument(item.value))
      need_argument(need, item.value, item.why);
    else
      need_op(need, item.value, item.why);
  }
  check_size(need);
}

// (N6)
static void need_wait(TileRoleNeed *need, TileRoleNode *node) {
  if (!tile_launch_wait_is(node->op))
    return;
  need->nodes[node->id] = 1;
  need_control(need, node);
}

void tile_role_slice(TileRolePlan *plan, TileRoleFill *const *fills,
                     int num_fills, TileRoleNeed *out_need) {
  need_init(plan, out_need);
  for (int i = 0; i < plan->num_nodes; i++)
    need_wait(out_need, plan->nodes[i]);
  for (int i = 0; i < num_fills; i++)
    need_fill(out_need, fills[i]);
}

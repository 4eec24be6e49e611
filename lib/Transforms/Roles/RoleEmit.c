//===- RoleEmit.c - Writing the program of a role -------------------------===//
//
// One walk over the statements of the kernel: verbs at their places, the ops
// that the role executes, and control flow that carries the positions of the
// channels which move in it.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Verbs -------------------------------------------------------------===//

static void advance(RoleEmitter *e, int channel) {
  RolePosition *position = &e->positions[channel];
  MlirOperation op =
      tile_advance_op(&e->b, .slot = position->slot, .parity = position->parity,
                      .depth = e->plan->channels[channel].depth)
          .op;
  *position = (RolePosition){mlirOperationGetResult(op, 0),
                             mlirOperationGetResult(op, 1), TILE_NULL_VALUE};
}

static void emit_verb(RoleEmitter *e, const TileRoleVerb *verb) {
  const RolePosition *at = &e->positions[verb->channel];
  MlirValue channel = e->shared->channels[verb->channel];
  switch (verb->kind) {
  case TILE_VERB_ACQUIRE:
    tile_acquire(&e->b, channel, at->slot, at->parity);
    break;
  case TILE_VERB_COMMIT:
    tile_commit(&e->b, channel, at->slot, at->parity);
    break;
  case TILE_VERB_WAIT:
    tile_wait(&e->b, channel, at->slot, at->parity);
    break;
  case TILE_VERB_RELEASE:
    tile_release(&e->b, channel, at->slot, at->parity);
    break;
  }
  if (tile_verb_advances(verb->kind))
    advance(e, verb->channel);
}

static void emit_verbs(RoleEmitter *e,
                       const TileRoleVerbs verbs[TILE_NUM_ROLES]) {
  for (const TileRoleVerb *v = verbs[e->role].first; v; v = v->next)
    emit_verb(e, v);
}

//===-- Attributes --------------------------------------------------------===//

static const TileRoleLoop *loop_of(const TileRolePlan *plan,
                                   const TileRoleNode *node) {
  for (const TileRoleLoop *loop = plan->loops; loop; loop = loop->next)
    if (loop->node == node)
      return loop;
  return NULL;
}

// A loop that the producer serves is no longer to be pipelined for its copies,
// and what was planned for its ops is carried out. Channels inside rule it out
// as well. role_rotate has the last word on `tile.num_stages`.
static bool is_done(const TileRolePlan *plan, const TileRoleNode *node) {
  const TileRoleLoop *loop = loop_of(plan, node);
  return loop && (loop->is_served || node->advances[TILE_ROLE_CONSUMER]);
}

static void keep_attributes(RoleEmitter *e, MlirOperation op,
                            MlirOperation *clone) {
  static const char *const of_loops[] = {"tile.num_stages", "tile.specialize"};
  static const char *const of_ops[] = {"tile.stage", "tile.order",
                                       "tile.group"};
  const TileRoleNode *node = tile_role_node_of(e->plan, op);
  bool is_producer = e->role == TILE_ROLE_PRODUCER;
  for (int i = 0; i < 2; i++)
    if (is_producer || (i > 0 && is_done(e->plan, node)))
      mlirOperationRemoveDiscardableAttributeByName(*clone,
                                                    tile_str(of_loops[i]));
  const TileRoleNode *around = tile_role_parent(node);
  while (around && !loop_of(e->plan, around))
    around = tile_role_parent(around);
  if (is_producer || (around && is_done(e->plan, around)))
    for (int i = 0; i < 3; i++)
      mlirOperationRemoveDiscardableAttributeByName(*clone,
                                                    tile_str(of_ops[i]));
}

//===-- Tiles of the producer ---------------------------------------------===//

// The producer's tile for `tile`, or the window or view of it that corresponds
// to `tile`; null when it has none.
static MlirValue own_of(RoleEmitter *e, MlirValue tile) {
  MlirValue *own = tile_pointer_map_get(&e->shared->own_of, tile.ptr);
  if (own)
    return *own;
  if (!mlirValueIsAOpResult(tile))
    return TILE_NULL_VALUE;
  MlirOperation op = mlirOpResultGetOwner(tile);
  if (!tile_is_name_op(op))
    return TILE_NULL_VALUE;
  MlirValue source = own_of(e, mlirOperationGetOperand(op, 0));
  if (mlirValueIsNull(source))
    return source;
  MlirOperation clone = mlirxClone(e->b.rw, op, e->map);
  mlirOperationSetOperand(clone, 0, source);
  return mlirOperationGetResult(clone, 0);
}

typedef struct {
  RoleEmitter *e;
  MlirOperation outer;
} OwnUses;

static MlirWalkResult use_own(MlirOperation op, void *user_data) {
  const OwnUses *uses = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (tile_value_is_inside(operand, uses->outer))
      continue;
    MlirValue own = own_of(uses->e, operand);
    if (own.ptr)
      mlirOperationSetOperand(op, i, own);
  }
  return MlirWalkResultAdvance;
}

// Makes `op`, a clone at the insertion point, use the producer's own tiles.
static void use_own_tiles(RoleEmitter *e, MlirOperation op) {
  OwnUses uses = {e, op};
  MlirBlock block = mlirOperationGetBlock(op);
  mlirRewriterBaseSetInsertionPointBefore(e->b.rw, op);
  mlirOperationWalk(op, use_own, &uses, MlirWalkPreOrder);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, block);
}

//===-- Control flow ------------------------------------------------------===//
//
// Loops carry, and branches yield, what the role needs of the values that they
// had, followed by slot and parity of each channel whose position moves inside.

//===-- Lists of values ---------------------------------------------------===//

typedef struct {
  MlirValue *values;
  MlirType *types;
  MlirLocation *locations;
  intptr_t n;
} List;

static List list_new(RoleEmitter *e, intptr_t capacity) {
  TileArena *arena = e->plan->arena;
  return (List){TILE_ARENA_NEW(arena, MlirValue, capacity),
                TILE_ARENA_NEW(arena, MlirType, capacity),
                TILE_ARENA_NEW(arena, MlirLocation, capacity), 0};
}

static void list_add(RoleEmitter *e, List *list, MlirValue value) {
  list->values[list->n] = value;
  list->types[list->n] = mlirValueGetType(value);
  list->locations[list->n++] = e->b.loc;
}

// Slot and parity of each channel, at most.
static intptr_t room_for_positions(const RoleEmitter *e) {
  return (intptr_t)2 * e->plan->num_channels;
}

static bool moves(const RoleEmitter *e, const TileRoleNode *node, int channel) {
  const uint8_t *set = node->advances[e->role];
  return set && set[channel];
}

static void add_positions(RoleEmitter *e, const TileRoleNode *node,
                          List *list) {
  for (int c = 0; c < e->plan->num_channels; c++) {
    if (!moves(e, node, c))
      continue;
    list_add(e, list, e->positions[c].slot);
    list_add(e, list, e->positions[c].parity);
  }
}

typedef MlirValue (*ValueAt)(const void *from, intptr_t i);

static MlirValue argument_at(const void *from, intptr_t i) {
  return mlirBlockGetArgument((MlirBlock){(void *)from}, i);
}

static MlirValue result_at(const void *from, intptr_t i) {
  return mlirOperationGetResult((MlirOperation){(void *)from}, i);
}

// Positions are the values from number `first` on.
static void set_positions(RoleEmitter *e, const TileRoleNode *node, ValueAt at,
                          const void *from, intptr_t first) {
  for (int c = 0; c < e->plan->num_channels; c++) {
    if (!moves(e, node, c))
      continue;
    e->positions[c].slot = at(from, first++);
    e->positions[c].parity = at(from, first++);
    e->positions[c].index = TILE_NULL_VALUE;
  }
}

static RolePosition *save_positions(const RoleEmitter *e) {
  size_t count = (size_t)e->plan->num_channels;
  RolePosition *saved = TILE_ARENA_NEW(e->plan->arena, RolePosition, count);
  memcpy(saved, e->positions, count * sizeof *saved);
  return saved;
}

static void restore_positions(RoleEmitter *e, const RolePosition *saved) {
  memcpy(e->positions, saved,
         (size_t)e->plan->num_channels * sizeof *e->positions);
}

// The consumer keeps all that the kernel carries.
static bool keeps(const RoleEmitter *e, MlirValue value) {
  return e->role == TILE_ROLE_CONSUMER ||
         tile_pointer_map_get(&e->plan->needed, value.ptr);
}

//===-- Ops with blocks ---------------------------------------------------===//

static MlirBlock block_new(const List *arguments, MlirRegion *out_region) {
  MlirBlock block = arguments ? mlirBlockCreate(arguments->n, arguments->types,
                                                arguments->locations)
                              : mlirBlockCreate(0, NULL, NULL);
  *out_region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(*out_region, block);
  return block;
}

// An op of the same name and attributes as `node`, at the end of `into`.
static MlirOperation control_new(RoleEmitter *e, const TileRoleNode *node,
                                 const List *operands, const List *results,
                                 MlirRegion *regions, intptr_t num_regions,
                                 MlirBlock into) {
  MlirOperationState state = mlirOperationStateGet(
      mlirIdentifierStr(mlirOperationGetName(node->op)), e->b.loc);
  mlirOperationStateAddOperands(&state, operands->n, operands->values);
  mlirOperationStateAddResults(&state, results->n, results->types);
  mlirOperationStateAddOwnedRegions(&state, num_regions, regions);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(node->op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(node->op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirOperation op = mlirOperationCreate(&state);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
  mlirRewriterBaseInsert(e->b.rw, op);
  keep_attributes(e, node->op, &op);
  return op;
}

// Operands of the terminator of `block` that the role keeps, then positions.
static List end_of_block(RoleEmitter *e, const TileRoleNode *node,
                         MlirBlock block, const uint8_t *kept, intptr_t skip) {
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t n = mlirOperationGetNumOperands(end);
  List list = list_new(e, n + room_for_positions(e));
  for (intptr_t i = 0; i < n; i++)
    if (i < skip || kept[i - skip])
      list_add(e, &list, role_value(e, mlirOperationGetOperand(end, i)));
  add_positions(e, node, &list);
  return list;
}

static void yield(RoleEmitter *e, const List *list, MlirBlock into) {
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
  scf_yield(&e->b, .results = {list->values, list->n});
}

static intptr_t map_kept(RoleEmitter *e, ValueAt from_at, const void *from,
                         intptr_t from_first, const uint8_t *kept, intptr_t n,
                         ValueAt to_at, const void *to, intptr_t to_first) {
  for (intptr_t i = 0; i < n; i++)
    if (kept[i])
      mlirxMappingSet(e->map, from_at(from, from_first + i),
                      to_at(to, to_first++));
  return to_first;
}

//===-- scf.for -----------------------------------------------------------===//

static void emit_for(RoleEmitter *e, const TileRoleNode *node, MlirBlock into) {
  ScfForOp loop = scf_for_cast(node->op);
  MlirBlock body = node->blocks[0].block;
  TileRange inits = scf_for_initArgs(loop);
  uint8_t *kept = TILE_ARENA_NEW(e->plan->arena, uint8_t, inits.n);
  intptr_t capacity = inits.n + room_for_positions(e);
  List operands = list_new(e, capacity + 3), carried = list_new(e, capacity);
  for (intptr_t i = 0; i < inits.n; i++) {
    kept[i] = keeps(e, mlirBlockGetArgument(body, i + 1));
    if (kept[i])
      list_add(e, &carried, role_value(e, tile_range_at(inits, i)));
  }
  intptr_t num_kept = carried.n;
  add_positions(e, node, &carried);
  list_add(e, &operands, role_value(e, scf_for_lowerBound(loop)));
  list_add(e, &operands, role_value(e, scf_for_upperBound(loop)));
  list_add(e, &operands, role_value(e, scf_for_step(loop)));
  List arguments = list_new(e, capacity + 1);
  list_add(e, &arguments, mlirBlockGetArgument(body, 0));
  for (intptr_t i = 0; i < carried.n; i++) {
    list_add(e, &operands, carried.values[i]);
    list_add(e, &arguments, carried.values[i]);
  }
  MlirRegion region;
  MlirBlock inner = block_new(&arguments, &region);
  MlirOperation op =
      control_new(e, node, &operands, &carried, &region, 1, into);

  RolePosition *outside = save_positions(e);
  mlirxMappingSet(e->map, mlirBlockGetArgument(body, 0),
                  mlirBlockGetArgument(inner, 0));
  map_kept(e, argument_at, body.ptr, 1, kept, inits.n, argument_at, inner.ptr,
           1);
  set_positions(e, node, argument_at, inner.ptr, 1 + num_kept);
  role_emit_block(e, &node->blocks[0], inner);
  List end = end_of_block(e, node, body, kept, 0);
  yield(e, &end, inner);
  restore_positions(e, outside);
  map_kept(e, result_at, node->op.ptr, 0, kept, inits.n, result_at, op.ptr, 0);
  set_positions(e, node, result_at, op.ptr, num_kept);
}

//===-- scf.if ------------------------------------------------------------===//

static void emit_branch(RoleEmitter *e, const TileRoleNode *node, int branch,
                        const uint8_t *kept, MlirBlock inner) {
  const TileRoleBlock *block = &node->blocks[branch];
  role_emit_block(e, block, inner);
  List end = list_new(e, room_for_positions(e));
  if (mlirBlockIsNull(block->block))
    add_positions(e, node, &end);
  else
    end = end_of_block(e, node, block->block, kept, 0);
  yield(e, &end, inner);
}

static void emit_if(RoleEmitter *e, const TileRoleNode *node, MlirBlock into) {
  ScfIfOp branch = scf_if_cast(node->op);
  intptr_t n = mlirOperationGetNumResults(node->op);
  uint8_t *kept = TILE_ARENA_NEW(e->plan->arena, uint8_t, n);
  List results = list_new(e, n + room_for_positions(e));
  for (intptr_t i = 0; i < n; i++) {
    MlirValue result = mlirOperationGetResult(node->op, i);
    kept[i] = keeps(e, result);
    if (kept[i])
      list_add(e, &results, result);
  }
  intptr_t num_kept = results.n;
  add_positions(e, node, &results);
  List condition = list_new(e, 1);
  list_add(e, &condition, role_value(e, scf_if_condition(branch)));
  MlirRegion regions[2];
  MlirBlock inner[2];
  for (int i = 0; i < 2; i++)
    inner[i] = block_new(NULL, &regions[i]);
  bool has_else = results.n > 0 || !mlirBlockIsNull(node->blocks[1].block) ||
                  node->blocks[1].end[e->role].first;
  if (!has_else) {
    mlirRegionDestroy(regions[1]);
    regions[1] = mlirRegionCreate();
  }
  MlirOperation op =
      control_new(e, node, &condition, &results, regions, 2, into);

  RolePosition *outside = save_positions(e);
  for (int i = 0; i < 1 + has_else; i++) {
    restore_positions(e, outside);
    emit_branch(e, node, i, kept, inner[i]);
  }
  restore_positions(e, outside);
  map_kept(e, result_at, node->op.ptr, 0, kept, n, result_at, op.ptr, 0);
  set_positions(e, node, result_at, op.ptr, num_kept);
}

//===-- scf.while ---------------------------------------------------------===//

static void emit_condition(RoleEmitter *e, const TileRoleNode *node,
                           const uint8_t *passed, MlirBlock inner,
                           List *out_passed) {
  role_emit_block(e, &node->blocks[0], inner);
  List end = end_of_block(e, node, node->blocks[0].block, passed, 1);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, inner);
  *out_passed =
      (List){end.values + 1, end.types + 1, end.locations + 1, end.n - 1};
  scf_condition(&e->b, .condition = end.values[0],
                .args = {out_passed->values, out_passed->n});
}

static void emit_while(RoleEmitter *e, const TileRoleNode *node,
                       MlirBlock into) {
  MlirBlock before = node->blocks[0].block, after = node->blocks[1].block;
  TileRange inits = scf_while_inits(scf_while_cast(node->op));
  intptr_t num_passed = mlirBlockGetNumArguments(after);
  uint8_t *kept = TILE_ARENA_NEW(e->plan->arena, uint8_t, inits.n);
  uint8_t *passed = TILE_ARENA_NEW(e->plan->arena, uint8_t, num_passed);
  intptr_t num_positions = room_for_positions(e);
  List operands = list_new(e, inits.n + num_positions);
  List results = list_new(e, num_passed + num_positions);
  for (intptr_t i = 0; i < inits.n; i++) {
    kept[i] = keeps(e, mlirBlockGetArgument(before, i));
    if (kept[i])
      list_add(e, &operands, role_value(e, tile_range_at(inits, i)));
  }
  intptr_t num_kept = operands.n;
  add_positions(e, node, &operands);
  for (intptr_t i = 0; i < num_passed; i++) {
    passed[i] = keeps(e, mlirBlockGetArgument(after, i));
    if (passed[i])
      list_add(e, &results, mlirBlockGetArgument(after, i));
  }
  num_passed = results.n;
  add_positions(e, node, &results);
  MlirRegion regions[2];
  MlirBlock condition = block_new(&operands, &regions[0]);
  MlirBlock body = block_new(&results, &regions[1]);
  MlirOperation op =
      control_new(e, node, &operands, &results, regions, 2, into);

  RolePosition *outside = save_positions(e);
  List values;
  map_kept(e, argument_at, before.ptr, 0, kept, inits.n, argument_at,
           condition.ptr, 0);
  set_positions(e, node, argument_at, condition.ptr, num_kept);
  emit_condition(e, node, passed, condition, &values);
  restore_positions(e, outside);
  intptr_t all = mlirBlockGetNumArguments(after);
  map_kept(e, argument_at, after.ptr, 0, passed, all, argument_at, body.ptr, 0);
  set_positions(e, node, argument_at, body.ptr, num_passed);
  role_emit_block(e, &node->blocks[1], body);
  List end = end_of_block(e, node, after, kept, 0);
  yield(e, &end, body);
  restore_positions(e, outside);
  map_kept(e, result_at, node->op.ptr, 0, passed, all, result_at, op.ptr, 0);
  set_positions(e, node, result_at, op.ptr, num_passed);
}

static void emit_control(RoleEmitter *e, const TileRoleNode *node,
                         MlirBlock into) {
  if (node->kind == TILE_NODE_FOR)
    emit_for(e, node, into);
  else if (node->kind == TILE_NODE_IF)
    emit_if(e, node, into);
  else
    emit_while(e, node, into);
}

//===-- Statements --------------------------------------------------------===//

static TileSpace space_of(MlirValue memref) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(memref, &shape);
  return shape.space;
}

// Shared tiles belong to the consumers, or are rings; windows of rings are cut
// where they are used.
static bool is_passed_over(const RoleEmitter *e, MlirOperation op) {
  if (!tile_is_name_op(op) && !tile_alloc_is(op))
    return false;
  MlirValue root = tile_buffer_of(mlirOperationGetResult(op, 0)).root;
  if (space_of(root) != TILE_SPACE_SHARED)
    return false;
  const TileRoleBuffer *buffer =
      tile_pointer_map_get(&e->plan->buffer_of, root.ptr);
  return e->role == TILE_ROLE_PRODUCER || (buffer && buffer->is_taken);
}

// Into a tile of the producer's own, and from there to the consumers.
static void emit_ticket(RoleEmitter *e, const TileRoleNode *node) {
  const TileRoleBuffer *buffer = node->fill->buffer;
  use_own_tiles(e, mlirxClone(e->b.rw, node->op, e->map));
  tile_copy(&e->b, .src = own_of(e, buffer->value), .dst = role_slot(e, buffer),
            .instr = TILE_SOME(TILE_INSTR_Simt));
}

static void emit_fill(RoleEmitter *e, const TileRoleNode *node) {
  int channel = node->fill->buffer->channel;
  if (tile_role_is_ticket(node->fill)) {
    emit_ticket(e, node);
    return;
  }
  MlirOperation op = mlirxClone(e->b.rw, node->op, e->map);
  if (!tile_copy_is(op)) {
    if (tile_role_is_element_fill(node->fill))
      role_forward_loads(e, node->op);
    role_use_slots(e, op);
    keep_attributes(e, node->op, &op);
    return; // what it stores is covered by the commit
  }
  role_use_slots(e, op);
  TileCopyOp copy = tile_copy_cast(op);
  tile_copy_set_signal(copy, e->shared->channels[channel]);
  tile_copy_set_slot(copy, role_slot_index(e, channel));
  tile_copy_set_instr_attr(
      copy, TileInstr_attr(tile_builder_context(&e->b), node->fill->instr));
  keep_attributes(e, node->op, &op);
}

// What the consumers execute too, on other tiles.
static void emit_repeated(RoleEmitter *e, const TileRoleNode *node) {
  MlirOperation op = mlirxClone(e->b.rw, node->op, e->map);
  keep_attributes(e, node->op, &op);
  use_own_tiles(e, op);
  TileCopyOp copy = tile_copy_dyn(op);
  if (!copy.op.ptr || mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return;
  // At once: nobody waits for it.
  tile_copy_set_instr_attr(
      copy, TileInstr_attr(tile_builder_context(&e->b), TILE_INSTR_Simt));
  tile_copy_set_prefer_attr(copy, (MlirAttribute){NULL});
}

static bool is_executed(const RoleEmitter *e, const TileRoleNode *node) {
  if (e->shared->is_shared[node->id])
    return false;
  if (e->role == TILE_ROLE_PRODUCER)
    return node->is_needed;
  return !node->is_moved && !node->is_dead;
}

static void emit_statement(RoleEmitter *e, const TileRoleNode *node,
                           MlirBlock into) {
  if (!is_executed(e, node))
    return;
  bool is_producer = e->role == TILE_ROLE_PRODUCER;
  if (node->kind != TILE_NODE_LEAF) {
    emit_control(e, node, into);
  } else if (node->is_moved) {
    emit_fill(e, node);
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
    if (node->is_repeated)
      emit_repeated(e, node);
  } else if (is_producer && node->is_repeated) {
    emit_repeated(e, node);
  } else if (node->forward) {
    role_emit_forwarded(e, node);
  } else if (!is_passed_over(e, node->op)) {
    MlirOperation op = mlirxClone(e->b.rw, node->op, e->map);
    keep_attributes(e, node->op, &op);
    MlirValue window = node->window;
    if (is_producer && window.ptr)
      mlirOperationSetOperand(op, 0, role_value(e, window));
    else if (is_producer)
      use_own_tiles(e, op);
    else if (node->accesses)
      role_use_slots(e, op);
  }
}

void role_emit_block(RoleEmitter *e, const TileRoleBlock *block,
                     MlirBlock into) {
  MlirLocation outer = e->b.loc;
  for (int i = 0; i < block->num_nodes; i++) {
    const TileRoleNode *node = block->nodes[i];
    e->b.loc = mlirOperationGetLocation(node->op);
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
    emit_verbs(e, node->before);
    emit_statement(e, node, into);
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
    emit_verbs(e, node->after);
  }
  e->b.loc = outer;
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
  emit_verbs(e, block->end);
}

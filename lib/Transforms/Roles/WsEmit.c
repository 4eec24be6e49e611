//===- WsEmit.c - The statements of a role --------------------------------===//

#include "WsEmit.h"

#include "Tile/Ops/memref.h"

//===-- Verbs -------------------------------------------------------------===//

static void advance(WsEmit *e, int channel) {
  WsPosition *position = &e->positions[channel];
  MlirOperation op =
      tile_advance_op(&e->b, .slot = position->slot, .parity = position->parity,
                      .depth = e->plan->channels[channel].depth)
          .op;
  *position = (WsPosition){mlirOperationGetResult(op, 0),
                           mlirOperationGetResult(op, 1), TILE_NULL_VALUE};
}

static void emit_verb(WsEmit *e, const TileRoleVerb *verb) {
  const WsPosition *at = &e->positions[verb->channel];
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

static void emit_verbs(WsEmit *e, const TileRoleVerbs verbs[TILE_NUM_ROLES]) {
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
// as well. ws_rotate has the last word on `tile.num_stages`.
static bool is_done(const TileRolePlan *plan, const TileRoleNode *node) {
  const TileRoleLoop *loop = loop_of(plan, node);
  return loop && (loop->is_served || node->advances[TILE_ROLE_CONSUMER]);
}

void ws_keep_attributes(WsEmit *e, MlirOperation op, MlirOperation *clone) {
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

//===-- Statements --------------------------------------------------------===//

static TileSpace space_of(MlirValue memref) {
  TileShape shape = {.space = TILE_SPACE_OTHER};
  tile_shape_of(memref, &shape);
  return shape.space;
}

// Shared tiles belong to the consumers, or are rings; windows of rings are cut
// where they are used.
static bool is_passed_over(const WsEmit *e, MlirOperation op) {
  if (!tile_region_is(op) && !tile_view_is(op) && !tile_alloc_is(op))
    return false;
  MlirValue root = tile_buffer_of(mlirOperationGetResult(op, 0)).root;
  if (space_of(root) != TILE_SPACE_SHARED)
    return false;
  const TileRoleBuffer *buffer =
      tile_pointer_map_get(&e->plan->buffer_of, root.ptr);
  return e->role == TILE_ROLE_PRODUCER || (buffer && buffer->is_taken);
}

static void emit_fill(WsEmit *e, const TileRoleNode *node) {
  int channel = node->fill->buffer->channel;
  MlirOperation op = mlirxClone(e->b.rw, node->op, e->map);
  if (!tile_copy_is(op)) {
    if (tile_role_is_element_fill(node->fill))
      ws_forward_loads(e, node->op);
    ws_use_slots(e, op);
    ws_keep_attributes(e, node->op, &op);
    return; // what it stores is covered by the commit
  }
  ws_use_slots(e, op);
  TileCopyOp copy = tile_copy_cast(op);
  tile_copy_set_signal(copy, e->shared->channels[channel]);
  tile_copy_set_slot(copy, ws_slot_index(e, channel));
  tile_copy_set_instr_attr(
      copy, TileInstr_attr(tile_builder_context(&e->b), node->fill->instr));
  ws_keep_attributes(e, node->op, &op);
}

// What the consumers execute too, on other tiles.
static void emit_repeated(WsEmit *e, const TileRoleNode *node) {
  MlirOperation op = mlirxClone(e->b.rw, node->op, e->map);
  ws_keep_attributes(e, node->op, &op);
  ws_use_own(e, op);
  TileCopyOp copy = tile_copy_dyn(op);
  if (!copy.op.ptr || mlirAttributeIsNull(tile_copy_instr_attr(copy)))
    return;
  // At once: nobody waits for it.
  tile_copy_set_instr_attr(
      copy, TileInstr_attr(tile_builder_context(&e->b), TILE_INSTR_Simt));
  tile_copy_set_prefer_attr(copy, (MlirAttribute){NULL});
}

static bool is_executed(const WsEmit *e, const TileRoleNode *node) {
  if (e->shared->is_shared[node->id])
    return false;
  if (e->role == TILE_ROLE_PRODUCER)
    return node->is_needed;
  return !node->is_moved && !node->is_dead;
}

static void emit_statement(WsEmit *e, const TileRoleNode *node,
                           MlirBlock into) {
  if (!is_executed(e, node))
    return;
  bool is_producer = e->role == TILE_ROLE_PRODUCER;
  if (node->kind != TILE_NODE_LEAF) {
    ws_emit_control(e, node, into);
  } else if (node->is_moved) {
    emit_fill(e, node);
    mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
    if (node->is_repeated)
      emit_repeated(e, node);
  } else if (is_producer && node->is_repeated) {
    emit_repeated(e, node);
  } else if (node->forward) {
    ws_emit_forwarded(e, node);
  } else if (!is_passed_over(e, node->op)) {
    MlirOperation op = mlirxClone(e->b.rw, node->op, e->map);
    ws_keep_attributes(e, node->op, &op);
    MlirValue window = tile_role_window_of(e->plan, node);
    if (is_producer && window.ptr)
      mlirOperationSetOperand(op, 0, ws_value(e, window));
    else if (is_producer)
      ws_use_own(e, op);
    else if (node->accesses)
      ws_use_slots(e, op);
  }
}

void ws_emit_block(WsEmit *e, const TileRoleBlock *block, MlirBlock into) {
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

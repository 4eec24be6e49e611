//===- WsControl.c - Control flow of a role -------------------------------===//
//
// Loops carry, and branches yield, what the role needs of the values that they
// had, followed by slot and parity of each channel whose position moves inside.
//
//===----------------------------------------------------------------------===//

#include "WsEmit.h"

#include "Tile/Ops/scf.h"

//===-- Lists of values ---------------------------------------------------===//

typedef struct {
  MlirValue *values;
  MlirType *types;
  MlirLocation *locations;
  intptr_t n;
} List;

static List list_new(WsEmit *e, intptr_t capacity) {
  TileArena *arena = e->plan->arena;
  return (List){TILE_ARENA_NEW(arena, MlirValue, capacity),
                TILE_ARENA_NEW(arena, MlirType, capacity),
                TILE_ARENA_NEW(arena, MlirLocation, capacity), 0};
}

static void list_add(WsEmit *e, List *list, MlirValue value) {
  list->values[list->n] = value;
  list->types[list->n] = mlirValueGetType(value);
  list->locations[list->n++] = e->b.loc;
}

// Slot and parity of each channel, at most.
static intptr_t room_for_positions(const WsEmit *e) {
  return (intptr_t)2 * e->plan->num_channels;
}

static bool moves(const WsEmit *e, const TileRoleNode *node, int channel) {
  const uint8_t *set = node->advances[e->role];
  return set && set[channel];
}

static void add_positions(WsEmit *e, const TileRoleNode *node, List *list) {
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
static void set_positions(WsEmit *e, const TileRoleNode *node, ValueAt at,
                          const void *from, intptr_t first) {
  for (int c = 0; c < e->plan->num_channels; c++) {
    if (!moves(e, node, c))
      continue;
    e->positions[c].slot = at(from, first++);
    e->positions[c].parity = at(from, first++);
    e->positions[c].index = TILE_NULL_VALUE;
  }
}

static WsPosition *save_positions(const WsEmit *e) {
  size_t count = (size_t)e->plan->num_channels;
  WsPosition *saved = TILE_ARENA_NEW(e->plan->arena, WsPosition, count);
  memcpy(saved, e->positions, count * sizeof *saved);
  return saved;
}

static void restore_positions(WsEmit *e, const WsPosition *saved) {
  memcpy(e->positions, saved,
         (size_t)e->plan->num_channels * sizeof *e->positions);
}

// The consumer keeps all that the kernel carries.
static bool keeps(const WsEmit *e, MlirValue value) {
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
static MlirOperation control_new(WsEmit *e, const TileRoleNode *node,
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
  ws_keep_attributes(e, node->op, &op);
  return op;
}

// Operands of the terminator of `block` that the role keeps, then positions.
static List end_of_block(WsEmit *e, const TileRoleNode *node, MlirBlock block,
                         const uint8_t *kept, intptr_t skip) {
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t n = mlirOperationGetNumOperands(end);
  List list = list_new(e, n + room_for_positions(e));
  for (intptr_t i = 0; i < n; i++)
    if (i < skip || kept[i - skip])
      list_add(e, &list, ws_value(e, mlirOperationGetOperand(end, i)));
  add_positions(e, node, &list);
  return list;
}

static void yield(WsEmit *e, const List *list, MlirBlock into) {
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, into);
  scf_yield(&e->b, .results = {list->values, list->n});
}

static intptr_t map_kept(WsEmit *e, ValueAt from_at, const void *from,
                         intptr_t from_first, const uint8_t *kept, intptr_t n,
                         ValueAt to_at, const void *to, intptr_t to_first) {
  for (intptr_t i = 0; i < n; i++)
    if (kept[i])
      mlirxMappingSet(e->map, from_at(from, from_first + i),
                      to_at(to, to_first++));
  return to_first;
}

//===-- scf.for -----------------------------------------------------------===//

static void emit_for(WsEmit *e, const TileRoleNode *node, MlirBlock into) {
  ScfForOp loop = scf_for_cast(node->op);
  MlirBlock body = node->blocks[0].block;
  TileRange inits = scf_for_initArgs(loop);
  uint8_t *kept = TILE_ARENA_NEW(e->plan->arena, uint8_t, inits.n);
  intptr_t capacity = inits.n + room_for_positions(e);
  List operands = list_new(e, capacity + 3), carried = list_new(e, capacity);
  for (intptr_t i = 0; i < inits.n; i++) {
    kept[i] = keeps(e, mlirBlockGetArgument(body, i + 1));
    if (kept[i])
      list_add(e, &carried, ws_value(e, tile_range_at(inits, i)));
  }
  intptr_t num_kept = carried.n;
  add_positions(e, node, &carried);
  list_add(e, &operands, ws_value(e, scf_for_lowerBound(loop)));
  list_add(e, &operands, ws_value(e, scf_for_upperBound(loop)));
  list_add(e, &operands, ws_value(e, scf_for_step(loop)));
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

  WsPosition *outside = save_positions(e);
  mlirxMappingSet(e->map, mlirBlockGetArgument(body, 0),
                  mlirBlockGetArgument(inner, 0));
  map_kept(e, argument_at, body.ptr, 1, kept, inits.n, argument_at, inner.ptr,
           1);
  set_positions(e, node, argument_at, inner.ptr, 1 + num_kept);
  ws_emit_block(e, &node->blocks[0], inner);
  List end = end_of_block(e, node, body, kept, 0);
  yield(e, &end, inner);
  restore_positions(e, outside);
  map_kept(e, result_at, node->op.ptr, 0, kept, inits.n, result_at, op.ptr, 0);
  set_positions(e, node, result_at, op.ptr, num_kept);
}

//===-- scf.if ------------------------------------------------------------===//

static void emit_branch(WsEmit *e, const TileRoleNode *node, int branch,
                        const uint8_t *kept, MlirBlock inner) {
  const TileRoleBlock *block = &node->blocks[branch];
  ws_emit_block(e, block, inner);
  List end = list_new(e, room_for_positions(e));
  if (mlirBlockIsNull(block->block))
    add_positions(e, node, &end);
  else
    end = end_of_block(e, node, block->block, kept, 0);
  yield(e, &end, inner);
}

static void emit_if(WsEmit *e, const TileRoleNode *node, MlirBlock into) {
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
  list_add(e, &condition, ws_value(e, scf_if_condition(branch)));
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

  WsPosition *outside = save_positions(e);
  for (int i = 0; i < 1 + has_else; i++) {
    restore_positions(e, outside);
    emit_branch(e, node, i, kept, inner[i]);
  }
  restore_positions(e, outside);
  map_kept(e, result_at, node->op.ptr, 0, kept, n, result_at, op.ptr, 0);
  set_positions(e, node, result_at, op.ptr, num_kept);
}

//===-- scf.while ---------------------------------------------------------===//

static void emit_condition(WsEmit *e, const TileRoleNode *node,
                           const uint8_t *passed, MlirBlock inner,
                           List *out_passed) {
  ws_emit_block(e, &node->blocks[0], inner);
  List end = end_of_block(e, node, node->blocks[0].block, passed, 1);
  mlirRewriterBaseSetInsertionPointToEnd(e->b.rw, inner);
  *out_passed =
      (List){end.values + 1, end.types + 1, end.locations + 1, end.n - 1};
  scf_condition(&e->b, .condition = end.values[0],
                .args = {out_passed->values, out_passed->n});
}

static void emit_while(WsEmit *e, const TileRoleNode *node, MlirBlock into) {
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
      list_add(e, &operands, ws_value(e, tile_range_at(inits, i)));
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

  WsPosition *outside = save_positions(e);
  List values;
  map_kept(e, argument_at, before.ptr, 0, kept, inits.n, argument_at,
           condition.ptr, 0);
  set_positions(e, node, argument_at, condition.ptr, num_kept);
  emit_condition(e, node, passed, condition, &values);
  restore_positions(e, outside);
  intptr_t all = mlirBlockGetNumArguments(after);
  map_kept(e, argument_at, after.ptr, 0, passed, all, argument_at, body.ptr, 0);
  set_positions(e, node, argument_at, body.ptr, num_passed);
  ws_emit_block(e, &node->blocks[1], body);
  List end = end_of_block(e, node, after, kept, 0);
  yield(e, &end, body);
  restore_positions(e, outside);
  map_kept(e, result_at, node->op.ptr, 0, passed, all, result_at, op.ptr, 0);
  set_positions(e, node, result_at, op.ptr, num_passed);
}

void ws_emit_control(WsEmit *e, const TileRoleNode *node, MlirBlock into) {
  if (node->kind == TILE_NODE_FOR)
    emit_for(e, node, into);
  else if (node->kind == TILE_NODE_IF)
    emit_if(e, node, into);
  else
    emit_while(e, node, into);
}

//===- RolePingpong.c - Warpgroups that take tiles in turn ----------------===//
//
// In a persistent kernel that multiplies, all computing warps leave the tensor
// cores together to store a tile. Here each of two warpgroups computes whole
// tiles, the first one and the other in turn: one multiplies while the other
// stores.
//
//   role "consumer"                role "consumer-0"     role "consumer-1"
//     for t = block, step grid       for t, step 2 grid    for t, step 2 grid
//       unit t                         unit t                skip t
//                                      if t + grid < n       if t + grid < n
//                                        skip t + grid         unit t + grid
//
// The producer fills one ring for all tiles. `skip` is what is left of a unit
// without effects: the positions move on past the slots of the other warpgroup.
// A turn goes from the first wait of a unit to its last product, for slots are
// numbered: a warpgroup that waited a lap ahead would take the parity of one
// phase for that of another. Tiles that a unit takes one of, such as a bias,
// from a ring of an even number of slots are not part of it: each warpgroup
// meets the same slots again and again, and has waited for every phase of
// theirs.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"

#include "Dialect/Products.h"
#include "Support/Constants.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Can they? ---------------------------------------------------------===//

static bool has_attr(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(
      mlirOperationGetDiscardableAttributeByName(op, tile_str(name)));
}

static bool has_mark(MlirOperation op) {
  return has_attr(op, TILE_PINGPONG_ATTR);
}

// The one loop over tiles, around all that the kernel does; NULL: there is
// none. Private memory is nothing that a skipped tile would leave as it should.
static const TileRoleNode *find_tile_loop(const TileRolePlan *plan) {
  const TileRoleNode *found = NULL;
  for (int i = 0; i < plan->body.num_nodes; i++) {
    const TileRoleNode *node = plan->body.nodes[i];
    bool is_loop = node->kind == TILE_NODE_FOR && has_mark(node->op);
    if (is_loop && !found && mlirOperationGetNumResults(node->op) == 0)
      found = node;
    else if (node->kind != TILE_NODE_LEAF ||
             (!tile_alloc_is(node->op) && !tile_kernel_config_is(node->op) &&
              !mlirxIsMemoryEffectFree(node->op)))
      return NULL;
  }
  return found;
}

static bool loops_over_tiles(const TileRolePlan *plan) {
  for (int i = 0; i < plan->body.num_nodes; i++)
    if (has_attr(plan->body.nodes[i]->op, TILE_PERSISTENT_ATTR))
      return true;
  return false;
}

static bool is_ring(const TileRolePlan *plan, MlirValue tile) {
  const TileRoleBuffer *buffer =
      tile_pointer_map_get(&plan->buffer_of, tile_buffer_of(tile).root.ptr);
  return buffer && buffer->is_taken;
}

typedef struct {
  const TileRolePlan *plan;
  int num_products;
  const char *reason;
} Products;

static MlirWalkResult check_product(MlirOperation op, void *user_data) {
  Products *products = user_data;
  TileProduct product;
  if (!tile_product_of(op, &product))
    return MlirWalkResultAdvance;
  products->num_products++;
  if (!is_ring(products->plan, product.a) ||
      !is_ring(products->plan, product.b))
    products->reason = "a factor is not copied by the producer";
  else if (!tile_product_may_take_turns(&product, &products->plan->instr))
    products->reason = "a product is sparse, or no wgmma of one warpgroup";
  return MlirWalkResultAdvance;
}

// Whether a value is known from numbers of the tile, of loops and of the kernel
// alone. What memory holds would have to be remembered of two tiles at once:
// the proof of the barriers does not follow that.
typedef struct {
  const TileRolePlan *plan;
  TilePointerMap seen; // values
  bool is_of_numbers;
} Slice;

static void visit_value(Slice *slice, MlirValue value) {
  MlirOperation kernel = slice->plan->kernel;
  if (!slice->is_of_numbers || !tile_value_is_inside(value, kernel) ||
      tile_pointer_map_get(&slice->seen, value.ptr))
    return;
  tile_pointer_map_set(&slice->seen, value.ptr, slice);
  if (!mlirValueIsAOpResult(value)) {
    MlirOperation parent =
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    slice->is_of_numbers =
        mlirOperationEqual(parent, kernel) ||
        (scf_for_is(parent) && mlirBlockArgumentGetArgNumber(value) == 0);
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  slice->is_of_numbers =
      mlirxIsMemoryEffectFree(op) && mlirOperationGetNumRegions(op) == 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    visit_value(slice, mlirOperationGetOperand(op, i));
}

// Whether a skipped tile goes where the producer went in it.
static bool can_skip(Slice *slice, const TileRoleNode *node) {
  bool moves = false;
  for (int c = 0; c < slice->plan->num_channels; c++)
    moves |= node->advances[TILE_ROLE_CONSUMER] &&
             node->advances[TILE_ROLE_CONSUMER][c];
  if (node->kind == TILE_NODE_LEAF || !moves)
    return true;
  intptr_t n = node->kind == TILE_NODE_FOR
                   ? 3 // bounds and step
                   : mlirOperationGetNumOperands(node->op);
  for (intptr_t i = 0; i < n; i++)
    visit_value(slice, mlirOperationGetOperand(node->op, i));
  return slice->is_of_numbers && node->kind != TILE_NODE_WHILE;
}

static const char *check_channels(const TileRolePlan *plan) {
  if (plan->num_own > 0)
    return "the producer computes tiles for its guards";
  for (int c = 0; c < plan->num_channels; c++)
    if (plan->channels[c].has_cp_async || plan->channels[c].has_simt)
      return "not all copies of the producer are made by TMA";
  Slice slice = {plan, {.arena = plan->arena}, true};
  for (int i = 0; i < plan->num_nodes; i++)
    if (!can_skip(&slice, plan->nodes[i]))
      return "which slots a tile takes depends on what memory holds";
  for (const TileRoleFill *fill = plan->fills; fill; fill = fill->next)
    if (fill->node->is_moved && !tile_role_parent(fill->node))
      return "a tile is copied before the loop over tiles";
  return NULL;
}

const char *role_pingpong_check(const TileRolePlan *plan) {
  Products products = {.plan = plan};
  if (!loops_over_tiles(plan))
    return "no loop of the role runs products beside scalar work, and its "
           "blocks do not loop over tiles";
  if (!find_tile_loop(plan))
    return "a tile has no place in the registers of one warpgroup, or is not "
           "made of pipelined products of shared tiles alone";
  mlirOperationWalk(plan->kernel, check_product, &products, MlirWalkPreOrder);
  if (products.num_products == 0)
    return "it multiplies nothing";
  return products.reason ? products.reason : check_channels(plan);
}

//===-- Apply; cannot fail ------------------------------------------------===//

typedef struct {
  const TileRolePlan *plan;
  TileBuilder b;
} Apply;

// The channel of a wait or a release; null: it is neither.
static MlirValue verb_channel(MlirOperation op) {
  if (tile_wait_is(op))
    return tile_wait_channel(tile_wait_cast(op));
  if (tile_release_is(op))
    return tile_release_channel(tile_release_cast(op));
  return (MlirValue){NULL};
}

typedef struct {
  MlirValue channel; // null: any
  MlirBlock unit;
  int num_verbs, num_waits; // waits: of the unit itself
  bool is_nested;           // a verb is in control flow of the unit
} Verbs;

static MlirWalkResult count_verb(MlirOperation op, void *user_data) {
  Verbs *verbs = user_data;
  MlirValue channel = verb_channel(op);
  if (!channel.ptr ||
      (verbs->channel.ptr && !mlirValueEqual(channel, verbs->channel)))
    return MlirWalkResultAdvance;
  bool is_nested = !mlirBlockEqual(mlirOperationGetBlock(op), verbs->unit);
  verbs->num_verbs++;
  verbs->num_waits += tile_wait_is(op) && !is_nested;
  verbs->is_nested |= is_nested;
  return MlirWalkResultAdvance;
}

// Whether a unit takes one slot of `channel`, and both warpgroups never meet in
// one.
static bool has_own_slots(MlirBlock unit, MlirValue channel) {
  Verbs verbs = {.channel = channel, .unit = unit};
  MlirOperation made = mlirOpResultGetOwner(channel);
  TILE_FOR_EACH_OP (op, unit)
    mlirOperationWalk(op, count_verb, &verbs, MlirWalkPreOrder);
  return tile_channel_is(made) &&
         tile_channel_depth(tile_channel_cast(made)) % 2 == 0 &&
         verbs.num_waits == 1 && !verbs.is_nested;
}

// Whether `op`, of the unit itself, is done in turn.
static bool is_in_turn(MlirBlock unit, MlirOperation op) {
  Verbs verbs = {.unit = unit};
  MlirValue channel = verb_channel(op);
  if (channel.ptr)
    return !has_own_slots(unit, channel);
  mlirOperationWalk(op, count_verb, &verbs, MlirWalkPreOrder);
  return verbs.num_verbs > 0;
}

static void add_turn(Apply *apply, MlirBlock unit) {
  MlirOperation first = TILE_NULL_OP, last = TILE_NULL_OP;
  TILE_FOR_EACH_OP (op, unit) {
    if (!is_in_turn(unit, op))
      continue;
    first = first.ptr ? first : op;
    last = op;
  }
  if (!first.ptr)
    return;
  mlirRewriterBaseSetInsertionPointBefore(apply->b.rw, first);
  tile_turn(&apply->b, .edge = TILE_TURN_Begin);
  mlirRewriterBaseSetInsertionPointAfter(apply->b.rw, last);
  tile_turn(&apply->b, .edge = TILE_TURN_End);
}

static ScfForOp tile_loop_of(MlirOperation role) {
  TILE_FOR_EACH_OP (op,
                    mlirRegionGetFirstBlock(mlirOperationGetRegion(role, 0)))
    if (scf_for_is(op) && has_mark(op))
      return scf_for_cast(op);
  return (ScfForOp){TILE_NULL_OP};
}

//===-- What is left of a unit without effects ----------------------------===//

static void strip_block(Apply *apply, MlirBlock block);

static void strip(Apply *apply, MlirOperation op) {
  bool is_control = scf_for_is(op) || scf_if_is(op) || scf_while_is(op);
  for (intptr_t r = 0; is_control && r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (block.ptr)
      strip_block(apply, block);
  }
  bool stays = mlirxIsTerminator(op) || is_control || memref_load_is(op) ||
               mlirxIsMemoryEffectFree(op);
  if (!stays || mlirxIsTriviallyDead(op))
    mlirRewriterBaseEraseOp(apply->b.rw, op);
}

// From the last op to the first: what only erased ones use goes too.
static void strip_block(Apply *apply, MlirBlock block) {
  intptr_t count = 0, n = 0;
  TILE_FOR_EACH_OP (op, block)
    count++;
  MlirOperation *ops = TILE_ARENA_NEW(apply->plan->arena, MlirOperation, count);
  TILE_FOR_EACH_OP (op, block)
    ops[n++] = op;
  while (n > 0)
    strip(apply, ops[--n]);
}

// A block that moves the positions `from` past the unit of `tile`, and yields
// them.
static MlirBlock build_skip(Apply *apply, MlirBlock unit, MlirValue tile,
                            const MlirValue *from, intptr_t n) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirxMapping map = mlirxMappingCreate();
  mlirxMappingSet(map, mlirBlockGetArgument(unit, 0), tile);
  for (intptr_t i = 0; i < n; i++)
    mlirxMappingSet(map, mlirBlockGetArgument(unit, i + 1), from[i]);
  mlirRewriterBaseSetInsertionPointToEnd(apply->b.rw, block);
  TILE_FOR_EACH_OP (op, unit)
    mlirxClone(apply->b.rw, op, map);
  mlirxMappingDestroy(map);
  strip_block(apply, block);
  return block;
}

//===-- The loop over tiles -----------------------------------------------===//

typedef struct {
  Apply *apply;
  ScfForOp loop;
  MlirBlock unit; // its body
  MlirOperation yield;
  intptr_t n;         // values that it carries, all of them positions
  MlirValue *carried; // at its head
  MlirValue *own;     // after the unit
  MlirValue next;     // the second tile of the round
} Split;

static Split split_begin(Apply *apply, ScfForOp loop) {
  Split s = {.apply = apply,
             .loop = loop,
             .unit = mlirRegionGetFirstBlock(scf_for_region(loop)),
             .n = mlirOperationGetNumResults(loop.op)};
  s.yield = mlirBlockGetTerminator(s.unit);
  s.carried = TILE_ARENA_NEW(apply->plan->arena, MlirValue, s.n + 1);
  s.own = TILE_ARENA_NEW(apply->plan->arena, MlirValue, s.n + 1);
  for (intptr_t i = 0; i < s.n; i++) {
    s.carried[i] = mlirBlockGetArgument(s.unit, i + 1);
    s.own[i] = mlirOperationGetOperand(s.yield, i);
  }
  return s;
}

static MlirRegion region_of(MlirBlock block) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

static MlirBlock build_yield(Split *s, const MlirValue *values) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRewriterBaseSetInsertionPointToEnd(s->apply->b.rw, block);
  scf_yield(&s->apply->b, .results = {values, s->n});
  return block;
}

// Whether the round has a second tile.
static MlirValue build_guard(Split *s) {
  return arith_cmpi(&s->apply->b,
                    .predicate = scf_for_unsignedCmp(s->loop)
                                     ? ARITH_CMP_I_PREDICATE_ult
                                     : ARITH_CMP_I_PREDICATE_slt,
                    .lhs = s->next, .rhs = scf_for_upperBound(s->loop));
}

// The rest of the round: `second` where there is a second tile, else the
// positions stay what they are `before` it.
static void build_second(Split *s, MlirBlock second, const MlirValue *before) {
  MlirBlock none = build_yield(s, before);
  mlirRewriterBaseSetInsertionPointBefore(s->apply->b.rw, s->yield);
  MlirOperation made =
      scf_if_op(&s->apply->b, .condition = build_guard(s),
                .thenRegion = region_of(second), .elseRegion = region_of(none))
          .op;
  for (intptr_t i = 0; i < s->n; i++)
    mlirOperationSetOperand(s->yield, i, mlirOperationGetResult(made, i));
}

static void take_first(Split *s) {
  mlirRewriterBaseSetInsertionPointBefore(s->apply->b.rw, s->yield);
  s->next = arith_addi(&s->apply->b, mlirBlockGetArgument(s->unit, 0),
                       scf_for_step(s->loop));
  build_second(s, build_skip(s->apply, s->unit, s->next, s->own, s->n), s->own);
}

typedef struct {
  const Split *split;
  const MlirValue *positions;
} Rename;

static MlirWalkResult rename_uses(MlirOperation op, void *user_data) {
  const Rename *rename = user_data;
  const Split *s = rename->split;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueEqual(value, mlirBlockGetArgument(s->unit, 0)))
      mlirOperationSetOperand(op, i, s->next);
    for (intptr_t k = 0; k < s->n; k++)
      if (mlirValueEqual(value, s->carried[k]))
        mlirOperationSetOperand(op, i, rename->positions[k]);
  }
  return MlirWalkResultAdvance;
}

static void take_second(Split *s) {
  MlirRewriterBase rw = s->apply->b.rw;
  MlirValue tile = mlirBlockGetArgument(s->unit, 0);
  MlirBlock skip = build_skip(s->apply, s->unit, tile, s->carried, s->n);
  MlirBlock second = build_yield(s, s->own);
  TILE_FOR_EACH_OP (op, s->unit)
    if (!mlirOperationEqual(op, s->yield))
      mlirRewriterBaseMoveOpBefore(rw, op, mlirBlockGetTerminator(second));
  MlirOperation end = mlirBlockGetTerminator(skip);
  MlirValue *positions =
      TILE_ARENA_NEW(s->apply->plan->arena, MlirValue, s->n + 1);
  for (intptr_t i = 0; i < s->n; i++)
    positions[i] = mlirOperationGetOperand(end, i);
  TILE_FOR_EACH_OP (op, skip)
    if (!mlirOperationEqual(op, end))
      mlirRewriterBaseMoveOpBefore(rw, op, s->yield);
  mlirBlockDestroy(skip);
  mlirRewriterBaseSetInsertionPointBefore(rw, s->yield);
  s->next = arith_addi(&s->apply->b, tile, scf_for_step(s->loop));
  Rename rename = {s, positions};
  TILE_FOR_EACH_OP (op, second)
    mlirOperationWalk(op, rename_uses, &rename, MlirWalkPreOrder);
  build_second(s, second, positions);
}

static void take_turns(Apply *apply, MlirOperation role, bool is_first) {
  ScfForOp loop = tile_loop_of(role);
  Split split = split_begin(apply, loop);
  apply->b.loc = mlirOperationGetLocation(loop.op);
  if (is_first)
    take_first(&split);
  else
    take_second(&split);
  mlirRewriterBaseSetInsertionPointBefore(apply->b.rw, loop.op);
  MlirValue step = scf_for_step(loop);
  scf_for_set_step(loop, arith_addi(&apply->b, step, step));
}

//===-- Tiles of its own --------------------------------------------------===//

typedef struct {
  Apply *apply;
  TilePointerMap own; // shared tile to MlirValue
} Tiles;

static MlirValue own_tile(Tiles *tiles, MlirValue tile) {
  TileArena *arena = tiles->apply->plan->arena;
  MlirRewriterBase rw = tiles->apply->b.rw;
  MlirValue *own = tile_pointer_map_get(&tiles->own, tile.ptr);
  if (own)
    return *own;
  own = TILE_ARENA_NEW(arena, MlirValue, 1);
  mlirRewriterBaseSetInsertionPointAfter(rw, mlirOpResultGetOwner(tile));
  *own = mlirOperationGetResult(
      mlirRewriterBaseClone(rw, mlirOpResultGetOwner(tile)), 0);
  tile_pointer_map_set(&tiles->own, tile.ptr, own);
  return *own;
}

// What the kernel allocates in shared memory, and is no ring of a channel.
static bool is_consumer_tile(const Tiles *tiles, MlirValue value) {
  TileShape shape;
  if (!mlirValueIsAOpResult(value) ||
      !tile_alloc_is(mlirOpResultGetOwner(value)) ||
      !mlirOperationEqual(
          mlirOperationGetParentOperation(mlirOpResultGetOwner(value)),
          tiles->apply->plan->kernel) ||
      !tile_shape_of(value, &shape) || shape.space != TILE_SPACE_SHARED)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_channel_is(mlirOpOperandGetOwner(use)))
      return false;
  return true;
}

static MlirWalkResult use_own_tiles(MlirOperation op, void *user_data) {
  Tiles *tiles = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (is_consumer_tile(tiles, value))
      mlirOperationSetOperand(op, i, own_tile(tiles, value));
  }
  return MlirWalkResultAdvance;
}

//===-- Entry -------------------------------------------------------------===//

static void set_name(MlirOperation role, const char *name) {
  tile_role_set_role_attr(
      tile_role_cast(role),
      mlirStringAttrGet(mlirOperationGetContext(role), tile_str(name)));
}

void role_pingpong_apply(const TileRolePlan *plan, MlirRewriterBase rewriter,
                         MlirOperation role) {
  Apply apply = {plan, {rewriter, mlirOperationGetLocation(role)}};
  add_turn(&apply, mlirRegionGetFirstBlock(scf_for_region(tile_loop_of(role))));
  tile_role_set_pingpong(tile_role_cast(role), true);
  mlirRewriterBaseSetInsertionPointAfter(rewriter, role);
  MlirOperation other = mlirRewriterBaseClone(rewriter, role);
  set_name(role, "consumer-0");
  set_name(other, "consumer-1");
  Tiles tiles = {.apply = &apply, .own = {.arena = plan->arena}};
  mlirOperationWalk(other, use_own_tiles, &tiles, MlirWalkPreOrder);
  take_turns(&apply, role, true);
  take_turns(&apply, other, false);
}

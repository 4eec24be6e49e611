//===- SinkFills.c - Fills become the else of what writes after them ------===//
//
// Consumes: fills of whole shared tiles, and the statement after each that
//           writes the tile: an `scf.if`, a loop that copies the tile part by
//           part, an element loop.
// Produces: the fill on the paths of that statement that write nothing else
//           there, part by part; none where no such path is left.
// Keeps:    fills of which every path is left; copies that signal or are
//           asynchronous, and fills before them; element loops that read the
//           tile.
// Fails:    never.
// Method:   authors clear a tile and copy what is there. Two writes to one
//           place keep the copies with the computing warps, in order; one on
//           each path is a fill of the tile, which a producer can do ahead.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Loops/Loops.h"
#include "Dialect/ElementLoops.h"
#include "Support/Arena.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

// A path that needs the fill: the beginning of a block, or a branch that an
// scf.if does not have yet.
typedef struct Place {
  struct Place *next;
  MlirBlock block;      // null: the missing branch
  MlirOperation branch; // of this scf.if
} Place;

typedef struct Item {
  struct Item *next; // program order
  TileFillOp fill;
  MlirValue tile;
  MlirOperation statement;
  MlirValue window; // what an iteration of a loop of copies writes, or the tile
  Place *places, **tail;
  bool is_possible, drops; // some path writes all of it
} Item;

typedef struct {
  TileArena *arena;
  Item *items, **tail;
} Plan;

typedef struct {
  MlirValue tile;
  bool found;
} UseSearch;

static MlirWalkResult find_use(MlirOperation op, void *user_data) {
  UseSearch *search = user_data;
  bool is_name = tile_is_name_op(op);
  for (intptr_t i = 0; !is_name && i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    TileShape shape;
    search->found |= tile_shape_of(value, &shape) &&
                     mlirValueEqual(tile_buffer_of(value).root, search->tile);
  }
  return search->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the op, or one in it, reads or writes a part of the tile.
static bool uses_tile(MlirOperation op, MlirValue tile) {
  UseSearch search = {tile, false};
  mlirOperationWalk(op, find_use, &search, MlirWalkPreOrder);
  return search.found;
}

// Whether a fill may be done after `op` instead of before it: nobody else could
// see the difference, other threads included.
static bool may_pass(MlirOperation op) {
  if (tile_copy_is(op)) {
    TileCopyOp copy = tile_copy_cast(op);
    return !tile_copy_async(copy) && mlirValueIsNull(tile_copy_signal(copy));
  }
  return tile_fill_is(op) || tile_parallel_is(op) || tile_transpose_is(op) ||
         tile_arrange_is(op) || memref_load_is(op) || scf_for_is(op) ||
         scf_if_is(op) || mlirxIsTerminator(op) || mlirxIsMemoryEffectFree(op);
}

static MlirWalkResult check_pass(MlirOperation op, void *user_data) {
  bool *passes = user_data;
  *passes &= may_pass(op) || tile_parallel_around(op).op.ptr;
  return *passes ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static bool may_pass_all(MlirOperation op) {
  bool passes = true;
  mlirOperationWalk(op, check_pass, &passes, MlirWalkPreOrder);
  return passes;
}

// The first op after the fill that uses the tile; null when the fill must not
// pass what is between.
static MlirOperation statement_after(TileFillOp fill, MlirValue tile) {
  MlirOperation op = mlirOperationGetNextInBlock(fill.op);
  while (op.ptr && !uses_tile(op, tile)) {
    if (!may_pass_all(op))
      return (MlirOperation){NULL};
    op = mlirOperationGetNextInBlock(op);
  }
  return op;
}

//===-- Which paths -------------------------------------------------------===//

static void add_place(Plan *plan, Item *item, MlirBlock block,
                      MlirOperation branch) {
  Place *place = TILE_ARENA_NEW(plan->arena, Place, 1);
  *place = (Place){NULL, block, branch};
  *item->tail = place;
  item->tail = &place->next;
}

// Whether `op` writes all that an execution of it could write of the tile: all
// of the tile, the part of an iteration, or the element of a loop.
static bool writes_all(const Item *item, MlirOperation op) {
  if (tile_parallel_is(item->statement))
    return memref_store_is(op);
  MlirValue dst = TILE_NULL_VALUE;
  if (tile_fill_is(op))
    dst = tile_fill_dst(tile_fill_cast(op));
  else if (tile_copy_is(op))
    dst = tile_copy_dst(tile_copy_cast(op));
  if (!dst.ptr || !may_pass(op) ||
      !mlirValueEqual(tile_buffer_of(dst).root, item->tile))
    return false;
  return scf_for_is(item->statement) || mlirValueEqual(dst, item->tile);
}

static void plan_block(Plan *plan, Item *item, MlirBlock block);

static void plan_op(Plan *plan, Item *item, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    if (mlirBlockIsNull(inner))
      add_place(plan, item, inner, op);
    else
      plan_block(plan, item, inner);
  }
}

static void plan_block(Plan *plan, Item *item, MlirBlock block) {
  TILE_FOR_EACH_OP (op, block) {
    bool is_used = uses_tile(op, item->tile);
    if (!is_used && may_pass_all(op))
      continue;
    if (is_used && writes_all(item, op))
      item->drops = true;
    else if (is_used && scf_if_is(op))
      plan_op(plan, item, op);
    else
      add_place(plan, item, block, (MlirOperation){NULL});
    return;
  }
  add_place(plan, item, block, (MlirOperation){NULL});
}

//===-- Which statements --------------------------------------------------===//

static MlirWalkResult find_window(MlirOperation op, void *user_data) {
  Item *item = user_data;
  if (!writes_all(item, op))
    return MlirWalkResultAdvance;
  item->window = mlirOperationGetOperand(op, tile_fill_is(op) ? 0 : 1);
  return MlirWalkResultInterrupt;
}

// Whether the window can be named anywhere in the loop: by its counter and what
// is known before.
static bool is_nameable(const Item *item) {
  MlirOperation loop = item->statement;
  TileRegionOp region = tile_region_of(item->window);
  if (!region.op.ptr || tile_value_is_inside(tile_region_source(region), loop))
    return false;
  TileRange offsets = tile_region_offsets(region);
  MlirValue counter = mlirBlockGetArgument(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), 0);
  for (intptr_t i = 0; i < offsets.n; i++) {
    MlirValue offset = tile_range_at(offsets, i);
    if (!mlirValueEqual(offset, counter) && tile_value_is_inside(offset, loop))
      return false;
  }
  return true;
}

// A loop of which each iteration writes a part that no other does, of all.
static bool sweeps_tile(Item *item) {
  TileCopyLoopFill swept;
  TileShape shape;
  if (!tile_shape_of(item->tile, &shape) ||
      !tile_copy_loop_fill(item->statement, item->tile, false, &swept) ||
      !swept.is_once)
    return false;
  for (int d = 0; d < shape.rank; d++)
    if (swept.begin[d] != 0 || swept.end[d] != shape.extent[d])
      return false;
  mlirOperationWalk(item->statement, find_window, item, MlirWalkPreOrder);
  return is_nameable(item);
}

static bool is_own_element(const TileElementAccess *access, void *user_data) {
  Item *item = user_data;
  TileParallelOp loop = tile_parallel_cast(item->statement);
  if (!mlirValueEqual(tile_buffer_of(access->memref).root, item->tile))
    return true;
  item->is_possible &= access->is_store && !access->is_atomic &&
                       mlirValueEqual(access->memref, item->tile);
  for (intptr_t d = 0; d < access->indices.n; d++)
    item->is_possible &=
        tile_parallel_index(loop, tile_range_at(access->indices, d)) == d;
  return item->is_possible;
}

static MlirWalkResult check_access(MlirOperation op, void *user_data) {
  Item *item = user_data;
  bool is_access = memref_load_is(op) || memref_store_is(op);
  item->is_possible &= is_access || mlirOperationGetNumRegions(op) > 0 ||
                       !uses_tile(op, item->tile);
  return item->is_possible ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// An element loop over the tile that stores its own element at most.
static bool runs_over_tile(Item *item) {
  TileParallelOp loop = tile_parallel_cast(item->statement);
  TileShape shape;
  if (!tile_shape_of(item->tile, &shape) ||
      tile_parallel_extents_size(loop) != shape.rank)
    return false;
  for (int d = 0; d < shape.rank; d++)
    if (tile_parallel_extents(loop, d) != shape.extent[d])
      return false;
  item->is_possible = true;
  tile_parallel_visit(loop, is_own_element, item);
  mlirOperationWalk(loop.op, check_access, item, MlirWalkPreOrder);
  return item->is_possible;
}

static void plan_fill(Plan *plan, TileFillOp fill) {
  MlirValue tile = tile_fill_dst(fill);
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || shape.space != TILE_SPACE_SHARED ||
      !mlirValueIsAOpResult(tile) || !tile_alloc_is(mlirOpResultGetOwner(tile)))
    return;
  MlirOperation op = statement_after(fill, tile);
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  *item = (Item){.fill = fill, .tile = tile, .statement = op, .window = tile};
  item->tail = &item->places;
  if (op.ptr && scf_if_is(op))
    plan_op(plan, item, op);
  else if (op.ptr && ((scf_for_is(op) && sweeps_tile(item)) ||
                      (tile_parallel_is(op) && runs_over_tile(item))))
    plan_block(plan, item,
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
  if (!item->drops)
    return;
  *plan->tail = item;
  plan->tail = &item->next;
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  if (tile_fill_is(op))
    plan_fill(user_data, tile_fill_cast(op));
  return MlirWalkResultAdvance;
}

//===-- Apply; cannot fail ------------------------------------------------===//

// The fill of another tile may have made it.
static MlirBlock missing_branch(TileBuilder *b, MlirOperation branch) {
  MlirRegion region = mlirOperationGetRegion(branch, 1);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (!mlirBlockIsNull(block))
    return block;
  block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  scf_yield(b, .results = {NULL, 0});
  return block;
}

static void write_place(TileBuilder *b, const Item *item, const Place *place) {
  MlirValue value = tile_fill_value(item->fill);
  MlirBlock block = mlirBlockIsNull(place->block)
                        ? missing_branch(b, place->branch)
                        : place->block;
  mlirRewriterBaseSetInsertionPointToStart(b->rw, block);
  if (tile_parallel_is(item->statement)) {
    MlirBlock body = tile_parallel_block(tile_parallel_cast(item->statement));
    MlirValue indices[TILE_MAX_RANK];
    intptr_t rank = mlirBlockGetNumArguments(body);
    for (intptr_t d = 0; d < rank; d++)
      indices[d] = mlirBlockGetArgument(body, d);
    memref_store(b, .value = value, .memref = item->tile,
                 .indices = {indices, rank});
    return;
  }
  if (scf_if_is(item->statement)) { // a branch: its place in a plan stays
    mlirRewriterBaseInsert(b->rw, mlirOperationClone(item->fill.op));
    return;
  }
  MlirOperation region = mlirOperationClone(mlirOpResultGetOwner(item->window));
  mlirRewriterBaseInsert(b->rw, region);
  tile_fill(b, .dst = mlirOperationGetResult(region, 0), .value = value);
}

static void sink(TileBuilder *b, const Item *item) {
  b->loc = mlirOperationGetLocation(item->fill.op);
  for (const Place *place = item->places; place; place = place->next)
    write_place(b, item, place);
  mlirRewriterBaseEraseOp(b->rw, item->fill.op);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.arena = user_data};
  plan.tail = &plan.items;
  mlirOperationWalk(kernel, plan_visit, &plan, MlirWalkPreOrder);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  for (const Item *item = plan.items; item; item = item->next)
    sink(&b, item);
  mlirIRRewriterDestroy(b.rw);
  return tile_success();
}

MlirLogicalResult tile_sink_fills_run(MlirOperation op,
                                      const TileSinkFillsOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}

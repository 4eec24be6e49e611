//===- LateRelease.c - Loops that release a slot one iteration later ------===//
//
// A product that is under way still reads its slot. So that one may be under
// way while the next is issued, its slot is released after that next product:
//
//   for k                          if lb < ub
//     wait k                         wait 0; product 0, clear
//     product k                      for k from 1
//     release k                        wait k; product k; release k - 1
//                                    release the last
//                                  else
//                                    fill the accumulator
//
// The first iteration is peeled, for nothing is to be released there; that also
// lets the first product overwrite the accumulator, which then needs no fill.
// Every slot is released once, in order, on every path. The channel needs at
// least two slots: one is held while the next is waited for.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"

enum { MAX_RELEASES = 8 };

typedef struct {
  ScfForOp loop;
  MlirOperation release[MAX_RELEASES]; // of the body, after all products
  int num_releases, num_products;
  MlirOperation fill;  // of the accumulator, before the loop, or null
  MlirOperation first; // product
  MlirOperation turn;  // that ends after the loop, or null
} Plan;

//===-- Build -------------------------------------------------------------===//

static int64_t depth_of(MlirOperation release) {
  MlirValue channel = tile_release_channel(tile_release_cast(release));
  if (!mlirValueIsAOpResult(channel) ||
      !tile_channel_is(mlirOpResultGetOwner(channel)))
    return 0;
  return tile_channel_depth(tile_channel_cast(mlirOpResultGetOwner(channel)));
}

// Reads the body; false when it does something else.
static bool plan_body(Plan *plan) {
  MlirBlock body = mlirRegionGetFirstBlock(scf_for_region(plan->loop));
  TileProduct product;
  TILE_FOR_EACH_OP (op, body) {
    if (tile_product_is_wgmma(op, &product)) {
      if (plan->num_products++ == 0)
        plan->first = op;
      if (plan->num_releases > 0)
        return false; // a product after a release
    } else if (tile_release_is(op)) {
      if (plan->num_releases == MAX_RELEASES || plan->num_products == 0 ||
          depth_of(op) < 2)
        return false;
      plan->release[plan->num_releases++] = op;
    } else if (!tile_wait_is(op) && !mlirxIsMemoryEffectFree(op) &&
               !mlirxIsTerminator(op)) {
      return false;
    }
  }
  return plan->num_products > 0 && plan->num_releases > 0;
}

// The end of a turn, when only computations stand between it and the loop: the
// next warpgroup may multiply once the last product is issued.
static MlirOperation find_turn_end(MlirOperation loop) {
  MlirOperation op = mlirOperationGetNextInBlock(loop);
  while (op.ptr && !mlirxIsTerminator(op) && mlirxIsMemoryEffectFree(op))
    op = mlirOperationGetNextInBlock(op);
  bool is_end = op.ptr && tile_turn_is(op) &&
                tile_turn_edge(tile_turn_cast(op)) == TILE_TURN_End;
  return is_end ? op : TILE_NULL_OP;
}

static bool plan_build(MlirOperation op, Plan *out) {
  *out = (Plan){.loop = scf_for_dyn(op)};
  if (mlirOperationIsNull(out->loop.op) || !plan_body(out))
    return false;
  TileProduct first;
  tile_product_of(out->first, &first);
  if (mlirValueIsNull(first.clear))
    out->fill = accumulator_fill_find(op, first.c);
  out->turn = find_turn_end(op);
  return true;
}

//===-- Apply; cannot fail ------------------------------------------------===//

typedef struct {
  const Plan *plan;
  TileArena *arena;
  TileBuilder b;
  MlirBlock body;    // of the old loop
  intptr_t num_args; // values that the old loop carries
  MlirxMapping map;
} Rewrite;

static MlirValue mapped(const Rewrite *r, MlirValue value) {
  return mlirxMappingGet(r->map, value);
}

static int release_number(const Plan *plan, MlirOperation op) {
  for (int i = 0; i < plan->num_releases; i++)
    if (mlirOperationEqual(plan->release[i], op))
      return i;
  return -1;
}

static MlirOperation build_release(Rewrite *r, int number, MlirValue slot,
                                   MlirValue parity) {
  TileReleaseOp old = tile_release_cast(r->plan->release[number]);
  return tile_release_op(&r->b, .channel = tile_release_channel(old),
                         .slot = slot, .parity = parity)
      .op;
}

// What the body leaves: what it yields, then the position of each release.
static MlirValue *body_values(Rewrite *r) {
  intptr_t n = r->num_args;
  MlirOperation yield = mlirBlockGetTerminator(r->body);
  MlirValue *values =
      TILE_ARENA_NEW(r->arena, MlirValue, n + 2 * r->plan->num_releases + 1);
  for (intptr_t i = 0; i < n; i++)
    values[i] = mapped(r, mlirOperationGetOperand(yield, i));
  for (int i = 0; i < r->plan->num_releases; i++) {
    TileReleaseOp release = tile_release_cast(r->plan->release[i]);
    values[n + 2 * i] = mapped(r, tile_release_slot(release));
    values[n + 2 * i + 1] = mapped(r, tile_release_parity(release));
  }
  return values;
}

// Clones the body; releases are those of `positions`, or left out.
static void clone_body(Rewrite *r, const MlirValue *positions,
                       MlirOperation *out_releases) {
  TILE_FOR_EACH_OP (op, r->body) {
    int number = release_number(r->plan, op);
    if (mlirxIsTerminator(op))
      continue;
    if (number < 0)
      mlirxClone(r->b.rw, op, r->map);
    else if (positions)
      out_releases[number] = build_release(r, number, positions[2 * number],
                                           positions[2 * number + 1]);
  }
}

// The first iteration, without releases; its first product overwrites.
static MlirValue *build_first(Rewrite *r) {
  ScfForOp loop = r->plan->loop;
  r->map = mlirxMappingCreate();
  mlirxMappingSet(r->map, mlirBlockGetArgument(r->body, 0),
                  scf_for_lowerBound(loop));
  for (intptr_t i = 0; i < r->num_args; i++)
    mlirxMappingSet(r->map, mlirBlockGetArgument(r->body, i + 1),
                    tile_range_at(scf_for_initArgs(loop), i));
  clone_body(r, NULL, NULL);
  return body_values(r);
}

static void clear_first(MlirBlock block, TileBuilder *b) {
  TILE_FOR_EACH_OP (op, block) {
    TileProduct product;
    if (!tile_product_of(op, &product))
      continue;
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    tile_product_set_clear(op, tile_const_int(b, 1, 1));
    mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
    return;
  }
}

// The lower bound plus the step, a constant where both are: the proof of
// channels compares bounds of roles as values.
static MlirValue second_iteration(Rewrite *r) {
  MlirValue lower = scf_for_lowerBound(r->plan->loop);
  MlirValue step = scf_for_step(r->plan->loop);
  int64_t first, distance, sum;
  if (mlirxConstantInt(lower, &first) && mlirxConstantInt(step, &distance) &&
      !__builtin_add_overflow(first, distance, &sum))
    return tile_const_of(&r->b, mlirValueGetType(lower), sum);
  return arith_addi(&r->b, lower, step);
}

// The other iterations. `values` are those of the first one; returns the
// results of the new loop.
static MlirOperation build_rest(Rewrite *r, const MlirValue *values,
                                MlirOperation *out_releases) {
  ScfForOp loop = r->plan->loop;
  intptr_t n = r->num_args + 2 * r->plan->num_releases;
  MlirType *types = TILE_ARENA_NEW(r->arena, MlirType, n + 1);
  MlirLocation *locations = TILE_ARENA_NEW(r->arena, MlirLocation, n + 1);
  types[0] = mlirValueGetType(scf_for_lowerBound(loop));
  for (intptr_t i = 0; i <= n; i++) {
    locations[i] = r->b.loc;
    if (i)
      types[i] = mlirValueGetType(values[i - 1]);
  }
  MlirValue lower = second_iteration(r);
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(r->b.rw);
  MlirBlock block = mlirBlockCreate(n + 1, types, locations);
  MlirValue *positions = TILE_ARENA_NEW(r->arena, MlirValue, n + 1);
  for (intptr_t i = 0; i <= r->num_args; i++)
    mlirxMappingSet(r->map, mlirBlockGetArgument(r->body, i),
                    mlirBlockGetArgument(block, i));
  for (intptr_t i = 0; i < 2 * r->plan->num_releases; i++)
    positions[i] = mlirBlockGetArgument(block, r->num_args + 1 + i);
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, block);
  clone_body(r, positions, out_releases);
  scf_yield(&r->b, .results = {body_values(r), n});
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, outer);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return scf_for_op(&r->b, .type = {types + 1, n}, .lowerBound = lower,
                    .upperBound = scf_for_upperBound(loop),
                    .step = scf_for_step(loop), .initArgs = {values, n},
                    .unsignedCmp = scf_for_unsignedCmp(loop), .region = region)
      .op;
}

static MlirRegion region_of(MlirBlock block) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

static MlirBlock build_then(Rewrite *r, MlirOperation *out_releases) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue *results = TILE_ARENA_NEW(r->arena, MlirValue, r->num_args + 1);
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, block);
  MlirValue *values = build_first(r);
  if (r->plan->fill.ptr)
    clear_first(block, &r->b);
  MlirOperation rest = build_rest(r, values, out_releases);
  if (r->plan->turn.ptr)
    tile_turn(&r->b, .edge = TILE_TURN_End);
  for (int i = 0; i < r->plan->num_releases; i++)
    build_release(r, i, mlirOperationGetResult(rest, r->num_args + 2 * i),
                  mlirOperationGetResult(rest, r->num_args + 2 * i + 1));
  for (intptr_t i = 0; i < r->num_args; i++)
    results[i] = mlirOperationGetResult(rest, i);
  scf_yield(&r->b, .results = {results, r->num_args});
  mlirxMappingDestroy(r->map);
  return block;
}

// No iteration: the accumulator is filled, and all else is as it was.
static MlirBlock build_else(Rewrite *r) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue *results = TILE_ARENA_NEW(r->arena, MlirValue, r->num_args + 1);
  for (intptr_t i = 0; i < r->num_args; i++)
    results[i] = tile_range_at(scf_for_initArgs(r->plan->loop), i);
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, block);
  scf_yield(&r->b, .results = {results, r->num_args});
  if (r->plan->fill.ptr)
    mlirRewriterBaseMoveOpBefore(r->b.rw, r->plan->fill,
                                 mlirBlockGetTerminator(block));
  if (r->plan->turn.ptr)
    mlirRewriterBaseMoveOpBefore(r->b.rw, r->plan->turn,
                                 mlirBlockGetTerminator(block));
  return block;
}

static void plan_apply(TileArena *arena, const Plan *plan,
                       MlirRewriterBase rewriter, MlirOperation *out_releases) {
  ScfForOp loop = plan->loop;
  Rewrite r = {.plan = plan,
               .arena = arena,
               .b = {rewriter, mlirOperationGetLocation(loop.op)},
               .body = mlirRegionGetFirstBlock(scf_for_region(loop)),
               .num_args = mlirOperationGetNumResults(loop.op)};
  MlirBlock taken = build_then(&r, out_releases), other = build_else(&r);
  mlirRewriterBaseSetInsertionPointBefore(rewriter, loop.op);
  MlirValue exists = arith_cmpi(
      &r.b,
      .predicate = scf_for_unsignedCmp(loop) ? ARITH_CMP_I_PREDICATE_ult
                                             : ARITH_CMP_I_PREDICATE_slt,
      .lhs = scf_for_lowerBound(loop), .rhs = scf_for_upperBound(loop));
  ScfIfOp made =
      scf_if_op(&r.b, .condition = exists, .thenRegion = region_of(taken),
                .elseRegion = region_of(other));
  MlirValue *results = TILE_ARENA_NEW(arena, MlirValue, r.num_args + 1);
  for (intptr_t i = 0; i < r.num_args; i++)
    results[i] = mlirOperationGetResult(made.op, i);
  mlirRewriterBaseReplaceOpWithValues(rewriter, loop.op, r.num_args, results);
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  MlirOperation loops[64];
  int num_loops;
} Loops;

static MlirWalkResult collect(MlirOperation op, void *user_data) {
  Loops *loops = user_data;
  enum { MAX_LOOPS = sizeof loops->loops / sizeof *loops->loops };
  Plan plan;
  // Loops beyond the limit are left as they are, which is right and slower.
  if (scf_for_is(op) && loops->num_loops < MAX_LOOPS && plan_build(op, &plan))
    loops->loops[loops->num_loops++] = op;
  return MlirWalkResultAdvance;
}

void late_release_apply(TileArena *arena, MlirOperation kernel,
                        TileLateRelease **out_releases, int *out_count) {
  Loops loops = {.num_loops = 0};
  *out_count = 0;
  mlirOperationWalk(kernel, collect, &loops, MlirWalkPreOrder);
  TileLateRelease *list = TILE_ARENA_NEW(arena, TileLateRelease,
                                         loops.num_loops * MAX_RELEASES + 1);
  MlirRewriterBase rewriter =
      mlirIRRewriterCreate(mlirOperationGetContext(kernel));
  for (int i = 0; i < loops.num_loops; i++) {
    Plan plan;
    MlirOperation releases[MAX_RELEASES];
    plan_build(loops.loops[i], &plan);
    plan_apply(arena, &plan, rewriter, releases);
    for (int k = 0; k < plan.num_releases; k++)
      list[(*out_count)++] = (TileLateRelease){releases[k], plan.num_products};
  }
  mlirIRRewriterDestroy(rewriter);
  *out_releases = list;
}

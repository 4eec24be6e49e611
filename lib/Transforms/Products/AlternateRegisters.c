//===- AlternateRegisters.c - Loops with two sets of metadata registers ---===//
//
// Consumes: asynchronous `tile.gemm_sp` by wgmma, `tile.await`.
// Produces: loops whose body stands there twice; a `tile.await` before a
//           product that no second set of registers helps.
// Keeps:    every other loop.
// Fails:    never.
//
// wgmma.sp reads the registers of its metadata until it has completed (seen on
// an H200: each result is wrong where the next round loads them while the
// product is under way). ptxas keeps a register up to the wait that retires the
// product, but one that the program writes again in the next round is written
// again. So a product that is under way when its own next execution is issued
// gets a second set of registers:
//
//   for k                          for two rounds at a time
//     product k                      product k; await 1
//     await 1                        product k + 1; await 1
//                                  if a round is left
//                                    product; await 1
//
// Each copy of the product is an op of its own, with registers of its own.
// Nothing else changes, so it is done when all proofs are over.
// docs/Rationale/SparseProducts.md has what else was tried.
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "Dialect/Products.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Which products ----------------------------------------------------===//

static bool meets_itself(const TileFlowProduct *product) {
  TileProduct factors;
  return product->own && tile_product_of(product->op, &factors) &&
         factors.is_sparse;
}

// A loop that has to stand there twice for the sake of a product in its body;
// null when there is none.
static MlirOperation find_loop(const TileProductFlow *flow) {
  for (int i = 0; i < flow->num_products; i++) {
    MlirOperation loop = mlirOperationGetParentOperation(flow->products[i].op);
    if (meets_itself(&flow->products[i]) && scf_for_is(loop) &&
        mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            loop, TILE_STR(TILE_ALTERNATE_ATTR))))
      return loop;
  }
  return (MlirOperation){NULL};
}

//===-- Apply; cannot fail ------------------------------------------------===//

typedef struct {
  TileArena *arena;
  TileBuilder b;
  ScfForOp loop;
  MlirBlock body;    // of the loop
  MlirType type;     // of its induction variable
  intptr_t num_args; // values that it carries
} Rewrite;

static MlirValue constant(Rewrite *r, int64_t value) {
  return tile_const_of(&r->b, r->type, value);
}

static MlirValue compare(Rewrite *r, ArithCmpIPredicate predicate,
                         MlirValue lhs, MlirValue rhs) {
  return arith_cmpi(&r->b, .predicate = predicate, .lhs = lhs, .rhs = rhs);
}

// How many rounds there are: what is left of the range never overflows.
static MlirValue count_rounds(Rewrite *r) {
  MlirValue lower = scf_for_lowerBound(r->loop);
  MlirValue upper = scf_for_upperBound(r->loop);
  MlirValue step = scf_for_step(r->loop);
  MlirValue zero = constant(r, 0), one = constant(r, 1);
  MlirValue exists =
      compare(r,
              scf_for_unsignedCmp(r->loop) ? ARITH_CMP_I_PREDICATE_ult
                                           : ARITH_CMP_I_PREDICATE_slt,
              lower, upper);
  MlirValue count = arith_subi(&r->b, upper, lower);
  int64_t distance;
  if (!mlirxConstantInt(step, &distance) || distance != 1)
    count = arith_addi(
        &r->b, arith_divui(&r->b, arith_subi(&r->b, count, one), step), one);
  return arith_select(&r->b, exists, count, zero);
}

// Clones the body for the round `iv` with the values that `carried` has, and
// puts there what the round hands over.
static void clone_round(Rewrite *r, MlirValue iv, MlirValue *carried) {
  MlirxMapping map = mlirxMappingCreate();
  mlirxMappingSet(map, mlirBlockGetArgument(r->body, 0), iv);
  for (intptr_t i = 0; i < r->num_args; i++)
    mlirxMappingSet(map, mlirBlockGetArgument(r->body, i + 1), carried[i]);
  TILE_FOR_EACH_OP (op, r->body)
    if (!mlirxIsTerminator(op))
      mlirxClone(r->b.rw, op, map);
  MlirOperation yield = mlirBlockGetTerminator(r->body);
  for (intptr_t i = 0; i < r->num_args; i++)
    carried[i] = mlirxMappingGet(map, mlirOperationGetOperand(yield, i));
  mlirxMappingDestroy(map);
}

static MlirRegion region_of(MlirBlock block) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  return region;
}

// Two rounds at a time. Carries the number of the next round's iteration, then
// what the loop carries; so do the results.
static MlirOperation build_pairs(Rewrite *r, MlirValue num_rounds) {
  intptr_t n = r->num_args + 1;
  MlirType *types = TILE_ARENA_NEW(r->arena, MlirType, n + 1);
  MlirLocation *locations = TILE_ARENA_NEW(r->arena, MlirLocation, n + 1);
  MlirValue *inits = TILE_ARENA_NEW(r->arena, MlirValue, n);
  MlirValue *values = TILE_ARENA_NEW(r->arena, MlirValue, n);
  inits[0] = scf_for_lowerBound(r->loop);
  types[0] = r->type;
  for (intptr_t i = 1; i < n; i++)
    inits[i] = tile_range_at(scf_for_initArgs(r->loop), i - 1);
  for (intptr_t i = 0; i < n; i++) {
    types[i + 1] = mlirValueGetType(inits[i]);
    locations[i] = r->b.loc;
  }
  locations[n] = r->b.loc;
  MlirValue num_pairs = arith_shrui(&r->b, num_rounds, constant(r, 1));
  MlirValue zero = constant(r, 0), one = constant(r, 1);
  MlirBlock block = mlirBlockCreate(n + 1, types, locations);
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, block);
  for (intptr_t i = 0; i < n; i++)
    values[i] = mlirBlockGetArgument(block, i + 1);
  for (int round = 0; round < 2; round++) {
    clone_round(r, values[0], values + 1);
    values[0] = arith_addi(&r->b, values[0], scf_for_step(r->loop));
  }
  scf_yield(&r->b, .results = {values, n});
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw, r->loop.op);
  return scf_for_op(&r->b, .type = {types + 1, n}, .lowerBound = zero,
                    .upperBound = num_pairs, .step = one,
                    .initArgs = {inits, n}, .region = region_of(block))
      .op;
}

// Whether the numbers say how many rounds there are.
static bool is_counted(ScfForOp loop) {
  int64_t number;
  return mlirxConstantInt(scf_for_lowerBound(loop), &number) &&
         mlirxConstantInt(scf_for_upperBound(loop), &number) &&
         mlirxConstantInt(scf_for_step(loop), &number);
}

// The round that is left of an odd number. Where that is known, no branch stays
// around it, and ptxas 13.0 takes products one by one that have registers
// loaded while one of the loop is under way (C7513): there it waits, once.
static MlirOperation build_last(Rewrite *r, MlirValue num_rounds,
                                MlirOperation pairs) {
  MlirValue *values = TILE_ARENA_NEW(r->arena, MlirValue, r->num_args + 1);
  MlirValue odd = arith_andi(&r->b, num_rounds, constant(r, 1));
  MlirValue is_odd = compare(r, ARITH_CMP_I_PREDICATE_ne, odd, constant(r, 0));
  MlirBlock then = mlirBlockCreate(0, NULL, NULL);
  MlirBlock other = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < r->num_args; i++)
    values[i] = mlirOperationGetResult(pairs, i + 1);
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, other);
  scf_yield(&r->b, .results = {values, r->num_args});
  mlirRewriterBaseSetInsertionPointToEnd(r->b.rw, then);
  if (is_counted(r->loop))
    tile_await(&r->b, .pending = 0);
  clone_round(r, mlirOperationGetResult(pairs, 0), values);
  scf_yield(&r->b, .results = {values, r->num_args});
  mlirRewriterBaseSetInsertionPointBefore(r->b.rw, r->loop.op);
  return scf_if_op(&r->b, .condition = is_odd, .thenRegion = region_of(then),
                   .elseRegion = region_of(other))
      .op;
}

static void take_two_rounds(TileArena *arena, MlirOperation op,
                            MlirRewriterBase rewriter) {
  ScfForOp loop = scf_for_cast(op);
  Rewrite r = {.arena = arena,
               .b = {rewriter, mlirOperationGetLocation(op)},
               .loop = loop,
               .body = mlirRegionGetFirstBlock(scf_for_region(loop)),
               .type = mlirValueGetType(scf_for_lowerBound(loop)),
               .num_args = mlirOperationGetNumResults(op)};
  mlirRewriterBaseSetInsertionPointBefore(rewriter, op);
  MlirValue num_rounds = count_rounds(&r);
  MlirOperation pairs = build_pairs(&r, num_rounds);
  mlirOperationSetDiscardableAttributeByName(
      pairs, TILE_STR(TILE_ALTERNATE_ATTR),
      mlirUnitAttrGet(tile_builder_context(&r.b)));
  MlirOperation last = build_last(&r, num_rounds, pairs);
  MlirValue *results = TILE_ARENA_NEW(arena, MlirValue, r.num_args + 1);
  for (intptr_t i = 0; i < r.num_args; i++)
    results[i] = mlirOperationGetResult(last, i);
  mlirRewriterBaseReplaceOpWithValues(rewriter, op, r.num_args, results);
}

// The youngest execution of its own is waited for before the product.
static void await_itself(const TileFlowProduct *product,
                         MlirRewriterBase rewriter) {
  TileBuilder b = {rewriter, mlirOperationGetLocation(product->op)};
  tile_emit_remark(product->op, "tile-async/registers",
                   "is issued when at most %d products are under way: the "
                   "instruction reads the registers of its metadata until it "
                   "has completed; two sets of them alternate in an scf.for",
                   __builtin_ctz(product->own));
  mlirRewriterBaseSetInsertionPointBefore(rewriter, product->op);
  tile_await(&b, .pending = __builtin_ctz(product->own));
}

//===-- Entry -------------------------------------------------------------===//

// The copies of a product meet no execution of their own in the next round.
// Where more than one product was under way, or there is no loop to take apart,
// older executions are waited for.
static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileArena *arena = user_data;
  TileProductFlow flow;
  MlirRewriterBase rewriter =
      mlirIRRewriterCreate(mlirOperationGetContext(kernel));
  MlirOperation loop;
  // Ends: a loop is taken apart once, and only the loops in it become more.
  do {
    tile_product_flow_read(arena, kernel, &flow);
    loop = find_loop(&flow);
    if (loop.ptr)
      take_two_rounds(arena, loop, rewriter);
  } while (loop.ptr);
  for (int i = 0; i < flow.num_products; i++)
    if (meets_itself(&flow.products[i]))
      await_itself(&flow.products[i], rewriter);
  mlirIRRewriterDestroy(rewriter);
  return tile_success();
}

MlirLogicalResult
tile_alternate_registers_run(MlirOperation op,
                             const TileAlternateRegistersOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}

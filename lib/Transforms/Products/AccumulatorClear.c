//===- AccumulatorClear.c - Products that overwrite zeros -----------------===//
//
//   fill C, 0                      product C, clear = true
//   product C              ->
//
//   fill C, 0                      for k
//   for k                  ->        product C, clear = (k == lb)
//     product C                    if not lb < ub: fill C, 0
//
//   fill C, 0                      fill C, 0
//   copy C to S             ->     copy C to S
//   product C                      product C, clear = true
//
// Zeros that are read stay for the reader. A product that adds to them makes
// ptxas wait for the products before it (message C7517; ptxas 13.0).
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "Support/Constants.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

//===-- Build -------------------------------------------------------------===//

typedef struct {
  MlirValue buffer;
  bool found;
} Touch;

static MlirWalkResult find_touch(MlirOperation op, void *user_data) {
  Touch *touch = user_data;
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++)
    touch->found |=
        mlirValueEqual(tile_buffer_of(accesses[i].tile).root, touch->buffer);
  // Ops that are no tile ops name the tile, or a window of it.
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    touch->found |=
        n == 0 && !tile_is_name_op(op) &&
        mlirValueEqual(tile_buffer_of(mlirOperationGetOperand(op, i)).root,
                       touch->buffer);
  return touch->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool touches(MlirOperation op, MlirValue buffer) {
  Touch touch = {buffer, false};
  mlirOperationWalk(op, find_touch, &touch, MlirWalkPreOrder);
  return touch.found;
}

MlirOperation accumulator_fill_find(MlirOperation op, MlirValue accumulator) {
  MlirOperation found = {NULL};
  MlirBlock block = mlirOperationGetBlock(op);
  for (MlirOperation before = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(before, op);
       before = mlirOperationGetNextInBlock(before)) {
    if (!touches(before, accumulator))
      continue;
    found = (MlirOperation){NULL};
    if (tile_fill_is(before) &&
        mlirValueEqual(tile_fill_dst(tile_fill_cast(before)), accumulator) &&
        tile_value_is_zero_bits(tile_fill_value(tile_fill_cast(before))))
      found = before;
  }
  return found;
}

static MlirWalkResult find_write(MlirOperation op, void *user_data) {
  Touch *touch = user_data;
  TileAccess accesses[TILE_MAX_ACCESSES];
  int n = tile_accesses_get(op, accesses);
  for (int i = 0; i < n; i++)
    touch->found |=
        accesses[i].writes &&
        mlirValueEqual(tile_buffer_of(accesses[i].tile).root, touch->buffer);
  if (n == 0 && !memref_load_is(op) && mlirOperationGetNumRegions(op) == 0)
    touch->found |= touches(op, touch->buffer);
  return touch->found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool writes(MlirOperation op, MlirValue buffer) {
  Touch touch = {buffer, false};
  mlirOperationWalk(op, find_write, &touch, MlirWalkPreOrder);
  return touch.found;
}

// Whether the accumulator holds zeros before `op`, for sure.
static bool holds_zeros(MlirOperation op, MlirValue accumulator) {
  for (;;) {
    MlirOperation last = {NULL};
    for (MlirOperation before =
             mlirBlockGetFirstOperation(mlirOperationGetBlock(op));
         !mlirOperationEqual(before, op);
         before = mlirOperationGetNextInBlock(before))
      if (writes(before, accumulator))
        last = before;
    if (last.ptr)
      return tile_fill_is(last) &&
             mlirValueEqual(tile_fill_dst(tile_fill_cast(last)), accumulator) &&
             tile_value_is_zero_bits(tile_fill_value(tile_fill_cast(last)));
    op = mlirOperationGetParentOperation(op);
    if (!scf_if_is(op))
      return false;
  }
}

typedef struct {
  TileArena *arena;
  MlirOperation *products;
  int num_products, capacity;
} Products;

// Products that add to a whole accumulator.
static MlirWalkResult collect(MlirOperation op, void *user_data) {
  Products *list = user_data;
  TileProduct product;
  if (!tile_product_is_wgmma(op, &product) || !mlirValueIsNull(product.clear) ||
      !mlirValueEqual(tile_buffer_of(product.c).root, product.c))
    return MlirWalkResultAdvance;
  TILE_ARENA_RESERVE(list->arena, list->products, list->num_products,
                     list->capacity);
  list->products[list->num_products++] = op;
  return MlirWalkResultAdvance;
}

// The loop around the product, when the product is the first op of its body
// that touches the accumulator.
static ScfForOp loop_begun_by(MlirOperation product, MlirValue accumulator) {
  ScfForOp loop = scf_for_dyn(mlirOperationGetParentOperation(product));
  if (!loop.op.ptr)
    return loop;
  for (MlirOperation op =
           mlirBlockGetFirstOperation(mlirOperationGetBlock(product));
       !mlirOperationEqual(op, product); op = mlirOperationGetNextInBlock(op))
    if (touches(op, accumulator))
      return (ScfForOp){{NULL}};
  return loop;
}

//===-- Apply; cannot fail ------------------------------------------------===//

static MlirValue has_no_iteration(TileBuilder *b, ScfForOp loop) {
  return arith_cmpi(
      b,
      .predicate = scf_for_unsignedCmp(loop) ? ARITH_CMP_I_PREDICATE_uge
                                             : ARITH_CMP_I_PREDICATE_sge,
      .lhs = scf_for_lowerBound(loop), .rhs = scf_for_upperBound(loop));
}

static bool runs_surely(ScfForOp loop) {
  int64_t lower, upper;
  return mlirxConstantInt(scf_for_lowerBound(loop), &lower) &&
         mlirxConstantInt(scf_for_upperBound(loop), &upper) && lower < upper &&
         (!scf_for_unsignedCmp(loop) || lower >= 0);
}

// Without iterations nothing overwrites the accumulator.
static void fill_behind(TileBuilder *b, ScfForOp loop, MlirOperation fill) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  scf_yield(b, .results = {NULL, 0});
  mlirRewriterBaseSetInsertionPointAfter(b->rw, loop.op);
  MlirValue is_empty = has_no_iteration(b, loop);
  scf_if_op(b, .condition = is_empty, .thenRegion = region,
            .elseRegion = {NULL});
  mlirRewriterBaseMoveOpBefore(b->rw, fill, mlirBlockGetTerminator(block));
}

static void clear_in_loop(TileBuilder *b, MlirOperation product, ScfForOp loop,
                          MlirOperation fill) {
  MlirValue iteration = mlirBlockGetArgument(mlirOperationGetBlock(product), 0);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, product);
  tile_product_set_clear(
      product, arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_eq,
                          .lhs = iteration, .rhs = scf_for_lowerBound(loop)));
  if (runs_surely(loop))
    mlirRewriterBaseEraseOp(b->rw, fill);
  else
    fill_behind(b, loop, fill);
}

static void clear(TileBuilder *b, MlirOperation op) {
  TileProduct product;
  tile_product_of(op, &product);
  b->loc = mlirOperationGetLocation(op);
  MlirOperation fill = accumulator_fill_find(op, product.c);
  if (fill.ptr) {
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    tile_product_set_clear(op, tile_const_int(b, 1, 1));
    mlirRewriterBaseEraseOp(b->rw, fill);
    return;
  }
  ScfForOp loop = loop_begun_by(op, product.c);
  if (loop.op.ptr)
    fill = accumulator_fill_find(loop.op, product.c);
  if (fill.ptr) {
    clear_in_loop(b, op, loop, fill);
  } else if (holds_zeros(op, product.c)) {
    mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
    tile_product_set_clear(op, tile_const_int(b, 1, 1));
  }
}

void accumulator_clear_apply(TileArena *arena, MlirOperation kernel) {
  Products list = {.arena = arena};
  mlirOperationWalk(kernel, collect, &list, MlirWalkPreOrder);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  for (int i = 0; i < list.num_products; i++)
    clear(&b, list.products[i]);
  mlirIRRewriterDestroy(b.rw);
}

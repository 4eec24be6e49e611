//===- MaskLoops.c - Masks that hide nothing in most rounds ---------------===//
//
//   for %k
//     parallel (%i, %j) S[%i, %j] = %m + %i >= %k + %j ? S[%i, %j] : low
//
// Where the comparison is true at the corner of the tile that is least likely,
// %m + 0 >= %k + 127, it is true everywhere, and the loop changes nothing: it
// stands in a condition then.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Elements/Elements.h"

#include "Dialect/ElementLoops.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

typedef struct {
  TileBuilder b;
  MlirOperation loop;
  MlirBlock body;
} Mask;

static MlirOperation owner_in_loop(const Mask *mask, MlirValue value) {
  return !mlirValueIsABlockArgument(value) &&
                 tile_value_is_inside(value, mask->loop)
             ? mlirOpResultGetOwner(value)
             : TILE_NULL_OP;
}

static MlirValue operand(MlirOperation op, int i) {
  return mlirOperationGetOperand(op, i);
}

//===-- The corner of an index --------------------------------------------===//

// Sums and differences of indices and of what no element changes.
static bool has_corner(const Mask *mask, MlirValue value) {
  MlirOperation op = owner_in_loop(mask, value);
  if (!op.ptr)
    return true;
  if (arith_addi_is(op) || arith_subi_is(op))
    return has_corner(mask, operand(op, 0)) && has_corner(mask, operand(op, 1));
  return arith_constant_is(op) ||
         (arith_index_cast_is(op) && has_corner(mask, operand(op, 0)));
}

// The greatest number that the value is in the tile, or the least.
static MlirValue corner(Mask *mask, MlirValue value, bool is_greatest) {
  MlirOperation op = owner_in_loop(mask, value);
  if (mlirValueIsABlockArgument(value) &&
      mlirBlockEqual(mlirBlockArgumentGetOwner(value), mask->body)) {
    TileParallelOp loop = tile_parallel_cast(mask->loop);
    int64_t extent =
        tile_parallel_extents(loop, (int)mlirBlockArgumentGetArgNumber(value));
    return tile_const_index(&mask->b, is_greatest ? extent - 1 : 0);
  }
  if (!op.ptr)
    return value;
  MlirOperation copy = mlirOperationClone(op);
  for (int i = 0; i < (int)mlirOperationGetNumOperands(op); i++) {
    bool is_subtracted = arith_subi_is(op) && i == 1;
    mlirOperationSetOperand(
        copy, i, corner(mask, operand(op, i), is_greatest != is_subtracted));
  }
  mlirRewriterBaseInsert(mask->b.rw, copy);
  return mlirOperationGetResult(copy, 0);
}

//===-- The condition of all elements -------------------------------------===//

static bool is_greater(ArithCmpIPredicate predicate) {
  return predicate == ARITH_CMP_I_PREDICATE_sge ||
         predicate == ARITH_CMP_I_PREDICATE_sgt;
}

static bool is_less(ArithCmpIPredicate predicate) {
  return predicate == ARITH_CMP_I_PREDICATE_sle ||
         predicate == ARITH_CMP_I_PREDICATE_slt;
}

static ArithCmpIPredicate opposite(ArithCmpIPredicate predicate) {
  return predicate == ARITH_CMP_I_PREDICATE_sge   ? ARITH_CMP_I_PREDICATE_slt
         : predicate == ARITH_CMP_I_PREDICATE_sgt ? ARITH_CMP_I_PREDICATE_sle
         : predicate == ARITH_CMP_I_PREDICATE_sle ? ARITH_CMP_I_PREDICATE_sgt
                                                  : ARITH_CMP_I_PREDICATE_sge;
}

static bool has_test(const Mask *mask, MlirValue condition) {
  MlirOperation op = owner_in_loop(mask, condition);
  if (!op.ptr)
    return false;
  if (arith_andi_is(op) || arith_ori_is(op))
    return has_test(mask, operand(op, 0)) && has_test(mask, operand(op, 1));
  if (!arith_cmpi_is(op))
    return false;
  ArithCmpIPredicate predicate = arith_cmpi_predicate(arith_cmpi_cast(op));
  return (is_greater(predicate) || is_less(predicate)) &&
         has_corner(mask, operand(op, 0)) && has_corner(mask, operand(op, 1));
}

// i1: the condition is `wanted` for every element. False where it is so too
// seldom to be found.
static MlirValue test(Mask *mask, MlirValue condition, bool wanted) {
  MlirOperation op = owner_in_loop(mask, condition);
  if (!arith_cmpi_is(op)) {
    MlirValue a = test(mask, operand(op, 0), wanted);
    MlirValue b = test(mask, operand(op, 1), wanted);
    return arith_andi_is(op) == wanted ? arith_andi(&mask->b, a, b)
                                       : arith_ori(&mask->b, a, b);
  }
  ArithCmpIPredicate predicate = arith_cmpi_predicate(arith_cmpi_cast(op));
  if (!wanted)
    predicate = opposite(predicate);
  MlirValue lhs = corner(mask, operand(op, 0), is_less(predicate));
  MlirValue rhs = corner(mask, operand(op, 1), is_greater(predicate));
  return arith_cmpi(&mask->b, .predicate = predicate, .lhs = lhs, .rhs = rhs);
}

//===-- Choices as selects ------------------------------------------------===//

// Whether a side of a choice is what the element was, or a constant: either may
// be read though the other is taken.
static bool is_cheap_side(const Mask *mask, MlirBlock side) {
  TILE_FOR_EACH_OP (op, side) {
    TileShape shape;
    bool is_own = memref_load_is(op) &&
                  tile_access_is_own_element(op, mask->body) &&
                  tile_shape_of(mlirOperationGetOperand(op, 0), &shape) &&
                  shape.space == TILE_SPACE_FRAGMENT;
    if (!is_own && !arith_constant_is(op) && !mlirxIsTerminator(op))
      return false;
  }
  return true;
}

// What the side yields, moved before the choice.
static MlirValue take_side(MlirOperation choice, MlirBlock side) {
  MlirOperation yield = mlirBlockGetTerminator(side);
  while (!mlirOperationEqual(mlirBlockGetFirstOperation(side), yield))
    mlirOperationMoveBefore(mlirBlockGetFirstOperation(side), choice);
  return mlirOperationGetOperand(yield, 0);
}

// An `scf.if` of the loop that chooses between what an element was and a
// constant is a select.
static void select_choices(Mask *mask) {
  for (MlirOperation op = mlirBlockGetFirstOperation(mask->body), next; op.ptr;
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!scf_if_is(op) || mlirOperationGetNumResults(op) != 1)
      continue;
    MlirBlock sides[2];
    for (int i = 0; i < 2; i++)
      sides[i] = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (!is_cheap_side(mask, sides[0]) || !is_cheap_side(mask, sides[1]))
      continue;
    mask->b.loc = mlirOperationGetLocation(op);
    MlirValue taken = take_side(op, sides[0]), other = take_side(op, sides[1]);
    mlirRewriterBaseSetInsertionPointBefore(mask->b.rw, op);
    mlirValueReplaceAllUsesOfWith(
        mlirOperationGetResult(op, 0),
        arith_select(&mask->b, operand(op, 0), taken, other));
    mlirRewriterBaseEraseOp(mask->b.rw, op);
  }
}

//===-- Loops that mask ---------------------------------------------------===//

// Whether `value` is what the element that is stored was before.
static bool is_kept(MlirValue value, MlirOperation store, MlirBlock body) {
  MlirOperation load = mlirValueIsABlockArgument(value)
                           ? TILE_NULL_OP
                           : mlirOpResultGetOwner(value);
  return load.ptr && memref_load_is(load) &&
         tile_access_is_own_element(load, body) &&
         mlirValueEqual(operand(load, 0), operand(store, 1));
}

// The select whose one side stores what was there; null: the loop does more.
static MlirOperation select_of(const Mask *mask, bool *out_kept_if) {
  MlirOperation store = TILE_NULL_OP;
  TILE_FOR_EACH_OP (op, mask->body) {
    bool is_store = memref_store_is(op);
    if ((is_store && store.ptr) || mlirOperationGetNumRegions(op) ||
        (!is_store && !memref_load_is(op) && !mlirxIsTerminator(op) &&
         !mlirxIsPure(op)))
      return TILE_NULL_OP;
    store = is_store ? op : store;
  }
  if (!store.ptr || !tile_access_is_own_element(store, mask->body))
    return TILE_NULL_OP;
  MlirOperation select = owner_in_loop(mask, operand(store, 0));
  if (!select.ptr || !arith_select_is(select))
    return TILE_NULL_OP;
  *out_kept_if = is_kept(operand(select, 1), store, mask->body);
  return *out_kept_if || is_kept(operand(select, 2), store, mask->body)
             ? select
             : TILE_NULL_OP;
}

static void guard(Mask *mask, MlirOperation select, bool kept_if) {
  TileBuilder *b = &mask->b;
  b->loc = mlirOperationGetLocation(mask->loop);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, mask->loop);
  MlirValue hides_nothing = test(mask, operand(select, 0), kept_if);
  MlirValue hides = arith_xori(b, hides_nothing, tile_const_int(b, 1, 1));
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion then = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(then, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  scf_yield_op(b, {NULL, 0});
  mlirRewriterBaseSetInsertionPointBefore(b->rw, mask->loop);
  scf_if_op(b, .condition = hides, .thenRegion = then,
            .elseRegion = mlirRegionCreate());
  mlirOperationMoveBefore(mask->loop, mlirBlockGetFirstOperation(block));
}

static MlirWalkResult add_loop(MlirOperation op, void *user_data) {
  if (!tile_parallel_is(op))
    return MlirWalkResultAdvance;
  if (scf_for_is(mlirOperationGetParentOperation(op)))
    tile_op_list_add(user_data, op);
  return MlirWalkResultSkip;
}

void tile_elements_guard_masks(const TileElements *elements) {
  TileOpList loops = {.arena = elements->arena};
  mlirOperationWalk(elements->launch, add_loop, &loops, MlirWalkPreOrder);
  for (size_t i = 0; i < loops.count; i++) {
    bool kept_if;
    MlirOperation loop = loops.items[i];
    Mask mask = {elements->b, loop,
                 mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0))};
    select_choices(&mask);
    MlirOperation select = select_of(&mask, &kept_if);
    if (select.ptr && has_test(&mask, operand(select, 0)))
      guard(&mask, select, kept_if);
  }
}

//===- PlaceLoops.c - Numbers of places are computed where they are used --===//
//
// Masks and positions begin with loops that store what follows from their
// indices alone. A fragment of such numbers costs registers, and one of columns
// has its layout to fit: each element that reads one computes it again.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Elements/Elements.h"

#include "Dialect/ElementLoops.h"
#include "Dialect/ForeignOps.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"

enum { MAX_PLACES = 16, MAX_OPS = 12 };

/// A loop whose fragment nothing has written since.
typedef struct {
  MlirValue memref;
  MlirBlock body;
  MlirOperation store;
} Place;

typedef struct {
  const TileElements *elements;
  Place places[MAX_PLACES];
  int num_places;
} Places;

static const Place *find_place(const Places *p, MlirValue memref) {
  for (int i = 0; i < p->num_places; i++)
    if (mlirValueEqual(p->places[i].memref, memref))
      return &p->places[i];
  return NULL;
}

static void forget(Places *p, MlirValue memref) {
  int count = 0;
  for (int i = 0; i < p->num_places; i++)
    if (!mlirValueEqual(p->places[i].memref, memref))
      p->places[count++] = p->places[i];
  p->num_places = count;
}

static MlirBlock body_of(MlirOperation loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
}

// Whether the store is to the loop's own element of a fragment.
static bool stores_own_element(MlirOperation store, MlirBlock body) {
  TileShape shape;
  return tile_shape_of(mlirOperationGetOperand(store, 1), &shape) &&
         shape.space == TILE_SPACE_FRAGMENT &&
         tile_access_is_own_element(store, body);
}

// Arithmetic that costs as little as reading a register.
static bool is_cheap(MlirOperation op) {
  return tile_op_name_begins(op, "arith.") && mlirxIsPure(op) &&
         !arith_divf_is(op) && !arith_remf_is(op);
}

// The one store of a loop that computes a few numbers from its indices; null:
// it does something else.
static MlirOperation store_of_places(MlirOperation loop) {
  MlirBlock body = body_of(loop);
  MlirOperation store = TILE_NULL_OP;
  int num_ops = 0;
  TILE_FOR_EACH_OP (op, body) {
    if (mlirxIsTerminator(op))
      continue;
    if (store.ptr || num_ops++ == MAX_OPS)
      return TILE_NULL_OP;
    if (memref_store_is(op))
      store = op;
    else if (!is_cheap(op))
      return TILE_NULL_OP;
  }
  return store.ptr && stores_own_element(store, body) ? store : TILE_NULL_OP;
}

// What the loop has stored at these indices, before `user`.
static MlirValue computed_again(Places *p, const Place *place,
                                MlirOperation user) {
  MlirRewriterBase rw = p->elements->b.rw;
  MlirxMapping map = mlirxMappingCreate();
  for (intptr_t d = 0; d < mlirBlockGetNumArguments(place->body); d++)
    mlirxMappingSet(map, mlirBlockGetArgument(place->body, d),
                    mlirOperationGetOperand(user, 1 + d));
  mlirRewriterBaseSetInsertionPointBefore(rw, user);
  TILE_FOR_EACH_OP (op, place->body)
    if (!mlirxIsTerminator(op) && !mlirOperationEqual(op, place->store))
      mlirxClone(rw, op, map);
  MlirValue value =
      mlirxMappingGet(map, mlirOperationGetOperand(place->store, 0));
  mlirxMappingDestroy(map);
  return value;
}

static MlirWalkResult add_access(MlirOperation op, void *user_data) {
  if (memref_load_is(op) || memref_store_is(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

static void visit_loop(Places *p, MlirOperation loop) {
  TileOpList accesses = {.arena = p->elements->arena};
  mlirOperationWalk(loop, add_access, &accesses, MlirWalkPreOrder);
  for (size_t i = 0; i < accesses.count; i++) { // all that it reads, first
    MlirOperation load = accesses.items[i];
    const Place *place = memref_load_is(load)
                             ? find_place(p, mlirOperationGetOperand(load, 0))
                             : NULL;
    if (!place)
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(load, 0),
                                  computed_again(p, place, load));
    mlirRewriterBaseEraseOp(p->elements->b.rw, load);
    accesses.items[i] = TILE_NULL_OP;
  }
  for (size_t i = 0; i < accesses.count; i++)
    if (accesses.items[i].ptr && memref_store_is(accesses.items[i]))
      forget(p, mlirOperationGetOperand(accesses.items[i], 1));
  MlirOperation store = store_of_places(loop);
  if (store.ptr && p->num_places < MAX_PLACES)
    p->places[p->num_places++] =
        (Place){mlirOperationGetOperand(store, 1), body_of(loop), store};
}

static void visit_block(const TileElements *elements, MlirBlock block) {
  Places p = {.elements = elements};
  TILE_FOR_EACH_OP (op, block) {
    if (tile_parallel_is(op)) {
      visit_loop(&p, op);
      continue;
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock inner =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           !mlirBlockIsNull(inner); inner = mlirBlockGetNextInRegion(inner))
        visit_block(elements, inner);
    if (mlirOperationGetNumRegions(op))
      p.num_places = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      forget(&p, mlirOperationGetOperand(op, i));
  }
}

static MlirWalkResult add_alloc(MlirOperation op, void *user_data) {
  if (tile_alloc_is(op))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

// Loops that store to a fragment that nobody reads, and do nothing else.
static void erase_unread(const TileElements *elements) {
  TileOpList allocs = {.arena = elements->arena};
  mlirOperationWalk(elements->launch, add_alloc, &allocs, MlirWalkPreOrder);
  for (size_t i = 0; i < allocs.count; i++) {
    MlirValue memref = mlirOperationGetResult(allocs.items[i], 0);
    MlirOpOperand use = mlirValueGetFirstUse(memref);
    bool is_unread = true;
    for (MlirOpOperand u = use; !mlirOpOperandIsNull(u) && is_unread;
         u = mlirOpOperandGetNextUse(u)) {
      MlirOperation user = mlirOpOperandGetOwner(u);
      MlirOperation loop = mlirOperationGetParentOperation(user);
      is_unread = memref_store_is(user) && tile_parallel_is(loop) &&
                  mlirOperationEqual(store_of_places(loop), user);
    }
    while (is_unread && !mlirOpOperandIsNull(use)) {
      mlirRewriterBaseEraseOp(elements->b.rw, mlirOperationGetParentOperation(
                                                  mlirOpOperandGetOwner(use)));
      use = mlirValueGetFirstUse(memref);
    }
    if (is_unread)
      mlirRewriterBaseEraseOp(elements->b.rw, allocs.items[i]);
  }
}

void tile_elements_inline_places(const TileElements *elements) {
  visit_block(elements, mlirRegionGetFirstBlock(
                            mlirOperationGetRegion(elements->launch, 0)));
  erase_unread(elements);
}

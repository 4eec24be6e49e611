//===- ElementLoops.c - What the body of a tile.parallel accesses ---------===//

#include "ElementLoops.h"

#include "Tile/Ops/memref.h"
#include "TileHooks.h"

//===-- Accesses ----------------------------------------------------------===//

bool tile_element_access_get(MlirOperation op, TileElementAccess *out_access) {
  if (memref_load_is(op)) {
    MemRefLoadOp load = memref_load_cast(op);
    *out_access = (TileElementAccess){op, memref_load_memref(load),
                                      memref_load_indices(load), false, false};
    return true;
  }
  if (memref_store_is(op)) {
    MemRefStoreOp store = memref_store_cast(op);
    *out_access = (TileElementAccess){op, memref_store_memref(store),
                                      memref_store_indices(store), true, false};
    return true;
  }
  if (memref_atomic_rmw_is(op)) {
    MemRefAtomicRMWOp update = memref_atomic_rmw_cast(op);
    *out_access =
        (TileElementAccess){op, memref_atomic_rmw_memref(update),
                            memref_atomic_rmw_indices(update), true, true};
    return true;
  }
  return false;
}

bool tile_access_is_own_element(MlirOperation op, MlirBlock body) {
  TileElementAccess access;
  if (!tile_element_access_get(op, &access) ||
      access.indices.n != mlirBlockGetNumArguments(body))
    return false;
  for (intptr_t d = 0; d < access.indices.n; d++)
    if (!mlirValueEqual(tile_range_at(access.indices, d),
                        mlirBlockGetArgument(body, d)))
      return false;
  return true;
}

bool tile_element_update_get(MemRefAtomicRMWOp op,
                             TileElementUpdate *out_update) {
  *out_update = (TileElementUpdate){TILE_ATOMIC_KIND_Add, false};
  switch (memref_atomic_rmw_kind(op)) {
  case ARITH_ATOMIC_RMW_KIND_addf:
  case ARITH_ATOMIC_RMW_KIND_addi:
    return true;
  case ARITH_ATOMIC_RMW_KIND_maxu:
    out_update->is_unsigned = true;
    out_update->kind = TILE_ATOMIC_KIND_Max;
    return true;
  case ARITH_ATOMIC_RMW_KIND_maximumf:
  case ARITH_ATOMIC_RMW_KIND_maxs:
    out_update->kind = TILE_ATOMIC_KIND_Max;
    return true;
  case ARITH_ATOMIC_RMW_KIND_minu:
    out_update->is_unsigned = true;
    out_update->kind = TILE_ATOMIC_KIND_Min;
    return true;
  case ARITH_ATOMIC_RMW_KIND_minimumf:
  case ARITH_ATOMIC_RMW_KIND_mins:
    out_update->kind = TILE_ATOMIC_KIND_Min;
    return true;
  case ARITH_ATOMIC_RMW_KIND_andi:
    out_update->kind = TILE_ATOMIC_KIND_And;
    return true;
  case ARITH_ATOMIC_RMW_KIND_ori:
    out_update->kind = TILE_ATOMIC_KIND_Or;
    return true;
  case ARITH_ATOMIC_RMW_KIND_xori:
    out_update->kind = TILE_ATOMIC_KIND_Xor;
    return true;
  default:
    return false;
  }
}

typedef struct {
  TileElementVisitor visit;
  void *user_data;
} AccessWalk;

static MlirWalkResult visit_op(MlirOperation op, void *user_data) {
  AccessWalk *walk = user_data;
  TileElementAccess access;
  if (tile_element_access_get(op, &access) &&
      !walk->visit(&access, walk->user_data))
    return MlirWalkResultInterrupt;
  return MlirWalkResultAdvance;
}

void tile_parallel_visit(TileParallelOp loop, TileElementVisitor visit,
                         void *user_data) {
  AccessWalk walk = {visit, user_data};
  mlirOperationWalk(loop.op, visit_op, &walk, MlirWalkPreOrder);
}

//===-- Parallel indices --------------------------------------------------===//

MlirBlock tile_parallel_block(TileParallelOp loop) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(loop.op, 0));
}

int tile_parallel_index(TileParallelOp loop, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                      tile_parallel_block(loop)))
    return -1;
  return (int)mlirBlockArgumentGetArgNumber(value);
}

enum { DEPENDENCE_BUDGET = 1024 }; // values looked at, then all count
static const unsigned all_indices = (1u << TILE_MAX_RANK) - 1;

static unsigned dependence(TileParallelOp loop, MlirValue value, int *budget) {
  int index = tile_parallel_index(loop, value);
  if (index >= 0)
    return 1u << index;
  if (!tile_value_is_inside(value, loop.op))
    return 0;
  if (!mlirValueIsAOpResult(value) || --*budget < 0)
    return all_indices;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mlirOperationGetNumRegions(op) > 0)
    return all_indices;
  unsigned mask = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mask |= dependence(loop, mlirOperationGetOperand(op, i), budget);
  return mask;
}

unsigned tile_parallel_dependence(TileParallelOp loop, MlirValue value) {
  int budget = DEPENDENCE_BUDGET;
  return dependence(loop, value, &budget);
}

TileParallelOp tile_parallel_around(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (parent.ptr && !tile_parallel_is(parent))
    parent = mlirOperationGetParentOperation(parent);
  return parent.ptr ? tile_parallel_cast(parent) : (TileParallelOp){{NULL}};
}

//===-- Access regions and effects ----------------------------------------===//

typedef struct {
  TileAccess *out;
  int count;
} LoopAccesses;

// The verifier has counted them.
static bool add_element_access(const TileElementAccess *access,
                               void *user_data) {
  LoopAccesses *list = user_data;
  TileShape shape;
  if (!tile_shape_of(access->memref, &shape) ||
      shape.space == TILE_SPACE_PRIVATE)
    return true;
  int i = 0;
  while (i < list->count && !mlirValueEqual(list->out[i].tile, access->memref))
    i++;
  if (i == list->count) {
    if (i == TILE_MAX_ACCESSES)
      return true;
    list->out[list->count++] =
        (TileAccess){.tile = access->memref, .operand = -1, .is_atomic = true};
  }
  list->out[i].reads |= !access->is_store || access->is_atomic;
  list->out[i].writes |= access->is_store;
  list->out[i].is_atomic &= access->is_atomic;
  return true;
}

int tile_element_accesses(MlirOperation op, TileAccess out[TILE_MAX_ACCESSES]) {
  if (tile_transpose_is(op) || tile_arrange_is(op)) {
    out[0] =
        (TileAccess){.tile = mlirOperationGetOperand(op, 0), .reads = true};
    out[1] = (TileAccess){
        .tile = mlirOperationGetOperand(op, 1), .operand = 1, .writes = true};
    return 2;
  }
  if (tile_parallel_is(op)) {
    LoopAccesses list = {out, 0};
    tile_parallel_visit(tile_parallel_cast(op), add_element_access, &list);
    return list.count;
  }
  TileShape shape;
  if (!tile_print_is(op) || mlirOperationGetNumOperands(op) != 1 ||
      !tile_shape_of(mlirOperationGetOperand(op, 0), &shape))
    return 0;
  out[0] = (TileAccess){.tile = mlirOperationGetOperand(op, 0), .reads = true};
  return 1;
}

void tile_transpose_effects(MlirOperation op, TileEffects effects) {
  tile_effects_add(effects, TILE_EFFECT_READ, op, 0);
  tile_effects_add(effects, TILE_EFFECT_WRITE, op, 1);
}

void tile_arrange_effects(MlirOperation op, TileEffects effects) {
  tile_transpose_effects(op, effects);
}

// Output is memory that no operand names: what prints or stops keeps its place.
void tile_print_effects(MlirOperation op, TileEffects effects) {
  TileAccess read[TILE_MAX_ACCESSES];
  if (tile_element_accesses(op, read))
    tile_effects_add(effects, TILE_EFFECT_READ, op, 0);
  tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

void tile_assert_effects(MlirOperation op, TileEffects effects) {
  tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

// Time passes by itself: a clock keeps its place as well.
void tile_clock_effects(MlirOperation op, TileEffects effects) {
  tile_effects_add(effects, TILE_EFFECT_WRITE, op, -1);
}

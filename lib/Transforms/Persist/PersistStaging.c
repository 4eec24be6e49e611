//===- PersistStaging.c - Tiles that epilogues are stored from ------------===//
//
// In a persistent launch the rings are full of the next tile while this one is
// stored, so a tile that the store passes through needs bytes of its own. Where
// they are missing, it is cut into parts.
//
//===----------------------------------------------------------------------===//

#include "PersistPlan.h"

#include "Analysis/Index/Index.h"
#include "Support/Iterate.h"

//===-- Which tiles can be cut --------------------------------------------===//

// A copy that reads or writes all of `tile` as operand `operand`.
static TileCopyOp copy_of(MlirValue tile, intptr_t operand) {
  TileCopyOp found = {TILE_NULL_OP};
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tile_copy_is(mlirOpOperandGetOwner(use)) &&
        mlirOpOperandGetOperandNumber(use) == operand)
      found = tile_copy_cast(mlirOpOperandGetOwner(use));
  return found;
}

static int count_uses(MlirValue value) {
  int count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    count++;
  return count;
}

// `second` follows `first` in its block, and nothing between has effects.
static bool are_neighbours(MlirOperation first, MlirOperation second) {
  MlirOperation op = mlirOperationGetNextInBlock(first);
  while (op.ptr && !mlirOperationEqual(op, second) &&
         mlirxIsMemoryEffectFree(op))
    op = mlirOperationGetNextInBlock(op);
  return op.ptr && mlirOperationEqual(op, second);
}

// The last dimension of the window is the last one of the tensor.
static bool has_last_dim(MlirValue window) {
  if (!mlirValueIsAOpResult(window) ||
      !tile_region_is(mlirOpResultGetOwner(window)))
    return false;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(window));
  int rank =
      (int)mlirShapedTypeGetRank(mlirValueGetType(tile_region_source(region)));
  return mlirTypeIsAMemRef(mlirValueGetType(tile_region_source(region))) &&
         rank > 0 && tile_region_result_dim(region, rank - 1) >= 0;
}

// Rows of a part are whole lines of 32 bytes, and as aligned as those of the
// tile are said to be.
static int64_t unit_bytes(TileCopyOp store) {
  enum { LINE_BYTES = 32 };
  TileRegionOp region =
      tile_region_cast(mlirOpResultGetOwner(tile_copy_dst(store)));
  if (mlirAttributeIsNull(tile_region_align_attr(region)) ||
      tile_region_align(region) < LINE_BYTES)
    return LINE_BYTES;
  return tile_region_align(region);
}

static bool staging_of(TileAllocOp alloc, TileStaging *out) {
  enum { DST = 1 }; // operand number
  MlirValue tile = tile_alloc_memref(alloc);
  TileShape shape, from;
  if (!tile_shape_of(tile, &shape) || shape.space != TILE_SPACE_SHARED ||
      shape.rank < 1 || !mlirAttributeIsNull(tile_alloc_layout_attr(alloc)) ||
      count_uses(tile) != 2)
    return false;
  *out = (TileStaging){.alloc = alloc,
                       .fill = copy_of(tile, DST),
                       .store = copy_of(tile, 0),
                       .num_columns = shape.extent[shape.rank - 1]};
  if (!out->fill.op.ptr || !out->store.op.ptr ||
      !tile_shape_of(tile_copy_src(out->fill), &from) ||
      from.space != TILE_SPACE_FRAGMENT ||
      !tile_is_whole(tile_copy_src(out->fill)) ||
      !has_last_dim(tile_copy_dst(out->store)) ||
      !are_neighbours(out->fill.op, out->store.op))
    return false;
  int64_t elem_bits = tile_elem_bits(shape.element);
  out->cut = tile_staging_cut_whole(
      tile_shape_num_elems(&shape) * elem_bits / 8,
      out->num_columns * elem_bits / 8, unit_bytes(out->store));
  return true;
}

typedef struct {
  TilePersistPlan *plan;
  TileStaging **tail;
} Find;

static MlirWalkResult find_staging(MlirOperation op, void *user_data) {
  Find *find = user_data;
  TileStaging found;
  if (!tile_alloc_is(op) || !staging_of(tile_alloc_cast(op), &found))
    return MlirWalkResultAdvance;
  *find->tail = TILE_ARENA_NEW(find->plan->arena, TileStaging, 1);
  **find->tail = found;
  find->tail = &(*find->tail)->next;
  return MlirWalkResultAdvance;
}

//===-- How many parts ----------------------------------------------------===//

bool tile_persist_staging_solve(TilePersistPlan *plan, int64_t total_bytes,
                                int64_t limit_bytes) {
  Find find = {plan, &plan->stagings};
  if (total_bytes <= limit_bytes)
    return true;
  mlirOperationWalk(plan->launch.op, find_staging, &find, MlirWalkPreOrder);
  while (total_bytes > limit_bytes) {
    TileStaging *largest = NULL;
    for (TileStaging *s = plan->stagings; s; s = s->next) {
      TileStagingCut next = s->cut;
      if (tile_staging_cut_next(&next) &&
          (!largest || tile_staging_cut_bytes(&s->cut) >
                           tile_staging_cut_bytes(&largest->cut)))
        largest = s;
    }
    if (!largest)
      return false;
    total_bytes -= tile_staging_cut_bytes(&largest->cut);
    tile_staging_cut_next(&largest->cut);
    total_bytes += tile_staging_cut_bytes(&largest->cut);
  }
  return true;
}

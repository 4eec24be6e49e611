//===- PersistStaging.c - Tiles that epilogues are stored from ------------===//
//
// In a persistent launch the rings are full of the next tile while this one is
// stored, so a tile that the store passes through needs bytes of its own. Where
// they are missing, it is cut into parts, two of which have a place: one is
// filled while the other is stored.
//
//===----------------------------------------------------------------------===//

#include "PersistPlan.h"

#include "Tile/Support/Iterate.h"

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
                       .num_columns = shape.extent[shape.rank - 1],
                       .num_parts = 1,
                       .num_places = 2};
  if (!out->fill.op.ptr || !out->store.op.ptr ||
      !tile_shape_of(tile_copy_src(out->fill), &from) ||
      from.space != TILE_SPACE_FRAGMENT ||
      !tile_is_whole(tile_copy_src(out->fill)) ||
      !has_last_dim(tile_copy_dst(out->store)) ||
      !are_neighbours(out->fill.op, out->store.op))
    return false;
  out->size_bytes =
      tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
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

// Two parts have a place; a tile that is not cut has one.
static int64_t place_bytes(const TileStaging *staging, int64_t num_parts) {
  return num_parts > 1 ? 2 * staging->size_bytes / num_parts
                       : staging->size_bytes;
}

// Rows of a part are whole lines of 32 bytes, and as aligned as those of the
// tile are said to be.
static bool can_cut(const TileStaging *staging, int64_t num_parts) {
  enum { LINE_BYTES = 32 };
  TileShape shape;
  TileRegionOp region =
      tile_region_cast(mlirOpResultGetOwner(tile_copy_dst(staging->store)));
  if (staging->num_columns % num_parts ||
      !tile_shape_of(tile_alloc_memref(staging->alloc), &shape))
    return false;
  int64_t row_bytes =
      staging->num_columns / num_parts * tile_elem_bits(shape.element) / 8;
  return row_bytes % LINE_BYTES == 0 &&
         (mlirAttributeIsNull(tile_region_align_attr(region)) ||
          row_bytes % tile_region_align(region) == 0);
}

// Two parts take what one tile does, so the least cut is into four.
static int64_t next_cut(const TileStaging *staging) {
  int64_t num_parts = staging->num_parts > 1 ? 2 * staging->num_parts : 4;
  return can_cut(staging, num_parts) ? num_parts : 0;
}

bool tile_persist_staging_solve(TilePersistPlan *plan, int64_t total_bytes,
                                int64_t limit_bytes) {
  Find find = {plan, &plan->stagings};
  if (total_bytes <= limit_bytes)
    return true;
  mlirOperationWalk(plan->launch.op, find_staging, &find, MlirWalkPreOrder);
  while (total_bytes > limit_bytes) {
    TileStaging *largest = NULL;
    for (TileStaging *s = plan->stagings; s; s = s->next)
      if (next_cut(s) &&
          (!largest || place_bytes(s, s->num_parts) >
                           place_bytes(largest, largest->num_parts)))
        largest = s;
    if (!largest)
      return false;
    int64_t num_parts = next_cut(largest);
    total_bytes -= place_bytes(largest, largest->num_parts) -
                   place_bytes(largest, num_parts);
    largest->num_parts = num_parts;
  }
  return true;
}

//===- ElementAlignment.c - Element loops that could move vectors ---------===//
//
// Asked before layouts are known: what a loop cannot use after all costs a
// requirement of the host, not a wrong access.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis.h"

static MlirAttribute align_attr(MlirOperation access) {
  return mlirOperationGetDiscardableAttributeByName(access,
                                                    TILE_STR("tile.align"));
}

int64_t tile_element_align_bytes(MlirOperation access) {
  MlirAttribute align = align_attr(access);
  return mlirAttributeIsNull(align) ? 1 : mlirIntegerAttrGetValueInt(align);
}

static bool has_contiguous_rows(MlirType tensor) {
  int64_t strides[TILE_MAX_RANK], offset;
  int64_t rank = mlirShapedTypeGetRank(tensor);
  return rank >= 1 && rank <= TILE_MAX_RANK &&
         mlirLogicalResultIsSuccess(
             mlirMemRefTypeGetStridesAndOffset(tensor, strides, &offset)) &&
         strides[rank - 1] == 1;
}

// Two neighbours along some parallel index, from an even place on.
static bool has_pairs(TileParallelOp loop, const TileElementAccess *access,
                      int rank) {
  int rows = (int)tile_parallel_extents_size(loop);
  TileLinearIndex last =
      tile_linear_index(loop, tile_range_at(access->indices, rank - 1));
  for (int k = 0; last.is_linear && k < rows; k++) {
    bool is_run =
        last.factor[k] == 1 && tile_parallel_extents(loop, k) % 2 == 0;
    for (int j = 0; j < rows; j++)
      is_run &= j == k || last.factor[j] % 2 == 0;
    if (is_run && last.rest_divisor % 2 == 0)
      return true;
  }
  return false;
}

bool tile_element_wants_alignment(MlirOperation op) {
  TileElementAccess access;
  TileShape shape;
  TileParallelOp loop = tile_parallel_around(op);
  if (mlirOperationIsNull(loop.op) || !tile_element_access_get(op, &access) ||
      access.is_atomic || !mlirAttributeIsNull(align_attr(op)))
    return false;
  MlirType type = mlirValueGetType(access.memref);
  return mlirTypeIsAMemRef(type) && tile_shape_of(access.memref, &shape) &&
         shape.space == TILE_SPACE_GLOBAL &&
         tile_elem_bits(shape.element) <= 32 && has_contiguous_rows(type) &&
         has_pairs(loop, &access, shape.rank);
}

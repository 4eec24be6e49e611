//===- ElementAlignment.c - How tensors of fragments could be aligned -----===//
//
// Those of element loops and of copies. Asked before layouts are known: what
// one cannot use after all costs a requirement of the host, not a wrong access.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

#include "Support/Arithmetic.h"
#include "Support/Diagnostics.h"

enum { MIN_VECTOR_BYTES = 4, MAX_VECTOR_BYTES = 16 };

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

int64_t tile_tensor_align_limit(MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor);
  int64_t strides[TILE_MAX_RANK], offset, limit = MAX_VECTOR_BYTES;
  int64_t rank = mlirShapedTypeGetRank(type);
  if (rank > TILE_MAX_RANK ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return 0;
  int64_t elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  for (int64_t d = 0; d + 1 < rank; d++)
    if (!mlirShapedTypeIsDynamicStrideOrOffset(strides[d]))
      limit = tile_gcd(limit, strides[d] * elem_bytes);
  return limit;
}

// Whether `run` neighbours along some parallel index begin at multiples of it.
static bool has_runs(TileParallelOp loop, const TileLinearIndex *last,
                     int64_t run) {
  int rows = (int)tile_parallel_extents_size(loop);
  for (int k = 0; last->is_linear && k < rows; k++) {
    bool is_run =
        last->factor[k] == 1 && tile_parallel_extents(loop, k) % run == 0;
    for (int j = 0; j < rows; j++)
      is_run &= j == k || last->factor[j] % run == 0;
    if (is_run && last->rest_divisor % run == 0)
      return true;
  }
  return false;
}

int64_t tile_element_wanted_bytes(MlirOperation op) {
  TileElementAccess access;
  TileShape shape;
  TileParallelOp loop = tile_parallel_around(op);
  if (mlirOperationIsNull(loop.op) || !tile_element_access_get(op, &access) ||
      access.is_atomic || !mlirAttributeIsNull(align_attr(op)))
    return 0;
  MlirType type = mlirValueGetType(access.memref);
  if (!mlirTypeIsAMemRef(type) || !tile_shape_of(access.memref, &shape) ||
      shape.space != TILE_SPACE_GLOBAL || !has_contiguous_rows(type))
    return 0;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  if (elem_bytes < 1 || elem_bytes > MIN_VECTOR_BYTES)
    return 0;
  int64_t spread; // elements of the loop that read one of the tensor
  TileLinearIndex last = tile_quotient_index(
      loop, tile_range_at(access.indices, shape.rank - 1), &spread);
  int64_t bytes = tile_tensor_align_limit(access.memref);
  while (bytes > elem_bytes &&
         !has_runs(loop, &last, bytes / elem_bytes * spread))
    bytes /= 2;
  return bytes > elem_bytes && bytes >= MIN_VECTOR_BYTES ? bytes : 0;
}

int64_t tile_window_wanted_bytes(MlirValue window) {
  TileShape shape;
  TileRegionOp region = tile_region_of(window);
  if (!region.op.ptr || tile_region_ids(region).ptr ||
      !tile_shape_of(window, &shape))
    return 0;
  MlirValue tensor = tile_region_source(region);
  MlirType type = mlirValueGetType(tensor);
  int last = (int)mlirShapedTypeGetRank(type) - 1;
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  if (elem_bytes < 1 || !has_contiguous_rows(type) ||
      tile_region_result_dim(region, last) != shape.rank - 1 ||
      tile_region_end(region, last).ptr)
    return 0;
  int64_t bytes = tile_gcd(tile_tensor_align_limit(tensor),
                           shape.extent[shape.rank - 1] * elem_bytes);
  bytes = tile_gcd(bytes, tile_column_align_bytes(window));
  if (!mlirShapedTypeIsDynamicDim(type, last))
    bytes = tile_gcd(bytes, tile_row_multiple_bytes(window));
  bool is_gain = bytes > elem_bytes && bytes >= MIN_VECTOR_BYTES &&
                 tile_window_vector_bytes(window) % bytes != 0;
  return is_gain ? bytes : 0;
}

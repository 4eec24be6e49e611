//===- ElementAlignment.c - How tensors of fragments could be aligned -----===//
//
// Those of element loops and of copies. Asked before layouts are known: what
// one cannot use after all costs a requirement of the host, not a wrong access.
// Of vectors of other dialects, how they are aligned.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

#include "Dialect/TileLayouts.h"
#include "Support/Arithmetic.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/vector.h"

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

//===-- Vectors of other dialects -----------------------------------------===//

// Memory that this compiler places, each at a multiple of the widest access.
static bool is_placed(MlirValue memref, TileSpace space) {
  if (space != TILE_SPACE_SHARED && space != TILE_SPACE_PRIVATE)
    return false;
  if (mlirValueIsABlockArgument(memref)) // attributed, not passed by a loop
    return tile_kernel_is(
        mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(memref)));
  MlirOperation op = mlirOpResultGetOwner(memref);
  return tile_alloc_is(op) || tile_storage_is(op) ||
         gpu_dynamic_shared_memory_is(op);
}

static int64_t index_bytes(TileRange indices, int dim, int64_t step_bytes) {
  int64_t divisor =
      tile_index_divisor(tile_int_value(tile_range_at(indices, dim)));
  return tile_gcd(MAX_VECTOR_BYTES, divisor) * step_bytes;
}

// In storage with a layout, neighbours begin at multiples of their run.
static int64_t layout_align_bytes(const TileLayout *layout, TileRange indices,
                                  int last, int64_t elem_bytes) {
  int64_t run = tile_layout_contiguous_run(layout, last);
  return tile_gcd(run * elem_bytes, index_bytes(indices, last, elem_bytes));
}

static int64_t place_align_bytes(MlirValue memref, TileRange indices) {
  TileShape shape;
  TileLayout layout;
  TileReason error;
  MlirType type = mlirValueGetType(memref);
  int64_t strides[TILE_MAX_RANK], offset, align = MAX_VECTOR_BYTES;
  int64_t elem_bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
  if (elem_bytes < 1 || !tile_shape_of(memref, &shape) ||
      tile_failed(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return 1;
  if (!is_placed(memref, shape.space))
    align = tile_gcd(align, tile_tensor_address_bytes(memref));
  else if (tile_layout_of_tile(memref, &layout, &error))
    return tile_gcd(align, layout_align_bytes(&layout, indices, shape.rank - 1,
                                              elem_bytes));
  for (int d = 0; d < shape.rank; d++) {
    bool is_open = mlirShapedTypeIsDynamicStrideOrOffset(strides[d]);
    align =
        tile_gcd(align, index_bytes(indices, d,
                                    elem_bytes * (is_open ? 1 : strides[d])));
  }
  return align;
}

int64_t tile_vector_align_bytes(MlirOperation op) {
  bool is_load = vector_load_is(op);
  MlirValue memref = is_load ? vector_load_base(vector_load_cast(op))
                             : vector_store_base(vector_store_cast(op));
  TileRange indices = is_load ? vector_load_indices(vector_load_cast(op))
                              : vector_store_indices(vector_store_cast(op));
  MlirAttribute stated =
      mlirOperationGetAttributeByName(op, TILE_STR("alignment"));
  int64_t known = place_align_bytes(memref, indices);
  int64_t said =
      mlirAttributeIsNull(stated) ? 1 : mlirIntegerAttrGetValueInt(stated);
  int64_t align = known > said ? known : said;
  return align > MAX_VECTOR_BYTES ? MAX_VECTOR_BYTES : align;
}

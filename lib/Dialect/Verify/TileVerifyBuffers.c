//===- TileVerifyBuffers.c - Constraints of tiles and their windows -------===//
//
// Labels such as (C2) are those of TileOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Boxes.h"
#include "Dialect/TileLayouts.h"
#include "TileVerify.h"

// One more extent of a tile that has `num_elems` elements so far: it is at
// least 1, and the product still fits an index into a tile.
static MlirLogicalResult verify_extent(MlirOperation op, int64_t extent,
                                       intptr_t dim, int64_t *num_elems) {
  if (extent < 1)
    return tile_emit_error(
        op, "expects extents of at least 1, got %" PRId64 " in dimension %td",
        extent, dim);
  if (extent > TILE_MAX_TILE_ELEMS / *num_elems)
    return tile_emit_error(op, "expects at most %d elements, got more",
                           TILE_MAX_TILE_ELEMS);
  *num_elems *= extent;
  return tile_success();
}

//===-- tile.alloc --------------------------------------------------------===//

// CUDA programming guide, technical specifications: local memory per thread.
enum { MAX_LOCAL_BYTES = 512 * 1024 };

static MlirLogicalResult alloc_verify_type(TileAllocOp alloc, MlirType type,
                                           TileShape *out_shape) {
  MlirOperation op = alloc.op;
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  if (space == TILE_SPACE_GLOBAL || space == TILE_SPACE_OTHER) // (C1)
    return tile_emit_error(op,
                           "expects a tile in shared or private memory or a "
                           "fragment, got %s",
                           tile_space_name(space));
  int min_rank = space == TILE_SPACE_PRIVATE ? 0 : 1;
  int64_t rank = mlirShapedTypeGetRank(type);
  if (rank < min_rank || rank > TILE_MAX_RANK) // (C2)
    return tile_emit_error(op, "expects rank %d to %d in %s, got %" PRId64,
                           min_rank, TILE_MAX_RANK, tile_space_name(space),
                           rank);
  if (!tile_shape_get(type, out_shape) || !tile_shape_is_static(out_shape))
    return tile_emit_error(op, "expects a static shape, got %s",
                           tile_verify_type_text(type).chars);
  int64_t num_elems = 1;
  for (int d = 0; d < out_shape->rank; d++)
    if (tile_failed(verify_extent(op, out_shape->extent[d], d, &num_elems)))
      return tile_failure();
  if (!mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type))) // (C3)
    return tile_emit_error(
        op, "expects a memref with the identity layout, got %s",
        tile_verify_attr_text(mlirMemRefTypeGetLayout(type)).chars);
  if (!tile_verify_is_element(out_shape->element)) // (C8)
    return tile_emit_error(op, "expects elements of %s, got %s",
                           TILE_ELEMENT_TYPES,
                           tile_verify_type_text(out_shape->element).chars);
  int64_t size_bytes = num_elems * tile_elem_bits(out_shape->element) / 8;
  if (space == TILE_SPACE_PRIVATE && size_bytes > MAX_LOCAL_BYTES) // (C9)
    return tile_emit_error(op,
                           "needs %" PRId64 " bytes of the local memory of a "
                           "thread, which has %d",
                           size_bytes, MAX_LOCAL_BYTES);
  return tile_success();
}

static MlirLogicalResult alloc_verify_place(TileAllocOp alloc,
                                            const TileShape *shape) {
  bool is_shared = shape->space == TILE_SPACE_SHARED;
  bool has_alignment = !mlirAttributeIsNull(tile_alloc_alignment_attr(alloc));
  bool has_offset = !mlirAttributeIsNull(tile_alloc_offset_attr(alloc));
  if (!is_shared && (has_alignment || has_offset)) // (C4) (C7)
    return tile_emit_error(
        alloc.op, "expects '%s' only on a tile in shared memory, got %s",
        has_alignment ? "alignment" : "offset", tile_space_name(shape->space));
  int64_t alignment_bytes = tile_alloc_alignment(alloc);
  if (has_alignment && !tile_verify_is_power_of_two(alignment_bytes)) // (C4)
    return tile_emit_error(
        alloc.op, "expects 'alignment' to be a power of two, got %" PRId64,
        alignment_bytes);
  if (!has_alignment)
    alignment_bytes = tile_elem_bits(shape->element) / 8;
  int64_t offset_bytes = tile_alloc_offset(alloc);
  if (has_offset &&
      (offset_bytes < 0 || offset_bytes % alignment_bytes)) // (C7)
    return tile_emit_error(alloc.op,
                           "expects 'offset' to be a multiple of %" PRId64
                           " bytes and at least 0, got %" PRId64,
                           alignment_bytes, offset_bytes);
  return tile_success();
}

static MlirLogicalResult alloc_verify_layout(TileAllocOp alloc,
                                             const TileShape *shape) {
  if (mlirAttributeIsNull(tile_alloc_layout_attr(alloc)))
    return tile_success();
  if (shape->space == TILE_SPACE_PRIVATE) // (C5)
    return tile_emit_error(
        alloc.op, "expects 'layout' only on a tile in shared memory or a "
                  "fragment, got private memory");
  TileLayout layout;
  TileReason error;
  if (!tile_layout_of_alloc(alloc, &layout, &error) ||
      !tile_layout_check_axes(&layout, &error))
    return tile_emit_error(alloc.op, "cannot read the layout of %s: %s",
                           tile_verify_shape_text(shape).chars, error.text);
  bool is_fragment = shape->space == TILE_SPACE_FRAGMENT;
  bool maps_registers = tile_layout_find_axis(&layout.in, "reg") >= 0;
  if (is_fragment != maps_registers) // (C6)
    return tile_emit_error(alloc.op, "expects a layout of %s, got one of %s",
                           is_fragment ? "a fragment" : "shared memory",
                           is_fragment ? "shared memory" : "a fragment");
  bool is_good = is_fragment ? tile_layout_check_fragment(&layout, &error)
                             : tile_layout_check_memory(&layout, &error);
  return is_good ? tile_success() : tile_emit_error(alloc.op, "%s", error.text);
}

MlirLogicalResult tile_alloc_verify(MlirOperation op) {
  TileAllocOp alloc = tile_alloc_cast(op);
  TileShape shape;
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(alloc_verify_type(
          alloc, mlirValueGetType(tile_alloc_memref(alloc)), &shape)) ||
      tile_failed(alloc_verify_place(alloc, &shape)))
    return tile_failure();
  return alloc_verify_layout(alloc, &shape);
}

//===-- tile.region -------------------------------------------------------===//

static MlirLogicalResult region_verify_counts(TileRegionOp region,
                                              int64_t rank) {
  intptr_t num_offsets = tile_region_static_offsets_size(region);
  intptr_t num_sizes = tile_region_static_sizes_size(region);
  if (num_offsets != rank || num_sizes != rank) // (C1)
    return tile_emit_error(region.op,
                           "expects %" PRId64
                           " offsets and sizes, one per dimension of 'source', "
                           "got %td and %td",
                           rank, num_offsets, num_sizes);
  intptr_t num_dynamic = 0;
  for (intptr_t d = 0; d < num_offsets; d++)
    num_dynamic += mlirShapedTypeIsDynamicStrideOrOffset(
        tile_region_static_offsets(region, d));
  if (num_dynamic != tile_region_offsets(region).n)
    return tile_emit_error(region.op,
                           "expects %td offset operands, as many as "
                           "'static_offsets' leaves open, got %td",
                           num_dynamic, tile_region_offsets(region).n);
  return tile_success();
}

static MlirLogicalResult region_verify_sizes(TileRegionOp region) {
  int64_t num_elems = 1;
  for (intptr_t d = 0; d < tile_region_static_sizes_size(region); d++) {
    int64_t size = tile_region_static_sizes(region, d);
    if (tile_failed(verify_extent(region.op, size, d, &num_elems)))
      return tile_failure();
  }
  return tile_success();
}

static MlirLogicalResult region_verify_dropped(TileRegionOp region,
                                               int64_t rank) {
  intptr_t num_dropped = tile_region_dropped_size(region);
  int64_t previous = -1;
  for (intptr_t i = 0; i < num_dropped; i++) {
    int64_t d = tile_region_dropped(region, i);
    if (d <= previous || d >= rank) // (C3)
      return tile_emit_error(region.op,
                             "expects dropped dimensions in ascending order "
                             "from 0 to %" PRId64 ", got %" PRId64,
                             rank - 1, d);
    if (tile_region_static_sizes(region, d) != 1)
      return tile_emit_error(region.op,
                             "expects dropped dimensions of size 1, got size "
                             "%" PRId64 " in dimension %" PRId64,
                             tile_region_static_sizes(region, d), d);
    previous = d;
  }
  if (num_dropped == rank)
    return tile_emit_error(region.op,
                           "expects at least one dimension that stays");
  return tile_success();
}

static MlirLogicalResult region_verify_window(TileRegionOp region,
                                              MlirType source) {
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(source));
  if (space == TILE_SPACE_OTHER) // (C8)
    return tile_emit_error(region.op,
                           "expects 'source' in global, shared or private "
                           "memory or a fragment, got %s",
                           tile_verify_type_text(source).chars);
  if (space == TILE_SPACE_GLOBAL)
    return tile_success();
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(source); d++) {
    int64_t offset = tile_region_static_offsets(region, d);
    int64_t size = tile_region_static_sizes(region, d);
    int64_t extent = mlirShapedTypeGetDimSize(source, d);
    if (tile_verify_is_inside(offset, size, extent)) // (C4)
      continue;
    if (mlirShapedTypeIsDynamicStrideOrOffset(offset))
      return tile_emit_error(region.op,
                             "expects a window of at most %" PRId64
                             " elements in dimension %td of %s, got %" PRId64,
                             extent, d, tile_space_name(space), size);
    return tile_emit_error(region.op,
                           "leaves %s: elements %" PRId64 " to %" PRId64
                           " of dimension %td, of which there are %" PRId64,
                           tile_space_name(space), offset, offset + size - 1, d,
                           extent);
  }
  return tile_success();
}

static MlirLogicalResult region_verify_pad(TileRegionOp region,
                                           MlirType source) {
  MlirValue pad = tile_region_pad(region);
  if (mlirValueIsNull(pad))
    return tile_success();
  MlirType element = mlirShapedTypeGetElementType(source);
  MlirType type = mlirValueGetType(pad);
  if (!mlirTypeEqual(type, element)) // (C5)
    return tile_emit_error(
        region.op, "expects 'pad' of the element type %s of 'source', got %s",
        tile_verify_type_text(element).chars,
        tile_verify_type_text(type).chars);
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(source));
  if (space != TILE_SPACE_GLOBAL)
    return tile_emit_error(region.op,
                           "expects 'pad' only for a source in global memory, "
                           "got %s",
                           tile_space_name(space));
  return tile_success();
}

static MlirLogicalResult region_verify_users(TileRegionOp region) {
  MlirOpOperand use = mlirValueGetFirstUse(tile_region_region(region));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_op_is(user)) // (C7)
      continue;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(user));
    return tile_emit_error_with_note(
        region.op, mlirOperationGetLocation(user), "this is the user",
        "expects only tile ops to use a region, got '%.*s'", (int)name.length,
        name.data);
  }
  return tile_success();
}

static MlirLogicalResult region_verify_grid(TileRegionOp region) {
  for (intptr_t d = 0; d < tile_region_static_sizes_size(region); d++) {
    int64_t offset = tile_region_static_offsets(region, d);
    int64_t size = tile_region_static_sizes(region, d);
    if (tile_region_on_grid(region) &&
        !mlirShapedTypeIsDynamicStrideOrOffset(offset) && offset % size) // (C9)
      return tile_emit_error(region.op,
                             "expects offsets that are multiples of the sizes "
                             "with 'on_grid', got %" PRId64
                             " in dimension %td of size %" PRId64,
                             offset, d, size);
  }
  return tile_success();
}

// Kernels index with 32 bits: a larger offset would be another one.
static MlirLogicalResult region_verify_offsets(TileRegionOp region) {
  for (intptr_t d = 0; d < tile_region_static_offsets_size(region); d++) {
    int64_t offset = tile_region_static_offsets(region, d);
    if (offset != INT64_MIN && (offset > INT32_MAX || offset < INT32_MIN))
      return tile_emit_error(region.op,
                             "expects offset %d to fit 32 bits, got %" PRId64,
                             (int)d, offset);
  }
  return tile_success();
}

// (C15)
static MlirLogicalResult region_verify_start(TileRegionOp region) {
  if (!tile_region_bounded_size(region))
    return tile_emit_error(region.op, "expects 'starts_inside' with an end");
  for (intptr_t i = 0; i < tile_region_bounded_size(region); i++) {
    int64_t dim = tile_region_bounded(region, i);
    int64_t offset = tile_region_static_offsets(region, dim);
    if (offset < 0 && !mlirShapedTypeIsDynamicStrideOrOffset(offset))
      return tile_emit_error(region.op,
                             "expects offsets of at least 0 with "
                             "'starts_inside', got %" PRId64
                             " in dimension %" PRId64,
                             offset, dim);
  }
  return tile_success();
}

// (C14)
static MlirLogicalResult region_verify_ends(TileRegionOp region,
                                            MlirType source) {
  intptr_t count = tile_region_bounded_size(region);
  int64_t rank = mlirShapedTypeGetRank(source), before = -1;
  if (count != tile_region_ends(region).n)
    return tile_emit_error(region.op,
                           "expects one end for each dimension in 'bounded', "
                           "got %td and %td",
                           tile_region_ends(region).n, count);
  for (intptr_t i = 0; i < count; i++) {
    int64_t dim = tile_region_bounded(region, i);
    if (dim <= before || dim >= rank)
      return tile_emit_error(
          region.op,
          "expects 'bounded' to be ascending dimensions from "
          "0 to %" PRId64 ", got %" PRId64,
          rank - 1, dim);
    before = dim;
  }
  if (tile_region_starts_inside(region) &&
      tile_failed(region_verify_start(region))) // (C15)
    return tile_failure();
  if (count > 0 && tile_space_of_attr(mlirMemRefTypeGetMemorySpace(source)) !=
                       TILE_SPACE_GLOBAL)
    return tile_emit_error(region.op,
                           "expects 'source' in global memory with an end, got "
                           "%s",
                           tile_verify_type_text(source).chars);
  return tile_success();
}

// (C11)
static MlirLogicalResult region_verify_ids(TileRegionOp region) {
  MlirValue ids = tile_region_ids(region);
  bool has_dim = !mlirAttributeIsNull(tile_region_dim_attr(region));
  if (!ids.ptr || !has_dim)
    return tile_emit_error(region.op, "expects 'ids' and 'dim' together");
  MlirType type = mlirValueGetType(ids);
  TileShape shape;
  bool fits =
      tile_shape_get(type, &shape) && shape.rank == 1 &&
      (shape.space == TILE_SPACE_GLOBAL || shape.space == TILE_SPACE_SHARED) &&
      mlirTypeIsAInteger(shape.element) &&
      (mlirIntegerTypeGetWidth(shape.element) == 32 ||
       mlirIntegerTypeGetWidth(shape.element) == 64);
  if (fits)
    return tile_success();
  return tile_emit_error(region.op,
                         "expects 'ids' of rank 1, of i32 or i64, in global or "
                         "shared memory, got %s",
                         tile_verify_type_text(type).chars);
}

// (C12)
static MlirLogicalResult region_verify_gathered(TileRegionOp region,
                                                MlirType source) {
  int64_t dim = tile_region_dim(region), rank = mlirShapedTypeGetRank(source);
  if (tile_space_of_attr(mlirMemRefTypeGetMemorySpace(source)) !=
      TILE_SPACE_GLOBAL)
    return tile_emit_error(region.op,
                           "expects 'source' in global memory with "
                           "'ids', got %s",
                           tile_verify_type_text(source).chars);
  if (dim < 0 || dim >= rank || tile_region_result_dim(region, (int)dim) < 0)
    return tile_emit_error(
        region.op,
        "expects 'dim' to be a dimension of 'source' that is "
        "not dropped, got %" PRId64,
        dim);
  if (tile_region_static_offsets(region, dim) != 0)
    return tile_emit_error(region.op,
                           "expects the constant offset 0 in dimension %" PRId64
                           ", whose places 'ids' names",
                           dim);
  return tile_success();
}

// (C13)
static MlirLogicalResult region_verify_gather_users(TileRegionOp region) {
  MlirOpOperand use = mlirValueGetFirstUse(tile_region_region(region));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_copy_is(user) || tile_atomic_is(user) || tile_transpose_is(user) ||
        tile_arrange_is(user) || tile_reduce_by_is(user) ||
        tile_scan_by_is(user))
      continue;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(user));
    return tile_emit_error_with_note(region.op, mlirOperationGetLocation(user),
                                     "this is the user",
                                     "is gathered, which '%.*s' does not take; "
                                     "tile.copy it to a shared tile",
                                     (int)name.length, name.data);
  }
  return tile_success();
}

static MlirLogicalResult region_verify_gather(TileRegionOp region,
                                              MlirType source) {
  if (!tile_region_ids(region).ptr && !tile_region_ids_offset(region).ptr &&
      mlirAttributeIsNull(tile_region_dim_attr(region)))
    return tile_success();
  if (tile_failed(region_verify_ids(region)) ||
      tile_failed(region_verify_gathered(region, source)))
    return tile_failure();
  return region_verify_gather_users(region);
}

MlirLogicalResult tile_region_verify(MlirOperation op) {
  TileRegionOp region = tile_region_cast(op);
  MlirType source = mlirValueGetType(tile_region_source(region));
  int64_t rank = mlirShapedTypeGetRank(source);
  if (tile_failed(tile_verify_op(op)) ||
      tile_failed(region_verify_counts(region, rank)))
    return tile_failure();
  if (tile_failed(region_verify_sizes(region)) ||   // (C2)
      tile_failed(region_verify_offsets(region)) || // (C10)
      tile_failed(region_verify_dropped(region, rank)) ||
      tile_failed(region_verify_window(region, source)) ||
      tile_failed(region_verify_pad(region, source)) ||
      tile_failed(region_verify_gather(region, source)) ||
      tile_failed(region_verify_ends(region, source)) ||
      tile_failed(region_verify_grid(region)))
    return tile_failure();
  int64_t align_bytes = tile_region_align(region);
  if (!mlirAttributeIsNull(tile_region_align_attr(region)) &&
      !tile_verify_is_power_of_two(align_bytes)) // (C6)
    return tile_emit_error(
        op, "expects 'align' to be a power of two, got %" PRId64, align_bytes);
  return region_verify_users(region);
}

//===-- tile.storage ------------------------------------------------------===//

MlirLogicalResult tile_storage_verify(MlirOperation op) {
  // (C1) is checked where the result type is inferred.
  return tile_verify_op(op);
}

//===-- tile.tensor_at ----------------------------------------------------===//

MlirLogicalResult tile_tensor_at_verify(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  if (space != TILE_SPACE_GLOBAL) // (C1)
    return tile_emit_error(op, "expects a tensor in global memory, got %s",
                           tile_space_name(space));
  if (!mlirShapedTypeHasStaticShape(type) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) ||
      mlirShapedTypeGetRank(type) > TILE_MAX_RANK)
    return tile_emit_error(
        op,
        "expects a static shape of rank 0 to %d and the identity layout, got "
        "%s: memref.reinterpret_cast gives extents of run time",
        TILE_MAX_RANK, tile_verify_type_text(type).chars);
  return tile_verify_inside_kernel(op); // (C2)
}

//===- TileVerifyHost.c - Constraints of ops on the host and on kernels ---===//
//
// Labels such as (C2) are those of TileOps.td.
//
//===----------------------------------------------------------------------===//

#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/gpu.h"
#include "TileVerify.h"

//===-- Where an op may be ------------------------------------------------===//

static MlirLogicalResult verify_on_host(MlirOperation op) {
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  MlirOperation kernel = tile_kernel_around(op);
  if (mlirOperationIsNull(kernel))
    return tile_success();
  return tile_emit_error_with_note(op, mlirOperationGetLocation(kernel),
                                   "the kernel is here",
                                   "expects to be outside kernels");
}

//===-- tile.block_swizzle ------------------------------------------------===//

MlirLogicalResult tile_block_swizzle_verify(MlirOperation op) {
  TileBlockSwizzleOp swizzle = tile_block_swizzle_cast(op);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  int64_t panel = tile_block_swizzle_panel(swizzle);
  if (!mlirAttributeIsNull(tile_block_swizzle_panel_attr(swizzle)) &&
      panel < 1) // (C1)
    return tile_emit_error(op, "expects 'panel' to be at least 1, got %" PRId64,
                           panel);
  return tile_success();
}

//===-- tile.kernel_config ------------------------------------------------===//

static MlirOperation first_config(MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
    TILE_FOR_EACH_OP (op, block) {
      if (tile_kernel_config_is(op))
        return op;
    }
  }
  return (MlirOperation){NULL};
}

static MlirLogicalResult verify_range(MlirOperation op, const char *name,
                                      MlirAttribute attribute, int64_t min,
                                      int64_t max) {
  if (mlirAttributeIsNull(attribute))
    return tile_success();
  int64_t value = mlirIntegerAttrGetValueInt(attribute);
  if (value < min || value > max)
    return tile_emit_error(
        op, "expects '%s' from %" PRId64 " to %" PRId64 ", got %" PRId64, name,
        min, max, value);
  return tile_success();
}

MlirLogicalResult tile_kernel_config_verify(MlirOperation op) {
  TileKernelConfigOp config = tile_kernel_config_cast(op);
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (!gpu_launch_is(parent) && !gpu_func_is(parent) &&
      !func_func_is(parent)) // (C1)
    return tile_emit_error(op, "expects to be directly in the body of a "
                               "gpu.launch, gpu.func or func.func");
  MlirOperation first = first_config(mlirOperationGetRegion(parent, 0));
  if (!mlirOperationEqual(first, op))
    return tile_emit_error_with_note(
        op, mlirOperationGetLocation(first), "the first one is here",
        "expects to be the only one of its kernel");
  if (tile_failed(verify_range(op, "min_blocks",
                               tile_kernel_config_min_blocks_attr(config), 1,
                               32))) // (C2)
    return tile_failure();
  if (tile_failed(verify_range(op, "registers",
                               tile_kernel_config_registers_attr(config), 24,
                               255))) // (C3)
    return tile_failure();
  if (tile_failed(verify_range(op, "producer_warps",
                               tile_kernel_config_producer_warps_attr(config),
                               1, 31))) // (C4)
    return tile_failure();
  return verify_range(op, "split", tile_kernel_config_split_attr(config), 1,
                      8); // (C5)
}

//===-- tile.tensor_map ---------------------------------------------------===//

static MlirLogicalResult tensor_map_verify_strides(TileTensorMapOp map,
                                                   MlirType type, int rank,
                                                   int64_t elem_bytes) {
  int64_t stride[TILE_MAX_RANK], offset;
  if (tile_failed(mlirMemRefTypeGetStridesAndOffset(type, stride, &offset)) ||
      stride[rank - 1] != 1) // (C1)
    return tile_emit_error(map.op,
                           "expects a tensor whose last stride is 1, got %s",
                           tile_verify_type_text(type).chars);
  for (int d = 0; d + 1 < rank; d++)
    if (!mlirShapedTypeIsDynamicStrideOrOffset(stride[d]) &&
        stride[d] * elem_bytes % 16) // (C5)
      return tile_emit_error(map.op,
                             "expects strides that are multiples of 16 bytes, "
                             "got %" PRId64 " bytes in dimension %d",
                             stride[d] * elem_bytes, d);
  return tile_success();
}

static bool is_im2col(TileTensorMapOp map) {
  return !mlirAttributeIsNull(tile_tensor_map_step_attr(map));
}

// (C7), one of the lists
static MlirLogicalResult verify_pixels(TileTensorMapOp map, const char *name,
                                       MlirAttribute list, int count,
                                       int64_t min, int64_t max) {
  intptr_t found =
      mlirAttributeIsNull(list) ? 0 : mlirDenseArrayGetNumElements(list);
  if (found != count)
    return tile_emit_error(map.op,
                           "expects %d numbers in '%s', one per dimension of "
                           "pixels, got %td",
                           count, name, found);
  for (int i = 0; i < count; i++) {
    int64_t pixels = mlirDenseI64ArrayGetElement(list, i);
    if (pixels < min || pixels > max)
      return tile_emit_error(map.op,
                             "expects numbers from %" PRId64 " to %" PRId64
                             " in '%s', got %" PRId64,
                             min, max, name, pixels);
  }
  return tile_success();
}

// (C7)
static MlirLogicalResult tensor_map_verify_im2col(TileTensorMapOp map,
                                                  int rank) {
  static const int64_t limits[] = {1 << 15, 1 << 7, 1 << 4};
  MlirAttribute lower = tile_tensor_map_lower_attr(map);
  MlirAttribute upper = tile_tensor_map_upper_attr(map);
  MlirAttribute step = tile_tensor_map_step_attr(map);
  if (!is_im2col(map) && mlirAttributeIsNull(lower) &&
      mlirAttributeIsNull(upper))
    return tile_success();
  if (rank < 3)
    return tile_emit_error(map.op,
                           "expects a tensor of rank 3 to 5 for the im2col "
                           "form, got rank %d",
                           rank);
  int64_t limit = limits[rank - 3];
  if (tile_failed(
          verify_pixels(map, "lower", lower, rank - 2, -limit, limit - 1)) ||
      tile_failed(
          verify_pixels(map, "upper", upper, rank - 2, -limit, limit - 1)))
    return tile_failure();
  return verify_pixels(map, "step", step, rank - 2, 1, 8);
}

// (C8)
static MlirLogicalResult tensor_map_verify_ends(TileTensorMapOp map, int rank) {
  MlirAttribute ends = tile_tensor_map_ends_attr(map);
  int count = 0;
  if (mlirAttributeIsNull(ends))
    return tile_success();
  if (is_im2col(map))
    return tile_emit_error(map.op, "expects 'ends' in the tiled form only");
  if (mlirDenseArrayGetNumElements(ends) != rank)
    return tile_emit_error(map.op,
                           "expects %d numbers in 'ends', one per dimension, "
                           "got %td",
                           rank, mlirDenseArrayGetNumElements(ends));
  for (int d = 0; d < rank; d++) {
    int64_t extent = mlirDenseI64ArrayGetElement(ends, d);
    if (extent < 0 || (extent > 0 && d == rank - 1))
      return tile_emit_error(map.op,
                             "expects numbers of at least 0 in 'ends', and 0 "
                             "for the last dimension, got %" PRId64
                             " for dimension %d",
                             extent, d);
    count += extent > 0;
  }
  if (rank + count > TILE_MAX_RANK)
    return tile_emit_error(map.op,
                           "expects at most %d dimensions together with those "
                           "that the kernel ends, got %d and %d",
                           TILE_MAX_RANK, rank, count);
  return tile_success();
}

static MlirLogicalResult tensor_map_verify_box(TileTensorMapOp map, int rank,
                                               int64_t elem_bytes) {
  enum { MAX_EXTENT = 256, MAX_PIXELS = 1024 };
  intptr_t num_extents = tile_tensor_map_box_size(map);
  int wanted = is_im2col(map) ? 2 : rank;
  if (num_extents != wanted) // (C2)
    return tile_emit_error(map.op, "expects %d box extents, got %td", wanted,
                           num_extents);
  for (int d = 0; d < wanted; d++) {
    int64_t extent = tile_tensor_map_box(map, d);
    int max = is_im2col(map) && d == 0 ? MAX_PIXELS : MAX_EXTENT;
    if (extent < 1 || extent > max)
      return tile_emit_error(map.op,
                             "expects box extents from 1 to %d, got %" PRId64
                             " in dimension %d",
                             max, extent, d);
  }
  int64_t swizzle_bytes = tile_tensor_map_swizzle(map);
  if (swizzle_bytes != 0 && swizzle_bytes != 32 && swizzle_bytes != 64 &&
      swizzle_bytes != 128) // (C3)
    return tile_emit_error(map.op,
                           "expects 'swizzle' to be 0, 32, 64 or 128 bytes, "
                           "got %" PRId64,
                           swizzle_bytes);
  int64_t row_bytes = tile_tensor_map_box(map, wanted - 1) * elem_bytes;
  if (row_bytes % 16) // (C4)
    return tile_emit_error(map.op,
                           "expects a box row that is a multiple of 16 bytes, "
                           "got %" PRId64,
                           row_bytes);
  if (swizzle_bytes != 0 && row_bytes > swizzle_bytes)
    return tile_emit_error(map.op,
                           "expects a box row of at most %" PRId64
                           " bytes, the swizzle, got %" PRId64,
                           swizzle_bytes, row_bytes);
  return tile_success();
}

MlirLogicalResult tile_tensor_map_verify(MlirOperation op) {
  TileTensorMapOp map = tile_tensor_map_cast(op);
  MlirType type = mlirValueGetType(tile_tensor_map_tensor(map));
  if (tile_failed(verify_on_host(op))) // (C6)
    return tile_failure();
  TileShape shape;
  if (!tile_shape_get(type, &shape) || shape.rank < 1 ||
      shape.space != TILE_SPACE_GLOBAL ||
      !tile_verify_is_element(shape.element)) // (C1)
    return tile_emit_error(op,
                           "expects a tensor in global memory, of rank 1 to %d "
                           "and of elements of %s, got %s",
                           TILE_MAX_RANK, TILE_ELEMENT_TYPES,
                           tile_verify_type_text(type).chars);
  int64_t elem_bytes = tile_elem_bits(shape.element) / 8;
  if (tile_failed(
          tensor_map_verify_strides(map, type, shape.rank, elem_bytes)) ||
      tile_failed(tensor_map_verify_im2col(map, shape.rank)))
    return tile_failure();
  if (tile_failed(tensor_map_verify_ends(map, shape.rank)))
    return tile_failure();
  return tensor_map_verify_box(map, shape.rank, elem_bytes);
}

//===-- tile.require, tile.address, tile.num_sms --------------------------===//

MlirLogicalResult tile_require_verify(MlirOperation op) {
  if (tile_failed(verify_on_host(op))) // (C1)
    return tile_failure();
  if (tile_require_text(tile_require_cast(op)).length == 0) // (C2)
    return tile_emit_error(op, "expects a text that is not empty");
  return tile_success();
}

MlirLogicalResult tile_address_verify(MlirOperation op) {
  if (tile_failed(verify_on_host(op))) // (C2)
    return tile_failure();
  MlirType type = mlirValueGetType(tile_address_tensor(tile_address_cast(op)));
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  if (space != TILE_SPACE_GLOBAL) // (C1)
    return tile_emit_error(op, "expects a tensor in global memory, got %s",
                           tile_space_name(space));
  return tile_success();
}

MlirLogicalResult tile_num_sms_verify(MlirOperation op) {
  return verify_on_host(op); // (C1)
}

//===-- tile.variants -----------------------------------------------------===//

static bool is_launch(MlirOperation op) {
  return gpu_launch_is(op) || gpu_launch_func_is(op);
}

typedef struct {
  MlirBlock block;      // of the variant
  MlirOperation nested; // a launch that is not directly in it, or null
  int num_launches;     // in it, nested ones included
} VariantSurvey;

static MlirWalkResult survey_launch(MlirOperation op, void *user_data) {
  VariantSurvey *survey = user_data;
  if (!is_launch(op))
    return MlirWalkResultAdvance;
  survey->num_launches++;
  if (!mlirBlockEqual(mlirOperationGetBlock(op), survey->block))
    survey->nested = op;
  return MlirWalkResultSkip;
}

MlirLogicalResult tile_variants_verify_regions(MlirOperation op) {
  if (tile_failed(verify_on_host(op))) // (C3)
    return tile_failure();
  intptr_t num_variants = mlirOperationGetNumRegions(op);
  if (num_variants == 0) // (C1); one block each: by the type of the regions
    return tile_emit_error(op, "expects at least one variant");
  for (intptr_t i = 0; i < num_variants; i++) {
    VariantSurvey survey = {0};
    survey.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    TILE_FOR_EACH_OP (inner, survey.block) {
      mlirOperationWalk(inner, survey_launch, &survey, MlirWalkPreOrder);
    }
    if (survey.num_launches != 1) // (C2)
      return tile_emit_error(op, "expects one launch in variant %td, got %d", i,
                             survey.num_launches);
    if (!mlirOperationIsNull(survey.nested))
      return tile_emit_error_with_note(
          op, mlirOperationGetLocation(survey.nested), "the launch is here",
          "expects the launch of variant %td to be nested in no other op", i);
  }
  return tile_success();
}

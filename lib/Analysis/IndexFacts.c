//===- IndexFacts.c - Divisors and bounds of indices; offsets of windows --===//
//
// An access of 16 bytes needs an address that is a multiple of 16, and a window
// that never leaves its tensor needs no checks. Both follow from how the offset
// of the window is computed.
//
//===----------------------------------------------------------------------===//

#include "Tile/Analysis.h"

#include "Tile/Ops/arith.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "Tile/Support/Arithmetic.h"

// Index arithmetic is shallow; deeper chains count as unknown.
enum { MAX_DEPTH = 12 };

//===-- Divisors ----------------------------------------------------------===//

static int64_t magnitude(int64_t value) {
  return value == INT64_MIN ? 1 : value < 0 ? -value : value;
}

// The product, or the larger factor where it would be too large: both divide.
static int64_t product(int64_t a, int64_t b) {
  const int64_t limit = (int64_t)1 << 31;
  if (a == 0 || b == 0)
    return 0;
  if (a < limit && b < limit)
    return a * b;
  return a > b ? a : b;
}

static int64_t divisor(MlirValue value, int depth);

static int64_t loop_divisor(MlirValue argument, int depth) {
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  ScfForOp loop = scf_for_dyn(parent);
  if (!loop.op.ptr || mlirBlockArgumentGetArgNumber(argument) != 0)
    return 1;
  return tile_gcd(divisor(scf_for_lowerBound(loop), depth),
                  divisor(scf_for_step(loop), depth));
}

// The value x << n has the divisor of x times 2^n.
static int64_t shift_divisor(MlirOperation op, int depth) {
  int64_t amount;
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &amount) ||
      amount < 0 || amount > 30)
    return 1;
  return product(divisor(mlirOperationGetOperand(op, 0), depth),
                 (int64_t)1 << amount);
}

static bool keeps_common_divisor(MlirOperation op) {
  return arith_addi_is(op) || arith_subi_is(op) || arith_minsi_is(op) ||
         arith_maxsi_is(op) || arith_minui_is(op) || arith_maxui_is(op) ||
         arith_remsi_is(op) || arith_remui_is(op);
}

static int64_t divisor(MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return magnitude(constant);
  if (depth == 0)
    return 1;
  if (mlirValueIsABlockArgument(value))
    return loop_divisor(value, depth - 1);
  MlirOperation op = mlirOpResultGetOwner(value);
  depth--;
  if (keeps_common_divisor(op))
    return tile_gcd(divisor(mlirOperationGetOperand(op, 0), depth),
                    divisor(mlirOperationGetOperand(op, 1), depth));
  if (arith_muli_is(op))
    return product(divisor(mlirOperationGetOperand(op, 0), depth),
                   divisor(mlirOperationGetOperand(op, 1), depth));
  if (arith_shli_is(op))
    return shift_divisor(op, depth);
  if (arith_select_is(op))
    return tile_gcd(divisor(mlirOperationGetOperand(op, 1), depth),
                    divisor(mlirOperationGetOperand(op, 2), depth));
  if (arith_index_cast_is(op) || arith_index_castui_is(op) ||
      arith_extsi_is(op) || arith_extui_is(op))
    return divisor(mlirOperationGetOperand(op, 0), depth);
  return 1;
}

int64_t tile_index_divisor(TileInt index) {
  return tile_int_is_constant(index) ? magnitude(index.constant)
                                     : divisor(index.value, MAX_DEPTH);
}

//===-- Bounds ------------------------------------------------------------===//

static const TileIndexBounds unknown = {false, 0, 0};

// Indices have 32 bits in the end: what leaves them is not known.
static TileIndexBounds bounds_make(int64_t min, int64_t max) {
  const int64_t limit = INT32_MAX;
  if (min < -limit || max > limit || min > max)
    return unknown;
  return (TileIndexBounds){true, min, max};
}

static TileIndexBounds bounds(MlirValue value, int depth);

// The number of blocks along a dimension; 0: unknown.
static int64_t grid_extent(MlirOperation op, GpuDimension dimension) {
  for (; op.ptr; op = mlirOperationGetParentOperation(op)) {
    if (!gpu_func_is(op))
      continue;
    MlirAttribute grid = gpu_func_known_grid_size_attr(gpu_func_cast(op));
    return mlirAttributeIsNull(grid)
               ? 0
               : mlirDenseI32ArrayGetElement(grid, (intptr_t)dimension);
  }
  return 0;
}

// The body of a gpu.launch begins with the block ids.
static TileIndexBounds launch_bounds(GPULaunchOp launch, intptr_t number) {
  MlirValue size[3] = {gpu_launch_gridSizeX(launch),
                       gpu_launch_gridSizeY(launch),
                       gpu_launch_gridSizeZ(launch)};
  int64_t extent;
  if (number >= 3 || !mlirxConstantInt(size[number], &extent))
    return unknown;
  return bounds_make(0, extent - 1);
}

static TileIndexBounds argument_bounds(MlirValue argument, int depth) {
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  if (gpu_launch_is(parent))
    return launch_bounds(gpu_launch_cast(parent), number);
  ScfForOp loop = scf_for_dyn(parent);
  if (!loop.op.ptr || number != 0)
    return unknown;
  TileIndexBounds lower = bounds(scf_for_lowerBound(loop), depth);
  TileIndexBounds upper = bounds(scf_for_upperBound(loop), depth);
  int64_t step;
  if (!lower.is_known || !upper.is_known)
    return unknown;
  int64_t last = upper.max - 1;
  // From a known start the steps say where the last iteration is.
  if (lower.min == lower.max && mlirxConstantInt(scf_for_step(loop), &step) &&
      step > 0 && last >= lower.min)
    last = lower.min + (last - lower.min) / step * step;
  return bounds_make(lower.min, last < lower.min ? lower.min : last);
}

static TileIndexBounds binary_bounds(MlirOperation op, int depth) {
  TileIndexBounds a = bounds(mlirOperationGetOperand(op, 0), depth);
  TileIndexBounds b = bounds(mlirOperationGetOperand(op, 1), depth);
  if (arith_remui_is(op) && b.is_known && b.min > 0)
    return bounds_make(
        0, a.is_known && a.min >= 0 && a.max < b.max - 1 ? a.max : b.max - 1);
  if (!a.is_known || !b.is_known)
    return unknown;
  if (arith_addi_is(op))
    return bounds_make(a.min + b.min, a.max + b.max);
  if (arith_subi_is(op))
    return bounds_make(a.min - b.max, a.max - b.min);
  if (a.min < 0 || b.min < 0)
    return unknown;
  if (arith_muli_is(op))
    return bounds_make(a.min * b.min, a.max * b.max);
  if (arith_divui_is(op) && b.min > 0)
    return bounds_make(a.min / b.max, a.max / b.min);
  return unknown;
}

static TileIndexBounds extent_bounds(MemRefDimOp dim) {
  MlirType type = mlirValueGetType(memref_dim_source(dim));
  int64_t number;
  if (!mlirTypeIsAMemRef(type) ||
      !mlirxConstantInt(memref_dim_index(dim), &number) || number < 0 ||
      number >= mlirShapedTypeGetRank(type) ||
      mlirShapedTypeIsDynamicDim(type, number))
    return unknown;
  int64_t extent = mlirShapedTypeGetDimSize(type, number);
  return bounds_make(extent, extent);
}

static TileIndexBounds bounds(MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return bounds_make(constant, constant);
  if (depth == 0)
    return unknown;
  if (mlirValueIsABlockArgument(value))
    return argument_bounds(value, depth - 1);
  MlirOperation op = mlirOpResultGetOwner(value);
  if (gpu_block_id_is(op))
    return bounds_make(
        0, grid_extent(op, gpu_block_id_dimension(gpu_block_id_cast(op))) - 1);
  if (memref_dim_is(op))
    return extent_bounds(memref_dim_cast(op));
  return mlirOperationGetNumOperands(op) == 2 ? binary_bounds(op, depth - 1)
                                              : unknown;
}

TileIndexBounds tile_index_bounds(TileInt index) {
  return tile_int_is_constant(index)
             ? bounds_make(index.constant, index.constant)
             : bounds(index.value, MAX_DEPTH);
}

//===-- Windows -----------------------------------------------------------===//

TileInt tile_region_offset(TileRegionOp region, int dim) {
  intptr_t dynamic = 0;
  for (int d = 0; d < dim; d++)
    dynamic += mlirShapedTypeIsDynamicStrideOrOffset(
        tile_region_static_offsets(region, d));
  int64_t offset = tile_region_static_offsets(region, dim);
  if (!mlirShapedTypeIsDynamicStrideOrOffset(offset))
    return tile_int_constant(offset);
  MlirValue value = tile_range_at(tile_region_offsets(region), dynamic);
  int64_t constant;
  return mlirxConstantInt(value, &constant) ? tile_int_constant(constant)
                                            : tile_int_value(value);
}

int tile_region_result_dim(TileRegionOp region, int dim) {
  int result = dim;
  for (intptr_t i = 0; i < tile_region_dropped_size(region); i++) {
    if (tile_region_dropped(region, i) == dim)
      return -1;
    result -= tile_region_dropped(region, i) < dim;
  }
  return result;
}

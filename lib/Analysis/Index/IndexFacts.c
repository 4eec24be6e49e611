//===- IndexFacts.c - Bounds of indices; offsets of windows ---------------===//
//
// A window that never leaves its tensor needs no checks, which follows from how
// its offset is computed. IndexDivisors.c says what divides it.
//
//===----------------------------------------------------------------------===//

#include "Index.h"

#include "Support/Arithmetic.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

// Index arithmetic is shallow; deeper chains count as unknown.
enum { MAX_DEPTH = 12 };

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

// No grid is larger (CUDA C++ Programming Guide, "Technical Specifications").
static TileIndexBounds any_block(intptr_t dimension) {
  const int64_t extent[] = {INT32_MAX, 65535, 65535};
  return bounds_make(0, extent[dimension] - 1);
}

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
  if (number >= 3)
    return unknown;
  if (!mlirxConstantInt(size[number], &extent))
    return any_block(number);
  return bounds_make(0, extent - 1);
}

// A block id of the function that a kernel has become.
static TileIndexBounds block_bounds(GPUBlockIdOp id) {
  int64_t extent = grid_extent(id.op, gpu_block_id_dimension(id));
  return extent > 0 ? bounds_make(0, extent - 1)
                    : any_block((intptr_t)gpu_block_id_dimension(id));
}

// The values from `lower` on, below `upper`, in steps of `step`.
static TileIndexBounds counter_bounds(TileIndexBounds lower,
                                      TileIndexBounds upper, MlirValue step) {
  int64_t distance;
  if (!lower.is_known || !upper.is_known)
    return unknown;
  int64_t last = upper.max - 1;
  // From a known start the steps say where the last iteration is.
  if (lower.min == lower.max && mlirxConstantInt(step, &distance) &&
      distance > 0 && last >= lower.min)
    last = lower.min + (last - lower.min) / distance * distance;
  return bounds_make(lower.min, last < lower.min ? lower.min : last);
}

// The condition under which a block goes on to its first successor, when it is
// that `argument` is below something.
static ArithCmpIOp limit_of(MlirValue argument) {
  MlirOperation end =
      mlirBlockGetTerminator(mlirBlockArgumentGetOwner(argument));
  if (!cf_cond_br_is(end))
    return (ArithCmpIOp){TILE_NULL_OP};
  MlirValue condition = cf_cond_br_condition(cf_cond_br_cast(end));
  ArithCmpIOp compare = {TILE_NULL_OP};
  if (mlirValueIsAOpResult(condition))
    compare = arith_cmpi_dyn(mlirOpResultGetOwner(condition));
  bool is_limit =
      compare.op.ptr &&
      (arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_slt ||
       arith_cmpi_predicate(compare) == ARITH_CMP_I_PREDICATE_ult) &&
      mlirValueEqual(arith_cmpi_lhs(compare), argument);
  return is_limit ? compare : (ArithCmpIOp){TILE_NULL_OP};
}

// Whether nothing but the comparison uses the value before the body is entered.
static bool is_used_in_body(MlirValue argument, ArithCmpIOp compare) {
  MlirBlock header = mlirBlockArgumentGetOwner(argument);
  MlirOperation body = mlirBlockGetFirstOperation(
      mlirOperationGetSuccessor(mlirBlockGetTerminator(header), 0));
  MlirxDominance dominance =
      mlirxDominanceCreate(mlirBlockGetParentOperation(header));
  bool all = true;
  for (MlirOpOperand use = mlirValueGetFirstUse(argument);
       all && !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    all = mlirOperationEqual(user, compare.op) ||
          mlirOperationEqual(user, body) ||
          mlirxDominates(dominance, body, user);
  }
  mlirxDominanceDestroy(dominance);
  return all;
}

// The counter of a loop of blocks, as convert-scf-to-cf writes one: it comes
// from in front of the loop, or is itself plus the step.
static TileIndexBounds block_loop_bounds(MlirValue argument, int depth) {
  MlirBlock header = mlirBlockArgumentGetOwner(argument);
  ArithCmpIOp compare = limit_of(argument);
  TileIndexBounds lower = unknown;
  MlirValue step = TILE_NULL_VALUE;
  if (!compare.op.ptr || mlirBlockGetNumPredecessors(header) != 2 ||
      !is_used_in_body(argument, compare))
    return unknown;
  for (intptr_t i = 0; i < 2; i++) {
    MlirOperation from =
        mlirBlockGetTerminator(mlirBlockGetPredecessor(header, i));
    if (!cf_br_is(from))
      return unknown;
    MlirValue value =
        mlirOperationGetOperand(from, mlirBlockArgumentGetArgNumber(argument));
    ArithAddIOp next = {TILE_NULL_OP};
    if (mlirValueIsAOpResult(value))
      next = arith_addi_dyn(mlirOpResultGetOwner(value));
    if (next.op.ptr && mlirValueEqual(arith_addi_lhs(next), argument))
      step = arith_addi_rhs(next);
    else
      lower = bounds(value, depth);
  }
  // A negative step, or one beyond the range of an index, is not followed.
  if (!step.ptr || !bounds(step, depth).is_known || bounds(step, depth).min < 0)
    return unknown;
  return counter_bounds(lower, bounds(arith_cmpi_rhs(compare), depth), step);
}

static TileIndexBounds argument_bounds(MlirValue argument, int depth) {
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(argument));
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  if (gpu_launch_is(parent))
    return launch_bounds(gpu_launch_cast(parent), number);
  ScfForOp loop = scf_for_dyn(parent);
  if (!loop.op.ptr)
    return block_loop_bounds(argument, depth);
  if (number != 0)
    return unknown;
  return counter_bounds(bounds(scf_for_lowerBound(loop), depth),
                        bounds(scf_for_upperBound(loop), depth),
                        scf_for_step(loop));
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

// Ids of the grid stay ids of the grid; what others become is not known.
static TileIndexBounds swizzle_bounds(MlirValue value, int depth) {
  TileBlockSwizzleOp swizzle =
      tile_block_swizzle_cast(mlirOpResultGetOwner(value));
  TileIndexBounds x = bounds(tile_block_swizzle_x(swizzle), depth),
                  y = bounds(tile_block_swizzle_y(swizzle), depth),
                  columns = bounds(tile_block_swizzle_grid_x(swizzle), depth),
                  rows = bounds(tile_block_swizzle_grid_y(swizzle), depth);
  if (!x.is_known || !y.is_known || !columns.is_known || !rows.is_known ||
      x.min < 0 || y.min < 0 ||
      y.max * columns.min + x.max >= columns.min * rows.min)
    return unknown;
  bool is_x = mlirOpResultGetResultNumber(value) == 0;
  return bounds_make(0, (is_x ? columns.max : rows.max) - 1);
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
    return block_bounds(gpu_block_id_cast(op));
  if (gpu_grid_dim_is(op))
    return bounds_make(1, INT32_MAX);
  if (tile_block_swizzle_is(op))
    return swizzle_bounds(value, depth - 1);
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

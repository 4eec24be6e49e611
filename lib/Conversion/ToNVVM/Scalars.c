//===- Scalars.c - Ids, extents, rasterisation ----------------------------===//

#include "LoweredOps.h"
#include "Memory/Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/nvvm.h"

enum { WARP_THREADS = 32 };

static void replace(Lowering *l, MlirOperation op, MlirValue value) {
  mlirRewriterBaseReplaceAllUsesWith(l->b.rw, mlirOperationGetResult(op, 0),
                                     value);
}

static void replace_index(Lowering *l, MlirOperation op, TileInt value) {
  MlirType index = mlirIndexTypeGet(tile_builder_context(&l->b));
  MlirValue i32 = tile_int_get(&l->i32, value);
  replace(l, op, arith_index_cast(&l->b, .type = index, .in = i32));
}

//===-- Ids ---------------------------------------------------------------===//

void lower_gpu_thread_id(Lowering *l, MlirOperation op) {
  MlirValue id = {NULL};
  switch (gpu_thread_id_dimension(gpu_thread_id_cast(op))) {
  case GPU_DIMENSION_x:
    id = nvvm_read_ptx_sreg_tid_x(&l->b, type_i32(l));
    break;
  case GPU_DIMENSION_y:
    id = nvvm_read_ptx_sreg_tid_y(&l->b, type_i32(l));
    break;
  case GPU_DIMENSION_z:
    id = nvvm_read_ptx_sreg_tid_z(&l->b, type_i32(l));
    break;
  }
  replace_index(l, op, tile_int_value(id));
}

void lower_gpu_block_id(Lowering *l, MlirOperation op) {
  MlirValue id = {NULL};
  switch (gpu_block_id_dimension(gpu_block_id_cast(op))) {
  case GPU_DIMENSION_x:
    id = nvvm_read_ptx_sreg_ctaid_x(&l->b, type_i32(l));
    break;
  case GPU_DIMENSION_y:
    id = nvvm_read_ptx_sreg_ctaid_y(&l->b, type_i32(l));
    break;
  case GPU_DIMENSION_z:
    id = nvvm_read_ptx_sreg_ctaid_z(&l->b, type_i32(l));
    break;
  }
  replace_index(l, op, tile_int_value(id));
}

static MlirValue read_block_dim(Lowering *l, GpuDimension dimension) {
  switch (dimension) {
  case GPU_DIMENSION_y:
    return nvvm_read_ptx_sreg_ntid_y(&l->b, type_i32(l));
  case GPU_DIMENSION_z:
    return nvvm_read_ptx_sreg_ntid_z(&l->b, type_i32(l));
  default:
    return nvvm_read_ptx_sreg_ntid_x(&l->b, type_i32(l));
  }
}

void lower_gpu_block_dim(Lowering *l, MlirOperation op) {
  GpuDimension dimension = gpu_block_dim_dimension(gpu_block_dim_cast(op));
  int64_t size = l->block_size[(int)dimension];
  replace_index(l, op,
                size ? tile_int_constant(size)
                     : tile_int_value(read_block_dim(l, dimension)));
}

// Numbers of warps follow from the size of the block.
static bool check_block_size(Lowering *l, MlirOperation op) {
  if (l->block_size[0])
    return true;
  lower_fail(l, op, "needs a constant block size");
  return false;
}

void lower_gpu_grid_dim(Lowering *l, MlirOperation op) {
  MlirValue dim = {NULL};
  switch (gpu_grid_dim_dimension(gpu_grid_dim_cast(op))) {
  case GPU_DIMENSION_x:
    dim = nvvm_read_ptx_sreg_nctaid_x(&l->b, type_i32(l));
    break;
  case GPU_DIMENSION_y:
    dim = nvvm_read_ptx_sreg_nctaid_y(&l->b, type_i32(l));
    break;
  case GPU_DIMENSION_z:
    dim = nvvm_read_ptx_sreg_nctaid_z(&l->b, type_i32(l));
    break;
  }
  replace_index(l, op, tile_int_value(dim));
}

// Upstream has no lowering of these.
void lower_gpu_subgroup_size(Lowering *l, MlirOperation op) {
  replace_index(l, op, tile_int_constant(WARP_THREADS));
}

void lower_gpu_subgroup_id(Lowering *l, MlirOperation op) {
  if (check_block_size(l, op))
    replace_index(l, op, tile_int_value(warp_id(l)));
}

void lower_gpu_num_subgroups(Lowering *l, MlirOperation op) {
  if (check_block_size(l, op))
    replace_index(
        l, op,
        tile_int_constant((l->num_threads + WARP_THREADS - 1) / WARP_THREADS));
}

void lower_gpu_return(Lowering *l, MlirOperation op) {
  (void)op;
  llvm_return(&l->b, .arg = {NULL});
}

//===-- Memrefs -----------------------------------------------------------===//

bool serves_dim(Lowering *l, MlirOperation op) {
  MemRefDimOp dim = memref_dim_cast(op);
  Memory *memory = memory_find(l, memref_dim_source(dim));
  int64_t index;
  return memory && mlirxConstantInt(memref_dim_index(dim), &index) &&
         index >= 0 && index < memory->rank;
}

void lower_memref_dim(Lowering *l, MlirOperation op) {
  MemRefDimOp dim = memref_dim_cast(op);
  int64_t index = 0;
  mlirxConstantInt(memref_dim_index(dim), &index);
  replace_index(l, op, memory_find(l, memref_dim_source(dim))->extent[index]);
}

//===-- Rasterisation -----------------------------------------------------===//

// With row panels: a panel is `panel` rows of the grid; inside it blocks are
// numbered down the columns. Column panels are the same with x and y exchanged.
void lower_tile_block_swizzle(Lowering *l, MlirOperation op) {
  TileBlockSwizzleOp swizzle = tile_block_swizzle_cast(op);
  bool by_column = tile_block_swizzle_raster(swizzle) == TILE_RASTER_Column;
  TileInt x = index_operand(l, tile_block_swizzle_x(swizzle)),
          y = index_operand(l, tile_block_swizzle_y(swizzle)),
          grid_x = index_operand(l, tile_block_swizzle_grid_x(swizzle)),
          grid_y = index_operand(l, tile_block_swizzle_grid_y(swizzle));
  TileInt width = by_column ? grid_y : grid_x; // along a panel
  TileInt height = by_column ? grid_x : grid_y;
  TileIntMath *m = &l->i32;
  TileInt panel = tile_int_constant(tile_block_swizzle_panel(swizzle));

  MlirValue linear =
      tile_int_get(m, tile_int_add(m, tile_int_mul_value(m, y, grid_x), x));
  MlirValue per_panel = tile_int_get(m, tile_int_mul(m, width, panel.constant));
  MlirValue number = arith_divui(&l->b, linear, per_panel);
  MlirValue inside = arith_remui(&l->b, linear, per_panel);
  TileInt first = tile_int_mul(m, tile_int_value(number), panel.constant);
  MlirValue rows = tile_int_get(m, panel);
  if (!tile_int_is_constant(height) || height.constant % panel.constant) {
    // The last panel may be lower.
    MlirValue left = tile_int_get(m, tile_int_sub(m, height, first));
    rows = arith_minui(&l->b, left, rows);
  }
  MlirValue column = arith_divui(&l->b, inside, rows);
  MlirValue row = arith_remui(&l->b, inside, rows);
  if (tile_block_swizzle_serpentine(swizzle)) {
    MlirValue odd = arith_andi(&l->b, number, tile_const_int(&l->b, 1, 32));
    MlirValue backwards =
        arith_cmpi(&l->b, .predicate = ARITH_CMP_I_PREDICATE_ne, .lhs = odd,
                   .rhs = tile_const_int(&l->b, 0, 32));
    TileInt last = tile_int_add(m, width, tile_int_constant(-1));
    MlirValue mirrored =
        tile_int_get(m, tile_int_sub(m, last, tile_int_value(column)));
    column = arith_select(&l->b, backwards, mirrored, column);
  }
  row = tile_int_get(m, tile_int_add(m, first, tile_int_value(row)));
  MlirType index = mlirIndexTypeGet(tile_builder_context(&l->b));
  MlirValue out[2] = {by_column ? row : column, by_column ? column : row};
  for (int i = 0; i < 2; i++)
    mlirRewriterBaseReplaceAllUsesWith(
        l->b.rw, mlirOperationGetResult(op, i),
        arith_index_cast(&l->b, .type = index, .in = out[i]));
}

//===- ProductTurns.c - Whether two warpgroups may take tiles in turn -----===//
//
// In a persistent product each of two warpgroups may compute whole tiles: one
// multiplies while the other stores. This is what is known of it before there
// are roles. tile-persist asks for it, stores through shared memory leave room
// for it, and tile-ws-tiled has the last word.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "Analysis/Cost/Cost.h"
#include "Analysis/Memory/Memory.h"
#include "Tile/Ops/math.h"

typedef struct {
  TileInstrContext instr;
  int num_products;
  bool fits;
} Scan;

static bool is_shared(MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape) && shape.space == TILE_SPACE_SHARED;
}

bool tile_product_may_take_turns(const TileProduct *product,
                                 const TileInstrContext *context) {
  TileInstrContext group = *context;
  TileReason reason;
  group.num_threads = TILE_WARPGROUP_THREADS;
  // Metadata lives in registers of a product under way: two products with 128
  // rows each leave ptxas too few (message C7512, ptxas 13.0).
  return !product->is_sparse && tile_product_instr_is_legal(
                                    product, TILE_INSTR_Wgmma, &group, &reason);
}

static MlirWalkResult note_product(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileProduct product;
  if (!tile_product_of(op, &product))
    return MlirWalkResultAdvance;
  scan->num_products++;
  scan->fits &= tile_num_stages_around(op) > 1 && is_shared(product.a) &&
                is_shared(product.b) &&
                tile_product_may_take_turns(&product, &scan->instr);
  return MlirWalkResultAdvance;
}

// The reduction of large angles needs registers beside all accumulators (ptxas
// 13.0 spills 22 of 240 beside 160 without them).
static bool reduces_angles(MlirOperation op) {
  return math_sin_is(op) || math_cos_is(op) || math_sincos_is(op) ||
         math_tan_is(op);
}

typedef struct {
  const TilePointerMap *left_out; // allocations; NULL: none
  int64_t num_registers;
  bool has_angles;
} Registers;

// A thread of wgmma holds two of eight columns, so that many of a row that is
// read beside the accumulators.
static MlirWalkResult add_op(MlirOperation op, void *user_data) {
  enum { THREADS_OF_ROW = 4 };
  Registers *registers = user_data;
  TileShape shape;
  registers->has_angles |= reduces_angles(op);
  if (!tile_alloc_is(op) ||
      (registers->left_out &&
       tile_pointer_map_get(registers->left_out, op.ptr)) ||
      !tile_shape_of(mlirOperationGetResult(op, 0), &shape) ||
      shape.space != TILE_SPACE_FRAGMENT || !tile_shape_is_static(&shape))
    return MlirWalkResultAdvance;
  int64_t words =
      tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 32;
  int64_t threads = shape.rank == 1 ? THREADS_OF_ROW : TILE_WARPGROUP_THREADS;
  registers->num_registers += (words + threads - 1) / threads;
  return MlirWalkResultAdvance;
}

static int64_t count_registers(MlirOperation kernel,
                               const TilePointerMap *left_out) {
  enum { OF_ANGLES = 64 };
  Registers registers = {.left_out = left_out};
  mlirOperationWalk(kernel, add_op, &registers, MlirWalkPreOrder);
  // What is read beside angles is in registers while these are reduced.
  if (left_out && registers.has_angles)
    return count_registers(kernel, NULL);
  return registers.num_registers + (registers.has_angles ? OF_ANGLES : 0);
}

int64_t tile_turns_registers(MlirOperation kernel) {
  return count_registers(kernel, NULL);
}

bool tile_kernel_multiplies_rings(MlirOperation kernel,
                                  const TileInstrContext *context) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  Scan scan = {.instr = *context, .fits = true};
  if (!context->target->has_wgmma || !context->target->has_setmaxnreg ||
      context->num_threads % TILE_WARPGROUP_THREADS ||
      (config.op.ptr &&
       !mlirAttributeIsNull(tile_kernel_config_specialize_attr(config)) &&
       tile_kernel_config_specialize(config) == TILE_SPECIALIZE_Off))
    return false;
  mlirOperationWalk(kernel, note_product, &scan, MlirWalkPreOrder);
  return scan.fits && scan.num_products > 0;
}

bool tile_kernel_may_take_turns(MlirOperation kernel,
                                const TileInstrContext *context,
                                const TilePointerMap *left_out) {
  TileKernelConfigOp config = tile_kernel_config_of(kernel);
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_partition_attr(config)) &&
      tile_kernel_config_partition(config) == TILE_PARTITION_Cooperative)
    return false;
  return tile_kernel_multiplies_rings(kernel, context) &&
         count_registers(kernel, left_out) + TILE_COST_LEAST_SCALARS <=
             TILE_COST_MOST_REGISTERS;
}

//===- Occupancy.c - Blocks that fit on a multiprocessor ------------------===//

#include "Memory.h"

#include "Analysis/Cost/Cost.h"
#include "Support/KeyTable.h"

#include "Tile/Ops/gpu.h"

int64_t tile_num_stages_around(MlirOperation op) {
  for (op = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(op) && !gpu_launch_is(op);
       op = mlirOperationGetParentOperation(op)) {
    MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
        op, TILE_STR("tile.num_stages"));
    if (!mlirAttributeIsNull(stages))
      return mlirIntegerAttrGetValueInt(stages);
  }
  return 0;
}

typedef struct {
  TilePointerMap stages; // of shared tiles: slots, when more than one
  TileOccupancy *out;
} Scan;

static MlirWalkResult note_copy(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileShape src, dst;
  if (!tile_copy_is(op))
    return MlirWalkResultAdvance;
  TileCopyOp copy = tile_copy_cast(op);
  TileBuffer to = tile_buffer_of(tile_copy_dst(copy));
  int64_t stages = tile_num_stages_around(op);
  if (stages > 1 && tile_shape_of(tile_copy_src(copy), &src) &&
      tile_shape_of(to.root, &dst) && src.space == TILE_SPACE_GLOBAL &&
      dst.space == TILE_SPACE_SHARED)
    tile_pointer_map_set(&scan->stages, to.root.ptr, (void *)(intptr_t)stages);
  return MlirWalkResultAdvance;
}

static MlirWalkResult add_tile(MlirOperation op, void *user_data) {
  Scan *scan = user_data;
  TileShape shape;
  if (!tile_alloc_is(op) ||
      !tile_shape_of(mlirOperationGetResult(op, 0), &shape) ||
      !tile_shape_is_static(&shape))
    return MlirWalkResultAdvance;
  int64_t bits = tile_shape_num_elems(&shape) * tile_elem_bits(shape.element);
  const void *tile = mlirOperationGetResult(op, 0).ptr;
  intptr_t stages = (intptr_t)tile_pointer_map_get(&scan->stages, tile);
  if (shape.space == TILE_SPACE_SHARED)
    scan->out->smem_bytes += bits / 8 * (stages > 1 ? stages : 1);
  else if (shape.space == TILE_SPACE_FRAGMENT)
    scan->out->num_fragment_bits += bits;
  return MlirWalkResultAdvance;
}

void tile_occupancy_estimate(TileArena *arena, MlirOperation launch,
                             const TileTarget *target,
                             TileOccupancy *out_occupancy) {
  TileKernelConfigOp config = tile_kernel_config_of(launch);
  *out_occupancy = (TileOccupancy){
      .target = target, .num_threads = tile_kernel_num_threads(launch)};
  if (config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_min_blocks_attr(config)))
    out_occupancy->min_blocks = tile_kernel_config_min_blocks(config);
  Scan scan = {.out = out_occupancy};
  scan.stages.arena = arena;
  mlirOperationWalk(launch, note_copy, &scan, MlirWalkPreOrder);
  mlirOperationWalk(launch, add_tile, &scan, MlirWalkPreOrder);
}

int64_t tile_occupancy_blocks(const TileOccupancy *occupancy) {
  TileCostBlock block = {occupancy->num_threads, occupancy->smem_bytes,
                         occupancy->num_fragment_bits};
  return occupancy->min_blocks > 0
             ? occupancy->min_blocks
             : tile_cost_blocks_per_sm(occupancy->target, &block);
}

//===- TuneApply.c - Writes other sizes into a program --------------------===//

#include "TuneSpace.h"

#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"

//===-- Sizes -------------------------------------------------------------===//

// Each use has a constant of its own, so that others stay as they are.
static void write_use(const TuneNode *node, int64_t value) {
  intptr_t operand = node->slot - TUNE_USE;
  MlirValue old = mlirOperationGetOperand(node->op, operand);
  MlirOperation owner = mlirOpResultGetOwner(old);
  int64_t had;
  if (mlirxConstantInt(old, &had) && had == value)
    return;
  MlirType type = mlirValueGetType(old);
  if (mlirOpOperandIsNull(mlirOpOperandGetNextUse(mlirValueGetFirstUse(old)))) {
    arith_constant_set_value_attr(arith_constant_cast(owner),
                                  mlirIntegerAttrGet(type, value));
    return;
  }
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(node->op)),
                   mlirOperationGetLocation(owner)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, node->op);
  mlirOperationSetOperand(
      node->op, operand,
      arith_constant(&b, .value = mlirIntegerAttrGet(type, value)));
  mlirIRRewriterDestroy(b.rw);
}

// Sizes of an op, with those of its nodes in place.
static MlirAttribute sizes_of(TuneSpace *space, MlirOperation op,
                              MlirAttribute old, const int64_t *values) {
  int64_t sizes[TUNE_USE];
  intptr_t count = mlirDenseArrayGetNumElements(old);
  if (count > TUNE_USE)
    return old;
  for (intptr_t d = 0; d < count; d++) {
    int node = tune_node_of(space, op, (int)d);
    sizes[d] = node == TUNE_NO_NODE ? mlirDenseI64ArrayGetElement(old, d)
                                    : tune_node_value(space, node, values);
  }
  return mlirDenseI64ArrayGet(mlirOperationGetContext(op), count, sizes);
}

// The type of a tile with other extents.
static void write_alloc(TuneSpace *space, MlirOperation op,
                        const int64_t *values) {
  int64_t extents[TUNE_USE];
  MlirValue tile = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(tile);
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank && d < TUNE_USE; d++) {
    int node = tune_node_of(space, op, (int)d);
    extents[d] = node == TUNE_NO_NODE ? mlirShapedTypeGetDimSize(type, d)
                                      : tune_node_value(space, node, values);
  }
  mlirValueSetType(tile,
                   mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank,
                                     extents, mlirMemRefTypeGetLayout(type),
                                     mlirMemRefTypeGetMemorySpace(type)));
}

// A window again: its type follows from its sizes.
static void write_region(TuneSpace *space, MlirOperation op,
                         const int64_t *values) {
  TileRegionOp region = tile_region_cast(op);
  MlirAttribute old = tile_region_static_sizes_attr(region);
  MlirAttribute sizes = sizes_of(space, op, old, values);
  MlirValue window = mlirOperationGetResult(op, 0);
  int64_t extents[TUNE_USE];
  intptr_t kept = 0;
  if (mlirAttributeEqual(old, sizes))
    return;
  tile_region_set_static_sizes_attr(region, sizes);
  MlirAttribute dropped = tile_region_dropped_attr(region);
  for (intptr_t d = 0; d < mlirDenseArrayGetNumElements(sizes); d++) {
    bool is_dropped = false;
    for (intptr_t i = 0;
         !mlirAttributeIsNull(dropped) && i < tile_region_dropped_size(region);
         i++)
      is_dropped |= tile_region_dropped(region, i) == d;
    if (!is_dropped)
      extents[kept++] = mlirDenseI64ArrayGetElement(sizes, d);
  }
  MlirType type = mlirValueGetType(window);
  mlirValueSetType(window,
                   tile_region_type(mlirOperationGetContext(op),
                                    (TileI64s){extents, kept},
                                    tile_region_type_elementType(type),
                                    tile_region_type_memorySpace(type)));
}

static void write_node(TuneSpace *space, const TuneNode *node,
                       const int64_t *values) {
  int number = (int)(node - space->nodes);
  if (node->slot >= TUNE_USE)
    write_use(node, tune_node_value(space, number, values));
  else if (tile_alloc_is(node->op))
    write_alloc(space, node->op, values);
  else if (tile_region_is(node->op))
    write_region(space, node->op, values);
  else if (tile_parallel_is(node->op))
    tile_parallel_set_extents_attr(
        tile_parallel_cast(node->op),
        sizes_of(space, node->op,
                 tile_parallel_extents_attr(tile_parallel_cast(node->op)),
                 values));
}

static void write_sizes(TuneSpace *space, const int64_t *values) {
  for (int i = 0; i < space->num_nodes; i++) {
    const TuneNode *node = &space->nodes[i];
    if (node->value >= 0 && space->nodes[tune_node_root(space, i)].tunable >= 0)
      write_node(space, node, values);
  }
}

//===-- Choices of a kernel -----------------------------------------------===//

// Whether the configuration says nothing and was made for a choice.
static void drop_empty(TileKernelConfigOp config) {
  if (mlirAttributeIsNull(tile_kernel_config_min_blocks_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_registers_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_specialize_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_persist_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_producer_warps_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_rotate_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_partition_attr(config)) &&
      mlirAttributeIsNull(tile_kernel_config_split_attr(config)))
    mlirOperationDestroy(config.op);
}

static void write_form(MlirOperation launch, int64_t form) {
  TileKernelConfigOp config = tile_kernel_config_get(launch);
  MlirContext context = mlirOperationGetContext(launch);
  MlirAttribute none = {NULL};
  if (form != TUNE_FORM_CHOSEN) {
    bool takes_turns = form == TUNE_FORM_TURNS;
    tile_kernel_config_set_persist_attr(
        config, mlirBoolAttrGet(context, form != TUNE_FORM_BLOCKS));
    tile_kernel_config_set_partition_attr(
        config,
        TilePartition_attr(context, takes_turns ? TILE_PARTITION_Pingpong
                                                : TILE_PARTITION_Cooperative));
    if (form == TUNE_FORM_BLOCKS)
      tile_kernel_config_set_partition_attr(config, none);
  }
  drop_empty(config);
}

static void write_min_blocks(MlirOperation launch, int64_t blocks) {
  TileKernelConfigOp config = tile_kernel_config_get(launch);
  MlirAttribute attr = {NULL};
  if (blocks > 0)
    attr = mlirIntegerAttrGet(
        mlirIntegerTypeGet(mlirOperationGetContext(launch), 64), blocks);
  tile_kernel_config_set_min_blocks_attr(config, attr);
  drop_empty(config);
}

static MlirWalkResult write_stages(MlirOperation op, void *user_data) {
  const int64_t *stages = user_data;
  MlirStringRef name = TILE_STR("tile.num_stages");
  MlirAttribute old = mlirOperationGetDiscardableAttributeByName(op, name);
  if (!mlirAttributeIsNull(old) && mlirAttributeIsAInteger(old) &&
      mlirIntegerAttrGetValueInt(old) > 1)
    mlirOperationSetDiscardableAttributeByName(
        op, name, mlirIntegerAttrGet(mlirAttributeGetType(old), *stages));
  return MlirWalkResultAdvance;
}

static void write_entry(const TuneChoice *choice, int64_t value) {
  MlirContext context = mlirOperationGetContext(choice->owner);
  MlirStringRef name = tile_str(choice->attr);
  MlirAttribute old =
      mlirOperationGetDiscardableAttributeByName(choice->owner, name);
  MlirAttribute made;
  if (mlirAttributeIsAInteger(old)) {
    made = mlirIntegerAttrGet(mlirAttributeGetType(old), value);
  } else {
    int64_t sizes[16];
    intptr_t count = mlirDenseArrayGetNumElements(old);
    for (intptr_t i = 0; i < count && i < 16; i++)
      sizes[i] =
          i == choice->entry ? value : mlirDenseI64ArrayGetElement(old, i);
    made = mlirDenseI64ArrayGet(context, count < 16 ? count : 16, sizes);
  }
  mlirOperationSetDiscardableAttributeByName(choice->owner, name, made);
}

void tune_space_apply(TuneSpace *space, const int64_t *values) {
  write_sizes(space, values);
  for (size_t i = 0; i < space->num_choices; i++) {
    const TuneChoice *choice = &space->choices[i];
    int64_t value = values[i];
    switch (choice->kind) {
    case TUNE_SIZE:
    case TUNE_THREADS:
      break;
    case TUNE_STAGES:
      mlirOperationWalk(choice->owner, write_stages, &value, MlirWalkPreOrder);
      break;
    case TUNE_FORM:
      write_form(choice->owner, value);
      break;
    case TUNE_BLOCKS:
      write_min_blocks(choice->owner, value);
      break;
    case TUNE_ENTRY:
      write_entry(choice, value);
      break;
    }
  }
}

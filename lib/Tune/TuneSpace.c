//===- TuneSpace.c - Which sizes of a kernel hang together ----------------===//
//
// A kernel states its tile sizes many times: extents of tiles and windows,
// steps of loops, divisors of grids, factors of block ids. This finds which of
// them are one size: an op says that two extents are equal, and a coordinate
// says by what it steps. A size that is used in a way that is not understood
// stays as it is. So a kernel needs no annotations to be tuned, and what is
// written is the same kernel with other tiles.
//
//===----------------------------------------------------------------------===//

#include "TuneSpace.h"

#include "Dialect/Products.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"

#include <string.h>

//===-- Nodes -------------------------------------------------------------===//

int tune_node_root(TuneSpace *space, int node) {
  TuneNode *nodes = space->nodes;
  while (nodes[node].parent != node) {
    nodes[node].parent = nodes[nodes[node].parent].parent;
    node = nodes[node].parent;
  }
  return node;
}

int tune_node_of(const TuneSpace *space, MlirOperation op, int slot) {
  intptr_t first = (intptr_t)tile_pointer_map_get(&space->first, op.ptr);
  if (!first || slot >= TUNE_USE + mlirOperationGetNumOperands(op))
    return TUNE_NO_NODE;
  int node = (int)first - 1 + slot;
  return space->nodes[node].value < 0 ? TUNE_NO_NODE : node;
}

static void freeze(TuneSpace *space, int node) {
  if (node != TUNE_NO_NODE)
    space->nodes[tune_node_root(space, node)].is_frozen = true;
}

static void unify(TuneSpace *space, int a, int b) {
  if (a == TUNE_NO_NODE || b == TUNE_NO_NODE) {
    freeze(space, a);
    freeze(space, b);
    return;
  }
  TuneNode *x = &space->nodes[tune_node_root(space, a)];
  TuneNode *y = &space->nodes[tune_node_root(space, b)];
  if (x == y)
    return;
  if (x->value != y->value) {
    x->is_frozen = y->is_frozen = true;
    return;
  }
  y->parent = x->parent;
  x->is_frozen |= y->is_frozen;
  x->has_tile |= y->has_tile;
  x->has_use |= y->has_use;
}

static int use_of(const TuneSpace *space, MlirOperation op, intptr_t operand) {
  return tune_node_of(space, op, TUNE_USE + (int)operand);
}

// The extent of a tile that an op makes. Of a window those that it keeps.
static int dim_of(const TuneSpace *space, MlirValue tile, int dim) {
  if (!mlirValueIsAOpResult(tile))
    return TUNE_NO_NODE;
  MlirOperation op = mlirOpResultGetOwner(tile);
  TileRegionOp region = tile_region_dyn(op);
  for (intptr_t i = 0; region.op.ptr &&
                       !mlirAttributeIsNull(tile_region_dropped_attr(region)) &&
                       i < tile_region_dropped_size(region);
       i++)
    dim += tile_region_dropped(region, i) <= dim; // ascending
  return dim < TUNE_USE ? tune_node_of(space, op, dim) : TUNE_NO_NODE;
}

static bool is_constant(MlirValue value, int64_t *out) {
  return mlirTypeIsAIndex(mlirValueGetType(value)) &&
         mlirxConstantInt(value, out);
}

static void add_node(TuneSpace *space, MlirOperation op, int slot) {
  TILE_ARENA_RESERVE(space->arena, space->nodes, space->num_nodes,
                     space->capacity);
  space->nodes[space->num_nodes] = (TuneNode){.op = op,
                                              .slot = slot,
                                              .parent = space->num_nodes,
                                              .value = -1,
                                              .tunable = -1};
  space->num_nodes++;
}

static void set_extents(TuneNode *first, MlirOperation op) {
  TileShape shape;
  int rank = 0;
  if (tile_alloc_is(op) &&
      tile_shape_of(mlirOperationGetResult(op, 0), &shape)) {
    rank = shape.rank;
    for (int d = 0; d < rank; d++)
      first[d].value = shape.extent[d];
  } else if (tile_region_is(op)) {
    rank = (int)tile_region_static_sizes_size(tile_region_cast(op));
    for (int d = 0; d < rank && d < TUNE_USE; d++)
      first[d].value = tile_region_static_sizes(tile_region_cast(op), d);
  } else if (tile_parallel_is(op)) {
    rank = (int)tile_parallel_extents_size(tile_parallel_cast(op));
    for (int d = 0; d < rank && d < TUNE_USE; d++)
      first[d].value = tile_parallel_extents(tile_parallel_cast(op), d);
  }
  for (int d = 0; d < rank && d < TUNE_USE; d++)
    first[d].has_tile = !tile_parallel_is(op);
}

static MlirWalkResult make_nodes(MlirOperation op, void *user_data) {
  TuneSpace *space = user_data;
  int first = space->num_nodes;
  intptr_t count = mlirOperationGetNumOperands(op);
  for (int slot = 0; slot < TUNE_USE + count; slot++)
    add_node(space, op, slot);
  set_extents(&space->nodes[first], op);
  for (intptr_t i = 0; i < count; i++) {
    TuneNode *node = &space->nodes[first + TUNE_USE + i];
    int64_t value;
    if (!is_constant(mlirOperationGetOperand(op, i), &value) || value < 0)
      continue;
    node->value = value;
    node->has_use = true;
  }
  tile_pointer_map_set(&space->first, op.ptr, (void *)(intptr_t)(first + 1));
  return MlirWalkResultAdvance;
}

//===-- Coordinates -------------------------------------------------------===//

// A coordinate goes in steps of a size; its node is where that size is written.

static int coord_of(const TuneSpace *space, MlirValue value) {
  return (int)(intptr_t)tile_pointer_map_get(&space->coords, value.ptr) - 1;
}

static void set_coord(TuneSpace *space, MlirValue value, int node) {
  if (node != TUNE_NO_NODE)
    tile_pointer_map_set(&space->coords, value.ptr,
                         (void *)(intptr_t)(node + 1));
}

// Block ids as bits.
static int mask_of(const TuneSpace *space, MlirValue value) {
  return (int)(intptr_t)tile_pointer_map_get(&space->masks, value.ptr);
}

static void set_mask(TuneSpace *space, MlirValue value, int mask) {
  tile_pointer_map_set(&space->masks, value.ptr, (void *)(intptr_t)mask);
}

static GPULaunchOp launch_around(MlirOperation op) {
  while (op.ptr && !gpu_launch_is(op))
    op = mlirOperationGetParentOperation(op);
  return (GPULaunchOp){op};
}

// Where a number of rounds or blocks is divided by the size: ⌈extent / size⌉.
static int divisor_of(const TuneSpace *space, MlirValue count) {
  if (!mlirValueIsAOpResult(count))
    return TUNE_NO_NODE;
  MlirOperation op = mlirOpResultGetOwner(count);
  return arith_ceildivui_is(op) || arith_ceildivsi_is(op) ? use_of(space, op, 1)
                                                          : TUNE_NO_NODE;
}

// What counts the steps of `factor * size`: blocks of a dimension of the grid,
// or rounds of a loop.
static void unify_count(TuneSpace *space, MlirOperation op, MlirValue factor,
                        int size) {
  int mask = mask_of(space, factor);
  GPULaunchOp launch = launch_around(op);
  if (launch.op.ptr && (mask == 1 || mask == 2 || mask == 4)) {
    MlirValue count = mask == 1   ? gpu_launch_gridSizeX(launch)
                      : mask == 2 ? gpu_launch_gridSizeY(launch)
                                  : gpu_launch_gridSizeZ(launch);
    unify(space, size, divisor_of(space, count));
    return;
  }
  MlirOperation owner =
      mlirValueIsABlockArgument(factor)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(factor))
          : TILE_NULL_OP;
  if (scf_for_is(owner) && mask == 0 &&
      mlirBlockArgumentGetArgNumber(factor) == 0)
    unify(space, size,
          divisor_of(space, scf_for_upperBound(scf_for_cast(owner))));
  else
    freeze(space, size);
}

static void visit_multiply(TuneSpace *space, MlirOperation op) {
  for (intptr_t i = 0; i < 2; i++) {
    MlirValue other = mlirOperationGetOperand(op, 1 - i);
    int size = use_of(space, op, i);
    int64_t constant;
    if (size == TUNE_NO_NODE || is_constant(other, &constant))
      continue;
    if (coord_of(space, other) != TUNE_NO_NODE) { // a size of a size
      freeze(space, coord_of(space, other));
      freeze(space, size);
      continue;
    }
    unify_count(space, op, other, size);
    set_coord(space, mlirOperationGetResult(op, 0), size);
  }
}

// A coordinate and something; the next one, where that is the size itself.
static void visit_sum(TuneSpace *space, MlirOperation op) {
  int left = coord_of(space, mlirOperationGetOperand(op, 0));
  int right = coord_of(space, mlirOperationGetOperand(op, 1));
  int coord = left == TUNE_NO_NODE ? right : left;
  if (coord == TUNE_NO_NODE)
    return;
  if (left != TUNE_NO_NODE && right != TUNE_NO_NODE &&
      tune_node_root(space, left) != tune_node_root(space, right)) {
    freeze(space, left);
    freeze(space, right);
    return;
  }
  for (intptr_t i = 0; i < 2; i++) {
    int use = use_of(space, op, i);
    if (use != TUNE_NO_NODE &&
        space->nodes[use].value ==
            space->nodes[tune_node_root(space, coord)].value)
      unify(space, use, coord);
  }
  set_coord(space, mlirOperationGetResult(op, 0), coord);
}

static bool is_sum(MlirOperation op) {
  return arith_addi_is(op) || arith_subi_is(op) || arith_minsi_is(op) ||
         arith_minui_is(op) || arith_maxsi_is(op) || arith_maxui_is(op);
}

// What may be done with a coordinate beside adding to it.
static bool takes_coords(MlirOperation op) {
  return arith_cmpi_is(op) || arith_index_cast_is(op) ||
         arith_index_castui_is(op) || tile_region_is(op) || scf_for_is(op) ||
         memref_load_is(op) || memref_store_is(op) || arith_select_is(op) ||
         scf_yield_is(op);
}

static void visit_index(TuneSpace *space, MlirOperation op) {
  if (arith_muli_is(op)) {
    visit_multiply(space, op);
    return;
  }
  if (is_sum(op)) {
    visit_sum(space, op);
    return;
  }
  for (intptr_t i = 0; !takes_coords(op) && i < mlirOperationGetNumOperands(op);
       i++)
    freeze(space, coord_of(space, mlirOperationGetOperand(op, i)));
}

static void visit_loop(TuneSpace *space, MlirOperation op) {
  enum { STEP = 2 };
  int64_t step;
  if (is_constant(scf_for_step(scf_for_cast(op)), &step) && step > 1)
    set_coord(space,
              mlirBlockGetArgument(
                  mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), 0),
              use_of(space, op, STEP));
}

//===-- Tiles -------------------------------------------------------------===//

static void freeze_tile(TuneSpace *space, MlirValue tile) {
  for (int d = 0; d < TUNE_USE; d++)
    freeze(space, dim_of(space, tile, d));
}

static int rank_of(MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape) ? shape.rank : 0;
}

static void visit_region(TuneSpace *space, TileRegionOp region) {
  int rank = (int)tile_region_static_sizes_size(region), dynamic = 0;
  TileRange offsets = tile_region_offsets(region);
  MlirValue source = tile_region_source(region);
  bool is_plain = mlirValueIsNull(tile_region_ids(region)) &&
                  dim_of(space, source, 0) == TUNE_NO_NODE;
  if (!is_plain)
    freeze_tile(space, source);
  for (int d = 0; d < rank && d < TUNE_USE; d++) {
    int size = tune_node_of(space, region.op, d);
    bool is_dynamic =
        tile_region_static_offsets(region, d) == mlirShapedTypeGetDynamicSize();
    MlirValue offset =
        is_dynamic ? tile_range_at(offsets, dynamic++) : TILE_NULL_VALUE;
    int coord = is_dynamic ? coord_of(space, offset) : TUNE_NO_NODE;
    if (size == TUNE_NO_NODE)
      continue;
    if (coord == TUNE_NO_NODE || !is_plain)
      freeze(space,
             space->nodes[size].value == 1 && is_plain ? TUNE_NO_NODE : size);
    if (coord != TUNE_NO_NODE)
      unify(space, size, coord);
  }
}

static void visit_copy(TuneSpace *space, MlirValue src, MlirValue dst,
                       bool is_transposed) {
  int rank = rank_of(src);
  if (rank != rank_of(dst)) {
    freeze_tile(space, src);
    freeze_tile(space, dst);
    return;
  }
  for (int d = 0; d < rank; d++) {
    int other = is_transposed && d >= rank - 2 ? 2 * rank - 3 - d : d;
    unify(space, dim_of(space, src, d), dim_of(space, dst, other));
  }
}

static void visit_product(TuneSpace *space, MlirOperation op) {
  TileProduct product;
  if (!tile_product_of(op, &product))
    return;
  if (product.is_sparse || rank_of(product.c) != 2) {
    freeze_tile(space, product.a);
    freeze_tile(space, product.b);
    freeze_tile(space, product.c);
    if (product.is_sparse)
      freeze_tile(space, product.e);
    return;
  }
  int a = product.transpose_a, b = product.transpose_b;
  unify(space, dim_of(space, product.a, a), dim_of(space, product.c, 0));
  unify(space, dim_of(space, product.b, !b), dim_of(space, product.c, 1));
  unify(space, dim_of(space, product.a, !a), dim_of(space, product.b, b));
}

static void visit_reduce(TuneSpace *space, TileReduceOp reduce) {
  MlirValue src = tile_reduce_src(reduce), dst = tile_reduce_dst(reduce);
  int dim = (int)tile_reduce_dim(reduce), rank = rank_of(src);
  if (rank != rank_of(dst) + 1) {
    freeze_tile(space, src);
    freeze_tile(space, dst);
    return;
  }
  for (int d = 0, to = 0; d < rank; d++)
    if (d != dim)
      unify(space, dim_of(space, src, d), dim_of(space, dst, to++));
}

// An element of a tile: its place is that of the loop over elements.
static void visit_element(TuneSpace *space, MlirOperation op, MlirValue tile,
                          intptr_t first_index) {
  for (int d = 0; d < rank_of(tile); d++) {
    int dim = dim_of(space, tile, d);
    MlirValue index = mlirOperationGetOperand(op, first_index + d);
    MlirOperation owner =
        mlirValueIsABlockArgument(index)
            ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(index))
            : TILE_NULL_OP;
    if (dim == TUNE_NO_NODE)
      continue;
    if (tile_parallel_is(owner))
      unify(space, dim,
            tune_node_of(space, owner,
                         (int)mlirBlockArgumentGetArgNumber(index)));
    else
      freeze(space, dim);
  }
}

static void visit_tile_op(TuneSpace *space, MlirOperation op) {
  if (tile_region_is(op))
    visit_region(space, tile_region_cast(op));
  else if (tile_copy_is(op))
    visit_copy(space, mlirOperationGetOperand(op, 0),
               mlirOperationGetOperand(op, 1), false);
  else if (tile_transpose_is(op))
    visit_copy(space, mlirOperationGetOperand(op, 0),
               mlirOperationGetOperand(op, 1), true);
  else if (tile_gemm_is(op) || tile_gemm_sp_is(op))
    visit_product(space, op);
  else if (tile_reduce_is(op))
    visit_reduce(space, tile_reduce_cast(op));
  else if (memref_load_is(op))
    visit_element(space, op, mlirOperationGetOperand(op, 0), 1);
  else if (memref_store_is(op))
    visit_element(space, op, mlirOperationGetOperand(op, 1), 2);
  else if (!tile_fill_is(op))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      freeze_tile(space, mlirOperationGetOperand(op, i));
}

//===-- The walk ----------------------------------------------------------===//

static void note_masks(TuneSpace *space, MlirOperation op) {
  int mask = 0;
  if (gpu_block_id_is(op))
    mask = 1 << (int)gpu_block_id_dimension(gpu_block_id_cast(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mask |= mask_of(space, mlirOperationGetOperand(op, i));
  for (intptr_t i = 0; mask && i < mlirOperationGetNumResults(op); i++)
    set_mask(space, mlirOperationGetResult(op, i),
             tile_block_swizzle_is(op) ? 1 << i : mask);
}

static MlirWalkResult visit_op(MlirOperation op, void *user_data) {
  TuneSpace *space = user_data;
  if (gpu_launch_is(op)) {
    for (int i = 0; i < 3; i++)
      set_mask(space, mlirBlockGetArgument(tile_kernel_body(op), i), 1 << i);
    return MlirWalkResultAdvance;
  }
  note_masks(space, op);
  if (scf_for_is(op))
    visit_loop(space, op);
  visit_index(space, op);
  visit_tile_op(space, op);
  return MlirWalkResultAdvance;
}

// A constant that is used otherwise and happens to be a size may be that size.
static void freeze_doubts(TuneSpace *space) {
  enum { SMALL = 2 }; // numbers that mean themselves
  for (int i = 0; i < space->num_nodes; i++) {
    const TuneNode *use = &space->nodes[i];
    if (use->slot < TUNE_USE || use->value <= SMALL || gpu_launch_is(use->op) ||
        space->nodes[tune_node_root(space, i)].has_tile)
      continue;
    for (int k = 0; k < space->num_nodes; k++)
      if (space->nodes[k].parent == k && space->nodes[k].has_tile &&
          space->nodes[k].value == use->value)
        space->nodes[k].is_frozen = true;
  }
}

int64_t tune_node_value(TuneSpace *space, int node, const int64_t *values) {
  const TuneNode *root = &space->nodes[tune_node_root(space, node)];
  return values && root->tunable >= 0 ? values[root->tunable] : root->value;
}

//===-- What may be chosen ------------------------------------------------===//

void tune_space_add(TuneSpace *space, const TuneChoice *choice,
                    const int64_t *candidates) {
  if (space->num_choices == TUNE_MAX_TUNABLES)
    return;
  TuneChoice *added = &space->choices[space->num_choices];
  *added = *choice;
  bool is_in = false;
  for (size_t i = 0; candidates[i] >= 0 && added->num_values < TUNE_MAX_VALUES;
       i++) {
    if (!is_in && candidates[i] >= choice->value) {
      if (candidates[i] > choice->value)
        added->values[added->num_values++] = choice->value;
      is_in = true;
    }
    if (added->num_values < TUNE_MAX_VALUES)
      added->values[added->num_values++] = candidates[i];
  }
  if (!is_in && added->num_values < TUNE_MAX_VALUES)
    added->values[added->num_values++] = choice->value;
  space->num_choices++;
}

typedef struct {
  TuneSpace *space;
  MlirOperation launch;
  bool has_products;
  int64_t stages; // of pipelined loops; 0: none
  int num_sizes;  // without a name of a product
} Kernel;

static const char *name_of(Kernel *kernel, const char *text) {
  char full[64];
  TuneSpace *space = kernel->space;
  bool is_taken = true;
  snprintf(full, sizeof full, "%s", text);
  for (int number = 2; is_taken; number++) {
    is_taken = false;
    for (size_t i = 0; i < space->num_choices; i++)
      is_taken |= !strcmp(space->choices[i].name, full);
    if (is_taken)
      snprintf(full, sizeof full, "%s%d", text, number);
  }
  return tile_arena_strdup(space->arena, full, strlen(full));
}

static void add_size(Kernel *kernel, int node, const char *name,
                     const int64_t *candidates) {
  TuneSpace *space = kernel->space;
  if (node == TUNE_NO_NODE)
    return;
  TuneNode *root = &space->nodes[tune_node_root(space, node)];
  if (root->is_frozen || !root->has_tile || !root->has_use ||
      root->tunable >= 0)
    return;
  size_t number = space->num_choices;
  TuneChoice choice = {.kind = TUNE_SIZE,
                       .name = name_of(kernel, name),
                       .value = root->value,
                       .node = node,
                       .owner = kernel->launch};
  tune_space_add(space, &choice, candidates);
  if (space->num_choices > number)
    root->tunable = (int)number;
}

// Rows of a product, its columns, its depth: of wgmma 64 rows, columns in
// eights; rows of shared tiles as long as swizzles are.
static void add_product(Kernel *kernel, const TileProduct *product) {
  static const int64_t rows[] = {64, 128, 192, 256, -1};
  static const int64_t columns[] = {32, 64, 96, 128, 160, 192, 256, -1};
  static const int64_t warp_rows[] = {16, 32, 64, 128, 256, -1};
  TuneSpace *space = kernel->space;
  TileShape shape;
  int a = product->transpose_a, b = product->transpose_b;
  if (!tile_shape_of(product->a, &shape))
    return;
  int64_t row = 1024 / tile_elem_bits(shape.element); // 128 bytes
  int64_t depths[] = {row / 2, row, 2 * row, -1};
  add_size(kernel, dim_of(space, product->a, a), "m",
           space->target->has_wgmma ? rows : warp_rows);
  add_size(kernel, dim_of(space, product->b, !b), "n", columns);
  add_size(kernel, dim_of(space, product->a, !a), "k", depths);
}

static MlirWalkResult note_product(MlirOperation op, void *user_data) {
  Kernel *kernel = user_data;
  TileProduct product;
  MlirAttribute stages = mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages"));
  if (!mlirAttributeIsNull(stages) && mlirAttributeIsAInteger(stages) &&
      mlirIntegerAttrGetValueInt(stages) > kernel->stages)
    kernel->stages = mlirIntegerAttrGetValueInt(stages);
  if (!tile_product_of(op, &product))
    return MlirWalkResultAdvance;
  kernel->has_products = true;
  if (!product.is_sparse)
    add_product(kernel, &product);
  return MlirWalkResultAdvance;
}

// Sizes of no product: rows of a kernel on rows, points of one on points.
static MlirWalkResult note_tile(MlirOperation op, void *user_data) {
  static const int64_t rows[] = {1, 2, 4, 8, 16, -1};
  static const int64_t points[] = {32, 64, 128, 256, 512, 1024, -1};
  Kernel *kernel = user_data;
  TileShape shape;
  if (!tile_alloc_is(op) ||
      !tile_shape_of(mlirOperationGetResult(op, 0), &shape))
    return MlirWalkResultAdvance;
  for (int d = 0; d < shape.rank; d++)
    add_size(kernel, dim_of(kernel->space, mlirOperationGetResult(op, 0), d),
             shape.extent[d] > 16 ? "points" : "rows",
             shape.extent[d] > 16 ? points : rows);
  return MlirWalkResultAdvance;
}

static void add_threads(Kernel *kernel) {
  static const int64_t groups[] = {128, 256, 384, -1};
  static const int64_t warps[] = {64, 128, 256, 512, 1024, -1};
  TuneSpace *space = kernel->space;
  enum { BLOCK_X = 3 };
  int node = use_of(space, kernel->launch, BLOCK_X);
  if (node == TUNE_NO_NODE ||
      tile_kernel_num_threads(kernel->launch) != space->nodes[node].value)
    return;
  size_t number = space->num_choices;
  TuneChoice choice = {.kind = TUNE_THREADS,
                       .name = name_of(kernel, "threads"),
                       .value = space->nodes[node].value,
                       .node = node,
                       .owner = kernel->launch};
  tune_space_add(space, &choice, kernel->has_products ? groups : warps);
  if (space->num_choices > number)
    space->nodes[tune_node_root(space, node)].tunable = (int)number;
}

static void add_stages(Kernel *kernel) {
  static const int64_t stages[] = {2, 3, 4, 5, 6, 7, 8, -1};
  TuneChoice choice = {.kind = TUNE_STAGES,
                       .name = name_of(kernel, "stages"),
                       .value = kernel->stages,
                       .owner = kernel->launch};
  if (kernel->stages > 1)
    tune_space_add(kernel->space, &choice, stages);
}

static void add_form(Kernel *kernel) {
  static const char *const labels[] = {"chosen", "cooperative", "turns",
                                       "blocks"};
  static const int64_t forms[] = {TUNE_FORM_CHOSEN, TUNE_FORM_COOPERATIVE,
                                  TUNE_FORM_TURNS, TUNE_FORM_BLOCKS, -1};
  static const int64_t blocks[] = {0, 2, 3, 4, 6, 8, -1};
  TileKernelConfigOp config = tile_kernel_config_of(kernel->launch);
  bool has_own =
      config.op.ptr &&
      !mlirAttributeIsNull(tile_kernel_config_min_blocks_attr(config));
  TuneChoice form = {.kind = TUNE_FORM,
                     .name = name_of(kernel, "form"),
                     .labels = labels,
                     .owner = kernel->launch};
  TuneChoice least = {.kind = TUNE_BLOCKS,
                      .name = name_of(kernel, "min_blocks"),
                      .value =
                          has_own ? tile_kernel_config_min_blocks(config) : 0,
                      .owner = kernel->launch};
  if (kernel->has_products && kernel->stages > 1 &&
      kernel->space->target->has_wgmma)
    tune_space_add(kernel->space, &form, forms);
  else if (!kernel->has_products)
    tune_space_add(kernel->space, &least, blocks);
}

static MlirWalkResult visit_kernel(MlirOperation op, void *user_data) {
  TuneSpace *space = user_data;
  Kernel kernel = {.space = space, .launch = op};
  if (!gpu_launch_is(op))
    return MlirWalkResultAdvance;
  size_t before = space->num_choices;
  mlirOperationWalk(op, note_product, &kernel, MlirWalkPreOrder);
  mlirOperationWalk(op, note_tile, &kernel, MlirWalkPreOrder);
  if (space->num_choices == before && !kernel.has_products)
    return MlirWalkResultSkip; // nothing that threads would share otherwise
  add_threads(&kernel);
  add_stages(&kernel);
  add_form(&kernel);
  return MlirWalkResultSkip;
}

void tune_space_build(TuneSpace *space) {
  space->first.arena = space->coords.arena = space->masks.arena = space->arena;
  mlirOperationWalk(space->function, make_nodes, space, MlirWalkPreOrder);
  mlirOperationWalk(space->function, visit_op, space, MlirWalkPreOrder);
  freeze_doubts(space);
  mlirOperationWalk(space->function, visit_kernel, space, MlirWalkPreOrder);
}

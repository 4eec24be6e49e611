//===- TuneCost.c - What a kernel does, in numbers ------------------------===//
//
// Reads a launch with the extents of its arguments and other sizes of tiles,
// without writing them, and asks the model of cost.
//
//===----------------------------------------------------------------------===//

#include "TuneSpace.h"

#include "Analysis/Cost/Cost.h"
#include "Dialect/Products.h"
#include "Support/Iterate.h"
#include "Tile/Ops/arith.h"
#include "Tile/Ops/math.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "Transforms/Schedules/Schedules.h"

#include <string.h>

typedef struct {
  TuneSpace *space;
  MlirOperation launch;
  const int64_t *values;
  const TileTuningArg *args;
  size_t num_args;
  int64_t stages;
  TilePointerMap rings; // tiles that a pipelined loop copies to
  TileCostWork work;
  double num_largest;          // elements of the sum of the largest product
  int64_t rows[8], columns[8]; // of products
  int num_products;
} Reader;

//===-- Numbers of the host and of loops ----------------------------------===//

enum { MAX_DEPTH = 24 };
static const double unknown = 1;

static double value_of(Reader *r, MlirValue value, int depth);

static double operand_of(Reader *r, MlirOperation op, intptr_t i, int depth) {
  int node = tune_node_of(r->space, op, TUNE_USE + (int)i);
  return node == TUNE_NO_NODE
             ? value_of(r, mlirOperationGetOperand(op, i), depth)
             : (double)tune_node_value(r->space, node, r->values);
}

static double whole(double x) { return (double)(int64_t)x; }

static double extent_of(const Reader *r, MlirOperation op) {
  int64_t dim;
  MlirValue tensor = mlirOperationGetOperand(op, 0);
  if (!mlirxConstantInt(mlirOperationGetOperand(op, 1), &dim))
    return unknown;
  MlirType type = mlirValueGetType(tensor);
  if (dim < mlirShapedTypeGetRank(type) &&
      !mlirShapedTypeIsDynamicDim(type, dim))
    return (double)mlirShapedTypeGetDimSize(type, dim);
  if (!mlirValueIsABlockArgument(tensor))
    return unknown;
  size_t number = (size_t)mlirBlockArgumentGetArgNumber(tensor);
  return number < r->num_args && dim < r->args[number].rank
             ? (double)r->args[number].shape[dim]
             : unknown;
}

// Block ids are those of the middle of the grid, loops in the middle of theirs.
static double argument_of(Reader *r, MlirValue value, int depth) {
  enum { GRID_SIZE = 6, BLOCK_SIZE = 9 };
  MlirOperation owner =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (gpu_launch_is(owner)) {
    double size = operand_of(r, owner, number % 3, depth);
    return number < 3                                   ? (size - 1) / 2
           : number >= GRID_SIZE && number < BLOCK_SIZE ? size
                                                        : unknown;
  }
  if (scf_for_is(owner) && number == 0)
    return (operand_of(r, owner, 0, depth) + operand_of(r, owner, 1, depth)) /
           2;
  return unknown;
}

static double combine(MlirOperation op, double x, double y) {
  if (arith_muli_is(op))
    return x * y;
  if (arith_addi_is(op))
    return x + y;
  if (arith_subi_is(op))
    return x - y;
  if (arith_minsi_is(op) || arith_minui_is(op))
    return x < y ? x : y;
  if (arith_maxsi_is(op) || arith_maxui_is(op))
    return x > y ? x : y;
  if (y < 1)
    return unknown;
  if (arith_ceildivui_is(op) || arith_ceildivsi_is(op))
    return whole((x + y - 1) / y);
  if (arith_divui_is(op) || arith_divsi_is(op) || arith_floordivsi_is(op))
    return whole(x / y);
  return unknown;
}

static double value_of(Reader *r, MlirValue value, int depth) {
  int64_t constant;
  if (mlirxConstantInt(value, &constant))
    return (double)constant;
  if (depth == MAX_DEPTH)
    return unknown;
  if (mlirValueIsABlockArgument(value))
    return argument_of(r, value, depth + 1);
  MlirOperation op = mlirOpResultGetOwner(value);
  if (memref_dim_is(op))
    return extent_of(r, op);
  if (arith_index_cast_is(op) || arith_index_castui_is(op))
    return operand_of(r, op, 0, depth + 1);
  if (mlirOperationGetNumOperands(op) != 2)
    return unknown;
  return combine(op, operand_of(r, op, 0, depth + 1),
                 operand_of(r, op, 1, depth + 1));
}

static double rounds_of(Reader *r, MlirOperation loop) {
  double first = operand_of(r, loop, 0, 0), end = operand_of(r, loop, 1, 0);
  double step = operand_of(r, loop, 2, 0);
  double rounds = step >= 1 ? whole((end - first + step - 1) / step) : 1;
  return rounds > 0 ? rounds : 0;
}

//===-- Tiles -------------------------------------------------------------===//

static double extent(Reader *r, MlirOperation op, int slot, int64_t otherwise) {
  int node = tune_node_of(r->space, op, slot);
  return node == TUNE_NO_NODE
             ? (double)otherwise
             : (double)tune_node_value(r->space, node, r->values);
}

// Extents of a whole tile or a window, with sizes of the nodes.
static double elements_of(Reader *r, MlirValue tile) {
  TileShape shape;
  double count = 1;
  if (!tile_shape_of(tile, &shape))
    return 0;
  MlirOperation op =
      mlirValueIsAOpResult(tile) ? mlirOpResultGetOwner(tile) : TILE_NULL_OP;
  if (tile_region_is(op)) {
    TileRegionOp region = tile_region_cast(op);
    for (int d = 0; d < tile_region_static_sizes_size(region); d++)
      count *= extent(r, op, d, tile_region_static_sizes(region, d));
    return count;
  }
  for (int d = 0; d < shape.rank; d++)
    count *=
        op.ptr ? extent(r, op, d, shape.extent[d]) : (double)shape.extent[d];
  return count > 0 ? count : 0;
}

static double bytes_of(Reader *r, MlirValue tile) {
  TileShape shape;
  return tile_shape_of(tile, &shape)
             ? elements_of(r, tile) * tile_elem_bits(shape.element) / 8
             : 0;
}

static double dim_of(Reader *r, MlirValue tile, int dim) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || dim >= shape.rank)
    return 1;
  MlirOperation op =
      mlirValueIsAOpResult(tile) ? mlirOpResultGetOwner(tile) : TILE_NULL_OP;
  return op.ptr && tile_alloc_is(op) ? extent(r, op, dim, shape.extent[dim])
                                     : (double)shape.extent[dim];
}

//===-- What ops do -------------------------------------------------------===//

static void add_product(Reader *r, const TileProduct *product, double rounds) {
  TileShape a, c;
  if (!tile_shape_of(product->a, &a) || !tile_shape_of(product->c, &c))
    return;
  double sum = elements_of(r, product->c);
  double depth = dim_of(r, product->a, a.rank - 1 - product->transpose_a);
  if (product->transpose_a)
    depth = dim_of(r, product->a, a.rank - 2);
  r->work.multiply_adds += sum * depth * rounds;
  r->work.multiply_bits = tile_elem_bits(a.element);
  if (r->num_products < 8) {
    r->rows[r->num_products] = (int64_t)dim_of(r, product->c, c.rank - 2);
    r->columns[r->num_products++] = (int64_t)dim_of(r, product->c, c.rank - 1);
  }
  if (sum <= r->num_largest)
    return;
  r->num_largest = sum;
  r->work.m = (int64_t)dim_of(r, product->c, c.rank - 2);
  r->work.n = (int64_t)dim_of(r, product->c, c.rank - 1);
}

// Additions that an op on an element is worth: special functions have a
// sixteenth of the lanes.
static MlirWalkResult add_op(MlirOperation op, void *user_data) {
  const double special = 8;
  double *count = user_data;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  bool is_math = name.length > 5 && !memcmp(name.data, "math.", 5);
  if (math_fma_is(op) || arith_constant_is(op) || tile_parallel_is(op))
    *count += math_fma_is(op);
  else if (is_math || arith_divf_is(op))
    *count += special;
  else if (!memref_load_is(op) && !memref_store_is(op))
    *count += 1;
  return MlirWalkResultAdvance;
}

static void add_elements(Reader *r, double elements, double ops, double rounds,
                         bool is_in_loop) {
  double *total = is_in_loop ? &r->work.loop_elements : &r->work.end_elements;
  *total += elements * ops * rounds;
}

static void add_loop(Reader *r, MlirOperation op, double rounds,
                     bool is_in_loop) {
  double elements = 1, ops = 0;
  TileParallelOp loop = tile_parallel_cast(op);
  for (int d = 0; d < tile_parallel_extents_size(loop); d++)
    elements *= extent(r, op, d, tile_parallel_extents(loop, d));
  mlirOperationWalk(op, add_op, &ops, MlirWalkPreOrder);
  add_elements(r, elements, ops, rounds, is_in_loop);
}

static void add_copy(Reader *r, TileCopyOp copy, double rounds,
                     bool is_in_loop) {
  TileShape src, dst;
  if (!tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(tile_copy_dst(copy), &dst))
    return;
  bool loads = src.space == TILE_SPACE_GLOBAL;
  bool stores = dst.space == TILE_SPACE_GLOBAL;
  double bytes = bytes_of(r, loads ? tile_copy_src(copy) : tile_copy_dst(copy));
  if (!loads && !stores)
    add_elements(r, elements_of(r, tile_copy_dst(copy)), 1, rounds, is_in_loop);
  else if (is_in_loop)
    r->work.loop_bytes += bytes * rounds;
  else
    r->work.end_bytes += bytes * rounds;
  if (loads)
    r->work.round_bytes += bytes;
  if (stores && bytes > (double)r->work.store_bytes)
    r->work.store_bytes = (int64_t)bytes;
  if (loads && is_in_loop && dst.space == TILE_SPACE_SHARED)
    tile_pointer_map_set(&r->rings,
                         tile_buffer_of(tile_copy_dst(copy)).root.ptr, r);
}

static void read_block(Reader *r, MlirBlock block, double rounds,
                       bool is_in_loop);

static void read_regions(Reader *r, MlirOperation op, double rounds,
                         bool is_in_loop) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (block.ptr)
      read_block(r, block, rounds, is_in_loop);
  }
}

static bool has_stages(MlirOperation op) {
  return !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
      op, TILE_STR("tile.num_stages")));
}

static void read_op(Reader *r, MlirOperation op, double rounds,
                    bool is_in_loop) {
  const double reduce_ops = 2, edge_blocks = 8;
  TileProduct product;
  if (scf_for_is(op)) {
    double inner = rounds_of(r, op);
    if (has_stages(op))
      r->work.num_rounds += (int64_t)(rounds * inner);
    read_regions(r, op, rounds * inner, true);
  } else if (scf_if_is(op)) { // a mask at an edge, more often than not
    read_regions(r, op, rounds / edge_blocks, is_in_loop);
  } else if (tile_parallel_is(op)) {
    add_loop(r, op, rounds, is_in_loop);
  } else if (tile_copy_is(op)) {
    add_copy(r, tile_copy_cast(op), rounds, is_in_loop);
  } else if (tile_product_of(op, &product)) {
    add_product(r, &product, rounds);
  } else if (tile_reduce_is(op)) {
    add_elements(r, elements_of(r, mlirOperationGetOperand(op, 0)), reduce_ops,
                 rounds, is_in_loop);
  } else {
    read_regions(r, op, rounds, is_in_loop);
  }
}

static void read_block(Reader *r, MlirBlock block, double rounds,
                       bool is_in_loop) {
  TILE_FOR_EACH_OP (op, block)
    read_op(r, op, rounds, is_in_loop);
}

//===-- What a block takes ------------------------------------------------===//

static MlirWalkResult add_tile(MlirOperation op, void *user_data) {
  Reader *r = user_data;
  TileShape shape;
  if (!tile_alloc_is(op))
    return MlirWalkResultAdvance;
  MlirValue tile = mlirOperationGetResult(op, 0);
  if (!tile_shape_of(tile, &shape))
    return MlirWalkResultAdvance;
  double bytes = bytes_of(r, tile);
  bool is_ring = tile_pointer_map_get(&r->rings, tile.ptr) != NULL;
  if (shape.space == TILE_SPACE_SHARED)
    r->work.block.smem_bytes +=
        (int64_t)bytes * (is_ring && r->stages > 1 ? r->stages : 1);
  else if (shape.space == TILE_SPACE_FRAGMENT)
    r->work.block.num_fragment_bits += (int64_t)bytes * 8;
  return MlirWalkResultAdvance;
}

static double tensor_bytes(const Reader *r) {
  double total = 0;
  MlirBlock body = tile_kernel_body(r->space->function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    if (!mlirTypeIsAShaped(type) || (size_t)i >= r->num_args)
      continue;
    double bytes = tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8.0;
    for (int d = 0; d < r->args[i].rank; d++)
      bytes *= (double)r->args[i].shape[d];
    total += bytes;
  }
  return total;
}

//===-- Choices -----------------------------------------------------------===//

static int64_t choice_of(const Reader *r, TuneKind kind, int64_t otherwise) {
  for (size_t i = 0; i < r->space->num_choices; i++) {
    const TuneChoice *choice = &r->space->choices[i];
    if (choice->kind == kind && mlirOperationEqual(choice->owner, r->launch))
      return r->values[i];
  }
  return otherwise;
}

// Registers of a thread; with turns each warpgroup holds a tile of its own.
static int64_t registers_of(const TileCostWork *work) {
  enum { GROUP_THREADS = 128, WORD_BITS = 32 };
  int64_t threads =
      work->form == TILE_COST_TURNS ? GROUP_THREADS : work->block.num_threads;
  int64_t others = work->loop_elements + work->end_elements > 0
                       ? TILE_COST_SCALARS
                       : TILE_COST_LEAST_SCALARS;
  return work->block.num_fragment_bits / WORD_BITS /
             (threads > 0 ? threads : 1) +
         others;
}

// What the compiler does where nobody chooses: as tile-persist has it.
// It knows how many tiles there are where the grid is constant.
static TileCostForm chosen_form(const TileTarget *target,
                                const TileCostWork *work, bool is_static) {
  int64_t blocks = tile_cost_blocks_per_sm(target, &work->block);
  TileCostWork turns = *work;
  turns.form = TILE_COST_TURNS;
  if (!target->has_tma || work->m == 0 || work->num_rounds == 0 ||
      tile_cost_persistence(target, is_static ? work->num_blocks : -1,
                            blocks) != TILE_COST_PERSISTS)
    return TILE_COST_BLOCKS;
  return target->has_setmaxnreg && work->loop_elements == 0 &&
                 registers_of(&turns) <= TILE_COST_MOST_REGISTERS
             ? TILE_COST_TURNS
             : TILE_COST_COOPERATIVE;
}

static bool has_constant_grid(const Reader *r) {
  int64_t size;
  bool is_constant = true;
  for (intptr_t i = 0; i < 3; i++)
    is_constant &=
        mlirxConstantInt(mlirOperationGetOperand(r->launch, i), &size);
  return is_constant;
}

static TileCostForm form_of(const Reader *r) {
  switch (choice_of(r, TUNE_FORM, TUNE_FORM_CHOSEN)) {
  case TUNE_FORM_COOPERATIVE:
    return TILE_COST_COOPERATIVE;
  case TUNE_FORM_TURNS:
    return TILE_COST_TURNS;
  case TUNE_FORM_BLOCKS:
    return TILE_COST_BLOCKS;
  default:
    return chosen_form(r->space->target, &r->work, has_constant_grid(r));
  }
}

// Whether warpgroups can have rows and columns of a sum each.
static bool can_share(const TileTarget *target, int64_t m, int64_t n,
                      int64_t num_groups) {
  if (m % target->wgmma.m)
    return true; // no wgmma
  for (int64_t by_m = 1; by_m <= num_groups; by_m++)
    if (num_groups % by_m == 0 && m / target->wgmma.m % by_m == 0 &&
        n % (num_groups / by_m * target->wgmma.n_step) == 0)
      return true;
  return false;
}

// Why a configuration cannot be what it says.
static const char *reason_of(const Reader *r, int64_t num_registers) {
  const TileTarget *target = r->space->target;
  const TileCostWork *work = &r->work;
  enum { WARPGROUP = 128 };
  if (work->block.smem_bytes > target->max_smem_bytes)
    return "too much shared memory";
  if (num_registers > target->max_thread_registers)
    return "too many registers";
  if (work->form == TILE_COST_TURNS && num_registers > TILE_COST_MOST_REGISTERS)
    return "too many registers for turns";
  bool has_groups =
      target->has_wgmma && work->block.num_threads % WARPGROUP == 0;
  for (int i = 0; has_groups && i < r->num_products; i++)
    if (!can_share(target, r->rows[i], r->columns[i],
                   work->block.num_threads / WARPGROUP))
      return "warpgroups cannot share a tile";
  return NULL;
}

static void add_cost(TileTuningCost *out, const TileCost *cost,
                     TileCostForm work_form) {
  static const char *const form_names[] = {"blocks", "cooperative", "turns"};
  out->us += cost->us;
  out->products_us += cost->products_us;
  out->elements_us += cost->elements_us;
  out->cache_us += cost->cache_us;
  out->memory_us += cost->memory_us;
  out->ends_us += cost->ends_us;
  out->bound = cost->bound;
  out->form = form_names[work_form];
  out->blocks_per_sm = cost->blocks_per_sm;
  out->num_waves = cost->num_waves;
}

static void add_launch(TuneSpace *space, MlirOperation launch,
                       const int64_t *values, const TileTuningArg *args,
                       size_t num_args, TileTuningCost *out_cost) {
  TileArena arena;
  tile_arena_init(&arena);
  Reader r = {.space = space,
              .launch = launch,
              .values = values,
              .args = args,
              .num_args = num_args,
              .rings = {.arena = &arena}};
  r.stages = r.work.stages = choice_of(&r, TUNE_STAGES, 1);
  read_block(&r, tile_kernel_body(launch), 1, false);
  mlirOperationWalk(launch, add_tile, &r, MlirWalkPreOrder);
  r.work.num_blocks = 1;
  for (intptr_t i = 0; i < 3; i++)
    r.work.num_blocks *= (int64_t)operand_of(&r, launch, i, 0);
  r.work.block.num_threads =
      (int64_t)(operand_of(&r, launch, 3, 0) * operand_of(&r, launch, 4, 0) *
                operand_of(&r, launch, 5, 0));
  r.work.tensor_bytes = tensor_bytes(&r);
  r.work.form = form_of(&r);
  TileCost cost = tile_cost_kernel(space->target, &r.work);
  add_cost(out_cost, &cost, r.work.form);
  int64_t registers = registers_of(&r.work);
  if (registers > out_cost->num_registers)
    out_cost->num_registers = registers;
  if (r.work.block.smem_bytes > out_cost->smem_bytes)
    out_cost->smem_bytes = r.work.block.smem_bytes;
  out_cost->num_blocks += r.work.num_blocks;
  if (!out_cost->reason)
    out_cost->reason = reason_of(&r, registers);
  tile_arena_deinit(&arena);
}

//===-- Kernels of graphs -------------------------------------------------===//

static MlirWalkResult find_product(MlirOperation op, void *user_data) {
  MlirOperation *found = user_data;
  if (mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
          op, TILE_STR(TILE_PRODUCT_ATTR))))
    return MlirWalkResultAdvance;
  *found = op;
  return MlirWalkResultInterrupt;
}

// The value of an entry that has this name after its dot, or `otherwise`.
static int64_t entry_of(const TuneSpace *space, MlirOperation function,
                        const char *attr, int entry, const int64_t *values) {
  for (size_t i = 0; i < space->num_choices; i++) {
    const TuneChoice *choice = &space->choices[i];
    if (choice->kind == TUNE_ENTRY && choice->entry == entry &&
        mlirOperationEqual(choice->owner, function) &&
        !strcmp(choice->attr, attr))
      return values[i];
  }
  MlirAttribute sizes =
      mlirOperationGetDiscardableAttributeByName(function, tile_str(attr));
  if (mlirAttributeIsNull(sizes))
    return 1;
  return mlirAttributeIsAInteger(sizes)
             ? mlirIntegerAttrGetValueInt(sizes)
             : mlirDenseI64ArrayGetElement(sizes, entry);
}

static int64_t known(int64_t extent) {
  enum { UNKNOWN_EXTENT = 4096 }; // as the sizes of kernels have it
  return extent < 0 ? UNKNOWN_EXTENT : extent;
}

// Rows and columns are the first and the last loop of more than one element.
static void read_graph_product(const TuneSpace *space, MlirOperation function,
                               const TileNest *nest, const int64_t *values,
                               TileCostWork *work) {
  MlirAttribute sizes = mlirOperationGetDiscardableAttributeByName(
      function, TILE_STR(TILE_BLOCK_ATTR));
  int64_t blocks = 1, depth = 1, step = 1;
  int bits = tile_elem_bits(mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetOperand(nest->op, 0))));
  work->m = work->n = 1;
  for (int i = 0; i < mlirDenseArrayGetNumElements(sizes); i++) {
    int64_t size = entry_of(space, function, TILE_BLOCK_ATTR, i, values);
    if (size <= 1)
      continue;
    if (work->m == 1)
      work->m = size;
    else
      work->n = size;
  }
  for (int l = 0; l < nest->num_loops; l++) {
    int64_t extent = known(nest->extent[l]);
    int64_t size = l == nest->m ? work->m : l == nest->n ? work->n : 1;
    if (nest->is_reduced[l])
      depth *= extent;
    else
      blocks *= (extent + size - 1) / size;
    if (l == nest->k)
      step = entry_of(space, function, TILE_LOOP_ATTR, l, values);
  }
  int64_t factor_bytes = (work->m + work->n) * bits / 8;
  work->num_blocks = blocks;
  work->stages = entry_of(space, function, TILE_STAGES_ATTR, 0, values);
  work->num_rounds = (depth + step - 1) / (step > 0 ? step : 1);
  work->multiply_adds = (double)work->m * (double)work->n * (double)depth;
  work->multiply_bits = bits;
  work->round_bytes = (double)(factor_bytes * step);
  work->loop_bytes = (double)factor_bytes * (double)depth;
  work->end_bytes = (double)(work->m * work->n * bits / 8);
  work->store_bytes = (int64_t)work->end_bytes;
  work->block = (TileCostBlock){
      .num_threads = entry_of(space, function, TILE_THREADS_ATTR, 0, values),
      .smem_bytes = work->stages * factor_bytes * step,
      .num_fragment_bits = work->m * work->n * 32};
}

static void add_graph_product(TuneSpace *space, MlirOperation function,
                              const int64_t *values, TileTuningCost *out) {
  MlirOperation op = TILE_NULL_OP;
  TileNest nest;
  TileCostWork work = {.form = TILE_COST_BLOCKS};
  mlirOperationWalk(function, find_product, &op, MlirWalkPreOrder);
  if (!op.ptr || !tile_nest_of(op, &nest) || nest.kind != TILE_NEST_PRODUCT)
    return;
  read_graph_product(space, function, &nest, values, &work);
  work.form = chosen_form(space->target, &work,
                          nest.extent[nest.m] >= 0 && nest.extent[nest.n] >= 0);
  TileCost cost = tile_cost_kernel(space->target, &work);
  add_cost(out, &cost, work.form);
  int64_t registers = registers_of(&work);
  if (registers > out->num_registers)
    out->num_registers = registers;
  if (work.block.smem_bytes > out->smem_bytes)
    out->smem_bytes = work.block.smem_bytes;
  out->num_blocks += work.num_blocks;
  if (!out->reason && work.block.smem_bytes > space->target->max_smem_bytes)
    out->reason = "too much shared memory";
  if (!out->reason && registers > space->target->max_thread_registers)
    out->reason = "too many registers";
}

static void add_graph(TuneSpace *space, const int64_t *values,
                      TileTuningCost *out_cost) {
  MlirOperation last = TILE_NULL_OP;
  for (size_t i = 0; i < space->num_choices; i++) {
    const TuneChoice *choice = &space->choices[i];
    if (choice->kind != TUNE_ENTRY || mlirOperationEqual(choice->owner, last))
      continue;
    last = choice->owner;
    add_graph_product(space, last, values, out_cost);
  }
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  TuneSpace *space;
  const int64_t *values;
  const TileTuningArg *args;
  size_t num_args;
  TileTuningCost *cost;
} Estimate;

static MlirWalkResult estimate_launch(MlirOperation op, void *user_data) {
  Estimate *e = user_data;
  if (!gpu_launch_is(op))
    return MlirWalkResultAdvance;
  add_launch(e->space, op, e->values, e->args, e->num_args, e->cost);
  return MlirWalkResultSkip;
}

void tune_cost(TuneSpace *space, const int64_t *values,
               const TileTuningArg *args, size_t num_args,
               TileTuningCost *out_cost) {
  Estimate e = {space, values, args, num_args, out_cost};
  *out_cost = (TileTuningCost){.bound = "", .form = "", .reason = NULL};
  mlirOperationWalk(space->function, estimate_launch, &e, MlirWalkPreOrder);
  add_graph(space, values, out_cost);
}

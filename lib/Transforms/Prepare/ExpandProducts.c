//===- ExpandProducts.c - Products that no matrix instruction takes -------===//
//
// Consumes: `tile.gemm` of rank 3, and those whose types or extents no matrix
//           instruction has, whatever the number of warps; the target.
// Produces: a product of rank 2 for each of a batch, on windows; a product of
//           tiles with pads, with a remark (ProductPads.c); where that is no
//           better, an element loop over C whose elements add up along K, with
//           a remark. Its factors in registers are copied to shared tiles
//           first.
// Keeps:    products that a matrix instruction takes, or would with other warps
//           or another policy: `tile-instruction-annotation` says which. Those
//           with an instruction of the user's, sparse ones.
// Fails:    never.
// Method:   early, so that later passes know products of rank 2 and element
// loops
//           only. Idempotent: what it consumes is gone.
//
//===----------------------------------------------------------------------===//

#include "ElementSides.h"
#include "ProductPads.h"

#include "Analysis/Instructions/Instructions.h"
#include "Analysis/Loops/Loops.h"
#include "Dialect/Products.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Tile/Ops/math.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Which products ----------------------------------------------------===//

static TileShape shape_of(MlirValue tile) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  return shape;
}

// Whether no number of warps would help.
static bool has_no_instruction(const TileProduct *product,
                               const TileTarget *target) {
  TileShape a = shape_of(product->a), c = shape_of(product->c);
  int lead = c.rank - 2;
  int bits = tile_elem_bits(a.element);
  int64_t k = a.extent[lead + !product->transpose_a];
  return mlirTypeIsAF64(a.element) || c.extent[lead] % target->mma.m != 0 ||
         c.extent[lead + 1] % target->mma.n != 0 ||
         k % (target->mma.k_bytes * 8 / bits) != 0;
}

//===-- Shared factors ----------------------------------------------------===//

// The factor itself, or a shared tile with the same elements; of a window where
// a tile is needed, too.
static MlirValue in_memory(TileBuilder *b, MlirValue factor, bool needs_tile) {
  TileShape shape = shape_of(factor);
  bool is_tile = mlirTypeIsAMemRef(mlirValueGetType(factor));
  if (shape.space != TILE_SPACE_FRAGMENT && (is_tile || !needs_tile))
    return factor;
  MlirType type = mlirMemRefTypeContiguousGet(
      shape.element, shape.rank, shape.extent,
      tile_space_attr(tile_builder_context(b), TILE_SPACE_SHARED));
  MlirValue scratch = tile_alloc(b, .type = type);
  tile_copy(b, .src = factor, .dst = scratch);
  return scratch;
}

//===-- Element loops -----------------------------------------------------===//

typedef struct {
  TileBuilder *b;
  const TileProduct *product;
  MlirValue a, b_factor; // in memory
  MlirType sum;          // in which elements add up
} Software;

// Element (x, y) of a factor, x and y exchanged where it is stored so.
static MlirValue factor_at(const Software *s, MlirValue factor, MlirValue batch,
                           MlirValue x, MlirValue y, bool is_transposed) {
  MlirValue at[3] = {batch, is_transposed ? y : x, is_transposed ? x : y};
  ElementSide side;
  element_side_build(s->b, factor, batch.ptr ? at : at + 1, &side);
  return element_convert(s->b, element_side_read(s->b, &side), s->sum);
}

static MlirValue multiply_add(const Software *s, MlirValue x, MlirValue y,
                              MlirValue sum) {
  if (tile_elem_is_float(s->sum))
    return math_fma(s->b, .a = x, .b = y, .c = sum);
  return arith_addi(s->b, sum, arith_muli(s->b, x, y));
}

// The sum along K, from `begin` on.
static MlirValue add_up(const Software *s, MlirValue batch, MlirValue i,
                        MlirValue j, MlirValue begin) {
  TileBuilder *b = s->b;
  TileShape a = shape_of(s->product->a);
  int64_t extent = a.extent[a.rank - 2 + !s->product->transpose_a];
  MlirBlock outer = mlirRewriterBaseGetInsertionBlock(b->rw);
  MlirRegion body = element_region_begin(b, 1);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue k = mlirBlockGetArgument(block, 0);
  MlirValue sum = mlirBlockAddArgument(block, s->sum, b->loc);
  MlirValue x = factor_at(s, s->a, batch, i, k, s->product->transpose_a);
  MlirValue y = factor_at(s, s->b_factor, batch, k, j, s->product->transpose_b);
  MlirValue next = multiply_add(s, x, y, sum);
  scf_yield_op(b, {&next, 1});
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, outer);
  ScfForOp loop = scf_for_op(
      b, .type = {&s->sum, 1}, .lowerBound = tile_const_index(b, 0),
      .upperBound = tile_const_index(b, extent), .step = tile_const_index(b, 1),
      .initArgs = {&begin, 1}, .region = body);
  return mlirOperationGetResult(loop.op, 0);
}

static void expand_to_loop(TileBuilder *b, const TileProduct *product) {
  TileShape c = shape_of(product->c);
  Software s = {b, product, in_memory(b, product->a, false),
                in_memory(b, product->b, false),
                tile_accumulator_type(c.element, c.element)};
  MlirRegion body = element_region_begin(b, c.rank);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue at[TILE_MAX_RANK], batch = {NULL};
  for (int d = 0; d < c.rank; d++)
    at[d] = mlirBlockGetArgument(block, d);
  if (c.rank == 3)
    batch = at[0];
  ElementSide side;
  element_side_build(b, product->c, at, &side);
  MlirValue begin = element_convert(b, element_side_read(b, &side), s.sum);
  if (product->clear.ptr)
    begin = arith_select(b, product->clear, tile_const_zero(b, s.sum), begin);
  MlirValue sum = add_up(&s, batch, at[c.rank - 2], at[c.rank - 1], begin);
  element_side_write(b, &side, element_convert(b, sum, side.element));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, product->op);
  tile_parallel_op(b, .extents = {c.extent, c.rank}, .body = body);
  tile_emit_remark(
      product->op, "tile-product/elements",
      "adds up each element of its own, with no matrix "
      "instruction: those take M x N of 16 x 8, K of 32 bytes, and "
      "no f64");
}

//===-- Batches -----------------------------------------------------------===//

// Matrix `number` of a batch.
static MlirValue matrix_of(TileBuilder *b, MlirValue batch, int64_t number) {
  TileShape shape = shape_of(batch);
  int64_t offsets[3] = {number, 0, 0}, dropped = 0;
  int64_t sizes[3] = {1, shape.extent[1], shape.extent[2]};
  return tile_region(b, .source = batch, .static_offsets = {offsets, 3},
                     .static_sizes = {sizes, 3}, .dropped = {&dropped, 1});
}

// A fragment for each product of the batch: registers that are a window of C
// where its layout has one, and copied where not.
static void expand_batch(TileBuilder *b, const TileProduct *product) {
  TileShape c = shape_of(product->c);
  MlirValue a = in_memory(b, product->a, true);
  MlirValue right = in_memory(b, product->b, true);
  MlirType type = mlirMemRefTypeContiguousGet(
      c.element, 2, c.extent + 1,
      tile_space_attr(tile_builder_context(b), TILE_SPACE_FRAGMENT));
  for (int64_t i = 0; i < c.extent[0]; i++) {
    MlirValue sum = tile_alloc(b, .type = type);
    MlirValue window = matrix_of(b, product->c, i);
    tile_copy(b, .src = window, .dst = sum);
    TileGemmOp gemm = tile_gemm_op(
        b, .a = matrix_of(b, a, i), .b = matrix_of(b, right, i), .c = sum,
        .clear = product->clear, .transpose_a = product->transpose_a,
        .transpose_b = product->transpose_b);
    TileGemmOp whole = tile_gemm_cast(product->op);
    tile_gemm_set_policy_attr(gemm, tile_gemm_policy_attr(whole));
    if (!mlirAttributeIsNull(tile_gemm_precision_attr(whole)))
      tile_gemm_set_precision_attr(gemm, tile_gemm_precision_attr(whole));
    tile_copy(b, .src = sum, .dst = window);
  }
}

//===-- Entry -------------------------------------------------------------===//

typedef struct {
  const TileTarget *target;
  int64_t kernel_threads;
  TileOpList ops;
  ProductPads *padded; // some of them
  int num_padded;
  ProductSums *sums;
} Plan;

static bool is_consumed(const Plan *plan, MlirOperation op) {
  TileProduct product;
  return tile_gemm_is(op) && tile_product_of(op, &product) &&
         !product.has_instr && !product.is_async &&
         mlirTypeIsAMemRef(mlirValueGetType(product.c)) &&
         (shape_of(product.c).rank == 3 ||
          has_no_instruction(&product, plan->target));
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (is_consumed(plan, op))
    tile_op_list_add(&plan->ops, op);
  return MlirWalkResultAdvance;
}

// Tiles with pads get a part of shared memory, the first products first: rings
// and what the kernel has itself need the rest.
static void find_padded(Plan *plan) {
  int64_t left_bytes = plan->target->max_smem_bytes * 3 / 8;
  plan->padded =
      TILE_ARENA_NEW(plan->ops.arena, ProductPads, plan->ops.count + 1);
  for (size_t i = 0; i < plan->ops.count; i++) {
    TileProduct product;
    tile_product_of(plan->ops.items[i], &product);
    if (has_no_instruction(&product, plan->target) &&
        product_pads_solve(
            &product, plan->target,
            tile_op_num_threads(plan->ops.items[i], plan->kernel_threads),
            left_bytes, &plan->padded[plan->num_padded]))
      left_bytes -= plan->padded[plan->num_padded++].size_bytes;
  }
  product_pads_place(plan->padded, plan->num_padded);
}

static const ProductPads *pads_of(const Plan *plan, MlirOperation op) {
  for (int i = 0; i < plan->num_padded; i++)
    if (mlirOperationEqual(plan->padded[i].op, op))
      return &plan->padded[i];
  return NULL;
}

static void expand(TileBuilder *b, Plan *plan, MlirOperation op) {
  TileProduct product;
  const ProductPads *pads = pads_of(plan, op);
  tile_product_of(op, &product);
  element_rewrite_at(b, op);
  if (pads)
    product_pads_apply(plan->ops.arena, b, &product, pads, &plan->sums);
  else if (has_no_instruction(&product, plan->target))
    expand_to_loop(b, &product);
  else
    expand_batch(b, &product);
  mlirRewriterBaseEraseOp(b->rw, op);
}

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileKernelRun *run = user_data;
  Plan plan = {.ops.arena = &run->arena,
               .kernel_threads = tile_kernel_num_threads(kernel)};
  if (tile_failed(
          tile_target_resolve(kernel, run->target_option, &plan.target)))
    return tile_failure();
  mlirOperationWalk(kernel, plan_visit, &plan, MlirWalkPreOrder);
  find_padded(&plan);
  TileBuilder b = element_rewrite_begin(kernel);
  for (size_t i = 0; i < plan.ops.count; i++)
    expand(&b, &plan, plan.ops.items[i]);
  mlirIRRewriterDestroy(b.rw);
  return tile_success();
}

MlirLogicalResult
tile_expand_products_run(MlirOperation op,
                         const TileExpandProductsOptions *options) {
  return tile_kernels_visit_for_target(op, visit_kernel, options->target);
}

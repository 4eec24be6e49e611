//===- ExpandProducts.c - Products that no matrix instruction takes -------===//
//
// Consumes: `tile.gemm` of rank 3, and those whose types or extents no matrix
//           instruction has, whatever the number of warps; the target.
// Produces: a product of rank 2 for each of a batch, on windows; a product of
//           tiles with pads, with a remark; where that is no better, an
//           element loop over C whose elements add up along K, with a remark.
//           Its factors in registers are copied to shared tiles first.
// Keeps:    products that a matrix instruction takes, or would with other warps
//           or another policy: `tile-instruction-annotation` says which. Those
//           with an instruction of the user's, sparse ones.
// Fails:    never.
// Method:   early, so that later passes know products of rank 2 and element
//           loops only. Idempotent: what it consumes is gone.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Index/Index.h"
#include "Analysis/Instructions/Instructions.h"
#include "Analysis/Loops/Loops.h"
#include "Dialect/Products.h"
#include "ElementSides.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Target/Target.h"
#include "Tile/Ops/math.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Products that are padded to an instruction ------------------------===//

// A factor that is too small is copied to the corner of a shared tile that
// holds zeros elsewhere, once filled; what the pads of one factor are
// multiplied by are zeros, or rows and columns of C that nobody reads. C is the
// corner of a fragment: it goes there before the largest loop in which only
// such products use it, and comes back after it.

// A product that is padded.
typedef struct {
  MlirOperation op;
  int64_t m, n, k;    // what a matrix instruction and all warps take
  int64_t size_bytes; // of shared tiles with pads
  MlirOperation home; // product_pads_place: around it C has pads
} ProductPads;

// Sums that products of one kernel pad alike. In the arena of the run.
typedef struct ProductSums ProductSums;

//===-- Does it pay? ------------------------------------------------------===//

static TileShape shape_of(MlirValue tile) {
  TileShape shape;
  tile_shape_of(tile, &shape);
  return shape;
}

static int64_t k_of(const TileProduct *product) {
  return shape_of(product->a).extent[!product->transpose_a];
}

static int64_t round_up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

// The smallest C that the warps can share under the policy.
static void share_of_warps(const TileProduct *product, const TileTarget *target,
                           int64_t num_warps, ProductPads *out) {
  TileShape c = shape_of(product->c);
  *out = (ProductPads){.op = product->op};
  for (int64_t rows = 1; rows <= num_warps; rows++) {
    int64_t cols = num_warps / rows;
    if (num_warps % rows ||
        (product->policy == TILE_WARP_POLICY_FullRow && cols != 1) ||
        (product->policy == TILE_WARP_POLICY_FullCol && rows != 1))
      continue;
    int64_t m = round_up(c.extent[0], rows * target->mma.m);
    int64_t n = round_up(c.extent[1], cols * target->mma.n);
    if (!out->m || m * n < out->m * out->n)
      out->m = m, out->n = n;
  }
}

static bool is_smaller(MlirValue tile, int64_t rows, int64_t columns) {
  TileShape shape = shape_of(tile);
  return shape.extent[0] != rows || shape.extent[1] != columns;
}

// Extents as the factor is stored.
typedef struct {
  int64_t extent[2];
} Extents;

static Extents extents_of(int64_t x, int64_t y, bool is_transposed) {
  return is_transposed ? (Extents){{y, x}} : (Extents){{x, y}};
}

static int64_t scratch_bytes(MlirValue factor, Extents to) {
  return is_smaller(factor, to.extent[0], to.extent[1])
             ? to.extent[0] * to.extent[1] *
                   tile_elem_bits(shape_of(factor).element) / 8
             : 0;
}

// Whether a product of rank 2 is better off padded than as an element loop of
// `num_threads` threads, with shared tiles of at most `max_bytes`; the extents
// then.
static bool product_pads_solve(const TileProduct *product,
                               const TileTarget *target, int64_t num_threads,
                               int64_t max_bytes, ProductPads *out) {
  // An element loop takes about 40 cycles for a step, a padded product 1000 at
  // least: copies, and threads that meet twice.
  enum { WARP_THREADS = 32, MIN_STEPS = 24 };
  TileShape a = shape_of(product->a), c = shape_of(product->c);
  int bits = tile_elem_bits(a.element);
  if (c.rank != 2 || num_threads <= 0 || num_threads % WARP_THREADS)
    return false;
  int64_t k = k_of(product);
  int64_t steps =
      (c.extent[0] * c.extent[1] + num_threads - 1) / num_threads * k;
  share_of_warps(product, target, num_threads / WARP_THREADS, out);
  out->k = round_up(k, target->mma.k_bytes * 8 / bits);
  out->size_bytes =
      scratch_bytes(product->a,
                    extents_of(out->m, out->k, product->transpose_a)) +
      scratch_bytes(product->b,
                    extents_of(out->k, out->n, product->transpose_b));
  return steps >= MIN_STEPS && out->size_bytes <= max_bytes;
}

//===-- Places ------------------------------------------------------------===//

static const ProductPads *find_pads(MlirOperation op, const ProductPads *pads,
                                    int count) {
  for (int i = 0; i < count; i++)
    if (mlirOperationEqual(pads[i].op, op))
      return &pads[i];
  return NULL;
}

// Whether all that uses the tile inside `loop` are these products, with these
// extents, and no window or view of it is about.
static bool is_theirs(MlirValue tile, MlirOperation loop,
                      const ProductPads *first, const ProductPads *pads,
                      int num_pads) {
  for (MlirOpOperand use = mlirValueGetFirstUse(tile);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (tile_is_name_op(op))
      return false;
    if (!tile_op_is_inside(op, loop))
      continue;
    const ProductPads *other = find_pads(op, pads, num_pads);
    if (!other || other->m != first->m || other->n != first->n)
      return false;
  }
  return true;
}

static MlirOperation home_of(const ProductPads *product,
                             const ProductPads *pads, int num_pads) {
  MlirValue c = tile_gemm_c(tile_gemm_cast(product->op));
  MlirOperation home = product->op, end = element_statement_of(product->op);
  for (MlirOperation op = home; !mlirOperationEqual(op, end);) {
    op = mlirOperationGetParentOperation(op);
    if (tile_value_is_inside(c, op) ||
        !is_theirs(c, op, product, pads, num_pads))
      break;
    if (scf_for_is(op) || scf_while_is(op))
      home = op;
  }
  return home;
}

// Where C goes to its pads and comes back: around the largest loop in which
// only these products use it. To be asked before anything is changed.
static void product_pads_place(ProductPads *pads, int num_pads) {
  for (int i = 0; i < num_pads; i++)
    pads[i].home = home_of(&pads[i], pads, num_pads);
}

//===-- Tiles with pads ---------------------------------------------------===//

static MlirValue build_tile(TileBuilder *b, MlirType element, Extents extents,
                            TileSpace space) {
  MlirType type = mlirMemRefTypeContiguousGet(
      element, 2, extents.extent,
      tile_space_attr(tile_builder_context(b), space));
  MlirValue tile = tile_alloc(b, .type = type);
  tile_fill(b, .dst = tile, .value = tile_const_zero(b, element));
  return tile;
}

// The corner of the shape of `tile`.
static MlirValue corner_of(TileBuilder *b, MlirValue padded, MlirValue tile) {
  TileShape shape = shape_of(tile);
  int64_t offsets[2] = {0, 0};
  return tile_region(b, .source = padded, .static_offsets = {offsets, 2},
                     .static_sizes = {shape.extent, 2});
}

static MlirValue pad_factor(TileBuilder *b, MlirOperation op, MlirValue factor,
                            Extents to) {
  if (!is_smaller(factor, to.extent[0], to.extent[1]))
    return factor;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, element_statement_of(op));
  MlirValue padded =
      build_tile(b, shape_of(factor).element, to, TILE_SPACE_SHARED);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  tile_copy(b, .src = factor, .dst = corner_of(b, padded, factor));
  return padded;
}

//===-- Sums --------------------------------------------------------------===//

struct ProductSums {
  ProductSums *next;
  MlirValue c, padded;
  MlirOperation home;
  int64_t m, n;
};

static MlirValue pad_sum(TileArena *arena, TileBuilder *b,
                         const TileProduct *product, const ProductPads *pads,
                         ProductSums **sums) {
  MlirOperation home = pads->home;
  if (!is_smaller(product->c, pads->m, pads->n))
    return product->c;
  for (ProductSums *sum = *sums; sum; sum = sum->next)
    if (mlirValueEqual(sum->c, product->c) && sum->m == pads->m &&
        sum->n == pads->n && mlirOperationEqual(sum->home, home))
      return sum->padded;
  ProductSums *sum = TILE_ARENA_NEW(arena, ProductSums, 1);
  *sum = (ProductSums){*sums, product->c, {NULL}, home, pads->m, pads->n};
  *sums = sum;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, home);
  sum->padded = build_tile(b, shape_of(product->c).element,
                           (Extents){{pads->m, pads->n}}, TILE_SPACE_FRAGMENT);
  MlirValue corner = corner_of(b, sum->padded, product->c);
  tile_copy(b, .src = product->c, .dst = corner);
  mlirRewriterBaseSetInsertionPointAfter(b->rw, home);
  tile_copy(b, .src = corner, .dst = product->c);
  return sum->padded;
}

//===-- Entry -------------------------------------------------------------===//

// Replaces the product, but for erasing it. `sums` is a list, null at first.
static void product_pads_apply(TileArena *arena, TileBuilder *b,
                               const TileProduct *product,
                               const ProductPads *pads, ProductSums **sums) {
  TileShape c = shape_of(product->c);
  MlirOperation op = product->op;
  MlirValue sum = pad_sum(arena, b, product, pads, sums);
  MlirValue left = pad_factor(
      b, op, product->a, extents_of(pads->m, pads->k, product->transpose_a));
  MlirValue right = pad_factor(
      b, op, product->b, extents_of(pads->k, pads->n, product->transpose_b));
  tile_emit_remark(op, "tile-product/padded",
                   "is padded from %lld x %lld x %lld to %lld x %lld x %lld, "
                   "M x N x K, which a matrix instruction and all warps take",
                   (long long)c.extent[0], (long long)c.extent[1],
                   (long long)k_of(product), (long long)pads->m,
                   (long long)pads->n, (long long)pads->k);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  TileGemmOp whole = tile_gemm_cast(op);
  TileGemmOp gemm = tile_gemm_op(
      b, .a = left, .b = right, .c = sum, .clear = product->clear,
      .transpose_a = product->transpose_a, .transpose_b = product->transpose_b);
  tile_gemm_set_policy_attr(gemm, tile_gemm_policy_attr(whole));
  if (!mlirAttributeIsNull(tile_gemm_precision_attr(whole)))
    tile_gemm_set_precision_attr(gemm, tile_gemm_precision_attr(whole));
}

//===-- Which products ----------------------------------------------------===//

// Whether no number of warps would help.
static bool has_no_instruction(const TileProduct *product,
                               const TileTarget *target) {
  TileShape a = shape_of(product->a), c = shape_of(product->c);
  int lead = c.rank - 2;
  int bits = tile_elem_bits(a.element);
  int64_t k = a.extent[lead + !product->transpose_a];
  return c.extent[lead] % target->mma.m != 0 ||
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
  MlirValue zero = tile_const_index(b, 0);
  MlirValue end = tile_const_index(b, extent);
  ScfForOp loop = scf_for_op(b, .type = {&s->sum, 1}, .lowerBound = zero,
                             .upperBound = end, .step = tile_const_index(b, 1),
                             .initArgs = {&begin, 1}, .region = body);
  return mlirOperationGetResult(loop.op, 0);
}

static void expand_to_loop(TileBuilder *b, const TileProduct *product) {
  TileShape c = shape_of(product->c);
  MlirValue memory_a = in_memory(b, product->a, false);
  Software s = {b, product, memory_a, in_memory(b, product->b, false),
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
  tile_emit_remark(product->op, "tile-product/elements",
                   "adds up each element of its own, with no matrix "
                   "instruction: those take M x N of 16 x 8 and K of 32 bytes");
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
    MlirValue matrix_a = matrix_of(b, a, i);
    TileGemmOp gemm = tile_gemm_op(
        b, .a = matrix_a, .b = matrix_of(b, right, i), .c = sum,
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

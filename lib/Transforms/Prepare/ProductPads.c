//===- ProductPads.c - Products that are padded to an instruction ---------===//
//
// A factor that is too small is copied to the corner of a shared tile that
// holds zeros elsewhere, once filled; what the pads of one factor are
// multiplied by are zeros, or rows and columns of C that nobody reads. C is the
// corner of a fragment: it goes there before the largest loop in which only
// such products use it, and comes back after it.
//
//===----------------------------------------------------------------------===//

#include "ProductPads.h"

#include "Analysis/Index/Index.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/scf.h"

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

bool product_pads_solve(const TileProduct *product, const TileTarget *target,
                        int64_t num_threads, int64_t max_bytes,
                        ProductPads *out) {
  // An element loop takes about 40 cycles for a step, a padded product 1000 at
  // least: copies, and threads that meet twice.
  enum { WARP_THREADS = 32, MIN_STEPS = 24 };
  TileShape a = shape_of(product->a), c = shape_of(product->c);
  int bits = tile_elem_bits(a.element);
  if (c.rank != 2 || mlirTypeIsAF64(a.element) || num_threads <= 0 ||
      num_threads % WARP_THREADS)
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

// The statement of the kernel or role that `op` is, or is in.
static MlirOperation statement_of(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (!tile_kernel_is(parent) && !tile_role_is(parent)) {
    op = parent;
    parent = mlirOperationGetParentOperation(op);
  }
  return op;
}

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
    if (tile_region_is(op) || tile_view_is(op))
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
  MlirOperation home = product->op, end = statement_of(product->op);
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

void product_pads_place(ProductPads *pads, int num_pads) {
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
  mlirRewriterBaseSetInsertionPointBefore(b->rw, statement_of(op));
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

void product_pads_apply(TileArena *arena, TileBuilder *b,
                        const TileProduct *product, const ProductPads *pads,
                        ProductSums **sums) {
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

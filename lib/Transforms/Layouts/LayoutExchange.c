//===- LayoutExchange.c - Copies that move elements between threads -------===//
//
// Part of layout inference: what an inferred layout costs is explicit in the
// IR, so that packing and synchronisation see the scratch tile.
//
//===----------------------------------------------------------------------===//

#include "LayoutExchange.h"

#include "Dialect/Products.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"

enum { LAYOUT_TEXT_CAPACITY = 2048 };

typedef struct {
  MlirType type;                     // of the scratch tile
  char layout[LAYOUT_TEXT_CAPACITY]; // of the scratch tile
  int64_t cost;                      // quarter cycles, all warps
} Exchange;

static MlirType scratch_type(MlirContext context, const TileShape *shape) {
  return mlirMemRefTypeContiguousGet(
      shape->element, shape->rank, shape->extent,
      tile_space_attr(context, TILE_SPACE_SHARED));
}

// Whether a product has `buffer` as its accumulator, or as a factor.
static bool is_in_product(MlirValue buffer, bool as_accumulator) {
  enum { ACCUMULATOR = 2 };
  TileProduct product;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!tile_product_of(op, &product))
      continue;
    bool is_accumulator = (int)mlirOpOperandGetOperandNumber(use) ==
                          tile_product_operand(op, ACCUMULATOR);
    if (is_accumulator == as_accumulator)
      return true;
  }
  return false;
}

// From the accumulator of a product to a factor of another: inference saw to it
// that the elements stay in their warps, where that is possible.
static bool stays_in_warp(MlirValue src, MlirValue dst) {
  return is_in_product(src, true) && is_in_product(dst, false);
}

// Whether elements move between warps, or shared memory is the shorter way.
static bool takes_shared(const TileLayout *from, const TileLayout *to, int bits,
                         bool in_warp, TileLayoutConversion *out_conversion) {
  TileReason error;
  if (in_warp) {
    TileLayoutReach reach =
        tile_layout_plan_route(from, to, bits, out_conversion, &error);
    if (reach == TILE_LAYOUT_REACH_THREAD || reach == TILE_LAYOUT_REACH_WARP)
      return false;
  }
  return !tile_layout_plan_conversion(from, to, bits, out_conversion, &error) ||
         out_conversion->kind == TILE_LAYOUT_CONV_SHARED;
}

static void remark_in_warp(TileCopyOp copy,
                           const TileLayoutConversion *conversion) {
  if (conversion->cost)
    tile_emit_remark(copy.op, "tile-layout/convert",
                     "converts between layouts by %s: about %lld cycles",
                     tile_layout_conv_name(conversion->kind),
                     (long long)conversion->cost / 4);
}

// Where no layouts say it: stores of 32 elements at once, and loads by so many
// threads for each element.
static int64_t estimate_cost(const TileShape *shape, int64_t num_readers) {
  enum { LANES = 32, NUM_BARRIERS = 2 };
  int64_t stores = (tile_shape_num_elems(shape) + LANES - 1) / LANES;
  return stores * (1 + num_readers) * TILE_LAYOUT_COST_WAVE +
         NUM_BARRIERS * TILE_LAYOUT_COST_BAR;
}

// Whether the copy needs an exchange, and how. Between fragments the staging
// layout is the one that the conversion costs least with.
static bool plan_exchange(TileCopyOp copy, int64_t num_threads, Exchange *out) {
  TileShape src, dst;
  TileLayout from, to;
  TileReason error;
  TileLayoutConversion conversion;
  if (!tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(tile_copy_dst(copy), &dst) ||
      src.space != TILE_SPACE_FRAGMENT)
    return false;
  out->type = scratch_type(mlirOperationGetContext(copy.op), &src);
  bool is_private = dst.space == TILE_SPACE_PRIVATE; // each thread reads all
  out->cost = estimate_cost(&src, is_private ? num_threads : 1);
  snprintf(out->layout, sizeof out->layout, "linear");
  if (is_private)
    return true;
  if (dst.space != TILE_SPACE_FRAGMENT)
    return false;
  if (!tile_is_whole(tile_copy_src(copy)) ||
      !tile_is_whole(tile_copy_dst(copy)))
    return true;
  MlirValue src_base = tile_buffer_of(tile_copy_src(copy)).base,
            dst_base = tile_buffer_of(tile_copy_dst(copy)).base;
  if (!tile_layout_of_tile(src_base, &from, &error) ||
      !tile_layout_of_tile(dst_base, &to, &error) ||
      tile_layout_equal(&from, &to))
    return false;
  int bits = tile_elem_bits(src.element);
  if (!takes_shared(&from, &to, bits, stays_in_warp(src_base, dst_base),
                    &conversion)) {
    remark_in_warp(copy, &conversion);
    return false;
  }
  if (conversion.kind == TILE_LAYOUT_CONV_SHARED) {
    tile_layout_print(&conversion.staging, bits, out->layout,
                      sizeof out->layout);
    out->cost = conversion.cost;
  }
  return true;
}

static void apply_exchange(TileCopyOp copy, const Exchange *exchange) {
  MlirContext context = mlirOperationGetContext(copy.op);
  TileBuilder b = {mlirIRRewriterCreate(context),
                   mlirOperationGetLocation(copy.op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, copy.op);
  MlirValue scratch = tile_alloc(
      &b, .type = exchange->type,
      .layout = tile_layout_attr(context, tile_str(exchange->layout)));
  tile_copy(&b, .src = tile_copy_src(copy), .dst = scratch,
            .instr = TILE_SOME(TILE_INSTR_Simt));
  tile_copy(&b, .src = scratch, .dst = tile_copy_dst(copy),
            .instr = TILE_SOME(TILE_INSTR_Simt));
  tile_emit_remark(copy.op, "tile-layout/exchange",
                   "moves elements between threads through shared memory in "
                   "layout %s: about %lld cycles",
                   exchange->layout, (long long)exchange->cost / 4);
  mlirRewriterBaseEraseOp(b.rw, copy.op);
  mlirIRRewriterDestroy(b.rw);
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  const int64_t *kernel_threads = user_data;
  Exchange exchange;
  if (!tile_copy_is(op) ||
      !plan_exchange(tile_copy_cast(op),
                     tile_op_num_threads(op, *kernel_threads), &exchange))
    return MlirWalkResultAdvance;
  apply_exchange(tile_copy_cast(op), &exchange);
  return MlirWalkResultSkip;
}

void tile_layout_exchange_copies(MlirOperation kernel) {
  int64_t num_threads = tile_kernel_num_threads(kernel);
  mlirOperationWalk(kernel, visit, &num_threads, MlirWalkPostOrder);
}

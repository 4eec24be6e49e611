//===- LayoutReductions.c - Reductions and scans through shared memory ----===//
//
// Part of layout inference: scratch tiles are explicit in the IR, so that
// packing and synchronisation see them. The rewrites, each of which leaves ops
// that need no other one or that a later one takes:
//
//   (R1) fragment, several groups of warps: partial results in a scratch tile,
//        which is reduced into the destination;
//   (R2) fragment to fragment of another layout: the same with one group;
//   (R3) fragment whose threads cannot combine along the dimension: the whole
//        fragment goes to a scratch tile;
//   (R4) long lines of a shared tile into a fragment: results in a scratch
//   tile;
//   (R5) scan of a fragment whose warps hold whole lines: into a fragment of
//        the same layout, which is copied to the destination if that has
//        another one;
//   (R6) other scans from or into a fragment: the fragment goes to a scratch
//        tile;
//   (R7) predicate of a fragment: reduced to its first dimensions, then read;
//   (R8) update that gives a fragment of old elements, which several threads
//        hold, or others than update them: they pass a scratch tile.
//
//===----------------------------------------------------------------------===//

#include "LayoutReductions.h"

#include "Dialect/TileCombine.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Layout/LayoutReduce.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"

// Loads per thread beyond which a run of lanes reads a line instead.
enum { MAX_DIRECT_LOADS = 256 };

typedef struct {
  TileArena *arena;
  TileBuilder b;
} Rewrite;

//===-- Scratch tiles -----------------------------------------------------===//

static MlirValue build_scratch(Rewrite *rewrite, const TileShape *shape,
                               MlirType element) {
  MlirContext context = tile_builder_context(&rewrite->b);
  MlirType type =
      mlirMemRefTypeContiguousGet(element, shape->rank, shape->extent,
                                  tile_space_attr(context, TILE_SPACE_SHARED));
  return tile_alloc(&rewrite->b, .type = type,
                    .layout = tile_layout_attr(context, TILE_STR("linear")));
}

static int64_t scratch_bytes(MlirValue scratch) {
  TileShape shape;
  tile_shape_of(scratch, &shape);
  return tile_shape_num_elems(&shape) * tile_elem_bits(shape.element) / 8;
}

static void copy_tile(Rewrite *rewrite, MlirValue src, MlirValue dst) {
  tile_copy(&rewrite->b, .src = src, .dst = dst,
            .instr = TILE_SOME(TILE_INSTR_Simt));
}

// Writing and reading every byte once, 128 bytes per wavefront, and a barrier.
static int64_t staging_cycles(int64_t size_bytes) {
  int64_t waves = 2 * ((size_bytes + 127) / 128);
  return (waves * TILE_LAYOUT_COST_WAVE + TILE_LAYOUT_COST_BAR) / 4;
}

static void remark(MlirOperation op, const char *what, MlirValue scratch) {
  int64_t size_bytes = scratch_bytes(scratch);
  tile_emit_remark(op, "tile-layout/scratch",
                   "%s %lld bytes of shared memory: about %lld cycles", what,
                   (long long)size_bytes,
                   (long long)staging_cycles(size_bytes));
}

//===-- tile.reduce -------------------------------------------------------===//

typedef enum { DIRECT, PARTIAL, SOURCE, RESULTS } ReduceRoute;

typedef struct {
  ReduceRoute route;
  int64_t num_partials;
} ReducePlan;

static bool fragment_layout(MlirValue tile, TileLayout *out) {
  TileReason error;
  return tile_layout_of_tile(tile_buffer_of(tile).base, out, &error);
}

static ReducePlan plan_from_fragment(TileArena *arena, TileReduceOp reduce,
                                     const TileShape *dst) {
  TileLayout from, to;
  TileLayoutReduction plan;
  TileReason error;
  int dim = (int)tile_reduce_dim(reduce);
  if (!fragment_layout(tile_reduce_src(reduce), &from) ||
      !tile_layout_plan_reduction(arena, &from, dim, &plan, &error))
    return (ReducePlan){SOURCE, 1};
  bool stays = plan.num_partials == 1;
  if (stays && dst->space == TILE_SPACE_FRAGMENT)
    stays = fragment_layout(tile_reduce_dst(reduce), &to) &&
            tile_layout_reduction_stays(&from, dim, &to, 32);
  return (ReducePlan){stays ? DIRECT : PARTIAL, plan.num_partials};
}

static ReducePlan plan_from_shared(TileReduceOp reduce, const TileShape *src) {
  TileLayout to;
  if (!fragment_layout(tile_reduce_dst(reduce), &to))
    return (ReducePlan){DIRECT, 1};
  int64_t loads = tile_layout_axis_size(&to.in, TILE_LAYOUT_REG) *
                  src->extent[tile_reduce_dim(reduce)];
  bool is_long =
      src->extent[tile_reduce_dim(reduce)] > 1 && loads > MAX_DIRECT_LOADS;
  return (ReducePlan){is_long ? RESULTS : DIRECT, 1};
}

// (R1), (R2), (R4): `src` into scratch, scratch into `dst`.
static void reduce_by_results(Rewrite *rewrite, TileReduceOp reduce,
                              const TileShape *src, MlirType type,
                              int64_t num_partials) {
  TileShape shape = *src;
  int64_t dim = tile_reduce_dim(reduce);
  TileReduceKind kind = tile_reduce_kind(reduce);
  shape.extent[dim] = num_partials;
  MlirValue scratch = build_scratch(rewrite, &shape, type);
  tile_reduce(&rewrite->b, .kind = kind, .src = tile_reduce_src(reduce),
              .dst = scratch, .dim = dim, .clear = true,
              .partial = src->space == TILE_SPACE_FRAGMENT);
  tile_reduce(&rewrite->b, .kind = tile_reduce_kind_of_results(kind),
              .src = scratch, .dst = tile_reduce_dst(reduce), .dim = dim,
              .clear = tile_reduce_clear(reduce));
  remark(reduce.op,
         num_partials > 1 ? "warps hold parts of a result: combines them in"
                          : "passes its results through",
         scratch);
}

// (R3)
static void reduce_by_source(Rewrite *rewrite, TileReduceOp reduce,
                             const TileShape *src) {
  MlirValue scratch = build_scratch(rewrite, src, src->element);
  copy_tile(rewrite, tile_reduce_src(reduce), scratch);
  tile_reduce(&rewrite->b, .kind = tile_reduce_kind(reduce), .src = scratch,
              .dst = tile_reduce_dst(reduce), .dim = tile_reduce_dim(reduce),
              .clear = tile_reduce_clear(reduce));
  remark(reduce.op, "threads share lines of the fragment: it is reduced in",
         scratch);
}

static bool rewrite_reduce(Rewrite *rewrite, TileReduceOp reduce) {
  TileShape src, dst;
  if (tile_reduce_partial(reduce) ||
      !tile_shape_of(tile_reduce_src(reduce), &src) ||
      !tile_shape_of(tile_reduce_dst(reduce), &dst))
    return false;
  ReducePlan plan = {DIRECT, 1};
  if (src.space == TILE_SPACE_FRAGMENT)
    plan = plan_from_fragment(rewrite->arena, reduce, &dst);
  else if (dst.space == TILE_SPACE_FRAGMENT)
    plan = plan_from_shared(reduce, &src);
  if (plan.route == DIRECT)
    return false;
  if (plan.route == SOURCE)
    reduce_by_source(rewrite, reduce, &src);
  else
    reduce_by_results(rewrite, reduce, &src,
                      tile_accumulator_type(src.element, dst.element),
                      plan.num_partials);
  return true;
}

//===-- tile.scan ---------------------------------------------------------===//

static bool stays_in_warps(TileScanOp scan) {
  TileLayout layout;
  TileLayoutScan plan;
  TileReason error;
  MlirValue src = tile_scan_src(scan);
  return tile_is_whole(src) && fragment_layout(src, &layout) &&
         tile_layout_plan_scan(&layout, (int)tile_scan_dim(scan), &plan,
                               &error);
}

static bool has_layout_of_source(TileScanOp scan) {
  TileLayout from, to;
  MlirValue dst = tile_scan_dst(scan);
  return tile_is_whole(dst) && fragment_layout(tile_scan_src(scan), &from) &&
         fragment_layout(dst, &to) && tile_layout_equal(&from, &to);
}

// A fragment of `shape` with the layout of another one.
static MlirValue build_alike(Rewrite *rewrite, MlirValue fragment,
                             const TileShape *shape) {
  enum { TEXT_CAPACITY = 2048 };
  MlirContext context = tile_builder_context(&rewrite->b);
  TileLayout layout;
  char text[TEXT_CAPACITY];
  fragment_layout(fragment, &layout);
  tile_layout_print(&layout, tile_elem_bits(shape->element), text, sizeof text);
  MlirType type = mlirMemRefTypeContiguousGet(
      shape->element, shape->rank, shape->extent,
      tile_space_attr(context, TILE_SPACE_FRAGMENT));
  return tile_alloc(&rewrite->b, .type = type,
                    .layout = tile_layout_attr(context, tile_str(text)));
}

// (R5)
static bool rewrite_scan_of_warps(Rewrite *rewrite, TileScanOp scan,
                                  const TileShape *dst) {
  if (dst->space == TILE_SPACE_FRAGMENT && has_layout_of_source(scan))
    return false;
  MlirValue from = tile_scan_src(scan), to = build_alike(rewrite, from, dst);
  tile_scan(&rewrite->b, .kind = tile_scan_kind(scan), .src = from, .dst = to,
            .dim = tile_scan_dim(scan), .reverse = tile_scan_reverse(scan));
  copy_tile(rewrite, to, tile_scan_dst(scan));
  return true;
}

// (R5), (R6)
static bool rewrite_scan(Rewrite *rewrite, TileScanOp scan) {
  TileShape src, dst;
  MlirValue from = tile_scan_src(scan), to = tile_scan_dst(scan);
  if (!tile_shape_of(from, &src) || !tile_shape_of(to, &dst) ||
      (src.space != TILE_SPACE_FRAGMENT && dst.space != TILE_SPACE_FRAGMENT))
    return false;
  if (src.space == TILE_SPACE_FRAGMENT && stays_in_warps(scan))
    return rewrite_scan_of_warps(rewrite, scan, &dst);
  MlirValue scratch = {NULL};
  if (src.space == TILE_SPACE_FRAGMENT) {
    scratch = build_scratch(rewrite, &src, src.element);
    copy_tile(rewrite, from, scratch);
    remark(scan.op, "scans the fragment in", scratch);
    from = scratch;
  }
  if (dst.space == TILE_SPACE_FRAGMENT) {
    if (!scratch.ptr || !mlirTypeEqual(src.element, dst.element)) {
      scratch = build_scratch(rewrite, &dst, dst.element);
      remark(scan.op, "passes what it scanned through", scratch);
    }
    to = scratch;
  }
  tile_scan(&rewrite->b, .kind = tile_scan_kind(scan), .src = from, .dst = to,
            .dim = tile_scan_dim(scan), .reverse = tile_scan_reverse(scan));
  if (dst.space == TILE_SPACE_FRAGMENT)
    copy_tile(rewrite, to, tile_scan_dst(scan));
  return true;
}

//===-- tile.any_of, tile.all_of ------------------------------------------===//

// (R7)
static bool rewrite_predicate(Rewrite *rewrite, MlirOperation op) {
  TileShape mask;
  bool is_any = tile_any_of_is(op);
  if (!tile_shape_of(mlirOperationGetOperand(op, 0), &mask) ||
      mask.space != TILE_SPACE_FRAGMENT)
    return false;
  int64_t dim = mask.rank - 1;
  mask.extent[dim] = 1;
  MlirValue scratch = build_scratch(rewrite, &mask, mask.element);
  tile_reduce(&rewrite->b,
              .kind = is_any ? TILE_REDUCE_KIND_Or : TILE_REDUCE_KIND_And,
              .src = mlirOperationGetOperand(op, 0), .dst = scratch, .dim = dim,
              .clear = true);
  MlirValue result = is_any ? tile_any_of(&rewrite->b, scratch)
                            : tile_all_of(&rewrite->b, scratch);
  mlirRewriterBaseReplaceAllUsesWith(rewrite->b.rw,
                                     mlirOperationGetResult(op, 0), result);
  remark(op, "combines what threads hold in", scratch);
  return true;
}

//===-- tile.atomic -------------------------------------------------------===//

// One thread updates an element, and learns what was there.
static bool old_stays(TileAtomicOp atomic) {
  TileShape src;
  TileLayout from, to;
  if (!fragment_layout(tile_atomic_old(atomic), &to) ||
      tile_layout_replication(&to) != 1)
    return false;
  return !tile_shape_of(tile_atomic_src(atomic), &src) ||
         src.space != TILE_SPACE_FRAGMENT ||
         (fragment_layout(tile_atomic_src(atomic), &from) &&
          tile_layout_equal(&from, &to));
}

// (R8)
static bool rewrite_atomic(Rewrite *rewrite, TileAtomicOp atomic) {
  TileShape old;
  if (!tile_atomic_old(atomic).ptr ||
      !tile_shape_of(tile_atomic_old(atomic), &old) ||
      old.space != TILE_SPACE_FRAGMENT || old_stays(atomic))
    return false;
  MlirValue scratch = build_scratch(rewrite, &old, old.element);
  MlirAttribute order = tile_atomic_order_attr(atomic);
  MlirAttribute scope = tile_atomic_scope_attr(atomic);
  TileAtomicOp update = tile_atomic(
      &rewrite->b, .kind = tile_atomic_kind(atomic),
      .src = tile_atomic_src(atomic), .dst = tile_atomic_dst(atomic),
      .old = scratch, .compare = tile_atomic_compare(atomic),
      .instr = TILE_SOME(TILE_INSTR_Simt));
  if (!mlirAttributeIsNull(order))
    tile_atomic_set_order_attr(update, order);
  if (!mlirAttributeIsNull(scope))
    tile_atomic_set_scope_attr(update, scope);
  copy_tile(rewrite, scratch, tile_atomic_old(atomic));
  remark(atomic.op, "other threads need old elements: they pass", scratch);
  return true;
}

//===-- Entry -------------------------------------------------------------===//

static bool rewrite_op(Rewrite *rewrite, MlirOperation op) {
  if (tile_reduce_is(op))
    return rewrite_reduce(rewrite, tile_reduce_cast(op));
  if (tile_scan_is(op))
    return rewrite_scan(rewrite, tile_scan_cast(op));
  if (tile_any_of_is(op) || tile_all_of_is(op))
    return rewrite_predicate(rewrite, op);
  if (tile_atomic_is(op))
    return rewrite_atomic(rewrite, tile_atomic_cast(op));
  return false;
}

// The ops that a rewrite made stand before `op`: from `last_before` (null:
// the start of the block) to it they are looked at in turn, until none needs a
// rewrite. Every rewrite leaves fewer fragments or shorter lines: this ends.
static void rewrite_from(Rewrite *rewrite, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation stop = mlirOperationGetNextInBlock(op);
  while (op.ptr && !mlirOperationEqual(op, stop)) {
    MlirOperation before = {NULL};
    for (MlirOperation other = mlirBlockGetFirstOperation(block);
         !mlirOperationEqual(other, op);
         other = mlirOperationGetNextInBlock(other))
      before = other;
    rewrite->b.loc = mlirOperationGetLocation(op);
    mlirRewriterBaseSetInsertionPointBefore(rewrite->b.rw, op);
    if (!rewrite_op(rewrite, op)) {
      op = mlirOperationGetNextInBlock(op);
      continue;
    }
    mlirRewriterBaseEraseOp(rewrite->b.rw, op);
    op = before.ptr ? mlirOperationGetNextInBlock(before)
                    : mlirBlockGetFirstOperation(block);
  }
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  if (!tile_reduce_is(op) && !tile_scan_is(op) && !tile_any_of_is(op) &&
      !tile_all_of_is(op) && !tile_atomic_is(op))
    return MlirWalkResultAdvance;
  rewrite_from(user_data, op);
  return MlirWalkResultSkip;
}

void tile_layout_stage_reductions(MlirOperation kernel) {
  TileArena arena;
  tile_arena_init(&arena);
  Rewrite rewrite = {&arena,
                     {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                      mlirOperationGetLocation(kernel)}};
  mlirOperationWalk(kernel, visit, &rewrite, MlirWalkPostOrder);
  mlirIRRewriterDestroy(rewrite.b.rw);
  tile_arena_deinit(&arena);
}

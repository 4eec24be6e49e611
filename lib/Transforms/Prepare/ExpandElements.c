//===- ExpandElements.c - Ops on tiles as loops over elements -------------===//
//
// Consumes: `tile.transpose`, `tile.print` of a tile, copies from `tile.im2col`
//           to fragments, element loops that index a fragment by constants.
// Produces: `tile.parallel` instead of the first two, two copies by way of a
//           shared tile instead of the third. Windows of fragments that loops
//           name by constants become fragments of their own, copied before
//           the loop and back after it.
// Keeps:    everything else.
// Fails:    never.
// Method:   one rewrite per op. Idempotent: what it consumes is gone.
//
//===----------------------------------------------------------------------===//

#include "ElementSides.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Loops/Loops.h"
#include "Dialect/Im2col.h"
#include "Dialect/Ops.h"
#include "Support/Arena.h"
#include "Support/Constants.h"
#include "Support/Diagnostics.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/scf.h"
#include "TilePasses.h"

//===-- Plan --------------------------------------------------------------===//

typedef struct Item {
  struct Item *next; // program order
  MlirOperation op;
} Item;

typedef struct {
  TileArena *arena;
  Item *items, **tail;
} Plan;

//===-- Build -------------------------------------------------------------===//

static bool prints_tile(MlirOperation op) {
  TileAccess accesses[TILE_MAX_ACCESSES];
  return tile_print_is(op) && tile_accesses_get(op, accesses) > 0;
}

static bool gathers_fragment(MlirOperation op) {
  TileShape dst;
  return tile_copy_is(op) &&
         tile_im2col_of(tile_copy_src(tile_copy_cast(op))).op.ptr &&
         tile_shape_of(tile_copy_dst(tile_copy_cast(op)), &dst) &&
         dst.space == TILE_SPACE_FRAGMENT;
}

static MlirWalkResult plan_visit(MlirOperation op, void *user_data) {
  Plan *plan = user_data;
  if (!tile_transpose_is(op) && !gathers_fragment(op) && !prints_tile(op) &&
      !tile_parallel_is(op))
    return MlirWalkResultAdvance;
  Item *item = TILE_ARENA_NEW(plan->arena, Item, 1);
  item->op = op;
  *plan->tail = item;
  plan->tail = &item->next;
  return MlirWalkResultAdvance;
}

//===-- Apply: tile.transpose ---------------------------------------------===//

// Elements run in the order of the side in global memory, so that its rows are
// read or written together; of the destination, where there is none.
static void expand_transpose(TileBuilder *b, TileTransposeOp transpose) {
  TileShape src, dst;
  tile_shape_of(tile_transpose_src(transpose), &src);
  tile_shape_of(tile_transpose_dst(transpose), &dst);
  bool by_src = src.space == TILE_SPACE_GLOBAL;
  const TileShape *space = by_src ? &src : &dst;
  int rank = src.rank;
  MlirRegion body = element_region_begin(b, rank);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue at[TILE_MAX_RANK], exchanged[TILE_MAX_RANK]; // the last two
  for (int d = 0; d < rank; d++) {
    at[d] = mlirBlockGetArgument(block, d);
    exchanged[d] =
        mlirBlockGetArgument(block, d < rank - 2 ? d : 2 * rank - 3 - d);
  }
  ElementSide from, to;
  element_side_build(b, tile_transpose_src(transpose), by_src ? at : exchanged,
                     &from);
  element_side_build(b, tile_transpose_dst(transpose), by_src ? exchanged : at,
                     &to);
  element_side_write(
      b, &to, element_convert(b, element_side_read(b, &from), to.element));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, transpose.op);
  tile_parallel_op(b, .extents = {space->extent, rank}, .body = body);
  mlirRewriterBaseEraseOp(b->rw, transpose.op);
}

//===-- Apply: tile.print -------------------------------------------------===//

static void expand_print(TileBuilder *b, TilePrintOp print) {
  TileShape shape;
  MlirValue tile = tile_range_at(tile_print_values(print), 0);
  tile_shape_of(tile, &shape);
  MlirRegion body = element_region_begin(b, shape.rank);
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirValue values[TILE_MAX_RANK + 1];
  for (int d = 0; d < shape.rank; d++)
    values[d] = mlirBlockGetArgument(block, d);
  values[shape.rank] =
      memref_load(b, .memref = tile, .indices = {values, shape.rank});
  MlirStringRef text = tile_print_text(print);
  char copy[1024];
  snprintf(copy, sizeof copy, "%.*s", (int)text.length, text.data);
  tile_print(b, .text = copy, .values = {values, shape.rank + 1},
             .source_line = tile_print_source_line(print));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, print.op);
  tile_parallel_op(b, .extents = {shape.extent, shape.rank}, .body = body);
  mlirRewriterBaseEraseOp(b->rw, print.op);
}

//===-- Apply: tile.im2col to fragments -----------------------------------===//

// Threads hold elements of a fragment where products want them, which is not
// where an image can be read fast.
static void expand_gather(TileBuilder *b, TileCopyOp copy) {
  TileShape src;
  tile_shape_of(tile_copy_src(copy), &src);
  MlirType type = mlirMemRefTypeContiguousGet(
      src.element, src.rank, src.extent,
      tile_space_attr(tile_builder_context(b), TILE_SPACE_SHARED));
  mlirRewriterBaseSetInsertionPointBefore(b->rw, copy.op);
  MlirValue scratch = tile_alloc(b, .type = type);
  TileCopyOp gather =
      tile_copy_op(b, .src = tile_copy_src(copy), .dst = scratch);
  tile_copy_set_eviction_attr(gather, tile_copy_eviction_attr(copy));
  tile_copy(b, .src = scratch, .dst = tile_copy_dst(copy));
  tile_emit_remark(copy.op, "tile-im2col/scratch",
                   "reaches the fragment by way of %lld bytes of shared memory",
                   (long long)(tile_shape_num_elems(&src) *
                               tile_elem_bits(src.element) / 8));
  mlirRewriterBaseEraseOp(b->rw, copy.op);
}

//===-- Apply: fragments named by constants -------------------------------===//

/// The window of a fragment that a loop names: constants are offsets.
typedef struct {
  MlirValue memref;
  TileShape shape;
  int64_t offset[TILE_MAX_RANK], size[TILE_MAX_RANK];
  bool reads, writes;
  MlirValue fitting; // the fragment of its own
} Window;

typedef struct {
  TileParallelOp loop;
  Window windows[TILE_MAX_ACCESSES];
  int count, limit; // the loop has a place for no more buffers
} Windows;

static bool window_of(TileParallelOp loop, const TileElementAccess *access,
                      Window *out) {
  bool is_part = false;
  *out = (Window){.memref = access->memref};
  if (!tile_shape_of(access->memref, &out->shape) ||
      out->shape.space != TILE_SPACE_FRAGMENT)
    return false;
  for (int d = 0; d < out->shape.rank; d++) {
    MlirValue index = tile_range_at(access->indices, d);
    out->size[d] = out->shape.extent[d];
    if (tile_parallel_index(loop, index) >= 0)
      continue;
    mlirxConstantInt(index, &out->offset[d]);
    out->size[d] = 1;
    is_part |= out->shape.extent[d] > 1;
  }
  return is_part;
}

static Window *find_window(Windows *windows, const Window *window) {
  for (int i = 0; i < windows->count; i++) {
    Window *other = &windows->windows[i];
    if (mlirValueEqual(other->memref, window->memref) &&
        !memcmp(other->offset, window->offset, sizeof other->offset) &&
        !memcmp(other->size, window->size, sizeof other->size))
      return other;
  }
  return NULL;
}

static bool note_window(const TileElementAccess *access, void *user_data) {
  Windows *windows = user_data;
  Window window;
  if (!window_of(windows->loop, access, &window))
    return true;
  Window *found = find_window(windows, &window);
  if (!found) {
    if (windows->count == windows->limit)
      return true;
    found = &windows->windows[windows->count++];
    *found = window;
  }
  found->reads |= !access->is_store;
  found->writes |= access->is_store;
  return true;
}

static bool use_window(const TileElementAccess *access, void *user_data) {
  Windows *windows = user_data;
  Window window;
  if (!window_of(windows->loop, access, &window))
    return true;
  const Window *found = find_window(windows, &window);
  if (!found)
    return true;
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(access->op)),
                   mlirOperationGetLocation(access->op)};
  mlirRewriterBaseSetInsertionPointBefore(b.rw, access->op);
  intptr_t first = access->is_store; // operand of the memref
  mlirOperationSetOperand(access->op, first, found->fitting);
  for (int d = 0; d < found->shape.rank; d++)
    if (tile_parallel_index(windows->loop, tile_range_at(access->indices, d)) <
        0)
      mlirOperationSetOperand(access->op, first + 1 + d,
                              tile_const_index(&b, 0));
  mlirIRRewriterDestroy(b.rw);
  return true;
}

static MlirValue window_region(TileBuilder *b, const Window *window) {
  return tile_region(b, .source = window->memref,
                     .static_offsets = {window->offset, window->shape.rank},
                     .static_sizes = {window->size, window->shape.rank});
}

// What a guard leaves out keeps its value, so a window that is written is
// copied in as well.
static void expand_windows(TileBuilder *b, TileParallelOp loop) {
  TileAccess buffers[TILE_MAX_ACCESSES];
  Windows windows = {.loop = loop,
                     .limit = TILE_MAX_ACCESSES -
                              tile_accesses_get(loop.op, buffers)};
  tile_parallel_visit(loop, note_window, &windows);
  for (int i = 0; i < windows.count; i++) {
    Window *window = &windows.windows[i];
    mlirRewriterBaseSetInsertionPointBefore(b->rw, loop.op);
    MlirType type = mlirMemRefTypeContiguousGet(
        window->shape.element, window->shape.rank, window->size,
        tile_space_attr(tile_builder_context(b), TILE_SPACE_FRAGMENT));
    window->fitting = tile_alloc(b, .type = type);
    tile_copy(b, .src = window_region(b, window), .dst = window->fitting);
    mlirRewriterBaseSetInsertionPointAfter(b->rw, loop.op);
    if (window->writes)
      tile_copy(b, .src = window->fitting, .dst = window_region(b, window));
  }
  if (windows.count)
    tile_parallel_visit(loop, use_window, &windows);
}

//===-- Entry -------------------------------------------------------------===//

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  Plan plan = {.arena = user_data};
  plan.tail = &plan.items;
  mlirOperationWalk(kernel, plan_visit, &plan, MlirWalkPreOrder);
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
                   mlirOperationGetLocation(kernel)};
  MlirOperation unplanned = {NULL}; // the loop whose plan went last
  for (const Item *item = plan.items; item; item = item->next) {
    b.loc = mlirOperationGetLocation(item->op);
    MlirOperation loop = tile_pipelined_loop_around(item->op);
    if (!mlirOperationEqual(loop, unplanned))
      tile_plan_around_drop(item->op);
    unplanned = loop;
    if (tile_transpose_is(item->op))
      expand_transpose(&b, tile_transpose_cast(item->op));
    else if (tile_copy_is(item->op))
      expand_gather(&b, tile_copy_cast(item->op));
    else if (tile_print_is(item->op))
      expand_print(&b, tile_print_cast(item->op));
    else
      expand_windows(&b, tile_parallel_cast(item->op));
  }
  mlirIRRewriterDestroy(b.rw);
  return tile_success();
}

MlirLogicalResult
tile_expand_elements_run(MlirOperation op,
                         const TileExpandElementsOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}

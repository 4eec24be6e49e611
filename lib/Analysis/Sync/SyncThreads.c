//===- SyncThreads.c - Which thread touches which element -----------------===//
//
// Two accesses to the same elements need no barrier where each element is one
// thread's in both. Who takes an element is what the lowerings do:
//
//   chunks       copies and fills of memory deal them (ChunkWidth.c);
//   fragments    who holds an element moves it. Of several holders the first
//                one stores, and all load;
//   loops        an element loop runs an element where its layout says, on the
//                first of several threads where nothing is stored to a
//                fragment;
//   the leader   stores single elements, copies by TMA and waits for what it
//                has stored.
//
// Numbers are those of the threads in the block, so that roles can be compared.
// An access of which nothing is known has no threads, and meets all others.
//
//===----------------------------------------------------------------------===//

#include "SyncTables.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/Im2col.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutReduce.h"
#include "Tile/Ops/memref.h"

// What the kernel finds out at run time is the same whenever it does the op, if
// the window begins in the same column: rows are looked at, and the tensor.
static const SyncThreads *by_itself(Flow *flow, MlirOperation op,
                                    MlirValue dst) {
  TileBuffer buffer = tile_buffer_of(dst);
  int last = (int)mlirShapedTypeGetRank(mlirValueGetType(buffer.base)) - 1;
  if (!mlirValueIsNull(buffer.region) &&
      !tile_int_is_constant(tile_region_offset(
          tile_region_cast(mlirOpResultGetOwner(buffer.region)), last)))
    return NULL;
  return sync_threads_intern(flow, (SyncThreads){.leader = -1, .op = op});
}

//===-- Fragments ---------------------------------------------------------===//

static bool fragment_layout(MlirValue fragment, TileLayout *out,
                            SyncTilePlace *out_place) {
  TileLayoutError error;
  TileBuffer buffer = tile_buffer_of(fragment);
  *out_place = (SyncTilePlace){{0}, {0}};
  if (!tile_layout_of_tile(buffer.base, out, &error) ||
      out->out.num_axes > TILE_MAX_RANK)
    return false;
  for (int d = 0; d < out->out.num_axes; d++)
    out_place->map[d] = d;
  if (mlirValueIsNull(buffer.region))
    return true;
  TileRegionOp region = tile_region_cast(mlirOpResultGetOwner(buffer.region));
  for (int d = 0; d < out->out.num_axes; d++) {
    TileInt offset = tile_region_offset(region, d);
    if (!tile_int_is_constant(offset) || tile_region_result_dim(region, d) < 0)
      return false;
    out_place->offset[d] = offset.constant;
  }
  return true;
}

// Who moves the elements of a tile of memory between it and a fragment.
static const SyncThreads *by_fragment(Flow *flow, MlirOperation op,
                                      MlirValue fragment, bool stores) {
  TileLayout layout;
  TileShape shape;
  SyncTilePlace place;
  SyncTable table;
  if (!tile_shape_of(fragment, &shape) ||
      !fragment_layout(fragment, &layout, &place) ||
      !sync_table_begin(flow, op, &shape, &table))
    return NULL;
  sync_table_put_layout(&table, &layout, &place, stores);
  return sync_table_end(&table);
}

// stmatrix writes what other lanes of the warp hold. Safe to return true; a
// barrier then stands where none is needed.
static bool may_store_matrices(const Flow *flow, MlirValue fragment,
                               MlirValue tile) {
  TileLayout layout, access;
  TileSharedWindow window;
  TileLayoutError error;
  TileShape shape;
  SyncTilePlace place;
  if ((flow->target && !flow->target->has_stmatrix) ||
      !tile_shape_of(tile, &shape) || shape.space != TILE_SPACE_SHARED ||
      tile_elem_bits(shape.element) != 16)
    return false;
  if (!tile_is_whole(fragment) || !fragment_layout(fragment, &layout, &place) ||
      !tile_shared_window_get(tile, &window, &error))
    return true;
  return window.is_aligned &&
         tile_layout_compose(&layout, &window.layout, &access, &error) &&
         tile_layout_is_matrix_access(&access, 16);
}

//===-- Copies and fills --------------------------------------------------===//

// Shared tiles without a layout are still to get one, and chunks with it.
static bool has_chunks(MlirValue tile) {
  TileShape shape;
  TileLayout layout;
  TileLayoutError error;
  return tile_shape_of(tile, &shape) &&
         (shape.space != TILE_SPACE_SHARED ||
          tile_layout_of_tile(tile_buffer_of(tile).base, &layout, &error));
}

static const SyncThreads *threads_of_copy(Flow *flow, TileCopyOp copy,
                                          MlirValue tile, bool writes,
                                          int64_t *out_chunk) {
  TileShape src, dst;
  if (mlirAttributeIsNull(tile_copy_instr_attr(copy)) ||
      !tile_shape_of(tile_copy_src(copy), &src) ||
      !tile_shape_of(tile_copy_dst(copy), &dst) ||
      dst.space == TILE_SPACE_PRIVATE)
    return NULL;
  if (src.space == TILE_SPACE_PRIVATE ||
      tile_copy_instr(copy) == TILE_INSTR_Tma)
    return sync_threads_leader(flow, copy.op);
  if (dst.space == TILE_SPACE_FRAGMENT)
    return by_fragment(flow, copy.op, tile_copy_dst(copy), false);
  if (src.space == TILE_SPACE_FRAGMENT)
    return may_store_matrices(flow, tile_copy_src(copy), tile)
               ? NULL
               : by_fragment(flow, copy.op, tile_copy_src(copy), true);
  TileChunk chunk = tile_chunk_of(copy.op);
  bool is_gathered = !writes && tile_im2col_of(tile).op.ptr;
  if (is_gathered || !has_chunks(tile_copy_src(copy)) ||
      !has_chunks(tile_copy_dst(copy)))
    return NULL;
  if (chunk.known != chunk.hoped)
    return by_itself(flow, copy.op, tile_copy_dst(copy));
  *out_chunk = chunk.known;
  return sync_threads_by_chunks(flow, copy.op, &dst, chunk.known);
}

static const SyncThreads *threads_of_fill(Flow *flow, TileFillOp fill,
                                          int64_t *out_chunk) {
  TileShape shape;
  TileChunk chunk = tile_chunk_of(fill.op);
  if (!tile_shape_of(tile_fill_dst(fill), &shape) ||
      !has_chunks(tile_fill_dst(fill)))
    return NULL;
  if (chunk.known != chunk.hoped)
    return by_itself(flow, fill.op, tile_fill_dst(fill));
  *out_chunk = chunk.known;
  return sync_threads_by_chunks(flow, fill.op, &shape, chunk.known);
}

//===-- Atomic updates ----------------------------------------------------===//

static const SyncThreads *threads_of_atomic(Flow *flow, TileAtomicOp atomic) {
  TileShape shape;
  MlirValue src = tile_atomic_src(atomic), old = tile_atomic_old(atomic);
  bool is_tma = !mlirAttributeIsNull(tile_atomic_instr_attr(atomic)) &&
                tile_atomic_instr(atomic) == TILE_INSTR_Tma;
  if (is_tma)
    return sync_threads_leader(flow, atomic.op);
  if (!tile_shape_of(tile_atomic_dst(atomic), &shape))
    return NULL;
  if (sync_is_fragment(src) || sync_is_fragment(old))
    return by_fragment(flow, atomic.op, sync_is_fragment(src) ? src : old,
                       true);
  return sync_threads_by_chunks(flow, atomic.op, &shape, 1);
}

//===-- Reductions --------------------------------------------------------===//

// Number of the partial result of a warp (FragmentReductions.c).
static int64_t partial_of(const TileLayoutReduction *plan, int64_t warp) {
  int64_t number = 0;
  for (int i = 0; i < plan->num_warp_digits; i++) {
    const TileLayoutWarpDigit *digit = &plan->warp_digit[i];
    number += warp / digit->stride % digit->radix * digit->weight;
  }
  return number;
}

// One thread of those that have the same results folds them into `dst`.
static void put_results(SyncTable *table, const TileLayout *src, int dim,
                        const TileLayoutReduction *plan) {
  bool keeps_dim = table->shape.rank == src->out.num_axes;
  SyncTilePlace place = {{0}, {0}};
  for (int d = 0; d < table->shape.rank; d++)
    place.map[d] = keeps_dim || d < dim ? d : d + 1;
  for (int64_t t = 0; t < table->team.count; t++) {
    int64_t in[3] = {0, t % SYNC_WARP_THREADS, t / SYNC_WARP_THREADS};
    int64_t at[TILE_LAYOUT_MAX_AXES];
    if (!sync_is_first_holder(src, in) || (in[1] & plan->lane_mask))
      continue;
    for (int64_t i = 0; i < plan->num_results; i++) {
      in[TILE_LAYOUT_REG] = plan->first[i];
      if (!tile_layout_eval(src, in, at))
        continue;
      at[dim] = partial_of(plan, in[TILE_LAYOUT_WARP]);
      sync_table_put_at(table, &place, at, table->team.first + t);
    }
  }
}

// Lines of a shared tile: by which thread is each element read, or, along a
// dimension of one element, each result folded.
static const SyncThreads *by_lines(Flow *flow, TileReduceOp reduce,
                                   MlirValue tile, const TileShape *src) {
  int dim = (int)tile_reduce_dim(reduce);
  TileShape shape;
  SyncTable table;
  bool is_src = mlirValueEqual(tile, tile_reduce_src(reduce));
  if (!tile_shape_of(tile, &shape) ||
      !sync_table_begin(flow, reduce.op, &shape, &table))
    return NULL;
  TileLineDeal deal = tile_line_deal(src, dim, table.team.count);
  // Lanes without an element read one that is there.
  if (is_src && (deal.extent % deal.group ||
                 deal.num_rounds * deal.per_round > deal.num_lines))
    return NULL;
  int64_t inner = 1; // elements from one of the line to the next
  for (int d = dim + 1; d < src->rank; d++)
    inner *= src->extent[d];
  for (int64_t line = 0; line < deal.num_lines; line++) {
    int64_t first = table.team.first + line % deal.per_round * deal.group;
    int64_t element = line / inner * inner * deal.extent + line % inner;
    for (int64_t i = 0; i < deal.extent && is_src; i++)
      sync_table_put(&table, element + i * inner, first + i % deal.group);
    if (!is_src)
      sync_table_put(&table, line, first);
  }
  return sync_table_end(&table);
}

// Every thread reads the lines of its registers.
static const SyncThreads *by_results(Flow *flow, TileReduceOp reduce) {
  MlirValue src = tile_reduce_src(reduce), dst = tile_reduce_dst(reduce);
  int dim = (int)tile_reduce_dim(reduce);
  TileLayout layout;
  TileShape shape;
  SyncTilePlace place, line;
  SyncTable table;
  if (!tile_is_whole(dst) || !tile_shape_of(src, &shape) ||
      !fragment_layout(dst, &layout, &place) ||
      !sync_table_begin(flow, reduce.op, &shape, &table))
    return NULL;
  for (int64_t i = 0; i < shape.extent[dim]; i++) {
    line = (SyncTilePlace){{0}, {0}};
    for (int d = 0; d < shape.rank; d++)
      line.map[d] = d == dim                                       ? -1
                    : d < dim || layout.out.num_axes == shape.rank ? d
                                                                   : d - 1;
    line.offset[dim] = -i;
    sync_table_put_layout(&table, &layout, &line, false);
  }
  return sync_table_end(&table);
}

static const SyncThreads *by_partials(Flow *flow, TileReduceOp reduce,
                                      MlirValue tile) {
  MlirValue src = tile_reduce_src(reduce);
  TileLayout layout;
  TileLayoutReduction plan;
  TileLayoutError error;
  TileShape shape;
  SyncTilePlace place;
  SyncTable table;
  if (!tile_is_whole(src) || !tile_shape_of(tile, &shape) ||
      !fragment_layout(src, &layout, &place) ||
      !tile_layout_plan_reduction(
          flow->arena, &layout, (int)tile_reduce_dim(reduce), &plan, &error) ||
      !sync_table_begin(flow, reduce.op, &shape, &table) ||
      layout.in.extent[TILE_LAYOUT_WARP] * SYNC_WARP_THREADS !=
          table.team.count)
    return NULL;
  put_results(&table, &layout, (int)tile_reduce_dim(reduce), &plan);
  return sync_table_end(&table);
}

static const SyncThreads *threads_of_reduce(Flow *flow, TileReduceOp reduce,
                                            MlirValue tile) {
  TileShape from;
  bool is_dst = mlirValueEqual(tile, tile_reduce_dst(reduce));
  if (!tile_shape_of(tile_reduce_src(reduce), &from))
    return NULL;
  if (from.space == TILE_SPACE_FRAGMENT)
    return is_dst ? by_partials(flow, reduce, tile) : NULL;
  if (sync_is_fragment(tile_reduce_dst(reduce)))
    return is_dst ? NULL : by_results(flow, reduce);
  return by_lines(flow, reduce, tile, &from);
}

//===-- Entry -------------------------------------------------------------===//

static void find_threads(Flow *flow, SyncUse *use) {
  MlirOperation op = use->op;
  TileShape shape;
  if (!tile_shape_of(use->tile, &shape) || tile_elem_bits(shape.element) < 8)
    return;
  if (memref_store_is(op))
    use->threads = sync_threads_leader(flow, op);
  else if (tile_copy_is(op))
    use->threads = threads_of_copy(flow, tile_copy_cast(op), use->tile,
                                   use->writes, &use->chunk);
  else if (tile_fill_is(op))
    use->threads = threads_of_fill(flow, tile_fill_cast(op), &use->chunk);
  else if (tile_atomic_is(op))
    use->threads = threads_of_atomic(flow, tile_atomic_cast(op));
  else if (tile_reduce_is(op))
    use->threads = threads_of_reduce(flow, tile_reduce_cast(op), use->tile);
  else if (tile_parallel_is(op))
    use->threads = sync_threads_of_loop(flow, tile_parallel_cast(op), use->tile,
                                        use->writes, &use->window);
}

SyncUse sync_use_of(Flow *flow, MlirOperation op, MlirValue tile, bool writes) {
  for (size_t i = 0; i < flow->num_uses; i++) {
    const SyncUse *use = &flow->uses[i];
    if (mlirOperationEqual(use->op, op) && mlirValueEqual(use->tile, tile) &&
        use->writes == writes)
      return *use;
  }
  SyncUse use = {.op = op, .tile = tile, .writes = writes};
  find_threads(flow, &use);
  TILE_ARENA_RESERVE(flow->arena, flow->uses, flow->num_uses,
                     flow->use_capacity);
  flow->uses[flow->num_uses++] = use;
  return use;
}

// Whether two tables agree on the elements that both have; the window of `now`
// begins `distance` behind that of `then`.
static bool agree_at(const SyncPlace *now, const SyncPlace *then,
                     const int64_t *distance) {
  for (int64_t e = 0; e < now->threads->num_elems; e++) {
    int64_t rest = e, element = 0, weight = 1;
    bool is_common = true;
    for (int d = now->rank - 1; d >= 0; d--) {
      int64_t index = rest % now->dims[d].size + distance[d];
      is_common &= index >= 0 && index < then->dims[d].size;
      element += index * weight;
      weight *= then->dims[d].size;
      rest /= now->dims[d].size;
    }
    if (is_common && now->threads->thread[e] != then->threads->thread[element])
      return false;
  }
  return true;
}

bool sync_threads_are_same(const Flow *flow, size_t now, size_t then,
                           TileAge age) {
  const SyncPlace *a = &flow->places[now], *b = &flow->places[then];
  int64_t distance[SYNC_MAX_DIMS];
  if (!a->threads || !b->threads)
    return false;
  if (a->threads == b->threads &&
      (a->threads->leader >= 0 || sync_windows_match(flow, a, b, age)))
    return true;
  if (!a->threads->thread || !b->threads->thread)
    return false;
  if (sync_windows_distance(flow, a, b, age, distance))
    return agree_at(a, b, distance);
  return sync_bytes_are_same(flow, now, then);
}

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

#include "Analysis/Instructions/Instructions.h"
#include "SyncFlow.h"

#include "Analysis/Index/Index.h"
#include "Analysis/Memory/Memory.h"
#include "Dialect/Im2col.h"
#include "Dialect/TileLayouts.h"
#include "Layout/LayoutAccess.h"
#include "Layout/LayoutReduce.h"
#include "Tile/Ops/memref.h"

//===-- Tables ------------------------------------------------------------===//

enum { WARP_THREADS = 32, MAX_THREADS = 1024 };

/// The threads that execute an op.
typedef struct {
  int64_t first, count;
} Team;

/// A table being written: the thread of every element of a tile, row by row.
typedef struct {
  Flow *flow;
  Team team;
  TileShape shape;
  uint16_t *thread;
  int64_t num_elems;
  bool is_clear; // no element has two threads
} Table;

/// Where an element of a layout is in the tile of a table.
typedef struct {
  int map[TILE_MAX_RANK];        // dimension of the layout; -1: none
  int64_t offset[TILE_MAX_RANK]; // of the tile in that dimension
} TilePlace;

// Tables are as large as the tiles; threads of larger ones are not known.
enum { MAX_ELEMS = 1 << 18 };

static bool is_fragment(MlirValue tile) {
  TileShape shape;
  return !mlirValueIsNull(tile) && tile_shape_of(tile, &shape) &&
         shape.space == TILE_SPACE_FRAGMENT;
}

// False for more threads than a block has.
static bool team_of(const Flow *flow, MlirOperation op, Team *out) {
  TileWarps warps = {0, 0};
  tile_role_warps_of(op, &warps);
  *out = (Team){warps.first * WARP_THREADS,
                tile_op_num_threads(op, flow->kernel_threads)};
  return out->count > 0 && out->first + out->count <= MAX_THREADS;
}

static bool table_begin(Flow *flow, MlirOperation op, const TileShape *shape,
                        Table *out) {
  *out = (Table){.flow = flow, .shape = *shape, .is_clear = true};
  if (shape->rank < 1 || !team_of(flow, op, &out->team))
    return false;
  out->num_elems = 1;
  for (int d = 0; d < shape->rank; d++) {
    if (shape->extent[d] < 1 || shape->extent[d] > MAX_ELEMS / out->num_elems)
      return false;
    out->num_elems *= shape->extent[d];
  }
  out->thread = TILE_ARENA_NEW(flow->arena, uint16_t, out->num_elems);
  memset(out->thread, 0xff, (size_t)out->num_elems * sizeof *out->thread);
  return true;
}

static void table_put(Table *table, int64_t element, int64_t thread) {
  uint16_t *entry = &table->thread[element];
  table->is_clear &= *entry == SYNC_NOBODY || *entry == thread;
  *entry = (uint16_t)thread;
}

static bool threads_equal(const SyncThreads *a, const SyncThreads *b) {
  if (a->num_elems != b->num_elems || a->leader != b->leader ||
      !mlirOperationEqual(a->op, b->op))
    return false;
  return !a->thread || !memcmp(a->thread, b->thread,
                               (size_t)a->num_elems * sizeof *a->thread);
}

static const SyncThreads *intern(Flow *flow, SyncThreads threads) {
  for (size_t i = 0; i < flow->num_threads; i++)
    if (threads_equal(flow->threads[i], &threads))
      return flow->threads[i];
  TILE_ARENA_RESERVE(flow->arena, flow->threads, flow->num_threads,
                     flow->threads_capacity);
  SyncThreads *kept = TILE_ARENA_NEW(flow->arena, SyncThreads, 1);
  *kept = threads;
  return flow->threads[flow->num_threads++] = kept;
}

static const SyncThreads *table_end(const Table *table) {
  if (!table->is_clear)
    return NULL;
  return intern(table->flow,
                (SyncThreads){table->thread, table->num_elems, -1, {NULL}});
}

static const SyncThreads *leader_of(Flow *flow, MlirOperation op) {
  Team team;
  if (!team_of(flow, op, &team))
    return NULL;
  return intern(flow, (SyncThreads){.leader = team.first});
}

static const SyncThreads *by_chunks(Flow *flow, MlirOperation op,
                                    const TileShape *shape, int64_t chunk) {
  Table table;
  if (!table_begin(flow, op, shape, &table))
    return NULL;
  for (int64_t e = 0; e < table.num_elems; e++)
    table_put(&table, e, table.team.first + e / chunk % table.team.count);
  return table_end(&table);
}

//===-- Layouts -----------------------------------------------------------===//

static bool is_first_holder(const TileLayout *layout, const int64_t in[3]) {
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *digit = &layout->in.digit[i];
    if (!layout->image[i] && digit->axis != TILE_LAYOUT_REG &&
        in[digit->axis] / digit->stride % digit->radix)
      return false;
  }
  return true;
}

static void table_put_at(Table *table, const TilePlace *place,
                         const int64_t *at, int64_t thread) {
  int64_t element = 0;
  for (int d = 0; d < table->shape.rank; d++) {
    int64_t index =
        (place->map[d] < 0 ? 0 : at[place->map[d]]) - place->offset[d];
    if (index < 0 || index >= table->shape.extent[d])
      return;
    element = element * table->shape.extent[d] + index;
  }
  table_put(table, element, thread);
}

// What registers give, and threads, is added up where they move different
// digits of the element, as those of instructions do.
static bool is_sum(const TileLayout *layout) {
  uint64_t by_register = 0, by_thread = 0;
  for (int i = 0; i < layout->in.num_digits; i++)
    *(layout->in.digit[i].axis == TILE_LAYOUT_REG ? &by_register
                                                  : &by_thread) |=
        layout->image[i];
  return !(by_register & by_thread);
}

typedef struct {
  int64_t at[TILE_LAYOUT_MAX_AXES];
  bool exists; // no gap
} Point;

static Point point_of(const TileLayout *layout, int64_t reg, int64_t thread) {
  int64_t in[3] = {reg, thread % WARP_THREADS, thread / WARP_THREADS};
  Point result;
  result.exists = tile_layout_eval(layout, in, result.at);
  return result;
}

static Point point_sum(const TileLayout *layout, const Point *a,
                       const Point *b) {
  Point result = {.exists = a->exists && b->exists};
  for (int d = 0; d < layout->out.num_axes; d++)
    result.at[d] = a->at[d] + b->at[d];
  return result;
}

static void table_put_layout(Table *table, const TileLayout *layout,
                             const TilePlace *place, bool first_only) {
  int64_t num_regs = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
  bool sums = is_sum(layout);
  Point *of_reg = TILE_ARENA_NEW(table->flow->arena, Point, (size_t)num_regs);
  if (layout->in.extent[TILE_LAYOUT_WARP] * WARP_THREADS != table->team.count)
    table->is_clear = false;
  for (int64_t r = 0; r < num_regs && sums; r++)
    of_reg[r] = point_of(layout, r, 0);
  for (int64_t t = 0; t < table->team.count && table->is_clear; t++) {
    int64_t in[3] = {0, t % WARP_THREADS, t / WARP_THREADS};
    if (first_only && !is_first_holder(layout, in))
      continue;
    Point of_thread = point_of(layout, 0, t);
    for (int64_t r = 0; r < num_regs; r++) {
      Point point = sums ? point_sum(layout, &of_reg[r], &of_thread)
                         : point_of(layout, r, t);
      if (point.exists && tile_layout_in_tile(layout, point.at))
        table_put_at(table, place, point.at, table->team.first + t);
    }
  }
}

//===-- Ops that find out at run time -------------------------------------===//

// What the kernel finds out at run time is the same whenever it does the op, if
// the window begins in the same column: rows are looked at, and the tensor.
static const SyncThreads *by_itself(Flow *flow, MlirOperation op,
                                    MlirValue dst) {
  TileBox box;
  if (!tile_box_of(dst, &box) ||
      (box.rank > 0 && !tile_int_is_constant(box.offset[box.rank - 1])))
    return NULL;
  return intern(flow, (SyncThreads){.leader = -1, .op = op});
}

//===-- Fragments ---------------------------------------------------------===//

static bool fragment_layout(MlirValue fragment, TileLayout *out,
                            TilePlace *out_place) {
  TileReason error;
  TileBox box;
  *out_place = (TilePlace){{0}, {0}};
  if (!tile_box_of(fragment, &box) ||
      !tile_layout_of_tile(box.base, out, &error) ||
      out->out.num_axes != box.rank || !tile_box_is_constant(&box))
    return false;
  for (int d = 0; d < box.rank; d++) {
    if (box.dim[d] < 0)
      return false;
    out_place->map[d] = d;
    out_place->offset[d] = box.offset[d].constant;
  }
  return true;
}

// Who moves the elements of a tile of memory between it and a fragment.
static const SyncThreads *by_fragment(Flow *flow, MlirOperation op,
                                      MlirValue fragment, bool stores) {
  TileLayout layout;
  TileShape shape;
  TilePlace place;
  Table table;
  if (!tile_shape_of(fragment, &shape) ||
      !fragment_layout(fragment, &layout, &place) ||
      !table_begin(flow, op, &shape, &table))
    return NULL;
  table_put_layout(&table, &layout, &place, stores);
  return table_end(&table);
}

// stmatrix writes what other lanes of the warp hold. Safe to return true; a
// barrier then stands where none is needed.
static bool may_store_matrices(const Flow *flow, MlirValue fragment,
                               MlirValue tile) {
  TileLayout layout, access;
  TileSharedWindow window;
  TileReason error;
  TileShape shape;
  TilePlace place;
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
  TileReason error;
  return tile_shape_of(tile, &shape) &&
         ((shape.space != TILE_SPACE_SHARED &&
           shape.space != TILE_SPACE_CLUSTER) ||
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
    return leader_of(flow, copy.op);
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
  return by_chunks(flow, copy.op, &dst, chunk.known);
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
  return by_chunks(flow, fill.op, &shape, chunk.known);
}

//===-- Atomic updates ----------------------------------------------------===//

static const SyncThreads *threads_of_atomic(Flow *flow, TileAtomicOp atomic) {
  TileShape shape;
  MlirValue src = tile_atomic_src(atomic), old = tile_atomic_old(atomic);
  bool is_tma = !mlirAttributeIsNull(tile_atomic_instr_attr(atomic)) &&
                tile_atomic_instr(atomic) == TILE_INSTR_Tma;
  if (is_tma)
    return leader_of(flow, atomic.op);
  if (!tile_shape_of(tile_atomic_dst(atomic), &shape))
    return NULL;
  if (is_fragment(src) || is_fragment(old))
    return by_fragment(flow, atomic.op, is_fragment(src) ? src : old, true);
  return by_chunks(flow, atomic.op, &shape, 1);
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
static void put_results(Table *table, const TileLayout *src, int dim,
                        const TileLayoutReduction *plan) {
  bool keeps_dim = table->shape.rank == src->out.num_axes;
  TilePlace place = {{0}, {0}};
  for (int d = 0; d < table->shape.rank; d++)
    place.map[d] = keeps_dim || d < dim ? d : d + 1;
  for (int64_t t = 0; t < table->team.count; t++) {
    int64_t in[3] = {0, t % WARP_THREADS, t / WARP_THREADS};
    int64_t at[TILE_LAYOUT_MAX_AXES];
    if (!is_first_holder(src, in) || (in[1] & plan->lane_mask))
      continue;
    for (int64_t i = 0; i < plan->num_results; i++) {
      in[TILE_LAYOUT_REG] = plan->first[i];
      if (!tile_layout_eval(src, in, at))
        continue;
      at[dim] = partial_of(plan, in[TILE_LAYOUT_WARP]);
      table_put_at(table, &place, at, table->team.first + t);
    }
  }
}

// Lines of a shared tile: by which thread is each element read, or, along a
// dimension of one element, each result folded.
static const SyncThreads *by_lines(Flow *flow, TileReduceOp reduce,
                                   MlirValue tile, const TileShape *src) {
  int dim = (int)tile_reduce_dim(reduce);
  TileShape shape;
  Table table;
  bool is_src = mlirValueEqual(tile, tile_reduce_src(reduce));
  if (!tile_shape_of(tile, &shape) ||
      !table_begin(flow, reduce.op, &shape, &table))
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
      table_put(&table, element + i * inner, first + i % deal.group);
    if (!is_src)
      table_put(&table, line, first);
  }
  return table_end(&table);
}

// Every thread reads the lines of its registers.
static const SyncThreads *by_results(Flow *flow, TileReduceOp reduce) {
  MlirValue src = tile_reduce_src(reduce), dst = tile_reduce_dst(reduce);
  int dim = (int)tile_reduce_dim(reduce);
  TileLayout layout;
  TileShape shape;
  TilePlace place, line;
  Table table;
  if (!tile_is_whole(dst) || !tile_shape_of(src, &shape) ||
      !fragment_layout(dst, &layout, &place) ||
      !table_begin(flow, reduce.op, &shape, &table))
    return NULL;
  for (int64_t i = 0; i < shape.extent[dim]; i++) {
    line = (TilePlace){{0}, {0}};
    for (int d = 0; d < shape.rank; d++)
      line.map[d] = d == dim                                       ? -1
                    : d < dim || layout.out.num_axes == shape.rank ? d
                                                                   : d - 1;
    line.offset[dim] = -i;
    table_put_layout(&table, &layout, &line, false);
  }
  return table_end(&table);
}

static const SyncThreads *by_partials(Flow *flow, TileReduceOp reduce,
                                      MlirValue tile) {
  MlirValue src = tile_reduce_src(reduce);
  TileLayout layout;
  TileLayoutReduction plan;
  TileReason error;
  TileShape shape;
  TilePlace place;
  Table table;
  if (!tile_is_whole(src) || !tile_shape_of(tile, &shape) ||
      !fragment_layout(src, &layout, &place) ||
      !tile_layout_plan_reduction(
          flow->arena, &layout, (int)tile_reduce_dim(reduce), &plan, &error) ||
      !table_begin(flow, reduce.op, &shape, &table) ||
      layout.in.extent[TILE_LAYOUT_WARP] * WARP_THREADS != table.team.count)
    return NULL;
  put_results(&table, &layout, (int)tile_reduce_dim(reduce), &plan);
  return table_end(&table);
}

static const SyncThreads *threads_of_reduce(Flow *flow, TileReduceOp reduce,
                                            MlirValue tile) {
  TileShape from;
  bool is_dst = mlirValueEqual(tile, tile_reduce_dst(reduce));
  if (!tile_shape_of(tile_reduce_src(reduce), &from))
    return NULL;
  if (from.space == TILE_SPACE_FRAGMENT)
    return is_dst ? by_partials(flow, reduce, tile) : NULL;
  if (is_fragment(tile_reduce_dst(reduce)))
    return is_dst ? NULL : by_results(flow, reduce);
  return by_lines(flow, reduce, tile, &from);
}

//===-- Element loops -----------------------------------------------------===//

// Where every index is a dimension of the loop, a value that all elements
// share, or the sum of both, the elements are a window, and the dimension that
// is not the loop's has one element. A slot of a ring is such a window.
//
// A loop with a layout runs an element on the thread that holds it. One without
// deals runs of neighbours; how long they are is known where none can be longer
// than one (TileToThreads.c). Else the loop only does the same in every round:
// that says something of elements that tell which element of the loop they
// belong to.

typedef struct {
  TileParallelOp loop;
  MlirValue tile;
  int rank;
  bool writes; // the accesses that are looked for
  TileLayout layout;
  bool has_layout, stores_fragments;
  TileIndices *indices;
  const TileIndex *rest[TILE_MAX_RANK]; // what the window begins at
  TilePlace place;                      // of the window
  Table *table;
  bool has_place, is_known;
} LoopWalk;

static bool find_fragment_store(const TileElementAccess *access,
                                void *user_data) {
  LoopWalk *walk = user_data;
  walk->stores_fragments |= access->is_store && is_fragment(access->memref);
  return true;
}

static bool is_meant(const LoopWalk *walk, const TileElementAccess *access) {
  return mlirValueEqual(access->memref, walk->tile) &&
         (walk->writes ? access->is_store
                       : !access->is_store || access->is_atomic);
}

//===-- Windows of loops --------------------------------------------------===//

// One dimension of a window: a dimension of the loop, or -1, and what all
// elements share.
static bool index_of(const LoopWalk *walk, MlirValue index, int *out_dim,
                     const TileIndex **out_rest) {
  const TileIndex *sum = tile_index_of(walk->indices, tile_int_value(index));
  int at = -1;
  *out_dim = -1;
  *out_rest = sum;
  for (int i = 0; i < sum->num_terms; i++) {
    MlirValue value = sum->terms[i].symbol->value;
    int dim = tile_parallel_index(walk->loop, value);
    if (dim < 0 && tile_value_is_inside(value, walk->loop.op))
      return false;
    if (dim < 0)
      continue;
    if (at >= 0 || sum->terms[i].factor != 1)
      return false;
    at = i;
    *out_dim = dim;
  }
  if (at >= 0)
    *out_rest = tile_index_without(walk->indices, sum, at);
  return sum->modulus == 0;
}

// All accesses of the tile have one window, or there is none.
static bool add_to_window(const TileElementAccess *access, void *user_data) {
  LoopWalk *walk = user_data;
  if (!mlirValueEqual(access->memref, walk->tile))
    return true;
  for (int d = 0; d < walk->rank && walk->is_known; d++) {
    const TileIndex *rest;
    int dim;
    walk->is_known =
        index_of(walk, tile_range_at(access->indices, d), &dim, &rest) &&
        (!walk->has_place ||
         (walk->place.map[d] == dim && walk->rest[d] == rest));
    walk->place.map[d] = dim;
    walk->rest[d] = rest;
  }
  walk->has_place = true;
  return walk->is_known;
}

// Whether an element of the window belongs to one of the loop.
static bool tells_element(const LoopWalk *walk) {
  for (int k = 0; k < (int)tile_parallel_extents_size(walk->loop); k++) {
    bool found = tile_parallel_extents(walk->loop, k) == 1;
    for (int d = 0; d < walk->rank; d++)
      found |= walk->place.map[d] == k;
    if (!found)
      return false;
  }
  return true;
}

//===-- Threads of loops --------------------------------------------------===//

static void put_access(LoopWalk *walk, const TileElementAccess *access,
                       const TilePlace *place) {
  // What stores to fragments runs on every thread that holds a copy; only the
  // first stores to memory.
  table_put_layout(walk->table, &walk->layout, place,
                   access->is_store || !walk->stores_fragments);
}

static bool add_window_access(const TileElementAccess *access,
                              void *user_data) {
  LoopWalk *walk = user_data;
  if (is_meant(walk, access))
    put_access(walk, access, &walk->place);
  return true;
}

// Where indices are constants or dimensions of the loop, of the whole tile.
static bool add_tile_access(const TileElementAccess *access, void *user_data) {
  LoopWalk *walk = user_data;
  TilePlace place = {{0}, {0}};
  if (!is_meant(walk, access))
    return true;
  for (int d = 0; d < walk->rank && walk->is_known; d++) {
    const TileIndex *rest;
    walk->is_known = index_of(walk, tile_range_at(access->indices, d),
                              &place.map[d], &rest) &&
                     rest->num_terms == 0;
    place.offset[d] = -rest->constant;
  }
  if (walk->is_known)
    put_access(walk, access, &place);
  return walk->is_known;
}

// A loop without layout, whose runs are of one element.
static void deal(LoopWalk *walk) {
  int rank = (int)tile_parallel_extents_size(walk->loop);
  int64_t count = 1;
  for (int d = 0; d < rank; d++)
    count *= tile_parallel_extents(walk->loop, d);
  for (int64_t e = 0; e < count; e++) {
    int64_t at[TILE_MAX_RANK], rest = e;
    for (int d = rank - 1; d >= 0; d--) {
      at[d] = rest % tile_parallel_extents(walk->loop, d);
      rest /= tile_parallel_extents(walk->loop, d);
    }
    table_put_at(walk->table, &walk->place, at,
                 walk->table->team.first + e % walk->table->team.count);
  }
}

static bool has_short_runs(TileParallelOp loop) {
  int rank = (int)tile_parallel_extents_size(loop);
  return rank > 0 && tile_parallel_extents(loop, rank - 1) % 2 != 0;
}

static TileIndexBox window_of(const LoopWalk *walk) {
  TileIndexBox window = {.base = walk->tile, .rank = walk->rank};
  for (int d = 0; d < walk->rank; d++) {
    int dim = walk->place.map[d];
    tile_index_box_set(walk->indices, &window, d, walk->rest[d],
                       dim < 0 ? 1 : tile_parallel_extents(walk->loop, dim));
  }
  return window;
}

// Of the window.
static const SyncThreads *threads_in_window(Flow *flow, LoopWalk *walk,
                                            const TileIndexBox *window) {
  TileShape shape = {.rank = walk->rank};
  memcpy(shape.extent, window->size, sizeof shape.extent);
  bool is_dealt = !walk->has_layout && has_short_runs(walk->loop);
  if (!walk->has_layout && !is_dealt)
    return tells_element(walk)
               ? intern(flow, (SyncThreads){.leader = -1, .op = walk->loop.op})
               : NULL;
  if (!table_begin(flow, walk->loop.op, &shape, walk->table))
    return NULL;
  if (is_dealt)
    deal(walk);
  else
    tile_parallel_visit(walk->loop, add_window_access, walk);
  return table_end(walk->table);
}

static const SyncThreads *threads_of_loop(Flow *flow, TileParallelOp loop,
                                          MlirValue tile, bool writes,
                                          TileIndexBox *out_window) {
  Table table;
  TileShape shape;
  TileReason error;
  LoopWalk walk = {.loop = loop,
                   .indices = flow->indices,
                   .tile = tile,
                   .writes = writes,
                   .table = &table,
                   .is_known = true};
  if (!tile_shape_of(tile, &shape) ||
      !mlirValueEqual(tile_buffer_of(tile).base, tile))
    return NULL;
  walk.rank = shape.rank;
  walk.has_layout = tile_layout_of_loop(loop, &walk.layout, &error);
  tile_parallel_visit(loop, find_fragment_store, &walk);
  tile_parallel_visit(loop, add_to_window, &walk);
  if (walk.is_known && walk.has_place) {
    *out_window = window_of(&walk);
    return threads_in_window(flow, &walk, out_window);
  }
  walk.is_known = true;
  if (!walk.has_layout || !table_begin(flow, loop.op, &shape, &table))
    return NULL;
  tile_parallel_visit(loop, add_tile_access, &walk);
  return walk.is_known ? table_end(&table) : NULL;
}

//===-- Uses --------------------------------------------------------------===//

static void find_threads(Flow *flow, SyncUse *use) {
  MlirOperation op = use->op;
  TileShape shape;
  if (!tile_shape_of(use->tile, &shape) || tile_elem_bits(shape.element) < 8)
    return;
  if (memref_store_is(op)) {
    if (!mlirOperationIsNull(tile_role_of(op).op) ||
        !tile_divergence_reaches(&flow->divergence, op))
      use->threads = leader_of(flow, op);
  } else if (tile_accesses_by_number(op, use->tile)) {
    return; // threads read the numbers of what they access
  } else if (tile_copy_is(op))
    use->threads = threads_of_copy(flow, tile_copy_cast(op), use->tile,
                                   use->writes, &use->chunk);
  else if (tile_fill_is(op))
    use->threads = threads_of_fill(flow, tile_fill_cast(op), &use->chunk);
  else if (tile_atomic_is(op))
    use->threads = threads_of_atomic(flow, tile_atomic_cast(op));
  else if (tile_map_make_is(op))
    use->threads = leader_of(flow, op);
  else if (tile_atomic_load_is(op))
    use->threads = by_chunks(flow, op, &shape, 1);
  else if (tile_reduce_is(op))
    use->threads = threads_of_reduce(flow, tile_reduce_cast(op), use->tile);
  else if (tile_parallel_is(op))
    use->threads = threads_of_loop(flow, tile_parallel_cast(op), use->tile,
                                   use->writes, &use->window);
}

SyncUse *sync_use_of(Flow *flow, MlirOperation op, MlirValue tile,
                     bool writes) {
  for (size_t i = 0; i < flow->num_uses; i++) {
    SyncUse *use = &flow->uses[i];
    if (mlirOperationEqual(use->op, op) && mlirValueEqual(use->tile, tile) &&
        use->writes == writes)
      return use;
  }
  SyncUse use = {.place = -1, .op = op, .tile = tile, .writes = writes};
  find_threads(flow, &use);
  TILE_ARENA_RESERVE(flow->arena, flow->uses, flow->num_uses,
                     flow->use_capacity);
  flow->uses[flow->num_uses] = use;
  return &flow->uses[flow->num_uses++];
}

//===-- Bytes -------------------------------------------------------------===//

// Tiles that share a place in shared memory have elements of their own; their
// layouts tell the bytes. A window at an offset that is not a constant, such as
// a slot of a ring, is taken to be at any that it may have.

enum { MAX_WINDOWS = 64 };

/// The bytes of a window, element by element.
typedef struct {
  const SyncPlace *place;
  TileLayout layout; // coordinates to elements of memory
  int64_t first_byte, elem_bytes;
  // Offsets that it may have: so many, from the first on.
  int64_t first[TILE_MAX_RANK], count[TILE_MAX_RANK], num_windows;
} Bytes;

/// The thread of each byte of a buffer.
typedef struct {
  uint16_t *thread;
  int64_t first_byte, size_bytes;
  bool are_others_left_out; // bytes that have nobody yet stay so
} Owners;

static bool offsets_of(const SyncPlace *place, const TileShape *shape,
                       Bytes *out) {
  out->num_windows = 1;
  for (int d = 0; d < place->box.rank; d++) {
    const TileIndex *offset = place->box.offset[d];
    bool is_constant = !offset->num_terms && !offset->modulus;
    out->first[d] = is_constant ? offset->constant : 0;
    out->count[d] = is_constant ? 1 : shape->extent[d] - place->box.size[d] + 1;
    if (out->count[d] < 1 || out->count[d] > MAX_WINDOWS)
      return false;
    out->num_windows *= out->count[d];
    if (out->num_windows > MAX_WINDOWS)
      return false;
  }
  return true;
}

static bool bytes_of(const Flow *flow, size_t number, Bytes *out) {
  const SyncPlace *place = &flow->places[number];
  TileReason error;
  TileShape shape;
  if (!place->threads || !place->threads->thread || place->box.rank == 0 ||
      !sync_place_is_shared(flow, number) ||
      !tile_shape_of(place->box.base, &shape) ||
      shape.rank != place->box.rank ||
      !tile_layout_of_tile(place->box.base, &out->layout, &error) ||
      out->layout.in.num_axes != place->box.rank ||
      out->layout.out.num_axes != 1)
    return false;
  out->place = place;
  out->first_byte = flow->shared->buffers[place->buffer].offset_bytes;
  out->elem_bytes = tile_elem_bits(shape.element) / 8;
  return offsets_of(place, &shape, out) && out->first_byte >= 0 &&
         out->elem_bytes > 0;
}

// The first byte of an element of a window, in shared memory; or -1.
static int64_t byte_of(const Bytes *bytes, int64_t window, int64_t element) {
  int64_t at[TILE_LAYOUT_MAX_AXES] = {0}, position[TILE_LAYOUT_MAX_AXES];
  for (int d = bytes->place->box.rank - 1; d >= 0; d--) {
    int64_t size = bytes->place->box.size[d];
    at[d] = bytes->first[d] + window % bytes->count[d] + element % size;
    window /= bytes->count[d];
    element /= size;
  }
  return tile_layout_eval(&bytes->layout, at, position)
             ? bytes->first_byte + position[0] * bytes->elem_bytes
             : -1;
}

// False when a byte is another thread's.
static bool own(const Owners *owners, int64_t first_byte, int64_t num_bytes,
                uint16_t thread) {
  for (int64_t i = first_byte - owners->first_byte;
       i < first_byte - owners->first_byte + num_bytes; i++) {
    if (i < 0 || i >= owners->size_bytes)
      continue;
    bool is_free = owners->thread[i] == SYNC_NOBODY;
    if (!is_free && owners->thread[i] != thread)
      return false;
    if (is_free && !owners->are_others_left_out)
      owners->thread[i] = thread;
  }
  return true;
}

static bool own_all(const Owners *owners, const Bytes *bytes) {
  const SyncThreads *threads = bytes->place->threads;
  for (int64_t w = 0; w < bytes->num_windows; w++)
    for (int64_t e = 0; e < threads->num_elems; e++) {
      int64_t byte = byte_of(bytes, w, e);
      if (byte < 0 || threads->thread[e] == SYNC_NOBODY ||
          !own(owners, byte, bytes->elem_bytes, threads->thread[e]))
        return false;
    }
  return true;
}

static bool are_bytes_same(const Flow *flow, size_t now, size_t then) {
  Bytes a, b;
  if (!bytes_of(flow, now, &a) || !bytes_of(flow, then, &b))
    return false;
  TileArena scratch; // of a whole buffer, and there are many pairs
  tile_arena_init(&scratch);
  int64_t size = flow->shared->buffers[a.place->buffer].size_bytes;
  Owners owners = {TILE_ARENA_NEW(&scratch, uint16_t, size + 1), a.first_byte,
                   size, false};
  memset(owners.thread, 0xff, (size_t)size * sizeof *owners.thread);
  bool are_same = own_all(&owners, &a);
  owners.are_others_left_out = true;
  are_same = are_same && own_all(&owners, &b);
  tile_arena_deinit(&scratch);
  return are_same;
}

//===-- Comparison --------------------------------------------------------===//

// Whether two tables agree on the elements that both have; the window of `now`
// begins `distance` after that of `then`.
static bool agree_at(const SyncPlace *now, const SyncPlace *then,
                     const int64_t *distance) {
  for (int64_t e = 0; e < now->threads->num_elems; e++) {
    int64_t rest = e, element = 0, weight = 1;
    bool is_common = true;
    for (int d = now->box.rank - 1; d >= 0; d--) {
      int64_t index = rest % now->box.size[d] + distance[d];
      is_common &= index >= 0 && index < then->box.size[d];
      element += index * weight;
      weight *= then->box.size[d];
      rest /= now->box.size[d];
    }
    if (is_common && now->threads->thread[e] != then->threads->thread[element])
      return false;
  }
  return true;
}

bool sync_threads_are_same(const Flow *flow, size_t now, size_t then,
                           TileAge age) {
  const SyncPlace *a = &flow->places[now], *b = &flow->places[then];
  if (!a->threads || !b->threads)
    return false;
  TileBoxRelation windows =
      tile_index_boxes_compare(flow->indices, &a->box, &b->box, age, b->home);
  if (a->threads == b->threads && (a->threads->leader >= 0 || windows.match))
    return true;
  if (!a->threads->thread || !b->threads->thread)
    return false;
  if (windows.is_distance_known)
    return agree_at(a, b, windows.distance);
  return are_bytes_same(flow, now, then);
}

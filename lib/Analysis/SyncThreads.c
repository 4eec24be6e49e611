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

#include "SyncFlow.h"

#include "Tile/Dialect/TileLayouts.h"
#include "Tile/LayoutAccess.h"
#include "Tile/Ops/memref.h"

enum { WARP_THREADS = 32, MAX_THREADS = 1024, NOBODY = UINT16_MAX };
// Tables are as large as the tiles; threads of larger ones are not known.
enum { MAX_ELEMS = 1 << 18 };

//===-- Tables ------------------------------------------------------------===//

// The threads that execute an op.
typedef struct {
  int64_t first, count;
} Team;

// A table being written: the thread of every element of a tile, row by row.
typedef struct {
  Flow *flow;
  Team team;
  TileShape shape;
  uint16_t *thread;
  int64_t num_elems;
  bool is_clear; // no element has two threads
} Table;

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
  table->is_clear &= *entry == NOBODY || *entry == thread;
  *entry = (uint16_t)thread;
}

static bool threads_equal(const SyncThreads *a, const SyncThreads *b) {
  if (a->num_elems != b->num_elems || a->leader != b->leader ||
      !mlirOperationEqual(a->op, b->op))
    return false;
  return !a->thread || !memcmp(a->thread, b->thread,
                               (size_t)a->num_elems * sizeof *a->thread);
}

// Equal ones are one.
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
  return intern(flow, (SyncThreads){.leader = -1, .op = op});
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

// Whether a thread is the first of those that hold the same elements.
static bool is_first_holder(const TileLayout *layout, const int64_t in[3]) {
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *digit = &layout->in.digit[i];
    if (!layout->image[i] && digit->axis != TILE_LAYOUT_REG &&
        in[digit->axis] / digit->stride % digit->radix)
      return false;
  }
  return true;
}

// Where an element of the layout is in the tile of a table.
typedef struct {
  int map[TILE_MAX_RANK];        // dimension of the layout; -1: none
  int64_t offset[TILE_MAX_RANK]; // of the tile in that dimension
} Place;

static void put_element(Table *table, const Place *place, const int64_t *at,
                        int64_t thread) {
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

static void put_layout(Table *table, const TileLayout *layout,
                       const Place *place, bool first_only) {
  int64_t num_regs = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
  if (layout->in.extent[TILE_LAYOUT_WARP] * WARP_THREADS != table->team.count)
    table->is_clear = false;
  for (int64_t t = 0; t < table->team.count && table->is_clear; t++) {
    int64_t in[3] = {0, t % WARP_THREADS, t / WARP_THREADS};
    int64_t at[TILE_LAYOUT_MAX_AXES];
    if (first_only && !is_first_holder(layout, in))
      continue;
    for (; in[TILE_LAYOUT_REG] < num_regs; in[TILE_LAYOUT_REG]++)
      if (tile_layout_eval(layout, in, at) && tile_layout_in_tile(layout, at))
        put_element(table, place, at, table->team.first + t);
  }
}

//===-- Fragments ---------------------------------------------------------===//

static bool fragment_layout(MlirValue fragment, TileLayout *out,
                            Place *out_place) {
  TileLayoutError error;
  TileBuffer buffer = tile_buffer_of(fragment);
  *out_place = (Place){{0}, {0}};
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
  Place place;
  Table table;
  if (!tile_shape_of(fragment, &shape) ||
      !fragment_layout(fragment, &layout, &place) ||
      !table_begin(flow, op, &shape, &table))
    return NULL;
  put_layout(&table, &layout, &place, stores);
  return table_end(&table);
}

// stmatrix writes what other lanes of the warp hold. Safe to return true; a
// barrier then stands where none is needed.
static bool may_store_matrices(const Flow *flow, MlirValue fragment,
                               MlirValue tile) {
  TileLayout layout, access;
  TileSharedWindow window;
  TileLayoutError error;
  TileShape shape;
  Place place;
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

static bool is_fragment(MlirValue tile) {
  TileShape shape;
  return !mlirValueIsNull(tile) && tile_shape_of(tile, &shape) &&
         shape.space == TILE_SPACE_FRAGMENT;
}

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

//===-- Element loops -----------------------------------------------------===//

typedef struct {
  TileParallelOp loop;
  MlirValue tile;
  bool writes; // the accesses that are looked for
  TileLayout layout;
  bool stores_fragments, has_table;
  Table *table;
  bool is_known;
} LoopWalk;

static bool find_fragment_store(const TileElementAccess *access,
                                void *user_data) {
  LoopWalk *walk = user_data;
  walk->stores_fragments |= access->is_store && is_fragment(access->memref);
  return true;
}

// The dimension of the loop that every index is; other indices are not known.
static bool place_of(TileParallelOp loop, const TileElementAccess *access,
                     const TileShape *shape, Place *out) {
  *out = (Place){{0}, {0}};
  for (int d = 0; d < shape->rank; d++) {
    int64_t constant;
    MlirValue index = tile_range_at(access->indices, d);
    out->map[d] = tile_parallel_index(loop, index);
    if (out->map[d] >= 0)
      continue;
    if (!mlirxConstantInt(index, &constant))
      return false;
    out->offset[d] = -constant;
  }
  return true;
}

static bool add_element_access(const TileElementAccess *access,
                               void *user_data) {
  LoopWalk *walk = user_data;
  Place place;
  bool is_meant =
      walk->writes ? access->is_store : !access->is_store || access->is_atomic;
  if (!is_meant || !mlirValueEqual(access->memref, walk->tile))
    return true;
  walk->is_known = place_of(walk->loop, access, &walk->table->shape, &place);
  // What stores to fragments runs on every thread that holds a copy; only the
  // first stores to memory.
  if (walk->is_known)
    put_layout(walk->table, &walk->layout, &place,
               access->is_store || !walk->stores_fragments);
  return walk->is_known;
}

static const SyncThreads *threads_of_loop(Flow *flow, TileParallelOp loop,
                                          MlirValue tile, bool writes) {
  Table table;
  TileShape shape;
  TileLayoutError error;
  LoopWalk walk = {.loop = loop,
                   .tile = tile,
                   .writes = writes,
                   .table = &table,
                   .is_known = true};
  if (mlirAttributeIsNull(tile_parallel_layout_attr(loop)) ||
      !tile_layout_of_loop(loop, &walk.layout, &error) ||
      !tile_shape_of(tile, &shape) ||
      !table_begin(flow, loop.op, &shape, &table))
    return NULL;
  tile_parallel_visit(loop, find_fragment_store, &walk);
  tile_parallel_visit(loop, add_element_access, &walk);
  return walk.is_known ? table_end(&table) : NULL;
}

//===-- Entry -------------------------------------------------------------===//

static const SyncThreads *find_threads(Flow *flow, MlirOperation op,
                                       MlirValue tile, bool writes,
                                       int64_t *out_chunk) {
  TileShape shape;
  if (!tile_shape_of(tile, &shape) || tile_elem_bits(shape.element) < 8)
    return NULL;
  if (memref_store_is(op))
    return leader_of(flow, op);
  if (tile_copy_is(op))
    return threads_of_copy(flow, tile_copy_cast(op), tile, writes, out_chunk);
  if (tile_fill_is(op))
    return threads_of_fill(flow, tile_fill_cast(op), out_chunk);
  if (tile_atomic_is(op))
    return threads_of_atomic(flow, tile_atomic_cast(op));
  if (tile_parallel_is(op))
    return threads_of_loop(flow, tile_parallel_cast(op), tile, writes);
  return NULL;
}

const SyncThreads *sync_threads_of(Flow *flow, MlirOperation op, MlirValue tile,
                                   bool writes) {
  for (size_t i = 0; i < flow->num_uses; i++) {
    const SyncUse *use = &flow->uses[i];
    if (mlirOperationEqual(use->op, op) && mlirValueEqual(use->tile, tile) &&
        use->writes == writes)
      return use->threads;
  }
  SyncUse use = {.op = op, .tile = tile, .writes = writes};
  use.threads = find_threads(flow, op, tile, writes, &use.chunk);
  TILE_ARENA_RESERVE(flow->arena, flow->uses, flow->num_uses,
                     flow->use_capacity);
  flow->uses[flow->num_uses++] = use;
  return use.threads;
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
                           SyncAge age) {
  const SyncPlace *a = &flow->places[now], *b = &flow->places[then];
  int64_t distance[SYNC_MAX_DIMS];
  if (!a->threads || !b->threads)
    return false;
  if (a->threads == b->threads &&
      (a->threads->leader >= 0 || sync_windows_match(a, b, age)))
    return true;
  return a->threads->thread && b->threads->thread &&
         sync_windows_distance(a, b, age, distance) && agree_at(a, b, distance);
}

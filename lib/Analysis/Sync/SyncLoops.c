//===- SyncLoops.c - What an element loop touches, and by which threads ---===//
//
// Where every index is a dimension of the loop, a value that all elements
// share, or the sum of both, the elements are a window, and the dimension that
// is not the loop's has one element. A slot of a ring is such a window.
//
// A loop with a layout runs an element on the thread that holds it. One without
// deals runs of neighbours; how long they are is known where none can be longer
// than one (TileToThreads.c). Else the loop only does the same in every round:
// that says something of elements that tell which element of the loop they
// belong to.
//
//===----------------------------------------------------------------------===//

#include "SyncTables.h"

#include "Dialect/TileLayouts.h"
#include "Tile/Ops/arith.h"

typedef struct {
  TileParallelOp loop;
  MlirValue tile;
  int rank;
  bool writes; // the accesses that are looked for
  TileLayout layout;
  bool has_layout, stores_fragments;
  SyncLoopWindow window;
  SyncTilePlace place; // of the window; before, of an access
  SyncTable *table;
  bool has_place, is_known;
} LoopWalk;

static bool find_fragment_store(const TileElementAccess *access,
                                void *user_data) {
  LoopWalk *walk = user_data;
  walk->stores_fragments |=
      access->is_store && sync_is_fragment(access->memref);
  return true;
}

static bool is_meant(const LoopWalk *walk, const TileElementAccess *access) {
  return mlirValueEqual(access->memref, walk->tile) &&
         (walk->writes ? access->is_store
                       : !access->is_store || access->is_atomic);
}

//===-- Windows -----------------------------------------------------------===//

static bool is_outside(TileParallelOp loop, MlirValue value) {
  MlirOperation home =
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOpResultGetOwner(value);
  return !tile_op_is_inside(home, loop.op);
}

// An index without a dimension of the loop.
static bool offset_of(TileParallelOp loop, MlirValue index, TileInt *out) {
  int64_t constant;
  if (mlirxConstantInt(index, &constant)) {
    *out = tile_int_constant(constant);
    return true;
  }
  *out = tile_int_value(index);
  return is_outside(loop, index);
}

// One dimension of a window; `out_dim`: of the loop, or -1.
static bool index_of(TileParallelOp loop, MlirValue index, int *out_dim,
                     TileInt *out_offset) {
  *out_offset = tile_int_constant(0);
  *out_dim = tile_parallel_index(loop, index);
  if (*out_dim >= 0 || offset_of(loop, index, out_offset))
    return true;
  if (!mlirValueIsAOpResult(index) ||
      !arith_addi_is(mlirOpResultGetOwner(index)))
    return false;
  for (int i = 0; i < 2; i++) {
    MlirOperation sum = mlirOpResultGetOwner(index);
    *out_dim = tile_parallel_index(loop, mlirOperationGetOperand(sum, i));
    if (*out_dim >= 0 &&
        offset_of(loop, mlirOperationGetOperand(sum, 1 - i), out_offset))
      return true;
  }
  return false;
}

static bool is_same_int(TileInt a, TileInt b) {
  return mlirValueEqual(a.value, b.value) && a.constant == b.constant;
}

// All accesses of the tile have one window, or there is none.
static bool add_to_window(const TileElementAccess *access, void *user_data) {
  LoopWalk *walk = user_data;
  if (!mlirValueEqual(access->memref, walk->tile))
    return true;
  for (int d = 0; d < walk->rank && walk->is_known; d++) {
    TileInt offset;
    int dim;
    walk->is_known =
        index_of(walk->loop, tile_range_at(access->indices, d), &dim,
                 &offset) &&
        (!walk->has_place || (walk->place.map[d] == dim &&
                              is_same_int(walk->window.offset[d], offset)));
    walk->place.map[d] = dim;
    walk->window.offset[d] = offset;
    walk->window.size[d] = dim < 0 ? 1 : tile_parallel_extents(walk->loop, dim);
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

//===-- Threads -----------------------------------------------------------===//

static void put_access(LoopWalk *walk, const TileElementAccess *access,
                       const SyncTilePlace *place) {
  // What stores to fragments runs on every thread that holds a copy; only the
  // first stores to memory.
  sync_table_put_layout(walk->table, &walk->layout, place,
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
  SyncTilePlace place = {{0}, {0}};
  if (!is_meant(walk, access))
    return true;
  for (int d = 0; d < walk->rank && walk->is_known; d++) {
    TileInt offset;
    walk->is_known = index_of(walk->loop, tile_range_at(access->indices, d),
                              &place.map[d], &offset) &&
                     tile_int_is_constant(offset);
    place.offset[d] = -offset.constant;
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
    sync_table_put_at(walk->table, &walk->place, at,
                      walk->table->team.first + e % walk->table->team.count);
  }
}

static bool has_short_runs(TileParallelOp loop) {
  int rank = (int)tile_parallel_extents_size(loop);
  return rank > 0 && tile_parallel_extents(loop, rank - 1) % 2 != 0;
}

// Of the window.
static const SyncThreads *threads_in_window(Flow *flow, LoopWalk *walk) {
  TileShape shape = {.rank = walk->rank};
  memcpy(shape.extent, walk->window.size, sizeof shape.extent);
  bool is_dealt = !walk->has_layout && has_short_runs(walk->loop);
  if (!walk->has_layout && !is_dealt)
    return tells_element(walk)
               ? sync_threads_intern(
                     flow, (SyncThreads){.leader = -1, .op = walk->loop.op})
               : NULL;
  if (!sync_table_begin(flow, walk->loop.op, &shape, walk->table))
    return NULL;
  if (is_dealt)
    deal(walk);
  else
    tile_parallel_visit(walk->loop, add_window_access, walk);
  return sync_table_end(walk->table);
}

const SyncThreads *sync_threads_of_loop(Flow *flow, TileParallelOp loop,
                                        MlirValue tile, bool writes,
                                        SyncLoopWindow *out_window) {
  SyncTable table;
  TileShape shape;
  TileLayoutError error;
  LoopWalk walk = {.loop = loop,
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
    *out_window = walk.window;
    out_window->rank = walk.rank;
    return threads_in_window(flow, &walk);
  }
  walk.is_known = true;
  if (!walk.has_layout || !sync_table_begin(flow, loop.op, &shape, &table))
    return NULL;
  tile_parallel_visit(loop, add_tile_access, &walk);
  return walk.is_known ? sync_table_end(&table) : NULL;
}

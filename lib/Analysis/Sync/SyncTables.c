//===- SyncTables.c - The threads of the elements of a tile ---------------===//

#include "SyncTables.h"

enum { MAX_THREADS = 1024 };
// Tables are as large as the tiles; threads of larger ones are not known.
enum { MAX_ELEMS = 1 << 18 };

//===-- Tables ------------------------------------------------------------===//

bool sync_is_fragment(MlirValue tile) {
  TileShape shape;
  return !mlirValueIsNull(tile) && tile_shape_of(tile, &shape) &&
         shape.space == TILE_SPACE_FRAGMENT;
}

// False for more threads than a block has.
static bool team_of(const Flow *flow, MlirOperation op, SyncTeam *out) {
  TileWarps warps = {0, 0};
  tile_role_warps_of(op, &warps);
  *out = (SyncTeam){warps.first * SYNC_WARP_THREADS,
                    tile_op_num_threads(op, flow->kernel_threads)};
  return out->count > 0 && out->first + out->count <= MAX_THREADS;
}

bool sync_table_begin(Flow *flow, MlirOperation op, const TileShape *shape,
                      SyncTable *out) {
  *out = (SyncTable){.flow = flow, .shape = *shape, .is_clear = true};
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

void sync_table_put(SyncTable *table, int64_t element, int64_t thread) {
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

const SyncThreads *sync_threads_intern(Flow *flow, SyncThreads threads) {
  for (size_t i = 0; i < flow->num_threads; i++)
    if (threads_equal(flow->threads[i], &threads))
      return flow->threads[i];
  TILE_ARENA_RESERVE(flow->arena, flow->threads, flow->num_threads,
                     flow->threads_capacity);
  SyncThreads *kept = TILE_ARENA_NEW(flow->arena, SyncThreads, 1);
  *kept = threads;
  return flow->threads[flow->num_threads++] = kept;
}

const SyncThreads *sync_table_end(const SyncTable *table) {
  if (!table->is_clear)
    return NULL;
  return sync_threads_intern(
      table->flow, (SyncThreads){table->thread, table->num_elems, -1, {NULL}});
}

const SyncThreads *sync_threads_leader(Flow *flow, MlirOperation op) {
  SyncTeam team;
  if (!team_of(flow, op, &team))
    return NULL;
  return sync_threads_intern(flow, (SyncThreads){.leader = team.first});
}

const SyncThreads *sync_threads_by_chunks(Flow *flow, MlirOperation op,
                                          const TileShape *shape,
                                          int64_t chunk) {
  SyncTable table;
  if (!sync_table_begin(flow, op, shape, &table))
    return NULL;
  for (int64_t e = 0; e < table.num_elems; e++)
    sync_table_put(&table, e, table.team.first + e / chunk % table.team.count);
  return sync_table_end(&table);
}

//===-- Layouts -----------------------------------------------------------===//

bool sync_is_first_holder(const TileLayout *layout, const int64_t in[3]) {
  for (int i = 0; i < layout->in.num_digits; i++) {
    const TileLayoutDigit *digit = &layout->in.digit[i];
    if (!layout->image[i] && digit->axis != TILE_LAYOUT_REG &&
        in[digit->axis] / digit->stride % digit->radix)
      return false;
  }
  return true;
}

void sync_table_put_at(SyncTable *table, const SyncTilePlace *place,
                       const int64_t *at, int64_t thread) {
  int64_t element = 0;
  for (int d = 0; d < table->shape.rank; d++) {
    int64_t index =
        (place->map[d] < 0 ? 0 : at[place->map[d]]) - place->offset[d];
    if (index < 0 || index >= table->shape.extent[d])
      return;
    element = element * table->shape.extent[d] + index;
  }
  sync_table_put(table, element, thread);
}

void sync_table_put_layout(SyncTable *table, const TileLayout *layout,
                           const SyncTilePlace *place, bool first_only) {
  int64_t num_regs = tile_layout_axis_size(&layout->in, TILE_LAYOUT_REG);
  if (layout->in.extent[TILE_LAYOUT_WARP] * SYNC_WARP_THREADS !=
      table->team.count)
    table->is_clear = false;
  for (int64_t t = 0; t < table->team.count && table->is_clear; t++) {
    int64_t in[3] = {0, t % SYNC_WARP_THREADS, t / SYNC_WARP_THREADS};
    int64_t at[TILE_LAYOUT_MAX_AXES];
    if (first_only && !sync_is_first_holder(layout, in))
      continue;
    for (; in[TILE_LAYOUT_REG] < num_regs; in[TILE_LAYOUT_REG]++)
      if (tile_layout_eval(layout, in, at) && tile_layout_in_tile(layout, at))
        sync_table_put_at(table, place, at, table->team.first + t);
  }
}

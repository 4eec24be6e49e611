//===- SyncTables.h - The threads of the elements of a tile ---------------===//
#ifndef TILE_ANALYSIS_SYNC_TABLES_H
#define TILE_ANALYSIS_SYNC_TABLES_H

#include "SyncFlow.h"

#include "Layout/LayoutAccess.h"

enum { SYNC_WARP_THREADS = 32 };

/// The threads that execute an op.
typedef struct {
  int64_t first, count;
} SyncTeam;

/// A table being written: the thread of every element of a tile, row by row.
typedef struct {
  Flow *flow;
  SyncTeam team;
  TileShape shape;
  uint16_t *thread;
  int64_t num_elems;
  bool is_clear; // no element has two threads
} SyncTable;

/// Where an element of a layout is in the tile of a table.
typedef struct {
  int map[TILE_MAX_RANK];        // dimension of the layout; -1: none
  int64_t offset[TILE_MAX_RANK]; // of the tile in that dimension
} SyncTilePlace;

/// Whether a tile, or null, is in registers.
bool sync_is_fragment(MlirValue tile);
/// False when no table is made: of tiles that are not static, or large.
bool sync_table_begin(Flow *flow, MlirOperation op, const TileShape *shape,
                      SyncTable *out);
void sync_table_put(SyncTable *table, int64_t element, int64_t thread);
/// The element at a point of a layout, if it is in the tile.
void sync_table_put_at(SyncTable *table, const SyncTilePlace *place,
                       const int64_t *at, int64_t thread);
/// Whether a thread, `in` without register, is the first of those that hold the
/// same elements.
bool sync_is_first_holder(const TileLayout *layout, const int64_t in[3]);
/// All elements of a fragment, by the threads that hold them.
void sync_table_put_layout(SyncTable *table, const TileLayout *layout,
                           const SyncTilePlace *place, bool first_only);
/// Null when an element has two threads.
const SyncThreads *sync_table_end(const SyncTable *table);

/// Equal ones are one.
const SyncThreads *sync_threads_intern(Flow *flow, SyncThreads threads);
const SyncThreads *sync_threads_leader(Flow *flow, MlirOperation op);
const SyncThreads *sync_threads_by_chunks(Flow *flow, MlirOperation op,
                                          const TileShape *shape,
                                          int64_t chunk);
/// Those of an element loop that accesses `tile`, and the window, in
/// `out_window`, that they are told of; none where it says where it does not
/// reach (SyncLoops.c).
const SyncThreads *sync_threads_of_loop(Flow *flow, TileParallelOp loop,
                                        MlirValue tile, bool writes,
                                        SyncLoopWindow *out_window);

#endif // TILE_ANALYSIS_SYNC_TABLES_H

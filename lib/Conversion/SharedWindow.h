//===- SharedWindow.h - Addresses in windows of shared tiles --------------===//
#ifndef TILE_CONVERSION_SHARED_WINDOW_H
#define TILE_CONVERSION_SHARED_WINDOW_H

#include "Tile/Analysis.h"
#include "Tile/Conversion.h"
#include "Tile/Dialect/TileLayouts.h"

/// A shared tile, or a window of one, with the layout that places its elements.
typedef struct {
  MlirValue tile;  // what the window is cut from: a tile.alloc, or a view
  TileLayout full; // of the whole tile
  int full_rank;
  TileShape shape;               // of the window
  int dim[TILE_MAX_RANK];        // dimension of the tile, per window dimension
  TileInt offset[TILE_MAX_RANK]; // per dimension of the tile
  bool on_grid;                  // known to be multiples of the sizes
  // Where the window starts and ends between digits of the layout, it has one
  // of its own: element x is at (layout(x) ^ toggle) + add, and what the SSA
  // offsets add.
  bool is_aligned;
  TileLayout layout;
  int64_t toggle, add;
} TileSharedWindow;

/// False when `tile` is not in shared memory, or has no layout that can be
/// emitted as code: then `out_error` says why.
bool tile_shared_window_get(MlirValue tile, TileSharedWindow *out_window,
                            TileLayoutError *out_error);
/// The same of a window whose `tile`, `shape`, `dim` and `offset` are filled
/// in, with offsets of any integer type.
bool tile_shared_window_complete(TileSharedWindow *window,
                                 TileLayoutError *out_error);
/// What the SSA offsets of an aligned window add to the offset of an element.
TileInt tile_shared_window_base(TileIntMath *math,
                                const TileSharedWindow *window);

/// Accesses of a window whose coordinates are a layout of threads and
/// constants: the part that threads decide is computed once.
typedef struct {
  const TileSharedWindow *window;
  unsigned constant_axes; // input axes that are constants at every access
  TileLayout coordinates; // input axes to coordinates of the window
  bool is_composed;
  TileLayout offsets; // composed: input axes to element offsets
} TileSharedAccess;

/// Plans accesses; `coordinates` is a layout onto the window.
void tile_shared_access_plan(const TileSharedWindow *window,
                             const TileLayout *coordinates,
                             unsigned constant_axes,
                             TileSharedAccess *out_access);

/// The code of such accesses.
typedef struct {
  const TileSharedAccess *access;
  TileLayoutCode code;
  TileInt base;
} TileSharedCode;

/// Emits what the axes that are not constant decide, from their values `in`.
void tile_shared_code_begin(TileIntMath *math, const TileSharedAccess *access,
                            const TileInt *in, TileSharedCode *out_code);
/// Element offset in the storage where the constant axes have the values `in`.
TileInt tile_shared_code_at(TileIntMath *math, const TileSharedCode *code,
                            const int64_t *in);
/// Element offset of the element at `coordinates` of the window.
TileInt tile_shared_window_at(TileIntMath *math, const TileSharedWindow *window,
                              const TileInt *coordinates);

#endif // TILE_CONVERSION_SHARED_WINDOW_H

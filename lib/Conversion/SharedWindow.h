//===- SharedWindow.h - Addresses in windows of shared tiles --------------===//
#ifndef TILE_CONVERSION_SHARED_WINDOW_H
#define TILE_CONVERSION_SHARED_WINDOW_H

#include "Analysis/Memory/Memory.h"
#include "Conversion.h"
#include "Dialect/TileLayouts.h"

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

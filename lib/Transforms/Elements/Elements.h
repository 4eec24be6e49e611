//===- Elements.h - Element loops made cheaper ----------------------------===//
//
// What linalg ops became, once loops over the same elements are one, and what
// users write: each function below makes the loops of a launch cheaper without
// another result, but for what is rounded later.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_ELEMENTS_H
#define TILE_TRANSFORMS_ELEMENTS_H

#include "Dialect/Ops.h"
#include "Support/Build.h"
#include "Support/Constants.h"

typedef struct {
  TileBuilder b;
  TileArena *arena;
  MlirOperation launch;
} TileElements;

/// Numbers that follow from places alone are computed where they are read, and
/// have no fragments.
void tile_elements_inline_places(const TileElements *elements);

/// Arithmetic of f16 and bf16 becomes that of f32, rounded where it leaves a
/// loop.
void tile_elements_widen(const TileElements *elements);

/// Loops that hide elements by their places run in rounds where they hide one.
void tile_elements_guard_masks(const TileElements *elements);

#endif // TILE_TRANSFORMS_ELEMENTS_H

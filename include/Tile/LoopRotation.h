//===- LoopRotation.h - Dependent products in two iterations at a time ----===//
#ifndef TILE_LOOP_ROTATION_H
#define TILE_LOOP_ROTATION_H

#include "Tile/LoopBody.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_ROTATION_STAGES = 2 };

/// Why a loop with dependent products is not rotated.
typedef struct {
  const char *code;    // of the remark; NULL: it has none
  MlirOperation blame; // in its body
} TileRotation;

/// Plans the loop in two stages: products that depend on others of their
/// iteration run beside the first ones of the next. False, with the reason,
/// when it does not pay or is not possible; the plan is undefined then.
bool tile_rotation_plan(TileArena *arena, TilePlannedLoop *loop,
                        TileRotation *out_reason);

/// Says at `loop`, whose dependent products stay as they are, why.
void tile_rotation_remark(MlirOperation loop, const TileRotation *reason);

#ifdef __cplusplus
}
#endif

#endif // TILE_LOOP_ROTATION_H

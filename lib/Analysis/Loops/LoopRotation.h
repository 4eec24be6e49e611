//===- LoopRotation.h - Dependent products in two iterations at a time ----===//
#ifndef TILE_LOOP_ROTATION_H
#define TILE_LOOP_ROTATION_H

#include "LoopBody.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TILE_ROTATION_STAGES = 2 };

/// Why a loop with dependent products is not rotated.
typedef struct {
  const char *code;    // of the remark; NULL: it has none
  MlirOperation blame; // in its body
} TileRotation;

/// Plans the loop so that products which depend on others of their iteration
/// run beside the first ones of the next. What tile_loop_plan_solve has found
/// to run ahead does so. False, with the reason, when it does not pay or is not
/// possible; stages and orders are undefined then.
bool tile_rotation_plan(TileArena *arena, TilePlannedLoop *loop,
                        TileRotation *out_reason);

/// Whether the user has nothing against it in this kernel.
bool tile_rotation_is_wished(MlirOperation kernel);

/// Registers per thread that a rotated loop takes: factors and sums of two
/// iterations are alive at a time, which is all fragments of the loop, and what
/// is needed for addresses and masks.
int64_t tile_rotation_num_registers(const TileLoopBody *body,
                                    int64_t num_threads);

/// Says at `loop`, whose dependent products stay as they are, why.
void tile_rotation_remark(MlirOperation loop, const TileRotation *reason);

#ifdef __cplusplus
}
#endif

#endif // TILE_LOOP_ROTATION_H

//===- FindingView.h - Findings as data for users -------------------------===//
#ifndef TILE_EMULATOR_FINDING_VIEW_H
#define TILE_EMULATOR_FINDING_VIEW_H

#include "Emulator/Machine.h"

/// Fills what tile_emu_finding returns. All texts are copied: the module may
/// be destroyed after the launch.
void tile_emu_finding_view(const TileRun *run, const TileFinding *finding,
                           TileEmuFinding *out_view);

#endif // TILE_EMULATOR_FINDING_VIEW_H

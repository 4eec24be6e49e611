//===- TmaExec.h - Execution of bulk and tensor copies --------------------===//
#ifndef TILE_EMULATOR_TMA_EXEC_H
#define TILE_EMULATOR_TMA_EXEC_H

#include "Emulator/Machine.h"

TileLanes tile_emu_tma_load(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes);
TileLanes tile_emu_tma_store(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes);
TileLanes tile_emu_bulk_commit(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes);
TileLanes tile_emu_bulk_wait(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes);

#endif // TILE_EMULATOR_TMA_EXEC_H

//===- Undefined.h - Registers that hold what nobody wrote ----------------===//
#ifndef TILE_EMULATOR_UNDEFINED_H
#define TILE_EMULATOR_UNDEFINED_H

#include "Race.h"

/// Prepares a read of shared memory whose uninitialised bytes are noted in
/// `access`, to be marked by tile_emu_undefined_mark, instead of reported.
static inline void tile_undefined_defer(TileAccess *access) {
  access->defers_uninitialised = true;
  access->undefined_begin = UINT32_MAX;
  access->undefined_end = 0;
}

/// `lanes` of the register at `slot`, a destination of `insn`, got the bytes
/// of `cta` at `offset`, which nobody has written.
void tile_emu_undefined_mark(TileWarp *warp, const TileInsn *insn,
                             uint32_t slot, TileLanes lanes, const TileCta *cta,
                             uint32_t offset);

/// `lanes` of the register at `slot`, a source of `insn`, were written to the
/// bytes of `cta` at `offset`.
void tile_emu_undefined_store(const TileWarp *warp, const TileInsn *insn,
                              uint32_t slot, TileLanes lanes, TileCta *cta,
                              uint32_t offset, uint32_t size_bytes);
/// Notes in `access` which of the bytes hold such values; cta->undefined is
/// not NULL.
void tile_emu_undefined_load(const TileCta *cta, uint32_t offset,
                             uint32_t size_bytes, TileAccess *access);

/// Before an instruction is executed, when warp->num_undefined is not 0.
void tile_emu_undefined_step(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes);
/// While a shuffle is executed: lane l takes the value of lane sources_of[l].
void tile_emu_undefined_shuffle(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes, const uint8_t *sources_of);
/// Before the guard of an instruction is looked at, and before a branch.
void tile_emu_undefined_guard(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes);

void tile_emu_undefined_reset(TileWarp *warp);
void tile_emu_undefined_destroy(TileWarp *warp);

#endif // TILE_EMULATOR_UNDEFINED_H

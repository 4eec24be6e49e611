//===- WordOrder.h - Threads that synchronise through words of memory -----===//
//
// PTX ISA, "Release and Acquire Patterns": a strong store or an atomic update
// that releases, or follows a fence, orders what its thread did before those
// that read the word by strong loads and updates. Locks and flags are made so.
// A thread that reads without a fence counts as one that acquires: a race may
// be missed, none is invented. Between clusters: CoResident.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_WORD_ORDER_H
#define TILE_EMULATOR_WORD_ORDER_H

#include "Emulator/Machine.h"

/// `lane` reads, writes or updates the word at `memory`, of shared or global
/// memory. `releases`: the instruction says so.
void tile_emu_word_meet(TileWarp *warp, uint32_t lane, const uint8_t *memory,
                        bool is_load, bool is_store, bool releases);
void tile_emu_words_clear(TileCluster *cluster);

#endif // TILE_EMULATOR_WORD_ORDER_H

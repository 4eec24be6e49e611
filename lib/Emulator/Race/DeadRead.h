//===- DeadRead.h - Races with reads whose value nobody uses --------------===//
#ifndef TILE_EMULATOR_DEAD_READ_H
#define TILE_EMULATOR_DEAD_READ_H

#include "Race.h"

/// Numbers the instructions that load registers from shared or global memory,
/// and flags those that read or write such registers.
void tile_emu_loads_number(TileKernel *kernel);

/// Where the lanes of a warp loaded from when they last executed a load.
typedef struct {
  uint32_t tick[TILE_WARP_SIZE]; // of the thread
  const uint8_t *memory[TILE_WARP_SIZE];
} TileLoadRecord;

/// `lanes` execute a load; returns its record, to be filled in.
TileLoadRecord *tile_emu_load_begin(TileWarp *warp, const TileInsn *insn,
                                    TileLanes lanes);
static inline void tile_load_note(TileLoadRecord *record, const TileWarp *warp,
                                  uint32_t lane, const uint8_t *memory) {
  uint32_t thread = tile_warp_thread(warp, lane);
  record->tick[lane] = warp->cluster->clocks.threads[thread].tick;
  record->memory[lane] = memory;
}

/// `lanes` execute an instruction that is flagged.
void tile_emu_loads_touch(TileWarp *warp, const TileInsn *insn,
                          TileLanes lanes);

/// A race that is found, to be reported at once or when the value is used.
typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  TileLanes lanes;
  TileFindingKind kind;
  TileFindingMemory memory;
  const TileInsn *earlier;
  const char *text;
} TileRace;

void tile_emu_race_find(const TileRace *race);
/// UndefinedMarks.c: the origin of values that depend on the race.
uint16_t tile_emu_origin_of_race(const TileRace *race);
/// A load races with an earlier write: while cluster->race_origin is not NULL,
/// it is told the origin of the value, and nothing is reported yet.
bool tile_emu_race_defer_read(const TileRace *race);
/// A write races with what `earlier`, a load of the thread of `epoch`, has read
/// at `memory`: nothing is reported yet when nobody has used that value.
bool tile_emu_race_defer_write(const TileRace *race, TileEpoch epoch,
                               const uint8_t *memory);

void tile_emu_loads_reset(TileWarp *warp);
void tile_emu_loads_destroy(TileWarp *warp);

#endif // TILE_EMULATOR_DEAD_READ_H

//===- Wmma.h - wmma.load and wmma.store ----------------------------------===//
#ifndef TILE_EMULATOR_WMMA_H
#define TILE_EMULATOR_WMMA_H

#include "MmaShapes.h"

/// A matrix in memory and its fragment. `lines` are what is contiguous: rows,
/// or columns when it is column-major.
struct TileWmmaAccess {
  uint32_t num_rows, num_columns;
  uint32_t elem_bits;
  bool is_column_major;
  bool is_accumulator, is_b;
  uint32_t m, n;          // of an accumulator
  uint32_t num_registers; // of a lane
  bool has_wide_address;
};

static inline uint32_t tile_wmma_num_lines(const TileWmmaAccess *access) {
  return access->is_column_major ? access->num_columns : access->num_rows;
}
static inline uint32_t tile_wmma_line_elems(const TileWmmaAccess *access) {
  return access->is_column_major ? access->num_rows : access->num_columns;
}

TileLanes tile_emu_wmma_load(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes);
TileLanes tile_emu_wmma_store(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes);

#endif // TILE_EMULATOR_WMMA_H

//===- TmaRows.h - The rows that an instruction takes from a tensor -------===//
#ifndef TILE_EMULATOR_TMA_ROWS_H
#define TILE_EMULATOR_TMA_ROWS_H

#include "Async.h"
#include "Emulator/Ptx/Decode.h"
#include "TensorMapCodec.h"

typedef enum {
  TILE_TENSOR_TILED,
  TILE_TENSOR_IM2COL,
  TILE_TENSOR_GATHER // and scatter
} TileTensorMode;

enum { TILE_GATHER_ROWS = 4, TILE_TENSOR_MAX_COORDINATES = 5 };

/// The operands of one lane.
typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;
  bool is_store;
  const TileEncodedMap *map;
  uint32_t shared; // offset of the first row in shared memory
  int32_t start[TILE_TENSOR_MAX_COORDINATES];
  uint32_t offsets[3]; // im2col
} TileTensorWalk;

/// Row number `index`, at `at` in the dimensions after the first.
TileAsyncRow tile_emu_tensor_row(const TileTensorWalk *walk, const int64_t *at,
                                 uint32_t index);

/// Gather.c: fills the rows; false after a report.
bool tile_emu_gather_rows(const TileTensorWalk *walk, TileAsyncRow *rows);

//===-- Im2col.c ----------------------------------------------------------===//

uint64_t tile_emu_im2col_num_rows(const TileEncodedMap *map);
bool tile_emu_im2col_rows(const TileTensorWalk *walk, TileAsyncRow *rows);
/// What cuTensorMapEncodeIm2col refuses, beyond what it has in common with
/// tiled maps.
TileStatus tile_emu_im2col_check(const TileTensorMap *map);
void tile_emu_im2col_encode(const TileTensorMap *map, TileEncodedMap *encoded);
/// Adds the offsets in operand `index` to the coordinates.
void tile_emu_decode_im2col_offsets(TileDecoder *decoder, uint32_t index,
                                    TileSlotList *list);

#endif // TILE_EMULATOR_TMA_ROWS_H

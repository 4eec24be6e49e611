//===- Alu.h - Arithmetic operations by type ------------------------------===//
#ifndef TILE_EMULATOR_ALU_H
#define TILE_EMULATOR_ALU_H

#include "Machine.h"

typedef enum {
  TILE_ALU_ADD,
  TILE_ALU_ADD_SAT,
  TILE_ALU_SUB,
  TILE_ALU_SUB_SAT,
  TILE_ALU_MUL,
  TILE_ALU_MUL_HI,
  TILE_ALU_MUL_WIDE,
  TILE_ALU_MAD,
  TILE_ALU_MAD_HI,
  TILE_ALU_MAD_WIDE,
  TILE_ALU_FMA,
  TILE_ALU_SAD,
  TILE_ALU_DIV,
  TILE_ALU_REM,
  TILE_ALU_MIN,
  TILE_ALU_MAX,
  TILE_ALU_MIN_NAN,
  TILE_ALU_MAX_NAN,
  TILE_ALU_ABS,
  TILE_ALU_NEG,
  TILE_ALU_COPYSIGN,
  TILE_ALU_SQRT,
  TILE_ALU_RSQRT,
  TILE_ALU_RCP,
  TILE_ALU_EX2,
  TILE_ALU_LG2,
  TILE_ALU_SIN,
  TILE_ALU_COS,
  TILE_ALU_TANH,
  TILE_ALU_NUM_OPS
} TileAluOp;

/// NULL when there is no such instruction.
TileExec tile_emu_integer_exec(TileAluOp op, TilePtxType type);
TileExec tile_emu_float_exec(TileAluOp op, TilePtxType type);
TileExec tile_emu_half_exec(TileAluOp op, TilePtxType type);

#endif // TILE_EMULATOR_ALU_H

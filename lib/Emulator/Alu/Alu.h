//===- Alu.h - Arithmetic operations by type ------------------------------===//
#ifndef TILE_EMULATOR_ALU_H
#define TILE_EMULATOR_ALU_H

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

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
  TILE_ALU_MAD_HI_SAT,
  TILE_ALU_MAD_WIDE,
  TILE_ALU_FMA,
  TILE_ALU_SAD,
  TILE_ALU_DIV,
  TILE_ALU_DIV_APPROX,
  TILE_ALU_REM,
  TILE_ALU_MIN,
  TILE_ALU_MAX,
  TILE_ALU_MIN_NAN,
  TILE_ALU_MAX_NAN,
  TILE_ALU_MIN_RELU,
  TILE_ALU_MAX_RELU,
  TILE_ALU_MUL24_LO,
  TILE_ALU_MUL24_HI,
  TILE_ALU_MAD24_LO,
  TILE_ALU_MAD24_HI,
  TILE_ALU_MAD24_HI_SAT,
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

//===-- Modifiers ---------------------------------------------------------===//

/// What happens around a floating-point operation; PTX ISA, "Floating Point
/// Instructions".
typedef enum {
  TILE_FLOAT_FLUSH = 1,         // .ftz: subnormal inputs and results are zero
  TILE_FLOAT_SATURATE = 2,      // .sat: to [0, 1], NaN is 0
  TILE_FLOAT_RELU = 4,          // .relu: negative is 0, NaN is canonical
  TILE_FLOAT_XORSIGN = 8,       // .xorsign.abs: of magnitudes, with xored signs
  TILE_FLOAT_OUT_OF_BOUNDS = 16 // .oob: 0 when a or b is the NaN 0xffff
} TileFloatModifier;

/// Reads the rounding and the modifiers of the opcode and wraps the instruction
/// for them: it is complete and computes the operation alone.
void tile_emu_decode_float_modifiers(TileDecoder *decoder,
                                     uint32_t num_sources);

static inline uint32_t tile_f32_flush(uint32_t bits) {
  return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

#endif // TILE_EMULATOR_ALU_H

//===- Matrix.h - Elements of matrix fragments ----------------------------===//
//
// Tensor cores multiply exactly and accumulate in f32 (or s32). Elements of
// all input types are exact in f32, and so are their products.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_MATRIX_H
#define TILE_EMULATOR_MATRIX_H

#include "Emulator/Ptx/Ptx.h"

/// Bits of an element of a multiplicand; 0 when the type cannot be one.
uint32_t tile_emu_matrix_elem_bits(TilePtxType type);

/// Reads `count` elements that lie one after the other; element i goes to
/// out_values[i * stride].
void tile_emu_matrix_unpack(TilePtxType type, const uint8_t *memory,
                            uint32_t count, float *out_values, uint32_t stride);

/// The rows of A that a lane holds in register `reg`, for m16n8k and wgmma
/// with A in registers. PTX ISA, "Matrix Fragments for mma.m16n8k16" and
/// "Register Fragments for wgmma": `row` is lane/4 (+ 8 for odd registers),
/// the first of its elements is in column `column`.
static inline uint32_t tile_fragment_row(uint32_t lane, uint32_t reg) {
  return lane / 4 + (reg & 1) * 8;
}
static inline uint32_t tile_fragment_column(uint32_t lane, uint32_t reg,
                                            uint32_t elems_per_reg) {
  return lane % 4 * elems_per_reg + (reg >> 1) * 4 * elems_per_reg;
}

#endif // TILE_EMULATOR_MATRIX_H

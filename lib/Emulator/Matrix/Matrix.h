//===- Matrix.h - Elements of matrix fragments ----------------------------===//
//
// Tensor cores multiply exactly and accumulate in f32 (or s32). Elements of
// all input types are exact in f32, and so are their products.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_MATRIX_H
#define TILE_EMULATOR_MATRIX_H

#include "Emulator/Machine.h"

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

//===-- Sparse A ----------------------------------------------------------===//

// PTX ISA, "Sparse matrix storage": A is stored without its zeros, half of
// its elements. Metadata has four bits for each chunk of a row: two positions
// of two bits. Chunks are 4 elements of which 2 are stored; of tf32, 2 and 1;
// of s4 and u4, 8 and 4 in pairs that stay together.
//
// The registers of metadata, for row r and chunk c of 16 rows (checked against
// an H200):
//
//   16 and 32 bits: lane 4 (r % 8) + c / 4, bits 4 (c % 4), and 16 more for
//                   rows 8 to 15
//   8 and 4 bits:   lane 4 (r % 8) + 2 (c / 8), one more for rows 8 to 15,
//                   bits 4 (c % 8)
//
// The selector says which lanes of the four these are: it counts groups of as
// many lanes as there are in use.

enum { TILE_SPARSE_ROWS = 16, TILE_SPARSE_MAX_ELEMS = 64 };

typedef struct {
  uint32_t k; // of A with its zeros
  uint32_t elem_bits;
  uint32_t selector;
  bool is_ordered; // positions of a chunk must ascend
} TileSparsity;

/// The k of stored element [row][i].
typedef struct {
  uint8_t k[TILE_SPARSE_ROWS][TILE_SPARSE_MAX_ELEMS];
} TileSparsePlaces;

/// Reads the metadata of a warp. Chunks with positions that PTX leaves
/// undefined give some place inside of the chunk.
void tile_emu_sparsity_places(const TileSparsity *sparsity,
                              const uint32_t metadata[TILE_WARP_SIZE],
                              TileSparsePlaces *out_places);
/// Reports a selector or positions that PTX leaves undefined.
void tile_emu_sparsity_check(TileWarp *warp, const TileInsn *insn,
                             const TileSparsity *sparsity,
                             const uint32_t metadata[TILE_WARP_SIZE]);

#endif // TILE_EMULATOR_MATRIX_H

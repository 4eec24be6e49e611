//===- Mma.h - Shapes and fragments of warp-level products ----------------===//
//
// What mma, mma.sp and wmma have in common: which shapes and types go
// together, and which element of a matrix a lane has in which register.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_MMA_H
#define TILE_EMULATOR_MMA_H

#include "Emulator/Machine.h"
#include "Emulator/Ptx/Decode.h"

/// Multiplicands of one family have the same shapes.
typedef enum {
  TILE_MMA_HALF, // f16
  TILE_MMA_BF16,
  TILE_MMA_TF32,
  TILE_MMA_FP8,    // e4m3, e5m2
  TILE_MMA_BYTE,   // s8, u8
  TILE_MMA_NIBBLE, // s4, u4
  TILE_MMA_BIT,    // b1
  TILE_MMA_DOUBLE, // f64
  TILE_MMA_NUM_FAMILIES
} TileMmaFamily;

typedef enum { TILE_MMA_DENSE, TILE_MMA_SPARSE, TILE_MMA_WMMA } TileMmaForm;

/// D (m x n) = A (m x k) * B (k x n) + C of one instruction.
struct TileMmaShape {
  TileMmaForm form;
  TileMmaFamily family;
  uint32_t m, n, k;
  uint32_t elem_bits; // of A and B
  // s4 and u4 are S8 and U8 of four bits.
  TilePtxType a_type, b_type, c_type, d_type;
  uint32_t num_d, num_a, num_b, num_c; // registers of a lane
  bool a_is_column_major, b_is_column_major;
  bool is_saturating; // s32 sums
  bool is_xor;        // BIT: xor, or and
  int rounding;       // DOUBLE, as fesetround has it
  // Sparse A.
  bool has_ordered_metadata;
  uint32_t selector;
};

//===-- Decoding ----------------------------------------------------------===//

/// Shape, types and modifiers from the words of the opcode. False: there is
/// no such combination, and the instruction is unsupported.
bool tile_emu_mma_shape_decode(TileDecoder *decoder, TileMmaForm form,
                               TileMmaShape *out_shape);
/// Reads operands D, A, B and C into insn->vec, keeps the shape, and chooses
/// what executes it. False when a fragment has the wrong size.
bool tile_emu_mma_operands_decode(TileDecoder *decoder,
                                  const TileMmaShape *shape);
/// Type named by a word of wmma.load or wmma.store; false when none is.
bool tile_emu_mma_elem_decode(const TileDecoder *decoder, TilePtxType *out_type,
                              uint32_t *out_bits);
/// Is it a shape of a wmma multiplicand of this family?
bool tile_emu_mma_has_shape(TileMmaForm form, TileMmaFamily family, uint32_t m,
                            uint32_t n, uint32_t k);
bool tile_emu_mma_family_of(TilePtxType type, uint32_t elem_bits,
                            TileMmaFamily *out_family);

//===-- Fragments ---------------------------------------------------------===//

/// A multiplicand: `extent` rows of A or columns of B, by k.
typedef struct {
  uint32_t extent, k;
  uint32_t per_reg;   // elements in a register
  uint32_t num_steps; // registers along k
  bool has_row_pairs; // a register for x is followed by that for x + 8
} TileMmaFragment;

/// The registers of a lane cover 8 rows of A or columns of B and
/// 4 * per_reg elements of k. A with more than 8 rows takes rows x and x + 8
/// alternately, then goes on in k, then by 16 rows; others go on in k, then by
/// 8. PTX ISA, "Matrix Fragments for mma.…". The fragments of wmma are
/// unspecified; ours are those of mma, as on an H200, where m8n32 is the
/// transpose of m32n8.
static inline TileMmaFragment tile_mma_fragment(uint32_t extent, uint32_t k,
                                                uint32_t elem_bits, bool is_b) {
  TileMmaFragment fragment = {.extent = extent, .k = k};
  fragment.per_reg = elem_bits < 32 ? 32 / elem_bits : 1;
  fragment.num_steps =
      k > 4 * fragment.per_reg ? k / (4 * fragment.per_reg) : 1;
  fragment.has_row_pairs = extent >= 16 && !(is_b && extent == 16);
  return fragment;
}

static inline uint32_t
tile_mma_fragment_registers(const TileMmaFragment *fragment) {
  return fragment->extent / 8 * fragment->num_steps;
}

typedef struct {
  uint32_t x, k; // of B: column and row
} TileMmaPlace;

/// The first element of a register; the others follow in k.
static inline TileMmaPlace
tile_mma_fragment_place(const TileMmaFragment *fragment, uint32_t lane,
                        uint32_t reg) {
  uint32_t half = 0;
  if (fragment->has_row_pairs) {
    half = reg % 2;
    reg /= 2;
  }
  uint32_t block =
      reg / fragment->num_steps * (fragment->has_row_pairs ? 16 : 8);
  TileMmaPlace place;
  place.x = block + half * 8 + lane / 4;
  place.k = (reg % fragment->num_steps * 4 + lane % 4) * fragment->per_reg;
  return place;
}

/// Row and column of accumulator `index` of a lane.
static inline void tile_mma_accumulator_place(uint32_t m, uint32_t n,
                                              uint32_t lane, uint32_t index,
                                              uint32_t *out_row,
                                              uint32_t *out_column) {
  bool is_transposed = n == 32;
  uint32_t num_halves = is_transposed || m == 32 ? 4 : m == 16 ? 2 : 1;
  uint32_t x = index / 2 % num_halves * 8 + lane / 4;
  uint32_t y = index / 2 / num_halves * 8 + lane % 4 * 2 + index % 2;
  *out_row = is_transposed ? y : x;
  *out_column = is_transposed ? x : y;
}

//===-- Products ----------------------------------------------------------===//

enum {
  TILE_MMA_MAX_A = 16 * 64, // sparse A is stored without its zeros
  TILE_MMA_MAX_B = 128 * 8,
  TILE_MMA_MAX_D = 256
};

/// Matrices by rows. Integers are exact in f32, and so are the sums of their
/// products, which are at most 64 * 255 * 255.
typedef struct {
  float a[TILE_MMA_MAX_A], b[TILE_MMA_MAX_B];
  float d[TILE_MMA_MAX_D];
  int32_t c[TILE_MMA_MAX_D]; // when the accumulators are integers
} TileMmaProduct;

#endif // TILE_EMULATOR_MMA_H

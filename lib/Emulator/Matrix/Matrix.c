//===- Matrix.c - Elements of matrix fragments ----------------------------===//

#include "Matrix.h"
#include "Emulator/Alu/NarrowFloat.h"

uint32_t tile_emu_matrix_elem_bits(TilePtxType type) {
  switch (type) {
  case TILE_PTX_F16:
  case TILE_PTX_BF16:
    return 16;
  case TILE_PTX_TF32:
  case TILE_PTX_F32:
    return 32;
  case TILE_PTX_E4M3:
  case TILE_PTX_E5M2:
  case TILE_PTX_S8:
  case TILE_PTX_U8:
    return 8;
  default:
    return 0;
  }
}

#define UNPACK_BY(T, expr, step)                                               \
  for (size_t i = 0; i < count; i++) {                                         \
    T x;                                                                       \
    memcpy(&x, memory + i * sizeof x, sizeof x);                               \
    out_values[i * (step)] = (expr);                                           \
  }
// The frequent stride is a loop of its own, which becomes vector code.
#define UNPACK(T, expr)                                                        \
  if (stride == 1) {                                                           \
    UNPACK_BY(T, expr, 1)                                                      \
  } else {                                                                     \
    UNPACK_BY(T, expr, stride)                                                 \
  }                                                                            \
  break

void tile_emu_matrix_unpack(TilePtxType type, const uint8_t *memory,
                            uint32_t count, float *out_values,
                            uint32_t stride) {
  switch (type) {
  case TILE_PTX_BF16:
    UNPACK(uint16_t, tile_f32_of_bf16(x));
  case TILE_PTX_F16:
    UNPACK(uint16_t, tile_f32_of_f16(x));
  case TILE_PTX_E4M3:
    UNPACK(uint8_t, tile_f32_of_e4m3(x));
  case TILE_PTX_E5M2:
    UNPACK(uint8_t, tile_f32_of_e5m2(x));
  case TILE_PTX_S8:
    UNPACK(int8_t, (float)x);
  case TILE_PTX_U8:
    UNPACK(uint8_t, (float)x);
  default: // tf32: the low 13 bits are ignored
    UNPACK(uint32_t, tile_f32_of_bits(x & ~0x1fffu));
  }
}

//===-- Metadata of a sparse A --------------------------------------------===//

typedef struct {
  uint32_t size, num_stored; // elements
} Chunk;

static Chunk chunk_of(uint32_t elem_bits) {
  Chunk chunk = {4, 2};
  if (elem_bits == 32)
    chunk = (Chunk){2, 1};
  if (elem_bits == 4)
    chunk = (Chunk){8, 4};
  return chunk;
}

static uint32_t num_chunks(const TileSparsity *sparsity) {
  return sparsity->k / chunk_of(sparsity->elem_bits).size;
}

/// Number of values the selector may have.
static uint32_t sparsity_num_selectors(const TileSparsity *sparsity) {
  uint32_t num_bits = TILE_SPARSE_ROWS / 8 * 4 * num_chunks(sparsity);
  return 4 * 32 / num_bits;
}

/// The lane that has the positions of a chunk, and their place in it.
static uint32_t lane_of(const TileSparsity *sparsity, uint32_t row,
                        uint32_t chunk, uint32_t *out_shift) {
  uint32_t num_selectors = sparsity_num_selectors(sparsity);
  uint32_t first = sparsity->selector % num_selectors * (4 / num_selectors);
  bool is_wide = sparsity->elem_bits >= 16;
  *out_shift = is_wide ? 4 * (chunk % 4) + row / 8 * 16 : 4 * (chunk % 8);
  return 4 * (row % 8) + first +
         (is_wide ? chunk / 4 : chunk / 8 * 2 + row / 8);
}

/// Position in the chunk of stored element `index`.
static uint32_t position(const TileSparsity *sparsity, uint32_t bits,
                         uint32_t index) {
  if (sparsity->elem_bits == 32) // 0b0100 or 0b1110
    return bits >> 1 & 1;
  if (sparsity->elem_bits == 4)
    return 2 * (bits >> (index / 2 * 2) & 3) + index % 2;
  return bits >> (2 * index) & 3;
}

static bool is_defined(const TileSparsity *sparsity, uint32_t bits) {
  uint32_t first = bits & 3, second = bits >> 2 & 3;
  if (sparsity->elem_bits == 32)
    return (bits & 15) == 0x4 || (bits & 15) == 0xe;
  return sparsity->is_ordered ? first < second : first != second;
}

void tile_emu_sparsity_places(const TileSparsity *sparsity,
                              const uint32_t metadata[TILE_WARP_SIZE],
                              TileSparsePlaces *out_places) {
  Chunk size = chunk_of(sparsity->elem_bits);
  for (uint32_t row = 0; row < TILE_SPARSE_ROWS; row++)
    for (uint32_t chunk = 0; chunk < num_chunks(sparsity); chunk++) {
      uint32_t shift;
      uint32_t lane = lane_of(sparsity, row, chunk, &shift);
      uint8_t *to = &out_places->k[row][(size_t)chunk * size.num_stored];
      for (uint32_t i = 0; i < size.num_stored; i++)
        to[i] = (uint8_t)(chunk * size.size +
                          position(sparsity, metadata[lane] >> shift, i));
    }
}

void tile_emu_sparsity_check(TileWarp *warp, const TileInsn *insn,
                             const TileSparsity *sparsity,
                             const uint32_t metadata[TILE_WARP_SIZE]) {
  uint32_t num_selectors = sparsity_num_selectors(sparsity);
  if (sparsity->selector >= num_selectors)
    tile_emu_find(warp, insn, 1, TILE_FINDING_SPARSE_METADATA,
                  "sparsity selector %u where there are %u", sparsity->selector,
                  num_selectors);
  for (uint32_t row = 0; row < TILE_SPARSE_ROWS; row++)
    for (uint32_t chunk = 0; chunk < num_chunks(sparsity); chunk++) {
      uint32_t shift;
      uint32_t lane = lane_of(sparsity, row, chunk, &shift);
      uint32_t bits = metadata[lane] >> shift & 15;
      if (is_defined(sparsity, bits))
        continue;
      tile_emu_find(warp, insn, tile_lane_bit(lane),
                    TILE_FINDING_SPARSE_METADATA,
                    "metadata 0x%08x has 0x%x for chunk %u of row %u, which "
                    "%s",
                    metadata[lane], bits, chunk, row,
                    sparsity->elem_bits == 32 ? "is neither 0x4 nor 0xe"
                    : sparsity->is_ordered    ? "names positions that do not "
                                                "ascend"
                                              : "names a position twice");
      return;
    }
}

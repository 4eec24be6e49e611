//===- MmaSparse.c - mma.sp -----------------------------------------------===//
//
// D (16 x 8) = A (16 x k) * B (k x 8) + C, where half of A is zero and not
// stored. What is not stored is not multiplied either, so infinities of B
// there do no harm. Numerics as in MmaShapes.c, in the order of storage.
//
// Instruction: vec = registers of D, A, B and C; e = metadata.
//
//===----------------------------------------------------------------------===//

#include "MmaSparse.h"
#include "MmaShapes.h"

//===-- Metadata ----------------------------------------------------------===//

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

uint32_t tile_emu_sparsity_num_selectors(const TileSparsity *sparsity) {
  uint32_t num_bits = TILE_SPARSE_ROWS / 8 * 4 * num_chunks(sparsity);
  return 4 * 32 / num_bits;
}

/// The lane that has the positions of a chunk, and their place in it.
static uint32_t lane_of(const TileSparsity *sparsity, uint32_t row,
                        uint32_t chunk, uint32_t *out_shift) {
  uint32_t num_selectors = tile_emu_sparsity_num_selectors(sparsity);
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
  uint32_t num_selectors = tile_emu_sparsity_num_selectors(sparsity);
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

//===-- Product -----------------------------------------------------------===//

static void multiply(TileMmaProduct *product, const TileMmaShape *shape,
                     const TileSparsePlaces *places) {
  static const size_t columns = 8;
  size_t num_stored = shape->k / 2;
  for (uint32_t row = 0; row < TILE_SPARSE_ROWS; row++) {
    float *sum = &product->d[row * columns];
    for (uint32_t i = 0; i < num_stored; i++) {
      float a = product->a[row * num_stored + i];
      const float *b = &product->b[places->k[row][i] * columns];
      for (uint32_t column = 0; column < columns; column++)
        sum[column] += a * b[column];
    }
  }
}

TileLanes tile_emu_mma_sparse_run(TileWarp *warp, const TileInsn *insn,
                                  TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *d = insn->vec, *a = d + shape->num_d;
  const uint32_t *b = a + shape->num_a, *c = b + shape->num_b;
  uint32_t bits = shape->elem_bits;
  TileSparsity sparsity = {shape->k, bits, shape->selector,
                           shape->has_ordered_metadata};
  TileSparsePlaces places;
  tile_emu_sparsity_check(warp, insn, &sparsity, tile_u32(warp, insn->e));
  tile_emu_sparsity_places(&sparsity, tile_u32(warp, insn->e), &places);
  TileMmaFragment a_fragment =
      tile_mma_fragment(shape->m, shape->k / 2, bits, false);
  TileMmaFragment b_fragment =
      tile_mma_fragment(shape->n, shape->k, bits, true);
  TileMmaProduct product = {0};
  tile_emu_mma_fragment_load(warp, a, &a_fragment, shape->a_type, bits,
                             product.a, shape->k / 2, 1);
  tile_emu_mma_fragment_load(warp, b, &b_fragment, shape->b_type, bits,
                             product.b, 1, shape->n);
  tile_emu_mma_accumulators_load(warp, shape, c, &product);
  multiply(&product, shape, &places);
  tile_emu_mma_accumulators_store(warp, shape, d, &product);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

void tile_emu_decode_mma_sparse(TileDecoder *decoder) {
  TileMmaShape shape;
  if (!tile_emu_mma_shape_decode(decoder, TILE_MMA_SPARSE, &shape) ||
      !tile_decode_count(decoder, 6, 6))
    return;
  int64_t selector = tile_decode_immediate(decoder, 5);
  shape.selector = selector >= 0 && selector < 4 ? (uint32_t)selector : 4;
  shape.has_ordered_metadata = tile_decode_has(decoder, "sp::ordered_metadata");
  if (tile_emu_mma_operands_decode(decoder, &shape))
    decoder->insn->e = tile_decode_src(decoder, 4, TILE_PTX_B32);
}

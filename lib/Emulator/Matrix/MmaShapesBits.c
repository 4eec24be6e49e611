//===- MmaShapesBits.c - Products of single bits --------------------------===//
//
// PTX ISA, "mma", "wmma.mma": a multiplication is xor or and, and the set bits
// of the results are counted. Elements are taken 32 at a time.
//
//===----------------------------------------------------------------------===//

#include "MmaShapes.h"

enum { MAX_WORDS = 256 / 32 };

/// Bits by row of A or column of B.
typedef struct {
  uint32_t words[16][MAX_WORDS];
} Bits;

static void load(TileWarp *warp, const uint32_t *slots, uint32_t extent,
                 uint32_t num_k, bool is_b, Bits *out) {
  TileMmaFragment fragment = tile_mma_fragment(extent, num_k, 1, is_b);
  uint32_t num_registers = tile_mma_fragment_registers(&fragment);
  for (uint32_t reg = 0; reg < num_registers; reg++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      TileMmaPlace place = tile_mma_fragment_place(&fragment, l, reg);
      out->words[place.x][place.k / 32] = tile_u32(warp, slots[reg])[l];
    }
}

static uint32_t count(const TileMmaShape *shape, const uint32_t *a,
                      const uint32_t *b) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < shape->k / 32; i++)
    sum += tile_lane_count(shape->is_xor ? a[i] ^ b[i] : a[i] & b[i]);
  return sum;
}

TileLanes tile_emu_mma_bits_run(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *d = insn->vec,
                 *c = d + shape->num_d + shape->num_a + shape->num_b;
  Bits a = {0}, b = {0};
  load(warp, d + shape->num_d, shape->m, shape->k, false, &a);
  load(warp, d + shape->num_d + shape->num_a, shape->n, shape->k, true, &b);
  uint32_t sums[4][TILE_WARP_SIZE]; // D may share registers with C
  for (uint32_t i = 0; i < shape->num_d; i++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t row, column;
      tile_mma_accumulator_place(shape->m, shape->n, l, i, &row, &column);
      sums[i][l] =
          tile_u32(warp, c[i])[l] + count(shape, a.words[row], b.words[column]);
    }
  for (uint32_t i = 0; i < shape->num_d; i++)
    memcpy(tile_u32(warp, d[i]), sums[i], sizeof sums[i]);
  return 0;
}

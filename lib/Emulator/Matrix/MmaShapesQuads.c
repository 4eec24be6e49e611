//===- MmaShapesQuads.c - The four products of mma.m8n8k4 -----------------===//
//
// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type":
// lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3 compute product q. Numerics as
// in MmaShapes.c.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Alu/NarrowFloat.h"
#include "MmaShapes.h"

enum { SIZE = 8, DEPTH = 4 };

typedef struct {
  float a[SIZE][DEPTH], b[DEPTH][SIZE], d[SIZE][SIZE];
} Product;

/// The upper lanes of a product have rows, or columns, 4 to 7.
static uint32_t half_of(uint32_t lane) { return lane < 16 ? 0 : 4; }

static float half_at(TileWarp *warp, const uint32_t *slots, uint32_t lane,
                     uint32_t index) {
  uint32_t bits = tile_u32(warp, slots[index / 2])[lane];
  return tile_f32_of_f16(bits >> (16 * (index % 2)) & 0xffff);
}

/// Where accumulator `index` of a lane is.
static float *accumulator(Product *product, TilePtxType type, uint32_t lane,
                          uint32_t index) {
  if (type == TILE_PTX_F16)
    return &product->d[lane % 4 + half_of(lane)][index];
  uint32_t row = (lane & 1) + (index & 2) + half_of(lane);
  return &product->d[row][(index & 4) + (lane & 2) + (index & 1)];
}

/// Lanes of all products are visited; each knows its own.
static void load(TileWarp *warp, const TileMmaShape *shape,
                 const uint32_t *slots, Product *products) {
  const uint32_t *a = slots + shape->num_d, *b = a + shape->num_a;
  const uint32_t *c = b + shape->num_b;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    Product *product = &products[l % 16 / 4];
    uint32_t half = half_of(l);
    for (uint32_t i = 0; i < DEPTH; i++) {
      // Four elements of a row, or of a column.
      bool by_column = shape->a_is_column_major;
      product->a[half + (by_column ? i : l % 4)][by_column ? l % 4 : i] =
          half_at(warp, a, l, i);
      by_column = shape->b_is_column_major;
      product->b[by_column ? i : l % 4][half + (by_column ? l % 4 : i)] =
          half_at(warp, b, l, i);
    }
    for (uint32_t i = 0; i < SIZE; i++)
      *accumulator(product, shape->c_type, l, i) =
          shape->c_type == TILE_PTX_F16 ? half_at(warp, c, l, i)
                                        : tile_f32(warp, c[i])[l];
  }
}

static void store(TileWarp *warp, const TileMmaShape *shape,
                  const uint32_t *slots, Product *products) {
  bool is_half = shape->d_type == TILE_PTX_F16;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    Product *product = &products[l % 16 / 4];
    for (uint32_t i = 0; i < SIZE; i++) {
      float value = *accumulator(product, shape->d_type, l, i);
      uint32_t *to = &tile_u32(warp, slots[is_half ? i / 2 : i])[l];
      uint32_t half = is_half ? tile_f16_of_f32(value) : 0;
      if (!is_half)
        *to = tile_bits_of_f32(value);
      else
        *to = i % 2 ? (*to & 0xffff) | half << 16 : half;
    }
  }
}

static void multiply(Product *product) {
  for (uint32_t row = 0; row < SIZE; row++)
    for (uint32_t k = 0; k < DEPTH; k++)
      for (uint32_t column = 0; column < SIZE; column++)
        product->d[row][column] += product->a[row][k] * product->b[k][column];
}

TileLanes tile_emu_mma_quads_run(TileWarp *warp, const TileInsn *insn,
                                 TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  Product products[4];
  load(warp, insn->as.shape, insn->vec, products);
  for (uint32_t q = 0; q < 4; q++)
    multiply(&products[q]);
  store(warp, insn->as.shape, insn->vec, products);
  return 0;
}

//===- MmaShapesDouble.c - Products of f64 --------------------------------===//
//
// PTX ISA, "mma": multiplication and addition are those of fma. They are done
// in the order of k, which gives the bits of an H200.
//
//===----------------------------------------------------------------------===//

#include "MmaShapes.h"

#include <fenv.h>
#include <math.h>

enum { MAX_ROWS = 16, COLUMNS = 8, MAX_K = 16 };

typedef struct {
  double a[MAX_ROWS][MAX_K], b[COLUMNS][MAX_K], d[MAX_ROWS][COLUMNS];
} Product;

static void load(TileWarp *warp, const uint32_t *slots, uint32_t extent,
                 uint32_t num_k, bool is_b, double (*out)[MAX_K]) {
  TileMmaFragment fragment = tile_mma_fragment(extent, num_k, 64, is_b);
  uint32_t num_registers = tile_mma_fragment_registers(&fragment);
  for (uint32_t reg = 0; reg < num_registers; reg++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      TileMmaPlace place = tile_mma_fragment_place(&fragment, l, reg);
      out[place.x][place.k] = tile_f64(warp, slots[reg])[l];
    }
}

/// Its own function, so that nothing moves across the change of rounding.
static __attribute__((noinline)) void multiply(Product *product,
                                               const TileMmaShape *shape) {
  for (uint32_t row = 0; row < shape->m; row++)
    for (uint32_t column = 0; column < COLUMNS; column++)
      for (uint32_t k = 0; k < shape->k; k++)
        product->d[row][column] = fma(product->a[row][k], product->b[column][k],
                                      product->d[row][column]);
}

/// C or D: registers of a lane to or from the matrix.
static void accumulators(TileWarp *warp, const TileMmaShape *shape,
                         const uint32_t *slots, Product *product,
                         bool is_store) {
  for (uint32_t i = 0; i < shape->num_d; i++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t row, column;
      tile_mma_accumulator_place(shape->m, shape->n, l, i, &row, &column);
      double *value = &tile_f64(warp, slots[i])[l];
      if (is_store)
        *value = product->d[row][column];
      else
        product->d[row][column] = *value;
    }
}

TileLanes tile_emu_mma_double_run(TileWarp *warp, const TileInsn *insn,
                                  TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *d = insn->vec, *a = d + shape->num_d;
  const uint32_t *b = a + shape->num_a, *c = b + shape->num_b;
  Product product = {0};
  load(warp, a, shape->m, shape->k, false, product.a);
  load(warp, b, shape->n, shape->k, true, product.b);
  accumulators(warp, shape, c, &product, false);
  fesetround(shape->rounding);
  multiply(&product, shape);
  fesetround(FE_TONEAREST);
  accumulators(warp, shape, d, &product, true);
  return 0;
}

//===- MmaShapes.c - Products of all shapes with 32-bit sums --------------===//
//
// Serves mma and wmma: every shape but single bits, f64 and the four products
// of m8n8k4. Numerics: products are exact. With f16 and f32 accumulators they
// are added to C in f32 in the order of k, and f16 results are rounded once,
// at the end; PTX leaves order and rounding open. Sums of integers are exact;
// adding them to C wraps, or saturates with .satfinite.
//
// Instruction: vec = registers of D, A, B and C; shape = what to do.
//
//===----------------------------------------------------------------------===//

#include "MmaShapes.h"
#include "Emulator/Alu/NarrowFloat.h"
#include "Matrix.h"

//===-- A and B -----------------------------------------------------------===//

enum { MAX_PER_REGISTER = 8 };

/// Elements of four bits; those in the low bits come first.
static void unpack_nibbles(const uint32_t *values, bool is_signed, float *out) {
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    for (uint32_t i = 0; i < 8; i++) {
      int32_t bits = (int32_t)(values[l] >> (4 * i) & 15);
      out[l * 8 + i] = (float)(is_signed && bits > 7 ? bits - 16 : bits);
    }
}

void tile_emu_mma_fragment_load(TileWarp *warp, const uint32_t *slots,
                                const TileMmaFragment *fragment,
                                TilePtxType type, uint32_t elem_bits,
                                float *out, size_t x_stride, size_t k_stride) {
  uint32_t num_registers = tile_mma_fragment_registers(fragment);
  uint32_t per_reg = fragment->per_reg;
  for (uint32_t reg = 0; reg < num_registers; reg++) {
    const uint32_t *values = tile_u32(warp, slots[reg]);
    float elems[TILE_WARP_SIZE * MAX_PER_REGISTER];
    if (elem_bits == 4)
      unpack_nibbles(values, type == TILE_PTX_S8, elems);
    else
      tile_emu_matrix_unpack(type, (const uint8_t *)values,
                             TILE_WARP_SIZE * per_reg, elems, 1);
    TileMmaPlace first = tile_mma_fragment_place(fragment, 0, reg);
    float *from = elems, *to = out + first.x * x_stride + first.k * k_stride;
    for (uint32_t x = 0; x < 8; x++, to += x_stride)
      for (uint32_t k = 0; k < 4 * per_reg; k++)
        to[k * k_stride] = *from++;
  }
}

//===-- C and D -----------------------------------------------------------===//

/// Offsets in D of an accumulator of all lanes.
static void offsets_of(const TileMmaShape *shape, uint32_t index,
                       uint32_t out_offsets[TILE_WARP_SIZE]) {
  uint32_t row, column, n = shape->n;
  tile_mma_accumulator_place(shape->m, n, 0, index, &row, &column);
  bool is_transposed = n == 32;
  uint32_t per_group = is_transposed ? 1 : n, per_pair = is_transposed ? n : 1;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    out_offsets[l] =
        row * n + column + l / 4 * per_group + l % 4 * 2 * per_pair;
}

void tile_emu_mma_accumulators_load(TileWarp *warp, const TileMmaShape *shape,
                                    const uint32_t *slots,
                                    TileMmaProduct *product) {
  bool is_half = shape->c_type == TILE_PTX_F16;
  bool is_integer = shape->c_type == TILE_PTX_S32;
  uint32_t count = is_half ? 2 * shape->num_c : shape->num_c;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t *from = tile_u32(warp, slots[is_half ? i / 2 : i]);
    uint32_t offsets[TILE_WARP_SIZE];
    offsets_of(shape, i, offsets);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t half = from[l] >> (16 * (i % 2)) & 0xffff;
      product->d[offsets[l]] = is_integer ? 0
                               : is_half  ? tile_f32_of_f16(half)
                                          : tile_f32_of_bits(from[l]);
      if (is_integer)
        product->c[offsets[l]] = (int32_t)from[l];
    }
  }
}

/// The sum of C and a product, which is a whole number.
static uint32_t finish_integer(const TileMmaShape *shape, int32_t c,
                               float product) {
  int64_t sum = (int64_t)product + c;
  if (shape->is_saturating && sum > INT32_MAX)
    sum = INT32_MAX;
  if (shape->is_saturating && sum < INT32_MIN)
    sum = INT32_MIN;
  return (uint32_t)sum;
}

void tile_emu_mma_accumulators_store(TileWarp *warp, const TileMmaShape *shape,
                                     const uint32_t *slots,
                                     const TileMmaProduct *product) {
  bool is_half = shape->d_type == TILE_PTX_F16;
  bool is_integer = shape->d_type == TILE_PTX_S32;
  uint32_t count = is_half ? 2 * shape->num_d : shape->num_d;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t *to = tile_u32(warp, slots[is_half ? i / 2 : i]);
    uint32_t offsets[TILE_WARP_SIZE];
    offsets_of(shape, i, offsets);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      float value = product->d[offsets[l]];
      if (is_integer) {
        to[l] = finish_integer(shape, product->c[offsets[l]], value);
      } else if (is_half) {
        uint32_t half = tile_f16_of_f32(value);
        to[l] = i % 2 ? (to[l] & 0xffff) | half << 16 : half;
      } else {
        to[l] = tile_bits_of_f32(value);
      }
    }
  }
}

//===-- Product -----------------------------------------------------------===//

enum { BLOCK = 8 }; // columns whose sums stay in registers

static void multiply(TileMmaProduct *product, uint32_t m, uint32_t n,
                     uint32_t num_k) {
  for (uint32_t row = 0; row < m; row++)
    for (uint32_t first = 0; first < n; first += BLOCK) {
      float *d = &product->d[row * n + first];
      float sum[BLOCK];
      memcpy(sum, d, sizeof sum);
      for (uint32_t k = 0; k < num_k; k++) {
        float a = product->a[row * num_k + k];
        const float *b = &product->b[k * n + first];
        for (uint32_t i = 0; i < BLOCK; i++)
          sum[i] += a * b[i];
      }
      memcpy(d, sum, sizeof sum);
    }
}

TileLanes tile_emu_mma_shape_run(TileWarp *warp, const TileInsn *insn,
                                 TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *d = insn->vec, *a = d + shape->num_d;
  const uint32_t *b = a + shape->num_a, *c = b + shape->num_b;
  uint32_t bits = shape->elem_bits;
  TileMmaFragment a_fragment =
      tile_mma_fragment(shape->m, shape->k, bits, false);
  TileMmaFragment b_fragment =
      tile_mma_fragment(shape->n, shape->k, bits, true);
  TileMmaProduct product = {0};
  tile_emu_mma_fragment_load(warp, a, &a_fragment, shape->a_type, bits,
                             product.a, shape->k, 1);
  tile_emu_mma_fragment_load(warp, b, &b_fragment, shape->b_type, bits,
                             product.b, 1, shape->n);
  tile_emu_mma_accumulators_load(warp, shape, c, &product);
  multiply(&product, shape->m, shape->n, shape->k);
  tile_emu_mma_accumulators_store(warp, shape, d, &product);
  return 0;
}

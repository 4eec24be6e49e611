//===- Mma.c - Products of a warp: mma, and what wmma has in common -------===//
//
// PTX ISA, "Warp-level Matrix Multiply-Accumulate Instructions": the tables
// of shapes and types. Everything that is not in them is unsupported.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"
#include "Emulator/Alu/NarrowFloat.h"
#include "Matrix.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>

//===-- 32-bit sums -------------------------------------------------------===//

// Serves mma and wmma: every shape but single bits, f64 and the four products
// of m8n8k4. Numerics: products are exact. With f16 and f32 accumulators they
// are added to C in f32 in the order of k, and f16 results are rounded once,
// at the end; PTX leaves order and rounding open. Sums of integers are exact;
// adding them to C wraps, or saturates with .satfinite.
//
// Instruction: vec = registers of D, A, B and C; shape = what to do.

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

/// Reads A or B: element (x, k) goes to out[x * x_stride + k * k_stride].
static void mma_fragment_load(TileWarp *warp, const uint32_t *slots,
                              const TileMmaFragment *fragment, TilePtxType type,
                              uint32_t elem_bits, float *out, size_t x_stride,
                              size_t k_stride) {
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

/// Reads C: into d, or into c with d zero.
static void mma_accumulators_load(TileWarp *warp, const TileMmaShape *shape,
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

/// Writes D: f16 is rounded once, s32 wraps or saturates once.
static void mma_accumulators_store(TileWarp *warp, const TileMmaShape *shape,
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

// Executors: of any shape with f16, f32 or s32 accumulators; of single bits;
// of f64; of the four products of m8n8k4.
static TileLanes mma_shape_run(TileWarp *warp, const TileInsn *insn,
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
  mma_fragment_load(warp, a, &a_fragment, shape->a_type, bits, product.a,
                    shape->k, 1);
  mma_fragment_load(warp, b, &b_fragment, shape->b_type, bits, product.b, 1,
                    shape->n);
  mma_accumulators_load(warp, shape, c, &product);
  multiply(&product, shape->m, shape->n, shape->k);
  mma_accumulators_store(warp, shape, d, &product);
  return 0;
}

//===-- Single bits -------------------------------------------------------===//

// PTX ISA, "mma", "wmma.mma": a multiplication is xor or and, and the set bits
// of the results are counted. Elements are taken 32 at a time.

enum { BITS_MAX_WORDS = 256 / 32 };

/// Bits by row of A or column of B.
typedef struct {
  uint32_t words[16][BITS_MAX_WORDS];
} Bits;

static void bits_load(TileWarp *warp, const uint32_t *slots, uint32_t extent,
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

// Executors: of any shape with f16, f32 or s32 accumulators; of single bits;
// of f64; of the four products of m8n8k4.
static TileLanes mma_bits_run(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *d = insn->vec,
                 *c = d + shape->num_d + shape->num_a + shape->num_b;
  Bits a = {0}, b = {0};
  bits_load(warp, d + shape->num_d, shape->m, shape->k, false, &a);
  bits_load(warp, d + shape->num_d + shape->num_a, shape->n, shape->k, true,
            &b);
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

//===-- f64 ---------------------------------------------------------------===//

// PTX ISA, "mma": multiplication and addition are those of fma. They are done
// in the order of k, which gives the bits of an H200.

enum { DOUBLE_ROWS = 16, DOUBLE_COLUMNS = 8, DOUBLE_K = 16 };

typedef struct {
  double a[DOUBLE_ROWS][DOUBLE_K], b[DOUBLE_COLUMNS][DOUBLE_K],
      d[DOUBLE_ROWS][DOUBLE_COLUMNS];
} DoubleProduct;

static void double_load(TileWarp *warp, const uint32_t *slots, uint32_t extent,
                        uint32_t num_k, bool is_b, double (*out)[DOUBLE_K]) {
  TileMmaFragment fragment = tile_mma_fragment(extent, num_k, 64, is_b);
  uint32_t num_registers = tile_mma_fragment_registers(&fragment);
  for (uint32_t reg = 0; reg < num_registers; reg++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      TileMmaPlace place = tile_mma_fragment_place(&fragment, l, reg);
      out[place.x][place.k] = tile_f64(warp, slots[reg])[l];
    }
}

/// Its own function, so that nothing moves across the change of rounding.
static __attribute__((noinline)) void
double_multiply(DoubleProduct *product, const TileMmaShape *shape) {
  for (uint32_t row = 0; row < shape->m; row++)
    for (uint32_t column = 0; column < DOUBLE_COLUMNS; column++)
      for (uint32_t k = 0; k < shape->k; k++)
        product->d[row][column] = fma(product->a[row][k], product->b[column][k],
                                      product->d[row][column]);
}

/// C or D: registers of a lane to or from the matrix.
static void accumulators(TileWarp *warp, const TileMmaShape *shape,
                         const uint32_t *slots, DoubleProduct *product,
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

// Executors: of any shape with f16, f32 or s32 accumulators; of single bits;
// of f64; of the four products of m8n8k4.
static TileLanes mma_double_run(TileWarp *warp, const TileInsn *insn,
                                TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const TileMmaShape *shape = insn->as.shape;
  const uint32_t *d = insn->vec, *a = d + shape->num_d;
  const uint32_t *b = a + shape->num_a, *c = b + shape->num_b;
  DoubleProduct product = {0};
  double_load(warp, a, shape->m, shape->k, false, product.a);
  double_load(warp, b, shape->n, shape->k, true, product.b);
  accumulators(warp, shape, c, &product, false);
  fesetround(shape->rounding);
  double_multiply(&product, shape);
  fesetround(FE_TONEAREST);
  accumulators(warp, shape, d, &product, true);
  return 0;
}

//===-- m8n8k4 ------------------------------------------------------------===//

// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type":
// lanes 4q to 4q + 3 and 16 + 4q to 16 + 4q + 3 compute product q. Numerics as
// for 32-bit sums.

enum { QUAD_SIZE = 8, QUAD_DEPTH = 4 };

typedef struct {
  float a[QUAD_SIZE][QUAD_DEPTH], b[QUAD_DEPTH][QUAD_SIZE],
      d[QUAD_SIZE][QUAD_SIZE];
} QuadProduct;

/// The upper lanes of a product have rows, or columns, 4 to 7.
static uint32_t half_of(uint32_t lane) { return lane < 16 ? 0 : 4; }

static float half_at(TileWarp *warp, const uint32_t *slots, uint32_t lane,
                     uint32_t index) {
  uint32_t bits = tile_u32(warp, slots[index / 2])[lane];
  return tile_f32_of_f16(bits >> (16 * (index % 2)) & 0xffff);
}

/// Where accumulator `index` of a lane is.
static float *accumulator(QuadProduct *product, TilePtxType type, uint32_t lane,
                          uint32_t index) {
  if (type == TILE_PTX_F16)
    return &product->d[lane % 4 + half_of(lane)][index];
  uint32_t row = (lane & 1) + (index & 2) + half_of(lane);
  return &product->d[row][(index & 4) + (lane & 2) + (index & 1)];
}

/// Lanes of all products are visited; each knows its own.
static void quads_load(TileWarp *warp, const TileMmaShape *shape,
                       const uint32_t *slots, QuadProduct *products) {
  const uint32_t *a = slots + shape->num_d, *b = a + shape->num_a;
  const uint32_t *c = b + shape->num_b;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    QuadProduct *product = &products[l % 16 / 4];
    uint32_t half = half_of(l);
    for (uint32_t i = 0; i < QUAD_DEPTH; i++) {
      // Four elements of a row, or of a column.
      bool by_column = shape->a_is_column_major;
      product->a[half + (by_column ? i : l % 4)][by_column ? l % 4 : i] =
          half_at(warp, a, l, i);
      by_column = shape->b_is_column_major;
      product->b[by_column ? i : l % 4][half + (by_column ? l % 4 : i)] =
          half_at(warp, b, l, i);
    }
    for (uint32_t i = 0; i < QUAD_SIZE; i++)
      *accumulator(product, shape->c_type, l, i) =
          shape->c_type == TILE_PTX_F16 ? half_at(warp, c, l, i)
                                        : tile_f32(warp, c[i])[l];
  }
}

static void store(TileWarp *warp, const TileMmaShape *shape,
                  const uint32_t *slots, QuadProduct *products) {
  bool is_half = shape->d_type == TILE_PTX_F16;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
    QuadProduct *product = &products[l % 16 / 4];
    for (uint32_t i = 0; i < QUAD_SIZE; i++) {
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

static void quads_multiply(QuadProduct *product) {
  for (uint32_t row = 0; row < QUAD_SIZE; row++)
    for (uint32_t k = 0; k < QUAD_DEPTH; k++)
      for (uint32_t column = 0; column < QUAD_SIZE; column++)
        product->d[row][column] += product->a[row][k] * product->b[k][column];
}

// Executors: of any shape with f16, f32 or s32 accumulators; of single bits;
// of f64; of the four products of m8n8k4.
static TileLanes mma_quads_run(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  QuadProduct products[4];
  quads_load(warp, insn->as.shape, insn->vec, products);
  for (uint32_t q = 0; q < 4; q++)
    quads_multiply(&products[q]);
  store(warp, insn->as.shape, insn->vec, products);
  return 0;
}

//===-- Sparse A ----------------------------------------------------------===//

// D (16 x 8) = A (16 x k) * B (k x 8) + C, where half of A is zero and not
// stored. What is not stored is not multiplied either, so infinities of B
// there do no harm. Numerics as for 32-bit sums, in the order of storage.
//
// Instruction: vec = registers of D, A, B and C; e = metadata.

//===-- Product -----------------------------------------------------------===//

static void sparse_multiply(TileMmaProduct *product, const TileMmaShape *shape,
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

// Executors: of any shape with f16, f32 or s32 accumulators; of single bits;
// of f64; of the four products of m8n8k4.
static TileLanes mma_sparse_run(TileWarp *warp, const TileInsn *insn,
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
  mma_fragment_load(warp, a, &a_fragment, shape->a_type, bits, product.a,
                    shape->k / 2, 1);
  mma_fragment_load(warp, b, &b_fragment, shape->b_type, bits, product.b, 1,
                    shape->n);
  mma_accumulators_load(warp, shape, c, &product);
  sparse_multiply(&product, shape, &places);
  mma_accumulators_store(warp, shape, d, &product);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static void decode_mma_sparse(TileDecoder *decoder) {
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

//===-- Decode ------------------------------------------------------------===//

//===-- What there is -----------------------------------------------------===//

/// Shapes of a family, by TileMmaForm.
static const char *const shapes[TILE_MMA_NUM_FAMILIES][3] = {
    [TILE_MMA_HALF] = {"m8n8k4 m16n8k8 m16n8k16", "m16n8k16 m16n8k32",
                       "m16n16k16 m32n8k16 m8n32k16"},
    [TILE_MMA_BF16] = {"m16n8k8 m16n8k16", "m16n8k16 m16n8k32",
                       "m16n16k16 m32n8k16 m8n32k16"},
    [TILE_MMA_TF32] = {"m16n8k4 m16n8k8", "m16n8k8 m16n8k16", "m16n16k8"},
    [TILE_MMA_FP8] = {"m16n8k16 m16n8k32", "m16n8k64", ""},
    [TILE_MMA_BYTE] = {"m8n8k16 m16n8k16 m16n8k32", "m16n8k32 m16n8k64",
                       "m16n16k16 m32n8k16 m8n32k16"},
    [TILE_MMA_NIBBLE] = {"m8n8k32 m16n8k32 m16n8k64", "m16n8k64 m16n8k128",
                         "m8n8k32"},
    [TILE_MMA_BIT] = {"m8n8k128 m16n8k128 m16n8k256", "", "m8n8k128"},
    [TILE_MMA_DOUBLE] = {"m8n8k4 m16n8k4 m16n8k8 m16n8k16", "", "m8n8k4"},
};

static const char modifiers[] =
    "mma sync aligned row col satfinite rn rz rm rp xor and popc sp "
    "sp::ordered_metadata s4 u4 b1 m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 "
    "m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 m16n16k16 "
    "m32n8k16 m8n32k16 m16n16k8";

typedef struct {
  const char *word;
  TilePtxType type;
  uint32_t bits;
  TileMmaFamily family; // NUM_FAMILIES: of accumulators only
} Elem;

static const Elem elems[] = {
    {"f16", TILE_PTX_F16, 16, TILE_MMA_HALF},
    {"bf16", TILE_PTX_BF16, 16, TILE_MMA_BF16},
    {"tf32", TILE_PTX_TF32, 32, TILE_MMA_TF32},
    {"e4m3", TILE_PTX_E4M3, 8, TILE_MMA_FP8},
    {"e5m2", TILE_PTX_E5M2, 8, TILE_MMA_FP8},
    {"s8", TILE_PTX_S8, 8, TILE_MMA_BYTE},
    {"u8", TILE_PTX_U8, 8, TILE_MMA_BYTE},
    {"s4", TILE_PTX_S8, 4, TILE_MMA_NIBBLE},
    {"u4", TILE_PTX_U8, 4, TILE_MMA_NIBBLE},
    {"b1", TILE_PTX_U8, 1, TILE_MMA_BIT},
    {"f64", TILE_PTX_F64, 64, TILE_MMA_DOUBLE},
    {"f32", TILE_PTX_F32, 32, TILE_MMA_NUM_FAMILIES},
    {"s32", TILE_PTX_S32, 32, TILE_MMA_NUM_FAMILIES},
};

enum { NUM_ELEMS = sizeof elems / sizeof elems[0], MAX_WORDS = 4 };

static const Elem *elem_find(const char *word) {
  for (size_t i = 0; i < NUM_ELEMS; i++)
    if (!strcmp(word, elems[i].word))
      return &elems[i];
  return NULL;
}

bool tile_emu_mma_has_shape(TileMmaForm form, TileMmaFamily family, uint32_t m,
                            uint32_t n, uint32_t k) {
  char name[32];
  int length = snprintf(name, sizeof name, "m%un%uk%u", m, n, k);
  if (family >= TILE_MMA_NUM_FAMILIES)
    return false;
  const char *list = shapes[family][form];
  for (const char *at = list; (at = strstr(at, name)); at += length) {
    bool ends = at[length] == ' ' || at[length] == 0;
    if ((at == list || at[-1] == ' ') && ends)
      return true;
  }
  return false;
}

//===-- Words -------------------------------------------------------------===//

bool tile_emu_mma_elem_decode(const TileDecoder *decoder, TilePtxType *out_type,
                              uint32_t *out_bits) {
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    const Elem *elem = elem_find(decoder->words[i]);
    if (!elem)
      continue;
    *out_type = elem->type;
    *out_bits = elem->bits;
    return true;
  }
  return false;
}

bool tile_emu_mma_family_of(TilePtxType type, uint32_t elem_bits,
                            TileMmaFamily *out_family) {
  for (size_t i = 0; i < NUM_ELEMS; i++)
    if (elems[i].type == type && elems[i].bits == elem_bits) {
      *out_family = elems[i].family;
      return *out_family != TILE_MMA_NUM_FAMILIES;
    }
  return false;
}

/// D, A, B, C; wmma leaves A and B out when they are f16.
static bool decode_types(TileDecoder *decoder, TileMmaShape *shape) {
  const Elem *types[MAX_WORDS];
  uint32_t count = 0;
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    const Elem *elem = elem_find(decoder->words[i]);
    if (elem && count == MAX_WORDS)
      return false;
    if (elem)
      types[count++] = elem;
  }
  if (shape->form == TILE_MMA_WMMA && count == 2) {
    types[3] = types[1];
    types[1] = types[2] = elem_find("f16");
  } else if (count != 4 || (shape->form == TILE_MMA_WMMA &&
                            types[1]->family == TILE_MMA_HALF))
    return false;
  if (types[1]->family != types[2]->family ||
      types[1]->family == TILE_MMA_NUM_FAMILIES)
    return false;
  shape->family = types[1]->family;
  shape->elem_bits = types[1]->bits;
  shape->d_type = types[0]->type;
  shape->a_type = types[1]->type;
  shape->b_type = types[2]->type;
  shape->c_type = types[3]->type;
  return true;
}

static bool has_legal_types(const TileMmaShape *shape) {
  TilePtxType c = shape->c_type, d = shape->d_type;
  bool is_mixed = shape->a_type != shape->b_type;
  if (is_mixed && shape->form == TILE_MMA_WMMA)
    return false;
  bool is_half_d = d == TILE_PTX_F16, is_half_c = c == TILE_PTX_F16;
  switch (shape->family) {
  case TILE_MMA_HALF:
    if ((!is_half_d && d != TILE_PTX_F32) || (!is_half_c && c != TILE_PTX_F32))
      return false;
    if (shape->form == TILE_MMA_WMMA)
      return true;
    return shape->k == 4 ? !is_half_d || is_half_c : c == d;
  case TILE_MMA_FP8:
    return c == d &&
           (d == TILE_PTX_F32 || (is_half_d && shape->form == TILE_MMA_DENSE));
  case TILE_MMA_BF16:
  case TILE_MMA_TF32:
    return c == TILE_PTX_F32 && d == TILE_PTX_F32;
  case TILE_MMA_DOUBLE:
    return c == TILE_PTX_F64 && d == TILE_PTX_F64;
  default:
    return c == TILE_PTX_S32 && d == TILE_PTX_S32;
  }
}

/// Only m8n8k4 and wmma of whole bytes have a choice.
static bool decode_layouts(const TileDecoder *decoder, TileMmaShape *shape) {
  bool is_column[2] = {false, false};
  uint32_t count = 0;
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    bool is_col = !strcmp(decoder->words[i], "col");
    if (!is_col && strcmp(decoder->words[i], "row"))
      continue;
    if (count == 2)
      return false;
    is_column[count++] = is_col;
  }
  shape->a_is_column_major = is_column[0];
  shape->b_is_column_major = is_column[1];
  bool is_free = shape->form == TILE_MMA_WMMA
                     ? shape->elem_bits >= 8
                     : shape->family == TILE_MMA_HALF && shape->k == 4;
  return count == 2 && (is_free || (!is_column[0] && is_column[1]));
}

static bool decode_modifiers(const TileDecoder *decoder, TileMmaShape *shape) {
  static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  bool is_integer =
      shape->family == TILE_MMA_BYTE || shape->family == TILE_MMA_NIBBLE;
  bool is_bit = shape->family == TILE_MMA_BIT;
  int rounding = tile_decode_choice(decoder, roundings, 4);
  shape->rounding = rounding < 0 ? FE_TONEAREST : modes[rounding];
  shape->is_saturating = tile_decode_has(decoder, "satfinite");
  shape->is_xor = tile_decode_has(decoder, "xor");
  bool has_and = tile_decode_has(decoder, "and");
  bool has_operation =
      tile_decode_has(decoder, "popc") && shape->is_xor != has_and;
  bool has_any = tile_decode_has(decoder, "popc") || shape->is_xor || has_and;
  return (is_integer || !shape->is_saturating) &&
         (shape->family == TILE_MMA_DOUBLE || rounding < 0) &&
         (is_bit ? has_operation : !has_any);
}

//===-- Registers ---------------------------------------------------------===//

static uint32_t accumulator_registers(const TileMmaShape *shape,
                                      TilePtxType type) {
  uint32_t count = shape->m * shape->n / TILE_WARP_SIZE;
  if (shape->family == TILE_MMA_HALF && shape->k == 4) // four products
    count *= 4;
  return type == TILE_PTX_F16 ? count / 2 : count;
}

static void count_registers(TileMmaShape *shape) {
  uint32_t a_k = shape->form == TILE_MMA_SPARSE ? shape->k / 2 : shape->k;
  TileMmaFragment a = tile_mma_fragment(shape->m, a_k, shape->elem_bits, false);
  TileMmaFragment b =
      tile_mma_fragment(shape->n, shape->k, shape->elem_bits, true);
  shape->num_a = tile_mma_fragment_registers(&a);
  shape->num_b = tile_mma_fragment_registers(&b);
  if (shape->family == TILE_MMA_HALF && shape->form == TILE_MMA_WMMA)
    shape->num_a = shape->num_b = 8; // elements are repeated
  if (shape->family == TILE_MMA_HALF && shape->k == 4)
    shape->num_a = shape->num_b = 2;
  shape->num_c = accumulator_registers(shape, shape->c_type);
  shape->num_d = accumulator_registers(shape, shape->d_type);
}

bool tile_emu_mma_shape_decode(TileDecoder *decoder, TileMmaForm form,
                               TileMmaShape *out_shape) {
  *out_shape = (TileMmaShape){.form = form};
  tile_decode_allow(decoder, modifiers);
  if (decoder->unsupported_reason)
    return false;
  uint32_t mnk[3] = {0};
  bool has_shape = tile_decode_shape(decoder, mnk);
  out_shape->m = mnk[0];
  out_shape->n = mnk[1];
  out_shape->k = mnk[2];
  if (!has_shape || !decode_types(decoder, out_shape) ||
      !tile_emu_mma_has_shape(form, out_shape->family, out_shape->m,
                              out_shape->n, out_shape->k) ||
      !has_legal_types(out_shape)) {
    tile_decode_unsupported(decoder, "no such combination of shape and types");
    return false;
  }
  if (!decode_layouts(decoder, out_shape) ||
      !decode_modifiers(decoder, out_shape)) {
    tile_decode_unsupported(decoder,
                            "layouts or modifiers this shape does not have");
    return false;
  }
  count_registers(out_shape);
  return true;
}

//===-- Operands ----------------------------------------------------------===//

static TileExec executor(const TileMmaShape *shape) {
  if (shape->form == TILE_MMA_SPARSE)
    return mma_sparse_run;
  if (shape->family == TILE_MMA_BIT)
    return mma_bits_run;
  if (shape->family == TILE_MMA_DOUBLE)
    return mma_double_run;
  if (shape->family == TILE_MMA_HALF && shape->k == 4)
    return mma_quads_run;
  return mma_shape_run;
}

bool tile_emu_mma_operands_decode(TileDecoder *decoder,
                                  const TileMmaShape *shape) {
  static const char *const names[] = {"D", "A", "B", "C"};
  uint32_t counts[] = {shape->num_d, shape->num_a, shape->num_b, shape->num_c};
  TileInsn *insn = decoder->insn;
  TilePtxType type =
      shape->family == TILE_MMA_DOUBLE ? TILE_PTX_F64 : TILE_PTX_B32;
  TileSlotList list = {0};
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t before = list.count;
    tile_decode_list_add(decoder, &list, decoder->ops[i], type, i == 0);
    if (list.count - before != counts[i]) {
      tile_decode_fail(decoder, "%u registers of %s where %u are expected",
                       list.count - before, names[i], counts[i]);
      return false;
    }
  }
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT) {
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
      return false;
    }
  tile_decode_list_finish(decoder, &list);
  TileMmaShape *kept =
      tile_arena_alloc(&decoder->parser->module->arena, sizeof *kept);
  *kept = *shape;
  insn->as.shape = kept;
  insn->exec = executor(shape);
  return true;
}

void tile_emu_decode_mma(TileDecoder *decoder) {
  if (tile_decode_has(decoder, "sp") ||
      tile_decode_has(decoder, "sp::ordered_metadata")) {
    decode_mma_sparse(decoder);
    return;
  }
  TileMmaShape shape;
  if (!tile_emu_mma_shape_decode(decoder, TILE_MMA_DENSE, &shape) ||
      !tile_decode_count(decoder, 4, 4))
    return;
  tile_emu_mma_operands_decode(decoder, &shape);
}

//===- WgmmaExecute.c - Computes the products of wgmma --------------------===//
//
// A warp computes its 16 rows: D (16 x n) = A (16 x k) * B (k x n) + D.
// Products are accumulated in f32 in the order of k. Integer products of one
// operation are at most 32 * 255 * 255 and so exact in f32.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Alu/NarrowFloat.h"
#include "Wgmma.h"

#include <stdlib.h>

enum { ROWS = TILE_WGMMA_WARP_ROWS };

typedef TileWgmmaProduct Product;

#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_CPU                                                           \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_CPU
#endif

//===-- Multiplicands -----------------------------------------------------===//

/// A unit of 16 bytes; 16-bit elements without a call.
static inline void unpack_unit(TilePtxType type, const uint8_t *memory,
                               uint32_t per_unit, float *out, uint32_t stride) {
  enum { HALVES = 8 };
  uint16_t halves[HALVES];
  memcpy(halves, memory, sizeof halves);
  if (type == TILE_PTX_BF16 && stride == 1)
    for (uint32_t i = 0; i < HALVES; i++)
      out[i] = tile_f32_of_bf16(halves[i]);
  else if (type == TILE_PTX_BF16)
    for (uint32_t i = 0; i < HALVES; i++)
      out[(size_t)i * stride] = tile_f32_of_bf16(halves[i]);
  else if (type == TILE_PTX_F16 && stride == 1)
    for (uint32_t i = 0; i < HALVES; i++)
      out[i] = tile_f32_of_f16(halves[i]);
  else
    tile_emu_matrix_unpack(type, memory, per_unit, out, stride);
}

/// Reads rows [first, first + count) of an operand in shared memory:
/// out[(mn - first) * mn_stride + k * k_stride].
FOR_EACH_CPU
static void load_operand(const uint8_t *smem, uint64_t bits, TilePtxType type,
                         bool is_mn_major, uint32_t first, uint32_t count,
                         uint32_t num_k, float *out, uint32_t mn_stride,
                         uint32_t k_stride) {
  TileMatrixDescriptor descriptor = tile_descriptor_decode(bits);
  uint32_t per_unit = 128 / tile_emu_matrix_elem_bits(type);
  uint32_t mn_step = is_mn_major ? per_unit : 1;
  uint32_t k_step = is_mn_major ? 1 : per_unit;
  for (uint32_t mn = 0; mn < count; mn += mn_step)
    for (uint32_t k = 0; k < num_k; k += k_step) {
      uint32_t unit = tile_descriptor_unit(&descriptor, is_mn_major, per_unit,
                                           first + mn, k);
      unpack_unit(type, smem + unit, per_unit,
                  out + (size_t)mn * mn_stride + (size_t)k * k_stride,
                  is_mn_major ? mn_stride : k_stride);
    }
}

static void load_a(const TileAsyncOp *op, Product *product) {
  const TileInsn *insn = op->insn;
  TilePtxType type = (TilePtxType)insn->type;
  uint32_t per_reg = 32 / tile_emu_matrix_elem_bits(type);
  if (!insn->as.wgmma.num_a) {
    load_operand(op->cta->smem, op->as.wgmma.a, type,
                 insn->as.wgmma.transpose_a, ROWS * (op->warp->index % 4), ROWS,
                 tile_wgmma_a_k(insn), &product->a[0][0], 1, ROWS);
    return;
  }
  for (uint32_t reg = 0; reg < insn->as.wgmma.num_a; reg++)
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      const uint32_t *value =
          &op->as.wgmma.a_fragment[reg * TILE_WARP_SIZE + l];
      tile_emu_matrix_unpack(type, (const uint8_t *)value, per_reg,
                             &product->a[tile_fragment_column(l, reg, per_reg)]
                                        [tile_fragment_row(l, reg)],
                             ROWS);
    }
}

static const TileWgmmaCache *load_b(const TileAsyncOp *op) {
  TileCluster *cluster = op->warp->cluster;
  if (!cluster->wgmma_cache)
    cluster->wgmma_cache = tile_emu_calloc(1, sizeof *cluster->wgmma_cache);
  TileWgmmaCache *cache = cluster->wgmma_cache;
  const TileInsn *insn = op->insn;
  if (cache->cta == op->cta && cache->descriptor == op->as.wgmma.b &&
      cache->version == op->cta->smem_version && cache->n == insn->as.wgmma.n &&
      cache->type == insn->type2 && cache->k == insn->as.wgmma.k &&
      cache->is_mn_major == insn->as.wgmma.transpose_b)
    return cache;
  load_operand(op->cta->smem, op->as.wgmma.b, (TilePtxType)insn->type2,
               insn->as.wgmma.transpose_b, 0, insn->as.wgmma.n,
               insn->as.wgmma.k, cache->b, insn->as.wgmma.k, 1);
  cache->cta = op->cta;
  cache->descriptor = op->as.wgmma.b;
  cache->version = op->cta->smem_version;
  cache->n = insn->as.wgmma.n;
  cache->type = insn->type2;
  cache->k = insn->as.wgmma.k;
  cache->is_mn_major = insn->as.wgmma.transpose_b;
  return cache;
}

//===-- Accumulators ------------------------------------------------------===//
//
// PTX ISA, "Register Fragments and Shared Memory Matrix Layouts": of every 8
// columns a lane has (row lane/4, columns 2(lane%4) and + 1) and the same in
// row lane/4 + 8. f32 and s32 use four registers, f16 two.

FOR_EACH_CPU
static void load_d_f32(TileWarp *warp, const TileInsn *insn, Product *product) {
  for (uint32_t reg = 0; reg < insn->as.wgmma.num_d; reg += 2) {
    uint32_t row = reg % 4 / 2 * 8;
    float (*to)[ROWS] = &product->d[reg / 4 * 8];
    const float *even = tile_f32(warp, insn->vec[reg]);
    const float *odd = tile_f32(warp, insn->vec[reg + 1]);
    for (uint32_t pair = 0; pair < 4; pair++)
      for (uint32_t i = 0; i < 8; i++) {
        to[2 * pair][row + i] = even[4 * i + pair];
        to[2 * pair + 1][row + i] = odd[4 * i + pair];
      }
  }
}

FOR_EACH_CPU
static void store_d_f32(TileWarp *warp, const TileInsn *insn,
                        const Product *product) {
  for (uint32_t reg = 0; reg < insn->as.wgmma.num_d; reg += 2) {
    uint32_t row = reg % 4 / 2 * 8;
    const float (*from)[ROWS] = &product->d[reg / 4 * 8];
    float *even = tile_f32(warp, insn->vec[reg]);
    float *odd = tile_f32(warp, insn->vec[reg + 1]);
    for (uint32_t pair = 0; pair < 4; pair++)
      for (uint32_t i = 0; i < 8; i++) {
        even[4 * i + pair] = from[2 * pair][row + i];
        odd[4 * i + pair] = from[2 * pair + 1][row + i];
      }
  }
}

static void load_d_f16(TileWarp *warp, const TileInsn *insn, Product *product) {
  for (uint32_t reg = 0; reg < insn->as.wgmma.num_d; reg++) {
    const uint32_t *value = tile_u32(warp, insn->vec[reg]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      float *to = &product->d[reg / 2 * 8 + l % 4 * 2][reg % 2 * 8 + l / 4];
      to[0] = tile_f32_of_f16(value[l] & 0xffff);
      to[ROWS] = tile_f32_of_f16(value[l] >> 16);
    }
  }
}

static void store_d_f16(TileWarp *warp, const TileInsn *insn,
                        const Product *product) {
  for (uint32_t reg = 0; reg < insn->as.wgmma.num_d; reg++) {
    uint32_t *value = tile_u32(warp, insn->vec[reg]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      const float *from =
          &product->d[reg / 2 * 8 + l % 4 * 2][reg % 2 * 8 + l / 4];
      value[l] = tile_f16_of_f32(from[0]) |
                 (uint32_t)tile_f16_of_f32(from[ROWS]) << 16;
    }
  }
}

/// Adds the product of this operation, which is exact in f32, to s32.
static void add_d_s32(TileWarp *warp, const TileInsn *insn, bool accumulate,
                      const Product *product) {
  for (uint32_t reg = 0; reg < insn->as.wgmma.num_d; reg++) {
    uint32_t *value = tile_u32(warp, insn->vec[reg]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t row = reg % 4 / 2 * 8 + l / 4;
      uint32_t column = reg / 4 * 8 + l % 4 * 2 + reg % 2;
      int64_t sum = (int64_t)product->d[column][row] +
                    (accumulate ? (int32_t)value[l] : 0);
      if (insn->as.wgmma.satfinite && sum > INT32_MAX)
        sum = INT32_MAX;
      if (insn->as.wgmma.satfinite && sum < INT32_MIN)
        sum = INT32_MIN;
      value[l] = (uint32_t)sum;
    }
  }
}

/// Copies the metadata of the warp after the registers of A, and checks it.
/// wgmma.fence does not concern it.
static void wgmma_sparse_multiply(const TileAsyncOp *op,
                                  TileWgmmaProduct *product,
                                  const TileWgmmaCache *b) {
  const TileInsn *insn = op->insn;
  TileSparsity sparsity = tile_wgmma_sparsity(insn);
  TileSparsePlaces places;
  size_t num_words = (size_t)insn->as.wgmma.num_a * TILE_WARP_SIZE;
  tile_emu_sparsity_places(&sparsity, op->as.wgmma.a_fragment + num_words,
                           &places);
  for (uint32_t column = 0; column < insn->as.wgmma.n; column++) {
    float *sum = product->d[column];
    const float *from = &b->b[column * insn->as.wgmma.k];
    for (uint32_t i = 0; i < tile_wgmma_a_k(insn); i++)
      for (uint32_t row = 0; row < TILE_WGMMA_WARP_ROWS; row++)
        sum[row] += product->a[i][row] * from[places.k[row][i]];
  }
}

//===-- Product -----------------------------------------------------------===//

enum { BLOCK = 8 }; // columns whose sums stay in registers; n is a multiple

/// D += A * B, column by column.
FOR_EACH_CPU
static void multiply(Product *product, const float *restrict b, uint32_t n,
                     uint32_t num_k) {
  for (uint32_t column = 0; column < n; column += BLOCK) {
    float sum[BLOCK][ROWS];
    memcpy(sum, product->d[column], sizeof sum);
    for (uint32_t k = 0; k < num_k; k++)
      for (uint32_t i = 0; i < BLOCK; i++) {
        float factor = b[(column + i) * num_k + k];
        for (uint32_t row = 0; row < ROWS; row++)
          sum[i][row] += product->a[k][row] * factor;
      }
    memcpy(product->d[column], sum, sizeof sum);
  }
}

static void negate(Product *product, uint32_t num_k) {
  for (uint32_t k = 0; k < num_k; k++)
    for (uint32_t row = 0; row < ROWS; row++)
      product->a[k][row] = -product->a[k][row];
}

static void pop(TileAsyncOp *op) {
  TileWgmmaState *wgmma = &op->warp->wgmma;
  wgmma->first = op->as.wgmma.next;
  if (!wgmma->first)
    wgmma->last = NULL;
  wgmma->num_done++;
}

void tile_emu_wgmma_run(TileAsyncOp *op) {
  TileWarp *warp = op->warp;
  const TileInsn *insn = op->insn;
  uint32_t n = insn->as.wgmma.n;
  bool accumulate = op->as.wgmma.accumulate;
  TilePtxType type = (TilePtxType)insn->as.wgmma.d_type;
  Product product;
  load_a(op, &product);
  if (insn->as.wgmma.negate_product)
    negate(&product, tile_wgmma_a_k(insn));
  const TileWgmmaCache *b = load_b(op);
  if (!accumulate || type == TILE_PTX_S32)
    memset(product.d, 0, n * sizeof product.d[0]);
  else if (type == TILE_PTX_F16)
    load_d_f16(warp, insn, &product);
  else
    load_d_f32(warp, insn, &product);
  if (insn->as.wgmma.is_sparse)
    wgmma_sparse_multiply(op, &product, b);
  else
    multiply(&product, b->b, n, insn->as.wgmma.k);
  if (type == TILE_PTX_S32)
    add_d_s32(warp, insn, accumulate, &product);
  else if (type == TILE_PTX_F16)
    store_d_f16(warp, insn, &product);
  else
    store_d_f32(warp, insn, &product);
  pop(op);
}

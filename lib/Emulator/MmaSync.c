//===- MmaSync.c - mma.sync -----------------------------------------------===//
//
// PTX ISA, "Warp-level Matrix Multiply-Accumulate Instructions": the m16n8k
// shapes. D (16 x 8) = A (16 x k) * B (k x 8) + C; products are accumulated in
// the order of k.
//
// Instruction: vec = registers of D, A, B and C.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "Machine.h"
#include "Matrix.h"
#include "NarrowFloat.h"

enum { ROWS = 16, COLUMNS = 8, MAX_K = 32 };

typedef struct {
  float a[ROWS][MAX_K];
  float b[MAX_K][COLUMNS];
  float d[ROWS][COLUMNS];
} Product;

static void load_a(TileWarp *warp, const TileInsn *insn, const uint32_t *slots,
                   Product *product) {
  TilePtxType type = (TilePtxType)insn->type;
  uint32_t per_reg = 32 / tile_emu_matrix_elem_bits(type);
  for (uint32_t reg = 0; reg < insn->as.mma.num_a; reg++) {
    const uint32_t *values = tile_u32(warp, slots[reg]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t row = tile_fragment_row(l, reg);
      uint32_t column = tile_fragment_column(l, reg, per_reg);
      tile_emu_matrix_unpack(type, (const uint8_t *)&values[l], per_reg,
                             &product->a[row][column], 1);
    }
  }
}

/// Column lane/4 of B, like a row of A without the second half.
static void load_b(TileWarp *warp, const TileInsn *insn, const uint32_t *slots,
                   Product *product) {
  TilePtxType type = (TilePtxType)insn->type2;
  uint32_t per_reg = 32 / tile_emu_matrix_elem_bits(type);
  for (uint32_t reg = 0; reg < insn->as.mma.num_b; reg++) {
    const uint32_t *values = tile_u32(warp, slots[reg]);
    for (uint32_t l = 0; l < TILE_WARP_SIZE; l++) {
      uint32_t k = tile_fragment_column(l, 2 * reg, per_reg);
      tile_emu_matrix_unpack(type, (const uint8_t *)&values[l], per_reg,
                             &product->b[k][l / 4], COLUMNS);
    }
  }
}

/// Accumulators: register i of a lane is in row lane/4 + 8 (i / 2), column
/// 2 (lane % 4) + i % 2; f16 packs the two columns into one register.
static void load_c(TileWarp *warp, const TileInsn *insn, const uint32_t *slots,
                   Product *product) {
  bool is_half = insn->as.mma.c_type == TILE_PTX_F16;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    for (uint32_t i = 0; i < 4; i++) {
      float *to = &product->d[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2];
      if (is_half)
        *to = tile_f32_of_f16(
            tile_u32(warp, slots[i / 2])[l] >> (16 * (i % 2)) & 0xffff);
      else
        *to = tile_f32(warp, slots[i])[l];
    }
}

static void store_d(TileWarp *warp, const TileInsn *insn, const uint32_t *slots,
                    const Product *product) {
  bool is_half = insn->as.mma.d_type == TILE_PTX_F16;
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    for (uint32_t i = 0; i < 4; i++) {
      float value = product->d[l / 4 + i / 2 * 8][l % 4 * 2 + i % 2];
      if (!is_half) {
        tile_f32(warp, slots[i])[l] = value;
        continue;
      }
      uint32_t *to = &tile_u32(warp, slots[i / 2])[l];
      uint32_t half = tile_f16_of_f32(value);
      *to = i % 2 ? (*to & 0xffff) | half << 16 : half;
    }
}

static void multiply(Product *product, uint32_t k_size) {
  for (uint32_t row = 0; row < ROWS; row++) {
    float sum[COLUMNS];
    memcpy(sum, product->d[row], sizeof sum);
    for (uint32_t k = 0; k < k_size; k++) {
      float a = product->a[row][k];
      for (uint32_t column = 0; column < COLUMNS; column++)
        sum[column] += a * product->b[k][column];
    }
    memcpy(product->d[row], sum, sizeof sum);
  }
}

static TileLanes mma(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const uint32_t *d = insn->vec, *a = d + insn->as.mma.num_d;
  const uint32_t *b = a + insn->as.mma.num_a, *c = b + insn->as.mma.num_b;
  Product product = {0};
  load_a(warp, insn, a, &product);
  load_b(warp, insn, b, &product);
  load_c(warp, insn, c, &product);
  multiply(&product, insn->as.mma.k);
  store_d(warp, insn, d, &product);
  return 0;
}

//===-- Integers ----------------------------------------------------------===//

/// s32 accumulators wrap, or saturate with .satfinite.
static uint32_t accumulate(const Product *product, const TileInsn *insn,
                           uint32_t row, uint32_t column, uint32_t start) {
  int64_t sum = (int32_t)start;
  for (uint32_t k = 0; k < insn->as.mma.k; k++)
    sum += (int64_t)product->a[row][k] * (int64_t)product->b[k][column];
  if (insn->imm && sum > INT32_MAX)
    sum = INT32_MAX;
  if (insn->imm && sum < INT32_MIN)
    sum = INT32_MIN;
  return (uint32_t)sum;
}

static TileLanes mma_integer(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  TileLanes blocked = tile_warp_converge(warp, lanes, warp->live);
  if (blocked)
    return blocked;
  tile_warp_go(warp, lanes);
  const uint32_t *d = insn->vec, *a = d + insn->as.mma.num_d;
  const uint32_t *b = a + insn->as.mma.num_a, *c = b + insn->as.mma.num_b;
  Product product = {0};
  load_a(warp, insn, a, &product);
  load_b(warp, insn, b, &product);
  for (uint32_t l = 0; l < TILE_WARP_SIZE; l++)
    for (uint32_t i = 0; i < 4; i++)
      tile_u32(warp, d[i])[l] =
          accumulate(&product, insn, l / 4 + i / 2 * 8, l % 4 * 2 + i % 2,
                     tile_u32(warp, c[i])[l]);
  return 0;
}

//===-- Decode ------------------------------------------------------------===//

static bool check_registers(TileDecoder *decoder, uint32_t k) {
  TileInsn *insn = decoder->insn;
  uint32_t bits = tile_emu_matrix_elem_bits((TilePtxType)insn->type);
  bool half_d = insn->as.mma.d_type == TILE_PTX_F16;
  bool half_c = insn->as.mma.c_type == TILE_PTX_F16;
  uint32_t num_a = ROWS * k * bits / 32 / TILE_WARP_SIZE;
  uint32_t num_b = COLUMNS * k * bits / 32 / TILE_WARP_SIZE;
  if (insn->as.mma.num_a == num_a && insn->as.mma.num_b == num_b &&
      insn->as.mma.num_d == (half_d ? 2 : 4) &&
      decoder->ops[3]->num_subs == (half_c ? 2 : 4))
    return true;
  tile_decode_fail(decoder, "wrong number of registers for the shape");
  return false;
}

static uint8_t add_fragment(TileDecoder *decoder, TileSlotList *list,
                            uint32_t index) {
  uint32_t before = list->count;
  tile_decode_list_add(decoder, list, decoder->ops[index], TILE_PTX_B32,
                       index == 0);
  uint32_t count = list->count - before;
  return (uint8_t)(count > 255 ? 255 : count);
}

void tile_emu_decode_mma(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  uint32_t shape[3] = {0};
  bool has_shape = tile_decode_shape(decoder, shape) && shape[0] == ROWS &&
                   shape[1] == COLUMNS;
  uint32_t k = shape[2];
  TilePtxType a = tile_decode_type(decoder, 1),
              b = tile_decode_type(decoder, 2);
  uint32_t bits = tile_emu_matrix_elem_bits(a);
  if (!has_shape || decoder->num_types != 4 || tile_decode_has(decoder, "sp") ||
      tile_decode_has(decoder, "sp::ordered_metadata") ||
      tile_decode_has(decoder, "block_scale") || !bits ||
      tile_emu_matrix_elem_bits(b) != bits ||
      (k * bits != 128 && k * bits != 256)) {
    tile_decode_unsupported(decoder, "shape or types");
    return;
  }
  if (!tile_decode_count(decoder, 4, 4))
    return;
  insn->type = (uint8_t)a;
  insn->type2 = (uint8_t)b;
  insn->as.mma.k = (uint8_t)k;
  insn->as.mma.d_type = (uint8_t)tile_decode_type(decoder, 0);
  insn->as.mma.c_type = (uint8_t)tile_decode_type(decoder, 3);
  insn->imm = tile_decode_has(decoder, "satfinite");
  TileSlotList list = {0};
  insn->as.mma.num_d = add_fragment(decoder, &list, 0);
  insn->as.mma.num_a = add_fragment(decoder, &list, 1);
  insn->as.mma.num_b = add_fragment(decoder, &list, 2);
  add_fragment(decoder, &list, 3);
  for (uint32_t i = 0; i < list.count; i++)
    if (list.slots[i] == TILE_NO_SLOT)
      tile_decode_fail(decoder, "`_` is not a register of a fragment");
  tile_decode_list_finish(decoder, &list);
  bool is_integer = insn->as.mma.d_type == TILE_PTX_S32;
  if (check_registers(decoder, k))
    insn->exec = is_integer ? mma_integer : mma;
}

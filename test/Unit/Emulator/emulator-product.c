//===- emulator-product.c - Matrices of small numbers for matrix tests ----===//

#include "emulator-product.h"

#include <math.h>
#include <stdlib.h>

//===-- Elements ----------------------------------------------------------===//

static const struct {
  const char *name;
  uint32_t bits;
  int exponent_bits, mantissa_bits; // of floating point
  int min, max;                     // of random elements
} types[] = {[F16] = {"f16", 16, 5, 10, -7, 7},
             [BF16] = {"bf16", 16, 8, 7, -31, 31},
             [TF32] = {"tf32", 32, 8, 23, -255, 255},
             [E4M3] = {"e4m3", 8, 4, 3, -7, 7},
             [E5M2] = {"e5m2", 8, 5, 2, -7, 7},
             [S8] = {"s8", 8, 0, 0, -128, 127},
             [U8] = {"u8", 8, 0, 0, 0, 255},
             [S4] = {"s4", 4, 0, 0, -8, 7},
             [U4] = {"u4", 4, 0, 0, 0, 15},
             [B1] = {"b1", 1, 0, 0, 0, 1},
             [F64] = {"f64", 64, 11, 52, -1000, 1000},
             [F32] = {"f32", 32, 8, 23, 0, 0},
             [S32] = {"s32", 32, 0, 0, 0, 0}};

const char *product_type_name(ProductType type) { return types[type].name; }

uint32_t product_type_bits(ProductType type) { return types[type].bits; }

uint64_t product_encode(ProductType type, int number) {
  uint32_t bits = types[type].bits;
  int mantissa_bits = types[type].mantissa_bits;
  if (types[type].exponent_bits == 0)
    return (uint64_t)number & (UINT64_MAX >> (64 - bits));
  if (number == 0)
    return 0;
  int exponent = ilogb(number);
  int bias = (1 << (types[type].exponent_bits - 1)) - 1;
  uint64_t mantissa =
      (uint64_t)ldexp(fabs((double)number), mantissa_bits - exponent);
  uint64_t sign = number < 0 ? 1ull << (bits - 1) : 0;
  return sign | (uint64_t)(exponent + bias) << mantissa_bits |
         (mantissa - (1ull << mantissa_bits));
}

int product_decode(ProductType type, uint64_t bits) {
  uint32_t unused = 64 - types[type].bits;
  if (types[type].exponent_bits) {
    if (type == F64)
      return (int)harness_f64(bits);
    if (types[type].bits == 32)
      return (int)harness_f32(bits);
    return (int)harness_small_float((uint32_t)bits, types[type].exponent_bits,
                                    types[type].mantissa_bits);
  }
  if (types[type].min < 0 || type == S32)
    return (int)((int64_t)(bits << unused) >> unused);
  return (int)bits;
}

void product_put(void *memory, uint32_t index, ProductType type, int number) {
  uint8_t *bytes = memory;
  uint32_t bits = types[type].bits;
  uint64_t value = product_encode(type, number);
  if (bits >= 8) {
    memcpy(bytes + index * (bits / 8), &value, bits / 8);
    return;
  }
  uint32_t at = index * bits / 8, shift = index * bits % 8;
  bytes[at] &= (uint8_t)~(((1u << bits) - 1) << shift);
  bytes[at] |= (uint8_t)(value << shift);
}

int product_get(const void *memory, uint32_t index, ProductType type) {
  const uint8_t *bytes = memory;
  uint32_t bits = types[type].bits;
  uint64_t value = 0;
  if (bits >= 8)
    memcpy(&value, bytes + index * (bits / 8), bits / 8);
  else
    value = bytes[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
  return product_decode(type, value);
}

//===-- Matrices ----------------------------------------------------------===//

static int random_elem(ProductType type, uint32_t *random) {
  uint32_t count = (uint32_t)(types[type].max - types[type].min + 1);
  return types[type].min + (int)(harness_random(random) % count);
}

void product_fill(Product *product, ProductType a, ProductType b, int m, int n,
                  int k, uint32_t seed) {
  uint32_t random = seed * 2654435761u + 1;
  product->m = m;
  product->n = n;
  product->k = k;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j++)
      product->a[i][j] = random_elem(a, &random);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++)
      product->b[i][j] = random_elem(b, &random);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      product->c[i][j] = (int)(harness_random(&random) % 64) - 32;
}

void product_multiply(Product *product) {
  for (int i = 0; i < product->m; i++)
    for (int j = 0; j < product->n; j++) {
      product->d[i][j] = product->c[i][j];
      for (int k = 0; k < product->k; k++)
        product->d[i][j] += product->a[i][k] * product->b[k][j];
    }
}

//===-- Sparse A ----------------------------------------------------------===//

static uint32_t chunk_size(ProductType type) {
  uint32_t bits = product_type_bits(type);
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

/// Four bits that PTX defines.
static uint32_t random_code(ProductType type, bool is_ordered,
                            uint32_t *random) {
  static const uint32_t ordered[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
  static const uint32_t descending[] = {0x1, 0x2, 0x6, 0x3, 0x7, 0xb};
  uint32_t draw = harness_random(random);
  if (product_type_bits(type) == 32)
    return draw % 2 ? 0xe : 0x4;
  if (is_ordered || draw / 8 % 2)
    return ordered[draw % 6];
  return descending[draw % 6];
}

/// Column in a chunk of the i-th element that is stored.
static uint32_t position(ProductType type, uint32_t code, uint32_t i) {
  switch (product_type_bits(type)) {
  case 32:
    return code == 0xe;
  case 4: // pairs
    return 2 * (i / 2 ? code >> 2 : code & 3) + i % 2;
  default:
    return i ? code >> 2 : code & 3;
  }
}

void product_make_sparse(Product *product, ProductType type, bool is_ordered,
                         uint32_t code, ProductSparse *out) {
  uint32_t size = chunk_size(type), random = 12345;
  for (int row = 0; row < product->m; row++)
    for (uint32_t chunk = 0; chunk < (uint32_t)product->k / size; chunk++) {
      int *elems = &product->a[row][chunk * size];
      bool keep[8] = {false};
      uint32_t drawn = code ? code : random_code(type, is_ordered, &random);
      out->codes[row][chunk] = drawn;
      for (uint32_t i = 0; i < size / 2; i++) {
        uint32_t column = position(type, drawn, i);
        out->stored[row][chunk * (size / 2) + i] = elems[column];
        keep[column] = true;
      }
      for (uint32_t i = 0; i < size; i++)
        elems[i] = keep[i] ? elems[i] : 0;
    }
}

void product_make_metadata(const Product *product, ProductType type,
                           uint32_t selector, ProductSparse *out) {
  uint32_t num_chunks = (uint32_t)product->k / chunk_size(type);
  bool is_narrow = product_type_bits(type) <= 8;
  for (uint32_t warp = 0; warp < (uint32_t)product->m / 16; warp++)
    for (uint32_t l = 0; l < 32; l++) {
      uint32_t g = l / 4, t = l % 4, bits = 0;
      bool contributes = num_chunks == 16  ? true
                         : num_chunks == 4 ? t == selector
                                           : t / 2 == selector;
      for (uint32_t nibble = 0; nibble < 8; nibble++) {
        uint32_t row, chunk;
        if (is_narrow) { // a row in a lane
          row = g + 8 * (t % 2);
          chunk = nibble + (num_chunks == 16 ? 8 * (t / 2) : 0);
        } else { // two rows in a lane
          row = nibble < 4 ? g : g + 8;
          chunk = nibble % 4 + (num_chunks == 8 ? 4 * (t % 2) : 0);
        }
        bits |= out->codes[16 * warp + row][chunk] << (4 * nibble);
      }
      out->metadata[warp][l] = contributes ? bits : 0x5a5a0f0f;
    }
}

//===-- PTX ---------------------------------------------------------------===//

const char *product_registers(char *out, const char *prefix, int first,
                              int count) {
  char *at = out;
  at += sprintf(at, "{");
  for (int i = 0; i < count; i++)
    at += sprintf(at, "%s%s%d", i ? ", " : "", prefix, first + i);
  sprintf(at, "}");
  return out;
}

void product_assemble(const char *ptx) {
  const char *assembler = getenv("TILE_TEST_PTXAS");
  if (!assembler)
    return;
  char command[1000];
  snprintf(command, sizeof command, "%s -arch=sm_90a -o /dev/null -",
           assembler);
  FILE *pipe = popen(command, "w");
  assert_non_null(pipe);
  fputs(ptx, pipe);
  if (pclose(pipe) != 0)
    fail_msg("not assembled:\n%s", ptx);
}

void product_run(const HarnessRun *run) {
  product_assemble(run->ptx);
  harness_run_clean(run);
}

static const char alone[] =
    HARNESS_HEADER ".visible .entry k() { .reg .b32 a<8>, b<8>, c<8>, d<8>, "
                   "e<8>; .reg .f64 x<8>, y<8>, z<8>, w<8>; .reg .pred p;\n"
                   ".shared .align 32 .b8 smem[1024];\n%s\nret; }\n";

void product_instruction_finds(const char *instruction, const char *kind,
                               const char *text) {
  char ptx[3000];
  snprintf(ptx, sizeof ptx, alone, instruction);
  HarnessRun run = {.ptx = ptx};
  harness_run_finds(&run, kind, text);
}

void product_instruction_fails(const char *instruction, const char *text) {
  char ptx[3000];
  snprintf(ptx, sizeof ptx, alone, instruction);
  harness_parse_fails(ptx, text);
}

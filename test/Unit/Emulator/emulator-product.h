//===- emulator-product.h - Matrices of small numbers for matrix tests ----===//
//
// Elements are whole numbers that their type holds exactly and whose products
// and sums are exact in every accumulator, so the order of summation does not
// matter.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_EMULATOR_PRODUCT_H
#define TILE_TEST_UNIT_EMULATOR_PRODUCT_H

#include "emulator-harness.h"

typedef enum {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  S8,
  U8,
  S4,
  U4,
  B1,
  F64,
  F32, // accumulators
  S32
} ProductType;

enum { PRODUCT_MAX_MN = 256, PRODUCT_MAX_K = 256 };

/// d = a * b + c. `a` has rows of k, `b` rows of n.
typedef struct {
  int m, n, k;
  int a[64][PRODUCT_MAX_K], b[PRODUCT_MAX_K][PRODUCT_MAX_MN];
  int c[64][PRODUCT_MAX_MN], d[64][PRODUCT_MAX_MN];
} Product;

const char *product_type_name(ProductType type);
uint32_t product_type_bits(ProductType type);
/// Bits of a whole number in a type, and back.
uint64_t product_encode(ProductType type, int number);
int product_decode(ProductType type, uint64_t bits);
/// Random elements; c is small. Leaves d alone.
void product_fill(Product *product, ProductType a, ProductType b, int m, int n,
                  int k, uint32_t seed);
void product_multiply(Product *product);

/// A without its zeros, which positions of each chunk of a row were kept, and
/// the metadata registers of each warp (16 rows) for that.
typedef struct {
  int stored[64][64];
  uint32_t codes[64][16];
  uint32_t metadata[4][32];
} ProductSparse;

/// Clears half of A: where random codes say, or `code` unless it is 0. The
/// positions of ordered codes ascend.
void product_make_sparse(Product *product, ProductType type, bool is_ordered,
                         uint32_t code, ProductSparse *out);
/// By the figures of PTX ISA, "Sparse matrix storage". Lanes that the selector
/// does not name have rubbish.
void product_make_metadata(const Product *product, ProductType type,
                           uint32_t selector, ProductSparse *out);

/// Element `index` of an array of elements, the first in the low bits.
void product_put(void *memory, uint32_t index, ProductType type, int number);
int product_get(const void *memory, uint32_t index, ProductType type);

/// "{w3, w4}"; `out` has 2000 bytes. Returns `out`.
const char *product_registers(char *out, const char *prefix, int first,
                              int count);
/// When the environment names an assembler, TILE_TEST_PTXAS, fails the test
/// unless it accepts the text.
void product_assemble(const char *ptx);
/// product_assemble and harness_run_clean.
void product_run(const HarnessRun *run);
/// Runs an instruction alone in a kernel with registers a, b, c, d and e (b32,
/// 8 of each), x, y, z, w (f64) and p; fails unless `kind` is found with
/// `text`.
void product_instruction_finds(const char *instruction, const char *kind,
                               const char *text);
/// The same for text that does not even parse.
void product_instruction_fails(const char *instruction, const char *text);

#endif // TILE_TEST_UNIT_EMULATOR_PRODUCT_H

//===- Products.h - What dense and sparse products have in common ---------===//
#ifndef TILE_DIALECT_PRODUCTS_H
#define TILE_DIALECT_PRODUCTS_H

#include "Ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A `tile.gemm` or a `tile.gemm_sp`.
typedef struct {
  MlirOperation op;
  bool is_sparse;
  MlirValue a, b, c;
  MlirValue e;     // metadata of a sparse A; null: A is dense
  MlirValue clear; // null: never
  bool transpose_a, transpose_b;
  TileWarpPolicy policy;
  bool has_instr;
  TileInstr instr; // where there is one
  bool is_async;   // completes at a tile.await
} TileProduct;

/// False when `op` is no product.
bool tile_product_of(MlirOperation op, TileProduct *out_product);
/// Number of the operand of `op`, a product, that is A (0), B (1) or C (2).
int tile_product_operand(MlirOperation op, int which);
/// Whether factors and sums of these element types go together: both factors of
/// one type, or of two formats of 8-bit floats.
bool tile_product_types_fit(const TileProduct *product, MlirType a, MlirType b,
                            MlirType c);
void tile_product_set_async(MlirOperation op);
void tile_product_set_clear(MlirOperation op, MlirValue clear);
/// Whether `op` is a product that tile.await waits for.
bool tile_product_is_async(MlirOperation op);
/// Whether `op` is a product by wgmma; fills in `out_product` if so.
bool tile_product_is_wgmma(MlirOperation op, TileProduct *out_product);

/// Elements of K that are stored as one of A: 2 for a sparse A, else 1.
static inline int tile_product_k_ratio(const TileProduct *product) {
  return product->is_sparse ? 2 : 1;
}

#ifdef __cplusplus
}
#endif

#endif // TILE_DIALECT_PRODUCTS_H

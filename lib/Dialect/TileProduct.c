//===- TileProduct.c - Dense and sparse products --------------------------===//

#include "Products.h"

bool tile_product_of(MlirOperation op, TileProduct *out_product) {
  if (tile_gemm_is(op)) {
    TileGemmOp gemm = tile_gemm_cast(op);
    *out_product = (TileProduct){
        .op = op,
        .a = tile_gemm_a(gemm),
        .b = tile_gemm_b(gemm),
        .c = tile_gemm_c(gemm),
        .clear = tile_gemm_clear(gemm),
        .transpose_a = tile_gemm_transpose_a(gemm),
        .transpose_b = tile_gemm_transpose_b(gemm),
        .policy = tile_gemm_policy(gemm),
        .has_instr = !mlirAttributeIsNull(tile_gemm_instr_attr(gemm)),
        .instr = tile_gemm_instr(gemm),
        .is_async = tile_gemm_async(gemm)};
    return true;
  }
  if (!tile_gemm_sp_is(op))
    return false;
  TileGemmSpOp gemm = tile_gemm_sp_cast(op);
  *out_product = (TileProduct){
      .op = op,
      .is_sparse = true,
      .a = tile_gemm_sp_a(gemm),
      .b = tile_gemm_sp_b(gemm),
      .c = tile_gemm_sp_c(gemm),
      .e = tile_gemm_sp_e(gemm),
      .clear = tile_gemm_sp_clear(gemm),
      .transpose_b = tile_gemm_sp_transpose_b(gemm),
      .policy = tile_gemm_sp_policy(gemm),
      .has_instr = !mlirAttributeIsNull(tile_gemm_sp_instr_attr(gemm)),
      .instr = tile_gemm_sp_instr(gemm),
      .is_async = tile_gemm_sp_async(gemm)};
  return true;
}

int tile_product_operand(MlirOperation op, int which) {
  return tile_gemm_sp_is(op) && which > 0 ? which + 1 : which; // after E
}

static bool is_float8(const TileDtypeInfo *info) {
  return tile_dtype_info_is_float(info) && info->bits == 8;
}

bool tile_product_types_fit(const TileProduct *product, MlirType a, MlirType b,
                            MlirType c) {
  const TileDtypeInfo *x = tile_elem_info(a), *y = tile_elem_info(b),
                      *sum = tile_elem_info(c);
  if (!x || !y || !sum || (x != y && !(is_float8(x) && is_float8(y))))
    return false;
  uint32_t sums =
      product->is_sparse ? x->sparse_sums & y->sparse_sums : x->sums & y->sums;
  return sums >> sum->dtype & 1;
}

void tile_product_set_async(MlirOperation op) {
  if (tile_gemm_sp_is(op))
    tile_gemm_sp_set_async(tile_gemm_sp_cast(op), true);
  else
    tile_gemm_set_async(tile_gemm_cast(op), true);
}

void tile_product_set_clear(MlirOperation op, MlirValue clear) {
  if (tile_gemm_sp_is(op))
    tile_gemm_sp_set_clear(tile_gemm_sp_cast(op), clear);
  else
    tile_gemm_set_clear(tile_gemm_cast(op), clear);
}

bool tile_product_is_async(MlirOperation op) {
  TileProduct product;
  return tile_product_of(op, &product) && product.is_async;
}

bool tile_product_is_wgmma(MlirOperation op, TileProduct *out_product) {
  return tile_product_of(op, out_product) && out_product->has_instr &&
         out_product->instr == TILE_INSTR_Wgmma;
}

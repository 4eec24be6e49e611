//===- TileVerifyProducts.c - Constraints of matrix products --------------===//
//
// Labels such as (C2) are those of TileProductOps.td and TileSparseOps.td.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Products.h"
#include "TileVerify.h"

//===-- Both --------------------------------------------------------------===//

static bool is_integer(MlirType type, unsigned width) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == width;
}

static MlirLogicalResult verify_extents(const TileProduct *gemm,
                                        const TileShape *a, const TileShape *b,
                                        const TileShape *c) {
  bool ta = gemm->transpose_a, tb = gemm->transpose_b;
  int lead = a->rank - 2; // dimensions before those of a matrix
  int64_t m = a->extent[lead + ta];
  int64_t k = a->extent[lead + !ta] * tile_product_k_ratio(gemm);
  int64_t n = b->extent[lead + !tb];
  if (k != b->extent[lead + tb]) // (C2)
    return tile_emit_error(
        gemm->op,
        "expects op(A) and op(B) with the same K extent, "
        "got %" PRId64 " in A (%s%s) and %" PRId64 " in B (%s%s)",
        k, tile_verify_shape_text(a).chars, ta ? " transposed" : "",
        b->extent[lead + tb], tile_verify_shape_text(b).chars,
        tb ? " transposed" : "");
  if (c->extent[lead] != m || c->extent[lead + 1] != n) // (C3)
    return tile_emit_error(gemm->op,
                           "expects C of shape %" PRId64 "x%" PRId64 ", got %s",
                           m, n, tile_verify_shape_text(c).chars);
  return tile_success();
}

// (C1)
static MlirLogicalResult verify_batch(const TileProduct *gemm,
                                      const TileShape *a, const TileShape *b,
                                      const TileShape *c) {
  bool is_batch = a->rank == 3;
  if (b->rank != a->rank || c->rank != a->rank ||
      (is_batch &&
       (b->extent[0] != a->extent[0] || c->extent[0] != a->extent[0])))
    return tile_emit_error(
        gemm->op,
        "expects A, B and C of rank 2, or of rank 3 with one "
        "first extent, got %s, %s and %s",
        tile_verify_shape_text(a).chars, tile_verify_shape_text(b).chars,
        tile_verify_shape_text(c).chars);
  if (is_batch && (gemm->has_instr || gemm->is_async))
    return tile_emit_error(gemm->op, "expects no 'instr' and no 'async' with "
                                     "rank 3: it is several products");
  return tile_success();
}

static MlirLogicalResult verify_spaces(const TileProduct *gemm,
                                       const TileShape *a, const TileShape *b,
                                       const TileShape *c) {
  const TileShape *factor[2] = {a, b};
  for (int i = 0; i < 2; i++)
    if (factor[i]->space != TILE_SPACE_SHARED &&
        factor[i]->space != TILE_SPACE_FRAGMENT)
      return tile_emit_error(
          gemm->op, "expects %s in shared memory or a fragment, got it in %s",
          i ? "B" : "A", tile_space_name(factor[i]->space));
  if (c->space != TILE_SPACE_FRAGMENT)
    return tile_emit_error(gemm->op, "expects C in a fragment, got it in %s",
                           tile_space_name(c->space));
  return tile_success();
}

static MlirLogicalResult verify_precision(const TileProduct *gemm,
                                          MlirAttribute attr,
                                          const TileShape *a) {
  bool has_precision = !mlirAttributeIsNull(attr);
  MlirStringRef precision = {NULL, 0};
  if (has_precision)
    precision = mlirStringAttrGetValue(attr);
  if (has_precision && !mlirStringRefEqual(precision, TILE_STR("tf32")))
    return tile_emit_error(gemm->op,
                           "expects 'precision' to be \"tf32\", got \"%.*s\"",
                           (int)precision.length, precision.data);
  if (has_precision != mlirTypeIsAF32(a->element))
    return has_precision
               ? tile_emit_error(
                     gemm->op,
                     "expects f32 factors with precision = \"tf32\", got %s",
                     tile_verify_type_text(a->element).chars)
               : tile_emit_error(
                     gemm->op,
                     "expects precision = \"tf32\" with f32 factors: tensor "
                     "cores do not multiply plain f32");
  return tile_success();
}

// All but what only one of both has.
static MlirLogicalResult verify(const TileProduct *gemm, MlirAttribute instr,
                                MlirAttribute precision, TileShape *out_a,
                                TileShape *out_b) {
  MlirOperation op = gemm->op;
  TileShape a, b, c;
  int max_rank = gemm->is_sparse ? 2 : 3;
  if (tile_failed(tile_verify_op(op)) || // (C1)
      tile_failed(tile_verify_tile(op, gemm->a, "a", 2, max_rank, &a)) ||
      tile_failed(tile_verify_tile(op, gemm->b, "b", 2, max_rank, &b)) ||
      tile_failed(tile_verify_tile(op, gemm->c, "c", 2, max_rank, &c)) ||
      tile_failed(verify_batch(gemm, &a, &b, &c)))
    return tile_failure();
  if (tile_failed(verify_extents(gemm, &a, &b, &c)) ||
      tile_failed(verify_spaces(gemm, &a, &b, &c))) // (C4)
    return tile_failure();
  if (!tile_product_types_fit(gemm, a.element, b.element, c.element)) // (C5)
    return tile_emit_error(op,
                           "cannot multiply %s by %s into %s; the table of "
                           "%s lists what can be multiplied",
                           tile_verify_type_text(a.element).chars,
                           tile_verify_type_text(b.element).chars,
                           tile_verify_type_text(c.element).chars,
                           gemm->is_sparse ? "tile.gemm_sp" : "tile.gemm");
  if (!mlirAttributeIsNull(instr) && gemm->instr != TILE_INSTR_Mma &&
      gemm->instr != TILE_INSTR_Wgmma) // (C6)
    return tile_emit_error(op, "expects 'instr' to be mma or wgmma, got %s",
                           tile_verify_attr_text(instr).chars);
  *out_a = a;
  *out_b = b;
  if (gemm->is_async &&
      !(gemm->has_instr && gemm->instr == TILE_INSTR_Wgmma)) // (C8)
    return tile_emit_error(
        op, "expects 'async' only with instr = #tile.instr<wgmma>");
  return verify_precision(gemm, precision, &a); // (C7)
}

//===-- tile.gemm ---------------------------------------------------------===//

MlirLogicalResult tile_gemm_verify(MlirOperation op) {
  TileProduct gemm;
  TileShape a, b;
  tile_product_of(op, &gemm);
  return verify(&gemm, tile_gemm_instr_attr(tile_gemm_cast(op)),
                tile_gemm_precision_attr(tile_gemm_cast(op)), &a, &b);
}

//===-- tile.gemm_sp ------------------------------------------------------===//

// Words of 16 bits by rows and columns, or packed: those of the threads of a
// warpgroup for 64 rows and four such words of each.
static MlirLogicalResult verify_metadata(MlirOperation op, const TileShape *a,
                                         int64_t k, const TileShape *e) {
  enum { GROUPS_PER_WORD = 4, ROWS = 64, COLUMNS = 4, THREADS = 128 };
  int64_t group = mlirTypeIsAF32(a->element) ? 2 : 4;
  int64_t per_word = group * GROUPS_PER_WORD, m = a->extent[0];
  if (e->rank == 3 &&
      (m % ROWS || k % (COLUMNS * per_word) || e->extent[0] != m / ROWS ||
       e->extent[1] != k / (COLUMNS * per_word) ||
       e->extent[2] != THREADS)) // (C2)
    return tile_emit_error(op,
                           "expects packed E with %d words for every %d of the "
                           "%" PRId64 " rows and %" PRId64 " of the %" PRId64
                           " columns of the sparse factor, got %s",
                           THREADS, ROWS, m, COLUMNS * per_word, k,
                           tile_verify_shape_text(e).chars);
  if (e->rank == 2 && (k % per_word || e->extent[0] != m ||
                       e->extent[1] != k / per_word)) // (C2)
    return tile_emit_error(op,
                           "expects E with %" PRId64 " rows of a word for "
                           "every %" PRId64 " of the %" PRId64 " columns of "
                           "the sparse factor, got %s",
                           m, per_word, k, tile_verify_shape_text(e).chars);
  if (e->space != TILE_SPACE_SHARED) // (C4)
    return tile_emit_error(op, "expects E in shared memory, got it in %s",
                           tile_space_name(e->space));
  if (e->rank == 3 && !is_integer(e->element, 32)) // (C5)
    return tile_emit_error(op, "expects packed E of i32, got %s",
                           tile_verify_type_text(e->element).chars);
  if (e->rank == 2 && !is_integer(e->element, 16)) // (C5)
    return tile_emit_error(op,
                           "expects E of i16, got %s; tile.view makes words of "
                           "16 bits of others",
                           tile_verify_type_text(e->element).chars);
  return tile_success();
}

MlirLogicalResult tile_gemm_sp_verify(MlirOperation op) {
  TileProduct gemm;
  TileShape a = {0}, b = {0}, e = {0};
  tile_product_of(op, &gemm);
  if (tile_failed(verify(&gemm, tile_gemm_sp_instr_attr(tile_gemm_sp_cast(op)),
                         tile_gemm_sp_precision_attr(tile_gemm_sp_cast(op)), &a,
                         &b)) ||
      tile_failed(tile_verify_tile(op, gemm.e, "e", 2, 3, &e))) // (C1)
    return tile_failure();
  return verify_metadata(op, &a, b.extent[gemm.transpose_b], &e);
}

//===- MetadataToNVGPU.c - Metadata words of mma.sp -----------------------===//

#include "Nvgpu.h"
#include "Support/Constants.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/vector.h"

// The word is there as one.
static MlirValue packed_metadata(TileNvgpuRewrite *rewrite,
                                 const TileSharedWindow *metadata,
                                 int elem_bits, TileInt first_row,
                                 int64_t step) {
  TileIntMath *math = &rewrite->index;
  TileBuilder *b = &rewrite->b;
  int64_t count = 1;
  TileInt at[3];
  tile_sparse_packed_word(math, rewrite->lane, elem_bits, first_row, step, at);
  MlirValue offset =
      tile_int_get(math, tile_shared_window_at(math, metadata, at));
  MlirValue word = memref_load(b, .memref = tile_storage(b, metadata->box.base),
                               .indices = TILE_VALUES(offset));
  MlirType one = mlirVectorTypeGet(1, &count, mlirValueGetType(word));
  count = 2;
  MlirType pair = mlirVectorTypeGet(
      1, &count, mlirIntegerTypeGet(tile_builder_context(b), 16));
  MlirValue least = arith_constant(
      b, .value = mlirDenseElementsAttrSplatGet(
             pair, mlirIntegerAttrGet(mlirShapedTypeGetElementType(pair),
                                      TILE_FIRST_POSITIONS)));
  MlirValue halves = vector_bitcast(
      b, .type = pair,
      .source = vector_from_elements(b, .type = one, .elements = {&word, 1}));
  return arith_maxui(b, halves, least);
}

MlirValue tile_nvgpu_sparse_metadata(TileNvgpuRewrite *rewrite,
                                     const TileSharedWindow *metadata,
                                     int elem_bits, TileInt first_row,
                                     int64_t step) {
  TileIntMath *math = &rewrite->index;
  TileBuilder *b = &rewrite->b;
  if (metadata->shape.rank == 3)
    return packed_metadata(rewrite, metadata, elem_bits, first_row, step);
  TileSparseWord places =
      tile_sparse_word(math, rewrite->lane, elem_bits, first_row, step);
  MlirValue storage = tile_storage(b, metadata->box.base), halves[2];
  for (int i = 0; i < 2; i++) {
    TileInt at[2] = {places.row[i], places.column[i]};
    TileInt offset = tile_shared_window_at(math, metadata, at);
    MlirValue half =
        memref_load(b, .memref = storage,
                    .indices = TILE_VALUES(tile_int_get(math, offset)));
    halves[i] =
        arith_maxui(b, half, tile_const_int(b, TILE_FIRST_POSITIONS, 16));
  }
  int64_t count = 2;
  MlirType type = mlirVectorTypeGet(1, &count, mlirValueGetType(halves[0]));
  return vector_from_elements(b, .type = type, .elements = {halves, 2});
}

//===- MetadataToNVGPU.c - Metadata words of mma.sp -----------------------===//

#include "Nvgpu.h"
#include "Support/Constants.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/vector.h"

MlirValue tile_nvgpu_sparse_metadata(TileNvgpuRewrite *rewrite,
                                     const TileSharedWindow *metadata,
                                     int elem_bits, TileInt first_row,
                                     int64_t step) {
  TileIntMath *math = &rewrite->index;
  TileBuilder *b = &rewrite->b;
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

//===- MetadataToNVGPU.c - Metadata words of mma.sp -----------------------===//

#include "../SparseWord.h"
#include "Nvgpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Ops/vector.h"

MlirValue tile_nvgpu_sparse_metadata(TileNvgpuRewrite *rewrite,
                                     const TileSharedWindow *metadata,
                                     int elem_bits, TileInt first_row,
                                     int64_t step) {
  TileIntMath *math = &rewrite->index;
  TileBuilder *b = &rewrite->b;
  TileSparseWord word =
      tile_sparse_word(math, rewrite->lane, elem_bits, first_row, step);
  MlirValue storage = tile_storage(b, metadata->tile), halves[2];
  for (int i = 0; i < 2; i++) {
    TileInt at[2] = {word.row[i], word.column[i]};
    TileInt offset = tile_shared_window_at(math, metadata, at);
    halves[i] = memref_load(b, .memref = storage,
                            .indices = TILE_VALUES(tile_int_get(math, offset)));
  }
  int64_t count = 2;
  MlirType type = mlirVectorTypeGet(1, &count, mlirValueGetType(halves[0]));
  return vector_from_elements(b, .type = type, .elements = {halves, 2});
}

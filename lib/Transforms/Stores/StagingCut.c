//===- StagingCut.c - Staging tiles in parts ------------------------------===//

#include "StagingCut.h"

TileStagingCut tile_staging_cut_whole(int64_t size_bytes, int64_t row_bytes,
                                      int64_t unit_bytes) {
  return (TileStagingCut){size_bytes, row_bytes, unit_bytes, 1, 1};
}

int64_t tile_staging_cut_bytes(const TileStagingCut *cut) {
  return cut->size_bytes / cut->num_parts * cut->num_places;
}

static bool can_cut(const TileStagingCut *cut, int64_t num_parts) {
  return cut->row_bytes % (num_parts * cut->unit_bytes) == 0;
}

bool tile_staging_cut_next(TileStagingCut *cut) {
  bool is_whole = cut->num_parts == 1;
  int64_t num_parts = is_whole ? 4 : 2 * cut->num_parts;
  if ((is_whole || cut->num_places == 2) && can_cut(cut, num_parts)) {
    cut->num_parts = num_parts;
    cut->num_places = 2;
    return true;
  }
  if (is_whole && can_cut(cut, 2)) {
    cut->num_parts = 2;
    return true;
  }
  bool has_two = cut->num_places == 2;
  cut->num_places = 1;
  return has_two;
}

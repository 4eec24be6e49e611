//===- TileVerifyOverlap.c - Copies between windows of one tile -----------===//

#include "TileVerifyOverlap.h"

#include "Dialect/Boxes.h"

bool tile_verify_windows_overlap(MlirValue src, MlirValue dst) {
  TileBox from, to;
  TileShape shape;
  return tile_shape_of(src, &shape) && shape.space != TILE_SPACE_GLOBAL &&
         tile_box_of(src, &from) && tile_box_of(dst, &to) &&
         mlirValueEqual(from.base, to.base) &&
         tile_boxes_overlap_as_named(&from, &to) == TILE_OVERLAP_SOME;
}

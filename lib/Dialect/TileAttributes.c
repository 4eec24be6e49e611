//===- TileAttributes.c - Discardable tile.* attributes on any op ---------===//

#include "Tile/Dialect/Ops.h"
#include "Tile/Support/Diagnostics.h"
#include "TileHooks.h"
MlirLogicalResult tile_attribute_verify(MlirOperation op, MlirNamedAttribute attribute) { (void)op; (void)attribute; return tile_success(); }

//===- MakeVariants.c - (being written) ===//
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"
MlirLogicalResult tile_make_variants_run(MlirOperation op, const TileMakeVariantsOptions *options) { (void)op; (void)options; return tile_success(); }

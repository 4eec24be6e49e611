//===- TileToNVVM.c - (being written) ===//
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"
MlirLogicalResult tile_convert_to_nvvm_run(MlirOperation op, const TileConvertToNVVMOptions *options) { (void)op; (void)options; return tile_success(); }

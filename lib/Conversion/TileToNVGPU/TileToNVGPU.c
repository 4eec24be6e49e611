//===- TileToNVGPU.c - (being written) ===//
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"
MlirLogicalResult tile_convert_to_nvgpu_run(MlirOperation op, const TileConvertToNVGPUOptions *options) { (void)op; (void)options; return tile_success(); }

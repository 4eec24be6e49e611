//===- PackSharedMemory.c - (being written) ===//
#include "Tile/Support/Diagnostics.h"
#include "TilePasses.h"
MlirLogicalResult tile_pack_shared_memory_run(MlirOperation op, const TilePackSharedMemoryOptions *options) { (void)op; (void)options; return tile_success(); }

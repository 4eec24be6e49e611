//===- TileVerify.c - The constraints of each op --------------------------===//

#include "Tile/Dialect/Ops.h"
#include "Tile/Support/Diagnostics.h"
#include "TileHooks.h"
#define STUB(n) MlirLogicalResult n##_verify(MlirOperation op) { (void)op; return tile_success(); }
STUB(tile_alloc) STUB(tile_region) STUB(tile_storage) STUB(tile_copy) STUB(tile_fill) STUB(tile_gemm) STUB(tile_block_swizzle)
STUB(tile_kernel_config) STUB(tile_tensor_map) STUB(tile_require) STUB(tile_barrier_alloc) STUB(tile_barrier_init)
STUB(tile_barrier_arrive) STUB(tile_barrier_expect) STUB(tile_barrier_wait) STUB(tile_barrier_sync)
MlirLogicalResult tile_variants_verify_regions(MlirOperation op) { (void)op; return tile_success(); }

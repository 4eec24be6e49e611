//===- TileOps.td - The ops of the tile dialect ---------------------------===//
//
// One file for each family, in the order of the documentation.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "Tile/Dialect/TileBufferOps.td"
include "Tile/Dialect/TileViewOps.td"
include "Tile/Dialect/TileMoveOps.td"
include "Tile/Dialect/TileGatherOps.td"
include "Tile/Dialect/TileElementOps.td"
include "Tile/Dialect/TileMessageOps.td"
include "Tile/Dialect/TileProductOps.td"
include "Tile/Dialect/TileSparseOps.td"
include "Tile/Dialect/TileReduceOps.td"
include "Tile/Dialect/TileCombineOps.td"
include "Tile/Dialect/TileAtomicOps.td"
include "Tile/Dialect/TileLaunchOps.td"
include "Tile/Dialect/TileClusterOps.td"
include "Tile/Dialect/TileHostOps.td"
include "Tile/Dialect/TileMapOps.td"
include "Tile/Dialect/TileBarrierOps.td"
include "Tile/Dialect/TileAsyncOps.td"
include "Tile/Dialect/TileChannelOps.td"
include "Tile/Dialect/TileRoleOps.td"

#endif // TILE_OPS_TD

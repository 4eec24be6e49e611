//===- ProductFlow.h - Products under way, and where they are awaited -----===//
#ifndef TILE_PRODUCT_FLOW_H
#define TILE_PRODUCT_FLOW_H

#include "Dialect/Ops.h"
#include "Support/Arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A product that may be asynchronous.
typedef struct {
  MlirOperation op;  // tile.gemm
  MlirValue a, b, c; // buffers
  bool is_async;
  bool overlaps; // something else is done while it is under way
  bool is_left;  // under way at the end of a role
  uint8_t own;   // ages of executions of its own under way when it is issued
} TileFlowProduct;

/// A `tile.await` to insert.
typedef struct {
  MlirOperation before;
  int pending;
  bool *completes, *leaves; // by number of the product; what is under way still
} TileFlowAwait;

/// A `tile.release` of a slot that the last `lateness` products issued in front
/// of it do not read.
typedef struct {
  MlirOperation op;
  int lateness;
} TileLateRelease;

typedef struct {
  TileLateRelease *late_releases;
  int num_late_releases;

  TileFlowProduct *products; // program order
  int num_products;
  TileFlowAwait *awaits;
  int num_awaits, await_capacity;
} TileProductFlow;

/// Decides which products of the kernel are asynchronous and where they are
/// waited for, with exact counts. `late_releases` is set by the caller.
/// Owner: `arena`.
void tile_product_flow_build(TileArena *arena, MlirOperation kernel,
                             TileProductFlow *flow);

/// Reads a kernel whose asynchronous products and awaits are decided: lists the
/// asynchronous products and fills in `own`, where bit a stands for an
/// execution that a further products were issued behind. Owner: `arena`.
void tile_product_flow_read(TileArena *arena, MlirOperation kernel,
                            TileProductFlow *flow);

/// Whether windows `written` and `read` of one tile, both given by `loop`, have
/// no element in common in any one of its rounds (ProductWindows.c).
bool tile_product_windows_miss(MlirValue written, MlirValue read,
                               MlirOperation loop);

#ifdef __cplusplus
}
#endif

#endif // TILE_PRODUCT_FLOW_H

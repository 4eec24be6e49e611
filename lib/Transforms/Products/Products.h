//===- Products.h - Products that run while other work is done ------------===//
//
// tile-async-products (AsyncProducts.c) makes products asynchronous and says
// where they are awaited (ProductFlow.c), after loops that only multiply have
// come to release their slots later (LateRelease.c) and products overwrite
// zeros (AccumulatorClear.c). tile-alternate-registers (AlternateRegisters.c)
// reads what has been decided.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PRODUCTS_H
#define TILE_TRANSFORMS_PRODUCTS_H

#include "Dialect/Ops.h"
#include "Dialect/Products.h"
#include "Support/Arena.h"
#include "Tile/Ops/scf.h"

//===-- Products under way (ProductFlow.c) --------------------------------===//

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

/// A `tile.release` of a slot that the last `lateness` products issued before
/// it do not read.
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
/// execution that a further products were issued after. Owner: `arena`.
void tile_product_flow_read(TileArena *arena, MlirOperation kernel,
                            TileProductFlow *flow);

//===-- Products that overwrite zeros (AccumulatorClear.c) ----------------===//

/// The fill with zeros of all of `accumulator` that stands before `op` in
/// its block, when nothing touches the accumulator in between; else null.
MlirOperation accumulator_fill_find(MlirOperation op, MlirValue accumulator);

/// Makes the first wgmma product after such a fill overwrite its accumulator,
/// which then is not filled: registers are not set to zero to be added to. In a
/// loop the product overwrites in the first iteration; where there may be none,
/// the fill stands after the loop, for that case.
void accumulator_clear_apply(TileArena *arena, MlirOperation kernel);

//===-- Slots that are released later (LateRelease.c) ---------------------===//

/// Rewrites the loops of the roles of `kernel` that only wait, multiply and
/// release. Returns the releases inside the new loops. Owner: `arena`.
void late_release_apply(TileArena *arena, MlirOperation kernel,
                        TileLateRelease **out_releases, int *out_count);

#endif // TILE_TRANSFORMS_PRODUCTS_H

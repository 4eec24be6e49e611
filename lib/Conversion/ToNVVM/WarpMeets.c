//===- WarpMeets.c - Where a warp that has split meets again --------------===//
//
// TMA is issued by one thread, under a branch; the others of its warp wait
// after it, as the barriers that follow need it. At the end of an arm of a
// conditional this is not left to ptxas: where the condition is asked again
// after the arms, ptxas 13.0 has each arm jump on and forgets the meeting, so
// that the thread that issued runs ahead through barriers and phases. The
// `bar.warp.sync` costs nothing: its place is the meeting.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Support/Constants.h"
#include "Support/Iterate.h"
#include "Tile/Ops/cf.h"
#include "Tile/Ops/nvvm.h"

static bool is_issued_by_one(MlirOperation op) {
  if (tile_copy_is(op))
    return tile_copy_map(tile_copy_cast(op)).ptr;
  if (tile_atomic_is(op))
    return tile_atomic_map(tile_atomic_cast(op)).ptr;
  return tile_barrier_expect_is(op);
}

// One thread has issued, and no barrier of all follows in the block.
static bool ends_split(MlirBlock block) {
  bool is_split = false;
  TILE_FOR_EACH_OP (op, block) {
    if (is_issued_by_one(op))
      is_split = true;
    else if (tile_barrier_sync_is(op))
      is_split = false;
  }
  return is_split;
}

static bool comes_before(MlirBlock a, MlirBlock b) {
  for (; a.ptr; a = mlirBlockGetNextInRegion(a))
    if (mlirBlockEqual(a, b))
      return true;
  return false;
}

// Blocks are in the order of the source: a jump back is one to an earlier
// block.
static bool is_loop_header(MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumPredecessors(block); i++)
    if (comes_before(block, mlirBlockGetPredecessor(block, i)))
      return true;
  return false;
}

static bool is_end_of_arm(MlirBlock block) {
  if (!cf_br_is(mlirBlockGetTerminator(block)))
    return false;
  MlirBlock next = mlirBlockGetSuccessor(block, 0);
  return mlirBlockGetNumPredecessors(next) > 1 && !is_loop_header(next);
}

void warps_meet(Lowering *l) {
  MlirRegion body = mlirOperationGetRegion(l->func, 0);
  for (MlirBlock block = mlirRegionGetFirstBlock(body); block.ptr;
       block = mlirBlockGetNextInRegion(block)) {
    if (!ends_split(block) || !is_end_of_arm(block))
      continue;
    MlirOperation end = mlirBlockGetTerminator(block);
    l->b.loc = mlirOperationGetLocation(end);
    mlirRewriterBaseSetInsertionPointBefore(l->b.rw, end);
    nvvm_bar_warp_sync_op(&l->b, .mask = tile_const_int(&l->b, -1, 32));
  }
}

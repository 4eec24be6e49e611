//===- TileKernelAsync.c - Reads of tiles that copies still fill ----------===//
//
// A part of tile_kernel_verify: within one block of ops, where no run can be
// otherwise. Loops are the business of who writes them, and of the emulator.
//
//===----------------------------------------------------------------------===//

#include "TileKernelAsync.h"

#include "Dialect/Verify/TileVerify.h"
#include "Support/Iterate.h"

static bool is_async_fill(MlirOperation op) {
  TileCopyOp copy = tile_copy_dyn(op);
  return copy.op.ptr && tile_copy_async(copy) &&
         !mlirAttributeIsNull(tile_copy_instr_attr(copy)) &&
         tile_copy_instr(copy) == TILE_INSTR_CpAsync;
}

// What may wait, and what may hold something that does.
static bool may_wait(MlirOperation op) {
  return tile_cp_async_wait_is(op) || tile_barrier_wait_is(op) ||
         (mlirOperationGetNumRegions(op) > 0 && !tile_parallel_is(op));
}

// Whether `op` reads the tile that the copy fills, or all that it is a part of.
static bool reads(MlirOperation op, MlirValue filled) {
  TileAccess list[TILE_MAX_ACCESSES];
  MlirValue root = tile_buffer_of(filled).root;
  int count = tile_accesses_get(op, list);
  for (int i = 0; i < count; i++)
    if (list[i].reads && (mlirValueEqual(list[i].tile, filled) ||
                          mlirValueEqual(list[i].tile, root)))
      return true;
  return false;
}

static MlirWalkResult check_fill(MlirOperation op, void *user_data) {
  MlirLogicalResult *result = user_data;
  if (!is_async_fill(op))
    return MlirWalkResultAdvance;
  MlirValue filled = tile_copy_dst(tile_copy_cast(op));
  for (MlirOperation next = mlirOperationGetNextInBlock(op);
       !mlirOperationIsNull(next) && !may_wait(next);
       next = mlirOperationGetNextInBlock(next)) {
    if (tile_parallel_is(next) || !reads(next, filled))
      continue;
    *result = tile_emit_error_with_note(
        next, mlirOperationGetLocation(op), "the copy is here",
        "reads a tile that an asynchronous copy may still fill: no "
        "tile.cp_async_wait stands between");
    return MlirWalkResultInterrupt;
  }
  return MlirWalkResultAdvance;
}

MlirLogicalResult tile_kernel_async_verify(MlirOperation kernel) {
  MlirLogicalResult result = tile_success();
  mlirOperationWalk(kernel, check_fill, &result, MlirWalkPreOrder);
  return result;
}

//===- GuardMasks.c - Masks run where they hide something -----------------===//
//
// Consumes: element loops in loops that replace elements by a constant, by
//           their places alone.
// Produces: the same in a condition: the corner of the tile that is hidden
//           first is. An `scf.if` between an element and a constant is a
//           select.
// Keeps:    loops that do more, and masks by other things than places.
// Fails:    never.
// Idempotent: a loop in a condition is in no loop any more.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "Support/Diagnostics.h"
#include "TilePasses.h"

static MlirLogicalResult visit_kernel(MlirOperation kernel, void *user_data) {
  TileElements elements = {
      {mlirIRRewriterCreate(mlirOperationGetContext(kernel)),
       mlirOperationGetLocation(kernel)},
      user_data,
      kernel};
  tile_elements_guard_masks(&elements);
  mlirIRRewriterDestroy(elements.b.rw);
  return tile_success();
}

MlirLogicalResult tile_guard_masks_run(MlirOperation op,
                                       const TileGuardMasksOptions *options) {
  (void)options;
  return tile_kernels_visit_in_arena(op, visit_kernel);
}

//===- TensorWrites.c - Which tensors a kernel writes ---------------------===//

#include "Index.h"

#include "Dialect/ElementLoops.h"
#include "Dialect/ForeignOps.h"

typedef struct {
  MlirValue root;
  bool is_written;
} Writers;

static bool is_global(MlirValue memref) {
  TileShape shape;
  return tile_shape_of(memref, &shape) &&
         (shape.space == TILE_SPACE_GLOBAL || shape.space == TILE_SPACE_OTHER);
}

static void note_write(Writers *writers, MlirValue memref) {
  TileShape shape;
  if (!tile_shape_of(memref, &shape))
    return; // a number that is stored, an index
  MlirValue root = tile_tensor_root(memref);
  writers->is_written |=
      is_global(root) &&
      (mlirValueEqual(root, writers->root) || !tile_tensor_is_distinct(root) ||
       !tile_tensor_is_distinct(writers->root));
}

static MlirWalkResult find_write(MlirOperation op, void *user_data) {
  Writers *writers = user_data;
  TileAccess access[TILE_MAX_ACCESSES];
  TileElementAccess element;
  int n = tile_op_is(op) ? tile_accesses_get(op, access) : 0;
  for (int i = 0; i < n; i++)
    if (access[i].writes)
      note_write(writers, access[i].tile);
  if (tile_element_access_get(op, &element)) {
    if (element.is_store)
      note_write(writers, element.memref);
  } else if (tile_op_name_begins(op, "memref.") &&
             mlirOperationGetNumResults(op) == 0) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      note_write(writers, mlirOperationGetOperand(op, i));
  }
  return writers->is_written ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tile_kernel_may_write(MlirOperation kernel, MlirValue root) {
  Writers writers = {root, false};
  mlirOperationWalk(kernel, find_write, &writers, MlirWalkPreOrder);
  return writers.is_written;
}

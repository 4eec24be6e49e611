//===- Iterate.h - Walking blocks and ops ---------------------------------===//
//
// Passes look first and change afterwards, because walks do not see what is
// inserted or erased under them: what they find is a list.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_ITERATE_H
#define TILE_SUPPORT_ITERATE_H

#include "Support/Arena.h"
#include "mlir-c/IR.h"
#include <stdbool.h>

/// Runs over the ops of a block in program order. The current op may be moved
/// or erased: the successor is taken first.
#define TILE_FOR_EACH_OP(op, block)                                            \
  for (MlirOperation                                                           \
           op = mlirBlockGetFirstOperation(block),                             \
           op##_next = op.ptr ? mlirOperationGetNextInBlock(op) : op;          \
       op.ptr; op = op##_next,                                                 \
           op##_next = op.ptr ? mlirOperationGetNextInBlock(op) : op)

/// Ops in the order in which they were found.
/// Memory comes from the arena, which is given; the rest begins as zeros.
typedef struct {
  TileArena *arena;
  MlirOperation *items;
  size_t count, capacity;
} TileOpList;

static inline void tile_op_list_add(TileOpList *list, MlirOperation op) {
  TILE_ARENA_RESERVE(list->arena, list->items, list->count, list->capacity);
  list->items[list->count++] = op;
}

static inline bool tile_op_list_has(const TileOpList *list, MlirOperation op) {
  for (size_t i = 0; i < list->count; i++)
    if (mlirOperationEqual(list->items[i], op))
      return true;
  return false;
}

/// Whether the op stands in the block, or in a region of an op that does.
static inline bool tile_op_is_in_block(MlirOperation op, MlirBlock block) {
  for (; op.ptr; op = mlirOperationGetParentOperation(op))
    if (mlirBlockEqual(mlirOperationGetBlock(op), block))
      return true;
  return false;
}

#endif // TILE_SUPPORT_ITERATE_H

//===- Iterate.h - Walking blocks and ops ---------------------------------===//
#ifndef TILE_SUPPORT_ITERATE_H
#define TILE_SUPPORT_ITERATE_H

#include "mlir-c/IR.h"

/// Runs over the ops of a block in program order. The current op may be moved
/// or erased: the successor is taken first.
#define TILE_FOR_EACH_OP(op, block)                                            \
  for (MlirOperation                                                           \
           op = mlirBlockGetFirstOperation(block),                             \
           op##_next = op.ptr ? mlirOperationGetNextInBlock(op) : op;          \
       op.ptr; op = op##_next,                                                 \
           op##_next = op.ptr ? mlirOperationGetNextInBlock(op) : op)

#endif // TILE_SUPPORT_ITERATE_H

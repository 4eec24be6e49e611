//===- MetadataWrites.h - Which memrefs a kernel may write ----------------===//
#ifndef TILE_LIB_TARGET_METADATA_WRITES_H
#define TILE_LIB_TARGET_METADATA_WRITES_H

#include "mlir-c/IR.h"
#include <stdbool.h>

/// False only when no op of `kernel` writes through its argument number
/// `operand`, a memref. Kernels that are no gpu.func any more, and arguments
/// whose address escapes, count as written.
bool tile_kernel_may_write(MlirOperation kernel, int operand);

#endif // TILE_LIB_TARGET_METADATA_WRITES_H

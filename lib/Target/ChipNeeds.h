//===- ChipNeeds.h - Which chips have the instruction of an op ------------===//
#ifndef TILE_LIB_TARGET_CHIP_NEEDS_H
#define TILE_LIB_TARGET_CHIP_NEEDS_H

#include "Target/Target.h"
#include "mlir-c/IR.h"

/// Checks that the targets of kernels have what their ops of nvvm become. LLVM
/// ends the program where it has no instruction.
/// Errors: at the op, with the chips that it needs.
MlirLogicalResult tile_chip_needs_check(MlirOperation module);

/// Reports the fatal error `reason` of LLVM at the op that became `intrinsic`
/// named in it. False, reporting nothing, where the modules hold no such op.
bool tile_chip_needs_report(const MlirOperation *gpu_modules,
                            size_t num_gpu_modules, const TileTarget *target,
                            const char *reason);

#endif // TILE_LIB_TARGET_CHIP_NEEDS_H

//===- UndefinedValues.h - Arithmetic on values that nobody wrote ---------===//
#ifndef TILE_TARGET_UNDEFINED_VALUES_H
#define TILE_TARGET_UNDEFINED_VALUES_H

#include "llvm-c/Core.h"

/// Keeps LLVM from folding what is computed with undefined values. To be called
/// when memory of the functions has become values.
void tile_undefined_values_keep(LLVMContextRef context, LLVMModuleRef module);

#endif // TILE_TARGET_UNDEFINED_VALUES_H

//===- FatalErrors.h - What LLVM ends a program for -----------------------===//
#ifndef TILE_LIB_API_FATAL_ERRORS_H
#define TILE_LIB_API_FATAL_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/// Registers passes, the NVPTX back end and the handler of fatal errors with
/// MLIR and LLVM, once in a process.
void tile_api_init(void);

/// Calls `run` on a large stack. A fatal error of LLVM, which would end the
/// program, ends the call instead: false, with its reason in `out_reason`. What
/// `run` has allocated is lost then, and what it was changing must not be used.
bool tile_api_call(void (*run)(void *user_data), void *user_data,
                   char *out_reason, size_t capacity);

#endif // TILE_LIB_API_FATAL_ERRORS_H

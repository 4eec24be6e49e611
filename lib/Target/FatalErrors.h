//===- FatalErrors.h - What LLVM ends a program for -----------------------===//
#ifndef TILE_LIB_TARGET_FATAL_ERRORS_H
#define TILE_LIB_TARGET_FATAL_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/// Tells LLVM whom to ask, once in a process.
void tile_fatal_errors_install(void);

/// Calls `run`. A fatal error of LLVM in this thread, which would end the
/// program, ends the call instead: false, with its reason in `out_reason`. What
/// `run` has allocated is lost then, and what it was changing must not be used.
bool tile_fatal_errors_catch(void (*run)(void *user_data), void *user_data,
                             char *out_reason, size_t capacity);

#endif // TILE_LIB_TARGET_FATAL_ERRORS_H

//===- LargeStack.h - Runs a program on a deep stack ----------------------===//
#ifndef TILE_SUPPORT_LARGE_STACK_H
#define TILE_SUPPORT_LARGE_STACK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*TileMain)(int argc, char **argv);

/// Calls `run` with `user_data` on a thread with a stack of 1 GiB, to which no
/// signal is delivered, and waits for its end. Runs on the caller's stack when
/// no such thread can be made.
void tile_call_on_large_stack(void (*run)(void *user_data), void *user_data);

/// Calls `run` with `user_data` on the caller's stack and on such threads at
/// the same time, `count` in all or fewer, and waits for them.
void tile_call_on_large_stacks(void (*run)(void *user_data), void *user_data,
                               size_t count);

/// Calls `run` on a thread with a stack of 1 GiB (address space; pages are
/// taken as they are touched) and returns what it returns. MLIR's parser and
/// verifier recurse once per nested region: on the usual 8 MiB a few thousand
/// levels would crash the tool instead of reaching the diagnostic. Runs on the
/// caller's stack when no such thread can be made.
int tile_run_on_large_stack(TileMain run, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_LARGE_STACK_H

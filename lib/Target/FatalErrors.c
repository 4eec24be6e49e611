//===- FatalErrors.c - What LLVM ends a program for -----------------------===//
//
// LLVM tells one function of the process about a fatal error and ends it when
// that returns. Ours leaves the innermost call of the thread that has one.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"

#include "llvm-c/ErrorHandling.h"
#include <setjmp.h>
#include <stdio.h>

typedef struct {
  char *reason;
  size_t capacity;
  jmp_buf end;
} Call;

// LLVM gives its handler no argument of ours.
static _Thread_local Call *call_of_thread;

static void on_fatal_error(const char *reason) {
  Call *call = call_of_thread;
  if (!call) { // of the program: as without us
    fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return;
  }
  snprintf(call->reason, call->capacity, "%s", reason);
  longjmp(call->end, 1);
}

void tile_fatal_errors_install(void) {
  LLVMInstallFatalErrorHandler(on_fatal_error);
}

bool tile_fatal_errors_catch(void (*run)(void *user_data), void *user_data,
                             char *out_reason, size_t capacity) {
  Call call = {.reason = out_reason, .capacity = capacity};
  Call *volatile outer = call_of_thread;
  volatile bool has_ended = false; // by itself
  call_of_thread = &call;
  if (setjmp(call.end) == 0) {
    run(user_data);
    has_ended = true;
  }
  call_of_thread = outer;
  return has_ended;
}

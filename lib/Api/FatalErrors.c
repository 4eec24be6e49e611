//===- FatalErrors.c - What LLVM ends a program for -----------------------===//
//
// LLVM tells one function of the process about a fatal error and ends it when
// that returns. Ours leaves the call of the thread that has one.
//
//===----------------------------------------------------------------------===//

#include "Api/FatalErrors.h"

#include "Support/LargeStack.h"
#include "Tile/Mlir.h"
#include "llvm-c/ErrorHandling.h"
#include "llvm-c/Target.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

typedef struct {
  void (*run)(void *user_data);
  void *user_data;
  char *reason;
  size_t capacity;
  bool has_ended; // by itself
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

static void init(void) {
  tile_register_pipeline_passes();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInstallFatalErrorHandler(on_fatal_error);
}

void tile_api_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init);
}

static void run_call(void *user_data) {
  Call *call = user_data;
  Call *outer = call_of_thread;
  call_of_thread = call;
  if (setjmp(call->end) == 0) {
    call->run(call->user_data);
    call->has_ended = true;
  }
  call_of_thread = outer;
}

bool tile_api_call(void (*run)(void *user_data), void *user_data,
                   char *out_reason, size_t capacity) {
  Call call = {.run = run,
               .user_data = user_data,
               .reason = out_reason,
               .capacity = capacity};
  tile_call_on_large_stack(run_call, &call);
  return call.has_ended;
}

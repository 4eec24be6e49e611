//===- LargeStack.c - Runs a program on a deep stack ----------------------===//

#include "LargeStack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define STACK_SIZE_BYTES ((size_t)1 << 30)

typedef struct {
  void (*run)(void *user_data);
  void *user_data;
} Call;

static void *call(void *user_data) {
  const Call *c = user_data;
  c->run(c->user_data);
  return NULL;
}

// `no_signals`: the thread gets none. The caller, which waits, gets them as
// always: it is a thread of somebody else's program.
static bool start_thread(Call *c, bool no_signals, pthread_t *out_thread) {
  sigset_t all, before;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return false;
  sigfillset(&all);
  if (no_signals) // a new thread has the mask of who makes it
    pthread_sigmask(SIG_SETMASK, &all, &before);
  bool is_made = !pthread_attr_setstacksize(&attributes, STACK_SIZE_BYTES) &&
                 !pthread_create(out_thread, &attributes, call, c);
  if (no_signals)
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return is_made;
}

static bool run_on_thread(Call *c, bool no_signals) {
  pthread_t thread;
  bool is_made = start_thread(c, no_signals, &thread);
  if (is_made)
    pthread_join(thread, NULL);
  return is_made;
}

void tile_call_on_large_stack(void (*run)(void *user_data), void *user_data) {
  Call c = {run, user_data};
  if (!run_on_thread(&c, true))
    run(user_data);
}

void tile_call_on_large_stacks(void (*run)(void *user_data), void *user_data,
                               size_t count) {
  enum { MAX_THREADS = 64 };
  Call c = {run, user_data};
  pthread_t threads[MAX_THREADS];
  size_t num_threads = 0;
  while (num_threads + 1 < count && num_threads < MAX_THREADS &&
         start_thread(&c, true, &threads[num_threads]))
    num_threads++;
  run(user_data);
  for (size_t i = 0; i < num_threads; i++)
    pthread_join(threads[i], NULL);
}

typedef struct {
  TileMain run;
  int argc;
  char **argv;
  int exit_code;
} MainCall;

static void call_main(void *user_data) {
  MainCall *c = user_data;
  c->exit_code = c->run(c->argc, c->argv);
}

// The signals of the program are its own business.
int tile_run_on_large_stack(TileMain run, int argc, char **argv) {
  MainCall main_call = {run, argc, argv, 0};
  Call c = {call_main, &main_call};
  if (!run_on_thread(&c, false))
    call_main(&main_call);
  return main_call.exit_code;
}

//===- LargeStack.c - Runs a program on a deep stack ----------------------===//

#include "LargeStack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define STACK_SIZE_BYTES ((size_t)1 << 30)

typedef struct {
  TileMain run;
  int argc;
  char **argv;
  int exit_code;
} Call;

static void *call(void *user_data) {
  Call *c = user_data;
  c->exit_code = c->run(c->argc, c->argv);
  return NULL;
}

int tile_run_on_large_stack(TileMain run, int argc, char **argv) {
  Call c = {run, argc, argv, 0};
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes))
    return run(argc, argv);
  bool is_made = !pthread_attr_setstacksize(&attributes, STACK_SIZE_BYTES) &&
                 !pthread_create(&thread, &attributes, call, &c);
  pthread_attr_destroy(&attributes);
  if (!is_made)
    return run(argc, argv);
  pthread_join(thread, NULL);
  return c.exit_code;
}

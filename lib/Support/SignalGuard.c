//===- SignalGuard.c - A signal leaves no half of an output ---------------===//

#include "SignalGuard.h"

#include <unistd.h>

// Those that end a program and are not ignored: nohup ignores SIGHUP.
static sigset_t ending_signals(void) {
  static const int all[] = {SIGINT, SIGTERM, SIGHUP};
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct sigaction action;
    if (sigaction(all[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
      sigaddset(&set, all[i]);
  }
  return set;
}

void tile_signals_block(void) {
  sigset_t set = ending_signals();
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
}

// Its disposition is the default one: the program ends as the sender expects.
static void die_of(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  kill(getpid(), number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  _exit(128 + number);
}

static void *watch(void *user_data) {
  TileSignalGuard *guard = user_data;
  sigset_t set = ending_signals();
  int number, state;
  if (sigwait(&set, &number) != 0)
    return NULL;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  if (!tile_outputs_close(guard->outputs)) {
    kill(getpid(), number); // for the next guard of this program, if any
    return NULL;
  }
  if (guard->stop)
    guard->stop(guard->stop_data);
  tile_outputs_discard(guard->outputs);
  die_of(number);
  return NULL;
}

void tile_signal_guard_start(TileSignalGuard *guard) {
  guard->is_started = pthread_create(&guard->thread, NULL, watch, guard) == 0;
}

void tile_signal_guard_end(TileSignalGuard *guard) {
  if (!guard->is_started)
    return;
  pthread_cancel(guard->thread);
  pthread_join(guard->thread, NULL);
  guard->is_started = false;
}

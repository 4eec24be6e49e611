//===- SignalGuard.h - A signal leaves no half of an output ---------------===//
//
// SIGINT, SIGTERM and SIGHUP are blocked in every thread, and waited for by one
// that removes what the outputs hold and lets the signal end the program. No
// handler runs, so nothing has to be global.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_SIGNAL_GUARD_H
#define TILE_SUPPORT_SIGNAL_GUARD_H

#include "OutputFiles.h"
#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A guard. Its owner sets `outputs` and, where other programs write some of
/// them, `stop`, which ends these.
typedef struct {
  TileOutputs *outputs; // borrowed
  void (*stop)(void *stop_data);
  void *stop_data;
  pthread_t thread;
  bool is_started;
} TileSignalGuard;

/// Blocks the signals in this thread and those that it makes, and ignores
/// SIGPIPE and SIGXFSZ: the write that fails says so. Call it in main, before
/// any other thread.
void tile_signals_block(void);

/// Starts and ends the thread. A signal that comes once the outputs are
/// committed or discarded waits for the next guard; without one it changes
/// nothing.
void tile_signal_guard_start(TileSignalGuard *guard);
void tile_signal_guard_end(TileSignalGuard *guard);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_SIGNAL_GUARD_H

//===- RunProgress.c - A line on the terminal during long runs ------------===//

#include "RunProgress.h"

#include <stdio.h>
#include <unistd.h>

#define DELAY_SECONDS 1.0    // before the first line
#define INTERVAL_SECONDS 0.2 // between lines
#define ERASE_LINE "\r\033[K"

static double seconds_between(struct timespec start, struct timespec end) {
  return (double)(end.tv_sec - start.tv_sec) +
         (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

static void show(void *user_data, const TileEmuProgress *progress) {
  RunProgress *state = user_data;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (seconds_between(state->start, now) < DELAY_SECONDS ||
      (state->is_shown && seconds_between(state->last, now) < INTERVAL_SECONDS))
    return;
  state->last = now;
  state->is_shown = true;
  fprintf(stderr,
          ERASE_LINE "tile-run: %llu of %llu CTAs, %.1f million "
                     "instructions",
          (unsigned long long)progress->num_ctas_done,
          (unsigned long long)progress->num_ctas,
          (double)progress->num_instructions * 1e-6);
  fflush(stderr);
}

void run_progress_begin(RunProgress *progress, TileEmuOptions *options) {
  *progress = (RunProgress){.is_shown = false};
  clock_gettime(CLOCK_MONOTONIC, &progress->start);
  if (!isatty(STDERR_FILENO))
    return;
  options->progress = show;
  options->progress_data = progress;
}

void run_progress_end(RunProgress *progress) {
  if (!progress->is_shown)
    return;
  fputs(ERASE_LINE, stderr);
  fflush(stderr);
  progress->is_shown = false;
}

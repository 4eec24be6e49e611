//===- RunReport.c - What tile-run says about a run -----------------------===//

#include "RunReport.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

//===-- Tensors -----------------------------------------------------------===//

enum { MAX_SHOWN = 8, NUM_SHOWN_ENDS = 4 }; // per dimension

static void print_element(FILE *file, const TileTensor *tensor, size_t index) {
  TileNumber number =
      tile_dtype_load(tensor->dtype, tile_tensor_elem(tensor, index));
  if (tile_dtype_is_float(tensor->dtype))
    fprintf(file, "%g", number.real);
  else if (tensor->dtype == TILE_DTYPE_U64)
    fprintf(file, "%llu", (unsigned long long)number.integer);
  else
    fprintf(file, "%lld", (long long)number.integer);
}

/// Prints one row: elements `first` to `first` + `count`.
static void print_row(FILE *file, const TileTensor *tensor, size_t first,
                      int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (count > MAX_SHOWN && i == NUM_SHOWN_ENDS) {
      fputs(" ...", file);
      i = count - NUM_SHOWN_ENDS;
    }
    if (i > 0)
      fputc(' ', file);
    print_element(file, tensor, first + (size_t)i);
  }
  fputc('\n', file);
}

void run_tensor_print(FILE *file, const char *what, int number,
                      const TileTensor *tensor) {
  size_t num_elems = tile_tensor_num_elems(tensor);
  fprintf(file, "%s %d: ", what, number);
  for (int i = 0; i < tensor->rank; i++)
    fprintf(file, "%lldx", (long long)tensor->shape[i]);
  fprintf(file, "%s\n", tile_dtype_name(tensor->dtype));
  if (num_elems == 0)
    return;

  // Outer dimensions are printed as further rows.
  int64_t row_elems = tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
  int64_t num_rows = (int64_t)num_elems / row_elems;
  for (int64_t row = 0; row < num_rows; row++) {
    if (num_rows > MAX_SHOWN && row == NUM_SHOWN_ENDS) {
      fputs("...\n", file);
      row = num_rows - NUM_SHOWN_ENDS;
    }
    print_row(file, tensor, (size_t)(row * row_elems), row_elems);
  }
}

//===-- A line on the terminal during long runs ---------------------------===//

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

//===-- After the run -----------------------------------------------------===//

void run_report_failure(const RunReport *report, const TileStatus *status) {
  const TileDevice *device = report->device;
  const char *text = tile_device_report(device);
  fflush(stdout); // what --verbose said comes first
  if (status->code != TILE_STATUS_KERNEL_FAILED) {
    fprintf(stderr, "tile-run: %s\n", status->message);
    return;
  }
  fprintf(stderr, "tile-run: %s failed on %s", report->program,
          tile_device_name(device));
  if (tile_device_is_emulator(device))
    fprintf(stderr, " (--seed=%llu)", (unsigned long long)report->seed);
  if (!*text)
    text = status->message;
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '\n')
    length--;
  fprintf(stderr, ":\n%.*s\n", (int)length, text);
}

static void print_stats(const TileDevice *device) {
  TileEmuStats stats = tile_device_stats(device);
  if (!tile_device_is_emulator(device)) {
    printf("stats: only the emulator counts\n");
    return;
  }
  printf("stats: %llu warp instructions, %llu lane instructions, %llu "
         "asynchronous operations\n",
         (unsigned long long)stats.num_warp_instructions,
         (unsigned long long)stats.num_lane_instructions,
         (unsigned long long)stats.num_async_ops);
  fputs(tile_emu_statistics_text(tile_device_emulator(device)), stdout);
}

static TileStatus write_file(TileOutputs *outputs, const char *path,
                             const char *text) {
  TileStatus status =
      tile_outputs_write(outputs, path, true, text, strlen(text), NULL);
  return tile_status_is_ok(&status)
             ? status
             : tile_status_error(status.code, "%s: cannot write: %s", path,
                                 strerror(errno));
}

TileStatus run_report_write(const RunReport *report, const TileStatus *status) {
  const RunOptions *options = report->options;
  TileEmu *emu = tile_device_emulator(report->device);
  if (options->stats)
    print_stats(report->device);
  const char *failure = tile_status_is_ok(status) ? NULL : status->message;
  TileStatus written = tile_status_ok();
  if (emu && options->report_path)
    written = write_file(report->outputs, options->report_path,
                         tile_emu_report_json(emu, failure));
  if (emu && options->profile_path && tile_status_is_ok(&written))
    written = write_file(report->outputs, options->profile_path,
                         tile_emu_trace_json(emu));
  return written;
}

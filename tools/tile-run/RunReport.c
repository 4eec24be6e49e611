//===- RunReport.c - What tile-run says about a run -----------------------===//

#include "RunReport.h"

#include <errno.h>
#include <string.h>

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

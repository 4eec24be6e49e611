//===- ShimOptions.c - Options of tile-emu-exec and of its libraries ------===//

#include "ShimOptions.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024, MAX_SMS = 65535 };

void tile_shim_options_init(TileShimOptions *out_options) {
  *out_options = (TileShimOptions){.capability = 90};
  tile_emu_options_init(&out_options->emulator);
}

static TileStatus expected(const char *name, const char *what,
                           const char *value) {
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "--%s: expected %s, got '%s'", name, what,
                           value ? value : "");
}

static TileStatus parse_number(const char *name, const char *value,
                               uint64_t min, uint64_t max,
                               uint64_t *out_number) {
  char *end = NULL;
  errno = 0;
  *out_number = value ? strtoull(value, &end, 10) : 0;
  if (value && isdigit((unsigned char)*value) && !*end && errno == 0 &&
      *out_number >= min && *out_number <= max)
    return tile_status_ok();
  char what[80];
  snprintf(what, sizeof what, "a number from %llu to %llu",
           (unsigned long long)min, (unsigned long long)max);
  return expected(name, what, value);
}

static TileStatus parse_int(const char *name, const char *value, int min,
                            int max, int *out_number) {
  uint64_t number = 0;
  TileStatus status =
      parse_number(name, value, (uint64_t)min, (uint64_t)max, &number);
  if (tile_status_is_ok(&status))
    *out_number = (int)number;
  return status;
}

static TileStatus parse_schedule(const char *value, TileEmuSchedule *out) {
  const char *name;
  for (int i = 0; value && (name = tile_emu_schedule_name((TileEmuSchedule)i));
       i++) {
    if (strcmp(value, name) == 0) {
      *out = (TileEmuSchedule)i;
      return tile_status_ok();
    }
  }
  return expected("schedule", "mixed, eager, lazy, random or priority", value);
}

static TileStatus parse_device(const char *value, int *out_capability) {
  if (value && strcmp(value, "h100") == 0)
    *out_capability = 90;
  else if (value && strcmp(value, "a100") == 0)
    *out_capability = 80;
  else
    return expected("device", "h100 or a100", value);
  return tile_status_ok();
}

static TileStatus parse_path(const char *name, const char *value,
                             const char **out_path) {
  if (!value || !*value)
    return expected(name, "a file", value);
  *out_path = value;
  return tile_status_ok();
}

/// Options without a value. False when `name` is none.
static bool parse_flag(TileShimOptions *options, const char *name) {
  TileEmuOptions *emulator = &options->emulator;
  if (strcmp(name, "no-races") == 0)
    emulator->detect_races = false;
  else if (strcmp(name, "pedantic") == 0)
    emulator->pedantic = true;
  else if (strcmp(name, "co-resident") == 0)
    emulator->co_resident = true;
  else if (strcmp(name, "stats") == 0)
    options->stats = emulator->collect_statistics = true;
  else if (strcmp(name, "verbose") == 0)
    options->verbose = true;
  else
    return false;
  return true;
}

TileStatus tile_shim_option_parse(TileShimOptions *options, const char *text) {
  TileEmuOptions *emulator = &options->emulator;
  char name[40] = "";
  size_t length = strcspn(text, "=");
  const char *value = text[length] ? text + length + 1 : NULL;
  if (strncmp(text, "--", 2) == 0 && length - 2 < sizeof name)
    memcpy(name, text + 2, length - 2);
  if (parse_flag(options, name))
    return value ? expected(name, "no value", value) : tile_status_ok();
  if (strcmp(name, "schedule") == 0)
    return parse_schedule(value, &emulator->schedule);
  if (strcmp(name, "device") == 0)
    return parse_device(value, &options->capability);
  if (strcmp(name, "seed") == 0)
    return parse_number(name, value, 0, UINT64_MAX, &emulator->seed);
  if (strcmp(name, "threads") == 0)
    return parse_int(name, value, 1, MAX_THREADS, &emulator->num_threads);
  if (strcmp(name, "sms") == 0)
    return parse_int(name, value, 1, MAX_SMS, &emulator->num_sms);
  if (strcmp(name, "priority-changes") == 0)
    return parse_int(name, value, 0, TILE_EMU_MAX_PRIORITY_CHANGES,
                     &emulator->num_priority_changes);
  if (strcmp(name, "max-instructions") == 0)
    return parse_number(name, value, 1, UINT64_MAX,
                        &emulator->max_instructions);
  if (strcmp(name, "report") == 0)
    return parse_path(name, value, &options->report_path);
  if (strcmp(name, "profile") == 0) {
    emulator->trace = true;
    return parse_path(name, value, &options->profile_path);
  }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "unknown option '%s'; see tile-emu-exec --help",
                           text);
}

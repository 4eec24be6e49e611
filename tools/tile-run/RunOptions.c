//===- RunOptions.c - The command line of tile-run ------------------------===//

#include "RunOptions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

//===-- Names -------------------------------------------------------------===//

typedef enum {
  OPTION_HELP,
  OPTION_VERSION,
  OPTION_VERBOSE,
  OPTION_STATS,
  OPTION_EMULATE,
  OPTION_GPU,
  OPTION_PEDANTIC,
  OPTION_NO_RACES,    // the last one without a value
  OPTION_CO_RESIDENT, // the one whose value may be left out
  OPTION_SAVE,
  OPTION_PRINT,
  OPTION_SEED,
  OPTION_SEEDS,
  OPTION_SCHEDULE,
  OPTION_PRIORITY_CHANGES,
  OPTION_REPORT,
  OPTION_PROFILE,
  OPTION_THREADS,
  OPTION_SMS,
  OPTION_VARIANT,
  OPTION_REGISTERS,
  OPTION_MAX_INSTRUCTIONS,
  OPTION_MAX_MEMORY,
  OPTION_KERNEL,
  OPTION_GRID,
  OPTION_BLOCK,
  OPTION_CLUSTER,
  OPTION_SMEM,
  OPTION_COUNT
} Option;

static const char *const option_names[OPTION_COUNT] = {
    [OPTION_HELP] = "help",
    [OPTION_VERSION] = "version",
    [OPTION_VERBOSE] = "verbose",
    [OPTION_STATS] = "stats",
    [OPTION_EMULATE] = "emulate",
    [OPTION_GPU] = "gpu",
    [OPTION_PEDANTIC] = "pedantic",
    [OPTION_NO_RACES] = "no-races",
    [OPTION_CO_RESIDENT] = "co-resident",
    [OPTION_SAVE] = "save",
    [OPTION_PRINT] = "print",
    [OPTION_SEED] = "seed",
    [OPTION_SEEDS] = "seeds",
    [OPTION_SCHEDULE] = "schedule",
    [OPTION_PRIORITY_CHANGES] = "priority-changes",
    [OPTION_REPORT] = "report",
    [OPTION_PROFILE] = "profile",
    [OPTION_THREADS] = "threads",
    [OPTION_SMS] = "sms",
    [OPTION_VARIANT] = "variant",
    [OPTION_REGISTERS] = "registers",
    [OPTION_MAX_INSTRUCTIONS] = "max-instructions",
    [OPTION_MAX_MEMORY] = "max-memory",
    [OPTION_KERNEL] = "kernel",
    [OPTION_GRID] = "grid",
    [OPTION_BLOCK] = "block",
    [OPTION_CLUSTER] = "cluster",
    [OPTION_SMEM] = "smem",
};

//===-- Values ------------------------------------------------------------===//

static TileStatus expected(Option option, const char *what, const char *value) {
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "--%s: expected %s, got '%s'", option_names[option],
                           what, value);
}

/// Reads digits up to the end of `text` or `stop`; returns what follows them,
/// NULL when malformed.
static const char *parse_count(const char *text, char stop, uint64_t max,
                               uint64_t *out_count) {
  char *end = NULL;
  if (!isdigit((unsigned char)*text))
    return NULL;
  errno = 0;
  unsigned long long count = strtoull(text, &end, 10);
  if (errno != 0 || count > max || (*end && *end != stop))
    return NULL;
  *out_count = count;
  return end;
}

static TileStatus parse_number(Option option, const char *value, uint64_t min,
                               uint64_t max, uint64_t *out_number) {
  if (parse_count(value, 0, max, out_number) && *out_number >= min)
    return tile_status_ok();
  char what[80];
  snprintf(what, sizeof what, "a number from %llu to %llu",
           (unsigned long long)min, (unsigned long long)max);
  return expected(option, what, value);
}

static TileStatus parse_sizes(Option option, const char *value,
                              uint32_t *out_sizes) {
  const char *at = value;
  for (int i = 0; i < 3; i++)
    out_sizes[i] = 1;
  for (int i = 0; i < 3; i++) {
    uint64_t size = 0;
    at = parse_count(at, ',', INT32_MAX, &size);
    if (!at || size == 0)
      break;
    out_sizes[i] = (uint32_t)size;
    if (!*at)
      return tile_status_ok();
    at++;
  }
  return expected(option, "up to three positive numbers such as 4,2,1", value);
}

static TileStatus parse_variants(const char *value, RunOptions *options) {
  const char *at = value;
  options->num_variants = 0;
  while (at && options->num_variants < RUN_MAX_LAUNCHES) {
    uint64_t *variant = &options->variants[options->num_variants++];
    at = parse_count(at, ',', INT32_MAX, variant);
    if (at && !*at)
      return tile_status_ok();
    at = at ? at + 1 : NULL;
  }
  char what[80];
  snprintf(what, sizeof what, "up to %d numbers such as 2,0,1",
           RUN_MAX_LAUNCHES);
  return expected(OPTION_VARIANT, what, value);
}

static TileStatus parse_schedule(const char *value, TileEmuSchedule *out) {
  const char *name;
  for (int i = 0; (name = tile_emu_schedule_name((TileEmuSchedule)i)); i++) {
    if (strcmp(value, name) == 0) {
      *out = (TileEmuSchedule)i;
      return tile_status_ok();
    }
  }
  return expected(OPTION_SCHEDULE, "mixed, eager, lazy, random or priority",
                  value);
}

static TileStatus parse_output(Option option, const char *value,
                               RunOptions *options) {
  if (options->num_outputs == RUN_MAX_OUTPUTS)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected at most %d of --save and --print, got "
                             "more",
                             RUN_MAX_OUTPUTS);
  RunOutput *output = &options->outputs[options->num_outputs++];
  bool is_save = option == OPTION_SAVE;
  uint64_t arg = 0;
  const char *end = parse_count(value, is_save ? '=' : 0, INT32_MAX, &arg);
  if (!end || (is_save && (*end != '=' || !end[1])))
    return expected(option, is_save ? "ARG=FILE.npy" : "an argument index",
                    value);
  *output = (RunOutput){.arg = (int)arg, .path = is_save ? end + 1 : NULL};
  return tile_status_ok();
}

//===-- Options -----------------------------------------------------------===//

static void apply_flag(Option option, RunOptions *options) {
  TileEmuOptions *emulator = &options->device.emulator;
  switch (option) {
  case OPTION_HELP:
    options->wants_help = true;
    break;
  case OPTION_VERSION:
    options->wants_version = true;
    break;
  case OPTION_VERBOSE:
    options->verbose = true;
    break;
  case OPTION_STATS:
    options->stats = true;
    emulator->collect_statistics = true;
    break;
  case OPTION_EMULATE:
    options->device.emulate = true;
    break;
  case OPTION_GPU:
    options->device.require_gpu = true;
    break;
  case OPTION_PEDANTIC:
    emulator->pedantic = true;
    break;
  default:
    emulator->detect_races = false;
    break;
  }
}

static TileStatus apply_launch_option(Option option, const char *value,
                                      RunOptions *options) {
  options->has_launch_option = true;
  switch (option) {
  case OPTION_KERNEL:
    options->kernel = value;
    return tile_status_ok();
  case OPTION_GRID:
    return parse_sizes(option, value, options->grid);
  case OPTION_BLOCK:
    return parse_sizes(option, value, options->block);
  case OPTION_CLUSTER:
    return parse_sizes(option, value, options->cluster);
  default: {
    uint64_t number = 0;
    TileStatus status = parse_number(option, value, 0, INT32_MAX, &number);
    options->dynamic_smem_bytes = (uint32_t)number;
    return status;
  }
  }
}

static TileStatus apply_limit(Option option, const char *value,
                              TileEmuOptions *emulator) {
  enum { MAX_MEMORY_MIB = 1 << 24 };
  if (option == OPTION_MAX_INSTRUCTIONS)
    return parse_number(option, value, 1, UINT64_MAX,
                        &emulator->max_instructions);
  uint64_t size_mib = 0;
  TileStatus status = parse_number(option, value, 1, MAX_MEMORY_MIB, &size_mib);
  emulator->max_memory_bytes = size_mib << 20;
  return status;
}

static TileStatus apply_value(Option option, const char *value,
                              RunOptions *options) {
  enum { MAX_THREADS = 1024, MAX_SMS = 65535, MAX_REGISTERS = 255 };
  TileEmuOptions *emulator = &options->device.emulator;
  TileStatus status;
  uint64_t number = 0;
  switch (option) {
  case OPTION_SAVE:
  case OPTION_PRINT:
    return parse_output(option, value, options);
  case OPTION_SCHEDULE:
    return parse_schedule(value, &emulator->schedule);
  case OPTION_PRIORITY_CHANGES:
    status =
        parse_number(option, value, 0, TILE_EMU_MAX_PRIORITY_CHANGES, &number);
    emulator->num_priority_changes = (int)number;
    return status;
  case OPTION_PROFILE:
    options->profile_path = value;
    emulator->trace = true;
    return tile_status_ok();
  case OPTION_REPORT:
    options->report_path = value;
    return tile_status_ok();
  case OPTION_SEED:
    return parse_number(option, value, 0, UINT64_MAX, &emulator->seed);
  case OPTION_SEEDS:
    return parse_number(option, value, 1, UINT32_MAX, &options->num_seeds);
  case OPTION_MAX_INSTRUCTIONS:
  case OPTION_MAX_MEMORY:
    return apply_limit(option, value, emulator);
  case OPTION_THREADS:
    status = parse_number(option, value, 1, MAX_THREADS, &number);
    emulator->num_threads = (int)number;
    return status;
  case OPTION_CO_RESIDENT:
    emulator->co_resident = true;
    if (!value)
      return tile_status_ok();
    status = parse_number(option, value, 1, MAX_SMS, &number);
    emulator->num_sms = (int)number;
    return status;
  case OPTION_REGISTERS:
    status = parse_number(option, value, 1, MAX_REGISTERS, &number);
    emulator->registers_per_thread = (int)number;
    return status;
  case OPTION_VARIANT:
    return parse_variants(value, options);
  case OPTION_SMS:
    status = parse_number(option, value, 1, MAX_SMS, &number);
    options->device.num_sms = (int)number;
    return status;
  default:
    return apply_launch_option(option, value, options);
  }
}

/// Options that change what the emulator does and a GPU cannot do.
static bool is_emulator_option(Option option) {
  return option == OPTION_PEDANTIC || option == OPTION_SEED ||
         option == OPTION_SEEDS || option == OPTION_SCHEDULE ||
         option == OPTION_REPORT || option == OPTION_PROFILE;
}

/// Splits --name=value and finds the name. Returns OPTION_COUNT if unknown.
static Option find_option(const char *text, const char **out_value) {
  size_t length = strcspn(text, "=");
  *out_value = text[length] ? text + length + 1 : NULL;
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (strlen(option_names[i]) == length &&
        strncmp(option_names[i], text, length) == 0)
      return (Option)i;
  }
  return OPTION_COUNT;
}

/// Parses the option at argv[*index]; moves the index over its value.
static TileStatus parse_option(int argc, char **argv, int *index,
                               RunOptions *options) {
  const char *value = NULL;
  Option option = find_option(argv[*index] + 2, &value);
  if (option == OPTION_COUNT)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "unknown option '%s'; see tile-run --help",
                             argv[*index]);
  options->has_emulator_option |= is_emulator_option(option);
  if (option <= OPTION_NO_RACES) {
    if (value)
      return expected(option, "no value", value);
    apply_flag(option, options);
    return tile_status_ok();
  }
  bool needs_value = option != OPTION_CO_RESIDENT;
  if (!value && needs_value && *index + 1 < argc)
    value = argv[++*index];
  if (!value && needs_value)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "--%s: expected a value, got nothing",
                             option_names[option]);
  return apply_value(option, value, options);
}

//===-- Entry -------------------------------------------------------------===//

static TileStatus add_argument(const char *text, RunOptions *options) {
  if (!options->program) {
    options->program = text;
    return tile_status_ok();
  }
  if (options->num_args == RUN_MAX_ARGS)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected at most %d arguments, got more",
                             RUN_MAX_ARGS);
  options->args[options->num_args++] = text;
  return tile_status_ok();
}

TileStatus run_options_parse(int argc, char **argv, RunOptions *out_options) {
  *out_options = (RunOptions){.num_seeds = 1};
  tile_device_options_init(&out_options->device);
  out_options->device.prints_output = true;
  out_options->device.emulator.seed = 1;
  for (int i = 0; i < 3; i++)
    out_options->grid[i] = out_options->cluster[i] = 1;

  TileStatus status = tile_status_ok();
  for (int i = 1; i < argc && tile_status_is_ok(&status); i++) {
    if (strcmp(argv[i], "-h") == 0)
      out_options->wants_help = true;
    else if (strncmp(argv[i], "--", 2) == 0)
      status = parse_option(argc, argv, &i, out_options);
    else
      status = add_argument(argv[i], out_options);
  }
  if (out_options->wants_help || out_options->wants_version)
    return tile_status_ok();
  const TileDeviceOptions *device = &out_options->device;
  if (tile_status_is_ok(&status) && device->emulate && device->require_gpu)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected --emulate or --gpu, got both");
  if (tile_status_is_ok(&status) && !out_options->program)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected FILE.json or FILE.ptx; see tile-run "
                             "--help");
  return status;
}

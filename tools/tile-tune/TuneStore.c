//===- TuneStore.c - Results and compiled configurations on disk ----------===//
//
// One JSON form, "tile-tune-1", for results, the cache and the list of what
// --build compiles. The cache is addressed by what a result depends on: the
// program, the arguments, the chip, what is tried, the version, the GPU's
// presence and the assembler.
//
//===----------------------------------------------------------------------===//

#include "TuneRun.h"

#include "Support/KeyTable.h"
#include "Support/OutputFiles.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format_name[] = "tile-tune-1";

//===-- To JSON -----------------------------------------------------------===//

static cJSON *axis_json(const TuneAxis *axis) {
  cJSON *json = cJSON_CreateObject();
  cJSON *values = cJSON_AddArrayToObject(json, "values");
  cJSON_AddStringToObject(json, "name", axis->name);
  cJSON_AddNumberToObject(json, "given", (double)axis->value);
  for (size_t i = 0; i < axis->num_values; i++)
    cJSON_AddItemToArray(values, cJSON_CreateNumber((double)axis->values[i]));
  if (axis->labels[0]) {
    cJSON *labels = cJSON_AddArrayToObject(json, "labels");
    for (size_t i = 0; i < axis->num_values; i++)
      cJSON_AddItemToArray(labels, cJSON_CreateString(axis->labels[i]));
  }
  return json;
}

static cJSON *config_json(const TuneRun *run, const TuneConfig *config) {
  cJSON *json = cJSON_CreateObject();
  cJSON *values = cJSON_AddArrayToObject(json, "values");
  for (size_t i = 0; i < run->num_axes; i++)
    cJSON_AddItemToArray(values, cJSON_CreateNumber((double)config->values[i]));
  cJSON_AddNumberToObject(json, "rank", config->rank);
  cJSON_AddNumberToObject(json, "model_us", config->cost.us);
  cJSON_AddStringToObject(json, "bound",
                          config->cost.bound ? config->cost.bound : "");
  cJSON_AddStringToObject(json, "form",
                          config->cost.form ? config->cost.form : "");
  cJSON_AddNumberToObject(json, "smem_bytes", (double)config->cost.smem_bytes);
  cJSON_AddBoolToObject(json, "given", config->is_given);
  cJSON_AddBoolToObject(json, "compiled", config->is_compiled);
  cJSON_AddNumberToObject(json, "registers", config->num_registers);
  cJSON_AddStringToObject(json, "verdict", config->verdict);
  cJSON_AddNumberToObject(json, "us", config->us);
  cJSON_AddNumberToObject(json, "low_us", config->low_us);
  cJSON_AddNumberToObject(json, "high_us", config->high_us);
  return json;
}

static cJSON *run_json(const TuneRun *run) {
  cJSON *json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "format", format_name);
  cJSON_AddStringToObject(json, "version", tile_version());
  cJSON_AddStringToObject(json, "function", run->function ? run->function : "");
  cJSON_AddStringToObject(json, "device",
                          run->measured_on ? run->measured_on : "");
  cJSON_AddNumberToObject(json, "tried", (double)run->num_tried);
  cJSON_AddNumberToObject(json, "illegal", (double)run->num_illegal);
  cJSON *args = cJSON_AddArrayToObject(json, "arguments");
  for (size_t i = 0; i < run->options.num_args; i++)
    cJSON_AddItemToArray(args, cJSON_CreateString(run->options.args[i]));
  cJSON *axes = cJSON_AddArrayToObject(json, "choices");
  for (size_t i = 0; i < run->num_axes; i++)
    cJSON_AddItemToArray(axes, axis_json(&run->axes[i]));
  cJSON *configs = cJSON_AddArrayToObject(json, "configurations");
  for (size_t i = 0; i < run->num_configs; i++)
    cJSON_AddItemToArray(configs, config_json(run, &run->configs[i]));
  return json;
}

static TileStatus write_json(const TuneRun *run, const char *path) {
  cJSON *json = run_json(run);
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  TileStatus status = tile_file_write(path, text, strlen(text));
  cJSON_free(text);
  return status;
}

static bool say(const TileStatus *status) {
  if (tile_status_is_ok(status))
    return true;
  fprintf(stderr, "tile-tune: error: %s\n", status->message);
  return false;
}

//===-- From JSON ---------------------------------------------------------===//

static double number(const cJSON *json, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text(const cJSON *json, const char *name) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
  return cJSON_IsString(item) ? item->valuestring : "";
}

// One of the texts that live forever.
static const char *constant(const char *name) {
  static const char *const known[] = {"products", "elements",   "cache",
                                      "memory",   "ends",       "blocks",
                                      "turns",    "cooperative"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i], name))
      return known[i];
  return "";
}

static void read_axis(const cJSON *json, TuneAxis *axis) {
  const cJSON *values = cJSON_GetObjectItemCaseSensitive(json, "values");
  const cJSON *labels = cJSON_GetObjectItemCaseSensitive(json, "labels");
  *axis = (TuneAxis){.name = strdup(text(json, "name")),
                     .value = (int64_t)number(json, "given")};
  int count = cJSON_GetArraySize(values);
  for (int i = 0; i < count && i < TUNE_MAX_VALUES; i++) {
    const cJSON *label = cJSON_GetArrayItem(labels, i);
    axis->values[axis->num_values++] =
        (int64_t)cJSON_GetArrayItem(values, i)->valuedouble;
    if (cJSON_IsString(label))
      axis->labels[i] = strdup(label->valuestring);
  }
}

static void read_config(const cJSON *json, TuneConfig *out) {
  const cJSON *values = cJSON_GetObjectItemCaseSensitive(json, "values");
  *out = (TuneConfig){.rank = (int)number(json, "rank"),
                      .num_registers = (int)number(json, "registers"),
                      .us = number(json, "us"),
                      .low_us = number(json, "low_us"),
                      .high_us = number(json, "high_us")};
  out->cost.us = number(json, "model_us");
  out->cost.smem_bytes = (int64_t)number(json, "smem_bytes");
  out->cost.bound = constant(text(json, "bound"));
  out->cost.form = constant(text(json, "form"));
  out->is_given = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "given"));
  out->is_compiled =
      cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "compiled"));
  snprintf(out->verdict, sizeof out->verdict, "%s", text(json, "verdict"));
  for (int i = 0; i < cJSON_GetArraySize(values) && i < TUNE_MAX_CHOICES; i++)
    out->values[i] = (int64_t)cJSON_GetArrayItem(values, i)->valuedouble;
}

static void drop_configs(TuneRun *run) {
  for (size_t i = 0; i < run->num_configs; i++) {
    free(run->configs[i].json);
    free(run->configs[i].image);
  }
  free(run->configs);
  run->configs = NULL;
  run->num_configs = 0;
}

// False for what is no file of ours.
static bool read_run(TuneRun *run, const cJSON *json) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "configurations");
  int count = cJSON_GetArraySize(list);
  if (strcmp(text(json, "format"), format_name) || count == 0)
    return false;
  drop_configs(run);
  run->configs = calloc((size_t)count, sizeof *run->configs);
  if (!run->configs)
    return false;
  for (int i = 0; i < count; i++)
    read_config(cJSON_GetArrayItem(list, i), &run->configs[i]);
  run->num_configs = (size_t)count;
  run->num_tried = (size_t)number(json, "tried");
  run->num_illegal = (size_t)number(json, "illegal");
  if (*text(json, "device"))
    run->measured_on = strdup(text(json, "device"));
  return true;
}

static cJSON *parse_file(const char *path) {
  FILE *file = fopen(path, "rb");
  struct stat info;
  char *data = NULL;
  cJSON *json = NULL;
  if (file && !fstat(fileno(file), &info) &&
      (data = malloc((size_t)info.st_size + 1))) {
    size_t got = fread(data, 1, (size_t)info.st_size, file);
    json = cJSON_ParseWithLength(data, got);
  }
  if (file)
    fclose(file);
  free(data);
  return json;
}

//===-- The cache ---------------------------------------------------------===//

static uint64_t hash_text(uint64_t hash, const char *text_or_null) {
  const char *t = text_or_null ? text_or_null : "";
  return tile_hash_bytes(hash, t, strlen(t) + 1);
}

static uint64_t key_of(const TuneRun *run) {
  const TuneOptions *options = &run->options;
  uint64_t hash = tile_hash_bytes(TILE_HASH_START, run->text, run->text_bytes);
  hash = hash_text(hash_text(hash, format_name), tile_version());
  hash = hash_text(hash_text(hash, options->target), run->ptxas);
  for (size_t i = 0; i < options->num_args; i++)
    hash = hash_text(hash, options->args[i]);
  for (size_t i = 0; i < options->num_tries; i++)
    hash = hash_text(hash, options->tries[i]);
  hash = tile_hash_word(hash, (uint64_t)options->top);
  hash = tile_hash_word(hash, (uint64_t)options->turns);
  return tile_hash_word(hash, (options->has_no_gpu ? 2U : 0U) +
                                  (options->has_no_compile ? 1U : 0U));
}

static bool cache_path(const TuneRun *run, bool makes, char *out,
                       size_t capacity) {
  char folder[3072];
  const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");
  if (run->options.has_no_cache)
    return false;
  if (run->options.cache)
    snprintf(folder, sizeof folder, "%s", run->options.cache);
  else if (cache && *cache)
    snprintf(folder, sizeof folder, "%s/tile-tune", cache);
  else if (home && *home)
    snprintf(folder, sizeof folder, "%s/.cache/tile-tune", home);
  else
    return false;
  for (char *c = folder + 1; makes && *c; c++)
    if (*c == '/') {
      *c = '\0';
      mkdir(folder, 0777);
      *c = '/';
    }
  if (makes)
    mkdir(folder, 0777);
  snprintf(out, capacity, "%s/%016llx.json", folder,
           (unsigned long long)key_of(run));
  return true;
}

static bool read_cache(TuneRun *run) {
  char path[4096];
  if (!cache_path(run, false, path, sizeof path))
    return false;
  cJSON *json = parse_file(path);
  bool is_read = json && read_run(run, json);
  run->is_cached = is_read;
  cJSON_Delete(json);
  return is_read;
}

static void write_cache(const TuneRun *run) {
  char path[4096];
  if (!cache_path(run, true, path, sizeof path))
    return;
  TileStatus status = write_json(run, path);
  (void)status; // a cache that cannot be written is none
}

//===-- Compiled configurations -------------------------------------------===//

static void path_of(const char *folder, int rank, const char *extension,
                    char *out, size_t capacity) {
  snprintf(out, capacity, "%s/%d.%s", folder, rank, extension);
}

static bool write_build(const TuneRun *run) {
  char path[4096];
  const char *folder = run->options.build;
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/tune.json", folder);
  TileStatus status = write_json(run, path);
  for (size_t i = 0; i < run->num_configs && tile_status_is_ok(&status); i++) {
    const TuneConfig *config = &run->configs[i];
    if (!config->is_compiled || config->verdict[0])
      continue;
    path_of(folder, config->rank, "json", path, sizeof path);
    status = tile_file_write(path, config->json, config->json_bytes);
    path_of(folder, config->rank, "image", path, sizeof path);
    if (tile_status_is_ok(&status))
      status = tile_file_write(path, config->image, config->image_bytes);
  }
  return say(&status);
}

static char *read_file(const char *path, size_t *out_bytes) {
  struct stat info;
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  if (file && !fstat(fileno(file), &info))
    data = calloc((size_t)info.st_size + 1, 1);
  *out_bytes = data ? fread(data, 1, (size_t)info.st_size, file) : 0;
  if (file)
    fclose(file);
  return data;
}

static bool read_list(TuneRun *run, const cJSON *json) {
  const cJSON *axes = cJSON_GetObjectItemCaseSensitive(json, "choices");
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(json, "arguments");
  if (!read_run(run, json))
    return false;
  run->function = strdup(text(json, "function"));
  for (int i = 0; i < cJSON_GetArraySize(axes) && i < TUNE_MAX_CHOICES; i++)
    read_axis(cJSON_GetArrayItem(axes, i), &run->axes[run->num_axes++]);
  for (int i = 0; run->options.num_args == 0 && i < cJSON_GetArraySize(args) &&
                  i < TUNE_MAX_ARGS;
       i++) {
    TileStatus status = tile_arg_text_parse(
        cJSON_GetArrayItem(args, i)->valuestring, &run->args[i]);
    if (!say(&status))
      return false;
  }
  if (run->options.num_args > 0)
    return tune_read_args(run);
  run->options.num_args = (size_t)cJSON_GetArraySize(args);
  return true;
}

static bool read_build(TuneRun *run) {
  char path[4096];
  snprintf(path, sizeof path, "%s/tune.json", run->options.from);
  cJSON *json = parse_file(path);
  bool is_read = json && read_list(run, json);
  cJSON_Delete(json);
  if (!is_read) {
    fprintf(stderr, "tile-tune: error: %s is nothing that --build wrote\n",
            path);
    return false;
  }
  for (size_t i = 0; i < run->num_configs; i++) {
    TuneConfig *config = &run->configs[i];
    path_of(run->options.from, config->rank, "json", path, sizeof path);
    config->json = read_file(path, &config->json_bytes);
    path_of(run->options.from, config->rank, "image", path, sizeof path);
    config->image = read_file(path, &config->image_bytes);
    config->is_compiled = config->json && config->image;
  }
  return true;
}

//===-- Entries -----------------------------------------------------------===//

bool tune_load(TuneRun *run) {
  return run->options.from ? read_build(run)
                           : !run->options.build && read_cache(run);
}

bool tune_save(const TuneRun *run) {
  const TuneOptions *options = &run->options;
  TileStatus status = tile_status_ok();
  if (!options->from && !options->build && !run->is_cached)
    write_cache(run);
  if (options->build && !write_build(run))
    return false;
  if (options->json)
    status = write_json(run, options->json);
  return say(&status);
}

void tune_run_deinit(TuneRun *run) {
  drop_configs(run);
  for (size_t i = 0; i < run->num_axes; i++) {
    free(run->axes[i].name);
    for (size_t k = 0; k < TUNE_MAX_VALUES; k++)
      free(run->axes[i].labels[k]);
  }
  if (run->tuning)
    tile_tuning_destroy(run->tuning);
  if (run->compiler)
    tile_compiler_destroy(run->compiler);
  free(run->text);
  free(run->function);
  free(run->ptxas);
  free(run->measured_on);
}

//===- TuneMeasure.c - Times configurations on a GPU ----------------------===//
//
// All run in turns, so that what changes with time changes for all; each turn
// is some milliseconds of launches. Inputs rotate through more memory than the
// second-level cache. Each result is compared with that of the program as it
// is before its time counts.
//
//===----------------------------------------------------------------------===//

#include "TuneRun.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double turn_us = 1500;
static const size_t rotated_bytes = 150000000;
static const double max_error = 0.02; // relative, of the norm
enum { MAX_SETS = 8 };
#define MAX_LAUNCHES 400

/// A configuration on the device.
typedef struct {
  TuneConfig *config;
  TileHostFunction *function; // owned
  TileDeviceModule *module;   // of the device
  int num_launches;           // of a turn
  double *times;              // owned: one of each turn
} Loaded;

typedef struct {
  TuneRun *run;
  TileDevice *device;
  TileTensor tensors[TUNE_MAX_ARGS]; // on the host, as they begin
  TileArg args[MAX_SETS][TUNE_MAX_ARGS];
  int num_sets;
  TileTensor expected[TUNE_MAX_ARGS]; // what the first configuration writes
  bool has_expected;
  Loaded *loaded; // owned
  size_t num_loaded;
} Meter;

static bool say(const TileStatus *status) {
  if (tile_status_is_ok(status))
    return true;
  fprintf(stderr, "tile-tune: error: %s\n", status->message);
  return false;
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

//===-- Arguments ---------------------------------------------------------===//

static TileStatus make_arg(Meter *meter, size_t i, const TileHostParam *param,
                           TileArg *out) {
  TuneRun *run = meter->run;
  const TileArgText *text = &run->args[i];
  const TileDtype *dtype = param ? &param->dtype : NULL;
  *out = (TileArg){.is_scalar = text->kind == TILE_ARG_TEXT_SCALAR};
  if (out->is_scalar)
    return tile_arg_text_make_number(text, dtype, &out->scalar);
  if (text->kind != TILE_ARG_TEXT_FILL && text->kind != TILE_ARG_TEXT_NPY)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "argument %zu: expected a tensor or a number", i);
  TileTensor *tensor = &meter->tensors[i];
  TileStatus status = tile_arg_text_make_tensor(text, dtype, i, tensor);
  out->dtype = tensor->dtype;
  out->rank = tensor->rank;
  out->offset = tensor->offset;
  memcpy(out->shape, tensor->shape, sizeof out->shape);
  memcpy(out->strides, tensor->strides, sizeof out->strides);
  return status;
}

// A copy of all tensors on the device.
static TileStatus upload_set(Meter *meter, TileArg *args) {
  TileStatus status = tile_status_ok();
  for (size_t i = 0;
       i < meter->run->options.num_args && tile_status_is_ok(&status); i++) {
    const TileTensor *tensor = &meter->tensors[i];
    uint64_t address = 0;
    if (args[i].is_scalar)
      continue;
    status = tile_device_alloc(meter->device, tensor->size_bytes, "", &address);
    if (tile_status_is_ok(&status))
      status = tile_device_upload(meter->device, address, tensor->data,
                                  tensor->size_bytes);
    args[i].address =
        address + tile_dtype_run_bytes(tensor->dtype, (uint64_t)tensor->offset);
  }
  return status;
}

static TileStatus make_args(Meter *meter, const TileHostFunction *function) {
  TuneRun *run = meter->run;
  size_t total_bytes = 1;
  TileHostSignature signature = tile_host_function_signature(function);
  if (signature.num_params != run->options.num_args)
    return tile_status_error(
        TILE_STATUS_USER_ERROR, "@%s expects %zu arguments, got %zu",
        signature.name, signature.num_params, run->options.num_args);
  TileStatus status = tile_status_ok();
  for (size_t i = 0; i < run->options.num_args && tile_status_is_ok(&status);
       i++) {
    status = make_arg(meter, i, tile_host_function_param(function, i),
                      &meter->args[0][i]);
    total_bytes += meter->tensors[i].size_bytes;
  }
  size_t sets = (rotated_bytes + total_bytes - 1) / total_bytes;
  meter->num_sets = sets > MAX_SETS ? MAX_SETS : sets < 2 ? 2 : (int)sets;
  for (int s = 0; s < meter->num_sets && tile_status_is_ok(&status); s++) {
    memcpy(meter->args[s], meter->args[0], sizeof meter->args[0]);
    status = upload_set(meter, meter->args[s]);
  }
  return status;
}

//===-- Launches ----------------------------------------------------------===//

static TileStatus launch(const Meter *meter, const Loaded *loaded, int set) {
  TileRunOptions options = {.module = loaded->module, .is_queued = true};
  return tile_host_function_run(loaded->function, meter->device,
                                meter->args[set], meter->run->options.num_args,
                                &options);
}

static TileStatus time_launches(const Meter *meter, const Loaded *loaded,
                                int count, double *out_us) {
  TileStatus status = tile_device_synchronize(meter->device, NULL);
  double start = now_us();
  for (int i = 0; i < count && tile_status_is_ok(&status); i++)
    status = launch(meter, loaded, i % meter->num_sets);
  if (tile_status_is_ok(&status))
    status = tile_device_synchronize(meter->device, NULL);
  *out_us = (now_us() - start) / count;
  return status;
}

//===-- Results -----------------------------------------------------------===//

// Of the norm of `expected`, of so many elements all over it; infinite where a
// number is not finite.
static double error_of(const TileTensor *expected, const TileTensor *got) {
  enum { SAMPLES = 200000 };
  double error = 0, norm = 0;
  size_t count = tile_tensor_num_elems(expected);
  size_t apart = count / SAMPLES + (count / SAMPLES % 2 == 0); // odd
  bool is_float = tile_dtype_is_float(expected->dtype);
  for (size_t i = 0; i < count; i += apart) {
    TileNumber x = tile_tensor_load(expected, i);
    TileNumber y = tile_tensor_load(got, i);
    double a = is_float ? x.real : (double)x.integer;
    double b = is_float ? y.real : (double)y.integer;
    error += (a - b) * (a - b);
    norm += a * a;
  }
  return norm > 0 ? sqrt(error / norm) : error > 0 ? INFINITY : 0;
}

// A host copy of an argument as a launch has left it.
static TileStatus download(const Meter *meter, size_t i, TileTensor *out) {
  const TileTensor *tensor = &meter->tensors[i];
  *out = *tensor;
  out->data = NULL;
  TileStatus status = tile_tensor_alloc(out);
  uint64_t start =
      meter->args[0][i].address -
      tile_dtype_run_bytes(tensor->dtype, (uint64_t)tensor->offset);
  return tile_status_is_ok(&status)
             ? tile_device_download(meter->device, start, out->data,
                                    out->size_bytes)
             : status;
}

// The arguments that are written begin as they were.
static TileStatus restore(const Meter *meter, const Loaded *loaded) {
  TileStatus status = tile_status_ok();
  for (size_t i = 0;
       i < meter->run->options.num_args && tile_status_is_ok(&status); i++) {
    const TileHostParam *param = tile_host_function_param(loaded->function, i);
    const TileTensor *tensor = &meter->tensors[i];
    if (!param->is_scalar && param->is_mutable)
      status = tile_device_upload(meter->device,
                                  meter->args[0][i].address -
                                      (uint64_t)tensor->offset *
                                          tile_dtype_size_bytes(tensor->dtype),
                                  tensor->data, tensor->size_bytes);
  }
  return status;
}

static TileStatus check_result(Meter *meter, Loaded *loaded) {
  TileStatus status = restore(meter, loaded);
  if (tile_status_is_ok(&status))
    status = launch(meter, loaded, 0);
  if (tile_status_is_ok(&status))
    status = tile_device_synchronize(meter->device, NULL);
  for (size_t i = 0;
       i < meter->run->options.num_args && tile_status_is_ok(&status); i++) {
    const TileHostParam *param = tile_host_function_param(loaded->function, i);
    TileTensor got;
    if (param->is_scalar || !param->is_mutable)
      continue;
    status = download(meter, i, &got);
    if (!tile_status_is_ok(&status))
      break;
    if (!meter->has_expected) {
      meter->expected[i] = got;
      continue;
    }
    double error = error_of(&meter->expected[i], &got);
    tile_tensor_deinit(&got);
    if (!(error <= max_error))
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "argument %zu differs by %.3g of its norm", i,
                               error);
  }
  meter->has_expected |= tile_status_is_ok(&status);
  return status;
}

//===-- All ---------------------------------------------------------------===//

static void refuse(TuneConfig *config, const TileStatus *status) {
  snprintf(config->verdict, sizeof config->verdict, "%.*s",
           (int)strcspn(status->message, "\n"), status->message);
}

static bool load(Meter *meter, TuneConfig *config) {
  Loaded *loaded = &meter->loaded[meter->num_loaded];
  double us = 0;
  *loaded = (Loaded){.config = config};
  TileStatus status =
      tile_host_function_parse(config->json, config->json_bytes,
                               meter->run->function, &loaded->function);
  if (tile_status_is_ok(&status) && meter->num_sets == 0) {
    status = make_args(meter, loaded->function);
    if (!say(&status)) {
      tile_host_function_destroy(loaded->function);
      return false;
    }
  }
  if (tile_status_is_ok(&status))
    status = tile_device_load_image(meter->device, meter->run->function,
                                    config->image, config->image_bytes,
                                    &loaded->module);
  if (tile_status_is_ok(&status))
    status = check_result(meter, loaded);
  if (tile_status_is_ok(&status))
    status = time_launches(meter, loaded, 4, &us);
  if (!tile_status_is_ok(&status)) {
    refuse(config, &status);
    tile_host_function_destroy(loaded->function);
    return true;
  }
  int launches =
      us > turn_us / MAX_LAUNCHES ? (int)(turn_us / us) : MAX_LAUNCHES;
  loaded->num_launches = launches < 2 ? 2 : launches;
  loaded->times =
      calloc((size_t)meter->run->options.turns, sizeof *loaded->times);
  meter->num_loaded += loaded->times != NULL;
  return true;
}

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void measure_all(Meter *meter) {
  int turns = meter->run->options.turns;
  for (int t = 0; t < turns; t++)
    for (size_t i = 0; i < meter->num_loaded; i++) {
      size_t at = t % 2 ? meter->num_loaded - 1 - i : i;
      Loaded *loaded = &meter->loaded[at];
      TileStatus status =
          time_launches(meter, loaded, loaded->num_launches, &loaded->times[t]);
      if (!tile_status_is_ok(&status) && !loaded->config->verdict[0])
        refuse(loaded->config, &status);
    }
  for (size_t i = 0; i < meter->num_loaded; i++) {
    Loaded *loaded = &meter->loaded[i];
    qsort(loaded->times, (size_t)turns, sizeof *loaded->times, compare_times);
    loaded->config->low_us = loaded->times[turns / 4];
    loaded->config->us = loaded->times[turns / 2];
    loaded->config->high_us = loaded->times[turns - 1 - turns / 4];
  }
}

static void deinit(Meter *meter) {
  for (size_t i = 0; i < meter->num_loaded; i++) {
    tile_host_function_destroy(meter->loaded[i].function);
    free(meter->loaded[i].times);
  }
  for (size_t i = 0; i < TUNE_MAX_ARGS; i++) {
    tile_tensor_deinit(&meter->tensors[i]);
    tile_tensor_deinit(&meter->expected[i]);
  }
  free(meter->loaded);
  tile_device_destroy(meter->device);
}

// The program as it is comes first: others are compared with its result.
static bool load_all(Meter *meter) {
  TuneRun *run = meter->run;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < run->num_configs; i++) {
      TuneConfig *config = &run->configs[i];
      if (config->is_given == (pass == 0) && config->is_compiled &&
          !config->verdict[0] && !load(meter, config))
        return false;
    }
  return true;
}

bool tune_measure(TuneRun *run) {
  TileDeviceOptions options;
  Meter *meter = calloc(1, sizeof *meter);
  if (!meter || run->options.has_no_gpu || run->options.num_args == 0) {
    free(meter);
    return true;
  }
  tile_device_options_init(&options);
  options.require_gpu = true;
  *meter = (Meter){.run = run};
  TileStatus status = tile_device_open(&options, &meter->device);
  if (!tile_status_is_ok(&status)) {
    free(meter);
    return true; // the ranking is the model's
  }
  meter->loaded = calloc(run->num_configs + 1, sizeof *meter->loaded);
  bool is_ok = meter->loaded && load_all(meter);
  if (is_ok)
    measure_all(meter);
  if (meter->num_loaded)
    run->measured_on = strdup(tile_device_name(meter->device));
  deinit(meter);
  free(meter);
  return is_ok;
}

//===- TileRun.c - Runs a host function or a PTX kernel -------------------===//
//
// Reads the program, makes the arguments, and for each seed: opens a device,
// copies the arguments there, runs, copies back and checks. See --help.
//
//===----------------------------------------------------------------------===//

#include "RunBatch.h"
#include "RunReport.h"
#include "Support/SignalGuard.h"
#include "Support/StandardStreams.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//===-- What tile-run says about a run ------------------------------------===//

//===-- Tensors -----------------------------------------------------------===//

enum { MAX_SHOWN = 8, NUM_SHOWN_ENDS = 4 }; // per dimension

static void print_element(FILE *file, const TileTensor *tensor, size_t index) {
  TileNumber number = tile_tensor_load(tensor, index);
  if (tile_dtype_is_float(tensor->dtype))
    fprintf(file, "%g", number.real);
  else if (tile_dtype_is_complex(tensor->dtype))
    fprintf(file, "%g%+gi", number.real, number.imaginary);
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

// Prints a tensor, its middle cut out when it is large.
// `what`: "argument", or "result".
static void tensor_print(FILE *file, const char *what, int number,
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

// Makes the emulator report to `progress`, which outlives the device; nothing
// when stderr is not a terminal.
static void progress_begin(RunProgress *progress, TileEmuOptions *options) {
  *progress = (RunProgress){.is_shown = false};
  clock_gettime(CLOCK_MONOTONIC, &progress->start);
  if (!isatty(STDERR_FILENO))
    return;
  options->progress = show;
  options->progress_data = progress;
}

// Erases the line.
static void progress_end(RunProgress *progress) {
  if (!progress->is_shown)
    return;
  fputs(ERASE_LINE, stderr);
  fflush(stderr);
  progress->is_shown = false;
}

//===-- After the run -----------------------------------------------------===//

// Prints why the run failed to stderr.
static void report_failure(const RunReport *report, const TileStatus *status) {
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

// Prints statistics and writes the files that the options ask for.
// Errors: USER_ERROR naming a file that cannot be written.
static TileStatus report_write(const RunReport *report,
                               const TileStatus *status) {
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

#ifndef TILE_VERSION
#define TILE_VERSION "unknown"
#endif

typedef struct {
  TileArgText text;
  const TileHostParam *param; // NULL for raw PTX
  int owner;                  // whose memory it is: own index unless same:
  TileTensor before, after;   // owners only
  TileNumber number;          // scalars
  uint64_t memory_address;    // on the device; start of the owner's memory
} RunArg;

typedef struct {
  RunOptions options;
  RunProgress progress;
  TileHostFunction *function; // NULL for raw PTX
  RunArg args[RUN_MAX_ARGS];
  int num_args;
  TileTensor results[RUN_MAX_ARGS]; // scalars as tensors of rank 0
  int num_results;
  TileOutputs outputs;
  TileSignalGuard guard;
  bool has_run; // remarks have been made
} Job;

/// Builds "argument I 'TEXT': …".
static TileStatus arg_error(const Job *job, int index, TileStatusCode code,
                            const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static TileStatus arg_error(const Job *job, int index, TileStatusCode code,
                            const char *format, ...) {
  char what[700], name[80] = "";
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  if (job->args[index].param)
    snprintf(name, sizeof name, " (%.60s)", job->args[index].param->name);
  return tile_status_error(code, "argument %d%s '%.100s': %s", index, name,
                           job->options.args[index], what);
}

static bool is_tensor(const RunArg *arg) {
  return arg->text.kind != TILE_ARG_TEXT_SCALAR &&
         arg->text.kind != TILE_ARG_TEXT_TENSOR_MAP;
}

//===-- Program and arguments ---------------------------------------------===//

static bool ends_with(const char *text, const char *end) {
  size_t text_length = strlen(text), end_length = strlen(end);
  return text_length >= end_length &&
         strcmp(text + text_length - end_length, end) == 0;
}

static TileStatus read_function(Job *job) {
  const RunOptions *options = &job->options;
  TileStatus status = tile_host_function_read(options->program, &job->function);
  for (int i = 0; i < options->num_variants && tile_status_is_ok(&status); i++)
    status = tile_host_function_take_variant(job->function, (size_t)i,
                                             options->variants[i]);
  return status;
}

static TileStatus read_program(Job *job) {
  const RunOptions *options = &job->options;
  if (ends_with(options->program, ".json")) {
    if (options->has_launch_option)
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "--kernel, --grid, --block, --cluster and "
                               "--smem are for raw PTX; %s has them",
                               options->program);
    return read_function(job);
  }
  if (options->num_variants > 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "--variant is for metadata; raw PTX has no "
                             "variants");
  if (!ends_with(options->program, ".ptx"))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected FILE.json or FILE.ptx, got '%s'",
                             options->program);
  if (options->block[0] == 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "raw PTX: expected --block=THREADS, got none");
  return tile_status_ok();
}

/// Appends "A: memref<?x8xf32>" or "n: i32" to a list.
static void describe_param(const TileHostParam *param, char *text,
                           size_t text_bytes) {
  size_t length = strlen(text);
  length += (size_t)snprintf(text + length, text_bytes - length, "%s%.40s: %s",
                             length > 0 ? ", " : "", param->name,
                             param->is_scalar ? "" : "memref<");
  for (int i = 0; i < param->rank && length < text_bytes; i++) {
    char extent[24] = "?";
    if (param->shape[i] >= 0)
      snprintf(extent, sizeof extent, "%lld", (long long)param->shape[i]);
    length +=
        (size_t)snprintf(text + length, text_bytes - length, "%sx", extent);
  }
  if (length < text_bytes)
    snprintf(text + length, text_bytes - length, "%s%s",
             tile_dtype_name(param->dtype), param->is_scalar ? "" : ">");
}

static TileStatus check_num_args(const Job *job) {
  size_t expected = tile_host_function_signature(job->function).num_params;
  if ((size_t)job->options.num_args == expected)
    return tile_status_ok();
  char params[600] = "";
  for (size_t i = 0; i < expected && strlen(params) < 500; i++)
    describe_param(tile_host_function_param(job->function, i), params,
                   sizeof params);
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: expected %zu arguments (%s), got %d",
                           tile_host_function_signature(job->function).name,
                           expected, params, job->options.num_args);
}

/// The owner of the memory of earlier tensor `earlier`, or -1.
static int owner_of(const Job *job, int index, int earlier) {
  bool is_valid =
      earlier >= 0 && earlier < index && is_tensor(&job->args[earlier]);
  return is_valid ? job->args[earlier].owner : -1;
}

static TileStatus check_kind(const Job *job, int index) {
  const RunArg *arg = &job->args[index];
  const TileArgText *text = &arg->text;
  bool is_raw_only =
      text->is_memory_only || text->kind == TILE_ARG_TEXT_TENSOR_MAP;
  if (arg->param && is_raw_only)
    return arg_error(job, index, TILE_STATUS_USER_ERROR,
                     "expected an argument of the host function; mem: and "
                     "tmap: are for raw PTX");
  if (arg->param && arg->param->is_scalar == is_tensor(arg))
    return arg_error(job, index, TILE_STATUS_USER_ERROR,
                     "expected a %s of type %s, got a %s",
                     arg->param->is_scalar ? "number" : "tensor",
                     tile_dtype_name(arg->param->dtype),
                     is_tensor(arg) ? "tensor" : "number");
  if ((text->kind == TILE_ARG_TEXT_SAME ||
       text->kind == TILE_ARG_TEXT_TENSOR_MAP) &&
      arg->owner < 0)
    return arg_error(job, index, TILE_STATUS_USER_ERROR,
                     "expected the index of an earlier tensor, got %d",
                     text->arg);
  return tile_status_ok();
}

static TileStatus make_arg(Job *job, int index) {
  RunArg *arg = &job->args[index];
  TileStatus status = tile_arg_text_parse(job->options.args[index], &arg->text);
  if (!tile_status_is_ok(&status))
    return arg_error(job, index, status.code, "%s", status.message);
  arg->param = job->function
                   ? tile_host_function_param(job->function, (size_t)index)
                   : NULL;
  arg->owner = index;
  if (arg->text.kind == TILE_ARG_TEXT_SAME ||
      arg->text.kind == TILE_ARG_TEXT_TENSOR_MAP)
    arg->owner = owner_of(job, index, arg->text.arg);
  status = check_kind(job, index);
  if (!tile_status_is_ok(&status) || arg->owner != index)
    return status;

  const TileDtype *dtype = arg->param ? &arg->param->dtype : NULL;
  if (arg->text.kind == TILE_ARG_TEXT_SCALAR) {
    status = tile_arg_text_make_number(&arg->text, dtype, &arg->number);
  } else {
    status = tile_arg_text_make_tensor(&arg->text, dtype, (uint64_t)index + 1,
                                       &arg->before);
    if (tile_status_is_ok(&status)) {
      arg->after = arg->before; // the layout; memory of its own
      status = tile_tensor_alloc(&arg->after);
    }
  }
  if (!tile_status_is_ok(&status))
    return arg_error(job, index, status.code, "%s", status.message);
  return status;
}

static TileStatus check_num_results(Job *job) {
  size_t count = tile_host_function_signature(job->function).num_results;
  job->num_results = (int)count;
  return count <= RUN_MAX_ARGS
             ? tile_status_ok()
             : tile_status_error(
                   TILE_STATUS_USER_ERROR,
                   "%s: expected at most %d results, got %zu",
                   tile_host_function_signature(job->function).name,
                   RUN_MAX_ARGS, count);
}

static TileStatus make_args(Job *job) {
  TileStatus status = tile_status_ok();
  if (job->function)
    status = check_num_args(job);
  if (job->function && tile_status_is_ok(&status))
    status = check_num_results(job);
  for (int i = 0; i < job->options.num_args && tile_status_is_ok(&status);
       i++) {
    job->num_args = i + 1;
    status = make_arg(job, i);
  }
  for (int i = 0; i < job->options.num_outputs && tile_status_is_ok(&status);
       i++) {
    int index = job->options.outputs[i].arg;
    bool is_result =
        index >= job->num_args && index < job->num_args + job->num_results;
    if (!is_result && (index >= job->num_args || !is_tensor(&job->args[index])))
      status = tile_status_error(TILE_STATUS_USER_ERROR,
                                 "--save, --print: expected the index of a "
                                 "tensor argument, or of a result after them, "
                                 "got %d",
                                 index);
  }
  return status;
}

//===-- Copies and checks -------------------------------------------------===//

static TileStatus copy_to_device(Job *job, TileDevice *device) {
  for (int i = 0; i < job->num_args; i++) {
    RunArg *arg = &job->args[i];
    if (arg->owner != i) {
      arg->memory_address = job->args[arg->owner].memory_address;
      continue;
    }
    if (!is_tensor(arg))
      continue;
    char name[80];
    snprintf(name, sizeof name, "argument %d%s%.50s", i, arg->param ? " " : "",
             arg->param ? arg->param->name : "");
    TileStatus status = tile_device_alloc(device, arg->before.size_bytes, name,
                                          &arg->memory_address);
    if (tile_status_is_ok(&status))
      status = tile_device_upload(device, arg->memory_address, arg->before.data,
                                  arg->before.size_bytes);
    if (!tile_status_is_ok(&status))
      return status;
  }
  return tile_status_ok();
}

/// Whether no argument with this memory may be written.
static bool is_read_only(const Job *job, int owner) {
  for (int i = 0; i < job->num_args; i++) {
    const RunArg *arg = &job->args[i];
    if (arg->owner == owner && (!arg->param || arg->param->is_mutable))
      return false;
  }
  return true;
}

static TileStatus copy_from_device(Job *job, TileDevice *device) {
  for (int i = 0; i < job->num_args; i++) {
    RunArg *arg = &job->args[i];
    if (arg->owner != i || !is_tensor(arg))
      continue;
    TileStatus status = tile_device_download(
        device, arg->memory_address, arg->after.data, arg->after.size_bytes);
    if (!tile_status_is_ok(&status))
      return status;
    bool read_only = is_read_only(job, i);
    int64_t damage =
        tile_tensor_find_damage(&arg->before, &arg->after, read_only);
    if (damage >= 0)
      return arg_error(job, i, TILE_STATUS_KERNEL_FAILED,
                       "the kernel wrote %s, first at element offset %lld of "
                       "its memory",
                       read_only ? "a tensor that it only reads"
                                 : "beside the elements",
                       (long long)damage);
  }
  return tile_status_ok();
}

static TileStatus copy_result(TileDevice *device, const TileHostValue *result,
                              TileTensor *tensor) {
  const TileArg *value = &result->value;
  TileDtype dtype = value->is_scalar ? value->scalar.dtype : value->dtype;
  *tensor = (TileTensor){.dtype = dtype, .rank = value->rank};
  memcpy(tensor->shape, value->shape, sizeof tensor->shape);
  memcpy(tensor->strides, value->strides, sizeof tensor->strides);
  TileStatus status = tile_tensor_alloc(tensor);
  if (!tile_status_is_ok(&status))
    return status;
  if (!value->is_scalar)
    return tile_device_download(device, value->address, tensor->data,
                                tensor->size_bytes);
  tile_dtype_store(dtype, value->scalar, tensor->data);
  return status;
}

static TileStatus copy_results(Job *job, TileDevice *device,
                               const TileHostValue *results) {
  TileStatus status = tile_status_ok();
  for (int i = 0; i < job->num_results && tile_status_is_ok(&status); i++) {
    tile_tensor_deinit(&job->results[i]); // of an earlier seed
    status = copy_result(device, &results[i], &job->results[i]);
  }
  return status;
}

//===-- Host functions ----------------------------------------------------===//

static uint64_t first_elem_address(const Job *job, int index) {
  const RunArg *owner = &job->args[job->args[index].owner];
  return owner->memory_address +
         tile_dtype_run_bytes(owner->before.dtype,
                              (uint64_t)owner->before.offset);
}

// What lies before the first element is no part of a tensor whose type has
// a smaller offset: it begins at an address of its own.
static int64_t offset_for(const Job *job, int index, int64_t offset) {
  const TileHostParam *param =
      tile_host_function_param(job->function, (size_t)index);
  bool is_fixed = param && !param->is_scalar && param->offset >= 0;
  return is_fixed && param->offset < offset ? param->offset : offset;
}

static void print_log(const char *line, void *user_data) {
  (void)user_data;
  printf("%s\n", line);
}

static void print_remark(const char *line, void *user_data) {
  (void)user_data;
  fprintf(stderr, "remark: %s\n", line);
}

static TileStatus run_function(Job *job, TileDevice *device) {
  TileArg args[RUN_MAX_ARGS];
  TileHostValue results[RUN_MAX_ARGS];
  for (int i = 0; i < job->num_args; i++) {
    const RunArg *arg = &job->args[i];
    args[i] = (TileArg){.is_scalar = !is_tensor(arg), .scalar = arg->number};
    if (args[i].is_scalar)
      continue;
    const TileTensor *tensor = &job->args[arg->owner].before;
    args[i].dtype = tensor->dtype;
    args[i].rank = tensor->rank;
    args[i].offset = offset_for(job, i, tensor->offset);
    args[i].address = first_elem_address(job, i);
    memcpy(args[i].shape, tensor->shape, sizeof args[i].shape);
    memcpy(args[i].strides, tensor->strides, sizeof args[i].strides);
  }
  TileRunOptions options = {
      .results = results,
      .log = job->options.verbose ? print_log : NULL,
      .remark = job->has_run || job->options.verbose ? NULL : print_remark};
  TileStatus status = tile_host_function_run(job->function, device, args,
                                             (size_t)job->num_args, &options);
  return tile_status_is_ok(&status) ? copy_results(job, device, results)
                                    : status;
}

//===-- Raw PTX -----------------------------------------------------------===//

/// The memory of one kernel parameter; tensor maps ask for the alignment.
typedef union {
  _Alignas(64) unsigned char bytes[TILE_TENSOR_MAP_SIZE_BYTES];
} ParamMemory;

static TileStatus fill_param(const Job *job, TileDevice *device, int index,
                             ParamMemory *memory, size_t *out_size_bytes) {
  const RunArg *arg = &job->args[index];
  if (arg->text.kind == TILE_ARG_TEXT_SCALAR) {
    *out_size_bytes = tile_dtype_size_bytes(arg->number.dtype);
    tile_dtype_store(arg->number.dtype, arg->number, memory->bytes);
    return tile_status_ok();
  }
  uint64_t address = first_elem_address(job, index);
  if (arg->text.kind != TILE_ARG_TEXT_TENSOR_MAP) {
    *out_size_bytes = sizeof address;
    memcpy(memory->bytes, &address, sizeof address);
    return tile_status_ok();
  }
  *out_size_bytes = TILE_TENSOR_MAP_SIZE_BYTES;
  TileTensorMap map = arg->text.map;
  map.address = address;
  map.type = tile_dtype_tensor_map_type(job->args[arg->owner].before.dtype);
  TileStatus status =
      tile_device_encode_tensor_map(device, &map, memory->bytes);
  if (!tile_status_is_ok(&status))
    return arg_error(job, index, status.code, "%s", status.message);
  return status;
}

static TileStatus find_kernel(const Job *job, const TileDeviceModule *module,
                              const char **out_kernel) {
  *out_kernel = job->options.kernel;
  if (*out_kernel)
    return tile_status_ok();
  *out_kernel = tile_device_module_kernel(module, 0);
  const char *second = tile_device_module_kernel(module, 1);
  if (second)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected --kernel=NAME, as there are several "
                             "('%s', '%s', ...)",
                             job->options.program, *out_kernel, second);
  return tile_status_ok();
}

static TileStatus run_ptx(const Job *job, TileDevice *device) {
  const RunOptions *options = &job->options;
  static const size_t num_memories = RUN_MAX_ARGS;
  TileDeviceModule *module = NULL;
  TileKernelLaunch launch = {.dynamic_smem_bytes = options->dynamic_smem_bytes};
  memcpy(launch.grid, options->grid, sizeof launch.grid);
  memcpy(launch.block, options->block, sizeof launch.block);
  memcpy(launch.cluster, options->cluster, sizeof launch.cluster);
  TileStatus status =
      tile_device_load_module(device, options->program, &module);
  if (tile_status_is_ok(&status))
    status = find_kernel(job, module, &launch.kernel);
  if (!tile_status_is_ok(&status))
    return status;

  void *params[RUN_MAX_ARGS];
  size_t sizes_bytes[RUN_MAX_ARGS];
  TileParamType types[RUN_MAX_ARGS];
  ParamMemory *memory =
      aligned_alloc(_Alignof(ParamMemory), num_memories * sizeof *memory);
  if (!memory)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  memset(memory, 0, num_memories * sizeof *memory);
  size_t count = 0;
  for (int i = 0; i < job->num_args && tile_status_is_ok(&status); i++) {
    if (job->args[i].text.is_memory_only)
      continue;
    params[count] = memory[count].bytes;
    const RunArg *arg = &job->args[i];
    types[count] = (TileParamType){arg->text.kind == TILE_ARG_TEXT_SCALAR,
                                   arg->number.dtype};
    status = fill_param(job, device, i, &memory[count], &sizes_bytes[count]);
    count++;
  }
  launch.params = params;
  launch.param_sizes_bytes = sizes_bytes;
  launch.param_types = types;
  launch.num_params = count;
  if (tile_status_is_ok(&status))
    status = tile_device_launch(device, module, &launch);
  free(memory);
  return status;
}

//===-- Runs --------------------------------------------------------------===//

static const char *program_name(const Job *job) {
  return job->function ? tile_host_function_signature(job->function).name
                       : job->options.program;
}

static TileStatus run_on(Job *job, TileDevice *device) {
  TileStatus status = copy_to_device(job, device);
  if (tile_status_is_ok(&status))
    status = job->function ? run_function(job, device) : run_ptx(job, device);
  progress_end(&job->progress);
  if (tile_status_is_ok(&status))
    status = copy_from_device(job, device);
  return status;
}

static TileStatus report(Job *job, TileDevice *device, uint64_t seed,
                         TileStatus status) {
  RunReport report = {&job->options, device, program_name(job), seed,
                      &job->outputs};
  if (!tile_status_is_ok(&status))
    report_failure(&report, &status);
  TileStatus written = report_write(&report, &status);
  if (!tile_status_is_ok(&written))
    fprintf(stderr, "tile-run: %s\n", written.message);
  return tile_status_is_ok(&status) ? written : status;
}

static void print_device(const Job *job, TileDevice *device) {
  if (job->options.verbose) {
    printf("device: %s, %d multiprocessors\n", tile_device_name(device),
           tile_device_num_sms(device));
    if (*tile_device_note(device))
      printf("no GPU: %s\n", tile_device_note(device));
  }
  if (!tile_device_is_emulator(device) && job->options.has_emulator_option)
    fprintf(stderr, "tile-run: warning: --seed, --seeds, --schedule, "
                    "--pedantic, --report and --profile have no effect on a "
                    "GPU\n");
}

/// Runs on a fresh device, which the caller closes. False when there is none.
static bool run_fresh(Job *job, TileDeviceOptions *options,
                      TileDevice **out_device, TileStatus *out_status) {
  progress_begin(&job->progress, &options->emulator);
  *out_status = tile_device_open(options, out_device);
  if (!tile_status_is_ok(out_status))
    return false;
  if (options == &job->options.device) // not told again
    print_device(job, *out_device);
  *out_status = run_on(job, *out_device);
  job->has_run = true;
  return true;
}

/// Runs one seed on a fresh device. What went wrong has been reported. CTAs
/// that race on several host threads do so in the order of these, so what goes
/// wrong there is reported by a second run, on one.
static TileStatusCode run_seed(Job *job, uint64_t seed, bool *out_is_emulator) {
  TileDevice *device = NULL;
  TileStatus status;
  TileDeviceOptions *options = &job->options.device;
  options->emulator.seed = seed;
  bool has_run = run_fresh(job, options, &device, &status);
  if (has_run && status.code == TILE_STATUS_KERNEL_FAILED &&
      tile_device_is_emulator(device) && options->emulator.num_threads > 1) {
    TileDeviceOptions alone = *options;
    alone.emulator.num_threads = 1;
    tile_device_destroy(device);
    has_run = run_fresh(job, &alone, &device, &status);
  }
  if (!has_run) {
    fprintf(stderr, "tile-run: %s\n", status.message);
    return status.code;
  }
  *out_is_emulator = tile_device_is_emulator(device);
  status = report(job, device, seed, status);
  if (job->options.verbose && tile_status_is_ok(&status))
    printf("%s: ok on %s\n", program_name(job), tile_device_name(device));
  tile_device_destroy(device);
  return status.code;
}

static TileStatus save(Job *job, const char *path, const TileTensor *tensor) {
  const char *temporary_path = NULL;
  TileStatus status =
      tile_outputs_add(&job->outputs, path, true, &temporary_path);
  if (!tile_status_is_ok(&status))
    return status;
  errno = 0;
  status = tile_npy_write(temporary_path, tensor);
  return tile_status_is_ok(&status)
             ? status
             : tile_status_error(status.code, "cannot write %s: %s", path,
                                 strerror(errno)); // the name of the user
}

static TileStatus write_outputs(Job *job) {
  for (int i = 0; i < job->options.num_outputs; i++) {
    const RunOutput *output = &job->options.outputs[i];
    int result = output->arg - job->num_args;
    const TileTensor *tensor =
        result >= 0 ? &job->results[result]
                    : &job->args[job->args[output->arg].owner].after;
    if (!output->path) {
      tensor_print(stdout, result >= 0 ? "result" : "argument",
                   result >= 0 ? result : output->arg, tensor);
      continue;
    }
    TileStatus status = save(job, output->path, tensor);
    if (!tile_status_is_ok(&status))
      return status;
  }
  return tile_status_ok();
}

static TileStatusCode run_seeds(Job *job) {
  TileStatus status = read_program(job);
  if (tile_status_is_ok(&status))
    status = make_args(job);
  uint64_t first_seed = job->options.device.emulator.seed;
  bool is_emulator = true; // a GPU has no seeds: one run
  for (uint64_t i = 0;
       tile_status_is_ok(&status) && is_emulator && i < job->options.num_seeds;
       i++) {
    TileStatusCode code = run_seed(job, first_seed + i, &is_emulator);
    if (code != TILE_STATUS_OK)
      return code;
  }
  if (tile_status_is_ok(&status))
    status = write_outputs(job);
  if (!tile_status_is_ok(&status))
    fprintf(stderr, "tile-run: %s\n", status.message);
  return status.code;
}

// A kernel that fails leaves its report; what goes wrong otherwise, nothing.
static TileStatusCode run_job(Job *job) {
  tile_outputs_init(&job->outputs);
  job->guard = (TileSignalGuard){.outputs = &job->outputs};
  tile_signal_guard_start(&job->guard);
  TileStatusCode code = run_seeds(job);
  TileStatus status = tile_stdout_flush();
  if (tile_status_is_ok(&status) && code != TILE_STATUS_USER_ERROR)
    status = tile_outputs_commit(&job->outputs);
  else
    tile_outputs_discard(&job->outputs);
  tile_signal_guard_end(&job->guard);
  if (tile_status_is_ok(&status))
    return code;
  fprintf(stderr, "tile-run: %s\n", status.message);
  return code == TILE_STATUS_OK ? status.code : code;
}

static void destroy_job(Job *job) {
  for (int i = 0; i < job->num_args; i++) {
    tile_tensor_deinit(&job->args[i].before);
    tile_tensor_deinit(&job->args[i].after);
  }
  for (int i = 0; i < job->num_results; i++)
    tile_tensor_deinit(&job->results[i]);
  tile_host_function_destroy(job->function);
  free(job);
}

/// Runs one command line; `keeper` stays NULL, or becomes a GPU that the caller
/// closes, so that the next command finds the driver started.
static int run_command(int argc, char **argv, TileDevice **keeper) {
  Job *job = calloc(1, sizeof *job);
  if (!job)
    return TILE_STATUS_USER_ERROR;
  TileStatus status = run_options_parse(argc, argv, &job->options);
  int code = (int)status.code;
  if (!tile_status_is_ok(&status)) {
    fprintf(stderr, "tile-run: %s\n", status.message);
  } else if (job->options.wants_help) {
    run_help_print(stdout);
  } else if (job->options.wants_version) {
    printf("tile-run %s\n", TILE_VERSION);
  } else {
    if (keeper && !*keeper && !job->options.device.emulate) {
      TileStatus opened = tile_device_open(&job->options.device, keeper);
      (void)opened; // the command says what is wrong
    }
    code = (int)run_job(job);
  }
  destroy_job(job);
  status = tile_stdout_flush();
  if (code != TILE_STATUS_OK || tile_status_is_ok(&status))
    return code;
  fprintf(stderr, "tile-run: %s\n", status.message);
  return (int)status.code;
}

/// The commands of a file, one after the other; the largest exit status.
static int run_batch(char *program, const char *path) {
  RunBatch batch;
  TileStatus status = run_batch_read(path, program, &batch);
  if (!tile_status_is_ok(&status)) {
    fprintf(stderr, "tile-run: %s\n", status.message);
    return (int)status.code;
  }
  TileDevice *keeper = NULL;
  int worst = 0;
  for (size_t i = 0; i < batch.num_commands; i++) {
    int code =
        run_command(batch.commands[i].argc, batch.commands[i].argv, &keeper);
    worst = code > worst ? code : worst;
    printf("command %zu: exit status %d\n", i + 1, code);
    fflush(stdout);
  }
  tile_device_destroy(keeper);
  run_batch_deinit(&batch);
  return worst;
}

int main(int argc, char **argv) {
  tile_streams_open();
  tile_signals_block();
  if (argc == 3 && strcmp(argv[1], "--batch") == 0)
    return run_batch(argv[0], argv[2]);
  return run_command(argc, argv, NULL);
}

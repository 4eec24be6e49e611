//===- HostRun.c - Performs the launches of a host function ---------------===//

#include "HostFunction.h"
#include "LauncherInternal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const TileHostFunction *function;
  TileDevice *device;
  TileDeviceModule *module;
  const TileArg *args;
  ValueResult *results; // one per value
  const TileRunOptions *options;
} Run;

/// The memory of one kernel parameter; tensor maps ask for the alignment.
typedef union {
  _Alignas(64) unsigned char bytes[TILE_TENSOR_MAP_SIZE_BYTES];
} ParamMemory;

//===-- Values ------------------------------------------------------------===//

static TileStatus check_defined(const Run *run, int index, const char *use) {
  int failed_at = run->results[index].failed_at;
  if (failed_at < 0)
    return tile_status_ok();
  ValueOp op = run->function->values[failed_at].op;
  bool is_shift = op >= VALUE_SHLI && op <= VALUE_SHRUI;
  return tile_status_error(
      TILE_STATUS_USER_ERROR, "%s: %s needs values[%d], %s %s",
      run->function->name, use, failed_at, tile_value_op_names[op],
      is_shift ? "by the width of its type or more" : "by zero");
}

/// Returns an integer value in [min, max].
static TileStatus get_integer(const Run *run, int index, const char *use,
                              int64_t min, int64_t max, int64_t *out_value) {
  TileStatus status = check_defined(run, index, use);
  if (!tile_status_is_ok(&status))
    return status;
  *out_value = tile_value_result_signed(&run->function->values[index],
                                        &run->results[index]);
  if (*out_value < min || *out_value > max)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected %s from %lld to %lld, got %lld",
                             run->function->name, use, (long long)min,
                             (long long)max, (long long)*out_value);
  return status;
}

/// Finds the first requirement from number `first` on that does not hold, or
/// NULL.
static TileStatus find_unmet(const Run *run, const Requirements *requirements,
                             int first, const Requirement **out_unmet) {
  *out_unmet = NULL;
  for (int i = first; i < requirements->count; i++) {
    const Requirement *requirement = &requirements->items[i];
    char use[128];
    snprintf(use, sizeof use, "the requirement '%.100s'", requirement->text);
    TileStatus status = check_defined(run, requirement->value, use);
    if (!tile_status_is_ok(&status))
      return status;
    if (!run->results[requirement->value].bits) {
      *out_unmet = requirement;
      break;
    }
  }
  return tile_status_ok();
}

enum { MAX_UNMET_TEXT = 240 };

/// Prints what a requirement asks for, and the number that it found.
static void print_unmet(const Run *run, const Requirement *unmet,
                        char out[MAX_UNMET_TEXT]) {
  int number = unmet->actual;
  if (number < 0 || run->results[number].failed_at >= 0) {
    snprintf(out, MAX_UNMET_TEXT, "%s", unmet->text);
    return;
  }
  int64_t value = tile_value_result_signed(&run->function->values[number],
                                           &run->results[number]);
  snprintf(out, MAX_UNMET_TEXT, "%.200s, it is %lld", unmet->text,
           (long long)value);
}

TileStatus tile_host_function_take_variant(TileHostFunction *function,
                                           size_t launch, uint64_t variant) {
  if (launch >= (size_t)function->num_launches)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected a variant for each of %d launches "
                             "or fewer, got more",
                             function->name, function->num_launches);
  Launch *chosen = &function->launches[launch];
  if (variant > (uint64_t)chosen->num_variants)
    return tile_status_error(
        TILE_STATUS_USER_ERROR,
        "%s: launch %zu: expected a variant from 1 to %d, got %llu",
        function->name, launch, chosen->num_variants,
        (unsigned long long)variant);
  chosen->wanted = (int)variant;
  return tile_status_ok();
}

/// Takes the variant that the launch was told to take.
static TileStatus check_wanted(const Run *run, int launch_index,
                               const Variant **out_variant) {
  const Launch *launch = &run->function->launches[launch_index];
  const Requirement *unmet = NULL;
  char text[MAX_UNMET_TEXT];
  *out_variant = &launch->variants[launch->wanted - 1];
  TileStatus status = find_unmet(run, &(*out_variant)->requirements, 0, &unmet);
  if (!tile_status_is_ok(&status) || !unmet)
    return status;
  print_unmet(run, unmet, text);
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: launch %d: variant %d, '%s', needs: %s",
                           run->function->name, launch_index, launch->wanted,
                           (*out_variant)->kernel, text);
}

/// Takes the first variant whose requirements hold, or the wanted one.
static TileStatus choose_variant(const Run *run, int launch_index,
                                 const Variant **out_variant) {
  const Launch *launch = &run->function->launches[launch_index];
  char reasons[700] = "";
  if (launch->wanted)
    return check_wanted(run, launch_index, out_variant);
  for (int i = 0; i < launch->num_variants; i++) {
    const Requirement *unmet = NULL;
    char text[MAX_UNMET_TEXT];
    TileStatus status =
        find_unmet(run, &launch->variants[i].requirements, 0, &unmet);
    *out_variant = &launch->variants[i];
    if (!tile_status_is_ok(&status) || !unmet)
      return status;
    print_unmet(run, unmet, text);
    size_t length = strlen(reasons);
    snprintf(reasons + length, sizeof reasons - length, "%s'%s' needs: %s",
             i > 0 ? "; " : "", launch->variants[i].kernel, text);
  }
  return tile_status_error(TILE_STATUS_USER_ERROR,
                           "%s: launch %d: no variant suits the arguments: %s",
                           run->function->name, launch_index, reasons);
}

//===-- Parameters --------------------------------------------------------===//

static TileStatus fill_tensor_map(const Run *run, const LaunchParam *param,
                                  void *out_map) {
  enum { MAX_NUM_ELEMS_LOG2 = 32, MAX_STRIDE_LOG2 = 40 }; // of the driver
  TileTensorMap map = {.type = tile_dtype_tensor_map_type(param->dtype),
                       .rank = param->rank,
                       .address = run->args[param->arg].address,
                       .swizzle_bytes = param->swizzle_bytes,
                       .oob_nan = param->oob_nan,
                       .is_im2col = param->is_im2col,
                       .channels_per_pixel = param->channels_per_pixel,
                       .pixels_per_column = param->pixels_per_column};
  memcpy(map.lower_corner, param->lower_corner, sizeof map.lower_corner);
  memcpy(map.upper_corner, param->upper_corner, sizeof map.upper_corner);
  for (int i = 0; i < param->rank; i++) {
    int64_t dim = 0, stride_bytes = 0;
    TileStatus status =
        get_integer(run, param->dims[i], "an extent of a tensor map", 0,
                    INT64_C(1) << MAX_NUM_ELEMS_LOG2, &dim);
    if (tile_status_is_ok(&status) && i > 0)
      status =
          get_integer(run, param->strides_bytes[i], "a stride of a tensor map",
                      0, (INT64_C(1) << MAX_STRIDE_LOG2) - 1, &stride_bytes);
    if (!tile_status_is_ok(&status))
      return status;
    map.dims[i] = (uint64_t)dim;
    map.strides_bytes[i] = (uint64_t)stride_bytes;
    map.box[i] = param->box[i];
    map.elem_strides[i] = param->elem_strides[i];
  }
  TileStatus status = tile_device_encode_tensor_map(run->device, &map, out_map);
  if (tile_status_is_ok(&status))
    return status;
  return tile_status_error(
      status.code, "%s: tensor map of argument '%s': %.800s",
      run->function->name, run->function->params[param->arg].name,
      status.message);
}

// Indices are 64 bits wide on the host and 32 in kernels: one that does not fit
// must not become another number.
static TileStatus check_fits(const Run *run, const LaunchParam *param) {
  int64_t value = 0;
  if (run->function->values[param->value].type.num_bits != 64 ||
      param->dtype != TILE_DTYPE_I32)
    return tile_status_ok();
  return get_integer(run, param->value, "a 32-bit scalar of the kernel",
                     INT32_MIN, INT32_MAX, &value);
}

static TileStatus fill_param(const Run *run, const LaunchParam *param,
                             ParamMemory *memory, size_t *out_size_bytes) {
  if (param->kind == PARAM_TENSOR_MAP) {
    *out_size_bytes = TILE_TENSOR_MAP_SIZE_BYTES;
    return fill_tensor_map(run, param, memory->bytes);
  }
  if (param->kind == PARAM_POINTER) {
    *out_size_bytes = sizeof run->args[param->arg].address;
    memcpy(memory->bytes, &run->args[param->arg].address, *out_size_bytes);
    return tile_status_ok();
  }
  TileStatus status = check_defined(run, param->value, "a scalar parameter");
  if (tile_status_is_ok(&status))
    status = check_fits(run, param);
  if (!tile_status_is_ok(&status))
    return status;
  const Value *value = &run->function->values[param->value];
  const ValueResult *result = &run->results[param->value];
  TileNumber number = {.dtype = TILE_DTYPE_F64, .real = result->real};
  if (!value->type.is_float)
    number = (TileNumber){.dtype = TILE_DTYPE_I64,
                          .integer = tile_value_result_signed(value, result)};
  *out_size_bytes = tile_dtype_size_bytes(param->dtype);
  tile_dtype_store(param->dtype, number, memory->bytes);
  return status;
}

//===-- Launching ---------------------------------------------------------===//

static TileStatus fill_sizes(const Run *run, const Variant *variant,
                             TileKernelLaunch *launch) {
  for (int i = 0; i < 3; i++) {
    char use[32];
    int64_t grid = 0, block = 0;
    snprintf(use, sizeof use, "grid %c", 'x' + i);
    TileStatus status =
        get_integer(run, variant->grid[i], use, 0, INT32_MAX, &grid);
    snprintf(use, sizeof use, "block %c", 'x' + i);
    if (tile_status_is_ok(&status))
      status = get_integer(run, variant->block[i], use, 1, INT32_MAX, &block);
    if (!tile_status_is_ok(&status))
      return status;
    launch->grid[i] = (uint32_t)grid;
    launch->block[i] = (uint32_t)block;
    launch->cluster[i] = variant->cluster[i];
  }
  return tile_status_ok();
}

enum { MAX_LINE = 2400 };

/// Appends each thing that the first variant lacks.
static void append_lacks(const Run *run, const Launch *launch,
                         char line[MAX_LINE]) {
  const Requirements *best = &launch->variants[0].requirements;
  const Requirement *unmet = NULL;
  char text[MAX_UNMET_TEXT];
  int next = 0, count = 0;
  while (next < best->count) {
    TileStatus status = find_unmet(run, best, next, &unmet);
    if (!tile_status_is_ok(&status) || !unmet)
      break;
    print_unmet(run, unmet, text);
    size_t length = strlen(line);
    snprintf(line + length, MAX_LINE - length, "%s%s", count++ ? "; " : "",
             text);
    next = (int)(unmet - best->items) + 1;
  }
}

/// A slower kernel than the best one is taken, and why; not when it was asked
/// for.
static void remark_variant(const Run *run, int launch_index,
                           const Variant *variant) {
  const Launch *launch = &run->function->launches[launch_index];
  char line[MAX_LINE];
  if (!run->options->remark || launch->wanted || variant == launch->variants)
    return;
  snprintf(line, sizeof line,
           "%.200s: launch %d takes variant %d of %d; the first one needs: ",
           run->function->name, launch_index,
           (int)(variant - launch->variants) + 1, launch->num_variants);
  append_lacks(run, launch, line);
  run->options->remark(line, run->options->user_data);
}

static void log_launch(const Run *run, int launch_index, const Variant *variant,
                       const TileKernelLaunch *launch) {
  const Launch *parent = &run->function->launches[launch_index];
  const TileRunOptions *options = run->options;
  char line[MAX_LINE];
  if (!options->log)
    return;
  snprintf(line, sizeof line,
           "launch %d: kernel %.400s (variant %d of %d), grid %ux%ux%u, block "
           "%ux%ux%u, cluster %ux%ux%u, %u bytes of dynamic shared memory",
           launch_index, launch->kernel, (int)(variant - parent->variants) + 1,
           parent->num_variants, launch->grid[0], launch->grid[1],
           launch->grid[2], launch->block[0], launch->block[1],
           launch->block[2], launch->cluster[0], launch->cluster[1],
           launch->cluster[2], launch->dynamic_smem_bytes);
  options->log(line, options->user_data);
  if (parent->wanted || variant == parent->variants)
    return;
  snprintf(line, sizeof line, "launch %d: variant 1 needs: ", launch_index);
  append_lacks(run, parent, line);
  options->log(line, options->user_data);
}

static TileStatus launch_with_params(const Run *run, const Variant *variant,
                                     const TileKernelLaunch *sizes) {
  size_t count = (size_t)variant->num_params;
  // One more than needed, so that a kernel without parameters gets memory too.
  ParamMemory *memory =
      aligned_alloc(_Alignof(ParamMemory), (count + 1) * sizeof *memory);
  void *pointers[TILE_PTX_MAX_PARAMS];
  size_t sizes_bytes[TILE_PTX_MAX_PARAMS];
  TileStatus status = tile_status_ok();
  if (!memory)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  memset(memory, 0, (count + 1) * sizeof *memory);
  for (size_t i = 0; i < count && tile_status_is_ok(&status); i++) {
    pointers[i] = memory[i].bytes;
    status = fill_param(run, &variant->params[i], &memory[i], &sizes_bytes[i]);
  }
  TileKernelLaunch launch = *sizes;
  launch.stream = run->options->stream;
  launch.is_queued = run->options->is_queued;
  launch.params = pointers;
  launch.param_sizes_bytes = sizes_bytes;
  launch.num_params = count;
  if (tile_status_is_ok(&status))
    status = tile_device_launch(run->device, run->module, &launch);
  free(memory);
  return status;
}

static TileStatus perform_launch(const Run *run, int launch_index) {
  const Variant *variant = run->function->launches[launch_index].variants;
  TileStatus status = choose_variant(run, launch_index, &variant);
  if (!tile_status_is_ok(&status))
    return status;
  TileKernelLaunch launch = {.kernel = variant->kernel,
                             .dynamic_smem_bytes = variant->dynamic_smem_bytes};
  status = fill_sizes(run, variant, &launch);
  if (!tile_status_is_ok(&status))
    return status;
  log_launch(run, launch_index, variant, &launch);
  remark_variant(run, launch_index, variant);
  // A grid without blocks has nothing to do; the driver would refuse it.
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return status;
  return launch_with_params(run, variant, &launch);
}

static TileStatus perform_all(Run *run) {
  const TileHostFunction *function = run->function;
  tile_host_values_evaluate(function, run->args,
                            tile_device_num_sms(run->device), run->results);
  const Requirement *unmet = NULL;
  char text[MAX_UNMET_TEXT];
  TileStatus status = find_unmet(run, &function->requirements, 0, &unmet);
  if (tile_status_is_ok(&status) && unmet) {
    print_unmet(run, unmet, text);
    status = tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s: the arguments do not meet: %s",
                               function->name, text);
  }
  run->module = run->options->module;
  if (tile_status_is_ok(&status) && function->num_launches > 0 && !run->module)
    status =
        tile_device_load_module(run->device, function->ptx_path, &run->module);
  for (int i = 0; i < function->num_launches && tile_status_is_ok(&status); i++)
    status = perform_launch(run, i);
  return status;
}

TileStatus tile_host_function_run(const TileHostFunction *function,
                                  TileDevice *device, const TileArg *args,
                                  size_t num_args,
                                  const TileRunOptions *options) {
  static const TileRunOptions quiet = {.module = NULL};
  TileStatus status = tile_host_function_check_args(function, args, num_args);
  if (!tile_status_is_ok(&status))
    return status;
  Run run = {.function = function,
             .device = device,
             .args = args,
             .options = options ? options : &quiet};
  run.results = calloc((size_t)function->num_values + 1, sizeof *run.results);
  if (!run.results)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  status = perform_all(&run);
  free(run.results);
  return status;
}

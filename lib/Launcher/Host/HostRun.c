//===- HostRun.c - Performs one launch of a host function -----------------===//

#include "Launcher/Host/HostFunction.h"
#include "Launcher/Host/HostProgram.h"
#include "Launcher/LauncherInternal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// The memory of one kernel parameter; tensor maps ask for the alignment.
typedef union {
  _Alignas(64) unsigned char bytes[TILE_TENSOR_MAP_SIZE_BYTES];
} ParamMemory;

TileStatus tile_host_op_fail(const HostRun *run, const HostOp *op,
                             const char *format, ...) {
  char what[700];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  return tile_status_error(TILE_STATUS_USER_ERROR, "%.100s: %.200s%s%s",
                           run->function->name, op->where,
                           *op->where ? ": " : "", what);
}

//===-- Values ------------------------------------------------------------===//

TileStatus tile_host_run_check_defined(const HostRun *run, int index,
                                       const char *use) {
  int failed_at = run->results[index].failed_at;
  if (failed_at < 0)
    return tile_status_ok();
  ValueOp op = run->function->values[failed_at].op;
  bool is_shift = op >= VALUE_SHLI && op <= VALUE_SHRUI;
  bool is_division = op >= VALUE_DIVSI && op <= VALUE_REMUI;
  return tile_status_error(
      TILE_STATUS_USER_ERROR, "%s: %s needs values[%d], %s %s",
      run->function->name, use, failed_at, tile_value_ops[op].name,
      is_shift      ? "by the width of its type or more"
      : is_division ? "by zero"
                    : "of a number that its type does not hold");
}

TileStatus tile_host_run_integer(const HostRun *run, int index, const char *use,
                                 int64_t min, int64_t max, int64_t *out_value) {
  TRY(tile_host_run_check_defined(run, index, use));
  *out_value = tile_value_result_signed(&run->function->values[index],
                                        &run->results[index]);
  if (*out_value < min || *out_value > max)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "%s: expected %s from %lld to %lld, got %lld",
                             run->function->name, use, (long long)min,
                             (long long)max, (long long)*out_value);
  return tile_status_ok();
}

/// Finds the first requirement from number `first` on that does not hold, or
/// NULL.
static TileStatus find_unmet(const HostRun *run,
                             const Requirements *requirements, int first,
                             const Requirement **out_unmet) {
  *out_unmet = NULL;
  for (int i = first; i < requirements->count; i++) {
    const Requirement *requirement = &requirements->items[i];
    if (run->results[requirement->value].failed_at >= 0) {
      char use[128];
      snprintf(use, sizeof use, "the requirement '%.100s'", requirement->text);
      return tile_host_run_check_defined(run, requirement->value, use);
    }
    if (!run->results[requirement->value].bits) {
      *out_unmet = requirement;
      break;
    }
  }
  return tile_status_ok();
}

enum { MAX_UNMET_TEXT = 240 };

/// Prints what a requirement asks for, and the number that it found.
static void print_unmet(const HostRun *run, const Requirement *unmet,
                        char out[MAX_UNMET_TEXT]) {
  int number = unmet->actual;
  if (number < 0 || run->results[number].failed_at >= 0) {
    snprintf(out, MAX_UNMET_TEXT, "%s", unmet->text);
    return;
  }
  int64_t value = tile_value_result_signed(&run->function->values[number],
                                           &run->results[number]);
  int length = snprintf(out, MAX_UNMET_TEXT, "%.160s, it is %lld", unmet->text,
                        (long long)value);
  int other = unmet->other;
  if (other >= 0 && run->results[other].failed_at < 0)
    snprintf(out + length, MAX_UNMET_TEXT - (size_t)length,
             ", the other one %lld",
             (long long)tile_value_result_signed(&run->function->values[other],
                                                 &run->results[other]));
}

static TileStatus report_unmet(const HostRun *run, const Requirement *unmet) {
  char text[MAX_UNMET_TEXT];
  print_unmet(run, unmet, text);
  return unmet->where
             ? tile_status_error(TILE_STATUS_USER_ERROR,
                                 "%.100s: %.200s: expected that %s",
                                 run->function->name, unmet->where, text)
             : tile_status_error(TILE_STATUS_USER_ERROR,
                                 "%.100s: the arguments do not meet: %s",
                                 run->function->name, text);
}

// Errors: a requirement that does not hold.
static TileStatus run_require(const HostRun *run,
                              const Requirement *requirement) {
  Requirements one = {(Requirement *)(uintptr_t)requirement, 1};
  const Requirement *unmet = NULL;
  TRY(find_unmet(run, &one, 0, &unmet));
  return unmet ? report_unmet(run, unmet) : tile_status_ok();
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
static TileStatus check_wanted(const HostRun *run, int launch_index,
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
static TileStatus choose_variant(const HostRun *run, int launch_index,
                                 const Variant **out_variant) {
  const Launch *launch = &run->function->launches[launch_index];
  char reasons[700] = "";
  if (launch->wanted)
    return check_wanted(run, launch_index, out_variant);
  for (int i = 0; i < launch->num_variants; i++) {
    const Requirement *unmet = NULL;
    char text[MAX_UNMET_TEXT];
    *out_variant = &launch->variants[i];
    TRY(find_unmet(run, &launch->variants[i].requirements, 0, &unmet));
    if (!unmet)
      return tile_status_ok();
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

/// Of an argument, or a value.
static uint64_t address_of(const HostRun *run, const LaunchParam *param) {
  return param->arg >= 0 ? run->args[param->arg].address
                         : run->results[param->address].bits;
}

static TileStatus check_address(const HostRun *run, const LaunchParam *param) {
  return param->kind == PARAM_SCALAR || param->arg >= 0
             ? tile_status_ok()
             : tile_host_run_check_defined(run, param->address,
                                           "the address of a tensor");
}

static TileStatus fill_tensor_map(const HostRun *run, const LaunchParam *param,
                                  void *out_map) {
  enum { MAX_NUM_ELEMS_LOG2 = 32, MAX_STRIDE_LOG2 = 40 }; // of the driver
  TileTensorMap map = {.type = tile_dtype_tensor_map_type(param->dtype),
                       .rank = param->rank,
                       .address = address_of(run, param),
                       .swizzle_bytes = param->swizzle_bytes,
                       .oob_nan = param->oob_nan,
                       .is_im2col = param->is_im2col,
                       .channels_per_pixel = param->channels_per_pixel,
                       .pixels_per_column = param->pixels_per_column};
  memcpy(map.lower_corner, param->lower_corner, sizeof map.lower_corner);
  memcpy(map.upper_corner, param->upper_corner, sizeof map.upper_corner);
  for (int i = 0; i < param->rank; i++) {
    int64_t dim = 0, stride_bytes = 0;
    TRY(tile_host_run_integer(run, param->dims[i], "an extent of a tensor map",
                              0, INT64_C(1) << MAX_NUM_ELEMS_LOG2, &dim));
    if (i > 0)
      TRY(tile_host_run_integer(
          run, param->strides_bytes[i], "a stride of a tensor map", 0,
          (INT64_C(1) << MAX_STRIDE_LOG2) - 1, &stride_bytes));
    map.dims[i] = (uint64_t)dim;
    map.strides_bytes[i] = (uint64_t)stride_bytes;
    map.box[i] = param->box[i];
    map.elem_strides[i] = param->elem_strides[i];
  }
  TileStatus status = tile_device_encode_tensor_map(run->device, &map, out_map);
  if (tile_status_is_ok(&status))
    return tile_status_ok();
  if (param->arg < 0)
    return tile_status_error(status.code, "%s: tensor map of a tensor: %.800s",
                             run->function->name, status.message);
  return tile_status_error(
      status.code, "%s: tensor map of argument '%s': %.800s",
      run->function->name, run->function->params[param->arg].name,
      status.message);
}

// Indices are 64 bits wide on the host and 32 in kernels: one that does not fit
// must not become another number.
static TileStatus check_fits(const HostRun *run, const LaunchParam *param) {
  int64_t value = 0;
  if (run->function->values[param->value].type.num_bits != 64 ||
      param->dtype != TILE_DTYPE_I32)
    return tile_status_ok();
  return tile_host_run_integer(run, param->value,
                               "a 32-bit scalar of the kernel", INT32_MIN,
                               INT32_MAX, &value);
}

static TileStatus check_scalar(const HostRun *run, const LaunchParam *param) {
  if (param->kind != PARAM_SCALAR)
    return tile_status_ok();
  TRY(tile_host_run_check_defined(run, param->value, "a scalar parameter"));
  return check_fits(run, param);
}

static TileStatus fill_param(const HostRun *run, const LaunchParam *param,
                             ParamMemory *memory, size_t *out_size_bytes) {
  TRY(check_address(run, param));
  TRY(check_scalar(run, param));
  if (param->kind == PARAM_TENSOR_MAP) {
    *out_size_bytes = TILE_TENSOR_MAP_SIZE_BYTES;
    return fill_tensor_map(run, param, memory->bytes);
  }
  if (param->kind == PARAM_POINTER) {
    uint64_t address = address_of(run, param);
    *out_size_bytes = sizeof address;
    memcpy(memory->bytes, &address, sizeof address);
    return tile_status_ok();
  }
  *out_size_bytes = tile_dtype_size_bytes(param->dtype);
  tile_dtype_store(
      param->dtype,
      tile_value_result_number(&run->function->values[param->value],
                               &run->results[param->value]),
      memory->bytes);
  return tile_status_ok();
}

//===-- Launching ---------------------------------------------------------===//

static TileStatus fill_sizes(const HostRun *run, const Variant *variant,
                             TileKernelLaunch *launch) {
  static const char *const grid_names[] = {"grid x", "grid y", "grid z"};
  static const char *const block_names[] = {"block x", "block y", "block z"};
  for (int i = 0; i < 3; i++) {
    int64_t grid = 0, block = 0;
    TRY(tile_host_run_integer(run, variant->grid[i], grid_names[i], 0,
                              INT32_MAX, &grid));
    TRY(tile_host_run_integer(run, variant->block[i], block_names[i], 1,
                              INT32_MAX, &block));
    launch->grid[i] = (uint32_t)grid;
    launch->block[i] = (uint32_t)block;
    launch->cluster[i] = variant->cluster[i];
  }
  launch->is_cooperative = variant->is_cooperative;
  launch->is_dependent = variant->is_dependent;
  return tile_status_ok();
}

enum { MAX_LINE = 2400 };

/// Appends each thing that the first variant lacks.
static void append_lacks(const HostRun *run, const Launch *launch,
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
/// for, and once for a launch.
static void remark_variant(const HostRun *run, int launch_index,
                           const Variant *variant) {
  const Launch *launch = &run->function->launches[launch_index];
  char line[MAX_LINE];
  if (!run->options->remark || launch->wanted || variant == launch->variants ||
      run->has_remarked[launch_index])
    return;
  run->has_remarked[launch_index] = true;
  snprintf(line, sizeof line,
           "%.200s: launch %d takes variant %d of %d; the first one needs: ",
           run->function->name, launch_index,
           (int)(variant - launch->variants) + 1, launch->num_variants);
  append_lacks(run, launch, line);
  run->options->remark(line, run->options->user_data);
}

static void log_launch(const HostRun *run, int launch_index,
                       const Variant *variant, const TileKernelLaunch *launch) {
  const Launch *parent = &run->function->launches[launch_index];
  const TileRunOptions *options = run->options;
  char line[MAX_LINE];
  if (!options->log)
    return;
  snprintf(line, sizeof line,
           "launch %d: kernel %.400s (variant %d of %d), grid %ux%ux%u, block "
           "%ux%ux%u, cluster %ux%ux%u, %u bytes of dynamic shared memory%s%s",
           launch_index, launch->kernel, (int)(variant - parent->variants) + 1,
           parent->num_variants, launch->grid[0], launch->grid[1],
           launch->grid[2], launch->block[0], launch->block[1],
           launch->block[2], launch->cluster[0], launch->cluster[1],
           launch->cluster[2], launch->dynamic_smem_bytes,
           launch->is_cooperative ? ", all blocks at the same time" : "",
           launch->is_dependent ? ", may overlap the one before" : "");
  options->log(line, options->user_data);
  if (parent->wanted || variant == parent->variants)
    return;
  snprintf(line, sizeof line, "launch %d: variant 1 needs: ", launch_index);
  append_lacks(run, parent, line);
  options->log(line, options->user_data);
}

static TileStatus launch_in_memory(const HostRun *run, const Variant *variant,
                                   const TileKernelLaunch *sizes,
                                   ParamMemory *memory) {
  size_t count = (size_t)variant->num_params;
  void *pointers[TILE_PTX_MAX_PARAMS];
  size_t sizes_bytes[TILE_PTX_MAX_PARAMS];
  for (size_t i = 0; i < count; i++) {
    pointers[i] = memory[i].bytes;
    TRY(fill_param(run, &variant->params[i], &memory[i], &sizes_bytes[i]));
  }
  TileKernelLaunch launch = *sizes;
  launch.stream = run->options->stream;
  launch.is_queued = run->options->is_queued;
  launch.params = pointers;
  launch.param_sizes_bytes = sizes_bytes;
  launch.num_params = count;
  return tile_device_launch(run->device, run->module, &launch);
}

static TileStatus launch_with_params(const HostRun *run, const Variant *variant,
                                     const TileKernelLaunch *sizes) {
  enum { MAX_ON_STACK = 16 };
  ParamMemory few[MAX_ON_STACK];
  size_t count = (size_t)variant->num_params;
  size_t size_bytes = (count + 1) * sizeof *few;
  ParamMemory *memory = count < MAX_ON_STACK
                            ? few
                            : aligned_alloc(_Alignof(ParamMemory), size_bytes);
  if (!memory)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  memset(memory, 0, size_bytes);
  TileStatus status = launch_in_memory(run, variant, sizes, memory);
  if (memory != few)
    free(memory);
  return status;
}

/// What can be known to be wrong before anything runs.
static TileStatus check_params(const HostRun *run, const Variant *variant) {
  for (int i = 0; i < variant->num_params; i++) {
    TRY(check_address(run, &variant->params[i]));
    TRY(check_scalar(run, &variant->params[i]));
  }
  return tile_status_ok();
}

// Performs a launch; with `is_plan` only looks whether it can be.
static TileStatus run_launch(HostRun *run, int launch_index, bool is_plan) {
  const Variant *variant = run->function->launches[launch_index].variants;
  TRY(choose_variant(run, launch_index, &variant));
  TileKernelLaunch launch = {.kernel = variant->kernel,
                             .dynamic_smem_bytes = variant->dynamic_smem_bytes};
  TRY(fill_sizes(run, variant, &launch));
  if (is_plan)
    return check_params(run, variant);
  log_launch(run, launch_index, variant, &launch);
  remark_variant(run, launch_index, variant);
  // A grid without blocks has nothing to do; the driver would refuse it.
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return tile_status_ok();
  return launch_with_params(run, variant, &launch);
}

//===-- Runs the program of a host function -------------------------------===//

// Consumes: the body of a host function, with arguments that were checked.
// Produces: its effects on the device, in order, on one stream.
// Fails:    with the place in the source: conditions that do not hold, extents
//           and loops that cannot be, memory that is no part of an argument, a
//           global or a workspace. Before the first effect, but for what
//           depends on a number that the program reads after it has written.

/// Ops of one run, so that a loop that does not end does.
#define MAX_STEPS UINT64_C(10000000)

static TileStatus perform(HostProgram *program, const HostBlock *block);

/// An op, or a round of a loop.
static TileStatus count_step(HostProgram *program, const HostOp *op) {
  return ++program->num_steps <= MAX_STEPS
             ? tile_status_ok()
             : tile_host_op_fail(
                   program->run, op,
                   "expected at most %llu ops of host code in a call",
                   (unsigned long long)MAX_STEPS);
}

//===-- Values ------------------------------------------------------------===//

/// Sets variables, all at once: sources may be among them.
static TileStatus set_all(const HostProgram *program,
                          const ValueList *variables,
                          const ValueList *sources) {
  ValueResult *results = program->run->results;
  size_t count = (size_t)variables->count;
  if (count == 0)
    return tile_status_ok();
  ValueResult *copy = calloc(count + 1, sizeof *copy);
  if (!copy)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  for (size_t i = 0; i < count; i++)
    copy[i] = results[sources->items[i]];
  for (size_t i = 0; i < count; i++)
    results[variables->items[i]] = copy[i];
  free(copy);
  return tile_status_ok();
}

//===-- Control flow ------------------------------------------------------===//

typedef struct {
  uint64_t lower, upper, step; // of the type of the index
  int num_bits;
  bool is_unsigned;
} Range;

static TileStatus get_range(const HostProgram *program, const HostOp *op,
                            Range *out) {
  const ValueResult *results = program->run->results;
  const char *const names[] = {"the lower bound", "the upper bound",
                               "the step"};
  const int values[] = {op->lower, op->upper, op->step};
  TileStatus status = tile_status_ok();
  for (int i = 0; i < 3 && tile_status_is_ok(&status); i++)
    status = tile_host_run_check_defined(program->run, values[i], names[i]);
  if (!tile_status_is_ok(&status))
    return status;
  const Value *step = &program->run->function->values[op->step];
  int64_t by = tile_value_result_bits_signed(step, &results[op->step]);
  *out = (Range){.lower = results[op->lower].bits,
                 .upper = results[op->upper].bits,
                 .step = results[op->step].bits,
                 .num_bits = step->type.num_bits,
                 .is_unsigned = op->is_unsigned};
  if (out->step == 0 || (!op->is_unsigned && by < 0))
    return tile_host_op_fail(program->run, op,
                             "expected a step of 1 or more, got %lld",
                             (long long)by);
  return status;
}

/// As a number that grows with the order of the type.
static uint64_t rank_of(const Range *range, uint64_t bits) {
  return range->is_unsigned ? bits
                            : bits ^ (UINT64_C(1) << (range->num_bits - 1));
}

/// Iterations of a loop. Computed once, as upstream's lowering would.
static uint64_t count_rounds(const Range *range) {
  uint64_t first = rank_of(range, range->lower);
  uint64_t end = rank_of(range, range->upper);
  return first < end ? (end - first - 1) / range->step + 1 : 0;
}

/// Frees workspaces that an iteration has left and that nothing carries on:
/// loops around this one may.
static void sweep(const HostProgram *program, const HostOp *op) {
  const ValueList *carriers = &program->run->function->carriers;
  if (op->first_alloc == op->end_alloc)
    return;
  for (int i = 0; i < carriers->count; i++)
    program->kept[i] = program->run->results[carriers->items[i]].bits;
  tile_workspaces_sweep(program->memory, op->first_alloc, op->end_alloc,
                        program->kept, (size_t)carriers->count);
}

static TileStatus perform_for(HostProgram *program, const HostOp *op) {
  Range range;
  TileStatus status = get_range(program, op, &range);
  if (tile_status_is_ok(&status))
    status = set_all(program, &op->carried, &op->initial);
  if (!tile_status_is_ok(&status))
    return status;
  uint64_t index = range.lower;
  tile_host_program_set(program, op->index, index);
  tile_host_program_update(program, op);
  uint64_t num_rounds = count_rounds(&range);
  for (uint64_t i = 0; i < num_rounds && tile_status_is_ok(&status); i++) {
    status = count_step(program, op);
    if (tile_status_is_ok(&status))
      status = perform(program, &op->body);
    if (tile_status_is_ok(&status) && !program->is_cut)
      status = set_all(program, &op->carried, &op->next);
    if (!tile_status_is_ok(&status) || program->is_cut)
      break;
    sweep(program, op);
    index += range.step;
    tile_host_program_set(program, op->index, index);
    tile_host_program_update(program, op);
  }
  return status;
}

/// The condition of a round of a while loop, and what it hands on.
static TileStatus perform_before(HostProgram *program, const HostOp *op,
                                 bool *out_is_true) {
  TileStatus status = perform(program, &op->otherwise);
  *out_is_true = false;
  if (!tile_status_is_ok(&status) || program->is_cut)
    return status;
  status = tile_host_run_check_defined(program->run, op->value,
                                       "the condition of a loop");
  if (tile_status_is_ok(&status))
    status = set_all(program, &op->results, &op->then_values);
  *out_is_true = program->run->results[op->value].bits != 0;
  tile_host_values_update(&program->run->inputs, op->results_dependents.items,
                          op->results_dependents.count, program->run->results);
  return status;
}

static TileStatus perform_while(HostProgram *program, const HostOp *op) {
  TileStatus status = set_all(program, &op->carried, &op->initial);
  bool is_true = true;
  while (tile_status_is_ok(&status)) {
    tile_host_program_update(program, op);
    status = count_step(program, op);
    if (tile_status_is_ok(&status))
      status = perform_before(program, op, &is_true);
    if (!tile_status_is_ok(&status) || !is_true)
      break;
    status = perform(program, &op->body);
    if (program->is_cut)
      break;
    if (tile_status_is_ok(&status))
      status = set_all(program, &op->carried, &op->next);
    if (tile_status_is_ok(&status))
      sweep(program, op);
  }
  return status;
}

static TileStatus perform_if(HostProgram *program, const HostOp *op) {
  TileStatus status = tile_host_run_check_defined(program->run, op->value,
                                                  "the condition of a branch");
  if (!tile_status_is_ok(&status))
    return status;
  bool is_true = program->run->results[op->value].bits != 0;
  status = perform(program, is_true ? &op->body : &op->otherwise);
  if (!tile_status_is_ok(&status) || op->results.count == 0 || program->is_cut)
    return status;
  status = set_all(program, &op->results,
                   is_true ? &op->then_values : &op->else_values);
  tile_host_program_update(program, op);
  return status;
}

//===-- Ops in order ------------------------------------------------------===//

static TileStatus perform_op(HostProgram *program, const HostOp *op) {
  switch (op->kind) {
  case HOST_LAUNCH:
    program->has_written = true;
    return run_launch(program->run, op->launch, program->is_plan);
  case HOST_REQUIRE:
    return run_require(program->run, &op->requirement);
  case HOST_FOR:
    return perform_for(program, op);
  case HOST_WHILE:
    return perform_while(program, op);
  case HOST_IF:
    return perform_if(program, op);
  default:
    return tile_host_program_move(program, op);
  }
}

static TileStatus perform(HostProgram *program, const HostBlock *block) {
  TileStatus status = tile_status_ok();
  for (int i = 0;
       i < block->count && tile_status_is_ok(&status) && !program->is_cut;
       i++) {
    status = count_step(program, &block->items[i]);
    if (tile_status_is_ok(&status))
      status = perform_op(program, &block->items[i]);
  }
  return status;
}

//===-- Results -----------------------------------------------------------===//

static TileStatus fill_tensor(const HostProgram *program,
                              const HostResult *result, TileHostValue *out) {
  const HostRun *run = program->run;
  out->value.dtype = result->dtype;
  out->value.rank = result->rank;
  TileStatus status = tile_host_run_check_defined(run, result->value,
                                                  "the address of a result");
  for (int d = 0; d < result->rank && tile_status_is_ok(&status); d++) {
    status =
        tile_host_run_integer(run, result->shape[d], "an extent of a result", 0,
                              INT64_MAX, &out->value.shape[d]);
    if (tile_status_is_ok(&status))
      status =
          tile_host_run_integer(run, result->strides[d], "a stride of a result",
                                0, INT64_MAX, &out->value.strides[d]);
  }
  out->value.address = run->results[result->value].bits;
  return status;
}

static TileStatus fill_result(const HostProgram *program,
                              const HostResult *result, TileHostValue *out) {
  const HostRun *run = program->run;
  *out = (TileHostValue){.value.is_scalar = result->is_scalar};
  if (!result->is_scalar)
    return fill_tensor(program, result, out);
  TileStatus status =
      tile_host_run_check_defined(run, result->value, "a result");
  out->value.scalar = tile_value_result_number(
      &run->function->values[result->value], &run->results[result->value]);
  out->value.scalar.dtype = result->dtype;
  return status;
}

/// The first result in a workspace owns it.
static void give(const HostProgram *program, TileHostValue *result) {
  const Workspace *workspace =
      tile_workspaces_find(program->memory, result->value.address);
  if (!workspace || !workspace->is_own || workspace->is_pooled)
    return;
  result->memory = workspace->memory;
  result->memory_bytes =
      workspace->address - workspace->memory + workspace->size_bytes;
  tile_workspaces_give(program->memory, workspace->address);
}

static TileStatus return_results(const HostProgram *program) {
  const HostRun *run = program->run;
  int count = run->function->num_results;
  TileHostValue *results = run->options->results;
  TileStatus status = tile_status_ok();
  for (int i = 0; i < count && results && tile_status_is_ok(&status); i++)
    status = fill_result(program, &run->function->results[i], &results[i]);
  for (int i = 0;
       i < count && results && tile_status_is_ok(&status) && !program->is_plan;
       i++)
    if (!results[i].value.is_scalar)
      give(program, &results[i]);
  return status;
}

//===-- Programs
//-------------------------------------------------------------===//

/// Without a body the launches are all there is.
static TileStatus perform_launches(HostProgram *program) {
  int count = program->run->function->num_launches;
  for (int i = 0; i < count; i++)
    TRY(run_launch(program->run, i, program->is_plan));
  return tile_status_ok();
}

static TileStatus run_once(HostProgram *program) {
  HostRun *run = program->run;
  program->num_steps = 0;
  program->has_written = false;
  tile_host_values_evaluate(&run->inputs, run->results);
  TileStatus status = run->function->has_body
                          ? perform(program, &run->function->body)
                          : perform_launches(program);
  return tile_status_is_ok(&status) && !program->is_cut
             ? return_results(program)
             : status;
}

/// Once without effect, to see that all can be done and how much memory it
/// needs, then on the device. What follows a number that the device computes is
/// not foreseen: then each workspace is memory of its own.
static TileStatus run_program(HostRun *run) {
  Workspaces memory = {.device = run->device, .stream = run->options->stream};
  HostProgram program = {.run = run, .memory = &memory, .is_plan = true};
  size_t num_carriers = (size_t)run->function->carriers.count;
  program.kept = calloc(num_carriers + 1, sizeof *program.kept);
  if (!program.kept)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  TileStatus status = tile_workspaces_begin(&memory, true);
  if (tile_status_is_ok(&status))
    status = run_once(&program);
  memory.is_open = program.is_cut;
  if (tile_status_is_ok(&status))
    status = tile_workspaces_begin(&memory, false);
  program.is_plan = program.is_cut = false;
  if (tile_status_is_ok(&status))
    status = run_once(&program);
  tile_workspaces_end(&memory);
  free(program.kept);
  return status;
}

//===-- Entry -------------------------------------------------------------===//

static TileStatus load(HostRun *run) {
  const TileHostFunction *function = run->function;
  run->module = run->options->module;
  if (!run->module && (function->num_launches > 0 || function->num_globals > 0))
    TRY(tile_device_load_module(run->device, function->ptx_path, &run->module));
  if (function->num_globals == 0)
    return tile_status_ok();
  return tile_host_globals_load(function, run->device, run->module,
                                &run->inputs.globals);
}

static TileStatus perform_all(HostRun *run) {
  const TileHostFunction *function = run->function;
  tile_host_values_evaluate(&run->inputs, run->results);
  for (int i = 0; i < function->requirements.count; i++)
    TRY(run_require(run, &function->requirements.items[i]));
  TRY(load(run));
  if (function->has_body || function->num_results > 0)
    return run_program(run);
  if (function->num_globals > 0)
    tile_host_values_evaluate(&run->inputs, run->results);
  for (int i = 0; i < function->num_launches; i++)
    TRY(run_launch(run, i, false));
  return tile_status_ok();
}

TileStatus tile_host_function_run(const TileHostFunction *function,
                                  TileDevice *device, const TileArg *args,
                                  size_t num_args,
                                  const TileRunOptions *options) {
  static const TileRunOptions quiet = {.module = NULL};
  TRY(tile_host_function_check_args(function, args, num_args));
  TileArg *coded = malloc((num_args + 1) * sizeof *coded);
  if (!coded)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  if (num_args > 0)
    memcpy(coded, args, num_args * sizeof *coded);
  tile_host_function_code_args(function, coded);
  HostRun run = {.function = function,
                 .device = device,
                 .args = coded,
                 .inputs = {.function = function,
                            .args = coded,
                            .num_sms = tile_device_num_sms(device)},
                 .options = options ? options : &quiet};
  run.results = calloc((size_t)function->num_values + 1, sizeof *run.results);
  run.has_remarked =
      calloc((size_t)function->num_launches + 1, sizeof *run.has_remarked);
  TileStatus status =
      run.results && run.has_remarked
          ? perform_all(&run)
          : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  free(run.results);
  free(run.has_remarked);
  free(coded);
  return status;
}

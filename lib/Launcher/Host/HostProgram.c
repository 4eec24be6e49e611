//===- HostProgram.c - Runs the program of a host function ----------------===//
//
// Consumes: the body of a host function, with arguments that were checked.
// Produces: its effects on the device, in order, on one stream.
// Fails:    before the first effect, with the place in the source: conditions
//           that do not hold, extents and loops that cannot be, memory that is
//           no part of an argument, a global or a workspace.
//
//===----------------------------------------------------------------------===//

#include "Launcher/Host/HostProgram.h"

#include <stdlib.h>
#include <string.h>

/// Ops of one run, so that a loop that does not end does.
#define MAX_STEPS UINT64_C(100000000)

static TileStatus perform(HostProgram *program, const HostBlock *block);

//===-- Values ------------------------------------------------------------===//

/// Sets variables, all at once: sources may be among them.
static TileStatus set_all(const HostProgram *program,
                          const ValueList *variables,
                          const ValueList *sources) {
  ValueResult *results = program->run->results;
  size_t count = (size_t)variables->count;
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
    status = perform(program, &op->body);
    if (tile_status_is_ok(&status))
      status = set_all(program, &op->carried, &op->next);
    if (!tile_status_is_ok(&status))
      break;
    sweep(program, op);
    index += range.step;
    tile_host_program_set(program, op->index, index);
    tile_host_program_update(program, op);
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
  if (!tile_status_is_ok(&status) || op->results.count == 0)
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
    return tile_host_run_launch(program->run, op->launch, program->is_plan);
  case HOST_REQUIRE:
    return tile_host_run_require(program->run, &op->requirement);
  case HOST_FOR:
    return perform_for(program, op);
  case HOST_IF:
    return perform_if(program, op);
  default:
    return tile_host_program_move(program, op);
  }
}

static TileStatus perform(HostProgram *program, const HostBlock *block) {
  TileStatus status = tile_status_ok();
  for (int i = 0; i < block->count && tile_status_is_ok(&status); i++) {
    if (++program->num_steps > MAX_STEPS)
      return tile_host_op_fail(
          program->run, &block->items[i],
          "expected at most %llu ops of host code in a call",
          (unsigned long long)MAX_STEPS);
    status = perform_op(program, &block->items[i]);
  }
  // An iteration without ops is a step too.
  program->num_steps++;
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
  if (!workspace || !workspace->is_own)
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
  TileStatus status = tile_status_ok();
  int count = program->run->function->num_launches;
  for (int i = 0; i < count && tile_status_is_ok(&status); i++)
    status = tile_host_run_launch(program->run, i, program->is_plan);
  return status;
}

static TileStatus run_once(HostProgram *program) {
  HostRun *run = program->run;
  program->num_steps = 0;
  tile_host_values_evaluate(&run->inputs, run->results);
  TileStatus status = run->function->has_body
                          ? perform(program, &run->function->body)
                          : perform_launches(program);
  return tile_status_is_ok(&status) ? return_results(program) : status;
}

/// Once without effect, to see that all can be done and how much memory it
/// needs, then on the device.
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
  if (tile_status_is_ok(&status))
    status = tile_workspaces_begin(&memory, false);
  program.is_plan = false;
  if (tile_status_is_ok(&status))
    status = run_once(&program);
  tile_workspaces_end(&memory);
  free(program.kept);
  return status;
}

//===-- Entry -------------------------------------------------------------===//

static TileStatus load(HostRun *run) {
  const TileHostFunction *function = run->function;
  TileStatus status = tile_status_ok();
  run->module = run->options->module;
  if (!run->module && (function->num_launches > 0 || function->num_globals > 0))
    status =
        tile_device_load_module(run->device, function->ptx_path, &run->module);
  if (tile_status_is_ok(&status) && function->num_globals > 0)
    status = tile_host_globals_load(function, run->device, run->module,
                                    &run->inputs.globals);
  return status;
}

static TileStatus perform_all(HostRun *run) {
  const TileHostFunction *function = run->function;
  TileStatus status = tile_status_ok();
  tile_host_values_evaluate(&run->inputs, run->results);
  for (int i = 0;
       i < function->requirements.count && tile_status_is_ok(&status); i++)
    status = tile_host_run_require(run, &function->requirements.items[i]);
  if (tile_status_is_ok(&status))
    status = load(run);
  if (!tile_status_is_ok(&status))
    return status;
  if (function->has_body || function->num_results > 0)
    return run_program(run);
  if (function->num_globals > 0)
    tile_host_values_evaluate(&run->inputs, run->results);
  for (int i = 0; i < function->num_launches && tile_status_is_ok(&status); i++)
    status = tile_host_run_launch(run, i, false);
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
  HostRun run = {.function = function,
                 .device = device,
                 .args = args,
                 .inputs = {.function = function,
                            .args = args,
                            .num_sms = tile_device_num_sms(device)},
                 .options = options ? options : &quiet};
  run.results = calloc((size_t)function->num_values + 1, sizeof *run.results);
  run.has_remarked =
      calloc((size_t)function->num_launches + 1, sizeof *run.has_remarked);
  status = run.results && run.has_remarked
               ? perform_all(&run)
               : tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  free(run.results);
  free(run.has_remarked);
  return status;
}

//===- HostProgramMemory.c - Memory that a host function uses -------------===//
//
// Consumes: the ops of a program that take, free, copy, fill and read memory.
// Produces: their effects; in a plan only addresses.
// Fails:    extents that cannot be; memory that is no part of an argument, a
//           global or a workspace in use.
//
//===----------------------------------------------------------------------===//

#include "Launcher/DeviceCopy.h"
#include "Launcher/Host/HostProgram.h"

#include <string.h>

//===-- Memrefs -----------------------------------------------------------===//

static TileStatus get(const HostProgram *program, const HostOp *op, int value,
                      const char *what, int64_t min, int64_t max,
                      int64_t *out_number) {
  char text[320];
  snprintf(text, sizeof text, "%s%s%.200s", what, *op->where ? " at " : "",
           op->where);
  return tile_host_run_integer(program->run, value, text, min, max, out_number);
}

typedef struct {
  int64_t shape[TILE_LAUNCH_MAX_RANK], strides[TILE_LAUNCH_MAX_RANK];
  uint64_t address;
  uint64_t size_bytes; // from the first to after the last element
} Memref;

/// Extents and strides; the size in bytes.
static TileStatus get_layout(const HostProgram *program, const HostOp *op,
                             const int *strides, Memref *out) {
  static const int64_t max_elems = INT64_C(1) << 46;
  int64_t last = 0;
  bool is_empty = false;
  TileStatus status = tile_status_ok();
  for (int d = 0; d < op->rank && tile_status_is_ok(&status); d++) {
    char what[32];
    snprintf(what, sizeof what, "extent %d", d);
    status = get(program, op, op->shape[d], what, 0, TILE_LAUNCH_MAX_EXTENT,
                 &out->shape[d]);
    snprintf(what, sizeof what, "stride %d", d);
    if (tile_status_is_ok(&status))
      status =
          get(program, op, strides[d], what, 0, max_elems, &out->strides[d]);
    is_empty |= out->shape[d] == 0;
  }
  for (int d = 0; d < op->rank && tile_status_is_ok(&status) && !is_empty;
       d++) {
    int64_t span = 0;
    bool is_huge =
        __builtin_mul_overflow(out->shape[d] - 1, out->strides[d], &span) ||
        __builtin_add_overflow(last, span, &last);
    if (is_huge || last >= max_elems)
      return tile_host_op_fail(program->run, op,
                               "a tensor is larger than any memory");
  }
  out->size_bytes =
      is_empty ? 0 : (uint64_t)(last + 1) * tile_dtype_size_bytes(op->dtype);
  return status;
}

static TileStatus perform_alloc(const HostProgram *program, const HostOp *op) {
  Memref memref;
  int64_t offset = 0;
  char name[320];
  TileStatus status = get_layout(program, op, op->to_strides, &memref);
  if (tile_status_is_ok(&status))
    status = get(program, op, op->offset, "offset", 0, INT32_MAX, &offset);
  if (!tile_status_is_ok(&status))
    return status;
  snprintf(name, sizeof name, "workspace %d%s%.200s", op->alloc,
           *op->where ? " of " : "", op->where);
  WorkspaceRequest request = {
      .alloc = op->alloc,
      .size_bytes = memref.size_bytes +
                    (uint64_t)offset * tile_dtype_size_bytes(op->dtype),
      .align_bytes = (uint64_t)op->align_bytes,
      .is_returned = op->is_returned,
      .name = name};
  uint64_t address = 0;
  status = tile_workspaces_take(program->memory, &request, &address);
  if (!tile_status_is_ok(&status))
    return tile_host_op_fail(program->run, op, "%.600s", status.message);
  tile_host_program_set(program, op->address, address);
  tile_host_program_update(program, op);
  return status;
}

static TileStatus perform_free(const HostProgram *program, const HostOp *op) {
  TileStatus status = tile_host_run_check_defined(program->run, op->address,
                                                  "the address to be freed");
  if (!tile_status_is_ok(&status) ||
      tile_workspaces_free(program->memory,
                           program->run->results[op->address].bits))
    return status;
  return tile_host_op_fail(
      program->run, op, "frees memory that is no workspace, or has been freed");
}

/// Whether bytes lie in an argument, a global or a workspace.
static bool is_known(const HostProgram *program, uint64_t address,
                     uint64_t size_bytes) {
  const HostRun *run = program->run;
  const Workspace *workspace = tile_workspaces_find(program->memory, address);
  if (workspace &&
      size_bytes <= workspace->size_bytes - (address - workspace->address))
    return true;
  for (int i = 0; i < run->function->num_params; i++) {
    const TileArg *arg = &run->args[i];
    uint64_t bytes = arg->is_scalar ? 0 : tile_launch_arg_size_bytes(arg);
    if (address >= arg->address && address - arg->address <= bytes &&
        size_bytes <= bytes - (address - arg->address))
      return true;
  }
  for (int i = 0; i < run->function->num_globals; i++) {
    const HostGlobal *global = &run->function->globals[i];
    uint64_t start = run->inputs.globals[i];
    uint64_t bytes = global->num_elems * tile_dtype_size_bytes(global->dtype);
    if (address >= start && address - start <= bytes &&
        size_bytes <= bytes - (address - start))
      return true;
  }
  return false;
}

static TileStatus get_memref(const HostProgram *program, const HostOp *op,
                             int address, const int *strides, const char *verb,
                             Memref *out) {
  TileStatus status = tile_host_run_check_defined(program->run, address,
                                                  "the address of a tensor");
  if (tile_status_is_ok(&status))
    status = get_layout(program, op, strides, out);
  if (!tile_status_is_ok(&status))
    return status;
  out->address = program->run->results[address].bits;
  if (out->size_bytes == 0 || is_known(program, out->address, out->size_bytes))
    return status;
  return tile_host_op_fail(
      program->run, op,
      "%s %llu bytes that lie in no argument, global or workspace in "
      "use",
      verb, (unsigned long long)out->size_bytes);
}

static TileStatus perform_copy(const HostProgram *program, const HostOp *op) {
  Memref from, to;
  TileStatus status =
      get_memref(program, op, op->from, op->from_strides, "reads", &from);
  if (tile_status_is_ok(&status))
    status = get_memref(program, op, op->to, op->to_strides, "writes", &to);
  if (!tile_status_is_ok(&status) || program->is_plan)
    return status;
  DeviceCopy copy = {.to = to.address,
                     .from = from.address,
                     .elem_bytes = tile_dtype_size_bytes(op->dtype),
                     .rank = op->rank,
                     .stream = program->run->options->stream};
  for (int d = 0; d < op->rank; d++) {
    copy.shape[d] = to.shape[d];
    copy.to_strides[d] = to.strides[d];
    copy.from_strides[d] = from.strides[d];
  }
  status = tile_device_copy(program->run->device, &copy);
  return tile_status_is_ok(&status)
             ? status
             : tile_host_op_fail(program->run, op, "%.600s", status.message);
}

static TileStatus perform_fill(const HostProgram *program, const HostOp *op) {
  Memref to;
  TileStatus status =
      get_memref(program, op, op->to, op->to_strides, "writes", &to);
  if (tile_status_is_ok(&status))
    status = tile_host_run_check_defined(program->run, op->value,
                                         "the number to be written");
  if (!tile_status_is_ok(&status) || program->is_plan)
    return status;
  DeviceFill fill = {.to = to.address,
                     .elem_bytes = tile_dtype_size_bytes(op->dtype),
                     .rank = op->rank,
                     .stream = program->run->options->stream};
  const Value *value = &program->run->function->values[op->value];
  const ValueResult *result = &program->run->results[op->value];
  tile_dtype_store(op->dtype, tile_value_result_number(value, result),
                   fill.pattern);
  for (int d = 0; d < op->rank; d++) {
    fill.shape[d] = to.shape[d];
    fill.strides[d] = to.strides[d];
  }
  status = tile_device_fill(program->run->device, &fill);
  return tile_status_is_ok(&status)
             ? status
             : tile_host_op_fail(program->run, op, "%.600s", status.message);
}

//===-- Loads -------------------------------------------------------------===//

/// Whether a plan finds at `address` what the second run will: nothing has been
/// written yet, or nothing writes there ever.
static bool stays(const HostProgram *program, uint64_t address) {
  const HostRun *run = program->run;
  const Workspace *workspace = tile_workspaces_find(program->memory, address);
  if (workspace && address < workspace->address + workspace->size_bytes)
    return false;
  if (!program->has_written)
    return true;
  for (int i = 0; i < run->function->num_params; i++) {
    const TileArg *arg = &run->args[i];
    if (!arg->is_scalar && !run->function->params[i].is_mutable &&
        address >= arg->address &&
        address - arg->address < tile_launch_arg_size_bytes(arg))
      return !run->function->may_alias;
  }
  return false;
}

static ValueResult result_of(const Value *value, TileNumber number) {
  ValueResult result = {.real = number.real, .failed_at = -1};
  if (!value->type.is_float)
    result.bits =
        (uint64_t)number.integer & UINT64_MAX >> (64 - value->type.num_bits);
  return result;
}

/// Waits for what is queued. What the plan cannot know ends it.
static TileStatus perform_load(HostProgram *program, const HostOp *op) {
  HostRun *run = program->run;
  unsigned char memory[16] = {0};
  size_t bytes = tile_dtype_size_bytes(op->dtype);
  TileStatus status =
      tile_host_run_check_defined(run, op->address, "the address of a number");
  if (!tile_status_is_ok(&status))
    return status;
  uint64_t address = run->results[op->address].bits;
  if (!is_known(program, address, bytes))
    return tile_host_op_fail(
        run, op,
        "reads a number that lies in no argument, global or workspace in use");
  if (program->is_plan && !stays(program, address)) {
    program->is_cut = true;
    return status;
  }
  status = tile_device_synchronize(run->device, run->options->stream);
  if (tile_status_is_ok(&status))
    status = tile_device_download(run->device, address, memory, bytes);
  if (!tile_status_is_ok(&status))
    return tile_host_op_fail(run, op, "%.600s", status.message);
  run->results[op->result] = result_of(&run->function->values[op->result],
                                       tile_dtype_load(op->dtype, memory));
  tile_host_program_update(program, op);
  return status;
}

//===-- Entry -------------------------------------------------------------===//

TileStatus tile_host_program_move(HostProgram *program, const HostOp *op) {
  switch (op->kind) {
  case HOST_ALLOC:
    return perform_alloc(program, op);
  case HOST_FREE:
    return perform_free(program, op);
  case HOST_RELEASE:
    tile_workspaces_sweep(program->memory, op->alloc, op->alloc + 1, NULL, 0);
    return tile_status_ok();
  case HOST_COPY:
    program->has_written = true;
    return perform_copy(program, op);
  case HOST_LOAD:
    return perform_load(program, op);
  default:
    program->has_written = true;
    return perform_fill(program, op);
  }
}

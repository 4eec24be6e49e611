//===- HostProgram.h - A host function while it runs ----------------------===//
#ifndef TILE_LIB_LAUNCHER_HOST_PROGRAM_H
#define TILE_LIB_LAUNCHER_HOST_PROGRAM_H

#include "Launcher/Host/HostFunction.h"
#include "Launcher/Host/Workspaces.h"

/// One of the two runs of a program.
typedef struct {
  HostRun *run;
  Workspaces *memory;
  uint64_t *kept;   // room for the values of all carriers
  bool is_plan;     // nothing is launched, copied or filled
  bool is_cut;      // the plan ends at a number that the second run computes
  bool has_written; // something was launched, copied or filled
  uint64_t num_steps;
} HostProgram;

/// Sets a variable of integer type.
static inline void tile_host_program_set(const HostProgram *program,
                                         int variable, uint64_t bits) {
  int num_bits = program->run->function->values[variable].type.num_bits;
  program->run->results[variable] = (ValueResult){
      .bits = bits & UINT64_MAX >> (64 - num_bits), .failed_at = -1};
}

/// Computes what depends on the variables that an op has set.
static inline void tile_host_program_update(const HostProgram *program,
                                            const HostOp *op) {
  tile_host_values_update(&program->run->inputs, op->dependents.items,
                          op->dependents.count, program->run->results);
}

/// Performs an alloc, free, copy, fill or load: HostProgramMemory.c.
TileStatus tile_host_program_move(HostProgram *program, const HostOp *op);

#endif // TILE_LIB_LAUNCHER_HOST_PROGRAM_H

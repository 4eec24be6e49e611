//===- DeviceFunction.h - Functions that kernels call ---------------------===//
//
// A kernel has its own copy of every function it calls: the text of the
// function is read again, as more code of the same kernel. So all registers of
// a warp are in one register file, and a call only moves arguments and jumps.
//
// The registers and local variables of a function exist once a lane. A
// function that can call itself saves them when it is called again: registers
// go to a stack beside the emulated memory, variables get new places in local
// memory, so that addresses of variables stay valid.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_DEVICE_FUNCTION_H
#define TILE_EMULATOR_DEVICE_FUNCTION_H

#include "Decode.h"
#include "Emulator/Machine.h"

#define TILE_NO_FUNCTION UINT32_MAX

enum {
  TILE_STACK_BYTES = 16 << 10, // of a lane, for local variables
  TILE_MAX_CALL_DEPTH = 512,
  TILE_MAX_VALUE_BYTES = 4096 // of all arguments of a function
};

/// A function as it is found in the text.
typedef struct TileFunctionText {
  TileText name;
  const char *start; // after `.func`
  uint32_t line;
} TileFunctionText;

/// Where an argument or a result is.
typedef struct {
  bool is_memory;    // `slot` has the address
  bool is_predicate; // of a register
  uint32_t slot;
  uint32_t size_bytes; // 0: a constant, of any size
} TileCallValue;

typedef struct {
  TileCallValue *values;
  uint32_t count;
} TileCallValues;

typedef struct TileCallSite {
  uint32_t callee; // of the kernel; TILE_NO_FUNCTION: its address is in `slot`
  uint32_t slot;
  TileCallValues arguments, results;
} TileCallSite;

typedef struct {
  uint32_t first_slot, count, stride_bytes;
  bool is_predicate;
} TileRegisterRange;

/// A constant that is the address of a variable of the function.
typedef struct {
  uint32_t slot, offset; // in local memory
} TileLocalSlot;

typedef struct TileFunction {
  const char *name;
  uint32_t number; // in the module
  uint32_t entry;  // index of the first instruction
  bool is_noreturn, is_recursive;
  TileCallValues parameters, results;
  // What a function that calls itself has to save.
  TileRegisterRange *ranges;
  uint32_t num_ranges, saved_bytes;
  uint32_t first_local, end_local; // its part of local memory
  TileLocalSlot *local_slots;
  uint32_t num_local_slots;
  // The call graph.
  uint32_t *callees; // of the kernel
  uint32_t num_callees;
  bool calls_indirectly;
} TileFunction;

//===-- PtxSymbols.c ------------------------------------------------------===//

/// Number in the module, or TILE_NO_FUNCTION.
uint32_t tile_emu_function_find(const TileParser *parser, TileText name);
/// What a kernel sees as its address; 0 for TILE_NO_FUNCTION.
uint64_t tile_emu_function_address(uint32_t number);

/// A constant fits everywhere, other values must have the wanted sizes.
static inline bool tile_call_values_match(const TileCallValues *given,
                                          const TileCallValues *wanted) {
  bool matches = given->count == wanted->count;
  for (uint32_t i = 0; matches && i < given->count; i++) {
    uint32_t size_bytes = given->values[i].size_bytes;
    matches = size_bytes == 0 || size_bytes == wanted->values[i].size_bytes;
  }
  return matches;
}

//===-- Calls.c -----------------------------------------------------------===//

/// Decodes ret in a function.
void tile_emu_decode_function_return(TileDecoder *decoder);

/// The calls that a lane has not returned from.
typedef struct TileCallStack TileCallStack;
TileCallStack *tile_emu_call_stacks_create(const TileKernel *kernel);
void tile_emu_call_stacks_reset(TileCallStack *stacks);
void tile_emu_call_stacks_destroy(TileCallStack *stacks);
/// The lanes among `lanes` that are deepest in calls.
TileLanes tile_emu_call_stacks_deepest(const TileCallStack *stacks,
                                       TileLanes lanes);

#endif // TILE_EMULATOR_DEVICE_FUNCTION_H

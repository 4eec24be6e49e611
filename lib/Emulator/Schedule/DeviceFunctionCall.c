//===- DeviceFunctionCall.c - call and ret --------------------------------===//
//
// PTX ISA, "call", "ret". Every lane has its own stack, so calls may diverge
// and lanes may call different functions through an address.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Ptx/DeviceFunction.h"

#include <stdlib.h>

enum { POISON = 0xff };

typedef struct {
  const TileInsn *call;
  uint32_t return_pc, function;
  uint32_t stack_before; // used bytes of local memory
} Frame;

struct TileCallStack {
  Frame *frames;
  uint32_t depth, capacity;
  uint8_t *saved; // registers of recursive functions
  size_t saved_bytes, saved_capacity;
  uint32_t stack_bytes; // of local memory, in use
};

//===-- Stacks of a warp --------------------------------------------------===//

TileCallStack *tile_emu_call_stacks_create(const TileKernel *kernel) {
  return kernel->num_functions || kernel->has_stack
             ? tile_emu_calloc(TILE_WARP_SIZE, sizeof(TileCallStack))
             : NULL;
}

void tile_emu_call_stacks_reset(TileCallStack *stacks) {
  for (uint32_t l = 0; stacks && l < TILE_WARP_SIZE; l++) {
    stacks[l].depth = stacks[l].stack_bytes = 0;
    stacks[l].saved_bytes = 0;
  }
}

void tile_emu_call_stacks_destroy(TileCallStack *stacks) {
  for (uint32_t l = 0; stacks && l < TILE_WARP_SIZE; l++) {
    free(stacks[l].frames);
    free(stacks[l].saved);
  }
  free(stacks);
}

uint32_t *tile_emu_stack_bytes(TileCallStack *stacks, uint32_t lane) {
  return &stacks[lane].stack_bytes;
}

TileLanes tile_emu_call_stacks_deepest(const TileCallStack *stacks,
                                       TileLanes lanes) {
  uint32_t depth = 0;
  TileLanes result = 0;
  TILE_FOR_LANES (l, lanes) {
    if (stacks[l].depth > depth) {
      depth = stacks[l].depth;
      result = 0;
    }
    if (stacks[l].depth == depth)
      result |= tile_lane_bit(l);
  }
  return result;
}

//===-- Arguments and results ---------------------------------------------===//

static uint8_t *value_bytes(TileWarp *warp, const TileCallValue *value,
                            uint32_t size_bytes, uint32_t l) {
  if (value->is_memory)
    return (uint8_t *)(uintptr_t)tile_u64(warp, value->slot)[l];
  uint32_t lane_bytes = !value->size_bytes ? 8
                        : size_bytes < 4   ? 4
                                           : size_bytes;
  return warp->regs + value->slot + l * lane_bytes;
}

/// Between the lane's values and `buffer`. `sizes` are those of the function.
static void values_move(TileWarp *warp, const TileCallValues *values,
                        const TileCallValues *sizes, uint32_t l,
                        uint8_t *buffer, bool is_read) {
  for (uint32_t i = 0; i < values->count; i++) {
    const TileCallValue *value = &values->values[i];
    uint32_t size_bytes = sizes->values[i].size_bytes;
    if (value->is_predicate) {
      TileLanes *pred = tile_pred(warp, value->slot);
      if (is_read)
        *buffer = tile_lane_in(*pred, l);
      else
        tile_pred_write(warp, value->slot, tile_lane_bit(l),
                        *buffer ? TILE_ALL_LANES : 0);
    } else {
      uint8_t *bytes = value_bytes(warp, value, size_bytes, l);
      if (is_read)
        memcpy(buffer, bytes, size_bytes);
      else
        memcpy(bytes, buffer, size_bytes);
    }
    buffer += size_bytes;
  }
}

//===-- Registers of recursive functions ----------------------------------===//

/// Between the registers of the function and `buffer`.
static void registers_move(TileWarp *warp, const TileFunction *function,
                           uint32_t l, uint8_t *buffer, bool is_read) {
  for (uint32_t i = 0; i < function->num_ranges; i++) {
    const TileRegisterRange *range = &function->ranges[i];
    uint32_t lane_bytes = range->stride_bytes / TILE_WARP_SIZE;
    for (uint32_t k = 0; k < range->count; k++) {
      uint32_t slot = range->first_slot + k * range->stride_bytes;
      if (range->is_predicate) {
        if (is_read)
          *buffer = tile_lane_in(*tile_pred(warp, slot), l);
        else
          tile_pred_write(warp, slot, tile_lane_bit(l),
                          *buffer ? TILE_ALL_LANES : 0);
        buffer++;
        continue;
      }
      uint8_t *bytes = warp->regs + slot + l * lane_bytes;
      if (is_read)
        memcpy(buffer, bytes, lane_bytes);
      else
        memcpy(bytes, buffer, lane_bytes);
      buffer += lane_bytes;
    }
  }
  for (uint32_t i = 0; i < function->num_local_slots; i++) {
    uint64_t *address = &tile_u64(warp, function->local_slots[i].slot)[l];
    if (is_read)
      memcpy(buffer, address, sizeof *address);
    else
      memcpy(address, buffer, sizeof *address);
    buffer += sizeof *address;
  }
}

/// Variables keep their places relative to a multiple of 64, so that their
/// alignment stays.
static uint32_t frame_first(const TileFunction *function) {
  return function->first_local & ~63u;
}

static uint32_t frame_bytes(const TileFunction *function) {
  return (function->end_local - frame_first(function) + 63) & ~63u;
}

/// Saves what the calls before this one keep in the function, and gives the
/// new call variables of its own.
static void enter_recursive(TileWarp *warp, const TileFunction *function,
                            uint32_t l) {
  const TileKernel *kernel = warp->kernel;
  TileCallStack *stack = &warp->calls[l];
  size_t needed = stack->saved_bytes + function->saved_bytes;
  if (needed > stack->saved_capacity) {
    stack->saved_capacity = 2 * needed;
    stack->saved = tile_emu_realloc(stack->saved, stack->saved_capacity);
  }
  registers_move(warp, function, l, stack->saved + stack->saved_bytes, true);
  stack->saved_bytes = needed;
  uint8_t *frame = warp->local + (size_t)l * kernel->local_stride_bytes +
                   kernel->stack_first + stack->stack_bytes;
  memset(frame, POISON, frame_bytes(function));
  stack->stack_bytes += frame_bytes(function);
  for (uint32_t i = 0; i < function->num_local_slots; i++) {
    const TileLocalSlot *local = &function->local_slots[i];
    tile_u64(warp, local->slot)[l] =
        (uintptr_t)frame + local->offset - frame_first(function);
  }
}

static void leave_recursive(TileWarp *warp, const TileFunction *function,
                            uint32_t l) {
  TileCallStack *stack = &warp->calls[l];
  stack->saved_bytes -= function->saved_bytes;
  registers_move(warp, function, l, stack->saved + stack->saved_bytes, false);
}

//===-- call --------------------------------------------------------------===//

/// The function that lane `l` calls, or TILE_NO_FUNCTION after a report.
static uint32_t call_target(TileWarp *warp, const TileInsn *insn, uint32_t l) {
  const TileCallSite *site = insn->as.call;
  const TileKernel *kernel = warp->kernel;
  if (site->callee != TILE_NO_FUNCTION)
    return site->callee;
  uint64_t address = tile_u64(warp, site->slot)[l];
  for (uint32_t i = 0; i < kernel->num_functions; i++) {
    const TileFunction *function = kernel->functions[i];
    if (tile_emu_function_address(function->number) != address)
      continue;
    if (tile_call_values_match(&site->arguments, &function->parameters) &&
        tile_call_values_match(&site->results, &function->results))
      return i;
    tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_CALL,
                  "call of %s with other parameters or results than it has",
                  function->name);
    return TILE_NO_FUNCTION;
  }
  tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_CALL,
                "call of 0x%llx, which is not the address of a function",
                (unsigned long long)address);
  return TILE_NO_FUNCTION;
}

static bool has_room(TileWarp *warp, const TileInsn *insn,
                     const TileFunction *function, uint32_t l) {
  const TileCallStack *stack = &warp->calls[l];
  uint32_t stack_bytes =
      stack->stack_bytes + (function->is_recursive ? frame_bytes(function) : 0);
  if (stack->depth < TILE_MAX_CALL_DEPTH && stack_bytes <= TILE_STACK_BYTES)
    return true;
  tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_STACK,
                "call of %s: %u calls deep, with %u bytes of local variables; "
                "the emulator allows %d and %d",
                function->name, stack->depth + 1, stack_bytes,
                TILE_MAX_CALL_DEPTH, TILE_STACK_BYTES);
  return false;
}

static void frame_push(TileCallStack *stack, const Frame *frame) {
  if (stack->depth == stack->capacity) {
    stack->capacity = stack->capacity ? 2 * stack->capacity : 8;
    stack->frames = tile_emu_realloc(stack->frames,
                                     stack->capacity * sizeof *stack->frames);
  }
  stack->frames[stack->depth++] = *frame;
}

/// False when the call is not possible.
static bool call_lane(TileWarp *warp, const TileInsn *insn, uint32_t l) {
  const TileKernel *kernel = warp->kernel;
  uint32_t target = call_target(warp, insn, l);
  if (target == TILE_NO_FUNCTION ||
      !has_room(warp, insn, kernel->functions[target], l))
    return false;
  const TileFunction *function = kernel->functions[target];
  uint8_t buffer[TILE_MAX_VALUE_BYTES];
  values_move(warp, &insn->as.call->arguments, &function->parameters, l, buffer,
              true);
  TileCallStack *stack = &warp->calls[l];
  uint32_t next = (uint32_t)(insn - kernel->code) + 1;
  Frame frame = {insn, next, target, stack->stack_bytes};
  if (function->is_recursive)
    enter_recursive(warp, function, l);
  values_move(warp, &function->parameters, &function->parameters, l, buffer,
              false);
  frame_push(stack, &frame);
  warp->pc[l] = function->entry;
  return true;
}

static TileLanes call(TileWarp *warp, const TileInsn *insn, TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    if (call_lane(warp, insn, l))
      continue;
    warp->pc[l] = (uint32_t)(insn - warp->kernel->code) + 1;
    warp->cluster->is_stopped = true;
  }
  return 0;
}

//===-- ret ---------------------------------------------------------------===//

static void return_lane(TileWarp *warp, const TileInsn *insn, uint32_t l) {
  const TileKernel *kernel = warp->kernel;
  TileCallStack *stack = &warp->calls[l];
  Frame frame = stack->frames[--stack->depth];
  const TileFunction *function = kernel->functions[frame.function];
  if (function->is_noreturn)
    tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_CALL,
                  "%s returns, but was declared .noreturn", function->name);
  uint8_t buffer[TILE_MAX_VALUE_BYTES];
  values_move(warp, &function->results, &function->results, l, buffer, true);
  if (function->is_recursive)
    leave_recursive(warp, function, l);
  stack->stack_bytes = frame.stack_before;
  values_move(warp, &frame.call->as.call->results, &function->results, l,
              buffer, false);
  warp->pc[l] = frame.return_pc;
}

static TileLanes function_return(TileWarp *warp, const TileInsn *insn,
                                 TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    return_lane(warp, insn, l);
  }
  return 0;
}

void tile_emu_decode_function_return(TileDecoder *decoder) {
  decoder->insn->flags |= TILE_INSN_JUMP;
  decoder->insn->exec = function_return;
}

//===-- Decode ------------------------------------------------------------===//

static TileCallValue decode_value(TileDecoder *decoder,
                                  const TileOperand *operand, bool is_result) {
  TileParser *parser = decoder->parser;
  if (operand->kind == TILE_OPERAND_VARIABLE) {
    uint64_t place = tile_emu_variable_place(parser, operand->symbol);
    return (TileCallValue){
        .is_memory = true,
        .slot = tile_emu_constant_slot(parser, TILE_CONSTANT_LOCAL, 8, place),
        .size_bytes =
            (uint32_t)parser->module->symbols[operand->symbol].size_bytes};
  }
  if (operand->kind == TILE_OPERAND_PREDICATE && !operand->negated)
    return (TileCallValue){
        .is_predicate = true, .slot = operand->slot, .size_bytes = 1};
  bool is_register = operand->kind == TILE_OPERAND_REGISTER;
  TilePtxType type = is_register ? operand->type : TILE_PTX_B64;
  return (TileCallValue){
      .slot = is_result ? tile_decode_dst_of(decoder, operand, type)
                        : tile_decode_src_of(decoder, operand, type),
      .size_bytes = is_register ? tile_emu_type_bytes(type) : 0};
}

static void decode_values(TileDecoder *decoder, const TileOperand *list,
                          bool is_result, TileCallValues *out_values) {
  out_values->values = TILE_ARENA_NEW(&decoder->parser->module->arena,
                                      TileCallValue, list->num_subs);
  out_values->count = list->num_subs;
  for (uint32_t i = 0; i < list->num_subs; i++)
    out_values->values[i] = decode_value(decoder, &list->subs[i], is_result);
}

/// The call graph, to find functions that call themselves.
static void note_callee(TileParser *parser, uint32_t callee) {
  TileFunction *function = parser->function;
  if (!function)
    return;
  if (callee == TILE_NO_FUNCTION) {
    function->calls_indirectly = true;
    return;
  }
  function->callees =
      tile_emu_arena_grow(&parser->module->arena, function->callees,
                          function->num_callees, sizeof *function->callees);
  function->callees[function->num_callees++] = callee;
}

void tile_emu_decode_function_call(TileDecoder *decoder, uint32_t callee) {
  TileParser *parser = decoder->parser;
  const TileOperand *target = decoder->ops[callee];
  TileCallSite *site = TILE_ARENA_NEW(&parser->module->arena, TileCallSite, 1);
  site->callee = TILE_NO_FUNCTION;
  if (target->kind == TILE_OPERAND_FUNCTION)
    site->callee = tile_emu_function_use(parser, target->symbol);
  else {
    site->slot = tile_decode_src_of(decoder, target, TILE_PTX_U64);
    tile_emu_functions_use_all(parser);
  }
  note_callee(parser, site->callee);
  if (callee > 0)
    decode_values(decoder, decoder->ops[0], true, &site->results);
  if (callee + 1 < decoder->num_ops &&
      decoder->ops[callee + 1]->kind == TILE_OPERAND_LIST)
    decode_values(decoder, decoder->ops[callee + 1], false, &site->arguments);
  decoder->insn->as.call = site;
  decoder->insn->flags |= TILE_INSN_JUMP;
  decoder->insn->exec = call;
}

//===- Calls.c - call, ret and the stack ----------------------------------===//
//
// PTX ISA, "call", "ret". Every lane has its own stack, so calls may diverge
// and lanes may call different functions through an address.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Memory/Address.h"
#include "Emulator/Ptx/DeviceFunction.h"

#include <stdio.h>
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

/// Bytes of local memory in use, of those from kernel->stack_first on.
static uint32_t *stack_bytes_of(TileCallStack *stacks, uint32_t lane) {
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

// Index in the kernel of function `number` of the module. Its code follows
// when the kernel has been read.
static uint32_t function_use(TileParser *parser, uint32_t number) {
  TileKernel *kernel = parser->kernel;
  TileArena *arena = &parser->module->arena;
  for (uint32_t i = 0; i < kernel->num_functions; i++)
    if (kernel->functions[i]->number == number)
      return i;
  TileFunction *function = TILE_ARENA_NEW(arena, TileFunction, 1);
  TileText name = parser->functions[number].name;
  function->name = tile_arena_strdup(arena, name.start, name.length);
  function->number = number;
  TILE_PTX_PUSH(arena, kernel->functions, kernel->num_functions, function);
  return kernel->num_functions - 1;
}

// A call through an address may reach any function.
static void functions_use_all(TileParser *parser) {
  for (uint32_t i = 0; i < parser->num_functions; i++)
    function_use(parser, i);
}

/// Decodes a call; operand `callee` is a function or a register.
static void decode_function_call(TileDecoder *decoder, uint32_t callee) {
  TileParser *parser = decoder->parser;
  const TileOperand *target = decoder->ops[callee];
  TileCallSite *site = TILE_ARENA_NEW(&parser->module->arena, TileCallSite, 1);
  site->callee = TILE_NO_FUNCTION;
  if (target->kind == TILE_OPERAND_FUNCTION)
    site->callee = function_use(parser, target->symbol);
  else {
    site->slot = tile_decode_src_of(decoder, target, TILE_PTX_U64);
    functions_use_all(parser);
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

//===-- Stack -------------------------------------------------------------===//

// PTX ISA, "Stack Manipulation Instructions". What a function has allocated is
// free again when it returns, or when the stack is restored.

enum { DEFAULT_ALIGN = 8, MAX_ALIGN = 64 };

static uint8_t *stack_of(TileWarp *warp, uint32_t lane) {
  const TileKernel *kernel = warp->kernel;
  return warp->local + (size_t)lane * kernel->local_stride_bytes +
         kernel->stack_first;
}

static void overflow(TileWarp *warp, const TileInsn *insn, uint32_t lane,
                     uint64_t size_bytes) {
  tile_emu_find(warp, insn, tile_lane_bit(lane), TILE_FINDING_STACK,
                "alloca of %llu bytes with %u bytes in use; the emulator has "
                "%d for a thread",
                (unsigned long long)size_bytes,
                *stack_bytes_of(warp->calls, lane), TILE_STACK_BYTES);
  warp->cluster->is_stopped = true;
}

static TileLanes stack_alloc(TileWarp *warp, const TileInsn *insn,
                             TileLanes lanes) {
  uint64_t align = (uint64_t)insn->imm;
  TILE_FOR_LANES (l, lanes) {
    uint32_t *used = stack_bytes_of(warp->calls, l);
    uint64_t size_bytes = tile_u64(warp, insn->a)[l];
    uint64_t first = (*used + align - 1) & ~(align - 1);
    if (first > TILE_STACK_BYTES || size_bytes > TILE_STACK_BYTES - first) {
      overflow(warp, insn, l, size_bytes);
      continue;
    }
    uint8_t *memory = stack_of(warp, l) + first;
    memset(memory, POISON, size_bytes);
    *used = (uint32_t)(first + size_bytes);
    tile_u64(warp, insn->dst)[l] = (uintptr_t)memory;
  }
  return 0;
}

static TileLanes stack_save(TileWarp *warp, const TileInsn *insn,
                            TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    tile_u64(warp, insn->dst)[l] =
        (uintptr_t)stack_of(warp, l) + *stack_bytes_of(warp->calls, l);
  }
  return 0;
}

static TileLanes stack_restore(TileWarp *warp, const TileInsn *insn,
                               TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    uint32_t *used = stack_bytes_of(warp->calls, l);
    uint64_t wanted = tile_u64(warp, insn->a)[l] - (uintptr_t)stack_of(warp, l);
    if (wanted <= *used) {
      *used = (uint32_t)wanted;
      continue;
    }
    tile_emu_find(warp, insn, tile_lane_bit(l), TILE_FINDING_STACK,
                  "stackrestore to 0x%llx, which is not below the top of the "
                  "stack",
                  (unsigned long long)tile_u64(warp, insn->a)[l]);
  }
  return 0;
}

void tile_emu_decode_stack(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  bool is_alloca = !strcmp(decoder->words[0], "alloca");
  bool is_save = !strcmp(decoder->words[0], "stacksave");
  tile_decode_allow(decoder, "");
  if (tile_emu_type_bytes(tile_decode_type(decoder, 0)) != 8) {
    tile_decode_unsupported(decoder, "type");
    return;
  }
  if (!tile_decode_count(decoder, is_alloca ? 2 : 1, is_alloca ? 3 : 1))
    return;
  decoder->parser->kernel->has_stack = true;
  if (is_alloca || is_save)
    insn->dst = tile_decode_dst(decoder, 0, TILE_PTX_B64);
  if (!is_save)
    insn->a = tile_decode_src(decoder, is_alloca ? 1 : 0, TILE_PTX_B64);
  insn->imm =
      decoder->num_ops == 3 ? tile_decode_immediate(decoder, 2) : DEFAULT_ALIGN;
  if (insn->imm < 1 || (insn->imm & (insn->imm - 1)))
    tile_decode_fail(decoder, "an alignment is a power of two, not %lld",
                     (long long)insn->imm);
  if (insn->imm > MAX_ALIGN)
    tile_decode_unsupported(decoder, "an alignment above 64");
  insn->exec = is_alloca ? stack_alloc : is_save ? stack_save : stack_restore;
}

//===-- Functions of the system -------------------------------------------===//

// The functions of the system; those of the module are above.
// CUDA C++ Programming Guide, "Formatted Output": vprintf takes the format and
// a buffer of arguments, each aligned to its size.

enum { MAX_STRING = 1024, MAX_OUTPUT_BYTES = 1 << 20 };

typedef struct {
  TileWarp *warp;
  const TileInsn *insn;
  uint32_t lane;
  uint64_t arguments; // address
  uint64_t offset;    // of the next argument
} PrintState;

//===-- Memory of the kernel ----------------------------------------------===//

static bool read_memory(const PrintState *state, uint64_t address,
                        void *out_bytes, uint32_t size_bytes) {
  const uint8_t *memory = tile_emu_global_pointer(
      state->warp, state->insn, state->lane, address, size_bytes);
  if (memory)
    memcpy(out_bytes, memory, size_bytes);
  return memory;
}

static void read_string(const PrintState *state, uint64_t address,
                        char out_text[MAX_STRING]) {
  uint32_t length = 0;
  while (length + 1 < MAX_STRING &&
         read_memory(state, address + length, &out_text[length], 1) &&
         out_text[length])
    length++;
  out_text[length] = 0;
}

static uint64_t next_argument(PrintState *state, uint32_t size_bytes) {
  state->offset = (state->offset + size_bytes - 1) & ~(size_bytes - 1ull);
  uint64_t value = 0;
  read_memory(state, state->arguments + state->offset, &value, size_bytes);
  state->offset += size_bytes;
  return value;
}

//===-- Formatting --------------------------------------------------------===//

/// One conversion. `flags` begins with `%` and has flags, width and precision,
/// all checked, but no length modifier.
static void print_conversion(PrintState *state, TileString *output,
                             const char *flags, char conversion, bool is_long) {
  char format[48], text[MAX_STRING];
  snprintf(format, sizeof format, "%s%s%c", flags,
           strchr("diouxX", conversion) ? "ll" : "", conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  switch (conversion) {
  case 'd':
  case 'i': {
    uint64_t value = next_argument(state, is_long ? 8 : 4);
    tile_string_print(output, format,
                      is_long ? (long long)value
                              : (long long)(int32_t)(uint32_t)value);
    break;
  }
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    tile_string_print(
        output, format,
        (unsigned long long)next_argument(state, is_long ? 8 : 4));
    break;
  case 'c':
    tile_string_print(output, format, (int)next_argument(state, 4));
    break;
  case 'p':
    tile_string_print(output, "0x%llx",
                      (unsigned long long)next_argument(state, 8));
    break;
  case 's':
    read_string(state, next_argument(state, 8), text);
    tile_string_print(output, format, text);
    break;
  default: {
    uint64_t bits = next_argument(state, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    tile_string_print(output, format, number);
    break;
  }
  }
#pragma GCC diagnostic pop
}

/// A width or precision of more than three digits would make one conversion
/// produce a huge text.
static bool has_long_number(const char *flags) {
  uint32_t num_digits = 0;
  for (; *flags; flags++) {
    num_digits = *flags >= '0' && *flags <= '9' ? num_digits + 1 : 0;
    if (num_digits > 3)
      return true;
  }
  return false;
}

/// Returns what follows the conversion that begins at `at`.
static const char *print_directive(PrintState *state, TileString *output,
                                   const char *at) {
  char flags[32];
  uint32_t length = 0;
  bool is_long = false;
  flags[length++] = *at++;
  for (; *at && strchr("-+ #0123456789.lhzjt", *at); at++) {
    if (strchr("lzjt", *at))
      is_long = true;
    else if (*at != 'h' && length + 1 < sizeof flags)
      flags[length++] = *at;
  }
  flags[length] = 0;
  if (*at == 0)
    return at;
  bool is_known = strchr("diouxXcspfFeEgGaA", *at) && !has_long_number(flags);
  if (is_known)
    print_conversion(state, output, flags, *at, is_long);
  else
    tile_string_print(output, "%c", *at);
  return at + 1;
}

static void print(PrintState *state, TileString *output, const char *format) {
  while (*format) {
    if (*format == '%')
      format = print_directive(state, output, format);
    else
      tile_string_print(output, "%c", *format++);
  }
}

static TileLanes vprintf_call(TileWarp *warp, const TileInsn *insn,
                              TileLanes lanes) {
  TILE_FOR_LANES (l, lanes) {
    PrintState state = {warp, insn, l, 0, 0};
    uint64_t format_address;
    char format[MAX_STRING];
    TileString text = {0};
    if (!read_memory(&state, tile_u64(warp, insn->a)[l], &format_address, 8) ||
        !read_memory(&state, tile_u64(warp, insn->b)[l], &state.arguments, 8))
      continue;
    read_string(&state, format_address, format);
    print(&state, &text, format);
    // The buffer of a GPU is 1 MiB for all blocks; later text is lost too.
    if (text.data && warp->cluster->output.size_bytes < MAX_OUTPUT_BYTES)
      tile_string_print(&warp->cluster->output, "%s", text.data);
    tile_string_deinit(&text);
  }
  return 0;
}

//===-- Other functions ---------------------------------------------------===//

static TileLanes assertion(TileWarp *warp, const TileInsn *insn,
                           TileLanes lanes) {
  tile_emu_find(warp, insn, lanes, TILE_FINDING_TRAP, "call of %s",
                insn->as.text);
  warp->cluster->is_stopped = true;
  return 0;
}

// __assertfail: the first argument is the message.
static TileLanes assertion_with_message(TileWarp *warp, const TileInsn *insn,
                                        TileLanes lanes) {
  char message[MAX_STRING] = {0};
  uint64_t address;
  PrintState state = {warp, insn, (uint32_t)__builtin_ctz(lanes), 0, 0};
  if (read_memory(&state, tile_u64(warp, insn->a)[state.lane], &address, 8))
    read_string(&state, address, message);
  tile_emu_find(warp, insn, lanes, TILE_FINDING_TRAP, "call of %s: %s",
                insn->as.text, message);
  warp->cluster->is_stopped = true;
  return 0;
}

static bool is_param_pair(const TileOperand *list) {
  return list->kind == TILE_OPERAND_LIST && list->num_subs == 2 &&
         list->subs[0].kind == TILE_OPERAND_VARIABLE &&
         list->subs[1].kind == TILE_OPERAND_VARIABLE;
}

void tile_emu_decode_call(TileDecoder *decoder) {
  TileInsn *insn = decoder->insn;
  TileParser *parser = decoder->parser;
  uint32_t at = decoder->num_ops && // after the list of results
                decoder->ops[0]->kind == TILE_OPERAND_LIST;
  if (at >= decoder->num_ops) {
    tile_decode_fail(decoder, "the function is missing");
    return;
  }
  if (decoder->ops[at]->kind == TILE_OPERAND_FUNCTION ||
      decoder->ops[at]->kind == TILE_OPERAND_REGISTER) {
    decode_function_call(decoder, at);
    return;
  }
  TileText name = decoder->ops[at]->text;
  const TileOperand *arguments =
      at + 1 < decoder->num_ops ? decoder->ops[at + 1] : NULL;
  char *callee =
      tile_arena_strdup(&parser->module->arena, name.start, name.length);
  if (strstr(callee, "assert") || strstr(callee, "abort")) {
    insn->as.text = callee;
    insn->exec = assertion;
    if (!strcmp(callee, "__assertfail") && arguments &&
        arguments->kind == TILE_OPERAND_LIST && arguments->num_subs == 5 &&
        arguments->subs[0].kind == TILE_OPERAND_VARIABLE) {
      insn->a = tile_decode_src_of(decoder, &arguments->subs[0], TILE_PTX_U64);
      insn->exec = assertion_with_message;
    }
    return;
  }
  if (strcmp(callee, "vprintf") || !arguments || !is_param_pair(arguments)) {
    tile_decode_unsupported(decoder, "a function outside of the module");
    return;
  }
  insn->a = tile_decode_src_of(decoder, &arguments->subs[0], TILE_PTX_U64);
  insn->b = tile_decode_src_of(decoder, &arguments->subs[1], TILE_PTX_U64);
  insn->exec = vprintf_call;
}

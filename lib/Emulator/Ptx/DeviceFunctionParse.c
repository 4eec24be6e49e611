//===- DeviceFunctionParse.c - Reads the functions that kernels call ------===//
//
// PTX ISA, "Kernel and Function Directives: .func", "Abstracting the ABI".
//
//===----------------------------------------------------------------------===//

#include "DeviceFunction.h"

#include <string.h>

/// Nothing of the host is there.
#define FUNCTION_WINDOW 0x7d0000000000ull
enum { FUNCTION_SPACING = 16 };

#define PUSH(arena, array, count, ...)                                         \
  do {                                                                         \
    (array) =                                                                  \
        tile_emu_arena_grow((arena), (array), (count), sizeof(array)[0]);      \
    (array)[(count)++] = __VA_ARGS__;                                          \
  } while (0)

//===-- Finding functions -------------------------------------------------===//

static void skip_parentheses(TileParser *parser) {
  if (tile_emu_lex_eat(parser, '('))
    tile_emu_lex_skip_past(parser, ')');
}

/// `.attribute(…) (results) name (parameters) .noreturn` and `;` or `{`
static void scan_function(TileParser *parser) {
  TileFunctionText function = {.start = parser->cursor, .line = parser->line};
  if (tile_emu_lex_peek(parser) == '.') {
    tile_emu_lex_directive(parser);
    skip_parentheses(parser);
  }
  skip_parentheses(parser);
  function.name = tile_emu_lex_identifier(parser);
  char c;
  while ((c = tile_emu_lex_peek(parser)) && c != ';' && c != '{')
    parser->cursor++;
  if (c == '{' && tile_emu_parser_ok(parser))
    PUSH(&parser->scratch, parser->functions, parser->num_functions, function);
}

static void scan_module(TileParser *parser) {
  char c;
  while ((c = tile_emu_lex_peek(parser))) {
    if (c == '.') {
      if (tile_emu_text_is(tile_emu_lex_directive(parser), "func"))
        scan_function(parser);
      continue;
    }
    parser->cursor++;
    if (c == '{')
      tile_emu_parse_skip_braces(parser);
    else if (c == '"')
      tile_emu_lex_skip_past(parser, '"');
  }
}

void tile_emu_functions_scan(TileParser *parser) {
  const char *start = parser->cursor;
  if (!strstr(start, ".func"))
    return;
  scan_module(parser);
  // Whoever reads the text in earnest reports what is wrong with it.
  parser->status = tile_status_ok();
  parser->cursor = start;
  parser->line = 1;
}

uint32_t tile_emu_function_find(const TileParser *parser, TileText name) {
  for (uint32_t i = 0; i < parser->num_functions; i++)
    if (tile_emu_text_same(parser->functions[i].name, name))
      return i;
  return TILE_NO_FUNCTION;
}

uint64_t tile_emu_function_address(uint32_t number) {
  if (number == TILE_NO_FUNCTION)
    return 0;
  return FUNCTION_WINDOW + (uint64_t)number * FUNCTION_SPACING;
}

//===-- Functions of a kernel ---------------------------------------------===//

uint32_t tile_emu_function_use(TileParser *parser, uint32_t number) {
  TileKernel *kernel = parser->kernel;
  TileArena *arena = &parser->module->arena;
  for (uint32_t i = 0; i < kernel->num_functions; i++)
    if (kernel->functions[i]->number == number)
      return i;
  TileFunction *function = TILE_ARENA_NEW(arena, TileFunction, 1);
  TileText name = parser->functions[number].name;
  function->name = tile_arena_strdup(arena, name.start, name.length);
  function->number = number;
  PUSH(arena, kernel->functions, kernel->num_functions, function);
  return kernel->num_functions - 1;
}

void tile_emu_functions_use_all(TileParser *parser) {
  for (uint32_t i = 0; i < parser->num_functions; i++)
    tile_emu_function_use(parser, i);
}

void tile_emu_function_note_registers(TileParser *parser,
                                      const TileRegisterDecl *decl) {
  TileFunction *function = parser->function;
  if (!function)
    return;
  bool is_predicate = decl->type == TILE_PTX_PRED;
  PUSH(&parser->module->arena, function->ranges, function->num_ranges,
       (TileRegisterRange){decl->first_slot, decl->count, decl->stride_bytes,
                           is_predicate});
  uint32_t lane_bytes = is_predicate ? 1 : decl->stride_bytes / TILE_WARP_SIZE;
  function->saved_bytes += decl->count * lane_bytes;
}

//===-- Reading a function ------------------------------------------------===//

static TileCallValue parse_value(TileParser *parser) {
  TileText space = tile_emu_lex_directive(parser);
  if (tile_emu_text_is(space, "reg")) {
    TileOperand reg = {0};
    tile_emu_register_param_declare(parser, &reg);
    bool is_predicate = reg.kind == TILE_OPERAND_PREDICATE;
    return (TileCallValue){
        .is_predicate = is_predicate,
        .slot = reg.slot,
        .size_bytes = is_predicate ? 1 : tile_emu_type_bytes(reg.type)};
  }
  if (!tile_emu_text_is(space, "param"))
    tile_emu_parser_fail(parser, "parameter of a function in .%.*s",
                         (int)space.length, space.start);
  uint32_t symbol = tile_emu_variable_param_declare(parser);
  if (!tile_emu_parser_ok(parser))
    return (TileCallValue){0};
  uint64_t place = tile_emu_variable_place(parser, symbol);
  uint32_t slot = tile_emu_constant_slot(parser, TILE_CONSTANT_LOCAL, 8, place);
  return (TileCallValue){
      .is_memory = true,
      .slot = slot,
      .size_bytes = (uint32_t)parser->module->symbols[symbol].size_bytes};
}

static void parse_values(TileParser *parser, TileCallValues *values) {
  if (!tile_emu_lex_eat(parser, '('))
    return;
  if (tile_emu_lex_peek(parser) != ')')
    do
      PUSH(&parser->module->arena, values->values, values->count,
           parse_value(parser));
    while (tile_emu_lex_eat(parser, ','));
  tile_emu_lex_expect(parser, ')');
  uint64_t size_bytes = 0;
  for (uint32_t i = 0; i < values->count; i++)
    size_bytes += values->values[i].size_bytes;
  if (size_bytes > TILE_MAX_VALUE_BYTES)
    tile_emu_parser_fail(parser,
                         "parameters of %llu bytes, at most %d are "
                         "supported",
                         (unsigned long long)size_bytes, TILE_MAX_VALUE_BYTES);
}

static void parse_directives(TileParser *parser, TileFunction *function) {
  while (tile_emu_lex_peek(parser) == '.') {
    TileText word = tile_emu_lex_directive(parser);
    if (tile_emu_text_is(word, "noreturn"))
      function->is_noreturn = true;
    else // .abi_preserve and its like
      tile_emu_lex_integer(parser);
  }
}

static void append_return(TileParser *parser) {
  TileInsn insn = {.guard = TILE_NO_SLOT,
                   .line = parser->line,
                   .opcode = "ret",
                   .flags = TILE_INSN_LEADER};
  TileDecoder decoder = {.parser = parser, .insn = &insn, .opcode = "ret"};
  tile_emu_decode_function_return(&decoder);
  tile_emu_parse_insn_append(parser, &insn);
}

/// Constants that point to variables of the function differ between calls.
static void collect_local_slots(TileParser *parser, TileFunction *function) {
  const TileKernel *kernel = parser->kernel;
  for (uint32_t i = 0; i < kernel->num_constants; i++) {
    const TileConstant *constant = &kernel->constants[i];
    if (constant->kind == TILE_CONSTANT_LOCAL &&
        constant->value >= function->first_local &&
        constant->value < function->end_local)
      PUSH(&parser->module->arena, function->local_slots,
           function->num_local_slots,
           (TileLocalSlot){constant->slot, (uint32_t)constant->value});
  }
  function->saved_bytes += 8 * function->num_local_slots;
}

static void parse_function(TileParser *parser, TileFunction *function) {
  const TileFunctionText *text = &parser->functions[function->number];
  parser->cursor = text->start;
  parser->line = text->line;
  parser->function = function;
  parser->next_is_leader = true;
  parser->source_file = parser->source_line = 0;
  parser->tables = NULL;
  parser->num_tables = 0;
  function->entry = parser->kernel->num_insns;
  function->first_local = parser->kernel->local_bytes;
  tile_emu_scope_push(parser);
  if (tile_emu_lex_peek(parser) == '.') {
    tile_emu_lex_directive(parser);
    skip_parentheses(parser);
  }
  parse_values(parser, &function->results);
  tile_emu_lex_identifier(parser);
  parse_values(parser, &function->parameters);
  parse_directives(parser, function);
  tile_emu_lex_expect(parser, '{');
  if (tile_emu_parser_ok(parser))
    tile_emu_parse_block(parser);
  if (!tile_emu_parser_ok(parser))
    return;
  append_return(parser);
  tile_emu_scope_pop(parser);
  function->end_local = parser->kernel->local_bytes;
  collect_local_slots(parser, function);
}

//===-- Calls -------------------------------------------------------------===//

bool tile_call_values_match(const TileCallValues *given,
                            const TileCallValues *wanted) {
  bool matches = given->count == wanted->count;
  for (uint32_t i = 0; matches && i < given->count; i++) {
    uint32_t size_bytes = given->values[i].size_bytes;
    matches = size_bytes == 0 || size_bytes == wanted->values[i].size_bytes;
  }
  return matches;
}

static void check_values(TileParser *parser, const TileFunction *callee,
                         const TileCallValues *given,
                         const TileCallValues *wanted, const char *what) {
  if (!tile_call_values_match(given, wanted))
    tile_emu_parser_fail(parser,
                         "call of %s: %u %ss of other number or size than "
                         "its %u",
                         callee->name, given->count, what, wanted->count);
}

static void check_calls(TileParser *parser) {
  const TileKernel *kernel = parser->kernel;
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    const TileInsn *insn = &kernel->code[i];
    if (!(insn->flags & TILE_INSN_JUMP) || !insn->as.call ||
        insn->as.call->callee == TILE_NO_FUNCTION)
      continue;
    const TileFunction *callee = kernel->functions[insn->as.call->callee];
    parser->line = insn->line;
    check_values(parser, callee, &insn->as.call->arguments, &callee->parameters,
                 "argument");
    check_values(parser, callee, &insn->as.call->results, &callee->results,
                 "result");
  }
}

/// Marks in `reached` what `function` may call, directly or not.
static void reach(const TileKernel *kernel, const TileFunction *function,
                  bool *reached, uint32_t *stack) {
  uint32_t depth = 0;
  const TileFunction *at = function;
  for (;;) {
    uint32_t count =
        at->calls_indirectly ? kernel->num_functions : at->num_callees;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t callee = at->calls_indirectly ? i : at->callees[i];
      if (!reached[callee])
        stack[depth++] = callee;
      reached[callee] = true;
    }
    if (depth == 0)
      return;
    at = kernel->functions[stack[--depth]];
  }
}

static void find_recursion(TileParser *parser) {
  TileKernel *kernel = parser->kernel;
  uint32_t count = kernel->num_functions;
  bool has_recursion = false;
  for (uint32_t i = 0; i < count; i++) {
    bool *reached = TILE_ARENA_NEW(&parser->scratch, bool, count);
    uint32_t *stack = TILE_ARENA_NEW(&parser->scratch, uint32_t, count);
    reach(kernel, kernel->functions[i], reached, stack);
    kernel->functions[i]->is_recursive = reached[i];
    has_recursion |= reached[i];
  }
  kernel->stack_first = (kernel->local_bytes + 63) & ~63u;
  if (has_recursion || kernel->has_stack)
    kernel->local_bytes = kernel->stack_first + TILE_STACK_BYTES;
}

void tile_emu_functions_link(TileParser *parser) {
  TileKernel *kernel = parser->kernel;
  const char *cursor = parser->cursor;
  uint32_t line = parser->line;
  // Functions add those that they call to the list.
  for (uint32_t i = 0; i < kernel->num_functions && tile_emu_parser_ok(parser);
       i++)
    parse_function(parser, kernel->functions[i]);
  parser->function = NULL;
  if (!tile_emu_parser_ok(parser))
    return;
  find_recursion(parser);
  check_calls(parser);
  if (!tile_emu_parser_ok(parser))
    return;
  parser->cursor = cursor;
  parser->line = line;
}

//===- PtxParse.c - Reads PTX text ----------------------------------------===//
//
// PTX ISA, "Syntax", "Directives". Functions other than kernels are read when
// a kernel that calls them has been.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunction.h"
#include "Emulator/Race/Race.h"
#include "Emulator/Undefined/Undefined.h"
#include "Parser.h"

#include <stdlib.h>
#include <string.h>

//===-- Directives --------------------------------------------------------===//

static bool parse_variable_directive(TileParser *parser, TileText word,
                                     bool is_extern) {
  static const struct {
    const char *name;
    TilePtxSpace space;
  } spaces[] = {
      {"shared", TILE_SPACE_SHARED}, {"global", TILE_SPACE_GLOBAL},
      {"const", TILE_SPACE_CONST},   {"local", TILE_SPACE_LOCAL},
      {"param", TILE_SPACE_PARAM},
  };
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
    if (tile_emu_text_is(word, spaces[i].name)) {
      tile_emu_variable_declare(parser, spaces[i].space, is_extern);
      return true;
    }
  return false;
}

/// `.loc file line column [, function_name …, inlined_at …]`
static void parse_loc(TileParser *parser) {
  uint32_t file = tile_emu_lex_count(parser, 1u << 20, ".loc file");
  uint32_t line = tile_emu_lex_count(parser, UINT32_MAX, ".loc line");
  if (line) {
    parser->source_file = file;
    parser->source_line = line;
  }
  tile_emu_lex_skip_line(parser);
}

/// `.file index "name" …`
static void parse_file(TileParser *parser) {
  TileEmuModule *module = parser->module;
  uint32_t index = tile_emu_lex_count(parser, 1u << 16, ".file index");
  tile_emu_lex_expect(parser, '"');
  const char *start = parser->cursor;
  while (parser->cursor < parser->end && *parser->cursor != '"' &&
         *parser->cursor != '\n')
    parser->cursor++;
  if (index >= module->num_files) {
    const char **files =
        tile_arena_alloc(&module->arena, (index + 1) * sizeof *files);
    if (module->num_files)
      memcpy(files, module->files, module->num_files * sizeof *files);
    module->files = files;
    module->num_files = index + 1;
  }
  module->files[index] = tile_arena_strdup(&module->arena, start,
                                           (size_t)(parser->cursor - start));
  tile_emu_lex_skip_line(parser);
}

/// Skips a balanced `{…}`, whose opening brace has been read.
static void parse_skip_braces(TileParser *parser) {
  for (uint32_t depth = 1; depth > 0;) {
    char c = tile_emu_lex_peek(parser);
    if (c == 0) {
      tile_emu_parser_fail(parser, "expected '}' before the end of the text");
      return;
    }
    depth += c == '{';
    depth -= c == '}';
    parser->cursor++;
  }
}

//===-- Statements --------------------------------------------------------===//

static void parse_insn_append(TileParser *parser, const TileInsn *insn) {
  TileKernel *kernel = parser->kernel;
  kernel->code = tile_emu_arena_grow(&parser->module->arena, kernel->code,
                                     kernel->num_insns, sizeof *insn);
  kernel->code[kernel->num_insns++] = *insn;
}

static void label_use_add(TileParser *parser, TileText name, uint32_t line,
                          bool is_table) {
  TileScope *scope = &parser->scopes[parser->num_scopes - 1];
  scope->uses = tile_emu_arena_grow(&parser->scratch, scope->uses,
                                    scope->num_uses, sizeof *scope->uses);
  scope->uses[scope->num_uses++] =
      (TileLabelUse){name, parser->kernel->num_insns, line, is_table};
}

static bool opcode_begins(TileText opcode, const char *word) {
  size_t length = strlen(word);
  return opcode.length >= length && !memcmp(opcode.start, word, length) &&
         (opcode.length == length || opcode.start[length] == '.');
}

/// bra and brx.idx, whose operands are names of code.
static bool parse_branch(TileParser *parser, TileInsn *insn, TileText opcode,
                         TileOperand *const *operands, uint32_t num_operands) {
  bool is_table = opcode_begins(opcode, "brx.idx");
  if (!is_table && !opcode_begins(opcode, "bra"))
    return false;
  uint32_t wanted = is_table ? 2 : 1;
  if (num_operands != wanted ||
      operands[wanted - 1]->kind != TILE_OPERAND_LABEL) {
    tile_emu_parser_fail(parser, "branch without a label");
    return true;
  }
  insn->flags |= TILE_INSN_BRANCH;
  if (is_table) {
    if (operands[0]->kind != TILE_OPERAND_REGISTER ||
        tile_emu_type_register_bytes(operands[0]->type) != 4)
      tile_emu_parser_fail(parser, "brx.idx takes a 32-bit register");
    insn->flags |= TILE_INSN_BRANCH_TABLE;
    insn->a = operands[0]->slot;
    uint32_t *reg = tile_arena_alloc(&parser->module->arena, 2 * sizeof *reg);
    reg[0] = operands[0]->reg_id;
    reg[1] = operands[0]->slot;
    insn->reg_ids = reg;
    insn->reg_slots = reg + 1;
    insn->num_regs = reg[0] != TILE_NO_REGISTER;
  }
  insn->opcode = is_table ? "brx.idx" : "bra";
  label_use_add(parser, operands[wanted - 1]->text, insn->line, is_table);
  parse_insn_append(parser, insn);
  parser->next_is_leader = true;
  return true;
}

static void parse_instruction(TileParser *parser, TileText opcode,
                              TileInsn *insn) {
  TileOperand *operands[TILE_PTX_MAX_OPERANDS];
  uint32_t num_operands = 0;
  if (tile_emu_lex_peek(parser) != ';')
    do {
      if (num_operands == TILE_PTX_MAX_OPERANDS) {
        tile_emu_parser_fail(parser, "more than %d operands",
                             TILE_PTX_MAX_OPERANDS);
        return;
      }
      operands[num_operands++] = tile_emu_operand_parse(parser);
    } while (tile_emu_lex_eat(parser, ','));
  tile_emu_lex_expect(parser, ';');
  if (!tile_emu_parser_ok(parser))
    return;
  insn->source_file = parser->source_file;
  insn->source_line = parser->source_line;
  insn->flags = parser->next_is_leader ? TILE_INSN_LEADER : 0;
  uint32_t line = parser->line; // errors below are about the first line
  parser->line = insn->line;
  if (!parse_branch(parser, insn, opcode, operands, num_operands) &&
      tile_emu_insn_decode(parser, insn, opcode, operands, num_operands)) {
    parse_insn_append(parser, insn);
    parser->next_is_leader = insn->flags & (TILE_INSN_EXIT | TILE_INSN_JUMP);
  }
  if (tile_emu_parser_ok(parser))
    parser->line = line;
}

/// `name: .branchtargets a, b, c;`
static void parse_branch_table(TileParser *parser, TileText name) {
  TileBranchTable table = {.name = name};
  do {
    TileText label = tile_emu_lex_identifier(parser);
    table.labels = tile_emu_arena_grow(&parser->scratch, table.labels,
                                       table.num_labels, sizeof label);
    table.labels[table.num_labels++] = label;
  } while (tile_emu_lex_eat(parser, ',') && table.num_labels < UINT16_MAX);
  tile_emu_lex_expect(parser, ';');
  parser->tables = tile_emu_arena_grow(&parser->scratch, parser->tables,
                                       parser->num_tables, sizeof table);
  parser->tables[parser->num_tables++] = table;
}

static void parse_label(TileParser *parser, TileText name) {
  if (tile_emu_lex_peek(parser) == '.') {
    const char *start = parser->cursor;
    TileText word = tile_emu_lex_directive(parser);
    if (tile_emu_text_is(word, "branchtargets")) {
      parse_branch_table(parser, name);
      return;
    }
    if (tile_emu_text_is(word, "callprototype") ||
        tile_emu_text_is(word, "calltargets")) {
      tile_emu_lex_skip_past(parser, ';');
      return;
    }
    parser->cursor = start;
  }
  TileScope *scope = &parser->scopes[parser->num_scopes - 1];
  if (!tile_emu_names_add(&scope->labels, &parser->scratch, name,
                          parser->kernel->num_insns))
    tile_emu_parser_fail(parser, "label %.*s is defined twice",
                         (int)name.length, name.start);
  parser->next_is_leader = true;
}

static void parse_body_directive(TileParser *parser) {
  TileText word = tile_emu_lex_directive(parser);
  if (tile_emu_text_is(word, "reg"))
    tile_emu_register_declare(parser);
  else if (tile_emu_text_is(word, "loc"))
    parse_loc(parser);
  else if (tile_emu_text_is(word, "pragma"))
    tile_emu_lex_skip_past(parser, ';');
  else if (!parse_variable_directive(parser, word, false))
    tile_emu_parser_fail(parser, "unknown directive .%.*s", (int)word.length,
                         word.start);
}

static void parse_guard(TileParser *parser, TileInsn *insn) {
  if (!tile_emu_lex_eat(parser, '@'))
    return;
  insn->guard_negated = tile_emu_lex_eat(parser, '!');
  TileText name = tile_emu_lex_identifier(parser);
  TileOperand predicate = {0};
  if (!tile_emu_register_find(parser, name, &predicate) ||
      predicate.kind != TILE_OPERAND_PREDICATE) {
    tile_emu_parser_fail(parser, "guard %.*s is not a predicate",
                         (int)name.length, name.start);
    return;
  }
  insn->guard = predicate.slot;
  insn->guard_id = predicate.reg_id;
}

static void parse_statement(TileParser *parser) {
  TileInsn insn = {.guard = TILE_NO_SLOT};
  bool has_guard = tile_emu_lex_peek(parser) == '@';
  parse_guard(parser, &insn);
  tile_emu_lex_peek(parser);
  insn.line = parser->line;
  TileText opcode = tile_emu_lex_opcode(parser);
  if (!has_guard && tile_emu_lex_eat(parser, ':'))
    parse_label(parser, opcode);
  else
    parse_instruction(parser, opcode, &insn);
}

/// Statements up to the closing brace; the opening one has been read.
static void parse_block(TileParser *parser) {
  tile_emu_scope_push(parser);
  while (tile_emu_parser_ok(parser)) {
    char c = tile_emu_lex_peek(parser);
    if (c == '}' || c == '{' || c == ';')
      parser->cursor++;
    if (c == '}') {
      tile_emu_scope_pop(parser);
      return;
    }
    if (c == 0)
      tile_emu_parser_fail(parser, "expected '}' before the end of the text");
    else if (c == '{')
      parse_block(parser);
    else if (c == '.')
      parse_body_directive(parser);
    else if (c != ';')
      parse_statement(parser);
  }
}

//===-- Functions ---------------------------------------------------------===//

// PTX ISA, "Kernel and Function Directives: .func", "Abstracting the ABI".

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
    TILE_PTX_PUSH(&parser->scratch, parser->functions, parser->num_functions,
                  function);
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
      parse_skip_braces(parser);
    else if (c == '"')
      tile_emu_lex_skip_past(parser, '"');
  }
}

/// Finds all functions of the text that have a body.
static void functions_scan(TileParser *parser) {
  const char *start = parser->cursor;
  if (!strstr(start, ".func"))
    return;
  scan_module(parser);
  // Whoever reads the text in earnest reports what is wrong with it.
  parser->status = tile_status_ok();
  parser->cursor = start;
  parser->line = 1;
}

//===-- Functions of a kernel ---------------------------------------------===//

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
      TILE_PTX_PUSH(&parser->module->arena, values->values, values->count,
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
  parse_insn_append(parser, &insn);
}

/// Constants that point to variables of the function differ between calls.
static void collect_local_slots(TileParser *parser, TileFunction *function) {
  const TileKernel *kernel = parser->kernel;
  for (uint32_t i = 0; i < kernel->num_constants; i++) {
    const TileConstant *constant = &kernel->constants[i];
    if (constant->kind == TILE_CONSTANT_LOCAL &&
        constant->value >= function->first_local &&
        constant->value < function->end_local)
      TILE_PTX_PUSH(&parser->module->arena, function->local_slots,
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
    parse_block(parser);
  if (!tile_emu_parser_ok(parser))
    return;
  append_return(parser);
  tile_emu_scope_pop(parser);
  function->end_local = parser->kernel->local_bytes;
  collect_local_slots(parser, function);
}

//===-- Calls -------------------------------------------------------------===//

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

/// Appends the code of the functions in use to the kernel.
static void functions_link(TileParser *parser) {
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

//===-- Kernels -----------------------------------------------------------===//

/// `.param .align 64 .b8 name[128]`, `.param .u64 .ptr .global .align 1 name`
static void parse_param(TileParser *parser) {
  TileKernel *kernel = parser->kernel;
  uint32_t align = 0, elem_bytes = 0;
  bool is_pointer = false; // what follows .ptr describes the pointee
  while (tile_emu_lex_peek(parser) == '.') {
    TileText word = tile_emu_lex_directive(parser);
    char name[16] = {0};
    if (word.length < sizeof name)
      memcpy(name, word.start, word.length);
    TilePtxType type = tile_emu_type_parse(name);
    if (tile_emu_text_is(word, "align")) {
      uint32_t value = tile_emu_lex_count(parser, 1024, "alignment");
      if (!is_pointer)
        align = value;
    } else if (tile_emu_text_is(word, "ptr"))
      is_pointer = true;
    else if (type != TILE_PTX_NONE)
      elem_bytes = tile_emu_type_bytes(type);
  }
  TileText name = tile_emu_lex_identifier(parser);
  uint32_t count = 1;
  if (tile_emu_lex_eat(parser, '[')) {
    count = tile_emu_lex_count(parser, 1u << 16, "parameter size");
    tile_emu_lex_expect(parser, ']');
  }
  if (align == 0)
    align = elem_bytes;
  if (elem_bytes == 0 || (align & (align - 1)) ||
      kernel->num_params == TILE_PTX_MAX_PARAMS) {
    tile_emu_parser_fail(parser, "malformed parameter %.*s", (int)name.length,
                         name.start);
    return;
  }
  TileEmuParam param = {0};
  param.name =
      tile_arena_strdup(&parser->module->arena, name.start, name.length);
  param.offset_bytes = (kernel->param_bytes + align - 1) & ~(align - 1);
  param.size_bytes = (size_t)count * elem_bytes;
  param.align_bytes = align;
  kernel->params = tile_emu_arena_grow(&parser->module->arena, kernel->params,
                                       kernel->num_params, sizeof param);
  kernel->params[kernel->num_params++] = param;
  kernel->param_bytes = (uint32_t)(param.offset_bytes + param.size_bytes);
  if (kernel->param_bytes > 1u << 20)
    tile_emu_parser_fail(parser, "more than 1 MiB of parameters");
}

static void parse_triple(TileParser *parser, uint32_t out_triple[3]) {
  out_triple[0] = out_triple[1] = out_triple[2] = 1;
  for (uint32_t i = 0; i < 3; i++) {
    out_triple[i] = tile_emu_lex_count(parser, 1u << 20, "thread count");
    if (!tile_emu_lex_eat(parser, ','))
      return;
  }
}

/// Performance-tuning directives between the parameters and the body.
static void parse_kernel_directives(TileParser *parser) {
  TileKernel *kernel = parser->kernel;
  while (tile_emu_lex_peek(parser) == '.') {
    TileText word = tile_emu_lex_directive(parser);
    if (tile_emu_text_is(word, "reqntid"))
      parse_triple(parser, kernel->reqntid);
    else if (tile_emu_text_is(word, "maxntid"))
      parse_triple(parser, kernel->maxntid);
    else if (tile_emu_text_is(word, "reqnctapercluster"))
      parse_triple(parser, kernel->cluster);
    else if (tile_emu_text_is(word, "maxnreg"))
      kernel->maxnreg = tile_emu_lex_count(parser, 256, ".maxnreg");
    else if (tile_emu_text_is(word, "pragma"))
      tile_emu_lex_skip_past(parser, ';');
    else if (tile_emu_text_is(word, "minnctapersm"))
      kernel->minnctapersm = tile_emu_lex_count(parser, 32, ".minnctapersm");
    else if (tile_emu_text_is(word, "maxnctapersm") ||
             tile_emu_text_is(word, "maxclusterrank"))
      tile_emu_lex_integer(parser);
    // .explicitcluster, .blocksareclusters, .noreturn carry no number.
  }
}

/// Marks what can be reached other than by falling through.
static void mark_leaders(TileKernel *kernel) {
  TileInsn *code = kernel->code;
  for (uint32_t i = 0; i < kernel->num_insns; i++) {
    const TileInsn *insn = &code[i];
    if (insn->flags & TILE_INSN_BRANCH_TABLE)
      for (uint32_t k = 0; k < insn->num_vec; k++)
        code[insn->vec[k]].flags |= TILE_INSN_LEADER;
    else if (insn->flags & TILE_INSN_BRANCH)
      code[insn->target].flags |= TILE_INSN_LEADER;
    if ((insn->flags & (TILE_INSN_BRANCH | TILE_INSN_EXIT | TILE_INSN_JUMP)) &&
        i + 1 < kernel->num_insns)
      code[i + 1].flags |= TILE_INSN_LEADER;
  }
}

static void kernel_finish(TileParser *parser) {
  TileEmuModule *module = parser->module;
  TileKernel *kernel = parser->kernel;
  TileInsn last = {.guard = TILE_NO_SLOT, .line = parser->line};
  last.flags = TILE_INSN_EXIT | TILE_INSN_LEADER;
  last.opcode = "ret";
  parse_insn_append(parser, &last);
  functions_link(parser);
  mark_leaders(kernel);
  tile_emu_undefined_paths(module, kernel);
  tile_emu_loads_number(kernel);
  kernel->register_file_bytes = (kernel->register_file_bytes + 63) & ~63u;
  kernel->local_stride_bytes = (kernel->local_bytes + 63) & ~63u;
  if (parser->register_name_capacity < kernel->num_registers) {
    const char **names =
        tile_arena_alloc(&module->arena, kernel->num_registers * sizeof *names);
    if (parser->register_name_capacity)
      memcpy(names, kernel->register_names,
             parser->register_name_capacity * sizeof *names);
    kernel->register_names = names;
  }
  module->kernels =
      tile_emu_arena_grow(&module->arena, module->kernels, module->num_kernels,
                          sizeof *module->kernels);
  module->kernels[module->num_kernels++] = kernel;
}

static void parse_entry(TileParser *parser) {
  TileKernel *kernel = tile_arena_alloc(&parser->module->arena, sizeof *kernel);
  TileText name = tile_emu_lex_identifier(parser);
  kernel->name =
      tile_arena_strdup(&parser->module->arena, name.start, name.length);
  // Slot 0 is what unused operands name; no instruction depends on it.
  kernel->register_file_bytes = TILE_WARP_SIZE * 16;
  kernel->dynamic_smem_align = 16;
  parser->kernel = kernel;
  parser->register_name_capacity = 0;
  parser->tables = NULL;
  parser->num_tables = 0;
  parser->next_is_leader = true;
  parser->source_file = parser->source_line = 0;
  if (tile_emu_lex_eat(parser, '(')) {
    if (tile_emu_lex_peek(parser) != ')')
      do
        parse_param(parser);
      while (tile_emu_lex_eat(parser, ','));
    tile_emu_lex_expect(parser, ')');
  }
  parse_kernel_directives(parser);
  if (tile_emu_lex_eat(parser, ';')) { // a declaration
    parser->kernel = NULL;
    return;
  }
  tile_emu_lex_expect(parser, '{');
  if (tile_emu_parser_ok(parser))
    parse_block(parser);
  if (tile_emu_parser_ok(parser))
    kernel_finish(parser);
  parser->function = NULL;
  parser->kernel = NULL;
}

/// `.func (…) name (…) …;` or with a body
static void skip_function(TileParser *parser) {
  for (;;) {
    char c = tile_emu_lex_peek(parser);
    if (c == 0)
      tile_emu_parser_fail(parser, "expected the body of a function");
    if (c == 0 || c == ';' || c == '{') {
      parser->cursor += c != 0;
      if (c == '{')
        parse_skip_braces(parser);
      return;
    }
    parser->cursor++;
  }
}

//===-- Modules -----------------------------------------------------------===//

/// `.target sm_100a, …`: only the number counts.
static void parse_target(TileParser *parser) {
  if (tile_emu_lex_peek(parser) == 's' && parser->end - parser->cursor > 3 &&
      !strncmp(parser->cursor, "sm_", 3))
    for (const char *at = parser->cursor + 3;
         at < parser->end && *at >= '0' && *at <= '9' && parser->target < 1000;
         at++)
      parser->target = 10 * parser->target + (uint32_t)(*at - '0');
  tile_emu_lex_skip_line(parser);
}

static void parse_module_directive(TileParser *parser) {
  if (tile_emu_lex_peek(parser) != '.') {
    tile_emu_parser_fail(parser, "expected a directive before '%.20s'",
                         parser->cursor);
    return;
  }
  TileText word = tile_emu_lex_directive(parser);
  bool is_extern = false;
  while (tile_emu_text_is(word, "extern") ||
         tile_emu_text_is(word, "visible") || tile_emu_text_is(word, "weak") ||
         tile_emu_text_is(word, "common")) {
    is_extern |= tile_emu_text_is(word, "extern");
    word = tile_emu_lex_directive(parser);
  }
  if (tile_emu_text_is(word, "target"))
    parse_target(parser);
  else if (tile_emu_text_is(word, "version") ||
           tile_emu_text_is(word, "address_size") ||
           tile_emu_text_is(word, "loc"))
    tile_emu_lex_skip_line(parser);
  else if (tile_emu_text_is(word, "file"))
    parse_file(parser);
  else if (tile_emu_text_is(word, "section")) {
    tile_emu_lex_skip_past(parser, '{');
    parse_skip_braces(parser);
  } else if (tile_emu_text_is(word, "pragma") ||
             tile_emu_text_is(word, "alias"))
    tile_emu_lex_skip_past(parser, ';');
  else if (tile_emu_text_is(word, "entry"))
    parse_entry(parser);
  else if (tile_emu_text_is(word, "func"))
    skip_function(parser);
  else if (!parse_variable_directive(parser, word, is_extern))
    tile_emu_parser_fail(parser, "unknown directive .%.*s", (int)word.length,
                         word.start);
}

static void infos_build(TileEmuModule *module) {
  module->infos = tile_arena_alloc(&module->arena,
                                   module->num_kernels * sizeof *module->infos);
  for (uint32_t i = 0; i < module->num_kernels; i++) {
    const TileKernel *kernel = module->kernels[i];
    TileEmuKernelInfo *info = &module->infos[i];
    info->name = kernel->name;
    info->num_params = kernel->num_params;
    info->params = kernel->params;
    info->static_smem_bytes = kernel->static_smem_bytes;
    memcpy(info->reqntid, kernel->reqntid, sizeof info->reqntid);
    memcpy(info->maxntid, kernel->maxntid, sizeof info->maxntid);
    memcpy(info->cluster, kernel->cluster, sizeof info->cluster);
  }
}

TileStatus tile_emu_module_parse(const char *ptx, size_t size_bytes,
                                 const char *name, TileEmuModule **out_module) {
  TileEmuModule *module = tile_emu_calloc(1, sizeof *module);
  module->name = tile_arena_strdup(&module->arena, name, strlen(name));
  TileParser *parser = tile_emu_calloc(1, sizeof *parser);
  char *text = tile_emu_malloc(size_bytes + 2);
  memcpy(text, ptx, size_bytes);
  text[size_bytes] = text[size_bytes + 1] = 0;
  parser->module = module;
  parser->cursor = text;
  parser->end = text + strlen(text);
  parser->line = 1;
  functions_scan(parser);
  while (tile_emu_lex_peek(parser)) {
    if (tile_emu_lex_eat(parser, ';'))
      continue;
    parse_module_directive(parser);
  }
  size_t rest = size_bytes - (size_t)(parser->end - text);
  if (rest > 1) // one final zero is a C string, more is not text
    tile_emu_parser_fail(parser, "the text has a zero byte");
  TileStatus status = parser->status;
  tile_arena_deinit(&parser->scratch);
  free(parser);
  free(text);
  if (!tile_status_is_ok(&status)) {
    tile_emu_module_destroy(module);
    *out_module = NULL;
    return status;
  }
  infos_build(module);
  *out_module = module;
  return status;
}

void tile_emu_module_destroy(TileEmuModule *module) {
  if (!module)
    return;
  tile_arena_deinit(&module->arena);
  free(module);
}

size_t tile_emu_module_num_kernels(const TileEmuModule *module) {
  return module->num_kernels;
}

const TileEmuKernelInfo *tile_emu_module_kernel(const TileEmuModule *module,
                                                size_t index) {
  return &module->infos[index];
}

bool tile_emu_module_variable(const TileEmuModule *module, const char *name,
                              void **out_memory, size_t *out_size_bytes) {
  for (uint32_t i = 0; i < module->num_symbols; i++) {
    const TileSymbol *symbol = &module->symbols[i];
    bool is_memory = (symbol->space == TILE_SPACE_GLOBAL ||
                      symbol->space == TILE_SPACE_CONST) &&
                     symbol->place != TILE_NOT_PLACED;
    if (!is_memory || !symbol->is_module_scope || strcmp(symbol->name, name))
      continue;
    *out_memory = (void *)(uintptr_t)symbol->place;
    *out_size_bytes = symbol->size_bytes;
    return true;
  }
  return false;
}

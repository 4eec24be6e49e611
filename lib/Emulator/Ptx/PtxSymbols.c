//===- PtxSymbols.c - Registers, variables and labels of PTX --------------===//
//
// Names live in nested scopes. A register gets its slot when it is declared.
// A shared or local variable gets its place when a kernel first uses it, so
// kernels of one module do not pay for each other's variables.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunction.h"
#include "Parser.h"

#include <string.h>

//===-- Names -------------------------------------------------------------===//

/// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv.
static uint32_t hash_of(TileText name) {
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0; i < name.length; i++)
    hash = (hash ^ (uint8_t)name.start[i]) * 16777619u;
  return hash ^ hash >> 15;
}

/// The entry of the name, or the free one where it belongs.
static TileNameEntry *entry_of(const TileNameTable *table, TileText name) {
  uint32_t at = hash_of(name) & (table->capacity - 1);
  for (;;) {
    TileNameEntry *entry = &table->entries[at];
    bool is_same = entry->name.length == name.length && entry->name.start &&
                   !memcmp(entry->name.start, name.start, name.length);
    if (is_same || !entry->name.start)
      return entry;
    at = (at + 1) & (table->capacity - 1);
  }
}

/// The value of `name`, or NULL.
static const uint32_t *names_find(const TileNameTable *table, TileText name) {
  if (!table->capacity)
    return NULL;
  const TileNameEntry *entry = entry_of(table, name);
  return entry->name.start ? &entry->value : NULL;
}

static void grow(TileNameTable *table, TileArena *arena) {
  TileNameTable larger = {.capacity =
                              table->capacity ? 4 * table->capacity : 16};
  larger.entries =
      tile_arena_alloc(arena, larger.capacity * sizeof *larger.entries);
  for (uint32_t i = 0; i < table->capacity; i++)
    if (table->entries[i].name.start)
      *entry_of(&larger, table->entries[i].name) = table->entries[i];
  larger.count = table->count;
  *table = larger;
}

bool tile_emu_names_add(TileNameTable *table, TileArena *arena, TileText name,
                        uint32_t value) {
  if (2 * table->count >= table->capacity)
    grow(table, arena);
  TileNameEntry *entry = entry_of(table, name);
  if (entry->name.start)
    return false;
  *entry = (TileNameEntry){name, value};
  table->count++;
  return true;
}

//===-- Constants ---------------------------------------------------------===//

uint32_t tile_emu_constant_slot(TileParser *parser, TileConstantKind kind,
                                uint32_t size_bytes, uint64_t value) {
  TileKernel *kernel = parser->kernel;
  if (size_bytes < 4)
    size_bytes = 4;
  for (uint32_t i = 0; i < kernel->num_constants; i++) {
    const TileConstant *constant = &kernel->constants[i];
    if (constant->kind == kind && constant->size_bytes == size_bytes &&
        constant->value == value)
      return constant->slot;
  }
  uint32_t slot = (kernel->register_file_bytes + 63) & ~63u;
  kernel->register_file_bytes = slot + TILE_WARP_SIZE * size_bytes;
  if (kernel->register_file_bytes > TILE_PTX_MAX_REGISTER_FILE_BYTES)
    tile_emu_parser_fail(parser, "too many constants");
  kernel->constants =
      tile_emu_arena_grow(&parser->module->arena, kernel->constants,
                          kernel->num_constants, sizeof *kernel->constants);
  kernel->constants[kernel->num_constants++] =
      (TileConstant){(uint8_t)kind, (uint8_t)size_bytes, slot, value};
  return slot;
}

//===-- Functions ---------------------------------------------------------===//

/// Nothing of the host is there.
#define FUNCTION_WINDOW 0x7d0000000000ull
enum { FUNCTION_SPACING = 16 };

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

/// Registers of a function have been declared.
static void function_note_registers(TileParser *parser,
                                    const TileRegisterDecl *decl) {
  TileFunction *function = parser->function;
  if (!function)
    return;
  bool is_predicate = decl->type == TILE_PTX_PRED;
  TILE_PTX_PUSH(&parser->module->arena, function->ranges, function->num_ranges,
                (TileRegisterRange){decl->first_slot, decl->count,
                                    decl->stride_bytes, is_predicate});
  uint32_t lane_bytes = is_predicate ? 1 : decl->stride_bytes / TILE_WARP_SIZE;
  function->saved_bytes += decl->count * lane_bytes;
}

//===-- Variables ---------------------------------------------------------===//

// PTX ISA, "Variables": state space, alignment, vectors, arrays, initialisers.
// Global and constant variables are host memory of the module.

typedef struct {
  uint32_t align_bytes, elem_bytes, vector_length;
} VariableType;

static VariableType parse_type(TileParser *parser) {
  VariableType type = {0, 0, 1};
  while (tile_emu_lex_peek(parser) == '.') {
    TileText word = tile_emu_lex_directive(parser);
    char name[16] = {0};
    if (word.length < sizeof name)
      memcpy(name, word.start, word.length);
    TilePtxType elem = tile_emu_type_parse(name);
    if (tile_emu_text_is(word, "align"))
      type.align_bytes = tile_emu_lex_count(parser, 1u << 20, "alignment");
    else if (tile_emu_text_is(word, "v2"))
      type.vector_length = 2;
    else if (tile_emu_text_is(word, "v4"))
      type.vector_length = 4;
    else if (tile_emu_text_is(word, "v8"))
      type.vector_length = 8;
    else if (elem != TILE_PTX_NONE)
      type.elem_bytes = tile_emu_type_bytes(elem);
    else if (tile_emu_text_is(word, "attribute"))
      tile_emu_lex_skip_past(parser, ')');
  }
  if (type.elem_bytes == 0)
    tile_emu_parser_fail(parser, "variable without a type");
  if (type.align_bytes & (type.align_bytes - 1))
    tile_emu_parser_fail(parser, "alignment %u is not a power of two",
                         type.align_bytes);
  return type;
}

/// `[4][2]`; an empty bracket makes the size 0 (dynamic shared memory).
static uint64_t parse_dimensions(TileParser *parser, bool *out_is_array) {
  uint64_t count = 1;
  *out_is_array = false;
  while (tile_emu_lex_eat(parser, '[')) {
    *out_is_array = true;
    uint32_t dim = 0;
    if (tile_emu_lex_peek(parser) != ']')
      dim = tile_emu_lex_count(parser, TILE_PTX_MAX_VARIABLE_BYTES,
                               "array dimension");
    count *= dim;
    if (count > TILE_PTX_MAX_VARIABLE_BYTES)
      tile_emu_parser_fail(parser, "variable is larger than %d bytes",
                           TILE_PTX_MAX_VARIABLE_BYTES);
    tile_emu_lex_expect(parser, ']');
  }
  return count;
}

static uint64_t parse_hex(TileParser *parser) {
  parser->cursor += 2; // 0f or 0d
  uint64_t bits = 0;
  for (;; parser->cursor++) {
    char c = *parser->cursor;
    if (c >= '0' && c <= '9')
      bits = bits << 4 | (uint64_t)(c - '0');
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
      bits = bits << 4 | (uint64_t)((c | 32) - 'a' + 10);
    else
      return bits;
  }
}

/// `name`, `generic(name)` or `name + 4`: the address of a variable.
static uint64_t parse_address(TileParser *parser) {
  TileText name = tile_emu_lex_identifier(parser);
  if (tile_emu_lex_eat(parser, '(')) {
    name = tile_emu_lex_identifier(parser);
    tile_emu_lex_expect(parser, ')');
  }
  uint32_t symbol;
  uint64_t address = 0;
  if (tile_emu_variable_find(parser, name, &symbol) &&
      parser->module->symbols[symbol].place != TILE_NOT_PLACED)
    address = parser->module->symbols[symbol].place;
  else
    address = tile_emu_function_address(tile_emu_function_find(parser, name));
  if (tile_emu_lex_eat(parser, '+'))
    address += (uint64_t)tile_emu_lex_integer(parser);
  return address;
}

static void parse_initialiser(TileParser *parser, TileSymbol *symbol,
                              uint32_t elem_bytes) {
  symbol->init =
      tile_arena_alloc(&parser->module->arena, symbol->size_bytes + 8);
  bool has_braces = tile_emu_lex_eat(parser, '{');
  uint64_t at = 0;
  do {
    char c = tile_emu_lex_peek(parser);
    if (c == '}')
      break;
    char prefix = (char)(parser->cursor[0] == '0' ? parser->cursor[1] | 32 : 0);
    uint64_t value;
    if (prefix == 'f' || prefix == 'd')
      value = parse_hex(parser);
    else if (tile_emu_is_identifier_start(c))
      value = parse_address(parser);
    else
      value = (uint64_t)tile_emu_lex_integer(parser);
    if (at + elem_bytes > symbol->size_bytes) {
      tile_emu_parser_fail(parser, "initialiser of %s is too long",
                           symbol->name);
      return;
    }
    memcpy(symbol->init + at, &value, elem_bytes < 8 ? elem_bytes : 8);
    at += elem_bytes;
  } while (tile_emu_lex_eat(parser, ','));
  if (has_braces)
    tile_emu_lex_expect(parser, '}');
}

static void place_in_host_memory(TileParser *parser, TileSymbol *symbol) {
  TileArena *arena = &parser->module->arena;
  // The arena aligns to 16 bytes; over-allocate for larger alignments.
  uint64_t align = symbol->align_bytes < 16 ? 16 : symbol->align_bytes;
  uint8_t *memory =
      tile_arena_alloc(arena, (size_t)(symbol->size_bytes + align));
  symbol->place = ((uintptr_t)memory + align - 1) & ~(align - 1);
  if (symbol->init)
    memcpy((uint8_t *)(uintptr_t)symbol->place, symbol->init,
           symbol->size_bytes);
}

/// Returns the number of the symbol.
static uint32_t symbol_add(TileParser *parser, TileSymbol *symbol) {
  TileEmuModule *module = parser->module;
  TileText name = {symbol->name, (uint32_t)strlen(symbol->name)};
  uint32_t old;
  if (symbol->is_module_scope && tile_emu_variable_find(parser, name, &old)) {
    // An .extern declaration is completed by the definition.
    if (module->symbols[old].is_extern && !symbol->is_extern)
      module->symbols[old] = *symbol;
    return old;
  }
  if (module->num_symbols == TILE_PTX_MAX_DECLARATIONS) {
    tile_emu_parser_fail(parser, "more than %d variables in a module",
                         TILE_PTX_MAX_DECLARATIONS);
    return 0;
  }
  module->symbols = tile_emu_arena_grow(&module->arena, module->symbols,
                                        module->num_symbols, sizeof *symbol);
  uint32_t id = module->num_symbols++;
  module->symbols[id] = *symbol;
  if (symbol->is_module_scope)
    return id;
  TileScope *scope = &parser->scopes[parser->num_scopes - 1];
  scope->symbols = tile_emu_arena_grow(&parser->scratch, scope->symbols,
                                       scope->num_symbols, sizeof(uint32_t));
  scope->symbols[scope->num_symbols++] = id;
  return id;
}

static uint32_t variable_declare_one(TileParser *parser, TilePtxSpace space,
                                     const VariableType *type, bool is_extern) {
  TileText name = tile_emu_lex_identifier(parser);
  bool is_array;
  uint64_t count = parse_dimensions(parser, &is_array);
  uint32_t elem_bytes = type->elem_bytes * type->vector_length;
  TileSymbol symbol = {.space = space, .place = TILE_NOT_PLACED};
  symbol.name =
      tile_arena_strdup(&parser->module->arena, name.start, name.length);
  symbol.is_module_scope = !parser->kernel;
  symbol.align_bytes = type->align_bytes ? type->align_bytes : elem_bytes;
  symbol.size_bytes = count * elem_bytes;
  symbol.is_extern = is_extern || (is_array && count == 0);
  if (symbol.size_bytes > TILE_PTX_MAX_VARIABLE_BYTES)
    tile_emu_parser_fail(parser, "%s is larger than %d bytes", symbol.name,
                         TILE_PTX_MAX_VARIABLE_BYTES);
  parser->variable_bytes += symbol.size_bytes;
  if (parser->variable_bytes > TILE_PTX_MAX_MODULE_BYTES)
    tile_emu_parser_fail(parser, "the variables have more than %d bytes",
                         TILE_PTX_MAX_MODULE_BYTES);
  if (!tile_emu_parser_ok(parser))
    return 0;
  if (tile_emu_lex_eat(parser, '='))
    parse_initialiser(parser, &symbol, type->elem_bytes);
  if (space == TILE_SPACE_GLOBAL || space == TILE_SPACE_CONST)
    place_in_host_memory(parser, &symbol);
  return symbol_add(parser, &symbol);
}

void tile_emu_variable_declare(TileParser *parser, TilePtxSpace space,
                               bool is_extern) {
  VariableType type = parse_type(parser);
  do
    variable_declare_one(parser, space, &type, is_extern);
  while (tile_emu_parser_ok(parser) && tile_emu_lex_eat(parser, ','));
  tile_emu_lex_expect(parser, ';');
}

uint32_t tile_emu_variable_param_declare(TileParser *parser) {
  VariableType type = parse_type(parser);
  if (type.align_bytes < type.elem_bytes) // after .ptr: of what it points to
    type.align_bytes = type.elem_bytes;
  return variable_declare_one(parser, TILE_SPACE_PARAM, &type, false);
}

bool tile_emu_variable_find(TileParser *parser, TileText name,
                            uint32_t *out_symbol) {
  const TileEmuModule *module = parser->module;
  for (uint32_t s = parser->num_scopes; s-- > 0;) {
    const TileScope *scope = &parser->scopes[s];
    for (uint32_t i = 0; i < scope->num_symbols; i++) {
      *out_symbol = scope->symbols[i];
      if (tile_emu_text_is(name, module->symbols[*out_symbol].name))
        return true;
    }
  }
  for (uint32_t i = 0; i < module->num_symbols; i++) {
    *out_symbol = i;
    if (module->symbols[i].is_module_scope &&
        tile_emu_text_is(name, module->symbols[i].name))
      return true;
  }
  return false;
}

static uint32_t place_static_shared(TileParser *parser,
                                    const TileSymbol *symbol) {
  TileKernel *kernel = parser->kernel;
  for (uint32_t i = 0; i < kernel->num_shared_variables; i++)
    if (kernel->shared_variables[i].name == symbol->name)
      return kernel->shared_variables[i].offset_bytes;
  uint32_t align = symbol->align_bytes;
  uint64_t offset =
      (kernel->static_smem_bytes + (align - 1ull)) & ~(align - 1ull);
  uint64_t end = offset + symbol->size_bytes;
  if (end > TILE_PTX_MAX_VARIABLE_BYTES) {
    tile_emu_parser_fail(parser, "too much shared memory");
    return 0;
  }
  kernel->shared_variables = tile_emu_arena_grow(
      &parser->module->arena, kernel->shared_variables,
      kernel->num_shared_variables, sizeof *kernel->shared_variables);
  kernel->shared_variables[kernel->num_shared_variables++] =
      (TileSharedVariable){symbol->name, (uint32_t)offset,
                           (uint32_t)symbol->size_bytes};
  kernel->static_smem_bytes = (uint32_t)end;
  return (uint32_t)offset;
}

static void place_local(TileParser *parser, TileSymbol *symbol) {
  TileKernel *kernel = parser->kernel;
  uint32_t align = symbol->align_bytes;
  uint64_t offset = (kernel->local_bytes + (align - 1ull)) & ~(align - 1ull);
  uint64_t end = offset + symbol->size_bytes;
  if (end > (512u << 10)) {
    tile_emu_parser_fail(parser, "more than 512 KiB of local memory a thread");
    return;
  }
  symbol->place = offset;
  kernel->local_bytes = (uint32_t)end;
}

uint64_t tile_emu_variable_place(TileParser *parser, uint32_t symbol_index) {
  TileSymbol *symbol = &parser->module->symbols[symbol_index];
  switch (symbol->space) {
  case TILE_SPACE_SHARED:
    if (!symbol->is_extern)
      return place_static_shared(parser, symbol);
    if (symbol->align_bytes > parser->kernel->dynamic_smem_align)
      parser->kernel->dynamic_smem_align = symbol->align_bytes;
    return 0;
  case TILE_SPACE_LOCAL:
  case TILE_SPACE_PARAM:
    if (symbol->place == TILE_NOT_PLACED)
      place_local(parser, symbol);
    return symbol->place;
  default:
    return symbol->place;
  }
}

static TileScope *innermost(TileParser *parser) {
  return &parser->scopes[parser->num_scopes - 1];
}

//===-- Labels ------------------------------------------------------------===//

static TileBranchTable *table_find(const TileParser *parser, TileText name) {
  for (uint32_t i = 0; i < parser->num_tables; i++)
    if (tile_emu_text_same(parser->tables[i].name, name))
      return &parser->tables[i];
  return NULL;
}

/// Every brx.idx through the table shares its targets.
static bool targets_find(TileParser *parser, const TileScope *scope,
                         TileBranchTable *table) {
  uint32_t *targets = tile_arena_alloc(&parser->module->arena,
                                       table->num_labels * sizeof *targets);
  for (uint32_t i = 0; i < table->num_labels; i++) {
    const uint32_t *label = names_find(&scope->labels, table->labels[i]);
    if (!label)
      return false;
    targets[i] = *label;
  }
  table->targets = targets;
  return true;
}

static bool resolve_table(TileParser *parser, const TileScope *scope,
                          const TileLabelUse *use) {
  TileBranchTable *table = table_find(parser, use->name);
  if (!table || !(table->targets || targets_find(parser, scope, table)))
    return false;
  TileInsn *insn = &parser->kernel->code[use->insn];
  insn->vec = table->targets;
  insn->num_vec = (uint16_t)table->num_labels;
  return true;
}
static bool resolve(TileParser *parser, const TileScope *scope,
                    const TileLabelUse *use) {
  if (use->is_table)
    return resolve_table(parser, scope, use);
  const uint32_t *label = names_find(&scope->labels, use->name);
  if (label)
    parser->kernel->code[use->insn].target = *label;
  return label;
}

void tile_emu_scope_pop(TileParser *parser) {
  TileScope scope = *innermost(parser);
  parser->num_scopes--;
  for (uint32_t i = 0; i < scope.num_uses; i++) {
    TileLabelUse *use = &scope.uses[i];
    if (!tile_emu_parser_ok(parser) || resolve(parser, &scope, use))
      continue;
    if (parser->num_scopes == 0) {
      parser->line = use->line;
      tile_emu_parser_fail(parser, "label %.*s is not defined",
                           (int)use->name.length, use->name.start);
      return;
    }
    TileScope *outer = innermost(parser);
    TILE_PTX_PUSH(&parser->scratch, outer->uses, outer->num_uses, *use);
  }
}

//===-- Registers ---------------------------------------------------------===//

static uint32_t registers_alloc(TileParser *parser, TileRegisterDecl *decl) {
  TileKernel *kernel = parser->kernel;
  bool is_predicate = decl->type == TILE_PTX_PRED;
  decl->stride_bytes =
      is_predicate ? 4
                   : TILE_WARP_SIZE * tile_emu_type_register_bytes(decl->type);
  uint64_t aligned = (kernel->register_file_bytes + 63ull) & ~63ull;
  uint64_t total = aligned + (uint64_t)decl->count * decl->stride_bytes;
  if (total > TILE_PTX_MAX_REGISTER_FILE_BYTES) {
    tile_emu_parser_fail(parser, "too many registers (%u in this declaration)",
                         decl->count);
    return 0;
  }
  decl->first_id = kernel->num_registers;
  kernel->num_registers += decl->count;
  // Compilers declare many registers that they do not use.
  if (!parser->function) {
    decl->slots =
        tile_arena_alloc(&parser->scratch, decl->count * sizeof *decl->slots);
    return 0;
  }
  kernel->register_file_bytes = (uint32_t)((total + 63) & ~63ull);
  return (uint32_t)aligned;
}

static uint32_t register_slot(TileParser *parser, const TileRegisterDecl *decl,
                              uint32_t index) {
  if (!decl->slots)
    return decl->first_slot + index * decl->stride_bytes;
  if (!decl->slots[index]) {
    TileKernel *kernel = parser->kernel;
    uint32_t align = decl->type == TILE_PTX_PRED ? 4 : 64;
    uint32_t slot = (kernel->register_file_bytes + align - 1) & ~(align - 1);
    kernel->register_file_bytes = slot + decl->stride_bytes;
    if (kernel->register_file_bytes > TILE_PTX_MAX_REGISTER_FILE_BYTES)
      tile_emu_parser_fail(parser, "too many registers");
    decl->slots[index] = slot;
  }
  return decl->slots[index];
}

typedef struct {
  TilePtxType type;
  uint32_t vector_length;
} RegisterType;

static uint32_t vector_length_of(TileText word) {
  return tile_emu_text_is(word, "v2")   ? 2
         : tile_emu_text_is(word, "v4") ? 4
         : tile_emu_text_is(word, "v8") ? 8
                                        : 1;
}

static RegisterType parse_register_type(TileParser *parser) {
  RegisterType result = {TILE_PTX_NONE, 1};
  while (tile_emu_lex_peek(parser) == '.') {
    char word[16] = {0};
    TileText text = tile_emu_lex_directive(parser);
    if (vector_length_of(text) > 1) {
      result.vector_length = vector_length_of(text);
      continue;
    }
    if (text.length < sizeof word)
      memcpy(word, text.start, text.length);
    result.type = tile_emu_type_parse(word);
    if (result.type == TILE_PTX_NONE)
      tile_emu_parser_fail(parser, "unknown register type .%.*s",
                           (int)text.length, text.start);
  }
  if (result.vector_length > 1 && result.type == TILE_PTX_PRED)
    tile_emu_parser_fail(parser, "predicates are scalar registers");
  return result;
}

static TileText register_declare_one(TileParser *parser, RegisterType type) {
  TileRegisterDecl decl = {
      .type = type.type, .vector_length = type.vector_length, .count = 1};
  decl.name = tile_emu_lex_identifier(parser);
  if (tile_emu_lex_eat(parser, '<')) {
    decl.is_range = true;
    decl.count = tile_emu_lex_count(parser, 1u << 24, "number of registers");
    tile_emu_lex_expect(parser, '>');
  }
  decl.count *= decl.vector_length;
  decl.first_slot = registers_alloc(parser, &decl);
  function_note_registers(parser, &decl);
  TileScope *scope = innermost(parser);
  if (scope->num_registers == TILE_PTX_MAX_DECLARATIONS) {
    tile_emu_parser_fail(parser,
                         "more than %d register declarations in a block",
                         TILE_PTX_MAX_DECLARATIONS);
    return decl.name;
  }
  TILE_PTX_PUSH(&parser->scratch, scope->registers, scope->num_registers, decl);
  return decl.name;
}

void tile_emu_register_declare(TileParser *parser) {
  RegisterType type = parse_register_type(parser);
  do
    register_declare_one(parser, type);
  while (tile_emu_lex_eat(parser, ','));
  tile_emu_lex_expect(parser, ';');
}

void tile_emu_register_param_declare(TileParser *parser,
                                     TileOperand *out_operand) {
  RegisterType type = parse_register_type(parser);
  if (type.vector_length > 1)
    tile_emu_parser_fail(parser, "a parameter in a register is a scalar");
  TileText name = register_declare_one(parser, type);
  tile_emu_register_find(parser, name, out_operand);
}

/// Index of `name` in the declared range, or false.
static bool register_index(const TileRegisterDecl *decl, TileText name,
                           uint32_t *out_index) {
  *out_index = 0;
  if (!decl->is_range)
    return tile_emu_text_same(decl->name, name);
  uint32_t prefix = decl->name.length;
  if (name.length <= prefix || memcmp(name.start, decl->name.start, prefix))
    return false;
  uint64_t index = 0;
  for (uint32_t i = prefix; i < name.length; i++) {
    char c = name.start[i];
    if (c < '0' || c > '9' || index >= decl->count)
      return false;
    index = 10 * index + (uint64_t)(c - '0');
  }
  *out_index = (uint32_t)index;
  return index < decl->count / decl->vector_length;
}

static void register_name(TileParser *parser, uint32_t id, TilePtxType type,
                          TileText name) {
  TileKernel *kernel = parser->kernel;
  if (id >= parser->register_name_capacity) {
    uint32_t capacity = 2 * kernel->num_registers + 64;
    const char **names =
        tile_arena_alloc(&parser->module->arena, capacity * sizeof *names);
    uint8_t *bits = tile_arena_alloc(&parser->module->arena, capacity);
    if (parser->register_name_capacity) {
      memcpy(names, kernel->register_names,
             parser->register_name_capacity * sizeof *names);
      memcpy(bits, kernel->register_bits, parser->register_name_capacity);
    }
    kernel->register_names = names;
    kernel->register_bits = bits;
    parser->register_name_capacity = capacity;
  }
  if (kernel->register_names[id])
    return;
  kernel->register_names[id] =
      tile_arena_strdup(&parser->module->arena, name.start, name.length);
  kernel->register_bits[id] =
      type == TILE_PTX_PRED ? 1 : (uint8_t)(8 * tile_emu_type_bytes(type));
}

/// `v.x` to `v.w`, or as colours `v.r` to `v.a`; takes the part off the name.
static bool element_of(TileText *name, uint32_t *out_elem) {
  static const char parts[] = "xyzwrgba";
  uint32_t length = name->length;
  const char *part =
      length > 2 && name->start[length - 2] == '.'
          ? memchr(parts, name->start[length - 1], sizeof parts - 1)
          : NULL;
  if (!part)
    return false;
  name->length -= 2;
  *out_elem = (uint32_t)(part - parts) % 4;
  return true;
}

static void register_operand(TileParser *parser, const TileRegisterDecl *decl,
                             uint32_t index, TileText name,
                             TileOperand *out_operand) {
  out_operand->kind = decl->type == TILE_PTX_PRED ? TILE_OPERAND_PREDICATE
                                                  : TILE_OPERAND_REGISTER;
  out_operand->type = decl->type;
  out_operand->slot = register_slot(parser, decl, index);
  out_operand->reg_id = decl->first_id + index;
  register_name(parser, out_operand->reg_id, decl->type, name);
}

static void vector_operand(TileParser *parser, const TileRegisterDecl *decl,
                           uint32_t first, TileText name,
                           TileOperand *out_operand) {
  out_operand->kind = TILE_OPERAND_VECTOR;
  for (uint32_t i = 0; i < decl->vector_length; i++) {
    TileOperand elem = {0};
    register_operand(parser, decl, first + i, name, &elem);
    tile_emu_operand_add(parser, out_operand, &elem);
  }
}

bool tile_emu_register_find(TileParser *parser, TileText name,
                            TileOperand *out_operand) {
  TileText base = name;
  uint32_t elem = 0;
  bool is_elem = element_of(&base, &elem);
  for (uint32_t s = parser->num_scopes; s-- > 0;) {
    const TileScope *scope = &parser->scopes[s];
    for (uint32_t i = scope->num_registers; i-- > 0;) {
      const TileRegisterDecl *decl = &scope->registers[i];
      uint32_t index, length = decl->vector_length;
      bool is_vector = length > 1;
      if ((is_elem && (!is_vector || elem >= length)) ||
          !register_index(decl, base, &index))
        continue;
      if (is_vector && !is_elem)
        vector_operand(parser, decl, index * length, name, out_operand);
      else
        register_operand(parser, decl, index * length + elem, name,
                         out_operand);
      return true;
    }
  }
  return false;
}

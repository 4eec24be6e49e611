//===- PtxVariables.c - Variable declarations of PTX ----------------------===//
//
// PTX ISA, "Variables": state space, alignment, vectors, arrays, initialisers.
// Global and constant variables are host memory of the module.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunction.h"
#include "Parser.h"

#include <string.h>

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

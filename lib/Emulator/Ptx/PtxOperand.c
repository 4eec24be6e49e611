//===- PtxOperand.c - Operands of PTX instructions ------------------------===//
//
// PTX ISA, "Instruction Operands": registers, constants, variables, addresses
// in brackets, vectors in braces, `a|b` pairs.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunction.h"
#include "Parser.h"

#include <stdlib.h>
#include <string.h>

static TileOperand *parse_nested(TileParser *parser, uint32_t depth);

static TileOperand *operand_new(TileParser *parser, TileOperandKind kind) {
  TileOperand *operand = tile_arena_alloc(&parser->scratch, sizeof *operand);
  operand->kind = kind;
  operand->reg_id = TILE_NO_REGISTER;
  return operand;
}

void tile_emu_operand_add(TileParser *parser, TileOperand *operand,
                          const TileOperand *sub) {
  if (operand->num_subs == TILE_PTX_MAX_VECTOR) {
    tile_emu_parser_fail(parser, "more than %d elements in an operand",
                         TILE_PTX_MAX_VECTOR);
    return;
  }
  operand->subs = tile_emu_arena_grow(&parser->scratch, operand->subs,
                                      operand->num_subs, sizeof *sub);
  operand->subs[operand->num_subs++] = *sub;
}

static TileOperand *parse_list(TileParser *parser, TileOperandKind kind,
                               char close, uint32_t depth) {
  TileOperand *operand = operand_new(parser, kind);
  if (tile_emu_lex_peek(parser) != close)
    do
      tile_emu_operand_add(parser, operand, parse_nested(parser, depth + 1));
    while (tile_emu_lex_eat(parser, ','));
  tile_emu_lex_expect(parser, close);
  return operand;
}

/// After `[`: base, constant offset, and for tensors the coordinates.
static TileOperand *parse_address(TileParser *parser, uint32_t depth) {
  TileOperand *operand = operand_new(parser, TILE_OPERAND_ADDRESS);
  tile_emu_operand_add(parser, operand, parse_nested(parser, depth + 1));
  char c = tile_emu_lex_peek(parser);
  if (c == '+')
    parser->cursor++;
  if (c == '+' || c == '-')
    operand->imm = tile_emu_lex_integer(parser);
  while (tile_emu_lex_eat(parser, ','))
    tile_emu_operand_add(parser, operand, parse_nested(parser, depth + 1));
  tile_emu_lex_expect(parser, ']');
  return operand;
}

//===-- Numbers -----------------------------------------------------------===//

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a float or a double.
static TileOperand *parse_float_bits(TileParser *parser, bool is_double,
                                     bool is_negative) {
  TileOperand *operand = operand_new(parser, TILE_OPERAND_FLOAT);
  char *end;
  uint64_t bits = strtoull(parser->cursor + 2, &end, 16);
  parser->cursor = end;
  if (is_double) {
    memcpy(&operand->number, &bits, sizeof bits);
    if (is_negative)
      operand->number = -operand->number;
    return operand;
  }
  uint32_t bits32 = (uint32_t)bits ^ (is_negative ? 0x80000000u : 0u);
  float number;
  memcpy(&number, &bits32, sizeof number);
  operand->number = number;
  operand->is_float_bits = true;
  operand->imm = bits32;
  return operand;
}

static bool is_decimal_float(const char *c) {
  if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X' || c[1] == 'b'))
    return false;
  while (is_digit(*c))
    c++;
  return *c == '.' || *c == 'e' || *c == 'E';
}

static TileOperand *parse_number(TileParser *parser, bool is_negative) {
  char prefix = (char)(parser->cursor[0] == '0' ? parser->cursor[1] | 32 : 0);
  if (prefix == 'f' || prefix == 'd')
    return parse_float_bits(parser, prefix == 'd', is_negative);
  if (is_decimal_float(parser->cursor)) {
    TileOperand *operand = operand_new(parser, TILE_OPERAND_FLOAT);
    char *end;
    double number = strtod(parser->cursor, &end);
    operand->number = is_negative ? -number : number;
    parser->cursor = end;
    return operand;
  }
  TileOperand *operand = operand_new(parser, TILE_OPERAND_INTEGER);
  uint64_t value = (uint64_t)tile_emu_lex_integer(parser);
  operand->imm = (int64_t)(is_negative ? 0 - value : value);
  return operand;
}

//===-- Special registers -------------------------------------------------===//

typedef struct {
  const char *name;
  TileSpecial special;
  uint32_t size_bytes;
} SpecialName;

/// `.w` is always zero.
#define TRIPLE(name, special)                                                  \
  {name ".x", (TileSpecial)((special) + 0), 4},                                \
      {name ".y", (TileSpecial)((special) + 1), 4},                            \
      {name ".z", (TileSpecial)((special) + 2), 4},                            \
      {name ".w", TILE_SPECIAL_ENVREG, 4}

static const SpecialName specials[] = {
    TRIPLE("%tid", TILE_SPECIAL_TID),
    TRIPLE("%ntid", TILE_SPECIAL_NTID),
    TRIPLE("%ctaid", TILE_SPECIAL_CTAID),
    TRIPLE("%nctaid", TILE_SPECIAL_NCTAID),
    TRIPLE("%clusterid", TILE_SPECIAL_CLUSTERID),
    TRIPLE("%nclusterid", TILE_SPECIAL_NCLUSTERID),
    TRIPLE("%cluster_ctaid", TILE_SPECIAL_CLUSTER_CTAID),
    TRIPLE("%cluster_nctaid", TILE_SPECIAL_CLUSTER_NCTAID),
    {"%cluster_ctarank", TILE_SPECIAL_CLUSTER_CTARANK, 4},
    {"%cluster_nctarank", TILE_SPECIAL_CLUSTER_NCTARANK, 4},
    {"%is_explicit_cluster", TILE_SPECIAL_IS_EXPLICIT_CLUSTER, 4},
    {"%laneid", TILE_SPECIAL_LANEID, 4},
    {"%warpid", TILE_SPECIAL_WARPID, 4},
    {"%nwarpid", TILE_SPECIAL_NWARPID, 4},
    {"%smid", TILE_SPECIAL_SMID, 4},
    {"%nsmid", TILE_SPECIAL_NSMID, 4},
    {"%gridid", TILE_SPECIAL_GRIDID, 8},
    {"%lanemask_eq", TILE_SPECIAL_LANEMASK_EQ, 4},
    {"%lanemask_lt", TILE_SPECIAL_LANEMASK_LT, 4},
    {"%lanemask_le", TILE_SPECIAL_LANEMASK_LE, 4},
    {"%lanemask_gt", TILE_SPECIAL_LANEMASK_GT, 4},
    {"%lanemask_ge", TILE_SPECIAL_LANEMASK_GE, 4},
    {"%dynamic_smem_size", TILE_SPECIAL_DYNAMIC_SMEM_SIZE, 4},
    {"%total_smem_size", TILE_SPECIAL_TOTAL_SMEM_SIZE, 4},
    {"%aggr_smem_size", TILE_SPECIAL_TOTAL_SMEM_SIZE, 4},
    {"%current_graph_exec", TILE_SPECIAL_ENVREG, 8},
    {"%reserved_smem_offset_begin", TILE_SPECIAL_RESERVED_BEGIN, 4},
    {"%reserved_smem_offset_end", TILE_SPECIAL_RESERVED_END, 4},
    {"%reserved_smem_offset_cap", TILE_SPECIAL_RESERVED_END, 4},
    // The driver's: 1 and 2 are the address of the workspace of the grid.
    {"%envreg1", TILE_SPECIAL_WORKSPACE_HIGH, 4},
    {"%envreg2", TILE_SPECIAL_WORKSPACE_LOW, 4},
    {"%clock64", TILE_SPECIAL_CLOCK, 8},
    {"%clock", TILE_SPECIAL_CLOCK, 4},
    {"%clock_hi", TILE_SPECIAL_ENVREG, 4},
    {"%globaltimer", TILE_SPECIAL_CLOCK, 8},
    {"%globaltimer_lo", TILE_SPECIAL_CLOCK, 4},
    {"%globaltimer_hi", TILE_SPECIAL_ENVREG, 4},
};

/// %envreg0 to 31, performance counters: what a driver does not set is 0.
static bool is_zero_register(TileText name, uint32_t *out_size_bytes) {
  static const char *const prefixes[] = {"%envreg", "%pm",
                                         "%reserved_smem_offset_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    size_t length = strlen(prefixes[i]);
    if (name.length <= length || memcmp(name.start, prefixes[i], length) ||
        name.start[length] < '0' || name.start[length] > '9')
      continue;
    bool is_wide =
        name.length > 3 && !memcmp(name.start + name.length - 3, "_64", 3);
    *out_size_bytes = is_wide ? 8 : 4;
    return true;
  }
  return false;
}

/// `%tid` and the like: element `index` of four.
static bool special_is_vector(TileText name, uint32_t index,
                              TileSpecial *out_special) {
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
    const char *entry = specials[i].name;
    if (strlen(entry) == name.length + 2 && entry[name.length] == '.' &&
        !memcmp(entry, name.start, name.length)) {
      *out_special = specials[i + index].special;
      return true;
    }
  }
  return false;
}

static bool special_find(TileText name, TileSpecial *out_special,
                         uint32_t *out_size_bytes) {
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
    if (tile_emu_text_is(name, specials[i].name)) {
      *out_special = specials[i].special;
      *out_size_bytes = specials[i].size_bytes;
      return true;
    }
  *out_special = TILE_SPECIAL_ENVREG;
  return is_zero_register(name, out_size_bytes);
}

//===-- Names -------------------------------------------------------------===//

static bool param_find(const TileParser *parser, TileText name,
                       TileOperand *operand) {
  if (parser->function) // has parameters of its own, which are variables
    return false;
  const TileKernel *kernel = parser->kernel;
  for (uint32_t i = 0; i < kernel->num_params; i++)
    if (tile_emu_text_is(name, kernel->params[i].name)) {
      operand->kind = TILE_OPERAND_PARAM;
      operand->imm = (int64_t)kernel->params[i].offset_bytes;
      return true;
    }
  return false;
}

/// `%tid.x` and `r.b0` are one name although `.` separates words elsewhere.
static TileText parse_name(TileParser *parser) {
  TileText name = tile_emu_lex_identifier(parser);
  if (name.length == 0 || *parser->cursor != '.')
    return name;
  parser->cursor++;
  TileText tail = tile_emu_lex_identifier(parser);
  name.length += 1 + tail.length;
  return name;
}

static TileOperand *special_operand(TileParser *parser, TileOperand *operand,
                                    TileSpecial special, uint32_t size_bytes) {
  operand->kind = TILE_OPERAND_REGISTER;
  operand->is_special = true;
  operand->is_clock = special == TILE_SPECIAL_CLOCK;
  operand->type = size_bytes == 8 ? TILE_PTX_B64 : TILE_PTX_B32;
  operand->slot = tile_emu_constant_slot(parser, TILE_CONSTANT_SPECIAL,
                                         size_bytes, special);
  return operand;
}

/// `%tid` is {%tid.x, %tid.y, %tid.z, 0}.
static bool special_vector_find(TileParser *parser, TileText name,
                                TileOperand *operand) {
  TileSpecial special;
  for (uint32_t i = 0; i < 4; i++) {
    if (!special_is_vector(name, i, &special))
      return false;
    TileOperand *elem = operand_new(parser, TILE_OPERAND_NONE);
    tile_emu_operand_add(parser, operand,
                         special_operand(parser, elem, special, 4));
  }
  operand->kind = TILE_OPERAND_VECTOR;
  operand->is_special = true;
  return true;
}

/// `%r1.h10`: a register and a part of it.
static bool with_selector_find(TileParser *parser, TileText name,
                               TileOperand *operand) {
  const char *dot = memchr(name.start, '.', name.length);
  if (!dot)
    return false;
  TileText base = {name.start, (uint32_t)(dot - name.start)};
  operand->selector =
      (TileText){dot + 1, name.length - (uint32_t)(dot + 1 - name.start)};
  return operand->selector.length &&
         tile_emu_register_find(parser, base, operand) &&
         operand->kind != TILE_OPERAND_VECTOR;
}

static TileOperand *parse_named(TileParser *parser) {
  TileText name = parse_name(parser);
  TileOperand *operand = operand_new(parser, TILE_OPERAND_NONE);
  operand->text = name;
  if (!tile_emu_parser_ok(parser))
    return operand;
  TileSpecial special;
  uint32_t size_bytes;
  if (tile_emu_text_is(name, "_")) {
    operand->kind = TILE_OPERAND_SINK;
    return operand;
  }
  if (tile_emu_text_is(name, "WARP_SZ")) {
    operand->kind = TILE_OPERAND_INTEGER;
    operand->imm = TILE_WARP_SIZE;
    return operand;
  }
  if (tile_emu_register_find(parser, name, operand))
    return operand;
  if (special_find(name, &special, &size_bytes))
    return special_operand(parser, operand, special, size_bytes);
  if (special_vector_find(parser, name, operand))
    return operand;
  if (with_selector_find(parser, name, operand))
    return operand;
  if (name.start[0] == '%') {
    tile_emu_parser_fail(parser, "unknown register %.*s", (int)name.length,
                         name.start);
    return operand;
  }
  if (!param_find(parser, name, operand)) {
    if (!tile_emu_variable_find(parser, name, &operand->symbol)) {
      operand->symbol = tile_emu_function_find(parser, name);
      bool is_function = operand->symbol != TILE_NO_FUNCTION;
      operand->kind = is_function ? TILE_OPERAND_FUNCTION : TILE_OPERAND_LABEL;
      operand->imm = (int64_t)tile_emu_function_address(operand->symbol);
      return operand;
    }
    operand->kind = TILE_OPERAND_VARIABLE;
  }
  char c = tile_emu_lex_peek(parser);
  if (c == '+')
    parser->cursor++;
  if (c == '+' || (c == '-' && is_digit(parser->cursor[1])))
    operand->imm += tile_emu_lex_integer(parser);
  return operand;
}

//===-- Entry -------------------------------------------------------------===//

static TileOperand *parse_nested(TileParser *parser, uint32_t depth) {
  if (depth > TILE_PTX_MAX_OPERAND_DEPTH) {
    tile_emu_parser_fail(parser, "operand is nested too deeply");
    return operand_new(parser, TILE_OPERAND_NONE);
  }
  char c = tile_emu_lex_peek(parser);
  if (is_digit(c))
    return parse_number(parser, false);
  if (c != '{' && c != '(' && c != '[' && c != '!' && c != '-')
    return parse_named(parser);
  parser->cursor++;
  switch (c) {
  case '{':
    return parse_list(parser, TILE_OPERAND_VECTOR, '}', depth);
  case '(':
    return parse_list(parser, TILE_OPERAND_LIST, ')', depth);
  case '[':
    return parse_address(parser, depth);
  default:
    break;
  }
  if (c == '-' && is_digit(tile_emu_lex_peek(parser)))
    return parse_number(parser, true);
  TileOperand *operand = parse_nested(parser, depth + 1);
  bool is_product = c == '-' && operand->kind == TILE_OPERAND_REGISTER; // vmad
  if (operand->kind != TILE_OPERAND_PREDICATE && !is_product)
    tile_emu_parser_fail(parser, "only predicates can be negated");
  operand->negated = true;
  return operand;
}

TileOperand *tile_emu_operand_parse(TileParser *parser) {
  TileOperand *operand = parse_nested(parser, 0);
  if (tile_emu_lex_eat(parser, '|'))
    operand->pair = parse_nested(parser, 1);
  return operand;
}

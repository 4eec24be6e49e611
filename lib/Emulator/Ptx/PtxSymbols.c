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

static TileScope *innermost(TileParser *parser) {
  return &parser->scopes[parser->num_scopes - 1];
}

#define PUSH(arena, array, count, ...)                                         \
  do {                                                                         \
    (array) =                                                                  \
        tile_emu_arena_grow((arena), (array), (count), sizeof(array)[0]);      \
    (array)[(count)++] = __VA_ARGS__;                                          \
  } while (0)

//===-- Labels ------------------------------------------------------------===//

void tile_emu_scope_push(TileParser *parser) {
  if (parser->num_scopes == TILE_PTX_MAX_SCOPES) {
    tile_emu_parser_fail(parser, "blocks are nested deeper than %d",
                         TILE_PTX_MAX_SCOPES);
    return;
  }
  parser->scopes[parser->num_scopes++] = (TileScope){0};
}

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
    const uint32_t *label =
        tile_emu_names_find(&scope->labels, table->labels[i]);
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
  const uint32_t *label = tile_emu_names_find(&scope->labels, use->name);
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
    PUSH(&parser->scratch, outer->uses, outer->num_uses, *use);
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
  tile_emu_function_note_registers(parser, &decl);
  TileScope *scope = innermost(parser);
  if (scope->num_registers == TILE_PTX_MAX_DECLARATIONS) {
    tile_emu_parser_fail(parser,
                         "more than %d register declarations in a block",
                         TILE_PTX_MAX_DECLARATIONS);
    return decl.name;
  }
  PUSH(&parser->scratch, scope->registers, scope->num_registers, decl);
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

bool tile_emu_special_is_vector(TileText name, uint32_t index,
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

bool tile_emu_special_find(TileText name, TileSpecial *out_special,
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

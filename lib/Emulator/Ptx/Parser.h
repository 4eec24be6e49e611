//===- Parser.h - State shared by the files that read PTX text ------------===//
//
// One pass over the text, no tokens: the functions below consume it from the
// cursor. The first error is kept and moves the cursor to the end of the text,
// so every loop ends and nobody needs to check for failure in between.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_EMULATOR_PARSER_H
#define TILE_EMULATOR_PARSER_H

#include "Emulator/HostMemory.h"
#include "Ptx.h"

#include <string.h>

/// A piece of the PTX text.
typedef struct {
  const char *start;
  uint32_t length;
} TileText;

typedef struct {
  TileText name; // start NULL: free
  uint32_t value;
} TileNameEntry;

/// A zeroed table is empty. Memory belongs to the arena.
typedef struct {
  TileNameEntry *entries;
  uint32_t capacity, count; // capacity: 0 or a power of two
} TileNameTable;

/// False when the name is there already.
bool tile_emu_names_add(TileNameTable *table, TileArena *arena, TileText name,
                        uint32_t value);

typedef enum {
  TILE_OPERAND_NONE,
  TILE_OPERAND_REGISTER,
  TILE_OPERAND_PREDICATE,
  TILE_OPERAND_INTEGER,
  TILE_OPERAND_FLOAT,
  TILE_OPERAND_VARIABLE, // `imm` is the offset
  TILE_OPERAND_PARAM,    // kernel parameter; `imm` is the byte offset
  TILE_OPERAND_ADDRESS,  // [subs[0] + imm, subs[1], …]
  TILE_OPERAND_VECTOR,   // {subs…}
  TILE_OPERAND_LIST,     // (subs…)
  TILE_OPERAND_SINK,     // _
  TILE_OPERAND_FUNCTION, // `imm` is its address, `symbol` its number
  TILE_OPERAND_LABEL     // any other name
} TileOperandKind;

typedef struct TileOperand TileOperand;
struct TileOperand {
  TileOperandKind kind;
  bool negated;
  bool is_float_bits; // 0f…: `imm` has the 32 bits
  bool is_special, is_clock;
  TilePtxType type;      // of a register
  uint32_t slot, reg_id; // of a register
  uint32_t symbol;       // of a variable
  int64_t imm;
  double number;
  TileText text;
  TileText selector; // of video instructions: `b0` in %r1.b0
  TileOperand *subs;
  uint32_t num_subs;
  TileOperand *pair; // after `|`
};

typedef struct {
  TileText name;
  bool is_range;
  TilePtxType type;
  uint32_t vector_length; // registers of a name
  uint32_t count, first_id, stride_bytes;
  uint32_t first_slot; // of a function: all slots, one after the other
  uint32_t *slots;     // of a kernel: a slot at the first use; 0: none yet
} TileRegisterDecl;

typedef struct {
  TileText name;
  uint32_t insn, line;
  bool is_table;
} TileLabelUse;

typedef struct {
  TileText name;
  TileText *labels;
  uint32_t num_labels;
  const uint32_t *targets; // once they are known
} TileBranchTable;

typedef struct {
  TileRegisterDecl *registers;
  uint32_t num_registers;
  TileNameTable labels; // value: the instruction
  TileLabelUse *uses;
  uint32_t num_uses;
  uint32_t *symbols;
  uint32_t num_symbols;
} TileScope;

enum {
  TILE_PTX_MAX_SCOPES = 32,
  TILE_PTX_MAX_OPERANDS = 16,
  TILE_PTX_MAX_OPERAND_DEPTH = 4,
  TILE_PTX_MAX_VECTOR = 512,
  TILE_PTX_MAX_PARAMS = 1024,
  TILE_PTX_MAX_MODULE_BYTES = 1 << 30, // of all variables together
  TILE_PTX_MAX_DECLARATIONS = 10000,   // of registers or variables in a block
  TILE_PTX_MAX_REGISTER_FILE_BYTES = 256 << 20,
  TILE_PTX_MAX_VARIABLE_BYTES = 256 << 20
};

/// Appends to an array in `arena`.
#define TILE_PTX_PUSH(arena, array, count, ...)                                \
  do {                                                                         \
    (array) =                                                                  \
        tile_emu_arena_grow((arena), (array), (count), sizeof(array)[0]);      \
    (array)[(count)++] = __VA_ARGS__;                                          \
  } while (0)

typedef struct {
  TileEmuModule *module;
  TileKernel *kernel; // NULL at module scope
  TileArena scratch;  // freed when parsing ends
  const char *cursor, *end;
  uint32_t line;
  TileStatus status;
  TileScope scopes[TILE_PTX_MAX_SCOPES];
  uint32_t num_scopes;
  TileBranchTable *tables;
  uint32_t num_tables;
  uint32_t target; // of .target sm_<number>
  uint32_t register_name_capacity;
  uint32_t source_file, source_line; // of the last .loc
  bool next_is_leader;
  uint64_t variable_bytes;            // so far
  struct TileFunctionText *functions; // all of the module
  uint32_t num_functions;
  struct TileFunction *function; // being parsed; NULL: the kernel itself
} TileParser;

//===-- PtxLexer.c --------------------------------------------------------===//

/// Keeps the first error, as "module:line: message", and ends the text.
void tile_emu_parser_fail(TileParser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool tile_emu_parser_ok(const TileParser *parser) {
  return parser->status.code == TILE_STATUS_OK;
}

/// Next character after spaces and comments; 0 at the end.
char tile_emu_lex_peek(TileParser *parser);
bool tile_emu_lex_eat(TileParser *parser, char wanted);
void tile_emu_lex_expect(TileParser *parser, char wanted);
TileText tile_emu_lex_identifier(TileParser *parser);
/// The word after a dot, without it; empty when there is no dot.
TileText tile_emu_lex_directive(TileParser *parser);
/// Name with modifiers: `cp.async.cg.shared::cta.global`.
TileText tile_emu_lex_opcode(TileParser *parser);
int64_t tile_emu_lex_integer(TileParser *parser);
/// An unsigned size or count of at most `limit`.
uint32_t tile_emu_lex_count(TileParser *parser, uint32_t limit,
                            const char *what);
static inline void tile_emu_lex_skip_line(TileParser *parser) {
  while (parser->cursor < parser->end && *parser->cursor != '\n')
    parser->cursor++;
}
void tile_emu_lex_skip_past(TileParser *parser, char last);
bool tile_emu_text_is(TileText text, const char *literal);
static inline bool tile_emu_text_same(TileText a, TileText b) {
  return a.length == b.length && !memcmp(a.start, b.start, a.length);
}
bool tile_emu_is_identifier_start(char c);

//===-- PtxSymbols.c ------------------------------------------------------===//

static inline void tile_emu_scope_push(TileParser *parser) {
  if (parser->num_scopes == TILE_PTX_MAX_SCOPES) {
    tile_emu_parser_fail(parser, "blocks are nested deeper than %d",
                         TILE_PTX_MAX_SCOPES);
    return;
  }
  parser->scopes[parser->num_scopes++] = (TileScope){0};
}
/// Resolves labels; uses that are not found move to the enclosing scope.
void tile_emu_scope_pop(TileParser *parser);
void tile_emu_register_declare(TileParser *parser);
/// `.u32 name`, a parameter of a function, after `.reg`.
void tile_emu_register_param_declare(TileParser *parser,
                                     TileOperand *out_operand);
/// Fills kind, type, slot and id of `out_operand`; the name of a vector gives
/// one of its elements, `v.x` a single one.
bool tile_emu_register_find(TileParser *parser, TileText name,
                            TileOperand *out_operand);
void tile_emu_variable_declare(TileParser *parser, TilePtxSpace space,
                               bool is_extern);
/// `.align 8 .b8 name[16]`, a parameter of a function, after `.param`; returns
/// its symbol.
uint32_t tile_emu_variable_param_declare(TileParser *parser);
bool tile_emu_variable_find(TileParser *parser, TileText name,
                            uint32_t *out_symbol);
/// Gives a shared or local variable its place in the current kernel and
/// returns the offset; global variables return their host address.
uint64_t tile_emu_variable_place(TileParser *parser, uint32_t symbol);

//===-- PtxOperand.c ------------------------------------------------------===//

/// Reads one operand; allocated in the scratch arena.
TileOperand *tile_emu_operand_parse(TileParser *parser);

/// Appends an element to a vector, a list or an address.
void tile_emu_operand_add(TileParser *parser, TileOperand *operand,
                          const TileOperand *sub);
/// Slot of a constant of the kernel; equal constants share it.
uint32_t tile_emu_constant_slot(TileParser *parser, TileConstantKind kind,
                                uint32_t size_bytes, uint64_t value);

//===-- Isa.c -------------------------------------------------------------===//

/// Decodes `insn`, whose guard and position are set. Returns false when the
/// instruction needs no execution at all (hints). An instruction that is not
/// supported becomes one that reports this when executed.
bool tile_emu_insn_decode(TileParser *parser, TileInsn *insn, TileText opcode,
                          TileOperand *const *operands, uint32_t num_operands);

#endif // TILE_EMULATOR_PARSER_H

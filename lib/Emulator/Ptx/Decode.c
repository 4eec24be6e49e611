//===- Decode.c - Operands of an instruction: checks and slots ------------===//

#include "Decode.h"
#include "Emulator/Alu/NarrowFloat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tile_decode_fail(TileDecoder *decoder, const char *format, ...) {
  if (decoder->unsupported_reason)
    return; // it may well have operands of its own
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  tile_emu_parser_fail(decoder->parser, "%s: %s", decoder->opcode, text);
}

void tile_decode_unsupported(TileDecoder *decoder, const char *reason) {
  if (!decoder->unsupported_reason)
    decoder->unsupported_reason = reason;
}

//===-- Opcode ------------------------------------------------------------===//

bool tile_decode_has(const TileDecoder *decoder, const char *word) {
  for (uint32_t i = 1; i < decoder->num_words; i++)
    if (!strcmp(decoder->words[i], word))
      return true;
  return false;
}

int tile_decode_choice(const TileDecoder *decoder, const char *const *choices,
                       uint32_t num_choices) {
  for (uint32_t i = 0; i < num_choices; i++)
    if (tile_decode_has(decoder, choices[i]))
      return (int)i;
  return -1;
}

static bool is_in_list(const char *word, const char *list) {
  size_t length = strlen(word);
  if (length == 0) // two dots in a row
    return false;
  for (const char *at = list; (at = strstr(at, word)); at += length) {
    bool begins = at == list || at[-1] == ' ';
    if (begins && (at[length] == ' ' || at[length] == 0))
      return true;
  }
  return false;
}

void tile_decode_allow(TileDecoder *decoder, const char *modifiers) {
  for (uint32_t i = 1; i < decoder->num_words; i++) {
    const char *word = decoder->words[i];
    if (tile_emu_type_parse(word) == TILE_PTX_NONE &&
        !is_in_list(word, modifiers)) {
      tile_decode_unsupported(decoder, word);
      return;
    }
  }
}

static bool shape_parse(const char *word, uint32_t out_mnk[3]) {
  static const char names[] = "mnk";
  for (int i = 0; i < 3; i++) {
    char *end;
    if (word[0] != names[i] || word[1] < '0' || word[1] > '9')
      return false;
    unsigned long size = strtoul(word + 1, &end, 10);
    out_mnk[i] = size > 4096 ? 0 : (uint32_t)size;
    word = end;
  }
  return *word == 0;
}

bool tile_decode_shape(const TileDecoder *decoder, uint32_t out_mnk[3]) {
  for (uint32_t i = 1; i < decoder->num_words; i++)
    if (shape_parse(decoder->words[i], out_mnk))
      return true;
  return false;
}

bool tile_decode_count(TileDecoder *decoder, uint32_t min, uint32_t max) {
  if (decoder->num_ops >= min && decoder->num_ops <= max)
    return true;
  tile_decode_fail(decoder, "%u operands where %u%s are expected",
                   decoder->num_ops, min, max > min ? " or more" : "");
  return false;
}

static bool is_wide_register(const TileOperand *operand) {
  return operand->kind == TILE_OPERAND_REGISTER &&
         tile_emu_type_register_bytes(operand->type) == 8;
}

/// PTX ISA, "Cache Eviction Priority Hints": of global memory, from sm_80 on.
static bool check_policy(TileDecoder *decoder) {
  enum { FIRST_TARGET = 80 };
  TilePtxSpace space = tile_decode_space(decoder);
  const TileOperand *policy = decoder->ops[decoder->num_ops - 1];
  const char *mistake = NULL;
  if (decoder->parser->target < FIRST_TARGET)
    mistake = "needs sm_80 or later as .target";
  else if (space != TILE_SPACE_GENERIC && !tile_decode_has(decoder, "global"))
    mistake = "is for global memory";
  else if (tile_decode_has(decoder, "volatile"))
    mistake = "excludes .volatile";
  else if (!is_wide_register(policy) && policy->kind != TILE_OPERAND_INTEGER)
    mistake = "takes a cache policy of 64 bits as last operand";
  if (mistake) {
    tile_decode_fail(decoder, ".L2::cache_hint %s", mistake);
    return false;
  }
  tile_decode_src(decoder, decoder->num_ops - 1, TILE_PTX_B64);
  return true;
}

bool tile_decode_count_hinted(TileDecoder *decoder, uint32_t min,
                              uint32_t max) {
  bool has_hint = tile_decode_has(decoder, "L2::cache_hint");
  uint32_t count = decoder->num_ops;
  if (has_hint && count == min)
    tile_decode_fail(decoder, ".L2::cache_hint without a cache policy");
  else if (!has_hint && count == max + 1 &&
           is_wide_register(decoder->ops[count - 1]))
    tile_decode_fail(decoder, "a cache policy without .L2::cache_hint");
  else
    return tile_decode_count(decoder, min + has_hint, max + has_hint) &&
           (!has_hint || check_policy(decoder));
  return false;
}

TilePtxSpace tile_decode_space(const TileDecoder *decoder) {
  static const struct {
    const char *word;
    TilePtxSpace space;
  } spaces[] = {
      {"shared::cluster", TILE_SPACE_SHARED_CLUSTER},
      {"shared", TILE_SPACE_SHARED},
      {"shared::cta", TILE_SPACE_SHARED},
      {"global", TILE_SPACE_GLOBAL},
      {"local", TILE_SPACE_LOCAL},
      {"param", TILE_SPACE_PARAM},
      {"param::entry", TILE_SPACE_PARAM},
      {"param::func", TILE_SPACE_PARAM},
      {"const", TILE_SPACE_CONST},
  };
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
    if (tile_decode_has(decoder, spaces[i].word))
      return spaces[i].space;
  return TILE_SPACE_GENERIC;
}

//===-- Registers and constants -------------------------------------------===//

static void register_note(TileDecoder *decoder, const TileOperand *operand,
                          bool is_dst) {
  if (operand->reg_id == TILE_NO_REGISTER ||
      decoder->num_registers == TILE_DECODE_MAX_REGISTERS)
    return;
  uint32_t at = decoder->num_registers++;
  if (is_dst) { // destinations stay in front
    uint32_t first_src = decoder->num_dst_registers++;
    decoder->registers[at] = decoder->registers[first_src];
    decoder->register_slots[at] = decoder->register_slots[first_src];
    at = first_src;
  }
  decoder->registers[at] = operand->reg_id;
  decoder->register_slots[at] = operand->slot;
}

static uint32_t constant(TileDecoder *decoder, TileConstantKind kind,
                         uint32_t size_bytes, uint64_t value) {
  return tile_emu_constant_slot(decoder->parser, kind, size_bytes, value);
}

/// %gridid had 32 bits before PTX 3.0, and moves still read the lower half (PTX
/// ISA 9.0, 10.6).
static bool has_lower_half(const TileOperand *operand) {
  static const char name[] = "%gridid";
  return operand->text.length == sizeof name - 1 &&
         memcmp(operand->text.start, name, sizeof name - 1) == 0;
}

static uint32_t register_slot(TileDecoder *decoder, const TileOperand *operand,
                              TilePtxType type, bool is_dst) {
  if (operand->selector.length)
    tile_decode_fail(decoder, "%.*s: a whole register is expected",
                     (int)operand->text.length, operand->text.start);
  if (operand->negated)
    tile_decode_fail(decoder, "%.*s cannot be negated here",
                     (int)operand->text.length, operand->text.start);
  uint32_t wanted = tile_emu_type_register_bytes(type);
  uint32_t actual = tile_emu_type_register_bytes(operand->type);
  if (wanted != actual && !(wanted < actual && has_lower_half(operand)))
    tile_decode_fail(decoder, "%.*s has %u bits, not %u",
                     (int)operand->text.length, operand->text.start, 8 * actual,
                     8 * wanted);
  register_note(decoder, operand, is_dst);
  return operand->slot;
}

static uint32_t integer_slot(TileDecoder *decoder, int64_t number,
                             TilePtxType type) {
  uint32_t size_bytes = tile_emu_type_bytes(type);
  uint64_t value = (uint64_t)number;
  if (size_bytes > 0 && size_bytes < 8)
    value &= (1ull << (8 * size_bytes)) - 1;
  return constant(decoder, TILE_CONSTANT_VALUE,
                  tile_emu_type_register_bytes(type), value);
}

static uint32_t float_slot(TileDecoder *decoder, const TileOperand *operand,
                           TilePtxType type) {
  uint64_t bits = 0;
  if (tile_emu_type_register_bytes(type) == 8)
    memcpy(&bits, &operand->number, sizeof bits);
  else if (type == TILE_PTX_F16)
    bits = tile_f16_of_f32((float)operand->number);
  else if (type == TILE_PTX_BF16)
    bits = tile_bf16_of_f32((float)operand->number);
  else if (operand->is_float_bits)
    bits = (uint64_t)operand->imm;
  else
    bits = tile_bits_of_f32((float)operand->number);
  return constant(decoder, TILE_CONSTANT_VALUE,
                  tile_emu_type_register_bytes(type), bits);
}

static uint32_t variable_slot(TileDecoder *decoder, const TileOperand *operand,
                              TilePtxType type) {
  TileParser *parser = decoder->parser;
  const TileSymbol *symbol = &parser->module->symbols[operand->symbol];
  uint32_t size_bytes = tile_emu_type_register_bytes(type);
  uint64_t place = tile_emu_variable_place(parser, operand->symbol);
  uint64_t value = place + (uint64_t)operand->imm;
  bool is_host = symbol->space != TILE_SPACE_SHARED;
  if (is_host && size_bytes != 8)
    tile_decode_fail(decoder, "the address of %s has 64 bits", symbol->name);
  if (symbol->space == TILE_SPACE_SHARED)
    return constant(decoder,
                    symbol->is_extern ? TILE_CONSTANT_SHARED_DYNAMIC
                                      : TILE_CONSTANT_SHARED,
                    size_bytes, value);
  if (symbol->space == TILE_SPACE_LOCAL || symbol->space == TILE_SPACE_PARAM)
    return constant(decoder, TILE_CONSTANT_LOCAL, size_bytes, value);
  return constant(decoder, TILE_CONSTANT_VALUE, size_bytes, value);
}

uint32_t tile_decode_src_of(TileDecoder *decoder, const TileOperand *operand,
                            TilePtxType type) {
  switch (operand->kind) {
  case TILE_OPERAND_REGISTER:
    if (type != TILE_PTX_PRED)
      return register_slot(decoder, operand, type, false);
    break;
  case TILE_OPERAND_INTEGER:
    return integer_slot(decoder, operand->imm, type);
  case TILE_OPERAND_FUNCTION:
    if (tile_emu_type_bytes(type) != 8)
      tile_decode_fail(decoder, "the address of a function has 64 bits");
    return integer_slot(decoder, operand->imm, type);
  case TILE_OPERAND_FLOAT:
    return float_slot(decoder, operand, type);
  case TILE_OPERAND_PARAM:
    return constant(decoder, TILE_CONSTANT_PARAM,
                    tile_emu_type_register_bytes(type), (uint64_t)operand->imm);
  case TILE_OPERAND_VARIABLE:
    return variable_slot(decoder, operand, type);
  case TILE_OPERAND_LABEL:
    tile_decode_fail(decoder, "unknown name %.*s", (int)operand->text.length,
                     operand->text.start);
    return 0;
  default:
    break;
  }
  tile_decode_fail(decoder, "expected a register or constant as source");
  return 0;
}

uint32_t tile_decode_dst_of(TileDecoder *decoder, const TileOperand *operand,
                            TilePtxType type) {
  if (operand->kind == TILE_OPERAND_SINK)
    return constant(decoder, TILE_CONSTANT_SCRATCH, 16, 0);
  bool is_pred = type == TILE_PTX_PRED;
  if (operand->kind !=
          (is_pred ? TILE_OPERAND_PREDICATE : TILE_OPERAND_REGISTER) ||
      operand->is_special) {
    tile_decode_fail(decoder, "expected a %s as destination",
                     is_pred ? "predicate" : "register");
    return 0;
  }
  if (!is_pred)
    return register_slot(decoder, operand, type, true);
  register_note(decoder, operand, true);
  return operand->slot;
}

uint32_t tile_decode_src(TileDecoder *decoder, uint32_t index,
                         TilePtxType type) {
  if (index < decoder->num_ops)
    return tile_decode_src_of(decoder, decoder->ops[index], type);
  tile_decode_fail(decoder, "operand %u is missing", index + 1);
  return 0;
}

uint32_t tile_decode_dst(TileDecoder *decoder, uint32_t index,
                         TilePtxType type) {
  if (index < decoder->num_ops)
    return tile_decode_dst_of(decoder, decoder->ops[index], type);
  tile_decode_fail(decoder, "operand %u is missing", index + 1);
  return 0;
}

uint32_t tile_decode_pred_src(TileDecoder *decoder, uint32_t index,
                              bool *out_negated) {
  *out_negated = false;
  if (index >= decoder->num_ops) {
    tile_decode_fail(decoder, "operand %u is missing", index + 1);
    return 0;
  }
  const TileOperand *operand = decoder->ops[index];
  if (operand->kind == TILE_OPERAND_INTEGER)
    return constant(decoder, TILE_CONSTANT_VALUE, 4,
                    operand->imm ? TILE_ALL_LANES : 0);
  if (operand->kind != TILE_OPERAND_PREDICATE) {
    tile_decode_fail(decoder, "operand %u is not a predicate", index + 1);
    return 0;
  }
  register_note(decoder, operand, false);
  *out_negated = operand->negated;
  return operand->slot;
}

uint32_t tile_decode_pair_pred(TileDecoder *decoder, uint32_t index) {
  const TileOperand *pair = decoder->ops[index]->pair;
  if (!pair || pair->kind == TILE_OPERAND_SINK)
    return TILE_NO_SLOT;
  return tile_decode_dst_of(decoder, pair, TILE_PTX_PRED);
}

int64_t tile_decode_immediate(TileDecoder *decoder, uint32_t index) {
  if (index < decoder->num_ops &&
      decoder->ops[index]->kind == TILE_OPERAND_INTEGER)
    return decoder->ops[index]->imm;
  tile_decode_fail(decoder, "operand %u is not an integer constant", index + 1);
  return 0;
}

//===-- Addresses and vectors ---------------------------------------------===//

TileDecodedAddress tile_decode_address(TileDecoder *decoder,
                                       const TileOperand *operand,
                                       TilePtxSpace space) {
  TileDecodedAddress address = {0};
  if (operand->kind != TILE_OPERAND_ADDRESS) {
    tile_decode_fail(decoder, "expected an address in brackets");
    return address;
  }
  const TileOperand *base = &operand->subs[0];
  address.offset = operand->imm;
  bool is_shared =
      space == TILE_SPACE_SHARED || space == TILE_SPACE_SHARED_CLUSTER;
  if (base->kind == TILE_OPERAND_REGISTER) {
    address.is_wide = tile_emu_type_register_bytes(base->type) == 8;
    if (tile_emu_type_register_bytes(base->type) == 16)
      tile_decode_fail(decoder, "a 128-bit register is no address");
    register_note(decoder, base, false);
    address.slot = base->slot;
    return address;
  }
  if (base->kind == TILE_OPERAND_PARAM && space == TILE_SPACE_PARAM) {
    address.is_param = true;
    address.is_wide = true;
    address.offset += base->imm;
    address.slot = constant(decoder, TILE_CONSTANT_PARAM, 8, 0);
    return address;
  }
  address.is_wide = !is_shared;
  address.slot = tile_decode_src_of(decoder, base,
                                    is_shared ? TILE_PTX_B32 : TILE_PTX_B64);
  return address;
}

TileDecodedAddress tile_decode_address_a(TileDecoder *decoder, uint32_t index,
                                         TilePtxSpace space) {
  TileDecodedAddress address = {0};
  if (index >= decoder->num_ops) {
    tile_decode_fail(decoder, "operand %u is missing", index + 1);
    return address;
  }
  address = tile_decode_address(decoder, decoder->ops[index], space);
  decoder->insn->a = address.slot;
  decoder->insn->offset = address.offset;
  return address;
}

void tile_decode_list_add(TileDecoder *decoder, TileSlotList *list,
                          const TileOperand *operand, TilePtxType type,
                          bool is_dst) {
  bool is_vector = operand->kind == TILE_OPERAND_VECTOR;
  uint32_t count = is_vector ? operand->num_subs : 1;
  for (uint32_t i = 0; i < count; i++) {
    const TileOperand *elem = is_vector ? &operand->subs[i] : operand;
    uint32_t slot = TILE_NO_SLOT;
    if (!is_dst)
      slot = tile_decode_src_of(decoder, elem, type);
    else if (elem->kind != TILE_OPERAND_SINK)
      slot = tile_decode_dst_of(decoder, elem, type);
    list->slots =
        tile_emu_arena_grow(&decoder->parser->module->arena, list->slots,
                            list->count, sizeof *list->slots);
    list->slots[list->count++] = slot;
  }
}

void tile_decode_list_finish(TileDecoder *decoder, const TileSlotList *list) {
  decoder->insn->vec = list->slots;
  decoder->insn->num_vec = (uint16_t)list->count;
}

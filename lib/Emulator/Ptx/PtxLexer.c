//===- PtxLexer.c - Words and numbers of PTX text -------------------------===//
//
// PTX ISA, "Syntax": identifiers, constants, comments.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tile_emu_parser_fail(TileParser *parser, const char *format, ...) {
  if (!tile_emu_parser_ok(parser))
    return;
  char text[600];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  parser->status = tile_status_error(TILE_STATUS_USER_ERROR, "%s:%u: %s",
                                     parser->module->name, parser->line, text);
  parser->cursor = parser->end;
}

//===-- Characters --------------------------------------------------------===//

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool tile_emu_is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%';
}

static bool is_identifier(char c) {
  return tile_emu_is_identifier_start(c) || is_digit(c);
}

static void skip_block_comment(TileParser *parser) {
  parser->cursor += 2;
  while (parser->cursor < parser->end) {
    if (parser->cursor[0] == '*' && parser->cursor[1] == '/') {
      parser->cursor += 2;
      return;
    }
    parser->line += *parser->cursor == '\n';
    parser->cursor++;
  }
}

char tile_emu_lex_peek(TileParser *parser) {
  for (;;) {
    // The text ends with a zero, so looking one character ahead is safe.
    const char *c = parser->cursor;
    if (*c == '\n')
      parser->line++, parser->cursor++;
    else if (*c == ' ' || *c == '\t' || *c == '\r')
      parser->cursor++;
    else if (c[0] == '/' && c[1] == '/')
      tile_emu_lex_skip_line(parser);
    else if (c[0] == '/' && c[1] == '*')
      skip_block_comment(parser);
    else
      return *c;
  }
}

bool tile_emu_lex_eat(TileParser *parser, char wanted) {
  if (tile_emu_lex_peek(parser) != wanted)
    return false;
  parser->cursor++;
  return true;
}

void tile_emu_lex_expect(TileParser *parser, char wanted) {
  if (!tile_emu_lex_eat(parser, wanted))
    tile_emu_parser_fail(parser, "expected '%c' before '%.20s'", wanted,
                         parser->cursor);
}

void tile_emu_lex_skip_past(TileParser *parser, char last) {
  while (parser->cursor < parser->end && *parser->cursor != last) {
    parser->line += *parser->cursor == '\n';
    parser->cursor++;
  }
  if (parser->cursor < parser->end)
    parser->cursor++;
  else
    tile_emu_parser_fail(parser, "expected '%c' before the end of the text",
                         last);
}

//===-- Words -------------------------------------------------------------===//

bool tile_emu_text_is(TileText text, const char *literal) {
  return strlen(literal) == text.length &&
         !memcmp(text.start, literal, text.length);
}

static TileText text_to(const char *start, const char *end) {
  return (TileText){start, (uint32_t)(end - start)};
}

TileText tile_emu_lex_identifier(TileParser *parser) {
  if (!tile_emu_is_identifier_start(tile_emu_lex_peek(parser))) {
    tile_emu_parser_fail(parser, "expected a name before '%.20s'",
                         parser->cursor);
    return (TileText){"", 0};
  }
  const char *start = parser->cursor;
  while (is_identifier(*parser->cursor))
    parser->cursor++;
  return text_to(start, parser->cursor);
}

TileText tile_emu_lex_directive(TileParser *parser) {
  if (!tile_emu_lex_eat(parser, '.'))
    return (TileText){"", 0};
  const char *start = parser->cursor;
  while (is_identifier(*parser->cursor) || *parser->cursor == ':')
    parser->cursor++;
  return text_to(start, parser->cursor);
}

TileText tile_emu_lex_opcode(TileParser *parser) {
  tile_emu_lex_peek(parser);
  const char *start = parser->cursor;
  for (;;) {
    const char *c = parser->cursor;
    if (is_identifier(*c) || (*c == '.' && c > start))
      parser->cursor++;
    else if (c[0] == ':' && c[1] == ':')
      parser->cursor += 2;
    else
      break;
  }
  if (parser->cursor == start)
    tile_emu_parser_fail(parser, "expected a statement before '%.20s'", start);
  return text_to(start, parser->cursor);
}

//===-- Numbers -----------------------------------------------------------===//

static int digit_value(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

static int number_base(TileParser *parser) {
  const char *c = parser->cursor;
  if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X')) {
    parser->cursor += 2;
    return 16;
  }
  if (c[0] == '0' && (c[1] == 'b' || c[1] == 'B')) {
    parser->cursor += 2;
    return 2;
  }
  return c[0] == '0' ? 8 : 10;
}

int64_t tile_emu_lex_integer(TileParser *parser) {
  bool is_negative = tile_emu_lex_eat(parser, '-');
  tile_emu_lex_peek(parser);
  const char *start = parser->cursor;
  int base = number_base(parser);
  const char *digits = parser->cursor;
  uint64_t value = 0;
  while (digit_value(*parser->cursor) < base)
    value = value * (uint64_t)base + (uint64_t)digit_value(*parser->cursor++);
  if (parser->cursor == digits) {
    tile_emu_parser_fail(parser, "expected a number before '%.20s'", start);
    return 0;
  }
  if (*parser->cursor == 'U')
    parser->cursor++;
  return (int64_t)(is_negative ? 0 - value : value);
}

uint32_t tile_emu_lex_count(TileParser *parser, uint32_t limit,
                            const char *what) {
  int64_t value = tile_emu_lex_integer(parser);
  if (value >= 0 && value <= (int64_t)limit)
    return (uint32_t)value;
  tile_emu_parser_fail(parser, "%s is %lld, at most %u is supported", what,
                       (long long)value, limit);
  return 0;
}

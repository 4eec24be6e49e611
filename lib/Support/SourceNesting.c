//===- SourceNesting.c - How deep brackets of a program are nested --------===//

#include "SourceNesting.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const char *text;
  size_t size_bytes, at;
  int brackets, angles; // that are open
} Scan;

static char char_at(const Scan *scan, size_t at) {
  return at < scan->size_bytes ? scan->text[at] : '\0';
}

// Moves past a string; MLIR ends one that is not closed at the end of the
// line.
static void skip_string(Scan *scan) {
  for (scan->at++; scan->at < scan->size_bytes; scan->at++) {
    char c = scan->text[scan->at];
    if (c == '\\')
      scan->at++;
    else if (c == '"' || c == '\n')
      break;
  }
}

static void skip_comment(Scan *scan) {
  const char *end =
      memchr(scan->text + scan->at, '\n', scan->size_bytes - scan->at);
  scan->at = end ? (size_t)(end - scan->text) : scan->size_bytes;
}

// Arrows and comparisons are no brackets. What closes none is left to the
// parser.
static void count_bracket(Scan *scan) {
  char c = scan->text[scan->at];
  switch (c) {
  case '(':
  case '[':
  case '{':
    scan->brackets++;
    break;
  case ')':
  case ']':
  case '}':
    scan->brackets -= scan->brackets > 0;
    break;
  case '<':
    scan->angles += char_at(scan, scan->at + 1) != '=';
    break;
  case '>':
    scan->angles -= scan->angles > 0 && scan->text[scan->at - 1] != '-';
    break;
  default:
    break;
  }
}

static TileSourcePlace place_of(const Scan *scan) {
  TileSourcePlace place = {1, 1};
  for (size_t i = 0; i < scan->at; i++) {
    bool is_end = scan->text[i] == '\n';
    place.line += is_end;
    place.column = is_end ? 1 : place.column + 1;
  }
  return place;
}

bool tile_source_nesting_check(const char *text, size_t size_bytes,
                               TileSourcePlace *out_place) {
  Scan scan = {.text = text, .size_bytes = size_bytes};
  if (size_bytes >= 4 && !memcmp(text, "ML\xefR", 4))
    return true;
  for (; scan.at < size_bytes; scan.at++) {
    char c = text[scan.at];
    if (c == '"')
      skip_string(&scan);
    else if (c == '/' && char_at(&scan, scan.at + 1) == '/')
      skip_comment(&scan);
    else
      count_bracket(&scan);
    if (scan.brackets + scan.angles > TILE_MAX_SOURCE_NESTING) {
      *out_place = place_of(&scan);
      return false;
    }
  }
  return true;
}

bool tile_source_nesting_report(const char *name, const char *text,
                                size_t size_bytes) {
  TileSourcePlace place;
  if (tile_source_nesting_check(text, size_bytes, &place))
    return true;
  fprintf(stderr, "%s:%zu:%zu: error: " TILE_SOURCE_NESTING_ERROR "\n", name,
          place.line, place.column, TILE_MAX_SOURCE_NESTING);
  return false;
}

//===- AsmText.c - Text of inline assembly --------------------------------===//

#include "AsmText.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

AsmText asm_text_create(TileArena *arena, size_t capacity) {
  return (AsmText){TILE_ARENA_NEW(arena, char, capacity), 0, capacity};
}

void asm_text_add(AsmText *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->text + text->length, text->capacity - text->length,
                    format, args);
  va_end(args);
  text->length += (size_t)n;
  assert(text->length < text->capacity);
}

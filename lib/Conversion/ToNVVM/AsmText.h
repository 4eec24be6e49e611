//===- AsmText.h - Text of inline assembly --------------------------------===//
#ifndef TILE_CONVERSION_ASM_TEXT_H
#define TILE_CONVERSION_ASM_TEXT_H

#include "Support/Arena.h"
#include <stddef.h>

/// Text of a known bound. Owner: the arena.
typedef struct {
  char *text; // terminated
  size_t length, capacity;
} AsmText;

AsmText asm_text_create(TileArena *arena, size_t capacity);
/// Appends; exceeding the capacity is a bug of the caller.
void asm_text_add(AsmText *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // TILE_CONVERSION_ASM_TEXT_H

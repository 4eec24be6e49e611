//===- TextBuffer.h - Text that grows -------------------------------------===//
#ifndef TILE_LIB_TARGET_TEXT_BUFFER_H
#define TILE_LIB_TARGET_TEXT_BUFFER_H

#include "mlir-c/Support.h"
#include <stddef.h>

/// A zeroed struct is empty and valid; `data` is NULL until something is
/// appended and ends with a zero byte afterwards.
typedef struct {
  char *data;
  size_t size_bytes; // without the zero byte
  size_t capacity_bytes;
} TileText;

void tile_text_deinit(TileText *text);
void tile_text_append(TileText *text, const char *data, size_t size_bytes);
void tile_text_print(TileText *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A MlirStringCallback; `text` is a TileText.
void tile_text_callback(MlirStringRef piece, void *text);

/// The text as a heap string, "" when empty; `text` is empty afterwards.
/// Owner: the caller, free.
char *tile_text_take(TileText *text);

#endif // TILE_LIB_TARGET_TEXT_BUFFER_H

//===- TextBuffer.c - Text that grows -------------------------------------===//

#include "Target/TextBuffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(TileText *text, size_t size_bytes) {
  size_t need = text->size_bytes + size_bytes + 1;
  if (need <= text->capacity_bytes)
    return;
  text->capacity_bytes = need < 256 ? 256 : need * 2;
  char *data = realloc(text->data, text->capacity_bytes);
  if (!data) {
    fprintf(stderr, "tile: out of memory: %zu bytes\n", text->capacity_bytes);
    abort();
  }
  text->data = data;
}

void tile_text_deinit(TileText *text) {
  free(text->data);
  *text = (TileText){NULL, 0, 0};
}

void tile_text_append(TileText *text, const char *data, size_t size_bytes) {
  reserve(text, size_bytes);
  memcpy(text->data + text->size_bytes, data, size_bytes);
  text->size_bytes += size_bytes;
  text->data[text->size_bytes] = '\0';
}

void tile_text_print(TileText *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length > 0) {
    reserve(text, (size_t)length);
    vsnprintf(text->data + text->size_bytes, (size_t)length + 1, format, again);
    text->size_bytes += (size_t)length;
  }
  va_end(again);
}

void tile_text_callback(MlirStringRef piece, void *text) {
  tile_text_append(text, piece.data, piece.length);
}

char *tile_text_take(TileText *text) {
  reserve(text, 0);
  text->data[text->size_bytes] = '\0';
  char *data = text->data;
  *text = (TileText){NULL, 0, 0};
  return data;
}

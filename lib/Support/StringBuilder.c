//===- StringBuilder.c - Text that grows ----------------------------------===//

#include "StringBuilder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(TileString *string, size_t size_bytes) {
  size_t need = string->size_bytes + size_bytes + 1;
  if (need <= string->capacity_bytes)
    return;
  string->capacity_bytes = need < 256 ? 256 : need * 2;
  char *data = realloc(string->data, string->capacity_bytes);
  if (!data) {
    fprintf(stderr, "tile: out of memory: %zu bytes\n", string->capacity_bytes);
    abort();
  }
  string->data = data;
}

void tile_string_deinit(TileString *string) {
  free(string->data);
  *string = (TileString){NULL, 0, 0};
}

void tile_string_append(TileString *string, const char *data,
                        size_t size_bytes) {
  reserve(string, size_bytes);
  if (size_bytes) // the data may be NULL then
    memcpy(string->data + string->size_bytes, data, size_bytes);
  string->size_bytes += size_bytes;
  string->data[string->size_bytes] = '\0';
}

void tile_string_print(TileString *string, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length >= 0) {
    reserve(string, (size_t)length);
    vsnprintf(string->data + string->size_bytes, (size_t)length + 1, format,
              again);
    string->size_bytes += (size_t)length;
  }
  va_end(again);
}

const char *tile_string_text(const TileString *string) {
  return string->data ? string->data : "";
}

char *tile_string_take(TileString *string) {
  reserve(string, 0);
  string->data[string->size_bytes] = '\0';
  char *data = string->data;
  *string = (TileString){NULL, 0, 0};
  return data;
}

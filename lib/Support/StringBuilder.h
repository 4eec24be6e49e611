//===- StringBuilder.h - Text that grows ----------------------------------===//
//
// The tree's one way to put text together that has no fixed size.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_STRING_BUILDER_H
#define TILE_SUPPORT_STRING_BUILDER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A zeroed struct is empty and valid; `data` is NULL until something is
/// appended and ends with a zero byte afterwards. Memory that is exhausted ends
/// the program, as in an arena.
typedef struct {
  char *data;        // owned, tile_string_deinit
  size_t size_bytes; // without the zero byte
  size_t capacity_bytes;
} TileString;

/// Leaves an empty string, which may be used again.
void tile_string_deinit(TileString *string);
void tile_string_append(TileString *string, const char *data,
                        size_t size_bytes);
void tile_string_print(TileString *string, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// What was appended, "" when nothing was. Borrowed until the next change.
const char *tile_string_text(const TileString *string);

/// The text as a heap string, "" when empty; `string` is empty afterwards.
/// Owner: the caller, free.
char *tile_string_take(TileString *string);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_STRING_BUILDER_H

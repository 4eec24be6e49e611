//===- SourceNesting.h - How deep brackets of a program are nested --------===//
#ifndef TILE_SUPPORT_SOURCE_NESTING_H
#define TILE_SUPPORT_SOURCE_NESTING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Brackets around each other that a program may have: ops with regions take
/// two in their generic form, and tile ops are nested in at most 1000.
enum { TILE_MAX_SOURCE_NESTING = 4000 };

/// What is said of one more; its argument is the number above.
#define TILE_SOURCE_NESTING_ERROR                                              \
  "expects at most %d brackets around each other"

/// A place in a text; both count from 1.
typedef struct {
  size_t line, column;
} TileSourcePlace;

/// Looks for a bracket, one of ( [ { <, inside TILE_MAX_SOURCE_NESTING others.
/// False: `out_place` is the first one. MLIR's parser recurses for each, which
/// overflows any stack, and frees regions in a time that grows with the square
/// of their depth. Strings and comments have no brackets, and bytecode is no
/// text.
bool tile_source_nesting_check(const char *text, size_t size_bytes,
                               TileSourcePlace *out_place);

/// The same for a tool: says on stderr where the bracket is, in the file
/// `name`.
bool tile_source_nesting_report(const char *name, const char *text,
                                size_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_SOURCE_NESTING_H

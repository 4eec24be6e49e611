//===- Reason.h - Why the answer to a question is "no" --------------------===//
#ifndef TILE_SUPPORT_REASON_H
#define TILE_SUPPORT_REASON_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Why a question was answered "no": the end of a sentence, and the code of the
/// remark that may be made of it. A code without "/" says that the question
/// does not apply: no remark is made of it.
typedef struct {
  const char *code; // "tile-instr/alignment"; "": there is none
  char text[256];   // one line, no newline, names the numbers that matter
} TileReason;

/// Writes the reason to |out|, which may be NULL. Returns false.
bool tile_refuse(TileReason *out, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
} // extern "C"
#endif

#endif

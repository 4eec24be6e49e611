//===- Diagnostic.h - What the libraries say to a program -----------------===//
//
// Plain C11 and C++17. Everything that compiling and running have to say comes
// through one function of the program; the libraries print nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIAGNOSTIC_H
#define TILE_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILE_API __attribute__((visibility("default")))

typedef enum {
  TILE_SEVERITY_NOTE,    // of another diagnostic
  TILE_SEVERITY_REMARK,  // what the compiler declined to do, and the cure
  TILE_SEVERITY_WARNING, // of the compiler or the assembler
  TILE_SEVERITY_ERROR,   // why there is no result
  TILE_SEVERITY_OUTPUT   // what a kernel printed on the emulator, as it is
} TileSeverity;

/// One message. Texts are never NULL and live until the function that is given
/// the message returns. Later versions may add members at the end.
typedef struct TileDiagnostic TileDiagnostic;
struct TileDiagnostic {
  TileSeverity severity;
  /// Of remarks and warnings the stable name of docs/Remarks.md, of errors what
  /// found them: a pass, "parse", "ptxas", "cancel", …; "" when unknown.
  const char *code;
  const char *file;        // "" when no place is known
  int line, column;        // from 1; 0 when unknown
  const char *text;        // without place, severity and final newline
  const char *source_line; // the line of the program; "" when unknown
  const TileDiagnostic *const *notes;
  size_t num_notes;
  bool is_internal; // an error that is not the fault of the program
};

/// Receives each message, on the thread that called the library.
typedef void (*TileDiagnosticFn)(const TileDiagnostic *diagnostic,
                                 void *user_data);

/// Writes "file:line:column: error: text", the line and a caret, the same for
/// each note, with newlines, into `out`, cut at `capacity` with a zero byte.
/// Returns the length of all, as snprintf does.
TILE_API size_t tile_diagnostic_format(const TileDiagnostic *diagnostic,
                                       char *out, size_t capacity);

/// Prints a message on stderr: for programs that do nothing better with it.
/// A TileDiagnosticFn; `user_data` is not used.
TILE_API void tile_diagnostic_print(const TileDiagnostic *diagnostic,
                                    void *user_data);

/// "0.1.0". A program may use a library of the same first two numbers that is
/// not older than its headers.
TILE_API const char *tile_version(void);

#ifdef __cplusplus
}
#endif

#endif // TILE_DIAGNOSTIC_H

//===- OutputFiles.h - All output files, or none --------------------------===//
//
// Files are written under temporary names in their folder and renamed together
// at the end, so that a failure leaves nothing behind.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILE_OUTPUT_FILES_H
#define TILE_COMPILE_OUTPUT_FILES_H

#include "Tile/Support/Status.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *final_path, *temporary_path; // owned
  bool is_kept;
} OutputFile;

/// A zeroed struct with `folder` set is empty and valid.
typedef struct {
  const char *folder; // borrowed
  OutputFile *items;
  size_t count;
} OutputFiles;

/// Makes a folder and those above it; no error when it is there.
TileStatus output_folder_make(const char *path);

/// Writes a file under its final name.
TileStatus output_file_write(const char *path, const char *data,
                             size_t size_bytes);

/// Adds `<name>.<extension>` and returns the temporary path, borrowed until
/// commit or discard. `data` NULL: another program writes it. A file that is
/// not kept only serves that program: commit removes it.
TileStatus output_files_add(OutputFiles *files, const char *name,
                            const char *extension, bool is_kept,
                            const char *data, size_t size_bytes,
                            const char **out_temporary_path);

/// Gives every file its final name; frees the list.
TileStatus output_files_commit(OutputFiles *files);
/// Removes every temporary file; frees the list.
void output_files_discard(OutputFiles *files);

#endif // TILE_COMPILE_OUTPUT_FILES_H

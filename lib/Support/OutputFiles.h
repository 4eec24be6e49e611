//===- OutputFiles.h - All output files, or none --------------------------===//
//
// Each file is written in a folder of its own, beside the place where the file
// will be; the names of both end in ".tmp". All of them are renamed together at
// the end, so that a failure leaves no file, and neither does a signal
// (Support/SignalGuard.h). What a killed program leaves ends in ".tmp".
//
// What is there already and no regular file, such as a terminal, a pipe or
// /dev/null, is written in place.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SUPPORT_OUTPUT_FILES_H
#define TILE_SUPPORT_OUTPUT_FILES_H

#include "Tile/Support/Status.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One file. The strings are owned.
typedef struct {
  char *final_path;
  char *temporary_path;   // the final one when it is written in place
  char *temporary_folder; // NULL: in place
  bool is_kept;           // else it only serves another program
  int renamed;            // how, while commit runs
} TileOutputFile;

/// The files of a run. All functions may be called by several threads.
typedef struct {
  pthread_mutex_t lock;
  TileOutputFile *files;
  size_t num_files;
  char **folders; // those that were made, outermost first; owned
  size_t num_folders;
  bool is_ended;
} TileOutputs;

void tile_outputs_init(TileOutputs *out);

/// Makes a folder and those above it; no error when it is there.
TileStatus tile_outputs_make_folder(TileOutputs *outputs, const char *path);

/// Adds a file that another program writes. The temporary path is borrowed
/// until commit or discard. A path that was added before is the same file.
/// A file that is not kept is removed by commit.
TileStatus tile_outputs_add(TileOutputs *outputs, const char *path,
                            bool is_kept, const char **out_temporary_path);

/// Adds a file with this text; `out_temporary_path` may be NULL.
TileStatus tile_outputs_write(TileOutputs *outputs, const char *path,
                              bool is_kept, const char *data, size_t size_bytes,
                              const char **out_temporary_path);

/// Gives every file its final name. All or none: an error leaves the folders as
/// they were before.
/// Errors: a file was not written, or cannot get its name.
TileStatus tile_outputs_commit(TileOutputs *outputs);

/// From now on nothing is added and commit fails: a signal has come. Temporary
/// files stay until discard. False: the outputs are committed or discarded.
bool tile_outputs_close(TileOutputs *outputs);

/// Removes every temporary file, and every folder that was made and is empty.
void tile_outputs_discard(TileOutputs *outputs);

/// Writes one file in place.
TileStatus tile_file_write(const char *path, const char *data,
                           size_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif // TILE_SUPPORT_OUTPUT_FILES_H

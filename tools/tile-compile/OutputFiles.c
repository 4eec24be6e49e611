//===- OutputFiles.c - All output files, or none --------------------------===//

#include "OutputFiles.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static TileStatus error(const char *what, const char *path) {
  TileStatus status = {TILE_STATUS_USER_ERROR, {0}};
  snprintf(status.message, sizeof status.message, "cannot %s %s: %s", what,
           path, strerror(errno));
  return status;
}

// A formatted heap string; NULL when out of memory.
__attribute__((format(printf, 1, 2))) static char *format(const char *text,
                                                          ...) {
  va_list args;
  va_start(args, text);
  int length = vsnprintf(NULL, 0, text, args);
  va_end(args);
  char *result = malloc((size_t)length + 1);
  if (!result)
    return NULL;
  va_start(args, text);
  vsnprintf(result, (size_t)length + 1, text, args);
  va_end(args);
  return result;
}

//===-- Folders and files -------------------------------------------------===//

TileStatus output_folder_make(const char *path) {
  char *copy = format("%s", path);
  if (!copy)
    return error("make", path);
  TileStatus status = tile_status_ok();
  for (char *at = copy;; at++) {
    if (*at != '/' && *at != '\0')
      continue;
    char end = *at;
    *at = '\0';
    if (at != copy && mkdir(copy, 0777) != 0 && errno != EEXIST) {
      status = error("make the folder", copy);
      break;
    }
    *at = end;
    if (!end)
      break;
  }
  struct stat info;
  if (tile_status_is_ok(&status) &&
      (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) {
    errno = ENOTDIR;
    status = error("use the folder", path);
  }
  free(copy);
  return status;
}

TileStatus output_file_write(const char *path, const char *data,
                             size_t size_bytes) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return error("write", path);
  bool is_written = fwrite(data, 1, size_bytes, file) == size_bytes;
  bool is_closed = fclose(file) == 0;
  return is_written && is_closed ? tile_status_ok() : error("write", path);
}

//===-- The list ----------------------------------------------------------===//

static void list_free(OutputFiles *files) {
  for (size_t i = 0; i < files->count; i++) {
    free(files->items[i].final_path);
    free(files->items[i].temporary_path);
  }
  free(files->items);
  files->items = NULL;
  files->count = 0;
}

TileStatus output_files_add(OutputFiles *files, const char *name,
                            const char *extension, bool is_kept,
                            const char *data, size_t size_bytes,
                            const char **out_temporary_path) {
  OutputFile *items = realloc(files->items, (files->count + 1) * sizeof *items);
  if (!items)
    return error("write", name);
  files->items = items;
  OutputFile *file = &items[files->count++];
  file->is_kept = is_kept;
  file->final_path = format("%s/%s.%s", files->folder, name, extension);
  // ptxas wants the extension to be last.
  file->temporary_path = format("%s/.%s.%ld.tmp.%s", files->folder, name,
                                (long)getpid(), extension);
  if (!file->final_path || !file->temporary_path)
    return error("write", name);
  *out_temporary_path = file->temporary_path;
  return data ? output_file_write(file->temporary_path, data, size_bytes)
              : tile_status_ok();
}

TileStatus output_files_commit(OutputFiles *files) {
  TileStatus status = tile_status_ok();
  for (size_t i = 0; i < files->count && tile_status_is_ok(&status); i++) {
    const OutputFile *file = &files->items[i];
    if (file->is_kept ? rename(file->temporary_path, file->final_path)
                      : unlink(file->temporary_path))
      status = error("write", file->final_path);
  }
  if (tile_status_is_ok(&status))
    list_free(files);
  else
    output_files_discard(files);
  return status;
}

void output_files_discard(OutputFiles *files) {
  for (size_t i = 0; i < files->count; i++)
    if (files->items[i].temporary_path)
      unlink(files->items[i].temporary_path);
  list_free(files);
}

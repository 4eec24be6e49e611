//===- OutputFiles.c - All output files, or none --------------------------===//

#define _GNU_SOURCE // renameat2
#include "OutputFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static TileStatus error(const char *what, const char *path) {
  return tile_status_error(TILE_STATUS_USER_ERROR, "cannot %s %s: %s", what,
                           path, strerror(errno));
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

void tile_outputs_init(TileOutputs *out) {
  *out = (TileOutputs){.lock = PTHREAD_MUTEX_INITIALIZER};
}

//===-- Folders -----------------------------------------------------------===//

// Makes one folder; remembers it when it was not there. Takes `path`.
static bool make_one(TileOutputs *outputs, char *path) {
  char **folders =
      realloc(outputs->folders, (outputs->num_folders + 1) * sizeof *folders);
  if (!folders || !path) {
    free(path);
    errno = ENOMEM;
    return false;
  }
  outputs->folders = folders;
  bool is_made = mkdir(path, 0777) == 0;
  if (is_made)
    folders[outputs->num_folders++] = path;
  else
    free(path);
  return is_made || errno == EEXIST;
}

// After the end: a signal has come, and the program is about to die of it.
static TileStatus too_late(const char *path) {
  errno = EINTR;
  return error("write", path);
}

static TileStatus make_folders(TileOutputs *outputs, const char *path) {
  for (const char *at = path;; at++) {
    if (*at != '/' && *at != '\0')
      continue;
    int length = (int)(at - path);
    if (length > 0 && !make_one(outputs, format("%.*s", length, path))) {
      char folder[512];
      snprintf(folder, sizeof folder, "%.*s", length, path);
      return error("make the folder", folder);
    }
    if (!*at)
      break;
  }
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
    return tile_status_ok();
  errno = ENOTDIR;
  return error("use the folder", path);
}

TileStatus tile_outputs_make_folder(TileOutputs *outputs, const char *path) {
  pthread_mutex_lock(&outputs->lock);
  TileStatus status =
      outputs->is_ended ? too_late(path) : make_folders(outputs, path);
  pthread_mutex_unlock(&outputs->lock);
  return status;
}

//===-- Adding ------------------------------------------------------------===//

// Another file may have the name: one that a killed run has left, or one of
// this run.
static char *make_temporary_folder(const char *path) {
  enum { MAX_TRIES = 10000 };
  const char *slash = strrchr(path, '/');
  int length = slash ? (int)(slash + 1 - path) : 0;
  for (int i = 0; i < MAX_TRIES; i++) {
    char *folder =
        format("%.*s.tile.%ld.%d.tmp", length, path, (long)getpid(), i);
    if (!folder || mkdir(folder, 0700) == 0)
      return folder;
    int reason = errno;
    free(folder);
    errno = reason;
    if (reason != EEXIST)
      return NULL;
  }
  return NULL;
}

static bool is_in_place(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

// The file that symbolic links lead to: the links stay.
static char *resolved(const char *path) {
  struct stat info;
  char *target = lstat(path, &info) == 0 && S_ISLNK(info.st_mode)
                     ? realpath(path, NULL)
                     : NULL;
  return target ? target : format("%s", path);
}

static bool file_init(TileOutputFile *file, const char *path) {
  *file = (TileOutputFile){.final_path = resolved(path)};
  if (!file->final_path)
    return false;
  if (is_in_place(file->final_path)) {
    file->temporary_path = format("%s", file->final_path);
    return file->temporary_path != NULL;
  }
  const char *slash = strrchr(file->final_path, '/');
  file->temporary_folder = make_temporary_folder(file->final_path);
  if (file->temporary_folder)
    file->temporary_path = format("%s/%s.tmp", file->temporary_folder,
                                  slash ? slash + 1 : file->final_path);
  return file->temporary_path != NULL;
}

static void file_deinit(TileOutputFile *file) {
  int reason = errno;
  if (file->temporary_folder)
    rmdir(file->temporary_folder);
  free(file->final_path);
  free(file->temporary_path);
  free(file->temporary_folder);
  errno = reason;
}

static TileOutputFile *find_or_add(TileOutputs *outputs, const char *path) {
  TileOutputFile file, *files;
  for (size_t i = 0; i < outputs->num_files; i++)
    if (strcmp(outputs->files[i].final_path, path) == 0)
      return &outputs->files[i];
  files = realloc(outputs->files, (outputs->num_files + 1) * sizeof *files);
  if (!files)
    return NULL;
  outputs->files = files;
  if (!file_init(&file, path)) {
    file_deinit(&file);
    return NULL;
  }
  files[outputs->num_files] = file;
  return &files[outputs->num_files++];
}

static TileStatus add(TileOutputs *outputs, const char *path, bool is_kept,
                      const char **out_temporary_path) {
  if (outputs->is_ended)
    return too_late(path);
  TileOutputFile *file = find_or_add(outputs, path);
  if (!file)
    return error("write", path);
  file->is_kept |= is_kept;
  *out_temporary_path = file->temporary_path;
  return tile_status_ok();
}

TileStatus tile_outputs_add(TileOutputs *outputs, const char *path,
                            bool is_kept, const char **out_temporary_path) {
  pthread_mutex_lock(&outputs->lock);
  TileStatus status = add(outputs, path, is_kept, out_temporary_path);
  pthread_mutex_unlock(&outputs->lock);
  return status;
}

// Says `shown` in place of the path that is written.
static TileStatus write_as(const char *path, const char *shown,
                           const char *data, size_t size_bytes) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return error("write", shown);
  bool is_written =
      fwrite(data, 1, size_bytes, file) == size_bytes && fflush(file) == 0;
  int reason = errno;
  if (fclose(file) != 0 && is_written) {
    is_written = false;
    reason = errno;
  }
  errno = reason;
  return is_written ? tile_status_ok() : error("write", shown);
}

TileStatus tile_file_write(const char *path, const char *data,
                           size_t size_bytes) {
  return write_as(path, path, data, size_bytes);
}

TileStatus tile_outputs_write(TileOutputs *outputs, const char *path,
                              bool is_kept, const char *data, size_t size_bytes,
                              const char **out_temporary_path) {
  const char *temporary_path = NULL;
  pthread_mutex_lock(&outputs->lock);
  TileStatus status = add(outputs, path, is_kept, &temporary_path);
  if (tile_status_is_ok(&status))
    status = write_as(temporary_path, path, data, size_bytes);
  pthread_mutex_unlock(&outputs->lock);
  if (out_temporary_path)
    *out_temporary_path = temporary_path;
  return status;
}

//===-- The end -----------------------------------------------------------===//

static int remove_entry(const char *path, const struct stat *info, int type,
                        struct FTW *place) {
  (void)info;
  (void)type;
  (void)place;
  remove(path);
  return 0;
}

// With what is in it: the other program may have had files of its own.
static void remove_folder(const char *path) {
  enum { MAX_OPEN_FOLDERS = 16 };
  nftw(path, remove_entry, MAX_OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static void end(TileOutputs *outputs, bool is_committed) {
  for (size_t i = 0; i < outputs->num_files; i++) {
    if (outputs->files[i].temporary_folder)
      remove_folder(outputs->files[i].temporary_folder);
    file_deinit(&outputs->files[i]);
  }
  for (size_t i = outputs->num_folders; i-- > 0;) {
    if (!is_committed)
      rmdir(outputs->folders[i]);
    free(outputs->folders[i]);
  }
  free(outputs->files);
  free(outputs->folders);
  outputs->files = NULL;
  outputs->folders = NULL;
  outputs->num_files = outputs->num_folders = 0;
  outputs->is_ended = true;
}

enum { NOT_RENAMED, RENAMED_NEW, RENAMED_OVER, RENAMED_FOR_GOOD };

static bool is_to_rename(const TileOutputFile *file) {
  return file->is_kept && file->temporary_folder;
}

static TileStatus check(const TileOutputFile *file) {
  struct stat info;
  if (stat(file->temporary_path, &info) != 0 || !S_ISREG(info.st_mode))
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "cannot write %s: nobody has made it",
                             file->final_path);
  if (stat(file->final_path, &info) != 0)
    return tile_status_ok();
  if (!S_ISDIR(info.st_mode) && access(file->final_path, W_OK) == 0)
    return tile_status_ok();
  errno = S_ISDIR(info.st_mode) ? EISDIR : EACCES;
  return error("write", file->final_path);
}

// An exchange can be taken back. Not every file system knows it.
static bool rename_one(TileOutputFile *file) {
  const char *from = file->temporary_path, *to = file->final_path;
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
    file->renamed = RENAMED_OVER;
    return true;
  }
  bool is_new = access(to, F_OK) != 0;
  if (rename(from, to) != 0)
    return false;
  file->renamed = is_new ? RENAMED_NEW : RENAMED_FOR_GOOD;
  return true;
}

static void take_back(const TileOutputFile *file) {
  if (file->renamed == RENAMED_OVER)
    renameat2(AT_FDCWD, file->temporary_path, AT_FDCWD, file->final_path,
              RENAME_EXCHANGE);
  else if (file->renamed == RENAMED_NEW)
    unlink(file->final_path);
}

static TileStatus rename_all(TileOutputs *outputs) {
  TileStatus status = tile_status_ok();
  for (size_t i = 0; i < outputs->num_files && tile_status_is_ok(&status); i++)
    if (is_to_rename(&outputs->files[i]))
      status = check(&outputs->files[i]);
  for (size_t i = 0; i < outputs->num_files && tile_status_is_ok(&status); i++)
    if (is_to_rename(&outputs->files[i]) && !rename_one(&outputs->files[i]))
      status = error("write", outputs->files[i].final_path);
  for (size_t i = 0; i < outputs->num_files && !tile_status_is_ok(&status); i++)
    take_back(&outputs->files[i]);
  return status;
}

TileStatus tile_outputs_commit(TileOutputs *outputs) {
  pthread_mutex_lock(&outputs->lock);
  TileStatus status =
      outputs->is_ended ? too_late("the outputs") : rename_all(outputs);
  end(outputs, tile_status_is_ok(&status));
  pthread_mutex_unlock(&outputs->lock);
  return status;
}

bool tile_outputs_close(TileOutputs *outputs) {
  pthread_mutex_lock(&outputs->lock);
  bool was_open = !outputs->is_ended;
  outputs->is_ended = true;
  pthread_mutex_unlock(&outputs->lock);
  return was_open;
}

void tile_outputs_discard(TileOutputs *outputs) {
  pthread_mutex_lock(&outputs->lock);
  end(outputs, false);
  pthread_mutex_unlock(&outputs->lock);
}

//===- RunBatch.c - The commands of --batch -------------------------------===//

#include "RunBatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The whole file as text with a 0 at its end, or NULL. Owner: the caller.
static char *read_text(FILE *file) {
  size_t length = 0, capacity = 4096;
  char *text = malloc(capacity);
  while (text) {
    length += fread(text + length, 1, capacity - length - 1, file);
    if (length < capacity - 1)
      break;
    capacity *= 2;
    char *grown = realloc(text, capacity);
    if (!grown)
      free(text);
    text = grown;
  }
  if (text)
    text[length] = 0;
  return text;
}

/// Cuts the text into lines; `batch` has room for each of them.
static void split_commands(RunBatch *batch, char *program) {
  char **word = batch->words;
  RunCommand *command = NULL;
  for (char *line = batch->text; line;) {
    char *end = strchr(line, '\n');
    if (end)
      *end++ = 0;
    if (*line == 0) {
      if (command)
        *word++ = NULL;
      command = NULL;
    } else {
      if (!command) {
        command = &batch->commands[batch->num_commands++];
        *command = (RunCommand){.argc = 1, .argv = word};
        *word++ = program;
      }
      *word++ = line;
      command->argc++;
    }
    line = end;
  }
  *word = NULL;
}

TileStatus run_batch_read(const char *path, char *program,
                          RunBatch *out_batch) {
  *out_batch = (RunBatch){0};
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return tile_status_error(TILE_STATUS_USER_ERROR, "%s: cannot read: %s",
                             path, strerror(errno));
  out_batch->text = read_text(file);
  bool is_read = out_batch->text && !ferror(file);
  fclose(file);
  size_t num_lines = 1;
  for (const char *c = is_read ? out_batch->text : ""; *c; c++)
    num_lines += *c == '\n';
  // At most the line, the name of the program and the NULL at the end.
  out_batch->words = calloc(3 * num_lines + 1, sizeof *out_batch->words);
  out_batch->commands = calloc(num_lines, sizeof *out_batch->commands);
  if (!is_read || !out_batch->words || !out_batch->commands) {
    run_batch_deinit(out_batch);
    return tile_status_error(TILE_STATUS_USER_ERROR, "%s: cannot read: %s",
                             path, errno ? strerror(errno) : "out of memory");
  }
  split_commands(out_batch, program);
  return tile_status_ok();
}

void run_batch_deinit(RunBatch *batch) {
  free(batch->text);
  free(batch->words);
  free(batch->commands);
  *batch = (RunBatch){0};
}

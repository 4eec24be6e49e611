//===- HostFunction.c - Owns launch metadata; files and paths -------------===//

#include "Launcher/Host/HostFunction.h"
#include "Launcher/LauncherInternal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

//===-- Files -------------------------------------------------------------===//

static TileStatus read_stream(FILE *file, const char *path, char **out_text,
                              size_t *out_size_bytes) {
  size_t capacity = 1 << 16, size_bytes = 0;
  char *text = NULL;
  for (;;) {
    char *grown = realloc(text, capacity);
    if (!grown) {
      free(text);
      return tile_status_error(TILE_STATUS_USER_ERROR,
                               "%s: does not fit in memory", path);
    }
    text = grown;
    size_bytes += fread(text + size_bytes, 1, capacity - 1 - size_bytes, file);
    if (size_bytes < capacity - 1)
      break;
    capacity *= 2;
  }
  if (ferror(file)) { // for example a directory
    free(text);
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s: %s", path,
                             strerror(errno));
  }
  text[size_bytes] = 0;
  *out_text = text;
  *out_size_bytes = size_bytes;
  return tile_status_ok();
}

TileStatus tile_file_read(const char *path, char **out_text,
                          size_t *out_size_bytes) {
  *out_text = NULL;
  *out_size_bytes = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s: %s", path,
                             strerror(errno));
  TileStatus status = read_stream(file, path, out_text, out_size_bytes);
  fclose(file);
  return status;
}

char *tile_path_beside(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  size_t folder_length = slash && *name != '/' ? (size_t)(slash + 1 - path) : 0;
  size_t name_length = strlen(name);
  char *result = malloc(folder_length + name_length + 1);
  if (!result)
    return NULL;
  memcpy(result, path, folder_length);
  memcpy(result + folder_length, name, name_length + 1);
  return result;
}

//===-- Life and access ---------------------------------------------------===//

static void destroy_launch(Launch *launch) {
  for (int i = 0; i < launch->num_variants; i++) {
    free(launch->variants[i].requirements.items);
    free(launch->variants[i].params);
  }
  free(launch->variants);
}

static void deinit_block(HostBlock *block) {
  for (int i = 0; i < block->count; i++) {
    HostOp *op = &block->items[i];
    deinit_block(&op->body);
    deinit_block(&op->otherwise);
    free(op->carried.items);
    free(op->initial.items);
    free(op->next.items);
    free(op->results.items);
    free(op->then_values.items);
    free(op->else_values.items);
    free(op->dependents.items);
  }
  free(block->items);
}

static void deinit_program(TileHostFunction *function) {
  deinit_block(&function->body);
  free(function->carriers.items);
  free(function->globals);
  free(function->results);
}

void tile_host_function_destroy(TileHostFunction *function) {
  if (!function)
    return;
  for (int i = 0; i < function->num_launches; i++)
    destroy_launch(&function->launches[i]);
  free(function->launches);
  deinit_program(function);
  free(function->requirements.items);
  free(function->values);
  free(function->params);
  free(function->ptx_path);
  cJSON_Delete(function->root);
  free(function);
}

const char *tile_host_function_name(const TileHostFunction *function) {
  return function->name;
}

size_t tile_host_function_num_params(const TileHostFunction *function) {
  return (size_t)function->num_params;
}

size_t tile_host_function_num_results(const TileHostFunction *function) {
  return (size_t)function->num_results;
}

const TileHostParam *tile_host_function_param(const TileHostFunction *function,
                                              size_t index) {
  return index < (size_t)function->num_params ? &function->params[index] : NULL;
}

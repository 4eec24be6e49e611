//===- shim-file.c - Reads the fat binaries of the tests ------------------===//

#include "shim-file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void *shim_file_read(const char *name) {
  enum { MAX_BYTES = 1 << 20 };
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", TILE_SHIM_INPUTS, name);
  FILE *file = fopen(path, "rb");
  assert(file && "the file of the test exists");
  char *data = calloc(1, MAX_BYTES);
  size_t size_bytes = data ? fread(data, 1, MAX_BYTES - 1, file) : 0;
  assert(size_bytes > 0 && "the file of the test has content");
  fclose(file);
  return data;
}

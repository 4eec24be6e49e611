//===- shim-file.c - Reads the fat binaries of the tests ------------------===//

#include "shim-file.h"

#include <stdio.h>
#include <stdlib.h>

void *shim_file_read(const char *name) {
  enum { MAX_BYTES = 1 << 20 };
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", TILE_SHIM_INPUTS, name);
  FILE *file = fopen(path, "rb");
  char *data = calloc(1, MAX_BYTES);
  if (!file || !data || fread(data, 1, MAX_BYTES - 1, file) == 0) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  fclose(file);
  return data;
}

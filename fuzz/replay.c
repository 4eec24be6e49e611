//===- replay.c - Runs a fuzz target on files, without libFuzzer ----------===//

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum { MAX_FILE_BYTES = 1 << 20 };

int main(int argc, char **argv) {
  uint8_t *data = malloc(MAX_FILE_BYTES);
  int status = data ? 0 : 1;
  for (int i = 1; i < argc && status == 0; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (!file) {
      fprintf(stderr, "cannot open %s\n", argv[i]);
      status = 1;
      break;
    }
    size_t size_bytes = fread(data, 1, MAX_FILE_BYTES, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size_bytes);
  }
  free(data);
  return status;
}

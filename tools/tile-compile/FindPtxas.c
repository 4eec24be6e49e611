//===- FindPtxas.c - Where NVIDIA's assembler is --------------------------===//

#include "FindPtxas.h"

#include "Support/StringBuilder.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// `folder` ends at `length` bytes; empty means the current one.
static char *executable_in(const char *folder, size_t length,
                           const char *suffix) {
  TileString path = {NULL, 0, 0};
  tile_string_print(&path, "%.*s%s/ptxas", (int)length, length ? folder : ".",
                    suffix);
  char *text = tile_string_take(&path);
  if (access(text, X_OK) == 0)
    return text;
  free(text);
  return NULL;
}

char *ptxas_find(void) {
  const char *folders = getenv("PATH");
  while (folders) {
    size_t length = strcspn(folders, ":");
    char *path = executable_in(folders, length, "");
    if (path)
      return path;
    folders = folders[length] ? folders + length + 1 : NULL;
  }
  const char *cuda_home = getenv("CUDA_HOME");
  if (cuda_home && *cuda_home) {
    char *path = executable_in(cuda_home, strlen(cuda_home), "/bin");
    if (path)
      return path;
  }
  static const char usual[] = "/usr/local/cuda/bin";
  return executable_in(usual, sizeof usual - 1, "");
}

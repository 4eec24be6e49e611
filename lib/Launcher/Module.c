//===- Module.c - Loads PTX or a cubin into the GPU -----------------------===//

#include "CudaApi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

//===-- Choice of the image -----------------------------------------------===//

/// The number in `.target sm_90a`, 0 when there is none.
static int target_of_ptx(const char *ptx) {
  const char *target = strstr(ptx, ".target");
  const char *chip = target ? strstr(target, "sm_") : NULL;
  return chip ? (int)strtol(chip + 3, NULL, 10) : 0;
}

/// Reads the cubin beside the PTX when this GPU can run it and it is not older.
/// Returns NULL when the PTX is to be used.
static char *read_cubin(const CudaGpu *gpu, const char *ptx_path,
                        const char *ptx, char *out_path, size_t path_bytes) {
  size_t length = strlen(ptx_path);
  if (target_of_ptx(ptx) != gpu->capability || length < 4 ||
      strcmp(ptx_path + length - 4, ".ptx") != 0)
    return NULL;
  int written =
      snprintf(out_path, path_bytes, "%.*s.cubin", (int)length - 4, ptx_path);
  struct stat ptx_stat, cubin_stat;
  if (written < 0 || (size_t)written >= path_bytes ||
      stat(ptx_path, &ptx_stat) != 0 || stat(out_path, &cubin_stat) != 0 ||
      cubin_stat.st_mtime < ptx_stat.st_mtime)
    return NULL;
  char *cubin = NULL;
  size_t size_bytes = 0;
  TileStatus status = tile_file_read(out_path, &cubin, &size_bytes);
  return tile_status_is_ok(&status) ? cubin : NULL;
}

//===-- Entry -------------------------------------------------------------===//

TileStatus tile_cuda_load(TileDevice *device, const char *ptx_path,
                          const char *ptx, size_t size_bytes,
                          void **out_handle) {
  enum { LOG_BYTES = 4096, PATH_BYTES = 4096 };
  (void)size_bytes; // the driver takes PTX as a C string
  CudaGpu *gpu = (CudaGpu *)device;
  char cubin_path[PATH_BYTES], log[LOG_BYTES] = "";
  char *cubin = read_cubin(gpu, ptx_path, ptx, cubin_path, sizeof cubin_path);

  int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CudaModule *module = NULL;
  CudaResult result = gpu->api.module_load_data_ex(&module, cubin ? cubin : ptx,
                                                   2, options, values);
  char what[900];
  snprintf(what, sizeof what, "%.300s: cannot load%s%.500s",
           cubin ? cubin_path : ptx_path, *log ? ": " : "", log);
  for (char *c = what; *c; c++) { // one line
    if (*c == '\n')
      *c = ' ';
  }
  free(cubin);
  *out_handle = module;
  return tile_cuda_status(&gpu->api, result, what);
}

void tile_cuda_unload(TileDevice *device, void *handle) {
  CudaGpu *gpu = (CudaGpu *)device;
  gpu->api.module_unload(handle);
}

//===- Module.c - Loads PTX or a cubin into the GPU -----------------------===//

#include "CudaApi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

//===-- What PTX says of itself -------------------------------------------===//

/// The chip in `.target sm_90a`; 0 when there is none. `*out_is_exact`: no
/// other chip runs it.
static int target_of_ptx(const char *ptx, bool *out_is_exact) {
  const char *target = strstr(ptx, ".target");
  const char *chip = target ? strstr(target, "sm_") : NULL;
  char *end = NULL;
  int number = chip ? (int)strtol(chip + 3, &end, 10) : 0;
  *out_is_exact = chip && (*end == 'a' || *end == 'f');
  return number;
}

//===-- Choice of the image -----------------------------------------------===//

bool tile_image_is_cubin(const void *image, size_t size_bytes) {
  static const char magic[4] = {0x7f, 'E', 'L', 'F'};
  return size_bytes > sizeof magic && memcmp(image, magic, sizeof magic) == 0;
}

char *tile_cubin_read_beside(const char *ptx_path, const char *ptx,
                             int capability, char *out_path, size_t path_bytes,
                             size_t *out_size_bytes) {
  size_t length = strlen(ptx_path);
  bool is_exact = false;
  if (capability == 0 || target_of_ptx(ptx, &is_exact) != capability ||
      length < 4 || strcmp(ptx_path + length - 4, ".ptx") != 0)
    return NULL;
  int written =
      snprintf(out_path, path_bytes, "%.*s.cubin", (int)length - 4, ptx_path);
  struct stat ptx_stat, cubin_stat;
  if (written < 0 || (size_t)written >= path_bytes ||
      stat(ptx_path, &ptx_stat) != 0 || stat(out_path, &cubin_stat) != 0 ||
      cubin_stat.st_mtime < ptx_stat.st_mtime)
    return NULL;
  char *cubin = NULL;
  TileStatus status = tile_file_read(out_path, &cubin, out_size_bytes);
  return tile_status_is_ok(&status) ? cubin : NULL;
}

//===-- Entry -------------------------------------------------------------===//

/// PTX for "sm_90a" runs on 9.0 alone, PTX for "sm_80" on 8.0 and later.
static TileStatus check_chip(const CudaGpu *gpu, const char *name,
                             const char *ptx) {
  bool is_exact = false;
  int target = target_of_ptx(ptx, &is_exact);
  int capability = gpu->base.capability;
  if (target == 0 || target == capability || (!is_exact && target < capability))
    return tile_status_ok();
  return tile_status_error(
      TILE_STATUS_USER_ERROR,
      "%.300s: is PTX for sm_%d%s, which this GPU (%.100s, sm_%d) does not "
      "run; compile it for %s",
      name, target, is_exact ? "a" : "", gpu->base.name, capability,
      capability < 80 ? "a GPU of sm_80 or later" : gpu->base.chip);
}

/// What to do about PTX that is newer than the driver.
static TileStatus report_old_driver(const CudaGpu *gpu, const char *name,
                                    const char *ptx) {
  const char *version = strstr(ptx, ".version");
  int length = version ? (int)strcspn(version += 9, " \n\r\t") : 0;
  return tile_status_error(
      TILE_STATUS_USER_ERROR,
      "%.300s: is PTX %.*s, which the driver, of CUDA %d.%d, is too old for; "
      "install a newer driver, or load a cubin that ptxas made",
      name, length < 8 ? length : 8, version ? version : "?",
      gpu->driver_version / 1000, gpu->driver_version % 1000 / 10);
}

TileStatus tile_cuda_load(TileDevice *device, const char *name,
                          const char *image, size_t size_bytes,
                          void **out_handle) {
  enum { LOG_BYTES = 4096 };
  CudaGpu *gpu = (CudaGpu *)device;
  bool is_cubin = tile_image_is_cubin(image, size_bytes);
  char log[LOG_BYTES] = "";
  TileStatus status =
      is_cubin ? tile_status_ok() : check_chip(gpu, name, image);
  if (!tile_status_is_ok(&status))
    return status;

  int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CudaModule *module = NULL;
  CudaResult result =
      gpu->api.module_load_data_ex(&module, image, 2, options, values);
  *out_handle = module;
  if (result == CUDA_ERROR_UNSUPPORTED_PTX && !is_cubin)
    return report_old_driver(gpu, name, image);
  char what[900];
  snprintf(what, sizeof what, "%.300s: cannot load%s%.500s", name,
           *log ? ": " : "", log);
  for (char *c = what; *c; c++) { // one line
    if (*c == '\n')
      *c = ' ';
  }
  return tile_cuda_status(&gpu->api, result, what);
}

void tile_cuda_unload(TileDevice *device, void *handle) {
  CudaGpu *gpu = (CudaGpu *)device;
  tile_cuda_forget_kernels(gpu, handle);
  gpu->api.module_unload(handle);
}

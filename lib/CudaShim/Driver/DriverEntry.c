//===- DriverEntry.c - Errors, cuGetProcAddress ---------------------------===//

#include "CudaShim/ErrorNames.h"
#include "CudaShim/Image/ElfSymbols.h"
#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

//===-- Errors ------------------------------------------------------------===//

CuResult cuGetErrorName(CuResult error, const char **out_name) {
  const TileShimErrorName *name = tile_shim_error_name((int)error);
  if (!out_name)
    return CU_INVALID_VALUE;
  *out_name = name ? name->driver_name : NULL;
  return *out_name ? CU_SUCCESS : CU_INVALID_VALUE;
}

CuResult cuGetErrorString(CuResult error, const char **out_text) {
  const TileShimErrorName *name = tile_shim_error_name((int)error);
  if (!out_text)
    return CU_INVALID_VALUE;
  *out_text = name && name->driver_name ? name->text : NULL;
  return *out_text ? CU_SUCCESS : CU_INVALID_VALUE;
}

//===-- Functions by name -------------------------------------------------===//

/// Functions whose parameters changed: which form a version of CUDA means.
/// All others have one form here, with the highest number.
typedef struct {
  const char *name, *symbol;
  int since;
} Form;

static const Form forms[] = {
    {"cuCtxCreate", "cuCtxCreate_v4", 12050},
    {"cuCtxCreate", "cuCtxCreate_v3", 11040},
    {"cuCtxCreate", "cuCtxCreate_v2", 3020},
    {"cuGetProcAddress", "cuGetProcAddress_v2", 12000},
    {"cuGetProcAddress", "cuGetProcAddress", 11030},
    // The newer forms of these have to be asked for by their own names.
    {"cuCtxGetDevice", "cuCtxGetDevice", 0},
    {"cuCtxSynchronize", "cuCtxSynchronize", 0},
    {"cuStreamGetCtx", "cuStreamGetCtx", 0},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12030},
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030},
};

static void *own_symbol(const char *name) {
  Dl_info info;
  void *self = NULL;
  int (*anchor)(int *) = (int (*)(int *))cuDriverGetVersion;
  memcpy((void *)&self, (void *)&anchor, sizeof self);
  void *library = dladdr(self, &info) ? dlopen(info.dli_fname, RTLD_NOW) : NULL;
  void *symbol = library ? dlsym(library, name) : NULL;
  // Names of other libraries are none of ours.
  Dl_info owner;
  if (symbol && (!dladdr(symbol, &owner) || owner.dli_fbase != info.dli_fbase))
    symbol = NULL;
  if (library)
    dlclose(library);
  return symbol;
}

static void *find_function(const char *name, int version) {
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
    if (strcmp(forms[i].name, name) == 0 && version >= forms[i].since)
      return own_symbol(forms[i].symbol);
  char symbol[160];
  for (int number = 4; number >= 2; number--) {
    snprintf(symbol, sizeof symbol, "%.150s_v%d", name, number);
    void *function = own_symbol(symbol);
    if (function)
      return function;
  }
  return own_symbol(name);
}

CuResult cuGetProcAddress_v2(const char *name, void **out_function, int version,
                             uint64_t flags, int *out_found) {
  enum { FOUND = 0, NOT_FOUND = 1 };
  (void)flags;
  if (!name || !out_function)
    return CU_INVALID_VALUE;
  *out_function =
      strncmp(name, "cu", 2) == 0 ? find_function(name, version) : NULL;
  if (out_found)
    *out_found = *out_function ? FOUND : NOT_FOUND;
  return *out_function || out_found ? CU_SUCCESS : CU_NOT_FOUND;
}

CuResult cuGetProcAddress(const char *name, void **out_function, int version,
                          uint64_t flags) {
  return cuGetProcAddress_v2(name, out_function, version, flags, NULL);
}

//===-- Undocumented tables -----------------------------------------------===//

/// What to do about the runtime that the file at `path` holds.
static void explain(const char *path) {
  size_t size_bytes = 0;
  void *bytes = tile_elf_map(path, &size_bytes);
  TileElf elf;
  bool is_named = false;
  if (bytes && tile_elf_open(bytes, size_bytes, &elf)) {
    TileElfTable table = tile_elf_table(&elf, SHT_SYMTAB);
    is_named = tile_elf_has_function(&elf, &table, "__cudaRegisterFatBinary");
  }
  if (bytes)
    munmap(bytes, size_bytes);
  if (is_named)
    tile_shim_say("%s: its static CUDA runtime was not replaced when the "
                  "program started: name the file in LD_PRELOAD when "
                  "tile-emu-exec starts, if it is a library that is loaded "
                  "later, or link it with nvcc -cudart shared",
                  path);
  else
    tile_shim_say("%s: its static CUDA runtime cannot be replaced without "
                  "symbols (.symtab): do not strip it, or link it with nvcc "
                  "-cudart shared",
                  path);
}

/// Tables of functions for NVIDIA's own libraries, which no document describes.
/// Their runtime uses them without looking at the result, so the program ends
/// here, where the reason can be said.
CuResult cuGetExportTable(const void **out_table, const void *id) {
  if (!out_table || !id)
    return CU_INVALID_VALUE;
  Dl_info caller;
  char path[PATH_MAX];
  if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
      realpath(caller.dli_fname, path))
    explain(path);
  else
    tile_shim_say("the program asks for undocumented tables of the driver "
                  "(cuGetExportTable)");
  exit(EXIT_FAILURE);
}

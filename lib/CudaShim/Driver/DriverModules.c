//===- DriverModules.c - Modules, libraries, functions --------------------===//

#include "CudaShim/Shim.h"
#include "DriverApi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Loading -----------------------------------------------------------===//

/// The number after `word` ("sm_90", ".version 8.0": 80); 0 when not there.
static int number_after(const char *ptx, const char *word) {
  const char *at = strstr(ptx, word);
  if (!at)
    return 0;
  char *end = NULL;
  long number = strtol(at + strlen(word), &end, 10);
  if (*end == '.')
    number = number * 10 + strtol(end + 1, NULL, 10);
  return (int)number;
}

static bool functions_create(TileShimModule *module) {
  size_t count = tile_emu_module_num_kernels(module->module);
  module->functions = calloc(count + 1, sizeof *module->functions);
  if (!module->functions)
    return false;
  module->num_functions = (unsigned)count;
  for (size_t i = 0; i < count; i++)
    module->functions[i] =
        (TileShimFunction){.module = module,
                           .info = tile_emu_module_kernel(module->module, i),
                           .carveout = -1};
  return true;
}

static CuResult load_text(TileShim *shim, CuModule *out_module, const char *ptx,
                          size_t size_bytes) {
  char name[40];
  snprintf(name, sizeof name, "module %llu",
           (unsigned long long)++shim->next_id);
  TileEmuModule *parsed = NULL;
  TileStatus status = tile_emu_module_parse(ptx, size_bytes, name, &parsed);
  if (!tile_status_is_ok(&status)) {
    tile_shim_say("%s", status.message);
    return CU_INVALID_PTX;
  }
  TileShimModule *module =
      tile_shim_object_create(shim, TILE_SHIM_MODULE, sizeof *module);
  if (!module) {
    tile_emu_module_destroy(parsed);
    return CU_OUT_OF_MEMORY;
  }
  module->module = parsed;
  module->ptx_version = number_after(ptx, ".version ");
  module->target = number_after(ptx, "sm_");
  if (!functions_create(module))
    return CU_OUT_OF_MEMORY;
  *out_module = module;
  return CU_SUCCESS;
}

static CuResult load(TileShim *shim, CuModule *out_module, const void *image) {
  if (!out_module || !image)
    return CU_INVALID_VALUE;
  char *ptx = NULL;
  size_t size_bytes = 0;
  CuResult result =
      tile_shim_image_ptx(image, tile_shim_capability(shim), &ptx, &size_bytes);
  if (result == CU_SUCCESS)
    result = load_text(shim, out_module, ptx, size_bytes);
  free(ptx);
  return result;
}

CuResult cuModuleLoadData(CuModule *out_module, const void *image) {
  TILE_SHIM_CALL(load(shim, out_module, image));
}

CuResult cuModuleLoadDataEx(CuModule *out_module, const void *image,
                            unsigned num_options, int *options, void **values) {
  (void)num_options; // what the compiler should do; logs stay empty
  (void)options;
  (void)values;
  return cuModuleLoadData(out_module, image);
}

CuResult cuModuleLoadFatBinary(CuModule *out_module, const void *image) {
  return cuModuleLoadData(out_module, image);
}

static CuResult file_load(TileShim *shim, CuModule *out_module,
                          const char *path) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file)
    return path ? CU_FILE_NOT_FOUND : CU_INVALID_VALUE;
  size_t size_bytes = 0, capacity = 1 << 16;
  char *image = malloc(capacity + 1);
  while (image) {
    size_bytes += fread(image + size_bytes, 1, capacity - size_bytes, file);
    if (size_bytes < capacity)
      break;
    capacity *= 2;
    char *larger = realloc(image, capacity + 1);
    if (!larger)
      free(image);
    image = larger;
  }
  fclose(file);
  if (!image)
    return CU_OUT_OF_MEMORY;
  image[size_bytes] = 0;
  CuResult result = load(shim, out_module, image);
  free(image);
  return result;
}

CuResult cuModuleLoad(CuModule *out_module, const char *path) {
  TILE_SHIM_CALL(file_load(shim, out_module, path));
}

static CuResult unload(TileShim *shim, CuModule module) {
  if (!tile_shim_is(shim, module, TILE_SHIM_MODULE))
    return CU_INVALID_HANDLE;
  for (size_t i = shim->num_memories; i-- > 0;)
    if (shim->memories[i].module == module)
      tile_shim_memory_remove(shim, &shim->memories[i]);
  tile_emu_module_destroy(module->module);
  free(module->functions);
  tile_shim_object_destroy(shim, module);
  return CU_SUCCESS;
}

CuResult cuModuleUnload(CuModule module) {
  TILE_SHIM_QUERY(unload(shim, module));
}

//===-- Contents ----------------------------------------------------------===//

bool tile_shim_is_function(const TileShim *shim,
                           const TileShimFunction *function) {
  for (const TileShimObject *o = shim->objects; o && function; o = o->next) {
    const TileShimModule *module = (const TileShimModule *)o;
    if (o->kind == TILE_SHIM_MODULE && function >= module->functions &&
        function < module->functions + module->num_functions)
      return true;
  }
  return false;
}

static TileShimFunction *function_find(TileShimModule *module,
                                       const char *name) {
  for (unsigned i = 0; i < module->num_functions; i++)
    if (strcmp(module->functions[i].info->name, name) == 0)
      return &module->functions[i];
  return NULL;
}

static CuResult module_function(const TileShim *shim, CuFunction *out_function,
                                CuModule module, const char *name) {
  if (!tile_shim_is(shim, module, TILE_SHIM_MODULE))
    return CU_INVALID_HANDLE;
  if (!out_function || !name)
    return CU_INVALID_VALUE;
  *out_function = function_find(module, name);
  return *out_function ? CU_SUCCESS : CU_NOT_FOUND;
}

CuResult cuModuleGetFunction(CuFunction *out_function, CuModule module,
                             const char *name) {
  TILE_SHIM_CALL(module_function(shim, out_function, module, name));
}

static CuResult module_global(TileShim *shim, CuAddress *out_address,
                              size_t *out_size_bytes, CuModule module,
                              const char *name) {
  if (!tile_shim_is(shim, module, TILE_SHIM_MODULE))
    return CU_INVALID_HANDLE;
  void *memory = NULL;
  size_t size_bytes = 0;
  if (!name)
    return CU_INVALID_VALUE;
  if (!tile_emu_module_variable(module->module, name, &memory, &size_bytes))
    return CU_NOT_FOUND;
  TileShimMemory record = {.address = (uintptr_t)memory,
                           .size_bytes = size_bytes,
                           .kind = TILE_SHIM_MEMORY_VARIABLE,
                           .module = module};
  if (!tile_shim_memory_find(shim, record.address) &&
      !tile_shim_memory_add(shim, record))
    return CU_OUT_OF_MEMORY;
  if (out_address)
    *out_address = record.address;
  if (out_size_bytes)
    *out_size_bytes = size_bytes;
  return CU_SUCCESS;
}

CuResult cuModuleGetGlobal_v2(CuAddress *out_address, size_t *out_size_bytes,
                              CuModule module, const char *name) {
  TILE_SHIM_CALL(
      module_global(shim, out_address, out_size_bytes, module, name));
}

static CuResult function_count(const TileShim *shim, unsigned *out_count,
                               CuModule module) {
  if (!tile_shim_is(shim, module, TILE_SHIM_MODULE))
    return CU_INVALID_HANDLE;
  if (!out_count)
    return CU_INVALID_VALUE;
  *out_count = module->num_functions;
  return CU_SUCCESS;
}

CuResult cuModuleGetFunctionCount(unsigned *out_count, CuModule module) {
  TILE_SHIM_CALL(function_count(shim, out_count, module));
}

static CuResult functions_list(const TileShim *shim, CuFunction *out_functions,
                               unsigned count, CuModule module) {
  if (!tile_shim_is(shim, module, TILE_SHIM_MODULE))
    return CU_INVALID_HANDLE;
  if (!out_functions)
    return CU_INVALID_VALUE;
  for (unsigned i = 0; i < count && i < module->num_functions; i++)
    out_functions[i] = &module->functions[i];
  return CU_SUCCESS;
}

CuResult cuModuleEnumerateFunctions(CuFunction *out_functions, unsigned count,
                                    CuModule module) {
  TILE_SHIM_CALL(functions_list(shim, out_functions, count, module));
}

CuResult cuModuleGetLoadingMode(int *out_mode) {
  enum { EAGER = 1 };
  if (!out_mode)
    return CU_INVALID_VALUE;
  *out_mode = EAGER;
  return CU_SUCCESS;
}

//===-- Libraries ---------------------------------------------------------===//

/// Libraries are independent of contexts.
CuResult cuLibraryLoadData(CuModule *out_library, const void *code,
                           int *jit_options, void **jit_values,
                           unsigned num_jit_options, int *library_options,
                           void **library_values,
                           unsigned num_library_options) {
  (void)jit_options;
  (void)jit_values;
  (void)num_jit_options;
  (void)library_options;
  (void)library_values;
  (void)num_library_options;
  TILE_SHIM_QUERY(load(shim, out_library, code));
}

CuResult cuLibraryLoadFromFile(CuModule *out_library, const char *path,
                               int *jit_options, void **jit_values,
                               unsigned num_jit_options, int *library_options,
                               void **library_values,
                               unsigned num_library_options) {
  (void)jit_options;
  (void)jit_values;
  (void)num_jit_options;
  (void)library_options;
  (void)library_values;
  (void)num_library_options;
  TILE_SHIM_QUERY(file_load(shim, out_library, path));
}

CuResult cuLibraryUnload(CuModule library) { return cuModuleUnload(library); }

CuResult cuLibraryGetKernel(CuFunction *out_kernel, CuModule library,
                            const char *name) {
  TILE_SHIM_QUERY(module_function(shim, out_kernel, library, name));
}

CuResult cuLibraryGetKernelCount(unsigned *out_count, CuModule library) {
  TILE_SHIM_QUERY(function_count(shim, out_count, library));
}

CuResult cuLibraryEnumerateKernels(CuFunction *out_kernels, unsigned count,
                                   CuModule library) {
  TILE_SHIM_QUERY(functions_list(shim, out_kernels, count, library));
}

CuResult cuLibraryGetModule(CuModule *out_module, CuModule library) {
  if (!out_module)
    return CU_INVALID_VALUE;
  *out_module = library;
  TILE_SHIM_QUERY(tile_shim_is(shim, library, TILE_SHIM_MODULE)
                      ? CU_SUCCESS
                      : CU_INVALID_HANDLE);
}

CuResult cuLibraryGetGlobal(CuAddress *out_address, size_t *out_size_bytes,
                            CuModule library, const char *name) {
  TILE_SHIM_QUERY(
      module_global(shim, out_address, out_size_bytes, library, name));
}

CuResult cuLibraryGetManaged(CuAddress *out_address, size_t *out_size_bytes,
                             CuModule library, const char *name) {
  TILE_SHIM_QUERY(
      module_global(shim, out_address, out_size_bytes, library, name));
}

//===- RuntimeRegister.c - Kernels and variables of the program -----------===//
//
// nvcc makes every program register its fat binaries, kernels and variables
// before main. Binaries are loaded when something of them is used first.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- What is registered ------------------------------------------------===//

typedef struct Binary {
  const void *image; // of the program
  CuModule module;   // NULL: not loaded
  CuResult failure;  // of an attempt
  struct Binary *next;
} Binary;

typedef struct Entry {
  const void *host; // address of the host function or variable
  const char *name;
  Binary *binary;
  bool is_variable;
  void **managed; // takes the address of the memory; NULL: not managed
  CuFunction function;
  struct Entry *next;
} Entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Binary *binaries;
static Entry *entries;

typedef struct {
  RtDim grid, block;
  size_t smem_bytes;
  CuStream stream;
} Configuration;

enum { MAX_CONFIGURATIONS = 16 }; // <<<>>> in arguments of <<<>>>

static _Thread_local struct {
  RtError last_error;
  Configuration configurations[MAX_CONFIGURATIONS];
  int num_configurations;
} thread;

//===-- Errors ------------------------------------------------------------===//

RtError tile_rt_finish(RtError error) {
  if (error != RT_SUCCESS)
    thread.last_error = error;
  return error;
}

RtError tile_rt_missing(const char *call) {
  fflush(stdout);
  fprintf(stderr, "tile-emu: %s is not supported by the emulator\n", call);
  return tile_rt_finish(RT_NOT_SUPPORTED);
}

RtError cudaGetLastError(void);
RtError cudaGetLastError(void) {
  RtError error = thread.last_error;
  // Faults of kernels stay until the device is reset.
  if (cuCtxSynchronize() != (CuResult)error)
    thread.last_error = RT_SUCCESS;
  return error;
}

RtError cudaPeekAtLastError(void);
RtError cudaPeekAtLastError(void) { return thread.last_error; }

RtError tile_rt_start(void) {
  CuContext context = NULL;
  CuResult result = cuCtxGetCurrent(&context);
  if (result == CU_NOT_INITIALIZED) {
    result = cuInit(0);
    if (result == CU_SUCCESS)
      result = cuCtxGetCurrent(&context);
  }
  if (result == CU_SUCCESS && !context) {
    result = cuDevicePrimaryCtxRetain(&context, 0);
    if (result == CU_SUCCESS)
      result = cuCtxSetCurrent(context);
  }
  return (RtError)result;
}

//===-- Registration ------------------------------------------------------===//

void **__cudaRegisterFatBinary(void *image);
void **__cudaRegisterFatBinary(void *image) {
  Binary *binary = calloc(1, sizeof *binary);
  if (!binary)
    return NULL;
  binary->image = image;
  pthread_mutex_lock(&lock);
  binary->next = binaries;
  binaries = binary;
  pthread_mutex_unlock(&lock);
  return (void **)binary;
}

static void entry_add(void **handle, Entry entry) {
  Entry *copy = malloc(sizeof *copy);
  if (!copy || !handle) {
    free(copy);
    return;
  }
  entry.binary = (Binary *)handle;
  *copy = entry;
  pthread_mutex_lock(&lock);
  copy->next = entries;
  entries = copy;
  pthread_mutex_unlock(&lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int thread_limit, void *tid,
                            void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int thread_limit, void *tid,
                            void *bid, void *block, void *grid,
                            int *warp_size) {
  (void)device;
  (void)thread_limit;
  (void)tid;
  (void)bid;
  (void)block;
  (void)grid;
  (void)warp_size;
  entry_add(handle, (Entry){.host = host, .name = name});
}

void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int is_extern, size_t size_bytes,
                       int is_constant, int is_global);
void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int is_extern, size_t size_bytes,
                       int is_constant, int is_global) {
  (void)device;
  (void)is_extern;
  (void)size_bytes;
  (void)is_constant;
  (void)is_global;
  entry_add(handle, (Entry){.host = host, .name = name, .is_variable = true});
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                              const char *name, int is_extern,
                              size_t size_bytes, int is_constant,
                              int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                              const char *name, int is_extern,
                              size_t size_bytes, int is_constant,
                              int is_global) {
  (void)device;
  (void)is_extern;
  (void)size_bytes;
  (void)is_constant;
  (void)is_global;
  entry_add(handle, (Entry){.host = host,
                            .name = name,
                            .is_variable = true,
                            .managed = host});
}

void __cudaRegisterTexture(void);
void __cudaRegisterTexture(void) {}
void __cudaRegisterSurface(void);
void __cudaRegisterSurface(void) {}

//===-- Loading -----------------------------------------------------------===//

/// Called with the lock.
static CuResult binary_load(Binary *binary) {
  if (!binary->module && binary->failure == CU_SUCCESS)
    binary->failure = cuModuleLoadData(&binary->module, binary->image);
  return binary->failure;
}

/// The host reads managed variables through a pointer, so they must be there
/// before main.
static CuResult managed_place(Binary *binary) {
  for (Entry *entry = entries; entry; entry = entry->next) {
    if (entry->binary != binary || !entry->managed)
      continue;
    CuAddress address = 0;
    CuResult result = binary_load(binary);
    if (result == CU_SUCCESS)
      result =
          cuModuleGetGlobal_v2(&address, NULL, binary->module, entry->name);
    if (result != CU_SUCCESS)
      return result;
    *entry->managed = (void *)(uintptr_t)address;
  }
  return CU_SUCCESS;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
  bool has_managed = false;
  pthread_mutex_lock(&lock);
  for (const Entry *entry = entries; entry; entry = entry->next)
    has_managed |= entry->binary == (Binary *)handle && entry->managed;
  if (has_managed && tile_rt_start() == RT_SUCCESS)
    managed_place((Binary *)handle);
  pthread_mutex_unlock(&lock);
}

char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
  __cudaRegisterFatBinaryEnd(handle);
  return 1;
}

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
  Binary *binary = (Binary *)handle;
  pthread_mutex_lock(&lock);
  for (Entry **link = &entries; *link;) {
    Entry *entry = *link;
    if (entry->binary != binary) {
      link = &entry->next;
      continue;
    }
    *link = entry->next;
    free(entry);
  }
  Binary **link = &binaries;
  while (*link && *link != binary)
    link = &(*link)->next;
  if (*link) {
    *link = binary->next;
    if (binary->module)
      cuModuleUnload(binary->module);
    free(binary);
  }
  pthread_mutex_unlock(&lock);
}

//===-- Finding -----------------------------------------------------------===//

static Entry *entry_find(const void *host, bool is_variable) {
  Entry *entry = entries;
  while (entry && (entry->host != host || entry->is_variable != is_variable))
    entry = entry->next;
  return entry;
}

RtError tile_rt_function(const void *host_function, CuFunction *out_function) {
  *out_function = NULL;
  pthread_mutex_lock(&lock);
  Entry *entry = entry_find(host_function, false);
  CuResult result = CU_SUCCESS;
  if (entry) {
    result = binary_load(entry->binary);
    if (result == CU_SUCCESS && !entry->function)
      result = cuModuleGetFunction(&entry->function, entry->binary->module,
                                   entry->name);
    *out_function = entry->function;
  }
  pthread_mutex_unlock(&lock);
  if (result == CU_NOT_FOUND)
    return RT_INVALID_DEVICE_FUNCTION;
  if (entry || result != CU_SUCCESS)
    return (RtError)result;
  // Or it is a cudaKernel_t already.
  const char *name = NULL;
  CuFunction handle = (CuFunction)(uintptr_t)host_function;
  if (cuFuncGetName(&name, handle) != CU_SUCCESS)
    return RT_INVALID_DEVICE_FUNCTION;
  *out_function = handle;
  return RT_SUCCESS;
}

RtError tile_rt_symbol(const void *host_variable, CuAddress *out_address,
                       size_t *out_size_bytes) {
  pthread_mutex_lock(&lock);
  Entry *entry = entry_find(host_variable, true);
  CuResult result = entry ? binary_load(entry->binary) : CU_NOT_FOUND;
  if (result == CU_SUCCESS)
    result = cuModuleGetGlobal_v2(out_address, out_size_bytes,
                                  entry->binary->module, entry->name);
  pthread_mutex_unlock(&lock);
  return result == CU_NOT_FOUND ? RT_INVALID_SYMBOL : (RtError)result;
}

//===-- <<<>>> ------------------------------------------------------------===//

unsigned __cudaPushCallConfiguration(RtDim grid, RtDim block, size_t smem_bytes,
                                     CuStream stream);
unsigned __cudaPushCallConfiguration(RtDim grid, RtDim block, size_t smem_bytes,
                                     CuStream stream) {
  if (thread.num_configurations == MAX_CONFIGURATIONS)
    return 1;
  thread.configurations[thread.num_configurations++] =
      (Configuration){grid, block, smem_bytes, stream};
  return 0;
}

RtError __cudaPopCallConfiguration(RtDim *out_grid, RtDim *out_block,
                                   size_t *out_smem_bytes, void *out_stream);
RtError __cudaPopCallConfiguration(RtDim *out_grid, RtDim *out_block,
                                   size_t *out_smem_bytes, void *out_stream) {
  if (thread.num_configurations == 0)
    return tile_rt_finish(RT_MISSING_CONFIGURATION);
  const Configuration *top =
      &thread.configurations[--thread.num_configurations];
  *out_grid = top->grid;
  *out_block = top->block;
  *out_smem_bytes = top->smem_bytes;
  memcpy(out_stream, &top->stream, sizeof top->stream);
  return RT_SUCCESS;
}

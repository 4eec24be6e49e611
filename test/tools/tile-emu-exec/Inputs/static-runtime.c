//===- static-runtime.c - A runtime within a program ----------------------===//
//
// A program or library with functions of the CUDA runtime in it, as nvcc links
// them by default, but made by hand: each ends the program the way NVIDIA's
// does when it asks for tables of the driver. -DVERSION=12 or 13; as a library
// with -DLIBRARY; -DFOLDED has two functions in one place, -DSHORT one of two
// bytes.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  unsigned x, y, z;
} Dim;

__attribute__((noinline)) static int ask_driver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*get)(const void **, const void *) =
      driver ? (int (*)(const void **, const void *))dlsym(driver,
                                                           "cuGetExportTable")
             : NULL;
  const void *table = NULL;
  int result = get ? get(&table, "sixteen bytes...") : 35;
  return result + 0 * (int)(intptr_t)table;
}

#define RUNTIME(name, ...)                                                     \
  __attribute__((visibility("hidden"), noinline)) int name(__VA_ARGS__) {      \
    return ask_driver();                                                       \
  }

RUNTIME(cudaMalloc, void **memory, size_t size_bytes)
RUNTIME(cudaMemcpy, void *to, const void *from, size_t size_bytes, int kind)
RUNTIME(cudaMemcpy_ptds, void *to, const void *from, size_t size_bytes,
        int kind)
RUNTIME(cudaLaunchKernel, const void *function, Dim grid, Dim block,
        void **arguments, size_t smem_bytes, void *stream)
RUNTIME(cudaRuntimeGetVersion, int *version)
RUNTIME(cudaGraphCreate, void **graph, unsigned flags)
#if VERSION == 12
RUNTIME(cudaGetDeviceProperties_v2, void *properties, int device)
#elif VERSION == 13
RUNTIME(cudaDeviceGetHostAtomicCapabilities, void *capabilities)
#endif
#ifdef FOLDED
__attribute__((visibility("hidden"), alias("cudaMalloc"))) int
cudaMallocHost(void **memory, size_t size_bytes);
#endif
#ifdef SHORT
__asm__(".text; .type cudaFree, @function; cudaFree: nop; ret; "
        ".size cudaFree, 2");
#endif

// Registration asks nobody, in NVIDIA's runtime either.
#define REGISTRATION(type, name, ...)                                          \
  __attribute__((visibility("hidden"), noinline)) type name(__VA_ARGS__) {     \
    volatile int nothing = 0;                                                  \
    return (type)(intptr_t)nothing;                                            \
  }
REGISTRATION(void **, __cudaRegisterFatBinary, void *image)
REGISTRATION(void, __cudaRegisterFunction, void **handle, const char *host,
             char *device, const char *name, int limit, void *tid, void *bid,
             void *block, void *grid, int *warp_size)

// The program has a function of its own that is called like one of CUDA's.
int cudaOfTheProgram(void);
__attribute__((noinline)) int cudaOfTheProgram(void) { return 5; }

static char reverse[1];
static char image[1 << 20];
static struct {
  uint32_t magic, version;
  const void *container;
  void *unused;
} wrapper = {0x466243b1, 1, image, NULL};

__attribute__((constructor)) static void register_kernels(void) {
  FILE *file = fopen(getenv("FATBIN"), "rb");
  if (!file || fread(image, 1, sizeof image, file) == 0)
    abort();
  fclose(file);
  void **handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, reverse, reverse, "reverse", -1, NULL, NULL,
                         NULL, NULL, NULL);
}

int run(void);
int run(void) {
  int values[64], version = 0;
  void *memory = NULL, *graph = NULL;
  for (int i = 0; i < 64; i++)
    values[i] = i;
  int error = cudaMalloc(&memory, sizeof values);
  if (error == 0)
    error = cudaMemcpy(memory, values, sizeof values, 1);
  Dim one = {1, 1, 1}, block = {64, 1, 1};
  void *arguments[] = {&memory};
  if (error == 0)
    error = cudaLaunchKernel(reverse, one, block, arguments, 256, NULL);
  if (error == 0)
    error = cudaMemcpy_ptds(values, memory, sizeof values, 2);
  cudaRuntimeGetVersion(&version);
  printf("error %d, values %d %d ... %d, runtime %d, own %d\n", error,
         values[0], values[1], values[63], version, cudaOfTheProgram());
  printf("graph: %d\n", cudaGraphCreate(&graph, 0));
  return error;
}

#ifndef LIBRARY
int main(void) { return run(); }
#endif

//===- launch-bench.c - Loading and launching beside a bare driver program ===//
//
// usage: launch-bench FOLDER [LAUNCHES]
//
// FOLDER holds what `tile-compile bench/launch/kernels.mlir -o FOLDER` makes.
// For each function the PTX, and the cubin where there is one, is loaded and
// the kernel launched by Tile/Run.h and by the calls of the driver alone: the
// least of several loads in ms, the least mean of a launch in µs in 20 rounds
// of LAUNCHES (1000), of what the host does. Both do it in turns, in one
// context, and the results of both are compared.
//
//===----------------------------------------------------------------------===//

#include "Tile/Run.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1024, ROUNDS = 20, LOADS = 10, MAX_ARGS = 4 };
enum { BLOCKS = 8, THREADS = 128 }; // of kernels.mlir

static int num_launches = 1000; // of a round

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  fprintf(stderr, "launch-bench: %s\n", what);
  exit(1);
}

//===-- The driver --------------------------------------------------------===//

// cuda.h, version 12.
static struct {
  int (*init)(unsigned flags);
  int (*device_get)(int *device, int ordinal);
  int (*context_retain)(void **context, int device);
  int (*context_set)(void *context);
  int (*memory_alloc)(unsigned long long *memory, size_t size_bytes);
  int (*memory_set)(unsigned long long memory, unsigned value, size_t count);
  int (*memory_read)(void *to, unsigned long long from, size_t size_bytes);
  int (*module_load)(void **module, const void *image);
  int (*module_unload)(void *module);
  int (*function_get)(void **function, void *module, const char *name);
  int (*launch)(void *function, unsigned grid_x, unsigned grid_y,
                unsigned grid_z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned smem_bytes, void *stream,
                void **params, void **extra);
  int (*synchronize)(void);
} cu;

static void check(int result, const char *call) {
  if (result == 0)
    return;
  fprintf(stderr, "launch-bench: %s: error %d\n", call, result);
  exit(1);
}

#define CALL(name, ...) check(cu.name(__VA_ARGS__), #name)

static void wait_for_all(void) { check(cu.synchronize(), "synchronize"); }

static void open_driver(void) {
  static const struct {
    void *place;
    const char *name;
  } calls[] = {{&cu.init, "cuInit"},
               {&cu.device_get, "cuDeviceGet"},
               {&cu.context_retain, "cuDevicePrimaryCtxRetain"},
               {&cu.context_set, "cuCtxSetCurrent"},
               {&cu.memory_alloc, "cuMemAlloc_v2"},
               {&cu.memory_set, "cuMemsetD32_v2"},
               {&cu.memory_read, "cuMemcpyDtoH_v2"},
               {&cu.module_load, "cuModuleLoadData"},
               {&cu.module_unload, "cuModuleUnload"},
               {&cu.function_get, "cuModuleGetFunction"},
               {&cu.launch, "cuLaunchKernel"},
               {&cu.synchronize, "cuCtxSynchronize"}};
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    fail("no libcuda.so.1");
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    void *symbol = dlsym(library, calls[i].name);
    if (!symbol)
      fail(calls[i].name);
    memcpy(calls[i].place, &symbol, sizeof symbol);
  }
}

//===-- Files -------------------------------------------------------------===//

typedef struct {
  char *data; // NULL: there is no such file
  size_t size_bytes;
} File;

static File read_file(const char *folder, const char *name, const char *end) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
  FILE *file = fopen(path, "rb");
  File read = {NULL, 0};
  if (!file)
    return read;
  read.data = calloc(1, 1 << 20);
  if (read.data)
    read.size_bytes = fread(read.data, 1, (1 << 20) - 1, file);
  fclose(file);
  return read;
}

//===-- One function ------------------------------------------------------===//

typedef struct {
  const char *name;
  int num_args;
  TileDevice *device;
  unsigned long long memory[MAX_ARGS];
  void *bare, *function;
  TileModule *module;
} Case;

static double least(double a, double b) { return a < b ? a : b; }

static void load_bare(Case *c, const File *image) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_kernel", c->name);
  CALL(module_load, &c->bare, image->data);
  CALL(function_get, &c->function, c->bare, kernel);
}

static void time_loads(Case *c, const File *metadata, const File *image,
                       double out_ms[2]) {
  out_ms[0] = out_ms[1] = 1e9;
  for (int i = 0; i < LOADS; i++) {
    double start = now_ms();
    load_bare(c, image);
    double between = now_ms();
    c->module = tile_module_create(c->device, c->name, metadata->data,
                                   metadata->size_bytes, image->data,
                                   image->size_bytes);
    double end = now_ms();
    if (!c->module)
      fail("the module is not loaded");
    out_ms[0] = least(out_ms[0], between - start);
    out_ms[1] = least(out_ms[1], end - between);
    if (i + 1 == LOADS)
      break;
    CALL(module_unload, c->bare);
    tile_module_destroy(c->module);
  }
}

static void launch_bare(const Case *c) {
  void *params[MAX_ARGS];
  unsigned long long memory[MAX_ARGS];
  for (int i = 0; i < c->num_args; i++) {
    memory[i] = c->memory[i];
    params[i] = &memory[i];
  }
  CALL(launch, c->function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL);
}

static void launch_tile(const Case *c) {
  int64_t shape[] = {COUNT};
  TileDLTensor tensors[MAX_ARGS];
  TileLaunchArg args[MAX_ARGS];
  for (int i = 0; i < c->num_args; i++) {
    tensors[i] = (TileDLTensor){
        (void *)(uintptr_t)c->memory[i], {2, 0}, 1, {2, 32, 1}, shape, NULL, 0};
    args[i] = tile_arg_tensor(&tensors[i]);
  }
  if (!tile_module_launch(c->module, NULL, args, (size_t)c->num_args))
    fail("a launch failed");
}

static double time_round(const Case *c, void (*launch)(const Case *c)) {
  wait_for_all();
  double start = now_ms();
  for (int i = 0; i < num_launches; i++)
    launch(c);
  double end = now_ms(); // of what the host does
  wait_for_all();
  return (end - start) * 1e3 / num_launches;
}

static float result_of(const Case *c, void (*launch)(const Case *c)) {
  float value = 0;
  for (int i = 0; i < c->num_args; i++)
    CALL(memory_set, c->memory[i], 0x40000000, COUNT); // 2.0
  launch(c);
  wait_for_all();
  CALL(memory_read, &value, c->memory[c->num_args - 1] + 4 * (COUNT - 1), 4);
  return value;
}

static void run_case(Case *c, const char *folder, const char *kind) {
  File metadata = read_file(folder, c->name, "json");
  File image = read_file(folder, c->name, kind);
  double loads[2], launches[2] = {1e9, 1e9};
  if (!metadata.data || !image.data) {
    printf("%-5s %-5s not in %s\n", c->name, kind, folder);
    free(metadata.data);
    free(image.data);
    return;
  }
  CALL(context_set, c->bare);
  time_loads(c, &metadata, &image, loads);
  float bare = result_of(c, launch_bare), tile = result_of(c, launch_tile);
  for (int i = 0; i < ROUNDS; i++) {
    launches[0] = least(launches[0], time_round(c, launch_bare));
    launches[1] = least(launches[1], time_round(c, launch_tile));
  }
  printf("%-5s %-5s load %7.3f ms, bare %7.3f; launch %6.2f us, bare %6.2f; "
         "results %g %g%s\n",
         c->name, kind, loads[1], loads[0], launches[1], launches[0],
         (double)tile, (double)bare, tile == bare ? "" : ", WRONG");
  CALL(module_unload, c->bare);
  tile_module_destroy(c->module);
  free(metadata.data);
  free(image.data);
}

//===-- Entry -------------------------------------------------------------===//

int main(int argc, char **argv) {
  static const char *const kinds[] = {"cubin", "ptx"};
  void *context;
  int gpu;
  if (argc == 3)
    num_launches = atoi(argv[2]);
  if (argc < 2 || argc > 3 || num_launches < 1)
    fail("usage: launch-bench FOLDER [LAUNCHES]");
  open_driver();
  CALL(init, 0);
  CALL(device_get, &gpu, 0);
  CALL(context_retain, &context, gpu);
  CALL(context_set, context);
  TileDevice *device =
      tile_device_create_cuda(context, tile_diagnostic_print, NULL);
  if (!device)
    fail("no device");
  printf("%s, %s\n", tile_device_name(device), tile_device_chip(device));
  Case cases[] = {{.name = "one", .num_args = 1},
                  {.name = "four", .num_args = 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cases[i].device = device;
    for (int m = 0; m < cases[i].num_args; m++)
      CALL(memory_alloc, &cases[i].memory[m], COUNT * sizeof(float));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      cases[i].bare = context;
      run_case(&cases[i], argv[1], kinds[k]);
    }
  }
  tile_device_destroy(device);
  return 0;
}

//===- host-program.c - A CUDA program of the driver API, in plain C ------===//
//
// usage: host-program FATBIN KERNEL [STATUS]
// Loads the fat binary, runs the kernel on 64 floats, prints some and returns
// STATUS, or 3 when a call fails.
//
//===----------------------------------------------------------------------===//

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Address;
int cuInit(unsigned flags);
int cuDeviceGetName(char *name, int size, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuModuleLoad(void **module, const char *path);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(Address *address, size_t size);
int cuMemcpyHtoD_v2(Address target, const void *source, size_t size);
int cuMemcpyDtoH_v2(void *target, Address source, size_t size);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned smem,
                   void *stream, void **params, void **extra);
int cuGetErrorName(int error, const char **name);

static void check(int error, const char *what) {
  const char *name = "?";
  if (error == 0)
    return;
  cuGetErrorName(error, &name);
  printf("%s: %s\n", what, name);
  exit(3);
}

#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  void *context, *module, *function;
  Address data;
  char name[100];
  float values[64];
  int n = 100;
  if (argc < 3)
    return 4;
  CHECK(cuInit(0));
  CHECK(cuDeviceGetName(name, sizeof name, 0));
  printf("device: %s\n", name);
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&function, module, argv[2]));
  CHECK(cuMemAlloc_v2(&data, sizeof values));
  for (int i = 0; i < 64; i++)
    values[i] = (float)i;
  CHECK(cuMemcpyHtoD_v2(data, values, sizeof values));
  void *plain[] = {&data}, *counted[] = {&n, &data};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 256, NULL,
                       strcmp(argv[2], "fill") ? plain : counted, NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH_v2(values, data, sizeof values));
  printf("values: %g %g ... %g\n", values[0], values[1], values[63]);
  if (argc > 3 && strcmp(argv[3], "signal") == 0)
    abort();
  return argc > 3 ? atoi(argv[3]) : 0;
}

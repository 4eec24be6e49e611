//===- shim-runtime-test.c - libcudart, registered by hand ----------------===//
//
// What nvcc generates for a program: a constructor that registers the fat
// binary, its kernels and variables, and a host function for each kernel.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TILE_CUDART_MAJOR 13
#include "CudaShim/Runtime/Runtime.h"
#include "CudaShim/Runtime/RuntimeApi.h"
#include "shim-file.h"

#include <stdlib.h>
#include <string.h>

#define OK(call) assert_int_equal(call, RT_SUCCESS)

void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int thread_limit, void *tid,
                            void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int is_extern, size_t size_bytes,
                       int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                              const char *name, int is_extern,
                              size_t size_bytes, int is_constant,
                              int is_global);
unsigned __cudaPushCallConfiguration(RtDim grid, RtDim block, size_t smem_bytes,
                                     CuStream stream);
RtError __cudaPopCallConfiguration(RtDim *out_grid, RtDim *out_block,
                                   size_t *out_smem_bytes, void *out_stream);
RtError cudaGetLastError(void);
RtError cudaPeekAtLastError(void);
RtError cudaGetDeviceProperties(RtProperties *out_properties, int device);
RtError cudaGraphLaunch(void);

//===-- The "program" -----------------------------------------------------===//

// Host functions: their addresses are what is launched.
static char axpy[1], reverse_host[1], variables[1], absent[1], fill[1];
static char offsets[16], counter[4];
static int *shared_with_host;

static struct {
  uint32_t magic, version;
  const void *container;
  void *unused;
} wrapper = {0x466243b1, 1, NULL, NULL};

static void register_function(void **handle, const char *host,
                              const char *name) {
  __cudaRegisterFunction(handle, host, (char *)(uintptr_t)name, name, -1, NULL,
                         NULL, NULL, NULL, NULL);
}

static int register_program(void **state) {
  wrapper.container = shim_file_read("shim-speed.fatbin");
  void **handle = __cudaRegisterFatBinary(&wrapper);
  register_function(handle, axpy, "axpy");
  register_function(handle, reverse_host, "reverse");
  register_function(handle, variables, "variables");
  register_function(handle, fill, "fill");
  register_function(handle, absent, "absent");
  __cudaRegisterVar(handle, offsets, offsets, "offsets", 0, 16, 1, 0);
  __cudaRegisterVar(handle, counter, counter, "counter", 0, 4, 0, 0);
  __cudaRegisterManagedVar(handle, (void **)&shared_with_host, counter,
                           "shared_with_host", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  __cudaInitModule(handle);
  *state = handle;
  return 0;
}

static int unregister_program(void **state) {
  __cudaUnregisterFatBinary(*state);
  free((void *)(uintptr_t)wrapper.container);
  return 0;
}

//===-- Tests -------------------------------------------------------------===//

/// kernel<<<grid, block, smem>>>(...), as nvcc writes it.
static void triple_brackets(void **state) {
  enum { COUNT = 300 };
  (void)state;
  float *x, *y, a = 3, host[COUNT];
  int n = COUNT;
  OK(cudaMalloc((void **)&x, sizeof host));
  OK(cudaMalloc((void **)&y, sizeof host));
  for (int i = 0; i < n; i++)
    host[i] = (float)i;
  OK(cudaMemcpy(x, host, sizeof host, RT_HOST_TO_DEVICE));
  OK(cudaMemset(y, 0, sizeof host));
  assert_int_equal(__cudaPushCallConfiguration((RtDim){3, 1, 1},
                                               (RtDim){128, 1, 1}, 0, NULL),
                   0);
  RtDim grid, block;
  size_t smem_bytes;
  CuStream stream;
  OK(__cudaPopCallConfiguration(&grid, &block, &smem_bytes, &stream));
  void *args[] = {&n, &a, &x, &y};
  OK(cudaLaunchKernel(axpy, grid, block, args, smem_bytes, stream));
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, y, sizeof host, RT_DEVICE_TO_HOST));
  for (int i = 0; i < n; i++)
    assert_true(host[i] == 3 * (float)i);
  OK(cudaFree(x));
  OK(cudaFree(y));
  assert_int_not_equal(
      __cudaPopCallConfiguration(&grid, &block, &smem_bytes, &stream),
      RT_SUCCESS);
}

static void kernel_handles(void **state) {
  (void)state;
  float *data;
  CuFunction kernel;
  RtFunctionAttributes attributes;
  int count = 0;
  OK(cudaMallocManaged((void **)&data, 64 * 4, 1));
  for (int i = 0; i < 64; i++)
    data[i] = (float)i;
  void *args[] = {&data};
  OK(__cudaGetKernel(&kernel, reverse_host));
  OK(__cudaLaunchKernel(kernel, (RtDim){1, 1, 1}, (RtDim){64, 1, 1}, args, 256,
                        NULL));
  for (int i = 0; i < 64; i++)
    assert_true(data[i] == (float)(63 - i));
  OK(cudaFuncSetAttribute(reverse_host, CU_FUNC_MAX_DYNAMIC_SHARED_BYTES,
                          70000));
  OK(cudaFuncGetAttributes(&attributes, reverse_host));
  assert_int_equal(attributes.max_dynamic_shared_bytes, 70000);
  assert_int_equal(attributes.ptx_version, 90);
  assert_int_equal(attributes.max_threads, 1024);
  RtLaunchConfig config = {
      .grid = {1, 1, 1}, .block = {64, 1, 1}, .smem_bytes = 70000};
  OK(cudaLaunchKernelExC(&config, reverse_host, args));
  assert_true(data[5] == 5);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, reverse_host, 64,
                                                   70000));
  assert_int_equal(count, 3);
  OK(cudaFree(data));
}

static void symbols(void **state) {
  (void)state;
  const int values[4] = {1, 2, 3, 4};
  int *out, host[4];
  size_t size_bytes = 0;
  assert_int_equal(*shared_with_host, 11);
  OK(cudaMemcpyToSymbol(offsets, values, sizeof values, 0, RT_HOST_TO_DEVICE));
  assert_int_equal(
      cudaMemcpyToSymbol(offsets, values, sizeof values, 4, RT_HOST_TO_DEVICE),
      RT_INVALID_VALUE);
  OK(cudaGetSymbolSize(&size_bytes, offsets));
  assert_int_equal(size_bytes, 16);
  OK(cudaMalloc((void **)&out, sizeof host));
  void *args[] = {&out};
  OK(cudaLaunchKernel(variables, (RtDim){1, 1, 1}, (RtDim){4, 1, 1}, args, 0,
                      NULL));
  OK(cudaMemcpy(host, out, sizeof host, RT_COPY_DEFAULT));
  for (int i = 0; i < 4; i++)
    assert_int_equal(host[i], values[i] + 7 + 11);
  assert_int_equal(*shared_with_host, 12);
  OK(cudaMemcpyFromSymbol(host, counter, 4, 0, RT_DEVICE_TO_HOST));
  assert_int_equal(host[0], 7);
  assert_int_equal(cudaGetSymbolSize(&size_bytes, axpy), RT_INVALID_SYMBOL);
  OK(cudaFree(out));
}

static void properties(void **state) {
  (void)state;
  RtProperties properties;
  RtPointerAttributes pointer;
  int device = -1, version = 0;
  OK(cudaGetDevice(&device));
  assert_int_equal(cudaSetDevice(1), RT_INVALID_DEVICE);
  OK(cudaGetDeviceProperties(&properties, 0));
  assert_int_equal(properties.major, 9);
  assert_int_equal(properties.multi_processor_count, 132);
  assert_int_equal(properties.shared_mem_per_block_optin, 227 << 10);
  assert_int_equal(properties.max_threads_dim[2], 64);
  assert_int_equal(properties.warp_size, 32);
  OK(cudaPointerGetAttributes(&pointer, &device));
  assert_int_equal(pointer.type, 0);
  OK(cudaRuntimeGetVersion(&version));
  assert_int_equal(version, 13000);
}

static void last_errors(void **state) {
  (void)state;
  void *memory = NULL;
  void *args[] = {&memory, &memory, &memory, &memory, &memory, &memory};
  cudaGetLastError();
  assert_int_equal(cudaLaunchKernel(absent, (RtDim){1, 1, 1}, (RtDim){1, 1, 1},
                                    args, 0, NULL),
                   RT_INVALID_DEVICE_FUNCTION);
  assert_int_equal(cudaPeekAtLastError(), RT_INVALID_DEVICE_FUNCTION);
  assert_int_equal(cudaGetLastError(), RT_INVALID_DEVICE_FUNCTION);
  assert_int_equal(cudaGetLastError(), RT_SUCCESS);
  assert_int_equal(cudaLaunchKernel("no kernel", (RtDim){1, 1, 1},
                                    (RtDim){1, 1, 1}, args, 0, NULL),
                   RT_INVALID_DEVICE_FUNCTION);
  assert_int_equal(cudaLaunchKernel(axpy, (RtDim){1, 1, 1}, (RtDim){2000, 1, 1},
                                    args, 0, NULL),
                   RT_INVALID_CONFIGURATION);
  assert_int_equal(cudaMalloc(&memory, (size_t)1 << 40), RT_OUT_OF_MEMORY);
  assert_int_equal(cudaGraphLaunch(), RT_NOT_SUPPORTED);
  assert_string_equal(cudaGetErrorName(RT_OUT_OF_MEMORY),
                      "cudaErrorMemoryAllocation");
  assert_string_equal(cudaGetErrorString(RT_OUT_OF_MEMORY), "out of memory");
  cudaGetLastError();
}

static void faults_stay(void **state) {
  (void)state;
  float *data;
  int n = 100;
  OK(cudaMalloc((void **)&data, 64 * 4));
  void *args[] = {&n, &data};
  OK(cudaLaunchKernel(fill, (RtDim){1, 1, 1}, (RtDim){32, 1, 1}, args, 0,
                      NULL));
  assert_int_equal(cudaDeviceSynchronize(), CU_ILLEGAL_ADDRESS);
  assert_int_equal(cudaGetLastError(), CU_ILLEGAL_ADDRESS);
  assert_int_equal(cudaGetLastError(), CU_ILLEGAL_ADDRESS);
  OK(cudaDeviceReset());
  OK(cudaDeviceSynchronize());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triple_brackets), cmocka_unit_test(kernel_handles),
      cmocka_unit_test(symbols),         cmocka_unit_test(properties),
      cmocka_unit_test(last_errors),     cmocka_unit_test(faults_stay),
  };
  return cmocka_run_group_tests(tests, register_program, unregister_program);
}

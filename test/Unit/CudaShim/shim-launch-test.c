//===- shim-launch-test.c - libcuda: launches, occupancy, tensor maps -----===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "CudaShim/Driver/DriverApi.h"
#include "shim-file.h"

#include <stdlib.h>

#define OK(call) assert_int_equal(call, CU_SUCCESS)

typedef struct {
  CuContext context;
  CuModule module;
} Fixture;

static int open_device(void **state) {
  Fixture *fixture = calloc(1, sizeof *fixture);
  void *image = shim_file_read("shim-size.fatbin");
  bool is_open = fixture && cuInit(0) == CU_SUCCESS &&
                 cuDevicePrimaryCtxRetain(&fixture->context, 0) == CU_SUCCESS &&
                 cuCtxSetCurrent(fixture->context) == CU_SUCCESS &&
                 cuModuleLoadData(&fixture->module, image) == CU_SUCCESS;
  free(image);
  *state = fixture;
  return is_open ? 0 : -1;
}

static int close_device(void **state) {
  Fixture *fixture = *state;
  CuResult result = cuModuleUnload(fixture->module);
  free(fixture);
  return result == CU_SUCCESS ? 0 : -1;
}

static CuFunction kernel(void **state, const char *name) {
  CuFunction function = NULL;
  OK(cuModuleGetFunction(&function, ((Fixture *)*state)->module, name));
  return function;
}

/// Managed memory: the test reads and writes it directly.
static void *managed(size_t size_bytes) {
  CuAddress address = 0;
  OK(cuMemAllocManaged(&address, size_bytes, 1));
  return (void *)(uintptr_t)address;
}

static void by_params_and_by_buffer(void **state) {
  enum { COUNT = 1000 };
  float *x = managed(4 * COUNT), *y = managed(4 * COUNT), a = 2;
  int n = COUNT;
  for (int i = 0; i < n; i++) {
    x[i] = (float)i;
    y[i] = 1;
  }
  void *params[] = {&n, &a, &x, &y};
  CuFunction axpy = kernel(state, "axpy");
  OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
  OK(cuCtxSynchronize());
  for (int i = 0; i < n; i++)
    assert_true(y[i] == 1 + 2 * (float)i);
  struct {
    int n;
    float a;
    void *x, *y;
  } buffer = {n, -2, x, y};
  size_t size_bytes = sizeof buffer;
  void *extra[] = {(void *)CU_LAUNCH_BUFFER, &buffer,
                   (void *)CU_LAUNCH_BUFFER_SIZE, &size_bytes,
                   (void *)CU_LAUNCH_END};
  OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
  for (int i = 0; i < n; i++)
    assert_true(y[i] == 1);
  size_bytes = 8;
  assert_int_equal(
      cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra),
      CU_INVALID_VALUE);
  OK(cuMemFree_v2((uintptr_t)x));
  OK(cuMemFree_v2((uintptr_t)y));
}

static void refused(void **state) {
  float *data = managed(400);
  void *params[] = {&data};
  CuFunction reverse = kernel(state, "reverse");
  assert_int_equal(
      cuLaunchKernel(reverse, 1, 1, 1, 2000, 1, 1, 0, NULL, params, NULL),
      CU_INVALID_VALUE);
  // More dynamic shared memory than 48 KiB has to be asked for.
  assert_int_equal(
      cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, 50000, NULL, params, NULL),
      CU_INVALID_VALUE);
  assert_int_equal(
      cuFuncSetAttribute(reverse, CU_FUNC_MAX_DYNAMIC_SHARED_BYTES, 240000),
      CU_INVALID_VALUE);
  OK(cuFuncSetAttribute(reverse, CU_FUNC_MAX_DYNAMIC_SHARED_BYTES, 60000));
  for (int i = 0; i < 64; i++)
    data[i] = (float)i;
  OK(cuLaunchKernel(reverse, 1, 1, 1, 64, 1, 1, 50000, NULL, params, NULL));
  for (int i = 0; i < 64; i++)
    assert_true(data[i] == (float)(63 - i));
  assert_int_equal(
      cuLaunchKernel((CuFunction)data, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
      CU_INVALID_HANDLE);
  OK(cuMemFree_v2((uintptr_t)data));
}

static void clusters(void **state) {
  int *out = managed(64);
  void *params[] = {&out};
  CuFunction ranks = kernel(state, "ranks");
  CuLaunchAttribute attributes[] = {{.id = 6, .value.number = 1},
                                    {.id = CU_LAUNCH_CLUSTER}};
  attributes[1].value.dim.x = 4;
  attributes[1].value.dim.y = attributes[1].value.dim.z = 1;
  CuLaunchConfig config = {.grid = {16, 1, 1},
                           .block = {32, 1, 1},
                           .attributes = attributes,
                           .num_attributes = 2};
  OK(cuLaunchKernelEx(&config, ranks, params, NULL));
  for (int i = 0; i < 16; i++)
    assert_int_equal(out[i], 400 + i % 4);
  attributes[1].value.dim.x = 16;
  assert_int_equal(cuLaunchKernelEx(&config, ranks, params, NULL),
                   CU_INVALID_CLUSTER_SIZE);
  OK(cuFuncSetAttribute(ranks, CU_FUNC_NON_PORTABLE_CLUSTER, 1));
  OK(cuLaunchKernelEx(&config, ranks, params, NULL));
  assert_int_equal(out[15], 1615);
  int count = 0;
  OK(cuOccupancyMaxActiveClusters(&count, ranks, &config));
  assert_int_equal(count, 132 * 32 / 16);
  OK(cuMemFree_v2((uintptr_t)out));
}

static void cooperative(void **state) {
  enum { BLOCKS = 50 };
  int *values = managed(4 * BLOCKS), *out = managed(4 * BLOCKS);
  void *params[] = {&values, &out};
  CuFunction together = kernel(state, "together");
  OK(cuLaunchCooperativeKernel(together, BLOCKS, 1, 1, 64, 1, 1, 0, NULL,
                               params));
  OK(cuCtxSynchronize());
  for (int i = 0; i < BLOCKS; i++)
    assert_int_equal(out[i], BLOCKS * (BLOCKS + 1) / 2);
  assert_int_equal(cuLaunchCooperativeKernel(together, 5000, 1, 1, 64, 1, 1, 0,
                                             NULL, params),
                   CU_COOPERATIVE_LAUNCH_TOO_LARGE);
  OK(cuMemFree_v2((uintptr_t)values));
  OK(cuMemFree_v2((uintptr_t)out));
}

static void variables(void **state) {
  const int offsets[4] = {10, 20, 30, 40};
  CuModule module = ((Fixture *)*state)->module;
  CuAddress address = 0;
  int *out = managed(16), host = 0;
  OK(cuModuleGetGlobal_v2(&address, NULL, module, "offsets"));
  OK(cuMemcpyHtoD_v2(address, offsets, sizeof offsets));
  void *params[] = {&out};
  OK(cuLaunchKernel(kernel(state, "variables"), 1, 1, 1, 4, 1, 1, 0, NULL,
                    params, NULL));
  for (int i = 0; i < 4; i++)
    assert_int_equal(out[i], offsets[i] + 7 + 11);
  OK(cuModuleGetGlobal_v2(&address, NULL, module, "shared_with_host"));
  OK(cuMemcpyDtoH_v2(&host, address, 4));
  assert_int_equal(host, 12);
  assert_int_equal(cuModuleGetGlobal_v2(&address, NULL, module, "none"),
                   CU_NOT_FOUND);
  OK(cuMemFree_v2((uintptr_t)out));
}

static void occupancy(void **state) {
  int count = 0, grid = 0, block = 0;
  size_t size_bytes = 0;
  CuFunction reverse = kernel(state, "reverse");
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, reverse, 256, 0));
  assert_int_equal(count, 8); // 64 warps
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, reverse, 64, 50000));
  assert_int_equal(count, 4); // 228 KiB of shared memory
  OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, reverse, NULL, 0, 0));
  assert_int_equal(block, 1024);
  assert_int_equal(grid, 2 * 132);
  OK(cuOccupancyAvailableDynamicSMemPerBlock(&size_bytes, reverse, 2, 64));
  assert_int_equal(size_bytes, 113 << 10);
}

static void tensor_maps(void **state) {
  (void)state;
  _Alignas(64) unsigned char map[128], moved[128];
  const uint64_t dims[2] = {100, 50}, strides[1] = {256};
  const uint32_t box[2] = {64, 8}, steps[2] = {1, 1};
  CuAddress a;
  OK(cuMemAlloc_v2(&a, 256 * 50));
  void *address = (void *)(uintptr_t)a, *other = (char *)address + 256;
  enum { F16 = 6 };
  OK(cuTensorMapEncodeTiled(map, F16, 2, address, dims, strides, box, steps, 0,
                            3, 0, 0));
  OK(cuTensorMapEncodeTiled(moved, F16, 2, other, dims, strides, box, steps, 0,
                            3, 0, 0));
  OK(cuTensorMapReplaceAddress(map, other));
  assert_memory_equal(map, moved, sizeof map);
  assert_int_equal(cuTensorMapReplaceAddress(map, (char *)address + 8),
                   CU_INVALID_VALUE);
  // A row of 128 bytes does not fit the swizzle of 64 bytes.
  assert_int_equal(cuTensorMapEncodeTiled(map, F16, 2, address, dims, strides,
                                          box, steps, 0, 2, 0, 0),
                   CU_INVALID_VALUE);
  assert_int_equal(cuTensorMapEncodeTiled(map, F16, 2, address, dims, strides,
                                          box, steps, 1, 0, 0, 0),
                   CU_NOT_SUPPORTED);
  assert_int_equal(cuTensorMapEncodeTiled(map + 8, F16, 2, address, dims,
                                          strides, box, steps, 0, 3, 0, 0),
                   CU_INVALID_VALUE);
  OK(cuMemFree_v2(a));
}

/// The last test: faults stay.
static void faults_stay(void **state) {
  float *data = managed(64 * 4), *copy = NULL;
  void *race_params[] = {&data};
  OK(cuLaunchKernel(kernel(state, "race"), 1, 1, 1, 64, 1, 1, 0, NULL,
                    race_params, NULL));
  OK(cuCtxSynchronize()); // a race does not stop a GPU
  int n = 100;
  void *params[] = {&n, &data};
  CuFunction fill = kernel(state, "fill");
  OK(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
  assert_int_equal(cuCtxSynchronize(), CU_ILLEGAL_ADDRESS);
  assert_int_equal(cuMemAlloc_v2((CuAddress *)&copy, 4), CU_ILLEGAL_ADDRESS);
  OK(cuDevicePrimaryCtxReset_v2(0));
  OK(cuCtxSynchronize());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_params_and_by_buffer),
      cmocka_unit_test(refused),
      cmocka_unit_test(clusters),
      cmocka_unit_test(cooperative),
      cmocka_unit_test(variables),
      cmocka_unit_test(occupancy),
      cmocka_unit_test(tensor_maps),
      cmocka_unit_test(faults_stay),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}

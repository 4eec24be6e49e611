//===- shim-driver-test.c - libcuda: devices, contexts, memory, modules ---===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "CudaShim/Driver/DriverApi.h"
#include "shim-file.h"

#include <stdlib.h>
#include <string.h>

#define OK(call) assert_int_equal(call, CU_SUCCESS)

static void before_init(void **state) {
  (void)state;
  int count = 0;
  CuContext context;
  assert_int_equal(cuDeviceGetCount(&count), CU_NOT_INITIALIZED);
  assert_int_equal(cuCtxGetCurrent(&context), CU_NOT_INITIALIZED);
  assert_int_equal(cuInit(1), CU_INVALID_VALUE);
  OK(cuInit(0));
  OK(cuInit(0));
  OK(cuDeviceGetCount(&count));
  assert_int_equal(count, 1);
}

//===-- Devices -----------------------------------------------------------===//

static int attribute(int number) {
  int value = -1;
  OK(cuDeviceGetAttribute(&value, number, 0));
  return value;
}

static void device_is_as_an_h100(void **state) {
  (void)state;
  CuDevice device = -1;
  char name[100];
  size_t size_bytes = 0;
  OK(cuDeviceGet(&device, 0));
  assert_int_equal(device, 0);
  assert_int_equal(cuDeviceGet(&device, 1), CU_INVALID_DEVICE);
  OK(cuDeviceGetName(name, sizeof name, 0));
  assert_string_equal(name, "Tile emulator (as NVIDIA H100 80GB)");
  OK(cuDeviceTotalMem_v2(&size_bytes, 0));
  assert_int_equal(size_bytes, 80ull << 30);
  assert_int_equal(attribute(75) * 10 + attribute(76), 90);
  assert_int_equal(attribute(16), 132);
  assert_int_equal(attribute(97), 227 << 10);
  assert_int_equal(attribute(10), 32);
  int value = 0;
  assert_int_equal(cuDeviceGetAttribute(&value, 0, 0), CU_INVALID_VALUE);
  assert_int_equal(cuDeviceGetAttribute(&value, 10, 3), CU_INVALID_DEVICE);
}

static void errors_have_names(void **state) {
  (void)state;
  const char *text = NULL;
  OK(cuGetErrorName(CU_ILLEGAL_ADDRESS, &text));
  assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  OK(cuGetErrorString(CU_SUCCESS, &text));
  assert_string_equal(text, "no error");
  assert_int_equal(cuGetErrorName((CuResult)12345, &text), CU_INVALID_VALUE);
  assert_null(text);
}

static void functions_by_name(void **state) {
  (void)state;
  void *function = NULL, *older = NULL;
  int found = -1;
  OK(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &found));
  assert_int_equal(found, 0);
  assert_ptr_equal(function, (void *)(uintptr_t)cuMemAlloc_v2);
  OK(cuGetProcAddress_v2("cuCtxCreate", &function, 13000, 0, &found));
  OK(cuGetProcAddress_v2("cuCtxCreate", &older, 12000, 0, &found));
  assert_ptr_equal(function, (void *)(uintptr_t)cuCtxCreate_v4);
  assert_ptr_equal(older, (void *)(uintptr_t)cuCtxCreate_v3);
  OK(cuGetProcAddress_v2("cuNoSuchCall", &function, 13000, 0, &found));
  assert_null(function);
  assert_int_equal(found, 1);
  OK(cuGetProcAddress_v2("malloc", &function, 13000, 0, &found));
  assert_null(function); // not one of ours
  assert_int_equal(cuGetProcAddress("cuNoSuchCall", &function, 13000, 0),
                   CU_NOT_FOUND);
  // What the emulator lacks is there and says so.
  CuResult (*missing)(void) = NULL;
  OK(cuGetProcAddress_v2("cuGraphLaunch", &function, 13000, 0, &found));
  memcpy((void *)&missing, (void *)&function, sizeof missing);
  assert_int_equal(missing(), CU_NOT_SUPPORTED);
}

//===-- Contexts ----------------------------------------------------------===//

static void contexts(void **state) {
  (void)state;
  CuContext primary, again, own, current;
  CuAddress address;
  int is_active = -1;
  unsigned flags = 9;
  assert_int_equal(cuMemAlloc_v2(&address, 4), CU_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRetain(&primary, 0));
  OK(cuDevicePrimaryCtxRetain(&again, 0));
  assert_ptr_equal(primary, again);
  OK(cuCtxSetCurrent(primary));
  OK(cuCtxCreate_v2(&own, 4, 0));
  OK(cuCtxGetCurrent(&current));
  assert_ptr_equal(current, own);
  OK(cuCtxGetFlags(&flags));
  assert_int_equal(flags, 4);
  OK(cuCtxDestroy_v2(own));
  assert_int_equal(cuCtxPushCurrent_v2(own), CU_INVALID_CONTEXT);
  OK(cuCtxGetCurrent(&current));
  assert_ptr_equal(current, primary);
  OK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  assert_int_equal(is_active, 1);
  OK(cuDevicePrimaryCtxRelease_v2(0));
}

//===-- Memory ------------------------------------------------------------===//

static void memory(void **state) {
  (void)state;
  CuAddress a, base;
  size_t free_bytes, less_bytes, total_bytes, size_bytes;
  int data[100], back[100];
  for (int i = 0; i < 100; i++)
    data[i] = i * i;
  OK(cuMemGetInfo_v2(&free_bytes, &total_bytes));
  OK(cuMemAlloc_v2(&a, sizeof data));
  OK(cuMemGetInfo_v2(&less_bytes, &total_bytes));
  assert_int_equal(free_bytes - less_bytes, sizeof data);
  OK(cuMemcpyHtoD_v2(a, data, sizeof data));
  OK(cuMemcpyDtoH_v2(back, a, sizeof data));
  assert_memory_equal(data, back, sizeof data);
  OK(cuMemsetD32_v2(a + 8, 5, 3));
  OK(cuMemcpyDtoH_v2(back, a, 24));
  const int filled[6] = {0, 1, 5, 5, 5, 25};
  assert_memory_equal(back, filled, sizeof filled);
  OK(cuMemGetAddressRange_v2(&base, &size_bytes, a + 44));
  assert_int_equal(base, a);
  assert_int_equal(size_bytes, sizeof data);
  // Beyond the end, and into memory that is not the device's.
  assert_int_equal(cuMemcpyHtoD_v2(a + 4, data, sizeof data), CU_INVALID_VALUE);
  assert_int_equal(cuMemcpyHtoD_v2((uintptr_t)back, data, 4), CU_INVALID_VALUE);
  assert_int_equal(cuMemsetD8_v2(a + 399, 1, 2), CU_INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(a + 4), CU_INVALID_VALUE);
  OK(cuMemFree_v2(a));
  assert_int_equal(cuMemFree_v2(a), CU_INVALID_VALUE);
  OK(cuMemFree_v2(0));
  assert_int_equal(cuMemAlloc_v2(&a, 81ull << 30), CU_OUT_OF_MEMORY);
  assert_int_equal(cuMemAlloc_v2(&a, 0), CU_INVALID_VALUE);
}

static void kinds_of_memory(void **state) {
  (void)state;
  static int own[8];
  CuAddress managed, address;
  void *pinned;
  int type = 0, is_managed = 0;
  OK(cuMemAllocManaged(&managed, 64, 1));
  OK(cuPointerGetAttribute(&is_managed, 8, managed));
  assert_int_equal(is_managed, 1);
  OK(cuMemHostAlloc(&pinned, 64, 0));
  OK(cuPointerGetAttribute(&type, 2, (uintptr_t)pinned));
  assert_int_equal(type, CU_MEMORY_HOST);
  OK(cuMemHostRegister_v2(own, sizeof own, 0));
  assert_int_equal(cuMemHostRegister_v2(own, sizeof own, 0),
                   CU_HOST_MEMORY_ALREADY_REGISTERED);
  OK(cuMemHostGetDevicePointer_v2(&address, own, 0));
  OK(cuMemsetD32_v2(address, 3, 8));
  assert_int_equal(own[7], 3);
  OK(cuMemHostUnregister(own));
  assert_int_equal(cuMemHostUnregister(own), CU_HOST_MEMORY_NOT_REGISTERED);
  assert_int_equal(cuPointerGetAttribute(&type, 2, (uintptr_t)own),
                   CU_INVALID_VALUE);
  assert_int_equal(cuMemFree_v2((uintptr_t)pinned), CU_INVALID_VALUE);
  OK(cuMemFreeHost(pinned));
  OK(cuMemFree_v2(managed));
}

static void pitched_copies(void **state) {
  (void)state;
  CuAddress a;
  size_t pitch_bytes = 0;
  char rows[3][5] = {"abcd", "efgh", "ijkl"}, back[2][2];
  OK(cuMemAllocPitch_v2(&a, &pitch_bytes, 5, 3, 4));
  assert_int_equal(pitch_bytes, 512);
  CuCopy2D up = {
      .source = {.memory_type = CU_MEMORY_HOST, .host = rows, .pitch_bytes = 5},
      .target = {.memory_type = CU_MEMORY_DEVICE,
                 .device = a,
                 .pitch_bytes = pitch_bytes},
      .width_bytes = 5,
      .height = 3};
  OK(cuMemcpy2D_v2(&up));
  CuCopy2D down = {
      .source = {.x_bytes = 2,
                 .y = 1,
                 .memory_type = CU_MEMORY_DEVICE,
                 .device = a,
                 .pitch_bytes = pitch_bytes},
      .target = {.memory_type = CU_MEMORY_HOST, .host = back, .pitch_bytes = 2},
      .width_bytes = 2,
      .height = 2};
  OK(cuMemcpy2D_v2(&down));
  assert_memory_equal(back, "ghkl", 4);
  OK(cuMemsetD2D8_v2(a, pitch_bytes, 'z', 3, 3));
  OK(cuMemcpyDtoH_v2(back, a + 2 * pitch_bytes + 2, 2));
  assert_memory_equal(back, "zl", 2);
  down.height = 3;
  assert_int_equal(cuMemcpy2D_v2(&down), CU_INVALID_VALUE); // a fourth row
  down.source.memory_type = CU_MEMORY_ARRAY;
  assert_int_equal(cuMemcpy2D_v2(&down), CU_NOT_SUPPORTED);
  OK(cuMemFree_v2(a));
}

static void pools_and_streams(void **state) {
  (void)state;
  CuPool pool;
  CuStream stream;
  CuEvent first, second;
  CuAddress a;
  uint64_t threshold = 1 << 20, stored = 0;
  float ms = -1;
  OK(cuDeviceGetDefaultMemPool(&pool, 0));
  OK(cuMemPoolSetAttribute(pool, 4, &threshold));
  OK(cuMemPoolGetAttribute(pool, 4, &stored));
  assert_int_equal(stored, threshold);
  OK(cuStreamCreate(&stream, 1));
  OK(cuEventCreate(&first, 0));
  OK(cuEventCreate(&second, 0));
  assert_int_equal(cuEventElapsedTime(&ms, first, second), CU_INVALID_HANDLE);
  OK(cuEventRecord(first, stream));
  OK(cuMemAllocAsync(&a, 100, stream));
  OK(cuMemsetD8Async(a, 1, 100, stream));
  OK(cuMemFreeAsync(a, stream));
  OK(cuEventRecord(second, stream));
  OK(cuStreamWaitEvent(NULL, second, 0));
  OK(cuEventElapsedTime(&ms, first, second));
  assert_true(ms >= 0);
  OK(cuStreamQuery(stream));
  OK(cuStreamDestroy_v2(stream));
  assert_int_equal(cuStreamQuery(stream), CU_INVALID_HANDLE);
  OK(cuEventDestroy_v2(first));
  assert_int_equal(cuEventQuery(first), CU_INVALID_HANDLE);
}

//===-- Modules -----------------------------------------------------------===//

static void all_forms_of_images(void **state) {
  static const char *const names[] = {"shim-none.fatbin", "shim-speed.fatbin",
                                      "shim-size.fatbin"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    void *image = shim_file_read(names[i]);
    CuModule module;
    CuFunction function;
    unsigned count = 0;
    int target = 0;
    const char *name = NULL;
    OK(cuModuleLoadData(&module, image));
    free(image);
    OK(cuModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 8);
    OK(cuModuleGetFunction(&function, module, "axpy"));
    assert_int_equal(cuModuleGetFunction(&function, module, "xpy"),
                     CU_NOT_FOUND);
    OK(cuModuleGetFunction(&function, module, "axpy"));
    OK(cuFuncGetName(&name, function));
    assert_string_equal(name, "axpy");
    OK(cuFuncGetAttribute(&target, CU_FUNC_PTX_VERSION, function));
    assert_int_equal(target, 90); // the newest PTX that runs
    OK(cuModuleUnload(module));
    assert_int_equal(cuModuleGetFunction(&function, module, "axpy"),
                     CU_INVALID_HANDLE);
  }
}

static void images_that_cannot_run(void **state) {
  (void)state;
  CuModule module;
  void *image = shim_file_read("machine-code.fatbin");
  assert_int_equal(cuModuleLoadData(&module, image), CU_NO_BINARY_FOR_GPU);
  free(image);
  assert_int_equal(cuModuleLoadData(&module, "\177ELF..."),
                   CU_NO_BINARY_FOR_GPU);
  assert_int_equal(cuModuleLoadData(&module, "no PTX"), CU_INVALID_PTX);
  assert_int_equal(cuModuleLoad(&module, "/no/such/file"), CU_FILE_NOT_FOUND);
  // A fat binary that ends early.
  char *damaged = shim_file_read("shim-speed.fatbin");
  memset(damaged + 24, 0xff, 4); // the size of the first entry
  assert_int_equal(cuModuleLoadData(&module, damaged), CU_INVALID_IMAGE);
  free(damaged);
}

static void libraries(void **state) {
  (void)state;
  void *image = shim_file_read("shim-none.fatbin");
  CuModule library;
  CuFunction kernel, function;
  CuAddress address;
  size_t size_bytes = 0;
  int value = 0;
  OK(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
  free(image);
  OK(cuLibraryGetKernel(&kernel, library, "reverse"));
  OK(cuKernelGetFunction(&function, kernel));
  OK(cuKernelSetAttribute(CU_FUNC_MAX_DYNAMIC_SHARED_BYTES, 100000, kernel, 0));
  OK(cuFuncGetAttribute(&value, CU_FUNC_MAX_DYNAMIC_SHARED_BYTES, function));
  assert_int_equal(value, 100000);
  OK(cuLibraryGetGlobal(&address, &size_bytes, library, "offsets"));
  assert_int_equal(size_bytes, 16);
  OK(cuLibraryGetGlobal(&address, &size_bytes, library, "counter"));
  OK(cuMemcpyDtoH_v2(&value, address, 4));
  assert_int_equal(value, 7);
  OK(cuLibraryUnload(library));
  assert_int_equal(cuMemcpyDtoH_v2(&value, address, 4), CU_INVALID_VALUE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(before_init),
      cmocka_unit_test(device_is_as_an_h100),
      cmocka_unit_test(errors_have_names),
      cmocka_unit_test(functions_by_name),
      cmocka_unit_test(contexts),
      cmocka_unit_test(memory),
      cmocka_unit_test(kinds_of_memory),
      cmocka_unit_test(pitched_copies),
      cmocka_unit_test(pools_and_streams),
      cmocka_unit_test(all_forms_of_images),
      cmocka_unit_test(images_that_cannot_run),
      cmocka_unit_test(libraries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

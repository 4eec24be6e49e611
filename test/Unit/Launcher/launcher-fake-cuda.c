//===- launcher-fake-cuda.c - A CUDA driver that only takes notes ---------===//
//
// Built as a shared library that the driver test opens in place of
// libcuda.so.1. Memory is an array; kernels do nothing.
//
//===----------------------------------------------------------------------===//

#include "launcher-fake-cuda.h"
#include "Launcher/CudaApi.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern FakeCuda fake_cuda;
FakeCuda fake_cuda = {.num_devices = 1, .capability = 90};

enum { MEMORY_BYTES = 1 << 20 };
static const uint64_t memory_address = 0x700000000;
static unsigned char memory[MEMORY_BYTES];
static size_t memory_used;

/// What the driver answers where no context is current: it was seen for tensor
/// maps too, on a GPU with driver 580.
enum { INVALID_CONTEXT = 201 };

static bool needs_context(const char *name) {
  static const char *const families[] = {
      "cuMem",       "cuModule",         "cuFunc",   "cuLaunch",
      "cuTensorMap", "cuCtxSynchronize", "cuStream", "cuCtxGetDevice"};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strncmp(name, families[i], strlen(families[i])) == 0)
      return true;
  return false;
}

/// Notes a call and returns its result.
static int note(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int note(const char *name, const char *format, ...) {
  char arguments[512];
  va_list values;
  va_start(values, format);
  vsnprintf(arguments, sizeof arguments, format, values);
  va_end(values);
  size_t room = sizeof fake_cuda.log - fake_cuda.log_bytes;
  int written = snprintf(fake_cuda.log + fake_cuda.log_bytes, room, "%s%s%s\n",
                         name, *arguments ? " " : "", arguments);
  if (written > 0 && (size_t)written < room)
    fake_cuda.log_bytes += (size_t)written;
  if (needs_context(name) && fake_cuda.num_pushed == 0 &&
      !fake_cuda.has_current)
    return INVALID_CONTEXT;
  return fake_cuda.failing && strcmp(fake_cuda.failing, name) == 0
             ? fake_cuda.error
             : 0;
}

static int get_error_name(int error, const char **out_name) {
  *out_name = "CUDA_ERROR_FAKE";
  return error == 999; // a number without a name
}

static int get_error_string(int error, const char **out_text) {
  *out_text = "as asked for";
  return error == 999;
}

static int init(unsigned flags) { return note("cuInit", "%u", flags); }

static int device_get_count(int *out_count) {
  // For tests of tile-run, which cannot reach the controls.
  const char *num_devices = getenv("TILE_FAKE_CUDA_DEVICES");
  *out_count = num_devices ? num_devices[0] - '0' : fake_cuda.num_devices;
  return note("cuDeviceGetCount", "%s", "");
}

static int device_get(int *out_device, int ordinal) {
  *out_device = 40 + ordinal;
  return note("cuDeviceGet", "%d", ordinal);
}

static int device_get_name(char *name, int size_bytes, int device) {
  snprintf(name, (size_t)size_bytes, "Fake GPU");
  return note("cuDeviceGetName", "%d", device);
}

static int device_get_attribute(int *out_value, int attribute, int device) {
  *out_value = attribute == 16    ? 78
               : attribute == 115 ? fake_cuda.has_pools
               : attribute == 75  ? fake_cuda.capability / 10
                                  : fake_cuda.capability % 10;
  return note("cuDeviceGetAttribute", "%d %d", attribute, device);
}

static int primary_ctx_retain(CudaContext **out_context, int device) {
  *out_context = (void *)memory;
  return note("cuDevicePrimaryCtxRetain", "%d", device);
}

static int primary_ctx_release(int device) {
  return note("cuDevicePrimaryCtxRelease", "%d", device);
}

static int driver_get_version(int *out_version) {
  *out_version = 12040;
  return 0;
}

// The stack of contexts of the one thread; its balance is part of the controls.
static int ctx_push_current(CudaContext *context) {
  if ((void *)context != memory)
    return note("cuCtxPushCurrent", "?");
  fake_cuda.num_pushed++;
  return fake_cuda.failing && !strcmp(fake_cuda.failing, "cuCtxPushCurrent")
             ? fake_cuda.error
             : 0;
}

static int ctx_pop_current(CudaContext **out_context) {
  *out_context = (void *)memory;
  fake_cuda.num_pushed--;
  return 0;
}

static int ctx_get_current(CudaContext **out_context) {
  *out_context = fake_cuda.has_current ? (void *)memory : NULL;
  return 0;
}

static int ctx_get_device(int *out_device) {
  *out_device = 40;
  return note("cuCtxGetDevice", "%s", "");
}

static int stream_synchronize(void *stream) {
  return note("cuStreamSynchronize", "%s", stream ? "stream" : "default");
}

static int ctx_synchronize(void) { return note("cuCtxSynchronize", "%s", ""); }

static int module_load_data_ex(CudaModule **out_module, const void *image,
                               unsigned num_options, int *options,
                               void **option_values) {
  int length = (int)strcspn(image, " \n");
  if (fake_cuda.jit_log && num_options == 2 && options[0] == 5)
    strcpy(option_values[0], fake_cuda.jit_log);
  *out_module = (void *)(memory + 1);
  return note("cuModuleLoadDataEx", "%.*s", length, (const char *)image);
}

static int module_unload(CudaModule *module) {
  return note("cuModuleUnload", "%s",
              (void *)module == memory + 1 ? "it" : "?");
}

static int module_get_function(CudaFunction **out_function, CudaModule *module,
                               const char *name) {
  *out_function = (void *)(memory + 2);
  return note("cuModuleGetFunction", "%s %s",
              (void *)module == memory + 1 ? "it" : "?", name);
}

static int func_set_attribute(CudaFunction *function, int attribute,
                              int value) {
  return note("cuFuncSetAttribute", "%s %d %d",
              (void *)function == memory + 2 ? "it" : "?", attribute, value);
}

static int mem_alloc(uint64_t *out_address, size_t size_bytes) {
  *out_address = memory_address + memory_used;
  memory_used += (size_bytes + 255) / 256 * 256;
  return note("cuMemAlloc", "%zu", size_bytes);
}

static int mem_free(uint64_t address) {
  return note("cuMemFree", "0x%llx", (unsigned long long)address);
}

static int memset_d8(uint64_t address, unsigned char byte, size_t size_bytes) {
  memset(memory + (address - memory_address), byte, size_bytes);
  return note("cuMemsetD8", "0x%llx %d %zu", (unsigned long long)address, byte,
              size_bytes);
}

static int memcpy_htod(uint64_t target, const void *source, size_t size_bytes) {
  memcpy(memory + (target - memory_address), source, size_bytes);
  return note("cuMemcpyHtoD", "0x%llx %zu", (unsigned long long)target,
              size_bytes);
}

/// Memory that the fake has not given holds zeros.
static int memcpy_dtoh(void *target, uint64_t source, size_t size_bytes) {
  if (source < memory_address)
    memset(target, 0, size_bytes);
  else
    memcpy(target, memory + (source - memory_address), size_bytes);
  return note("cuMemcpyDtoH", "0x%llx %zu", (unsigned long long)source,
              size_bytes);
}

/// As CUlaunchConfig; written anew, so that a wrong layout shows.
typedef struct {
  unsigned sizes[7];
  void *stream;
  const int *attributes; // id, pad, then the value
  unsigned num_attributes;
} Config;

static int launch_kernel_ex(const CudaLaunchConfig *launch_config,
                            CudaFunction *function, void **params,
                            void **extra) {
  const Config *config = (const void *)launch_config;
  char text[400] = "";
  for (size_t i = 0; i < fake_cuda.num_params; i++) {
    uint64_t value = 0;
    memcpy(&value, params[i], sizeof value);
    snprintf(text + strlen(text), sizeof text - strlen(text), " %llx",
             (unsigned long long)value);
  }
  const unsigned *s = config->sizes;
  enum { ATTRIBUTE_INTS = 18 }; // 72 bytes
  for (unsigned i = 0; i < config->num_attributes; i++) {
    const int *a = config->attributes + i * ATTRIBUTE_INTS;
    snprintf(text + strlen(text), sizeof text - strlen(text),
             " attribute %d: %d,%d,%d", a[0], a[2], a[3], a[4]);
  }
  return note("cuLaunchKernelEx", "%s %u,%u,%u %u,%u,%u %u%s",
              (void *)function != memory + 2 || extra ? "?"
              : config->stream                        ? "stream"
                                                      : "it",
              s[0], s[1], s[2], s[3], s[4], s[5], s[6], text);
}

static void append_list64(char *text, size_t text_bytes, const uint64_t *values,
                          unsigned count) {
  for (unsigned i = 0; i < count; i++)
    snprintf(text + strlen(text), text_bytes - strlen(text), "%s%llu",
             i > 0 ? "x" : " ", (unsigned long long)values[i]);
}

static void append_list32(char *text, size_t text_bytes, const uint32_t *values,
                          unsigned count) {
  for (unsigned i = 0; i < count; i++)
    snprintf(text + strlen(text), text_bytes - strlen(text), "%s%u",
             i > 0 ? "x" : " ", values[i]);
}

static int tensor_map_encode_tiled(void *map, int type, uint32_t rank,
                                   void *address, const uint64_t *dims,
                                   const uint64_t *strides_bytes,
                                   const uint32_t *box,
                                   const uint32_t *elem_strides, int interleave,
                                   int swizzle, int l2_promotion,
                                   int oob_fill) {
  char lists[300] = "";
  append_list64(lists, sizeof lists, dims, rank);
  append_list64(lists, sizeof lists, strides_bytes, rank - 1);
  append_list32(lists, sizeof lists, box, rank);
  append_list32(lists, sizeof lists, elem_strides, rank);
  memset(map, 0xAB, 128);
  return note("cuTensorMapEncodeTiled", "%s%d %p%s %d %d %d %d",
              (uintptr_t)map % 64 == 0 ? "" : "misaligned ", type, address,
              lists, interleave, swizzle, l2_promotion, oob_fill);
}

static void append_ints(char *text, size_t text_bytes, const int *values,
                        unsigned count) {
  for (unsigned i = 0; i < count; i++)
    snprintf(text + strlen(text), text_bytes - strlen(text), "%s%d",
             i > 0 ? "x" : " ", values[i]);
}

static int tensor_map_encode_im2col(
    void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
    const uint64_t *strides_bytes, const int *lower_corner,
    const int *upper_corner, uint32_t channels_per_pixel,
    uint32_t pixels_per_column, const uint32_t *elem_strides, int interleave,
    int swizzle, int l2_promotion, int oob_fill) {
  char lists[300] = "";
  append_list64(lists, sizeof lists, dims, rank);
  append_list64(lists, sizeof lists, strides_bytes, rank - 1);
  append_ints(lists, sizeof lists, lower_corner, rank - 2);
  append_ints(lists, sizeof lists, upper_corner, rank - 2);
  append_list32(lists, sizeof lists, elem_strides, rank);
  memset(map, 0xAB, 128);
  return note("cuTensorMapEncodeIm2col", "%s%d %p%s %u %u %d %d %d %d",
              (uintptr_t)map % 64 == 0 ? "" : "misaligned ", type, address,
              lists, channels_per_pixel, pixels_per_column, interleave, swizzle,
              l2_promotion, oob_fill);
}

//===-- Workspaces --------------------------------------------------------===//

static int memcpy_2d_async(const CudaCopy2D *copy, void *stream) {
  return note("cuMemcpy2DAsync", "%llx+%zu %llx+%zu %zux%zu %p",
              (unsigned long long)copy->to, copy->to_pitch_bytes,
              (unsigned long long)copy->from, copy->from_pitch_bytes,
              copy->num_rows, copy->row_bytes, stream);
}

static int note_fill(const char *name, uint64_t address, size_t pitch_bytes,
                     unsigned value, size_t width, size_t height) {
  return note(name, "%llx+%zu %x %zux%zu", (unsigned long long)address,
              pitch_bytes, value, height, width);
}

static int memset_d2d8_async(uint64_t address, size_t pitch_bytes,
                             unsigned char value, size_t width, size_t height,
                             void *stream) {
  (void)stream;
  return note_fill("cuMemsetD2D8Async", address, pitch_bytes, value, width,
                   height);
}

static int memset_d2d16_async(uint64_t address, size_t pitch_bytes,
                              unsigned short value, size_t width, size_t height,
                              void *stream) {
  (void)stream;
  return note_fill("cuMemsetD2D16Async", address, pitch_bytes, value, width,
                   height);
}

static int memset_d2d32_async(uint64_t address, size_t pitch_bytes,
                              unsigned value, size_t width, size_t height,
                              void *stream) {
  (void)stream;
  return note_fill("cuMemsetD2D32Async", address, pitch_bytes, value, width,
                   height);
}

static int pool_create(CudaPool **out_pool,
                       const CudaPoolProperties *properties) {
  *out_pool = (void *)memory;
  return note("cuMemPoolCreate", "%d %d %d", properties->allocation_type,
              properties->location_type, properties->location);
}

static int pool_set_attribute(CudaPool *pool, int attribute, void *value) {
  (void)pool;
  return note("cuMemPoolSetAttribute", "%d %llx", attribute,
              *(unsigned long long *)value);
}

static int pool_destroy(CudaPool *pool) {
  (void)pool;
  return note("cuMemPoolDestroy", "%s", "");
}

static int mem_alloc_from_pool(uint64_t *out_address, size_t size_bytes,
                               CudaPool *pool, void *stream) {
  (void)pool;
  *out_address = 0x900000000;
  return note("cuMemAllocFromPoolAsync", "%zu %p", size_bytes, stream);
}

static int mem_free_async(uint64_t address, void *stream) {
  return note("cuMemFreeAsync", "%llx %p", (unsigned long long)address, stream);
}

typedef void (*Function)(void);

static const struct {
  const char *name;
  Function function;
} functions[] = {
    {"cuGetErrorName", (Function)get_error_name},
    {"cuGetErrorString", (Function)get_error_string},
    {"cuInit", (Function)init},
    {"cuDeviceGetCount", (Function)device_get_count},
    {"cuDeviceGet", (Function)device_get},
    {"cuDeviceGetName", (Function)device_get_name},
    {"cuDeviceGetAttribute", (Function)device_get_attribute},
    {"cuDevicePrimaryCtxRetain", (Function)primary_ctx_retain},
    {"cuDevicePrimaryCtxRelease", (Function)primary_ctx_release},
    {"cuDriverGetVersion", (Function)driver_get_version},
    {"cuCtxPushCurrent", (Function)ctx_push_current},
    {"cuCtxPopCurrent", (Function)ctx_pop_current},
    {"cuCtxGetCurrent", (Function)ctx_get_current},
    {"cuCtxGetDevice", (Function)ctx_get_device},
    {"cuStreamSynchronize", (Function)stream_synchronize},
    {"cuCtxSynchronize", (Function)ctx_synchronize},
    {"cuModuleLoadDataEx", (Function)module_load_data_ex},
    {"cuModuleUnload", (Function)module_unload},
    {"cuModuleGetFunction", (Function)module_get_function},
    {"cuFuncSetAttribute", (Function)func_set_attribute},
    {"cuMemAlloc", (Function)mem_alloc},
    {"cuMemFree", (Function)mem_free},
    {"cuMemsetD8", (Function)memset_d8},
    {"cuMemcpyHtoD", (Function)memcpy_htod},
    {"cuMemcpyDtoH", (Function)memcpy_dtoh},
    {"cuMemcpy2DAsync", (Function)memcpy_2d_async},
    {"cuMemsetD2D8Async", (Function)memset_d2d8_async},
    {"cuMemsetD2D16Async", (Function)memset_d2d16_async},
    {"cuMemsetD2D32Async", (Function)memset_d2d32_async},
    {"cuMemPoolCreate", (Function)pool_create},
    {"cuMemPoolSetAttribute", (Function)pool_set_attribute},
    {"cuMemPoolDestroy", (Function)pool_destroy},
    {"cuMemAllocFromPoolAsync", (Function)mem_alloc_from_pool},
    {"cuMemFreeAsync", (Function)mem_free_async},
    {"cuLaunchKernelEx", (Function)launch_kernel_ex},
    {"cuTensorMapEncodeTiled", (Function)tensor_map_encode_tiled},
    {"cuTensorMapEncodeIm2col", (Function)tensor_map_encode_im2col},
};

int cuGetProcAddress_v2(const char *name, void **out_function, int cuda_version,
                        uint64_t flags, int *out_found);

int cuGetProcAddress_v2(const char *name, void **out_function, int cuda_version,
                        uint64_t flags, int *out_found) {
  *out_function = NULL;
  *out_found = 1;
  bool is_missing = fake_cuda.failing && fake_cuda.error < 0 &&
                    strcmp(fake_cuda.failing, name) == 0;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (strcmp(functions[i].name, name) == 0 && cuda_version == 12000 &&
        flags == 0 && !is_missing) {
      memcpy(out_function, &functions[i].function, sizeof *out_function);
      *out_found = 0;
      return 0;
    }
  }
  return 500;
}

//===- Driver.c - The CUDA driver: library, device, memory ----------------===//

#include "CudaApi.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

//===-- Errors ------------------------------------------------------------===//

static bool is_kernel_error(CudaResult result) {
  switch (result) {
  case CUDA_FAULT_ILLEGAL_ADDRESS:
  case CUDA_FAULT_LAUNCH_TIMEOUT:
  case CUDA_FAULT_ASSERT:
  case CUDA_FAULT_HARDWARE_STACK_ERROR:
  case CUDA_FAULT_ILLEGAL_INSTRUCTION:
  case CUDA_FAULT_MISALIGNED_ADDRESS:
  case CUDA_FAULT_INVALID_ADDRESS_SPACE:
  case CUDA_FAULT_INVALID_PC:
  case CUDA_FAULT_LAUNCH_FAILED:
  case CUDA_FAULT_TENSOR_MEMORY_LEAK:
    return true;
  default:
    return false;
  }
}

TileStatus tile_cuda_status(const CudaApi *api, CudaResult result,
                            const char *what) {
  if (result == 0)
    return tile_status_ok();
  const char *name = NULL, *text = NULL;
  if (api->get_error_name(result, &name) != 0)
    name = NULL;
  if (api->get_error_string(result, &text) != 0)
    text = NULL;
  return tile_status_error(is_kernel_error(result) ? TILE_STATUS_KERNEL_FAILED
                                                   : TILE_STATUS_USER_ERROR,
                           "%s: %s (error %d: %s)", what,
                           name ? name : "unknown CUDA error", result,
                           text ? text : "no text");
}

//===-- Library -----------------------------------------------------------===//

/// cuGetProcAddress_v2. Function pointers travel as void *, as in dlsym.
typedef CudaResult (*GetProcAddress)(const char *name, void **out_function,
                                     int cuda_version, uint64_t flags,
                                     int *out_found);

static const char *const function_names[] = {
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease",
    "cuDriverGetVersion",
    "cuCtxPushCurrent",
    "cuCtxPopCurrent",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuMemAlloc",
    "cuMemFree",
    "cuMemsetD8",
    "cuMemcpyHtoD",
    "cuMemcpyDtoH",
    "cuMemcpy2DAsync",
    "cuMemsetD2D8Async",
    "cuMemsetD2D16Async",
    "cuMemsetD2D32Async",
    "cuMemPoolCreate",
    "cuMemPoolSetAttribute",
    "cuMemPoolDestroy",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuLaunchKernelEx",
    "cuTensorMapEncodeTiled",
    "cuTensorMapEncodeIm2col",
};

enum { NUM_FUNCTIONS = sizeof function_names / sizeof function_names[0] };

_Static_assert(sizeof(CudaApi) == NUM_FUNCTIONS * sizeof(void *),
               "one name per function of CudaApi, in its order");

/// Fills `api`, or returns false and says why not.
static bool load_functions(CudaGpu *gpu, const char *library_name,
                           TileStatus *out_status) {
  void *symbol = dlsym(gpu->library, "cuGetProcAddress_v2");
  GetProcAddress get_proc_address = NULL;
  if (!symbol) {
    *out_status = tile_status_error(
        TILE_STATUS_USER_ERROR,
        "%s: expected a driver of CUDA 12.0 or newer, got an older one",
        library_name);
    return false;
  }
  memcpy((void *)&get_proc_address, (void *)&symbol, sizeof symbol);
  for (int i = 0; i < NUM_FUNCTIONS; i++) {
    void *function = NULL;
    int found = 0;
    CudaResult result = get_proc_address(function_names[i], &function,
                                         CUDA_API_VERSION, 0, &found);
    if (result != 0 || !function) {
      *out_status = tile_status_error(TILE_STATUS_USER_ERROR,
                                      "%s: the driver has no %s (error %d)",
                                      library_name, function_names[i], result);
      return false;
    }
    memcpy((char *)&gpu->api + (size_t)i * sizeof function, (void *)&function,
           sizeof function);
  }
  return true;
}

//===-- Device ------------------------------------------------------------===//

static TileStatus read_attributes(CudaGpu *gpu) {
  const CudaApi *api = &gpu->api;
  int major = 0, minor = 0;
  CudaResult result =
      api->device_get_name(gpu->base.name, sizeof gpu->base.name, gpu->device);
  if (result == 0)
    result = api->device_get_attribute(&gpu->base.num_sms,
                                       CUDA_ATTRIBUTE_NUM_SMS, gpu->device);
  if (result == 0)
    result = api->device_get_attribute(&major, CUDA_ATTRIBUTE_CAPABILITY_MAJOR,
                                       gpu->device);
  if (result == 0)
    result = api->device_get_attribute(&minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR,
                                       gpu->device);
  gpu->base.capability = 10 * major + minor;
  gpu->base.ordinal = gpu->device; // a CUdevice is its number
  // Of 9.0 and 10.0 the chip with all instructions; others have one name.
  snprintf(
      gpu->base.chip, sizeof gpu->base.chip, "sm_%d%s", gpu->base.capability,
      gpu->base.capability == 90 || gpu->base.capability == 100 ? "a" : "");
  if (result == 0)
    result = api->driver_get_version(&gpu->driver_version);
  return tile_cuda_status(api, result, "cannot read the GPU's attributes");
}

/// The device of a context of the caller.
static TileStatus adopt_context(CudaGpu *gpu, void *context) {
  const CudaApi *api = &gpu->api;
  CudaResult result = api->init(0);
  gpu->context = context;
  if (result == 0 && !context)
    result = api->ctx_get_current(&gpu->context);
  if (result == 0 && !gpu->context)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "expected a CUDA context, none is current in this "
                             "thread");
  if (result == 0)
    result = api->ctx_push_current(gpu->context);
  if (result == 0) {
    CudaContext *popped = NULL;
    result = api->ctx_get_device(&gpu->device);
    api->ctx_pop_current(&popped);
  }
  TileStatus status =
      tile_cuda_status(api, result, "cannot use the CUDA context");
  return tile_status_is_ok(&status) ? read_attributes(gpu) : status;
}

static TileStatus open_device(CudaGpu *gpu) {
  const CudaApi *api = &gpu->api;
  int count = 0;
  CudaResult result = api->init(0);
  if (result == 0)
    result = api->device_get_count(&count);
  if (result != 0)
    return tile_cuda_status(api, result, "cannot start the CUDA driver");
  if (count == 0)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "the CUDA driver finds no GPU");
  TileStatus status =
      tile_cuda_status(api, api->device_get(&gpu->device, 0), "cuDeviceGet");
  if (tile_status_is_ok(&status))
    status = read_attributes(gpu);
  if (!tile_status_is_ok(&status))
    return status;
  status =
      tile_cuda_status(api, api->primary_ctx_retain(&gpu->context, gpu->device),
                       "cannot get the GPU's context");
  gpu->owns_context = tile_status_is_ok(&status);
  return status;
}

// What is current already stays so: asking costs less than a push and a pop.
static TileStatus enter(TileDevice *device) {
  CudaGpu *gpu = (CudaGpu *)device;
  CudaContext *current = NULL;
  gpu->is_pushed =
      gpu->api.ctx_get_current(&current) != 0 || current != gpu->context;
  if (!gpu->is_pushed)
    return tile_status_ok();
  return tile_cuda_status(&gpu->api, gpu->api.ctx_push_current(gpu->context),
                          "cannot use the GPU's context");
}

static void leave(TileDevice *device) {
  CudaGpu *gpu = (CudaGpu *)device;
  CudaContext *popped = NULL;
  if (gpu->is_pushed)
    gpu->api.ctx_pop_current(&popped);
}

/// Frees what was opened so far. Results are ignored: after a failed kernel
/// every call fails, and the driver frees all at the end of the process.
static void close_gpu(TileDevice *device) {
  CudaGpu *gpu = (CudaGpu *)device;
  bool has_memory = gpu->num_allocations > 0 || gpu->pool;
  if (has_memory)
    enter(device);
  for (size_t i = 0; i < gpu->num_allocations; i++)
    gpu->api.mem_free(gpu->allocations[i]);
  if (gpu->pool)
    gpu->api.pool_destroy(gpu->pool);
  if (has_memory)
    leave(device);
  free(gpu->allocations);
  if (gpu->owns_context)
    gpu->api.primary_ctx_release(gpu->device);
  dlclose(gpu->library);
  free(gpu);
}

//===-- Memory ------------------------------------------------------------===//

static TileStatus alloc(TileDevice *device, size_t size_bytes, const char *name,
                        uint64_t *out_address) {
  CudaGpu *gpu = (CudaGpu *)device;
  CudaAddress *grown =
      realloc(gpu->allocations, (gpu->num_allocations + 1) * sizeof *grown);
  if (!grown)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  gpu->allocations = grown;
  char what[200];
  snprintf(what, sizeof what, "cannot allocate %zu bytes for '%.100s'",
           size_bytes, name);
  *out_address = 0;
  CudaResult result = gpu->api.mem_alloc(out_address, size_bytes);
  if (result == 0) {
    gpu->allocations[gpu->num_allocations++] = *out_address;
    result = gpu->api.memset_d8(*out_address, 0, size_bytes);
  }
  return tile_cuda_status(&gpu->api, result, what);
}

static TileStatus free_memory(TileDevice *device, uint64_t address) {
  CudaGpu *gpu = (CudaGpu *)device;
  size_t i = 0;
  while (i < gpu->num_allocations && gpu->allocations[i] != address)
    i++;
  if (i == gpu->num_allocations)
    return tile_status_error(TILE_STATUS_USER_ERROR,
                             "no memory of the device begins at 0x%llx",
                             (unsigned long long)address);
  gpu->allocations[i] = gpu->allocations[--gpu->num_allocations];
  return tile_cuda_status(&gpu->api, gpu->api.mem_free(address),
                          "cannot free memory of the GPU");
}

static TileStatus synchronize(TileDevice *device, void *stream) {
  CudaGpu *gpu = (CudaGpu *)device;
  return tile_cuda_status(&gpu->api, gpu->api.stream_synchronize(stream),
                          "kernels on the GPU");
}

static TileStatus upload(TileDevice *device, uint64_t address, const void *data,
                         size_t size_bytes) {
  CudaGpu *gpu = (CudaGpu *)device;
  return tile_cuda_status(&gpu->api,
                          gpu->api.memcpy_htod(address, data, size_bytes),
                          "cannot copy to the GPU");
}

static TileStatus download(TileDevice *device, uint64_t address, void *data,
                           size_t size_bytes) {
  CudaGpu *gpu = (CudaGpu *)device;
  return tile_cuda_status(&gpu->api,
                          gpu->api.memcpy_dtoh(data, address, size_bytes),
                          "cannot copy from the GPU");
}

//===-- Entry -------------------------------------------------------------===//

static const TileDeviceOps cuda_ops = {
    .close = close_gpu,
    .enter = enter,
    .leave = leave,
    .alloc = alloc,
    .free = free_memory,
    .upload = upload,
    .download = download,
    .load = tile_cuda_load,
    .unload = tile_cuda_unload,
    .encode_tensor_map = tile_cuda_encode_tensor_map,
    .launch = tile_cuda_launch,
    .synchronize = synchronize,
    .copy_rows = tile_cuda_copy_rows,
    .fill_rows = tile_cuda_fill_rows,
    .take_workspace = tile_cuda_take_workspace,
    .give_workspace = tile_cuda_give_workspace,
};

TileStatus tile_driver_backend_open(const TileDeviceOptions *options,
                                    TileDevice **out_device) {
  const char *library_name =
      options->driver_library ? options->driver_library : "libcuda.so.1";
  *out_device = NULL;
  CudaGpu *gpu = calloc(1, sizeof *gpu);
  if (!gpu)
    return tile_status_error(TILE_STATUS_USER_ERROR, "out of memory");
  gpu->base.ops = &cuda_ops;
  gpu->library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  TileStatus status = tile_status_ok();
  if (!gpu->library) {
    status = tile_status_error(TILE_STATUS_USER_ERROR,
                               "cannot open the CUDA driver: %s", dlerror());
    free(gpu);
    return status;
  }
  bool is_loaded = load_functions(gpu, library_name, &status);
  if (is_loaded)
    status = options->has_context ? adopt_context(gpu, options->context)
                                  : open_device(gpu);
  if (!is_loaded || !tile_status_is_ok(&status)) {
    close_gpu(&gpu->base);
    return status;
  }
  if (options->num_sms > 0)
    gpu->base.num_sms = options->num_sms;
  *out_device = &gpu->base;
  return status;
}

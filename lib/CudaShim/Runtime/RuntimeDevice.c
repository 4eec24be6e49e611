//===- RuntimeDevice.c - Devices, errors, entry points --------------------===//

#include "CudaShim/ErrorNames.h"
#include "Runtime.h"
#include "RuntimeApi.h"

#include <string.h>

//===-- Errors ------------------------------------------------------------===//

const char *cudaGetErrorName(RtError error) {
  const TileShimErrorName *name = tile_shim_error_name(error);
  return name && name->runtime_name ? name->runtime_name
                                    : "unrecognized error code";
}

const char *cudaGetErrorString(RtError error) {
  const TileShimErrorName *name = tile_shim_error_name(error);
  return name && name->runtime_name ? name->text : "unrecognized error code";
}

//===-- Devices -----------------------------------------------------------===//

RtError cudaGetDeviceCount(int *out_count) {
  RT_CALL(cuDeviceGetCount(out_count));
}

RtError cudaGetDevice(int *out_device) {
  RT_CALL(out_device ? (*out_device = 0, RT_SUCCESS) : RT_INVALID_VALUE);
}

RtError cudaSetDevice(int device) {
  RT_CALL(device == 0 ? RT_SUCCESS : RT_INVALID_DEVICE);
}

RtError cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  (void)device_flags;
  (void)flags;
  return cudaSetDevice(device);
}

RtChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (RtChannelFormat){x, y, z, w, kind};
}

RtError cudaChooseDevice(int *out_device, const void *properties) {
  (void)properties;
  return cudaGetDevice(out_device);
}

RtError cudaSetValidDevices(int *devices, int count) {
  (void)devices;
  (void)count;
  RT_CALL(RT_SUCCESS);
}

RtError cudaSetDeviceFlags(unsigned flags) {
  RT_CALL(cuDevicePrimaryCtxSetFlags_v2(0, flags));
}

RtError cudaGetDeviceFlags(unsigned *out_flags) {
  RT_CALL(cuCtxGetFlags(out_flags));
}

RtError cudaDeviceGetAttribute(int *out_value, int attribute, int device) {
  RT_CALL(cuDeviceGetAttribute(out_value, attribute, device));
}

RtError cudaDeviceSynchronize(void) { RT_CALL(cuCtxSynchronize()); }
RtError cudaThreadSynchronize(void) { RT_CALL(cuCtxSynchronize()); }
RtError cudaDeviceReset(void) { RT_CALL(cuDevicePrimaryCtxReset_v2(0)); }
RtError cudaThreadExit(void) { return cudaDeviceReset(); }

RtError cudaDeviceGetLimit(size_t *out_value, int limit) {
  RT_CALL(cuCtxGetLimit(out_value, limit));
}

RtError cudaDeviceSetLimit(int limit, size_t value) {
  RT_CALL(cuCtxSetLimit(limit, value));
}

RtError cudaDeviceGetCacheConfig(int *out_config) {
  RT_CALL(cuCtxGetCacheConfig(out_config));
}

RtError cudaDeviceSetCacheConfig(int config) {
  RT_CALL(cuCtxSetCacheConfig(config));
}

RtError cudaDeviceGetSharedMemConfig(int *out_config) {
  RT_CALL(cuCtxGetSharedMemConfig(out_config));
}

RtError cudaDeviceSetSharedMemConfig(int config) {
  RT_CALL(cuCtxSetSharedMemConfig(config));
}

RtError cudaDeviceGetStreamPriorityRange(int *out_least, int *out_greatest) {
  RT_CALL(cuCtxGetStreamPriorityRange(out_least, out_greatest));
}

RtError cudaDeviceGetPCIBusId(char *id, int size_bytes, int device) {
  RT_CALL(cuDeviceGetPCIBusId(id, size_bytes, device));
}

RtError cudaDeviceGetByPCIBusId(int *out_device, const char *id) {
  RT_CALL(cuDeviceGetByPCIBusId(out_device, id));
}

RtError cudaDeviceCanAccessPeer(int *out_can, int device, int peer) {
  RT_CALL(cuDeviceCanAccessPeer(out_can, device, peer));
}

RtError cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)peer;
  RT_CALL(cuCtxEnablePeerAccess(NULL, flags));
}

RtError cudaDeviceDisablePeerAccess(int peer) {
  (void)peer;
  RT_CALL(cuCtxDisablePeerAccess(NULL));
}

RtError cudaCtxResetPersistingL2Cache(void) {
  RT_CALL(cuCtxResetPersistingL2Cache());
}

RtError cudaDriverGetVersion(int *out_version) {
  return tile_rt_finish((RtError)cuDriverGetVersion(out_version));
}

RtError cudaProfilerStart(void) { return RT_SUCCESS; }
RtError cudaProfilerStop(void) { return RT_SUCCESS; }

//===-- Pools -------------------------------------------------------------===//

RtError cudaDeviceGetDefaultMemPool(CuPool *out_pool, int device) {
  RT_CALL(cuDeviceGetDefaultMemPool(out_pool, device));
}

RtError cudaDeviceGetMemPool(CuPool *out_pool, int device) {
  RT_CALL(cuDeviceGetMemPool(out_pool, device));
}

RtError cudaDeviceSetMemPool(int device, CuPool pool) {
  RT_CALL(cuDeviceSetMemPool(device, pool));
}

RtError cudaMemPoolCreate(CuPool *out_pool, const void *properties) {
  RT_CALL(cuMemPoolCreate(out_pool, properties));
}

RtError cudaMemPoolDestroy(CuPool pool) { RT_CALL(cuMemPoolDestroy(pool)); }

RtError cudaMemPoolTrimTo(CuPool pool, size_t keep_bytes) {
  RT_CALL(cuMemPoolTrimTo(pool, keep_bytes));
}

RtError cudaMemPoolSetAttribute(CuPool pool, int attribute, void *value) {
  RT_CALL(cuMemPoolSetAttribute(pool, attribute, value));
}

RtError cudaMemPoolGetAttribute(CuPool pool, int attribute, void *out_value) {
  RT_CALL(cuMemPoolGetAttribute(pool, attribute, out_value));
}

RtError cudaMemPoolSetAccess(CuPool pool, const void *access, size_t count) {
  RT_CALL(cuMemPoolSetAccess(pool, access, count));
}

RtError cudaMemPoolGetAccess(int *out_flags, CuPool pool, void *location) {
  RT_CALL(cuMemPoolGetAccess(out_flags, pool, location));
}

//===-- Entry points of the driver ----------------------------------------===//

static RtError entry_point(const char *name, void **out_function,
                           unsigned version, uint64_t flags, int *out_found) {
  int found = 0;
  CuResult result =
      cuGetProcAddress_v2(name, out_function, (int)version, flags, &found);
  if (out_found)
    *out_found = found;
  return (RtError)result;
}

RtError cudaGetDriverEntryPointByVersion(const char *name, void **out_function,
                                         unsigned version, uint64_t flags,
                                         int *out_found) {
  RT_CALL(entry_point(name, out_function, version, flags, out_found));
}

RtError cudaGetDriverEntryPoint(const char *name, void **out_function,
                                uint64_t flags, int *out_found) {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return cudaGetDriverEntryPointByVersion(name, out_function, (unsigned)version,
                                          flags, out_found);
}

//===-- Libraries ---------------------------------------------------------===//

RtError cudaLibraryLoadData(CuModule *out_library, const void *code,
                            int *jit_options, void **jit_values,
                            unsigned num_jit_options, int *library_options,
                            void **library_values,
                            unsigned num_library_options) {
  RT_CALL(cuLibraryLoadData(out_library, code, jit_options, jit_values,
                            num_jit_options, library_options, library_values,
                            num_library_options));
}

RtError cudaLibraryLoadFromFile(CuModule *out_library, const char *path,
                                int *jit_options, void **jit_values,
                                unsigned num_jit_options, int *library_options,
                                void **library_values,
                                unsigned num_library_options) {
  RT_CALL(cuLibraryLoadFromFile(out_library, path, jit_options, jit_values,
                                num_jit_options, library_options,
                                library_values, num_library_options));
}

RtError cudaLibraryUnload(CuModule library) {
  RT_CALL(cuLibraryUnload(library));
}

RtError cudaLibraryGetKernel(CuFunction *out_kernel, CuModule library,
                             const char *name) {
  RT_CALL(cuLibraryGetKernel(out_kernel, library, name));
}

RtError cudaLibraryGetKernelCount(unsigned *out_count, CuModule library) {
  RT_CALL(cuLibraryGetKernelCount(out_count, library));
}

RtError cudaLibraryEnumerateKernels(CuFunction *out_kernels, unsigned count,
                                    CuModule library) {
  RT_CALL(cuLibraryEnumerateKernels(out_kernels, count, library));
}

RtError cudaLibraryGetGlobal(CuAddress *out_address, size_t *out_size_bytes,
                             CuModule library, const char *name) {
  RT_CALL(cuLibraryGetGlobal(out_address, out_size_bytes, library, name));
}

RtError cudaKernelSetAttributeForDevice(CuFunction kernel, int attribute,
                                        int value, int device) {
  RT_CALL(cuKernelSetAttribute(attribute, value, kernel, device));
}

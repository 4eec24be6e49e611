//===- RuntimeApi.h - The runtime API that the emulator has ---------------===//
//
// Prototypes of what libcudart exports besides registration. What each does is
// in the CUDA Runtime API reference.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_RUNTIME_API_H
#define TILE_LIB_CUDA_SHIM_RUNTIME_API_H

#include "Runtime.h"

RtError cudaRuntimeGetVersion(int *out_version);

// Launches, functions, occupancy.
RtError cudaLaunchKernel(const void *host, RtDim grid, RtDim block, void **args,
                         size_t smem_bytes, CuStream stream);
RtError __cudaLaunchKernel(CuFunction kernel, RtDim grid, RtDim block,
                           void **args, size_t smem_bytes, CuStream stream);
RtError cudaLaunchCooperativeKernel(const void *host, RtDim grid, RtDim block,
                                    void **args, size_t smem_bytes,
                                    CuStream stream);
RtError cudaLaunchKernelExC(const RtLaunchConfig *config, const void *host,
                            void **args);
RtError __cudaGetKernel(CuFunction *out_kernel, const void *host);
RtError cudaGetKernel(CuFunction *out_kernel, const void *host);
RtError cudaGetFuncBySymbol(CuFunction *out_function, const void *host);
RtError cudaLaunchHostFunc(CuStream stream, CuHostFunction function,
                           void *user_data);
RtError cudaFuncGetAttributes(RtFunctionAttributes *out_attributes,
                              const void *host);
RtError cudaFuncSetAttribute(const void *host, int attribute, int value);
RtError cudaFuncSetCacheConfig(const void *host, int config);
RtError cudaFuncSetSharedMemConfig(const void *host, int config);
RtError cudaFuncGetName(const char **out_name, const void *host);
RtError cudaFuncGetParamInfo(const void *host, size_t index, size_t *out_offset,
                             size_t *out_size_bytes);
RtError cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out_count,
                                                      const void *host,
                                                      int block_size,
                                                      size_t smem_bytes);
RtError cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out_count, const void *host, int block_size, size_t smem_bytes,
    unsigned flags);
RtError cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out_bytes,
                                                  const void *host,
                                                  int num_blocks,
                                                  int block_size);
RtError cudaOccupancyMaxActiveClusters(int *out_count, const void *host,
                                       const RtLaunchConfig *config);
RtError cudaOccupancyMaxPotentialClusterSize(int *out_size, const void *host,
                                             const RtLaunchConfig *config);

// Memory.
RtError cudaMalloc(void **out_memory, size_t size_bytes);
RtError cudaMallocAsync(void **out_memory, size_t size_bytes, CuStream stream);
RtError cudaMallocFromPoolAsync(void **out_memory, size_t size_bytes,
                                CuPool pool, CuStream stream);
RtError cudaMallocManaged(void **out_memory, size_t size_bytes, unsigned flags);
RtError cudaMallocPitch(void **out_memory, size_t *out_pitch_bytes,
                        size_t width_bytes, size_t height);
RtError cudaMalloc3D(RtPitched *out_memory, RtExtent extent);
RtError cudaFree(void *memory);
RtError cudaFreeAsync(void *memory, CuStream stream);
RtError cudaMallocHost(void **out_memory, size_t size_bytes);
RtError cudaHostAlloc(void **out_memory, size_t size_bytes, unsigned flags);
RtError cudaFreeHost(void *memory);
RtError cudaHostRegister(void *memory, size_t size_bytes, unsigned flags);
RtError cudaHostUnregister(void *memory);
RtError cudaHostGetDevicePointer(void **out_memory, void *memory,
                                 unsigned flags);
RtError cudaHostGetFlags(unsigned *out_flags, void *memory);
RtError cudaMemGetInfo(size_t *out_free_bytes, size_t *out_total_bytes);
RtError cudaPointerGetAttributes(RtPointerAttributes *out_attributes,
                                 const void *memory);
RtError cudaMemAdvise(const void *memory, size_t size_bytes, int advice,
                      uint64_t location);
RtError cudaMemPrefetchAsync(const void *memory, size_t size_bytes,
                             uint64_t location);
RtError cudaMemcpy(void *target, const void *source, size_t size_bytes,
                   int kind);
RtError cudaMemcpyAsync(void *target, const void *source, size_t size_bytes,
                        int kind, CuStream stream);
RtError cudaMemcpyPeer(void *target, int target_device, const void *source,
                       int source_device, size_t size_bytes);
RtError cudaMemcpyPeerAsync(void *target, int target_device, const void *source,
                            int source_device, size_t size_bytes,
                            CuStream stream);
RtError cudaMemcpy2D(void *target, size_t target_pitch, const void *source,
                     size_t source_pitch, size_t width_bytes, size_t height,
                     int kind);
RtError cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
                          size_t source_pitch, size_t width_bytes,
                          size_t height, int kind, CuStream stream);
RtError cudaMemcpy3D(const RtCopy3D *parameters);
RtError cudaMemcpy3DAsync(const RtCopy3D *parameters, CuStream stream);
RtError cudaMemcpyToSymbol(const void *symbol, const void *source,
                           size_t size_bytes, size_t offset, int kind);
RtError cudaMemcpyToSymbolAsync(const void *symbol, const void *source,
                                size_t size_bytes, size_t offset, int kind,
                                CuStream stream);
RtError cudaMemcpyFromSymbol(void *target, const void *symbol,
                             size_t size_bytes, size_t offset, int kind);
RtError cudaMemcpyFromSymbolAsync(void *target, const void *symbol,
                                  size_t size_bytes, size_t offset, int kind,
                                  CuStream stream);
RtError cudaGetSymbolAddress(void **out_memory, const void *symbol);
RtError cudaGetSymbolSize(size_t *out_size_bytes, const void *symbol);
RtError cudaMemset(void *memory, int value, size_t size_bytes);
RtError cudaMemsetAsync(void *memory, int value, size_t size_bytes,
                        CuStream stream);
RtError cudaMemset2D(void *memory, size_t pitch_bytes, int value,
                     size_t width_bytes, size_t height);
RtError cudaMemset2DAsync(void *memory, size_t pitch_bytes, int value,
                          size_t width_bytes, size_t height, CuStream stream);
RtError cudaMemset3D(RtPitched memory, int value, RtExtent extent);
RtError cudaMemset3DAsync(RtPitched memory, int value, RtExtent extent,
                          CuStream stream);

// Devices, errors, libraries.
const char *cudaGetErrorName(RtError error);
const char *cudaGetErrorString(RtError error);
RtError cudaGetDeviceCount(int *out_count);
RtError cudaGetDevice(int *out_device);
RtError cudaSetDevice(int device);
RtError cudaInitDevice(int device, unsigned device_flags, unsigned flags);
/// Arrays are missing, their descriptions are plain.
RtChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
RtError cudaChooseDevice(int *out_device, const void *properties);
RtError cudaSetValidDevices(int *devices, int count);
RtError cudaSetDeviceFlags(unsigned flags);
RtError cudaGetDeviceFlags(unsigned *out_flags);
RtError cudaDeviceGetAttribute(int *out_value, int attribute, int device);
RtError cudaDeviceSynchronize(void);
RtError cudaThreadSynchronize(void);
RtError cudaDeviceReset(void);
RtError cudaThreadExit(void);
RtError cudaDeviceGetLimit(size_t *out_value, int limit);
RtError cudaDeviceSetLimit(int limit, size_t value);
RtError cudaDeviceGetCacheConfig(int *out_config);
RtError cudaDeviceSetCacheConfig(int config);
RtError cudaDeviceGetSharedMemConfig(int *out_config);
RtError cudaDeviceSetSharedMemConfig(int config);
RtError cudaDeviceGetStreamPriorityRange(int *out_least, int *out_greatest);
RtError cudaDeviceGetPCIBusId(char *id, int size_bytes, int device);
RtError cudaDeviceGetByPCIBusId(int *out_device, const char *id);
RtError cudaDeviceCanAccessPeer(int *out_can, int device, int peer);
RtError cudaDeviceEnablePeerAccess(int peer, unsigned flags);
RtError cudaDeviceDisablePeerAccess(int peer);
RtError cudaCtxResetPersistingL2Cache(void);
RtError cudaDriverGetVersion(int *out_version);
RtError cudaProfilerStart(void);
RtError cudaProfilerStop(void);
RtError cudaDeviceGetDefaultMemPool(CuPool *out_pool, int device);
RtError cudaDeviceGetMemPool(CuPool *out_pool, int device);
RtError cudaDeviceSetMemPool(int device, CuPool pool);
RtError cudaMemPoolCreate(CuPool *out_pool, const void *properties);
RtError cudaMemPoolDestroy(CuPool pool);
RtError cudaMemPoolTrimTo(CuPool pool, size_t keep_bytes);
RtError cudaMemPoolSetAttribute(CuPool pool, int attribute, void *value);
RtError cudaMemPoolGetAttribute(CuPool pool, int attribute, void *out_value);
RtError cudaMemPoolSetAccess(CuPool pool, const void *access, size_t count);
RtError cudaMemPoolGetAccess(int *out_flags, CuPool pool, void *location);
RtError cudaGetDriverEntryPointByVersion(const char *name, void **out_function,
                                         unsigned version, uint64_t flags,
                                         int *out_found);
RtError cudaGetDriverEntryPoint(const char *name, void **out_function,
                                uint64_t flags, int *out_found);
RtError cudaLibraryLoadData(CuModule *out_library, const void *code,
                            int *jit_options, void **jit_values,
                            unsigned num_jit_options, int *library_options,
                            void **library_values,
                            unsigned num_library_options);
RtError cudaLibraryLoadFromFile(CuModule *out_library, const char *path,
                                int *jit_options, void **jit_values,
                                unsigned num_jit_options, int *library_options,
                                void **library_values,
                                unsigned num_library_options);
RtError cudaLibraryUnload(CuModule library);
RtError cudaLibraryGetKernel(CuFunction *out_kernel, CuModule library,
                             const char *name);
RtError cudaLibraryGetKernelCount(unsigned *out_count, CuModule library);
RtError cudaLibraryEnumerateKernels(CuFunction *out_kernels, unsigned count,
                                    CuModule library);
RtError cudaLibraryGetGlobal(CuAddress *out_address, size_t *out_size_bytes,
                             CuModule library, const char *name);
RtError cudaKernelSetAttributeForDevice(CuFunction kernel, int attribute,
                                        int value, int device);

// Streams and events.
RtError cudaStreamCreate(CuStream *out_stream);
RtError cudaStreamCreateWithFlags(CuStream *out_stream, unsigned flags);
RtError cudaStreamCreateWithPriority(CuStream *out_stream, unsigned flags,
                                     int priority);
RtError cudaStreamDestroy(CuStream stream);
RtError cudaStreamQuery(CuStream stream);
RtError cudaStreamSynchronize(CuStream stream);
RtError cudaStreamWaitEvent(CuStream stream, CuEvent event, unsigned flags);
RtError cudaStreamAddCallback(CuStream stream, CuStreamCallback callback,
                              void *user_data, unsigned flags);
RtError cudaStreamAttachMemAsync(CuStream stream, void *memory,
                                 size_t size_bytes, unsigned flags);
RtError cudaStreamGetPriority(CuStream stream, int *out_priority);
RtError cudaStreamGetFlags(CuStream stream, unsigned *out_flags);
RtError cudaStreamGetId(CuStream stream, unsigned long long *out_id);
RtError cudaStreamGetDevice(CuStream stream, int *out_device);
RtError cudaStreamIsCapturing(CuStream stream, int *out_status);
RtError cudaStreamGetCaptureInfo(CuStream stream, int *out_status);
RtError cudaThreadExchangeStreamCaptureMode(int *mode);
RtError cudaStreamGetAttribute(CuStream stream, int attribute, void *out_value);
RtError cudaStreamSetAttribute(CuStream stream, int attribute,
                               const void *value);
RtError cudaEventCreate(CuEvent *out_event);
RtError cudaEventCreateWithFlags(CuEvent *out_event, unsigned flags);
RtError cudaEventDestroy(CuEvent event);
RtError cudaEventRecord(CuEvent event, CuStream stream);
RtError cudaEventRecordWithFlags(CuEvent event, CuStream stream,
                                 unsigned flags);
RtError cudaEventQuery(CuEvent event);
RtError cudaEventSynchronize(CuEvent event);
RtError cudaEventElapsedTime(float *out_ms, CuEvent start, CuEvent end);

#endif // TILE_LIB_CUDA_SHIM_RUNTIME_API_H

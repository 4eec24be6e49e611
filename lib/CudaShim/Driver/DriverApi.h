//===- DriverApi.h - The driver API that the emulator has -----------------===//
//
// Prototypes of what libcuda.so.1 exports and libcudart calls. What each does
// is in the CUDA Driver API reference; how it differs, in
// docs/EmulatorDropIn.md.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_DRIVER_API_H
#define TILE_LIB_CUDA_SHIM_DRIVER_API_H

#include "CudaShim/CudaTypes.h"

#include <stdbool.h>

typedef struct CuContextObject *CuContext;
typedef struct CuStreamObject *CuStream;
typedef struct CuEventObject *CuEvent;
typedef struct CuModuleObject *CuModule;
typedef struct CuFunctionObject *CuFunction;
typedef struct CuPoolObject *CuPool;
typedef void (*CuHostFunction)(void *user_data);
typedef void (*CuStreamCallback)(CuStream stream, CuResult result,
                                 void *user_data);
typedef size_t (*CuBlockToSmem)(int block_size);

// Start, errors.
CuResult cuInit(unsigned flags);
CuResult cuDriverGetVersion(int *out_version);
CuResult cuGetErrorName(CuResult error, const char **out_name);
CuResult cuGetErrorString(CuResult error, const char **out_text);
CuResult cuGetProcAddress(const char *name, void **out_function, int version,
                          uint64_t flags);
CuResult cuGetProcAddress_v2(const char *name, void **out_function, int version,
                             uint64_t flags, int *out_found);
CuResult cuGetExportTable(const void **out_table, const void *id);

// Devices.
CuResult cuDeviceGet(CuDevice *out_device, int ordinal);
CuResult cuDeviceGetCount(int *out_count);
CuResult cuDeviceGetName(char *name, int size_bytes, CuDevice device);
CuResult cuDeviceGetUuid(char out_uuid[16], CuDevice device);
CuResult cuDeviceGetUuid_v2(char out_uuid[16], CuDevice device);
CuResult cuDeviceGetLuid(char *out_luid, unsigned *out_mask, CuDevice device);
CuResult cuDeviceTotalMem_v2(size_t *out_bytes, CuDevice device);
CuResult cuDeviceGetAttribute(int *out_value, int attribute, CuDevice device);
CuResult cuDeviceComputeCapability(int *out_major, int *out_minor,
                                   CuDevice device);
CuResult cuDeviceGetPCIBusId(char *id, int size_bytes, CuDevice device);
CuResult cuDeviceGetByPCIBusId(CuDevice *out_device, const char *id);
CuResult cuDeviceCanAccessPeer(int *out_can, CuDevice device, CuDevice peer);
CuResult cuDeviceGetDefaultMemPool(CuPool *out_pool, CuDevice device);
CuResult cuDeviceGetMemPool(CuPool *out_pool, CuDevice device);
CuResult cuDeviceSetMemPool(CuDevice device, CuPool pool);

// Contexts.
CuResult cuDevicePrimaryCtxRetain(CuContext *out_context, CuDevice device);
CuResult cuDevicePrimaryCtxRelease_v2(CuDevice device);
CuResult cuDevicePrimaryCtxReset_v2(CuDevice device);
CuResult cuDevicePrimaryCtxSetFlags_v2(CuDevice device, unsigned flags);
CuResult cuDevicePrimaryCtxGetState(CuDevice device, unsigned *out_flags,
                                    int *out_is_active);
CuResult cuCtxCreate_v2(CuContext *out_context, unsigned flags,
                        CuDevice device);
CuResult cuCtxCreate_v3(CuContext *out_context, void *affinity, int count,
                        unsigned flags, CuDevice device);
CuResult cuCtxCreate_v4(CuContext *out_context, void *params, unsigned flags,
                        CuDevice device);
CuResult cuCtxDestroy_v2(CuContext context);
CuResult cuCtxPushCurrent_v2(CuContext context);
CuResult cuCtxPopCurrent_v2(CuContext *out_context);
CuResult cuCtxSetCurrent(CuContext context);
CuResult cuCtxGetCurrent(CuContext *out_context);
CuResult cuCtxGetDevice(CuDevice *out_device);
CuResult cuCtxGetDevice_v2(CuDevice *out_device, CuContext context);
CuResult cuCtxGetFlags(unsigned *out_flags);
CuResult cuCtxSetFlags(unsigned flags);
CuResult cuCtxGetId(CuContext context, unsigned long long *out_id);
CuResult cuCtxSynchronize(void);
CuResult cuCtxSynchronize_v2(CuContext context);
CuResult cuCtxGetApiVersion(CuContext context, unsigned *out_version);
CuResult cuCtxGetLimit(size_t *out_value, int limit);
CuResult cuCtxSetLimit(int limit, size_t value);
CuResult cuCtxGetCacheConfig(int *out_config);
CuResult cuCtxSetCacheConfig(int config);
CuResult cuCtxGetSharedMemConfig(int *out_config);
CuResult cuCtxSetSharedMemConfig(int config);
CuResult cuCtxGetStreamPriorityRange(int *out_least, int *out_greatest);
CuResult cuCtxResetPersistingL2Cache(void);
CuResult cuCtxEnablePeerAccess(CuContext peer, unsigned flags);
CuResult cuCtxDisablePeerAccess(CuContext peer);

// Memory.
CuResult cuMemGetInfo_v2(size_t *out_free_bytes, size_t *out_total_bytes);
CuResult cuMemAlloc_v2(CuAddress *out_address, size_t size_bytes);
CuResult cuMemAllocPitch_v2(CuAddress *out_address, size_t *out_pitch_bytes,
                            size_t width_bytes, size_t height,
                            unsigned elem_bytes);
CuResult cuMemAllocManaged(CuAddress *out_address, size_t size_bytes,
                           unsigned flags);
CuResult cuMemAllocAsync(CuAddress *out_address, size_t size_bytes,
                         CuStream stream);
CuResult cuMemAllocFromPoolAsync(CuAddress *out_address, size_t size_bytes,
                                 CuPool pool, CuStream stream);
CuResult cuMemFree_v2(CuAddress address);
CuResult cuMemFreeAsync(CuAddress address, CuStream stream);
CuResult cuMemAllocHost_v2(void **out_memory, size_t size_bytes);
CuResult cuMemHostAlloc(void **out_memory, size_t size_bytes, unsigned flags);
CuResult cuMemFreeHost(void *memory);
CuResult cuMemHostGetDevicePointer_v2(CuAddress *out_address, void *memory,
                                      unsigned flags);
CuResult cuMemHostGetFlags(unsigned *out_flags, void *memory);
CuResult cuMemHostRegister_v2(void *memory, size_t size_bytes, unsigned flags);
CuResult cuMemHostUnregister(void *memory);
CuResult cuMemGetAddressRange_v2(CuAddress *out_base, size_t *out_size_bytes,
                                 CuAddress address);
CuResult cuPointerGetAttribute(void *out_value, int attribute,
                               CuAddress address);
CuResult cuPointerGetAttributes(unsigned count, int *attributes,
                                void **out_values, CuAddress address);
CuResult cuPointerSetAttribute(const void *value, int attribute,
                               CuAddress address);
CuResult cuMemAdvise_v2(CuAddress address, size_t size_bytes, int advice,
                        uint64_t location);
CuResult cuMemPrefetchAsync_v2(CuAddress address, size_t size_bytes,
                               uint64_t location, unsigned flags,
                               CuStream stream);

// Pools.
CuResult cuMemPoolCreate(CuPool *out_pool, const void *properties);
CuResult cuMemPoolDestroy(CuPool pool);
CuResult cuMemPoolTrimTo(CuPool pool, size_t keep_bytes);
CuResult cuMemPoolSetAttribute(CuPool pool, int attribute, void *value);
CuResult cuMemPoolGetAttribute(CuPool pool, int attribute, void *out_value);
CuResult cuMemPoolSetAccess(CuPool pool, const void *access, size_t count);
CuResult cuMemPoolGetAccess(int *out_flags, CuPool pool, void *location);

// Copies.
CuResult cuMemcpy(CuAddress target, CuAddress source, size_t size_bytes);
CuResult cuMemcpyAsync(CuAddress target, CuAddress source, size_t size_bytes,
                       CuStream stream);
CuResult cuMemcpyHtoD_v2(CuAddress target, const void *source,
                         size_t size_bytes);
CuResult cuMemcpyHtoDAsync_v2(CuAddress target, const void *source,
                              size_t size_bytes, CuStream stream);
CuResult cuMemcpyDtoH_v2(void *target, CuAddress source, size_t size_bytes);
CuResult cuMemcpyDtoHAsync_v2(void *target, CuAddress source, size_t size_bytes,
                              CuStream stream);
CuResult cuMemcpyDtoD_v2(CuAddress target, CuAddress source, size_t size_bytes);
CuResult cuMemcpyDtoDAsync_v2(CuAddress target, CuAddress source,
                              size_t size_bytes, CuStream stream);
CuResult cuMemcpyPeer(CuAddress target, CuContext target_context,
                      CuAddress source, CuContext source_context,
                      size_t size_bytes);
CuResult cuMemcpyPeerAsync(CuAddress target, CuContext target_context,
                           CuAddress source, CuContext source_context,
                           size_t size_bytes, CuStream stream);
CuResult cuMemcpy2D_v2(const CuCopy2D *copy);
CuResult cuMemcpy2DUnaligned_v2(const CuCopy2D *copy);
CuResult cuMemcpy2DAsync_v2(const CuCopy2D *copy, CuStream stream);
CuResult cuMemcpy3D_v2(const CuCopy3D *copy);
CuResult cuMemcpy3DAsync_v2(const CuCopy3D *copy, CuStream stream);
CuResult cuMemsetD8_v2(CuAddress address, unsigned char value, size_t count);
CuResult cuMemsetD16_v2(CuAddress address, unsigned short value, size_t count);
CuResult cuMemsetD32_v2(CuAddress address, unsigned value, size_t count);
CuResult cuMemsetD8Async(CuAddress address, unsigned char value, size_t count,
                         CuStream stream);
CuResult cuMemsetD16Async(CuAddress address, unsigned short value, size_t count,
                          CuStream stream);
CuResult cuMemsetD32Async(CuAddress address, unsigned value, size_t count,
                          CuStream stream);
CuResult cuMemsetD2D8_v2(CuAddress address, size_t pitch_bytes,
                         unsigned char value, size_t width, size_t height);
CuResult cuMemsetD2D16_v2(CuAddress address, size_t pitch_bytes,
                          unsigned short value, size_t width, size_t height);
CuResult cuMemsetD2D32_v2(CuAddress address, size_t pitch_bytes, unsigned value,
                          size_t width, size_t height);
CuResult cuMemsetD2D8Async(CuAddress address, size_t pitch_bytes,
                           unsigned char value, size_t width, size_t height,
                           CuStream stream);
CuResult cuMemsetD2D16Async(CuAddress address, size_t pitch_bytes,
                            unsigned short value, size_t width, size_t height,
                            CuStream stream);
CuResult cuMemsetD2D32Async(CuAddress address, size_t pitch_bytes,
                            unsigned value, size_t width, size_t height,
                            CuStream stream);

// Modules, libraries, functions. A CUkernel is the same as its CUfunction, a
// CUlibrary the same as its CUmodule.
CuResult cuModuleLoad(CuModule *out_module, const char *path);
CuResult cuModuleLoadData(CuModule *out_module, const void *image);
CuResult cuModuleLoadDataEx(CuModule *out_module, const void *image,
                            unsigned num_options, int *options, void **values);
CuResult cuModuleLoadFatBinary(CuModule *out_module, const void *image);
CuResult cuModuleUnload(CuModule module);
CuResult cuModuleGetFunction(CuFunction *out_function, CuModule module,
                             const char *name);
CuResult cuModuleGetGlobal_v2(CuAddress *out_address, size_t *out_size_bytes,
                              CuModule module, const char *name);
CuResult cuModuleGetFunctionCount(unsigned *out_count, CuModule module);
CuResult cuModuleEnumerateFunctions(CuFunction *out_functions, unsigned count,
                                    CuModule module);
CuResult cuModuleGetLoadingMode(int *out_mode);
CuResult cuLibraryLoadData(CuModule *out_library, const void *code,
                           int *jit_options, void **jit_values,
                           unsigned num_jit_options, int *library_options,
                           void **library_values, unsigned num_library_options);
CuResult cuLibraryLoadFromFile(CuModule *out_library, const char *path,
                               int *jit_options, void **jit_values,
                               unsigned num_jit_options, int *library_options,
                               void **library_values,
                               unsigned num_library_options);
CuResult cuLibraryUnload(CuModule library);
CuResult cuLibraryGetKernel(CuFunction *out_kernel, CuModule library,
                            const char *name);
CuResult cuLibraryGetKernelCount(unsigned *out_count, CuModule library);
CuResult cuLibraryEnumerateKernels(CuFunction *out_kernels, unsigned count,
                                   CuModule library);
CuResult cuLibraryGetModule(CuModule *out_module, CuModule library);
CuResult cuLibraryGetGlobal(CuAddress *out_address, size_t *out_size_bytes,
                            CuModule library, const char *name);
CuResult cuLibraryGetManaged(CuAddress *out_address, size_t *out_size_bytes,
                             CuModule library, const char *name);
CuResult cuKernelGetFunction(CuFunction *out_function, CuFunction kernel);
CuResult cuKernelGetLibrary(CuModule *out_library, CuFunction kernel);
CuResult cuKernelGetName(const char **out_name, CuFunction kernel);
CuResult cuKernelGetAttribute(int *out_value, int attribute, CuFunction kernel,
                              CuDevice device);
CuResult cuKernelSetAttribute(int attribute, int value, CuFunction kernel,
                              CuDevice device);
CuResult cuKernelSetCacheConfig(CuFunction kernel, int config, CuDevice device);
CuResult cuKernelGetParamInfo(CuFunction kernel, size_t index,
                              size_t *out_offset, size_t *out_size_bytes);
CuResult cuFuncGetAttribute(int *out_value, int attribute, CuFunction function);
CuResult cuFuncSetAttribute(CuFunction function, int attribute, int value);
CuResult cuFuncSetCacheConfig(CuFunction function, int config);
CuResult cuFuncSetSharedMemConfig(CuFunction function, int config);
CuResult cuFuncGetModule(CuModule *out_module, CuFunction function);
CuResult cuFuncGetName(const char **out_name, CuFunction function);
CuResult cuFuncGetParamInfo(CuFunction function, size_t index,
                            size_t *out_offset, size_t *out_size_bytes);
CuResult cuFuncIsLoaded(int *out_state, CuFunction function);
CuResult cuFuncLoad(CuFunction function);

// Streams, events.
CuResult cuStreamCreate(CuStream *out_stream, unsigned flags);
CuResult cuStreamCreateWithPriority(CuStream *out_stream, unsigned flags,
                                    int priority);
CuResult cuStreamDestroy_v2(CuStream stream);
CuResult cuStreamQuery(CuStream stream);
CuResult cuStreamSynchronize(CuStream stream);
CuResult cuStreamWaitEvent(CuStream stream, CuEvent event, unsigned flags);
CuResult cuStreamAddCallback(CuStream stream, CuStreamCallback callback,
                             void *user_data, unsigned flags);
CuResult cuStreamAttachMemAsync(CuStream stream, CuAddress address,
                                size_t size_bytes, unsigned flags);
CuResult cuStreamGetPriority(CuStream stream, int *out_priority);
CuResult cuStreamGetFlags(CuStream stream, unsigned *out_flags);
CuResult cuStreamGetId(CuStream stream, unsigned long long *out_id);
CuResult cuStreamGetDevice(CuStream stream, CuDevice *out_device);
CuResult cuStreamGetCtx(CuStream stream, CuContext *out_context);
CuResult cuStreamIsCapturing(CuStream stream, int *out_status);
CuResult cuStreamGetCaptureInfo_v2(CuStream stream, int *out_status,
                                   uint64_t *out_id, void **out_graph,
                                   const void ***out_nodes, size_t *out_count);
CuResult cuStreamGetCaptureInfo_v3(CuStream stream, int *out_status,
                                   uint64_t *out_id, void **out_graph,
                                   const void ***out_nodes,
                                   const void **out_edges, size_t *out_count);
CuResult cuStreamGetAttribute(CuStream stream, int attribute, void *out_value);
CuResult cuStreamSetAttribute(CuStream stream, int attribute,
                              const void *value);
CuResult cuThreadExchangeStreamCaptureMode(int *mode);
CuResult cuLaunchHostFunc(CuStream stream, CuHostFunction function,
                          void *user_data);
CuResult cuStreamWriteValue32_v2(CuStream stream, CuAddress address,
                                 unsigned value, unsigned flags);
CuResult cuStreamWriteValue64_v2(CuStream stream, CuAddress address,
                                 uint64_t value, unsigned flags);
CuResult cuEventCreate(CuEvent *out_event, unsigned flags);
CuResult cuEventDestroy_v2(CuEvent event);
CuResult cuEventRecord(CuEvent event, CuStream stream);
CuResult cuEventRecordWithFlags(CuEvent event, CuStream stream, unsigned flags);
CuResult cuEventQuery(CuEvent event);
CuResult cuEventSynchronize(CuEvent event);
CuResult cuEventElapsedTime(float *out_ms, CuEvent start, CuEvent end);
CuResult cuEventElapsedTime_v2(float *out_ms, CuEvent start, CuEvent end);

// Launches.
CuResult cuLaunchKernel(CuFunction function, unsigned grid_x, unsigned grid_y,
                        unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned smem_bytes, CuStream stream,
                        void **params, void **extra);
CuResult cuLaunchKernelEx(const CuLaunchConfig *config, CuFunction function,
                          void **params, void **extra);
CuResult cuLaunchCooperativeKernel(CuFunction function, unsigned grid_x,
                                   unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned smem_bytes,
                                   CuStream stream, void **params);
CuResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out_count,
                                                     CuFunction function,
                                                     int block_size,
                                                     size_t smem_bytes);
CuResult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out_count, CuFunction function, int block_size, size_t smem_bytes,
    unsigned flags);
CuResult cuOccupancyMaxPotentialBlockSize(int *out_grid, int *out_block,
                                          CuFunction function,
                                          CuBlockToSmem block_to_smem,
                                          size_t smem_bytes, int limit);
CuResult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *out_grid, int *out_block, CuFunction function,
    CuBlockToSmem block_to_smem, size_t smem_bytes, int limit, unsigned flags);
CuResult cuOccupancyAvailableDynamicSMemPerBlock(size_t *out_bytes,
                                                 CuFunction function,
                                                 int num_blocks,
                                                 int block_size);
CuResult cuOccupancyMaxActiveClusters(int *out_count, CuFunction function,
                                      const CuLaunchConfig *config);
CuResult cuOccupancyMaxPotentialClusterSize(int *out_size, CuFunction function,
                                            const CuLaunchConfig *config);

// Tensor maps.
CuResult cuTensorMapEncodeTiled(void *out_map, int type, unsigned rank,
                                void *address, const uint64_t *dims,
                                const uint64_t *strides_bytes,
                                const uint32_t *box,
                                const uint32_t *elem_strides, int interleave,
                                int swizzle, int l2_promotion, int oob_fill);
CuResult
cuTensorMapEncodeIm2col(void *out_map, int type, unsigned rank, void *address,
                        const uint64_t *dims, const uint64_t *strides_bytes,
                        const int *lower_corner, const int *upper_corner,
                        unsigned channels_per_pixel, unsigned pixels_per_column,
                        const uint32_t *elem_strides, int interleave,
                        int swizzle, int l2_promotion, int oob_fill);
CuResult cuTensorMapReplaceAddress(void *map, void *address);

// Profiler control: nothing happens.
CuResult cuProfilerStart(void);
CuResult cuProfilerStop(void);

#endif // TILE_LIB_CUDA_SHIM_DRIVER_API_H

//===- CudaApi.h - The part of the CUDA driver API that we call -----------===//
//
// Declared here so that building needs no CUDA. The library is opened at run
// time; functions are asked for by name in the form of CUDA 12.0, so a newer
// driver gives the functions declared here.
//
// Source: CUDA Driver API 13.0 reference; test/Unit/launcher-cuda-abi-test.c
// compares everything here with cuda.h where that exists.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_LAUNCHER_CUDA_API_H
#define TILE_LIB_LAUNCHER_CUDA_API_H

#include "LauncherInternal.h"

#include <stddef.h>
#include <stdint.h>

//===-- Types and numbers of the driver -----------------------------------===//

typedef int CudaResult; // 0 is success
typedef int CudaDevice;
typedef uint64_t CudaAddress;
typedef struct CudaContext CudaContext;
typedef struct CudaModule CudaModule;
typedef struct CudaFunction CudaFunction;

enum {
  CUDA_API_VERSION = 12000,

  CUDA_ERROR_UNSUPPORTED_PTX = 222,

  CUDA_ATTRIBUTE_NUM_SMS = 16,
  CUDA_ATTRIBUTE_MEMORY_POOLS = 115,
  CUDA_ATTRIBUTE_CAPABILITY_MAJOR = 75,
  CUDA_ATTRIBUTE_CAPABILITY_MINOR = 76,

  CUDA_FUNCTION_MAX_DYNAMIC_SMEM_BYTES = 8,
  CUDA_FUNCTION_NON_PORTABLE_CLUSTER = 14,

  CUDA_JIT_ERROR_LOG = 5,
  CUDA_JIT_ERROR_LOG_SIZE_BYTES = 6,

  CUDA_LAUNCH_COOPERATIVE = 2,
  CUDA_LAUNCH_CLUSTER_DIMENSION = 4,
  CUDA_LAUNCH_PROGRAMMATIC_SERIALIZATION = 6,

  CUDA_MEMORY_TYPE_DEVICE = 2,
  CUDA_ALLOCATION_TYPE_PINNED = 1,
  CUDA_LOCATION_TYPE_DEVICE = 1,
  CUDA_POOL_RELEASE_THRESHOLD = 4,

  CUDA_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CUDA_TENSOR_MAP_SWIZZLE_NONE = 0,
  CUDA_TENSOR_MAP_SWIZZLE_32B = 1,
  CUDA_TENSOR_MAP_SWIZZLE_64B = 2,
  CUDA_TENSOR_MAP_SWIZZLE_128B = 3,
  CUDA_TENSOR_MAP_L2_PROMOTION_128B = 2,
  CUDA_TENSOR_MAP_OOB_ZERO = 0,
  CUDA_TENSOR_MAP_OOB_NAN = 1,

  // Errors of a running kernel; all others are the caller's.
  CUDA_FAULT_ILLEGAL_ADDRESS = 700,
  CUDA_FAULT_LAUNCH_TIMEOUT = 702,
  CUDA_FAULT_ASSERT = 710,
  CUDA_FAULT_HARDWARE_STACK_ERROR = 714,
  CUDA_FAULT_ILLEGAL_INSTRUCTION = 715,
  CUDA_FAULT_MISALIGNED_ADDRESS = 716,
  CUDA_FAULT_INVALID_ADDRESS_SPACE = 717,
  CUDA_FAULT_INVALID_PC = 718,
  CUDA_FAULT_LAUNCH_FAILED = 719,
  CUDA_FAULT_TENSOR_MEMORY_LEAK = 721
};

typedef struct {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int flag;
  } value;
} CudaLaunchAttribute;

typedef struct CudaLaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned dynamic_smem_bytes;
  void *stream;
  CudaLaunchAttribute *attributes;
  unsigned num_attributes;
} CudaLaunchConfig;

/// CUDA_MEMCPY2D.
typedef struct CudaCopy2D {
  size_t from_x_bytes, from_y;
  int from_type;
  const void *from_host;
  CudaAddress from;
  void *from_array;
  size_t from_pitch_bytes;
  size_t to_x_bytes, to_y;
  int to_type;
  void *to_host;
  CudaAddress to;
  void *to_array;
  size_t to_pitch_bytes;
  size_t row_bytes, num_rows;
} CudaCopy2D;

typedef struct CudaPool CudaPool;

/// CUmemPoolProps.
typedef struct CudaPoolProperties {
  int allocation_type, handle_types, location_type, location;
  void *security_attributes;
  size_t max_bytes;
  unsigned char reserved[56];
} CudaPoolProperties;

//===-- Functions ---------------------------------------------------------===//

/// The functions, in the order of the table in Driver.c.
typedef struct {
  CudaResult (*get_error_name)(CudaResult error, const char **out_name);
  CudaResult (*get_error_string)(CudaResult error, const char **out_text);
  CudaResult (*init)(unsigned flags);
  CudaResult (*device_get_count)(int *out_count);
  CudaResult (*device_get)(CudaDevice *out_device, int ordinal);
  CudaResult (*device_get_name)(char *name, int size_bytes, CudaDevice device);
  CudaResult (*device_get_attribute)(int *out_value, int attribute,
                                     CudaDevice device);
  CudaResult (*primary_ctx_retain)(CudaContext **out_context,
                                   CudaDevice device);
  CudaResult (*primary_ctx_release)(CudaDevice device);
  CudaResult (*driver_get_version)(int *out_version);
  CudaResult (*ctx_push_current)(CudaContext *context);
  CudaResult (*ctx_pop_current)(CudaContext **out_context);
  CudaResult (*ctx_get_current)(CudaContext **out_context);
  CudaResult (*ctx_get_device)(CudaDevice *out_device);
  CudaResult (*ctx_synchronize)(void);
  CudaResult (*stream_synchronize)(void *stream);
  CudaResult (*module_load_data_ex)(CudaModule **out_module, const void *image,
                                    unsigned num_options, int *options,
                                    void **option_values);
  CudaResult (*module_unload)(CudaModule *module);
  CudaResult (*module_get_function)(CudaFunction **out_function,
                                    CudaModule *module, const char *name);
  CudaResult (*func_set_attribute)(CudaFunction *function, int attribute,
                                   int value);
  CudaResult (*mem_alloc)(CudaAddress *out_address, size_t size_bytes);
  CudaResult (*mem_free)(CudaAddress address);
  CudaResult (*memset_d8)(CudaAddress address, unsigned char byte,
                          size_t size_bytes);
  CudaResult (*memcpy_htod)(CudaAddress target, const void *source,
                            size_t size_bytes);
  CudaResult (*memcpy_dtoh)(void *target, CudaAddress source,
                            size_t size_bytes);
  CudaResult (*memcpy_2d_async)(const CudaCopy2D *copy, void *stream);
  CudaResult (*memset_d2d8_async)(CudaAddress address, size_t pitch_bytes,
                                  unsigned char value, size_t width,
                                  size_t height, void *stream);
  CudaResult (*memset_d2d16_async)(CudaAddress address, size_t pitch_bytes,
                                   unsigned short value, size_t width,
                                   size_t height, void *stream);
  CudaResult (*memset_d2d32_async)(CudaAddress address, size_t pitch_bytes,
                                   unsigned value, size_t width, size_t height,
                                   void *stream);
  CudaResult (*pool_create)(CudaPool **out_pool,
                            const CudaPoolProperties *properties);
  CudaResult (*pool_set_attribute)(CudaPool *pool, int attribute, void *value);
  CudaResult (*pool_destroy)(CudaPool *pool);
  CudaResult (*mem_alloc_from_pool)(CudaAddress *out_address, size_t size_bytes,
                                    CudaPool *pool, void *stream);
  CudaResult (*mem_free_async)(CudaAddress address, void *stream);
  CudaResult (*launch_kernel_ex)(const CudaLaunchConfig *config,
                                 CudaFunction *function, void **params,
                                 void **extra);
  CudaResult (*tensor_map_encode_tiled)(void *map, int type, uint32_t rank,
                                        void *address, const uint64_t *dims,
                                        const uint64_t *strides_bytes,
                                        const uint32_t *box,
                                        const uint32_t *elem_strides,
                                        int interleave, int swizzle,
                                        int l2_promotion, int oob_fill);
  CudaResult (*tensor_map_encode_im2col)(
      void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
      const uint64_t *strides_bytes, const int *lower_corner,
      const int *upper_corner, uint32_t channels_per_pixel,
      uint32_t pixels_per_column, const uint32_t *elem_strides, int interleave,
      int swizzle, int l2_promotion, int oob_fill);
} CudaApi;

//===-- The device --------------------------------------------------------===//

/// A kernel that was launched before, with what the driver was told of it.
typedef struct {
  void *module; // of the driver
  char *name;   // owned
  CudaFunction *function;
  uint32_t dynamic_smem_bytes;
  bool has_large_clusters;
} CudaKernel;

/// A GPU with its primary context or one of the caller, which is current while
/// the launcher uses it.
typedef struct {
  TileDevice base;
  void *library; // of dlopen
  CudaApi api;
  CudaDevice device;
  CudaContext *context;
  bool owns_context;  // the primary one, retained
  int driver_version; // 12080 for CUDA 12.8
  CudaAddress *allocations;
  size_t num_allocations;
  CudaPool *pool; // of workspaces; NULL: none yet, or the driver has none
  CudaKernel *kernels;
  size_t num_kernels;
  bool is_pushed; // `context`, by the launcher
} CudaGpu;

/// Turns a driver result into a status: "WHAT: CUDA_ERROR_NAME (…)".
/// Errors of running kernels are KERNEL_FAILED.
TileStatus tile_cuda_status(const CudaApi *api, CudaResult result,
                            const char *what);

// Module.c and Launch.c, as in TileDeviceOps.
TileStatus tile_cuda_load(TileDevice *device, const char *name,
                          const char *image, size_t size_bytes,
                          void **out_handle);
void tile_cuda_unload(TileDevice *device, void *handle);
/// Forgets the kernels of a module.
void tile_cuda_forget_kernels(CudaGpu *gpu, const void *module);
TileStatus tile_cuda_encode_tensor_map(TileDevice *device,
                                       const TileTensorMap *map, void *out_map);
TileStatus tile_cuda_launch(TileDevice *device, void *handle,
                            const TileKernelLaunch *launch);

// GpuMemory.c, as in TileDeviceOps.
TileStatus tile_cuda_copy_rows(TileDevice *device, const DeviceRows *rows);
TileStatus tile_cuda_fill_rows(TileDevice *device,
                               const DevicePattern *pattern);
TileStatus tile_cuda_take_workspace(TileDevice *device, size_t size_bytes,
                                    void *stream, uint64_t *out_address);
TileStatus tile_cuda_give_workspace(TileDevice *device, uint64_t address,
                                    void *stream);

#endif // TILE_LIB_LAUNCHER_CUDA_API_H

//===- CudaTypes.h - Types and numbers of the CUDA driver API -------------===//
//
// Declared here so that building needs no CUDA. Handles are our own objects.
//
// Source: CUDA Driver API 13.0 reference; test/Unit/shim-cuda-abi-test.c
// compares everything here with cuda.h where that exists.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_CUDA_TYPES_H
#define TILE_LIB_CUDA_SHIM_CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t CuAddress;
typedef int CuDevice;

typedef enum {
  CU_SUCCESS = 0,
  CU_INVALID_VALUE = 1,
  CU_OUT_OF_MEMORY = 2,
  CU_NOT_INITIALIZED = 3,
  CU_DEINITIALIZED = 4,
  CU_INVALID_DEVICE = 101,
  CU_INVALID_IMAGE = 200,
  CU_INVALID_CONTEXT = 201,
  CU_NO_BINARY_FOR_GPU = 209,
  CU_INVALID_PTX = 218,
  CU_FILE_NOT_FOUND = 301,
  CU_INVALID_HANDLE = 400,
  CU_ILLEGAL_STATE = 401,
  CU_NOT_FOUND = 500,
  CU_ILLEGAL_ADDRESS = 700,
  CU_LAUNCH_OUT_OF_RESOURCES = 701,
  CU_LAUNCH_TIMEOUT = 702,
  CU_PEER_ACCESS_UNSUPPORTED = 217,
  CU_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CU_HOST_MEMORY_NOT_REGISTERED = 713,
  CU_ILLEGAL_INSTRUCTION = 715,
  CU_MISALIGNED_ADDRESS = 716,
  CU_LAUNCH_FAILED = 719,
  CU_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CU_NOT_SUPPORTED = 801,
  CU_INVALID_CLUSTER_SIZE = 912,
  CU_UNKNOWN = 999
} CuResult;

enum {
  CU_FUNC_MAX_THREADS = 0,
  CU_FUNC_SHARED_BYTES = 1,
  CU_FUNC_CONST_BYTES = 2,
  CU_FUNC_LOCAL_BYTES = 3,
  CU_FUNC_NUM_REGS = 4,
  CU_FUNC_PTX_VERSION = 5,
  CU_FUNC_BINARY_VERSION = 6,
  CU_FUNC_CACHE_CA = 7,
  CU_FUNC_MAX_DYNAMIC_SHARED_BYTES = 8,
  CU_FUNC_CARVEOUT = 9,
  CU_FUNC_CLUSTER_MUST_BE_SET = 10,
  CU_FUNC_CLUSTER_X = 11,
  CU_FUNC_CLUSTER_Z = 13,
  CU_FUNC_NON_PORTABLE_CLUSTER = 14,
  CU_FUNC_CLUSTER_POLICY = 15,
  CU_FUNC_NUM_ATTRIBUTES = 16
};

enum {
  CU_LAUNCH_COOPERATIVE = 2,
  CU_LAUNCH_CLUSTER = 4,
  CU_LAUNCH_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_COMPLETION_EVENT = 12,
  CU_LAUNCH_DEVICE_UPDATABLE = 13
};

enum { CU_MEMORY_HOST = 1, CU_MEMORY_DEVICE = 2, CU_MEMORY_ARRAY = 3 };

/// The `extra` argument of a launch: pairs of a number and a value, to 0.
enum { CU_LAUNCH_END = 0, CU_LAUNCH_BUFFER = 1, CU_LAUNCH_BUFFER_SIZE = 2 };

typedef struct {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    struct {
      unsigned x, y, z;
    } dim;
    struct {
      struct CuEventObject *event;
      int flags;
    } event;
  } value;
} CuLaunchAttribute;

typedef struct {
  unsigned grid[3], block[3];
  unsigned dynamic_smem_bytes;
  struct CuStreamObject *stream;
  CuLaunchAttribute *attributes;
  unsigned num_attributes;
} CuLaunchConfig;

typedef struct {
  size_t x_bytes, y;
  int memory_type;
  void *host;
  CuAddress device;
  void *array;
  size_t pitch_bytes;
} CuCopySide2D;

typedef struct {
  CuCopySide2D source, target;
  size_t width_bytes, height;
} CuCopy2D;

typedef struct {
  size_t x_bytes, y, z, level;
  int memory_type;
  void *host;
  CuAddress device;
  void *array, *reserved;
  size_t pitch_bytes, height;
} CuCopySide3D;

typedef struct {
  CuCopySide3D source, target;
  size_t width_bytes, height, depth;
} CuCopy3D;

#endif // TILE_LIB_CUDA_SHIM_CUDA_TYPES_H

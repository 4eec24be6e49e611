//===- shim-cuda-abi-test.c - our types against NVIDIA's ------------------===//
//
// Built only where cuda.h exists. The compiler compares numbers and layouts.
//
//===----------------------------------------------------------------------===//

#include "CudaShim/CudaTypes.h"
#include "CudaShim/Runtime/RuntimeTypes.h"

#include <cuda.h>
#include <driver_types.h>

#define SAME_NUMBER(ours, theirs)                                              \
  _Static_assert((int)(ours) == (int)(theirs), #ours)
#define SAME_PLACE(ours, a, theirs, b)                                         \
  _Static_assert(offsetof(ours, a) == offsetof(theirs, b), #a)
#define SAME_SIZE(ours, theirs)                                                \
  _Static_assert(sizeof(ours) == sizeof(theirs), #ours)

SAME_NUMBER(CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME_NUMBER(CU_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_NUMBER(CU_INVALID_PTX, CUDA_ERROR_INVALID_PTX);
SAME_NUMBER(CU_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE);
SAME_NUMBER(CU_NOT_FOUND, CUDA_ERROR_NOT_FOUND);
SAME_NUMBER(CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_NUMBER(CU_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_NUMBER(CU_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_NUMBER(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
SAME_NUMBER(CU_COOPERATIVE_LAUNCH_TOO_LARGE,
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
SAME_NUMBER(CU_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED);
SAME_NUMBER(CU_INVALID_CLUSTER_SIZE, CUDA_ERROR_INVALID_CLUSTER_SIZE);
SAME_NUMBER(CU_HOST_MEMORY_NOT_REGISTERED,
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
SAME_NUMBER(CU_FUNC_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_NUMBER(CU_FUNC_PTX_VERSION, CU_FUNC_ATTRIBUTE_PTX_VERSION);
SAME_NUMBER(CU_FUNC_MAX_DYNAMIC_SHARED_BYTES,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_NUMBER(CU_FUNC_CLUSTER_X, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
SAME_NUMBER(CU_FUNC_NON_PORTABLE_CLUSTER,
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME_NUMBER(CU_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_NUMBER(CU_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME_NUMBER(CU_LAUNCH_DEVICE_UPDATABLE,
            CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE);

SAME_SIZE(CuLaunchAttribute, CUlaunchAttribute);
SAME_PLACE(CuLaunchAttribute, value, CUlaunchAttribute, value);
SAME_SIZE(CuLaunchConfig, CUlaunchConfig);
SAME_PLACE(CuLaunchConfig, stream, CUlaunchConfig, hStream);
SAME_PLACE(CuLaunchConfig, num_attributes, CUlaunchConfig, numAttrs);
SAME_SIZE(CuCopy2D, CUDA_MEMCPY2D);
SAME_PLACE(CuCopy2D, target.device, CUDA_MEMCPY2D, dstDevice);
SAME_PLACE(CuCopy2D, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
SAME_SIZE(CuCopy3D, CUDA_MEMCPY3D);
SAME_PLACE(CuCopy3D, source.pitch_bytes, CUDA_MEMCPY3D, srcPitch);
SAME_PLACE(CuCopy3D, target.height, CUDA_MEMCPY3D, dstHeight);
SAME_PLACE(CuCopy3D, depth, CUDA_MEMCPY3D, Depth);

typedef struct cudaDeviceProp TheirProperties;
typedef struct cudaFuncAttributes TheirFunctionAttributes;
typedef struct cudaMemcpy3DParms TheirCopy3D;
typedef struct cudaPointerAttributes TheirPointerAttributes;

SAME_SIZE(RtLaunchConfig, cudaLaunchConfig_t);
SAME_PLACE(RtLaunchConfig, smem_bytes, cudaLaunchConfig_t, dynamicSmemBytes);
SAME_PLACE(RtLaunchConfig, num_attributes, cudaLaunchConfig_t, numAttrs);
SAME_SIZE(RtCopy3D, TheirCopy3D);
SAME_PLACE(RtCopy3D, target, TheirCopy3D, dstPtr);
SAME_PLACE(RtCopy3D, kind, TheirCopy3D, kind);
SAME_SIZE(RtFunctionAttributes, TheirFunctionAttributes);
SAME_PLACE(RtFunctionAttributes, ptx_version, TheirFunctionAttributes,
           ptxVersion);
SAME_PLACE(RtFunctionAttributes, non_portable_cluster, TheirFunctionAttributes,
           nonPortableClusterSizeAllowed);
SAME_PLACE(RtPointerAttributes, host, TheirPointerAttributes, hostPointer);

// The layout of CUDA 12 is compared when cuda.h is of that version.
#if CUDA_VERSION / 1000 == TILE_CUDART_MAJOR
SAME_SIZE(RtProperties, TheirProperties);
SAME_PLACE(RtProperties, multi_processor_count, TheirProperties,
           multiProcessorCount);
SAME_PLACE(RtProperties, shared_mem_per_block_optin, TheirProperties,
           sharedMemPerBlockOptin);
SAME_PLACE(RtProperties, cluster_launch, TheirProperties, clusterLaunch);
#endif

int main(void) { return 0; }

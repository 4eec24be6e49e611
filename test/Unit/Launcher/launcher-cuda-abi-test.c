//===- launcher-cuda-abi-test.c - CudaApi.h against cuda.h ----------------===//
//
// Built only where cuda.h exists. Numbers and layouts are compared by the
// compiler; function types are not, their pointers differ in name.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Launcher/CudaApi.h"

#include <cuda.h>

#define SAME_NUMBER(ours, theirs)                                              \
  _Static_assert((int)(ours) == (int)(theirs), #ours)

SAME_NUMBER(CUDA_ATTRIBUTE_NUM_SMS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_NUMBER(CUDA_ATTRIBUTE_MEMORY_POOLS,
            CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME_NUMBER(CUDA_MEMORY_TYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME_NUMBER(CUDA_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME_NUMBER(CUDA_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE);
SAME_NUMBER(CUDA_POOL_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME_NUMBER(CUDA_ATTRIBUTE_CAPABILITY_MAJOR,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(CUDA_ATTRIBUTE_CAPABILITY_MINOR,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_NUMBER(CUDA_FUNCTION_MAX_DYNAMIC_SMEM_BYTES,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_NUMBER(CUDA_FUNCTION_NON_PORTABLE_CLUSTER,
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME_NUMBER(CUDA_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME_NUMBER(CUDA_JIT_ERROR_LOG_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_NUMBER(CUDA_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME_NUMBER(CUDA_LAUNCH_PROGRAMMATIC_SERIALIZATION,
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_NUMBER(CUDA_LAUNCH_CLUSTER_DIMENSION,
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_NUMBER(CUDA_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_NONE);
SAME_NUMBER(CUDA_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE);
SAME_NUMBER(CUDA_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_32B);
SAME_NUMBER(CUDA_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_64B);
SAME_NUMBER(CUDA_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
SAME_NUMBER(CUDA_TENSOR_MAP_L2_PROMOTION_128B,
            CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
SAME_NUMBER(CUDA_TENSOR_MAP_OOB_ZERO, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
SAME_NUMBER(CUDA_TENSOR_MAP_OOB_NAN,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
SAME_NUMBER(TILE_TENSOR_MAP_U8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME_NUMBER(TILE_TENSOR_MAP_U16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
SAME_NUMBER(TILE_TENSOR_MAP_U32, CU_TENSOR_MAP_DATA_TYPE_UINT32);
SAME_NUMBER(TILE_TENSOR_MAP_I32, CU_TENSOR_MAP_DATA_TYPE_INT32);
SAME_NUMBER(TILE_TENSOR_MAP_U64, CU_TENSOR_MAP_DATA_TYPE_UINT64);
SAME_NUMBER(TILE_TENSOR_MAP_I64, CU_TENSOR_MAP_DATA_TYPE_INT64);
SAME_NUMBER(TILE_TENSOR_MAP_F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
SAME_NUMBER(TILE_TENSOR_MAP_F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
SAME_NUMBER(TILE_TENSOR_MAP_F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
SAME_NUMBER(TILE_TENSOR_MAP_BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME_NUMBER(TILE_TENSOR_MAP_TF32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);

#define SAME_LAYOUT(ours, our_field, theirs, their_field)                      \
  _Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                     sizeof(((ours *)0)->our_field) ==                         \
                         sizeof(((theirs *)0)->their_field),                   \
                 #our_field)

_Static_assert(sizeof(CudaLaunchConfig) == sizeof(CUlaunchConfig), "size");
SAME_LAYOUT(CudaLaunchConfig, grid_x, CUlaunchConfig, gridDimX);
SAME_LAYOUT(CudaLaunchConfig, grid_y, CUlaunchConfig, gridDimY);
SAME_LAYOUT(CudaLaunchConfig, grid_z, CUlaunchConfig, gridDimZ);
SAME_LAYOUT(CudaLaunchConfig, block_x, CUlaunchConfig, blockDimX);
SAME_LAYOUT(CudaLaunchConfig, block_y, CUlaunchConfig, blockDimY);
SAME_LAYOUT(CudaLaunchConfig, block_z, CUlaunchConfig, blockDimZ);
SAME_LAYOUT(CudaLaunchConfig, dynamic_smem_bytes, CUlaunchConfig,
            sharedMemBytes);
SAME_LAYOUT(CudaLaunchConfig, stream, CUlaunchConfig, hStream);
SAME_LAYOUT(CudaLaunchConfig, attributes, CUlaunchConfig, attrs);
SAME_LAYOUT(CudaLaunchConfig, num_attributes, CUlaunchConfig, numAttrs);
_Static_assert(sizeof(CudaLaunchAttribute) == sizeof(CUlaunchAttribute),
               "size");
SAME_LAYOUT(CudaLaunchAttribute, id, CUlaunchAttribute, id);
SAME_LAYOUT(CudaLaunchAttribute, value, CUlaunchAttribute, value);
SAME_LAYOUT(CudaLaunchAttribute, value.cluster.y, CUlaunchAttribute,
            value.clusterDim.y);
SAME_LAYOUT(CudaLaunchAttribute, value.flag, CUlaunchAttribute,
            value.cooperative);
SAME_LAYOUT(CudaLaunchAttribute, value.flag, CUlaunchAttribute,
            value.programmaticStreamSerializationAllowed);
_Static_assert(sizeof(CudaCopy2D) == sizeof(CUDA_MEMCPY2D), "size");
SAME_LAYOUT(CudaCopy2D, from_type, CUDA_MEMCPY2D, srcMemoryType);
SAME_LAYOUT(CudaCopy2D, from, CUDA_MEMCPY2D, srcDevice);
SAME_LAYOUT(CudaCopy2D, from_pitch_bytes, CUDA_MEMCPY2D, srcPitch);
SAME_LAYOUT(CudaCopy2D, to_type, CUDA_MEMCPY2D, dstMemoryType);
SAME_LAYOUT(CudaCopy2D, to, CUDA_MEMCPY2D, dstDevice);
SAME_LAYOUT(CudaCopy2D, to_pitch_bytes, CUDA_MEMCPY2D, dstPitch);
SAME_LAYOUT(CudaCopy2D, row_bytes, CUDA_MEMCPY2D, WidthInBytes);
SAME_LAYOUT(CudaCopy2D, num_rows, CUDA_MEMCPY2D, Height);
_Static_assert(sizeof(CudaPoolProperties) == sizeof(CUmemPoolProps), "size");
SAME_LAYOUT(CudaPoolProperties, allocation_type, CUmemPoolProps, allocType);
SAME_LAYOUT(CudaPoolProperties, handle_types, CUmemPoolProps, handleTypes);
SAME_LAYOUT(CudaPoolProperties, location_type, CUmemPoolProps, location.type);
SAME_LAYOUT(CudaPoolProperties, location, CUmemPoolProps, location.id);
SAME_LAYOUT(CudaPoolProperties, max_bytes, CUmemPoolProps, maxSize);
_Static_assert(sizeof(CUtensorMap) == TILE_TENSOR_MAP_SIZE_BYTES, "size");
_Static_assert(sizeof(CUdeviceptr) == sizeof(CudaAddress), "size");
_Static_assert(sizeof(CUresult) == sizeof(CudaResult), "size");

// The numbers behind kernel failures. is_kernel_error is private to Driver.c,
// so the status code shows it.
static CudaResult no_text(CudaResult error, const char **out_text) {
  (void)error;
  *out_text = NULL;
  return 1;
}

static void test_kernel_errors(void **state) {
  (void)state;
  static const CUresult kernel_errors[] = {CUDA_ERROR_ILLEGAL_ADDRESS,
                                           CUDA_ERROR_LAUNCH_TIMEOUT,
                                           CUDA_ERROR_ASSERT,
                                           CUDA_ERROR_HARDWARE_STACK_ERROR,
                                           CUDA_ERROR_ILLEGAL_INSTRUCTION,
                                           CUDA_ERROR_MISALIGNED_ADDRESS,
                                           CUDA_ERROR_INVALID_ADDRESS_SPACE,
                                           CUDA_ERROR_INVALID_PC,
                                           CUDA_ERROR_LAUNCH_FAILED,
                                           CUDA_ERROR_TENSOR_MEMORY_LEAK};
  const CudaApi api = {.get_error_name = no_text, .get_error_string = no_text};
  for (int error = 1; error < 1000; error++) {
    bool is_kernel_error = false;
    for (size_t i = 0; i < sizeof kernel_errors / sizeof kernel_errors[0]; i++)
      is_kernel_error |= (int)kernel_errors[i] == error;
    TileStatus status = tile_cuda_status(&api, error, "x");
    assert_int_equal(status.code, is_kernel_error ? TILE_STATUS_KERNEL_FAILED
                                                  : TILE_STATUS_USER_ERROR);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernel_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

//===- NvgpuOps.c - (being written) ===//
#include "Lowering.h"
void lower_nvgpu_ldmatrix(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }
void lower_nvgpu_mma_sync(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }
void lower_nvgpu_device_async_copy(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }
void lower_nvgpu_device_async_create_group(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }
void lower_nvgpu_device_async_wait(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }
void lower_vector_from_elements(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }
void lower_vector_extract(Lowering *l, MlirOperation op) { lower_fail(l, op, "has no lowering yet"); }

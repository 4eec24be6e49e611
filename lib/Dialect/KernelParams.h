//===- KernelParams.h - How a launch operand becomes kernel parameters ----===//
//
// The contract between the lowering of kernels and the launch metadata. The
// parameters of a kernel are those of its launch operands, one after another:
//
//   operand                 parameters, in this order
//   !tile.tensor_map        the map itself, 128 bytes by value
//   memref (global memory)  address of the first element, offset included,
//                           one i32 per dynamic extent, in dimension order,
//                           strided<>: one i64 per dynamic stride (elements)
//   index                   i32
//   integer, float          the same type
//
// A memref with the identity layout passes no strides: the kernel derives them
// from the extents. An offset is never passed, static or not: the launcher has
// added it to the address.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_KERNEL_PARAMS_H
#define TILE_KERNEL_PARAMS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TILE_KERNEL_PARAM_TENSOR_MAP,
  TILE_KERNEL_PARAM_POINTER,
  TILE_KERNEL_PARAM_EXTENT, // of dimension `dim`
  TILE_KERNEL_PARAM_STRIDE, // of dimension `dim`, in elements
  TILE_KERNEL_PARAM_SCALAR
} TileKernelParamKind;

typedef struct {
  TileKernelParamKind kind;
  int dim;       // EXTENT, STRIDE: of the memref; else 0
  MlirType type; // EXTENT i32, STRIDE i64, SCALAR its type; else null
} TileKernelParam;

enum {
  TILE_KERNEL_PARAM_MAX_RANK = 8,
  TILE_KERNEL_MAX_PARAMS = 1 + 2 * TILE_KERNEL_PARAM_MAX_RANK
};

/// Writes the parameters that an operand of `type` becomes and returns their
/// number; -1 when a value of this type cannot be passed to a kernel: memrefs
/// outside global memory, unranked, of rank above TILE_KERNEL_PARAM_MAX_RANK or
/// with a layout that is neither the identity nor strided, and other types.
MLIR_CAPI_EXPORTED int
tile_kernel_params_of_type(MlirType type,
                           TileKernelParam out_params[TILE_KERNEL_MAX_PARAMS]);

#ifdef __cplusplus
}
#endif

#endif // TILE_KERNEL_PARAMS_H

//===- TensorViews.c - Tensors that begin and end where the kernel says ---===//
//
// A part of a tensor, or its memory with other extents, is a tensor of its own:
// a pointer, extents and strides, computed where the view is made.
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Memories.h"

#include "Support/Constants.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"

//===-- Numbers of views --------------------------------------------------===//

// One of a list of numbers, of which those that are not constant are operands.
typedef struct {
  MlirAttribute constants;
  TileRange operands;
  intptr_t next; // operand
} Mixed;

static TileInt mixed_next(Lowering *l, Mixed *mixed, int d) {
  int64_t fixed = mlirDenseI64ArrayGetElement(mixed->constants, d);
  if (!mlirShapedTypeIsDynamicSize(fixed))
    return tile_int_constant(fixed);
  return index_operand(l, tile_range_at(mixed->operands, mixed->next++));
}

// Bounds are compared as unsigned numbers: a part that ends before it begins
// has nothing in it.
static TileInt extent_next(Lowering *l, Mixed *mixed, int d) {
  TileInt extent = mixed_next(l, mixed, d);
  if (tile_int_is_constant(extent))
    return extent;
  return tile_int_value(
      arith_maxsi(&l->b, extent.value, tile_const_int(&l->b, 0, 32)));
}

// Whether somebody wants the pointer that a view and its source share: a view
// of ours has none but that of its first element.
static bool is_asked_for_base(MlirValue view) {
  for (MlirOpOperand use = mlirValueGetFirstUse(view);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (memref_extract_aligned_pointer_as_index_is(op) ||
        memref_extract_strided_metadata_is(op) ||
        (tile_tensor_part_is(op) &&
         is_asked_for_base(mlirOperationGetResult(op, 0))))
      return true;
  }
  return false;
}

static bool is_served(Lowering *l, MlirValue source, MlirValue result) {
  const Memory *memory = memory_find(l, source);
  return memory && memory->space == TILE_SPACE_GLOBAL &&
         !is_asked_for_base(result) &&
         mlirShapedTypeGetRank(mlirValueGetType(result)) <= TILE_MAX_RANK;
}

static Memory *view_add(Lowering *l, MlirValue result, const Memory *source,
                        TileInt linear) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(result));
  MlirValue pointer =
      element_pointer(l, source->pointer, source->element, linear);
  Memory *memory = memory_add(l, result, TILE_SPACE_GLOBAL, element, pointer);
  memory->rank = (int)mlirShapedTypeGetRank(mlirValueGetType(result));
  return memory;
}

//===-- Views -------------------------------------------------------------===//

bool serves_subview(Lowering *l, MlirOperation op) {
  return is_served(l, memref_subview_source(memref_subview_cast(op)),
                   mlirOperationGetResult(op, 0));
}

// Which unit dimensions are dropped follows from the extents of the type. Where
// several choices fit, all name the same elements.
void lower_memref_subview(Lowering *l, MlirOperation op) {
  MemRefSubViewOp view = memref_subview_cast(op);
  MlirType type = mlirValueGetType(memref_subview_result(view));
  const Memory *source = memory_find(l, memref_subview_source(view));
  Mixed offsets = {memref_subview_static_offsets_attr(view),
                   memref_subview_offsets(view), 0};
  Mixed sizes = {memref_subview_static_sizes_attr(view),
                 memref_subview_sizes(view), 0};
  Mixed strides = {memref_subview_static_strides_attr(view),
                   memref_subview_strides(view), 0};
  TileInt linear = tile_int_constant(0), extent[TILE_MAX_RANK],
          stride[TILE_MAX_RANK];
  int rank = (int)mlirShapedTypeGetRank(type), kept = 0;
  for (int d = 0; d < source->rank; d++) {
    TileInt offset = extend(l, mixed_next(l, &offsets, d));
    TileInt size = extent_next(l, &sizes, d);
    TileInt step = extend(l, mixed_next(l, &strides, d));
    linear =
        tile_int_add(&l->i64, linear,
                     tile_int_mul_value(&l->i64, offset, source->stride[d]));
    bool is_unit = tile_int_is_constant(size) && size.constant == 1;
    if (kept == rank || (is_unit && mlirShapedTypeGetDimSize(type, kept) != 1))
      continue;
    extent[kept] = size;
    stride[kept++] = tile_int_mul_value(&l->i64, step, source->stride[d]);
  }
  Memory *memory = view_add(l, memref_subview_result(view), source, linear);
  memcpy(memory->extent, extent, sizeof extent);
  memcpy(memory->stride, stride, sizeof stride);
}

// Offsets count from where the memory begins, not from where the source does.
static MlirValue base_of(MemRefReinterpretCastOp view) {
  return tile_tensor_behind(memref_reinterpret_cast_source(view));
}

bool serves_reinterpret_cast(Lowering *l, MlirOperation op) {
  return is_served(l, base_of(memref_reinterpret_cast_cast(op)),
                   mlirOperationGetResult(op, 0));
}

void lower_memref_reinterpret_cast(Lowering *l, MlirOperation op) {
  MemRefReinterpretCastOp view = memref_reinterpret_cast_cast(op);
  const Memory *source = memory_find(l, base_of(view));
  Mixed offsets = {memref_reinterpret_cast_static_offsets_attr(view),
                   memref_reinterpret_cast_offsets(view), 0};
  Mixed sizes = {memref_reinterpret_cast_static_sizes_attr(view),
                 memref_reinterpret_cast_sizes(view), 0};
  Mixed strides = {memref_reinterpret_cast_static_strides_attr(view),
                   memref_reinterpret_cast_strides(view), 0};
  TileInt linear = extend(l, mixed_next(l, &offsets, 0));
  Memory *memory =
      view_add(l, memref_reinterpret_cast_result(view), source, linear);
  for (int d = 0; d < memory->rank; d++) {
    memory->extent[d] = extent_next(l, &sizes, d);
    memory->stride[d] = extend(l, mixed_next(l, &strides, d));
  }
}

bool serves_cast(Lowering *l, MlirOperation op) {
  return mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         is_served(l, mlirOperationGetOperand(op, 0),
                   mlirOperationGetResult(op, 0));
}

// The same tensor: its type says more, or less, of what is known.
void lower_memref_cast(Lowering *l, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  const Memory *source = memory_find(l, mlirOperationGetOperand(op, 0));
  MlirType type = mlirValueGetType(result);
  int64_t strides[TILE_MAX_RANK], offset;
  Memory *memory = view_add(l, result, source, tile_int_constant(0));
  mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  for (int d = 0; d < memory->rank; d++) {
    bool is_open = mlirShapedTypeIsDynamicDim(type, d);
    memory->extent[d] =
        is_open ? source->extent[d]
                : tile_int_constant(mlirShapedTypeGetDimSize(type, d));
    memory->stride[d] = mlirShapedTypeIsDynamicStrideOrOffset(strides[d])
                            ? source->stride[d]
                            : tile_int_constant(strides[d]);
  }
}

//===-- Addresses ---------------------------------------------------------===//

void lower_tile_tensor_at(Lowering *l, MlirOperation op) {
  TileTensorAtOp at = tile_tensor_at_cast(op);
  MlirType type = mlirValueGetType(tile_tensor_at_tensor(at));
  MlirValue pointer = llvm_inttoptr(&l->b, .type = type_pointer(l, 1),
                                    .arg = tile_tensor_at_address(at));
  Memory *memory = memory_add(l, tile_tensor_at_tensor(at), TILE_SPACE_GLOBAL,
                              mlirShapedTypeGetElementType(type), pointer);
  int64_t stride = 1;
  memory->rank = (int)mlirShapedTypeGetRank(type);
  for (int d = memory->rank - 1; d >= 0; d--) {
    memory->extent[d] = tile_int_constant(mlirShapedTypeGetDimSize(type, d));
    memory->stride[d] = tile_int_constant(stride);
    stride *= memory->extent[d].constant;
  }
}

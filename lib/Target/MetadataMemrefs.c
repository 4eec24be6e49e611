//===- MetadataMemrefs.c - Extents, strides and addresses on the host -----===//
//
// Consumes: memrefs of the host function.
// Produces: rows of the value table for their parts.
// Fails:    a memref that nobody has added; the op that made it is named.
//
// The launcher hands over the address of the first element of an argument. So
// its descriptor is (address, offset 0) when its type leaves the offset open,
// and (address - offset, offset) when it does not.
//
//===----------------------------------------------------------------------===//

#include "Target/Metadata.h"

#include "Dialect/Ops.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"

//===-- Memrefs that were added -------------------------------------------===//

static TileHostMemref *find(const TileSlice *slice, MlirValue memref) {
  return tile_pointer_map_get(&slice->memrefs, memref.ptr);
}

bool tile_slice_has_memref(const TileSlice *slice, MlirValue memref) {
  return tile_slice_arg(slice, memref) >= 0 || find(slice, memref);
}

TileHostMemref *tile_slice_add_memref(TileSlice *slice, MlirValue memref) {
  TileHostMemref *parts = TILE_ARENA_NEW(slice->arena, TileHostMemref, 1);
  tile_pointer_map_set(&slice->memrefs, memref.ptr, parts);
  return parts;
}

// What no op has made is an argument of a block in the function, of an op that
// is not understood.
static int fail(TileSlice *slice, MlirValue memref) {
  return tile_slice_fail(slice, mlirValueIsAOpResult(memref)
                                    ? mlirOpResultGetOwner(memref)
                                    : mlirBlockGetParentOperation(
                                          mlirBlockArgumentGetOwner(memref)));
}

//===-- Parts -------------------------------------------------------------===//

static bool get_layout(MlirValue memref, int64_t strides[TILE_HOST_MAX_RANK],
                       int64_t *out_offset) {
  MlirType type = mlirValueGetType(memref);
  return mlirShapedTypeGetRank(type) <= TILE_HOST_MAX_RANK &&
         mlirLogicalResultIsSuccess(
             mlirMemRefTypeGetStridesAndOffset(type, strides, out_offset));
}

int tile_slice_extent(TileSlice *slice, MlirValue memref, int dim) {
  MlirType type = mlirValueGetType(memref);
  if (!mlirShapedTypeIsDynamicDim(type, dim))
    return tile_slice_constant(slice, mlirShapedTypeGetDimSize(type, dim));
  int arg = tile_slice_arg(slice, memref);
  if (arg >= 0)
    return tile_slice_leaf(slice, "memref.dim", arg, dim);
  TileHostMemref *parts = find(slice, memref);
  return parts ? parts->sizes[dim] : fail(slice, memref);
}

int tile_slice_stride(TileSlice *slice, MlirValue memref, int dim) {
  int64_t strides[TILE_HOST_MAX_RANK] = {0};
  int64_t offset = 0;
  if (get_layout(memref, strides, &offset) &&
      !mlirShapedTypeIsDynamicStrideOrOffset(strides[dim]))
    return tile_slice_constant(slice, strides[dim]);
  int arg = tile_slice_arg(slice, memref);
  if (arg >= 0)
    return tile_slice_leaf(slice, "memref.stride", arg, dim);
  TileHostMemref *parts = find(slice, memref);
  return parts ? parts->strides[dim] : fail(slice, memref);
}

int tile_slice_offset(TileSlice *slice, MlirValue memref) {
  int64_t strides[TILE_HOST_MAX_RANK];
  int64_t offset = 0;
  if (!get_layout(memref, strides, &offset))
    return fail(slice, memref);
  if (!mlirShapedTypeIsDynamicStrideOrOffset(offset))
    return tile_slice_constant(slice, offset);
  if (tile_slice_arg(slice, memref) >= 0)
    return tile_slice_constant(slice, 0);
  TileHostMemref *parts = find(slice, memref);
  return parts ? parts->offset : fail(slice, memref);
}

static int64_t elem_bytes(MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  return tile_elem_bits(mlirShapedTypeGetElementType(type)) / 8;
}

int tile_slice_base(TileSlice *slice, MlirValue memref) {
  int64_t strides[TILE_HOST_MAX_RANK];
  int64_t offset = 0;
  int arg = tile_slice_arg(slice, memref);
  if (arg < 0) {
    TileHostMemref *parts = find(slice, memref);
    return parts ? parts->base : fail(slice, memref);
  }
  if (!get_layout(memref, strides, &offset))
    return fail(slice, memref);
  int address = tile_slice_leaf(slice, "memref.pointer", arg, -1);
  if (offset == 0 || mlirShapedTypeIsDynamicStrideOrOffset(offset))
    return address;
  return tile_slice_binary(
      slice, "arith.subi", address,
      tile_slice_constant(slice, offset * elem_bytes(memref)));
}

int tile_slice_pointer(TileSlice *slice, MlirValue memref) {
  int arg = tile_slice_arg(slice, memref);
  if (arg >= 0)
    return tile_slice_leaf(slice, "memref.pointer", arg, -1);
  int base = tile_slice_base(slice, memref);
  int offset = base < 0 ? -1 : tile_slice_offset(slice, memref);
  int64_t known;
  if (tile_slice_constant_is(slice, offset, &known)) {
    if (known == 0)
      return base;
    return tile_slice_binary(
        slice, "arith.addi", base,
        tile_slice_constant(slice, known * elem_bytes(memref)));
  }
  int bytes = tile_slice_binary(slice, "arith.muli", offset,
                                tile_slice_constant(slice, elem_bytes(memref)));
  return tile_slice_binary(slice, "arith.addi", base, bytes);
}

int tile_slice_contiguous(TileSlice *slice, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  int all = -1;
  int64_t inner = 1; // elements of the dimensions after `d`; -1: dynamic
  for (int d = (int)mlirShapedTypeGetRank(type) - 1; d >= 0; d--) {
    if (inner < 0) {
      int expected = tile_slice_binary(slice, "arith.muli",
                                       tile_slice_extent(slice, memref, d + 1),
                                       tile_slice_stride(slice, memref, d + 1));
      int is_equal = tile_slice_compare(
          slice, TILE_SLICE_EQ, tile_slice_stride(slice, memref, d), expected);
      all = all < 0 ? is_equal : tile_slice_and(slice, all, is_equal);
    }
    bool is_dynamic = mlirShapedTypeIsDynamicDim(type, d);
    inner = is_dynamic || inner < 0 ? -1
                                    : inner * mlirShapedTypeGetDimSize(type, d);
  }
  return all;
}

//===-- Types -------------------------------------------------------------===//

static bool is_in_global_memory(MlirType type) {
  TileSpace space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  return mlirTypeIsAMemRef(type) && space == TILE_SPACE_GLOBAL;
}

MlirLogicalResult tile_host_refuse_memref(MlirOperation op, MlirType type) {
  TileString text = {NULL, 0, 0};
  mlirTypePrint(type, tile_string_callback, &text);
  tile_emit_error(op,
                  "is of type %s; the host of a launch has memrefs in global "
                  "memory, of ranks from 0 to %d, whose elements have a dtype",
                  text.data, TILE_HOST_MAX_RANK);
  tile_string_deinit(&text);
  return tile_failure();
}

bool tile_host_memref_is(MlirType type) {
  return mlirTypeIsAMemRef(type) && is_in_global_memory(type) &&
         mlirShapedTypeGetRank(type) <= TILE_HOST_MAX_RANK &&
         tile_elem_info(mlirShapedTypeGetElementType(type));
}

const char *tile_host_dtype_of(MlirValue memref) {
  return tile_elem_info(mlirShapedTypeGetElementType(mlirValueGetType(memref)))
      ->name;
}

//===- CodedTypes.c - What becomes of memrefs of coded elements -----------===//

#include "CodedTypes.h"

#include "Support/Diagnostics.h"

static bool coded_element_is(MlirType element) {
  const TileDtypeInfo *info = tile_elem_info(element);
  return info && info->is_of_tiles &&
         (tile_dtype_info_is_packed(info) ||
          (info->kind == TILE_NUMBER_UNSIGNED && info->dtype != TILE_DTYPE_I1));
}

//===-- Types -------------------------------------------------------------===//

enum { MAX_RANK = 16 }; // of memrefs in global memory

// A number of elements along the last dimension as one of bytes.
static int64_t in_bytes(const CodedValue *coded, int64_t elems) {
  return elems / coded->pack * coded->pack_bytes;
}

static bool is_whole(const CodedValue *coded, int64_t elems) {
  return elems % coded->pack == 0;
}

static MlirLogicalResult fail_whole(const CodedValue *coded, const char *what,
                                    int64_t got) {
  return tile_emit_error(
      coded->op,
      "expects %s of elements of type %s to be a multiple of %d, which fill "
      "whole bytes, got %lld",
      what, coded->info->name, coded->pack, (long long)got);
}

static MlirLogicalResult strided_now(CodedValue *coded, MlirType was,
                                     MlirType element, int64_t rank,
                                     const int64_t *extent) {
  int64_t strides[MAX_RANK], offset = 0;
  MlirContext context = mlirTypeGetContext(was);
  if (tile_failed(mlirMemRefTypeGetStridesAndOffset(was, strides, &offset)))
    return tile_emit_error(coded->op, "expects strides of elements of type %s",
                           coded->info->name);
  for (int64_t d = 0; d < rank && coded_value_is_packed(coded); d++) {
    bool is_last = d + 1 == rank;
    if (mlirShapedTypeIsDynamicStrideOrOffset(strides[d]) && !is_last)
      continue;
    if (is_last ? strides[d] != 1 : !is_whole(coded, strides[d]))
      return is_last
                 ? tile_emit_error(coded->op,
                                   "expects elements of type %s beside each "
                                   "other in the last dimension",
                                   coded->info->name)
                 : fail_whole(coded, "a stride", strides[d]);
    if (!is_last)
      strides[d] = in_bytes(coded, strides[d]);
  }
  if (!mlirShapedTypeIsDynamicStrideOrOffset(offset)) {
    if (!is_whole(coded, offset))
      return fail_whole(coded, "the offset", offset);
    offset = in_bytes(coded, offset);
  }
  coded->now = mlirMemRefTypeGet(
      element, rank, extent,
      mlirStridedLayoutAttrGet(context, offset, rank, strides),
      mlirMemRefTypeGetMemorySpace(was));
  return tile_success();
}

static MlirLogicalResult type_now(CodedValue *coded) {
  MlirType was = mlirValueGetType(coded->value);
  MlirContext context = mlirTypeGetContext(was);
  MlirType element = // a byte where elements share some
      mlirIntegerTypeGet(context, 8 * (unsigned)coded->info->size_bytes);
  bool is_region = tile_region_type_is(was);
  int64_t rank =
      is_region ? tile_region_type_shape(was).n : mlirShapedTypeGetRank(was);
  int64_t extent[MAX_RANK];
  for (int64_t d = 0; d < rank; d++)
    extent[d] = is_region ? tile_region_type_shape(was).p[d]
                          : mlirShapedTypeGetDimSize(was, d);
  if (rank > 0 && !mlirShapedTypeIsDynamicSize(extent[rank - 1])) {
    if (!is_whole(coded, extent[rank - 1]))
      return fail_whole(coded, "the last extent", extent[rank - 1]);
    extent[rank - 1] = in_bytes(coded, extent[rank - 1]);
  }
  if (is_region)
    coded->now = tile_region_type(context, (TileI64s){extent, rank}, element,
                                  tile_region_type_memorySpace(was));
  else if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(was)))
    coded->now = mlirMemRefTypeContiguousGet(element, rank, extent,
                                             mlirMemRefTypeGetMemorySpace(was));
  else
    return strided_now(coded, was, element, rank, extent);
  return tile_success();
}

bool coded_value_get(MlirValue value, MlirOperation op, CodedValue *out,
                     MlirLogicalResult *out_result) {
  *out = (CodedValue){.value = value, .op = op, .pack = 1, .pack_bytes = 1};
  if (!tile_shape_of(value, &out->was) || !coded_element_is(out->was.element))
    return false;
  out->info = tile_elem_info(out->was.element);
  bool is_apart = out->was.space == TILE_SPACE_FRAGMENT ||
                  out->was.space == TILE_SPACE_PRIVATE;
  if (!is_apart) {
    out->pack = tile_dtype_info_pack(out->info);
    out->pack_bytes = tile_dtype_info_pack_bytes(out->info);
  }
  if (!is_apart && coded_value_is_packed(out) && out->was.rank == 0) {
    *out_result = fail_whole(out, "the number", 1);
    return true;
  }
  *out_result = type_now(out);
  return true;
}

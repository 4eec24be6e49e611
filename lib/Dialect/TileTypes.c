//===- TileTypes.c - Shapes, spaces and element types of tiles ------------===//

#include "Ops.h"

#include <inttypes.h>
#include <math.h>

//===-- Element types -----------------------------------------------------===//

// What tells a float of MLIR; null: MLIR has no such type.
static bool (*const float_is[TILE_NUM_DTYPES])(MlirType) = {
    [TILE_DTYPE_F16] = mlirTypeIsAF16,
    [TILE_DTYPE_BF16] = mlirTypeIsABF16,
    [TILE_DTYPE_F32] = mlirTypeIsAF32,
    [TILE_DTYPE_F64] = mlirTypeIsAF64,
    [TILE_DTYPE_F8E4M3FN] = mlirTypeIsAFloat8E4M3FN,
    [TILE_DTYPE_F8E5M2] = mlirTypeIsAFloat8E5M2,
    [TILE_DTYPE_F8E8M0FNU] = mlirTypeIsAFloat8E8M0FNU,
    [TILE_DTYPE_F6E3M2FN] = mlirTypeIsAFloat6E3M2FN,
    [TILE_DTYPE_F6E2M3FN] = mlirTypeIsAFloat6E2M3FN,
    [TILE_DTYPE_F4E2M1FN] = mlirTypeIsAFloat4E2M1FN,
};

static bool is_of_type(const TileDtypeInfo *info, MlirType type) {
  if (info->dtype == TILE_DTYPE_INDEX)
    return mlirTypeIsAIndex(type);
  if (tile_dtype_info_is_float(info))
    return float_is[info->dtype] && float_is[info->dtype](type);
  return info->name[0] == 'i' ? mlirIntegerTypeIsSignless(type)
                              : mlirIntegerTypeIsUnsigned(type);
}

static const TileDtypeInfo *complex_info(MlirType type) {
  MlirType part = mlirComplexTypeGetElementType(type);
  if (mlirTypeIsAF32(part))
    return tile_dtype_info(TILE_DTYPE_COMPLEX_F32);
  return mlirTypeIsAF64(part) ? tile_dtype_info(TILE_DTYPE_COMPLEX_F64) : NULL;
}

const TileDtypeInfo *tile_elem_info(MlirType element) {
  if (mlirTypeIsAComplex(element))
    return complex_info(element);
  bool is_integer = mlirTypeIsAInteger(element);
  int bits = is_integer ? (int)mlirIntegerTypeGetWidth(element)
             : mlirTypeIsAFloat(element)
                 ? (int)mlirFloatTypeGetWidth(element)
                 : tile_dtype_info(TILE_DTYPE_INDEX)->bits;
  for (int i = 0; i <= TILE_DTYPE_INDEX; i++) {
    const TileDtypeInfo *info = tile_dtype_info((TileDtype)i);
    bool is_of_kind = is_integer == (!tile_dtype_info_is_float(info) &&
                                     info->dtype != TILE_DTYPE_INDEX);
    if (is_of_kind && info->bits == bits && is_of_type(info, element))
      return info;
  }
  return NULL;
}

int tile_elem_bits(MlirType element) {
  const TileDtypeInfo *info = tile_elem_info(element);
  bool is_element = info && info->dtype != TILE_DTYPE_INDEX;
  return is_element ? 8 * info->size_bytes : 0;
}

bool tile_elem_is_float(MlirType element) { return mlirTypeIsAFloat(element); }

int tile_word_num_elems(MlirType word, MlirType element) {
  int bits = (int)mlirIntegerTypeGetWidth(word), count = 1;
  while (2 * count * tile_elem_info(element)->bits <= bits)
    count *= 2;
  return count;
}

bool tile_value_is_zero_bits(MlirValue value) {
  MlirAttribute attr;
  if (!mlirxConstantAttr(value, &attr))
    return false;
  if (!mlirAttributeIsAFloat(attr))
    return mlirAttributeIsAInteger(attr) &&
           mlirIntegerAttrGetValueInt(attr) == 0;
  double number = mlirFloatAttrGetValueDouble(attr);
  return number == 0.0 && !signbit(number);
}

MlirType tile_accumulator_type(MlirType a, MlirType b) {
  MlirContext context = mlirTypeGetContext(a);
  bool is_wide = tile_elem_bits(a) == 64 || tile_elem_bits(b) == 64;
  if (!tile_elem_is_float(a))
    return mlirIntegerTypeGet(context, is_wide ? 64 : 32);
  return is_wide ? mlirF64TypeGet(context) : mlirF32TypeGet(context);
}

//===-- Memory spaces -----------------------------------------------------===//

static const char *const space_text[] = {
    [TILE_SPACE_GLOBAL] = "",
    [TILE_SPACE_SHARED] = "#gpu.address_space<workgroup>",
    [TILE_SPACE_FRAGMENT] = "#tile.fragment",
    [TILE_SPACE_PRIVATE] = "#gpu.address_space<private>",
    [TILE_SPACE_CLUSTER] = "#tile.cluster",
    [TILE_SPACE_OTHER] = "",
};

MlirAttribute tile_space_attr(MlirContext context, TileSpace space) {
  if (!space_text[space][0])
    return mlirAttributeGetNull();
  return mlirAttributeParseGet(context, tile_str(space_text[space]));
}

// Asked of every type of every access, so nothing is parsed.
TileSpace tile_space_of_attr(MlirAttribute memory_space) {
  enum { GPU_GLOBAL = 1, GPU_WORKGROUP, GPU_PRIVATE };
  if (mlirAttributeIsNull(memory_space))
    return TILE_SPACE_GLOBAL;
  if (tile_fragment_attr_is(memory_space))
    return TILE_SPACE_FRAGMENT;
  if (tile_cluster_attr_is(memory_space))
    return TILE_SPACE_CLUSTER;
  switch (mlirxGpuAddressSpace(memory_space)) {
  case GPU_GLOBAL:
    return TILE_SPACE_GLOBAL;
  case GPU_WORKGROUP:
    return TILE_SPACE_SHARED;
  case GPU_PRIVATE:
    return TILE_SPACE_PRIVATE;
  default:
    return TILE_SPACE_OTHER;
  }
}

const char *tile_space_name(TileSpace space) {
  switch (space) {
  case TILE_SPACE_GLOBAL:
    return "global memory";
  case TILE_SPACE_SHARED:
    return "shared memory";
  case TILE_SPACE_FRAGMENT:
    return "a fragment";
  case TILE_SPACE_PRIVATE:
    return "private memory";
  case TILE_SPACE_CLUSTER:
    return "memory of the cluster";
  case TILE_SPACE_OTHER:
    break;
  }
  return "an unknown memory space";
}

//===-- Shapes ------------------------------------------------------------===//

static bool shape_of_region(MlirType type, TileShape *out) {
  TileI64s extents = tile_region_type_shape(type);
  if (extents.n > TILE_MAX_RANK)
    return false;
  out->rank = (int)extents.n;
  for (int d = 0; d < out->rank; d++)
    out->extent[d] = extents.p[d];
  out->element = tile_region_type_elementType(type);
  out->space = tile_space_of_attr(tile_region_type_memorySpace(type));
  return true;
}

bool tile_shape_get(MlirType type, TileShape *out_shape) {
  if (tile_region_type_is(type))
    return shape_of_region(type, out_shape);
  if (!mlirTypeIsAMemRef(type))
    return false;
  int64_t rank = mlirShapedTypeGetRank(type);
  if (rank > TILE_MAX_RANK)
    return false;
  out_shape->rank = (int)rank;
  for (int d = 0; d < out_shape->rank; d++) {
    int64_t extent = mlirShapedTypeGetDimSize(type, d);
    out_shape->extent[d] = mlirShapedTypeIsDynamicSize(extent) ? -1 : extent;
  }
  out_shape->element = mlirShapedTypeGetElementType(type);
  out_shape->space = tile_space_of_attr(mlirMemRefTypeGetMemorySpace(type));
  return true;
}

bool tile_shape_is_static(const TileShape *shape) {
  for (int d = 0; d < shape->rank; d++)
    if (shape->extent[d] < 0)
      return false;
  return true;
}

bool tile_shape_equal_extents(const TileShape *a, const TileShape *b) {
  if (a->rank != b->rank)
    return false;
  for (int d = 0; d < a->rank; d++)
    if (a->extent[d] != b->extent[d])
      return false;
  return true;
}

int64_t tile_shape_num_elems(const TileShape *shape) {
  int64_t product = 1;
  for (int d = 0; d < shape->rank; d++)
    product *= shape->extent[d];
  return product;
}

typedef struct {
  char *text;
  size_t length, capacity;
} Text;

static void text_append(MlirStringRef piece, void *user_data) {
  Text *out = user_data;
  for (size_t i = 0; i < piece.length && out->length + 1 < out->capacity; i++)
    out->text[out->length++] = piece.data[i];
  out->text[out->length] = '\0';
}

void tile_shape_print(const TileShape *shape, char *out, size_t capacity) {
  Text text = {out, 0, capacity};
  out[0] = '\0';
  for (int d = 0; d < shape->rank; d++) {
    char extent[24];
    if (shape->extent[d] < 0)
      snprintf(extent, sizeof extent, "?x");
    else
      snprintf(extent, sizeof extent, "%" PRId64 "x", shape->extent[d]);
    text_append(tile_str(extent), &text);
  }
  mlirTypePrint(shape->element, text_append, &text);
}

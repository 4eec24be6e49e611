//===- Vectors.c - Vectors as registers -----------------------------------===//
//
// Vectors of nvgpu are not SSA values any more: Parts hold their 32-bit words.
// Elements of 32 bits are words as they are; smaller ones are packed, the first
// in the low bits, as ldmatrix and mma.sync have them (PTX ISA, matrix
// fragments).
//
//===----------------------------------------------------------------------===//

#include "Conversion/ToNVVM/LoweredOps.h"
#include "Memories.h"

#include "Support/Constants.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/vector.h"

enum { MAX_VECTOR_BITS = MAX_PARTS * WORD_BITS };

//===-- The table ---------------------------------------------------------===//

static Parts *parts_new(Lowering *l, MlirValue key, int count,
                        const MlirValue *part) {
  assert(count <= MAX_PARTS);
  Parts *parts = TILE_ARENA_NEW(l->arena, Parts, 1);
  parts->key = key;
  parts->count = count;
  memcpy(parts->part, part, (size_t)count * sizeof *part);
  return parts;
}

Parts *parts_add(Lowering *l, MlirValue key, int count, const MlirValue *part) {
  Parts *parts = parts_new(l, key, count, part);
  parts->next = l->parts;
  l->parts = parts;
  return parts;
}

Parts *parts_find(Lowering *l, MlirValue key) {
  for (Parts *parts = l->parts; parts; parts = parts->next)
    if (mlirValueEqual(parts->key, key))
      return parts;
  return NULL;
}

//===-- Words -------------------------------------------------------------===//

static int64_t num_elems(MlirValue vector) {
  MlirType type = mlirValueGetType(vector);
  int64_t count = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    count *= mlirShapedTypeGetDimSize(type, d);
  return count;
}

static MlirValue word_of(Lowering *l, const MlirValue *elems,
                         MlirType element) {
  int64_t count = elems_per_word(element);
  return count == 1 ? elems[0] : bits_join(l, elems, element, count);
}

bool vector_fits_parts(MlirValue vector) {
  MlirType type = mlirValueGetType(vector);
  int bits =
      mlirTypeIsAVector(type) ? tile_elem_bits(vector_element(vector)) : 0;
  return bits > 0 && bits <= WORD_BITS &&
         num_elems(vector) * bits <= MAX_VECTOR_BITS &&
         num_elems(vector) * bits % WORD_BITS == 0;
}

// Whether the vector is one that these lowerings hold; reports it otherwise.
static bool has_parts(Lowering *l, MlirOperation op, MlirValue vector) {
  if (vector_fits_parts(vector))
    return true;
  lower_fail(l, op, "has no lowering to nvvm");
  return false;
}

// Words of a value that is one: they stand before the op that wants them, which
// need not dominate others.

// Folding makes constants of vectors whose elements are.
static Parts *constant_parts(Lowering *l, MlirOperation op, MlirValue vector) {
  MlirAttribute value;
  if (!mlirxConstantAttr(vector, &value) ||
      !mlirAttributeIsADenseElements(value) ||
      !mlirDenseElementsAttrIsSplat(value) || !has_parts(l, op, vector))
    return NULL;
  MlirType element = vector_element(vector);
  MlirValue part[MAX_PARTS], elems[WORD_BITS / 8];
  MlirValue splat =
      arith_constant(&l->b, mlirDenseElementsAttrGetSplatValue(value));
  int64_t per_word = elems_per_word(element);
  int count = (int)(num_elems(vector) / per_word);
  for (int64_t i = 0; i < per_word; i++)
    elems[i] = splat;
  for (int i = 0; i < count; i++)
    part[i] = word_of(l, elems, element);
  return parts_new(l, vector, count, part);
}

// Of a value that an op of another dialect made.
static Parts *value_parts(Lowering *l, MlirOperation op, MlirValue vector) {
  enum { MAX_ELEMS = MAX_PARTS * WORD_BITS / 8 };
  if (!has_parts(l, op, vector))
    return NULL;
  MlirType type = mlirValueGetType(vector), element = vector_element(vector);
  int64_t per_word = elems_per_word(element), count = num_elems(vector);
  MlirValue part[MAX_PARTS], elems[MAX_ELEMS];
  for (int64_t i = 0; i < count; i++) {
    int64_t position[TILE_MAX_RANK], rest = i;
    intptr_t rank = mlirShapedTypeGetRank(type);
    for (intptr_t d = rank - 1; d >= 0; d--) {
      position[d] = rest % mlirShapedTypeGetDimSize(type, d);
      rest /= mlirShapedTypeGetDimSize(type, d);
    }
    MlirValue value = vector_extract(&l->b, .source = vector,
                                     .static_position = {position, rank});
    elems[i] = element_stored(l, value, element);
  }
  for (int64_t i = 0; i < count / per_word; i++)
    part[i] = word_of(l, &elems[i * per_word], element);
  return parts_new(l, vector, (int)(count / per_word), part);
}

// The words of an operand; null after an error.
Parts *vector_parts(Lowering *l, MlirOperation op, MlirValue vector) {
  Parts *parts = parts_find(l, vector);
  if (!parts)
    parts = constant_parts(l, op, vector);
  if (!parts && !mlirLogicalResultIsFailure(l->result))
    parts = value_parts(l, op, vector);
  return parts;
}

//===-- Ops of packed words -----------------------------------------------===//

// What is made of scalars is packed where it fits: products and stores want it
// so, others get it back.
static bool extracts_element(MlirOperation op) {
  VectorExtractOp extract = vector_extract_cast(op);
  MlirType type = mlirValueGetType(vector_extract_source(extract));
  return vector_extract_static_position_size(extract) ==
             mlirShapedTypeGetRank(type) &&
         vector_extract_dynamic_position(extract).n == 0;
}

// Whole rows of one word each.
static bool extracts_words(MlirOperation op) {
  VectorExtractStridedSliceOp slice = vector_extract_strided_slice_cast(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType source =
      mlirValueGetType(vector_extract_strided_slice_source(slice));
  int64_t per_word = elems_per_word(mlirShapedTypeGetElementType(source));
  return mlirShapedTypeGetRank(type) == 2 &&
         mlirShapedTypeGetDimSize(source, 1) == per_word &&
         mlirShapedTypeGetDimSize(type, 1) == per_word;
}

bool serves_vector(Lowering *l, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirValue source = mlirOperationGetOperand(op, 0);
  if (vector_from_elements_is(op))
    return vector_fits_parts(result);
  if (!parts_find(l, source))
    return false;
  if (vector_extract_is(op))
    return extracts_element(op);
  if (!vector_fits_parts(result))
    return false;
  if (vector_extract_strided_slice_is(op))
    return extracts_words(op);
  // Of elements to others of as many bits.
  return elems_per_word(vector_element(source)) ==
         elems_per_word(vector_element(result));
}

void lower_vector_from_elements(Lowering *l, MlirOperation op) {
  MlirValue vector = mlirOperationGetResult(op, 0);
  TileRange range =
      vector_from_elements_elements(vector_from_elements_cast(op));
  MlirType element = vector_element(vector);
  int64_t per_word = elems_per_word(element);
  MlirValue part[MAX_PARTS], elems[WORD_BITS / 8];
  int count = (int)(range.n / per_word);
  for (int i = 0; i < count; i++) {
    for (int64_t j = 0; j < per_word; j++)
      elems[j] = element_stored(
          l, tile_range_at(range, (intptr_t)(i * per_word + j)), element);
    part[i] = word_of(l, elems, element);
  }
  parts_add(l, vector, count, part);
}

// One element, at constant positions.
void lower_vector_extract(Lowering *l, MlirOperation op) {
  VectorExtractOp extract = vector_extract_cast(op);
  MlirValue source = vector_extract_source(extract);
  MlirType type = mlirValueGetType(source);
  int64_t linear = 0;
  Parts *parts = parts_find(l, source);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    linear = linear * mlirShapedTypeGetDimSize(type, d) +
             vector_extract_static_position(extract, d);
  MlirType element = vector_element(source);
  int64_t per_word = elems_per_word(element);
  MlirValue elems[WORD_BITS / 8];
  elems[0] = parts->part[linear / per_word];
  if (per_word > 1)
    bits_split(l, elems[0], element, per_word, elems);
  mlirRewriterBaseReplaceAllUsesWith(
      l->b.rw, mlirOperationGetResult(op, 0),
      element_loaded(l, elems[linear % per_word], element));
}

void lower_vector_extract_strided_slice(Lowering *l, MlirOperation op) {
  VectorExtractStridedSliceOp slice = vector_extract_strided_slice_cast(op);
  MlirValue vector = mlirOperationGetResult(op, 0);
  MlirValue source = vector_extract_strided_slice_source(slice);
  Parts *parts = parts_find(l, source);
  int64_t per_word = elems_per_word(vector_element(source));
  MlirAttribute offsets = vector_extract_strided_slice_offsets_attr(slice);
  int64_t first =
      mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(offsets, 0));
  parts_add(l, vector, (int)(num_elems(vector) / per_word),
            parts->part + first);
}

// The words are the same.
void lower_vector_bitcast(Lowering *l, MlirOperation op) {
  Parts *parts = parts_find(l, vector_bitcast_source(vector_bitcast_cast(op)));
  parts_add(l, mlirOperationGetResult(op, 0), parts->count, parts->part);
}

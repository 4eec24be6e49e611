//===- NestBuild.h - Builders of linalg ops on tensors --------------------===//
#ifndef TILE_TRANSFORMS_NEST_BUILD_H
#define TILE_TRANSFORMS_NEST_BUILD_H

#include "Dialect/ForeignOps.h"
#include "Support/Constants.h"
#include "Tile/Ops/arith.h"
#include "Transforms/Schedules/Schedules.h"
#include "mlir-c/Dialect/Linalg.h"

//===-- Small ops ---------------------------------------------------------===//

// An op with one result, or none for a null type.
static inline MlirOperation make(TileBuilder *b, const char *name,
                                 TileValues operands, MlirType type,
                                 const char *const *unit_attrs) {
  TileState s;
  tile_ods_begin(&s, b, name);
  tile_ods_operands(&s, operands);
  tile_ods_type_opt(&s, type);
  for (int i = 0; i < 2 && unit_attrs && unit_attrs[i]; i++)
    tile_ods_put_unit(&s, unit_attrs[i], true);
  return tile_ods_end(&s, b);
}

static inline MlirValue result_of(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

static inline MlirType element_of(MlirValue value) {
  return mlirShapedTypeGetElementType(mlirValueGetType(value));
}

static inline MlirType tensor_type(MlirType like, MlirType element) {
  int64_t shape[TILE_NEST_MAX_LOOPS];
  intptr_t rank = mlirShapedTypeGetRank(like);
  for (intptr_t d = 0; d < rank; d++)
    shape[d] = mlirShapedTypeGetDimSize(like, d);
  return mlirRankedTensorTypeGet(rank, shape, element, (MlirAttribute){NULL});
}

// The reassociation of a tensor whose dimension d becomes `count[d]` ones.
static inline MlirAttribute reassociation(MlirContext context, const int *count,
                                          int rank) {
  MlirAttribute groups[TILE_NEST_MAX_LOOPS], dims[TILE_NEST_MAX_LOOPS];
  int next = 0;
  for (int d = 0; d < rank; d++) {
    for (int i = 0; i < count[d]; i++)
      dims[i] = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), next++);
    groups[d] = mlirArrayAttrGet(context, count[d], dims);
  }
  return mlirArrayAttrGet(context, rank, groups);
}

// As a type with other dimensions: of groups of `count`, those of the larger
// rank, each of the smaller one.
static inline MlirValue reshape_to(TileBuilder *b, const char *name,
                                   MlirValue value, MlirType type,
                                   const int *count, int num_groups) {
  MlirContext context = tile_builder_context(b);
  int64_t shape[TILE_NEST_MAX_LOOPS];
  intptr_t rank = mlirShapedTypeGetRank(type);
  TileState s;
  tile_ods_begin(&s, b, name);
  tile_ods_operand(&s, value);
  tile_ods_type(&s, type);
  tile_ods_put(&s, "reassociation", reassociation(context, count, num_groups));
  for (intptr_t d = 0; d < rank; d++)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  if (rank > num_groups)
    tile_ods_put(&s, "static_output_shape",
                 mlirDenseI64ArrayGet(context, rank, shape));
  return result_of(tile_ods_end(&s, b));
}

//===-- Extents -----------------------------------------------------------===//

static inline bool is_structured(MlirOperation op) {
  return !mlirAttributeIsNull(mlirLinalgGetIndexingMapsAttribute(op));
}

// The number of a dynamic extent, from where the tensor comes from, so that
// nothing uses what a kernel makes but the next one.
static inline MlirValue extent_of(TileBuilder *b, MlirValue tensor,
                                  int64_t dim) {
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  while (!mlirValueIsABlockArgument(tensor)) {
    MlirOperation op = mlirOpResultGetOwner(tensor);
    if (tile_op_name_begins(op, "tensor.empty")) {
      intptr_t number = 0;
      for (int64_t d = 0; d < dim; d++)
        number += mlirShapedTypeIsDynamicDim(mlirValueGetType(tensor), d);
      return mlirOperationGetOperand(op, number);
    }
    if (!is_structured(op))
      break;
    intptr_t result = mlirOpResultGetResultNumber(tensor);
    tensor = mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) -
                                             mlirOperationGetNumResults(op) +
                                             result);
  }
  return result_of(make(b, "tensor.dim",
                        TILE_VALUES(tensor, tile_const_index(b, dim)), index,
                        NULL));
}

//===-- linalg.generic ----------------------------------------------------===//

static inline MlirAttribute iterator_types(MlirContext context,
                                           const TileNest *nest) {
  MlirAttribute types[TILE_NEST_MAX_LOOPS];
  for (int l = 0; l < nest->num_loops; l++)
    types[l] = mlirAttributeParseGet(
        context, nest->is_reduced[l]
                     ? TILE_STR("#linalg.iterator_type<reduction>")
                     : TILE_STR("#linalg.iterator_type<parallel>"));
  return mlirArrayAttrGet(context, nest->num_loops, types);
}

static inline MlirRegion body_begin(TileBuilder *b, TileValues operands,
                                    MlirValue *out_args) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < operands.n; i++)
    out_args[i] =
        mlirBlockAddArgument(block, element_of(operands.p[i]), b->loc);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  mlirRewriterBaseSetInsertionPointToEnd(b->rw, block);
  return region;
}

// In a body: the number of the iteration along a loop.
static inline MlirValue index_at(TileBuilder *b, intptr_t dim) {
  MlirContext context = tile_builder_context(b);
  TileState s;
  tile_ods_begin(&s, b, "linalg.index");
  tile_ods_type(&s, mlirIndexTypeGet(context));
  tile_ods_put(&s, "dim",
               mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), dim));
  return result_of(tile_ods_end(&s, b));
}

// The last operand is what is written.
static inline MlirValue generic(TileBuilder *b, TileValues operands,
                                MlirAttribute maps, MlirAttribute iterators,
                                MlirRegion body) {
  TileState s;
  tile_ods_begin(&s, b, "linalg.generic");
  tile_ods_operands(&s, operands);
  tile_ods_type(&s, mlirValueGetType(operands.p[operands.n - 1]));
  tile_ods_put(&s, "indexing_maps", maps);
  tile_ods_put(&s, "iterator_types", iterators);
  const int32_t sizes[] = {(int32_t)operands.n - 1, 1};
  tile_ods_segments(&s, b, "operandSegmentSizes", sizes, 2);
  tile_ods_region(&s, body);
  return result_of(tile_ods_end(&s, b));
}

static inline MlirValue fill(TileBuilder *b, MlirValue value,
                             MlirValue tensor) {
  TileState s;
  tile_ods_begin(&s, b, "linalg.fill");
  tile_ods_operand(&s, value);
  tile_ods_operand(&s, tensor);
  tile_ods_type(&s, mlirValueGetType(tensor));
  const int32_t sizes[] = {1, 1};
  tile_ods_segments(&s, b, "operandSegmentSizes", sizes, 2);
  tile_ods_region(&s, mlirRegionCreate());
  MlirOperation op = tile_ods_end(&s, b);
  mlirLinalgFillBuiltinNamedOpRegion(op);
  return result_of(op);
}

// An element of a float type as one of another.
static inline MlirValue cast_float(TileBuilder *b, MlirValue value,
                                   MlirType to) {
  unsigned from = mlirFloatTypeGetWidth(mlirValueGetType(value));
  unsigned want = mlirFloatTypeGetWidth(to);
  if (from == want)
    return value;
  return from < want ? arith_extf(b, .type = to, .in = value)
                     : arith_truncf(b, .type = to, .in = value);
}

//===-- Copies with another element type
//------------------------------------===//

// An empty tensor of the shape of another.
static inline MlirValue empty_like(TileBuilder *b, MlirValue like,
                                   MlirType element) {
  MlirType type = mlirValueGetType(like);
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  intptr_t count = 0;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    if (mlirShapedTypeIsDynamicDim(type, d))
      sizes[count++] = extent_of(b, like, d);
  return result_of(make(b, "tensor.empty", (TileValues){sizes, count},
                        tensor_type(type, element), NULL));
}

// A loop that converts every element.
static inline MlirValue converted(TileBuilder *b, MlirValue value,
                                  MlirType element) {
  MlirContext context = tile_builder_context(b);
  int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(value));
  TileValues operands = TILE_VALUES(value, empty_like(b, value, element));
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, rank));
  MlirAttribute maps[] = {map, map};
  TileNest nest = {.num_loops = rank};
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue args[2];
  MlirRegion body = body_begin(&inner, operands, args);
  make(&inner, "linalg.yield",
       TILE_VALUES(cast_float(&inner, args[0], element)), (MlirType){NULL},
       NULL);
  mlirIRRewriterDestroy(inner.rw);
  return generic(b, operands, mlirArrayAttrGet(context, 2, maps),
                 iterator_types(context, &nest), body);
}

#endif // TILE_TRANSFORMS_NEST_BUILD_H

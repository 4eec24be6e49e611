//===- RaiseTensors.c - Ops on tensors that no upstream pattern lowers ----===//
//
// Consumes: functions of a graph, before the script `prepare`.
// Produces: fills of splats, collapsed and expanded shapes of reshapes, and
//           loops that gather for packs whose tiles have extents of run time;
//           what the function asserts is required of a call.
// Keeps:    what upstream lowers, and reshapes to extents that lie in memory.
// Fails:    never.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/NestBuild.h"

#include "Support/Iterate.h"
#include "Tile/Ops/func.h"
#include "Tile/Ops/tile.h"
#include "mlir-c/AffineExpr.h"
#include <stdio.h>

static MlirValue operand_of(MlirOperation op, intptr_t number) {
  return mlirOperationGetOperand(op, number);
}

static void replace(TileBuilder *b, MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(result_of(op), value);
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Splats ------------------------------------------------------------===//

static void raise_splat(TileBuilder *b, MlirOperation op) {
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  intptr_t count = mlirOperationGetNumOperands(op) - 1;
  if (count > TILE_NEST_MAX_LOOPS)
    return;
  for (intptr_t i = 0; i < count; i++)
    sizes[i] = operand_of(op, 1 + i);
  MlirValue empty =
      result_of(make(b, "tensor.empty", (TileValues){sizes, count},
                     mlirValueGetType(result_of(op)), NULL));
  replace(b, op, fill(b, operand_of(op, 0), empty));
}

//===-- Reshapes ----------------------------------------------------------===//

// One group of all dimensions.
static MlirAttribute all_dims(MlirContext context, intptr_t rank) {
  MlirAttribute dims[TILE_NEST_MAX_LOOPS];
  for (intptr_t d = 0; d < rank; d++)
    dims[d] = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), d);
  MlirAttribute group = mlirArrayAttrGet(context, rank, dims);
  return mlirArrayAttrGet(context, rank ? 1 : 0, &group);
}

// The extents of the result that only the host knows; false where they are not
// known as values.
static bool dynamic_sizes(TileBuilder *b, MlirOperation op, MlirValue *sizes,
                          intptr_t *out_count) {
  MlirType type = mlirValueGetType(result_of(op));
  MlirValue shape = operand_of(op, 1);
  MlirType index = mlirIndexTypeGet(tile_builder_context(b));
  *out_count = 0;
  if (mlirShapedTypeHasStaticShape(type))
    return true;
  if (mlirValueIsABlockArgument(shape) ||
      !tile_op_name_begins(mlirOpResultGetOwner(shape), "tensor.from_elements"))
    return false;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++) {
    if (!mlirShapedTypeIsDynamicDim(type, d))
      continue;
    MlirValue size = operand_of(mlirOpResultGetOwner(shape), d);
    if (!mlirTypeIsAIndex(mlirValueGetType(size)))
      size = arith_index_cast(b, .type = index, .in = size);
    sizes[(*out_count)++] = size;
  }
  return true;
}

static MlirValue collapse_all(TileBuilder *b, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  intptr_t rank = mlirShapedTypeGetRank(type);
  bool is_static = mlirShapedTypeHasStaticShape(type);
  int64_t extent = is_static ? 1 : mlirShapedTypeGetDynamicSize();
  TileState s;
  if (rank == 1)
    return value;
  for (intptr_t d = 0; is_static && d < rank; d++)
    extent *= mlirShapedTypeGetDimSize(type, d);
  tile_ods_begin(&s, b, rank ? "tensor.collapse_shape" : "tensor.expand_shape");
  tile_ods_operand(&s, value);
  tile_ods_type(&s, mlirRankedTensorTypeGet(1, &extent, element_of(value),
                                            (MlirAttribute){NULL}));
  tile_ods_put(&s, "reassociation", all_dims(tile_builder_context(b), rank));
  if (!rank)
    tile_ods_put(&s, "static_output_shape",
                 mlirDenseI64ArrayGet(tile_builder_context(b), 1, &extent));
  return result_of(tile_ods_end(&s, b));
}

static void raise_reshape(TileBuilder *b, MlirOperation op) {
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  MlirContext context = tile_builder_context(b);
  MlirType type = mlirValueGetType(result_of(op));
  int64_t shape[TILE_NEST_MAX_LOOPS];
  intptr_t rank = mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetRank(type)
                                                : TILE_NEST_MAX_LOOPS + 1;
  intptr_t count;
  if (rank > TILE_NEST_MAX_LOOPS ||
      !mlirTypeIsARankedTensor(mlirValueGetType(operand_of(op, 0))) ||
      !dynamic_sizes(b, op, sizes, &count))
    return;
  MlirValue flat = collapse_all(b, operand_of(op, 0));
  if (rank == 1 && mlirTypeEqual(mlirValueGetType(flat), type)) {
    replace(b, op, flat);
    return;
  }
  for (intptr_t d = 0; d < rank; d++)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  TileState s;
  tile_ods_begin(&s, b,
                 rank == 1 ? "tensor.cast"
                 : rank    ? "tensor.expand_shape"
                           : "tensor.collapse_shape");
  tile_ods_operand(&s, flat);
  if (rank > 1)
    tile_ods_operands(&s, (TileValues){sizes, count});
  tile_ods_type(&s, type);
  if (rank != 1)
    tile_ods_put(&s, "reassociation", all_dims(context, rank));
  if (rank > 1)
    tile_ods_put(&s, "static_output_shape",
                 mlirDenseI64ArrayGet(context, rank, shape));
  replace(b, op, result_of(tile_ods_end(&s, b)));
}

//===-- Packs -------------------------------------------------------------===//

/// A pack whose tiles have extents of run time.
typedef struct {
  MlirOperation op;
  MlirValue source, pad, destination; // pad: null where there is none
  int rank, num_tiles;                // dimensions of the source
  int outer[TILE_NEST_MAX_LOOPS];     // of the source, per outer dimension
  int inner[TILE_NEST_MAX_LOOPS];     // of the source, per inner dimension
  MlirValue tile[TILE_NEST_MAX_LOOPS];
} Pack;

static int64_t array_at(MlirOperation op, const char *name, intptr_t i,
                        int64_t otherwise) {
  MlirAttribute array =
      mlirOperationGetInherentAttributeByName(op, tile_str(name));
  return mlirAttributeIsNull(array) || i >= mlirDenseArrayGetNumElements(array)
             ? otherwise
             : mlirDenseI64ArrayGetElement(array, i);
}

// Only packs of tensors with a tile whose extent is a value.
static bool read_pack(TileBuilder *b, MlirOperation op, Pack *out) {
  MlirAttribute tiles = mlirOperationGetInherentAttributeByName(
      op, TILE_STR("static_inner_tiles"));
  MlirValue destination = operand_of(op, 1);
  int all = (int)mlirShapedTypeGetRank(mlirValueGetType(destination));
  intptr_t num_operands = mlirOperationGetNumOperands(op), num_values = 0;
  *out = (Pack){.op = op,
                .source = operand_of(op, 0),
                .destination = destination,
                .num_tiles = (int)mlirDenseArrayGetNumElements(tiles)};
  out->rank = all - out->num_tiles;
  if (all > TILE_NEST_MAX_LOOPS || mlirOperationGetNumResults(op) != 1)
    return false;
  for (int i = 0; i < out->num_tiles; i++)
    num_values +=
        mlirShapedTypeIsDynamicSize(mlirDenseI64ArrayGetElement(tiles, i));
  if (!num_values)
    return false;
  if (num_operands == 3 + num_values)
    out->pad = operand_of(op, 2);
  for (int i = 0, value = 0; i < out->num_tiles; i++) {
    int64_t size = mlirDenseI64ArrayGetElement(tiles, i);
    out->inner[i] = (int)array_at(op, "inner_dims_pos", i, i);
    out->tile[i] = mlirShapedTypeIsDynamicSize(size)
                       ? operand_of(op, num_operands - num_values + value++)
                       : tile_const_index(b, size);
  }
  for (int d = 0; d < out->rank; d++)
    out->outer[d] = (int)array_at(op, "outer_dims_perm", d, d);
  return true;
}

// The element of the source, or the pad where there is none.
static MlirValue packed_element(TileBuilder *outside, TileBuilder *b,
                                const Pack *pack) {
  MlirValue at[1 + TILE_NEST_MAX_LOOPS] = {pack->source};
  MlirValue is_inside = TILE_NULL_VALUE;
  for (int d = 0; d < pack->rank; d++)
    at[1 + pack->outer[d]] = index_at(b, d);
  for (int i = 0; i < pack->num_tiles; i++) {
    MlirValue *place = &at[1 + pack->inner[i]];
    MlirValue begin = arith_muli(b, *place, pack->tile[i]);
    MlirValue inside = index_at(b, pack->rank + i);
    *place = arith_addi(b, begin, inside);
    if (!pack->pad.ptr)
      continue;
    MlirValue extent = extent_of(outside, pack->source, pack->inner[i]);
    MlirValue fits = arith_cmpi(b, .predicate = ARITH_CMP_I_PREDICATE_ult,
                                .lhs = *place, .rhs = extent);
    MlirValue one = tile_const_index(outside, 1);
    MlirValue last = arith_subi(outside, extent, one);
    *place = arith_minui(b, *place, last);
    is_inside = is_inside.ptr ? arith_andi(b, is_inside, fits) : fits;
  }
  MlirValue value =
      result_of(make(b, "tensor.extract", (TileValues){at, 1 + pack->rank},
                     element_of(pack->source), NULL));
  return is_inside.ptr ? arith_select(b, is_inside, value, pack->pad) : value;
}

static void raise_pack(TileBuilder *b, MlirOperation op) {
  MlirContext context = tile_builder_context(b);
  Pack pack;
  if (!read_pack(b, op, &pack))
    return;
  int all = pack.rank + pack.num_tiles;
  TileNest loops = {.num_loops = all};
  TileBuilder inner = {mlirIRRewriterCreate(context), b->loc};
  MlirValue argument;
  MlirRegion body =
      body_begin(&inner, TILE_VALUES(pack.destination), &argument);
  make(&inner, "linalg.yield", TILE_VALUES(packed_element(b, &inner, &pack)),
       (MlirType){NULL}, NULL);
  mlirIRRewriterDestroy(inner.rw);
  MlirAttribute map =
      mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, all));
  replace(b, op,
          generic(b, TILE_VALUES(pack.destination),
                  mlirArrayAttrGet(context, 1, &map),
                  iterator_types(context, &loops), body));
}

//===-- Assertions --------------------------------------------------------===//

static void raise_assert(TileBuilder *b, MlirOperation op) {
  MlirStringRef text = mlirStringAttrGetValue(
      mlirOperationGetInherentAttributeByName(op, TILE_STR("msg")));
  char copy[160];
  if (!func_func_is(mlirOperationGetParentOperation(op)) || !text.length)
    return;
  snprintf(copy, sizeof copy, "%.*s", (int)text.length, text.data);
  tile_require_op(b, .condition = operand_of(op, 0), .text = copy);
  mlirRewriterBaseEraseOp(b->rw, op);
}

//===-- Entry -------------------------------------------------------------===//

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  static const struct {
    const char *name;
    void (*raise)(TileBuilder *, MlirOperation);
  } table[] = {{"tensor.splat", raise_splat},
               {"tensor.reshape", raise_reshape},
               {"linalg.pack", raise_pack},
               {"cf.assert", raise_assert}};
  TileBuilder *b = user_data;
  b->loc = mlirOperationGetLocation(op);
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (tile_op_name_begins(op, table[i].name)) {
      table[i].raise(b, op);
      return MlirWalkResultSkip;
    }
  return MlirWalkResultAdvance;
}

void tile_tensors_raise(MlirOperation function) {
  TileBuilder b = {mlirIRRewriterCreate(mlirOperationGetContext(function)),
                   mlirOperationGetLocation(function)};
  mlirOperationWalk(function, visit, &b, MlirWalkPostOrder);
  mlirIRRewriterDestroy(b.rw);
}

//===- SplitElements.c - Elements before two dimensions become one --------===//
//
// The channels of a convolution in groups are two dimensions, which front ends
// make one before they add a bias. Such elements are done on two dimensions, so
// that they may go to the kernel of the convolution.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Schedules/Convolution.h"
#include "Transforms/Schedules/NestBuild.h"

#include "Dialect/ForeignOps.h"
#include "Support/Iterate.h"
#include "mlir-c/AffineExpr.h"

/// Two dimensions that become one.
typedef struct {
  intptr_t dim, rank; // of what is collapsed
  MlirType type;
} Split;

// Only one pair of dimensions, of extents that are known.
static bool read_split(MlirOperation collapse, Split *out) {
  if (!collapse.ptr || !tile_op_name_begins(collapse, "tensor.collapse_shape"))
    return false;
  MlirAttribute groups = mlirOperationGetInherentAttributeByName(
      collapse, TILE_STR("reassociation"));
  *out =
      (Split){.dim = -1,
              .type = mlirValueGetType(mlirOperationGetOperand(collapse, 0))};
  out->rank = mlirShapedTypeGetRank(out->type);
  if (mlirArrayAttrGetNumElements(groups) != out->rank - 1 ||
      out->rank > TILE_NEST_MAX_LOOPS)
    return false;
  for (intptr_t g = 0; g < out->rank - 1; g++)
    if (mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g)) == 2)
      out->dim = g;
  return out->dim >= 0 && !mlirShapedTypeIsDynamicDim(out->type, out->dim) &&
         !mlirShapedTypeIsDynamicDim(out->type, out->dim + 1);
}

// The tensor with its dimension `at` in two.
static MlirValue split_dim(TileBuilder *b, const Split *split, MlirValue tensor,
                           intptr_t at) {
  MlirContext context = tile_builder_context(b);
  MlirType type = mlirValueGetType(tensor);
  MlirAttribute groups[TILE_NEST_MAX_LOOPS];
  MlirValue sizes[TILE_NEST_MAX_LOOPS];
  int64_t shape[TILE_NEST_MAX_LOOPS];
  intptr_t rank = mlirShapedTypeGetRank(type), next = 0, num_sizes = 0;
  for (intptr_t d = 0; d < rank; d++) {
    MlirAttribute dims[2];
    intptr_t count = 0;
    for (intptr_t i = 0; i < 1 + (d == at); i++) {
      shape[next] = d == at
                        ? mlirShapedTypeGetDimSize(split->type, split->dim + i)
                        : mlirShapedTypeGetDimSize(type, d);
      dims[count++] =
          mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), next++);
    }
    if (mlirShapedTypeIsDynamicDim(type, d))
      sizes[num_sizes++] = extent_of(b, tensor, d);
    groups[d] = mlirArrayAttrGet(context, count, dims);
  }
  TileState s;
  tile_ods_begin(&s, b, "tensor.expand_shape");
  tile_ods_operand(&s, tensor);
  tile_ods_operands(&s, (TileValues){sizes, num_sizes});
  tile_ods_type(&s, mlirRankedTensorTypeGet(next, shape, element_of(tensor),
                                            (MlirAttribute){NULL}));
  tile_ods_put(&s, "reassociation", mlirArrayAttrGet(context, rank, groups));
  tile_ods_put(&s, "static_output_shape",
               mlirDenseI64ArrayGet(context, next, shape));
  return result_of(tile_ods_end(&s, b));
}

// The map over one more loop; `*out_at` is the dimension to split, or -1.
static MlirAffineMap split_map(const Split *split, MlirAffineMap map,
                               intptr_t *out_at) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  intptr_t count = 0;
  *out_at = -1;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); d++) {
    intptr_t loop =
        mlirAffineDimExprGetPosition(mlirAffineMapGetResult(map, d));
    if (loop == split->dim) {
      *out_at = d;
      exprs[count++] = mlirAffineDimExprGet(context, loop);
    }
    exprs[count++] = mlirAffineDimExprGet(context, loop + (loop >= split->dim));
  }
  return mlirAffineMapGet(context, split->rank, 0, count, exprs);
}

static MlirWalkResult find_index(MlirOperation op, void *user_data) {
  if (!tile_op_name_begins(op, "linalg.index"))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

bool tile_elements_read(MlirOperation op, TileNest *out) {
  bool has_index = false;
  if (!op.ptr || !tile_nest_of(op, out) || out->num_outs != 1 ||
      out->kind != TILE_NEST_ELEMENTS ||
      out->num_loops >= TILE_NEST_MAX_LOOPS ||
      !mlirAffineMapIsIdentity(out->maps[out->num_operands - 1]) ||
      tile_value_is_used(
          mlirBlockGetArgument(body_of(op), out->num_operands - 1)))
    return false;
  mlirOperationWalk(op, find_index, &has_index, MlirWalkPreOrder);
  for (int i = 0; i < out->num_operands; i++)
    if (!mlirAffineMapIsProjectedPermutation(out->maps[i]))
      return false;
  return !has_index;
}

// A tensor that only repeats another one, read from that.
static MlirValue before_broadcast(MlirValue tensor, MlirAffineMap *map) {
  TileNest nest;
  MlirOperation op = owner_of(tensor);
  if (!op.ptr || !tile_elements_read(op, &nest) || nest.num_operands != 2 ||
      !mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return tensor;
  MlirValue yielded =
      mlirOperationGetOperand(mlirBlockGetTerminator(body_of(op)), 0);
  if (!mlirValueEqual(yielded, mlirBlockGetArgument(body_of(op), 0)))
    return tensor;
  MlirAffineExpr exprs[TILE_NEST_MAX_LOOPS];
  intptr_t count = mlirAffineMapGetNumResults(nest.maps[0]);
  for (intptr_t d = 0; d < count; d++)
    exprs[d] = mlirAffineMapGetResult(*map, tile_nest_loop(&nest, 0, (int)d));
  *map = mlirAffineMapGet(mlirAffineMapGetContext(*map),
                          mlirAffineMapGetNumDims(*map), 0, count, exprs);
  return mlirOperationGetOperand(op, 0);
}

// What the elements on two dimensions read; `value` is what was collapsed.
static MlirValue split_operand(TileBuilder *b, const Split *split,
                               MlirValue operand, MlirValue value,
                               MlirAffineMap map, MlirAttribute *out_map) {
  intptr_t at;
  bool is_value = mlirValueEqual(operand, result_of(only_user(value)));
  if (!is_value && mlirTypeIsATensor(mlirValueGetType(operand)))
    operand = before_broadcast(operand, &map);
  *out_map = mlirAffineMapAttrGet(split_map(split, map, &at));
  return is_value ? value : at < 0 ? operand : split_dim(b, split, operand, at);
}

bool tile_elements_split(TileBuilder *b, MlirValue value) {
  Split split;
  TileNest nest;
  MlirValue operands[TILE_NEST_MAX_OPERANDS];
  MlirAttribute maps[TILE_NEST_MAX_OPERANDS];
  MlirContext context = tile_builder_context(b);
  MlirOperation collapse = only_user(value);
  if (!read_split(collapse, &split))
    return false;
  MlirOperation op = only_user(result_of(collapse));
  if (!tile_elements_read(op, &nest))
    return false;
  mlirRewriterBaseSetInsertionPointBefore(b->rw, op);
  b->loc = mlirOperationGetLocation(op);
  int last = nest.num_operands - 1;
  for (int i = 0; i < last; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    bool is_value = mlirValueEqual(operand, result_of(collapse));
    if (is_value && !mlirAffineMapIsIdentity(nest.maps[i]))
      return false;
  }
  for (int i = 0; i < last; i++)
    operands[i] = split_operand(b, &split, mlirOperationGetOperand(op, i),
                                value, nest.maps[i], &maps[i]);
  operands[last] = empty_like(b, value, element_of(result_of(op)));
  maps[last] = mlirAffineMapAttrGet(
      mlirAffineMapMultiDimIdentityGet(context, split.rank));
  MlirOperation copy = mlirOperationClone(op);
  MlirRegion body = mlirRegionCreate();
  mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
  mlirOperationDestroy(copy);
  TileNest loops = {.num_loops = (int)split.rank};
  MlirValue made = generic(b, (TileValues){operands, last + 1},
                           mlirArrayAttrGet(context, last + 1, maps),
                           iterator_types(context, &loops), body);
  MlirOperation joined = mlirOperationClone(collapse);
  mlirOperationSetOperand(joined, 0, made);
  mlirValueSetType(result_of(joined), mlirValueGetType(result_of(op)));
  mlirRewriterBaseInsert(b->rw, joined);
  mlirValueReplaceAllUsesOfWith(result_of(op), result_of(joined));
  mlirRewriterBaseEraseOp(b->rw, op);
  mlirRewriterBaseEraseOp(b->rw, collapse);
  return true;
}

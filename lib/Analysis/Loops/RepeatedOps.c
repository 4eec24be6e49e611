//===- RepeatedOps.c - Ops that several roles execute ---------------------===//

#include "RepeatedOps.h"

#include "Dialect/ElementLoops.h"
#include "Tile/Ops/memref.h"

//===-- What may be repeated ----------------------------------------------===//

// Sums of floats depend on who adds what first.
static bool is_exact_fold(bool is_sum, MlirValue tile) {
  TileShape shape;
  return !is_sum ||
         (tile_shape_of(tile, &shape) && !mlirTypeIsAFloat(shape.element));
}

static MlirWalkResult find_effect(MlirOperation op, void *user_data) {
  bool *has_effect = user_data;
  TileElementAccess access;
  TileShape shape = {.space = TILE_SPACE_PRIVATE};
  if (mlirOperationGetNumRegions(op) > 0 || mlirxIsTerminator(op))
    return MlirWalkResultAdvance;
  if (tile_element_access_get(op, &access)) {
    tile_shape_of(access.memref, &shape);
    *has_effect = shape.space == TILE_SPACE_PRIVATE || access.is_atomic;
  } else {
    *has_effect = !mlirxIsMemoryEffectFree(op);
  }
  return *has_effect ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tile_op_is_repeatable(MlirOperation op) {
  bool has_effect = false;
  if (tile_fill_is(op) || memref_store_is(op))
    return true;
  if (tile_copy_is(op))
    return !tile_copy_async(tile_copy_cast(op)) &&
           mlirValueIsNull(tile_copy_signal(tile_copy_cast(op)));
  if (tile_reduce_is(op)) {
    TileReduceKind kind = tile_reduce_kind(tile_reduce_cast(op));
    return is_exact_fold(kind == TILE_REDUCE_KIND_Sum ||
                             kind == TILE_REDUCE_KIND_AbsSum,
                         tile_reduce_src(tile_reduce_cast(op)));
  }
  if (tile_scan_is(op)) {
    TileScanKind kind = tile_scan_kind(tile_scan_cast(op));
    return is_exact_fold(kind == TILE_SCAN_KIND_Sum,
                         tile_scan_src(tile_scan_cast(op)));
  }
  if (!tile_parallel_is(op))
    return false;
  mlirOperationWalk(op, find_effect, &has_effect, MlirWalkPreOrder);
  return !has_effect;
}

int tile_repeated_accesses(MlirOperation op,
                           TileAccess out[TILE_MAX_ACCESSES]) {
  TileElementAccess element;
  if (!tile_element_access_get(op, &element))
    return tile_accesses_get(op, out);
  out[0] = (TileAccess){.tile = element.memref,
                        .reads = !element.is_store || element.is_atomic,
                        .writes = element.is_store};
  return 1;
}

//===-- Ops as lists ------------------------------------------------------===//

typedef struct {
  TileArena *arena;
  TileRepeatedOp *out;
} List;

static int number_of(const TileRepeatedOp *op, MlirValue value) {
  for (int i = 0; i < op->num_values; i++)
    if (mlirValueEqual(op->values[i], value))
      return i;
  return -1;
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  List *list = user_data;
  TileRepeatedOp *out = list->out;
  TILE_ARENA_RESERVE(list->arena, out->ops, out->num_ops, out->ops_capacity);
  out->ops[out->num_ops++] = op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (tile_value_is_inside(value, out->op) || number_of(out, value) >= 0)
      continue;
    TILE_ARENA_RESERVE(list->arena, out->values, out->num_values,
                       out->values_capacity);
    out->values[out->num_values++] = value;
  }
  return MlirWalkResultAdvance;
}

void tile_repeated_op_build(TileArena *arena, MlirOperation op,
                            TileRepeatedOp *out) {
  List list = {arena, out};
  *out = (TileRepeatedOp){.op = op};
  mlirOperationWalk(op, list_op, &list, MlirWalkPreOrder);
}

//===-- Comparison --------------------------------------------------------===//

// Attributes that say how an op does what it does, and plans.
static bool is_manner(MlirNamedAttribute attribute) {
  static const char *const names[] = {"instr", "layout", "prefer", "eviction",
                                      "offset"};
  MlirStringRef name = mlirIdentifierStr(attribute.name);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mlirStringRefEqual(name, tile_str(names[i])))
      return true;
  return name.length > 5 && !memcmp(name.data, "tile.", 5);
}

static bool has_attributes_of(MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(a); i++) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(a, i);
    if (!is_manner(attribute) &&
        !mlirAttributeEqual(attribute.attribute,
                            mlirOperationGetAttributeByName(
                                b, mlirIdentifierStr(attribute.name))))
      return false;
  }
  return true;
}

static int op_number(const TileRepeatedOp *list, MlirOperation op) {
  for (int i = 0; i < list->num_ops; i++)
    if (mlirOperationEqual(list->ops[i], op))
      return i;
  return -1;
}

static bool is_same_value(const TileRepeatedOp *a, MlirValue x,
                          const TileRepeatedOp *b, MlirValue y) {
  if (!tile_value_is_inside(x, a->op) || !tile_value_is_inside(y, b->op))
    return number_of(a, x) == number_of(b, y);
  if (mlirValueIsABlockArgument(x) != mlirValueIsABlockArgument(y))
    return false;
  if (mlirValueIsAOpResult(x))
    return op_number(a, mlirOpResultGetOwner(x)) ==
               op_number(b, mlirOpResultGetOwner(y)) &&
           mlirOpResultGetResultNumber(x) == mlirOpResultGetResultNumber(y);
  MlirBlock bx = mlirBlockArgumentGetOwner(x),
            by = mlirBlockArgumentGetOwner(y);
  return op_number(a, mlirBlockGetParentOperation(bx)) ==
             op_number(b, mlirBlockGetParentOperation(by)) &&
         mlirBlockArgumentGetArgNumber(x) == mlirBlockArgumentGetArgNumber(y);
}

static bool ops_alike(const TileRepeatedOp *a, MlirOperation x,
                      const TileRepeatedOp *b, MlirOperation y) {
  intptr_t operands = mlirOperationGetNumOperands(x);
  intptr_t results = mlirOperationGetNumResults(x);
  if (!mlirIdentifierEqual(mlirOperationGetName(x), mlirOperationGetName(y)) ||
      operands != mlirOperationGetNumOperands(y) ||
      results != mlirOperationGetNumResults(y) || !has_attributes_of(x, y) ||
      !has_attributes_of(y, x))
    return false;
  for (intptr_t i = 0; i < operands; i++)
    if (!is_same_value(a, mlirOperationGetOperand(x, i), b,
                       mlirOperationGetOperand(y, i)))
      return false;
  for (intptr_t i = 0; i < results; i++)
    if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(x, i)),
                       mlirValueGetType(mlirOperationGetResult(y, i))))
      return false;
  return true;
}

bool tile_repeated_ops_alike(const TileRepeatedOp *a, const TileRepeatedOp *b) {
  if (a->num_ops != b->num_ops || a->num_values != b->num_values)
    return false;
  for (int i = 0; i < a->num_values; i++)
    if (!mlirTypeEqual(mlirValueGetType(a->values[i]),
                       mlirValueGetType(b->values[i])))
      return false;
  for (int i = 0; i < a->num_ops; i++)
    if (!ops_alike(a, a->ops[i], b, b->ops[i]))
      return false;
  return true;
}

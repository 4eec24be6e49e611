//===- MemorySpaces.c - Memory spaces of memrefs as numbers ---------------===//
//
// Only convert-gpu-to-nvvm knows what #gpu.address_space<workgroup> is on this
// chip; other conversions of upstream, such as convert-vector-to-llvm, end with
// an error. All of them know numbers.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"

#include "Dialect/Ops.h"
#include "mlir-c/BuiltinAttributes.h"

enum { GLOBAL_SPACE = 1, SHARED_SPACE = 3, CLUSTER_SPACE = 7, MAX_TYPES = 64 };

static MlirAttribute number_of(MlirAttribute space) {
  MlirAttribute none = {NULL};
  MlirType i64 = mlirIntegerTypeGet(mlirAttributeGetContext(space), 64);
  switch (tile_space_of_attr(space)) {
  case TILE_SPACE_GLOBAL:
    return mlirIntegerAttrGet(i64, GLOBAL_SPACE);
  case TILE_SPACE_SHARED:
    return mlirIntegerAttrGet(i64, SHARED_SPACE);
  case TILE_SPACE_CLUSTER:
    return mlirIntegerAttrGet(i64, CLUSTER_SPACE);
  case TILE_SPACE_PRIVATE:
    return none;
  case TILE_SPACE_FRAGMENT:
  case TILE_SPACE_OTHER:
    break;
  }
  return space;
}

// The type with a number as its space; itself where it has one, or none.
static MlirType numbered(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return type;
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  if (mlirAttributeIsNull(space) || mlirAttributeIsAInteger(space))
    return type;
  MlirAttribute number = number_of(space);
  if (mlirAttributeEqual(space, number))
    return type;
  int64_t shape[TILE_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank > TILE_MAX_RANK)
    return type;
  for (intptr_t d = 0; d < rank; d++)
    shape[d] = mlirShapedTypeGetDimSize(type, d);
  return mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank, shape,
                           mlirMemRefTypeGetLayout(type), number);
}

static MlirType numbered_function(MlirType type) {
  MlirType types[2][MAX_TYPES];
  intptr_t num_inputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t num_results = mlirFunctionTypeGetNumResults(type);
  if (num_inputs > MAX_TYPES || num_results > MAX_TYPES)
    return type;
  for (intptr_t i = 0; i < num_inputs; i++)
    types[0][i] = numbered(mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < num_results; i++)
    types[1][i] = numbered(mlirFunctionTypeGetResult(type, i));
  return mlirFunctionTypeGet(mlirTypeGetContext(type), num_inputs, types[0],
                             num_results, types[1]);
}

static void number_value(MlirValue value) {
  MlirType type = mlirValueGetType(value), other = numbered(type);
  if (!mlirTypeEqual(type, other))
    mlirValueSetType(value, other);
}

// memref.global has the type of its memory, functions have one of theirs.
static void number_attributes(MlirOperation op) {
  static const char *const names[] = {"type", "function_type"};
  for (int i = 0; i < 2; i++) {
    MlirAttribute attr =
        mlirOperationGetAttributeByName(op, tile_str(names[i]));
    if (mlirAttributeIsNull(attr) || !mlirAttributeIsAType(attr))
      continue;
    MlirType type = mlirTypeAttrGetValue(attr);
    MlirType other =
        mlirTypeIsAFunction(type) ? numbered_function(type) : numbered(type);
    if (!mlirTypeEqual(type, other))
      mlirOperationSetAttributeByName(op, tile_str(names[i]),
                                      mlirTypeAttrGet(other));
  }
}

static MlirWalkResult number_op(MlirOperation op, void *user_data) {
  (void)user_data;
  number_attributes(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    number_value(mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         block.ptr; block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
        number_value(mlirBlockGetArgument(block, i));
  return MlirWalkResultAdvance;
}

void tile_number_memory_spaces(MlirOperation gpu_module) {
  mlirOperationWalk(gpu_module, number_op, NULL, MlirWalkPreOrder);
}

//===- TensorAlias.c - Which tensors may share memory ---------------------===//

#include "Index.h"

#include "Tile/Ops/func.h"

// Casts and views of tensors are looked through; their first operand is what
// they view.
MlirValue tile_tensor_root(MlirValue tile) {
  MlirValue root = tile_buffer_of(tile).root;
  while (mlirValueIsAOpResult(root)) {
    MlirOperation view = mlirOpResultGetOwner(root);
    if (mlirOperationGetNumOperands(view) == 0 ||
        !mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(view, 0))))
      break;
    root = mlirOperationGetOperand(view, 0);
  }
  return root;
}

// Whether the argument of a function may share memory with others of it.
static bool may_alias(MlirOperation func, intptr_t argument) {
  MlirStringRef name = TILE_STR("tile.may_alias");
  if (!mlirAttributeIsNull(
          mlirOperationGetDiscardableAttributeByName(func, name)))
    return true;
  MlirAttribute list = func_func_arg_attrs_attr(func_func_cast(func));
  return !mlirAttributeIsNull(list) &&
         !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
             mlirArrayAttrGetElement(list, argument), name));
}

bool tile_tensor_is_distinct(MlirValue root) {
  if (!mlirValueIsABlockArgument(root))
    return false;
  MlirOperation parent =
      mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(root));
  if (func_func_is(parent))
    return !may_alias(parent, mlirBlockArgumentGetArgNumber(root));
  return tile_kernel_is(parent); // outlined: the attributes are gone
}

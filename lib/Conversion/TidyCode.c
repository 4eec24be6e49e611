//===- TidyCode.c - What lowering wrote twice, or for nobody --------------===//

#include "Conversion.h"

#include "Dialect/ForeignOps.h"
#include "Support/Iterate.h"
#include "Support/KeyTable.h"
#include "Support/MlirExtra.h"
#include "Tile/Ops/arith.h"

static MlirWalkResult find_arithmetic(MlirOperation op, void *user_data) {
  if (tile_op_name_begins(op, "arith."))
    tile_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

// Users come after what they use.
static void drop_dead(TileOpList *list) {
  size_t count = list->count;
  for (size_t i = list->count; i > 0; i--) {
    MlirOperation op = list->items[i - 1];
    if (mlirxIsTriviallyDead(op))
      mlirOperationDestroy(op);
    else
      list->items[--count] = op;
  }
  list->items += count;
  list->count -= count;
}

void tile_code_tidy(TileArena *arena, MlirOperation kernel) {
  TileOpList list = {.arena = arena};
  TilePointerMap values = {.arena = arena, .keys = {.arena = arena}};
  mlirOperationWalk(kernel, find_arithmetic, &list, MlirWalkPreOrder);
  drop_dead(&list);
  MlirOperation first = mlirBlockGetFirstOperation(tile_kernel_body(kernel));
  for (size_t i = 0; i < list.count; i++) {
    ArithConstantOp constant = arith_constant_dyn(list.items[i]);
    if (!constant.op.ptr)
      continue;
    MlirValue value = mlirOperationGetResult(constant.op, 0);
    const void *key = arith_constant_value_attr(constant).ptr;
    MlirValue known = {tile_pointer_map_get(&values, key)};
    if (known.ptr) {
      mlirValueReplaceAllUsesOfWith(value, known);
      mlirOperationDestroy(constant.op);
      continue;
    }
    tile_pointer_map_set(&values, key, (void *)(size_t)value.ptr);
    if (mlirOperationEqual(constant.op, first))
      first = mlirOperationGetNextInBlock(first);
    else
      mlirOperationMoveBefore(constant.op, first);
  }
}

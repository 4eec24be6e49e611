//===- TileRoles.c - Which warps execute an op ----------------------------===//

#include "Ops.h"
#include "Support/Iterate.h"

enum { WARPGROUP_WARPS = 4, WARP_THREADS = 32 };

//===-- Roles -------------------------------------------------------------===//

TileChannelOp tile_channel_of(MlirValue channel) {
  if (!mlirValueIsAOpResult(channel))
    return (TileChannelOp){{NULL}};
  return tile_channel_dyn(mlirOpResultGetOwner(channel));
}

TileRoleOp tile_role_of(MlirOperation op) {
  for (MlirOperation parent = mlirOperationGetParentOperation(op); parent.ptr;
       parent = mlirOperationGetParentOperation(parent))
    if (tile_role_is(parent))
      return tile_role_cast(parent);
  return (TileRoleOp){{NULL}};
}

int64_t tile_role_first_warp(TileRoleOp role) {
  int64_t first = 0;
  TILE_FOR_EACH_OP (op, mlirOperationGetBlock(role.op)) {
    if (mlirOperationEqual(op, role.op))
      break;
    if (tile_role_is(op))
      first += tile_role_warps(tile_role_cast(op));
  }
  return first;
}

int64_t tile_specialize_num_warps(TileSpecializeOp specialize) {
  int64_t sum = 0;
  TILE_FOR_EACH_OP (op, tile_specialize_block(specialize))
    sum += tile_role_is(op) ? tile_role_warps(tile_role_cast(op)) : 0;
  return sum;
}

MlirBlock tile_specialize_block(TileSpecializeOp specialize) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(specialize.op, 0));
}

TileSpecializeOp tile_kernel_specialize(MlirOperation kernel) {
  TILE_FOR_EACH_OP (op, tile_kernel_body(kernel)) {
    if (tile_specialize_is(op))
      return tile_specialize_cast(op);
  }
  return (TileSpecializeOp){{NULL}};
}

int tile_turns_of(TileRoleOp role, int *out_first) {
  int count = 0;
  *out_first = 0;
  TILE_FOR_EACH_OP (op, mlirOperationGetBlock(role.op)) {
    if (mlirOperationEqual(op, role.op))
      *out_first = count;
    if (tile_role_is(op) && tile_role_pingpong(tile_role_cast(op)))
      count += (int)(tile_role_warps(tile_role_cast(op)) / WARPGROUP_WARPS);
  }
  return count;
}

//===-- Fragments ---------------------------------------------------------===//

// The first user of `value`, windows of it looked through, that another role
// executes than `role`; null: none.
static MlirOperation user_outside(MlirValue value, MlirOperation role) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tile_is_name_op(user)) {
      user = user_outside(mlirOperationGetResult(user, 0), role);
      if (!mlirOperationIsNull(user))
        return user;
    } else if (!mlirOperationEqual(tile_role_of(user).op, role)) {
      return user;
    }
  }
  return (MlirOperation){NULL};
}

TileRoleOp tile_alloc_role(TileAllocOp alloc) {
  MlirOperation none = {NULL};
  TileRoleOp around = tile_role_of(alloc.op);
  if (!mlirOperationIsNull(around.op))
    return around;
  MlirOperation user = user_outside(tile_alloc_memref(alloc), none);
  return mlirOperationIsNull(user) ? (TileRoleOp){none} : tile_role_of(user);
}

MlirOperation tile_alloc_user_of_other_role(TileAllocOp alloc) {
  return user_outside(tile_alloc_memref(alloc), tile_alloc_role(alloc).op);
}

//===-- Warps -------------------------------------------------------------===//

// Roles become branches before control flow does: from then on the ops
// themselves say who executes them.
static bool warps_of_attr(MlirOperation op, TileWarps *out) {
  MlirAttribute warps =
      mlirOperationGetDiscardableAttributeByName(op, TILE_STR(TILE_WARPS_ATTR));
  if (mlirAttributeIsNull(warps))
    return false;
  *out = (TileWarps){mlirDenseI64ArrayGetElement(warps, 0),
                     mlirDenseI64ArrayGetElement(warps, 1)};
  return true;
}

bool tile_role_warps_of(MlirOperation op, TileWarps *out_warps) {
  if (warps_of_attr(op, out_warps))
    return true;
  TileRoleOp role = tile_role_of(op);
  if (mlirOperationIsNull(role.op))
    return false;
  *out_warps = (TileWarps){tile_role_first_warp(role), tile_role_warps(role)};
  return true;
}

int64_t tile_op_num_threads(MlirOperation op, int64_t kernel_threads) {
  TileWarps warps;
  return tile_role_warps_of(op, &warps) ? warps.count * WARP_THREADS
                                        : kernel_threads;
}

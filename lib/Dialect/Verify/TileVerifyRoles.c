//===- TileVerifyRoles.c - Constraints of roles and turns -----------------===//
//
// Labels such as (C2) are those of TileRoleOps.td.
//
//===----------------------------------------------------------------------===//

#include "Support/Iterate.h"
#include "TileVerify.h"

enum {
  WARPGROUP_WARPS = 4,
  MAX_BLOCK_WARPS = TILE_MAX_BLOCK_THREADS / TILE_WARP_THREADS,
  // PTX ISA 9.0, setmaxnreg; the register file of a multiprocessor.
  MIN_REGISTERS = 24,
  MAX_REGISTERS = 256,
  REGISTER_FILE = 65536,
  MAX_TURNS = 8 // warpgroups of a block
};

//===-- tile.role ---------------------------------------------------------===//

static MlirLogicalResult verify_warpgroups(TileRoleOp role, const char *name) {
  int64_t first = tile_role_first_warp(role), warps = tile_role_warps(role);
  if (first % WARPGROUP_WARPS == 0 && warps % WARPGROUP_WARPS == 0)
    return tile_success();
  return tile_emit_error(role.op,
                         "expects '%s' on whole warpgroups of %d warps, got "
                         "%" PRId64 " warps after %" PRId64 " others",
                         name, WARPGROUP_WARPS, warps, first);
}

MlirLogicalResult tile_role_verify_regions(MlirOperation op) {
  TileRoleOp role = tile_role_cast(op); // (C1): a trait
  int64_t warps = tile_role_warps(role);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (warps < 1 || warps > MAX_BLOCK_WARPS) // (C2)
    return tile_emit_error(op, "expects 'warps' from 1 to %d, got %" PRId64,
                           MAX_BLOCK_WARPS, warps);
  if (!mlirAttributeIsNull(tile_role_registers_attr(role))) { // (C3)
    int64_t registers = tile_role_registers(role);
    if (registers < MIN_REGISTERS || registers > MAX_REGISTERS || registers % 8)
      return tile_emit_error(op,
                             "expects 'registers' to be a multiple of 8 from "
                             "%d to %d, got %" PRId64,
                             MIN_REGISTERS, MAX_REGISTERS, registers);
    if (tile_failed(verify_warpgroups(role, "registers")))
      return tile_failure();
  }
  if (tile_role_pingpong(role)) // (C4)
    return verify_warpgroups(role, "pingpong");
  return tile_success();
}

//===-- tile.specialize ---------------------------------------------------===//

static MlirLogicalResult verify_names(MlirBlock body) {
  TILE_FOR_EACH_OP (op, body) {
    if (!tile_role_is(op)) // (C2)
      return tile_emit_error(op,
                             "is directly inside tile.specialize, which holds "
                             "tile.role ops only");
    MlirStringRef name = tile_role_role(tile_role_cast(op));
    for (MlirOperation other = mlirBlockGetFirstOperation(body);
         !mlirOperationEqual(other, op);
         other = mlirOperationGetNextInBlock(other))
      if (mlirStringRefEqual(tile_role_role(tile_role_cast(other)), name))
        return tile_emit_error_with_note(
            op, mlirOperationGetLocation(other), "the other one is here",
            "expects a name that no other role has, got \"%.*s\"",
            (int)name.length, name.data);
  }
  return tile_success();
}

MlirLogicalResult tile_specialize_verify_regions(MlirOperation op) {
  TileSpecializeOp specialize = tile_specialize_cast(op);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (mlirOperationIsNull(mlirBlockGetFirstOperation(body)))
    return tile_emit_error(op, "expects at least one role");
  if (tile_failed(verify_names(body))) // (C2)
    return tile_failure();
  int64_t warps = tile_specialize_num_warps(specialize);
  if (warps > MAX_BLOCK_WARPS) // (C3)
    return tile_emit_error(op,
                           "expects at most %d warps in all roles together, "
                           "got %" PRId64,
                           MAX_BLOCK_WARPS, warps);
  int64_t registers = 0;
  TILE_FOR_EACH_OP (inner, body) {
    TileRoleOp role = tile_role_cast(inner);
    if (!mlirAttributeIsNull(tile_role_registers_attr(role)))
      registers +=
          tile_role_registers(role) * tile_role_warps(role) * TILE_WARP_THREADS;
  }
  if (registers > REGISTER_FILE) // (C4)
    return tile_emit_error(op,
                           "expects budgets of at most %d registers, got "
                           "%" PRId64,
                           REGISTER_FILE, registers);
  return tile_success();
}

//===-- tile.turn ---------------------------------------------------------===//

MlirLogicalResult tile_turn_verify(MlirOperation op) {
  TileRoleOp role = tile_role_of(op);
  if (tile_failed(tile_verify_op(op)))
    return tile_failure();
  if (mlirOperationIsNull(role.op) || !tile_role_pingpong(role)) // (C1)
    return tile_emit_error(op, "expects to be inside a tile.role that says "
                               "'pingpong'");
  int first, turns = tile_turns_of(role, &first);
  if (turns < 2 || turns > MAX_TURNS) // (C2)
    return tile_emit_error(op,
                           "expects from 2 to %d warpgroups that take turns, "
                           "got %d",
                           MAX_TURNS, turns);
  return tile_success();
}

//===- TileRoleOps.td - Warps with programs of their own ------------------===//
#ifndef TILE_ROLE_OPS_TD
#define TILE_ROLE_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_SpecializeOp : Tile_Op<"specialize", [
    NoTerminator, NoRegionArguments, SingleBlock]> {
  let summary = "gives groups of warps programs of their own";
  let description = [{
    Each `tile.role` in it is executed by its own warps: the first role by the
    first warps of the block, the next one by the warps after them. The roles
    run at the same time; channels and barriers order them. What stands before
    or after `tile.specialize` is executed by all threads.

    A kernel that has roles has as many threads as its roles together. Write
    the computing roles first: matrix instructions of warpgroups need roles that
    start at a multiple of four warps.

    Constraints:
    (C1) directly in the body of a kernel, and the only one there (checked for
         the kernel as a whole);
    (C2) holds `tile.role` ops only, at least one; their names differ;
    (C3) the roles have at most 32 warps together;
    (C4) the budgets of registers fit the multiprocessor: threads times
         `registers`, summed over the roles that have one, are at most 65,536.

    Example:
    ```mlir
    tile.specialize {
      tile.role "consumer" warps 8 registers 240 {
        tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
      }
      tile.role "producer" warps 4 registers 24 {
        tile.copy %a to %s : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Tile_RoleOp : Tile_Op<"role", [
    NoTerminator, NoRegionArguments, SingleBlock, HasParent<"SpecializeOp">]> {
  let summary = "the program of a group of warps";
  let description = [{
    Inside a role "all threads" means those of its `warps` warps: fragments are
    spread over them, copies and products are executed by them, thread barriers
    are barriers of them alone. A fragment belongs to one role.

    `registers` is the number of registers per thread while the role runs
    (`setmaxnreg`); the hardware moves registers between whole warpgroups.

    `pingpong` says that the warpgroups of this role take turns, with those of
    the other roles that say so, in the order of their warps: `tile.turn`.

    Constraints:
    (C1) directly inside `tile.specialize`;
    (C2) `warps` is from 1 to 32;
    (C3) `registers` is a multiple of 8 from 24 to 256, on whole warpgroups:
         `warps` is a multiple of 4, and so are the warps before the role;
    (C4) `pingpong` on whole warpgroups as well.

    Example:
    ```mlir
    tile.specialize {
      tile.role "producer" warps 1 {
        tile.acquire %ch[%slot, %parity]
        tile.commit %ch[%slot, %parity]
      }
    }
    ```
  }];
  let arguments = (ins Arg<StrAttr, "its name, in messages">:$role,
                       Arg<I64Attr, "how many warps execute it">:$warps,
                       Arg<OptionalAttr<I64Attr>, "registers per thread">:$registers,
                       Arg<OptionalAttr<UnitAttr>, "whether its warpgroups take turns">:$pingpong);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $role `warps` $warps (`registers` $registers^)? (`pingpong` $pingpong^)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Tile_Turn : Tile_Enum<"Turn", "beginning or end of a turn", [
    I32EnumAttrCase<"Begin", 0, "begin">, I32EnumAttrCase<"End", 1, "end">]>;
def Tile_TurnAttr : EnumAttr<Tile_Dialect, Tile_Turn, "turn"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_TurnOp : Tile_Op<"turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one warpgroup at a time";
  let description = [{
    `tile.turn <begin>` waits until it is the turn of the executing warpgroup,
    `tile.turn <end>` hands the turn to the next warpgroup of the ping-pong roles,
    in the order of their warps, from the last to the first. The first warpgroup
    has the first turn. Each warpgroup takes as many turns as the others, or
    the last ones are not taken: a warpgroup that stops handing over stops the
    others.

    What stands between begin and end is executed by one warpgroup while the
    others do something else: products of one overlap the scalar work of the
    others. It may not hold what all threads of a role of several warpgroups do
    together.

    Constraints:
    (C1) inside a `tile.role` that says `pingpong`;
    (C2) the ping-pong roles of the kernel have two warpgroups or more together,
         and at most 8.

    Example:
    ```mlir
    tile.turn <begin>
    ```
  }];
  let arguments = (ins Arg<Tile_TurnAttr, "which end of the turn">:$edge);
  let assemblyFormat = "$edge attr-dict";
  let hasVerifier = 1;
}

def Tile_WarpIdOp : Tile_Op<"warp_id", [Pure]> {
  let summary = "number of the executing warp in its block";
  let description = [{
    The same in all threads of a warp. `tile-lower-roles` makes it; beside other
    tile ops it is refused, as thread ids are.

    Example:
    ```mlir
    %warp = tile.warp_id
    ```
  }];
  let results = (outs Res<I32, "number of the warp">:$warp);
  let assemblyFormat = "attr-dict";
}

#endif // TILE_ROLE_OPS_TD

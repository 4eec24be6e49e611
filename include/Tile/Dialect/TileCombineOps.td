//===- TileCombineOps.td - Reductions and scans by code of the kernel -----===//
#ifndef TILE_COMBINE_OPS_TD
#define TILE_COMBINE_OPS_TD

include "Tile/Dialect/TileReduceOps.td"

class Tile_CombineOp<string mnemonic>
    : Tile_Op<mnemonic, [AttrSizedOperandSegments, SingleBlock,
                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let cEffects = 1;
}

def Tile_ReduceByOp : Tile_CombineOp<"reduce_by"> {
  let summary = "combines states along one dimension by a body";
  let description = [{
    As `tile.reduce`, of several tiles at once and with `f` in the body. With `j`
    in dimension `dim` and `i` for all the others, the state of an element is
    `s[i, j] = (srcs[0][i, j], srcs[1][i, j], …)`, with `position` followed by `j`
    itself, and

    `dsts[…][i] = f(f(dsts[…][i], s[i, 0]), s[i, 1]), …`; with `clear` the old
    values of `dsts` do not take part.

    The body gets two states, one number of each after the other, and yields one
    with `tile.yield`. The elements of the sources and the old destinations are
    converted as `tile.copy` does to the types of its arguments, the result to
    those of the destinations. So an argument of f32 adds up bf16 and rounds once.

    `f` must be associative and commutative: which states it gets first is open,
    and fixed by the shapes and the number of threads. The same program on the
    same chip gives the same bits. A position tells equal elements apart.

    The sources may be windows of tensors, whose pads take part. Fragments pass a
    shared tile.

    Constraints:
    (C1) 1 to 4 sources, static and of the same shape, of rank 1 to 5, in global
         or shared memory or whole fragments;
    (C2) `dim` is a dimension of the sources;
    (C3) as many destinations as sources, with `position` one more, of the shape
         of the sources without `dim`, or with extent 1 there, in global or shared
         memory or whole fragments, each a buffer of its own;
    (C4) the body has two arguments per destination, first those of one state,
         then those of the other, of the same types; each is an element type of
         tiles, a float where the source and the destination are, that of a
         position an integer;
    (C5) the body ends with `tile.yield` of a value per destination, of these
         types, and holds ops without effects only.

    | srcs \ dsts | global | shared | fragment |
    |---|---|---|---|
    | global, shared, fragment | yes | yes | yes |

    Example: the largest element of each row and its place, the first one of
    several.
    ```mlir
    tile.reduce_by %x to %max, %at dim 1 position clear {
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %gt = arith.cmpf ogt, %b, %a : f32
      %eq = arith.cmpf oeq, %b, %a : f32
      %lt = arith.cmpi slt, %j, %i : i32
      %tie = arith.andi %eq, %lt : i1
      %take = arith.ori %gt, %tie : i1
      %m = arith.select %take, %b, %a : f32
      %k = arith.select %take, %j, %i : i32
      tile.yield %m, %k : f32, i32
    } : (memref<64x128xf32, #tile.fragment>) to (memref<64xf32, #tile.fragment>, memref<64xi32, #tile.fragment>)
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Tile_Tile>, "what is read">:$srcs,
    Arg<Variadic<Tile_Tile>, "the results">:$dsts,
    Arg<I64Attr, "dimension of the sources that goes">:$dim,
    Arg<UnitAttr, "the place in `dim` is a part of the state">:$position,
    Arg<UnitAttr, "the old dsts do not take part">:$clear);
  let assemblyFormat = [{
    $srcs `to` $dsts `dim` $dim (`position` $position^)? (`clear` $clear^)?
    $body attr-dict `:` `(` type($srcs) `)` `to` ` ` `(` type($dsts) `)`
  }];
}

def Tile_ScanByOp : Tile_CombineOp<"scan_by"> {
  let summary = "running states along one dimension by a body";
  let description = [{
    As `tile.scan`, of several tiles at once and with `f` in the body:
    `dsts[…][i, j] = f(…f(f(s[i, 0], s[i, 1]), s[i, 2])…, s[i, j])`, the element
    itself included; with `reverse` from the end to `j`. States, conversions and
    the body are those of `tile.reduce_by`.

    `f` must be associative: it gets neighbouring runs of states, that which comes
    first as the first one. It need not be commutative. Which runs is fixed by the
    shapes and the number of threads.

    A destination may be the source of the same number. Fragments pass a shared
    tile.

    Constraints:
    (C1) 1 to 4 sources, static and of the same shape, of rank 1 to 5, in global
         or shared memory or whole fragments;
    (C2) `dim` is a dimension of the sources;
    (C3) as many destinations as sources, with `position` one more, of the shape
         of the sources, in shared memory or whole fragments, each a buffer of
         its own;
    (C4) the body has two arguments per destination, as that of
         `tile.reduce_by` (C4);
    (C5) the body ends with `tile.yield` of a value per destination, of these
         types, and holds ops without effects only.

    | srcs \ dsts | shared | fragment |
    |---|---|---|
    | global, shared, fragment | yes | yes |

    Example: a linear recurrence `y[j] = a[j] y[j-1] + b[j]`.
    ```mlir
    tile.scan_by %a, %b to %p, %y dim 1 {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %c = arith.mulf %a0, %a1 : f32
      %d = math.fma %a1, %b0, %b1 : f32
      tile.yield %c, %d : f32, f32
    } : (memref<8x64xf32, #gpu.address_space<workgroup>>, memref<8x64xf32, #gpu.address_space<workgroup>>) to (memref<8x64xf32, #gpu.address_space<workgroup>>, memref<8x64xf32, #gpu.address_space<workgroup>>)
    ```
  }];
  let arguments = (ins
    Arg<Variadic<Tile_Tile>, "what is read">:$srcs,
    Arg<Variadic<Tile_Tile>, "the running results">:$dsts,
    Arg<I64Attr, "dimension along which it runs">:$dim,
    Arg<UnitAttr, "the place in `dim` is a part of the state">:$position,
    Arg<UnitAttr, "from the end to the start">:$reverse);
  let assemblyFormat = [{
    $srcs `to` $dsts `dim` $dim (`position` $position^)? (`reverse` $reverse^)?
    $body attr-dict `:` `(` type($srcs) `)` `to` ` ` `(` type($dsts) `)`
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator,
    ParentOneOf<["ReduceByOp", "ScanByOp"]>]> {
  let summary = "the state that two states become";
  let description = [{
    Ends the body of `tile.reduce_by` and `tile.scan_by`: a value per destination.

    Example:
    ```mlir
    tile.yield %m, %k : f32, i32
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyType>, "the state">:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_ReduceAllOp : Tile_Op<"reduce_all", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines all elements of a tile";
  let description = [{
    `result = f(src[0], src[1], …)`, with `f`, the type in which it is computed and
    the order of `tile.reduce`, one dimension after the other from the last one
    on. Every thread of the block, or of the role, gets the same value, so it may
    be a bound, the condition of an `scf.if` around anything, or a factor.

    Constraints:
    (C1) `src` is static and of rank 1 to 5, in shared memory or a whole fragment;
    (C2) `src` and the result are two floats of at least 16 bits, or two integers
         of which the result is not i1;
    (C3) `and`, `or` and `xor` take integers.

    | src | result |
    |---|---|
    | float | float |
    | integer | integer |

    Example:
    ```mlir
    %norm = tile.reduce_all sum %squares : memref<64x128xf32, #tile.fragment> -> f32
    ```
  }];
  let arguments = (ins
    Arg<Tile_ReduceKindAttr, "how elements are combined">:$kind,
    Arg<Tile_Tile, "what is read">:$src);
  let results = (outs Res<AnyType, "the same in all threads">:$result);
  let assemblyFormat = "`` $kind $src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let cEffects = 1;
}

#endif // TILE_COMBINE_OPS_TD

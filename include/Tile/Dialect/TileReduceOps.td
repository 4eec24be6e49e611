//===- TileReduceOps.td - Reductions, scans, predicates -------------------===//
#ifndef TILE_REDUCE_OPS_TD
#define TILE_REDUCE_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_ReduceKind : Tile_Enum<"ReduceKind", "how a reduction combines two elements", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"AbsSum", 3, "abssum">,
    I32EnumAttrCase<"AbsMax", 4, "absmax">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">]>;
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind">;

def Tile_ScanKind : Tile_Enum<"ScanKind", "how a scan combines two elements", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]>;
def Tile_ScanKindAttr : EnumAttr<Tile_Dialect, Tile_ScanKind, "scan_kind">;

def Tile_ReduceOp : Tile_Op<"reduce", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines the elements along one dimension";
  let description = [{
    With `j` in dimension `dim` and `i` for all the others,
    `dst[i] = f(dst[i], src[i, 0], src[i, 1], …)`; with `clear` the old value of
    `dst` does not take part. `f` is

    | kind | f | src | dst |
    |---|---|---|---|
    | `sum` | x + y | float, integer | float, integer |
    | `max`, `min` | the greater, the smaller | float, integer | float, integer |
    | `abssum` | x + \|y\| | float, integer | float, integer |
    | `absmax` | max(x, \|y\|) | float, integer | float, integer |
    | `and`, `or`, `xor` | bitwise | integer | integer |

    The elements of `src` and the old `dst` are converted as `tile.copy` does to
    the type in which `f` is computed, and the result to that of `dst`: f64 when
    one of the two is f64, f32 for other floats; i64 when one of the two is i64,
    i32 for other integers. So sums of f16 and bf16 round once, at the end, and
    sums of i1 count. Integers are signed, sums wrap, \|-2^31\| of i32 is -2^31.
    A NaN among the elements gives NaN, also with `max`, `min` and `absmax`;
    +0 is greater than -0.

    The order of a float sum is fixed by the layout of `src`, the number of
    threads and the shapes: what one thread holds, in ascending registers; then
    lanes, pairs of lanes first whose distance is the smallest; then warps,
    ascending; then the old `dst`. The same program on the same chip gives the
    same bits.

    `partial` is the compiler's own form: `dst` is a scratch tile whose extent
    in dimension `dim` is the number of partial results, one for each group of
    warps that holds a part of the dimension.

    Constraints:
    (C1) `src` and `dst` are static and of rank 1 to 5, in shared memory or
         whole fragments;
    (C2) `dim` is a dimension of `src`;
    (C3) `dst` has the shape of `src` without `dim`, or with extent 1 there;
         with `partial` any extent there, in shared memory, and `clear`;
    (C4) the element types are two floats of at least 16 bits, or two integers;
    (C5) `and`, `or` and `xor` take integers; i1 as `dst` takes only these.

    Example:
    ```mlir
    tile.reduce max %scores to %row_max dim 1 : memref<64x128xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
    ```
  }];
  let arguments = (ins
    Arg<Tile_ReduceKindAttr, "how elements are combined">:$kind,
    Arg<Tile_Tile, "what is read">:$src,
    Arg<Tile_Tile, "the results">:$dst,
    Arg<I64Attr, "dimension of src that goes">:$dim,
    Arg<UnitAttr, "the old dst does not take part">:$clear,
    Arg<UnitAttr, "dst holds partial results of groups of warps">:$partial);
  let assemblyFormat = [{
    `` $kind $src `to` $dst `dim` $dim attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "running sum, maximum or minimum along one dimension";
  let description = [{
    With `j` in dimension `dim` and `i` for all the others,
    `dst[i, j] = f(src[i, 0], …, src[i, j])`, the element itself included; with
    `reverse` `dst[i, j] = f(src[i, j], …, src[i, n - 1])`. `f` is the sum, the
    maximum or the minimum, computed in the type that `tile.reduce` computes in,
    with its rules for NaN, signs and overflow. `dst` may be `src`.

    The order of a float sum is fixed by the shapes, the layouts and the number of
    threads. A fragment whose warps hold whole lines is scanned in registers and
    lanes, blocks of growing size joined two by two or more. Of shared tiles, runs
    of lanes are scanned by distances 1, 2, 4, …, and each run continues the one
    before. The same program on the same chip gives the same bits.

    | src | dst |
    |---|---|
    | f16, bf16, f32, f64 | f16, bf16, f32, f64 |
    | i1, i8, i16, i32, i64 | i8, i16, i32, i64 |

    Constraints:
    (C1) `src` and `dst` are static and of rank 1 to 5, in shared memory or
         whole fragments;
    (C2) `dim` is a dimension of `src`;
    (C3) `src` and `dst` have the same shape;
    (C4) the element types are a row of the table.

    Example:
    ```mlir
    tile.scan sum %x to %x dim 0 {reverse} : memref<100xf32, #gpu.address_space<workgroup>>, memref<100xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Tile_ScanKindAttr, "how elements are combined">:$kind,
    Arg<Tile_Tile, "what is read">:$src,
    Arg<Tile_Tile, "the running results">:$dst,
    Arg<I64Attr, "dimension along which it runs">:$dim,
    Arg<UnitAttr, "from the end to the start">:$reverse);
  let assemblyFormat = [{
    `` $kind $src `to` $dst `dim` $dim attr-dict `:` type($src) `,` type($dst)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

class Tile_PredicateOp<string mnemonic, string meaning, string formula>
    : Tile_Op<mnemonic, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = meaning # " element of a tile is true";
  let description = "`result = " # formula # [{`. Every thread of the block gets the
    same value, so it may be the condition of an `scf.if` around anything. Where
    a window leaves its tensor, the pad value counts, which is false by default.

    No thread waits for another: every warp reads the elements on its own, from
    shared or global memory. Layout inference takes fragments through shared
    memory.

    Constraints:
    (C1) `mask` is static and of rank 1 to 5, in global or shared memory or a
         whole fragment;
    (C2) its elements are i1.

    | mask | result |
    |---|---|
    | i1 | i1 |

    Example:
    ```mlir
    %p = tile.}] # mnemonic # [{ %mask : memref<4x4xi1, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "what is read">:$mask);
  let results = (outs Res<I1, "the same in all threads">:$result);
  let assemblyFormat = "$mask attr-dict `:` type($mask)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

def Tile_AnyOfOp : Tile_PredicateOp<"any_of", "whether any", "mask[0] ∨ mask[1] ∨ …">;
def Tile_AllOfOp : Tile_PredicateOp<"all_of", "whether every", "mask[0] ∧ mask[1] ∧ …">;

#endif // TILE_REDUCE_OPS_TD

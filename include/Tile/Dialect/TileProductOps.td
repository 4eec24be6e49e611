//===- TileProductOps.td - Matrix products --------------------------------===//
#ifndef TILE_PRODUCT_OPS_TD
#define TILE_PRODUCT_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_GemmOp : Tile_Op<"gemm", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix product with accumulation";
  let description = [{
    `C = (clear ? 0 : C) + op(A) · op(B)` with op(A) of shape M x K, op(B) of
    shape K x N and C of shape M x N. `transpose_a` says that A is stored K x M,
    `transpose_b` that B is stored N x K. Of rank 3 it is a product for each
    number of the first dimension, which all three have.

    Matrix instructions take M and N that are multiples of 16 and 8, and K that is
    one of 32 bytes; of f64 it is two of m8n8k4, on sm_90 one of m16n8k16, k8 or k4. Any extents are right: others get
    pads of zeros, in shared tiles and registers of their own, where that pays; the
    rest add up each element with `fma`, in the order of K, in the type of C, of f16 in
    f32. A remark says which.

    A factor may be in registers: A for both instructions, B for `mma` only. The
    accumulator of one product, cast by `tile.copy`, may be a factor of another;
    its elements then stay in the registers of their warps wherever the warps can
    share both products alike.

    With `async` the product is only issued: `tile.await` says when it has been
    carried out. The compiler makes this form.

    `policy` says how the warps share C: `square` balances rows and columns,
    `full_row` gives every warp all columns, `full_col` all rows.

    Constraints:
    (C1) A, B and C are static and all of rank 2, or all of rank 3 with one first
         extent, and without `instr` and `async`;
    (C2) the K extents of op(A) and op(B) agree;
    (C3) C has the rows of op(A) and the columns of op(B);
    (C4) A is shared or a fragment, B is shared or a fragment, C is a fragment;
    (C5) the element types are a row of the table;
    (C6) `instr` is `mma` or `wgmma`;
    (C7) f32 operands need `precision = "tf32"`, which needs f32 operands;
    (C8) `async` only with `instr = #tile.instr<wgmma>`.

    | A | B | C |
    |---|---|---|
    | f16 | f16 | f32, f16 |
    | bf16 | bf16 | f32 |
    | f32 as tf32 | f32 as tf32 | f32 |
    | f8E4M3FN, f8E5M2 | f8E4M3FN, f8E5M2 | f32, f16 |
    | i8 | i8 | i32 |
    | f64 | f64 | f64 |

    Example:
    ```mlir
    tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "left factor">:$a,
    Arg<Tile_Tile, "right factor">:$b,
    Arg<Tile_Tile, "accumulator">:$c,
    Arg<Optional<I1>, "whether C is overwritten">:$clear,
    Arg<UnitAttr, "A is stored K x M">:$transpose_a,
    Arg<UnitAttr, "B is stored N x K">:$transpose_b,
    Arg<OptionalAttr<StrAttr>, "\"tf32\": f32 factors lose 13 bits">:$precision,
    Arg<DefaultValuedAttr<Tile_WarpPolicyAttr, "::tile::WarpPolicy::Square">,
        "how the warps share C">:$policy,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to use">:$instr,
    Arg<UnitAttr, "completes at a tile.await">:$async);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`clear` $clear^)? attr-dict
    `:` `(` type($a) `,` type($b) `,` type($c) `)`
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

#endif // TILE_PRODUCT_OPS_TD

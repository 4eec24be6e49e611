//===- TileSparseOps.td - Products with a structured sparse factor --------===//
#ifndef TILE_SPARSE_OPS_TD
#define TILE_SPARSE_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_GemmSpOp : Tile_Op<"gemm_sp", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix product with a structured sparse left factor";
  let description = [{
    `C = (clear ? 0 : C) + S · op(B)` with S of shape M x K, op(B) of shape
    K x N and C of shape M x N. Half of S is zero and not stored: A has the
    other half, E says where it belongs.

    S is cut along K in groups of `g` elements, of which `g / 2` are stored:
    two of four (g = 4), for f32 one of two (g = 2). Stored element `j` of group
    `q` of row `m` is `A[m, (g / 2) * q + j]`; it stands for

    `S[m, g * q + position(m, q, j)]`.

    E has four bits per group, in the order of the groups, the first one in the
    low bits of a word of 16: group `q` of row `m` is bits `4 * (q % 4)` and up of
    `E[m, q / 4]`. For g = 4 they are `position(m, q, 0) + 4 * position(m, q, 1)`,
    and the positions ascend; for g = 2 they are 4 where the position is 0 and 14
    where it is 1. In numpy, for a dense `S` that has this form (g = 4):

    ```python
    groups = S.reshape(M, K // 4, 4)
    order = np.argsort(groups == 0, axis=2, kind="stable")[:, :, :2]
    order.sort(axis=2)  # the positions to store; zeros fill what is missing
    A = np.take_along_axis(groups, order, 2).reshape(M, K // 2)
    bits = (order[:, :, 0] + 4 * order[:, :, 1]).reshape(M, K // 16, 4)
    E = (bits << [0, 4, 8, 12]).sum(2).astype(np.uint16).view(np.int16)
    ```

    E may be packed instead: words of 32 bits in the order in which the threads of
    a warpgroup need them, so that one load gives a thread what it passes on, and
    a tile of E is whole rows of 512 bytes. Word `t` of `E[p, q]`, with
    `r = 64 * p + 16 * (t / 32) + t % 32 / 4`, has of the words above

    | factors | low half | high half |
    |---|---|---|
    | 16, 32 bits | `[r, 4 * q + t % 4]` | `[r + 8, 4 * q + t % 4]` |
    | 8 bits | `[r + 8 * (t % 2), 4 * q + 2 * (t / 2 % 2)]` | the column after it |

    In numpy, for `E` of M x K/16 words of 16 bits, M and K multiples of 64
    (zeros fill what is missing):

    ```python
    shape = (M // 64, 4, 2, 8, K // 64, 4)  # 8 bits: (…, K // 64, 2, 2)
    order = (0, 4, 1, 3, 5, 2)              # 8 bits: (0, 4, 1, 3, 5, 2, 6)
    packed = np.ascontiguousarray(E.reshape(shape).transpose(order))
    packed = packed.view(np.int32).reshape(M // 64, K // 64, 128)
    ```

    Every group needs good positions, also where A is zero. No positions are all
    0: a word of 16 bits that is 0 means 0x4444, the first two of each group, so
    windows that leave the tensor of E need no pad.

    Constraints:
    (C1) A, B and C are static and have rank 2; E is static and has rank 2, or 3
         if it is packed;
    (C2) K is the K extent of op(B); A is M x K/2, and E is M x K/16, for f32
         M x K/8; packed, it is M/64 x K/64 x 128, for f32 M/64 x K/32 x 128, and
         nothing is left over;
    (C3) C has the rows of A and the columns of op(B);
    (C4) A is shared or a fragment, E is shared, B is shared or a fragment, C is a
         fragment;
    (C5) the element types are a row of the table;
    (C6) `instr` is `mma` or `wgmma`: mma.sp or wgmma.sp;
    (C7) f32 factors need `precision = "tf32"`, which needs f32 factors;
    (C8) `async` only with `instr = #tile.instr<wgmma>`.

    | A | B | E | C |
    |---|---|---|---|
    | f16 | f16 | i16 | f32, f16 |
    | bf16 | bf16 | i16 | f32 |
    | f32 as tf32 | f32 as tf32 | i16 | f32 |
    | f8E4M3FN, f8E5M2 | f8E4M3FN, f8E5M2 | i16 | f32 |
    | i8 | i8 | i16 | i32 |

    Packed E is of i32.

    With `async` the product is only issued, as that of `tile.gemm`. The tile E
    has been read when it is; the registers that its words are in then belong to
    the product until it has been waited for.

    Metadata that comes in other words is the same bytes: `tile.view` makes words
    of 16 bits of it.

    Example:
    ```mlir
    tile.gemm_sp %As, %Es, %Bs, %acc : (memref<128x32xbf16, #gpu.address_space<workgroup>>, memref<128x4xi16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
    ```
  }];
  let arguments = (ins
    Arg<Tile_Tile, "what is stored of the left factor">:$a,
    Arg<Tile_Tile, "where it belongs">:$e,
    Arg<Tile_Tile, "right factor">:$b,
    Arg<Tile_Tile, "accumulator">:$c,
    Arg<Optional<I1>, "whether C is overwritten">:$clear,
    Arg<UnitAttr, "B is stored N x K">:$transpose_b,
    Arg<OptionalAttr<StrAttr>, "\"tf32\": f32 factors lose 13 bits">:$precision,
    Arg<DefaultValuedAttr<Tile_WarpPolicyAttr, "::tile::WarpPolicy::Square">,
        "how the warps share C">:$policy,
    Arg<OptionalAttr<Tile_InstrAttr>, "instruction to use">:$instr,
    Arg<UnitAttr, "completes at a tile.await">:$async);
  let assemblyFormat = [{
    $a `,` $e `,` $b `,` $c (`clear` $clear^)? attr-dict
    `:` `(` type($a) `,` type($e) `,` type($b) `,` type($c) `)`
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cEffects = 1;
}

#endif // TILE_SPARSE_OPS_TD

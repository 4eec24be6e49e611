//===- TileElementOps.td - Loops over elements, and ops on one element ----===//
#ifndef TILE_ELEMENT_OPS_TD
#define TILE_ELEMENT_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_ParallelOp : Tile_Op<"parallel", [SingleBlock, NoTerminator,
    RecursiveMemoryEffects]> {
  let summary = "runs a body once for each element of an index space";
  let description = [{
    `for all (i, j, …) in [e0, e1, …]: body(i, j, …)`.

    The body is scalar code on one element: `memref.load` and `memref.store` of
    fragments, shared tiles, global tensors and private arrays, `arith`, `math`,
    `scf.if`, `scf.for`, `scf.while`. The threads of the block share the
    elements; the compiler decides which thread runs which, keeps fragments in
    registers, and moves neighbours together. Elements run in any order, or at
    the same time: a body that reads what another element writes is a race.

    Scalars from outside are the same for every element. State of one element is
    an SSA value, or a private array that the body allocates (`tile.alloc`).

    An index of a global tensor or of a shared tile is any value. It must lie
    inside, as for every `memref.load`: a ragged edge takes an `scf.if` in the
    body, while `tile.copy` of a `tile.region` pads by itself. A fragment lies in
    registers, whose numbers are constants: its indices name the parallel indices
    themselves.

    `layout` maps registers, lanes and warps to the index space: given by the
    user, or written by layout inference.

    Constraints:
    (C1) 1 to 5 extents of at least 1, at most 2^31 - 1 elements, and one index
         per extent;
    (C2) the body holds pure ops, `memref.load`, `memref.store`,
         `memref.atomic_rmw`, control flow of `scf`, private `tile.alloc`s, and
         tile ops on one element;
    (C3) an index of a fragment is a constant, or a parallel index of the extent
         of that dimension which occurs once; a parallel index may be absent
         from a load (a broadcast);
    (C4) a `memref.store` to a fragment, and one outside `scf.if` to other memory than
         private, names every parallel index of an extent above 1, else several
         elements write to one place;
    (C5) a fragment that the body stores has the same indices in all its
         accesses;
    (C6) a private array that the body stores is allocated in the body;
    (C7) the body accesses at most 64 buffers;
    (C8) `layout` can be parsed and covers the index space;
    (C9) a `memref.atomic_rmw` updates global or shared memory: addf, addi,
         maximumf, maxs, maxu, minimumf, mins, minu, andi, ori or xori of a type
         that `tile.atomic` updates;
    (C10) elements are of a type that `tile.alloc` allows.

    A `memref.atomic_rmw` happens once for its element; its result is the value
    before. It is relaxed, as `tile.atomic` is.

    | memory of a `memref.load` or `memref.store` | indices |
    |---|---|
    | global, shared, private | any |
    | `#tile.fragment` | parallel indices and constants, see (C3) |

    Example: `out = max(acc * scale[row] + bias[column], 0)`, cut at `n` columns.
    ```mlir
    tile.parallel (%i, %j) in [128, 64] {
      %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
      %s = memref.load %scale[%i] : memref<128xf32, #tile.fragment>
      %column = arith.addi %first, %j : index
      %inside = arith.cmpi ult, %column, %n : index
      scf.if %inside {
        %b = memref.load %bias[%column] : memref<?xf32>
        %y = math.fma %x, %s, %b : f32
        %z = arith.maximumf %y, %zero : f32
        memref.store %z, %out[%i, %column] : memref<128x?xf32>
      }
    }
    ```
  }];
  let arguments = (ins
    Arg<DenseI64ArrayAttr, "extents of the index space">:$extents,
    Arg<OptionalAttr<Tile_LayoutAttr>, "which thread runs which element">:$layout);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "custom<ElementLoop>($extents, $body) attr-dict";
  let hasRegionVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "exchanges the last two dimensions of a tile";
  let description = [{
    `dst[…, j, i] = convert(src[…, i, j])`, converted as `tile.copy` converts.
    Reads outside a tensor give the pad of the region, writes outside are
    dropped. Between fragments it may cost nothing: the layouts are chosen so.

    Constraints:
    (C1) `src` and `dst` are static, of rank 2 to 5;
    (C2) the last two extents of `dst` are those of `src` exchanged, the others
         the same;
    (C3) the element types are equal, or both float, or both integer;
    (C4) at least one of them is not in global memory, and none is private;
    (C5) a fragment is a whole tile, no window.

    | src \ dst | global | shared | fragment |
    |---|---|---|---|
    | global | – | yes | yes |
    | shared | yes | yes | yes |
    | fragment | yes | yes | yes |

    Example:
    ```mlir
    tile.transpose %As to %At : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #tile.fragment>
    ```
  }];
  let arguments = (ins Arg<Tile_Tile, "what is read">:$src,
                       Arg<Tile_Tile, "what is written">:$dst);
  let assemblyFormat = "$src `to` $dst attr-dict `:` type($src) `,` type($dst)";
  let hasVerifier = 1;
  let cEffects = 1;
}

def Tile_UnpackFp4Op : Tile_Op<"unpack_fp4", [Pure]> {
  let summary = "one of the two 4-bit floats in a byte";
  let description = [{
    A byte holds two e2m1 numbers (OCP Microscaling Formats: a sign, two bits of
    exponent with bias 1, one of mantissa; neither infinity nor NaN): number 0 in
    the low half. The result is number `index mod 2` of `pair`, exactly:

    | bits 0–2 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
    |---|---|---|---|---|---|---|---|---|
    | value | 0 | 0.5 | 1 | 1.5 | 2 | 3 | 4 | 6 |

    with a minus sign when bit 3 is set, also for 0.

    Constraints:
    (C1) the result is f32, f16, bf16, f8E4M3FN or f8E5M2.

    Example: a tile of weights, packed along the columns.
    ```mlir
    tile.parallel (%i, %j) in [64, 128] {
      %c2 = arith.constant 2 : index
      %byte = arith.divui %j, %c2 : index
      %pair = memref.load %packed[%i, %byte] : memref<64x64xi8, #gpu.address_space<workgroup>>
      %w = tile.unpack_fp4 %pair[%j] : bf16
      memref.store %w, %weights[%i, %j] : memref<64x128xbf16, #gpu.address_space<workgroup>>
    }
    ```
  }];
  let arguments = (ins Arg<I8, "two numbers">:$pair,
                       Arg<Index, "which of them: odd or even">:$index);
  let results = (outs Res<AnyType, "the number">:$value);
  let assemblyFormat = "$pair `[` $index `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Tile_UnpackOp : Tile_Op<"unpack", [Pure]> {
  let summary = "one of the small elements in a word";
  let description = [{
    `value = element (index mod n) of word`, where a word of W bits holds
    `n = max { 2^k : 2^k * bits <= W }` elements of so many bits beside each
    other, the first in the low bits: `bits(value) = (word >> bits * (index mod
    n)) mod 2^bits`. This is how memory has them: elements of 4 bits two in a
    byte, of 6 bits four in three bytes, so that a word of 32 bits holds four of
    6 bits in its low 24.

    | bits | types | in i8 | i16 | i32 | i64 |
    |---|---|---|---|---|---|
    | 4 | f4E2M1FN, i4 | 2 | 4 | 8 | 16 |
    | 6 | f6E3M2FN, f6E2M3FN | 1 | 2 | 4 | 8 |
    | 8 | f8E8M0FNU, f8E4M3FN, f8E5M2, i8 | 1 | 2 | 4 | 8 |

    It moves bits; `arith.extf`, `arith.extsi`, `arith.sitofp` make numbers of
    other types of them.

    Constraints:
    (C1) the word is a signless integer of 8, 16, 32 or 64 bits;
    (C2) the result is of one of the types of the table.

    Example: a tile of weights, eight in a word.
    ```mlir
    tile.parallel (%i, %j) in [64, 128] {
      %c8 = arith.constant 8 : index
      %at = arith.divui %j, %c8 : index
      %word = memref.load %packed[%i, %at] : memref<64x16xi32, #gpu.address_space<workgroup>>
      %code = tile.unpack %word[%j] : i32 to f4E2M1FN
      %w = arith.extf %code : f4E2M1FN to bf16
      memref.store %w, %weights[%i, %j] : memref<64x128xbf16, #gpu.address_space<workgroup>>
    }
    ```
  }];
  let arguments = (ins Arg<AnySignlessInteger, "elements beside each other">:$word,
                       Arg<Index, "which of them">:$index);
  let results = (outs Res<AnyType, "the element">:$value);
  let assemblyFormat = "$word `[` $index `]` attr-dict `:` type($word) `to` type($value)";
  let hasVerifier = 1;
}

def Tile_PackOp : Tile_Op<"pack", [Pure, SameTypeOperands]> {
  let summary = "a word of small elements";
  let description = [{
    `word = sum over k of bits(element k) << bits * k`: what `tile.unpack` takes
    apart, with the same types and as many elements at most. Bits above the last
    one are 0.

    Constraints:
    (C1) the word is a signless integer of 8, 16, 32 or 64 bits;
    (C2) the elements are of one of the types that `tile.unpack` lists;
    (C3) there are from 1 to as many as the word holds.

    Example: two numbers rounded to 4 bits in a byte.
    ```mlir
    %low = arith.truncf %x : f32 to f4E2M1FN
    %high = arith.truncf %y : f32 to f4E2M1FN
    %byte = tile.pack %low, %high : f4E2M1FN, f4E2M1FN to i8
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyType>, "the elements, the first in the low bits">:$elements);
  let results = (outs Res<AnySignlessInteger, "elements beside each other">:$word);
  let assemblyFormat = "$elements attr-dict `:` type($elements) `to` type($word)";
  let hasVerifier = 1;
}

#endif // TILE_ELEMENT_OPS_TD

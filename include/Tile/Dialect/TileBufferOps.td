//===- TileBufferOps.td - Tiles and windows of buffers --------------------===//
#ifndef TILE_BUFFER_OPS_TD
#define TILE_BUFFER_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "allocates a shared tile, a fragment or a private array";
  let description = [{
    The memory space of the result type says what is allocated:
    `#gpu.address_space<workgroup>` one tile per block, `#tile.fragment` one
    tile spread over the registers of the computing threads,
    `#gpu.address_space<private>` one array per thread. Contents are undefined.

    `layout` is given by the user or written by layout inference; the type never
    changes. `alignment` is in bytes. `offset` is the place in the dynamic
    shared memory of the block, in bytes; `tile-pack-shared-memory` writes it.

    Constraints:
    (C1) the memory space is one of the three;
    (C2) the shape is static, of rank 0 to 5 (rank 0 only for private memory),
         without extent 0, and of at most 2^31 - 1 elements;
    (C3) the memref has the identity layout;
    (C4) `alignment` is a power of two and only on shared tiles;
    (C5) `layout` only on shared tiles and fragments, and it can be parsed for
         the shape and element type;
    (C6) a shared layout maps elements to offsets and is injective, a fragment
         layout maps registers to elements and covers the tile;
    (C7) `offset` only on shared tiles, at least 0, a multiple of the alignment
         (without one: of the element size);
    (C8) the element type is f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU,
         f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits,
         signless or unsigned, i1 or i4. i1 is stored in one byte; elements of 4
         bits are two in a byte and those of 6 bits four in three bytes, the
         first in the low bits, in shared tiles as in tensors, and one in a byte
         in fragments and private arrays; see the pass `tile-expand-types`;
    (C9) a private array has at most 512 KiB, the local memory of a thread.

    | memory space | lifetime | `layout` | `alignment`, `offset` |
    |---|---|---|---|
    | `#gpu.address_space<workgroup>` | the block | elements to offsets | yes |
    | `#tile.fragment` | the block | registers to elements | no |
    | `#gpu.address_space<private>` | the thread | no | no |

    Example:
    ```mlir
    %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<OptionalAttr<Tile_LayoutAttr>, "placement of the elements">:$layout,
    Arg<OptionalAttr<I64Attr>, "alignment of the first byte">:$alignment,
    Arg<OptionalAttr<I64Attr>, "first byte in dynamic shared memory">:$offset);
  let results = (outs Res<AnyMemRef, "the tile", [MemAlloc]>:$memref);
  let assemblyFormat = "attr-dict `:` type($memref)";
  let hasVerifier = 1;
}

def Tile_RegionOp : Tile_Op<"region", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "window of a buffer";
  let description = [{
    `region[i, j, …] = source[offset0 + i, offset1 + j, …]` for
    `0 <= i < size0`, …. Reads outside the buffer give `pad` (default 0), writes
    outside are dropped. Offsets are any index values, negative ones included.
    Dimensions listed in `dropped` have size 1 and do not appear in the result.

    With `by %ids[%first] dim g` places in dimension `g` are named by numbers:
    `region[…, i, …] = source[…, ids[ids_offset + i], …]`, a window that is gathered
    when it is read and scattered when it is written or updated. A number below
    0, above the end of the dimension, or past the end of `ids` names nothing:
    reads give `pad`, writes are dropped. Numbers may repeat where the window is
    read or updated; of several writes to one place any may win. The numbers are
    read where the window is: an op that uses it reads `ids` as well.

    Rows of a gathered window that are contiguous move as others do, by cp.async
    too, up to 16 bytes per instruction and one group for all of them; TMA does
    not take it. Fragments pass a shared tile.

    With `end [d, …] (%e, …)` the window ends at place `%e` of dimension `d`, if
    the buffer does not end before it: what is there or behind it is outside. So a
    group of rows has an end of its own, which only the kernel knows. A window of
    a `memref.subview` with sizes of run time and strides of 1 becomes such a
    window where offsets into it are known not to be negative; any other part of
    a tensor that a kernel makes (`memref.subview`, `memref.reinterpret_cast`) is
    a tensor of its own, which begins and ends where the kernel says. TMA takes such
    windows where the dimension is not the last one and they are known not to
    begin before place 0 of it, by arithmetic or by the fact `starts_inside`.

    `align` is a fact: the address of `source` and every stride but the last are
    multiples of that many bytes. `tile-make-variants` writes it where a
    `tile.require` on the host guarantees it.

    `starts_inside` is a fact: in the dimensions of `end` no offset is negative.
    Windows of a `memref.subview`, which begins in its tensor, get it.

    `on_grid` is a fact: every offset is a multiple of the size in its dimension.
    `tile-layout-inference` writes it on windows of shared tiles that products
    read, because the loops that show it are gone when products are lowered.

    Constraints:
    (C1) one offset and one size per dimension of `source`;
    (C2) sizes are at least 1, and the window has at most 2^31 - 1 elements;
    (C3) dropped dimensions are in range, ascending and of size 1, and at least
         one dimension stays;
    (C4) a shared tile, fragment or private array is not left: static offsets
         are at least 0 and offset + size at most the extent;
    (C5) `pad` has the element type of `source`, which is in global memory;
    (C6) `align` is a power of two;
    (C7) every user is a tile op;
    (C8) `source` is in global, shared or private memory or a fragment;
    (C9) with `on_grid` the constant offsets are multiples of the sizes;
    (C10) constant offsets fit 32 bits, as indices of kernels do;
    (C11) `ids`, `ids_offset` and `dim` are given together; `ids` is of rank 1, of i32
          or i64, in global or shared memory;
    (C12) with `ids` the source is in global memory, and `dim` is a dimension of
          it that is not dropped and has the constant offset 0;
    (C13) every user of a window with `ids` is a `tile.copy`, `tile.atomic`,
          `tile.transpose`, `tile.arrange`, `tile.reduce_by` or `tile.scan_by`;
    (C14) `bounded` has ascending dimensions of a source in global memory, each
          with one of `ends`;
    (C15) `starts_inside` only with `end`, and constant offsets there are at least 0.

    Example:
    ```mlir
    %a = tile.region %A[%b, %m, 0] [1, 128, 64] drop [0] : memref<?x?x?xbf16>
    ```
    The result is `!tile.region<128x64xbf16>`. Rows of a table, named by numbers:
    ```mlir
    %rows = tile.region %table[0, %k] [64, 32] by %ids[%m] dim 0 : memref<?x?xbf16>, memref<?xi32>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the buffer">:$source,
    Arg<Variadic<Index>, "the offsets that are not constant">:$offsets,
    Arg<Variadic<Index>, "where the window ends in the dimensions `bounded`">:$ends,
    Arg<Optional<Tile_Tile>, "numbers that name places in `dim`">:$ids,
    Arg<Optional<Index>, "place in `ids` of the first one">:$ids_offset,
    Arg<Optional<AnyType>, "what reads outside the buffer give">:$pad,
    Arg<DenseI64ArrayAttr, "one per dimension; a marker: in `offsets`">:$static_offsets,
    Arg<DenseI64ArrayAttr, "extents of the window">:$static_sizes,
    Arg<DefaultValuedAttr<DenseI64ArrayAttr, "{}">,
        "dimensions of size 1 that the result lacks">:$dropped,
    Arg<DefaultValuedAttr<DenseI64ArrayAttr, "{}">,
        "dimensions in which the window ends before the buffer">:$bounded,
    Arg<OptionalAttr<I64Attr>, "dimension whose places are named">:$dim,
    Arg<OptionalAttr<I64Attr>, "known alignment in bytes">:$align,
    Arg<UnitAttr, "offsets are not negative where the window has an end">:$starts_inside,
    Arg<UnitAttr, "offsets are multiples of the sizes">:$on_grid);
  let results = (outs Res<Tile_RegionType, "the window">:$region);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($offsets, $static_offsets)
    $static_sizes (`drop` $dropped^)? (`end` $bounded^ `(` $ends `)`)? (`by` $ids^ `[` $ids_offset `]` `dim` $dim)?
    (`pad` $pad^ `:` type($pad) `in`)? attr-dict `:` type($source)
    (`,` type($ids)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let cInfer = 1;
}

def Tile_TensorAtOp : Tile_Op<"tensor_at", [Pure]> {
  let summary = "the tensor at an address that the kernel knows";
  let description = [{
    Names global memory by its address, in bytes: a number of 64 bits that a
    table in memory holds, or that the host gave. The result begins there, row by
    row; `memref.reinterpret_cast` gives it the extents and strides that are
    known at run time. So tensors of a batch may each have memory of their own.
    The host gives an address (`tile.address`) as i64: an index of a kernel has
    32 bits.

    It is apart from all other tensors of the kernel, as arguments are, but for
    those whose address comes from the same table, or from the same value: these
    may share memory. Addresses that are computed from others may be anywhere.

    `align` on a `tile.region` says how its rows are aligned. A kernel for sm_90a
    makes tensor maps of it itself (`tile.map_make`).

    Constraints:
    (C1) the result is in global memory, has the identity layout, a static shape
         and rank 0 to 5;
    (C2) inside a kernel.

    Example:
    ```mlir
    %address = memref.load %pointers[%group] : memref<?xi64>
    %first = tile.tensor_at %address : memref<f16>
    %A = memref.reinterpret_cast %first to offset: [0], sizes: [%m, %k], strides: [%k, 1] : memref<f16> to memref<?x?xf16, strided<[?, 1]>>
    ```
  }];
  let arguments = (ins Arg<I64, "address of the first byte">:$address);
  let results = (outs Res<AnyMemRef, "the tensor">:$tensor);
  let assemblyFormat = "$address attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Tile_StorageOp : Tile_Op<"storage", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], /*isView=*/1> {
  let summary = "the linear storage behind a tile";
  let description = [{
    `storage[o]` is the element at offset `o` of the layout of a shared tile
    (the same for the whole block), or register `o` of the executing thread of a
    fragment (in private memory). Lowering uses it; it needs a known layout.

    Constraints:
    (C1) `tile` is the result of a `tile.alloc` with a layout, or a view of it.

    Example:
    ```mlir
    %s = tile.storage %As : memref<128x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "a tile with a layout">:$tile);
  let results = (outs Res<AnyMemRef, "its storage, of rank 1">:$storage);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
  let cInfer = 1;
}

#endif // TILE_BUFFER_OPS_TD

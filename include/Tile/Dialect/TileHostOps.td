//===- TileHostOps.td - Kernel and host side ------------------------------===//
#ifndef TILE_HOST_OPS_TD
#define TILE_HOST_OPS_TD

include "Tile/Dialect/TileAttrs.td"
include "Tile/Dialect/TileTypes.td"

def Tile_BlockSwizzleOp : Tile_Op<"block_swizzle", [Pure]> {
  let summary = "rasterised block ids";
  let description = [{
    Renumbers the blocks of a `grid_x` x `grid_y` grid so that blocks that run
    at the same time share operands. With linear id `l = y · grid_x + x` the
    grid is cut in panels of `panel` rows (`raster = row`) or columns
    (`raster = column`); blocks are numbered along the short side of a panel
    first. With `serpentine` every second panel runs backwards. A last panel
    may be smaller. The map is a bijection of the grid: `l` is below
    `grid_x · grid_y`.

    Constraints:
    (C1) `panel` is at least 1.

    Example:
    ```mlir
    %i, %j = tile.block_swizzle %bx, %by of %gx, %gy {panel = 8 : i64}
    ```
  }];
  let arguments = (ins
    Arg<Index, "block id, column">:$x, Arg<Index, "block id, row">:$y,
    Arg<Index, "columns of the grid">:$grid_x,
    Arg<Index, "rows of the grid">:$grid_y,
    Arg<DefaultValuedAttr<I64Attr, "8">, "short side of a panel">:$panel,
    Arg<DefaultValuedAttr<Tile_RasterAttr, "::tile::Raster::Row">,
        "whether panels are rows or columns">:$raster,
    Arg<UnitAttr, "every second panel runs backwards">:$serpentine);
  let results = (outs Res<Index, "new column">:$new_x,
                      Res<Index, "new row">:$new_y);
  let assemblyFormat = "$x `,` $y `of` $grid_x `,` $grid_y attr-dict";
  let hasVerifier = 1;
}

def Tile_KernelConfigOp : Tile_Op<"kernel_config"> {
  let summary = "options of the kernel whose body holds it";
  let description = [{
    `min_blocks`: blocks that must fit on one multiprocessor. `registers`: upper
    bound per thread. `specialize`: whether the kernel may be split into roles.
    `persist`: whether its blocks loop over tiles; true: they must, which is an
    error where they cannot; absent: where it pays. `producer_warps`: warps of
    the producer that `tile-ws-tiled` makes, which chooses without; whole
    warpgroups can hand registers to the consumers. `rotate`: whether loops run
    wgmma products that depend on others of their iteration beside those of the
    next one; absent: where it is possible. `partition`: `pingpong`, the computing
    warpgroups of such loops in roles take turns to multiply, those of persistent
    products compute tiles in turn, each on 128 threads, whatever the launch has; a
    remark says where they cannot; `cooperative`, they do not; absent: `pingpong`
    where it is possible. `split`: blocks of a cluster that share the depth of the
    product, as `tile-split-depth` has it; 1: none; more: they must; absent: where it
    pays.
    Outlining drops the attributes of a launch, so they sit on this op.

    Constraints:
    (C1) directly inside a `gpu.launch`, `gpu.func` or `func.func`, at most once;
    (C2) `min_blocks` is from 1 to 32;
    (C3) `registers` is from 24 to 255;
    (C4) `producer_warps` is from 1 to 31;
    (C5) `split` is from 1 to 8.

    Example:
    ```mlir
    tile.kernel_config {min_blocks = 2 : i64, producer_warps = 4 : i64}
    ```
  }];
  let arguments = (ins
    Arg<OptionalAttr<I64Attr>, "blocks per multiprocessor">:$min_blocks,
    Arg<OptionalAttr<I64Attr>, "bound on registers per thread">:$registers,
    Arg<OptionalAttr<Tile_SpecializeAttr>, "split into roles">:$specialize,
    Arg<OptionalAttr<BoolAttr>, "blocks loop over tiles">:$persist,
    Arg<OptionalAttr<I64Attr>, "warps of the producer">:$producer_warps,
    Arg<OptionalAttr<BoolAttr>, "rotate loops with dependent products">:$rotate,
    Arg<OptionalAttr<Tile_PartitionAttr>, "whether warpgroups take turns">:$partition,
    Arg<OptionalAttr<I64Attr>, "blocks that share the depth of a product">:$split);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

// Ops of the host count as reads, which are not moved into kernels: what is free
// of effects may be sunk into the branch that uses it.
def Tile_TensorMapOp : Tile_Op<"tensor_map", [MemoryEffects<[MemRead]>]> {
  let summary = "a TMA tensor map of a tensor";
  let description = [{
    Describes `tensor` to the TMA unit: boxes of `box` elements (memref order,
    one extent per dimension), placed in shared memory with a swizzle of
    `swizzle` bytes. It is made on the host and captured by the launch.

    With `lower`, `upper` and `step` it has the im2col form: `tensor` has images,
    one to three dimensions of pixels, and channels; the box is of pixels and
    channels. In each dimension of pixels the first element of a filter visits
    every `step`-th pixel from `lower`, relative to the first one, to `upper`,
    relative to the last one. Such maps serve copies from `tile.im2col`.

    With `ends` it serves windows that end where the kernel says, in each
    dimension for which the list has a number other than 0: their extent in it.
    The hardware knows one end, that of the map. So the map has the dimension
    twice, with one stride: `x` from 0 to the extent `w` of the window, and `y`
    from 0 to the end of the tensor, `w` places further back. Element `i` of a
    window from `first` to `end` is at `x = w - r + i` and `y = first + r`, with
    `r` elements, at most `w`, before the end: what is behind it has no `x`, is
    read as zero and not written.

    Constraints:
    (C1) `tensor` is in global memory, of rank 1 to 5, with last stride 1;
    (C2) one box extent per dimension, each from 1 to 256; in the im2col form
         two, the pixels from 1 to 1024 and the channels from 1 to 256;
    (C3) `swizzle` is 0, 32, 64 or 128;
    (C4) the innermost box row is a multiple of 16 bytes, and at most `swizzle`
         bytes unless that is 0;
    (C5) constant strides but the last are multiples of 16 bytes;
    (C6) not inside a kernel;
    (C7) all of `lower`, `upper` and `step` or none, on tensors of rank 3 to 5, a
         number each per dimension of pixels: corners of 16 bits in rank 3, 8 in
         rank 4 and 5 in rank 5, steps from 1 to 8;
    (C8) `ends` in the tiled form only, one number of at least 0 per dimension, 0
         for the last one; rank and numbers other than 0 are at most 5 together.

    | form | `box` | copies |
    |---|---|---|
    | tiled | one extent per dimension | windows of `tile.region` |
    | im2col | pixels, channels | windows of `tile.im2col` |

    Example:
    ```mlir
    %t = tile.tensor_map %A box [128, 64] swizzle 128 : memref<?x?xbf16>
    %g = tile.tensor_map %A box [128, 64] ends [128, 0] swizzle 128 : memref<?x?xbf16>
    %i = tile.tensor_map %X box [128, 64] lower [-1, -1] upper [-1, -1] step [2, 2] swizzle 128 : memref<?x?x?x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "the tensor">:$tensor,
    Arg<DenseI64ArrayAttr, "extents of a box, in elements">:$box,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "extents of windows in dimensions that the kernel ends">:$ends,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "first pixels, from the first ones">:$lower,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "last pixels, from the last ones">:$upper,
    Arg<OptionalAttr<DenseI64ArrayAttr>, "pixels from one to the next">:$step,
    Arg<DefaultValuedAttr<I64Attr, "0">, "swizzle span in bytes">:$swizzle);
  let results = (outs Res<Tile_TensorMapType, "the tensor map">:$map);
  let assemblyFormat = [{
    $tensor `box` $box (`ends` $ends^)? (`lower` $lower^)? (`upper` $upper^)? (`step` $step^)?
    (`swizzle` $swizzle^)? attr-dict `:` type($tensor)
  }];
  let hasVerifier = 1;
}

def Tile_RequireOp : Tile_Op<"require"> {
  let summary = "a condition that a launch needs";
  let description = [{
    On the host, outside a launch. Directly in the function: the call fails with
    `text` when the condition is false. Inside a region of `tile.variants`: the
    variant is passed over. `actual` is the number that the condition is about,
    for the message.

    Constraints:
    (C1) not inside a kernel;
    (C2) `text` is not empty.

    Example:
    ```mlir
    tile.require %aligned, "stride 0 of A is a multiple of 16 bytes" actual %pitch
    ```
  }];
  let arguments = (ins Arg<I1, "what must hold">:$condition,
                       Arg<StrAttr, "the message when it does not">:$text,
                       Arg<Optional<Index>, "the number it is about">:$actual);
  let assemblyFormat = "$condition `,` $text (`actual` $actual^)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_VariantsOp : Tile_Op<"variants", [NoTerminator, NoRegionArguments]> {
  let summary = "variants of a launch, tried in order";
  let description = [{
    Each region holds host code, `tile.require` ops and one launch. The first
    region whose requirements hold runs; the others have no effect.

    Constraints:
    (C1) at least one region, each of one block;
    (C2) each region holds exactly one `gpu.launch` or `gpu.launch_func`, not
         nested in another op;
    (C3) not inside a kernel.

    Example:
    ```mlir
    tile.variants {
      tile.require %aligned, "rows of A start at multiples of 16 bytes"
      gpu.launch …
    }, {
      gpu.launch …
    }
    ```
  }];
  let regions = (region VariadicRegion<SizedRegion<1>>:$variants);
  let assemblyFormat = "attr-dict-with-keyword $variants";
  let hasRegionVerifier = 1;
}

def Tile_AddressOp : Tile_Op<"address", [MemoryEffects<[MemRead]>]> {
  let summary = "address of the first element of a tensor, on the host";
  let description = [{
    In bytes, the offset of the memref included. Variants compare it with the
    alignment that their instructions need.

    Constraints:
    (C1) `tensor` is in global memory;
    (C2) not inside a kernel.

    Example:
    ```mlir
    %p = tile.address %A : memref<?x?xbf16>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "the tensor">:$tensor);
  let results = (outs Res<Index, "its address in bytes">:$address);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Tile_NumSmsOp : Tile_Op<"num_sms", [MemoryEffects<[MemRead]>]> {
  let summary = "number of multiprocessors of the device, on the host";
  let description = [{
    Sizes the grid of a kernel whose blocks loop over tiles. The launcher
    evaluates it for the device that the kernel runs on.

    Constraints:
    (C1) not inside a kernel.

    Example:
    ```mlir
    %sms = tile.num_sms
    ```
  }];
  let results = (outs Res<Index, "multiprocessors, at least 1">:$count);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_HOST_OPS_TD

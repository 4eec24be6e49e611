//===- Passes.td - Every pass, in pipeline order --------------------------===//
#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def NameArguments : Pass<"tile-name-arguments", ""> {
  let summary = "Names the arguments of host functions";
  let description = [{
    Consumes: functions that launch kernels or call functions, as they were
    parsed.
    Produces: `tile.name` on arguments that have none: the name of their location,
    `loc("A")`. The parsers of `tile-compile` and `tile-opt` do the same with the
    names in the text, so that launch metadata has them after any round trip.
    Keeps: arguments that have one, and everything else.
    Fails: never.
  }];
}

def FormConvolutions : Pass<"tile-form-convolutions", ""> {
  let summary = "Makes products of convolutions";
  let description = [{
    Consumes: convolutions of linalg on tensors or memrefs, named or generic, with one to
    three dimensions of pixels, in groups or not; the `tensor.pad` before them and the
    elements after them.
    Produces: a product of a matrix of gathered pixels and the weights. A
    `linalg.generic` gathers what the filter meets at each point of the result, pads
    included; where `tile.im2col` gathers the same, it says so in the attribute
    `tile.im2col`, and the loop is never run. With the channels last the points of
    all images are rows of one matrix, else each image is a matrix; each group of
    channels is a batch of the product. With a depth of at least 128 elements, and rows
    of channels that TMA takes, image, weights and result with another order are moved
    once each, so that `tile.im2col` gathers; the images of a group follow one another
    then, and elements after the convolution are done before its result is moved back.
    Transpositions of the image go, and where its
    channels do not come last those of weights and result as well. Elements after
    the convolution have the same loops, a bias that the sums begin with is added
    after them, and a view has the shape of the result.
    Keeps: convolutions whose channels each have a filter of their own, and those whose
    channels or filters are dynamic; a remark says why. The number of images and of
    pixels may be dynamic.
    Fails: never.
  }];
  let dependentDialects = ["arith", "bufferization", "linalg", "tensor", "tile"];
}

def FormKernels : Pass<"tile-form-kernels", ""> {
  let summary = "Cuts a graph of linalg ops into kernels";
  let description = [{
    Consumes: functions with linalg ops on tensors, or on memrefs.
    Produces: a private function for each kernel, and a call of it. The function
    says which schedule tiles it (`tile.schedule`) and with which sizes
    (`tile.block`, `tile.loop`, `tile.threads`, `tile.depth_stages`), which the shapes and
    the chip decide, and marks its last op (`tile.root`), its product and what fills its sum (`tile.product`,
    `tile.accumulator`). A remark says of each op which kernel it went to, and why
    it did not go to that of the ops that use it. Products of narrow floats sum in
    f32 and are rounded once; they read factors from before these were transposed or
    collapsed, and write their result where it would be transposed to.
    Two products around a softmax become one function with the loops of flash
    attention, already in `scf.forall`; blocks of keys that a mask of places hides,
    causal or of a window, have no step.
    What a loop of the host carries is written where it was; a number that is taken out of
    a tensor without dimensions is read by the kernel that uses it.
    Keeps: other ops on tensors, which the host does; what is in `scf.forall`.
    Fails: an op of linalg is no loops with a body; an `scf.while` carries tensors.

    | schedule | kernels |
    |---|---|
    | `product`, `product2` | a contraction along one dimension, or two, and elements after it |
    | `rows` | reductions along rows that a block holds, elements before and after |
    | `reduction` | one reduction of any length |
    | `elements` | elements |
    | `loops` | windows, such as pooling; several results; sums that read no element per term |
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to choose sizes for, if the module does not say; sm_90a by default">
  ];
  let dependentDialects = ["affine", "arith", "bufferization", "func", "gpu", "linalg", "math", "scf", "tensor", "tile"];
}

def ApplySchedules : Pass<"tile-apply-schedules", ""> {
  let summary = "Tiles and fuses kernels by scripts";
  let description = [{
    Consumes: functions with `tile.schedule`, and the `transform.named_sequence` of
    that name: one of the module, one of a module in it, or one of those that are
    shipped in `share/tile/schedules`.
    Produces: what the script makes of the function, with a block mapping and
    `tile.num_threads` on each `scf.forall`. Scripts of the module are gone then. An op of the script with
    `tile.sizes = "block"` or `"loop"` gets the sizes of the function instead of its
    own; a parameter with `"mapping"` is a block mapping for as many loops as have
    a size, one with `"stages"` the stages of the loop over the depth.
    With `prepare` it consumes functions that have none yet, and runs the script
    `prepare` on those with ops of linalg or on tensors: it rewrites ops to such that
    `tile-form-kernels` knows.
    Fails: there is no such script, or it fails.
  }];
  let options = [
    Option<"prepare", "prepare", "bool", "false",
           "run the script `prepare` on functions that have no schedule">
  ];
  let dependentDialects = ["arith", "gpu", "linalg", "scf", "tensor", "tile", "transform"];
}

def ConvertLinalgToTile : Pass<"convert-linalg-to-tile", ""> {
  let summary = "Makes kernels of blocks of linalg ops";
  let description = [{
    Consumes: bufferised `scf.forall` with a block mapping (`#gpu.block`). Its
    body holds linalg ops and `memref.copy` on whole allocations and on
    `memref.subview` of tensors, `scf.for` and `scf.if`; sizes that depend on the
    block are minima with a constant, in `arith` (`lower-affine` first).
    Produces: a `gpu.launch`. Allocations become tiles, windows `tile.region`;
    products of the types that tensor cores take become `tile.gemm`, reductions
    `tile.reduce`, everything else element loops, with loops over what is reduced
    inside. A product of f32 is exact unless `tf32` is given. Element loops compute
    chains of 16-bit floats in f32 and round what leaves the loop; functions of bf16
    may be one instruction. A window of 16-bit elements that meets the sum of a
    product comes by way of shared memory. A mask by places stands in a condition
    on whether it hides an element of the round.
    Keeps: casts that the program has, attributes of loops (`tile.num_stages`), and what is outside. No size is
    chosen and nothing is fused: that is what schedules are for. `tile.num_threads`
    on the loop, or the option `threads`, says how many threads a block has.
    Fails: an op is not understood; an extent of a tile has no constant bound; a
    part of a tile is taken.

    Where a window ends before its tensor does, elements after it are masked; where
    it ends with the tensor, reads give pads and writes are dropped.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "128", "threads of a block">,
    Option<"tf32", "tf32", "bool", "false",
           "products of f32 may lose 13 bits of the factors">
  ];
  let dependentDialects = ["arith", "gpu", "memref", "scf", "tile"];
}

def InlineCalls : Pass<"tile-inline-calls", ""> {
  let summary = "Inlines what kernels call";
  let description = [{
    Consumes: `func.call` in kernels.
    Produces: the body of the function in its place, as what a kernel does with
    its tiles is decided in one piece.
    Keeps: calls with `no_inline`, and those of functions that have it, that call
    themselves, that have no body, or whose body has several blocks where one is
    expected: they become calls on the GPU. Host functions. At most 4096 calls of
    a kernel are inlined.
    Fails: never.
  }];
  let dependentDialects = ["cf", "func"];
}

def MarkAliases : Pass<"tile-mark-aliases", ""> {
  let summary = "Marks arguments that share memory where functions are called";
  let description = [{
    Consumes: `func.call` with memrefs that may share memory: the same one twice,
    views of one, what a loop carries or a branch chooses.
    Produces: `tile.may_alias` on those arguments of the function that is called,
    when it may write one of them.
    Keeps: everything else.
    Fails: never.

    What a program gives a host function is compared by the launcher; what
    functions give one another is not.
  }];
}

def VerifyWrites : Pass<"tile-verify-writes", ""> {
  let summary = "Reports tiles that are read before they are written";
  let description = [{
    Consumes: kernels as the user wrote them: fragments, shared and private
    tiles.
    Produces: nothing. A warning (`tile-verify/unwritten`) where some path does
    not write a tile that is read, once per tile.
    Keeps: everything.
    Fails: no path writes a tile that is read.

    Loops are taken to run, unless constant bounds say otherwise, so nothing is
    said of a sum that only a loop without rounds would leave unwritten. What
    the first round of a loop reads must be written before it. A branch in a
    loop counts after the loop as well. One that asks for the very number of a
    round or looks at what rounds hand on, branches that look at one value, and
    reads under a condition get the benefit of the doubt. A write of a part
    counts as one of the tile; elements that a guard leaves out are reported
    where a reduction, a scan or a product would add them to others.
  }];
}

def SinkFills : Pass<"tile-sink-fills", ""> {
  let summary = "Fills become the else of what writes after them";
  let description = [{
    Consumes: fills of whole shared tiles, and the statement after each that writes
    the tile: an `scf.if`, a loop that copies the tile part by part, a loop over its
    elements.
    Produces: the fill on the paths of that statement that write nothing there,
    part by part; no fill where there is no such path. So every path fills the tile
    once, as roles and pipelines ask.
    Keeps: fills of which every path is left; copies that signal or are
    asynchronous, and the fills before them; element loops that read the tile.
    Fails: never.

    Before:
    ```mlir
    tile.fill %As, %zero : memref<64x32xbf16, #gpu.address_space<workgroup>>, bf16
    scf.for %r = %c0 to %c64 step %c1 {
      …
      scf.if %is_there {
        %row = tile.region %As[%r, 0] [1, 32] : memref<64x32xbf16, #gpu.address_space<workgroup>>
        tile.copy %x to %row : !tile.region<1x32xbf16>, !tile.region<1x32xbf16, #gpu.address_space<workgroup>>
      }
    }
    ```
    After:
    ```mlir
    scf.for %r = %c0 to %c64 step %c1 {
      …
      scf.if %is_there {
        …
      } else {
        %row = tile.region %As[%r, 0] [1, 32] : memref<64x32xbf16, #gpu.address_space<workgroup>>
        tile.fill %row, %zero : !tile.region<1x32xbf16, #gpu.address_space<workgroup>>, bf16
      }
    }
    ```
  }];
  let dependentDialects = ["memref", "scf", "tile"];
}

def MakeVariants : Pass<"tile-make-variants", ""> {
  let summary = "Clones a launch for what the host finds out about tensors";
  let description = [{
    Consumes: launches whose best instructions need facts that only the host
    knows: aligned base addresses and row pitches.
    Produces: `tile.variants` with at most ten launches, best first. All but the
    last hold `tile.require` ops and facts (`align` on `tile.region`) of 16, 8 or
    4 bytes for all tensors that gain by them or for some: one that is not
    aligned costs no other its instruction. The last needs nothing.
    Keeps: launches that need no such fact, and everything else.
    Fails: never; a launch whose body cannot be cloned gets a remark.
  }];
  let dependentDialects = ["arith", "memref", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def GuardMasks : Pass<"tile-guard-masks", ""> {
  let summary = "Masks run in the rounds of a loop where they hide something";
  let description = [{
    Consumes: `tile.parallel` in an `scf.for` that stores an element or, where its
    place says so, something else: the lower triangle of scores, keys that are there.
    Produces: the loop in an `scf.if` whose condition asks the corner of the tile that
    is hidden first. An `scf.if` in the loop between an element of a fragment and a
    constant is an `arith.select`.
    Keeps: loops that do more, and masks that depend on other things than places.
    Fails: never.

    Before:
    ```mlir
    tile.parallel (%i, %j) in [64, 64] {
      %is_key = arith.cmpi slt, %j, %left : index
      %s = memref.load %S[%i, %j] : memref<64x64xf32, #tile.fragment>
      %t = arith.select %is_key, %s, %low : f32
      memref.store %t, %S[%i, %j] : memref<64x64xf32, #tile.fragment>
    }
    ```
    After:
    ```mlir
    %hides_nothing = arith.cmpi slt, %c63, %left : index
    %hides = arith.xori %hides_nothing, %true : i1
    scf.if %hides {
      tile.parallel (%i, %j) in [64, 64] { … }
    }
    ```
  }];
  let dependentDialects = ["tile", "arith", "scf"];
}

def SinkLoads : Pass<"tile-sink-loads", ""> {
  let summary = "Loads fragments where they are used";
  let description = [{
    Consumes: copies from tensors to fragments in the body of a launch.
    Produces: the same copies, each before the first op that uses its fragment,
    where it stood before a reduction or a scan that does not; a remark for each.
    Keeps: copies that signal, are asynchronous, require or prefer an instruction
    or have a stage; copies in loops, and before a loop that is before their use;
    copies before an op that may write to a tensor.
    Fails: never.

    Before:
    ```mlir
    tile.copy %scale to %w : !tile.region<1024xbf16>, memref<1024xf32, #tile.fragment>
    tile.reduce sum %x to %mean dim 1 : memref<4x1024xf32, #tile.fragment>, memref<4xf32, #tile.fragment>
    tile.parallel (%i, %j) in [4, 1024] { … %w[%j] … }
    ```
    After:
    ```mlir
    tile.reduce sum %x to %mean dim 1 : memref<4x1024xf32, #tile.fragment>, memref<4xf32, #tile.fragment>
    tile.copy %scale to %w : !tile.region<1024xbf16>, memref<1024xf32, #tile.fragment>
    tile.parallel (%i, %j) in [4, 1024] { … %w[%j] … }
    ```
  }];
  let dependentDialects = ["tile"];
}

def SplitDepth : Pass<"tile-split-depth", ""> {
  let summary = "Several blocks share the depth of a product";
  let description = [{
    Consumes: a `gpu.launch` with one loop in its body that copies from tensors to
    shared tiles and adds products of these to fragments, which begin as zero: a
    product whose depth the loop goes along.
    Produces: a launch with several times the blocks in z, which form clusters. Each
    block of a cluster runs a part of the loop and writes its sums to shared memory;
    after a `tile.cluster_sync` the first one adds those of the others in the order of
    their ranks, and alone does what follows the loop. Sums are the same in each run.
    The loop has fewer stages where sums need their room.
    Where it pays: the grid and the loop are constants, and by the model of cost
    (`tile_cost_split`) the launch takes a tenth less time, since it leaves
    multiprocessors idle otherwise. `split` of `tile.kernel_config` gives a number,
    also where extents are not known.
    A remark, `tile-split/depth` or `tile-split/asked`, says so.
    Keeps: launches with clusters, with `persist = true`, with barriers or roles of
    their own, chips without clusters.
    Fails: where `split` asks for more than one block, and it is not possible.

    Before:
    ```mlir
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c32, %gy = %c1, %gz = %c1) … {
      tile.fill %acc, %zero : …
      scf.for %k = %c0 to %c4096 step %c128 { … tile.gemm %a, %b, %acc … }
      tile.copy %acc to %c : …
    ```
    After:
    ```mlir
    gpu.launch clusters(%cx, %cy, %cz) in (%kx = %c1, %ky = %c1, %kz = %c4)
               blocks(%bx, %by, %bz) in (%gx = %c32, %gy = %c1, %gz = %c4) … {
      tile.fill %acc, %zero : …
      scf.for %k = %first to %last step %c128 { … tile.gemm %a, %b, %acc … }
      tile.copy %acc to %part : …
      tile.cluster_sync
      scf.if %is_first {
        scf.for %rank = %c1 to %c4 step %c1 {
          %theirs = tile.remote %part at %rank : …
          …
        }
        tile.copy %acc to %c : …
      }
    ```
  }];
  let dependentDialects = ["arith", "gpu", "memref", "scf", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def StageRows : Pass<"tile-stage-rows", ""> {
  let summary = "Reads rows beside accumulators from shared memory";
  let description = [{
    Consumes: copies of rows of tensors to fragments of one dimension that element
    loops read, such as a bias.
    Produces: tiles of shared memory in their place, with elements as the tensor
    has them, where two warpgroups can take the tiles of the product in turn only if
    these fragments take no registers (a quarter of the columns each), or where the
    loops that read them have at most 8 operations, such as a bias alone; a remark
    for each (`tile-stage/row`). `tile-ws-tiled` then lets the producer bring them.
    Keeps: those of kernels with `persist = false`; rows of more than 256 elements, or whose elements are not those of the
    fragment and no 16-bit floats; rows that other ops read or write; copies that
    signal, are asynchronous, require or prefer an instruction or have a stage.
    Fails: never.

    Before:
    ```mlir
    tile.copy %bias to %row : !tile.region<192xbf16>, memref<192xf32, #tile.fragment>
    tile.parallel (%i, %j) in [128, 192] {
      %y = memref.load %row[%j] : memref<192xf32, #tile.fragment>
      …
    }
    ```
    After:
    ```mlir
    tile.copy %bias to %row : !tile.region<192xbf16>, memref<192xbf16, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [128, 192] {
      %x = memref.load %row[%j] : memref<192xbf16, #gpu.address_space<workgroup>>
      %y = arith.extf %x : bf16 to f32
      …
    }
    ```
  }];
  let dependentDialects = ["arith", "gpu", "memref", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def StageStores : Pass<"tile-stage-stores", ""> {
  let summary = "Stores accumulators through shared memory, by TMA";
  let description = [{
    Consumes: copies of accumulators of products, and of what is computed from
    them element by element, to windows of tensors that TMA can store. Such
    fragments lie in pieces of a few bytes of many rows.
    Produces: a tile of shared memory, a copy to it, and a copy from it to the
    window. When the tile does not fit beside what the kernel has, parts of some
    columns, with two tiles in turns: one is stored while the next one is
    written. No block of a multiprocessor is given up for it.
    Keeps: copies with a given instruction, and those whose least parts do not
    fit (remark `tile-stage/shared-memory`).
    Fails: never.

    Before:
    ```mlir
    tile.copy %acc to %c : memref<128x256xf32, #tile.fragment>, !tile.region<128x256xbf16>
    ```
    After, with room for 34,816 bytes:
    ```mlir
    %p0 = tile.region %acc[0, 0] [128, 64] : memref<128x256xf32, #tile.fragment>
    tile.copy %p0 to %S0 : !tile.region<128x64xf32, #tile.fragment>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    %c0 = tile.region %C[%m, %n] [128, 64] : memref<?x?xbf16>
    tile.copy %S0 to %c0 : memref<128x64xbf16, #gpu.address_space<workgroup>>, !tile.region<128x64xbf16>
    // and so on, %S1, %S0, %S1
    ```
  }];
  let dependentDialects = ["arith", "gpu", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def OrderBlocks : Pass<"tile-order-blocks", ""> {
  let summary = "Starts the blocks first that take longest";
  let description = [{
    Consumes: a `gpu.launch` with blocks in x and y, whose loops over tiles run
    longer, or shorter, from x to x, and all rows of y alike: causal attention with
    queries in x and heads in y.
    Produces: other numbers of the blocks. Panels of some rows of y follow one
    another; in a panel the longest blocks of all its rows come first. A panel has as
    many rows, a power of two up to 32, as have at most three blocks for each
    multiprocessor; the host computes that where the grid is no constant.
    A remark, `tile-persist/longest-first`, says so.
    Keeps: launches with `persist = true`, with clusters, with `tile.block_swizzle`,
    `tile.grid_sync` or `scf.while`, and kernels with ops of other dialects that may
    ask for numbers of blocks; loops of which it is not plain whether they run longer.
    Fails: never.

    Before:
    ```mlir
    %last = arith.subi %sx, %c1 : index
    %block = arith.subi %last, %bx : index
    %m = arith.muli %block, %c128 : index
    %end = arith.addi %m, %c128 : index
    scf.for %n = %c0 to %end step %c128 { … }
    ```
    After, for a grid of 8 x 32:
    ```mlir
    %x = gpu.block_id x
    %y = gpu.block_id y
    %bx, %by = tile.block_swizzle %x, %y of %sx, %sy {panel = 32 : i64}
    // and as before
    ```
  }];
  let dependentDialects = ["arith", "gpu", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def Persist : Pass<"tile-persist", ""> {
  let summary = "Makes the blocks of a launch loop over tiles";
  let description = [{
    Consumes: a `gpu.launch` whose blocks ("tiles") may be more than the device
    has multiprocessors.
    Produces: a grid of min(`tile.num_sms` · blocks per multiprocessor, tiles),
    and an `scf.for` over tiles around the body, outside of which only
    allocations stay. Ids of blocks become coordinates of tiles. Where the
    copies of a loop depend on one id each, as in a product, tiles are numbered
    in panels (`tile.block_swizzle`), so that blocks that run at once read the
    same: of rows or of columns, so that neighbours share the copy that brings
    more bytes; a kernel that renumbers its blocks keeps its order. Blocks of a
    launch that stays as it is are numbered so as well (`tile-persist/order`).
    `tile-ws-tiled` then makes one producer that fetches the next tile while
    this one is stored. A copy of a fragment to a shared tile, from which it is
    stored next, is made in parts where the tile has no room beside the rings.
    Where one warpgroup may compute a whole tile of a product, the loop is marked
    `tile.pingpong` for `tile-ws-tiled`, and room for two of each such shared
    tile is left.
    Applies: where `persist = true` in `tile.kernel_config`; without `persist`,
    where a loop of the kernel will have roles, one block fits on a
    multiprocessor, all blocks take equally long, and the number of tiles is
    not known to be too small. A launch that would have roles and is left alone
    for another of these reasons gets a remark with a code of docs/Remarks.md.
    Keeps: but for the order launches with `persist = false`, those whose grid depends on
    `tile.num_sms`, those with a loop over tiles of their own, from a number of
    the block in steps of the grid, and kernels that are no launches.
    Fails: `persist = true`, and the blocks may not run one after the other.

    Before:
    ```mlir
    gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1) … {
      %m = arith.muli %by, %c128 : index
      …
    }
    ```
    After:
    ```mlir
    %tiles = arith.muli %gx, %gy : index
    %sms = tile.num_sms
    %blocks = arith.minui %sms, %tiles : index
    gpu.launch blocks(%bx, %by, %bz) in (%sx = %blocks, %sy = %c1, %sz = %c1) … {
      scf.for %t = %bx to %tiles step %sx {
        %x, %y = tile.block_swizzle %t, %c0 of %gx, %gy {panel = 8 : i64}
        %m = arith.muli %y, %c128 : index
        …
      }
    }
    ```
  }];
  let dependentDialects = ["arith", "scf", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def SplitPads : Pass<"tile-split-pads", ""> {
  let summary = "Reads windows that are inside their tensor without a pad";
  let description = [{
    Consumes: copies to shared tiles that TMA could make but for their pad, which
    is not zero; facts on regions, the target.
    Produces: an `scf.if` around two copies: one of a window that is inside the
    tensor, without a pad, and one of any other, which prefers `cp_async`.
    Both have the place in the plan of a loop that the copy had.
    Keeps: copies that signal, are asynchronous, require or prefer another
    instruction; windows that are known to be inside.
    Fails: never.

    Before:
    ```mlir
    %x = tile.region %X[%m, %n] [16, 512] pad %low : f32 in : memref<?x?xf32>
    tile.copy %x to %S : !tile.region<16x512xf32>, memref<16x512xf32, #gpu.address_space<workgroup>>
    ```
    After:
    ```mlir
    %x = tile.region %X[%m, %n] [16, 512] pad %low : f32 in : memref<?x?xf32>
    %inside = … // %m, %n ≥ 0; %m + 16, %n + 512 ≤ extents
    %y = tile.region %X[%m, %n] [16, 512] : memref<?x?xf32>
    scf.if %inside {
      tile.copy %y to %S : !tile.region<16x512xf32>, memref<16x512xf32, #gpu.address_space<workgroup>>
    } else {
      tile.copy %x to %S {prefer = #tile.instr<cp_async>} : !tile.region<16x512xf32>, memref<16x512xf32, #gpu.address_space<workgroup>>
    }
    ```
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say">
  ];
}

def ExpandElements : Pass<"tile-expand-elements", ""> {
  let summary = "Rewrites ops on tiles into loops over elements";
  let description = [{
    Consumes: `tile.transpose`, `tile.print` of a tile, copies from `tile.im2col`
    to fragments, element loops that name dimensions of a fragment by constants.
    Produces: `tile.parallel`; a shared tile and two copies for a gathered
    fragment; for windows of fragments that constants name, fragments of their
    own and copies around the loop.
    Keeps: everything else.
    Fails: never; a gathered fragment gets a remark.
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
}

def ExpandArranged : Pass<"tile-expand-arranged", ""> {
  let summary = "Rewrites copies in another order into loops or copies of views";
  let description = [{
    Consumes: `tile.arrange`; copies and updates between fragments and windows
    that are gathered (`tile.region` with `ids`).
    Produces: `tile.parallel`; for a reshape `tile.view` and `tile.copy`, which
    later passes give the instructions of a copy; shared tiles between fragments
    and gathered windows.
    Keeps: everything else.
    Fails: never; where neither side has an order that fits, both pass a shared
    tile. Shared tiles are said in remarks.
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
}

def ExpandTickets : Pass<"tile-expand-tickets", ""> {
  let summary = "Rewrites tiles that blocks take from a counter into updates";
  let description = [{
    Consumes: `tile.next_tile`.
    Produces: a shared tile per counter, `tile.atomic inc` that keeps there what
    it found, `memref.load` and a comparison.
    Keeps: everything else.
    Fails: never.
  }];
  let dependentDialects = ["arith", "gpu", "memref", "tile"];
}

def ExpandCombiners : Pass<"tile-expand-combiners", ""> {
  let summary = "Rewrites reductions and scans by a body into element loops";
  let description = [{
    Consumes: `tile.reduce_by`, `tile.scan_by`, `tile.reduce_all`.
    Produces: element loops that combine runs of a line, and then the runs, by way
    of scratch tiles; fragments are copied to shared tiles first. For
    `tile.reduce_all` a `tile.reduce` per dimension and a `memref.load`.
    Keeps: everything else.
    Fails: never.
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
}

def ExpandProducts : Pass<"tile-expand-products", ""> {
  let summary = "Rewrites products that no matrix instruction takes";
  let description = [{
    Consumes: `tile.gemm` of rank 3; those of f64, and those whose M is no
    multiple of 16, N of 8 or K of 32 bytes; the target.
    Produces: a product of rank 2 for each matrix of a batch; a product of tiles
    that have zeros beside the factors, with a remark; where that does not pay, a
    `tile.parallel` over C whose elements add up along K, with a remark.
    Keeps: products that a matrix instruction takes, or would with another number
    of warps or another policy; those with `instr` or `async`; sparse ones.
    Fails: never.
  }];
  let dependentDialects = ["arith", "math", "memref", "scf", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say">
  ];
}

def ExpandSwitches : Pass<"tile-expand-switches", ""> {
  let summary = "Rewrites switches around pipelined copies and of hosts into ifs";
  let description = [{
    Consumes: `scf.index_switch` around copies that stand in loops with
    `tile.num_stages`, and those of functions that launch kernels or call
    others, or are private.
    Produces: `scf.if` on the first case, the other cases in its else.
    Keeps: every other switch.
    Fails: never.
  }];
  let dependentDialects = ["arith", "scf", "tile"];
}

def ExpandTypes : Pass<"tile-expand-types", ""> {
  let summary = "Rewrites elements of 4 and 6 bits and unsigned ones as integers";
  let description = [{
    Consumes: tiles and tensors of f4E2M1FN, f6E3M2FN, f6E2M3FN, i4, ui8, ui16,
    ui32, ui64; the arguments of functions.
    Produces: tiles and tensors of signless integers, of bytes where elements are
    packed: the first of two or four in the low bits. Copies between memory of
    one type stay copies; others, and accesses of loops, become element loops with
    `tile.unpack`, `tile.pack` and conversions, by way of shared tiles where
    packed elements come from registers or go to tensors. On arguments of host
    functions `tile.holds` says what they are, for launch metadata.
    Keeps: everything else.
    Fails: an op that does not take such elements; last extents, offsets, ends
    and strides of packed ones that are not known to fill whole bytes; stores of
    packed elements to what is no shared tile, or outside `tile.parallel`.
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
}

def InstructionAnnotation : Pass<"tile-instruction-annotation", ""> {
  let summary = "Writes the instruction of every copy and product";
  let description = [{
    Consumes: tile ops, the target, facts on regions.
    Produces: `instr` on every `tile.copy`, `tile.gemm` and `tile.atomic`, `run` on every
    `tile.im2col`. A remark on each op says why better instructions were not legal.
    Keeps: an instruction that the user required, if it is legal.
    Fails: a required instruction is illegal, or no instruction is legal.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def WsTiled : Pass<"tile-ws-tiled", ""> {
  let summary = "Splits kernels with pipelined loops into producer and consumers";
  let description = [{
    Consumes: loops with `tile.num_stages`, planned (`tile.stage`, `tile.order`)
    or not; `instr` on copies. Where a kernel with such loops has copies without
    it, the passes in front have not run: the kernel is then made as
    `tile-expand-switches`, `tile-make-variants` and, with `persist = true`,
    `tile-persist` make it, and a copy counts as what
    `tile-instruction-annotation` would write.
    Produces: rings, `tile.channel`, positions carried by `iter_args` and
    results, and one `tile.specialize` with the roles "consumer" and "producer"
    for the whole kernel. A loop with `tile.pingpong` gets two consumers of one
    warpgroup, "consumer-0" and "consumer-1", which take its tiles in turn
    (`tile.turn`) and go past the slots of the other. The block gets the threads
    of the producer, registers are moved where that helps. A copy that stays with the consumers gets a
    remark with a code of docs/Remarks.md and the reason, a loop of which no
    copy moves as well.
    Keeps: kernels without pipelined loops, with `tile.specialize` of their own,
    with `specialize = off`, and for chips without TMA unless roles are
    required; `tile.num_stages` of loops that the producer does not serve.
    Fails: roles are required (`tile.specialize = "required"` on the loop,
    `specialize = required` in `tile.kernel_config`) and a copy or loop has to
    stay as it is.

    Before:
    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      tile.copy %a to %As {instr = #tile.instr<tma>} : …
      tile.gemm %As, %Bs, %acc : …
    } {tile.num_stages = 3 : i32}
    ```
    After:
    ```mlir
    %ring = tile.alloc : memref<3x128x64xbf16, #gpu.address_space<workgroup>>
    %ch = tile.channel(%ring) depth 3 {tma, consumer_warps = 4 : i64} : …
    tile.specialize {
      tile.role "consumer" warps 4 {
        scf.for %k = … iter_args(%s = %c0_i32, %p = %c0_i32) {
          tile.wait %ch[%s, %p]
          %i = arith.index_cast %s : i32 to index
          %slot = tile.region %ring[%i, 0, 0] [1, 128, 64] drop [0] : …
          tile.gemm %slot, %Bs, %acc : …
          tile.release %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "producer" warps 1 {
        scf.for %k = … iter_args(%s = %c0_i32, %p = %c0_i32) {
          tile.acquire %ch[%s, %p]
          %i = arith.index_cast %s : i32 to index
          %slot = tile.region %ring[%i, 0, 0] [1, 128, 64] drop [0] : …
          tile.copy %a to %slot signal %ch[%i] of !tile.channel {instr = #tile.instr<tma>} : …
          tile.commit %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    ```
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">,
    Option<"producer_warps", "producer-warps", "int64_t", "0",
           "warps of the producer where the kernel does not say; 0: as many as "
           "its copies need">
  ];
}

def PipelinePlanning : Pass<"tile-pipeline-planning", ""> {
  let summary = "Assigns a stage and an order to the ops of pipelined loops";
  let description = [{
    Consumes: `scf.for` and `scf.while` loops with `tile.num_stages` of at least
    1: the number of tiles of a kind that may be in shared memory at once.
    Produces: `tile.stage` and `tile.order` on every scheduled op of the body:
    in step v an op of stage s runs iteration v - s, and within a step ops run
    by their order. `tile.group` on copies that complete asynchronously: the
    number of the group that they complete with. Guards are looked into; index
    arithmetic is not scheduled. What computes guards of copies in fragments
    that later stages use as well is repeated, in fragments for the copies.
    Keeps: stages, orders and groups that the user wrote, all of a loop or none;
    they are verified by the same rules. Everything else. No op is moved or
    erased.
    Fails: a plan of the user breaks a dependence, or lacks an op.

    Before:
    ```mlir
    scf.for %k = %c0 to %n step %c64 {
      tile.copy %a to %As : …
      tile.gemm %As, %Bs, %acc : …
    } {tile.num_stages = 3 : i32}
    ```
    After:
    ```mlir
    scf.for %k = %c0 to %n step %c64 {
      tile.copy %a to %As {tile.order = 0 : i32, tile.stage = 0 : i32} : …
      tile.gemm %As, %Bs, %acc {tile.order = 1 : i32, tile.stage = 2 : i32} : …
    } {tile.num_stages = 3 : i32}
    ```
  }];
}

def InjectPipeline : Pass<"tile-inject-pipeline", ""> {
  let summary = "Writes planned loops as software pipelines";
  let description = [{
    Consumes: `scf.for` and `scf.while` loops with `tile.num_stages`, and the plan
    on their ops. Where passes of others have left ops without a stage the loop
    is planned anew.
    Produces: a prologue and one loop whose early stages are guarded; a peeled
    loop and an epilogue where the number of iterations is known and small.
    `scf.while` decides about iterations in the stage of its copies, each once
    and only when the one before exists.
    Shared tiles that more than one iteration uses at a time become rings, whose
    first dimension is the slot; slots are SSA values carried by the loop.
    Copies by cp.async get `async`, `tile.cp_async_commit` in every step and
    `tile.cp_async_wait` with an exact count before their readers; copies
    by TMA get an mbarrier per slot. Plain copies that run ahead are split into
    loads to registers at the head of a step and stores at its end.
    Keeps: loops whose ops are all in one stage, but for the attributes; loops
    that are not pipelined, byte for byte. No op with effects runs more or less
    often than before.
    Fails: a plan that breaks a dependence.
  }];
  let dependentDialects = ["arith", "memref", "scf", "tile"];
}

def AsyncProducts : Pass<"tile-async-products", ""> {
  let summary = "Lets matrix products be under way while the kernel goes on";
  let description = [{
    Consumes: `tile.gemm` and `tile.gemm_sp` with `instr = #tile.instr<wgmma>`.
    Produces: `async` on products that overlap with other work, and `tile.await`
    with an exact count where one has to be complete: before its accumulator is
    used, a factor is overwritten or its slot is released. Slots are released after
    the products that follow at once. Loops of a role that
    only wait, multiply and release are peeled by an iteration and release each
    slot one iteration later, so that a product is under way across iterations;
    a fill of the accumulator before such a loop becomes `clear` of the
    first product.
    Keeps: products that would be awaited at once; kernels that have
    asynchronous products already.
    Fails: never. A remark says why a loop of products does not overlap.
  }];
  let dependentDialects = ["arith", "scf", "tile"];
}

def LayoutInference : Pass<"tile-layout-inference", ""> {
  let summary = "Writes the layout of every shared tile and fragment";
  let description = [{
    Consumes: `tile.alloc` ops without layout, `instr` on copies and products.
    Produces: `layout` on every shared tile and fragment, one tensor map per TMA
    copy (`map`), made from the layout.
    Keeps: layouts given by the user.
    Fails: two ops need layouts that exclude each other, or a given layout
    cannot serve an op; both are named.
  }];
  let dependentDialects = ["tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def PrintLayouts : Pass<"tile-print-layouts", ""> {
  let summary = "Prints layouts as grids, and accesses with bank conflicts";
  let description = [{
    Consumes: `tile.alloc` ops with layouts, the ops on them.
    Produces: text on the standard error stream. Of a shared tile: the offset of
    every run of elements, and its bank. Of a fragment: the warp, lane and
    register that hold it. Views are tiles of their own; of more than two
    dimensions the first four grids of the last two are printed. Of copies
    between fragments and shared tiles, of element loops that have a layout and
    of the factors of mma.sync: accesses per warp, wavefronts, and how many
    there would be without bank conflicts.
    Keeps: everything.
    Fails: never.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "16", "rows of a grid, at most">,
    Option<"columns", "columns", "int64_t", "8", "runs in a row, at most">
  ];
}

def LowerChannels : Pass<"tile-lower-channels", ""> {
  let summary = "Gives asynchronous copies the barriers that complete them";
  let description = [{
    Consumes: channels; `tile.copy` with `instr = #tile.instr<tma>` into shared
    memory.
    Produces: for a channel a row of full and one of empty barriers, whose counts
    come from its agents, and the arrivals, waits and expected bytes that its four
    verbs stand for; `tile.channel_barriers` says what they were. Fences and waits
    for stores before the arrivals are those of `tile-insert-sync`. For
    other copies a barrier per group that is issued together, the bytes it
    expects, and the wait. Parity is kept in private memory, so it is right under
    any control flow. A role that waits, fills tiles with which it does nothing
    else, and arrives at a barrier next goes on: the copies complete on that
    barrier, which expects their bytes beside the arrivals.
    Keeps: copies that signal a barrier already.
    Fails: agents of a channel that are not what its roles do (says both
    numbers).
  }];
  let dependentDialects = ["arith", "memref", "tile"];
}

def PackSharedMemory : Pass<"tile-pack-shared-memory", ""> {
  let summary = "Places shared tiles and barriers in one arena";
  let description = [{
    Consumes: `tile.alloc` in shared memory and `tile.barrier_alloc`.
    Produces: `offset` on each, and the dynamic shared memory of the launch.
    Tiles that do not live at the same time may share bytes. Where there is no
    room otherwise, tiles of a role lie in rings that it has read to the end, as
    far as `tile-verify-channels` has a proof for the kernel.
    Fails: the arena exceeds what a block may use; says how much was asked.
  }];
  let dependentDialects = ["arith", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def InsertSync : Pass<"tile-insert-sync", ""> {
  let summary = "Inserts thread barriers and proxy fences";
  let description = [{
    Consumes: tile ops on shared memory with known bytes.
    Produces: `tile.barrier_sync` between conflicting accesses of different
    threads, `tile.fence_proxy` between generic writes and asynchronous reads;
    `tile.chunk` on copies and fills where what each thread takes lets it meet
    its own accesses only.
    Keeps: barriers that are there already; they count.
    Fails: never.
  }];
  let dependentDialects = ["tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for; without one, barriers serve any chip">
  ];
}

def VerifyChannels : Pass<"tile-verify-channels", ""> {
  let summary = "Proves that roles and their channels fit together";
  let description = [{
    Consumes: kernels with `tile.specialize`, and channels or the barriers that
    `tile.channel_barriers` ties to rings; other mbarriers. Thread barriers that
    `tile-insert-sync` would add count as if they stood there, without `synced`.
    Produces: nothing. For all trip counts, guards and schedules it proves that
    no role waits for ever, no slot is read before it is filled or filled while
    it is read, and no barrier gets an arrival too many; of rings of channels,
    that all that is read of a slot was filled in its round. Whose waits,
    arrivals, bytes and parities order which accesses to shared tiles is found
    out, so mbarriers without a channel are judged alike.
    Keeps: everything.
    Fails: a rule is broken; the op, slot, parity and state are named; with
    `synced`, a barrier, fence or wait that `tile-insert-sync` puts in is not
    there. What can
    neither be proved nor refuted is a remark, or an error with `strict`.
    What is not proved is executed for small trip counts and for the outcomes of
    its guards, with all schedules: notes show the shortest schedule that goes
    wrong, event by event, and what goes wrong is an error. The limits count
    runs and states, not time, so that the result is the same everywhere.
  }];
  let options = [
    Option<"strict", "strict", "bool", "false",
           "what cannot be proved is an error">,
    Option<"synced", "synced", "bool", "false",
           "tile-insert-sync has run: what it would still add is an error">,
    Option<"target", "target", "std::string", "\"\"",
           "chip that tile-insert-sync was told, with `synced`">,
    Option<"schedule", "schedule", "bool", "true",
           "show a schedule that goes wrong, as notes">,
    Option<"max_runs", "max-runs", "int64_t", "400",
           "words of decisions that are tried">,
    Option<"max_states", "max-states", "int64_t", "20000",
           "states of the proof">,
    Option<"max_events", "max-events", "int64_t", "40",
           "how many events of a schedule are shown, the last ones">
  ];
}

def InlineHostCalls : Pass<"tile-inline-host-calls", ""> {
  let summary = "Inlines what host functions call";
  let description = [{
    Consumes: the functions of a module that launch kernels, or call functions
    that do; kernels are outlined, so that a copy of a call is no copy of a
    kernel.
    Produces: no `func.call` in them. Private functions that launch and were
    called are erased.
    Keeps: functions that launch nothing, and their calls.
    Fails: a function that calls itself, has no body or branches by blocks; calls
    that make a function larger than 20,000 ops.

    Launch metadata describes one function, so that a launcher reads one file.
  }];
}

def SinkConstants : Pass<"tile-sink-constants", ""> {
  let summary = "Gives kernels the constants that they are launched with";
  let description = [{
    Consumes: `gpu.launch_func`, and the kernels of `gpu.module`s that hold tile
    ops.
    Produces: kernels without the parameters for which every launch gives the
    same constant; they hold it. Upstream sinks constants into a launch before
    it is outlined, and passes between the two move them out again, but what a
    kernel knows decides about its instructions.
    Keeps: kernels that nobody launches, and those without tile ops, whose
    parameters are their author's.
    Fails: never.
  }];
  let dependentDialects = ["arith", "gpu"];
}

def AlternateRegisters : Pass<"tile-alternate-registers", ""> {
  let summary = "Keeps metadata of sparse products until they have completed";
  let description = [{
    Consumes: `tile.gemm_sp` with `async` and `instr = #tile.instr<wgmma>`,
    `tile.await`.
    Produces: loops that take two rounds at a time, with `tile.alternate`, and a
    branch for the round that is left, where a sparse product may be under way
    when the next round issues it again: the instruction reads the registers of
    its metadata until it has completed, so each copy has registers of its own. `tile.await` before a product that
    this does not help: in an `scf.while`, or with more products under way.
    Keeps: all other loops.
    Fails: never.
  }];
  let dependentDialects = ["arith", "scf", "tile"];
}

def LowerRoles : Pass<"tile-lower-roles", ""> {
  let summary = "Turns roles into branches on the number of the warp";
  let description = [{
    Consumes: `tile.specialize` with its roles.
    Produces: one `scf.if` per role on `tile.warp_id`, `tile.warps` on the ops
    that were inside, setmaxnreg, named barriers for the barriers and turns of
    the roles, with ids that the kernel does not use.
    Keeps: kernels without roles.
    Fails: a kernel needs more named barriers than a block has.
  }];
  let dependentDialects = ["arith", "nvvm", "scf", "tile"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def ConvertTileToNVGPU : Pass<"convert-tile-to-nvgpu", ""> {
  let summary = "Lowers what the nvgpu dialect can say (sm_80 products, cp.async)";
  let description = [{
    Consumes: `tile.gemm` with `instr = #tile.instr<mma>`, `tile.copy` with
    `instr = #tile.instr<cp_async>`.
    Produces: `nvgpu.ldmatrix`, `nvgpu.mma.sync`, `nvgpu.device_async_copy` on
    `tile.storage`; for f64 `nvvm.mma.sync`, or assembly where the chip has more
    shapes than it; `instr = #tile.instr<simt>` and a remark on a copy that
    cp.async cannot do after all.
    Keeps: all other ops.
    Fails: a tile without a layout, an accumulator that is not laid out as
    mma.sync holds it, an unknown number of threads.
  }];
  let dependentDialects = ["arith", "gpu", "llvm", "memref", "nvgpu", "nvvm", "scf", "tile", "vector"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def ConvertTileToThreads : Pass<"convert-tile-to-threads", ""> {
  let summary = "Lowers element loops to the code of each thread";
  let description = [{
    Consumes: `tile.parallel`, with a layout where it touches fragments.
    Produces: cloned bodies, one per element that a thread runs; `memref` and
    `vector` accesses of tensors and of `tile.storage`. A `memref.store` that
    every thread does carries `tile.by_thread`, one that depends on the id of its
    thread as well. A `vector.load` or `vector.store` gets the `alignment` that
    is known: that of an element, or more where the op, its memref or its
    indices say so.
    Keeps: all other ops.
    Fails: a fragment whose elements other threads hold, a fragment without a
    layout, an unknown number of threads.
  }];
  let dependentDialects = ["arith", "gpu", "memref", "scf", "tile", "vector"];
}

def ExpandReductions : Pass<"tile-expand-reductions", ""> {
  let summary = "Expands reductions of the gpu dialect to shuffles";
  let description = [{
    Consumes: `gpu.all_reduce` and `gpu.subgroup_reduce` of kernels whose control
    flow is in `cf`; `gpu.shuffle` of vectors and of fewer than 32 bits;
    `gpu.rotate` and `gpu.subgroup_broadcast`;
    `vector.multi_reduction` and `vector.scan`.
    Produces: `gpu.shuffle` of 32 and 64 bits, and for a block `gpu.barrier` and
    memory that the kernel declares, by upstream's patterns, which have no pass.
    Keeps: all other ops; reductions that the patterns do not take, such as
    `gpu.all_reduce` without `uniform`, which `convert-tile-to-threads` writes
    where no id of a thread decides about the op.
    Fails: never.
  }];
  let dependentDialects = ["arith", "cf", "gpu", "memref", "vector"];
}

def ConvertTileToNVVM : Pass<"convert-tile-to-nvvm", ""> {
  let summary = "Lowers kernels to the llvm and nvvm dialects";
  let description = [{
    Consumes: `gpu.module`s whose control flow is in `cf`, with tile, nvgpu, gpu
    and memref ops.
    Produces: `llvm.func` kernels. Scalar arithmetic stays for the upstream
    conversions, as do ops of other dialects, which get memrefs with descriptors
    of 64 bits.
    Fails: a tile or nvgpu op that has no lowering on this path, by name; a
    fragment, or a shared tile with another layout than row after row, that an
    op of another dialect uses.
  }];
  let dependentDialects = ["arith", "cf", "llvm", "math", "nvvm", "tile", "vector"];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "chip to compile for, if the module does not say; sm_90a by default">
  ];
}

def JoinConversions : Pass<"tile-join-conversions", ""> {
  let summary = "Joins what upstream's conversions to llvm leave apart";
  let description = [{
    Consumes: casts from one width of index to another, as conversions with
    different widths leave them; math of the llvm dialect, which
    `convert-gpu-to-nvvm` takes for calls of a library that it has yet to make.
    Produces: `llvm.sext`, `llvm.trunc`; `llvm.call_intrinsic`.
    Keeps: all other ops; addresses that were an index on the way to i64.
    Fails: an address is used as an index, which has 32 bits.
  }];
  let dependentDialects = ["llvm"];
}

#endif // TILE_PASSES_TD

// RUN: %tile_opt_passes 'convert-linalg-to-tile' %s | FileCheck %s
// RUN: %tile_opt_passes 'convert-linalg-to-tile,convert-linalg-to-tile' %s | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// What is reduced as it is goes to tile.reduce at once; a term is computed in a
// loop before. A window that two ops read is copied once.
// CHECK-LABEL: func @norm
// CHECK-SAME: (%[[T:arg[0-9]+]]: memref<32x64xf32>
// CHECK: %[[W:.*]] = tile.region %[[T]][%{{.*}}, 0] [4, 64]
// CHECK: tile.copy %[[W]] to %[[X:.*]] :
// CHECK-NOT: tile.region %[[T]]
// CHECK: tile.reduce max %[[X]] to %[[MAX:.*]] dim 1 :
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [4, 64]
// CHECK: %[[Y:.*]] = arith.mulf
// CHECK: memref.store %[[Y]], %[[SQUARES:.*]][%[[I]], %[[J]]]
// CHECK: tile.reduce sum %[[SQUARES]] to %{{.*}} dim 1 :
func.func @norm(%x: memref<32x64xf32>, %max: memref<32xf32>, %sum: memref<32xf32>) {
  scf.forall (%i) = (0) to (32) step (4) {
    %w = memref.subview %x[%i, 0] [4, 64] [1, 1] : memref<32x64xf32> to memref<4x64xf32, strided<[64, 1], offset: ?>>
    %m = memref.subview %max[%i] [4] [1] : memref<32xf32> to memref<4xf32, strided<[1], offset: ?>>
    %s = memref.subview %sum[%i] [4] [1] : memref<32xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.reduce ins(%w : memref<4x64xf32, strided<[64, 1], offset: ?>>) outs(%m : memref<4xf32, strided<[1], offset: ?>>) dimensions = [1] (%a: f32, %b: f32) {
      %c = arith.maximumf %a, %b : f32
      linalg.yield %c : f32
    }
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%w : memref<4x64xf32, strided<[64, 1], offset: ?>>) outs(%s : memref<4xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %a, %a : f32
      %d = arith.addf %c, %b : f32
      linalg.yield %d : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// A part of the last tile is not there: maxima pass over it.
// CHECK-LABEL: func @ragged
// CHECK: %[[LEFT:.*]] = arith.minsi
// CHECK: tile.parallel (%{{.*}}, %[[J:.*]]) in [4, 16]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[J]], %[[LEFT]]
// CHECK: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.select %[[INSIDE]], %{{.*}}, %[[LOW]]
// CHECK: tile.reduce max
func.func @ragged(%x: memref<4x?xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c1 : memref<4x?xf32>
  scf.forall (%i) = (0) to (1) step (1) {
    scf.for %j = %c0 to %n step %c16 {
      %after = arith.subi %n, %j : index
      %left = arith.minsi %after, %c16 : index
      %w = memref.subview %x[0, %j] [4, %left] [1, 1] : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%w : memref<4x?xf32, strided<[?, 1], offset: ?>>) outs(%out : memref<4xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.maximumf %a, %b : f32
        linalg.yield %c : f32
      }
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// Products of f32 keep their bits: elements sum by themselves, from shared tiles.
// CHECK-LABEL: func @exact
// CHECK-NOT: tile.gemm
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [8, 8]
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK: memref.load %{{.*}}[%[[I]], %[[K]]] : memref<8x32xf32, #gpu.address_space<workgroup>>
// CHECK: memref.load %{{.*}}[%[[K]], %[[J]]] : memref<32x8xf32, #gpu.address_space<workgroup>>
func.func @exact(%a: memref<8x32xf32>, %b: memref<32x8xf32>, %c: memref<8x8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.matmul ins(%a, %b : memref<8x32xf32>, memref<32x8xf32>) outs(%c : memref<8x8xf32>)
  } {mapping = [#gpu.block<x>]}
  return
}

// Nobody knows that the window ends with the tensor: elements are stored one by
// one, where they are inside.
// CHECK-LABEL: func @inside
// CHECK: tile.parallel (%[[I:.*]]) in [64]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]],
// CHECK: scf.if %[[INSIDE]]
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<?xf32>
func.func @inside(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c64 = arith.constant 64 : index
  scf.forall (%i) = (0) to (%n) step (64) {
    %after = arith.subi %n, %i : index
    %left = arith.minsi %after, %c64 : index
    %w = memref.subview %x[%i] [%left] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %o = memref.subview %y[%i] [%left] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    linalg.exp ins(%w : memref<?xf32, strided<[1], offset: ?>>) outs(%o : memref<?xf32, strided<[1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// Loops without a block mapping are not ours.
// CHECK-LABEL: func @other
// CHECK: scf.forall
// CHECK: linalg.exp
func.func @other(%x: memref<64xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.exp ins(%x : memref<64xf32>) outs(%x : memref<64xf32>)
  }
  return
}

// What is not there is larger than all others where the least counts.
// CHECK-LABEL: func @shortest
// CHECK: %[[HIGH:.*]] = arith.constant 0x7F800000 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[HIGH]]
// CHECK: tile.reduce min
func.func @shortest(%x: memref<4x?xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c1 : memref<4x?xf32>
  scf.forall (%i) = (0) to (1) step (1) {
    scf.for %j = %c0 to %n step %c16 {
      %after = arith.subi %n, %j : index
      %left = arith.minsi %after, %c16 : index
      %w = memref.subview %x[0, %j] [4, %left] [1, 1] : memref<4x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%w : memref<4x?xf32, strided<[?, 1], offset: ?>>) outs(%out : memref<4xf32>) {
      ^bb0(%a: f32, %b: f32):
        %c = arith.minimumf %a, %b : f32
        linalg.yield %c : f32
      }
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// What takes the old value twice is no reduction of terms.
// CHECK-LABEL: func @doubled
// CHECK-NOT: tile.reduce
// CHECK: scf.for
// CHECK: return
func.func @doubled(%x: memref<8x64xf32>, %y: memref<8xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x64xf32>) outs(%y : memref<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %b : f32
      linalg.yield %c : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// Results in another order than the loops are summed by their own threads.
// CHECK-LABEL: func @turned
// CHECK-NOT: tile.reduce
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [4, 8]
// CHECK: memref.load %{{.*}}[%[[J]], %[[I]]]
func.func @turned(%x: memref<4x8x16xf32>, %y: memref<8x4xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (b, a)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<4x8x16xf32>) outs(%y : memref<8x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// What is written in between is read again.
// CHECK-LABEL: func @again
// CHECK: %[[W:.*]] = tile.region %[[X:arg[0-9]+]][0] [64]
// CHECK-NEXT: tile.copy %[[W]] to
// CHECK: math.exp
// CHECK: %[[V:.*]] = tile.region %[[X]][0] [64]
// CHECK-NEXT: tile.copy %{{.*}} to %[[V]]
// CHECK: %[[R:.*]] = tile.region %[[X]][0] [64]
// CHECK-NEXT: tile.copy %[[R]] to
// CHECK: math.log
func.func @again(%x: memref<64xf32>, %y: memref<64xf32>) {
  scf.forall (%i) = (0) to (1) step (1) {
    linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%x : memref<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = math.exp %a : f32
      linalg.yield %c : f32
    }
    linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = math.log %a : f32
      linalg.yield %c : f32
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// Blocks begin where the loop does, also where only the kernel knows that.
// CHECK-LABEL: func @from
// CHECK-SAME: %[[LO:arg[0-9]+]]: index
// CHECK: arith.subi %{{.*}}, %[[LO]]
// CHECK: %[[AT:.*]] = arith.muli
// CHECK: %[[FIRST:.*]] = arith.addi %[[AT]], %[[LO]]
// CHECK: tile.region %{{.*}}[%[[FIRST]]] [64]
func.func @from(%x: memref<?xf32>, %lo: index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.forall (%i) = (%lo) to (%n) step (64) {
    %w = memref.subview %x[%i] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.exp ins(%w : memref<64xf32, strided<[1], offset: ?>>) outs(%w : memref<64xf32, strided<[1], offset: ?>>)
  } {mapping = [#gpu.block<x>]}
  return
}

// Elements that make a factor: what they read is staged in shared memory, where
// copies run ahead; what no round changes is read before the loop; and where the
// depth ends they write 0 themselves. What bufferization copies to a tile that
// is filled next is not read.
// CHECK-LABEL: func @factor
// CHECK-SAME: (%[[A:arg[0-9]+]]: memref<64x150xf32>, %{{.*}}: memref<150x64xbf16>, %[[S:.*]]: memref<64xf32>, %[[C:.*]]: memref<64x64xf32>)
// CHECK-NOT: tile.region %[[C]]
// CHECK: tile.fill
// CHECK: tile.region %[[S]][%{{.*}}] [64]
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[LEFT:.*]] = arith.minsi
// CHECK: %[[W:.*]] = tile.region %[[A]]
// CHECK: tile.copy %[[W]] to %[[X:.*]] : !tile.region<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
// CHECK: tile.parallel (%{{.*}}, %[[J:.*]]) in [64, 64]
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[J]], %[[LEFT]]
// CHECK: arith.select %[[IN]]
// CHECK-NOT: tile.parallel
// CHECK: tile.gemm
func.func @factor(%a: memref<64x150xf32>, %b: memref<150x64xbf16>, %s: memref<64xf32>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c150 = arith.constant 150 : index
  scf.forall (%i) = (0) to (64) step (64) {
    %out = memref.subview %c[%i, 0] [64, 64] [1, 1] : memref<64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %scale = memref.subview %s[%i] [64] [1] : memref<64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %sum = memref.alloc() : memref<64x64xf32, #tile.fragment>
    memref.copy %out, %sum : memref<64x64xf32, strided<[64, 1], offset: ?>> to memref<64x64xf32, #tile.fragment>
    linalg.fill ins(%zero : f32) outs(%sum : memref<64x64xf32, #tile.fragment>)
    scf.for %k = %c0 to %c150 step %c64 {
      %after = arith.subi %c150, %k : index
      %left = arith.minsi %after, %c64 : index
      %x = memref.subview %a[%i, %k] [64, %left] [1, 1] : memref<64x150xf32> to memref<64x?xf32, strided<[150, 1], offset: ?>>
      %y = memref.subview %b[%k, 0] [%left, 64] [1, 1] : memref<150x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
      %made = memref.alloc(%left) : memref<64x?xbf16>
      linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %scale : memref<64x?xf32, strided<[150, 1], offset: ?>>, memref<64xf32, strided<[1], offset: ?>>) outs(%made : memref<64x?xbf16>) {
      ^bb0(%p: f32, %q: f32, %o: bf16):
        %t = arith.mulf %p, %q : f32
        %u = arith.truncf %t : f32 to bf16
        linalg.yield %u : bf16
      }
      linalg.matmul ins(%made, %y : memref<64x?xbf16>, memref<?x64xbf16, strided<[64, 1], offset: ?>>) outs(%sum : memref<64x64xf32, #tile.fragment>)
    }
    memref.copy %sum, %out : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, strided<[64, 1], offset: ?>>
  } {mapping = [#gpu.block<x>]}
  return
}

// A loop that says what tile.im2col gathers is not run; the tile begins where
// tiling has added to the indices.
// CHECK-LABEL: func @pixels
// CHECK-SAME: (%[[X:arg[0-9]+]]: memref<2x8x8x16xbf16>
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[P:.*]] = tile.im2col %[[X]][%{{.*}}, %[[K]]] [64, 64] kernel [3, 3] stride [1, 1] dilation [1, 1] pad [1, 1] pad_upper [1, 1]
// CHECK: tile.copy %[[P]] to %[[A:.*]] : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
// CHECK-NOT: tile.parallel
// CHECK: tile.gemm %[[A]]
func.func @pixels(%x: memref<2x8x8x16xbf16>, %w: memref<144x64xbf16>, %c: memref<128x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c144 = arith.constant 144 : index
  scf.forall (%i) = (0) to (128) step (64) {
    %out = memref.subview %c[%i, 0] [64, 64] [1, 1] : memref<128x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    %sum = memref.alloc() : memref<64x64xf32, #tile.fragment>
    linalg.fill ins(%zero : f32) outs(%sum : memref<64x64xf32, #tile.fragment>)
    scf.for %k = %c0 to %c144 step %c64 {
      %after = arith.subi %c144, %k : index
      %left = arith.minsi %after, %c64 : index
      %y = memref.subview %w[%k, 0] [%left, 64] [1, 1] : memref<144x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
      %made = memref.alloc(%left) : memref<64x?xbf16>
      linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%made : memref<64x?xbf16>) attrs = {tile.im2col = {dilation = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1>, pad_upper = array<i64: 1, 1>, stride = array<i64: 1, 1>}} {
      ^bb0(%o: bf16):
        %p = linalg.index 0 : index
        %q = arith.addi %p, %i : index
        %d = arith.remui %q, %c1 : index
        %n = arith.divui %q, %c64 : index
        %r = linalg.index 1 : index
        %s = arith.addi %r, %k : index
        %t = arith.remui %s, %c1 : index
        %u = arith.divui %s, %c64 : index
        %v = memref.load %x[%d, %n, %t, %u] : memref<2x8x8x16xbf16>
        linalg.yield %v : bf16
      }
      linalg.matmul ins(%made, %y : memref<64x?xbf16>, memref<?x64xbf16, strided<[64, 1], offset: ?>>) outs(%sum : memref<64x64xf32, #tile.fragment>)
    }
    memref.copy %sum, %out : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, strided<[64, 1], offset: ?>>
  } {mapping = [#gpu.block<x>]}
  return
}

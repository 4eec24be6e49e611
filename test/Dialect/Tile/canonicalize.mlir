// RUN: %tile_opt %s -canonicalize -split-input-file | FileCheck %s
// RUN: %tile_opt %s -canonicalize -canonicalize -split-input-file | FileCheck %s

// A second run finds nothing more to do.

#shared = #gpu.address_space<workgroup>

//===-- Offsets -----------------------------------------------------------===//

// Constant offsets move into the attribute, the others stay.
// CHECK-LABEL: func.func @constant_offsets
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x?xf32>, %[[M:[a-z0-9]+]]: index
func.func @constant_offsets(%A: memref<?x?xf32>, %m: index, %s: memref<64x32xf32, #shared>) {
  %c8 = arith.constant 8 : index
  // CHECK: tile.region %[[A]][%[[M]], 8] [64, 32] {align = 16 : i64} : memref<?x?xf32>
  %a = tile.region %A[%m, %c8] [64, 32] {align = 16} : memref<?x?xf32>
  tile.copy %a to %s : !tile.region<64x32xf32>, memref<64x32xf32, #shared>
  return
}

// An offset that leaves a shared tile stays a value: the code may never run, and
// the verifier would reject the constant.
// CHECK-LABEL: func.func @offset_outside
func.func @offset_outside(%s: memref<64xf32, #shared>, %f: memref<32xf32, #tile.fragment>) {
  // CHECK: %[[C64:.*]] = arith.constant 64 : index
  %c64 = arith.constant 64 : index
  // CHECK: tile.region %{{.*}}[%[[C64]]] [32] : memref<64xf32, #gpu.address_space<workgroup>>
  %a = tile.region %s[%c64] [32] : memref<64xf32, #shared>
  tile.copy %a to %f : !tile.region<32xf32, #shared>, memref<32xf32, #tile.fragment>
  return
}

// Zero is what reads outside give anyway; minus zero is another number.
// CHECK-LABEL: func.func @pads
func.func @pads(%A: memref<?xf32>, %B: memref<?xi8>, %s: memref<64xf32, #shared>, %t: memref<64xi8, #shared>) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %zero8 = arith.constant 0 : i8
  // CHECK: tile.region %{{.*}}[0] [64] : memref<?xf32>
  %a = tile.region %A[0] [64] pad %zero : f32 in : memref<?xf32>
  tile.copy %a to %s : !tile.region<64xf32>, memref<64xf32, #shared>
  // CHECK: tile.region %{{.*}}[0] [64] pad %{{.*}} : f32 in : memref<?xf32>
  %b = tile.region %A[0] [64] pad %minus : f32 in : memref<?xf32>
  tile.copy %b to %s : !tile.region<64xf32>, memref<64xf32, #shared>
  // CHECK: tile.region %{{.*}}[0] [64] : memref<?xi8>
  %c = tile.region %B[0] [64] pad %zero8 : i8 in : memref<?xi8>
  tile.copy %c to %t : !tile.region<64xi8>, memref<64xi8, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>

//===-- Casts -------------------------------------------------------------===//

// CHECK-LABEL: func.func @cast
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<128x64xf32>
func.func @cast(%A: memref<128x64xf32>, %m: index, %s: memref<64x32xf32, #shared>) {
  // CHECK-NOT: memref.cast
  %cast = memref.cast %A : memref<128x64xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  // CHECK: tile.region %[[A]][%{{.*}}, 0] [64, 32] : memref<128x64xf32>
  %a = tile.region %cast[%m, 0] [64, 32] : memref<?x?xf32, strided<[?, 1], offset: ?>>
  tile.copy %a to %s : !tile.region<64x32xf32>, memref<64x32xf32, #shared>
  return
}

// The cast hides that the window leaves the tile.
// CHECK-LABEL: func.func @cast_outside
func.func @cast_outside(%s: memref<64xf32, #shared>, %f: memref<32xf32, #tile.fragment>) {
  // CHECK: %[[CAST:.*]] = memref.cast
  %cast = memref.cast %s : memref<64xf32, #shared> to memref<?xf32, #shared>
  // CHECK: tile.region %[[CAST]][40] [32]
  %a = tile.region %cast[40] [32] : memref<?xf32, #shared>
  tile.copy %a to %f : !tile.region<32xf32, #shared>, memref<32xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @cast_of_unranked
func.func @cast_of_unranked(%A: memref<*xf32>, %s: memref<64xf32, #shared>) {
  // CHECK: %[[CAST:.*]] = memref.cast
  %cast = memref.cast %A : memref<*xf32> to memref<?xf32>
  // CHECK: tile.region %[[CAST]]
  %a = tile.region %cast[0] [64] : memref<?xf32>
  tile.copy %a to %s : !tile.region<64xf32>, memref<64xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>

//===-- Regions of subviews -----------------------------------------------===//

// The window lies inside the subview, so it is one of the tensor.
// CHECK-LABEL: func.func @subview
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<256x128xf32>, %[[I:[a-z0-9]+]]: index
func.func @subview(%A: memref<256x128xf32>, %i: index, %s: memref<32x64xf32, #shared>) {
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[C16]] : index
  // CHECK: tile.region %[[A]][%[[SUM]], 40] [32, 64] : memref<256x128xf32>
  %view = memref.subview %A[%i, 32] [64, 96] [1, 1] : memref<256x128xf32> to memref<64x96xf32, strided<[128, 1], offset: ?>>
  %a = tile.region %view[16, 8] [32, 64] : memref<64x96xf32, strided<[128, 1], offset: ?>>
  tile.copy %a to %s : !tile.region<32x64xf32>, memref<32x64xf32, #shared>
  return
}

// Reads past the end of the subview give zero, past it in the tensor they would
// not.
// CHECK-LABEL: func.func @subview_left
func.func @subview_left(%A: memref<256xf32>, %i: index, %s: memref<32xf32, #shared>) {
  // CHECK: %[[VIEW:.*]] = memref.subview
  %view = memref.subview %A[0] [100] [1] : memref<256xf32> to memref<100xf32, strided<[1]>>
  // CHECK: tile.region %[[VIEW]][80]
  %a = tile.region %view[80] [32] : memref<100xf32, strided<[1]>>
  tile.copy %a to %s : !tile.region<32xf32>, memref<32xf32, #shared>
  // CHECK: tile.region %[[VIEW]][%
  %b = tile.region %view[%i] [32] : memref<100xf32, strided<[1]>>
  tile.copy %b to %s : !tile.region<32xf32>, memref<32xf32, #shared>
  return
}

// Where the subview ends with the tensor, any offset will do.
// CHECK-LABEL: func.func @subview_same_end
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<4x256xf32>, %[[I:[a-z0-9]+]]: index
func.func @subview_same_end(%A: memref<4x256xf32>, %i: index, %pad: f32, %s: memref<1x32xf32, #shared>) {
  // CHECK: tile.region %[[A]][2, %[[I]]] [1, 32] pad %{{.*}} : f32 in : memref<4x256xf32>
  %view = memref.subview %A[2, 0] [1, 256] [1, 1] : memref<4x256xf32> to memref<1x256xf32, strided<[256, 1], offset: 512>>
  %a = tile.region %view[0, %i] [1, 32] pad %pad : f32 in : memref<1x256xf32, strided<[256, 1], offset: 512>>
  tile.copy %a to %s : !tile.region<1x32xf32>, memref<1x32xf32, #shared>
  return
}

// A dropped dimension of the subview is a dropped one of the region.
// CHECK-LABEL: func.func @subview_rank_reducing
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x128x64xf32>, %[[B:[a-z0-9]+]]: index
func.func @subview_rank_reducing(%A: memref<?x128x64xf32>, %b: index, %s: memref<64xf32, #shared>) {
  // CHECK: tile.region %[[A]][%[[B]], 5, 0] [1, 1, 64] drop [0, 1] : memref<?x128x64xf32>
  %view = memref.subview %A[%b, 0, 0] [1, 128, 64] [1, 1, 1] : memref<?x128x64xf32> to memref<128x64xf32, strided<[64, 1], offset: ?>>
  %a = tile.region %view[5, 0] [1, 64] drop [0] : memref<128x64xf32, strided<[64, 1], offset: ?>>
  tile.copy %a to %s : !tile.region<64xf32>, memref<64xf32, #shared>
  return
}

// Windows of a shared tile never leave the view, so offsets may be any values.
// CHECK-LABEL: func.func @subview_shared
// CHECK-SAME: %[[S:[a-z0-9]+]]: memref<128xf32, #gpu.address_space<workgroup>>, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index
func.func @subview_shared(%s: memref<128xf32, #shared>, %i: index, %j: index, %f: memref<32xf32, #tile.fragment>) {
  // CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[J]] : index
  // CHECK: tile.region %[[S]][%[[SUM]]] [32]
  %view = memref.subview %s[%i] [64] [1] : memref<128xf32, #shared> to memref<64xf32, strided<[1], offset: ?>, #shared>
  %a = tile.region %view[%j] [32] : memref<64xf32, strided<[1], offset: ?>, #shared>
  tile.copy %a to %f : !tile.region<32xf32, #shared>, memref<32xf32, #tile.fragment>
  return
}

// A window must step by one element; a fact about the view is none about the
// tensor.
// CHECK-LABEL: func.func @subview_kept
func.func @subview_kept(%A: memref<256xf32>, %s: memref<32xf32, #shared>) {
  // CHECK-DAG: %[[EVEN:.*]] = memref.subview %{{.*}}[0] [128] [2]
  %even = memref.subview %A[0] [128] [2] : memref<256xf32> to memref<128xf32, strided<[2]>>
  // CHECK-DAG: tile.region %[[EVEN]]
  %a = tile.region %even[0] [32] : memref<128xf32, strided<[2]>>
  tile.copy %a to %s : !tile.region<32xf32>, memref<32xf32, #shared>
  // CHECK-DAG: %[[VIEW:.*]] = memref.subview %{{.*}}[4] [128] [1]
  %view = memref.subview %A[4] [128] [1] : memref<256xf32> to memref<128xf32, strided<[1], offset: 4>>
  // CHECK-DAG: tile.region %[[VIEW]][0] [32] {align = 16 : i64}
  %b = tile.region %view[0] [32] {align = 16} : memref<128xf32, strided<[1], offset: 4>>
  tile.copy %b to %s : !tile.region<32xf32>, memref<32xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>

//===-- Subviews as operands ----------------------------------------------===//

// CHECK-LABEL: func.func @operands
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x?xbf16>, %[[M:[a-z0-9]+]]: index
func.func @operands(%A: memref<?x?xbf16>, %m: index, %zero: bf16) {
  %ring = tile.alloc : memref<3x128x64xbf16, #shared>
  %Bs = tile.alloc : memref<64x128xbf16, #shared>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  %a = memref.subview %A[%m, 0] [128, 64] [1, 1] : memref<?x?xbf16> to memref<128x64xbf16, strided<[?, 1], offset: ?>>
  %As = memref.subview %ring[1, 0, 0] [1, 128, 64] [1, 1, 1] : memref<3x128x64xbf16, #shared> to memref<128x64xbf16, strided<[64, 1], offset: 8192>, #shared>
  // CHECK-NOT: memref.subview
  // CHECK: %[[FILLED:.*]] = tile.region %{{.*}}[1, 0, 0] [1, 128, 64] drop [0] : memref<3x128x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.fill %[[FILLED]], %{{.*}} : !tile.region<128x64xbf16, #gpu.address_space<workgroup>>, bf16
  tile.fill %As, %zero : memref<128x64xbf16, strided<[64, 1], offset: 8192>, #shared>, bf16
  // CHECK-DAG: %[[SRC:.*]] = tile.region %[[A]][%[[M]], 0] [128, 64] : memref<?x?xbf16>
  // CHECK-DAG: %[[DST:.*]] = tile.region %{{.*}}[1, 0, 0] [1, 128, 64] drop [0]
  // CHECK: tile.copy %[[SRC]] to %[[DST]]
  tile.copy %a to %As : memref<128x64xbf16, strided<[?, 1], offset: ?>>, memref<128x64xbf16, strided<[64, 1], offset: 8192>, #shared>
  // CHECK: %[[FACTOR:.*]] = tile.region %{{.*}}[1, 0, 0] [1, 128, 64] drop [0]
  // CHECK: tile.gemm %[[FACTOR]], %{{.*}}, %{{.*}} : (!tile.region<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  tile.gemm %As, %Bs, %acc : (memref<128x64xbf16, strided<[64, 1], offset: 8192>, #shared>, memref<64x128xbf16, #shared>, memref<128x128xf32, #tile.fragment>)
  return
}

// CHECK-LABEL: func.func @operand_strided
func.func @operand_strided(%A: memref<128xf32>, %s: memref<64xf32, #shared>) {
  // CHECK: %[[EVEN:.*]] = memref.subview
  %even = memref.subview %A[0] [64] [2] : memref<128xf32> to memref<64xf32, strided<[2]>>
  // CHECK: tile.copy %[[EVEN]] to
  tile.copy %even to %s : memref<64xf32, strided<[2]>>, memref<64xf32, #shared>
  return
}

// -----

#shared = #gpu.address_space<workgroup>

//===-- Ops that do nothing -----------------------------------------------===//

// CHECK-LABEL: func.func @self_copy
func.func @self_copy(%s: memref<64xf32, #shared>) {
  // CHECK-NOT: tile.copy
  tile.copy %s to %s : memref<64xf32, #shared>, memref<64xf32, #shared>
  return
}

// CHECK-LABEL: func.func @requirements
func.func @requirements(%c: i1) {
  %true = arith.constant true
  %false = arith.constant false
  // CHECK-NOT: "holds"
  tile.require %true, "holds"
  // CHECK: tile.require %{{.*}}, "fails"
  tile.require %false, "fails"
  // CHECK: tile.require %{{.*}}, "unknown"
  tile.require %c, "unknown"
  return
}

// Positions that are constants; those of the last slot wrap.
// CHECK-LABEL: func.func @positions
func.func @positions(%s: i32) -> (i32, i32, i32, i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: %[[S:.*]], %[[P:.*]] = tile.advance %{{.*}} depth 2
  %s1, %p1 = tile.advance %c0, %c1 depth 2
  %s2, %p2 = tile.advance %s1, %p1 depth 2
  %s3, %p3 = tile.advance %s, %c0 depth 2
  // CHECK: return %[[ONE]], %[[ONE]], %[[ZERO]], %[[ZERO]], %[[S]], %[[P]]
  return %s1, %p1, %s2, %p2, %s3, %p3 : i32, i32, i32, i32, i32, i32
}

// Words of metadata that are 0 mean 0x4444, so that pad need not be written: TMA and
// cp.async fill with zeros. Not where anything else reads the tile, nor another value.
// CHECK-LABEL: func.func @metadata_pads
func.func @metadata_pads(%E: memref<?x?xi16>, %W: memref<?x?xi32>, %a: memref<64x32xbf16, #shared>, %b: memref<64x64xbf16, #shared>, %c: memref<64x64xf32, #tile.fragment>, %x: index) attributes {tile.num_threads = 128 : i32} {
  %first = arith.constant 0x4444 : i16
  %first32 = arith.constant 0x44444444 : i32
  %other = arith.constant 0xEEEE : i16
  %s = tile.alloc : memref<64x4xi16, #shared>
  %t = tile.alloc : memref<64x4xi16, #shared>
  %u = tile.alloc : memref<64x2xi32, #shared>
  %v = tile.view %u : memref<64x2xi32, #shared> to memref<64x4xi16, #shared>
  // CHECK: tile.region %{{.*}}[%{{.*}}, 0] [64, 4] : memref<?x?xi16>
  %d = tile.region %E[%x, 0] [64, 4] pad %first : i16 in : memref<?x?xi16>
  tile.copy %d to %s : !tile.region<64x4xi16>, memref<64x4xi16, #shared>
  // CHECK: tile.region %{{.*}}[%{{.*}}, 4] [64, 4] pad
  %e = tile.region %E[%x, 4] [64, 4] pad %other : i16 in : memref<?x?xi16>
  tile.copy %e to %s : !tile.region<64x4xi16>, memref<64x4xi16, #shared>
  // CHECK: tile.region %{{.*}}[%{{.*}}, 8] [64, 4] pad
  %f = tile.region %E[%x, 8] [64, 4] pad %first : i16 in : memref<?x?xi16>
  tile.copy %f to %t : !tile.region<64x4xi16>, memref<64x4xi16, #shared>
  // CHECK: tile.region %{{.*}}[%{{.*}}, 0] [64, 2] : memref<?x?xi32>
  %g = tile.region %W[%x, 0] [64, 2] pad %first32 : i32 in : memref<?x?xi32>
  tile.copy %g to %u : !tile.region<64x2xi32>, memref<64x2xi32, #shared>
  tile.gemm_sp %a, %s, %b, %c {transpose_b} : (memref<64x32xbf16, #shared>, memref<64x4xi16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
  tile.gemm_sp %a, %t, %b, %c {transpose_b} : (memref<64x32xbf16, #shared>, memref<64x4xi16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
  tile.gemm_sp %a, %v, %b, %c {transpose_b} : (memref<64x32xbf16, #shared>, memref<64x4xi16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #tile.fragment>)
  %out = tile.region %E[%x, 12] [64, 4] : memref<?x?xi16>
  tile.copy %t to %out : memref<64x4xi16, #shared>, !tile.region<64x4xi16>
  return
}

//===-- Gathered windows --------------------------------------------------===//

// Offsets that turn out to be constant are; the numbers stay.
// CHECK-LABEL: func.func @gathered
// CHECK: tile.region %arg0[0, 32] [8, 16] by %arg1[%arg2] dim 0 : memref<256x128xf32>, memref<?xi32>
func.func @gathered(%A: memref<256x128xf32>, %ids: memref<?xi32>, %i: index, %s: memref<8x16xf32, #shared>) {
  %c32 = arith.constant 32 : index
  %w = tile.region %A[0, %c32] [8, 16] by %ids[%i] dim 0 : memref<256x128xf32>, memref<?xi32>
  tile.copy %w to %s : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
  return
}

// Numbers past the end of the subview name nothing, in the tensor they would: it
// stays.
// CHECK-LABEL: func.func @gathered_subview
// CHECK: %[[VIEW:.*]] = memref.subview
// CHECK: tile.region %[[VIEW]][0, 0] [8, 16] by
func.func @gathered_subview(%A: memref<256x128xf32>, %ids: memref<?xi32>, %i: index, %s: memref<8x16xf32, #shared>) {
  %view = memref.subview %A[32, 0] [64, 128] [1, 1] : memref<256x128xf32> to memref<64x128xf32, strided<[128, 1], offset: 4096>>
  %w = tile.region %view[0, 0] [8, 16] by %ids[%i] dim 0 : memref<64x128xf32, strided<[128, 1], offset: 4096>>, memref<?xi32>
  tile.copy %w to %s : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
  return
}

//===-- Windows with an end -----------------------------------------------===//

// A part of run-time size is a window that ends where it does; all of a dimension
// needs no end.
// CHECK-LABEL: func.func @part(
// CHECK: %[[END:.*]] = arith.addi %arg1, %arg2
// CHECK: tile.region %arg0[%{{.*}}, 32] [8, 16] end [0](%[[END]]) {starts_inside} : memref<?x?xf32>
func.func @part(%A: memref<?x?xf32>, %first: index, %size: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %N = memref.dim %A, %c1 : memref<?x?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<8x16xf32, #shared>
    %view = memref.subview %A[%first, 0] [%size, %N] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %m = arith.muli %bx, %c8 : index
    %w = tile.region %view[%m, 32] [8, 16] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    tile.copy %w to %s : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
    gpu.terminator
  }
  return
}

// It may begin before the part, where the tensor has elements: it stays.
// CHECK-LABEL: func.func @part_before(
// CHECK: %[[VIEW:.*]] = memref.subview
// CHECK: tile.region %[[VIEW]]
func.func @part_before(%A: memref<?x?xf32>, %first: index, %size: index, %m: index, %s: memref<8x16xf32, #shared>) {
  %view = memref.subview %A[%first, 0] [%size, 16] [1, 1] : memref<?x?xf32> to memref<?x16xf32, strided<[?, 1], offset: ?>>
  %w = tile.region %view[%m, 0] [8, 16] : memref<?x16xf32, strided<[?, 1], offset: ?>>
  tile.copy %w to %s : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
  return
}

// An end counts from where the part begins: it stays where that is not the tensor's
// own beginning.
// CHECK-LABEL: func.func @part_with_end(
// CHECK: tile.region %arg0[0, 0] [8, 16] end [0](%arg1)
// CHECK: %[[VIEW:.*]] = memref.subview
// CHECK: tile.region %[[VIEW]][0, 0] [8, 16] end [0](%arg1)
func.func @part_with_end(%A: memref<64x64xf32>, %end: index, %s: memref<8x16xf32, #shared>) {
  %same = memref.subview %A[0, 0] [64, 64] [1, 1] : memref<64x64xf32> to memref<64x64xf32, strided<[64, 1]>>
  %v = tile.region %same[0, 0] [8, 16] end [0](%end) : memref<64x64xf32, strided<[64, 1]>>
  tile.copy %v to %s : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
  %view = memref.subview %A[32, 0] [32, 64] [1, 1] : memref<64x64xf32> to memref<32x64xf32, strided<[64, 1], offset: 2048>>
  %w = tile.region %view[0, 0] [8, 16] end [0](%end) : memref<32x64xf32, strided<[64, 1], offset: 2048>>
  tile.copy %w to %s : !tile.region<8x16xf32>, memref<8x16xf32, #shared>
  return
}

// A kernel knows where its own part ends, and takes one of the host for a tensor.
// CHECK-LABEL: func.func @part_of_host(
// CHECK: %[[VIEW:.*]] = memref.subview %arg0[0] [100]
// CHECK: tile.region %[[VIEW]][80] [32]
// CHECK: tile.region %arg0[80] [32] end [0](%{{.*}}) {starts_inside} : memref<256xf32>
func.func @part_of_host(%A: memref<256xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %host = memref.subview %A[0] [100] [1] : memref<256xf32> to memref<100xf32, strided<[1]>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32xf32, #shared>
    %own = memref.subview %A[0] [100] [1] : memref<256xf32> to memref<100xf32, strided<[1]>>
    %a = tile.region %host[80] [32] : memref<100xf32, strided<[1]>>
    %b = tile.region %own[80] [32] : memref<100xf32, strided<[1]>>
    tile.copy %a to %s : !tile.region<32xf32>, memref<32xf32, #shared>
    tile.copy %b to %s : !tile.region<32xf32>, memref<32xf32, #shared>
    gpu.terminator
  }
  return
}

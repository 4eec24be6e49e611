// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s
// RUN: %tile_opt %s --mlir-print-op-generic | %tile_opt | FileCheck %s
// RUN: %tile_opt %s --emit-bytecode | %tile_opt | FileCheck %s

// Element loops are printed as they are read, in text, in the generic form and
// in bytecode.

// Every memory, a broadcast, a guard and a constant index.
// CHECK-LABEL: func.func @epilogue
func.func @epilogue(%bias: memref<?xf32>, %out: memref<128x?xf32>, %first: index, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
  %scale = tile.alloc : memref<128x1xf32, #tile.fragment>
  // CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in [128, 64] {
  tile.parallel (%i, %j) in [128, 64] {
    // CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
    %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
    %s = memref.load %scale[%i, %c0] : memref<128x1xf32, #tile.fragment>
    %column = arith.addi %first, %j : index
    %inside = arith.cmpi ult, %column, %n : index
    scf.if %inside {
      %b = memref.load %bias[%column] : memref<?xf32>
      %y = math.fma %x, %s, %b : f32
      %z = arith.maximumf %y, %zero : f32
      memref.store %z, %out[%i, %column] : memref<128x?xf32>
    }
  }
  return
}

// A layout and other attributes; state of an element.
// CHECK-LABEL: func.func @attributes
func.func @attributes() {
  %s = tile.alloc : memref<64xi32, #gpu.address_space<workgroup>>
  // CHECK: tile.parallel (%{{.*}}) in [64] {
  // CHECK: } {layout = #tile.layout<"bases<reg=(d0:32*2), lane=(d0:1*32), warp=() -> d0:64>">, tile.stage = 1 : i32}
  tile.parallel (%i) in [64] {
    %p = tile.alloc : memref<i32, #gpu.address_space<private>>
    %v = arith.index_cast %i : index to i32
    memref.store %v, %p[] : memref<i32, #gpu.address_space<private>>
    %w = memref.load %p[] : memref<i32, #gpu.address_space<private>>
    memref.store %w, %s[%i] : memref<64xi32, #gpu.address_space<workgroup>>
  } {layout = #tile.layout<"bases<reg=(d0:32*2), lane=(d0:1*32), warp=() -> d0:64>">, tile.stage = 1 : i32}
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%A: memref<?x?xf32>, %k: index, %pair: i8) {
  %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %At = tile.alloc : memref<64x128xbf16, #tile.fragment>
  // CHECK: tile.transpose %{{.*}} to %{{.*}} : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #tile.fragment>
  tile.transpose %As to %At : memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #tile.fragment>
  %a = tile.region %A[0, 0] [64, 128] : memref<?x?xf32>
  // CHECK: tile.transpose %{{.*}} to %{{.*}} : memref<128x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x128xf32>
  tile.transpose %As to %a : memref<128x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x128xf32>
  // CHECK: %[[CODE:.*]] = tile.unpack %{{.*}}[%{{.*}}] : i8 to f4E2M1FN
  // CHECK: tile.pack %[[CODE]], %[[CODE]] : f4E2M1FN, f4E2M1FN to i16
  %code = tile.unpack %pair[%k] : i8 to f4E2M1FN
  %word = tile.pack %code, %code : f4E2M1FN, f4E2M1FN to i16
  // CHECK: tile.unpack_fp4 %{{.*}}[%{{.*}}] : f16
  %v = tile.unpack_fp4 %pair[%k] : f16
  return
}

// RUN: %tile_opt_passes 'tile-stage-rows{target=sm_90a}' %s -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-stage-rows{target=sm_80}' %s | FileCheck %s --check-prefix=NOTMA

// NOTMA-NOT: memref<192xbf16, #gpu

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x?xbf16>
!A = memref<128x64xbf16, #smem>
!B = memref<192x64xbf16, #smem>
!acc = memref<128x192xf32, #tile.fragment>
!row = memref<192xf32, #tile.fragment>

// A bias and a factor, as the tensors have them: the loop widens what is narrower.
// What two rows of an alloc are, and integers, stay in registers.
// CHECK-LABEL: func @moved
// CHECK: %[[R:.*]] = tile.alloc : memref<192xbf16, #gpu.address_space<workgroup>>
// CHECK: %[[S:.*]] = tile.alloc : memref<192xf32, #gpu.address_space<workgroup>>
// CHECK: tile.copy %{{.*}} to %[[R]] : !tile.region<192xbf16>, memref<192xbf16
// CHECK: tile.copy %{{.*}} to %[[S]] : !tile.region<192xf32>, memref<192xf32, #gpu
// CHECK: tile.parallel (%{{.*}}, %[[J:.*]]) in
// CHECK: %[[X:.*]] = memref.load %[[R]][%[[J]]]
// CHECK: %[[W:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: %[[F:.*]] = memref.load %[[S]][%[[J]]]
// CHECK: math.fma %{{.*}}, %[[F]], %[[W]]
func.func @moved(%A: !tensor, %B: !tensor, %bias: memref<?xbf16>, %scale: memref<?xf32>, %C: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %c256 = arith.constant 256 : index
  %K = memref.dim %A, %c1 : !tensor
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c192 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %row = tile.alloc : !row
    %factors = tile.alloc : !row
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] : !tensor
      %b = tile.region %B[%n, %k] [192, 64] : !tensor
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<192x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !acc)
    } {tile.num_stages = 4 : i32}
    %r = tile.region %bias[%n] [192] : memref<?xbf16>
    // expected-remark @+1 {{[tile-stage/row] the row goes to shared memory, a tile ahead}}
    tile.copy %r to %row : !tile.region<192xbf16>, !row
    %s = tile.region %scale[%n] [192] : memref<?xf32>
    // expected-remark @+1 {{[tile-stage/row]}}
    tile.copy %s to %factors : !tile.region<192xf32>, !row
    tile.parallel (%i, %j) in [128, 192] {
      %x = memref.load %acc[%i, %j] : !acc
      %y = memref.load %row[%j] : !row
      %f = memref.load %factors[%j] : !row
      %z = math.fma %x, %f, %y : f32
      memref.store %z, %acc[%i, %j] : !acc
    }
    %c = tile.region %C[%m, %n] [128, 192] : !tensor
    tile.copy %acc to %c : !acc, !tile.region<128x192xbf16>
    gpu.terminator
  }
  return
}

// What another op reads, what has an instruction, and sums that one warpgroup has no
// registers for.
// CHECK-LABEL: func @kept
// CHECK-NOT: memref<192x{{b?f[0-9]+}}, #gpu
// CHECK: return
func.func @kept(%A: !tensor, %B: !tensor, %bias: memref<?xbf16>, %C: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %c256 = arith.constant 256 : index
  %K = memref.dim %A, %c1 : !tensor
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c32, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c192 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %row = tile.alloc : !row
    %read = tile.alloc : !row
    %told = tile.alloc : !row
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] : !tensor
      %b = tile.region %B[%n, %k] [192, 64] : !tensor
      tile.copy %a to %As : !tile.region<128x64xbf16>, !A
      tile.copy %b to %Bs : !tile.region<192x64xbf16>, !B
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !B, !acc)
    } {tile.num_stages = 4 : i32}
    %r = tile.region %bias[%n] [192] : memref<?xbf16>
    tile.copy %r to %read : !tile.region<192xbf16>, !row
    tile.copy %read to %row : !row, !row
    tile.copy %r to %told {instr = #tile.instr<simt>} : !tile.region<192xbf16>, !row
    tile.parallel (%i, %j) in [128, 192] {
      %x = memref.load %acc[%i, %j] : !acc
      %y = memref.load %row[%j] : !row
      %f = memref.load %told[%j] : !row
      %z = math.fma %x, %f, %y : f32
      memref.store %z, %acc[%i, %j] : !acc
    }
    %c = tile.region %C[%m, %n] [128, 192] : !tensor
    tile.copy %acc to %c : !acc, !tile.region<128x192xbf16>
    gpu.terminator
  }
  return
}

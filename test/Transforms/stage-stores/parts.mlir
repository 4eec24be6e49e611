// RUN: %tile_opt_passes 'tile-stage-stores{target=sm_90a}' %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: %tile_opt_passes 'tile-stage-stores{target=sm_80}' %s -split-input-file | FileCheck %s --check-prefix=NOTMA

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// NOTMA-NOT: memref<128x64xbf16, #gpu.address_space<workgroup>>
// NOTMA-LABEL: func.func @whole
// NOTMA: tile.copy {{.*}} : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xbf16>

// All of it at once where it fits.
// CHECK-LABEL: func.func @whole
// CHECK: gpu.launch
// CHECK: %[[S:.*]] = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
// CHECK: tile.gemm
// CHECK: %[[C:.*]] = tile.region %arg2
// CHECK-NEXT: tile.copy %{{.*}} to %[[S]] : memref<64x64xf32, #tile.fragment>, memref<64x64xbf16
// CHECK-NEXT: tile.copy %[[S]] to %[[C]] : memref<64x64xbf16, {{.*}}>, !tile.region<64x64xbf16>
func.func @whole(%A: memref<64x64xbf16>, %B: memref<64x64xbf16>, %C: memref<64x64xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #shared>
    %Bs = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #fragment>)
    %c = tile.region %C[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
    tile.copy %acc to %c : memref<64x64xf32, #fragment>, !tile.region<64x64xbf16>
    gpu.terminator
  }
  return
}

// -----

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Four stages leave room for two parts of 64 columns: they take turns.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: %{{.*}}: memref<?x?xbf16>, %{{.*}}: memref<?x?xbf16>, %[[T:.*]]: memref<?x?xbf16>
// CHECK-DAG: %[[S0:.*]] = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[S1:.*]] = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
// CHECK: tile.gemm
// CHECK: %[[P0:.*]] = tile.region %[[ACC:.*]][0, 0] [128, 64] : memref<128x256xf32, #tile.fragment>
// CHECK-NEXT: tile.copy %[[P0]] to %[[A:.*]] : !tile.region<128x64xf32, #tile.fragment>
// CHECK-NEXT: %[[W0:.*]] = tile.region %[[T]][%[[M:.*]], %[[N:.*]]] [128, 64] {align = 16 : i64}
// CHECK-NEXT: tile.copy %[[A]] to %[[W0]]
// CHECK-NEXT: %[[P1:.*]] = tile.region %[[ACC]][0, 64] [128, 64]
// CHECK-NEXT: tile.copy %[[P1]] to %[[B:.*]] : !tile.region
// CHECK: %[[N1:.*]] = arith.addi %[[N]], %c64
// CHECK-NEXT: %[[W1:.*]] = tile.region %[[T]][%[[M]], %[[N1]]] [128, 64] {align = 16 : i64}
// CHECK-NEXT: tile.copy %[[B]] to %[[W1]]
// CHECK-NEXT: tile.region %[[ACC]][0, 128]
// CHECK-NEXT: tile.copy %{{.*}} to %[[A]]
// CHECK: tile.region %[[ACC]][0, 192]
// CHECK-NEXT: tile.copy %{{.*}} to %[[B]]
func.func @parts(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c256 : index
    %As = tile.alloc : memref<128x64xbf16, #shared>
    %Bs = tile.alloc : memref<256x64xbf16, #shared>
    %acc = tile.alloc : memref<128x256xf32, #fragment>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [256, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<256x64xbf16>, memref<256x64xbf16, #shared>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #shared>, memref<256x64xbf16, #shared>, memref<128x256xf32, #fragment>)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[%m, %n] [128, 256] {align = 16 : i64} : memref<?x?xbf16>
    tile.copy %acc to %c : memref<128x256xf32, #fragment>, !tile.region<128x256xbf16>
    gpu.terminator
  }
  return
}

// -----

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Rows of 160 columns are not made of rows of 128 bytes: those of parts have 64.
// CHECK-LABEL: func.func @short_rows
// CHECK-DAG: %[[S0:.*]] = tile.alloc : memref<128x32xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[S1:.*]] = tile.alloc : memref<128x32xbf16, #gpu.address_space<workgroup>>
// CHECK: tile.region %{{.*}}[0, 0] [128, 32] : memref<128x160xf32, #tile.fragment>
// CHECK: tile.region %{{.*}}[0, 128] [128, 32] : memref<128x160xf32, #tile.fragment>
// CHECK-NOT: tile.region %{{.*}} [128, 32] : memref<128x160xf32
func.func @short_rows(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c160 = arith.constant 160 : index
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c160 : index
    %As = tile.alloc : memref<128x64xbf16, #shared>
    %Bs = tile.alloc : memref<160x64xbf16, #shared>
    %acc = tile.alloc : memref<128x160xf32, #fragment>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<?x?xbf16>
      %b = tile.region %B[%n, %k] [160, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #shared>
      tile.copy %b to %Bs : !tile.region<160x64xbf16>, memref<160x64xbf16, #shared>
      tile.gemm %As, %Bs, %acc {transpose_b} : (memref<128x64xbf16, #shared>, memref<160x64xbf16, #shared>, memref<128x160xf32, #fragment>)
    } {tile.num_stages = 5 : i32}
    %c = tile.region %C[%m, %n] [128, 160] {align = 16 : i64} : memref<?x?xbf16>
    tile.copy %acc to %c : memref<128x160xf32, #fragment>, !tile.region<128x160xbf16>
    gpu.terminator
  }
  return
}

// -----

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// What an element loop makes of an accumulator lies as it does. A fragment
// that no product wrote has rows already, a given instruction is obeyed, and
// rows that are not aligned are not for TMA.
// CHECK-LABEL: func.func @which
// CHECK: tile.copy %[[O:.*]] to %[[S:.*]] : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT: tile.copy %[[S]] to %{{.*}} : memref<64x64xf16, #gpu.address_space<workgroup>>
// CHECK: tile.copy %{{.*}} to %{{.*}} {instr = #tile.instr<simt>} : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
// CHECK: tile.copy %{{.*}} to %{{.*}} : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
// CHECK: tile.copy %{{.*}} to %{{.*}} : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
func.func @which(%C: memref<64x64xf16>, %D: memref<64x64xf32>, %E: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %out = tile.alloc : memref<64x64xf16, #fragment>
    %rows = tile.alloc : memref<64x64xf32, #fragment>
    tile.gemm %As, %As, %acc : (memref<64x64xbf16, #shared>, memref<64x64xbf16, #shared>, memref<64x64xf32, #fragment>)
    tile.parallel (%i, %j) in [64, 64] {
      %x = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
      %y = arith.truncf %x : f32 to f16
      memref.store %y, %out[%i, %j] : memref<64x64xf16, #fragment>
    }
    %c = tile.region %C[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xf16>
    tile.copy %out to %c : memref<64x64xf16, #fragment>, !tile.region<64x64xf16>
    %d = tile.region %D[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xf32>
    tile.copy %acc to %d {instr = #tile.instr<simt>} : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
    tile.copy %rows to %d : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
    %e = tile.region %E[0, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %e : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Nothing is left.
func.func @full(%A: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<256x64xbf16, #shared>
    %acc = tile.alloc : memref<256x128xf32, #fragment>
    scf.for %k = %c0 to %c8 step %c1 {
      %a = tile.region %A[%k, 0] [256, 64] {align = 16 : i64} : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<256x64xbf16>, memref<256x64xbf16, #shared>
      %B = tile.view %As : memref<256x64xbf16, #shared> to memref<64x256xbf16, #shared>
      %b = tile.region %B[0, 0] [64, 128] : memref<64x256xbf16, #shared>
      tile.gemm %As, %b, %acc : (memref<256x64xbf16, #shared>, !tile.region<64x128xbf16, #shared>, memref<256x128xf32, #fragment>)
    } {tile.num_stages = 7 : i32}
    %c = tile.region %C[0, 0] [256, 128] {align = 16 : i64} : memref<?x?xf32>
    // expected-remark @+1 {{[tile-stage/shared-memory] is stored from registers, in pieces of rows: parts in shared memory would take 32768 bytes, 2048 are left}}
    tile.copy %acc to %c : memref<256x128xf32, #fragment>, !tile.region<256x128xf32>
    gpu.terminator
  }
  return
}

// RUN: %tile_opt_passes 'tile-split-depth{target=sm_90a}' %s -split-input-file -verify-diagnostics

// What cannot be split as asked, and why.

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be split along its depth as required: a sum does not begin as zero}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    // expected-note @+1 {{it is seen here}}
    tile.fill %acc, %x : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-note @+2 {{it is seen here}}
  // expected-error @+1 {{cannot be split along its depth as required: it forms clusters or has to be persistent}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64, persist = true}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-note @+2 {{it is seen here}}
  // expected-error @+1 {{cannot be split along its depth as required: it forms clusters or has to be persistent}}
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c1, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be split along its depth as required: it has more than one loop}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    // expected-note @+1 {{it is seen here}}
    scf.for %k = %c0 to %c4096 step %c64 {
    }
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be split along its depth as required: its loop does more than copy and multiply}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    %zb = arith.constant 0.0 : bf16
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
      // expected-note @+1 {{it is seen here}}
      tile.fill %As, %zb : !A, bf16
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be split along its depth as required: a tile of its loop is used before the loop fills it}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %b to %Bs : !win, !A
      // expected-note @+1 {{it is seen here}}
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
      tile.copy %a to %As : !win, !A
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be split along its depth as required: what stands before its loop writes a tensor}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    %w = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    // expected-note @+1 {{it is seen here}}
    tile.copy %acc to %w : !acc, !tile.region<64x64xf32>
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!A = memref<64x64xbf16, #smem>
!acc = memref<64x64xf32, #tile.fragment>
!win = !tile.region<64x64xbf16>

func.func @product(%A: memref<64x4096xbf16>, %B: memref<2048x4096xbf16>, %C: memref<64x2048xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot be split along its depth as required: it has barriers, roles or clusters of its own}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {split = 2 : i64}
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !A
    %Bs = tile.alloc : !A
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c4096 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x4096xbf16>
      %b = tile.region %B[%n, %k] [64, 64] : memref<2048x4096xbf16>
      tile.copy %a to %As : !win, !A
      tile.copy %b to %Bs : !win, !A
      tile.gemm %As, %Bs, %acc {transpose_b} : (!A, !A, !acc)
    } {tile.num_stages = 4 : i32}
    // expected-note @+1 {{it is seen here}}
    tile.barrier_sync
    %c = tile.region %C[0, %n] [64, 64] : memref<64x2048xf32>
    tile.copy %acc to %c : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

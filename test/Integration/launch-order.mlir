// Barriers of all blocks of a launch, and launches that may begin before those
// in front of them have ended.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --seeds=2 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Rows that are smoothed in rounds, between two tensors: each round reads what
// other blocks wrote in the one before. The counter is left as it was.
// CASE: rounds(A=ints:7x43:f32, B=junk:7x43:f32, n=zeros:1:i32)
// EXPECT: for r in range(2): B = A + np.roll(A, -1, axis=0); A = B + np.roll(B, -1, axis=0)
// EXPECT: n[0] = 0
func.func @rounds(%A: memref<7x43xf32>, %B: memref<7x43xf32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c96 = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c7, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %x = tile.alloc : memref<43xf32, #fragment>
    %y = tile.alloc : memref<43xf32, #fragment>
    %up = arith.addi %bx, %c1 : index
    %next = arith.remui %up, %c7 : index
    %a = tile.region %A[%bx, 0] [1, 43] drop [0] : memref<7x43xf32>
    %an = tile.region %A[%next, 0] [1, 43] drop [0] : memref<7x43xf32>
    %b = tile.region %B[%bx, 0] [1, 43] drop [0] : memref<7x43xf32>
    %bn = tile.region %B[%next, 0] [1, 43] drop [0] : memref<7x43xf32>
    scf.for %r = %c0 to %c2 step %c1 {
      tile.copy %a to %x : !tile.region<43xf32>, memref<43xf32, #fragment>
      tile.copy %an to %y : !tile.region<43xf32>, memref<43xf32, #fragment>
      tile.parallel (%i) in [43] {
        %v = memref.load %x[%i] : memref<43xf32, #fragment>
        %w = memref.load %y[%i] : memref<43xf32, #fragment>
        %s = arith.addf %v, %w : f32
        memref.store %s, %x[%i] : memref<43xf32, #fragment>
      }
      tile.copy %x to %b : memref<43xf32, #fragment>, !tile.region<43xf32>
      tile.grid_sync %n : memref<1xi32>
      tile.copy %b to %x : !tile.region<43xf32>, memref<43xf32, #fragment>
      tile.copy %bn to %y : !tile.region<43xf32>, memref<43xf32, #fragment>
      tile.parallel (%i) in [43] {
        %v = memref.load %x[%i] : memref<43xf32, #fragment>
        %w = memref.load %y[%i] : memref<43xf32, #fragment>
        %s = arith.addf %v, %w : f32
        memref.store %s, %x[%i] : memref<43xf32, #fragment>
      }
      tile.copy %x to %a : memref<43xf32, #fragment>, !tile.region<43xf32>
      tile.grid_sync %n : memref<1xi32>
    }
    gpu.terminator
  }
  return
}

// Two products in one launch of six blocks: the second one needs all of the
// first. The weights have a producer; what the launch itself wrote is loaded by
// the computing warps.
// CASE: layers(X=ints:128x72:bf16, V=ints:72x128:bf16, W=ints:128x72:bf16, H=junk:128x128:bf16, Y=junk:128x72:f32, n=zeros:3:i32)
// EXPECT: H = np.maximum(X @ V, 0); H = round_to(H, "bf16"); Y = H @ W; n[1] = -2**31
func.func @layers(%X: memref<128x72xbf16>, %V: memref<72x128xbf16>, %W: memref<128x72xbf16>, %H: memref<128x128xbf16>, %Y: memref<128x72xf32>, %n: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c72 = arith.constant 72 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c3, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xbf16, #shared>
    %Bs = tile.alloc : memref<32x64xbf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %count = tile.region %n[%c1] [1] : memref<3xi32>
    %m = arith.muli %bx, %c64 : index
    %first = arith.cmpi ult, %by, %c2 : index
    tile.fill %acc, %zero : memref<64x64xf32, #fragment>, f32
    scf.if %first {
      %j = arith.muli %by, %c64 : index
      scf.for %k = %c0 to %c72 step %c32 {
        %a = tile.region %X[%m, %k] [64, 32] : memref<128x72xbf16>
        %b = tile.region %V[%k, %j] [32, 64] : memref<72x128xbf16>
        tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
        tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #shared>
        tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #shared>, memref<32x64xbf16, #shared>, memref<64x64xf32, #fragment>)
      } {tile.num_stages = 2 : i32}
      tile.parallel (%i, %q) in [64, 64] {
        %v = memref.load %acc[%i, %q] : memref<64x64xf32, #fragment>
        %w = arith.maximumf %v, %zero : f32
        memref.store %w, %acc[%i, %q] : memref<64x64xf32, #fragment>
      }
      %h = tile.region %H[%m, %j] [64, 64] : memref<128x128xbf16>
      tile.copy %acc to %h : memref<64x64xf32, #fragment>, !tile.region<64x64xbf16>
    }
    tile.grid_sync %count : !tile.region<1xi32>
    %At = tile.alloc : memref<64x32xbf16, #shared>
    %Bt = tile.alloc : memref<32x24xbf16, #shared>
    %sum = tile.alloc : memref<64x24xf32, #fragment>
    tile.fill %sum, %zero : memref<64x24xf32, #fragment>, f32
    %j = arith.muli %by, %c24 : index
    scf.for %k = %c0 to %c128 step %c32 {
      %a = tile.region %H[%m, %k] [64, 32] : memref<128x128xbf16>
      %b = tile.region %W[%k, %j] [32, 24] : memref<128x72xbf16>
      tile.copy %a to %At : !tile.region<64x32xbf16>, memref<64x32xbf16, #shared>
      tile.copy %b to %Bt : !tile.region<32x24xbf16>, memref<32x24xbf16, #shared>
      tile.gemm %At, %Bt, %sum : (memref<64x32xbf16, #shared>, memref<32x24xbf16, #shared>, memref<64x24xf32, #fragment>)
    } {tile.num_stages = 2 : i32}
    %y = tile.region %Y[%m, %j] [64, 24] : memref<128x72xf32>
    tile.copy %sum to %y : memref<64x24xf32, #fragment>, !tile.region<64x24xf32>
    gpu.terminator
  }
  return
}

// The second launch may begin when all blocks of the first have come to the end
// of their products; it loads its bias before it waits.
// CASE: chain(X=ints:96x80:f16, V=ints:80x64:f16, bias=ints:64:f32, H=junk:96x64:f16, Y=junk:96x64:f32)
// EXPECT: H = round_to(X @ V, "f16"); Y = H @ V[:64] + bias
func.func @chain(%X: memref<96x80xf16>, %V: memref<80x64xf16>, %bias: memref<64xf32>, %H: memref<96x64xf16>, %Y: memref<96x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c80 = arith.constant 80 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x16xf16, #shared>
    %Bs = tile.alloc : memref<16x64xf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %m = arith.muli %bx, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #fragment>, f32
    scf.for %k = %c0 to %c80 step %c16 {
      %a = tile.region %X[%m, %k] [64, 16] : memref<96x80xf16>
      %b = tile.region %V[%k, 0] [16, 64] : memref<80x64xf16>
      tile.copy %a to %As : !tile.region<64x16xf16>, memref<64x16xf16, #shared>
      tile.copy %b to %Bs : !tile.region<16x64xf16>, memref<16x64xf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    tile.launch_next
    %h = tile.region %H[%m, 0] [64, 64] : memref<96x64xf16>
    tile.copy %acc to %h : memref<64x64xf32, #fragment>, !tile.region<64x64xf16>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x16xf16, #shared>
    %Bs = tile.alloc : memref<16x64xf16, #shared>
    %bs = tile.alloc : memref<64xf32, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %m = arith.muli %bx, %c64 : index
    tile.copy %bias to %bs : memref<64xf32>, memref<64xf32, #shared>
    tile.launch_wait
    tile.fill %acc, %zero : memref<64x64xf32, #fragment>, f32
    scf.for %k = %c0 to %c64 step %c16 {
      %a = tile.region %H[%m, %k] [64, 16] : memref<96x64xf16>
      %b = tile.region %V[%k, 0] [16, 64] : memref<80x64xf16>
      tile.copy %a to %As : !tile.region<64x16xf16>, memref<64x16xf16, #shared>
      tile.copy %b to %Bs : !tile.region<16x64xf16>, memref<16x64xf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x16xf16, #shared>, memref<16x64xf16, #shared>, memref<64x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    tile.parallel (%i, %j) in [64, 64] {
      %v = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
      %w = memref.load %bs[%j] : memref<64xf32, #shared>
      %s = arith.addf %v, %w : f32
      memref.store %s, %acc[%i, %j] : memref<64x64xf32, #fragment>
    }
    %y = tile.region %Y[%m, 0] [64, 64] : memref<96x64xf32>
    tile.copy %acc to %y : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Copies between fragments whose layouts the user gave: inside a thread, by
// shuffles inside a warp, through shared memory; types of every width, and casts.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// An accumulator as a factor of 32, 16 and 8 bits.
// CASE: to_tf32(A=normal:64x32:f32, B=junk:64x32:f32)
// CASE: to_tf32(A=normal:61x30:f32, B=junk:61x30:f32)
// EXPECT: B = A
func.func @to_tf32(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"mma<64x32,warps=4x1>">} : memref<64x32xf32, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"wgmmaA<64x32,32,wg=1x1>">} : memref<64x32xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xf32>
    tile.copy %a to %F : !tile.region<64x32xf32>, memref<64x32xf32, #tile.fragment>
    tile.copy %F to %G : memref<64x32xf32, #tile.fragment>, memref<64x32xf32, #tile.fragment>
    tile.copy %G to %b : memref<64x32xf32, #tile.fragment>, !tile.region<64x32xf32>
    gpu.terminator
  }
  return
}

// CASE: to_bytes(A=ints:64x32:i32, B=junk:64x32:i8)
// CASE: to_bytes(A=ints:61x30:i32, B=junk:61x30:i8)
// EXPECT: B = A
func.func @to_bytes(%A: memref<?x?xi32>, %B: memref<?x?xi8>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"mma<64x32,warps=4x1>">} : memref<64x32xi32, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"wgmmaA<64x32,8,wg=1x1>">} : memref<64x32xi8, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xi32>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xi8>
    tile.copy %a to %F : !tile.region<64x32xi32>, memref<64x32xi32, #tile.fragment>
    tile.copy %F to %G : memref<64x32xi32, #tile.fragment>, memref<64x32xi8, #tile.fragment>
    tile.copy %G to %b : memref<64x32xi8, #tile.fragment>, !tile.region<64x32xi8>
    gpu.terminator
  }
  return
}

// CASE: from_bytes(A=ints:64x32:i8, B=junk:64x32:i32)
// CASE: from_bytes(A=ints:61x30:i8, B=junk:61x30:i32)
// EXPECT: B = A
func.func @from_bytes(%A: memref<?x?xi8>, %B: memref<?x?xi32>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"wgmmaA<64x32,8,wg=1x1>">} : memref<64x32xi8, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"mma<64x32,warps=4x1>">} : memref<64x32xi32, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xi8>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xi32>
    tile.copy %a to %F : !tile.region<64x32xi8>, memref<64x32xi8, #tile.fragment>
    tile.copy %F to %G : memref<64x32xi8, #tile.fragment>, memref<64x32xi32, #tile.fragment>
    tile.copy %G to %b : memref<64x32xi32, #tile.fragment>, !tile.region<64x32xi32>
    gpu.terminator
  }
  return
}

// Lanes of 64-bit elements take two shuffles.
// CASE: wide(A=normal:64x32:f64, B=junk:64x32:f64)
// CASE: wide(A=normal:63x31:f64, B=junk:63x31:f64)
// EXPECT: B = A
func.func @wide(%A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"mma<64x32,warps=4x1>">} : memref<64x32xf64, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"wgmmaA<64x32,32,wg=1x1>">} : memref<64x32xf64, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xf64>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xf64>
    tile.copy %a to %F : !tile.region<64x32xf64>, memref<64x32xf64, #tile.fragment>
    tile.copy %F to %G : memref<64x32xf64, #tile.fragment>, memref<64x32xf64, #tile.fragment>
    tile.copy %G to %b : memref<64x32xf64, #tile.fragment>, !tile.region<64x32xf64>
    gpu.terminator
  }
  return
}

// Halves of words change lanes.
// CASE: halves(A=normal:64x32:bf16, B=junk:64x32:bf16)
// CASE: halves(A=normal:61x30:bf16, B=junk:61x30:bf16)
// EXPECT: B = A
func.func @halves(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"mma<64x32,warps=4x1>">} : memref<64x32xbf16, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"wgmmaA<64x32,8,wg=1x1>">} : memref<64x32xbf16, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xbf16>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xbf16>
    tile.copy %a to %F : !tile.region<64x32xbf16>, memref<64x32xbf16, #tile.fragment>
    tile.copy %F to %G : memref<64x32xbf16, #tile.fragment>, memref<64x32xbf16, #tile.fragment>
    tile.copy %G to %b : memref<64x32xbf16, #tile.fragment>, !tile.region<64x32xbf16>
    gpu.terminator
  }
  return
}

// In one thread: other registers, then registers that depend on the thread.
// CASE: renamed(A=normal:32x32:f16, B=junk:32x32:f32)
// CASE: renamed(A=normal:31x29:f16, B=junk:31x29:f32)
// EXPECT: B = A
func.func @renamed(%A: memref<?x?xf16>, %B: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d0:16), lane=(d1:4*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:32>">} : memref<32x32xf16, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"bases<reg=(d0:16, d1:2, d1:1), lane=(d1:4*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:32>">} : memref<32x32xf32, #tile.fragment>
    %a = tile.region %A[0, 0] [32, 32] : memref<?x?xf16>
    %b = tile.region %B[0, 0] [32, 32] : memref<?x?xf32>
    tile.copy %a to %F : !tile.region<32x32xf16>, memref<32x32xf16, #tile.fragment>
    tile.copy %F to %G : memref<32x32xf16, #tile.fragment>, memref<32x32xf32, #tile.fragment>
    tile.copy %G to %b : memref<32x32xf32, #tile.fragment>, !tile.region<32x32xf32>
    gpu.terminator
  }
  return
}

// CASE: selected(A=ints:32x32:f32, B=junk:32x32:bf16)
// CASE: selected(A=ints:31x29:f32, B=junk:31x29:bf16)
// EXPECT: B = A
func.func @selected(%A: memref<?x?xf32>, %B: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d0:16), lane=(d1:4*8, d0:1*4), warp=(d0:4*4) -> d0:32, d1:32>">} : memref<32x32xf32, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d0:16), lane=(d1:4^d1:1, d1:8*4, d0:1*4), warp=(d0:4*4) -> d0:32, d1:32>">} : memref<32x32xbf16, #tile.fragment>
    %a = tile.region %A[0, 0] [32, 32] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [32, 32] : memref<?x?xbf16>
    tile.copy %a to %F : !tile.region<32x32xf32>, memref<32x32xf32, #tile.fragment>
    tile.copy %F to %G : memref<32x32xf32, #tile.fragment>, memref<32x32xbf16, #tile.fragment>
    tile.copy %G to %b : memref<32x32xbf16, #tile.fragment>, !tile.region<32x32xbf16>
    gpu.terminator
  }
  return
}

// The destination holds every element twice.
// CASE: replicated(A=wide:4x32:i16, B=junk:4x32:i16)
// CASE: replicated(A=wide:3x31:i16, B=junk:3x31:i16)
// EXPECT: B = A
func.func @replicated(%A: memref<?x?xi16>, %B: memref<?x?xi16>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4), lane=(d1:4*8, d0:1*4), warp=(0*2) -> d0:4, d1:32>">} : memref<4x32xi16, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d0:2*2), lane=(d1:4*8, d0:1*2, 0*2), warp=(0*2) -> d0:4, d1:32>">} : memref<4x32xi16, #tile.fragment>
    %a = tile.region %A[0, 0] [4, 32] : memref<?x?xi16>
    %b = tile.region %B[0, 0] [4, 32] : memref<?x?xi16>
    tile.copy %a to %F : !tile.region<4x32xi16>, memref<4x32xi16, #tile.fragment>
    tile.copy %F to %G : memref<4x32xi16, #tile.fragment>, memref<4x32xi16, #tile.fragment>
    tile.copy %G to %b : memref<4x32xi16, #tile.fragment>, !tile.region<4x32xi16>
    gpu.terminator
  }
  return
}

// Warps exchange elements: through shared memory.
// CASE: exchanged(A=ints:64x32:f32, B=junk:64x32:bf16)
// CASE: exchanged(A=ints:61x30:f32, B=junk:61x30:bf16)
// EXPECT: B = A
func.func @exchanged(%A: memref<?x?xf32>, %B: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"mma<64x32,warps=2x2>">} : memref<64x32xf32, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"mma<64x32,warps=4x1>">} : memref<64x32xbf16, #tile.fragment>
    %a = tile.region %A[0, 0] [64, 32] : memref<?x?xf32>
    %b = tile.region %B[0, 0] [64, 32] : memref<?x?xbf16>
    tile.copy %a to %F : !tile.region<64x32xf32>, memref<64x32xf32, #tile.fragment>
    tile.copy %F to %G : memref<64x32xf32, #tile.fragment>, memref<64x32xbf16, #tile.fragment>
    tile.copy %G to %b : memref<64x32xbf16, #tile.fragment>, !tile.region<64x32xbf16>
    gpu.terminator
  }
  return
}

// Three warps.
// CASE: odd_warps(A=normal:48x32:f16, B=junk:48x32:f16)
// CASE: odd_warps(A=normal:47x31:f16, B=junk:47x31:f16)
// EXPECT: B = A
func.func @odd_warps(%A: memref<?x?xf16>, %B: memref<?x?xf16>) {
  %c1 = arith.constant 1 : index
  %threads = arith.constant 96 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"mma<48x32,warps=3x1>">} : memref<48x32xf16, #tile.fragment>
    %G = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*4, d0:8, d1:16), lane=(d1:4*4, d0:1*8), warp=(d0:16*3) -> d0:48, d1:32>">} : memref<48x32xf16, #tile.fragment>
    %a = tile.region %A[0, 0] [48, 32] : memref<?x?xf16>
    %b = tile.region %B[0, 0] [48, 32] : memref<?x?xf16>
    tile.copy %a to %F : !tile.region<48x32xf16>, memref<48x32xf16, #tile.fragment>
    tile.copy %F to %G : memref<48x32xf16, #tile.fragment>, memref<48x32xf16, #tile.fragment>
    tile.copy %G to %b : memref<48x32xf16, #tile.fragment>, !tile.region<48x32xf16>
    gpu.terminator
  }
  return
}

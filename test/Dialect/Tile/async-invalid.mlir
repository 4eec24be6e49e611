// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// tile.await (C1)
func.func @await_c1() {
  // expected-error @+1 {{expects 'pending' from 0 to 7, got -2}}
  tile.await pending -2
  return
}

// -----

// tile.await (C1)
func.func @await_c1_too_many() {
  // expected-error @+1 {{expects 'pending' from 0 to 7, got 4294967296}}
  tile.await pending 4294967296
  return
}

// -----

// tile.await (C2)
func.func @await_c2(%acc: memref<64x64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects fragments of 'tile.alloc', got memref<64x64xf32, #tile.fragment>}}
  tile.await pending 0 for %acc : memref<64x64xf32, #tile.fragment>
  return
}

// -----

// tile.await (C3)
func.func @await_c3() {
  %acc = tile.alloc : memref<64x64xf8E5M2, #tile.fragment>
  // expected-error @+1 {{expects accumulators of f32, f16 or i32, got memref<64x64xf8E5M2, #tile.fragment>}}
  tile.await pending 0 for %acc : memref<64x64xf8E5M2, #tile.fragment>
  return
}

// -----

// tile.gemm (C8)
func.func @gemm_c8(%A: memref<64x64xf16, #gpu.address_space<workgroup>>) {
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expects 'async' only with instr = #tile.instr<wgmma>}}
  tile.gemm %A, %A, %acc {async, instr = #tile.instr<mma>} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

// tile.gemm_sp (C8)
func.func @gemm_sp_c8(%A: memref<64x32xf16, #gpu.address_space<workgroup>>, %E: memref<64x4xi16, #gpu.address_space<workgroup>>, %B: memref<64x64xf16, #gpu.address_space<workgroup>>) {
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  // expected-error @+1 {{expects 'async' only with instr = #tile.instr<wgmma>}}
  tile.gemm_sp %A, %E, %B, %acc {async} : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<64x4xi16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----

// tile.await (C5)
func.func @await_c5_alone() {
  %row = tile.alloc : memref<64xf32, #tile.fragment>
  // expected-error @+1 {{expects accumulators to wait for 'after' other work}}
  tile.await pending 0 after %row : memref<64xf32, #tile.fragment>
  return
}

// -----

// tile.await (C5)
func.func @await_c5_bits() {
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %row = tile.alloc : memref<64xf16, #tile.fragment>
  // expected-error @+1 {{expects 'after' to name fragments of 'tile.alloc' with elements of 32 bits, got memref<64xf16, #tile.fragment>}}
  tile.await pending 0 for %acc : memref<64x64xf32, #tile.fragment> after %row : memref<64xf16, #tile.fragment>
  return
}

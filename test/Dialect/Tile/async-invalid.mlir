// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// tile.await (C1)
func.func @await_c1() {
  // expected-error @+1 {{expects 'pending' to be at least 0, got -2}}
  tile.await pending -2
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
  // expected-error @+1 {{expects 'async' only with instr = #tile.instr<wgmma> and both factors in shared memory}}
  tile.gemm %A, %A, %acc {async, instr = #tile.instr<mma>} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

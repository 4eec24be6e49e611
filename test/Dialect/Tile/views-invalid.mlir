// RUN: %tile_opt %s -split-input-file -verify-diagnostics

func.func @view_c1_global(%a: memref<64xf32>) {
  // expected-error @+1 {{expects 'source' in shared or private memory or a fragment, got global memory}}
  %v = tile.view %a : memref<64xf32> to memref<8x8xf32>
  return
}

// -----

func.func @view_c1_spaces(%a: memref<64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects 'result' in the memory of 'source', a fragment, got shared memory}}
  %v = tile.view %a : memref<64xf32, #tile.fragment> to memref<8x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @view_c2_dynamic(%a: memref<?xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'source' to be static and of rank 1 to 5, got memref<?xf32}}
  %v = tile.view %a : memref<?xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @view_c2_rank(%a: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'result' to be static and of rank 1 to 5, got memref<1x1x1x1x1x64xf32}}
  %v = tile.view %a : memref<64xf32, #gpu.address_space<workgroup>> to memref<1x1x1x1x1x64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @view_c2_layout(%a: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'result' to have the identity layout, got memref<8x8xf32, strided<[1, 8]>}}
  %v = tile.view %a : memref<64xf32, #gpu.address_space<workgroup>> to memref<8x8xf32, strided<[1, 8]>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @view_c3_bytes(%a: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'result' to have the 256 bytes of 'source', got 258}}
  %v = tile.view %a : memref<64xf32, #gpu.address_space<workgroup>> to memref<129xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @view_c4_width(%a: memref<64xf32, #tile.fragment>) {
  // expected-error @+1 {{expects a view of a fragment to have elements of 32 bits, got 16}}
  %v = tile.view %a : memref<64xf32, #tile.fragment> to memref<128xbf16, #tile.fragment>
  return
}

// -----

func.func @view_c5_element(%a: memref<64xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4, got index}}
  %v = tile.view %a : memref<64xf32, #gpu.address_space<workgroup>> to memref<32xindex, #gpu.address_space<workgroup>>
  return
}

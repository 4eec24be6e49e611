// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -split-input-file -verify-diagnostics

// Of 576 accumulators more than half would be spilled.
func.func @fragment_exceeds_registers() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<192x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<64x384xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{needs 576 registers per thread; 128 threads of sm_90a have 255 each, of which 8 are kept for addresses}}
  %acc = tile.alloc : memref<192x384xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<192x64xbf16, #gpu.address_space<workgroup>>, memref<64x384xbf16, #gpu.address_space<workgroup>>, memref<192x384xf32, #tile.fragment>)
  return
}

// -----

// wgmma reads no padded tile: annotation and op are named.
// expected-error @+1 {{cannot infer layouts: layout padded<72> given for 128x64xbf16 cannot serve op tile.gemm in line}}
func.func @given_layout_cannot_serve() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc {layout = #tile.layout<"padded<72>">} : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<64x128xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  return
}

// -----

func.func @no_instruction() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  // expected-error @+1 {{has no instruction; run tile-instruction-annotation first}}
  tile.gemm %As, %As, %acc {transpose_b} : (memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  return
}

// -----

// wgmma adds the offset of a window to addresses: it starts at a multiple of its
// size, or swizzles would not repeat.
func.func @window_off_the_grid() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<128x128xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
  %a = tile.region %As[32, 0] [64, 64] : memref<128x128xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{operand 0 is a window that products do not take: they read whole fragments, and wgmma windows at multiples of their size}}
  tile.gemm %a, %a, %acc {transpose_b, instr = #tile.instr<wgmma>} : (!tile.region<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
  return
}

// -----


!m = memref<64x64xbf16, #gpu.address_space<workgroup>>
!w = memref<64x32xi32, #gpu.address_space<workgroup>>
!acc = memref<64x64xf32, #tile.fragment>

// Rows that are padded to 34 words suit no wgmma.
// expected-error @+1 {{cannot infer layouts: layout conflict on 64x64xbf16}}
func.func @bad_layout() attributes {tile.num_threads = 128 : i32} {
  %w = tile.alloc {layout = #tile.layout<"padded<34>">} : !w
  %m = tile.view %w : !w to !m
  %c = tile.alloc : !acc
  tile.gemm %m, %m, %c {instr = #tile.instr<wgmma>} : (!m, !m, !acc)
  return
}

// -----

// The accumulator cannot serve, not the factors.
// expected-error @+1 {{cannot infer layouts: layout bases<reg=(d1:1*24), lane=(d0:1*32), warp=(d0:32*2, d1:24*2) -> d0:64, d1:48> given for 64x48xf32 cannot serve op tile.gemm in line}}
func.func @given_accumulator() attributes {tile.num_threads = 128 : i32} {
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<64x48xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*24), lane=(d0:1*32), warp=(d0:32*2, d1:24*2) -> d0:64, d1:48>">} : memref<64x48xf32, #tile.fragment>
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<mma>} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x48xbf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
  return
}

// -----

!f = memref<60x100xf32, #tile.fragment>
!turned = memref<100x60xf32, #tile.fragment>

// expected-error @+1 {{cannot infer layouts: layout given for 60x100xf32 cannot serve op tile.view in line}}
func.func @given_layout_has_no_view() attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:4*25, d0:16*4), lane=(d1:1*4, d0:1*8), warp=(d0:8*2, 0*2) -> d0:60, d1:100>">} : !f
  %t = tile.view %f : !f to !turned
  tile.fill %t, %zero : !turned, f32
  return
}

// -----

!s = memref<17x8xi32, #gpu.address_space<workgroup>>
!turned = memref<8x17xi32, #gpu.address_space<workgroup>>
!f = memref<8x17xi32, #tile.fragment>

// What copies it would take changes nothing: its rows have gaps.
// expected-error @+1 {{cannot infer layouts: layout given for 17x8xi32 cannot serve op tile.view in line 101: view: dimension 1 of extent 17 cuts a digit}}
func.func @given_rows_have_no_view(%f: !f) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc {layout = #tile.layout<"padded<12>">} : !s
  %v = tile.view %s : !s to !turned
  tile.copy %v to %f {instr = #tile.instr<simt>} : !turned, !f
  return
}

// -----

// A view wants rows of 32, an accumulator keeps pairs of 8: both ops are named.
// expected-error @+1 {{cannot infer layouts: layout conflict on 64x48xf32: op tile.view in line}}
func.func @view_of_an_accumulator() attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0.0 : f32
  %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
  %Bs = tile.alloc : memref<64x48xbf16, #gpu.address_space<workgroup>>
  %acc = tile.alloc : memref<64x48xf32, #tile.fragment>
  %v = tile.view %acc : memref<64x48xf32, #tile.fragment> to memref<96x32xf32, #tile.fragment>
  tile.fill %v, %zero : memref<96x32xf32, #tile.fragment>, f32
  tile.gemm %As, %Bs, %acc {instr = #tile.instr<wgmma>} : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x48xbf16, #gpu.address_space<workgroup>>, memref<64x48xf32, #tile.fragment>)
  return
}

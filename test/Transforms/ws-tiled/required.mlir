// `tile.specialize = "required"` on a loop, `specialize = required` on a kernel:
// what would be a remark is an error, and nothing is changed.

// RUN: %tile_opt_passes 'tile-ws-tiled{target=sm_90a}' %s -split-input-file -verify-diagnostics

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

func.func @copy(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{it is read here}}
    tile.copy %S to %F : !tile, !frag
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    // expected-error @+1 {{cannot make the roles that are required: the tile is read on a path that does not fill it [tile-ws/no-fill-on-path]; copy before every read}}
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
  } {tile.num_stages = 2 : i32, tile.specialize = "required"}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// A plain copy has nothing for a producer to wait on.
func.func @loop(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  tile.kernel_config {specialize = #tile.specialize<required>}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-error @+1 {{cannot make the roles that are required: it holds no copy that TMA or cp.async can do [tile-ws/no-async]; tile-instruction-annotation says why}}
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<simt>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32}
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x?xbf16>
!win = !tile.region<64x64xbf16>
!tile = memref<64x64xbf16, #smem>
!frag = memref<64x64xbf16, #tile.fragment>

// The loop and the kernel do not agree.
func.func @off(%A: !tensor, %n: index) attributes {tile.num_threads = 128 : i32} {
  tile.kernel_config {specialize = #tile.specialize<off>}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : !tile
  %F = tile.alloc : !frag
  // expected-error @+1 {{cannot make the roles that are required: tile.kernel_config turns roles off [tile-ws/off]; remove one of the two wishes}}
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.region %A[0, %k] [64, 64] : !tensor
    tile.copy %a to %S {instr = #tile.instr<tma>} : !win, !tile
    tile.copy %S to %F : !tile, !frag
  } {tile.num_stages = 2 : i32, tile.specialize = "required"}
  return
}

// -----

// Nothing is pipelined: there is no loop to take the copies of.
func.func @no_loop(%n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{requires roles, which are made of a loop with tile.num_stages of at least 1, and the kernel has none}}
  tile.kernel_config {specialize = #tile.specialize<required>}
  scf.for %k = %c0 to %n step %c1 {
    tile.barrier_sync
  } {tile.num_stages = 0 : i32}
  return
}

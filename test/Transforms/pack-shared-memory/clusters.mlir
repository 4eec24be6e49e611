// RUN: %tile_opt_passes tile-pack-shared-memory %s | FileCheck %s

// Nobody here knows when other blocks are done with a tile: what they reach has
// bytes of its own, other tiles share theirs.

#shared = #gpu.address_space<workgroup>
#linear = #tile.layout<"linear">
!tile = memref<64xf32, #shared>
!frag = memref<64xf32, #tile.fragment>

// CHECK-LABEL: func.func @apart
// CHECK: tile.alloc {layout = {{.*}}, offset = 0 : i64} : memref<64xf32, #gpu
// CHECK: tile.alloc {layout = {{.*}}, offset = 256 : i64} : memref<64xf32, #gpu
// CHECK: tile.alloc {layout = {{.*}}, offset = 256 : i64} : memref<64xf32, #gpu
func.func @apart(%f: !frag, %rank: index) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc {layout = #linear} : !tile
  %r = tile.remote %s at %rank : !tile
  tile.copy %r to %f {instr = #tile.instr<simt>} : memref<64xf32, #tile.cluster>, !frag
  tile.cluster_sync
  %t = tile.alloc {layout = #linear} : !tile
  tile.copy %f to %t {instr = #tile.instr<simt>} : !frag, !tile
  tile.copy %t to %f {instr = #tile.instr<simt>} : !tile, !frag
  %u = tile.alloc {layout = #linear} : !tile
  tile.copy %f to %u {instr = #tile.instr<simt>} : !frag, !tile
  tile.copy %u to %f {instr = #tile.instr<simt>} : !tile, !frag
  return
}

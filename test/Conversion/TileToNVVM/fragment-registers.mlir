// Narrow elements that arrive one by one take a register each, whatever their
// width; those that arrive in words share them.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s -verify-diagnostics -o /dev/null

!bytes = memref<128x320xi8, #tile.fragment>
!bits = memref<128x320xi1, #tile.fragment>
!shared = memref<128x320xi8, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @bytes(%A: memref<?x?xi8>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*320), lane=(d0:1*32), warp=(d0:32*4) -> d0:128, d1:320>">} : !bytes
    %a = tile.region %A[0, 0] [128, 320] : memref<?x?xi8>
    // expected-remark @+1 {{[tile-copy/registers] the elements of a thread arrive in 320 pieces of less than 32 bits, a register each; threads of sm_90a have 255: some may be spilled}}
    tile.copy %a to %f {instr = #tile.instr<simt>} : !tile.region<128x320xi8>, !bytes
    gpu.return
  }

  gpu.func @bits(%A: memref<?x?xi1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*320), lane=(d0:1*32), warp=(d0:32*4) -> d0:128, d1:320>">} : !bits
    %a = tile.region %A[0, 0] [128, 320] : memref<?x?xi1>
    // expected-remark @+1 {{[tile-copy/registers] the elements of a thread arrive in 320 pieces}}
    tile.copy %a to %f {instr = #tile.instr<simt>} : !tile.region<128x320xi1>, !bits
    gpu.return
  }

  gpu.func @words() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {offset = 0, layout = #tile.layout<"linear">} : !shared
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*320), lane=(d0:1*32), warp=(d0:32*4) -> d0:128, d1:320>">} : !bytes
    tile.copy %s to %f {instr = #tile.instr<simt>} : !shared, !bytes
    gpu.return
  }

  // Two bytes at a time: 160 registers.
  gpu.func @halves() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {offset = 0, layout = #tile.layout<"padded<322>">} : !shared
    %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*320), lane=(d0:1*32), warp=(d0:32*4) -> d0:128, d1:320>">} : !bytes
    tile.copy %s to %f {instr = #tile.instr<simt>} : !shared, !bytes
    gpu.return
  }
}

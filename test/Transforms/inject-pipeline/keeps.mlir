// RUN: %tile_opt_passes '' %s > %t.before
// RUN: %tile_opt_passes 'tile-pipeline-planning,tile-inject-pipeline' %s | diff %t.before -

// Without pipelined loops nothing changes, byte for byte: loops of other kinds,
// asynchronous copies of the user, products.

#smem = #gpu.address_space<workgroup>

func.func @kernel(%A: memref<64x32xf32>, %n: index, %p: i1) attributes {tile.num_threads = 32 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.alloc : memref<32xf32, #smem>
  %f = tile.alloc : memref<32xf32, #tile.fragment>
  scf.for %i = %c0 to %n step %c1 {
    %a = tile.region %A[%i, 0] [1, 32] drop [0] : memref<64x32xf32>
    scf.if %p {
      tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, memref<32xf32, #smem>
      tile.cp_async_commit
      tile.cp_async_wait pending 0
    }
    tile.copy %S to %f : memref<32xf32, #smem>, memref<32xf32, #tile.fragment>
  } {other = 3 : i32}
  return
}

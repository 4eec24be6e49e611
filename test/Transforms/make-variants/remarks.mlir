// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a},tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics -o %t

// Each line has one remark, however many variants there are: it is about the best
// one. A stride that no fact can mend is named with its number.
#smem = #gpu.address_space<workgroup>
func.func @once(%A: memref<64x?xf16>, %B: memref<64x?xf16>, %O: memref<64x250xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = memref.dim %A, %c1 : memref<64x?xf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xf16, #smem>
    %Bs = tile.alloc : memref<64x64xf32, #smem>
    %Os = tile.alloc : memref<64x64xf16, #smem>
    scf.for %k = %c0 to %K step %c64 {
      %a = tile.region %A[0, %k] [64, 64] : memref<64x?xf16>
      %b = tile.region %B[0, %k] [64, 64] : memref<64x?xf16>
      %o = tile.region %O[0, %k] [64, 64] : memref<64x250xf16>
      tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
      // expected-remark @+1 {{[tile-instr/convert] uses simt; not tma: TMA does not convert elements; not cp_async: cp.async does not convert elements}}
      tile.copy %b to %Bs : !tile.region<64x64xf16>, memref<64x64xf32, #smem>
      // expected-remark @+1 {{[tile-instr/alignment] uses cp_async; not tma: stride 0 of the tensor is 500 bytes; TMA needs a multiple of 16}}
      tile.copy %o to %Os : !tile.region<64x64xf16>, memref<64x64xf16, #smem>
    } {tile.num_stages = 2 : i32}
    gpu.terminator
  }
  return
}

// Variants that a user writes are kernels of their own: each has its remarks.
func.func @of_the_user(%A: memref<64x?xf16>, %is_long: i1) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  tile.variants {
    tile.require %is_long, "rows are long"
    gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      %S = tile.alloc : memref<64x64xf32, #smem>
      %a = tile.region %A[0, 0] [64, 64] : memref<64x?xf16>
      // expected-remark @+1 {{[tile-instr/convert]}}
      tile.copy %a to %S : !tile.region<64x64xf16>, memref<64x64xf32, #smem>
      gpu.terminator
    }
  }, {
    gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
      %S = tile.alloc : memref<64x32xf32, #smem>
      %a = tile.region %A[0, 0] [64, 32] : memref<64x?xf16>
      // expected-remark @+1 {{[tile-instr/convert]}}
      tile.copy %a to %S : !tile.region<64x32xf16>, memref<64x32xf32, #smem>
      gpu.terminator
    }
  }
  return
}

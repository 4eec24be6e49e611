// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -verify-diagnostics

// A required instruction that is illegal, with the rule it breaks.
func.func @required(%A: memref<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x64xf32, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [32, 64] : memref<?x?xf32>
    // expected-error @+1 {{cannot use tma: rows are known to be aligned to 4 bytes; TMA needs 16}}
    tile.atomic add %S to %a {instr = #tile.instr<tma>} : memref<32x64xf32, #gpu.address_space<workgroup>>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

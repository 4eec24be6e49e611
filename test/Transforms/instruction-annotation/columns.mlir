// What divides the column at which a window starts decides how it may be copied:
// `simt` below 4 bytes, `cp_async` below 16, else `tma`. Each window here is of 32
// bytes, in rows known to be aligned.

// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s 2>/dev/null | FileCheck %s

#smem = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @divisions
func.func @divisions(%W: memref<?x?xi8>, %K: index, %sign: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<128x32xi8, #smem>
    scf.for %k = %c0 to %K step %c96 {
      // 96 / 2 = 48, 96 / 4 = 24 and 96 / 3 = 32.
      %a = arith.divui %k, %c2 : index
      %wa = tile.region %W[0, %a] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %wa to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %b = arith.divsi %k, %c4 : index
      %wb = tile.region %W[0, %b] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<cp_async>
      tile.copy %wb to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %c = arith.floordivsi %k, %c3 : index
      %wc = tile.region %W[0, %c] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %wc to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %d = arith.ceildivui %k, %c3 : index
      %wd = tile.region %W[0, %d] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %wd to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %e = arith.shrui %k, %c1 : index
      %we = tile.region %W[0, %e] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %we to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      // 96 / 128 is not exact.
      %f = arith.divui %k, %c128 : index
      %wf = tile.region %W[0, %f] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<simt>
      tile.copy %wf to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      // By what is not known, and of what is not.
      %g = arith.divui %k, %sign : index
      %wg = tile.region %W[0, %g] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<simt>
      tile.copy %wg to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    }
    // A number that may be negative is large as an unsigned one: 2^32 - 96 is no
    // multiple of 3, but its half is one of 16.
    %n = arith.muli %sign, %c96 : index
    %h = arith.divui %n, %c3 : index
    %wh = tile.region %W[0, %h] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<simt>
    tile.copy %wh to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    %i = arith.divui %n, %c2 : index
    %wi = tile.region %W[0, %i] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<tma>
    tile.copy %wi to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    %j = arith.divsi %n, %c3 : index
    %wj = tile.region %W[0, %j] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<tma>
    tile.copy %wj to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func.func @rests
func.func @rests(%W: memref<?x?xi8>, %K: index, %x: index, %is_x: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant -16 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<128x32xi8, #smem>
    scf.for %k = %c0 to %K step %c64 {
      %a = arith.remui %k, %c96 : index
      %wa = tile.region %W[0, %a] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %wa to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %b = arith.minsi %k, %c96 : index
      %wb = tile.region %W[0, %b] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %wb to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %c = arith.minsi %k, %x : index
      %wc = tile.region %W[0, %c] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<simt>
      tile.copy %wc to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
      %d = arith.select %is_x, %k, %c96 : index
      %wd = tile.region %W[0, %d] [128, 32] {align = 16 : i64} : memref<?x?xi8>
      // CHECK: instr<tma>
      tile.copy %wd to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    }
    %e = arith.andi %x, %c15 : index
    %we = tile.region %W[0, %e] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<tma>
    tile.copy %we to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    %f = arith.ori %e, %c64 : index
    %wf = tile.region %W[0, %f] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<tma>
    tile.copy %wf to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    %g = affine.apply affine_map<(d0)[s0] -> (d0 * 64 + (s0 floordiv 4) * 16)>(%x)[%x]
    %wg = tile.region %W[0, %g] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<tma>
    tile.copy %wg to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    %h = affine.apply affine_map<(d0) -> ((d0 * 64) floordiv 2)>(%x)
    %wh = tile.region %W[0, %h] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<tma>
    tile.copy %wh to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    %i = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%x)
    %wi = tile.region %W[0, %i] [128, 32] {align = 16 : i64} : memref<?x?xi8>
    // CHECK: instr<simt>
    tile.copy %wi to %s : !tile.region<128x32xi8>, memref<128x32xi8, #smem>
    gpu.terminator
  }
  return
}

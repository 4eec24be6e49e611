// Attributes whose names are close to some that are read have no effect: a
// warning says so, once, with what to write.

// RUN: %tile_opt_passes 'tile-pipeline-planning' %s --verify-diagnostics
// RUN: not tile-compile %s --ptxas=off --werror -o %t 2>&1 | FileCheck %s
// CHECK: tile-compile: error: 8 warnings, and --werror is given

#smem = #gpu.address_space<workgroup>
!tile = memref<64x64xbf16, #smem>

func.func @kernel(%A: memref<?x?xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  // expected-warning @+1 {{[tile-attribute/ignored] 'persistent' is not read here; write tile.kernel_config {persist = …} in the kernel}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !tile
    %f = tile.alloc : memref<64x64xbf16, #tile.fragment>
    // expected-warning @+1 {{'stage' is not read here; write 'tile.stage'}}
    %q = arith.addi %bx, %by {stage = 0 : i32, mine, other.stage = 0 : i32} : index
    // expected-warning @+4 {{'numStages' is not read here; write 'tile.num_stages'}}
    // expected-warning @+3 {{'persist' is not read here; write tile.kernel_config {persist = …} in the kernel}}
    // expected-warning @+2 {{'specialise' is not read here; write 'tile.specialize'}}
    // expected-warning @+1 {{'producer_warp' is not read here; write tile.kernel_config {producer_warps = …} in the kernel}}
    scf.for %k = %c0 to %n step %c64 {
      %a = tile.region %A[%q, %k] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %S : !tile.region<64x64xbf16>, !tile
      tile.copy %S to %f : !tile, memref<64x64xbf16, #tile.fragment>
    } {numStages = 3 : i32, specialise = "off", persist, producer_warp = 4, mine}
    // expected-warning @+1 {{'stages' is not read here; write 'tile.num_stages'}}
    scf.for %k = %c0 to %n step %c64 {
      // What it means is there.
      scf.for %j = %c0 to %n step %c64 {
      } {tile.num_stages = 2 : i32, num_stages = 2 : i32}
    } {stages = 2 : i32}
    gpu.terminator
  } {persistent = true}
  return
}

// expected-warning @+1 {{'num_thread' is not read here; write 'tile.num_threads'}}
func.func @function() attributes {num_thread = 128 : i32} {
  return
}

// Loops of programs that are no kernels are no business of ours.
func.func @host(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
  } {stages = 2 : i32, unroll}
  return
}

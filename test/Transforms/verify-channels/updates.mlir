// RUN: %tile_opt_passes 'tile-phase-pipeline{target=sm_90a}' %s -o /dev/null

// An atomic update by TMA is over when its op is: threads that meet after it may write
// the tile that it read. Roles make the proof look.

#shared = #gpu.address_space<workgroup>

func.func @twice(%A: memref<64x32xf32>, %B: memref<64x32xf32>, %C: memref<64x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %s = tile.alloc : memref<32x32xf32, #shared>
    %q = tile.alloc : memref<32x32xf32, #shared>
    %x = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %x, %zero : memref<32x32xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %n step %c1 {
      %a = tile.region %A[%bx, 0] [32, 32] : memref<64x32xf32>
      tile.copy %a to %q : !tile.region<32x32xf32>, memref<32x32xf32, #shared>
      tile.parallel (%i, %j) in [32, 32] {
        %old = memref.load %x[%i, %j] : memref<32x32xf32, #tile.fragment>
        %more = memref.load %q[%i, %j] : memref<32x32xf32, #shared>
        %sum = arith.addf %old, %more : f32
        memref.store %sum, %x[%i, %j] : memref<32x32xf32, #tile.fragment>
      }
    } {tile.num_stages = 1 : i32}
    tile.copy %x to %s : memref<32x32xf32, #tile.fragment>, memref<32x32xf32, #shared>
    %b = tile.region %B[%bx, 0] [32, 32] : memref<64x32xf32>
    tile.atomic add %s to %b : memref<32x32xf32, #shared>, !tile.region<32x32xf32>
    tile.copy %x to %s : memref<32x32xf32, #tile.fragment>, memref<32x32xf32, #shared>
    %c = tile.region %C[%bx, 0] [32, 32] : memref<64x32xf32>
    tile.atomic add %s to %c : memref<32x32xf32, #shared>, !tile.region<32x32xf32>
    gpu.terminator
  }
  return
}

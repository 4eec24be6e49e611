// The shape of attention: Q ahead of the loop, K and V awaited where they are
// needed, a product of accumulators in between; blocks that a mask leaves out.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t
// RUN: %tile_opt_passes 'canonicalize,tile-make-variants{target=sm_90a},tile-instruction-annotation{target=sm_90a},tile-ws-tiled{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'canonicalize,tile-make-variants{target=sm_90a},tile-instruction-annotation{target=sm_90a},tile-pipeline-planning,tile-ws-tiled{target=sm_90a}' %s | FileCheck %s

#smem = #gpu.address_space<workgroup>
!T = memref<64x64xbf16, #smem>
!R = !tile.region<64x64xbf16>
!acc = memref<64x64xf32, #tile.fragment>
!P = memref<64x64xbf16, #tile.fragment>

// Planned or not (passes.md: two slots each). K and V are needed at different
// points: the second product does not hold up the next tile of the first one.
// CHECK: %[[Q:.*]] = tile.channel({{.*}}) depth 1
// CHECK: %[[K:.*]] = tile.channel({{.*}}) depth 2
// CHECK: %[[V:.*]] = tile.channel({{.*}}) depth 2
// CHECK: tile.role "consumer"
// CHECK: tile.wait %[[Q]]
// CHECK: scf.for
// CHECK: tile.wait %[[K]]
// CHECK: tile.gemm
// CHECK-NEXT: tile.release %[[K]]
// CHECK: tile.parallel
// CHECK: tile.wait %[[V]]
// CHECK: tile.gemm
// CHECK-NEXT: tile.release %[[V]]
// CHECK: tile.release %[[Q]]
// CHECK: tile.role "producer"
// CASE: attention(Q=ints:128x64:bf16, K=ints:256x64:bf16, V=ints:256x64:bf16, M=ints:4:i32, O=junk:128x64:f32)
// CASE: attention(Q=ints:128x64:bf16, K=ints:256x64:bf16, V=ints:256x64:bf16, M=ones:4:i32, O=junk:128x64:f32)
// CASE: attention(Q=ints:128x64:bf16, K=ints:256x64:bf16, V=ints:256x64:bf16, M=zeros:4:i32, O=junk:128x64:f32)
// EXPECT: O[:] = 0
// EXPECT: for j in range(4):
// EXPECT:   if M[j] != 0: O += np.minimum(np.maximum(Q @ K[64*j:64*j+64].T, 0), 8) @ V[64*j:64*j+64]
func.func @attention(%Q: memref<128x64xbf16>, %K: memref<256x64xbf16>, %V: memref<256x64xbf16>, %M: memref<4xi32>, %O: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Qs = tile.alloc : !T
    %Ks = tile.alloc : !T
    %Vs = tile.alloc : !T
    %s = tile.alloc : !acc
    %p = tile.alloc : !P
    %o = tile.alloc : !acc
    %m = arith.muli %bx, %c64 : index
    %q = tile.region %Q[%m, 0] [64, 64] {align = 16 : i64} : memref<128x64xbf16>
    tile.copy %q to %Qs : !R, !T
    tile.fill %o, %zero : !acc, f32
    scf.for %j = %c0 to %c4 step %c1 {
      %bit = memref.load %M[%j] : memref<4xi32>
      %go = arith.cmpi ne, %bit, %i0 : i32
      scf.if %go {
        %n = arith.muli %j, %c64 : index
        %k = tile.region %K[%n, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        %v = tile.region %V[%n, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        tile.copy %k to %Ks : !R, !T
        tile.copy %v to %Vs : !R, !T
        tile.fill %s, %zero : !acc, f32
        tile.gemm %Qs, %Ks, %s {transpose_b, policy = #tile.warp_policy<full_row>} : (!T, !T, !acc)
        tile.parallel (%x, %y) in [64, 64] {
          %e = memref.load %s[%x, %y] : !acc
          %a = arith.maximumf %e, %zero : f32
          %b = arith.minimumf %a, %eight : f32
          memref.store %b, %s[%x, %y] : !acc
        }
        tile.copy %s to %p : !acc, !P
        tile.gemm %p, %Vs, %o {policy = #tile.warp_policy<full_row>} : (!P, !T, !acc)
      }
    } {tile.num_stages = 2 : i32}
    %out = tile.region %O[%m, 0] [64, 64] : memref<128x64xf32>
    tile.copy %o to %out : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A state that products add to, and that the next iteration reads before they do:
// zeros at first, which are read, and overwritten by the first product. Roles
// rotate such loops; two products are under way beside the state.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
!In = memref<?x64xbf16>
!Win = !tile.region<64x64xbf16>
!Tile = memref<64x64xbf16, #smem>
!Acc = memref<64x64xf32, #frag>

// CASE: state(Q=ints:192x64:bf16, K=ints:192x64:bf16, V=ints:192x64:bf16, O=junk:192x64:f32, H=junk:64x64:f32)
// CASE: state(Q=ints:64x64:bf16, K=ints:64x64:bf16, V=ints:64x64:bf16, O=junk:64x64:f32, H=junk:64x64:f32)
// CASE: state(Q=ints:100x64:bf16, K=ints:100x64:bf16, V=ints:100x64:bf16, O=junk:100x64:f32, H=junk:64x64:f32)
// CASE: state(Q=ints:0x64:bf16, K=ints:0x64:bf16, V=ints:0x64:bf16, O=junk:0x64:f32, H=junk:64x64:f32)
// EXPECT: H[:] = 0
// EXPECT: for t in range(0, len(Q), 64):
// EXPECT:   q, k, v = Q[t:t + 64].astype(np.float64), K[t:t + 64].astype(np.float64), V[t:t + 64].astype(np.float64)
// EXPECT:   O[t:t + 64] = round_to(q @ k.T, "bf16") @ v + q @ round_to(H, "bf16")
// EXPECT:   H += k.T @ v
func.func @state(%Q: !In, %K: !In, %V: !In, %O: memref<?x64xf32>, %H: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %T = memref.dim %Q, %c0 : !In
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %Qs = tile.alloc : !Tile
    %Ks = tile.alloc : !Tile
    %Vs = tile.alloc : !Tile
    %hs = tile.alloc : !Tile
    %h = tile.alloc : !Acc
    %S = tile.alloc : !Acc
    %P = tile.alloc : memref<64x64xbf16, #frag>
    %o = tile.alloc : !Acc
    tile.fill %h, %zero : !Acc, f32
    scf.for %t = %c0 to %T step %c64 {
      %qr = tile.region %Q[%t, 0] [64, 64] : !In
      %kr = tile.region %K[%t, 0] [64, 64] : !In
      %vr = tile.region %V[%t, 0] [64, 64] : !In
      tile.copy %qr to %Qs : !Win, !Tile
      tile.copy %kr to %Ks : !Win, !Tile
      tile.copy %vr to %Vs : !Win, !Tile
      tile.fill %S, %zero : !Acc, f32
      tile.gemm %Qs, %Ks, %S {transpose_b} : (!Tile, !Tile, !Acc)
      tile.copy %S to %P : !Acc, memref<64x64xbf16, #frag>
      tile.copy %h to %hs : !Acc, !Tile
      tile.fill %o, %zero : !Acc, f32
      tile.gemm %P, %Vs, %o : (memref<64x64xbf16, #frag>, !Tile, !Acc)
      tile.gemm %Qs, %hs, %o : (!Tile, !Tile, !Acc)
      %or = tile.region %O[%t, 0] [64, 64] : memref<?x64xf32>
      tile.copy %o to %or : !Acc, !tile.region<64x64xf32>
      tile.gemm %Ks, %Vs, %h {transpose_a} : (!Tile, !Tile, !Acc)
    } {tile.num_stages = 2 : i32}
    %hr = tile.region %H[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %h to %hr : !Acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

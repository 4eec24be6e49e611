// Copies that one block makes for all of its cluster, on barriers of the kernel.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// Two blocks multiply rows of their own by the same right factor: each loads half
// of it for both. A slot is filled again when both blocks have read it; barrier
// `empty` of each counts both. What is left over arrives before the blocks end.
// CASE: product(A=ints:128x192:bf16, B=ints:192x64:bf16, C=junk:128x64:f32)
// CASE: product(A=ints:256x64:bf16, B=ints:64x136:bf16, C=junk:256x136:f32)
// CASE: product(A=ints:100x328:bf16, B=ints:328x72:bf16, C=junk:100x72:f32)
// EXPECT: C = A.astype(np.float32) @ B.astype(np.float32)
func.func @product(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %i1 = arith.constant 1 : i32
  %both = arith.constant 3 : i32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %pairs = arith.ceildivui %M, %c128 : index
  %gm = arith.muli %pairs, %c2 : index
  %gn = arith.ceildivui %N, %c64 : index
  %steps = arith.ceildivui %K, %c64 : index
  %mapA = tile.tensor_map %A box [64, 32] swizzle 64 : memref<?x?xbf16>
  %mapB = tile.tensor_map %B box [32, 64] swizzle 128 : memref<?x?xbf16>
  gpu.launch clusters(%kx, %ky, %kz) in (%hx = %c2, %hy = %c1, %hz = %c1) blocks(%bx, %by, %bz) in (%gx = %gm, %gy = %gn, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %rank = gpu.cluster_block_id x
    %m = arith.muli %bx, %c64 : index
    %n = arith.muli %by, %c64 : index
    %half = arith.muli %rank, %c32 : index
    %full = tile.barrier_alloc : !tile.barrier<2>
    %empty = tile.barrier_alloc : !tile.barrier<2>
    tile.barrier_init %full arrivals 1 : !tile.barrier<2>
    tile.barrier_init %empty arrivals 2 : !tile.barrier<2>
    %As = tile.alloc {layout = #tile.layout<"swizzle<64>">} : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<4x32x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    tile.cluster_sync
    tile.barrier_expect %full[%c0] bytes 16384 : !tile.barrier<2>
    %b0 = tile.region %B[%half, %n] [32, 64] {align = 16 : i64} : memref<?x?xbf16>
    %bs0 = tile.region %Bs[%rank, 0, 0] [1, 32, 64] drop [0] : memref<4x32x64xbf16, #gpu.address_space<workgroup>>
    %a0 = tile.region %A[%m, 0] [64, 32] {align = 16 : i64} : memref<?x?xbf16>
    %as0 = tile.region %As[0, 0, 0] [1, 64, 32] drop [0] : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
    tile.copy %a0 to %as0 map %mapA signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, !tile.region<64x32xbf16, #gpu.address_space<workgroup>>
    %a1 = tile.region %A[%m, 32] [64, 32] {align = 16 : i64} : memref<?x?xbf16>
    %as1 = tile.region %As[1, 0, 0] [1, 64, 32] drop [0] : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
    tile.copy %a1 to %as1 map %mapA signal %full[%c0] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, !tile.region<64x32xbf16, #gpu.address_space<workgroup>>
    tile.copy %b0 to %bs0 map %mapB signal %full[%c0] of !tile.barrier<2> multicast %both {instr = #tile.instr<tma>} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %steps step %c1 {
      %slot = arith.remui %k, %c2 : index
      %round = arith.divui %k, %c2 : index
      %r = arith.index_cast %round : index to i32
      %parity = arith.andi %r, %i1 : i32
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi ult, %next, %steps : index
      scf.if %more {
        %to = arith.remui %next, %c2 : index
        %used = arith.cmpi uge, %next, %c2 : index
        scf.if %used {
          %nr = arith.divui %next, %c2 : index
          %nri = arith.index_cast %nr : index to i32
          %before = arith.subi %nri, %i1 : i32
          %np = arith.andi %before, %i1 : i32
          tile.barrier_wait %empty[%to] parity %np : !tile.barrier<2>
        }
        %kk = arith.muli %next, %c64 : index
        %kb = arith.addi %kk, %half : index
        tile.barrier_expect %full[%to] bytes 16384 : !tile.barrier<2>
        %b = tile.region %B[%kb, %n] [32, 64] {align = 16 : i64} : memref<?x?xbf16>
        %to2 = arith.muli %to, %c2 : index
        %kl = arith.addi %kk, %c32 : index
        %to3 = arith.addi %to2, %c1 : index
        %x0 = tile.region %A[%m, %kk] [64, 32] {align = 16 : i64} : memref<?x?xbf16>
        %xs0 = tile.region %As[%to2, 0, 0] [1, 64, 32] drop [0] : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
        tile.copy %x0 to %xs0 map %mapA signal %full[%to] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, !tile.region<64x32xbf16, #gpu.address_space<workgroup>>
        %x1 = tile.region %A[%m, %kl] [64, 32] {align = 16 : i64} : memref<?x?xbf16>
        %xs1 = tile.region %As[%to3, 0, 0] [1, 64, 32] drop [0] : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
        tile.copy %x1 to %xs1 map %mapA signal %full[%to] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, !tile.region<64x32xbf16, #gpu.address_space<workgroup>>
        %part = arith.addi %to2, %rank : index
        %bs = tile.region %Bs[%part, 0, 0] [1, 32, 64] drop [0] : memref<4x32x64xbf16, #gpu.address_space<workgroup>>
        tile.copy %b to %bs map %mapB signal %full[%to] of !tile.barrier<2> multicast %both {instr = #tile.instr<tma>} : !tile.region<32x64xbf16>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>
      }
      tile.barrier_wait %full[%slot] parity %parity : !tile.barrier<2>
      %part0 = arith.muli %slot, %c2 : index
      %part1 = arith.addi %part0, %c1 : index
      %bs0w = tile.region %Bs[%part0, 0, 0] [1, 32, 64] drop [0] : memref<4x32x64xbf16, #gpu.address_space<workgroup>>
      %bs1w = tile.region %Bs[%part1, 0, 0] [1, 32, 64] drop [0] : memref<4x32x64xbf16, #gpu.address_space<workgroup>>
      %as0w = tile.region %As[%part0, 0, 0] [1, 64, 32] drop [0] : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
      %as1w = tile.region %As[%part1, 0, 0] [1, 64, 32] drop [0] : memref<4x64x32xbf16, #gpu.address_space<workgroup>>
      tile.gemm %as0w, %bs0w, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.gemm %as1w, %bs1w, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, !tile.region<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      tile.barrier_sync
      tile.barrier_arrive %empty[%slot] at %c0 by <leader> : !tile.barrier<2>
      tile.barrier_arrive %empty[%slot] at %c1 by <leader> : !tile.barrier<2>
    }
    %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

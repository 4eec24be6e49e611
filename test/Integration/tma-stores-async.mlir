// Tiles that TMA stores. The thread that issues a store waits where the tile is written
// again, and the others meet it there; ragged edges are cut by the hardware.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

!T = memref<?x64xf32>
!s = memref<32x64xf32, #gpu.address_space<workgroup>>
!f = memref<32x64xf32, #tile.fragment>
!r = !tile.region<32x64xf32>

// One tile of shared memory, written in every round.
// CASE: rounds(A=ints:32x64:f32, B=junk:32x64:f32)
// CASE: rounds(A=ints:160x64:f32, B=junk:160x64:f32)
// CASE: rounds(A=ints:77x64:f32, B=junk:77x64:f32)
// EXPECT: B = A
func.func @rounds(%A: !T, %B: !T) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %m = memref.dim %A, %c0 : !T
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !s
    %F = tile.alloc : !f
    scf.for %i = %c0 to %m step %c32 {
      %a = tile.region %A[%i, 0] [32, 64] : !T
      %b = tile.region %B[%i, 0] [32, 64] {align = 16 : i64} : !T
      tile.copy %a to %F : !r, !f
      tile.copy %F to %S : !f, !s
      tile.copy %S to %b {instr = #tile.instr<tma>} : !s, !r
    }
    gpu.terminator
  }
  return
}

// What a store has written is read again, by loads of both kinds.
// CASE: again(A=ints:32x64:f32, B=junk:32x64:f32, C=junk:32x64:f32, D=junk:32x64:f32)
// EXPECT: B = A
// EXPECT: C = A
// EXPECT: D = A
func.func @again(%A: !T, %B: !T, %C: !T, %D: !T) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : !s
    %Q = tile.alloc : !s
    %F = tile.alloc : !f
    %a = tile.region %A[0, 0] [32, 64] : !T
    %b = tile.region %B[0, 0] [32, 64] {align = 16 : i64} : !T
    %c = tile.region %C[0, 0] [32, 64] {align = 16 : i64} : !T
    %d = tile.region %D[0, 0] [32, 64] : !T
    tile.copy %a to %S : !r, !s
    tile.copy %S to %b {instr = #tile.instr<tma>} : !s, !r
    tile.copy %b to %F : !r, !f
    tile.copy %F to %d : !f, !r
    tile.copy %b to %Q {instr = #tile.instr<tma>} : !r, !s
    tile.copy %Q to %c {prefer = #tile.instr<tma>} : !s, !r
    gpu.terminator
  }
  return
}

// The epilogue of one tile goes on while the next one is multiplied: a persistent
// kernel with roles; the tile of the epilogue waits for its store alone.
// CASE: persistent(A=ints:200x64:bf16, B=ints:64x64:bf16, C=junk:200x64:f32)
// CASE: persistent(A=ints:448x64:bf16, B=ints:64x64:bf16, C=junk:448x64:f32)
// CASE: persistent(A=ints:20x64:bf16, B=ints:64x64:bf16, C=junk:20x64:f32)
// EXPECT: C = A.astype(np.float32) @ B.astype(np.float32)
func.func @persistent(%A: memref<?x64xbf16>, %B: memref<64x64xbf16>, %C: !T) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c160 = arith.constant 160 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x64xbf16>
  %tiles = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %Ra = tile.alloc : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
    %Rb = tile.alloc : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
    %S = tile.alloc : memref<64x64xf32, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %ch = tile.channel(%Ra, %Rb) depth 2 {tma, consumer_warps = 4} : memref<2x64x64xbf16, #gpu.address_space<workgroup>>, memref<2x64x64xbf16, #gpu.address_space<workgroup>>
    tile.specialize {
      tile.role "consumer" warps 4 {
        %e:2 = scf.for %t = %bx to %tiles step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %i = arith.index_cast %s : i32 to index
          %ra = tile.region %Ra[%i, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
          %rb = tile.region %Rb[%i, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
          tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
          tile.wait %ch[%s, %p]
          tile.gemm %ra, %rb, %acc : (!tile.region<64x64xbf16, #gpu.address_space<workgroup>>, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
          tile.release %ch[%s, %p]
          tile.copy %acc to %S : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #gpu.address_space<workgroup>>
          %row = arith.muli %t, %c64 : index
          %c = tile.region %C[%row, 0] [64, 64] {align = 16 : i64} : !T
          tile.copy %S to %c {instr = #tile.instr<tma>} : memref<64x64xf32, #gpu.address_space<workgroup>>, !tile.region<64x64xf32>
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "producer" warps 1 {
        %e:2 = scf.for %t = %bx to %tiles step %c2 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %i = arith.index_cast %s : i32 to index
          %ra = tile.region %Ra[%i, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
          %rb = tile.region %Rb[%i, 0, 0] [1, 64, 64] drop [0] : memref<2x64x64xbf16, #gpu.address_space<workgroup>>
          %row = arith.muli %t, %c64 : index
          %a = tile.region %A[%row, 0] [64, 64] {align = 16 : i64} : memref<?x64xbf16>
          %b = tile.region %B[0, 0] [64, 64] {align = 16 : i64} : memref<64x64xbf16>
          tile.acquire %ch[%s, %p]
          tile.copy %a to %ra signal %ch[%i] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
          tile.copy %b to %rb signal %ch[%i] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64x64xbf16>, !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
          tile.commit %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

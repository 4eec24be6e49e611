// Roles that are written by hand, with loops that tile-inject-pipeline pipelines: what
// a role copies for itself comes ahead, what goes through a channel stays in order.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=PROOF --allow-empty
// PROOF-NOT: breaks the protocol

!ring = memref<2x64x32xbf16, #gpu.address_space<workgroup>>

// The producer brings a tile by asynchronous copies and stores it to the slot; the
// consumer has copies of its own.
// CASE: through_a_tile(A=ints:128x32:bf16, B=ints:64x64:bf16, C=junk:128x64:f32)
// CASE: through_a_tile(A=ints:64x32:bf16, B=ints:32x64:bf16, C=junk:64x64:f32)
// CASE: through_a_tile(A=ints:320x32:bf16, B=ints:160x64:bf16, C=junk:320x64:f32)
// EXPECT: C = np.concatenate([A[i*64:i*64+64].astype(np.float32) @ B[i*32:i*32+32].astype(np.float32) for i in range(A.shape[0]//64)])
func.func @through_a_tile(%A: memref<?x32xbf16>, %B: memref<?x64xbf16>, %C: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cn = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x32xbf16>
  %rounds = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cn, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    %Bs = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %As = tile.alloc : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %ch = tile.channel(%R) depth 2 {simt_threads = 128, consumer_warps = 4} : !ring
    tile.specialize {
      tile.role "consumer" warps 4 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 64, 32] drop [0] : !ring
          %row = arith.muli %i, %c64 : index
          %brow = arith.muli %i, %c32 : index
          %b = tile.region %B[%brow, 0] [32, 64] {align = 16 : i64} : memref<?x64xbf16>
          %c = tile.region %C[%row, 0] [64, 64] : memref<?x64xf32>
          tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #gpu.address_space<workgroup>>
          tile.wait %ch[%s, %p]
          tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
          tile.gemm %r, %Bs, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, memref<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
          tile.release %ch[%s, %p]
          tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        } {tile.num_stages = 3 : i32}
      }
      tile.role "producer" warps 4 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %row = arith.muli %i, %c64 : index
          %r = tile.region %R[%k, 0, 0] [1, 64, 32] drop [0] : !ring
          %a = tile.region %A[%row, 0] [64, 32] {align = 16 : i64} : memref<?x32xbf16>
          tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
          tile.acquire %ch[%s, %p]
          tile.copy %As to %r {instr = #tile.instr<simt>} : memref<64x32xbf16, #gpu.address_space<workgroup>>, !tile.region<64x32xbf16, #gpu.address_space<workgroup>>
          tile.commit %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        } {tile.num_stages = 3 : i32}
      }
    }
    gpu.terminator
  }
  return
}

// The producer's element loop fills the slot, inside of acquire and commit.
// CASE: through_elements(A=ints:128x32:bf16, B=ints:64x64:bf16, C=junk:128x64:f32)
// CASE: through_elements(A=ints:64x32:bf16, B=ints:32x64:bf16, C=junk:64x64:f32)
// CASE: through_elements(A=ints:320x32:bf16, B=ints:160x64:bf16, C=junk:320x64:f32)
// EXPECT: C = np.concatenate([A[i*64:i*64+64].astype(np.float32) @ B[i*32:i*32+32].astype(np.float32) for i in range(A.shape[0]//64)])
func.func @through_elements(%A: memref<?x32xbf16>, %B: memref<?x64xbf16>, %C: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %cn = arith.constant 160 : index
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x32xbf16>
  %rounds = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cn, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    %Bs = tile.alloc : memref<32x64xbf16, #gpu.address_space<workgroup>>
    %As = tile.alloc : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
    tile.specialize {
      tile.role "consumer" warps 4 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 64, 32] drop [0] : !ring
          %row = arith.muli %i, %c64 : index
          %brow = arith.muli %i, %c32 : index
          %b = tile.region %B[%brow, 0] [32, 64] {align = 16 : i64} : memref<?x64xbf16>
          %c = tile.region %C[%row, 0] [64, 64] : memref<?x64xf32>
          tile.wait %ch[%s, %p]
          tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #gpu.address_space<workgroup>>
          tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
          tile.gemm %r, %Bs, %acc : (!tile.region<64x32xbf16, #gpu.address_space<workgroup>>, memref<32x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
          tile.release %ch[%s, %p]
          tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        } {tile.num_stages = 2 : i32}
      }
      tile.role "producer" warps 1 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %row = arith.muli %i, %c64 : index
          %r = tile.region %R[%k, 0, 0] [1, 64, 32] drop [0] : !ring
          %a = tile.region %A[%row, 0] [64, 32] {align = 16 : i64} : memref<?x32xbf16>
          tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
          tile.acquire %ch[%s, %p]
          tile.parallel (%u, %v) in [64, 32] {
            %w = memref.load %As[%u, %v] : memref<64x32xbf16, #gpu.address_space<workgroup>>
            memref.store %w, %R[%k, %u, %v] : !ring
          }
          tile.commit %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        } {tile.num_stages = 2 : i32}
      }
    }
    gpu.terminator
  }
  return
}

// Slots that a role fills by element loops, transposes and gathers, and two
// readers of one channel whose programs differ.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=PROOF --allow-empty
// PROOF-NOT: tile-verify

// An element loop fills the slot, with a ragged edge; another one reads it.
// CASE: elements(A=ints:64x40:f32, C=junk:64x40:f32)
// CASE: elements(A=ints:1x40:f32, C=junk:1x40:f32)
// CASE: elements(A=ints:300x40:f32, C=junk:300x40:f32)
// EXPECT: C = 2 * A + 1
!ring = memref<2x64x40xf32, #gpu.address_space<workgroup>>
func.func @elements(%A: memref<?x40xf32>, %C: memref<?x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c224 = arith.constant 224 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %z = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x40xf32>
  %rounds = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c224, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !ring
    %ch = tile.channel(%R) depth 2 {simt_threads = 96, consumer_warps = 4} : !ring
    tile.specialize {
      tile.role "consumer" warps 4 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %row = arith.muli %i, %c64 : index
          tile.wait %ch[%s, %p]
          tile.parallel (%u, %v) in [64, 40] {
            %x = arith.addi %row, %u : index
            %in = arith.cmpi ult, %x, %m : index
            %a = memref.load %R[%k, %u, %v] : !ring
            %y = arith.addf %a, %one : f32
            scf.if %in {
              memref.store %y, %C[%x, %v] : memref<?x40xf32>
            }
          }
          tile.release %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "producer" warps 3 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %row = arith.muli %i, %c64 : index
          tile.acquire %ch[%s, %p]
          tile.parallel (%u, %v) in [64, 40] {
            %x = arith.addi %row, %u : index
            %in = arith.cmpi ult, %x, %m : index
            scf.if %in {
              %a = memref.load %A[%x, %v] : memref<?x40xf32>
              %w = arith.mulf %a, %two : f32
              memref.store %w, %R[%k, %u, %v] : !ring
            } else {
              memref.store %one, %R[%k, %u, %v] : !ring
            }
          }
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

// A transpose fills half of each slot, a copy the other half.
// CASE: transposed(A=ints:32x128:f16, B=ints:160x32:f16, C=junk:160x64:f16)
// CASE: transposed(A=ints:32x77:f16, B=ints:77x32:f16, C=junk:77x64:f16)
// EXPECT: C = np.concatenate([A.T, B], axis=1)[:C.shape[0]] if A.shape[1] == B.shape[0] else np.concatenate([np.pad(A.T, ((0, B.shape[0] - A.shape[1]), (0, 0))), B], axis=1)
!halves = memref<3x32x64xf16, #gpu.address_space<workgroup>>
func.func @transposed(%A: memref<32x?xf16>, %B: memref<?x32xf16>, %C: memref<?x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c192 = arith.constant 192 : index
  %z = arith.constant 0 : i32
  %m = memref.dim %B, %c0 : memref<?x32xf16>
  %rounds = arith.ceildivui %m, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c192, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !halves
    %ch = tile.channel(%R) depth 3 {simt_threads = 64, consumer_warps = 4} : !halves
    tile.specialize {
      tile.role "consumer" warps 4 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 32, 64] drop [0] : !halves
          %row = arith.muli %i, %c32 : index
          %c = tile.region %C[%row, 0] [32, 64] : memref<?x64xf16>
          tile.wait %ch[%s, %p]
          tile.copy %r to %c : !tile.region<32x64xf16, #gpu.address_space<workgroup>>, !tile.region<32x64xf16>
          tile.release %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "producer" warps 2 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %left = tile.region %R[%k, 0, 0] [1, 32, 32] drop [0] : !halves
          %right = tile.region %R[%k, 0, 32] [1, 32, 32] drop [0] : !halves
          %row = arith.muli %i, %c32 : index
          %a = tile.region %A[0, %row] [32, 32] : memref<32x?xf16>
          %b = tile.region %B[%row, 0] [32, 32] : memref<?x32xf16>
          tile.acquire %ch[%s, %p]
          tile.transpose %a to %left : !tile.region<32x32xf16>, !tile.region<32x32xf16, #gpu.address_space<workgroup>>
          tile.copy %b to %right {instr = #tile.instr<simt>} : !tile.region<32x32xf16>, !tile.region<32x32xf16, #gpu.address_space<workgroup>>
          tile.commit %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 3
          scf.yield %s1, %p1 : i32, i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// A gather fills the slot, and two roles read it: one copies it, the other one,
// which has its first round before the loop, adds its rows up.
// CASE: gathered(I=ints:1x6x9x4:f32, C=junk:64x36:f32, S=junk:64:f32)
// CASE: gathered(I=ints:2x5x3x4:f32, C=junk:96x36:f32, S=junk:96:f32)
// EXPECT: C = np.concatenate([np.pad(I, ((0, 0), (1, 1), (1, 1), (0, 0)))[:, a:a + I.shape[1], b:b + I.shape[2]].reshape(-1, 4) for a in range(3) for b in range(3)], axis=1)[:C.shape[0]] if I.shape[0] * I.shape[1] * I.shape[2] >= C.shape[0] else np.pad(np.concatenate([np.pad(I, ((0, 0), (1, 1), (1, 1), (0, 0)))[:, a:a + I.shape[1], b:b + I.shape[2]].reshape(-1, 4) for a in range(3) for b in range(3)], axis=1), ((0, C.shape[0] - I.shape[0] * I.shape[1] * I.shape[2]), (0, 0)))
// EXPECT: S = C.sum(axis=1)
!rows = memref<2x32x36xf32, #gpu.address_space<workgroup>>
func.func @gathered(%I: memref<?x?x?x4xf32>, %C: memref<?x36xf32>, %S: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %z = arith.constant 0 : i32
  %m = memref.dim %C, %c0 : memref<?x36xf32>
  %rounds = arith.ceildivui %m, %c32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %R = tile.alloc : !rows
    %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 7} : !rows
    tile.specialize {
      tile.role "copies" warps 4 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 32, 36] drop [0] : !rows
          %row = arith.muli %i, %c32 : index
          %c = tile.region %C[%row, 0] [32, 36] : memref<?x36xf32>
          tile.wait %ch[%s, %p]
          tile.copy %r to %c : !tile.region<32x36xf32, #gpu.address_space<workgroup>>, !tile.region<32x36xf32>
          tile.release %ch[%s, %p]
          %s1, %p1 = tile.advance %s, %p depth 2
          scf.yield %s1, %p1 : i32, i32
        }
      }
      tile.role "sums" warps 3 {
        %sum = tile.alloc : memref<32xf32, #tile.fragment>
        %t = tile.alloc : memref<32x36xf32, #tile.fragment>
        %runs = arith.cmpi slt, %c0, %rounds : index
        scf.if %runs {
          %r0 = tile.region %R[0, 0, 0] [1, 32, 36] drop [0] : !rows
          %s0 = tile.region %S[0] [32] : memref<?xf32>
          tile.wait %ch[%z, %z]
          tile.copy %r0 to %t : !tile.region<32x36xf32, #gpu.address_space<workgroup>>, memref<32x36xf32, #tile.fragment>
          tile.reduce sum %t to %sum dim 1 {clear} : memref<32x36xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
          tile.release %ch[%z, %z]
          tile.copy %sum to %s0 : memref<32xf32, #tile.fragment>, !tile.region<32xf32>
          %first, %parity = tile.advance %z, %z depth 2
          %e:2 = scf.for %i = %c1 to %rounds step %c1 iter_args(%s = %first, %p = %parity) -> (i32, i32) {
            %k = arith.index_cast %s : i32 to index
            %r = tile.region %R[%k, 0, 0] [1, 32, 36] drop [0] : !rows
            %row = arith.muli %i, %c32 : index
            %o = tile.region %S[%row] [32] : memref<?xf32>
            tile.wait %ch[%s, %p]
            tile.copy %r to %t : !tile.region<32x36xf32, #gpu.address_space<workgroup>>, memref<32x36xf32, #tile.fragment>
            tile.reduce sum %t to %sum dim 1 {clear} : memref<32x36xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
            tile.release %ch[%s, %p]
            tile.copy %sum to %o : memref<32xf32, #tile.fragment>, !tile.region<32xf32>
            %s1, %p1 = tile.advance %s, %p depth 2
            scf.yield %s1, %p1 : i32, i32
          }
        }
      }
      tile.role "producer" warps 1 {
        %e:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
          %k = arith.index_cast %s : i32 to index
          %r = tile.region %R[%k, 0, 0] [1, 32, 36] drop [0] : !rows
          %row = arith.muli %i, %c32 : index
          tile.acquire %ch[%s, %p]
          %w = tile.im2col %I[%row, %c0] [32, 36] kernel [3, 3] pad [1, 1] : memref<?x?x?x4xf32>
          tile.copy %w to %r {instr = #tile.instr<simt>} : !tile.region<32x36xf32>, !tile.region<32x36xf32, #gpu.address_space<workgroup>>
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

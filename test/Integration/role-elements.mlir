// Element loops that fill a factor run in the producer, beside TMA copies of the
// other one: arithmetic on the way, rows gathered by an index from a tensor or from
// a tile that copies one, packed values, guards. Ragged edges, loops without an
// iteration, rings of one to four slots, a producer of one and of two warpgroups.
// Without roles, and on sm_80, the same numbers.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && mkdir -p %t
// RUN: cp %s %t/narrow.mlir
// RUN: sed 's/num_stages = 3/num_stages = 1/;s/num_stages = 4/num_stages = 2/;s/threads = arith.constant 128/threads = arith.constant 256/' %s > %t/wide.mlir
// RUN: sed 's/num_stages = 3/num_stages = 2/;s/num_stages = 4/num_stages = 3/;s/specialize<preferred>/specialize<off>/' %s > %t/off.mlir
// RUN: %python %S/Inputs/run-kernel.py %t/narrow.mlir --target=sm_90a --target=sm_80 --out=%t/narrow
// RUN: %python %S/Inputs/run-kernel.py %t/wide.mlir --target=sm_90a --out=%t/wide
// RUN: %python %S/Inputs/run-kernel.py %t/off.mlir --target=sm_90a --out=%t/off
// RUN: tile-compile %t/narrow.mlir --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: tile-compile %t/wide.mlir --target=sm_90a --ptxas=off -o %t 2>&1 | FileCheck %s --check-prefix=WIDE
// FORM-NOT: tile-verify
// FORM-COUNT-5: [tile-ws/element-producer] runs in the producer, which gets 4 warps for it
// FORM-NOT: {{tile-verify|keep this element loop}}
// WIDE-COUNT-5: [tile-ws/element-producer] runs in the producer, which gets 8 warps for it

#s = #gpu.address_space<workgroup>
#f = #tile.fragment
!tile = memref<64x64xf16, #s>
!acc = memref<64x64xf32, #f>

// The left factor is scaled, and guarded at both edges.
// CASE: scaled(X=ints:64x64:f16, B=ints:64x64:f16, Y=junk:64x64:f32)
// CASE: scaled(X=ints:70x300:f16, B=ints:300x72:f16, Y=junk:70x72:f32)
// CASE: scaled(X=ints:65x200:f16, B=ints:200x37:f16, Y=junk:65x37:f32)
// EXPECT: Y = (2 * X + 1) @ B
func.func @scaled(%X: memref<?x?xf16>, %B: memref<?x?xf16>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %M = memref.dim %X, %c0 : memref<?x?xf16>
  %K = memref.dim %X, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %zh = arith.constant 0.0 : f16
    %one = arith.constant 1.0 : f16
    %two = arith.constant 2.0 : f16
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      tile.parallel (%i, %j) in [64, 64] {
        %c = arith.addi %k, %j : index
        %r = arith.addi %m, %i : index
        %in0 = arith.cmpi ult, %r, %M : index
        %in1 = arith.cmpi ult, %c, %K : index
        %in = arith.andi %in0, %in1 : i1
        scf.if %in {
          %x = memref.load %X[%r, %c] : memref<?x?xf16>
          %y = arith.mulf %x, %two : f16
          %w = arith.addf %y, %one : f16
          memref.store %w, %As[%i, %j] : !tile
        } else {
          memref.store %zh, %As[%i, %j] : !tile
        }
      }
      %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xf16>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      tile.gemm %As, %Bs, %acc : (!tile, !tile, !acc)
    } {tile.num_stages = 3 : i32}
    %y = tile.region %Y[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Rows gathered by an index of a tensor; -1 is a row of zeros.
// CASE: gathered(X=ints:50x200:f16, ids=ints:70:i32, B=ints:200x72:f16, Y=junk:70x72:f32)
// CASE: gathered(X=ints:5x64:f16, ids=ints:1:i32, B=ints:64x64:f16, Y=junk:1x64:f32)
// EXPECT: Y = np.where((ids >= 0)[:, None], X[np.maximum(ids, 0)], 0) @ B
func.func @gathered(%X: memref<?x?xf16>, %ids: memref<?xi32>, %B: memref<?x?xf16>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  %M = memref.dim %ids, %c0 : memref<?xi32>
  %K = memref.dim %X, %c1 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %gx = arith.ceildivui %N, %c64 : index
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %zh = arith.constant 0.0 : f16
    %m = arith.muli %by, %c64 : index
    %n = arith.muli %bx, %c64 : index
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      tile.parallel (%i, %j) in [64, 64] {
        %c = arith.addi %k, %j : index
        %r = arith.addi %m, %i : index
        %in0 = arith.cmpi ult, %r, %M : index
        %in1 = arith.cmpi ult, %c, %K : index
        %in = arith.andi %in0, %in1 : i1
        %x = scf.if %in -> (f16) {
          %id = memref.load %ids[%r] : memref<?xi32>
          %none = arith.constant 0 : i32
          %is_row = arith.cmpi sge, %id, %none : i32
          %v = scf.if %is_row -> (f16) {
            %row = arith.index_cast %id : i32 to index
            %u = memref.load %X[%row, %c] : memref<?x?xf16>
            scf.yield %u : f16
          } else {
            scf.yield %zh : f16
          }
          scf.yield %v : f16
        } else {
          scf.yield %zh : f16
        }
        memref.store %x, %As[%i, %j] : !tile
      }
      %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xf16>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      tile.gemm %As, %Bs, %acc : (!tile, !tile, !acc)
    } {tile.num_stages = 4 : i32}
    %y = tile.region %Y[%m, %n] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The indices are copied to a tile first: the producer reads the tensor behind it,
// where rows that do not exist have the pad.
// CASE: indexed(X=ints:9x192:f16, ids=pairs:70:i32, B=ints:192x64:f16, Y=junk:70x64:f32)
// EXPECT: Y = X[np.abs(ids) % 9] @ B
func.func @indexed(%X: memref<9x192xf16>, %ids: memref<?xi32>, %B: memref<192x64xf16>, %Y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %threads = arith.constant 128 : index
  %M = memref.dim %ids, %c0 : memref<?xi32>
  %gy = arith.ceildivui %M, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %nine = arith.constant 9 : i32
    %m = arith.muli %by, %c64 : index
    %Is = tile.alloc : memref<64xi32, #s>
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    %i0 = tile.region %ids[%m] [64] : memref<?xi32>
    tile.copy %i0 to %Is : !tile.region<64xi32>, memref<64xi32, #s>
    scf.for %k = %c0 to %c192 step %c64 {
      tile.parallel (%i, %j) in [64, 64] {
        %c = arith.addi %k, %j : index
        %id = memref.load %Is[%i] : memref<64xi32, #s>
        %a = math.absi %id : i32
        %w = arith.remui %a, %nine : i32
        %row = arith.index_cast %w : i32 to index
        %x = memref.load %X[%row, %c] : memref<9x192xf16>
        memref.store %x, %As[%i, %j] : !tile
      }
      %b = tile.region %B[%k, 0] [64, 64] : memref<192x64xf16>
      tile.copy %b to %Bs : !tile.region<64x64xf16>, !tile
      tile.gemm %As, %Bs, %acc : (!tile, !tile, !acc)
    } {tile.num_stages = 3 : i32}
    %y = tile.region %Y[%m, 0] [64, 64] : memref<?x64xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// Two 4-bit values in a byte, and a scale for each row of 32 columns of the block;
// blocks of a mask are left out, and n may be 0.
// CASE: packed(Q=wide:64x160:i8, S=ints:64x5:f32, mask=ints:5:i32, B=ints:320x64:f16, n=5, Y=junk:64x64:f32)
// CASE: packed(Q=wide:64x160:i8, S=ints:64x5:f32, mask=ints:5:i32, B=ints:320x64:f16, n=3, Y=junk:64x64:f32)
// CASE: packed(Q=wide:64x160:i8, S=ints:64x5:f32, mask=ints:5:i32, B=ints:320x64:f16, n=0, Y=junk:64x64:f32)
// EXPECT: q = np.stack([(Q.astype(int) & 15) - 8, (Q.astype(int) >> 4 & 15) - 8], 2).reshape(64, 320)
// EXPECT: w = q * np.repeat(S, 64, 1) * np.repeat(mask > 0, 64) * (np.arange(320) < 64 * n)
// EXPECT: Y = w @ B
func.func @packed(%Q: memref<64x160xi8>, %S: memref<64x5xf32>, %mask: memref<5xi32>, %B: memref<320x64xf16>, %n: index, %Y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %As = tile.alloc : !tile
    %Bs = tile.alloc : !tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %b = %c0 to %n step %c1 {
      %on = memref.load %mask[%b] : memref<5xi32>
      %is_on = arith.cmpi sgt, %on, %none : i32
      scf.if %is_on {
        %k = arith.muli %b, %c64 : index
        tile.parallel (%i, %j) in [64, 64] {
          %two = arith.constant 2 : index
          %four = arith.constant 4 : i32
          %low = arith.constant 15 : i32
          %eight = arith.constant 8 : i32
          %c = arith.addi %k, %j : index
          %byte = arith.divui %c, %two : index
          %half = arith.remui %c, %two : index
          %v = memref.load %Q[%i, %byte] : memref<64x160xi8>
          %e = arith.extui %v : i8 to i32
          %h = arith.index_cast %half : index to i32
          %by4 = arith.muli %h, %four : i32
          %sh = arith.shrui %e, %by4 : i32
          %x = arith.andi %sh, %low : i32
          %q = arith.subi %x, %eight : i32
          %qf = arith.sitofp %q : i32 to f32
          %s = memref.load %S[%i, %b] : memref<64x5xf32>
          %w = arith.mulf %qf, %s : f32
          %wh = arith.truncf %w : f32 to f16
          memref.store %wh, %As[%i, %j] : !tile
        }
        %bw = tile.region %B[%k, 0] [64, 64] : memref<320x64xf16>
        tile.copy %bw to %Bs : !tile.region<64x64xf16>, !tile
        tile.gemm %As, %Bs, %acc : (!tile, !tile, !acc)
      }
    } {tile.num_stages = 4 : i32}
    %y = tile.region %Y[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %y : !acc, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The right factor, beside a left one that TMA copies: no guards, constant sizes.
// CASE: right(A=ints:64x256:f16, B=ints:256x64:f16, C=junk:64x64:f32)
// EXPECT: C = A @ B
func.func @right(%A: memref<64x256xf16>, %B: memref<256x64xf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<preferred>}
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xf16, #s>
    %Bs = tile.alloc : memref<32x64xf16, #s>
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %c256 step %c32 {
      %a = tile.region %A[0, %k] [64, 32] : memref<64x256xf16>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #s>
      tile.parallel (%x, %y) in [32, 64] {
        %r = arith.addi %k, %x : index
        %v = memref.load %B[%r, %y] : memref<256x64xf16>
        memref.store %v, %Bs[%x, %y] : memref<32x64xf16, #s>
      }
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #s>, memref<32x64xf16, #s>, !acc)
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %C : !acc, memref<64x64xf32>
    gpu.terminator
  }
  return
}

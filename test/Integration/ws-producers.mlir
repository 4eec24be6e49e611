// Producers of one warp, of several and of a warpgroup, with one to four
// warpgroups that compute: blocks of 160, 192, 384, 512 and 640 threads. Copies by
// TMA, cp.async, and of single elements fill slots together; a producer of whole
// warpgroups hands registers over where the consumers want them.
// Every warpgroup has 64 rows of the result; COLS is what its registers hold.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir -p %t
// RUN: sed 's/CONSUMERS/128/;s/WARPS/1/;s/ROWS/64/g;s/COLS/256/g' %s > %t/c128p1.mlir
// RUN: sed 's/CONSUMERS/128/;s/WARPS/2/;s/ROWS/64/g;s/COLS/256/g' %s > %t/c128p2.mlir
// RUN: sed 's/CONSUMERS/256/;s/WARPS/4/;s/ROWS/128/g;s/COLS/256/g' %s > %t/c256p4.mlir
// RUN: sed 's/CONSUMERS/384/;s/WARPS/4/;s/ROWS/192/g;s/COLS/192/g' %s > %t/c384p4.mlir
// RUN: sed 's/CONSUMERS/512/;s/WARPS/4/;s/ROWS/256/g;s/COLS/128/g' %s > %t/c512p4.mlir
// RUN: %python %S/Inputs/run-kernel.py %t/c128p1.mlir --target=sm_90a --out=%t/c128p1
// RUN: %python %S/Inputs/run-kernel.py %t/c128p2.mlir --target=sm_90a --out=%t/c128p2
// RUN: %python %S/Inputs/run-kernel.py %t/c256p4.mlir --target=sm_90a --out=%t/c256p4
// RUN: %python %S/Inputs/run-kernel.py %t/c384p4.mlir --target=sm_90a --out=%t/c384p4
// RUN: %python %S/Inputs/run-kernel.py %t/c512p4.mlir --target=sm_90a --out=%t/c512p4
// RUN: FileCheck %s --check-prefix=T160 < %t/c128p1/sm_90a/tma.ptx
// RUN: FileCheck %s --check-prefix=T192 < %t/c128p2/sm_90a/mixed.ptx
// RUN: FileCheck %s --check-prefix=T384 < %t/c256p4/sm_90a/tma.ptx
// RUN: FileCheck %s --check-prefix=T512 < %t/c384p4/sm_90a/tma.ptx
// RUN: FileCheck %s --check-prefix=T640 < %t/c512p4/sm_90a/tma.ptx
// T160: .reqntid 160
// T160-NOT: setmaxnreg
// T192: .reqntid 192
// T384: .reqntid 384
// T384-DAG: setmaxnreg.inc.sync.aligned.u32 240
// T384-DAG: setmaxnreg.dec.sync.aligned.u32 24
// T512: .reqntid 512
// T512-DAG: setmaxnreg.inc.sync.aligned.u32 160
// T512-DAG: setmaxnreg.dec.sync.aligned.u32 24
// T640: .reqntid 640
// T640-DAG: setmaxnreg.inc.sync.aligned.u32 112
// T640-DAG: setmaxnreg.dec.sync.aligned.u32 24

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment

// CASE: tma(A=ints:ROWSx136:bf16, B=ints:136xCOLS:bf16, C=junk:ROWSxCOLS:f32)
// EXPECT: C = A @ B
func.func @tma(%A: memref<ROWSx136xbf16>, %B: memref<136xCOLSxbf16>, %C: memref<ROWSxCOLSxf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %threads = arith.constant CONSUMERS : index
  %K = arith.constant 136 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {producer_warps = WARPS, specialize = #tile.specialize<required>}
    %As = tile.alloc : memref<ROWSx32xbf16, #smem>
    %Bs = tile.alloc : memref<32xCOLSxbf16, #smem>
    %acc = tile.alloc : memref<ROWSxCOLSxf32, #frag>
    tile.fill %acc, %zero : memref<ROWSxCOLSxf32, #frag>, f32
    scf.for %k = %c0 to %K step %c32 {
      %a = tile.region %A[0, %k] [ROWS, 32] {align = 16 : i64} : memref<ROWSx136xbf16>
      %b = tile.region %B[%k, 0] [32, COLS] {align = 16 : i64} : memref<136xCOLSxbf16>
      tile.copy %a to %As : !tile.region<ROWSx32xbf16>, memref<ROWSx32xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<32xCOLSxbf16>, memref<32xCOLSxbf16, #smem>
      tile.gemm %As, %Bs, %acc {policy = #tile.warp_policy<full_row>} : (memref<ROWSx32xbf16, #smem>, memref<32xCOLSxbf16, #smem>, memref<ROWSxCOLSxf32, #frag>)
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [ROWS, COLS] : memref<ROWSxCOLSxf32>
    tile.copy %acc to %c : memref<ROWSxCOLSxf32, #frag>, !tile.region<ROWSxCOLSxf32>
    gpu.terminator
  }
  return
}

// The second factor by cp.async, and a row to add that is loaded by elements.
// CASE: mixed(A=ints:ROWSx136:bf16, B=ints:136x64:bf16, D=ints:5x64:f32, C=junk:ROWSx64:f32)
// EXPECT: C = A @ B + sum(D)
func.func @mixed(%A: memref<ROWSx136xbf16>, %B: memref<136x64xbf16>, %D: memref<5x64xf32>, %C: memref<ROWSx64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %threads = arith.constant CONSUMERS : index
  %K = arith.constant 136 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %threads, %ny = %c1, %nz = %c1) {
    tile.kernel_config {producer_warps = WARPS, specialize = #tile.specialize<required>}
    %As = tile.alloc : memref<ROWSx32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %Ds = tile.alloc : memref<64xf32, #smem>
    %acc = tile.alloc : memref<ROWSx64xf32, #frag>
    tile.fill %acc, %zero : memref<ROWSx64xf32, #frag>, f32
    scf.for %k = %c0 to %K step %c32 {
      %row = arith.divui %k, %c32 : index
      %a = tile.region %A[0, %k] [ROWS, 32] {align = 16 : i64} : memref<ROWSx136xbf16>
      %b = tile.region %B[%k, 0] [32, 64] {align = 16 : i64} : memref<136x64xbf16>
      %d = tile.region %D[%row, 0] [1, 64] drop [0] : memref<5x64xf32>
      tile.copy %a to %As : !tile.region<ROWSx32xbf16>, memref<ROWSx32xbf16, #smem>
      tile.copy %b to %Bs {instr = #tile.instr<cp_async>} : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.copy %d to %Ds {instr = #tile.instr<simt>} : !tile.region<64xf32>, memref<64xf32, #smem>
      tile.gemm %As, %Bs, %acc {policy = #tile.warp_policy<full_row>} : (memref<ROWSx32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<ROWSx64xf32, #frag>)
      tile.parallel (%i, %j) in [ROWS, 64] {
        %x = memref.load %acc[%i, %j] : memref<ROWSx64xf32, #frag>
        %y = memref.load %Ds[%j] : memref<64xf32, #smem>
        %z = arith.addf %x, %y : f32
        memref.store %z, %acc[%i, %j] : memref<ROWSx64xf32, #frag>
      }
    } {tile.num_stages = 2 : i32}
    %c = tile.region %C[0, 0] [ROWS, 64] : memref<ROWSx64xf32>
    tile.copy %acc to %c : memref<ROWSx64xf32, #frag>, !tile.region<ROWSx64xf32>
    gpu.terminator
  }
  return
}

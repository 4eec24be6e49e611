// What can be neither proved nor refuted is said once, in a line which says that the program
// may well be right: the slots of these roles come from memory.
// RUN: tile-compile %s --target=sm_90a --ptxas=off -o %t 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep -c 'remark:\|note:\|error:' %t.txt | FileCheck %s --check-prefix=LINES
// CHECK: {{.*}}not-proved.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: [tile-verify/{{[a-z-]+}}] is not proved, and may well be right: {{.*}}; tile-run --emulate checks a run
// CHECK-NOT: {{error|note|for ever}}
// LINES: {{^1$}}

#smem = #gpu.address_space<workgroup>
!tensor = memref<?x64xbf16>
!row = !tile.region<16x64xbf16>
!ring = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!pair = !tile.barrier<2>

func.func @slots_of_memory(%A: !tensor, %B: !tensor, %slots: memref<?xi32>, %parities: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c160 = arith.constant 160 : index
  %one = arith.constant 1 : i32
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : !tensor
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    %ring = tile.alloc {layout = #tile.layout<"swizzle<128>">} : !ring
    %full = tile.barrier_alloc : !pair
    tile.barrier_init %full arrivals 1 : !pair
    %empty = tile.barrier_alloc : !pair
    tile.barrier_init %empty arrivals 4 : !pair
    tile.barrier_sync
    tile.specialize {
      tile.role "consumer" warps 4 {
        scf.for %k = %c0 to %n step %c1 {
          %s = memref.load %slots[%k] : memref<?xi32>
          %p = memref.load %parities[%k] : memref<?xi32>
          %i = arith.index_cast %s : i32 to index
          tile.barrier_wait %full[%i] parity %p : !pair
          %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
          %row = arith.muli %k, %c16 : index
          %b = tile.region %B[%row, 0] [16, 64] : !tensor
          tile.copy %slot to %b {instr = #tile.instr<simt>} : !slot, !row
          tile.barrier_arrive %empty[%i] by <warps> : !pair
        }
      }
      tile.role "producer" warps 1 {
        scf.for %k = %c0 to %n step %c1 {
          %s = memref.load %slots[%k] : memref<?xi32>
          %p = memref.load %parities[%k] : memref<?xi32>
          %i = arith.index_cast %s : i32 to index
          %q = arith.xori %p, %one : i32
          tile.barrier_wait %empty[%i] parity %q {leader} : !pair
          %row = arith.muli %k, %c16 : index
          %a = tile.region %A[%row, 0] [16, 64] {align = 16 : i64} : !tensor
          %slot = tile.region %ring[%i, 0, 0] [1, 16, 64] drop [0] : !ring
          tile.barrier_expect %full[%i] bytes 2048 : !pair
          tile.copy %a to %slot map %map signal %full[%i] of !pair {instr = #tile.instr<tma>} : !row, !slot
        }
      }
    }
    gpu.terminator
  }
  return
}

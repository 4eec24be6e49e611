// Roles that hand on a number and do not decide alike by it, or do not read what was
// handed on.
// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>
!ticket = memref<1xi32, #shared>
!ring = memref<2x1xi32, #shared>
!slot = !tile.region<1xi32, #shared>
!rows = memref<2x64xf32, #shared>
!row = !tile.region<64xf32, #shared>

// The consumers compare it with another number: they may wait for a row that nobody brings.
func.func @decides_otherwise(%A: memref<?x64xf32>, %next: memref<1xi32>, %n: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = arith.addi %n, %one : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : !ticket
  %S = tile.alloc : !rows
  %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  %data = tile.channel(%S) depth 2 {tma, consumer_warps = 4} : !rows
  tile.specialize {
    tile.role "consumer" warps 4 {
      %F = tile.alloc : memref<64xf32, #tile.fragment>
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        tile.wait %ch[%s, %p]
        %t = memref.load %R[%x, %c0] : !ring
        tile.release %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %m : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %from = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        // expected-remark @+1 {{[tile-verify/deadlock] is not proved, and may well be right}}
        tile.wait %data[%q, %r]
        tile.copy %from to %F : !row, memref<64xf32, #tile.fragment>
        tile.release %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        %slot = tile.region %R[%x, 0] [1, 1] drop [0] : !ring
        tile.acquire %ch[%s, %p]
        tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
        tile.barrier_sync
        tile.copy %T to %slot {instr = #tile.instr<simt>} : !ticket, !slot
        tile.barrier_sync
        tile.commit %ch[%s, %p]
        %t = memref.load %T[%c0] : !ticket
        tile.barrier_sync
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %t = memref.load %T[%c0] : !ticket
        %row = arith.index_cast %t : i32 to index
        %a = tile.region %A[%row, 0] [1, 64] drop [0] {align = 16 : i64} : memref<?x64xf32>
        %to = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        tile.acquire %data[%q, %r]
        tile.copy %a to %to signal %data[%y] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64xf32>, !row
        tile.commit %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        tile.barrier_sync
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
  }
  return
}

// The producer passes on what it had, and then takes the ticket by which it decides.
func.func @passes_early(%A: memref<?x64xf32>, %next: memref<1xi32>, %n: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = arith.addi %n, %one : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : !ticket
  %S = tile.alloc : !rows
  %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  %data = tile.channel(%S) depth 2 {tma, consumer_warps = 4} : !rows
  tile.specialize {
    tile.role "consumer" warps 4 {
      %F = tile.alloc : memref<64xf32, #tile.fragment>
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        tile.wait %ch[%s, %p]
        %t = memref.load %R[%x, %c0] : !ring
        tile.release %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %from = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        // expected-remark @+1 {{[tile-verify/deadlock] is not proved, and may well be right}}
        tile.wait %data[%q, %r]
        tile.copy %from to %F : !row, memref<64xf32, #tile.fragment>
        tile.release %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        %slot = tile.region %R[%x, 0] [1, 1] drop [0] : !ring
        tile.acquire %ch[%s, %p]
        tile.copy %T to %slot {instr = #tile.instr<simt>} : !ticket, !slot
        tile.barrier_sync
        tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
        tile.barrier_sync
        tile.commit %ch[%s, %p]
        %t = memref.load %T[%c0] : !ticket
        tile.barrier_sync
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %t = memref.load %T[%c0] : !ticket
        %row = arith.index_cast %t : i32 to index
        %a = tile.region %A[%row, 0] [1, 64] drop [0] {align = 16 : i64} : memref<?x64xf32>
        %to = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        tile.acquire %data[%q, %r]
        tile.copy %a to %to signal %data[%y] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64xf32>, !row
        tile.commit %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        tile.barrier_sync
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
  }
  return
}

// The consumers read the number when they have given back the slot.
func.func @reads_late(%A: memref<?x64xf32>, %next: memref<1xi32>, %n: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = arith.addi %n, %one : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : !ticket
  %S = tile.alloc : !rows
  %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  %data = tile.channel(%S) depth 2 {tma, consumer_warps = 4} : !rows
  tile.specialize {
    tile.role "consumer" warps 4 {
      %F = tile.alloc : memref<64xf32, #tile.fragment>
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        tile.wait %ch[%s, %p]
        tile.release %ch[%s, %p]
        // expected-remark @+1 {{[tile-verify/unfilled] is not proved, and may well be right}}
        %t = memref.load %R[%x, %c0] : !ring
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %from = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        tile.wait %data[%q, %r]
        tile.copy %from to %F : !row, memref<64xf32, #tile.fragment>
        tile.release %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        %slot = tile.region %R[%x, 0] [1, 1] drop [0] : !ring
        tile.acquire %ch[%s, %p]
        tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
        tile.barrier_sync
        tile.copy %T to %slot {instr = #tile.instr<simt>} : !ticket, !slot
        tile.barrier_sync
        tile.commit %ch[%s, %p]
        %t = memref.load %T[%c0] : !ticket
        tile.barrier_sync
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %t = memref.load %T[%c0] : !ticket
        %row = arith.index_cast %t : i32 to index
        %a = tile.region %A[%row, 0] [1, 64] drop [0] {align = 16 : i64} : memref<?x64xf32>
        %to = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        tile.acquire %data[%q, %r]
        tile.copy %a to %to signal %data[%y] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64xf32>, !row
        tile.commit %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        tile.barrier_sync
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
  }
  return
}

// The consumers read the number of another slot.
func.func @reads_another(%A: memref<?x64xf32>, %next: memref<1xi32>, %n: i32) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = arith.addi %n, %one : i32
  %R = tile.alloc : !ring
  %T = tile.alloc : !ticket
  %S = tile.alloc : !rows
  %ch = tile.channel(%R) depth 2 {simt_threads = 32, consumer_warps = 4} : !ring
  %data = tile.channel(%S) depth 2 {tma, consumer_warps = 4} : !rows
  tile.specialize {
    tile.role "consumer" warps 4 {
      %F = tile.alloc : memref<64xf32, #tile.fragment>
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        tile.wait %ch[%s, %p]
        // expected-remark @+1 {{[tile-verify/unfilled] is not proved, and may well be right}}
        %t = memref.load %R[%c0, %c0] : !ring
        tile.release %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %from = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        tile.wait %data[%q, %r]
        tile.copy %from to %F : !row, memref<64xf32, #tile.fragment>
        tile.release %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:4 = scf.while (%s = %z, %p = %z, %q = %z, %r = %z) : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
        %x = arith.index_cast %s : i32 to index
        %slot = tile.region %R[%x, 0] [1, 1] drop [0] : !ring
        tile.acquire %ch[%s, %p]
        tile.atomic add %one to %next old %T : i32, memref<1xi32>, !ticket
        tile.barrier_sync
        tile.copy %T to %slot {instr = #tile.instr<simt>} : !ticket, !slot
        tile.barrier_sync
        tile.commit %ch[%s, %p]
        %t = memref.load %T[%c0] : !ticket
        tile.barrier_sync
        %s1, %p1 = tile.advance %s, %p depth 2
        %more = arith.cmpi ult, %t, %n : i32
        scf.condition(%more) %s1, %p1, %q, %r : i32, i32, i32, i32
      } do {
      ^bb0(%s: i32, %p: i32, %q: i32, %r: i32):
        %y = arith.index_cast %q : i32 to index
        %t = memref.load %T[%c0] : !ticket
        %row = arith.index_cast %t : i32 to index
        %a = tile.region %A[%row, 0] [1, 64] drop [0] {align = 16 : i64} : memref<?x64xf32>
        %to = tile.region %S[%y, 0] [1, 64] drop [0] : !rows
        tile.acquire %data[%q, %r]
        tile.copy %a to %to signal %data[%y] of !tile.channel {instr = #tile.instr<tma>} : !tile.region<64xf32>, !row
        tile.commit %data[%q, %r]
        %q1, %r1 = tile.advance %q, %r depth 2
        tile.barrier_sync
        scf.yield %s, %p, %q1, %r1 : i32, i32, i32, i32
      }
    }
  }
  return
}

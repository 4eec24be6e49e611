// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// Copies and waits under guards on equal values: counters of loops and what
// `scf.while` carries. own-barriers-guards.mlir has masks in memory.

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// A copy is issued behind the last iteration.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @one_more(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    %m = memref.load %M[%c0] : memref<?xi1>
    scf.if %m {
      tile.barrier_expect %b[%c0] bytes 2048 : !b2
      %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
  }
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%w = %z) -> i32 {
    %next = arith.addi %i, %c1 : index
    %here = arith.remui %i, %c2 : index
    %there = arith.remui %next, %c2 : index
    %more = arith.cmpi sle, %next, %n : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %now = memref.load %M[%i] : memref<?xi1>
    %w1 = scf.if %now -> i32 {
      %s = arith.index_cast %here : index to i32
      %at = arith.shrui %w, %s : i32
      %parity = arith.andi %at, %one : i32
      tile.barrier_wait %b[%here] parity %parity : !b2
      %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %from to %f : !slot, !frag
      %bit = arith.shli %one, %s : i32
      %other = arith.xori %w, %bit : i32
      scf.yield %other : i32
    } else {
      scf.yield %w : i32
    }
    scf.yield %w1 : i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// The first copy is issued without an iteration for it.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @not_the_first(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %some = arith.cmpi sle, %c0, %n : index
  scf.if %some {
    %m = memref.load %M[%c0] : memref<?xi1>
    scf.if %m {
      tile.barrier_expect %b[%c0] bytes 2048 : !b2
      %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
  }
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%w = %z) -> i32 {
    %next = arith.addi %i, %c1 : index
    %here = arith.remui %i, %c2 : index
    %there = arith.remui %next, %c2 : index
    %more = arith.cmpi slt, %next, %n : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %now = memref.load %M[%i] : memref<?xi1>
    %w1 = scf.if %now -> i32 {
      %s = arith.index_cast %here : index to i32
      %at = arith.shrui %w, %s : i32
      %parity = arith.andi %at, %one : i32
      tile.barrier_wait %b[%here] parity %parity : !b2
      %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %from to %f : !slot, !frag
      %bit = arith.shli %one, %s : i32
      %other = arith.xori %w, %bit : i32
      scf.yield %other : i32
    } else {
      scf.yield %w : i32
    }
    scf.yield %w1 : i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// `n - i > 1` where there is an iteration `i`: proved.
func.func @unsigned_distance(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %some = arith.cmpi slt, %c0, %n : index
  scf.if %some {
    %m = memref.load %M[%c0] : memref<?xi1>
    scf.if %m {
      tile.barrier_expect %b[%c0] bytes 2048 : !b2
      %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
  }
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%w = %z) -> i32 {
    %next = arith.addi %i, %c1 : index
    %here = arith.remui %i, %c2 : index
    %there = arith.remui %next, %c2 : index
    %left = arith.subi %n, %i : index
    %more = arith.cmpi ugt, %left, %c1 : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %now = memref.load %M[%i] : memref<?xi1>
    %w1 = scf.if %now -> i32 {
      %s = arith.index_cast %here : index to i32
      %at = arith.shrui %w, %s : i32
      %parity = arith.andi %at, %one : i32
      tile.barrier_wait %b[%here] parity %parity : !b2
      %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %from to %f : !slot, !frag
      %bit = arith.shli %one, %s : i32
      %other = arith.xori %w, %bit : i32
      scf.yield %other : i32
    } else {
      scf.yield %w : i32
    }
    scf.yield %w1 : i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// `n - 4 > 1` is not `5 < n` where n is less than 4.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @wrapped(%A: memref<?x?xbf16>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %c4 = arith.constant 4 : index
  %left = arith.subi %n, %c4 : index
  %far = arith.cmpi ugt, %left, %c1 : index
  scf.if %far {
    tile.barrier_expect %b[%c0] bytes 2048 : !b2
    %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
  }
  scf.for %i = %c0 to %n step %c1 {
  }
  %c5 = arith.constant 5 : index
  %same = arith.cmpi slt, %c5, %n : index
  %w = scf.if %same -> i32 {
    %s = arith.index_cast %c0 : index to i32
    %at = arith.shrui %z, %s : i32
    %parity = arith.andi %at, %one : i32
    tile.barrier_wait %b[%c0] parity %parity : !b2
    %from = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %from to %f : !slot, !frag
    %bit = arith.shli %one, %s : i32
    %other = arith.xori %z, %bit : i32
    scf.yield %other : i32
  } else {
    scf.yield %z : i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// Decisions that `scf.while` carries: proved.
func.func @carried(%A: memref<?x?xbf16>, %M: memref<?xi1>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %first = memref.load %M[%c0] : memref<?xi1>
  scf.if %first {
    tile.barrier_expect %b[%c0] bytes 2048 : !b2
    %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
  }
  %second = scf.if %first -> i1 {
    %m = memref.load %M[%c1] : memref<?xi1>
    scf.yield %m : i1
  } else {
    scf.yield %false : i1
  }
  %e:4 = scf.while (%j = %c1, %m0 = %first, %m1 = %second, %w = %z) : (index, i1, i1, i32) -> (index, i1, i1, i32) {
    scf.condition(%m0) %j, %m0, %m1, %w : index, i1, i1, i32
  } do {
  ^bb0(%j: index, %m0: i1, %m1: i1, %w: i32):
    %back = arith.subi %j, %c1 : index
    %here = arith.remui %back, %c2 : index
    %there = arith.remui %j, %c2 : index
    scf.if %m1 {
      tile.barrier_expect %b[%there] bytes 2048 : !b2
      %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
    %s = arith.index_cast %here : index to i32
    %at = arith.shrui %w, %s : i32
    %parity = arith.andi %at, %one : i32
    tile.barrier_wait %b[%here] parity %parity : !b2
    %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %from to %f : !slot, !frag
    %bit = arith.shli %one, %s : i32
    %other = arith.xori %w, %bit : i32
    %after = arith.addi %j, %c1 : index
    %third = scf.if %m1 -> i1 {
      %m = memref.load %M[%after] : memref<?xi1>
      scf.yield %m : i1
    } else {
      scf.yield %false : i1
    }
    scf.yield %after, %m1, %third, %other : index, i1, i1, i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// It goes on by the decision of the iteration before.
func.func @stale(%A: memref<?x?xbf16>, %M: memref<?xi1>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %first = memref.load %M[%c0] : memref<?xi1>
  scf.if %first {
    tile.barrier_expect %b[%c0] bytes 2048 : !b2
    %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
  }
  %second = scf.if %first -> i1 {
    %m = memref.load %M[%c1] : memref<?xi1>
    scf.yield %m : i1
  } else {
    scf.yield %false : i1
  }
  %e:4 = scf.while (%j = %c1, %m0 = %first, %m1 = %second, %w = %z) : (index, i1, i1, i32) -> (index, i1, i1, i32) {
    scf.condition(%m0) %j, %m0, %m1, %w : index, i1, i1, i32
  } do {
  ^bb0(%j: index, %m0: i1, %m1: i1, %w: i32):
    %back = arith.subi %j, %c1 : index
    %here = arith.remui %back, %c2 : index
    %there = arith.remui %j, %c2 : index
    scf.if %m1 {
      tile.barrier_expect %b[%there] bytes 2048 : !b2
      %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
    %s = arith.index_cast %here : index to i32
    %at = arith.shrui %w, %s : i32
    %parity = arith.andi %at, %one : i32
    // expected-remark@+1 {{[tile-verify/deadlock] is not proved, and may well be right: the proof for the block stops at "waits here, and nobody who could end this wait goes on}}
    tile.barrier_wait %b[%here] parity %parity : !b2
    %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %from to %f : !slot, !frag
    %bit = arith.shli %one, %s : i32
    %other = arith.xori %w, %bit : i32
    %after = arith.addi %j, %c1 : index
    %third = scf.if %m1 -> i1 {
      %m = memref.load %M[%after] : memref<?xi1>
      scf.yield %m : i1
    } else {
      scf.yield %false : i1
    }
    scf.yield %after, %m0, %third, %other : index, i1, i1, i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// It goes on by the decision of the iteration behind.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @too_soon(%A: memref<?x?xbf16>, %M: memref<?xi1>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %first = memref.load %M[%c0] : memref<?xi1>
  scf.if %first {
    tile.barrier_expect %b[%c0] bytes 2048 : !b2
    %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
  }
  %second = scf.if %first -> i1 {
    %m = memref.load %M[%c1] : memref<?xi1>
    scf.yield %m : i1
  } else {
    scf.yield %false : i1
  }
  %e:4 = scf.while (%j = %c1, %m0 = %first, %m1 = %second, %w = %z) : (index, i1, i1, i32) -> (index, i1, i1, i32) {
    scf.condition(%m0) %j, %m0, %m1, %w : index, i1, i1, i32
  } do {
  ^bb0(%j: index, %m0: i1, %m1: i1, %w: i32):
    %back = arith.subi %j, %c1 : index
    %here = arith.remui %back, %c2 : index
    %there = arith.remui %j, %c2 : index
    scf.if %m1 {
      tile.barrier_expect %b[%there] bytes 2048 : !b2
      %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
    %s = arith.index_cast %here : index to i32
    %at = arith.shrui %w, %s : i32
    %parity = arith.andi %at, %one : i32
    tile.barrier_wait %b[%here] parity %parity : !b2
    %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %from to %f : !slot, !frag
    %bit = arith.shli %one, %s : i32
    %other = arith.xori %w, %bit : i32
    %after = arith.addi %j, %c1 : index
    %third = scf.if %m1 -> i1 {
      %m = memref.load %M[%after] : memref<?xi1>
      scf.yield %m : i1
    } else {
      scf.yield %false : i1
    }
    scf.yield %after, %third, %third, %other : index, i1, i1, i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// It goes on without a copy.
func.func @goes_on(%A: memref<?x?xbf16>, %M: memref<?xi1>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %first = memref.load %M[%c0] : memref<?xi1>
  scf.if %first {
    tile.barrier_expect %b[%c0] bytes 2048 : !b2
    %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
  }
  %second = scf.if %first -> i1 {
    %m = memref.load %M[%c1] : memref<?xi1>
    scf.yield %m : i1
  } else {
    scf.yield %false : i1
  }
  %e:4 = scf.while (%j = %c1, %m0 = %first, %m1 = %second, %w = %z) : (index, i1, i1, i32) -> (index, i1, i1, i32) {
    scf.condition(%true) %j, %m0, %m1, %w : index, i1, i1, i32
  } do {
  ^bb0(%j: index, %m0: i1, %m1: i1, %w: i32):
    %back = arith.subi %j, %c1 : index
    %here = arith.remui %back, %c2 : index
    %there = arith.remui %j, %c2 : index
    scf.if %m1 {
      tile.barrier_expect %b[%there] bytes 2048 : !b2
      %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
    %s = arith.index_cast %here : index to i32
    %at = arith.shrui %w, %s : i32
    %parity = arith.andi %at, %one : i32
    // expected-remark@+1 {{[tile-verify/deadlock] is not proved, and may well be right: the proof for the block stops at "waits here, and nobody who could end this wait goes on}}
    tile.barrier_wait %b[%here] parity %parity : !b2
    %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %from to %f : !slot, !frag
    %bit = arith.shli %one, %s : i32
    %other = arith.xori %w, %bit : i32
    %after = arith.addi %j, %c1 : index
    %third = scf.if %m1 -> i1 {
      %m = memref.load %M[%after] : memref<?xi1>
      scf.yield %m : i1
    } else {
      scf.yield %false : i1
    }
    scf.yield %after, %m1, %third, %other : index, i1, i1, i32
  }
  return
}

// -----

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// A loop of unsigned numbers: proved.
func.func @unsigned_loop(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %S = tile.alloc : !tiles
  %f = tile.alloc : !frag
  %a = tile.region %A[0, 0] [16, 64] : memref<?x?xbf16>
  %b = tile.barrier_alloc : !b2
  tile.barrier_init %b arrivals 1 : !b2
  tile.barrier_sync
  %some = arith.cmpi ult, %c0, %n : index
  scf.if %some {
    %m = memref.load %M[%c0] : memref<?xi1>
    scf.if %m {
      tile.barrier_expect %b[%c0] bytes 2048 : !b2
      %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
    }
  }
  %e = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%w = %z) -> i32 {
    %next = arith.addi %i, %c1 : index
    %here = arith.remui %i, %c2 : index
    %there = arith.remui %next, %c2 : index
    %left = arith.subi %n, %i : index
    %more = arith.cmpi ugt, %left, %c1 : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %now = memref.load %M[%i] : memref<?xi1>
    %w1 = scf.if %now -> i32 {
      %s = arith.index_cast %here : index to i32
      %at = arith.shrui %w, %s : i32
      %parity = arith.andi %at, %one : i32
      tile.barrier_wait %b[%here] parity %parity : !b2
      %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %from to %f : !slot, !frag
      %bit = arith.shli %one, %s : i32
      %other = arith.xori %w, %bit : i32
      scf.yield %other : i32
    } else {
      scf.yield %w : i32
    }
    scf.yield %w1 : i32
  }
  return
}

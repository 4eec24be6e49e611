// RUN: %tile_opt_passes 'tile-verify-channels{schedule=false}' %s -split-input-file -verify-diagnostics

// Copies and waits under guards on equal values, in the same iteration and in later
// ones. Where a guard at the wait differs in anything from that at the copy, nothing
// is proved.

#smem = #gpu.address_space<workgroup>
!b2 = !tile.barrier<2>
!tiles = memref<2x16x64xbf16, #smem>
!slot = !tile.region<16x64xbf16, #smem>
!row = !tile.region<16x64xbf16>
!frag = memref<16x64xbf16, #tile.fragment>

// A mask in memory, asked for at the copy and one iteration later: proved.
func.func @masked(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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

// The wait asks for the mask of the next iteration.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @other_index(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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
    %more = arith.cmpi slt, %next, %n : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %at1 = arith.addi %i, %c1 : index
    %now = memref.load %M[%at1] : memref<?xi1>
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

// It asks for another mask.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @other_mask(%A: memref<?x?xbf16>, %M: memref<?xi1>, %N: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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
    %more = arith.cmpi slt, %next, %n : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %now = memref.load %N[%i] : memref<?xi1>
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

// The kernel writes the mask.
func.func @written(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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
      // expected-remark@+1 {{[tile-verify/deadlock] is not proved, and may well be right: the proof for the block stops at "waits here, and nobody who could end this wait goes on}}
      tile.barrier_wait %b[%here] parity %parity : !b2
      %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
      tile.copy %from to %f : !slot, !frag
      %bit = arith.shli %one, %s : i32
      %other = arith.xori %w, %bit : i32
      scf.yield %other : i32
    } else {
      scf.yield %w : i32
    }
    memref.store %false, %M[%i] : memref<?xi1>
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

// It waits where there is no copy.
// expected-error@+1 {{[tile-verify/exit-in-flight] breaks the protocol of the block: ends while a copy that nobody waits for may be under way}}
func.func @inverted(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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
    %more = arith.cmpi slt, %next, %n : index
    scf.if %more {
      %m = memref.load %M[%next] : memref<?xi1>
      scf.if %m {
        tile.barrier_expect %b[%there] bytes 2048 : !b2
        %to = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
        tile.copy %a to %to signal %b[%there] of !b2 {instr = #tile.instr<tma>} : !row, !slot
      }
    }
    %m1 = memref.load %M[%i] : memref<?xi1>
    %now = arith.xori %m1, %true : i1
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

// It waits for the other slot.
func.func @other_slot(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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
      %s = arith.index_cast %there : index to i32
      %at = arith.shrui %w, %s : i32
      %parity = arith.andi %at, %one : i32
      // expected-error@+1 {{[tile-verify/deadlock] breaks the protocol of the block: waits for ever for slot 1, parity 0: the phase lacks 1 arrivals and 0 bytes}}
      tile.barrier_wait %b[%there] parity %parity : !b2
      %from = tile.region %S[%there, 0, 0] [1, 16, 64] drop [0] : !tiles
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

// Only one thread waits.
func.func @leader_alone(%A: memref<?x?xbf16>, %M: memref<?xi1>, %n: index) attributes {tile.num_threads = 64 : i32} {
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
      tile.barrier_wait %b[%here] parity %parity {leader} : !b2
      %from = tile.region %S[%here, 0, 0] [1, 16, 64] drop [0] : !tiles
      // expected-error@+1 {{[tile-verify/unfilled] breaks the protocol of the block: reads a tile while a copy may be under way}}
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

// One value in memory, read twice: proved.
func.func @twice(%A: memref<?x?xbf16>, %M: memref<?xi1>) attributes {tile.num_threads = 64 : i32} {
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
  %x = memref.load %M[%c0] : memref<?xi1>
  scf.if %x {
    tile.barrier_expect %b[%c0] bytes 2048 : !b2
    %to = tile.region %S[%c0, 0, 0] [1, 16, 64] drop [0] : !tiles
    tile.copy %a to %to signal %b[%c0] of !b2 {instr = #tile.instr<tma>} : !row, !slot
  }
  %y = memref.load %M[%c0] : memref<?xi1>
  %w = scf.if %y -> i32 {
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

// RUN: %tile_opt_passes 'tile-instruction-annotation{target=sm_90a}' %s -split-input-file -verify-diagnostics

// What no single op can check: passes check it before they change a kernel.

func.func @threads_multiple(%n: index) {
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  // expected-error @+1 {{expects a positive multiple of 32 threads per block, at most 1024, got 100}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c100, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @threads_unknown(%n: index) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects a constant number of threads per block beside tile ops}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %n, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// Thread ids may stand beside tile ops, which all threads execute together.
func.func @thread_id(%A: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    // expected-note @+1 {{the value comes from here or is made of it}}
    %t = gpu.thread_id x
    %u = arith.addi %t, %t : index
    // expected-error @+1 {{takes a value that differs between the threads that execute it together}}
    %a = tile.region %A[%u] [64] : memref<?xf32>
    gpu.terminator
  }
  return
}

// -----

func.func @kernel_in_kernel(%n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{the outer kernel is here}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects to be outside kernels}}
    gpu.launch blocks(%bx2, %by2, %bz2) in (%gx2 = %n, %gy2 = %c1, %gz2 = %c1)
               threads(%tx2, %ty2, %tz2) in (%nx2 = %c128, %ny2 = %c1, %nz2 = %c1) {
      gpu.terminator
    }
    gpu.terminator
  }
  return
}

// -----

// Nothing that is read off program order would hold here.
func.func @branches(%go: i1) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects regions of one block: control flow is in scf until kernels are lowered}}
  scf.execute_region {
    cf.cond_br %go, ^bb1, ^bb2
  ^bb1:
    tile.barrier_sync
    cf.br ^bb2
  ^bb2:
    scf.yield
  }
  return
}

// -----

// expected-error @+1 {{expects regions of one block}}
func.func @branches_in_the_body(%go: i1) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  cf.cond_br %go, ^bb1, ^bb2
^bb1:
  tile.barrier_sync
  cf.br ^bb2
^bb2:
  return
}

// -----

// A selected tile has two names: nobody could tell which bytes it reads.
func.func @selected(%go: i1, %zero: f32) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %t = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  // expected-note @+1 {{it comes from here}}
  %u = arith.select %go, %s, %t : memref<64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects operand 0 to be the result of tile.alloc, tile.barrier_alloc or tile.channel, or a tensor from outside the kernel}}
  tile.fill %u, %zero : memref<64xf32, #gpu.address_space<workgroup>>, f32
  return
}

// -----

func.func @carried_by_a_loop(%n: index, %zero: f32) attributes {tile.num_threads = 128 : i32} {
  %one = arith.constant 1 : index
  %s = tile.alloc : memref<64xf32, #tile.fragment>
  // expected-note @+1 {{it comes from here}}
  %r = scf.for %i = %one to %n step %one iter_args(%t = %s) -> (memref<64xf32, #tile.fragment>) {
    // expected-error @+1 {{expects operand 0 to be the result of tile.alloc}}
    tile.fill %t, %zero : memref<64xf32, #tile.fragment>, f32
    scf.yield %t : memref<64xf32, #tile.fragment>
  }
  return
}

// -----

// Strides that are not 1 make no region.
func.func @strided_view(%f: memref<16x32xf32, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<32x32xf32, #gpu.address_space<workgroup>>
  // expected-note @+1 {{it comes from here}}
  %u = memref.subview %s[0, 0] [16, 32] [2, 1] : memref<32x32xf32, #gpu.address_space<workgroup>> to memref<16x32xf32, strided<[64, 1]>, #gpu.address_space<workgroup>>
  // expected-error @+1 {{canonicalize looks through casts, and through subviews with constant sizes and unit strides}}
  tile.copy %u to %f : memref<16x32xf32, strided<[64, 1]>, #gpu.address_space<workgroup>>, memref<16x32xf32, #tile.fragment>
  return
}

// -----

func.func @selected_barrier(%go: i1) attributes {tile.num_threads = 128 : i32} {
  %zero = arith.constant 0 : index
  %s = tile.barrier_alloc : !tile.barrier<1>
  %t = tile.barrier_alloc : !tile.barrier<1>
  // expected-note @+1 {{it comes from here}}
  %u = arith.select %go, %s, %t : !tile.barrier<1>
  // expected-error @+1 {{expects operand 0 to be the result of tile.alloc, tile.barrier_alloc or tile.channel}}
  tile.barrier_arrive %u[%zero] : !tile.barrier<1>
  return
}

// -----

// Scalar code may do with its own memory what it likes.
func.func @scalar_code(%A: memref<?xf32>, %i: index) attributes {tile.num_threads = 128 : i32} {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %u = memref.cast %A : memref<?xf32> to memref<64xf32>
  %v = memref.load %u[%i] : memref<64xf32>
  %p = memref.alloca() : memref<4xf32>
  memref.store %v, %p[%i] : memref<4xf32>
  return
}

// -----

func.func @roles_twice() attributes {tile.num_threads = 32 : i64} {
  // expected-note @+1 {{the first one is here}}
  tile.specialize {
    tile.role "a" warps 1 {
    }
  }
  // expected-error @+1 {{expects to be the only one of its kernel}}
  tile.specialize {
    tile.role "a" warps 1 {
    }
  }
  return
}

// -----

func.func @roles_under_a_guard(%c: i1) attributes {tile.num_threads = 32 : i64} {
  scf.if %c {
    // expected-error @+1 {{expects to be directly in the body of the kernel, not inside another op}}
    tile.specialize {
      tile.role "a" warps 1 {
      }
    }
  }
  return
}

// -----

// expected-note @+1 {{the kernel is here}}
func.func @roles_threads() attributes {tile.num_threads = 128 : i64} {
  // expected-error @+1 {{has roles of 160 threads together, in a kernel of 128 threads per block}}
  tile.specialize {
    tile.role "a" warps 4 {
    }
    tile.role "b" warps 1 {
    }
  }
  return
}

// -----

!fragment = memref<64x64xf32, #tile.fragment>
func.func @fragment_of_two_roles(%v: f32) attributes {tile.num_threads = 64 : i32} {
  // expected-note @+1 {{the fragment is allocated here}}
  %f = tile.alloc : !fragment
  tile.specialize {
    tile.role "a" warps 1 {
      // expected-error @+1 {{uses a fragment that is in the registers of other threads: of another role, or of all}}
      tile.fill %f, %v : !fragment, f32
    }
    tile.role "b" warps 1 {
      tile.fill %f, %v : !fragment, f32
    }
  }
  return
}

// -----

// Inside a role, thread ids say which of its threads does what.
func.func @thread_ids_in_roles() attributes {tile.num_threads = 64 : i32} {
  tile.specialize {
    tile.role "a" warps 2 {
      %t = gpu.thread_id x
      %u = arith.addi %t, %t : index
    }
  }
  return
}

// -----

func.func @operand_of_a_thread(%A: memref<?xf32>) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  tile.specialize {
    tile.role "a" warps 2 {
      // expected-note @+1 {{the value comes from here or is made of it}}
      %t = gpu.thread_id x
      %u = arith.addi %t, %t : index
      // expected-error @+1 {{takes a value that differs between the threads that execute it together}}
      %a = tile.region %A[%u] [8] : memref<?xf32>
      tile.copy %a to %S : !tile.region<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>
    }
  }
  return
}

// -----

func.func @branch_of_a_thread(%v: f32) attributes {tile.num_threads = 64 : i32} {
  %c5 = arith.constant 5 : index
  %S = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  tile.specialize {
    tile.role "a" warps 2 {
      // expected-note @+1 {{the value comes from here or is made of it}}
      %t = gpu.lane_id
      %c = arith.cmpi ult, %t, %c5 : index
      scf.if %c {
        // expected-error @+1 {{is executed depending on a value that differs between the threads that execute it together}}
        tile.fill %S, %v : memref<8xf32, #gpu.address_space<workgroup>>, f32
      }
    }
  }
  return
}

// -----

func.func @switch_of_a_thread(%v: f32) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  tile.specialize {
    tile.role "a" warps 2 {
      // expected-note @+1 {{the value comes from here or is made of it}}
      %t = gpu.lane_id
      scf.index_switch %t
      case 5 {
        // expected-error @+1 {{is executed depending on a value that differs between the threads that execute it together}}
        tile.fill %S, %v : memref<8xf32, #gpu.address_space<workgroup>>, f32
        scf.yield
      }
      default {
      }
    }
  }
  return
}

// -----

func.func @loop_of_a_thread(%v: f32, %n: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.specialize {
    tile.role "a" warps 2 {
      // expected-note @+1 {{the value comes from here or is made of it}}
      %t = gpu.thread_id x
      // The bound of the second loop is carried by the first.
      %m = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> index {
        %j = arith.addi %k, %t : index
        scf.yield %j : index
      }
      scf.for %i = %c0 to %m step %c1 {
        // expected-error @+1 {{is executed depending on a value that differs between the threads that execute it together}}
        tile.barrier_sync
      }
    }
  }
  return
}

// -----

func.func @while_of_a_thread(%n: index) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  // expected-note @+1 {{the value comes from here or is made of it}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    tile.specialize {
      tile.role "a" warps 1 {
        scf.while : () -> () {
          %more = arith.cmpi ult, %tx, %c1 : index
          scf.condition(%more)
        } do {
          // expected-error @+1 {{is executed depending on a value that differs between the threads that execute it together}}
          tile.barrier_sync
          scf.yield
        }
      }
    }
    gpu.terminator
  }
  return
}

// -----

// No launch can have it, whatever the product is.
func.func @threads_negative(%n: index) {
  %c1 = arith.constant 1 : index
  %c-4 = arith.constant -4 : index
  %c-32 = arith.constant -32 : index
  // expected-error @+1 {{expects 1 to 1024 threads per block in x, got -4}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c-4, %ny = %c-32, %nz = %c1) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// A block is 64 threads deep at most.
func.func @threads_deep(%n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-error @+1 {{expects 1 to 64 threads per block in z, got 128}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c128) {
    %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

func.func @tensor_rank(%A: memref<2x2x2x2x2x2xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<2x2xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expects tensors of rank 0 to 5 whose layout is strides, got memref<2x2x2x2x2x2xf32> as operand 0}}
    %r = tile.region %A[0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 2, 2] drop [0, 1, 2, 3] : memref<2x2x2x2x2x2xf32>
    tile.copy %r to %s : !tile.region<2x2xf32>, memref<2x2xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

#blocked = affine_map<(i, j) -> (j floordiv 2, i, j mod 2)>
func.func @tensor_layout(%A: memref<8x8xf32, #blocked>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<8x8xf32, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [8, 8] {
      // expected-error @+1 {{got memref<8x8xf32, affine_map<(d0, d1) -> (d1 floordiv 2, d0, d1 mod 2)>> as operand 0}}
      %x = memref.load %A[%i, %j] : memref<8x8xf32, #blocked>
      memref.store %x, %s[%i, %j] : memref<8x8xf32, #gpu.address_space<workgroup>>
    }
    gpu.terminator
  }
  return
}

// -----

// The other role has a barrier of another number.
func.func @named_barrier() attributes {tile.num_threads = 128 : i32} {
  tile.specialize {
    tile.role "a" warps 2 {
      // expected-error @+1 {{waits for 128 threads at barrier 3, which 64 threads reach}}
      tile.barrier_sync {id = 3 : i64, threads = 128 : i64}
    }
    tile.role "b" warps 2 {
      tile.barrier_sync {id = 4 : i64, threads = 64 : i64}
    }
  }
  return
}

// -----

// A number that both reach, the one of all threads, and one of a warp.
func.func @named_barriers_that_end() attributes {tile.num_threads = 128 : i32} {
  tile.barrier_sync {id = 0 : i64, threads = 128 : i64}
  tile.specialize {
    tile.role "a" warps 2 {
      tile.barrier_sync {id = 3 : i64, threads = 128 : i64}
      tile.barrier_sync {id = 4 : i64, threads = 64 : i64}
    }
    tile.role "b" warps 2 {
      tile.barrier_sync {id = 3 : i64, threads = 128 : i64}
      tile.barrier_sync {id = 5 : i64, threads = 32 : i64}
    }
  }
  tile.barrier_sync {id = 3 : i64, threads = 128 : i64}
  return
}

// -----

func.func @turn_without_end() attributes {tile.num_threads = 256 : i32} {
  tile.specialize {
    tile.role "a" warps 4 pingpong {
      // expected-error @+1 {{begins a turn that its role never ends}}
      tile.turn <begin>
    }
    tile.role "b" warps 4 pingpong {
      tile.turn <begin>
      tile.turn <end>
    }
  }
  return
}

// -----

func.func @turn_without_begin(%c: i1) attributes {tile.num_threads = 256 : i32} {
  tile.specialize {
    tile.role "a" warps 4 pingpong {
      tile.turn <begin>
      scf.if %c {
        tile.turn <end>
      } else {
        tile.turn <end>
      }
    }
    tile.role "b" warps 4 pingpong {
      // expected-error @+1 {{ends a turn that its role never begins}}
      tile.turn <end>
    }
  }
  return
}

// -----

!tile = memref<64xf32, #gpu.address_space<workgroup>>
func.func @roles_in_no_order(%A: memref<64xf32>, %v: f32) attributes {tile.num_threads = 96 : i32} {
  %s = tile.alloc : !tile
  tile.specialize {
    tile.role "reads" warps 2 {
      tile.barrier_sync {id = 1 : i64, threads = 64 : i64}
      // expected-error @+1 {{accesses a tile that another role writes, and nothing orders the two: role "writes" has no op of barriers or channels}}
      tile.copy %s to %A : !tile, memref<64xf32>
    }
    tile.role "writes" warps 1 {
      // expected-note @+1 {{it is written here}}
      tile.fill %s, %v : !tile, f32
    }
  }
  return
}

// -----

// Two that read, windows, accesses under conditions, and flags are left alone.
!tile = memref<64xf32, #gpu.address_space<workgroup>>
func.func @roles_that_need_no_order(%A: memref<64xf32>, %v: f32, %c: i1) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc : !tile
  %t = tile.alloc : !tile
  %u = tile.alloc : !tile
  %flag = tile.alloc : !tile
  %o = tile.alloc : !tile
  tile.fill %flag, %v : !tile, f32
  tile.fill %s, %v : !tile, f32
  tile.specialize {
    tile.role "a" warps 1 {
      tile.fill %o, %v : !tile, f32
      tile.atomic add %s to %flag {instr = #tile.instr<simt>} : !tile, !tile
      tile.copy %s to %A {instr = #tile.instr<simt>} : !tile, memref<64xf32>
      %w = tile.region %t[0] [32] : !tile
      tile.fill %w, %v : !tile.region<32xf32, #gpu.address_space<workgroup>>, f32
      scf.if %c {
        tile.fill %u, %v : !tile, f32
      }
    }
    tile.role "b" warps 1 {
      tile.atomic add %s to %flag {instr = #tile.instr<simt>} : !tile, !tile
      tile.fill %o, %v : !tile, f32
      tile.copy %s to %A {instr = #tile.instr<simt>} : !tile, memref<64xf32>
      %w = tile.region %t[32] [32] : !tile
      tile.fill %w, %v : !tile.region<32xf32, #gpu.address_space<workgroup>>, f32
      scf.if %c {
      } else {
        tile.fill %u, %v : !tile, f32
      }
    }
  }
  return
}

// -----

// A word misspelt has no effect: nobody would know.
func.func @unknown_attribute(%A: memref<64xf32>) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{has no attribute 'instruction'}}
  tile.copy %A to %s {instruction = #tile.instr<simt>, my.note = 1 : i32} : memref<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  return
}

// -----

!tile = memref<64xf32, #gpu.address_space<workgroup>>
func.func @copy_not_waited_for(%A: memref<64xf32>, %c: i1) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc : !tile
  %f = tile.alloc : memref<64xf32, #tile.fragment>
  %a = tile.region %A[0] [64] {align = 16 : i64} : memref<64xf32>
  // expected-note @+1 {{the copy is here}}
  tile.copy %a to %s {async, instr = #tile.instr<cp_async>} : !tile.region<64xf32>, !tile
  tile.cp_async_commit
  // expected-error @+1 {{reads a tile that an asynchronous copy may still fill: no tile.cp_async_wait stands between}}
  tile.copy %s to %f : !tile, memref<64xf32, #tile.fragment>
  return
}

// -----

// Waited for, in a branch as well, another window, the other way round.
!tile = memref<64xf32, #gpu.address_space<workgroup>>
func.func @copies_waited_for(%A: memref<64xf32>, %c: i1) attributes {tile.num_threads = 64 : i32} {
  %s = tile.alloc : !tile
  %f = tile.alloc : memref<64xf32, #tile.fragment>
  %h = tile.alloc : memref<32xf32, #tile.fragment>
  %a = tile.region %A[0] [64] {align = 16 : i64} : memref<64xf32>
  tile.copy %a to %s {async, instr = #tile.instr<cp_async>} : !tile.region<64xf32>, !tile
  tile.cp_async_commit
  tile.cp_async_wait pending 0
  tile.copy %s to %f : !tile, memref<64xf32, #tile.fragment>
  tile.copy %a to %s {async, instr = #tile.instr<cp_async>} : !tile.region<64xf32>, !tile
  tile.cp_async_commit
  scf.if %c {
    tile.cp_async_wait pending 0
    tile.copy %s to %f : !tile, memref<64xf32, #tile.fragment>
  }
  tile.cp_async_wait pending 0
  %b = tile.region %A[0] [32] {align = 16 : i64} : memref<64xf32>
  %low = tile.region %s[0] [32] : !tile
  %high = tile.region %s[32] [32] : !tile
  tile.copy %b to %low {async, instr = #tile.instr<cp_async>} : !tile.region<32xf32>, !tile.region<32xf32, #gpu.address_space<workgroup>>
  tile.cp_async_commit
  tile.copy %high to %h {instr = #tile.instr<simt>} : !tile.region<32xf32, #gpu.address_space<workgroup>>, memref<32xf32, #tile.fragment>
  tile.cp_async_wait pending 0
  return
}

// -----

// Parts of tensors may have sizes of run time, parts of tiles not: the cure is in the
// message.
func.func @bounded_window(%begin: index, %rows: index, %f: memref<64x64xf32, #tile.fragment>) attributes {tile.num_threads = 128 : i32} {
  %A = tile.alloc : memref<128x64xf32, #gpu.address_space<workgroup>>
  // expected-note @+1 {{it is made here}}
  %part = memref.subview %A[%begin, 0] [%rows, 64] [1, 1] : memref<128x64xf32, #gpu.address_space<workgroup>> to memref<?x64xf32, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects operand 0 to be a whole tile, not a part with sizes of run time: name the tile, and add the offsets of the part to those of the window}}
  %w = tile.region %part[0, 0] [64, 64] : memref<?x64xf32, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
  tile.copy %w to %f : !tile.region<64x64xf32, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>
  return
}

// -----

func.func @window_of_the_host(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-note @+1 {{it is made here}}
  %b = tile.region %B[0, 0] [64, 64] : memref<64x64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %A to %f : memref<64x64xf32>, memref<64x64xf32, #tile.fragment>
    // expected-error @+1 {{'tile.copy' op uses a window that is made outside of the kernel: put the tile.region into it}}
    tile.copy %f to %b : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// -----

// What each thread reports for itself may differ, in any branch.
func.func @reports_of_threads(%B: memref<4xi64>, %c5: index) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 100 : i64
  tile.specialize {
    tile.role "a" warps 2 {
      %t = gpu.lane_id
      %c = arith.cmpi ult, %t, %c5 : index
      tile.print "lane"(%t : index) {every_thread}
      scf.if %c {
        tile.print "few"(%t : index) {every_thread}
        tile.assert %c, "as asked"
      }
      %start = tile.clock cycles
      %late = arith.cmpi ugt, %start, %limit : i64
      scf.if %late {
        tile.print "late"(%start : i64)
        memref.store %start, %B[%c0] : memref<4xi64>
      }
    }
  }
  return
}

// -----

func.func @print_of_a_thread() attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  tile.specialize {
    tile.role "a" warps 2 {
      // expected-note @+1 {{the value comes from here or is made of it}}
      %t = gpu.lane_id
      // expected-error @+1 {{takes a value that differs between the threads that execute it together}}
      tile.print "lane"(%t : index)
    }
  }
  return
}

// -----

func.func @window_of_a_time(%A: memref<?xf32>) attributes {tile.num_threads = 64 : i32} {
  %S = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  // expected-note @+1 {{the value comes from here or is made of it}}
  %t = tile.clock nanoseconds
  %u = arith.index_cast %t : i64 to index
  // expected-error @+1 {{takes a value that differs between the threads that execute it together}}
  %a = tile.region %A[%u] [8] : memref<?xf32>
  tile.copy %a to %S : !tile.region<8xf32>, memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

// A barrier of some threads may be one of those that a branch is for; of all it
// is not.
func.func @barriers_of_a_branch() attributes {tile.num_threads = 64 : i32} {
  %c5 = arith.constant 5 : index
  // expected-note @+1 {{the value comes from here or is made of it}}
  %t = gpu.thread_id x
  %c = arith.cmpi ult, %t, %c5 : index
  scf.if %c {
    tile.barrier_sync {id = 1 : i64, threads = 32 : i64}
    // expected-error @+1 {{is executed depending on a value that differs between the threads that execute it together}}
    tile.barrier_sync {id = 2 : i64, threads = 64 : i64}
  }
  return
}

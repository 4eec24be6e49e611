// With `persist = true` what does not pay is done, and what is not legal is an
// error.

// RUN: %tile_opt_passes 'tile-persist{target=sm_90a}' %s -split-input-file -verify-diagnostics -o %t
// RUN: FileCheck %s < %t

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

// Few blocks, many of which fit on a multiprocessor, loops that differ.
// CHECK-LABEL: func.func @does_not_pay
// CHECK: tile.num_sms
func.func @does_not_pay(%A: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    scf.for %i = %c0 to %bx step %c1 {
      %a = tile.region %A[%i] [64] : !tensor
      tile.copy %a to %S : !win, !tile
    }
    gpu.terminator
  }
  return
}

// -----

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

func.func @clusters(%A: !tensor) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  // expected-error @+1 {{cannot be persistent as required: the blocks form clusters [tile-persist/clusters]; launch without clusters}}
  gpu.launch clusters(%cx, %cy, %cz) in (%zx = %c4, %zy = %c1, %zz = %c1)
             blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// -----

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

// The second tile would find the barrier in the phase in which the first left it.
func.func @user_sync(%A: !tensor, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %parity = arith.constant 0 : i32
  // expected-error @+1 {{cannot be persistent as required: the kernel holds barriers or roles of its own, whose state outlives a tile [tile-persist/user-sync]; leave them to the compiler, or write the loop over tiles yourself}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    // expected-note @+1 {{this op}}
    %b = tile.barrier_alloc : !tile.barrier<1>
    tile.barrier_init %b arrivals 1 : !tile.barrier<1>
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// -----

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

func.func private @unknown()

func.func @foreign_op(%A: !tensor, %n: index) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  // expected-error @+1 {{cannot be persistent as required: the kernel holds an op of which it is not known whether it may run once per tile [tile-persist/foreign-op]; move it out of the kernel}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    // expected-note @+1 {{this op}}
    func.call @unknown() : () -> ()
    gpu.terminator
  }
  return
}

// -----

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

// The block that would raise the flag may be the next one of this very loop.
func.func @waits(%A: !tensor, %flag: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1 : i32
  // expected-error @+1 {{cannot be persistent as required: a loop reads memory that the kernel writes: blocks may wait for each other [tile-persist/waits]; use one kernel after the other}}
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    scf.while : () -> () {
      // expected-note @+1 {{it is read here}}
      %f = memref.load %flag[%c0] : memref<1xi32>
      %go = arith.cmpi ne, %f, %one : i32
      scf.condition(%go)
    } do {
      scf.yield
    }
    memref.store %one, %flag[%c0] : memref<1xi32>
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// -----

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

// Nobody looks at what the counter was before, and what is loaded and stored to a
// tile is not written to where it comes from.
// CHECK-LABEL: func.func @counts
// CHECK: tile.num_sms
func.func @counts(%A: !tensor, %counter: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    scf.while (%i = %c0) : (index) -> () {
      %go = arith.cmpi ult, %i, %n : index
      scf.condition(%go)
    } do {
      tile.parallel (%x) in [1] {
        %old = memref.atomic_rmw addi %one, %counter[%x] : (i32, memref<1xi32>) -> i32
      }
      tile.parallel (%x) in [64] {
        %v = memref.load %A[%x] : !tensor
        memref.store %v, %S[%x] : !tile
      }
      scf.yield %n : index
    }
    %a = tile.region %A[%bx] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// -----

!tensor = memref<?xf32>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!win = !tile.region<64xf32>

// A counter that nobody writes ends each loop by itself.
// CHECK-LABEL: func.func @reads_a_constant
// CHECK: tile.num_sms
func.func @reads_a_constant(%A: !tensor, %flag: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %n, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true}
    %S = tile.alloc : !tile
    %last = scf.while (%i = %c0) : (index) -> index {
      %f = memref.load %flag[%i] : memref<?xi32>
      %go = arith.cmpi ne, %f, %one : i32
      scf.condition(%go) %i : index
    } do {
    ^bb0(%i: index):
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    %a = tile.region %A[%last] [64] : !tensor
    tile.copy %a to %S : !win, !tile
    gpu.terminator
  }
  return
}

// Memory orders: what one block wrote is there for the block that acquires.
// The blocks run at the same time, as some wait for others.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --co-resident --seeds=2 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
#acquire = #tile.order<acquire>
#release = #tile.order<release>
#acq_rel = #tile.order<acq_rel>
#seq_cst = #tile.order<seq_cst>

// Each block leaves its part of the sum; the last one to come adds them up. The
// counter is zero again for the next launch.
// CASE: last_block(A=ints:5x37x53:f32, P=junk:5x37x53:f32, C=junk:37x53:f32, n=zeros:1:i32)
// EXPECT: P[:] = A; C = A.sum(axis=0); n[0] = 0
func.func @last_block(%A: memref<5x37x53xf32>, %P: memref<5x37x53xf32>, %C: memref<37x53xf32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c5, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4 : i32
    %z = arith.constant 0.0 : f32
    %x = tile.alloc : memref<37x53xf32, #fragment>
    %sum = tile.alloc : memref<37x53xf32, #fragment>
    %ticket = tile.alloc : memref<1xi32, #shared>
    %a = tile.region %A[%bx, 0, 0] [1, 37, 53] drop [0] : memref<5x37x53xf32>
    %p = tile.region %P[%bx, 0, 0] [1, 37, 53] drop [0] : memref<5x37x53xf32>
    tile.copy %a to %x : !tile.region<37x53xf32>, memref<37x53xf32, #fragment>
    tile.copy %x to %p : memref<37x53xf32, #fragment>, !tile.region<37x53xf32>
    tile.atomic add %one to %n old %ticket {order = #acq_rel} : i32, memref<1xi32>, memref<1xi32, #shared>
    %t = memref.load %ticket[%c0] : memref<1xi32, #shared>
    %last = arith.cmpi eq, %t, %four : i32
    scf.if %last {
      tile.fill %sum, %z : memref<37x53xf32, #fragment>, f32
      scf.for %k = %c0 to %c5 step %c1 {
        %q = tile.region %P[%k, 0, 0] [1, 37, 53] drop [0] : memref<5x37x53xf32>
        tile.copy %q to %x : !tile.region<37x53xf32>, memref<37x53xf32, #fragment>
        tile.parallel (%i, %j) in [37, 53] {
          %v = memref.load %x[%i, %j] : memref<37x53xf32, #fragment>
          %w = memref.load %sum[%i, %j] : memref<37x53xf32, #fragment>
          %y = arith.addf %v, %w : f32
          memref.store %y, %sum[%i, %j] : memref<37x53xf32, #fragment>
        }
      }
      tile.copy %sum to %C : memref<37x53xf32, #fragment>, memref<37x53xf32>
      tile.atomic exchange %zero to %n : i32, memref<1xi32>
    }
    gpu.terminator
  }
  return
}

// A scan over blocks: each waits for the one before it, which has left what it
// carries. A flag of 64 bits, seen by the system.
// CASE: chain(X=ints:6x45:f32, S=junk:6x45:f32, carry=junk:6x45:f32, flags=zeros:6:i64)
// EXPECT: S = np.cumsum(X, axis=0); carry = np.cumsum(X, axis=0); flags[:] = 1
func.func @chain(%X: memref<6x45xf32>, %S: memref<6x45xf32>, %carry: memref<6x45xf32>, %flags: memref<6xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c6, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %x = tile.alloc : memref<45xf32, #shared>
    %b = tile.alloc : memref<45xf32, #shared>
    %seen = tile.alloc : memref<1xi64, #shared>
    %xs = tile.region %X[%bx, 0] [1, 45] drop [0] : memref<6x45xf32>
    %ss = tile.region %S[%bx, 0] [1, 45] drop [0] : memref<6x45xf32>
    %cs = tile.region %carry[%bx, 0] [1, 45] drop [0] : memref<6x45xf32>
    %own = tile.region %flags[%bx] [1] : memref<6xi64>
    tile.copy %xs to %x : !tile.region<45xf32>, memref<45xf32, #shared>
    %first = arith.cmpi eq, %bx, %c0 : index
    scf.if %first {
    } else {
      %before = arith.subi %bx, %c1 : index
      %flag = tile.region %flags[%before] [1] : memref<6xi64>
      %ps = tile.region %carry[%before, 0] [1, 45] drop [0] : memref<6x45xf32>
      scf.while : () -> () {
        tile.atomic_load %flag to %seen {order = #acquire, scope = #tile.scope<system>} : !tile.region<1xi64>, memref<1xi64, #shared>
        %v = memref.load %seen[%c0] : memref<1xi64, #shared>
        %wait = arith.cmpi eq, %v, %zero : i64
        scf.condition(%wait)
      } do {
        scf.yield
      }
      tile.copy %ps to %b : !tile.region<45xf32>, memref<45xf32, #shared>
      tile.parallel (%i) in [45] {
        %v = memref.load %x[%i] : memref<45xf32, #shared>
        %w = memref.load %b[%i] : memref<45xf32, #shared>
        %y = arith.addf %v, %w : f32
        memref.store %y, %x[%i] : memref<45xf32, #shared>
      }
    }
    tile.copy %x to %cs : memref<45xf32, #shared>, !tile.region<45xf32>
    tile.atomic exchange %one to %own {order = #release, scope = #tile.scope<system>} : i64, !tile.region<1xi64>
    tile.copy %x to %ss : memref<45xf32, #shared>, !tile.region<45xf32>
    gpu.terminator
  }
  return
}

// A lock that is taken by compare-and-swap: the counter behind it is no atomic
// one. The same with bytes and halves, and by relaxed updates between fences.
// CASE: lock(l=zeros:1:i32, b=zeros:3:i8, h=zeros:3:f16, c=zeros:3x19:i32)
// EXPECT: c[:] = 7; b[1] = 0; h[1] = 0
func.func @lock(%l: memref<1xi32>, %b: memref<3xi8>, %h: memref<3xf16>, %c: memref<3x19xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c7, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bzero = arith.constant 0 : i8
    %bone = arith.constant 1 : i8
    %hzero = arith.constant 0.0 : f16
    %hone = arith.constant 1.5 : f16
    %was = tile.alloc : memref<1xi32, #shared>
    %bwas = tile.alloc : memref<1xi8, #shared>
    %hwas = tile.alloc : memref<1xf16, #shared>
    %bl = tile.region %b[%c1] [1] : memref<3xi8>
    %hl = tile.region %h[%c1] [1] : memref<3xf16>
    scf.while : () -> () {
      tile.atomic exchange %one to %l old %was if %zero {order = #acquire} : i32, memref<1xi32>, memref<1xi32, #shared> if i32
      %v = memref.load %was[%c0] : memref<1xi32, #shared>
      %wait = arith.cmpi ne, %v, %zero : i32
      scf.condition(%wait)
    } do {
      scf.yield
    }
    tile.parallel (%i) in [19] {
      %v = memref.load %c[%c0, %i] : memref<3x19xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %c[%c0, %i] : memref<3x19xi32>
    }
    tile.atomic exchange %zero to %l {order = #release} : i32, memref<1xi32>
    scf.while : () -> () {
      tile.atomic exchange %bone to %bl old %bwas if %bzero {order = #seq_cst} : i8, !tile.region<1xi8>, memref<1xi8, #shared> if i8
      %v = memref.load %bwas[%c0] : memref<1xi8, #shared>
      %wait = arith.cmpi ne, %v, %bzero : i8
      scf.condition(%wait)
    } do {
      scf.yield
    }
    tile.parallel (%i) in [19] {
      %v = memref.load %c[%c1, %i] : memref<3x19xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %c[%c1, %i] : memref<3x19xi32>
    }
    tile.atomic exchange %bzero to %bl {order = #release} : i8, !tile.region<1xi8>
    scf.while : () -> () {
      tile.atomic exchange %hone to %hl old %hwas : f16, !tile.region<1xf16>, memref<1xf16, #shared>
      %v = memref.load %hwas[%c0] : memref<1xf16, #shared>
      %wait = arith.cmpf one, %v, %hzero : f16
      scf.condition(%wait)
    } do {
      scf.yield
    }
    tile.fence {order = #acquire}
    tile.parallel (%i) in [19] {
      %v = memref.load %c[%c2, %i] : memref<3x19xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %c[%c2, %i] : memref<3x19xi32>
    }
    tile.fence {order = #release}
    tile.atomic exchange %hzero to %hl : f16, !tile.region<1xf16>
    gpu.terminator
  }
  return
}

// Exchanges and loads of whole tiles, ragged, of every width, and of shared
// memory; what is compared are bits.
// CASE: tiles(X=ints:13x21:f32, Y=ints:13x21:f32, O=junk:16x24:f32, L=junk:13x21:f32, W=ints:70:i8, V=junk:70:i8)
// EXPECT: y = Y.copy(); Y[:] = X; O[:13, :21] = y; O[13:] = 0; O[:, 21:] = 0; L = X
// EXPECT: V = W.copy(); W[:] = np.where(V == 1, 5, V)
func.func @tiles(%X: memref<13x21xf32>, %Y: memref<13x21xf32>, %O: memref<16x24xf32>, %L: memref<13x21xf32>, %W: memref<70xi8>, %V: memref<70xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %five = arith.constant 5 : i8
    %one = arith.constant 1 : i8
    %x = tile.alloc : memref<16x24xf32, #fragment>
    %o = tile.alloc : memref<16x24xf32, #fragment>
    %s = tile.alloc : memref<16x24xf32, #shared>
    %w = tile.alloc : memref<70xi8, #shared>
    %xs = tile.region %X[0, 0] [16, 24] : memref<13x21xf32>
    %ys = tile.region %Y[0, 0] [16, 24] : memref<13x21xf32>
    %ls = tile.region %L[0, 0] [16, 24] : memref<13x21xf32>
    tile.copy %xs to %x : !tile.region<16x24xf32>, memref<16x24xf32, #fragment>
    tile.atomic exchange %x to %ys old %o {order = #acq_rel} : memref<16x24xf32, #fragment>, !tile.region<16x24xf32>, memref<16x24xf32, #fragment>
    tile.copy %o to %O : memref<16x24xf32, #fragment>, memref<16x24xf32>
    tile.atomic_load %ys to %s {order = #seq_cst} : !tile.region<16x24xf32>, memref<16x24xf32, #shared>
    tile.atomic exchange %s to %ls {order = #seq_cst} : memref<16x24xf32, #shared>, !tile.region<16x24xf32>
    tile.atomic exchange %five to %W old %w if %one : i8, memref<70xi8>, memref<70xi8, #shared> if i8
    tile.copy %w to %V : memref<70xi8, #shared>, memref<70xi8>
    gpu.terminator
  }
  return
}

// A product whose K is split: parts are stored by TMA where the chip has it, by
// roles, and the last block adds them up. The order of the sum is fixed.
// CASE: split(A=ints:48x391:f16, B=ints:391x60:f16, P=junk:4x64x64:f32, C=junk:48x60:f32, n=zeros:1:i32)
// EXPECT: C = A @ B; n[0] = 0
// EXPECT: for k in range(4): P[k] = 0; P[k, :48, :60] = A[:, 128*k:128*k+128] @ B[128*k:128*k+128]
func.func @split(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %P: memref<4x64x64xf32>, %C: memref<?x?xf32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %z = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x32xf16, #shared>
    %Bs = tile.alloc : memref<32x64xf16, #shared>
    %acc = tile.alloc : memref<64x64xf32, #fragment>
    %x = tile.alloc : memref<64x64xf32, #fragment>
    %ticket = tile.alloc : memref<1xi32, #shared>
    tile.fill %acc, %z : memref<64x64xf32, #fragment>, f32
    %first = arith.muli %bx, %c128 : index
    scf.for %kk = %c0 to %c128 step %c32 {
      %k = arith.addi %first, %kk : index
      %a = tile.region %A[0, %k] [64, 32] : memref<?x?xf16>
      %b = tile.region %B[%k, 0] [32, 64] : memref<?x?xf16>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #shared>
      tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #shared>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #shared>, memref<32x64xf16, #shared>, memref<64x64xf32, #fragment>)
    } {tile.num_stages = 3 : i32}
    %p = tile.region %P[%bx, 0, 0] [1, 64, 64] drop [0] : memref<4x64x64xf32>
    tile.copy %acc to %p : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
    tile.atomic add %one to %n old %ticket {order = #acq_rel} : i32, memref<1xi32>, memref<1xi32, #shared>
    %t = memref.load %ticket[%c0] : memref<1xi32, #shared>
    %last = arith.cmpi eq, %t, %three : i32
    scf.if %last {
      tile.fill %acc, %z : memref<64x64xf32, #fragment>, f32
      scf.for %k = %c0 to %c4 step %c1 {
        %q = tile.region %P[%k, 0, 0] [1, 64, 64] drop [0] : memref<4x64x64xf32>
        tile.copy %q to %x : !tile.region<64x64xf32>, memref<64x64xf32, #fragment>
        tile.parallel (%i, %j) in [64, 64] {
          %v = memref.load %x[%i, %j] : memref<64x64xf32, #fragment>
          %w = memref.load %acc[%i, %j] : memref<64x64xf32, #fragment>
          %y = arith.addf %v, %w : f32
          memref.store %y, %acc[%i, %j] : memref<64x64xf32, #fragment>
        }
      }
      %c = tile.region %C[0, 0] [64, 64] : memref<?x?xf32>
      tile.copy %acc to %c : memref<64x64xf32, #fragment>, !tile.region<64x64xf32>
      tile.atomic exchange %zero to %n : i32, memref<1xi32>
    }
    gpu.terminator
  }
  return
}

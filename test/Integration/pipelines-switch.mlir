// Pipelined products around scf.index_switch and scf.execute_region: what a product
// reads and writes is left alone until it has been carried out, whichever case runs.
// Loops of roles whose bounds are divided by numbers of run time, or are unsigned.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t --seeds=3
// RUN: sed 's/^  *threads(.*{$/&\n    tile.kernel_config {specialize = #tile.specialize<off>}/' %s > %t.one-role.mlir
// RUN: %python %S/Inputs/run-kernel.py %t.one-role.mlir --target=sm_90a --out=%t --seeds=3

#smem = #gpu.address_space<workgroup>
!A = memref<64x32xbf16, #smem>
!B = memref<32x64xbf16, #smem>
!C = memref<64x64xf32, #tile.fragment>
!a = !tile.region<64x32xbf16>
!b = !tile.region<32x64xbf16>
!c = !tile.region<64x64xf32>
!In = memref<?x?xbf16>
!Out = memref<?x64x64xf32>

// After each product, and work that it goes on beside, one of: the sum is stored and cleared, the left factor is
// overwritten, another product, nothing.
// CASE: cases(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:7x64x64:f32, n=0)
// CASE: cases(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:7x64x64:f32, n=1)
// CASE: cases(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:7x64x64:f32, n=5)
// EXPECT: acc, left = np.zeros((64, 64)), np.ones((64, 32))
// EXPECT: for k in range(n):
// EXPECT:   x, y = X[:, 32*k:32*k+32], Y[32*k:32*k+32]
// EXPECT:   acc = acc + x @ y + left @ y
// EXPECT:   if k % 4 == 0: Z[k] = acc; acc = np.zeros((64, 64))
// EXPECT:   if k % 4 == 1: left = x
// EXPECT:   if k % 4 == 2: acc = acc + x @ y
// EXPECT: Z[5] = acc
// EXPECT: Z[6] = n
func.func @cases(%X: !In, %Y: !In, %Z: !Out, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %step = arith.constant 1.0 : f32
  %one = arith.constant 1.0 : bf16
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %left = tile.alloc : !A
    %acc = tile.alloc : !C
    %rounds = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    tile.fill %rounds, %zero : !C, f32
    tile.fill %left, %one : !A, bf16
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c32 : index
      %x = tile.region %X[0, %k] [64, 32] : !In
      %y = tile.region %Y[%k, 0] [32, 64] : !In
      tile.copy %x to %As : !a, !A
      tile.copy %y to %Bs : !b, !B
      tile.gemm %As, %Bs, %acc : (!A, !B, !C)
      tile.gemm %left, %Bs, %acc : (!A, !B, !C)
      tile.parallel (%p, %q) in [64, 64] {
        %e = memref.load %rounds[%p, %q] : !C
        %f = arith.addf %e, %step : f32
        memref.store %f, %rounds[%p, %q] : !C
      }
      %case = arith.remui %i, %c4 : index
      scf.index_switch %case
      case 0 {
        %z = tile.region %Z[%i, 0, 0] [1, 64, 64] drop [0] : !Out
        tile.copy %acc to %z : !C, !c
        tile.fill %acc, %zero : !C, f32
        scf.yield
      }
      case 1 {
        tile.copy %As to %left : !A, !A
        scf.yield
      }
      case 2 {
        tile.gemm %As, %Bs, %acc : (!A, !B, !C)
        scf.yield
      }
      default {
      }
    } {tile.num_stages = 3 : i32}
    %z = tile.region %Z[5, 0, 0] [1, 64, 64] drop [0] : !Out
    tile.copy %acc to %z : !C, !c
    %z6 = tile.region %Z[6, 0, 0] [1, 64, 64] drop [0] : !Out
    tile.copy %rounds to %z6 : !C, !c
    gpu.terminator
  }
  return
}

// A region that runs once: the product in it is awaited after it.
// CASE: region(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=5)
// EXPECT: Z[0] = sum((2 ** (n - k) * X[:, 32*k:32*k+32] @ Y[32*k:32*k+32] for k in range(n)))
func.func @region(%X: !In, %Y: !In, %Z: !Out, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    %other = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %i = %c0 to %n step %c1 {
      %x = scf.execute_region -> index {
        %k = arith.muli %i, %c32 : index
        scf.yield %k : index
      }
      %a = tile.region %X[0, %x] [64, 32] : !In
      %b = tile.region %Y[%x, 0] [32, 64] : !In
      tile.copy %a to %As : !a, !A
      tile.copy %b to %Bs : !b, !B
      scf.execute_region {
        tile.gemm %As, %Bs, %acc : (!A, !B, !C)
        scf.yield
      }
      tile.fill %other, %zero : !C, f32
      tile.parallel (%p, %q) in [64, 64] {
        %e = memref.load %acc[%p, %q] : !C
        %g = memref.load %other[%p, %q] : !C
        %h = arith.addf %e, %g : f32
        %f = arith.addf %e, %h : f32
        memref.store %f, %acc[%p, %q] : !C
      }
    } {tile.num_stages = 3 : i32}
    %z = tile.region %Z[0, 0, 0] [1, 64, 64] drop [0] : !Out
    tile.copy %acc to %z : !C, !c
    gpu.terminator
  }
  return
}

// Each block takes every second tile; how far its sum goes stands in a table, in
// which its place is a quotient.
// CASE: divided(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:7x64x64:f32, T=count:4:i32, d=2)
// CASE: divided(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:7x64x64:f32, T=ones:4:i32, d=3)
// EXPECT: for t in range(7):
// EXPECT:   Z[t] = X[:, :32*T[t//d]] @ Y[:32*T[t//d]]
func.func @divided(%X: !In, %Y: !In, %Z: !Out, %T: memref<?xi32>, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    scf.for %t = %bx to %c7 step %c2 {
      tile.fill %acc, %zero : !C, f32
      %q = arith.divui %t, %d : index
      %end = memref.load %T[%q] : memref<?xi32>
      %stop = arith.index_cast %end : i32 to index
      scf.for %i = %c0 to %stop step %c1 {
        %k = arith.muli %i, %c32 : index
        %x = tile.region %X[0, %k] [64, 32] : !In
        %y = tile.region %Y[%k, 0] [32, 64] : !In
        tile.copy %x to %As : !a, !A
        tile.copy %y to %Bs : !b, !B
        tile.gemm %As, %Bs, %acc : (!A, !B, !C)
      } {tile.num_stages = 2 : i32}
      %z = tile.region %Z[%t, 0, 0] [1, 64, 64] drop [0] : !Out
      tile.copy %acc to %z : !C, !c
    }
    gpu.terminator
  }
  return
}

// CASE: unsigned(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, lo=0, hi=0)
// CASE: unsigned(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, lo=1, hi=5)
// CASE: unsigned(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, lo=-1, hi=5)
// EXPECT: Z[0] = 0 if lo < 0 else X[:, 32*lo:32*hi] @ Y[32*lo:32*hi]
func.func @unsigned(%X: !In, %Y: !In, %Z: !Out, %lo: i32, %hi: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for unsigned %i = %lo to %hi step %one : i32 {
      %j = arith.index_castui %i : i32 to index
      %k = arith.muli %j, %c32 : index
      %x = tile.region %X[0, %k] [64, 32] : !In
      %y = tile.region %Y[%k, 0] [32, 64] : !In
      tile.copy %x to %As : !a, !A
      tile.copy %y to %Bs : !b, !B
      tile.gemm %As, %Bs, %acc : (!A, !B, !C)
    } {tile.num_stages = 3 : i32}
    %z = tile.region %Z[0, 0, 0] [1, 64, 64] drop [0] : !Out
    tile.copy %acc to %z : !C, !c
    gpu.terminator
  }
  return
}

// The left factor comes from one of three places; each copy is made by the producer.
// CASE: chosen(X=ints:64x160:bf16, W=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=0)
// CASE: chosen(X=ints:64x160:bf16, W=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=1)
// CASE: chosen(X=ints:64x160:bf16, W=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=5)
// CASE: chosen(X=ints:64x149:bf16, W=ints:64x155:bf16, Y=ints:131x64:bf16, Z=junk:1x64x64:f32, n=5)
// EXPECT: Z[0] = 0
// EXPECT: for k in range(n):
// EXPECT:   x = (W[:, 32*k:32*k+32], X[:, 32*k:32*k+32], X[:, :32])[k % 3]
// EXPECT:   y = Y[32*k:32*k+32]
// EXPECT:   m = min(x.shape[1], y.shape[0])
// EXPECT:   Z[0] += x[:, :m] @ y[:m]
func.func @chosen(%X: !In, %W: !In, %Y: !In, %Z: !Out, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    scf.for %i = %c0 to %n step %c1 {
      %k = arith.muli %i, %c32 : index
      %case = arith.remui %i, %c3 : index
      scf.index_switch %case
      case 0 {
        %w = tile.region %W[0, %k] [64, 32] : !In
        tile.copy %w to %As : !a, !A
        scf.yield
      }
      case 1 {
        %x = tile.region %X[0, %k] [64, 32] : !In
        tile.copy %x to %As : !a, !A
        scf.yield
      }
      default {
        %x = tile.region %X[0, 0] [64, 32] : !In
        tile.copy %x to %As : !a, !A
      }
      %y = tile.region %Y[%k, 0] [32, 64] : !In
      tile.copy %y to %Bs : !b, !B
      tile.gemm %As, %Bs, %acc : (!A, !B, !C)
    } {tile.num_stages = 3 : i32}
    %z = tile.region %Z[0, 0, 0] [1, 64, 64] drop [0] : !Out
    tile.copy %acc to %z : !C, !c
    gpu.terminator
  }
  return
}

// Which loop runs is decided outside; another number of rounds each.
// CASE: around(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=5, which=4)
// CASE: around(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=5, which=1)
// CASE: around(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=5, which=0)
// CASE: around(X=ints:64x160:bf16, Y=ints:160x64:bf16, Z=junk:1x64x64:f32, n=0, which=4)
// EXPECT: m = {4: int(n), 1: 2}.get(int(which), 0)
// EXPECT: Z[0] = (1 + (which == 1)) * (X[:, :32*m] @ Y[:32*m]) - (m == 0)
func.func @around(%X: !In, %Y: !In, %Z: !Out, %n: index, %which: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -1.0 : f32
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : !A
    %Bs = tile.alloc : !B
    %acc = tile.alloc : !C
    tile.fill %acc, %zero : !C, f32
    %factor, %first = scf.index_switch %which -> f32, index
    case 4 {
      scf.for %i = %c0 to %n step %c1 {
        %k = arith.muli %i, %c32 : index
        %x = tile.region %X[0, %k] [64, 32] : !In
        %y = tile.region %Y[%k, 0] [32, 64] : !In
        tile.copy %x to %As : !a, !A
        tile.copy %y to %Bs : !b, !B
        tile.gemm %As, %Bs, %acc : (!A, !B, !C)
      } {tile.num_stages = 3 : i32}
      scf.yield %one, %n : f32, index
    }
    case 1 {
      scf.for %i = %c0 to %c2 step %c1 {
        %k = arith.muli %i, %c32 : index
        %x = tile.region %X[0, %k] [64, 32] : !In
        %y = tile.region %Y[%k, 0] [32, 64] : !In
        tile.copy %x to %As : !a, !A
        tile.copy %y to %Bs : !b, !B
        tile.gemm %As, %Bs, %acc : (!A, !B, !C)
      } {tile.num_stages = 2 : i32}
      scf.yield %two, %c2 : f32, index
    }
    default {
      scf.yield %one, %c0 : f32, index
    }
    %is_empty = arith.cmpi eq, %first, %c0 : index
    %extra = arith.select %is_empty, %minus, %zero : f32
    tile.parallel (%p, %q) in [64, 64] {
      %e = memref.load %acc[%p, %q] : !C
      %f = arith.mulf %e, %factor : f32
      %g = arith.addf %f, %extra : f32
      memref.store %g, %acc[%p, %q] : !C
    }
    %z = tile.region %Z[0, 0, 0] [1, 64, 64] drop [0] : !Out
    tile.copy %acc to %z : !C, !c
    gpu.terminator
  }
  return
}

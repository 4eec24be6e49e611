// memref.atomic_rmw in element loops: one update for each element, at indices
// that only the data know; the value before.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// A histogram: counters in shared memory, then one update of each in the tensor.
// CASE: histogram(X=wide:1000:i8, H=zeros:256:i32)
// CASE: histogram(X=wide:77:i8, H=ones:256:i32)
// CASE: histogram(X=zeros:1:i8, H=zeros:256:i32)
// EXPECT: H = H + np.bincount(X.astype(np.int64) & 255, minlength=256).astype(np.int32)
func.func @histogram(%X: memref<?xi8>, %H: memref<256xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %n = memref.dim %X, %c0 : memref<?xi8>
  %gx = arith.ceildivui %n, %c100 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<256xi32, #shared>
    tile.fill %S, %zero : memref<256xi32, #shared>, i32
    %first = arith.muli %bx, %c100 : index
    tile.parallel (%i) in [100] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %byte = memref.load %X[%k] : memref<?xi8>
        %bin = arith.extui %byte : i8 to i32
        %at = arith.index_cast %bin : i32 to index
        memref.atomic_rmw addi %one, %S[%at] : (i32, memref<256xi32, #shared>) -> i32
      }
    }
    tile.atomic add %S to %H : memref<256xi32, #shared>, memref<256xi32>
    gpu.terminator
  }
  return
}

// The value before is a ticket: no two elements get the same, and all are taken.
// Counters of every type, in shared memory and in the tensor.

// CASE: tickets_i32(X=ints:150:i32, N=zeros:1:i32, G=zeros:160:i32, L=zeros:160:i32)
// CASE: tickets_i32(X=ints:9:i32, N=zeros:1:i32, G=zeros:160:i32, L=zeros:160:i32)
// EXPECT: n = int((X > 0).sum()); N[0] = n; G = (np.arange(160) < n).astype(np.int32)
// EXPECT: L = sum((np.arange(160) < int((X[b:b + 64] > 0).sum())).astype(np.int32) for b in range(0, X.size, 64))
func.func @tickets_i32(%X: memref<?xi32>, %N: memref<1xi32>, %G: memref<160xi32>, %L: memref<160xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %none = arith.constant 0 : i32
  %mark = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = memref.dim %X, %c0 : memref<?xi32>
  %gx = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1xi32, #shared>
    tile.fill %S, %zero : memref<1xi32, #shared>, i32
    %first = arith.muli %bx, %c64 : index
    tile.parallel (%i) in [64] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<?xi32>
        %take = arith.cmpi sgt, %x, %none : i32
        scf.if %take {
          %g = memref.atomic_rmw addi %one, %N[%c0] : (i32, memref<1xi32>) -> i32
          %place = arith.index_cast %g : i32 to index
          memref.atomic_rmw addi %mark, %G[%place] : (i32, memref<160xi32>) -> i32
          %l = memref.atomic_rmw addi %one, %S[%c0] : (i32, memref<1xi32, #shared>) -> i32
          %local = arith.index_cast %l : i32 to index
          memref.atomic_rmw addi %mark, %L[%local] : (i32, memref<160xi32>) -> i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// CASE: tickets_i64(X=ints:150:i32, N=zeros:1:i64, G=zeros:160:i32, L=zeros:160:i32)
// CASE: tickets_i64(X=ints:9:i32, N=zeros:1:i64, G=zeros:160:i32, L=zeros:160:i32)
// EXPECT: n = int((X > 0).sum()); N[0] = n; G = (np.arange(160) < n).astype(np.int32)
// EXPECT: L = sum((np.arange(160) < int((X[b:b + 64] > 0).sum())).astype(np.int32) for b in range(0, X.size, 64))
func.func @tickets_i64(%X: memref<?xi32>, %N: memref<1xi64>, %G: memref<160xi32>, %L: memref<160xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %none = arith.constant 0 : i32
  %mark = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = memref.dim %X, %c0 : memref<?xi32>
  %gx = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1xi64, #shared>
    tile.fill %S, %zero : memref<1xi64, #shared>, i64
    %first = arith.muli %bx, %c64 : index
    tile.parallel (%i) in [64] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<?xi32>
        %take = arith.cmpi sgt, %x, %none : i32
        scf.if %take {
          %g = memref.atomic_rmw addi %one, %N[%c0] : (i64, memref<1xi64>) -> i64
          %place = arith.index_cast %g : i64 to index
          memref.atomic_rmw addi %mark, %G[%place] : (i32, memref<160xi32>) -> i32
          %l = memref.atomic_rmw addi %one, %S[%c0] : (i64, memref<1xi64, #shared>) -> i64
          %local = arith.index_cast %l : i64 to index
          memref.atomic_rmw addi %mark, %L[%local] : (i32, memref<160xi32>) -> i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// CASE: tickets_f16(X=ints:150:i32, N=zeros:1:f16, G=zeros:160:i32, L=zeros:160:i32)
// CASE: tickets_f16(X=ints:9:i32, N=zeros:1:f16, G=zeros:160:i32, L=zeros:160:i32)
// EXPECT: n = int((X > 0).sum()); N[0] = n; G = (np.arange(160) < n).astype(np.int32)
// EXPECT: L = sum((np.arange(160) < int((X[b:b + 64] > 0).sum())).astype(np.int32) for b in range(0, X.size, 64))
func.func @tickets_f16(%X: memref<?xi32>, %N: memref<1xf16>, %G: memref<160xi32>, %L: memref<160xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %none = arith.constant 0 : i32
  %mark = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f16
  %one = arith.constant 1.0 : f16
  %n = memref.dim %X, %c0 : memref<?xi32>
  %gx = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1xf16, #shared>
    tile.fill %S, %zero : memref<1xf16, #shared>, f16
    %first = arith.muli %bx, %c64 : index
    tile.parallel (%i) in [64] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<?xi32>
        %take = arith.cmpi sgt, %x, %none : i32
        scf.if %take {
          %g = memref.atomic_rmw addf %one, %N[%c0] : (f16, memref<1xf16>) -> f16
          %placei = arith.fptosi %g : f16 to i32
          %place = arith.index_cast %placei : i32 to index
          memref.atomic_rmw addi %mark, %G[%place] : (i32, memref<160xi32>) -> i32
          %l = memref.atomic_rmw addf %one, %S[%c0] : (f16, memref<1xf16, #shared>) -> f16
          %locali = arith.fptosi %l : f16 to i32
          %local = arith.index_cast %locali : i32 to index
          memref.atomic_rmw addi %mark, %L[%local] : (i32, memref<160xi32>) -> i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// CASE: tickets_bf16(X=ints:150:i32, N=zeros:1:bf16, G=zeros:160:i32, L=zeros:160:i32)
// CASE: tickets_bf16(X=ints:9:i32, N=zeros:1:bf16, G=zeros:160:i32, L=zeros:160:i32)
// EXPECT: n = int((X > 0).sum()); N[0] = n; G = (np.arange(160) < n).astype(np.int32)
// EXPECT: L = sum((np.arange(160) < int((X[b:b + 64] > 0).sum())).astype(np.int32) for b in range(0, X.size, 64))
func.func @tickets_bf16(%X: memref<?xi32>, %N: memref<1xbf16>, %G: memref<160xi32>, %L: memref<160xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %none = arith.constant 0 : i32
  %mark = arith.constant 1 : i32
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %n = memref.dim %X, %c0 : memref<?xi32>
  %gx = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1xbf16, #shared>
    tile.fill %S, %zero : memref<1xbf16, #shared>, bf16
    %first = arith.muli %bx, %c64 : index
    tile.parallel (%i) in [64] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<?xi32>
        %take = arith.cmpi sgt, %x, %none : i32
        scf.if %take {
          %g = memref.atomic_rmw addf %one, %N[%c0] : (bf16, memref<1xbf16>) -> bf16
          %placei = arith.fptosi %g : bf16 to i32
          %place = arith.index_cast %placei : i32 to index
          memref.atomic_rmw addi %mark, %G[%place] : (i32, memref<160xi32>) -> i32
          %l = memref.atomic_rmw addf %one, %S[%c0] : (bf16, memref<1xbf16, #shared>) -> bf16
          %locali = arith.fptosi %l : bf16 to i32
          %local = arith.index_cast %locali : i32 to index
          memref.atomic_rmw addi %mark, %L[%local] : (i32, memref<160xi32>) -> i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// CASE: tickets_f32(X=ints:150:i32, N=zeros:1:f32, G=zeros:160:i32, L=zeros:160:i32)
// CASE: tickets_f32(X=ints:9:i32, N=zeros:1:f32, G=zeros:160:i32, L=zeros:160:i32)
// EXPECT: n = int((X > 0).sum()); N[0] = n; G = (np.arange(160) < n).astype(np.int32)
// EXPECT: L = sum((np.arange(160) < int((X[b:b + 64] > 0).sum())).astype(np.int32) for b in range(0, X.size, 64))
func.func @tickets_f32(%X: memref<?xi32>, %N: memref<1xf32>, %G: memref<160xi32>, %L: memref<160xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %none = arith.constant 0 : i32
  %mark = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = memref.dim %X, %c0 : memref<?xi32>
  %gx = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1xf32, #shared>
    tile.fill %S, %zero : memref<1xf32, #shared>, f32
    %first = arith.muli %bx, %c64 : index
    tile.parallel (%i) in [64] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<?xi32>
        %take = arith.cmpi sgt, %x, %none : i32
        scf.if %take {
          %g = memref.atomic_rmw addf %one, %N[%c0] : (f32, memref<1xf32>) -> f32
          %placei = arith.fptosi %g : f32 to i32
          %place = arith.index_cast %placei : i32 to index
          memref.atomic_rmw addi %mark, %G[%place] : (i32, memref<160xi32>) -> i32
          %l = memref.atomic_rmw addf %one, %S[%c0] : (f32, memref<1xf32, #shared>) -> f32
          %locali = arith.fptosi %l : f32 to i32
          %local = arith.index_cast %locali : i32 to index
          memref.atomic_rmw addi %mark, %L[%local] : (i32, memref<160xi32>) -> i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// CASE: tickets_f64(X=ints:150:i32, N=zeros:1:f64, G=zeros:160:i32, L=zeros:160:i32)
// CASE: tickets_f64(X=ints:9:i32, N=zeros:1:f64, G=zeros:160:i32, L=zeros:160:i32)
// EXPECT: n = int((X > 0).sum()); N[0] = n; G = (np.arange(160) < n).astype(np.int32)
// EXPECT: L = sum((np.arange(160) < int((X[b:b + 64] > 0).sum())).astype(np.int32) for b in range(0, X.size, 64))
func.func @tickets_f64(%X: memref<?xi32>, %N: memref<1xf64>, %G: memref<160xi32>, %L: memref<160xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %none = arith.constant 0 : i32
  %mark = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = memref.dim %X, %c0 : memref<?xi32>
  %gx = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<1xf64, #shared>
    tile.fill %S, %zero : memref<1xf64, #shared>, f64
    %first = arith.muli %bx, %c64 : index
    tile.parallel (%i) in [64] {
      %k = arith.addi %first, %i : index
      %inside = arith.cmpi ult, %k, %n : index
      scf.if %inside {
        %x = memref.load %X[%k] : memref<?xi32>
        %take = arith.cmpi sgt, %x, %none : i32
        scf.if %take {
          %g = memref.atomic_rmw addf %one, %N[%c0] : (f64, memref<1xf64>) -> f64
          %placei = arith.fptosi %g : f64 to i32
          %place = arith.index_cast %placei : i32 to index
          memref.atomic_rmw addi %mark, %G[%place] : (i32, memref<160xi32>) -> i32
          %l = memref.atomic_rmw addf %one, %S[%c0] : (f64, memref<1xf64, #shared>) -> f64
          %locali = arith.fptosi %l : f64 to i32
          %local = arith.index_cast %locali : i32 to index
          memref.atomic_rmw addi %mark, %L[%local] : (i32, memref<160xi32>) -> i32
        }
      }
    }
    gpu.terminator
  }
  return
}

// Every kind, unsigned ones too; columns of a fragment; a fragment that several
// threads hold a copy of, each element once.
// CASE: kinds(F=ints:24x40:f32, I=wide:24x40:i32, S=zeros:40:f32, H=zeros:40:f32, B=zeros:40:f32, R=zeros:24:i32, K=zeros:6:i32)
// EXPECT: S = F.sum(axis=0).astype(np.float32); H = np.maximum(F.max(axis=0), 0); B = np.minimum(F.min(axis=0), 0)
// EXPECT: R[:] = 1; u = I.astype(np.int32).view(np.uint32)
// EXPECT: K = np.array([max(int(I.max()), 0), int(u.max()), min(int(I.min()), 0), 0, np.bitwise_or.reduce(u, axis=None), np.bitwise_xor.reduce(u, axis=None)]).astype(np.uint32).view(np.int32)
func.func @kinds(%F: memref<24x40xf32>, %I: memref<24x40xi32>, %S: memref<40xf32>, %H: memref<40xf32>, %B: memref<40xf32>, %R: memref<24xi32>, %K: memref<6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c96 = arith.constant 96 : index
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %f = tile.alloc : memref<24x40xf32, #fragment>
    %row = tile.alloc : memref<24xf32, #fragment>
    %w = tile.region %F[0, 0] [24, 40] : memref<24x40xf32>
    tile.copy %w to %f : !tile.region<24x40xf32>, memref<24x40xf32, #fragment>
    tile.reduce sum %f to %row dim 1 {clear} : memref<24x40xf32, #fragment>, memref<24xf32, #fragment>
    tile.parallel (%i, %j) in [24, 40] {
      %v = memref.load %f[%i, %j] : memref<24x40xf32, #fragment>
      %x = memref.load %I[%i, %j] : memref<24x40xi32>
      memref.atomic_rmw addf %v, %S[%j] : (f32, memref<40xf32>) -> f32
      memref.atomic_rmw maximumf %v, %H[%j] : (f32, memref<40xf32>) -> f32
      memref.atomic_rmw minimumf %v, %B[%j] : (f32, memref<40xf32>) -> f32
      memref.atomic_rmw maxs %x, %K[%c0] : (i32, memref<6xi32>) -> i32
      memref.atomic_rmw maxu %x, %K[%c1] : (i32, memref<6xi32>) -> i32
      memref.atomic_rmw mins %x, %K[%c2] : (i32, memref<6xi32>) -> i32
      memref.atomic_rmw minu %x, %K[%c3] : (i32, memref<6xi32>) -> i32
      memref.atomic_rmw ori %x, %K[%c4] : (i32, memref<6xi32>) -> i32
      memref.atomic_rmw xori %x, %K[%c5] : (i32, memref<6xi32>) -> i32
    }
    tile.parallel (%i) in [24] {
      %v = memref.load %row[%i] : memref<24xf32, #fragment>
      %n = arith.fptosi %v : f32 to i32
      %same = arith.subi %n, %n : i32
      %u = arith.addi %same, %one : i32
      memref.atomic_rmw addi %u, %R[%i] : (i32, memref<24xi32>) -> i32
    }
    gpu.terminator
  }
  return
}

// Fewer elements than threads, and the values before go to a fragment: one thread
// updates for each element, all get what it found. The order is free, so the tickets
// are compared sorted.
// CASE: numbered(A=ints:20:i32, C=zeros:5:i32, T=junk:20:i32, S=junk:20:i32)
// EXPECT: C = np.array([(A + 2 == k).sum() for k in range(5)]); T = A; S = np.sort(np.concatenate([np.arange((A + 2 == k).sum()) for k in range(5)]))
func.func @numbered(%A: memref<20xi32>, %C: memref<5xi32>, %T: memref<20xi32>, %S: memref<20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c256 = arith.constant 256 : index
  %two = arith.constant 2 : i32
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %a = tile.alloc : memref<20xi32, #tile.fragment>
    %t = tile.alloc : memref<20xi32, #tile.fragment>
    %s = tile.alloc : memref<20xi32, #gpu.address_space<workgroup>>
    tile.copy %A to %a : memref<20xi32>, memref<20xi32, #tile.fragment>
    tile.parallel (%i) in [20] {
      %x = memref.load %a[%i] : memref<20xi32, #tile.fragment>
      %y = arith.addi %x, %two : i32
      %k = arith.index_cast %y : i32 to index
      %old = memref.atomic_rmw addi %one, %C[%k] : (i32, memref<5xi32>) -> i32
      memref.store %old, %t[%i] : memref<20xi32, #tile.fragment>
    }
    tile.copy %a to %T : memref<20xi32, #tile.fragment>, memref<20xi32>
    tile.copy %t to %s : memref<20xi32, #tile.fragment>, memref<20xi32, #gpu.address_space<workgroup>>
    tile.parallel (%i) in [20] {
      %v = memref.load %s[%i] : memref<20xi32, #gpu.address_space<workgroup>>
      %r = scf.for %j = %c0 to %c20 step %c1 iter_args(%acc = %c0) -> (index) {
        %w = memref.load %s[%j] : memref<20xi32, #gpu.address_space<workgroup>>
        %lt = arith.cmpi slt, %w, %v : i32
        %eq = arith.cmpi eq, %w, %v : i32
        %before = arith.cmpi ult, %j, %i : index
        %tie = arith.andi %eq, %before : i1
        %b = arith.ori %lt, %tie : i1
        %n = arith.addi %acc, %c1 : index
        %next = arith.select %b, %n, %acc : index
        scf.yield %next : index
      }
      %in = arith.cmpi ult, %r, %c20 : index
      scf.if %in {
        memref.store %v, %S[%r] : memref<20xi32>
      }
    }
    gpu.terminator
  }
  return
}

// Products inside branches and loops: copies and barriers must match on every path.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

// Block-sparse: a mask in memory says which blocks count, and where the sum starts
// anew; scalars bound the loop.
// CASE: sparse(A=ints:128x256:bf16, B=ints:256x64:bf16, K=ints:2x4:i32, C=junk:128x64:f32, lo=0, hi=256)
// CASE: sparse(A=ints:128x256:bf16, B=ints:256x64:bf16, K=zeros:2x4:i32, C=junk:128x64:f32, lo=0, hi=256)
// CASE: sparse(A=ints:128x256:bf16, B=ints:256x64:bf16, K=ones:2x4:i32, C=junk:128x64:f32, lo=64, hi=192)
// CASE: sparse(A=ints:121x251:bf16, B=ints:251x60:bf16, K=ones:2x4:i32, C=junk:121x60:f32, lo=0, hi=251)
// EXPECT: P = np.zeros((128, 256)); P[:A.shape[0], :A.shape[1]] = A
// EXPECT: Q = np.zeros((256, 64)); Q[:B.shape[0], :B.shape[1]] = B
// EXPECT: R = np.zeros((128, 64))
// EXPECT: for i in range(2):
// EXPECT:   for k in range(lo // 64, -(-hi // 64)):
// EXPECT:     if K[i, k] > 0: R[64*i:64*i+64] += P[64*i:64*i+64, 64*k:64*k+64] @ Q[64*k:64*k+64]
// EXPECT:     if K[i, k] < 0: R[64*i:64*i+64] = P[64*i:64*i+64, 64*k:64*k+64] @ Q[64*k:64*k+64]
// EXPECT: C = R[:C.shape[0], :C.shape[1]]
func.func @sparse(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %K: memref<?x?xi32>, %C: memref<?x?xf32>, %lo: index, %hi: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  %gy = arith.ceildivui %m, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    %row = arith.muli %by, %c64 : index
    scf.for %k = %lo to %hi step %c64 {
      %kb = arith.divui %k, %c64 : index
      %v = memref.load %K[%by, %kb] : memref<?x?xi32>
      %p = arith.cmpi ne, %v, %i0 : i32
      scf.if %p {
        %q = arith.cmpi slt, %v, %i0 : i32
        %a = tile.region %A[%row, %k] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
        %b = tile.region %B[%k, 0] [64, 64] : memref<?x?xbf16>
        tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
        tile.gemm %As, %Bs, %acc clear %q : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      }
    }
    %c = tile.region %C[%row, 0] [64, 64] : memref<?x?xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// A few blocks walk over all tiles; the accumulator is filled anew for each.
// CASE: persistent(A=ints:200x72:bf16, B=ints:72x136:bf16, C=junk:200x136:f32)
// CASE: persistent(A=ints:200x65:bf16, B=ints:65x131:bf16, C=junk:200x131:f32)
// EXPECT: C = A @ B
func.func @persistent(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %C, %c0 : memref<?x?xf32>
  %N = memref.dim %C, %c1 : memref<?x?xf32>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  %sms = tile.num_sms
  %c5 = arith.constant 5 : index
  %few = arith.minui %sms, %c5 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %few, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    scf.for %t = %bx to %tiles step %sx {
      %i = arith.divui %t, %tn : index
      %j = arith.remui %t, %tn : index
      %m = arith.muli %i, %c64 : index
      %n = arith.muli %j, %c64 : index
      tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
      scf.for %k = %c0 to %K step %c64 {
        %a = tile.region %A[%m, %k] [64, 64] : memref<?x?xbf16>
        tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
        %b = tile.region %B[%k, %n] [64, 64] : memref<?x?xbf16>
        tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
        tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      }
      %c = tile.region %C[%m, %n] [64, 64] : memref<?x?xf32>
      tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    }
    gpu.terminator
  }
  return
}

// A while-loop around a product: as many steps as a counter in memory says.
// CASE: counted(A=ints:64x256:bf16, B=ints:256x64:bf16, N=ones:1:i32, C=junk:64x64:f32)
// CASE: counted(A=ints:64x256:bf16, B=ints:256x64:bf16, N=zeros:1:i32, C=junk:64x64:f32)
// EXPECT: n = 3 * N[0]; C = A[:, :64*n] @ B[:64*n]
func.func @counted(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %N: memref<1xi32>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x64xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    %last = scf.while (%i = %c0) : (index) -> index {
      %n = memref.load %N[%c0] : memref<1xi32>
      %n3 = arith.muli %n, %i3 : i32
      %x = arith.index_cast %n3 : i32 to index
      %more = arith.cmpi slt, %i, %x : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %k = arith.muli %i, %c64 : index
      %a = tile.region %A[0, %k] [64, 64] : memref<?x?xbf16>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      %b = tile.region %B[%k, 0] [64, 64] : memref<?x?xbf16>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}

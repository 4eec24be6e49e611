// Atomic updates that give the elements before: into fragments and shared tiles,
// from fragments, shared tiles and scalars, with ragged and misaligned windows.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Tickets: of the six blocks that add 1 to a cell each gets another number from
// 0 to 5, and marks it. Outside of the tensor the old element is 0.
// CASE: tickets(N=zeros:23x17:i32, M=zeros:23x17x6:i32, Z=junk:24x20:i32)
// EXPECT: N[:] = 6; M[:] = 1; Z[23:] = 0; Z[:, 17:] = 0
func.func @tickets(%N: memref<?x?xi32>, %M: memref<23x17x6xi32>, %Z: memref<24x20xi32>) {
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c17 = arith.constant 17 : index
  %c23 = arith.constant 23 : index
  %c96 = arith.constant 96 : index
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c6, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c96, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<24x20xi32, #fragment>
    %O = tile.alloc : memref<24x20xi32, #fragment>
    tile.fill %F, %one : memref<24x20xi32, #fragment>, i32
    %n = tile.region %N[0, 0] [24, 20] : memref<?x?xi32>
    tile.atomic add %F to %n old %O : memref<24x20xi32, #fragment>, !tile.region<24x20xi32>, memref<24x20xi32, #fragment>
    tile.parallel (%i, %j) in [24, 20] {
      %o = memref.load %O[%i, %j] : memref<24x20xi32, #fragment>
      %a = arith.cmpi ult, %i, %c23 : index
      %b = arith.cmpi ult, %j, %c17 : index
      %inside = arith.andi %a, %b : i1
      scf.if %inside {
        %t = arith.index_cast %o : i32 to index
        memref.atomic_rmw addi %one, %M[%i, %j, %t] : (i32, memref<23x17x6xi32>) -> i32
      } else {
        memref.atomic_rmw andi %o, %Z[%i, %j] : (i32, memref<24x20xi32>) -> i32
      }
    }
    gpu.terminator
  }
  return
}

// One block: what was there is known. Every element type, and all sources; a
// small fragment that many threads hold.
// CASE: values(A=wide:13x6:i8, B=wide:13x6:i8, C=wide:13x6:i16, D=ints:13x6:f16, E=ints:13x6:bf16, G=ints:13x6:f32, H=wide:13x6:i64, I=ints:5:f64, oB=junk:13x6:i8, oC=junk:13x6:i16, oD=junk:13x6:f16, oE=junk:13x6:bf16, oG=junk:13x6:f32, oH=junk:13x6:i64, oI=junk:5:f64)
// EXPECT: oB = B; oC = C; oD = D; oE = E; oG = G; oH = H; oI = I
// EXPECT: B = B + A; C = np.maximum(C, A.astype(np.int16))
// EXPECT: D = D + 3; E = np.minimum(E, 2); G = np.maximum(G, 1); H = H ^ A.astype(np.int64)
// EXPECT: I = I + 2
func.func @values(%A: memref<13x6xi8>, %B: memref<13x6xi8>, %C: memref<13x6xi16>, %D: memref<13x6xf16>, %E: memref<13x6xbf16>, %G: memref<13x6xf32>, %H: memref<13x6xi64>, %I: memref<5xf64>,
                  %oB: memref<13x6xi8>, %oC: memref<13x6xi16>, %oD: memref<13x6xf16>, %oE: memref<13x6xbf16>, %oG: memref<13x6xf32>, %oH: memref<13x6xi64>, %oI: memref<5xf64>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %three = arith.constant 3.0 : f16
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %F = tile.alloc : memref<13x6xi8, #fragment>
    %S = tile.alloc : memref<13x6xi8, #shared>
    tile.copy %A to %F : memref<13x6xi8>, memref<13x6xi8, #fragment>
    tile.copy %A to %S : memref<13x6xi8>, memref<13x6xi8, #shared>
    // In place.
    tile.atomic add %F to %B old %F : memref<13x6xi8, #fragment>, memref<13x6xi8>, memref<13x6xi8, #fragment>
    tile.copy %F to %oB : memref<13x6xi8, #fragment>, memref<13x6xi8>
    %f16 = tile.alloc : memref<13x6xi16, #fragment>
    tile.atomic max %S to %C old %f16 : memref<13x6xi8, #shared>, memref<13x6xi16>, memref<13x6xi16, #fragment>
    tile.copy %f16 to %oC : memref<13x6xi16, #fragment>, memref<13x6xi16>
    %fd = tile.alloc : memref<13x6xf16, #fragment>
    tile.atomic add %three to %D old %fd : f16, memref<13x6xf16>, memref<13x6xf16, #fragment>
    tile.copy %fd to %oD : memref<13x6xf16, #fragment>, memref<13x6xf16>
    %w = tile.alloc : memref<13x6xf32, #fragment>
    %se = tile.alloc : memref<13x6xbf16, #shared>
    tile.fill %w, %two : memref<13x6xf32, #fragment>, f32
    tile.atomic min %w to %E old %se : memref<13x6xf32, #fragment>, memref<13x6xbf16>, memref<13x6xbf16, #shared>
    tile.copy %se to %oE : memref<13x6xbf16, #shared>, memref<13x6xbf16>
    %sg = tile.alloc : memref<13x6xf32, #shared>
    tile.atomic max %one to %G old %sg : f32, memref<13x6xf32>, memref<13x6xf32, #shared>
    tile.copy %sg to %oG : memref<13x6xf32, #shared>, memref<13x6xf32>
    %sh = tile.alloc : memref<13x6xi64, #shared>
    tile.atomic xor %S to %H old %sh : memref<13x6xi8, #shared>, memref<13x6xi64>, memref<13x6xi64, #shared>
    tile.copy %sh to %oH : memref<13x6xi64, #shared>, memref<13x6xi64>
    %few = tile.alloc : memref<5xf32, #fragment>
    %old = tile.alloc : memref<5xf64, #fragment>
    tile.fill %few, %two : memref<5xf32, #fragment>, f32
    tile.atomic add %few to %I old %old : memref<5xf32, #fragment>, memref<5xf64>, memref<5xf64, #fragment>
    tile.copy %old to %oI : memref<5xf64, #fragment>, memref<5xf64>
    gpu.terminator
  }
  return
}

// A block draws rows, with tickets from a counter that all its threads read, until
// none is left.
// CASE: draw(X=ints:37x30:i32, Y=junk:37x30:i32, N=zeros:1:i32, S=zeros:1:i32)
// EXPECT: Y = 2 * X; N[0] = 37 + 4; S[0] = 37 * 38 // 2 + sum(range(38, 42))
func.func @draw(%X: memref<37x30xi32>, %Y: memref<37x30xi32>, %N: memref<1xi32>, %S: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %n = arith.constant 37 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %T = tile.alloc : memref<1xi32, #shared>
    %F = tile.alloc : memref<30xi32, #fragment>
    %true = arith.constant true
    scf.while (%go = %true) : (i1) -> () {
      scf.condition(%go)
    } do {
      tile.atomic add %one to %N old %T : i32, memref<1xi32>, memref<1xi32, #shared>
      %ticket = memref.load %T[%c0] : memref<1xi32, #shared>
      %next = arith.addi %ticket, %one : i32
      tile.atomic add %next to %S : i32, memref<1xi32>
      %more = arith.cmpi slt, %ticket, %n : i32
      scf.if %more {
        %row = arith.index_cast %ticket : i32 to index
        %x = tile.region %X[%row, 0] [1, 30] drop [0] : memref<37x30xi32>
        %y = tile.region %Y[%row, 0] [1, 30] drop [0] : memref<37x30xi32>
        tile.copy %x to %F : !tile.region<30xi32>, memref<30xi32, #fragment>
        tile.parallel (%i) in [30] {
          %v = memref.load %F[%i] : memref<30xi32, #fragment>
          %d = arith.addi %v, %v : i32
          memref.store %d, %F[%i] : memref<30xi32, #fragment>
        }
        tile.copy %F to %y : memref<30xi32, #fragment>, !tile.region<30xi32>
      }
      scf.yield %more : i1
    }
    gpu.terminator
  }
  return
}

// A product whose parts four blocks add up. Whatever their order, C^2 is the sum
// of new^2 - old^2 = p (2 old + p), of the part p that a block adds.
// CASE: split(A=ints:64x64:f16, B=ints:64x32:f16, C=zeros:60x29:f32, L=zeros:64x32:f32)
// EXPECT: a, b = A.astype(np.float32), B.astype(np.float32)
// EXPECT: C[:] = (a @ b)[:60, :29]
// EXPECT: L[:] = sum((a[:, k:k + 16] @ b[k:k + 16])**2 for k in range(0, 64, 16))
// EXPECT: L[:60, :29] = C**2
func.func @split(%A: memref<64x64xf16>, %B: memref<64x32xf16>, %C: memref<?x?xf32>, %L: memref<64x32xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x16xf16, #shared>
    %Bs = tile.alloc : memref<16x32xf16, #shared>
    %acc = tile.alloc : memref<64x32xf32, #fragment>
    %old = tile.alloc : memref<64x32xf32, #fragment>
    %k = arith.muli %bx, %c16 : index
    %a = tile.region %A[0, %k] [64, 16] : memref<64x64xf16>
    %b = tile.region %B[%k, 0] [16, 32] : memref<64x32xf16>
    tile.copy %a to %As : !tile.region<64x16xf16>, memref<64x16xf16, #shared>
    tile.copy %b to %Bs : !tile.region<16x32xf16>, memref<16x32xf16, #shared>
    tile.fill %acc, %zero : memref<64x32xf32, #fragment>, f32
    tile.gemm %As, %Bs, %acc : (memref<64x16xf16, #shared>, memref<16x32xf16, #shared>, memref<64x32xf32, #fragment>)
    %c = tile.region %C[0, 0] [64, 32] : memref<?x?xf32>
    tile.atomic add %acc to %c old %old : memref<64x32xf32, #fragment>, !tile.region<64x32xf32>, memref<64x32xf32, #fragment>
    tile.parallel (%i, %j) in [64, 32] {
      %o = memref.load %old[%i, %j] : memref<64x32xf32, #fragment>
      %p = memref.load %acc[%i, %j] : memref<64x32xf32, #fragment>
      %t = arith.addf %o, %o : f32
      %u = arith.addf %t, %p : f32
      %v = arith.mulf %p, %u : f32
      memref.store %v, %acc[%i, %j] : memref<64x32xf32, #fragment>
    }
    tile.atomic add %acc to %L : memref<64x32xf32, #fragment>, memref<64x32xf32>
    gpu.terminator
  }
  return
}

// A given layout may hold elements in several registers of a thread as well.
// CASE: repeated(A=ints:32:f32, B=ints:32:f32, C=ints:32:i32, D=junk:32:i32)
// EXPECT: B = B + A; D = C; C = C + 1
func.func @repeated(%A: memref<32xf32>, %B: memref<32xf32>, %C: memref<32xi32>, %D: memref<32xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %F = tile.alloc {layout = #tile.layout<"bases<reg=(0*2), lane=(d0:1*32), warp=() -> d0:32>">} : memref<32xf32, #fragment>
    %G = tile.alloc {layout = #tile.layout<"bases<reg=(0*2), lane=(d0:1*32), warp=() -> d0:32>">} : memref<32xi32, #fragment>
    %S = tile.alloc : memref<32xi32, #shared>
    tile.copy %A to %F : memref<32xf32>, memref<32xf32, #fragment>
    tile.atomic add %F to %B : memref<32xf32, #fragment>, memref<32xf32>
    tile.fill %G, %one : memref<32xi32, #fragment>, i32
    tile.atomic add %G to %C old %S : memref<32xi32, #fragment>, memref<32xi32>, memref<32xi32, #shared>
    tile.copy %S to %D : memref<32xi32, #shared>, memref<32xi32>
    gpu.terminator
  }
  return
}

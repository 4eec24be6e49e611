// RUN: tile-opt %s --tile-compile-pipeline=target=sm_80

// Copies that convert from and to tensors, shared tiles and registers; stores of every second row of a tile.
// CASE: e2m1(A=normal:50x70:f4E2M1FN, B=normal:50x70:f32, C=junk:50x70:f32, D=junk:50x70:f4E2M1FN, E=junk:50x70:f4E2M1FN)
// CASE: e2m1(A=normal:37x62:f4E2M1FN@140+4, B=normal:37x62:f32, C=junk:37x62:f32, D=junk:37x62:f4E2M1FN, E=junk:37x62:f4E2M1FN@140)
// EXPECT: C = A; D = B; h = A.copy(); h[::2] = round_to(A * 2, "f4E2M1FN")[::2]; E = h
func.func @e2m1(%A: memref<?x?xf4E2M1FN, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?xf4E2M1FN>, %E: memref<?x?xf4E2M1FN, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf4E2M1FN, strided<[?, 1], offset: ?>>
  %n = memref.dim %A, %c1 : memref<?x?xf4E2M1FN, strided<[?, 1], offset: ?>>
  %gm = arith.ceildivui %m, %c32 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32x64xf4E2M1FN, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %g = tile.alloc : memref<32x64xf4E2M1FN, #tile.fragment>
    %w = tile.alloc : memref<32x64xf32, #tile.fragment>
    %i0 = arith.muli %by, %c32 : index
    %j0 = arith.muli %bx, %c64 : index
    %a = tile.region %A[%i0, %j0] [32, 64] : memref<?x?xf4E2M1FN, strided<[?, 1], offset: ?>>
    %b = tile.region %B[%i0, %j0] [32, 64] : memref<?x?xf32>
    %c = tile.region %C[%i0, %j0] [32, 64] : memref<?x?xf32>
    %d = tile.region %D[%i0, %j0] [32, 64] : memref<?x?xf4E2M1FN>
    %e = tile.region %E[%i0, %j0] [32, 64] : memref<?x?xf4E2M1FN, strided<[?, 1], offset: ?>>
    tile.copy %a to %f : !tile.region<32x64xf4E2M1FN>, memref<32x64xf16, #tile.fragment>
    tile.copy %f to %c : memref<32x64xf16, #tile.fragment>, !tile.region<32x64xf32>
    tile.copy %b to %w : !tile.region<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.copy %w to %g : memref<32x64xf32, #tile.fragment>, memref<32x64xf4E2M1FN, #tile.fragment>
    tile.copy %g to %d : memref<32x64xf4E2M1FN, #tile.fragment>, !tile.region<32x64xf4E2M1FN>
    tile.copy %a to %s : !tile.region<32x64xf4E2M1FN>, memref<32x64xf4E2M1FN, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [32, 64] {
      %x = memref.load %s[%i, %j] : memref<32x64xf4E2M1FN, #gpu.address_space<workgroup>>
      %odd = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      scf.if %even {
        %y = arith.extf %x : f4E2M1FN to f32
        %z = arith.mulf %y, %two : f32
        %r = arith.truncf %z : f32 to f4E2M1FN
        memref.store %r, %s[%i, %j] : memref<32x64xf4E2M1FN, #gpu.address_space<workgroup>>
      }
    }
    tile.copy %s to %e : memref<32x64xf4E2M1FN, #gpu.address_space<workgroup>>, !tile.region<32x64xf4E2M1FN>
    gpu.terminator
  }
  return
}

// Copies that convert from and to tensors, shared tiles and registers; stores of every second row of a tile.
// CASE: e3m2(A=wide:50x68:f6E3M2FN, B=wide:50x68:f32, C=junk:50x68:f32, D=junk:50x68:f6E3M2FN, E=junk:50x68:f6E3M2FN)
// CASE: e3m2(A=wide:37x60:f6E3M2FN@136+4, B=wide:37x60:f32, C=junk:37x60:f32, D=junk:37x60:f6E3M2FN, E=junk:37x60:f6E3M2FN@136)
// EXPECT: C = A; D = B; h = A.copy(); h[::2] = round_to(A * 2, "f6E3M2FN")[::2]; E = h
func.func @e3m2(%A: memref<?x?xf6E3M2FN, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?xf6E3M2FN>, %E: memref<?x?xf6E3M2FN, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf6E3M2FN, strided<[?, 1], offset: ?>>
  %n = memref.dim %A, %c1 : memref<?x?xf6E3M2FN, strided<[?, 1], offset: ?>>
  %gm = arith.ceildivui %m, %c32 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32x64xf6E3M2FN, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %g = tile.alloc : memref<32x64xf6E3M2FN, #tile.fragment>
    %w = tile.alloc : memref<32x64xf32, #tile.fragment>
    %i0 = arith.muli %by, %c32 : index
    %j0 = arith.muli %bx, %c64 : index
    %a = tile.region %A[%i0, %j0] [32, 64] : memref<?x?xf6E3M2FN, strided<[?, 1], offset: ?>>
    %b = tile.region %B[%i0, %j0] [32, 64] : memref<?x?xf32>
    %c = tile.region %C[%i0, %j0] [32, 64] : memref<?x?xf32>
    %d = tile.region %D[%i0, %j0] [32, 64] : memref<?x?xf6E3M2FN>
    %e = tile.region %E[%i0, %j0] [32, 64] : memref<?x?xf6E3M2FN, strided<[?, 1], offset: ?>>
    tile.copy %a to %f : !tile.region<32x64xf6E3M2FN>, memref<32x64xf16, #tile.fragment>
    tile.copy %f to %c : memref<32x64xf16, #tile.fragment>, !tile.region<32x64xf32>
    tile.copy %b to %w : !tile.region<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.copy %w to %g : memref<32x64xf32, #tile.fragment>, memref<32x64xf6E3M2FN, #tile.fragment>
    tile.copy %g to %d : memref<32x64xf6E3M2FN, #tile.fragment>, !tile.region<32x64xf6E3M2FN>
    tile.copy %a to %s : !tile.region<32x64xf6E3M2FN>, memref<32x64xf6E3M2FN, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [32, 64] {
      %x = memref.load %s[%i, %j] : memref<32x64xf6E3M2FN, #gpu.address_space<workgroup>>
      %odd = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      scf.if %even {
        %y = arith.extf %x : f6E3M2FN to f32
        %z = arith.mulf %y, %two : f32
        %r = arith.truncf %z : f32 to f6E3M2FN
        memref.store %r, %s[%i, %j] : memref<32x64xf6E3M2FN, #gpu.address_space<workgroup>>
      }
    }
    tile.copy %s to %e : memref<32x64xf6E3M2FN, #gpu.address_space<workgroup>>, !tile.region<32x64xf6E3M2FN>
    gpu.terminator
  }
  return
}

// Copies that convert from and to tensors, shared tiles and registers; stores of every second row of a tile.
// CASE: e2m3(A=normal:50x68:f6E2M3FN, B=normal:50x68:f32, C=junk:50x68:f32, D=junk:50x68:f6E2M3FN, E=junk:50x68:f6E2M3FN)
// CASE: e2m3(A=normal:37x60:f6E2M3FN@136+4, B=normal:37x60:f32, C=junk:37x60:f32, D=junk:37x60:f6E2M3FN, E=junk:37x60:f6E2M3FN@136)
// EXPECT: C = A; D = B; h = A.copy(); h[::2] = round_to(A * 2, "f6E2M3FN")[::2]; E = h
func.func @e2m3(%A: memref<?x?xf6E2M3FN, strided<[?, 1], offset: ?>>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?xf6E2M3FN>, %E: memref<?x?xf6E2M3FN, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf6E2M3FN, strided<[?, 1], offset: ?>>
  %n = memref.dim %A, %c1 : memref<?x?xf6E2M3FN, strided<[?, 1], offset: ?>>
  %gm = arith.ceildivui %m, %c32 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32x64xf6E2M3FN, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %g = tile.alloc : memref<32x64xf6E2M3FN, #tile.fragment>
    %w = tile.alloc : memref<32x64xf32, #tile.fragment>
    %i0 = arith.muli %by, %c32 : index
    %j0 = arith.muli %bx, %c64 : index
    %a = tile.region %A[%i0, %j0] [32, 64] : memref<?x?xf6E2M3FN, strided<[?, 1], offset: ?>>
    %b = tile.region %B[%i0, %j0] [32, 64] : memref<?x?xf32>
    %c = tile.region %C[%i0, %j0] [32, 64] : memref<?x?xf32>
    %d = tile.region %D[%i0, %j0] [32, 64] : memref<?x?xf6E2M3FN>
    %e = tile.region %E[%i0, %j0] [32, 64] : memref<?x?xf6E2M3FN, strided<[?, 1], offset: ?>>
    tile.copy %a to %f : !tile.region<32x64xf6E2M3FN>, memref<32x64xf16, #tile.fragment>
    tile.copy %f to %c : memref<32x64xf16, #tile.fragment>, !tile.region<32x64xf32>
    tile.copy %b to %w : !tile.region<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.copy %w to %g : memref<32x64xf32, #tile.fragment>, memref<32x64xf6E2M3FN, #tile.fragment>
    tile.copy %g to %d : memref<32x64xf6E2M3FN, #tile.fragment>, !tile.region<32x64xf6E2M3FN>
    tile.copy %a to %s : !tile.region<32x64xf6E2M3FN>, memref<32x64xf6E2M3FN, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [32, 64] {
      %x = memref.load %s[%i, %j] : memref<32x64xf6E2M3FN, #gpu.address_space<workgroup>>
      %odd = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      scf.if %even {
        %y = arith.extf %x : f6E2M3FN to f32
        %z = arith.mulf %y, %two : f32
        %r = arith.truncf %z : f32 to f6E2M3FN
        memref.store %r, %s[%i, %j] : memref<32x64xf6E2M3FN, #gpu.address_space<workgroup>>
      }
    }
    tile.copy %s to %e : memref<32x64xf6E2M3FN, #gpu.address_space<workgroup>>, !tile.region<32x64xf6E2M3FN>
    gpu.terminator
  }
  return
}

// Copies that convert from and to tensors, shared tiles and registers; stores of every second row of a tile.
// CASE: i4(A=ints:50x70:i4, B=ints:50x70:i32, C=junk:50x70:i32, D=junk:50x70:i4, E=junk:50x70:i4)
// CASE: i4(A=ints:37x62:i4@140+4, B=ints:37x62:i32, C=junk:37x62:i32, D=junk:37x62:i4, E=junk:37x62:i4@140)
// EXPECT: C = A; D = B; h = A.copy(); h[::2] = round_to(A * 2, "i4")[::2]; E = h
func.func @i4(%A: memref<?x?xi4, strided<[?, 1], offset: ?>>, %B: memref<?x?xi32>, %C: memref<?x?xi32>, %D: memref<?x?xi4>, %E: memref<?x?xi4, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %two = arith.constant 2 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi4, strided<[?, 1], offset: ?>>
  %n = memref.dim %A, %c1 : memref<?x?xi4, strided<[?, 1], offset: ?>>
  %gm = arith.ceildivui %m, %c32 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %s = tile.alloc : memref<32x64xi4, #gpu.address_space<workgroup>>
    %f = tile.alloc : memref<32x64xi8, #tile.fragment>
    %g = tile.alloc : memref<32x64xi4, #tile.fragment>
    %w = tile.alloc : memref<32x64xi32, #tile.fragment>
    %i0 = arith.muli %by, %c32 : index
    %j0 = arith.muli %bx, %c64 : index
    %a = tile.region %A[%i0, %j0] [32, 64] : memref<?x?xi4, strided<[?, 1], offset: ?>>
    %b = tile.region %B[%i0, %j0] [32, 64] : memref<?x?xi32>
    %c = tile.region %C[%i0, %j0] [32, 64] : memref<?x?xi32>
    %d = tile.region %D[%i0, %j0] [32, 64] : memref<?x?xi4>
    %e = tile.region %E[%i0, %j0] [32, 64] : memref<?x?xi4, strided<[?, 1], offset: ?>>
    tile.copy %a to %f : !tile.region<32x64xi4>, memref<32x64xi8, #tile.fragment>
    tile.copy %f to %c : memref<32x64xi8, #tile.fragment>, !tile.region<32x64xi32>
    tile.copy %b to %w : !tile.region<32x64xi32>, memref<32x64xi32, #tile.fragment>
    tile.copy %w to %g : memref<32x64xi32, #tile.fragment>, memref<32x64xi4, #tile.fragment>
    tile.copy %g to %d : memref<32x64xi4, #tile.fragment>, !tile.region<32x64xi4>
    tile.copy %a to %s : !tile.region<32x64xi4>, memref<32x64xi4, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [32, 64] {
      %x = memref.load %s[%i, %j] : memref<32x64xi4, #gpu.address_space<workgroup>>
      %odd = arith.remui %i, %c2 : index
      %even = arith.cmpi eq, %odd, %c0 : index
      scf.if %even {
        %y = arith.extsi %x : i4 to i32
        %z = arith.muli %y, %two : i32
        %r = arith.trunci %z : i32 to i4
        memref.store %r, %s[%i, %j] : memref<32x64xi4, #gpu.address_space<workgroup>>
      }
    }
    tile.copy %s to %e : memref<32x64xi4, #gpu.address_space<workgroup>>, !tile.region<32x64xi4>
    gpu.terminator
  }
  return
}

// Fills, and windows of shared tiles; every second column of groups.
// CASE: fills(A=junk:16x64:f4E2M1FN, B=junk:16x64:f6E2M3FN, C=junk:16x64:f8E8M0FNU, D=junk:16x64:u8)
// EXPECT: A = np.full((16, 64), 1.5); A[:, 32:] = 0; B = np.full((16, 64), -0.25); B[:, 32:] = 0; C = np.full((16, 64), 0.125); D = np.full((16, 64), 200)
func.func @fills(%A: memref<16x64xf4E2M1FN>, %B: memref<16x64xf6E2M3FN>, %C: memref<16x64xf8E8M0FNU>, %D: memref<16x64xui8>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %fa = arith.constant 1.5 : f4E2M1FN
  %fb = arith.constant -0.25 : f6E2M3FN
  %fc = arith.constant 0.125 : f8E8M0FNU
  %za = arith.constant 0.0 : f4E2M1FN
  %zb = arith.constant 0.0 : f6E2M3FN
  %x = arith.constant 200 : i8
  %fd = builtin.unrealized_conversion_cast %x : i8 to ui8
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %a = tile.alloc : memref<16x64xf4E2M1FN, #gpu.address_space<workgroup>>
    %b = tile.alloc : memref<16x64xf6E2M3FN, #gpu.address_space<workgroup>>
    %c = tile.alloc : memref<16x64xf8E8M0FNU, #tile.fragment>
    %d = tile.alloc : memref<16x64xui8, #tile.fragment>
    tile.fill %a, %fa : memref<16x64xf4E2M1FN, #gpu.address_space<workgroup>>, f4E2M1FN
    tile.fill %b, %fb : memref<16x64xf6E2M3FN, #gpu.address_space<workgroup>>, f6E2M3FN
    tile.fill %c, %fc : memref<16x64xf8E8M0FNU, #tile.fragment>, f8E8M0FNU
    tile.fill %d, %fd : memref<16x64xui8, #tile.fragment>, ui8
    %ra = tile.region %a[0, 32] [16, 32] : memref<16x64xf4E2M1FN, #gpu.address_space<workgroup>>
    tile.fill %ra, %za : !tile.region<16x32xf4E2M1FN, #gpu.address_space<workgroup>>, f4E2M1FN
    %rb = tile.region %b[0, 32] [16, 32] : memref<16x64xf6E2M3FN, #gpu.address_space<workgroup>>
    tile.fill %rb, %zb : !tile.region<16x32xf6E2M3FN, #gpu.address_space<workgroup>>, f6E2M3FN
    %oa = tile.region %A[0, 0] [16, 64] : memref<16x64xf4E2M1FN>
    %ob = tile.region %B[0, 0] [16, 64] : memref<16x64xf6E2M3FN>
    %oc = tile.region %C[0, 0] [16, 64] : memref<16x64xf8E8M0FNU>
    %od = tile.region %D[0, 0] [16, 64] : memref<16x64xui8>
    tile.copy %a to %oa : memref<16x64xf4E2M1FN, #gpu.address_space<workgroup>>, !tile.region<16x64xf4E2M1FN>
    tile.copy %b to %ob : memref<16x64xf6E2M3FN, #gpu.address_space<workgroup>>, !tile.region<16x64xf6E2M3FN>
    tile.copy %c to %oc : memref<16x64xf8E8M0FNU, #tile.fragment>, !tile.region<16x64xf8E8M0FNU>
    tile.copy %d to %od : memref<16x64xui8, #tile.fragment>, !tile.region<16x64xui8>
    gpu.terminator
  }
  return
}

// Unsigned integers: copies make them wider with zeros, and cut; bodies see the bits.
// CASE: unsigned(A=wide:33x70:u8, B=wide:33x70:u16, C=wide:33x70:u32, D=wide:33x70:u64, W=junk:33x70:i32, X=junk:33x70:u64, Y=junk:33x70:u8, Z=junk:33x70:f32)
// EXPECT: W = B.astype(np.int32); X = C.astype(np.uint64); Y = D.astype(np.uint8); Z = A.astype(np.float32) / 2
func.func @unsigned(%A: memref<?x?xui8>, %B: memref<?x?xui16>, %C: memref<?x?xui32>, %D: memref<?x?xui64>, %W: memref<?x?xi32>, %X: memref<?x?xui64>, %Y: memref<?x?xui8>, %Z: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %half = arith.constant 0.5 : f32
  %m = memref.dim %A, %c0 : memref<?x?xui8>
  %n = memref.dim %A, %c1 : memref<?x?xui8>
  %gm = arith.ceildivui %m, %c32 : index
  %gn = arith.ceildivui %n, %c64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %gn, %gy = %gm, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i0 = arith.muli %by, %c32 : index
    %j0 = arith.muli %bx, %c64 : index
    %a = tile.region %A[%i0, %j0] [32, 64] : memref<?x?xui8>
    %b = tile.region %B[%i0, %j0] [32, 64] : memref<?x?xui16>
    %c = tile.region %C[%i0, %j0] [32, 64] : memref<?x?xui32>
    %d = tile.region %D[%i0, %j0] [32, 64] : memref<?x?xui64>
    %w = tile.region %W[%i0, %j0] [32, 64] : memref<?x?xi32>
    %x = tile.region %X[%i0, %j0] [32, 64] : memref<?x?xui64>
    %y = tile.region %Y[%i0, %j0] [32, 64] : memref<?x?xui8>
    %z = tile.region %Z[%i0, %j0] [32, 64] : memref<?x?xf32>
    %sa = tile.alloc : memref<32x64xui8, #gpu.address_space<workgroup>>
    %fb = tile.alloc : memref<32x64xi32, #tile.fragment>
    %fc = tile.alloc : memref<32x64xui32, #tile.fragment>
    %sd = tile.alloc : memref<32x64xui64, #gpu.address_space<workgroup>>
    %fz = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %a to %sa : !tile.region<32x64xui8>, memref<32x64xui8, #gpu.address_space<workgroup>>
    tile.copy %b to %fb : !tile.region<32x64xui16>, memref<32x64xi32, #tile.fragment>
    tile.copy %c to %fc : !tile.region<32x64xui32>, memref<32x64xui32, #tile.fragment>
    tile.copy %d to %sd : !tile.region<32x64xui64>, memref<32x64xui64, #gpu.address_space<workgroup>>
    tile.parallel (%i, %j) in [32, 64] {
      %u = memref.load %sa[%i, %j] : memref<32x64xui8, #gpu.address_space<workgroup>>
      %bits = builtin.unrealized_conversion_cast %u : ui8 to i8
      %v = arith.uitofp %bits : i8 to f32
      %h = arith.mulf %v, %half : f32
      memref.store %h, %fz[%i, %j] : memref<32x64xf32, #tile.fragment>
    }
    tile.copy %fb to %w : memref<32x64xi32, #tile.fragment>, !tile.region<32x64xi32>
    tile.copy %fc to %x : memref<32x64xui32, #tile.fragment>, !tile.region<32x64xui64>
    tile.copy %sd to %y : memref<32x64xui64, #gpu.address_space<workgroup>>, !tile.region<32x64xui8>
    tile.copy %fz to %z : memref<32x64xf32, #tile.fragment>, !tile.region<32x64xf32>
    gpu.terminator
  }
  return
}

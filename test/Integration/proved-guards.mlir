// Right programs that proofs found hard: what guards ask comes from memory of a thread,
// slots are filled before the loop by another loop, branches issue copies several
// iterations ahead.

// REQUIRES: numpy
// RUN: rm -rf %t && mkdir -p %t && tile-compile %s --target=sm_90a --ptxas=off -o %t
// RUN: %python %S/Inputs/run-kernel.py %s --target=sm_90a --out=%t

// The guard is read from a copy of the mask that each thread has.
// CASE: private_mask(A=ints:64x1024:f16, mask=ints:16:i8, C=junk:64x64:f32)
// CASE: private_mask(A=ints:64x1024:f16, mask=zeros:16:i8, C=junk:64x64:f32)
// CASE: private_mask(A=ints:64x1024:f16, mask=ones:16:i8, C=junk:64x64:f32)
// EXPECT: parts = A.astype(np.float32).reshape(64, 16, 64)
// EXPECT: C = sum((parts[:, s] @ parts[:, s].T for s in range(16) if mask[s]), np.zeros((64, 64)))
func.func @private_mask(%A: memref<64x1024xf16>, %mask: memref<16xi8>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %As = tile.alloc : memref<64x64xf16, #gpu.address_space<workgroup>>
    %m = tile.alloc : memref<16xi8, #gpu.address_space<private>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %off = arith.constant 0 : i8
    %w = tile.region %mask[0] [16] : memref<16xi8>
    tile.copy %w to %m : !tile.region<16xi8>, memref<16xi8, #gpu.address_space<private>>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>, f32
    scf.for %s = %c0 to %c16 step %c1 {
      %e = memref.load %m[%s] : memref<16xi8, #gpu.address_space<private>>
      %on = arith.cmpi ne, %e, %off : i8
      scf.if %on {
        %k = arith.muli %s, %c64 : index
        %a = tile.region %A[0, %k] [64, 64] : memref<64x1024xf16>
        tile.copy %a to %As : !tile.region<64x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
        tile.gemm %As, %As, %acc {transpose_b} : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      }
    } {tile.num_stages = 3 : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// The guard asks for a number that each thread counts up.
// CASE: private_count(A=ints:64x256:f16, B=ints:256x64:f16, C=junk:64x64:f32, mask=ones:8:i32)
// CASE: private_count(A=ints:64x256:f16, B=ints:256x64:f16, C=junk:64x64:f32, mask=ints:8:i32)
// CASE: private_count(A=ints:64x256:f16, B=ints:256x64:f16, C=junk:64x64:f32, mask=zeros:8:i32)
// EXPECT: before = np.cumsum(mask) - mask
// EXPECT: a, b = A.astype(np.float32).reshape(64, 8, 32), B.astype(np.float32).reshape(8, 32, 64)
// EXPECT: C = sum((a[:, i] @ b[i] for i in range(8) if before[i] < 3), np.zeros((64, 64)))
func.func @private_count(%A: memref<64x256xf16>, %B: memref<256x64xf16>, %C: memref<64x64xf32>, %mask: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %z = arith.constant 0.0 : f32
    %kK = arith.constant 256 : index
    %kt = arith.constant 32 : index
    %kn = arith.constant 8 : index
    %As = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<32x64xf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %z : memref<64x64xf32, #tile.fragment>, f32
    %v = tile.alloc : memref<1xi32, #gpu.address_space<private>>
    %o32 = arith.constant 1 : i32
    %z32 = arith.constant 0 : i32
    %t32 = arith.constant 3 : i32
    memref.store %z32, %v[%c0] : memref<1xi32, #gpu.address_space<private>>
    scf.for %i = %c0 to %kn step %c1 {
      %x = memref.load %v[%c0] : memref<1xi32, #gpu.address_space<private>>
      %g = arith.cmpi slt, %x, %t32 : i32
      scf.if %g {
      %k = arith.muli %i, %kt : index
      %a = tile.region %A[0, %k] [64, 32] : memref<64x256xf16>
      %b = tile.region %B[%k, 0] [32, 64] : memref<256x64xf16>
      tile.copy %a to %As : !tile.region<64x32xf16>, memref<64x32xf16, #gpu.address_space<workgroup>>
      tile.copy %b to %Bs : !tile.region<32x64xf16>, memref<32x64xf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
      }
      %m = memref.load %mask[%i] : memref<8xi32>
      %x1 = arith.addi %x, %m : i32
      memref.store %x1, %v[%c0] : memref<1xi32, #gpu.address_space<private>>
    } {tile.num_stages = 3 : i32}
    tile.copy %acc to %C : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
    gpu.terminator
  }
  return
}

// Two slots are filled before the loop, by a loop of constant bounds under a guard; then
// each is filled again after it has been read.
// CASE: filled_before(A=ints:112x64:bf16, B=junk:112x64:bf16, n=7)
// CASE: filled_before(A=ints:112x64:bf16, B=junk:112x64:bf16, n=0)
// CASE: filled_before(A=ints:112x64:bf16, B=junk:112x64:bf16, n=1)
// CASE: filled_before(A=ints:112x64:bf16, B=junk:112x64:bf16, n=2)
// EXPECT: B[:16 * n] = A[:16 * n]
func.func @filled_before(%A: memref<?x64xbf16>, %B: memref<?x64xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %map = tile.tensor_map %A box [16, 64] swizzle 128 : memref<?x64xbf16>
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %i1 = arith.constant 1 : i32
    %ring = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
    %full = tile.barrier_alloc : !tile.barrier<2>
    tile.barrier_init %full arrivals 1 : !tile.barrier<2>
    scf.for %j = %c0 to %c2 step %c1 {
      %in = arith.cmpi slt, %j, %n : index
      scf.if %in {
        %row = arith.muli %j, %c16 : index
        %a = tile.region %A[%row, 0] [16, 64] {align = 16 : i64} : memref<?x64xbf16>
        %slot = tile.region %ring[%j, 0, 0] [1, 16, 64] drop [0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
        tile.barrier_expect %full[%j] bytes 2048 : !tile.barrier<2>
        tile.copy %a to %slot map %map signal %full[%j] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, !tile.region<16x64xbf16, #gpu.address_space<workgroup>>
      }
    }
    scf.for %k = %c0 to %n step %c1 {
      %s = arith.remui %k, %c2 : index
      %r = arith.divui %k, %c2 : index
      %r32 = arith.index_cast %r : index to i32
      %p = arith.andi %r32, %i1 : i32
      tile.barrier_wait %full[%s] parity %p : !tile.barrier<2>
      %slot = tile.region %ring[%s, 0, 0] [1, 16, 64] drop [0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
      %row = arith.muli %k, %c16 : index
      %b = tile.region %B[%row, 0] [16, 64] : memref<?x64xbf16>
      tile.copy %slot to %b {instr = #tile.instr<simt>} : !tile.region<16x64xbf16, #gpu.address_space<workgroup>>, !tile.region<16x64xbf16>
      %k2 = arith.addi %k, %c2 : index
      %in = arith.cmpi slt, %k2, %n : index
      scf.if %in {
        %row2 = arith.muli %k2, %c16 : index
        %a = tile.region %A[%row2, 0] [16, 64] {align = 16 : i64} : memref<?x64xbf16>
        %slot2 = tile.region %ring[%s, 0, 0] [1, 16, 64] drop [0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
        tile.barrier_expect %full[%s] bytes 2048 : !tile.barrier<2>
        tile.copy %a to %slot2 map %map signal %full[%s] of !tile.barrier<2> {instr = #tile.instr<tma>} : !tile.region<16x64xbf16>, !tile.region<16x64xbf16, #gpu.address_space<workgroup>>
      }
    }
    gpu.terminator
  }
  return
}

// Four stages whose copies stand in two branches, in a launch that loops over tiles.
// CASE: branches_ahead(A0=ints:160x640:bf16, A1=ints:64x640:bf16, O2=junk:640x64:f32, flags=ints:16:i32, gx=3, n=13)
// CASE: branches_ahead(A0=ints:160x640:bf16, A1=ints:64x640:bf16, O2=junk:640x64:f32, flags=zeros:16:i32, gx=3, n=3)
// CASE: branches_ahead(A0=ints:160x640:bf16, A1=ints:64x640:bf16, O2=junk:640x64:f32, flags=ones:16:i32, gx=1, n=0)
// EXPECT: a, b = A0.astype(np.float32), A1.astype(np.float32).reshape(64, 20, 32)
// EXPECT: rows = lambda x, k: a[32 * x + (0 if flags[k % 16] else 16):][:64].reshape(64, 20, 32)
// EXPECT: for x in range(gx): O2[128 * x:][:64] = sum((rows(x, k)[:, k] @ b[:, k].T for k in range(n)), np.zeros((64, 64)))
func.func @branches_ahead(%A0: memref<160x640xbf16>, %A1: memref<64x640xbf16>, %O2: memref<640x64xf32>, %flags: memref<16xi32>, %gx: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1) threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    tile.kernel_config {persist = true, specialize = #tile.specialize<off>}
    %As = tile.alloc : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %Bs = tile.alloc : memref<64x32xbf16, #gpu.address_space<workgroup>>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %x1 = arith.constant 0.0 : f32
    tile.fill %acc, %x1 : memref<64x64xf32, #tile.fragment>, f32
    scf.for %k = %c0 to %n step %c1 {
      %x3 = arith.remui %k, %c16 : index
      %x4 = memref.load %flags[%x3] : memref<16xi32>
      %x5 = arith.constant 0 : i32
      %x2 = arith.cmpi ne, %x4, %x5 : i32
      scf.if %x2 {
        %x6 = arith.muli %bx, %c32 : index
        %x7 = arith.muli %k, %c32 : index
        %x8 = tile.region %A0[%x6, %x7] [64, 32] : memref<160x640xbf16>
        tile.copy %x8 to %As {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
      } else {
        %x10 = arith.muli %bx, %c32 : index
        %x9 = arith.addi %x10, %c16 : index
        %x11 = arith.muli %k, %c32 : index
        %x12 = tile.region %A0[%x9, %x11] [64, 32] : memref<160x640xbf16>
        tile.copy %x12 to %As {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
      }
      %x13 = arith.muli %k, %c32 : index
      %x14 = tile.region %A1[%c0, %x13] [64, 32] : memref<64x640xbf16>
      tile.copy %x14 to %Bs {instr = #tile.instr<tma>} : !tile.region<64x32xbf16>, memref<64x32xbf16, #gpu.address_space<workgroup>>
      tile.gemm %As, %Bs, %acc {transpose_b, instr = #tile.instr<mma>} : (memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x32xbf16, #gpu.address_space<workgroup>>, memref<64x64xf32, #tile.fragment>)
    } {tile.num_stages = 4 : i32}
    %x16 = arith.muli %bx, %c128 : index
    %x15 = arith.addi %x16, %c0 : index
    %x17 = tile.region %O2[%x15, %c0] [64, 64] : memref<640x64xf32>
    tile.copy %acc to %x17 : memref<64x64xf32, #tile.fragment>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

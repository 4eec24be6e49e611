// Kernels that the tests of a reference system name for roles (reference-system.md
// 3.1.3 to 3.1.5, the name of its test at each), with roles and without, for the
// numbers of stages that they are about, on both targets. What ws-tiled makes of
// them is in Transforms/ws-tiled/reference.mlir.

// REQUIRES: numpy, slow
// RUN: rm -rf %t && %python %S/Inputs/pipelines.py %s --stages=0,1,2,3 --out=%t

#smem = #gpu.address_space<workgroup>
#frag = #tile.fragment
#private = #gpu.address_space<private>

// num_stages_zero_pure_tma… (25), num_stages_one_pure_tma… (70): one warp copies in and out.
// CASE: through(A=ints:8x256:f16, B=junk:8x256:f16)
// EXPECT: B[:] = A
func.func @through(%A: memref<8x256xf16>, %B: memref<8x256xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<4x128xf16, #smem>
    %m = arith.muli %bx, %c4 : index
    scf.for %k = %c0 to %c256 step %c128 {
      %a = tile.region %A[%m, %k] [4, 128] {align = 16 : i64} : memref<8x256xf16>
      %b = tile.region %B[%m, %k] [4, 128] {align = 16 : i64} : memref<8x256xf16>
      tile.copy %a to %S : !tile.region<4x128xf16>, memref<4x128xf16, #smem>
      tile.copy %S to %b : memref<4x128xf16, #smem>, !tile.region<4x128xf16>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// num_stages_zero_cp_async_only… (115), num_stages_one_cp_async_only… (155): bytes by
// cp.async of the user, awaited at once.
// CASE: bytes(A=ints:8x64:i8, B=junk:8x64:i8)
// EXPECT: B[:] = A
func.func @bytes(%A: memref<8x64xi8>, %B: memref<8x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64xi8, #smem>
    scf.for %i = %c0 to %c8 step %c1 {
      %a = tile.region %A[%i, 0] [1, 64] drop [0] {align = 16 : i64} : memref<8x64xi8>
      %b = tile.region %B[%i, 0] [1, 64] drop [0] : memref<8x64xi8>
      tile.copy %a to %S {async, instr = #tile.instr<cp_async>} : !tile.region<64xi8>, memref<64xi8, #smem>
      tile.cp_async_commit
      tile.cp_async_wait pending 0
      tile.copy %S to %b : memref<64xi8, #smem>, !tile.region<64xi8>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// num_stages_one_mixed_tma_cp_async… (195): one tile by TMA, another by cp.async, whose
// groups the compiler counts, or the user.
// CASE: mixed(A=ints:64x256:bf16, B=ints:64x256:bf16, C=junk:64x256:bf16, D=junk:64x256:bf16)
// EXPECT: C[:], D[:] = A, B
func.func @mixed(%A: memref<64x256xbf16>, %B: memref<64x256xbf16>, %C: memref<64x256xbf16>, %D: memref<64x256xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #smem>
    %T = tile.alloc : memref<64x64xbf16, #smem>
    scf.for %k = %c0 to %c256 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      %b = tile.region %B[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      %c = tile.region %C[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      %d = tile.region %D[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      tile.copy %a to %S : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %b to %T {prefer = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %S to %c : memref<64x64xbf16, #smem>, !tile.region<64x64xbf16>
      tile.copy %T to %d : memref<64x64xbf16, #smem>, !tile.region<64x64xbf16>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// CASE: mixed_user(A=ints:64x256:bf16, B=ints:64x256:bf16, C=junk:64x256:bf16, D=junk:64x256:bf16)
// EXPECT: C[:], D[:] = A, B
func.func @mixed_user(%A: memref<64x256xbf16>, %B: memref<64x256xbf16>, %C: memref<64x256xbf16>, %D: memref<64x256xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<64x64xbf16, #smem>
    %T = tile.alloc : memref<64x64xbf16, #smem>
    scf.for %k = %c0 to %c256 step %c64 {
      %a = tile.region %A[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      %b = tile.region %B[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      %c = tile.region %C[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      %d = tile.region %D[0, %k] [64, 64] {align = 16 : i64} : memref<64x256xbf16>
      tile.copy %a to %S : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %b to %T {async, instr = #tile.instr<cp_async>} : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.cp_async_commit
      tile.cp_async_wait pending 0
      tile.copy %S to %c : memref<64x64xbf16, #smem>, !tile.region<64x64xbf16>
      tile.copy %T to %d : memref<64x64xbf16, #smem>, !tile.region<64x64xbf16>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// incompatible_layout_blocks_ws (265): rows of 136 elements in shared memory.
// CASE: padded(A=ints:16x1024:f16, B=junk:16x1024:f16)
// EXPECT: B[:] = A
func.func @padded(%A: memref<16x1024xf16>, %B: memref<16x1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %S = tile.alloc {layout = #tile.layout<"padded<136>">} : memref<16x128xf16, #smem>
    scf.for %k = %c0 to %c1024 step %c128 {
      %a = tile.region %A[0, %k] [16, 128] {align = 16 : i64} : memref<16x1024xf16>
      %b = tile.region %B[0, %k] [16, 128] {align = 16 : i64} : memref<16x1024xf16>
      tile.copy %a to %S : !tile.region<16x128xf16>, memref<16x128xf16, #smem>
      tile.copy %S to %b : memref<16x128xf16, #smem>, !tile.region<16x128xf16>
    } {tile.num_stages = NUM_STAGES : i32}
    gpu.terminator
  }
  return
}

// correctness (163).
// CASE: correctness(A=ints:256x256:bf16, B=ints:256x256:bf16, C=junk:256x256:f32)
// EXPECT: C = A @ B
func.func @correctness(%A: memref<256x256xbf16>, %B: memref<256x256xbf16>, %C: memref<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c4, %sy = %c4, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    %m = arith.muli %bx, %c64 : index
    %n = arith.muli %by, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %k = %c0 to %c256 step %c32 {
      %a = tile.region %A[%m, %k] [64, 32] {align = 16 : i64} : memref<256x256xbf16>
      %b = tile.region %B[%k, %n] [32, 64] {align = 16 : i64} : memref<256x256xbf16>
      tile.copy %a to %As : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<32x64xbf16>, memref<32x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x32xbf16, #smem>, memref<32x64xbf16, #smem>, memref<64x64xf32, #frag>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<256x256xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// stage3 (182), half the size.
// CASE: stage3(A=ints:256x256:bf16, B=ints:256x256:bf16, C=junk:256x256:f32)
// EXPECT: C = A @ B
func.func @stage3(%A: memref<256x256xbf16>, %B: memref<256x256xbf16>, %C: memref<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c2, %sy = %c2, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #smem>
    %Bs = tile.alloc : memref<64x128xbf16, #smem>
    %acc = tile.alloc : memref<128x128xf32, #frag>
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c128 : index
    tile.fill %acc, %zero : memref<128x128xf32, #frag>, f32
    scf.for %k = %c0 to %c256 step %c64 {
      %a = tile.region %A[%m, %k] [128, 64] {align = 16 : i64} : memref<256x256xbf16>
      %b = tile.region %B[%k, %n] [64, 128] {align = 16 : i64} : memref<256x256xbf16>
      tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x128xbf16>, memref<64x128xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<128x64xbf16, #smem>, memref<64x128xbf16, #smem>, memref<128x128xf32, #frag>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[%m, %n] [128, 128] : memref<256x256xf32>
    tile.copy %acc to %c : memref<128x128xf32, #frag>, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// swizzled_layout_allows_ws (215): layouts of the user.
// CASE: swizzled(A=ints:64x512:bf16, B=ints:512x64:bf16, C=junk:64x64:f32)
// EXPECT: C = A @ B
func.func @swizzled(%A: memref<64x512xbf16>, %B: memref<512x64xbf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #smem>
    %Bs = tile.alloc {layout = #tile.layout<"swizzle<128>">} : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    %m = arith.muli %bx, %c64 : index
    %n = arith.muli %by, %c64 : index
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %k = %c0 to %c512 step %c64 {
      %a = tile.region %A[%m, %k] [64, 64] {align = 16 : i64} : memref<64x512xbf16>
      %b = tile.region %B[%k, %n] [64, 64] {align = 16 : i64} : memref<512x64xbf16>
      tile.copy %a to %As : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #frag>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[%m, %n] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// pipeline_barrier_ownership (28, 62), a plain product.
// CASE: plain(A=ints:128x128:bf16, B=ints:128x128:bf16, C=junk:128x128:f32)
// EXPECT: C = A @ B
func.func @plain(%A: memref<128x128xbf16>, %B: memref<128x128xbf16>, %C: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x32xbf16, #smem>
    %Bs = tile.alloc : memref<32x128xbf16, #smem>
    %acc = tile.alloc : memref<128x128xf32, #frag>
    %m = arith.muli %bx, %c128 : index
    %n = arith.muli %by, %c128 : index
    tile.fill %acc, %zero : memref<128x128xf32, #frag>, f32
    scf.for %k = %c0 to %c128 step %c32 {
      %a = tile.region %A[%m, %k] [128, 32] {align = 16 : i64} : memref<128x128xbf16>
      %b = tile.region %B[%k, %n] [32, 128] {align = 16 : i64} : memref<128x128xbf16>
      tile.copy %a to %As : !tile.region<128x32xbf16>, memref<128x32xbf16, #smem>
      tile.copy %b to %Bs : !tile.region<32x128xbf16>, memref<32x128xbf16, #smem>
      tile.gemm %As, %Bs, %acc : (memref<128x32xbf16, #smem>, memref<32x128xbf16, #smem>, memref<128x128xf32, #frag>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[%m, %n] [128, 128] : memref<128x128xf32>
    tile.copy %acc to %c : memref<128x128xf32, #frag>, !tile.region<128x128xf32>
    gpu.terminator
  }
  return
}

// sparse_ws_regular_metadata_copy_stays_in_producer (313),
// ws_keeps_full_producer_extent… (24): a sparse product whose metadata come with each
// step, in rows of 4 bytes.
// CASE: sparse(A=ints:64x128:bf16, E=pairs:64x16:i16, B=ints:64x256:bf16, C=junk:64x64:f32)
// EXPECT: S, r = np.zeros((64, 256), np.float32), np.arange(64)
// EXPECT: for g in range(64):
// EXPECT:   places = E[:, g // 4].astype(np.int64) >> 4 * (g % 4) & 15
// EXPECT:   S[r, 4 * g + (places & 3)] = A[:, 2 * g]
// EXPECT:   S[r, 4 * g + (places >> 2)] = A[:, 2 * g + 1]
// EXPECT: C = S @ B.T
func.func @sparse(%A: memref<64x128xbf16>, %E: memref<64x16xi16>, %B: memref<64x256xbf16>, %C: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %n = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<64x16xbf16, #smem>
    %Es = tile.alloc : memref<64x2xi16, #smem>
    %Bs = tile.alloc : memref<64x32xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %i = %c0 to %n step %c1 {
      %h = arith.muli %i, %c16 : index
      %x = arith.muli %i, %c2 : index
      %k = arith.muli %i, %c32 : index
      %a = tile.region %A[0, %h] [64, 16] {align = 16 : i64} : memref<64x128xbf16>
      %e = tile.region %E[0, %x] [64, 2] {align = 4 : i64} : memref<64x16xi16>
      %b = tile.region %B[0, %k] [64, 32] {align = 16 : i64} : memref<64x256xbf16>
      tile.copy %a to %As : !tile.region<64x16xbf16>, memref<64x16xbf16, #smem>
      tile.copy %e to %Es : !tile.region<64x2xi16>, memref<64x2xi16, #smem>
      tile.copy %b to %Bs : !tile.region<64x32xbf16>, memref<64x32xbf16, #smem>
      tile.gemm_sp %As, %Es, %Bs, %acc {transpose_b} : (memref<64x16xbf16, #smem>, memref<64x2xi16, #smem>, memref<64x32xbf16, #smem>, memref<64x64xf32, #frag>)
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

// pure_tma_consumer_local_init_does_not_leak_into_producer (366): a mask of the
// thread, set up by a loop, that guards copies and products.
// CASE: local_state(K=ints:256x64:bf16, V=ints:256x64:bf16, M=count:4:i32, C=junk:64x64:f32, skip=9)
// CASE: local_state(K=ints:256x64:bf16, V=ints:256x64:bf16, M=count:4:i32, C=junk:64x64:f32, skip=0)
// CASE: local_state(K=ints:256x64:bf16, V=ints:256x64:bf16, M=count:4:i32, C=junk:64x64:f32, skip=2)
// CASE: local_state(K=ints:256x64:bf16, V=ints:256x64:bf16, M=ones:4:i32, C=junk:64x64:f32, skip=1)
// EXPECT: C[:] = 0
// EXPECT: for i in range(4):
// EXPECT:   if M[i] != skip: C += K[64*i:64*i+64] @ V[64*i:64*i+64]
func.func @local_state(%K: memref<256x64xbf16>, %V: memref<256x64xbf16>, %M: memref<4xi32>, %C: memref<64x64xf32>, %skip: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %Ks = tile.alloc : memref<64x64xbf16, #smem>
    %Vs = tile.alloc : memref<64x64xbf16, #smem>
    %acc = tile.alloc : memref<64x64xf32, #frag>
    %mask = tile.alloc : memref<4xi1, #private>
    tile.fill %acc, %zero : memref<64x64xf32, #frag>, f32
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %M[%i] : memref<4xi32>
      %bit = arith.cmpi ne, %x, %skip : i32
      memref.store %bit, %mask[%i] : memref<4xi1, #private>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %go = memref.load %mask[%i] : memref<4xi1, #private>
      scf.if %go {
        %row = arith.muli %i, %c64 : index
        %k = tile.region %K[%row, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        %v = tile.region %V[%row, 0] [64, 64] {align = 16 : i64} : memref<256x64xbf16>
        tile.copy %k to %Ks : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
        tile.copy %v to %Vs : !tile.region<64x64xbf16>, memref<64x64xbf16, #smem>
        tile.gemm %Ks, %Vs, %acc : (memref<64x64xbf16, #smem>, memref<64x64xbf16, #smem>, memref<64x64xf32, #frag>)
      }
    } {tile.num_stages = NUM_STAGES : i32}
    %c = tile.region %C[0, 0] [64, 64] : memref<64x64xf32>
    tile.copy %acc to %c : memref<64x64xf32, #frag>, !tile.region<64x64xf32>
    gpu.terminator
  }
  return
}

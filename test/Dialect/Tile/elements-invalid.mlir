// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// One case per constraint of the ops of TileElementOps.td; the name says which.

func.func @parallel_c1_no_extent() {
  // expected-error @+1 {{expects 1 to 5 extents, got 0}}
  "tile.parallel"() <{extents = array<i64>}> ({
  ^bb0:
    %c0 = arith.constant 0 : index
  }) : () -> ()
  return
}

// -----

func.func @parallel_c1_indices() {
  // expected-error @+1 {{expects one index per extent: 2, got 1}}
  tile.parallel (%i) in [8, 8] {
  }
  return
}

// -----

func.func @parallel_c1_index_type() {
  // expected-error @+1 {{expects parallel indices of type index, got i32}}
  "tile.parallel"() <{extents = array<i64: 8>}> ({
  ^bb0(%i: i32):
  }) : () -> ()
  return
}

// -----

func.func @parallel_c1_extent() {
  // expected-error @+1 {{expects extents of at least 1, got 0}}
  tile.parallel (%i, %j) in [8, 0] {
  }
  return
}

// -----

func.func @parallel_c1_elements() {
  // expected-error @+1 {{expects at most 2147483647 elements}}
  tile.parallel (%i, %j) in [65536, 65536] {
  }
  return
}

// -----

func.func @parallel_c2(%A: memref<8xf32>) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{cannot stand in the body of tile.parallel, which is scalar code of one element: 'tile.barrier_sync' is none}}
    tile.barrier_sync
  }
  return
}

// -----

func.func @parallel_c2_nested(%A: memref<8xf32>) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{cannot stand in the body of tile.parallel}}
    tile.parallel (%j) in [8] {
    }
  }
  return
}

// -----

func.func @parallel_c2_shared() {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{cannot stand in the body of tile.parallel}}
    %s = tile.alloc : memref<8xf32, #gpu.address_space<workgroup>>
  }
  return
}

// -----

func.func @parallel_c2_memory(%A: memref<8xf32, 7>) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects a memref of rank 0 to 5 in global, shared or private memory or a fragment, got memref<8xf32, 7>}}
    %x = memref.load %A[%i] : memref<8xf32, 7>
  }
  return
}

// -----

func.func @parallel_c3_arithmetic() {
  %c1 = arith.constant 1 : index
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    %k = arith.xori %i, %c1 : index
    // expected-error @+1 {{expects index 0 of a fragment to be a parallel index or a constant: registers cannot be chosen at run time; tile.copy the fragment to shared memory and index that}}
    %x = memref.load %f[%k] : memref<8xf32, #tile.fragment>
  }
  return
}

// -----

func.func @parallel_c3_twice() {
  %f = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{names parallel index 0 twice in a fragment; tile.copy the fragment to shared memory and index that}}
    %x = memref.load %f[%i, %i] : memref<8x8xf32, #tile.fragment>
  }
  return
}

// -----

func.func @parallel_c3_constant() {
  %c8 = arith.constant 8 : index
  %f = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects index 1 from 0 to 7, got 8}}
    %x = memref.load %f[%i, %c8] : memref<8x8xf32, #tile.fragment>
  }
  return
}

// -----

func.func @parallel_c3_extent() {
  %f = tile.alloc : memref<16xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects parallel index 0 to have the extent 16 of dimension 0 of the fragment, got 8}}
    %x = memref.load %f[%i] : memref<16xf32, #tile.fragment>
  }
  return
}

// -----

func.func @parallel_c4_fragment(%v: f32) {
  %f = tile.alloc : memref<8xf32, #tile.fragment>
  tile.parallel (%i, %j) in [8, 4] {
    // expected-error @+1 {{stores to one place for all 4 values of parallel index 1; reduce first, or guard the store with scf.if in shared memory}}
    memref.store %v, %f[%i] : memref<8xf32, #tile.fragment>
  }
  return
}

// -----

func.func @parallel_c4_global(%v: f32, %A: memref<8xf32>) {
  %c2 = arith.constant 2 : index
  tile.parallel (%i, %j) in [8, 4] {
    %k = arith.remui %j, %c2 : index
    // expected-error @+1 {{stores to one place for all 8 values of parallel index 0; reduce first, or guard the store with scf.if}}
    memref.store %v, %A[%k] : memref<8xf32>
  }
  return
}

// -----

// A guard, and an index that is loaded, are the writer's business.
func.func @parallel_c4_legal(%v: f32, %A: memref<8xf32>, %at: memref<8x4xi32>) {
  %c0 = arith.constant 0 : index
  tile.parallel (%i, %j) in [8, 4] {
    %is_first = arith.cmpi eq, %j, %c0 : index
    scf.if %is_first {
      memref.store %v, %A[%i] : memref<8xf32>
    }
    %k32 = memref.load %at[%i, %j] : memref<8x4xi32>
    %k = arith.index_cast %k32 : i32 to index
    memref.store %v, %A[%k] : memref<8xf32>
  }
  return
}

// -----

func.func @parallel_c5() {
  %f = tile.alloc : memref<8x8xf32, #tile.fragment>
  tile.parallel (%i, %j) in [8, 8] {
    // expected-note @+1 {{the other access is here}}
    %x = memref.load %f[%j, %i] : memref<8x8xf32, #tile.fragment>
    // expected-error @+1 {{accesses a fragment that the loop stores by other indices; tile.copy it to another fragment first}}
    memref.store %x, %f[%i, %j] : memref<8x8xf32, #tile.fragment>
  }
  return
}

// -----

func.func @parallel_c6(%v: f32) {
  %p = tile.alloc : memref<8xf32, #gpu.address_space<private>>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{stores to a private array from outside the loop: its threads would hold different values; allocate it in the body}}
    memref.store %v, %p[%i] : memref<8xf32, #gpu.address_space<private>>
  }
  return
}

// -----

func.func @parallel_c7(%a0: memref<8xf32>, %a1: memref<8xf32>, %a2: memref<8xf32>, %a3: memref<8xf32>, %a4: memref<8xf32>, %a5: memref<8xf32>, %a6: memref<8xf32>, %a7: memref<8xf32>, %a8: memref<8xf32>, %a9: memref<8xf32>, %a10: memref<8xf32>, %a11: memref<8xf32>, %a12: memref<8xf32>, %a13: memref<8xf32>, %a14: memref<8xf32>, %a15: memref<8xf32>, %a16: memref<8xf32>, %a17: memref<8xf32>, %a18: memref<8xf32>, %a19: memref<8xf32>, %a20: memref<8xf32>, %a21: memref<8xf32>, %a22: memref<8xf32>, %a23: memref<8xf32>, %a24: memref<8xf32>, %a25: memref<8xf32>, %a26: memref<8xf32>, %a27: memref<8xf32>, %a28: memref<8xf32>, %a29: memref<8xf32>, %a30: memref<8xf32>, %a31: memref<8xf32>, %a32: memref<8xf32>, %a33: memref<8xf32>, %a34: memref<8xf32>, %a35: memref<8xf32>, %a36: memref<8xf32>, %a37: memref<8xf32>, %a38: memref<8xf32>, %a39: memref<8xf32>, %a40: memref<8xf32>, %a41: memref<8xf32>, %a42: memref<8xf32>, %a43: memref<8xf32>, %a44: memref<8xf32>, %a45: memref<8xf32>, %a46: memref<8xf32>, %a47: memref<8xf32>, %a48: memref<8xf32>, %a49: memref<8xf32>, %a50: memref<8xf32>, %a51: memref<8xf32>, %a52: memref<8xf32>, %a53: memref<8xf32>, %a54: memref<8xf32>, %a55: memref<8xf32>, %a56: memref<8xf32>, %a57: memref<8xf32>, %a58: memref<8xf32>, %a59: memref<8xf32>, %a60: memref<8xf32>, %a61: memref<8xf32>, %a62: memref<8xf32>, %a63: memref<8xf32>, %a64: memref<8xf32>) {
  // expected-error @+1 {{accesses more than 64 buffers}}
  tile.parallel (%i) in [8] {
    %x0 = memref.load %a0[%i] : memref<8xf32>
    %x1 = memref.load %a1[%i] : memref<8xf32>
    %x2 = memref.load %a2[%i] : memref<8xf32>
    %x3 = memref.load %a3[%i] : memref<8xf32>
    %x4 = memref.load %a4[%i] : memref<8xf32>
    %x5 = memref.load %a5[%i] : memref<8xf32>
    %x6 = memref.load %a6[%i] : memref<8xf32>
    %x7 = memref.load %a7[%i] : memref<8xf32>
    %x8 = memref.load %a8[%i] : memref<8xf32>
    %x9 = memref.load %a9[%i] : memref<8xf32>
    %x10 = memref.load %a10[%i] : memref<8xf32>
    %x11 = memref.load %a11[%i] : memref<8xf32>
    %x12 = memref.load %a12[%i] : memref<8xf32>
    %x13 = memref.load %a13[%i] : memref<8xf32>
    %x14 = memref.load %a14[%i] : memref<8xf32>
    %x15 = memref.load %a15[%i] : memref<8xf32>
    %x16 = memref.load %a16[%i] : memref<8xf32>
    %x17 = memref.load %a17[%i] : memref<8xf32>
    %x18 = memref.load %a18[%i] : memref<8xf32>
    %x19 = memref.load %a19[%i] : memref<8xf32>
    %x20 = memref.load %a20[%i] : memref<8xf32>
    %x21 = memref.load %a21[%i] : memref<8xf32>
    %x22 = memref.load %a22[%i] : memref<8xf32>
    %x23 = memref.load %a23[%i] : memref<8xf32>
    %x24 = memref.load %a24[%i] : memref<8xf32>
    %x25 = memref.load %a25[%i] : memref<8xf32>
    %x26 = memref.load %a26[%i] : memref<8xf32>
    %x27 = memref.load %a27[%i] : memref<8xf32>
    %x28 = memref.load %a28[%i] : memref<8xf32>
    %x29 = memref.load %a29[%i] : memref<8xf32>
    %x30 = memref.load %a30[%i] : memref<8xf32>
    %x31 = memref.load %a31[%i] : memref<8xf32>
    %x32 = memref.load %a32[%i] : memref<8xf32>
    %x33 = memref.load %a33[%i] : memref<8xf32>
    %x34 = memref.load %a34[%i] : memref<8xf32>
    %x35 = memref.load %a35[%i] : memref<8xf32>
    %x36 = memref.load %a36[%i] : memref<8xf32>
    %x37 = memref.load %a37[%i] : memref<8xf32>
    %x38 = memref.load %a38[%i] : memref<8xf32>
    %x39 = memref.load %a39[%i] : memref<8xf32>
    %x40 = memref.load %a40[%i] : memref<8xf32>
    %x41 = memref.load %a41[%i] : memref<8xf32>
    %x42 = memref.load %a42[%i] : memref<8xf32>
    %x43 = memref.load %a43[%i] : memref<8xf32>
    %x44 = memref.load %a44[%i] : memref<8xf32>
    %x45 = memref.load %a45[%i] : memref<8xf32>
    %x46 = memref.load %a46[%i] : memref<8xf32>
    %x47 = memref.load %a47[%i] : memref<8xf32>
    %x48 = memref.load %a48[%i] : memref<8xf32>
    %x49 = memref.load %a49[%i] : memref<8xf32>
    %x50 = memref.load %a50[%i] : memref<8xf32>
    %x51 = memref.load %a51[%i] : memref<8xf32>
    %x52 = memref.load %a52[%i] : memref<8xf32>
    %x53 = memref.load %a53[%i] : memref<8xf32>
    %x54 = memref.load %a54[%i] : memref<8xf32>
    %x55 = memref.load %a55[%i] : memref<8xf32>
    %x56 = memref.load %a56[%i] : memref<8xf32>
    %x57 = memref.load %a57[%i] : memref<8xf32>
    %x58 = memref.load %a58[%i] : memref<8xf32>
    %x59 = memref.load %a59[%i] : memref<8xf32>
    %x60 = memref.load %a60[%i] : memref<8xf32>
    %x61 = memref.load %a61[%i] : memref<8xf32>
    %x62 = memref.load %a62[%i] : memref<8xf32>
    %x63 = memref.load %a63[%i] : memref<8xf32>
    %x64 = memref.load %a64[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @parallel_c8() {
  // expected-error @+1 {{layout does not fit the loop: }}
  tile.parallel (%i) in [64] {
  } {layout = #tile.layout<"bases<reg=(), lane=(d0:1*32), warp=() -> d0:64>">}
  return
}

// -----

func.func @parallel_c8_memory() {
  // expected-error @+1 {{expects a layout of a fragment, got one of shared memory}}
  tile.parallel (%i) in [64] {
  } {layout = #tile.layout<"linear">}
  return
}

// -----

func.func @transpose_c1(%a: memref<?x?xf32, #gpu.address_space<workgroup>>, %b: memref<8x8xf32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' to be a static tile of rank 2 to 5, got}}
  tile.transpose %a to %b : memref<?x?xf32, #gpu.address_space<workgroup>>, memref<8x8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @transpose_c2(%a: memref<2x8x4xf32, #gpu.address_space<workgroup>>, %b: memref<2x8x4xf16, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' of shape 2x4x8xf16, got 2x8x4xf16}}
  tile.transpose %a to %b : memref<2x8x4xf32, #gpu.address_space<workgroup>>, memref<2x8x4xf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @transpose_c3(%a: memref<8x4xf32, #gpu.address_space<workgroup>>, %b: memref<4x8xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects element types that are equal, both float or both integer, got f32 and i32}}
  tile.transpose %a to %b : memref<8x4xf32, #gpu.address_space<workgroup>>, memref<4x8xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @transpose_c4(%a: memref<8x4xf32>, %b: memref<4x8xf32>) {
  // expected-error @+1 {{expects 'src' or 'dst' outside global memory; go through a shared tile}}
  tile.transpose %a to %b : memref<8x4xf32>, memref<4x8xf32>
  return
}

// -----

func.func @transpose_c4_private(%a: memref<8x4xf32, #gpu.address_space<private>>, %b: memref<4x8xf32>) {
  // expected-error @+1 {{expects 'src' in global or shared memory or a fragment, got it in private memory}}
  tile.transpose %a to %b : memref<8x4xf32, #gpu.address_space<private>>, memref<4x8xf32>
  return
}

// -----

func.func @transpose_c5(%b: memref<4x8xf32>) {
  %a = tile.alloc : memref<16x4xf32, #tile.fragment>
  %w = tile.region %a[0, 0] [8, 4] : memref<16x4xf32, #tile.fragment>
  // expected-error @+1 {{expects 'src' to be a whole fragment, got a window of 16x4xf32}}
  tile.transpose %w to %b : !tile.region<8x4xf32, #tile.fragment>, memref<4x8xf32>
  return
}

// -----

func.func @unpack_fp4_c1(%pair: i8, %k: index) {
  // expected-error @+1 {{expects f32, f16, bf16, f8E4M3FN or f8E5M2 as the result, got i32}}
  %v = tile.unpack_fp4 %pair[%k] : i32
  return
}

// -----

func.func @unpack_c1(%word: i24, %k: index) {
  // expected-error @+1 {{expects a word of 8, 16, 32 or 64 bits, got i24}}
  %v = tile.unpack %word[%k] : i24 to f4E2M1FN
  return
}

// -----

func.func @unpack_c2(%word: i32, %k: index) {
  // expected-error @+1 {{expects elements of f4E2M1FN, f6E3M2FN, f6E2M3FN, f8E8M0FNU, f8E4M3FN, f8E5M2, i4 or i8, got f16}}
  %v = tile.unpack %word[%k] : i32 to f16
  return
}

// -----

func.func @pack_c3(%a: f6E3M2FN) {
  // expected-error @+1 {{expects at most 1 elements in i8, got 2}}
  %v = tile.pack %a, %a : f6E3M2FN, f6E3M2FN to i8
  return
}

// -----

func.func @pack_c3_none() {
  // expected-error @+1 {{expects at least one element}}
  %v = "tile.pack"() : () -> i8
  return
}

// -----

func.func @parallel_c10_integer(%A: memref<8xi2>) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E8M0FNU, f6E3M2FN, f6E2M3FN, f4E2M1FN, an integer of 8, 16, 32 or 64 bits, signless or unsigned, i1 or i4, got i2}}
    %x = memref.load %A[%i] : memref<8xi2>
  }
  return
}

// -----

func.func @parallel_c10_float(%A: memref<8xf80>, %v: f80) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{or i4, got f80}}
    memref.store %v, %A[%i] : memref<8xf80>
  }
  return
}

// -----

func.func @parallel_c9_memory(%v: f32) {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{updates memory that no other thread sees, got it in a fragment}}
    memref.atomic_rmw addf %v, %a[%i] : (f32, memref<8xf32, #tile.fragment>) -> f32
  }
  return
}

// -----

func.func @parallel_c9_kind(%A: memref<8xf32>, %v: f32) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects addf, addi, maximumf, maxs, maxu, minimumf, mins, minu, andi, ori or xori}}
    memref.atomic_rmw mulf %v, %A[%i] : (f32, memref<8xf32>) -> f32
  }
  return
}

// -----

func.func @parallel_c9_type(%A: memref<8xi1>, %v: i1) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{cannot update i1; the table of tile.atomic lists what can}}
    memref.atomic_rmw maxs %v, %A[%i] : (i1, memref<8xi1>) -> i1
  }
  return
}

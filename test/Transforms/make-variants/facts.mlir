// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %s -o %t.once
// RUN: %tile_opt_passes 'tile-make-variants{target=sm_90a}' %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// TMA needs an aligned base, an aligned row pitch and no empty extent. The
// first variant requires them on the host and states the fact on the window;
// the second is the launch as it was.
// CHECK-LABEL: func.func @dynamic_tensor_has_two_variants
// CHECK: tile.variants {
// CHECK: tile.address %[[A:.*]] :
// CHECK: tile.require %{{.*}}, "address of argument 0 is a multiple of 16 bytes"
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: tile.require %{{.*}}, "extent 0 of argument 0 is not 0"
// CHECK: tile.require %{{.*}}, "extent 1 of argument 0 is not 0"
// CHECK: gpu.launch
// CHECK: tile.region %[[A]][{{.*}}{align = 16 : i64}
// CHECK: }, {
// CHECK-NOT: tile.require
// CHECK: gpu.launch
// CHECK: tile.region %[[A]]
// CHECK-NOT: align
// CHECK: return
func.func @dynamic_tensor_has_two_variants(%A: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [128, 64] : memref<?x?xbf16>
    tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// Static strides are checked here, not on the host: only the address is open.
// CHECK-LABEL: func.func @static_strides_are_known
// CHECK: tile.require %{{.*}}, "address of argument 0 is a multiple of 16 bytes"
// CHECK-NOT: tile.require
// CHECK: gpu.launch
func.func @static_strides_are_known(%A: memref<256x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [128, 64] : memref<256x64xbf16>
    tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// A pitch of 65 elements is never aligned: no variant could profit.
// CHECK-LABEL: func.func @odd_static_stride_needs_no_variant
// CHECK-NOT: tile.variants
func.func @odd_static_stride_needs_no_variant(%A: memref<256x65xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [128, 64] : memref<256x65xbf16>
    tile.copy %a to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// A copy that the user wants by ordinary loads needs no fact.
// CHECK-LABEL: func.func @required_simt_needs_no_variant
// CHECK-NOT: tile.variants
func.func @required_simt_needs_no_variant(%A: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [128, 64] : memref<?x?xbf16>
    tile.copy %a to %As {instr = #tile.instr<simt>} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// What a given instruction needs, both variants would need: it is required of the
// call, and the copy that chooses for itself still makes variants.
// CHECK-LABEL: func.func @required_tma_is_required_of_the_call
// CHECK: tile.require %{{.*}}, "address of argument 0 is a multiple of 16 bytes"
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
// CHECK: tile.variants
// CHECK: tile.require %{{.*}}, "address of argument 1 is a multiple of 16 bytes"
// CHECK: tile.region %arg0{{.*}}align = 16
// CHECK: tile.region %arg1{{.*}}align = 16
// CHECK: gpu.launch
// CHECK: tile.region %arg0{{.*}}align = 16
// CHECK: tile.region %arg1[%{{.*}}] [128, 64] : memref
func.func @required_tma_is_required_of_the_call(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[%c0, %c0] [128, 64] : memref<?x?xbf16>
    %b = tile.region %B[%c0, %c0] [128, 64] : memref<?x?xbf16>
    tile.copy %a to %As {instr = #tile.instr<tma>} : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    tile.copy %b to %As : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// A tensor that is stored by TMA, too.
// CHECK-LABEL: func.func @stores_need_facts
// CHECK: tile.variants
// CHECK: tile.require %{{.*}}, "stride 0 of argument 0 is a multiple of 16 bytes"
func.func @stores_need_facts(%A: memref<?x?xbf16>) {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %As = tile.alloc : memref<128x64xbf16, #gpu.address_space<workgroup>>
    %a = tile.region %A[0, 0] [128, 64] : memref<?x?xbf16>
    tile.copy %As to %a : memref<128x64xbf16, #gpu.address_space<workgroup>>, !tile.region<128x64xbf16>
    gpu.terminator
  }
  return
}

// Functions without launches come out as they went in.
// CHECK-LABEL: func.func @no_kernel
// CHECK-NEXT: return
func.func @no_kernel() {
  return
}

// RUN: %tile_opt %s --verify-roundtrip | FileCheck %s

!a = memref<128x32xbf16, #gpu.address_space<workgroup>>
!e = memref<128x4xi16, #gpu.address_space<workgroup>>
!b = memref<64x128xbf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf32, #tile.fragment>

// CHECK-LABEL: func.func @gemm_sp
func.func @gemm_sp(%a: !a, %e: !e, %b: !b, %c: !c, %p: i1) {
  // CHECK: tile.gemm_sp %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (memref<128x32xbf16, {{.*}}>, memref<128x4xi16, {{.*}}>, memref<64x128xbf16, {{.*}}>, memref<128x128xf32, #tile.fragment>)
  tile.gemm_sp %a, %e, %b, %c : (!a, !e, !b, !c)
  // CHECK: tile.gemm_sp %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} clear %{{.*}} {instr = #tile.instr<mma>, policy = #tile.warp_policy<full_row>}
  tile.gemm_sp %a, %e, %b, %c clear %p {instr = #tile.instr<mma>, policy = #tile.warp_policy<full_row>} : (!a, !e, !b, !c)
  return
}

!af = memref<64x16xf32, #tile.fragment>
!ef = memref<64x4xi16, #gpu.address_space<workgroup>>
!bf = memref<64x32xf32, #gpu.address_space<workgroup>>
!cf = memref<64x64xf32, #tile.fragment>

// One of two for f32: twice the metadata.
// CHECK-LABEL: func.func @tf32
func.func @tf32(%a: !af, %e: !ef, %b: !bf, %c: !cf) {
  // CHECK: tile.gemm_sp {{.*}} {precision = "tf32", transpose_b}
  tile.gemm_sp %a, %e, %b, %c {precision = "tf32", transpose_b} : (!af, !ef, !bf, !cf)
  return
}

// Packed metadata: a row of words for 64 rows and 64 columns, f32 32 columns.
// CHECK-LABEL: func.func @packed
func.func @packed(%a: !a, %e: memref<2x1x128xi32, #gpu.address_space<workgroup>>, %b: !b, %c: !c,
                  %af: !af, %ef: memref<1x1x128xi32, #gpu.address_space<workgroup>>, %bf: !bf, %cf: !cf) {
  // CHECK: tile.gemm_sp %{{.*}} : (memref<128x32xbf16, {{.*}}>, memref<2x1x128xi32, {{.*}}>, memref<64x128xbf16, {{.*}}>, memref<128x128xf32, #tile.fragment>)
  tile.gemm_sp %a, %e, %b, %c : (!a, memref<2x1x128xi32, #gpu.address_space<workgroup>>, !b, !c)
  // CHECK: tile.gemm_sp %{{.*}} {precision = "tf32", transpose_b} : ({{.*}}, memref<1x1x128xi32, {{.*}}>, {{.*}}, {{.*}})
  tile.gemm_sp %af, %ef, %bf, %cf {precision = "tf32", transpose_b} : (!af, memref<1x1x128xi32, #gpu.address_space<workgroup>>, !bf, !cf)
  return
}

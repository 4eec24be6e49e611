// Copies under guards in nested loops of all kinds: many rings, whose positions are
// independent of each other. For proof-cost.test.
func.func @many_rings(%A0: memref<?x?xf8E4M3FN>, %A1: memref<96x100xf32>, %A2: memref<?x?xf16>, %A3: memref<?x?xi32>, %A4: memref<?x?xi32>, %A5: memref<96x64xi32>, %A6: memref<?x?xf16>, %O7: memref<128x24xf32, strided<[?, 1], offset: ?>>, %table: memref<16xi32>, %flags: memref<16xi32>, %gx: index, %n0: index, %n1: index, %z: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c384 = arith.constant 384 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %c1, %sz = %c1) threads(%tx, %ty, %tz) in (%nx = %c384, %ny = %c1, %nz = %c1) {
    tile.kernel_config {specialize = #tile.specialize<off>, producer_warps = 4 : i64}
    %t0 = tile.alloc : memref<48x8xf16, #tile.fragment>
    %t1 = tile.alloc : memref<64x32xf16, #gpu.address_space<workgroup>>
    %t2 = tile.alloc : memref<32x24xf16, #gpu.address_space<workgroup>>
    %t3 = tile.alloc : memref<64x24xf32, #tile.fragment>
    %t4 = tile.alloc : memref<8x48xbf16, #tile.fragment>
    %t5 = tile.alloc : memref<48x8xf32, #gpu.address_space<workgroup>>
    %t6 = tile.alloc : memref<48x8xf32, #gpu.address_space<workgroup>>
    %t7 = tile.alloc : memref<16x1xi32, #gpu.address_space<workgroup>>
    %t8 = tile.alloc : memref<17x32xi32, #gpu.address_space<workgroup>>
    %t9 = tile.alloc : memref<16xi16, #gpu.address_space<workgroup>>
    %t10 = tile.alloc : memref<64x16xf16, #gpu.address_space<workgroup>>
    %t11 = tile.alloc : memref<96x16xf16, #gpu.address_space<workgroup>>
    %t12 = tile.alloc : memref<64x96xf16, #tile.fragment>
    %t13 = tile.alloc : memref<64x24xf32, #tile.fragment>
    %x1 = arith.constant 0.0 : f32
    tile.fill %t3, %x1 : memref<64x24xf32, #tile.fragment>, f32
    scf.for %v1 = %c0 to %n1 step %c2 {
      scf.for %v2 = %c0 to %n1 step %c1 {
        %x3 = arith.remui %v2, %c16 : index
        %x4 = memref.load %flags[%x3] : memref<16xi32>
        %x5 = arith.constant 0 : i32
        %x2 = arith.cmpi ne, %x4, %x5 : i32
        scf.if %x2 {
          %x7 = arith.muli %v2, %c16 : index
          %x6 = arith.addi %c5, %x7 : index
          %x8 = arith.muli %v2, %c8 : index
          %x9 = tile.region %A3[%x6, %x8] [16, 1] : memref<?x?xi32>
          tile.copy %x9 to %t7 : !tile.region<16x1xi32>, memref<16x1xi32, #gpu.address_space<workgroup>>
        } else {
          %x12 = arith.remui %v2, %c16 : index
          %x13 = memref.load %table[%x12] : memref<16xi32>
          %x11 = arith.index_cast %x13 : i32 to index
          %x10 = arith.muli %x11, %c32 : index
          %x14 = arith.muli %v2, %c16 : index
          %x15 = tile.region %A4[%x10, %x14] [16, 1] : memref<?x?xi32>
          tile.copy %x15 to %t7 : !tile.region<16x1xi32>, memref<16x1xi32, #gpu.address_space<workgroup>>
        }
        %x16 = arith.constant 1.0 : f16
        tile.fill %t12, %x16 : memref<64x96xf16, #tile.fragment>, f16
        %x17 = scf.while (%v3_w = %c1) : (index) -> (index) {
          %x18 = arith.cmpi slt, %v3_w, %n1 : index
          scf.condition(%x18) %v3_w : index
        } do {
        ^bb0(%v3: index):
          %x20 = arith.cmpi sgt, %z, %c5 : index
          scf.if %x20 {
            %x21 = arith.muli %v2, %c16 : index
            %x25 = arith.remui %v3, %c16 : index
            %x26 = memref.load %table[%x25] : memref<16xi32>
            %x24 = arith.index_cast %x26 : i32 to index
            %x23 = arith.muli %x24, %c32 : index
            %x27 = arith.muli %v3, %c8 : index
            %x22 = arith.addi %x23, %x27 : index
            %x28 = tile.region %A6[%x21, %x22] [64, 16] : memref<?x?xf16>
            tile.copy %x28 to %t10 : !tile.region<64x16xf16>, memref<64x16xf16, #gpu.address_space<workgroup>>
            %x29 = arith.muli %v2, %c3 : index
            %x30 = arith.muli %v1, %c1 : index
            %x31 = tile.region %A6[%x29, %x30] [96, 16] : memref<?x?xf16>
            tile.copy %x31 to %t11 : !tile.region<96x16xf16>, memref<96x16xf16, #gpu.address_space<workgroup>>
            tile.gemm %t10, %t11, %t12 {transpose_b} : (memref<64x16xf16, #gpu.address_space<workgroup>>, memref<96x16xf16, #gpu.address_space<workgroup>>, memref<64x96xf16, #tile.fragment>)
          }
          tile.scan max %t3 to %t13 dim 0 : memref<64x24xf32, #tile.fragment>, memref<64x24xf32, #tile.fragment>
          %x19 = arith.addi %v3, %c1 : index
          scf.yield %x19 : index
        } attributes {tile.num_stages = 2 : i32}
        %x32 = arith.muli %v1, %c64 : index
        %x34 = arith.muli %bx, %c32 : index
        %x35 = arith.muli %v1, %c16 : index
        %x33 = arith.addi %x34, %x35 : index
        %x36 = tile.region %A5[%x32, %x33] [17, 32] : memref<96x64xi32>
        tile.copy %x36 to %t8 : !tile.region<17x32xi32>, memref<17x32xi32, #gpu.address_space<workgroup>>
        tile.reduce absmax %t7 to %t9 dim 1 {clear} : memref<16x1xi32, #gpu.address_space<workgroup>>, memref<16xi16, #gpu.address_space<workgroup>>
        %x38 = arith.remui %v2, %c16 : index
        %x39 = memref.load %flags[%x38] : memref<16xi32>
        %x40 = arith.constant 0 : i32
        %x37 = arith.cmpi ne, %x39, %x40 : i32
        scf.if %x37 {
          tile.parallel (%i40) in [16] {
            %x41 = memref.load %t9[%i40] : memref<16xi16, #gpu.address_space<workgroup>>
            %x42 = arith.extsi %x41 : i16 to i32
            %x43 = arith.addi %v2, %i40 : index
            %x44 = arith.remui %x43, %c3 : index
            %x45 = arith.subi %x44, %c1 : index
            %x46 = arith.index_cast %x45 : index to i32
            %x47 = arith.minsi %x42, %x42 : i32
            %x48 = arith.constant -8 : i32
            %x49 = arith.constant 8 : i32
            %x50 = arith.maxsi %x47, %x48 : i32
            %x51 = arith.minsi %x50, %x49 : i32
            %x52 = arith.trunci %x51 : i32 to i16
            memref.store %x52, %t9[%i40] : memref<16xi16, #gpu.address_space<workgroup>>
          }
        }
      } {tile.num_stages = 3 : i32}
      %x53 = arith.muli %v1, %c64 : index
      %x56 = arith.remui %v1, %c16 : index
      %x57 = memref.load %table[%x56] : memref<16xi32>
      %x55 = arith.index_cast %x57 : i32 to index
      %x54 = arith.muli %x55, %c16 : index
      %x58 = tile.region %A0[%x53, %x54] [48, 8] : memref<?x?xf8E4M3FN>
      tile.copy %x58 to %t0 : !tile.region<48x8xf8E4M3FN>, memref<48x8xf16, #tile.fragment>
      %x59 = arith.cmpi sgt, %z, %c5 : index
      scf.if %x59 {
        %x61 = arith.muli %v1, %c8 : index
        %x62 = arith.muli %v1, %c16 : index
        %x60 = arith.addi %x61, %x62 : index
        %x63 = tile.region %A1[%v1, %x60] [64, 32] : memref<96x100xf32>
        tile.copy %x63 to %t1 : !tile.region<64x32xf32>, memref<64x32xf16, #gpu.address_space<workgroup>>
        %x65 = arith.muli %bx, %c16 : index
        %x66 = arith.muli %v1, %c8 : index
        %x64 = arith.addi %x65, %x66 : index
        %x69 = arith.remui %v1, %c16 : index
        %x70 = memref.load %table[%x69] : memref<16xi32>
        %x68 = arith.index_cast %x70 : i32 to index
        %x67 = arith.muli %x68, %c3 : index
        %x71 = tile.region %A2[%x64, %x67] [32, 24] : memref<?x?xf16>
        tile.copy %x71 to %t2 : !tile.region<32x24xf16>, memref<32x24xf16, #gpu.address_space<workgroup>>
        tile.gemm %t1, %t2, %t3 : (memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x24xf16, #gpu.address_space<workgroup>>, memref<64x24xf32, #tile.fragment>)
      }
      tile.transpose %t0 to %t4 : memref<48x8xf16, #tile.fragment>, memref<8x48xbf16, #tile.fragment>
      tile.transpose %t4 to %t5 : memref<8x48xbf16, #tile.fragment>, memref<48x8xf32, #gpu.address_space<workgroup>>
      %x72 = arith.cmpi slt, %v1, %c2 : index
      scf.if %x72 {
        tile.scan sum %t5 to %t6 dim 0 : memref<48x8xf32, #gpu.address_space<workgroup>>, memref<48x8xf32, #gpu.address_space<workgroup>>
      }
    }
    %x73 = arith.muli %bx, %c64 : index
    %x74 = tile.region %O7[%x73, %c0] [64, 24] : memref<128x24xf32, strided<[?, 1], offset: ?>>
    tile.copy %t3 to %x74 : memref<64x24xf32, #tile.fragment>, !tile.region<64x24xf32>
    gpu.terminator
  }
  return
}

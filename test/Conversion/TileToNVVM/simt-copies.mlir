// Copies and fills by ordinary loads and stores.
// RUN: %tile_opt_passes 'gpu.module(convert-tile-to-nvvm{target=sm_90a})' %s | FileCheck %s

!shared = memref<8x16xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  // A window that may leave the tensor: each element is loaded where it lies
  // inside, as unsigned comparisons so that negative offsets are outside, and is
  // zero elsewhere; stores there are dropped, 16 bytes at once where the rows turn
  // out to fit. 64-bit addresses, 32-bit indices.
  // CHECK-LABEL: llvm.func @ragged
  // CHECK-SAME: %[[A:arg[0-9]+]]: !llvm.ptr<1>, %[[ROWS:arg[0-9]+]]: i32, %[[COLS:arg[0-9]+]]: i32, %[[M:arg[0-9]+]]: i32)
  // CHECK: %[[ROW:.*]] = arith.addi %[[M]], %{{.*}} : i32
  // CHECK: %[[P:.*]] = llvm.getelementptr %[[A]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  // CHECK: %[[IN0:.*]] = arith.cmpi ult, %{{.*}}, %[[ROWS]] : i32
  // CHECK: %[[IN1:.*]] = arith.cmpi ult, %{{.*}}, %[[COLS]] : i32
  // CHECK: %[[IN:.*]] = arith.andi %[[IN0]], %[[IN1]] : i1
  // CHECK: %[[V:.*]] = llvm.inline_asm has_side_effects "{\0Amov.b32 $0, 0;\0A@$2 ld.global.b32 $0, [$1];\0A}", "=&r,l,b" %{{.*}}, %[[IN]]
  // CHECK: llvm.store %[[V]], %{{.*}} : i32, !llvm.ptr<3>
  // Address, pitch and the end of the rows.
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
  // CHECK: %[[OR:.*]] = arith.ori %[[ADDRESS]],
  // CHECK: %[[LOW:.*]] = arith.ori %[[OR]],
  // CHECK: %[[REST:.*]] = arith.andi %[[LOW]], %c15
  // CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[REST]], %c0
  // CHECK: cf.cond_br %[[FITS]], ^[[FAST:.*]], ^[[SLOW:.*]]
  // CHECK: ^[[FAST]]:
  // CHECK: st.global.v4.b32
  // CHECK: cf.br ^[[AFTER:.*]]
  // CHECK: ^[[SLOW]]:
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.global.b32 [$1], $0;", "r,l,b"
  // CHECK: ^[[AFTER]]:
  gpu.func @ragged(%A: memref<?x?xf32>, %m: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %a = tile.region %A[%m, 0] [8, 16] : memref<?x?xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>} : !tile.region<8x16xf32>, !shared
    tile.copy %s to %a {instr = #tile.instr<simt>} : !shared, !tile.region<8x16xf32>
    gpu.return
  }

  // Static extents, aligned rows and a window at a multiple of four columns: 16
  // bytes at once, without conditions.
  // CHECK-LABEL: llvm.func @vectors
  // CHECK-NOT: llvm.inline_asm
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.load
  gpu.func @vectors(%A: memref<8x32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %a = tile.region %A[0, 4] [8, 16] {align = 16 : i64} : memref<8x32xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>} : !tile.region<8x16xf32>, !shared
    gpu.return
  }

  // The window starts between two vectors: alignment of the tensor does not help.
  // CHECK-LABEL: llvm.func @odd_offset
  // CHECK-NOT: vector<4xi32>
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
  gpu.func @odd_offset(%A: memref<8x32xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %a = tile.region %A[0, 2] [8, 16] {align = 16 : i64} : memref<8x32xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>} : !tile.region<8x16xf32>, !shared
    gpu.return
  }

  // An unknown offset counts as odd, unless arithmetic says better.
  // CHECK-LABEL: llvm.func @unknown_offset
  // CHECK: ld.global.b32
  // CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<1>
  gpu.func @unknown_offset(%A: memref<8x32xf32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %a = tile.region %A[0, %n] [8, 16] {align = 16 : i64} : memref<8x32xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>} : !tile.region<8x16xf32>, !shared
    gpu.return
  }

  // CHECK-LABEL: llvm.func @multiple_offset
  // CHECK-NOT: cf.cond_br
  // CHECK: ld.global.v4.b32
  gpu.func @multiple_offset(%A: memref<8x32xf32>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c16 = arith.constant 16 : index
    %n16 = arith.muli %n, %c16 : index
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %a = tile.region %A[0, %n16] [8, 16] {align = 16 : i64} : memref<8x32xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>} : !tile.region<8x16xf32>, !shared
    gpu.return
  }

  // A width that the program asks for bounds the accesses.
  // CHECK-LABEL: llvm.func @bounded_width
  // CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
  gpu.func @bounded_width(%A: memref<8x16xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %a = tile.region %A[0, 0] [8, 16] {align = 16 : i64} : memref<8x16xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>, vector_width = 2 : i64} : !tile.region<8x16xf32>, !shared
    gpu.return
  }

  // Loads of a batch are issued before its stores; more chunks make a loop.
  // CHECK-LABEL: llvm.func @batches
  // CHECK: cf.br ^[[LOOP:bb[0-9]+]](%{{.*}} : i32)
  // CHECK: ^[[LOOP]](%{{.*}}: i32):
  // CHECK-COUNT-8: llvm.load
  // CHECK-NOT: llvm.load
  // CHECK-COUNT-8: llvm.store
  // CHECK: %[[AGAIN:.*]] = arith.cmpi ult, %{{.*}}, %c2{{.*}} : i32
  // CHECK: cf.cond_br %[[AGAIN]], ^[[LOOP]](%{{.*}} : i32), ^{{.*}}
  gpu.func @batches(%A: memref<64x32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<64x32xf32, #gpu.address_space<workgroup>>
    tile.copy %A to %s {instr = #tile.instr<simt>} : memref<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // 40 chunks of 32 threads: two rounds, the second of which is that of 8 threads.
  // CHECK-LABEL: llvm.func @overhang
  // CHECK: arith.cmpi ult, %{{.*}}, %c40_i32{{.*}} : i32
  // CHECK: arith.cmpi ult, %{{.*}}, %c40_i32{{.*}} : i32
  // CHECK-NOT: arith.cmpi
  // CHECK: llvm.return
  gpu.func @overhang() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<40x4xf32, #gpu.address_space<workgroup>>
    %t = tile.alloc {layout = #tile.layout<"linear">, offset = 1024 : i64} : memref<40x4xf32, #gpu.address_space<workgroup>>
    tile.copy %s to %t {instr = #tile.instr<simt>} : memref<40x4xf32, #gpu.address_space<workgroup>>, memref<40x4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // What lies outside becomes the pad, of which an i1 is a byte.
  // CHECK-LABEL: llvm.func @pad
  // CHECK-SAME: %[[PAD:arg[0-9]+]]: i1)
  // CHECK: %[[BYTE:.*]] = arith.extui %[[PAD]] : i1 to i8
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i8
  gpu.func @pad(%A: memref<?xi1>, %p: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<32xi1, #gpu.address_space<workgroup>>
    %a = tile.region %A[0] [32] pad %p : i1 in : memref<?xi1>
    tile.copy %a to %s {instr = #tile.instr<simt>} : !tile.region<32xi1>, memref<32xi1, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Conversions: floats round to nearest even, by way of f32 where neither holds
  // the other; i1 keeps the low bit and is extended with zeros.
  // CHECK-LABEL: llvm.func @conversions
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  // CHECK: arith.andi %{{.*}}, %c1{{.*}} : i32
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  // CHECK: arith.extui %{{.*}} : i8 to i32
  // CHECK: arith.extsi %{{.*}} : i8 to i32
  gpu.func @conversions(%H: memref<32xf16>, %I: memref<32xi32>, %P: memref<32xi1>, %C: memref<32xi8>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %b = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : memref<32xbf16, #gpu.address_space<workgroup>>
    tile.copy %H to %b {instr = #tile.instr<simt>} : memref<32xf16>, memref<32xbf16, #gpu.address_space<workgroup>>
    %p = tile.alloc {layout = #tile.layout<"linear">, offset = 64 : i64} : memref<32xi1, #gpu.address_space<workgroup>>
    tile.copy %I to %p {instr = #tile.instr<simt>} : memref<32xi32>, memref<32xi1, #gpu.address_space<workgroup>>
    %i = tile.alloc {layout = #tile.layout<"linear">, offset = 128 : i64} : memref<32xi32, #gpu.address_space<workgroup>>
    tile.copy %P to %i {instr = #tile.instr<simt>} : memref<32xi1>, memref<32xi32, #gpu.address_space<workgroup>>
    tile.copy %C to %i {instr = #tile.instr<simt>} : memref<32xi8>, memref<32xi32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Private memory belongs to a thread: all of them fill it, one copies it out.
  // CHECK-LABEL: llvm.func @private
  // CHECK-NOT: nvvm.read.ptx.sreg.tid
  // CHECK: llvm.alloca
  // CHECK: llvm.store
  // CHECK: arith.cmpi eq
  // CHECK: cf.cond_br
  // CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<1>
  gpu.func @private(%A: memref<2xf32>, %v: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %p = tile.alloc : memref<2xf32, #gpu.address_space<private>>
    tile.fill %p, %v : memref<2xf32, #gpu.address_space<private>>, f32
    tile.copy %p to %A {instr = #tile.instr<simt>} : memref<2xf32, #gpu.address_space<private>>, memref<2xf32>
    gpu.return
  }

  // A policy of L2 is made once, and is an operand of every access to global
  // memory; the normal one is that of accesses without.
  // CHECK-LABEL: llvm.func @policies
  // CHECK: %[[LAST:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"  : () -> i64
  // CHECK-NOT: createpolicy
  // CHECK: llvm.inline_asm has_side_effects "ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=&r,=&r,=&r,=&r,l,l" %{{.*}}, %[[LAST]]
  // CHECK: llvm.inline_asm has_side_effects "st.global.L2::cache_hint.v4.b32 [$4], {$0, $1, $2, $3}, $5;", "r,r,r,r,l,l" {{.*}}, %[[LAST]] :
  // CHECK-COUNT-4: llvm.inline_asm has_side_effects "{\0Amov.b32 $0, 0;\0A@$2 ld.global.L2::cache_hint.b32 $0, [$1], $3;\0A}", "=&r,l,b,l" {{.*}}, %[[LAST]] :
  // CHECK-NOT: cache_hint
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1>
  gpu.func @policies(%A: memref<8x16xf32>, %B: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.alloc {layout = #tile.layout<"linear">, offset = 0 : i64} : !shared
    %b = tile.region %B[0, 0] [8, 16] : memref<?x?xf32>
    %a = tile.region %A[0, 0] [8, 16] {align = 16 : i64} : memref<8x16xf32>
    tile.copy %a to %s {instr = #tile.instr<simt>, eviction = #tile.eviction<last>} : !tile.region<8x16xf32>, !shared
    tile.copy %s to %a {instr = #tile.instr<simt>, eviction = #tile.eviction<last>} : !shared, !tile.region<8x16xf32>
    tile.copy %b to %s {instr = #tile.instr<simt>, eviction = #tile.eviction<last>} : !tile.region<8x16xf32>, !shared
    tile.copy %a to %s {instr = #tile.instr<simt>, eviction = #tile.eviction<normal>} : !tile.region<8x16xf32>, !shared
    gpu.return
  }
}

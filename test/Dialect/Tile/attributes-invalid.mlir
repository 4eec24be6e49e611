// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Discardable attributes of the dialect, on ops of any dialect.

// expected-error @+1 {{expects 'tile.num_stages' on a loop, not on a function: it belongs to the scf.for or scf.while to pipeline}}
func.func @num_stages_function() attributes {tile.num_stages = 3 : i32} {
  return
}

// -----

func.func @num_stages_if(%c: i1) {
  // expected-error @+1 {{expects 'tile.num_stages' only on scf.for and scf.while}}
  scf.if %c {
  } {tile.num_stages = 3 : i32}
  return
}

// -----

func.func @num_stages_type(%i: index) {
  // expected-error @+1 {{expects 'tile.num_stages' to be an i32, got 3 : i64}}
  scf.for %k = %i to %i step %i {
  } {tile.num_stages = 3}
  return
}

// -----

func.func @num_stages_kind(%i: index) {
  // expected-error @+1 {{expects 'tile.num_stages' to be an i32, got "three"}}
  scf.for %k = %i to %i step %i {
  } {tile.num_stages = "three"}
  return
}

// -----

func.func @num_stages_negative(%i: index) {
  // expected-error @+1 {{expects 'tile.num_stages' to be at least 0, got -1}}
  scf.for %k = %i to %i step %i {
  } {tile.num_stages = -1 : i32}
  return
}

// -----

func.func @stage_negative(%i: index) {
  // expected-error @+1 {{expects 'tile.stage' to be at least 0, got -1}}
  %0 = arith.addi %i, %i {tile.stage = -1 : i32} : index
  return
}

// -----

func.func @order_type(%i: index) {
  // expected-error @+1 {{expects 'tile.order' to be an i32, got 1.000000e+00 : f32}}
  %0 = arith.addi %i, %i {tile.order = 1.0 : f32} : index
  return
}

// -----

func.func @group_type(%i: index) {
  // expected-error @+1 {{expects 'tile.group' to be an i32, got unit}}
  %0 = arith.addi %i, %i {tile.group} : index
  return
}

// -----

// expected-error @+1 {{expects 'tile.target' only on builtin.module}}
func.func @target_place() attributes {tile.target = #nvvm.target<chip = "sm_90a">} {
  return
}

// -----

// expected-error @+1 {{expects 'tile.target' to be an #nvvm.target, got "sm_90a"}}
module attributes {tile.target = "sm_90a"} {
}

// -----

// expected-error @+1 {{expects 'tile.num_threads' to be a positive multiple of 32, at most 1024, got 100}}
func.func @num_threads_multiple() attributes {tile.num_threads = 100 : i64} {
  return
}

// -----

// expected-error @+1 {{expects 'tile.num_threads' to be a positive multiple of 32, at most 1024, got 2048}}
func.func @num_threads_high() attributes {tile.num_threads = 2048 : i32} {
  return
}

// -----

// expected-error @+1 {{expects 'tile.num_threads' to be an integer, got "many"}}
func.func @num_threads_type() attributes {tile.num_threads = "many"} {
  return
}

// -----

func.func @num_threads_place(%c: i1) {
  // expected-error @+1 {{expects 'tile.num_threads' only on func.func and scf.forall}}
  scf.if %c {
  } {tile.num_threads = 128 : i64}
  return
}

// -----

// expected-error @+1 {{expects 'tile.may_alias' to be without value, got true}}
func.func @may_alias_value() attributes {tile.may_alias = true} {
  return
}

// -----

func.func @may_alias_place(%i: index) {
  // expected-error @+1 {{expects 'tile.may_alias' only on func.func or one of its arguments}}
  %0 = arith.addi %i, %i {tile.may_alias} : index
  return
}

// -----

func.func @specialize_value(%i: index) {
  // expected-error @+1 {{expects 'tile.specialize' to be "required", "preferred" or "off", got "on"}}
  scf.for %k = %i to %i step %i {
  } {tile.specialize = "on"}
  return
}

// -----

func.func @specialize_type(%i: index) {
  // expected-error @+1 {{expects 'tile.specialize' to be "required", "preferred" or "off", got true}}
  scf.for %k = %i to %i step %i {
  } {tile.specialize = true}
  return
}

// -----

// expected-error @+1 {{expects 'tile.specialize' on a loop, not on a function}}
func.func @specialize_function() attributes {tile.specialize = "off"} {
  return
}

// -----

func.func @unknown(%i: index) {
  // expected-error @+1 {{has the unknown attribute 'tile.stages', expects one of tile.accumulator, tile.align, tile.alternate, tile.block, tile.by_thread, tile.carried, tile.chunk, tile.clamped, tile.depth_stages, tile.factor, tile.group, tile.im2col, tile.loop, tile.may_alias, tile.mma_type, tile.mma_type_b, tile.num_stages, tile.num_threads, tile.order, tile.own_smem_bytes, tile.persistent, tile.pingpong, tile.prelude_slots, tile.product, tile.refused, tile.reserved_bytes, tile.root, tile.row_multiple, tile.schedule, tile.sizes, tile.specialize, tile.stage, tile.target, tile.threads, tile.warps}}
  %0 = arith.addi %i, %i {tile.stages = 3 : i32} : index
  return
}

// -----

// expected-error @+1 {{has the attribute 'tile.stage' on argument 1, expects only tile.holds, tile.may_alias and tile.name on arguments}}
func.func @argument(%A: memref<?xf32>, %B: memref<?xf32> {tile.stage = 0 : i32}) {
  return
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{expects 'tile.name' only on arguments of func.func}}
  gpu.func @kernel(%A: memref<?xf32> {tile.name = "A"}) kernel {
    gpu.return
  }
}

// -----

// expected-error @+1 {{expects 'tile.name' to be a name in quotes, got 1 : i64}}
func.func @argument_name(%A: memref<?xf32> {tile.name = 1}) {
  return
}

// -----

// expected-error @+1 {{expects 'tile.name' to be a name in quotes, got ""}}
func.func @argument_name_empty(%A: memref<?xf32> {tile.name = ""}) {
  return
}

// -----

// expected-error @+1 {{expects 'tile.may_alias' to be without value, got 1 : i64}}
func.func @argument_value(%A: memref<?xf32> {tile.may_alias = 1}) {
  return
}

// -----

func.func @warps() {
  // expected-error @+1 {{expects 'tile.warps' to be the first warp and the number of warps out of 32, got array<i64: 30, 4>}}
  tile.barrier_sync {tile.warps = array<i64: 30, 4>}
  return
}

// -----

func.func @by_thread_elsewhere() {
  // expected-error @+1 {{expects 'tile.by_thread' only on tile.print and on ops of memref and vector that store}}
  %c = arith.constant {tile.by_thread} 1 : i32
  return
}

// -----

func.func @by_thread_value(%A: memref<f32>, %v: f32) {
  // expected-error @+1 {{expects 'tile.by_thread' to be without value, got 1 : i64}}
  memref.store %v, %A[] {tile.by_thread = 1} : memref<f32>
  return
}

// -----

func.func @mma_type_elsewhere() {
  // expected-error @+1 {{expects 'tile.mma_type' only on nvgpu.mma.sync and nvgpu.mma.sp.sync}}
  %c = arith.constant {tile.mma_type = f8E5M2} 1 : i32
  return
}

// -----

func.func @mma_type_value(%a: vector<4x4xi8>, %b: vector<2x4xi8>, %c: vector<2x2xf32>) {
  // expected-error @+1 {{expects 'tile.mma_type' to be f8E4M3FN or f8E5M2, got f16}}
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 32], tile.mma_type = f16} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xf32>) -> vector<2x2xf32>
  return
}

// -----

func.func @align_elsewhere() {
  // expected-error @+1 {{expects 'tile.align' only on memref.load and memref.store}}
  %c = arith.constant {tile.align = 16 : i64} 1 : i32
  return
}

// -----

func.func @align_value(%A: memref<f32>) {
  // expected-error @+1 {{expects 'tile.align' to be a power of two, got 12 : i64}}
  %x = memref.load %A[] {tile.align = 12 : i64} : memref<f32>
  return
}

// -----

func.func @row_multiple_elsewhere(%A: memref<4xf32>, %i: index) {
  // expected-error @+1 {{expects 'tile.row_multiple' only on tile.region}}
  %x = memref.load %A[%i] {tile.row_multiple = 16 : i64} : memref<4xf32>
  return
}

// -----

func.func @row_multiple_value(%A: memref<?xf32>) {
  // expected-error @+1 {{expects 'tile.row_multiple' to be a power of two, got 24 : i64}}
  %a = tile.region %A[0] [64] {tile.row_multiple = 24 : i64} : memref<?xf32>
  return
}

// -----

func.func @chunk_place(%i: index) {
  // expected-error @+1 {{expects 'tile.chunk' only on tile.copy and tile.fill}}
  %0 = arith.addi %i, %i {tile.chunk = 2} : index
  return
}

// -----

func.func @chunk_rows(%x: f16) attributes {tile.num_threads = 32 : i32} {
  %S = tile.alloc : memref<4x12xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'tile.chunk' to be a power of two that divides the rows of the tile, of 16 bytes at most, got 8 : i64}}
  tile.fill %S, %x {tile.chunk = 8} : memref<4x12xf16, #gpu.address_space<workgroup>>, f16
  return
}

// -----

func.func @chunk_bytes(%F: memref<4x16xf32>) attributes {tile.num_threads = 32 : i32} {
  %S = tile.alloc : memref<4x16xf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expects 'tile.chunk' to be a power of two that divides the rows of the tile, of 16 bytes at most, got 8 : i64}}
  tile.copy %S to %F {instr = #tile.instr<simt>, tile.chunk = 8} : memref<4x16xf16, #gpu.address_space<workgroup>>, memref<4x16xf32>
  return
}

// -----

func.func @persistent_while(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expects 'tile.persistent' only on scf.for}}
  %end = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    scf.yield %i : index
  } attributes {tile.persistent}
  return
}

// -----

func.func @persistent_value(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects 'tile.persistent' to be without value, got true}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.persistent = true}
  return
}

// -----

// Written by tile-compile, on kernels.
// expected-error @+1 {{expects 'tile.reserved_bytes' only on kernels}}
func.func @reserved_bytes() attributes {tile.reserved_bytes = 16 : i64} {
  return
}

// -----

// expected-error @+1 {{expects 'tile.prelude_slots' to be a number of at least 0, got -1}}
func.func @prelude_slots() attributes {tile.num_threads = 128 : i32, tile.prelude_slots = -1 : i64} {
  return
}

// -----

// expected-error @+1 {{expects 'tile.holds' to name an element type, got "f4"}}
func.func @holds(%A: memref<8xi8> {tile.holds = "f4"}) {
  return
}

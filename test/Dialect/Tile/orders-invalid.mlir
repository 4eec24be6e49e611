// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of exchanges, orders, tile.atomic_load or
// tile.fence; its name cites the label in TileAtomicOps.td.

func.func @atomic_c3_exchange(%s: memref<8xf8E5M2, #gpu.address_space<workgroup>>, %d: memref<8xf8E5M2>) {
  // expected-error @+1 {{cannot update f8E5M2 with exchange; the table of tile.atomic lists what can}}
  tile.atomic exchange %s to %d : memref<8xf8E5M2, #gpu.address_space<workgroup>>, memref<8xf8E5M2>
  return
}

// -----

func.func @atomic_c8_exchange(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32>) {
  // expected-error @+1 {{expects 'instr' to be simt with exchange, got tma, which has none}}
  tile.atomic exchange %s to %d {instr = #tile.instr<tma>} : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32>
  return
}

// -----

func.func @atomic_c8_order(%s: memref<8xf32, #gpu.address_space<workgroup>>, %d: memref<8xf32>) {
  // expected-error @+1 {{expects 'instr' to be simt with an order, got tma, which has none}}
  tile.atomic add %s to %d {instr = #tile.instr<tma>, order = #tile.order<release>} : memref<8xf32, #gpu.address_space<workgroup>>, memref<8xf32>
  return
}

// -----

func.func @atomic_c9_kind(%x: i32, %d: memref<8xi32>) {
  // expected-error @+1 {{expects 'if' with exchange, got it with add}}
  tile.atomic add %x to %d if %x : i32, memref<8xi32> if i32
  return
}

// -----

func.func @atomic_c9_type(%x: i32, %y: i64, %d: memref<8xi32>) {
  // expected-error @+1 {{expects 'if' with a value of the element type i32 of 'dst', got i64}}
  tile.atomic exchange %x to %d if %y : i32, memref<8xi32> if i64
  return
}

// -----

func.func @atomic_c10(%x: i32, %d: memref<8xi32>) {
  // expected-error @+1 {{expects 'scope' with an 'order', got relaxed, which orders nothing}}
  tile.atomic add %x to %d {scope = #tile.scope<gpu>} : i32, memref<8xi32>
  return
}

// -----

func.func @load_c1(%s: memref<?xi32>, %d: memref<8xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' to be static and of rank 1 to 5, got memref<?xi32>}}
  tile.atomic_load %s to %d : memref<?xi32>, memref<8xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @load_c1_space(%s: memref<8xi32, #tile.fragment>, %d: memref<8xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' in global or shared memory, got it in a fragment}}
  tile.atomic_load %s to %d : memref<8xi32, #tile.fragment>, memref<8xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @load_c2_space(%s: memref<8xi32>, %d: memref<8xi32, #tile.fragment>) {
  // expected-error @+1 {{expects 'dst' in shared memory, got it in a fragment}}
  tile.atomic_load %s to %d : memref<8xi32>, memref<8xi32, #tile.fragment>
  return
}

// -----

func.func @load_c2_shape(%s: memref<8xi32>, %d: memref<8xi64, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'src' and 'dst' of the same shape and element type, got 8xi32 and 8xi64}}
  tile.atomic_load %s to %d : memref<8xi32>, memref<8xi64, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @load_c2_memory(%s: memref<8xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'dst' to be other memory than 'src'}}
  tile.atomic_load %s to %s : memref<8xi32, #gpu.address_space<workgroup>>, memref<8xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @load_c3(%s: memref<8xf8E5M2>, %d: memref<8xf8E5M2, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{cannot read f8E5M2 in one step; an element has 16 bits, or is an integer}}
  tile.atomic_load %s to %d : memref<8xf8E5M2>, memref<8xf8E5M2, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @load_c4(%s: memref<8xi32>, %d: memref<8xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'order' to be relaxed, acquire or seq_cst, got #tile.order<release>: a load releases nothing}}
  tile.atomic_load %s to %d {order = #tile.order<release>} : memref<8xi32>, memref<8xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @load_c5(%s: memref<8xi32>, %d: memref<8xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expects 'scope' with an 'order', got relaxed, which orders nothing}}
  tile.atomic_load %s to %d {order = #tile.order<relaxed>, scope = #tile.scope<system>} : memref<8xi32>, memref<8xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @fence_c1() {
  // expected-error @+1 {{expects 'order' to be acquire, release, acq_rel or seq_cst, got relaxed, which orders nothing}}
  tile.fence {order = #tile.order<relaxed>}
  return
}

// -----

func.func @atomic_c3_inc(%x: i64, %d: memref<1xi64>) {
  // expected-error @+1 {{cannot update i64 with inc; the table of tile.atomic lists what can}}
  tile.atomic inc %x to %d : i64, memref<1xi64>
  return
}

// -----

func.func @atomic_c8_inc(%s: memref<8xi32, #gpu.address_space<workgroup>>, %d: memref<8xi32>) {
  // expected-error @+1 {{expects 'instr' to be simt with inc, got tma, which has none}}
  tile.atomic inc %s to %d {instr = #tile.instr<tma>} : memref<8xi32, #gpu.address_space<workgroup>>, memref<8xi32>
  return
}

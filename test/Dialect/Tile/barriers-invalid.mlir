// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of a barrier op; its name cites the label in
// TileOps.td.

func.func @barrier_alloc_c1() {
  // expected-error @+1 {{expects at least one slot, got 0}}
  %b = tile.barrier_alloc : !tile.barrier<0>
  return
}

// -----

func.func @barrier_alloc_c2_multiple() {
  // expected-error @+1 {{expects 'offset' to be a multiple of 8 bytes and at least 0, got 4}}
  %b = tile.barrier_alloc {offset = 4} : !tile.barrier<2>
  return
}

// -----

func.func @barrier_alloc_c2_negative() {
  // expected-error @+1 {{expects 'offset' to be a multiple of 8 bytes and at least 0, got -8}}
  %b = tile.barrier_alloc {offset = -8} : !tile.barrier<2>
  return
}

// -----

func.func @barrier_init_c1_low(%b: !tile.barrier<2>) {
  // expected-error @+1 {{expects 'arrivals' from 1 to 1048575, got 0}}
  tile.barrier_init %b arrivals 0 : !tile.barrier<2>
  return
}

// -----

func.func @barrier_init_c1_high(%b: !tile.barrier<2>) {
  // expected-error @+1 {{expects 'arrivals' from 1 to 1048575, got 1048576}}
  tile.barrier_init %b arrivals 1048576 : !tile.barrier<2>
  return
}

// -----

func.func @barrier_arrive_c1(%b: !tile.barrier<2>) {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{expects a slot from 0 to 1, got the constant 2}}
  tile.barrier_arrive %b[%c2] : !tile.barrier<2>
  return
}

// -----

func.func @barrier_expect_c1(%b: !tile.barrier<2>) {
  %c = arith.constant -1 : index
  // expected-error @+1 {{expects a slot from 0 to 1, got the constant -1}}
  tile.barrier_expect %b[%c] bytes 16 : !tile.barrier<2>
  return
}

// -----

func.func @barrier_expect_c2(%b: !tile.barrier<2>, %i: index) {
  // expected-error @+1 {{expects 'bytes' from 1 to 1048575, got 0}}
  tile.barrier_expect %b[%i] bytes 0 : !tile.barrier<2>
  return
}

// -----

func.func @barrier_wait_c1(%b: !tile.barrier<1>, %p: i32) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects a slot from 0 to 0, got the constant 1}}
  tile.barrier_wait %b[%c1] parity %p : !tile.barrier<1>
  return
}

// -----

func.func @barrier_wait_c2(%b: !tile.barrier<1>, %i: index) {
  %c2 = arith.constant 2 : i32
  // expected-error @+1 {{expects a parity of 0 or 1, got the constant 2}}
  tile.barrier_wait %b[%i] parity %c2 : !tile.barrier<1>
  return
}

// -----

func.func @barrier_sync_c1() {
  // expected-error @+1 {{expects 'id' from 0 to 15, got 16}}
  tile.barrier_sync {id = 16, threads = 128}
  return
}

// -----

func.func @barrier_sync_c2_multiple() {
  // expected-error @+1 {{expects 'threads' to be a positive multiple of 32, at most 1024, got 100}}
  tile.barrier_sync {id = 1, threads = 100}
  return
}

// -----

func.func @barrier_sync_c2_high() {
  // expected-error @+1 {{expects 'threads' to be a positive multiple of 32, at most 1024, got 1056}}
  tile.barrier_sync {id = 1, threads = 1056}
  return
}

// -----

func.func @barrier_sync_c3_id() {
  // expected-error @+1 {{expects 'id' and 'threads' together, got only 'id'}}
  tile.barrier_sync {id = 1}
  return
}

// -----

func.func @barrier_sync_c3_threads() {
  // expected-error @+1 {{expects 'id' and 'threads' together, got only 'threads'}}
  tile.barrier_sync {threads = 128}
  return
}

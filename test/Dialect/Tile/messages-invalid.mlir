// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// One case per constraint of the ops of TileMessageOps.td; the name says which.

func.func @print_c1(%a: memref<8xf32>) {
  // expected-error @+1 {{expects scalars, or one shared tile or fragment, got memref<8xf32>}}
  tile.print "a"(%a : memref<8xf32>)
  return
}

// -----

func.func @print_c2() {
  // expected-error @+1 {{expects 'text' of printable characters, got code 10 at 1}}
  tile.print "a\n"
  return
}

// -----

func.func @print_c2_values(%a: i32) {
  // expected-error @+1 {{expects at most 16 values, got 17}}
  tile.print "a"(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
  return
}

// -----

func.func @print_c3() {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{prints a tile once per element; print it outside tile.parallel}}
    tile.print "a"(%a : memref<8xf32, #tile.fragment>)
  }
  return
}

// -----

func.func @assert_c1(%ok: i1) {
  // expected-error @+1 {{expects 'message' of at most 512 characters, got 520}}
  tile.assert %ok, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
  return
}

// -----

func.func @print_c2_threads(%a: i32) {
  // expected-error @+1 {{expects at most 15 values, got 16}}
  tile.print "a"(%a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {every_thread}
  return
}

// -----

func.func @print_c4_tile() {
  %a = tile.alloc : memref<8xf32, #tile.fragment>
  // expected-error @+1 {{expects scalars with 'every_thread': a tile is printed once per element}}
  tile.print "a"(%a : memref<8xf32, #tile.fragment>) {every_thread}
  return
}

// -----

func.func @print_c4_elements() {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects 'every_thread' outside tile.parallel}}
    tile.print "a"(%i : index) {every_thread}
  }
  return
}

// -----

func.func @assert_c2(%ok: i1) {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects 'one_thread' outside tile.parallel}}
    tile.assert %ok, "a" {one_thread}
  }
  return
}

// -----

func.func @clock_c1() {
  tile.parallel (%i) in [8] {
    // expected-error @+1 {{expects a clock outside tile.parallel}}
    %t = tile.clock cycles
  }
  return
}

// Registers that fragments take: one alone that has no room is an error, several
// that live at the same time are a remark.
// RUN: %tile_opt_passes 'tile-layout-inference{target=sm_90a}' %s -split-input-file -verify-diagnostics -o /dev/null

!m = memref<128x100xf32>
!f = memref<128x100xf32, #tile.fragment>

func.func @three_at_once(%A: !m, %B: !m, %C: !m) attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !f
  %b = tile.alloc : !f
  %c = tile.alloc : !f
  tile.copy %A to %a {instr = #tile.instr<simt>} : !m, !f
  tile.copy %B to %b {instr = #tile.instr<simt>} : !m, !f
  // expected-remark @+1 {{[tile-layout/registers] 3 fragments that live after this op take 312 registers of each thread; 128 threads of sm_90a have 255 each: some may be spilled}}
  tile.copy %C to %c {instr = #tile.instr<simt>} : !m, !f
  tile.copy %a to %A {instr = #tile.instr<simt>} : !f, !m
  tile.copy %b to %B {instr = #tile.instr<simt>} : !f, !m
  tile.copy %c to %C {instr = #tile.instr<simt>} : !f, !m
  return
}

// -----

!m = memref<128x100xf32>
!f = memref<128x100xf32, #tile.fragment>

// One after the other.
func.func @in_turn(%A: !m, %B: !m, %C: !m) attributes {tile.num_threads = 128 : i32} {
  %a = tile.alloc : !f
  %b = tile.alloc : !f
  %c = tile.alloc : !f
  tile.copy %A to %a {instr = #tile.instr<simt>} : !m, !f
  tile.copy %a to %A {instr = #tile.instr<simt>} : !f, !m
  tile.copy %B to %b {instr = #tile.instr<simt>} : !m, !f
  tile.copy %b to %B {instr = #tile.instr<simt>} : !f, !m
  tile.copy %C to %c {instr = #tile.instr<simt>} : !m, !f
  tile.copy %c to %C {instr = #tile.instr<simt>} : !f, !m
  return
}

// -----

!m = memref<128x100xf32>
!f = memref<128x100xf32, #tile.fragment>

// What iterations hand on lives through the loop; what each writes anew does not.
func.func @through_a_loop(%A: !m, %B: !m, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = tile.alloc : !f
  %other = tile.alloc : !f
  %new = tile.alloc : !f
  tile.fill %sum, %zero : !f, f32
  tile.fill %other, %zero : !f, f32
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+1 {{[tile-layout/registers] 3 fragments that live after this op take 312 registers of each thread}}
    tile.copy %A to %new {instr = #tile.instr<simt>} : !m, !f
    tile.parallel (%r, %c) in [128, 100] {
      %x = memref.load %new[%r, %c] : !f
      %y = memref.load %sum[%r, %c] : !f
      %z = memref.load %other[%r, %c] : !f
      %xy = arith.addf %x, %y : f32
      %xz = arith.mulf %x, %z : f32
      memref.store %xy, %sum[%r, %c] : !f
      memref.store %xz, %other[%r, %c] : !f
    }
  }
  tile.copy %sum to %A {instr = #tile.instr<simt>} : !f, !m
  tile.copy %other to %B {instr = #tile.instr<simt>} : !f, !m
  return
}

// -----

!m = memref<128x100xf32>
!f = memref<128x100xf32, #tile.fragment>

func.func @new_in_each_iteration(%A: !m, %B: !m, %n: index) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !f
  %b = tile.alloc : !f
  %c = tile.alloc : !f
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %A to %a {instr = #tile.instr<simt>} : !m, !f
    tile.copy %a to %B {instr = #tile.instr<simt>} : !f, !m
    tile.copy %A to %b {instr = #tile.instr<simt>} : !m, !f
    tile.copy %b to %B {instr = #tile.instr<simt>} : !f, !m
    tile.copy %A to %c {instr = #tile.instr<simt>} : !m, !f
    tile.copy %c to %B {instr = #tile.instr<simt>} : !f, !m
  }
  return
}

// -----

!f = memref<128x247xi32, #tile.fragment>

// 8 registers are left: copies do with them.
func.func @fits(%A: memref<128x247xi32>) attributes {tile.num_threads = 128 : i32} {
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*247), lane=(d0:1*32), warp=(d0:32*4) -> d0:128, d1:247>">} : !f
  tile.copy %A to %f {instr = #tile.instr<simt>} : memref<128x247xi32>, !f
  return
}

// -----

// Two blocks of a multiprocessor halve what each thread has: a few are spilled.
func.func @two_blocks(%A: memref<256x124xi32>) attributes {tile.num_threads = 256 : i32} {
  tile.kernel_config {min_blocks = 2}
  // expected-remark @+1 {{[tile-layout/registers] needs 124 registers per thread; 256 threads of sm_90a have 128 each: the rest is spilled}}
  %f = tile.alloc {layout = #tile.layout<"bases<reg=(d1:1*124), lane=(d0:1*32), warp=(d0:32*8) -> d0:256, d1:124>">} : memref<256x124xi32, #tile.fragment>
  tile.copy %A to %f {instr = #tile.instr<simt>} : memref<256x124xi32>, memref<256x124xi32, #tile.fragment>
  return
}

// -----

!f = memref<67x101xi32, #tile.fragment>
!turned = memref<101x67xi32, #tile.fragment>

func.func @views_leave_no_room(%A: memref<67x101xi32>, %B: memref<101x67xi32>) attributes {tile.num_threads = 128 : i32} {
  // expected-remark @+2 {{[tile-layout/view] its views leave 6767 elements or more together in one thread: each holds 6767, 53 would be its share}}
  // expected-error @+1 {{needs 6767 registers per thread}}
  %f = tile.alloc : !f
  %t = tile.view %f : !f to !turned
  tile.copy %A to %f {instr = #tile.instr<simt>} : memref<67x101xi32>, !f
  tile.copy %t to %B {instr = #tile.instr<simt>} : !turned, memref<101x67xi32>
  return
}

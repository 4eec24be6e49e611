// Where tiles do not fit, those that each iteration writes first live from there to
// their last use in it, and share bytes with others of the body.
// RUN: %tile_opt_passes 'tile-pack-shared-memory{target=sm_80}' %s -split-input-file | FileCheck %s

!large = memref<256x128xbf16, #gpu.address_space<workgroup>>
!half = memref<128x128xbf16, #gpu.address_space<workgroup>>
!frag = memref<256x128xbf16, #tile.fragment>

// 64 KiB each, of 163: %first is dead when %second is written; %kept is not.
// CHECK-LABEL: func.func @by_iteration
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 65536 : i64}
func.func @by_iteration(%n: index, %v: bf16, %f: !frag) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tile.alloc : !large
  %second = tile.alloc : !large
  %kept = tile.alloc : !large
  tile.fill %kept, %v : !large, bf16
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %f to %first : !frag, !large
    tile.copy %first to %f : !large, !frag
    tile.copy %f to %second : !frag, !large
    tile.copy %second to %f : !large, !frag
    tile.copy %kept to %f : !large, !frag
  }
  return
}

// -----

!large = memref<256x128xbf16, #gpu.address_space<workgroup>>
!frag = memref<256x128xbf16, #tile.fragment>

// What fits keeps places of its own: sharing takes barriers.
// CHECK-LABEL: func.func @fits
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 65536 : i64}
func.func @fits(%n: index, %f: !frag) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tile.alloc : !large
  %second = tile.alloc : !large
  scf.for %i = %c0 to %n step %c1 {
    tile.copy %f to %first : !frag, !large
    tile.copy %first to %f : !large, !frag
    tile.copy %f to %second : !frag, !large
    tile.copy %second to %f : !large, !frag
  }
  return
}

// -----

!large = memref<256x128xbf16, #gpu.address_space<workgroup>>
!frag = memref<256x128xbf16, #tile.fragment>

// The same under a condition: what runs in an iteration begins with the copy.
// CHECK-LABEL: func.func @under_condition
// CHECK: %[[FIRST:.*]] = tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 65536 : i64}
func.func @under_condition(%n: index, %v: bf16, %f: !frag, %if: i1, %else: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tile.alloc : !large
  %second = tile.alloc : !large
  %kept = tile.alloc : !large
  tile.fill %kept, %v : !large, bf16
  scf.for %tile = %c0 to %n step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      scf.if %if {
        tile.copy %f to %first : !frag, !large
        scf.if %else {
          tile.copy %first to %f : !large, !frag
        }
      }
    }
    scf.for %i = %c0 to %n step %c1 {
      scf.if %else {
        tile.copy %f to %second : !frag, !large
        tile.copy %second to %f : !large, !frag
      }
    }
    tile.copy %kept to %f : !large, !frag
  }
  return
}

// -----

!large = memref<256x128xbf16, #gpu.address_space<workgroup>>
!half = memref<192x128xbf16, #gpu.address_space<workgroup>>
!frag = memref<256x128xbf16, #tile.fragment>
!frag2 = memref<192x128xbf16, #tile.fragment>

// Here an iteration may read what an earlier one wrote; in the condition of a loop
// it may not.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK: tile.alloc {offset = 0 : i64} : memref<256x128xbf16
// CHECK: tile.alloc {offset = 65536 : i64} : memref<192x128xbf16
// CHECK: tile.alloc {offset = 65536 : i64} : memref<256x128xbf16
func.func @read_elsewhere(%n: index, %f: !frag, %g: !frag2, %if: i1) attributes {tile.num_threads = 128 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tile.alloc : !large
  %second = tile.alloc : !half
  %third = tile.alloc : !large
  scf.for %i = %c0 to %n step %c1 {
    scf.if %if {
      tile.copy %f to %first : !frag, !large
    }
    tile.copy %first to %f : !large, !frag
    scf.while : () -> () {
      tile.copy %g to %second : !frag2, !half
      scf.condition(%if)
    } do {
      tile.copy %second to %g : !half, !frag2
      scf.yield
    }
    tile.copy %f to %third : !frag, !large
    tile.copy %third to %f : !large, !frag
  }
  return
}

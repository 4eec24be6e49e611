// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// Each case breaks one constraint of a channel op; its name cites the label in
// TileChannelOps.td.

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c1(%r: !ring) {
  // expected-error @+1 {{expects 'depth' from 1 to 64, got 0}}
  %ch = tile.channel(%r) depth 0 : !ring
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c1_high(%r: !ring) {
  // expected-error @+1 {{expects 'depth' from 1 to 64, got 65}}
  %ch = tile.channel(%r) depth 65 : !ring
  return
}

// -----

func.func @channel_c2_none() {
  // expected-error @+1 {{expects at least one ring}}
  "tile.channel"() {depth = 2 : i64} : () -> !tile.channel
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c2_extent(%r: !ring) {
  // expected-error @+1 {{expects rings in shared memory, of rank 2 to 5, whose first extent is the depth 3, got memref<2x8x16xf16, #gpu.address_space<workgroup>>}}
  %ch = tile.channel(%r) depth 3 : !ring
  return
}

// -----

func.func @channel_c2_space(%r: memref<2x8x16xf16>) {
  // expected-error @+1 {{expects rings in shared memory, of rank 2 to 5, whose first extent is the depth 2, got memref<2x8x16xf16>}}
  %ch = tile.channel(%r) depth 2 : memref<2x8x16xf16>
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c2_same(%r: !ring) {
  // expected-error @+1 {{expects different rings, got one as number 0 and 1}}
  %ch = tile.channel(%r, %r) depth 2 : !ring, !ring
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c3_cp_async(%r: !ring) {
  // expected-error @+1 {{expects 'cp_async_threads' to be a multiple of 32 from 0 to 1024, got 48}}
  %ch = tile.channel(%r) depth 2 {cp_async_threads = 48} : !ring
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c3_simt(%r: !ring) {
  // expected-error @+1 {{expects 'simt_threads' to be a multiple of 32 from 0 to 1024, got 2048}}
  %ch = tile.channel(%r) depth 2 {simt_threads = 2048} : !ring
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_c4(%r: !ring) {
  // expected-error @+1 {{expects 'consumer_warps' from 0 to 32, got 33}}
  %ch = tile.channel(%r) depth 2 {consumer_warps = 33} : !ring
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @acquire_c1(%r: !ring, %s: i32) {
  %ch = tile.channel(%r) depth 2 : !ring
  // expected-error @+1 {{expects to be inside a tile.role}}
  tile.acquire %ch[%s, %s]
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @acquire_c2(%r: !ring, %p: i32) {
  %ch = tile.channel(%r) depth 2 : !ring
  %c2 = arith.constant 2 : i32
  tile.specialize {
    tile.role "p" warps 1 {
      // expected-error @+1 {{expects a slot from 0 to 1, got the constant 2}}
      tile.acquire %ch[%c2, %p]
    }
  }
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @commit_c2(%r: !ring, %s: i32) {
  %ch = tile.channel(%r) depth 2 : !ring
  %c2 = arith.constant 2 : i32
  tile.specialize {
    tile.role "p" warps 1 {
      // expected-error @+1 {{expects a parity of 0 or 1, got the constant 2}}
      tile.commit %ch[%s, %c2]
    }
  }
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @wait_c2(%r: !ring, %s: i32) {
  %ch = tile.channel(%r) depth 2 : !ring
  %c = arith.constant -1 : i32
  tile.specialize {
    tile.role "c" warps 1 {
      // expected-error @+1 {{expects a slot from 0 to 1, got the constant -1}}
      tile.wait %ch[%c, %s]
    }
  }
  return
}

// -----

func.func @release_c2(%ch: !tile.channel, %s: i32) {
  %c = arith.constant -1 : i32
  tile.specialize {
    tile.role "c" warps 1 {
      // expected-error @+1 {{expects a parity of 0 or 1, got the constant -1}}
      tile.release %ch[%s, %c]
    }
  }
  return
}

// -----

func.func @advance_c1(%s: i32) {
  // expected-error @+1 {{expects 'depth' from 1 to 64, got -1}}
  %a, %b = tile.advance %s, %s depth -1
  return
}

// -----

func.func @advance_c2(%p: i32) {
  %c3 = arith.constant 3 : i32
  // expected-error @+1 {{expects a slot from 0 to 2, got the constant 3}}
  %a, %b = tile.advance %c3, %p depth 3
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
!slot = !tile.region<8x16xf16, #gpu.address_space<workgroup>>
func.func @copy_c7(%r: !ring, %A: memref<8x16xf16>) {
  %ch = tile.channel(%r) depth 2 : !ring
  %c2 = arith.constant 2 : index
  %s = tile.region %r[1, 0, 0] [1, 8, 16] drop [0] : !ring
  // expected-error @+1 {{expects a slot from 0 to 1, got the constant 2}}
  tile.copy %A to %s signal %ch[%c2] of !tile.channel : memref<8x16xf16>, !slot
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
!slot = !tile.region<8x16xf16, #gpu.address_space<workgroup>>
func.func @copy_c10(%r: !ring, %other: !ring, %A: memref<8x16xf16>) {
  // expected-note @+1 {{the channel is here}}
  %ch = tile.channel(%r) depth 2 : !ring
  %c1 = arith.constant 1 : index
  %s = tile.region %other[1, 0, 0] [1, 8, 16] drop [0] : !ring
  // expected-error @+1 {{expects 'dst' to be a slot of a ring of the channel that it signals}}
  tile.copy %A to %s signal %ch[%c1] of !tile.channel : memref<8x16xf16>, !slot
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_barriers_c1_slots(%r: !ring, %f: !tile.barrier<2>, %e: !tile.barrier<3>) {
  // expected-error @+1 {{expects barriers of the same number of slots and at least one ring, got 2, 3 and 1}}
  tile.channel_barriers(%r) full %f empty %e : !tile.barrier<2>, !tile.barrier<3>, !ring
  return
}

// -----

!ring = memref<2x8x16xf16, #gpu.address_space<workgroup>>
func.func @channel_barriers_c1_ring(%r: !ring, %f: !tile.barrier<3>) {
  // expected-error @+1 {{expects rings in shared memory, of rank 2 to 5, whose first extent is the depth 3}}
  tile.channel_barriers(%r) full %f empty %f : !tile.barrier<3>, !tile.barrier<3>, !ring
  return
}

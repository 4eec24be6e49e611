// RUN: %tile_opt_passes 'tile-lower-channels' %s -split-input-file -verify-diagnostics

// Agents that a channel records are those of the roles that use it.

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @consumer_warps() attributes {tile.num_threads = 96 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  // expected-error @+1 {{has 'consumer_warps' = 1, and the roles that read it have 2 warps}}
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    // expected-note @+1 {{a role that reads it is here}}
    tile.role "consumer" warps 2 {
      tile.wait %ch[%z, %z]
      tile.release %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      tile.acquire %ch[%z, %z]
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @cp_async_threads() attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  // expected-error @+1 {{has 'cp_async_threads' = 128, and the role that fills it has 32 threads}}
  %ch = tile.channel(%R) depth 2 {cp_async_threads = 128, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      tile.wait %ch[%z, %z]
    }
    // expected-note @+1 {{the role is here}}
    tile.role "producer" warps 1 {
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @no_agent() attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  // expected-error @+1 {{expects an agent that fills it: 'tma', 'cp_async_threads' or 'simt_threads'}}
  %ch = tile.channel(%R) depth 2 {consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      tile.wait %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @nobody_reads() attributes {tile.num_threads = 32 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  // expected-error @+1 {{expects a role that fills it and one that reads it, got none that reads it}}
  %ch = tile.channel(%R) depth 2 {tma} : !ring
  tile.specialize {
    tile.role "producer" warps 1 {
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @one_role() attributes {tile.num_threads = 32 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  // expected-error @+1 {{is filled and read by one role; a channel hands tiles from one role to others}}
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    // expected-note @+1 {{the role is here}}
    tile.role "producer" warps 1 {
      tile.commit %ch[%z, %z]
      tile.wait %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @two_fill() attributes {tile.num_threads = 96 : i32} {
  %z = arith.constant 0 : i32
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      tile.wait %ch[%z, %z]
    }
    // expected-error @+2 {{fills a channel that another role fills, too}}
    tile.role "one" warps 1 {
      tile.commit %ch[%z, %z]
    }
    // expected-note @+1 {{the other one is here}}
    tile.role "two" warps 1 {
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
func.func @wrong_agent(%A: memref<64x64xbf16>) attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  // expected-note @+1 {{the channel is here}}
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      tile.wait %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      // expected-error @+1 {{fills a channel that does not name the agent of its instruction}}
      tile.copy %A to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<cp_async>} : memref<64x64xbf16>, !slot
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
func.func @no_instruction(%A: memref<64x64xbf16>) attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "producer" warps 2 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      // expected-error @+1 {{has no instruction; run tile-instruction-annotation first}}
      tile.copy %A to %r signal %ch[%c0] of !tile.channel : memref<64x64xbf16>, !slot
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
func.func @outside(%A: memref<64x64xbf16>) attributes {tile.num_threads = 64 : i32} {
  %c0 = arith.constant 0 : index
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
  // expected-error @+1 {{fills a channel outside of roles}}
  tile.copy %A to %r signal %ch[%c0] of !tile.channel {instr = #tile.instr<tma>} : memref<64x64xbf16>, !slot
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
!slot = !tile.region<64x64xbf16, #gpu.address_space<workgroup>>
func.func @stores() attributes {tile.num_threads = 64 : i32} {
  %z = arith.constant 0 : i32
  %zero = arith.constant 0.0 : bf16
  %R = tile.alloc : !ring
  // expected-note @+1 {{the channel is here}}
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  tile.specialize {
    tile.role "consumer" warps 1 {
      tile.wait %ch[%z, %z]
    }
    tile.role "producer" warps 1 {
      %r = tile.region %R[0, 0, 0] [1, 64, 64] drop [0] : !ring
      // expected-error @+1 {{stores to a ring of a channel that has no 'simt_threads'}}
      tile.fill %r, %zero : !slot, bf16
      tile.commit %ch[%z, %z]
    }
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @nested(%c: i1) attributes {tile.num_threads = 64 : i32} {
  scf.if %c {
    %R = tile.alloc : !ring
    // expected-error @+1 {{expects to be directly in the body of the kernel}}
    %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  }
  return
}

// -----

!ring = memref<2x64x64xbf16, #gpu.address_space<workgroup>>
func.func @other_user() attributes {tile.num_threads = 64 : i32} {
  %R = tile.alloc : !ring
  %ch = tile.channel(%R) depth 2 {tma, consumer_warps = 1} : !ring
  // expected-error @+1 {{takes a channel, which only tile.acquire, tile.commit, tile.wait, tile.release and tile.copy do}}
  %x = builtin.unrealized_conversion_cast %ch : !tile.channel to i32
  return
}

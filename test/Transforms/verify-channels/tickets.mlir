// RUN: %tile_opt_passes 'tile-verify-channels{strict=true}' %s -verify-diagnostics -o /dev/null

#shared = #gpu.address_space<workgroup>

// Elements before an update fill a slot, as a copy does: who fills it may read
// it, and passes it on.
func.func @tickets(%next: memref<1xi32>, %n: index) attributes {tile.num_threads = 160 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %T = tile.alloc : memref<2x1xi32, #shared>
  %ch = tile.channel(%T) depth 2 {simt_threads = 32, consumer_warps = 4} : memref<2x1xi32, #shared>
  tile.specialize {
    tile.role "consumer" warps 4 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %x = arith.index_cast %s : i32 to index
        tile.wait %ch[%s, %p]
        %t = memref.load %T[%x, %c0] : memref<2x1xi32, #shared>
        tile.print "takes"(%t : i32)
        tile.release %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
    tile.role "producer" warps 1 {
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z, %p = %z) -> (i32, i32) {
        %x = arith.index_cast %s : i32 to index
        %slot = tile.region %T[%x, 0] [1, 1] drop [0] : memref<2x1xi32, #shared>
        tile.acquire %ch[%s, %p]
        tile.atomic add %one to %next old %slot : i32, memref<1xi32>, !tile.region<1xi32, #shared>
        tile.barrier_sync
        %t = memref.load %T[%x, %c0] : memref<2x1xi32, #shared>
        tile.print "gives"(%t : i32)
        tile.commit %ch[%s, %p]
        %s1, %p1 = tile.advance %s, %p depth 2
        scf.yield %s1, %p1 : i32, i32
      }
    }
  }
  return
}

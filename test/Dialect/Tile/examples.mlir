// RUN: %tile_opt --verify-roundtrip %s
// The examples of the ops in include/Tile/Dialect that no other file has, as they
// stand there: utils/check-examples.py looks for them.

func.func @products(%As: memref<128x32xbf16, #gpu.address_space<workgroup>>, %Es: memref<128x4xi16, #gpu.address_space<workgroup>>, %Bs: memref<64x128xbf16, #gpu.address_space<workgroup>>) {
  %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
  tile.await pending 0 for %acc : memref<128x128xf32, #tile.fragment>
  tile.gemm_sp %As, %Es, %Bs, %acc : (memref<128x32xbf16, #gpu.address_space<workgroup>>, memref<128x4xi16, #gpu.address_space<workgroup>>, memref<64x128xbf16, #gpu.address_space<workgroup>>, memref<128x128xf32, #tile.fragment>)
  return
}

func.func @windows(%table: memref<?x?xbf16>, %ids: memref<?xi32>, %k: index, %m: index, %s: memref<64x32xbf16, #gpu.address_space<workgroup>>) {
  %rows = tile.region %table[0, %k] [64, 32] by %ids[%m] dim 0 : memref<?x?xbf16>, memref<?xi32>
  return
}

func.func @views(%s: memref<64x32xbf16, #gpu.address_space<workgroup>>) {
  %rows = tile.view %s : memref<64x32xbf16, #gpu.address_space<workgroup>> to memref<16x4x32xi16, #gpu.address_space<workgroup>>
  return
}

func.func @channels(%As: memref<4x128x64xbf16, #gpu.address_space<workgroup>>, %Bs: memref<4x64x128xbf16, #gpu.address_space<workgroup>>, %A: memref<?x?xbf16>, %m: index, %s: memref<128x64xbf16, #gpu.address_space<workgroup>>, %acc: memref<128x128xf32, #tile.fragment>, %zero: f32) {
  %a = tile.region %A[%m, 0] [128, 64] : memref<?x?xbf16>
  %ch = tile.channel(%As, %Bs) depth 4 {tma, consumer_warps = 8 : i64} : memref<4x128x64xbf16, #gpu.address_space<workgroup>>, memref<4x64x128xbf16, #gpu.address_space<workgroup>>
  %slot = arith.constant 0 : i32
  %parity = arith.constant 0 : i32
  tile.specialize {
    tile.role "consumer" warps 8 registers 240 {
      tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>, f32
      tile.wait %ch[%slot, %parity]
      tile.release %ch[%slot, %parity]
      %s1, %p1 = tile.advance %slot, %parity depth 4
    }
    tile.role "producer" warps 4 registers 24 {
      tile.acquire %ch[%slot, %parity]
      tile.copy %a to %s : !tile.region<128x64xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
      tile.commit %ch[%slot, %parity]
    }
  }
  return
}

func.func @channel_barriers(%As: memref<4x128x64xbf16, #gpu.address_space<workgroup>>, %full: !tile.barrier<4>, %empty: !tile.barrier<4>) {
  tile.channel_barriers(%As) full %full empty %empty : !tile.barrier<4>, !tile.barrier<4>, memref<4x128x64xbf16, #gpu.address_space<workgroup>>
  return
}

func.func @combiners(%x: memref<64x128xf32, #tile.fragment>, %max: memref<64xf32, #tile.fragment>, %at: memref<64xi32, #tile.fragment>) {
  tile.reduce_by %x to %max, %at dim 1 position clear {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %eq = arith.cmpf oeq, %b, %a : f32
    %lt = arith.cmpi slt, %j, %i : i32
    %tie = arith.andi %eq, %lt : i1
    %take = arith.ori %gt, %tie : i1
    %m = arith.select %take, %b, %a : f32
    %k = arith.select %take, %j, %i : i32
    tile.yield %m, %k : f32, i32
  } : (memref<64x128xf32, #tile.fragment>) to (memref<64xf32, #tile.fragment>, memref<64xi32, #tile.fragment>)
  return
}

func.func @scans(%a: memref<8x64xf32, #gpu.address_space<workgroup>>, %b: memref<8x64xf32, #gpu.address_space<workgroup>>, %p: memref<8x64xf32, #gpu.address_space<workgroup>>, %y: memref<8x64xf32, #gpu.address_space<workgroup>>, %squares: memref<64x128xf32, #tile.fragment>) {
  tile.scan_by %a, %b to %p, %y dim 1 {
  ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
    %c = arith.mulf %a0, %a1 : f32
    %d = math.fma %a1, %b0, %b1 : f32
    tile.yield %c, %d : f32, f32
  } : (memref<8x64xf32, #gpu.address_space<workgroup>>, memref<8x64xf32, #gpu.address_space<workgroup>>) to (memref<8x64xf32, #gpu.address_space<workgroup>>, memref<8x64xf32, #gpu.address_space<workgroup>>)
  %norm = tile.reduce_all sum %squares : memref<64x128xf32, #tile.fragment> -> f32
  return
}

func.func @reductions(%scores: memref<64x128xf32, #tile.fragment>, %row_max: memref<64xf32, #tile.fragment>, %x: memref<100xf32, #gpu.address_space<workgroup>>, %mask: memref<4x4xi1, #gpu.address_space<workgroup>>, %one: i32, %counter: memref<1xi32>, %ticket: memref<1xi32, #gpu.address_space<workgroup>>) {
  tile.reduce max %scores to %row_max dim 1 : memref<64x128xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  tile.scan sum %x to %x dim 0 {reverse} : memref<100xf32, #gpu.address_space<workgroup>>, memref<100xf32, #gpu.address_space<workgroup>>
  %p = tile.any_of %mask : memref<4x4xi1, #gpu.address_space<workgroup>>
  tile.atomic add %one to %counter old %ticket : i32, memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>>
  return
}

func.func @all(%mask: memref<4x4xi1, #gpu.address_space<workgroup>>) {
  %p = tile.all_of %mask : memref<4x4xi1, #gpu.address_space<workgroup>>
  return
}

func.func @elements(%acc: memref<128x64xf32, #tile.fragment>, %scale: memref<128xf32, #tile.fragment>, %bias: memref<?xf32>, %out: memref<128x?xf32>, %first: index, %n: index, %zero: f32) {
  tile.parallel (%i, %j) in [128, 64] {
    %x = memref.load %acc[%i, %j] : memref<128x64xf32, #tile.fragment>
    %s = memref.load %scale[%i] : memref<128xf32, #tile.fragment>
    %column = arith.addi %first, %j : index
    %inside = arith.cmpi ult, %column, %n : index
    scf.if %inside {
      %b = memref.load %bias[%column] : memref<?xf32>
      %y = math.fma %x, %s, %b : f32
      %z = arith.maximumf %y, %zero : f32
      memref.store %z, %out[%i, %column] : memref<128x?xf32>
    }
  }
  return
}

func.func @packed(%packed: memref<64x64xi8, #gpu.address_space<workgroup>>, %weights: memref<64x128xbf16, #gpu.address_space<workgroup>>) {
  tile.parallel (%i, %j) in [64, 128] {
    %c2 = arith.constant 2 : index
    %byte = arith.divui %j, %c2 : index
    %pair = memref.load %packed[%i, %byte] : memref<64x64xi8, #gpu.address_space<workgroup>>
    %w = tile.unpack_fp4 %pair[%j] : bf16
    memref.store %w, %weights[%i, %j] : memref<64x128xbf16, #gpu.address_space<workgroup>>
  }
  return
}

func.func @words(%packed: memref<64x16xi32, #gpu.address_space<workgroup>>, %weights: memref<64x128xbf16, #gpu.address_space<workgroup>>, %x: f32, %y: f32) {
  tile.parallel (%i, %j) in [64, 128] {
    %c8 = arith.constant 8 : index
    %at = arith.divui %j, %c8 : index
    %word = memref.load %packed[%i, %at] : memref<64x16xi32, #gpu.address_space<workgroup>>
    %code = tile.unpack %word[%j] : i32 to f4E2M1FN
    %w = arith.extf %code : f4E2M1FN to bf16
    memref.store %w, %weights[%i, %j] : memref<64x128xbf16, #gpu.address_space<workgroup>>
  }
  %low = arith.truncf %x : f32 to f4E2M1FN
  %high = arith.truncf %y : f32 to f4E2M1FN
  %byte = tile.pack %low, %high : f4E2M1FN, f4E2M1FN to i8
  return
}

func.func @images(%image: memref<?x?x?x64xbf16>, %sound: memref<?x?x64xbf16>, %video: memref<?x?x?x?x64xbf16>, %row: index, %column: index) {
  %a = tile.im2col %image[%row, %column] [64, 32] kernel [3, 3] stride [1, 1] pad [1, 1] : memref<?x?x?x64xbf16>
  %b = tile.im2col %sound[%row, %column] [64, 32] kernel [4] pad [3] pad_upper [0] : memref<?x?x64xbf16>
  %c = tile.im2col %video[%row, %column] [64, 32] kernel [3, 3, 3] stride [1, 2, 2] : memref<?x?x?x?x64xbf16>
  return
}

func.func @moves(%B: memref<?xf32>, %all: memref<128x64xf32, #tile.fragment>, %flipped: memref<128x64xf32, #tile.fragment>, %tile: memref<128x64xf32, #gpu.address_space<workgroup>>) {
  %bias = tile.region %B[0] [64] : memref<?xf32>
  %list = tile.region %B[64] [8192] : memref<?xf32>
  tile.arrange %bias to %all broadcast [0] : !tile.region<64xf32>, memref<128x64xf32, #tile.fragment>
  tile.arrange %bias to %flipped broadcast [0] reverse [1] : !tile.region<64xf32>, memref<128x64xf32, #tile.fragment>
  tile.arrange %list to %tile reshape : !tile.region<8192xf32>, memref<128x64xf32, #gpu.address_space<workgroup>>
  tile.cp_async_commit
  tile.cp_async_wait pending 2
  tile.tma_wait pending 0 {read}
  return
}

func.func @host(%A: memref<?x?xbf16>, %X: memref<?x?x?x64xbf16>, %aligned: i1, %pitch: index) {
  %c1 = arith.constant 1 : index
  tile.require %aligned, "stride 0 of A is a multiple of 16 bytes" actual %pitch
  %g = tile.tensor_map %A box [128, 64] ends [128, 0] swizzle 128 : memref<?x?xbf16>
  %i = tile.tensor_map %X box [128, 64] lower [-1, -1] upper [-1, -1] step [2, 2] swizzle 128 : memref<?x?x?x64xbf16>
  tile.variants {
    tile.require %aligned, "rows of A start at multiples of 16 bytes"
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
      tile.kernel_config {min_blocks = 2 : i64, producer_warps = 4 : i64}
      gpu.terminator
    }
  }, {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
      gpu.terminator
    }
  }
  return
}

func.func @addresses(%pointers: memref<?xi64>, %group: index, %m: index, %k: index) attributes {tile.num_threads = 128 : i32} {
  %address = memref.load %pointers[%group] : memref<?xi64>
  %first = tile.tensor_at %address : memref<f16>
  %A = memref.reinterpret_cast %first to offset: [0], sizes: [%m, %k], strides: [%k, 1] : memref<f16> to memref<?x?xf16, strided<[?, 1]>>
  return
}

func.func @clusters(%rank: index) {
  %sums = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
  %theirs = tile.remote %sums at %rank : memref<64xf32, #gpu.address_space<workgroup>>
  tile.cluster_sync
  return
}

func.func @messages(%k: index, %norm: f32, %x: f32, %in_range: i1) {
  tile.print "step"(%k, %norm : index, f32)
  tile.print "holds"(%x : f32) {every_thread, source_line}
  tile.assert %in_range, "an index leaves the table"
  %start = tile.clock cycles
  %end = tile.clock cycles
  %cycles = arith.subi %end, %start : i64
  tile.print "cycles"(%cycles : i64)
  return
}

func.func @orders(%lock: memref<1xi32>, %flag: memref<1xi32>, %counter: memref<1xi32>, %was: memref<1xi32, #gpu.address_space<workgroup>>, %seen: memref<1xi32, #gpu.address_space<workgroup>>, %zero: i32, %one: i32, %c0: index, %tiles: index) {
  tile.atomic exchange %one to %lock old %was if %zero {order = #tile.order<acquire>} : i32, memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>> if i32
  tile.atomic exchange %zero to %lock {order = #tile.order<release>} : i32, memref<1xi32>
  scf.while : () -> () {
    tile.atomic_load %flag to %seen {order = #tile.order<acquire>} : memref<1xi32>, memref<1xi32, #gpu.address_space<workgroup>>
    %v = memref.load %seen[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
    %wait = arith.cmpi eq, %v, %zero : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  tile.fence {order = #tile.order<release>}
  tile.grid_sync %counter : memref<1xi32>
  scf.while : () -> index {
    %t, %more = tile.next_tile %counter of %tiles : memref<1xi32>
    scf.condition(%more) %t : index
  } do {
  ^bb0(%tile: index):
    scf.yield
  }
  return
}

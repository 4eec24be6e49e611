// Y = gelu(X * transpose(W) + bias): a linear layer and its activation in one
// kernel. bf16 tensors, f32 sums, any sizes. W has a row per column of Y.
//
//   tile-compile examples/gemm-gelu.mlir --target=sm_90a -o out/
//   tile-run out/gemm_gelu.json normal:100x136:bf16 normal:72x136:bf16 ones:72:bf16
//            zeros:100x72:bf16 --save 3=y.npy --emulate --seed=1
//
// The epilogue works on the accumulator where it is, in the registers of the
// product. It leaves as bf16 by way of shared memory, for whole rows are stored
// faster than what a thread has of them: for sm_90a this is one TMA store.
#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment
!tensor = memref<?x?xbf16>
!vector = memref<?xbf16>
!Xs = memref<128x64xbf16, #shared>
!Ws = memref<128x64xbf16, #shared>
!Ys = memref<128x128xbf16, #shared>
!acc = memref<128x128xf32, #fragment>
!bias = memref<128xf32, #fragment>

func.func @gemm_gelu(%X: !tensor, %W: !tensor, %bias: !vector, %Y: !tensor) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %M = memref.dim %X, %c0 : !tensor
  %K = memref.dim %X, %c1 : !tensor
  %N = memref.dim %W, %c0 : !tensor
  %gx = arith.ceildivui %N, %c128 : index
  %gy = arith.ceildivui %M, %c128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %gx, %sy = %gy, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c256, %ny = %c1, %nz = %c1) {
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %cubic = arith.constant 0.044715 : f32
    %root = arith.constant 0.797884561 : f32 // sqrt(2 / pi)
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %Xs = tile.alloc : !Xs
    %Ws = tile.alloc : !Ws
    %Ys = tile.alloc : !Ys
    %acc = tile.alloc : !acc
    %b = tile.alloc : !bias
    tile.fill %acc, %zero : !acc, f32
    scf.for %k = %c0 to %K step %c64 {
      %x = tile.region %X[%m, %k] [128, 64] : !tensor
      %w = tile.region %W[%n, %k] [128, 64] : !tensor
      tile.copy %x to %Xs : !tile.region<128x64xbf16>, !Xs
      tile.copy %w to %Ws : !tile.region<128x64xbf16>, !Ws
      tile.gemm %Xs, %Ws, %acc {transpose_b} : (!Xs, !Ws, !acc)
    } {tile.num_stages = 3 : i32}

    // gelu(z) = z / 2 * (1 + tanh(sqrt(2 / pi) * (z + 0.044715 z^3)))
    %bias_row = tile.region %bias[%n] [128] : !vector
    tile.copy %bias_row to %b : !tile.region<128xbf16>, !bias
    tile.parallel (%i, %j) in [128, 128] {
      %a = memref.load %acc[%i, %j] : !acc
      %c = memref.load %b[%j] : !bias
      %z = arith.addf %a, %c : f32
      %z2 = arith.mulf %z, %z : f32
      %p = math.fma %z2, %cubic, %one : f32
      %q = arith.mulf %z, %p : f32
      %r = arith.mulf %q, %root : f32
      %t = math.tanh %r : f32
      %u = arith.addf %t, %one : f32
      %v = arith.mulf %z, %half : f32
      %g = arith.mulf %v, %u : f32
      memref.store %g, %acc[%i, %j] : !acc
    }
    %y = tile.region %Y[%m, %n] [128, 128] : !tensor
    tile.copy %acc to %Ys : !acc, !Ys
    tile.copy %Ys to %y : !Ys, !tile.region<128x128xbf16>
    gpu.terminator
  }
  return
}

// A cast of the user's that nothing resolves.
gpu.module @m {
  gpu.func @f(%A: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %v = builtin.unrealized_conversion_cast %x : f32 to i64
    %y = llvm.bitcast %v : i64 to f64
    %z = arith.truncf %y : f64 to f32
    memref.store %z, %A[%t] : memref<64xf32>
    gpu.return
  }
}

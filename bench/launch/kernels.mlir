// What launch-bench.c loads and launches: one tensor, four tensors.

func.func @one(%A: memref<1024xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1.0 : f32
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    memref.store %one, %A[%i] : memref<1024xf32>
    gpu.terminator
  }
  return
}

func.func @four(%A: memref<1024xf32>, %B: memref<1024xf32>, %C: memref<1024xf32>,
                %D: memref<1024xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  gpu.launch blocks(%b, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %x = memref.load %A[%i] : memref<1024xf32>
    %y = memref.load %B[%i] : memref<1024xf32>
    %z = memref.load %C[%i] : memref<1024xf32>
    %xy = arith.addf %x, %y : f32
    %xyz = arith.addf %xy, %z : f32
    memref.store %xyz, %D[%i] : memref<1024xf32>
    gpu.terminator
  }
  return
}

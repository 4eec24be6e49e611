// 6! for each element, by foreign-recursion.test.
func.func private @fact(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %le = arith.cmpi sle, %n, %one : i32
  %r = scf.if %le -> i32 { scf.yield %one : i32 } else {
    %m = arith.subi %n, %one : i32
    %f = func.call @fact(%m) : (i32) -> i32
    %p = arith.muli %f, %n : i32
    scf.yield %p : i32
  }
  return %r : i32
}

func.func @recursion(%A: memref<64xi32>, %B: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %cT = arith.constant 64 : index
  %cG = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %cG, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %cT, %ny = %c1, %nz = %c1)  {
    %v = memref.load %A[%tx] : memref<64xi32>
    %f = arith.constant 5 : i32
    %u = arith.addi %v, %f : i32
    %w = func.call @fact(%u) : (i32) -> i32
    memref.store %w, %B[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}

// An address is cut where it is an index and more than the way to an integer.

// RUN: not %tile_opt_passes 'gpu.module(tile-join-conversions)' %s 2>&1 | FileCheck %s

gpu.module @m {
  llvm.func @kept(%p: !llvm.ptr) -> i64 {
    %a = llvm.ptrtoint %p : !llvm.ptr to i64
    %i = builtin.unrealized_conversion_cast %a : i64 to index
    %n = builtin.unrealized_conversion_cast %i : index to i32
    %w = llvm.zext %n : i32 to i64
    llvm.return %w : i64
  }
  llvm.func @cut(%p: !llvm.ptr, %o: i32) -> i32 {
    %a = llvm.ptrtoint %p : !llvm.ptr to i64
    %i = builtin.unrealized_conversion_cast %a : i64 to index
    %n = builtin.unrealized_conversion_cast %i : index to i32
    // CHECK: [[@LINE+1]]:10: error: 'llvm.add' op uses an address as an index, which has 32 bits in kernels; arith.index_cast it to i64 first
    %s = llvm.add %n, %o : i32
    llvm.return %s : i32
  }
}

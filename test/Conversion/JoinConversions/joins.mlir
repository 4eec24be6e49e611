// Casts between indices of different widths are extensions; what
// convert-gpu-to-nvvm would make calls of is out of its reach.

// RUN: %tile_opt_passes 'gpu.module(tile-join-conversions)' %s -o %t.once && FileCheck %s < %t.once
// RUN: %tile_opt_passes 'gpu.module(tile-join-conversions)' %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: %tile_opt_passes 'gpu.module(tile-join-conversions,convert-gpu-to-nvvm)' %s | FileCheck %s --check-prefix=CALLS
// CALLS-NOT: __nv

gpu.module @m {
  // CHECK-LABEL: llvm.func @indices
  // CHECK: llvm.sext %arg0 : i32 to i64
  // CHECK: llvm.trunc %arg1 : i64 to i32
  // CHECK: llvm.sext %arg2 : vector<4xi32> to vector<4xi64>
  llvm.func @indices(%a: i32, %b: i64, %v: vector<4xi32>) -> !llvm.struct<(i64, i32, vector<4xi64>)> {
    %i = builtin.unrealized_conversion_cast %a : i32 to index
    %wide = builtin.unrealized_conversion_cast %i : index to i64
    %j = builtin.unrealized_conversion_cast %b : i64 to index
    %narrow = builtin.unrealized_conversion_cast %j : index to i32
    %k = builtin.unrealized_conversion_cast %v : vector<4xi32> to vector<4xindex>
    %all = builtin.unrealized_conversion_cast %k : vector<4xindex> to vector<4xi64>
    %u = llvm.mlir.undef : !llvm.struct<(i64, i32, vector<4xi64>)>
    %r = llvm.insertvalue %wide, %u[0] : !llvm.struct<(i64, i32, vector<4xi64>)>
    %s = llvm.insertvalue %narrow, %r[1] : !llvm.struct<(i64, i32, vector<4xi64>)>
    %t = llvm.insertvalue %all, %s[2] : !llvm.struct<(i64, i32, vector<4xi64>)>
    llvm.return %t : !llvm.struct<(i64, i32, vector<4xi64>)>
  }

  // CHECK-LABEL: llvm.func @intrinsics
  // CHECK: llvm.call_intrinsic "llvm.sqrt"(%arg0) {{.*}}fast{{.*}} : (f32) -> f32
  // CHECK: llvm.call_intrinsic "llvm.copysign"(%{{.*}}, %arg1) : (f32, f32) -> f32
  llvm.func @intrinsics(%x: f32, %y: f32) -> f32 {
    %a = llvm.intr.sqrt(%x) {fastmathFlags = #llvm.fastmath<fast>} : (f32) -> f32
    %b = llvm.intr.copysign(%a, %y) : (f32, f32) -> f32
    llvm.return %b : f32
  }

  // CHECK-LABEL: llvm.func @remainder
  // CHECK: llvm.fdiv
  // CHECK: llvm.call_intrinsic "llvm.trunc"
  // CHECK: llvm.call_intrinsic "llvm.fma"
  // CHECK: llvm.select
  llvm.func @remainder(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
    %r = llvm.frem %x, %y : vector<2xf32>
    llvm.return %r : vector<2xf32>
  }
}

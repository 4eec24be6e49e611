// Stock mlir-opt runs our passes, with options, between its own ones.

// RUN: mlir-opt %s --load-dialect-plugin=%libtile --load-pass-plugin=%libtile \
// RUN:   --pass-pipeline='builtin.module(tile-instruction-annotation{target=sm_90a})' \
// RUN:   | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%libtile --load-pass-plugin=%libtile \
// RUN:   --pass-pipeline='builtin.module(canonicalize,func.func(tile-instruction-annotation{target=sm_90a}),cse)' \
// RUN:   | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%libtile --load-pass-plugin=%libtile \
// RUN:   --pass-pipeline='builtin.module(tile-instruction-annotation{target=sm_90a})' \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: not mlir-opt %s --load-dialect-plugin=%libtile --load-pass-plugin=%libtile \
// RUN:   --pass-pipeline='builtin.module(tile-instruction-annotation{aim=sm_90a})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=OPTION

// DUMP: {{^ *}}tile-instruction-annotation{target=sm_90a}
// OPTION: no such option aim

// CHECK-LABEL: func.func @copied
func.func @copied(%a: memref<128x64xf32>) attributes {tile.num_threads = 128 : i32} {
  // CHECK: %[[TILE:.*]] = tile.alloc
  %tile = tile.alloc : memref<128x64xf32, #gpu.address_space<workgroup>>
  // CHECK: tile.copy %{{.*}} to %[[TILE]] {instr = #tile.instr<{{[a-z_]+}}>}
  tile.copy %a to %tile : memref<128x64xf32>, memref<128x64xf32, #gpu.address_space<workgroup>>
  return
}

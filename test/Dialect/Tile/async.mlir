// RUN: %tile_opt --verify-roundtrip %s | FileCheck %s

// CHECK-LABEL: func @products
// CHECK: tile.await pending 1
func.func @products() {
  tile.await pending 1
  return
}

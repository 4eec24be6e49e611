// RUN: %tile_opt %s -split-input-file -verify-diagnostics

// (C1)
func.func @await() {
  // expected-error @+1 {{expects 'pending' to be at least 0, got -2}}
  tile.await pending -2
  return
}

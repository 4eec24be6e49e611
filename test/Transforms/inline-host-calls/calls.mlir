// RUN: %tile_opt_passes 'tile-inline-host-calls' %s | FileCheck %s
// RUN: %tile_opt_passes 'tile-inline-host-calls,tile-inline-host-calls' %s | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @run(%n: index) kernel {
      gpu.return
    }
  }

  // Private functions that were called are gone; one that nobody calls is not.
  // CHECK-NOT: @launch_
  func.func private @launch_n(%n: index) -> index {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@run blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%n : index)
    %m = func.call @next(%n) : (index) -> index
    return %m : index
  }
  func.func private @launch_twice(%n: index) -> index {
    %a = func.call @launch_n(%n) : (index) -> index
    %b = func.call @launch_n(%a) : (index) -> index
    return %b : index
  }
  // CHECK: func.func private @unused
  func.func private @unused() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@run blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%c1 : index)
    return
  }

  // Helpers that launch nothing stay: kernels may call them.
  // CHECK: func.func private @next
  func.func private @next(%n: index) -> index {
    %c1 = arith.constant 1 : index
    %m = arith.addi %n, %c1 : index
    return %m : index
  }

  // In loops, too; results are those of the copies.
  // CHECK-LABEL: func.func @host
  // CHECK-SAME: (%[[N:.*]]: index{{.*}}) -> index
  func.func @host(%n: index) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[X:.*]] = %[[N]])
    // CHECK: gpu.launch_func @kernels::@run {{.*}} args(%[[X]] : index)
    // CHECK: %[[Y:.*]] = arith.addi %[[X]]
    // CHECK: gpu.launch_func @kernels::@run {{.*}} args(%[[Y]] : index)
    // CHECK: %[[Z:.*]] = arith.addi %[[Y]]
    // CHECK: scf.yield %[[Z]]
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %n) -> (index) {
      %y = func.call @launch_twice(%x) : (index) -> index
      scf.yield %y : index
    }
    // CHECK-NOT: func.call
    // CHECK: return %[[R]]
    return %r : index
  }
}

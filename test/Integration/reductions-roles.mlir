// Reductions by the threads of one role only, and of other names of a storage.

// REQUIRES: numpy
// RUN: rm -rf %t && %python %S/Inputs/run-kernel.py %s --target=sm_90a --target=sm_80 --out=%t

#shared = #gpu.address_space<workgroup>
#fragment = #tile.fragment

// Three warps reduce columns, scan and update while two others reduce rows of
// another tensor: neither waits for the other, and threads count from the first
// warp of their role.
// CASE: roles(A=ints:48x64:f32, B=ints:20x33:f32, X=junk:64:f32, Y=junk:20:f32, Z=ints:64:f32)
// EXPECT: X = np.cumsum(A.sum(axis=0))
// EXPECT: Z = Z + A.sum(axis=0)
// EXPECT: Y = abs(B).max(axis=1)
func.func @roles(%A: memref<48x64xf32>, %B: memref<20x33xf32>, %X: memref<64xf32>, %Y: memref<20xf32>, %Z: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c160 = arith.constant 160 : index
  %yes = arith.constant true
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c160, %ny = %c1, %nz = %c1) {
    tile.specialize {
      tile.role "rows" warps 2 {
        %F = tile.alloc : memref<20x33xf32, #fragment>
        %R = tile.alloc : memref<20xf32, #shared>
        tile.copy %B to %F : memref<20x33xf32>, memref<20x33xf32, #fragment>
        tile.reduce absmax %F to %R dim 1 {clear} : memref<20x33xf32, #fragment>, memref<20xf32, #shared>
        tile.copy %R to %Y : memref<20xf32, #shared>, memref<20xf32>
      }
      tile.role "columns" warps 3 {
        %F = tile.alloc : memref<48x64xf32, #fragment>
        %R = tile.alloc : memref<64xf32, #fragment>
        %M = tile.alloc : memref<5xi1, #shared>
        tile.copy %A to %F : memref<48x64xf32>, memref<48x64xf32, #fragment>
        tile.fill %M, %yes : memref<5xi1, #shared>, i1
        tile.reduce sum %F to %R dim 0 {clear} : memref<48x64xf32, #fragment>, memref<64xf32, #fragment>
        %p = tile.all_of %M : memref<5xi1, #shared>
        scf.if %p {
          tile.atomic add %R to %Z : memref<64xf32, #fragment>, memref<64xf32>
          tile.scan sum %R to %R dim 0 : memref<64xf32, #fragment>, memref<64xf32, #fragment>
          tile.copy %R to %X : memref<64xf32, #fragment>, memref<64xf32>
        }
      }
    }
    gpu.terminator
  }
  return
}

// A view of a shared tile and of a fragment is reduced in its own shape.
// CASE: views(A=ints:32x24:f32, X=junk:16:f32, Y=junk:16:f32)
// EXPECT: X = A.reshape(16, 48).sum(axis=1)
// EXPECT: Y = A.reshape(16, 48).max(axis=1)
func.func @views(%A: memref<32x24xf32>, %X: memref<16xf32>, %Y: memref<16xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %S = tile.alloc : memref<32x24xf32, #shared>
    %F = tile.alloc : memref<32x24xf32, #fragment>
    %R = tile.alloc : memref<16xf32, #fragment>
    tile.copy %A to %S : memref<32x24xf32>, memref<32x24xf32, #shared>
    tile.copy %A to %F : memref<32x24xf32>, memref<32x24xf32, #fragment>
    %V = tile.view %S : memref<32x24xf32, #shared> to memref<16x48xf32, #shared>
    %W = tile.view %F : memref<32x24xf32, #fragment> to memref<16x48xf32, #fragment>
    tile.reduce sum %V to %R dim 1 {clear} : memref<16x48xf32, #shared>, memref<16xf32, #fragment>
    tile.copy %R to %X : memref<16xf32, #fragment>, memref<16xf32>
    tile.reduce max %W to %R dim 1 {clear} : memref<16x48xf32, #fragment>, memref<16xf32, #fragment>
    tile.copy %R to %Y : memref<16xf32, #fragment>, memref<16xf32>
    gpu.terminator
  }
  return
}

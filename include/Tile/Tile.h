//===- Tile.h - Compile kernels and run them, from any program ------------===//
//
// The whole C API but Tile/Mlir.h, which is for programs that use MLIR
// themselves. docs/Embedding.md has examples.
//
//   Tile/Compiler.h  text to PTX, cubin and metadata   libtile, libtile-static
//   Tile/Run.h       these on a GPU or the emulator    libtile-run
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include "Tile/Compiler.h"
#include "Tile/Run.h"

#endif // TILE_TILE_H

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

#ifdef __cplusplus
extern "C" {
#endif

/// Loads one function of a program: its cubin where there is one and the device
/// is a GPU, else its PTX. As tile_module_create otherwise.
static inline TileModule *tile_module_load(TileDevice *device,
                                           const TileProgram *program,
                                           size_t function) {
  TileBytes metadata =
      tile_program_product(program, function, TILE_PRODUCT_METADATA);
  TileBytes image = tile_program_product(program, function, TILE_PRODUCT_CUBIN);
  if (!image.data || tile_device_emulator(device))
    image = tile_program_product(program, function, TILE_PRODUCT_PTX);
  return tile_module_create(device, tile_program_name(program, function),
                            metadata.data, metadata.size_bytes, image.data,
                            image.size_bytes);
}

#ifdef __cplusplus
}
#endif

#endif // TILE_TILE_H

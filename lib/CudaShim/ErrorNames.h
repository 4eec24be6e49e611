//===- ErrorNames.h - Names of errors -------------------------------------===//
#ifndef TILE_LIB_CUDA_SHIM_ERROR_NAMES_H
#define TILE_LIB_CUDA_SHIM_ERROR_NAMES_H

typedef struct {
  int number;
  const char *driver_name, *runtime_name; // NULL: not of that API
  const char *text;
} TileShimErrorName;

/// NULL when there is no such error.
const TileShimErrorName *tile_shim_error_name(int number);

#endif // TILE_LIB_CUDA_SHIM_ERROR_NAMES_H

//===- ShimOptions.h - Options of tile-emu-exec and of its libraries ------===//
#ifndef TILE_LIB_CUDA_SHIM_SHIM_OPTIONS_H
#define TILE_LIB_CUDA_SHIM_SHIM_OPTIONS_H

#include "Tile/Emulator.h"

/// tile-emu-exec hands its options over in these variables: options as it got
/// them, one in a line, and a file that gets an F for findings and a W for each
/// report that could not be written.
#define TILE_SHIM_OPTIONS_VARIABLE "TILE_EMU_OPTIONS"
#define TILE_SHIM_RESULT_VARIABLE "TILE_EMU_RESULT"

typedef struct {
  TileEmuOptions emulator;
  int capability; // of the device: 80 or 90
  bool verbose;   // a line for every launch
  bool stats;
  char *text; // of the variable, which others point into; owned
  const char *report_path, *profile_path; // NULL: none; borrowed
} TileShimOptions;

void tile_shim_options_init(TileShimOptions *out_options);
/// Takes one option, "--name" or "--name=value". `text` must live as long as
/// the options. Errors: unknown names and values.
TileStatus tile_shim_option_parse(TileShimOptions *options, const char *text);

#endif // TILE_LIB_CUDA_SHIM_SHIM_OPTIONS_H

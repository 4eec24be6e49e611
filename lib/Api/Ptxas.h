//===- Ptxas.h - Runs NVIDIA's assembler ----------------------------------===//
//
// As a process of its own; PTX and cubin stay in memory.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_API_PTXAS_H
#define TILE_LIB_API_PTXAS_H

#include "Support/Arena.h"
#include "Target/Limits.h"
#include "Tile/Compiler.h"
#include "Tile/Support/Status.h"

/// One text to assemble. All is borrowed.
typedef struct {
  const char *ptxas, *chip, *ptx;
  const char *name; // of the function, for messages
  bool line_info;
  int num_threads;      // that assemble kernels of the text at the same time
  unsigned max_seconds; // after which it is killed
  TileLimits *limits;   // of the compilation
} TilePtxasJob;

/// What it made and said. A zeroed report is empty and valid.
typedef struct {
  TileArena arena; // of the texts
  char *cubin;     // owned
  size_t cubin_bytes;
  TileKernelResources *kernels;
  size_t num_kernels, max_kernels;
  const char **warnings; // spills, products that it serialised (messages C7508
                         // to C7518), its own warnings
  size_t num_warnings, max_warnings;
} TilePtxasReport;

/// Assembles one text. Only one thread does where the assembler knows nothing
/// of several or memory is limited: each takes address space. They change no
/// code, but a note of the cubin holds the options. The program has a process
/// group of its own, which is killed when its time is over or the compilation
/// has to end.
/// Errors: the program cannot be started, rejects the PTX, is killed, or leaves
///         no cubin; the message holds what it printed.
/// Owner:  the caller, tile_ptxas_report_deinit in every case.
TileStatus tile_ptxas_run(const TilePtxasJob *job, TilePtxasReport *out_report);
void tile_ptxas_report_deinit(TilePtxasReport *report);

#endif // TILE_LIB_API_PTXAS_H

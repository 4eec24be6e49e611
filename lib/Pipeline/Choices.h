//===- Choices.h - What the compiler chose and takes back -----------------===//
//
// Passes choose roles, turns, rotation, persistence, staged stores and slots by
// themselves, each by an estimate of what later passes will need. Where one of
// these then cannot compile the kernel, the compilation begins again after the
// variants, with one choice less, as if the user had written it so: options of
// tile.kernel_config, stages of loops, tiles that are used again, numbers on
// the kernel. What compiles at once is compiled once.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_PIPELINE_CHOICES_H
#define TILE_LIB_PIPELINE_CHOICES_H

#include "mlir-c/IR.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  TILE_CHOICE_TURNS,       // of warpgroups (ping-pong)
  TILE_CHOICE_ROTATION,    // of loops with dependent products
  TILE_CHOICE_TILES,       // a tile of its own for each loop
  TILE_CHOICE_ESTIMATE,    // of shared memory that later passes need
  TILE_CHOICE_PERSISTENCE, // blocks that loop over tiles
  TILE_CHOICE_PRELUDES,    // a second slot for tiles of outer loops
  TILE_CHOICE_STAGES,      // as many as the loops say
  TILE_CHOICE_ROLES,
  TILE_NUM_CHOICES
} TileChoice;

/// What is taken back of one kernel.
typedef struct {
  bool is_off[TILE_NUM_CHOICES];
  bool was_tried[TILE_NUM_CHOICES];
  char *reasons[TILE_NUM_CHOICES]; // owned: what failed with the choice
  int64_t reserved_bytes;          // beyond the estimate
  int num_estimates;
  int64_t max_stages; // of loops, when stages are taken back
} TileKernelChoices;

/// The choices of a module. A zeroed struct is empty: for tile_choices_begin
/// and tile_choices_deinit alone.
typedef struct {
  MlirModule before; // owned: before the first choice; null: not there yet
  TileKernelChoices *kernels; // by number in program order
  size_t num_kernels;
  size_t last_kernel; // whose choice was taken back last
  TileChoice last;    // TILE_NUM_CHOICES: none yet
  char *last_failure; // owned: what failed before that
} TileChoices;

/// Keeps a copy of `module`: the first pass that chooses comes next.
MLIR_CAPI_EXPORTED void tile_choices_begin(TileChoices *choices,
                                           MlirModule module);

/// Takes back one choice of the kernel that a pass has refused in `failed`,
/// whose first error is `message`. One that changed nothing is given again.
/// Returns false when there is nothing left to take back.
MLIR_CAPI_EXPORTED bool tile_choices_take_back(TileChoices *choices,
                                               MlirModule failed,
                                               const char *message);

/// A new module to go on with, before the first choice; says in a remark
/// what has been taken back. Owner: the caller.
MLIR_CAPI_EXPORTED MlirModule tile_choices_apply(const TileChoices *choices);

MLIR_CAPI_EXPORTED void tile_choices_deinit(TileChoices *choices);

#endif // TILE_LIB_PIPELINE_CHOICES_H

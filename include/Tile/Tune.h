//===- Tune.h - What of a program may be chosen ---------------------------===//
//
// libtile. Plain C11 and C++17, no MLIR type. Finds the sizes and choices that
// the kernels of a program may have otherwise, writes the program with others,
// and says what the compiler's model of cost thinks of them. tile-tune is made
// of it.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TUNE_H
#define TILE_TUNE_H

#include "Tile/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A program with one host function, and what of it may be chosen.
typedef struct TileTuning TileTuning;

/// Reads MLIR text or bytecode. `name` stands for it in messages.
/// Errors: NULL, after an error through the compiler's diagnostics: no MLIR, or
///         not exactly one host function that launches kernels or has ops of
///         linalg.
/// Owner:  the caller, tile_tuning_destroy, before the compiler.
TILE_API TileTuning *tile_tuning_create(TileCompiler *compiler,
                                        const char *name, const void *text,
                                        size_t size_bytes);
TILE_API void tile_tuning_destroy(TileTuning *tuning);

/// The name of the host function. Owned by the tuning, as all texts below.
TILE_API const char *tile_tuning_function(const TileTuning *tuning);

/// One thing that may be chosen. Later versions may add members at the end.
typedef struct {
  const char *name;          // "m", "threads", "form"
  int64_t value;             // as the program has it
  const int64_t *values;     // to be tried, ascending
  const char *const *labels; // of the values; NULL: they are numbers
  size_t num_values;
} TileTunable;

/// False when there is no such tunable.
TILE_API bool tile_tuning_tunable(const TileTuning *tuning, size_t index,
                                  TileTunable *out_tunable);

/// The program with these values, one of each tunable. NULL when there is no
/// memory; else text until the next call.
TILE_API const char *tile_tuning_apply(TileTuning *tuning,
                                       const int64_t *values);

/// The extents of the arguments of the host function: `rank` 0 is a scalar.
typedef struct {
  int rank;
  int64_t shape[8];
} TileTuningArg;

/// What the model thinks. Later versions may add members at the end.
typedef struct {
  double us; // of all launches; 0: it knows of none
  double products_us, elements_us, cache_us, memory_us, ends_us;
  const char *bound;  // what most of it is: "products"
  const char *form;   // "blocks", "cooperative", "turns"
  const char *reason; // why it is not worth compiling; NULL: it is
  int64_t smem_bytes, num_registers, num_blocks, blocks_per_sm, num_waves;
} TileTuningCost;

/// Errors: false; `args` are not as many as the function has, or of other
///         rank, through the compiler's diagnostics.
TILE_API bool tile_tuning_estimate(const TileTuning *tuning,
                                   const int64_t *values,
                                   const TileTuningArg *args, size_t num_args,
                                   TileTuningCost *out_cost);

#ifdef __cplusplus
}
#endif

#endif // TILE_TUNE_H

//===- Steps.h - The steps of the pipeline --------------------------------===//
#ifndef TILE_PIPELINE_STEPS_H
#define TILE_PIPELINE_STEPS_H

#include "mlir-c/Support.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a pass stands. Launch metadata is read between OUTLINE and LOWER.
typedef enum {
  TILE_PHASE_GRAPH,    // linalg on tensors and memrefs becomes gpu.launch
  TILE_PHASE_TILE,     // on gpu.launch in its host function
  TILE_PHASE_OUTLINE,  // gpu.launch becomes gpu.func and gpu.launch_func
  TILE_PHASE_LOWER,    // gpu.func becomes llvm.func
  TILE_PHASE_LINE_INFO // optional: source lines for profilers
} TilePhase;

/// Flags of a step.
enum {
  TILE_STEP_TAKES_TARGET = 1, // has the option `target`
  TILE_STEP_IS_NESTED = 2,    // runs on each gpu.module, not on builtin.module
  TILE_STEP_FIRST_CHOICE = 4, // what it and later ones choose is taken back
                              // where the kernel does not compile with it
  TILE_STEP_SERVES_HOSTS = 8  // `works_on` counts in host functions, too
};

/// One pass of the pipeline.
typedef struct {
  TilePhase phase;
  const char *pass; // name and options, as in a textual pipeline
  unsigned flags;
  // Beginnings of names of ops, with spaces between them: without such an op in
  // a kernel, or in the module in the first phase, the pass has no work.
  // "tensor<" is any op with a tensor as result, "float8<" one with a scalar of
  // 8 bits. NULL: it may always have some.
  const char *works_on;
} TilePipelineStep;

/// The steps in order; NULL after the last one.
MLIR_CAPI_EXPORTED const TilePipelineStep *tile_pipeline_step_at(size_t index);

/// Writes the textual pipeline of one step, relative to builtin.module, with
/// `target` as the option of that name (NULL or "": none). Returns the length
/// as snprintf does.
MLIR_CAPI_EXPORTED int tile_pipeline_step_print(const TilePipelineStep *step,
                                                const char *target, char *out,
                                                size_t capacity);

#ifdef __cplusplus
}
#endif

#endif // TILE_PIPELINE_STEPS_H

//===- CompilePasses.c - Runs the steps of the pipeline -------------------===//

#include "Pipeline/CompileRun.h"
#include "Support/Build.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "mlir-c/Pass.h"

static MlirLogicalResult
run_manager(TileCompileRun *run, MlirPassManager manager, const char *text) {
  MlirOperation module = mlirModuleGetOperation(run->module);
  TileString message = {NULL, 0, 0};
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(manager), tile_str(text),
      tile_string_callback, &message);
  if (tile_failed(result)) {
    tile_run_fail(run, true, message.data ? message.data : text, "");
    tile_string_deinit(&message);
    return result;
  }
  // Verified by check_step, to tell a broken pass from a program it rejects.
  mlirPassManagerEnableVerifier(manager, false);
  result = mlirPassManagerRunOnOp(manager, module);
  if (tile_failed(result) && !run->has_errors)
    return tile_run_fail(run, true, "pass failed without a message: ", text);
  return result;
}

// The work of each of our passes, and what upstream's made of it at the end of
// a phase.
static MlirLogicalResult
check_step(TileCompileRun *run, const TilePipelineStep *step, bool is_last) {
  if (!strstr(step->pass, "tile-") && !is_last)
    return tile_success();
  if (mlirOperationVerify(mlirModuleGetOperation(run->module)))
    return tile_success();
  return tile_run_fail(run, true, "invalid IR after pass ", step->pass);
}

static MlirLogicalResult run_step(TileCompileRun *run,
                                  const TilePipelineStep *step, bool is_last) {
  char text[256];
  tile_pipeline_step_print(step, NULL, text, sizeof text);
  MlirPassManager manager = mlirPassManagerCreate(run->context);
  MlirLogicalResult result = run_manager(run, manager, text);
  mlirPassManagerDestroy(manager);
  if (tile_failed(result) || run->has_errors ||
      tile_failed(check_step(run, step, is_last)))
    return tile_failure();
  tile_run_end_phase(run, step->pass);
  tile_run_tell_module(run, step->pass);
  return tile_success();
}

static MlirWalkResult find_vector_op(MlirOperation op, void *user_data) {
  static const char head[] = "vector.";
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (name.length < sizeof head || memcmp(name.data, head, sizeof head - 1))
    return MlirWalkResultAdvance;
  *(bool *)user_data = true;
  return MlirWalkResultInterrupt;
}

// The vector conversion loads many dialects, 4 ms that most programs can save.
static bool has_work(const TileCompileRun *run, const TilePipelineStep *step) {
  bool has_vectors = !(step->flags & TILE_STEP_FOR_VECTORS);
  if (!has_vectors)
    mlirOperationWalk(mlirModuleGetOperation(run->module), find_vector_op,
                      &has_vectors, MlirWalkPreOrder);
  return has_vectors;
}

static void keep_module(TileCompileRun *run) {
  run->mark = (TileRunMark){.diagnostics_bytes = run->diagnostics.size_bytes,
                            .num_times = run->result->num_times,
                            .num_warnings = run->result->num_warnings,
                            .num_stages = run->num_stages};
  tile_choices_begin(&run->choices, run->module);
}

MlirLogicalResult tile_run_passes(TileCompileRun *run, TilePhase phase) {
  const TilePipelineStep *step;
  bool is_kept = !mlirModuleIsNull(run->choices.before), is_ahead = is_kept;
  for (size_t i = 0; (step = tile_pipeline_step_at(i)); i++) {
    const TilePipelineStep *next = tile_pipeline_step_at(i + 1);
    bool is_last = !next || next->phase != phase;
    if (step->flags & TILE_STEP_FIRST_CHOICE) {
      if (!is_kept && step->phase == phase)
        keep_module(run);
      is_ahead = false;
    }
    if (step->phase == phase && !is_ahead && has_work(run, step) &&
        tile_failed(run_step(run, step, is_last)))
      return tile_failure();
  }
  return tile_success();
}

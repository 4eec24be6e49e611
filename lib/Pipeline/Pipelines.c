//===- Pipelines.c - The compiler on one screen ---------------------------===//

#include "Tile/Mlir.h"

#include "Pipeline/Steps.h"

#include "Support/PassSupport.h"
#include "Support/StringBuilder.h"
#include "Target/Target.h"
#include "TilePasses.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir/Conversion/Passes.capi.h.inc"
#include "mlir/Dialect/Arith/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/Bufferization/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/GPU/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/MemRef/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/SCF/Transforms/Passes.capi.h.inc"
#include "mlir/Dialect/Vector/Transforms/Passes.capi.h.inc"
#include "mlir/Transforms/Transforms.capi.h.inc"
#include <stdio.h>
#include <string.h>

//===-- The passes, in order ----------------------------------------------===//

enum {
  TARGET = TILE_STEP_TAKES_TARGET,
  NESTED = TILE_STEP_IS_NESTED,
  HOSTS = TILE_STEP_SERVES_HOSTS,
  CHOICES = TILE_STEP_FIRST_CHOICE
};

// Ops of other dialects, for which upstream's conversions run: without them a
// kernel does not pay for these. convert-gpu-to-nvvm converts all at once that
// may use a memref; arith and math it leaves to those before it.
#define FOREIGN "cf.assert complex. func. gpu. index. memref. ub. vector."

// What front ends write.
#define GRAPH "bufferization. linalg. tensor."

// What schedules make of it: a copy needs no op of linalg.
#define BLOCKS "linalg. scf.forall"

// Index arithmetic of kernels is 32 bits wide; addresses are 64.
static const TilePipelineStep steps[] = {
    {TILE_PHASE_GRAPH, "convert-elementwise-to-linalg", 0, "tensor<"},
    {TILE_PHASE_GRAPH, "inline", 0, GRAPH},
    {TILE_PHASE_GRAPH, "tile-form-convolutions", 0, "linalg."},
    {TILE_PHASE_GRAPH, "tile-apply-schedules{prepare=true}", 0, GRAPH},
    {TILE_PHASE_GRAPH, "canonicalize", 0, GRAPH},
    {TILE_PHASE_GRAPH, "cse", 0, GRAPH},
    {TILE_PHASE_GRAPH, "tile-form-kernels", TARGET, GRAPH},
    {TILE_PHASE_GRAPH, "tile-apply-schedules", 0, "linalg."},
    {TILE_PHASE_GRAPH, "resolve-ranked-shaped-type-result-dims", 0, "tensor."},
    {TILE_PHASE_GRAPH, "canonicalize", 0, "linalg."},
    {TILE_PHASE_GRAPH, "cse", 0, "linalg."},
    {TILE_PHASE_GRAPH, "inline", 0, "linalg."}, // before: kernels read windows
    // What kernels make is made where it is joined.
    {TILE_PHASE_GRAPH, "eliminate-empty-tensors", 0, GRAPH},
    {TILE_PHASE_GRAPH,
     "one-shot-bufferize{bufferize-function-boundaries=true "
     "function-boundary-type-conversion=identity-layout-map}",
     0, GRAPH},
    {TILE_PHASE_GRAPH, "canonicalize", 0, BLOCKS},
    {TILE_PHASE_GRAPH, "cse", 0, BLOCKS},
    {TILE_PHASE_GRAPH, "lower-affine", 0, BLOCKS},
    {TILE_PHASE_GRAPH, "canonicalize", 0, BLOCKS},
    {TILE_PHASE_GRAPH, "convert-linalg-to-tile", 0, BLOCKS},

    {TILE_PHASE_TILE, "lower-affine", HOSTS, "affine."},
    {TILE_PHASE_TILE, "lift-cf-to-scf", HOSTS, "cf.br cf.cond_br cf.switch"},
    // What others leave around launches and in kernels, in terms of the rest.
    {TILE_PHASE_TILE, "scf-forall-to-for", HOSTS, "scf.forall"},
    {TILE_PHASE_TILE, "scf-parallel-for-to-nested-fors", HOSTS, "scf.parallel"},
    {TILE_PHASE_TILE, "convert-bufferization-to-memref", HOSTS,
     "bufferization.clone"},
    {TILE_PHASE_TILE, "bufferization-lower-deallocations", HOSTS,
     "bufferization.dealloc"},
    {TILE_PHASE_TILE, "expand-realloc", HOSTS, "memref.realloc"},
    {TILE_PHASE_TILE, "func.func(lower-vector-mask)", 0, "vector.mask"},
    {TILE_PHASE_TILE, "tile-inline-calls", 0, "func.call"},
    {TILE_PHASE_TILE, "canonicalize", 0, NULL}, // subviews become regions
    {TILE_PHASE_TILE, "tile-expand-types", 0, NULL},
    {TILE_PHASE_TILE, "tile-mark-aliases", 0, NULL},
    {TILE_PHASE_TILE, "tile-verify-writes", 0, NULL},
    {TILE_PHASE_TILE, "tile-expand-arranged", 0, NULL},
    {TILE_PHASE_TILE, "tile-expand-tickets", 0, "tile.next_tile"},
    {TILE_PHASE_TILE, "tile-expand-combiners", 0,
     "tile.reduce_by tile.scan_by tile.reduce_all"},
    {TILE_PHASE_TILE, "tile-expand-products", TARGET, "tile.gemm"},
    {TILE_PHASE_TILE, "tile-expand-switches", 0, NULL},
    {TILE_PHASE_TILE, "tile-sink-fills", 0, NULL},
    {TILE_PHASE_TILE, "tile-split-depth", TARGET, "tile.gemm"},
    {TILE_PHASE_TILE, "tile-guard-masks", 0, "scf.for"},
    {TILE_PHASE_TILE, "tile-stage-rows", TARGET, "tile.gemm"},
    {TILE_PHASE_TILE, "tile-make-variants", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-sink-loads", 0, NULL},
    {TILE_PHASE_TILE, "tile-stage-stores", TARGET | CHOICES, NULL},
    {TILE_PHASE_TILE, "tile-order-blocks", TARGET, "scf.for"},
    {TILE_PHASE_TILE, "tile-persist", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-split-pads", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-expand-elements", 0, NULL},
    {TILE_PHASE_TILE, "tile-instruction-annotation", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-ws-tiled", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-pipeline-planning", 0, NULL},
    {TILE_PHASE_TILE, "tile-inject-pipeline", 0, NULL},
    {TILE_PHASE_TILE, "tile-async-products", 0, NULL},
    {TILE_PHASE_TILE, "tile-layout-inference", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-lower-channels", 0, NULL},
    {TILE_PHASE_TILE, "tile-pack-shared-memory", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-insert-sync", TARGET, NULL},
    {TILE_PHASE_TILE, "tile-verify-channels{synced=true}", TARGET, NULL},

    {TILE_PHASE_OUTLINE, "gpu-launch-sink-index-computations", 0, NULL},
    {TILE_PHASE_OUTLINE, "gpu-kernel-outlining", 0, NULL},
    {TILE_PHASE_OUTLINE, "tile-inline-host-calls", 0, NULL},
    {TILE_PHASE_OUTLINE, "tile-sink-constants", 0, NULL},

    {TILE_PHASE_LOWER, "tile-alternate-registers", NESTED, NULL},
    {TILE_PHASE_LOWER, "convert-tile-to-nvgpu", TARGET | NESTED, NULL},
    {TILE_PHASE_LOWER, "tile-lower-roles", TARGET | NESTED, NULL},
    {TILE_PHASE_LOWER, "convert-tile-to-threads", NESTED, NULL},
    {TILE_PHASE_LOWER, "convert-complex-to-standard", NESTED, "complex."},
    // What permutes makes affine.apply.
    {TILE_PHASE_LOWER, "convert-vector-to-scf", NESTED, "vector.transfer"},
    {TILE_PHASE_LOWER, "lower-affine", NESTED, "affine."},
    {TILE_PHASE_LOWER, "convert-scf-to-cf", NESTED, NULL},
    {TILE_PHASE_LOWER, "tile-expand-reductions", NESTED,
     "gpu.all_reduce gpu.rotate gpu.shuffle gpu.subgroup_broadcast "
     "gpu.subgroup_reduce vector.multi_reduction vector.scan"},
    {TILE_PHASE_LOWER,
     "arith-emulate-unsupported-floats{source-types=f8E4M3FN,f8E5M2,f8E8M0FNU,"
     "f6E3M2FN,f6E2M3FN,f4E2M1FN target-type=f32}",
     NESTED, "float8<"},
    {TILE_PHASE_LOWER, "convert-tile-to-nvvm", TARGET | NESTED, NULL},
    {TILE_PHASE_LOWER, "convert-vector-to-llvm", NESTED, "vector."},
    {TILE_PHASE_LOWER, "convert-math-to-llvm", NESTED, NULL},
    {TILE_PHASE_LOWER, "convert-index-to-llvm{index-bitwidth=32}", NESTED,
     "index."},
    {TILE_PHASE_LOWER, "convert-arith-to-llvm{index-bitwidth=32}", NESTED,
     NULL},
    {TILE_PHASE_LOWER, "expand-strided-metadata", NESTED, "memref."},
    {TILE_PHASE_LOWER, "lower-affine", NESTED, "affine."},
    {TILE_PHASE_LOWER, "tile-join-conversions", NESTED, FOREIGN},
    {TILE_PHASE_LOWER,
     "convert-gpu-to-nvvm{index-bitwidth=64 "
     "allowed-dialects=arith,cf,complex,func,memref,ub,vector}",
     NESTED, FOREIGN},
    {TILE_PHASE_LOWER, "convert-cf-to-llvm{index-bitwidth=32}", 0, NULL},
    {TILE_PHASE_LOWER, "tile-join-conversions", NESTED,
     "builtin.unrealized_conversion_cast"},
    {TILE_PHASE_LOWER, "reconcile-unrealized-casts", NESTED, NULL},
    {TILE_PHASE_LOWER, "convert-nvvm-to-llvm", NESTED, NULL},

    {TILE_PHASE_LINE_INFO,
     "ensure-debug-info-scope-on-llvm-func{"
     "emission-kind=DebugDirectivesOnly}",
     0, NULL},
};

enum { NUM_STEPS = sizeof steps / sizeof *steps };

const TilePipelineStep *tile_pipeline_step_at(size_t index) {
  return index < NUM_STEPS ? &steps[index] : NULL;
}

const char *tile_pipeline_pass_at(size_t index) {
  return index < NUM_STEPS ? steps[index].pass : NULL;
}

//===-- As text -----------------------------------------------------------===//

int tile_pipeline_step_print(const TilePipelineStep *step, const char *target,
                             char *out, size_t capacity) {
  bool has_target = (step->flags & TARGET) && target && *target;
  const char *options = strchr(step->pass, '{');
  int length = (int)strlen(step->pass);
  // Options that a pass always has come first.
  return snprintf(out, capacity, "%s%.*s%s%s%s%s",
                  (step->flags & NESTED) ? "gpu.module(" : "",
                  has_target && options ? length - 1 : length, step->pass,
                  !has_target ? "" : (options ? " target=" : "{target="),
                  has_target ? target : "", has_target ? "}" : "",
                  (step->flags & NESTED) ? ")" : "");
}

// The steps up to `last`, which is a phase.
static char *print_up_to(TilePhase last, const char *target) {
  TileString text = {NULL, 0, 0};
  for (size_t i = 0; i < NUM_STEPS && steps[i].phase <= last; i++) {
    char step[256];
    tile_pipeline_step_print(&steps[i], target, step, sizeof step);
    tile_string_print(&text, "%s%s", i ? "," : "", step);
  }
  return tile_string_take(&text);
}

char *tile_pipeline_print(const char *target) {
  return print_up_to(TILE_PHASE_LOWER, target);
}

// The options of the pipelines: nothing, or "target=<chip>".
static char *expand_up_to(TilePhase last, const char *options,
                          char *out_message, size_t capacity) {
  static const char key[] = "target=";
  const char *chip = options;
  if (strncmp(options, key, sizeof key - 1) == 0)
    chip += sizeof key - 1;
  if (*options && chip == options) {
    snprintf(out_message, capacity, "expects target=<chip>, got '%s'", options);
    return NULL;
  }
  if (*chip && !tile_target_find(chip)) {
    char known[128];
    tile_target_list(known, sizeof known);
    snprintf(out_message, capacity, "unknown target '%s'; known chips are %s",
             chip, known);
    return NULL;
  }
  return print_up_to(last, chip);
}

static char *expand_all(const char *options, char *out_message,
                        size_t capacity) {
  return expand_up_to(TILE_PHASE_LOWER, options, out_message, capacity);
}

static char *expand_tile_phase(const char *options, char *out_message,
                               size_t capacity) {
  return expand_up_to(TILE_PHASE_TILE, options, out_message, capacity);
}

//===-- Registration ------------------------------------------------------===//

void tile_register_all(void) {
  tile_register_passes();
  tile_register_pipeline("tile-compile-pipeline",
                         "All passes from tile ops to the llvm dialect; option "
                         "target=<chip> when the module does not say",
                         expand_all);
  tile_register_pipeline("tile-phase-pipeline",
                         "The passes of the tile phase: all decisions, before "
                         "kernels are outlined; the same option",
                         expand_tile_phase);
}

void tile_register_pipeline_passes(void) {
  tile_register_all();
  mlirRegisterTransformsCanonicalizer();
  mlirRegisterTransformsCSE();
  mlirRegisterTransformsInliner();
  mlirRegisterLinalgConvertElementwiseToLinalgPass();
  mlirRegisterBufferizationEmptyTensorEliminationPass();
  mlirRegisterBufferizationOneShotBufferizePass();
  mlirRegisterMemRefResolveRankedShapeTypeResultDimsPass();
  mlirRegisterConversionLowerAffinePass();
  mlirRegisterSCFSCFForallToForLoop();
  mlirRegisterSCFSCFParallelForToNestedFors();
  mlirRegisterConversionConvertBufferizationToMemRefPass();
  mlirRegisterBufferizationLowerDeallocationsPass();
  mlirRegisterMemRefExpandReallocPass();
  mlirRegisterConversionLiftControlFlowToSCFPass();
  mlirRegisterConversionConvertComplexToStandardPass();
  mlirRegisterVectorLowerVectorMaskPass();
  mlirRegisterConversionConvertVectorToSCF();
  mlirRegisterConversionConvertIndexToLLVMPass();
  mlirRegisterConversionConvertGpuOpsToNVVMOps();
  mlirRegisterMemRefExpandStridedMetadataPass();
  mlirRegisterGPUGpuLaunchSinkIndexComputationsPass();
  mlirRegisterGPUGpuKernelOutliningPass();
  mlirRegisterConversionSCFToControlFlowPass();
  mlirRegisterArithArithEmulateUnsupportedFloats();
  mlirRegisterConversionConvertVectorToLLVMPass();
  mlirRegisterConversionConvertMathToLLVMPass();
  mlirRegisterConversionArithToLLVMConversionPass();
  mlirRegisterConversionConvertControlFlowToLLVMPass();
  mlirRegisterConversionReconcileUnrealizedCastsPass();
  mlirRegisterConversionConvertNVVMToLLVMPass();
  mlirRegisterLLVMDIScopeForLLVMFuncOpPass();
}

//===- kernel-law-test.c - A law of layout inference, on whole kernels ----===//
//
//   kernel-law-test FILE.mlir …
//
// For every kernel of the files and each target that a file names: the problem
// that layout inference makes of it, with tiles in rings where the kernel
// pipelines its loops, keeps its solution when tiles get a stage dimension
// (layout-law.h).
//
//===----------------------------------------------------------------------===//

#include "layout-law.h"

#include "Pipeline/Steps.h"
#include "Tile/Dialect/Dialect.h"
#include "Tile/Mlir.h"
#include "Tile/Ops/gpu.h"
#include "Transforms/Layouts/LayoutProblem.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"

static struct {
  char **files;
  int num_files;
} arguments; // of the program

typedef struct {
  int kernels, laws;
} Counts;

// The tiles that may get a stage dimension, at most 64: windows and the tiles
// that they are cut from keep theirs.
static uint64_t staged_buffers(const TileInferProblem *p) {
  uint64_t mask = 0;
  for (int b = 0; b < p->num_buffers && b < 64; b++)
    if (p->buffer[b].space != TILE_INFER_GLOBAL &&
        p->buffer[b].rank < TILE_LAYOUT_MAX_AXES)
      mask |= (uint64_t)1 << b;
  for (int i = 0; i < p->num_ops; i++)
    for (int o = 0; p->op[i].kind == TILE_INFER_VIEW && o < 2; o++)
      if (p->op[i].operand[o].buffer < 64)
        mask &= ~((uint64_t)1 << p->op[i].operand[o].buffer);
  return mask;
}

static MlirWalkResult check_kernel(MlirOperation op, void *user_data) {
  Counts *counts = user_data;
  TileArena arena;
  TileLayoutProblem problem;
  TileInferModel model;
  TileInferResult result;
  TileReason error = {""};
  if (!gpu_launch_is(op))
    return MlirWalkResultAdvance;
  tile_arena_init(&arena);
  CHECK(!mlirLogicalResultIsFailure(tile_layout_problem_build(
            &arena, op, tile_kernel_num_threads(op), &problem)),
        "no problem");
  TileInferProblem *p = &problem.problem;
  bool solved = layout_solve(p, &arena, &model, &result, &error);
  if (!solved) {
    p->may_stage_chains = true;
    solved = layout_solve(p, &arena, &model, &result, &error);
  }
  CHECK(solved, "%s", error.text);
  uint64_t all = staged_buffers(p);
  uint64_t some = all & ((uint64_t)rnd(1 << 30) << 32 | rnd(1 << 30));
  if (all && result.proved) {
    layout_law_check(&model, &result, all, 3);
    layout_law_check(&model, &result, some, 2);
    counts->laws += 2;
  }
  counts->kernels++;
  tile_arena_deinit(&arena);
  return MlirWalkResultSkip;
}

static void complain(MlirStringRef text, void *user_data) {
  (void)user_data;
  print_error("%.*s", (int)text.length, text.data);
}

// The passes before layout inference.
static void run_passes(MlirContext context, MlirOperation module,
                       const char *target) {
  for (size_t i = 0;; i++) {
    const TilePipelineStep *step = tile_pipeline_step_at(i);
    char pass[512], text[600];
    if (!strcmp(step->pass, "tile-layout-inference"))
      return;
    tile_pipeline_step_print(step, target, pass, sizeof pass);
    snprintf(text, sizeof text, "builtin.module(%s)", pass);
    MlirPassManager manager = mlirPassManagerCreate(context);
    CHECK(!mlirLogicalResultIsFailure(mlirParsePassPipeline(
              mlirPassManagerGetAsOpPassManager(manager),
              mlirStringRefCreateFromCString(text), complain, NULL)),
          "%s", text);
    CHECK(!mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, module)),
          "%s fails", text);
    mlirPassManagerDestroy(manager);
  }
}

static void check_kernels(MlirContext context, MlirStringRef text,
                          const char *target, Counts *counts) {
  MlirModule module = mlirModuleCreateParse(context, text);
  CHECK(!mlirModuleIsNull(module), "cannot be parsed");
  MlirOperation op = mlirModuleGetOperation(module);
  run_passes(context, op, target);
  mlirOperationWalk(op, check_kernel, counts, MlirWalkPreOrder);
  mlirModuleDestroy(module);
}

static void check_file(MlirContext context, const char *path, Counts *counts) {
  static const char *const targets[] = {"sm_90a", "sm_80"};
  static char text[1 << 20];
  FILE *file = fopen(path, "rb");
  CHECK(file, "cannot read %s", path);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  CHECK(size < sizeof text - 1, "%s is too long", path);
  text[size] = '\0';
  print_message("%s\n", path);
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    if (strstr(text, targets[i])) // as the command in its head runs it
      check_kernels(context, (MlirStringRef){text, size}, targets[i], counts);
}

static void test_law(void **state) {
  (void)state;
  Counts counts = {0, 0};
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  tile_register_pipeline_passes();
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  for (int i = 0; i < arguments.num_files; i++)
    check_file(context, arguments.files[i], &counts);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  print_message("%d kernels, %d laws\n", counts.kernels, counts.laws);
  CHECK(counts.laws > arguments.num_files, "%d laws", counts.laws);
}

int main(int argc, char **argv) {
  arguments.files = argv + 1;
  arguments.num_files = argc - 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_law)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

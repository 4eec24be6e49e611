//===- Compile.c - The compiler as a library ------------------------------===//
//
// parse, passes up to outlining, launch metadata, lowering passes, PTX.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memmem
#include "Tile/Compile.h"

#include "Dialect/Ops.h"
#include "Pipeline/Choices.h"
#include "Pipeline/CompileUnits.h"
#include "Pipeline/DiagnosticText.h"
#include "Pipeline/Steps.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "Support/SourceNesting.h"
#include "Target/Emit.h"
#include "Target/PhaseTimer.h"
#include "Tile/Dialect/Dialect.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "Tile/Pipeline.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"
#include "llvm-c/ErrorHandling.h"
#include <errno.h>
#include <stdlib.h>

struct TileCompiler {
  MlirContext context;
};

// What there was before the first choice, to go back to.
typedef struct {
  size_t diagnostics_bytes, num_times, num_warnings;
  size_t remarks_end_bytes; // what is said of choices ends there
  int num_stages;
} Mark;

// One compilation.
typedef struct {
  MlirContext context;
  const TileCompileOptions *options;
  const char *path;  // NULL: from memory
  char *file;        // owned contents of `path`
  TileSource source; // borrowed, or `file`
  MlirModule module; // null before parsing
  TileUnits units;
  int num_stages; // told to options->on_stage
  bool has_errors;
  double start_ms; // of the phase in progress
  TileString diagnostics, account;
  TileString failure; // the first error since `mark`
  TileChoices choices;
  Mark mark;
  TileCompileResult *result;
} Run;

//===-- Compilers ---------------------------------------------------------===//

TileCompiler *tile_compiler_create(void) {
  TileCompiler *compiler = calloc(1, sizeof *compiler);
  if (!compiler)
    return NULL;
  tile_register_pipeline_passes();
  tile_ptx_init();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  // One kernel at a time: threads cost more than they bring.
  compiler->context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(compiler->context);
  return compiler;
}

void tile_compiler_destroy(TileCompiler *compiler) {
  if (!compiler)
    return;
  mlirContextDestroy(compiler->context);
  free(compiler);
}

void tile_compile_options_init(TileCompileOptions *out_options) {
  *out_options = (TileCompileOptions){.emit = TILE_EMIT_JSON | TILE_EMIT_PTX,
                                      .line_info = true};
}

const char *tile_compile_default_chip(void) { return TILE_DEFAULT_CHIP; }

bool tile_compile_knows_chip(const char *chip) {
  return tile_target_find(chip) != NULL;
}

void tile_compile_list_chips(char *out, size_t capacity) {
  tile_target_list(out, capacity);
}

const char *tile_version(void) { return TILE_VERSION_STRING; }

static void on_fatal_error(const char *reason) {
  fprintf(stderr, "error: internal error in LLVM: %s\n", reason);
  exit(1);
}

void tile_exit_on_fatal_error(void) {
  LLVMInstallFatalErrorHandler(on_fatal_error);
}

//===-- Diagnostics, times, stages ----------------------------------------===//

// What every variant of a kernel runs into is said once: remarks of one code
// for a place, whatever the variants differ in, and equal texts.
static void drop_if_repeated(TileString *text, size_t start, bool is_remark) {
  static const char placeless[] = "remark: ";
  const char *said = text->data + start;
  size_t length = text->size_bytes - start;
  const char *end = memchr(said, ']', strcspn(said, "\n"));
  if (is_remark && end && strncmp(said, placeless, sizeof placeless - 1) != 0)
    length = (size_t)(end + 1 - said);
  if (!memmem(text->data, start, said, length))
    return;
  text->size_bytes = start;
  text->data[start] = '\0';
}

static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic,
                                       void *user_data) {
  Run *run = user_data;
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  bool is_remark = severity == MlirDiagnosticRemark;
  if (is_remark && run->options->hide_remarks)
    return tile_success();
  size_t start = run->diagnostics.size_bytes;
  tile_diagnostic_print(diagnostic, &run->source, &run->diagnostics);
  if (severity == MlirDiagnosticError) {
    if (!run->has_errors)
      mlirDiagnosticPrint(diagnostic, tile_string_callback, &run->failure);
    run->has_errors = true;
    run->result->is_internal_error |=
        tile_location_is_internal_error(mlirDiagnosticGetLocation(diagnostic));
  }
  if (run->diagnostics.size_bytes > start)
    drop_if_repeated(&run->diagnostics, start, is_remark);
  run->result->num_warnings +=
      severity == MlirDiagnosticWarning && run->diagnostics.size_bytes > start;
  return tile_success();
}

// Errors that have no place in the program.
static MlirLogicalResult run_fail(Run *run, bool is_internal, const char *what,
                                  const char *detail) {
  const char *head = is_internal ? "internal error: " : "";
  tile_string_print(&run->diagnostics, "error: %s%s%s\n", head, what, detail);
  if (!run->has_errors)
    tile_string_print(&run->failure, "%s%s%s", head, what, detail);
  run->has_errors = true;
  run->result->is_internal_error |= is_internal;
  return tile_failure();
}

static void add_time(Run *run, const char *name, double ms) {
  TileCompileResult *result = run->result;
  if (result->num_times < TILE_COMPILE_MAX_TIMES)
    result->times[result->num_times++] = (TileCompileTime){name, ms};
}

static void end_phase(Run *run, const char *name) {
  add_time(run, name, tile_lap_ms(&run->start_ms));
}

static void tell_stage(Run *run, const char *name, const char *extension,
                       const char *text) {
  TileString file_name = {NULL, 0, 0};
  tile_string_print(&file_name, "%02d-%s.%s", run->num_stages++, name,
                    extension);
  run->options->on_stage(file_name.data, text, strlen(text),
                         run->options->on_stage_data);
  tile_string_deinit(&file_name);
}

static char *print_module(const Run *run) {
  TileString text = {NULL, 0, 0};
  mlirOperationPrint(mlirModuleGetOperation(run->module), tile_string_callback,
                     &text);
  tile_string_append(&text, "\n", 1);
  return tile_string_take(&text);
}

static void tell_module(Run *run, const char *pass) {
  if (!run->options->on_stage)
    return;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(pass, "{"), pass);
  char *text = print_module(run);
  tell_stage(run, name, "mlir", text);
  free(text);
  tile_lap_ms(&run->start_ms);
}

//===-- Parse -------------------------------------------------------------===//

static MlirLogicalResult read_file(Run *run) {
  FILE *file = fopen(run->path, "rb");
  if (!file) {
    TileString detail = {NULL, 0, 0};
    tile_string_print(&detail, "%s: %s", run->path, strerror(errno));
    MlirLogicalResult result =
        run_fail(run, false, "cannot read ", detail.data);
    tile_string_deinit(&detail);
    return result;
  }
  TileString text = {NULL, 0, 0};
  char chunk[16384];
  while (!feof(file) && !ferror(file))
    tile_string_append(&text, chunk, fread(chunk, 1, sizeof chunk, file));
  bool is_complete = !ferror(file);
  fclose(file);
  run->source.size_bytes = text.size_bytes;
  run->source.text = run->file = tile_string_take(&text);
  return is_complete ? tile_success()
                     : run_fail(run, false, "cannot read ", run->path);
}

static MlirLogicalResult check_nesting(Run *run) {
  TileSourcePlace place;
  if (tile_source_nesting_check(run->source.text, run->source.size_bytes,
                                &place))
    return tile_success();
  MlirLocation location = mlirLocationFileLineColGet(
      run->context, tile_str(run->path ? run->path : "-"), (unsigned)place.line,
      (unsigned)place.column);
  char message[80];
  snprintf(message, sizeof message, TILE_SOURCE_NESTING_ERROR,
           TILE_MAX_SOURCE_NESTING);
  mlirEmitError(location, message);
  return tile_failure();
}

static MlirLogicalResult parse(Run *run) {
  if ((run->path && tile_failed(read_file(run))) ||
      tile_failed(check_nesting(run)))
    return tile_failure();
  // From the file again, so that locations name it.
  MlirStringRef text = {run->source.text, run->source.size_bytes};
  run->module = run->path ? mlirModuleCreateParseFromFile(run->context,
                                                          tile_str(run->path))
                          : mlirModuleCreateParse(run->context, text);
  if (mlirModuleIsNull(run->module))
    return tile_failure();
  end_phase(run, "parse");
  return tile_success();
}

//===-- Target ------------------------------------------------------------===//

// From here on the module itself says for which chip it is: every stage can be
// compiled alone.
static MlirLogicalResult write_target(Run *run) {
  const char *chip = run->options->target;
  MlirOperation module = mlirModuleGetOperation(run->module);
  const TileTarget *target = NULL;
  if (!chip || !*chip)
    return tile_success();
  if (tile_failed(tile_target_resolve(module, chip, &target)))
    return tile_failure();
  char text[64];
  snprintf(text, sizeof text, "#nvvm.target<chip = \"%s\">", target->chip);
  MlirAttribute attr = mlirAttributeParseGet(run->context, tile_str(text));
  if (mlirAttributeIsNull(attr))
    return run_fail(run, true, "cannot make ", text);
  mlirOperationSetDiscardableAttributeByName(module, TILE_STR("tile.target"),
                                             attr);
  return tile_success();
}

static MlirWalkResult check_target(MlirOperation op, void *user_data) {
  MlirLogicalResult *result = user_data;
  const TileTarget *target = NULL;
  if (!gpu_launch_is(op) && !gpu_module_is(op))
    return MlirWalkResultAdvance;
  *result = tile_target_resolve(op, NULL, &target);
  return tile_failed(*result) ? MlirWalkResultInterrupt : MlirWalkResultSkip;
}

// Once here instead of once per pass and kernel.
static MlirLogicalResult check_targets(const Run *run) {
  MlirLogicalResult result = tile_success();
  mlirOperationWalk(mlirModuleGetOperation(run->module), check_target, &result,
                    MlirWalkPreOrder);
  return result;
}

// memref.dim beyond the rank is undefined: its folder crashes on negative
// numbers, and canonicalization removes what depends on the others.
static MlirWalkResult check_dim(MlirOperation op, void *user_data) {
  MlirLogicalResult *result = user_data;
  MemRefDimOp dim = memref_dim_dyn(op);
  int64_t index;
  if (!dim.op.ptr || !mlirxConstantInt(memref_dim_index(dim), &index))
    return MlirWalkResultAdvance;
  MlirType type = mlirValueGetType(memref_dim_source(dim));
  if (!mlirShapedTypeHasRank(type) ||
      (index >= 0 && index < mlirShapedTypeGetRank(type)))
    return MlirWalkResultAdvance;
  *result = tile_emit_error(op, "expects a dimension from 0 to %lld, got %lld",
                            (long long)mlirShapedTypeGetRank(type) - 1,
                            (long long)index);
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult check_dims(const Run *run) {
  MlirLogicalResult result = tile_success();
  mlirOperationWalk(mlirModuleGetOperation(run->module), check_dim, &result,
                    MlirWalkPreOrder);
  return result;
}

//===-- Passes ------------------------------------------------------------===//

static MlirLogicalResult run_manager(Run *run, MlirPassManager manager,
                                     const char *text) {
  MlirOperation module = mlirModuleGetOperation(run->module);
  TileString message = {NULL, 0, 0};
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(manager), tile_str(text),
      tile_string_callback, &message);
  if (tile_failed(result)) {
    run_fail(run, true, message.data ? message.data : text, "");
    tile_string_deinit(&message);
    return result;
  }
  // Verified by check_step, to tell a broken pass from a program it rejects.
  mlirPassManagerEnableVerifier(manager, false);
  result = mlirPassManagerRunOnOp(manager, module);
  if (tile_failed(result) && !run->has_errors)
    return run_fail(run, true, "pass failed without a message: ", text);
  return result;
}

// The work of each of our passes, and what upstream's made of it at the end of
// a phase.
static MlirLogicalResult check_step(Run *run, const TilePipelineStep *step,
                                    bool is_last) {
  if (!strstr(step->pass, "tile-") && !is_last)
    return tile_success();
  if (mlirOperationVerify(mlirModuleGetOperation(run->module)))
    return tile_success();
  return run_fail(run, true, "invalid IR after pass ", step->pass);
}

static MlirLogicalResult run_step(Run *run, const TilePipelineStep *step,
                                  bool is_last) {
  char text[256];
  tile_pipeline_step_print(step, NULL, text, sizeof text);
  MlirPassManager manager = mlirPassManagerCreate(run->context);
  MlirLogicalResult result = run_manager(run, manager, text);
  mlirPassManagerDestroy(manager);
  if (tile_failed(result) || run->has_errors ||
      tile_failed(check_step(run, step, is_last)))
    return tile_failure();
  end_phase(run, step->pass);
  tell_module(run, step->pass);
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
static bool has_work(const Run *run, const TilePipelineStep *step) {
  bool has_vectors = !(step->flags & TILE_STEP_FOR_VECTORS);
  if (!has_vectors)
    mlirOperationWalk(mlirModuleGetOperation(run->module), find_vector_op,
                      &has_vectors, MlirWalkPreOrder);
  return has_vectors;
}

static void keep_module(Run *run) {
  run->mark = (Mark){.diagnostics_bytes = run->diagnostics.size_bytes,
                     .num_times = run->result->num_times,
                     .num_warnings = run->result->num_warnings,
                     .num_stages = run->num_stages};
  tile_choices_begin(&run->choices, run->module);
}

static MlirLogicalResult run_passes(Run *run, TilePhase phase) {
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

//===-- Account -----------------------------------------------------------===//

static MlirWalkResult account_op(MlirOperation op, void *user_data) {
  TileString *out = user_data;
  MlirAttribute instr = {NULL};
  if (tile_copy_is(op) || tile_gemm_is(op) || tile_gemm_sp_is(op))
    instr = mlirOperationGetInherentAttributeByName(op, TILE_STR("instr"));
  if (mlirAttributeIsNull(instr))
    return MlirWalkResultAdvance;
  if (tile_location_print(mlirOperationGetLocation(op), out))
    tile_string_print(out, ": ");
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  tile_string_print(out, "%.*s ", (int)name.length, name.data);
  mlirAttributePrint(instr, tile_string_callback, out);
  tile_string_print(out, "\n");
  return MlirWalkResultAdvance;
}

static MlirWalkResult account_launch(MlirOperation op, void *user_data) {
  TileString *out = user_data;
  GPULaunchFuncOp launch = gpu_launch_func_dyn(op);
  if (!launch.op.ptr)
    return MlirWalkResultAdvance;
  MlirStringRef kernel =
      mlirSymbolRefAttrGetLeafReference(gpu_launch_func_kernel_attr(launch));
  MlirValue size = gpu_launch_func_dynamicSharedMemorySize(launch);
  int64_t smem_bytes = 0;
  if (!mlirValueIsNull(size))
    mlirxConstantInt(size, &smem_bytes);
  tile_string_print(out, "%.*s: %lld bytes of dynamic shared memory\n",
                    (int)kernel.length, kernel.data, (long long)smem_bytes);
  return MlirWalkResultAdvance;
}

//===-- Phases ------------------------------------------------------------===//

static MlirLogicalResult make_metadata(Run *run) {
  for (size_t i = 0; i < run->units.count; i++) {
    TileUnit *unit = &run->units.items[i];
    if (!unit->host.ptr)
      continue;
    TileString ptx_name = {NULL, 0, 0};
    tile_string_print(&ptx_name, "%s.ptx", unit->name);
    TileMetadataOptions options = {unit->target->chip, ptx_name.data,
                                   run->source.text, run->source.size_bytes};
    MlirLogicalResult result =
        tile_metadata_emit(unit->host, &options, &unit->json);
    tile_string_deinit(&ptx_name);
    if (tile_failed(result) || run->has_errors)
      return tile_failure();
    if (run->options->on_stage)
      tell_stage(run, unit->name, "json", unit->json);
  }
  end_phase(run, "metadata");
  return tile_success();
}

static MlirLogicalResult run_front(Run *run) {
  if (tile_failed(parse(run)) || tile_failed(write_target(run)) ||
      tile_failed(check_targets(run)) || tile_failed(check_dims(run)))
    return tile_failure();
  tell_module(run, "input");
  tile_ignored_attributes_warn(mlirModuleGetOperation(run->module));
  return tile_success();
}

static MlirLogicalResult run_middle(Run *run) {
  if (tile_failed(run_passes(run, TILE_PHASE_TILE)))
    return tile_failure();
  MlirOperation module = mlirModuleGetOperation(run->module);
  mlirOperationWalk(module, account_op, &run->account, MlirWalkPreOrder);
  if (tile_failed(run_passes(run, TILE_PHASE_OUTLINE)) ||
      tile_failed(tile_units_find(module, &run->units)))
    return tile_failure();
  mlirOperationWalk(module, account_launch, &run->account, MlirWalkPreOrder);
  return make_metadata(run);
}

static MlirLogicalResult make_ptx(Run *run, const TileUnit *unit,
                                  TileCompiledUnit *out_unit) {
  unsigned emit = run->options->emit;
  TilePtxOptions options = {unit->target,
                            (emit & TILE_EMIT_LLVM) || run->options->on_stage};
  TilePtx ptx;
  if (tile_failed(tile_ptx_emit(unit->gpu_modules, unit->num_gpu_modules,
                                &options, &ptx))) {
    // Every pass has agreed to the program.
    run->result->is_internal_error = true;
    return run->has_errors ? tile_failure()
                           : run_fail(run, true, "no PTX for ", unit->name);
  }
  add_time(run, "translate", ptx.translate_ms);
  add_time(run, "optimize", ptx.optimize_ms);
  add_time(run, "codegen", ptx.codegen_ms);
  if (run->options->on_stage) {
    tell_stage(run, unit->name, "ll", ptx.llvm);
    tell_stage(run, unit->name, "ptx", ptx.ptx);
  }
  MlirLogicalResult result = tile_unit_check_entries(unit, ptx.ptx);
  if (emit & TILE_EMIT_LLVM) {
    out_unit->llvm = ptx.llvm;
    ptx.llvm = NULL;
  }
  if (emit & TILE_EMIT_PTX) {
    out_unit->ptx = ptx.ptx;
    ptx.ptx = NULL;
  }
  tile_ptx_deinit(&ptx);
  return result;
}

static MlirLogicalResult run_back(Run *run) {
  unsigned emit = run->options->emit;
  if (!(emit & ~(unsigned)TILE_EMIT_JSON))
    return tile_success();
  if (tile_failed(run_passes(run, TILE_PHASE_LOWER)) ||
      (run->options->line_info &&
       tile_failed(run_passes(run, TILE_PHASE_LINE_INFO))))
    return tile_failure();
  if (emit & TILE_EMIT_MLIR)
    run->result->mlir = print_module(run);
  if (!(emit & (TILE_EMIT_LLVM | TILE_EMIT_PTX)))
    return tile_success();
  for (size_t i = 0; i < run->units.count; i++)
    if (tile_failed(
            make_ptx(run, &run->units.items[i], &run->result->units[i])))
      return tile_failure();
  return tile_success();
}

//===-- Products ----------------------------------------------------------===//

static MlirLogicalResult take_units(Run *run) {
  TileCompileResult *result = run->result;
  result->units = calloc(run->units.count, sizeof *result->units);
  if (!result->units)
    return run_fail(run, true, "out of memory", "");
  result->num_units = run->units.count;
  for (size_t i = 0; i < run->units.count; i++) {
    TileUnit *unit = &run->units.items[i];
    TileCompiledUnit *out = &result->units[i];
    TileString name = {NULL, 0, 0};
    tile_string_print(&name, "%s", unit->name);
    out->name = tile_string_take(&name);
    out->chip = unit->target->chip;
    if (run->options->emit & TILE_EMIT_JSON)
      out->json = unit->json;
    else
      free(unit->json);
    unit->json = NULL;
  }
  return tile_success();
}

static void drop_units(TileCompileResult *result) {
  for (size_t i = 0; i < result->num_units; i++) {
    TileCompiledUnit *unit = &result->units[i];
    free(unit->name);
    free(unit->json);
    free(unit->llvm);
    free(unit->ptx);
  }
  free(result->units);
  free(result->mlir);
  result->units = NULL;
  result->num_units = 0;
  result->mlir = NULL;
}

//===-- Choices that are taken back ---------------------------------------===//

static MlirLogicalResult run_rest(Run *run) {
  if (tile_failed(run_middle(run)) || tile_failed(take_units(run)) ||
      tile_failed(run_back(run)) || run->has_errors)
    return tile_failure();
  return tile_success();
}

static void cut(TileString *text, size_t size_bytes) {
  if (text->size_bytes <= size_bytes)
    return;
  text->size_bytes = size_bytes;
  text->data[size_bytes] = '\0';
}

// As if nothing had been compiled behind the mark.
static void go_back(Run *run) {
  cut(&run->diagnostics, run->mark.diagnostics_bytes);
  cut(&run->account, 0);
  cut(&run->failure, 0);
  run->result->num_times = run->mark.num_times;
  run->result->num_warnings = run->mark.num_warnings;
  run->result->is_internal_error = false;
  run->num_stages = run->mark.num_stages;
  run->has_errors = false;
  drop_units(run->result);
  tile_units_deinit(&run->units);
  mlirModuleDestroy(run->module);
  run->module = tile_choices_apply(&run->choices);
  run->mark.remarks_end_bytes = run->diagnostics.size_bytes;
}

// What was taken back in vain is no news.
static void drop_remarks(Run *run) {
  size_t begin = run->mark.diagnostics_bytes, end = run->mark.remarks_end_bytes;
  TileString *text = &run->diagnostics;
  if (end <= begin)
    return;
  memmove(text->data + begin, text->data + end, text->size_bytes - end + 1);
  text->size_bytes -= end - begin;
}

// Where nothing is left to take back, the last errors stand: they are about
// what the user wrote.
static MlirLogicalResult run_all(Run *run) {
  if (tile_failed(run_front(run)))
    return tile_failure();
  while (tile_failed(run_rest(run))) {
    const char *failure = run->failure.data ? run->failure.data : "";
    if (!tile_choices_take_back(&run->choices, run->module, failure)) {
      drop_remarks(run);
      return tile_failure();
    }
    go_back(run);
  }
  return tile_success();
}

//===-- Entry -------------------------------------------------------------===//

static void finish(Run *run) {
  if (!mlirModuleIsNull(run->module))
    mlirModuleDestroy(run->module);
  tile_units_deinit(&run->units);
  tile_choices_deinit(&run->choices);
  tile_string_deinit(&run->failure);
  free(run->file);
  run->result->diagnostics = tile_string_take(&run->diagnostics);
  run->result->account = tile_string_take(&run->account);
}

bool tile_compile(TileCompiler *compiler, const char *path, const char *text,
                  size_t size_bytes, const TileCompileOptions *options,
                  TileCompileResult *out_result) {
  *out_result = (TileCompileResult){.num_units = 0};
  Run run = {.context = compiler->context,
             .options = options,
             .path = path,
             .source = {text, size_bytes},
             .start_ms = tile_now_ms(),
             .result = out_result};
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      compiler->context, on_diagnostic, &run, NULL);
  bool is_ok = !tile_failed(run_all(&run));
  if (!is_ok)
    drop_units(out_result);
  finish(&run);
  mlirContextDetachDiagnosticHandler(compiler->context, handler);
  return is_ok;
}

void tile_compile_result_deinit(TileCompileResult *result) {
  drop_units(result);
  free(result->diagnostics);
  free(result->account);
  result->diagnostics = NULL;
  result->account = NULL;
}

//===- Compile.c - The compiler as a library ------------------------------===//
//
// parse, passes up to outlining, launch metadata, lowering passes, PTX.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // memmem
#include "Tile/Compile.h"

#include "Dialect/Ops.h"
#include "Pipeline/CompileRun.h"
#include "Support/Diagnostics.h"
#include "Support/MlirText.h"
#include "Support/SourceNesting.h"
#include "Target/Emit.h"
#include "Target/PhaseTimer.h"
#include "Tile/Dialect/Dialect.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/memref.h"
#include "mlir-c/RegisterEverything.h"
#include "llvm-c/ErrorHandling.h"
#include <errno.h>
#include <stdlib.h>

struct TileCompiler {
  MlirContext context;
};

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
  TileCompileRun *run = user_data;
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
MlirLogicalResult tile_run_fail(TileCompileRun *run, bool is_internal,
                                const char *what, const char *detail) {
  const char *head = is_internal ? "internal error: " : "";
  tile_string_print(&run->diagnostics, "error: %s%s%s\n", head, what, detail);
  if (!run->has_errors)
    tile_string_print(&run->failure, "%s%s%s", head, what, detail);
  run->has_errors = true;
  run->result->is_internal_error |= is_internal;
  return tile_failure();
}

static void add_time(TileCompileRun *run, const char *name, double ms) {
  TileCompileResult *result = run->result;
  if (result->num_times < TILE_COMPILE_MAX_TIMES)
    result->times[result->num_times++] = (TileCompileTime){name, ms};
}

void tile_run_end_phase(TileCompileRun *run, const char *name) {
  add_time(run, name, tile_lap_ms(&run->start_ms));
}

static void tell_stage(TileCompileRun *run, const char *name,
                       const char *extension, const char *text) {
  TileString file_name = {NULL, 0, 0};
  tile_string_print(&file_name, "%02d-%s.%s", run->num_stages++, name,
                    extension);
  run->options->on_stage(file_name.data, text, strlen(text),
                         run->options->on_stage_data);
  tile_string_deinit(&file_name);
}

static char *print_module(const TileCompileRun *run) {
  TileString text = {NULL, 0, 0};
  mlirOperationPrint(mlirModuleGetOperation(run->module), tile_string_callback,
                     &text);
  tile_string_append(&text, "\n", 1);
  return tile_string_take(&text);
}

void tile_run_tell_module(TileCompileRun *run, const char *pass) {
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

static MlirLogicalResult read_file(TileCompileRun *run) {
  FILE *file = fopen(run->path, "rb");
  if (!file) {
    TileString detail = {NULL, 0, 0};
    tile_string_print(&detail, "%s: %s", run->path, strerror(errno));
    MlirLogicalResult result =
        tile_run_fail(run, false, "cannot read ", detail.data);
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
                     : tile_run_fail(run, false, "cannot read ", run->path);
}

static MlirLogicalResult check_nesting(TileCompileRun *run) {
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

static MlirLogicalResult parse(TileCompileRun *run) {
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
  tile_run_end_phase(run, "parse");
  return tile_success();
}

//===-- Target ------------------------------------------------------------===//

// From here on the module itself says for which chip it is: every stage can be
// compiled alone.
static MlirLogicalResult write_target(TileCompileRun *run) {
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
    return tile_run_fail(run, true, "cannot make ", text);
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
static MlirLogicalResult check_targets(const TileCompileRun *run) {
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

static MlirLogicalResult check_dims(const TileCompileRun *run) {
  MlirLogicalResult result = tile_success();
  mlirOperationWalk(mlirModuleGetOperation(run->module), check_dim, &result,
                    MlirWalkPreOrder);
  return result;
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

static MlirLogicalResult make_metadata(TileCompileRun *run) {
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
  tile_run_end_phase(run, "metadata");
  return tile_success();
}

static MlirLogicalResult run_front(TileCompileRun *run) {
  if (tile_failed(parse(run)) || tile_failed(write_target(run)) ||
      tile_failed(check_targets(run)) || tile_failed(check_dims(run)))
    return tile_failure();
  tile_run_tell_module(run, "input");
  tile_ignored_attributes_warn(mlirModuleGetOperation(run->module));
  return tile_success();
}

static MlirLogicalResult run_middle(TileCompileRun *run) {
  if (tile_failed(tile_run_passes(run, TILE_PHASE_TILE)))
    return tile_failure();
  MlirOperation module = mlirModuleGetOperation(run->module);
  mlirOperationWalk(module, account_op, &run->account, MlirWalkPreOrder);
  if (tile_failed(tile_run_passes(run, TILE_PHASE_OUTLINE)) ||
      tile_failed(tile_units_name_kernels(module)) ||
      tile_failed(tile_units_find(module, &run->units)))
    return tile_failure();
  mlirOperationWalk(module, account_launch, &run->account, MlirWalkPreOrder);
  return make_metadata(run);
}

static MlirLogicalResult make_ptx(TileCompileRun *run, const TileUnit *unit,
                                  TileCompiledUnit *out_unit) {
  unsigned emit = run->options->emit;
  TilePtxOptions options = {unit->target,
                            (emit & TILE_EMIT_LLVM) || run->options->on_stage};
  TilePtx ptx;
  if (tile_failed(tile_ptx_emit(unit->gpu_modules, unit->num_gpu_modules,
                                &options, &ptx))) {
    // Every pass has agreed to the program.
    run->result->is_internal_error = true;
    return run->has_errors
               ? tile_failure()
               : tile_run_fail(run, true, "no PTX for ", unit->name);
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

static MlirLogicalResult run_back(TileCompileRun *run) {
  unsigned emit = run->options->emit;
  if (!(emit & ~(unsigned)TILE_EMIT_JSON))
    return tile_success();
  if (tile_failed(tile_run_passes(run, TILE_PHASE_LOWER)) ||
      (run->options->line_info &&
       tile_failed(tile_run_passes(run, TILE_PHASE_LINE_INFO))))
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

static MlirLogicalResult take_units(TileCompileRun *run) {
  TileCompileResult *result = run->result;
  result->units = calloc(run->units.count, sizeof *result->units);
  if (!result->units)
    return tile_run_fail(run, true, "out of memory", "");
  result->num_units = run->units.count;
  for (size_t i = 0; i < run->units.count; i++) {
    TileUnit *unit = &run->units.items[i];
    TileCompiledUnit *out = &result->units[i];
    TileString name = {NULL, 0, 0};
    tile_string_print(&name, "%s", unit->name);
    out->name = tile_string_take(&name);
    out->target = unit->target;
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

static MlirLogicalResult run_rest(TileCompileRun *run) {
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
static void go_back(TileCompileRun *run) {
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
static void drop_remarks(TileCompileRun *run) {
  size_t begin = run->mark.diagnostics_bytes, end = run->mark.remarks_end_bytes;
  TileString *text = &run->diagnostics;
  if (end <= begin)
    return;
  memmove(text->data + begin, text->data + end, text->size_bytes - end + 1);
  text->size_bytes -= end - begin;
}

// Where nothing is left to take back, the last errors stand: they are about
// what the user wrote.
static MlirLogicalResult run_all(TileCompileRun *run) {
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

static void finish(TileCompileRun *run) {
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
  TileCompileRun run = {.context = compiler->context,
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

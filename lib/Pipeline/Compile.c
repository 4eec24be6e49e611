//===- Compile.c - The compiler as a library ------------------------------===//
//
// parse, passes up to outlining, launch metadata, lowering passes, PTX.
//
//===----------------------------------------------------------------------===//

#include "Pipeline/Compile.h"

#include "Dialect/ArgumentNames.h"
#include "Dialect/ForeignOps.h"
#include "Dialect/Ops.h"
#include "Pipeline/Account.h"
#include "Pipeline/Choices.h"
#include "Pipeline/CompileUnits.h"
#include "Pipeline/Steps.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/MlirText.h"
#include "Support/SourceNesting.h"
#include "Target/ChipNeeds.h"
#include "Target/Emit.h"
#include "Target/PhaseTimer.h"
#include "Tile/Ops/gpu.h"
#include "Tile/Ops/llvm.h"
#include "Tile/Ops/memref.h"
#include "Transforms/Variants/KeepVariants.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"
#include <stdlib.h>

// What there was before the first choice, to go back to.
typedef struct {
  size_t num_diagnostics, num_times, num_warnings;
  size_t remarks_end; // what is said of choices ends there
  int num_stages;
} Mark;

// One compilation.
typedef struct {
  MlirContext context;
  const TileCompileOptions *options;
  TileSource source;
  MlirModule module;    // null before parsing
  const char *found_by; // the code of errors
  TileUnits units;
  int num_stages; // told to options->on_stage
  bool has_errors;
  bool is_ended;      // by a limit
  bool is_generating; // every pass has agreed to the program
  double start_ms;    // of the phase in progress
  TileString account;
  TileString failure; // the first error since `mark`
  TileChoices choices;
  Mark mark;
  TileCompileResult *result;
} Run;

//===-- Contexts ----------------------------------------------------------===//

static MlirDialectRegistry make_registry(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tile__(), registry);
  return registry;
}

MlirContext tile_compile_context_create(void) {
  MlirDialectRegistry registry = make_registry();
  // One kernel at a time: threads cost more than they bring.
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(context);
  return context;
}

void tile_compile_context_prepare(MlirContext context) {
  MlirDialectRegistry registry = make_registry();
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirRegisterAllLLVMTranslations(context);
}

//===-- Diagnostics, times, stages ----------------------------------------===//

static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic,
                                       void *user_data) {
  Run *run = user_data;
  TileCompileResult *result = run->result;
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  if (severity == MlirDiagnosticRemark && run->options->hide_remarks)
    return tile_success();
  if (severity == MlirDiagnosticError) {
    if (!run->has_errors)
      mlirDiagnosticPrint(diagnostic, tile_string_callback, &run->failure);
    run->has_errors = true;
  }
  bool is_new =
      tile_diagnostic_list_add(&result->diagnostics, diagnostic, &run->source,
                               run->found_by, run->is_generating);
  result->num_warnings += severity == MlirDiagnosticWarning && is_new;
  return tile_success();
}

// Errors that have no place in the program.
static MlirLogicalResult run_fail(Run *run, bool is_internal, const char *what,
                                  const char *detail) {
  TileString text = {NULL, 0, 0};
  tile_string_print(&text, "%s%s%s", is_internal ? "internal error: " : "",
                    what, detail);
  tile_diagnostic_list_add_text(&run->result->diagnostics, TILE_SEVERITY_ERROR,
                                run->found_by, is_internal, text.data);
  if (!run->has_errors)
    tile_string_append(&run->failure, text.data, text.size_bytes);
  run->has_errors = true;
  tile_string_deinit(&text);
  return tile_failure();
}

// What ends the compilation is no reason to take a choice back.
static MlirLogicalResult check_limits(Run *run) {
  char text[160];
  const char *code =
      tile_limits_reached(run->options->limits, text, sizeof text);
  if (!code)
    return tile_success();
  run->found_by = code;
  run->is_ended = true;
  return run_fail(run, false, "the compilation ", text);
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

static char *print_module(const Run *run, bool with_locations) {
  TileString text = {NULL, 0, 0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (with_locations)
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOperationPrintWithFlags(mlirModuleGetOperation(run->module), flags,
                              tile_string_callback, &text);
  mlirOpPrintingFlagsDestroy(flags);
  tile_string_append(&text, "\n", 1);
  return tile_string_take(&text);
}

static void tell_module(Run *run, const char *pass) {
  if (!run->options->on_stage)
    return;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(pass, "{"), pass);
  char *text = print_module(run, run->options->stage_locations);
  tell_stage(run, name, "mlir", text);
  free(text);
  tile_lap_ms(&run->start_ms);
}

//===-- Parse -------------------------------------------------------------===//

static MlirLogicalResult check_nesting(Run *run) {
  TileSourcePlace place;
  if (tile_source_nesting_check(run->source.text, run->source.size_bytes,
                                &place))
    return tile_success();
  MlirLocation location =
      mlirLocationFileLineColGet(run->context, tile_str(run->source.name),
                                 (unsigned)place.line, (unsigned)place.column);
  char message[80];
  snprintf(message, sizeof message, TILE_SOURCE_NESTING_ERROR,
           TILE_MAX_SOURCE_NESTING);
  mlirEmitError(location, message);
  return tile_failure();
}

// Bytecode has no lines that could be shown.
static bool is_bytecode(const TileSource *source) {
  static const char magic[4] = {'M', 'L', (char)0xef, 'R'};
  return source->size_bytes >= sizeof magic &&
         !memcmp(source->text, magic, sizeof magic);
}

static MlirLogicalResult parse(Run *run) {
  run->found_by = "parse";
  if (!mlirModuleIsNull(run->module)) { // a module of the program
    if (mlirOperationVerify(mlirModuleGetOperation(run->module)))
      return tile_success();
    return run->has_errors ? tile_failure()
                           : run_fail(run, false, "the module is invalid", "");
  }
  if (tile_failed(check_nesting(run)))
    return tile_failure();
  MlirStringRef text = {run->source.text, run->source.size_bytes};
  run->module =
      mlirxModuleParse(run->context, text, tile_str(run->source.name));
  if (is_bytecode(&run->source))
    run->source.text = NULL;
  if (mlirModuleIsNull(run->module))
    return run->has_errors
               ? tile_failure()
               : run_fail(run, false, "cannot parse ", run->source.name);
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
  if (tile_gpu_module_is_foreign(op))
    return MlirWalkResultSkip;
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

static MlirLogicalResult run_manager_on(Run *run, MlirPassManager manager,
                                        const char *text, MlirOperation op) {
  TileString message = {NULL, 0, 0};
  MlirLogicalResult result = tile_success();
  if (*text)
    result = mlirOpPassManagerAddPipeline(
        mlirPassManagerGetAsOpPassManager(manager), tile_str(text),
        tile_string_callback, &message);
  if (tile_failed(result)) {
    run_fail(run, false, message.data ? message.data : text, "");
    tile_string_deinit(&message);
    return result;
  }
  // Verified by check_step, to tell a broken pass from a program it rejects.
  mlirPassManagerEnableVerifier(manager, false);
  result = mlirPassManagerRunOnOp(manager, op);
  if (tile_failed(result) && !run->has_errors)
    return run_fail(run, true, "pass failed without a message: ", text);
  tile_string_deinit(&message);
  return result;
}

static MlirLogicalResult run_manager(Run *run, MlirPassManager manager,
                                     const char *text) {
  return run_manager_on(run, manager, text,
                        mlirModuleGetOperation(run->module));
}

// The pass of a nested step on each gpu.module that is not passed by.
static MlirLogicalResult run_nested(Run *run, const TilePipelineStep *step) {
  MlirBlock body = mlirModuleGetBody(run->module);
  MlirLogicalResult result = tile_success();
  TILE_FOR_EACH_OP (op, body) {
    if (!gpu_module_is(op) || tile_gpu_module_is_foreign(op) ||
        tile_failed(result))
      continue;
    MlirPassManager manager =
        mlirPassManagerCreateOnOperation(run->context, TILE_STR("gpu.module"));
    result = run_manager_on(run, manager, step->pass, op);
    mlirPassManagerDestroy(manager);
  }
  return result;
}

static MlirLogicalResult run_on_module(Run *run, const TilePipelineStep *step) {
  char text[256];
  tile_pipeline_step_print(step, NULL, text, sizeof text);
  MlirPassManager manager = mlirPassManagerCreate(run->context);
  MlirLogicalResult result = run_manager(run, manager, text);
  mlirPassManagerDestroy(manager);
  return result;
}

// What a phase made; the work of each of our passes where the caller looks at
// the stages, or wants to know which one breaks something: that takes a tenth
// of the time.
static MlirLogicalResult check_step(Run *run, const TilePipelineStep *step,
                                    bool is_last) {
  bool is_asked = (run->options->verify_each || run->options->on_stage) &&
                  strstr(step->pass, "tile-");
  if ((!is_asked && !is_last) ||
      mlirOperationVerify(mlirModuleGetOperation(run->module)))
    return tile_success();
  return run_fail(
      run, true,
      run->options->verify_each
          ? "invalid IR after pass "
          : "invalid IR (--verify-each says since when) after pass ",
      step->pass);
}

// The passes of the program after one of ours; NULL: before all.
static MlirLogicalResult run_extra(Run *run, const TileExtraPass *extra) {
  MlirPassManager manager = mlirPassManagerCreate(run->context);
  if (extra->make && extra->anchor)
    mlirOpPassManagerAddOwnedPass(
        mlirPassManagerGetNestedUnder(manager, tile_str(extra->anchor)),
        extra->make(extra->user_data));
  else if (extra->make)
    mlirPassManagerAddOwnedPass(manager, extra->make(extra->user_data));
  MlirLogicalResult result =
      run_manager(run, manager, extra->text ? extra->text : "");
  mlirPassManagerDestroy(manager);
  MlirOperation module = mlirModuleGetOperation(run->module);
  if (tile_failed(result) || run->has_errors)
    return tile_failure();
  if (mlirOperationVerify(module))
    return tile_success();
  return run->has_errors
             ? tile_failure()
             : run_fail(run, false, "invalid IR after a pass of the program",
                        "");
}

static MlirLogicalResult run_extras(Run *run, const char *after) {
  size_t length = after ? strcspn(after, "{") : 0;
  for (size_t i = 0; i < run->options->num_passes; i++) {
    const TileExtraPass *extra = &run->options->passes[i];
    bool is_here = !after ? !extra->after
                          : extra->after && strlen(extra->after) == length &&
                                !strncmp(extra->after, after, length);
    if (is_here && tile_failed(run_extra(run, extra)))
      return tile_failure();
  }
  return tile_success();
}

static MlirLogicalResult run_step(Run *run, const TilePipelineStep *step,
                                  bool is_last) {
  if (tile_failed(check_limits(run)))
    return tile_failure();
  run->found_by = step->pass;
  // Some become assembly, which nobody checks.
  if (!strcmp(step->pass, "convert-nvvm-to-llvm") &&
      tile_failed(tile_chip_needs_check(mlirModuleGetOperation(run->module))))
    return tile_failure();
  MlirLogicalResult result = (step->flags & TILE_STEP_IS_NESTED)
                                 ? run_nested(run, step)
                                 : run_on_module(run, step);
  if (tile_failed(result) || run->has_errors ||
      tile_failed(check_step(run, step, is_last)))
    return tile_failure();
  end_phase(run, step->pass);
  tell_module(run, step->pass);
  if (!strcmp(step->pass, "tile-make-variants") &&
      tile_failed(tile_variants_keep(mlirModuleGetOperation(run->module),
                                     run->options->variants,
                                     run->options->num_variants)))
    return tile_failure();
  return run_extras(run, step->pass);
}

typedef struct {
  const char *names; // TilePipelineStep.works_on
  bool is_found;
} OpSearch;

static bool makes_tensor(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

static bool makes_small_float(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
    if (mlirTypeIsAFloat(type) && mlirFloatTypeGetWidth(type) <= 8)
      return true;
  }
  return false;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && !memcmp(text, word, length);
}

static bool is_one_of(MlirOperation op, const char *names) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  while (*names) {
    size_t length = strcspn(names, " ");
    if (name.length >= length && !memcmp(name.data, names, length))
      return true;
    if ((is_word(names, length, "tensor<") && makes_tensor(op)) ||
        (is_word(names, length, "float8<") && makes_small_float(op)))
      return true;
    names += length + (names[length] == ' ');
  }
  return false;
}

static MlirWalkResult find_op(MlirOperation op, void *user_data) {
  OpSearch *search = user_data;
  search->is_found |= is_one_of(op, search->names);
  return search->is_found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The code of kernels: what a launch, a kernel or a gpu.module holds.
static MlirWalkResult find_kernel_op(MlirOperation op, void *user_data) {
  OpSearch *search = user_data;
  if (tile_gpu_module_is_foreign(op))
    return MlirWalkResultSkip;
  if (!gpu_module_is(op) && !tile_kernel_is(op))
    return MlirWalkResultAdvance;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         block.ptr; block = mlirBlockGetNextInRegion(block))
      TILE_FOR_EACH_OP (inner, block)
        mlirOperationWalk(inner, find_op, search, MlirWalkPreOrder);
  return search->is_found ? MlirWalkResultInterrupt : MlirWalkResultSkip;
}

// Upstream's conversions load many dialects, each some ms that most programs
// can save.
static bool has_work(const Run *run, const TilePipelineStep *step) {
  OpSearch search = {step->works_on, !step->works_on};
  bool serves_hosts =
      step->phase == TILE_PHASE_GRAPH || (step->flags & TILE_STEP_SERVES_HOSTS);
  if (!search.is_found)
    mlirOperationWalk(mlirModuleGetOperation(run->module),
                      serves_hosts ? find_op : find_kernel_op, &search,
                      MlirWalkPreOrder);
  return search.is_found;
}

static void keep_module(Run *run) {
  run->mark = (Mark){.num_diagnostics = run->result->diagnostics.count,
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

//===-- Phases ------------------------------------------------------------===//

static MlirLogicalResult make_metadata(Run *run) {
  run->found_by = "metadata";
  for (size_t i = 0; i < run->units.count; i++) {
    TileUnit *unit = &run->units.items[i];
    if (!unit->host.ptr)
      continue;
    TileString ptx_name = {NULL, 0, 0};
    tile_string_print(&ptx_name, "%s.ptx", unit->name);
    TileMetadataOptions options = {unit->target->chip, ptx_name.data};
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

// Scripts of the caller become a module in the program.
static MlirLogicalResult take_schedules(Run *run) {
  const char *text = run->options->schedules;
  if (!text)
    return tile_success();
  run->found_by = "schedule";
  MlirModule scripts =
      mlirxModuleParse(run->context, tile_str(text), TILE_STR("schedule"));
  if (mlirModuleIsNull(scripts))
    return run->has_errors ? tile_failure()
                           : run_fail(run, false, "cannot parse ", "schedule");
  MlirOperation copy = mlirOperationClone(mlirModuleGetOperation(scripts));
  mlirModuleDestroy(scripts);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(run->module), copy);
  return tile_success();
}

static MlirLogicalResult run_front(Run *run) {
  if (tile_failed(parse(run)) || tile_failed(take_schedules(run)))
    return tile_failure();
  tile_argument_names_fill(mlirModuleGetOperation(run->module), &run->source);
  if (tile_failed(write_target(run)) || tile_failed(check_targets(run)) ||
      tile_failed(check_dims(run)))
    return tile_failure();
  tell_module(run, "input");
  tile_ignored_attributes_warn(mlirModuleGetOperation(run->module));
  return run_extras(run, NULL);
}

static MlirLogicalResult run_middle(Run *run) {
  if (tile_failed(run_passes(run, TILE_PHASE_GRAPH)) ||
      tile_failed(run_passes(run, TILE_PHASE_TILE)))
    return tile_failure();
  MlirOperation module = mlirModuleGetOperation(run->module);
  tile_account_add(module, false, &run->account);
  if (tile_failed(run_passes(run, TILE_PHASE_OUTLINE)) ||
      tile_failed(tile_units_find(module, &run->units)))
    return tile_failure();
  tile_account_add(module, true, &run->account);
  return make_metadata(run);
}

// What LLVM would have ended the program for. Other choices would end alike.
static void report_fatal(Run *run, const TileUnit *unit, const char *reason) {
  char text[1200];
  run->found_by = "llvm";
  run->is_generating = false;
  run->is_ended = true;
  if (tile_chip_needs_report(unit->gpu_modules, unit->num_gpu_modules,
                             unit->target, reason))
    return;
  snprintf(text, sizeof text, "internal error in LLVM: %s", reason);
  tile_diagnostic_list_add_text(&run->result->diagnostics, TILE_SEVERITY_ERROR,
                                "llvm", true, text);
  run->has_errors = true;
}

// Asked by several threads.
static bool must_end(void *user_data) {
  const Run *run = user_data;
  char text[160];
  return tile_limits_reached(run->options->limits, text, sizeof text);
}

static MlirLogicalResult make_ptx(Run *run, const TileUnit *unit,
                                  TileCompiledUnit *out_unit) {
  unsigned emit = run->options->products;
  TilePtxOptions options = {.target = unit->target,
                            .keep_llvm = (emit & TILE_PRODUCT_LLVM) ||
                                         run->options->on_stage,
                            .num_threads = run->options->num_threads,
                            .must_end = must_end,
                            .must_end_data = run};
  TilePtx ptx;
  run->found_by = "codegen";
  if (tile_failed(check_limits(run)))
    return tile_failure();
  run->is_generating = true;
  if (tile_failed(tile_ptx_emit(unit->gpu_modules, unit->num_gpu_modules,
                                &options, &ptx))) {
    if (tile_failed(check_limits(run)))
      return tile_failure();
    if (ptx.is_fatal)
      report_fatal(run, unit, ptx.reason);
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
  run->is_generating = false;
  MlirLogicalResult result = check_limits(run); // LLVM takes the longest
  if (!tile_failed(result))
    result = tile_unit_check_entries(unit, ptx.ptx);
  if (emit & TILE_PRODUCT_LLVM) {
    out_unit->llvm = ptx.llvm;
    ptx.llvm = NULL;
  }
  if (emit & TILE_PRODUCT_PTX) {
    out_unit->ptx = ptx.ptx;
    ptx.ptx = NULL;
  }
  tile_ptx_deinit(&ptx);
  return result;
}

static const char cast_name[] = "builtin.unrealized_conversion_cast";

// Functions of the GPU that a kernel may call and nobody defines.
static bool is_system_function(MlirOperation op) {
  static const char *const names[] = {"vprintf", "__assertfail", "malloc",
                                      "free"};
  MlirStringRef name = mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(op, TILE_STR("sym_name")));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (mlirStringRefEqual(name, tile_str(names[i])))
      return true;
  return false;
}

// Ops that no conversion took, and functions that nobody has written.
static MlirWalkResult check_lowered(MlirOperation op, void *user_data) {
  MlirLogicalResult *result = user_data;
  if (gpu_module_is(op) || tile_op_name_begins(op, cast_name))
    return MlirWalkResultAdvance;
  if (llvm_func_is(op) && mlirBlockIsNull(tile_kernel_body(op)) &&
      !is_system_function(op))
    *result = tile_emit_error(op, "has no body: nothing is linked to kernels");
  else if (tile_op_name_begins(op, "llvm.intr.vscale"))
    *result = tile_emit_error(op, "asks for a scalable vector, which no GPU of "
                                  "NVIDIA has");
  else if (!tile_op_name_begins(op, "llvm.") &&
           !tile_op_name_begins(op, "nvvm."))
    *result = tile_emit_error(op, "has no lowering to nvvm");
  return tile_failed(*result) ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Casts are left between conversions that see a type differently.
static MlirWalkResult check_cast(MlirOperation op, void *user_data) {
  MlirLogicalResult *result = user_data;
  if (!tile_op_name_begins(op, cast_name))
    return MlirWalkResultAdvance;
  *result = tile_emit_error_at(mlirOperationGetLocation(op),
                               "a value here has no lowering to nvvm");
  return MlirWalkResultInterrupt;
}

static MlirLogicalResult check_modules(const Run *run) {
  MlirLogicalResult result =
      tile_chip_needs_check(mlirModuleGetOperation(run->module));
  MlirBlock body = mlirModuleGetBody(run->module);
  TILE_FOR_EACH_OP (op, body) {
    if (!gpu_module_is(op) || tile_gpu_module_is_foreign(op))
      continue;
    if (!tile_failed(result))
      mlirOperationWalk(op, check_lowered, &result, MlirWalkPreOrder);
    if (!tile_failed(result))
      mlirOperationWalk(op, check_cast, &result, MlirWalkPreOrder);
  }
  return result;
}

// Upstream's pass looks for the llvm.func around an op whose location is that
// of an inlined call. Elsewhere, in host functions, the callee is as good.
static MlirWalkResult drop_call_site(MlirOperation op, void *user_data) {
  (void)user_data;
  if (llvm_func_is(op))
    return MlirWalkResultSkip;
  MlirLocation location = mlirOperationGetLocation(op);
  while (mlirLocationIsACallSite(location))
    location = mlirLocationCallSiteGetCallee(location);
  mlirOperationSetLocation(op, location);
  return MlirWalkResultAdvance;
}

static MlirLogicalResult write_line_info(Run *run) {
  mlirOperationWalk(mlirModuleGetOperation(run->module), drop_call_site, NULL,
                    MlirWalkPreOrder);
  return run_passes(run, TILE_PHASE_LINE_INFO);
}

static MlirLogicalResult run_back(Run *run) {
  unsigned emit = run->options->products;
  if (!(emit & ~(unsigned)TILE_PRODUCT_METADATA))
    return tile_success();
  if (tile_failed(run_passes(run, TILE_PHASE_LOWER)) ||
      tile_failed(check_modules(run)) ||
      (run->options->line_info && tile_failed(write_line_info(run))))
    return tile_failure();
  if (emit & TILE_PRODUCT_MLIR)
    run->result->mlir = print_module(run, false);
  if (!(emit & (TILE_PRODUCT_LLVM | TILE_PRODUCT_PTX)))
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
    if (run->options->products & TILE_PRODUCT_METADATA)
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

// As if nothing had been compiled after the mark.
static void go_back(Run *run) {
  TileDiagnosticList *list = &run->result->diagnostics;
  tile_diagnostic_list_cut(list, run->mark.num_diagnostics, list->count);
  cut(&run->account, 0);
  cut(&run->failure, 0);
  run->result->num_times = run->mark.num_times;
  run->result->num_warnings = run->mark.num_warnings;
  run->num_stages = run->mark.num_stages;
  run->has_errors = false;
  drop_units(run->result);
  tile_units_deinit(&run->units);
  mlirModuleDestroy(run->module);
  run->module = tile_choices_apply(&run->choices);
  run->mark.remarks_end = list->count;
}

// What was taken back in vain is no news.
static void drop_remarks(Run *run) {
  tile_diagnostic_list_cut(&run->result->diagnostics, run->mark.num_diagnostics,
                           run->mark.remarks_end);
}

// Where nothing is left to take back, the last errors stand: they are about
// what the user wrote.
static MlirLogicalResult run_all(Run *run) {
  if (tile_failed(run_front(run)))
    return tile_failure();
  while (tile_failed(run_rest(run))) {
    const char *failure = run->failure.data ? run->failure.data : "";
    if (run->is_ended ||
        !tile_choices_take_back(&run->choices, run->module, failure)) {
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
  run->result->account = tile_string_take(&run->account);
}

bool tile_compile_run(const TileCompileInput *input,
                      const TileCompileOptions *options,
                      TileCompileResult *out_result) {
  *out_result = (TileCompileResult){.num_units = 0};
  Run run = {.context = input->context,
             .options = options,
             .source = input->source,
             .found_by = "",
             .start_ms = tile_now_ms(),
             .result = out_result};
  out_result->handler = mlirContextAttachDiagnosticHandler(
      input->context, on_diagnostic, &run, NULL);
  if (!mlirModuleIsNull(input->module))
    run.module = mlirModuleFromOperation(
        mlirOperationClone(mlirModuleGetOperation(input->module)));
  bool is_ok = !tile_failed(run_all(&run));
  if (!is_ok)
    drop_units(out_result);
  finish(&run);
  mlirContextDetachDiagnosticHandler(input->context, out_result->handler);
  return is_ok;
}

void tile_compile_result_deinit(TileCompileResult *result) {
  drop_units(result);
  free(result->account);
  result->account = NULL;
  tile_diagnostic_list_deinit(&result->diagnostics);
}

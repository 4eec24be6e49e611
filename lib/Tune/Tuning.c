//===- Tuning.c - Tile/Tune.h ---------------------------------------------===//

#include "Tile/Tune.h"

#include "Api/CompilerObject.h"
#include "Dialect/ForeignOps.h"
#include "Support/Diagnostic/DiagnosticFormat.h"
#include "Support/Diagnostics.h"
#include "Support/Iterate.h"
#include "Support/StringBuilder.h"
#include "Tile/Ops/func.h"
#include "Transforms/Schedules/Schedules.h"
#include "TuneSpace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct TileTuning {
  TileCompiler *compiler;
  TileArena arena;
  MlirModule module;
  TuneSpace space;
  char *function; // of the arena
  TileString text;
};

//===-- Messages ----------------------------------------------------------===//

static bool report(const TileCompiler *compiler, const char *code,
                   const char *text) {
  tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                       TILE_SEVERITY_ERROR, code, text);
  return false;
}

typedef struct {
  TileDiagnosticList list;
  TileSource source;
} Errors;

static MlirLogicalResult keep_error(MlirDiagnostic diagnostic,
                                    void *user_data) {
  Errors *errors = user_data;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError)
    tile_diagnostic_list_add(&errors->list, diagnostic, &errors->source,
                             "parse", false);
  return mlirLogicalResultSuccess();
}

static MlirModule parse(TileCompiler *compiler, const char *name,
                        const void *text, size_t size_bytes) {
  Errors errors = {.source = {text, size_bytes, name}};
  if (!compiler->context.ptr)
    compiler->context = tile_compile_context_create();
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      compiler->context, keep_error, &errors, NULL);
  MlirModule module = mlirxModuleParse(
      compiler->context, (MlirStringRef){text, size_bytes}, tile_str(name));
  mlirContextDetachDiagnosticHandler(compiler->context, handler);
  for (size_t i = 0; compiler->on_diagnostic && i < errors.list.count; i++)
    compiler->on_diagnostic(errors.list.items[i], compiler->diagnostic_data);
  if (mlirModuleIsNull(module) && errors.list.count == 0)
    report(compiler, "parse", "cannot parse the program");
  tile_diagnostic_list_deinit(&errors.list);
  return module;
}

//===-- Programs of graphs ------------------------------------------------===//

// Ops of linalg become kernels first: sizes stand on these, and what is written
// is a program of them.

static MlirWalkResult find_launch(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= gpu_launch_is(op) || tile_op_name_begins(op, "func.call");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult find_linalg(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tile_op_name_begins(op, "linalg.");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool has_graph(const TileTuning *tuning) {
  bool found = false, launches = false;
  MlirOperation module = mlirModuleGetOperation(tuning->module);
  mlirOperationWalk(module, find_linalg, &found, MlirWalkPreOrder);
  mlirOperationWalk(module, find_launch, &launches, MlirWalkPreOrder);
  return found && !launches;
}

static void keep_stage(const char *file_name, const char *text,
                       size_t size_bytes, void *user_data) {
  TileTuning *tuning = user_data;
  if (!strstr(file_name, "tile-form-kernels"))
    return;
  tile_string_deinit(&tuning->text);
  tuning->text = (TileString){NULL, 0, 0};
  tile_string_append(&tuning->text, text, size_bytes);
}

static void form_kernels(TileTuning *tuning, const char *name, const void *text,
                         size_t size_bytes) {
  TileCompiler *compiler = tuning->compiler;
  const TileCompileOptions before = compiler->options;
  mlirModuleDestroy(tuning->module);
  compiler->options.products = TILE_PRODUCT_METADATA;
  compiler->options.hide_remarks = true;
  tile_compiler_set_stages(compiler, keep_stage, tuning);
  TileProgram *program = tile_compile(compiler, name, text, size_bytes);
  compiler->options = before;
  tuning->module = (MlirModule){NULL};
  if (program)
    tuning->module = parse(compiler, name, tile_string_text(&tuning->text),
                           tuning->text.size_bytes);
  tile_program_destroy(program);
}

//===-- Life --------------------------------------------------------------===//

// The functions of a program: those that launch or call, and kernels of graphs.
static size_t find_functions(TileTuning *tuning) {
  size_t count = 0;
  TILE_FOR_EACH_OP (op, mlirModuleGetBody(tuning->module)) {
    bool launches = false;
    if (!func_func_is(op) ||
        !mlirAttributeIsNull(mlirOperationGetDiscardableAttributeByName(
            op, TILE_STR(TILE_SCHEDULE_ATTR))))
      continue;
    mlirOperationWalk(op, find_launch, &launches, MlirWalkPreOrder);
    if (launches)
      tuning->space.function = op;
    count += launches;
  }
  return count;
}

static bool build(TileTuning *tuning) {
  char text[160];
  const TileCompiler *compiler = tuning->compiler;
  size_t count = find_functions(tuning);
  if (count != 1) {
    snprintf(text, sizeof text,
             "expected one host function with kernels, got %zu", count);
    return report(compiler, "tune", text);
  }
  TuneSpace *space = &tuning->space;
  MlirStringRef name = mlirStringAttrGetValue(
      mlirOperationGetAttributeByName(space->function, TILE_STR("sym_name")));
  tuning->function = tile_arena_strdup(&tuning->arena, name.data, name.length);
  space->arena = &tuning->arena;
  if (tile_failed(tile_target_resolve(space->function, compiler->options.target,
                                      &space->target)))
    return report(compiler, "chip", "the target of the program is unknown");
  tune_space_build(space);
  TILE_FOR_EACH_OP (op, mlirModuleGetBody(tuning->module))
    if (func_func_is(op))
      tune_graph_kernel(space, op);
  return true;
}

TileTuning *tile_tuning_create(TileCompiler *compiler, const char *name,
                               const void *text, size_t size_bytes) {
  TileTuning *tuning = calloc(1, sizeof *tuning);
  if (!tuning) {
    report(compiler, "memory", "out of memory");
    return NULL;
  }
  tuning->compiler = compiler;
  tile_arena_init(&tuning->arena);
  tuning->module = parse(compiler, name ? name : "-", text, size_bytes);
  if (!mlirModuleIsNull(tuning->module) && has_graph(tuning))
    form_kernels(tuning, name ? name : "-", text, size_bytes);
  if (!mlirModuleIsNull(tuning->module) && build(tuning))
    return tuning;
  tile_tuning_destroy(tuning);
  return NULL;
}

void tile_tuning_destroy(TileTuning *tuning) {
  if (!tuning)
    return;
  if (!mlirModuleIsNull(tuning->module))
    mlirModuleDestroy(tuning->module);
  tile_arena_deinit(&tuning->arena);
  tile_string_deinit(&tuning->text);
  free(tuning);
}

//===-- Questions ---------------------------------------------------------===//

const char *tile_tuning_function(const TileTuning *tuning) {
  return tuning->function;
}

bool tile_tuning_tunable(const TileTuning *tuning, size_t index,
                         TileTunable *out_tunable) {
  if (index >= tuning->space.num_choices)
    return false;
  const TuneChoice *choice = &tuning->space.choices[index];
  *out_tunable = (TileTunable){.name = choice->name,
                               .value = choice->value,
                               .values = choice->values,
                               .labels = choice->labels,
                               .num_values = choice->num_values};
  return true;
}

static void append(MlirStringRef piece, void *user_data) {
  tile_string_append(user_data, piece.data, piece.length);
}

const char *tile_tuning_apply(TileTuning *tuning, const int64_t *values) {
  tune_space_apply(&tuning->space, values);
  tile_string_deinit(&tuning->text);
  tuning->text = (TileString){NULL, 0, 0};
  mlirOperationPrint(mlirModuleGetOperation(tuning->module), append,
                     &tuning->text);
  return tile_string_text(&tuning->text);
}

bool tile_tuning_estimate(const TileTuning *tuning, const int64_t *values,
                          const TileTuningArg *args, size_t num_args,
                          TileTuningCost *out_cost) {
  char text[160];
  *out_cost = (TileTuningCost){.bound = "", .reason = NULL};
  MlirBlock body = tile_kernel_body(tuning->space.function);
  size_t count = (size_t)mlirBlockGetNumArguments(body);
  if (num_args != count) {
    snprintf(text, sizeof text, "@%s expects %zu arguments, got %zu",
             tuning->function, count, num_args);
    return report(tuning->compiler, "tune", text);
  }
  for (size_t i = 0; i < count; i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, (intptr_t)i));
    int64_t rank = mlirTypeIsAShaped(type) ? mlirShapedTypeGetRank(type) : 0;
    if (rank == args[i].rank)
      continue;
    snprintf(text, sizeof text,
             "argument %zu of @%s has rank %lld, got one of rank %d", i,
             tuning->function, (long long)rank, args[i].rank);
    return report(tuning->compiler, "tune", text);
  }
  tune_cost((TuneSpace *)(uintptr_t)&tuning->space, values, args, num_args,
            out_cost);
  return true;
}

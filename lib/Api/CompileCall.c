//===- CompileCall.c - Texts and modules to programs ----------------------===//
//
// Compiles on a thread with a large stack, assembles, and tells the program of
// the caller what there is to say.
//
//===----------------------------------------------------------------------===//

#include "Api/CompilerObject.h"
#include "Support/Diagnostic/DiagnosticFormat.h"
#include "Support/LargeStack.h"
#include "Target/FatalErrors.h"
#include "Target/PhaseTimer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTXAS_MAX_SECONDS = 600 };

// One call.
typedef struct {
  TileCompiler *compiler;
  TileCompileInput input;
  TileCompileOptions options;
  TileCompileResult result;
  TilePtxasReport *reports; // NULL: nothing is assembled
  TileStatus *statuses;     // of the assemblies
  TileProgram *program;     // NULL: not made
} Job;

//===-- Assembling --------------------------------------------------------===//

// Shared by the threads.
typedef struct {
  Job *job;
  atomic_size_t next;
} Assembly;

static void assemble_some(void *user_data) {
  Assembly *assembly = user_data;
  Job *job = assembly->job;
  TileCompiler *compiler = job->compiler;
  size_t i, count = job->result.num_units;
  while ((i = atomic_fetch_add(&assembly->next, 1)) < count) {
    const TileCompiledUnit *unit = &job->result.units[i];
    TilePtxasJob ptxas = {.ptxas = compiler->ptxas,
                          .chip = unit->chip,
                          .ptx = unit->ptx,
                          .name = unit->name,
                          .line_info = job->options.line_info,
                          .num_threads = job->options.num_threads / (int)count,
                          .max_seconds = compiler->ptxas_max_seconds
                                             ? compiler->ptxas_max_seconds
                                             : PTXAS_MAX_SECONDS,
                          .limits = &compiler->limits};
    job->statuses[i] = tile_ptxas_run(&ptxas, &job->reports[i]);
  }
}

static void assemble_all(Job *job) {
  Assembly assembly = {.job = job};
  size_t most = (size_t)job->options.num_threads;
  tile_call_on_large_stacks(
      assemble_some, &assembly,
      most < job->result.num_units ? most : job->result.num_units);
}

// What the assembler said, in the order of the functions.
static bool take_reports(Job *job) {
  TileDiagnosticList *list = &job->result.diagnostics;
  char text[160];
  const char *code =
      tile_limits_reached(&job->compiler->limits, text, sizeof text);
  bool is_ok = true;
  for (size_t i = 0; i < job->result.num_units; i++) {
    const TilePtxasReport *report = &job->reports[i];
    for (size_t w = 0; w < report->num_warnings; w++)
      tile_diagnostic_list_add_text(list, TILE_SEVERITY_WARNING, "ptxas", false,
                                    report->warnings[w]);
    job->result.num_warnings += report->num_warnings;
    if (tile_status_is_ok(&job->statuses[i]))
      continue;
    is_ok = false;
    tile_diagnostic_list_add_text(list, TILE_SEVERITY_ERROR,
                                  code ? code : "ptxas", false,
                                  job->statuses[i].message);
  }
  return is_ok;
}

static bool assemble(Job *job) {
  size_t count = job->result.num_units;
  double start_ms = tile_now_ms();
  if (!(job->compiler->options.products & TILE_PRODUCT_CUBIN))
    return true;
  job->reports = calloc(count + 1, sizeof *job->reports);
  job->statuses = calloc(count + 1, sizeof *job->statuses);
  if (!job->reports || !job->statuses) {
    tile_diagnostic_list_add_text(&job->result.diagnostics, TILE_SEVERITY_ERROR,
                                  "memory", false, "out of memory");
    return false;
  }
  assemble_all(job);
  TileCompileResult *result = &job->result;
  if (result->num_times < TILE_COMPILE_MAX_TIMES)
    result->times[result->num_times++] =
        (TileCompileTime){"ptxas", tile_lap_ms(&start_ms)};
  return take_reports(job);
}

static void deinit_reports(Job *job) {
  for (size_t i = 0; job->reports && i < job->result.num_units; i++)
    tile_ptxas_report_deinit(&job->reports[i]);
  free(job->reports);
  free(job->statuses);
}

//===-- One call ----------------------------------------------------------===//

static void compile_job(void *user_data) {
  Job *job = user_data;
  TileCompiler *compiler = job->compiler;
  if (mlirModuleIsNull(job->input.module)) {
    if (!compiler->context.ptr)
      compiler->context = tile_compile_context_create();
    job->input.context = compiler->context;
  }
  if (!tile_compile_run(&job->input, &job->options, &job->result) ||
      !assemble(job))
    return;
  job->program = tile_program_build(compiler, &job->result, job->reports);
  if (!job->program)
    tile_diagnostic_list_add_text(&job->result.diagnostics, TILE_SEVERITY_ERROR,
                                  "memory", false, "out of memory");
}

// What was compiled with is in no state to be used or freed.
static void give_up(Job *job, const char *reason) {
  char text[1200];
  TileCompiler *compiler = job->compiler;
  if (job->input.context.ptr)
    mlirContextDetachDiagnosticHandler(job->input.context, job->result.handler);
  if (mlirModuleIsNull(job->input.module))
    compiler->context = (MlirContext){NULL};
  snprintf(text, sizeof text, "internal error in LLVM: %s", reason);
  tile_diagnostic_list_add_text(&job->result.diagnostics, TILE_SEVERITY_ERROR,
                                "llvm", true, text);
}

static void run(void *user_data) {
  Job *job = user_data;
  char reason[1000];
  if (!tile_fatal_errors_catch(compile_job, job, reason, sizeof reason))
    give_up(job, reason);
}

static TileProgram *compile(TileCompiler *compiler, TileCompileInput input) {
  Job job = {.compiler = compiler, .input = input};
  job.options = compiler->options;
  job.options.limits = &compiler->limits;
  if (job.options.products & TILE_PRODUCT_CUBIN) {
    job.options.products |= TILE_PRODUCT_PTX;
    if (!compiler->ptxas) {
      tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                           TILE_SEVERITY_ERROR, "ptxas",
                           "a cubin needs ptxas: tile_compiler_set_ptxas");
      return NULL;
    }
  }
  job.options.products &= ~(unsigned)TILE_PRODUCT_CUBIN;
  tile_limits_begin(&compiler->limits);
  tile_call_on_large_stack(run, &job);
  const TileDiagnosticList *list = &job.result.diagnostics;
  for (size_t i = 0; compiler->on_diagnostic && i < list->count; i++)
    compiler->on_diagnostic(list->items[i], compiler->diagnostic_data);
  deinit_reports(&job);
  tile_compile_result_deinit(&job.result);
  atomic_store(&compiler->limits.is_cancelled, false);
  return job.program;
}

//===-- Entries -----------------------------------------------------------===//

TileProgram *tile_compile(TileCompiler *compiler, const char *name,
                          const void *text, size_t size_bytes) {
  TileCompileInput input = {
      .source = {text ? text : "", text ? size_bytes : 0, name ? name : "-"}};
  return compile(compiler, input);
}

static TileStatus read_stream(FILE *file, const char *path, TileString *out) {
  char chunk[16384];
  while (!feof(file) && !ferror(file))
    tile_string_append(out, chunk, fread(chunk, 1, sizeof chunk, file));
  if (ferror(file)) // for example a folder
    return tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s", path);
  return tile_status_ok();
}

TileProgram *tile_compile_file(TileCompiler *compiler, const char *path) {
  TileString text = {NULL, 0, 0};
  TileProgram *program = NULL;
  FILE *file = fopen(path, "rbe");
  TileStatus status =
      file ? read_stream(file, path, &text)
           : tile_status_error(TILE_STATUS_USER_ERROR, "cannot read %s: %s",
                               path, strerror(errno));
  if (file)
    fclose(file);
  if (tile_status_is_ok(&status))
    program =
        tile_compile(compiler, path, tile_string_text(&text), text.size_bytes);
  else
    tile_diagnostic_send(compiler->on_diagnostic, compiler->diagnostic_data,
                         TILE_SEVERITY_ERROR, "read", status.message);
  tile_string_deinit(&text);
  return program;
}

void tile_context_prepare(MlirContext context) {
  tile_compile_context_prepare(context);
}

TileProgram *tile_compile_module(TileCompiler *compiler, MlirModule module) {
  TileCompileInput input = {.context = mlirModuleGetContext(module),
                            .module = module,
                            .source = {NULL, 0, "-"}};
  return compile(compiler, input);
}

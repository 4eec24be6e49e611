//===- tile-compile.c - MLIR in, PTX and launch metadata out --------------===//

#include "CompileOptions.h"
#include "Ptxas.h"
#include "Support/LargeStack.h"
#include "Support/SignalGuard.h"
#include "Support/StandardStreams.h"
#include "Tile/Compile.h"
#include "Tile/Pipeline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One run of the program.
typedef struct {
  CompileOptions options;
  char *ptxas;      // owned; NULL: not used
  char *stdin_text; // owned; NULL: the input is a file
  size_t stdin_size_bytes;
  TileCompileResult result;
  TileOutputs outputs;
  TilePtxasProcess process;
  TileSignalGuard guard;
  size_t num_warnings; // of ptxas
  bool has_failed_stage;
} Run;

static bool fail(const TileStatus *status) {
  if (tile_status_is_ok(status))
    return false;
  fprintf(stderr, "tile-compile: error: %s\n", status->message);
  return true;
}

//===-- Input -------------------------------------------------------------===//

static bool read_stdin(Run *run) {
  size_t capacity = 0, size = 0;
  char *text = NULL;
  for (size_t n = 1; n > 0; size += n) {
    if (capacity - size < 4096) {
      capacity = capacity ? capacity * 2 : 65536;
      char *grown = realloc(text, capacity);
      if (!grown) {
        free(text);
        return false;
      }
      text = grown;
    }
    n = fread(text + size, 1, capacity - size - 1, stdin);
  }
  text[size] = '\0';
  run->stdin_text = text;
  run->stdin_size_bytes = size;
  return !ferror(stdin);
}

//===-- Stages ------------------------------------------------------------===//

static void save_stage(const char *file_name, const char *text,
                       size_t size_bytes, void *user_data) {
  Run *run = user_data;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", run->options.save_temps, file_name);
  TileStatus status = run->has_failed_stage
                          ? tile_status_ok() // said once
                          : tile_file_write(path, text, size_bytes);
  run->has_failed_stage |= fail(&status);
}

//===-- Failure -----------------------------------------------------------===//

static void print_indented_source(const Run *run, FILE *out) {
  if (run->stdin_text) {
    fwrite(run->stdin_text, 1, run->stdin_size_bytes, out);
    return;
  }
  FILE *in = fopen(run->options.input, "rb");
  if (!in)
    return;
  char chunk[4096];
  while (!feof(in) && !ferror(in))
    fwrite(chunk, 1, fread(chunk, 1, sizeof chunk, in), out);
  fclose(in);
}

// The input with the command that repeats the failure on line one.
static void write_reproducer(const Run *run) {
  static const char path[] = "tile-compile-reproducer.mlir";
  FILE *out = fopen(path, "wb");
  if (!out)
    return;
  const char *target = run->options.target;
  fprintf(out, "// RUN: tile-opt %%s --tile-compile-pipeline%s%s\n",
          target ? "=target=" : "", target ? target : "");
  print_indented_source(run, out);
  bool is_written = !ferror(out);
  if (fclose(out) != 0 || !is_written)
    remove(path);
  else
    fprintf(stderr, "tile-compile: note: please report %s\n", path);
}

//===-- Products ----------------------------------------------------------===//

static bool is_to_stdout(const Run *run) {
  return strcmp(run->options.output, "-") == 0;
}

static void path_of(const Run *run, const char *name, const char *extension,
                    char *out, size_t capacity) {
  snprintf(out, capacity, "%s/%s.%s", run->options.output, name, extension);
}

static bool add_text(Run *run, const char *name, const char *extension,
                     bool is_kept, const char *text, const char **out_path) {
  if (!text)
    return true;
  TileStatus status;
  if (is_to_stdout(run)) {
    status = tile_stdout_write(text);
    return !fail(&status);
  }
  char path[4096];
  path_of(run, name, extension, path, sizeof path);
  status = tile_outputs_write(&run->outputs, path, is_kept, text, strlen(text),
                              out_path);
  return !fail(&status);
}

static void print_lines(const char *prefix, const char *lines) {
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    fprintf(stderr, "%s%.*s\n", prefix, (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
}

// The guard is about to end the program.
static void die_of_signal(void) {
  for (;;)
    pause();
}

static bool assemble(Run *run, const TileCompiledUnit *unit,
                     const char *ptx_path) {
  const char *cubin_path = NULL;
  char path[4096];
  path_of(run, unit->name, "cubin", path, sizeof path);
  TileStatus status = tile_outputs_add(&run->outputs, path, true, &cubin_path);
  path_of(run, unit->name, "ptx", path, sizeof path);
  run->process.ptx_name = path;
  if (fail(&status))
    return false;
  TilePtxasReport report;
  status = tile_ptxas_run(run->ptxas, unit->chip, run->options.line_info,
                          ptx_path, cubin_path, &run->process, &report);
  if (tile_ptxas_process_is_stopped(&run->process))
    die_of_signal();
  bool is_ok = !fail(&status);
  if (is_ok) {
    print_lines("tile-compile: warning: ", report.warnings);
    if (run->options.is_verbose)
      print_lines("", report.usage);
    run->num_warnings += report.num_warnings;
  }
  tile_ptxas_report_deinit(&report);
  return is_ok;
}

static bool add_unit(Run *run, const TileCompiledUnit *unit) {
  const char *ptx_path = NULL, *unused = NULL;
  return add_text(run, unit->name, "json", true, unit->json, &unused) &&
         add_text(run, unit->name, "ll", true, unit->llvm, &unused) &&
         add_text(run, unit->name, "ptx", run->options.emit & TILE_EMIT_PTX,
                  unit->ptx, &ptx_path) &&
         (!run->ptxas || !ptx_path || assemble(run, unit, ptx_path));
}

// "dir/gemm.mlir" is "gemm".
static void stem_of(const char *path, char *out, size_t capacity) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  size_t length = strcspn(name, ".");
  snprintf(out, capacity, "%.*s", (int)length, length ? name : "");
  if (!length || strcmp(out, "-") == 0)
    snprintf(out, capacity, "module");
}

static bool has_forbidden_warnings(const Run *run) {
  size_t num_warnings = run->num_warnings + run->result.num_warnings;
  if (!run->options.warnings_are_errors || num_warnings == 0)
    return false;
  fprintf(stderr, "tile-compile: error: %zu warning%s, and --werror is given\n",
          num_warnings, num_warnings == 1 ? "" : "s");
  return true;
}

static bool add_products(Run *run) {
  char stem[256];
  const char *unused = NULL;
  stem_of(run->options.input, stem, sizeof stem);
  // The lowered module keeps a name of its own: a function may be called as
  // the file.
  char name[300];
  snprintf(name, sizeof name, "%s.lowered", stem);
  if (!add_text(run, name, "mlir", true, run->result.mlir, &unused))
    return false;
  for (size_t i = 0; i < run->result.num_units; i++)
    if (!add_unit(run, &run->result.units[i]))
      return false;
  return !has_forbidden_warnings(run);
}

// Nothing that is printed can be taken back.
static bool print_products(Run *run) {
  if (has_forbidden_warnings(run) || !add_products(run))
    return false;
  TileStatus status = tile_stdout_flush();
  return !fail(&status);
}

static bool write_products(Run *run) {
  TileStatus status =
      tile_outputs_make_folder(&run->outputs, run->options.output);
  if (fail(&status) || !add_products(run))
    return false;
  status = tile_outputs_commit(&run->outputs);
  return !fail(&status);
}

//===-- Account -----------------------------------------------------------===//

static void print_account(const TileCompileResult *result) {
  fputs(result->account, stderr);
  double total_ms = 0;
  for (size_t i = 0; i < result->num_times; i++) {
    fprintf(stderr, "%8.2f ms  %s\n", result->times[i].ms,
            result->times[i].name);
    total_ms += result->times[i].ms;
  }
  fprintf(stderr, "%8.2f ms  total before ptxas\n", total_ms);
}

//===-- Entry -------------------------------------------------------------===//

static bool choose_ptxas(Run *run) {
  CompileOptions *options = &run->options;
  if (!(options->emit & EMIT_CUBIN) || options->ptxas_choice == PTXAS_OFF ||
      is_to_stdout(run))
    return true;
  if (options->ptxas_choice == PTXAS_FIND) {
    run->ptxas = tile_ptxas_find();
    if (run->ptxas || !options->has_emit)
      return true;
    fprintf(stderr, "tile-compile: error: --emit=cubin, but no ptxas was "
                    "found; name it with --ptxas\n");
    return false;
  }
  size_t size = strlen(options->ptxas) + 1;
  run->ptxas = malloc(size);
  if (run->ptxas)
    memcpy(run->ptxas, options->ptxas, size);
  return run->ptxas != NULL;
}

static bool compile(Run *run) {
  CompileOptions *options = &run->options;
  TileCompileOptions compile_options;
  tile_compile_options_init(&compile_options);
  compile_options.target = options->target;
  compile_options.emit = options->emit & ~(unsigned)EMIT_CUBIN;
  if (run->ptxas)
    compile_options.emit |= TILE_EMIT_PTX;
  compile_options.line_info = options->line_info;
  compile_options.hide_remarks = options->hide_remarks;
  if (options->save_temps) {
    compile_options.on_stage = save_stage;
    compile_options.on_stage_data = run;
  }
  TileCompiler *compiler = tile_compiler_create();
  if (!compiler)
    return false;
  bool is_ok = tile_compile(compiler, run->stdin_text ? NULL : options->input,
                            run->stdin_text, run->stdin_size_bytes,
                            &compile_options, &run->result);
  fputs(run->result.diagnostics, stderr);
  if (!is_ok && run->result.is_internal_error)
    write_reproducer(run);
  if (options->is_verbose)
    print_account(&run->result);
  is_ok = is_ok && !run->has_failed_stage &&
          (is_to_stdout(run) ? print_products(run) : write_products(run));
  tile_outputs_discard(&run->outputs); // what is not committed
  tile_compile_result_deinit(&run->result);
  tile_compiler_destroy(compiler);
  return is_ok;
}

// It stays, whatever becomes of the program: it is there to be looked at.
static bool make_stage_folder(Run *run) {
  TileOutputs folders;
  if (!run->options.save_temps)
    return true;
  tile_outputs_init(&folders);
  TileStatus status =
      tile_outputs_make_folder(&folders, run->options.save_temps);
  if (fail(&status))
    tile_outputs_discard(&folders);
  else
    tile_outputs_commit(&folders);
  return tile_status_is_ok(&status);
}

static bool run_all(Run *run) {
  CompileOptions *options = &run->options;
  if (options->print_pipeline) {
    char *text = tile_pipeline_print(options->target);
    printf("builtin.module(%s)\n", text);
    free(text);
    TileStatus status = tile_stdout_flush();
    return !fail(&status);
  }
  if (strcmp(options->input, "-") == 0 && !read_stdin(run)) {
    fprintf(stderr, "tile-compile: error: cannot read standard input\n");
    return false;
  }
  return choose_ptxas(run) && make_stage_folder(run) && compile(run);
}

static void stop_ptxas(void *process) { tile_ptxas_process_stop(process); }

static int compile_main(int argc, char **argv) {
  Run run = {.ptxas = NULL};
  switch (compile_options_parse(argc, argv, &run.options)) {
  case PARSED:
    break;
  case PARSED_EXIT_OK: {
    TileStatus status = tile_stdout_flush();
    return fail(&status) ? TILE_STATUS_USER_ERROR : TILE_STATUS_OK;
  }
  case PARSED_EXIT_ERROR:
    return TILE_STATUS_USER_ERROR;
  }
  tile_exit_on_fatal_error();
  tile_outputs_init(&run.outputs);
  tile_ptxas_process_init(&run.process);
  if (run.options.ptxas_max_seconds)
    run.process.max_seconds = run.options.ptxas_max_seconds;
  run.guard = (TileSignalGuard){
      .outputs = &run.outputs, .stop = stop_ptxas, .stop_data = &run.process};
  tile_signal_guard_start(&run.guard);
  bool is_ok = run_all(&run);
  tile_signal_guard_end(&run.guard);
  free(run.ptxas);
  free(run.stdin_text);
  return is_ok ? TILE_STATUS_OK : TILE_STATUS_USER_ERROR;
}

int main(int argc, char **argv) {
  tile_streams_open();
  tile_signals_block();
  return tile_run_on_large_stack(compile_main, argc, argv);
}

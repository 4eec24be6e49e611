//===- tile-compile.c - MLIR in, PTX and launch metadata out --------------===//

#include "CompileOptions.h"
#include "OutputFiles.h"
#include "Tile/Compile.h"
#include "Tile/Pipeline.h"
#include "Tile/Ptxas.h"
#include "Tile/Support/LargeStack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One run of the program.
typedef struct {
  CompileOptions options;
  char *ptxas;      // owned; NULL: not used
  char *stdin_text; // owned; NULL: the input is a file
  size_t stdin_size_bytes;
  TileCompileResult result;
  OutputFiles files;
  size_t num_warnings; // of ptxas
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
  const Run *run = user_data;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", run->options.save_temps, file_name);
  TileStatus status = output_file_write(path, text, size_bytes);
  fail(&status);
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
  fclose(out);
  fprintf(stderr, "tile-compile: note: please report %s\n", path);
}

//===-- Products ----------------------------------------------------------===//

static bool add_text(Run *run, const char *name, const char *extension,
                     bool is_kept, const char *text, const char **out_path) {
  if (!text)
    return true;
  if (strcmp(run->options.output, "-") == 0) {
    fputs(text, stdout);
    return true;
  }
  TileStatus status = output_files_add(&run->files, name, extension, is_kept,
                                       text, strlen(text), out_path);
  return !fail(&status);
}

static void print_lines(const char *prefix, const char *lines) {
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    fprintf(stderr, "%s%.*s\n", prefix, (int)length, lines);
    lines += length + (lines[length] == '\n');
  }
}

static bool assemble(Run *run, const TileCompiledUnit *unit,
                     const char *ptx_path) {
  const char *cubin_path = NULL;
  TileStatus status = output_files_add(&run->files, unit->name, "cubin", true,
                                       NULL, 0, &cubin_path);
  if (fail(&status))
    return false;
  TilePtxasReport report;
  status =
      tile_ptxas_run(run->ptxas, unit->target->chip, run->options.line_info,
                     ptx_path, cubin_path, &report);
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
  size_t num_warnings = run->num_warnings + run->result.num_warnings;
  if (!run->options.warnings_are_errors || num_warnings == 0)
    return true;
  fprintf(stderr, "tile-compile: error: %zu warning%s, and --werror is given\n",
          num_warnings, num_warnings == 1 ? "" : "s");
  return false;
}

static bool write_products(Run *run) {
  run->files.folder = run->options.output;
  bool is_stdout = strcmp(run->options.output, "-") == 0;
  TileStatus status =
      is_stdout ? tile_status_ok() : output_folder_make(run->options.output);
  if (fail(&status))
    return false;
  if (!add_products(run)) {
    output_files_discard(&run->files);
    return false;
  }
  status = output_files_commit(&run->files);
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
  bool is_stdout = strcmp(options->output, "-") == 0;
  if (!(options->emit & EMIT_CUBIN) || options->ptxas_choice == PTXAS_OFF ||
      is_stdout)
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
  is_ok = is_ok && write_products(run);
  tile_compile_result_deinit(&run->result);
  tile_compiler_destroy(compiler);
  return is_ok;
}

static bool run_all(Run *run) {
  CompileOptions *options = &run->options;
  if (options->print_pipeline) {
    char *text = tile_pipeline_print(options->target);
    printf("builtin.module(%s)\n", text);
    free(text);
    return true;
  }
  if (strcmp(options->input, "-") == 0 && !read_stdin(run)) {
    fprintf(stderr, "tile-compile: error: cannot read standard input\n");
    return false;
  }
  TileStatus status = options->save_temps
                          ? output_folder_make(options->save_temps)
                          : tile_status_ok();
  return !fail(&status) && choose_ptxas(run) && compile(run);
}

static int compile_main(int argc, char **argv) {
  Run run = {.ptxas = NULL};
  switch (compile_options_parse(argc, argv, &run.options)) {
  case PARSED:
    break;
  case PARSED_EXIT_OK:
    return TILE_STATUS_OK;
  case PARSED_EXIT_ERROR:
    return TILE_STATUS_USER_ERROR;
  }
  tile_exit_on_fatal_error();
  bool is_ok = run_all(&run);
  free(run.ptxas);
  free(run.stdin_text);
  return is_ok ? TILE_STATUS_OK : TILE_STATUS_USER_ERROR;
}

int main(int argc, char **argv) {
  return tile_run_on_large_stack(compile_main, argc, argv);
}

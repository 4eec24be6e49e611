//===- tile-compile.c - MLIR in, PTX and launch metadata out --------------===//

#include "CompileOptions.h"
#include "FindPtxas.h"
#include "Support/SignalGuard.h"
#include "Support/StandardStreams.h"
#include "Tile/Compiler.h"
#include "Tile/Mlir.h"
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// One run of the program.
typedef struct {
  CompileOptions options;
  char *ptxas;      // owned; NULL: not used
  char *stdin_text; // owned; NULL: the input is a file
  size_t stdin_size_bytes;
  TileCompiler *compiler;
  TileProgram *program; // NULL: not compiled
  TileOutputs outputs;
  TileSignalGuard guard;
  atomic_bool is_dying; // of a signal
  sem_t is_cancelled;   // the compilation of a dying program has ended
  bool has_failed_stage, has_internal_error;
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

static bool add_bytes(Run *run, const char *name, const char *extension,
                      TileBytes bytes) {
  if (!bytes.data)
    return true;
  TileStatus status;
  if (is_to_stdout(run)) {
    status = tile_stdout_write(bytes.data);
    return !fail(&status);
  }
  char path[4096];
  path_of(run, name, extension, path, sizeof path);
  status = tile_outputs_write(&run->outputs, path, true, bytes.data,
                              bytes.size_bytes, NULL);
  return !fail(&status);
}

static bool add_product(Run *run, size_t function, unsigned product,
                        const char *extension) {
  const char *name = tile_program_name(run->program, function);
  TileBytes bytes = tile_program_product(run->program, function, product);
  return add_bytes(run, name, extension, bytes);
}

static bool add_function(Run *run, size_t function) {
  return add_product(run, function, TILE_PRODUCT_METADATA, "json") &&
         add_product(run, function, TILE_PRODUCT_LLVM, "ll") &&
         add_product(run, function, TILE_PRODUCT_PTX, "ptx") &&
         add_product(run, function, TILE_PRODUCT_CUBIN, "cubin");
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
  size_t num_warnings = tile_program_num_warnings(run->program);
  if (!run->options.warnings_are_errors || num_warnings == 0)
    return false;
  fprintf(stderr, "tile-compile: error: %zu warning%s, and --werror is given\n",
          num_warnings, num_warnings == 1 ? "" : "s");
  return true;
}

static bool add_products(Run *run) {
  char stem[256];
  stem_of(run->options.input, stem, sizeof stem);
  // The lowered module keeps a name of its own: a function may be called as
  // the file.
  char name[300];
  snprintf(name, sizeof name, "%s.lowered", stem);
  if (!add_bytes(run, name, "mlir",
                 tile_program_product(run->program, 0, TILE_PRODUCT_MLIR)))
    return false;
  for (size_t i = 0; i < tile_program_num_functions(run->program); i++)
    if (!add_function(run, i))
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

static void print_resources(const TileProgram *program) {
  const TileKernelResources *kernel;
  for (size_t i = 0; i < tile_program_num_functions(program); i++)
    for (size_t k = 0; (kernel = tile_program_resources(program, i, k)); k++)
      fprintf(stderr, "%s: %s\n", kernel->kernel, kernel->text);
}

static void print_account(const TileProgram *program) {
  const char *phase;
  double total_ms = 0, ms;
  fputs(tile_program_account(program), stderr);
  for (size_t i = 0; (phase = tile_program_phase(program, i, &ms)); i++) {
    fprintf(stderr, "%8.2f ms  %s\n", ms, phase);
    total_ms += strcmp(phase, "ptxas") ? ms : 0;
  }
  fprintf(stderr, "%8.2f ms  total before ptxas\n", total_ms);
  print_resources(program);
}

//===-- Diagnostics -------------------------------------------------------===//

// The guard is about to end the program: nothing more is said.
static void die_of_signal(Run *run) {
  sem_post(&run->is_cancelled);
  for (;;)
    pause();
}

static void on_diagnostic(const TileDiagnostic *diagnostic, void *user_data) {
  Run *run = user_data;
  if (atomic_load(&run->is_dying))
    die_of_signal(run);
  run->has_internal_error |= diagnostic->is_internal;
  if (!strcmp(diagnostic->code, "ptxas")) // about no place in the program
    fprintf(stderr, "tile-compile: ");
  tile_diagnostic_print(diagnostic, NULL);
}

// The assembler must not outlive the program. Only it takes long enough that
// the compilation may go on when the wait is over.
static void cancel(void *user_data) {
  enum { MAX_WAIT_SECONDS = 2 };
  Run *run = user_data;
  struct timespec end;
  atomic_store(&run->is_dying, true);
  tile_compiler_cancel(run->compiler);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += MAX_WAIT_SECONDS;
  sem_timedwait(&run->is_cancelled, &end);
}

//===-- Entry -------------------------------------------------------------===//

static bool choose_ptxas(Run *run) {
  CompileOptions *options = &run->options;
  if (!(options->emit & TILE_PRODUCT_CUBIN))
    return true;
  if (options->ptxas_choice == PTXAS_OFF || is_to_stdout(run)) {
    options->emit &= ~(unsigned)TILE_PRODUCT_CUBIN;
    return true;
  }
  if (options->ptxas_choice == PTXAS_FIND) {
    run->ptxas = ptxas_find();
    if (run->ptxas)
      return true;
    options->emit &= ~(unsigned)TILE_PRODUCT_CUBIN;
    if (!options->has_emit)
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

// The text of a file, or NULL after a message. Owner: the caller.
static char *read_schedule(const char *path) {
  FILE *in = fopen(path, "rb");
  char *text = NULL;
  long size = -1;
  if (in && fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) >= 0 &&
      fseek(in, 0, SEEK_SET) == 0)
    text = calloc((size_t)size + 1, 1);
  bool is_read = text && fread(text, 1, (size_t)size, in) == (size_t)size;
  if (!is_read) {
    fprintf(stderr, "tile-compile: error: cannot read %s: %s\n", path,
            strerror(errno));
    free(text);
    text = NULL;
  }
  if (in)
    fclose(in);
  return text;
}

static bool set_schedule(Run *run) {
  if (!run->options.schedule)
    return true;
  char *text = read_schedule(run->options.schedule);
  bool is_set = text && tile_compiler_set_schedules(run->compiler, text);
  free(text);
  return is_set;
}

static bool set_options(Run *run) {
  const CompileOptions *options = &run->options;
  TileCompiler *compiler = run->compiler;
  tile_compiler_set_diagnostics(compiler, on_diagnostic, run);
  tile_compiler_set_remarks(compiler, !options->hide_remarks);
  tile_compiler_set_products(compiler, options->emit);
  tile_compiler_set_line_info(compiler, options->line_info);
  tile_compiler_set_verify_each(compiler, options->verify_each);
  tile_compiler_set_threads(compiler, options->num_threads);
  if (options->save_temps)
    tile_compiler_set_stages(compiler, save_stage, run);
  return set_schedule(run) &&
         tile_compiler_set_chip(compiler, options->target) &&
         tile_compiler_set_variants(compiler, options->variants,
                                    options->num_variants) &&
         tile_compiler_set_ptxas(compiler, run->ptxas,
                                 (unsigned)options->ptxas_max_seconds);
}

static bool compile(Run *run) {
  const CompileOptions *options = &run->options;
  if (!set_options(run))
    return false;
  run->program = run->stdin_text
                     ? tile_compile(run->compiler, "<stdin>", run->stdin_text,
                                    run->stdin_size_bytes)
                     : tile_compile_file(run->compiler, options->input);
  if (atomic_load(&run->is_dying))
    die_of_signal(run);
  if (!run->program && run->has_internal_error)
    write_reproducer(run);
  if (run->program && options->is_verbose)
    print_account(run->program);
  bool is_ok = run->program && !run->has_failed_stage &&
               (is_to_stdout(run) ? print_products(run) : write_products(run));
  if (atomic_load(&run->is_dying))
    die_of_signal(run);
  tile_outputs_discard(&run->outputs); // what is not committed
  tile_program_destroy(run->program);
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
  run.compiler = tile_compiler_create(NULL);
  if (!run.compiler || sem_init(&run.is_cancelled, 0, 0) != 0) {
    fprintf(stderr, "tile-compile: error: out of memory\n");
    return TILE_STATUS_USER_ERROR;
  }
  tile_outputs_init(&run.outputs);
  run.guard = (TileSignalGuard){
      .outputs = &run.outputs, .stop = cancel, .stop_data = &run};
  tile_signal_guard_start(&run.guard);
  bool is_ok = run_all(&run);
  tile_signal_guard_end(&run.guard);
  tile_compiler_destroy(run.compiler);
  free(run.ptxas);
  free(run.stdin_text);
  return is_ok ? TILE_STATUS_OK : TILE_STATUS_USER_ERROR;
}

int main(int argc, char **argv) {
  tile_streams_open();
  tile_signals_block();
  return compile_main(argc, argv);
}

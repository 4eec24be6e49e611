//===- api-compile-test.c - Tile/Compiler.h and Tile/Mlir.h ---------------===//
//
// Argument: the folder of the sources.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Tile/Mlir.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Transforms.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

//===-- Helpers -----------------------------------------------------------===//

static const char *root;
static char gemm[1 << 14], scale[1 << 14], unselectable[1 << 14];
static char fake_ptxas[4096];

/// What a compiler has said.
typedef struct {
  char text[8000];
  char code[64]; // of the first error
  int line, column;
  size_t num_errors, num_remarks, num_warnings, num_internal;
} Said;

static void note(const TileDiagnostic *diagnostic, void *user_data) {
  Said *said = user_data;
  size_t length = strlen(said->text);
  if (length < sizeof said->text)
    tile_diagnostic_format(diagnostic, said->text + length,
                           sizeof said->text - length);
  said->num_remarks += diagnostic->severity == TILE_SEVERITY_REMARK;
  said->num_warnings += diagnostic->severity == TILE_SEVERITY_WARNING;
  said->num_internal += diagnostic->is_internal;
  if (diagnostic->severity != TILE_SEVERITY_ERROR || said->num_errors++ > 0)
    return;
  snprintf(said->code, sizeof said->code, "%s", diagnostic->code);
  said->line = diagnostic->line;
  said->column = diagnostic->column;
}

static void read_text(const char *name, char *out, size_t capacity) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  out[fread(out, 1, capacity - 1, file)] = 0;
  fclose(file);
}

static TileCompiler *open_compiler(Said *said) {
  *said = (Said){.num_errors = 0};
  TileCompiler *compiler = tile_compiler_create(NULL);
  assert_non_null(compiler);
  tile_compiler_set_diagnostics(compiler, note, said);
  assert_true(tile_compiler_set_chip(compiler, "sm_80"));
  return compiler;
}

static TileProgram *compile(TileCompiler *compiler, const char *text) {
  return tile_compile(compiler, "text.mlir", text, strlen(text));
}

static void expect_error(const Said *said, const char *code, const char *text) {
  if (said->num_errors == 0 || strcmp(said->code, code) != 0 ||
      !strstr(said->text, text))
    fail_msg("expected %s, '%s' in %s: '%s'", code, text, said->code,
             said->text);
}

//===-- Products ----------------------------------------------------------===//

static void test_products(void **state) {
  (void)state;
  Said said;
  double ms;
  TileCompiler *compiler = open_compiler(&said);
  TileProgram *program = compile(compiler, gemm);
  tile_compiler_destroy(compiler); // the program stays
  assert_non_null(program);
  assert_int_equal(tile_program_num_functions(program), 1);
  assert_string_equal(tile_program_name(program, 0), "gemm");
  assert_string_equal(tile_program_chip(program, 0), "sm_80");
  TileBytes ptx = tile_program_product(program, 0, TILE_PRODUCT_PTX);
  TileBytes json = tile_program_product(program, 0, TILE_PRODUCT_METADATA);
  assert_non_null(strstr(ptx.data, ".target sm_80"));
  assert_int_equal(strlen(ptx.data), ptx.size_bytes);
  assert_non_null(strstr(json.data, "\"tile-host-1\""));
  assert_null(tile_program_product(program, 0, TILE_PRODUCT_CUBIN).data);
  assert_null(tile_program_product(program, 1, TILE_PRODUCT_PTX).data);
  assert_null(tile_program_product(program, 0, 3).data);
  assert_null(tile_program_name(program, 1));
  assert_string_equal(tile_program_phase(program, 0, &ms), "parse");
  assert_null(tile_program_phase(program, 1000, &ms));
  assert_non_null(strstr(tile_program_account(program), "tile.gemm"));
  assert_null(tile_program_resources(program, 0, 0));
  assert_string_equal(said.text, "");
  tile_program_destroy(program);
}

static void test_variants(void **state) {
  (void)state;
  Said said;
  const unsigned second[] = {2}, zero[] = {0}, ninth[] = {9};
  TileCompiler *compiler = open_compiler(&said);
  assert_true(tile_compiler_set_variants(compiler, second, 1));
  TileProgram *program = compile(compiler, gemm);
  assert_non_null(program);
  const char *ptx = tile_program_product(program, 0, TILE_PRODUCT_PTX).data;
  const char *entry = strstr(ptx, ".entry");
  assert_non_null(entry);
  assert_null(strstr(entry + 1, ".entry"));
  tile_program_destroy(program);

  assert_false(tile_compiler_set_variants(compiler, zero, 1));
  assert_true(tile_compiler_set_variants(compiler, ninth, 1));
  assert_null(compile(compiler, gemm));
  assert_non_null(strstr(said.text, "none of those that are asked for: 9"));
  assert_true(tile_compiler_set_variants(compiler, NULL, 0));
  tile_program_destroy(program = compile(compiler, gemm));
  assert_non_null(program);
  tile_compiler_destroy(compiler);
}

static size_t num_stages;

static void count_stage(const char *file_name, const char *text,
                        size_t size_bytes, void *user_data) {
  (void)user_data;
  assert_int_equal(strlen(text), size_bytes);
  num_stages += strchr(file_name, '-') != NULL;
}

// The first stages say where ops come from, when they are asked to.
static void look_for_locations(const char *file_name, const char *text,
                               size_t size_bytes, void *user_data) {
  (void)size_bytes;
  if (strncmp(file_name, "00-", 3) == 0)
    *(bool *)user_data = strstr(text, "loc(\"text.mlir\":") != NULL;
}

static void test_stage_locations(void **state) {
  (void)state;
  Said said;
  bool has_locations = true;
  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_set_stages(compiler, look_for_locations, &has_locations);
  tile_program_destroy(compile(compiler, scale));
  assert_false(has_locations);
  tile_compiler_set_stage_locations(compiler, true);
  tile_program_destroy(compile(compiler, scale));
  assert_true(has_locations);
  tile_compiler_destroy(compiler);
}

static void test_cubin(void **state) {
  (void)state;
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_set_products(compiler, TILE_PRODUCT_CUBIN);
  assert_null(compile(compiler, scale));
  expect_error(&said, "ptxas", "a cubin needs ptxas");

  setenv("FAKE_SAYS",
         "ptxas info    : Function properties for scale_kernel\\n"
         "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill "
         "loads\\nptxas info    : Used 10 registers, used 1 barriers\\n",
         1);
  assert_true(tile_compiler_set_ptxas(compiler, fake_ptxas, 0));
  tile_compiler_set_stages(compiler, count_stage, NULL);
  TileProgram *program = compile(compiler, scale);
  assert_non_null(program);
  assert_true(num_stages > 10);
  TileBytes cubin = tile_program_product(program, 0, TILE_PRODUCT_CUBIN);
  assert_string_equal(cubin.data, "\177ELF");
  assert_null(tile_program_product(program, 0, TILE_PRODUCT_PTX).data);
  const TileKernelResources *kernel = tile_program_resources(program, 0, 0);
  assert_string_equal(kernel->kernel, "scale_kernel");
  assert_int_equal(kernel->num_registers, 10);
  assert_int_equal(kernel->stack_bytes, 16);
  assert_int_equal(kernel->spill_store_bytes, 12);
  assert_int_equal(kernel->spill_load_bytes, 8);
  assert_null(tile_program_resources(program, 0, 1));
  assert_int_equal(tile_program_num_warnings(program), 1);
  assert_int_equal(said.num_warnings, 1);
  tile_program_destroy(program);
  unsetenv("FAKE_SAYS");
  tile_compiler_destroy(compiler);
}

/// A buffer for a MlirStringCallback.
typedef struct {
  char data[1 << 16];
  size_t size_bytes;
} Buffer;

static void append(MlirStringRef piece, void *user_data) {
  Buffer *buffer = user_data;
  assert_true(buffer->size_bytes + piece.length <= sizeof buffer->data);
  memcpy(buffer->data + buffer->size_bytes, piece.data, piece.length);
  buffer->size_bytes += piece.length;
}

static MlirModule parse(MlirContext context, const char *text) {
  tile_context_prepare(context);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  return module;
}

// Bytecode gives the PTX of its text, whole or not at all.
static void test_bytecode(void **state) {
  (void)state;
  Said said;
  static Buffer bytes;
  MlirContext context = mlirContextCreate();
  MlirModule module = parse(context, gemm);
  mlirOperationWriteBytecode(mlirModuleGetOperation(module), append, &bytes);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);

  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_set_line_info(compiler, false);
  TileProgram *a = compile(compiler, gemm);
  tile_compiler_set_verify_each(compiler,
                                true); // changes nothing that is right
  TileProgram *b =
      tile_compile(compiler, "bytes", bytes.data, bytes.size_bytes);
  assert_non_null(a);
  assert_non_null(b);
  assert_string_equal(tile_program_product(a, 0, TILE_PRODUCT_PTX).data,
                      tile_program_product(b, 0, TILE_PRODUCT_PTX).data);
  tile_program_destroy(a);
  tile_program_destroy(b);
  for (size_t cut = 0; cut < bytes.size_bytes; cut += 97) {
    said.num_errors = 0;
    assert_null(tile_compile(compiler, "cut", bytes.data, cut));
    assert_true(said.num_errors > 0);
  }
  tile_compiler_destroy(compiler);
}

//===-- Errors ------------------------------------------------------------===//

static void test_errors(void **state) {
  (void)state;
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  assert_null(compile(compiler, "func.func @f() {\n  nothing.op\n}\n"));
  expect_error(&said, "parse", "text.mlir:2:3: error: ");
  assert_int_equal(said.line, 2);
  assert_int_equal(said.column, 3);
  assert_int_equal(said.num_internal, 0);
  assert_non_null(strstr(said.text, "\n  nothing.op\n  ^\n"));

  static const char *const garbage[] = {"",
                                        "(",
                                        "\377\376\1",
                                        "module {} module {}",
                                        "func.func @f()",
                                        "#x = #x",
                                        "module { module { } }",
                                        "func.func @f() { return }"};
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
    said.num_errors = 0;
    assert_null(compile(compiler, garbage[i]));
    assert_true(said.num_errors > 0);
  }
  said = (Said){.num_errors = 0};
  assert_null(tile_compile(compiler, NULL, NULL, 0));
  assert_true(said.num_errors > 0);
  said = (Said){.num_errors = 0};
  assert_null(tile_compile_file(compiler, "no/such/file"));
  expect_error(&said, "read", "cannot read no/such/file: No such file");
  said = (Said){.num_errors = 0};
  assert_null(tile_compile_file(compiler, "/"));
  expect_error(&said, "read", "cannot read /");
  said = (Said){.num_errors = 0};
  assert_false(tile_compiler_set_chip(compiler, "sm_1"));
  expect_error(&said, "chip", "unknown target 'sm_1'; known chips are sm_80");
  tile_compiler_set_diagnostics(compiler, NULL, NULL);
  assert_null(compile(compiler, "("));
  tile_compiler_destroy(compiler);
}

// What ends other programs is an error of ours, and the compiler goes on.
static void test_fatal_error(void **state) {
  (void)state;
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  assert_true(tile_compiler_set_chip(compiler, NULL));
  for (int i = 0; i < 2; i++) {
    assert_null(compile(compiler, unselectable));
    expect_error(&said, "llvm", "internal error in LLVM: Cannot select");
    assert_true(said.num_internal > 0);
    TileProgram *program = compile(compiler, scale);
    assert_non_null(program);
    tile_program_destroy(program);
  }
  tile_compiler_destroy(compiler);
}

//===-- Signals -----------------------------------------------------------===//

static volatile sig_atomic_t num_signals, num_in_time;

static void count_signal(int number) {
  (void)number;
  num_signals = num_signals + 1;
}

// Sends one signal and waits for it, for at most two seconds.
static void send_signal(const char *file_name, const char *text,
                        size_t size_bytes, void *user_data) {
  (void)file_name, (void)text, (void)size_bytes, (void)user_data;
  const struct timespec pause = {0, 2000000};
  if (num_signals || num_in_time)
    return;
  kill(getpid(), SIGUSR1);
  for (int i = 0; i < 1000 && !num_signals; i++)
    nanosleep(&pause, NULL);
  num_in_time = num_signals ? 1 : -1;
}

// A signal reaches the program while it compiles, not when that has ended.
static void test_signals_arrive(void **state) {
  (void)state;
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  struct sigaction action = {.sa_handler = count_signal}, before;
  sigaction(SIGUSR1, &action, &before);
  tile_compiler_set_stages(compiler, send_signal, NULL);
  TileProgram *program = compile(compiler, scale);
  sigaction(SIGUSR1, &before, NULL);
  assert_non_null(program);
  assert_int_equal(num_in_time, 1);
  tile_program_destroy(program);
  tile_compiler_destroy(compiler);
}

//===-- Limits and cancellation -------------------------------------------===//

// Each thread of the assembler takes address space: none beside the first where
// memory is limited.
static void test_limited_threads(void **state) {
  (void)state;
  Said said;
  char threads[64];
  TileCompiler *compiler = open_compiler(&said);
  snprintf(threads, sizeof threads, "api-%d.threads", (int)getpid());
  setenv("FAKE_THREADS", threads, 1);
  tile_compiler_set_products(compiler, TILE_PRODUCT_CUBIN);
  tile_compiler_set_threads(compiler, 4);
  assert_true(tile_compiler_set_ptxas(compiler, fake_ptxas, 60));
  tile_compiler_set_limits(compiler, 0, (uint64_t)1 << 40);
  TileProgram *limited = compile(compiler, scale);
  assert_non_null(limited);
  assert_int_not_equal(access(threads, F_OK), 0);
  tile_compiler_set_limits(compiler, 0, 0);
  TileProgram *free_one = compile(compiler, scale);
  assert_non_null(free_one);
  assert_int_equal(access(threads, F_OK), 0);
  unsetenv("FAKE_THREADS");
  remove(threads);
  tile_program_destroy(limited);
  tile_program_destroy(free_one);
  tile_compiler_destroy(compiler);
}

static void test_limits(void **state) {
  (void)state;
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_set_limits(compiler, 1, 0);
  assert_null(compile(compiler, gemm));
  expect_error(&said, "time", "took longer than its limit of 1 ms");
  said = (Said){.num_errors = 0};
  tile_compiler_set_limits(compiler, 0, 1000);
  assert_null(compile(compiler, gemm));
  expect_error(&said, "memory", "more memory than its limit of 1000 bytes");
  tile_compiler_set_limits(compiler, 600000, (uint64_t)1 << 40);
  TileProgram *program = compile(compiler, gemm);
  assert_non_null(program);
  tile_program_destroy(program);
  tile_compiler_destroy(compiler);
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *cancel_soon(void *compiler) {
  const struct timespec pause = {.tv_nsec = 300000000};
  nanosleep(&pause, NULL);
  tile_compiler_cancel(compiler);
  return NULL;
}

// Before it begins, and while the assembler hangs, which is killed.
static void test_cancel(void **state) {
  (void)state;
  Said said;
  char started[64];
  pthread_t thread;
  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_cancel(compiler);
  assert_null(compile(compiler, gemm));
  expect_error(&said, "cancel", "was cancelled");

  said = (Said){.num_errors = 0};
  snprintf(started, sizeof started, "api-%d.started", (int)getpid());
  setenv("FAKE_MODE", "hang", 1);
  setenv("FAKE_STARTED", started, 1);
  tile_compiler_set_products(compiler, TILE_PRODUCT_CUBIN);
  assert_true(tile_compiler_set_ptxas(compiler, fake_ptxas, 60));
  double start = now_seconds();
  assert_int_equal(pthread_create(&thread, NULL, cancel_soon, compiler), 0);
  assert_null(compile(compiler, scale));
  pthread_join(thread, NULL);
  expect_error(&said, "cancel", "was killed: the compilation was cancelled");
  assert_true(now_seconds() - start < 30);

  said = (Said){.num_errors = 0};
  tile_compiler_set_limits(compiler, 500, 0);
  assert_null(compile(compiler, scale));
  expect_error(&said, "time", "was killed: the compilation took longer");
  tile_compiler_set_limits(compiler, 0, 0);
  unsetenv("FAKE_MODE");
  unsetenv("FAKE_STARTED");
  remove(started);
  TileProgram *program = compile(compiler, scale); // goes on
  assert_non_null(program);
  tile_program_destroy(program);
  tile_compiler_destroy(compiler);
}

static void cancel_at_ptx(const char *file_name, const char *text,
                          size_t size_bytes, void *user_data) {
  (void)text, (void)size_bytes;
  if (strstr(file_name, ".ptx"))
    tile_compiler_cancel(user_data);
}

// What comes while LLVM works on the last function counts, too.
static void test_cancel_at_the_end(void **state) {
  (void)state;
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_set_stages(compiler, cancel_at_ptx, compiler);
  assert_null(compile(compiler, scale));
  expect_error(&said, "cancel", "was cancelled");
  tile_compiler_set_stages(compiler, NULL, NULL);
  TileProgram *program = compile(compiler, scale);
  assert_non_null(program);
  tile_program_destroy(program);
  tile_compiler_destroy(compiler);
}

// Whichever pass it is that ends, of MLIR's or of LLVM's: one error says why.
static void test_ends_anywhere(void **state) {
  (void)state;
  enum { NUM_PLACES = 12 };
  Said said;
  TileCompiler *compiler = open_compiler(&said);
  double start = now_seconds();
  tile_program_destroy(compile(compiler, scale));
  double whole_ms = (now_seconds() - start) * 1e3;
  size_t num_ended = 0;
  for (int i = 1; i < NUM_PLACES; i++) {
    said = (Said){.num_errors = 0};
    tile_compiler_set_limits(
        compiler, 1 + (uint64_t)whole_ms * (uint64_t)i / NUM_PLACES, 0);
    TileProgram *program = compile(compiler, scale);
    if (!program) {
      num_ended++;
      assert_int_equal(said.num_errors, 1);
      expect_error(&said, "time", "took longer than its limit");
    }
    tile_program_destroy(program);
  }
  assert_true(num_ended > 0);
  tile_compiler_destroy(compiler);
}

//===-- Memory of the program ---------------------------------------------===//

typedef struct {
  long num_blocks, max_blocks; // max_blocks 0: any
  long num_calls;
} Pool;

static void *pool_allocate(size_t size_bytes, void *user_data) {
  Pool *pool = user_data;
  if (pool->max_blocks && pool->num_calls >= pool->max_blocks)
    return NULL;
  pool->num_calls++;
  pool->num_blocks++;
  return malloc(size_bytes);
}

static void pool_release(void *memory, void *user_data) {
  Pool *pool = user_data;
  pool->num_blocks--;
  free(memory);
}

static void test_allocator(void **state) {
  (void)state;
  Said said = {.num_errors = 0};
  Pool pool = {.num_blocks = 0};
  TileAllocator allocator = {pool_allocate, pool_release, &pool};
  const unsigned first[] = {1};
  bool has_program = false;
  // Every allocation fails once.
  for (long max = 1; !has_program && max < 100; max++) {
    pool = (Pool){.max_blocks = max};
    TileCompiler *compiler = tile_compiler_create(&allocator);
    if (!compiler)
      continue;
    tile_compiler_set_diagnostics(compiler, note, &said);
    if (tile_compiler_set_variants(compiler, first, 1) &&
        tile_compiler_set_ptxas(compiler, fake_ptxas, 0) &&
        tile_compiler_add_pipeline(compiler, "tile-insert-sync", "cse")) {
      TileProgram *program = compile(compiler, scale);
      has_program = program != NULL;
      tile_program_destroy(program);
    }
    tile_compiler_destroy(compiler);
    assert_int_equal(pool.num_blocks, 0);
  }
  assert_true(has_program);
  expect_error(&said, "memory", "out of memory");
}

//===-- Threads and processes ---------------------------------------------===//

static void *compile_alone(void *user_data) {
  Said *said = user_data;
  TileCompiler *compiler = open_compiler(said);
  for (int i = 0; i < 3; i++) {
    TileProgram *program = compile(compiler, i == 1 ? "(" : gemm);
    assert_true((program == NULL) == (i == 1));
    tile_program_destroy(program);
  }
  tile_compiler_destroy(compiler);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  static Said said[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, compile_alone, &said[i]),
                     0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(said[i].num_errors, 1);
  }
}

// A child of fork compiles with what its parent had made.
static void test_fork(void **state) {
  (void)state;
  Said said;
  int status = -1;
  TileCompiler *compiler = open_compiler(&said);
  tile_program_destroy(compile(compiler, gemm));
  pid_t child = fork();
  if (child == 0) {
    TileProgram *program = compile(compiler, gemm);
    _exit(program ? 7 : 1);
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  tile_compiler_destroy(compiler);
}

// Nothing is printed, and no file is made.
static void test_silence(void **state) {
  (void)state;
  Said said;
  char path[64];
  snprintf(path, sizeof path, "api-%d.out", (int)getpid());
  fflush(stdout);
  fflush(stderr);
  int out = dup(1), err = dup(2);
  FILE *file = fopen(path, "w+b");
  assert_non_null(file);
  dup2(fileno(file), 1);
  dup2(fileno(file), 2);
  TileCompiler *compiler = open_compiler(&said);
  tile_compiler_set_products(compiler, 31);
  tile_compiler_set_ptxas(compiler, fake_ptxas, 0);
  tile_program_destroy(compile(compiler, gemm));
  assert_null(compile(compiler, "("));
  assert_null(compile(compiler, unselectable));
  tile_compiler_destroy(compiler);
  fflush(stdout);
  dup2(out, 1);
  dup2(err, 2);
  struct stat info;
  fstat(fileno(file), &info);
  assert_int_equal(info.st_size, 0);
  fclose(file);
  remove(path);
}

//===-- Modules and passes of the program ---------------------------------===//

static size_t num_runs, num_made;

static void run_own(MlirOperation op, MlirExternalPass pass, void *user_data) {
  (void)pass, (void)user_data;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  num_runs += name.length == 10 && !memcmp(name.data, "gpu.module", 10);
  mlirOperationSetDiscardableAttributeByName(
      op, mlirStringRefCreateFromCString("mine"),
      mlirUnitAttrGet(mlirOperationGetContext(op)));
}

static void ignore(void *user_data) { (void)user_data; }
static void *clone_nothing(void *user_data) { return user_data; }

static MlirPass make_own(void *user_data) {
  static MlirTypeID id;
  static MlirTypeIDAllocator allocator;
  MlirExternalPassCallbacks callbacks = {.construct = ignore,
                                         .destruct = ignore,
                                         .clone = clone_nothing,
                                         .run = run_own};
  if (!allocator.ptr) {
    allocator = mlirTypeIDAllocatorCreate();
    id = mlirTypeIDAllocatorAllocateTypeID(allocator);
  }
  num_made++;
  return mlirCreateExternalPass(id, mlirStringRefCreateFromCString("mine"),
                                mlirStringRefCreateFromCString("mine"),
                                mlirStringRefCreateFromCString("counts"),
                                mlirStringRefCreateFromCString(""), 0, NULL,
                                callbacks, user_data);
}

static void test_own_module(void **state) {
  (void)state;
  Said said;
  static Buffer before, after;
  MlirContext context = mlirContextCreate();
  MlirModule module = parse(context, gemm);
  mlirOperationPrint(mlirModuleGetOperation(module), append, &before);
  TileCompiler *compiler = open_compiler(&said);
  assert_true(tile_compiler_add_pass(compiler, "gpu-kernel-outlining",
                                     "gpu.module", make_own, NULL));
  assert_true(tile_compiler_add_pipeline(
      compiler, "tile-instruction-annotation", "cse,canonicalize"));
  assert_true(tile_compiler_add_pipeline(compiler, NULL, "cse"));
  assert_false(tile_compiler_add_pipeline(compiler, "tile-nothing", "cse"));
  expect_error(&said, "pipeline", "there is no pass 'tile-nothing'");
  tile_compiler_set_products(compiler,
                             TILE_PRODUCT_MLIR | TILE_PRODUCT_METADATA);
  TileProgram *program = tile_compile_module(compiler, module);
  assert_non_null(program);
  assert_true(num_runs > 1 && num_made > 0);
  assert_non_null(
      strstr(tile_program_product(program, 0, TILE_PRODUCT_MLIR).data, "mine"));
  mlirOperationPrint(mlirModuleGetOperation(module), append, &after);
  assert_int_equal(before.size_bytes, after.size_bytes);
  assert_memory_equal(before.data, after.data, before.size_bytes);
  tile_program_destroy(program);

  said = (Said){.num_errors = 0};
  assert_true(tile_compiler_add_pipeline(compiler, NULL, "no-such-pass"));
  assert_null(tile_compile_module(compiler, module));
  assert_non_null(strstr(said.text, "no-such-pass"));
  tile_compiler_destroy(compiler);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

//===-- Layouts -----------------------------------------------------------===//

enum { LANE = 1 << 16, NUM_CELLS = 16 * 64 };

static void test_places(void **state) {
  (void)state;
  Said said;
  int64_t places[NUM_CELLS];
  TileLayoutFacts facts;
  const int64_t shared[] = {16, 64}, fragment[] = {16, 16};
  TileCompiler *compiler = open_compiler(&said);
  // Units of 16 bytes of row 1 are exchanged in pairs.
  assert_true(tile_compiler_find_places(compiler, "swizzle<128>", shared, 2, 16,
                                        places, NUM_CELLS, &facts));
  assert_false(facts.is_fragment);
  assert_int_equal(facts.size_bytes, 2048);
  assert_int_equal(places[8], 16);
  assert_int_equal(places[64], 144);
  assert_int_equal(places[64 + 8], 128);
  // Two neighbours are registers of a lane, eight rows further down two more.
  assert_true(tile_compiler_find_places(compiler, "mma<16x16,warps=1x1>",
                                        fragment, 2, 32, places, 256, &facts));
  assert_true(facts.is_fragment);
  assert_int_equal(facts.num_registers, 8);
  assert_int_equal(facts.num_lanes * facts.num_warps, 32);
  assert_int_equal(facts.num_copies, 1);
  assert_int_equal(places[1], 1);
  assert_int_equal(places[2], LANE);
  assert_int_equal(places[8 * 16], 2);
  assert_int_equal(said.num_errors, 0);
  tile_compiler_destroy(compiler);
}

static void test_places_of_no_tile(void **state) {
  (void)state;
  static const struct {
    const char *layout;
    int64_t extents[2];
    int rank, elem_bits;
    size_t num_places;
    const char *says;
  } wrong[] = {
      {"swizzle<128>", {16, 64}, 2, 16, 4, "room for 4 places, expected 1024"},
      {"swizzle<128>", {16, 0}, 2, 16, 0, "those of no tile"},
      {"swizzle<128>", {16, 64}, 9, 16, 0, "those of no tile"},
      {"swizzle<128>", {16, 64}, 2, 0, 0, "those of no tile"},
      {"twisted", {16, 64}, 2, 16, 0, "column 1: expected linear, padded"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Said said;
    int64_t places[NUM_CELLS];
    TileLayoutFacts facts;
    TileCompiler *compiler = open_compiler(&said);
    assert_false(tile_compiler_find_places(
        compiler, wrong[i].layout, wrong[i].extents, wrong[i].rank,
        wrong[i].elem_bits, wrong[i].num_places ? places : NULL,
        wrong[i].num_places, &facts));
    expect_error(&said, "layout", wrong[i].says);
    tile_compiler_destroy(compiler);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_variants),
      cmocka_unit_test(test_cubin),
      cmocka_unit_test(test_bytecode),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_fatal_error),
      cmocka_unit_test(test_signals_arrive),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_limited_threads),
      cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_cancel_at_the_end),
      cmocka_unit_test(test_ends_anywhere),
      cmocka_unit_test(test_allocator),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_fork),
      cmocka_unit_test(test_silence),
      cmocka_unit_test(test_own_module),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_places_of_no_tile),
      cmocka_unit_test(test_stage_locations),
  };
  mlirRegisterTransformsCSE();
  root = argc > 1 ? argv[1] : ".";
  read_text("examples/gemm.mlir", gemm, sizeof gemm);
  read_text("test/tools/tile-compile/Inputs/scale.mlir", scale, sizeof scale);
  read_text("test/tools/tile-compile/Inputs/unselectable.mlir", unselectable,
            sizeof unselectable);
  snprintf(fake_ptxas, sizeof fake_ptxas,
           "%s/test/tools/tile-compile/Inputs/fake-ptxas", root);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

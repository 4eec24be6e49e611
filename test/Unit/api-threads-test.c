//===- api-threads-test.c - Compilers on many threads ---------------------===//
//
// What the thread sanitizer looks at: compilers of their own on several
// threads, each with threads of its own, cancelled at any time, and destroyed.
// Argument: the folder of the sources.
//
//===----------------------------------------------------------------------===//

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "Tile/Compiler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUM_WORKERS = 4, NUM_ROUNDS = 2 };

static const char *root;
static char gemm[1 << 14], scale[1 << 14];

static void read_text(const char *name, char *out, size_t capacity) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  out[fread(out, 1, capacity - 1, file)] = 0;
  fclose(file);
}

static uint64_t hash_of(TileBytes bytes) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < bytes.size_bytes; i++)
    hash = (hash ^ (unsigned char)bytes.data[i]) * 1099511628211u;
  return hash;
}

static void sleep_us(long us) {
  struct timespec time = {0, us * 1000};
  nanosleep(&time, NULL);
}

//===-- The same from every thread ----------------------------------------===//

typedef struct {
  int number;
  uint64_t hashes[NUM_ROUNDS];
  size_t num_errors;
  pthread_t thread;
} Worker;

static void count_error(const TileDiagnostic *diagnostic, void *user_data) {
  Worker *worker = user_data;
  worker->num_errors += diagnostic->severity == TILE_SEVERITY_ERROR;
}

static TileCompiler *open_compiler(Worker *worker) {
  TileCompiler *compiler = tile_compiler_create(NULL);
  if (!compiler)
    return NULL;
  tile_compiler_set_diagnostics(compiler, count_error, worker);
  tile_compiler_set_threads(compiler, 1 + worker->number % 3);
  return compiler;
}

static void *compile_rounds(void *user_data) {
  Worker *worker = user_data;
  for (int i = 0; i < NUM_ROUNDS; i++) {
    TileCompiler *compiler = open_compiler(worker);
    TileProgram *program = tile_compile(compiler, "a.mlir", gemm, strlen(gemm));
    tile_compiler_destroy(compiler);
    if (program)
      worker->hashes[i] =
          hash_of(tile_program_product(program, 0, TILE_PRODUCT_PTX));
    tile_program_destroy(program);
  }
  return NULL;
}

// Six variants each, by one to three threads.
static void test_same_from_all(void **state) {
  (void)state;
  Worker workers[NUM_WORKERS] = {{0}};
  for (int i = 0; i < NUM_WORKERS; i++) {
    workers[i].number = i;
    assert_int_equal(
        pthread_create(&workers[i].thread, NULL, compile_rounds, &workers[i]),
        0);
  }
  for (int i = 0; i < NUM_WORKERS; i++)
    pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < NUM_WORKERS; i++) {
    assert_int_equal(workers[i].num_errors, 0);
    for (int r = 0; r < NUM_ROUNDS; r++)
      assert_int_equal(workers[i].hashes[r], workers[0].hashes[0]);
  }
  assert_true(workers[0].hashes[0] != 0);
}

//===-- Cancellation ------------------------------------------------------===//

typedef struct {
  Worker worker;
  TileCompiler *compiler;
  size_t num_programs, num_cancelled, num_others;
  atomic_bool has_ended;
} Target;

static void note(const TileDiagnostic *diagnostic, void *user_data) {
  Target *target = user_data;
  if (diagnostic->severity != TILE_SEVERITY_ERROR)
    return;
  if (!strcmp(diagnostic->code, "cancel"))
    target->num_cancelled++;
  else
    target->num_others++;
}

static void *compile_until_cancelled(void *user_data) {
  Target *target = user_data;
  for (int i = 0; i < 2 * NUM_ROUNDS; i++) {
    const char *text = i % 2 ? scale : gemm;
    TileProgram *program =
        tile_compile(target->compiler, "a.mlir", text, strlen(text));
    target->num_programs += program != NULL;
    tile_program_destroy(program);
  }
  atomic_store(&target->has_ended, true);
  return NULL;
}

// Whenever it comes, the call ends with a program or with the one error.
static void test_cancelled_at_any_time(void **state) {
  (void)state;
  Target targets[NUM_WORKERS];
  memset(targets, 0, sizeof targets);
  for (int i = 0; i < NUM_WORKERS; i++) {
    targets[i].worker.number = i;
    targets[i].compiler = open_compiler(&targets[i].worker);
    assert_non_null(targets[i].compiler);
    tile_compiler_set_diagnostics(targets[i].compiler, note, &targets[i]);
    assert_int_equal(pthread_create(&targets[i].worker.thread, NULL,
                                    compile_until_cancelled, &targets[i]),
                     0);
  }
  uint32_t random = 7;
  size_t num_ended = 0;
  while (num_ended < NUM_WORKERS) {
    num_ended = 0;
    for (int i = 0; i < NUM_WORKERS; i++) {
      num_ended += atomic_load(&targets[i].has_ended);
      tile_compiler_cancel(targets[i].compiler);
      random = random * 1664525u + 1013904223u;
      sleep_us(1000 + (long)(random >> 15));
    }
  }
  size_t num_cancelled = 0;
  for (int i = 0; i < NUM_WORKERS; i++) {
    pthread_join(targets[i].worker.thread, NULL);
    tile_compiler_destroy(targets[i].compiler);
    assert_int_equal(targets[i].num_others, 0);
    assert_int_equal(targets[i].num_programs + targets[i].num_cancelled,
                     2 * NUM_ROUNDS);
    num_cancelled += targets[i].num_cancelled;
  }
  assert_true(num_cancelled > 0);
}

//===-- Readers -----------------------------------------------------------===//

static void *read_program(void *user_data) {
  const TileProgram *program = user_data;
  double ms;
  for (size_t i = 0; tile_program_phase(program, i, &ms); i++)
    ;
  return (void *)(uintptr_t)(hash_of(tile_program_product(program, 0,
                                                          TILE_PRODUCT_PTX)) |
                             tile_program_num_functions(program));
}

// A program is read by several threads when its compiler is gone.
static void test_readers(void **state) {
  (void)state;
  pthread_t threads[NUM_WORKERS];
  void *hashes[NUM_WORKERS];
  TileCompiler *compiler = tile_compiler_create(NULL);
  TileProgram *program = tile_compile(compiler, NULL, scale, strlen(scale));
  assert_non_null(program);
  for (int i = 0; i < NUM_WORKERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, read_program, program),
                     0);
  tile_compiler_destroy(compiler);
  for (int i = 0; i < NUM_WORKERS; i++)
    pthread_join(threads[i], &hashes[i]);
  for (int i = 1; i < NUM_WORKERS; i++)
    assert_ptr_equal(hashes[i], hashes[0]);
  tile_program_destroy(program);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_from_all),
      cmocka_unit_test(test_cancelled_at_any_time),
      cmocka_unit_test(test_readers),
  };
  if (argc != 2)
    return 2;
  root = argv[1];
  read_text("examples/gemm.mlir", gemm, sizeof gemm);
  read_text("test/tools/tile-compile/Inputs/scale.mlir", scale, sizeof scale);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

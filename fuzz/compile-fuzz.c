//===- compile-fuzz.c - Text or bytecode of a program to tile_compile -----===//
//
// Whatever comes in, the library ends with a program or with an error that it
// has told, and compiles the next one.
//
//===----------------------------------------------------------------------===//

#include "Tile/Compiler.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum { MAX_MS = 20000, MAX_BYTES_LOG2 = 32, CALLS_PER_COMPILER = 64 };

static void count_error(const TileDiagnostic *diagnostic, void *user_data) {
  *(int *)user_data += diagnostic->severity == TILE_SEVERITY_ERROR;
}

static void read_products(const TileProgram *program) {
  for (size_t i = 0; i < tile_program_num_functions(program); i++)
    if (!tile_program_name(program, i))
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
  static TileCompiler *compiler;
  static int num_calls;
  static const char *const chips[] = {"sm_90a", "sm_80"};
  int num_errors = 0;
  if (num_calls % CALLS_PER_COMPILER == 0) {
    tile_compiler_destroy(compiler);
    compiler = tile_compiler_create(NULL);
    tile_compiler_set_limits(compiler, MAX_MS, UINT64_C(1) << MAX_BYTES_LOG2);
  }
  tile_compiler_set_diagnostics(compiler, count_error, &num_errors);
  tile_compiler_set_chip(compiler, chips[num_calls++ % 2]);
  TileProgram *program =
      tile_compile(compiler, "fuzz.mlir", (const char *)data, size_bytes);
  if (program)
    read_products(program);
  else if (num_errors == 0)
    abort(); // nobody was told
  tile_program_destroy(program);
  return 0;
}

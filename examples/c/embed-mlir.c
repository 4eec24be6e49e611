//===- embed-mlir.c - Tile in a program that uses MLIR --------------------===//
//
// Parses a file into a context of the program, runs an upstream pass over the
// module, and compiles it to PTX.
//
//   embed-mlir FILE.mlir [CHIP]
#include <Tile/Mlir.h>
#include <mlir-c/Transforms.h>
#include <stdio.h>
#include <stdlib.h>

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void report(MlirStringRef text, void *user_data) {
  (void)user_data;
  fwrite(text.data, 1, text.length, stderr);
}

static bool clean(MlirContext context, MlirModule module) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            str("builtin.module(cse)"), report, NULL);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result);
}

static bool compile(MlirModule module, const char *chip) {
  TileCompiler *compiler = tile_compiler_create(NULL);
  tile_compiler_set_diagnostics(compiler, tile_diagnostic_print, NULL);
  TileProgram *program = tile_compiler_set_chip(compiler, chip)
                             ? tile_compile_module(compiler, module)
                             : NULL;
  size_t count = program ? tile_program_num_functions(program) : 0;
  for (size_t i = 0; i < count; i++)
    printf("%s: %zu bytes of PTX for %s\n", tile_program_name(program, i),
           tile_program_product(program, i, TILE_PRODUCT_PTX).size_bytes,
           tile_program_chip(program, i));
  tile_program_destroy(program);
  tile_compiler_destroy(compiler);
  return count > 0;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fprintf(stderr, "usage: embed-mlir FILE.mlir [CHIP]\n"), 1;
  MlirContext context = mlirContextCreate();
  tile_context_prepare(context); // loads the tile dialect and those it needs
  mlirRegisterTransformsCSE();
  MlirModule module = mlirModuleCreateParseFromFile(context, str(argv[1]));
  bool is_ok = !mlirModuleIsNull(module) && clean(context, module) &&
               compile(module, argc > 2 ? argv[2] : NULL);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return is_ok ? 0 : 1;
}

//===- custom-pass.c - A pass of the program between ours -----------------===//
//
// It counts the products of each kernel and says which instruction they got.
//
//   custom-pass FILE.mlir [CHIP]
#include <Tile/Mlir.h>
#include <stdio.h>
#include <string.h>

static MlirStringRef str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static void print(MlirStringRef text, void *user_data) {
  (void)user_data;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirWalkResult look(MlirOperation op, void *user_data) {
  size_t *num_products = (size_t *)user_data;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (name.length != strlen("tile.gemm") ||
      memcmp(name.data, "tile.gemm", name.length) != 0)
    return MlirWalkResultAdvance;
  printf("product %zu: ", (*num_products)++);
  mlirAttributePrint(mlirOperationGetAttributeByName(op, str("instr")), print,
                     NULL);
  printf("\n");
  return MlirWalkResultAdvance;
}

static void run(MlirOperation op, MlirExternalPass pass, void *user_data) {
  mlirOperationWalk(op, look, user_data, MlirWalkPreOrder);
  (void)pass; // mlirExternalPassSignalFailure(pass) ends the compilation
}

static void nothing(void *user_data) { (void)user_data; }
static void *same(void *user_data) { return user_data; }

/// What the passes know: an identity that lives as long as the program.
typedef struct {
  MlirTypeID id;
  size_t num_products;
} Counter;

static MlirPass make(void *user_data) {
  Counter *counter = (Counter *)user_data;
  MlirExternalPassCallbacks callbacks = {nothing, nothing, NULL, same, run};
  return mlirCreateExternalPass(counter->id, str("count-products"),
                                str("count-products"), str("counts products"),
                                str(""), 0, NULL, callbacks,
                                &counter->num_products);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fprintf(stderr, "usage: custom-pass FILE.mlir [CHIP]\n"), 1;
  MlirTypeIDAllocator ids = mlirTypeIDAllocatorCreate();
  Counter counter = {mlirTypeIDAllocatorAllocateTypeID(ids), 0};
  TileCompiler *compiler = tile_compiler_create(NULL);
  tile_compiler_set_diagnostics(compiler, tile_diagnostic_print, NULL);
  bool is_ok = tile_compiler_set_chip(compiler, argc > 2 ? argv[2] : NULL) &&
               tile_compiler_add_pass(compiler, "tile-instruction-annotation",
                                      NULL, make, &counter);
  TileProgram *program = is_ok ? tile_compile_file(compiler, argv[1]) : NULL;
  printf("%zu products\n", counter.num_products);
  tile_program_destroy(program);
  tile_compiler_destroy(compiler);
  mlirTypeIDAllocatorDestroy(ids);
  return program ? 0 : 1;
}
